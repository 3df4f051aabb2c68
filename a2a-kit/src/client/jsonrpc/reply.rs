//! The JSON-RPC 2.0 response object.
//!
//! Comes in: a text, from a body or an event. Goes out: the result in it, a slice of the text; or
//! the error that it holds, or that it is none.

mod quick;

use bytes::Bytes;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::client::channel::invalid_answer;
use crate::client::errors;
use crate::client::sse::SseEvent;
use crate::error::{Code, Error};
use crate::service::{OperationSpec, ServiceSpec};

/// What an answer must fit.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) service: &'static ServiceSpec,
    pub(super) operation: &'static OperationSpec,
    /// As it was sent.
    pub(super) id: Box<str>,
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A member that is there, also when it is `null`.
fn present<'de, D: Deserializer<'de>>(input: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(input).map(Some)
}

fn is_null(raw: Option<&RawValue>) -> bool {
    raw.is_none_or(|raw| raw.get() == "null")
}

impl Expected {
    /// Reads a response.
    ///
    /// # Errors
    /// The error in it; or what is wrong with it, with the start of its text.
    pub(super) fn read(&self, text: &Bytes) -> Result<Bytes, Error> {
        if let Some(result) = quick::result(text, &self.id) {
            return Ok(text.slice(result));
        }
        let wrong = |why: &str| {
            let message = format!(
                "the server's answer to {} is no JSON-RPC response to the request: {why}",
                self.operation.name
            );
            invalid_answer(self.service, message).with_peer_body(text)
        };
        let reply: Reply<'_> = errors::object(text).map_err(|error| {
            let why = if text.is_empty() {
                "it is empty".to_owned()
            } else {
                format!("{error}{}", errors::preview(text))
            };
            wrong(&why).with_source(error)
        })?;
        match reply.id.map(RawValue::get) {
            Some(id) if *id == *self.id => {}
            // Who could not read the id has none to send back.
            None | Some("null") if !is_null(reply.error) => {}
            None => {
                return Err(wrong(&format!(
                    "it has no id; the request's is {}",
                    self.id
                )));
            }
            Some(id) => {
                let id: String = id.chars().take(64).collect();
                return Err(wrong(&format!(
                    "its id is {id}, the request's is {}",
                    self.id
                )));
            }
        }
        match (
            reply.result,
            reply.error.filter(|error| error.get() != "null"),
        ) {
            // `null` beside an error counts as nothing; some libraries write all members.
            (result, Some(error)) if is_null(result) => {
                Err(errors::from_json_rpc(self.service, error))
            }
            (Some(_), Some(_)) => Err(wrong("it has both a result and an error")),
            (Some(result), None) if is_version(reply.jsonrpc) => Ok(self.result(text, result)),
            (Some(_), None) => Err(wrong("it does not say \"jsonrpc\":\"2.0\"")),
            // Servers that leave out members without a value leave out this result too.
            (None, None) if self.has_no_result() => Ok(Bytes::from_static(b"{}")),
            (None, _) => Err(wrong("it has neither a result nor an error")),
        }
    }

    fn result(&self, text: &Bytes, result: &RawValue) -> Bytes {
        if result.get() == "null" && self.has_no_result() {
            return Bytes::from_static(b"{}");
        }
        text.slice_ref(result.get().as_bytes())
    }

    fn has_no_result(&self) -> bool {
        self.operation.response == "google.protobuf.Empty"
    }

    /// Reads an event of a stream.
    ///
    /// # Errors
    /// As [`Expected::read`]. An event of the type `error` always is one.
    pub(super) fn event(&self, event: &SseEvent) -> Result<Bytes, Error> {
        if event.kind != "error" {
            return self.read(&event.data);
        }
        Err(explain(self.service, &event.data).unwrap_or_else(|| {
            let message = format!(
                "the server ended the stream with an error{}",
                errors::preview(&event.data)
            );
            Error::new(Code::Unknown, message).with_peer_body(&event.data)
        }))
    }
}

fn is_version(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "\"2.0\"")
}

/// The error of a response object, when the text is one that holds one.
pub(super) fn error_of(service: &ServiceSpec, text: &[u8]) -> Option<Error> {
    let reply: Reply<'_> = errors::object(text).ok()?;
    // The HTTP+JSON binding has an error of the same name and another shape, which has no code of
    // JSON-RPC; it is read as such.
    reply.jsonrpc?;
    reply
        .error
        .filter(|error| error.get() != "null")
        .map(|error| errors::from_json_rpc(service, error))
}

/// The error in a text that should have been something else, in any of its shapes.
pub(super) fn explain(service: &'static ServiceSpec, text: &[u8]) -> Option<Error> {
    error_of(service, text).or_else(|| errors::from_body(service, Code::Unknown, text))
}
