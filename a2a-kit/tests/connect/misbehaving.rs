//! Servers that break what they promise.

use std::net::SocketAddr;

use a2a_kit::client::{Client, Credentials, Reconnect, Retry, TransportErrorKind, Update};
use a2a_kit::{Binding, Code};
use futures_util::TryStreamExt as _;
use serde_json::json;
use std::time::Duration;

use crate::peer::{
    Act, Peer, answer, card, chunks, json_answer, quick, rest_stream, result, rpc_stream, states,
    status, task,
};

#[tokio::test]
async fn a_stream_that_is_cut_in_an_event_goes_on_in_another() {
    let peer = Peer::start(|address| {
        let event =
            |value| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{value}}}\n\n");
        let (first, second) = (event(task("SUBMITTED")), event(status("WORKING")));
        vec![
            json_answer(&card(address, "JSONRPC")),
            chunks(&[&first, &second, "data: {\"jsonrpc\":\"2.0\""], false),
            // Not reachable for a moment, then once more.
            Act::Close,
            rpc_stream(&[task("WORKING"), status("COMPLETED")], true),
        ]
    })
    .await;
    let client = peer.connect(quick()).await.unwrap();
    let updates: Vec<Update> = client
        .message("go")
        .stream()
        .await
        .unwrap()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(states(&updates), ["Submitted", "Working", "Completed"]);
    assert_eq!(
        peer.methods(),
        [
            "none",
            "SendStreamingMessage",
            "SubscribeToTask",
            "SubscribeToTask"
        ]
    );
}

#[tokio::test]
async fn a_stream_that_cannot_be_taken_up_again_ends_with_an_error() {
    let peer = Peer::start(|address| {
        vec![
            json_answer(&card(address, "JSONRPC")),
            rpc_stream(&[task("WORKING")], true),
            Act::Close,
            Act::Close,
        ]
    })
    .await;
    let builder = Client::builder().reconnect(
        Reconnect::default()
            .times(2)
            .first_wait(Duration::from_millis(1)),
    );
    let client = peer.connect(builder).await.unwrap();
    let mut updates = client.message("go").stream().await.unwrap();
    assert_eq!(
        updates
            .try_next()
            .await
            .unwrap()
            .unwrap()
            .state()
            .map(a2a_kit::v1_0::TaskState::is_terminal),
        Some(false)
    );
    let error = updates.try_next().await.unwrap_err();
    assert!(
        error.transport().is_some() && error.message().contains("\"t1\""),
        "{error:?}"
    );
    assert!(updates.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn what_is_no_stream_is_an_error_and_not_an_empty_one() {
    let refusal = |status: &str, headers: &str, body: &str| answer(status, headers, body);
    let error_json = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"not here"}}"#;
    let cases: Vec<(Act, Code)> = vec![
        (
            refusal("200 OK", "content-type: application/json\r\n", error_json),
            Code::FailedPrecondition,
        ),
        (
            refusal(
                "401 Unauthorized",
                "www-authenticate: Bearer realm=\"x\"\r\ncontent-type: application/json\r\n",
                "{}",
            ),
            Code::Unauthenticated,
        ),
        (refusal("200 OK", "", error_json), Code::FailedPrecondition),
        (
            refusal("200 OK", "content-type: text/event-stream\r\n", error_json),
            Code::FailedPrecondition,
        ),
        (
            refusal("200 OK", "content-type: text/html\r\n", "<p>hello"),
            Code::Internal,
        ),
        (
            refusal("200 OK", "content-type: text/event-stream\r\n", ""),
            Code::Internal,
        ),
    ];
    for (number, (act, code)) in cases.into_iter().enumerate() {
        let peer = Peer::start(|address| vec![json_answer(&card(address, "JSONRPC")), act]).await;
        let client = peer.connect(quick()).await.unwrap();
        let error = match client.message("go").stream().await {
            Ok(updates) => updates.try_collect::<Vec<_>>().await.unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(error.code(), code, "{number}: {error:?}");
        assert_eq!(peer.lines().len(), 2, "{number}");
    }
}

#[tokio::test]
async fn a_subscription_is_tried_by_get_then_by_post_and_that_is_remembered() {
    for refusal in ["405 Method Not Allowed", "404 Not Found"] {
        let peer = Peer::start(|address| {
            vec![
                json_answer(&card(address, "HTTP+JSON")),
                answer(refusal, "", ""),
                rest_stream(&[task("WORKING"), status("COMPLETED")], true),
                rest_stream(&[task("COMPLETED")], true),
            ]
        })
        .await;
        let client = peer.connect(quick()).await.unwrap();
        for _ in 0..2 {
            let updates: Vec<Update> = client
                .subscribe("t1")
                .await
                .unwrap()
                .try_collect()
                .await
                .unwrap();
            assert_eq!(
                states(&updates).last().map(String::as_str),
                Some("Completed")
            );
        }
        let path = "/x/tasks/t1:subscribe HTTP/1.1";
        assert_eq!(
            peer.lines()[1..],
            [
                format!("GET {path}"),
                format!("POST {path}"),
                format!("POST {path}")
            ]
        );
    }
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_sent_once() {
    let peer = Peer::start(|address| {
        vec![
            json_answer(&card(address, "JSONRPC")),
            Act::Close,
            Act::Close,
        ]
    })
    .await;
    let client = peer.connect(quick()).await.unwrap();
    let error = client.message("go").send().await.unwrap_err();
    assert_eq!(
        error.transport().map(a2a_kit::client::TransportError::kind),
        Some(TransportErrorKind::Broken),
        "{error:?}"
    );
    assert!(!error.is_unsent());
    assert_eq!(peer.lines().len(), 2);
}

#[tokio::test]
async fn a_read_is_made_again() {
    let peer = Peer::start(|address| {
        vec![
            json_answer(&card(address, "JSONRPC")),
            Act::Close,
            answer("503 Service Unavailable", "retry-after: 0\r\n", ""),
            result(&task("COMPLETED")["task"]),
        ]
    })
    .await;
    let client = peer
        .connect(Client::builder().retry(Retry::default().first_wait(Duration::from_millis(1))))
        .await
        .unwrap();
    assert_eq!(client.get_task("t1").await.unwrap().id, "t1");
    assert_eq!(peer.lines().len(), 4);
}

#[tokio::test]
async fn cards_are_looked_for_and_refused() {
    // (what is served, what the error says; `None` when there is none)
    type Case = (Box<dyn Fn(SocketAddr) -> Vec<Act>>, Option<&'static str>);
    let cases: Vec<Case> = vec![
        (
            Box::new(|address| {
                vec![
                    answer("404 Not Found", "", "no"),
                    json_answer(&card(address, "JSONRPC")),
                ]
            }),
            None,
        ),
        (
            Box::new(|address| {
                vec![
                    answer("405 Method Not Allowed", "", ""),
                    json_answer(&card(address, "JSONRPC")),
                ]
            }),
            None,
        ),
        (
            Box::new(|_| {
                vec![
                    answer("404 Not Found", "", ""),
                    answer("404 Not Found", "", ""),
                ]
            }),
            Some("agent.json (HTTP 404)"),
        ),
        (
            Box::new(|_| {
                vec![answer(
                    "301 Moved Permanently",
                    "location: https://new.example/\r\n",
                    "",
                )]
            }),
            Some("https://new.example/"),
        ),
        (
            Box::new(|_| {
                vec![answer(
                    "401 Unauthorized",
                    "www-authenticate: Basic\r\n",
                    "",
                )]
            }),
            Some("Basic"),
        ),
        (
            Box::new(|_| {
                vec![answer(
                    "200 OK",
                    "content-type: text/html\r\n",
                    "<h1>Welcome</h1>",
                )]
            }),
            Some("<h1>Welcome"),
        ),
        (
            Box::new(|_| vec![json_answer(&json!({"name": "Nameless", "skills": 7}))]),
            Some("skills"),
        ),
        (
            Box::new(|_| {
                vec![json_answer(
                    &json!({"name": "Old", "url": "http://h/", "protocolVersion": "0.2.6"}),
                )]
            }),
            Some("A2A 0.2"),
        ),
        (Box::new(|_| vec![Act::Close]), Some("agent-card.json")),
    ];
    for (number, (acts, why)) in cases.into_iter().enumerate() {
        let peer = Peer::start(acts).await;
        match (peer.connect(quick()).await, why) {
            (Ok(client), None) => {
                assert_eq!(client.interface().url, format!("http://{}/x", peer.address))
            }
            (Err(error), Some(why)) => assert!(error.message().contains(why), "{number}: {error}"),
            (found, _) => panic!("{number}: {found:?}"),
        }
    }
}

#[tokio::test]
async fn credentials_stay_where_they_belong() {
    // The card says that the interface is elsewhere.
    let elsewhere = Peer::start(|_| vec![answer("401 Unauthorized", "", "")]).await;
    let peer = Peer::start(|_| vec![json_answer(&card(elsewhere.address, "JSONRPC"))]).await;
    let builder = quick()
        .credentials(Credentials::bearer("s3cret"))
        .credentials(Credentials::api_key_query("key", "s3cret"))
        .credentials(Credentials::api_key_cookie("session", "s3cret"));
    let client = peer.connect(builder).await.unwrap();
    let error = client.get_task("t1").await.unwrap_err();
    assert!(
        error.message().contains(&peer.address.to_string())
            && error.message().contains("for_origin"),
        "{error}"
    );
    let told = peer.requests().remove(0);
    assert!(
        told.has("authorization: Bearer s3cret")
            && told.has("cookie: session=s3cret")
            && told.line.contains("?key=s3cret"),
        "{told:?}"
    );
    let other = elsewhere.requests().remove(0);
    assert!(!other.head.contains("s3cret"), "{other:?}");
}

#[tokio::test]
async fn bindings_that_nobody_knows_are_passed_over() {
    let peer = Peer::start(|address| {
        let mut card = card(address, "jsonrpc");
        let known = card["supportedInterfaces"][0].clone();
        let other = |binding: &str, url: &str| json!({"url": url, "protocolBinding": binding, "protocolVersion": "1.0"});
        card["supportedInterfaces"] = json!([other("https://example.com/pigeon/v1", "coop 7"), other("jsonrpc/http", "http://x/"), known]);
        vec![json_answer(&card), result(&task("COMPLETED")["task"])]
    })
    .await;
    let client = peer.connect(quick()).await.unwrap();
    assert_eq!(client.interface().protocol_binding, "jsonrpc");
    client.get_task("t1").await.unwrap();

    let peer = Peer::start(|address| vec![json_answer(&card(address, "JSONRPC"))]).await;
    let error = peer
        .connect(quick().bindings([Binding::Grpc]))
        .await
        .unwrap_err();
    assert!(
        error.message().contains("told to use other bindings"),
        "{error}"
    );
}
