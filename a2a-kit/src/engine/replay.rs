//! A turn that was interrupted, as its log tells it.
//!
//! Comes in: the log of a task whose process is gone. Goes out: how the turn began, which messages
//! came in while it went on, and what it has written ([`Past`]), so that it can be executed again
//! without writing anything twice.
//!
//! What is written again is recognised by what is stable: questions by their words and their place,
//! artifacts by id or name, other news by its number. A skill that asks something else the second
//! time is failed: the recorded answer would answer another question.

use std::collections::{BTreeMap, VecDeque};

use a2a_wire::v1_0::{Artifact, Message, Part, Task, TaskState};

use super::core::{Core, LOG_PAGE, not_found};
use super::fold::Folded;
use super::live::{Key, Live};
use super::record::{Author, Change, StatusChange};
use crate::Error;

/// The turn that a task is in.
#[derive(Debug)]
pub(super) struct Interrupted {
    /// The task as the turn began.
    pub(super) task: Task,
    /// The message that the turn began with, and its place in the log.
    pub(super) first: (u64, Message),
    /// The messages that came later.
    pub(super) later: Vec<(u64, Message)>,
    pub(super) past: Past,
    /// How often processes have taken it over.
    pub(super) takeovers: usize,
}

/// What an execution has written, and the next one is not to write again.
#[derive(Debug, Default)]
pub(super) struct Past {
    questions: VecDeque<Question>,
    /// How often each state was reported.
    news: BTreeMap<TaskState, usize>,
    pieces: VecDeque<Piece>,
    /// The ids that artifacts got the first time, by those of now.
    ids: BTreeMap<String, String>,
}

#[derive(Debug)]
struct Question {
    words: Vec<Part>,
    is_granted: bool,
}

/// A piece of an artifact.
#[derive(Debug)]
struct Piece {
    id: String,
    name: String,
    append: bool,
}

/// What has become of a question the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// It was not asked.
    Never,
    /// It was asked, and a message answers it.
    Before,
    /// It was asked and granted, but what was granted is not known any more.
    Granted,
}

impl Past {
    /// Takes the next question. `Err` when it was another one.
    pub(super) fn question(&mut self, words: &[Part]) -> Result<Asked, ()> {
        match self.questions.pop_front() {
            None => Ok(Asked::Never),
            Some(question) if question.words != words => Err(()),
            Some(question) if question.is_granted => {
                // It is open again, so what was said behind it is no longer how things are.
                self.news.clear();
                Ok(Asked::Granted)
            }
            Some(_) => Ok(Asked::Before),
        }
    }

    /// True when this news has been written.
    pub(super) fn news(&mut self, state: TaskState) -> bool {
        match self.news.get_mut(&state) {
            Some(left @ 1..) => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    /// Gives an artifact the id that it had the first time, if there was one. True when this piece
    /// has been written.
    pub(super) fn artifact(&mut self, artifact: &mut Artifact, append: bool) -> bool {
        // Without an id, it is another artifact each time: no id stands for it.
        let has_id = !artifact.artifact_id.is_empty();
        if let Some(id) = self.ids.get(&artifact.artifact_id) {
            artifact.artifact_id.clone_from(id);
        }
        let same_id = |piece: &Piece| piece.append == append && piece.id == artifact.artifact_id;
        let same_name = |piece: &Piece| !append && !piece.append && piece.name == artifact.name;
        let place = self
            .pieces
            .iter()
            .position(same_id)
            .or_else(|| self.pieces.iter().position(same_name));
        let Some(piece) = place.and_then(|place| self.pieces.remove(place)) else {
            return false;
        };
        if piece.id != artifact.artifact_id {
            let now = std::mem::replace(&mut artifact.artifact_id, piece.id);
            if has_id {
                self.ids.insert(now, artifact.artifact_id.clone());
            }
        }
        true
    }

    fn note(&mut self, change: &Change) {
        match change {
            Change::Artifact(event) => {
                if let Some(artifact) = &event.artifact {
                    self.pieces.push_back(Piece {
                        id: artifact.artifact_id.clone(),
                        name: artifact.name.clone(),
                        append: event.append,
                    });
                }
            }
            Change::Status(change) => self.note_status(change),
            Change::Message(_) | Change::TakenOver => {}
        }
    }

    fn note_status(&mut self, change: &StatusChange) {
        match change.author {
            Author::News => *self.news.entry(change.state()).or_default() += 1,
            Author::Question => {
                let said = change.status.message.as_ref();
                self.questions.push_back(Question {
                    words: said
                        .map(|message| message.parts.clone())
                        .unwrap_or_default(),
                    is_granted: false,
                });
            }
            Author::Granted => {
                if let Some(question) = self.questions.back_mut() {
                    question.is_granted = true;
                }
            }
            Author::Engine | Author::Turn(_) => {}
        }
    }
}

/// Goes through a log.
struct Reader {
    folded: Folded,
    turn: Option<Interrupted>,
}

impl Reader {
    fn read(&mut self, change: Change) {
        self.folded.apply(change.clone());
        let sequence = self.folded.sequence;
        match (change, &mut self.turn) {
            (Change::Message(message), Some(turn)) => turn.later.push((sequence, message)),
            (Change::Message(message), None) => self.begin((sequence, message), Vec::new()),
            (Change::Status(change), Some(_)) if change.rests => self.turn = None,
            (Change::Status(change), Some(turn)) => match change.author {
                Author::Turn(waiting) => {
                    let left = turn.later.len().saturating_sub(waiting as usize);
                    let mut waiting = turn.later.split_off(left).into_iter();
                    self.turn = None;
                    if let Some(first) = waiting.next() {
                        self.begin(first, waiting.collect());
                    }
                }
                // What the engine says as a message comes in belongs to the beginning.
                Author::Engine if sequence == turn.first.0 + 1 => {
                    turn.task.clone_from(&self.folded.task);
                }
                _ => turn.past.note(&Change::Status(change)),
            },
            (Change::TakenOver, Some(turn)) => turn.takeovers += 1,
            (change, Some(turn)) => turn.past.note(&change),
            (_, None) => {}
        }
    }

    fn begin(&mut self, first: (u64, Message), later: Vec<(u64, Message)>) {
        self.turn = Some(Interrupted {
            task: self.folded.task.clone(),
            first,
            later,
            past: Past::default(),
            takeovers: 0,
        });
    }
}

impl Core {
    /// The turn that a task is in, from its log. `None` when it is in none.
    pub(super) async fn interrupted(&self, live: &Live) -> Result<Option<Interrupted>, Error> {
        let Key { scope, task } = &live.key;
        let mut reader = Reader {
            folded: Folded::new(task, live.context_id()),
            turn: None,
        };
        loop {
            let after = reader.folded.sequence;
            let page = self.store.read_log(scope, task, after, LOG_PAGE).await?;
            if page.sequence == 0 {
                return Err(not_found(task));
            }
            if page.base > after {
                // Compacted, so it has ended.
                return Ok(None);
            }
            if page.records.is_empty() {
                return Ok(reader.turn);
            }
            for record in &page.records {
                reader.read(Change::decode(record.kind, &record.data)?);
            }
        }
    }
}

#[cfg(test)]
mod tests;
