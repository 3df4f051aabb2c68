use http_body::Frame;

use super::*;
use crate::body::BoxError;
use crate::client::scripted::answer_of;

fn event(text: &str) -> String {
    format!(
        "data: {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"message\":{{\"messageId\":\"{text}\"}}}}}}\n\n"
    )
}

/// The message ids of a stream, and the error that it ended with.
async fn run(frames: Vec<Result<Frame<Bytes>, BoxError>>) -> (Vec<String>, Option<Error>) {
    let mut events = stream(&one(answer_of(200, EVENTS, frames))).await.unwrap();
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => match &event.payload {
                Some(v1_0::stream_response::Payload::Message(message)) => {
                    seen.push(message.message_id.clone())
                }
                other => panic!("{other:?}"),
            },
            Err(error) => {
                assert!(
                    events.next().await.is_none(),
                    "a stream ends with its first error"
                );
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

fn data(text: impl Into<Bytes>) -> Result<Frame<Bytes>, BoxError> {
    Ok(Frame::data(text.into()))
}

#[tokio::test]
async fn streams_of_events() {
    let three = [event("a"), event("b"), event("c")].concat();
    for size in [1, 7, 64, three.len()] {
        let (seen, error) = run(three
            .as_bytes()
            .chunks(size)
            .map(|chunk| data(chunk.to_vec()))
            .collect())
        .await;
        assert_eq!(
            (seen.concat().as_str(), error.is_none()),
            ("abc", true),
            "in chunks of {size}"
        );
    }
    let with_comments = format!(": hi\n\ndata:\n\n{}: bye\n\n", event("a"));
    assert_eq!(run(vec![data(with_comments)]).await.0, ["a"]);
}

#[tokio::test]
async fn streams_that_end_badly() {
    let cut = |frames| async {
        let (seen, error) = run(frames).await;
        (seen.concat(), error.expect("an error"))
    };
    // In the middle of an event.
    let (seen, error) = cut(vec![data(event("a")), data("data: {\"jsonrpc\"")]).await;
    assert_eq!((seen.as_str(), error.code()), ("a", Code::Unavailable));
    assert_eq!(
        error.transport().map(TransportError::kind),
        Some(TransportErrorKind::Broken)
    );
    // By the connection.
    let (seen, error) = cut(vec![data(event("a")), Err("reset".into())]).await;
    assert_eq!(
        (seen.as_str(), error.transport().map(TransportError::kind)),
        ("a", Some(TransportErrorKind::Broken))
    );
    let timeout = TransportError::new(TransportErrorKind::Timeout, "silent");
    let (_, error) = cut(vec![Err(timeout.into())]).await;
    assert_eq!(
        (error.code(), error.message()),
        (Code::DeadlineExceeded, "silent")
    );
    // By an error of the peer, in one of three shapes.
    let frame = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone"}}"#;
    let shapes = [
        format!("data: {frame}\n\n"),
        format!("event: error\ndata: {frame}\n\n"),
        "event: error\ndata: {\"code\":-32001,\"message\":\"gone\"}\n\n".to_owned(),
        "event: error\ndata: {\"error\":{\"code\":-32001,\"message\":\"gone\"}}\n\n".to_owned(),
    ];
    for shape in shapes {
        let (seen, error) = cut(vec![
            data(event("a")),
            data(shape.clone()),
            data(event("b")),
        ])
        .await;
        assert_eq!(seen, "a", "{shape}");
        assert!(error.is_task_not_found(), "{shape}: {error:?}");
    }
    let (_, error) = cut(vec![data("event: error\ndata: out of memory\n\n")]).await;
    assert_eq!(
        (error.code(), error.peer_body()),
        (Code::Unknown, Some("out of memory"))
    );
    // By an event that is no reply to this request.
    for wrong in [
        event("b").replace("\"id\":1", "\"id\":2"),
        event("b").replace("2.0", "1.0"),
        "data: [DONE]\n\n".to_owned(),
    ] {
        let (seen, error) = cut(vec![
            data(event("a")),
            data(wrong.clone()),
            data(event("c")),
        ])
        .await;
        assert_eq!(seen, "a", "{wrong}");
        assert!(error.is_invalid_agent_response(), "{wrong}: {error:?}");
    }
    // By an event that is too large.
    let transport = one(answer(200, EVENTS, [event(&"x".repeat(2000))]));
    let small = channel(&transport).options(ChannelOptions::default().event_limit(1000));
    let mut events: EventStream<StreamResponse> = call_stream(
        &small,
        &A2A_SERVICE,
        index("SendStreamingMessage"),
        context(),
        SendMessageRequest::new(),
    )
    .await
    .unwrap();
    assert_eq!(
        events.next().await.unwrap().unwrap_err().code(),
        Code::ResourceExhausted
    );
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn what_calls_itself_an_event_stream_and_is_none() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no streams"}}"#;
    for text in [
        error.to_owned(),
        format!("{error}\n"),
        format!("{error}\n\n"),
        error.replace(',', ",\n "),
    ] {
        let (seen, found) = run(vec![data(text.clone())]).await;
        assert!(seen.is_empty());
        assert!(found.unwrap().is_unsupported_operation(), "{text}");
    }
    let result = "{\"jsonrpc\":\"2.0\",\n\"id\":1,\"result\":{}}\n";
    let (_, error) = run(vec![data(result)]).await;
    let error = error.unwrap();
    assert!(error.is_invalid_agent_response(), "{error:?}");
    assert_eq!(error.peer_body(), Some(result));
    // Nothing at all is a stream of no events.
    assert!(run(vec![]).await.1.is_none());
}

#[tokio::test]
async fn what_answers_a_streaming_call_and_is_no_stream() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no streams"}}"#;
    for (status, headers) in [
        (200, JSON),
        (200, &[][..]),
        (401, JSON),
        (401, EVENTS),
        (500, &[]),
    ] {
        let found = stream(&one(answer(status, headers, [error])))
            .await
            .err()
            .unwrap();
        assert!(
            found.is_unsupported_operation(),
            "{status} {headers:?}: {found:?}"
        );
        assert_eq!(found.peer_status(), Some(status));
    }
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{"message":{}}}"#;
    for (headers, says) in [
        (JSON, "\"application/json\""),
        (&[][..], "no Content-Type"),
        (
            &[("content-type", "text/event-streams")],
            "text/event-streams",
        ),
    ] {
        let found = stream(&one(answer(200, headers, [result])))
            .await
            .err()
            .unwrap();
        assert!(found.is_invalid_agent_response(), "{found:?}");
        assert!(found.message().contains(says), "{found}");
    }
    let found = get_task(&one(answer(200, EVENTS, [event("a")])))
        .await
        .unwrap_err();
    assert!(found.is_invalid_agent_response(), "{found:?}");
    for name in [
        "Text/Event-Stream",
        "text/event-stream;charset=utf-8",
        "text/event-stream ; x=y",
    ] {
        let transport = one(answer(200, &[("content-type", name)], [event("a")]));
        assert_eq!(stream(&transport).await.unwrap().count().await, 1, "{name}");
    }
}
