//! How a task stands, and how to go on with it.
//!
//! Comes in: a task's state. Goes out: its name for people, and an exit code.

use a2a_kit::v1_0::TaskState;

use crate::exit::Exit;

/// The name of a state: `input required`.
pub(super) fn name(state: TaskState) -> String {
    state
        .as_str_name()
        .trim_start_matches("TASK_STATE_")
        .to_ascii_lowercase()
        .replace('_', " ")
}

/// The state of a name, with spaces, dashes or underscores, as in the protocol or without its prefix.
pub(super) fn of_name(name: &str) -> Result<TaskState, String> {
    let wanted = name.to_ascii_uppercase().replace([' ', '-'], "_");
    let wanted = wanted.trim_start_matches("TASK_STATE_");
    TaskState::from_str_name(&format!("TASK_STATE_{wanted}"))
        .ok_or_else(|| "it is a state such as working, completed or input-required".to_owned())
}

/// What a command ends with that leaves the task in a state.
pub(super) fn exit(state: TaskState) -> Exit {
    match state {
        TaskState::Failed | TaskState::Canceled | TaskState::Rejected => Exit::Unsuccessful,
        TaskState::InputRequired | TaskState::AuthRequired => Exit::NeedsAnswer,
        TaskState::Unspecified
        | TaskState::Submitted
        | TaskState::Working
        | TaskState::Completed => Exit::Done,
    }
}

/// True for states in which the agent still works.
pub(super) fn is_busy(state: TaskState) -> bool {
    matches!(state, TaskState::Submitted | TaskState::Working)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_names_and_exits() {
        for (state, shown, code) in [
            (TaskState::Submitted, "submitted", Exit::Done),
            (TaskState::Completed, "completed", Exit::Done),
            (TaskState::Failed, "failed", Exit::Unsuccessful),
            (TaskState::Canceled, "canceled", Exit::Unsuccessful),
            (TaskState::Rejected, "rejected", Exit::Unsuccessful),
            (
                TaskState::InputRequired,
                "input required",
                Exit::NeedsAnswer,
            ),
            (TaskState::AuthRequired, "auth required", Exit::NeedsAnswer),
        ] {
            assert_eq!((name(state).as_str(), exit(state)), (shown, code));
            assert_eq!(of_name(shown), Ok(state));
            assert_eq!(of_name(state.as_str_name()), Ok(state));
        }
        assert!(of_name("done").is_err());
    }
}
