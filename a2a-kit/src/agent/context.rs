//! What an agent knows about the message that it works on, and how it reports news.

mod conversation;
mod direct;

use std::fmt;
use std::sync::Arc;

use a2a_wire::types::Struct;
use a2a_wire::v1_0::{Artifact, Message, Task, TaskState};
use tokio_util::sync::CancellationToken;

use super::parts::text_of;
use super::{AgentError, AgentMessage, ArtifactWriter, AuthHandle, Granted, artifact};
use crate::engine::TurnHandle;
use crate::{CallContext, Caller, Shared};
pub use conversation::Turn;
pub use direct::{CancelContext, MessageContext};

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

    fn accepts(&self, media_type: &str) -> bool {
        self.accepted_output_modes.is_empty()
            || crate::engine::accepts(&self.accepted_output_modes, media_type)
    }
}

/// One turn of a task: the message, what came before it, and ways to report news.
///
/// Cheap to clone. What is read from it is as it was when the turn began; news is written to the
/// task at once and in the order of the calls. Once the task has ended (because it was canceled,
/// say), news is refused with an error for which [`AgentError::is_ended`] is true.
#[derive(Clone)]
pub struct TaskContext(Arc<Inner>);

struct Inner {
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
    /// What is the same whenever this turn is executed, and never for another one.
    pub(crate) operation: String,
}

impl TaskContext {
    pub(crate) fn new(facts: TurnFacts, handle: TurnHandle) -> Self {
        Self(Arc::new(Inner { facts, handle }))
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

    /// An id of this turn, for calls that must not be made twice: the same when the turn is executed
    /// again after a restart, and never that of another turn or task. Of several calls in a turn,
    /// each needs an addition of its own.
    ///
    /// ```
    /// # use a2a_kit::agent::TaskContext;
    /// fn idempotency_key(task: &TaskContext) -> String {
    ///     format!("{}-payment", task.operation_id())
    /// }
    /// ```
    #[must_use]
    pub fn operation_id(&self) -> &str {
        &self.0.facts.operation
    }

    /// The tenant that the call is for.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.0.facts.envelope.tenant()
    }

    /// The call that brought the message: headers, extensions, version, binding.
    ///
    /// Of a message that another process has taken in, and of a turn that is executed again after a
    /// restart, no more is known than whose task it is: the caller is the task's owner, without
    /// scopes and claims, and there are no headers, extensions and accepted output modes.
    #[must_use]
    pub fn call(&self) -> &CallContext {
        &self.0.facts.envelope.call
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.call().caller()
    }

    /// URIs of the extensions that the client asked for.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        self.call().extensions()
    }

    /// URIs of the extensions in use for this call: those that the card declares and the client
    /// asked for, and those that [`CallContext::activate_extension`] has added.
    #[must_use]
    pub fn activated_extensions(&self) -> Vec<String> {
        self.call().activated_extensions()
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
        let Inner { facts, .. } = &*self.0;
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

    /// Whether the client can take this media type. It can take anything when it did not say.
    ///
    /// ```
    /// # use a2a_kit::agent::TaskContext;
    /// fn report_type(task: &TaskContext) -> &'static str {
    ///     if task.accepts("application/json") { "application/json" } else { "text/plain" }
    /// }
    /// ```
    #[must_use]
    pub fn accepts(&self, media_type: &str) -> bool {
        self.0.facts.envelope.accepts(media_type)
    }

    /// The earlier turns of the conversation, oldest first: each message of the client, with what
    /// the agent said to it. Empty in the first turn.
    ///
    /// ```
    /// # use a2a_kit::agent::{AgentError, Reply, TaskContext};
    /// async fn execute(task: TaskContext) -> Result<Reply, AgentError> {
    ///     let Some(first) = task.turns().next() else {
    ///         return Ok(Reply::input_required("For which day?"));
    ///     };
    ///     Ok(Reply::completed().with_message(format!("{} on {}", first.text(), task.text())))
    /// }
    /// ```
    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> {
        conversation::turns(self.history())
    }

    /// The tasks that the message refers to, in its order.
    ///
    /// # Errors
    /// When one of them has been forgotten since the message arrived, or the store fails.
    pub async fn referenced_tasks(&self) -> Result<Vec<Shared<Task>>, AgentError> {
        self.0
            .handle
            .reader()
            .read_all(self.call(), &self.message().reference_task_ids)
            .await
    }

    /// Other tasks of the same context that the caller may see: the `limit` newest ones, at most
    /// 100, with history and artifacts.
    ///
    /// # Errors
    /// When the store fails, or the caller may list no tasks.
    pub async fn context_tasks(&self, limit: usize) -> Result<Vec<Task>, AgentError> {
        let reader = self.0.handle.reader();
        reader
            .in_context(self.call(), self.context_id(), self.task_id(), limit)
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
        self.0.handle.news(TaskState::Working, None).await
    }

    /// Says what is being worked on.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn working(&self, message: impl Into<AgentMessage> + Send) -> Result<(), AgentError> {
        self.0
            .handle
            .news(TaskState::Working, Some(message.into()))
            .await
    }

    /// Says that the client must grant something, as the message explains, while this execution
    /// goes on: streams stay open. [`TaskContext::require_auth`] also waits for it. Without it, call
    /// [`TaskContext::working`] when it has been granted by another way, or wait for a message with
    /// [`TaskContext::next_message`]; a message from the client sets the task to working, and still
    /// grants nothing by itself.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn auth_required(
        &self,
        message: impl Into<AgentMessage> + Send,
    ) -> Result<(), AgentError> {
        self.0
            .handle
            .news(TaskState::AuthRequired, Some(message.into()))
            .await
    }

    /// Asks the client for an authorization, as the message explains, and waits for it: for a
    /// [`AuthHandle::grant`], which comes by another way than this protocol, or for a message.
    /// Meanwhile the task is in the state `AUTH_REQUIRED` and its streams stay open.
    ///
    /// **The state authorizes nothing, and neither does a message** (specification 7.6): what the
    /// agent may do, it must decide by what it got. A message is for negotiating, correcting and
    /// declining, unless both sides have agreed that it carries a credential.
    ///
    /// ```
    /// use a2a_kit::agent::{AgentError, AuthHandle, Granted, Reply, TaskContext};
    ///
    /// async fn execute(task: TaskContext, store: impl Fn(&str, AuthHandle)) -> Result<Reply, AgentError> {
    ///     // The page to which the sign-in leads back finds the handle by the state in its address.
    ///     let state = task.operation_id();
    ///     store(state, task.auth_handle());
    ///     let ask = format!("Sign in at https://example.com/sign-in?state={state}");
    ///     match task.require_auth(ask).await? {
    ///         Granted::OutOfBand(_token) => Ok(Reply::completed().with_message("Booked")),
    ///         Granted::Message(_) => Ok(Reply::rejected("This needs you to sign in")),
    ///         _ => Ok(Reply::failed("unknown")),
    ///     }
    /// }
    /// ```
    ///
    /// After a restart with [`OnRestart::Replay`](super::OnRestart::Replay) it is asked for again if
    /// it had been granted: what was granted is kept nowhere.
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn require_auth(
        &self,
        message: impl Into<AgentMessage> + Send,
    ) -> Result<Granted, AgentError> {
        self.0.handle.require_auth(message.into()).await
    }

    /// A handle by which the next [`TaskContext::require_auth`] of this execution is granted. It can
    /// be kept anywhere, and used before that has been called.
    #[must_use]
    pub fn auth_handle(&self) -> AuthHandle {
        AuthHandle::new(self.task_id(), self.0.handle.grants())
    }

    /// Asks the client something and waits for its answer, as long as it takes.
    ///
    /// The execution waits in memory. When the process ends meanwhile, the task is failed or its
    /// turn executed again, as [`Agent::on_restart`](super::Agent::on_restart) says. A question that
    /// needs neither is asked by returning
    /// [`Reply::input_required`](super::Reply::input_required).
    ///
    /// # Errors
    /// When the task has ended meanwhile.
    pub async fn ask(
        &self,
        question: impl Into<AgentMessage> + Send,
    ) -> Result<Message, AgentError> {
        self.0.handle.ask(question.into()).await
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
