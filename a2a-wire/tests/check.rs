//! Required fields of the generated v1.0 types.

use a2a_wire::v1_0::{
    AgentCard, AgentInterface, AgentSkill, Artifact, Message, OAuth2SecurityScheme, Part, Role,
    SecurityScheme, SendMessageRequest, StreamResponse, Task, TaskState, TaskStatus,
};
use a2a_wire::{Violations, WireMessage};

fn missing(message: &impl WireMessage) -> Vec<(String, String)> {
    let mut found = Violations::default();
    message.check(&mut found);
    found
        .found
        .into_iter()
        .map(|violation| (violation.field, violation.description))
        .collect()
}

fn paths(message: &impl WireMessage) -> Vec<String> {
    missing(message).into_iter().map(|(path, _)| path).collect()
}

#[test]
fn a_complete_message_has_no_violations() {
    let message = Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts([Part::text("")]);
    assert_eq!(
        paths(&SendMessageRequest::new().with_message(message)),
        [""; 0]
    );
    assert_eq!(paths(&Part::data(serde_json::Value::Null)), [""; 0]);
}

#[test]
fn every_missing_field_is_named_with_its_path() {
    assert_eq!(
        missing(&SendMessageRequest::new()),
        [("message".to_owned(), "is required".to_owned())]
    );
    let request = SendMessageRequest::new().with_message(Message::new());
    assert_eq!(
        missing(&request),
        [
            ("message.messageId", "is required and must not be empty"),
            ("message.role", "is required: one of ROLE_USER, ROLE_AGENT"),
            ("message.parts", "is required: at least one element"),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
    );
}

#[test]
fn a_part_without_content_is_named_itself() {
    let message = Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts([Part::text("a"), Part::new()]);
    assert_eq!(
        missing(&SendMessageRequest::new().with_message(message)),
        [(
            "message.parts[1]".to_owned(),
            "one of text, raw, url, data must be set".to_owned()
        )]
    );
    assert_eq!(paths(&Part::new()), ["content"]);
}

#[test]
fn the_check_goes_through_lists_maps_and_oneofs() {
    let task = Task::new()
        .with_id("t")
        .with_status(
            TaskStatus::new()
                .with_state(TaskState::Working)
                .with_message(Message::new().with_role(Role::Agent)),
        )
        .with_artifacts([
            Artifact::new()
                .with_artifact_id("a")
                .with_parts([Part::new()]),
            Artifact::new(),
        ])
        .with_history([Message::new()]);
    assert_eq!(
        paths(&StreamResponse::task(task)),
        [
            "task.status.message.messageId",
            "task.status.message.parts",
            "task.artifacts[0].parts[0]",
            "task.artifacts[1].artifactId",
            "task.artifacts[1].parts",
            "task.history[0].messageId",
            "task.history[0].role",
            "task.history[0].parts",
        ]
    );
    let card = AgentCard::new().with_security_schemes([(
        "a b",
        SecurityScheme::oauth2_security_scheme(OAuth2SecurityScheme::new()),
    )]);
    assert!(
        paths(&card).contains(&"securitySchemes[\"a b\"].oauth2SecurityScheme.flows".to_owned())
    );
}

#[test]
fn an_unknown_enum_number_is_a_value() {
    let status = TaskStatus::new().with_state(99);
    assert_eq!(paths(&status), [""; 0]);
}

#[test]
fn cards_may_have_empty_lists_where_that_is_allowed() {
    let card = AgentCard::new()
        .with_name("n")
        .with_description("d")
        .with_version("1")
        .with_capabilities(a2a_wire::v1_0::AgentCapabilities::new())
        .with_supported_interfaces([AgentInterface::new()
            .with_url("u")
            .with_protocol_binding("JSONRPC")
            .with_protocol_version("1.0")])
        .with_skills([AgentSkill::new()
            .with_id("s")
            .with_name("n")
            .with_description("d")]);
    assert_eq!(
        paths(&card),
        ["defaultInputModes", "defaultOutputModes", "skills[0].tags"]
    );
    let mut found = Violations::lenient_lists();
    card.check(&mut found);
    assert_eq!(found.found, []);
}

#[test]
fn the_report_is_bounded() {
    let message = Message::new().with_parts((0..10_000).map(|_| Part::new()));
    assert_eq!(missing(&message).len(), 64);
}
