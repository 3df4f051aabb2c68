//! What the states of a task mean.
//!
//! Comes in: a state. Goes out: whether anything follows it, and who moves next.

use crate::v1_0::{Task, TaskState};

impl TaskState {
    /// True for the states that a task never leaves: completed, failed, canceled, rejected.
    ///
    /// ```
    /// use a2a_wire::v1_0::TaskState;
    /// assert!(TaskState::Rejected.is_terminal());
    /// assert!(!TaskState::InputRequired.is_terminal());
    /// ```
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// True for the states in which the agent waits for somebody: input required, auth required.
    #[must_use]
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

impl Task {
    /// The state that the task is in; unspecified when its status is missing.
    #[must_use]
    pub fn state(&self) -> TaskState {
        self.status
            .as_ref()
            .map_or(TaskState::Unspecified, crate::v1_0::TaskStatus::state)
    }
}
