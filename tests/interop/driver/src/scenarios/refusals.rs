//! What peers refuse, and as what the client hands it out.

use a2a_kit::v1_0::{Part, TaskState};
use a2a_kit::{Binding, Parts};

use crate::report::{Played, equal};
use crate::script::CHINESE;
use crate::session::{Session, first, refused, refused_as_invalid, refused_somehow};

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
    let loose_http = session.peer.habits.is_loose && session.binding == Binding::Rest;
    steps
        .step("SendMessage to an unknown task", async {
            let outcome = message().send().await;
            if session.tells_little() && loose_http {
                // A 404 that may as well be of a route that is not there.
                return refused_somehow(outcome);
            }
            refused(outcome, not_found)
        })
        .await?;
    steps
        .step("SendStreamingMessage to an unknown task", async {
            let outcome = first(message().stream().await).await;
            if loose_http {
                return refused_somehow(outcome);
            }
            refused(outcome, not_found)
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
                let slash = id.contains('/');
                let misread = slash && session.misreads_slashes();
                match outcome {
                    // Names of resources, in which slashes part ids.
                    outcome if slash && session.is_old_proto() => refused_as_invalid(outcome),
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
            let outcome = session.try_send(message).await;
            if session.peer.habits.is_loose {
                return refused_somehow(outcome);
            }
            refused(outcome, "UNSUPPORTED_OPERATION")
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
    if !session.peer.is_old() {
        steps
            .step("a page of a thousand tasks is no valid argument", async {
                refused_as_invalid(session.client.list_tasks().page_size(1000).await)
            })
            .await?;
    }
    steps
        .step("a message with another context than its task's", async {
            let asked = session.send(session.say(CHINESE.request)).await?.task;
            let message = session
                .say(CHINESE.answer)
                .in_task(&asked.id)
                .in_context("another");
            let outcome = message.send().await;
            if session.peer.habits.takes_any_context {
                return equal("context", &*outcome?.into_task()?.context_id, "another");
            }
            refused_as_invalid(outcome)
        })
        .await
}

pub(super) async fn media_type(session: &Session) -> Played {
    if session.peer.habits.is_loose {
        return session
            .steps
            .step(
                "a link to a picture is taken, whatever the card says",
                async {
                    let picture = Part::new()
                        .with_url("https://client.example/a.png")
                        .with_media_type("image/png");
                    let message = session.say(CHINESE.request).and(Parts(vec![picture]));
                    Ok(session.try_send(message).await?)
                },
            )
            .await;
    }
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
