//! Callers of version 1.1, and an agent of version 1.0.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use a2a_kit::client::{Answer, Channel, Outgoing};
use a2a_kit::v1_0 as old;
use a2a_kit::wire::adapt::{self, Options};
use a2a_kit::{
    A2aService, A2aServiceClient, BoxFuture, CallContext, Error, EventStream, Server, ServiceSpec,
    Shared,
};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use next_version::v1_0::OldA2aServiceClient;
use next_version::v1_1::{self, A2aService as _};
use tokio::net::TcpListener;

use crate::next::message;
use crate::older_callers;
use crate::port::{Port, adapting, channels};

/// An agent of version 1.0. All its tasks wait for somebody to log in.
struct Agent;

fn task(message: old::Message) -> old::Task {
    old::Task::new()
        .with_id("t1")
        .with_context_id("c1")
        .with_status(old::TaskStatus::new().with_state(old::TaskState::AuthRequired))
        .with_artifacts([old::Artifact::new()
            .with_artifact_id("echo")
            .with_description("what was said")
            .with_parts(message.parts.clone())])
        .with_history([message])
}

impl A2aService for Agent {
    async fn send_message(
        &self,
        _context: CallContext,
        request: old::SendMessageRequest,
    ) -> Result<Shared<old::SendMessageResponse>, Error> {
        let message = request.message.unwrap_or_default();
        Ok(old::SendMessageResponse::task(task(message)).into())
    }

    async fn send_streaming_message(
        &self,
        _context: CallContext,
        request: old::SendMessageRequest,
    ) -> Result<EventStream<old::StreamResponse>, Error> {
        let message = request.message.unwrap_or_default();
        let event = old::StreamResponse::task(task(message));
        Ok(stream::iter([Ok(event.into())]).boxed())
    }

    async fn get_task(
        &self,
        _context: CallContext,
        request: old::GetTaskRequest,
    ) -> Result<Shared<old::Task>, Error> {
        Err(Error::task_not_found(format!(
            "there is no task {}",
            request.id
        )))
    }

    async fn list_tasks(
        &self,
        _context: CallContext,
        request: old::ListTasksRequest,
    ) -> Result<Shared<old::ListTasksResponse>, Error> {
        // Says in which state the caller looks for tasks.
        let found = old::Task::new()
            .with_id("t1")
            .with_status(old::TaskStatus::new().with_state(request.status()));
        Ok(old::ListTasksResponse::new().with_tasks([found]).into())
    }
}

/// The agent behind a server that knows nothing of version 1.1.
async fn serve() -> String {
    let (mut card, _): (old::AgentCard, _) =
        adapt::down(crate::agent::card(), &Options::default()).unwrap();
    card.supported_interfaces
        .retain(|interface| interface.protocol_version == "1.0");
    let server = Server::builder(Agent, card).build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { server.serve(listener).await });
    url
}

/// Counts what goes through a channel.
#[derive(Debug)]
struct Counted(Arc<dyn Channel>, AtomicUsize);

impl Channel for Counted {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.call(service, operation, context, request)
    }
}

#[tokio::test]
async fn an_agent_of_version_1_0_is_called_in_version_1_1() {
    let url = serve().await;
    for (binding, channel) in channels(&url) {
        let client = OldA2aServiceClient::new(channel, adapting());
        let context = CallContext::default;
        let sent = client.send_message(context(), message()).await.unwrap();
        let sent = sent.as_task().unwrap();
        assert_eq!(sent.artifacts[0].summary, "what was said", "{binding}");
        assert_eq!(sent.priority, None, "{binding}");
        let state = sent.status.as_ref().unwrap().state();
        assert_eq!(state, v1_1::TaskState::AuthRequired, "{binding}");
        assert_eq!(sent.history, [message().message.unwrap()], "{binding}");

        let events = client.send_streaming_message(context(), message());
        let events: Vec<_> = events.await.unwrap().try_collect().await.unwrap();
        assert_eq!(events.len(), 1, "{binding}");
        assert_eq!(events[0].as_task(), Some(sent), "{binding}");

        let request = v1_1::GetTaskRequest::new().with_id("none");
        let error = client.get_task(context(), request).await.unwrap_err();
        assert!(
            std::ptr::eq(error.spec().unwrap(), &v1_1::TASK_NOT_FOUND),
            "{binding}: {error:?}"
        );

        // A value that version 1.0 does not have goes down as the rules say, in requests too.
        let request = v1_1::ListTasksRequest::new().with_status(v1_1::TaskState::Paused);
        let found = client.list_tasks(context(), request).await.unwrap();
        let state = found.tasks[0].status.as_ref().unwrap().state();
        assert_eq!(state, v1_1::TaskState::Working, "{binding}");
    }
}

#[tokio::test]
async fn what_version_1_0_does_not_have_is_refused_without_a_call() {
    let url = serve().await;
    for (binding, channel) in channels(&url) {
        let channel = Arc::new(Counted(channel, AtomicUsize::new(0)));
        let client = OldA2aServiceClient::new(channel.clone(), adapting());
        let request = v1_1::PauseTaskRequest::new().with_id("t1");
        let error = client.pause_task(CallContext::default(), request).await;
        let error = error.unwrap_err();
        assert!(error.is_unsupported_operation(), "{binding}: {error}");
        assert!(error.message().contains("PauseTask"), "{binding}: {error}");
        assert_eq!(channel.1.load(Ordering::Relaxed), 0, "{binding}");
    }
}

/// A client is a service: an agent of version 1.0, served in version 1.1, and that in both.
#[tokio::test]
async fn the_way_up_and_down_again_changes_nothing() {
    let url = serve().await;
    for (upstream, channel) in channels(&url) {
        let port = Port::serve(OldA2aServiceClient::new(channel, adapting())).await;
        for (binding, channel) in channels(&port.url) {
            let places = format!("{binding} to {upstream}");
            let client = A2aServiceClient::new(channel.clone());
            let request = older_callers::message();
            let expected = task(request.message.clone().unwrap());
            let sent = client.send_message(CallContext::default(), request).await;
            assert_eq!(sent.unwrap().as_task(), Some(&expected), "{places}");
            let request = old::GetTaskRequest::new().with_id("none");
            let error = client.get_task(CallContext::default(), request).await;
            assert!(error.unwrap_err().is_task_not_found(), "{places}");

            let client = v1_1::A2aServiceClient::new(channel);
            let request = v1_1::PauseTaskRequest::new().with_id("t1");
            let error = client.pause_task(CallContext::default(), request).await;
            assert!(error.unwrap_err().is_unsupported_operation(), "{places}");
        }
    }
}
