//! What one message leads to: the answer, or a stream's events folded into the task.

use a2a_kit::client::Update;
use a2a_kit::v1_0::{Task, TaskArtifactUpdateEvent, TaskState};

use crate::report::{Checked, Fault, ensure, equal};

/// A task as far as it is known, and the way there.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// The states and artifacts that were seen, in order.
    pub(crate) trail: Vec<String>,
    /// How many updates there were.
    pub(crate) updates: usize,
    /// True when the first update was the task.
    pub(crate) opened_with_task: bool,
    pub(crate) task: Task,
}

impl Turn {
    /// A turn that is all in one answer.
    pub(crate) fn answered(task: Task) -> Self {
        Self {
            trail: vec![mark(task.state())],
            updates: 1,
            opened_with_task: true,
            task,
        }
    }

    /// A turn about a task that is known already.
    pub(crate) fn of(task: Task) -> Self {
        Self {
            task,
            ..Self::default()
        }
    }

    /// Takes in what a stream tells.
    pub(crate) fn add(&mut self, update: Update) -> Checked {
        self.updates += 1;
        match update {
            Update::Task(task) => {
                self.opened_with_task |= self.updates == 1;
                self.trail.push(mark(task.state()));
                self.task = task;
            }
            Update::Status(update) => {
                self.check_ids(&update.task_id, &update.context_id)?;
                let status = update
                    .status
                    .ok_or_else(|| Fault::new("a status update without a status"))?;
                self.trail.push(mark(status.state()));
                self.task.status = Some(status);
            }
            Update::Artifact(update) => {
                self.check_ids(&update.task_id, &update.context_id)?;
                self.add_artifact(update)?;
            }
            Update::Message(message) => {
                return Err(Fault::new(format!(
                    "a message in the place of a task: {message:?}"
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn last_word(&self) -> Option<&str> {
        self.trail.last().map(String::as_str)
    }

    pub(crate) fn state(&self) -> TaskState {
        self.task.state()
    }

    fn check_ids(&self, task_id: &str, context_id: &str) -> Checked {
        ensure(!self.task.id.is_empty(), || {
            "an update of a task that is not known yet".to_owned()
        })?;
        equal("task id of an update", task_id, self.task.id.as_str())?;
        equal(
            "context id of an update",
            context_id,
            self.task.context_id.as_str(),
        )
    }

    fn add_artifact(&mut self, update: TaskArtifactUpdateEvent) -> Checked {
        let artifact = update
            .artifact
            .ok_or_else(|| Fault::new("an artifact update without an artifact"))?;
        self.trail.push(format!("artifact {}", artifact.name));
        let known = self
            .task
            .artifacts
            .iter_mut()
            .find(|known| known.artifact_id == artifact.artifact_id);
        match known {
            Some(known) if update.append => known.parts.extend(artifact.parts),
            Some(known) => *known = artifact,
            None => self.task.artifacts.push(artifact),
        }
        Ok(())
    }
}

/// A state as trails show it: `INPUT_REQUIRED`.
pub(crate) fn mark(state: TaskState) -> String {
    let name = state.as_str_name();
    name.strip_prefix("TASK_STATE_").unwrap_or(name).to_owned()
}
