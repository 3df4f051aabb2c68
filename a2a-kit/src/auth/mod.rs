//! Who calls: credentials are checked before anything else of a call is read.
//!
//! Comes in: the head of a request, whatever its binding, and what the agent card asks for. Goes
//! out: the [`Caller`], or the error that says which credentials are missing, wrong or too weak. It
//! knows nothing of operations, tasks and stores.
//!
//! An agent card says how its callers authenticate: `securitySchemes` names the ways, and
//! `securityRequirements` says which of them are enough. An [`Authenticator`] checks one way, and an
//! [`Authentication`] puts those of a card together:
//!
//! ```
//! use a2a_kit::Caller;
//! use a2a_kit::auth::{ApiKeys, Authentication};
//! use a2a_kit::v1_0::{AgentCard, ApiKeySecurityScheme, SecurityRequirement, SecurityScheme, StringList};
//!
//! let scheme = ApiKeySecurityScheme::new().with_location("header").with_name("X-API-Key");
//! let mut requirement = SecurityRequirement::new();
//! requirement.schemes.insert("key".into(), StringList::new());
//! let mut card = AgentCard::new();
//! card.security_schemes.insert("key".into(), SecurityScheme::new().with_api_key_security_scheme(scheme));
//! card.security_requirements.push(requirement);
//!
//! let keys = ApiKeys::header("X-API-Key").key("a long random text", Caller::known("build-server"));
//! let authentication = Authentication::for_card(&card).scheme("key", keys).build()?;
//! # let _ = authentication;
//! # Ok::<(), a2a_kit::Error>(())
//! ```
//!
//! What is there: [`ApiKeys`], [`BasicUsers`], `JwtBearer` (feature `jwt`), [`ClientCertificates`],
//! [`TrustedProxy`], and [`CallerFromLayer`] for programs that authenticate in a layer of their own.

mod api_key;
mod authentication;
mod basic;
mod builder;
mod certificate;
mod challenge;
mod head;
#[cfg(feature = "jwt")]
mod jwt;
mod layer;
mod proxy;
mod secret;

use std::borrow::Cow;

use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use crate::context::Caller;
use crate::error::Error;
use crate::service::BoxFuture;
use crate::v1_0::SecurityScheme;

pub use api_key::ApiKeys;
pub use authentication::Authentication;
pub use basic::BasicUsers;
pub use builder::AuthenticationBuilder;
pub use certificate::ClientCertificates;
pub use head::{PeerAddress, PeerCertificate, RequestHead};
#[cfg(feature = "jwt")]
pub use jwt::{JwtAlgorithm, JwtBearer};
pub use layer::CallerFromLayer;
pub use proxy::TrustedProxy;

/// Checks credentials of one kind.
///
/// ```
/// use a2a_kit::Caller;
/// use a2a_kit::auth::{Authenticator, Rejection, RequestHead};
/// use http::HeaderName;
///
/// struct Badge;
///
/// impl Authenticator for Badge {
///     async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
///         match head.header(&HeaderName::from_static("x-badge"))? {
///             None => Ok(None),
///             Some("7") => Ok(Some(Caller::known("seven"))),
///             Some(_) => Err(Rejection::invalid("nobody has this badge")),
///         }
///     }
/// }
/// ```
pub trait Authenticator: Send + Sync + 'static {
    /// Who has sent a request; `None` when it has no credentials of this kind.
    ///
    /// # Errors
    /// Credentials of this kind are there and do not hold, or nobody can say at the moment.
    fn authenticate(
        &self,
        head: RequestHead<'_>,
    ) -> impl Future<Output = Result<Option<Caller>, Rejection>> + Send;

    /// Says why this authenticator does not work for a security scheme of the card, or not at all;
    /// asked once, before anything is served. There is no scheme when the card does not tell of this
    /// authenticator.
    ///
    /// # Errors
    /// What does not fit, and what to do.
    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String> {
        let _ = scheme;
        Ok(())
    }

    /// Headers in which its credentials come. They are marked, so that they are not shown where
    /// headers are; `Authorization`, `Proxy-Authorization` and `Cookie` always are.
    fn secret_headers(&self) -> Vec<HeaderName> {
        Vec::new()
    }
}

/// Why credentials do not hold. The reason is shown to the caller and to the log: it must not quote
/// a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    reason: Cow<'static, str>,
    kind: RejectionKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RejectionKind {
    Invalid,
    Unavailable,
}

impl Rejection {
    /// The credentials are wrong.
    #[must_use]
    pub fn invalid(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: reason.into(),
            kind: RejectionKind::Invalid,
        }
    }

    /// Whether the credentials are right cannot be said at the moment. The call is answered by a
    /// fault of the server, never let in.
    #[must_use]
    pub fn unavailable(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: reason.into(),
            kind: RejectionKind::Unavailable,
        }
    }

    /// The reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    fn is_unavailable(&self) -> bool {
        self.kind == RejectionKind::Unavailable
    }
}

/// Says who has sent a request, or why it goes no further. Where nobody is asked, a layer in front may
/// have said it.
///
/// `count_refused` hears of who is refused, as far as known, before the log does.
///
/// # Errors
/// Those of [`Authentication::authenticate`]; that of `count_refused` in their place.
pub(crate) async fn check(
    authentication: Option<&Authentication>,
    request: &mut Parts,
    count_refused: impl FnOnce(&Caller, &Parts) -> Result<(), Error>,
) -> Result<(), Error> {
    match authentication {
        Some(authentication) => authentication
            .check(request, count_refused)
            .await
            .map(|_| ()),
        None => {
            // Clients send credentials where nobody asks for them, too.
            mark_secret(&mut request.headers, &SECRET_HEADERS);
            Ok(())
        }
    }
}

/// Headers that hold credentials whatever the card says.
const SECRET_HEADERS: [HeaderName; 3] = [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE];

/// Marks headers, so that they are not shown where a request or the context of a call is.
fn mark_secret(headers: &mut HeaderMap, names: &[HeaderName]) {
    // `entry` would make room for one that is not there.
    for name in names {
        if headers.contains_key(name)
            && let http::header::Entry::Occupied(mut values) = headers.entry(name)
        {
            for value in values.iter_mut() {
                value.set_sensitive(true);
            }
        }
    }
}

/// Tells clients how to authenticate.
pub(crate) fn add_challenges(error: &Error, headers: &mut HeaderMap) {
    for challenge in error.challenges() {
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            headers.append(WWW_AUTHENTICATE, challenge);
        }
    }
}

/// What every router does last: a service may refuse callers who are not known, and then the answer
/// says how to be.
pub(crate) fn ask_for_credentials<B>(
    authentication: Option<&Authentication>,
    response: &mut Response<B>,
) {
    let unauthenticated = "16";
    let headers = response.headers();
    let is_refused = response.status() == StatusCode::UNAUTHORIZED
        || headers
            .get("grpc-status")
            .is_some_and(|status| status == unauthenticated);
    if !is_refused || headers.contains_key(WWW_AUTHENTICATE) {
        return;
    }
    for challenge in authentication
        .map(Authentication::all_challenges)
        .unwrap_or_default()
    {
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            response.headers_mut().append(WWW_AUTHENTICATE, challenge);
        }
    }
}

/// An [`Authenticator`] whose type is forgotten.
trait ErasedAuthenticator: Send + Sync {
    fn authenticate<'a>(
        &'a self,
        head: RequestHead<'a>,
    ) -> BoxFuture<'a, Result<Option<Caller>, Rejection>>;
}

impl<A: Authenticator> ErasedAuthenticator for A {
    fn authenticate<'a>(
        &'a self,
        head: RequestHead<'a>,
    ) -> BoxFuture<'a, Result<Option<Caller>, Rejection>> {
        Box::pin(Authenticator::authenticate(self, head))
    }
}

#[cfg(test)]
mod tests {
    //! What the tests of authenticators share.

    use http::Request;
    use http::request::Parts;

    use super::{Authenticator, Rejection, RequestHead};
    use crate::context::Caller;

    pub(super) fn head(target: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::get(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    pub(super) async fn ask(
        authenticator: &impl Authenticator,
        request: &Parts,
    ) -> Result<Option<Caller>, Rejection> {
        authenticator.authenticate(RequestHead::new(request)).await
    }

    /// What shows a call to a log.
    #[tokio::test]
    async fn credentials_are_not_shown_even_where_nobody_asks_for_them() {
        let secrets = [
            ("authorization", "Bearer s3cret"),
            ("authorization", "Basic s3cret"),
            ("proxy-authorization", "Basic s3cret"),
            ("cookie", "session=s3cret"),
        ];
        let mut request = head("/", &[secrets, [("x-other", "shown"); 4]].concat());
        super::check(None, &mut request, |_, _| Ok(()))
            .await
            .unwrap();
        let context = crate::CallContext::default().with_headers(request.headers.clone());
        for shown in [format!("{request:?}"), format!("{context:?}")] {
            assert!(!shown.contains("s3cret"), "{shown}");
            assert!(shown.contains("shown"), "{shown}");
        }
    }
}
