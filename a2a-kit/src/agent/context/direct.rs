//! What an agent knows of a message that makes no task, and of a task that is to be canceled.

use std::fmt;
use std::sync::Arc;

use a2a_wire::types::Struct;
use a2a_wire::v1_0::{Message, Task};

use super::super::AgentError;
use super::super::parts::text_of;
use super::Envelope;
use crate::engine::TaskReader;
use crate::{CallContext, Caller, Shared};

/// A message that is answered without a task.
#[derive(Clone)]
pub struct MessageContext {
    message: Message,
    context_id: Arc<str>,
    envelope: Envelope,
    reader: TaskReader,
}

impl MessageContext {
    pub(crate) fn new(
        message: Message,
        context_id: Arc<str>,
        envelope: Envelope,
        reader: TaskReader,
    ) -> Self {
        Self {
            message,
            context_id,
            envelope,
            reader,
        }
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The texts of the message, one per line; parts of other kinds are passed over.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(&self.message)
    }

    /// Id of the conversation: the client's, or a new one.
    #[must_use]
    pub fn context_id(&self) -> &str {
        &self.context_id
    }

    /// The tenant that the call is for.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.envelope.tenant()
    }

    /// The call that brought the message.
    #[must_use]
    pub fn call(&self) -> &CallContext {
        &self.envelope.call
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.call().caller()
    }

    /// Facts about the call as a whole, from the client.
    #[must_use]
    pub fn metadata(&self) -> Option<&Struct> {
        self.envelope.metadata.as_ref()
    }

    /// Media types that the client can take; empty when it did not say.
    #[must_use]
    pub fn accepted_output_modes(&self) -> &[String] {
        &self.envelope.accepted_output_modes
    }

    /// Whether the client can take this media type. It can take anything when it did not say.
    #[must_use]
    pub fn accepts(&self, media_type: &str) -> bool {
        self.envelope.accepts(media_type)
    }

    /// URIs of the extensions that the client asked for.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        self.call().extensions()
    }

    /// URIs of the extensions in use for this call.
    #[must_use]
    pub fn activated_extensions(&self) -> Vec<String> {
        self.call().activated_extensions()
    }

    /// Tasks of the same context that the caller may see: the `limit` newest ones, at most 100, with
    /// history and artifacts.
    ///
    /// # Errors
    /// When the store fails, or the caller may list no tasks.
    pub async fn context_tasks(&self, limit: usize) -> Result<Vec<Task>, AgentError> {
        let (call, context) = (self.call(), self.context_id());
        self.reader.in_context(call, context, "", limit).await
    }

    /// The tasks that the message refers to, in its order.
    ///
    /// # Errors
    /// When one of them has been forgotten since the message arrived, or the store fails.
    pub async fn referenced_tasks(&self) -> Result<Vec<Shared<Task>>, AgentError> {
        self.reader
            .read_all(self.call(), &self.message.reference_task_ids)
            .await
    }
}

impl fmt::Debug for MessageContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageContext")
            .field("context_id", &self.context_id)
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}

/// A task that a client wants to cancel.
#[derive(Debug, Clone)]
pub struct CancelContext {
    task: Task,
    envelope: Envelope,
}

impl CancelContext {
    pub(crate) fn new(task: Task, envelope: Envelope) -> Self {
        Self { task, envelope }
    }

    /// The task as it is.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The tenant that the call is for.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.envelope.tenant()
    }

    /// The call that wants it.
    #[must_use]
    pub fn call(&self) -> &CallContext {
        &self.envelope.call
    }

    /// What the client says about it.
    #[must_use]
    pub fn metadata(&self) -> Option<&Struct> {
        self.envelope.metadata.as_ref()
    }
}
