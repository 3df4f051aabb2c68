//! What is wrong with a JSON text, and where.

use std::fmt;

use super::context::Context;

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

    pub(crate) fn syntax(message: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            message: message.into(),
            syntax: true,
        }
    }

    pub(crate) fn data(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
            syntax: false,
        }
    }

    /// The same error, seen from one level up.
    #[cold]
    pub(crate) fn below(mut self, name: &str) -> Self {
        if !self.syntax {
            let dot = if self.path.is_empty() || self.path.starts_with('[') {
                ""
            } else {
                "."
            };
            self.path = format!("{name}{dot}{}", self.path);
        }
        self
    }

    /// From an error of the tokenizer, and what the context knows about it.
    #[cold]
    pub(crate) fn from_reading(context: &Context, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        let bare = text.strip_suffix(position.as_str()).unwrap_or(&text);
        if context.is_ours() {
            return Self::data(context.path(), bare);
        }
        // These two the tokenizer calls faults of syntax too; but the text is JSON, only more than
        // is taken here.
        match bare {
            "recursion limit exceeded" => Self::data(
                context.path(),
                "nested too deeply: at most 127 levels of arrays and objects are read",
            ),
            "number out of range" => {
                Self::data(context.path(), "the number is beyond the range of a double")
            }
            _ => Self::syntax(format!("not valid JSON: {text}")),
        }
    }

    /// From an error of writing.
    #[cold]
    pub(crate) fn from_writing(context: &Context, error: &serde_json::Error) -> Self {
        Self::data(context.path(), error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for Error {}
