//! Tasks of several turns, next to each other, and canceled ones.

use a2a_kit::skills::{Json, Skill};
use a2a_kit::v1_0::TaskState;
use a2a_kit::{Parts, Reply};
use serde_json::json;

use crate::desk::{Out, agent, entry, request, send, service};
use crate::support::{at_once, cancel, get, said, state, to_task, until};

agent!(Asking: ask());

/// Asks twice while it works, and takes a number.
fn ask<A: Sync + 'static>() -> Skill<A> {
    let entry = entry("ask").with_input_modes(["application/json", "text/plain"]);
    Skill::task::<(Json<u8>,), Out>(entry, |_, turn| {
        Box::pin(async move {
            let (number,) = turn.inputs()?;
            let task = turn.task();
            let mut said = number.to_string();
            for question in ["first?", "second?"] {
                let answer = task.ask(question).await?;
                said = format!("{said} {}", crate::support::text(&answer));
            }
            turn.reply(Ok(Reply::completed().with_message(said)) as Out)
                .await
        })
    })
}

#[tokio::test(start_paused = true)]
async fn a_skill_that_asks_twice_gets_both_answers_whatever_it_takes() {
    let asking = service(Asking);
    let task = send(&asking, request(json!(7))).await.unwrap();
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::InputRequired, "first?".into())
    );
    let task = send(&asking, to_task(&task.id, "one")).await.unwrap();
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::InputRequired, "second?".into())
    );
    let task = send(&asking, to_task(&task.id, "two")).await.unwrap();
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::Completed, "7 one two".into())
    );
}

#[tokio::test(start_paused = true)]
async fn tasks_of_one_agent_do_not_meet() {
    let asking = service(Asking);
    let (a, b) = tokio::join!(
        send(&asking, request(json!(1))),
        send(&asking, request(json!(2)))
    );
    let (a, b) = (a.unwrap().id, b.unwrap().id);
    for answer in ["x", "y"] {
        let (left, right) = tokio::join!(
            send(&asking, to_task(&a, answer)),
            send(&asking, to_task(&b, answer))
        );
        left.and(right).unwrap();
    }
    assert_eq!(said(&get(&asking, &a).await.unwrap()), "1 x y");
    assert_eq!(said(&get(&asking, &b).await.unwrap()), "2 x y");
}

#[tokio::test(start_paused = true)]
async fn a_canceled_skill_is_dropped_and_leaves_a_canceled_task() {
    let asking = service(Asking);
    let task = send(&asking, at_once(request(json!(7)))).await.unwrap();
    until(async || state(&get(&asking, &task.id).await.unwrap()) == TaskState::InputRequired).await;
    assert_eq!(
        state(&cancel(&asking, &task.id).await.unwrap()),
        TaskState::Canceled
    );
    until(async || asking.live_tasks() == 0).await;
    let error = send(&asking, to_task(&task.id, "late")).await.unwrap_err();
    assert!(error.is_unsupported_operation(), "{error}");
}

agent!(Numbers: returns());

/// Asks by returning, and takes a number each time.
fn returns<A: Sync + 'static>() -> Skill<A> {
    let entry = entry("numbers").with_input_modes(["application/json", "text/plain"]);
    Skill::task::<(Json<u8>,), Out>(entry, |_, turn| {
        Box::pin(async move {
            let (number,) = turn.inputs()?;
            let reply = match turn.task().history() {
                [] => Reply::input_required("and?"),
                _ => Reply::completed().with_message(number.to_string()),
            };
            turn.reply(Ok(reply) as Out).await
        })
    })
}

#[tokio::test]
async fn a_wrong_answer_does_not_end_the_task() {
    let numbers = service(Numbers);
    let task = send(&numbers, request(json!(1))).await.unwrap();
    let mut wrong = request(Parts::from("two"));
    wrong.message.as_mut().unwrap().task_id.clone_from(&task.id);
    let error = send(&numbers, wrong).await.unwrap_err();
    assert_eq!(error.violations()[0].field, "message.parts");
    assert_eq!(
        state(&get(&numbers, &task.id).await.unwrap()),
        TaskState::InputRequired
    );
    let mut right = request(json!(2));
    right.message.as_mut().unwrap().task_id.clone_from(&task.id);
    let task = send(&numbers, right).await.unwrap();
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::Completed, "2".into())
    );
}
