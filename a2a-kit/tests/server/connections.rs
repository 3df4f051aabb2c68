//! Connections: two protocols on one port, upgrades, timeouts, the end of a server.

use std::time::Duration;

use a2a_kit::Server;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::*;

#[tokio::test]
async fn http_1_and_http_2_share_the_port() {
    let running = Running::start(builder()).await;
    for client in [http1(), http2()] {
        assert_eq!(
            fetch(&client, get(&running.url("/tasks/t1"))).await.json()["id"],
            "t1"
        );
        let rpc = fetch(
            &client,
            json_rpc(&running.url("/"), "GetTask", "{\"id\":\"t1\"}"),
        )
        .await;
        assert_eq!(rpc.json()["result"]["id"], "t1");
    }
    assert_eq!(
        fetch(&http2(), grpc(&running, "GetTask", b"\x12\x02t1"))
            .await
            .grpc_status(),
        0
    );
}

#[tokio::test]
async fn a_post_that_asks_to_upgrade_keeps_its_body() {
    let running = Running::start(builder()).await;
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"SendMessage\",\"params\":{}}}",
        send_params("hello")
    );
    let request = format!(
        "POST / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\
         a2a-version: 1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(running.address, request.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains("\"id\":7") && answer.contains("\"text\":\"hello\""),
        "{answer}"
    );
}

#[tokio::test]
async fn a_chunked_body_is_a_body() {
    let running = Running::start(builder()).await;
    let body = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"SendMessage\",\"params\":{}}}",
        send_params("hello")
    );
    let mut request = "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\na2a-version: 1.0\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
    for chunk in body.as_bytes().chunks(7) {
        request += &format!(
            "{:x}\r\n{}\r\n",
            chunk.len(),
            std::str::from_utf8(chunk).unwrap()
        );
    }
    let answer = raw(running.address, (request + "0\r\n\r\n").as_bytes()).await;
    assert!(answer.contains("\"text\":\"hello\""), "{answer}");
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed_after_a_while() {
    let timeout = Duration::from_millis(100);
    let running = Running::start(builder().header_timeout(timeout)).await;
    for begin in [
        &b""[..],
        b"P",
        b"PRI * HTTP/2.0\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\n",
    ] {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        stream.write_all(begin).await.unwrap();
        let mut rest = Vec::new();
        // Ends only when the server closes; the test runner would stop it otherwise.
        let _ = stream.read_to_end(&mut rest).await;
    }
}

#[tokio::test]
async fn a_connection_that_is_in_use_is_left_alone() {
    let desk = Desk::default();
    let running = Running::start(
        Server::builder(desk.clone(), card())
            .header_timeout(Duration::from_millis(50))
            .keep_alive(Some(Duration::from_millis(30))),
    )
    .await;
    for client in [http1(), http2()] {
        let request = post(
            &running.url("/message:stream"),
            "application/json",
            send_params("open"),
        );
        let mut body = client.request(request).await.unwrap().into_body();
        // More comments than fit into the timeout.
        for _ in 0..6 {
            assert!(body.frame().await.unwrap().is_ok());
        }
        desk.until_open(1).await;
        drop(body);
        desk.until_open(0).await;
    }
}

#[tokio::test]
async fn a_server_that_stops_lets_a_call_end() {
    let desk = Desk::default();
    let mut running = Running::start(
        Server::builder(desk.clone(), card()).shutdown_grace(Duration::from_secs(60)),
    )
    .await;
    let request = post(
        &running.url("/message:stream"),
        "application/json",
        send_params("open"),
    );
    let mut body = http1().request(request).await.unwrap().into_body();
    assert!(body.frame().await.unwrap().is_ok());
    running.stop();
    // No new connection is taken. (The listener is closed when the loop has seen the signal.)
    while TcpStream::connect(running.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    desk.until_open(1).await;
    drop(body);
    desk.until_open(0).await;
    running.stopped().await;
}

#[tokio::test]
async fn a_server_that_stops_cuts_what_does_not_end() {
    let desk = Desk::default();
    let mut running = Running::start(
        Server::builder(desk.clone(), card()).shutdown_grace(Duration::from_millis(50)),
    )
    .await;
    let mut bodies = Vec::new();
    for client in [http1(), http2()] {
        let request = post(
            &running.url("/message:stream"),
            "application/json",
            send_params("open"),
        );
        let mut body = client.request(request).await.unwrap().into_body();
        assert!(body.frame().await.unwrap().is_ok());
        bodies.push(body);
    }
    desk.until_open(2).await;
    running.stop();
    running.stopped().await;
    desk.until_open(0).await;
    for mut body in bodies {
        assert!(
            !matches!(body.frame().await, Some(Ok(_))),
            "the stream is cut"
        );
    }
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_end() {
    let mut running = Running::start(builder().shutdown_grace(Duration::from_secs(60))).await;
    let (one, two) = (http1(), http2());
    assert_eq!(
        fetch(&one, get(&running.url("/tasks/t1"))).await.status,
        200
    );
    assert_eq!(
        fetch(&two, get(&running.url("/tasks/t1"))).await.status,
        200
    );
    let silent = TcpStream::connect(running.address).await.unwrap();
    running.stop();
    running.stopped().await;
    drop((one, two, silent));
}

#[tokio::test]
async fn more_connections_than_allowed_wait_for_their_turn() {
    let running = Running::start(builder().max_connections(1)).await;
    let first = TcpStream::connect(running.address).await.unwrap();
    let address = running.address;
    let second = tokio::spawn(async move {
        raw(
            address,
            b"GET /tasks/t1 HTTP/1.1\r\nhost: x\r\na2a-version: 1.0\r\nconnection: close\r\n\r\n",
        )
        .await
    });
    drop(first);
    assert!(second.await.unwrap().starts_with("HTTP/1.1 200 OK\r\n"));
}
