//! Callers of version 1.0, with the client of version 1.0, and the agent of version 1.1.

use a2a_kit::v1_0::{
    GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role,
    SendMessageRequest, Task, TaskState,
};
use a2a_kit::{A2aService as _, A2aServiceClient, CallContext, Code};
use futures_util::TryStreamExt as _;
use next_version::v1_1::{A2aService as _, A2aServiceClient as NextClient, PauseTaskRequest};

use crate::agent::Echo;
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
async fn callers_of_version_1_0_get_what_it_has() {
    let port = Port::serve(Echo::default()).await;
    for (binding, channel) in channels(&port.url) {
        let next = NextClient::new(channel.clone());
        let client = A2aServiceClient::new(channel);
        let context = CallContext::default;
        let sent = client.send_message(context(), message()).await.unwrap();
        let sent = sent.as_task().unwrap();
        assert_eq!(sent.artifacts[0].description, "what was said", "{binding}");
        assert_eq!(sent.artifacts[0].parts, [Part::text("hello")], "{binding}");
        assert_eq!(sent.history, [message().message.unwrap()], "{binding}");
        assert_eq!(state(sent), TaskState::Completed, "{binding}");

        // A state that version 1.0 does not have is the one that the rules name.
        let request = PauseTaskRequest::new().with_id(&sent.id);
        next.pause_task(context(), request).await.unwrap();
        let request = GetTaskRequest::new().with_id(&sent.id);
        let asked = client.get_task(context(), request).await.unwrap();
        assert_eq!(state(&asked), TaskState::Working, "{binding}");
        assert_eq!(asked.artifacts, sent.artifacts, "{binding}");
    }
}

#[tokio::test]
async fn events_are_of_the_version_of_their_reader() {
    let port = Port::serve(Echo::default()).await;
    for (binding, channel) in channels(&port.url) {
        let client = A2aServiceClient::new(channel);
        let events = client.send_streaming_message(CallContext::default(), message());
        let events: Vec<_> = events.await.unwrap().try_collect().await.unwrap();
        assert_eq!(events.len(), 4, "{binding}");
        let task = events[0].as_task().unwrap();
        assert_eq!(task.artifacts[0].description, "what was said", "{binding}");
        let piece = events[1].as_artifact_update().unwrap();
        assert_eq!(piece.artifact, Some(task.artifacts[0].clone()), "{binding}");
        let states = events[2..].iter().map(|event| {
            let update = event.as_status_update().unwrap();
            update.status.as_ref().unwrap().state()
        });
        let states: Vec<_> = states.collect();
        assert_eq!(
            states,
            [TaskState::Working, TaskState::Completed],
            "{binding}"
        );
    }
}

#[tokio::test]
async fn refusals_are_those_of_version_1_0() {
    let port = Port::serve(Echo::default()).await;
    for (binding, channel) in channels(&port.url) {
        let client = A2aServiceClient::new(channel);
        let context = CallContext::default;
        let request = GetTaskRequest::new().with_id("none");
        let error = client.get_task(context(), request).await.unwrap_err();
        assert!(error.is_task_not_found(), "{binding}: {error}");
        let error = client.send_message(context(), SendMessageRequest::new());
        let error = error.await.unwrap_err();
        assert_eq!(error.violations()[0].field, "message", "{binding}");
        let error = client.list_tasks(context(), ListTasksRequest::new());
        assert_eq!(
            error.await.unwrap_err().code(),
            Code::Unimplemented,
            "{binding}"
        );
        let request = GetExtendedAgentCardRequest::new();
        let card = client.get_extended_agent_card(context(), request).await;
        assert_eq!(card.unwrap().name, "Echo", "{binding}");
    }
}
