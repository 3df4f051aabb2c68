//! Tasks that end in another way than with a report.

use a2a_kit::v1_0::TaskState;

use crate::report::{Played, equal};
use crate::script::CHINESE;
use crate::session::{Session, refused};

pub(super) async fn others(session: &Session) -> Played {
    for (text, state) in [("reject", TaskState::Rejected), ("fail", TaskState::Failed)] {
        session
            .steps
            .step(
                &format!("{text:?} ends in {}", state.as_str_name()),
                async {
                    let turn = session.send(session.say(text)).await?;
                    equal("state", turn.state(), state)?;
                    equal(
                        "state by GetTask",
                        session.client.get_task(&turn.task.id).await?.state(),
                        state,
                    )
                },
            )
            .await?;
    }
    Ok(())
}

pub(super) async fn returns_immediately(session: &Session) -> Played {
    let steps = &session.steps;
    let task = steps
        .step("'slow' returns immediately", session.start_slow())
        .await?;
    steps
        .step("it is still at work", async {
            let stored = session.client.get_task(&task.id).await?;
            equal("state by GetTask", stored.state(), TaskState::Working)?;
            session.client.cancel(&task.id).await?;
            Ok(())
        })
        .await
}

pub(super) async fn cancel(session: &Session) -> Played {
    let steps = &session.steps;
    let task = steps
        .step("'slow' returns immediately", session.start_slow())
        .await?;
    steps
        .step("CancelTask ends it", async {
            let canceled = session.client.cancel(&task.id).await?;
            equal("task id", &canceled.id, &task.id)?;
            equal("state", canceled.state(), TaskState::Canceled)?;
            equal(
                "state by GetTask",
                session.client.get_task(&task.id).await?.state(),
                TaskState::Canceled,
            )
        })
        .await?;
    steps
        .step("CancelTask once more", async {
            let again = session.client.cancel(&task.id).await;
            if session.peer.habits.cancels_once {
                return refused(again, "TASK_NOT_CANCELABLE");
            }
            equal("state", again?.state(), TaskState::Canceled)
        })
        .await
}

pub(super) async fn cancel_while_it_waits(session: &Session) -> Played {
    let steps = &session.steps;
    steps
        .step("a task that waits for the user can be canceled", async {
            let asked = session.send(session.say(CHINESE.request)).await?;
            equal("state", asked.state(), TaskState::InputRequired)?;
            let canceled = session.client.cancel(&asked.task.id).await?;
            equal("state", canceled.state(), TaskState::Canceled)?;
            equal("context id", &canceled.context_id, &asked.task.context_id)
        })
        .await
}
