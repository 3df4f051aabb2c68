//! A peer of the older version, as a service of the newer one.
//!
//! Comes in: a request of the newer version. Goes out: the request of the older one, through any
//! channel; and its answer, stream or error in the terms of the newer version.

use std::any::Any;
use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use a2a_wire::__codegen::WireMessage;
use a2a_wire::adapt::{Adapter, Down, JsonForm, Language, Loss, Refused, Up};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;

use super::{AdaptedOperation, Adapting, refused, unreadable};
use crate::client::{
    Answer, AnswerStream, Channel, Outgoing, Payload, QueryWriter, invalid_answer,
};
use crate::context::CallContext;
use crate::error::Error;
use crate::service::ServiceSpec;
use crate::shared::{EventStream, Shared};

/// Calls a unary operation of a peer of the older version.
///
/// # Errors
/// Those of the channel and of the peer; an answer that cannot be read, or has no form in the newer
/// version.
pub async fn call_old_unary<Op: AdaptedOperation>(
    channel: &dyn Channel,
    service: &'static ServiceSpec,
    operation: usize,
    adapting: &Adapting,
    context: CallContext,
    request: Op::NewRequest,
) -> Result<Shared<Op::NewResponse>, Error> {
    match exchange::<Op>(channel, service, operation, adapting, context, request).await? {
        Answer::Unary(payload) => {
            let (value, _) = read::<Op>(payload, adapting)?;
            Ok(Shared::new(value))
        }
        Answer::Stream(_) => Err(Error::internal(
            "the channel answered with a stream where the operation has one answer",
        )),
    }
}

/// Calls a streaming operation of a peer of the older version.
///
/// # Errors
/// As [`call_old_unary`], before the stream and in it; the stream ends after its first error.
pub async fn call_old_stream<Op: AdaptedOperation>(
    channel: &dyn Channel,
    service: &'static ServiceSpec,
    operation: usize,
    adapting: &Adapting,
    context: CallContext,
    request: Op::NewRequest,
) -> Result<EventStream<Op::NewResponse>, Error> {
    match exchange::<Op>(channel, service, operation, adapting, context, request).await? {
        Answer::Stream(payloads) => Ok(Box::pin(Events::<Op> {
            payloads: Some(payloads),
            adapting: adapting.clone(),
            operation: std::marker::PhantomData,
        })),
        Answer::Unary(_) => Err(Error::internal(
            "the channel answered with one message where the operation has a stream",
        )),
    }
}

async fn exchange<Op: AdaptedOperation>(
    channel: &dyn Channel,
    service: &'static ServiceSpec,
    operation: usize,
    adapting: &Adapting,
    context: CallContext,
    request: Op::NewRequest,
) -> Result<Answer, Error> {
    let mut request = Request::<Op> {
        new: request,
        old: OnceLock::new(),
        adapting: adapting.clone(),
        plain: false,
        widened: AtomicBool::new(false),
    };
    let mut answer = channel
        .call(service, operation, context.clone(), &request)
        .await;
    if let Err(error) = &answer
        && request.widened.load(Ordering::Relaxed)
        && may_be_of_the_shape(error)
    {
        request.plain = true;
        answer = channel.call(service, operation, context, &request).await;
    }
    answer.map_err(|error| match request.old.into_inner() {
        // A path that could not be made says no more than that something is missing.
        Some(Err(fault)) => refused(fault),
        _ => error.in_terms_of(adapting.0.new),
    })
}

/// True when the peer may have stumbled over members that the schema does not have: it read nothing
/// of the request then, so that it may be sent again.
fn may_be_of_the_shape(error: &Error) -> bool {
    error.spec().is_none() && matches!(error.peer_status(), Some(400 | 422 | 500))
}

fn read<Op: AdaptedOperation>(
    payload: Payload,
    adapting: &Adapting,
) -> Result<(Op::NewResponse, Vec<Loss>), Error> {
    let by_json = |text: &Bytes, language: Language| {
        let adapter = adapting.adapter(|options| options.language = language);
        match Op::ResponseJson::read_json(text, &adapter) {
            Ok(value) => Ok((value, adapter)),
            Err(error) => Err(invalid::<Op>(adapting, error.path(), error.message())
                .with_source(error)
                .with_peer_body(text)),
        }
    };
    let by_proto = |old: Op::OldResponse| {
        let adapter = adapting.adapter(|options| options.language = Language::Proto);
        match old.up(&adapter) {
            Ok(value) => Ok((value, adapter)),
            Err(fault) => Err(invalid::<Op>(adapting, &fault.path, &fault.message)),
        }
    };
    let (value, adapter) = match payload {
        Payload::Json(text) => by_json(&text, Language::Schema)?,
        Payload::ProtoJson(text) => by_json(&text, Language::Proto)?,
        Payload::JsonField { field, text } => {
            let mut old = Op::OldResponse::default();
            old.read_body_field(field, &text).map_err(|error| {
                invalid::<Op>(adapting, error.path(), error.message()).with_peer_body(&text)
            })?;
            by_proto(old)?
        }
        Payload::Proto(bytes) => {
            let old = Op::OldResponse::read_protobuf(bytes)
                .map_err(|error| invalid::<Op>(adapting, "", &error.to_string()))?;
            by_proto(old)?
        }
    };
    let losses = adapter.into_losses();
    for loss in &losses {
        tracing::debug!(id = loss.id, path = loss.path, "{}", loss.detail);
    }
    Ok((value, losses))
}

fn invalid<Op: AdaptedOperation>(adapting: &Adapting, path: &str, message: &str) -> Error {
    let name = Op::OldResponse::NAME;
    let place = if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    };
    invalid_answer(
        adapting.0.new,
        format!("the answer is no {name}: {place}{message}"),
    )
}

/// A request of the newer version that is written as the older version has it.
struct Request<Op: AdaptedOperation> {
    new: Op::NewRequest,
    old: OnceLock<Result<Op::OldRequest, Refused>>,
    adapting: Adapting,
    /// The body over HTTP is to be the whole request and nothing else, for peers that are strict
    /// about it.
    plain: bool,
    /// It was another one.
    widened: AtomicBool,
}

impl<Op: AdaptedOperation> Request<Op> {
    /// The request of the older version's proto.
    fn old(&self) -> Result<&Op::OldRequest, Error> {
        let made = self.old.get_or_init(|| {
            let adapter = self.adapting.adapter(|_| {});
            let old = self.new.clone().down(&adapter);
            tell(adapter);
            old
        });
        made.as_ref().map_err(|fault| refused(fault.clone()))
    }
}

/// Who asked for it should know that it does not happen.
fn tell(adapter: Adapter) {
    for loss in adapter.into_losses() {
        tracing::warn!(
            id = loss.id,
            path = loss.path,
            "the peer's version of the protocol cannot hold all of the request: {}",
            loss.detail
        );
    }
}

impl<Op: AdaptedOperation> Outgoing for Request<Op> {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        Outgoing::write_json(self.old()?, out)
    }

    fn write_params(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let adapter = self.adapting.adapter(|_| {});
        Op::RequestJson::write_json(&self.new, out, &adapter)
            .map_err(|error| unreadable(&error))?;
        tell(adapter);
        Ok(())
    }

    fn json_without(&self, fields: &[&str]) -> Result<Bytes, Error> {
        let old = self.old()?;
        if self.plain {
            return old.json();
        }
        let plain = old.json_without(fields)?;
        let body = Op::http_body(old, plain.clone())?;
        self.widened.store(body != plain, Ordering::Relaxed);
        Ok(body)
    }

    fn json_field(&self, field: &str) -> Result<Bytes, Error> {
        self.old()?.json_field(field)
    }

    fn write_proto(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.old()?.write_proto(out)
    }

    fn text(&self, path: &str) -> Option<String> {
        self.old().ok()?.text(path)
    }

    fn query(&self, without: &[&str], out: &mut QueryWriter) -> Result<(), Error> {
        self.old()?.query(without, out)
    }
}

/// The events of a stream, up to the last one or to the first error.
struct Events<Op> {
    payloads: Option<AnswerStream>,
    adapting: Adapting,
    operation: std::marker::PhantomData<fn() -> Op>,
}

impl<Op: AdaptedOperation> Stream for Events<Op> {
    type Item = Result<Shared<Op::NewResponse>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(payloads) = &mut this.payloads else {
            return Poll::Ready(None);
        };
        let next = ready!(payloads.poll_next_unpin(cx)).map(|payload| {
            payload
                .map_err(|error| error.in_terms_of(this.adapting.0.new))
                .and_then(|payload| read::<Op>(payload, &this.adapting))
        });
        let is_over = match &next {
            Some(Ok((value, losses))) => (this.adapting.0.ends)(value as &dyn Any, losses),
            _ => true,
        };
        if is_over {
            this.payloads = None;
        }
        Poll::Ready(next.map(|event| event.map(|(value, _)| Shared::new(value))))
    }
}
