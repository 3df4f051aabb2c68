//! One size limit, at the same byte of every binding.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::*;

const LIMIT: usize = 100_000;

fn padded(body: &str, size: usize) -> String {
    format!("{body}{}", " ".repeat(size - body.len()))
}

/// A message that takes exactly so many bytes.
fn message_of(size: usize) -> Vec<u8> {
    let mut text = size - 64;
    loop {
        let message = send_message(&"x".repeat(text));
        match message.len().cmp(&size) {
            std::cmp::Ordering::Less => text += size - message.len(),
            std::cmp::Ordering::Equal => return message,
            std::cmp::Ordering::Greater => text -= 1,
        }
    }
}

#[tokio::test]
async fn the_limit_holds_at_the_same_byte_of_every_binding() {
    let running = Running::start(builder().request_limit(LIMIT)).await;
    for client in [http1(), http2()] {
        for (size, fits) in [
            (LIMIT - 1, true),
            (LIMIT, true),
            (LIMIT + 1, false),
            (LIMIT * 10, false),
        ] {
            let rpc = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{}}}",
                send_params("x")
            );
            let rpc = fetch(
                &client,
                post(&running.url("/"), "application/json", padded(&rpc, size)),
            )
            .await;
            assert_eq!(
                (rpc.status.as_u16(), rpc.json()["error"]["code"].as_i64()),
                if fits {
                    (200, None)
                } else {
                    (413, Some(-32600))
                },
                "{size}"
            );
            let rest = fetch(
                &client,
                post(
                    &running.url("/message:send"),
                    "application/json",
                    padded(&send_params("x"), size),
                ),
            )
            .await;
            assert_eq!(rest.status, if fits { 200 } else { 413 }, "{size}");
            if !fits {
                assert_eq!(rest.json()["error"]["details"], serde_json::json!([]));
                assert!(rpc.json()["error"].get("data").is_none());
            }
        }
    }
    for (size, code) in [(LIMIT - 1, 0), (LIMIT, 0), (LIMIT + 1, 8), (LIMIT * 10, 8)] {
        let call = fetch(&http2(), grpc(&running, "SendMessage", &message_of(size))).await;
        assert_eq!(call.grpc_status(), code, "{size}");
    }
}

#[tokio::test]
async fn the_default_limit_is_32_mib() {
    let running = Running::start(builder()).await;
    let limit = 32 << 20;
    for (size, fits) in [(limit, true), (limit + 1, false)] {
        let rest = fetch(
            &http1(),
            post(
                &running.url("/message:send"),
                "application/json",
                padded(&send_params("x"), size),
            ),
        )
        .await;
        assert_eq!(rest.status, if fits { 200 } else { 413 });
        let call = fetch(&http2(), grpc(&running, "SendMessage", &message_of(size))).await;
        assert_eq!(call.grpc_status(), if fits { 0 } else { 8 });
    }
}

#[tokio::test]
async fn a_client_that_writes_all_before_it_reads_sees_the_refusal() {
    let running = Running::start(builder().request_limit(LIMIT)).await;
    for (head, status) in [
        ("content-type: application/json", "413"),
        ("content-type: text/plain", "415"),
    ] {
        for framing in [
            format!("content-length: {}", 8 << 20),
            "transfer-encoding: chunked".to_owned(),
        ] {
            let mut stream = TcpStream::connect(running.address).await.unwrap();
            let request = format!(
                "POST / HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\n{head}\r\n{framing}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            let data = vec![b' '; 1 << 20];
            for _ in 0..8 {
                if framing.starts_with("transfer") {
                    stream.write_all(b"100000\r\n").await.unwrap();
                    stream.write_all(&data).await.unwrap();
                    stream.write_all(b"\r\n").await.unwrap();
                } else {
                    stream.write_all(&data).await.unwrap();
                }
            }
            if framing.starts_with("transfer") {
                stream.write_all(b"0\r\n\r\n").await.unwrap();
            }
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} ")),
                "{framing}: {answer}"
            );
        }
    }
}

#[tokio::test]
async fn a_client_that_waits_for_100_continue_is_refused_without_it() {
    let running = Running::start(builder().request_limit(LIMIT)).await;
    let request = format!(
        "POST / HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        LIMIT + 1
    );
    let answer = raw(running.address, request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(!answer.contains("100 Continue"));
}
