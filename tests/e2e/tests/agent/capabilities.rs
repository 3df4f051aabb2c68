//! Capabilities (specification 3.3.4): off, each has the right error on each binding; on, it works.

use e2e::{Binding, Setup, card, errors, request, state, string};
use serde_json::{Value, json};

const PUSH: [&str; 4] = [
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
];

fn hook(task: &str, id: &str) -> Value {
    json!({"taskId": task, "id": id, "url": "https://a.test/hook", "token": "t", "authentication": {"scheme": "Bearer", "credentials": "c"}})
}

#[tokio::test]
async fn streaming_off() {
    for explicit in [None, Some(false)] {
        let served = Setup::new()
            .card(|card| card::capabilities(card).streaming = explicit)
            .start()
            .await;
        for binding in Binding::ALL {
            let client = served.client(binding);
            client
                .fault("SendStreamingMessage", request("hi"))
                .await
                .assert_is(errors::UNSUPPORTED_OPERATION);
            let task = string(&client.send(request("ask what?")).await, "/id");
            client
                .fault("SubscribeToTask", json!({"id": task}))
                .await
                .assert_is(errors::UNSUPPORTED_OPERATION);
            client
                .fault("SubscribeToTask", json!({"id": "unknown"}))
                .await
                .assert_is(errors::UNSUPPORTED_OPERATION);
        }
        let listed = served
            .client(Binding::Rest)
            .ok("ListTasks", json!({}))
            .await;
        assert_eq!(listed["totalSize"], 3, "refused messages make no tasks");
    }
}

#[tokio::test]
async fn push_notifications_off() {
    for explicit in [None, Some(false)] {
        let served = Setup::new()
            .card(|card| card::capabilities(card).push_notifications = explicit)
            .start()
            .await;
        for binding in Binding::ALL {
            let client = served.client(binding);
            let task = string(&client.send(request("ask what?")).await, "/id");
            for operation in PUSH {
                let mut request = hook(&task, "w");
                if operation != PUSH[0] {
                    request = json!({"taskId": task});
                    if operation != PUSH[2] {
                        request["id"] = "w".into();
                    }
                }
                client
                    .fault(operation, request)
                    .await
                    .assert_is(errors::PUSH_NOT_SUPPORTED);
            }
        }
    }
}

#[tokio::test]
async fn an_inline_webhook_is_refused_when_push_notifications_are_off() {
    let served = Setup::new()
        .card(|card| card::capabilities(card).push_notifications = None)
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let mut inline = request("hi");
        inline["configuration"]["taskPushNotificationConfig"] =
            json!({"url": "https://a.test/hook"});
        for operation in ["SendMessage", "SendStreamingMessage"] {
            client
                .fault(operation, inline.clone())
                .await
                .assert_is(errors::PUSH_NOT_SUPPORTED);
        }
    }
    assert_eq!(
        served
            .client(Binding::Rest)
            .ok("ListTasks", json!({}))
            .await["totalSize"],
        0,
        "before anything is written"
    );
}

#[tokio::test]
async fn extended_card_off() {
    for explicit in [None, Some(false)] {
        let setup = Setup::new().without_extended_card();
        let served = setup
            .card(|card| card::capabilities(card).extended_agent_card = explicit)
            .start()
            .await;
        for binding in Binding::ALL {
            served
                .client(binding)
                .fault("GetExtendedAgentCard", json!({}))
                .await
                .assert_is(errors::UNSUPPORTED_OPERATION);
        }
    }
}

#[tokio::test]
async fn streaming_on() {
    let served = Setup::bare()
        .card(|card| card::capabilities(card).streaming = Some(true))
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        assert_eq!(
            client
                .events("SendStreamingMessage", request("report fine"))
                .await
                .briefs()
                .await
                .len(),
            3
        );
        let task = string(&client.send(request("ask what?")).await, "/id");
        assert_eq!(
            state(&client.ok("SubscribeToTask", json!({"id": task})).await),
            "INPUT_REQUIRED"
        );
    }
}

#[tokio::test]
async fn webhooks_are_kept_read_listed_and_deleted() {
    let served = Setup::bare()
        .card(|card| card::capabilities(card).push_notifications = Some(true))
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = string(&client.send(request("ask what?")).await, "/id");
        let named = client.ok(PUSH[0], hook(&task, "w 1/é")).await;
        assert_eq!(named, hook(&task, "w 1/é"));
        let mut nameless = hook(&task, "");
        nameless.as_object_mut().expect("an object").remove("id");
        let id = string(&client.ok(PUSH[0], nameless).await, "/id");
        assert!(!id.is_empty(), "the agent names it");

        assert_eq!(
            client
                .ok(PUSH[1], json!({"taskId": task, "id": "w 1/é"}))
                .await,
            named
        );
        let listed = client.ok(PUSH[2], json!({"taskId": task})).await;
        let mut ids: Vec<String> = listed["configs"]
            .as_array()
            .expect("configs")
            .iter()
            .map(|config| string(config, "/id"))
            .collect();
        ids.sort_unstable();
        let mut expected = vec!["w 1/é".to_owned(), id.clone()];
        expected.sort_unstable();
        assert_eq!(
            ids, expected,
            "an object with a list, no bare list: {listed}"
        );

        // The same id again takes the place of the first.
        let mut changed = hook(&task, "w 1/é");
        changed["url"] = "https://b.test/".into();
        client.ok(PUSH[0], changed.clone()).await;
        assert_eq!(
            client
                .ok(PUSH[1], json!({"taskId": task, "id": "w 1/é"}))
                .await,
            changed
        );

        // Deleting is the same once and twice.
        for _ in 0..2 {
            assert_eq!(
                client
                    .ok(PUSH[3], json!({"taskId": task, "id": "w 1/é"}))
                    .await,
                json!({})
            );
        }
        client
            .fault(PUSH[1], json!({"taskId": task, "id": "w 1/é"}))
            .await
            .assert_is(errors::TASK_NOT_FOUND);
        let listed = client.ok(PUSH[2], json!({"taskId": task})).await;
        assert_eq!(
            listed["configs"].as_array().map(Vec::len),
            Some(1),
            "{listed}"
        );
    }
}

#[tokio::test]
async fn an_inline_webhook_is_kept_with_its_task() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let mut inline = request("ask what?");
        inline["configuration"]["taskPushNotificationConfig"] =
            json!({"url": "https://a.test/hook", "id": "w"});
        let task = string(&client.send(inline).await, "/id");
        let kept = client.ok(PUSH[1], json!({"taskId": task, "id": "w"})).await;
        assert_eq!(
            (&kept["taskId"], &kept["url"]),
            (&json!(task), &json!("https://a.test/hook"))
        );
    }
}

#[tokio::test]
async fn webhooks_are_listed_in_pages() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = string(&client.send(request("ask what?")).await, "/id");
        for index in 0..5 {
            client.ok(PUSH[0], hook(&task, &format!("w{index}"))).await;
        }
        let mut found = Vec::new();
        let mut request = json!({"taskId": task, "pageSize": 2});
        loop {
            let page = client.ok(PUSH[2], request.clone()).await;
            found.extend(
                page["configs"]
                    .as_array()
                    .expect("configs")
                    .iter()
                    .map(|config| string(config, "/id")),
            );
            match page["nextPageToken"].as_str().unwrap_or_default() {
                "" => break,
                token => request["pageToken"] = token.into(),
            }
        }
        found.sort_unstable();
        assert_eq!(found, ["w0", "w1", "w2", "w3", "w4"], "{binding:?}");
    }
}

#[tokio::test]
async fn the_extended_card_is_answered_when_there_is_one() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let card = served
            .client(binding)
            .ok("GetExtendedAgentCard", json!({}))
            .await;
        assert_eq!(card["name"], "Scripted, extended", "{card}");
        assert_eq!(
            card["supportedInterfaces"].as_array().map(Vec::len),
            Some(3),
            "{card}"
        );
    }
    let setup = Setup::new().without_extended_card();
    let served = setup
        .card(|card| card::capabilities(card).extended_agent_card = Some(true))
        .start()
        .await;
    for binding in Binding::ALL {
        let fault = served
            .client(binding)
            .fault("GetExtendedAgentCard", json!({}))
            .await;
        fault.assert_is(errors::EXTENDED_CARD_NOT_CONFIGURED);
    }
}
