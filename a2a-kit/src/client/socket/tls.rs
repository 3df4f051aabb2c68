//! TLS: whom the client trusts, and who it says that it is.
//!
//! Comes in: certificates of the system and of the user, and the user's own with its key. Goes out: a
//! connector that verifies every server against them and shows the user's own when asked. The cryptography is named here, so that no call depends on what the rest of
//! the program has chosen, or forgotten to choose.

use std::sync::Arc;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore};
use zeroize::Zeroizing;

use crate::error::{Code, Error};

/// Where trust comes from.
#[derive(Debug, Clone, Default)]
pub(super) struct Roots {
    pem: Vec<Vec<u8>>,
    only_given: bool,
}

impl Roots {
    pub(super) fn add(&mut self, pem: &[u8]) {
        self.pem.push(pem.to_vec());
    }

    pub(super) fn only_given(&mut self) {
        self.only_given = true;
    }

    /// Says early what would fail later.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.given(&mut RootCertStore::empty())
    }

    fn given(&self, store: &mut RootCertStore) -> Result<(), Error> {
        for (index, pem) in self.pem.iter().enumerate() {
            let wrong = |why: String| {
                Error::new(
                    Code::InvalidArgument,
                    format!("root certificate text {}: {why}", index + 1),
                )
            };
            let mut some = false;
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate =
                    certificate.map_err(|error| wrong(format!("not valid PEM: {error}")))?;
                store
                    .add(certificate)
                    .map_err(|error| wrong(format!("no certificate of an issuer: {error}")))?;
                some = true;
            }
            if !some {
                return Err(wrong(
                    "it holds no certificate; it must be PEM, with BEGIN CERTIFICATE".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn store(&self) -> Result<RootCertStore, Error> {
        let mut store = RootCertStore::empty();
        if !self.only_given {
            // Those that cannot be read are left out: systems have some.
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if store.is_empty() {
                // A container without any: the ones that browsers trust.
                store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            }
        }
        self.given(&mut store)?;
        Ok(store)
    }
}

/// A certificate of one's own, and its key.
#[derive(Clone)]
pub(super) struct Identity {
    certificates: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
}

impl Identity {
    pub(super) fn new(certificates: &[u8], key: &[u8]) -> Self {
        Self {
            certificates: certificates.to_vec(),
            key: Zeroizing::new(key.to_vec()),
        }
    }

    /// Says early what would fail later.
    pub(super) fn check(&self) -> Result<(), Error> {
        let (certificates, key) = self.read()?;
        CertifiedKey::from_der(certificates, key, &rustls::crypto::ring::default_provider())
            .map(|_| ())
            .map_err(|error| wrong_identity(&format!("they cannot be used: {error}")))
    }

    fn read(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Error> {
        let certificates = CertificateDer::pem_slice_iter(&self.certificates)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| {
                wrong_identity(&format!("the certificate is not valid PEM: {error}"))
            })?;
        if certificates.is_empty() {
            return Err(wrong_identity(
                "there is no certificate; it must be PEM, with BEGIN CERTIFICATE",
            ));
        }
        // The cause could quote the key.
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|_| {
            wrong_identity(
                "there is no private key; it must be PEM, unencrypted, with BEGIN PRIVATE KEY",
            )
        })?;
        Ok((certificates, key))
    }
}

fn wrong_identity(why: &str) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!("client certificate and key: {why}"),
    )
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

/// Connects with TLS. `http2` asks for HTTP/2 alone.
pub(super) fn connector(
    tcp: HttpConnector,
    roots: &Roots,
    identity: Option<&Identity>,
    http2: bool,
) -> Result<HttpsConnector<HttpConnector>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| {
            Error::internal(format!("TLS cannot be set up: {error}")).with_source(error)
        })?
        .with_root_certificates(roots.store()?);
    let config = match identity {
        None => config.with_no_client_auth(),
        Some(identity) => {
            let (certificates, key) = identity.read()?;
            config
                .with_client_auth_cert(certificates, key)
                .map_err(|error| wrong_identity(&format!("they cannot be used: {error}")))?
        }
    };
    let builder = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_only();
    Ok(if http2 {
        builder.enable_http2().wrap_connector(tcp)
    } else {
        builder.enable_all_versions().wrap_connector(tcp)
    })
}
