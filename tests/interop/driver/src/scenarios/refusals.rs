//! What peers refuse, and as what the client hands it out.

use a2a_kit::Parts;
use a2a_kit::v1_0::TaskState;

use crate::report::{Played, equal};
use crate::script::CHINESE;
use crate::session::{Session, first, refused, refused_as_invalid};

const UNKNOWN: &str = "no-such-task";

pub(super) async fn unknown_task(session: &Session) -> Played {
    let steps = &session.steps;
    let not_found = "TASK_NOT_FOUND";
    steps
        .step("GetTask of an unknown task", async {
            refused(session.client.get_task(UNKNOWN).await, not_found)
        })
        .await?;
    steps
        .step("CancelTask of an unknown task", async {
            refused(session.client.cancel(UNKNOWN).await, not_found)
        })
        .await?;
    let message = || session.say(CHINESE.answer).in_task(UNKNOWN);
    steps
        .step("SendMessage to an unknown task", async {
            refused(message().send().await, not_found)
        })
        .await?;
    steps
        .step("SendStreamingMessage to an unknown task", async {
            refused(first(message().stream().await).await, not_found)
        })
        .await?;
    steps
        .step("SubscribeToTask of an unknown task", async {
            refused(
                first(session.client.subscribe(UNKNOWN).await).await,
                not_found,
            )
        })
        .await?;
    steps
        .step("GetTask of ids that paths have to escape", async {
            for id in [
                "a:cancel",
                "a b",
                "百分之50%",
                "?x=y#z",
                "%2F",
                ".hidden",
                "a/b",
            ] {
                let outcome = session.client.get_task(id).await;
                let misread = id.contains('/') && session.misreads_slashes();
                match outcome {
                    Err(error) if misread => equal("reason", error.reason(), None),
                    outcome => refused(outcome, not_found),
                }
                .map_err(|fault| fault.within(id))?;
            }
            Ok(())
        })
        .await
}

pub(super) async fn closed_task(session: &Session) -> Played {
    let steps = &session.steps;
    let task = steps
        .step("a rejected task is there", async {
            let turn = session.send(session.say("reject")).await?;
            equal("state", turn.state(), TaskState::Rejected)?;
            Ok(turn.task)
        })
        .await?;
    steps
        .step("another message to it", async {
            let message = session.say("hello?").in_task(&task.id);
            refused(session.try_send(message).await, "UNSUPPORTED_OPERATION")
        })
        .await?;
    steps
        .step("cancel of it", async {
            refused(session.client.cancel(&task.id).await, "TASK_NOT_CANCELABLE")
        })
        .await?;
    steps
        .step("a subscription to it", async {
            refused(
                first(session.client.subscribe(&task.id).await).await,
                "UNSUPPORTED_OPERATION",
            )
        })
        .await?;
    steps
        .step("following it hands it out as it is", async {
            let outcome = session.client.follow(&task.id).await?.outcome().await?;
            equal("state", outcome.into_task()?.state(), TaskState::Rejected)
        })
        .await
}

pub(super) async fn bad_input(session: &Session) -> Played {
    let steps = &session.steps;
    steps
        .step("a page of a thousand tasks is no valid argument", async {
            refused_as_invalid(session.client.list_tasks().page_size(1000).await)
        })
        .await?;
    steps
        .step("a message with another context than its task's", async {
            let asked = session.send(session.say(CHINESE.request)).await?.task;
            let message = session
                .say(CHINESE.answer)
                .in_task(&asked.id)
                .in_context("another");
            refused_as_invalid(message.send().await)
        })
        .await
}

pub(super) async fn media_type(session: &Session) -> Played {
    session
        .steps
        .step("a picture, which the card does not take", async {
            let picture = Parts::file("a.png", "image/png", vec![0x89, b'P', b'N', b'G']);
            let message = session.say(CHINESE.request).and(picture);
            refused(
                session.try_send(message).await,
                "CONTENT_TYPE_NOT_SUPPORTED",
            )
        })
        .await
}
