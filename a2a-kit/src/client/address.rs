//! Addresses of services, as cards and users write them.
//!
//! Comes in: a text. Goes out: an absolute URL that names a host and no secrets, or what is wrong
//! with it. Nothing in it is rewritten.

use http::Uri;
use http::uri::Authority;

use crate::error::{Code, Error};

/// Reads an `http` or `https` URL.
///
/// # Errors
/// When it is none, or holds what does not belong into an address.
pub(super) fn http(text: &str) -> Result<Uri, Error> {
    if text.contains('#') {
        return Err(wrong(text, "it has a fragment (`#`), which is never sent"));
    }
    if !text.contains("://") {
        return Err(wrong(text, "it must begin with http:// or https://"));
    }
    let uri = parse(text)?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        Some(other) => {
            return Err(wrong(
                text,
                &format!("its scheme is {other:?}; it must begin with http:// or https://"),
            ));
        }
        None => return Err(wrong(text, "it must begin with http:// or https://")),
    }
    match uri.authority() {
        Some(authority) => check_host(text, authority)?,
        None => return Err(wrong(text, "it names no host")),
    }
    Ok(uri)
}

pub(super) fn parse(text: &str) -> Result<Uri, Error> {
    if !text.is_ascii() {
        let why = "it has letters that URLs do not have; write the host in its ASCII form (xn--…) and the path percent-encoded";
        return Err(wrong(text, why));
    }
    text.parse().map_err(|error: http::uri::InvalidUri| {
        wrong(text, &format!("it is no URL: {error}")).with_source(error)
    })
}

pub(super) fn check_host(text: &str, authority: &Authority) -> Result<(), Error> {
    if authority.as_str().contains('@') {
        return Err(wrong(
            text,
            "it holds a user's name or password; give credentials to the client, not to the address",
        ));
    }
    if authority.host().is_empty() {
        return Err(wrong(text, "it names no host"));
    }
    // `host:` and `host:70000` are read without complaint.
    let port = authority
        .as_str()
        .strip_prefix(authority.host())
        .unwrap_or_default();
    if !port.is_empty() && authority.port_u16().is_none() {
        return Err(wrong(text, "its port is no number from 0 to 65535"));
    }
    Ok(())
}

/// The error of an address.
pub(super) fn wrong(text: &str, why: &str) -> Error {
    let message = format!("{:?} is no address of a service: {why}", shown(text));
    Error::new(Code::InvalidArgument, message)
}

/// An address without what may be secret in it: a password, a query.
pub(super) fn shown(text: &str) -> String {
    let text = match text.split_once('?') {
        Some((text, _)) => format!("{text}?…"),
        None => text.to_owned(),
    };
    let shown = match (text.rsplit_once('@'), text.split_once("://")) {
        (Some((_, rest)), Some((scheme, _))) => format!("{scheme}://…@{rest}"),
        (Some((_, rest)), None) => format!("…@{rest}"),
        (None, _) => text,
    };
    shown.chars().take(256).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_as_they_are() {
        for text in [
            "http://127.0.0.1:8080",
            "https://agent.example/a2a/%2e%2e/x?key=1",
            "http://[::1]:80/",
            "https://Agent.Example:443//a/../b",
            "http://xn--mnchen-3ya.test/",
        ] {
            let uri = http(text).unwrap();
            let shown = uri.to_string();
            assert_eq!(
                shown.strip_suffix('/').unwrap_or(&shown),
                text.strip_suffix('/').unwrap_or(text)
            );
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
        let cases = [
            ("", "http://"),
            ("localhost:80", "http://"),
            ("agent.example/a2a", "http://"),
            ("/a2a", "http://"),
            ("ftp://h/x", "\"ftp\""),
            ("grpc://h:1", "\"grpc\""),
            ("http://", "no URL"),
            ("http://:80/", "host"),
            ("http://h:70000/", "port"),
            ("http://h:/", "port"),
            ("http://münchen.test/", "xn--"),
            ("http://h/ü", "percent-encoded"),
            ("http://a b/", "no URL"),
            ("http://h/#x", "fragment"),
        ];
        for (text, why) in cases {
            let error = http(text).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument, "{text}");
            assert!(error.message().contains(why), "{text}: {error}");
            assert!(
                error.message().starts_with(&format!("{text:?}")),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_password_is_refused_and_no_secret_is_repeated() {
        for text in ["https://me:secret@h/", "me:secret@h", "ftp://h/?key=secret"] {
            let error = http(text).unwrap_err();
            assert!(!error.message().contains("secret"), "{error}");
        }
        let error = http("https://me:secret@h/").unwrap_err();
        assert!(error.message().contains("credentials"), "{error}");
        assert_eq!(shown("http://h/a?b=c?d"), "http://h/a?…");
    }
}
