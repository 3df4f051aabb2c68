//! Compaction: what is left answers as the whole did.

use std::sync::Arc;

use super::logs::{EVERYTHING, conflict_at, data};
use super::{Verdict, index, one, records, same, scope};
use crate::store::{History, Kind, Select, Store};

pub(super) async fn compaction_keeps_the_sequence_and_answers_snapshots(
    store: Arc<impl Store>,
) -> Verdict {
    let scope = scope();
    let batch = records(&[
        (Kind::Message, "m"),
        (Kind::Status, "s"),
        (Kind::Artifact, "a1"),
        (Kind::Artifact, "a2"),
        (Kind::Said, "end"),
    ]);
    store
        .append(&scope, "t", 0, batch, index("c", 3, 5))
        .await?;
    store
        .compact(
            &scope,
            "t",
            5,
            records(&[
                (Kind::Message, "m"),
                (Kind::Artifact, "a"),
                (Kind::Said, "end"),
            ]),
        )
        .await?;
    for (select, expected) in [
        (Select::HEAD, vec!["end"]),
        (
            Select {
                history: History::Last(3),
                artifacts: false,
            },
            vec!["m", "end"],
        ),
        (
            Select {
                history: History::None,
                artifacts: true,
            },
            vec!["a", "end"],
        ),
        (Select::ALL, vec!["m", "a", "end"]),
    ] {
        let snapshot = store.snapshot(&scope, "t", select).await?;
        let snapshot = snapshot.as_ref().map(|snapshot| {
            (
                snapshot.sequence,
                snapshot.index.clone(),
                data(&snapshot.records),
            )
        });
        same(
            "a compacted task",
            snapshot,
            Some((5, index("c", 3, 5), expected)),
        )?;
    }
    for after in 0..5 {
        let page = store.read_log(&scope, "t", after, EVERYTHING).await?;
        same(
            "the log behind a place that is gone",
            (page.records.len(), page.base, page.sequence),
            (0, 5, 5),
        )?;
    }
    let page = store.read_log(&scope, "t", 5, EVERYTHING).await?;
    same(
        "the end of the log",
        (page.records.len(), page.base, page.sequence),
        (0, 5, 5),
    )
}

pub(super) async fn compaction_waits_for_those_who_watch(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let batch = records(&[(Kind::Status, "a"), (Kind::Status, "b")]);
    store
        .append(&scope, "t", 0, batch, index("c", 1, 1))
        .await?;
    let watches = [
        store.watch(&scope, "t").await?,
        store.watch(&scope, "t").await?,
    ];
    for watch in watches {
        let compacted = store.compact(&scope, "t", 2, one("b")).await?;
        same("compaction under a watch", compacted, false)?;
        let log = store.read_log(&scope, "t", 0, EVERYTHING).await?;
        same(
            "the log",
            (data(&log.records), log.base),
            (vec!["a", "b"], 0),
        )?;
        drop(watch);
    }
    let compacted = store.compact(&scope, "t", 2, one("b")).await?;
    same("compaction after the watches", compacted, true)?;
    let log = store.read_log(&scope, "t", 0, EVERYTHING).await?;
    same("the base of the log", log.base, 2)
}

pub(super) async fn compaction_at_the_wrong_sequence_changes_nothing(
    store: Arc<impl Store>,
) -> Verdict {
    let scope = scope();
    let unknown = store.compact(&scope, "t", 1, one("x")).await;
    same(
        "compaction of an unknown task",
        conflict_at(&unknown),
        Some(0),
    )?;
    store
        .append(
            &scope,
            "t",
            0,
            records(&[(Kind::Status, "a"), (Kind::Status, "b")]),
            index("c", 1, 1),
        )
        .await?;
    for wrong in [0, 1, 3] {
        let refused = store.compact(&scope, "t", wrong, one("x")).await;
        same("compaction elsewhere", conflict_at(&refused), Some(2))?;
    }
    let log = store.read_log(&scope, "t", 0, EVERYTHING).await?;
    same("the log", data(&log.records), vec!["a", "b"])
}

pub(super) async fn the_log_goes_on_behind_a_compaction(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    store
        .append(
            &scope,
            "t",
            0,
            records(&[(Kind::Status, "a"), (Kind::Status, "b"), (Kind::Said, "c")]),
            index("c", 1, 1),
        )
        .await?;
    store
        .compact(&scope, "t", 3, records(&[(Kind::Said, "c")]))
        .await?;
    same(
        "the next sequence",
        store
            .append(&scope, "t", 3, one("d"), index("c", 2, 2))
            .await?,
        4,
    )?;
    let page = store.read_log(&scope, "t", 3, EVERYTHING).await?;
    same(
        "behind the compaction",
        (data(&page.records), page.base, page.sequence),
        (vec!["d"], 3, 4),
    )?;
    same(
        "its number",
        page.records.first().map(|record| record.sequence),
        Some(4),
    )?;
    let snapshot = store.snapshot(&scope, "t", Select::ALL).await?;
    same(
        "both sides of it",
        snapshot.as_ref().map(|snapshot| data(&snapshot.records)),
        Some(vec!["c", "d"]),
    )
}
