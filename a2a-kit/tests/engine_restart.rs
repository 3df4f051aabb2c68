//! Tasks whose process is gone: none is lost in silence, and none done by two at a time.

#[path = "support/faulty.rs"]
mod faulty;
#[path = "support/frozen.rs"]
mod frozen;
mod support;
#[path = "support/world.rs"]
mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::agent::{OnRestart, Reply, TaskContext, artifact};
use a2a_kit::store::{Limit, Scope, Store as _};
use a2a_kit::v1_0::TaskState;
use faulty::{Fault, Faulty};
use support::*;
use tokio::sync::Semaphore;
use world::{LEASE, World};

#[tokio::test(start_paused = true)]
async fn a_parked_task_fails_with_the_answer_that_nobody_waits_for() {
    let world = World::new(OnRestart::Fail, |task: TaskContext| async move {
        let name = task.ask("Your name?").await?;
        Ok(Reply::completed().with_message(text(&name)))
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = send(&one, request("go")).await.unwrap();
    assert_eq!(state(&task), TaskState::InputRequired);
    life.freeze();
    // Nothing happens to it before its client comes back: the question stands.
    tokio::time::sleep(LEASE).await;
    assert_eq!(two.recover().await.unwrap(), 0);
    let answered = send(&two, to_task(&task.id, "Ada")).await.unwrap();
    assert_eq!(state(&answered), TaskState::Failed);
    assert!(
        said(&answered).contains("process that worked on this task has ended"),
        "{}",
        said(&answered)
    );
    assert_eq!(
        history(&answered),
        ["user: go", "agent: Your name?", "user: Ada"]
    );
    assert_eq!(world.policy_was_asked(), 1);
    // The same for who follows it.
    let again = get(&two, &task.id).await.unwrap();
    assert_eq!(*again, answered);
    life.thaw();
    until(async || two.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_worked_on_is_found_when_its_lease_has_run_out() {
    for policy in [OnRestart::Fail, OnRestart::Replay] {
        let executions = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&executions);
        let world = World::new(policy, move |task: TaskContext| {
            let execution = count.fetch_add(1, Ordering::SeqCst);
            async move {
                task.working("half-way").await?;
                if execution == 0 {
                    std::future::pending::<()>().await;
                }
                Ok(Reply::completed().with_message("done"))
            }
        });
        let ((one, life), (two, _)) = (world.process(), world.process());
        let task = start(&one, "go").await;
        until(async || said(&get(&one, &task.id).await.unwrap()) == "half-way").await;
        life.freeze();
        // It may only be slow.
        assert_eq!(two.recover().await.unwrap(), 0);
        tokio::time::sleep(LEASE).await;
        assert_eq!(two.recover().await.unwrap(), 1);
        until(async || state(&get(&two, &task.id).await.unwrap()).is_terminal()).await;
        assert_eq!(two.recover().await.unwrap(), 0);
        let ended = get(&two, &task.id).await.unwrap();
        let lines = history(&ended);
        assert_eq!(lines, ["user: go", "agent: half-way"], "{policy:?}");
        match policy {
            OnRestart::Replay => {
                assert_eq!(
                    (state(&ended), said(&ended).as_str()),
                    (TaskState::Completed, "done")
                );
                assert_eq!(executions.load(Ordering::SeqCst), 2);
            }
            _ => {
                assert_eq!(state(&ended), TaskState::Failed);
                assert_eq!(executions.load(Ordering::SeqCst), 1);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_follows_a_task_at_another_process_does_not_wait_for_one_that_is_gone() {
    let world = World::new(OnRestart::Fail, |task: TaskContext| async move {
        task.begin().await?;
        std::future::pending().await
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = start(&one, "go").await;
    until(async || state(&get(&one, &task.id).await.unwrap()) == TaskState::Working).await;
    life.freeze();
    let (first, second) = (
        subscribe(&two, &task.id).await.unwrap(),
        subscribe(&two, &task.id).await.unwrap(),
    );
    for stream in [first, second] {
        let events = read_all(stream).await;
        assert_eq!(events.len(), 2, "{events:?}");
        assert!(events[1].starts_with("FAILED the process"), "{events:?}");
    }
    life.thaw();
    until(async || two.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_only_slow_can_write_nothing_once_its_task_is_taken_over() {
    let world = World::new(OnRestart::Replay, |task: TaskContext| async move {
        task.working("half-way").await?;
        // The first execution is stopped in front of this.
        tokio::time::sleep(Duration::from_secs(20)).await;
        task.working("more").await?;
        let answer = task.ask("Which?").await?;
        Ok(Reply::completed().with_message(text(&answer)))
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = start(&one, "go").await;
    until(async || said(&get(&one, &task.id).await.unwrap()) == "half-way").await;
    life.freeze();
    tokio::time::sleep(LEASE).await;
    assert_eq!(two.recover().await.unwrap(), 1);
    tokio::time::sleep(Duration::from_secs(21)).await;
    assert_eq!(
        state(&get(&two, &task.id).await.unwrap()),
        TaskState::InputRequired
    );
    // Now it goes on, with a write that it had begun long ago.
    life.thaw();
    until(async || one.live_tasks() == 0).await;
    let done = send(&two, to_task(&task.id, "this")).await.unwrap();
    assert_eq!(
        (state(&done), said(&done).as_str()),
        (TaskState::Completed, "this")
    );
    assert_eq!(
        history(&done),
        [
            "user: go",
            "agent: half-way",
            "agent: more",
            "agent: Which?",
            "user: this"
        ]
    );
    assert_eq!(*get(&one, &task.id).await.unwrap(), done);
}

#[tokio::test(start_paused = true)]
async fn a_slow_process_does_not_even_end_a_turn_that_is_no_longer_its_own() {
    let gate = Arc::new(Semaphore::new(0));
    let opened = Arc::clone(&gate);
    let first = Arc::new(AtomicBool::new(true));
    let world = World::new(OnRestart::Replay, move |_: TaskContext| {
        let (gate, first) = (Arc::clone(&opened), first.swap(false, Ordering::SeqCst));
        async move {
            if first {
                gate.acquire().await?.forget();
                return Ok(Reply::completed().with_artifact(artifact("of", "the slow one")));
            }
            Ok(Reply::input_required("What else?"))
        }
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = start(&one, "go").await;
    until(async || one.live_tasks() == 1).await;
    life.freeze();
    tokio::time::sleep(LEASE).await;
    assert_eq!(two.recover().await.unwrap(), 1);
    until(async || state(&get(&two, &task.id).await.unwrap()) == TaskState::InputRequired).await;
    gate.add_permits(1);
    life.thaw();
    until(async || one.live_tasks() == 0).await;
    let kept = get(&two, &task.id).await.unwrap();
    assert_eq!(
        (state(&kept), kept.artifacts.len()),
        (TaskState::InputRequired, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_ended_with_a_question_goes_on_anywhere_and_nobody_is_asked() {
    let world = World::new(OnRestart::Fail, |task: TaskContext| async move {
        if task.history().is_empty() {
            return Ok(Reply::input_required("Which?"));
        }
        Ok(Reply::completed().with_message(task.text()))
    });
    let ((one, life), (two, _)) = (world.process(), world.process());
    let task = send(&one, request("go")).await.unwrap();
    until(async || one.live_tasks() == 0).await;
    life.freeze();
    tokio::time::sleep(LEASE).await;
    assert_eq!(two.recover().await.unwrap(), 0);
    let done = send(&two, to_task(&task.id, "this")).await.unwrap();
    assert_eq!(
        (state(&done), said(&done).as_str()),
        (TaskState::Completed, "this")
    );
    assert_eq!(world.policy_was_asked(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ended_just_before_its_process_did_is_put_away() {
    let world = World::new(OnRestart::Fail, |_: TaskContext| async {
        Ok(Reply::completed())
    });
    let (one, life) = world.process();
    let task = start(&one, "go").await;
    let watch = {
        // As long as someone watches the task, its log stays.
        let scope = Scope::new("", "");
        world.store.watch(&scope, &task.id).await.unwrap()
    };
    until(async || state(&get(&one, &task.id).await.unwrap()) == TaskState::Completed).await;
    life.freeze();
    drop(watch);
    let (two, _) = world.process();
    assert_eq!(two.recover().await.unwrap(), 0);
    let limit = Limit {
        records: 1,
        bytes: 1,
    };
    let page = world
        .store
        .read_log(&Scope::new("", ""), &task.id, 0, limit)
        .await
        .unwrap();
    assert!(page.base > 0, "its log was compacted");
    assert!(world.store.unsettled(None, 10).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_task_is_looked_after_even_when_its_log_could_not_be_read_once() {
    let work = |task: TaskContext| async move {
        task.begin().await?;
        std::future::pending().await
    };
    let world = World::new(OnRestart::Fail, work);
    let (one, life) = world.process();
    let store = Arc::new(Faulty::over(&world.store, Fault::ReadsNoLog));
    let two = builder(work).store(Arc::clone(&store)).build().unwrap();
    let task = start(&one, "go").await;
    until(async || state(&get(&one, &task.id).await.unwrap()) == TaskState::Working).await;
    life.freeze();
    let stream = subscribe(&two, &task.id).await.unwrap();
    store.trouble.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(1)).await;
    store.trouble.store(false, Ordering::SeqCst);
    let events = tokio::time::timeout(Duration::from_secs(3600), read_all(stream))
        .await
        .expect("nobody looked after it");
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events[1].starts_with("FAILED the process"), "{events:?}");
}
