//! Holds the definitions of `proto/a2a/v0.3/a2a.schema.json` fast.
//!
//! In: the text of a JSON schema. Out: what its definitions declare, line by line and sorted, without
//! descriptions and examples. The lines must have the hashes of `schema_fingerprint/committed.rs`,
//! and must equal those of the official file wherever that file is at hand.
//!
//! After a wanted change: the failing test prints the new constants.

#[path = "schema_fingerprint/committed.rs"]
mod committed;
#[path = "schema_fingerprint/lines.rs"]
mod lines;

use std::io::Write as _;
use std::path::Path;

use committed::DEFINITIONS;
use lines::{Definitions, constants, declared, first_departure, first_difference};

const SCHEMA: &str = "proto/a2a/v0.3/a2a.schema.json";

fn our_text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(SCHEMA);
    std::fs::read_to_string(path).expect("the schema is part of the repository")
}

fn ours() -> Definitions {
    declared(&our_text()).expect("our schema is one")
}

#[test]
fn the_definitions_have_the_committed_fingerprints() {
    let ours = ours();
    let departure = first_departure(&ours, DEFINITIONS);
    assert!(
        departure.is_none(),
        "{SCHEMA} does not define what it did.\nFirst difference: {}\n\
         If the change is wanted, put this into a2a-codegen/tests/schema_fingerprint/committed.rs:\n\n{}\n",
        departure.unwrap_or_default(),
        constants(&ours),
    );
}

#[test]
fn the_definitions_are_those_of_the_official_file() {
    const OFFICIAL: &str = "a2a-v0.3.0.schema.json";
    const REQUIRE: &str = "A2A_REQUIRE_OFFICIAL_PROTO";
    // The harness swallows what `println!` writes in a test that passes, and whether the
    // comparison took place is for the reader of a passing run; hence the handle itself.
    let say = |line: &str| {
        writeln!(std::io::stderr(), "{line}").expect("standard error takes a line");
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec");
    let text = match std::fs::read_to_string(path.join(OFFICIAL)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            assert!(
                std::env::var_os(REQUIRE).is_none_or(|value| value != "1"),
                "{REQUIRE}=1 asks for a comparison, but ../shared/spec/{OFFICIAL} is not there",
            );
            return say(&format!(
                "not compared with the official {OFFICIAL}: ../shared/spec has no such file"
            ));
        }
        Err(error) => panic!("../shared/spec/{OFFICIAL} is there but cannot be read: {error}"),
    };
    let theirs = declared(&text).expect("the official schema is one");
    if let Some(difference) = first_difference(&ours(), &theirs) {
        panic!("{SCHEMA} differs from the official {OFFICIAL}.\nFirst difference: {difference}");
    }
    say(&format!(
        "compared with the official {OFFICIAL}: same definitions"
    ));
}

#[test]
fn a_changed_definition_changes_its_fingerprint_and_is_named() {
    let text = our_text();
    let before = ours();
    // What is replaced (once), by what, and what the report must contain.
    let cases = [
        (
            r#""const": "status-update""#,
            r#""const": "status_update""#,
            "TaskStatusUpdateEvent: expected `properties.kind.const = \"status-update\"`",
        ),
        (
            r#""const": "message/send""#,
            r#""const": "message/send", "default": 1"#,
            "SendMessageRequest: expected nothing, found `properties.method.default = 1`",
        ),
        (
            r#""required": ["contextId", "id", "kind", "status"]"#,
            r#""required": ["contextId", "id", "kind"]"#,
            "Task: expected `required[status]`",
        ),
        (
            r#""historyLength": { "type": "integer" }"#,
            r#""historyLength": { "type": "number" }"#,
            "expected `properties.historyLength.type = \"integer\"`, found `properties.historyLength.type = \"number\"`",
        ),
        (
            r#""type": ["string", "integer", "null"]"#,
            r#""type": ["string", "integer"]"#,
            "expected `properties.id.type[2] = \"null\"`",
        ),
        (
            r#""cookie", "#,
            "",
            "APIKeySecurityScheme: expected `properties.in.enum[0] = \"cookie\"`",
        ),
        (
            r##""#/definitions/Artifact""##,
            r##""#/definitions/Message""##,
            "Task: expected `properties.artifacts.items.$ref = \"#/definitions/Artifact\"`",
        ),
        (
            r#""additionalProperties": {}"#,
            r#""additionalProperties": false"#,
            "properties.metadata.additionalProperties = {}`",
        ),
        (
            r#""examples": { "type": "array", "items": { "type": "string" } },"#,
            "",
            "AgentSkill: expected `properties.examples.items.type",
        ),
        (
            r#""TaskIdParams": {"#,
            r#""TaskIds": {}, "TaskIdParams": {"#,
            "found `TaskIds`",
        ),
    ];
    for (from, to, named) in cases {
        assert!(
            text.contains(from),
            "the case's text is in the schema: {from}"
        );
        let after = declared(&text.replacen(from, to, 1)).expect("still a schema");
        let report = first_difference(&after, &before).unwrap_or_default();
        assert!(report.contains(named), "{from} -> {to}: {report}");
        assert!(
            first_departure(&after, DEFINITIONS).is_some(),
            "{from} -> {to}: the table notices"
        );
    }
}

#[test]
fn what_declares_nothing_leaves_the_fingerprints_alone() {
    let text = our_text();
    for (from, to) in [
        (r#""description": "One piece"#, r#""description": "A piece"#),
        (
            r#""enum": ["agent", "user"]"#,
            r#""examples": ["user"], "enum": ["agent", "user"]"#,
        ),
        (
            r#""required": ["schemes"]"#,
            r#""title": "Schemes", "required": ["schemes"]"#,
        ),
        (
            r#""required": ["contextId", "id", "kind", "status"]"#,
            r#""required": ["status", "kind", "id", "contextId"]"#,
        ),
    ] {
        let after = text.replacen(from, to, 1);
        assert_ne!(after, text, "the case's text is in the schema: {from}");
        let after = declared(&after).expect("still a schema");
        assert_eq!(first_difference(&after, &ours()), None, "{from}");
        assert_eq!(first_departure(&after, DEFINITIONS), None, "{from}");
    }
}

/// What the walk does not understand could be a declaration that nobody compares.
#[test]
fn what_is_not_understood_is_refused() {
    for (text, expected) in [
        (
            r#"{ "definitions": { "A": { "minimum": 1 } } }"#,
            "A: unknown keyword `minimum`",
        ),
        (
            r#"{ "definitions": { "A": { "items": { "oneOf": [] } } } }"#,
            "A: unknown keyword `items.oneOf`",
        ),
        (
            r##"{ "definitions": { "A": { "$ref": "#/definitions/B" } } }"##,
            "A: `#/definitions/B` is not defined",
        ),
        (
            r#"{ "definitions": {}, "type": "object" }"#,
            "unknown keyword `type` at the top",
        ),
        (r#"{ "definitions": { "A": 1 } }"#, "A: `1` is no schema"),
    ] {
        let fault = declared(text).expect_err(text);
        assert!(fault.contains(expected), "{text}: {fault}");
    }
}
