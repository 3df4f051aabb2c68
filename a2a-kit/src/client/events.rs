//! The body of an answer as server-sent events.
//!
//! Comes in: a body of the type `text/event-stream`. Goes out: its events; and an error when it was
//! cut, when an event is too large, or when it is another text after all.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http_body::Body as _;

use super::channel::invalid_answer;
use super::line::broken;
use super::sse::{SseEvent, SseParser, SseTooLarge};
use super::transport::{TransportError, TransportErrorKind};
use crate::body::Body;
use crate::error::{Code, Error};
use crate::service::ServiceSpec;

/// How much is kept of a text that may be no event stream.
const MOST_TEXT: usize = 64 << 10;

/// What a channel makes of a text that should have been an event stream: the error that it says, if
/// it says one.
pub(crate) type Explain = fn(&'static ServiceSpec, &[u8]) -> Option<Error>;

/// The events of a body, without those that have no data. Ends after an error.
pub(crate) struct Events {
    body: Option<Body>,
    parser: SseParser,
    service: &'static ServiceSpec,
    explain: Explain,
    /// The start of the text, until its first event.
    text: Option<Vec<u8>>,
}

impl Events {
    pub(crate) fn new(
        body: Body,
        limit: usize,
        service: &'static ServiceSpec,
        explain: Explain,
    ) -> Self {
        Self {
            body: Some(body),
            parser: SseParser::new(limit),
            service,
            explain,
            text: Some(Vec::new()),
        }
    }

    fn take(&mut self, chunk: Bytes) {
        if let Some(text) = &mut self.text {
            let room = MOST_TEXT.saturating_sub(text.len());
            text.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        self.parser.feed(chunk);
    }

    /// What the end of the body means.
    fn end(&mut self) -> Option<Error> {
        if let Some(text) = self.text.take()
            && (self.parser.has_strange_lines() || !text.is_empty() && self.parser.has_rest())
        {
            // A text that is JSON is no half event.
            if let Some(error) = (self.explain)(self.service, &text) {
                return Some(error);
            }
            if self.parser.has_strange_lines() {
                let message = "the answer is no event stream, although it says that it is one";
                return Some(invalid_answer(self.service, message).with_peer_body(&text));
            }
        }
        self.parser.has_rest().then(|| {
            TransportError::new(
                TransportErrorKind::Broken,
                "the event stream was cut in the middle of an event",
            )
            .into()
        })
    }
}

fn too_large(error: SseTooLarge) -> Error {
    Error::new(
        Code::ResourceExhausted,
        format!("{error}; see ChannelOptions::event_limit"),
    )
    .with_source(error)
}

impl Stream for Events {
    type Item = Result<SseEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            let Some(body) = &mut this.body else {
                return Poll::Ready(None);
            };
            let fault = match this.parser.next_event() {
                Ok(Some(event)) => {
                    this.text = None;
                    // Some servers keep streams open with them.
                    if event.data.is_empty() {
                        continue;
                    }
                    return Poll::Ready(Some(Ok(event)));
                }
                Err(error) => Some(too_large(error)),
                Ok(None) => match ready!(Pin::new(body).poll_frame(cx)) {
                    Some(Ok(frame)) => {
                        if let Ok(data) = frame.into_data() {
                            this.take(data);
                        }
                        continue;
                    }
                    Some(Err(error)) => Some(broken(error)),
                    None => this.end(),
                },
            };
            this.body = None;
            return Poll::Ready(fault.map(Err));
        }
    }
}
