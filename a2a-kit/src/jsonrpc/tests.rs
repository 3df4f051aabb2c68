use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::*;
use crate::admission::Open;
use crate::error::ErrorSpec;
use crate::probe::{Probe, event};

mod answers;

fn router(probe: &Arc<Probe>) -> JsonRpc {
    JsonRpc::new(Arc::clone(probe) as Arc<dyn Dispatch>, Arc::new(Open))
}

fn post(body: impl Into<Body>) -> Request<Body> {
    Request::post("/")
        .header("content-type", "application/json")
        .header("a2a-version", "1.0")
        .body(body.into())
        .unwrap()
}

/// Status, content type and body of the answer.
async fn send(request: Request<Body>) -> (u16, String, String) {
    answer_of(&router(&Probe::new()), request).await
}

async fn answer_of(router: &JsonRpc, request: Request<Body>) -> (u16, String, String) {
    let response = router.handle(request).await;
    let status = response.status().as_u16();
    let content_type = response.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (
        status,
        content_type,
        String::from_utf8(body.to_vec()).unwrap(),
    )
}

/// The answer to a body, which is always an `application/json` object of version 2.0.
async fn call(body: impl Into<Body>) -> (u16, Value) {
    let (status, content_type, text) = send(post(body)).await;
    assert_eq!(content_type, "application/json");
    let value: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(value["jsonrpc"], "2.0");
    (status, value)
}

#[tokio::test]
async fn codes_follow_the_request() {
    // Body, id of the answer, code; `None` for a result.
    let cases: &[(&str, Value, Option<i64>)] = &[
        // Not JSON.
        ("", Value::Null, Some(-32700)),
        (" ", Value::Null, Some(-32700)),
        ("{bad", Value::Null, Some(-32700)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo""#,
            Value::Null,
            Some(-32700),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo"} x"#,
            Value::Null,
            Some(-32700),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo",}"#,
            Value::Null,
            Some(-32700),
        ),
        (
            r#"{"jsonrpc":"2.0","id":01,"method":"Echo"}"#,
            Value::Null,
            Some(-32700),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":{"a":}}"#,
            Value::Null,
            Some(-32700),
        ),
        ("{'jsonrpc':'2.0'}", Value::Null, Some(-32700)),
        ("[1,", Value::Null, Some(-32700)),
        ("nul", Value::Null, Some(-32700)),
        ("\u{feff}{}", Value::Null, Some(-32700)),
        // JSON, but no request.
        ("[]", Value::Null, Some(-32600)),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"Echo"}]"#,
            Value::Null,
            Some(-32600),
        ),
        ("1", Value::Null, Some(-32600)),
        ("null", Value::Null, Some(-32600)),
        (r#""Echo""#, Value::Null, Some(-32600)),
        ("{}", Value::Null, Some(-32600)),
        (r#"{"id":1,"method":"Echo"}"#, json!(1), Some(-32600)),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"Echo"}"#,
            json!(1),
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"method":"Echo"}"#,
            json!(1),
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":null,"id":"a","method":"Echo"}"#,
            json!("a"),
            Some(-32600),
        ),
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), Some(-32600)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            json!(1),
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
            json!(1),
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
            json!(1),
            Some(-32600),
        ),
        // Ids that are none; a notification.
        (
            r#"{"jsonrpc":"2.0","method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":[],"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.0,"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1e2,"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        // Members given twice.
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"Echo"}"#,
            Value::Null,
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","method":"Fail"}"#,
            json!(1),
            Some(-32600),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":{},"p\u0061rams":{}}"#,
            json!(1),
            Some(-32600),
        ),
        // Methods that do not exist; the params do not matter then.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Nothing"}"#,
            json!(1),
            Some(-32601),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#,
            json!(1),
            Some(-32601),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":""}"#,
            json!(1),
            Some(-32601),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":[]}"#,
            json!(1),
            Some(-32601),
        ),
        // Params that are no object.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":[1]}"#,
            json!(1),
            Some(-32602),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":[]}"#,
            json!(1),
            Some(-32602),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":"x"}"#,
            json!(1),
            Some(-32602),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":1}"#,
            json!(1),
            Some(-32602),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":false}"#,
            json!(1),
            Some(-32602),
        ),
        // An error of the operation.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Fail"}"#,
            json!(1),
            Some(-32001),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Panic"}"#,
            json!(1),
            Some(-32603),
        ),
        // Requests that are right.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo"}"#,
            json!(1),
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":null}"#,
            json!(1),
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":{}}"#,
            json!(1),
            None,
        ),
        (
            r#"{"params":{},"extra":[{}],"id":1,"method":"\u0045cho","jsonrpc":"2\u002e0"}"#,
            json!(1),
            None,
        ),
        (
            "\r\n\t {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"Echo\"}\n",
            json!(1),
            None,
        ),
    ];
    for (body, id, code) in cases {
        let (status, answer) = call((*body).to_owned()).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(answer["id"], *id, "{body}: {answer}");
        assert_eq!(answer["error"]["code"].as_i64(), *code, "{body}: {answer}");
        assert_eq!(answer.get("result").is_some(), code.is_none(), "{body}");
        assert!(
            answer
                .get("error")
                .is_none_or(|error| !error["message"].as_str().unwrap().is_empty())
        );
    }
}

#[tokio::test]
async fn the_id_comes_back_as_it_was_written() {
    let ids = [
        "1",
        "0",
        "-7",
        "-0",
        "9007199254740993",
        "123456789012345678901234567890",
        "null",
        "\"\"",
        "\"a\"",
        "\"7\"",
        "\"\\u00e9\\ud83d\\ude00 \\\"\"",
        "\"é😀\u{2028}\"",
    ];
    for id in ids {
        for (method, end) in [("Echo", "\"result\":{}}"), ("Nothing", "}")] {
            let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}");
            let (_, _, text) = send(post(body)).await;
            assert!(
                text.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},")),
                "{text}"
            );
            assert!(text.ends_with(end), "{text}");
        }
    }
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"Echo\"}}",
        "x".repeat(5000)
    );
    assert_eq!(call(long).await.1["error"]["code"], -32600);
}

#[tokio::test]
async fn bodies_cut_at_every_byte_are_parse_errors() {
    let body = r#"{"jsonrpc":"2.0","id":"é😀","method":"Echo","params":{"a":["é😀",{"b":null}],"c":1.5e3}}"#;
    for cut in 0..body.len() {
        let (status, answer) = call(body.as_bytes()[..cut].to_vec()).await;
        assert_eq!(
            (status, answer["error"]["code"].as_i64()),
            (200, Some(-32700)),
            "cut at {cut}"
        );
        assert_eq!(answer["id"], Value::Null);
    }
    assert!(call(body).await.1.get("result").is_some());
}

#[tokio::test]
async fn nesting_of_any_depth_is_read_without_recursion() {
    for open in ["[", "{\"a\":", "[[{\"a\":["] {
        let nested = open.repeat((2 << 20) / open.len());
        for body in [
            nested.clone(),
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"Echo\",\"params\":{{\"a\":{nested}"
            ),
        ] {
            assert_eq!(call(body).await.1["error"]["code"], -32700, "{open}");
        }
    }
    // A value that nobody asked for is skipped, whatever its depth.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"Echo\",\"other\":{deep}}}");
    assert!(call(body).await.1.get("result").is_some());
}

#[tokio::test]
async fn bytes_that_are_no_utf_8_are_a_parse_error() {
    for bad in [
        &b"\xff"[..],
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x98",
        b"\xc0\xaf",
    ] {
        for before in [
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":{"a":""#,
            r#"{"jsonrpc":"2.0","id":1,"method":"Echo","other":""#,
            "",
        ] {
            let body = [before.as_bytes(), bad, b"\"}}"].concat();
            let (_, answer) = call(body).await;
            assert_eq!(answer["error"]["code"], -32700);
            assert!(
                answer["error"]["message"]
                    .as_str()
                    .unwrap()
                    .contains("UTF-8"),
                "{answer}"
            );
        }
    }
}

#[tokio::test]
async fn only_json_in_utf_8_is_read() {
    let probe = Probe::new();
    let router = router(&probe);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"Echo"}"#;
    let mut request = post(body);
    request.headers_mut().remove("content-type");
    assert_eq!(answer_of(&router, request).await.0, 200, "no content type");
    for accepted in [
        "application/json",
        "Application/JSON",
        "application/json;charset=utf-8",
        "application/json ; charset=\"UTF-8\"; a=b",
    ] {
        let mut request = post(body);
        request
            .headers_mut()
            .insert("content-type", accepted.parse().unwrap());
        assert_eq!(answer_of(&router, request).await.0, 200, "{accepted}");
    }
    let calls = probe.calls().len();
    let refused = [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "application/a2a+json",
        "application/jsonp",
        "json",
        "",
        "application/json; charset=latin1",
    ];
    for refused in refused {
        // Its body would never end.
        let mut request = post(Body::from_stream(futures_util::stream::pending::<
            Result<Bytes, std::io::Error>,
        >()));
        request
            .headers_mut()
            .insert("content-type", refused.parse().unwrap());
        let (status, _, text) = answer_of(&router, request).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (status, answer["error"]["code"].as_i64(), &answer["id"]),
            (415, Some(-32005), &Value::Null),
            "{refused}"
        );
        assert_eq!(
            answer["error"]["data"][0]["reason"],
            "CONTENT_TYPE_NOT_SUPPORTED"
        );
    }
    assert_eq!(probe.calls().len(), calls);
}

#[tokio::test]
async fn other_methods_than_post_are_405() {
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"] {
        let request = Request::builder()
            .method(method)
            .uri("/")
            .body(Body::empty())
            .unwrap();
        let response = router(&Probe::new()).handle(request).await;
        assert_eq!(
            (
                response.status().as_u16(),
                response.headers()["allow"].to_str().unwrap()
            ),
            (405, "POST"),
            "{method}"
        );
    }
}

#[tokio::test]
async fn the_size_limit_holds_at_the_exact_byte() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"Echo","params":{}}"#;
    for (limit, status, code) in [(body.len(), 200, None), (body.len() - 1, 413, Some(-32600))] {
        let router = router(&Probe::new()).body_limit(limit);
        let (found, _, text) = answer_of(&router, post(body)).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((found, answer["error"]["code"].as_i64()), (status, code));
        assert!(
            answer["error"].get("data").is_none(),
            "no ErrorInfo in an error of routing"
        );
    }
}
