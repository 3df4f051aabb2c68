//! What goes out: errors, results, streams.

use super::*;

#[tokio::test]
async fn errors_keep_the_http_statuses_that_proxies_act_on() {
    static ROW: ErrorSpec = ErrorSpec {
        name: "RowError",
        reason: "ROW",
        domain: "example.org",
        json_rpc_code: -32050,
        code: Code::FailedPrecondition,
        http_status: 400,
        message: "",
    };
    let cases = [
        (Error::new(Code::Unauthenticated, "who are you?"), 401),
        (Error::new(Code::PermissionDenied, "not you"), 403),
        (Error::new(Code::ResourceExhausted, "slowly"), 429),
        (Error::new(Code::NotFound, "gone"), 200),
        (Error::new(Code::Internal, "broken"), 200),
        (Error::new(Code::Unavailable, "later"), 200),
        (Error::new(Code::InvalidArgument, "wrong"), 200),
        (Error::from_spec(&ROW, "row"), 200),
    ];
    for (error, status) in cases {
        assert_eq!(
            answer::error(&crate::probe::PROBE, "1", &error)
                .status()
                .as_u16(),
            status,
            "{error}"
        );
    }
    let later =
        Error::new(Code::ResourceExhausted, "slowly").with_retry_after(Duration::from_millis(1500));
    assert_eq!(
        answer::error(&crate::probe::PROBE, "1", &later).headers()["retry-after"],
        "2"
    );
}

#[tokio::test]
async fn the_data_of_an_error_is_an_array_of_typed_objects() {
    let (_, answer) = call(r#"{"jsonrpc":"2.0","id":1,"method":"Fail"}"#).await;
    assert_eq!(
        answer["error"],
        json!({"code": -32001, "message": "there is no such task", "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org", "metadata": {"taskId": "t1"},
        }]})
    );
    let (_, answer) = call(r#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#).await;
    assert!(answer["error"].get("data").is_none());
}

#[tokio::test]
async fn an_unknown_method_is_told_what_there_is() {
    let message = |method: &'static str| async move {
        let (_, answer) = call(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}"
        ))
        .await;
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    for (service, method) in [
        (&crate::A2A_SERVICE, "message/send"),
        (&crate::A2A_SERVICE, "tasks/pushNotificationConfig/set"),
        (&crate::v0_3::A2A_SERVICE, "SendMessage"),
    ] {
        let hint = super::super::unknown_method(service, method);
        assert!(hint.message().contains("check A2A-Version"), "{hint}");
    }
    assert!(message("echo").await.contains("did you mean \"Echo\"?"));
    assert!(message("Nothing").await.contains("there are Echo, Fail, "));
    let long = call(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}",
        "x".repeat(1 << 20)
    ))
    .await;
    assert!(long.1["error"]["message"].as_str().unwrap().len() < 300);
}

#[tokio::test]
async fn the_version_comes_before_the_method() {
    use crate::admission::CardAdmission;
    let mut card = crate::v1_0::AgentCard::default();
    let mut interface = crate::v1_0::AgentInterface::default();
    (interface.protocol_binding, interface.protocol_version) = ("JSONRPC".into(), "1.0".into());
    card.supported_interfaces.push(interface);
    let probe = Probe::new();
    let router = JsonRpc::new(
        Arc::clone(&probe) as Arc<dyn Dispatch>,
        Arc::new(CardAdmission::new(&card)),
    );
    for method in ["Echo", "message/send", "Nothing"] {
        for version in [
            None,
            Some(""),
            Some("0.3"),
            Some("9.9"),
            Some("1"),
            Some("v1.0"),
            Some("0.30"),
        ] {
            let mut request = post(format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"{method}\",\"params\":[]}}"
            ));
            request.headers_mut().remove("a2a-version");
            if let Some(version) = version {
                request
                    .headers_mut()
                    .insert("a2a-version", version.parse().unwrap());
            }
            let (status, _, text) = answer_of(&router, request).await;
            let answer: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (
                    status,
                    answer["error"]["code"].as_i64(),
                    answer["id"].as_str()
                ),
                (200, Some(-32009), Some("a")),
                "{method} {version:?}"
            );
            assert_eq!(
                answer["error"]["data"][0]["reason"],
                "VERSION_NOT_SUPPORTED"
            );
        }
    }
    // A streaming operation that the card does not declare is refused as one that is not streamed.
    let (status, content_type, text) = answer_of(
        &router,
        post(r#"{"jsonrpc":"2.0","id":1,"method":"Events"}"#),
    )
    .await;
    assert_eq!((status, content_type.as_str()), (200, "application/json"));
    assert!(text.contains("-32004"), "{text}");
    assert!(probe.calls().is_empty());
}

#[tokio::test]
async fn params_and_result_pass_as_they_are() {
    let probe = Probe::new();
    let params = r#"{ "a" : [1.50, "é😀\u2028\/"] ,"b":{}}"#;
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"Echo\",\"params\":{params}}}");
    let (_, _, text) = answer_of(&router(&probe), post(body)).await;
    assert_eq!(
        text,
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{params}}}")
    );
    let context = probe.context();
    assert_eq!(
        (
            context.binding(),
            context.headers()["content-type"].to_str().unwrap()
        ),
        (Binding::JsonRpc, "application/json")
    );
}

#[tokio::test]
async fn a_large_result_is_not_copied() {
    let result = Bytes::from(vec![b'7'; 100_000]);
    let mut body = answer::result("1", result.clone()).into_body();
    assert_eq!(
        http_body::Body::size_hint(&body).exact(),
        Some(100_000 + 34)
    );
    let mut frames = Vec::new();
    while let Some(frame) = body.frame().await {
        frames.push(frame.unwrap().into_data().unwrap());
    }
    assert_eq!(frames.len(), 3);
    assert_eq!(frames[1].as_ptr(), result.as_ptr());
}

#[tokio::test]
async fn a_stream_is_made_of_whole_responses() {
    let request = || post(r#"{"jsonrpc":"2.0","id":"s1","method":"Events"}"#);
    let (status, content_type, text) = send(request()).await;
    assert_eq!((status, content_type.as_str()), (200, "text/event-stream"));
    let expected: String = (1..=3)
        .map(|number| {
            format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":{number}}}\n\n")
        })
        .collect();
    assert_eq!(text, expected);

    let probe = Probe::streaming(Box::pin(futures_util::stream::iter([event(
        "\"é😀\u{2028}\"",
    )])));
    let (_, _, text) = answer_of(&router(&probe), request()).await;
    assert_eq!(
        text,
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":\"é😀\\u2028\"}\n\n"
    );
}

#[tokio::test]
async fn an_error_after_the_first_event_is_an_event() {
    for (method, code) in [("FailEvents", -32001), ("PanicEvents", -32603)] {
        let (status, content_type, text) = send(post(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{method}\"}}"
        )))
        .await;
        assert_eq!((status, content_type.as_str()), (200, "text/event-stream"));
        let events: Vec<Value> = text
            .split_terminator("\n\n")
            .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
            .collect();
        assert_eq!(events.len(), 2, "{text}");
        assert_eq!(events[0], json!({"jsonrpc": "2.0", "id": 7, "result": 1}));
        assert_eq!(
            (&events[1]["id"], events[1]["error"]["code"].as_i64()),
            (&json!(7), Some(code))
        );
    }
}

#[tokio::test]
async fn an_error_before_the_first_event_is_a_plain_answer() {
    let failing = futures_util::stream::iter([
        Err(Error::unsupported_operation("the task has ended")),
        event("1"),
    ]);
    let (status, content_type, text) = answer_of(
        &router(&Probe::streaming(Box::pin(failing))),
        post(r#"{"jsonrpc":"2.0","id":7,"method":"Events"}"#),
    )
    .await;
    assert_eq!((status, content_type.as_str()), (200, "application/json"));
    assert!(text.contains("-32004"), "{text}");
}
