//! Turns that are gone through again after their process is gone: what was said is not said again, what
//! was answered is not asked again.

#[path = "support/frozen.rs"]
mod frozen;
mod support;
#[path = "support/world.rs"]
mod world;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::agent::{AgentError, AuthHandle, Granted, OnRestart, Reply, TaskContext, artifact};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::TaskState;
use serde_json::json;
use support::*;
use tokio::sync::Semaphore;
use world::{LEASE, World};

/// Asks twice, with news and artifacts between, and notes each execution with its operation.
fn interview(notes: &Arc<Mutex<Vec<String>>>) -> impl Fn(TaskContext) -> Work + use<> {
    let notes = Arc::clone(notes);
    move |task: TaskContext| {
        let notes = Arc::clone(&notes);
        Box::pin(async move {
            notes.lock().unwrap().push(task.operation_id().to_owned());
            task.working("reading").await?;
            // Its id is another one in each execution.
            let mut poem = task.write_artifact("poem");
            poem.push("roses ").await?;
            let name = task.ask("Your name?").await?;
            poem.push("are ").await?;
            task.working(format!("hello {}", text(&name))).await?;
            let age = task.ask("Your age?").await?;
            poem.finish("red").await?;
            task.artifact(artifact("summary", text(&age))).await?;
            Ok(Reply::completed().with_message(format!(
                "{} {} {}",
                task.text(),
                text(&name),
                text(&age)
            )))
        })
    }
}

type Work = Pin<Box<dyn Future<Output = Result<Reply, AgentError>> + Send>>;

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_before_the_lease_has_run_out_waits_for_it() {
    let notes = Arc::default();
    let world = World::new(OnRestart::Replay, interview(&notes));
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = send(&one, request("go")).await.unwrap();
    life.freeze();
    let before = tokio::time::Instant::now();
    let answered = send(&two, to_task(&task.id, "Ada")).await.unwrap();
    assert_eq!(
        (state(&answered), said(&answered).as_str()),
        (TaskState::InputRequired, "Your age?")
    );
    let waited = before.elapsed();
    assert!(
        waited > Duration::from_secs(15) && waited < 3 * LEASE,
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_replay_goes_on_where_the_first_execution_stopped_and_writes_nothing_twice() {
    let notes = Arc::default();
    let world = World::new(OnRestart::Replay, interview(&notes));
    // Each answer comes to another process, since the last one is gone.
    let (one, one_life) = world.process();
    let task = send(&one, request("go")).await.unwrap();
    one_life.freeze();
    tokio::time::sleep(LEASE).await;
    let (two, two_life) = world.process();
    let mut stream = subscribe(&two, &task.id).await.unwrap();
    let second = send(&two, to_task(&task.id, "Ada")).await.unwrap();
    assert_eq!(
        (state(&second), said(&second).as_str()),
        (TaskState::InputRequired, "Your age?")
    );
    two_life.freeze();
    tokio::time::sleep(LEASE).await;
    let (three, _) = world.process();
    let done = send(&three, to_task(&task.id, "36")).await.unwrap();
    assert_eq!(
        (state(&done), said(&done).as_str()),
        (TaskState::Completed, "go Ada 36")
    );
    assert_eq!(
        history(&done),
        [
            "user: go",
            "agent: reading",
            "agent: Your name?",
            "user: Ada",
            "agent: hello Ada",
            "agent: Your age?",
            "user: 36",
        ]
    );
    assert_eq!(artifact_texts(&done, 0), ["roses ", "are ", "red"]);
    assert_eq!(artifact_texts(&done, 1), ["36"]);
    assert_eq!(done.artifacts.len(), 2);
    // All three were the same turn.
    let notes = notes.lock().unwrap().clone();
    assert_eq!(notes.len(), 3);
    assert!(
        notes.iter().all(|operation| *operation == notes[0]),
        "{notes:?}"
    );
    // Who followed it saw each thing once, and nothing of the restarts.
    two_life.thaw();
    let mut seen = Vec::new();
    while let Some(event) = next(&mut stream).await {
        seen.push(event);
    }
    assert_eq!(
        seen,
        [
            "task INPUT_REQUIRED",
            "WORKING",
            "artifact +are ",
            "WORKING hello Ada",
            "INPUT_REQUIRED Your age?",
            "WORKING",
            "artifact +red !",
            "artifact 36 !",
            "COMPLETED go Ada 36",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_later_turn_is_gone_through_again_with_its_own_message() {
    let gate = Arc::new(Semaphore::new(0));
    let opened = Arc::clone(&gate);
    let world = World::new(OnRestart::Replay, move |task: TaskContext| {
        let gate = Arc::clone(&opened);
        async move {
            match task.text().as_str() {
                "one" => {
                    task.working("turn one").await?;
                    gate.acquire().await?.forget();
                    Ok(Reply::input_required("more?"))
                }
                two => {
                    let earlier: Vec<String> = task.turns().map(|turn| turn.text()).collect();
                    let answer = task.ask(format!("{two} after {earlier:?}?")).await?;
                    Ok(Reply::completed().with_message(text(&answer)))
                }
            }
        }
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = start(&one, "one").await;
    until(async || said(&get(&one, &task.id).await.unwrap()) == "turn one").await;
    // It comes while the first turn works, which takes no notice: the second one begins with it.
    send(&one, at_once(to_task(&task.id, "two"))).await.unwrap();
    gate.add_permits(1);
    until(async || state(&get(&one, &task.id).await.unwrap()) == TaskState::InputRequired).await;
    assert_eq!(
        said(&get(&one, &task.id).await.unwrap()),
        r#"two after ["one"]?"#
    );
    life.freeze();
    tokio::time::sleep(LEASE).await;
    let done = send(&two, to_task(&task.id, "yes")).await.unwrap();
    assert_eq!(
        (state(&done), said(&done).as_str()),
        (TaskState::Completed, "yes")
    );
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_asks_something_else_fails_the_task() {
    let count = AtomicUsize::new(0);
    let world = World::new(OnRestart::Replay, move |task: TaskContext| {
        let execution = count.fetch_add(1, Ordering::SeqCst);
        async move {
            let answer = task
                .ask(format!("Shall I delete number {execution}?"))
                .await?;
            Ok(Reply::completed().with_message(text(&answer)))
        }
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = send(&one, request("go")).await.unwrap();
    life.freeze();
    tokio::time::sleep(LEASE).await;
    let answered = send(&two, to_task(&task.id, "yes")).await.unwrap();
    assert_eq!(state(&answered), TaskState::Failed);
    assert!(
        said(&answered).contains("must ask the same again"),
        "{}",
        said(&answered)
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_ends_every_process_is_not_gone_through_for_ever() {
    let executions = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&executions);
    let world = World::new(OnRestart::Replay, move |task: TaskContext| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            task.begin().await?;
            std::future::pending().await
        }
    });
    let (mut engine, mut life) = world.process();
    let task = start(&engine, "go").await;
    for number in 1..30 {
        until(async || executions.load(Ordering::SeqCst) == number).await;
        life.freeze();
        tokio::time::sleep(LEASE).await;
        (engine, life) = world.process();
        assert_eq!(engine.recover().await.unwrap(), 1);
        if state(&get(&engine, &task.id).await.unwrap()) == TaskState::Failed {
            break;
        }
    }
    let ended = get(&engine, &task.id).await.unwrap();
    assert!(said(&ended).contains("too often"), "{}", said(&ended));
    assert_eq!(executions.load(Ordering::SeqCst), 11);
}

#[tokio::test(start_paused = true)]
async fn an_authorization_is_asked_for_again_and_its_handle_made_anew() {
    let handles: Arc<Mutex<Vec<AuthHandle>>> = Arc::default();
    let kept = Arc::clone(&handles);
    let world = World::new(OnRestart::Replay, move |task: TaskContext| {
        kept.lock().unwrap().push(task.auth_handle());
        let kept = Arc::clone(&kept);
        async move {
            let Granted::OutOfBand(first) = task.require_auth("Sign in").await? else {
                return Ok(Reply::rejected("no"));
            };
            task.working(format!("as {first}")).await?;
            kept.lock().unwrap().push(task.auth_handle());
            let Granted::OutOfBand(second) = task.require_auth("Pay").await? else {
                return Ok(Reply::rejected("no"));
            };
            Ok(Reply::completed().with_message(format!("{first} {second}")))
        }
    });
    let grant = |value: &str| {
        let handle = handles.lock().unwrap().last().unwrap().clone();
        handle.grant(json!(value))
    };
    let auth = |words: &'static str| {
        async move |engine: &Engine, id: &str| {
            until(async || {
                let task = get(engine, id).await.unwrap();
                state(&task) == TaskState::AuthRequired && said(&task) == words
            })
            .await;
        }
    };
    let (one, one_life) = world.process();
    let task = start(&one, "go").await;
    auth("Sign in")(&one, &task.id).await;
    // Before it was granted.
    let old = handles.lock().unwrap().last().unwrap().clone();
    one_life.freeze();
    tokio::time::sleep(LEASE).await;
    let (two, two_life) = world.process();
    assert_eq!(two.recover().await.unwrap(), 1);
    until(async || handles.lock().unwrap().len() == 2).await;
    assert!(grant("ada"));
    auth("Pay")(&two, &task.id).await;
    // Behind a grant of which nothing is kept.
    two_life.freeze();
    tokio::time::sleep(LEASE).await;
    let (three, _) = world.process();
    assert_eq!(three.recover().await.unwrap(), 1);
    auth("Sign in")(&three, &task.id).await;
    assert!(grant("bob"));
    auth("Pay")(&three, &task.id).await;
    assert!(grant("cash"));
    until(async || state(&get(&three, &task.id).await.unwrap()) == TaskState::Completed).await;
    let done = get(&three, &task.id).await.unwrap();
    assert_eq!(said(&done), r#""bob" "cash""#);
    // What was asked for anew, and all that came behind it, is told again.
    assert_eq!(
        history(&done),
        [
            "user: go",
            "agent: Sign in",
            r#"agent: as "ada""#,
            "agent: Pay",
            "agent: Sign in",
            r#"agent: as "bob""#,
            "agent: Pay",
        ]
    );
    // The first process is gone for the one who kept its handle; here it is only frozen, and
    // nothing that it does counts.
    let _ = old.grant(json!("late"));
    one_life.thaw();
    two_life.thaw();
    until(async || one.live_tasks() + two.live_tasks() + three.live_tasks() == 0).await;
    assert_eq!(*get(&one, &task.id).await.unwrap(), *done);
}
