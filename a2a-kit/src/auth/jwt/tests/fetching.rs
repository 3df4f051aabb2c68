//! Keys that are fetched: how often, and what an address may do.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use tokio::sync::Notify;

use super::*;
use crate::body::{Body, BoxError};
use crate::client::scripted::{Act, Scripted, ScriptedServer, answer};
use crate::client::{CallOptions, TransportError};
use crate::service::BoxFuture;

const URL: &str = "https://login.example.com/keys";

fn at(transport: impl Transport) -> JwtBearer {
    ready(JwtBearer::keys_at(URL).transport(transport))
}

fn keys(text: String) -> Result<Response<Body>, TransportError> {
    answer(200, &[("cache-control", "max-age=600")], [text])
}

async fn is_taken(tokens: &JwtBearer, token: &str) -> bool {
    ask(tokens, &bearer(token)).await.is_ok()
}

async fn is_unavailable(tokens: &JwtBearer, token: &str) -> bool {
    let rejection = ask(tokens, &bearer(token)).await.unwrap_err();
    rejection.is_unavailable()
}

#[tokio::test(start_paused = true)]
async fn keys_are_kept_as_long_as_they_are_fresh() {
    let signer = Signer::ed_dsa();
    let set = || keys(set(&[signer.jwk("k1")]));
    let transport = Scripted::new([set(), set()]);
    let tokens = at(transport.clone());
    let token = signer.right("k1");
    for _ in 0..3 {
        assert!(is_taken(&tokens, &token).await);
    }
    tokio::time::advance(Duration::from_secs(599)).await;
    assert!(is_taken(&tokens, &token).await);
    assert_eq!(transport.seen().len(), 1);
    tokio::time::advance(Duration::from_secs(2)).await;
    assert!(is_taken(&tokens, &token).await);
    let seen = transport.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].0.uri(), URL);
    assert!(!seen[0].0.headers().contains_key("authorization"));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_key_is_asked_for_once_in_an_interval() {
    let (old, new) = (Signer::ed_dsa(), Signer::es256());
    let transport = Scripted::new([
        keys(set(&[old.jwk("k1")])),
        keys(set(&[old.jwk("k1"), new.jwk("k2")])),
        keys(set(&[new.jwk("k2")])),
    ]);
    let tokens = at(transport.clone());
    assert!(is_taken(&tokens, &old.right("k1")).await);
    // Rotated, but the last fetch was just now.
    assert!(!is_taken(&tokens, &new.right("k2")).await);
    assert_eq!(transport.seen().len(), 1);
    tokio::time::advance(Duration::from_secs(10)).await;
    assert!(is_taken(&tokens, &new.right("k2")).await);
    assert!(is_taken(&tokens, &old.right("k1")).await);
    // Keys that nobody has cost the issuer nothing.
    for index in 0..100 {
        let why = refused(&tokens, &new.right(&format!("made-up-{index}"))).await;
        assert_eq!(why, "the token's key is none of the issuer's");
    }
    assert_eq!(transport.seen().len(), 2);
    // A key that was taken back is gone with the next fetch.
    tokio::time::advance(Duration::from_secs(601)).await;
    assert!(!is_taken(&tokens, &old.right("k1")).await);
    assert_eq!(transport.seen().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn keys_of_before_are_used_for_a_while_when_no_others_can_be_had() {
    let signer = Signer::ed_dsa();
    let fails = || answer(503, &[], [""]);
    let transport = Scripted::new([
        keys(set(&[signer.jwk("k1")])),
        fails(),
        fails(),
        fails(),
        keys(set(&[signer.jwk("k1")])),
    ]);
    let tokens = at(transport.clone());
    let token = signer.right("k1");
    assert!(is_taken(&tokens, &token).await);
    tokio::time::advance(Duration::from_secs(601)).await;
    for _ in 0..5 {
        assert!(is_taken(&tokens, &token).await);
    }
    assert_eq!(transport.seen().len(), 2);
    tokio::time::advance(Duration::from_secs(3590)).await;
    assert!(is_taken(&tokens, &token).await);
    tokio::time::advance(Duration::from_secs(11)).await;
    assert!(is_unavailable(&tokens, &token).await);
    // No second fetch at once, but one later.
    assert!(is_unavailable(&tokens, &token).await);
    assert_eq!(transport.seen().len(), 4);
    tokio::time::advance(Duration::from_secs(11)).await;
    assert!(is_taken(&tokens, &token).await);
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_no_keys_let_nobody_in() {
    let signer = Signer::ed_dsa();
    let set = set(&[signer.jwk("k1")]);
    let huge = format!("{}{set}", " ".repeat(300 << 10));
    let elsewhere = [("location", "https://mallory.example.com/keys")];
    for bad in [
        answer(302, &elsewhere, [set.clone()]),
        answer(307, &elsewhere, [set.clone()]),
        answer(404, &[], [set.clone()]),
        answer(200, &[], [huge]),
        answer(200, &[], ["<html>"]),
        answer(200, &[], [r#"{"keys":[]}"#]),
    ] {
        let transport = Scripted::new([bad]);
        let tokens = at(transport.clone());
        assert!(is_unavailable(&tokens, &signer.right("k1")).await);
        // No redirect is followed.
        assert_eq!(transport.seen().len(), 1);
    }
}

/// Answers when it is told to.
#[derive(Debug, Clone)]
struct Slow(Scripted, Arc<Notify>);

impl Transport for Slow {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            self.1.notified().await;
            self.0.send(request, options).await
        })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_does_not_answer_costs_a_bounded_time() {
    let signer = Signer::ed_dsa();
    let tokens = at(Slow(Scripted::new([]), Arc::default()));
    let began = tokio::time::Instant::now();
    assert!(is_unavailable(&tokens, &signer.right("k1")).await);
    assert_eq!(began.elapsed().as_secs(), 5);
}

/// Answers with a head, and with pieces as long as they are taken.
#[derive(Debug, Clone)]
struct Endless {
    /// How many pieces come; then the body hangs.
    pieces: usize,
    taken: Arc<AtomicUsize>,
}

impl Transport for Endless {
    fn send(
        &self,
        _: Request<Bytes>,
        _: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let taken = Arc::clone(&self.taken);
        let pieces = stream::repeat_with(move || {
            taken.fetch_add(1, Ordering::SeqCst);
            Ok::<_, BoxError>(Frame::data(Bytes::from_static(&[b' '; 1024])))
        });
        let body = StreamBody::new(pieces.take(self.pieces).chain(stream::pending()));
        Box::pin(async move { Ok(Response::new(Body::new(body))) })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_end_costs_a_bounded_time_and_amount() {
    let signer = Signer::ed_dsa();
    for (pieces, seconds, most) in [(3, 5, 3), (usize::MAX, 0, 257)] {
        let taken = Arc::default();
        let endless = Endless {
            pieces,
            taken: Arc::clone(&taken),
        };
        let tokens = at(endless);
        let began = tokio::time::Instant::now();
        assert!(is_unavailable(&tokens, &signer.right("k1")).await);
        assert_eq!(began.elapsed().as_secs(), seconds);
        assert!(taken.load(Ordering::SeqCst) <= most, "{taken:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_at_the_same_time_share_a_fetch_and_a_client_that_hangs_up_does_not_end_it() {
    let signer = Signer::ed_dsa();
    let scripted = Scripted::new([keys(set(&[signer.jwk("k1")]))]);
    let go = Arc::new(Notify::new());
    let tokens = Arc::new(at(Slow(scripted.clone(), Arc::clone(&go))));
    let token = signer.right("k1");
    let call = || {
        let (tokens, token) = (Arc::clone(&tokens), token.clone());
        tokio::spawn(async move { is_taken(&tokens, &token).await })
    };
    let first = call();
    tokio::task::yield_now().await;
    let others: Vec<_> = (0..10).map(|_| call()).collect();
    tokio::task::yield_now().await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    go.notify_one();
    for other in others {
        assert!(other.await.unwrap());
    }
    assert_eq!(scripted.seen().len(), 1);
}

#[tokio::test]
async fn keys_come_over_a_socket() {
    let signer = Signer::es256();
    let body = set(&[signer.jwk("k1")]);
    let length = body.len();
    let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
    let server = ScriptedServer::start([Act::Close(text.into_bytes())]).await;
    let tokens = ready(JwtBearer::keys_at(format!("{}/jwks.json", server.url())));
    assert!(is_taken(&tokens, &signer.right("k1")).await);
    assert!(!is_taken(&tokens, &Signer::es256().right("k1")).await);
    assert_eq!(server.seen().len(), 1);
    assert!(server.seen()[0].starts_with("GET /jwks.json HTTP/1.1\r\n"));
}
