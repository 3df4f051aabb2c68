//! Generated v1.0 types as path and query texts, and JSON without some fields.

use std::borrow::Cow;

use a2a_wire::__codegen::Rule;
use a2a_wire::types::{Struct, Timestamp};
use a2a_wire::v1_0::{
    AgentCard, AuthenticationInfo, CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message,
    Part, SendMessageConfiguration, SendMessageRequest, TaskPushNotificationConfig, TaskState,
};
use a2a_wire::{TextWriteError, WireMessage};

fn query<M: WireMessage>(message: &M, without: &[&str]) -> Result<String, TextWriteError> {
    let mut pairs = Vec::new();
    message.write_query(without, &mut |name, text| {
        pairs.push(format!("{name}={text}"));
    })?;
    Ok(pairs.join("&"))
}

#[test]
fn queries_hold_what_is_set() {
    assert_eq!(query(&ListTasksRequest::new(), &[]).unwrap(), "");
    let request = ListTasksRequest::new()
        .with_tenant("t")
        .with_context_id("c 1")
        .with_status(TaskState::Working)
        .with_page_size(0)
        .with_include_artifacts(false)
        .with_status_timestamp_after(Timestamp::new(1_767_310_445, 500_000_000));
    assert_eq!(
        query(&request, &[]).unwrap(),
        "tenant=t&contextId=c 1&status=TASK_STATE_WORKING&pageSize=0\
         &statusTimestampAfter=2026-01-01T23:34:05.500Z&includeArtifacts=false"
    );
    assert_eq!(
        query(&request, &["tenant", "status", "pageSize", "nothing"]).unwrap(),
        "contextId=c 1&statusTimestampAfter=2026-01-01T23:34:05.500Z&includeArtifacts=false"
    );
    let mut unknown = ListTasksRequest::new();
    unknown.status = 77;
    assert_eq!(query(&unknown, &[]).unwrap(), "status=77");
    assert_eq!(query(&(), &[]).unwrap(), "");
}

#[test]
fn messages_are_dotted_names() {
    let config = TaskPushNotificationConfig::new()
        .with_url("https://a.example/?b=c&d")
        .with_authentication(AuthenticationInfo::new().with_scheme("Bearer"));
    assert_eq!(
        query(&config, &["id", "authentication.credentials"]).unwrap(),
        "url=https://a.example/?b=c&d&authentication.scheme=Bearer"
    );
    assert_eq!(
        query(&config, &["authentication"]).unwrap(),
        "url=https://a.example/?b=c&d"
    );
}

#[test]
fn what_no_query_can_hold_is_told() {
    let message = Message::new().with_message_id("m");
    for (request, field) in [
        (
            SendMessageRequest::new().with_message(message.clone().with_parts([Part::text("x")])),
            "message.parts: a list of messages",
        ),
        (
            SendMessageRequest::new()
                .with_message(message.clone().with_metadata(Struct::default())),
            "message.metadata: free JSON",
        ),
        (
            SendMessageRequest::new()
                .with_message(message.clone())
                .with_configuration(SendMessageConfiguration::new()),
            "configuration: a message in which nothing is set",
        ),
    ] {
        let error = query(&request, &[]).unwrap_err();
        assert!(error.to_string().starts_with(field), "{error}");
    }
    // What is elsewhere in the request is no fault, and says that its message is there.
    let request = SendMessageRequest::new().with_message(message.with_metadata(Struct::default()));
    assert_eq!(
        query(&request, &["message.metadata", "message.messageId"]).unwrap(),
        ""
    );
    assert_eq!(query(&request, &["message"]).unwrap(), "");
    let mut times = ListTasksRequest::new();
    times.status_timestamp_after = Some(Timestamp::new(i64::MAX, 0));
    let error = query(&times, &[]).unwrap_err();
    assert_eq!(error.field, "statusTimestampAfter");
    assert!(error.reason.contains("9999"), "{error}");
}

#[test]
fn queries_bind_to_the_same_message() {
    let request = ListTasksRequest::new()
        .with_context_id("a&b=c%20+ü")
        .with_page_size(-1)
        .with_page_token("")
        .with_history_length(0)
        .with_status_timestamp_after(Timestamp::new(-1, 1))
        .with_include_artifacts(true);
    let mut bound = ListTasksRequest::new();
    request
        .write_query(&[], &mut |name, text| {
            bound.bind_text(name, text, Rule::Agree).unwrap();
        })
        .unwrap();
    assert_eq!(bound, request);
}

#[test]
fn texts_of_fields() {
    let request = GetTaskRequest::new().with_id("a/b").with_history_length(0);
    for (path, text) in [
        ("id", Some("a/b")),
        ("tenant", None),
        ("historyLength", Some("0")),
        ("history_length", Some("0")),
        ("id.x", None),
        ("nothing", None),
        ("", None),
    ] {
        assert_eq!(request.text_of(path).as_deref(), text, "{path}");
    }
    assert!(matches!(request.text_of("id"), Some(Cow::Borrowed("a/b"))));
    let request = SendMessageRequest::new().with_message(Message::new().with_context_id("c"));
    for (path, text) in [
        ("message.contextId", Some("c")),
        ("message.context_id", Some("c")),
        ("message.role", Some("ROLE_UNSPECIFIED")),
        ("message.parts", None),
        ("message.taskId", None),
        ("message", None),
        ("configuration.returnImmediately", None),
        ("metadata", None),
    ] {
        assert_eq!(request.text_of(path).as_deref(), text, "{path}");
    }
    assert_eq!(AgentCard::new().text_of("version"), None);
    assert_eq!(().text_of("x"), None);
}

#[test]
fn json_without_fields() {
    let request = CancelTaskRequest::new()
        .with_tenant("t")
        .with_id("x\",\"tenant\":\"y")
        .with_metadata(Struct(
            [("id".to_owned(), serde_json::json!({"tenant": [1]}))]
                .into_iter()
                .collect(),
        ));
    for (fields, expected) in [
        (
            &[][..],
            r#"{"tenant":"t","id":"x\",\"tenant\":\"y","metadata":{"id":{"tenant":[1]}}}"#,
        ),
        (
            &["id"],
            r#"{"tenant":"t","metadata":{"id":{"tenant":[1]}}}"#,
        ),
        (&["id", "tenant"], r#"{"metadata":{"id":{"tenant":[1]}}}"#),
        (
            &["metadata", "tenant", "nothing"],
            r#"{"id":"x\",\"tenant\":\"y"}"#,
        ),
    ] {
        let mut out = b"before".to_vec();
        request.write_json_without(fields, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!("before{expected}"),
            "{fields:?}"
        );
    }
}
