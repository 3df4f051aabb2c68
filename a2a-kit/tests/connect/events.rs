//! Event streams: the rules of the format, and what is no stream.

use std::time::Duration;

use a2a_kit::client::{Reconnect, Update};
use a2a_kit::{Code, Error};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};

use crate::peer::{
    Act, Peer, answer, chunks, quick, rest_stream, rpc_stream, states, status, task,
};

const SSE: &str = "content-type: text/event-stream\r\n";

/// The updates of a message's stream, and the error at its end.
pub(crate) async fn streamed(peer: &Peer) -> (Vec<Update>, Option<Error>) {
    let builder = quick().reconnect(
        Reconnect::default()
            .times(2)
            .first_wait(Duration::from_millis(1)),
    );
    let client = peer.connect(builder).await.unwrap();
    let mut updates = match client.message("go").stream().await {
        Ok(updates) => updates,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut seen = Vec::new();
    while let Some(update) = updates.next().await {
        match update {
            Ok(update) => seen.push(update),
            Err(error) => {
                assert!(
                    updates.next().await.is_none(),
                    "nothing comes after an error"
                );
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

/// States, and pieces of artifacts as `id=text` or, appended, `id+text`.
pub(crate) fn shown(updates: &[Update]) -> Vec<String> {
    let each = updates.iter().map(|update| match update {
        Update::Artifact(piece) => {
            let artifact = piece.artifact.as_ref().unwrap();
            let texts: String = artifact
                .parts
                .iter()
                .filter_map(|part| part.as_text())
                .collect();
            let sign = if piece.append { '+' } else { '=' };
            format!("{}{sign}{texts}", artifact.artifact_id)
        }
        other => format!("{:?}", other.state().unwrap()),
    });
    each.collect()
}

pub(crate) fn piece(text: &str, append: bool) -> Value {
    json!({"artifactUpdate": {"taskId": "t1", "contextId": "c1", "append": append, "artifact": {"artifactId": "a", "parts": [{"text": text}]}}})
}

pub(crate) fn whole(state: &str, texts: &[&str]) -> Value {
    let mut task = task(state);
    let parts: Vec<Value> = texts.iter().map(|text| json!({"text": text})).collect();
    task["task"]["artifacts"] = json!([{"artifactId": "a", "parts": parts}]);
    task
}

#[tokio::test]
async fn the_format_is_read_as_it_is_laid_down() {
    let (first, last) = (
        task("WORKING").to_string(),
        whole("COMPLETED", &["é😀\u{2028}"]).to_string(),
    );
    let (start, end) = last.split_at(last.find("\"status\"").unwrap());
    let emoji = last.find('😀').unwrap() + 2;
    let bytes = |text: &str| text.as_bytes().to_vec();
    // The same two events each time.
    let cases: Vec<(&str, Vec<Vec<u8>>)> = vec![
        (
            "line feeds",
            vec![bytes(&format!("data: {first}\n\ndata: {last}\n\n"))],
        ),
        (
            "returns",
            vec![bytes(&format!("data: {first}\r\rdata: {last}\r\r"))],
        ),
        (
            "both",
            vec![bytes(&format!("data: {first}\r\n\r\ndata: {last}\r\n\r\n"))],
        ),
        (
            "both, cut between them",
            vec![
                bytes(&format!("data: {first}\r")),
                bytes("\n\r"),
                bytes(&format!("\ndata: {last}\r")),
                bytes("\n\r"),
                bytes("\n"),
            ],
        ),
        (
            "no space",
            vec![bytes(&format!("data:{first}\n\ndata:{last}\n\n"))],
        ),
        (
            "a mark at the start",
            vec![bytes(&format!("\u{feff}data: {first}\n\ndata: {last}\n\n"))],
        ),
        (
            "a mark that is cut",
            vec![
                vec![0xef],
                vec![0xbb],
                [
                    &[0xbf],
                    format!("data: {first}\n\ndata: {last}\n\n").as_bytes(),
                ]
                .concat(),
            ],
        ),
        (
            "comments and other fields",
            vec![bytes(&format!(
                ": hello\n\n:\nid: 1\nretry: 10\nevent: message\ndata: {first}\n: between\n\nunknown: x\ndata\n\n:\n\ndata: {last}\n\n: bye\n"
            ))],
        ),
        (
            "data in several lines",
            vec![bytes(&format!(
                "data: {first}\n\ndata: {start}\ndata: {end}\n\n"
            ))],
        ),
        (
            "data in several lines that end with both, cut between them",
            vec![
                bytes(&format!("data: {first}\r\n\r\ndata: {start}\r")),
                bytes(&format!("\ndata: {end}\r")),
                bytes("\n\r\n"),
            ],
        ),
        (
            "a letter that is cut",
            vec![
                [
                    format!("data: {first}\n\ndata: ").as_bytes(),
                    &last.as_bytes()[..emoji],
                ]
                .concat(),
                [&last.as_bytes()[emoji..], b"\n\n"].concat(),
            ],
        ),
        (
            "byte by byte",
            format!("data: {first}\r\n\r\ndata: {last}\r\n\r\n")
                .bytes()
                .map(|byte| vec![byte])
                .collect(),
        ),
    ];
    for (name, chunks) in cases {
        let act = Act::Chunks { chunks, end: true };
        let peer = Peer::with_card("HTTP+JSON", vec![act]).await;
        let (updates, error) = streamed(&peer).await;
        assert!(error.is_none(), "{name}: {error:?}");
        assert_eq!(states(&updates), ["Working", "Completed"], "{name}");
        let Some(Update::Task(task)) = updates.last() else {
            panic!("{name}: {updates:?}")
        };
        assert_eq!(
            task.artifacts[0].parts[0].as_text(),
            Some("é😀\u{2028}"),
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_first_task_is_not_the_answer() {
    for (binding, act) in [
        (
            "JSONRPC",
            rpc_stream(
                &[
                    task("SUBMITTED"),
                    status("WORKING"),
                    piece("x", false),
                    status("COMPLETED"),
                ],
                true,
            ),
        ),
        (
            "HTTP+JSON",
            rest_stream(
                &[
                    task("SUBMITTED"),
                    status("WORKING"),
                    piece("x", false),
                    status("COMPLETED"),
                ],
                true,
            ),
        ),
    ] {
        let peer = Peer::with_card(binding, vec![act]).await;
        let (updates, error) = streamed(&peer).await;
        assert_eq!(
            shown(&updates),
            ["Submitted", "Working", "a=x", "Completed"]
        );
        assert!(error.is_none());
    }
}

#[tokio::test]
async fn the_budget_of_an_event_can_be_set() {
    let event = whole("COMPLETED", &[&"x".repeat(100_000)]);
    for (limit, fits) in [(None, true), (Some(200_000), true), (Some(50_000), false)] {
        let peer = Peer::with_card(
            "JSONRPC",
            vec![rpc_stream(std::slice::from_ref(&event), true)],
        )
        .await;
        let mut builder = quick();
        if let Some(limit) = limit {
            builder = builder.event_limit(limit);
        }
        let client = peer.connect(builder).await.unwrap();
        let updates = client.message("go").stream().await.unwrap();
        match updates.try_collect::<Vec<_>>().await {
            Ok(updates) => assert!(fits && updates.len() == 1),
            Err(error) => {
                assert!(!fits && error.is_resource_exhausted(), "{error:?}");
                assert!(
                    error.message().contains("50000") && error.message().contains("event_limit"),
                    "{error}"
                );
            }
        }
    }
    // A line that does not end is no reason to wait for it.
    let endless = Act::Chunks {
        chunks: vec![[b"data: ".to_vec(), vec![b'x'; 60_000]].concat()],
        end: false,
    };
    let peer = Peer::with_card("HTTP+JSON", vec![endless]).await;
    let client = peer.connect(quick().event_limit(50_000)).await.unwrap();
    let updates = client.message("go").stream().await.unwrap();
    let error = updates.try_collect::<Vec<_>>().await.unwrap_err();
    assert!(error.is_resource_exhausted(), "{error:?}");
}

#[tokio::test]
async fn what_answers_a_streaming_call_is_a_stream_or_an_error() {
    let rpc = r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32004,"message":"not here"}}"#;
    let rest = r#"{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"not here","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNSUPPORTED_OPERATION","domain":"a2a-protocol.org"}]}}"#;
    let html = "<html>Welcome</html>";
    type Case<'a> = (&'a str, &'a str, &'a str, &'a str, fn(&Error) -> bool);
    let cases: Vec<Case<'_>> = vec![
        (
            "JSONRPC",
            "200 OK",
            "content-type: application/json\r\n",
            rpc,
            Error::is_unsupported_operation,
        ),
        (
            "JSONRPC",
            "200 OK",
            "",
            rpc,
            Error::is_unsupported_operation,
        ),
        (
            "JSONRPC",
            "200 OK",
            SSE,
            rpc,
            Error::is_unsupported_operation,
        ),
        (
            "JSONRPC",
            "400 Bad Request",
            "content-type: application/json\r\n",
            rpc,
            Error::is_unsupported_operation,
        ),
        (
            "HTTP+JSON",
            "400 Bad Request",
            "content-type: application/json\r\n",
            rest,
            Error::is_unsupported_operation,
        ),
        (
            "HTTP+JSON",
            "200 OK",
            "content-type: application/json\r\n",
            rest,
            Error::is_unsupported_operation,
        ),
        (
            "HTTP+JSON",
            "200 OK",
            "",
            rest,
            Error::is_unsupported_operation,
        ),
        (
            "HTTP+JSON",
            "200 OK",
            SSE,
            rest,
            Error::is_unsupported_operation,
        ),
    ];
    for (binding, status, headers, body, predicate) in cases {
        let peer = Peer::with_card(binding, vec![answer(status, headers, body)]).await;
        let (updates, error) = streamed(&peer).await;
        let error = error.unwrap();
        assert!(
            updates.is_empty() && predicate(&error),
            "{binding} {status} {headers}: {error:?}"
        );
        assert_eq!(error.message(), "not here", "{binding} {status} {headers}");
        assert_eq!(peer.lines().len(), 2);
    }
    for binding in ["JSONRPC", "HTTP+JSON"] {
        type Case<'a> = (&'a str, &'a str, &'a str, fn(&Error) -> bool);
        let cases: Vec<Case<'_>> = vec![
            (
                "401 Unauthorized",
                "www-authenticate: Bearer\r\ncontent-type: application/json\r\n",
                "{}",
                Error::is_unauthenticated,
            ),
            ("401 Unauthorized", SSE, "", Error::is_unauthenticated),
            ("500 Internal Server Error", SSE, "data: {}\n\n", |error| {
                error.code() == Code::Internal
            }),
            (
                "200 OK",
                "content-type: text/html\r\n",
                html,
                Error::is_invalid_agent_response,
            ),
            ("200 OK", "", html, Error::is_invalid_agent_response),
            ("200 OK", "", "", Error::is_invalid_agent_response),
            ("200 OK", SSE, html, Error::is_invalid_agent_response),
            (
                "200 OK",
                SSE,
                "<html>\n<p>Welcome\n</html>\n",
                Error::is_invalid_agent_response,
            ),
            ("200 OK", SSE, "", Error::is_invalid_agent_response),
            (
                "200 OK",
                SSE,
                ": nothing\n\n",
                Error::is_invalid_agent_response,
            ),
            (
                "200 OK",
                SSE,
                "data: nonsense\n\n",
                Error::is_invalid_agent_response,
            ),
            (
                "200 OK",
                SSE,
                "data: {}\n\n",
                Error::is_invalid_agent_response,
            ),
            ("200 OK", SSE, "data: {\"a", Error::is_unavailable),
        ];
        for (status, headers, body, predicate) in cases {
            let peer = Peer::with_card(binding, vec![answer(status, headers, body)]).await;
            let (updates, error) = streamed(&peer).await;
            let error = error.unwrap_or_else(|| panic!("{binding} {status} {headers} {body}"));
            assert!(
                updates.is_empty() && predicate(&error),
                "{binding} {status} {headers} {body}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_error_in_the_middle_ends_a_stream() {
    let first = task("WORKING");
    let rpc = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{first}}}\n\n");
    let rest = format!("data: {first}\n\n");
    let rpc_error = r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32006,"message":"broken"}}"#;
    let rest_error = r#"{"error":{"code":500,"message":"broken","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_AGENT_RESPONSE","domain":"a2a-protocol.org"}]}}"#;
    for (binding, event, error) in [
        ("JSONRPC", &rpc, rpc_error),
        ("HTTP+JSON", &rest, rest_error),
    ] {
        for kind in ["", "event: error\n"] {
            let text = format!("{event}{kind}data: {error}\n\n{event}");
            let peer = Peer::with_card(binding, vec![chunks(&[&text], true)]).await;
            let (updates, error) = streamed(&peer).await;
            let error = error.unwrap();
            assert_eq!(states(&updates), ["Working"], "{binding}");
            assert!(
                error.is_invalid_agent_response(),
                "{binding} {kind}: {error:?}"
            );
            assert_eq!(error.message(), "broken");
            assert_eq!(peer.lines().len(), 2, "what the agent says is no cut");
        }
        let text = format!("{event}event: error\ndata: out of order\n\n");
        let peer = Peer::with_card(binding, vec![chunks(&[&text], true)]).await;
        let error = streamed(&peer).await.1.unwrap();
        assert!(
            error.message().contains("out of order"),
            "{binding}: {error:?}"
        );
    }
    // Each event is held against the request.
    for wrong in [
        format!("data: {{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{first}}}\n\n"),
        format!("data: {{\"id\":$id,\"result\":{first}}}\n\n"),
        "data: {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"somethingElse\":{}}}\n\n".to_owned(),
    ] {
        let peer = Peer::with_card("JSONRPC", vec![chunks(&[&rpc, &wrong], true)]).await;
        let (updates, error) = streamed(&peer).await;
        assert_eq!(states(&updates), ["Working"]);
        assert!(error.unwrap().is_invalid_agent_response(), "{wrong}");
    }
}
