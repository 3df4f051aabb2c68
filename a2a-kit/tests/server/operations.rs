//! Every operation on every binding, and what is decided before it.

use a2a_kit::{A2A_SERVICE, OperationSpec, Segment, Server};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use prost::Message as _;
use serde_json::{Value, json};

use crate::support::*;

/// A request of an operation on each binding, without a version.
fn requests(
    running: &Running,
    operation: &OperationSpec,
) -> [(&'static str, Request<Full<Bytes>>); 3] {
    let index = A2A_SERVICE
        .operations
        .iter()
        .position(|known| known.name == operation.name)
        .unwrap();
    let route = A2A_SERVICE
        .routes
        .iter()
        .find(|route| route.operation == index)
        .unwrap();
    let mut path: String = route
        .segments
        .iter()
        .map(|segment| {
            format!(
                "/{}",
                if let Segment::Literal(text) = segment {
                    text
                } else {
                    "x"
                }
            )
        })
        .collect();
    path.extend(route.verb.map(|verb| format!(":{verb}")));
    let rest = Request::builder()
        .method(route.method)
        .uri(running.url(&path))
        .header("content-type", "application/json")
        .body(Full::from("{}"))
        .unwrap();
    let mut requests = [
        ("rest", rest),
        (
            "jsonrpc",
            json_rpc(&running.url("/"), operation.json_rpc_method.unwrap(), "{}"),
        ),
        ("grpc", grpc(running, operation.name, b"")),
    ];
    for (_, request) in &mut requests {
        request.headers_mut().remove("a2a-version");
    }
    requests
}

/// The reason of the answer, when it is an error of A2A: read as each binding says it.
fn reason(binding: &str, got: &Got) -> Option<String> {
    let detail: Value = match binding {
        "rest" => got.json()["error"]["details"][0].clone(),
        "jsonrpc" => got.json()["error"]["data"][0].clone(),
        _ => return grpc_reason(got),
    };
    detail["reason"].as_str().map(str::to_owned)
}

fn grpc_reason(got: &Got) -> Option<String> {
    use base64::Engine as _;
    let headers = got.trailers.as_ref().unwrap_or(&got.headers);
    let text = headers.get("grpc-status-details-bin")?.to_str().unwrap();
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD
        .decode(text.trim_end_matches('='))
        .unwrap();
    let status = a2a_kit::rpc::Status::decode(&*bytes).unwrap();
    assert_eq!(status.code, got.grpc_status());
    let any = status
        .details
        .iter()
        .find(|any| any.type_url.ends_with("google.rpc.ErrorInfo"))?;
    Some(
        a2a_kit::rpc::ErrorInfo::decode(any.value.clone())
            .unwrap()
            .reason,
    )
}

async fn ask(binding: &str, request: Request<Full<Bytes>>) -> Got {
    let client = if binding == "grpc" { http2() } else { http1() };
    fetch(&client, request).await
}

#[tokio::test]
async fn a_version_that_is_not_served_is_refused_on_every_operation_of_every_binding() {
    let running = Running::start(builder()).await;
    for operation in A2A_SERVICE.operations {
        for version in [
            None,
            Some(""),
            Some("0.3"),
            Some("9.9"),
            Some("1"),
            Some("v1.0"),
            Some("0.30"),
            Some("99.0"),
        ] {
            for (binding, mut request) in requests(&running, operation) {
                if let Some(version) = version {
                    request
                        .headers_mut()
                        .insert("a2a-version", version.parse().unwrap());
                }
                let got = ask(binding, request).await;
                let place = format!("{} {binding} {version:?}", operation.name);
                assert_eq!(
                    reason(binding, &got).as_deref(),
                    Some("VERSION_NOT_SUPPORTED"),
                    "{place}"
                );
                match binding {
                    "rest" => assert_eq!(
                        (got.status.as_u16(), got.json()["error"]["status"].as_str()),
                        (400, Some("FAILED_PRECONDITION")),
                        "{place}"
                    ),
                    "jsonrpc" => assert_eq!(
                        (got.status.as_u16(), got.json()["error"]["code"].as_i64()),
                        (200, Some(-32009)),
                        "{place}"
                    ),
                    _ => assert_eq!(got.grpc_status(), 9, "{place}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn a_version_that_is_served_is_understood_in_every_form() {
    let running = Running::start(builder()).await;
    for operation in A2A_SERVICE.operations {
        for (name, value) in [
            ("a2a-version", "1.0"),
            ("A2A-VERSION", "1.0.1"),
            ("A2a-Version", " 1.0 "),
        ] {
            for (binding, mut request) in requests(&running, operation) {
                request.headers_mut().insert(
                    http::HeaderName::from_bytes(name.as_bytes()).unwrap(),
                    value.parse().unwrap(),
                );
                let got = ask(binding, request).await;
                let refused =
                    if got.status == 200 && got.header("content-type") == "text/event-stream" {
                        None
                    } else {
                        reason(binding, &got)
                    };
                assert_eq!(refused, None, "{} {binding} {value:?}", operation.name);
            }
        }
        // The query parameter, where there is a query.
        for (binding, mut request) in requests(&running, operation).into_iter().take(2) {
            *request.uri_mut() = format!("{}?A2A-Version=1.0", request.uri())
                .parse()
                .unwrap();
            let got = ask(binding, request).await;
            let refused = if got.header("content-type") == "text/event-stream" {
                None
            } else {
                reason(binding, &got)
            };
            assert_eq!(refused, None, "{} {binding} query", operation.name);
        }
    }
}

#[tokio::test]
async fn a_required_extension_is_asked_for_on_every_operation_of_every_binding() {
    let mut strict = card();
    strict.capabilities.as_mut().unwrap().extensions.extend([
        extension("https://a/1", true),
        extension("https://b/1", false),
    ]);
    let running = Running::start(Server::builder(Desk::default(), strict)).await;
    for operation in A2A_SERVICE.operations {
        for (binding, mut request) in requests(&running, operation) {
            request
                .headers_mut()
                .insert("a2a-version", "1.0".parse().unwrap());
            request
                .headers_mut()
                .insert("a2a-extensions", "https://b/1,https://a/2".parse().unwrap());
            let got = ask(binding, request).await;
            assert_eq!(
                reason(binding, &got).as_deref(),
                Some("EXTENSION_SUPPORT_REQUIRED"),
                "{} {binding}",
                operation.name
            );
            if binding == "jsonrpc" {
                assert_eq!(got.json()["error"]["code"], -32008);
            }
        }
    }
    // Two URIs in one header, one of them in another header; the answer names those in use.
    for (binding, request) in [
        ("rest", get(&running.url("/tasks/t1"))),
        (
            "jsonrpc",
            json_rpc(&running.url("/"), "GetTask", "{\"id\":\"t1\"}"),
        ),
        ("grpc", grpc(&running, "GetTask", b"\x12\x02t1")),
    ] {
        for values in [
            &["https://b/1, https://a/1"][..],
            &["https://b/1,https://c/1", "https://a/1"],
        ] {
            let mut request = request.clone();
            for value in values {
                request
                    .headers_mut()
                    .append("a2a-extensions", value.parse().unwrap());
            }
            let got = ask(binding, request).await;
            assert_eq!(
                (got.status.as_u16(), got.header("a2a-extensions")),
                (200, "https://b/1, https://a/1"),
                "{binding}"
            );
        }
    }
}

#[tokio::test]
async fn capabilities_that_are_off_are_refused_on_every_binding() {
    let mut plain = card();
    plain.capabilities = Some(Default::default());
    let running = Running::start(Server::builder(Desk::default(), plain)).await;
    for operation in A2A_SERVICE.operations {
        let expected = match operation.capability {
            None => continue,
            Some("push_notifications") => ("PUSH_NOTIFICATION_NOT_SUPPORTED", -32003),
            Some(_) => ("UNSUPPORTED_OPERATION", -32004),
        };
        for (binding, mut request) in requests(&running, operation) {
            request
                .headers_mut()
                .insert("a2a-version", "1.0".parse().unwrap());
            let got = ask(binding, request).await;
            assert_eq!(
                reason(binding, &got).as_deref(),
                Some(expected.0),
                "{} {binding}",
                operation.name
            );
            match binding {
                "rest" => assert_eq!(got.status, 400),
                "jsonrpc" => assert_eq!(
                    (got.status.as_u16(), got.json()["error"]["code"].as_i64()),
                    (200, Some(expected.1))
                ),
                _ => assert_eq!(got.grpc_status(), 9),
            }
        }
    }
}

#[tokio::test]
async fn one_answer_is_the_same_on_every_binding() {
    let running = Running::start(builder()).await;
    let text = "é😀 \\u2028";
    let rest = fetch(
        &http1(),
        post(
            &running.url("/message:send"),
            "application/json",
            send_params(text),
        ),
    )
    .await;
    assert_eq!(
        (rest.status.as_u16(), rest.header("content-type")),
        (200, "application/json")
    );
    let rpc = fetch(
        &http1(),
        json_rpc(&running.url("/"), "SendMessage", &send_params(text)),
    )
    .await;
    assert_eq!(
        (rpc.status.as_u16(), rpc.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(rpc.json()["result"], rest.json());
    assert_eq!(rest.json()["message"]["parts"][0]["text"], "é😀 \u{2028}");
    let call = fetch(
        &http2(),
        grpc(&running, "SendMessage", &send_message("é😀 \u{2028}")),
    )
    .await;
    assert_eq!(call.grpc_status(), 0);
    let answer = a2a_kit::v1_0::SendMessageResponse::decode(call.body.slice(5..)).unwrap();
    let json = a2a_kit::Shared::new(answer).json().unwrap();
    assert_eq!(json, rest.body);
}

#[tokio::test]
async fn one_error_is_the_same_on_every_binding() {
    let running = Running::start(builder()).await;
    let rest = fetch(&http1(), get(&running.url("/tasks/missing"))).await;
    let detail = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
        "domain": "a2a-protocol.org", "metadata": {"taskId": "missing"}});
    assert_eq!(rest.status, 404);
    assert_eq!(
        rest.json(),
        json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "there is no such task", "details": [detail]}})
    );
    let rpc = fetch(
        &http1(),
        json_rpc(&running.url("/"), "GetTask", "{\"id\":\"missing\"}"),
    )
    .await;
    assert_eq!(
        rpc.json()["error"],
        json!({"code": -32001, "message": "there is no such task", "data": [detail]})
    );
    let call = fetch(&http2(), grpc(&running, "GetTask", b"\x12\x07missing")).await;
    assert_eq!(
        (call.grpc_status(), grpc_reason(&call).as_deref()),
        (5, Some("TASK_NOT_FOUND"))
    );

    // A fault of validation carries the field, and no reason of A2A.
    let rest = fetch(&http1(), get(&running.url("/tasks/invalid"))).await;
    assert_eq!(
        (
            rest.status.as_u16(),
            &rest.json()["error"]["details"][0]["fieldViolations"][0]["field"]
        ),
        (400, &json!("id"))
    );
    let rpc = fetch(
        &http1(),
        json_rpc(&running.url("/"), "GetTask", "{\"id\":\"invalid\"}"),
    )
    .await;
    assert_eq!(
        (
            &rpc.json()["error"]["code"],
            &rpc.json()["error"]["data"][0]["fieldViolations"][0]["field"]
        ),
        (&json!(-32602), &json!("id"))
    );
    let call = fetch(&http2(), grpc(&running, "GetTask", b"\x12\x07invalid")).await;
    assert_eq!((call.grpc_status(), grpc_reason(&call)), (3, None));
}

#[tokio::test]
async fn snake_case_params_are_read_and_camel_case_is_written() {
    let running = Running::start(builder()).await;
    let params = r#"{"task_id":"t1","url":"https://c.test/h","id":"p1"}"#;
    let got = fetch(
        &http1(),
        json_rpc(
            &running.url("/"),
            "CreateTaskPushNotificationConfig",
            params,
        ),
    )
    .await;
    assert_eq!(got.json()["result"]["taskId"], "t1", "{}", got.text());
}
