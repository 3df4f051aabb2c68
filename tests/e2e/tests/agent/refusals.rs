//! Requests that are refused before they reach the agent: which field is wrong, which path leads
//! nowhere.

use e2e::client::http;
use e2e::{Binding, Fault, Setup, errors, request, string};
use serde_json::{Value, json};

/// Requests that lack something or have it wrong, and the fields that the answer must name.
fn invalid() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut request = request("hi");
        change(&mut request);
        request
    };
    let webhook = |change: &dyn Fn(&mut Value)| {
        with(&|request| {
            request["configuration"]["taskPushNotificationConfig"] =
                json!({"url": "https://a.test/"});
            change(&mut request["configuration"]["taskPushNotificationConfig"]);
        })
    };
    vec![
        ("SendMessage", json!({}), vec!["message"]),
        (
            "SendMessage",
            json!({"message": {}}),
            vec!["message.messageId", "message.role", "message.parts"],
        ),
        (
            "SendStreamingMessage",
            with(&|r| r["message"]["parts"] = json!([])),
            vec!["message.parts"],
        ),
        (
            "SendMessage",
            with(&|r| r["message"]["parts"] = json!([{"text": "a"}, {}])),
            vec!["message.parts[1]"],
        ),
        (
            "SendMessage",
            with(&|r| r["message"]["parts"] = json!([{"filename": "a"}])),
            vec!["message.parts[0]"],
        ),
        (
            "SendMessage",
            with(&|r| r["message"]["role"] = json!("ROLE_AGENT")),
            vec!["message.role"],
        ),
        (
            "SendMessage",
            with(&|r| r["configuration"] = json!({"historyLength": -1})),
            vec!["configuration.historyLength"],
        ),
        (
            "SendMessage",
            webhook(&|w| w["url"] = json!("")),
            vec!["configuration.taskPushNotificationConfig.url"],
        ),
        (
            "SendMessage",
            webhook(&|w| w["url"] = json!("ftp://a")),
            vec!["configuration.taskPushNotificationConfig.url"],
        ),
        (
            "SendMessage",
            webhook(&|w| w["authentication"] = json!({"credentials": "c"})),
            vec!["configuration.taskPushNotificationConfig.authentication.scheme"],
        ),
        (
            "SendMessage",
            with(&|r| r["message"]["parts"][0]["text"] = json!("refuse")),
            vec!["message.parts[0].text"],
        ),
        (
            "GetTask",
            json!({"id": "t", "historyLength": -5}),
            vec!["historyLength"],
        ),
        (
            "ListTasks",
            json!({"historyLength": -1}),
            vec!["historyLength"],
        ),
        ("ListTasks", json!({"pageSize": 0}), vec!["pageSize"]),
        ("ListTasks", json!({"pageSize": 101}), vec!["pageSize"]),
        (
            "ListTasks",
            json!({"pageToken": "nonsense"}),
            vec!["pageToken"],
        ),
    ]
}

#[tokio::test]
async fn validation_errors_name_the_json_path_of_each_wrong_field() {
    let served = Setup::new().start().await;
    for (operation, request, fields) in invalid() {
        let mut messages = Vec::new();
        for binding in Binding::ALL {
            let fault = served
                .client(binding)
                .fault(operation, request.clone())
                .await;
            fault.assert_invalid(&fields);
            messages.push(fault.message);
        }
        assert!(
            messages.iter().all(|message| *message == messages[0]),
            "the same words: {messages:?}"
        );
    }
    let listed = served
        .client(Binding::Rest)
        .ok("ListTasks", json!({}))
        .await;
    assert_eq!(listed["totalSize"], 0, "nothing has been written");
}

#[tokio::test]
async fn faults_of_json_name_their_path_on_both_json_bindings() {
    let served = Setup::new().start().await;
    let message = |change: &dyn Fn(&mut Value)| {
        let mut request = request("hi");
        change(&mut request["message"]);
        request
    };
    for (request, field) in [
        (
            message(&|m| m["parts"][0]["text"] = json!(5)),
            "message.parts[0].text",
        ),
        (message(&|m| m["parts"] = json!({})), "message.parts"),
        (message(&|m| m["role"] = json!("user")), "message.role"),
        (
            message(&|m| m["parts"] = json!([{"text": "a", "url": "b"}])),
            "message.parts[0].url",
        ),
        (
            message(&|m| m["parts"][0] = json!({"raw": "not base64!"})),
            "message.parts[0].raw",
        ),
        (message(&|m| m["metadata"] = json!([])), "message.metadata"),
        (json!({"message": "hi"}), "message"),
        (
            json!({"configuration": {"historyLength": "x"}, "message": {}}),
            "configuration.historyLength",
        ),
    ] {
        for binding in Binding::JSON {
            let fault = served
                .client(binding)
                .fault("SendMessage", request.clone())
                .await;
            fault.assert_invalid(&[field]);
        }
    }
    for (query, field) in [
        ("status=TASK_STATE_RUNNING", "status"),
        ("pageSize=ten", "pageSize"),
        ("includeArtifacts=yes", "includeArtifacts"),
        ("statusTimestampAfter=yesterday", "statusTimestampAfter"),
        ("historyLength=-1", "historyLength"),
    ] {
        let answer = http::call(served.addr, "GET", &format!("/tasks?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
        let violation = &answer.json()["error"]["details"][0]["fieldViolations"][0];
        assert_eq!(violation["field"], field, "{query}: {answer:?}");
        if field == "status" {
            assert!(
                string(violation, "/description").contains("TASK_STATE_WORKING"),
                "it lists the values: {violation}"
            );
        }
    }
}

#[tokio::test]
async fn errors_of_routing_are_not_taken_for_errors_of_the_protocol() {
    let served = Setup::new()
        .server(|server| server.request_limit(1000))
        .start()
        .await;
    let too_long = "x".repeat(1001);
    // Method, path, body; status, name.
    for (method, path, body, status, name) in [
        ("GET", "/nothing/here", "", 404, "NOT_FOUND"),
        ("GET", "//tasks", "", 404, "NOT_FOUND"),
        ("DELETE", "/tasks", "", 405, "UNIMPLEMENTED"),
        (
            "POST",
            "/message:send",
            too_long.as_str(),
            413,
            "RESOURCE_EXHAUSTED",
        ),
    ] {
        let request = http::request(method, path).header("content-type", "application/json");
        let answer = http::exchange(
            served.addr,
            request.body(body.to_owned()).expect("a request"),
        )
        .await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        let error = &answer.json()["error"];
        assert_eq!(
            (&error["code"], &error["status"]),
            (&json!(status), &json!(name)),
            "{error}"
        );
        assert_eq!(error["details"], json!([]), "{error}");
    }
    let answer = http::post(served.addr, "/jsonrpc", too_long).await;
    assert_eq!(
        (
            answer.status.as_u16(),
            answer.json()["error"]["code"].clone()
        ),
        (413, json!(-32600)),
        "{answer:?}"
    );
    assert_eq!(answer.json()["error"].get("data"), None, "{answer:?}");

    let grpc = served.client(Binding::Grpc);
    let unknown = grpc
        .grpc_raw("/lf.a2a.v1.A2AService/GetTasks", vec![0; 5])
        .await;
    assert_plain(unknown.map(|_| ()), 12);
    let large = grpc.call("GetTask", json!({"id": "x".repeat(1001)})).await;
    assert_plain(large.map(|_| ()), 8);
}

fn assert_plain(outcome: Result<(), Fault>, code: i64) {
    let fault = outcome.expect_err("refused");
    assert_eq!(fault.code, code, "{fault:?}");
    fault.assert_plain();
}

#[tokio::test]
async fn a_wrong_media_type_is_415_or_minus_32005_before_the_body_is_read() {
    let served = Setup::new().start().await;
    let rest = served
        .client(Binding::Rest)
        .content_type(Some("text/plain"));
    let fault = rest.fault("SendMessage", request("hi")).await;
    assert_eq!(
        (fault.http, fault.reason()),
        (415, errors::CONTENT_TYPE_NOT_SUPPORTED.reason),
        "{fault:?}"
    );
    for content_type in [
        "text/plain",
        "application/a2a+json",
        "application/json; charset=latin1",
        "garbage",
    ] {
        // No JSON at all: the type is looked at first.
        let answer = served
            .client(Binding::JsonRpc)
            .content_type(Some(content_type))
            .json_rpc_post("{nothing")
            .await;
        let error = &answer.json()["error"];
        assert_eq!(
            (answer.status.as_u16(), &error["code"]),
            (415, &json!(-32005)),
            "{content_type}: {error}"
        );
        assert_eq!(
            error["data"][0]["reason"],
            errors::CONTENT_TYPE_NOT_SUPPORTED.reason,
            "{error}"
        );
    }
}
