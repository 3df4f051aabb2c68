//! Paths of HTTP+JSON: what leads where, and what leads nowhere.

use bytes::Bytes;
use e2e::client::http::{self, Whole};
use e2e::{Binding, Client, Served, Setup, errors, request, state, string, text};
use serde_json::{Value, json};

/// Asks for a path and returns the id of the task that the answer says does not exist.
async fn id_asked_for(served: &Served, method: &str, path: &str) -> String {
    let answer = http::call(served.addr, method, path).await;
    let detail = &answer.json()["error"]["details"][0];
    assert_eq!(
        (answer.status.as_u16(), &detail["reason"]),
        (404, &json!("TASK_NOT_FOUND")),
        "{method} {path}: {answer:?}"
    );
    string(detail, "/metadata/taskId")
}

/// A task that waits for its client.
async fn waiting(client: &Client) -> String {
    string(&client.send(request("ask what?")).await, "/id")
}

#[track_caller]
fn assert_no_route(answer: &Whole, status: u16) -> Value {
    let body = answer.json();
    assert_eq!(
        (answer.status.as_u16(), &body["error"]["code"]),
        (status, &json!(status)),
        "{answer:?}"
    );
    assert_eq!(body["error"]["details"], json!([]), "{answer:?}");
    body
}

#[tokio::test]
async fn colons_belong_to_the_id_and_only_the_known_verb_behind_the_last_one_does_not() {
    let served = Setup::new().start().await;
    for (method, path, id) in [
        ("POST", "/tasks/urn:x:7:cancel", "urn:x:7"),
        ("GET", "/tasks/urn:x:7:subscribe", "urn:x:7"),
        ("POST", "/tasks/urn:x:7:subscribe", "urn:x:7"),
        ("GET", "/tasks/urn:uuid:7", "urn:uuid:7"),
        ("GET", "/tasks/t1:unknown", "t1:unknown"),
        ("GET", "/tasks/t1%3Acancel", "t1:cancel"),
        ("GET", "/tasks/t1%3Asubscribe", "t1:subscribe"),
        ("POST", "/tasks/t1%3Acancel:cancel", "t1:cancel"),
        ("GET", "/tasks/a%2Fb", "a/b"),
        ("GET", "/tasks/%C3%A9%20%F0%9F%98%80", "é 😀"),
        ("GET", "/tasks/a+b", "a+b"),
        ("GET", "/tasks/100%25", "100%"),
    ] {
        assert_eq!(
            id_asked_for(&served, method, path).await,
            id,
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn an_escaped_colon_makes_no_verb() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let task = waiting(&client).await;
    let answer = http::call(served.addr, "POST", &format!("/tasks/{task}%3Acancel")).await;
    assert_no_route(&answer, 405);
    assert_eq!(
        state(&client.get(&task).await),
        "INPUT_REQUIRED",
        "it has not been canceled"
    );
    let answer = http::call(served.addr, "POST", &format!("/tasks/{task}:cancel")).await;
    assert_eq!(
        (answer.status.as_u16(), state(&answer.json())),
        (200, "CANCELED"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn get_and_post_both_subscribe() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    for (method, tail) in [
        ("GET", ""),
        ("POST", "Content-Length: 0\r\n"),
        (
            "POST",
            "Content-Type: application/json\r\nContent-Length: 2\r\n",
        ),
    ] {
        let task = client.start("work gate").await;
        served.gates.gate("gate").arrived(1).await;
        let body = if tail.ends_with("2\r\n") { "{}" } else { "" };
        let bytes = format!(
            "{method} /tasks/{task}:subscribe HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nConnection: close\r\n{tail}\r\n{body}"
        );
        let (answer, ()) = tokio::join!(http::raw(served.addr, bytes.as_bytes()), async {
            client.ok("CancelTask", json!({"id": task})).await;
        });
        assert!(
            answer.starts_with("HTTP/1.1 200"),
            "{method} {tail:?}: {answer}"
        );
        assert!(
            answer.contains("text/event-stream"),
            "{method} {tail:?}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_route_that_is_none_is_404_and_no_missing_task() {
    let served = Setup::new().start().await;
    for path in [
        "//tasks",
        "/tasks//",
        "/tasks/t1/",
        "/tasks/",
        "/a/b/tasks",
        "/Tasks",
        "/tasks/t1/unknown",
        "/message:unknown",
        "/message%3Asend",
        "/a//tasks",
        "/acme/",
    ] {
        for method in ["GET", "POST"] {
            let answer = http::call(served.addr, method, path).await;
            assert_no_route(&answer, 404);
        }
    }
    let answer = http::call(served.addr, "GET", "/tasks/").await;
    assert!(
        answer.text().contains("without the `/`"),
        "it says how to go on: {answer:?}"
    );
}

#[tokio::test]
async fn a_wrong_method_is_405_with_the_right_ones_in_allow() {
    let served = Setup::new().start().await;
    for (method, path, allowed) in [
        ("GET", "/message:send", "POST"),
        ("PUT", "/message:stream", "POST"),
        ("POST", "/tasks", "GET, HEAD"),
        ("DELETE", "/tasks/t1", "GET, HEAD"),
        ("GET", "/acme/message:send", "POST"),
        ("GET", "/tasks/urn:x:7:cancel", "POST"),
        ("PATCH", "/tasks/t1:subscribe", "GET, HEAD, POST"),
        (
            "PUT",
            "/tasks/t1/pushNotificationConfigs",
            "GET, HEAD, POST",
        ),
        (
            "POST",
            "/tasks/t1/pushNotificationConfigs/w",
            "DELETE, GET, HEAD",
        ),
        ("OPTIONS", "/extendedAgentCard", "GET, HEAD"),
        ("GET", "/", "POST"),
        ("DELETE", "/jsonrpc", "POST"),
        ("POST", "/.well-known/agent-card.json", "GET, HEAD"),
    ] {
        let answer = http::call(served.addr, method, path).await;
        assert_eq!(answer.status, 405, "{method} {path}: {answer:?}");
        let mut allow: Vec<&str> = answer.header("allow").split(", ").collect();
        allow.sort_unstable();
        assert_eq!(allow.join(", "), allowed, "{method} {path}");
        let error = &answer.json()["error"];
        assert!(
            error
                .get("details")
                .is_none_or(|details| details == &json!([])),
            "{answer:?}"
        );
        assert_eq!(error.get("data"), None, "{answer:?}");
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let served = Setup::new().start().await;
    let task = waiting(&served.client(Binding::Rest)).await;
    for path in [
        "/tasks".to_owned(),
        format!("/tasks/{task}"),
        "/extendedAgentCard".to_owned(),
        "/tasks/unknown".to_owned(),
    ] {
        let get = http::call(served.addr, "GET", &path).await;
        let head = http::call(served.addr, "HEAD", &path).await;
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        assert_eq!(
            head.header("content-type"),
            get.header("content-type"),
            "{path}"
        );
        assert_eq!(
            head.header("content-length"),
            get.body.len().to_string(),
            "{path}"
        );
    }
    // A stream is not waited for, though its task goes on.
    let head = http::call(served.addr, "HEAD", &format!("/tasks/{task}:subscribe")).await;
    assert_eq!(
        (head.status.as_u16(), head.header("content-type")),
        (200, "text/event-stream"),
        "{head:?}"
    );
}

#[tokio::test]
async fn a_field_of_the_path_may_stand_in_the_body_too_when_it_is_the_same() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let task = waiting(&client).await;
    let configs = format!("/tasks/{task}/pushNotificationConfigs");
    let hook = |id: &str| json!({"taskId": id, "url": "https://a.test/hook"}).to_string();
    let made = http::post(served.addr, &configs, hook(&task)).await;
    assert_eq!(
        (made.status.as_u16(), string(&made.json(), "/taskId")),
        (200, task.clone()),
        "{made:?}"
    );
    let without = http::post(served.addr, &configs, r#"{"url":"https://a.test/hook"}"#).await;
    assert_eq!(
        (without.status.as_u16(), string(&without.json(), "/taskId")),
        (200, task.clone()),
        "{without:?}"
    );

    for (path, body, field) in [
        (configs.as_str(), hook("t2"), "taskId"),
        (
            &format!("/tasks/{task}:cancel"),
            json!({"id": "t2"}).to_string(),
            "id",
        ),
        (
            &format!("/tasks/{task}:subscribe"),
            json!({"id": "t2"}).to_string(),
            "id",
        ),
        (
            "/acme/message:send",
            json!({"tenant": "other", "message": e2e::message("x")}).to_string(),
            "tenant",
        ),
    ] {
        let answer = http::post(served.addr, path, body).await;
        let violation = &answer.json()["error"]["details"][0]["fieldViolations"][0]["field"];
        assert_eq!(
            (answer.status.as_u16(), violation),
            (400, &json!(field)),
            "{path}: {answer:?}"
        );
    }
    assert_eq!(
        state(&client.get(&task).await),
        "INPUT_REQUIRED",
        "nothing has been canceled"
    );
    let canceled = http::post(
        served.addr,
        &format!("/tasks/{task}:cancel"),
        json!({"id": task}).to_string(),
    )
    .await;
    assert_eq!(state(&canceled.json()), "CANCELED", "{canceled:?}");
}

#[tokio::test]
async fn a_cancellation_needs_no_body_and_takes_an_empty_one_or_null() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    for (content_type, body) in [
        (None, ""),
        (Some("application/json"), ""),
        (Some("application/json"), "{}"),
        (Some("application/a2a+json"), "null"),
        (None, "{}"),
        (Some("application/json"), " {\n} "),
        (
            Some("application/json"),
            r#"{"metadata":{"why":["because",null]}}"#,
        ),
    ] {
        let task = waiting(&client).await;
        let mut request = http::request("POST", &format!("/tasks/{task}:cancel"));
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let answer = http::exchange(
            served.addr,
            request.body(Bytes::from(body)).expect("a request"),
        )
        .await;
        assert_eq!(
            (answer.status.as_u16(), state(&answer.json())),
            (200, "CANCELED"),
            "{body:?}: {answer:?}"
        );
    }
    // Where fields are required, nothing stands for them.
    for (body, field) in [("null", ""), ("", "message"), ("{}", "message")] {
        let answer = http::post(served.addr, "/message:send", body).await;
        let found = &answer.json()["error"]["details"][0]["fieldViolations"][0]["field"];
        assert_eq!(
            (answer.status.as_u16(), found),
            (400, &json!(field)),
            "{body:?}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn deleting_a_webhook_answers_with_an_empty_object() {
    let served = Setup::new().start().await;
    let task = waiting(&served.client(Binding::Rest)).await;
    let answer = http::call(
        served.addr,
        "DELETE",
        &format!("/tasks/{task}/pushNotificationConfigs/w"),
    )
    .await;
    assert_eq!(
        (answer.status.as_u16(), answer.text().as_str()),
        (200, "{}"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn the_query_is_read_by_camel_case_and_decoded() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let mut first = request("é & done");
    first["message"]["contextId"] = "c/1 é&+".into();
    let task = client.send(first).await;
    for query in [
        "contextId=c%2F1%20%C3%A9%26%2B",
        "contextId=c/1+%c3%a9%26%2b",
        "&contextId=c%2F1+%C3%A9%26%2B&&",
    ] {
        let page = http::call(served.addr, "GET", &format!("/tasks?{query}"))
            .await
            .json();
        assert_eq!(page["totalSize"], 1, "{query}: {page}");
    }
    let timestamp = string(&task, "/status/timestamp").replace(':', "%3A");
    for (query, total) in [
        (format!("statusTimestampAfter={timestamp}"), 1),
        ("statusTimestampAfter=2999-01-01T00:00:00Z".to_owned(), 0),
        (
            "statusTimestampAfter=2999-01-01T00%3A00%3A00.250%2B05%3A30".to_owned(),
            0,
        ),
        ("status=TASK_STATE_COMPLETED".to_owned(), 1),
        ("status=TASK_STATE_FAILED".to_owned(), 0),
        ("includeArtifacts=true&historyLength=0".to_owned(), 1),
    ] {
        let page = http::call(served.addr, "GET", &format!("/tasks?{query}"))
            .await
            .json();
        assert_eq!(page["totalSize"], total, "{query}: {page}");
    }
}

#[tokio::test]
async fn a_post_that_asks_for_http_2_keeps_its_body() {
    let served = Setup::new().start().await;
    let body = request("report fine").to_string();
    let length = body.len();
    let bytes = format!(
        "POST /message:send HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n{body}"
    );
    let answer = http::raw(served.addr, bytes.as_bytes()).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("TASK_STATE_COMPLETED"),
        "{answer}"
    );
}

#[tokio::test]
async fn routes_with_a_tenant_reach_the_same_operations() {
    let served = Setup::new()
        .engine(|engine| engine.tenants(a2a_kit::engine::Tenants::Any))
        .start()
        .await;
    let client = served.client(Binding::Rest).tenant_prefix("a%20b");
    let task = client.send(request("tenant")).await;
    assert_eq!(text(&task), "a b");
    let id = string(&task, "/id");
    assert_eq!(client.get(&id).await, task);
    assert_eq!(client.ok("ListTasks", json!({})).await["totalSize"], 1);
    client
        .fault("CancelTask", json!({"id": id}))
        .await
        .assert_is(errors::TASK_NOT_CANCELABLE);
    client
        .fault("SubscribeToTask", json!({"id": id}))
        .await
        .assert_is(errors::UNSUPPORTED_OPERATION);
    let hook = json!({"taskId": id, "id": "w", "url": "https://a.test/"});
    client.ok("CreateTaskPushNotificationConfig", hook).await;
    assert_eq!(
        string(
            &client
                .ok(
                    "GetTaskPushNotificationConfig",
                    json!({"taskId": id, "id": "w"})
                )
                .await,
            "/tenant"
        ),
        "a b"
    );
    client
        .ok("ListTaskPushNotificationConfigs", json!({"taskId": id}))
        .await;
    client
        .ok(
            "DeleteTaskPushNotificationConfig",
            json!({"taskId": id, "id": "w"}),
        )
        .await;
    client.ok("GetExtendedAgentCard", json!({})).await;
    assert_eq!(
        client
            .events("SendStreamingMessage", request("hello"))
            .await
            .briefs()
            .await,
        ["message hello to you"]
    );
}

#[tokio::test]
async fn the_query_never_overrides_the_path_and_does_not_add_to_a_body() {
    let served = Setup::new().start().await;
    for path in ["/tasks/mine?id=yours", "/tasks/mine:subscribe?id=yours"] {
        let answer = http::call(served.addr, "GET", path).await;
        let field = &answer.json()["error"]["details"][0]["fieldViolations"][0]["field"];
        assert_eq!(
            (answer.status.as_u16(), field),
            (400, &json!("id")),
            "{path}: {answer:?}"
        );
    }
    assert_eq!(
        id_asked_for(&served, "GET", "/tasks/mine?id=mine").await,
        "mine"
    );
    // Where there is a body, the query is no part of the request.
    assert_eq!(
        id_asked_for(&served, "POST", "/tasks/mine:cancel?id=yours").await,
        "mine"
    );
    let body = request("tenant").to_string();
    let answer = http::post(
        served.addr,
        "/message:send?tenant=acme&message.messageId=x",
        body,
    )
    .await;
    assert_eq!(
        (
            answer.status.as_u16(),
            text(&answer.json()["task"]).as_str()
        ),
        (200, "none"),
        "{answer:?}"
    );
}
