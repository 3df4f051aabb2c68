//! Watches, leases, webhooks, deletion, and what is found at a start.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::{Verdict, ensure, index, make, one, same, scope};
use crate::context::ProtocolVersion;
use crate::store::{Acquired, PushConfig, Scope, Select, Store, StoreError};

const LONG: Duration = Duration::from_secs(3600);
/// How long a check waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn a_watch_tells_of_every_append(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    ensure!(
        matches!(store.watch(&scope, "t").await, Err(StoreError::NotFound)),
        "a task that does not exist can be watched"
    );
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    let mut watches = [
        store.watch(&scope, "t").await?,
        store.watch(&scope, "t").await?,
    ];
    for sequence in 1..20 {
        store
            .append(&scope, "t", sequence, one("x"), index("c", 1, 1))
            .await?;
        for watch in &mut watches {
            // Told before or after it waits: an append between reading and waiting is not missed.
            let told = tokio::time::timeout(PATIENCE, watch.changed()).await;
            same(
                "a watch after an append",
                told.ok(),
                Some(Some(sequence + 1)),
            )?;
        }
    }
    store
        .append(&scope, "t", 20, one("x"), index("c", 1, 1))
        .await?;
    let other = tokio::time::timeout(PATIENCE, watches[1].changed()).await;
    same("a watch after another was told", other.ok(), Some(Some(21)))
}

pub(super) async fn a_watch_ends_with_its_task(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    let mut watch = store.watch(&scope, "t").await?;
    store.delete(&scope, "t").await?;
    let told = tokio::time::timeout(PATIENCE, watch.changed()).await;
    same(
        "a watch after its task was forgotten",
        told.ok(),
        Some(None),
    )
}

pub(super) async fn a_lease_has_one_holder(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let unknown = store.acquire_lease(&scope, "t", "a", LONG).await;
    ensure!(
        matches!(unknown, Err(StoreError::NotFound)),
        "a lease on a task that does not exist: {unknown:?}"
    );
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    same(
        "renewing what nobody holds",
        store.renew_lease(&scope, "t", "a", LONG).await?,
        false,
    )?;
    same(
        "taking a free lease",
        store.acquire_lease(&scope, "t", "a", LONG).await?,
        Acquired::Free,
    )?;
    same(
        "taking it again",
        store.acquire_lease(&scope, "t", "a", LONG).await?,
        Acquired::Abandoned,
    )?;
    same(
        "taking it from its holder",
        store.acquire_lease(&scope, "t", "b", LONG).await?,
        Acquired::Refused,
    )?;
    same(
        "renewing it",
        store.renew_lease(&scope, "t", "a", LONG).await?,
        true,
    )?;
    same(
        "renewing another's",
        store.renew_lease(&scope, "t", "b", LONG).await?,
        false,
    )?;
    store.release_lease(&scope, "t", "b").await?;
    same(
        "taking it after another released it",
        store.acquire_lease(&scope, "t", "b", LONG).await?,
        Acquired::Refused,
    )?;
    store.release_lease(&scope, "t", "a").await?;
    same(
        "renewing after release",
        store.renew_lease(&scope, "t", "a", LONG).await?,
        false,
    )?;
    same(
        "taking it after release",
        store.acquire_lease(&scope, "t", "b", LONG).await?,
        Acquired::Free,
    )
}

pub(super) async fn a_lease_that_ran_out_can_be_taken(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    store
        .acquire_lease(&scope, "t", "a", Duration::from_millis(20))
        .await?;
    // Time itself is what is checked here.
    tokio::time::sleep(Duration::from_millis(60)).await;
    same(
        "renewing what ran out",
        store.renew_lease(&scope, "t", "a", LONG).await?,
        false,
    )?;
    same(
        "taking what ran out",
        store.acquire_lease(&scope, "t", "b", LONG).await?,
        Acquired::Abandoned,
    )?;
    same(
        "taking it back",
        store.acquire_lease(&scope, "t", "a", LONG).await?,
        Acquired::Refused,
    )
}

pub(super) async fn webhooks_are_kept_listed_and_forgotten(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let config = |id: &str, data: &'static str| PushConfig {
        id: Arc::from(id),
        // Each has one of its own, and is listed with it.
        version: if id == "b" {
            ProtocolVersion::V0_3
        } else {
            ProtocolVersion::V1_0
        },
        data: Bytes::from_static(data.as_bytes()),
    };
    let unknown = store.put_push_config(&scope, "t", config("a", "1")).await;
    ensure!(
        matches!(unknown, Err(StoreError::NotFound)),
        "a webhook of a task that does not exist: {unknown:?}"
    );
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    make(&*store, &scope, "other", index("c", 1, 1)).await?;
    for (id, data) in [("c", "3"), ("a", "1"), ("b", "2"), ("a", "one")] {
        store.put_push_config(&scope, "t", config(id, data)).await?;
    }
    same(
        "one that was put twice",
        store.push_config(&scope, "t", "a").await?,
        Some(Bytes::from_static(b"one")),
    )?;
    same(
        "one that is not there",
        store.push_config(&scope, "t", "d").await?,
        None,
    )?;
    same(
        "one of another task",
        store.push_config(&scope, "other", "a").await?,
        None,
    )?;
    let all = [config("a", "one"), config("b", "2"), config("c", "3")];
    for (after, limit, expected, more) in [
        (None, 9, &all[..], false),
        (None, 3, &all[..], false),
        (None, 2, &all[..2], true),
        (Some("a"), 1, &all[1..2], true),
        (Some("bb"), 9, &all[2..], false),
        (Some("c"), 9, &all[3..], false),
    ] {
        let page = store.push_configs(&scope, "t", after, limit).await?;
        same(
            &format!("{limit} behind {after:?}"),
            (&page.configs[..], page.more),
            (expected, more),
        )?;
    }
    same(
        "forgetting one",
        store.delete_push_config(&scope, "t", "b").await?,
        true,
    )?;
    same(
        "forgetting it again",
        store.delete_push_config(&scope, "t", "b").await?,
        false,
    )?;
    same(
        "those that are left",
        store
            .push_configs(&scope, "t", None, 9)
            .await?
            .configs
            .len(),
        2,
    )?;
    same(
        "an append leaves them",
        store
            .append(&scope, "t", 1, one("x"), index("c", 1, 1))
            .await?,
        2,
    )?;
    store.compact(&scope, "t", 2, one("x")).await?;
    same(
        "those that are left",
        store
            .push_configs(&scope, "t", None, 9)
            .await?
            .configs
            .len(),
        2,
    )
}

pub(super) async fn a_deleted_task_is_gone(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    same(
        "forgetting what is not there",
        store.delete(&scope, "t").await?,
        false,
    )?;
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    let config = PushConfig {
        id: Arc::from("a"),
        version: ProtocolVersion::V1_0,
        data: Bytes::from_static(b"1"),
    };
    store.put_push_config(&scope, "t", config).await?;
    store.acquire_lease(&scope, "t", "a", LONG).await?;
    same("forgetting a task", store.delete(&scope, "t").await?, true)?;
    same(
        "reading it",
        store.snapshot(&scope, "t", Select::ALL).await?,
        None,
    )?;
    same(
        "its webhooks",
        store
            .push_configs(&scope, "t", None, 9)
            .await?
            .configs
            .len(),
        0,
    )?;
    // The id may be used anew, and nothing of the old task comes back.
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    same(
        "its webhooks",
        store
            .push_configs(&scope, "t", None, 9)
            .await?
            .configs
            .len(),
        0,
    )?;
    same(
        "its lease",
        store.acquire_lease(&scope, "t", "b", LONG).await?,
        Acquired::Free,
    )
}

pub(super) async fn unsettled_tasks_are_found_in_all_scopes(store: Arc<impl Store>) -> Verdict {
    let (one_scope, two_scope) = (Scope::new("a", "x"), Scope::new("b", ""));
    for (scope, task) in [
        (&one_scope, "t1"),
        (&one_scope, "t2"),
        (&two_scope, "t1"),
        (&two_scope, "t3"),
    ] {
        make(&*store, scope, task, index("c", 1, 1)).await?;
    }
    store.compact(&one_scope, "t2", 1, one("x")).await?;
    store.compact(&two_scope, "t3", 1, one("x")).await?;
    store
        .append(&two_scope, "t3", 1, one("y"), index("d", 2, 2))
        .await?;
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..10 {
        let page = store.unsettled(after.clone(), 1).await?;
        let Some(last) = page.last() else { break };
        ensure!(page.len() == 1, "a page of one has {} tasks", page.len());
        after = Some((last.scope.clone(), Arc::clone(&last.task)));
        found.extend(
            page.into_iter()
                .map(|found| (found.scope, found.task.to_string(), found.index)),
        );
    }
    let expected = vec![
        (one_scope, "t1".to_owned(), index("c", 1, 1)),
        (two_scope.clone(), "t1".to_owned(), index("c", 1, 1)),
        (two_scope, "t3".to_owned(), index("d", 2, 2)),
    ];
    same("unsettled tasks", found, expected)
}
