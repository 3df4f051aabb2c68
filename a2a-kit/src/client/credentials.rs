//! Secrets and other things that every request gets on its way out.
//!
//! Comes in: requests of all bindings, and those for the card. Goes out: the same with credentials,
//! where they belong to the origin that is called, and with what [`Interceptor`]s add.

mod dressed;
mod interceptor;
mod place;
mod secret;

use std::fmt;

use base64::Engine as _;
use zeroize::Zeroizing;

use super::address;
use super::location::Origin;
use crate::error::{Code, Error};

pub(super) use dressed::Dressed;
pub(super) use interceptor::DefaultHeaders;
pub use interceptor::Interceptor;
pub(super) use place::Place;
pub(super) use secret::Secret;

/// A secret, how it is shown to an agent, and to whom.
///
/// It is shown with every request to one origin (scheme, host and port): the one of the address that
/// the client connects to, or the one that [`Credentials::for_origin`] names. An interface of the
/// card that lies elsewhere does not get it. `Debug` does not print it. What only the agent's card
/// knows, where the secret goes and whether it is asked for, is left to the card by
/// [`SchemeCredentials`](super::SchemeCredentials).
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
    place: Result<Place, String>,
    origin: Option<Result<Origin, Error>>,
}

impl Credentials {
    fn new(place: Result<Place, String>) -> Self {
        Self {
            place,
            origin: None,
        }
    }

    /// `Authorization: Bearer …`, for OAuth 2, OpenID Connect and HTTP bearer tokens.
    #[must_use]
    pub fn bearer(token: impl AsRef<str>) -> Self {
        Self::new(Place::authorization(
            "Bearer",
            token.as_ref(),
            "the bearer token",
        ))
    }

    /// `Authorization: Basic …`.
    #[must_use]
    pub fn basic(user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
        let place = basic(user.as_ref(), password.as_ref());
        Self::new(
            place.and_then(|text| {
                Place::authorization("Basic", text.text(), "the basic credentials")
            }),
        )
    }

    /// An API key in a header.
    #[must_use]
    pub fn api_key_header(name: impl AsRef<str>, key: impl AsRef<str>) -> Self {
        Self::new(Place::key_in_header(name.as_ref(), key.as_ref()))
    }

    /// An API key in the query of the URL.
    #[must_use]
    pub fn api_key_query(name: impl AsRef<str>, key: impl AsRef<str>) -> Self {
        Self::new(Ok(Place::key_in_query(name.as_ref(), key.as_ref())))
    }

    /// An API key in a cookie.
    #[must_use]
    pub fn api_key_cookie(name: impl AsRef<str>, key: impl AsRef<str>) -> Self {
        Self::new(Place::key_in_cookie(name.as_ref(), key.as_ref()))
    }

    /// To whom they go, by any address there: `https://api.example.com`.
    #[must_use]
    pub fn for_origin(mut self, url: impl AsRef<str>) -> Self {
        self.origin = Some(origin(url.as_ref()));
        self
    }

    /// Says what is wrong with them, and whom they go to.
    fn bind(self, home: Option<&Origin>) -> Result<Bound, Error> {
        let place = self
            .place
            .map_err(|fault| Error::new(Code::InvalidArgument, format!("credentials: {fault}")))?;
        match (self.origin.transpose()?, home) {
            (Some(origin), _) => Ok(Bound { place, origin }),
            (None, Some(home)) => Ok(Bound {
                place,
                origin: home.clone(),
            }),
            (None, None) => Err(Error::new(
                Code::InvalidArgument,
                "credentials: nobody knows yet whom they are for; say so with Credentials::for_origin, or with ClientBuilder::base_url",
            )),
        }
    }
}

/// The origin of an address.
pub(super) fn origin(url: &str) -> Result<Origin, Error> {
    let uri = address::http(url)?;
    Origin::of(&uri).ok_or_else(|| address::wrong(url, "it has no scheme, host and port"))
}

/// What follows `Basic`.
pub(super) fn basic(user: &str, password: &str) -> Result<Secret, String> {
    if user.contains(':') {
        return Err("the user of basic credentials has a colon in it".to_owned());
    }
    let pair = Zeroizing::new([user, ":", password].concat());
    let text = base64::engine::general_purpose::STANDARD.encode(pair.as_bytes());
    Ok(Secret::new(text))
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self
            .place
            .as_ref()
            .map_or_else(|_| "invalid".to_owned(), Place::name);
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
    place: Place,
    origin: Origin,
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.place.name(), self.origin)
    }
}

#[cfg(test)]
mod tests;
