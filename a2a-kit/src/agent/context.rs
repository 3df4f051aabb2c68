//! What an agent knows about the message that it works on, and how it reports news.

use std::fmt;
use std::sync::Arc;

use a2a_wire::types::Struct;
use a2a_wire::v1_0::{Artifact, Message, Task, TaskState};
use tokio_util::sync::CancellationToken;

use super::parts::text_of;
use super::{AgentError, AgentMessage, ArtifactWriter, artifact};
use crate::engine::{TaskReader, TurnHandle};
use crate::{CallContext, Caller, Shared};

/// What came along with a message.
#[derive(Debug, Clone)]
pub(crate) struct Envelope {
    pub(crate) call: CallContext,
    pub(crate) tenant: Arc<str>,
    pub(crate) metadata: Option<Struct>,
    pub(crate) accepted_output_modes: Vec<String>,
}

impl Envelope {
    fn tenant(&self) -> Option<&str> {
        Some(&*self.tenant).filter(|tenant| !tenant.is_empty())
    }
}

/// One turn of a task: the message, what came before it, and ways to report news.
///
/// Cheap to clone. What is read from it is as it was when the turn began; news is written to the
/// task at once and in the order of the calls. Once the task has ended (because it was canceled,
/// say), news is refused with an error for which [`AgentError::is_ended`] is true.
#[derive(Clone)]
pub struct TaskContext(Arc<Turn>);

struct Turn {
    facts: TurnFacts,
    handle: TurnHandle,
}

pub(crate) struct TurnFacts {
    /// The task as the turn begins.
    pub(crate) task: Task,
    /// How much of its history comes before the message.
    pub(crate) earlier: usize,
    pub(crate) message: Message,
    pub(crate) envelope: Envelope,
}

impl TaskContext {
    pub(crate) fn new(facts: TurnFacts, handle: TurnHandle) -> Self {
        Self(Arc::new(Turn { facts, handle }))
    }

    /// Id of the task.
    #[must_use]
    pub fn task_id(&self) -> &str {
        &self.0.facts.task.id
    }

    /// Id of the conversation that the task belongs to.
    #[must_use]
    pub fn context_id(&self) -> &str {
        &self.0.facts.task.context_id
    }

    /// The tenant that the call is for.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.0.facts.envelope.tenant()
    }

    /// The call that brought the message: headers, extensions, version, binding.
    #[must_use]
    pub fn call(&self) -> &CallContext {
        &self.0.facts.envelope.call
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.call().caller()
    }

    /// The message that this turn is about.
    #[must_use]
    pub fn message(&self) -> &Message {
        &self.0.facts.message
    }

    /// The texts of the message, one per line; parts of other kinds are passed over.
    #[must_use]
    pub fn text(&self) -> String {
        text_of(self.message())
    }

    /// What was said in this task before the message, by both sides, oldest first. Empty in the
    /// first turn.
    #[must_use]
    pub fn history(&self) -> &[Message] {
        let Turn { facts, .. } = &*self.0;
        facts.task.history.get(..facts.earlier).unwrap_or_default()
    }

    /// The task as it was when the turn began, with the artifacts of earlier turns.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.0.facts.task
    }

    /// Facts about the call as a whole, from the client; those about the message are in
    /// [`Message::metadata`].
    #[must_use]
    pub fn metadata(&self) -> Option<&Struct> {
        self.0.facts.envelope.metadata.as_ref()
    }

    /// Media types that the client can take; empty when it did not say.
    #[must_use]
    pub fn accepted_output_modes(&self) -> &[String] {
        &self.0.facts.envelope.accepted_output_modes
    }

    /// The tasks that the message refers to, in its order.
    ///
    /// # Errors
    /// When one of them has been forgotten since the message arrived, or the store fails.
    pub async fn referenced_tasks(&self) -> Result<Vec<Shared<Task>>, AgentError> {
        self.0
            .handle
            .reader()
            .read_all(&self.message().reference_task_ids)
            .await
    }

    /// Fires when the task is canceled, runs out of time, or is taken over by another process.
    ///
    /// The execution has a moment to clean up; then it is dropped.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.handle.token()
    }

    /// True once [`TaskContext::cancellation`] has fired.
    #[must_use]
    pub fn is_canceled(&self) -> bool {
        self.cancellation().is_cancelled()
    }

    /// Says that work has begun, without words.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn begin(&self) -> Result<(), AgentError> {
        self.0.handle.status(TaskState::Working, None).await
    }

    /// Says what is being worked on.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn working(&self, message: impl Into<AgentMessage> + Send) -> Result<(), AgentError> {
        self.0
            .handle
            .status(TaskState::Working, Some(message.into()))
            .await
    }

    /// Says that the client must grant something, as the message explains, while this execution
    /// goes on: streams stay open. Call [`TaskContext::working`] when it has been granted by
    /// another way, or wait for a message with [`TaskContext::next_message`]; a message from the
    /// client sets the task to working, and still grants nothing by itself.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn auth_required(
        &self,
        message: impl Into<AgentMessage> + Send,
    ) -> Result<(), AgentError> {
        self.0
            .handle
            .status(TaskState::AuthRequired, Some(message.into()))
            .await
    }

    /// Asks the client something and waits for its answer, as long as it takes.
    ///
    /// The execution waits in memory. A question that must survive a restart is asked by returning
    /// [`Reply::input_required`](super::Reply::input_required).
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn ask(
        &self,
        question: impl Into<AgentMessage> + Send,
    ) -> Result<Message, AgentError> {
        self.0
            .handle
            .status(TaskState::InputRequired, Some(question.into()))
            .await?;
        self.next_message().await
    }

    /// The next message that the client sends to this task while it is executed, as soon as there
    /// is one.
    ///
    /// A message that nobody takes starts another execution if this one ends with a question;
    /// otherwise it stays in the history.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn next_message(&self) -> Result<Message, AgentError> {
        self.0.handle.next_message().await
    }

    /// Hands over a whole artifact. One with the id of an earlier artifact takes its place.
    ///
    /// # Errors
    /// When the task has ended meanwhile, or the artifact has no content.
    pub async fn artifact(&self, artifact: impl Into<Artifact> + Send) -> Result<(), AgentError> {
        self.artifact_chunk(artifact.into(), false, true).await
    }

    /// Starts an artifact with this name, to be handed over piece by piece.
    #[must_use]
    pub fn write_artifact(&self, name: impl Into<String>) -> ArtifactWriter<'_> {
        ArtifactWriter::new(self, artifact(name, super::Parts::default()))
    }

    /// Starts an artifact, to be handed over piece by piece. Parts of `head` are left out.
    #[must_use]
    pub fn write_artifact_as(&self, head: Artifact) -> ArtifactWriter<'_> {
        ArtifactWriter::new(self, head)
    }

    /// Hands over a piece of an artifact in the protocol's own terms; [`ArtifactWriter`] gets them
    /// right by itself.
    ///
    /// # Errors
    /// When the task has ended meanwhile. When the piece has no content, or `append` is set for an
    /// artifact that is unknown or closed: then the task fails, too, since its client could make
    /// no sense of the artifact.
    pub async fn artifact_chunk(
        &self,
        piece: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), AgentError> {
        self.0.handle.artifact(piece, append, last_chunk).await
    }
}

impl fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskContext")
            .field("task_id", &self.task_id())
            .field("context_id", &self.context_id())
            .field("message", &self.message())
            .finish_non_exhaustive()
    }
}

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

    /// The tasks that the message refers to, in its order.
    ///
    /// # Errors
    /// When one of them has been forgotten since the message arrived, or the store fails.
    pub async fn referenced_tasks(&self) -> Result<Vec<Shared<Task>>, AgentError> {
        self.reader.read_all(&self.message.reference_task_ids).await
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
