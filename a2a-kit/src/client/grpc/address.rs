//! Addresses of gRPC services, in the forms that cards and command lines have them.
//!
//! Comes in: a text. Goes out: an `http` or `https` URL; the scheme says whether there is TLS.

use http::Uri;

use crate::client::address::{check_host, parse, wrong};
use crate::error::{Code, Error};

/// Scheme and authority, and a path without `/` at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address(String);

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        const FORMS: &str =
            "write https://host for TLS, or http://host:port or host:port without it";
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
            // `dns:host:port`: what stands before the colon could also be a host, but not with two.
            None => match text.strip_prefix("dns:") {
                Some(rest) if rest.contains(':') => ("dns".to_owned(), rest),
                _ => (String::new(), text),
            },
        };
        if rest.is_empty() {
            return Err(wrong(text, &format!("it names no host; {FORMS}")));
        }
        let (scheme, rest, bare) = match scheme.as_str() {
            "https" | "grpcs" => ("https", rest, false),
            "http" => ("http", rest, false),
            "grpc" | "" => ("http", rest, true),
            "dns" => match rest.strip_prefix('/') {
                Some(rest) => ("http", rest, true),
                None if text.contains("://") => {
                    return Err(wrong(
                        text,
                        "it names a name server, which is not supported; write dns:///host:port",
                    ));
                }
                None => ("http", rest, true),
            },
            other => return Err(wrong(text, &format!("its scheme is {other:?}; {FORMS}"))),
        };
        if rest.contains(['?', '#']) {
            return Err(wrong(text, "gRPC has no queries and no fragments"));
        }
        let uri = parse(&format!("{scheme}://{rest}"))?;
        let Some(authority) = uri.authority() else {
            return Err(wrong(text, "it names no host"));
        };
        check_host(text, authority)?;
        if bare && authority.port().is_none() {
            return Err(wrong(text, &format!("it names no port; {FORMS}")));
        }
        // Nothing but TLS is spoken there.
        let scheme = if bare && authority.port_u16() == Some(443) {
            "https"
        } else {
            scheme
        };
        Ok(Self(format!(
            "{scheme}://{authority}{}",
            uri.path().trim_end_matches('/')
        )))
    }

    /// The URL of a call.
    pub(super) fn join(&self, path: &str) -> Result<Uri, Error> {
        format!("{}{path}", self.0)
            .parse()
            .map_err(|error: http::uri::InvalidUri| {
                Error::new(
                    Code::InvalidArgument,
                    format!("{path:?} is no path of a gRPC call: {error}"),
                )
                .with_source(error)
            })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_form_is_understood() {
        let cases = [
            ("h:50051", "http://h:50051"),
            ("127.0.0.1:1", "http://127.0.0.1:1"),
            ("[::1]:50051", "http://[::1]:50051"),
            ("h:443", "https://h:443"),
            ("http://h", "http://h"),
            ("http://h:1/", "http://h:1"),
            ("HTTP://h:443", "http://h:443"),
            ("grpc://h:1", "http://h:1"),
            ("grpc://h:443/", "https://h:443"),
            ("grpcs://h", "https://h"),
            ("grpcs://h:1", "https://h:1"),
            ("https://h", "https://h"),
            ("https://h/prefix/", "https://h/prefix"),
            ("dns:///h:1", "http://h:1"),
            ("dns:h:1", "http://h:1"),
            ("dns:1", "http://dns:1"),
        ];
        for (text, url) in cases {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.as_str(), url, "{text}");
            assert_eq!(
                address.join("/a.B/C").unwrap(),
                *format!("{url}/a.B/C"),
                "{text}"
            );
        }
    }

    #[test]
    fn other_forms_are_refused_with_the_reason() {
        let cases = [
            ("", "host"),
            ("h", "port"),
            ("grpc://h", "port"),
            ("dns:///h", "port"),
            ("dns://8.8.8.8/h:1", "name server"),
            ("unix:///tmp/a.sock", "\"unix\""),
            ("ftp://h:1", "\"ftp\""),
            ("xds:///h:1", "\"xds\""),
            ("https://", "host"),
            ("h:70000", "port"),
            ("h:", "port"),
            ("http://me:secret@h:1", "credentials"),
            ("https://h/?x", "queries"),
            ("https://a b", "no URL"),
            ("https://münchen.test", "xn--"),
        ];
        for (text, why) in cases {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains(why), "{text}: {error}");
            assert!(!error.message().contains("secret"), "{text}: {error}");
        }
    }
}
