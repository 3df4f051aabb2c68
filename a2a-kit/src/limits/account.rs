//! What one caller, one address or one tenant has used of a quota.
//!
//! Comes in: calls, streams and tasks, one by one. Goes out: a [`Slot`] as long as one of them lasts,
//! or the error that says which limit is reached. The first refusal in a while is told to the log,
//! with how many there were before it: a flood of calls must be no flood of lines.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use governor::RateLimiter;
use governor::clock::Clock;
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed};
use tokio::time::Instant;

use super::Quota;
use crate::error::{Code, Error};

/// JSON-RPC's code for it: the specification has none, so it is one of those that are left to
/// servers. The HTTP status says what it is.
const JSON_RPC_CODE: i32 = -32000;
/// When to try again where nobody can know when something ends.
const AGAIN: Duration = Duration::from_secs(1);
/// How long the log hears nothing more of the same account.
const QUIET: Duration = Duration::from_secs(10);
/// How long it may take until all of a burst is there again: two centuries, so that sums of times fit
/// into 64 bits of nanoseconds.
const LONGEST: Duration = Duration::from_secs(200 * 365 * 24 * 60 * 60);

/// A clock, by the time since it was started: tests stop it with the runtime's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticks(Instant);

impl Ticks {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(self) -> u64 {
        nanos(self.0.elapsed())
    }
}

impl Clock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(Ticks::now(*self))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Who {
    Caller(Arc<str>),
    /// `None` when the address is not known, or there are too many of them.
    Address(Option<IpAddr>),
    /// `None` when there are too many of them.
    Tenant(Option<Arc<str>>),
}

impl Who {
    /// Those of the same kind for whom there is no account of their own.
    pub(super) fn others(&self) -> Self {
        match self {
            Self::Caller(_) => self.clone(),
            Self::Address(_) => Self::Address(None),
            Self::Tenant(_) => Self::Tenant(None),
        }
    }
}

impl fmt::Display for Who {
    /// As errors have it, who does not tell one caller of another.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Caller(_) => "one caller",
            Self::Address(Some(_)) => "callers without valid credentials from one address",
            Self::Address(None) => "callers without valid credentials",
            Self::Tenant(_) => "all callers of this tenant together",
        })
    }
}

/// What may be open or running for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    Stream,
    Task,
}

/// How calls are let in.
enum Rate {
    Free,
    Never,
    Calls(RateLimiter<NotKeyed, InMemoryState, Ticks>),
}

/// What has been used.
pub(super) struct Account {
    who: Who,
    quota: Quota,
    ticks: Ticks,
    rate: Rate,
    /// How long after the last call it is as good as new.
    refills_in: u64,
    last_call: AtomicU64,
    streams: AtomicU32,
    tasks: AtomicU32,
    quiet_until: AtomicU64,
    /// Refusals that the log has not heard of.
    untold: AtomicU32,
}

impl Account {
    pub(super) fn new(who: Who, quota: Quota, ticks: Ticks) -> Self {
        let (rate, refills_in) = match quota.calls {
            None => (Rate::Free, Duration::ZERO),
            Some((0, _)) => (Rate::Never, Duration::ZERO),
            Some((calls, time)) => {
                let each = (time / calls).clamp(Duration::from_nanos(1), LONGEST);
                let room = LONGEST.as_nanos() / each.as_nanos();
                let burst = quota.burst.unwrap_or(calls);
                let burst = burst.clamp(1, u32::try_from(room).unwrap_or(u32::MAX));
                // Neither is zero.
                let quota = governor::Quota::with_period(each)
                    .zip(std::num::NonZeroU32::new(burst))
                    .map(|(quota, burst)| quota.allow_burst(burst));
                match quota {
                    Some(quota) => (
                        Rate::Calls(RateLimiter::direct_with_clock(quota, ticks)),
                        each * burst,
                    ),
                    None => (Rate::Never, Duration::ZERO),
                }
            }
        };
        Self {
            who,
            quota,
            ticks,
            rate,
            refills_in: nanos(refills_in),
            last_call: AtomicU64::new(0),
            streams: AtomicU32::new(0),
            tasks: AtomicU32::new(0),
            quiet_until: AtomicU64::new(0),
            untold: AtomicU32::new(0),
        }
    }

    /// True when a new one would do as well. (One with slots is held by them.)
    pub(super) fn is_idle(&self, now: u64) -> bool {
        let last_call = self.last_call.load(Ordering::Relaxed);
        let full_at = last_call.saturating_add(self.refills_in);
        now >= full_at.max(self.quiet_until.load(Ordering::Relaxed))
    }

    fn call(&self) -> Result<(), Error> {
        let refused = match &self.rate {
            Rate::Free => return Ok(()),
            Rate::Never => None,
            Rate::Calls(rate) => match rate.check() {
                Ok(()) => {
                    self.last_call.store(self.ticks.now(), Ordering::Relaxed);
                    return Ok(());
                }
                Err(refused) => Some(refused.wait_time_from(Clock::now(&self.ticks))),
            },
        };
        self.tell("calls");
        let (calls, time) = self.quota.calls.unwrap_or_default();
        let message = format!("too many calls: {} may make {calls} in {time:?}", self.who);
        Err(match refused {
            // To the millisecond, and never early.
            Some(wait) => {
                let wait = Duration::from_millis(
                    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX),
                );
                exhausted(format!("{message}; try again in {wait:?}")).with_retry_after(wait)
            }
            None => exhausted(message),
        })
    }

    fn count(&self, what: Lasting) -> &AtomicU32 {
        match what {
            Lasting::Stream => &self.streams,
            Lasting::Task => &self.tasks,
        }
    }

    fn most(&self, what: Lasting) -> Option<u32> {
        match what {
            Lasting::Stream => self.quota.open_streams,
            Lasting::Task => self.quota.running_tasks,
        }
    }

    fn take(&self, what: Lasting) -> Result<(), Error> {
        let Some(most) = self.most(what) else {
            return Ok(());
        };
        let one_more = |count: u32| (count < most).then_some(count + 1);
        let taken = self
            .count(what)
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more);
        if taken.is_ok() {
            return Ok(());
        }
        let (name, advice) = match what {
            Lasting::Stream => ("open streams", "close one first"),
            Lasting::Task => (
                "running tasks",
                "wait until one has ended, or cancel one, and send the message again",
            ),
        };
        self.tell(name);
        let message = format!(
            "too many {name}: {} may have {most} at a time; {advice}",
            self.who
        );
        Err(exhausted(message).with_retry_after(AGAIN))
    }

    /// Tells the log, unless it has just heard.
    fn tell(&self, limit: &str) {
        self.untold.fetch_add(1, Ordering::Relaxed);
        let now = self.ticks.now();
        let quiet_until = self.quiet_until.load(Ordering::Relaxed);
        let next = now.saturating_add(nanos(QUIET));
        let speaks = now >= quiet_until
            && self
                .quiet_until
                .compare_exchange(quiet_until, next, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if !speaks {
            return;
        }
        // This one is told by the event itself.
        let untold = self.untold.swap(0, Ordering::Relaxed).saturating_sub(1);
        let (mut caller, mut tenant, mut peer) = (None, None, None);
        match &self.who {
            Who::Caller(id) => caller = Some(&**id),
            Who::Address(address) => peer = Some(*address),
            Who::Tenant(name) => tenant = Some(name.as_deref().unwrap_or("others")),
        }
        tracing::warn!(
            target: "a2a_kit::limits",
            caller,
            tenant,
            peer = peer.as_ref().map(tracing::field::debug),
            limit,
            untold,
            "a call was refused: there are too many"
        );
    }
}

fn exhausted(message: String) -> Error {
    Error::new(Code::ResourceExhausted, message).with_json_rpc_code(JSON_RPC_CODE)
}

/// A part of a quota.
#[derive(Clone)]
pub(super) struct Share {
    pub(super) account: Arc<Account>,
}

impl Share {
    /// Counts a call.
    pub(super) fn call(&self) -> Result<(), Error> {
        self.account.call()
    }

    /// Counts a stream or a task, for as long as the slot is there; `None` when they are not limited.
    pub(super) fn take(&self, what: Lasting) -> Result<Option<Slot>, Error> {
        self.account.take(what)?;
        Ok(self.slot(what))
    }

    /// The same, whatever the limit: it has begun already.
    pub(super) fn take_anyway(&self, what: Lasting) -> Option<Slot> {
        self.account.most(what)?;
        self.account.count(what).fetch_add(1, Ordering::AcqRel);
        self.slot(what)
    }

    fn slot(&self, what: Lasting) -> Option<Slot> {
        self.account.most(what)?;
        Some(Slot {
            account: Arc::clone(&self.account),
            what,
        })
    }
}

/// One stream or one task that is counted.
pub(super) struct Slot {
    account: Arc<Account>,
    what: Lasting,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.account.count(self.what).fetch_sub(1, Ordering::AcqRel);
    }
}
