//! Streams as results.

use a2a_kit::skills::{Chunks, Parts, SkillError, Text};
use a2a_kit::v1_0::TaskState;
use a2a_kit::{A2aService, CallContext};
use futures_util::{StreamExt as _, stream};

use crate::desk::{agent, request, send, service, sing, task};
use crate::support::{artifact_texts, at_once, cancel, get, open_stream, read_all, state, until};

agent!(Singer: sing());

#[tokio::test]
async fn pieces_are_appended_and_the_last_one_closes() {
    let events = open_stream(&service(Singer), request("one two three"))
        .await
        .unwrap();
    let events = read_all(events).await;
    assert_eq!(
        events,
        [
            "task SUBMITTED",
            "artifact one",
            "artifact +two",
            "artifact +three !",
            "COMPLETED"
        ]
    );
}

#[tokio::test]
async fn a_single_piece_is_the_last_one_at_once() {
    let events = open_stream(&service(Singer), request("one")).await.unwrap();
    assert_eq!(
        read_all(events).await,
        ["task SUBMITTED", "artifact one !", "COMPLETED"]
    );
}

#[tokio::test]
async fn pieces_without_content_are_left_out() {
    let singer = service(Singer);
    let events = open_stream(&singer, request(" one  two ")).await.unwrap();
    assert_eq!(
        read_all(events).await,
        [
            "task SUBMITTED",
            "artifact one",
            "artifact +two !",
            "COMPLETED"
        ]
    );
    let task = send(&singer, request("")).await.unwrap();
    assert_eq!(
        (state(&task), task.artifacts.len()),
        (TaskState::Completed, 0)
    );
}

#[tokio::test]
async fn the_artifact_is_one_and_has_its_name() {
    agent!(Named: task!("named", (Text) => Chunks, |_t| Chunks::new(stream::iter([Parts::from("a"), Parts::from("b")])).named("poem")));
    let task = send(&service(Named), request("go")).await.unwrap();
    assert_eq!(task.artifacts.len(), 1);
    assert_eq!(task.artifacts[0].name, "poem");
    assert_eq!(artifact_texts(&task, 0), ["a", "b"]);
    let task = send(&service(Singer), request("a")).await.unwrap();
    assert_eq!(task.artifacts[0].name, "sing");
}

#[tokio::test]
async fn an_error_midway_leaves_the_artifact_open_and_fails_the_task() {
    agent!(Breaking: task!("breaking", (Text) => Chunks, |_t| {
        Chunks::try_new(stream::iter([Ok("a"), Ok("b"), Err(SkillError::new("the model is gone"))]))
    }));
    let events = open_stream(&service(Breaking), request("go"))
        .await
        .unwrap();
    assert_eq!(
        read_all(events).await,
        [
            "task SUBMITTED",
            "artifact a",
            "artifact +b",
            "FAILED the model is gone"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_canceled_task_drops_its_stream() {
    agent!(Endless: task!("endless", (Text) => Chunks, |_t| {
        Chunks::new(stream::iter(["a", "b"]).chain(stream::pending()))
    }));
    let endless = service(Endless);
    let task = send(&endless, at_once(request("go"))).await.unwrap();
    let id = task.id;
    until(async || !get(&endless, &id).await.unwrap().artifacts.is_empty()).await;
    let canceled = cancel(&endless, &id).await.unwrap();
    assert_eq!(state(&canceled), TaskState::Canceled);
    until(async || endless.live_tasks() == 0).await;
    let list = endless
        .list_tasks(CallContext::default(), crate::support::list_request())
        .await
        .unwrap();
    assert_eq!(list.tasks.len(), 1);
}
