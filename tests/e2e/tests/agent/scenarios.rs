//! The scenarios of the interoperability cheat sheet that are about servers, by their numbers.

use e2e::client::http;
use e2e::{Binding, Setup, at_once, brief, card, errors, request, state, string, text, to_task};
use serde_json::{Value, json};

/// What must be the same on every binding: everything but ids and times.
fn without_ids(mut value: Value) -> Value {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for name in [
                    "id",
                    "contextId",
                    "taskId",
                    "messageId",
                    "artifactId",
                    "timestamp",
                ] {
                    if let Some(member) = members.get_mut(name) {
                        assert!(
                            member.as_str().is_some_and(|text| !text.is_empty()),
                            "{name}: {member}"
                        );
                        *member = format!("some {name}").into();
                    }
                }
                members.values_mut().for_each(clean);
            }
            Value::Array(items) => items.iter_mut().for_each(clean),
            _ => {}
        }
    }
    clean(&mut value);
    value
}

#[tokio::test]
async fn i1_the_same_message_on_each_declared_binding_has_the_same_result() {
    let served = Setup::new().start().await;
    for words in [
        "report all is well",
        "ask which region?",
        "reject",
        "fail",
        "hello there",
    ] {
        let mut results = Vec::new();
        for binding in Binding::ALL {
            let answer = served
                .client(binding)
                .ok("SendMessage", request(words))
                .await;
            results.push(without_ids(answer));
        }
        assert_eq!(results[0], results[1], "{words}");
        assert_eq!(results[1], results[2], "{words}");
    }
    // A task that one binding has made is the same task on the others.
    let rest = served.client(Binding::Rest);
    let id = string(&rest.send(request("report all is well")).await, "/id");
    let json_rpc = served.client(Binding::JsonRpc).get(&id).await;
    assert_eq!(rest.get(&id).await, json_rpc);
    assert_eq!(
        without_ids(served.client(Binding::Grpc).get(&id).await),
        without_ids(json_rpc)
    );
}

#[tokio::test]
async fn i2_the_same_failure_on_each_binding_is_its_own_error_with_one_error_info() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for operation in ["GetTask", "CancelTask", "SubscribeToTask"] {
            let fault = client.fault(operation, json!({"id": "unknown"})).await;
            fault.assert_is(errors::TASK_NOT_FOUND);
            assert_eq!(fault.details.len(), 1, "{fault:?}");
            assert_eq!(fault.metadata("taskId"), "unknown", "{fault:?}");
        }
        client
            .fault("SendMessage", to_task("unknown", "go on"))
            .await
            .assert_is(errors::TASK_NOT_FOUND);
    }
}

#[tokio::test]
async fn i4_version_1_0_is_served_and_9_9_is_refused() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client
            .clone()
            .version(Some("1.0"))
            .send(request("first"))
            .await;
        assert_eq!(state(&task), "COMPLETED", "{binding:?}");
        let fault = client
            .version(Some("9.9"))
            .fault("SendMessage", request("second"))
            .await;
        fault.assert_is(errors::VERSION_NOT_SUPPORTED);
        assert_eq!(fault.metadata("supportedVersions"), "1.0", "{fault:?}");
    }
}

#[tokio::test]
async fn i5_version_1_0_1_is_served_as_1_0() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding).version(Some("1.0.1"));
        let task = client.send(request("call")).await;
        assert!(
            text(&task).contains(" 1.0 "),
            "{binding:?}: the agent sees {}",
            text(&task)
        );
    }
}

#[tokio::test]
async fn i6_the_name_of_the_version_header_has_any_case() {
    let served = Setup::new().start().await;
    let body = request("hi").to_string();
    for name in ["a2a-version", "A2A-Version", "A2A-VERSION", "a2A-vErSiOn"] {
        for (path, body) in [
            ("/message:send", body.clone()),
            ("/", json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": request("hi")}).to_string()),
        ] {
            let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json");
            let length = body.len();
            let ask = |version: &str| {
                format!("{head}\r\n{name}: {version}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
            };
            let answer = http::raw(served.addr, &ask("1.0")).await;
            assert!(answer.contains("TASK_STATE_COMPLETED"), "{name} {path}: {answer}");
            let answer = http::raw(served.addr, &ask("9.9")).await;
            assert!(answer.contains("VERSION_NOT_SUPPORTED"), "{name} {path}: {answer}");
        }
    }
    // HTTP/2 and so gRPC have lower-case names only.
    let grpc = served.client(Binding::Grpc).version(None);
    let task = grpc
        .clone()
        .header("a2a-version", "1.0")
        .send(request("hi"))
        .await;
    assert_eq!(state(&task), "COMPLETED");
    grpc.fault("SendMessage", request("hi"))
        .await
        .assert_is(errors::VERSION_NOT_SUPPORTED);
}

#[tokio::test]
async fn i7_two_extensions_in_one_header_are_both_known_and_a_required_one_is_asked_for() {
    const ONE: &str = "https://a.test/ext/one/v1";
    const TWO: &str = "https://a.test/ext/two/v1";
    let setup = Setup::new().card(|card| {
        card::extension(card, ONE, true);
        card::extension(card, TWO, false);
    });
    let served = setup.start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let both = client
            .clone()
            .header("a2a-extensions", &format!("{ONE},{TWO}"));
        assert_eq!(
            text(&both.send(request("extensions")).await),
            format!("{ONE} {TWO}"),
            "{binding:?}"
        );
        let fault = client
            .header("a2a-extensions", TWO)
            .fault("SendMessage", request("extensions"))
            .await;
        fault.assert_is(errors::EXTENSION_SUPPORT_REQUIRED);
        assert!(fault.message.contains(ONE), "{fault:?}");
    }
}

#[tokio::test]
async fn i8_the_tenant_field_and_the_tenant_prefix_reach_the_same_tenant() {
    let setup = Setup::new().card(|card| {
        card.supported_interfaces
            .push(card::interface("HTTP+JSON", "acme"));
    });
    let served = setup.start().await;
    let plain = served.client(Binding::Rest);
    let prefixed = plain.clone().tenant_prefix("acme");

    let mut by_field = request("tenant");
    by_field["tenant"] = "acme".into();
    let by_field = plain.send(by_field).await;
    let by_prefix = prefixed.send(request("tenant")).await;
    assert_eq!(
        (text(&by_field), text(&by_prefix)),
        ("acme".to_owned(), "acme".to_owned())
    );

    let (field, prefix) = (string(&by_field, "/id"), string(&by_prefix, "/id"));
    assert_eq!(prefixed.get(&field).await, by_field);
    assert_eq!(
        plain
            .ok("GetTask", json!({"id": prefix, "tenant": "acme"}))
            .await,
        by_prefix
    );
    plain
        .fault("GetTask", json!({"id": field}))
        .await
        .assert_is(errors::TASK_NOT_FOUND);
}

#[tokio::test]
async fn i11_events_are_wrapped_over_json_rpc_and_bare_over_http_json() {
    let served = Setup::new().start().await;
    let mut all = Vec::new();
    for binding in Binding::JSON {
        let client = served.client(binding).id(json!(7));
        let mut events = client
            .events("SendStreamingMessage", request("chunks a b"))
            .await;
        let mut bare = Vec::new();
        while let Some(frame) = events.frame().await {
            let value: Value = serde_json::from_str(&frame.data[0]).expect("JSON");
            let event = match binding {
                Binding::JsonRpc => {
                    assert_eq!(
                        (&value["jsonrpc"], &value["id"]),
                        (&json!("2.0"), &json!(7)),
                        "{value}"
                    );
                    value["result"].clone()
                }
                _ => value,
            };
            let members: Vec<&String> = event.as_object().expect("an object").keys().collect();
            assert!(
                matches!(members[..], [one] if ["task", "statusUpdate", "artifactUpdate"].contains(&one.as_str())),
                "{event}"
            );
            bare.push(brief(&event));
        }
        all.push(bare);
    }
    assert_eq!(
        all[0],
        ["task SUBMITTED", "artifact a", "artifact +b !", "COMPLETED"]
    );
    assert_eq!(all[0], all[1]);
}

#[tokio::test]
async fn i12_list_filters_and_page_size_of_a_query_are_kept() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let mut working = Vec::new();
    for index in 0..12 {
        let mut request = at_once(request("work gate"));
        request["message"]["contextId"] = if index < 11 { "c-1" } else { "c-2" }.into();
        working.push(string(&client.send(request).await, "/id"));
    }
    served.gates.gate("gate").arrived(12).await;
    let mut done = request("done");
    done["message"]["contextId"] = "c-1".into();
    client.send(done).await;

    let answer = http::call(
        served.addr,
        "GET",
        "/tasks?contextId=c-1&status=TASK_STATE_WORKING&pageSize=10",
    )
    .await;
    let page = answer.json();
    assert_eq!(
        (&page["pageSize"], &page["totalSize"]),
        (&json!(10), &json!(11)),
        "{page}"
    );
    let tasks = page["tasks"].as_array().expect("a list");
    assert_eq!(tasks.len(), 10);
    for task in tasks {
        assert_eq!(
            (&task["contextId"], state(task)),
            (&json!("c-1"), "WORKING"),
            "{task}"
        );
        assert!(working.contains(&string(task, "/id")));
    }
    served.gates.gate("gate").open();
}

#[tokio::test]
async fn i13_unknown_fields_are_ignored() {
    let served = Setup::new().start().await;
    let mut odd = request("report fine");
    odd["unknown"] = json!({"deep": [1, {"text": 2}]});
    odd["message"]["unknown"] = json!(null);
    odd["message"]["parts"][0]["kind"] = json!("text");
    let odd = odd.to_string();
    let rest = http::post(served.addr, "/message:send", odd.clone())
        .await
        .json();
    let envelope =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{odd},"extra":[]}}"#);
    let json_rpc = http::post(served.addr, "/", envelope).await.json();
    let listed = http::call(served.addr, "GET", "/tasks?unknown=1&contextId=none").await;
    assert_eq!(listed.status, 200, "{listed:?}");

    // Protobuf: a field of a number that the message does not have.
    let mut bytes = e2e::client::encode("SendMessageRequest", &request("report fine")).to_vec();
    bytes.extend_from_slice(&[0xc2, 0x3e, 3, b'o', b'd', b'd']);
    let grpc = served
        .client(Binding::Grpc)
        .grpc_message("SendMessage", &bytes)
        .await
        .expect("a task");
    for answer in [&rest, &json_rpc["result"], &grpc.value] {
        assert_eq!(state(answer), "COMPLETED", "{answer}");
        assert_eq!(text(&answer["task"]["artifacts"][0]), "fine", "{answer}");
    }
}
