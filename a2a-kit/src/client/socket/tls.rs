//! TLS: whom the client trusts.
//!
//! Comes in: certificates of the system and of the user. Goes out: a connector that verifies every
//! server against them. The cryptography is named here, so that no call depends on what the rest of
//! the program has chosen, or forgotten to choose.

use std::sync::Arc;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

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

/// Connects with TLS. `http2` asks for HTTP/2 alone.
pub(super) fn connector(
    tcp: HttpConnector,
    roots: &Roots,
    http2: bool,
) -> Result<HttpsConnector<HttpConnector>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| {
            Error::internal(format!("TLS cannot be set up: {error}")).with_source(error)
        })?
        .with_root_certificates(roots.store()?)
        .with_no_client_auth();
    let builder = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_only();
    Ok(if http2 {
        builder.enable_http2().wrap_connector(tcp)
    } else {
        builder.enable_all_versions().wrap_connector(tcp)
    })
}
