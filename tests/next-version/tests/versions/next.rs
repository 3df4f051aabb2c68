//! Version 1.1 is a version like any other: its server and its client know all that is new.

use a2a_kit::CallContext;
use a2a_kit::client::{CallOptions, HttpTransport, Transport as _};
use futures_util::TryStreamExt as _;
use http::Request;
use http_body_util::BodyExt as _;
use next_version::v1_1::{
    A2aService as _, A2aServiceClient, GetTaskRequest, Message, Part, PauseTaskRequest, Role,
    SendMessageRequest, TASK_NOT_FOUND, Task, TaskState,
};
use serde_json::{Value, json};

use crate::agent::{Echo, PRIORITY};
use crate::port::{Port, channels};

pub(crate) fn message() -> SendMessageRequest {
    SendMessageRequest::new().with_message(
        Message::new()
            .with_message_id("m1")
            .with_role(Role::User)
            .with_parts([Part::text("hello")]),
    )
}

fn state(task: &Task) -> TaskState {
    task.status.as_ref().unwrap().state()
}

#[tokio::test]
async fn callers_of_version_1_1_get_all_of_it() {
    let port = Port::serve(Echo::default()).await;
    for (binding, channel) in channels(&port.url) {
        let client = A2aServiceClient::new(channel);
        let context = CallContext::default;
        let sent = client.send_message(context(), message()).await.unwrap();
        let sent = sent.as_task().unwrap();
        assert_eq!(sent.priority, Some(PRIORITY), "{binding}");
        assert_eq!(sent.artifacts[0].summary, "what was said", "{binding}");
        assert_eq!(sent.artifacts[0].parts, [Part::text("hello")], "{binding}");

        let request = PauseTaskRequest::new().with_id(&sent.id);
        let paused = client.pause_task(context(), request).await.unwrap();
        assert_eq!(state(&paused), TaskState::Paused, "{binding}");
        let request = GetTaskRequest::new().with_id(&sent.id);
        let asked = client.get_task(context(), request).await.unwrap();
        assert_eq!(*asked, *paused, "{binding}");

        let events = client.send_streaming_message(context(), message());
        let events: Vec<_> = events.await.unwrap().try_collect().await.unwrap();
        assert_eq!(events.len(), 4, "{binding}");
        let update = events[2].as_status_update().unwrap();
        let paused = update.status.as_ref().unwrap();
        assert_eq!(paused.state(), TaskState::Paused, "{binding}");

        let request = PauseTaskRequest::new().with_id("none");
        let error = client.pause_task(context(), request).await.unwrap_err();
        assert_eq!(error.spec(), Some(&TASK_NOT_FOUND), "{binding}");
        let error = client.pause_task(context(), PauseTaskRequest::new()).await;
        assert_eq!(error.unwrap_err().violations()[0].field, "id", "{binding}");
    }
}

async fn post(port: &Port, path: &str, version: &str, body: &Value) -> (u16, Value) {
    let request = Request::post(format!("{}{path}", port.url))
        .header("content-type", "application/json")
        .header("a2a-version", version)
        .body(body.to_string().into())
        .unwrap();
    let transport = HttpTransport::new();
    let answer = transport.send(request, CallOptions::default()).await;
    let (head, body) = answer.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (head.status.as_u16(), serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn each_version_has_its_own_names_and_fields() {
    let port = Port::serve(Echo::default()).await;
    let send =
        json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}});
    let (_, newer) = post(&port, "/message:send", "1.1", &send).await;
    assert_eq!(newer["task"]["priority"], PRIORITY);
    assert_eq!(newer["task"]["artifacts"][0]["summary"], "what was said");
    let (_, older) = post(&port, "/message:send", "1.0.1", &send).await;
    let mut expected = newer.clone();
    let task = expected["task"].as_object_mut().unwrap();
    task["id"] = json!("t2");
    task.remove("priority");
    let artifact = task["artifacts"][0].as_object_mut().unwrap();
    let summary = artifact.remove("summary").unwrap();
    artifact.insert("description".to_owned(), summary);
    assert_eq!(older, expected);

    let pause = json!({"jsonrpc": "2.0", "id": 1, "method": "PauseTask", "params": {"id": "t1"}});
    let (_, answer) = post(&port, "/", "1.1", &pause).await;
    assert_eq!(answer["result"]["status"]["state"], "TASK_STATE_PAUSED");
    let (_, answer) = post(&port, "/", "1.0", &pause).await;
    assert_eq!(answer["error"]["code"], -32601);
    let (status, answer) = post(&port, "/tasks/t1:pause", "1.1", &json!({})).await;
    assert_eq!(
        (status, &answer["status"]["state"]),
        (200, &json!("TASK_STATE_PAUSED"))
    );
    // In version 1.0 that is the path of a task with an odd name, which can only be read.
    let (status, _) = post(&port, "/tasks/t1:pause", "1.0", &json!({})).await;
    assert_eq!(status, 405);

    let (_, answer) = post(&port, "/", "", &pause).await;
    assert_eq!(answer["error"]["code"], -32009);
    let (_, answer) = post(&port, "/", "2.0", &pause).await;
    assert_eq!(answer["error"]["code"], -32009);
}
