//! JSON-RPC (specification 9) where it is a protocol of its own: envelopes, ids, errors, paths.

use std::time::Duration;

use a2a_kit::v1_0::{ListTasksRequest, ListTasksResponse};
use a2a_kit::{A2aService, CallContext, Code, Error, Shared};
use e2e::client::http;
use e2e::{Binding, Served, Setup, message, request, state, string, text};
use serde_json::{Value, json};

/// Posts a body and returns the response object. The HTTP status is 200 whatever it says.
async fn answer(served: &Served, body: impl Into<bytes::Bytes>) -> Value {
    let answer = served.client(Binding::JsonRpc).json_rpc_post(body).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, "application/json"),
        "{answer:?}"
    );
    answer.json()
}

/// Checks that a body is refused, and with which id.
async fn assert_refused(served: &Served, body: &[u8], code: i64, id: Value) {
    let shown = String::from_utf8_lossy(body).into_owned();
    let answer = answer(served, body.to_vec()).await;
    let members: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["error", "id", "jsonrpc"], "{shown}: {answer}");
    assert_eq!(
        (&answer["error"]["code"], &answer["id"]),
        (&json!(code), &id),
        "{shown}: {answer}"
    );
    assert!(
        !string(&answer, "/error/message").is_empty(),
        "{shown}: {answer}"
    );
}

#[tokio::test]
async fn absent_params_are_empty_params() {
    let served = Setup::new().start().await;
    for params in ["", r#","params":{}"#, r#","params":null"#] {
        for method in ["ListTasks", "GetExtendedAgentCard"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}"#);
            let answer = answer(&served, body).await;
            assert!(answer["result"].is_object(), "{method} {params}: {answer}");
        }
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask"{params}}}"#);
        let answer = answer(&served, body).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(
            answer["error"]["data"][0]["fieldViolations"][0]["field"], "id",
            "{answer}"
        );
    }
}

#[tokio::test]
async fn the_id_comes_back_as_it_was() {
    let served = Setup::new().start().await;
    let ids = [
        "1",
        "0",
        "-7",
        "\"\"",
        "\"1\"",
        "\"é😀\\n\\u2028\"",
        "null",
        "9007199254740993",
        "123456789012345678901234567890",
    ];
    for id in ids {
        for method in ["ListTasks", "GetTask"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
            let answer = served
                .client(Binding::JsonRpc)
                .json_rpc_post(body)
                .await
                .text();
            assert!(answer.contains(&format!("\"id\":{id},")), "{id}: {answer}");
        }
    }
    for id in ["{}", "[]", "1.5", "true", "1e3"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ListTasks"}}"#);
        assert_refused(&served, body.as_bytes(), -32600, Value::Null).await;
    }
}

#[tokio::test]
async fn the_id_of_a_stream_is_in_each_event() {
    let served = Setup::new().start().await;
    for id in [json!("é \u{2028}"), json!(-3), Value::Null] {
        // The client checks it.
        let client = served.client(Binding::JsonRpc).id(id);
        let events = client
            .events("SendStreamingMessage", request("chunks a b"))
            .await;
        assert_eq!(events.briefs().await.len(), 4);
    }
}

#[tokio::test]
async fn what_is_no_json_is_minus_32700() {
    let served = Setup::new().start().await;
    let valid = r#"{"jsonrpc":"2.0","id":1,"method":"ListTasks"}"#;
    for body in [
        "{bad",
        "",
        " ",
        "{",
        "[",
        "nul",
        valid.trim_end_matches('}'),
        &format!("{valid} x"),
        &format!("{valid}{valid}"),
        "{'id':1}",
        "{\"a\":1,}",
        "\u{feff}{}",
    ] {
        assert_refused(&served, body.as_bytes(), -32700, Value::Null).await;
    }
    assert_refused(
        &served,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
        -32700,
        Value::Null,
    )
    .await;
    assert_refused(&served, &[0xff, 0xfe, b'{', 0], -32700, Value::Null).await;
}

#[tokio::test]
async fn what_is_no_request_object_is_minus_32600() {
    let served = Setup::new().start().await;
    for (body, id) in [
        (r#"{"id":1,"method":"ListTasks"}"#, json!(1)),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ListTasks"}"#, json!(1)),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ListTasks"}"#, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"a"}"#, json!("a")),
        (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, json!("a")),
        (r#"{"jsonrpc":"2.0","id":"a","method":null}"#, json!("a")),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"ListTasks","method":"GetTask"}"#,
            json!("a"),
        ),
        ("{}", Value::Null),
        ("1", Value::Null),
        ("null", Value::Null),
        (r#""ListTasks""#, Value::Null),
    ] {
        assert_refused(&served, body.as_bytes(), -32600, id).await;
    }
}

#[tokio::test]
async fn unknown_methods_are_minus_32601_and_wrong_params_minus_32602() {
    let served = Setup::new().start().await;
    for method in [
        "",
        "Nothing",
        "sendmessage",
        "A2AService/SendMessage",
        "rpc.discover",
        "category/action",
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        assert_refused(&served, body.as_bytes(), -32601, json!(1)).await;
    }
    for params in [
        "[1]",
        "[]",
        "\"x\"",
        "5",
        "true",
        r#"{"id":5}"#,
        r#"{"id":"t","historyLength":"many"}"#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{params}}}"#);
        assert_refused(&served, body.as_bytes(), -32602, json!(1)).await;
    }
}

#[tokio::test]
async fn a_notification_is_refused_and_not_executed() {
    let served = Setup::new().start().await;
    let body =
        json!({"jsonrpc": "2.0", "method": "SendMessage", "params": request("hi")}).to_string();
    assert_refused(&served, body.as_bytes(), -32600, Value::Null).await;
    assert_eq!(
        served
            .client(Binding::Rest)
            .ok("ListTasks", json!({}))
            .await["totalSize"],
        0
    );
}

#[tokio::test]
async fn a_batch_is_refused_and_not_executed() {
    let served = Setup::new().start().await;
    let one = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": request("hi")});
    for batch in [json!([]), json!([one]), json!([one, one]), json!([1])] {
        assert_refused(&served, batch.to_string().as_bytes(), -32600, Value::Null).await;
    }
    assert_eq!(
        served
            .client(Binding::Rest)
            .ok("ListTasks", json!({}))
            .await["totalSize"],
        0
    );
}

#[tokio::test]
async fn it_is_served_at_its_paths_with_and_without_a_slash() {
    let served = Setup::new().start().await;
    for path in ["/", "/jsonrpc", "/jsonrpc/"] {
        let client = served.client(Binding::JsonRpc).path(path);
        assert_eq!(
            state(&client.send(request("hi")).await),
            "COMPLETED",
            "{path}"
        );
    }
    let moved = Setup::new()
        .server(|server| server.json_rpc_paths(["/a2a"]))
        .start()
        .await;
    for path in ["/a2a", "/a2a/"] {
        let client = moved.client(Binding::JsonRpc).path(path);
        assert_eq!(
            state(&client.send(request("hi")).await),
            "COMPLETED",
            "{path}"
        );
    }
    assert_eq!(http::post(moved.addr, "/jsonrpc", "{}").await.status, 404);
}

#[tokio::test]
async fn the_members_of_a_request_come_in_any_order() {
    let served = Setup::new().start().await;
    let params = request("hi");
    for body in [
        format!(r#"{{"method":"SendMessage","params":{params},"id":"a","jsonrpc":"2.0"}}"#),
        format!(r#"{{"params":{params},"jsonrpc":"2.0","method":"SendMessage","id":"a"}}"#),
        format!(r#"{{"id":"a","jsonrpc":"2.0","params":{params},"method":"SendMessage"}}"#),
        format!(
            r#"{{"\u006dethod":"Send\u004dessage","params":{params},"i\u0064":"a","jsonrpc":"\u0032.0"}}"#
        ),
        format!(
            "\r\n\t {{ \"method\" : \"SendMessage\" , \"params\" : {params} , \"id\" : \"a\" , \"jsonrpc\" : \"2.0\" }} \n"
        ),
    ] {
        let answer = answer(&served, body.clone()).await;
        assert_eq!(
            (state(&answer["result"]), &answer["id"]),
            ("COMPLETED", &json!("a")),
            "{body}: {answer}"
        );
    }
}

#[tokio::test]
async fn snake_case_is_read_and_camel_case_is_written() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::JsonRpc);
    let first = json!({
        "message": {"message_id": "m1", "role": 1, "context_id": "c-1", "parts": [{"text": "ask what?", "media_type": "text/plain"}]},
        "configuration": {"return_immediately": false, "history_length": 1},
    });
    let task = client.send(first).await;
    assert_eq!(
        (state(&task), &task["contextId"]),
        ("INPUT_REQUIRED", &json!("c-1")),
        "{task}"
    );
    assert_eq!(task["history"].as_array().map(Vec::len), Some(1), "{task}");
    let id = string(&task, "/id");
    let second = json!({"message": {"message_id": "m2", "role": "ROLE_USER", "task_id": id, "parts": [{"text": "report fine"}]}});
    assert_eq!(state(&client.send(second).await), "COMPLETED");
    let task = client
        .ok("GetTask", json!({"id": id, "history_length": 2}))
        .await;
    assert_eq!(task["history"].as_array().map(Vec::len), Some(2), "{task}");
    let page = client
        .ok(
            "ListTasks",
            json!({"context_id": "c-1", "page_size": 1, "include_artifacts": true}),
        )
        .await;
    for value in [&task, &page] {
        let text = value.to_string();
        for camel in ["contextId", "messageId", "artifactId"] {
            assert!(text.contains(camel), "{camel}: {text}");
        }
        assert!(
            !text.contains("context_id")
                && !text.contains("message_id")
                && !text.contains("page_token"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_content_type_may_have_parameters_or_be_absent() {
    let served = Setup::new().start().await;
    for content_type in [
        None,
        Some("application/json"),
        Some("Application/JSON; charset=UTF-8"),
        Some("application/json;charset=\"utf-8\""),
    ] {
        let client = served.client(Binding::JsonRpc).content_type(content_type);
        assert_eq!(
            state(&client.send(request("hi")).await),
            "COMPLETED",
            "{content_type:?}"
        );
    }
}

#[tokio::test]
async fn ids_are_any_text_and_empty_ones_are_none() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let mut odd = request("hi");
        odd["message"]["messageId"] = "m 1/é".into();
        odd["message"]["taskId"] = "".into();
        odd["message"]["contextId"] = "".into();
        let task = client.send(odd).await;
        assert_eq!(task["history"][0]["messageId"], "m 1/é", "{task}");
        assert!(!string(&task, "/contextId").is_empty());
    }
    // An id that is sent again is a message like any other.
    let client = served.client(Binding::JsonRpc);
    let mut twice = message("hi");
    twice["messageId"] = "the same".into();
    let first = client.send(json!({"message": twice})).await;
    let second = client.send(json!({"message": twice})).await;
    assert_ne!(first["id"], second["id"]);
}

#[tokio::test]
async fn null_stands_for_unset() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::JsonRpc);
    let body = json!({
        "tenant": null,
        "message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi", "url": null, "metadata": null}], "taskId": null, "extensions": null},
        "configuration": null,
        "metadata": null,
    });
    let task = client.send(body).await;
    assert_eq!(text(&task), "hi");
    assert!(
        !task.to_string().contains("null"),
        "and null is not written: {task}"
    );
}

#[tokio::test]
async fn an_error_that_answers_a_streaming_method_is_one_json_object() {
    let served = Setup::bare().start().await;
    // The client takes an event stream for no error.
    for (method, params) in [
        ("SendStreamingMessage", request("hi")),
        ("SubscribeToTask", json!({"id": "t"})),
    ] {
        let fault = served
            .client(Binding::JsonRpc)
            .open(method, params)
            .await
            .expect_err("streaming is off");
        assert_eq!((fault.http, fault.code), (200, -32004), "{fault:?}");
        assert_eq!(fault.headers["content-type"], "application/json");
    }
}

/// Refuses calls in the way that they ask for.
struct Refusing;

impl A2aService for Refusing {
    async fn list_tasks(
        &self,
        _context: CallContext,
        request: ListTasksRequest,
    ) -> Result<Shared<ListTasksResponse>, Error> {
        Err(match request.context_id.as_str() {
            "401" => Error::new(Code::Unauthenticated, "who are you?"),
            "403" => Error::new(Code::PermissionDenied, "not you"),
            "429" => Error::new(Code::ResourceExhausted, "later")
                .with_retry_after(Duration::from_millis(1_500)),
            "503" => Error::new(Code::Unavailable, "later"),
            "409" => Error::new(Code::Aborted, "again"),
            "504" => Error::new(Code::DeadlineExceeded, "too late"),
            _ => Error::internal("broken"),
        })
    }
}

#[tokio::test]
async fn the_http_status_is_200_but_for_what_proxies_and_http_clients_act_on() {
    let served = Setup::new().start_service(Refusing).await;
    let client = served.client(Binding::JsonRpc);
    for (wanted, status) in [
        ("401", 401),
        ("403", 403),
        ("429", 429),
        ("503", 200),
        ("409", 200),
        ("504", 200),
        ("500", 200),
    ] {
        let fault = client
            .fault("ListTasks", json!({"contextId": wanted}))
            .await;
        assert_eq!(
            (fault.http, fault.code),
            (status, -32603),
            "{wanted}: {fault:?}"
        );
        if wanted == "429" {
            assert_eq!(
                fault.details,
                [json!({
                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": "1.500s",
                })]
            );
        } else {
            fault.assert_plain();
        }
        let rest = served
            .client(Binding::Rest)
            .fault("ListTasks", json!({"contextId": wanted}))
            .await;
        assert_eq!(rest.http.to_string(), wanted, "{rest:?}");
        if wanted == "429" {
            assert_eq!(
                (&fault.headers["retry-after"], &rest.headers["retry-after"]),
                (
                    &"2".parse().expect("a value"),
                    &"2".parse().expect("a value")
                )
            );
        }
    }
}
