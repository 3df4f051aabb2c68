//! What bad input costs: the peak of the agent's memory grows by at most four times the size that a
//! request may have.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use e2e::client::http::{self, Connection, Whole};
use e2e::{Binding, Client, request, state};
use tokio::task::JoinSet;

/// The limit that a server has unless it is told another.
const LIMIT: usize = 32 << 20;

/// The agent in a process of its own.
struct Agent {
    child: Child,
    addr: SocketAddr,
}

impl Agent {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_scripted-agent"))
            .arg(LIMIT.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the agent starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("its address");
        Self {
            child,
            addr: line.trim().parse().expect("an address"),
        }
    }

    /// The peak of what it has had in memory, in bytes.
    fn peak(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .expect("its status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("a peak");
        let kilobytes: usize = line
            .trim()
            .trim_end_matches(" kB")
            .trim()
            .parse()
            .expect("a number");
        kilobytes << 10
    }

    /// Ordinary calls, after which nothing is to be loaded any more.
    async fn warm_up(&self) {
        for binding in Binding::ALL {
            let client = Client::new(self.addr, binding);
            for _ in 0..20 {
                assert_eq!(
                    state(&client.send(request("report fine")).await),
                    "COMPLETED"
                );
                client
                    .events("SendStreamingMessage", request("chunks a b"))
                    .await
                    .all()
                    .await;
                client.fault("SendMessage", serde_json::json!({})).await;
            }
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Field `number` of these bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut out);
    out.extend_from_slice(bytes);
    out
}

/// As many items as fit, between what comes before and behind.
fn filled(before: &str, item: &str, behind: &str) -> String {
    // Room for the envelope of JSON-RPC.
    let count = (LIMIT - 100 - before.len() - behind.len()) / item.len();
    format!("{before}{}{behind}", item.repeat(count))
}

/// Bad requests in JSON, as params of SendMessage: no JSON, or JSON with a fault at its end.
fn json() -> Vec<(&'static str, String)> {
    let metadata = r#"{"message":{"messageId":"m","metadata":{"a":["#;
    let parts = r#"{"message":{"messageId":"m","parts":["#;
    let two = format!("{{\"k\":{{\"{}\":{{}}}}}},", "k".repeat(150));
    // As dense as is taken.
    let long = format!("{{\"{}\":1}},", "k".repeat(450));
    vec![
        ("brackets", filled("", "[", "")),
        ("empty parts", filled(parts, "{},", "5]}}")),
        (
            "lists of one",
            filled(metadata, "[11111111111111111],", "1]},\"role\":[]}}"),
        ),
        (
            "objects in objects",
            filled(metadata, &two, "1]},\"role\":[]}}"),
        ),
        (
            "objects with long names",
            filled(metadata, &long, "1]},\"role\":[]}}"),
        ),
        (
            "a file",
            filled(r#"{"message":{"parts":[{"raw":""#, "AAAA", "\"},5]}}"),
        ),
    ]
}

/// Bad requests in protobuf.
fn protobuf() -> Vec<(&'static str, Vec<u8>)> {
    let parts = |part: &[u8]| field(2, &part.repeat((LIMIT - 32) / part.len()));
    let list = |value: &[u8]| {
        let values = value.repeat((LIMIT - 96) / value.len());
        let entry = [field(1, b"a"), field(2, &field(6, &values))].concat();
        field(2, &field(6, &field(1, &entry)))
    };
    let text = [field(1, b"a"), field(6, b"b"), field(7, &[b'c'; 100])].concat();
    let member = [field(1, &[b'k'; 450]), vec![0x12, 2, 0x20, 1]].concat();
    vec![
        ("empty parts", parts(&[0x2a, 0])),
        ("parts of short texts", parts(&field(5, &text))),
        (
            "objects of one member",
            list(&field(1, &field(5, &field(1, &member)))),
        ),
        (
            "a text that is no UTF-8",
            field(2, &field(1, &vec![0xff; LIMIT - 32])),
        ),
    ]
}

/// Sends one bad request to an agent of its own. Returns how much its peak has grown, and the code
/// of its answer.
async fn cost(binding: Binding, body: Vec<u8>) -> (usize, i64) {
    let agent = Agent::start();
    agent.warm_up().await;
    let before = agent.peak();
    let code = match binding {
        Binding::Grpc => {
            let length = u32::try_from(body.len()).expect("a message of 32 bits");
            let framed = [&[0][..], &length.to_be_bytes(), &body].concat();
            let request = http::request("POST", "/lf.a2a.v1.A2AService/SendMessage");
            let request = request
                .header("content-type", "application/grpc")
                .header("te", "trailers");
            let request = request.body(Bytes::from(framed)).expect("a request");
            let answer = Whole::read(Connection::http2(agent.addr).await.send(request).await).await;
            answer
                .header("grpc-status")
                .parse()
                .unwrap_or_else(|_| panic!("no refusal: {answer:?}"))
        }
        Binding::Rest | Binding::JsonRpc => {
            let path = if binding == Binding::Rest {
                "/message:send"
            } else {
                "/"
            };
            let answer = http::post(agent.addr, path, body).await;
            assert!(answer.status.as_u16() < 500, "{answer:?}");
            answer.json()["error"]["code"]
                .as_i64()
                .unwrap_or_else(|| panic!("no refusal: {answer:?}"))
        }
    };
    (agent.peak() - before, code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_peak_grows_by_at_most_four_times_the_limit() {
    let in_json = json()
        .into_iter()
        .enumerate()
        .map(|(index, (name, params))| {
            // What reads them is the same for both, so each does half of them.
            if index % 2 == 0 {
                return (name, Binding::Rest, params.into_bytes());
            }
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{params}}}"#);
            (name, Binding::JsonRpc, body.into_bytes())
        });
    let in_protobuf = protobuf()
        .into_iter()
        .map(|(name, message)| (name, Binding::Grpc, message));
    let (mut report, mut running) = (Vec::new(), JoinSet::new());
    for (name, binding, body) in in_json.chain(in_protobuf) {
        assert!(body.len() <= LIMIT);
        if running.len() == 2 {
            report.extend(running.join_next().await);
        }
        running.spawn(async move { (cost(binding, body).await, name, binding) });
    }
    report.extend(running.join_all().await.into_iter().map(Ok));
    for finished in report {
        let ((grown, code), name, binding) = finished.expect("a cost");
        let times = grown as f64 / LIMIT as f64;
        println!("{times:.2} × the limit: {name} over {binding:?}, refused with {code}");
        assert!(
            ![-32603, 2, 13].contains(&code),
            "{name} over {binding:?} is no fault of the agent: {code}"
        );
        assert!(
            times <= 4.0,
            "{name} over {binding:?}: {grown} bytes, {times:.2} × the limit"
        );
    }
}
