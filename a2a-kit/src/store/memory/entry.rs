//! One task in memory, and the tasks of one scope in one shard.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::store::types::{
    History, Kind, Limit, ListQuery, LogPage, LogRecord, Position, Record, Scope, Select, Snapshot,
    StoreError, TaskIndex,
};

pub(super) type Shard = HashMap<Scope, Tasks>;

/// The tasks of one scope in one shard.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) entries: HashMap<Arc<str>, Entry>,
    /// The order of lists.
    pub(super) order: BTreeSet<Position>,
}

#[derive(Debug)]
pub(super) struct Entry {
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
    pub(super) configs: BTreeMap<Arc<str>, Bytes>,
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
        index: TaskIndex,
    ) -> Result<u64, StoreError> {
        let current = self.entries.get(task).map_or(0, |entry| entry.sequence);
        if current != expected {
            return Err(StoreError::Conflict { current });
        }
        let id = match self.entries.get_key_value(task) {
            Some((id, _)) => Arc::clone(id),
            None => Arc::from(task),
        };
        let entry = self
            .entries
            .entry(Arc::clone(&id))
            .or_insert_with(|| Entry {
                sequence: 0,
                base: 0,
                settled: false,
                index: index.clone(),
                records: Vec::new(),
                extra: None,
            });
        let old = Position {
            status_timestamp: entry.index.status_timestamp,
            task: id,
        };
        let new = Position {
            status_timestamp: index.status_timestamp,
            task: Arc::clone(&old.task),
        };
        if expected == 0 {
            self.order.insert(new);
        } else if old != new {
            self.order.remove(&old);
            self.order.insert(new);
        }
        entry.append(batch, index);
        Ok(entry.sequence)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Entry {
    pub(super) fn append(&mut self, batch: Vec<Record>, index: TaskIndex) {
        // A task stays in its context: keep one copy of the name.
        if self.index.context_id == index.context_id {
            self.index = TaskIndex {
                context_id: Arc::clone(&self.index.context_id),
                ..index
            };
        } else {
            self.index = index;
        }
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
    pub(super) fn lets_through(&self, index: &TaskIndex) -> bool {
        self.context_id
            .as_ref()
            .is_none_or(|context| **context == *index.context_id)
            && self.state.is_none_or(|state| state == index.state)
    }

    /// The range of the order, oldest first, that the time filter leaves.
    pub(super) fn range<'a>(
        &self,
        order: &'a BTreeSet<Position>,
    ) -> impl DoubleEndedIterator<Item = &'a Position> {
        let from = self.since.map_or(Bound::Unbounded, |since| {
            Bound::Included(Position {
                status_timestamp: since,
                task: Arc::from(""),
            })
        });
        order.range((from, Bound::Unbounded))
    }

    pub(super) fn is_unfiltered(&self) -> bool {
        self.context_id.is_none() && self.state.is_none()
    }

    /// Tasks of one shard that the filters let through, newest first, behind the place asked for.
    pub(super) fn select<'a>(
        &'a self,
        tasks: &'a Tasks,
    ) -> impl Iterator<Item = (&'a Position, &'a Entry)> {
        self.range(&tasks.order)
            .rev()
            .skip_while(|position| self.after.as_ref().is_some_and(|after| *position >= after))
            .filter_map(|position| Some((position, tasks.entries.get(&*position.task)?)))
            .filter(|(_, entry)| self.lets_through(&entry.index))
    }

    pub(super) fn count(&self, tasks: &Tasks) -> usize {
        match (self.is_unfiltered(), self.since) {
            (true, None) => tasks.order.len(),
            (true, Some(_)) => self.range(&tasks.order).count(),
            (false, _) => self
                .range(&tasks.order)
                .filter_map(|position| tasks.entries.get(&position.task))
                .filter(|entry| self.lets_through(&entry.index))
                .count(),
        }
    }
}
