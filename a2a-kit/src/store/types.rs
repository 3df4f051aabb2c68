//! What stores take and give.

use std::fmt;
use std::sync::Arc;

use a2a_wire::types::Timestamp;
use bytes::Bytes;
use tokio::sync::watch;

use crate::context::ProtocolVersion;

/// Whose tasks: a tenant and the owner within it. Part of every read and write, so that nothing
/// has to be filtered afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    tenant: Arc<str>,
    owner: Arc<str>,
}

impl Scope {
    /// The tasks of `owner` in `tenant`. Empty texts stand for no tenant and for callers who have
    /// not been authenticated.
    #[must_use]
    pub fn new(tenant: impl Into<Arc<str>>, owner: impl Into<Arc<str>>) -> Self {
        Self {
            tenant: tenant.into(),
            owner: owner.into(),
        }
    }

    /// The tenant; empty for none.
    #[must_use]
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The caller who owns the tasks; empty for callers who have not been authenticated.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }
}

/// What a record is about, as far as a store must know to leave out what nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A status without words.
    Status = 1,
    /// A status with a message: once another status follows, it belongs to the history.
    Said = 2,
    /// A message that belongs to the history from the start.
    Message = 3,
    /// An artifact or a piece of one.
    Artifact = 4,
    /// What only those read who execute the task: it is in the log and in no snapshot.
    Mark = 5,
}

impl Kind {
    /// The kind with this number, for stores that keep it as one.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Status),
            2 => Some(Self::Said),
            3 => Some(Self::Message),
            4 => Some(Self::Artifact),
            5 => Some(Self::Mark),
            _ => None,
        }
    }

    /// True for the kinds of which the newest is the task's status.
    #[must_use]
    pub const fn is_status(self) -> bool {
        matches!(self, Self::Status | Self::Said)
    }

    /// True for the kinds that make the history (the task's current status excepted).
    #[must_use]
    pub const fn is_history(self) -> bool {
        matches!(self, Self::Said | Self::Message)
    }
}

/// A record to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What it is about.
    pub kind: Kind,
    /// What only the engine understands.
    pub data: Bytes,
}

impl Record {
    /// A record of this kind.
    #[must_use]
    pub fn new(kind: Kind, data: impl Into<Bytes>) -> Self {
        Self {
            kind,
            data: data.into(),
        }
    }
}

/// A record of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    /// Its number in the task's log, from 1.
    pub sequence: u64,
    /// What it is about.
    pub kind: Kind,
    /// What only the engine understands.
    pub data: Bytes,
}

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPage {
    /// Records behind the asked place, in order, without a gap.
    pub records: Vec<LogRecord>,
    /// The log reaches back to the record behind this one; what came before has been compacted.
    pub base: u64,
    /// Where the task stands; 0 when there is none.
    pub sequence: u64,
}

/// How much to read at once. At least one record is read, however big.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// At most so many records.
    pub records: usize,
    /// No further record once so many bytes have been read.
    pub bytes: usize,
}

/// The columns of a task that lists are filtered and sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskIndex {
    /// The conversation of the task.
    pub context_id: Arc<str>,
    /// The number of its state, as in `lf.a2a.v1.TaskState`.
    pub state: i32,
    /// When that state was set.
    pub status_timestamp: Timestamp,
}

impl TaskIndex {
    /// The columns of a task.
    #[must_use]
    pub fn new(context_id: impl Into<Arc<str>>, state: i32, status_timestamp: Timestamp) -> Self {
        Self {
            context_id: context_id.into(),
            state,
            status_timestamp,
        }
    }
}

/// Which parts of a task to load besides its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Select {
    /// How much history.
    pub history: History,
    /// Whether artifacts.
    pub artifacts: bool,
}

impl Select {
    /// The status alone.
    pub const HEAD: Self = Self {
        history: History::None,
        artifacts: false,
    };
    /// Everything.
    pub const ALL: Self = Self {
        history: History::All,
        artifacts: true,
    };
}

/// How much history to load: records of kinds [`Kind::Said`] and [`Kind::Message`], the task's
/// current status not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// None of it.
    None,
    /// At most so many of the newest records.
    Last(u32),
    /// All of it.
    All,
}

/// A task as far as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Where the task stands.
    pub sequence: u64,
    /// Its columns.
    pub index: TaskIndex,
    /// The selected records, in log order.
    pub records: Vec<LogRecord>,
}

/// A place in the order of lists: newest status first, equal times by descending id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// When the task's status was set.
    pub status_timestamp: Timestamp,
    /// The task.
    pub task: Arc<str>,
}

/// Which tasks to list. All filters must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Only tasks of this conversation.
    pub context_id: Option<Arc<str>>,
    /// Only tasks in this state.
    pub state: Option<i32>,
    /// Only tasks whose status was set at this time or later.
    pub since: Option<Timestamp>,
    /// Only tasks that come behind this place.
    pub after: Option<Position>,
    /// At most so many.
    pub limit: usize,
    /// What to load of each.
    pub select: Select,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListPage {
    /// The tasks, in order.
    pub tasks: Vec<Listed>,
    /// True when more tasks follow.
    pub more: bool,
    /// How many tasks the filters let through, on all pages together.
    pub total: u64,
}

/// A task of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub task: Arc<str>,
    /// What was asked for of it.
    pub snapshot: Snapshot,
}

/// A task that was found in some scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Whose it is.
    pub scope: Scope,
    /// Its id.
    pub task: Arc<str>,
    /// Its columns.
    pub index: TaskIndex,
}

/// A webhook of a task.
#[derive(Clone, PartialEq, Eq)]
pub struct PushConfig {
    /// Its id, unique within the task.
    pub id: Arc<str>,
    /// The version of the protocol in which it was registered: whoever listens there expects news in
    /// the form of that version.
    pub version: ProtocolVersion,
    /// What only the engine understands.
    pub data: Bytes,
}

/// Without the data, which may hold credentials.
impl fmt::Debug for PushConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushConfig")
            .field("id", &self.id)
            .field("version", &self.version)
            .field("bytes", &self.data.len())
            .finish()
    }
}

/// One page of the webhooks of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PushConfigPage {
    /// The webhooks, in the order of their ids.
    pub configs: Vec<PushConfig>,
    /// True when more follow.
    pub more: bool,
}

/// What came of asking for a lease: see [`Store::acquire_lease`](super::Store::acquire_lease).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acquired {
    /// Another holds it.
    Refused,
    /// It is the caller's. Nobody held it: its last holder, if there was one, had given it back.
    Free,
    /// It is the caller's. Its last holder, another one or the caller, had not given it back.
    Abandoned,
}

/// Tells of appends to one task.
///
/// A hint, not a queue: several appends may be told of once. Who was told reads the log.
#[derive(Debug)]
pub struct Watch(watch::Receiver<u64>);

impl Watch {
    /// A watch over a channel into which the store puts the sequence number that a task has
    /// reached. It ends when the sender is gone.
    #[must_use]
    pub fn new(receiver: watch::Receiver<u64>) -> Self {
        Self(receiver)
    }

    /// Waits for an append that has not been told of, and tells how far the task has come. `None`
    /// when there will be no more: the task is gone, or the store is.
    pub async fn changed(&mut self) -> Option<u64> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The task does not stand where the writer thought. Read again, decide again.
    #[error("the task has moved on to sequence {current}")]
    Conflict {
        /// Where it stands; 0 when there is none.
        current: u64,
    },
    /// There is no such task.
    #[error("there is no such task")]
    NotFound,
    /// The store cannot be reached, or is broken.
    #[error("the store failed")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// A store that cannot be reached, or is broken.
    #[must_use]
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(cause.into())
    }
}
