//! The eleven operations.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use a2a_wire::v1_0::send_message_response::Payload as Answer;
use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use futures_util::FutureExt as _;

use super::Engine;
use super::core::Core;
use super::follow::{Follower, Until, stream, task_event};
use super::send::{Sent, Started};
use crate::agent::{AgentError, CancelContext};
use crate::{A2aService, CallContext, Error, EventStream, Shared};

impl A2aService for Engine {
    async fn send_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        let answer = match self.0.send(context, request, false).await? {
            Sent::Message(message) => Answer::Message(message),
            Sent::Task(started) => Answer::Task(self.0.wait(*started).await?),
        };
        let mut response = SendMessageResponse::default();
        response.payload = Some(answer);
        Ok(Shared::new(response))
    }

    async fn send_streaming_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        self.0.require("SendStreamingMessage")?;
        match self.0.send(context, request, true).await? {
            Sent::Message(message) => {
                let mut response = StreamResponse::default();
                response.payload = Some(Payload::Message(message));
                let only = std::future::ready(Ok(Shared::new(response)));
                Ok(Box::pin(futures_util::stream::once(only)))
            }
            Sent::Task(started) => {
                let Started {
                    live,
                    following,
                    watch,
                    sequence,
                    task,
                    ..
                } = *started;
                let task =
                    task.ok_or_else(|| Error::internal("a stream was begun without its task"))?;
                let follower = Follower::new(Arc::clone(&self.0), live, following, watch, sequence);
                Ok(stream(follower, task_event(&task), Until::Rest))
            }
        }
    }

    async fn get_task(
        &self,
        context: CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.0.get(&context, request).await
    }

    async fn list_tasks(
        &self,
        context: CallContext,
        request: ListTasksRequest,
    ) -> Result<Shared<ListTasksResponse>, Error> {
        self.0.list(&context, request).await.map(Shared::new)
    }

    async fn cancel_task(
        &self,
        context: CallContext,
        request: CancelTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.0.cancel(context, request).await
    }

    async fn subscribe_to_task(
        &self,
        context: CallContext,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        self.0.subscribe(&context, request).await
    }

    async fn create_task_push_notification_config(
        &self,
        context: CallContext,
        request: TaskPushNotificationConfig,
    ) -> Result<Shared<TaskPushNotificationConfig>, Error> {
        self.0
            .create_push_config(&context, request)
            .await
            .map(Shared::new)
    }

    async fn get_task_push_notification_config(
        &self,
        context: CallContext,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<Shared<TaskPushNotificationConfig>, Error> {
        self.0.push_config(&context, request).await.map(Shared::new)
    }

    async fn list_task_push_notification_configs(
        &self,
        context: CallContext,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<Shared<ListTaskPushNotificationConfigsResponse>, Error> {
        self.0
            .push_configs(&context, request)
            .await
            .map(Shared::new)
    }

    async fn get_extended_agent_card(
        &self,
        context: CallContext,
        request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        self.0.extended_card(context, request).await
    }

    async fn delete_task_push_notification_config(
        &self,
        context: CallContext,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<Shared<()>, Error> {
        self.0
            .delete_push_config(&context, request)
            .await
            .map(Shared::new)
    }
}

impl Core {
    /// Asks the agent whether a task may be canceled.
    pub(super) async fn may_cancel(&self, task: CancelContext) -> Result<(), AgentError> {
        match AssertUnwindSafe(self.agent.cancel(task))
            .catch_unwind()
            .await
        {
            Ok(decision) => decision,
            Err(_) => {
                tracing::error!("the agent panicked while it was asked to cancel a task");
                Err(AgentError::new("the agent failed to cancel the task"))
            }
        }
    }
}
