//! Streams: server-sent events of two bindings, and gRPC.

use bytes::{Buf as _, Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::Value;

use super::{Binding, Fault, grpc, json_rpc, reflect, rest};
use crate::{brief, within};

/// The events of a stream. Drop it to leave.
#[derive(Debug)]
pub struct Events {
    /// Headers of the answer.
    pub headers: HeaderMap,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Sse {
        lines: Lines,
        binding: Binding,
        id: Value,
    },
    Grpc {
        messages: Messages,
        name: String,
    },
}

/// One server-sent event, or one comment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The field `event`; empty when there is none.
    pub event: String,
    /// The `data` lines.
    pub data: Vec<String>,
    /// The comments.
    pub comments: Vec<String>,
}

impl Events {
    pub(super) fn sse(binding: Binding, response: Response<Incoming>) -> Self {
        let (parts, body) = response.into_parts();
        assert_eq!(parts.status, 200, "{parts:?}");
        assert_eq!(
            parts.headers[CONTENT_TYPE], "text/event-stream",
            "{parts:?}"
        );
        let source = Source::Sse {
            lines: Lines {
                body,
                buffer: BytesMut::new(),
            },
            binding,
            id: Value::Null,
        };
        Self {
            headers: parts.headers,
            source,
        }
    }

    pub(super) fn with_id(mut self, expected: Value) -> Self {
        if let Source::Sse { id, .. } = &mut self.source {
            *id = expected;
        }
        self
    }

    pub(super) fn grpc(messages: Messages, name: String) -> Self {
        Self {
            headers: messages.headers.clone(),
            source: Source::Grpc { messages, name },
        }
    }

    /// The next event; `None` when the stream has ended as it should.
    ///
    /// # Panics
    /// When it has not, or nothing comes for long.
    pub async fn try_next(&mut self) -> Option<Result<Value, Fault>> {
        match &mut self.source {
            Source::Sse { lines, binding, id } => {
                let frame = loop {
                    let frame = lines.next().await?;
                    if !frame.data.is_empty() {
                        break frame;
                    }
                };
                Some(read(&frame, *binding, id))
            }
            Source::Grpc { messages, name } => {
                let message = messages.next().await?;
                Some(message.map(|message| reflect::decode(name, message)))
            }
        }
    }

    /// The next event, which is no error.
    ///
    /// # Panics
    /// When it is one.
    pub async fn next(&mut self) -> Option<Value> {
        let event = self.try_next().await?;
        Some(event.unwrap_or_else(|fault| panic!("the stream failed: {fault:?}")))
    }

    /// The next event in short (see [`brief`]).
    ///
    /// # Panics
    /// When there is none.
    pub async fn brief(&mut self) -> String {
        brief(&self.next().await.expect("the stream goes on"))
    }

    /// All further events.
    pub async fn all(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// All further events in short.
    pub async fn briefs(self) -> Vec<String> {
        self.all().await.iter().map(brief).collect()
    }

    /// The next event or comment as it was sent, over HTTP+JSON and JSON-RPC.
    ///
    /// # Panics
    /// Over gRPC, which has no such thing.
    pub async fn frame(&mut self) -> Option<Frame> {
        match &mut self.source {
            Source::Sse { lines, .. } => lines.next().await,
            Source::Grpc { .. } => panic!("gRPC has no server-sent events"),
        }
    }
}

fn read(frame: &Frame, binding: Binding, id: &Value) -> Result<Value, Fault> {
    assert_eq!(frame.data.len(), 1, "an event is one line: {frame:?}");
    let value: Value =
        serde_json::from_str(&frame.data[0]).unwrap_or_else(|error| panic!("{error}: {frame:?}"));
    match (binding, frame.event.as_str()) {
        (Binding::JsonRpc, "") => json_rpc::result_of(&value, id, 200),
        (_, "") => {
            assert_eq!(
                value.as_object().map(serde_json::Map::len),
                Some(1),
                "a bare event: {value}"
            );
            Ok(value)
        }
        (Binding::Rest, "error") => Err(rest::error_of(&value, 200)),
        (_, other) => panic!("an event of the kind {other:?}: {value}"),
    }
}

/// Server-sent events, taken apart by lines.
#[derive(Debug)]
struct Lines {
    body: Incoming,
    buffer: BytesMut,
}

impl Lines {
    async fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        loop {
            let Some(line) = self.line().await else {
                assert_eq!(frame, Frame::default(), "the last event is whole");
                return None;
            };
            match line.split_once(':') {
                None if line.is_empty() => return Some(frame),
                None => panic!("a line without a colon: {line:?}"),
                Some(("", comment)) => frame.comments.push(comment.trim_start().to_owned()),
                Some(("data", data)) => frame
                    .data
                    .push(data.strip_prefix(' ').unwrap_or(data).to_owned()),
                Some(("event", event)) => event.trim_start().clone_into(&mut frame.event),
                Some((field, _)) => panic!("a field that nobody asked for: {field:?}"),
            }
        }
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let mut line = self.buffer.split_to(end + 1);
                line.truncate(end);
                let line = String::from_utf8(line.to_vec()).expect("events are UTF-8");
                // Readers that split where Unicode has its line ends must see one line, too.
                let ends = ['\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}'];
                assert!(!line.contains(ends), "a line end within a line: {line:?}");
                return Some(line);
            }
            let frame = within(self.body.frame()).await;
            let Some(frame) = frame else {
                assert!(self.buffer.is_empty(), "the stream broke off within a line");
                return None;
            };
            let frame = frame.expect("the stream is not cut");
            self.buffer
                .extend_from_slice(&frame.into_data().unwrap_or_default());
        }
    }
}

/// The messages of a gRPC answer.
#[derive(Debug)]
pub(super) struct Messages {
    pub(super) headers: HeaderMap,
    body: Incoming,
    buffer: BytesMut,
    ended: bool,
}

impl Messages {
    pub(super) fn new(headers: HeaderMap, body: Incoming) -> Self {
        Self {
            headers,
            body,
            buffer: BytesMut::new(),
            ended: false,
        }
    }

    pub(super) async fn next(&mut self) -> Option<Result<Bytes, Fault>> {
        loop {
            if self.ended {
                return None;
            }
            if let Some(head) = self.buffer.first_chunk::<5>() {
                assert_eq!(head[0], 0, "a message without compression");
                let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
                if self.buffer.len() >= 5 + length {
                    self.buffer.advance(5);
                    return Some(Ok(self.buffer.split_to(length).freeze()));
                }
            }
            let frame = within(self.body.frame())
                .await
                .expect("an answer ends with trailers");
            let frame = frame.expect("the stream is not cut");
            match frame.into_data() {
                Ok(data) => self.buffer.extend_from_slice(&data),
                Err(frame) => {
                    let trailers = frame.into_trailers().expect("data or trailers");
                    assert!(trailers.contains_key("grpc-status"), "{trailers:?}");
                    assert!(self.buffer.is_empty(), "the answer ends within a message");
                    self.ended = true;
                    return grpc::status(&trailers).map(Err);
                }
            }
        }
    }
}
