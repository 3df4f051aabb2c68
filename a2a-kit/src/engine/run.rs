//! Executions: one turn after the other, until the task rests.
//!
//! Comes in: a live task with a message for its agent. Goes out: how each turn ended, written to
//! the task. Whatever the agent does (return, fail, panic, never return), the task ends or waits
//! for its client; nothing hangs.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use a2a_wire::v1_0::{Role, TaskArtifactUpdateEvent, TaskState};
use futures_util::FutureExt as _;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

use super::core::{Core, cause, said};
use super::execution::Run;
use super::fold::Folded;
use super::live::{Key, Live, LiveRef, State};
use super::record::{Author, Change, is_interrupted};
use super::replay::Past;
use super::restart::Begin;
use super::turn::{Delivery, TaskReader, TurnHandle};
use crate::agent::{AgentError, AgentMessage, Finish, Reply, TaskContext, TurnFacts};
use crate::{BoxFuture, Error};

/// Waits between attempts to write down how a turn ended.
const RETRIES: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(5),
];

/// How a turn came to its end.
enum Outcome {
    Replied(Reply),
    Failed(AgentError),
    Panicked,
    TimedOut(Duration),
    /// The agent did what no client could make sense of.
    Faulty(String),
    /// The task has ended without it.
    Stopped,
    /// Another process executes the task now.
    Lost,
}

impl Core {
    /// Executes a task, beginning with this message, until it rests.
    pub(super) async fn run(
        self: Arc<Self>,
        live: LiveRef,
        mut run: Arc<Run>,
        mut delivery: Delivery,
    ) {
        loop {
            let outcome = self.turn(&live, &run, delivery).await;
            let next = match self.end_turn(&live, &run, &outcome).await {
                Some(delivery) => Some((Arc::clone(&run), delivery)),
                None => self.left_over(&live).await,
            };
            match next {
                Some(next) => (run, delivery) = next,
                None => break,
            }
        }
        {
            // When the lease was lost, or the end of a turn not written.
            let mut state = live.state.lock().await;
            if live.is_followed() {
                self.guard_of(&live, &mut state);
            }
        }
        self.settle(live).await;
    }

    async fn turn(self: &Arc<Self>, live: &LiveRef, run: &Arc<Run>, delivery: Delivery) -> Outcome {
        let facts = {
            let state = live.state.lock().await;
            match &state.folded {
                Some(folded) => facts(folded, delivery),
                None => return Outcome::Lost,
            }
        };
        let reader = TaskReader {
            core: Arc::clone(self),
            scope: live.key.scope.clone(),
        };
        let handle = TurnHandle {
            reader,
            live: Arc::downgrade(live),
            run: Arc::clone(run),
            token: run.token.child_token(),
        };
        let execution =
            AssertUnwindSafe(self.agent.execute(TaskContext::new(facts, handle))).catch_unwind();
        self.supervise(live, run, Box::pin(execution)).await
    }

    async fn supervise(
        &self,
        live: &Live,
        run: &Run,
        mut execution: BoxFuture<'_, std::thread::Result<Result<Reply, AgentError>>>,
    ) -> Outcome {
        let limit = async {
            match self.task_timeout {
                Some(limit) => {
                    sleep(limit).await;
                    limit
                }
                None => std::future::pending().await,
            }
        };
        let stopped = async {
            run.token.cancelled().await;
            sleep(self.cancel_grace).await;
        };
        let outcome = tokio::select! {
            biased;
            result = &mut execution => match result {
                Ok(Ok(reply)) => Outcome::Replied(reply),
                Ok(Err(error)) => Outcome::Failed(error),
                Err(_) => Outcome::Panicked,
            },
            () = run.faulted() => Outcome::Stopped,
            () = run.lost() => Outcome::Lost,
            () = stopped => Outcome::Stopped,
            limit = limit => Outcome::TimedOut(limit),
            () = self.guard(live) => Outcome::Lost,
        };
        // Also when the agent has taken no notice of it and gone on.
        let outcome = match run.fault() {
            Some(fault) => Outcome::Faulty(fault.to_owned()),
            None => outcome,
        };
        if !matches!(
            outcome,
            Outcome::Replied(_) | Outcome::Failed(_) | Outcome::Panicked
        ) {
            // Whatever the agent has spawned hears of it, too.
            run.token.cancel();
        }
        // A destructor may panic as well.
        let dropped = std::panic::catch_unwind(AssertUnwindSafe(move || drop(execution)));
        if dropped.is_err() {
            tracing::error!(task = %live.key.task, "an execution panicked while it was dropped");
        }
        outcome
    }

    /// Hears of what others do to the task, and keeps the lease. Ends when the lease is lost.
    async fn guard(&self, live: &Live) {
        let Key { scope, task } = &live.key;
        let mut watch = match self.store.watch(scope, task).await {
            Ok(watch) => Some(watch),
            Err(error) => {
                tracing::warn!(%task, error = cause(&error), "a task is executed without a watch on it");
                None
            }
        };
        let mut beat = interval_at(Instant::now() + self.lease / 3, self.lease / 3);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut held_until = Instant::now() + self.lease;
        let mut told = 0;
        loop {
            let changed = async {
                match &mut watch {
                    Some(watch) => watch.changed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                reached = changed => {
                    let Some(reached) = reached else { return };
                    told = reached;
                    self.hear(live, told).await;
                }
                _ = beat.tick() => match self.store.renew_lease(scope, task, &self.holder, self.lease).await {
                    Ok(true) => {
                        held_until = Instant::now() + self.lease;
                        // Once more, if it could not be read.
                        self.hear(live, told).await;
                    }
                    Ok(false) => return,
                    Err(_) if Instant::now() >= held_until => return,
                    Err(error) => tracing::warn!(%task, error = cause(&error), "the lease on a task was not renewed"),
                },
            }
        }
    }

    /// Reads what others have done to the task, if there is more than this process knows.
    async fn hear(&self, live: &Live, told: u64) {
        if told > live.reached.load(Ordering::Acquire) {
            let mut state = live.state.lock().await;
            if let Err(error) = self.catch_up(live, &mut state).await {
                let task = &live.key.task;
                tracing::warn!(%task, error = cause(&error), "news of a task could not be read");
            }
        }
    }

    /// Writes down how a turn ended. Returns the message for the next turn, when there is one.
    async fn end_turn(&self, live: &Live, run: &Arc<Run>, outcome: &Outcome) -> Option<Delivery> {
        let Key { scope, task } = &live.key;
        if matches!(outcome, Outcome::Lost) {
            tracing::warn!(%task, "the lease on a task was lost; its execution was stopped");
            self.leave(&mut *live.state.lock().await, run);
            return None;
        }
        let end = end_of(task, outcome, run.token.is_cancelled());
        let mut retries = RETRIES.iter();
        loop {
            let mut state = live.state.lock().await;
            let current = state.run.as_ref();
            if current.is_some_and(|current| Arc::ptr_eq(current, run)) {
                // Before anybody can see it: who does may start another one.
                state.running.rest();
            }
            let written = self
                .write(live, &mut state, |folded, now| {
                    Ok::<_, Error>(self.last_changes(folded, now, run, end.as_ref()))
                })
                .await;
            match (written, retries.next()) {
                (Ok(_), _) => {
                    let goes_on = state
                        .folded
                        .as_ref()
                        .is_some_and(|folded| !folded.is_terminal() && !folded.is_interrupted());
                    if goes_on
                        && !run.is_lost()
                        && let Some(delivery) = run.take()
                    {
                        run.past(|past| *past = Past::default());
                        // A handle of this turn grants nothing in the next one.
                        run.end_request();
                        state.running.go_on();
                        return Some(delivery);
                    }
                }
                (Err(error), Some(wait)) if !error.is_task_not_found() => {
                    drop(state);
                    tracing::warn!(%task, error = cause(&error), "the end of a turn was not written; trying again");
                    sleep(*wait).await;
                    continue;
                }
                (Err(error), _) => {
                    // The lease runs out: whoever takes it then knows that the turn was cut short.
                    tracing::error!(%task, error = cause(&error), "the end of a turn was not written");
                    self.leave(&mut state, run);
                    return None;
                }
            }
            // Under the lock, so that the next execution of this process takes the lease anew.
            if !self.leave(&mut state, run) {
                return None;
            }
            if let Err(error) = self.store.release_lease(scope, task, &self.holder).await {
                tracing::warn!(%task, error = cause(&error), "the lease on a task was not released");
            }
            return None;
        }
    }

    /// Notes that an execution is over. False when the task was no longer its own.
    fn leave(&self, state: &mut State, run: &Arc<Run>) -> bool {
        let own = state.run.take_if(|current| Arc::ptr_eq(current, run));
        if own.is_some() {
            state.running.rest();
        }
        own.is_some()
    }

    /// The changes that end a turn; none when the task has ended without it.
    fn last_changes(
        &self,
        folded: &Folded,
        now: a2a_wire::types::Timestamp,
        run: &Run,
        end: Option<&Finish>,
    ) -> Vec<Change> {
        let Some(end) = end.filter(|_| !folded.is_terminal() && !run.is_lost()) else {
            return Vec::new();
        };
        let mut changes = Vec::with_capacity(end.artifacts.len() + 1);
        for artifact in &end.artifacts {
            let mut artifact = artifact.clone();
            run.past(|past| past.artifact(&mut artifact, false));
            if let Some(fault) = folded.artifact_fault(&artifact, false) {
                let message = said(AgentMessage::from(format!(
                    "the agent broke a rule of the protocol: {fault}"
                )));
                return vec![self.status(folded, now, TaskState::Failed, message, None, true)];
            }
            let mut event = TaskArtifactUpdateEvent::default();
            event.artifact = Some(artifact);
            event.last_chunk = true;
            changes.push(Change::Artifact(event));
        }
        // The client has said more while the agent worked: there is no need to wait for it.
        let waiting = run.waiting();
        let answered = is_interrupted(end.state) && waiting > 0;
        let (state, author) = if answered {
            let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
            (TaskState::Working, Author::Turn(waiting))
        } else {
            (end.state, Author::Engine)
        };
        let message = end.message.clone().and_then(said);
        let status = self.status(folded, now, state, message, Some(&end.metadata), !answered);
        changes.push(status.written_by(author));
        changes
    }

    /// A message that another process has taken in just before this one gave its lease back, and
    /// that it has therefore left to this one.
    async fn left_over(&self, live: &LiveRef) -> Option<(Arc<Run>, Delivery)> {
        let mut state = live.state.lock().await;
        // A turn that was cut short is not for this process, which has just lost it.
        let rests = |folded: &Folded| folded.rests && !folded.is_terminal();
        if state.run.is_some() || !state.folded.as_ref().is_some_and(rests) {
            return None;
        }
        let deliveries = self.catch_up(live, &mut state).await.unwrap_or_default();
        let mut deliveries = deliveries.into_iter();
        let first = deliveries.next()?;
        let begun = self.begin(live, &mut state, true, first).await;
        match begun.ok()? {
            Begin::Run(run, first) => {
                for delivery in deliveries {
                    run.deliver(delivery);
                }
                Some((run, first))
            }
            Begin::Elsewhere(_) | Begin::Over => None,
        }
    }
}

/// What the agent is told as a turn begins.
fn facts(folded: &Folded, delivery: Delivery) -> TurnFacts {
    let Delivery {
        message,
        sequence,
        envelope,
        began,
    } = delivery;
    let task = began.map_or_else(|| folded.task.clone(), |task| *task);
    let same = |said: &a2a_wire::v1_0::Message| {
        said.role == Role::User as i32 && said.message_id == message.message_id
    };
    let earlier = task
        .history
        .iter()
        .rposition(same)
        .unwrap_or(task.history.len());
    let message = super::record::placed(message, &task.id, &task.context_id);
    TurnFacts {
        operation: format!("{}-{sequence}", task.id),
        task,
        earlier,
        message,
        envelope,
    }
}

/// How a turn ends its task; `None` when the task has ended without it.
fn end_of(task: &str, outcome: &Outcome, is_ended: bool) -> Option<Finish> {
    let failed = |reason: String| Some(Reply::failed(reason).0);
    match outcome {
        Outcome::Replied(reply) => Some(reply.0.clone()),
        Outcome::Failed(error) if error.is_ended() || is_ended => {
            // Nothing to log: the task has ended, most likely, and this is not written any more.
            failed(error.message().to_owned())
        }
        Outcome::Failed(error) => {
            let cause = error
                .source()
                .map(|source| source as &dyn std::error::Error);
            tracing::error!(%task, error = cause, "the agent failed: {error}");
            failed(error.message().to_owned())
        }
        Outcome::Panicked => {
            tracing::error!(%task, "the agent panicked");
            failed(crate::agent::UNEXPECTED.to_owned())
        }
        Outcome::TimedOut(limit) => {
            tracing::error!(%task, ?limit, "the agent took too long");
            failed(format!("the agent did not finish within {limit:?}"))
        }
        Outcome::Faulty(fault) => {
            tracing::error!(%task, "the agent broke a rule of the protocol: {fault}");
            failed(format!("the agent broke a rule of the protocol: {fault}"))
        }
        Outcome::Stopped | Outcome::Lost => None,
    }
}
