//! What one call is counted against, and what it leaves open.
//!
//! Comes in: the share of its caller; the share of its tenant, once that is known. Goes out:
//! [`OpenStream`] and [`RunningTask`], which count as long as they are there.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::Limits;
use super::account::{Lasting, Share, Slot};
use crate::context::CallContext;
use crate::error::Error;
use crate::service::OperationSpec;

/// The limits of one call. It is in its context, so whoever keeps that keeps this.
pub(crate) struct CallLimits {
    limits: Arc<Limits>,
    caller: Option<Share>,
    tenant: OnceLock<Option<Share>>,
    stream: Mutex<TenantStream>,
}

/// Whether the answer is a stream that counts for the tenant, too.
enum TenantStream {
    No,
    /// It will, when the tenant is known.
    Opening,
    Open(#[allow(dead_code, reason = "held, not read")] Option<Slot>),
}

impl CallLimits {
    pub(super) fn new(limits: Arc<Limits>, caller: Option<Share>) -> Self {
        Self {
            limits,
            caller,
            tenant: OnceLock::new(),
            stream: Mutex::new(TenantStream::No),
        }
    }

    /// The tenant of the call is known. It is counted once, however often this is said.
    ///
    /// # Errors
    /// Resource exhausted, with a time to try again.
    pub(crate) fn enter_tenant(&self, tenant: &str) -> Result<(), Error> {
        if self.tenant.get().is_some() {
            return Ok(());
        }
        let share = self
            .tenant
            .get_or_init(|| self.limits.share_of_tenant(tenant));
        let Some(share) = share else { return Ok(()) };
        share.call()?;
        let mut stream = self.stream();
        if matches!(*stream, TenantStream::Opening) {
            *stream = TenantStream::Open(share.take(Lasting::Stream)?);
        }
        Ok(())
    }

    fn stream(&self) -> MutexGuard<'_, TenantStream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shares(&self) -> impl Iterator<Item = &Share> {
        let tenant = self.tenant.get().and_then(Option::as_ref);
        self.caller.iter().chain(tenant)
    }
}

impl fmt::Debug for CallLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallLimits")
    }
}

/// A stream that is counted: for its caller at once, for its tenant as soon as that is known. It goes
/// where the events go, and ends with them.
pub(crate) struct OpenStream {
    call: Arc<CallLimits>,
    _slot: Option<Slot>,
}

impl OpenStream {
    /// Counts the stream that an operation is about to open; `None` when it opens none, or nothing is
    /// limited.
    ///
    /// # Errors
    /// Resource exhausted, with a time to try again.
    pub(crate) fn begin(
        operation: &OperationSpec,
        context: &CallContext,
    ) -> Result<Option<Self>, Error> {
        let limits = context.limits().filter(|_| operation.server_streaming);
        let Some(call) = limits else { return Ok(None) };
        let slot = match &call.caller {
            Some(share) => share.take(Lasting::Stream)?,
            None => None,
        };
        *call.stream() = TenantStream::Opening;
        Ok(Some(Self {
            call: Arc::clone(call),
            _slot: slot,
        }))
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        // The context of the call may stay for as long as the task runs.
        *self.call.stream() = TenantStream::No;
    }
}

/// A task, as it is counted while it runs. One that is new is not counted.
#[derive(Default)]
pub(crate) struct RunningTask {
    shares: Vec<Share>,
    slots: Vec<Slot>,
    runs: bool,
}

impl RunningTask {
    /// Counts a task that a call is about to start, or to go on with, unless it is counted already.
    /// True when it was not.
    ///
    /// # Errors
    /// Resource exhausted, with a time to try again; then nothing is counted.
    pub(crate) fn start(&mut self, context: &CallContext) -> Result<bool, Error> {
        if self.runs {
            return Ok(false);
        }
        let shares = context.limits().into_iter().flat_map(|call| call.shares());
        let shares: Vec<Share> = shares.cloned().collect();
        let mut slots = Vec::new();
        for share in &shares {
            slots.extend(share.take(Lasting::Task)?);
        }
        (self.shares, self.slots, self.runs) = (shares, slots, true);
        Ok(true)
    }

    /// The task has ended, or waits.
    pub(crate) fn rest(&mut self) {
        self.slots.clear();
        self.runs = false;
    }

    /// The task goes on by itself: it is counted, also beyond the limit.
    pub(crate) fn go_on(&mut self) {
        if !self.runs {
            let slots = self.shares.iter();
            self.slots = slots
                .filter_map(|share| share.take_anyway(Lasting::Task))
                .collect();
            self.runs = true;
        }
    }
}

impl fmt::Debug for RunningTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningTask")
            .field("runs", &self.runs)
            .finish_non_exhaustive()
    }
}
