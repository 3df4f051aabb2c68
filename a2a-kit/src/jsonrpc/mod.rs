//! The JSON-RPC router (specification section 9).
//!
//! Comes in: an HTTP request. Goes out: one JSON-RPC response object, or a stream of them for a
//! streaming operation. A request is judged in this order: credentials, limits, HTTP method, media type, size,
//! JSON, request object, protocol version, JSON-RPC method, admission, params.

mod answer;
mod envelope;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};

use crate::admission::{self, Admission, Inferred};
use crate::auth::{self, Authentication};
use crate::body::{self, Body};
use crate::call;
use crate::context::{Binding, CallContext};
use crate::error::{Code, Error, ErrorStyle};
use crate::intake::Intake;
use crate::limits::{self, Limits, OpenStream};
use crate::service::{Dispatch, Input, Reply, ServiceSpec};
use crate::sse;
use crate::v0_3;

use envelope::{Envelope, Refusal};

/// Serves any service over JSON-RPC. Cheap to clone.
#[derive(Clone)]
pub struct JsonRpc {
    dispatch: Arc<dyn Dispatch>,
    admission: Arc<dyn Admission>,
    authentication: Option<Authentication>,
    limits: Option<Arc<Limits>>,
    intake: Intake,
    keep_alive: Option<Duration>,
}

impl JsonRpc {
    /// Serves a service to those whom `admission` lets in.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use a2a_kit::{A2aService, BoxA2aService, Body, Open, jsonrpc::JsonRpc};
    /// # struct Silent;
    /// # impl A2aService for Silent {}
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    /// # runtime.block_on(async {
    /// let rpc = JsonRpc::new(Arc::new(BoxA2aService::new(Silent)), Arc::new(Open));
    /// let request = http::Request::get("/").body(Body::empty()).unwrap();
    /// assert_eq!(rpc.handle(request).await.status(), 405);
    /// # });
    /// ```
    #[must_use]
    pub fn new(dispatch: Arc<dyn Dispatch>, admission: Arc<dyn Admission>) -> Self {
        Self {
            dispatch,
            admission,
            authentication: None,
            limits: None,
            intake: Intake::default(),
            keep_alive: Some(sse::KEEP_ALIVE),
        }
    }

    /// Refuses requests whose body is larger, 32 MiB by default.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.intake = Intake::new(bytes, None);
        self
    }

    /// Asks callers who they are, before anything else of a request is looked at. Without it, the
    /// [`Caller`](crate::Caller) is the one that a layer in front has put into the request's
    /// extensions.
    #[must_use]
    pub fn authentication(mut self, authentication: Authentication) -> Self {
        self.authentication = Some(authentication);
        self
    }

    /// As [`Self::authentication`], if there is one.
    #[must_use]
    pub(crate) fn authenticated(mut self, authentication: Option<Authentication>) -> Self {
        self.authentication = authentication;
        self
    }

    /// Limits what one caller may ask for; see [`crate::limits`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(Arc::new(limits));
        self
    }

    /// As [`Self::limits`], if there are any.
    #[must_use]
    pub(crate) fn limited(mut self, limits: Option<Arc<Limits>>) -> Self {
        self.limits = limits;
        self
    }

    /// Takes requests in together with other routers.
    #[must_use]
    pub(crate) fn intake(mut self, intake: Intake) -> Self {
        self.intake = intake;
        self
    }

    /// How long a stream is silent before a comment keeps it open, 4 seconds by default; `None`
    /// for never.
    #[must_use]
    pub fn keep_alive(mut self, interval: Option<Duration>) -> Self {
        self.keep_alive = interval;
        self
    }

    /// Answers a request, whatever its path; a refusal is an answer too.
    pub async fn handle(&self, request: Request<Body>) -> Response<Body> {
        let mut response = self.handle_or_leave(request, None).await;
        auth::ask_for_credentials(self.authentication.as_ref(), &mut response);
        response
    }

    /// As [`Self::handle`], for a request that names no version: when its method is one of `newer`,
    /// which takes requests in together with this router, it is answered by that, in its version.
    pub(crate) async fn handle_inferring(
        &self,
        request: Request<Body>,
        newer: &Self,
    ) -> Response<Body> {
        let mut response = self.handle_or_leave(request, Some(newer)).await;
        auth::ask_for_credentials(self.authentication.as_ref(), &mut response);
        response
    }

    async fn handle_or_leave(
        &self,
        request: Request<Body>,
        newer: Option<&Self>,
    ) -> Response<Body> {
        let service = self.dispatch.service();
        let (mut parts, body) = request.into_parts();
        let known = limits::admit(
            self.authentication.as_ref(),
            self.limits.as_ref(),
            &mut parts,
        )
        .await;
        if let Err(error) = known.and_then(|()| self.check_head(&parts)) {
            body::drain(&parts, body);
            return answer::error(service, "null", &error);
        }
        let body = match self.intake.read(&parts, body).await {
            Ok(body) => body,
            Err(error) => return answer::error(service, "null", &error),
        };
        let mut router = self;
        let (id, admitted) = match envelope::read(&body) {
            Ok(request) => {
                if let Some(newer) = newer.filter(|newer| newer.has_method(&request.method)) {
                    router = newer;
                    if let Some(version) = newer.dispatch.service().version {
                        parts.extensions.insert(Inferred(version));
                    }
                }
                (request.id.to_owned(), router.admit(&parts, &request, &body))
            }
            Err(Refusal { id, error }) => (id.unwrap_or_else(|| "null".to_owned()), Err(error)),
        };
        // From here on only the params hold the request, and they go when they have been read: a
        // call may take hours.
        drop(body);
        let answered = match admitted {
            Ok(admitted) => router.answer(&id, admitted).await,
            Err(error) => Err(error),
        };
        let service = router.dispatch.service();
        answered.unwrap_or_else(|error| answer::error(service, &id, &error))
    }

    fn has_method(&self, method: &str) -> bool {
        let mut operations = self.dispatch.service().operations.iter();
        operations.any(|operation| operation.json_rpc_method == Some(method))
    }

    /// Everything that can be said about a request before its params are read.
    fn admit(
        &self,
        parts: &Parts,
        request: &Envelope<'_>,
        body: &Bytes,
    ) -> Result<Admitted, Error> {
        let service = self.dispatch.service();
        let context = admission::call_context(service, Binding::JsonRpc, parts)?;
        self.admission.admit_version(service, &context)?;
        let found = service
            .operations
            .iter()
            .position(|operation| operation.json_rpc_method == Some(&*request.method));
        let operation = found.ok_or_else(|| unknown_method(service, &request.method))?;
        let context = self
            .admission
            .admit(service, &service.operations[operation], context)?;
        let params = request
            .params()?
            .map_or_else(Bytes::new, |params| body.slice_ref(params.as_bytes()));
        let counted = OpenStream::begin(&service.operations[operation], &context)?;
        Ok(Admitted {
            operation,
            context,
            counted,
            params,
        })
    }

    async fn answer(&self, id: &str, admitted: Admitted) -> Result<Response<Body>, Error> {
        let Admitted {
            operation,
            context,
            counted,
            params,
        } = admitted;
        let input = Input::Json(params);
        let reply = call::call(&*self.dispatch, operation, context.clone(), counted, input);
        let reply = match reply.await {
            Ok(Reply::Stream(events)) => sse::begin(events).await.map(Reply::Stream),
            reply => reply,
        };
        let mut response = match reply {
            Ok(Reply::Unary(message)) => answer::result(id, message.json()?),
            Ok(Reply::Stream(events)) => sse::response(events, self.format(id)),
            Err(error) if self.tells_by_event(operation, &error) => {
                let refused = stream::once(std::future::ready(Err(error)));
                sse::response(Box::pin(refused), self.format(id))
            }
            Err(error) => return Err(error),
        };
        admission::echo_extensions(self.dispatch.service(), &context, response.headers_mut());
        Ok(response)
    }

    /// True when a stream that is refused is an event stream too, of one event: clients of v0.3 take
    /// whatever else comes in its place for a fault of the connection.
    fn tells_by_event(&self, operation: usize, error: &Error) -> bool {
        let service = self.dispatch.service();
        service.error_style == ErrorStyle::CodeAndMessage
            && service.operations[operation].server_streaming
            && answer::status(error) == StatusCode::OK
    }

    fn format(&self, id: &str) -> sse::Format {
        let service = self.dispatch.service();
        let before = answer::before(id).into();
        let id = id.to_owned();
        sse::Format {
            before,
            after: answer::AFTER,
            field: None,
            error: Box::new(move |error| answer::error_object(service, &id, error)),
            error_event: None,
            keep_alive: self.keep_alive,
        }
    }

    /// What can be said before the body is read.
    fn check_head(&self, parts: &Parts) -> Result<(), Error> {
        if parts.method != Method::POST {
            return Err(
                Error::new(Code::InvalidArgument, "JSON-RPC takes POST requests only")
                    .with_http_status(405)
                    .with_json_rpc_code(-32600)
                    .with_allow("POST"),
            );
        }
        let Some(value) = parts.headers.get(CONTENT_TYPE) else {
            return Ok(());
        };
        if value.to_str().is_ok_and(is_json) {
            return Ok(());
        }
        let given: String = String::from_utf8_lossy(value.as_bytes())
            .chars()
            .take(64)
            .collect();
        let message = format!(
            "JSON-RPC takes application/json in UTF-8, not {given:?}; send Content-Type: application/json"
        );
        let own = self
            .dispatch
            .service()
            .errors
            .iter()
            .find(|spec| spec.reason == "CONTENT_TYPE_NOT_SUPPORTED");
        let error = match own {
            Some(spec) => Error::from_spec(spec, message),
            None => Error::new(Code::InvalidArgument, message).with_json_rpc_code(-32600),
        };
        Err(error.with_http_status(415))
    }
}

impl fmt::Debug for JsonRpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRpc")
            .field("service", &self.dispatch.service().name)
            .field("body_limit", &self.intake.limit())
            .field("keep_alive", &self.keep_alive)
            .finish_non_exhaustive()
    }
}

/// A call that may be made.
struct Admitted {
    operation: usize,
    context: CallContext,
    counted: Option<OpenStream>,
    params: Bytes,
}

fn unknown_method(service: &ServiceSpec, method: &str) -> Error {
    let shown: String = method.chars().take(64).collect();
    let known = || {
        service
            .operations
            .iter()
            .filter_map(|operation| operation.json_rpc_method)
    };
    let other = v0_3::other_versions(service)
        .iter()
        .filter(|other| {
            let mut operations = other.operations.iter();
            operations.any(|operation| operation.json_rpc_method == Some(method))
        })
        .find_map(|other| other.version);
    let hint = if let (Some(version), Some(other)) = (service.version, other) {
        format!("A2A {other} calls it so, but this call is in version {version}: check A2A-Version")
    } else if let Some(similar) = known().find(|known| known.eq_ignore_ascii_case(method)) {
        format!("did you mean {similar:?}?")
    } else {
        format!("there are {}", known().collect::<Vec<_>>().join(", "))
    };
    Error::new(
        Code::Unimplemented,
        format!("there is no method {shown:?}; {hint}"),
    )
    .with_json_rpc_code(-32601)
}

/// `application/json`, with any parameters but another charset than UTF-8.
fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/json"));
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim_end().eq_ignore_ascii_case("charset") => {
            let value = value.trim().trim_matches('"');
            value.eq_ignore_ascii_case("utf-8")
                || value.eq_ignore_ascii_case("utf8")
                || value.eq_ignore_ascii_case("us-ascii")
        }
        _ => true,
    })
}
