//! What is sent to the addresses of v0.3 by those who mean no good, or cannot do better. Every answer
//! has the form of the version, and the agent goes on.

use bytes::Bytes;
use e2e::client::http::{self, Whole};
use e2e::{Binding, Client, Served, Setup};
use serde_json::{Value, json};

use super::{V0_3, V1_0, serving};

async fn served() -> Served {
    serving(Setup::new(), &[V1_0, V0_3]).start().await
}

async fn post(served: &Served, path: &str, media_type: &str, body: impl Into<Bytes>) -> Whole {
    let request = ::http::Request::post(path).header("content-type", media_type);
    http::exchange(served.addr, request.body(body.into()).unwrap()).await
}

fn code(answer: &Whole) -> Value {
    let body = answer.json();
    let error = body.get("error").unwrap_or(&body);
    assert!(error["message"].is_string(), "{answer:?}");
    assert!(
        error.get("data").is_none() && error.get("details").is_none(),
        "{answer:?}"
    );
    error["code"].clone()
}

async fn goes_on(served: &Served) {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user","parts":[{"text":"report x"}]}}}"#;
    let answer = post(served, "/", "application/json", body).await.json();
    assert_eq!(answer["result"]["status"]["state"], "completed", "{answer}");
}

#[tokio::test]
async fn json_rpc() {
    let served = served().await;
    let deep = |open: &str, close: &str| open.repeat(5_000) + "0" + &close.repeat(5_000);
    let send = |message: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{"message":{message}}}}}"#
        )
    };
    let parts = |parts: &str| {
        send(&format!(
            r#"{{"messageId":"m","role":"user","parts":{parts}}}"#
        ))
    };
    for (body, expected) in [
        (String::new(), -32700),
        ("{".into(), -32700),
        ("\u{feff}{}".into(), -32700),
        ("[]".into(), -32600),
        ("null".into(), -32600),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"tasks/get"}"#.into(),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","method":"tasks/get"}"#.into(), -32600),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"tasks/get"}"#.into(),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":[]}"#.into(),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":7}}"#.into(),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":null}}"#.into(),
            -32602,
        ),
        (send("7"), -32602),
        (send("null"), -32602),
        (parts("[]"), -32602),
        (parts("[{}]"), -32602),
        (parts(r#"[{"kind":"video"}]"#), -32602),
        (parts(r#"[{"kind":7,"text":"x"}]"#), -32602),
        (parts(r#"[{"kind":"file","file":{}}]"#), -32602),
        (parts(r#"[{"kind":"file","file":{"bytes":"*"}}]"#), -32602),
        (parts(r#"[{"kind":"data","data":NaN}]"#), -32700),
        (parts(&deep("[", "]")), -32602),
        (
            parts(&format!(
                r#"[{{"kind":"data","data":{}}}]"#,
                deep("{\"a\":", "}")
            )),
            -32602,
        ),
        (
            send(r#"{"messageId":"m","role":"nobody","parts":[{"text":"x"}]}"#),
            -32602,
        ),
    ] {
        let answer = post(&served, "/", "application/json", body.clone()).await;
        let shown = &body[..body.len().min(200)];
        assert_eq!(code(&answer), expected, "{shown}: {answer:?}");
    }
    let answer = post(
        &served,
        "/",
        "text/plain",
        parts(r#"[{"text":"report x"}]"#),
    )
    .await;
    assert_eq!(
        (answer.status.as_u16(), code(&answer)),
        (415, json!(-32005))
    );
    let answer = post(
        &served,
        "/",
        "application/json",
        parts(r#"[{"text":"panic"}]"#),
    )
    .await;
    let body = answer.json();
    let failed = body["result"]["status"]["state"] == "failed" || body["error"]["code"] == -32603;
    assert!(failed, "{body}");
    goes_on(&served).await;
}

#[tokio::test]
async fn http_in_both_languages() {
    let served = served().await;
    let send = "/v1/message:send";
    for body in [
        "",
        "{",
        "[]",
        "7",
        r#"{"message":7}"#,
        r#"{"request":{"content":[{"text":"x"}]}}"#,
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"file","file":{"bytes":"*"}}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithBytes":"*"}}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{}]}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":7}}"#,
    ] {
        let answer = post(&served, send, "application/json", body).await;
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        let code = code(&answer);
        assert!(code == -32602 || code == -32700, "{body}: {answer:?}");
    }
    let answer = post(&served, send, "text/plain", "{}").await;
    assert_eq!(
        (answer.status.as_u16(), code(&answer)),
        (415, json!(-32005))
    );
    for path in [
        "/v1/tasks/a%2Fb",
        "/v1/tasks/%00",
        "/v1/tasks/%ff",
        "/v1/tasks/..%2f..",
        "/v1/tasks/none?historyLength=x",
        "/v1/tasks/none?historyLength=99999999999",
        "/v1/tasks/none/pushNotificationConfigs/a%2Fb",
    ] {
        // Under 1.0 these are of a tenant whom the agent does not have.
        let answer = http::call(served.addr, "GET", path).await;
        let request = ::http::Request::get(path).body(Bytes::new()).unwrap();
        let plain = http::exchange(served.addr, request).await;
        assert!(
            matches!(plain.status.as_u16(), 400 | 404),
            "{path}: {plain:?}"
        );
        assert!(answer.status.is_client_error(), "{path}: {answer:?}");
        code(&plain);
    }
    goes_on(&served).await;
}

/// Makes the body of a message of this text.
type Make<'a> = &'a dyn Fn(&str) -> Value;

#[tokio::test]
async fn one_limit_at_the_same_byte() {
    const LIMIT: usize = 5_000;
    let setup = serving(Setup::new(), &[V1_0, V0_3]);
    let served = setup
        .server(|server| server.request_limit(LIMIT))
        .start()
        .await;
    let rpc = |text: &str| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message":
            {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": text}]}}})
    };
    let schema = |text: &str| rpc(text)["params"].clone();
    let proto = |text: &str| json!({"request": {"messageId": "m", "role": "ROLE_USER", "content": [{"text": text}]}});
    let ways: [(&str, Make<'_>); 3] = [
        ("/", &rpc),
        ("/v1/message:send", &schema),
        ("/v1/message:send", &proto),
    ];
    for (path, make) in ways {
        for (size, status) in [(LIMIT, 200), (LIMIT + 1, 413)] {
            let filler = "x".repeat(size - make("").to_string().len());
            let body = make(&filler).to_string();
            assert_eq!(body.len(), size);
            let answer = post(&served, path, "application/json", body).await;
            assert_eq!(answer.status, status, "{path} {size}: {answer:?}");
            if status == 413 {
                code(&answer);
            }
        }
    }
    let client = Client::new(served.addr, Binding::Grpc).version(None);
    for (size, expected) in [(LIMIT, 3), (LIMIT + 1, 8)] {
        let mut frame = vec![0];
        frame.extend(u32::try_from(size).unwrap().to_be_bytes());
        frame.resize(5 + size, 0xff);
        let fault = client
            .grpc_raw("/a2a.v1.A2AService/SendMessage", frame)
            .await
            .unwrap_err();
        assert_eq!(fault.code, expected, "{size}: {fault:?}");
    }
}

#[tokio::test]
async fn grpc() {
    let served = served().await;
    let client = Client::new(served.addr, Binding::Grpc).version(None);
    let ask = async |path: &str, message: &[u8]| {
        let mut frame = vec![0, 0, 0, 0, u8::try_from(message.len()).unwrap()];
        frame.extend_from_slice(message);
        client.grpc_raw(path, frame).await.unwrap_err().code
    };
    for (path, message, expected) in [
        ("/a2a.v1.A2AService/Nothing", &b""[..], 12),
        ("/a2a.v1.A2AService/ListTasks", b"", 12),
        ("/a2a.v1.A2AService/", b"", 12),
        ("/a2a.v2.A2AService/GetTask", b"", 12),
        ("/a2a.v1.A2AService/GetTask", b"", 3),
        ("/a2a.v1.A2AService/GetTask", b"\xff\xff", 3),
        ("/a2a.v1.A2AService/GetTask", b"\x0a\x02\xc3\x28", 3),
        // A name of v1.0 is no resource name.
        ("/a2a.v1.A2AService/GetTask", b"\x0a\x04none", 3),
        ("/a2a.v1.A2AService/GetTask", b"\x0a\x06tasks/", 3),
        ("/a2a.v1.A2AService/GetTask", b"\x0a\x09tasks/a/b", 3),
        ("/a2a.v1.A2AService/SendMessage", b"\x0a\x00", 3),
    ] {
        assert_eq!(ask(path, message).await, expected, "{path} {message:?}");
    }
    goes_on(&served).await;
}

/// Both versions and all operations of a connection at once.
#[tokio::test]
async fn versions_take_turns_on_one_connection() {
    let served = served().await;
    let mut connection = http::Connection::http2(served.addr).await;
    for round in 0..20 {
        for (version, method) in [(None, "tasks/get"), (Some("1.0"), "GetTask")] {
            let body =
                json!({"jsonrpc": "2.0", "id": round, "method": method, "params": {"id": "none"}});
            let mut request = ::http::Request::post(format!("http://{}/", served.addr))
                .header("content-type", "application/json");
            if let Some(version) = version {
                request = request.header("a2a-version", version);
            }
            let answer = connection
                .send(request.body(body.to_string()).unwrap())
                .await;
            let error = Whole::read(answer).await.json()["error"].clone();
            assert_eq!(error["code"], -32001, "{error}");
            assert_eq!(error.get("data").is_some(), version.is_some(), "{error}");
        }
    }
}
