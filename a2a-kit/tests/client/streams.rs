//! Calls whose answer is a stream.

use std::time::Duration;

use a2a_kit::client::{ChannelOptions, TransportErrorKind};
use a2a_kit::v1_0::StreamResponse;
use a2a_kit::{A2aService as _, Error, EventStream};
use futures_util::StreamExt as _;

use crate::support::{Running, context, say};

/// The events of a stream, and the error that it ended with.
async fn all(mut events: EventStream<StreamResponse>) -> (Vec<String>, Option<Error>) {
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => seen.push(event.as_message().unwrap().message_id.clone()),
            Err(error) => {
                assert!(
                    events.next().await.is_none(),
                    "nothing comes after an error"
                );
                return (seen, Some(error));
            }
        }
    }
    (seen, None)
}

#[tokio::test]
async fn every_event_comes_once_and_in_order() {
    let server = Running::plain().await;
    for (binding, client) in server.clients() {
        for count in [0, 1, 3, 2000] {
            let request = say(&format!("events {count}"));
            let events = client
                .send_streaming_message(context(), request)
                .await
                .unwrap();
            let (seen, error) = all(events).await;
            let expected: Vec<String> = (0..count).map(|number| format!("m{number}")).collect();
            assert!(
                error.is_none() && seen == expected,
                "{binding:?}: {count}, {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn large_events_and_awkward_letters_come_through() {
    let server = Running::plain().await;
    let text = format!(
        "{}\u{2028}\u{2029}\u{85}\r\n\ndata: x",
        "é😀".repeat(200_000)
    );
    for (binding, client) in server.clients() {
        let mut events = client
            .send_streaming_message(context(), say(&text))
            .await
            .unwrap();
        let event = events.next().await.unwrap().unwrap();
        let found = event.as_message().unwrap().parts[0].as_text().unwrap();
        assert!(found == text, "{binding:?}");
        assert!(events.next().await.is_none());
    }
    let small = ChannelOptions::default().event_limit(1 << 20);
    for (binding, client) in server.clients_with(small) {
        let events = client
            .send_streaming_message(context(), say(&text))
            .await
            .unwrap();
        let (_, error) = all(events).await;
        let code = error.unwrap().code();
        assert_eq!(code, a2a_kit::Code::ResourceExhausted, "{binding:?}");
    }
}

#[tokio::test]
async fn an_error_may_come_before_the_events_or_after_some() {
    let server = Running::plain().await;
    for (binding, client) in server.clients() {
        let early = client
            .send_streaming_message(context(), say("missing"))
            .await;
        let early = early.err().unwrap();
        assert!(early.is_task_not_found(), "{binding:?}: {early:?}");
        let events = client
            .send_streaming_message(context(), say("then-missing 2"))
            .await
            .unwrap();
        let (seen, late) = all(events).await;
        let late = late.unwrap();
        assert_eq!(seen, ["m0", "m1"], "{binding:?}");
        assert!(late.is_task_not_found(), "{binding:?}: {late:?}");
        assert_eq!(late.metadata()["taskId"], "t1", "{binding:?}");
    }
}

#[tokio::test]
async fn a_stream_that_is_dropped_ends_on_the_other_side() {
    let server = Running::plain().await;
    for (_, client) in server.clients() {
        let mut events = client
            .send_streaming_message(context(), say("then-wait 1"))
            .await
            .unwrap();
        assert!(events.next().await.unwrap().is_ok());
        server.desk.until_open(1).await;
        drop(events);
        server.desk.until_open(0).await;
    }
}

#[tokio::test]
async fn a_stream_that_is_silent_for_too_long_is_given_up() {
    let server = Running::plain().await;
    // Shorter than the comments by which the server keeps its streams open.
    let short = ChannelOptions::default().idle_timeout(Duration::from_millis(50));
    for (binding, client) in server.clients_with(short) {
        let events = client
            .send_streaming_message(context(), say("then-wait 1"))
            .await
            .unwrap();
        let (seen, error) = all(events).await;
        let error = error.unwrap();
        assert_eq!(seen, ["m0"], "{binding:?}");
        let kind = error.transport().map(a2a_kit::client::TransportError::kind);
        assert_eq!(
            kind,
            Some(TransportErrorKind::Timeout),
            "{binding:?}: {error:?}"
        );
        server.desk.until_open(0).await;
    }
}

#[tokio::test]
async fn a_stream_whose_server_goes_away_is_broken() {
    let mut server = Running::plain().await;
    let mut open = Vec::new();
    for (binding, client) in server.clients() {
        let mut events = client
            .send_streaming_message(context(), say("then-wait 1"))
            .await
            .unwrap();
        assert!(events.next().await.unwrap().is_ok());
        open.push((binding, events));
    }
    server.stop().await;
    for (binding, events) in open {
        let (_, error) = all(events).await;
        let error = error.unwrap();
        let kind = error.transport().map(a2a_kit::client::TransportError::kind);
        assert_eq!(
            kind,
            Some(TransportErrorKind::Broken),
            "{binding:?}: {error:?}"
        );
    }
}
