//! What the author of an agent writes: the [`Agent`] trait and what its methods take and give.
//!
//! Comes in: a message, with the task that it belongs to ([`TaskContext`]). Goes out: news while
//! the work goes on, and how it ended ([`Reply`]). Everything between a client and this trait
//! (bindings, states, streams, storage) is the engine's.

mod artifact;
mod authorization;
mod context;
mod erased;
mod error;
mod parts;
mod reply;
mod restart;

use std::future::Future;

use a2a_wire::types::Struct;
use a2a_wire::v1_0::{Message, Task};

pub use artifact::ArtifactWriter;
pub use authorization::{AuthHandle, Granted};
pub use context::{CancelContext, MessageContext, TaskContext, Turn};
pub(crate) use context::{Envelope, TurnFacts};
pub(crate) use erased::DynAgent;
pub use error::AgentError;
pub(crate) use error::UNEXPECTED;
pub use parts::{AgentMessage, Parts, artifact};
pub(crate) use reply::Finish;
pub use reply::Reply;
pub use restart::OnRestart;

use crate::{CallContext, Error};

/// An agent: what happens when a message arrives.
///
/// The smallest one:
///
/// ```
/// use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext};
///
/// struct Echo;
///
/// impl Agent for Echo {
///     async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
///         Ok(Reply::completed().with_message(task.text()))
///     }
/// }
/// ```
///
/// A conversation is a task that is executed once per turn: an execution that ends with
/// [`Reply::input_required`] is followed by another one when the answer arrives, with the earlier
/// turns in [`TaskContext::history`]. So nothing has to be kept in memory between the turns:
///
/// ```
/// # use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext, artifact};
/// struct Booking;
///
/// impl Agent for Booking {
///     async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
///         if task.history().is_empty() {
///             return Ok(Reply::input_required("For which day?"));
///         }
///         task.working("Looking for a seat").await?;
///         let ticket = artifact("ticket", format!("Seat 12 on {}", task.text()));
///         Ok(Reply::completed().with_artifact(ticket))
///     }
/// }
/// ```
pub trait Agent: Send + Sync + 'static {
    /// Looks at a message before anything is written: refuses it, or says whether it makes a task
    /// (which is the default) or is answered at once by [`Agent::answer`].
    ///
    /// # Errors
    /// What the client is to be told instead, for example
    /// `Error::invalid_field("message.parts[0].data.region", "is no region")`. For a message that
    /// was understood but that the agent will not work on, make a task and end it with
    /// [`Reply::rejected`].
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        let _ = incoming;
        Ok(Handling::task())
    }

    /// Works on one turn of a task.
    ///
    /// The task exists before this is called, and goes on if the client leaves. An error or a
    /// panic ends it as failed. When the task is canceled meanwhile,
    /// [`TaskContext::cancellation`] fires, and the methods that report news return an error that
    /// `?` hands on; what this returns then no longer matters.
    fn execute(&self, task: TaskContext) -> impl Future<Output = Result<Reply, AgentError>> + Send;

    /// Decides what becomes of a task that a process has left in the middle of a turn, because it
    /// crashed or was stopped. The default fails it. Turns that have ended with a question
    /// ([`Reply::input_required`]) are not asked about: they go on with the answer, wherever.
    ///
    /// ```
    /// use a2a_kit::agent::{Agent, AgentError, OnRestart, Reply, TaskContext};
    /// use a2a_kit::v1_0::Task;
    ///
    /// struct Interview;
    ///
    /// impl Agent for Interview {
    ///     async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
    ///         let name = task.ask("What is your name?").await?;
    ///         let age = task.ask("How old are you?").await?;
    ///         Ok(Reply::completed().with_message(format!("{:?} {:?}", name.parts, age.parts)))
    ///     }
    ///
    ///     fn on_restart(&self, _task: &Task) -> OnRestart {
    ///         OnRestart::Replay
    ///     }
    /// }
    /// ```
    fn on_restart(&self, task: &Task) -> OnRestart {
        let _ = task;
        OnRestart::Fail
    }

    /// Answers a message for which [`Agent::accept`] said [`Handling::message`].
    ///
    /// # Errors
    /// What the client is told instead.
    fn answer(
        &self,
        message: MessageContext,
    ) -> impl Future<Output = Result<AgentMessage, AgentError>> + Send {
        let _ = message;
        async {
            Err(AgentError::new(
                "this agent answers no message directly: Agent::answer is not written",
            ))
        }
    }

    /// Decides whether a task may be canceled, and undoes what should be undone. Called before
    /// the task changes; the default allows it.
    ///
    /// # Errors
    /// Why the task goes on; the client is told that it cannot be canceled.
    fn cancel(&self, task: CancelContext) -> impl Future<Output = Result<(), AgentError>> + Send {
        let _ = task;
        async { Ok(()) }
    }
}

/// A message that has arrived and has not been taken on yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct Incoming<'a> {
    /// The message.
    pub message: &'a Message,
    /// Facts about the call as a whole, from the client.
    pub metadata: Option<&'a Struct>,
    /// The call that brought it.
    pub call: &'a CallContext,
    /// The tenant that it is for.
    pub tenant: Option<&'a str>,
    /// The task that it goes on with; `None` when it would start one.
    pub task: Option<&'a Task>,
    /// It would begin an execution. False when it is for one that is going on, or that waits for
    /// the answer to a question.
    pub begins_turn: bool,
}

/// How a message is handled: see [`Agent::accept`].
#[derive(Debug, Clone, PartialEq)]
pub struct Handling {
    pub(crate) directly: bool,
    pub(crate) metadata: Struct,
}

impl Handling {
    /// The message starts a task, or goes on with the one that it names.
    #[must_use]
    pub fn task() -> Self {
        Self {
            directly: false,
            metadata: Struct::default(),
        }
    }

    /// The message is answered by a message; there is no task.
    #[must_use]
    pub fn message() -> Self {
        Self {
            directly: true,
            metadata: Struct::default(),
        }
    }

    /// Sets an entry in the metadata of the task that the message starts, or resumes after it
    /// waited for its client. A message to a task that is being executed leaves it as it is.
    #[must_use]
    pub fn with_metadata(
        mut self,
        key: impl Into<String>,
        value: impl Into<serde_json::Value>,
    ) -> Self {
        self.metadata.0.insert(key.into(), value.into());
        self
    }
}
