//! A whole call, from callers of the one version to a peer of the other.
//!
//! Comes in: an HTTP request of a caller, and what the peer answers. Goes out: the request that the
//! peer got, and the answer that the caller gets. Server and client are the real ones; only the
//! network is missing.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use a2a_kit::client::{
    CallOptions, Channel, GrpcChannel, JsonRpcChannel, RestChannel, Transport, TransportError,
};
use a2a_kit::grpc::Grpc;
use a2a_kit::jsonrpc::JsonRpc;
use a2a_kit::rest::Rest;
use a2a_kit::v0_3::{A2A_SERVICE as OLD, Facade, Peer};
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface};
use a2a_kit::{
    A2aServiceClient, Binding, Body, BoxA2aService, BoxFuture, CallContext, Dispatch,
    DispatchReply, Error, ErrorStyle, Input, Open, ProtocolVersion, Server, ServiceSpec,
};
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;

use super::case::Direction;

/// Below which the peer's addresses are.
pub const PEER: &str = "http://peer.example/a2a";

/// What the peer answers to a request.
pub type Answer = Box<dyn Fn(&Request<Bytes>) -> Response<Bytes> + Send + Sync>;

/// What came of a call.
#[derive(Debug)]
pub struct Exchange {
    /// The first request that the peer got, its address without the beginning; `None` when it was
    /// not called.
    pub sent: Option<Request<Bytes>>,
    /// What the caller got.
    pub answer: Response<Bytes>,
    /// What came after it.
    pub trailers: HeaderMap,
}

/// The tables of who calls and of who is called.
#[must_use]
pub fn versions(direction: Direction) -> (&'static ServiceSpec, &'static ServiceSpec) {
    let (old, new) = (&OLD, &a2a_kit::A2A_SERVICE);
    match direction {
        Direction::Up => (old, new),
        Direction::Down => (new, old),
    }
}

/// Sends a call of a caller of the one version, by one binding, to a peer of the other, by another.
///
/// # Errors
/// A sentence, when nothing could be sent at all, or the answer broke off.
pub async fn exchange(
    direction: Direction,
    bindings: (Binding, Binding),
    request: Request<Bytes>,
    answer: Answer,
) -> Result<Exchange, String> {
    through(direction, bindings, request, answer, |dispatch| dispatch).await
}

/// As [`exchange`], by a server that gives callers of v0.3 the details of errors as v1.0 has them.
///
/// # Errors
/// As [`exchange`].
pub async fn exchange_with_details(
    direction: Direction,
    bindings: (Binding, Binding),
    request: Request<Bytes>,
    answer: Answer,
) -> Result<Exchange, String> {
    let with_details = |dispatch| Arc::new(Detailed(dispatch)) as Arc<dyn Dispatch>;
    through(direction, bindings, request, answer, with_details).await
}

async fn through(
    direction: Direction,
    (caller, peer): (Binding, Binding),
    request: Request<Bytes>,
    answer: Answer,
    changed: impl FnOnce(Arc<dyn Dispatch>) -> Arc<dyn Dispatch>,
) -> Result<Exchange, String> {
    let wire = Arc::new(Wire {
        answer,
        sent: Mutex::default(),
    });
    let told = |error: Error| error.to_string();
    let dispatch: Arc<dyn Dispatch> = match direction {
        Direction::Up => {
            let peer = match peer {
                Binding::Rest => client(RestChannel::new(PEER, Arc::clone(&wire)).map_err(told)?),
                Binding::Grpc => client(GrpcChannel::new(PEER, Arc::clone(&wire)).map_err(told)?),
                _ => client(JsonRpcChannel::new(PEER, Arc::clone(&wire)).map_err(told)?),
            };
            Facade::dispatch(BoxA2aService::new(peer))
        }
        Direction::Down => {
            let peer: Arc<dyn Channel> = match peer {
                Binding::Rest => Arc::new(RestChannel::new(PEER, Arc::clone(&wire)).map_err(told)?),
                Binding::Grpc => Arc::new(GrpcChannel::new(PEER, Arc::clone(&wire)).map_err(told)?),
                _ => Arc::new(JsonRpcChannel::new(PEER, Arc::clone(&wire)).map_err(told)?),
            };
            Arc::new(BoxA2aService::new(Peer::new(peer)))
        }
    };
    let dispatch = changed(dispatch);
    let request = with_version(direction, request);
    let open = Arc::new(Open);
    let response = match caller {
        Binding::Rest => Rest::new(dispatch, open).handle(request).await,
        Binding::Grpc => Grpc::new(dispatch, open).handle(request).await,
        _ => JsonRpc::new(dispatch, open).handle(request).await,
    };
    wire.exchange(response).await
}

/// Sends a call to a server that serves both versions, before a peer of v1.0 that is called over
/// HTTP+JSON.
///
/// # Errors
/// As [`exchange`].
pub async fn of_both_versions(request: Request<Bytes>, answer: Answer) -> Result<Exchange, String> {
    let wire = Arc::new(Wire {
        answer,
        sent: Mutex::default(),
    });
    let told = |error: Error| error.to_string();
    let peer = client(RestChannel::new(PEER, Arc::clone(&wire)).map_err(told)?);
    let server = Server::builder(peer, card()).build().map_err(told)?;
    let response = server.handle(request.map(Body::full)).await;
    wire.exchange(response).await
}

fn client(channel: impl Channel) -> A2aServiceClient {
    A2aServiceClient::new(channel)
}

/// Callers of v1.0 say so; those of v0.3 need not.
fn with_version(direction: Direction, mut request: Request<Bytes>) -> Request<Body> {
    if direction == Direction::Down && !request.headers().contains_key("a2a-version") {
        let version = http::HeaderValue::from_static("1.0");
        request.headers_mut().insert("a2a-version", version);
    }
    request.map(Body::full)
}

/// A card of an agent that serves both versions over HTTP+JSON and JSON-RPC.
fn card() -> AgentCard {
    let interfaces = [ProtocolVersion::V1_0, ProtocolVersion::V0_3]
        .into_iter()
        .flat_map(|version| {
            [Binding::JsonRpc, Binding::Rest].map(|binding| {
                AgentInterface::new()
                    .with_url("http://agent.example/")
                    .with_protocol_binding(binding.card_name())
                    .with_protocol_version(version.to_string())
            })
        });
    AgentCard::new()
        .with_name("both")
        .with_description("Serves both versions.")
        .with_version("1")
        .with_supported_interfaces(interfaces)
        .with_capabilities(AgentCapabilities::new())
        .with_default_input_modes(["text/plain"])
        .with_default_output_modes(["text/plain"])
}

/// The tables of v0.3, but for how errors stand in answers.
static DETAILED: ServiceSpec = ServiceSpec {
    name: OLD.name,
    operations: OLD.operations,
    routes: OLD.routes,
    version: OLD.version,
    media_type: OLD.media_type,
    conflicts: OLD.conflicts,
    errors: OLD.errors,
    error_style: ErrorStyle::Status,
    extensions_header: OLD.extensions_header,
};

/// A service with those tables.
struct Detailed(Arc<dyn Dispatch>);

impl Dispatch for Detailed {
    fn service(&self) -> &'static ServiceSpec {
        &DETAILED
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        context: CallContext,
        input: Input<'a>,
    ) -> BoxFuture<'a, Result<DispatchReply, Error>> {
        self.0.call(operation, context, input)
    }
}

/// A network with one peer.
struct Wire {
    answer: Answer,
    sent: Mutex<Option<Request<Bytes>>>,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wire")
    }
}

impl Wire {
    async fn exchange(&self, response: Response<Body>) -> Result<Exchange, String> {
        let (head, body) = response.into_parts();
        let body = body
            .collect()
            .await
            .map_err(|error| format!("an answer that broke off: {error}"))?;
        let trailers = body.trailers().cloned().unwrap_or_default();
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Exchange {
            sent: sent.clone(),
            answer: Response::from_parts(head, body.to_bytes()),
            trailers,
        })
    }
}

impl Transport for Wire {
    fn send(
        &self,
        request: Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let answer = (self.answer)(&request).map(Body::full);
        self.sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(request);
        Box::pin(std::future::ready(Ok(answer)))
    }

    fn sleep(&self, _duration: std::time::Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}
