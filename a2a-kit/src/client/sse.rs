//! Server-sent events, as the WHATWG has laid them down.
//!
//! Comes in: a text in chunks that are cut anywhere. Goes out: its events. An event whose data is
//! one line within one chunk is a slice of it; else its bytes are copied once.

use std::time::Duration;

use bytes::{Buf as _, Bytes};
use memchr::{memchr, memchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseEvent {
    /// Its type; empty when the stream does not say, which means `message`.
    pub kind: Bytes,
    /// The lines of its data, joined with line feeds.
    pub data: Bytes,
    /// The last id that the stream has named; it stays until another one comes.
    pub id: Bytes,
}

/// An event is larger than the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {0} bytes")]
pub struct SseTooLarge(pub usize);

/// Reads a text as events.
///
/// ```
/// use a2a_kit::client::SseParser;
/// let mut parser = SseParser::new(1 << 20);
/// parser.feed("data: on");
/// assert!(parser.next_event()?.is_none());
/// parser.feed("e\r\ndata:two\r\n\r\n: a comment\n");
/// assert_eq!(parser.next_event()?.map(|event| event.data), Some("one\ntwo".into()));
/// assert!(parser.next_event()?.is_none());
/// assert!(!parser.has_rest());
/// # Ok::<(), a2a_kit::client::SseTooLarge>(())
/// ```
#[derive(Debug)]
pub struct SseParser {
    limit: usize,
    /// What has not been looked at.
    chunk: Bytes,
    /// The start of a line that goes on in the next chunk.
    line: Vec<u8>,
    /// The last line ended with a carriage return: a line feed right behind belongs to it.
    after_return: bool,
    at_start: bool,
    data: Data,
    kind: Bytes,
    id: Bytes,
    retry: Option<Duration>,
    strange: bool,
}

#[derive(Debug, Default)]
enum Data {
    #[default]
    None,
    Line(Bytes),
    Lines(Vec<u8>),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Line(line) => line.len(),
            Self::Lines(lines) => lines.len(),
        }
    }

    fn push(&mut self, line: Bytes) {
        *self = match std::mem::take(self) {
            Self::None => Self::Line(line),
            Self::Line(first) => {
                let mut lines = Vec::with_capacity(2 * (first.len() + line.len() + 1));
                lines.extend_from_slice(&first);
                Self::Lines(joined(lines, &line))
            }
            Self::Lines(lines) => Self::Lines(joined(lines, &line)),
        };
    }

    fn take(&mut self) -> Option<Bytes> {
        match std::mem::take(self) {
            Self::None => None,
            Self::Line(line) => Some(line),
            Self::Lines(lines) => Some(lines.into()),
        }
    }
}

fn joined(mut lines: Vec<u8>, line: &[u8]) -> Vec<u8> {
    lines.push(b'\n');
    lines.extend_from_slice(line);
    lines
}

impl SseParser {
    /// A parser of events of at most so many bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            chunk: Bytes::new(),
            line: Vec::new(),
            after_return: false,
            at_start: true,
            data: Data::None,
            kind: Bytes::new(),
            id: Bytes::new(),
            retry: None,
            strange: false,
        }
    }

    /// Takes the next chunk of the text. The events of the one before should have been taken out;
    /// else they are copied.
    pub fn feed(&mut self, chunk: impl Into<Bytes>) {
        let chunk = chunk.into();
        self.chunk = if self.chunk.is_empty() {
            chunk
        } else {
            [&self.chunk[..], &chunk[..]].concat().into()
        };
    }

    /// The next event, or `None` when more text is needed.
    ///
    /// # Errors
    /// When an event, or a line of it, is larger than the limit. The parser is of no use after that.
    pub fn next_event(&mut self) -> Result<Option<SseEvent>, SseTooLarge> {
        while let Some(line) = self.next_line()? {
            if line.is_empty() {
                let kind = std::mem::take(&mut self.kind);
                if let Some(data) = self.data.take() {
                    return Ok(Some(SseEvent {
                        kind,
                        data,
                        id: self.id.clone(),
                    }));
                }
            } else {
                self.take_line(line)?;
            }
        }
        Ok(None)
    }

    /// How long the stream asks clients to wait before they connect again.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// True when there is half an event, or half a line: a stream that ends here was cut.
    #[must_use]
    pub fn has_rest(&self) -> bool {
        let half_line = !self.line.is_empty() && self.line[0] != b':';
        half_line || !matches!(self.data, Data::None) || !self.kind.is_empty()
    }

    /// True when there were lines that event streams do not have, or the start of one: it may be
    /// another text.
    #[must_use]
    pub fn has_strange_lines(&self) -> bool {
        self.strange || self.is_line_strange()
    }

    /// True when the line that is not whole yet can become none that event streams have.
    fn is_line_strange(&self) -> bool {
        let mut line = &self.line[..];
        if self.at_start {
            if BYTE_ORDER_MARK.starts_with(line) {
                return false;
            }
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        match memchr(b':', line) {
            Some(0) => false,
            Some(colon) => !FIELDS.contains(&&line[..colon]),
            None => !FIELDS.iter().any(|field| field.starts_with(line)),
        }
    }

    fn next_line(&mut self) -> Result<Option<Bytes>, SseTooLarge> {
        if self.after_return && !self.chunk.is_empty() {
            self.after_return = false;
            if self.chunk[0] == b'\n' {
                self.chunk.advance(1);
            }
        }
        let Some(end) = memchr2(b'\r', b'\n', &self.chunk) else {
            self.check(self.chunk.len())?;
            self.line.extend_from_slice(&self.chunk);
            self.chunk.clear();
            return Ok(None);
        };
        self.check(end)?;
        let mut line = if self.line.is_empty() {
            self.chunk.split_to(end)
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(&self.chunk[..end]);
            self.chunk.advance(end);
            line.into()
        };
        self.after_return = self.chunk[0] == b'\r';
        self.chunk.advance(1);
        if std::mem::take(&mut self.at_start) && line.starts_with(BYTE_ORDER_MARK) {
            line.advance(BYTE_ORDER_MARK.len());
        }
        Ok(Some(line))
    }

    /// Room for so many bytes more in the event.
    fn check(&self, more: usize) -> Result<(), SseTooLarge> {
        // The name of the field does not count.
        const NAME: usize = 8;
        if self.data.len() + self.line.len() + more > self.limit.saturating_add(NAME) {
            Err(SseTooLarge(self.limit))
        } else {
            Ok(())
        }
    }

    fn take_line(&mut self, mut line: Bytes) -> Result<(), SseTooLarge> {
        let colon = memchr(b':', &line);
        let field = line.split_to(colon.unwrap_or(line.len()));
        if colon.is_some() {
            line.advance(1);
            if line.first() == Some(&b' ') {
                line.advance(1);
            }
        }
        match &field[..] {
            // A comment.
            b"" => {}
            b"data" => {
                self.data.push(line);
                if self.data.len() > self.limit {
                    return Err(SseTooLarge(self.limit));
                }
            }
            b"event" => self.kind = line,
            // It stays for long, so it must not keep its chunk alive.
            b"id" if !line.contains(&0) => self.id = Bytes::copy_from_slice(&line),
            b"retry" if !line.is_empty() && line.iter().all(u8::is_ascii_digit) => {
                self.retry = std::str::from_utf8(&line)
                    .ok()
                    .and_then(|digits| digits.parse().ok())
                    .map(Duration::from_millis);
            }
            b"id" | b"retry" => {}
            _ => self.strange = true,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
