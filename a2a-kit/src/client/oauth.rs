//! Tokens by OAuth 2, for the client's own id and secret (RFC 6749, 4.4).
//!
//! Comes in: id and secret, what the card says about its flow, scopes. Goes out: a token; or why
//! there is none, without a secret. The client's secret goes to no address that only a card has
//! named, unless that is where the agent itself is. (What the library for OAuth and the requests hold
//! in between is not overwritten; it is gone when the answer is there.)

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use a2a_wire::v1_0::o_auth_flows::Flow;
use a2a_wire::v1_0::security_scheme::Scheme;
use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use oauth2::basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType, BasicTokenType};
use oauth2::{
    AsyncHttpClient, AuthType, ClientId, ClientSecret, HttpRequest, HttpResponse,
    RequestTokenError, Scope, StandardErrorResponse, TokenResponse as _, TokenUrl,
};
use zeroize::Zeroize as _;

use super::credentials::{self, Secret};
use super::location::Origin;
use super::token::{AnySource, Token, TokenRequest};
use super::transport::{CallOptions, Transport};
use super::{address, card};
use crate::body::BoxError;
use crate::error::{Code, Error};
use crate::service::BoxFuture;

/// How long an authorization server may take.
const LIMIT: Duration = Duration::from_secs(30);
/// What its answer may weigh.
const MOST_BYTES: usize = 64 << 10;

/// A client that is known to an authorization server, by an id and a secret of its own.
///
/// The card says where tokens are to be had (`tokenUrl` of its client credentials flow) and with
/// which scopes. Whoever writes a card could have secrets sent to himself that way, so an address
/// from a card is used only if it is at the agent's own origin, or at one that
/// [`OAuthClient::token_origin`] names. [`OAuthClient::token_url`] names the address itself, whatever
/// the card says.
///
/// ```
/// use a2a_kit::client::{Client, OAuthClient, SchemeCredentials};
/// let client = OAuthClient::new("my-id", "my-secret").token_origin("https://login.example.com");
/// let builder = Client::builder().scheme("oauth", SchemeCredentials::oauth(client));
/// ```
pub struct OAuthClient {
    id: String,
    secret: Secret,
    url: Option<String>,
    origins: Vec<Result<Origin, Error>>,
    scopes: Vec<String>,
    only: Option<BTreeSet<String>>,
    parameters: Vec<(String, String)>,
    in_body: bool,
}

impl OAuthClient {
    /// A client with its id and secret.
    #[must_use]
    pub fn new(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            secret: Secret::new(secret),
            url: None,
            origins: Vec::new(),
            scopes: Vec::new(),
            only: None,
            parameters: Vec::new(),
            in_body: false,
        }
    }

    /// Where tokens are to be had, in place of what the card says. Needed where the card does not say
    /// it, as for OpenID Connect.
    #[must_use]
    pub fn token_url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Trusts addresses of the card that are at this origin (scheme, host and port), by any address
    /// there. Said more than once, each of them is trusted.
    #[must_use]
    pub fn token_origin(mut self, url: impl AsRef<str>) -> Self {
        self.origins.push(credentials::origin(url.as_ref()));
        self
    }

    /// Asks for these scopes too, whatever the card says.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Asks for no other scopes than these: a call for which the agent wants others fails. Otherwise
    /// the agent gets a token with whatever scopes it asks for, as far as the authorization server
    /// gives them.
    #[must_use]
    pub fn only_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.only = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a parameter to the request for a token, such as `audience` or `resource`.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sends id and secret in the body of the request, for servers that do not take them in its head.
    #[must_use]
    pub fn secret_in_body(mut self) -> Self {
        self.in_body = true;
        self
    }

    /// True when it needs nothing that only a card of OAuth 2 says.
    pub(super) fn names_its_server(&self) -> bool {
        self.url.is_some()
    }

    /// The source of the tokens for a scheme of the card.
    pub(super) fn source(
        self: &Arc<Self>,
        scheme: &Scheme,
        home: Option<&Origin>,
        transport: &Arc<dyn Transport>,
    ) -> Result<Source, String> {
        let (url, by_card) = match &self.url {
            Some(url) => (url.as_str(), false),
            None => (token_url(scheme)?, true),
        };
        let shown = address::shown(url);
        let parsed = address::http(url).map_err(|error| error.message().to_owned())?;
        let origin = Origin::of(&parsed).ok_or_else(|| format!("{shown:?} is no address"))?;
        if by_card {
            let mut trusted: Vec<Origin> = home.cloned().into_iter().collect();
            for origin in &self.origins {
                trusted.push(origin.clone().map_err(|error| error.message().to_owned())?);
            }
            if !trusted.contains(&origin) {
                return Err(format!(
                    "the card names {shown} as the address for tokens, which is not where the agent is; if the client's secret may go there, say so with OAuthClient::token_origin(\"{origin}\") or OAuthClient::token_url"
                ));
            }
        }
        if parsed.scheme_str() != Some("https") && !is_loopback(origin.host()) {
            return Err(format!(
                "the address for tokens, {shown}, is not https; the client's secret does not go over a line that anybody can read"
            ));
        }
        // Parsers may see different hosts in one text.
        let checked = TokenUrl::new(url.to_owned())
            .ok()
            .and_then(|url| url.as_str().parse::<Uri>().ok())
            .filter(|uri| Origin::of(uri).as_ref() == Some(&origin));
        if checked.is_none() {
            return Err(format!("the address for tokens, {shown}, is no plain URL"));
        }
        Ok(Source(Arc::new(Server {
            client: Arc::clone(self),
            url: url.to_owned(),
            place: card::shown(&parsed),
            origin,
            transport: Arc::clone(transport),
        })))
    }
}

/// The address that a scheme names for the flow of client credentials.
fn token_url(scheme: &Scheme) -> Result<&str, String> {
    let say = "say where tokens are to be had with OAuthClient::token_url";
    match scheme {
        Scheme::Oauth2SecurityScheme(oauth) => {
            let flow = oauth.flows.as_ref().and_then(|flows| flows.flow.as_ref());
            match flow {
                Some(Flow::ClientCredentials(flow)) if !flow.token_url.is_empty() => {
                    Ok(&flow.token_url)
                }
                Some(Flow::ClientCredentials(_)) => Err(format!(
                    "the card says nothing about where its tokens are to be had; {say}"
                )),
                _ => Err(format!(
                    "the card has no flow of client credentials, for a client without a person; if its authorization server has one, {say}, or bring tokens with SchemeCredentials::tokens"
                )),
            }
        }
        _ => Err(format!("the card does not say it for this scheme; {say}")),
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost",
    }
}

/// The tokens of a client at one address.
pub(super) struct Source(Arc<Server>);

struct Server {
    client: Arc<OAuthClient>,
    url: String,
    /// For messages.
    place: String,
    origin: Origin,
    transport: Arc<dyn Transport>,
}

impl AnySource for Source {
    fn ask(&self, wanted: TokenRequest) -> BoxFuture<'_, Result<Token, BoxError>> {
        Box::pin(async move {
            let scopes = self.0.scopes(&wanted)?;
            Ok(fetch(&self.0, &scopes).await?)
        })
    }
}

async fn fetch(server: &Arc<Server>, scopes: &BTreeSet<String>) -> Result<Token, Error> {
    let url = TokenUrl::new(server.url.clone())
        .map_err(|_| server.fault(Code::InvalidArgument, "it is no URL"))?;
    let known = &server.client;
    let client = BasicClient::new(ClientId::new(known.id.clone()))
        .set_client_secret(ClientSecret::new(known.secret.text().to_owned()))
        .set_auth_type(match known.in_body {
            true => AuthType::RequestBody,
            false => AuthType::BasicAuth,
        })
        .set_token_uri(url);
    let mut request = client
        .exchange_client_credentials()
        .add_scopes(scopes.iter().cloned().map(Scope::new));
    for (name, value) in &known.parameters {
        request = request.add_extra_param(name.clone(), value.clone());
    }
    let post = Post {
        server: Arc::clone(server),
        status: Mutex::new(StatusCode::OK),
    };
    let answer = request.request_async(&post).await;
    let status = *post.status();
    let answer = answer.map_err(|error| server.explain(error, scopes, status))?;
    if *answer.token_type() != BasicTokenType::Bearer {
        return Err(server.fault(
            Code::FailedPrecondition,
            "its token is no bearer token, and this client can show no other",
        ));
    }
    let token = Token::new(answer.access_token().secret().as_str());
    Ok(match answer.expires_in() {
        Some(lifetime) => token.expires_in(lifetime),
        None => token,
    })
}

/// One request for a token.
struct Post {
    server: Arc<Server>,
    /// Of the answer.
    status: Mutex<StatusCode>,
}

impl Post {
    fn status(&self) -> MutexGuard<'_, StatusCode> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'c> AsyncHttpClient<'c> for Post {
    type Error = Error;
    type Future = BoxFuture<'c, Result<HttpResponse, Error>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let answer = self.server.post(request).await?;
            *self.status() = answer.status();
            Ok(answer)
        })
    }
}

impl Server {
    fn scopes(&self, wanted: &TokenRequest) -> Result<BTreeSet<String>, Error> {
        let mut scopes: BTreeSet<String> = wanted.scopes().iter().cloned().collect();
        if let Some(only) = &self.client.only {
            let others: Vec<&str> = scopes.difference(only).map(String::as_str).collect();
            if !others.is_empty() {
                let others: String = others.join(" ").chars().take(256).collect();
                return Err(Error::new(
                    Code::PermissionDenied,
                    format!(
                        "the agent wants the scopes {others}, which OAuthClient::only_scopes leaves out"
                    ),
                ));
            }
        }
        scopes.extend(self.client.scopes.iter().cloned());
        Ok(scopes)
    }

    async fn post(&self, request: HttpRequest) -> Result<HttpResponse, Error> {
        let (head, body) = request.into_parts();
        // What is checked is what is sent.
        if Origin::of(&head.uri).as_ref() != Some(&self.origin) {
            return Err(self.fault(Code::Internal, "the request would go elsewhere"));
        }
        let request = Request::from_parts(head, Bytes::from(body));
        let exchange = std::pin::pin!(self.exchange(request));
        match select(exchange, self.transport.sleep(LIMIT)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(self.fault(
                Code::Unavailable,
                &format!("there was no answer within {LIMIT:?}"),
            )),
        }
    }

    async fn exchange(&self, mut request: Request<Bytes>) -> Result<HttpResponse, Error> {
        for value in request.headers_mut().values_mut() {
            value.set_sensitive(true);
        }
        let options = CallOptions {
            head: Some(LIMIT),
            total: Some(LIMIT),
            ..CallOptions::default()
        };
        let response = self.transport.send(request, options).await?;
        let (head, body) = response.into_parts();
        if head.status.is_redirection() {
            let status = head.status;
            return Err(self.fault(
                Code::FailedPrecondition,
                &format!("it redirects ({status}), which is not followed, since it would take the client's secret along; name the address itself with OAuthClient::token_url"),
            ));
        }
        let body = Limited::new(body, MOST_BYTES).collect().await;
        let body = body.map_err(|error| match error.is::<LengthLimitError>() {
            true => self.fault(
                Code::ResourceExhausted,
                &format!("its answer is larger than {MOST_BYTES} bytes"),
            ),
            false => self.fault(Code::Unavailable, "its answer broke off"),
        })?;
        Ok(http::Response::from_parts(head, body.to_bytes().to_vec()))
    }

    /// An answer without a token, in words that quote nothing of what may be secret.
    fn explain(
        &self,
        error: RequestTokenError<Error, BasicErrorResponse>,
        scopes: &BTreeSet<String>,
        status: StatusCode,
    ) -> Error {
        let answered = format!("it answered {status}");
        match error {
            RequestTokenError::Request(error) => match error.transport() {
                Some(_) => self.fault(error.code(), error.message()).with_source(error),
                None => error,
            },
            RequestTokenError::ServerResponse(error) => self.refused(&error, scopes),
            RequestTokenError::Parse(error, mut body) => {
                body.zeroize();
                let path = error.path().to_string();
                let what = match status {
                    StatusCode::OK => "the answer",
                    _ => "an error",
                };
                let why = format!(
                    "{answered}, and not with {what} that OAuth 2 lays down (at {path:?}); is it the address for tokens?"
                );
                self.fault(code_of(status), &why)
            }
            RequestTokenError::Other(_) => {
                let why = format!("{answered}, and not with JSON; is it the address for tokens?");
                self.fault(code_of(status), &why)
            }
        }
    }

    fn refused(
        &self,
        error: &StandardErrorResponse<BasicErrorResponseType>,
        scopes: &BTreeSet<String>,
    ) -> Error {
        let name: &str = error.error().as_ref();
        let why = match error.error() {
            BasicErrorResponseType::InvalidClient => {
                "it does not know the client's id, or the secret is wrong; some servers want them in the body: OAuthClient::secret_in_body".to_owned()
            }
            BasicErrorResponseType::UnauthorizedClient
            | BasicErrorResponseType::UnsupportedGrantType => {
                "it gives this client no tokens for its own id and secret; its settings there say which flows it may use".to_owned()
            }
            BasicErrorResponseType::InvalidScope => {
                let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
                format!("it does not give the scopes {}", scopes.join(" "))
            }
            _ => "it refused".to_owned(),
        };
        let code = match error.error() {
            BasicErrorResponseType::InvalidScope => Code::PermissionDenied,
            _ => Code::Unauthenticated,
        };
        let name = self.told(name);
        let description = error.error_description().map(|text| self.told(text));
        let description = description.map_or_else(String::new, |text| format!(", {text:?}"));
        self.fault(code, &format!("{why} ({name}{description})"))
    }

    /// What the server says, on one line; nothing of it when it repeats the secret.
    fn told(&self, text: &str) -> String {
        if text.contains(self.client.secret.text()) {
            return "…".to_owned();
        }
        let plain = |letter: &char| !letter.is_control();
        text.chars().filter(plain).take(200).collect()
    }

    fn fault(&self, code: Code, why: &str) -> Error {
        Error::new(
            code,
            format!("the address for tokens, {}: {why}", self.place),
        )
    }
}

/// The server's own trouble passes, perhaps.
fn code_of(status: StatusCode) -> Code {
    match status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        true => Code::Unavailable,
        false => Code::FailedPrecondition,
    }
}

impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClient")
            .field("id", &self.id)
            .field("token_url", &self.url.as_deref().map(address::shown))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
