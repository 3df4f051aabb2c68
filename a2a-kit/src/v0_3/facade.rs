//! A v1.0 service as callers of v0.3 expect it to behave.
//!
//! Comes in: calls of v0.3 whose messages are of v1.0 already. Goes out: the service's answers, where
//! v0.3 has other habits changed to those.

use std::sync::Arc;

use a2a_wire::adapt::{FileBytes, Options, Sender};
use a2a_wire::v1_0::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use futures_util::{StreamExt as _, stream};
use prost::Message as _;

use super::{OldA2aService, adapting, is_final, is_over};
use crate::card::with_old_addresses;
use crate::context::CallContext;
use crate::error::{Code, Error};
use crate::service::Dispatch;
use crate::shared::{EventStream, Shared};
use crate::{A2aService, BoxA2aService};

/// More pages of a list of registrations are not asked for.
const MOST_PAGES: usize = 1000;
/// What all registrations of a list may weigh, as protobuf. They are held together, and most clients
/// read no larger answer anyway.
const MOST_BYTES: usize = 16 << 20;

/// A v1.0 service as callers of v0.3 expect it to behave; see the [module](super).
///
/// - A task that is finished is subscribed to: it comes, and the stream ends.
/// - A stream ends after the event that is marked as final.
/// - Registrations of a task are all in one list; without an id, the first one is meant.
/// - Where there is no extended card, none is configured; where there is one, its addresses of gRPC are
///   hosts and ports.
///
/// ```
/// use a2a_kit::v0_3::Facade;
/// use a2a_kit::{A2aService, BoxA2aService, Dispatch};
///
/// struct Silent;
/// impl A2aService for Silent {}
///
/// let old: std::sync::Arc<dyn Dispatch> = Facade::dispatch(BoxA2aService::new(Silent));
/// assert_eq!(old.service().name, "a2a.v1.A2AService");
/// ```
#[derive(Clone)]
pub struct Facade(BoxA2aService);

/// What v1.0 requires and callers of v0.3 may leave out.
const OPTIONAL: &[(&str, &str)] = &[("lf.a2a.v1.GetTaskPushNotificationConfigRequest", "id")];

impl Facade {
    /// A service behind the habits of v0.3.
    #[must_use]
    pub fn new(service: BoxA2aService) -> Self {
        Self(service)
    }

    /// A service as the routers of v0.3 call it.
    #[must_use]
    pub fn dispatch(service: BoxA2aService) -> Arc<dyn Dispatch> {
        Self::dispatch_with(service, FileBytes::default())
    }

    /// As [`Facade::dispatch`], for callers that have the bytes of files in protobuf and ProtoJSON in
    /// this form.
    #[must_use]
    pub fn dispatch_with(service: BoxA2aService, file_bytes: FileBytes) -> Arc<dyn Dispatch> {
        let mut options = Options::default();
        options.file_bytes = file_bytes;
        options.config_id_optional = true;
        options.sender = Some(Sender::Client);
        let adapting = adapting().options(options).optional(OPTIONAL);
        let facade = BoxA2aService::new(Self::new(service));
        Arc::new(OldA2aService::new(facade, adapting))
    }

    /// The registrations of a task, page by page, until `found` has one.
    async fn registrations(
        &self,
        context: &CallContext,
        request: ListTaskPushNotificationConfigsRequest,
        enough: impl Fn(&[TaskPushNotificationConfig]) -> bool,
    ) -> Result<Vec<TaskPushNotificationConfig>, Error> {
        let (mut all, mut bytes) = (Vec::new(), 0);
        let mut request = request;
        for _ in 0..MOST_PAGES {
            let page = self
                .0
                .list_task_push_notification_configs(context.clone(), request.clone())
                .await?
                .into_inner();
            bytes += page.encoded_len();
            if bytes > MOST_BYTES {
                return Err(Error::new(
                    Code::ResourceExhausted,
                    "the list of push notification configs is too large for one answer; ask for it with a page size, or in version 1.0",
                )
                .with_http_status(500));
            }
            all.extend(page.configs);
            if page.next_page_token.is_empty() || enough(&all) {
                return Ok(all);
            }
            request.page_token = page.next_page_token;
        }
        Err(Error::internal(
            "the list of push notification configs has no end",
        ))
    }
}

impl A2aService for Facade {
    async fn send_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        self.0.send_message(context, request).await
    }

    async fn send_streaming_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let events = self.0.send_streaming_message(context, request).await?;
        Ok(until_final(events))
    }

    async fn get_task(
        &self,
        context: CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.0.get_task(context, request).await
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
        let get = GetTaskRequest::new()
            .with_id(&request.id)
            .with_tenant(&request.tenant);
        let begun = match self.0.subscribe_to_task(context.clone(), request).await {
            Ok(events) => begin(events).await,
            Err(error) => Err(error),
        };
        match begun {
            Ok(events) => Ok(until_final(events)),
            // In v1.0 nobody can subscribe to what is over.
            Err(error) if error.is_unsupported_operation() => {
                let task = self.0.get_task(context, get).await?;
                if is_over(&task) {
                    let event = Shared::new(StreamResponse::task(task.into_inner()));
                    Ok(Box::pin(stream::iter([Ok(event)])))
                } else {
                    Err(error)
                }
            }
            Err(error) => Err(error),
        }
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
        if !request.id.is_empty() {
            return self
                .0
                .get_task_push_notification_config(context, request)
                .await;
        }
        let list = ListTaskPushNotificationConfigsRequest::new()
            .with_task_id(&request.task_id)
            .with_tenant(&request.tenant);
        let known = self
            .registrations(&context, list, |known| !known.is_empty())
            .await?;
        known
            .into_iter()
            .next()
            .map(Shared::new)
            .ok_or_else(|| Error::task_not_found("the task has no push notification config"))
    }

    async fn list_task_push_notification_configs(
        &self,
        context: CallContext,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<Shared<ListTaskPushNotificationConfigsResponse>, Error> {
        // Only the proto has pages, so who asks for one knows them.
        if request.page_size != 0 || !request.page_token.is_empty() {
            return self
                .0
                .list_task_push_notification_configs(context, request)
                .await;
        }
        let configs = self.registrations(&context, request, |_| false).await?;
        Ok(Shared::new(
            ListTaskPushNotificationConfigsResponse::new().with_configs(configs),
        ))
    }

    async fn get_extended_agent_card(
        &self,
        context: CallContext,
        request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        match self.0.get_extended_agent_card(context, request).await {
            Err(error) if error.is_unsupported_operation() => Err(
                Error::extended_agent_card_not_configured(error.message().to_owned()),
            ),
            answer => Ok(Shared::new(with_old_addresses(&*answer?))),
        }
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

/// A stream that has begun, or the error in place of its first event: a client of another agent
/// learns only then that it was refused.
async fn begin(
    mut events: EventStream<StreamResponse>,
) -> Result<EventStream<StreamResponse>, Error> {
    match events.next().await {
        Some(Err(error)) => Err(error),
        Some(first) => Ok(Box::pin(stream::iter([first]).chain(events))),
        None => Ok(events),
    }
}

/// The events up to the first one that goes down as the final one, which ends the stream whatever
/// the service does.
fn until_final(events: EventStream<StreamResponse>) -> EventStream<StreamResponse> {
    Box::pin(stream::unfold(Some(events), async |events| {
        let mut events = events?;
        let event = events.next().await?;
        let goes_on = event.as_ref().is_ok_and(|event| !is_final(event));
        Some((event, goes_on.then_some(events)))
    }))
}

#[cfg(test)]
mod tests;
