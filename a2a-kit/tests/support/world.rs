//! Processes over one store, with an agent that says what becomes of what it left.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::agent::{Agent, AgentError, OnRestart, Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::store::MemoryStore;
use a2a_kit::v1_0::Task;

use crate::frozen::Frozen;
use crate::support::card;

type Work = dyn Fn(TaskContext) -> Pin<Box<dyn Future<Output = Result<Reply, AgentError>> + Send>>
    + Send
    + Sync;

/// An agent that does what a closure does, and says what becomes of what it left.
#[derive(Clone)]
struct Lasting {
    work: Arc<Work>,
    policy: OnRestart,
    asked: Arc<AtomicUsize>,
}

impl Agent for Lasting {
    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        (self.work)(task).await
    }

    fn on_restart(&self, _: &Task) -> OnRestart {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.policy
    }
}

/// Processes over one store.
pub struct World {
    pub store: Arc<MemoryStore>,
    agent: Lasting,
}

impl World {
    pub fn new<Fut>(
        policy: OnRestart,
        work: impl Fn(TaskContext) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<Reply, AgentError>> + Send + 'static,
    {
        let agent = Lasting {
            work: Arc::new(move |task| Box::pin(work(task))),
            policy,
            asked: Arc::default(),
        };
        Self {
            store: Arc::default(),
            agent,
        }
    }

    /// Another process, and how to stop it.
    pub fn process(&self) -> (Engine, Frozen) {
        let store = Frozen::new(&self.store);
        let engine = Engine::builder(self.agent.clone(), card())
            .store(store.clone())
            .build()
            .unwrap();
        (engine, store)
    }

    pub fn policy_was_asked(&self) -> usize {
        self.agent.asked.load(Ordering::SeqCst)
    }
}

/// How long a lease lasts, and a moment.
pub const LEASE: Duration = Duration::from_secs(31);
