//! What an authenticator sees of a call.
//!
//! Comes in: the head of a request, whatever its binding, and what the listener knows of its peer.
//! Goes out: credentials, where they stand exactly once.

use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method};

use super::Rejection;

/// The head of a request: method, path, query, headers (gRPC: metadata), and what a listener or a
/// layer has put into its extensions. It holds credentials, so it has no `Debug`.
#[derive(Clone, Copy)]
pub struct RequestHead<'a>(&'a Parts);

impl<'a> RequestHead<'a> {
    /// What is to be seen of a request.
    #[must_use]
    pub fn new(request: &'a Parts) -> Self {
        Self(request)
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &'a Method {
        &self.0.method
    }

    /// The path, as it was sent.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.0.uri.path()
    }

    /// The query, as it was sent; empty when there is none.
    #[must_use]
    pub fn query(&self) -> &'a str {
        self.0.uri.query().unwrap_or_default()
    }

    /// The headers, or the metadata of a gRPC call.
    #[must_use]
    pub fn headers(&self) -> &'a HeaderMap {
        &self.0.headers
    }

    /// What a listener or a layer has put into the request's extensions.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&'a T> {
        self.0.extensions.get()
    }

    /// Who is at the other end of the connection, as the listener says ([`PeerAddress`]); no header
    /// has a part in it. IPv4 addresses in the form of IPv6 are IPv4 addresses.
    #[must_use]
    pub fn peer(&self) -> Option<IpAddr> {
        self.extension::<PeerAddress>()
            .map(|peer| peer.0.ip().to_canonical())
    }

    /// The only value of a header; `None` when there is none.
    ///
    /// # Errors
    /// When it is there twice, or is no text: two readers could take different ones for the
    /// right one.
    pub fn header(&self, name: &HeaderName) -> Result<Option<&'a str>, Rejection> {
        let mut values = self.headers().get_all(name).iter();
        let Some(value) = values.next() else {
            return Ok(None);
        };
        if values.next().is_some() {
            return Err(Rejection::invalid(format!(
                "the header {name} is there twice"
            )));
        }
        match std::str::from_utf8(value.as_bytes()) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Rejection::invalid(format!("the header {name} is no text"))),
        }
    }

    /// What follows an HTTP authentication scheme, such as `Bearer`, in the header `Authorization`;
    /// `None` when the header is not there, or has another scheme.
    ///
    /// # Errors
    /// When the header is there twice, or is no text.
    pub fn authorization(&self, scheme: &str) -> Result<Option<&'a str>, Rejection> {
        let value = self.header(&AUTHORIZATION)?.unwrap_or_default().trim();
        let (name, credentials) = value.split_once(' ').unwrap_or((value, ""));
        Ok(name
            .eq_ignore_ascii_case(scheme)
            .then(|| credentials.trim_start()))
    }
}

/// The address of the other end of a connection, in the extensions of a request. The listener of
/// this crate sets it; a router that is mounted elsewhere gets it from a layer, which must take it
/// from the connection and from no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The certificate that a client has proven to own, in the extensions of a request.
///
/// Only what ends TLS may set it, after it has verified the certificate against the roots that it
/// trusts. The listener of this crate ends no TLS; one in front of the routers does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerCertificate(Bytes);

impl PeerCertificate {
    /// The certificate in DER, as TLS libraries hand it out.
    ///
    /// ```
    /// use a2a_kit::auth::PeerCertificate;
    /// # let der_of_the_connection = vec![0x30];
    /// let mut request = http::Request::get("/tasks").body(()).unwrap();
    /// request.extensions_mut().insert(PeerCertificate::verified(der_of_the_connection));
    /// ```
    #[must_use]
    pub fn verified(der: impl Into<Bytes>) -> Self {
        Self(der.into())
    }

    /// The certificate in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn parts(headers: &[(&str, &[u8])]) -> Parts {
        let mut request = Request::get("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn credentials_of_a_scheme_are_found_whatever_its_letters() {
        for (value, expected) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc", Some("abc")),
            ("BEARER abc ", Some("abc")),
            ("Bearer", Some("")),
            ("Basic abc", None),
            ("Bearerabc", None),
            ("", None),
        ] {
            let parts = parts(&[("authorization", value.as_bytes())]);
            let found = RequestHead::new(&parts).authorization("Bearer").unwrap();
            assert_eq!(found, expected, "{value:?}");
        }
        let none = parts(&[]);
        assert_eq!(
            RequestHead::new(&none).authorization("Bearer").unwrap(),
            None
        );
    }

    #[test]
    fn a_header_that_is_there_twice_or_is_no_text_is_refused() {
        let twice = parts(&[
            ("authorization", b"Bearer a"),
            ("authorization", b"Bearer a"),
        ]);
        assert!(RequestHead::new(&twice).authorization("Bearer").is_err());
        let bytes = parts(&[("authorization", b"Bearer \xff")]);
        assert!(RequestHead::new(&bytes).authorization("Bearer").is_err());
    }

    #[test]
    fn the_peer_is_who_the_listener_says_and_nobody_else() {
        let mut parts = parts(&[
            ("x-forwarded-for", b"10.0.0.1"),
            ("forwarded", b"for=10.0.0.1"),
        ]);
        assert_eq!(RequestHead::new(&parts).peer(), None);
        let mapped: SocketAddr = "[::ffff:10.0.0.7]:1".parse().unwrap();
        parts.extensions.insert(PeerAddress(mapped));
        let peer: IpAddr = "10.0.0.7".parse().unwrap();
        assert_eq!(RequestHead::new(&parts).peer(), Some(peer));
    }
}
