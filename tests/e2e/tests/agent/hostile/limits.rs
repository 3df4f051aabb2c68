//! How large requests may be, how many, and what heads they have.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use e2e::client::encode;
use e2e::client::http;
use e2e::{Binding, Client, Setup, request, state, text};
use serde_json::json;

use super::{Attack, Verdict, envelope, framed};

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
async fn a_file_of_twelve_megabytes_is_taken_by_default() {
    let served = Setup::new().start().await;
    let file = STANDARD.encode(vec![7; 12 << 20]);
    for binding in Binding::ALL {
        let mut large = request("report fine");
        large["message"]["parts"] =
            json!([{"text": "report fine"}, {"raw": file, "filename": "x"}]);
        large["configuration"] = json!({"historyLength": 0});
        assert_eq!(
            state(&served.client(binding).send(large).await),
            "COMPLETED",
            "{binding:?}"
        );
    }
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
    for _ in 0..700 {
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
