//! A service of the newer version, for callers of the older one.
//!
//! Comes in: an encoded request of the older version, and the operation of the newer service. Goes
//! out: its answer, which is encoded as the older version has it when a router asks for that, and at
//! most once for all who read the same value.

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use a2a_wire::__codegen::{Violations, WireMessage};
use a2a_wire::adapt::{Adapter, Down, JsonForm, Language, Up};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;
use prost::Message as _;

use super::{AdaptedOperation, Adapting, HttpRequest, Shapes, refused, unreadable};
use crate::error::{Code, Error};
use crate::service::{Input, Reply};
use crate::shared::{Encoded, EventStream, Form, Shared};

/// Which JSON an answer is written in.
#[derive(Debug, Clone, Copy)]
enum Json {
    Rpc,
    #[cfg_attr(
        not(feature = "server"),
        allow(dead_code, reason = "only servers read HTTP requests")
    )]
    Http,
}

impl Json {
    fn of(input: &Input<'_>) -> Self {
        match input {
            #[cfg(feature = "server")]
            Input::Http(_) => Self::Http,
            _ => Self::Rpc,
        }
    }
}

/// Calls a unary operation for a caller of the older version.
///
/// # Errors
/// Those of reading the request and of the operation.
pub async fn old_unary<Op: AdaptedOperation, Fut>(
    input: Input<'_>,
    adapting: &Adapting,
    call: impl FnOnce(Op::NewRequest) -> Fut,
) -> Result<Reply, Error>
where
    Fut: Future<Output = Result<Shared<Op::NewResponse>, Error>>,
{
    let json = Json::of(&input);
    let value = call(read::<Op>(input, adapting)?).await?;
    Ok(Reply::Unary(Box::new(Answer::<Op> {
        value,
        json,
        last: false,
        adapting: adapting.clone(),
    })))
}

/// Calls a streaming operation for a caller of the older version.
///
/// # Errors
/// Those of reading the request and of the operation before its first event.
pub async fn old_stream<Op: AdaptedOperation, Fut>(
    input: Input<'_>,
    adapting: &Adapting,
    call: impl FnOnce(Op::NewRequest) -> Fut,
) -> Result<Reply, Error>
where
    Fut: Future<Output = Result<EventStream<Op::NewResponse>, Error>>,
{
    let json = Json::of(&input);
    let events = call(read::<Op>(input, adapting)?).await?;
    let adapting = adapting.clone();
    let events = Ahead {
        events: Some(events),
        next: None,
    };
    Ok(Reply::Stream(Box::pin(events.map(move |event| {
        event.map(|(value, last)| {
            Box::new(Answer::<Op> {
                value,
                json,
                last,
                adapting: adapting.clone(),
            }) as Box<dyn Encoded>
        })
    }))))
}

/// Reads a request, and checks the fields that the newer version requires.
fn read<Op: AdaptedOperation>(
    input: Input<'_>,
    adapting: &Adapting,
) -> Result<Op::NewRequest, Error> {
    let (request, adapter) = match input {
        Input::Json(text) => {
            let text = if text.is_empty() { &b"{}"[..] } else { &text };
            let adapter = adapting.adapter(|options| options.language = Language::Schema);
            let request =
                Op::RequestJson::read_json(text, &adapter).map_err(|error| unreadable(&error))?;
            (request, adapter)
        }
        Input::Proto(bytes) => {
            let adapter = adapting.adapter(|options| options.language = Language::Proto);
            let old = Op::OldRequest::read_protobuf(bytes).map_err(|error| {
                Error::new(
                    Code::InvalidArgument,
                    format!("cannot be read as {}: {error}", Op::OldRequest::NAME),
                )
            })?;
            (old.up(&adapter).map_err(refused)?, adapter)
        }
        #[cfg(feature = "server")]
        Input::Http(input) => {
            let adapter = adapting.adapter(|options| options.language = Language::Proto);
            (Op::read_http(&input, &adapter)?, adapter)
        }
        #[cfg(not(feature = "server"))]
        Input::Never(never, _) => match never {},
    };
    for loss in adapter.into_losses() {
        tracing::debug!(id = loss.id, path = loss.path, "{}", loss.detail);
    }
    let mut found = Violations::default();
    request.check(&mut found);
    found.found.retain(|violation| {
        !adapting
            .0
            .optional
            .contains(&(Op::NewRequest::NAME, violation.field.as_str()))
    });
    if found.found.is_empty() {
        Ok(request)
    } else {
        Err(Error::invalid(found.found))
    }
}

/// Reads an HTTP request through the older proto, as its route says.
///
/// # Errors
/// Invalid argument, naming the field.
pub fn read_transcoded<Op: AdaptedOperation + ?Sized>(
    input: &HttpRequest<'_>,
    adapter: &Adapter,
) -> Result<Op::NewRequest, Error> {
    #[cfg(feature = "server")]
    return crate::rest::read::<Op::OldRequest>(input)?
        .up(adapter)
        .map_err(refused);
    #[cfg(not(feature = "server"))]
    {
        let _ = adapter;
        match **input {}
    }
}

/// Reads an HTTP request whose body is all of it.
///
/// # Errors
/// Invalid argument, naming the field.
pub fn read_whole_body<Op: AdaptedOperation + ?Sized>(
    input: &HttpRequest<'_>,
    adapter: &Adapter,
) -> Result<Op::NewRequest, Error> {
    #[cfg(feature = "server")]
    {
        let body = if input.body.is_empty() {
            &b"{}"[..]
        } else {
            &input.body
        };
        Op::HttpBody::read_json(body, adapter).map_err(|error| unreadable(&error))
    }
    #[cfg(not(feature = "server"))]
    {
        let _ = adapter;
        match **input {}
    }
}

/// Reads an HTTP request whose body comes in several shapes, and puts in what path and query say.
///
/// # Errors
/// Invalid argument, naming the field.
pub fn read_placed_body<Op>(
    input: &HttpRequest<'_>,
    adapter: &Adapter,
) -> Result<Op::NewRequest, Error>
where
    Op: AdaptedOperation<OldRequest: Shapes<Op::NewRequest>> + ?Sized,
{
    #[cfg(feature = "server")]
    {
        let placed = crate::rest::read::<Op::OldRequest>(&crate::service::HttpInput {
            body: Bytes::new(),
            ..*input
        })?;
        let mut new = read_whole_body::<Op>(input, adapter)?;
        placed.place(&mut new, adapter).map_err(refused)?;
        Ok(new)
    }
    #[cfg(not(feature = "server"))]
    {
        let _ = adapter;
        match **input {}
    }
}

/// An answer of the newer version that is written as the older version has it.
struct Answer<Op: AdaptedOperation> {
    value: Shared<Op::NewResponse>,
    json: Json,
    last: bool,
    adapting: Adapting,
}

impl<Op: AdaptedOperation> Answer<Op> {
    fn encoding<Writer: 'static>(
        &self,
        make: impl FnOnce(&Op::NewResponse, &Adapter, &mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<Bytes, Error> {
        let form = Form {
            writer: TypeId::of::<Writer>(),
            last: self.last,
        };
        self.value.encoding(form, |value| {
            let adapter = self
                .adapting
                .adapter(|options| options.last_event = self.last);
            let mut out = Vec::with_capacity(256);
            make(value, &adapter, &mut out)?;
            for loss in adapter.into_losses() {
                tracing::debug!(id = loss.id, path = loss.path, "{}", loss.detail);
            }
            Ok(Bytes::from(out.into_boxed_slice()))
        })
    }

    fn written<Writer: JsonForm<Op::NewResponse> + 'static>(&self) -> Result<Bytes, Error> {
        self.encoding::<Writer>(|value, adapter, out| {
            Writer::write_json(value, out, adapter).map_err(unwritable)
        })
    }

    fn old(value: &Op::NewResponse, adapter: &Adapter) -> Result<Op::OldResponse, Error> {
        value.clone().down(adapter).map_err(|refused| {
            Error::internal(format!(
                "the answer has no form in the version of the call: {refused}"
            ))
            .with_source(refused)
        })
    }
}

fn unwritable(error: a2a_wire::json::Error) -> Error {
    Error::internal(format!(
        "the answer has no form in the version of the call: {error}"
    ))
    .with_source(error)
}

impl<Op: AdaptedOperation> Encoded for Answer<Op> {
    fn json(&self) -> Result<Bytes, Error> {
        match self.json {
            Json::Rpc => self.written::<Op::ResponseJson>(),
            Json::Http => self.written::<Op::HttpAnswer>(),
        }
    }

    fn json_field(&self, field: &str) -> Result<Bytes, Error> {
        let adapter = self
            .adapting
            .adapter(|options| options.last_event = self.last);
        let mut out = Vec::new();
        Self::old(&self.value, &adapter)?
            .write_body_field(field, &mut out)
            .map_err(unwritable)?;
        Ok(out.into())
    }

    fn proto(&self) -> Result<Bytes, Error> {
        self.encoding::<Op::OldResponse>(|value, adapter, out| {
            let old = Self::old(value, adapter)?;
            out.reserve(old.encoded_len());
            old.encode_raw(out);
            Ok(())
        })
    }
}

/// Events, each with whether it is known to be the last one. Nothing waits for that: an event
/// leaves at once, and is the last one when the stream has ended already.
struct Ahead<T> {
    events: Option<EventStream<T>>,
    next: Option<Option<Result<Shared<T>, Error>>>,
}

impl<T> Stream for Ahead<T> {
    type Item = Result<(Shared<T>, bool), Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(events) = &mut this.events else {
            return Poll::Ready(None);
        };
        let now = match this.next.take() {
            Some(next) => next,
            None => ready!(events.poll_next_unpin(cx)),
        };
        match now {
            Some(Ok(event)) => {
                if let Poll::Ready(next) = events.poll_next_unpin(cx) {
                    this.next = Some(next);
                }
                let last = matches!(this.next, Some(None));
                if last {
                    this.events = None;
                }
                Poll::Ready(Some(Ok((event, last))))
            }
            Some(Err(error)) => {
                this.events = None;
                Poll::Ready(Some(Err(error)))
            }
            None => {
                this.events = None;
                Poll::Ready(None)
            }
        }
    }
}
