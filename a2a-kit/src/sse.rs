//! Server-sent events.
//!
//! Comes in: the event stream of an operation. Goes out: a `text/event-stream` answer with one
//! `data:` line per event and a comment when nothing happened for a while. Events that are ready
//! together leave in one buffer; a large event leaves as it is, without being copied. When the
//! client goes away the body is dropped, and the stream with it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::time::{Instant, Sleep};

use crate::body::Body;
use crate::error::Error;
use crate::service::ReplyStream;
use crate::shared::Encoded;

/// How long a stream is silent before a comment keeps it open, unless the server says otherwise.
/// Some HTTP clients give up after five seconds of silence.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(4);

/// A buffer that has reached this size is sent without waiting for more.
const FULL: usize = 32 << 10;
/// Events of this size are not copied.
const LARGE: usize = 8 << 10;
/// How long an answer waits for its first event, so that an early error still has its own status.
const FIRST_EVENT: Duration = Duration::from_millis(500);

/// Writes an error as one line of JSON.
pub(crate) type ErrorWriter = Box<dyn Fn(&Error) -> Vec<u8> + Send>;

/// How a router writes its events.
pub(crate) struct Format {
    /// What stands before the JSON of each event.
    pub(crate) before: Bytes,
    /// What stands after it.
    pub(crate) after: &'static [u8],
    /// The field of each event that is sent in place of the event (`response_body`).
    pub(crate) field: Option<&'static str>,
    /// Writes the error that ends a stream, as one line of JSON.
    pub(crate) error: ErrorWriter,
    /// The type of the event that holds the error, where its JSON does not say that it is one: a
    /// client that reads JSON leniently would take it for an empty event.
    pub(crate) error_event: Option<&'static str>,
    /// How long the stream is silent before a comment is sent; `None` for never.
    pub(crate) keep_alive: Option<Duration>,
}

impl Format {
    fn encode(&self, event: &dyn Encoded) -> Result<Bytes, Error> {
        match self.field {
            Some(field) => event.json_field(field),
            None => event.json(),
        }
        .map(on_one_line)
    }
}

/// JSON without the line ends that Unicode has beyond ASCII (U+0085, U+2028, U+2029): they are
/// escaped. By the rules they are letters like any other, but there are clients that split events
/// at them. ASCII's own line ends are always escaped in JSON. Most events have none, and stay as
/// they are.
fn on_one_line(json: Bytes) -> Bytes {
    let Some(mut at) = line_end(&json, 0) else {
        return json;
    };
    let mut out = Vec::with_capacity(json.len() + 64);
    let mut copied = 0;
    loop {
        out.extend_from_slice(&json[copied..at]);
        let (escaped, length): (&[u8], usize) = match (json[at], json[at + 1], json.get(at + 2)) {
            (0xc2, ..) => (b"\\u0085", 2),
            (_, _, Some(0xa8)) => (b"\\u2028", 3),
            _ => (b"\\u2029", 3),
        };
        out.extend_from_slice(escaped);
        copied = at + length;
        match line_end(&json, copied) {
            Some(next) => at = next,
            None => break,
        }
    }
    out.extend_from_slice(&json[copied..]);
    out.into()
}

/// Where the next such line end begins.
fn line_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += text
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, 0xc2 | 0xe2))?;
        if matches!(text[at..], [0xc2, 0x85, ..] | [0xe2, 0x80, 0xa8 | 0xa9, ..]) {
            return Some(at);
        }
        at += 1;
    }
}

/// Waits a moment for the first event, so that an operation that fails at once is answered with an
/// error and not with a stream. The event stays in the stream.
///
/// # Errors
/// The error that the stream begins with.
pub(crate) async fn begin(mut events: ReplyStream) -> Result<ReplyStream, Error> {
    use futures_util::{StreamExt as _, stream};
    match tokio::time::timeout(FIRST_EVENT, events.next()).await {
        Err(_elapsed) => Ok(events),
        Ok(None) => Ok(Box::pin(stream::empty())),
        Ok(Some(Err(error))) => Err(error),
        Ok(Some(first)) => Ok(Box::pin(stream::iter([first]).chain(events))),
    }
}

/// An answer that sends the events as they come.
pub(crate) fn response(events: ReplyStream, format: Format) -> http::Response<Body> {
    use futures_util::StreamExt as _;
    let mut response = http::Response::new(Body::from_stream(
        Events::new(events, format).map(Ok::<_, Infallible>),
    ));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies of the nginx kind hold a stream back until a buffer is full, unless told not to.
    headers.insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    response
}

struct Events {
    events: Option<ReplyStream>,
    format: Format,
    ready: VecDeque<Bytes>,
    buffer: BytesMut,
    silence: Option<Pin<Box<Sleep>>>,
    last: Instant,
}

impl Events {
    fn new(events: ReplyStream, mut format: Format) -> Self {
        // The id of a request may be any text, too.
        format.before = on_one_line(format.before);
        Self {
            events: Some(events),
            silence: format
                .keep_alive
                .map(|interval| Box::pin(tokio::time::sleep(interval))),
            format,
            ready: VecDeque::new(),
            buffer: BytesMut::new(),
            last: Instant::now(),
        }
    }

    fn write(&mut self, event: Result<Box<dyn Encoded>, Error>) {
        match event.and_then(|event| self.format.encode(&*event)) {
            Ok(json) => {
                self.buffer.extend_from_slice(b"data: ");
                self.buffer.extend_from_slice(&self.format.before);
                if json.len() < LARGE {
                    self.buffer.extend_from_slice(&json);
                } else {
                    self.ready.push_back(self.buffer.split().freeze());
                    self.ready.push_back(json);
                }
                self.buffer.extend_from_slice(self.format.after);
            }
            Err(error) => {
                self.events = None;
                if let Some(kind) = self.format.error_event {
                    self.buffer.extend_from_slice(b"event: ");
                    self.buffer.extend_from_slice(kind.as_bytes());
                    self.buffer.extend_from_slice(b"\n");
                }
                self.buffer.extend_from_slice(b"data: ");
                self.buffer
                    .extend_from_slice(&on_one_line((self.format.error)(&error).into()));
            }
        }
        self.buffer.extend_from_slice(b"\n\n");
    }

    fn next_ready(&mut self) -> Option<Bytes> {
        if let Some(bytes) = self.ready.pop_front() {
            return Some(bytes);
        }
        (!self.buffer.is_empty()).then(|| self.buffer.split().freeze())
    }

    /// Ready when nothing has been sent for the interval.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (Some(interval), Some(silence)) = (self.format.keep_alive, &mut self.silence) else {
            return Poll::Pending;
        };
        loop {
            std::task::ready!(silence.as_mut().poll(cx));
            // The timer is not moved with every event; when it fires it may be too early.
            let due = self.last + interval;
            let now = Instant::now();
            if due <= now {
                silence.as_mut().reset(now + interval);
                return Poll::Ready(());
            }
            silence.as_mut().reset(due);
        }
    }
}

impl Stream for Events {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        while this.ready.is_empty() && this.buffer.len() < FULL {
            let Some(events) = &mut this.events else {
                break;
            };
            match events.as_mut().poll_next(cx) {
                Poll::Ready(Some(event)) => this.write(event),
                Poll::Ready(None) => this.events = None,
                Poll::Pending => break,
            }
        }
        if let Some(bytes) = this.next_ready() {
            this.last = Instant::now();
            return Poll::Ready(Some(bytes));
        }
        if this.events.is_none() {
            return Poll::Ready(None);
        }
        std::task::ready!(this.poll_silence(cx));
        this.last = Instant::now();
        Poll::Ready(Some(Bytes::from_static(b": keep-alive\n\n")))
    }
}

#[cfg(test)]
mod tests;
