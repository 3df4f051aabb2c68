//! Fields from path and query texts (`google.api.http` transcoding).

use std::borrow::Cow;

/// What to do when the field has a value already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The text wins.
    Overwrite,
    /// A value that differs from the text is a fault ([`BindErrorKind::Conflict`]); a default
    /// value counts as absent.
    Agree,
}

/// A field that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Proto names from the message down to the field, for comparing two spellings.
    pub path: Vec<&'static str>,
    /// True when the field takes several values (the text was appended).
    pub repeated: bool,
}

/// A path or query text that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindError {
    /// The dotted path as it was given.
    pub path: String,
    /// What is wrong.
    pub kind: BindErrorKind,
}

/// Why a text does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindErrorKind {
    /// No field has that name.
    UnknownField,
    /// The field cannot be written as a text (a message, a map, …).
    NotAddressable(&'static str),
    /// The text is no value of the field's type.
    Invalid {
        /// What would be right, for example `a whole number from -2147483648 to 2147483647`.
        expected: Cow<'static, str>,
    },
    /// The field already has another value ([`Rule::Agree`]), or another member of its oneof is set.
    Conflict,
}
