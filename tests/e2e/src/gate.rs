//! Gates: where the agent waits until the test lets it go on, and the test until the agent is there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, watch};

use crate::within;

/// All gates of an agent, by name. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Gates(Arc<Mutex<HashMap<String, Gate>>>);

impl Gates {
    /// The gate with this name; closed at first.
    #[must_use]
    pub fn gate(&self, name: &str) -> Gate {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(name.to_owned()).or_default().clone()
    }
}

/// A place where the agent waits. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    passes: Semaphore,
    arrived: watch::Sender<usize>,
    left: watch::Sender<usize>,
}

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Inner {
            passes: Semaphore::new(0),
            arrived: watch::Sender::new(0),
            left: watch::Sender::new(0),
        }))
    }
}

/// Counts who leaves, however.
struct Leaving<'a>(&'a Inner);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.left.send_modify(|left| *left += 1);
    }
}

impl Gate {
    /// The agent's side: says that it is here, and waits until it may pass.
    ///
    /// # Panics
    /// Never: gates are not closed for good.
    pub async fn pass(&self) {
        let _leaving = Leaving(&self.0);
        self.0.arrived.send_modify(|arrived| *arrived += 1);
        self.0
            .passes
            .acquire()
            .await
            .expect("a gate is never closed for good")
            .forget();
    }

    /// Lets so many pass, now or later.
    pub fn let_pass(&self, passes: usize) {
        self.0.passes.add_permits(passes);
    }

    /// Lets all pass from now on.
    pub fn open(&self) {
        self.let_pass(1 << 20);
    }

    /// Waits until so many have come here since the beginning.
    ///
    /// # Panics
    /// When they do not come.
    #[track_caller]
    pub fn arrived(&self, count: usize) -> impl Future<Output = ()> {
        let mut arrived = self.0.arrived.subscribe();
        within(async move {
            arrived
                .wait_for(|arrived| *arrived >= count)
                .await
                .expect("the gate is held here");
        })
    }

    /// How many have come here since the beginning.
    #[must_use]
    pub fn arrivals(&self) -> usize {
        *self.0.arrived.borrow()
    }

    /// Waits until so many have passed or given up waiting.
    ///
    /// # Panics
    /// When they do not.
    #[track_caller]
    pub fn left(&self, count: usize) -> impl Future<Output = ()> {
        let mut left = self.0.left.subscribe();
        within(async move {
            left.wait_for(|left| *left >= count)
                .await
                .expect("the gate is held here");
        })
    }
}
