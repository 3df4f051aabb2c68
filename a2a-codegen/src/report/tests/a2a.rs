//! The two versions of A2A: what the report must show of them, whatever its form.

use super::super::model::{Change, ProtoClasses, Report, Spelling, Trap, TrapKind};
use super::{A2a, read};

fn full() -> Report {
    let a2a = A2a::read();
    a2a.report(Some(&a2a.rules))
}

/// The pairs of names that trap in one way.
fn pairs(report: &Report, is: impl Fn(&Trap) -> bool) -> Vec<(&str, &str)> {
    let traps = report.traps.iter().filter(|trap| is(trap));
    traps
        .map(|trap| (trap.old.as_str(), trap.new.as_str()))
        .collect()
}

#[test]
fn id_is_a_trap_where_another_thing_is_called_so() {
    let report = full();
    assert_eq!(
        pairs(&report, |trap| trap.kind == TrapKind::Name),
        [
            (
                "DeleteTaskPushNotificationConfigParams.id",
                "DeleteTaskPushNotificationConfigRequest.id"
            ),
            (
                "GetTaskPushNotificationConfigParams.id",
                "GetTaskPushNotificationConfigRequest.id"
            ),
        ]
    );
    let names = report
        .traps
        .iter()
        .filter(|trap| trap.kind == TrapKind::Name);
    for trap in names {
        assert_eq!(trap.instead, "becomes `taskId`");
        assert_eq!(trap.spelling, Spelling::Json);
    }
}

#[test]
fn a_name_is_read_as_a_tenant_six_times() {
    let report = full();
    let tenants = pairs(&report, |trap| {
        trap.old.ends_with(".name") && trap.new.ends_with(".tenant")
    });
    let messages: Vec<&str> = tenants
        .iter()
        .filter_map(|(_, new)| new.strip_suffix(".tenant"))
        .collect();
    assert_eq!(
        messages,
        [
            "CancelTaskRequest",
            "DeleteTaskPushNotificationConfigRequest",
            "GetTaskPushNotificationConfigRequest",
            "GetTaskRequest",
            "SubscribeToTaskRequest",
            "TaskPushNotificationConfig",
        ]
    );
}

/// What was tried with bytes of v0.3 and types of v1.0.
#[test]
fn what_bytes_of_the_older_version_were_read_as_is_flagged() {
    let report = full();
    let numbers = pairs(&report, |trap| trap.kind == TrapKind::Number);
    for pair in [
        (
            "SendMessageConfiguration.blocking",
            "SendMessageConfiguration.return_immediately",
        ),
        ("Part.file", "Part.raw"),
        ("Artifact.name", "Artifact.description"),
        ("AgentCard.preferred_transport", "AgentCard.icon_url"),
        ("SendMessageRequest.request", "SendMessageRequest.tenant"),
        ("AuthenticationInfo.schemes", "AuthenticationInfo.scheme"),
        (
            "ListTaskPushNotificationConfigRequest.parent",
            "ListTaskPushNotificationConfigsRequest.task_id",
        ),
    ] {
        assert!(numbers.contains(&pair), "{pair:?} is not in {numbers:#?}");
    }
    // These stand for each other as they are.
    for new in [
        "Message.parts",
        "AgentInterface.protocol_binding",
        "TaskStatus.message",
    ] {
        assert!(numbers.iter().all(|(_, trap)| *trap != new), "{new}");
    }
}

#[test]
fn every_older_route_that_a_server_of_the_newer_version_answers_is_a_trap() {
    let report = full();
    let routes = pairs(&report, |trap| trap.kind == TrapKind::Route);
    // All ten operations and the further verb of one; but `/v1/card` and the singular `task` are no
    // routes of v1.0.
    assert_eq!(routes.len(), 10, "{routes:#?}");
    assert!(routes.contains(&("POST /v1/message:send", "POST /{tenant}/message:send")));
    assert!(
        routes
            .iter()
            .all(|(old, _)| !old.contains("card") && !old.contains("task/"))
    );
}

fn counts(classes: &ProtoClasses) -> [usize; 8] {
    [
        classes.same,
        classes.renumbered,
        classes.same_json_name,
        classes.presence,
        classes.same_number,
        classes.type_changed,
        classes.no_counterpart,
        classes.message_gone,
    ]
}

#[test]
fn the_counts_are_those_of_a_comparison_by_hand() {
    // Release 0.3.0 does not have the five fields that its peers add.
    let added = [
        "metadata = 4;",
        "name = 4;",
        "icon_url = 18;",
        "reference_task_ids = 8;",
        "state_transition_history = 4;",
    ];
    let text = read("a2a/v0.3/a2a.proto");
    let is_added = |line: &&str| {
        added
            .iter()
            .any(|field| line.ends_with(&format!(" {field}")))
    };
    let removed: Vec<&str> = text.lines().filter(is_added).collect();
    assert_eq!(removed.len(), added.len(), "{removed:?}");
    let tag: Vec<&str> = text.lines().filter(|line| !is_added(line)).collect();

    let tag = A2a::with(&tag.join("\n"));
    let tag = tag.report(Some(&tag.rules)).statistics;
    assert_eq!((tag.old.messages, tag.old.fields), (45, 150));
    assert_eq!((tag.new.messages, tag.new.fields), (44, 176));
    assert_eq!(counts(&tag.proto), [98, 9, 4, 5, 12, 1, 10, 11]);

    // `Message.reference_task_ids` is the same, `Part.metadata` has another number,
    // `AgentCard.icon_url` another presence, `AgentCapabilities.state_transition_history` the number
    // of something else, and `FilePart` went away with its `name`.
    let report = full();
    let with_peers = counts(&report.statistics.proto);
    assert_eq!(with_peers, [98 + 1, 9 + 1, 4, 5 + 1, 12 + 1, 1, 10, 11 + 1]);

    let json = report.statistics.json.expect("there is a schema");
    assert_eq!((json.messages, json.properties), (38, 156));
    assert_eq!((json.same_key, json.false_friends), (115, 2));
    assert_eq!((json.constants, json.rest), (12, 29));
}

#[test]
fn every_declared_loss_has_a_place() {
    let report = full();
    assert!(!report.losses.is_empty());
    for loss in &report.losses {
        assert!(
            !loss.at.is_empty(),
            "{} is declared and nothing names it",
            loss.id
        );
    }
}

#[test]
fn every_field_of_both_versions_is_somewhere() {
    let a2a = A2a::read();
    let report = a2a.report(Some(&a2a.rules));
    let proto = || {
        report
            .messages
            .iter()
            .filter(|each| each.spelling == Spelling::Proto)
    };
    for (api, newer) in [(&a2a.new.0, true), (&a2a.old.0, false)] {
        for message in api.messages.values() {
            let name = super::super::words::short(api, &message.proto_name);
            for field in &message.fields {
                let named = proto()
                    .filter(|row| if newer { &row.new } else { &row.old }.as_deref() == Some(name))
                    .flat_map(|row| &row.fields)
                    .flat_map(|row| if newer { &row.new } else { &row.old })
                    .any(|side| side.name == field.proto_name);
                assert!(named, "{name}.{} has no row", field.proto_name);
            }
        }
    }
    assert!(report.rules.complete);
    let open = report
        .messages
        .iter()
        .flat_map(|row| &row.fields)
        .flat_map(|row| &row.how);
    assert_eq!(open.filter(|how| *how == "no rule yet").count(), 0);
}

#[test]
fn without_rules_it_says_which_ones_are_needed() {
    let report = A2a::read().report(None);
    assert!(!report.rules.complete);
    assert_eq!(report.rules.file, None);
    let lines: Vec<&String> = report
        .missing
        .iter()
        .flat_map(|missing| &missing.rules)
        .collect();
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(
        has("\"Message.parts\" = { proto = \"Message.content\" }"),
        "{lines:#?}"
    );
    assert!(has("ListTasks = { refused ="), "{lines:#?}");
    // What the numbers say stays a guess until a rule confirms it.
    let numbers = pairs(&report, |trap| trap.kind == TrapKind::Number);
    assert!(numbers.contains(&("Message.content", "Message.parts")));
    // What is new in either version is told all the same.
    let added = report
        .operations
        .iter()
        .filter(|each| each.change == Change::Added);
    assert!(added.count() > 0);
}
