//! A client is a service: served again, it makes a gateway. Each binding on the near side with each
//! on the far side, nine in all, and every call has the answer that it has without a gateway.

use a2a_kit::A2aServiceClient;
use a2a_kit::client::{GrpcChannel, HttpTransport, JsonRpcChannel, RestChannel};
use e2e::{
    Answer, Binding, Client, Served, Setup, at_once, brief, card, errors, request, state, string,
    text, to_task,
};
use serde_json::{Value, json};

const EXTENSION: &str = "https://a.test/ext/one/v1";

/// An agent, and a gateway to it that speaks this binding on the far side.
async fn gateway(far: Binding) -> (Served, Served) {
    let setup = || Setup::new().card(|card| card::extension(card, EXTENSION, false));
    let agent = setup().start().await;
    let url = format!("http://{}", agent.addr);
    let transport = HttpTransport::new();
    let client = match far {
        Binding::Rest => A2aServiceClient::new(RestChannel::new(&url, transport).unwrap()),
        Binding::JsonRpc => A2aServiceClient::new(JsonRpcChannel::new(&url, transport).unwrap()),
        Binding::Grpc => A2aServiceClient::new(GrpcChannel::new(&url, transport).unwrap()),
    };
    let gateway = setup().start_service(client).await;
    (agent, gateway)
}

/// Runs a test through all nine: it gets the agent, a client of it, and a client of the gateway.
async fn through_all<F: AsyncFn(&Served, Client, Client)>(test: F) {
    for far in Binding::ALL {
        let (agent, gateway) = gateway(far).await;
        for near in Binding::ALL {
            println!("{near:?} to {far:?}");
            test(&agent, agent.client(near), gateway.client(near)).await;
        }
    }
}

/// Ids and times are another each time.
fn without_ids(mut value: Value) -> Value {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(members) => {
                let names = [
                    "id",
                    "contextId",
                    "taskId",
                    "messageId",
                    "artifactId",
                    "timestamp",
                ];
                for name in names {
                    if let Some(member) = members.get_mut(name) {
                        assert!(!member.as_str().unwrap().is_empty(), "{name}");
                        *member = name.into();
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
async fn messages_have_the_same_answers() {
    through_all(async |_, direct, gateway| {
        for words in [
            "report all is well, é😀\u{2028}",
            "ask which region?",
            "auth",
            "reject",
            "fail",
            "history",
            "hello there",
        ] {
            let expected = without_ids(direct.ok("SendMessage", request(words)).await);
            let found = without_ids(gateway.ok("SendMessage", request(words)).await);
            assert_eq!(found, expected, "{words}");
        }
        let asked = gateway.send(request("ask which region?")).await;
        assert_eq!(state(&asked), "INPUT_REQUIRED");
        let id = string(&asked, "/id");
        let answered = gateway.send(to_task(&id, "report north")).await;
        assert_eq!(
            (state(&answered), string(&answered, "/id")),
            ("COMPLETED", id.clone())
        );
        // It is the same task on both sides.
        assert_eq!(gateway.get(&id).await, direct.get(&id).await);
    })
    .await;
}

#[tokio::test]
async fn streams_have_the_same_events() {
    through_all(async |_, direct, gateway| {
        for words in [
            "chunks A B C",
            "report x",
            "fail",
            "hello there",
            "flood 50 2000",
        ] {
            let expected = direct.events("SendStreamingMessage", request(words)).await;
            let found = gateway.events("SendStreamingMessage", request(words)).await;
            assert_eq!(found.briefs().await, expected.briefs().await, "{words}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_task_is_followed_and_canceled() {
    through_all(async |agent, direct, gateway| {
        let gate = agent.gates.gate("follow");
        let arrivals = gate.arrivals();
        let id = gateway.start("steps follow 2").await;
        gate.arrived(arrivals + 1).await;
        let mut events = gateway.events("SubscribeToTask", json!({"id": id})).await;
        assert!(brief(&events.next().await.unwrap()).starts_with("task "));
        gate.let_pass(1);
        assert_eq!(brief(&events.next().await.unwrap()), "WORKING 0");
        gate.let_pass(1);
        assert_eq!(events.briefs().await, ["WORKING 1", "COMPLETED"]);

        let gate = agent.gates.gate("cancel");
        let arrivals = gate.arrivals();
        let id = gateway.start("work cancel").await;
        gate.arrived(arrivals + 1).await;
        let canceled = gateway.ok("CancelTask", json!({"id": id})).await;
        assert_eq!(state(&canceled), "CANCELED");
        assert_eq!(state(&direct.get(&id).await), "CANCELED");
    })
    .await;
}

#[tokio::test]
async fn a_follower_who_goes_away_leaves_nothing_behind() {
    through_all(async |agent, _, gateway| {
        let gate = agent.gates.gate("leave");
        let arrivals = gate.arrivals();
        let mut events = gateway
            .events("SendStreamingMessage", request("work leave"))
            .await;
        gate.arrived(arrivals + 1).await;
        assert!(events.next().await.is_some());
        drop(events);
        gate.let_pass(1);
        e2e::within(async {
            while agent.live_tasks() > 0 {
                tokio::task::yield_now().await;
            }
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn errors_are_the_same() {
    through_all(async |_, direct, gateway| {
        for id in [
            "unknown",
            "a/b",
            "100%",
            "任务",
            "urn:x:7:cancel",
            "a b?c#d",
        ] {
            for operation in ["GetTask", "CancelTask", "SubscribeToTask"] {
                let fault = gateway.fault(operation, json!({"id": id})).await;
                fault.assert_is(errors::TASK_NOT_FOUND);
                assert_eq!(fault.metadata("taskId"), id, "{operation}: {fault:?}");
            }
        }
        let done = string(&gateway.send(request("done")).await, "/id");
        gateway
            .fault("CancelTask", json!({"id": done}))
            .await
            .assert_is(errors::TASK_NOT_CANCELABLE);
        gateway
            .fault("SubscribeToTask", json!({"id": done}))
            .await
            .assert_is(errors::UNSUPPORTED_OPERATION);
        gateway
            .fault("SendMessage", to_task(&done, "more"))
            .await
            .assert_is(errors::UNSUPPORTED_OPERATION);
        // Found on the near side, and on the far side.
        gateway
            .fault("SendMessage", json!({}))
            .await
            .assert_invalid(&["message"]);
        for operation in ["SendMessage", "SendStreamingMessage"] {
            let expected = direct.fault(operation, request("refuse")).await;
            let found = gateway.fault(operation, request("refuse")).await;
            found.assert_invalid(&["message.parts[0].text"]);
            assert_eq!(found.message, expected.message);
        }
    })
    .await;
}

#[tokio::test]
async fn lists_webhooks_and_the_extended_card() {
    through_all(async |_, direct, gateway| {
        let context = string(&gateway.send(request("one")).await, "/contextId");
        let mut more = request("two");
        more["message"]["contextId"] = context.as_str().into();
        let task = string(&gateway.send(more).await, "/id");
        let list = json!({"contextId": context, "pageSize": 1, "includeArtifacts": true,
            "status": "TASK_STATE_COMPLETED", "statusTimestampAfter": "2020-01-01T00:00:00.250Z"});
        let page = gateway.ok("ListTasks", list.clone()).await;
        assert_eq!(page, direct.ok("ListTasks", list.clone()).await);
        assert_eq!(page["totalSize"], 2, "{page}");
        let mut next = list;
        next["pageToken"] = page["nextPageToken"].clone();
        let page = gateway.ok("ListTasks", next).await;
        assert_eq!(page["tasks"].as_array().map(Vec::len), Some(1), "{page}");
        // gRPC does not tell an empty text from none.
        assert_eq!(page["nextPageToken"].as_str().unwrap_or_default(), "");

        let hook = json!({"taskId": task, "id": "a/b c", "url": "https://a.test/hook?x=1&y=%20",
            "token": "t", "authentication": {"scheme": "Bearer", "credentials": "secret"}});
        let made = gateway.ok("CreateTaskPushNotificationConfig", hook).await;
        let one = json!({"taskId": task, "id": "a/b c"});
        let found = gateway
            .ok("GetTaskPushNotificationConfig", one.clone())
            .await;
        assert_eq!(
            (&found["url"], &found),
            (&json!("https://a.test/hook?x=1&y=%20"), &made)
        );
        let all = gateway
            .ok("ListTaskPushNotificationConfigs", json!({"taskId": task}))
            .await;
        assert_eq!(all["configs"], json!([made]));
        let deleted = gateway
            .ok("DeleteTaskPushNotificationConfig", one.clone())
            .await;
        assert_eq!(deleted, json!({}));
        gateway.fault("GetTaskPushNotificationConfig", one).await;

        let card = gateway.ok("GetExtendedAgentCard", json!({})).await;
        assert_eq!(card, direct.ok("GetExtendedAgentCard", json!({})).await);
        assert_eq!(card["name"], "Scripted, extended");
    })
    .await;
}

#[tokio::test]
async fn version_and_extensions_go_along_and_come_back_and_credentials_stay() {
    for far in Binding::ALL {
        let (_agent, gateway) = gateway(far).await;
        for near in Binding::ALL {
            let client = gateway
                .client(near)
                .header("a2a-extensions", &format!("{EXTENSION}, urn:unknown"))
                .header("authorization", "Bearer secret")
                .version(Some("1.0.1"));
            let Answer { value, headers } =
                client.call("SendMessage", request("call")).await.unwrap();
            let seen = text(&value["task"]);
            assert_eq!(seen, format!("{far:?} 1.0 [{EXTENSION} urn:unknown]"));
            assert_eq!(headers["a2a-extensions"], EXTENSION, "{near:?} to {far:?}");
            let used = client.send(request("extensions")).await;
            assert_eq!(text(&used), EXTENSION, "{near:?} to {far:?}");
        }
    }
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_unavailable() {
    for far in Binding::ALL {
        let (agent, gateway) = gateway(far).await;
        drop(agent);
        for near in Binding::ALL {
            let client = gateway.client(near);
            // The listener may take a moment to go.
            let fault = loop {
                match client.call("GetTask", json!({"id": "t1"})).await {
                    Err(fault) if fault.reason().is_empty() => break fault,
                    _ => tokio::task::yield_now().await,
                }
            };
            fault.assert_plain();
            assert!(
                fault.message.contains("refused"),
                "{near:?} to {far:?}: {fault:?}"
            );
            match near {
                Binding::Rest => assert_eq!(fault.http, 503),
                Binding::JsonRpc => assert_eq!(fault.code, -32603),
                Binding::Grpc => assert_eq!(fault.code, 14),
            }
        }
    }
}

#[tokio::test]
async fn a_request_that_is_not_waited_for_is_answered_at_once() {
    through_all(async |agent, _, gateway| {
        let gate = agent.gates.gate("slow");
        let task = gateway.send(at_once(request("work slow"))).await;
        gate.let_pass(1);
        let done = gateway.finished(&string(&task, "/id")).await;
        assert_eq!(state(&done), "COMPLETED");
    })
    .await;
}
