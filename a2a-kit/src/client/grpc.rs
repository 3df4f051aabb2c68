//! The gRPC binding, from the caller's side (specification section 10).
//!
//! Comes in: an operation and a message. Goes out: one HTTP/2 request, and from its answer a
//! message, a stream or an error. It stands on the same transport as the other bindings, so that
//! timeouts, credentials and certificates are said once; the framing is five bytes.

mod address;
mod frames;
mod status;
#[cfg(all(test, feature = "server"))]
mod tests;

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::TryStreamExt as _;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TE};
use http::{Method, Request, Version};

use super::channel::{Answer, Channel, Outgoing, Payload, invalid_answer};
use super::errors;
use super::line::{Line, operation_of, time_left};
use super::transport::{ChannelOptions, Transport, TransportError, TransportErrorKind};
use crate::body::Body;
use crate::context::CallContext;
use crate::error::Error;
use crate::service::{BoxFuture, OperationSpec, ServiceSpec};
use address::Address;
use frames::{Frames, Item};

const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// Calls services over gRPC. Cheap to clone.
///
/// ```
/// use a2a_kit::A2aServiceClient;
/// use a2a_kit::client::{GrpcChannel, HttpTransport};
/// let channel = GrpcChannel::new("https://agent.example", HttpTransport::new())?;
/// let agent = A2aServiceClient::new(channel);
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GrpcChannel {
    line: Line,
    address: Address,
}

impl GrpcChannel {
    /// A channel to the service at an address: `https://host` or `grpcs://host` with TLS,
    /// `http://host:port`, `grpc://host:port`, `dns:///host:port` or bare `host:port` without.
    /// Bare addresses with port 443 are with TLS too. A path is put before those of the calls.
    ///
    /// # Errors
    /// When the address is none of these.
    pub fn new(url: &str, transport: impl Transport) -> Result<Self, Error> {
        Ok(Self {
            line: Line::new(transport, ChannelOptions::default()),
            address: Address::parse(url)?,
        })
    }

    /// Sets limits.
    #[must_use]
    pub fn options(mut self, options: ChannelOptions) -> Self {
        self.line.set_options(options);
        self
    }

    /// The address, as an `http` or `https` URL.
    #[must_use]
    pub fn url(&self) -> &str {
        self.address.as_str()
    }

    async fn exchange(
        &self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &dyn Outgoing,
    ) -> Result<Answer, Error> {
        let operation = operation_of(service, operation)?;
        let mut http = Request::new(frames::frame(request)?);
        *http.method_mut() = Method::POST;
        *http.version_mut() = Version::HTTP_2;
        *http.uri_mut() = self.address.join(operation.grpc_path)?;
        set_headers(http.headers_mut(), &context)?;
        let response = self.line.send(service, operation, &context, http).await?;
        let (head, body) = response.into_parts();
        if let Some(error) = status::in_head(service, &head) {
            return Err(match error {
                status::Head::Status(error) => error,
                status::Head::NoGrpc => self.no_grpc(service, &head, body).await,
            });
        }
        let options = self.line.options();
        let limit = if operation.server_streaming {
            options.event_limit
        } else {
            options.answer_limit
        };
        let ended = head.headers.contains_key(status::STATUS);
        let frames = Frames::new(service, body, limit, ended);
        if operation.server_streaming {
            return Ok(Answer::Stream(Box::pin(Messages {
                frames: Some(frames),
                service,
            })));
        }
        one(frames, service, operation)
            .await
            .map(|message| Answer::Unary(Payload::Proto(message)))
    }

    async fn no_grpc(
        &self,
        service: &'static ServiceSpec,
        head: &http::response::Parts,
        body: Body,
    ) -> Error {
        let body = self.line.read_start(body).await;
        status::not_grpc(service, head, &body)
    }
}

impl Channel for GrpcChannel {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let named = move |error: Error| match service.operations.get(operation) {
            // Not when something else than gRPC has answered.
            Some(spec) if matches!(error.peer_status(), None | Some(200)) => {
                errors::by_code(service, spec, error)
            }
            _ => error,
        };
        Box::pin(async move {
            match self.exchange(service, operation, context, request).await {
                // A stream is often refused only after its head.
                Ok(Answer::Stream(messages)) => {
                    Ok(Answer::Stream(Box::pin(messages.map_err(named))))
                }
                answer => answer.map_err(named),
            }
        })
    }
}

fn set_headers(headers: &mut HeaderMap, context: &CallContext) -> Result<(), Error> {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(TE, HeaderValue::from_static("trailers"));
    if let Some(left) = time_left(context)? {
        headers.insert(GRPC_TIMEOUT, timeout(left)?);
    }
    Ok(())
}

/// At most eight digits and a unit, rounded up: the server must not give up before us.
fn timeout(left: Duration) -> Result<HeaderValue, Error> {
    const MOST: u128 = 99_999_999;
    let nanos = left.as_nanos();
    let units = [
        (1, 'n'),
        (1_000, 'u'),
        (1_000_000, 'm'),
        (1_000_000_000, 'S'),
        (60_000_000_000, 'M'),
        (3_600_000_000_000, 'H'),
    ];
    let fitting = units
        .into_iter()
        .map(|(size, unit)| (nanos.div_ceil(size), unit))
        .find(|(amount, _)| *amount <= MOST);
    let (amount, unit) = fitting.unwrap_or((MOST, 'H'));
    HeaderValue::try_from(format!("{amount}{unit}"))
        .map_err(|error| Error::internal("the timeout is no header value").with_source(error))
}

/// The one message of an answer, and its status.
async fn one(
    mut frames: Frames,
    service: &'static ServiceSpec,
    operation: &OperationSpec,
) -> Result<Bytes, Error> {
    let mut message = None;
    loop {
        match std::future::poll_fn(|cx| frames.poll_item(cx)).await? {
            Item::Message(found) if message.is_none() => message = Some(found),
            Item::Message(_) => {
                return Err(invalid_answer(
                    service,
                    format!("the server sent more than one answer to {}", operation.name),
                ));
            }
            Item::End(trailers) => {
                end(service, trailers)?;
                return message.ok_or_else(|| {
                    invalid_answer(
                        service,
                        format!(
                            "the server says that {} went well, but sent no answer",
                            operation.name
                        ),
                    )
                });
            }
        }
    }
}

/// What the end of an answer means.
fn end(service: &'static ServiceSpec, trailers: Option<HeaderMap>) -> Result<(), Error> {
    match trailers {
        Some(trailers) if trailers.contains_key(status::STATUS) => {
            status::check(service, &trailers)
        }
        _ => {
            let message = "the gRPC answer was cut: it ended without a status";
            Err(TransportError::new(TransportErrorKind::Broken, message).into())
        }
    }
}

/// The messages of a stream.
struct Messages {
    frames: Option<Frames>,
    service: &'static ServiceSpec,
}

impl Stream for Messages {
    type Item = Result<Payload, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(frames) = &mut this.frames else {
            return Poll::Ready(None);
        };
        let fault = match ready!(frames.poll_item(cx)) {
            Ok(Item::Message(message)) => return Poll::Ready(Some(Ok(Payload::Proto(message)))),
            Ok(Item::End(trailers)) => end(this.service, trailers).err(),
            Err(error) => Some(error),
        };
        this.frames = None;
        Poll::Ready(fault.map(Err))
    }
}
