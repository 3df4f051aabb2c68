//! ProtoJSON between bytes and message types.

use std::fmt;

/// JSON that cannot be read or written, with the place of the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    path: String,
    message: String,
    syntax: bool,
}

impl Error {
    /// JSON path of the fault, for example `message.parts[0].url`; empty for the whole text.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong, without the path.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// True when the text is no JSON at all (cut short, trailing garbage, invalid UTF-8).
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        self.syntax
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for Error {}
