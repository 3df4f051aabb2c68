//! The engine's side of what an agent holds while it works.

use std::sync::{Arc, Weak};

use a2a_wire::v1_0::{Artifact, Message, Task, TaskArtifactUpdateEvent, TaskState};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::access::{Action, Deed};
use super::core::{Core, said};
use super::execution::Run;
use super::fold::Folded;
use super::live::Live;
use super::record::{Author, Change};
use super::replay::Asked;
use crate::agent::{AgentError, AgentMessage, Envelope, Granted};
use crate::store::{History, ListQuery, Listed, Scope, Select};
use crate::{CallContext, Shared};

/// A message on its way to the agent.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) message: Message,
    /// Its place in the task's log.
    pub(super) sequence: u64,
    pub(super) envelope: Envelope,
    /// The task as the turn began that this message begins, when it is gone through again.
    pub(super) began: Option<Box<Task>>,
}

/// Reads tasks that a caller may see.
#[derive(Clone)]
pub(crate) struct TaskReader {
    pub(super) core: Arc<Core>,
    pub(super) scope: Scope,
}

impl TaskReader {
    /// Tasks that a message of this call refers to.
    pub(crate) async fn read_all(
        &self,
        call: &CallContext,
        ids: &[String],
    ) -> Result<Vec<Shared<Task>>, AgentError> {
        let tenant = Arc::from(self.scope.tenant());
        let mut tasks = Vec::with_capacity(ids.len());
        for id in ids {
            let reach = self.core.referred(call, &tenant, id).await?;
            tasks.push(self.core.read_in(&reach, id, None).await?);
        }
        Ok(tasks)
    }

    /// The newest tasks of a context that a call may see, `without` one of them.
    pub(crate) async fn in_context(
        &self,
        call: &CallContext,
        context_id: &str,
        without: &str,
        limit: usize,
    ) -> Result<Vec<Task>, AgentError> {
        let limit = limit.min(CONTEXT_TASKS);
        let deed = Deed {
            operation: "ListTasks",
            action: Action::List,
            task: None,
        };
        let tenant = Arc::from(self.scope.tenant());
        let reach = self.core.reach_in(call, tenant, deed).await?;
        let query = ListQuery {
            context_id: Some(Arc::from(context_id)),
            state: None,
            since: None,
            after: None,
            // One more, in the place of the one that is left out.
            limit: limit + 1,
            select: Select {
                history: History::All,
                artifacts: true,
            },
        };
        let page = self.core.list_in(reach.scopes(), &query).await?;
        let others = page.tasks.iter().filter(|listed| &*listed.task != without);
        let tasks = others
            .take(limit)
            .map(|Listed { task, snapshot }| Ok(Folded::load(task, snapshot)?.task));
        tasks.collect()
    }
}

/// How many tasks of its context an agent gets at most.
const CONTEXT_TASKS: usize = 100;

/// What one execution may do to its task. Holds the task weakly: an agent that keeps it for ever
/// keeps nothing else.
pub(crate) struct TurnHandle {
    pub(super) reader: TaskReader,
    pub(super) live: Weak<Live>,
    pub(super) run: Arc<Run>,
    /// Fires with the token of the run; an agent that fires it itself reaches nobody else.
    pub(super) token: CancellationToken,
}

impl TurnHandle {
    pub(crate) fn reader(&self) -> &TaskReader {
        &self.reader
    }

    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// What the agent reports.
    pub(crate) async fn news(
        &self,
        state: TaskState,
        message: Option<AgentMessage>,
    ) -> Result<(), AgentError> {
        if self.run.past(|past| past.news(state)) {
            return self.still_runs();
        }
        let message = message.and_then(said);
        self.write_status(state, message, Author::News).await
    }

    /// Asks something, and waits for the answer.
    pub(crate) async fn ask(&self, question: AgentMessage) -> Result<Message, AgentError> {
        self.put(TaskState::InputRequired, question, false).await?;
        self.next_message().await
    }

    /// Asks for an authorization, and waits for it or for a message.
    pub(crate) async fn require_auth(&self, message: AgentMessage) -> Result<Granted, AgentError> {
        let granted = self.authorization(message).await;
        self.run.end_request();
        granted
    }

    async fn authorization(&self, message: AgentMessage) -> Result<Granted, AgentError> {
        let early = self.run.take_grant();
        let asked = self
            .put(TaskState::AuthRequired, message, early.is_some())
            .await?;
        let value = match early {
            Some(value) => value,
            None => tokio::select! {
                biased;
                () = self.run.token.cancelled() => return Err(AgentError::ended()),
                value = self.run.granted() => value,
                // Messages of the past belong to other questions, if this one was granted.
                delivery = self.run.receive_new(), if asked == Asked::Granted => {
                    return Ok(Granted::Message(delivery.message));
                }
                delivery = self.run.receive(), if asked != Asked::Granted => {
                    return Ok(Granted::Message(delivery.message));
                }
            },
        };
        self.write_status(TaskState::Working, None, Author::Granted)
            .await?;
        Ok(Granted::OutOfBand(value))
    }

    /// Writes a question, unless it has been written already. One that is answered `early` is not
    /// shown as open, and neither is one whose answer has come before it.
    async fn put(
        &self,
        state: TaskState,
        question: AgentMessage,
        early: bool,
    ) -> Result<Asked, AgentError> {
        let message = said(question);
        let words = message
            .as_ref()
            .map(|message| message.parts.as_slice())
            .unwrap_or_default();
        let Ok(asked) = self.run.past(|past| past.question(words)) else {
            let fault = "after a restart it asked something else than before; skills with on_restart = \"replay\" must ask the same again";
            self.run.fail(fault.to_owned());
            return Err(AgentError::new(fault));
        };
        let state = if early { TaskState::Working } else { state };
        self.record(|core, folded, now| {
            let waiting = self.run.waiting() > 0;
            // It stands, or the answer is there.
            if asked == Asked::Before && (waiting || folded.state() == state) {
                return Ok(None);
            }
            // The answer has come before the question: there is nothing to wait for.
            let answered = waiting && state == TaskState::InputRequired;
            let state = if answered { TaskState::Working } else { state };
            let change = core.status(folded, now, state, message.clone(), None, false);
            Ok(Some(change.written_by(Author::Question)))
        })
        .await?;
        Ok(asked)
    }

    async fn write_status(
        &self,
        state: TaskState,
        message: Option<Message>,
        author: Author,
    ) -> Result<(), AgentError> {
        self.record(|core, folded, now| {
            let change = core.status(folded, now, state, message.clone(), None, false);
            Ok(Some(change.written_by(author)))
        })
        .await
    }

    pub(crate) async fn artifact(
        &self,
        mut artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), AgentError> {
        if self.run.past(|past| past.artifact(&mut artifact, append)) {
            return self.still_runs();
        }
        if artifact.artifact_id.is_empty() && !append {
            artifact.artifact_id = Uuid::new_v4().to_string();
        }
        let mut event = TaskArtifactUpdateEvent::default();
        event.append = append;
        event.last_chunk = last_chunk;
        event.artifact = Some(artifact);
        self.record(|_, folded, _| {
            let artifact = event.artifact.as_ref();
            match artifact.and_then(|artifact| folded.artifact_fault(artifact, append)) {
                Some(fault) => {
                    self.run.fail(fault.clone());
                    Err(AgentError::new(fault))
                }
                None => Ok(Some(Change::Artifact(event.clone()))),
            }
        })
        .await
    }

    pub(crate) async fn next_message(&self) -> Result<Message, AgentError> {
        tokio::select! {
            biased;
            () = self.run.token.cancelled() => Err(AgentError::ended()),
            delivery = self.run.receive() => Ok(delivery.message),
        }
    }

    /// A way to grant what the next request for authorization asks for.
    pub(crate) fn grants(&self) -> Grants {
        Grants {
            run: Arc::downgrade(&self.run),
            request: self.run.request(),
        }
    }

    /// Nothing has to be written; if it had, it would be refused when the task has ended.
    fn still_runs(&self) -> Result<(), AgentError> {
        if self.run.token.is_cancelled() {
            return Err(AgentError::ended());
        }
        Ok(())
    }

    /// Writes what the agent reports, unless its task has ended.
    async fn record(
        &self,
        change: impl Fn(
            &Core,
            &Folded,
            a2a_wire::types::Timestamp,
        ) -> Result<Option<Change>, AgentError>
        + Send
        + Sync,
    ) -> Result<(), AgentError> {
        let live = self.live.upgrade().ok_or_else(AgentError::ended)?;
        let core = &*self.reader.core;
        let mut state = live.state.lock().await;
        if !state
            .run
            .as_ref()
            .is_some_and(|run| Arc::ptr_eq(run, &self.run))
        {
            return Err(AgentError::ended());
        }
        core.write(&live, &mut state, |folded, now| {
            if folded.is_terminal() || self.run.is_lost() {
                return Err(AgentError::ended());
            }
            Ok(Vec::from_iter(change(core, folded, now)?))
        })
        .await?;
        match state.folded.as_ref().is_some_and(Folded::is_interrupted) {
            true => state.running.rest(),
            false => state.running.go_on(),
        }
        Ok(())
    }
}

/// The way of a grant to the execution that waits for it, as long as it is there.
#[derive(Clone)]
pub(crate) struct Grants {
    run: Weak<Run>,
    request: u64,
}

impl Grants {
    pub(crate) fn grant(&self, value: Value) -> bool {
        self.run
            .upgrade()
            .is_some_and(|run| run.grant(self.request, value))
    }
}
