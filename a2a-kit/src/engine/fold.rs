//! Folds what happened to a task to the task.

use std::collections::BTreeSet;
use std::sync::Arc;

use a2a_wire::types::{Struct, Timestamp};
use a2a_wire::v1_0::{Artifact, Message, Task, TaskArtifactUpdateEvent, TaskState};

use super::record::{
    Author, Change, StatusChange, bare, is_interrupted, is_terminal, placed, placed_status,
};
use crate::Error;
use crate::store::{Record, Snapshot, TaskIndex};

/// A task, up to some place of its log.
#[derive(Debug, Clone)]
pub(crate) struct Folded {
    pub(crate) sequence: u64,
    pub(crate) task: Task,
    /// Where in the history the message of the current status belongs, once it is superseded: the
    /// history is in the order in which things were said.
    status_at: usize,
    /// Nobody executes the task until a message comes.
    pub(crate) rests: bool,
    /// Artifacts whose last piece has come.
    closed: BTreeSet<String>,
}

impl Folded {
    /// A task of which nothing is known but its ids.
    pub(crate) fn new(task_id: &str, context_id: &str) -> Self {
        let mut task = Task::default();
        task.id = task_id.to_owned();
        task.context_id = context_id.to_owned();
        Self {
            sequence: 0,
            task,
            status_at: 0,
            rests: false,
            closed: BTreeSet::new(),
        }
    }

    /// Folds what a store has selected of a task.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub(crate) fn load(task_id: &str, snapshot: &Snapshot) -> Result<Self, Error> {
        let mut folded = Self::new(task_id, &snapshot.index.context_id);
        for record in &snapshot.records {
            folded.apply(Change::decode(record.kind, &record.data)?);
        }
        folded.sequence = snapshot.sequence;
        Ok(folded)
    }

    /// Adds one change.
    pub(crate) fn apply(&mut self, change: Change) {
        self.sequence += 1;
        match change {
            Change::Message(message) => {
                let message = placed(message, &self.task.id, &self.task.context_id);
                self.task.history.push(message);
                self.rests = false;
            }
            Change::Status(change) => self.apply_status(change),
            Change::Artifact(event) => self.apply_artifact(event),
            Change::TakenOver => {}
        }
    }

    fn apply_status(&mut self, change: StatusChange) {
        if let Some(superseded) = self.task.status.take().and_then(|status| status.message) {
            self.task
                .history
                .insert(self.status_at.min(self.task.history.len()), superseded);
        }
        self.status_at = self.task.history.len();
        self.rests = change.rests;
        self.task.status = Some(placed_status(
            change.status,
            &self.task.id,
            &self.task.context_id,
        ));
        self.task.metadata = change.metadata;
    }

    fn apply_artifact(&mut self, event: TaskArtifactUpdateEvent) {
        let Some(artifact) = event.artifact else {
            return;
        };
        if event.last_chunk {
            self.closed.insert(artifact.artifact_id.clone());
        } else {
            self.closed.remove(&artifact.artifact_id);
        }
        let known = self
            .task
            .artifacts
            .iter_mut()
            .find(|known| known.artifact_id == artifact.artifact_id);
        match known {
            Some(known) if event.append => extend(known, artifact),
            Some(known) => *known = artifact,
            None => self.task.artifacts.push(artifact),
        }
    }

    pub(crate) fn state(&self) -> TaskState {
        self.task
            .status
            .as_ref()
            .map_or(TaskState::Unspecified, a2a_wire::v1_0::TaskStatus::state)
    }

    pub(crate) fn is_terminal(&self) -> bool {
        is_terminal(self.state())
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        is_interrupted(self.state())
    }

    /// When the current status was set.
    pub(crate) fn status_timestamp(&self) -> Timestamp {
        self.task
            .status
            .as_ref()
            .and_then(|status| status.timestamp)
            .unwrap_or_default()
    }

    /// The columns for the store, as they will be after `changes`.
    pub(crate) fn index_after(&self, changes: &[Change]) -> TaskIndex {
        let newest = changes.iter().rev().find_map(|change| match change {
            Change::Status(change) => Some((
                change.status.state,
                change.status.timestamp.unwrap_or_default(),
            )),
            _ => None,
        });
        let current = || (self.state() as i32, self.status_timestamp());
        let (state, timestamp) = newest.unwrap_or_else(current);
        TaskIndex::new(Arc::from(self.task.context_id.as_str()), state, timestamp)
    }

    /// The task's metadata with `news` in it.
    pub(crate) fn metadata_with(&self, news: &Struct) -> Option<Struct> {
        if news.0.is_empty() {
            return self.task.metadata.clone();
        }
        let mut all = self.task.metadata.clone().unwrap_or_default();
        all.0.extend(
            news.0
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
        Some(all)
    }

    /// Says why clients could make no sense of a piece of an artifact.
    pub(crate) fn artifact_fault(&self, artifact: &Artifact, append: bool) -> Option<String> {
        let id = &artifact.artifact_id;
        let known = self
            .task
            .artifacts
            .iter()
            .any(|known| known.artifact_id == *id);
        if artifact.parts.is_empty() {
            Some(format!(
                "artifact {id:?} has no parts, and needs at least one; leave an empty piece out"
            ))
        } else if artifact.parts.iter().any(|part| part.content.is_none()) {
            Some(format!(
                "artifact {id:?} has a part without content; set its text, raw, url or data"
            ))
        } else if append && !known {
            Some(format!(
                "artifact {id:?} is appended to, but was never begun; send its first piece with append = false"
            ))
        } else if append && self.closed.contains(id) {
            Some(format!(
                "artifact {id:?} is appended to after its last chunk; set last_chunk only on the last piece"
            ))
        } else {
            None
        }
    }

    /// The task as a caller asked for it.
    pub(crate) fn view(&self, history: Option<u32>) -> Task {
        let mut task = Task::default();
        let Task {
            id,
            context_id,
            status,
            artifacts,
            metadata,
            ..
        } = &self.task;
        task.id.clone_from(id);
        task.context_id.clone_from(context_id);
        task.status.clone_from(status);
        task.artifacts.clone_from(artifacts);
        task.metadata.clone_from(metadata);
        task.history = newest(&self.task.history, history).to_vec();
        task
    }

    /// The fewest records from which the same task can be folded.
    ///
    /// # Errors
    /// When a value cannot be kept; it could be before, so this is not to be expected.
    pub(crate) fn compacted(&self) -> Result<Vec<Record>, Error> {
        let said = self
            .task
            .history
            .iter()
            .map(|message| Change::Message(bare(message.clone())));
        let artifacts = self.task.artifacts.iter().map(|artifact| {
            let mut event = TaskArtifactUpdateEvent::default();
            event.artifact = Some(artifact.clone());
            event.last_chunk = true;
            Change::Artifact(event)
        });
        let mut status = self.task.status.clone().unwrap_or_default();
        status.message = status.message.map(bare);
        let status = StatusChange {
            status,
            metadata: self.task.metadata.clone(),
            news: false,
            rests: true,
            author: Author::Engine,
        };
        said.chain(artifacts)
            .chain([Change::Status(status)])
            .map(|change| change.encode())
            .collect()
    }
}

/// The newest `limit` messages.
pub(crate) fn newest(history: &[Message], limit: Option<u32>) -> &[Message] {
    let limit = limit.map_or(usize::MAX, |limit| limit as usize);
    &history[history.len().saturating_sub(limit)..]
}

fn extend(known: &mut Artifact, piece: Artifact) {
    known.parts.extend(piece.parts);
    if !piece.name.is_empty() {
        known.name = piece.name;
    }
    if !piece.description.is_empty() {
        known.description = piece.description;
    }
    for uri in piece.extensions {
        if !known.extensions.contains(&uri) {
            known.extensions.push(uri);
        }
    }
    if let Some(Struct(metadata)) = piece.metadata {
        known.metadata.get_or_insert_default().0.extend(metadata);
    }
}

#[cfg(test)]
mod tests;
