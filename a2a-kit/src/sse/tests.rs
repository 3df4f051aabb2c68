use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt as _, stream};
use http_body_util::BodyExt as _;
use tokio::sync::mpsc;

use super::*;
use crate::Code;
use crate::probe::event;

fn format() -> Format {
    Format {
        before: Bytes::from_static(b"<"),
        after: b">",
        field: None,
        error: Box::new(|error| format!("error {}", error.message()).into_bytes()),
        error_event: None,
        keep_alive: Some(KEEP_ALIVE),
    }
}

fn channel() -> (mpsc::UnboundedSender<&'static str>, ReplyStream) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let events = stream::unfold(receiver, |mut receiver| async {
        Some((event(receiver.recv().await?), receiver))
    });
    (sender, Box::pin(events))
}

/// The next frame as text; `None` at the end.
async fn frame(body: &mut Body) -> Option<String> {
    let frame = body.frame().await?.unwrap();
    Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
}

async fn all(response: http::Response<Body>) -> String {
    String::from_utf8(
        response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .to_vec(),
    )
    .unwrap()
}

#[tokio::test]
async fn each_event_is_one_data_line_and_headers_keep_proxies_from_waiting() {
    let events = Box::pin(stream::iter(["1", "\"é😀\u{2028}\""].map(event)));
    let response = response(events, format());
    let headers = response.headers();
    assert_eq!(headers["content-type"], "text/event-stream");
    assert_eq!(headers["cache-control"], "no-cache");
    assert_eq!(headers["x-accel-buffering"], "no");
    assert_eq!(
        all(response).await,
        "data: <1>\n\ndata: <\"é😀\\u2028\">\n\n"
    );
}

#[tokio::test]
async fn events_that_are_ready_leave_in_one_frame_and_in_order() {
    let (sender, events) = channel();
    for text in ["1", "2", "3"] {
        sender.send(text).unwrap();
    }
    let mut body = response(events, format()).into_body();
    assert_eq!(
        frame(&mut body).await.unwrap(),
        "data: <1>\n\ndata: <2>\n\ndata: <3>\n\n"
    );
    sender.send("4").unwrap();
    assert_eq!(frame(&mut body).await.unwrap(), "data: <4>\n\n");
    drop(sender);
    assert_eq!(frame(&mut body).await, None);
    assert_eq!(frame(&mut body).await, None);
}

#[tokio::test]
async fn a_burst_is_cut_into_frames_of_bounded_size() {
    let text: &'static str = Box::leak("x".repeat(1000).into_boxed_str());
    let events = Box::pin(stream::repeat_with(move || event(text)).take(500));
    let mut body = response(events, format()).into_body();
    let mut total = 0;
    while let Some(frame) = frame(&mut body).await {
        assert!(frame.len() <= FULL + text.len() + 16, "{}", frame.len());
        total += frame.matches("data: <x").count();
    }
    assert_eq!(total, 500);
}

#[tokio::test]
async fn a_large_event_is_not_copied() {
    let large = Bytes::from(vec![b'7'; LARGE]);
    let events = Box::pin(stream::iter([event("1"), event(large.clone()), event("2")]));
    let mut body = response(events, format()).into_body();
    let mut frames = Vec::new();
    while let Some(next) = body.frame().await {
        frames.push(next.unwrap().into_data().unwrap());
    }
    assert!(
        frames.iter().any(|frame| frame.as_ptr() == large.as_ptr()),
        "the bytes of the event themselves"
    );
    let text: String = frames
        .iter()
        .map(|frame| String::from_utf8_lossy(frame).into_owned())
        .collect();
    assert_eq!(
        text,
        format!(
            "data: <1>\n\ndata: <{}>\n\ndata: <2>\n\n",
            "7".repeat(LARGE)
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_kept_open_by_comments() {
    let (sender, events) = channel();
    let mut body = response(events, format()).into_body();
    let start = Instant::now();
    assert_eq!(frame(&mut body).await.unwrap(), ": keep-alive\n\n");
    assert_eq!(start.elapsed(), KEEP_ALIVE);
    // An event starts the time anew.
    tokio::time::advance(KEEP_ALIVE / 2).await;
    sender.send("1").unwrap();
    assert_eq!(frame(&mut body).await.unwrap(), "data: <1>\n\n");
    let start = Instant::now();
    assert_eq!(frame(&mut body).await.unwrap(), ": keep-alive\n\n");
    assert_eq!(start.elapsed(), KEEP_ALIVE);
    assert_eq!(frame(&mut body).await.unwrap(), ": keep-alive\n\n");
    assert_eq!(start.elapsed(), KEEP_ALIVE * 2);
}

#[tokio::test(start_paused = true)]
async fn without_an_interval_there_are_no_comments() {
    let (_sender, events) = channel();
    let mut body = response(
        events,
        Format {
            keep_alive: None,
            ..format()
        },
    )
    .into_body();
    assert!(
        tokio::time::timeout(Duration::from_secs(86_400), body.frame())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn an_error_ends_the_stream_as_an_event() {
    let events = Box::pin(stream::iter([
        event("1"),
        Err(Error::new(Code::Internal, "broke")),
        event("2"),
    ]));
    assert_eq!(
        all(response(events, format())).await,
        "data: <1>\n\ndata: error broke\n\n"
    );
}

#[tokio::test]
async fn an_error_can_be_an_event_of_its_own_type() {
    let events = Box::pin(stream::iter([
        event("1"),
        Err(Error::new(Code::Internal, "a\u{2029}b")),
    ]));
    let format = Format {
        error_event: Some("error"),
        ..format()
    };
    assert_eq!(
        all(response(events, format)).await,
        "data: <1>\n\nevent: error\ndata: error a\\u2029b\n\n"
    );
}

#[test]
fn unicode_line_ends_are_escaped_and_nothing_else_is_touched() {
    for (text, expected) in [
        ("\u{2028}", "\\u2028"),
        ("\u{2029}\u{85}", "\\u2029\\u0085"),
        ("a\u{2028}\u{2028}b\u{2029}", "a\\u2028\\u2028b\\u2029"),
        (
            "â\u{2027}\u{202a}Â\u{84}\u{86}é😀星",
            "â\u{2027}\u{202a}Â\u{84}\u{86}é😀星",
        ),
    ] {
        assert_eq!(on_one_line(Bytes::from(text)), expected, "{text:?}");
    }
    // Cut characters are not there in JSON, and do no harm.
    for cut in [&b"\xe2"[..], b"a\xe2\x80", b"\xc2"] {
        assert_eq!(on_one_line(Bytes::copy_from_slice(cut)), cut);
    }
    let plain = Bytes::from("{\"text\":\"é😀 — “星河”\"}");
    assert_eq!(
        on_one_line(plain.clone()).as_ptr(),
        plain.as_ptr(),
        "the same bytes"
    );
}

#[tokio::test]
async fn one_field_of_the_events_can_be_sent() {
    let events = Box::pin(stream::iter([event("1")]));
    assert_eq!(
        all(response(
            events,
            Format {
                field: Some("task"),
                ..format()
            }
        ))
        .await,
        "data: <{\"task\":1}>\n\n"
    );
}

#[tokio::test]
async fn dropping_the_body_drops_the_stream() {
    struct Flag(Arc<AtomicBool>);
    impl Drop for Flag {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Flag(Arc::clone(&dropped));
    let events = Box::pin(
        stream::iter([event("1")])
            .chain(stream::pending())
            .map(move |event| {
                let _ = &flag;
                event
            }),
    );
    let mut body = response(events, format()).into_body();
    assert!(frame(&mut body).await.is_some());
    drop(body);
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn an_error_in_the_first_moment_is_no_stream() {
    let failing: ReplyStream = Box::pin(stream::iter([
        Err(Error::new(Code::Internal, "broke")),
        event("1"),
    ]));
    assert_eq!(begin(failing).await.err().unwrap().message(), "broke");
    // The first event stays in the stream, and a stream that is slow to begin is begun.
    let quick = begin(Box::pin(stream::iter(["1", "2"].map(event))))
        .await
        .unwrap();
    assert_eq!(quick.count().await, 2);
    let (sender, events) = channel();
    let mut slow = begin(events).await.unwrap();
    sender.send("1").unwrap();
    assert_eq!(slow.next().await.unwrap().unwrap().json().unwrap(), "1");
    assert!(
        begin(Box::pin(stream::empty()))
            .await
            .unwrap()
            .next()
            .await
            .is_none()
    );
}
