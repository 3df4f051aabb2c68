use std::time::Duration;

use super::*;
use crate::context::{Binding, ProtocolVersion};
use crate::probe::{PROBE, Probe};

fn index(name: &str) -> usize {
    PROBE
        .operations
        .iter()
        .position(|operation| operation.name == name)
        .unwrap()
}

fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

async fn make(name: &str, context: CallContext) -> Result<Reply, Error> {
    call(
        &*Probe::new(),
        index(name),
        context,
        None,
        Input::Json(bytes::Bytes::new()),
    )
    .await
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_keeps_its_secret() {
    let error = make("Panic", context()).await.err().unwrap();
    assert_eq!(error.code(), Code::Internal);
    assert!(!error.message().contains("secret"));
}

#[tokio::test]
async fn a_panic_in_a_stream_ends_it_with_an_error() {
    let Reply::Stream(mut events) = make("PanicEvents", context()).await.unwrap() else {
        panic!("no stream")
    };
    assert!(events.next().await.unwrap().is_ok());
    assert_eq!(
        events.next().await.unwrap().err().unwrap().code(),
        Code::Internal
    );
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn nothing_follows_an_error() {
    let Reply::Stream(events) = make("FailEvents", context()).await.unwrap() else {
        panic!("no stream")
    };
    let all: Vec<_> = events.collect().await;
    assert_eq!(all.len(), 2);
    assert!(all[1].is_err());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_call_and_a_stream() {
    let start = Instant::now();
    let deadline = || (start + Duration::from_secs(2)).into_std();
    let error = make("Wait", context().with_deadline(deadline()))
        .await
        .err()
        .unwrap();
    assert_eq!(
        (error.code(), start.elapsed()),
        (Code::DeadlineExceeded, Duration::from_secs(2))
    );

    let start = Instant::now();
    let events = Box::pin(
        futures_util::stream::iter([crate::probe::event("1")])
            .chain(futures_util::stream::pending()),
    );
    let probe = Probe::streaming(events);
    let until = (start + Duration::from_secs(3)).into_std();
    let reply = call(
        &*probe,
        index("Events"),
        context().with_deadline(until),
        None,
        Input::Json(bytes::Bytes::new()),
    )
    .await;
    let Reply::Stream(mut events) = reply.unwrap() else {
        panic!("no stream")
    };
    assert!(events.next().await.unwrap().is_ok());
    assert_eq!(
        events.next().await.unwrap().err().unwrap().code(),
        Code::DeadlineExceeded
    );
    assert_eq!(start.elapsed(), Duration::from_secs(3));
    assert!(events.next().await.is_none());
}
