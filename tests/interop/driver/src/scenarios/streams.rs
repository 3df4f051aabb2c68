//! Streams that are left, and streams that others open.

use a2a_kit::v1_0::TaskState;
use futures_util::StreamExt as _;

use crate::report::{Fault, Played, ensure, equal};
use crate::session::Session;
use crate::turn::Turn;

pub(super) async fn leave(session: &Session) -> Played {
    let steps = &session.steps;
    let task = steps
        .step(
            "the stream of 'slow' reaches WORKING, then the client leaves",
            async {
                let mut turn = Turn::default();
                let mut updates = session.say("slow").stream().await?;
                while turn.state() != TaskState::Working {
                    let update = updates.next().await;
                    turn.add(update.ok_or_else(|| Fault::new("the stream ended"))??)?;
                }
                Ok(turn.task)
            },
        )
        .await?;
    steps
        .step("the task works on", async {
            equal(
                "state",
                session.client.get_task(&task.id).await?.state(),
                TaskState::Working,
            )
        })
        .await?;
    steps
        .step("CancelTask ends it", async {
            equal(
                "state",
                session.client.cancel(&task.id).await?.state(),
                TaskState::Canceled,
            )
        })
        .await
}

pub(super) async fn subscribe(session: &Session) -> Played {
    let steps = &session.steps;
    let task = steps
        .step("'slow' returns immediately", session.start_slow())
        .await?;
    steps
        .step(
            "two subscriptions open with the task and end with its cancel",
            async {
                let mut first = session.client.subscribe(&task.id).await?;
                let mut second = session.client.subscribe(&task.id).await?;
                let mut turns = [Turn::default(), Turn::default()];
                for (turn, updates) in turns.iter_mut().zip([&mut first, &mut second]) {
                    let update = updates.next().await;
                    turn.add(update.ok_or_else(|| Fault::new("the stream is empty"))??)?;
                    ensure(turn.opened_with_task, || {
                        "it does not open with the task".to_owned()
                    })?;
                    equal("task id", &turn.task.id, &task.id)?;
                }
                session.client.cancel(&task.id).await?;
                for (turn, updates) in turns.iter_mut().zip([&mut first, &mut second]) {
                    while let Some(update) = updates.next().await {
                        turn.add(update?)?;
                    }
                    equal("the stream's last word", turn.last_word(), Some("CANCELED"))?;
                }
                Ok(())
            },
        )
        .await
}
