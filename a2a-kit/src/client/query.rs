//! Queries of URLs.
//!
//! Comes in: names and values. Goes out: `name=value&…`, percent-encoded so that every reader,
//! whatever it makes of `+`, gets the same texts back.

use std::fmt;

/// Collects the query of a URL.
///
/// ```
/// let mut query = a2a_kit::client::QueryWriter::new();
/// query.push("statusTimestampAfter", "2026-01-02T03:04:05+02:00");
/// query.push("contextId", "a b");
/// assert_eq!(query.as_str(), "statusTimestampAfter=2026-01-02T03%3A04%3A05%2B02%3A00&contextId=a%20b");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct QueryWriter(String);

impl QueryWriter {
    /// An empty query.
    #[must_use]
    pub const fn new() -> Self {
        Self(String::new())
    }

    /// Adds a parameter; a name may come again.
    pub fn push(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        encode(name, &mut self.0);
        self.0.push('=');
        encode(value, &mut self.0);
    }

    /// The query without `?`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for QueryWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Everything but `A-Z a-z 0-9 - . _ ~` becomes `%XX`.
fn encode(text: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unreserved_letters_stand_as_they_are() {
        let mut query = QueryWriter::new();
        assert!(query.is_empty());
        query.push("a.b", "-._~Zz09");
        query.push("a.b", "");
        query.push("é", "a+b c&d=e%f/?#\u{7}");
        assert_eq!(
            query.as_str(),
            "a.b=-._~Zz09&a.b=&%C3%A9=a%2Bb%20c%26d%3De%25f%2F%3F%23%07"
        );
    }
}
