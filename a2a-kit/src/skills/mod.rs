//! Agents from a struct with skill methods: what `#[a2a_agent]` and `#[a2a_skills]` stand on.
//!
//! Comes in: what the two macros say of a struct ([`AgentSpec`], [`Skills`]). Goes out: its card,
//! and an [`Agent`](crate::agent::Agent) that hands each message to the skill that it is for. It
//! knows the agent's side of the kit and neither bindings nor stores.
//!
//! A skill is a method. What it takes is put together from the message by [extractors](Extract);
//! what it gives is made a reply by [`IntoReply`]:
//!
//! | parameter | takes |
//! |---|---|
//! | [`Text`] | all text parts; at least one |
//! | [`Json<T>`](Json) | one data part that fits `T` |
//! | [`File`] | one file, as bytes or by its address |
//! | [`Parts`] | what the other parameters leave |
//! | [`Message`] | the message as it came |
//! | `Option<X>` | the same, if it is there |
//! | `&TaskContext` | the task: history, caller, progress, questions |
//!
//! A part that no parameter takes is refused, so that nothing a client sends is lost in silence.
//! A skill whose only parameter is the context takes all.
//!
//! | result | becomes |
//! |---|---|
//! | text, [`Json<T>`](Json), [`Parts`], [`File`] | a completed task with one artifact |
//! | [`Artifact`](crate::v1_0::Artifact), a list of them | a completed task with these |
//! | `()` | a completed task |
//! | [`Chunks`] | a completed task with an artifact that is handed over piece by piece |
//! | [`Reply`](crate::agent::Reply) | what it says |
//! | `Result<X, E>` | the same, or a failed task with the reason that the [`Failure`] gives |
//!
//! # Which skill
//!
//! The one that the message names in its metadata under [`SKILL_KEY`] (or the request in its own);
//! else the only one; else the only one that takes these parts; else the default one. Else the task
//! is rejected, and told which skills there are. A message to a task goes to the task's skill.

mod app;
mod card;
mod chunks;
#[cfg(feature = "contracts")]
mod contracts;
mod dispatch;
mod extract;
mod failure;
mod file;
mod message;
mod reply;
mod requirements;
mod schema;
mod skill;
#[doc(hidden)]
pub mod typed;

pub use app::AgentApp;
pub use card::{Description, card, extended_card};
pub use chunks::Chunks;
pub use extract::{Extract, Inputs};
pub use failure::{Failure, FailureReason};
pub use file::{File, FileContent};
pub use message::IntoMessage;
pub use reply::IntoReply;
pub use skill::{MessageTurn, Skill, TaskTurn};

pub use crate::agent::AgentError as SkillError;
pub use crate::contract::{REASON_KEY, SKILL_KEY, SKILL_SCHEMAS_URI, failure_reason};
pub use crate::v1_0::Message;
pub use crate::{BoxFuture, Parts};

use std::fmt;
use std::ops::{Deref, DerefMut};

/// What `#[a2a_agent]` says of a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no agent",
    label = "write `#[a2a_agent(…)]` on this struct"
)]
pub trait AgentSpec: Sized + Send + Sync + 'static {
    /// The agent has the capability to stream.
    const STREAMING: bool;

    /// Its card, but for skills and interfaces.
    fn description() -> Description;
}

/// What `#[a2a_skills]` says of a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no skills",
    label = "write `#[a2a_skills]` on one `impl` block of this struct, and `#[skill(…)]` on its methods"
)]
pub trait Skills: AgentSpec {
    /// Its skills, in the order of the card.
    fn skills() -> Vec<Skill<Self>>;
}

/// Text: as a parameter, all text parts of the message, one per line; as a result, an artifact.
///
/// Derefs to `str`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub String);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.0
    }
}

/// Data of a type: as a parameter, the data part of the message; as a result, an artifact with
/// one. The schema of `T` is published in the agent's card.
///
/// Derefs to `T`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Json<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Json<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// Keeps others from writing extractors and replies, so that they can grow.
pub(crate) mod sealed {
    pub trait Sealed {}
}
