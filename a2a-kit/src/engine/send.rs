//! Messages are checked, answered directly, or handed on to become part of a task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use a2a_wire::v1_0::{
    Message, SendMessageConfiguration, SendMessageRequest, Task, TaskPushNotificationConfig,
    TaskState,
};
use futures_util::FutureExt as _;
use uuid::Uuid;

use super::access::{Action, Deed, Reach};
use super::check;
use super::core::{Core, not_found, said};
use super::follow::Follower;
use super::live::{Following, LiveRef, State};
use super::push;
use super::record::{is_terminal, placed};
use super::turn::TaskReader;
use crate::agent::{Envelope, Handling, Incoming, MessageContext};
use crate::store::{Scope, Watch};
use crate::{CallContext, Code, Error};

/// What came of a message.
pub(super) enum Sent {
    /// It is answered.
    Message(Message),
    /// It belongs to a task.
    Task(Box<Started>),
}

/// A task that a message has started or has been added to.
pub(super) struct Started {
    pub(super) live: LiveRef,
    pub(super) following: Following,
    /// When the task may be executed, or its log compacted, by another process.
    pub(super) watch: Option<Watch>,
    /// Where the task stood when the message was in it.
    pub(super) sequence: u64,
    /// The task as it was then, when it was asked for.
    pub(super) task: Option<Task>,
    /// How much history the caller wants.
    pub(super) history: Option<u32>,
}

/// A message that has passed all checks.
pub(super) struct Accepted {
    pub(super) scope: Scope,
    pub(super) message: Message,
    /// The task that it goes on with.
    pub(super) live: Option<LiveRef>,
    pub(super) context_id: Arc<str>,
    pub(super) handling: Handling,
    pub(super) envelope: Envelope,
    pub(super) push: Option<TaskPushNotificationConfig>,
    pub(super) history: Option<u32>,
    /// The caller reads a stream.
    pub(super) streams: bool,
    /// The caller wants the task as it is now.
    pub(super) at_once: bool,
}

impl Core {
    pub(super) async fn send(
        self: &Arc<Self>,
        call: CallContext,
        request: SendMessageRequest,
        streams: bool,
    ) -> Result<Sent, Error> {
        let accepted = self.accept(call, request, streams).await?;
        if accepted.handling.directly {
            return self.answer(accepted).await.map(Sent::Message);
        }
        let started = self
            .submit(accepted)
            .await
            .map_err(|_| Error::internal("the engine failed to take the message in"))?;
        started.map(|started| Sent::Task(Box::new(started)))
    }

    /// Checks a message. Nothing has been written when this returns.
    async fn accept(
        &self,
        call: CallContext,
        request: SendMessageRequest,
        streams: bool,
    ) -> Result<Accepted, Error> {
        let SendMessageRequest {
            tenant,
            message,
            configuration,
            metadata,
            ..
        } = request;
        let message = check::message(message)?;
        let deed = Deed {
            operation: match streams {
                true => "SendStreamingMessage",
                false => "SendMessage",
            },
            action: match &*message.task_id {
                "" => Action::Create,
                _ => Action::Write,
            },
            task: Some(&*message.task_id).filter(|id| !id.is_empty()),
        };
        let reach = self.reach(&call, tenant, deed).await?;
        let SendMessageConfiguration {
            accepted_output_modes,
            task_push_notification_config,
            history_length,
            return_immediately,
            ..
        } = configuration.unwrap_or_default();
        let history = check::history(history_length, "configuration.historyLength")?;
        let mut for_push = None;
        if let Some(config) = &task_push_notification_config {
            let operation = "CreateTaskPushNotificationConfig";
            self.require(operation)?;
            self.require_of(reach.tenant(), operation)?;
            push::check_inline(config, reach.tenant(), &message.task_id)?;
            let deed = Deed {
                operation,
                action: Action::Write,
                task: deed.task,
            };
            for_push = Some(
                self.reach_in(&call, Arc::clone(reach.tenant()), deed)
                    .await?,
            );
        }
        self.check_modes(reach.tenant(), &message)?;
        let live = self.open_for(&reach, &message).await?;
        let scope = match &live {
            Some(live) => live.key.scope.clone(),
            None => reach.for_new()?.clone(),
        };
        if for_push.is_some_and(|reach| !reach.scopes().contains(&scope)) {
            return Err(Error::new(
                Code::PermissionDenied,
                "this caller may not add webhooks to the task; leave configuration.taskPushNotificationConfig out",
            ));
        }
        for id in &message.reference_task_ids {
            let reach = self.referred(&call, reach.tenant(), id).await?;
            self.locate(&reach, id).await?;
        }
        let envelope = Envelope {
            call,
            tenant: Arc::clone(reach.tenant()),
            metadata,
            accepted_output_modes,
        };
        let (handling, context_id) = match &live {
            None => {
                let handling = self.ask_agent(&message, &envelope, None, true)?;
                let context_id = match message.context_id.as_str() {
                    "" => Arc::from(Uuid::new_v4().to_string()),
                    given => Arc::from(given),
                };
                (handling, context_id)
            }
            Some(live) => {
                let state = live.state.lock().await;
                let folded = state
                    .folded
                    .as_ref()
                    .ok_or_else(|| not_found(&message.task_id))?;
                let task = &folded.task;
                (
                    self.ask_agent(&message, &envelope, Some(task), folded.rests)?,
                    Arc::from(task.context_id.as_str()),
                )
            }
        };
        Ok(Accepted {
            scope,
            message,
            live,
            context_id,
            handling,
            envelope,
            push: task_push_notification_config,
            history,
            streams,
            at_once: streams || return_immediately,
        })
    }

    /// The task that a message names, if it may go on with it.
    async fn open_for(&self, reach: &Reach, message: &Message) -> Result<Option<LiveRef>, Error> {
        let id = message.task_id.as_str();
        if id.is_empty() {
            return Ok(None);
        }
        let (scope, head) = self.locate(reach, id).await?;
        let context_id = &*head.index.context_id;
        if !message.context_id.is_empty() && message.context_id != context_id {
            return Err(Error::invalid_field(
                "message.contextId",
                "is not the context of the task in message.taskId; leave it out, or name the context that the task was answered with",
            ));
        }
        if let Ok(state) = TaskState::try_from(head.index.state)
            && is_terminal(state)
        {
            return Err(has_ended(state));
        }
        self.open(&scope, id)
            .await?
            .ok_or_else(|| not_found(id))
            .map(Some)
    }

    /// What a call may see of a task that its message refers to.
    pub(super) async fn referred(
        &self,
        call: &CallContext,
        tenant: &Arc<str>,
        id: &str,
    ) -> Result<Reach, Error> {
        let deed = Deed {
            operation: "GetTask",
            action: Action::Read,
            task: Some(id),
        };
        self.reach_in(call, Arc::clone(tenant), deed).await
    }

    fn ask_agent(
        &self,
        message: &Message,
        envelope: &Envelope,
        task: Option<&Task>,
        begins_turn: bool,
    ) -> Result<Handling, Error> {
        let tenant = Some(&*envelope.tenant).filter(|tenant| !tenant.is_empty());
        let incoming = Incoming {
            message,
            metadata: envelope.metadata.as_ref(),
            call: &envelope.call,
            tenant,
            task,
            begins_turn,
        };
        catch_unwind(AssertUnwindSafe(|| self.agent.accept(&incoming)))
            .unwrap_or_else(|_| Err(Error::internal("the agent failed to look at the message")))
    }

    async fn answer(self: &Arc<Self>, accepted: Accepted) -> Result<Message, Error> {
        let Accepted {
            scope,
            message,
            live,
            context_id,
            envelope,
            ..
        } = accepted;
        let task_id = live
            .map(|live| live.key.task.to_string())
            .unwrap_or_default();
        let message = placed(message, &task_id, &context_id);
        let reader = TaskReader {
            core: Arc::clone(self),
            scope,
        };
        let answer = self.agent.answer(MessageContext::new(
            message,
            Arc::clone(&context_id),
            envelope,
            reader,
        ));
        let answer = AssertUnwindSafe(answer).catch_unwind();
        let answer = match self.task_timeout {
            Some(limit) => tokio::time::timeout(limit, answer).await.map_err(|_| {
                Error::new(
                    Code::DeadlineExceeded,
                    format!("the agent did not answer within {limit:?}"),
                )
            })?,
            None => answer.await,
        };
        let answer = answer.map_err(|_| {
            tracing::error!("the agent panicked while it answered a message");
            Error::internal(crate::agent::UNEXPECTED)
        })?;
        let answer = answer.map_err(|error| {
            let cause = error
                .source()
                .map(|source| source as &dyn std::error::Error);
            tracing::error!(
                error = cause,
                "the agent failed to answer a message: {error}"
            );
            error.into_error()
        })?;
        let message = said(answer).ok_or_else(|| {
            Error::invalid_agent_response("the agent answered with a message without parts")
        })?;
        Ok(placed(message, &task_id, &context_id))
    }

    /// Waits until a task that a message was sent to rests, and returns it.
    pub(super) async fn wait(self: &Arc<Self>, started: Started) -> Result<Task, Error> {
        let Started {
            live,
            following,
            watch,
            sequence,
            task,
            history,
        } = started;
        if let Some(task) = task {
            return Ok(task);
        }
        let mut follower =
            Follower::new(Arc::clone(self), live.clone(), following, watch, sequence);
        let rests_at = follower.rests().await?;
        let mut guard = live.state.lock().await;
        let state: &mut State = &mut guard;
        if state
            .folded
            .as_ref()
            .is_none_or(|folded| folded.sequence < rests_at)
        {
            self.catch_up(&live, state).await?;
        }
        let folded = state
            .folded
            .as_ref()
            .ok_or_else(|| not_found(&live.key.task))?;
        Ok(folded.view(history))
    }
}

pub(super) fn has_ended(state: TaskState) -> Error {
    Error::unsupported_operation(format!(
        "the task has ended ({}) and takes no further messages; start a new task, and name this one in referenceTaskIds",
        state.as_str_name()
    ))
}
