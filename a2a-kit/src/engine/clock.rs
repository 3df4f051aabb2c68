//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use a2a_wire::types::Timestamp;

/// Tells the time for the status of tasks. Set one with
/// [`EngineBuilder::clock`](super::EngineBuilder::clock) to have the same times in every run of a
/// test. Any function that returns a [`Timestamp`] is one.
pub trait Clock: Send + Sync + 'static {
    /// The time, in UTC.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync + 'static> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// The system's clock, in microseconds: what lies between is noise that makes times longer.
pub(super) fn system() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Timestamp::new(
        seconds,
        i32::try_from(since.subsec_micros() * 1000).unwrap_or_default(),
    )
}
