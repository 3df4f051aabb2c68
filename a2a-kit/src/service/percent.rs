//! Percent-encoding of paths and queries, read strictly.
//!
//! Comes in: raw text. Goes out: text, borrowed where nothing had to be decoded, or what is wrong
//! with it.

use std::borrow::Cow;
use std::fmt;

/// Where a text comes from decides what of it is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A variable of one segment: every escape.
    Segment,
    /// A variable of several segments: an escaped `/` stays as it is, since decoded it could not be
    /// told from a separator.
    Segments,
    /// A name or value of a query: `+` is a space.
    Query,
}

/// Why a text cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// `%` without two hexadecimal digits.
    Escape,
    /// The decoded bytes are not UTF-8.
    Utf8,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Escape => "`%` must be followed by two hexadecimal digits; a percent sign itself is written `%25`",
            Self::Utf8 => "the percent-encoded bytes are not UTF-8",
        })
    }
}

/// Decodes a text once.
pub(crate) fn decode(raw: &str, part: Part) -> Result<Cow<'_, str>, Malformed> {
    let special = |byte: u8| byte == b'%' || (byte == b'+' && part == Part::Query);
    let Some(first) = raw.bytes().position(special) else {
        return Ok(Cow::Borrowed(raw));
    };
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    out.extend_from_slice(&rest[..first]);
    rest = &rest[first..];
    while let Some((&byte, tail)) = rest.split_first() {
        match byte {
            b'%' => {
                let decoded = escape(tail).ok_or(Malformed::Escape)?;
                if decoded == b'/' && part == Part::Segments {
                    out.extend_from_slice(&rest[..3]);
                } else {
                    out.push(decoded);
                }
                rest = &tail[2..];
            }
            b'+' if part == Part::Query => {
                out.push(b' ');
                rest = tail;
            }
            other => {
                out.push(other);
                rest = tail;
            }
        }
    }
    String::from_utf8(out)
        .map(Cow::Owned)
        .map_err(|_| Malformed::Utf8)
}

/// The decoded bytes one by one; `None` for a malformed escape.
pub(crate) fn bytes(raw: &str) -> impl Iterator<Item = Option<u8>> {
    let mut rest = raw.as_bytes();
    std::iter::from_fn(move || {
        let (&byte, tail) = rest.split_first()?;
        if byte != b'%' {
            rest = tail;
            return Some(Some(byte));
        }
        let decoded = escape(tail);
        rest = tail.get(2..).unwrap_or_default();
        Some(decoded)
    })
}

fn escape(tail: &[u8]) -> Option<u8> {
    let digit = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once_and_strictly() {
        // Raw text, part, what is expected.
        let cases = [
            ("plain", Part::Segment, Ok("plain")),
            ("a%20b", Part::Segment, Ok("a b")),
            ("a+b", Part::Segment, Ok("a+b")),
            ("a+b%2B", Part::Query, Ok("a b+")),
            ("a%2Fb", Part::Segment, Ok("a/b")),
            ("a%2fb%3A", Part::Segments, Ok("a%2fb:")),
            ("%252F", Part::Segment, Ok("%2F")),
            ("%252F", Part::Segments, Ok("%2F")),
            ("%C3%A9", Part::Segment, Ok("é")),
            ("é%20", Part::Segment, Ok("é ")),
            ("%00", Part::Segment, Ok("\0")),
            ("a%", Part::Segment, Err(Malformed::Escape)),
            ("a%2", Part::Query, Err(Malformed::Escape)),
            ("a%zz", Part::Segment, Err(Malformed::Escape)),
            ("a%+1", Part::Segment, Err(Malformed::Escape)),
            ("%é", Part::Segment, Err(Malformed::Escape)),
            ("%FF", Part::Segment, Err(Malformed::Utf8)),
            ("%C3", Part::Query, Err(Malformed::Utf8)),
        ];
        for (raw, part, expected) in cases {
            assert_eq!(
                decode(raw, part).as_deref(),
                expected.as_ref().map(|text| *text),
                "{raw} as {part:?}"
            );
        }
    }

    #[test]
    fn what_needs_no_decoding_is_borrowed() {
        assert!(matches!(
            decode("urn:x:7", Part::Segment),
            Ok(Cow::Borrowed("urn:x:7"))
        ));
        assert!(matches!(
            decode("a+b", Part::Segments),
            Ok(Cow::Borrowed("a+b"))
        ));
    }
}
