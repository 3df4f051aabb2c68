//! Which interfaces of a card are called, and in which order.
//!
//! Comes in: the interfaces of a card, what this client speaks, what its user prefers. Goes out: the
//! interfaces that can be called, best first, and for each of the others why it cannot. Nothing is
//! called here.
//!
//! The rule (specification 8.3.2 and 3.6.2): the first binding, in the card's order, that both
//! sides speak; within it the highest version that both sides speak.

use std::fmt;

use a2a_wire::v1_0::AgentInterface;

use crate::context::{Binding, ProtocolVersion};

/// What a client can speak.
pub(super) const SPOKEN: &[(Binding, ProtocolVersion)] = &[
    (Binding::JsonRpc, ProtocolVersion::V1_0),
    (Binding::JsonRpc, ProtocolVersion::V0_3),
    (Binding::Rest, ProtocolVersion::V1_0),
    (Binding::Rest, ProtocolVersion::V0_3),
    #[cfg(feature = "grpc")]
    (Binding::Grpc, ProtocolVersion::V1_0),
    #[cfg(feature = "grpc")]
    (Binding::Grpc, ProtocolVersion::V0_3),
];

/// What the user of a client wants of an interface.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Preferences {
    /// No other bindings than these.
    pub(super) only: Option<Vec<Binding>>,
    /// These bindings before the others, in this order.
    pub(super) first: Vec<Binding>,
    /// This version and no other.
    pub(super) version: Option<ProtocolVersion>,
    /// No older version than this.
    pub(super) least: Option<ProtocolVersion>,
}

/// An interface that can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// Its place in the card.
    pub(super) index: usize,
    pub(super) binding: Binding,
    pub(super) version: ProtocolVersion,
}

/// An interface that cannot be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skipped {
    /// Its place in the card.
    pub(super) index: usize,
    pub(super) reason: Reason,
}

/// Why an interface is not called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// Another binding than the three of the specification.
    UnknownBinding,
    /// gRPC is not compiled in.
    NoGrpc,
    /// The user wants other bindings.
    BindingNotWanted,
    /// Its version is no version.
    NoVersion,
    /// A version of the protocol that this client does not speak.
    VersionNotSpoken(ProtocolVersion),
    /// The user wants another version.
    VersionNotWanted(ProtocolVersion),
    /// Its address cannot be called.
    Address(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownBinding => f.write_str("is a binding that this client does not know"),
            Self::NoGrpc => f.write_str("needs the feature grpc, which is not compiled in"),
            Self::BindingNotWanted => {
                f.write_str("is left out, since the client was told to use other bindings")
            }
            Self::NoVersion => f.write_str("has a protocolVersion that is none"),
            Self::VersionNotSpoken(version) => {
                write!(f, "is of A2A {version}, and this client speaks 1.0 and 0.3")
            }
            Self::VersionNotWanted(version) => write!(
                f,
                "is of A2A {version}, and the client was told to use another version"
            ),
            Self::Address(fault) => f.write_str(fault),
        }
    }
}

/// What came of a card's interfaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Best first.
    pub(super) choices: Vec<Choice>,
    /// In the card's order.
    pub(super) skipped: Vec<Skipped>,
}

/// Selects among the interfaces of a card.
pub(super) fn select(
    interfaces: &[AgentInterface],
    preferences: &Preferences,
    spoken: &[(Binding, ProtocolVersion)],
) -> Selection {
    let mut selection = Selection::default();
    for (index, interface) in interfaces.iter().enumerate() {
        match judge(interface, preferences, spoken) {
            Ok((binding, version)) => selection.choices.push(Choice {
                index,
                binding,
                version,
            }),
            Err(reason) => selection.skipped.push(Skipped { index, reason }),
        }
    }
    let mut order = preferences.first.clone();
    for choice in &selection.choices {
        if !order.contains(&choice.binding) {
            order.push(choice.binding);
        }
    }
    let rank = |binding| order.iter().position(|known| *known == binding);
    // Stable: equal versions of a binding stay in the card's order.
    selection
        .choices
        .sort_by_key(|choice| (rank(choice.binding), std::cmp::Reverse(choice.version)));
    selection
}

fn judge(
    interface: &AgentInterface,
    preferences: &Preferences,
    spoken: &[(Binding, ProtocolVersion)],
) -> Result<(Binding, ProtocolVersion), Reason> {
    let binding =
        Binding::from_card_name(interface.protocol_binding.trim()).ok_or(Reason::UnknownBinding)?;
    if preferences
        .only
        .as_ref()
        .is_some_and(|only| !only.contains(&binding))
    {
        return Err(Reason::BindingNotWanted);
    }
    if !spoken.iter().any(|(known, _)| *known == binding) {
        return Err(Reason::NoGrpc);
    }
    let version = match interface.protocol_version.trim() {
        "" => ProtocolVersion::V0_3,
        text => text.parse().map_err(|_| Reason::NoVersion)?,
    };
    if !spoken.contains(&(binding, version)) {
        return Err(Reason::VersionNotSpoken(version));
    }
    let wanted = preferences.version.is_none_or(|only| only == version)
        && preferences.least.is_none_or(|least| version >= least);
    if wanted {
        Ok((binding, version))
    } else {
        Err(Reason::VersionNotWanted(version))
    }
}

#[cfg(test)]
mod tests;
