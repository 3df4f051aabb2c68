//! Between typed clients and bindings: what generated clients call.
//!
//! Comes in: an operation's index, a context and a typed request. Goes out: a typed answer. In
//! between stands a [`Channel`], which knows one binding and no type: it asks the request for its
//! encoding and hands back an encoded answer.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use a2a_wire::__codegen::WireMessage;
use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;

use super::query::QueryWriter;
use crate::context::CallContext;
use crate::error::Error;
use crate::service::{BoxFuture, ServiceSpec};
use crate::shared::{EventStream, Shared};

/// One way to call a service: a binding and an address.
///
/// The library has one for each binding; another one may wrap them (to count, to log) or answer by
/// itself (in tests).
pub trait Channel: Send + Sync + fmt::Debug + 'static {
    /// Calls the operation at an index of [`ServiceSpec::operations`].
    ///
    /// The answer is a stream exactly when the operation streams. Extensions that the peer says are
    /// in use are noted in the context.
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>>;
}

impl<C: Channel + ?Sized> Channel for Arc<C> {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        (**self).call(service, operation, context, request)
    }
}

/// A request whose type has been forgotten but that still knows its encodings.
pub trait Outgoing: Send + Sync {
    /// Appends the message as JSON.
    ///
    /// # Errors
    /// When a value has no JSON form.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), Error>;

    /// The message as JSON.
    ///
    /// # Errors
    /// As [`Outgoing::write_json`].
    fn json(&self) -> Result<Bytes, Error> {
        let mut out = Vec::with_capacity(256);
        self.write_json(&mut out).map(|()| out.into())
    }

    /// The message as JSON, without the fields at these dotted paths of JSON names.
    ///
    /// # Errors
    /// As [`Outgoing::write_json`].
    fn json_without(&self, fields: &[&str]) -> Result<Bytes, Error>;

    /// One field, by its proto name, as a whole JSON text.
    ///
    /// # Errors
    /// As [`Outgoing::write_json`].
    fn json_field(&self, field: &str) -> Result<Bytes, Error>;

    /// Appends the message as the `params` of JSON-RPC, where that is not the JSON of the other
    /// bindings: version 0.3 of A2A has two.
    ///
    /// # Errors
    /// As [`Outgoing::write_json`].
    fn write_params(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.write_json(out)
    }

    /// Appends the message as protobuf.
    ///
    /// # Errors
    /// When it has no form in the version that it is written for.
    fn write_proto(&self, out: &mut Vec<u8>) -> Result<(), Error>;

    /// The message as protobuf.
    ///
    /// # Errors
    /// As [`Outgoing::write_proto`].
    fn proto(&self) -> Result<Bytes, Error> {
        let mut out = Vec::new();
        self.write_proto(&mut out).map(|()| out.into())
    }

    /// The field at a dotted path as a path or a query holds it; `None` when it is unset or empty.
    fn text(&self, path: &str) -> Option<String>;

    /// Adds all fields that are set to a query, except those at these dotted paths of JSON names and
    /// below.
    ///
    /// # Errors
    /// When a field is set that no query can hold.
    fn query(&self, without: &[&str], out: &mut QueryWriter) -> Result<(), Error>;
}

impl<T: WireMessage> Outgoing for T {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        WireMessage::write_json(self, out).map_err(unencodable)
    }

    fn json_without(&self, fields: &[&str]) -> Result<Bytes, Error> {
        encode(|out| self.write_json_without(fields, out))
    }

    fn json_field(&self, field: &str) -> Result<Bytes, Error> {
        encode(|out| self.write_body_field(field, out))
    }

    fn write_proto(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        out.reserve(self.encoded_len());
        self.encode_raw(out);
        Ok(())
    }

    fn text(&self, path: &str) -> Option<String> {
        self.text_of(path).map(std::borrow::Cow::into_owned)
    }

    fn query(&self, without: &[&str], out: &mut QueryWriter) -> Result<(), Error> {
        self.write_query(without, &mut |name, value| out.push(name, &value))
            .map_err(|error| {
                Error::invalid_field(error.field.as_str(), error.reason.as_str()).with_source(error)
            })
    }
}

fn encode(
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), a2a_wire::json::Error>,
) -> Result<Bytes, Error> {
    let mut out = Vec::with_capacity(256);
    write(&mut out).map(|()| out.into()).map_err(unencodable)
}

fn unencodable(error: a2a_wire::json::Error) -> Error {
    Error::invalid_field(error.path(), error.message()).with_source(error)
}

/// What a channel hands back.
pub enum Answer {
    /// One message.
    Unary(Payload),
    /// A stream of messages.
    Stream(AnswerStream),
}

/// The stream of an [`Answer`]. It ends after its first error.
pub type AnswerStream = Pin<Box<dyn Stream<Item = Result<Payload, Error>> + Send>>;

impl Answer {
    /// Reads the one message that it is.
    pub(super) fn unary<T: WireMessage>(self, service: &ServiceSpec) -> Result<Shared<T>, Error> {
        match self {
            Self::Unary(payload) => payload.read(service).map(Shared::new),
            Self::Stream(_) => Err(Error::internal(
                "the channel answered with a stream where the operation has one answer",
            )),
        }
    }

    /// Reads the messages of the stream that it is.
    pub(super) fn stream<T: WireMessage>(
        self,
        service: &'static ServiceSpec,
    ) -> Result<EventStream<T>, Error> {
        match self {
            Self::Stream(payloads) => Ok(Box::pin(Events {
                payloads: Some(payloads),
                service,
                message: std::marker::PhantomData::<fn() -> T>,
            })),
            Self::Unary(_) => Err(Error::internal(
                "the channel answered with one message where the operation has a stream",
            )),
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unary(payload) => f.debug_tuple("Unary").field(payload).finish(),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

/// An encoded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// One JSON text.
    Json(Bytes),
    /// One JSON text of the HTTP+JSON binding: always ProtoJSON, where JSON-RPC may speak another
    /// JSON.
    ProtoJson(Bytes),
    /// One field of the message, by its proto name, as a whole JSON text (`response_body`).
    JsonField {
        /// The field.
        field: &'static str,
        /// Its value.
        text: Bytes,
    },
    /// Protobuf.
    Proto(Bytes),
}

impl Payload {
    /// Reads the message.
    ///
    /// # Errors
    /// When it is none of this type: [`invalid_answer`], with the place of the fault and the start
    /// of what came.
    fn read<T: WireMessage>(self, service: &ServiceSpec) -> Result<T, Error> {
        let unreadable = |text: &[u8], error: a2a_wire::json::Error| {
            let name = T::NAME;
            let message = match error.path() {
                "" => format!("the answer is no {name}: {}", error.message()),
                path => format!("the answer is no {name}: {path}: {}", error.message()),
            };
            invalid_answer(service, message)
                .with_source(error)
                .with_peer_body(text)
        };
        match self {
            Self::Json(text) | Self::ProtoJson(text) => {
                T::read_json(&text).map_err(|error| unreadable(&text, error))
            }
            Self::JsonField { field, text } => {
                let mut message = T::default();
                match message.read_body_field(field, &text) {
                    Ok(()) => Ok(message),
                    Err(error) => Err(unreadable(&text, error)),
                }
            }
            Self::Proto(bytes) => T::read_protobuf(bytes).map_err(|error| {
                invalid_answer(service, format!("the answer is no {}: {error}", T::NAME))
                    .with_source(error)
            }),
        }
    }
}

/// The peer broke its protocol: the service's own error for that, where it has one.
pub(crate) fn invalid_answer(service: &ServiceSpec, message: impl Into<String>) -> Error {
    let message = message.into();
    match service
        .errors
        .iter()
        .find(|spec| spec.reason == "INVALID_AGENT_RESPONSE")
    {
        Some(spec) => Error::from_spec(spec, message),
        None => Error::internal(message),
    }
}

/// Calls a unary operation through a channel.
///
/// # Errors
/// Those of the channel and of the peer, and an answer that cannot be read.
pub async fn call_unary<Req: WireMessage, Res: WireMessage>(
    channel: &dyn Channel,
    service: &'static ServiceSpec,
    operation: usize,
    context: CallContext,
    request: Req,
) -> Result<Shared<Res>, Error> {
    channel
        .call(service, operation, context, &request)
        .await?
        .unary(service)
}

/// Calls a streaming operation through a channel.
///
/// # Errors
/// Those of the channel and of the peer before the stream. In the stream: those of the peer, a
/// broken connection, an event that cannot be read. The stream ends after its first error.
pub async fn call_stream<Req: WireMessage, Res: WireMessage>(
    channel: &dyn Channel,
    service: &'static ServiceSpec,
    operation: usize,
    context: CallContext,
    request: Req,
) -> Result<EventStream<Res>, Error> {
    channel
        .call(service, operation, context, &request)
        .await?
        .stream(service)
}

/// The payloads of a stream as messages, up to the first error.
struct Events<Res> {
    payloads: Option<AnswerStream>,
    service: &'static ServiceSpec,
    message: std::marker::PhantomData<fn() -> Res>,
}

impl<Res: WireMessage> Stream for Events<Res> {
    type Item = Result<Shared<Res>, Error>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let Some(payloads) = &mut self.payloads else {
            return std::task::Poll::Ready(None);
        };
        let next = std::task::ready!(payloads.poll_next_unpin(cx))
            .map(|payload| payload.and_then(|payload| payload.read(self.service).map(Shared::new)));
        if !matches!(next, Some(Ok(_))) {
            // The connection is given up at once, not when the stream is dropped.
            self.payloads = None;
        }
        std::task::Poll::Ready(next)
    }
}

#[cfg(all(test, feature = "server"))]
mod tests;
