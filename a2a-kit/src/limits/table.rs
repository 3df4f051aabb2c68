//! Who has been counted of late.
//!
//! Comes in: who it is, and the quota. Goes out: the account of both, made if need be. Accounts that
//! say no more than a new one would are dropped, so there are about as many as are in use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Quota;
use super::account::{Account, Share, Ticks, Who};

/// There may always be so many accounts, however idle.
const FEW: usize = 256;
/// How often room is looked for when there is none, in nanoseconds.
const WHEN_FULL: u64 = 1_000_000_000;

/// Accounts of one kind.
pub(super) struct Table {
    ticks: Ticks,
    /// How many there may be; who comes then shares one.
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    accounts: HashMap<(Who, Quota), Arc<Account>>,
    /// How many have come since the idle ones were dropped, and when that was.
    newcomers: usize,
    swept_at: u64,
}

impl Table {
    pub(super) fn new(ticks: Ticks, most: usize) -> Self {
        Self {
            ticks,
            most,
            state: Mutex::default(),
        }
    }

    /// A part of the quota; `None` when that has no limit.
    pub(super) fn share(&self, who: Who, quota: Quota) -> Option<Share> {
        if quota == Quota::new() {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let account = state.account(self, (who, quota));
        Some(Share { account })
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.accounts.len()
    }
}

impl State {
    fn account(&mut self, table: &Table, key: (Who, Quota)) -> Arc<Account> {
        if let Some(account) = self.accounts.get(&key) {
            return Arc::clone(account);
        }
        self.sweep(table);
        let (who, quota) = key;
        let who = match self.accounts.len() < table.most {
            true => who,
            false => who.others(),
        };
        let account = self
            .accounts
            .entry((who.clone(), quota))
            .or_insert_with(|| Arc::new(Account::new(who, quota, table.ticks)));
        Arc::clone(account)
    }

    /// Drops idle accounts, seldom enough to cost each newcomer the same however many there are.
    fn sweep(&mut self, table: &Table) {
        self.newcomers += 1;
        let now = table.ticks.now();
        let is_full = self.accounts.len() >= table.most;
        if self.newcomers > (self.accounts.len() / 2).max(FEW)
            || (is_full && now >= self.swept_at + WHEN_FULL)
        {
            (self.newcomers, self.swept_at) = (0, now);
            self.accounts
                .retain(|_, account| Arc::strong_count(account) > 1 || !account.is_idle(now));
            self.accounts.shrink_to(2 * self.accounts.len());
        }
    }
}
