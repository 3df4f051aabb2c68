//! Cards in either version.
//!
//! Comes in: the JSON of a card, of v1.0, v0.3 or both. Goes out: the card, its JSON in v0.3, and what
//! was lost on either way.

use std::str::FromStr;

use a2a_kit::v1_0::AgentCard;
use a2a_kit::wire::adapt::{Loss, Options};
use a2a_kit::wire::{WireMessage as _, json, v0_3_json};
use serde_json::{Map, Value};

use crate::exit::Failure;

/// A version that cards are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    New,
    Old,
}

impl FromStr for Version {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "1.0" => Ok(Self::New),
            "0.3" => Ok(Self::Old),
            _ => Err("it is 1.0 or 0.3"),
        }
    }
}

/// A card, and what of v0.3 it could not hold.
pub(super) struct Read {
    pub(super) card: AgentCard,
    pub(super) losses: Vec<Loss>,
}

/// True for members by which a card of v0.3 names its interfaces.
pub(super) fn has_old_form(card: &Map<String, Value>) -> bool {
    ["url", "preferredTransport", "additionalInterfaces"]
        .iter()
        .any(|name| card.contains_key(*name))
}

/// True for a card that names interfaces as v1.0 has them.
pub(super) fn has_new_form(card: &Map<String, Value>) -> bool {
    let interfaces = card
        .get("supportedInterfaces")
        .or_else(|| card.get("supported_interfaces"));
    interfaces
        .and_then(Value::as_array)
        .is_some_and(|interfaces| !interfaces.is_empty())
}

pub(super) fn read(text: &[u8]) -> Result<Read, Failure> {
    let old =
        serde_json::from_slice::<Map<String, Value>>(text).is_ok_and(|card| has_old_form(&card));
    let read = if old {
        v0_3_json::read::<v0_3_json::AgentCard>(text, &Options::default())
            .map(|(card, losses)| Read { card, losses })
    } else {
        AgentCard::read_json(text).map(|card| Read {
            card,
            losses: Vec::new(),
        })
    };
    read.map_err(|error| Failure::tool(format!("this is no agent card: {}", place(&error))))
}

/// The card in the JSON of v0.3.
pub(super) fn old(card: &AgentCard) -> Result<(String, Vec<Loss>), Failure> {
    let mut text = Vec::new();
    let losses = v0_3_json::write::<v0_3_json::AgentCard>(card, &Options::default(), &mut text)
        .map_err(|error| {
            Failure::tool(format!(
                "the card has no form in version 0.3: {}",
                place(&error)
            ))
        })?;
    Ok((String::from_utf8_lossy(&text).into_owned(), losses))
}

/// What is wrong, and where.
pub(super) fn place(error: &json::Error) -> String {
    match error.path() {
        "" => error.message().to_owned(),
        path => format!("{path}: {}", error.message()),
    }
}
