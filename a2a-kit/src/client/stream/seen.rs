//! What has been seen of a task, and what of a snapshot is news.
//!
//! Comes in: events, and a whole task after a stream was cut. Goes out: the events that lead from
//! what was seen to the task. Content is not kept: of each artifact only how much of it was seen,
//! and a fingerprint of that.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use a2a_wire::__codegen::WireMessage as _;
use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{
    Artifact, Part, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use prost::Message as _;

/// How many artifacts of a task are remembered.
const MOST_ARTIFACTS: usize = 10_000;
/// How long their ids may be together.
const MOST_IDS: usize = 1 << 20;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) task_id: String,
    context_id: String,
    status: Option<StatusMark>,
    artifacts: BTreeMap<String, ArtifactMark>,
    /// How long the ids of the artifacts are together.
    ids: usize,
    /// There were more artifacts than are remembered. After a cut the whole task is handed out.
    too_many: bool,
}

/// Enough of a status to know it again.
#[derive(Debug, Clone, PartialEq)]
struct StatusMark {
    state: TaskState,
    timestamp: Option<a2a_wire::types::Timestamp>,
    message: u64,
}

impl StatusMark {
    fn of(status: &TaskStatus) -> Self {
        let mut hasher = DefaultHasher::new();
        if let Some(message) = &status.message {
            hasher.write(&message.encode_to_vec());
        }
        Self {
            state: status.state(),
            timestamp: status.timestamp,
            message: hasher.finish(),
        }
    }
}

/// How much of an artifact was seen, and what.
#[derive(Debug, Clone)]
struct ArtifactMark {
    length: u64,
    hasher: DefaultHasher,
    /// Its last piece has come.
    closed: bool,
}

impl ArtifactMark {
    fn new() -> Self {
        Self {
            length: 0,
            hasher: DefaultHasher::new(),
            closed: false,
        }
    }

    fn of(parts: &[Part]) -> Self {
        let mut mark = Self::new();
        mark.add(parts);
        mark
    }

    fn add(&mut self, parts: &[Part]) {
        for part in parts {
            self.length += match piece(part) {
                Piece::Text(text) => {
                    self.hasher.write(text.as_bytes());
                    text.len() as u64
                }
                Piece::Other(length) => {
                    feed(part, &mut self.hasher);
                    length
                }
            };
        }
    }

    fn same_content(&self, other: &Self) -> bool {
        self.length == other.length && self.hasher.finish() == other.hasher.finish()
    }

    /// What of these parts comes after what was seen; `None` when they begin otherwise. Texts that
    /// follow each other count as one, however they are cut.
    fn rest_of(&self, parts: &[Part]) -> Option<Vec<Part>> {
        let mut begun = Self::new();
        let mut rest = parts.iter();
        let mut cut = None;
        while begun.length < self.length {
            let part = rest.next()?;
            let left = self.length - begun.length;
            match piece(part) {
                Piece::Text(text) if text.len() as u64 > left => {
                    let (seen, new) = text.split_at_checked(usize::try_from(left).ok()?)?;
                    begun.hasher.write(seen.as_bytes());
                    begun.length = self.length;
                    cut = Some(crate::content::part(Content::Text(new.to_owned())));
                }
                Piece::Other(length) if length > left => return None,
                _ => begun.add(std::slice::from_ref(part)),
            }
        }
        if !self.same_content(&begun) {
            return None;
        }
        Some(cut.into_iter().chain(rest.cloned()).collect())
    }
}

enum Piece<'a> {
    /// Text and nothing besides.
    Text(&'a str),
    /// Anything else, and how much it counts.
    Other(u64),
}

fn piece(part: &Part) -> Piece<'_> {
    match &part.content {
        Some(Content::Text(text))
            if part.filename.is_empty()
                && part.media_type.is_empty()
                && part.metadata.is_none() =>
        {
            Piece::Text(text)
        }
        content => {
            let length = match content {
                Some(Content::Text(text) | Content::Url(text)) => text.len(),
                Some(Content::Raw(bytes)) => bytes.len(),
                Some(Content::Data(_)) | None => 0,
            };
            Piece::Other(length as u64 + 1)
        }
    }
}

/// Adds a part that is not only text to a fingerprint. It begins with a byte that no text has.
fn feed(part: &Part, hasher: &mut DefaultHasher) {
    hasher.write_u8(0xff);
    let mut about = part.clone();
    about.content = None;
    hasher.write(&about.encode_to_vec());
    hasher.write_u8(0xff);
    match &part.content {
        None => hasher.write_u8(0),
        Some(Content::Text(text)) => {
            hasher.write_u8(1);
            hasher.write(text.as_bytes());
        }
        Some(Content::Raw(bytes)) => {
            hasher.write_u8(2);
            hasher.write(bytes);
        }
        Some(Content::Url(url)) => {
            hasher.write_u8(3);
            hasher.write(url.as_bytes());
        }
        Some(Content::Data(_)) => {
            hasher.write_u8(4);
            let mut json = Vec::new();
            // What has no JSON form came in by none; then it is protobuf.
            if part.write_json(&mut json).is_err() {
                json = part.encode_to_vec();
            }
            hasher.write(&json);
        }
    }
    hasher.write_u8(0xff);
}

impl Seen {
    /// Of a task, nothing but its id.
    pub(super) fn of(task_id: &str) -> Self {
        Self {
            task_id: task_id.to_owned(),
            ..Self::default()
        }
    }

    /// The state that the task was seen in.
    pub(super) fn state(&self) -> TaskState {
        self.status
            .as_ref()
            .map_or(TaskState::Unspecified, |status| status.state)
    }

    /// Takes note of an event.
    pub(super) fn note(&mut self, event: &StreamResponse) {
        match &event.payload {
            Some(Payload::Task(task)) => self.note_task(task),
            Some(Payload::StatusUpdate(update)) => {
                self.note_ids(&update.task_id, &update.context_id);
                self.status = update.status.as_ref().map(StatusMark::of);
            }
            Some(Payload::ArtifactUpdate(update)) => {
                self.note_ids(&update.task_id, &update.context_id);
                if let Some(artifact) = &update.artifact {
                    self.note_artifact(artifact, update);
                }
            }
            Some(Payload::Message(_)) | None => {}
        }
    }

    fn note_ids(&mut self, task_id: &str, context_id: &str) {
        if self.task_id.is_empty() {
            task_id.clone_into(&mut self.task_id);
        }
        if self.context_id.is_empty() {
            context_id.clone_into(&mut self.context_id);
        }
    }

    fn note_task(&mut self, task: &Task) {
        self.note_ids(&task.id, &task.context_id);
        self.status = task.status.as_ref().map(StatusMark::of);
        (self.ids, self.too_many) = (0, false);
        self.artifacts.clear();
        for artifact in &task.artifacts {
            if let Some(mark) = self.mark(&artifact.artifact_id) {
                *mark = ArtifactMark::of(&artifact.parts);
            }
        }
    }

    /// What was seen of an artifact; `None` when there are too many to remember.
    fn mark(&mut self, id: &str) -> Option<&mut ArtifactMark> {
        if !self.artifacts.contains_key(id) {
            self.ids += id.len();
            if self.artifacts.len() >= MOST_ARTIFACTS || self.ids > MOST_IDS {
                self.too_many = true;
                self.artifacts.clear();
            }
            if self.too_many {
                return None;
            }
            self.artifacts.insert(id.to_owned(), ArtifactMark::new());
        }
        self.artifacts.get_mut(id)
    }

    fn note_artifact(&mut self, artifact: &Artifact, update: &TaskArtifactUpdateEvent) {
        let Some(mark) = self.mark(&artifact.artifact_id) else {
            return;
        };
        if !update.append {
            *mark = ArtifactMark::new();
        }
        mark.add(&artifact.parts);
        mark.closed = update.last_chunk;
    }

    /// True when an event says nothing that was not seen: a status or a whole artifact that comes
    /// again.
    pub(super) fn is_repeated(&self, event: &StreamResponse) -> bool {
        match &event.payload {
            Some(Payload::StatusUpdate(update)) => {
                let status = update
                    .status
                    .as_ref()
                    .filter(|status| status.timestamp.is_some());
                status
                    .map(StatusMark::of)
                    .is_some_and(|status| self.status.as_ref() == Some(&status))
            }
            Some(Payload::ArtifactUpdate(update)) if !update.append => {
                update.artifact.as_ref().is_some_and(|artifact| {
                    let known = self.artifacts.get(&artifact.artifact_id);
                    known.is_some_and(|known| {
                        (known.closed || !update.last_chunk)
                            && known.same_content(&ArtifactMark::of(&artifact.parts))
                    })
                })
            }
            _ => false,
        }
    }

    /// The events that lead from what was seen to the task as it is; the task itself when no events
    /// do. The task is seen then.
    pub(super) fn catch_up(&mut self, task: Task) -> Vec<StreamResponse> {
        let fresh = self.status.is_none() && self.artifacts.is_empty();
        let events = if fresh || self.too_many {
            None
        } else {
            self.steps_to(&task)
        };
        let closed: Vec<String> = self
            .artifacts
            .iter()
            .filter(|(_, mark)| mark.closed)
            .map(|(id, _)| id.clone())
            .collect();
        self.note_task(&task);
        for id in closed {
            if let Some(mark) = self.artifacts.get_mut(&id) {
                mark.closed = true;
            }
        }
        events.unwrap_or_else(|| vec![StreamResponse::task(task)])
    }

    fn steps_to(&self, task: &Task) -> Option<Vec<StreamResponse>> {
        if self.artifacts.keys().any(|id| {
            task.artifacts
                .iter()
                .all(|artifact| artifact.artifact_id != *id)
        }) {
            return None;
        }
        let ends = task.state().is_terminal();
        let mut steps = Vec::new();
        for artifact in &task.artifacts {
            let rest = self
                .artifacts
                .get(&artifact.artifact_id)
                .and_then(|known| known.rest_of(&artifact.parts));
            let appends = rest.is_some();
            let mut piece = artifact.clone();
            match rest {
                Some(rest) if rest.is_empty() => continue,
                Some(rest) => piece.parts = rest,
                // Unknown, or another one now: as a whole.
                None => {}
            }
            let update = TaskArtifactUpdateEvent::new()
                .with_task_id(task.id.as_str())
                .with_context_id(task.context_id.as_str())
                .with_artifact(piece)
                .with_append(appends)
                .with_last_chunk(ends);
            steps.push(StreamResponse::artifact_update(update));
        }
        if let Some(status) = &task.status
            && self.status.as_ref() != Some(&StatusMark::of(status))
        {
            let update = TaskStatusUpdateEvent::new()
                .with_task_id(task.id.as_str())
                .with_context_id(task.context_id.as_str())
                .with_status(status.clone());
            steps.push(StreamResponse::status_update(update));
        }
        Some(steps)
    }
}

#[cfg(test)]
mod tests;
