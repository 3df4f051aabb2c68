//! Messages in the body of a gRPC answer: one byte of flags, four of length, the message.
//!
//! Comes in: a body in chunks that are cut anywhere. Goes out: its messages, slices where a chunk
//! holds them whole, and the trailers.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body as _;

use crate::body::Body;
use crate::client::channel::{Outgoing, invalid_answer};
use crate::client::line::broken;
use crate::client::transport::{TransportError, TransportErrorKind};
use crate::error::{Code, Error};
use crate::service::ServiceSpec;

const HEAD: usize = 5;

/// A message in its frame.
pub(super) fn frame(message: &dyn Outgoing) -> Result<Bytes, Error> {
    let mut out = vec![0; HEAD];
    message.write_proto(&mut out)?;
    let length = u32::try_from(out.len() - HEAD).map_err(|_| {
        Error::new(
            Code::InvalidArgument,
            "the request is larger than the 4 GiB that gRPC can send",
        )
    })?;
    out[1..HEAD].copy_from_slice(&length.to_be_bytes());
    Ok(out.into())
}

/// What an answer is made of.
#[derive(Debug)]
pub(super) enum Item {
    Message(Bytes),
    /// The trailers; `None` when there were none.
    End(Option<HeaderMap>),
}

/// See the module.
pub(super) struct Frames {
    service: &'static ServiceSpec,
    body: Body,
    limit: usize,
    chunk: Bytes,
    /// The start of a frame that goes on in the next chunk.
    partial: BytesMut,
    /// The status was in the head: there is nothing more.
    ended: bool,
}

impl Frames {
    pub(super) fn new(
        service: &'static ServiceSpec,
        body: Body,
        limit: usize,
        ended: bool,
    ) -> Self {
        Self {
            service,
            body,
            limit,
            chunk: Bytes::new(),
            partial: BytesMut::new(),
            ended,
        }
    }

    /// The next item. Not to be called after the end or an error.
    pub(super) fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Result<Item, Error>> {
        loop {
            if let Some(message) = self.next_message()? {
                return Poll::Ready(Ok(Item::Message(message)));
            }
            if self.ended {
                return Poll::Ready(Ok(Item::End(Some(status_ok()))));
            }
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(frame) => frame.map_err(broken)?,
                None => return Poll::Ready(self.end(None)),
            };
            match frame.into_data() {
                Ok(data) => self.take(data),
                Err(frame) => {
                    if let Ok(trailers) = frame.into_trailers() {
                        return Poll::Ready(self.end(Some(trailers)));
                    }
                }
            }
        }
    }

    fn end(&self, trailers: Option<HeaderMap>) -> Result<Item, Error> {
        // A server may end a message in the middle to say why it cannot go on.
        let failed = trailers
            .as_ref()
            .and_then(|trailers| trailers.get(super::status::STATUS))
            .is_some_and(|status| status != "0");
        if self.partial.is_empty() || failed {
            return Ok(Item::End(trailers));
        }
        Err(TransportError::new(
            TransportErrorKind::Broken,
            "the gRPC answer was cut in the middle of a message",
        )
        .into())
    }

    fn take(&mut self, data: Bytes) {
        if self.partial.is_empty() {
            self.chunk = data;
        } else {
            self.partial.extend_from_slice(&data);
        }
    }

    fn next_message(&mut self) -> Result<Option<Bytes>, Error> {
        let seen = if self.partial.is_empty() {
            &self.chunk[..]
        } else {
            &self.partial[..]
        };
        let Some(head) = seen.first_chunk::<HEAD>() else {
            self.keep(HEAD);
            return Ok(None);
        };
        let [flag, length @ ..] = *head;
        if flag != 0 {
            let message = match flag {
                1 => "the server compressed its answer, which it was not asked to do",
                _ => "the answer is no gRPC message: its first byte is no compression flag",
            };
            return Err(invalid_answer(self.service, message));
        }
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if length > self.limit {
            return Err(Error::new(
                Code::ResourceExhausted,
                format!(
                    "the server sends a message of {length} bytes, of which this client takes {}; see ChannelOptions",
                    self.limit
                ),
            ));
        }
        if seen.len() - HEAD < length {
            self.keep(HEAD + length);
            return Ok(None);
        }
        if self.partial.is_empty() {
            self.chunk.advance(HEAD);
            return Ok(Some(self.chunk.split_to(length)));
        }
        self.partial.advance(HEAD);
        let message = self.partial.split_to(length).freeze();
        // What is left is the start of other frames.
        self.chunk = self.partial.split().freeze();
        Ok(Some(message))
    }

    /// Makes room for the rest of a frame, of which so far less is there. No more than the bytes that
    /// came is believed at once.
    fn keep(&mut self, needed: usize) {
        if self.partial.is_empty() && !self.chunk.is_empty() {
            self.partial
                .reserve(needed.min(self.chunk.len().saturating_mul(2).max(64 << 10)));
            self.partial.extend_from_slice(&self.chunk);
            self.chunk.clear();
        }
    }
}

/// Stands for the status that was in the head.
fn status_ok() -> HeaderMap {
    HeaderMap::from_iter([(super::status::STATUS, http::HeaderValue::from_static("0"))])
}
