//! How long calls may take, and calls that are made again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::client::{
    CallOptions, Client, ClientBuilder, HttpTransport, Retry, Transport, TransportError,
};
use a2a_kit::{Binding, Body, BoxFuture, Error};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http::{Request, Response};

use crate::agent::{ALL, Served};
use crate::peer::{Act, Peer, answer, quick, result, task};

/// Notes the limits of each request, by the last part of its path or the method of JSON-RPC.
#[derive(Debug, Clone, Default)]
struct Limits(Arc<Mutex<Vec<CallOptions>>>);

impl Limits {
    fn last(&self) -> CallOptions {
        *self.0.lock().unwrap().last().unwrap()
    }
}

#[derive(Debug)]
struct Noted(HttpTransport, Limits);

impl Transport for Noted {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        self.1.0.lock().unwrap().push(options);
        self.0.send(request, options)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

async fn noted(agent: &Served, binding: Binding, builder: ClientBuilder) -> (Client, Limits) {
    let limits = Limits::default();
    let transport = Noted(HttpTransport::new(), limits.clone());
    let builder = builder.bindings([binding]).transport(transport);
    (agent.connect(builder).await, limits)
}

fn total(seconds: u64) -> CallOptions {
    let mut options = CallOptions::default();
    options.total = Some(Duration::from_secs(seconds));
    options
}

fn stream(head: u64, idle: u64) -> CallOptions {
    let mut options = CallOptions::default();
    options.head = Some(Duration::from_secs(head));
    options.idle = Some(Duration::from_secs(idle));
    options
}

#[tokio::test]
async fn every_kind_of_call_has_its_limits() {
    let agent = Served::start().await;
    for binding in ALL {
        let usual = (Client::builder(), [30, 600, 300]);
        let own = Client::builder()
            .timeout(Duration::from_secs(5))
            .send_timeout(Duration::from_secs(50))
            .idle_timeout(Duration::from_secs(7));
        for (builder, [quick, patient, idle]) in [usual, (own, [5, 50, 7])] {
            let (client, limits) = noted(&agent, binding, builder).await;
            assert_eq!(limits.last(), total(quick), "the card");
            let task = client.message("ask what?").send().await.unwrap();
            assert_eq!(limits.last(), total(patient), "{binding:?}");
            let id = task.into_task().unwrap().id;
            client.get_task(&id).await.unwrap();
            assert_eq!(limits.last(), total(quick), "{binding:?}");
            let soon = client.message("wait on").return_immediately();
            soon.send().await.unwrap();
            assert_eq!(limits.last(), total(quick), "{binding:?}");
            let updates = client.message("hello").stream().await.unwrap();
            updates.try_collect::<Vec<_>>().await.unwrap();
            assert_eq!(limits.last(), stream(quick, idle), "{binding:?}");
        }
        // The limit of one call stands before the client's.
        let (client, limits) = noted(&agent, binding, Client::builder()).await;
        let call = client.message("hello").timeout(Duration::from_secs(3));
        call.send().await.unwrap();
        let left = limits.last().total.unwrap();
        assert!(left <= Duration::from_secs(3), "{binding:?}: {left:?}");
        let none = Client::builder().timeout(None).send_timeout(None);
        let (client, limits) = noted(&agent, binding, none).await;
        client.message("hello").send().await.unwrap();
        assert_eq!(limits.last(), CallOptions::default(), "{binding:?}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let short = Duration::from_millis(50);
    let half = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    for text in ["", half] {
        let peer = Peer::with_card("JSONRPC", vec![Act::Hang(text.to_owned())]).await;
        let client = peer.client().await;
        let error = client.get_task("t1").timeout(short).await.unwrap_err();
        assert!(error.is_timeout() && !error.is_unsent(), "{error:?}");
        assert_eq!(peer.lines().len(), 2, "it has taken its time already");
    }
    let event = format!("data: {}\n\n", task("WORKING"));
    let silent = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{event}"
    );
    let peer = Peer::with_card("HTTP+JSON", vec![Act::Hang(silent)]).await;
    let builder = quick()
        .idle_timeout(short)
        .reconnect(a2a_kit::client::Reconnect::never());
    let client = peer.connect(builder).await.unwrap();
    let mut updates = client.message("go").stream().await.unwrap();
    assert!(updates.try_next().await.unwrap().is_some());
    let error = updates.try_next().await.unwrap_err();
    assert!(error.message().contains("50ms"), "{error:?}");
}

#[tokio::test]
async fn calls_are_made_again_only_where_that_is_safe() {
    let busy = || answer("503 Service Unavailable", "retry-after: 0\r\n", "");
    let many = || answer("429 Too Many Requests", "retry-after: 0\r\n", "");
    let gone = || answer("503 Service Unavailable", "", "");
    let later = || answer("429 Too Many Requests", "retry-after: 3600\r\n", "");
    // (what comes first, whether it is tried again: a read, a cancellation, a message, and one of
    // which the caller says that it may come twice)
    type Case = (fn() -> Act, [bool; 4]);
    let cases: [Case; 5] = [
        (|| Act::Close, [true, false, false, true]),
        (busy, [true, true, false, true]),
        (many, [true, true, false, true]),
        (gone, [true, false, false, true]),
        (later, [false, false, false, false]),
    ];
    for (number, (first, expected)) in cases.into_iter().enumerate() {
        for (kind, expected) in expected.into_iter().enumerate() {
            let done = match kind {
                0 | 1 => task("CANCELED")["task"].clone(),
                _ => task("COMPLETED"),
            };
            let peer = Peer::with_card("JSONRPC", vec![first(), result(&done)]).await;
            let soon = Retry::default().first_wait(Duration::from_millis(1));
            let client = peer.connect(Client::builder().retry(soon)).await.unwrap();
            let answered: Result<(), Error> = match kind {
                0 => client.get_task("t1").await.map(drop),
                1 => client.cancel("t1").await.map(drop),
                2 => client.message("go").send().await.map(drop),
                _ => client.message("go").idempotent().send().await.map(drop),
            };
            assert_eq!(answered.is_ok(), expected, "{number} {kind}: {answered:?}");
            let calls = peer.lines().len() - 1;
            assert_eq!(calls, if expected { 2 } else { 1 }, "{number} {kind}");
        }
    }
}
