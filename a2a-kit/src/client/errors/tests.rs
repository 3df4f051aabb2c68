use super::details::LONGEST_DETAILS;
use super::*;
use crate::A2A_SERVICE;
use http::header::WWW_AUTHENTICATE;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

const INFO: &str = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org","metadata":{"taskId":"t1","n":7}}"#;

#[test]
fn json_rpc_errors_are_known_by_reason_or_code() {
    // Error, name in the protocol, canonical code, JSON-RPC code, message.
    let cases: &[(&str, Option<&str>, Code, i32, &str)] = &[
        (
            r#"{"code":-32001,"message":"gone"}"#,
            Some("TASK_NOT_FOUND"),
            Code::NotFound,
            -32001,
            "gone",
        ),
        (
            r#"{"code":-32001.0,"message":""}"#,
            Some("TASK_NOT_FOUND"),
            Code::NotFound,
            -32001,
            "the task does not exist",
        ),
        (
            r#"{"code":"-32004"}"#,
            Some("UNSUPPORTED_OPERATION"),
            Code::FailedPrecondition,
            -32004,
            "the agent does not support this operation",
        ),
        (
            r#"{"code":-32601,"message":"no method"}"#,
            None,
            Code::Unimplemented,
            -32601,
            "no method",
        ),
        (
            r#"{"code":-32602,"message":"bad"}"#,
            None,
            Code::InvalidArgument,
            -32602,
            "bad",
        ),
        (
            r#"{"code":-32600,"message":"bad"}"#,
            None,
            Code::InvalidArgument,
            -32600,
            "bad",
        ),
        (
            r#"{"code":-32700,"message":"bad"}"#,
            None,
            Code::InvalidArgument,
            -32700,
            "bad",
        ),
        (
            r#"{"code":-32603,"message":"oops"}"#,
            None,
            Code::Internal,
            -32603,
            "oops",
        ),
        (
            r#"{"code":-32050,"message":"own"}"#,
            None,
            Code::Unknown,
            -32050,
            "own",
        ),
        (
            r#"{"code":404,"message":"own"}"#,
            None,
            Code::Unknown,
            404,
            "own",
        ),
        (
            r#"{"message":"no code"}"#,
            None,
            Code::Unknown,
            -32603,
            "no code",
        ),
        (
            r#"{"code":{},"message":{"text":"x"}}"#,
            None,
            Code::Unknown,
            -32603,
            r#"{"text":"x"}"#,
        ),
        (
            r#"{"code":1e300}"#,
            None,
            Code::Unknown,
            -32603,
            "the server says no more than UNKNOWN",
        ),
        (
            r#""only a text""#,
            None,
            Code::Unknown,
            -32603,
            "only a text",
        ),
        ("[]", None, Code::Unknown, -32603, "[]"),
    ];
    for (text, reason, code, json_rpc_code, message) in cases {
        let error = from_json_rpc(&A2A_SERVICE, &raw(text));
        assert_eq!(error.spec().map(|spec| spec.reason), *reason, "{text}");
        assert_eq!(
            (error.code(), error.json_rpc_code(), error.message()),
            (*code, *json_rpc_code, *message),
            "{text}"
        );
    }
}

#[test]
fn data_of_any_kind_hides_neither_code_nor_message() {
    let datas = [
        "null",
        "7",
        r#""text""#,
        r#"{"reason":"x"}"#,
        r#"{"@type":7}"#,
        "[]",
        "[null,1,[],{}]",
        r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo"}]"#,
        r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":7,"metadata":[]}]"#,
        r#"[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":{}}]"#,
    ];
    for data in datas {
        let error = from_json_rpc(
            &A2A_SERVICE,
            &raw(&format!(r#"{{"code":-32002,"message":"m","data":{data}}}"#)),
        );
        assert!(error.is_task_not_cancelable(), "{data}");
        assert_eq!(error.message(), "m", "{data}");
        assert!(error.violations().is_empty(), "{data}");
    }
}

/// In v0.3 `data` can be anything; v1.0 wants a list of typed details.
#[test]
fn free_data_of_an_older_version_is_kept() {
    let details = |code: i32, data: &str| {
        let error = format!(r#"{{"code":{code},"message":"m","data":{data}}}"#);
        let error = from_json_rpc(&crate::v0_3::A2A_SERVICE, &raw(&error));
        let mut out = Vec::new();
        error.write_details_json(&mut out);
        (String::from_utf8(out).unwrap(), error.details().len())
    };
    let info = |facts: &str| {
        format!(
            r#"{{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"{facts}}}"#
        )
    };
    let value = |value: &str| {
        format!(r#"{{"@type":"type.googleapis.com/google.protobuf.Value","value":{value}}}"#)
    };
    let facts = info(r#","metadata":{"taskId":"t1"}"#);
    assert_eq!(
        details(-32001, r#"{"taskId":"t1"}"#),
        (format!("[{facts}]"), 1)
    );
    let both = format!("[{},{}]", info(""), value(r#""gone""#));
    assert_eq!(details(-32001, r#""gone""#), (both, 2));
    for data in [r#""parts missing""#, "7", "[1]", r#"{"field":"parts"}"#] {
        assert_eq!(
            details(-32602, data),
            (format!("[{}]", value(data)), 1),
            "{data}"
        );
    }
    for data in ["null", "[]", "{}"] {
        assert_eq!(details(-32602, data), ("[]".to_owned(), 0), "{data}");
    }
}

#[test]
fn details_say_more() {
    for data in [
        format!("[{INFO}]"),
        INFO.to_owned(),
        format!("[{{}},{INFO},{INFO}]"),
    ] {
        let error = from_json_rpc(
            &A2A_SERVICE,
            &raw(&format!(r#"{{"code":-32603,"message":"m","data":{data}}}"#)),
        );
        assert!(
            error.is_task_not_cancelable(),
            "the reason counts more than the code: {data}"
        );
        assert_eq!(error.metadata()["taskId"], "t1");
        assert_eq!(error.metadata()["n"], "7");
    }
    let bad = r#"{"code":-32602,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts","description":"d\n"},{"field":7}]}]}"#;
    let error = from_json_rpc(&A2A_SERVICE, &raw(bad));
    let found: Vec<_> = error
        .violations()
        .iter()
        .map(|fault| (fault.field.as_str(), fault.description.as_str()))
        .collect();
    assert_eq!(found, [("message.parts", "d\n"), ("7", "")]);
}

#[test]
fn reasons_are_names_within_their_domain() {
    let error = |domain: &str| {
        let info =
            format!(r#"{{"@type":"x/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"{domain}}}"#);
        from_json_rpc(
            &A2A_SERVICE,
            &raw(&format!(r#"{{"code":-1,"message":"m","data":[{info}]}}"#)),
        )
    };
    assert!(error("").is_task_not_found());
    assert!(error(r#","domain":"a2a-protocol.org""#).is_task_not_found());
    let foreign = error(r#","domain":"example.com""#);
    assert_eq!(
        (foreign.spec(), foreign.reason(), foreign.json_rpc_code()),
        (None, Some("TASK_NOT_FOUND"), -1)
    );
}

#[test]
fn http_errors_come_in_many_shapes() {
    let cases: &[(u16, &str, Option<&str>, Code, &str)] = &[
        (
            404,
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no such route","details":[]}}"#,
            None,
            Code::NotFound,
            "no such route",
        ),
        (
            400,
            r#"{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"m","details":[DETAIL]}}"#,
            Some("TASK_NOT_CANCELABLE"),
            Code::FailedPrecondition,
            "m",
        ),
        (
            409,
            r#"{"code":9,"message":"m","details":[DETAIL]}"#,
            Some("TASK_NOT_CANCELABLE"),
            Code::FailedPrecondition,
            "m",
        ),
        (
            500,
            r#"{"error":{"status":"DATA_LOSS","message":"m"}}"#,
            None,
            Code::DataLoss,
            "m",
        ),
        // v0.3.
        (
            404,
            r#"{"code":-32001,"message":"gone"}"#,
            Some("TASK_NOT_FOUND"),
            Code::NotFound,
            "gone",
        ),
        (
            404,
            r#"{"code":404,"message":"gone"}"#,
            None,
            Code::NotFound,
            "gone",
        ),
        // RFC 9457, OAuth, others.
        (
            422,
            r#"{"type":"about:blank","title":"Unprocessable","status":422,"detail":"pageSize"}"#,
            None,
            Code::InvalidArgument,
            "pageSize",
        ),
        (
            422,
            r#"{"title":"Unprocessable"}"#,
            None,
            Code::InvalidArgument,
            "Unprocessable",
        ),
        (
            401,
            r#"{"error":"invalid_token","error_description":"expired"}"#,
            None,
            Code::Unauthenticated,
            "expired",
        ),
        (
            403,
            r#"{"error":"forbidden"}"#,
            None,
            Code::PermissionDenied,
            "forbidden",
        ),
        (
            404,
            r#"{"detail":"Not Found"}"#,
            None,
            Code::NotFound,
            "Not Found",
        ),
        // No error at all.
        (
            404,
            "",
            None,
            Code::NotFound,
            "the server answered 404 Not Found, without a body",
        ),
        (
            502,
            "<html>\n <b>bad</b></html>",
            None,
            Code::Unavailable,
            "the server answered 502 Bad Gateway: <html> <b>bad</b></html>",
        ),
        (
            404,
            r#"{"detail":[{"loc":["x"]}]}"#,
            None,
            Code::NotFound,
            r#"the server answered 404 Not Found: {"detail":[{"loc":["x"]}]}"#,
        ),
        (
            418,
            "null",
            None,
            Code::Unknown,
            "the server answered 418 I'm a teapot: null",
        ),
        (
            404,
            "a\u{0}\u{1b}[31mb\u{7f}",
            None,
            Code::NotFound,
            "the server answered 404 Not Found: a [31mb",
        ),
    ];
    for (status, body, reason, code, message) in cases {
        let status = StatusCode::from_u16(*status).unwrap();
        let body = body.replace("DETAIL", INFO);
        let error = from_http(&A2A_SERVICE, status, &HeaderMap::new(), body.as_bytes());
        assert_eq!(error.spec().map(|spec| spec.reason), *reason, "{body}");
        assert_eq!((error.code(), error.message()), (*code, *message), "{body}");
        assert_eq!(error.peer_status(), Some(status.as_u16()));
        let kept = if reason.is_some() || body.is_empty() {
            None
        } else {
            Some(body.as_str())
        };
        assert_eq!(error.peer_body(), kept);
    }
}

#[test]
fn no_status_alone_is_an_error_of_the_protocol() {
    for status in 300..600 {
        let error = from_http(
            &A2A_SERVICE,
            StatusCode::from_u16(status).unwrap(),
            &HeaderMap::new(),
            b"{}",
        );
        assert_eq!(error.spec(), None, "{status}");
    }
}

#[test]
fn headers_say_what_to_do() {
    let headers = HeaderMap::from_iter([
        (RETRY_AFTER, "7".parse().unwrap()),
        (ALLOW, "GET, POST".parse().unwrap()),
        (WWW_AUTHENTICATE, "Bearer realm=\"a\"".parse().unwrap()),
        (LOCATION, "https://elsewhere.example/".parse().unwrap()),
    ]);
    let error = |status| {
        from_http(
            &A2A_SERVICE,
            StatusCode::from_u16(status).unwrap(),
            &headers,
            b"",
        )
    };
    assert_eq!(error(503).retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(error(405).allow(), Some("GET, POST"));
    assert_eq!(error(404).allow(), None);
    assert!(
        error(401)
            .message()
            .ends_with("(it asks for Bearer realm=\"a\")"),
        "{}",
        error(401)
    );
    let redirect = error(307);
    assert!(
        redirect.message().contains("https://elsewhere.example/"),
        "{redirect}"
    );
    assert_eq!(
        (redirect.code(), redirect.peer_status()),
        (Code::FailedPrecondition, Some(307))
    );
}

#[test]
fn a_moment_to_try_again_may_be_a_date() {
    let delay = |text: &str| {
        retry_after(&HeaderMap::from_iter([(
            RETRY_AFTER,
            text.parse().unwrap(),
        )]))
    };
    assert_eq!(delay("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
    assert!(delay("Thu, 31 Dec 2099 23:59:59 GMT").unwrap() > Duration::from_secs(1 << 30));
    assert_eq!(delay("soon"), None);
    assert_eq!(delay("-1"), None);
}

#[test]
fn long_texts_are_cut_between_letters() {
    let body = "é".repeat(5000);
    let error = from_http(
        &A2A_SERVICE,
        StatusCode::BAD_GATEWAY,
        &HeaderMap::new(),
        body.as_bytes(),
    );
    assert_eq!(error.peer_body(), Some("é".repeat(512).as_str()));
    assert_eq!(
        error.message(),
        format!("the server answered 502 Bad Gateway: {}…", "é".repeat(80))
    );
    // One byte off.
    let body = format!("x{}", "é".repeat(5000));
    let error = from_http(
        &A2A_SERVICE,
        StatusCode::BAD_GATEWAY,
        &HeaderMap::new(),
        body.as_bytes(),
    );
    assert_eq!(
        error.peer_body(),
        Some(format!("x{}", "é".repeat(511)).as_str())
    );
    let error = from_json_rpc(
        &A2A_SERVICE,
        &raw(&format!(
            r#"{{"code":1,"message":"x{}"}}"#,
            "é".repeat(10_000)
        )),
    );
    assert_eq!(error.message().len(), LONGEST_MESSAGE - 1);
    // Bytes that are no text.
    let error = from_http(
        &A2A_SERVICE,
        StatusCode::BAD_GATEWAY,
        &HeaderMap::new(),
        &[0xff; 3000],
    );
    assert_eq!(error.peer_body(), Some("\u{fffd}".repeat(341).as_str()));
}

#[test]
fn details_that_are_too_long_are_left_out() {
    let long = "x".repeat(LONGEST_DETAILS);
    let data = format!(r#"[{INFO},"{long}"]"#);
    let error = from_json_rpc(
        &A2A_SERVICE,
        &raw(&format!(r#"{{"code":-32001,"message":"m","data":{data}}}"#)),
    );
    assert!(error.is_task_not_found() && error.metadata().is_empty());
}

/// What v0.3 says in other words than v1.0.
mod of_v0_3 {
    use super::*;
    use crate::service::OperationSpec;
    use crate::v0_3::A2A_SERVICE as OLD;

    fn operation(name: &str) -> &'static OperationSpec {
        let mut operations = OLD.operations.iter();
        operations
            .find(|operation| operation.name == name)
            .expect("an operation")
    }

    fn reason(error: Error) -> Option<&'static str> {
        let error = error.in_terms_of(&A2A_SERVICE);
        error.spec().map(|spec| spec.reason)
    }

    #[test]
    fn the_code_comes_before_the_reason_and_the_name() {
        let info = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}"#;
        for (text, expected) in [
            (
                format!(r#"{{"code":-32001,"message":"m","data":[{info}]}}"#),
                Some("TASK_NOT_FOUND"),
            ),
            (
                format!(r#"{{"code":-32000,"message":"m","data":[{info}]}}"#),
                Some("TASK_NOT_CANCELABLE"),
            ),
            (
                r#"{"code":-32000,"message":"UnsupportedOperationError: m"}"#.to_owned(),
                Some("UNSUPPORTED_OPERATION"),
            ),
            (r#"{"code":-32602,"message":"m"}"#.to_owned(), None),
            (r#"{"code":-32000,"message":"Note: m"}"#.to_owned(), None),
        ] {
            assert_eq!(reason(from_json_rpc(&OLD, &raw(&text))), expected, "{text}");
        }
        let error = from_json_rpc(
            &OLD,
            &raw(r#"{"code":-32001,"message":"m","data":{"taskId":"t-9","n":1}}"#),
        );
        assert_eq!(error.metadata()["taskId"], "t-9");
        assert_eq!(error.metadata()["n"], "1");
    }

    #[test]
    fn the_name_of_a_class_is_no_part_of_the_message() {
        let named = |message: &str| {
            let error = make(&OLD, None, Code::Unimplemented, message, Details::default());
            (error.code(), error.message().to_owned(), reason(error))
        };
        assert_eq!(
            named("TaskNotCancelableError: cannot cancel"),
            (
                Code::FailedPrecondition,
                "cannot cancel".to_owned(),
                Some("TASK_NOT_CANCELABLE")
            )
        );
        assert_eq!(
            named("InvalidParamsError: no parts"),
            (Code::InvalidArgument, "no parts".to_owned(), None)
        );
        assert_eq!(
            named("no: such thing"),
            (Code::Unimplemented, "no: such thing".to_owned(), None)
        );
    }

    #[test]
    fn a_status_means_something_together_with_its_operation() {
        let of = |status: u16, body: &str, name: &str| {
            let status = StatusCode::from_u16(status).unwrap();
            let error = from_http(&OLD, status, &HeaderMap::new(), body.as_bytes());
            reason(by_status(&OLD, operation(name), error, status))
        };
        let said = r#"{"message":"x"}"#;
        for (status, body, name, expected) in [
            (404, said, "GetTask", Some("TASK_NOT_FOUND")),
            (409, said, "CancelTask", Some("TASK_NOT_CANCELABLE")),
            (501, said, "SendMessage", Some("UNSUPPORTED_OPERATION")),
            (
                501,
                said,
                "GetTaskPushNotificationConfig",
                Some("PUSH_NOTIFICATION_NOT_SUPPORTED"),
            ),
            (415, said, "SendMessage", Some("CONTENT_TYPE_NOT_SUPPORTED")),
            (502, said, "SendMessage", Some("INVALID_AGENT_RESPONSE")),
            (422, said, "SendMessage", None),
            (404, said, "SendMessage", None),
            // What is not the agent's own says nothing about its tasks.
            (404, "<h1>Not found</h1>", "GetTask", None),
            (502, "", "GetTask", None),
            (404, r#"{"code":-32601,"message":"x"}"#, "GetTask", None),
            (
                400,
                r#"{"code":-32003,"message":"x"}"#,
                "GetTask",
                Some("PUSH_NOTIFICATION_NOT_SUPPORTED"),
            ),
        ] {
            assert_eq!(of(status, body, name), expected, "{status} {body} {name}");
        }
        // In v1.0 a status alone says nothing.
        let error = from_http(
            &A2A_SERVICE,
            StatusCode::NOT_FOUND,
            &HeaderMap::new(),
            said.as_bytes(),
        );
        let error = by_status(
            &A2A_SERVICE,
            &A2A_SERVICE.operations[2],
            error,
            StatusCode::NOT_FOUND,
        );
        assert_eq!(error.spec(), None);
    }

    #[cfg(feature = "grpc")]
    #[test]
    fn so_does_the_status_of_a_grpc_call() {
        let of =
            |code: Code, name: &str| reason(by_code(&OLD, operation(name), Error::new(code, "x")));
        for (code, name, expected) in [
            (Code::NotFound, "TaskSubscription", Some("TASK_NOT_FOUND")),
            (Code::NotFound, "SendMessage", Some("TASK_NOT_FOUND")),
            (Code::NotFound, "GetAgentCard", None),
            (
                Code::FailedPrecondition,
                "CancelTask",
                Some("TASK_NOT_CANCELABLE"),
            ),
            (
                Code::Unimplemented,
                "CreateTaskPushNotificationConfig",
                Some("PUSH_NOTIFICATION_NOT_SUPPORTED"),
            ),
            (Code::Unimplemented, "SendMessage", None),
        ] {
            assert_eq!(of(code, name), expected, "{code:?} {name}");
        }
    }
}

#[test]
fn details_say_when_to_try_again_more_exactly_than_the_header() {
    let headers = HeaderMap::from_iter([(RETRY_AFTER, "1".parse().unwrap())]);
    let error = |delay: &str| {
        let body = format!(
            r#"{{"error":{{"code":429,"status":"RESOURCE_EXHAUSTED","message":"later","details":[
                {{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{delay}}}]}}}}"#
        );
        from_http(
            &A2A_SERVICE,
            StatusCode::TOO_MANY_REQUESTS,
            &headers,
            body.as_bytes(),
        )
    };
    assert_eq!(
        error(r#""0.020s""#).retry_after(),
        Some(Duration::from_millis(20))
    );
    for wrong in [r#""-1s""#, r#""soon""#, "1", "null"] {
        let error = error(wrong);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(1)), "{wrong}");
        assert!(error.is_resource_exhausted());
    }
}
