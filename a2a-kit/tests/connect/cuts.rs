//! Streams that are cut: what is taken up again, and how, and what is an error.

use a2a_kit::Error;
use a2a_kit::client::{Reconnect, Retry, TransportErrorKind, Update};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::json;

use crate::events::{piece, shown, streamed, whole};
use crate::peer::{
    Act, Peer, answer, chunks, fault, json_text, quick, rest_stream, result, rpc_stream, states,
    status, task,
};

#[tokio::test]
async fn after_a_cut_the_first_task_is_the_truth_and_only_its_news_are_handed_out() {
    let peer = Peer::with_card(
        "JSONRPC",
        vec![
            rpc_stream(&[task("WORKING"), piece("He", false)], false),
            // What was there before comes again, in one piece and with more.
            rpc_stream(
                &[
                    whole("WORKING", &["Hello"]),
                    piece(" you", true),
                    status("WORKING"),
                ],
                false,
            ),
            // Another one now: it is handed out as a whole.
            rpc_stream(&[whole("COMPLETED", &["Bye"])], true),
        ],
    )
    .await;
    let (updates, error) = streamed(&peer).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        shown(&updates),
        [
            "Working",
            "a=He",
            "a+llo",
            "a+ you",
            "Working",
            "a=Bye",
            "Completed"
        ]
    );
    let methods = peer.methods();
    assert_eq!(
        methods[1..],
        ["SendStreamingMessage", "SubscribeToTask", "SubscribeToTask"]
    );
    assert_eq!(peer.requests()[2].body["params"]["id"], "t1");
}

#[tokio::test]
async fn a_task_that_cannot_be_subscribed_to_is_asked_for() {
    let done = || result(&whole("COMPLETED", &["Hello"])["task"]);
    let peer = Peer::with_card(
        "JSONRPC",
        vec![
            rpc_stream(&[task("WORKING"), piece("He", false)], false),
            fault(-32004),
            result(&task("WORKING")["task"]),
            Act::Close,
            done(),
        ],
    )
    .await;
    let (updates, error) = streamed(&peer).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        shown(&updates).last().map(String::as_str),
        Some("Completed")
    );
    assert_eq!(
        peer.methods()[2..],
        ["SubscribeToTask", "GetTask", "GetTask", "GetTask"]
    );
    // The same where the routes are missing.
    let peer = Peer::with_card(
        "HTTP+JSON",
        vec![
            rest_stream(&[task("WORKING"), piece("He", false)], false),
            answer("404 Not Found", "", ""),
            answer("404 Not Found", "", ""),
            json_text(
                "200 OK",
                &whole("COMPLETED", &["Hello"])["task"].to_string(),
            ),
        ],
    )
    .await;
    let (updates, error) = streamed(&peer).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(shown(&updates), ["Working", "a=He", "a+llo", "Completed"]);
    let lines = peer.lines();
    assert_eq!(
        lines[2..4],
        [
            "GET /x/tasks/t1:subscribe HTTP/1.1",
            "POST /x/tasks/t1:subscribe HTTP/1.1"
        ]
    );
    assert_eq!(lines[4], "GET /x/tasks/t1 HTTP/1.1");
}

#[tokio::test]
async fn a_cut_that_does_not_heal_is_an_error() {
    type Case = (Vec<Act>, fn(&Error) -> bool);
    let cases: Vec<Case> = vec![
        (vec![fault(-32001)], Error::is_task_not_found),
        (
            vec![answer("401 Unauthorized", "", "")],
            Error::is_unauthenticated,
        ),
        (vec![Act::Close, Act::Close], Error::is_unavailable),
        (
            vec![answer("503 Service Unavailable", "", ""), Act::Close],
            Error::is_unavailable,
        ),
        (
            vec![rpc_stream(
                &[json!({"task": {"id": "t2", "status": {"state": "TASK_STATE_WORKING"}}})],
                true,
            )],
            Error::is_invalid_agent_response,
        ),
    ];
    for (number, (again, predicate)) in cases.into_iter().enumerate() {
        let mut acts = vec![rpc_stream(&[task("WORKING")], false)];
        acts.extend(again);
        let count = acts.len() + 1;
        let peer = Peer::with_card("JSONRPC", acts).await;
        let (updates, error) = streamed(&peer).await;
        let error = error.unwrap();
        assert_eq!(states(&updates), ["Working"], "{number}");
        assert!(
            predicate(&error) && error.message().contains("cut"),
            "{number}: {error:?}"
        );
        assert_eq!(peer.lines().len(), count, "{number}");
    }
    // Half an event is not handed out.
    let text = format!("data: {}\n\ndata: {}", task("WORKING"), status("COMPLETED"));
    let peer = Peer::with_card("HTTP+JSON", vec![chunks(&[&text], true)]).await;
    let client = peer
        .connect(quick().reconnect(Reconnect::never()))
        .await
        .unwrap();
    let mut updates = client.message("go").stream().await.unwrap();
    assert!(updates.next().await.unwrap().is_ok());
    let error = updates.next().await.unwrap().unwrap_err();
    let kind = error.transport().map(a2a_kit::client::TransportError::kind);
    assert_eq!(kind, Some(TransportErrorKind::Broken), "{error:?}");
    assert!(updates.next().await.is_none());
}

#[tokio::test]
async fn what_does_not_stream_is_followed_by_questions() {
    let acts = || {
        vec![
            fault(-32004),
            result(&task("WORKING")),
            result(&task("COMPLETED")["task"]),
        ]
    };
    let peer = Peer::with_card("JSONRPC", acts()).await;
    let builder = quick().retry(Retry::never());
    let client = peer.connect(builder).await.unwrap();
    let updates = client.message("go").follow().await.unwrap();
    let updates: Vec<Update> = updates.try_collect().await.unwrap();
    assert_eq!(states(&updates), ["Working", "Completed"]);
    assert_eq!(
        peer.methods()[1..],
        ["SendStreamingMessage", "SendMessage", "GetTask"]
    );
}
