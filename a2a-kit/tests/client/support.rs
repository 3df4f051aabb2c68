//! A small service that tells what it sees of a call, served with TLS or without.

use std::net::SocketAddr;
use std::sync::Arc;

use a2a_kit::client::{
    Channel, ChannelOptions, GrpcChannel, HttpTransport, JsonRpcChannel, RestChannel,
};
use a2a_kit::v1_0::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface,
    DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest, GetTaskRequest, Message,
    Part, SendMessageRequest, SendMessageResponse, StreamResponse, Task,
};
use a2a_kit::{
    A2aService, A2aServiceClient, Binding, CallContext, Error, EventStream, ProtocolVersion,
    Server, Shared, Violation,
};
use futures_util::{StreamExt as _, stream};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

pub(crate) const EXTENSION: &str = "urn:example:extension";

/// Answers with what it was told; some texts mean something.
#[derive(Clone)]
pub(crate) struct Desk {
    /// Calls that wait and streams that are open.
    open: Arc<watch::Sender<usize>>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            open: Arc::new(watch::Sender::new(0)),
        }
    }
}

struct Guard(Arc<watch::Sender<usize>>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

impl Desk {
    fn enter(&self) -> Guard {
        self.open.send_modify(|open| *open += 1);
        Guard(Arc::clone(&self.open))
    }

    pub(crate) async fn until_open(&self, expected: usize) {
        let mut open = self.open.subscribe();
        open.wait_for(|open| *open == expected).await.unwrap();
    }
}

fn fault(text: &str) -> Option<Error> {
    match text {
        "missing" => Some(
            Error::task_not_found("there is no task \"t1\", é €").with_metadata("taskId", "t1"),
        ),
        "invalid" => Some(Error::invalid(vec![
            Violation {
                field: "message.parts".into(),
                description: "must be nice".into(),
            },
            Violation {
                field: "tenant".into(),
                description: "is unknown".into(),
            },
        ])),
        "own" => Some(Error::new(
            a2a_kit::Code::ResourceExhausted,
            "come back later",
        )),
        _ => None,
    }
}

fn text_of(request: &SendMessageRequest) -> String {
    let parts = request.message.as_ref().map(|message| &message.parts[..]);
    let first = parts.and_then(|parts| parts.first());
    first.and_then(Part::as_text).unwrap_or_default().to_owned()
}

/// What the service sees of a call, on lines.
fn seen(context: &CallContext) -> String {
    let header = |name: &str| {
        let value = context.headers().get(name);
        value
            .map_or("-", |value| value.to_str().unwrap())
            .to_owned()
    };
    format!(
        "{:?} {} {:?} {} {} {}",
        context.binding(),
        context.version(),
        context.extensions(),
        header("authorization"),
        header("x-own"),
        context.deadline().is_some(),
    )
}

impl A2aService for Desk {
    async fn send_message(
        &self,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        let text = text_of(&request);
        if text == "wait" {
            let _guard = self.enter();
            std::future::pending::<()>().await;
        }
        if let Some(fault) = fault(&text) {
            return Err(fault);
        }
        let mut message = request.message.unwrap_or_default();
        if text == "context" {
            message = message.with_parts([Part::text(seen(&context))]);
        }
        Ok(SendMessageResponse::message(message).into())
    }

    async fn send_streaming_message(
        &self,
        _context: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let text = text_of(&request);
        if let Some(fault) = fault(&text) {
            return Err(fault);
        }
        let count = text.rsplit(' ').next().and_then(|last| last.parse().ok());
        let message = request.message.unwrap_or_default();
        let events = stream::iter(0..count.unwrap_or(1)).map(move |number| {
            let event = message.clone().with_message_id(format!("m{number}"));
            Ok(StreamResponse::message(event).into())
        });
        Ok(match text.split(' ').next() {
            Some("then-missing") => {
                Box::pin(events.chain(stream::iter([Err(fault("missing").unwrap())])))
            }
            Some("then-wait") => {
                let guard = self.enter();
                let end = stream::once(async move {
                    let _guard = guard;
                    std::future::pending().await
                });
                Box::pin(events.chain(end))
            }
            _ => Box::pin(events),
        })
    }

    async fn get_task(
        &self,
        _context: CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        Ok(Task::new().with_id(request.id).into())
    }

    async fn get_extended_agent_card(
        &self,
        _context: CallContext,
        _request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        Ok(card().into())
    }

    async fn delete_task_push_notification_config(
        &self,
        _context: CallContext,
        _request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<Shared<()>, Error> {
        Ok(().into())
    }
}

pub(crate) fn card() -> AgentCard {
    let interface = |name: &str| {
        AgentInterface::new()
            .with_url("http://127.0.0.1/")
            .with_protocol_binding(name)
            .with_protocol_version("1.0")
    };
    AgentCard::new()
        .with_name("Desk")
        .with_description("Repeats what it is told.")
        .with_version("1")
        .with_default_input_modes(["text/plain"])
        .with_default_output_modes(["text/plain"])
        .with_capabilities(
            AgentCapabilities::new()
                .with_streaming(true)
                .with_push_notifications(true)
                .with_extended_agent_card(true)
                .with_extensions([AgentExtension::new().with_uri(EXTENSION)]),
        )
        .with_supported_interfaces(["JSONRPC", "GRPC", "HTTP+JSON"].map(interface))
}

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) desk: Desk,
    /// The certificate that clients must trust, as PEM.
    root: Option<String>,
    tasks: JoinSet<()>,
}

impl Running {
    pub(crate) async fn plain() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let desk = Desk::default();
        let server = Server::builder(desk.clone(), card()).build().unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { server.serve(listener).await.unwrap() });
        Self {
            address,
            desk,
            root: None,
            tasks,
        }
    }

    /// With a certificate for `localhost`, made by an issuer that nobody knows.
    pub(crate) async fn tls(protocols: &[&[u8]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let desk = Desk::default();
        let server = Server::builder(desk.clone(), card()).build().unwrap();

        let mut issuer = rcgen::CertificateParams::default();
        issuer.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let issuer_key = rcgen::KeyPair::generate().unwrap();
        let root = issuer.self_signed(&issuer_key).unwrap().pem();
        let issuer = rcgen::Issuer::new(issuer, issuer_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let names = vec!["localhost".to_owned()];
        let leaf = rcgen::CertificateParams::new(names).unwrap();
        let leaf = leaf.signed_by(&key, &issuer).unwrap();

        use tokio_rustls::rustls;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![leaf.der().clone()],
                rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((tcp, _)) = listener.accept().await {
                let (acceptor, server) = (acceptor.clone(), server.clone());
                connections.spawn(async move {
                    let Ok(tls) = acceptor.accept(tcp).await else {
                        return;
                    };
                    let service = TowerToHyperService::new(server);
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
        Self {
            address,
            desk,
            root: Some(root),
            tasks,
        }
    }

    /// Cuts all connections.
    pub(crate) async fn stop(&mut self) {
        self.tasks.shutdown().await;
    }

    pub(crate) fn transport(&self) -> HttpTransport {
        match &self.root {
            Some(root) => HttpTransport::builder()
                .root_certificates(root)
                .only_given_roots()
                .build()
                .unwrap(),
            None => HttpTransport::new(),
        }
    }

    pub(crate) fn url(&self) -> String {
        match &self.root {
            Some(_) => format!("https://localhost:{}", self.address.port()),
            None => format!("http://{}", self.address),
        }
    }

    /// A client of each binding.
    pub(crate) fn clients(&self) -> Vec<(Binding, A2aServiceClient)> {
        self.clients_with(ChannelOptions::default())
    }

    pub(crate) fn clients_with(&self, options: ChannelOptions) -> Vec<(Binding, A2aServiceClient)> {
        let (url, transport) = (self.url(), self.transport());
        let json_rpc = JsonRpcChannel::new(&url, transport.clone()).unwrap();
        let grpc = GrpcChannel::new(&url, transport.clone()).unwrap();
        let rest = RestChannel::new(&url, transport).unwrap();
        fn client(channel: impl Channel) -> A2aServiceClient {
            A2aServiceClient::new(channel)
        }
        vec![
            (Binding::JsonRpc, client(json_rpc.options(options))),
            (Binding::Grpc, client(grpc.options(options))),
            (Binding::Rest, client(rest.options(options))),
        ]
    }
}

pub(crate) fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

pub(crate) fn say(text: &str) -> SendMessageRequest {
    let message = Message::new()
        .with_message_id("m")
        .with_role(a2a_kit::v1_0::Role::User)
        .with_parts([Part::text(text)]);
    SendMessageRequest::new().with_message(message)
}

/// The text that the service answered with.
pub(crate) fn said(response: &SendMessageResponse) -> &str {
    response.as_message().unwrap().parts[0].as_text().unwrap()
}
