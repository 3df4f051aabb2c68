//! A client as a service: what a gateway serves.
//!
//! Comes in: a call that a router has read. Goes out: the same call to another agent, by whatever
//! binding that speaks. Streams survive cuts on the far side.

use a2a_wire::v1_0::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};

use super::call::{Client, Operation};
use super::stream::{Follow, Start};
use crate::context::CallContext;
use crate::error::Error;
use crate::generated::v1_0::A2aService;
use crate::shared::{EventStream, Shared};

/// Every call goes to the client's agent, with that agent's tenant. Of the context its extensions,
/// its deadline and its trace go along, its credentials do not: they were given to us.
impl A2aService for Client {
    async fn send_message(
        &self,
        context: CallContext,
        mut request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        self.send(Operation::SEND, &context, &mut request).await
    }

    async fn send_streaming_message(
        &self,
        context: CallContext,
        mut request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        self.admit_webhook(&request)?;
        let events = self
            .streaming(
                Operation::STREAM,
                &context,
                &mut request,
                self.options().retry,
            )
            .await?;
        Ok(Follow::start(self.clone(), context, Start::Message(events)))
    }

    async fn get_task(
        &self,
        context: CallContext,
        mut request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.unary(Operation::GET, &context, &mut request).await
    }

    async fn list_tasks(
        &self,
        context: CallContext,
        mut request: ListTasksRequest,
    ) -> Result<Shared<ListTasksResponse>, Error> {
        self.unary(Operation::LIST, &context, &mut request).await
    }

    async fn cancel_task(
        &self,
        context: CallContext,
        mut request: CancelTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.unary(Operation::CANCEL, &context, &mut request).await
    }

    async fn subscribe_to_task(
        &self,
        context: CallContext,
        mut request: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let events = self
            .streaming(
                Operation::SUBSCRIBE,
                &context,
                &mut request,
                self.options().retry,
            )
            .await?;
        Ok(Follow::start(
            self.clone(),
            context,
            Start::Subscription(request.id, events),
        ))
    }

    async fn create_task_push_notification_config(
        &self,
        context: CallContext,
        mut request: TaskPushNotificationConfig,
    ) -> Result<Shared<TaskPushNotificationConfig>, Error> {
        self.unary(Operation::CREATE_PUSH, &context, &mut request)
            .await
    }

    async fn get_task_push_notification_config(
        &self,
        context: CallContext,
        mut request: GetTaskPushNotificationConfigRequest,
    ) -> Result<Shared<TaskPushNotificationConfig>, Error> {
        self.unary(Operation::GET_PUSH, &context, &mut request)
            .await
    }

    async fn list_task_push_notification_configs(
        &self,
        context: CallContext,
        mut request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<Shared<ListTaskPushNotificationConfigsResponse>, Error> {
        self.unary(Operation::LIST_PUSH, &context, &mut request)
            .await
    }

    async fn get_extended_agent_card(
        &self,
        context: CallContext,
        mut request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        self.unary(Operation::EXTENDED_CARD, &context, &mut request)
            .await
    }

    async fn delete_task_push_notification_config(
        &self,
        context: CallContext,
        mut request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<Shared<()>, Error> {
        self.unary(Operation::DELETE_PUSH, &context, &mut request)
            .await
    }
}
