//! A peer that speaks v0.3, as a v1.0 service.
//!
//! Comes in: calls of v1.0, and a channel to the peer. Goes out: its answers, where v1.0 promises
//! more than v0.3 does brought to that.

use std::any::Any;
use std::sync::Arc;

use a2a_wire::adapt::{Loss, Options, Sender};
use a2a_wire::v1_0::send_message_response::Payload as Sent;
use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState, TaskStatus,
};
use futures_util::future::{Either, select};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{OldA2aServiceClient, adapting, is_final, is_over};
use crate::A2aService;
use crate::client::Channel;
use crate::context::CallContext;
use crate::error::Error;
use crate::shared::{EventStream, Shared};

/// So many messages of a task's history are asked for when it is all of them that is wanted.
const ALL: i32 = i32::MAX;
/// The loss that says that an event was marked as final though its state does not.
const FINAL: &str = "U2";

/// A peer that speaks v0.3, as a v1.0 service; see the [module](super).
///
/// - What v0.3 has no name for is not supported, and not called.
/// - A stream begins with the task, which is asked for where the peer begins with an update, and
///   always for a subscription: some peers are silent until something happens.
/// - A task that is over cannot be subscribed to.
/// - A stream ends after the event that the peer marks as final.
/// - Who wants no history gets none, and who does not say gets all of it: in v0.3 nobody can say the
///   one, and peers take the other as they like.
///
/// ```
/// use std::sync::Arc;
/// use a2a_kit::client::{HttpTransport, JsonRpcChannel};
/// use a2a_kit::v0_3::Peer;
///
/// let channel = JsonRpcChannel::new("https://agent.example/a2a", HttpTransport::new())?;
/// let agent = Peer::new(Arc::new(channel)); // an A2aService
/// # let _ = agent;
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Peer(OldA2aServiceClient);

impl Peer {
    /// The peer that a channel leads to.
    #[must_use]
    pub fn new(channel: Arc<dyn Channel>) -> Self {
        Self::with_options(channel, Options::default())
    }

    /// As [`Peer::new`], for a peer with habits of its own.
    #[must_use]
    pub fn with_options(channel: Arc<dyn Channel>, mut options: Options) -> Self {
        options.sender = Some(Sender::Agent);
        let adapting = adapting().options(options).ends(is_last);
        Self(OldA2aServiceClient::new(channel, adapting))
    }

    /// Begins a stream with its task.
    fn task_first(
        &self,
        events: EventStream<StreamResponse>,
        context: CallContext,
        without_history: bool,
    ) -> EventStream<StreamResponse> {
        let peer = self.clone();
        let begin = async move {
            let mut events = events;
            let first = match events.next().await {
                Some(Ok(first)) => first,
                other => return Box::pin(stream::iter(other)) as EventStream<StreamResponse>,
            };
            let Some(task) = peer.task_of(&first, context).await else {
                return Box::pin(stream::iter([Ok(first)]).chain(events));
            };
            let task = Ok(Shared::new(StreamResponse::task(task)));
            Box::pin(stream::iter([task, Ok(first)]).chain(events))
        };
        let events = stream::once(begin).flatten();
        if without_history {
            Box::pin(events.map(|event| Ok(strip_event(event?))))
        } else {
            Box::pin(events)
        }
    }

    async fn task(&self, id: &str, context: CallContext) -> Result<Task, Error> {
        let request = GetTaskRequest::new().with_id(id);
        let task = A2aService::get_task(self, context, request).await?;
        Ok(task.into_inner())
    }

    /// The events of a subscription that opens after its task was told. What has happened before it
    /// was open no event tells, so the task is told again when it is another one by then.
    async fn opens_late(
        self,
        id: String,
        context: CallContext,
        told: Task,
        opening: impl Future<Output = Result<EventStream<StreamResponse>, Error>>,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let events = without_first_task(opening.await?);
        let task = self.task(&id, context).await?;
        if task == told {
            return Ok(events);
        }
        let over = is_over(&task);
        let again = stream::iter([Ok(Shared::new(StreamResponse::task(task)))]);
        Ok(if over {
            Box::pin(again)
        } else {
            Box::pin(again.chain(events))
        })
    }

    /// The task that an update is of, not yet further than the update is; `None` for what is no
    /// update. Where the peer does not tell it, it is as much of it as the update says.
    async fn task_of(&self, event: &StreamResponse, context: CallContext) -> Option<Task> {
        let known = match event.payload.as_ref()? {
            Payload::StatusUpdate(update) => {
                let task = Task::new()
                    .with_id(&update.task_id)
                    .with_context_id(&update.context_id);
                match &update.status {
                    Some(status) => task.with_status(status.clone()),
                    None => task,
                }
            }
            Payload::ArtifactUpdate(update) => Task::new()
                .with_id(&update.task_id)
                .with_context_id(&update.context_id)
                .with_status(TaskStatus::new().with_state(TaskState::Working)),
            Payload::Task(_) | Payload::Message(_) => return None,
        };
        match self.task(&known.id, context).await {
            Ok(mut task) => {
                // When this is asked for, the agent may have gone on. A task that is over would end
                // the stream in front of its events.
                if is_over(&task) && known.status.is_some() {
                    task.status = known.status;
                }
                Some(task)
            }
            Err(error) => {
                tracing::debug!(%error, "a peer does not tell the task that its stream is about");
                Some(known)
            }
        }
    }
}

/// The events of a subscription, whose task was told already.
fn without_first_task(events: EventStream<StreamResponse>) -> EventStream<StreamResponse> {
    let mut is_first = true;
    Box::pin(events.filter(move |event| {
        let again = std::mem::take(&mut is_first)
            && event
                .as_ref()
                .is_ok_and(|event| matches!(event.payload, Some(Payload::Task(_))));
        std::future::ready(!again)
    }))
}

/// True for the last event of a stream.
fn is_last(event: &dyn Any, losses: &[Loss]) -> bool {
    let event: Option<&StreamResponse> = event.downcast_ref();
    event.is_some_and(is_final) || losses.iter().any(|loss| loss.id == FINAL)
}

fn strip_event(event: Shared<StreamResponse>) -> Shared<StreamResponse> {
    match &event.payload {
        Some(Payload::Task(task)) if !task.history.is_empty() => {
            let mut event = event.into_inner();
            if let Some(Payload::Task(task)) = &mut event.payload {
                task.history.clear();
            }
            Shared::new(event)
        }
        _ => event,
    }
}

fn wants_no_history(request: &SendMessageRequest) -> bool {
    request
        .configuration
        .as_ref()
        .is_some_and(|configuration| configuration.history_length == Some(0))
}

impl A2aService for Peer {
    async fn send_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        let strip = wants_no_history(&request);
        let answer = self.0.send_message(context, request).await?;
        match &answer.payload {
            Some(Sent::Task(task)) if strip && !task.history.is_empty() => {
                let mut answer = answer.into_inner();
                if let Some(Sent::Task(task)) = &mut answer.payload {
                    task.history.clear();
                }
                Ok(Shared::new(answer))
            }
            _ => Ok(answer),
        }
    }

    async fn send_streaming_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let strip = wants_no_history(&request);
        let events = self
            .0
            .send_streaming_message(context.clone(), request)
            .await?;
        Ok(self.task_first(events, context, strip))
    }

    async fn get_task(
        &self,
        context: CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        let strip = request.history_length == Some(0);
        let mut request = request;
        request.history_length.get_or_insert(ALL);
        let task = self.0.get_task(context, request).await?;
        if !strip || task.history.is_empty() {
            return Ok(task);
        }
        let mut task = task.into_inner();
        task.history.clear();
        Ok(Shared::new(task))
    }

    async fn list_tasks(
        &self,
        context: CallContext,
        request: ListTasksRequest,
    ) -> Result<Shared<ListTasksResponse>, Error> {
        self.0.list_tasks(context, request).await
    }

    async fn cancel_task(
        &self,
        context: CallContext,
        request: CancelTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.0.cancel_task(context, request).await
    }

    async fn subscribe_to_task(
        &self,
        context: CallContext,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let id = request.id.clone();
        let opening = {
            let (peer, context) = (self.0.clone(), context.clone());
            Box::pin(async move { peer.subscribe_to_task(context, request).await })
        };
        let asking = {
            let (id, context) = (id.clone(), context.clone());
            Box::pin(async move { self.task(&id, context).await })
        };
        // Both at once: over gRPC there are peers whose stream does not open before something happens.
        let (task, events) = match select(opening, asking).await {
            Either::Left((opened, asking)) => (asking.await?, opened.map(without_first_task)),
            Either::Right((task, opening)) => {
                let task = task?;
                let rest = self.clone().opens_late(id, context, task.clone(), opening);
                let events = stream::once(rest).try_flatten();
                (task, Ok(Box::pin(events) as EventStream<StreamResponse>))
            }
        };
        if is_over(&task) {
            return Err(Error::unsupported_operation(
                "the task is over, so nothing is to come of it",
            ));
        }
        let first = Ok(Shared::new(StreamResponse::task(task)));
        Ok(Box::pin(stream::iter([first]).chain(events?)))
    }

    async fn create_task_push_notification_config(
        &self,
        context: CallContext,
        request: TaskPushNotificationConfig,
    ) -> Result<Shared<TaskPushNotificationConfig>, Error> {
        self.0
            .create_task_push_notification_config(context, request)
            .await
    }

    async fn get_task_push_notification_config(
        &self,
        context: CallContext,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<Shared<TaskPushNotificationConfig>, Error> {
        self.0
            .get_task_push_notification_config(context, request)
            .await
    }

    async fn list_task_push_notification_configs(
        &self,
        context: CallContext,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<Shared<ListTaskPushNotificationConfigsResponse>, Error> {
        self.0
            .list_task_push_notification_configs(context, request)
            .await
    }

    async fn get_extended_agent_card(
        &self,
        context: CallContext,
        request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        self.0.get_extended_agent_card(context, request).await
    }

    async fn delete_task_push_notification_config(
        &self,
        context: CallContext,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<Shared<()>, Error> {
        self.0
            .delete_task_push_notification_config(context, request)
            .await
    }
}

#[cfg(all(test, feature = "server"))]
mod tests;
