//! Tasks of processes that are gone.
//!
//! Comes in: a task that nobody executes any more, although its turn is not over. Goes out: the same
//! task failed, or its turn gone through again, as the agent's [`OnRestart`] says.
//!
//! That a process is gone shows in its lease, which it has not given back and which has run out. It
//! may only have been slow: so who takes its task over writes so into the log first. From then on
//! whatever the slow one writes conflicts, and it learns that the task is no longer its own.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use a2a_wire::v1_0::TaskState;
use tokio::time::sleep;

use super::Engine;
use super::core::{Core, cause, said};
use super::execution::Run;
use super::fold::Folded;
use super::follow::Follower;
use super::live::{Key, LiveRef, State};
use super::record::{Change, is_terminal};
use super::turn::Delivery;
use crate::Error;
use crate::agent::{AgentMessage, OnRestart};
use crate::store::{Acquired, Found};

/// How often a turn is gone through again before it is thought to be what ends the process.
const REPLAYS: usize = 10;

/// How long an engine waits at most before it looks for tasks of processes that are gone.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// How many tasks are looked at, at a time.
const PAGE: usize = 64;

const GONE: &str = "the process that worked on this task has ended before the task did, and the agent does not take such work up again; send your message in a new task";
const HARMFUL: &str = "the work on this task was cut short too often, and is not tried again; send your message in a new task";

/// Who executes a task that has messages for its agent.
pub(super) enum Begin {
    /// This process, beginning with this message.
    Run(Arc<Run>, Delivery),
    /// Another process.
    Elsewhere(Delivery),
    /// Nobody: the task has ended, or waits for its client.
    Over,
}

impl Engine {
    /// Takes over the tasks that processes on the same store have left in the middle of a turn,
    /// because they crashed or were stopped: each is failed, or its turn gone through again, as
    /// [`Agent::on_restart`](crate::agent::Agent::on_restart) says. Returns how many there were.
    ///
    /// Call it when an agent with a store that outlives it starts, and now and then afterwards: a
    /// process counts as gone when its [lease](super::EngineBuilder::lease) has run out. A task is
    /// also taken over when a message comes for it, and while someone here follows it. One that
    /// waits for the answer to a question is taken over with that answer.
    ///
    /// # Errors
    /// When the store does not say which tasks there are. What goes wrong with one task is logged.
    pub async fn recover(&self) -> Result<usize, Error> {
        let (mut taken, mut after) = (0, None);
        loop {
            let page = self.0.store.unsettled(after.clone(), PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(taken);
            };
            after = Some((last.scope.clone(), Arc::clone(&last.task)));
            for found in page {
                match self.0.look_after(&found).await {
                    Ok(true) => taken += 1,
                    Ok(false) => {}
                    Err(error) => {
                        tracing::warn!(task = %found.task, error = cause(&error), "a task could not be looked after");
                    }
                }
            }
        }
    }
}

impl Engine {
    /// Calls [`Engine::recover`] again and again, as long as the engine is there: at once, when a
    /// lease that is running now has run out, and then ever more rarely, at last every ten minutes.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn keep_recovering(&self) {
        let core = Arc::downgrade(&self.0);
        let mut pause = self.0.lease;
        tokio::spawn(async move {
            while let Some(core) = core.upgrade() {
                if let Err(error) = Self(core).recover().await {
                    tracing::warn!(
                        error = cause(&error),
                        "tasks of processes that are gone could not be looked for"
                    );
                }
                sleep(pause).await;
                pause = (2 * pause).min(LONGEST_PAUSE.max(pause));
            }
        });
    }
}

impl Core {
    /// Makes this process the one that executes a task, if no other does. `rested`: nobody had to
    /// before this message came.
    pub(super) async fn begin(
        &self,
        live: &LiveRef,
        state: &mut State,
        rested: bool,
        delivery: Delivery,
    ) -> Result<Begin, Error> {
        let Key { scope, task } = &live.key;
        let lease = self
            .store
            .acquire_lease(scope, task, &self.holder, self.lease);
        match lease.await? {
            Acquired::Refused => Ok(Begin::Elsewhere(delivery)),
            _ if rested => {
                let run = Arc::new(Run::default());
                state.run = Some(Arc::clone(&run));
                state.running.go_on();
                Ok(Begin::Run(run, delivery))
            }
            lease => self.take_over(live, state, lease).await,
        }
    }

    /// Goes on with a task whose turn was cut short. The lease on it is this process's.
    async fn take_over(
        &self,
        live: &LiveRef,
        state: &mut State,
        lease: Acquired,
    ) -> Result<Begin, Error> {
        let begun = self.go_on(live, state, lease).await;
        // It must be found as abandoned again: who gives a lease back says that all is well.
        let cut_short = begun.is_err() && lease == Acquired::Abandoned;
        if !cut_short && !matches!(begun, Ok(Begin::Run(..))) {
            let Key { scope, task } = &live.key;
            if let Err(error) = self.store.release_lease(scope, task, &self.holder).await {
                tracing::warn!(%task, error = cause(&error), "the lease on a task was not released");
            }
        }
        begun
    }

    async fn go_on(
        &self,
        live: &LiveRef,
        state: &mut State,
        lease: Acquired,
    ) -> Result<Begin, Error> {
        let task = &live.key.task;
        let is_over = |folded: &Folded| folded.is_terminal() || folded.rests;
        // A lease that was given back: what came in since has not been begun.
        if lease == Acquired::Abandoned {
            let policy = match &state.folded {
                Some(folded) if !is_over(folded) => self.policy(folded),
                _ => return Ok(Begin::Over),
            };
            tracing::warn!(%task, ?policy, "a task was found whose process is gone");
            if policy == OnRestart::Fail {
                return self.fail(live, state, GONE).await;
            }
            let mark = |folded: &Folded, _| {
                Ok::<_, Error>(if is_over(folded) {
                    Vec::new()
                } else {
                    vec![Change::TakenOver]
                })
            };
            self.write(live, state, mark).await?;
        }
        let Some(turn) = self.interrupted(live).await? else {
            return Ok(Begin::Over);
        };
        if turn.takeovers > REPLAYS {
            return self.fail(live, state, HARMFUL).await;
        }
        let told = |(sequence, message)| self.remote(live, message, sequence);
        let recorded: VecDeque<Delivery> = turn.later.into_iter().map(told).collect();
        let mut first = told(turn.first);
        first.began = Some(Box::new(turn.task));
        let known = state.folded.as_ref().map_or(0, |folded| folded.sequence);
        let run = Arc::new(Run::replaying(turn.past, recorded, known));
        state.run = Some(Arc::clone(&run));
        state.running.go_on();
        Ok(Begin::Run(run, first))
    }

    fn policy(&self, folded: &Folded) -> OnRestart {
        let asked = catch_unwind(AssertUnwindSafe(|| self.agent.on_restart(&folded.task)));
        asked.unwrap_or_else(|_| {
            tracing::error!(task = %folded.task.id, "the agent panicked when it was asked what to do with a task");
            OnRestart::Fail
        })
    }

    async fn fail(
        &self,
        live: &LiveRef,
        state: &mut State,
        reason: &'static str,
    ) -> Result<Begin, Error> {
        let message = said(AgentMessage::from(reason));
        self.write(live, state, |folded, now| {
            Ok::<_, Error>(if folded.is_terminal() || folded.rests {
                Vec::new()
            } else {
                let failed = TaskState::Failed;
                vec![self.status(folded, now, failed, message.clone(), None, true)]
            })
        })
        .await?;
        Ok(Begin::Over)
    }

    /// Takes a task over that was found, if it has to be.
    async fn look_after(self: &Arc<Self>, found: &Found) -> Result<bool, Error> {
        let state = TaskState::try_from(found.index.state).unwrap_or_default();
        if state == TaskState::InputRequired {
            return Ok(false);
        }
        let key = Key {
            scope: found.scope.clone(),
            task: Arc::clone(&found.task),
        };
        if is_terminal(state) && self.lives.find(&key).is_some() {
            // Someone here sees to it.
            return Ok(false);
        }
        let Some(live) = self.open(&found.scope, &found.task).await? else {
            return Ok(false);
        };
        if is_terminal(state) {
            // Its process may have ended before it came to that.
            self.compact(&live).await;
            return Ok(false);
        }
        self.relieve(live).await
    }

    /// Takes a task over if its process is gone, and goes on with it in a task of its own.
    async fn relieve(self: &Arc<Self>, live: LiveRef) -> Result<bool, Error> {
        let mut guard = live.state.lock().await;
        let state: &mut State = &mut guard;
        self.catch_up(&live, state).await?;
        if !is_to_be_executed(state) || state.run.is_some() {
            return Ok(false);
        }
        let Key { scope, task } = &live.key;
        let lease = self
            .store
            .acquire_lease(scope, task, &self.holder, self.lease);
        let lease = lease.await?;
        if lease == Acquired::Refused {
            return Ok(false);
        }
        let begun = self.take_over(&live, state, lease).await?;
        drop(guard);
        let core = Arc::clone(self);
        tokio::spawn(async move {
            match begun {
                Begin::Run(run, first) => core.run(live, run, first).await,
                Begin::Elsewhere(_) | Begin::Over => core.settle(live).await,
            }
        });
        Ok(true)
    }

    /// Looks whether the process that executes a task is still there, until the task rests; takes it
    /// over when it is not. `delivery` is a message that this process has taken in for it.
    pub(super) async fn stand_by(
        self: Arc<Self>,
        live: LiveRef,
        sequence: u64,
        delivery: Option<Delivery>,
    ) {
        let following = live.follow(false);
        let mut follower =
            Follower::new(Arc::clone(&self), live.clone(), following, None, sequence);
        loop {
            tokio::select! {
                rests = follower.rests() => match rests {
                    Err(error) if !error.is_task_not_found() => {
                        tracing::warn!(task = %live.key.task, error = cause(&error), "a task that another process executes could not be read");
                        sleep(self.lease).await;
                    }
                    // At rest, or gone: nothing more to do for it.
                    _ => return,
                },
                () = sleep(self.lease) => {}
            }
            if let Some(run) = &live.state.lock().await.run {
                if let Some(delivery) = delivery.filter(|delivery| !run.knows(delivery)) {
                    run.deliver(delivery);
                }
                return;
            }
            match self.relieve(live.clone()).await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(task = %live.key.task, error = cause(&error), "a task could not be taken over");
                }
            }
        }
    }

    /// Has someone look after a task that another process executes, as long as it does not rest:
    /// whoever follows it here must not wait for ever.
    pub(super) fn guard_of(self: &Arc<Self>, live: &LiveRef, state: &mut State) {
        let Some(folded) = &state.folded else { return };
        if state.run.is_some() || state.guarded || !is_to_be_executed(state) {
            return;
        }
        let sequence = folded.sequence;
        state.guarded = true;
        let (core, live) = (Arc::clone(self), live.clone());
        tokio::spawn(async move {
            core.stand_by(live.clone(), sequence, None).await;
            live.state.lock().await.guarded = false;
        });
    }
}

/// True when a task should be executed by someone, at this moment and without a further message.
fn is_to_be_executed(state: &State) -> bool {
    state.folded.as_ref().is_some_and(|folded| {
        !folded.is_terminal() && !folded.rests && folded.state() != TaskState::InputRequired
    })
}
