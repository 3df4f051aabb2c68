//! What an agent says and hands over.

use a2a_wire::v1_0::{Artifact, Message, Part};
use uuid::Uuid;

pub use crate::content::Parts;

/// Texts of a message, one per line; parts of other kinds are passed over.
pub(super) fn text_of(message: &Message) -> String {
    crate::content::text_of(&message.parts)
}

/// An artifact with this name and content, and an id of its own.
///
/// ```
/// let report = a2a_kit::agent::artifact("report", "All is well.");
/// assert_eq!(report.name, "report");
/// ```
#[must_use]
pub fn artifact(name: impl Into<String>, content: impl Into<Parts>) -> Artifact {
    let mut artifact = Artifact::default();
    artifact.artifact_id = Uuid::new_v4().to_string();
    artifact.name = name.into();
    artifact.parts = content.into().0;
    artifact
}

/// What an agent says. The engine adds role, ids and context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentMessage(pub(crate) Message);

impl From<Message> for AgentMessage {
    /// Keeps parts, metadata, extensions and references, and the message id if there is one.
    fn from(message: Message) -> Self {
        Self(message)
    }
}

impl From<Parts> for AgentMessage {
    fn from(parts: Parts) -> Self {
        let mut message = Message::default();
        message.parts = parts.0;
        Self(message)
    }
}

macro_rules! content {
    ($($source:ty)*) => {$(
        impl From<$source> for AgentMessage {
            fn from(value: $source) -> Self {
                Parts::from(value).into()
            }
        }
    )*};
}

content! { &str String std::borrow::Cow<'_, str> serde_json::Value Part Vec<Part> }
