//! The nine errors of the protocol (specification 5.4, 9.5, 10.6, 11.6): code, status, reason and
//! details on each binding.

use e2e::errors::{self, Expected};
use e2e::{Binding, Client, Served, Setup, at_once, card, request, string, to_task};
use serde_json::{Value, json};

/// What provokes an error: the operation and its request.
type Provocation = (&'static str, Value);

async fn provoke(served: &Served, expected: Expected, provocations: &[Provocation]) {
    for binding in Binding::ALL {
        for (operation, request) in provocations {
            let fault = served
                .client(binding)
                .fault(operation, request.clone())
                .await;
            fault.assert_is(expected);
            assert_eq!(
                fault.details.len(),
                1,
                "nothing but the ErrorInfo: {fault:?}"
            );
        }
    }
}

async fn finished(client: &Client) -> String {
    string(&client.send(request("report done")).await, "/id")
}

#[tokio::test]
async fn task_not_found() {
    let served = Setup::new().start().await;
    let id = json!({"id": "unknown"});
    let config = json!({"taskId": "unknown", "id": "w", "url": "https://a.test/"});
    let get = json!({"taskId": "unknown", "id": "w"});
    let task = string(
        &served
            .client(Binding::Rest)
            .send(request("ask what?"))
            .await,
        "/id",
    );
    let mut refers = request("hi");
    refers["message"]["referenceTaskIds"] = json!([task, "unknown"]);
    provoke(
        &served,
        errors::TASK_NOT_FOUND,
        &[
            ("GetTask", id.clone()),
            ("CancelTask", id.clone()),
            ("SubscribeToTask", id),
            ("SendMessage", to_task("unknown", "hi")),
            ("SendStreamingMessage", to_task("unknown", "hi")),
            ("SendMessage", refers),
            ("CreateTaskPushNotificationConfig", config),
            ("GetTaskPushNotificationConfig", get.clone()),
            ("DeleteTaskPushNotificationConfig", get),
            (
                "ListTaskPushNotificationConfigs",
                json!({"taskId": "unknown"}),
            ),
            // The task is there, its webhook is not.
            (
                "GetTaskPushNotificationConfig",
                json!({"taskId": task, "id": "unknown"}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn task_not_cancelable() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let done = finished(&client).await;
    let steadfast = client.start("steadfast work gate").await;
    served.gates.gate("gate").arrived(1).await;
    provoke(
        &served,
        errors::TASK_NOT_CANCELABLE,
        &[
            ("CancelTask", json!({"id": done})),
            ("CancelTask", json!({"id": steadfast})),
        ],
    )
    .await;
    assert_eq!(
        e2e::state(&client.get(&steadfast).await),
        "WORKING",
        "it goes on"
    );
}

#[tokio::test]
async fn push_notification_not_supported() {
    let served = Setup::bare().start().await;
    let task = finished(&served.client(Binding::Rest)).await;
    let mut inline = request("hi");
    inline["configuration"]["taskPushNotificationConfig"] = json!({"url": "https://a.test/"});
    provoke(
        &served,
        errors::PUSH_NOT_SUPPORTED,
        &[
            (
                "CreateTaskPushNotificationConfig",
                json!({"taskId": task, "url": "https://a.test/"}),
            ),
            (
                "GetTaskPushNotificationConfig",
                json!({"taskId": task, "id": "w"}),
            ),
            ("ListTaskPushNotificationConfigs", json!({"taskId": task})),
            (
                "DeleteTaskPushNotificationConfig",
                json!({"taskId": task, "id": "w"}),
            ),
            ("SendMessage", inline),
        ],
    )
    .await;
}

#[tokio::test]
async fn unsupported_operation() {
    let served = Setup::new().start().await;
    let task = finished(&served.client(Binding::Rest)).await;
    provoke(
        &served,
        errors::UNSUPPORTED_OPERATION,
        &[
            ("SendMessage", to_task(&task, "more")),
            ("SendStreamingMessage", to_task(&task, "more")),
            ("SubscribeToTask", json!({"id": task})),
        ],
    )
    .await;
    let bare = Setup::bare().start().await;
    provoke(
        &bare,
        errors::UNSUPPORTED_OPERATION,
        &[("GetExtendedAgentCard", json!({}))],
    )
    .await;
}

#[tokio::test]
async fn content_type_not_supported() {
    let served = Setup::new().start().await;
    let mut data = request("");
    data["message"]["parts"] = json!([{"text": "fine"}, {"data": {"a": 1}}]);
    provoke(
        &served,
        errors::CONTENT_TYPE_NOT_SUPPORTED,
        &[
            ("SendMessage", data.clone()),
            ("SendStreamingMessage", data),
        ],
    )
    .await;
}

#[tokio::test]
async fn invalid_agent_response() {
    let served = Setup::new().start().await;
    let hollow = request("hello-hollow");
    provoke(
        &served,
        errors::INVALID_AGENT_RESPONSE,
        &[
            ("SendMessage", hollow.clone()),
            ("SendStreamingMessage", hollow),
        ],
    )
    .await;
}

#[tokio::test]
async fn extended_agent_card_not_configured() {
    let served = Setup::new().without_extended_card().start().await;
    provoke(
        &served,
        errors::EXTENDED_CARD_NOT_CONFIGURED,
        &[("GetExtendedAgentCard", json!({}))],
    )
    .await;
}

#[tokio::test]
async fn extension_support_required() {
    let served = Setup::new()
        .card(|card| card::extension(card, "https://a.test/ext", true))
        .start()
        .await;
    provoke(
        &served,
        errors::EXTENSION_SUPPORT_REQUIRED,
        &[("SendMessage", request("hi")), ("ListTasks", json!({}))],
    )
    .await;
}

#[tokio::test]
async fn version_not_supported() {
    let setup = Setup::new().card(|card| {
        for interface in &mut card.supported_interfaces {
            if interface.protocol_binding != "JSONRPC" {
                interface.protocol_version = "0.3".into();
            }
        }
    });
    let served = setup.start().await;
    for binding in [Binding::Rest, Binding::Grpc] {
        served
            .client(binding)
            .fault("ListTasks", json!({}))
            .await
            .assert_is(errors::VERSION_NOT_SUPPORTED);
    }
    let json_rpc = served.client(Binding::JsonRpc).version(Some("2.0"));
    json_rpc
        .fault("ListTasks", json!({}))
        .await
        .assert_is(errors::VERSION_NOT_SUPPORTED);
}

#[tokio::test]
async fn an_error_does_not_tell_whether_a_task_exists_elsewhere() {
    // Another tenant's task is as unknown as none.
    let served = Setup::new()
        .engine(|engine| engine.tenants(a2a_kit::engine::Tenants::Any))
        .start()
        .await;
    let client = served.client(Binding::JsonRpc);
    let mut request = at_once(request("ask what?"));
    request["tenant"] = "north".into();
    let id = string(&client.send(request).await, "/id");
    let other = client
        .fault("GetTask", json!({"id": id, "tenant": "south"}))
        .await;
    let none = client
        .fault("GetTask", json!({"id": "x", "tenant": "south"}))
        .await;
    other.assert_is(errors::TASK_NOT_FOUND);
    assert_eq!(other.message.replace(&id, "x"), none.message);
}
