//! The forms of a card: as v0.3 has it, and as clients of both versions read it.
//!
//! Comes in: a card, or its JSON in both versions. Goes out: JSON.
//!
//! One document can serve both since the two versions give almost everything another name: readers of
//! v1.0 go by `supportedInterfaces`, those of v0.3 by `url` and `preferredTransport`, and either
//! ignores what it does not know. Where they use one name, in the map of security schemes, the members
//! of both forms stand in the same object: v0.3 reads `type` and what belongs to it, v1.0 the member
//! that is named as the kind of scheme. A requirement has another name in each version, so that no
//! reader takes one for an empty one.

use a2a_wire::adapt::Options;
use a2a_wire::v0_3_json;
use a2a_wire::v1_0::{AgentCard, AgentInterface};
use http::HeaderMap;
use http::header::ACCEPT;
use serde_json::{Map, Value};

use crate::context::{Binding, ProtocolVersion};
use crate::error::Error;

/// The card as v0.3 has it; `None` when it has no interface of v0.3.
pub(super) fn old(card: &AgentCard) -> Result<Option<Vec<u8>>, Error> {
    if !super::speaks_v0_3(card) {
        return Ok(None);
    }
    let card = with_old_addresses(card);
    let mut json = Vec::new();
    let losses = v0_3_json::write::<v0_3_json::AgentCard>(&card, &Options::default(), &mut json)
        .map_err(|error| {
            let message = format!(
                "the card has an interface of version 0.3, but cannot be written for it: {}",
                error.message()
            );
            Error::invalid_field(error.path(), message).with_source(error)
        })?;
    for loss in losses {
        tracing::debug!(
            id = loss.id,
            path = loss.path,
            "agent card: {}",
            loss.detail
        );
    }
    Ok(Some(json))
}

pub(super) fn is_old(interface: &AgentInterface) -> bool {
    interface.protocol_version.parse() == Ok(ProtocolVersion::V0_3)
}

/// The card with the addresses of v0.3 as its clients take them.
pub(crate) fn with_old_addresses(card: &AgentCard) -> AgentCard {
    let mut card = card.clone();
    for interface in &mut card.supported_interfaces {
        let binding = Binding::from_card_name(&interface.protocol_binding);
        if binding == Some(Binding::Grpc) && is_old(interface) {
            interface.url = host_and_port(&interface.url);
        }
    }
    card
}

/// gRPC clients of v0.3 take an address without a scheme.
fn host_and_port(url: &str) -> String {
    let uri: Option<http::Uri> = url.parse().ok();
    let parts = uri.as_ref().and_then(|uri| {
        let port = match uri.scheme_str()? {
            "https" | "grpcs" => 443,
            "http" | "grpc" => 80,
            _ => return None,
        };
        Some((uri.host()?, uri.port_u16().unwrap_or(port)))
    });
    match parts {
        Some((host, port)) => format!("{host}:{port}"),
        None => url.strip_prefix("dns:///").unwrap_or(url).to_owned(),
    }
}

/// One document of the members of both.
pub(super) fn both(new: &[u8], old: &[u8]) -> Result<Vec<u8>, Error> {
    let unreadable =
        |error: serde_json::Error| Error::internal("the card's own JSON").with_source(error);
    let mut card: Value = serde_json::from_slice(new).map_err(unreadable)?;
    let old: Value = serde_json::from_slice(old).map_err(unreadable)?;
    add(&mut card, old);
    serde_json::to_vec(&card).map_err(unreadable)
}

/// Adds the members that are not there yet, at every depth.
fn add(new: &mut Value, old: Value) {
    match (new, old) {
        (Value::Object(new), Value::Object(old)) => add_members(new, old),
        // Lists of the same things, such as skills.
        (Value::Array(new), Value::Array(old)) if new.len() == old.len() => {
            for (new, old) in new.iter_mut().zip(old) {
                add(new, old);
            }
        }
        _ => {}
    }
}

fn add_members(new: &mut Map<String, Value>, old: Map<String, Value>) {
    for (name, value) in old {
        match new.get_mut(&name) {
            Some(known) => add(known, value),
            None => {
                new.insert(name, value);
            }
        }
    }
}

/// True when a request takes the media type that v1.0 brought, and not that of all JSON.
pub(super) fn takes_only_the_new(headers: &HeaderMap) -> bool {
    let taken: Vec<String> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| range.split(';').next())
        .map(|range| range.trim().to_ascii_lowercase())
        .collect();
    taken.iter().any(|range| range == "application/a2a+json")
        && !taken
            .iter()
            .any(|range| matches!(range.as_str(), "*/*" | "application/*" | "application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_grpc_are_hosts_and_ports() {
        for (url, expected) in [
            ("http://127.0.0.1:5001", "127.0.0.1:5001"),
            ("https://agent.example.com", "agent.example.com:443"),
            ("grpc://agent.example.com/", "agent.example.com:80"),
            ("agent.example.com:50051", "agent.example.com:50051"),
            ("dns:///agent.example.com:50051", "agent.example.com:50051"),
            ("http://[::1]:5001", "[::1]:5001"),
        ] {
            assert_eq!(host_and_port(url), expected, "{url}");
        }
    }

    #[test]
    fn who_names_only_the_new_media_type_reads_only_the_new_form() {
        let takes = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, http::HeaderValue::from_static(accept));
            takes_only_the_new(&headers)
        };
        assert!(takes("application/a2a+json"));
        assert!(takes("text/html, application/A2A+json;q=0.9"));
        assert!(!takes("application/a2a+json, application/json;q=0.5"));
        assert!(!takes("*/*"));
        assert!(!takes_only_the_new(&HeaderMap::new()));
    }
}
