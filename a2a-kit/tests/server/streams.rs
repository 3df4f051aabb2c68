//! Event streams over real connections.

use std::time::Duration;

use a2a_kit::Server;
use http_body_util::BodyExt as _;
use prost::Message as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::*;

fn events(text: &str) -> Vec<Value> {
    text.split_terminator("\n\n")
        .map(|event| {
            // An error over HTTP+JSON is an event of its own type.
            let event = event.strip_prefix("event: error\n").unwrap_or(event);
            assert_eq!(event.lines().count(), 1, "{event:?}");
            serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()
        })
        .collect()
}

#[tokio::test]
async fn a_stream_is_the_same_on_every_binding() {
    let running = Running::start(builder()).await;
    let text = "é😀 \\u2028";
    let rest = fetch(
        &http1(),
        post(
            &running.url("/message:stream"),
            "application/json",
            send_params(text),
        ),
    )
    .await;
    assert_eq!(
        (
            rest.status.as_u16(),
            rest.header("content-type"),
            rest.header("cache-control")
        ),
        (200, "text/event-stream", "no-cache")
    );
    let found = events(rest.text());
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["task"]["id"], "t1");
    assert_eq!(
        found[1]["statusUpdate"]["status"]["message"]["parts"][0]["text"],
        "é😀 \u{2028}"
    );
    let rpc = fetch(
        &http1(),
        json_rpc(
            &running.url("/"),
            "SendStreamingMessage",
            &send_params(text),
        ),
    )
    .await;
    let wrapped: Vec<Value> = found
        .iter()
        .map(|event| json!({"jsonrpc": "2.0", "id": 1, "result": event}))
        .collect();
    assert_eq!(events(rpc.text()), wrapped);
    let call = fetch(
        &http2(),
        grpc(
            &running,
            "SendStreamingMessage",
            &send_message("é😀 \u{2028}"),
        ),
    )
    .await;
    assert_eq!(call.grpc_status(), 0);
    let mut rest_of = call.body.clone();
    let mut messages = Vec::new();
    while !rest_of.is_empty() {
        let length = u32::from_be_bytes(rest_of[1..5].try_into().unwrap()) as usize;
        let event = a2a_kit::v1_0::StreamResponse::decode(rest_of.slice(5..5 + length)).unwrap();
        messages.push(
            serde_json::from_slice::<Value>(&a2a_kit::Shared::new(event).json().unwrap()).unwrap(),
        );
        rest_of = rest_of.slice(5 + length..);
    }
    assert_eq!(messages, found);
}

#[tokio::test]
async fn a_stream_that_is_refused_has_the_status_of_its_error() {
    let running = Running::start(builder()).await;
    let rest = fetch(
        &http1(),
        post(
            &running.url("/message:stream"),
            "application/json",
            send_params("refuse"),
        ),
    )
    .await;
    assert_eq!(
        (rest.status.as_u16(), rest.header("content-type")),
        (400, "application/json")
    );
    let rpc = fetch(
        &http1(),
        json_rpc(
            &running.url("/"),
            "SendStreamingMessage",
            &send_params("refuse"),
        ),
    )
    .await;
    assert_eq!(
        (rpc.header("content-type"), &rpc.json()["error"]["code"]),
        ("application/json", &json!(-32004))
    );
    let call = fetch(
        &http2(),
        grpc(&running, "SendStreamingMessage", &send_message("refuse")),
    )
    .await;
    assert_eq!((call.grpc_status(), call.body.len()), (9, 0));
}

#[tokio::test]
async fn a_panic_in_a_stream_ends_that_stream_only() {
    let running = Running::start(builder()).await;
    let (one, two) = (http1(), http2());
    let rest = fetch(
        &one,
        post(
            &running.url("/message:stream"),
            "application/json",
            send_params("panic"),
        ),
    )
    .await;
    let found = events(rest.text());
    assert_eq!((found.len(), &found[1]["error"]["code"]), (2, &json!(500)));
    assert!(!rest.text().contains("secret"));
    let call = fetch(
        &two,
        grpc(&running, "SendStreamingMessage", &send_message("panic")),
    )
    .await;
    assert_eq!(call.grpc_status(), 13);
    let unary = fetch(
        &one,
        json_rpc(&running.url("/"), "SendMessage", &send_params("panic")),
    )
    .await;
    assert_eq!(unary.json()["error"]["code"], -32603);
    // The connections are still good.
    assert_eq!(
        fetch(&one, get(&running.url("/tasks/t1"))).await.status,
        200
    );
    assert_eq!(
        fetch(&two, grpc(&running, "GetTask", b"\x12\x02t1"))
            .await
            .grpc_status(),
        0
    );
}

#[tokio::test]
async fn a_silent_stream_carries_comments() {
    let running = Running::start(builder().keep_alive(Some(Duration::from_millis(20)))).await;
    let request = post(
        &running.url("/message:stream"),
        "application/json",
        send_params("open"),
    );
    let mut body = http1().request(request).await.unwrap().into_body();
    let mut text = String::new();
    while text.matches(": keep-alive\n\n").count() < 3 {
        text += std::str::from_utf8(&body.frame().await.unwrap().unwrap().into_data().unwrap())
            .unwrap();
    }
    assert!(text.starts_with("data: {\"task\":"), "{text}");
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_stream_with_it() {
    let desk = Desk::default();
    let running = Running::start(Server::builder(desk.clone(), card())).await;
    let rest = post(
        &running.url("/message:stream"),
        "application/json",
        send_params("open"),
    );
    let rpc = json_rpc(
        &running.url("/"),
        "SendStreamingMessage",
        &send_params("open"),
    );
    let call = grpc(&running, "SendStreamingMessage", &send_message("open"));
    for (client, request) in [
        (http1(), rest.clone()),
        (http1(), rpc),
        (http2(), call),
        (http2(), rest),
    ] {
        let mut body = client.request(request).await.unwrap().into_body();
        assert!(body.frame().await.unwrap().is_ok());
        desk.until_open(1).await;
        drop(body);
        desk.until_open(0).await;
    }
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_call_that_waits_for_it() {
    let desk = Desk::default();
    let running = Running::start(Server::builder(desk.clone(), card())).await;
    for (client, request) in [
        (
            http1(),
            post(
                &running.url("/message:send"),
                "application/json",
                send_params("wait"),
            ),
        ),
        (
            http1(),
            json_rpc(&running.url("/"), "SendMessage", &send_params("wait")),
        ),
        (
            http2(),
            grpc(&running, "SendMessage", &send_message("wait")),
        ),
    ] {
        let call = tokio::spawn(async move { client.request(request).await });
        desk.until_open(1).await;
        call.abort();
        desk.until_open(0).await;
    }
}

#[tokio::test]
async fn the_first_event_is_not_held_back() {
    let running = Running::start(builder()).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    let body = send_params("open");
    let head = format!(
        "POST /message:stream HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut seen = String::new();
    while !seen.contains("\n\n") || !seen.contains("data: {\"task\"") {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        assert_ne!(read, 0, "{seen}");
        seen += std::str::from_utf8(&buffer[..read]).unwrap();
    }
    assert!(seen.starts_with("HTTP/1.1 200 OK\r\n"), "{seen}");
}
