use std::path::Path;

use super::super::AdapterPaths;
use super::*;
use crate::load::{SchemaSource, Sources, load_protos, load_schema};
use crate::lower::{lower, lower_schema};
use crate::plan::plan_all;
use crate::plan::rules::read_rules;
use crate::profile::{Profile, read_profile};
use crate::write::format_code;

fn paths() -> AdapterPaths {
    AdapterPaths {
        wire: "crate".to_owned(),
        kit: "::a2a_kit".to_owned(),
        old: "crate::v0_3".to_owned(),
        new: "crate::v1_0".to_owned(),
        json: "crate::v0_3_json".to_owned(),
        hooks: "crate::hooks".to_owned(),
        new_services: "::a2a_kit".to_owned(),
    }
}

/// The codecs of the repository's own schema.
fn committed() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto");
    let read = |version: &str| {
        let text = std::fs::read_to_string(root.join(format!("a2a/{version}/profile.toml")));
        let profile = read_profile(&text.unwrap(), "profile.toml").unwrap();
        let sources = Sources {
            files: vec![format!("a2a/{version}/a2a.proto").into()],
            includes: vec![root.clone()],
            ..Sources::default()
        };
        let api = lower(&load_protos(&sources).unwrap(), &profile).unwrap();
        (api, profile)
    };
    let (old, new) = (read("v0.3"), read("v1.0"));
    let schema = load_schema(&SchemaSource::file(root.join("a2a/v0.3/a2a.schema.json"))).unwrap();
    let schema = lower_schema(&schema).unwrap();
    let rules = std::fs::read_to_string(root.join("a2a/v0.3-to-v1.0.toml")).unwrap();
    let rules = read_rules(&rules, "v0.3-to-v1.0.toml").unwrap();
    let plans = plan_all(&old.0, Some(&schema), &new.0, &rules).unwrap();
    let paths = paths();
    let tokens = emit(&AdapterInput {
        old: &old.0,
        old_profile: &old.1,
        old_schema: Some(&schema),
        new: &new.0,
        new_profile: &new.1,
        proto: &plans.proto,
        json: plans.json.as_ref(),
        paths: &paths,
    });
    format_code(&["a2a/v0.3/a2a.schema.json".to_owned()], &tokens).unwrap()
}

/// What is generated for one codec, without line breaks.
fn codec<'t>(text: &'t str, name: &str) -> &'t str {
    let start = text.find(&format!("pub struct {name};"));
    let start = start.unwrap_or_else(|| panic!("no codec {name}"));
    let rest = &text[start..];
    let end = rest.find("///The codec of").unwrap_or(rest.len());
    &rest[..end]
}

fn flat() -> String {
    let words = committed();
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join(" ")
}

#[test]
fn codecs_are_named_as_definitions_or_as_what_they_serve() {
    let text = flat();
    for name in [
        "MessageSendParams",
        "TaskQueryParams",
        // One definition, two newer types.
        "CancelTaskRequest",
        "SubscribeToTaskRequest",
        // Unions and bare lists have no name that anyone knows.
        "SendMessageResponse",
        "StreamResponse",
        "ListTaskPushNotificationConfigsResponse",
        "GetExtendedAgentCardRequest",
    ] {
        codec(&text, name);
    }
    assert!(!text.contains("TaskIdParams;"));
    for (module, name) in [
        ("json_part", "Part"),
        ("json_security_scheme", "SecurityScheme"),
        ("json_security_requirement", "SecurityRequirement"),
        (
            "json_create_push_config",
            "CreateTaskPushNotificationConfigRequest",
        ),
    ] {
        let line = format!("pub use crate::hooks::{module}::Codec as {name};");
        assert!(text.contains(&line), "{line}");
    }
}

#[test]
fn an_older_name_is_never_taken_for_another_member() {
    let text = flat();
    let params = codec(&text, "GetTaskPushNotificationConfigParams");
    assert!(params.contains(r#""id" => ::core::option::Option::Some(0usize)"#));
    assert!(params.contains("(&mut state.value.task_id)"));
    assert!(!params.contains(r#""taskId" =>"#), "a newer name");
    let config = codec(&text, "MessageSendConfiguration");
    for name in [
        "pushNotificationConfig",
        "push_notification_config",
        "pushNotification",
    ] {
        assert!(config.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(!config.contains("returnImmediately\" =>"));
    assert!(codec(&text, "Message").contains(r#""parts" | "content" =>"#));
    assert!(codec(&text, "TaskStatus").contains(r#""message" | "update" =>"#));
}

#[test]
fn only_objects_that_say_who_may_call_are_strict() {
    let text = flat();
    for (name, is_strict) in [
        ("APIKeySecurityScheme", true),
        ("MutualTLSSecurityScheme", true),
        ("OAuth2SecurityScheme", true),
        ("PasswordOAuthFlow", true),
        ("AgentCard", false),
        ("Task", false),
        ("MessageSendParams", false),
    ] {
        let found = codec(&text, name).contains("REJECT_UNKNOWN: bool = true");
        assert_eq!(found, is_strict, "{name}");
    }
    // What is not overlooked has to be known: the constant, and what cards of both versions hold.
    let flow = codec(&text, "AuthorizationCodeOAuthFlow");
    assert!(flow.contains(r#""pkceRequired" | "pkce_required" =>"#));
    assert!(codec(&text, "HTTPAuthSecurityScheme").contains(r#""type" =>"#));
}

#[test]
fn words_are_known_in_every_spelling() {
    let text = flat();
    let table = text
        .split("OldEnum for TaskState")
        .nth(1)
        .unwrap_or_default();
    for (word, number) in [
        ("canceled", 5),
        ("cancelled", 5),
        ("TASK_STATE_CANCELED", 5),
        ("TASK_STATE_CANCELLED", 5),
        ("input-required", 6),
        ("input_required", 6),
        ("INPUT_REQUIRED", 6),
        ("TASK_STATE_INPUT_REQUIRED", 6),
        ("submitted", 1),
    ] {
        let arm = format!("\"{word}\" => {{ ::core::option::Option::Some(({number}i32,");
        let short = format!("\"{word}\" => ::core::option::Option::Some(({number}i32,");
        assert!(table.contains(&arm) || table.contains(&short), "{word}");
    }
}

#[test]
fn without_a_schema_there_is_nothing() {
    let api = Api::default();
    let profile = Profile::default();
    let plan = ConversionPlan {
        encoding: crate::plan::model::Encoding::Proto,
        messages: Vec::new(),
        enums: BTreeMap::new(),
        methods: Vec::new(),
        losses: BTreeMap::new(),
    };
    let paths = paths();
    let tokens = emit(&AdapterInput {
        old: &api,
        old_profile: &profile,
        old_schema: None,
        new: &api,
        new_profile: &profile,
        proto: &plan,
        json: None,
        paths: &paths,
    });
    assert!(tokens.is_empty());
}
