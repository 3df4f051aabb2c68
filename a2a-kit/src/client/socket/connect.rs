//! Connections: how long they may take, and what is said when there is none.

use std::error::Error as StdError;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy;
use tower_service::Service;

use crate::body::BoxError;
use crate::client::transport::{TransportError, TransportErrorKind};

/// Gives up after a while.
#[derive(Clone, Debug)]
pub(super) struct Connector<C> {
    connector: C,
    timeout: Duration,
}

impl<C> Connector<C> {
    pub(super) fn new(connector: C, timeout: Duration) -> Self {
        Self { connector, timeout }
    }
}

impl<C> Service<Uri> for Connector<C>
where
    C: Service<Uri>,
    C::Error: Into<BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let timeout = self.timeout;
        let connection = self.connector.call(to);
        Box::pin(async move {
            match tokio::time::timeout(timeout, connection).await {
                Ok(connection) => connection.map_err(Into::into),
                Err(_elapsed) => Err(TransportError::new(
                    TransportErrorKind::Timeout,
                    format!("no connection within {timeout:?}"),
                )
                .into()),
            }
        })
    }
}

/// True when the connection was found closed before the request went out.
pub(super) fn is_canceled(error: &legacy::Error) -> bool {
    chain(error).any(|error| {
        error
            .downcast_ref::<hyper::Error>()
            .is_some_and(hyper::Error::is_canceled)
    })
}

/// What went wrong, in words for people.
pub(super) fn explain(error: legacy::Error, place: &str) -> TransportError {
    if error.is_connect() {
        let timed_out = chain(&error).any(|error| {
            error
                .downcast_ref::<TransportError>()
                .is_some_and(|error| error.kind() == TransportErrorKind::Timeout)
                || error
                    .downcast_ref::<std::io::Error>()
                    .is_some_and(|error| error.kind() == std::io::ErrorKind::TimedOut)
        });
        let kind = if timed_out {
            TransportErrorKind::Timeout
        } else if is_tls(&error) {
            TransportErrorKind::Tls
        } else {
            TransportErrorKind::Connect
        };
        let message = format!(
            "cannot connect to {place}: {}",
            error.source().map_or_else(|| error.to_string(), causes)
        );
        return TransportError::new(kind, message).with_source(error);
    }
    let found = error.source().map_or_else(|| error.to_string(), causes);
    TransportError::new(
        TransportErrorKind::Broken,
        format!("the connection to {place} broke: {found}"),
    )
    .with_source(error)
}

/// An error and its causes, without those that another one quotes anyway.
pub(super) fn causes(error: &(dyn StdError + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    for error in chain(error) {
        let text = error.to_string();
        if !texts.iter().any(|before| before.contains(&text)) {
            texts.push(text);
        }
    }
    texts.join(": ")
}

/// An error and its causes, those within I/O errors too, which keep them to themselves.
fn chain<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| {
        let error: &'a (dyn StdError + 'static) = *error;
        let within = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        match within {
            Some(within) => Some(within as &(dyn StdError + 'static)),
            None => error.source(),
        }
    })
}

#[cfg(feature = "tls")]
fn is_tls(error: &legacy::Error) -> bool {
    chain(error).any(<dyn StdError>::is::<rustls::Error>)
}

#[cfg(not(feature = "tls"))]
fn is_tls(_error: &legacy::Error) -> bool {
    false
}
