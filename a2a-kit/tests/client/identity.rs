//! Client certificates: shown by the client, verified by the listener, known to the agent. Over HTTP
//! and gRPC, with TLS that the test sets up as a program would.

use std::sync::Arc;

use a2a_kit::auth::{Authentication, ClientCertificates, PeerCertificate};
use a2a_kit::client::{Client, ClientBuilder, HttpTransport, SchemeCredentials};
use a2a_kit::v1_0::{
    AgentCard, AgentInterface, MutualTlsSecurityScheme, SecurityRequirement, SecurityScheme,
    StringList,
};
use a2a_kit::{Binding, Caller, Code, Server};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto::ring};

use crate::support::{Desk, card};

/// An issuer of certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

/// A certificate and its key.
struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            certificate,
            issuer: Issuer::new(params, key),
        }
    }

    fn issue(&self, name: &str, usage: ExtendedKeyUsagePurpose) -> Identity {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity { certificate, key }
    }
}

impl Identity {
    fn transport(&self, trusted: &Authority) -> HttpTransport {
        trusting(trusted)
            .identity(self.certificate.pem(), self.key.serialize_pem())
            .build()
            .unwrap()
    }
}

fn trusting(authority: &Authority) -> a2a_kit::client::HttpTransportBuilder {
    HttpTransport::builder()
        .root_certificates(authority.certificate.pem())
        .only_given_roots()
}

/// Wants a client certificate.
fn asking() -> AgentCard {
    let mut requirement = SecurityRequirement::new();
    let schemes = &mut requirement.schemes;
    schemes.insert("certificate".to_owned(), StringList::new());
    let mut card = card().with_security_requirements([requirement]);
    let scheme = SecurityScheme::new().with_mtls_security_scheme(MutualTlsSecurityScheme::new());
    card.security_schemes
        .insert("certificate".to_owned(), scheme);
    card
}

/// Serves an agent that knows one certificate, over TLS that asks for one of `clients`.
async fn serve(
    own: &Identity,
    clients: &Authority,
    known: &CertificateDer<'_>,
) -> (String, JoinSet<()>) {
    let authentication = Authentication::for_card(&asking())
        .scheme(
            "certificate",
            ClientCertificates::known([(known.to_vec(), Caller::known("alice"))]),
        )
        .build()
        .unwrap();
    let server = Server::builder(Desk::default(), asking())
        .authentication(authentication)
        .build()
        .unwrap();

    let mut roots = RootCertStore::empty();
    roots.add(clients.certificate.der().clone()).unwrap();
    let provider = Arc::new(ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()
            .unwrap();
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(
            vec![own.certificate.der().clone()],
            PrivateKeyDer::try_from(own.key.serialize_der()).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((tcp, _)) = listener.accept().await {
            let (acceptor, server) = (acceptor.clone(), server.clone());
            connections.spawn(async move {
                let Ok(tls) = acceptor.accept(tcp).await else {
                    return;
                };
                let shown = tls.get_ref().1.peer_certificates();
                let shown = shown.and_then(|all| all.first()).map(|der| der.to_vec());
                let calls = TowerToHyperService::new(server);
                let service = hyper::service::service_fn(move |mut request| {
                    if let Some(der) = &shown {
                        let request: &mut http::Request<hyper::body::Incoming> = &mut request;
                        let extensions = request.extensions_mut();
                        extensions.insert(PeerCertificate::verified(der.clone()));
                    }
                    hyper::service::Service::call(&calls, request)
                });
                let connection = auto::Builder::new(TokioExecutor::new());
                // How a connection ends is the client's affair.
                drop(
                    connection
                        .serve_connection(TokioIo::new(tls), service)
                        .await,
                );
            });
        }
    });
    (url, tasks)
}

fn client(url: &str, binding: Binding, builder: ClientBuilder) -> Client {
    let interface = AgentInterface::new()
        .with_url(url)
        .with_protocol_binding(binding.card_name())
        .with_protocol_version("1.0");
    let card = asking().with_supported_interfaces([interface]);
    builder.base_url(url).with_card(card).unwrap()
}

#[tokio::test]
async fn a_client_certificate_is_known_over_http_and_grpc() {
    let (servers, clients) = (Authority::new(), Authority::new());
    let own = servers.issue("localhost", ExtendedKeyUsagePurpose::ServerAuth);
    let alice = clients.issue("alice", ExtendedKeyUsagePurpose::ClientAuth);
    let bob = clients.issue("bob", ExtendedKeyUsagePurpose::ClientAuth);
    let forged = Authority::new().issue("alice", ExtendedKeyUsagePurpose::ClientAuth);
    let (url, _tasks) = serve(&own, &clients, alice.certificate.der()).await;
    let by_certificate = |transport: HttpTransport| {
        Client::builder()
            .transport(transport)
            .scheme("certificate", SchemeCredentials::client_certificate())
    };
    for binding in [Binding::JsonRpc, Binding::Rest, Binding::Grpc] {
        let known = client(&url, binding, by_certificate(alice.transport(&servers)));
        let answer = known.message("hello").send().await.unwrap();
        assert_eq!(answer.text(), "hello", "{binding:?}");

        let unknown = client(&url, binding, by_certificate(bob.transport(&servers)));
        let error = unknown.message("hello").send().await.unwrap_err();
        assert!(error.is_unauthenticated(), "{binding:?}: {error:?}");
        assert!(error.message().contains("nobody's"), "{binding:?}: {error}");

        let nobody = trusting(&servers).build().unwrap();
        let nobody = client(&url, binding, by_certificate(nobody));
        let error = nobody.message("hello").send().await.unwrap_err();
        assert!(error.is_unauthenticated(), "{binding:?}: {error:?}");

        // The listener does not take it.
        let strange = client(&url, binding, by_certificate(forged.transport(&servers)));
        let error = strange.message("hello").send().await.unwrap_err();
        assert!(error.is_unavailable(), "{binding:?}: {error:?}");

        // Who does not say that there is one is not called.
        let silent = Client::builder()
            .transport(alice.transport(&servers))
            .any_scheme(SchemeCredentials::api_key("k"));
        let error = client(&url, binding, silent).message("hello").send().await;
        assert!(error.unwrap_err().is_unsent(), "{binding:?}");
    }
}

#[test]
fn an_identity_is_checked_when_it_is_given() {
    let clients = Authority::new();
    let alice = clients.issue("alice", ExtendedKeyUsagePurpose::ClientAuth);
    let bob = clients.issue("bob", ExtendedKeyUsagePurpose::ClientAuth);
    let (certificate, key) = (alice.certificate.pem(), alice.key.serialize_pem());
    let both = format!("{certificate}{key}");
    let transport =
        |certificate: &str, key: &str| HttpTransport::builder().identity(certificate, key).build();
    assert!(transport(&certificate, &key).is_ok());
    assert!(transport(&both, &both).is_ok());
    for (certificate, key, says) in [
        ("", key.as_str(), "there is no certificate"),
        (&key, &key, "there is no certificate"),
        (&certificate, "", "there is no private key"),
        (&certificate, &certificate, "there is no private key"),
        (&certificate, &bob.key.serialize_pem(), "cannot be used"),
        (
            "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
            &key,
            "not valid PEM",
        ),
    ] {
        let error = transport(certificate, key).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(says), "{says}: {error}");
    }
    let builder = HttpTransport::builder().identity(&certificate, &key);
    let line = key.lines().nth(1).unwrap();
    assert!(!format!("{builder:?}").contains(line));
}
