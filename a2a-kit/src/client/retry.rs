//! When a call is made again, and how long is waited before.
//!
//! Comes in: why a call failed, and what a second one could do. Goes out: how long to wait for it,
//! or that the error stands. Nothing is sent here.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use super::transport::TransportErrorKind;
use crate::error::{Code, Error};

/// What a call that is made twice could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Safety {
    /// Nothing: it only reads, or does the same as once.
    Safe,
    /// It does something, and the server decides what a second one does.
    Effect,
    /// It may start the same work twice.
    Send,
}

/// Whether and how calls that failed are made again.
///
/// A call is made again when it is certain that it does no harm:
///
/// - any call of which not a byte has left this side, because there was no connection;
/// - a call that only reads, also when the connection broke or the server is unavailable;
/// - any call that the server refused with 429 or 503 and a `Retry-After`; but a message only when
///   it is sent with [`Call::idempotent`](super::Call::idempotent).
///
/// Other interfaces of the agent are tried first, without a wait.
///
/// ```
/// use std::time::Duration;
/// use a2a_kit::client::{Client, Retry};
/// let patient = Client::builder().retry(Retry::default().times(5).longest_wait(Duration::from_secs(60)));
/// let strict = Client::builder().retry(Retry::never());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    times: u32,
    first_wait: Duration,
    longest_wait: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            times: 2,
            first_wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(10),
        }
    }
}

impl Retry {
    /// Each call is made once.
    #[must_use]
    pub fn never() -> Self {
        Self::default().times(0)
    }

    /// How often a call is made again at most: twice by default.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = times;
        self
    }

    /// How long is waited before the first time, 100 milliseconds by default, and twice as long
    /// before each further one.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// How long is waited at most, 10 seconds by default. A server that wants more gets no second
    /// call; the error says what it wants ([`Error::retry_after`]).
    #[must_use]
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// How long to wait before the call is made again for the `done + 1`st time; `None` when the
    /// error stands.
    pub(super) fn wait(&self, safety: Safety, error: &Error, done: u32) -> Option<Duration> {
        if done >= self.times || !may_repeat(safety, error) {
            return None;
        }
        match error.retry_after() {
            Some(wanted) => (wanted <= self.longest_wait).then_some(wanted),
            None => Some(Backoff::new(self.first_wait, self.longest_wait).nth(done)),
        }
    }
}

fn may_repeat(safety: Safety, error: &Error) -> bool {
    if let Some(fault) = error.transport() {
        return match fault.kind() {
            TransportErrorKind::Connect => fault.is_unsent() || safety == Safety::Safe,
            TransportErrorKind::Broken => fault.is_unsent() || safety == Safety::Safe,
            // It has taken its time already, or will fail again.
            TransportErrorKind::Timeout
            | TransportErrorKind::Tls
            | TransportErrorKind::Request
            | TransportErrorKind::Credentials => false,
        };
    }
    match safety {
        Safety::Safe => {
            is_busy(error) || (error.spec().is_none() && error.code() == Code::Unavailable)
        }
        Safety::Effect => is_busy(error),
        Safety::Send => false,
    }
}

/// The server has not looked at the request, and says when it will.
fn is_busy(error: &Error) -> bool {
    let refused = match error.peer_status() {
        Some(status) if !(200..300).contains(&status) => matches!(status, 429 | 503),
        // gRPC, and JSON-RPC, say it in the body.
        _ => matches!(error.code(), Code::Unavailable | Code::ResourceExhausted),
    };
    refused && error.retry_after().is_some()
}

/// Waits that double, each a bit different from what others wait at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Backoff {
    first: Duration,
    most: Duration,
}

impl Backoff {
    pub(super) fn new(first: Duration, most: Duration) -> Self {
        Self { first, most }
    }

    /// The wait after `done` waits: between half and all of `first`, doubled so often.
    pub(super) fn nth(&self, done: u32) -> Duration {
        let full = self
            .first
            .saturating_mul(1_u32.checked_shl(done).unwrap_or(u32::MAX))
            .min(self.most);
        // Keys differ between threads and calls; better dice are not needed.
        let dice = RandomState::new().hash_one(done) % 512;
        full.mul_f64(0.5 + f64::from(u32::try_from(dice).unwrap_or_default()) / 1024.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::transport::TransportError;

    fn transport(kind: TransportErrorKind) -> Error {
        TransportError::new(kind, "x").into()
    }

    fn unsent(kind: TransportErrorKind) -> Error {
        TransportError::new(kind, "x").unsent().into()
    }

    fn http(status: u16, code: Code) -> Error {
        Error::new(code, "x").with_peer_status(status)
    }

    fn busy(error: Error) -> Error {
        error.with_retry_after(Duration::from_secs(1))
    }

    #[test]
    fn calls_are_made_again_only_where_that_is_safe() {
        use TransportErrorKind as T;
        // (what happened, whether it is done again: a read, an effect, a message)
        let cases = [
            ("no connection", unsent(T::Connect), [true, true, true]),
            (
                "a connection that was closed before it was used",
                unsent(T::Broken),
                [true, true, true],
            ),
            (
                "a connection that broke",
                transport(T::Broken),
                [true, false, false],
            ),
            (
                "no connection in time",
                unsent(T::Timeout),
                [false, false, false],
            ),
            (
                "no answer in time",
                transport(T::Timeout),
                [false, false, false],
            ),
            ("a wrong certificate", unsent(T::Tls), [false, false, false]),
            ("no URL", unsent(T::Request), [false, false, false]),
            (
                "429",
                http(429, Code::ResourceExhausted),
                [false, false, false],
            ),
            (
                "429 with Retry-After",
                busy(http(429, Code::ResourceExhausted)),
                [true, true, false],
            ),
            ("503", http(503, Code::Unavailable), [true, false, false]),
            (
                "503 with Retry-After",
                busy(http(503, Code::Unavailable)),
                [true, true, false],
            ),
            (
                "502 with Retry-After",
                busy(http(502, Code::Unavailable)),
                [true, false, false],
            ),
            (
                "gRPC UNAVAILABLE",
                Error::new(Code::Unavailable, "x"),
                [true, false, false],
            ),
            (
                "gRPC UNAVAILABLE, told when",
                busy(Error::new(Code::Unavailable, "x")),
                [true, true, false],
            ),
            (
                "500 with Retry-After",
                busy(http(500, Code::Internal)),
                [false, false, false],
            ),
            (
                "401",
                http(401, Code::Unauthenticated),
                [false, false, false],
            ),
            (
                "no such task",
                Error::task_not_found("x"),
                [false, false, false],
            ),
            (
                "no such task, told when",
                busy(Error::task_not_found("x")),
                [false, false, false],
            ),
        ];
        for (name, error, expected) in cases {
            for (safety, expected) in [Safety::Safe, Safety::Effect, Safety::Send]
                .into_iter()
                .zip(expected)
            {
                let waits = Retry::default().wait(safety, &error, 0).is_some();
                assert_eq!(waits, expected, "{name}, {safety:?}");
                assert!(
                    Retry::never().wait(safety, &error, 0).is_none(),
                    "{name}, {safety:?}"
                );
                assert!(
                    Retry::default().wait(safety, &error, 2).is_none(),
                    "{name}, {safety:?}"
                );
            }
        }
    }

    #[test]
    fn servers_say_how_long_but_not_too_long() {
        let error =
            |seconds| http(503, Code::Unavailable).with_retry_after(Duration::from_secs(seconds));
        let retry = Retry::default().longest_wait(Duration::from_secs(5));
        assert_eq!(
            retry.wait(Safety::Safe, &error(5), 0),
            Some(Duration::from_secs(5))
        );
        assert_eq!(retry.wait(Safety::Safe, &error(6), 0), None);
        assert_eq!(retry.wait(Safety::Safe, &error(0), 0), Some(Duration::ZERO));
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
        for (done, full) in [
            (0, 100),
            (1, 200),
            (2, 400),
            (3, 800),
            (4, 1000),
            (31, 1000),
            (32, 1000),
            (u32::MAX, 1000),
        ] {
            let full = Duration::from_millis(full);
            let wait = backoff.nth(done);
            assert!(wait >= full / 2 && wait <= full, "{done}: {wait:?}");
        }
    }
}
