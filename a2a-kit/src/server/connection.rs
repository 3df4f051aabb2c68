//! One connection.
//!
//! Comes in: a socket. Goes out: its requests, to what answers them, until either side ends it.
//! HTTP/1.1 and HTTP/2 are told apart by their first bytes; a request that asks to upgrade to HTTP/2
//! is answered as what it is, its body included.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::auth::PeerAddress;
use crate::body::{self, Body};
use crate::rest::Rest;

use super::Server;
use super::serve::Transport;

/// What the head of a request may weigh.
const HEAD_BYTES: usize = 64 << 10;
/// Calls at a time on one HTTP/2 connection.
const STREAMS: u32 = 256;
/// What a client may send ahead, for one stream and for all of a connection.
const WINDOWS: (u32, u32) = (1 << 20, 4 << 20);
/// What is kept for a client that reads slowly, for each stream.
const SEND_BUFFER: usize = 128 << 10;
/// How often a silent HTTP/2 client is asked whether it is still there, and how long it may think.
const PING: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

pub(super) fn builder(transport: &Transport) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(transport.header_timeout)
        .max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(WINDOWS.0)
        .initial_connection_window_size(WINDOWS.1)
        .max_header_list_size(u32::try_from(HEAD_BYTES).unwrap_or(u32::MAX))
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(PING.0)
        .keep_alive_timeout(PING.1);
    builder
}

/// What answers the requests of a listener.
pub(super) trait Answers: Clone + Send + Sync + 'static {
    fn answer(&self, request: Request<Body>) -> impl Future<Output = Response<Body>> + Send;
}

impl Answers for Server {
    fn answer(&self, request: Request<Body>) -> impl Future<Output = Response<Body>> + Send {
        self.handle(request)
    }
}

impl Answers for Rest {
    fn answer(&self, request: Request<Body>) -> impl Future<Output = Response<Body>> + Send {
        self.handle(request)
    }
}

/// Serves a connection until it ends. Faults of a connection are its client's; they are logged for
/// those who look for them.
pub(super) fn serve<S: Answers>(
    builder: Arc<auto::Builder<TokioExecutor>>,
    stream: TcpStream,
    peer: SocketAddr,
    server: S,
    transport: &Transport,
    mut stopping: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send + use<S> {
    // Answers and events are small, and each of them is waited for.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY cannot be set");
    }
    let header_timeout = transport.header_timeout;
    let used = Arc::new(AtomicBool::new(false));
    let service = Calls {
        server,
        peer: PeerAddress(peer),
        patience: transport.body_timeout,
        used: Arc::clone(&used),
    };
    async move {
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        // Until the first bytes are there, hyper does not know which timeout is theirs.
        let mut first = pin!(tokio::time::sleep(header_timeout));
        let mut waiting = true;
        let mut running = true;
        let stop = async move {
            // An error means that the server is gone.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        };
        let mut stop = pin!(stop);
        let result = loop {
            tokio::select! {
                result = &mut connection => break result,
                () = &mut first, if waiting => {
                    waiting = false;
                    if !used.load(Ordering::Relaxed) {
                        connection.as_mut().graceful_shutdown();
                    }
                }
                () = &mut stop, if running => {
                    running = false;
                    connection.as_mut().graceful_shutdown();
                }
            }
        };
        if let Err(error) = result {
            tracing::debug!(%error, "a connection ended with an error");
        }
    }
}

/// What answers one connection.
struct Calls<S> {
    server: S,
    peer: PeerAddress,
    patience: Duration,
    used: Arc<AtomicBool>,
}

impl<S: Answers> Service<Request<Incoming>> for Calls<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        self.used.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(self.peer);
        let (server, request) = (
            self.server.clone(),
            request.map(|body| body::patient(body, self.patience)),
        );
        Box::pin(async move { Ok(server.answer(request).await) })
    }
}
