//! Secrets and other things that every request gets on its way out.
//!
//! Comes in: requests of all bindings, and those for the card. Goes out: the same with credentials,
//! where they belong to the origin that is called, and with what [`Interceptor`]s add.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use http::header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Request, Response, Uri};

use super::address;
use super::location::Origin;
use super::query::QueryWriter;
use super::transport::{CallOptions, Transport, TransportError, TransportErrorKind};
use crate::body::Body;
use crate::error::{Code, Error};
use crate::service::BoxFuture;

/// A secret, how it is shown to an agent, and to whom.
///
/// It goes to one origin (scheme, host and port): the one of the address that the client connects
/// to, or the one that [`Credentials::for_origin`] names. An interface of the card that lies
/// elsewhere does not get it. `Debug` does not print it.
///
/// ```
/// use a2a_kit::client::{Client, Credentials};
/// let builder = Client::builder()
///     .credentials(Credentials::bearer("token"))
///     .credentials(Credentials::api_key_header("X-Api-Key", "key").for_origin("https://api.example.com"));
/// assert!(!format!("{builder:?}").contains("token"));
/// ```
#[derive(Clone)]
pub struct Credentials {
    kind: Result<Kind, String>,
    origin: Option<Result<Origin, Error>>,
}

#[derive(Clone)]
enum Kind {
    Header(HeaderName, HeaderValue),
    /// `name=value`, percent-encoded.
    Query(String),
    /// `name=value`.
    Cookie(HeaderValue),
}

impl Credentials {
    fn new(kind: Result<Kind, String>) -> Self {
        Self { kind, origin: None }
    }

    /// `Authorization: Bearer …`, for OAuth 2, OpenID Connect and HTTP bearer tokens.
    #[must_use]
    pub fn bearer(token: impl AsRef<str>) -> Self {
        Self::header(
            AUTHORIZATION,
            &format!("Bearer {}", token.as_ref()),
            "the bearer token",
        )
    }

    /// `Authorization: Basic …`.
    #[must_use]
    pub fn basic(user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
        let (user, password) = (user.as_ref(), password.as_ref());
        if user.contains(':') {
            return Self::new(Err(
                "the user of basic credentials has a colon in it".to_owned()
            ));
        }
        let text = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        Self::header(AUTHORIZATION, &format!("Basic {text}"), "basic credentials")
    }

    /// An API key in a header.
    #[must_use]
    pub fn api_key_header(name: impl AsRef<str>, key: impl AsRef<str>) -> Self {
        let name = name.as_ref();
        match HeaderName::try_from(name) {
            Ok(header) => Self::header(header, key.as_ref(), "the API key"),
            Err(_) => Self::new(Err(format!("{name:?} is no name of a header"))),
        }
    }

    /// An API key in the query of the URL.
    #[must_use]
    pub fn api_key_query(name: impl AsRef<str>, key: impl AsRef<str>) -> Self {
        let mut query = QueryWriter::new();
        query.push(name.as_ref(), key.as_ref());
        Self::new(Ok(Kind::Query(query.as_str().to_owned())))
    }

    /// An API key in a cookie.
    #[must_use]
    pub fn api_key_cookie(name: impl AsRef<str>, key: impl AsRef<str>) -> Self {
        let (name, key) = (name.as_ref(), key.as_ref());
        let plain = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b';' | b',' | b'"' | b'\\'))
        };
        if name.is_empty() || name.contains('=') || !plain(name) || !plain(key) {
            return Self::new(Err(format!(
                "the cookie {name:?} has letters that cookies cannot hold"
            )));
        }
        Self::new(secret(&format!("{name}={key}"), "the API key").map(Kind::Cookie))
    }

    fn header(name: HeaderName, text: &str, what: &str) -> Self {
        Self::new(secret(text, what).map(|value| Kind::Header(name, value)))
    }

    /// To whom they go, by any address there: `https://api.example.com`.
    #[must_use]
    pub fn for_origin(mut self, url: impl AsRef<str>) -> Self {
        self.origin = Some(address::http(url.as_ref()).and_then(|uri| {
            Origin::of(&uri)
                .ok_or_else(|| address::wrong(url.as_ref(), "it has no scheme, host and port"))
        }));
        self
    }

    /// Says what is wrong with them, and whom they go to.
    fn bind(self, home: Option<&Origin>) -> Result<Bound, Error> {
        let kind = self
            .kind
            .map_err(|fault| Error::new(Code::InvalidArgument, format!("credentials: {fault}")))?;
        match (self.origin.transpose()?, home) {
            (Some(origin), _) => Ok(Bound { kind, origin }),
            (None, Some(home)) => Ok(Bound {
                kind,
                origin: home.clone(),
            }),
            (None, None) => Err(Error::new(
                Code::InvalidArgument,
                "credentials: nobody knows yet whom they are for; say so with Credentials::for_origin, or with ClientBuilder::base_url",
            )),
        }
    }
}

fn secret(text: &str, what: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::try_from(text).map_err(|_| {
        format!("{what} has letters that headers cannot hold (a line end, perhaps)")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

impl Kind {
    fn name(&self) -> String {
        match self {
            Self::Header(name, _) => format!("header {name}"),
            Self::Query(query) => format!(
                "query parameter {}",
                query.split('=').next().unwrap_or_default()
            ),
            Self::Cookie(_) => "cookie".to_owned(),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self
            .kind
            .as_ref()
            .map_or_else(|_| "invalid".to_owned(), Kind::name);
        let mut out = f.debug_struct("Credentials");
        out.field("kind", &name);
        if let Some(Ok(origin)) = &self.origin {
            out.field("origin", &format_args!("{origin}"));
        }
        out.finish_non_exhaustive()
    }
}

/// Credentials that know whom they go to.
#[derive(Clone)]
struct Bound {
    kind: Kind,
    origin: Origin,
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.kind.name(), self.origin)
    }
}

impl Bound {
    fn add(&self, head: &mut http::request::Parts) -> Result<(), TransportError> {
        match &self.kind {
            // What was set for this one call is meant for it.
            Kind::Header(name, _) if head.headers.contains_key(name) => {}
            Kind::Header(name, value) => {
                head.headers.insert(name.clone(), value.clone());
            }
            Kind::Query(query) => head.uri = with_query(&head.uri, query)?,
            Kind::Cookie(cookie) => {
                let value = match head.headers.get(COOKIE) {
                    None => cookie.clone(),
                    Some(others) => joined(others, cookie)?,
                };
                head.headers.insert(COOKIE, value);
            }
        }
        Ok(())
    }
}

fn joined(others: &HeaderValue, cookie: &HeaderValue) -> Result<HeaderValue, TransportError> {
    let all = [others.as_bytes(), b"; ", cookie.as_bytes()].concat();
    let mut all =
        HeaderValue::try_from(all).map_err(|_| refused("the cookies cannot be put together"))?;
    all.set_sensitive(true);
    Ok(all)
}

fn with_query(uri: &Uri, query: &str) -> Result<Uri, TransportError> {
    let target = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let separator = if target.contains('?') { '&' } else { '?' };
    let mut parts = uri.clone().into_parts();
    // The cause would quote the secret.
    let target = PathAndQuery::try_from(format!("{target}{separator}{query}"))
        .map_err(|_| refused("the URL has no room for the API key"))?;
    parts.path_and_query = Some(target);
    Uri::from_parts(parts).map_err(|_| refused("the URL has no room for the API key"))
}

fn refused(message: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Request, message).unsent()
}

/// Looks at every request before it leaves: for the card, and of every binding.
///
/// It may add headers (a trace context, a token that it has fetched), or refuse the request. It sees
/// no [`Credentials`], which are added after it. Secrets of its own it should only add after a look
/// at the host in `head.uri`: a card may name interfaces on other hosts.
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
pub(super) struct DefaultHeaders(pub(super) http::HeaderMap);

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

/// A transport whose requests are seen by interceptors and get credentials.
#[derive(Debug, Clone)]
pub(super) struct Dressed {
    transport: Arc<dyn Transport>,
    interceptors: Arc<[Arc<dyn Interceptor>]>,
    credentials: Arc<[Bound]>,
}

impl Dressed {
    /// `home` is whom credentials are for that do not say so.
    pub(super) fn new(
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
        })
    }

    /// For whom there are credentials, when the origin that refused a call was not among them.
    pub(super) fn others(&self, origin: Option<&Origin>) -> Option<String> {
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

    async fn dressed_send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> Result<Response<Body>, TransportError> {
        let (mut head, body) = request.into_parts();
        for interceptor in &*self.interceptors {
            // Whatever it says: nothing has been sent yet.
            let looked = interceptor.before(&mut head).await;
            looked.map_err(TransportError::unsent)?;
        }
        // After the interceptors: what counts is where the request goes in the end.
        let origin = Origin::of(&head.uri);
        for bound in self
            .credentials
            .iter()
            .filter(|bound| Some(&bound.origin) == origin.as_ref())
        {
            bound.add(&mut head)?;
        }
        let response = self
            .transport
            .send(Request::from_parts(head, body), options)
            .await?;
        if self.interceptors.is_empty() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        for interceptor in &*self.interceptors {
            interceptor.after(&head);
        }
        Ok(Response::from_parts(head, body))
    }
}

impl Transport for Dressed {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if self.interceptors.is_empty() && self.credentials.is_empty() {
            return self.transport.send(request, options);
        }
        Box::pin(self.dressed_send(request, options))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.transport.sleep(duration)
    }
}

#[cfg(test)]
mod tests;
