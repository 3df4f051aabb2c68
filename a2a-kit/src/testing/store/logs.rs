//! Logs and snapshots.

use std::sync::Arc;

use bytes::Bytes;

use super::{Verdict, ensure, index, make, one, records, same, scope};
use crate::store::{History, Kind, Limit, LogRecord, Record, Select, Store, StoreError};

pub(super) const EVERYTHING: Limit = Limit {
    records: 1000,
    bytes: usize::MAX,
};

pub(super) fn data(records: &[LogRecord]) -> Vec<&str> {
    records
        .iter()
        .map(|record| std::str::from_utf8(&record.data).unwrap_or("not the data that was written"))
        .collect()
}

pub(super) fn conflict_at<T>(result: &Result<T, StoreError>) -> Option<u64> {
    match result {
        Err(StoreError::Conflict { current }) => Some(*current),
        _ => None,
    }
}

pub(super) async fn an_append_at_the_wrong_sequence_changes_nothing(
    store: Arc<impl Store>,
) -> Verdict {
    let scope = scope();
    let early = store
        .append(&scope, "t", 1, one("x"), index("c", 1, 1))
        .await;
    same(
        "a conflict on a task that does not exist",
        conflict_at(&early),
        Some(0),
    )?;
    ensure!(
        store.snapshot(&scope, "t", Select::ALL).await?.is_none(),
        "a refused append made the task"
    );
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    for expected in [0, 2, u64::from(u32::MAX)] {
        let refused = store
            .append(&scope, "t", expected, one("x"), index("c", 3, 9))
            .await;
        same("a conflict", conflict_at(&refused), Some(1))?;
    }
    let snapshot = store.snapshot(&scope, "t", Select::ALL).await?;
    let snapshot =
        snapshot.map(|snapshot| (snapshot.sequence, snapshot.index, snapshot.records.len()));
    same(
        "the task after refused appends",
        snapshot,
        Some((1, index("c", 1, 1), 1)),
    )
}

pub(super) async fn of_many_writers_at_one_sequence_one_wins(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    make(&*store, &scope, "t", index("c", 1, 1)).await?;
    for sequence in 1..=20 {
        let writers = (0..8).map(|_| {
            let (store, scope) = (Arc::clone(&store), scope.clone());
            tokio::spawn(async move {
                store
                    .append(&scope, "t", sequence, one("x"), index("c", 2, 1))
                    .await
            })
        });
        let mut won = 0;
        for writer in writers.collect::<Vec<_>>() {
            match writer.await {
                Ok(Ok(reached)) => {
                    won += 1;
                    same("the sequence of the winner", reached, sequence + 1)?;
                }
                Ok(Err(StoreError::Conflict { .. })) => {}
                other => ensure!(false, "a writer that loses gets a conflict, not {other:?}"),
            }
        }
        same("writers that won at one sequence", won, 1)?;
    }
    let log = store.read_log(&scope, "t", 0, EVERYTHING).await?;
    same("records in the log", log.records.len(), 21)
}

pub(super) async fn the_log_is_read_in_order_and_without_gaps(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let unknown = store.read_log(&scope, "t", 0, EVERYTHING).await?;
    same(
        "the log of an unknown task",
        (unknown.records.len(), unknown.sequence),
        (0, 0),
    )?;
    let batch = records(&[(Kind::Message, "a"), (Kind::Status, "b")]);
    store
        .append(&scope, "t", 0, batch, index("c", 1, 1))
        .await?;
    let batch = records(&[
        (Kind::Artifact, "c"),
        (Kind::Artifact, "d"),
        (Kind::Said, "e"),
    ]);
    same(
        "the sequence behind the second batch",
        store
            .append(&scope, "t", 2, batch, index("c", 2, 2))
            .await?,
        5,
    )?;
    let all = ["a", "b", "c", "d", "e"];
    for after in 0..=5 {
        let page = store
            .read_log(&scope, "t", after as u64, EVERYTHING)
            .await?;
        same(
            "data behind a place",
            data(&page.records),
            all[after..].to_vec(),
        )?;
        let numbers: Vec<u64> = page.records.iter().map(|record| record.sequence).collect();
        same("their numbers", numbers, (after as u64 + 1..=5).collect())?;
        same("base and sequence", (page.base, page.sequence), (0, 5))?;
    }
    let kinds: Vec<Kind> = store
        .read_log(&scope, "t", 0, EVERYTHING)
        .await?
        .records
        .iter()
        .map(|record| record.kind)
        .collect();
    same(
        "kinds",
        kinds,
        vec![
            Kind::Message,
            Kind::Status,
            Kind::Artifact,
            Kind::Artifact,
            Kind::Said,
        ],
    )
}

pub(super) async fn a_page_of_the_log_is_limited_in_records_and_bytes(
    store: Arc<impl Store>,
) -> Verdict {
    let scope = scope();
    let batch = (0..10)
        .map(|_| Record::new(Kind::Artifact, vec![7; 100]))
        .collect();
    store
        .append(&scope, "t", 0, batch, index("c", 1, 1))
        .await?;
    for (limit, expected) in [
        (
            Limit {
                records: 3,
                bytes: usize::MAX,
            },
            3,
        ),
        (
            Limit {
                records: 100,
                bytes: 250,
            },
            2,
        ),
        (
            Limit {
                records: 100,
                bytes: 300,
            },
            3,
        ),
        (
            Limit {
                records: 100,
                bytes: 1,
            },
            1,
        ),
    ] {
        let page = store.read_log(&scope, "t", 4, limit).await?;
        same(
            &format!("records of a page of {limit:?}"),
            page.records.len(),
            expected,
        )?;
        same(
            "the first of them",
            page.records.first().map(|record| record.sequence),
            Some(5),
        )?;
    }
    Ok(())
}

pub(super) async fn a_snapshot_has_the_newest_status_and_what_was_asked_for(
    store: Arc<impl Store>,
) -> Verdict {
    let scope = scope();
    let batch = records(&[
        (Kind::Message, "question"),
        (Kind::Status, "submitted"),
        (Kind::Said, "asking"),
        (Kind::Artifact, "report"),
        (Kind::Status, "done"),
        (Kind::Artifact, "appendix"),
        (Kind::Mark, "for the engine"),
    ]);
    store
        .append(&scope, "t", 0, batch, index("c", 3, 8))
        .await?;
    let select = |history, artifacts| Select { history, artifacts };
    for (select, expected) in [
        (Select::HEAD, vec!["done"]),
        (
            select(History::None, true),
            vec!["report", "done", "appendix"],
        ),
        (
            select(History::All, false),
            vec!["question", "asking", "done"],
        ),
        (
            Select::ALL,
            vec!["question", "asking", "report", "done", "appendix"],
        ),
    ] {
        let Some(snapshot) = store.snapshot(&scope, "t", select).await? else {
            ensure!(false, "a task that was written is not found");
            continue;
        };
        same(&format!("{select:?}"), data(&snapshot.records), expected)?;
        same(
            "sequence and columns",
            (snapshot.sequence, snapshot.index),
            (7, index("c", 3, 8)),
        )?;
    }
    Ok(())
}

pub(super) async fn limited_history_counts_from_the_newest_and_leaves_out_the_status(
    store: Arc<impl Store>,
) -> Verdict {
    let scope = scope();
    let batch = records(&[
        (Kind::Message, "1"),
        (Kind::Said, "2"),
        (Kind::Message, "3"),
        (Kind::Said, "4"),
        (Kind::Message, "5"),
        (Kind::Said, "now"),
    ]);
    store
        .append(&scope, "t", 0, batch, index("c", 6, 1))
        .await?;
    for (history, expected) in [
        (History::Last(0), vec!["now"]),
        (History::Last(1), vec!["5", "now"]),
        (History::Last(2), vec!["4", "5", "now"]),
        (History::Last(5), vec!["1", "2", "3", "4", "5", "now"]),
        (
            History::Last(u32::MAX),
            vec!["1", "2", "3", "4", "5", "now"],
        ),
    ] {
        let snapshot = store
            .snapshot(
                &scope,
                "t",
                Select {
                    history,
                    artifacts: false,
                },
            )
            .await?;
        same(
            &format!("{history:?}"),
            snapshot.as_ref().map(|snapshot| data(&snapshot.records)),
            Some(expected),
        )?;
    }
    // A message may come behind the status, which is then not the newest record.
    store
        .append(
            &scope,
            "t",
            6,
            records(&[(Kind::Message, "6")]),
            index("c", 6, 1),
        )
        .await?;
    let snapshot = store
        .snapshot(
            &scope,
            "t",
            Select {
                history: History::Last(2),
                artifacts: false,
            },
        )
        .await?;
    same(
        "history around the status",
        snapshot.as_ref().map(|snapshot| data(&snapshot.records)),
        Some(vec!["5", "now", "6"]),
    )
}

pub(super) async fn big_records_come_back_as_they_were(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    let big: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let batch = vec![
        Record::new(Kind::Status, Bytes::new()),
        Record::new(Kind::Artifact, big.clone()),
    ];
    store
        .append(&scope, "t", 0, batch, index("c", 1, 1))
        .await?;
    let snapshot = store.snapshot(&scope, "t", Select::ALL).await?;
    let records = snapshot
        .map(|snapshot| snapshot.records)
        .unwrap_or_default();
    ensure!(
        records.len() == 2 && records[0].data.is_empty(),
        "an empty record came back as something else"
    );
    ensure!(records[1].data == big, "4 MB came back as something else");
    Ok(())
}

pub(super) async fn what_was_read_stays_as_it_was_read(store: Arc<impl Store>) -> Verdict {
    let scope = scope();
    store
        .append(&scope, "t", 0, one("before"), index("c", 1, 1))
        .await?;
    let read = store.snapshot(&scope, "t", Select::ALL).await?;
    store
        .append(&scope, "t", 1, one("after"), index("c", 2, 2))
        .await?;
    store.compact(&scope, "t", 2, one("after")).await?;
    let read = read.map(|snapshot| (snapshot.sequence, snapshot.index.state, snapshot.records));
    let expected = LogRecord {
        sequence: 1,
        kind: Kind::Status,
        data: Bytes::from_static(b"before"),
    };
    same("what had been read", read, Some((1, 1, vec![expected])))
}
