//! A process that stands still: its store answers nothing until it goes on.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::sync::Arc;
use std::time::Duration;

use a2a_kit::store::{
    Acquired, Found, Limit, ListPage, ListQuery, LogPage, MemoryStore, PushConfig, PushConfigPage,
    Record, Scope, Select, Snapshot, Store, StoreError, TaskIndex, Watch,
};
use bytes::Bytes;
use tokio::sync::watch;

/// One process's way to a store that it shares with others.
#[derive(Clone)]
pub struct Frozen {
    inner: Arc<MemoryStore>,
    frozen: watch::Sender<bool>,
}

impl Frozen {
    pub fn new(inner: &Arc<MemoryStore>) -> Self {
        Self {
            inner: Arc::clone(inner),
            frozen: watch::Sender::new(false),
        }
    }

    /// The process stands still, as one that has crashed does for ever.
    pub fn freeze(&self) {
        self.frozen.send_replace(true);
    }

    pub fn thaw(&self) {
        self.frozen.send_replace(false);
    }

    async fn inner(&self) -> &MemoryStore {
        let mut frozen = self.frozen.subscribe();
        frozen.wait_for(|frozen| !frozen).await.unwrap();
        &self.inner
    }
}

#[rustfmt::skip]
impl Store for Frozen {
    async fn append(&self, scope: &Scope, task: &str, expected: u64, batch: Vec<Record>, index: TaskIndex) -> Result<u64, StoreError> {
        self.inner().await.append(scope, task, expected, batch, index).await
    }

    async fn read_log(&self, scope: &Scope, task: &str, after: u64, limit: Limit) -> Result<LogPage, StoreError> {
        self.inner().await.read_log(scope, task, after, limit).await
    }

    async fn snapshot(&self, scope: &Scope, task: &str, select: Select) -> Result<Option<Snapshot>, StoreError> {
        self.inner().await.snapshot(scope, task, select).await
    }

    async fn compact(&self, scope: &Scope, task: &str, sequence: u64, records: Vec<Record>) -> Result<bool, StoreError> {
        self.inner().await.compact(scope, task, sequence, records).await
    }

    async fn list(&self, scope: &Scope, query: ListQuery) -> Result<ListPage, StoreError> {
        self.inner().await.list(scope, query).await
    }

    async fn watch(&self, scope: &Scope, task: &str) -> Result<Watch, StoreError> {
        self.inner().await.watch(scope, task).await
    }

    async fn acquire_lease(&self, scope: &Scope, task: &str, holder: &str, ttl: Duration) -> Result<Acquired, StoreError> {
        self.inner().await.acquire_lease(scope, task, holder, ttl).await
    }

    async fn renew_lease(&self, scope: &Scope, task: &str, holder: &str, ttl: Duration) -> Result<bool, StoreError> {
        self.inner().await.renew_lease(scope, task, holder, ttl).await
    }

    async fn release_lease(&self, scope: &Scope, task: &str, holder: &str) -> Result<(), StoreError> {
        self.inner().await.release_lease(scope, task, holder).await
    }

    async fn put_push_config(&self, scope: &Scope, task: &str, config: PushConfig) -> Result<(), StoreError> {
        self.inner().await.put_push_config(scope, task, config).await
    }

    async fn push_config(&self, scope: &Scope, task: &str, id: &str) -> Result<Option<Bytes>, StoreError> {
        self.inner().await.push_config(scope, task, id).await
    }

    async fn push_configs(&self, scope: &Scope, task: &str, after: Option<&str>, limit: usize) -> Result<PushConfigPage, StoreError> {
        self.inner().await.push_configs(scope, task, after, limit).await
    }

    async fn delete_push_config(&self, scope: &Scope, task: &str, id: &str) -> Result<bool, StoreError> {
        self.inner().await.delete_push_config(scope, task, id).await
    }

    async fn delete(&self, scope: &Scope, task: &str) -> Result<bool, StoreError> {
        self.inner().await.delete(scope, task).await
    }

    async fn unsettled(&self, after: Option<(Scope, Arc<str>)>, limit: usize) -> Result<Vec<Found>, StoreError> {
        self.inner().await.unsettled(after, limit).await
    }
}
