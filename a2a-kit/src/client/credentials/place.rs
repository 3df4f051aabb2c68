//! Where a secret stands in a request.
//!
//! Comes in: a secret, its place, and the head of a request. Goes out: the head with the secret in
//! it; or, beforehand, why it cannot stand there.

use http::header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{HeaderMap, Uri};
use zeroize::Zeroizing;

use super::secret::Secret;
use crate::client::query::QueryWriter;
use crate::client::transport::{TransportError, TransportErrorKind};

/// A secret in its place.
#[derive(Clone)]
pub(in crate::client) enum Place {
    /// The whole value of a header.
    Header(HeaderName, Secret),
    /// `name=value`, percent-encoded.
    Query(Secret),
    /// `name=value`.
    Cookie(Secret),
}

impl Place {
    /// `what` it is, for the error.
    pub(in crate::client) fn header(
        name: HeaderName,
        value: Secret,
        what: &str,
    ) -> Result<Self, String> {
        check(&value, what)?;
        Ok(Self::Header(name, value))
    }

    /// `Authorization: <scheme> <rest>`.
    pub(in crate::client) fn authorization(
        scheme: &str,
        rest: &str,
        what: &str,
    ) -> Result<Self, String> {
        Self::header(AUTHORIZATION, Secret::joined(&[scheme, " ", rest]), what)
    }

    pub(in crate::client) fn key_in_header(name: &str, key: &str) -> Result<Self, String> {
        let header =
            HeaderName::try_from(name).map_err(|_| format!("{name:?} is no name of a header"))?;
        Self::header(header, Secret::new(key), "the API key")
    }

    pub(in crate::client) fn key_in_query(name: &str, key: &str) -> Self {
        let mut query = QueryWriter::new();
        query.push(name, key);
        Self::Query(Secret::new(query.as_str()))
    }

    pub(in crate::client) fn key_in_cookie(name: &str, key: &str) -> Result<Self, String> {
        let plain = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b';' | b',' | b'"' | b'\\'))
        };
        if name.is_empty() || name.contains('=') || !plain(name) || !plain(key) {
            return Err(format!(
                "the cookie {name:?} has letters that cookies cannot hold"
            ));
        }
        let cookie = Secret::joined(&[name, "=", key]);
        check(&cookie, "the API key")?;
        Ok(Self::Cookie(cookie))
    }

    /// For messages.
    pub(in crate::client) fn name(&self) -> String {
        match self {
            Self::Header(name, _) => format!("header {name}"),
            Self::Query(query) => {
                let name = query.text().split('=').next().unwrap_or_default();
                format!("query parameter {name}")
            }
            Self::Cookie(_) => "cookie".to_owned(),
        }
    }

    /// The header of which there can be one only.
    pub(in crate::client) fn exclusive(&self) -> Option<&HeaderName> {
        match self {
            Self::Header(name, _) => Some(name),
            Self::Query(_) | Self::Cookie(_) => None,
        }
    }

    /// Adds the secret. A header that is there already stays: what was set for one call is meant for
    /// it.
    pub(in crate::client) fn add(
        &self,
        headers: &mut HeaderMap,
        uri: &mut Uri,
    ) -> Result<(), TransportError> {
        match self {
            Self::Header(name, _) if headers.contains_key(name) => {}
            Self::Header(name, value) => {
                let value = value
                    .header()
                    .ok_or_else(|| refused("a secret cannot be sent as a header"))?;
                headers.insert(name.clone(), value);
            }
            Self::Query(query) => *uri = with_query(uri, query)?,
            Self::Cookie(cookie) => {
                let value = joined(headers.get(COOKIE), cookie)
                    .ok_or_else(|| refused("the cookies cannot be put together"))?;
                headers.insert(COOKIE, value);
            }
        }
        Ok(())
    }
}

fn check(value: &Secret, what: &str) -> Result<(), String> {
    match value.header() {
        Some(_) => Ok(()),
        None => Err(format!(
            "{what} has letters that headers cannot hold (a line end, perhaps)"
        )),
    }
}

fn joined(others: Option<&HeaderValue>, cookie: &Secret) -> Option<HeaderValue> {
    let Some(others) = others else {
        return cookie.header();
    };
    let all = [others.as_bytes(), b"; ", cookie.text().as_bytes()].concat();
    let all = Zeroizing::new(all);
    let mut all = HeaderValue::from_bytes(&all).ok()?;
    all.set_sensitive(true);
    Some(all)
}

fn with_query(uri: &Uri, query: &Secret) -> Result<Uri, TransportError> {
    let target = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let separator = if target.contains('?') { "&" } else { "?" };
    let target = Secret::joined(&[target, separator, query.text()]);
    let mut parts = uri.clone().into_parts();
    // The cause would quote the secret.
    let target = PathAndQuery::try_from(target.text())
        .map_err(|_| refused("the URL has no room for the API key"))?;
    parts.path_and_query = Some(target);
    Uri::from_parts(parts).map_err(|_| refused("the URL has no room for the API key"))
}

fn refused(message: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Request, message).unsent()
}
