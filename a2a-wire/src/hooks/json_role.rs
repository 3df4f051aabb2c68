//! Who speaks in a message, in the JSON of v0.3.
//!
//! Comes in: a role, or none. Goes out: a role; where none is said that of the
//! [sender](super::role), if the sender is known.

use std::fmt;

use serde::Deserializer;
use serde::ser::Serializer;

use super::role::of_sender;
use crate::__codegen::json::{Codec as Json, Context, Implicit, Settle};
use crate::adapt::Adapter;
use crate::v0_3_json::MessageRole;
use crate::v1_0::{Message, Role};

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &["U8"];

/// A role.
#[derive(Debug)]
pub(crate) struct Codec;

impl Json for Codec {
    type Value = i32;

    const NOTES: bool = MessageRole::NOTES;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MessageRole::expected(f)
    }

    fn read<'de, D: Deserializer<'de>>(
        cx: &Context<'_>,
        input: D,
    ) -> Result<Option<i32>, D::Error> {
        MessageRole::read(cx, input)
    }

    fn write<S: Serializer>(cx: &Context<'_>, role: &i32, output: S) -> Result<S::Ok, S::Error> {
        MessageRole::write(cx, role, output)
    }
}

impl Implicit for Codec {
    fn is_default(role: &i32) -> bool {
        MessageRole::is_default(role)
    }
}

impl Settle<Message> for Codec {
    fn after_reading(message: &mut Message, adapter: &Adapter) {
        if message.role == i32::from(Role::Unspecified) {
            adapter.loss_of(
                "U8",
                "role",
                "no role is given: taken as that of the sender",
            );
            if let Some(role) = of_sender(adapter) {
                message.role = role.into();
            }
        }
    }
}
