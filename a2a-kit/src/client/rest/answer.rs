//! From an HTTP answer to a message, a stream or an error.
//!
//! Comes in: the answer to a request of a route. Goes out: what it says, and whether it shows that
//! the server does not know the route at all.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Method, Response, StatusCode};

use super::request::Built;
use crate::body::Body;
use crate::client::channel::{Answer, Outgoing, Payload, invalid_answer};
use crate::client::errors;
use crate::client::events::Events;
use crate::client::jsonrpc::is_event_stream;
use crate::client::line::Line;
use crate::error::{Code, Error};
use crate::service::{Input, OperationSpec, ServiceSpec};

/// What an answer means.
pub(super) enum Outcome {
    /// The call has succeeded, or its stream has begun.
    Answer(Answer),
    /// The service has refused the call.
    Refused(Error),
    /// The server does not know the route, or takes its path for something else.
    NotServed(Error),
}

/// Reads an answer.
///
/// # Errors
/// When it breaks off.
pub(super) async fn read(
    line: &Line,
    service: &'static ServiceSpec,
    spec: &'static OperationSpec,
    built: &Built,
    request: &dyn Outgoing,
    response: Response<Body>,
) -> Result<Outcome, Error> {
    let (head, body) = response.into_parts();
    let (status, headers) = (head.status, head.headers);
    if !status.is_success() {
        let body = line.read_start(body).await;
        let error = errors::from_http(service, status, &headers, &body);
        let error = errors::by_status(service, spec, error, status);
        let not_served = match status {
            StatusCode::METHOD_NOT_ALLOWED => true,
            // A missing task is an error of the protocol; anything else is a missing route.
            StatusCode::NOT_FOUND => error.spec().is_none() || is_misread(built, request, &error),
            _ => false,
        };
        return Ok(if not_served {
            Outcome::NotServed(error)
        } else {
            Outcome::Refused(error)
        });
    }
    let field = built.route.response_body;
    if spec.server_streaming {
        if is_event_stream(&headers) {
            let events = Events::new(
                body,
                line.options().event_limit,
                service,
                in_place_of_events,
            );
            return Ok(Outcome::Answer(Answer::Stream(Box::pin(Payloads {
                events,
                service,
                spec,
                field,
            }))));
        }
        let body = line.read_start(body).await;
        let error = in_place_of_events(service, &body).unwrap_or_else(|| {
            let message = format!(
                "the answer is no event stream but {}{}",
                media_type(&headers),
                errors::preview(&body)
            );
            invalid_answer(service, message).with_peer_body(&body)
        });
        let is_ours = error
            .spec()
            .is_some_and(|spec| spec.reason != INVALID_ANSWER);
        let error = errors::with_head(error, status, &headers, &body);
        // Only what changes nothing may be asked for twice.
        let may_be_another = built.method == Method::GET && !is_ours;
        return Ok(if may_be_another {
            Outcome::NotServed(error)
        } else {
            Outcome::Refused(error)
        });
    }
    if is_event_stream(&headers) {
        let error = invalid_answer(
            service,
            "the answer is an event stream where one message was expected",
        );
        return Ok(Outcome::Refused(error.with_peer_status(status.as_u16())));
    }
    let text = line.read(body).await?;
    let is_empty = text.trim_ascii().is_empty();
    let nothing_expected = spec.response == EMPTY || built.method == Method::HEAD;
    if nothing_expected && (is_empty || text.trim_ascii() == b"null") {
        return Ok(Outcome::Answer(Answer::Unary(Payload::ProtoJson(
            Bytes::from_static(b"{}"),
        ))));
    }
    if is_empty {
        let error = invalid_answer(
            service,
            format!("the server answered {status} without a body"),
        );
        return Ok(Outcome::Refused(error.with_peer_status(status.as_u16())));
    }
    Ok(match error_in(service, spec, field, &text) {
        Some(error) => Outcome::Refused(errors::with_head(error, status, &headers, &text)),
        None => Outcome::Answer(Answer::Unary(payload(field, text))),
    })
}

const EMPTY: &str = "google.protobuf.Empty";
const INVALID_ANSWER: &str = "INVALID_AGENT_RESPONSE";

fn payload(field: Option<&'static str>, text: Bytes) -> Payload {
    match field {
        Some(field) => Payload::JsonField { field, text },
        None => Payload::ProtoJson(text),
    }
}

/// True when the server took the verb at the end of the path for a part of the name: it has no
/// task that is called `t1:subscribe`.
fn is_misread(built: &Built, request: &dyn Outgoing, error: &Error) -> bool {
    let (Some(verb), Some(capture)) = (built.route.verb, built.route.captures.last()) else {
        return false;
    };
    let Some(value) = request.text(capture.field) else {
        return false;
    };
    let name = format!("{value}:{verb}");
    error.message().contains(&name) || error.metadata().values().any(|value| *value == name)
}

fn media_type(headers: &HeaderMap) -> String {
    match headers.get(CONTENT_TYPE) {
        Some(value) => format!("of type {}", String::from_utf8_lossy(value.as_bytes())),
        None => "without a content type".to_owned(),
    }
}

/// The error that a text says which stands where events should be.
fn in_place_of_events(service: &'static ServiceSpec, text: &[u8]) -> Option<Error> {
    errors::from_body(service, Code::Unknown, text)
}

/// The error that stands in the place of a message, as some servers have it under a status that says
/// success: `{"error": …}`, where that is not a field of the message.
fn error_in(
    service: &'static ServiceSpec,
    spec: &OperationSpec,
    field: Option<&'static str>,
    text: &Bytes,
) -> Option<Error> {
    let inside = text
        .trim_ascii_start()
        .strip_prefix(b"{")?
        .trim_ascii_start();
    if field.is_some() || !inside.starts_with(b"\"error\"") {
        return None;
    }
    let says_something = |message: Box<dyn crate::shared::Encoded>| {
        message.proto().is_ok_and(|bytes| !bytes.is_empty())
    };
    if (spec.decode_response)(Input::Json(text.clone())).is_ok_and(says_something) {
        return None;
    }
    errors::from_body(service, Code::Unknown, text)
}

/// The events of a stream as messages.
struct Payloads {
    events: Events,
    service: &'static ServiceSpec,
    spec: &'static OperationSpec,
    field: Option<&'static str>,
}

impl Stream for Payloads {
    type Item = Result<Payload, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = match ready!(Pin::new(&mut self.events).poll_next(cx)) {
            Some(Ok(event)) => event,
            Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            None => return Poll::Ready(None),
        };
        let error = if &event.kind[..] == b"error" {
            let error = errors::from_body(self.service, Code::Unknown, &event.data);
            Some(error.unwrap_or_else(|| {
                let message = format!(
                    "the stream ended with an error{}",
                    errors::preview(&event.data)
                );
                Error::new(Code::Unknown, message).with_peer_body(&event.data)
            }))
        } else {
            error_in(self.service, self.spec, self.field, &event.data)
        };
        Poll::Ready(Some(match error {
            Some(error) => Err(error),
            None => Ok(payload(self.field, event.data)),
        }))
    }
}
