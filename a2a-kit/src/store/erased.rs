//! The store behind a pointer, so that the engine is compiled once for all stores.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::Store;
use super::types::{
    Acquired, Found, Limit, ListPage, ListQuery, LogPage, PushConfig, PushConfigPage, Record,
    Scope, Select, Snapshot, StoreError, TaskIndex, Watch,
};
use crate::service::BoxFuture;

type Answer<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// [`Store`] with boxed futures.
#[rustfmt::skip]
pub(crate) trait DynStore: Send + Sync + 'static {
    fn append<'a>(&'a self, scope: &'a Scope, task: &'a str, expected_sequence: u64, batch: Vec<Record>, index: TaskIndex) -> Answer<'a, u64>;
    fn read_log<'a>(&'a self, scope: &'a Scope, task: &'a str, after: u64, limit: Limit) -> Answer<'a, LogPage>;
    fn snapshot<'a>(&'a self, scope: &'a Scope, task: &'a str, select: Select) -> Answer<'a, Option<Snapshot>>;
    fn compact<'a>(&'a self, scope: &'a Scope, task: &'a str, sequence: u64, records: Vec<Record>) -> Answer<'a, bool>;
    fn list<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, ListPage>;
    fn watch<'a>(&'a self, scope: &'a Scope, task: &'a str) -> Answer<'a, Watch>;
    fn acquire_lease<'a>(&'a self, scope: &'a Scope, task: &'a str, holder: &'a str, ttl: Duration) -> Answer<'a, Acquired>;
    fn renew_lease<'a>(&'a self, scope: &'a Scope, task: &'a str, holder: &'a str, ttl: Duration) -> Answer<'a, bool>;
    fn release_lease<'a>(&'a self, scope: &'a Scope, task: &'a str, holder: &'a str) -> Answer<'a, ()>;
    fn put_push_config<'a>(&'a self, scope: &'a Scope, task: &'a str, config: PushConfig) -> Answer<'a, ()>;
    fn push_config<'a>(&'a self, scope: &'a Scope, task: &'a str, id: &'a str) -> Answer<'a, Option<Bytes>>;
    fn push_configs<'a>(&'a self, scope: &'a Scope, task: &'a str, after: Option<&'a str>, limit: usize) -> Answer<'a, PushConfigPage>;
    fn delete_push_config<'a>(&'a self, scope: &'a Scope, task: &'a str, id: &'a str) -> Answer<'a, bool>;
    fn unsettled(&self, after: Option<(Scope, Arc<str>)>, limit: usize) -> Answer<'_, Vec<Found>>;
}

#[rustfmt::skip]
impl<S: Store> DynStore for S {
    fn append<'a>(&'a self, scope: &'a Scope, task: &'a str, expected_sequence: u64, batch: Vec<Record>, index: TaskIndex) -> Answer<'a, u64> {
        Box::pin(Store::append(self, scope, task, expected_sequence, batch, index))
    }

    fn read_log<'a>(&'a self, scope: &'a Scope, task: &'a str, after: u64, limit: Limit) -> Answer<'a, LogPage> {
        Box::pin(Store::read_log(self, scope, task, after, limit))
    }

    fn snapshot<'a>(&'a self, scope: &'a Scope, task: &'a str, select: Select) -> Answer<'a, Option<Snapshot>> {
        Box::pin(Store::snapshot(self, scope, task, select))
    }

    fn compact<'a>(&'a self, scope: &'a Scope, task: &'a str, sequence: u64, records: Vec<Record>) -> Answer<'a, bool> {
        Box::pin(Store::compact(self, scope, task, sequence, records))
    }

    fn list<'a>(&'a self, scope: &'a Scope, query: ListQuery) -> Answer<'a, ListPage> {
        Box::pin(Store::list(self, scope, query))
    }

    fn watch<'a>(&'a self, scope: &'a Scope, task: &'a str) -> Answer<'a, Watch> {
        Box::pin(Store::watch(self, scope, task))
    }

    fn acquire_lease<'a>(&'a self, scope: &'a Scope, task: &'a str, holder: &'a str, ttl: Duration) -> Answer<'a, Acquired> {
        Box::pin(Store::acquire_lease(self, scope, task, holder, ttl))
    }

    fn renew_lease<'a>(&'a self, scope: &'a Scope, task: &'a str, holder: &'a str, ttl: Duration) -> Answer<'a, bool> {
        Box::pin(Store::renew_lease(self, scope, task, holder, ttl))
    }

    fn release_lease<'a>(&'a self, scope: &'a Scope, task: &'a str, holder: &'a str) -> Answer<'a, ()> {
        Box::pin(Store::release_lease(self, scope, task, holder))
    }

    fn put_push_config<'a>(&'a self, scope: &'a Scope, task: &'a str, config: PushConfig) -> Answer<'a, ()> {
        Box::pin(Store::put_push_config(self, scope, task, config))
    }

    fn push_config<'a>(&'a self, scope: &'a Scope, task: &'a str, id: &'a str) -> Answer<'a, Option<Bytes>> {
        Box::pin(Store::push_config(self, scope, task, id))
    }

    fn push_configs<'a>(&'a self, scope: &'a Scope, task: &'a str, after: Option<&'a str>, limit: usize) -> Answer<'a, PushConfigPage> {
        Box::pin(Store::push_configs(self, scope, task, after, limit))
    }

    fn delete_push_config<'a>(&'a self, scope: &'a Scope, task: &'a str, id: &'a str) -> Answer<'a, bool> {
        Box::pin(Store::delete_push_config(self, scope, task, id))
    }

    fn unsettled(&self, after: Option<(Scope, Arc<str>)>, limit: usize) -> Answer<'_, Vec<Found>> {
        Box::pin(Store::unsettled(self, after, limit))
    }
}

/// So that a store may be shared: with a second engine, or with a test.
#[rustfmt::skip]
impl<S: Store> Store for Arc<S> {
    async fn append(&self, scope: &Scope, task: &str, expected_sequence: u64, batch: Vec<Record>, index: TaskIndex) -> Result<u64, StoreError> {
        Store::append(&**self, scope, task, expected_sequence, batch, index).await
    }

    async fn read_log(&self, scope: &Scope, task: &str, after: u64, limit: Limit) -> Result<LogPage, StoreError> {
        Store::read_log(&**self, scope, task, after, limit).await
    }

    async fn snapshot(&self, scope: &Scope, task: &str, select: Select) -> Result<Option<Snapshot>, StoreError> {
        Store::snapshot(&**self, scope, task, select).await
    }

    async fn compact(&self, scope: &Scope, task: &str, sequence: u64, records: Vec<Record>) -> Result<bool, StoreError> {
        Store::compact(&**self, scope, task, sequence, records).await
    }

    async fn list(&self, scope: &Scope, query: ListQuery) -> Result<ListPage, StoreError> {
        Store::list(&**self, scope, query).await
    }

    async fn watch(&self, scope: &Scope, task: &str) -> Result<Watch, StoreError> {
        Store::watch(&**self, scope, task).await
    }

    async fn acquire_lease(&self, scope: &Scope, task: &str, holder: &str, ttl: Duration) -> Result<Acquired, StoreError> {
        Store::acquire_lease(&**self, scope, task, holder, ttl).await
    }

    async fn renew_lease(&self, scope: &Scope, task: &str, holder: &str, ttl: Duration) -> Result<bool, StoreError> {
        Store::renew_lease(&**self, scope, task, holder, ttl).await
    }

    async fn release_lease(&self, scope: &Scope, task: &str, holder: &str) -> Result<(), StoreError> {
        Store::release_lease(&**self, scope, task, holder).await
    }

    async fn put_push_config(&self, scope: &Scope, task: &str, config: PushConfig) -> Result<(), StoreError> {
        Store::put_push_config(&**self, scope, task, config).await
    }

    async fn push_config(&self, scope: &Scope, task: &str, id: &str) -> Result<Option<Bytes>, StoreError> {
        Store::push_config(&**self, scope, task, id).await
    }

    async fn push_configs(&self, scope: &Scope, task: &str, after: Option<&str>, limit: usize) -> Result<PushConfigPage, StoreError> {
        Store::push_configs(&**self, scope, task, after, limit).await
    }

    async fn delete_push_config(&self, scope: &Scope, task: &str, id: &str) -> Result<bool, StoreError> {
        Store::delete_push_config(&**self, scope, task, id).await
    }

    async fn delete(&self, scope: &Scope, task: &str) -> Result<bool, StoreError> {
        Store::delete(&**self, scope, task).await
    }

    async fn unsettled(&self, after: Option<(Scope, Arc<str>)>, limit: usize) -> Result<Vec<Found>, StoreError> {
        Store::unsettled(&**self, after, limit).await
    }
}
