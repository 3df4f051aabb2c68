//! A server that plays what a test has written, one act for each request, on a free port.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::Error;
use a2a_kit::client::{Client, ClientBuilder, Reconnect, Update};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn has(&self, header: &str) -> bool {
        self.head
            .lines()
            .any(|line| line.eq_ignore_ascii_case(header))
    }
}

/// What is done with a request; the connection is closed after it. `$id` in a text stands for the id
/// of the JSON-RPC request.
pub(crate) enum Act {
    /// Nothing is answered.
    Close,
    /// This is written.
    Write(String),
    /// This is written, and then nothing until the client has gone.
    Hang(String),
    /// An event stream in these chunks; `end` ends it as it should.
    Chunks { chunks: Vec<Vec<u8>>, end: bool },
}

/// See the module.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
    playing: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.playing.abort();
    }
}

impl Peer {
    pub(crate) async fn start(acts: impl FnOnce(SocketAddr) -> Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut acts: VecDeque<Act> = acts(address).into();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let playing = tokio::spawn(async move {
            while let Some(act) = acts.pop_front() {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                let id = request.body["id"].to_string();
                log.lock().unwrap().push(request);
                let bytes = bytes(&act, &id);
                // The client may have heard enough.
                drop(stream.write_all(&bytes).await);
                if let Act::Hang(_) = act {
                    let mut rest = Vec::new();
                    drop(stream.read_to_end(&mut rest).await);
                }
            }
        });
        Self {
            address,
            seen,
            playing,
        }
    }

    /// Serves a card with one interface at `/x`, then plays the acts.
    pub(crate) async fn with_card(binding: &str, acts: Vec<Act>) -> Self {
        Self::start(|address| {
            let mut all = vec![json_answer(&card(address, binding))];
            all.extend(acts);
            all
        })
        .await
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.line)
            .collect()
    }

    /// The methods of the JSON-RPC requests.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.requests()
            .iter()
            .map(|request| request.body["method"].as_str().unwrap_or("none").to_owned())
            .collect()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) async fn connect(&self, builder: ClientBuilder) -> Result<Client, Error> {
        builder.connect(self.url()).await
    }

    pub(crate) async fn client(&self) -> Client {
        self.connect(quick()).await.unwrap()
    }
}

async fn read(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        assert_ne!(
            stream.read_buf(&mut bytes).await.unwrap(),
            0,
            "the head of a request is whole"
        );
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let length = text.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length:")?
            .trim()
            .parse()
            .ok()
    });
    while bytes.len() < head + length.unwrap_or(0) {
        assert_ne!(
            stream.read_buf(&mut bytes).await.unwrap(),
            0,
            "a request is whole"
        );
    }
    Request {
        line: text.lines().next().unwrap().to_owned(),
        body: serde_json::from_slice(&bytes[head..]).unwrap_or_default(),
        head: text,
    }
}

fn bytes(act: &Act, id: &str) -> Vec<u8> {
    const SSE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    match act {
        Act::Close => Vec::new(),
        Act::Write(text) | Act::Hang(text) => text.replace("$id", id).into_bytes(),
        Act::Chunks { chunks, end } => {
            let mut out = SSE.as_bytes().to_vec();
            for chunk in chunks {
                let chunk = match std::str::from_utf8(chunk) {
                    Ok(text) => text.replace("$id", id).into_bytes(),
                    Err(_) => chunk.clone(),
                };
                out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                out.extend_from_slice(&chunk);
                out.extend_from_slice(b"\r\n");
            }
            if *end {
                out.extend_from_slice(b"0\r\n\r\n");
            }
            out
        }
    }
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Act {
    Act::Write(format!(
        "HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}"
    ))
}

pub(crate) fn json_text(status: &str, body: &str) -> Act {
    answer(status, "content-type: application/json\r\n", body)
}

pub(crate) fn json_answer(value: &Value) -> Act {
    json_text("200 OK", &value.to_string())
}

/// A JSON-RPC answer.
pub(crate) fn result(value: &Value) -> Act {
    json_text(
        "200 OK",
        &format!("{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{value}}}"),
    )
}

/// A JSON-RPC error.
pub(crate) fn fault(code: i32) -> Act {
    json_text(
        "200 OK",
        &format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{{\"code\":{code},\"message\":\"no\"}}}}"
        ),
    )
}

/// An event stream of these texts, each in a chunk of its own.
pub(crate) fn chunks(chunks: &[&str], end: bool) -> Act {
    let chunks = chunks.iter().map(|text| text.as_bytes().to_vec()).collect();
    Act::Chunks { chunks, end }
}

/// The results as JSON-RPC events.
pub(crate) fn rpc_stream(events: &[Value], end: bool) -> Act {
    let events: Vec<String> = events
        .iter()
        .map(|event| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{event}}}\n\n"))
        .collect();
    chunks(&events.iter().map(String::as_str).collect::<Vec<_>>(), end)
}

/// The messages as events of HTTP+JSON.
pub(crate) fn rest_stream(events: &[Value], end: bool) -> Act {
    let events: Vec<String> = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    chunks(&events.iter().map(String::as_str).collect::<Vec<_>>(), end)
}

pub(crate) fn interface(url: impl Into<String>, binding: &str, version: &str) -> Value {
    json!({"url": url.into(), "protocolBinding": binding, "protocolVersion": version})
}

pub(crate) fn card_of(interfaces: &[Value]) -> Value {
    json!({
        "name": "Strange", "version": "1", "capabilities": {"streaming": true},
        "supportedInterfaces": interfaces,
    })
}

pub(crate) fn card(address: SocketAddr, binding: &str) -> Value {
    card_of(&[interface(format!("http://{address}/x"), binding, "1.0")])
}

pub(crate) fn task(state: &str) -> Value {
    json!({"task": {"id": "t1", "contextId": "c1", "status": {"state": format!("TASK_STATE_{state}")}}})
}

pub(crate) fn status(state: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t1", "contextId": "c1", "status": {"state": format!("TASK_STATE_{state}")}}})
}

pub(crate) fn states(updates: &[Update]) -> Vec<String> {
    updates
        .iter()
        .filter_map(|update| update.state().map(|state| format!("{state:?}")))
        .collect()
}

/// Does not wait long before it tries again.
pub(crate) fn quick() -> ClientBuilder {
    let soon = Duration::from_millis(1);
    Client::builder().reconnect(Reconnect::default().first_wait(soon).poll_every(soon))
}

/// A port at which nobody listens: one that was free a moment ago.
pub(crate) fn nobody() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}
