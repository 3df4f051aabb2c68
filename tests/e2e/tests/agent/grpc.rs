//! gRPC (specification 10) where it is a protocol of its own: framing, methods, statuses.

use bytes::Bytes;
use e2e::client::encode;
use e2e::client::http::{self, Connection, Whole};
use e2e::{Binding, Setup, request, state};
use serde_json::json;

const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";

fn framed(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a message of 32 bits");
    [&[flag][..], &length.to_be_bytes(), message].concat()
}

#[tokio::test]
async fn unknown_methods_and_services_are_unimplemented() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    for path in [
        "/lf.a2a.v1.A2AService/SendMessages",
        "/lf.a2a.v1.A2AService/sendMessage",
        "/lf.a2a.v1.A2AService/",
        "/lf.a2a.v1.A2AService",
        "/lf.a2a.v1.A2AService/SendMessage/",
        "/a2a.v1.A2AService/SendMessages",
        "/a2a.v2.A2AService/SendMessage",
        "/grpc.health.v1.Health/Check",
        "/message:send",
        "/",
    ] {
        let fault = client
            .grpc_raw(path, framed(0, &[]))
            .await
            .expect_err("refused");
        assert_eq!(fault.code, 12, "{path}: {fault:?}");
        fault.assert_plain();
    }
}

#[tokio::test]
async fn a_call_has_one_whole_message() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    let message = encode("SendMessageRequest", &request("hi"));
    let whole = framed(0, &message);
    for (body, name) in [
        (vec![], "nothing"),
        (whole[..3].to_vec(), "half a prefix"),
        (whole[..whole.len() - 1].to_vec(), "a cut message"),
        ([&whole[..], &whole[..]].concat(), "two messages"),
        ([&whole[..], &[0][..]].concat(), "one byte more"),
        (framed(2, &message), "an unknown flag"),
        (framed(0, &[0xff; 9]), "no message"),
    ] {
        let fault = client.grpc_raw(SEND, body).await.expect_err("refused");
        assert_eq!(fault.code, 3, "{name}: {fault:?}");
    }
    client.grpc_raw(SEND, whole).await.expect("a task");
    // An empty message is a message, which lacks what is required.
    client
        .grpc_message("GetTask", &[])
        .await
        .expect_err("refused")
        .assert_invalid(&["id"]);
    client.grpc_message("ListTasks", &[]).await.expect("a list");
}

#[tokio::test]
async fn compressed_messages_are_refused_as_what_is_not_supported() {
    let served = Setup::new().start().await;
    let message = framed(1, &encode("SendMessageRequest", &request("hi")));
    for encoding in [None, Some("gzip"), Some("identity"), Some("snappy")] {
        let client = match encoding {
            Some(encoding) => served
                .client(Binding::Grpc)
                .header("grpc-encoding", encoding),
            None => served.client(Binding::Grpc),
        };
        let fault = client
            .grpc_raw(SEND, message.clone())
            .await
            .expect_err("refused");
        // What gRPC itself says: a name that is not known, or none for what is said to have one.
        let expected = if matches!(encoding, None | Some("identity")) {
            13
        } else {
            12
        };
        assert_eq!(fault.code, expected, "{encoding:?}: {fault:?}");
        fault.assert_plain();
    }
    // Clients that would take compressed answers get plain ones, which the client here checks.
    let client = served
        .client(Binding::Grpc)
        .header("grpc-accept-encoding", "identity,deflate,gzip");
    assert_eq!(state(&client.send(request("hi")).await), "COMPLETED");
}

#[tokio::test]
async fn subtypes_of_the_content_type() {
    let served = Setup::new().start().await;
    for content_type in [
        "application/grpc",
        "application/grpc+proto",
        "application/grpc;charset=utf-8",
    ] {
        let client = served
            .client(Binding::Grpc)
            .content_type(Some(content_type));
        assert_eq!(
            state(&client.send(request("hi")).await),
            "COMPLETED",
            "{content_type}"
        );
    }
    // Other protocols over the same path are none of ours.
    for content_type in [
        "application/grpc-web",
        "application/grpc-web+proto",
        "application/proto",
    ] {
        let request = http::request("POST", SEND).header("content-type", content_type);
        let request = request
            .body(Bytes::from(framed(0, &[])))
            .expect("a request");
        let answer = Whole::read(Connection::http2(served.addr).await.send(request).await).await;
        assert!(
            answer.status.is_client_error(),
            "{content_type}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn a_timeout_that_is_none_is_refused_and_a_long_one_is_fine() {
    let served = Setup::new().start().await;
    for timeout in ["1H", "99999999S", "5000000u"] {
        let client = served.client(Binding::Grpc).header("grpc-timeout", timeout);
        assert_eq!(
            state(&client.send(request("hi")).await),
            "COMPLETED",
            "{timeout}"
        );
    }
    for timeout in ["", "1", "S", "-1S", "1.5S", "123456789S"] {
        let client = served.client(Binding::Grpc).header("grpc-timeout", timeout);
        assert_eq!(
            client.fault("ListTasks", json!({})).await.code,
            3,
            "{timeout:?}"
        );
    }
}

#[tokio::test]
async fn a_stream_ends_at_its_deadline_and_its_task_goes_on() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    let mut events = client
        .clone()
        .header("grpc-timeout", "300m")
        .events("SendStreamingMessage", request("work gate"))
        .await;
    let id = e2e::string(&events.next().await.expect("the task"), "/task/id");
    let fault = loop {
        match events.try_next().await.expect("the deadline") {
            Ok(_) => {}
            Err(fault) => break fault,
        }
    };
    assert_eq!(fault.code, 4, "{fault:?}");
    served.gates.gate("gate").open();
    assert_eq!(state(&client.finished(&id).await), "COMPLETED");
}

#[tokio::test]
async fn statuses_fit_into_headers() {
    // Clients take 8 KiB of headers, some of them.
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    let long = "é".repeat(20_000);
    let many = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": vec![json!({}); 2_000]}});
    let odd = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x", "mediaType": long}]}});
    for (operation, request) in [
        ("GetTask", json!({"id": long})),
        (
            "GetTaskPushNotificationConfig",
            json!({"taskId": "t", "id": long}),
        ),
        ("ListTasks", json!({"tenant": long})),
        ("ListTasks", json!({"pageToken": long})),
        ("SendMessage", many),
        ("SendMessage", odd),
    ] {
        let fault = client.fault(operation, request).await;
        let size: usize = fault
            .headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 32)
            .sum();
        assert!(size < 8 << 10, "{operation}: {size} bytes");
    }
}

#[tokio::test]
async fn many_calls_share_a_connection() {
    let served = Setup::new().start().await;
    let mut connection = Connection::http2(served.addr).await;
    let gate = served.gates.gate("gate");
    let mut waiting = Vec::new();
    for words in ["work gate", "hi", "work gate", "hi"] {
        let body = framed(0, &encode("SendMessageRequest", &request(words)));
        let request = http::request("POST", SEND)
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        let request = request.body(Bytes::from(body)).expect("a request");
        if words == "hi" {
            let answer = Whole::read(connection.send(request).await).await;
            assert!(answer.body.len() > 5, "it is answered while others wait");
        } else {
            waiting.push(connection.begin(request));
        }
    }
    gate.arrived(2).await;
    gate.open();
    for answer in waiting {
        let answer = e2e::within(answer).await.expect("an answer");
        assert_eq!(answer.status(), 200);
    }
}
