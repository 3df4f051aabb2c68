//! What a skill without a task gives: results become messages.
//!
//! Comes in: the result of a skill method. Goes out: an [`AgentMessage`].

use a2a_wire::v1_0::{Message, Part};
use schemars::JsonSchema;
use serde::Serialize;

use super::failure::Failure;
use super::reply::{Gives, IntoReply, to_parts};
use super::sealed::Sealed;
use super::{File, Json, Parts, Text};
use crate::agent::{AgentError, AgentMessage};
use crate::contract::SKILL_SCHEMAS_URI;

/// What a skill may return that answers with a message (`#[skill(reply = "message")]`).
///
/// An error is the answer to the call, since there is no task that could fail: its words arrive,
/// a [reason](Failure) does not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a skill with `reply = \"message\"`",
    label = "not a message",
    note = "such a skill returns text, `Json<T>` (with `T: Serialize + JsonSchema`), `File`, `Parts`, `Message`, or a `Result` of these with `SkillError` or a type that derives `Failure`"
)]
pub trait IntoMessage: Sealed + Sized + Send {
    #[doc(hidden)]
    fn describe(gives: &mut Gives);

    #[doc(hidden)]
    fn into_message(self) -> Result<AgentMessage, AgentError>;
}

macro_rules! contents {
    ($($type:ty, $value:ident => $parts:expr;)*) => {$(
        impl IntoMessage for $type {
            fn describe(gives: &mut Gives) {
                <$type as IntoReply>::describe(gives);
            }

            fn into_message(self) -> Result<AgentMessage, AgentError> {
                let $value = self;
                Ok(Parts::from($parts).into())
            }
        }
    )*};
}

contents! {
    String, text => text;
    &str, text => text;
    std::borrow::Cow<'_, str>, text => text.into_owned();
    Text, text => text.0;
    Part, part => part;
    Parts, parts => parts;
    File, file => file;
}

impl<T: Serialize + JsonSchema + Send> IntoMessage for Json<T> {
    fn describe(gives: &mut Gives) {
        <Self as IntoReply>::describe(gives);
    }

    fn into_message(self) -> Result<AgentMessage, AgentError> {
        let parts = to_parts(&self.0)?;
        let message = Message::new().with_parts(parts.0);
        Ok(message.with_extensions([SKILL_SCHEMAS_URI]).into())
    }
}

impl IntoMessage for Message {
    fn describe(gives: &mut Gives) {
        gives.anything = true;
    }

    fn into_message(self) -> Result<AgentMessage, AgentError> {
        Ok(self.into())
    }
}

impl Sealed for AgentMessage {}

impl IntoMessage for AgentMessage {
    fn describe(gives: &mut Gives) {
        gives.anything = true;
    }

    fn into_message(self) -> Result<AgentMessage, AgentError> {
        Ok(self)
    }
}

impl<T: IntoMessage, E: Failure> IntoMessage for Result<T, E> {
    fn describe(gives: &mut Gives) {
        T::describe(gives);
    }

    fn into_message(self) -> Result<AgentMessage, AgentError> {
        self.map_err(Failure::into_error)?.into_message()
    }
}
