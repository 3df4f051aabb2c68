//! What every store must do, as checks that run on any of them.
//!
//! Comes in: a function that opens a fresh, empty store. Goes out: the checks that it failed.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! a2a_kit::testing::store::conformance(async || a2a_kit::store::MemoryStore::new()).await;
//! # })
//! ```

mod compaction;
mod lists;
mod logs;
mod others;

use std::fmt;
use std::sync::Arc;

use a2a_wire::types::Timestamp;

use crate::store::{Kind, Record, Scope, Store, StoreError, TaskIndex};

/// A check that a store failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Name of the check.
    pub check: &'static str,
    /// What the store did, and what it should have done.
    pub reason: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.reason)
    }
}

/// Runs all checks, each on a store of its own.
///
/// # Panics
/// When the store fails any of them; the message lists all that failed.
pub async fn conformance<S: Store>(open: impl AsyncFn() -> S) {
    let failures = failures(open).await;
    let list: Vec<String> = failures
        .iter()
        .map(|failure| format!("\n  {failure}"))
        .collect();
    assert!(
        failures.is_empty(),
        "the store failed {} checks:{}",
        failures.len(),
        list.concat()
    );
}

/// Runs all checks, each on a store of its own, and returns those that failed.
pub async fn failures<S: Store>(open: impl AsyncFn() -> S) -> Vec<Failure> {
    let mut failures = Vec::new();
    macro_rules! run {
        ($($room:ident::$check:ident),* $(,)?) => {$(
            let store = Arc::new(open().await);
            if let Err(Unmet(reason)) = $room::$check(store).await {
                failures.push(Failure { check: stringify!($check), reason });
            }
        )*};
    }
    run!(
        logs::an_append_at_the_wrong_sequence_changes_nothing,
        logs::of_many_writers_at_one_sequence_one_wins,
        logs::the_log_is_read_in_order_and_without_gaps,
        logs::a_page_of_the_log_is_limited_in_records_and_bytes,
        logs::a_snapshot_has_the_newest_status_and_what_was_asked_for,
        logs::limited_history_counts_from_the_newest_and_leaves_out_the_status,
        logs::big_records_come_back_as_they_were,
        logs::what_was_read_stays_as_it_was_read,
        compaction::compaction_keeps_the_sequence_and_answers_snapshots,
        compaction::compaction_waits_for_those_who_watch,
        compaction::compaction_at_the_wrong_sequence_changes_nothing,
        compaction::the_log_goes_on_behind_a_compaction,
        lists::newest_status_comes_first,
        lists::equal_times_page_without_loss_or_doubles,
        lists::a_task_that_moves_is_listed_once_and_first,
        lists::every_filter_counts_right,
        lists::a_page_loads_what_was_asked_for,
        lists::scopes_do_not_see_each_other,
        others::a_watch_tells_of_every_append,
        others::a_watch_ends_with_its_task,
        others::a_lease_has_one_holder,
        others::a_lease_that_ran_out_can_be_taken,
        others::webhooks_are_kept_listed_and_forgotten,
        others::a_deleted_task_is_gone,
        others::unsettled_tasks_are_found_in_all_scopes,
    );
    failures
}

/// What a check found.
type Verdict = Result<(), Unmet>;

struct Unmet(String);

impl From<StoreError> for Unmet {
    fn from(error: StoreError) -> Self {
        Self(format!("an operation that should work failed: {error}"))
    }
}

macro_rules! ensure {
    ($condition:expr, $($reason:tt)+) => {
        if !$condition {
            return Err($crate::testing::store::Unmet(format!($($reason)+)));
        }
    };
}
use ensure;

/// Fails when two values differ.
#[allow(
    clippy::needless_pass_by_value,
    reason = "checks read better with plain values"
)]
fn same<T: PartialEq + fmt::Debug>(what: &str, got: T, expected: T) -> Verdict {
    ensure!(
        got == expected,
        "{what}: expected {expected:?}, got {got:?}"
    );
    Ok(())
}

fn scope() -> Scope {
    Scope::new("tenant", "owner")
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::new(seconds, 0)
}

fn index(context: &str, state: i32, seconds: i64) -> TaskIndex {
    TaskIndex::new(context, state, at(seconds))
}

/// Records whose data name them.
fn records(list: &[(Kind, &'static str)]) -> Vec<Record> {
    list.iter()
        .map(|(kind, data)| Record::new(*kind, *data))
        .collect()
}

fn one(data: &'static str) -> Vec<Record> {
    records(&[(Kind::Status, data)])
}

/// Makes a task of one status record.
async fn make(store: &impl Store, scope: &Scope, task: &str, index: TaskIndex) -> Verdict {
    same(
        "the sequence of a new task",
        store.append(scope, task, 0, one("made"), index).await?,
        1,
    )
}
