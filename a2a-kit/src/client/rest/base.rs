//! The address of a service with many routes.
//!
//! Comes in: the URL that its card or its documentation names. Goes out: URLs of single calls, each
//! checked to be exactly what was written.

use std::fmt;

use http::Uri;

use crate::client::address;
use crate::error::{Code, Error};

/// The URL that the paths of all routes are appended to.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Base {
    /// Scheme, host and path, without `/` at the end.
    text: String,
    /// Where the path begins.
    path: usize,
    /// What every query ends with: some gateways have a key there.
    query: Option<String>,
}

impl Base {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it is no address of a service.
    pub(super) fn parse(url: &str) -> Result<Self, Error> {
        let uri = address::http(url)?;
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let mut text = format!("{scheme}://{authority}");
        let path = text.len();
        text.push_str(uri.path().trim_end_matches('/'));
        Ok(Self {
            text,
            path,
            query: uri
                .query()
                .filter(|query| !query.is_empty())
                .map(str::to_owned),
        })
    }

    /// The URL of a path (with its `/`) and query below the address.
    ///
    /// # Errors
    /// When it is no URL, for one because it is too long.
    pub(super) fn join(&self, target: &str) -> Result<Uri, Error> {
        let mut text = format!("{}{target}", self.text);
        if let Some(query) = &self.query {
            text.push(if target.contains('?') { '&' } else { '?' });
            text.push_str(query);
        }
        let uri: Uri = text.parse().map_err(|error| {
            let message = format!(
                "the request makes a URL that cannot be sent ({} bytes): {error}",
                text.len()
            );
            Error::new(Code::InvalidArgument, message).with_source(error)
        })?;
        // What is sent is what was written, or it is not sent.
        let kept = uri.path_and_query().map(http::uri::PathAndQuery::as_str);
        if kept == text.get(self.path..) {
            Ok(uri)
        } else {
            Err(Error::new(
                Code::InvalidArgument,
                format!(
                    "the URL {:?} would be sent as {}",
                    address::shown(&text),
                    address::shown(&uri.to_string())
                ),
            ))
        }
    }

    /// The address, without its query.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the query, which may hold a key.
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_the_address_is_not_printed() {
        let base = Base::parse("http://a.example/v1?key=secret").unwrap();
        assert_eq!(format!("{base:?}"), "\"http://a.example/v1\"");
        let error = base.join("/a#b").unwrap_err();
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    }

    #[test]
    fn paths_are_appended_as_they_are() {
        for (base, target, url) in [
            ("http://a.example", "/tasks/t1", "http://a.example/tasks/t1"),
            (
                "http://a.example/",
                "/tasks/t1?x=1",
                "http://a.example/tasks/t1?x=1",
            ),
            (
                "https://a.example:8443/v1/agent/",
                "/message:send",
                "https://a.example:8443/v1/agent/message:send",
            ),
            (
                "HTTP://A.example/a%20b",
                "/tasks/%2E%2E:cancel",
                "http://A.example/a%20b/tasks/%2E%2E:cancel",
            ),
            ("http://[::1]:80/x//", "/", "http://[::1]:80/x/"),
            (
                "http://a",
                "/a%3Ab;c=1,2(3)*'!$&+@:d",
                "http://a/a%3Ab;c=1,2(3)*'!$&+@:d",
            ),
            ("http://a/x?", "/y", "http://a/x/y"),
            ("http://a/x/?key=k%26", "/y", "http://a/x/y?key=k%26"),
            ("http://a?key=k", "/y?z=1", "http://a/y?z=1&key=k"),
        ] {
            assert_eq!(
                Base::parse(base).unwrap().join(target).unwrap().to_string(),
                url
            );
        }
        assert!(Base::parse("ftp://a").is_err());
    }

    #[test]
    fn what_would_not_arrive_is_not_sent() {
        let base = Base::parse("http://a.example/v1").unwrap();
        for target in ["/a b", "/a#b", "/a\tb", &format!("/{}", "x".repeat(70_000))] {
            assert_eq!(
                base.join(target).unwrap_err().code(),
                Code::InvalidArgument,
                "{target:.20}"
            );
        }
    }
}
