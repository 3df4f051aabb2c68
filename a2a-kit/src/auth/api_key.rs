//! API keys: in a header, in the query, in a cookie.
//!
//! Comes in: the head of a request. Goes out: whose key is in it. Every key is compared with every
//! one that is known, in a time that tells nothing of them.

use std::borrow::Cow;

use http::HeaderName;
use http::header::COOKIE;
use percent_encoding::percent_decode_str;

use super::secret::Secret;
use super::{Authenticator, Rejection, RequestHead};
use crate::context::Caller;
use crate::v1_0::SecurityScheme;
use crate::v1_0::security_scheme::Scheme;

/// Callers who are known by an API key.
///
/// ```
/// use a2a_kit::Caller;
/// use a2a_kit::auth::ApiKeys;
/// let keys = ApiKeys::header("X-API-Key")
///     .key("a long random text", Caller::known("build-server"))
///     .key("another one", Caller::known("alice").with_scopes(["tasks.read"]));
/// # let _ = keys;
/// ```
pub struct ApiKeys {
    place: Place,
    name: String,
    keys: Vec<(Secret, Caller)>,
}

enum Place {
    /// The name, or that it is none.
    Header(Option<HeaderName>),
    Query,
    Cookie,
}

impl ApiKeys {
    /// Keys in the header (gRPC: metadata) of this name.
    #[must_use]
    pub fn header(name: impl Into<String>) -> Self {
        let name = name.into();
        Self::new(Place::Header(HeaderName::try_from(&name).ok()), name)
    }

    /// Keys in the query parameter of this name. gRPC clients cannot send it; and queries stand in
    /// the logs of proxies.
    #[must_use]
    pub fn query(name: impl Into<String>) -> Self {
        Self::new(Place::Query, name.into())
    }

    /// Keys in the cookie of this name.
    #[must_use]
    pub fn cookie(name: impl Into<String>) -> Self {
        Self::new(Place::Cookie, name.into())
    }

    fn new(place: Place, name: String) -> Self {
        Self {
            place,
            name,
            keys: Vec::new(),
        }
    }

    /// Adds a key and whose it is. A caller may have several, for example while they are changed.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>, caller: Caller) -> Self {
        self.keys.push((Secret::new(key.into()), caller));
        self
    }

    fn location(&self) -> &'static str {
        match self.place {
            Place::Header(_) => "header",
            Place::Query => "query",
            Place::Cookie => "cookie",
        }
    }

    /// The key in a request, where there is exactly one.
    fn presented<'a>(&self, head: RequestHead<'a>) -> Result<Option<Cow<'a, [u8]>>, Rejection> {
        match &self.place {
            // What is no name of a header is refused before anything is served.
            Place::Header(None) => Ok(None),
            Place::Header(Some(name)) => {
                Ok(head.header(name)?.map(|value| value.as_bytes().into()))
            }
            Place::Query => self.only(head.query().split('&').filter_map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (*decoded(name) == *self.name.as_bytes()).then(|| decoded(value))
            })),
            Place::Cookie => {
                // HTTP/2 may carry each cookie in a header of its own.
                let all = head.headers().get_all(COOKIE).iter();
                let pairs = all.flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
                self.only(pairs.filter_map(|pair| {
                    let pair = pair.trim_ascii();
                    let value = pair
                        .strip_prefix(self.name.as_bytes())?
                        .strip_prefix(b"=")?;
                    Some(Cow::Borrowed(value))
                }))
            }
        }
    }

    fn only<'a>(
        &self,
        mut values: impl Iterator<Item = Cow<'a, [u8]>>,
    ) -> Result<Option<Cow<'a, [u8]>>, Rejection> {
        let first = values.next();
        match values.next() {
            None => Ok(first),
            Some(_) => Err(Rejection::invalid(format!(
                "the {} {} is there twice",
                self.location(),
                self.name
            ))),
        }
    }
}

/// A part of a query, as forms write it.
fn decoded(text: &str) -> Cow<'_, [u8]> {
    match text.contains('+') {
        false => percent_decode_str(text).into(),
        true => percent_decode_str(&text.replace('+', " "))
            .collect::<Vec<u8>>()
            .into(),
    }
}

impl Authenticator for ApiKeys {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let Some(presented) = self.presented(head)? else {
            return Ok(None);
        };
        let mut found = None;
        for (key, caller) in &self.keys {
            if bool::from(key.is(&presented)) {
                found = Some(caller);
            }
        }
        match found {
            Some(caller) => Ok(Some(caller.clone())),
            None => Err(Rejection::invalid("the API key is not known")),
        }
    }

    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String> {
        let (location, name) = (self.location(), &self.name);
        if self.name.is_empty() || matches!(self.place, Place::Header(None)) {
            return Err(format!("{name:?} is no name of a {location}"));
        }
        if self.keys.is_empty() {
            return Err("no key is known to it; add one with ApiKeys::key".into());
        }
        if self.keys.iter().any(|(key, _)| key.is_empty()) {
            return Err("one of its keys is empty".into());
        }
        match scheme.map(|scheme| &scheme.scheme) {
            None => Ok(()),
            Some(Some(Scheme::ApiKeySecurityScheme(declared))) => {
                let same = match self.place {
                    Place::Header(_) => declared.name.eq_ignore_ascii_case(name),
                    Place::Query | Place::Cookie => declared.name == *name,
                };
                if same && declared.location == location {
                    return Ok(());
                }
                Err(format!(
                    "it looks for the {location} {name:?}, the card tells of the {} {:?}",
                    declared.location, declared.name
                ))
            }
            Some(_) => Err("it checks API keys, and the card's scheme is another one".into()),
        }
    }

    fn secret_headers(&self) -> Vec<HeaderName> {
        match &self.place {
            Place::Header(name) => name.iter().cloned().collect(),
            Place::Query | Place::Cookie => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ask, head};
    use super::*;
    use crate::v1_0::ApiKeySecurityScheme;

    const ALICE: &str = "key-of-alice";

    fn with_keys(keys: ApiKeys) -> ApiKeys {
        keys.key(ALICE, Caller::known("alice").with_scopes(["read"]))
            .key("b c&d", Caller::known("bob"))
            .key("alice's next one", Caller::known("alice"))
    }

    #[tokio::test]
    async fn a_key_in_the_header_says_who_calls() {
        let keys = with_keys(ApiKeys::header("X-API-Key"));
        let caller = ask(&keys, &head("/", &[("x-api-key", ALICE)])).await;
        assert!(caller.unwrap().unwrap().has_scope("read"));
        let next = ask(&keys, &head("/", &[("x-api-key", "alice's next one")])).await;
        assert_eq!(next.unwrap().unwrap().id(), Some("alice"));
        assert_eq!(
            ask(&keys, &head("/?X-API-Key=key-of-alice", &[])).await,
            Ok(None)
        );
        for wrong in [
            "",
            "key-of-alicf",
            "key-of-alic",
            "key-of-alicee",
            "KEY-OF-ALICE",
        ] {
            let refused = ask(&keys, &head("/", &[("x-api-key", wrong)])).await;
            assert_eq!(refused.unwrap_err().reason(), "the API key is not known");
        }
        let twice = head("/", &[("x-api-key", ALICE), ("x-api-key", ALICE)]);
        assert!(ask(&keys, &twice).await.is_err());
    }

    #[tokio::test]
    async fn a_key_in_the_query_is_read_as_forms_write_it() {
        let keys = with_keys(ApiKeys::query("key"));
        for path in ["/?key=key-of-alice", "/?a=b&%6Bey=key%2Dof-alice"] {
            let caller = ask(&keys, &head(path, &[])).await.unwrap().unwrap();
            assert_eq!(caller.id(), Some("alice"), "{path}");
        }
        for path in ["/?key=b+c%26d", "/?key=b%20c%26d&x=1"] {
            let caller = ask(&keys, &head(path, &[])).await.unwrap().unwrap();
            assert_eq!(caller.id(), Some("bob"), "{path}");
        }
        for path in ["/", "/?", "/?keys=key-of-alice", "/?Key=key-of-alice"] {
            assert_eq!(ask(&keys, &head(path, &[])).await, Ok(None), "{path}");
        }
        for path in [
            "/?key",
            "/?key=",
            "/?key=x",
            "/?key=key-of-alice&key=key-of-alice",
        ] {
            assert!(ask(&keys, &head(path, &[])).await.is_err(), "{path}");
        }
    }

    #[tokio::test]
    async fn a_key_in_a_cookie_is_found_among_others() {
        let keys = with_keys(ApiKeys::cookie("session"));
        for cookies in [
            &[("cookie", "session=key-of-alice")][..],
            &[("cookie", "a=b; session=key-of-alice; c=d")],
            &[("cookie", "a=b"), ("cookie", "session=key-of-alice")],
        ] {
            let caller = ask(&keys, &head("/", cookies)).await.unwrap().unwrap();
            assert_eq!(caller.id(), Some("alice"), "{cookies:?}");
        }
        for other in [
            "",
            "sessions=key-of-alice",
            "xsession=key-of-alice",
            "session",
        ] {
            assert_eq!(
                ask(&keys, &head("/", &[("cookie", other)])).await,
                Ok(None),
                "{other}"
            );
        }
        let twice = head("/", &[("cookie", "session=x; session=key-of-alice")]);
        assert!(ask(&keys, &twice).await.is_err());
    }

    #[test]
    fn what_cannot_work_is_said_before_anything_is_served() {
        let scheme = |location: &str, name: &str| {
            let scheme = ApiKeySecurityScheme::new()
                .with_location(location)
                .with_name(name);
            SecurityScheme::new().with_api_key_security_scheme(scheme)
        };
        let check = |keys: ApiKeys, scheme| Authenticator::check(&keys, Some(&scheme));
        let keys = || with_keys(ApiKeys::header("X-API-Key"));
        assert_eq!(check(keys(), scheme("header", "x-api-key")), Ok(()));
        assert!(check(keys(), scheme("query", "X-API-Key")).is_err());
        assert!(check(keys(), scheme("header", "X-Key")).is_err());
        assert!(check(keys(), SecurityScheme::new()).is_err());
        assert!(check(with_keys(ApiKeys::header("a b")), scheme("header", "a b")).is_err());
        assert!(check(ApiKeys::query("k"), scheme("query", "k")).is_err());
        let empty = ApiKeys::query("k").key("", Caller::known("a"));
        assert!(check(empty, scheme("query", "k")).is_err());
    }
}
