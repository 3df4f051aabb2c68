//! Path and query texts into the generated v1.0 types.

use std::borrow::Cow;

use a2a_wire::__codegen::{BindErrorKind, Bound, Rule};
use a2a_wire::WireMessage;
use a2a_wire::types::Timestamp;
use a2a_wire::v1_0::{
    AgentCard, GetTaskRequest, ListTasksRequest, Message, Part, SendMessageRequest, StreamResponse,
    TaskState,
};

fn bind<M: WireMessage>(
    message: &mut M,
    path: &str,
    text: &str,
    rule: Rule,
) -> Result<Bound, BindErrorKind> {
    message
        .bind_text(path, Cow::Borrowed(text), rule)
        .map_err(|error| {
            assert_eq!(error.path, path);
            error.kind
        })
}

fn set<M: WireMessage>(path: &str, text: &str) -> M {
    let mut message = M::default();
    bind(&mut message, path, text, Rule::Overwrite)
        .unwrap_or_else(|error| panic!("{path}={text}: {error:?}"));
    message
}

fn refused<M: WireMessage>(path: &str, text: &str) -> BindErrorKind {
    bind(&mut M::default(), path, text, Rule::Overwrite).unwrap_err()
}

#[test]
fn fields_are_found_by_either_name() {
    for path in ["historyLength", "history_length"] {
        assert_eq!(
            set::<GetTaskRequest>(path, "7"),
            GetTaskRequest::new().with_history_length(7),
            "{path}"
        );
    }
    for path in ["message.contextId", "message.context_id"] {
        let request: SendMessageRequest = set(path, "c");
        assert_eq!(request.message, Some(Message::new().with_context_id("c")));
    }
    let mut request = SendMessageRequest::new();
    let bound = bind(
        &mut request,
        "configuration.historyLength",
        "0",
        Rule::Agree,
    )
    .unwrap();
    assert_eq!(
        bound,
        Bound {
            path: vec!["configuration", "history_length"],
            repeated: false
        }
    );
    assert_eq!(request.configuration.unwrap().history_length, Some(0));
}

#[test]
fn texts_become_values() {
    let request: ListTasksRequest = set("status", "TASK_STATE_WORKING");
    assert_eq!(request.status, TaskState::Working as i32);
    assert_eq!(set::<ListTasksRequest>("status", "2").status, 2);
    assert_eq!(set::<ListTasksRequest>("status", "99").status, 99);
    assert_eq!(
        set::<ListTasksRequest>("includeArtifacts", "false").include_artifacts,
        Some(false)
    );
    assert_eq!(
        set::<ListTasksRequest>("statusTimestampAfter", "2025-11-09T10:30:00Z")
            .status_timestamp_after,
        Some(Timestamp::new(1_762_684_200, 0))
    );
    assert_eq!(
        set::<ListTasksRequest>("contextId", ""),
        ListTasksRequest::new()
    );
    assert_eq!(set::<Part>("raw", "-_8"), Part::raw(vec![0xfb, 0xff]));
}

#[test]
fn lists_grow() {
    let mut message = Message::new();
    for text in ["a", "b,c"] {
        let bound = bind(&mut message, "extensions", text, Rule::Overwrite).unwrap();
        assert!(bound.repeated);
    }
    assert_eq!(message.extensions, ["a", "b,c"]);
}

#[test]
fn what_does_not_fit_says_why() {
    for path in [
        "x",
        "",
        ".",
        "message.x",
        "message.",
        ".message",
        "message..contextId",
        "tenant.x",
        "tenant.",
    ] {
        assert_eq!(
            refused::<SendMessageRequest>(path, "v"),
            BindErrorKind::UnknownField,
            "{path:?}"
        );
    }
    for (path, what) in [
        ("message", "a message"),
        ("metadata", "free JSON"),
        ("metadata.a", "free JSON"),
        ("message.parts", "a list of messages"),
        ("message.parts.text", "a list of messages"),
    ] {
        assert_eq!(
            refused::<SendMessageRequest>(path, "v"),
            BindErrorKind::NotAddressable(what),
            "{path}"
        );
    }
    assert_eq!(
        refused::<AgentCard>("securitySchemes", "v"),
        BindErrorKind::NotAddressable("a map")
    );
    for (path, text, expected) in [
        (
            "pageSize",
            "",
            "a whole number from -2147483648 to 2147483647",
        ),
        (
            "pageSize",
            "1.0",
            "a whole number from -2147483648 to 2147483647",
        ),
        ("includeArtifacts", "1", "true or false"),
        (
            "statusTimestampAfter",
            "2025-11-09T10:30:00 02:00",
            "a time as in RFC 3339, for example \"2026-01-02T03:04:05.678Z\"",
        ),
    ] {
        assert_eq!(
            refused::<ListTasksRequest>(path, text),
            BindErrorKind::Invalid {
                expected: expected.into()
            },
            "{path}={text}"
        );
    }
    let BindErrorKind::Invalid { expected } = refused::<ListTasksRequest>("status", "working")
    else {
        panic!()
    };
    assert!(
        expected.starts_with("one of TASK_STATE_UNSPECIFIED, "),
        "{expected}"
    );
}

#[test]
fn paths_may_be_as_deep_as_the_schema_but_not_endless() {
    // Nothing in v1.0 contains itself; a path that goes on behind a scalar ends there.
    let path = format!("message.contextId{}", ".a".repeat(10_000));
    assert_eq!(
        refused::<SendMessageRequest>(&path, "v"),
        BindErrorKind::UnknownField
    );
}

#[test]
fn values_that_are_there_win_or_must_agree() {
    let filled = || GetTaskRequest::new().with_id("a").with_history_length(1);
    let mut request = filled();
    bind(&mut request, "id", "b", Rule::Overwrite).unwrap();
    bind(&mut request, "historyLength", "2", Rule::Overwrite).unwrap();
    assert_eq!(
        request,
        GetTaskRequest::new().with_id("b").with_history_length(2)
    );

    let mut request = filled();
    bind(&mut request, "id", "a", Rule::Agree).unwrap();
    bind(&mut request, "tenant", "t", Rule::Agree).unwrap();
    bind(&mut request, "historyLength", "1", Rule::Agree).unwrap();
    assert_eq!(
        bind(&mut request, "id", "b", Rule::Agree),
        Err(BindErrorKind::Conflict)
    );
    assert_eq!(
        bind(&mut request, "historyLength", "2", Rule::Agree),
        Err(BindErrorKind::Conflict)
    );
    assert_eq!(request, filled().with_tenant("t"));
}

#[test]
fn members_of_a_oneof_exclude_each_other() {
    let mut part = Part::text("a");
    bind(&mut part, "text", "b", Rule::Overwrite).unwrap();
    assert_eq!(part, Part::text("b"));
    assert_eq!(
        bind(&mut part, "text", "c", Rule::Agree),
        Err(BindErrorKind::Conflict)
    );
    assert_eq!(
        bind(&mut part, "url", "u", Rule::Overwrite),
        Err(BindErrorKind::Conflict)
    );

    let mut event = StreamResponse::new();
    bind(&mut event, "task.id", "t", Rule::Overwrite).unwrap();
    bind(&mut event, "task.contextId", "c", Rule::Overwrite).unwrap();
    assert_eq!(
        event
            .as_task()
            .map(|task| (task.id.as_str(), task.context_id.as_str())),
        Some(("t", "c"))
    );
    assert_eq!(
        bind(&mut event, "message.messageId", "m", Rule::Overwrite),
        Err(BindErrorKind::Conflict)
    );
    assert_eq!(
        refused::<StreamResponse>("task", "x"),
        BindErrorKind::NotAddressable("a message")
    );
}
