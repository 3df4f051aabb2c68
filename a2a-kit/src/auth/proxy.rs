//! Callers whom a proxy in front has authenticated.
//!
//! Comes in: a header with an id, and proof that the proxy wrote it. Goes out: the caller of this
//! id. A header can be written by everybody, so there is no way to make this authenticator without
//! such a proof: the addresses of the proxies, or a secret that only they know.

use std::collections::HashSet;
use std::net::IpAddr;

use http::HeaderName;

use super::secret::Secret;
use super::{Authenticator, Rejection, RequestHead};
use crate::context::Caller;
use crate::v1_0::SecurityScheme;

/// Takes the caller's id from a header that a proxy writes. It serves every security scheme: it is
/// the proxy that checks them.
///
/// The proxy must write the header on every request, or take away what the client has sent. The
/// header counts only together with the proof; without it, the request is refused, so that nobody
/// takes a proxy that is set up wrongly for one that works.
///
/// ```
/// use std::net::IpAddr;
/// use a2a_kit::auth::TrustedProxy;
/// let by_address = TrustedProxy::at([IpAddr::from([10, 0, 0, 7])], "X-User");
/// let by_secret = TrustedProxy::with_secret("X-Proxy-Secret", "a long random text", "X-User")
///     .scopes_header("X-Scopes");
/// # let _ = (by_address, by_secret);
/// ```
pub struct TrustedProxy {
    proof: Proof,
    id: Name,
    scopes: Option<Name>,
}

enum Proof {
    Address(HashSet<IpAddr>),
    Secret(Name, Secret),
}

/// A header's name, or what was written in its place.
type Name = Result<HeaderName, String>;

fn name(text: &str) -> Name {
    HeaderName::try_from(text).map_err(|_| text.to_owned())
}

impl TrustedProxy {
    /// Believes the header `id` when the connection comes from one of these addresses.
    ///
    /// The address is that of the connection, as the listener says; `X-Forwarded-For` and its like
    /// have no part in it. Who can connect from an address of the proxy, such as another program on
    /// its host, is believed as well: where that is possible, prefer [`Self::with_secret`].
    #[must_use]
    pub fn at(proxies: impl IntoIterator<Item = IpAddr>, id: impl AsRef<str>) -> Self {
        let proxies = proxies.into_iter().map(|address| address.to_canonical());
        Self {
            proof: Proof::Address(proxies.collect()),
            id: name(id.as_ref()),
            scopes: None,
        }
    }

    /// Believes the header `id` when the header `proof` has a secret that only the proxy knows.
    #[must_use]
    pub fn with_secret(
        proof: impl AsRef<str>,
        secret: impl Into<String>,
        id: impl AsRef<str>,
    ) -> Self {
        Self {
            proof: Proof::Secret(name(proof.as_ref()), Secret::new(secret.into())),
            id: name(id.as_ref()),
            scopes: None,
        }
    }

    /// Takes scopes from a header too, with spaces or commas between them.
    #[must_use]
    pub fn scopes_header(mut self, scopes: impl AsRef<str>) -> Self {
        self.scopes = Some(name(scopes.as_ref()));
        self
    }

    /// True when the proxy has proven that it wrote the request.
    fn is_proven(&self, head: RequestHead<'_>) -> Result<bool, Rejection> {
        match &self.proof {
            Proof::Address(proxies) => Ok(head.peer().is_some_and(|peer| proxies.contains(&peer))),
            Proof::Secret(Ok(header), secret) => {
                let presented = head.header(header)?.unwrap_or_default();
                Ok(secret.is(presented.as_bytes()).into())
            }
            Proof::Secret(Err(_), _) => Ok(false),
        }
    }
}

impl Authenticator for TrustedProxy {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let Ok(header) = &self.id else {
            return Ok(None);
        };
        let Some(id) = head.header(header)?.map(str::trim) else {
            return Ok(None);
        };
        if !self.is_proven(head)? {
            return Err(Rejection::invalid(format!(
                "the header {header} does not come from a trusted proxy"
            )));
        }
        if id.is_empty() {
            return Ok(None);
        }
        let scopes = match &self.scopes {
            Some(Ok(scopes)) => head.header(scopes)?.unwrap_or_default(),
            _ => "",
        };
        let scopes = scopes.split([' ', ',']).filter(|scope| !scope.is_empty());
        Ok(Some(Caller::known(id).with_scopes(scopes)))
    }

    fn check(&self, _scheme: Option<&SecurityScheme>) -> Result<(), String> {
        let proof = match &self.proof {
            Proof::Address(proxies) if proxies.is_empty() => {
                return Err("it trusts no address".into());
            }
            Proof::Address(proxies) if proxies.iter().any(IpAddr::is_unspecified) => {
                return Err("it trusts 0.0.0.0 or ::, which is no address of a proxy".into());
            }
            Proof::Address(_) => None,
            Proof::Secret(_, secret) if secret.is_empty() => {
                return Err("the secret of the proxy is empty".into());
            }
            Proof::Secret(header, _) => Some(header),
        };
        let mut names = Vec::new();
        for header in [Some(&self.id), self.scopes.as_ref(), proof]
            .into_iter()
            .flatten()
        {
            match header {
                Err(text) => return Err(format!("{text:?} is no name of a header")),
                Ok(header) if names.contains(&header) => {
                    return Err(format!("the header {header} has two meanings"));
                }
                Ok(header) => names.push(header),
            }
        }
        Ok(())
    }

    fn secret_headers(&self) -> Vec<HeaderName> {
        match &self.proof {
            Proof::Secret(Ok(header), _) => vec![header.clone()],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::PeerAddress;
    use super::super::tests::{ask, head};
    use super::*;

    fn proxy() -> TrustedProxy {
        TrustedProxy::at([IpAddr::from([10, 0, 0, 7])], "X-User").scopes_header("X-Scopes")
    }

    fn from(address: &str, headers: &[(&str, &str)]) -> http::request::Parts {
        let mut request = head("/", headers);
        let address = PeerAddress(address.parse().unwrap());
        request.extensions.insert(address);
        request
    }

    #[tokio::test]
    async fn the_header_counts_from_a_trusted_address_only() {
        let headers = [("x-user", "alice"), ("x-scopes", "read, write")];
        for address in ["10.0.0.7:1", "[::ffff:10.0.0.7]:1"] {
            let caller = ask(&proxy(), &from(address, &headers))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(caller.id(), Some("alice"));
            assert_eq!(caller.scopes().collect::<Vec<_>>(), ["read", "write"]);
        }
        assert!(ask(&proxy(), &from("10.0.0.8:1", &headers)).await.is_err());
        // Nobody has said who the peer is.
        assert!(ask(&proxy(), &head("/", &headers)).await.is_err());
        let forwarded = [("x-user", "alice"), ("x-forwarded-for", "10.0.0.7")];
        assert!(
            ask(&proxy(), &from("10.0.0.8:1", &forwarded))
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn a_header_that_the_client_added_to_the_proxy_s_own_is_refused() {
        let twice = from("10.0.0.7:1", &[("x-user", "mallory"), ("x-user", "alice")]);
        assert!(ask(&proxy(), &twice).await.is_err());
        let scopes = [
            ("x-user", "alice"),
            ("x-scopes", "admin"),
            ("x-scopes", "read"),
        ];
        assert!(ask(&proxy(), &from("10.0.0.7:1", &scopes)).await.is_err());
    }

    #[tokio::test]
    async fn a_proxy_that_names_nobody_brings_an_anonymous_call() {
        assert_eq!(ask(&proxy(), &from("10.0.0.7:1", &[])).await, Ok(None));
        let empty = from("10.0.0.7:1", &[("x-user", " ")]);
        assert_eq!(ask(&proxy(), &empty).await, Ok(None));
    }

    #[tokio::test]
    async fn the_header_counts_with_the_secret_only() {
        let proxy = TrustedProxy::with_secret("X-Proof", "s3cret", "X-User");
        let right = head("/", &[("x-user", "alice"), ("x-proof", "s3cret")]);
        let caller = ask(&proxy, &right).await.unwrap().unwrap();
        assert_eq!(caller.id(), Some("alice"));
        for headers in [
            &[("x-user", "alice")][..],
            &[("x-user", "alice"), ("x-proof", "s3cre")],
            &[("x-user", "alice"), ("x-proof", "")],
            &[
                ("x-user", "alice"),
                ("x-proof", "s3cret"),
                ("x-proof", "s3cret"),
            ],
        ] {
            assert!(
                ask(&proxy, &head("/", headers)).await.is_err(),
                "{headers:?}"
            );
        }
    }

    #[test]
    fn what_trusts_nobody_or_everybody_is_refused() {
        let any = IpAddr::from([0, 0, 0, 0]);
        let one = IpAddr::from([10, 0, 0, 7]);
        assert_eq!(proxy().check(None), Ok(()));
        for wrong in [
            TrustedProxy::at([], "X-User"),
            TrustedProxy::at([any], "X-User"),
            TrustedProxy::at([one], "X User"),
            TrustedProxy::at([one], "X-User").scopes_header("x-user"),
            TrustedProxy::with_secret("X-Proof", "", "X-User"),
            TrustedProxy::with_secret("X-User", "s", "X-User"),
        ] {
            assert!(wrong.check(None).is_err());
        }
    }
}
