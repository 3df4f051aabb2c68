//! One port for an agent: card, JSON-RPC, HTTP+JSON and gRPC.
//!
//! Comes in: a service, its card and options ([`ServerBuilder`]). Goes out: a [`Server`], which is
//! a `tower` service; it can be served as it is, or mounted in an `axum::Router`.
//!
//! A request goes to gRPC by its content type, to a card and to JSON-RPC by its path, and to
//! HTTP+JSON otherwise. Versions 1.0 and 0.3 of the protocol are served at the same addresses: over
//! gRPC the path says which one it is, otherwise `A2A-Version` does, and 0.3 is what is meant when
//! nothing is said, unless [`ServerBuilder::infer_version`] is on. A binding serves the versions of which the card has an interface of it.

mod builder;
mod connection;
mod mount;
mod serve;

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Request, Response, StatusCode, Uri};
use http_body::Body as HttpBody;

use crate::A2aService;
use crate::admission::{self, Inferred};
use crate::body::{self, Body, BoxError};
use crate::card::CardEndpoint;
use crate::context::ProtocolVersion;
use crate::error::{Code, Error};
#[cfg(feature = "grpc")]
use crate::grpc::Grpc;
use crate::jsonrpc::JsonRpc;
use crate::rest::Rest;
use crate::service::percent::{self, Part};
use crate::service::{BoxFuture, ServiceSpec};
use crate::v1_0::AgentCard;

pub use builder::ServerBuilder;
use serve::Transport;

/// All paths of version 0.3 begin so; in version 1.0 it would be the name of a tenant.
const OLD_PATHS: &str = "/v1/";

/// Serves an agent on one port. Cheap to clone.
///
/// Bindings that the card does not declare are not served.
///
/// ```
/// use a2a_kit::{A2aService, Server, v1_0::{AgentCapabilities, AgentCard, AgentInterface}};
///
/// struct Silent;
/// impl A2aService for Silent {} // every operation answers "unimplemented"
///
/// let mut interface = AgentInterface::default();
/// interface.url = "http://127.0.0.1:8080/".into();
/// interface.protocol_binding = "JSONRPC".into();
/// interface.protocol_version = "1.0".into();
/// let mut card = AgentCard::default();
/// card.name = "Silent".into();
/// card.description = "Says nothing.".into();
/// card.version = "0.1.0".into();
/// card.capabilities = Some(AgentCapabilities::default());
/// card.supported_interfaces.push(interface);
///
/// let server = Server::builder(Silent, card).build()?;
/// # let _ = server;
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    card: CardEndpoint,
    /// Those of tenants that have one of their own.
    tenant_cards: HashMap<String, CardEndpoint>,
    /// Also answers what is in no version that is served, so it has every binding that the card has
    /// in any version.
    new: Routers,
    /// The bindings that the card has in version 0.3.
    old: Routers,
    infers: Infers,
    /// Below the base path, without a slash at the end; empty for the base itself.
    json_rpc_paths: Vec<String>,
    /// In front of all paths; empty, or with a slash at the beginning and none at the end.
    base: String,
    transport: Transport,
}

/// On which bindings a call that names no version may be one of 1.0.
struct Infers {
    json_rpc: bool,
    rest: bool,
    #[cfg(feature = "grpc")]
    grpc: bool,
}

/// What serves one version of the protocol.
struct Routers {
    service: &'static ServiceSpec,
    json_rpc: Option<JsonRpc>,
    rest: Option<Rest>,
    #[cfg(feature = "grpc")]
    grpc: Option<Grpc>,
}

impl Server {
    /// Begins a server for a service and the card that describes it.
    pub fn builder(service: impl A2aService, card: AgentCard) -> ServerBuilder {
        ServerBuilder::new(service, card)
    }

    /// Answers a request; a refusal is an answer too, and so is a panic.
    pub async fn handle(&self, request: Request<Body>) -> Response<Body> {
        let is_head = request.method() == Method::HEAD;
        let routed = AssertUnwindSafe(self.route(request)).catch_unwind().await;
        let response = routed.unwrap_or_else(|_| {
            // The panic hook has told the log.
            tracing::error!("a request panicked outside of its operation");
            plain(&Error::internal(
                "the agent failed while it handled the request",
            ))
        });
        match is_head {
            // Over HTTP/2 nothing else would take it away, and clients take it for a fault.
            true => body::without_body(response),
            false => response,
        }
    }

    async fn route(&self, mut request: Request<Body>) -> Response<Body> {
        let inner = &*self.0;
        let is_below = inner.strip_base(request.uri_mut());
        #[cfg(feature = "grpc")]
        if is_grpc(&request)
            && let Some(grpc) = inner.grpc(request.uri().path())
        {
            return grpc.handle(inner.infer_grpc(request)).await;
        }
        if !is_below {
            return inner.nothing_here(request);
        }
        if let Some(card) = inner.card_at(request.uri().path()) {
            let (parts, body) = request.into_parts();
            body::drain(&parts, body);
            return card.handle(&parts);
        }
        let (mut parts, body) = request.into_parts();
        let mut is_old = admission::is_v0_3(&parts);
        let says_nothing = is_old && admission::names_no_version(&parts);
        let routers = |old: bool| if old { &inner.old } else { &inner.new };
        if inner.is_json_rpc(parts.uri.path()) {
            let in_version = is_old && inner.old.json_rpc.is_some();
            if let Some(json_rpc) = &routers(in_version).json_rpc {
                let request = Request::from_parts(parts, body);
                return match &inner.new.json_rpc {
                    Some(newer) if says_nothing && inner.infers.json_rpc => {
                        json_rpc.handle_inferring(request, newer).await
                    }
                    _ => json_rpc.handle(request).await,
                };
            }
        }
        if says_nothing && inner.infers.rest && !parts.uri.path().starts_with(OLD_PATHS) {
            parts.extensions.insert(Inferred(ProtocolVersion::V1_0));
            is_old = false;
        }
        let mut request = Request::from_parts(parts, body);
        let in_version = is_old && inner.old.rest.is_some();
        match &routers(in_version).rest {
            Some(rest) => {
                if in_version {
                    name_no_id(request.uri_mut());
                }
                rest.handle(request).await
            }
            None => inner.nothing_here(request),
        }
    }
}

impl Inner {
    /// Takes the base path off a target; false, and nothing done, when the target is elsewhere.
    fn strip_base(&self, uri: &mut Uri) -> bool {
        if self.base.is_empty() {
            return true;
        }
        let rest = match uri.path().strip_prefix(self.base.as_str()) {
            Some("") => "/",
            Some(rest) if rest.starts_with('/') => rest,
            _ => return false,
        };
        let target = match uri.query() {
            Some(query) => PathAndQuery::try_from(format!("{rest}?{query}")),
            None => PathAndQuery::try_from(rest),
        };
        let Ok(target) = target else { return false };
        *uri = Uri::from(target);
        true
    }

    /// The agent's card, or that of a tenant.
    fn card_at(&self, path: &str) -> Option<&CardEndpoint> {
        if self.card.is_at(path) {
            return Some(&self.card);
        }
        let (tenant, _) = path.strip_prefix('/')?.split_once('/')?;
        let (tenant, rest) = (
            percent::decode(tenant, Part::Segment).ok()?,
            &path[tenant.len() + 1..],
        );
        self.tenant_cards
            .get(&*tenant)
            .filter(|card| card.is_at(rest))
    }

    /// Every path is served with a slash at its end, too.
    fn is_json_rpc(&self, path: &str) -> bool {
        let path = path.strip_suffix('/').unwrap_or(path);
        self.json_rpc_paths.iter().any(|known| known == path)
    }

    /// The package in the path says the version.
    #[cfg(feature = "grpc")]
    fn grpc(&self, path: &str) -> Option<&Grpc> {
        let is_old = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(self.old.service.name))
            .is_some_and(|method| method.starts_with('/'));
        match &self.old.grpc {
            Some(old) if is_old => Some(old),
            _ => self.new.grpc.as_ref(),
        }
    }

    /// The package in the path is a shape, too.
    #[cfg(feature = "grpc")]
    fn infer_grpc(&self, request: Request<Body>) -> Request<Body> {
        let (mut parts, body) = request.into_parts();
        let is_new = parts
            .uri
            .path()
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(self.new.service.name))
            .is_some_and(|method| method.starts_with('/'));
        if self.infers.grpc && is_new && admission::names_no_version(&parts) {
            parts.extensions.insert(Inferred(ProtocolVersion::V1_0));
        }
        Request::from_parts(parts, body)
    }

    fn nothing_here(&self, request: Request<Body>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        body::drain(&parts, body);
        let hint = match (&self.new.rest, self.base.as_str()) {
            (None, _) => "this agent declares no HTTP+JSON interface",
            (_, "") => "see the agent card for its interfaces",
            _ => "its interfaces are below another path, see the agent card",
        };
        let path: String = parts.uri.path().chars().take(100).collect();
        plain(&Error::new(
            Code::NotFound,
            format!("nothing is served at {path}; {hint}"),
        ))
    }
}

/// Some clients of v0.3 ask for the registration of a task whose id they do not know by a path that
/// ends in `/`. No route has an empty part; others write `None` there, which means the same.
fn name_no_id(uri: &mut Uri) {
    if !uri.path().ends_with("/pushNotificationConfigs/") {
        return;
    }
    let path = uri.path();
    let target = match uri.query() {
        Some(query) => PathAndQuery::try_from(format!("{path}None?{query}")),
        None => PathAndQuery::try_from(format!("{path}None")),
    };
    if let Ok(target) = target {
        *uri = Uri::from(target);
    }
}

#[cfg(feature = "grpc")]
fn is_grpc(request: &Request<Body>) -> bool {
    // `application/grpc`, `application/grpc+proto`; but `application/grpc-web` is another protocol.
    let content_type = request
        .headers()
        .get(CONTENT_TYPE)
        .map(HeaderValue::as_bytes)
        .unwrap_or_default();
    let name = b"application/grpc";
    let named = content_type
        .get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name));
    named
        && matches!(
            content_type.get(name.len()),
            None | Some(b'+' | b';' | b' ')
        )
}

/// An error outside of every binding, in the form of HTTP+JSON.
fn plain(error: &Error) -> Response<Body> {
    let mut json = Vec::new();
    error.write_status_json(&mut json);
    let mut response = Response::new(Body::full(json));
    *response.status_mut() =
        StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

impl<B> tower_service::Service<Request<B>> for Server
where
    B: HttpBody + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let patience = self.0.transport.body_timeout;
        let (server, request) = (
            self.clone(),
            request.map(|body| body::patient(body, patience)),
        );
        Box::pin(async move { Ok(server.handle(request).await) })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Server");
        out.field("base", &self.0.base);
        for (version, routers) in [("1.0", &self.0.new), ("0.3", &self.0.old)] {
            out.field("version", &version)
                .field("json_rpc", &routers.json_rpc)
                .field("rest", &routers.rest);
            #[cfg(feature = "grpc")]
            out.field("grpc", &routers.grpc);
        }
        out.finish_non_exhaustive()
    }
}
