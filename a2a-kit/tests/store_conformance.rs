//! The memory store does what every store must do; stores that do not are found out.

#[path = "support/faulty.rs"]
mod faulty;

use a2a_kit::store::MemoryStore;
use a2a_kit::testing::store::{conformance, failures};
use faulty::{Fault, Faulty};

#[tokio::test]
async fn the_memory_store_passes_every_check() {
    conformance(async || MemoryStore::new()).await;
}

#[tokio::test(start_paused = true)]
async fn the_memory_store_passes_on_a_paused_clock() {
    conformance(async || MemoryStore::new()).await;
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
            Fault::CompactsAtOnce,
            "compaction_waits_for_those_who_watch",
        ),
        (
            Fault::KeepsNoWebhooks,
            "webhooks_are_kept_listed_and_forgotten",
        ),
        (
            Fault::SkipsEqualTimes,
            "equal_times_page_without_loss_or_doubles",
        ),
    ] {
        let failures = failures(async || Faulty::new(fault)).await;
        assert!(
            failures.iter().any(|failure| failure.check == check),
            "{fault:?} was not found: {failures:?}"
        );
    }
}
