//! The names of the extension by which agents of this kit publish what their skills take and give
//! (`docs/skill-schemas.md`), for both sides.
//!
//! Comes in: a failed task. Goes out: the reason that its agent gave.

#[cfg(feature = "contracts")]
pub(crate) mod checker;
#[cfg(feature = "contracts")]
#[cfg_attr(
    not(feature = "client"),
    allow(dead_code, reason = "servers check what they make themselves")
)]
pub(crate) mod result;

use a2a_wire::v1_0::{Message, Task};

/// URI of the extension.
pub const SKILL_SCHEMAS_URI: &str = "urn:a2a-kit:skill-schemas:v1";

/// Key in the metadata of a message (or of its request): the id of the skill that it is for. In the
/// metadata of a task: the id of the skill that works on it.
pub const SKILL_KEY: &str = "urn:a2a-kit:skill-schemas:v1/skill";

/// Key in the metadata of the status message of a failed task: the reason, one of those that the
/// card publishes for the skill.
pub const REASON_KEY: &str = "urn:a2a-kit:skill-schemas:v1/reason";

/// The reason that an agent gave for the failure of a task, such as `UNKNOWN_SUPPLIER`; `None` when
/// it gave none, or the task has not failed. The words are in the message of the task's status.
///
/// ```
/// use a2a_kit::client::failure_reason;
/// use a2a_kit::v1_0::Task;
///
/// assert_eq!(failure_reason(&Task::default()), None);
/// ```
#[must_use]
pub fn failure_reason(task: &Task) -> Option<&str> {
    let status = task.status.as_ref()?;
    if status.state() != a2a_wire::v1_0::TaskState::Failed {
        return None;
    }
    reason_of(status.message.as_ref()?)
}

fn reason_of(message: &Message) -> Option<&str> {
    message.metadata.as_ref()?.get(REASON_KEY)?.as_str()
}

#[cfg(test)]
mod tests {
    use a2a_wire::types::Struct;
    use a2a_wire::v1_0::{TaskState, TaskStatus};
    use serde_json::Value;

    use super::*;

    fn task(state: TaskState, reason: impl Into<Value>) -> Task {
        let said = Message::new().with_metadata(Struct::from([(REASON_KEY, reason)]));
        Task::new().with_status(TaskStatus::new().with_state(state).with_message(said))
    }

    #[test]
    fn a_reason_is_read_from_failed_tasks_only() {
        let failed = task(TaskState::Failed, "CLOSED");
        assert_eq!(failure_reason(&failed), Some("CLOSED"));
        assert_eq!(failure_reason(&task(TaskState::Completed, "CLOSED")), None);
        assert_eq!(failure_reason(&task(TaskState::Failed, 7)), None);
        assert_eq!(failure_reason(&Task::default()), None);
    }
}
