//! Lists: order, pages, filters, totals, scopes.

use std::sync::Arc;

use super::{Verdict, at, ensure, index, make, one, records, same, scope};
use crate::store::{
    History, Kind, ListPage, ListQuery, Position, Scope, Select, Store, StoreError,
};

fn query() -> ListQuery {
    ListQuery {
        context_id: None,
        state: None,
        since: None,
        after: None,
        limit: 100,
        select: Select::HEAD,
    }
}

fn ids(page: &ListPage) -> Vec<&str> {
    page.tasks.iter().map(|listed| &*listed.task).collect()
}

/// Reads all pages of `query` and returns the ids.
async fn all_pages(
    store: &impl Store,
    scope: &Scope,
    mut query: ListQuery,
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    loop {
        let page = store.list(scope, query.clone()).await?;
        found.extend(page.tasks.iter().map(|listed| listed.task.to_string()));
        let last = page.tasks.last();
        query.after = last.map(|last| Position {
            status_timestamp: last.snapshot.index.status_timestamp,
            task: Arc::clone(&last.task),
        });
        // A store that always promises more would keep a check busy for ever.
        if !page.more || found.len() > 10_000 {
            return Ok(found);
        }
    }
}

pub(super) async fn newest_status_comes_first(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let empty = store.list(&scope, query()).await?;
    same(
        "an empty list",
        (empty.tasks.len(), empty.more, empty.total),
        (0, false, 0),
    )?;
    for (task, seconds) in [("b", 20), ("a", 30), ("d", -5), ("c", 10)] {
        make(&*store, &scope, task, index("c", 1, seconds)).await?;
    }
    let page = store.list(&scope, query()).await?;
    same("the order", ids(&page), vec!["a", "b", "c", "d"])?;
    same("total and more", (page.total, page.more), (4, false))
}

pub(super) async fn equal_times_page_without_loss_or_doubles(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let mut expected: Vec<String> = (0..57).map(|number| format!("task-{number:02}")).collect();
    for task in &expected {
        make(&*store, &scope, task, index("c", 1, 7)).await?;
    }
    expected.reverse();
    for limit in [1, 2, 7, 56, 57, 58] {
        let found = all_pages(&*store, &scope, ListQuery { limit, ..query() }).await?;
        same(&format!("pages of {limit}"), found, expected.clone())?;
    }
    let page = store
        .list(
            &scope,
            ListQuery {
                limit: 57,
                ..query()
            },
        )
        .await?;
    same(
        "a page that holds all",
        (page.more, page.total),
        (false, 57),
    )?;
    let page = store
        .list(
            &scope,
            ListQuery {
                limit: 56,
                ..query()
            },
        )
        .await?;
    same(
        "a page that leaves one",
        (page.more, page.total),
        (true, 57),
    )
}

pub(super) async fn a_task_that_moves_is_listed_once_and_first(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    for (task, seconds) in [("a", 1), ("b", 2), ("c", 3)] {
        make(&*store, &scope, task, index("c", 1, seconds)).await?;
    }
    store
        .append(&scope, "a", 1, one("again"), index("c", 2, 4))
        .await?;
    let page = store.list(&scope, query()).await?;
    same(
        "the order after a change",
        (ids(&page), page.total),
        (vec!["a", "c", "b"], 3),
    )?;
    // An append that sets the same time keeps the place.
    store
        .append(&scope, "c", 1, one("again"), index("c", 2, 3))
        .await?;
    let page = store.list(&scope, query()).await?;
    same(
        "the order after a change in place",
        (ids(&page), page.total),
        (vec!["a", "c", "b"], 3),
    )
}

pub(super) async fn every_filter_counts_right(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    for (task, context, state, seconds) in [
        ("a", "x", 1, 10),
        ("b", "x", 2, 20),
        ("c", "y", 2, 30),
        ("d", "y", 3, 40),
        ("e", "x", 2, 50),
    ] {
        make(&*store, &scope, task, index(context, state, seconds)).await?;
    }
    let context = |name: &str| Some(Arc::from(name));
    for (filter, expected) in [
        (query(), "edcba"),
        (
            ListQuery {
                context_id: context("x"),
                ..query()
            },
            "eba",
        ),
        (
            ListQuery {
                context_id: context("z"),
                ..query()
            },
            "",
        ),
        (
            ListQuery {
                state: Some(2),
                ..query()
            },
            "ecb",
        ),
        (
            ListQuery {
                state: Some(99),
                ..query()
            },
            "",
        ),
        // The time itself is let through.
        (
            ListQuery {
                since: Some(at(30)),
                ..query()
            },
            "edc",
        ),
        (
            ListQuery {
                since: Some(at(51)),
                ..query()
            },
            "",
        ),
        (
            ListQuery {
                since: Some(at(20)),
                state: Some(2),
                ..query()
            },
            "ecb",
        ),
        (
            ListQuery {
                since: Some(at(21)),
                state: Some(2),
                context_id: context("x"),
                ..query()
            },
            "e",
        ),
    ] {
        let page = store.list(&scope, filter.clone()).await?;
        same(
            &format!("{filter:?}"),
            ids(&page).concat(),
            expected.to_owned(),
        )?;
        same("its total", page.total, expected.len() as u64)?;
        let first = store
            .list(
                &scope,
                ListQuery {
                    limit: 1,
                    ..filter.clone()
                },
            )
            .await?;
        same(
            "the total before paging",
            first.total,
            expected.len() as u64,
        )?;
        same(
            "its pages of one",
            all_pages(&*store, &scope, ListQuery { limit: 1, ..filter })
                .await?
                .concat(),
            expected.to_owned(),
        )?;
    }
    // A place that the time filter leaves out has nothing behind it.
    let behind = Position {
        status_timestamp: at(20),
        task: Arc::from("b"),
    };
    let query = ListQuery {
        since: Some(at(30)),
        after: Some(behind),
        ..query()
    };
    let page = store.list(&scope, query).await?;
    same(
        "a page behind all that is let through",
        (page.tasks.len(), page.more, page.total),
        (0, false, 3),
    )
}

pub(super) async fn a_page_loads_what_was_asked_for(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let batch = records(&[
        (Kind::Message, "m1"),
        (Kind::Message, "m2"),
        (Kind::Artifact, "a"),
        (Kind::Status, "s"),
    ]);
    store
        .append(&scope, "t", 0, batch, index("c", 1, 1))
        .await?;
    for (select, expected) in [
        (Select::HEAD, 1),
        (
            Select {
                history: History::Last(1),
                artifacts: false,
            },
            2,
        ),
        (
            Select {
                history: History::None,
                artifacts: true,
            },
            2,
        ),
        (Select::ALL, 4),
    ] {
        let page = store.list(&scope, ListQuery { select, ..query() }).await?;
        let loaded = page
            .tasks
            .first()
            .map(|listed| (listed.snapshot.sequence, listed.snapshot.records.len()));
        same(&format!("{select:?}"), loaded, Some((4, expected)))?;
    }
    Ok(())
}

pub(super) async fn scopes_do_not_see_each_other(store: Arc<impl Store>) -> Verdict {
    let scopes = [
        Scope::new("", ""),
        Scope::new("a", ""),
        Scope::new("", "a"),
        Scope::new("a", "b"),
        Scope::new("ab", ""),
        Scope::new("", "ab"),
    ];
    for scope in &scopes {
        same(
            "a foreign task in a snapshot",
            store.snapshot(scope, "t", Select::ALL).await?,
            None,
        )?;
        same(
            "a foreign task in a log",
            store
                .read_log(
                    scope,
                    "t",
                    0,
                    crate::store::Limit {
                        records: 9,
                        bytes: 999,
                    },
                )
                .await?
                .sequence,
            0,
        )?;
        same(
            "a foreign task in a list",
            store.list(scope, query()).await?.total,
            0,
        )?;
        ensure!(
            matches!(store.watch(scope, "t").await, Err(StoreError::NotFound)),
            "a foreign task can be watched"
        );
        ensure!(
            !store.delete_push_config(scope, "t", "p").await?,
            "a foreign webhook can be forgotten"
        );
        ensure!(
            !store.delete(scope, "t").await?,
            "a foreign task can be forgotten"
        );
        // The same id in another scope is another task.
        make(&*store, scope, "t", index("c", 1, 1)).await?;
    }
    for scope in &scopes {
        same(
            "tasks of a scope",
            store.list(scope, query()).await?.total,
            1,
        )?;
    }
    ensure!(
        store.delete(&scopes[0], "t").await?,
        "a task cannot be forgotten"
    );
    same(
        "tasks of another scope",
        store.list(&scopes[1], query()).await?.total,
        1,
    )
}
