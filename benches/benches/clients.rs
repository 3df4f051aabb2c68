//! Calls over JSON-RPC: our client against a bare `reqwest` and `serde_json` call of the same bytes,
//! and, with the feature `official`, against the official client. Fails when ours takes more than
//! 1.15 times as long as the bare call, or as long as the official client.
//!
//! All of them call one agent over loopback, one call after the other over a connection that stays.
//! Server and clients share one thread, so that a call's time is the work that it makes and not how
//! soon threads wake each other. What server and kernel take of it is measured with a client that
//! does nothing but write and read bytes that are ready, and shown apart.

#[cfg(feature = "official")]
#[path = "clients/official.rs"]
mod official;

use std::cell::Cell;
use std::hint::black_box;
use std::net::SocketAddr;
use std::process::ExitCode;

use a2a_kit::client::Client;
use a2a_kit::v1_0::Task;
use a2a_wire::WireMessage as _;
use benches::pairs::{Compared, best, compare};
use benches::{derived, echo};
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

const LIMIT: f64 = 1.15;
#[cfg(feature = "official")]
const OFFICIAL: f64 = 1.0;
const ROUNDS: usize = 600;
/// How many calls are made before others have their turn.
const CALLS: usize = 4;

/// Calls an agent.
trait Caller {
    type Task;

    async fn get_task(&self, id: &str) -> Self::Task;

    /// Sends the message of [`message`].
    async fn send(&self, text: &str) -> Self::Task;

    fn json(task: &Self::Task) -> Value;
}

struct Ours(Client);

impl Caller for Ours {
    type Task = Task;

    async fn get_task(&self, id: &str) -> Task {
        self.0.get_task(id).await.expect("there is a task")
    }

    async fn send(&self, text: &str) -> Task {
        let call = self.0.message(text).id(MESSAGE_ID);
        let answer = call.send().await.expect("the message is answered");
        answer.into_task().expect("it is answered by a task")
    }

    fn json(task: &Task) -> Value {
        let mut text = Vec::new();
        task.write_json(&mut text).expect("it has a JSON form");
        serde_json::from_slice(&text).expect("it is JSON")
    }
}

/// A call as one would write it by hand, for these two operations. The headers are those of our
/// client, and the message is read by derived structs, the fastest that `serde_json` has.
struct Bare {
    client: reqwest::Client,
    url: Url,
    last: Cell<u64>,
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'a str,
    id: u64,
    method: &'a str,
    params: Params<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Params<'a> {
    Id { id: &'a str },
    Message { message: derived::Message },
}

#[derive(Deserialize)]
struct Response<T> {
    id: u64,
    result: T,
}

#[derive(Deserialize)]
struct Sent {
    task: derived::Task,
}

impl Bare {
    fn new(url: &str) -> Self {
        let headers = [
            (ACCEPT, "application/json"),
            (CONTENT_TYPE, "application/json"),
            (USER_AGENT, concat!("a2a-kit/", env!("CARGO_PKG_VERSION"))),
            (HeaderName::from_static("a2a-version"), "1.0"),
        ];
        let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
        let client = reqwest::Client::builder().no_proxy();
        Self {
            client: client
                .default_headers(HeaderMap::from_iter(headers))
                .build()
                .expect("a client is made"),
            url: url.parse().expect("it is a URL"),
            last: Cell::new(0),
        }
    }

    async fn call<T: for<'de> Deserialize<'de>>(&self, method: &str, params: Params<'_>) -> T {
        let id = self.last.get() + 1;
        self.last.set(id);
        let request = Request {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        let body = serde_json::to_vec(&request).expect("it has a JSON form");
        let call = self.client.post(self.url.clone()).body(body);
        let answer = call.send().await.expect("there is an answer");
        assert!(answer.status().is_success());
        let text = answer.bytes().await.expect("the answer comes");
        let answer: Response<T> = serde_json::from_slice(&text).expect("the answer can be read");
        assert_eq!(answer.id, id);
        answer.result
    }
}

impl Caller for Bare {
    type Task = derived::Task;

    async fn get_task(&self, id: &str) -> derived::Task {
        self.call("GetTask", Params::Id { id }).await
    }

    async fn send(&self, text: &str) -> derived::Task {
        let message = derived::Message {
            message_id: MESSAGE_ID.to_owned(),
            role: derived::Role::User,
            parts: vec![derived::Part {
                text: Some(text.to_owned()),
                ..derived::Part::default()
            }],
            ..derived::Message::default()
        };
        let sent: Sent = self.call("SendMessage", Params::Message { message }).await;
        sent.task
    }

    fn json(task: &derived::Task) -> Value {
        serde_json::to_value(task).expect("it has a JSON form")
    }
}

const MESSAGE_ID: &str = "6f1c0a52-3a8e-4d8b-9a6f-0c5d6f0b7e21";

/// Writes a request that is ready and reads as many bytes as the answer has.
struct Wire {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Wire {
    async fn new(address: SocketAddr, request: Vec<u8>) -> Self {
        let stream = TcpStream::connect(address).await;
        let mut stream = stream.expect("the server is there");
        stream.set_nodelay(true).expect("the socket can be set");
        stream.write_all(&request).await.expect("it is sent");
        let answer = read_message(&mut stream).await;
        Self {
            stream,
            request,
            answer,
        }
    }

    async fn call(&mut self) {
        let Self {
            stream,
            request,
            answer,
        } = self;
        stream.write_all(request).await.expect("it is sent");
        // All answers to a request have the same length, as ids and times have.
        stream.read_exact(answer).await.expect("the answer comes");
        assert!(answer.starts_with(b"HTTP/1.1 200 ") && answer.ends_with(b"}"));
    }
}

#[derive(Clone, Copy)]
enum Operation<'a> {
    Get(&'a str),
    Send(&'a str),
}

impl Operation<'_> {
    async fn by<C: Caller>(self, caller: &C) -> C::Task {
        match self {
            Self::Get(id) => caller.get_task(id).await,
            Self::Send(text) => caller.send(text).await,
        }
    }
}

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        println!("clients: nothing is measured without optimisation; run `cargo bench -p benches`");
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    let address = runtime.block_on(serve());
    let url = format!("http://{address}/");
    let ours = runtime.block_on(Client::connect(&url));
    let ours = Ours(ours.expect("the agent has a card"));
    assert_eq!(ours.0.interface().protocol_binding, "JSONRPC");
    let bare = Bare::new(&url);
    let [small, large] = ["hello", "large"].map(|text| runtime.block_on(ours.send(text)));

    let mut kept = true;
    for (name, operation) in [
        ("GetTask", Operation::Get(&small.id)),
        ("GetTask with ten artifacts", Operation::Get(&large.id)),
        ("SendMessage to an echo", Operation::Send("hello")),
    ] {
        let request = same_bytes(&runtime, operation, address);
        let (expected, found) = runtime.block_on(async {
            let ours = operation.by(&ours).await;
            (Ours::json(&ours), Bare::json(&operation.by(&bare).await))
        });
        if let Operation::Get(_) = operation {
            assert_eq!(expected, found, "both read the same task");
        }
        let compared = best(LIMIT, || {
            compare(
                ROUNDS,
                turn(&runtime, operation, &ours),
                turn(&runtime, operation, &bare),
            )
        });
        let mut wire = runtime.block_on(Wire::new(address, request));
        let floor = compare(
            ROUNDS / 2,
            || {
                runtime.block_on(async {
                    for _ in 0..CALLS {
                        wire.call().await;
                    }
                    settle().await;
                });
            },
            turn(&runtime, operation, &bare),
        );
        let alone = (compared.ratio - floor.ratio) / (1.0 - floor.ratio);
        row(name, "a bare call", compared, LIMIT);
        println!(
            "{:<28} {alone:.2} without what server and kernel take ({:.2} of a bare call)",
            "", floor.ratio
        );
        kept &= compared.ratio <= LIMIT;
        #[cfg(feature = "official")]
        {
            let official = official::Official::new(&url);
            let found = runtime.block_on(operation.by(&official));
            if let Operation::Get(_) = operation {
                let expected = official::with_floats(expected);
                assert_eq!(expected, official::Official::json(&found));
            }
            let compared = best(OFFICIAL, || {
                compare(
                    ROUNDS,
                    turn(&runtime, operation, &ours),
                    turn(&runtime, operation, &official),
                )
            });
            row(name, "the official client", compared, OFFICIAL);
            kept &= compared.ratio < OFFICIAL;
        }
    }
    if cfg!(not(feature = "official")) {
        println!("the official client is compared with `--features official`");
    }
    if !kept {
        eprintln!("our client takes longer than it may: see benches/README.md");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn row(name: &str, other: &str, compared: Compared, limit: f64) {
    let Compared {
        ours,
        theirs,
        ratio,
    } = compared;
    let calls = CALLS as u32;
    println!(
        "{name:<28} {ratio:.2} of {other} ({:.1?} : {:.1?}, limit {limit:.2})",
        ours / calls,
        theirs / calls
    );
}

/// The agent on a free port.
async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("there is a free port");
    let address = listener.local_addr().expect("it has an address");
    let server = echo::server(&format!("http://{address}/")).expect("the agent can be served");
    tokio::spawn(async move { server.serve(listener).await });
    address
}

/// A few calls, and what they leave to be done behind them.
fn turn<'a, C: Caller>(
    runtime: &'a Runtime,
    operation: Operation<'a>,
    caller: &'a C,
) -> impl FnMut() + 'a {
    move || {
        runtime.block_on(async {
            for _ in 0..CALLS {
                black_box(operation.by(caller).await);
            }
            settle().await;
        });
    }
}

/// Lets the other tasks of the runtime finish what they have begun, so that it does not count for
/// who comes next.
async fn settle() {
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
}

/// Makes sure that our client and the bare call send the same bytes, and hands out those.
fn same_bytes(runtime: &Runtime, operation: Operation<'_>, address: SocketAddr) -> Vec<u8> {
    let [ours, bare] = runtime.block_on(async {
        let ours = tapped(async |url| {
            let client = Client::builder().with_card(echo::card(url));
            let client = Ours(client.expect("the interface can be called"));
            operation.by(&client).await;
        });
        let ours = ours.await;
        let bare = tapped(async |url| {
            operation.by(&Bare::new(url)).await;
        });
        [ours, bare.await]
    });
    let parts = |text: &str| {
        let (head, body) = text.split_once("\r\n\r\n").expect("it has a head");
        let (line, headers) = head.split_once("\r\n").expect("it has headers");
        // In what order they come does not matter, and they go to different ports.
        let mut headers: Vec<String> = headers
            .split("\r\n")
            .filter(|header| !header.starts_with("host: "))
            .map(str::to_owned)
            .collect();
        headers.sort();
        (line.to_owned(), headers, body.to_owned())
    };
    assert_eq!(parts(&ours), parts(&bare), "both send the same bytes");
    let host = ours.lines().find(|line| line.starts_with("host: "));
    let host = host.expect("it names a host").to_owned();
    ours.replace(&host, &format!("host: {address}"))
        .into_bytes()
}

/// What a call sends to a server, which answers it with a task.
async fn tapped(call: impl AsyncFnOnce(&str)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("there is a free port");
    let url = format!(
        "http://{}/",
        listener.local_addr().expect("it has an address")
    );
    let tap = async {
        let (mut stream, _) = listener.accept().await.expect("there is a connection");
        let request = read_message(&mut stream).await;
        let text = String::from_utf8(request).expect("the request is text");
        let task = json!({"id": "t1", "status": {"state": "TASK_STATE_COMPLETED"}});
        let result = if text.contains("\"SendMessage\"") {
            json!({"task": task})
        } else {
            task
        };
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        let answer = head + &answer;
        stream
            .write_all(answer.as_bytes())
            .await
            .expect("it is answered");
        text
    };
    let (text, ()) = tokio::join!(tap, call(&url));
    text
}

/// Reads a request or an answer of HTTP/1.1, head and body.
async fn read_message(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = Vec::new();
    while length(&message).is_none_or(|length| message.len() < length) {
        let count = stream.read_buf(&mut message).await.expect("it comes in");
        assert!(count > 0, "{} is cut", String::from_utf8_lossy(&message));
    }
    message
}

/// How long a message is by its head, once that is there.
fn length(message: &[u8]) -> Option<usize> {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&message[..end]).ok()?;
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    let (_, value) = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
    Some(end + 4 + value.parse::<usize>().ok()?)
}
