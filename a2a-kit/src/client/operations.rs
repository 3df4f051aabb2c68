//! Calls that read like what they do: `client.get_task("t1").history_length(3).await?`.
//!
//! Comes in: the ids that an operation needs, then what is wanted besides. Goes out, when the call
//! is awaited: the answer.

mod pages;

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use a2a_wire::types::Timestamp;
use a2a_wire::v1_0::{
    AgentCard, AuthenticationInfo, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig, TaskState,
};
use http::HeaderMap;
use serde_json::Value;

use super::call::{self, Client, Operation};
use super::stream::{Follow, Start, Updates};
use crate::context::CallContext;
use crate::error::Error;
use crate::service::BoxFuture;
use crate::shared::{EventStream, Shared};
pub use pages::Items;
use pages::pages;

/// A call that has not been made yet: its request, and what is particular to it.
///
/// Most calls are made by awaiting them. Messages are sent with [`Call::send`], [`Call::stream`] or
/// [`Call::follow`]; lists have [`Call::all`] too.
#[must_use = "a call is made when it is awaited or sent"]
#[derive(Clone)]
pub struct Call<R> {
    pub(super) client: Client,
    pub(super) request: R,
    pub(super) idempotent: bool,
    polls: bool,
    headers: Result<HeaderMap, Error>,
    extensions: Vec<String>,
    timeout: Option<Duration>,
    skill: Option<Arc<str>>,
}

impl<R> Call<R> {
    pub(super) fn new(client: Client, request: R) -> Self {
        Self {
            client,
            request,
            idempotent: false,
            polls: false,
            headers: Ok(HeaderMap::new()),
            extensions: Vec::new(),
            timeout: None,
            skill: None,
        }
    }

    /// Adds a header (metadata, over gRPC) to this call, whatever its host.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        self.headers = self.headers.and_then(|mut headers| {
            let (name, value) = call::header(name.as_ref(), value.as_ref())?;
            headers.append(name, value);
            Ok(headers)
        });
        self
    }

    /// Asks for an extension of the protocol, by its URI.
    pub fn extension(mut self, uri: impl Into<String>) -> Self {
        self.extensions.push(uri.into());
        self
    }

    /// How long the call may take, all attempts together; for a stream, until its end. Otherwise the
    /// client's own limits hold.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Says which skill of the card the call is for, so that what the card asks for that skill is
    /// met too: credentials, and scopes of tokens, given by `ClientBuilder::scheme`. The agent is not
    /// told by it.
    pub fn for_skill(mut self, id: impl Into<Arc<str>>) -> Self {
        self.skill = Some(id.into());
        self
    }

    /// Changes the request itself, for what has no method here.
    pub fn with(mut self, change: impl FnOnce(&mut R)) -> Self {
        change(&mut self.request);
        self
    }

    /// The context of the call, as of now.
    pub(super) fn context(&self) -> Result<CallContext, Error> {
        let headers = self.headers.clone()?;
        let mut context = call::local();
        if !headers.is_empty() {
            context = context.with_headers(headers);
        }
        if !self.extensions.is_empty() {
            context = context.with_extensions(self.extensions.clone());
        }
        if let Some(skill) = &self.skill {
            context = context.with_skill(Arc::clone(skill));
        }
        Ok(match self.timeout {
            Some(timeout) => context.with_deadline(call::deadline(timeout)?),
            None => context,
        })
    }
}

impl<R: fmt::Debug> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("client", &self.client)
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Reads a task as it is now.
    pub fn get_task(&self, id: impl Into<String>) -> Call<GetTaskRequest> {
        Call::new(self.clone(), GetTaskRequest::new().with_id(id))
    }

    /// Lists tasks, newest first: awaited, one page; with [`Call::all`], all of them.
    ///
    /// ```no_run
    /// use a2a_kit::v1_0::TaskState;
    /// use futures_util::TryStreamExt as _;
    ///
    /// # async fn example(client: a2a_kit::client::Client) -> Result<(), a2a_kit::Error> {
    /// let page = client.list_tasks().page_size(10).await?;
    /// let mut waiting = client.list_tasks().status(TaskState::InputRequired).all();
    /// while let Some(task) = waiting.try_next().await? {
    ///     println!("{}", task.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_tasks(&self) -> Call<ListTasksRequest> {
        Call::new(self.clone(), ListTasksRequest::new())
    }

    /// Asks the agent to stop working on a task.
    pub fn cancel(&self, id: impl Into<String>) -> Call<CancelTaskRequest> {
        Call::new(self.clone(), CancelTaskRequest::new().with_id(id))
    }

    /// Subscribes to a task that has not ended: first the task, then its updates. The stream survives
    /// cuts of the connection; see [`Updates`].
    pub fn subscribe(&self, id: impl Into<String>) -> Call<SubscribeToTaskRequest> {
        Call::new(self.clone(), SubscribeToTaskRequest::new().with_id(id))
    }

    /// As [`Client::subscribe`]; but from an agent that cannot be subscribed to, the task is asked
    /// for from time to time, and a task that has ended is handed out as it is.
    pub fn follow(&self, id: impl Into<String>) -> Call<SubscribeToTaskRequest> {
        let mut call = self.subscribe(id);
        call.polls = true;
        call
    }

    /// Registers a webhook for the updates of a task.
    pub fn create_push_config(
        &self,
        task_id: impl Into<String>,
        url: impl Into<String>,
    ) -> Call<TaskPushNotificationConfig> {
        Call::new(
            self.clone(),
            TaskPushNotificationConfig::new()
                .with_task_id(task_id)
                .with_url(url),
        )
    }

    /// Reads a registration of a webhook.
    pub fn get_push_config(
        &self,
        task_id: impl Into<String>,
        id: impl Into<String>,
    ) -> Call<GetTaskPushNotificationConfigRequest> {
        Call::new(
            self.clone(),
            GetTaskPushNotificationConfigRequest::new()
                .with_task_id(task_id)
                .with_id(id),
        )
    }

    /// Lists the webhooks of a task: awaited, one page; with [`Call::all`], all of them.
    pub fn list_push_configs(
        &self,
        task_id: impl Into<String>,
    ) -> Call<ListTaskPushNotificationConfigsRequest> {
        Call::new(
            self.clone(),
            ListTaskPushNotificationConfigsRequest::new().with_task_id(task_id),
        )
    }

    /// Removes a webhook. One that is not there is no error.
    pub fn delete_push_config(
        &self,
        task_id: impl Into<String>,
        id: impl Into<String>,
    ) -> Call<DeleteTaskPushNotificationConfigRequest> {
        Call::new(
            self.clone(),
            DeleteTaskPushNotificationConfigRequest::new()
                .with_task_id(task_id)
                .with_id(id),
        )
    }

    /// Reads the card that the agent shows to those it knows, and goes by it from now on, until the
    /// agent has another version.
    pub fn extended_card(&self) -> Call<GetExtendedAgentCardRequest> {
        Call::new(self.clone(), GetExtendedAgentCardRequest::new())
    }
}

impl Call<GetTaskRequest> {
    /// How many of the newest messages of its history the task has at most.
    pub fn history_length(mut self, messages: u32) -> Self {
        self.request.history_length = Some(i32::try_from(messages).unwrap_or(i32::MAX));
        self
    }
}

impl Call<ListTasksRequest> {
    /// Those of a conversation.
    pub fn in_context(mut self, id: impl Into<String>) -> Self {
        self.request.context_id = id.into();
        self
    }

    /// Those in a state.
    pub fn status(mut self, state: TaskState) -> Self {
        self.request.status = state as i32;
        self
    }

    /// Those whose status is newer than this.
    pub fn updated_after(mut self, time: impl Into<Timestamp>) -> Self {
        self.request.status_timestamp_after = Some(time.into());
        self
    }

    /// How many are on a page, from 1 to 100.
    pub fn page_size(mut self, tasks: u32) -> Self {
        self.request.page_size = Some(i32::try_from(tasks).unwrap_or(i32::MAX));
        self
    }

    /// The page that [`ListTasksResponse::next_page_token`] of the one before names.
    pub fn page_token(mut self, token: impl Into<String>) -> Self {
        self.request.page_token = token.into();
        self
    }

    /// How many of the newest messages of its history each task has at most.
    pub fn history_length(mut self, messages: u32) -> Self {
        self.request.history_length = Some(i32::try_from(messages).unwrap_or(i32::MAX));
        self
    }

    /// With their artifacts.
    pub fn with_artifacts(mut self) -> Self {
        self.request.include_artifacts = Some(true);
        self
    }

    /// The tasks of all pages, which are asked for as the stream is read. It ends after an error.
    pub fn all(self) -> Items<Task> {
        let ask = |client: Client,
                   context: CallContext,
                   mut request: ListTasksRequest,
                   token: String| async move {
            request.page_token = token;
            let page = client
                .unary::<ListTasksResponse>(Operation::LIST, &context, &mut request)
                .await?
                .into_inner();
            Ok((page.tasks, page.next_page_token, request))
        };
        let token = self.request.page_token.clone();
        pages(self, token, ask)
    }
}

impl Call<CancelTaskRequest> {
    /// Sets an entry of the metadata of the call.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.request
            .metadata
            .get_or_insert_default()
            .0
            .insert(key.into(), value.into());
        self
    }
}

impl Call<TaskPushNotificationConfig> {
    /// Gives the registration an id; otherwise the agent does.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.request.id = id.into();
        self
    }

    /// A token that the agent repeats with each notification, by which they are known to be its own.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.request.token = token.into();
        self
    }

    /// How the agent shows the webhook who it is: `Authorization: <scheme> <credentials>`.
    pub fn authentication(
        mut self,
        scheme: impl Into<String>,
        credentials: impl Into<String>,
    ) -> Self {
        self.request.authentication = Some(
            AuthenticationInfo::new()
                .with_scheme(scheme)
                .with_credentials(credentials),
        );
        self
    }
}

impl Call<ListTaskPushNotificationConfigsRequest> {
    /// How many are on a page.
    pub fn page_size(mut self, configs: u32) -> Self {
        self.request.page_size = i32::try_from(configs).unwrap_or(i32::MAX);
        self
    }

    /// The page that the `next_page_token` of the one before names.
    pub fn page_token(mut self, token: impl Into<String>) -> Self {
        self.request.page_token = token.into();
        self
    }

    /// The webhooks of all pages, which are asked for as the stream is read. It ends after an error.
    pub fn all(self) -> Items<TaskPushNotificationConfig> {
        let ask = |client: Client,
                   context: CallContext,
                   mut request: ListTaskPushNotificationConfigsRequest,
                   token: String| async move {
            request.page_token = token;
            let page = client
                .unary::<ListTaskPushNotificationConfigsResponse>(
                    Operation::LIST_PUSH,
                    &context,
                    &mut request,
                )
                .await?
                .into_inner();
            Ok((page.configs, page.next_page_token, request))
        };
        let token = self.request.page_token.clone();
        pages(self, token, ask)
    }
}

/// Calls with one answer.
macro_rules! awaited {
    ($($request:ident => $operation:ident, $answer:ty;)*) => {$(
        impl IntoFuture for Call<$request> {
            type Output = Result<$answer, Error>;
            type IntoFuture = BoxFuture<'static, Self::Output>;

            fn into_future(mut self) -> Self::IntoFuture {
                Box::pin(async move {
                    let context = self.context()?;
                    let answer: Shared<$answer> = self.client.unary(Operation::$operation, &context, &mut self.request).await?;
                    Ok(answer.into_inner())
                })
            }
        }
    )*};
}

awaited! {
    GetTaskRequest => GET, Task;
    ListTasksRequest => LIST, ListTasksResponse;
    CancelTaskRequest => CANCEL, Task;
    TaskPushNotificationConfig => CREATE_PUSH, TaskPushNotificationConfig;
    GetTaskPushNotificationConfigRequest => GET_PUSH, TaskPushNotificationConfig;
    ListTaskPushNotificationConfigsRequest => LIST_PUSH, ListTaskPushNotificationConfigsResponse;
    DeleteTaskPushNotificationConfigRequest => DELETE_PUSH, ();
}

impl IntoFuture for Call<GetExtendedAgentCardRequest> {
    type Output = Result<Arc<AgentCard>, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move {
            let context = self.context()?;
            let card: Shared<AgentCard> = self
                .client
                .unary(Operation::EXTENDED_CARD, &context, &mut self.request)
                .await?;
            self.client.adopt(card.into_inner())
        })
    }
}

impl IntoFuture for Call<SubscribeToTaskRequest> {
    type Output = Result<Updates, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move {
            let context = self.context()?;
            let id = self.request.id.clone();
            let retry = self.client.options().retry;
            let subscribed = self
                .client
                .streaming(Operation::SUBSCRIBE, &context, &mut self.request, retry)
                .await;
            let start = match subscribed {
                Ok(events) if self.polls => Start::Attempt(id, events),
                Ok(events) => Start::Subscription(id, events),
                Err(error) if self.polls && Follow::cannot_subscribe(&error) => {
                    let mut request = GetTaskRequest::new().with_id(id);
                    let task: Shared<Task> = self
                        .client
                        .unary(Operation::GET, &context, &mut request)
                        .await?;
                    Start::Task(task.into_inner())
                }
                Err(error) => return Err(error),
            };
            let events: EventStream<StreamResponse> =
                Follow::start(self.client.clone(), context, start);
            Ok(Updates::new(self.client, events))
        })
    }
}
