//! The service behind a proxy: a client of the agent, and a line for each call.
//!
//! Comes in: calls. Goes out: the agent's answers; what was called, by which binding and version, how
//! it went and how long it took.

use std::sync::Arc;
use std::time::Instant;

use a2a_kit::client::Client;
use a2a_kit::v1_0::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use a2a_kit::{A2aService, CallContext, Error, EventStream, Shared};
use tokio::sync::mpsc;

use super::own_card;
use crate::text;

pub(super) struct Proxy {
    pub(super) upstream: Client,
    pub(super) interfaces: Arc<[AgentInterface]>,
    pub(super) log: mpsc::Sender<String>,
}

/// A call, from its beginning.
struct Entry {
    began: Instant,
    call: String,
}

impl Entry {
    fn new(operation: &str, context: &CallContext) -> Self {
        Self {
            began: Instant::now(),
            call: format!(
                "{operation} {} {}",
                context.binding().card_name(),
                context.version()
            ),
        }
    }

    /// A line of the log. Who prints too slowly misses lines; callers do not wait for it.
    fn end<T>(self, log: &mpsc::Sender<String>, result: &Result<T, Error>) {
        let took = self.began.elapsed().as_millis();
        let how = match result {
            Ok(_) => "ok".to_owned(),
            Err(error) => {
                let name = error.reason().unwrap_or_else(|| error.code().name());
                format!(
                    "{}: {}",
                    text::bounded_line(name, 100),
                    text::bounded_line(error.message(), 300)
                )
            }
        };
        let _ = log.try_send(format!("{} {took} ms {how}", self.call));
    }
}

/// Operations that are the client's.
macro_rules! hand_on {
    ($($operation:ident($request:ty) -> $answer:ty, $name:literal;)*) => {$(
        async fn $operation(
            &self,
            context: CallContext,
            request: $request,
        ) -> Result<$answer, Error> {
            let entry = Entry::new($name, &context);
            let result = A2aService::$operation(&self.upstream, context, request).await;
            entry.end(&self.log, &result);
            result
        }
    )*};
}

impl A2aService for Proxy {
    hand_on! {
        send_message(SendMessageRequest) -> Shared<SendMessageResponse>, "SendMessage";
        send_streaming_message(SendMessageRequest) -> EventStream<StreamResponse>, "SendStreamingMessage";
        get_task(GetTaskRequest) -> Shared<Task>, "GetTask";
        list_tasks(ListTasksRequest) -> Shared<ListTasksResponse>, "ListTasks";
        cancel_task(CancelTaskRequest) -> Shared<Task>, "CancelTask";
        subscribe_to_task(SubscribeToTaskRequest) -> EventStream<StreamResponse>, "SubscribeToTask";
        create_task_push_notification_config(TaskPushNotificationConfig)
            -> Shared<TaskPushNotificationConfig>, "CreateTaskPushNotificationConfig";
        get_task_push_notification_config(GetTaskPushNotificationConfigRequest)
            -> Shared<TaskPushNotificationConfig>, "GetTaskPushNotificationConfig";
        list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest)
            -> Shared<ListTaskPushNotificationConfigsResponse>, "ListTaskPushNotificationConfigs";
        delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest)
            -> Shared<()>, "DeleteTaskPushNotificationConfig";
    }

    /// The one answer that names interfaces: whoever went by the agent's would call past the proxy
    /// from then on.
    async fn get_extended_agent_card(
        &self,
        context: CallContext,
        request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        let entry = Entry::new("GetExtendedAgentCard", &context);
        let result = A2aService::get_extended_agent_card(&self.upstream, context, request).await;
        entry.end(&self.log, &result);
        let card = result?;
        Ok(Shared::new(own_card(&card, &self.interfaces)))
    }
}
