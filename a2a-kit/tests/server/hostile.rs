//! Requests that nobody means well.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn bodies_cut_at_every_byte_are_refused_cleanly() {
    let running = Running::start(builder()).await;
    let (one, two) = (http1(), http2());
    let body = send_params("é😀");
    let rpc =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{body}}}");
    for cut in 0..rpc.len() {
        let got = fetch(
            &one,
            post(
                &running.url("/"),
                "application/json",
                rpc.as_bytes()[..cut].to_vec(),
            ),
        )
        .await;
        assert_eq!(
            (got.status.as_u16(), &got.json()["error"]["code"]),
            (200, &json!(-32700)),
            "{cut}"
        );
    }
    for cut in 0..body.len() {
        let got = fetch(
            &one,
            post(
                &running.url("/message:send"),
                "application/json",
                body.as_bytes()[..cut].to_vec(),
            ),
        )
        .await;
        assert_eq!(got.status, 400, "{cut}: {}", got.text());
    }
    let message = send_message("é😀");
    for cut in 0..message.len() {
        // A whole gRPC message whose protobuf is cut; some cuts are valid, and lack a field.
        let got = fetch(&two, grpc(&running, "SendMessage", &message[..cut])).await;
        assert_eq!(got.grpc_status(), 3, "{cut}");
    }
}

#[tokio::test]
async fn nesting_wrong_types_and_wrong_text_are_refused_cleanly() {
    let running = Running::start(builder()).await;
    let (one, two) = (http1(), http2());
    let deep = |open: &str, close: &str, depth: usize| {
        format!("{}{}", open.repeat(depth), close.repeat(depth))
    };
    let bodies: Vec<Vec<u8>> = vec![
        "[".repeat(4 << 20).into(),
        "{\"message\":".repeat(1 << 20).into(),
        deep("[", "]", 1 << 20).into(),
        format!("{{\"message\":{}}}", deep("[", "]", 100_000)).into(),
        format!("{{\"metadata\":{}}}", deep("{\"a\":", "}", 50_000).replace("}{", "1}{")).into(),
        format!("{{\"message\":{{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{{\"data\":{}}}]}}}}", deep("[", "]", 10_000)).into(),
        b"{\"message\":7}".to_vec(),
        b"{\"message\":\"x\"}".to_vec(),
        b"{\"message\":[]}".to_vec(),
        b"{\"message\":{\"parts\":{}}}".to_vec(),
        b"{\"message\":{\"messageId\":7,\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"a\"}]}}".to_vec(),
        b"{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_KING\",\"parts\":[{\"text\":\"a\"}]}}".to_vec(),
        b"{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"a\",\"url\":\"b\"}]}}".to_vec(),
        b"{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[]}}".to_vec(),
        b"{\"message\":{\"messageId\":\"\xff\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"a\"}]}}".to_vec(),
        b"{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"\\ud800\"}]}}".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"\0".to_vec(),
        b"null".to_vec(),
        b"{}".to_vec(),
    ];
    for body in &bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        let rest = fetch(
            &one,
            post(
                &running.url("/message:send"),
                "application/json",
                body.clone(),
            ),
        )
        .await;
        assert!(
            matches!(rest.status.as_u16(), 400 | 413),
            "{shown}: {} {}",
            rest.status,
            rest.text()
        );
        assert_ne!(rest.json()["error"]["message"], "", "{shown}");
        let rpc = [
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":",
            &body[..],
            b"}",
        ]
        .concat();
        let rpc = fetch(&one, post(&running.url("/"), "application/json", rpc)).await;
        assert!(
            matches!(
                rpc.json()["error"]["code"].as_i64(),
                Some(-32700 | -32602 | -32600)
            ),
            "{shown}: {}",
            rpc.text()
        );
    }
    // The same in protobuf: nesting, wrong wire types, text that is none.
    let mut nested = vec![0x0a, 0x00];
    for _ in 0..1000 {
        let mut outer = vec![0x2a];
        prost::encoding::encode_varint(nested.len() as u64, &mut outer);
        outer.extend_from_slice(&nested);
        nested = outer;
    }
    for message in [
        nested,
        vec![0xff; 1000],
        vec![0x12],
        vec![0x10, 0x01],
        vec![0x12, 0x03, 0x0a, 0x01, 0xff],
        vec![0; 10],
        vec![0x12; 100_000],
    ] {
        let got = fetch(&two, grpc(&running, "SendMessage", &message)).await;
        assert_eq!(
            got.grpc_status(),
            3,
            "{:?}",
            &message[..message.len().min(8)]
        );
    }
}

#[tokio::test]
async fn requests_of_too_many_values_are_refused_on_every_binding() {
    let running = Running::start(builder()).await;
    let parts = "{},".repeat(8 << 20);
    let body = format!(
        "{{\"message\":{{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{parts}{{}}]}}}}"
    );
    let rest = fetch(
        &http1(),
        post(
            &running.url("/message:send"),
            "application/json",
            body.clone(),
        ),
    )
    .await;
    assert_eq!(
        (
            rest.status.as_u16(),
            rest.text().contains("too many elements")
        ),
        (400, true),
        "{}",
        rest.text()
    );
    let rpc =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{body}}}");
    let rpc = fetch(&http1(), post(&running.url("/"), "application/json", rpc)).await;
    assert_eq!(
        (
            &rpc.json()["error"]["code"],
            rpc.text().contains("too many elements")
        ),
        (&json!(-32602), true),
        "{}",
        rpc.text()
    );
    let mut message = vec![0x12];
    let inner = [0x2a, 0x00].repeat(12 << 20);
    prost::encoding::encode_varint(inner.len() as u64, &mut message);
    message.extend_from_slice(&inner);
    assert_eq!(
        fetch(&http2(), grpc(&running, "SendMessage", &message))
            .await
            .grpc_status(),
        3
    );
}

#[tokio::test]
async fn odd_targets_and_heads_are_answered() {
    let running = Running::start(builder()).await;
    let cases = [
        ("GET //tasks HTTP/1.1", 404),
        ("GET /tasks/ HTTP/1.1", 404),
        ("GET /nothing/here/at/all HTTP/1.1", 404),
        ("OPTIONS * HTTP/1.1", 404),
        ("GET http://other.test/tasks/t1 HTTP/1.1", 200),
        ("GET /tasks/%00%FF HTTP/1.1", 400),
        ("GET /tasks/a%zz HTTP/1.1", 400),
        ("GET /tasks/a%0A%0Db HTTP/1.1", 200),
        ("POST /tasks/t1%3Acancel HTTP/1.1", 405),
        ("BREW /tasks/t1 HTTP/1.1", 405),
        ("BREW / HTTP/1.1", 405),
        ("GET /tasks/t1 HTTP/1.0", 200),
    ];
    for (line, status) in cases {
        let answer = raw(
            running.address,
            format!("{line}\r\nhost: x\r\na2a-version: 1.0\r\nconnection: close\r\n\r\n")
                .as_bytes(),
        )
        .await;
        let found = answer.split(' ').nth(1).unwrap_or_default();
        assert_eq!(found, status.to_string(), "{line}: {answer}");
        assert_eq!(
            answer.contains("\r\nallow: "),
            status == 405,
            "{line}: {answer}"
        );
    }
    let long = format!(
        "GET /tasks/t1 HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n",
        "x".repeat(1 << 20)
    );
    let mut stream = tokio::net::TcpStream::connect(running.address)
        .await
        .unwrap();
    let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, long.as_bytes()).await;
    drop(stream);
    for rubbish in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"\0\0\0\0\0\0\0\0",
        b"HELO x\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let _ = raw(running.address, rubbish).await;
    }
    // The server is still there.
    assert_eq!(
        fetch(&http1(), get(&running.url("/tasks/t1"))).await.status,
        200
    );
}

#[tokio::test]
async fn an_answer_to_head_has_no_body_whatever_is_asked() {
    let running = Running::start(builder()).await;
    for client in [http1(), http2()] {
        for (path, content_type, status) in [
            ("/", "application/json", 405),
            ("/jsonrpc", "text/plain", 405),
            ("/tasks/t1", "", 200),
            ("/tasks/t1:subscribe", "", 200),
            ("/tasks/missing", "", 404),
            ("/nowhere", "", 404),
            ("/.well-known/agent-card.json", "", 200),
            ("/lf.a2a.v1.A2AService/GetTask", "application/grpc", 200),
        ] {
            let mut request = post(&running.url(path), content_type, "");
            *request.method_mut() = http::Method::HEAD;
            let got = fetch(&client, request).await;
            assert_eq!((got.status.as_u16(), got.text()), (status, ""), "{path}");
        }
    }
}
