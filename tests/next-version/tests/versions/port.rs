//! Both versions of one service on one port, every binding of each.
//!
//! Comes in: a service of version 1.1. Goes out: a port that answers calls of version 1.1 with it,
//! and those of version 1.0 with its adapter. Over gRPC the path says the version, elsewhere
//! `A2A-Version`; what is in neither is for version 1.1 to refuse.

use std::convert::Infallible;
use std::sync::Arc;

use a2a_kit::adapted::Adapting;
use a2a_kit::client::{Channel, GrpcChannel, HttpTransport, JsonRpcChannel, RestChannel};
use a2a_kit::grpc::Grpc;
use a2a_kit::jsonrpc::JsonRpc;
use a2a_kit::rest::Rest;
use a2a_kit::wire::adapt::{self, Options};
use a2a_kit::{Admission, Body, CardAdmission, Dispatch, Error, ProtocolVersion};
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use next_version::{v1_0, v1_1};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// How the two versions are brought together.
pub(crate) fn adapting() -> Adapting {
    Adapting::new(&v1_1::A2A_SERVICE, |operation| {
        let message = format!("A2A 1.0 has no {operation}");
        Error::from_spec(&v1_1::UNSUPPORTED_OPERATION, message)
    })
}

/// One version.
#[derive(Clone)]
struct Surface {
    service: &'static str,
    json_rpc: JsonRpc,
    rest: Rest,
    grpc: Grpc,
}

impl Surface {
    fn new(dispatch: impl Dispatch, admission: &Arc<CardAdmission>) -> Self {
        let dispatch: Arc<dyn Dispatch> = Arc::new(dispatch);
        let admission: Arc<dyn Admission> = admission.clone();
        Self {
            service: dispatch.service().name,
            json_rpc: JsonRpc::new(dispatch.clone(), admission.clone()),
            rest: Rest::new(dispatch.clone(), admission.clone()),
            grpc: Grpc::new(dispatch, admission),
        }
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let is_grpc = is_grpc(&request);
        match request.uri().path() {
            _ if is_grpc => self.grpc.handle(request).await,
            "/" => self.json_rpc.handle(request).await,
            _ => self.rest.handle(request).await,
        }
    }
}

/// Both versions.
#[derive(Clone)]
struct Versions {
    newer: Surface,
    older: Surface,
}

impl Versions {
    fn new(service: impl v1_1::A2aService) -> Self {
        let (card, losses) = adapt::down(crate::agent::card(), &Options::default()).unwrap();
        assert_eq!(losses, []);
        let admission = Arc::new(CardAdmission::new(&card));
        let service = v1_1::BoxA2aService::new(service);
        let older = v1_0::OldA2aService::new(service.clone(), adapting());
        Self {
            newer: Surface::new(service, &admission),
            older: Surface::new(older, &admission),
        }
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let is_older = if is_grpc(&request) {
            let mut path = request.uri().path().split('/');
            path.nth(1) == Some(self.older.service)
        } else {
            let version = request.headers().get("a2a-version");
            let version = version.and_then(|version| version.to_str().ok()?.parse().ok());
            version == Some(ProtocolVersion::V1_0)
        };
        let version = if is_older { &self.older } else { &self.newer };
        version.answer(request).await
    }
}

fn is_grpc(request: &Request<Body>) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}

/// A service on a free port; stopped when it is dropped.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) url: String,
    server: JoinHandle<()>,
}

impl Drop for Port {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Port {
    pub(crate) async fn serve(service: impl v1_1::A2aService) -> Self {
        let versions = Versions::new(service);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            // Connections end with the port.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let versions = versions.clone();
                let answer = service_fn(move |request: Request<Incoming>| {
                    let versions = versions.clone();
                    async move { Ok::<_, Infallible>(versions.answer(request.map(Body::new)).await) }
                });
                connections.spawn(async move {
                    let connection = auto::Builder::new(TokioExecutor::new());
                    // A connection that breaks is for its client to tell.
                    let _ = connection
                        .serve_connection(TokioIo::new(stream), answer)
                        .await;
                });
            }
        });
        Self { url, server }
    }
}

/// A way to call an agent on each binding.
pub(crate) fn channels(url: &str) -> [(&'static str, Arc<dyn Channel>); 3] {
    let transport = HttpTransport::new;
    [
        (
            "JSON-RPC",
            Arc::new(JsonRpcChannel::new(url, transport()).unwrap()),
        ),
        (
            "HTTP+JSON",
            Arc::new(RestChannel::new(url, transport()).unwrap()),
        ),
        (
            "gRPC",
            Arc::new(GrpcChannel::new(url, transport()).unwrap()),
        ),
    ]
}
