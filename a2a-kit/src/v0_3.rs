//! A2A v0.3: its messages, its tables, and what no schema says of how it differs from v1.0.
//!
//! Comes in: calls of v0.3, for a v1.0 service ([`Facade`], [`OldA2aService`]); or calls of v1.0, for
//! a v0.3 peer ([`Peer`]). Goes out: the same calls in the other version. Messages are converted by
//! generated code; what stands here are the habits: which event a stream ends with, what it begins
//! with, lists without pages, registrations without ids.
//!
//! A server does all this by itself when its card has interfaces of version 0.3, and so does
//! [`Client`](crate::client::Client) when the card of its agent has.

pub use a2a_wire::v0_3::*;

pub use crate::generated::v0_3::{
    A2A_EXTENSIONS_HEADER, A2A_SERVICE, OldA2aService, OldA2aServiceClient, errors, operations,
};

mod bodies;
#[cfg(feature = "server")]
mod facade;
#[cfg(all(test, feature = "server", feature = "client"))]
mod losses;
#[cfg(feature = "client")]
mod peer;

#[cfg(feature = "server")]
pub use facade::Facade;
#[cfg(feature = "client")]
pub use peer::Peer;

#[cfg(any(feature = "server", feature = "client"))]
use a2a_wire::v1_0;

#[cfg(any(feature = "server", feature = "client"))]
use crate::adapted::Adapting;
#[cfg(any(feature = "server", feature = "client"))]
use crate::error::Error;
#[cfg(feature = "server")]
use crate::service::ServiceSpec;

/// The tables of the other versions of a service: for hints, and for knowing what a call means that
/// this version does not have.
#[cfg(feature = "server")]
pub(crate) fn other_versions(service: &ServiceSpec) -> &'static [&'static ServiceSpec] {
    static OLDER: [&ServiceSpec; 1] = [&A2A_SERVICE];
    static NEWER: [&ServiceSpec; 1] = [&crate::A2A_SERVICE];
    if service.name == A2A_SERVICE.name {
        &NEWER
    } else if service.name == crate::A2A_SERVICE.name {
        &OLDER
    } else {
        &[]
    }
}

/// What is the same in both directions.
#[cfg(any(feature = "server", feature = "client"))]
fn adapting() -> Adapting {
    Adapting::new(&crate::A2A_SERVICE, |operation| {
        Error::unsupported_operation(format!("A2A 0.3 has no {operation}"))
    })
}

/// True for an event after which v0.3 expects no more.
#[cfg(any(feature = "server", feature = "client"))]
fn is_final(event: &v1_0::StreamResponse) -> bool {
    use v1_0::stream_response::Payload;
    match &event.payload {
        Some(Payload::StatusUpdate(update)) => update.status.as_ref().is_some_and(|status| {
            let state = status.state();
            state.is_terminal() || state == v1_0::TaskState::InputRequired
        }),
        _ => false,
    }
}

/// True for a task of which nothing is to come.
#[cfg(any(feature = "server", feature = "client"))]
fn is_over(task: &v1_0::Task) -> bool {
    let status = task.status.as_ref();
    status.is_some_and(|status| v1_0::TaskState::is_terminal(status.state()))
}
