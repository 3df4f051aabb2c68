//! A version after the newest one: what its author is told before any rule is written.

use super::super::model::{Change, Report, TrapKind};
use super::{Version, lowered, read, read_profile, read_rules, report};

/// The newest version with an operation, a field and a value more, and a field of another name.
fn next(rules: &str) -> Report {
    let text = read("a2a/v1.0/a2a.proto");
    let mut changed = text.clone();
    for (from, to) in [
        (
            "  rpc CancelTask(",
            "  rpc ArchiveTask(GetTaskRequest) returns (Task) {
                option (google.api.http) = { post: \"/tasks/{id=*}:archive\" body: \"*\" };
              }
              rpc CancelTask(",
        ),
        ("string token = 5;", "string secret = 5;"),
        (
            "string message_id = 1",
            "string note = 99; string message_id = 1",
        ),
        (
            "TASK_STATE_AUTH_REQUIRED = 8;",
            "TASK_STATE_AUTH_REQUIRED = 8; TASK_STATE_PAUSED = 9;",
        ),
    ] {
        assert_eq!(changed.matches(from).count(), 1, "{from}");
        changed = changed.replace(from, to);
    }
    let name = "a2a/v1.0/profile.toml";
    let profile = |text: &str| read_profile(text, name).expect("the profile reads");
    let old_profile = profile(&read(name));
    let new_profile = profile(&read(name).replace("Config.token", "Config.secret"));
    let old = lowered("v1.0/a2a.proto", &text, &old_profile);
    let new = lowered("v1.1/a2a.proto", &changed, &new_profile);
    let version = |name, api, profile| Version {
        name,
        api,
        schema: None,
        profile,
    };
    let rules =
        (!rules.is_empty()).then(|| read_rules(rules, "next.toml").expect("the rules read"));
    report(
        &version("1.0", &old, &old_profile),
        &version("1.1", &new, &new_profile),
        rules.as_ref().map(|rules| ("next.toml", rules)),
    )
}

#[test]
fn what_is_new_is_told_with_the_rule_to_write() {
    let report = next("");
    let added: Vec<String> = report
        .operations
        .iter()
        .filter(|each| each.change == Change::Added)
        .filter_map(|each| each.new.as_ref())
        .map(|side| format!("{} {}", side.name, side.routes[0].path))
        .collect();
    assert_eq!(added, ["ArchiveTask /tasks/{id=*}:archive"]);
    let open: Vec<&str> = report
        .missing
        .iter()
        .map(|missing| missing.what.as_str())
        .collect();
    for name in [
        "ArchiveTask",
        "Message.note",
        "TaskPushNotificationConfig.secret",
        "TaskPushNotificationConfig.token",
        "TASK_STATE_PAUSED",
    ] {
        assert!(
            open.iter().any(|what| what.contains(name)),
            "{name} is not in {open:#?}"
        );
    }
    assert_eq!(open.len(), 5, "{open:#?}");
    assert!(
        report
            .missing
            .iter()
            .all(|missing| !missing.rules.is_empty() && !missing.place.is_empty())
    );

    let numbers = report
        .traps
        .iter()
        .filter(|trap| trap.kind == TrapKind::Number);
    let numbers: Vec<&str> = numbers.map(|trap| trap.new.as_str()).collect();
    assert_eq!(numbers, ["TaskPushNotificationConfig.secret"]);
    // Nothing else is different.
    assert!(report.facts.is_empty(), "{:#?}", report.facts);
    assert_eq!(
        report.statistics.proto.same,
        report.statistics.old.fields - 1
    );
}

#[test]
fn five_rules_say_all_of_it() {
    let report = next(
        "method.ArchiveTask = { refused = \"D1\" }
         field.\"Message.note\" = { drop = { down = \"D2\" } }
         field.\"TaskPushNotificationConfig.secret\" = { proto = \"TaskPushNotificationConfig.token\" }
         value.TaskState.values.TASK_STATE_PAUSED = { proto = \"TASK_STATE_WORKING\", loss = { down = \"D3\" } }
         loss.down = { D1 = \"archives\", D2 = \"notes\", D3 = \"that a task is paused\" }",
    );
    assert!(report.rules.complete, "{:#?}", report.missing);
    assert!(report.traps.is_empty(), "{:#?}", report.traps);
    let places: Vec<(&str, &[String])> = report
        .losses
        .iter()
        .map(|loss| (loss.id.as_str(), loss.at.as_slice()))
        .collect();
    let expected = [
        ("D1", ["`ArchiveTask`".to_owned()]),
        ("D2", ["`Message.note`".to_owned()]),
        ("D3", ["`TaskState.TASK_STATE_PAUSED`".to_owned()]),
    ];
    let expected: Vec<(&str, &[String])> = expected
        .iter()
        .map(|(id, at)| (*id, at.as_slice()))
        .collect();
    assert_eq!(places, expected);
}
