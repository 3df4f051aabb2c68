//! The transport over sockets.
//!
//! Comes in: an HTTP request, whole. Goes out: the answer, whose body comes as it arrives. HTTP/1.1
//! or HTTP/2 as the peer offers it, HTTP/2 for gRPC, with TLS (feature `tls`) or without.
//!
//! It stands on hyper's pooled client and not on reqwest, for three reasons. It can tell whether a
//! request has left this side, which decides whether it may be sent again elsewhere. It sends the
//! target as it was built, where a URL type of its own would rewrite `..` and `%2e`. And the server
//! and gRPC use hyper anyway, so that one stack serves all. What reqwest has beyond that (redirects,
//! cookies, decompression) is not wanted here: it would carry credentials to other hosts or blow
//! answers up.

mod body;
mod connect;
#[cfg(all(test, feature = "server"))]
mod tests;
#[cfg(feature = "tls")]
mod tls;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HeaderValue, USER_AGENT};
use http::uri::Scheme;
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector, capture_connection};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;

use super::address;
use super::transport::{CallOptions, Transport, TransportError, TransportErrorKind};
use crate::body::Body;
use crate::error::Error;
use crate::service::BoxFuture;
use body::Timed;
use connect::Connector;

/// What servers see in their logs, unless the caller names itself.
const NAME: HeaderValue = HeaderValue::from_static(concat!("a2a-kit/", env!("CARGO_PKG_VERSION")));
/// How long a connection may take to be there, unless the builder says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// When a connection that should bring something is silent for so long, it is asked whether it is
/// still alive.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long the answer to that may take.
const KEEP_ALIVE_ANSWER: Duration = Duration::from_secs(20);

/// Sends requests over sockets, and keeps connections for the next ones. Cheap to clone; clones
/// share connections. Needs a tokio runtime.
///
/// Redirects are not followed and there are no cookies: a request never goes to another host than
/// the one that it was made for.
///
/// ```
/// use std::time::Duration;
/// use a2a_kit::client::HttpTransport;
/// let transport = HttpTransport::new();
/// let patient = HttpTransport::builder().connect_timeout(Duration::from_secs(60)).build()?;
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Clone)]
pub struct HttpTransport(Arc<Inner>);

struct Inner {
    settings: HttpTransportBuilder,
    /// Without TLS: HTTP/1.1, and HTTP/2 with prior knowledge.
    plain: [OnceLock<Plain>; 2],
    /// With TLS: what the peer prefers, and HTTP/2 only.
    #[cfg(feature = "tls")]
    tls: [OnceLock<Result<Secure, Error>>; 2],
}

type Plain = Client<Connector<HttpConnector>, Full<Bytes>>;
#[cfg(feature = "tls")]
type Secure = Client<Connector<hyper_rustls::HttpsConnector<HttpConnector>>, Full<Bytes>>;

impl HttpTransport {
    /// A transport with the usual settings.
    #[must_use]
    pub fn new() -> Self {
        Self::from_settings(HttpTransportBuilder::default())
    }

    /// Settings, to begin with.
    #[must_use]
    pub fn builder() -> HttpTransportBuilder {
        HttpTransportBuilder::default()
    }

    fn from_settings(settings: HttpTransportBuilder) -> Self {
        Self(Arc::new(Inner {
            settings,
            plain: Default::default(),
            #[cfg(feature = "tls")]
            tls: Default::default(),
        }))
    }
}

impl Default for HttpTransport {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport")
            .field("connect_timeout", &self.0.settings.connect_timeout)
            .finish_non_exhaustive()
    }
}

/// Settings of an [`HttpTransport`].
#[derive(Debug, Clone)]
pub struct HttpTransportBuilder {
    connect_timeout: Duration,
    #[cfg(feature = "tls")]
    roots: tls::Roots,
    #[cfg(feature = "tls")]
    identity: Option<tls::Identity>,
}

impl Default for HttpTransportBuilder {
    fn default() -> Self {
        Self {
            connect_timeout: CONNECT_TIMEOUT,
            #[cfg(feature = "tls")]
            roots: tls::Roots::default(),
            #[cfg(feature = "tls")]
            identity: None,
        }
    }
}

impl HttpTransportBuilder {
    /// How long a connection may take to be there, TLS included: 10 seconds by default.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Trusts the certificates of a PEM text too, as issuers of servers' certificates.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn root_certificates(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.roots.add(pem.as_ref());
        self
    }

    /// Trusts the given root certificates alone, not those of the system.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn only_given_roots(mut self) -> Self {
        self.roots.only_given();
        self
    }

    /// Shows a client certificate to servers that ask for one: a PEM text with the certificate and
    /// those of its issuers, and one with its private key. They may be the same text.
    ///
    /// It is shown to every such server. That gives nobody the key, but tells who calls.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn identity(mut self, certificates: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Self {
        self.identity = Some(tls::Identity::new(certificates.as_ref(), key.as_ref()));
        self
    }

    /// Makes the transport.
    ///
    /// # Errors
    /// When a root certificate is none, or a client certificate and its key do not fit.
    pub fn build(self) -> Result<HttpTransport, Error> {
        #[cfg(feature = "tls")]
        {
            self.roots.check()?;
            if let Some(identity) = &self.identity {
                identity.check()?;
            }
        }
        Ok(HttpTransport::from_settings(self))
    }
}

impl Inner {
    fn tcp(&self) -> HttpConnector {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEP_ALIVE));
        // For all addresses of a host together, so that one that does not answer leaves time for
        // the others.
        tcp.set_connect_timeout(Some(self.settings.connect_timeout));
        tcp
    }

    fn client<C: Connect + Clone>(&self, connector: C, http2_only: bool) -> Client<C, Full<Bytes>> {
        Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .http2_only(http2_only)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(KEEP_ALIVE_ANSWER)
            .build(connector)
    }

    fn plain(&self, http2: bool) -> &Plain {
        self.plain[usize::from(http2)].get_or_init(|| {
            self.client(
                Connector::new(self.tcp(), self.settings.connect_timeout),
                http2,
            )
        })
    }

    /// Made when first asked for: the system's certificates take a moment to read.
    #[cfg(feature = "tls")]
    fn tls(&self, http2: bool) -> Result<&Secure, Error> {
        let made = self.tls[usize::from(http2)].get_or_init(|| {
            let identity = self.settings.identity.as_ref();
            let connector = tls::connector(self.tcp(), &self.settings.roots, identity, http2)?;
            Ok(self.client(
                Connector::new(connector, self.settings.connect_timeout),
                http2,
            ))
        });
        made.as_ref().map_err(Clone::clone)
    }

    async fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> Result<Response<Body>, TransportError> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(refused(
                "the client needs a tokio runtime; call it from inside of one",
            ));
        }
        let http2 = request.version() == Version::HTTP_2;
        let mut request = request.map(Full::new);
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        match request.uri().scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => {
                exchange(self.plain(http2), request, options).await
            }
            #[cfg(feature = "tls")]
            Some(scheme) if *scheme == Scheme::HTTPS => match self.tls(http2) {
                Ok(client) => exchange(client, request, options).await,
                Err(error) => Err(
                    TransportError::new(TransportErrorKind::Tls, error.message())
                        .unsent()
                        .with_source(error),
                ),
            },
            #[cfg(not(feature = "tls"))]
            Some(scheme) if *scheme == Scheme::HTTPS => Err(refused(
                "https needs the feature `tls` of a2a-kit, without which this program was built",
            )),
            _ => Err(refused(format!(
                "{} is no http or https URL",
                address::shown(&request.uri().to_string())
            ))),
        }
    }
}

fn refused(message: impl Into<String>) -> TransportError {
    TransportError::new(TransportErrorKind::Request, message).unsent()
}

/// Sends a request and waits for the head of the answer.
async fn exchange<C>(
    client: &Client<C, Full<Bytes>>,
    mut request: Request<Full<Bytes>>,
    options: CallOptions,
) -> Result<Response<Body>, TransportError>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let place = place(&request);
    let connection = capture_connection(&mut request);
    let answer = client.request(request);
    let limit = options.head.into_iter().chain(options.total).min();
    let end = options
        .total
        .and_then(|total| Instant::now().checked_add(total));
    let answer = match limit {
        None => answer.await,
        Some(limit) => match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer,
            Err(_elapsed) => {
                let error = TransportError::new(
                    TransportErrorKind::Timeout,
                    format!("{place} did not answer within {limit:?}"),
                );
                return Err(if connection.connection_metadata().is_some() {
                    error
                } else {
                    error.unsent()
                });
            }
        },
    };
    match answer {
        Ok(response) => {
            Ok(response.map(|body| Body::new(Timed::new(body, place, options.idle, end))))
        }
        Err(error) => {
            let unsent = error.is_connect()
                || connection.connection_metadata().is_none()
                || connect::is_canceled(&error);
            let error = connect::explain(error, &place);
            Err(if unsent { error.unsent() } else { error })
        }
    }
}

/// Where a request goes, for messages: never its path or query, which may hold secrets.
fn place<B>(request: &Request<B>) -> String {
    let uri = request.uri();
    format!(
        "{}://{}",
        uri.scheme_str().unwrap_or("http"),
        uri.authority().map_or("", |authority| authority.as_str())
    )
}

impl Transport for HttpTransport {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(self.0.send(request, options))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
