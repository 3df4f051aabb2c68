//! Client certificates.
//!
//! Comes in: the certificate that what ends TLS has verified. Goes out: whose it is.

use bytes::Bytes;

use super::{Authenticator, PeerCertificate, Rejection, RequestHead};
use crate::context::Caller;
use crate::v1_0::SecurityScheme;
use crate::v1_0::security_scheme::Scheme;

/// Callers who are known by a certificate, where the listener ends TLS and asks for one.
///
/// What ends TLS verifies the certificate and puts it into the extensions of every request of the
/// connection, as a [`PeerCertificate`]; no header is read.
///
/// ```
/// use a2a_kit::Caller;
/// use a2a_kit::auth::ClientCertificates;
/// # let der_of_alice = vec![0x30];
/// // These certificates and no other:
/// let pinned = ClientCertificates::known([(der_of_alice, Caller::known("alice"))]);
/// // All that the listener trusts, with a parser of one's own choice:
/// let named = ClientCertificates::named_by(|certificate| {
///     (certificate.der().first() == Some(&0x30)).then(|| Caller::known("somebody"))
/// });
/// # let _ = (pinned, named);
/// ```
pub struct ClientCertificates(Box<Naming>);

type Naming = dyn Fn(&PeerCertificate) -> Option<Caller> + Send + Sync;

impl ClientCertificates {
    /// Knows these certificates, in DER, and whose they are.
    #[must_use]
    pub fn known<D: Into<Bytes>>(certificates: impl IntoIterator<Item = (D, Caller)>) -> Self {
        let all = certificates.into_iter();
        let known: Vec<(Bytes, Caller)> = all.map(|(der, caller)| (der.into(), caller)).collect();
        // Certificates are public: whoever shows one has proven that its key is theirs.
        Self::named_by(move |certificate| {
            let mut known = known.iter();
            let found = known.find(|(der, _)| !der.is_empty() && *der == certificate.der());
            found.map(|(_, caller)| caller.clone())
        })
    }

    /// Reads who it is from a certificate that the listener trusts; `None` for those who are not let
    /// in.
    #[must_use]
    pub fn named_by(
        name: impl Fn(&PeerCertificate) -> Option<Caller> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(name))
    }
}

impl Authenticator for ClientCertificates {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let Some(certificate) = head.extension::<PeerCertificate>() else {
            return Ok(None);
        };
        match (self.0)(certificate) {
            Some(caller) => Ok(Some(caller)),
            None => Err(Rejection::invalid(
                "the client certificate is nobody's who is known",
            )),
        }
    }

    fn check(&self, scheme: Option<&SecurityScheme>) -> Result<(), String> {
        match scheme.map(|scheme| &scheme.scheme) {
            None | Some(Some(Scheme::MtlsSecurityScheme(_))) => Ok(()),
            Some(_) => {
                Err("it checks client certificates, and the card's scheme is another one".into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ask, head};
    use super::*;

    #[tokio::test]
    async fn a_certificate_comes_from_the_listener_and_from_no_header() {
        let known = ClientCertificates::known([(b"alice".to_vec(), Caller::known("alice"))]);
        let mut request = head("/", &[("x-client-cert", "alice")]);
        assert_eq!(ask(&known, &request).await, Ok(None));
        request
            .extensions
            .insert(PeerCertificate::verified(b"alice".to_vec()));
        let caller = ask(&known, &request).await.unwrap().unwrap();
        assert_eq!(caller.id(), Some("alice"));
        request
            .extensions
            .insert(PeerCertificate::verified(b"bob".to_vec()));
        assert!(ask(&known, &request).await.is_err());
        request
            .extensions
            .insert(PeerCertificate::verified(Bytes::new()));
        assert!(ask(&known, &request).await.is_err());
    }
}
