//! A transport whose requests are seen by interceptors and get credentials.
//!
//! Comes in: requests. Goes out: the same, dressed; and their answers. When an answer says that the
//! credentials do not hold, or lack scopes, and there are other ones to be had, the request is sent
//! once more with those: it was refused before anything happened.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use futures_util::{StreamExt as _, stream};
use http::header::AUTHORIZATION;
use http::{HeaderName, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, BodyStream, StreamBody};

use super::{Bound, Credentials, Interceptor};
use crate::body::{Body, BoxError};
use crate::client::card::Moment;
use crate::client::challenge::{Refusal, grpc_code};
use crate::client::location::Origin;
use crate::client::scheme::{Grant, Granted, Schemes, Wanted};
use crate::client::token::Tokens;
use crate::client::transport::{
    CallOptions, OfCall, Transport, TransportError, TransportErrorKind,
};
use crate::error::{Code, Error};
use crate::service::BoxFuture;

/// See the module.
#[derive(Debug, Clone)]
pub(in crate::client) struct Dressed {
    transport: Arc<dyn Transport>,
    interceptors: Arc<[Arc<dyn Interceptor>]>,
    credentials: Arc<[Bound]>,
    schemes: Option<Arc<Schemes>>,
}

/// What is different the next time.
#[derive(Default)]
struct Again {
    /// The number of the token that was refused.
    refused: Option<u64>,
    /// Scopes that were missing.
    scopes: Option<BTreeSet<String>>,
}

/// The token in a request. There is room for one.
struct Used {
    tokens: Arc<Tokens>,
    number: u64,
    scopes: BTreeSet<String>,
}

impl Dressed {
    /// `home` is whom credentials are for that do not say so.
    pub(in crate::client) fn new(
        transport: Arc<dyn Transport>,
        interceptors: Vec<Arc<dyn Interceptor>>,
        credentials: Vec<Credentials>,
        home: Option<&Origin>,
    ) -> Result<Self, Error> {
        let credentials = credentials
            .into_iter()
            .map(|credentials| credentials.bind(home))
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(Self {
            transport,
            interceptors: interceptors.into(),
            credentials: credentials.into(),
            schemes: None,
        })
    }

    /// Gives calls what the card asks for.
    pub(in crate::client) fn with_schemes(mut self, schemes: Schemes) -> Self {
        self.schemes = Some(Arc::new(schemes));
        self
    }

    pub(in crate::client) fn schemes(&self) -> Option<&Schemes> {
        self.schemes.as_deref()
    }

    /// For whom there are credentials, when the origin that refused a call was not among them.
    pub(in crate::client) fn others(&self, origin: Option<&Origin>) -> Option<String> {
        if self.credentials.is_empty()
            || self
                .credentials
                .iter()
                .any(|bound| Some(&bound.origin) == origin)
        {
            return None;
        }
        let mut origins: Vec<String> = self
            .credentials
            .iter()
            .map(|bound| bound.origin.to_string())
            .collect();
        origins.dedup();
        Some(origins.join(", "))
    }

    /// True when requests may carry credentials.
    pub(in crate::client) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty() || self.schemes.is_some() || !self.interceptors.is_empty()
    }

    /// Sends a request, and again where other credentials may help: once for each reason.
    async fn guarded_send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> Result<Response<Body>, TransportError> {
        let budget = Budget::new(options);
        let mut again = Again::default();
        if self.schemes.is_none() {
            return Ok(self.once(request, &budget, &again).await?.0);
        }
        loop {
            let (response, used) = self.once(request.clone(), &budget, &again).await?;
            let Some(used) = used else {
                return Ok(response);
            };
            match Refusal::of(response.status(), response.headers()) {
                Some(Refusal::Credentials) if again.refused.is_none() => {
                    tracing::debug!(status = %response.status(), "the token was refused; another one is asked for");
                    again.refused = Some(used.number);
                }
                Some(Refusal::Scopes(scopes))
                    if again.scopes.is_none() && !used.scopes.is_superset(&scopes) =>
                {
                    tracing::debug!(
                        ?scopes,
                        "the token lacks scopes; one with them is asked for"
                    );
                    if !self.can_have(&used, &scopes, &budget).await {
                        return Ok(response);
                    }
                    again.scopes = Some(scopes);
                }
                None if again.refused.is_none() && is_begun_grpc(&response) => {
                    again.refused = Some(used.number);
                    return Ok(self.until_trailers(request, budget, again, response));
                }
                _ => return Ok(response),
            }
        }
    }

    /// True when there is a token with more scopes. Where there is none, the agent's answer says
    /// which are missing.
    async fn can_have(&self, used: &Used, more: &BTreeSet<String>, budget: &Budget) -> bool {
        let scopes = used.scopes.union(more).cloned().collect();
        let asked = used.tokens.get(&scopes, None);
        let fault = match self.within(budget, asked).await {
            Ok(Ok(_)) => return true,
            Ok(Err(fault)) => fault.to_string(),
            Err(fault) => fault.to_string(),
        };
        tracing::warn!(fault, scopes = ?more, "there is no token with the scopes that the agent asks for");
        false
    }

    /// Some servers of gRPC begin an answer before they look at credentials. Then the refusal is the
    /// first that comes after the head, and what comes of the next attempt takes its place.
    fn until_trailers(
        &self,
        request: Request<Bytes>,
        budget: Budget,
        again: Again,
        response: Response<Body>,
    ) -> Response<Body> {
        let this = self.clone();
        response.map(|mut body| {
            let begin = async move {
                let first = body.frame().await;
                let trailers = match &first {
                    Some(Ok(frame)) => frame.trailers_ref(),
                    _ => None,
                };
                if trailers.and_then(grpc_code) != Some(Code::Unauthenticated) {
                    return stream::iter(first)
                        .chain(BodyStream::new(body))
                        .left_stream();
                }
                let frames = match this.once(request, &budget, &again).await {
                    Ok((response, _)) => frames_of(response),
                    Err(error) => Some(Either::Left(stream::iter([Err(BoxError::from(error))]))),
                };
                // When what came is no gRPC, the refusal stands.
                frames
                    .unwrap_or_else(|| Either::Left(stream::iter([first.unwrap_or_else(cut)])))
                    .right_stream()
            };
            Body::new(StreamBody::new(stream::once(Box::pin(begin)).flatten()))
        })
    }

    /// One exchange.
    async fn once(
        &self,
        request: Request<Bytes>,
        budget: &Budget,
        again: &Again,
    ) -> Result<(Response<Body>, Option<Used>), TransportError> {
        let (mut head, body) = request.into_parts();
        for interceptor in &*self.interceptors {
            // Whatever it says: nothing has been sent yet.
            let looked = interceptor.before(&mut head).await;
            looked.map_err(TransportError::unsent)?;
        }
        // After the interceptors: what counts is where the request goes in the end.
        let origin = Origin::of(&head.uri);
        let always = || {
            let all = self.credentials.iter();
            all.filter(|bound| Some(&bound.origin) == origin.as_ref())
        };
        let used = match (&self.schemes, head.extensions.remove::<OfCall>()) {
            (Some(schemes), Some(call)) => {
                let comes = |header: &HeaderName| {
                    always().any(|bound| bound.place.exclusive() == Some(header))
                };
                let grants = schemes.choose(&Wanted {
                    origin: origin.as_ref(),
                    skill: call.skill.as_deref(),
                    has: &|header| head.headers.contains_key(header) || comes(header),
                })?;
                self.add(grants, &mut head, budget, again).await?
            }
            _ => None,
        };
        for bound in always() {
            bound.place.add(&mut head.headers, &mut head.uri)?;
        }
        let options = budget.left()?;
        let response = self
            .transport
            .send(Request::from_parts(head, body), options)
            .await?;
        if self.interceptors.is_empty() {
            return Ok((response, used));
        }
        let (head, body) = response.into_parts();
        for interceptor in &*self.interceptors {
            interceptor.after(&head);
        }
        Ok((Response::from_parts(head, body), used))
    }

    /// Adds what the card asks for.
    async fn add(
        &self,
        grants: Vec<Grant>,
        head: &mut http::request::Parts,
        budget: &Budget,
        again: &Again,
    ) -> Result<Option<Used>, TransportError> {
        let mut used = None;
        for grant in grants {
            match grant.secret {
                Granted::Fixed(None) => {}
                Granted::Fixed(Some(place)) => place.add(&mut head.headers, &mut head.uri)?,
                // What was set for this one call is meant for it.
                Granted::Tokens(_) if head.headers.contains_key(AUTHORIZATION) => {}
                Granted::Tokens(tokens) => {
                    let mut scopes = grant.scopes;
                    scopes.extend(again.scopes.iter().flatten().cloned());
                    let got = self
                        .within(budget, tokens.get(&scopes, again.refused))
                        .await?;
                    let held = got.map_err(|error| no_token(error, &grant.scheme, again))?;
                    held.place.add(&mut head.headers, &mut head.uri)?;
                    used = Some(Used {
                        number: held.number,
                        tokens,
                        scopes,
                    });
                }
            }
        }
        Ok(used)
    }

    /// Waits for a token as long as the call may take.
    async fn within<T>(
        &self,
        budget: &Budget,
        asked: impl Future<Output = T>,
    ) -> Result<T, TransportError> {
        let left = budget.left()?;
        let Some(limit) = left.head.into_iter().chain(left.total).min() else {
            return Ok(asked.await);
        };
        match select(std::pin::pin!(asked), self.transport.sleep(limit)).await {
            Either::Left((got, _)) => Ok(got),
            Either::Right(_) => Err(too_late()),
        }
    }
}

/// True for the head of an answer over gRPC that is not yet its end.
fn is_begun_grpc<B>(response: &Response<B>) -> bool {
    response.status().is_success()
        && is_grpc(response)
        && !response.headers().contains_key("grpc-status")
}

fn is_grpc<B>(response: &Response<B>) -> bool {
    let kind = response.headers().get(http::header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

type Frames =
    Either<stream::Iter<std::array::IntoIter<Result<Frame<Bytes>, BoxError>, 1>>, BodyStream<Body>>;

/// The frames of an answer whose head is not handed on; `None` when it is no gRPC.
fn frames_of(response: Response<Body>) -> Option<Frames> {
    if !response.status().is_success() || !is_grpc(&response) {
        return None;
    }
    let (head, body) = response.into_parts();
    Some(if head.headers.contains_key("grpc-status") {
        // All there is.
        Either::Left(stream::iter([Ok(Frame::trailers(head.headers))]))
    } else {
        Either::Right(BodyStream::new(body))
    })
}

fn cut() -> Result<Frame<Bytes>, BoxError> {
    Err(TransportError::new(TransportErrorKind::Broken, "the answer broke off").into())
}

fn too_late() -> TransportError {
    let cause = Error::new(
        Code::DeadlineExceeded,
        "credentials took too long to be had",
    );
    let message = "the time for the call was over before it was sent";
    // Of this kind, so that no other interface waits for the same once more.
    TransportError::new(TransportErrorKind::Credentials, message)
        .with_source(cause)
        .unsent()
}

/// Why a request has no token. It may have been sent before, with another one.
fn no_token(error: Error, scheme: &str, again: &Again) -> TransportError {
    let first = again.refused.is_none() && again.scopes.is_none();
    let refused = match &again.refused {
        Some(_) => "the agent refused the token at hand, and there is no other: ",
        None => "",
    };
    let message = format!("{refused}no token for the security scheme {scheme:?}");
    let fault = TransportError::new(TransportErrorKind::Credentials, message).with_source(error);
    match first {
        true => fault.unsent(),
        false => fault,
    }
}

/// How long all attempts together may take.
struct Budget {
    options: CallOptions,
    head: Option<Moment>,
    total: Option<Moment>,
}

impl Budget {
    fn new(options: CallOptions) -> Self {
        Self {
            head: options.head.map(Moment::after),
            total: options.total.map(Moment::after),
            options,
        }
    }

    /// What is left of it.
    ///
    /// # Errors
    /// When nothing is.
    fn left(&self) -> Result<CallOptions, TransportError> {
        let left = |moment: Option<Moment>, whole: Option<Duration>| match moment.zip(whole) {
            None => Ok(None),
            Some((moment, whole)) => match moment.left_of(whole) {
                left if left.is_zero() => Err(too_late()),
                left => Ok(Some(left)),
            },
        };
        Ok(CallOptions {
            head: left(self.head, self.options.head)?,
            total: left(self.total, self.options.total)?,
            ..self.options
        })
    }
}

impl Transport for Dressed {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if self.interceptors.is_empty() && self.credentials.is_empty() && self.schemes.is_none() {
            return self.transport.send(request, options);
        }
        Box::pin(self.guarded_send(request, options))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.transport.sleep(duration)
    }
}
