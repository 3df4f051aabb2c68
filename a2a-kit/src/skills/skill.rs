//! One skill: its entry in the card, what it takes and gives, and the method behind it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use a2a_wire::v1_0::{AgentSkill, Message};

use super::extract::{Inputs, Misfit, Wants};
use super::message::IntoMessage;
use super::reply::{Gives, IntoReply, Target};
use crate::BoxFuture;
use crate::agent::{AgentError, AgentMessage, MessageContext, OnRestart, Reply, TaskContext};

/// A skill of an agent `A`. Written by `#[a2a_skills]`.
pub struct Skill<A> {
    pub(super) entry: AgentSkill,
    pub(super) wants: Wants,
    pub(super) gives: Gives,
    pub(super) check: fn(&Message) -> Result<(), Misfit>,
    pub(super) method: Method<A>,
    pub(super) is_default: bool,
    pub(super) is_extended: bool,
    pub(super) on_restart: OnRestart,
}

/// The method behind a skill, its parameters forgotten.
pub(super) enum Method<A> {
    Task(TaskMethod<A>),
    Message(MessageMethod<A>),
}

type TaskMethod<A> = Box<
    dyn for<'a> Fn(&'a A, TaskContext) -> BoxFuture<'a, Result<Reply, AgentError>> + Send + Sync,
>;
type MessageMethod<A> = Box<
    dyn for<'a> Fn(&'a A, MessageContext) -> BoxFuture<'a, Result<AgentMessage, AgentError>>
        + Send
        + Sync,
>;

type OfTask<A, I> = for<'a> fn(&'a A, &'a TaskTurn<I>) -> BoxFuture<'a, Result<Reply, AgentError>>;
type OfMessage<A, I> =
    for<'a> fn(&'a A, &'a MessageTurn<I>) -> BoxFuture<'a, Result<AgentMessage, AgentError>>;

impl<A: Sync + 'static> Skill<A> {
    /// A skill that works on tasks. `I` is what its method takes, `O` what it returns.
    #[must_use]
    pub fn task<I: Inputs, O: IntoReply>(entry: AgentSkill, method: OfTask<A, I>) -> Self {
        let name: Arc<str> = Arc::from(&*entry.id);
        let run: TaskMethod<A> = Box::new(move |agent, task| {
            let name = Arc::clone(&name);
            Box::pin(async move {
                match I::extract(task.message()) {
                    Ok(inputs) => {
                        let inputs = Once::new(inputs);
                        method(agent, &TaskTurn { task, inputs, name }).await
                    }
                    // The answer to a question is not lost on a wrong one.
                    Err(misfit) if !task.history().is_empty() => Ok(Reply::input_required(
                        misfit.into_error().message().to_owned(),
                    )),
                    Err(misfit) => Err(misfit.into_error().into()),
                }
            })
        });
        let mut gives = Gives::default();
        O::describe(&mut gives);
        Self::new::<I>(entry, gives, Method::Task(run))
    }

    /// A skill that answers without a task.
    #[must_use]
    pub fn message<I: Inputs, O: IntoMessage>(entry: AgentSkill, method: OfMessage<A, I>) -> Self {
        let run: MessageMethod<A> = Box::new(move |agent, message| {
            Box::pin(async move {
                let inputs = I::extract(message.message()).map_err(Misfit::into_error)?;
                let inputs = Once::new(inputs);
                method(agent, &MessageTurn { message, inputs }).await
            })
        });
        let mut gives = Gives::default();
        O::describe(&mut gives);
        Self::new::<I>(entry, gives, Method::Message(run))
    }

    fn new<I: Inputs>(entry: AgentSkill, gives: Gives, method: Method<A>) -> Self {
        Self {
            entry,
            wants: I::wants(),
            gives,
            check: I::check,
            method,
            is_default: false,
            is_extended: false,
            on_restart: OnRestart::default(),
        }
    }

    /// Takes the messages for which no other skill can be found.
    #[must_use]
    pub fn default_skill(mut self) -> Self {
        self.is_default = true;
        self
    }

    /// Only callers who are known have it, and only the extended card shows it.
    #[must_use]
    pub fn extended(mut self) -> Self {
        self.is_extended = true;
        self
    }
}

impl<A> Skill<A> {
    /// What becomes of its tasks when the agent is stopped in the middle of a turn.
    #[must_use]
    pub fn on_restart(mut self, policy: OnRestart) -> Self {
        self.on_restart = policy;
        self
    }

    pub(super) fn id(&self) -> &str {
        &self.entry.id
    }
}

impl<A> fmt::Debug for Skill<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill")
            .field("id", &self.entry.id)
            .field("wants", &self.wants)
            .field("gives", &self.gives)
            .field("is_default", &self.is_default)
            .field("is_extended", &self.is_extended)
            .finish_non_exhaustive()
    }
}

/// The values of a skill's parameters, until its method takes them.
struct Once<I>(Mutex<Option<I>>);

impl<I> Once<I> {
    fn new(inputs: I) -> Self {
        Self(Mutex::new(Some(inputs)))
    }

    fn take(&self) -> Result<I, AgentError> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| AgentError::new("the inputs of a skill were asked for twice"))
    }
}

/// One turn of a task, as the code of `#[a2a_skills]` sees it.
pub struct TaskTurn<I> {
    task: TaskContext,
    inputs: Once<I>,
    name: Arc<str>,
}

impl<I> TaskTurn<I> {
    /// The values of the parameters, once.
    ///
    /// # Errors
    /// When they were asked for before.
    pub fn inputs(&self) -> Result<I, AgentError> {
        self.inputs.take()
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &TaskContext {
        &self.task
    }

    /// Makes the reply of what the method returned, and hands a stream over.
    ///
    /// # Errors
    /// The method's own, or that of the stream.
    pub async fn reply<O: IntoReply>(&self, output: O) -> Result<Reply, AgentError> {
        let target = Target {
            task: &self.task,
            name: &self.name,
        };
        output.into_reply(target).await
    }
}

impl<I> fmt::Debug for TaskTurn<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskTurn")
            .field("task", &self.task)
            .field("skill", &self.name)
            .finish_non_exhaustive()
    }
}

/// A message that is answered without a task, as the code of `#[a2a_skills]` sees it.
pub struct MessageTurn<I> {
    message: MessageContext,
    inputs: Once<I>,
}

impl<I> MessageTurn<I> {
    /// The values of the parameters, once.
    ///
    /// # Errors
    /// When they were asked for before.
    pub fn inputs(&self) -> Result<I, AgentError> {
        self.inputs.take()
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &MessageContext {
        &self.message
    }

    /// Makes the answer of what the method returned.
    ///
    /// # Errors
    /// The method's own.
    #[allow(
        clippy::unused_async,
        reason = "written by the macro as that of a task is"
    )]
    pub async fn reply<O: IntoMessage>(&self, output: O) -> Result<AgentMessage, AgentError> {
        output.into_message()
    }
}

impl<I> fmt::Debug for MessageTurn<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageTurn")
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}
