//! Short ways to write content: texts, data and files become parts, for both sides.

use a2a_wire::types::Value;
use a2a_wire::v1_0::Part;
use a2a_wire::v1_0::part::Content;

/// The content of a message or an artifact.
///
/// ```
/// use a2a_kit::Parts;
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

pub(crate) fn part(content: Content) -> Part {
    let mut part = Part::default();
    part.content = Some(content);
    part
}

/// The texts among parts, one per line; parts of other kinds are passed over.
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

macro_rules! content {
    ($($source:ty, $value:ident => $parts:expr;)*) => {$(
        impl From<$source> for Parts {
            fn from($value: $source) -> Self {
                Self($parts)
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
