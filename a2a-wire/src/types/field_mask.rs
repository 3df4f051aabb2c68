//! Sets of field paths, in JSON one text of camel-case paths.

use std::fmt::Write as _;
use std::str::FromStr;

use super::Invalid;

/// `google.protobuf.FieldMask`: a set of field paths.
///
/// ```
/// use a2a_wire::types::FieldMask;
///
/// let mask: FieldMask = "contextId,status.message".parse()?;
/// assert_eq!(mask.paths, ["context_id", "status.message"]);
/// # Ok::<(), a2a_wire::types::Invalid>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct FieldMask {
    /// Dotted paths in proto names.
    #[prost(string, repeated, tag = "1")]
    pub paths: Vec<String>,
}

impl FieldMask {
    /// A mask of the given paths, in proto names.
    #[must_use]
    pub fn new<P: Into<String>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
        }
    }

    /// The text of ProtoJSON: the paths in lower camel case, with commas between them.
    ///
    /// # Errors
    /// When a path has no camel-case form that reads back as the same path.
    pub fn to_text(&self) -> Result<String, Invalid> {
        let mut text = String::with_capacity(self.paths.iter().map(|path| path.len() + 1).sum());
        for (index, path) in self.paths.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            let mut characters = path.chars().peekable();
            while let Some(character) = characters.next() {
                match (character, characters.peek()) {
                    ('_', Some(next)) if next.is_ascii_lowercase() => {
                        text.push(next.to_ascii_uppercase());
                        characters.next();
                    }
                    ('_' | 'A'..='Z' | ',', _) => {
                        return Err(Invalid(
                            format!("the field path {path:?} has no form in JSON: expected lower_snake_case").into(),
                        ));
                    }
                    _ => text.push(character),
                }
            }
        }
        Ok(text)
    }
}

/// A list of lower camel-case paths with commas between them; an empty text is an empty mask.
impl FromStr for FieldMask {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let mut paths = Vec::new();
        for camel in text.split(',') {
            if camel.is_empty() || camel.contains(['_', ' ']) {
                return Err(Invalid::new(
                    "expected field paths in lowerCamelCase with commas between them, for example displayName,address.zipCode",
                ));
            }
            let mut path = String::with_capacity(camel.len() + 4);
            for character in camel.chars() {
                if character.is_ascii_uppercase() {
                    let _ = write!(path, "_{}", character.to_ascii_lowercase());
                } else {
                    path.push(character);
                }
            }
            paths.push(path);
        }
        Ok(Self { paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for (text, paths) in [
            ("", vec![]),
            ("a", vec!["a"]),
            ("fooBar,baz.quxQuux", vec!["foo_bar", "baz.qux_quux"]),
            ("f.b2,h", vec!["f.b2", "h"]),
        ] {
            let mask: FieldMask = text.parse().unwrap();
            assert_eq!(mask.paths, paths, "{text}");
            assert_eq!(mask.to_text().unwrap(), text);
        }
    }

    #[test]
    fn other_texts_and_paths_are_refused() {
        for text in ["foo_bar", "a,,b", ",", "a,", "a, b"] {
            assert!(text.parse::<FieldMask>().is_err(), "{text}");
        }
        for path in ["fooBar", "foo__bar", "foo_3", "foo_", "a,b"] {
            assert!(FieldMask::new([path]).to_text().is_err(), "{path}");
        }
    }
}
