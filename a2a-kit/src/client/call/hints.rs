//! What errors of calls say beyond what the agent says.
//!
//! Comes in: why a call failed, at one interface or at all. Goes out: one error, with what the client
//! knows about it.

use crate::client::credentials::Dressed;
use crate::client::location::Origin;
use crate::client::session::{Peer, Session};
use crate::client::transport::TransportErrorKind;
use crate::error::{Code, Error};

/// What happened at each interface.
pub(super) fn unreached(mut failed: Vec<(&Peer, Error)>) -> Error {
    let told: Vec<String> = failed
        .iter()
        .map(|(peer, error)| format!("{}: {}", peer.name(), error.message()))
        .collect();
    // It may be sent again only if none of them can have seen it.
    let cause = failed
        .iter()
        .position(|(_, error)| !error.is_unsent())
        .unwrap_or(failed.len().saturating_sub(1));
    if cause >= failed.len() {
        return Error::internal("the agent has no interface");
    }
    let only_credentials = failed.iter().all(|(_, error)| {
        let fault = error.transport();
        fault.is_some_and(|fault| fault.kind() == TransportErrorKind::Credentials)
    });
    if only_credentials {
        // Most likely the same for all of them.
        return failed.swap_remove(0).1;
    }
    let (_, cause) = failed.swap_remove(cause);
    if failed.is_empty() {
        return cause;
    }
    Error::new(
        Code::Unavailable,
        format!(
            "no interface of the agent could be reached: {}",
            told.join("; ")
        ),
    )
    .with_source(cause)
}

/// Says that there are credentials, but not for whom asked for some.
pub(in crate::client) fn with_credentials_hint(
    error: Error,
    transport: &Dressed,
    origin: Option<&Origin>,
) -> Error {
    if error.code() != Code::Unauthenticated {
        return error;
    }
    let (Some(others), Some(origin)) = (transport.others(origin), origin) else {
        return error;
    };
    error.with_message(|message| {
        format!("{message} (the credentials of this client are for {others} and were not sent to {origin}; Credentials::for_origin gives it some)")
    })
}

/// Says what becomes of credentials for schemes, when the agent misses some.
pub(super) fn with_scheme_hint(error: Error, transport: &Dressed, session: &Session) -> Error {
    // Not when the agent was not asked.
    if error.code() != Code::Unauthenticated || error.transport().is_some() {
        return error;
    }
    let hint = match transport.schemes() {
        Some(schemes) if schemes.are_not_asked_for() => {
            "the card asks for no credentials, so those for its schemes were not sent; ClientBuilder::credentials sends some whatever the card says"
        }
        None if !transport.has_credentials() && !session.card.security_requirements.is_empty() => {
            "the card says which credentials it asks for, and this client was given none; ClientBuilder::scheme gives it some"
        }
        _ => return error,
    };
    error.with_message(|message| format!("{message} ({hint})"))
}
