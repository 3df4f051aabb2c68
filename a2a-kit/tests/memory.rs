//! What hostile requests may cost: one of the usual limit of 32 MiB must not take more than four
//! times as much, from its first byte to its answer. Each case has a process of its own, which it
//! measures.

#![cfg(target_os = "linux")]

use std::process::Command;
use std::sync::Arc;

use a2a_kit::grpc::Grpc;
use a2a_kit::jsonrpc::JsonRpc;
use a2a_kit::rest::Rest;
use a2a_kit::{A2aService, Body, BoxA2aService, BoxError, Open};
use bytes::Bytes;
use futures_util::stream;
use http::Request;

const LIMIT: usize = 32 << 20;

struct Silent;

impl A2aService for Silent {}

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    line.trim_matches([':', ' ', '\t', 'k', 'B'])
        .trim()
        .parse::<usize>()
        .unwrap()
        * 1024
}

/// A request as it comes from the network, made while it is read: a beginning, as many items as
/// fit into the limit, and an end.
struct Flood {
    before: Vec<u8>,
    item: Vec<u8>,
    after: Vec<u8>,
}

fn flood(before: impl Into<Vec<u8>>, item: impl Into<Vec<u8>>, after: impl Into<Vec<u8>>) -> Flood {
    Flood {
        before: before.into(),
        item: item.into(),
        after: after.into(),
    }
}

impl Flood {
    fn items(&self, size: usize) -> usize {
        (size - self.before.len() - self.after.len()) / self.item.len()
    }

    fn body(self, size: usize) -> Body {
        let items = self.items(size);
        let piece = 16_384 / self.item.len();
        let full = Bytes::from(self.item.repeat(piece));
        let rest = Bytes::from(self.item.repeat(items % piece));
        let middle = std::iter::repeat_n(full, items / piece).chain([rest]);
        let all = [Bytes::from(self.before)]
            .into_iter()
            .chain(middle)
            .chain([Bytes::from(self.after)]);
        Body::from_stream(stream::iter(all.map(Ok::<_, BoxError>)))
    }

    /// The same in a JSON-RPC request.
    fn in_envelope(mut self) -> Self {
        self.before.splice(
            ..0,
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":"
                .iter()
                .copied(),
        );
        self.after.push(b'}');
        self
    }

    /// The same in a protobuf field, in a gRPC message.
    fn in_field(mut self, tag: u8) -> Self {
        let length =
            self.before.len() + self.after.len() + self.items(LIMIT - 64) * self.item.len();
        let mut head = vec![tag];
        prost::encoding::encode_varint(length as u64, &mut head);
        let whole = u32::try_from(head.len() + length).unwrap();
        let frame = [&[0][..], &whole.to_be_bytes(), &head].concat();
        self.before.splice(..0, frame);
        self
    }
}

/// Name, and how the request is made.
type Case = (&'static str, fn() -> Flood);

/// Requests in JSON.
const JSON: &[Case] = &[
    ("open brackets", || flood("", "[", "")),
    ("open objects", || flood("", "{\"a\":", "")),
    ("open brackets in a field", || {
        flood("{\"metadata\":{\"a\":", "[", "")
    }),
    ("empty parts", || {
        flood("{\"message\":{\"parts\":[{}", ",{}", "]}}")
    }),
    ("short parts", || {
        flood("{\"message\":{\"parts\":[{}", ",{\"text\":\"a\"}", "]}}")
    }),
    ("empty texts", || {
        flood("{\"message\":{\"extensions\":[\"\"", ",\"\"", "]}}")
    }),
    ("numbers", || flood("{\"metadata\":{\"a\":[0", ",0", "]}}")),
    ("objects in data", || {
        flood("{\"metadata\":{\"a\":[0", ",{\"a\":0}", "]}}")
    }),
    ("unknown members", || {
        flood("{\"x\":[0", ",{\"a\":[]}", "]}")
    }),
    ("members of the same name", || {
        flood("{\"message\":{}", ",\"message\":{\"parts\":[{}]}", "}")
    }),
    ("a long text", || {
        flood("{\"message\":{\"messageId\":\"", "a", "\"}}")
    }),
    ("a long text of escapes", || {
        flood("{\"message\":{\"messageId\":\"", "\\n", "\"}}")
    }),
    ("a file", || {
        flood("{\"message\":{\"parts\":[{\"raw\":\"", "aGkh", "\"}]}}")
    }),
    ("spaces", || flood("", " ", "{}")),
    ("no UTF-8", || {
        flood("{\"message\":{\"messageId\":\"", "a", "\u{fe}\"}}").invalid()
    }),
];

impl Flood {
    fn invalid(mut self) -> Self {
        self.after.insert(0, 0xff);
        self
    }
}

/// Requests in protobuf: the content of `SendMessageRequest.message` (tag 0x12) or
/// `.metadata` (tag 0x22).
const PROTO: &[Case] = &[
    ("proto: empty parts", || {
        flood("", [0x2a, 0x00], "").in_field(0x12)
    }),
    ("proto: short parts", || {
        flood("", *b"\x2a\x03\x0a\x01a", "").in_field(0x12)
    }),
    ("proto: empty texts", || {
        flood("", [0x3a, 0x00], "").in_field(0x12)
    }),
    ("proto: short texts", || {
        flood("", *b"\x3a\x01a", "").in_field(0x12)
    }),
    ("proto: empty members", || {
        flood("", [0x0a, 0x00], "").in_field(0x22)
    }),
    ("proto: members of the same name", || {
        flood("", *b"\x0a\x07\x0a\x01a\x12\x02\x08\x00", "").in_field(0x22)
    }),
    ("proto: unknown fields", || {
        flood("", [0xfa, 0x01, 0x00], "").in_field(0x12)
    }),
    ("proto: a long text", || flood("", "a", "").in_field(0x0a)),
    ("proto: a file", || flood("", "a", "").in_field(0x9a)),
    ("proto: rubbish", || flood("", [0xff], "").in_field(0x12)),
];

/// Names the case that a process of its own is to run.
const CASE: &str = "A2A_KIT_MEMORY_CASE";

#[test]
fn no_request_takes_more_than_four_times_the_limit() {
    let program = std::env::current_exe().unwrap();
    for (name, _) in JSON.iter().chain(PROTO) {
        let bindings: &[&str] = if name.starts_with("proto") {
            &["grpc"]
        } else {
            &["rest", "jsonrpc"]
        };
        for binding in bindings {
            let output = Command::new(&program)
                .args(["--exact", "one_case", "--ignored", "--nocapture"])
                .env(CASE, format!("{binding}/{name}"))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && said.contains("1 passed"),
                "{binding}/{name}: {said}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn one_case() {
    let case = std::env::var(CASE).unwrap();
    let (binding, name) = case.split_once('/').unwrap();
    let (_, made) = JSON
        .iter()
        .chain(PROTO)
        .find(|(known, _)| *known == name)
        .unwrap();
    let (uri, content_type) = match binding {
        "rest" => ("/message:send", "application/json"),
        "jsonrpc" => ("/", "application/json"),
        _ => ("/lf.a2a.v1.A2AService/SendMessage", "application/grpc"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let start = status("VmRSS");
    runtime.block_on(async {
        let body = match binding {
            "rest" => made().body(LIMIT),
            "jsonrpc" => made().in_envelope().body(LIMIT),
            _ => made().body(LIMIT + 5),
        };
        let request = Request::post(uri)
            .header("content-type", content_type)
            .header("a2a-version", "1.0")
            .body(body)
            .unwrap();
        let (service, admission) = (Arc::new(BoxA2aService::new(Silent)), Arc::new(Open));
        let response = match binding {
            "rest" => Rest::new(service, admission).handle(request).await,
            "jsonrpc" => JsonRpc::new(service, admission).handle(request).await,
            _ => Grpc::new(service, admission).handle(request).await,
        };
        // The limit itself is kept, so the request was read.
        assert_ne!(response.status(), 413);
        if let Some(status) = response.headers().get("grpc-status") {
            assert_ne!(status, "8", "{:?}", response.headers());
        }
    });
    let grown = status("VmHWM").saturating_sub(start);
    println!("{case}: {} MiB", grown >> 20);
    assert!(grown <= 4 * LIMIT, "grew by {} MiB", grown >> 20);
}
