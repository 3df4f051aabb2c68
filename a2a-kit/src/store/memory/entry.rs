//! One task in memory, and the tasks of one scope in one shard.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::context::ProtocolVersion;
use crate::store::types::{
    History, Kind, Limit, ListQuery, LogPage, LogRecord, Position, Record, Scope, Select, Snapshot,
    StoreError, TaskIndex,
};

pub(super) type Shard = HashMap<Scope, Tasks>;

/// The tasks of one scope in one shard.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) entries: HashMap<Arc<str>, Entry>,
    /// The order of lists, with what they are filtered by.
    pub(super) order: BTreeMap<Position, Columns>,
}

/// What lists are filtered by, besides the time.
#[derive(Debug)]
pub(super) struct Columns {
    context_id: Arc<str>,
    state: i32,
}

#[derive(Debug)]
pub(super) struct Entry {
    id: Arc<str>,
    pub(super) sequence: u64,
    /// Records up to here have been compacted.
    pub(super) base: u64,
    pub(super) settled: bool,
    pub(super) index: TaskIndex,
    pub(super) records: Vec<LogRecord>,
    /// What only some tasks have, and most only for a while.
    pub(super) extra: Option<Box<Extra>>,
}

#[derive(Debug, Default)]
pub(super) struct Extra {
    pub(super) watch: Option<watch::Sender<u64>>,
    pub(super) lease: Option<Lease>,
    pub(super) configs: BTreeMap<Arc<str>, (ProtocolVersion, Bytes)>,
}

#[derive(Debug)]
pub(super) struct Lease {
    pub(super) holder: Box<str>,
    pub(super) until: Instant,
}

impl Tasks {
    pub(super) fn append(
        &mut self,
        task: &str,
        expected: u64,
        batch: Vec<Record>,
        mut index: TaskIndex,
    ) -> Result<u64, StoreError> {
        let Some(entry) = self.entries.get_mut(task) else {
            if expected != 0 {
                return Err(StoreError::Conflict { current: 0 });
            }
            let id: Arc<str> = Arc::from(task);
            self.order.insert(index.position(&id), index.columns());
            let mut entry = Entry::new(Arc::clone(&id), index.clone());
            entry.append(batch, index);
            let sequence = entry.sequence;
            self.entries.insert(id, entry);
            return Ok(sequence);
        };
        if entry.sequence != expected {
            return Err(StoreError::Conflict {
                current: entry.sequence,
            });
        }
        // A task stays in its context: keep one copy of the name.
        if entry.index.context_id == index.context_id {
            index.context_id = Arc::clone(&entry.index.context_id);
        }
        if entry.index != index {
            self.order.remove(&entry.index.position(&entry.id));
            self.order
                .insert(index.position(&entry.id), index.columns());
        }
        entry.append(batch, index);
        Ok(entry.sequence)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl TaskIndex {
    pub(super) fn position(&self, task: &Arc<str>) -> Position {
        Position {
            status_timestamp: self.status_timestamp,
            task: Arc::clone(task),
        }
    }

    fn columns(&self) -> Columns {
        Columns {
            context_id: Arc::clone(&self.context_id),
            state: self.state,
        }
    }
}

impl Entry {
    fn new(id: Arc<str>, index: TaskIndex) -> Self {
        Self {
            id,
            sequence: 0,
            base: 0,
            settled: false,
            index,
            records: Vec::new(),
            extra: None,
        }
    }

    fn append(&mut self, batch: Vec<Record>, index: TaskIndex) {
        self.index = index;
        self.settled = false;
        self.records.reserve(batch.len());
        for Record { kind, data } in batch {
            self.sequence += 1;
            self.records.push(LogRecord {
                sequence: self.sequence,
                kind,
                data,
            });
        }
        if let Some(extra) = &mut self.extra
            && let Some(watch) = &extra.watch
            && watch.send(self.sequence).is_err()
        {
            // Nobody watches any more.
            extra.watch = None;
            self.tidy();
        }
    }

    pub(super) fn compact(&mut self, records: Vec<Record>) -> bool {
        if let Some(extra) = &mut self.extra
            && let Some(watch) = &extra.watch
        {
            if watch.receiver_count() > 0 {
                return false;
            }
            extra.watch = None;
        }
        self.tidy();
        // One buffer for all of them: small records would spend more on their allocations than on
        // their bytes.
        let mut buffer = Vec::with_capacity(records.iter().map(|record| record.data.len()).sum());
        for record in &records {
            buffer.extend_from_slice(&record.data);
        }
        let buffer = Bytes::from(buffer);
        let mut start = 0;
        self.records = (1..)
            .zip(records)
            .map(|(sequence, record): (u64, Record)| {
                let end = start + record.data.len();
                let data = buffer.slice(start..end);
                start = end;
                LogRecord {
                    sequence: sequence.min(self.sequence),
                    kind: record.kind,
                    data,
                }
            })
            .collect();
        self.base = self.sequence;
        self.settled = true;
        true
    }

    pub(super) fn snapshot(&self, select: Select) -> Snapshot {
        let status = self
            .records
            .iter()
            .rposition(|record| record.kind.is_status());
        let is_history =
            |(at, record): &(usize, &LogRecord)| record.kind.is_history() && Some(*at) != status;
        let from = match select.history {
            History::None | History::Last(0) => usize::MAX,
            History::All => 0,
            History::Last(count) => {
                let newest = self.records.iter().enumerate().rev().filter(is_history);
                newest
                    .take(count as usize)
                    .last()
                    .map_or(usize::MAX, |(at, _)| at)
            }
        };
        let records = self.records.iter().enumerate().filter(|(at, record)| {
            Some(*at) == status
                || (record.kind.is_history() && *at >= from)
                || (record.kind == Kind::Artifact && select.artifacts)
        });
        Snapshot {
            sequence: self.sequence,
            index: self.index.clone(),
            records: records.map(|(_, record)| record.clone()).collect(),
        }
    }

    pub(super) fn read(&self, after: u64, limit: Limit) -> LogPage {
        let mut page = LogPage {
            records: Vec::new(),
            base: self.base,
            sequence: self.sequence,
        };
        if after < self.base {
            return page;
        }
        // What compaction has left is numbered from 1 and ends at the base at the latest.
        let from = self
            .records
            .partition_point(|record| record.sequence <= after);
        let mut bytes = 0;
        for record in self.records[from..].iter().take(limit.records.max(1)) {
            if bytes > 0 && bytes + record.data.len() > limit.bytes {
                break;
            }
            bytes += record.data.len().max(1);
            page.records.push(record.clone());
        }
        page
    }

    pub(super) fn extra(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// Drops the extras when there are none.
    pub(super) fn tidy(&mut self) {
        if self.extra.as_ref().is_some_and(|extra| {
            extra.watch.is_none() && extra.lease.is_none() && extra.configs.is_empty()
        }) {
            self.extra = None;
        }
    }

    pub(super) fn lease(&self) -> Option<&Lease> {
        self.extra
            .as_ref()?
            .lease
            .as_ref()
            .filter(|lease| lease.until > Instant::now())
    }
}

impl ListQuery {
    fn lets_through(&self, columns: &Columns) -> bool {
        self.context_id
            .as_ref()
            .is_none_or(|context| **context == *columns.context_id)
            && self.state.is_none_or(|state| state == columns.state)
    }

    /// Positions that the filters let through, newest first: all of them, or those behind `after`.
    fn positions<'a>(
        &'a self,
        tasks: &'a Tasks,
        after: Option<&Position>,
    ) -> impl Iterator<Item = &'a Position> {
        let first = self.since.map(|since| Position {
            status_timestamp: since,
            task: Arc::from(""),
        });
        // A range that ends before it begins would panic.
        let is_empty = matches!((&first, after), (Some(first), Some(after)) if first > after);
        let range = (
            first.map_or(Bound::Unbounded, Bound::Included),
            after.cloned().map_or(Bound::Unbounded, Bound::Excluded),
        );
        let range = (!is_empty).then(|| tasks.order.range(range).rev());
        range
            .into_iter()
            .flatten()
            .filter(|(_, columns)| self.lets_through(columns))
            .map(|(position, _)| position)
    }

    /// Tasks of one shard that the filters let through, newest first, behind the place asked for.
    pub(super) fn select<'a>(
        &'a self,
        tasks: &'a Tasks,
    ) -> impl Iterator<Item = (&'a Position, &'a Entry)> {
        self.positions(tasks, self.after.as_ref())
            .filter_map(|position| Some((position, tasks.entries.get(&position.task)?)))
    }

    /// How many tasks of one shard the filters let through.
    pub(super) fn count(&self, tasks: &Tasks) -> usize {
        if self.context_id.is_none() && self.state.is_none() && self.since.is_none() {
            return tasks.order.len();
        }
        self.positions(tasks, None).count()
    }
}
