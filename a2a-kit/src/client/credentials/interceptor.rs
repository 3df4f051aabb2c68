//! What sees every request before it leaves.
//!
//! Comes in: the head of a request, without credentials. Goes out: the same, changed, or a refusal.

use std::fmt;

use crate::client::transport::TransportError;
use crate::service::BoxFuture;

/// Looks at every request before it leaves: for the card, and of every binding.
///
/// It may add headers (a trace context, a token that it has fetched), or refuse the request. It sees
/// no [`Credentials`](super::Credentials), which are added after it. Secrets of its own it should
/// only add after a look at the host in `head.uri`: a card may name interfaces on other hosts.
///
/// ```
/// use a2a_kit::BoxFuture;
/// use a2a_kit::client::{Interceptor, TransportError};
/// use http::HeaderValue;
///
/// #[derive(Debug)]
/// struct Trace(HeaderValue);
///
/// impl Interceptor for Trace {
///     fn before<'a>(&'a self, head: &'a mut http::request::Parts) -> BoxFuture<'a, Result<(), TransportError>> {
///         head.headers.insert("traceparent", self.0.clone());
///         Box::pin(async { Ok(()) })
///     }
/// }
/// ```
pub trait Interceptor: Send + Sync + fmt::Debug + 'static {
    /// Sees a request, and may change its head. An error ends the call; nothing was sent then.
    fn before<'a>(
        &'a self,
        head: &'a mut http::request::Parts,
    ) -> BoxFuture<'a, Result<(), TransportError>>;

    /// Sees the head of the answer.
    fn after(&self, head: &http::response::Parts) {
        let _ = head;
    }
}

/// Headers that every request gets, unless it has them already.
#[derive(Debug)]
pub(in crate::client) struct DefaultHeaders(pub(in crate::client) http::HeaderMap);

impl Interceptor for DefaultHeaders {
    fn before<'a>(
        &'a self,
        head: &'a mut http::request::Parts,
    ) -> BoxFuture<'a, Result<(), TransportError>> {
        for name in self
            .0
            .keys()
            .filter(|name| !head.headers.contains_key(*name))
            .cloned()
            .collect::<Vec<_>>()
        {
            for value in self.0.get_all(&name) {
                head.headers.append(&name, value.clone());
            }
        }
        Box::pin(async { Ok(()) })
    }
}
