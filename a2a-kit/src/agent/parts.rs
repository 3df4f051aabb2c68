//! Short ways to write content: texts, data and files become parts, messages and artifacts.

use a2a_wire::types::Value;
use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{Artifact, Message, Part};
use uuid::Uuid;

/// The content of a message or an artifact.
///
/// ```
/// use a2a_kit::agent::Parts;
///
/// let text = Parts::from("hello");
/// let data = Parts::from(serde_json::json!({"risk": "low"}));
/// let both = text.and(data);
/// assert_eq!(both.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts(pub Vec<Part>);

impl Parts {
    /// Bytes of a file, with its media type.
    #[must_use]
    pub fn file(
        filename: impl Into<String>,
        media_type: impl Into<String>,
        bytes: impl Into<bytes::Bytes>,
    ) -> Self {
        let mut file = part(Content::Raw(bytes.into()));
        file.filename = filename.into();
        file.media_type = media_type.into();
        Self(vec![file])
    }

    /// This content and then that.
    #[must_use]
    pub fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// How many parts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn part(content: Content) -> Part {
    let mut part = Part::default();
    part.content = Some(content);
    part
}

/// Texts of a message, one per line; parts of other kinds are passed over.
pub(super) fn text_of(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
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
    ($($source:ty, $value:ident => $parts:expr;)*) => {$(
        impl From<$source> for Parts {
            fn from($value: $source) -> Self {
                Self($parts)
            }
        }

        impl From<$source> for AgentMessage {
            fn from(value: $source) -> Self {
                Parts::from(value).into()
            }
        }
    )*};
}

content! {
    &str, text => vec![part(Content::Text(text.to_owned()))];
    String, text => vec![part(Content::Text(text))];
    std::borrow::Cow<'_, str>, text => vec![part(Content::Text(text.into_owned()))];
    serde_json::Value, data => vec![part(Content::Data(Value(data)))];
    Part, part => vec![part];
    Vec<Part>, parts => parts;
}
