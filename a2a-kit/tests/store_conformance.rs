//! The memory store does what every store must do; stores that do not are found out.

use std::sync::Arc;
use std::time::Duration;

use a2a_kit::store::{
    Found, Limit, ListPage, ListQuery, LogPage, MemoryStore, PushConfig, PushConfigPage, Record,
    Scope, Select, Snapshot, Store, StoreError, TaskIndex, Watch,
};
use a2a_kit::testing::store::{conformance, failures};
use bytes::Bytes;

#[tokio::test]
async fn the_memory_store_passes_every_check() {
    conformance(async || MemoryStore::new()).await;
}

#[tokio::test(start_paused = true)]
async fn the_memory_store_passes_on_a_paused_clock() {
    conformance(async || MemoryStore::new()).await;
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    ForgetsToCompare,
    MixesOwners,
    LoadsEverything,
    CountsThePage,
    LeasesToAll,
    KeepsTheOldLog,
    SkipsEqualTimes,
}

#[tokio::test(start_paused = true)]
async fn a_store_with_a_fault_fails_the_checks_about_it() {
    for (fault, check) in [
        (
            Fault::ForgetsToCompare,
            "an_append_at_the_wrong_sequence_changes_nothing",
        ),
        (Fault::MixesOwners, "scopes_do_not_see_each_other"),
        (
            Fault::LoadsEverything,
            "a_snapshot_has_the_newest_status_and_what_was_asked_for",
        ),
        (Fault::CountsThePage, "every_filter_counts_right"),
        (Fault::LeasesToAll, "a_lease_has_one_holder"),
        (
            Fault::KeepsTheOldLog,
            "compaction_keeps_the_sequence_and_answers_snapshots",
        ),
        (
            Fault::SkipsEqualTimes,
            "equal_times_page_without_loss_or_doubles",
        ),
    ] {
        let failures = failures(async || Faulty {
            inner: MemoryStore::new(),
            fault,
        })
        .await;
        assert!(
            failures.iter().any(|failure| failure.check == check),
            "{fault:?} was not found: {failures:?}"
        );
    }
}

struct Faulty {
    inner: MemoryStore,
    fault: Fault,
}

impl Faulty {
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
    ) -> Result<(), StoreError> {
        if self.fault == Fault::KeepsTheOldLog {
            return Ok(());
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
        self.inner.watch(&self.scope(scope), task).await
    }

    async fn acquire_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        let held = self
            .inner
            .acquire_lease(&self.scope(scope), task, holder, ttl)
            .await?;
        Ok(held || self.fault == Fault::LeasesToAll)
    }

    async fn renew_lease(
        &self,
        scope: &Scope,
        task: &str,
        holder: &str,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
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
