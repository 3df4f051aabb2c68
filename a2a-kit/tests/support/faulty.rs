//! A memory store with one fault.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::store::{
    Acquired, Found, Limit, ListPage, ListQuery, LogPage, MemoryStore, PushConfig, PushConfigPage,
    Record, Scope, Select, Snapshot, Store, StoreError, TaskIndex, Watch,
};
use bytes::Bytes;
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    ForgetsToCompare,
    MixesOwners,
    LoadsEverything,
    CountsThePage,
    LeasesToAll,
    KeepsTheOldLog,
    SkipsEqualTimes,
    /// Compacts although someone watches.
    CompactsAtOnce,
    /// Renews no lease while `trouble` is on.
    LosesLeases,
    /// Appends nothing while `trouble` is on.
    IsDown,
    /// Keeps no webhook.
    KeepsNoWebhooks,
    /// Answers no request for a lease while `trouble` is on.
    LeasesNothing,
    /// Reads no log while `trouble` is on.
    ReadsNoLog,
}

pub struct Faulty {
    pub inner: Arc<MemoryStore>,
    pub fault: Fault,
    pub trouble: AtomicBool,
    watches: Mutex<HashMap<String, watch::Sender<u64>>>,
}

impl Faulty {
    pub fn new(fault: Fault) -> Self {
        Self::over(&Arc::default(), fault)
    }

    /// A faulty way to a store that others share.
    pub fn over(inner: &Arc<MemoryStore>, fault: Fault) -> Self {
        Self {
            inner: Arc::clone(inner),
            fault,
            trouble: AtomicBool::new(false),
            watches: Mutex::default(),
        }
    }

    fn troubles(&self, fault: Fault) -> bool {
        self.fault == fault && self.trouble.load(Ordering::SeqCst)
    }

    fn scope(&self, scope: &Scope) -> Scope {
        if self.fault == Fault::MixesOwners {
            Scope::new(scope.tenant(), "")
        } else {
            scope.clone()
        }
    }
}

impl Store for Faulty {
    async fn append(
        &self,
        scope: &Scope,
        task: &str,
        expected: u64,
        batch: Vec<Record>,
        index: TaskIndex,
    ) -> Result<u64, StoreError> {
        let scope = self.scope(scope);
        if self.troubles(Fault::IsDown) {
            return Err(StoreError::unavailable("the disk is full"));
        }
        if let Some(watch) = self.watches.lock().unwrap().get(task) {
            watch.send_replace(expected + batch.len() as u64);
        }
        match self
            .inner
            .append(&scope, task, expected, batch.clone(), index.clone())
            .await
        {
            Err(StoreError::Conflict { current }) if self.fault == Fault::ForgetsToCompare => {
                self.inner.append(&scope, task, current, batch, index).await
            }
            other => other,
        }
    }

    async fn read_log(
        &self,
        scope: &Scope,
        task: &str,
        after: u64,
        limit: Limit,
    ) -> Result<LogPage, StoreError> {
        if self.troubles(Fault::ReadsNoLog) {
            return Err(StoreError::unavailable("the disk is full"));
        }
        self.inner
            .read_log(&self.scope(scope), task, after, limit)
            .await
    }

    async fn snapshot(
        &self,
        scope: &Scope,
        task: &str,
        select: Select,
    ) -> Result<Option<Snapshot>, StoreError> {
        let select = if self.fault == Fault::LoadsEverything {
            Select::ALL
        } else {
            select
        };
        self.inner.snapshot(&self.scope(scope), task, select).await
    }

    async fn compact(
        &self,
        scope: &Scope,
        task: &str,
        sequence: u64,
        records: Vec<Record>,
    ) -> Result<bool, StoreError> {
        if self.fault == Fault::KeepsTheOldLog {
            return Ok(true);
        }
        self.inner
            .compact(&self.scope(scope), task, sequence, records)
            .await
    }

    async fn list(&self, scope: &Scope, query: ListQuery) -> Result<ListPage, StoreError> {
        let after = query.after.clone();
        let mut page = self.inner.list(&self.scope(scope), query).await?;
        if self.fault == Fault::CountsThePage {
            page.total = page.tasks.len() as u64;
        }
        if self.fault == Fault::SkipsEqualTimes
            && let Some(after) = after
        {
            page.tasks
                .retain(|listed| listed.snapshot.index.status_timestamp != after.status_timestamp);
        }
        Ok(page)
    }

    async fn watch(&self, scope: &Scope, task: &str) -> Result<Watch, StoreError> {
        if self.fault == Fault::CompactsAtOnce {
            let mut watches = self.watches.lock().unwrap();
            return Ok(Watch::new(
                watches.entry(task.into()).or_default().subscribe(),
            ));
        }
        self.inner.watch(&self.scope(scope), task).await
    }

    async fn acquire_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<Acquired, StoreError> {
        if self.troubles(Fault::LeasesNothing) {
            return Err(StoreError::unavailable("the disk is full"));
        }
        let acquired = self
            .inner
            .acquire_lease(&self.scope(scope), task, holder, ttl)
            .await?;
        if acquired == Acquired::Refused && self.fault == Fault::LeasesToAll {
            return Ok(Acquired::Free);
        }
        Ok(acquired)
    }

    async fn renew_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        if self.troubles(Fault::LosesLeases) {
            return Ok(false);
        }
        self.inner
            .renew_lease(&self.scope(scope), task, holder, ttl)
            .await
    }

    async fn release_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
    ) -> Result<(), StoreError> {
        self.inner
            .release_lease(&self.scope(scope), task, holder)
            .await
    }

    async fn put_push_config(
        &self,
        scope: &Scope,
        task: &str,
        config: PushConfig,
    ) -> Result<(), StoreError> {
        if self.fault == Fault::KeepsNoWebhooks {
            return Err(StoreError::unavailable("the disk is full"));
        }
        self.inner
            .put_push_config(&self.scope(scope), task, config)
            .await
    }

    async fn push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> Result<Option<Bytes>, StoreError> {
        self.inner.push_config(&self.scope(scope), task, id).await
    }

    async fn push_configs(
        &self,
        scope: &Scope,
        task: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<PushConfigPage, StoreError> {
        self.inner
            .push_configs(&self.scope(scope), task, after, limit)
            .await
    }

    async fn delete_push_config(
        &self,
        scope: &Scope,
        task: &str,
        id: &str,
    ) -> Result<bool, StoreError> {
        self.inner
            .delete_push_config(&self.scope(scope), task, id)
            .await
    }

    async fn delete(&self, scope: &Scope, task: &str) -> Result<bool, StoreError> {
        self.inner.delete(&self.scope(scope), task).await
    }

    async fn unsettled(
        &self,
        after: Option<(Scope, Arc<str>)>,
        limit: usize,
    ) -> Result<Vec<Found>, StoreError> {
        self.inner.unsettled(after, limit).await
    }
}
