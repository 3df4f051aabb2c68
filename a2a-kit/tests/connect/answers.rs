//! Answers that are none, and errors in every shape: each becomes a typed error.

use a2a_kit::client::TransportErrorKind;
use a2a_kit::{Code, Error};
use serde_json::{Value, json};

use crate::peer::{Act, Peer, answer, json_answer, json_text, quick, result, task};

const JSON: &str = "content-type: application/json\r\n";

async fn get_task(binding: &str, act: Act) -> Result<a2a_kit::v1_0::Task, Error> {
    let peer = Peer::with_card(binding, vec![act]).await;
    let builder = quick().retry(a2a_kit::client::Retry::never());
    let client = peer.connect(builder).await.unwrap();
    client.get_task("t1").await
}

async fn send(binding: &str, act: Act) -> Error {
    let peer = Peer::with_card(binding, vec![act]).await;
    peer.client().await.message("go").send().await.unwrap_err()
}

#[tokio::test]
async fn replies_of_json_rpc_that_do_not_fit_the_request() {
    let rpc = |text: &str| answer("200 OK", JSON, text);
    let cases = [
        // (what is answered, what the error says)
        (
            r#"{"jsonrpc":"2.0","id":8,"result":{"id":"t1"}}"#,
            "its id is 8",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"1","result":{"id":"t1"}}"#,
            "its id is",
        ),
        (r#"{"jsonrpc":"2.0","result":{"id":"t1"}}"#, "no id"),
        (r#"{"id":$id,"result":{"id":"t1"}}"#, "\"jsonrpc\":\"2.0\""),
        (
            r#"{"jsonrpc":"1.0","id":$id,"result":{"id":"t1"}}"#,
            "\"jsonrpc\":\"2.0\"",
        ),
        (
            r#"{"jsonrpc":2.0,"id":$id,"result":{"id":"t1"}}"#,
            "\"jsonrpc\":\"2.0\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":$id}"#,
            "neither a result nor an error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":$id,"result":{},"error":{"code":1,"message":"m"}}"#,
            "both",
        ),
        (
            r#"[{"jsonrpc":"2.0","id":$id,"result":{"id":"t1"}}]"#,
            "no object",
        ),
        (r#"{"jsonrpc":"2.0","id":$id,"result":{"id":7}}"#, "id: "),
        (
            r#"{"jsonrpc":"2.0","id":$id,"result":"#,
            "no JSON-RPC response",
        ),
        ("<h1>Welcome</h1>", "<h1>Welcome"),
        ("", "it is empty"),
    ];
    for (text, says) in cases {
        let error = get_task("JSONRPC", rpc(text)).await.unwrap_err();
        assert!(error.is_invalid_agent_response(), "{text}: {error:?}");
        assert!(error.message().contains(says), "{text}: {error}");
        // What came is shown.
        let shown = error.peer_body().unwrap();
        assert_eq!(shown.is_empty(), text.is_empty(), "{error:?}");
    }
}

#[tokio::test]
async fn a_result_that_is_wrapped_in_another_way_is_shown() {
    let odd = json!({"Task": {"id": "t1"}});
    let error = send("JSONRPC", result(&odd)).await;
    assert!(error.is_invalid_agent_response(), "{error:?}");
    assert_eq!(error.peer_body(), Some(odd.to_string().as_str()));
    for binding in ["JSONRPC", "HTTP+JSON"] {
        let empty = json!({});
        let act = match binding {
            "JSONRPC" => result(&empty),
            _ => json_answer(&empty),
        };
        let error = send(binding, act).await;
        assert!(error.is_invalid_agent_response(), "{binding}: {error:?}");
    }
}

#[tokio::test]
async fn data_of_any_kind_hides_neither_code_nor_message() {
    for data in [
        "null",
        "7",
        "\"because\"",
        r#"{"reason":"x"}"#,
        r#"[{"@type":7},null,"x"]"#,
        r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":["x"]}]"#,
    ] {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":$id,"error":{{"code":-32001,"message":"gone","data":{data}}}}}"#
        );
        let error = get_task("JSONRPC", json_text("200 OK", &text)).await;
        let error = error.unwrap_err();
        assert!(error.is_task_not_found(), "{data}: {error:?}");
        assert_eq!(error.message(), "gone", "{data}");
    }
}

/// The nine errors of the protocol: reason, and predicate.
type Named = (&'static str, fn(&Error) -> bool);
const NINE: [Named; 9] = [
    ("TASK_NOT_FOUND", Error::is_task_not_found),
    ("TASK_NOT_CANCELABLE", Error::is_task_not_cancelable),
    (
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
        Error::is_push_notification_not_supported,
    ),
    ("UNSUPPORTED_OPERATION", Error::is_unsupported_operation),
    (
        "CONTENT_TYPE_NOT_SUPPORTED",
        Error::is_content_type_not_supported,
    ),
    ("INVALID_AGENT_RESPONSE", Error::is_invalid_agent_response),
    (
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        Error::is_extended_agent_card_not_configured,
    ),
    (
        "EXTENSION_SUPPORT_REQUIRED",
        Error::is_extension_support_required,
    ),
    ("VERSION_NOT_SUPPORTED", Error::is_version_not_supported),
];

fn status_of(code: u16, reason: Option<&str>) -> String {
    let info = |reason| json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"});
    let details: Vec<Value> = reason.map(info).into_iter().collect();
    json!({"error": {"code": code, "status": "INVALID_ARGUMENT", "message": "no", "details": details}})
        .to_string()
}

#[tokio::test]
async fn the_reason_names_an_error_and_no_status_does() {
    // 400 is shared by seven; others stand for the tables of older versions of the specification.
    for status in [
        "400 Bad Request",
        "409 Conflict",
        "415 Unsupported",
        "501 Not",
        "502 Bad",
        "404 Not Found",
    ] {
        let code = status[..3].parse().unwrap();
        for (reason, predicate) in NINE {
            let act = json_text(status, &status_of(code, Some(reason)));
            let error = get_task("HTTP+JSON", act).await.unwrap_err();
            assert!(predicate(&error), "{status} {reason}: {error:?}");
            assert_eq!(error.reason(), Some(reason));
        }
        let error = get_task("HTTP+JSON", json_text(status, &status_of(code, None))).await;
        let error = error.unwrap_err();
        assert_eq!((error.spec(), error.reason()), (None, None), "{error:?}");
    }
}

#[tokio::test]
async fn answers_of_whoever_stands_in_between_have_a_predicate() {
    type Case = (&'static str, &'static str, Code, fn(&Error) -> bool);
    let cases: [Case; 7] = [
        (
            "401 Unauthorized",
            "www-authenticate: Bearer\r\n",
            Code::Unauthenticated,
            Error::is_unauthenticated,
        ),
        (
            "403 Forbidden",
            "",
            Code::PermissionDenied,
            Error::is_permission_denied,
        ),
        (
            "413 Content Too Large",
            "",
            Code::ResourceExhausted,
            Error::is_resource_exhausted,
        ),
        (
            "429 Too Many Requests",
            "retry-after: 7\r\n",
            Code::ResourceExhausted,
            Error::is_resource_exhausted,
        ),
        (
            "502 Bad Gateway",
            "",
            Code::Unavailable,
            Error::is_unavailable,
        ),
        (
            "504 Gateway Timeout",
            "",
            Code::DeadlineExceeded,
            Error::is_timeout,
        ),
        (
            "400 Bad Request",
            "",
            Code::InvalidArgument,
            Error::is_invalid_argument,
        ),
    ];
    for binding in ["JSONRPC", "HTTP+JSON"] {
        for (status, headers, code, predicate) in cases {
            let page = format!("<html>{}</html>", "é".repeat(3000));
            let act = answer(
                status,
                &format!("{headers}content-type: text/html\r\n"),
                &page,
            );
            let error = get_task(binding, act).await.unwrap_err();
            assert_eq!(error.code(), code, "{binding} {status}: {error:?}");
            assert!(predicate(&error) && error.spec().is_none(), "{error:?}");
            assert_eq!(error.peer_status(), status[..3].parse().ok());
            // Cut between letters.
            let body = error.peer_body().unwrap();
            assert!(body.len() <= 1024 && body.ends_with('é'), "{body}");
            assert_eq!(error.retry_after().is_some(), headers.starts_with("retry"));
        }
        let act = answer(
            "307 Temporary Redirect",
            "location: https://x.test/?key=s3cret\r\n",
            "",
        );
        let error = get_task(binding, act).await.unwrap_err();
        let message = error.message();
        assert!(
            message.contains("https://x.test/") && !message.contains("s3cret"),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_no_answer() {
    for binding in ["JSONRPC", "HTTP+JSON"] {
        let cut = Act::Write(format!(
            "HTTP/1.1 200 OK\r\n{JSON}content-length: 100\r\n\r\n{{"
        ));
        let error = get_task(binding, cut).await.unwrap_err();
        let kind = error.transport().map(a2a_kit::client::TransportError::kind);
        assert_eq!(
            kind,
            Some(TransportErrorKind::Broken),
            "{binding}: {error:?}"
        );
        assert!(error.is_unavailable());
    }
}

#[tokio::test]
async fn a_client_invents_no_ids_of_tasks_and_contexts() {
    for (binding, act) in [
        ("JSONRPC", result(&task("COMPLETED"))),
        ("HTTP+JSON", json_answer(&task("COMPLETED"))),
    ] {
        let peer = Peer::with_card(binding, vec![act]).await;
        peer.client().await.message("go").send().await.unwrap();
        let body = peer.requests().remove(1).body;
        let request = if binding == "JSONRPC" {
            &body["params"]
        } else {
            &body
        };
        let mut message = request["message"].clone();
        let id = message["messageId"].take();
        assert!(id.as_str().is_some_and(|id| !id.is_empty()));
        assert_eq!(
            message,
            json!({"messageId": null, "role": "ROLE_USER", "parts": [{"text": "go"}]})
        );
    }
}

#[tokio::test]
async fn i14_what_shows_that_a_subscription_is_served_by_post() {
    let not_found = |name: &str| {
        let details = json!([{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org", "metadata": {"taskId": name},
        }]);
        let error = json!({"code": 404, "status": "NOT_FOUND", "message": format!("no task {name}"), "details": details});
        json_text("404 Not Found", &json!({"error": error}).to_string())
    };
    let cases = [
        (
            answer("405 Method Not Allowed", "allow: POST\r\n", ""),
            true,
        ),
        (answer("404 Not Found", "", "no such page"), true),
        // The verb was taken for a part of the id.
        (not_found("t1:subscribe"), true),
        // The GET was taken for one of the task.
        (json_answer(&task("WORKING")["task"]), true),
        // An answer of the protocol.
        (not_found("t1"), false),
        (
            json_text(
                "400 Bad Request",
                &status_of(400, Some("UNSUPPORTED_OPERATION")),
            ),
            false,
        ),
        (answer("401 Unauthorized", "", ""), false),
    ];
    for (number, (act, again)) in cases.into_iter().enumerate() {
        let events = crate::peer::rest_stream(&[task("COMPLETED")], true);
        let peer = Peer::with_card("HTTP+JSON", vec![act, events]).await;
        let subscribed = peer.client().await.subscribe("t1").await;
        assert_eq!(subscribed.is_ok(), again, "{number}");
        let methods: Vec<String> = peer.lines()[1..]
            .iter()
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect();
        let expected = if again {
            &["GET", "POST"][..]
        } else {
            &["GET"]
        };
        assert_eq!(methods, expected, "{number}");
    }
}
