//! Bad input: always a clean error, never a panic, never a fault of the server.

mod bodies;
mod limits;
mod texts;

use bytes::Bytes;
use e2e::client::decode;
use e2e::client::http::{self, Connection, Whole};
use e2e::{Binding, Served, Setup, request, state};
use serde_json::{Value, json};

/// Sends bodies over one connection for each binding, and judges the answers.
struct Attack {
    served: Served,
    http1: Connection,
    /// Made when it is used first: a server gives up on clients that ask for nothing.
    http2: Option<Connection>,
}

/// How a bad request was answered.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// As if there were nothing wrong with it.
    Served,
    /// HTTP+JSON: the status. JSON-RPC and gRPC: the code.
    Refused(i64),
}

impl Attack {
    async fn new(setup: Setup) -> Self {
        let served = setup.start().await;
        let http1 = Connection::http1(served.addr).await;
        Self {
            served,
            http1,
            http2: None,
        }
    }

    async fn rest(&mut self, path: &str, body: impl Into<Bytes>) -> Verdict {
        let request = http::request("POST", path).header("content-type", "application/json");
        let answer = Whole::read(
            self.http1
                .send(request.body(body.into()).expect("a request"))
                .await,
        )
        .await;
        if answer.status.is_success() {
            return Verdict::Served;
        }
        let error = &answer.json()["error"];
        assert_eq!(error["code"], answer.status.as_u16(), "{answer:?}");
        assert!(
            (400..500).contains(&answer.status.as_u16()),
            "no fault of the server: {answer:?}"
        );
        assert!(
            answer.body.len() < 64 << 10,
            "an answer of {} bytes",
            answer.body.len()
        );
        Verdict::Refused(answer.status.as_u16().into())
    }

    async fn json_rpc(&mut self, body: impl Into<Bytes>) -> Verdict {
        let request = http::request("POST", "/").header("content-type", "application/json");
        let answer = Whole::read(
            self.http1
                .send(request.body(body.into()).expect("a request"))
                .await,
        )
        .await;
        let object = answer.json();
        assert_eq!(object["jsonrpc"], "2.0", "{answer:?}");
        if object.get("result").is_some() {
            return Verdict::Served;
        }
        let code = object["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no code: {object}"));
        assert_ne!(code, -32603, "no fault of the server: {object}");
        assert!(matches!(answer.status.as_u16(), 200 | 413), "{answer:?}");
        assert!(
            answer.body.len() < 64 << 10,
            "an answer of {} bytes",
            answer.body.len()
        );
        Verdict::Refused(code)
    }

    /// The body is framed already.
    async fn grpc(&mut self, body: impl Into<Bytes>) -> Verdict {
        let request = http::request("POST", "/lf.a2a.v1.A2AService/SendMessage");
        let request = request
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        let connection = match &mut self.http2 {
            Some(connection) => connection,
            None => self.http2.insert(Connection::http2(self.served.addr).await),
        };
        let response = connection
            .send(request.body(body.into()).expect("a request"))
            .await;
        let (parts, body) = response.into_parts();
        let body = http_body_util::BodyExt::collect(body)
            .await
            .expect("an answer");
        let trailers = body.trailers().cloned().unwrap_or_default();
        let status = parts
            .headers
            .get("grpc-status")
            .or(trailers.get("grpc-status"))
            .expect("a status");
        match status
            .to_str()
            .expect("a number")
            .parse()
            .expect("a number")
        {
            0 => Verdict::Served,
            code => {
                assert!(
                    ![2, 13, 14].contains(&code),
                    "no fault of the server: {parts:?} {trailers:?}"
                );
                Verdict::Refused(code)
            }
        }
    }

    /// After all that, an ordinary call is served as ever.
    async fn end(self) {
        for binding in Binding::ALL {
            let task = self
                .served
                .client(binding)
                .send(request("report fine"))
                .await;
            assert_eq!(state(&task), "COMPLETED");
        }
    }
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a message of 32 bits");
    [&[0][..], &length.to_be_bytes(), message].concat()
}

fn envelope(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{params}}}"#)
}

/// A request with everything in it.
fn rich() -> Value {
    json!({
        "message": {
            "messageId": "m 1/é", "role": "ROLE_USER", "contextId": "c-1", "taskId": "",
            "parts": [
                {"text": "report é😀\u{2028}", "mediaType": "text/plain", "filename": "a"},
                {"raw": "AAEC", "metadata": {"n": null}},
                {"url": "https://a.test/"},
            ],
            "metadata": {"a": [1, -2.5, true, null, {"b": "c"}]}, "extensions": ["x"], "referenceTaskIds": [],
        },
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "returnImmediately": true,
            "taskPushNotificationConfig": {"url": "https://a.test/", "authentication": {"scheme": "Bearer"}}},
        "metadata": {"k": "v"},
    })
}

/// A field with these bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    prost::encoding::encode_varint(bytes.len() as u64, &mut out);
    out.extend_from_slice(bytes);
    out
}

/// `Value`s within `Value`s, by lists.
fn nested(depth: usize) -> Vec<u8> {
    let mut value = vec![0x20, 1];
    for _ in 0..depth {
        value = field(6, &field(1, &value));
    }
    value
}

#[test]
fn messages_built_by_hand_are_messages() {
    // What `field` writes is what the descriptors read.
    let message = [field(1, b"m"), vec![0x20, 1], field(5, &field(1, b"hi"))].concat();
    assert_eq!(
        decode("Message", &message[..]),
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]})
    );
    let metadata = decode(
        "Message",
        &field(
            6,
            &field(1, &[field(1, b"deep"), field(2, &nested(2))].concat()),
        )[..],
    );
    assert_eq!(metadata["metadata"], json!({"deep": [[true]]}));
}
