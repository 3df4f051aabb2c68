//! A version that might come is dropped in, with a rules file of five lines.

use a2a_codegen::plan::model::{EnumPlan, FieldKind, How};

use super::versions::{Versions, proto, read};

const PROTO: &str = "tests/golden/protos/a2a/v1.1/a2a.proto";

fn versions(rules: String) -> Versions {
    Versions {
        old: proto("v1.0/a2a.proto", &read("proto/a2a/v1.0/a2a.proto")),
        schema: None,
        new: proto("v1.1/a2a.proto", &read(PROTO)),
        rules,
    }
}

#[test]
fn five_lines_are_enough() {
    let rules = read("tests/golden/protos/a2a/v1.0-to-v1.1.toml");
    assert!(rules.lines().count() <= 5, "{rules}");
    let versions = versions(rules);
    let plan = versions.planned().proto;

    let added: Vec<_> = plan.methods.iter().filter(|m| m.old.is_none()).collect();
    assert_eq!(added.len(), 1);
    assert_eq!(added[0].refused.as_deref(), Some("N1"));

    let task = plan.message("lf.a2a.v1_1.Task", "lf.a2a.v1.Task").unwrap();
    let How::Fields(fields) = &task.how else {
        panic!("{:?}", task.how);
    };
    let priority = fields.last().unwrap();
    assert!(matches!(priority.kind, FieldKind::OnlyNew { new: 6 }));
    assert_eq!(priority.down_loss.as_deref(), Some("N1"));

    let artifact = plan
        .message("lf.a2a.v1_1.Artifact", "lf.a2a.v1.Artifact")
        .unwrap();
    let How::Fields(fields) = &artifact.how else {
        panic!("{:?}", artifact.how);
    };
    assert!(fields.iter().any(|plan| {
        matches!(plan.kind, FieldKind::Carry { new: 2, old: 2, .. }) && plan.rule.is_some()
    }));

    let EnumPlan { values, .. } = &plan.enums["lf.a2a.v1_1.TaskState"];
    let paused = values.iter().find(|value| value.new == 9).unwrap();
    assert_eq!((paused.old, paused.down_loss.as_deref()), (2, Some("N1")));
}

#[test]
fn without_rules_it_says_what_it_would_need() {
    let faults = versions(String::new()).plan().unwrap_err();
    let text = faults.to_string();
    for what in [
        "the operation `PauseTask` has no older one",
        "under `[method]`: PauseTask = { refused = \"D1\" }",
        "`lf.a2a.v1_1.Task.priority` has no older field",
        "under `[field]`: \"Task.priority\" = { drop = { down = \"D1\" } }",
        "`lf.a2a.v1_1.Artifact.summary` has no older field",
        "under `[field]`: \"Artifact.summary\" = { proto = \"Artifact.description\" }",
        "the older `lf.a2a.v1.Artifact.description` has no newer field",
        "`TASK_STATE_PAUSED` of `lf.a2a.v1_1.TaskState` has no older value",
    ] {
        assert!(text.contains(what), "{what}\n\n{text}");
    }
    assert_eq!(faults.len(), 5, "{text}");
}

/// The file is a copy: it must not fall behind the version that it follows.
#[test]
fn it_differs_from_version_1_0_in_nothing_else() {
    let declarations = |text: String| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines
            .filter(|line| !line.is_empty() && !line.starts_with("//"))
            .collect()
    };
    let old = declarations(read("proto/a2a/v1.0/a2a.proto"));
    let mut rest = old.as_slice();
    let mut added = Vec::new();
    for line in declarations(read(PROTO)) {
        match rest.split_first() {
            Some((first, after)) if *first == line => rest = after,
            _ => added.push(line),
        }
        // The package and the renamed field stand in the place of an older line.
        if matches!(
            added.last().map(String::as_str),
            Some("package lf.a2a.v1_1;")
        ) && rest
            .first()
            .is_some_and(|line| line == "package lf.a2a.v1;")
            || rest
                .first()
                .is_some_and(|line| line == "string description = 3;")
                && added
                    .last()
                    .is_some_and(|line| line == "string summary = 3;")
        {
            rest = &rest[1..];
        }
    }
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!(added.len(), 19, "{added:#?}");
}
