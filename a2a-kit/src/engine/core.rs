//! What all rooms of the engine share: the agent, the store, the live tasks, and the one way to
//! change a task.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use a2a_wire::types::{Struct, Timestamp};
use a2a_wire::v1_0::{AgentCard, Message, Role, TaskState, TaskStatus};
use tokio::time::sleep;
use uuid::Uuid;

use super::access::DynAuthorizer;
use super::cache::Cache;
use super::clock::Clock;
use super::extended::Extended;
use super::fold::Folded;
use super::live::{Key, Live, LiveRef, Lives, State};
use super::media::Modes;
use super::record::{Author, Change, StatusChange, bare};
use super::tenant::{TenantFacts, Tenants};
use super::turn::Delivery;
use crate::agent::{AgentMessage, DynAgent, Envelope};
use crate::store::{DynStore, Limit, Record, Scope, Select, StoreError};
use crate::{Binding, CallContext, Caller, CardAdmission, Error, ProtocolVersion};

/// How much of a log is read at once.
pub(super) const LOG_PAGE: Limit = Limit {
    records: 64,
    bytes: 64 * 1024,
};

/// How long to wait for readers of a finished task that are not of this process, at first and at
/// last.
const SETTLE_AGAIN: Duration = Duration::from_millis(100);
const SETTLE_AT_LAST: Duration = Duration::from_secs(60);

/// How often a change is decided anew because others have changed the task meanwhile.
const ATTEMPTS: usize = 100;

pub(crate) struct Core {
    pub(super) agent: Arc<dyn DynAgent>,
    pub(super) store: Arc<dyn DynStore>,
    pub(super) lives: Arc<Lives>,
    pub(super) cache: Cache,
    pub(super) clock: Box<dyn Clock>,
    pub(super) card: AgentCard,
    pub(super) admission: CardAdmission,
    pub(super) extended: Option<Extended>,
    pub(super) tenants: Tenants,
    /// What is particular to tenants, by their names.
    pub(super) tenant_facts: HashMap<String, TenantFacts>,
    /// `None` when callers see their own tasks.
    pub(super) authorizer: Option<Box<dyn DynAuthorizer>>,
    /// `None` when media types are not checked.
    pub(super) modes: Option<Modes>,
    pub(super) task_timeout: Option<Duration>,
    pub(super) cancel_grace: Duration,
    pub(super) lease: Duration,
    /// The name under which this engine holds leases.
    pub(super) holder: String,
}

impl Core {
    pub(super) fn hold(&self, scope: &Scope, task: &str) -> LiveRef {
        self.lives.hold(Key {
            scope: scope.clone(),
            task: Arc::from(task),
        })
    }

    /// Makes a task live and loads it. `None` when there is none.
    pub(super) async fn open(&self, scope: &Scope, task: &str) -> Result<Option<LiveRef>, Error> {
        let live = self.hold(scope, task);
        let found = self.load(&live, &mut *live.state.lock().await).await?;
        Ok(found.then_some(live))
    }

    async fn load(&self, live: &Live, state: &mut State) -> Result<bool, Error> {
        if state.folded.is_some() {
            return Ok(true);
        }
        let Key { scope, task } = &live.key;
        let Some(snapshot) = self.store.snapshot(scope, task, Select::ALL).await? else {
            return Ok(false);
        };
        let folded = Folded::load(task, &snapshot)?;
        live.loaded(&folded);
        state.folded = Some(folded);
        Ok(true)
    }

    /// Changes a task: `decide` says how, from what it is and the time; asked again when others
    /// were faster. Returns where the task stands then. No change is fine, too.
    pub(super) async fn write<E: From<Error>>(
        &self,
        live: &Live,
        state: &mut State,
        mut decide: impl FnMut(&Folded, Timestamp) -> Result<Vec<Change>, E> + Send,
    ) -> Result<u64, E> {
        let Key { scope, task } = &live.key;
        for _ in 0..ATTEMPTS {
            let Some(folded) = &state.folded else {
                return Err(not_found(task).into());
            };
            let now = self.clock.now().max(folded.status_timestamp());
            let changes = decide(folded, now)?;
            if changes.is_empty() {
                return Ok(folded.sequence);
            }
            let batch = changes
                .iter()
                .map(Change::encode)
                .collect::<Result<Vec<Record>, Error>>()?;
            let index = folded.index_after(&changes);
            match self
                .store
                .append(scope, task, folded.sequence, batch, index)
                .await
            {
                Ok(_) => return Ok(apply(live, state, changes)),
                Err(StoreError::Conflict { .. }) => {
                    self.catch_up(live, state).await?;
                }
                Err(error) => return Err(Error::from(error).into()),
            }
        }
        Err(Error::new(
            crate::Code::Aborted,
            "the task changes faster than this change can be made; try again",
        )
        .into())
    }

    /// Reads what others have done to a task. Who executes it here is told, also when another
    /// process does so now. Returns messages that nobody here works on.
    pub(super) async fn catch_up(
        &self,
        live: &Live,
        state: &mut State,
    ) -> Result<Vec<Delivery>, Error> {
        let Key { scope, task } = &live.key;
        let mut messages = Vec::new();
        loop {
            let Some(folded) = &state.folded else {
                self.load(live, state).await?;
                return Ok(messages);
            };
            let page = self
                .store
                .read_log(scope, task, folded.sequence, LOG_PAGE)
                .await?;
            if page.sequence == 0 {
                state.folded = None;
                return Err(not_found(task));
            }
            if page.base > folded.sequence {
                // Compacted: it has ended, and what was between can be seen in the task itself.
                state.folded = None;
                self.load(live, state).await?;
                stop_if_ended(state);
                return Ok(messages);
            }
            if page.records.is_empty() {
                return Ok(messages);
            }
            let changes = page
                .records
                .iter()
                .map(|record| Change::decode(record.kind, &record.data));
            let changes = changes.collect::<Result<Vec<Change>, Error>>()?;
            for (sequence, change) in (folded.sequence + 1..).zip(&changes) {
                match change {
                    Change::Message(message) => {
                        let delivery = self.remote(live, message.clone(), sequence);
                        match &state.run {
                            Some(run) => run.deliver(delivery),
                            None => messages.push(delivery),
                        }
                    }
                    Change::TakenOver => {
                        if let Some(run) = state.run.take() {
                            run.lose();
                            state.running.rest();
                        }
                    }
                    Change::Status(_) | Change::Artifact(_) => {}
                }
            }
            apply(live, state, changes);
            stop_if_ended(state);
        }
    }

    /// A message that another process has taken in; little is known about its call.
    pub(super) fn remote(&self, live: &Live, message: Message, sequence: u64) -> Delivery {
        let Key { scope, .. } = &live.key;
        let caller = if scope.owner().is_empty() {
            Caller::anonymous()
        } else {
            Caller::known(scope.owner())
        };
        let envelope = Envelope {
            call: CallContext::new(Binding::Local, ProtocolVersion::V1_0).with_caller(caller),
            tenant: Arc::from(scope.tenant()),
            metadata: None,
            accepted_output_modes: Vec::new(),
        };
        Delivery {
            message,
            sequence,
            envelope,
            began: None,
        }
    }

    /// A new status. `message` is one that [`said`] has made; `news` is added to the metadata.
    pub(super) fn status(
        &self,
        folded: &Folded,
        now: Timestamp,
        state: TaskState,
        message: Option<Message>,
        news: Option<&Struct>,
        rests: bool,
    ) -> Change {
        let mut status = TaskStatus::default();
        status.state = state as i32;
        status.message = message;
        status.timestamp = Some(now);
        let news = news.filter(|news| !news.0.is_empty());
        let metadata = news.map_or_else(
            || folded.task.metadata.clone(),
            |news| folded.metadata_with(news),
        );
        Change::Status(StatusChange {
            status,
            metadata,
            news: news.is_some(),
            rests,
            author: Author::Engine,
        })
    }

    /// Compacts the log of a task that has ended, once nobody reads it any more.
    pub(super) async fn settle(&self, live: LiveRef) {
        {
            let state = live.state.lock().await;
            // Whoever still executes it comes here later.
            if state.run.is_some() || !state.folded.as_ref().is_some_and(Folded::is_terminal) {
                return;
            }
        }
        let mut wait = SETTLE_AGAIN;
        loop {
            live.drained().await;
            if self.compact(&live).await {
                return;
            }
            // Another process reads it.
            sleep(wait).await;
            wait = (2 * wait).min(SETTLE_AT_LAST);
        }
    }

    /// False when someone still reads the log.
    pub(super) async fn compact(&self, live: &Live) -> bool {
        let state = live.state.lock().await;
        let Some(folded) = &state.folded else {
            return true;
        };
        let Key { scope, task } = &live.key;
        let compacted = match folded.compacted() {
            Ok(records) => {
                let compacted = self.store.compact(scope, task, folded.sequence, records);
                compacted.await.map_err(Error::from)
            }
            Err(error) => Err(error),
        };
        compacted.unwrap_or_else(|error| {
            // The task stays readable; its log is longer than it must be.
            tracing::warn!(%task, error = cause(&error), "the log of a finished task was not compacted");
            true
        })
    }
}

/// Notes changes that the store has taken. Returns where the task stands.
fn apply(live: &Live, state: &mut State, changes: Vec<Change>) -> u64 {
    state.opening = None;
    let Some(folded) = &mut state.folded else {
        return 0;
    };
    for change in changes {
        live.publish(folded.sequence + 1, &change);
        folded.apply(change);
    }
    live.reached.store(folded.sequence, Ordering::Release);
    folded.sequence
}

fn stop_if_ended(state: &State) {
    let ended = state.folded.as_ref().is_some_and(Folded::is_terminal);
    if ended && let Some(run) = &state.run {
        run.token.cancel();
    }
}

/// What an agent says, as its task keeps it. `None` when there are no parts: a message must have
/// some.
pub(super) fn said(message: AgentMessage) -> Option<Message> {
    let AgentMessage(mut message) = message;
    if message.parts.is_empty() {
        return None;
    }
    message.role = Role::Agent as i32;
    if message.message_id.is_empty() {
        message.message_id = Uuid::new_v4().to_string();
    }
    Some(bare(message))
}

/// An error as log lines take it.
pub(super) fn cause<E: std::error::Error + 'static>(
    error: &E,
) -> &(dyn std::error::Error + 'static) {
    error
}

/// There is no such task, or none that this caller may see: the answers are the same.
pub(super) fn not_found(task: &str) -> Error {
    let task: String = task.chars().take(80).collect();
    Error::task_not_found(format!("there is no task {task:?}")).with_metadata("taskId", task)
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::task_not_found("the task is gone"),
            error @ StoreError::Conflict { .. } => Self::new(
                crate::Code::Aborted,
                "the task has changed meanwhile; try again",
            )
            .with_source(error),
            error => Self::new(
                crate::Code::Unavailable,
                "tasks cannot be read or written at the moment",
            )
            .with_source(error),
        }
    }
}
