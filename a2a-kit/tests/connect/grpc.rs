//! gRPC: the forms of addresses, and peers that answer in other ways than they should.

use std::convert::Infallible;
use std::net::SocketAddr;

use a2a_kit::client::{Reconnect, Retry, TransportErrorKind};
use a2a_kit::rpc::{ErrorInfo, Status, pack};
use a2a_kit::{Body, Code, Error};
use base64::Engine as _;
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http::{HeaderMap, HeaderName, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use prost::Message as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::agent::Served;
use crate::peer::{card_of, interface, quick};

#[tokio::test]
async fn addresses_come_in_many_forms() {
    let agent = Served::start().await;
    let address = agent.address;
    for url in [
        address.to_string(),
        format!("http://{address}"),
        format!("http://{address}/"),
        format!("grpc://{address}"),
        format!("dns:///{address}"),
        format!("dns:{address}"),
        format!("localhost:{}", address.port()),
    ] {
        let card = card_of(&[interface(&url, "GRPC", "1.0")]).to_string();
        let client = quick().with_card_json(card).unwrap();
        let answer = client.message("hello").send().await.unwrap();
        assert_eq!(answer.text(), "hello to you", "{url}");
    }
    for (url, why) in [
        ("unix:///run/a.sock", "\"unix\""),
        ("ftp://h:1", "\"ftp\""),
        ("grpc://h", "port"),
    ] {
        let card = card_of(&[interface(url, "GRPC", "1.0")]).to_string();
        let error = quick().with_card_json(card).unwrap_err();
        assert!(error.message().contains(why), "{url}: {error}");
    }
}

/// Answers every request over HTTP/2 in the same way.
struct Odd {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Odd {
    async fn start(make: fn() -> Response<Body>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(async move {
                    let service = hyper::service::service_fn(move |_request| async move {
                        Ok::<_, Infallible>(make())
                    });
                    let connection = auto::Builder::new(TokioExecutor::new());
                    // How a connection ends is the client's affair.
                    drop(
                        connection
                            .serve_connection(TokioIo::new(stream), service)
                            .await,
                    );
                });
            }
        });
        Self {
            address,
            _serving: serving,
        }
    }

    async fn get_task(make: fn() -> Response<Body>) -> Error {
        let odd = Self::start(make).await;
        odd.client().get_task("t1").await.unwrap_err()
    }

    async fn stream(make: fn() -> Response<Body>) -> Error {
        let odd = Self::start(make).await;
        match odd.client().message("go").stream().await {
            Ok(updates) => updates.try_collect::<Vec<_>>().await.unwrap_err(),
            Err(error) => error,
        }
    }

    fn client(&self) -> a2a_kit::Client {
        let card = card_of(&[interface(self.address.to_string(), "GRPC", "1.0")]).to_string();
        let builder = quick().retry(Retry::never()).reconnect(Reconnect::never());
        builder.with_card_json(card).unwrap()
    }
}

fn response(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    if !kind.is_empty() {
        response
            .headers_mut()
            .insert("content-type", kind.parse().unwrap());
    }
    response
}

/// A gRPC answer: bytes of the body, and trailers if there are some.
fn grpc(body: &'static [u8], trailers: &[(&'static str, String)]) -> Response<Body> {
    let trailers: HeaderMap = trailers
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
        .collect();
    let body = Full::new(Bytes::from_static(body));
    if trailers.is_empty() {
        return response("application/grpc", Body::new(body));
    }
    let body = body.with_trailers(async move { Some(Ok(trailers)) });
    response("application/grpc", Body::new(body))
}

fn named(reason: &str) -> String {
    let info = ErrorInfo {
        reason: reason.to_owned(),
        domain: "a2a-protocol.org".to_owned(),
        ..ErrorInfo::default()
    };
    let status = Status {
        details: vec![pack("google.rpc.ErrorInfo", &info)],
        ..Status::default()
    };
    base64::engine::general_purpose::STANDARD.encode(status.encode_to_vec())
}

fn refusal(code: &str, reason: &str) -> Response<Body> {
    grpc(
        b"",
        &[
            ("grpc-status", code.to_owned()),
            ("grpc-message", "no".to_owned()),
            ("grpc-status-details-bin", named(reason)),
        ],
    )
}

#[tokio::test]
async fn the_reason_names_an_error_and_no_status_does() {
    // Another version of the specification has UNIMPLEMENTED where this one has FAILED_PRECONDITION.
    let error = Odd::get_task(|| refusal("12", "UNSUPPORTED_OPERATION")).await;
    assert!(error.is_unsupported_operation(), "{error:?}");
    let error = Odd::get_task(|| refusal("12", "VERSION_NOT_SUPPORTED")).await;
    assert!(error.is_version_not_supported(), "{error:?}");
    let error = Odd::stream(|| refusal("2", "TASK_NOT_FOUND")).await;
    assert!(error.is_task_not_found(), "{error:?}");
    let error = Odd::get_task(|| grpc(b"", &[("grpc-status", "5".to_owned())])).await;
    assert_eq!(
        (error.code(), error.spec()),
        (Code::NotFound, None),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_is_no_grpc_is_said() {
    type Case = (fn() -> Response<Body>, fn(&Error) -> bool, &'static str);
    let cases: [Case; 6] = [
        (
            || response("text/html", "<h1>Welcome".into()),
            Error::is_invalid_agent_response,
            "<h1>Welcome",
        ),
        (
            || response("", Body::empty()),
            Error::is_invalid_agent_response,
            "no Content-Type",
        ),
        (
            || {
                let mut response = response("text/plain", "bad gateway".into());
                *response.status_mut() = http::StatusCode::BAD_GATEWAY;
                response
            },
            Error::is_unavailable,
            "bad gateway",
        ),
        (
            || {
                let mut response = response("", Body::empty());
                *response.status_mut() = http::StatusCode::UNAUTHORIZED;
                response
            },
            Error::is_unauthenticated,
            "401",
        ),
        (
            || grpc(b"<html>", &[("grpc-status", "0".to_owned())]),
            Error::is_invalid_agent_response,
            "no gRPC message",
        ),
        (
            || grpc(&[1, 0, 0, 0, 0], &[("grpc-status", "0".to_owned())]),
            Error::is_invalid_agent_response,
            "compressed",
        ),
    ];
    for (make, predicate, says) in cases {
        for error in [Odd::get_task(make).await, Odd::stream(make).await] {
            assert!(predicate(&error), "{says}: {error:?}");
            assert!(error.message().contains(says), "{says}: {error}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_is_no_answer() {
    let cases: [fn() -> Response<Body>; 3] = [
        || grpc(b"", &[]),
        || grpc(&[0, 0, 0, 0, 9, 1], &[]),
        || grpc(&[0, 0, 0, 0, 9, 1], &[("grpc-status", "0".to_owned())]),
    ];
    for make in cases {
        for error in [Odd::get_task(make).await, Odd::stream(make).await] {
            let kind = error.transport().map(a2a_kit::client::TransportError::kind);
            assert_eq!(kind, Some(TransportErrorKind::Broken), "{error:?}");
        }
    }
}
