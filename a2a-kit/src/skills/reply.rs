//! What a skill gives: results become replies.
//!
//! Comes in: the result of a skill method, and the task that it is for. Goes out: a [`Reply`]; a
//! stream is handed over on the way.

use std::future::{Future, ready};

use a2a_wire::v1_0::{Artifact, Part};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::chunks::Chunks;
use super::failure::{self, Failure, FailureReason};
use super::sealed::Sealed;
use super::{File, Json, Parts, Text, schema};
use crate::Error;
use crate::agent::{AgentError, Reply, TaskContext, artifact};
use crate::contract::SKILL_SCHEMAS_URI;

/// What a skill may return.
///
/// The kit's own types only: what a skill gives has to be known before it runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a skill",
    label = "not a reply",
    note = "a skill returns text, `Json<T>` (with `T: Serialize + JsonSchema`), `File`, `Parts`, `Artifact`, `Vec<Artifact>`, `Chunks`, `Reply`, `()`, or a `Result` of these with `SkillError` or a type that derives `Failure`"
)]
pub trait IntoReply: Sealed + Sized + Send {
    /// It is handed over piece by piece, for which the agent needs the capability to stream.
    const STREAMS: bool = false;

    /// Adds what it gives to what the skill gives.
    #[doc(hidden)]
    fn describe(gives: &mut Gives);

    /// Makes the reply.
    #[doc(hidden)]
    fn into_reply(
        self,
        target: Target<'_>,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send;
}

/// What a skill gives.
#[derive(Debug, Default)]
pub struct Gives {
    /// Kinds of parts.
    pub(crate) text: bool,
    pub(crate) data: bool,
    pub(crate) files: bool,
    pub(crate) anything: bool,
    pub(crate) schema: Option<fn() -> Schema>,
    pub(crate) reasons: &'static [FailureReason],
}

/// Where a reply goes.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub(crate) task: &'a TaskContext,
    /// The skill's id, which names artifacts that have no name of their own.
    pub(crate) name: &'a str,
}

impl Target<'_> {
    fn complete(self, content: impl Into<Parts>) -> Reply {
        Reply::completed().with_artifact(artifact(self.name, content))
    }
}

/// The data of an output.
///
/// # Errors
/// `InvalidAgentResponseError` when it has no JSON, as maps with keys that are no texts.
pub(super) fn to_parts(value: &impl Serialize) -> Result<Parts, Error> {
    serde_json::to_value(value)
        .map(Parts::from)
        .map_err(|error| {
            Error::invalid_agent_response(format!(
                "the agent's result has no form in JSON: {error}"
            ))
        })
}

/// A result that is not what the agent promises fails its task: there is no call any more to which
/// it could be an answer.
pub(super) fn invalid(error: &Error) -> Reply {
    tracing::error!("a skill broke its own promise: {error}");
    let reason = error.reason().unwrap_or_default();
    Reply::failed(failure::words(reason, error.message()))
}

macro_rules! contents {
    ($($type:ty: $kind:ident, $value:ident => $parts:expr;)*) => {$(
        impl Sealed for $type {}

        impl IntoReply for $type {
            fn describe(gives: &mut Gives) {
                gives.$kind = true;
            }

            fn into_reply(self, target: Target<'_>) -> impl Future<Output = Result<Reply, AgentError>> + Send {
                let $value = self;
                ready(Ok(target.complete($parts)))
            }
        }
    )*};
}

contents! {
    String: text, text => text;
    &str: text, text => text;
    std::borrow::Cow<'_, str>: text, text => text.into_owned();
    Part: anything, part => part;
}

impl IntoReply for Text {
    fn describe(gives: &mut Gives) {
        gives.text = true;
    }

    fn into_reply(
        self,
        target: Target<'_>,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        ready(Ok(target.complete(self.0)))
    }
}

impl IntoReply for Parts {
    fn describe(gives: &mut Gives) {
        gives.anything = true;
    }

    /// No parts are no artifact.
    fn into_reply(
        self,
        target: Target<'_>,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        ready(Ok(match self.is_empty() {
            true => Reply::completed(),
            false => target.complete(self),
        }))
    }
}

impl IntoReply for () {
    fn describe(_: &mut Gives) {}

    fn into_reply(self, _: Target<'_>) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        ready(Ok(Reply::completed()))
    }
}

impl<T: Serialize + JsonSchema + Send> IntoReply for Json<T> {
    fn describe(gives: &mut Gives) {
        gives.data = true;
        gives.schema = Some(schema::of_output::<T>);
    }

    fn into_reply(
        self,
        target: Target<'_>,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        ready(Ok(match to_parts(&self.0) {
            Ok(parts) => {
                // By this, clients tell the result from other artifacts.
                let result = artifact(target.name, parts).with_extensions([SKILL_SCHEMAS_URI]);
                Reply::completed().with_artifact(result)
            }
            Err(error) => invalid(&error),
        }))
    }
}

impl IntoReply for File {
    fn describe(gives: &mut Gives) {
        gives.files = true;
    }

    /// The artifact is called as the file is.
    fn into_reply(
        self,
        target: Target<'_>,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        let name = match &*self.name {
            "" => target.name.to_owned(),
            name => name.to_owned(),
        };
        ready(Ok(Reply::completed().with_artifact(artifact(name, self))))
    }
}

impl Sealed for Artifact {}

impl IntoReply for Artifact {
    fn describe(gives: &mut Gives) {
        gives.anything = true;
    }

    fn into_reply(self, _: Target<'_>) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        ready(Ok(Reply::completed().with_artifact(self)))
    }
}

impl Sealed for Vec<Artifact> {}

impl IntoReply for Vec<Artifact> {
    fn describe(gives: &mut Gives) {
        gives.anything = true;
    }

    fn into_reply(self, _: Target<'_>) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        let reply = Reply::completed();
        ready(Ok(self.into_iter().fold(reply, Reply::with_artifact)))
    }
}

impl Sealed for Reply {}

impl IntoReply for Reply {
    fn describe(gives: &mut Gives) {
        gives.anything = true;
    }

    fn into_reply(self, _: Target<'_>) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        ready(Ok(self))
    }
}

impl IntoReply for Chunks {
    const STREAMS: bool = true;

    fn describe(gives: &mut Gives) {
        gives.text = true;
    }

    fn into_reply(
        self,
        target: Target<'_>,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        self.hand_over(target.task, target.name)
    }
}

impl<T, E> Sealed for Result<T, E> {}

impl<T: IntoReply, E: Failure> IntoReply for Result<T, E> {
    const STREAMS: bool = T::STREAMS;

    fn describe(gives: &mut Gives) {
        T::describe(gives);
        gives.reasons = E::REASONS;
    }

    async fn into_reply(self, target: Target<'_>) -> Result<Reply, AgentError> {
        match self {
            Ok(value) => value.into_reply(target).await,
            Err(error) => failure::reply(error),
        }
    }
}
