//! A store that notes what it is asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::store::{
    Acquired, Found, Limit, ListPage, ListQuery, LogPage, LogRecord, MemoryStore, PushConfig,
    PushConfigPage, Record, Scope, Select, Snapshot, Store, StoreError, TaskIndex, Watch,
};
use bytes::Bytes;

/// What a store was asked: the method, whose tasks, and which task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) method: &'static str,
    pub(crate) scope: Scope,
    pub(crate) task: String,
}

/// A memory store, and all that it was asked in the scope of a call.
#[derive(Clone, Default)]
pub(crate) struct Noting(Arc<Inner>);

#[derive(Default)]
struct Inner {
    store: MemoryStore,
    asked: Mutex<Vec<Asked>>,
}

impl Noting {
    /// What it was asked since it was last asked for this.
    pub(crate) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.0.asked.lock().unwrap())
    }

    /// All that is kept of a task: its log and its webhooks.
    pub(crate) async fn content(
        &self,
        scope: &Scope,
        task: &str,
    ) -> (Vec<LogRecord>, Vec<PushConfig>) {
        let limit = Limit {
            records: usize::MAX,
            bytes: usize::MAX,
        };
        let log = self.0.store.read_log(scope, task, 0, limit).await.unwrap();
        let configs = self.0.store.push_configs(scope, task, None, usize::MAX);
        (log.records, configs.await.unwrap().configs)
    }

    fn note(&self, method: &'static str, scope: &Scope, task: &str) {
        self.0.asked.lock().unwrap().push(Asked {
            method,
            scope: scope.clone(),
            task: task.to_owned(),
        });
    }
}

impl Store for Noting {
    async fn append(
        &self,
        scope: &Scope,
        task: &str,
        expected_sequence: u64,
        batch: Vec<Record>,
        index: TaskIndex,
    ) -> Result<u64, StoreError> {
        self.note("append", scope, task);
        let store = &self.0.store;
        store
            .append(scope, task, expected_sequence, batch, index)
            .await
    }

    async fn read_log(
        &self,
        scope: &Scope,
        task: &str,
        after: u64,
        limit: Limit,
    ) -> Result<LogPage, StoreError> {
        self.note("read_log", scope, task);
        self.0.store.read_log(scope, task, after, limit).await
    }

    async fn snapshot(
        &self,
        scope: &Scope,
        task: &str,
        select: Select,
    ) -> Result<Option<Snapshot>, StoreError> {
        self.note("snapshot", scope, task);
        self.0.store.snapshot(scope, task, select).await
    }

    async fn compact(
        &self,
        scope: &Scope,
        task: &str,
        sequence: u64,
        records: Vec<Record>,
    ) -> Result<bool, StoreError> {
        self.note("compact", scope, task);
        self.0.store.compact(scope, task, sequence, records).await
    }

    async fn list(&self, scope: &Scope, query: ListQuery) -> Result<ListPage, StoreError> {
        self.note("list", scope, "");
        self.0.store.list(scope, query).await
    }

    async fn watch(&self, scope: &Scope, task: &str) -> Result<Watch, StoreError> {
        self.note("watch", scope, task);
        self.0.store.watch(scope, task).await
    }

    async fn acquire_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<Acquired, StoreError> {
        self.note("acquire_lease", scope, task);
        self.0.store.acquire_lease(scope, task, holder, ttl).await
    }

    async fn renew_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        self.note("renew_lease", scope, task);
        self.0.store.renew_lease(scope, task, holder, ttl).await
    }

    async fn release_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
    ) -> Result<(), StoreError> {
        self.note("release_lease", scope, task);
        self.0.store.release_lease(scope, task, holder).await
    }

    async fn put_push_config(
        &self,
        scope: &Scope,
        task: &str,
        config: PushConfig,
    ) -> Result<(), StoreError> {
        self.note("put_push_config", scope, task);
        self.0.store.put_push_config(scope, task, config).await
    }

    async fn push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> Result<Option<Bytes>, StoreError> {
        self.note("push_config", scope, task);
        self.0.store.push_config(scope, task, id).await
    }

    async fn push_configs(
        &self,
        scope: &Scope,
        task: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<PushConfigPage, StoreError> {
        self.note("push_configs", scope, task);
        self.0.store.push_configs(scope, task, after, limit).await
    }

    async fn delete_push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> Result<bool, StoreError> {
        self.note("delete_push_config", scope, task);
        self.0.store.delete_push_config(scope, task, id).await
    }

    async fn delete(&self, scope: &Scope, task: &str) -> Result<bool, StoreError> {
        self.note("delete", scope, task);
        self.0.store.delete(scope, task).await
    }

    /// Not noted: it is asked for no call.
    async fn unsettled(
        &self,
        after: Option<(Scope, Arc<str>)>,
        limit: usize,
    ) -> Result<Vec<Found>, StoreError> {
        self.0.store.unsettled(after, limit).await
    }
}
