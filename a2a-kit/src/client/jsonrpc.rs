//! The JSON-RPC binding, from the caller's side (specification section 9).
//!
//! Comes in: an operation and a message. Goes out: one POST to the address, and from its answer a
//! message, a stream or an error. The message is sliced out of the answer, and read once, where its
//! type is known.

mod reply;
#[cfg(all(test, feature = "server"))]
mod tests;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Request, Response, Uri};

use super::channel::{Answer, Channel, Outgoing, Payload, invalid_answer};
use super::events::Events;
use super::line::{Line, operation_of};
use super::transport::{ChannelOptions, Transport};
use super::{address, errors};
use crate::body::Body;
use crate::context::CallContext;
use crate::error::{Code, Error};
use crate::service::{BoxFuture, OperationSpec, ServiceSpec};
use reply::Expected;

/// Calls services over JSON-RPC. Cheap to clone.
///
/// ```
/// use a2a_kit::A2aServiceClient;
/// use a2a_kit::client::{HttpTransport, JsonRpcChannel};
/// let channel = JsonRpcChannel::new("https://agent.example/a2a", HttpTransport::new())?;
/// let agent = A2aServiceClient::new(channel);
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Clone)]
pub struct JsonRpcChannel {
    line: Line,
    url: Uri,
    /// The id of the last request.
    last: Arc<AtomicU64>,
}

impl JsonRpcChannel {
    /// A channel to the service at an address, which is used exactly as it is.
    ///
    /// # Errors
    /// When the address is no `http` or `https` URL.
    pub fn new(url: &str, transport: impl Transport) -> Result<Self, Error> {
        Ok(Self {
            line: Line::new(transport, ChannelOptions::default()),
            url: address::http(url)?,
            last: Arc::default(),
        })
    }

    /// Sets limits.
    #[must_use]
    pub fn options(mut self, options: ChannelOptions) -> Self {
        self.line.set_options(options);
        self
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &Uri {
        &self.url
    }

    async fn exchange(
        &self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &dyn Outgoing,
    ) -> Result<Answer, Error> {
        let operation = operation_of(service, operation)?;
        let Some(method) = operation.json_rpc_method else {
            let message = format!(
                "{} is not an operation of the JSON-RPC binding",
                operation.name
            );
            return Err(Error::new(Code::Unimplemented, message));
        };
        let id = self.last.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let expected = Expected {
            service,
            operation,
            id: id.to_string().into(),
        };
        let mut http = Request::new(envelope(method, &expected.id, request)?);
        *http.method_mut() = http::Method::POST;
        *http.uri_mut() = self.url.clone();
        set_headers(http.headers_mut(), operation);
        let response = self.line.send(service, operation, &context, http).await?;
        if !response.status().is_success() {
            return Err(self.refusal(service, response).await);
        }
        match (
            operation.server_streaming,
            is_event_stream(response.headers()),
        ) {
            (false, false) => {
                let status = response.status();
                let body = self.line.read(response.into_body()).await?;
                match expected.read(&body) {
                    Ok(message) => Ok(Answer::Unary(Payload::Json(message))),
                    Err(error) => Err(error.with_peer_status(status.as_u16())),
                }
            }
            (true, true) => {
                let events = Events::new(
                    response.into_body(),
                    self.line.options().event_limit,
                    service,
                    reply::explain,
                );
                Ok(Answer::Stream(Box::pin(Replies {
                    events: Some(events),
                    expected,
                })))
            }
            (false, true) => Err(invalid_answer(
                service,
                format!(
                    "the server answered {} with a stream of events",
                    operation.name
                ),
            )),
            (true, false) => Err(self.no_stream(&expected, response).await),
        }
    }

    /// The error of an answer that is no success.
    async fn refusal(&self, service: &'static ServiceSpec, response: Response<Body>) -> Error {
        let (head, body) = response.into_parts();
        let body = self.line.read_start(body).await;
        match reply::error_of(service, &body) {
            Some(mut error) => {
                // Codes that servers make up themselves say less than the status does.
                if error.spec().is_none() && matches!(error.code(), Code::Unknown | Code::Internal)
                {
                    error = error.with_code(errors::code_of(head.status));
                }
                errors::with_head(error, head.status, &head.headers, &body)
            }
            None => errors::from_http(service, head.status, &head.headers, &body),
        }
    }

    /// The error of a success that should have been a stream: what its body says, or that it is
    /// none.
    async fn no_stream(&self, expected: &Expected, response: Response<Body>) -> Error {
        let (head, body) = response.into_parts();
        let body = self.line.read_start(body).await;
        let error = reply::error_of(expected.service, &body).unwrap_or_else(|| {
            let found = match head.headers.get(CONTENT_TYPE) {
                Some(found) => format!(
                    "Content-Type {:?}",
                    String::from_utf8_lossy(found.as_bytes())
                ),
                None => "no Content-Type".to_owned(),
            };
            let name = expected.operation.name;
            invalid_answer(
                expected.service,
                format!(
                    "the server answered {name} with {found} in place of text/event-stream{}",
                    errors::preview(&body)
                ),
            )
            .with_peer_body(&body)
        });
        error.with_peer_status(head.status.as_u16())
    }
}

impl fmt::Debug for JsonRpcChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRpcChannel")
            .field("url", &address::shown(&self.url.to_string()))
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

impl Channel for JsonRpcChannel {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(self.exchange(service, operation, context, request))
    }
}

fn envelope(method: &str, id: &str, params: &dyn Outgoing) -> Result<Bytes, Error> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    // Method names come from a profile, and are checked there.
    out.extend_from_slice(b",\"method\":\"");
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(b"\",\"params\":");
    params.write_params(&mut out)?;
    out.push(b'}');
    Ok(out.into())
}

fn set_headers(headers: &mut HeaderMap, operation: &OperationSpec) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if operation.server_streaming {
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    } else {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    }
}

/// True for `text/event-stream`, with any parameters.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .eq_ignore_ascii_case("text/event-stream")
}

/// The events of a stream, each of them a JSON-RPC response.
struct Replies {
    events: Option<Events>,
    expected: Expected,
}

impl Stream for Replies {
    type Item = Result<Payload, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(events) = &mut this.events else {
            return Poll::Ready(None);
        };
        let next = ready!(Pin::new(events).poll_next(cx)).map(|event| {
            event
                .and_then(|event| this.expected.event(&event))
                .map(Payload::Json)
        });
        if !matches!(next, Some(Ok(_))) {
            this.events = None;
        }
        Poll::Ready(next)
    }
}
