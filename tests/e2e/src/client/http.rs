//! HTTP for the clients, and for tests that write their own requests.

use std::net::SocketAddr;

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::within;

/// A connection.
#[derive(Debug)]
pub struct Connection {
    addr: SocketAddr,
    sender: Sender,
}

#[derive(Debug)]
enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

impl Connection {
    /// HTTP/1.1.
    ///
    /// # Panics
    /// When the server takes no connection.
    pub async fn http1(addr: SocketAddr) -> Self {
        let (sender, connection) = http1::handshake(connect(addr).await)
            .await
            .expect("HTTP/1.1");
        // How it ends is seen by those who wait for answers.
        tokio::spawn(async move { drop(connection.await) });
        Self {
            addr,
            sender: Sender::Http1(sender),
        }
    }

    /// HTTP/2 with prior knowledge.
    ///
    /// # Panics
    /// When the server takes no connection.
    pub async fn http2(addr: SocketAddr) -> Self {
        let handshake = http2::Builder::new(TokioExecutor::new())
            .handshake(connect(addr).await)
            .await;
        let (sender, connection) = handshake.expect("HTTP/2");
        tokio::spawn(async move { drop(connection.await) });
        Self {
            addr,
            sender: Sender::Http2(sender),
        }
    }

    /// Sends a request over HTTP/2, beside those that are not answered yet. The future is the head
    /// of its answer.
    ///
    /// # Panics
    /// Over HTTP/1.1, where answers come one after the other.
    pub fn begin(
        &mut self,
        request: Request<Bytes>,
    ) -> impl Future<Output = hyper::Result<Response<Incoming>>> + use<> {
        let Sender::Http2(sender) = &mut self.sender else {
            panic!("over HTTP/1.1 answers come one after the other");
        };
        let (mut parts, body) = request.into_parts();
        parts.uri = absolute(self.addr, &parts.uri);
        sender.send_request(Request::from_parts(parts, Full::new(body)))
    }

    /// Sends a request and waits for the head of its answer.
    ///
    /// # Panics
    /// When there is none.
    pub async fn send(&mut self, request: Request<impl Into<Bytes>>) -> Response<Incoming> {
        let answer = self.try_send(request);
        answer
            .await
            .unwrap_or_else(|error| panic!("there is no answer: {error:?}"))
    }

    /// The same, when the connection may break.
    ///
    /// # Errors
    /// That of the connection.
    ///
    /// # Panics
    /// When there is no answer for long.
    pub async fn try_send(
        &mut self,
        request: Request<impl Into<Bytes>>,
    ) -> hyper::Result<Response<Incoming>> {
        let (mut parts, body) = request.into_parts();
        let body = Full::new(body.into());
        match &mut self.sender {
            Sender::Http1(sender) => {
                let host = self
                    .addr
                    .to_string()
                    .parse()
                    .expect("an address is a header value");
                parts.headers.entry(HOST).or_insert(host);
                within(async {
                    sender.ready().await?;
                    sender.send_request(Request::from_parts(parts, body)).await
                })
                .await
            }
            Sender::Http2(sender) => {
                parts.uri = absolute(self.addr, &parts.uri);
                within(async {
                    sender.ready().await?;
                    sender.send_request(Request::from_parts(parts, body)).await
                })
                .await
            }
        }
    }
}

fn absolute(addr: SocketAddr, uri: &Uri) -> Uri {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    format!("http://{addr}{path}").parse().expect("a URI")
}

async fn connect(addr: SocketAddr) -> TokioIo<TcpStream> {
    let stream = TcpStream::connect(addr)
        .await
        .expect("the server takes connections");
    stream.set_nodelay(true).expect("TCP_NODELAY can be set");
    TokioIo::new(stream)
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Whole {
    /// Reads the body.
    ///
    /// # Panics
    /// When it breaks off.
    pub async fn read(response: Response<Incoming>) -> Self {
        let (parts, body) = response.into_parts();
        let body = within(body.collect())
            .await
            .expect("the body is whole")
            .to_bytes();
        Self {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    /// A header as text; empty when there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A request with `A2A-Version: 1.0`.
///
/// # Panics
/// When the path is none.
pub fn request(method: &str, path: &str) -> http::request::Builder {
    let method: Method = method.parse().expect("a method");
    let uri: Uri = path.parse().expect("a path");
    Request::builder()
        .method(method)
        .uri(uri)
        .header("A2A-Version", "1.0")
}

/// Sends one request over HTTP/1.1 and reads its answer.
pub async fn exchange(addr: SocketAddr, request: Request<impl Into<Bytes>>) -> Whole {
    Whole::read(Connection::http1(addr).await.send(request).await).await
}

/// Sends a request without a body.
///
/// # Panics
/// When the path is none.
pub async fn call(addr: SocketAddr, method: &str, path: &str) -> Whole {
    exchange(
        addr,
        request(method, path).body(Bytes::new()).expect("a request"),
    )
    .await
}

/// Posts JSON.
///
/// # Panics
/// When the path is none.
pub async fn post(addr: SocketAddr, path: &str, body: impl Into<Bytes>) -> Whole {
    let request = request("POST", path).header("content-type", "application/json");
    exchange(addr, request.body(body.into()).expect("a request")).await
}

/// Writes bytes as they are, and reads what comes until the server closes the connection. The
/// request should ask for that: `Connection: close`.
///
/// # Panics
/// When the answer cannot be read.
pub async fn raw(addr: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(addr)
        .await
        .expect("the server takes connections");
    stream
        .write_all(bytes)
        .await
        .expect("the server takes the request");
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer))
        .await
        .expect("the answer is whole");
    String::from_utf8_lossy(&answer).into_owned()
}
