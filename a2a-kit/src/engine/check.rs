//! Checks of requests, for callers that have not been through a router's.

use a2a_wire::v1_0::{Message, Role};

use crate::Error;

/// How many tasks a message may refer to: each is looked up.
const MAX_REFERENCES: usize = 64;

/// The message of a request, when it has what a message must have.
pub(super) fn message(message: Option<Message>) -> Result<Message, Error> {
    let message = message.ok_or_else(|| missing("message"))?;
    if message.message_id.is_empty() {
        return Err(missing("message.messageId"));
    }
    if message.parts.is_empty() {
        return Err(Error::invalid_field(
            "message.parts",
            "must have at least one part",
        ));
    }
    if let Some(at) = message.parts.iter().position(|part| part.content.is_none()) {
        return Err(Error::invalid_field(
            format!("message.parts[{at}]"),
            "must have one of text, raw, url, data",
        ));
    }
    if message.role != Role::User as i32 {
        return Err(Error::invalid_field(
            "message.role",
            "must be ROLE_USER in a message to an agent",
        ));
    }
    if message.reference_task_ids.len() > MAX_REFERENCES {
        return Err(Error::invalid_field(
            "message.referenceTaskIds",
            format!("must name at most {MAX_REFERENCES} tasks"),
        ));
    }
    Ok(message)
}

/// A field that must not be empty.
pub(super) fn required<'a>(field: &str, value: &'a str) -> Result<&'a str, Error> {
    if value.is_empty() {
        Err(missing(field))
    } else {
        Ok(value)
    }
}

fn missing(field: &str) -> Error {
    Error::invalid_field(field, "is required")
}

/// How much history is wanted.
pub(super) fn history(length: Option<i32>, field: &str) -> Result<Option<u32>, Error> {
    length
        .map(|length| {
            u32::try_from(length).map_err(|_| {
                Error::invalid_field(field, "must not be negative; 0 leaves the history out")
            })
        })
        .transpose()
}
