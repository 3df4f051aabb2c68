//! Fields as path and query texts: the way back of [`text`](crate::text).
//!
//! Comes in: a message. Goes out: the text of one field, or all fields as names and texts, or which
//! field has no text. Generated code holds one call per field ([`TextFields`]); the walk through the
//! message and the writing of the texts are here.
//!
//! Names are JSON names, dotted where they lead into messages. A default is left out unless it can
//! be told from absence. What a server would not get is a fault here, never left out: maps, lists of
//! messages, free JSON, and a message in which nothing is set.

use std::borrow::Cow;
use std::fmt::Display;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;

use crate::json::generated as codec;
use crate::json::generated::{Codec, EnumNames, Implicit, JsonMessage};

/// A field that cannot be written as a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct TextWriteError {
    /// The field, in dotted JSON names.
    pub field: String,
    /// Why it cannot.
    pub reason: String,
}

/// Hands fields of a message to a writer of texts. Implementations are generated.
pub trait TextFields: JsonMessage {
    /// Names of the fields in queries: the JSON names, where they have no dot.
    const TEXT_NAMES: &'static [&'static str] = Self::JSON_NAMES;

    /// Writes one field, or goes on into it.
    ///
    /// # Errors
    /// When it is set and cannot be written.
    fn text_field<'m>(
        &'m self,
        index: usize,
        texts: &mut Texts<'m, '_>,
    ) -> Result<(), TextWriteError>;
}

/// The text of the field at a dotted path (proto or JSON names); `None` when it, or a message on the
/// way to it, is not set, and when its text would be empty. Called by generated code.
#[must_use]
pub fn text_of<'m, M: TextFields>(message: &'m M, path: &str) -> Option<Cow<'m, str>> {
    let mut texts = Texts {
        goal: Goal::Leaf {
            rest: Some(path),
            found: None,
        },
        path: String::new(),
        depth: 0,
    };
    // A value without a text is as good as none: no path can be made of it.
    texts.message(Some(message)).ok()?;
    match texts.goal {
        Goal::Leaf { found, .. } => found.filter(|text| !text.is_empty()),
        Goal::Query { .. } => None,
    }
}

/// Hands all fields that are set to `out`, with their names. Called by generated code.
///
/// # Errors
/// When a field is set that no query can hold.
pub fn write_query<M: TextFields>(
    message: &M,
    without: &[&str],
    out: &mut dyn FnMut(&str, Cow<'_, str>),
) -> Result<(), TextWriteError> {
    let goal = Goal::Query {
        without,
        out,
        seen: 0,
    };
    Texts {
        goal,
        path: String::new(),
        depth: 0,
    }
    .fields(message)
}

/// How deep a name may lead: no server has to follow longer ones.
const DEEPEST: usize = 64;

/// What is to be written of a message, and how far that is.
pub struct Texts<'m, 't> {
    goal: Goal<'m, 't>,
    /// Dotted names down to the field at hand.
    path: String,
    depth: usize,
}

enum Goal<'m, 't> {
    /// The field at the end of a path.
    Leaf {
        rest: Option<&'t str>,
        found: Option<Cow<'m, str>>,
    },
    /// Everything but some fields and what is below them.
    Query {
        without: &'t [&'t str],
        out: &'t mut dyn FnMut(&str, Cow<'_, str>),
        /// Fields that a server gets to know of, in the query or elsewhere.
        seen: usize,
    },
}

impl<'m> Texts<'m, '_> {
    /// A scalar whose default stands for absence.
    ///
    /// # Errors
    /// As [`TextFields::text_field`].
    pub fn implicit<C: ToText + Implicit>(
        &mut self,
        value: &'m C::Value,
    ) -> Result<(), TextWriteError> {
        match self.goal {
            Goal::Query { .. } if C::is_default(value) => Ok(()),
            _ => self.set::<C>(value),
        }
    }

    /// A scalar whose absence is known, or a message with a text of its own.
    ///
    /// # Errors
    /// As [`TextFields::text_field`].
    pub fn explicit<C: ToText>(
        &mut self,
        value: &'m Option<C::Value>,
    ) -> Result<(), TextWriteError> {
        match value {
            Some(value) => self.set::<C>(value),
            None => Ok(()),
        }
    }

    /// A value that is set.
    ///
    /// # Errors
    /// As [`TextFields::text_field`].
    pub fn set<C: ToText>(&mut self, value: &'m C::Value) -> Result<(), TextWriteError> {
        let text = C::print(value).map_err(|reason| self.fault(reason))?;
        match &mut self.goal {
            Goal::Leaf { rest, found } => {
                if rest.is_none() {
                    *found = Some(text);
                }
            }
            Goal::Query { out, seen, .. } => {
                *seen += 1;
                out(&self.path, text);
            }
        }
        Ok(())
    }

    /// A list of scalars: its name once for each of them.
    ///
    /// # Errors
    /// As [`TextFields::text_field`].
    pub fn list<C: ToText>(&mut self, values: &'m [C::Value]) -> Result<(), TextWriteError> {
        match self.goal {
            Goal::Leaf { .. } => Ok(()),
            Goal::Query { .. } => values.iter().try_for_each(|value| self.set::<C>(value)),
        }
    }

    /// A message: its fields.
    ///
    /// # Errors
    /// As [`TextFields::text_field`], and when nothing is set in it: no text says that it is there.
    pub fn message<M: TextFields>(&mut self, message: Option<&'m M>) -> Result<(), TextWriteError> {
        let Some(message) = message else {
            return Ok(());
        };
        if self.depth == DEEPEST {
            return Err(self.fault("it is too deep in the message for a query"));
        }
        self.depth += 1;
        let outcome = match &mut self.goal {
            Goal::Leaf { rest, .. } => {
                let Some(way) = rest.take() else {
                    return Ok(());
                };
                let (name, below) = match way.split_once('.') {
                    Some((name, below)) => (name, Some(below)),
                    None => (way, None),
                };
                *rest = below;
                match M::field_index(name) {
                    Some(index) => message.text_field(index, self),
                    None => Ok(()),
                }
            }
            Goal::Query { seen, .. } => {
                let before = *seen;
                self.fields(message)?;
                match self.goal {
                    Goal::Query { seen, .. } if seen == before => Err(self.fault(
                        "a message in which nothing is set cannot be written in a query; leave it out, or set a field of it",
                    )),
                    _ => Ok(()),
                }
            }
        };
        self.depth -= 1;
        outcome
    }

    /// A field that no text can hold.
    ///
    /// # Errors
    /// When it is set.
    pub fn not_addressable(
        &mut self,
        what: &'static str,
        is_set: bool,
    ) -> Result<(), TextWriteError> {
        match self.goal {
            Goal::Query { .. } if is_set => {
                Err(self.fault(format_args!("{what} cannot be written in a query")))
            }
            _ => Ok(()),
        }
    }

    /// All fields of a message.
    fn fields<M: TextFields>(&mut self, message: &'m M) -> Result<(), TextWriteError> {
        for (index, name) in M::TEXT_NAMES.iter().enumerate() {
            let parent = self.path.len();
            if parent > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            if !self.is_elsewhere() {
                message.text_field(index, self)?;
            }
            self.path.truncate(parent);
        }
        Ok(())
    }

    /// True for a field that stands in the path or the body.
    fn is_elsewhere(&mut self) -> bool {
        let Goal::Query { without, seen, .. } = &mut self.goal else {
            return false;
        };
        let is = without.contains(&self.path.as_str());
        *seen += usize::from(is);
        is
    }

    #[cold]
    fn fault(&self, reason: impl Display) -> TextWriteError {
        TextWriteError {
            field: self.path.clone(),
            reason: reason.to_string(),
        }
    }
}

impl std::fmt::Debug for Texts<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texts")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// A type that a path or query text can hold.
pub trait ToText: Codec {
    /// Writes a value.
    ///
    /// # Errors
    /// Why the value has no text.
    fn print(value: &Self::Value) -> Result<Cow<'_, str>, String>;
}

impl ToText for codec::Str {
    fn print(value: &String) -> Result<Cow<'_, str>, String> {
        Ok(Cow::Borrowed(value))
    }
}

impl ToText for codec::Bool {
    fn print(value: &bool) -> Result<Cow<'_, str>, String> {
        Ok(Cow::Borrowed(if *value { "true" } else { "false" }))
    }
}

impl ToText for codec::Bytes {
    fn print(value: &bytes::Bytes) -> Result<Cow<'_, str>, String> {
        // The alphabet that a query leaves as it is.
        Ok(Cow::Owned(URL_SAFE.encode(value)))
    }
}

impl<N: EnumNames> ToText for codec::Enumeration<N> {
    fn print(value: &i32) -> Result<Cow<'_, str>, String> {
        Ok(N::name(*value).map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed))
    }
}

macro_rules! printed {
    ($($codec:ident($value:ident: $rust:ty) => $printed:expr;)*) => {$(
        impl ToText for codec::$codec {
            fn print($value: &$rust) -> Result<Cow<'_, str>, String> {
                $printed.map(Cow::Owned)
            }
        }
    )*};
}

printed! {
    Int32(value: i32) => Ok(value.to_string());
    Int64(value: i64) => Ok(value.to_string());
    Uint32(value: u32) => Ok(value.to_string());
    Uint64(value: u64) => Ok(value.to_string());
    Float(value: f32) => Ok(float(f64::from(*value), value));
    Double(value: f64) => Ok(float(*value, value));
    Duration(value: crate::types::Duration) => value.text().map(|text| text.as_str().to_owned()).map_err(|error| error.to_string());
    FieldMask(value: crate::types::FieldMask) => value.to_text().map_err(|error| error.to_string());
}

impl<const DIGITS: u8> ToText for codec::Timestamp<DIGITS> {
    fn print(value: &crate::types::Timestamp) -> Result<Cow<'_, str>, String> {
        match value.text(DIGITS) {
            Ok(text) => Ok(Cow::Owned(text.as_str().to_owned())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The fewest digits that read as the same number; `shown` is the number in its own width.
fn float(value: f64, shown: &(impl Display + std::fmt::LowerExp)) -> String {
    let size = value.abs();
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if size == 0.0 || (1e-6..1e17).contains(&size) {
        shown.to_string()
    } else {
        format!("{shown:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1e300, "1e300"),
            (5e-324, "5e-324"),
            (123_456_789_012.5, "123456789012.5"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            let written = codec::Double::print(&value).unwrap();
            assert_eq!(written, text);
            let read = <codec::Double as crate::text::TextCodec>::parse(written).unwrap();
            assert!(
                read.to_bits() == value.to_bits() || (read.is_nan() && value.is_nan()),
                "{text}"
            );
        }
        for (value, text) in [
            (0.1_f32, "0.1"),
            (f32::MAX, "3.4028235e38"),
            (1e-45, "1e-45"),
        ] {
            assert_eq!(codec::Float::print(&value).unwrap(), text);
            let read = <codec::Float as crate::text::TextCodec>::parse(text.into()).unwrap();
            assert_eq!(read.to_bits(), value.to_bits());
        }
    }

    #[test]
    fn bytes_need_no_escapes_but_for_the_padding() {
        let value = bytes::Bytes::from_static(&[0xfb, 0xff]);
        assert_eq!(codec::Bytes::print(&value).unwrap(), "-_8=");
    }
}
