//! Media types: of parts, of requests, of answers.

use e2e::client::http;
use e2e::{Binding, Setup, errors, request, state, to_task};
use serde_json::{Value, json};

fn with_part(part: &Value) -> Value {
    let mut request = request("");
    request["message"]["parts"] = json!([{"text": "report fine"}, part]);
    request
}

#[tokio::test]
async fn a_part_outside_the_modes_of_the_card_is_refused_on_all_bindings() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for part in [
            json!({"data": {"a": 1}}),
            json!({"text": "a,b", "mediaType": "text/csv"}),
            json!({"raw": "AAEC", "mediaType": "image/png"}),
            json!({"url": "https://a.test/x.pdf", "mediaType": "application/pdf"}),
            json!({"data": null}),
        ] {
            for operation in ["SendMessage", "SendStreamingMessage"] {
                let fault = client.fault(operation, with_part(&part)).await;
                fault.assert_is(errors::CONTENT_TYPE_NOT_SUPPORTED);
                assert!(
                    fault.message.contains("message.parts[1]"),
                    "it names the part: {fault:?}"
                );
                assert!(
                    fault.message.contains("text/plain"),
                    "and what is taken: {fault:?}"
                );
            }
        }
        // Follow-ups are looked at as well, and change nothing when they are refused.
        let id = e2e::string(&client.send(request("ask what?")).await, "/id");
        let before = client.get(&id).await;
        let mut data = to_task(&id, "");
        data["message"]["parts"] = json!([{"data": 1}]);
        client
            .fault("SendMessage", data)
            .await
            .assert_is(errors::CONTENT_TYPE_NOT_SUPPORTED);
        assert_eq!(client.get(&id).await, before);
    }
    let listed = served
        .client(Binding::JsonRpc)
        .ok("ListTasks", json!({}))
        .await;
    assert_eq!(listed["totalSize"], 3, "refused messages make no tasks");
}

#[tokio::test]
async fn parts_within_the_modes_of_the_card_or_of_a_skill_are_taken() {
    let setup = Setup::new().card(|card| {
        card.default_input_modes = vec!["text/plain".into(), "image/*".into()];
        card.skills[0].input_modes = vec!["application/json".into()];
    });
    let served = setup.start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for part in [
            json!({"text": "more"}),
            json!({"text": "more", "mediaType": "Text/Plain; charset=utf-8"}),
            json!({"data": {"a": [1, null, "x"]}}),
            json!({"raw": "AAEC", "mediaType": "image/png", "filename": "x.png"}),
            json!({"url": "https://a.test/x", "mediaType": "image/webp"}),
        ] {
            let task = client.send(with_part(&part)).await;
            assert_eq!(state(&task), "COMPLETED", "{part}");
            let kept = &task["history"][0]["parts"][1];
            match part.get("data") {
                // Protobuf has no integers in it.
                Some(_) if binding == Binding::Grpc => {
                    assert_eq!(kept["data"]["a"][0].as_f64(), Some(1.0));
                }
                _ => assert_eq!(kept, &part, "it is kept as it came"),
            }
        }
    }
}

#[tokio::test]
async fn the_check_of_parts_can_be_turned_off() {
    let served = Setup::new()
        .engine(|engine| engine.check_media_types(false))
        .start()
        .await;
    for binding in Binding::ALL {
        let task = served
            .client(binding)
            .send(with_part(&json!({"data": true})))
            .await;
        assert_eq!(state(&task), "COMPLETED");
    }
}

#[tokio::test]
async fn answers_of_http_json_have_the_media_type_of_the_request() {
    let served = Setup::new().start().await;
    for (sent, answered) in [
        (Some("application/json"), "application/json"),
        (Some("application/json; charset=utf-8"), "application/json"),
        (Some("application/a2a+json"), "application/a2a+json"),
        (None, "application/a2a+json"),
    ] {
        let client = served.client(Binding::Rest).content_type(sent);
        let answer = client
            .call("SendMessage", request("hi"))
            .await
            .expect("a task");
        assert_eq!(answer.headers["content-type"], answered, "{sent:?}");
        let fault = client.fault("SendMessage", json!({})).await;
        assert_eq!(
            fault.headers["content-type"], answered,
            "{sent:?}, an error"
        );
    }
    // Nothing is sent, nothing is said.
    let answer = http::call(served.addr, "GET", "/tasks").await;
    assert_eq!(answer.header("content-type"), "application/a2a+json");
    let answer = http::call(served.addr, "GET", "/tasks/unknown").await;
    assert_eq!(answer.header("content-type"), "application/a2a+json");
}

#[tokio::test]
async fn requests_of_http_json_may_be_of_any_json_type_and_none() {
    let served = Setup::new().start().await;
    for (content_type, taken) in [
        (None, true),
        (Some("application/json"), true),
        (Some("APPLICATION/A2A+JSON"), true),
        (Some("application/vnd.acme+json"), true),
        (Some("text/json"), false),
        (Some("text/plain"), false),
        (Some("application/xml"), false),
        (Some("application/x-www-form-urlencoded"), false),
        (Some("multipart/form-data; boundary=x"), false),
        (Some("application/json; charset=utf-16"), false),
    ] {
        let outcome = served
            .client(Binding::Rest)
            .content_type(content_type)
            .call("SendMessage", request("hi"))
            .await;
        match outcome {
            Ok(_) => assert!(taken, "{content_type:?}"),
            Err(fault) => {
                assert!(!taken, "{content_type:?}: {fault:?}");
                assert_eq!(
                    (fault.http, fault.reason()),
                    (415, "CONTENT_TYPE_NOT_SUPPORTED"),
                    "{content_type:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn data_comes_back_as_it_was() {
    let served = Setup::new()
        .engine(|engine| engine.check_media_types(false))
        .start()
        .await;
    for data in [
        json!(null),
        json!({}),
        json!([]),
        json!(""),
        json!(false),
        json!(0),
        json!(-1.5),
        json!("é😀\u{2028}\u{0}"),
        json!({"a": {}}),
        json!({"a": {"b": [null, {}, [], [[]]]}}),
        json!({"": {"": null}}),
        json!([1, 2.5, 1e300]),
        json!({"number": 9_007_199_254_740_992_u64}),
    ] {
        for sender in Binding::ALL {
            let task = served
                .client(sender)
                .send(with_part(&json!({"data": data})))
                .await;
            let id = e2e::string(&task, "/id");
            for reader in Binding::ALL {
                let read = served.client(reader).get(&id).await;
                let found = &read["history"][0]["parts"][1]["data"];
                assert_eq!(floats(found), floats(&data), "{sender:?} {reader:?}");
                if sender != Binding::Grpc && reader != Binding::Grpc {
                    assert_eq!(found, &data, "integers stay integers");
                }
            }
        }
    }
}

/// All numbers as protobuf has them.
fn floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.iter().map(floats).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), floats(value)))
            .collect(),
        other => other.clone(),
    }
}
