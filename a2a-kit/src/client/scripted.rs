//! Peers that answer as a test tells them to: a transport, and a server on a real socket.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::transport::{CallOptions, Transport, TransportError};
use crate::body::{Body, BoxError};
use crate::service::BoxFuture;

type Answer = Result<Response<Body>, TransportError>;
type Sent = (Request<Bytes>, CallOptions);

/// Gives one answer after the other, and keeps the requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripted {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    seen: Arc<Mutex<Vec<Sent>>>,
}

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            seen: Arc::default(),
        }
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<Sent> {
        self.seen.lock().unwrap().clone()
    }
}

impl Transport for Scripted {
    fn send(&self, request: Request<Bytes>, options: CallOptions) -> BoxFuture<'_, Answer> {
        self.seen.lock().unwrap().push((request, options));
        let answer = self
            .answers
            .lock()
            .unwrap()
            .pop_front()
            .expect("an answer for each request");
        Box::pin(async move { answer })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// An answer with these headers and a body in these pieces.
pub(crate) fn answer(
    status: u16,
    headers: &[(&'static str, &str)],
    pieces: impl IntoIterator<Item = impl Into<Bytes>>,
) -> Answer {
    let frames: Vec<_> = pieces
        .into_iter()
        .map(|piece| Ok::<_, BoxError>(Frame::data(piece.into())))
        .collect();
    Ok(build(status, headers, frames))
}

/// An answer whose body ends with trailers, or breaks off.
pub(crate) fn answer_of(
    status: u16,
    headers: &[(&'static str, &str)],
    frames: Vec<Result<Frame<Bytes>, BoxError>>,
) -> Answer {
    Ok(build(status, headers, frames))
}

fn build(
    status: u16,
    headers: &[(&'static str, &str)],
    frames: Vec<Result<Frame<Bytes>, BoxError>>,
) -> Response<Body> {
    let mut response = Response::new(Body::new(StreamBody::new(stream::iter(frames))));
    *response.status_mut() = status.try_into().unwrap();
    *response.headers_mut() = header_map(headers);
    response
}

pub(crate) fn header_map(headers: &[(&'static str, &str)]) -> HeaderMap {
    headers
        .iter()
        .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()))
        .collect()
}

/// What a [`ScriptedServer`] does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Writes this, and closes the connection.
    Close(Vec<u8>),
    /// Writes this, and keeps the connection open for the next request.
    Keep(Vec<u8>),
    /// Writes this, and then nothing more, until the client has gone.
    Stall(Vec<u8>),
}

/// A server on a socket that writes what a test says, byte for byte.
pub(crate) struct ScriptedServer {
    /// `127.0.0.1:port`.
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl ScriptedServer {
    /// One act for each request; a request that finds none left is not answered.
    pub(crate) async fn start(acts: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let acts = Arc::new(Mutex::new(acts.into_iter().collect::<VecDeque<_>>()));
        let requests = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&acts), Arc::clone(&requests)));
            }
        });
        Self { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, head and body.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    acts: Arc<Mutex<VecDeque<Act>>>,
    seen: Arc<Mutex<Vec<String>>>,
) {
    while let Some(request) = read_request(&mut stream).await {
        seen.lock().unwrap().push(request);
        let act = acts
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or(Act::Stall(Vec::new()));
        let (Act::Close(bytes) | Act::Keep(bytes) | Act::Stall(bytes)) = &act;
        if stream.write_all(bytes).await.is_err() {
            return;
        }
        match act {
            Act::Close(_) => return,
            Act::Keep(_) => {}
            // Until the client closes its side.
            Act::Stall(_) => while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {},
        }
    }
}

/// A whole HTTP/1.1 request, or `None` at the end.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length:")?
                    .trim()
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text.into_owned());
            }
        }
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}
