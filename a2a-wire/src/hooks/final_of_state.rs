//! The mark of the last event, which v0.3 has and v1.0 has not.
//!
//! Comes in: the mark, or the event. Goes out: nothing, or the mark. It follows from the state, so
//! that an event need not know its stream and its encoding can be shared.

use crate::adapt::{Adapter, Refused};
use crate::v1_0::{TaskState, TaskStatusUpdateEvent};

/// A mark that does not follow from the state is lost.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &["U2"];

/// Judges the mark of an event that comes up.
///
/// # Errors
/// None.
pub(crate) fn up(
    is_final: bool,
    event: &TaskStatusUpdateEvent,
    adapter: &Adapter,
) -> Result<(), Refused> {
    let derived = of_state(state(event));
    // Peers are not of one mind about the states that wait for somebody. An event that is not
    // marked though one would mark it says no more than that, and in protobuf not even this.
    if is_final && !derived {
        adapter.loss(
            "U2",
            "the state does not say that this event is the last one",
        );
    }
    Ok(())
}

/// The mark of an event that goes down.
#[must_use]
pub(crate) fn down(event: &TaskStatusUpdateEvent, adapter: &Adapter) -> bool {
    let state = state(event);
    of_state(state) || state == TaskState::AuthRequired && adapter.options().last_event
}

fn state(event: &TaskStatusUpdateEvent) -> TaskState {
    event
        .status
        .as_ref()
        .map_or(TaskState::Unspecified, crate::v1_0::TaskStatus::state)
}

/// True for states after which v0.3 expects no more events.
fn of_state(state: TaskState) -> bool {
    state.is_terminal() || state == TaskState::InputRequired
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapt::Options;
    use crate::v1_0::TaskStatus;

    fn event(state: TaskState) -> TaskStatusUpdateEvent {
        TaskStatusUpdateEvent::new().with_status(TaskStatus::new().with_state(state))
    }

    #[test]
    fn the_mark_follows_from_the_state() {
        let usual = Adapter::default();
        let last = Adapter::new(Options {
            last_event: true,
            ..Options::default()
        });
        for (state, is_final, is_final_at_the_end) in [
            (TaskState::Unspecified, false, false),
            (TaskState::Submitted, false, false),
            (TaskState::Working, false, false),
            (TaskState::Completed, true, true),
            (TaskState::Failed, true, true),
            (TaskState::Canceled, true, true),
            (TaskState::Rejected, true, true),
            (TaskState::InputRequired, true, true),
            (TaskState::AuthRequired, false, true),
        ] {
            assert_eq!(down(&event(state), &usual), is_final, "{state:?}");
            assert_eq!(down(&event(state), &last), is_final_at_the_end, "{state:?}");
        }
        assert!(!down(&TaskStatusUpdateEvent::new(), &usual));
    }

    #[test]
    fn a_mark_that_does_not_follow_is_told() {
        for (state, is_final, is_lost) in [
            (TaskState::Completed, true, false),
            (TaskState::Completed, false, false),
            (TaskState::InputRequired, false, false),
            (TaskState::Working, false, false),
            (TaskState::Working, true, true),
            (TaskState::AuthRequired, true, true),
        ] {
            let adapter = Adapter::default();
            assert_eq!(up(is_final, &event(state), &adapter), Ok(()));
            assert_eq!(!adapter.into_losses().is_empty(), is_lost, "{state:?}");
        }
    }
}
