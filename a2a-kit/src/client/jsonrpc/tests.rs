use std::time::{Duration, Instant};

use a2a_wire::v1_0::{
    GetTaskRequest, SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig,
};
use futures_util::StreamExt as _;

use super::*;
use crate::client::scripted::{Scripted, answer};
use crate::client::transport::{CallOptions, TransportError, TransportErrorKind};
use crate::client::{call_stream, call_unary};
use crate::context::{Binding, ProtocolVersion};
use crate::shared::{EventStream, Shared};
use crate::{A2A_SERVICE, v1_0};

mod streams;

const JSON: &[(&str, &str)] = &[("content-type", "application/json")];
const EVENTS: &[(&str, &str)] = &[("content-type", "text/event-stream")];

fn index(name: &str) -> usize {
    A2A_SERVICE
        .operations
        .iter()
        .position(|operation| operation.name == name)
        .unwrap()
}

fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

fn channel(transport: &Scripted) -> JsonRpcChannel {
    JsonRpcChannel::new("http://h/rpc?key=1", transport.clone()).unwrap()
}

async fn get_task(transport: &Scripted) -> Result<Shared<Task>, Error> {
    let request = GetTaskRequest::new().with_id("t1");
    call_unary(
        &channel(transport),
        &A2A_SERVICE,
        index("GetTask"),
        context(),
        request,
    )
    .await
}

async fn stream(transport: &Scripted) -> Result<EventStream<StreamResponse>, Error> {
    let request = SendMessageRequest::new();
    call_stream(
        &channel(transport),
        &A2A_SERVICE,
        index("SendStreamingMessage"),
        context(),
        request,
    )
    .await
}

fn one(answer: Result<http::Response<Body>, TransportError>) -> Scripted {
    Scripted::new([answer])
}

#[tokio::test]
async fn a_request_is_one_post_to_the_address_as_it_is() {
    let transport = one(answer(
        200,
        JSON,
        [r#"{"jsonrpc":"2.0","id":1,"result":{"id":"t1"}}"#],
    ));
    assert_eq!(get_task(&transport).await.unwrap().id, "t1");
    let (request, options) = transport.seen().remove(0);
    assert_eq!(request.method(), http::Method::POST);
    assert_eq!(request.uri(), "http://h/rpc?key=1");
    assert_eq!(
        request.body(),
        r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}"#
    );
    assert_eq!(request.headers()["content-type"], "application/json");
    assert_eq!(request.headers()["accept"], "application/json");
    assert_eq!(request.headers()["a2a-version"], "1.0");
    assert_eq!(
        options,
        CallOptions {
            head: None,
            total: Some(Duration::from_secs(120)),
            idle: None
        }
    );
}

#[tokio::test]
async fn every_request_has_its_own_id_and_streams_have_their_own_limits() {
    let transport = Scripted::new([
        answer(200, JSON, [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]),
        answer(
            200,
            EVENTS,
            ["data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"message\":{}}}\n\n"],
        ),
    ]);
    let channel = channel(&transport).options(
        ChannelOptions::default()
            .idle_timeout(Duration::from_secs(7))
            .call_timeout(None),
    );
    let context = context().with_deadline(Instant::now() + Duration::from_secs(3600));
    let request = GetTaskRequest::new().with_id("t1");
    let _: Shared<Task> = call_unary(
        &channel,
        &A2A_SERVICE,
        index("GetTask"),
        self::context(),
        request,
    )
    .await
    .unwrap();
    let mut events: EventStream<StreamResponse> = call_stream(
        &channel.clone(),
        &A2A_SERVICE,
        index("SendStreamingMessage"),
        context,
        SendMessageRequest::new(),
    )
    .await
    .unwrap();
    assert!(events.next().await.unwrap().is_ok());
    assert!(events.next().await.is_none());
    let seen = transport.seen();
    assert_eq!(seen[0].1, CallOptions::default());
    let (request, options) = &seen[1];
    assert_eq!(request.headers()["accept"], "text/event-stream");
    assert_eq!(options.idle, Some(Duration::from_secs(7)));
    let left = options.total.unwrap();
    assert!(
        left <= Duration::from_secs(3600) && left > Duration::from_secs(3500),
        "{left:?}"
    );
    assert_eq!(options.head, options.total);
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_not_sent() {
    let transport = Scripted::default();
    let context = context().with_deadline(Instant::now());
    let request = GetTaskRequest::new().with_id("t1");
    let error = call_unary::<_, Task>(
        &channel(&transport),
        &A2A_SERVICE,
        index("GetTask"),
        context,
        request,
    )
    .await
    .unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded);
    assert!(error.is_unsent());
    assert!(transport.seen().is_empty());
}

#[tokio::test]
async fn replies_that_are_taken() {
    let cases = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"id":"t1"}}"#,
        " {\n\"id\" : 1 , \"result\" : {\"id\":\"t1\", \"unknown\":[1]} , \"jsonrpc\":\"2.0\", \"more\":{}}\n",
        r#"{"jsonrpc":"2.0","id":1,"result":{"id":"t1"},"error":null}"#,
    ];
    for body in cases {
        for headers in [JSON, &[], &[("content-type", "text/plain; charset=utf-8")]] {
            let (first, second) = body.as_bytes().split_at(body.len() / 2);
            let transport = one(answer(200, headers, [first, second]));
            assert_eq!(get_task(&transport).await.unwrap().id, "t1", "{body}");
        }
    }
}

#[tokio::test]
async fn replies_that_break_the_protocol() {
    // Body, what the message says.
    let cases = [
        ("", "it is empty"),
        ("<html>it works</html>", "<html>it works</html>"),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{", "EOF"),
        ("[]", "no object"),
        (r#"["2.0",1,{"id":"t1"}]"#, "no object"),
        ("null", "no object"),
        (r#"{"id":"t1"}"#, "its id is \"t1\""),
        (r#"{"result":{"id":"t1"},"jsonrpc":"2.0"}"#, "it has no id"),
        (
            r#"{"jsonrpc":"2.0","id":null,"result":{"id":"t1"}}"#,
            "its id is null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"result":{"id":"t1"}}"#,
            "its id is 2, the request's is 1",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"1","result":{"id":"t1"}}"#,
            "its id is \"1\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"m"}}"#,
            "its id is 2",
        ),
        (r#"{"id":1,"result":{"id":"t1"}}"#, "\"jsonrpc\":\"2.0\""),
        (
            r#"{"jsonrpc":"1.0","id":1,"result":{"id":"t1"}}"#,
            "\"jsonrpc\":\"2.0\"",
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"result":{"id":"t1"}}"#,
            "\"jsonrpc\":\"2.0\"",
        ),
        (r#"{"jsonrpc":"2.0","id":1}"#, "neither"),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, "neither"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
            "both",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"id":7}}"#, "id: "),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, "lf.a2a.v1.Task"),
    ];
    for (body, says) in cases {
        let error = get_task(&one(answer(200, JSON, [body]))).await.unwrap_err();
        assert!(error.is_invalid_agent_response(), "{body}: {error:?}");
        assert!(error.message().contains(says), "{body}: {error}");
        assert!(
            error.message().contains("GetTask") || error.message().contains("lf.a2a.v1.Task"),
            "{body}: {error}"
        );
        if !body.is_empty() {
            assert!(
                error.peer_body().is_some_and(|kept| body.contains(kept)),
                "{body}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn errors_of_the_peer_come_through() {
    let not_found = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no task t1","data":{"any":"thing"}}}"#;
    for body in [
        not_found,
        &not_found.replace("\"id\":1", "\"id\":null"),
        &not_found.replace("\"id\":1,", "\"result\":null,"),
    ] {
        for status in [200, 401, 404, 500] {
            let error = get_task(&one(answer(status, JSON, [body.to_owned()])))
                .await
                .unwrap_err();
            assert!(error.is_task_not_found(), "{status} {body}: {error:?}");
            assert_eq!(
                (error.message(), error.peer_status()),
                ("no task t1", Some(status))
            );
        }
    }
}

#[tokio::test]
async fn answers_that_are_no_success_are_known_by_their_body_only() {
    let cases = [
        (
            401,
            JSON,
            r#"{"error":"invalid_token"}"#,
            Code::Unauthenticated,
            "invalid_token",
        ),
        (
            404,
            &[][..],
            "",
            Code::NotFound,
            "404 Not Found, without a body",
        ),
        (
            502,
            &[("content-type", "text/html")],
            "<h1>Bad Gateway</h1>",
            Code::Unavailable,
            "<h1>Bad Gateway</h1>",
        ),
        (
            301,
            &[("location", "/there")],
            "",
            Code::FailedPrecondition,
            "/there",
        ),
        (204, JSON, "", Code::Internal, "it is empty"),
    ];
    for (status, headers, body, code, says) in cases {
        let error = get_task(&one(answer(status, headers, [body])))
            .await
            .unwrap_err();
        assert_eq!(
            (error.code(), error.peer_status()),
            (code, Some(status)),
            "{status} {body}: {error:?}"
        );
        assert!(!error.is_task_not_found());
        assert!(error.message().contains(says), "{error}");
        let error = stream(&one(answer(status, headers, [body])))
            .await
            .err()
            .unwrap();
        assert_eq!(
            error.peer_status(),
            Some(status),
            "{status} {body}: {error:?}"
        );
    }
}

#[tokio::test]
async fn null_is_an_empty_answer_where_there_is_nothing_to_say() {
    // Some servers leave members without a value out.
    for result in [
        "\"result\":null",
        "\"result\":{}",
        "\"result\":{\"unknown\":1}",
        "",
    ] {
        let comma = if result.is_empty() { "" } else { "," };
        let body = format!(r#"{{"jsonrpc":"2.0","id":1{comma}{result}}}"#);
        let transport = one(answer(200, JSON, [body]));
        let request = v1_0::DeleteTaskPushNotificationConfigRequest::new()
            .with_id("c")
            .with_task_id("t");
        let operation = index("DeleteTaskPushNotificationConfig");
        let answer = call_unary::<_, ()>(
            &channel(&transport),
            &A2A_SERVICE,
            operation,
            context(),
            request,
        )
        .await;
        assert!(answer.is_ok(), "{result}: {answer:?}");
    }
}

#[tokio::test]
async fn an_answer_may_be_so_large_and_no_larger() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{"id":"t1"}}"#;
    for (limit, fits) in [(body.len(), true), (body.len() - 1, false)] {
        for pieces in [1, 3, body.len()] {
            let transport = one(answer(
                200,
                JSON,
                body.as_bytes().chunks(body.len().div_ceil(pieces)),
            ));
            let channel =
                channel(&transport).options(ChannelOptions::default().answer_limit(limit));
            let request = GetTaskRequest::new().with_id("t1");
            let answer =
                call_unary::<_, Task>(&channel, &A2A_SERVICE, index("GetTask"), context(), request)
                    .await;
            match answer {
                Ok(task) => assert!(fits && task.id == "t1"),
                Err(error) => assert!(
                    !fits && error.code() == Code::ResourceExhausted,
                    "{error:?}"
                ),
            }
        }
    }
}

#[tokio::test]
async fn extensions_in_use_are_told() {
    let headers = &[
        ("content-type", "application/json"),
        ("a2a-extensions", "urn:a, urn:b"),
    ];
    let transport = one(answer(
        200,
        headers,
        [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#],
    ));
    let context = context().with_extensions(vec!["urn:a".into()]);
    let request = TaskPushNotificationConfig::new();
    let operation = index("CreateTaskPushNotificationConfig");
    call_unary::<_, TaskPushNotificationConfig>(
        &channel(&transport),
        &A2A_SERVICE,
        operation,
        context.clone(),
        request,
    )
    .await
    .unwrap();
    assert_eq!(transport.seen()[0].0.headers()["a2a-extensions"], "urn:a");
    assert_eq!(context.activated_extensions(), ["urn:a", "urn:b"]);
}

#[tokio::test]
async fn faults_of_the_network_are_said_once() {
    let fault = TransportError::new(TransportErrorKind::Connect, "cannot connect to h")
        .unsent()
        .with_source("refused");
    let error = get_task(&one(Err(fault))).await.unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (Code::Unavailable, "cannot connect to h: refused")
    );
    assert!(error.is_unsent());
    assert_eq!(error.peer_status(), None);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_does_not_end_is_not_waited_for() {
    let first = futures_util::stream::iter([Ok::<_, TransportError>(Bytes::from("busy"))]);
    let body = Body::from_stream(first.chain(futures_util::stream::pending()));
    let mut refusal = http::Response::new(body);
    *refusal.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    let before = tokio::time::Instant::now();
    let error = stream(&one(Ok(refusal))).await.err().unwrap();
    assert_eq!(
        (error.code(), error.peer_body()),
        (Code::Unavailable, Some("busy")),
        "{error:?}"
    );
    assert!(before.elapsed() <= Duration::from_secs(121));
}

#[test]
fn a_key_in_the_address_is_not_printed() {
    let channel = channel(&Scripted::default());
    assert_eq!(channel.url(), "http://h/rpc?key=1");
    let shown = format!("{channel:?}");
    assert!(
        shown.contains("http://h/rpc?…") && !shown.contains("key=1"),
        "{shown}"
    );
}
