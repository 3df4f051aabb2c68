//! Where tasks live: a log of events for each task, written by compare-and-set.
//!
//! Comes in: opaque records, each with a [`Kind`], and the columns ([`TaskIndex`]) that lists are
//! filtered and sorted by. Goes out: the same records, whole ([`Store::read_log`]) or as far as a
//! reader needs them ([`Store::snapshot`]). A store never looks into a record: the engine folds
//! them to a task. So a store is small, and every store behaves alike; the checks in
//! [`crate::testing::store`] say whether it does.

mod backend;
mod erased;
mod memory;
mod types;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use backend::StoreBackend;
pub(crate) use erased::DynStore;
pub use memory::MemoryStore;
pub use types::{
    Acquired, Found, History, Kind, Limit, ListPage, ListQuery, Listed, LogPage, LogRecord,
    Position, PushConfig, PushConfigPage, Record, Scope, Select, Snapshot, StoreError, TaskIndex,
    Watch,
};

/// A store of tasks, of the webhooks that wait for their news, and of leases on their execution.
///
/// Every method takes the [`Scope`] (tenant and owner) that it works in. What is outside of the
/// scope does not exist: no method may answer differently because another scope has a task of the
/// same id. Sequence numbers count the records of one task, from 1, without gaps.
///
/// Methods may be called at the same time from many places, also for one task. A future that is
/// dropped half-way must leave the store as it was before or as it would have been after.
///
/// ```
/// use a2a_kit::store::{Kind, MemoryStore, Record, Scope, Select, Store, TaskIndex};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = MemoryStore::new();
/// let scope = Scope::new("", "alice");
/// let index = TaskIndex::new("c1", 1, Default::default());
/// let batch = vec![Record::new(Kind::Message, "hello"), Record::new(Kind::Status, "submitted")];
///
/// assert_eq!(store.append(&scope, "t1", 0, batch, index).await?, 2);
/// let head = store.snapshot(&scope, "t1", Select::HEAD).await?.expect("was just written");
/// assert_eq!(&head.records[0].data[..], b"submitted");
/// # Ok::<(), a2a_kit::store::StoreError>(()) }).unwrap();
/// ```
pub trait Store: Send + Sync + 'static {
    /// Appends `batch` to the log of a task, all of it or nothing, when the task stands at
    /// `expected_sequence` (0: there is no such task yet, make it). Sets the task's columns to
    /// `index`. Returns the sequence number of the last record. Whoever watches the task is woken.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the task stands elsewhere.
    fn append(
        &self,
        scope: &Scope,
        task: &str,
        expected_sequence: u64,
        batch: Vec<Record>,
        index: TaskIndex,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Records of the log behind `after`, in order and without a gap: at most `limit` of them, but
    /// at least one when there is one. When records behind `after` are gone (the log has been
    /// compacted), the page has none, and its [`base`](LogPage::base) is greater than `after`. An
    /// unknown task has an empty page at sequence 0.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn read_log(
        &self,
        scope: &Scope,
        task: &str,
        after: u64,
        limit: Limit,
    ) -> impl Future<Output = Result<LogPage, StoreError>> + Send;

    /// What a reader needs to fold a task: always the newest record of kind [`Kind::Status`] or
    /// [`Kind::Said`], and, as `select` asks, history and artifacts; none of kind [`Kind::Mark`].
    /// Records come in log order.
    /// `None` when there is no such task.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn snapshot(
        &self,
        scope: &Scope,
        task: &str,
        select: Select,
    ) -> impl Future<Output = Result<Option<Snapshot>, StoreError>> + Send;

    /// Puts `records` in the place of the whole log, when the task stands at `sequence` and nobody
    /// watches it. Its sequence number stays. [`Store::snapshot`] works on the new records as it
    /// did on the old ones; [`Store::read_log`] no longer reaches behind `sequence`. The task
    /// counts as settled (see [`Store::unsettled`]) until something is appended again.
    ///
    /// False, and nothing has changed, while someone watches the task: who is behind still needs
    /// the log. The caller tries again later.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the task stands elsewhere.
    fn compact(
        &self,
        scope: &Scope,
        task: &str,
        sequence: u64,
        records: Vec<Record>,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// One page of the scope's tasks, newest status first, equal times by descending id.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn list(
        &self,
        scope: &Scope,
        query: ListQuery,
    ) -> impl Future<Output = Result<ListPage, StoreError>> + Send;

    /// Tells of appends to a task, from now on and wherever they come from.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task.
    fn watch(
        &self,
        scope: &Scope,
        task: &str,
    ) -> impl Future<Output = Result<Watch, StoreError>> + Send;

    /// Takes the right to execute a task for `ttl`, when nobody holds it or its holder let it run
    /// out; who holds it already gets it anew. The store remembers who has not given it back: that
    /// is how the engine knows that a process ended in the middle of its work.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task.
    fn acquire_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> impl Future<Output = Result<Acquired, StoreError>> + Send;

    /// Keeps a lease for another `ttl`. False when `holder` has lost it.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn renew_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Gives a lease back. Does nothing when `holder` does not hold it.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn release_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Keeps a webhook of a task, in the place of one with the same id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task.
    fn put_push_config(
        &self,
        scope: &Scope,
        task: &str,
        config: PushConfig,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A webhook of a task.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> impl Future<Output = Result<Option<Bytes>, StoreError>> + Send;

    /// Webhooks of a task in the order of their ids, behind the id `after`, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn push_configs(
        &self,
        scope: &Scope,
        task: &str,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<PushConfigPage, StoreError>> + Send;

    /// Forgets a webhook. False when there was none.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn delete_push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Forgets a task and all that belongs to it. False when there was none. Who watches it sees
    /// the watch end.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn delete(
        &self,
        scope: &Scope,
        task: &str,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Tasks of all scopes that still need someone: those whose log has not been compacted since
    /// the last append. At most `limit`, behind `after`, in the order of scope and id.
    ///
    /// # Errors
    /// When the store cannot answer.
    fn unsettled(
        &self,
        after: Option<(Scope, Arc<str>)>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Found>, StoreError>> + Send;
}
