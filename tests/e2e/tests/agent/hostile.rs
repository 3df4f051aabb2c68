//! Bad input: always a clean error, never a panic, never a fault of the server.

use bytes::Bytes;
use e2e::client::http::{self, Connection, Whole};
use e2e::client::{decode, encode};
use e2e::{Binding, Client, Fault, Served, Setup, request, state, string, text};
use serde_json::{Value, json};

/// Sends bodies over one connection for each binding, and judges the answers.
struct Attack {
    served: Served,
    http1: Connection,
    http2: Connection,
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
        let (http1, http2) = (
            Connection::http1(served.addr).await,
            Connection::http2(served.addr).await,
        );
        Self {
            served,
            http1,
            http2,
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
        let response = self
            .http2
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

#[tokio::test]
async fn bodies_cut_at_every_byte() {
    let mut attack = Attack::new(Setup::new()).await;
    let params = rich().to_string();
    assert_eq!(
        attack.rest("/message:send", params.clone()).await,
        Verdict::Served
    );
    for end in 0..params.len() {
        let verdict = attack
            .rest("/message:send", params.as_bytes()[..end].to_vec())
            .await;
        assert_eq!(verdict, Verdict::Refused(400), "cut at {end}");
    }
    let body = envelope(&params);
    assert_eq!(attack.json_rpc(body.clone()).await, Verdict::Served);
    for end in 0..body.len() {
        let verdict = attack.json_rpc(body.as_bytes()[..end].to_vec()).await;
        assert_eq!(verdict, Verdict::Refused(-32700), "cut at {end}");
    }
    let message = encode("SendMessageRequest", &rich());
    let whole = framed(&message);
    assert_eq!(attack.grpc(whole.clone()).await, Verdict::Served);
    for end in 0..whole.len() {
        assert_eq!(
            attack.grpc(whole[..end].to_vec()).await,
            Verdict::Refused(3),
            "the frame cut at {end}"
        );
    }
    for end in 0..message.len() {
        // Between two fields a message is whole.
        let verdict = attack.grpc(framed(&message[..end])).await;
        assert!(
            [Verdict::Served, Verdict::Refused(3)].contains(&verdict),
            "the message cut at {end}: {verdict:?}"
        );
    }
    attack.end().await;
}

#[tokio::test]
async fn deep_nesting() {
    let mut attack = Attack::new(Setup::new()).await;
    for depth in [10, 60, 100, 127, 128, 129, 1_000, 100_000] {
        for (open, inner, close) in [("[", "", "]"), ("{\"a\":", "1", "}")] {
            let value = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            let bodies = [
                format!(
                    r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi"}}],"metadata":{{"deep":{value}}}}}}}"#
                ),
                format!(
                    r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi"}}],"unknown":{value}}}}}"#
                ),
                format!(r#"{{"unknown":{value}}}"#),
                value,
            ];
            for (index, params) in bodies.into_iter().enumerate() {
                let rest = attack.rest("/message:send", params.clone()).await;
                let json_rpc = attack.json_rpc(envelope(&params)).await;
                let served = index < 2 && depth <= 60;
                assert!(
                    !served || (&rest, &json_rpc) == (&Verdict::Served, &Verdict::Served),
                    "{depth} {open} {index}: {rest:?} {json_rpc:?}"
                );
                // What is not known is passed over without being kept, however deep it is.
                if index > 1 || (index == 0 && depth >= 1_000) {
                    assert!(
                        rest != Verdict::Served && json_rpc != Verdict::Served,
                        "{depth} {open} {index}"
                    );
                }
            }
        }
    }
    attack.end().await;
}

/// Field 1 of `bytes`.
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

#[tokio::test]
async fn what_one_binding_takes_the_others_can_answer() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    for depth in [1, 10, 20, 30, 40, 45, 48, 50, 60, 64, 80, 100, 1_000, 5_000] {
        let part = field(1, b"report fine");
        let entry = [field(1, b"deep"), field(2, &nested(depth))].concat();
        let metadata = field(6, &field(1, &entry));
        let message = [field(1, b"m"), vec![0x20, 1], field(5, &part), metadata].concat();
        let id = match client
            .grpc_message("SendMessage", &field(2, &message))
            .await
        {
            Ok(answer) => string(&answer.value, "/task/id"),
            Err(fault) => {
                assert!(depth >= 30 && fault.code == 3, "{depth}: {fault:?}");
                continue;
            }
        };
        for path in [format!("/tasks/{id}"), "/tasks".to_owned()] {
            let answer = http::call(served.addr, "GET", &path).await;
            assert_eq!(answer.status, 200, "{depth}: {answer:?}");
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": id}})
            .to_string();
        let answer = http::post(served.addr, "/", body).await;
        assert!(answer.text().contains("\"result\""), "{depth}: {answer:?}");
    }
}

#[tokio::test]
async fn megabytes_of_brackets_and_bombs_of_small_values() {
    let mut attack = Attack::new(Setup::new()).await;
    let (large, size) = (4 << 20, 1 << 20);
    let list = |item: &str| {
        format!(
            "[{}{item}]",
            format!("{item},").repeat(size / (item.len() + 1))
        )
    };
    for params in [
        "[".repeat(large),
        "{\"a\":".repeat(large / 5),
        format!(r#"{{"message":{}"#, "[".repeat(size)),
        format!(r#"{{"message":{{"parts":{}}}}}"#, list("{}")),
        format!(r#"{{"message":{{"parts":{}}}}}"#, list("null")),
        format!(r#"{{"message":{{"parts":{}}}}}"#, list(r#"{"text":5}"#)),
        format!(r#"{{"message":{{"extensions":{}}}}}"#, list("\"\"")),
        format!(r#"{{"message":{{"metadata":{{"a":{}}}}}}}"#, list("[]")),
        format!(r#"{{"unknown":{}}}"#, list("1")),
        "1".repeat(size),
        format!("\"{}", "a".repeat(size)),
        format!("\"{}\"", "\\u0000".repeat(size / 6)),
        " ".repeat(size),
        "\u{0}".repeat(size),
        format!("-{}", "0".repeat(size)),
        format!(r#"{{"{}":1}}"#, "k".repeat(size)),
    ] {
        let shown: String = params.chars().take(40).collect();
        assert!(
            matches!(
                attack.rest("/message:send", params.clone()).await,
                Verdict::Refused(400 | 413)
            ),
            "{shown}"
        );
        assert!(
            matches!(attack.json_rpc(params.clone()).await, Verdict::Refused(_)),
            "{shown}"
        );
        assert!(
            matches!(
                attack.json_rpc(envelope(&params)).await,
                Verdict::Refused(_)
            ),
            "{shown}"
        );
    }
    for message in [
        field(2, &[0x2a, 0].repeat(size / 2)),
        field(2, &[0x42, 0].repeat(size / 2)),
        vec![0xff; size],
        [0x12, 0].repeat(size / 2),
        vec![0x0b; size],
    ] {
        let verdict = attack.grpc(framed(&message)).await;
        assert!(
            matches!(verdict, Verdict::Refused(3 | 8)),
            "{:?}: {verdict:?}",
            &message[..4]
        );
    }
    attack.end().await;
}

#[tokio::test]
async fn wrong_types_in_every_place() {
    fn places(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Object(members) => members
                .iter()
                .for_each(|(name, value)| places(value, &format!("{at}/{name}"), out)),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(index, value)| places(value, &format!("{at}/{index}"), out)),
            _ => {}
        }
    }
    let mut attack = Attack::new(Setup::new()).await;
    let mut all = Vec::new();
    places(&rich(), "", &mut all);
    assert!(all.len() > 30);
    for place in all {
        for wrong in [
            "null",
            "true",
            "0",
            "-1",
            "1.5",
            "1e400",
            "99999999999999999999",
            "\"\"",
            "\"x\"",
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "{\"a\":1}",
            "\"\\ud800\"",
            "\"\\u0000\"",
        ] {
            // Put in as text, since not all of it is a value that can be kept.
            let mut request = rich();
            *request.pointer_mut(&place).expect("a place") = json!("@here@");
            let params = request.to_string().replace("\"@here@\"", wrong);
            attack.rest("/message:send", params.clone()).await;
            attack.json_rpc(envelope(&params)).await;
        }
    }
    attack.end().await;
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("small")
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.roll(3) {
            let at = self.roll(bytes.len());
            match self.roll(4) {
                0 => bytes[at] = u8::try_from(self.roll(256)).expect("a byte"),
                1 => bytes[at] ^= 1 << self.roll(8),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}[]\",:\\\x00\xff0e-"[self.roll(13)]),
            }
        }
    }
}

#[tokio::test]
async fn requests_with_a_few_bytes_changed() {
    let mut attack = Attack::new(Setup::new()).await;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (params, message) = (rich().to_string(), encode("SendMessageRequest", &rich()));
    for _ in 0..300 {
        let mut changed = params.clone().into_bytes();
        dice.mutate(&mut changed);
        attack.rest("/message:send", changed).await;
        let mut changed = envelope(&params).into_bytes();
        dice.mutate(&mut changed);
        attack.json_rpc(changed).await;
        let mut changed = message.to_vec();
        dice.mutate(&mut changed);
        attack.grpc(framed(&changed)).await;
        let mut changed = framed(&message);
        dice.mutate(&mut changed);
        attack.grpc(changed).await;
    }
    attack.end().await;
}

#[tokio::test]
async fn text_that_is_no_utf_8() {
    let mut attack = Attack::new(Setup::new()).await;
    let params = rich().to_string();
    for bad in [
        &b"\xff"[..],
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x80",
    ] {
        for place in ["m 1", "report", "a.test", "messageId", "text/plain"] {
            let at = params.find(place).expect("a place");
            let mut broken = params.clone().into_bytes();
            broken.splice(at..at, bad.iter().copied());
            assert_eq!(
                attack.rest("/message:send", broken).await,
                Verdict::Refused(400),
                "{bad:?} {place}"
            );
            let mut broken = envelope(&params).into_bytes();
            let at = at + envelope("").find("params\":").expect("params") + 8;
            broken.splice(at..at, bad.iter().copied());
            assert_eq!(
                attack.json_rpc(broken).await,
                Verdict::Refused(-32700),
                "{bad:?} {place}"
            );
        }
        let message = [field(1, bad), vec![0x20, 1], field(5, &field(1, b"hi"))].concat();
        assert_eq!(
            attack.grpc(framed(&field(2, &message))).await,
            Verdict::Refused(3),
            "{bad:?}"
        );
        let message = [field(1, b"m"), vec![0x20, 1], field(5, &field(1, bad))].concat();
        assert_eq!(
            attack.grpc(framed(&field(2, &message))).await,
            Verdict::Refused(3),
            "{bad:?}"
        );
    }
    for path in [
        "/tasks/%ff",
        "/tasks/%c0%80",
        "/tasks/%",
        "/tasks/%zz",
        "/tasks/%e2%80:cancel",
        "/tasks?contextId=%ff",
        "/tasks?%ff=1",
        "/tasks/a/pushNotificationConfigs/%ff",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let answer = http::call(attack.served.addr, method, path).await;
            let status = answer.status.as_u16();
            assert!(
                (400..500).contains(&status) || (path.contains("?%ff") && status == 200),
                "{method} {path}: {answer:?}"
            );
        }
    }
    attack.end().await;
}

#[tokio::test]
async fn ids_with_control_characters() {
    let served = Setup::new().start().await;
    let ids = [
        "\u{0}",
        "a\r\nx-evil: 1",
        "\u{7f}",
        "\u{1b}[31m",
        "\u{2028}\u{2029}\u{85}",
        "\u{202e}\u{feff}",
        "../../etc",
        "%00",
        "\u{10ffff}",
        " ",
        "\t",
    ];
    for id in ids {
        let mut faults = Vec::new();
        for binding in Binding::ALL {
            let client = served.client(binding);
            let fault = client.fault("GetTask", json!({"id": id})).await;
            fault.assert_is(e2e::errors::TASK_NOT_FOUND);
            assert_eq!(fault.metadata("taskId"), id, "{binding:?}");
            assert!(!fault.headers.contains_key("x-evil"), "{fault:?}");
            faults.push(fault.message);

            // As ids of the client's own they are texts like any other.
            let mut odd = request("ask what?");
            odd["message"]["messageId"] = id.into();
            odd["message"]["contextId"] = id.into();
            let task = client.send(odd).await;
            assert_eq!(
                (
                    task["contextId"].as_str(),
                    task["history"][0]["messageId"].as_str()
                ),
                (Some(id), Some(id)),
                "{binding:?}"
            );
            let listed = client.ok("ListTasks", json!({"contextId": id})).await;
            assert!(
                listed["totalSize"].as_i64() >= Some(1),
                "{binding:?} {id:?}: {listed}"
            );
            let hook = json!({"taskId": task["id"], "id": id, "url": "https://a.test/"});
            assert_eq!(
                client.ok("CreateTaskPushNotificationConfig", hook).await["id"],
                id
            );
            let get = json!({"taskId": task["id"], "id": id});
            assert_eq!(
                client.ok("GetTaskPushNotificationConfig", get).await["id"],
                id,
                "{binding:?}"
            );
        }
        assert!(
            faults.iter().all(|message| *message == faults[0]),
            "{faults:?}"
        );
    }
}

#[tokio::test]
async fn ids_of_any_length() {
    let served = Setup::new()
        .server(|server| server.request_limit(1 << 20))
        .start()
        .await;
    let long = "é".repeat(5_000);
    for binding in Binding::ALL {
        let client = served.client(binding);
        let outcome: Result<_, Fault> = client.call("CancelTask", json!({"id": long})).await;
        let fault = outcome.expect_err("refused");
        fault.assert_is(e2e::errors::TASK_NOT_FOUND);
        assert!(
            fault.message.len() < 2_000 && fault.metadata("taskId").len() < 2_000,
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn one_limit_at_the_same_byte_of_all_bindings() {
    const LIMIT: usize = 5_000;
    let mut attack = Attack::new(Setup::new().server(|server| server.request_limit(LIMIT))).await;
    let padded = |make: &dyn Fn(&str) -> Vec<u8>, size: usize| {
        let filler = size - make("").len();
        let body = make(&"x".repeat(filler));
        assert_eq!(body.len(), size);
        body
    };
    let params = |text: &str| {
        json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}})
            .to_string()
    };
    let rest = |text: &str| params(text).into_bytes();
    let json_rpc = |text: &str| envelope(&params(text)).into_bytes();
    // The lengths in front of texts of some thousand bytes are two bytes long each.
    let grpc = |text: &str| {
        let text = if text.is_empty() {
            "x".repeat(4_000)
        } else {
            format!("{}{text}", "x".repeat(4_000))
        };
        encode(
            "SendMessageRequest",
            &json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": text}]}}),
        )
        .to_vec()
    };
    for size in [LIMIT - 1, LIMIT] {
        assert_eq!(
            attack.rest("/message:send", padded(&rest, size)).await,
            Verdict::Served,
            "{size}"
        );
        assert_eq!(
            attack.json_rpc(padded(&json_rpc, size)).await,
            Verdict::Served,
            "{size}"
        );
        assert_eq!(
            attack.grpc(framed(&padded(&grpc, size))).await,
            Verdict::Served,
            "{size}"
        );
    }
    for size in [LIMIT + 1, LIMIT + 2, 3 * LIMIT] {
        // The server may close a connection whose request it did not read to its end.
        let served = &attack.served;
        let answer = http::post(served.addr, "/message:send", padded(&rest, size)).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["error"]["details"]),
            (413, &json!([])),
            "{size}: {answer:?}"
        );
        let answer = http::post(served.addr, "/", padded(&json_rpc, size)).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["error"]["code"]),
            (413, &json!(-32600)),
            "{size}: {answer:?}"
        );
        assert_eq!(
            attack.grpc(framed(&padded(&grpc, size))).await,
            Verdict::Refused(8),
            "{size}"
        );
    }
    // In chunks, where the length is not known beforehand.
    for (size, status) in [(LIMIT, "200"), (LIMIT + 1, "413")] {
        let body = padded(&rest, size);
        let mut bytes = b"POST /message:send HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in body.chunks(1_000) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        let answer = http::raw(attack.served.addr, &bytes).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{size}: {answer}"
        );
    }
    attack.end().await;
}

#[tokio::test]
async fn heads_that_are_no_requests() {
    let served = Setup::new().start().await;
    let long = "x".repeat(100_000);
    for (head, statuses) in [
        ("GARBAGE\r\n\r\n".to_owned(), "400"),
        (format!("GET /{long} HTTP/1.1\r\nHost: a\r\n\r\n"), "414 431"),
        (format!("GET / HTTP/1.1\r\nHost: a\r\nX: {long}\r\n\r\n"), "431"),
        (format!("GET /tasks HTTP/1.1\r\nHost: a\r\nA2A-Version: {}\r\nConnection: close\r\n\r\n", &long[..9_000]), "400"),
        (format!("GET /tasks?{} HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n", "a=1&".repeat(10_000)), "400"),
        (format!("GET /{} HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n", "a/".repeat(5_000)), "404"),
        ("BREW /tasks HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n".to_owned(), "405"),
        ("GET http://a/tasks HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nConnection: close\r\n\r\n".to_owned(), "200"),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(), "404 405"),
        ("POST /message:send HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n".to_owned(), "400"),
        ("POST /message:send HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello".to_owned(), "400"),
        ("GET /tasks HTTP/1.0\r\nA2A-Version: 1.0\r\n\r\n".to_owned(), "200"),
    ] {
        let answer = http::raw(served.addr, head.as_bytes()).await;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(statuses.split(' ').any(|expected| expected == status), "{}: {answer}", head.lines().next().unwrap_or_default());
    }
    let client: Client = served.client(Binding::Rest);
    assert_eq!(
        text(&client.send(request("still here")).await),
        "still here"
    );
}

#[tokio::test]
async fn thousands_of_requests_on_one_connection() {
    let mut attack = Attack::new(Setup::new()).await;
    let call = envelope(&request("hello").to_string());
    let message = framed(&encode("SendMessageRequest", &request("hello")));
    for _ in 0..1_000 {
        assert_eq!(attack.json_rpc(call.clone()).await, Verdict::Served);
        assert_eq!(attack.grpc(message.clone()).await, Verdict::Served);
        assert_eq!(
            attack.rest("/message:send", "{").await,
            Verdict::Refused(400)
        );
    }
    assert_eq!(attack.served.live_tasks(), 0);
    attack.end().await;
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
