//! An execution in this process: what reaches the agent while it works.
//!
//! Comes in: messages, grants, the news that the task is no longer this execution's. Goes out: the
//! same to the agent, as it asks for them. An execution that goes through an interrupted turn again
//! also has the turn's [`Past`].

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock};

use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::live::lock;
use super::replay::Past;
use super::turn::Delivery;

/// How many messages may wait for an agent that does not look at them.
pub(super) const INBOX_MESSAGES: usize = 64;

/// An execution in this process.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Tells the agent that its work is no longer wanted.
    pub(super) token: CancellationToken,
    /// Messages that came while the agent works.
    inbox: Mutex<Inbox>,
    arrived: Notify,
    /// What the agent did that fails the task, whatever it does next.
    fault: OnceLock<String>,
    faulty: CancellationToken,
    /// Another process has taken the task over.
    lost: CancellationToken,
    grants: Mutex<Grants>,
    granted: Notify,
    /// What the turn has done already, when it is gone through again.
    past: Mutex<Past>,
    /// Messages up to this place of the log have been delivered.
    known: u64,
}

#[derive(Debug, Default)]
struct Inbox {
    /// Those that an earlier execution of the turn got, or would have got.
    recorded: VecDeque<Delivery>,
    live: VecDeque<Delivery>,
}

/// What has been granted to the agent, and for which of its requests.
#[derive(Debug, Default)]
struct Grants {
    /// How many requests are over.
    over: u64,
    value: Option<Value>,
}

impl Run {
    /// One that goes through a turn again, whose messages have been read up to `known`.
    pub(super) fn replaying(past: Past, recorded: VecDeque<Delivery>, known: u64) -> Self {
        let inbox = Inbox {
            recorded,
            live: VecDeque::new(),
        };
        Self {
            inbox: Mutex::new(inbox),
            past: Mutex::new(past),
            known,
            ..Self::default()
        }
    }

    /// Asks what the turn has done already.
    pub(super) fn past<T>(&self, ask: impl FnOnce(&mut Past) -> T) -> T {
        ask(&mut lock(&self.past))
    }

    /// True when a message was delivered as the execution began.
    pub(super) fn knows(&self, delivery: &Delivery) -> bool {
        delivery.sequence <= self.known
    }

    pub(super) fn deliver(&self, delivery: Delivery) {
        lock(&self.inbox).live.push_back(delivery);
        self.arrived.notify_waiters();
    }

    pub(super) fn take(&self) -> Option<Delivery> {
        let mut inbox = lock(&self.inbox);
        let Inbox { recorded, live } = &mut *inbox;
        recorded.pop_front().or_else(|| live.pop_front())
    }

    pub(super) fn waiting(&self) -> usize {
        let inbox = lock(&self.inbox);
        inbox.recorded.len() + inbox.live.len()
    }

    /// Waits for the next message.
    pub(super) async fn receive(&self) -> Delivery {
        self.arrival(Self::take).await
    }

    /// Waits for the next message that no earlier execution of the turn could have got.
    pub(super) async fn receive_new(&self) -> Delivery {
        self.arrival(|run| lock(&run.inbox).live.pop_front()).await
    }

    async fn arrival(&self, take: impl Fn(&Self) -> Option<Delivery>) -> Delivery {
        loop {
            let mut arrived = std::pin::pin!(self.arrived.notified());
            arrived.as_mut().enable();
            if let Some(delivery) = take(self) {
                return delivery;
            }
            arrived.await;
        }
    }

    /// The number of the agent's next request for authorization.
    pub(super) fn request(&self) -> u64 {
        lock(&self.grants).over
    }

    /// Grants what a request asks for. False when it is over, or has been granted before.
    pub(super) fn grant(&self, request: u64, value: Value) -> bool {
        let mut grants = lock(&self.grants);
        if grants.over != request || grants.value.is_some() || self.token.is_cancelled() {
            return false;
        }
        grants.value = Some(value);
        self.granted.notify_waiters();
        true
    }

    /// What has been granted to the current request.
    pub(super) fn take_grant(&self) -> Option<Value> {
        lock(&self.grants).value.take()
    }

    /// Waits for a grant.
    pub(super) async fn granted(&self) -> Value {
        loop {
            let mut granted = std::pin::pin!(self.granted.notified());
            granted.as_mut().enable();
            if let Some(value) = self.take_grant() {
                return value;
            }
            granted.await;
        }
    }

    /// Ends a request, so that grants which come for it later count for no other one.
    pub(super) fn end_request(&self) {
        let mut grants = lock(&self.grants);
        grants.over += 1;
        grants.value = None;
    }

    /// Fails the task for what the agent did.
    pub(super) fn fail(&self, fault: String) {
        // The first fault is the one that explains the others.
        let _ = self.fault.set(fault);
        self.faulty.cancel();
    }

    /// What the agent did that fails the task.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Waits for a fault.
    pub(super) async fn faulted(&self) {
        self.faulty.cancelled().await;
    }

    /// Another process executes the task: nothing of this execution is written any more.
    pub(super) fn lose(&self) {
        self.lost.cancel();
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Waits until another process executes the task.
    pub(super) async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_grant_counts_once_and_for_its_request_only() {
        let run = Run::default();
        let first = run.request();
        assert!(run.grant(first, json!("early")), "before it is asked for");
        assert!(!run.grant(first, json!("twice")));
        assert_eq!(run.take_grant(), Some(json!("early")));
        run.end_request();
        assert!(!run.grant(first, json!("late")), "its request is over");
        assert!(run.grant(run.request(), json!("second")));
        run.token.cancel();
        run.end_request();
        assert!(!run.grant(run.request(), json!("to nobody")));
    }
}
