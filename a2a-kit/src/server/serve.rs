//! The listener.
//!
//! Comes in: a bound listener, a [`Server`] or a [`Rest`], and a future that says when to stop. Goes
//! out: connections, each in a task of its own. Nothing that a client does ends the loop.

use std::future::{Future, pending};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use super::Server;
use super::connection::{self, Answers};
use crate::rest::Rest;

/// How connections are treated.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    pub(super) max_connections: usize,
    pub(super) header_timeout: Duration,
    pub(super) body_timeout: Duration,
    pub(super) shutdown_grace: Duration,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            max_connections: 16_384,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

/// The first and the longest pause after an error of the listener.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

impl Server {
    /// Serves HTTP/1.1 and HTTP/2 (with prior knowledge) on the listener, for ever.
    ///
    /// ```no_run
    /// # async fn serve(server: a2a_kit::Server) -> std::io::Result<()> {
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    /// server.serve(listener).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// None at present: what goes wrong with a connection, or with accepting one, is logged, and
    /// the next one is served.
    pub async fn serve(&self, listener: TcpListener) -> io::Result<()> {
        self.serve_with_shutdown(listener, pending()).await
    }

    /// As [`serve`](Self::serve), until `shutdown` is ready. Then no connection is accepted any
    /// more, open calls and streams may end for the time of
    /// [`shutdown_grace`](super::ServerBuilder::shutdown_grace), and what is left is cut.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub async fn serve_with_shutdown(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        run(self, &self.0.transport, listener, shutdown).await
    }
}

impl Rest {
    /// Serves HTTP/1.1 and HTTP/2 (with prior knowledge) on the listener, for ever: a service that
    /// has HTTP+JSON and nothing else.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use a2a_kit::{Dispatch, Open, rest::Rest};
    /// # async fn serve(service: impl Dispatch) -> std::io::Result<()> {
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    /// Rest::new(Arc::new(service), Arc::new(Open)).serve(listener).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub async fn serve(&self, listener: TcpListener) -> io::Result<()> {
        self.serve_with_shutdown(listener, pending()).await
    }

    /// As [`serve`](Self::serve), until `shutdown` is ready. Open calls and streams may end for
    /// another ten seconds.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub async fn serve_with_shutdown(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        run(self, &Transport::default(), listener, shutdown).await
    }
}

async fn run(
    server: &impl Answers,
    transport: &Transport,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let builder = Arc::new(connection::builder(transport));
    let slots = Arc::new(Semaphore::new(
        transport.max_connections.clamp(1, Semaphore::MAX_PERMITS),
    ));
    let (stop, stopping) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let ((stream, peer), slot) = tokio::select! {
            biased;
            () = &mut shutdown => break,
            // Finished tasks are taken out of the set as they finish.
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &slots) => accepted,
        };
        let connection = connection::serve(
            Arc::clone(&builder),
            stream,
            peer,
            server.clone(),
            transport,
            stopping.clone(),
        );
        connections.spawn(async move {
            connection.await;
            drop(slot);
        });
    }
    drop(listener);
    // There may be no connection left to tell.
    let _ = stop.send(true);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(transport.shutdown_grace, all_ended)
        .await
        .is_err()
    {
        tracing::warn!(
            connections = connections.len(),
            "connections were cut when the server stopped"
        );
        connections.shutdown().await;
    }
    Ok(())
}

/// The next connection. Errors are waited out: most of them are about one connection that is gone
/// already, the others (no more file descriptors) pass when connections end.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> ((TcpStream, SocketAddr), OwnedSemaphorePermit) {
    let mut pause = PAUSES.0;
    loop {
        // The semaphore is never closed.
        let Ok(slot) = Arc::clone(slots).acquire_owned().await else {
            return pending().await;
        };
        match listener.accept().await {
            Ok(accepted) => return (accepted, slot),
            Err(error) if is_about_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted");
                drop(slot);
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}
