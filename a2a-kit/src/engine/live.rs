//! Tasks that someone works on or follows in this process.
//!
//! A [`Live`] task keeps its folded state, the newest events for those who follow it, and who
//! executes it. It exists as long as a [`LiveRef`] does; what it knows can be made again from the
//! store, which alone decides what has happened.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use a2a_wire::v1_0::{StreamResponse, TaskState};
use tokio::sync::Notify;

use super::execution::Run;
use super::fold::Folded;
use super::record::Change;
use crate::Shared;
use crate::limits::RunningTask;
use crate::store::Scope;

/// Locks a mutex whose data a panic cannot leave half-written.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A task of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) scope: Scope,
    pub(super) task: Arc<str>,
}

/// All tasks that are live.
#[derive(Debug, Default)]
pub(super) struct Lives(Mutex<HashMap<Key, Slot>>);

#[derive(Debug)]
struct Slot {
    live: Arc<Live>,
    /// How many [`LiveRef`]s there are.
    holders: usize,
}

impl Lives {
    /// The live task with this key, made if need be.
    pub(super) fn hold(self: &Arc<Self>, key: Key) -> LiveRef {
        let mut map = lock(&self.0);
        let slot = map.entry(key).or_insert_with_key(|key| Slot {
            live: Arc::new(Live::new(key.clone())),
            holders: 0,
        });
        slot.holders += 1;
        LiveRef {
            lives: Arc::clone(self),
            live: Arc::clone(&slot.live),
        }
    }

    /// The live task with this key, if there is one.
    pub(super) fn find(self: &Arc<Self>, key: &Key) -> Option<LiveRef> {
        let mut map = lock(&self.0);
        let slot = map.get_mut(key)?;
        slot.holders += 1;
        Some(LiveRef {
            lives: Arc::clone(self),
            live: Arc::clone(&slot.live),
        })
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
    }
}

/// Keeps a task live.
#[derive(Debug)]
pub(super) struct LiveRef {
    lives: Arc<Lives>,
    live: Arc<Live>,
}

impl Deref for LiveRef {
    type Target = Arc<Live>;

    fn deref(&self) -> &Arc<Live> {
        &self.live
    }
}

impl Clone for LiveRef {
    fn clone(&self) -> Self {
        self.lives.hold(self.live.key.clone())
    }
}

impl Drop for LiveRef {
    fn drop(&mut self) {
        let mut map = lock(&self.lives.0);
        if let Some(slot) = map.get_mut(&self.live.key) {
            slot.holders -= 1;
            if slot.holders == 0 {
                map.remove(&self.live.key);
            }
        }
    }
}

/// A task that someone works on or follows.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) key: Key,
    /// Held by whoever changes the task, across the store's answer: changes of this process come
    /// one after the other.
    pub(super) state: tokio::sync::Mutex<State>,
    context_id: OnceLock<Arc<str>>,
    /// How far `state` has come, to be read without waiting for it.
    pub(super) reached: AtomicU64,
    ring: Mutex<Ring>,
    followers: AtomicUsize,
    streams: AtomicUsize,
    left: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// `None` until it has been loaded.
    pub(super) folded: Option<Folded>,
    /// Who executes the task in this process.
    pub(super) run: Option<Arc<Run>>,
    /// Someone here looks whether the process that executes the task is still there.
    pub(super) guarded: bool,
    /// What the task counts for, while it runs here.
    pub(super) running: RunningTask,
    /// The first event of a stream that begins at this sequence: the task itself.
    pub(super) opening: Option<(u64, Shared<StreamResponse>)>,
}

impl Live {
    fn new(key: Key) -> Self {
        Self {
            key,
            state: tokio::sync::Mutex::default(),
            context_id: OnceLock::new(),
            reached: AtomicU64::new(0),
            ring: Mutex::default(),
            followers: AtomicUsize::new(0),
            streams: AtomicUsize::new(0),
            left: Notify::new(),
        }
    }

    /// The task's context, once it has been loaded.
    pub(super) fn context_id(&self) -> &str {
        self.context_id.get().map_or("", |id| id)
    }

    /// Notes what has been loaded.
    pub(super) fn loaded(&self, folded: &Folded) {
        // A task never changes its context.
        let _ = self
            .context_id
            .set(Arc::from(folded.task.context_id.as_str()));
        self.reached.store(folded.sequence, Ordering::Release);
    }

    /// Makes an event for those who read streams of this task. Costs nothing when nobody does.
    pub(super) fn publish(&self, sequence: u64, change: &Change) {
        if self.streams.load(Ordering::Acquire) > 0 {
            let event = self.event(change);
            lock(&self.ring).push(sequence, event);
        }
    }

    /// A change as readers see it.
    pub(super) fn event(&self, change: &Change) -> Event {
        Event::new(change, &self.key.task, self.context_id())
    }

    /// Takes an event that a reader has made of the log, and gives the one that all readers share.
    pub(super) fn share(&self, sequence: u64, event: Event) -> Event {
        let mut ring = lock(&self.ring);
        if let Some(known) = ring.get(sequence) {
            return known;
        }
        if ring.next().is_none_or(|next| next == sequence) {
            ring.push(sequence, event.clone());
        }
        event
    }

    /// The event with this number, when it is among the newest.
    pub(super) fn recent(&self, sequence: u64) -> Option<Event> {
        lock(&self.ring).get(sequence)
    }

    /// Notes a reader: the log stays as long as it is there.
    pub(super) fn follow(self: &Arc<Self>, streams: bool) -> Following {
        self.followers.fetch_add(1, Ordering::AcqRel);
        if streams {
            self.streams.fetch_add(1, Ordering::AcqRel);
        }
        Following {
            live: Arc::clone(self),
            streams,
        }
    }

    /// True when someone here reads the task.
    pub(super) fn is_followed(&self) -> bool {
        self.followers.load(Ordering::Acquire) > 0
    }

    /// Waits until nobody follows the task.
    pub(super) async fn drained(&self) {
        loop {
            let mut left = std::pin::pin!(self.left.notified());
            left.as_mut().enable();
            if !self.is_followed() {
                return;
            }
            left.await;
        }
    }
}

/// A reader of a task.
#[derive(Debug)]
pub(super) struct Following {
    live: Arc<Live>,
    streams: bool,
}

impl Drop for Following {
    fn drop(&mut self) {
        if self.streams && self.live.streams.fetch_sub(1, Ordering::AcqRel) == 1 {
            lock(&self.live.ring).clear();
        }
        if self.live.followers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.live.left.notify_waiters();
        }
    }
}

/// What happened at one place of the log, as readers see it.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// What streams show; `None` for a message.
    pub(super) response: Option<Shared<StreamResponse>>,
    /// The state that it set, and whether nobody executes the task after it.
    pub(super) state: Option<(TaskState, bool)>,
    weight: usize,
}

impl Event {
    fn new(change: &Change, task_id: &str, context_id: &str) -> Self {
        use prost::Message as _;
        let response = change.event(task_id, context_id).map(Shared::new);
        let state = match change {
            Change::Status(change) => Some((change.state(), change.rests)),
            _ => None,
        };
        let weight = response
            .as_ref()
            .map_or(0, |response| response.encoded_len());
        Self {
            response,
            state,
            weight,
        }
    }
}

/// The newest events of a task, without a gap.
#[derive(Debug, Default)]
struct Ring {
    events: VecDeque<Event>,
    /// Number of the first one.
    first: u64,
    weight: usize,
}

/// How many events a task keeps at hand for its streams, and how many bytes of them (as protobuf).
/// Who is further behind reads the store.
const RING_EVENTS: usize = 256;
const RING_BYTES: usize = 1 << 20;

impl Ring {
    /// The number behind the newest event.
    fn next(&self) -> Option<u64> {
        (!self.events.is_empty()).then(|| self.first + self.events.len() as u64)
    }

    fn push(&mut self, sequence: u64, event: Event) {
        if self.get(sequence).is_some() {
            // A reader of the log was faster than who wrote it.
            return;
        }
        if self.next() != Some(sequence) {
            self.clear();
            self.first = sequence;
        }
        self.weight += event.weight;
        self.events.push_back(event);
        // The newest one stays, however big: all readers are about to ask for it.
        while self.events.len() > 1 && (self.events.len() > RING_EVENTS || self.weight > RING_BYTES)
        {
            if let Some(oldest) = self.events.pop_front() {
                self.weight -= oldest.weight;
                self.first += 1;
            }
        }
    }

    fn get(&self, sequence: u64) -> Option<Event> {
        let at = sequence.checked_sub(self.first)?;
        self.events.get(usize::try_from(at).ok()?).cloned()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}
