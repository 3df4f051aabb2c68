//! How an execution ends.

use a2a_wire::types::Struct;
use a2a_wire::v1_0::{Artifact, TaskState};

use super::AgentMessage;

/// How an execution ends: with the task's end, or with a question to the client.
///
/// ```
/// use a2a_kit::agent::{Reply, artifact};
///
/// let done = Reply::completed().with_artifact(artifact("report", "No risk found."));
/// let ask = Reply::input_required("In which region is the supplier registered?");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a reply does nothing until the agent returns it"]
pub struct Reply(pub(crate) Finish);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finish {
    pub(crate) state: TaskState,
    pub(crate) message: Option<AgentMessage>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) metadata: Struct,
}

impl Reply {
    fn new(state: TaskState, message: Option<AgentMessage>) -> Self {
        Self(Finish {
            state,
            message,
            artifacts: Vec::new(),
            metadata: Struct::default(),
        })
    }

    /// The task is done. Its results are artifacts; a message is only said about it.
    pub fn completed() -> Self {
        Self::new(TaskState::Completed, None)
    }

    /// The client is asked something. Its answer starts another execution, to which the question
    /// and all that came before is in [`TaskContext::history`](super::TaskContext::history).
    pub fn input_required(question: impl Into<AgentMessage>) -> Self {
        Self::new(TaskState::InputRequired, Some(question.into()))
    }

    /// The client is to grant something, as the message explains. The state by itself authorizes
    /// nothing; the next message starts another execution.
    pub fn auth_required(message: impl Into<AgentMessage>) -> Self {
        Self::new(TaskState::AuthRequired, Some(message.into()))
    }

    /// The agent will not work on this.
    pub fn rejected(reason: impl Into<AgentMessage>) -> Self {
        Self::new(TaskState::Rejected, Some(reason.into()))
    }

    /// The agent tried and could not.
    pub fn failed(reason: impl Into<AgentMessage>) -> Self {
        Self::new(TaskState::Failed, Some(reason.into()))
    }

    /// Says something along with the state.
    pub fn with_message(mut self, message: impl Into<AgentMessage>) -> Self {
        self.0.message = Some(message.into());
        self
    }

    /// Hands over a whole artifact before the state is set. One with the id of an earlier artifact
    /// takes its place.
    pub fn with_artifact(mut self, artifact: impl Into<Artifact>) -> Self {
        self.0.artifacts.push(artifact.into());
        self
    }

    /// Sets an entry in the task's metadata.
    pub fn with_metadata(
        mut self,
        key: impl Into<String>,
        value: impl Into<serde_json::Value>,
    ) -> Self {
        self.0.metadata.0.insert(key.into(), value.into());
        self
    }

    /// The state that the task will be in.
    #[must_use]
    pub fn state(&self) -> TaskState {
        self.0.state
    }
}
