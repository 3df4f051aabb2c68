//! Calls over HTTP/1.1, as a share of the rate at which bare hyper takes the same requests and gives
//! the same answers. Connections are in memory: what is left is the work of this process. Over a
//! network the kernel's share comes on top for both, and the ratio is nearer to 1.
//!
//! Without a limit, for orientation. One thread is server and client, 16 connections at a time.

use std::convert::Infallible;

use a2a_kit::{BoxError, Server};
use benches::echo;
use benches::pairs::compare;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::runtime::Runtime;

const CLIENTS: usize = 16;
const ROUNDS: usize = 400;

fn main() {
    if cfg!(debug_assertions) {
        println!("unary: nothing is measured without optimisation; run `cargo bench -p benches`");
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime starts");
    let server = echo::server("http://127.0.0.1/").expect("the agent can be served");

    let [small, large] = ["hello", "large"].map(|text| {
        let stream = connect(&runtime, TowerToHyperService::new(server.clone()));
        task_id(&ask(
            &runtime,
            stream,
            &json_rpc("SendMessage", &message(text)),
        ))
    });
    let get_task = |id: &str| json_rpc("GetTask", &format!(r#"{{"id":"{id}"}}"#));
    for (name, request) in [
        ("GetTask, JSON-RPC", get_task(&small)),
        ("GetTask, HTTP+JSON", get(&format!("/tasks/{small}"))),
        ("GetTask with ten artifacts, JSON-RPC", get_task(&large)),
        (
            "SendMessage to an echo, JSON-RPC",
            json_rpc("SendMessage", &message("hello")),
        ),
    ] {
        row(&runtime, &server, name, &request);
    }
}

fn row(runtime: &Runtime, server: &Server, name: &str, request: &str) {
    let connect = || connect(runtime, TowerToHyperService::new(server.clone()));
    let answer = ask(runtime, connect(), request);
    let body = Bytes::copy_from_slice(body(&answer));
    let bytes = body.len();
    let floor = service_fn(move |request: Request<Incoming>| {
        let body = body.clone();
        async move {
            request
                .into_body()
                .collect()
                .await
                .expect("the request comes in");
            let mut response = Response::new(Full::new(body));
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
            Ok::<_, Infallible>(response)
        }
    });
    let mut ours = Clients::new(runtime, request, connect);
    let mut theirs = Clients::new(runtime, request, || self::connect(runtime, floor.clone()));
    let compared = compare(ROUNDS, || ours.ask(), || theirs.ask());
    println!(
        "{name:<38} {:.2} of bare hyper ({bytes} bytes)",
        1.0 / compared.ratio
    );
}

/// A connection to a service.
fn connect<S, B>(runtime: &Runtime, service: S) -> DuplexStream
where
    S: HttpService<Incoming, ResBody = B, Error = Infallible> + Send + 'static,
    S::Future: Send,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let (client, stream) = tokio::io::duplex(64 << 10);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service);
    runtime.spawn(async move {
        // It ends when the client goes.
        let _ = connection.await;
    });
    client
}

/// Clients that send the same request over and over.
struct Clients<'r> {
    runtime: &'r Runtime,
    streams: Vec<DuplexStream>,
    request: &'r str,
    answer: Vec<u8>,
}

impl<'r> Clients<'r> {
    fn new(runtime: &'r Runtime, request: &'r str, connect: impl Fn() -> DuplexStream) -> Self {
        let answer = vec![0; ask(runtime, connect(), request).len()];
        let streams = (0..CLIENTS).map(|_| connect()).collect();
        Self {
            runtime,
            streams,
            request,
            answer,
        }
    }

    fn ask(&mut self) {
        let Self {
            runtime,
            streams,
            request,
            answer,
        } = self;
        runtime.block_on(async {
            for stream in &mut *streams {
                stream
                    .write_all(request.as_bytes())
                    .await
                    .expect("the request is sent");
            }
            for stream in streams {
                // All answers have the same length, as ids and times have.
                stream.read_exact(answer).await.expect("the answer comes");
                assert!(answer.starts_with(OK) && answer.ends_with(b"}"));
            }
        });
    }
}

/// Sends a request and reads the whole answer.
fn ask(runtime: &Runtime, mut stream: DuplexStream, request: &str) -> Vec<u8> {
    runtime.block_on(async {
        stream
            .write_all(request.as_bytes())
            .await
            .expect("the request is sent");
        let mut answer = Vec::new();
        while length(&answer).is_none_or(|length| body(&answer).len() < length) {
            let count = stream
                .read_buf(&mut answer)
                .await
                .expect("the answer comes");
            assert!(
                count > 0,
                "the answer is cut: {}",
                String::from_utf8_lossy(&answer)
            );
        }
        let failed = body(&answer).starts_with(br#"{"jsonrpc":"2.0","id":1,"error"#);
        assert!(
            answer.starts_with(OK) && !failed,
            "{}",
            String::from_utf8_lossy(&answer)
        );
        answer
    })
}

const OK: &[u8] = b"HTTP/1.1 200 ";

/// What stands behind the empty line; empty as long as that has not come.
fn body(answer: &[u8]) -> &[u8] {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.map_or(&[], |end| &answer[end + 4..])
}

fn length(answer: &[u8]) -> Option<usize> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let (_, value) = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
    value.parse().ok()
}

/// The id of the task in the answer to SendMessage.
fn task_id(answer: &[u8]) -> String {
    let answer: serde_json::Value = serde_json::from_slice(body(answer)).expect("it is JSON");
    answer["result"]["task"]["id"]
        .as_str()
        .expect("there is a task")
        .to_owned()
}

fn message(text: &str) -> String {
    format!(
        r#"{{"message":{{"messageId":"6f1c0a52-3a8e-4d8b-9a6f-0c5d6f0b7e21","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}"#
    )
}

fn json_rpc(method: &str, params: &str) -> String {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    format!(
        "POST / HTTP/1.1\r\nhost: localhost\r\na2a-version: 1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\na2a-version: 1.0\r\n\r\n")
}
