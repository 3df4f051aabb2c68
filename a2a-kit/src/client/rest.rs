//! The HTTP+JSON binding, from the caller's side: `google.api.http` routes of any service.
//!
//! Comes in: an operation and a message. Goes out: an HTTP request (`request`, below the address in
//! `base`), and from its answer a message, a stream or an error (`answer`).
//!
//! Some operations have a second route of the same shape under another method, because servers
//! differ in what they took the specification to say. The first one is called; when the answer shows
//! that the server does not know it, the second one is tried, and remembered once it has worked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};

use super::channel::{Answer, Channel, Outgoing};
use super::headers;
use super::line::{Line, operation_of};
use super::transport::{ChannelOptions, Transport};
use crate::context::CallContext;
use crate::error::Error;
use crate::service::{BoxFuture, OperationSpec, Route, ServiceSpec};
use answer::Outcome;
use base::Base;
use request::Built;

mod answer;
mod base;
mod request;
#[cfg(all(test, feature = "server"))]
mod tests;

/// Calls services over HTTP+JSON. Cheap to clone; clones share what they have learned of the server.
///
/// ```
/// use a2a_kit::A2aServiceClient;
/// use a2a_kit::client::{HttpTransport, RestChannel};
/// let channel = RestChannel::new("https://agent.example/a2a", HttpTransport::new())?;
/// let agent = A2aServiceClient::new(channel);
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RestChannel {
    base: Base,
    line: Line,
    media_type: Option<HeaderValue>,
    /// Methods that operations turned out to be called by, where it is not the first one of the
    /// schema; by service and operation.
    learned: Arc<Mutex<BTreeMap<(&'static str, usize), &'static str>>>,
}

impl RestChannel {
    /// A channel to the service at an address: `https://host/path`, to which the paths of its routes
    /// are appended. If the address has a query, every request has it too.
    ///
    /// # Errors
    /// When the address is no `http` or `https` URL.
    pub fn new(url: &str, transport: impl Transport) -> Result<Self, Error> {
        Ok(Self {
            base: Base::parse(url)?,
            line: Line::new(transport, ChannelOptions::default()),
            media_type: None,
            learned: Arc::default(),
        })
    }

    /// Sets limits.
    #[must_use]
    pub fn options(mut self, options: ChannelOptions) -> Self {
        self.line.set_options(options);
        self
    }

    /// Sends bodies with another media type than the service's own, for servers that know only
    /// `application/json`.
    #[must_use]
    pub fn media_type(mut self, media_type: HeaderValue) -> Self {
        self.media_type = Some(media_type);
        self
    }

    /// The address, without `/` at the end and without a query.
    #[must_use]
    pub fn url(&self) -> &str {
        self.base.as_str()
    }

    /// The request that a call would send, without sending it.
    ///
    /// # Errors
    /// When the message fits no route of the operation: a part of the path is not set or does not
    /// match, or something is left that no query can hold.
    pub fn request(
        &self,
        service: &'static ServiceSpec,
        operation: usize,
        context: &CallContext,
        request: &dyn Outgoing,
    ) -> Result<Request<Bytes>, Error> {
        let spec = operation_of(service, operation)?;
        let built = self.build(service, operation, spec, request)?;
        let mut request = self.dress(service, spec, &built)?;
        let own = std::mem::replace(request.headers_mut(), headers::outgoing(service, context)?);
        request.headers_mut().extend(own);
        Ok(request)
    }

    fn build(
        &self,
        service: &'static ServiceSpec,
        operation: usize,
        spec: &'static OperationSpec,
        request: &dyn Outgoing,
    ) -> Result<Built, Error> {
        let built = request::build(service, spec, request)?;
        let learned = self
            .learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&(service.name, operation))
            .copied();
        match learned.and_then(|method| {
            alternates(service, spec, built.route).find(|route| route.method == method)
        }) {
            Some(route) => request::build_on(service, route, request),
            None => Ok(built),
        }
    }

    /// Gives a request its address, and the headers that say what its body is and what the answer
    /// should be.
    fn dress(
        &self,
        service: &ServiceSpec,
        spec: &OperationSpec,
        built: &Built,
    ) -> Result<Request<Bytes>, Error> {
        let mut request = Request::new(built.body.clone().unwrap_or_default());
        *request.uri_mut() = self.base.join(&built.target)?;
        *request.method_mut() = built.method.clone();
        let media_type = match &self.media_type {
            Some(media_type) => media_type.clone(),
            None => HeaderValue::from_static(service.media_type),
        };
        let headers = request.headers_mut();
        if spec.server_streaming {
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        } else {
            headers.insert(ACCEPT, media_type.clone());
        }
        if built.body.is_some() {
            headers.insert(CONTENT_TYPE, media_type);
        }
        Ok(request)
    }

    async fn once(
        &self,
        service: &'static ServiceSpec,
        spec: &'static OperationSpec,
        context: &CallContext,
        built: &Built,
        request: &dyn Outgoing,
    ) -> Result<Outcome, Error> {
        let response = self
            .line
            .send(service, spec, context, self.dress(service, spec, built)?)
            .await?;
        answer::read(&self.line, service, spec, built, request, response).await
    }

    async fn exchange(
        &self,
        service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &dyn Outgoing,
    ) -> Result<Answer, Error> {
        let spec = operation_of(service, operation)?;
        let built = self.build(service, operation, spec, request)?;
        let first = match self.once(service, spec, &context, &built, request).await? {
            Outcome::Answer(answer) => return Ok(answer),
            Outcome::Refused(error) => return Err(error),
            Outcome::NotServed(error) => error,
        };
        let Some(other) = alternates(service, spec, built.route).next() else {
            return Err(first);
        };
        let built = request::build_on(service, other, request)?;
        let outcome = match self.once(service, spec, &context, &built, request).await? {
            Outcome::Answer(answer) => Ok(answer),
            Outcome::Refused(error) => Err(error),
            // Neither is served: the first one says it in the words of the specification.
            Outcome::NotServed(_) => return Err(first),
        };
        self.learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((service.name, operation), other.method);
        outcome
    }
}

impl Channel for RestChannel {
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

/// Routes of an operation with the same path under another method.
fn alternates(
    service: &'static ServiceSpec,
    spec: &'static OperationSpec,
    route: &'static Route,
) -> impl Iterator<Item = &'static Route> {
    spec.routes
        .iter()
        .filter_map(|index| service.routes.get(*index))
        .filter(move |other| {
            other.method != route.method
                && other.segments == route.segments
                && other.verb == route.verb
                && other.captures == route.captures
        })
}
