//! Between channels and the network.
//!
//! Comes in: an HTTP request, whole, and how long it may take. Goes out: the HTTP answer, whose body
//! (and trailers, for gRPC) comes as it arrives; or why there is none, and whether the peer can have
//! seen the request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};

use crate::body::{Body, BoxError};
use crate::error::{Code, Error};
use crate::service::BoxFuture;

/// Sends HTTP requests. [`HttpTransport`](super::HttpTransport) does it over sockets; other ones
/// stand in front of it (to sign, to log), or take its place (in tests, in a browser).
///
/// A request of version HTTP/2 must go over HTTP/2: it is a gRPC call. The others go over what the
/// two sides agree on. Redirects are not followed.
pub trait Transport: Send + Sync + fmt::Debug + 'static {
    /// Sends a request and waits for the head of the answer. A dropped future, or a dropped body,
    /// ends the call.
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>>;

    /// Waits. The client has no other clock.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        (**self).send(request, options)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        (**self).sleep(duration)
    }
}

/// How long one exchange may take. What is `None` is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallOptions {
    /// From the start to the head of the answer.
    pub head: Option<Duration>,
    /// From the start to the end of the answer.
    pub total: Option<Duration>,
    /// Between two pieces of the body.
    pub idle: Option<Duration>,
}

/// Marks a request as a call of an operation: only those get what a card asks for.
#[derive(Debug, Clone)]
pub(super) struct OfCall {
    /// The skill that it is for, where the caller says so.
    pub(super) skill: Option<Arc<str>>,
}

/// Limits of a channel.
///
/// ```
/// use std::time::Duration;
/// use a2a_kit::client::ChannelOptions;
/// let options = ChannelOptions::default().call_timeout(Duration::from_secs(10)).event_limit(1 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelOptions {
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) answer_limit: usize,
    pub(crate) event_limit: usize,
}

impl Default for ChannelOptions {
    fn default() -> Self {
        Self {
            call_timeout: Some(Duration::from_secs(120)),
            idle_timeout: Some(Duration::from_secs(300)),
            answer_limit: 64 << 20,
            event_limit: 16 << 20,
        }
    }
}

impl ChannelOptions {
    /// How long a call may take, 2 minutes by default; for a stream, until it begins. A call whose
    /// context has a deadline goes by that instead.
    #[must_use]
    pub fn call_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.call_timeout = timeout.into();
        self
    }

    /// How long a stream may be silent, 5 minutes by default. Comments that keep a stream open count
    /// as a sign of life.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.idle_timeout = timeout.into();
        self
    }

    /// How large an answer may be, 64 MiB by default.
    #[must_use]
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.answer_limit = bytes;
        self
    }

    /// How large an event of a stream may be, 16 MiB by default.
    #[must_use]
    pub fn event_limit(mut self, bytes: usize) -> Self {
        self.event_limit = bytes;
        self
    }
}

/// What kind of fault a [`TransportError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The request cannot be sent by this transport: its URL, its size.
    Request,
    /// There was no connection: name, address, refusal.
    Connect,
    /// There was no secure connection: certificate, protocol.
    Tls,
    /// It took too long.
    Timeout,
    /// The connection broke while it was in use.
    Broken,
    /// The agent asks for credentials that this side does not have.
    Credentials,
}

/// Why there is no answer, or no more of it.
pub struct TransportError {
    kind: TransportErrorKind,
    unsent: bool,
    message: String,
    source: Option<BoxError>,
}

impl TransportError {
    /// An error. Unless [`TransportError::unsent`] says otherwise, the peer may have seen the
    /// request.
    #[must_use]
    pub fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            unsent: false,
            message: message.into(),
            source: None,
        }
    }

    /// Says that not a byte of the request has left this side: it may be sent again, elsewhere too.
    #[must_use]
    pub fn unsent(mut self) -> Self {
        self.unsent = true;
        self
    }

    /// Keeps the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of fault it is.
    #[must_use]
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// True when not a byte of the request has left this side.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        self.unsent
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportError")
            .field("kind", &self.kind)
            .field("unsent", &self.unsent)
            .field("message", &self.message)
            .field("source", &self.source)
            .finish()
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        let cause = error.source.as_deref();
        let code = match error.kind {
            TransportErrorKind::Credentials => cause
                .and_then(|cause| cause.downcast_ref::<Self>())
                .map_or(Code::Unauthenticated, Self::code),
            TransportErrorKind::Request => Code::InvalidArgument,
            TransportErrorKind::Timeout => Code::DeadlineExceeded,
            TransportErrorKind::Connect | TransportErrorKind::Tls | TransportErrorKind::Broken => {
                Code::Unavailable
            }
        };
        Self::new(code, with_causes(&error)).with_source(error)
    }
}

/// An error's message and those of its causes, as far as they say something new.
fn with_causes(error: &TransportError) -> String {
    let mut message = error.message.clone();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}

impl Error {
    /// The fault of the network that this error comes from, if it does.
    #[must_use]
    pub fn transport(&self) -> Option<&TransportError> {
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            cause = error.source();
        }
        None
    }

    /// True when it is certain that the peer has not seen the request, so that it may be sent
    /// again, elsewhere too.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        self.transport().is_some_and(TransportError::is_unsent)
    }
}
