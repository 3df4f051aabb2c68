//! What happens to a task, and the bytes that the store keeps of it.
//!
//! A record is two bytes (how the rest is encoded; flags) and one message without the ids of its
//! task. That message is protobuf, or JSON where protobuf would lose something: a free value with
//! an integer that no double holds, or nested deeply.
//!
//! Flags of a status say what no client sees: whether anybody executes the task after it, and who
//! has written it ([`Author`]). So a process that takes a task over can tell one that is parked in
//! the middle of a turn from one that waits at rest, and can go through the turn again.

use a2a_wire::__codegen::WireMessage;
use a2a_wire::types::{Struct, Value};
use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{
    Artifact, Message, Part, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use bytes::Bytes;
use serde_json::Value as Json;

use crate::Error;
use crate::store::{Kind, Record};

/// Something that happened to a task. Messages and events in it carry no ids of task and context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A message came in.
    Message(Message),
    /// The task has a new status.
    Status(StatusChange),
    /// There is an artifact, or more of one.
    Artifact(TaskArtifactUpdateEvent),
    /// Another process executes the task from here on: whoever did before has lost it. Nobody else
    /// sees it.
    TakenOver,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatusChange {
    pub(crate) status: TaskStatus,
    /// All metadata of the task from now on.
    pub(crate) metadata: Option<Struct>,
    /// The metadata is not what it was: the event shows it.
    pub(crate) news: bool,
    /// Nobody executes the task after this, until something else happens.
    pub(crate) rests: bool,
    pub(crate) author: Author,
}

/// Who has written a status, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Author {
    /// The engine, since a message came in or the task has ended.
    #[default]
    Engine,
    /// The agent: news.
    News,
    /// The agent: a question, whose answer it waits for in memory.
    Question,
    /// The engine: what was asked for has been granted, not by a message.
    Granted,
    /// The engine: a turn has ended, and the next one begins with the first of so many messages
    /// that came in before.
    Turn(u32),
}

impl StatusChange {
    pub(crate) fn state(&self) -> TaskState {
        self.status.state()
    }
}

/// True for states that a task never leaves.
pub(crate) fn is_terminal(state: TaskState) -> bool {
    state.is_terminal()
}

/// True for states in which a task waits for its client.
pub(crate) fn is_interrupted(state: TaskState) -> bool {
    state.is_interrupted()
}

const PROTO: u8 = 1;
const JSON: u8 = 2;

const NEWS: u8 = 1;
const RESTS: u8 = 2;
/// Where the author begins.
const AUTHOR: u32 = 2;

impl Author {
    const fn flags(self) -> u8 {
        let number: u8 = match self {
            Self::Engine => 0,
            Self::News => 1,
            Self::Question => 2,
            Self::Granted => 3,
            Self::Turn(_) => 4,
        };
        number << AUTHOR
    }
}

/// Free values nested deeper than this are kept as JSON: protobuf readers count three levels for
/// each, and stop at 100.
const PROTO_DEPTH: usize = 20;
/// Free values nested deeper than this are not kept: JSON readers stop here.
const JSON_DEPTH: usize = 128;

/// How a message can be kept. Of several parts, the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Proto,
    Json,
    Not,
}

impl Change {
    /// The bytes for the store.
    ///
    /// # Errors
    /// When a free value cannot be kept: it is nested too deeply to be read again.
    pub(crate) fn encode(&self) -> Result<Record, Error> {
        match self {
            Self::Message(message) => encode(Kind::Message, 0, message, fit_message(message)),
            Self::Artifact(event) => encode(Kind::Artifact, 0, event, fit_artifact_event(event)),
            Self::TakenOver => Ok(Record::new(Kind::Mark, &[PROTO, 0][..])),
            Self::Status(change) => {
                let mut event = TaskStatusUpdateEvent::default();
                if let Author::Turn(waiting) = change.author {
                    // The ids of events are not used otherwise.
                    event.task_id = waiting.to_string();
                }
                event.status = Some(change.status.clone());
                event.metadata.clone_from(&change.metadata);
                let flags = if change.news { NEWS } else { 0 }
                    | if change.rests { RESTS } else { 0 }
                    | change.author.flags();
                let kind = if change.status.message.is_some() {
                    Kind::Said
                } else {
                    Kind::Status
                };
                let message = change
                    .status
                    .message
                    .as_ref()
                    .map_or(Fit::Proto, fit_message);
                let fits = message.max(fit_struct(change.metadata.as_ref()));
                encode(kind, flags, &event, fits)
            }
        }
    }

    /// Reads the bytes of the store.
    ///
    /// # Errors
    /// When they are not what [`Change::encode`] has written.
    pub(crate) fn decode(kind: Kind, data: &Bytes) -> Result<Self, Error> {
        Ok(match kind {
            Kind::Message => Self::Message(decode(data)?.1),
            Kind::Artifact => Self::Artifact(decode(data)?.1),
            Kind::Mark => Self::TakenOver,
            Kind::Status | Kind::Said => {
                let (flags, event): (u8, TaskStatusUpdateEvent) = decode(data)?;
                let author = match flags >> AUTHOR {
                    0 => Author::Engine,
                    1 => Author::News,
                    2 => Author::Question,
                    3 => Author::Granted,
                    4 => Author::Turn(event.task_id.parse().map_err(|_| broken())?),
                    _ => return Err(broken()),
                };
                Self::Status(StatusChange {
                    status: event.status.unwrap_or_default(),
                    metadata: event.metadata,
                    news: flags & NEWS != 0,
                    rests: flags & RESTS != 0,
                    author,
                })
            }
        })
    }

    /// The same, when it is a status, by this author.
    pub(crate) fn written_by(mut self, author: Author) -> Self {
        if let Self::Status(change) = &mut self {
            change.author = author;
        }
        self
    }

    /// What streams show of it: nothing of a message, which its sender knows.
    pub(crate) fn event(&self, task_id: &str, context_id: &str) -> Option<StreamResponse> {
        let payload = match self {
            Self::Message(_) | Self::TakenOver => return None,
            Self::Status(change) => {
                let mut event = TaskStatusUpdateEvent::default();
                event.task_id = task_id.to_owned();
                event.context_id = context_id.to_owned();
                event.status = Some(placed_status(change.status.clone(), task_id, context_id));
                event.metadata = change.metadata.clone().filter(|_| change.news);
                Payload::StatusUpdate(event)
            }
            Self::Artifact(event) => {
                let mut event = event.clone();
                event.task_id = task_id.to_owned();
                event.context_id = context_id.to_owned();
                Payload::ArtifactUpdate(event)
            }
        };
        let mut response = StreamResponse::default();
        response.payload = Some(payload);
        Some(response)
    }
}

/// A message as the store keeps it: without the ids that its task has anyway.
pub(crate) fn bare(mut message: Message) -> Message {
    message.task_id = String::new();
    message.context_id = String::new();
    message
}

/// A message as clients see it.
pub(crate) fn placed(mut message: Message, task_id: &str, context_id: &str) -> Message {
    message.task_id = task_id.to_owned();
    message.context_id = context_id.to_owned();
    message
}

pub(crate) fn placed_status(mut status: TaskStatus, task_id: &str, context_id: &str) -> TaskStatus {
    status.message = status
        .message
        .map(|message| placed(message, task_id, context_id));
    status
}

fn encode<T: WireMessage>(kind: Kind, flags: u8, message: &T, fit: Fit) -> Result<Record, Error> {
    let unfit = || {
        Error::internal(
            "a free value (data or metadata) cannot be kept: it is nested too deeply, or has no JSON form",
        )
    };
    match fit {
        Fit::Proto => {
            let mut data = Vec::with_capacity(2 + message.encoded_len());
            data.extend_from_slice(&[PROTO, flags]);
            // A vector always has room.
            message.encode(&mut data).map_err(|error| {
                Error::internal("a record could not be written").with_source(error)
            })?;
            Ok(Record::new(kind, data))
        }
        Fit::Json => {
            let mut data = vec![JSON, flags];
            message
                .write_json(&mut data)
                .map_err(|error| unfit().with_source(error))?;
            // What has been accepted must be readable later.
            T::read_json(&data[2..]).map_err(|error| unfit().with_source(error))?;
            Ok(Record::new(kind, data))
        }
        Fit::Not => Err(unfit()),
    }
}

fn broken() -> Error {
    Error::internal(
        "the store holds a record that cannot be read; was it written by a newer version?",
    )
}

fn decode<T: WireMessage>(data: &Bytes) -> Result<(u8, T), Error> {
    let (&[format, flags], body) = data.split_first_chunk::<2>().ok_or_else(broken)?;
    let message = match format {
        PROTO => T::decode(data.slice(2..)).map_err(|error| broken().with_source(error))?,
        JSON => T::read_json(body).map_err(|error| broken().with_source(error))?,
        _ => return Err(broken()),
    };
    Ok((flags, message))
}

fn fit_message(message: &Message) -> Fit {
    worst(message.parts.iter().map(fit_part)).max(fit_struct(message.metadata.as_ref()))
}

fn fit_artifact_event(event: &TaskArtifactUpdateEvent) -> Fit {
    let artifact = event.artifact.as_ref().map_or(Fit::Proto, fit_artifact);
    artifact.max(fit_struct(event.metadata.as_ref()))
}

fn fit_artifact(artifact: &Artifact) -> Fit {
    worst(artifact.parts.iter().map(fit_part)).max(fit_struct(artifact.metadata.as_ref()))
}

fn fit_part(part: &Part) -> Fit {
    let content = match &part.content {
        Some(Content::Data(Value(value))) => fit(value, 0),
        _ => Fit::Proto,
    };
    content.max(fit_struct(part.metadata.as_ref()))
}

fn fit_struct(map: Option<&Struct>) -> Fit {
    map.map_or(Fit::Proto, |Struct(map)| {
        worst(map.values().map(|value| fit(value, 1)))
    })
}

fn worst(fits: impl Iterator<Item = Fit>) -> Fit {
    fits.max().unwrap_or(Fit::Proto)
}

/// Protobuf knows only doubles, and neither reader goes deep.
fn fit(value: &Json, depth: usize) -> Fit {
    const EXACT: u64 = 1 << 53;
    let here = if depth <= PROTO_DEPTH {
        Fit::Proto
    } else {
        Fit::Json
    };
    if depth > JSON_DEPTH {
        return Fit::Not;
    }
    let inside = match value {
        Json::Null | Json::Bool(_) | Json::String(_) => Fit::Proto,
        Json::Number(number) => {
            let size = number
                .as_u64()
                .or_else(|| number.as_i64().map(i64::unsigned_abs));
            if size.is_none_or(|size| size <= EXACT) {
                Fit::Proto
            } else {
                Fit::Json
            }
        }
        Json::Array(values) => worst(values.iter().map(|value| fit(value, depth + 1))),
        Json::Object(map) => worst(map.values().map(|value| fit(value, depth + 1))),
    };
    here.max(inside)
}

#[cfg(test)]
mod tests;
