//! The engine's side of what an agent holds while it works.

use std::sync::{Arc, Weak};

use a2a_wire::v1_0::{Artifact, Message, Task, TaskArtifactUpdateEvent, TaskState};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::core::{Core, said};
use super::live::{Live, Run};
use super::record::Change;
use crate::Shared;
use crate::agent::{AgentError, AgentMessage, Envelope};
use crate::store::Scope;

/// A message on its way to the agent.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) message: Message,
    pub(super) envelope: Envelope,
}

/// Reads tasks that a caller may see.
#[derive(Clone)]
pub(crate) struct TaskReader {
    pub(super) core: Arc<Core>,
    pub(super) scope: Scope,
}

impl TaskReader {
    pub(crate) async fn read_all(&self, ids: &[String]) -> Result<Vec<Shared<Task>>, AgentError> {
        let mut tasks = Vec::with_capacity(ids.len());
        for id in ids {
            tasks.push(self.core.read_task(&self.scope, id, None).await?);
        }
        Ok(tasks)
    }
}

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

    pub(crate) async fn status(
        &self,
        state: TaskState,
        message: Option<AgentMessage>,
    ) -> Result<(), AgentError> {
        let message = message.and_then(said);
        self.record(|core, folded, now| {
            // The answer has come before the question: there is nothing to wait for.
            let answered = state == TaskState::InputRequired && self.run.waiting() > 0;
            let state = if answered { TaskState::Working } else { state };
            Ok(core.status(folded, now, state, message.clone(), None, false))
        })
        .await
    }

    pub(crate) async fn artifact(
        &self,
        mut artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), AgentError> {
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
                None => Ok(Change::Artifact(event.clone())),
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

    /// Writes what the agent reports, unless its task has ended.
    async fn record(
        &self,
        change: impl Fn(
            &Core,
            &super::fold::Folded,
            a2a_wire::types::Timestamp,
        ) -> Result<Change, AgentError>
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
            if folded.is_terminal() {
                return Err(AgentError::ended());
            }
            Ok(vec![change(core, folded, now)?])
        })
        .await?;
        Ok(())
    }
}
