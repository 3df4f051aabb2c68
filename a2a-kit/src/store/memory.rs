//! Tasks in memory: for tests, for demos, and for agents whose tasks may be forgotten.
//!
//! Tasks are spread over a few shards, each behind a lock that is held for the work of one call
//! and never across an await. A list locks all shards, so that its page and its total agree.

mod entry;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::Instant;

use super::Store;
use super::types::{
    Acquired, Found, Limit, ListPage, ListQuery, Listed, LogPage, PushConfig, PushConfigPage,
    Record, Scope, Select, Snapshot, StoreError, TaskIndex, Watch,
};
use entry::{Entry, Lease, Shard, Tasks};

const SHARDS: usize = 16;

/// A [`Store`] that forgets everything when the process ends.
///
/// What a task keeps here is its log until it is compacted, then one buffer with what is left of
/// it, and about 400 bytes of book-keeping.
#[derive(Debug)]
pub struct MemoryStore {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
        }
    }
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn shard(&self, scope: &Scope, task: &str) -> MutexGuard<'_, Shard> {
        let hash = self.hasher.hash_one((scope, task));
        // The remainder is below SHARDS, whatever the width of usize.
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a hash has no meaning to lose"
        )]
        let shard = &self.shards[hash as usize % SHARDS];
        lock(shard)
    }

    fn with_entry<T>(
        &self,
        scope: &Scope,
        task: &str,
        read: impl FnOnce(&Entry) -> T,
    ) -> Option<T> {
        self.shard(scope, task)
            .get(scope)
            .and_then(|tasks| tasks.entries.get(task))
            .map(read)
    }

    fn change_entry<T>(
        &self,
        scope: &Scope,
        task: &str,
        change: impl FnOnce(&mut Entry) -> T,
    ) -> Option<T> {
        self.shard(scope, task)
            .get_mut(scope)
            .and_then(|tasks| tasks.entries.get_mut(task))
            .map(change)
    }
}

/// A panic under the lock is a bug of this file, and leaves maps that can still be read.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for MemoryStore {
    async fn append(
        &self,
        scope: &Scope,
        task: &str,
        expected_sequence: u64,
        batch: Vec<Record>,
        index: TaskIndex,
    ) -> Result<u64, StoreError> {
        let mut shard = self.shard(scope, task);
        if let Some(tasks) = shard.get_mut(scope) {
            return tasks.append(task, expected_sequence, batch, index);
        }
        let mut tasks = Tasks::default();
        let sequence = tasks.append(task, expected_sequence, batch, index)?;
        shard.insert(scope.clone(), tasks);
        Ok(sequence)
    }

    async fn read_log(
        &self,
        scope: &Scope,
        task: &str,
        after: u64,
        limit: Limit,
    ) -> Result<LogPage, StoreError> {
        Ok(self
            .with_entry(scope, task, |entry| entry.read(after, limit))
            .unwrap_or_default())
    }

    async fn snapshot(
        &self,
        scope: &Scope,
        task: &str,
        select: Select,
    ) -> Result<Option<Snapshot>, StoreError> {
        Ok(self.with_entry(scope, task, |entry| entry.snapshot(select)))
    }

    async fn compact(
        &self,
        scope: &Scope,
        task: &str,
        sequence: u64,
        records: Vec<Record>,
    ) -> Result<bool, StoreError> {
        let changed = self.change_entry(scope, task, |entry| {
            if entry.sequence != sequence {
                return Err(StoreError::Conflict {
                    current: entry.sequence,
                });
            }
            Ok(entry.compact(records))
        });
        changed.unwrap_or(Err(StoreError::Conflict { current: 0 }))
    }

    async fn list(&self, scope: &Scope, query: ListQuery) -> Result<ListPage, StoreError> {
        let shards = self.shards.each_ref().map(lock);
        let tasks: Vec<&Tasks> = shards.iter().filter_map(|shard| shard.get(scope)).collect();
        let total = tasks.iter().map(|tasks| query.count(tasks)).sum::<usize>() as u64;
        let mut heads: Vec<_> = tasks
            .iter()
            .map(|tasks| query.select(tasks).peekable())
            .collect();
        let mut page = ListPage {
            tasks: Vec::with_capacity(query.limit.min(64)),
            more: false,
            total,
        };
        loop {
            let newest = (0..heads.len())
                .max_by_key(|head| heads[*head].peek().map(|(position, _)| *position));
            let Some((position, entry)) = newest.and_then(|head| heads[head].next()) else {
                break;
            };
            if page.tasks.len() == query.limit {
                page.more = true;
                break;
            }
            page.tasks.push(Listed {
                task: Arc::clone(&position.task),
                snapshot: entry.snapshot(query.select),
            });
        }
        Ok(page)
    }

    async fn watch(&self, scope: &Scope, task: &str) -> Result<Watch, StoreError> {
        let watch = self.change_entry(scope, task, |entry| {
            let sequence = entry.sequence;
            let sender = entry
                .extra()
                .watch
                .get_or_insert_with(|| watch::Sender::new(sequence));
            Watch::new(sender.subscribe())
        });
        watch.ok_or(StoreError::NotFound)
    }

    async fn acquire_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<Acquired, StoreError> {
        let acquired = self.change_entry(scope, task, |entry| {
            if entry.lease().is_some_and(|lease| *lease.holder != *holder) {
                return Acquired::Refused;
            }
            let last = entry.extra().lease.replace(Lease {
                holder: holder.into(),
                until: Instant::now() + ttl,
            });
            match last {
                Some(_) => Acquired::Abandoned,
                None => Acquired::Free,
            }
        });
        acquired.ok_or(StoreError::NotFound)
    }

    async fn renew_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        let renewed = self.change_entry(scope, task, |entry| {
            let held = entry.lease().is_some_and(|lease| *lease.holder == *holder);
            if held && let Some(lease) = &mut entry.extra().lease {
                lease.until = Instant::now() + ttl;
            }
            held
        });
        Ok(renewed.unwrap_or(false))
    }

    async fn release_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
    ) -> Result<(), StoreError> {
        self.change_entry(scope, task, |entry| {
            if let Some(extra) = &mut entry.extra
                && extra
                    .lease
                    .as_ref()
                    .is_some_and(|lease| *lease.holder == *holder)
            {
                extra.lease = None;
                entry.tidy();
            }
        });
        Ok(())
    }

    async fn put_push_config(
        &self,
        scope: &Scope,
        task: &str,
        config: PushConfig,
    ) -> Result<(), StoreError> {
        let put = self.change_entry(scope, task, |entry| {
            let PushConfig { id, version, data } = config;
            entry.extra().configs.insert(id, (version, data));
        });
        put.ok_or(StoreError::NotFound)
    }

    async fn push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> Result<Option<Bytes>, StoreError> {
        Ok(self
            .with_entry(scope, task, |entry| {
                let (_, data) = entry.extra.as_ref()?.configs.get(id)?;
                Some(data.clone())
            })
            .flatten())
    }

    async fn push_configs(
        &self,
        scope: &Scope,
        task: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<PushConfigPage, StoreError> {
        let page = self.with_entry(scope, task, |entry| {
            let Some(extra) = &entry.extra else {
                return PushConfigPage::default();
            };
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let mut rest = extra.configs.range::<str, _>((from, Bound::Unbounded));
            let configs = rest.by_ref().take(limit).map(|(id, kept)| {
                let (version, data) = kept;
                PushConfig {
                    id: Arc::clone(id),
                    version: *version,
                    data: data.clone(),
                }
            });
            PushConfigPage {
                configs: configs.collect(),
                more: rest.next().is_some(),
            }
        });
        Ok(page.unwrap_or_default())
    }

    async fn delete_push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> Result<bool, StoreError> {
        let deleted = self.change_entry(scope, task, |entry| {
            let deleted = entry
                .extra
                .as_mut()
                .is_some_and(|extra| extra.configs.remove(id).is_some());
            entry.tidy();
            deleted
        });
        Ok(deleted.unwrap_or(false))
    }

    async fn delete(&self, scope: &Scope, task: &str) -> Result<bool, StoreError> {
        let mut shard = self.shard(scope, task);
        let Some(tasks) = shard.get_mut(scope) else {
            return Ok(false);
        };
        let Some((id, entry)) = tasks.entries.remove_entry(task) else {
            return Ok(false);
        };
        tasks.order.remove(&entry.index.position(&id));
        if tasks.is_empty() {
            shard.remove(scope);
        }
        Ok(true)
    }

    async fn unsettled(
        &self,
        after: Option<(Scope, Arc<str>)>,
        limit: usize,
    ) -> Result<Vec<Found>, StoreError> {
        let shards = self.shards.each_ref().map(lock);
        let open = shards
            .iter()
            .flat_map(|shard| shard.iter())
            .flat_map(|(scope, tasks)| {
                tasks
                    .entries
                    .iter()
                    .filter(|(_, entry)| !entry.settled)
                    .map(move |(task, entry)| ((scope, task), entry))
            });
        let behind = open.filter(|((scope, task), _)| {
            after.as_ref().is_none_or(|(s, t)| (*scope, *task) > (s, t))
        });
        let mut found: Vec<_> = behind.collect();
        found.sort_unstable_by_key(|(place, _)| *place);
        found.truncate(limit);
        let found = found.into_iter().map(|((scope, task), entry)| Found {
            scope: scope.clone(),
            task: Arc::clone(task),
            index: entry.index.clone(),
        });
        Ok(found.collect())
    }
}
