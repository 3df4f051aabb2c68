//! Protocol versions (specification 3.6): every operation, every binding.

use a2a_kit::A2A_SERVICE;
use e2e::client::http;
use e2e::client::is_streaming;
use e2e::{Binding, Client, Served, Setup, at_once, card, errors, request, state, string, text};
use serde_json::{Value, json};

/// Versions that an agent which serves only 1.0 refuses. Absent and empty are 0.3.
const REFUSED: [Option<&str>; 12] = [
    None,
    Some(""),
    Some(" "),
    Some("0.3"),
    Some("9.9"),
    Some("1"),
    Some("v1.0"),
    Some("0.30"),
    Some("1.00"),
    Some("1.0.x"),
    Some("01.0"),
    Some("1,0"),
];

/// A request for an operation that succeeds, given a task that is being worked on, and which has
/// the webhook `w`.
pub(crate) fn sample(operation: &str, task: &str) -> Value {
    match operation {
        "SendMessage" | "SendStreamingMessage" => request("report done"),
        "GetTask" | "SubscribeToTask" | "CancelTask" => json!({"id": task}),
        "ListTasks" | "GetExtendedAgentCard" => json!({}),
        "CreateTaskPushNotificationConfig" => {
            json!({"taskId": task, "id": "w", "url": "https://a.test/hook"})
        }
        "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig" => {
            json!({"taskId": task, "id": "w"})
        }
        "ListTaskPushNotificationConfigs" => json!({"taskId": task}),
        other => panic!("a sample for {other} is missing"),
    }
}

/// The operations, each with a request that succeeds. A task is worked on meanwhile.
pub(crate) async fn samples(served: &Served, client: &Client) -> Vec<(&'static str, Value)> {
    let mut samples = Vec::new();
    for operation in A2A_SERVICE.operations {
        let mut start = at_once(request("work gate"));
        start["configuration"]["taskPushNotificationConfig"] =
            json!({"id": "w", "url": "https://a.test/hook"});
        let task = string(&client.send(start).await, "/id");
        samples.push((operation.name, sample(operation.name, &task)));
    }
    served.gates.gate("gate").arrived(1).await;
    samples
}

#[tokio::test]
async fn every_operation_of_every_binding_refuses_versions_that_are_not_served() {
    let served = Setup::new().start().await;
    assert_eq!(A2A_SERVICE.operations.len(), 11);
    for binding in Binding::ALL {
        let client = served.client(binding);
        for operation in A2A_SERVICE.operations {
            for version in REFUSED {
                let fault = client
                    .clone()
                    .version(version)
                    .fault(operation.name, sample(operation.name, "t"))
                    .await;
                fault.assert_is(errors::VERSION_NOT_SUPPORTED);
            }
        }
    }
    let listed = served
        .client(Binding::Rest)
        .ok("ListTasks", json!({}))
        .await;
    assert_eq!(
        listed["totalSize"], 0,
        "a refused message makes no task: {listed}"
    );
}

#[tokio::test]
async fn every_operation_of_every_binding_serves_1_0_with_any_patch_and_spaces_around() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        for version in ["1.0", "1.0.0", "1.0.1", "1.0.27", " 1.0 ", "\t1.0"] {
            let client = served.client(binding);
            let samples = samples(&served, &client).await;
            let client = client.version(Some(version));
            assert_eq!(samples.len(), 11);
            for (operation, request) in samples {
                let outcome = client.call(operation, request).await;
                assert!(
                    outcome.is_ok(),
                    "{operation} over {binding:?} in {version:?}: {outcome:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn the_version_may_be_a_query_parameter_on_every_operation_and_the_header_wins() {
    let served = Setup::new().start().await;
    for binding in Binding::JSON {
        let client = served.client(binding);
        for (operation, request) in samples(&served, &client).await {
            let without = client.clone().version(None);
            for query in [
                "A2A-Version=1.0",
                "a2a-version=1.0.1",
                "x=1&A2A-VERSION=%201.0",
            ] {
                let outcome = without
                    .clone()
                    .query(query)
                    .call(operation, request.clone())
                    .await;
                assert!(
                    outcome.is_ok(),
                    "{operation} over {binding:?} with {query}: {outcome:?}"
                );
            }
            for query in [
                "A2A-Version=0.3",
                "A2A-Version=9.9",
                "A2A-Version=",
                "Version=1.0",
                "A2A-Version=1.0&A2A-Version=0.3",
            ] {
                let fault = without
                    .clone()
                    .query(query)
                    .fault(operation, request.clone())
                    .await;
                fault.assert_is(errors::VERSION_NOT_SUPPORTED);
            }
            let fault = client
                .clone()
                .version(Some("9.9"))
                .query("A2A-Version=1.0")
                .fault(operation, request)
                .await;
            fault.assert_is(errors::VERSION_NOT_SUPPORTED);
        }
        let both = client.query("A2A-Version=9.9").send(request("call")).await;
        assert!(text(&both).contains(" 1.0 "), "the header wins: {both}");
    }
}

#[tokio::test]
async fn a_version_that_is_sent_twice_must_be_the_same() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        // Clients whose users add the header by hand send it twice.
        let same = served.client(binding).header("a2a-version", "1.0");
        assert_eq!(
            state(&same.send(request("hi")).await),
            "COMPLETED",
            "{binding:?}"
        );
        let other = served.client(binding).header("a2a-version", "0.3");
        other
            .fault("SendMessage", request("hi"))
            .await
            .assert_is(errors::VERSION_NOT_SUPPORTED);
    }
}

#[tokio::test]
async fn the_version_counts_per_interface_and_not_per_agent() {
    // JSON-RPC is declared in 1.0, HTTP+JSON in 0.2 only (by another server), gRPC not at all.
    let setup = Setup::new().card(|card| {
        let mut rest = card::interface("HTTP+JSON", "");
        rest.protocol_version = "0.2".into();
        card.supported_interfaces = vec![rest, card::interface("jsonrpc", "")];
    });
    let served = setup.start().await;
    let task = served.client(Binding::JsonRpc).send(request("hi")).await;
    assert_eq!(state(&task), "COMPLETED");
    for version in ["1.0", "0.3"] {
        let rest = served.client(Binding::Rest).version(Some(version));
        rest.fault("ListTasks", json!({}))
            .await
            .assert_is(errors::VERSION_NOT_SUPPORTED);
    }
}

#[tokio::test]
async fn a_refusal_says_which_version_to_send() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let fault = served
            .client(binding)
            .version(None)
            .fault("ListTasks", json!({}))
            .await;
        assert!(fault.message.contains("A2A-Version: 1.0"), "{fault:?}");
        assert_eq!(fault.metadata("requestedVersion"), "0.3", "{fault:?}");
        assert_eq!(fault.metadata("supportedVersions"), "1.0", "{fault:?}");
    }
}

#[tokio::test]
async fn names_of_version_0_3_do_not_exist_in_1_0_and_the_answer_says_so() {
    let served = Setup::new().start().await;
    let json_rpc = served.client(Binding::JsonRpc);
    for method in [
        "message/send",
        "message/stream",
        "tasks/get",
        "tasks/resubscribe",
        "agent/getAuthenticatedExtendedCard",
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": request("hi")});
        let answer = json_rpc.json_rpc_post(body.to_string()).await.json();
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        assert!(
            string(&answer, "/error/message").contains("0.3"),
            "{answer}"
        );
    }
    // In 1.0 these are routes of the tenant `v1`, which does not exist here.
    let answer = http::post(served.addr, "/v1/message:send", request("hi").to_string()).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(
        answer.json()["error"]["details"][0]["fieldViolations"][0]["field"],
        "tenant",
        "{answer:?}"
    );
    assert!(answer.text().contains("0.3"), "{answer:?}");
    let answer = http::call(served.addr, "GET", "/v1/card").await;
    assert_eq!(
        (
            answer.status.as_u16(),
            answer.json()["error"]["details"].clone()
        ),
        (404, json!([])),
        "{answer:?}"
    );
}

#[test]
fn streaming_operations_are_those_of_the_schema() {
    for operation in A2A_SERVICE.operations {
        assert_eq!(
            operation.server_streaming,
            is_streaming(operation.name),
            "{}",
            operation.name
        );
    }
}
