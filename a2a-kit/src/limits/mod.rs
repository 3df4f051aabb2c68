//! How much one caller may ask for, so that a flood from one leaves the calls of others served.
//!
//! Comes in: who calls, the head of a request, later the tenant. Goes out: nothing, or the error that
//! says which limit is reached and when to try again: 429 with `Retry-After`, gRPC
//! RESOURCE_EXHAUSTED, in both `google.rpc.RetryInfo`. It knows nothing of operations, tasks and
//! stores.
//!
//! There are no limits unless a server is given some. A [`Quota`] says how much, [`Limits`] who has
//! which:
//!
//! ```
//! use std::time::Duration;
//! use a2a_kit::limits::{Limits, Quota};
//! use a2a_kit::{A2aService, Error, Server, v1_0::AgentCard};
//!
//! fn serve(agent: impl A2aService, card: AgentCard) -> Result<Server, Error> {
//!     let usual = Quota::new()
//!         .calls(50, Duration::from_secs(1))
//!         .burst(100)
//!         .running_tasks(20)
//!         .open_streams(10);
//!     let limits = Limits::per_caller(usual).for_callers(move |caller| match caller.id() {
//!         Some("batch") => Some(usual.calls(500, Duration::from_secs(1)).burst(1000)),
//!         _ => None,
//!     });
//!     Server::builder(agent, card).limits(limits).build()
//! }
//! ```
//!
//! # Who is counted
//!
//! A caller who is known counts by the id, whatever the address. Callers without credentials count by
//! the address of their connection ([`PeerAddress`]), IPv6 by the first 64 bits, which is what one
//! host is usually given. No header has a part in it: behind a proxy, the address is the proxy's, and
//! all who come without credentials count together.
//!
//! Credentials that do not hold count for the address as a call without credentials does, those that
//! lack scopes for their caller. Beyond the limit they are answered by 429 in place of 401 or 403,
//! and no longer told to the log one by one. Right credentials are never refused for the wrong ones
//! of others at the same address. So this is no lock against guessing; secrets have to be long.
//!
//! # What is counted, and where
//!
//! | what | from | until |
//! |---|---|---|
//! | calls | the credentials have been checked; the body has not been read | |
//! | open streams | as soon as the operation is known: before the body is read, over JSON-RPC after it | the body of the answer is dropped, also because the client has vanished |
//! | running tasks | a message starts a task or goes on with one; nothing has been written | the task has ended, or waits for its client, or is no longer executed here |
//!
//! The card, and paths at which nothing is served, are not counted: they ask nobody who they are.
//!
//! # Tenants
//!
//! Which tenant a call is for is known only when its message has been read. From there on all callers
//! of a tenant are counted together, too, when there is a quota for it ([`Limits::per_tenant`]). The
//! engine does it, so another service than the [engine](crate::engine) has no limits for tenants, and
//! none for running tasks.
//!
//! # Bounds
//!
//! Who has been idle for long enough to be let in as if new is forgotten. Of addresses and tenants,
//! at most 65 536 are known at a time; further ones count together until there is room. Of callers who
//! are known there are as many as have credentials. Each process counts on its own.
//!
//! [`PeerAddress`]: crate::auth::PeerAddress

mod account;
mod call;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;

use crate::auth::{self, Authentication, RequestHead};
use crate::context::Caller;
use crate::error::Error;

use account::{Share, Ticks, Who};
use table::Table;

pub(crate) use call::{CallLimits, OpenStream, RunningTask};

/// How many addresses, and how many tenants, are known at a time.
const STRANGERS: usize = 1 << 16;

/// How much one caller, or one tenant, may ask for. What is not said is not limited.
///
/// ```
/// use std::time::Duration;
/// use a2a_kit::limits::Quota;
/// // Ten calls a minute, all ten at once if need be, and three tasks at a time.
/// let quota = Quota::new().calls(10, Duration::from_secs(60)).running_tasks(3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Quota {
    calls: Option<(u32, Duration)>,
    burst: Option<u32>,
    running_tasks: Option<u32>,
    open_streams: Option<u32>,
}

impl Quota {
    /// No limit.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            calls: None,
            burst: None,
            running_tasks: None,
            open_streams: None,
        }
    }

    /// So many calls in this time, evenly: fifty in a second are one in twenty milliseconds, beside
    /// the [burst](Self::burst). None at all when it is zero.
    #[must_use]
    pub const fn calls(mut self, calls: u32, time: Duration) -> Self {
        self.calls = Some((calls, time));
        self
    }

    /// How many calls may come at once after a while without calls: as many as
    /// [`calls`](Self::calls) says, without this; at least one.
    #[must_use]
    pub const fn burst(mut self, calls: u32) -> Self {
        self.burst = Some(calls);
        self
    }

    /// How many tasks may run at a time. A task that waits for its client, or for credentials, does
    /// not run. A message that would make it one more is refused, and nothing has happened.
    #[must_use]
    pub const fn running_tasks(mut self, tasks: u32) -> Self {
        self.running_tasks = Some(tasks);
        self
    }

    /// How many streams may be open at a time.
    #[must_use]
    pub const fn open_streams(mut self, streams: u32) -> Self {
        self.open_streams = Some(streams);
        self
    }
}

type ForCallers = dyn Fn(&Caller) -> Option<Quota> + Send + Sync;
type ForTenants = dyn Fn(&str) -> Option<Quota> + Send + Sync;

/// Who may ask for how much. Clones count together.
#[derive(Clone)]
pub struct Limits {
    per_caller: Quota,
    for_callers: Option<Arc<ForCallers>>,
    per_tenant: Quota,
    for_tenants: Option<Arc<ForTenants>>,
    book: Arc<Book>,
}

/// What has been counted.
struct Book {
    callers: Table,
    addresses: Table,
    tenants: Table,
}

impl Limits {
    /// The same for each caller; those who are known and those who are not.
    #[must_use]
    pub fn per_caller(quota: Quota) -> Self {
        Self::with_room_for(STRANGERS, quota)
    }

    fn with_room_for(strangers: usize, quota: Quota) -> Self {
        let ticks = Ticks::start();
        Self {
            per_caller: quota,
            for_callers: None,
            per_tenant: Quota::new(),
            for_tenants: None,
            book: Arc::new(Book {
                callers: Table::new(ticks, usize::MAX),
                addresses: Table::new(ticks, strangers),
                tenants: Table::new(ticks, strangers),
            }),
        }
    }

    /// Other quotas for some callers; `None` for the usual one. It is asked for every call, so
    /// scopes and claims may decide, and what changes has effect at once. A caller who gets different
    /// quotas from call to call is counted for each of them.
    ///
    /// ```
    /// use std::time::Duration;
    /// use a2a_kit::limits::{Limits, Quota};
    /// let second = Duration::from_secs(1);
    /// let limits = Limits::per_caller(Quota::new().calls(100, second)).for_callers(move |caller| {
    ///     // Whoever comes without credentials gets less.
    ///     caller.id().is_none().then(|| Quota::new().calls(5, second).running_tasks(2))
    /// });
    /// ```
    #[must_use]
    pub fn for_callers(
        mut self,
        quota: impl Fn(&Caller) -> Option<Quota> + Send + Sync + 'static,
    ) -> Self {
        self.for_callers = Some(Arc::new(quota));
        self
    }

    /// For all callers of a tenant together, the same for each tenant, beside what each caller has.
    /// Calls without a tenant have none.
    #[must_use]
    pub fn per_tenant(mut self, quota: Quota) -> Self {
        self.per_tenant = quota;
        self
    }

    /// Other quotas for some tenants; `None` for that of [`per_tenant`](Self::per_tenant). The tenant
    /// is the one that [`Tenants`](crate::engine::Tenants) have made of what the call names.
    #[must_use]
    pub fn for_tenants(
        mut self,
        quota: impl Fn(&str) -> Option<Quota> + Send + Sync + 'static,
    ) -> Self {
        self.for_tenants = Some(Arc::new(quota));
        self
    }

    fn share_of(&self, caller: &Caller, peer: Option<IpAddr>) -> Option<Share> {
        let hook = self.for_callers.as_ref();
        let quota = hook
            .and_then(|quota| quota(caller))
            .unwrap_or(self.per_caller);
        match caller.shared_id() {
            Some(id) => self.book.callers.share(Who::Caller(id), quota),
            None => {
                let who = Who::Address(peer.map(host));
                self.book.addresses.share(who, quota)
            }
        }
    }

    fn share_of_tenant(&self, tenant: &str) -> Option<Share> {
        if tenant.is_empty() {
            return None;
        }
        let hook = self.for_tenants.as_ref();
        let quota = hook
            .and_then(|quota| quota(tenant))
            .unwrap_or(self.per_tenant);
        self.book
            .tenants
            .share(Who::Tenant(Some(tenant.into())), quota)
    }

    /// Counts a call of which the head is known.
    fn begin(&self, caller: &Caller, request: &Parts) -> Result<Option<Share>, Error> {
        let share = self.share_of(caller, RequestHead::new(request).peer());
        if let Some(share) = &share {
            share.call()?;
        }
        Ok(share)
    }
}

/// What every router does first: says who has sent a request ([`auth::check`]), and whether that
/// caller may make a call. What later limits go by is left in the request's extensions.
///
/// # Errors
/// Those of authentication; resource exhausted, with a time to try again.
pub(crate) async fn admit(
    authentication: Option<&Authentication>,
    limits: Option<&Arc<Limits>>,
    request: &mut Parts,
) -> Result<(), Error> {
    let Some(limits) = limits else {
        return auth::check(authentication, request, |_, _| Ok(())).await;
    };
    let count_refused =
        |caller: &Caller, request: &Parts| limits.begin(caller, request).map(|_| ());
    auth::check(authentication, request, count_refused).await?;
    let caller = request.extensions.get::<Caller>();
    let caller = caller.cloned().unwrap_or_default();
    let share = limits.begin(&caller, request)?;
    let call = CallLimits::new(Arc::clone(limits), share);
    request.extensions.insert(Arc::new(call));
    Ok(())
}

/// What is taken for one host.
fn host(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let network = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(network))
        }
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("per_caller", &self.per_caller)
            .field("for_callers", &self.for_callers.is_some())
            .field("per_tenant", &self.per_tenant)
            .field("for_tenants", &self.for_tenants.is_some())
            .finish_non_exhaustive()
    }
}
