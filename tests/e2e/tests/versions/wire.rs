//! What stands on the wire: requests of v0.3 as its clients write them, and answers to the letter.

use base64::Engine as _;
use bytes::Bytes;
use e2e::client::http::{self, Whole};
use e2e::{Binding, Client, Served, Setup, card};
use serde_json::{Value, json};

use super::{V0_3, V1_0, serving};

const EXTENSION: &str = "https://a.test/ext/one/v1";

async fn served() -> Served {
    let setup = Setup::new().card(|card| card::extension(card, EXTENSION, false));
    serving(setup, &[V1_0, V0_3]).start().await
}

/// A JSON-RPC call without a version.
async fn rpc(served: &Served, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let client = Client::new(served.addr, Binding::JsonRpc).version(None);
    let answer = client.json_rpc_post(body.to_string()).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let answer = answer.json();
    assert_eq!(answer["id"], 7, "{answer}");
    answer
}

/// An HTTP+JSON call without a version.
async fn rest(served: &Served, method: &str, path: &str, body: Option<Value>) -> Whole {
    let mut request = ::http::Request::builder().method(method).uri(path);
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
    http::exchange(served.addr, request.body(body).unwrap()).await
}

fn message(text: &str) -> Value {
    json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": text}]})
}

#[tokio::test]
async fn json_rpc_speaks_the_language_of_the_schema() {
    let served = served().await;
    let answer = rpc(
        &served,
        "message/send",
        json!({"message": message("report x")}),
    )
    .await;
    let task = &answer["result"];
    assert_eq!(task["kind"], "task", "{answer}");
    assert_eq!(task["status"]["state"], "completed");
    assert_eq!(task["history"][0]["role"], "user");
    assert_eq!(
        task["artifacts"][0]["parts"],
        json!([{"kind": "text", "text": "x"}])
    );
    let id = task["id"].as_str().unwrap();
    let again = rpc(&served, "tasks/get", json!({"id": id, "historyLength": 1})).await;
    assert_eq!(again["result"]["history"].as_array().unwrap().len(), 1);

    let said = rpc(
        &served,
        "message/send",
        json!({"message": message("hello")}),
    )
    .await;
    assert_eq!(said["result"]["kind"], "message", "{said}");
    assert_eq!(said["result"]["role"], "agent");

    let error = rpc(&served, "tasks/cancel", json!({"id": id})).await["error"].clone();
    assert_eq!(error["code"], -32002);
    assert!(error.get("data").is_none(), "{error}");
    let error = rpc(&served, "tasks/get", json!({})).await["error"].clone();
    assert_eq!(error["code"], -32602, "{error}");
    let error = rpc(&served, "tasks/list", json!({})).await["error"].clone();
    assert_eq!(error["code"], -32601, "{error}");
}

#[tokio::test]
async fn webhooks_over_json_rpc_need_no_id_and_come_in_one_list() {
    let served = served().await;
    let sent = rpc(
        &served,
        "message/send",
        json!({"message": message("report x")}),
    )
    .await;
    let id = sent["result"]["id"].clone();
    let get = "tasks/pushNotificationConfig/get";
    let none = rpc(&served, get, json!({"id": id})).await;
    assert_eq!(none["error"]["code"], -32001, "{none}");
    for index in 0..120 {
        let config = json!({"id": format!("c{index:03}"), "url": "https://a.test/hook", "authentication": {"schemes": ["Bearer"]}});
        let set = json!({"taskId": id, "pushNotificationConfig": config});
        let kept = rpc(&served, "tasks/pushNotificationConfig/set", set.clone()).await;
        assert_eq!(kept["result"], set, "{kept}");
    }
    let first = rpc(&served, get, json!({"id": id})).await;
    assert_eq!(
        first["result"]["pushNotificationConfig"]["id"], "c000",
        "{first}"
    );
    let named = json!({"id": id, "pushNotificationConfigId": "c007"});
    let found = rpc(&served, get, named.clone()).await;
    assert_eq!(found["result"]["taskId"], id);
    assert_eq!(
        found["result"]["pushNotificationConfig"]["id"], "c007",
        "{found}"
    );
    let list = rpc(
        &served,
        "tasks/pushNotificationConfig/list",
        json!({"id": id}),
    )
    .await;
    assert_eq!(list["result"].as_array().unwrap().len(), 120);
    let deleted = rpc(&served, "tasks/pushNotificationConfig/delete", named).await;
    assert_eq!(deleted.get("result"), Some(&Value::Null), "{deleted}");
}

#[tokio::test]
async fn streams_over_json_rpc_mark_their_last_event() {
    let served = served().await;
    for (text, state, is_final) in [
        ("report x", "completed", true),
        ("ask whom?", "input-required", true),
        ("auth", "auth-required", true),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "message/stream", "params": {"message": message(text)}});
        let client = Client::new(served.addr, Binding::JsonRpc).version(None);
        let answer = client.json_rpc_post(body.to_string()).await.text();
        let events: Vec<Value> = answer
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str::<Value>(data).unwrap()["result"].clone())
            .collect();
        assert_eq!(events[0]["kind"], "task", "{answer}");
        let last = events.last().unwrap();
        assert_eq!(
            (&last["kind"], &last["status"]["state"], &last["final"]),
            (&json!("status-update"), &json!(state), &json!(is_final)),
            "{answer}"
        );
    }
}

/// Clients of v0.3 take whatever is no event stream for a fault of the connection.
#[tokio::test]
async fn streams_over_json_rpc_are_refused_by_an_event() {
    let served = served().await;
    let mut to_unknown = message("more");
    to_unknown["taskId"] = "none".into();
    for (method, params) in [
        ("message/stream", json!({"message": to_unknown})),
        ("tasks/resubscribe", json!({"id": "none"})),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let client = Client::new(served.addr, Binding::JsonRpc).version(None);
        let answer = client.json_rpc_post(body.to_string()).await;
        assert_eq!(answer.header("content-type"), "text/event-stream");
        let text = answer.text();
        let data = text.trim_end().strip_prefix("data: ").unwrap();
        let event: Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            (&event["id"], &event["error"]["code"]),
            (&json!(7), &json!(-32001)),
            "{text}"
        );
    }
}

#[tokio::test]
async fn http_takes_both_languages_and_answers_as_the_proto_has_it() {
    let served = served().await;
    let schema = json!({"message": message("report x"), "configuration": {"blocking": true}});
    let proto = json!({"message": {"messageId": "m", "role": "ROLE_USER", "content": [{"text": "report x"}]}, "configuration": {"blocking": true}});
    let snake = json!({"request": {"message_id": "m", "role": "ROLE_USER", "content": [{"text": "report x"}]}, "configuration": {"blocking": true}});
    for body in [schema, proto, snake] {
        let answer = rest(&served, "POST", "/v1/message:send", Some(body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("content-type"), "application/json");
        let task = answer.json()["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
        assert_eq!(
            task["artifacts"][0]["parts"],
            json!([{"text": "x"}]),
            "{task}"
        );
        let id = task["id"].as_str().unwrap();
        let found = rest(
            &served,
            "GET",
            &format!("/v1/tasks/{id}?historyLength=1"),
            None,
        )
        .await
        .json();
        assert_eq!(found["history"][0]["role"], "ROLE_USER", "{found}");
        assert!(found["history"][0].get("content").is_some(), "{found}");
        // POST bodies of `:cancel` in all forms that clients send.
        for body in [
            None,
            Some(json!({})),
            Some(json!({"name": format!("tasks/{id}")})),
        ] {
            let refused = rest(&served, "POST", &format!("/v1/tasks/{id}:cancel"), body).await;
            assert_eq!(refused.status, 409, "{refused:?}");
            assert_eq!(refused.json()["code"], -32002, "{refused:?}");
        }
        for method in ["GET", "POST"] {
            let events = rest(&served, method, &format!("/v1/tasks/{id}:subscribe"), None).await;
            assert!(events.text().starts_with("data: {\"task\":"), "{events:?}");
        }
    }
}

#[tokio::test]
async fn a_webhook_is_registered_over_http_in_every_shape() {
    let served = served().await;
    let body = json!({"message": message("report x")});
    let answer = rest(&served, "POST", "/v1/message:send", Some(body)).await;
    let id = answer.json()["task"]["id"].as_str().unwrap().to_owned();
    let name = |config: &str| format!("tasks/{id}/pushNotificationConfigs/{config}");
    let inner = |config: &str| json!({"id": config, "url": "https://a.test/hook"});
    let plural = format!("/v1/tasks/{id}/pushNotificationConfigs");
    let singular = format!("/v1/task/{id}/pushNotificationConfigs");
    for (index, (path, body)) in [
        (&plural, json!({"parent": format!("tasks/{id}"), "configId": "c0", "config": {"name": name("c0"), "pushNotificationConfig": inner("c0")}})),
        (&plural, json!({"config": {"name": name("c1"), "pushNotificationConfig": inner("c1")}})),
        (&plural, json!({"name": name("c2"), "pushNotificationConfig": inner("c2")})),
        (&plural, json!({"taskId": id, "pushNotificationConfig": inner("c3")})),
        (&format!("{singular}?configId=c4"), json!({"name": name("c4"), "pushNotificationConfig": inner("")})),
    ]
    .into_iter()
    .enumerate()
    {
        let kept = rest(&served, "POST", path, Some(body)).await;
        assert_eq!(kept.status, 200, "{kept:?}");
        assert_eq!(kept.json()["name"], name(&format!("c{index}")), "{kept:?}");
        assert_eq!(kept.json()["pushNotificationConfig"]["url"], "https://a.test/hook");
    }
    let wrong = json!({"taskId": "another", "pushNotificationConfig": inner("x")});
    let refused = rest(&served, "POST", &plural, Some(wrong)).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["code"]),
        (400, &json!(-32602)),
        "{refused:?}"
    );

    let list = rest(&served, "GET", &plural, None).await.json();
    assert_eq!(list["configs"].as_array().unwrap().len(), 5, "{list}");
    // Two ways to write that the id is not known.
    for no_id in ["", "None"] {
        let first = rest(&served, "GET", &format!("{plural}/{no_id}"), None).await;
        assert_eq!(first.json()["name"], name("c0"), "{no_id:?}: {first:?}");
    }
    let deleted = rest(&served, "DELETE", &format!("{plural}/c3"), None).await;
    assert_eq!((deleted.status.as_u16(), deleted.json()), (200, json!({})));
}

#[tokio::test]
async fn errors_have_the_form_of_the_version() {
    let served = served().await;
    for (method, path, status, code) in [
        ("GET", "/v1/tasks/none", 404, -32001),
        ("GET", "/v1/nothing", 404, -32603),
        ("DELETE", "/v1/tasks/none", 405, -32601),
        ("POST", "/v1/message:send", 400, -32602),
    ] {
        let answer = rest(&served, method, path, None).await;
        assert_eq!(answer.status, status, "{answer:?}");
        let body = answer.json();
        let members: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["code", "message"], "{body}");
        assert_eq!(body["code"], code, "{answer:?}");
    }
    let card = Setup::new().card(|card| card::extension(card, EXTENSION, true));
    let served = serving(card, &[V1_0, V0_3]).start().await;
    let error = rpc(&served, "tasks/get", json!({"id": "none"})).await["error"].clone();
    assert_eq!(error["code"], -32600, "{error}");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("x-a2a-extensions"),
        "{error}"
    );
}

#[tokio::test]
async fn extensions_go_by_the_header_of_the_version() {
    let served = served().await;
    for (name, version) in [
        ("X-A2A-Extensions", None),
        ("A2A-Extensions", None),
        ("X-A2A-Extensions", Some("1.0")),
    ] {
        let mut request = ::http::Request::get(if version.is_some() {
            "/tasks/none"
        } else {
            "/v1/card"
        });
        request = request.header(name, EXTENSION);
        if let Some(version) = version {
            request = request.header("a2a-version", version);
        }
        let answer = http::exchange(served.addr, request.body(Bytes::new()).unwrap()).await;
        if version.is_none() {
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.header("x-a2a-extensions"), EXTENSION, "{answer:?}");
            assert_eq!(answer.header("a2a-extensions"), "", "{answer:?}");
        }
    }
    // The card is answered as it is at its well-known place.
    let card = rest(&served, "GET", "/v1/card", None).await.json();
    assert_eq!(card["name"], "Scripted, extended");
    assert_eq!(card["preferredTransport"], "JSONRPC", "{card}");
}

#[tokio::test]
async fn files_and_data_keep_their_bytes_and_shapes() {
    let served = served().await;
    let bytes = base64::engine::general_purpose::STANDARD.encode([0, 1, 2, 255]);
    let parts = json!([
        {"kind": "text", "text": "report x"},
        {"kind": "file", "file": {"bytes": bytes, "mimeType": "text/plain", "name": "a.txt"}},
        {"kind": "file", "file": {"uri": "https://a.test/b.txt", "mimeType": "text/plain"}},
        {"kind": "data", "data": {"n": 9_007_199_254_740_993_u64}, "metadata": {"k": [1]}},
    ]);
    let mut sent = message("");
    sent["parts"] = parts.clone();
    let setup = Setup::new().card(|card| {
        card.default_input_modes = vec!["text/plain".into(), "application/json".into()]
    });
    drop(served);
    let served = serving(setup, &[V0_3]).start().await;
    let answer = rpc(&served, "message/send", json!({"message": sent})).await;
    assert_eq!(answer["result"]["history"][0]["parts"], parts, "{answer}");
}
