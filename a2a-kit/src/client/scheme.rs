//! Credentials that the card of an agent puts in their place.
//!
//! Comes in: secrets, by the name of a security scheme or for whichever fits; the card; a request.
//! Goes out: what the request is to carry: that of the first requirement of the card which this
//! client can meet, and nothing else. Or why it can meet none.

mod choice;
mod schemes;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use a2a_wire::v1_0::SecurityScheme;
use a2a_wire::v1_0::security_scheme::Scheme;

use super::credentials::{self, Place, Secret};
use super::location::Origin;
#[cfg(feature = "oauth2")]
use super::oauth::OAuthClient;
use super::token::{AnySource, TokenSource};
use crate::error::Error;
pub(super) use choice::{Grant, Granted, Wanted};
pub(super) use schemes::Schemes;

/// A secret for a security scheme of an agent's card. Where it goes, the card says; whether it is
/// sent, too: only what one of the card's requirements asks for leaves.
///
/// It goes to one origin (scheme, host and port): the one of the address that the client connects
/// to, or those that [`SchemeCredentials::for_origin`] names. An interface of the card that lies
/// elsewhere does not get it. `Debug` does not print it.
///
/// ```
/// use a2a_kit::client::{Client, SchemeCredentials};
/// let builder = Client::builder()
///     .scheme("company-key", SchemeCredentials::api_key("key"))
///     .any_scheme(SchemeCredentials::bearer("open sesame"));
/// assert!(!format!("{builder:?}").contains("sesame"));
/// ```
#[derive(Clone)]
pub struct SchemeCredentials {
    kind: Kind,
    origins: Vec<Result<Origin, Error>>,
}

#[derive(Clone)]
enum Kind {
    Key(Secret),
    Basic(Result<Secret, String>),
    Bearer(Secret),
    Http(Secret),
    Tokens(Arc<dyn AnySource>),
    #[cfg(feature = "oauth2")]
    OAuth(Arc<OAuthClient>),
    Certificate,
}

/// What a scheme gets.
#[derive(Clone)]
enum Given {
    Place(Place),
    Source(Arc<dyn AnySource>),
    /// It is shown elsewhere.
    Nothing,
}

impl SchemeCredentials {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            origins: Vec::new(),
        }
    }

    /// An API key. The card says in which header, query parameter or cookie it goes.
    #[must_use]
    pub fn api_key(key: impl Into<String>) -> Self {
        Self::new(Kind::Key(Secret::new(key)))
    }

    /// A bearer token that stays the same: for OAuth 2, OpenID Connect and HTTP bearer.
    #[must_use]
    pub fn bearer(token: impl Into<String>) -> Self {
        Self::new(Kind::Bearer(Secret::new(token)))
    }

    /// User and password, for HTTP basic.
    #[must_use]
    pub fn basic(user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
        Self::new(Kind::Basic(credentials::basic(
            user.as_ref(),
            password.as_ref(),
        )))
    }

    /// For any other scheme of HTTP: what follows its name in `Authorization`.
    #[must_use]
    pub fn http(rest: impl Into<String>) -> Self {
        Self::new(Kind::Http(Secret::new(rest)))
    }

    /// Bearer tokens that are renewed; see [`TokenSource`].
    #[must_use]
    pub fn tokens(source: impl TokenSource) -> Self {
        Self::new(Kind::Tokens(Arc::new(source)))
    }

    /// Bearer tokens that an authorization server gives this client for its own id and secret.
    #[cfg(feature = "oauth2")]
    #[must_use]
    pub fn oauth(client: OAuthClient) -> Self {
        Self::new(Kind::OAuth(Arc::new(client)))
    }

    /// Says that the transport shows a client certificate, such as one with
    /// `HttpTransportBuilder::identity`. Requests carry nothing for it.
    #[must_use]
    pub fn client_certificate() -> Self {
        Self::new(Kind::Certificate)
    }

    /// To whom they go, by any address there, in place of the agent that the client connects to. Said
    /// more than once, they go to each.
    #[must_use]
    pub fn for_origin(mut self, url: impl AsRef<str>) -> Self {
        self.origins.push(credentials::origin(url.as_ref()));
        self
    }

    /// What they are, in words.
    fn name(&self) -> &'static str {
        match &self.kind {
            Kind::Key(_) => "an API key",
            Kind::Basic(_) => "user and password",
            Kind::Bearer(_) => "a bearer token",
            Kind::Http(_) => "a value of Authorization",
            Kind::Tokens(_) => "a source of tokens",
            #[cfg(feature = "oauth2")]
            Kind::OAuth(_) => "an OAuth client",
            Kind::Certificate => "a client certificate",
        }
    }

    /// True when they are of the kind that a scheme asks for.
    fn fits(&self, scheme: &Scheme) -> bool {
        let is_http = |name: &str| matches!(scheme, Scheme::HttpAuthSecurityScheme(http) if http.scheme.eq_ignore_ascii_case(name));
        let by_token = matches!(
            scheme,
            Scheme::Oauth2SecurityScheme(_) | Scheme::OpenIdConnectSecurityScheme(_)
        );
        match &self.kind {
            Kind::Key(_) => matches!(scheme, Scheme::ApiKeySecurityScheme(_)),
            Kind::Basic(_) => is_http("basic"),
            Kind::Bearer(_) | Kind::Tokens(_) => by_token || is_http("bearer"),
            Kind::Http(_) => matches!(scheme, Scheme::HttpAuthSecurityScheme(_)),
            #[cfg(feature = "oauth2")]
            Kind::OAuth(client) => by_token || (client.names_its_server() && is_http("bearer")),
            Kind::Certificate => matches!(scheme, Scheme::MtlsSecurityScheme(_)),
        }
    }
}

/// What a scheme asks for, in words.
fn asks_for(scheme: Option<&SecurityScheme>) -> String {
    let short = |text: &str| text.chars().take(64).collect::<String>();
    match scheme.map(|scheme| &scheme.scheme) {
        None => "which the card does not declare".to_owned(),
        Some(None) => "of a kind that is not known here".to_owned(),
        Some(Some(Scheme::ApiKeySecurityScheme(key))) => format!(
            "an API key in the {} {:?}",
            short(&key.location),
            short(&key.name)
        ),
        Some(Some(Scheme::HttpAuthSecurityScheme(http))) => {
            format!("HTTP {}", short(&http.scheme))
        }
        Some(Some(Scheme::Oauth2SecurityScheme(_))) => "a token of OAuth 2".to_owned(),
        Some(Some(Scheme::OpenIdConnectSecurityScheme(_))) => {
            "a token of OpenID Connect".to_owned()
        }
        Some(Some(Scheme::MtlsSecurityScheme(_))) => "a client certificate".to_owned(),
    }
}

impl fmt::Debug for SchemeCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origins = self.origins.iter().flatten().map(Origin::to_string);
        f.debug_struct("SchemeCredentials")
            .field("kind", &self.name())
            .field("origins", &origins.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
