//! The HTTP+JSON binding: `google.api.http` routes over any service.
//!
//! Comes in: an HTTP request. Goes out: an HTTP response: JSON, a stream of server-sent events, or
//! an error as `{"error": {code, status, message, details}}`.
//!
//! The way of a request: its route (`service::routing`), who calls ([`Authentication`]) and how often
//! ([`Limits`]), its context and whether it may call ([`Admission`]), its media type (`media`), its body, and only then its
//! message (`transcode`, from inside [`Dispatch::call`]).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, VARY,
};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};

use crate::admission::{self, Admission};
use crate::auth::{self, Authentication};
use crate::body::{self, Body};
use crate::call;
use crate::context::{Binding, CallContext, ProtocolVersion};
use crate::error::{Code, Error};
use crate::intake::Intake;
use crate::limits::{self, Limits, OpenStream};
use crate::service::routing::{self, Outcome};
use crate::service::{Dispatch, HttpInput, Input, Reply, Route, RouteBody, ServiceSpec};
use crate::sse;
use crate::v0_3;

mod media;
mod transcode;

pub(crate) use transcode::read;

/// Serves any service over HTTP+JSON. Cheap to clone.
#[derive(Clone)]
pub struct Rest {
    dispatch: Arc<dyn Dispatch>,
    admission: Arc<dyn Admission>,
    authentication: Option<Authentication>,
    limits: Option<Arc<Limits>>,
    intake: Intake,
    keep_alive: Option<Duration>,
}

impl Rest {
    /// Serves a service to those whom `admission` lets in.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use a2a_kit::{A2aService, BoxA2aService, Body, Open, rest::Rest};
    /// # struct Silent;
    /// # impl A2aService for Silent {}
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    /// # runtime.block_on(async {
    /// let rest = Rest::new(Arc::new(BoxA2aService::new(Silent)), Arc::new(Open));
    /// let request = http::Request::get("/nothing/here").body(Body::empty()).unwrap();
    /// assert_eq!(rest.handle(request).await.status(), 404);
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

    /// Asks callers who they are, before anything else of a call is looked at. Without it, the
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

    /// Answers a request; a refusal is an answer too.
    pub async fn handle(&self, request: Request<Body>) -> Response<Body> {
        let (mut parts, body) = request.into_parts();
        let media_type = media::of_answer(self.dispatch.service(), &parts.headers);
        let mut response = match self.answer(&mut parts, body, media_type).await {
            Ok(response) => response,
            Err(error) => refusal(self.dispatch.service(), error, media_type),
        };
        auth::ask_for_credentials(self.authentication.as_ref(), &mut response);
        self.keep_private(response.headers_mut());
        if parts.method == Method::HEAD {
            body::without_body(response)
        } else {
            response
        }
    }

    async fn answer(
        &self,
        parts: &mut Parts,
        body: Body,
        media_type: &'static str,
    ) -> Result<Response<Body>, Error> {
        let (route, context, counted) = match self.admit(parts).await {
            Ok(admitted) => admitted,
            Err(error) => {
                body::drain(parts, body);
                return Err(error);
            }
        };
        let body = if route.body == RouteBody::None {
            body::drain(parts, body);
            Bytes::new()
        } else {
            self.intake.read(parts, body).await?
        };
        let input = HttpInput {
            service: self.dispatch.service(),
            route,
            path: parts.uri.path(),
            query: parts.uri.query().unwrap_or_default(),
            body,
        };
        let mut response = match call::call(
            &*self.dispatch,
            route.operation,
            context.clone(),
            counted,
            Input::Http(input),
        )
        .await?
        {
            Reply::Unary(message) => {
                let json = match route.response_body {
                    Some(field) => message.json_field(field)?,
                    None => message.json()?,
                };
                json_response(StatusCode::OK, json, media_type)
            }
            Reply::Stream(events) => sse::response(sse::begin(events).await?, self.format(route)),
        };
        admission::echo_extensions(self.dispatch.service(), &context, response.headers_mut());
        Ok(response)
    }

    /// Answers depend on who asks, and on the moment: no cache is to keep them, least of all one that
    /// others use.
    fn keep_private(&self, headers: &mut HeaderMap) {
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        }
        let credentials = match &self.authentication {
            Some(authentication) => authentication.secret_headers(),
            None => &[AUTHORIZATION],
        };
        for name in credentials {
            headers.append(VARY, HeaderValue::from(name.clone()));
        }
    }

    /// Everything that can be said about a request before its body is read.
    async fn admit(
        &self,
        parts: &mut Parts,
    ) -> Result<(&'static Route, CallContext, Option<OpenStream>), Error> {
        let service = self.dispatch.service();
        let (method, path) = (parts.method.as_str(), parts.uri.path());
        let route = match routing::find(service.routes, method, path) {
            Outcome::Found(route) => route,
            Outcome::WrongMethod(methods) => {
                let message = format!("{} does not take {method}, only {methods}", shown(path));
                return Err(Error::new(Code::Unimplemented, message)
                    .with_http_status(405)
                    .with_allow(methods));
            }
            Outcome::NotFound => return Err(self.not_found(parts)),
        };
        // Where nothing is, nobody is asked who they are: clients look for cards in several places.
        limits::admit(self.authentication.as_ref(), self.limits.as_ref(), parts).await?;
        let context = admission::call_context(service, Binding::Rest, parts)?;
        let operation = service.operations.get(route.operation).ok_or_else(|| {
            Error::internal(format!(
                "{} leads to no operation of {}",
                route.template, service.name
            ))
        })?;
        let context = self.admission.admit(service, operation, context)?;
        if route.body != RouteBody::None {
            media::check(service, &parts.headers)?;
        }
        let counted = OpenStream::begin(operation, &context)?;
        Ok((route, context, counted))
    }

    /// Nothing is at a path in this version. Where another version has something there, the call is
    /// in the wrong one, or in one that is not served at all.
    fn not_found(&self, parts: &Parts) -> Error {
        let service = self.dispatch.service();
        let (method, path) = (parts.method.as_str(), parts.uri.path());
        let mut others = v0_3::other_versions(service).iter();
        let other = others
            .find(|other| !matches!(routing::find(other.routes, method, path), Outcome::NotFound));
        let Some(other) = other.and_then(|other| other.version) else {
            return not_found(service.routes, method, path);
        };
        let admitted = admission::call_context(service, Binding::Rest, parts)
            .and_then(|context| self.admission.admit_version(service, &context));
        if let Err(error) = admitted {
            return error;
        }
        let version = service.version.unwrap_or(ProtocolVersion::V1_0);
        Error::new(
            Code::NotFound,
            format!(
                "nothing is served at {}; A2A {other} has it there, but this call is in version {version}: check A2A-Version",
                shown(path)
            ),
        )
    }

    fn format(&self, route: &Route) -> sse::Format {
        let service = self.dispatch.service();
        sse::Format {
            before: Bytes::new(),
            after: b"",
            field: route.response_body,
            error: Box::new(|error| {
                let mut out = Vec::new();
                error
                    .clone()
                    .in_terms_of(service)
                    .write_http_json(service, &mut out);
                out
            }),
            error_event: Some("error"),
            keep_alive: self.keep_alive,
        }
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rest")
            .field("service", &self.dispatch.service().name)
            .field("body_limit", &self.intake.limit())
            .field("keep_alive", &self.keep_alive)
            .finish_non_exhaustive()
    }
}

fn not_found(routes: &'static [Route], method: &str, path: &str) -> Error {
    let trimmed = path.trim_end_matches('/');
    let hint = match routing::find(routes, method, trimmed) {
        Outcome::Found(_) if trimmed != path => "; without the `/` at the end there is a route",
        _ => "",
    };
    Error::new(
        Code::NotFound,
        format!("nothing is served at {}{hint}", shown(path)),
    )
}

/// As much of a path as an error message should repeat.
fn shown(path: &str) -> String {
    const MOST: usize = 100;
    match path.char_indices().nth(MOST) {
        Some((cut, _)) => format!("{}…", &path[..cut]),
        None => path.to_owned(),
    }
}

fn json_response(status: StatusCode, json: Bytes, media_type: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::full(json));
    *response.status_mut() = status;
    let media_type =
        HeaderValue::from_str(media_type).unwrap_or(HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

/// The answer that an error is.
fn refusal(service: &ServiceSpec, error: Error, media_type: &'static str) -> Response<Body> {
    let error = error.in_terms_of(service);
    let status =
        StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut json = Vec::new();
    error.write_http_json(service, &mut json);
    let mut response = json_response(status, Bytes::from(json), media_type);
    let headers = response.headers_mut();
    if let Some(Ok(methods)) = error.allow().map(HeaderValue::from_str) {
        headers.insert(ALLOW, methods);
    }
    auth::add_challenges(&error, headers);
    if let Some(delay) = error.retry_after() {
        // Whole seconds, never early.
        let seconds = delay
            .as_secs()
            .saturating_add(u64::from(delay.subsec_nanos() > 0));
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

#[cfg(test)]
mod tests;
