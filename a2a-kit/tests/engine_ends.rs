//! How tasks end: canceled, failed, out of time; and that nothing hangs whatever an agent does
//! (specification 3.1.5; field reports of group 8).

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::A2aService;
use a2a_kit::agent::{Agent, AgentError, CancelContext, Reply, TaskContext, artifact};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{Artifact, CancelTaskRequest, TaskState};
use futures_util::StreamExt as _;
use support::*;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Sets a flag when it is dropped.
struct OnDrop(Arc<AtomicBool>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn cancel_ends_a_running_task_and_tells_its_agent() {
    let told = Arc::new(Notify::new());
    let late = Arc::new(std::sync::Mutex::new(None));
    let (in_told, in_late) = (Arc::clone(&told), Arc::clone(&late));
    let engine = engine(move |task: TaskContext| {
        let (told, late) = (Arc::clone(&in_told), Arc::clone(&in_late));
        async move {
            task.working("on it").await?;
            task.cancellation().cancelled().await;
            assert!(task.is_canceled());
            // News that comes too late is refused, and so is an end.
            *late.lock().unwrap() = Some(task.working("still on it").await);
            told.notify_one();
            Ok(Reply::completed().with_artifact(artifact("late", "x")))
        }
    });
    let task = start(&engine, "slow").await;
    until(async || state(&get(&engine, &task.id).await.unwrap()) == TaskState::Working).await;
    let stream = subscribe(&engine, &task.id).await.unwrap();
    let canceled = cancel(&engine, &task.id).await.unwrap();
    assert_eq!(state(&canceled), TaskState::Canceled);
    assert_eq!(history(&canceled), ["user: slow", "agent: on it"]);
    told.notified().await;
    assert!(late.lock().unwrap().take().unwrap().unwrap_err().is_ended());
    assert_eq!(read_all(stream).await, ["task WORKING", "CANCELED"]);
    until(async || engine.live_tasks() == 0).await;
    assert_eq!(*get(&engine, &task.id).await.unwrap(), *canceled);
}

#[tokio::test]
async fn cancel_of_a_canceled_task_is_the_same_again_and_of_an_ended_one_is_refused() {
    let engine = engine(|task: TaskContext| async move {
        Ok(match task.text().as_str() {
            "ask" => Reply::input_required("What?"),
            "reject" => Reply::rejected("no"),
            "fail" => return Err(AgentError::new("broken")),
            _ => Reply::completed(),
        })
    });
    let task = send(&engine, request("ask")).await.unwrap();
    let once = cancel(&engine, &task.id).await.unwrap();
    let twice = cancel(&engine, &task.id).await.unwrap();
    assert_eq!((state(&once), &*once), (TaskState::Canceled, &*twice));
    assert!(
        send(&engine, to_task(&task.id, "more"))
            .await
            .unwrap_err()
            .is_unsupported_operation()
    );
    for text in ["reject", "fail", "go"] {
        let task = send(&engine, request(text)).await.unwrap();
        let error = cancel(&engine, &task.id).await.unwrap_err();
        assert!(error.is_task_not_cancelable());
        assert!(
            error
                .message()
                .contains(task.status.as_ref().unwrap().state().as_str_name()),
            "{error}"
        );
        assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocking_call_ends_when_its_task_is_canceled() {
    let engine = engine(|_: TaskContext| std::future::pending());
    let sender = engine.clone();
    let waiting = tokio::spawn(async move { send(&sender, request("slow")).await });
    until(async || {
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size
            == 1
    })
    .await;
    let id = engine
        .list_tasks(call(), list_request())
        .await
        .unwrap()
        .tasks[0]
        .id
        .clone();
    cancel(&engine, &id).await.unwrap();
    assert_eq!(state(&waiting.await.unwrap().unwrap()), TaskState::Canceled);
}

#[tokio::test(start_paused = true)]
async fn an_execution_that_takes_no_notice_is_dropped_after_the_grace() {
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let engine = builder(move |_: TaskContext| {
        let guard = OnDrop(Arc::clone(&flag));
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    })
    .cancel_grace(Duration::from_secs(2))
    .build()
    .unwrap();
    let task = start(&engine, "slow").await;
    cancel(&engine, &task.id).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(
        !dropped.load(Ordering::SeqCst),
        "was dropped before its grace was over"
    );
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(dropped.load(Ordering::SeqCst), "still runs");
    until(async || engine.live_tasks() == 0).await;
}

/// Lets nobody cancel what is urgent, panics at what is strange.
struct Stubborn;

impl Agent for Stubborn {
    async fn execute(&self, _: TaskContext) -> Result<Reply, AgentError> {
        Ok(Reply::input_required("?"))
    }

    async fn cancel(&self, task: CancelContext) -> Result<(), AgentError> {
        let reason = task
            .metadata()
            .and_then(|metadata| metadata.0.get("reason")?.as_str().map(str::to_owned));
        match (text(&task.task().history[0]).as_str(), reason.as_deref()) {
            ("strange", _) => panic!("strange"),
            ("urgent", Some("owner says so")) | ("calm", _) => Ok(()),
            _ => Err(AgentError::new("the order is on its way")),
        }
    }
}

#[tokio::test]
async fn an_agent_may_refuse_to_cancel_and_the_task_goes_on() {
    let engine = Engine::builder(Stubborn, card()).build().unwrap();
    let urgent = send(&engine, request("urgent")).await.unwrap();
    let error = cancel(&engine, &urgent.id).await.unwrap_err();
    assert!(error.is_task_not_cancelable());
    assert_eq!(error.message(), "the order is on its way");
    assert_eq!(*get(&engine, &urgent.id).await.unwrap(), urgent);
    let mut because = CancelTaskRequest::default();
    because.id.clone_from(&urgent.id);
    because
        .metadata
        .get_or_insert_default()
        .0
        .insert("reason".into(), "owner says so".into());
    assert_eq!(
        state(&engine.cancel_task(call(), because).await.unwrap()),
        TaskState::Canceled
    );
    let strange = send(&engine, request("strange")).await.unwrap();
    assert!(
        cancel(&engine, &strange.id)
            .await
            .unwrap_err()
            .is_task_not_cancelable()
    );
    assert_eq!(
        state(&get(&engine, &strange.id).await.unwrap()),
        TaskState::InputRequired
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancel_racing_completion_has_one_outcome_for_everybody() {
    let (canceled, completed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let engine = engine(|task: TaskContext| async move {
        for _ in 0..task.text().parse::<u32>()? {
            tokio::task::yield_now().await;
        }
        Ok(Reply::completed().with_artifact(artifact("a", "x")))
    });
    for round in 0..2000_u32 {
        let mut stream = open_stream(&engine, request(&format!("{}", round % 40)))
            .await
            .unwrap();
        let id = task_of(&stream.next().await.unwrap().unwrap()).id;
        let (racer, racing) = (engine.clone(), id.clone());
        let answer = tokio::spawn(async move { cancel(&racer, &racing).await });
        let events = read_all(stream).await;
        let end = events.last().unwrap().as_str();
        match answer.await.unwrap() {
            Ok(task) => {
                assert_eq!(
                    (state(&task), end),
                    (TaskState::Canceled, "CANCELED"),
                    "round {round}"
                );
                canceled.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                assert!(error.is_task_not_cancelable(), "{error:?}");
                assert_eq!(end, "COMPLETED", "round {round}");
                completed.fetch_add(1, Ordering::Relaxed);
            }
        }
        let stored = get(&engine, &id).await.unwrap();
        assert_eq!(
            state(&stored)
                .as_str_name()
                .trim_start_matches("TASK_STATE_"),
            end
        );
        assert_eq!(stored.artifacts.len(), usize::from(end == "COMPLETED"));
        assert_eq!(
            events
                .iter()
                .filter(|event| ["CANCELED", "COMPLETED"].contains(&event.as_str()))
                .count(),
            1
        );
    }
    assert_eq!(canceled.into_inner() + completed.into_inner(), 2000);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_panics_or_fails_leaves_no_task_hanging() {
    let engine = engine(|task: TaskContext| async move {
        let text = task.text();
        if text.starts_with("late") {
            task.working("so far so good").await?;
        }
        match text.as_str() {
            "panic" | "late panic" => panic!("secret"),
            "error" | "late error" => Err(AgentError::new("the register is closed")),
            "hand on" => Err("secret".parse::<u32>().unwrap_err().into()),
            _ => Ok(Reply::completed()),
        }
    });
    for (text, expected) in [
        ("panic", "the agent failed while it worked on this"),
        ("late panic", "the agent failed while it worked on this"),
        ("error", "the register is closed"),
        ("late error", "the register is closed"),
        ("hand on", "the agent failed while it worked on this"),
    ] {
        let task = send(&engine, request(text)).await.unwrap();
        assert_eq!(
            (state(&task), said(&task).as_str()),
            (TaskState::Failed, expected)
        );
        let events = read_all(open_stream(&engine, request(text)).await.unwrap()).await;
        assert_eq!(events.last().unwrap(), &format!("FAILED {expected}"));
        // The next message works.
        assert_eq!(
            state(&send(&engine, request("go")).await.unwrap()),
            TaskState::Completed
        );
    }
    until(async || engine.live_tasks() == 0).await;
}

#[tokio::test]
async fn a_panic_before_the_first_await_and_in_a_destructor_is_caught_too() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }
    let engine = engine(|task: TaskContext| {
        assert!(task.text() != "early", "before there is a future");
        async move {
            let _bomb = Bomb;
            Ok(Reply::completed())
        }
    });
    for text in ["early", "destructor"] {
        let task = send(&engine, request(text)).await.unwrap();
        assert_eq!(state(&task), TaskState::Failed, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_runs_out_of_time_fails_and_its_agent_is_stopped() {
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let engine = builder(move |task: TaskContext| {
        let guard = OnDrop(Arc::clone(&flag));
        async move {
            let _guard = guard;
            if task.text() == "ask" {
                return Ok(Reply::input_required("?"));
            }
            std::future::pending().await
        }
    })
    .task_timeout(Duration::from_millis(200))
    .build()
    .unwrap();
    let begun = Instant::now();
    let task = send(&engine, request("slow")).await.unwrap();
    assert_eq!(begun.elapsed().as_millis() / 10, 20);
    assert_eq!(
        (state(&task), said(&task).as_str()),
        (TaskState::Failed, "the agent did not finish within 200ms")
    );
    assert!(dropped.load(Ordering::SeqCst));
    // Time in which the client is to answer does not count.
    let task = send(&engine, request("ask")).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(
        state(&send(&engine, to_task(&task.id, "ask")).await.unwrap()),
        TaskState::InputRequired
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_a_task_may_run_for_days() {
    let engine = engine(|_: TaskContext| async move {
        tokio::time::sleep(Duration::from_secs(3 * 24 * 3600)).await;
        Ok(Reply::completed())
    });
    assert_eq!(
        state(&send(&engine, request("slow")).await.unwrap()),
        TaskState::Completed
    );
}

#[tokio::test]
async fn a_piece_that_no_client_could_use_fails_the_task_with_the_reason() {
    let piece = |id: &str, text: &str| {
        let mut piece = artifact("a", text);
        piece.artifact_id = id.into();
        piece
    };
    let engine = engine(move |task: TaskContext| async move {
        match task.text().as_str() {
            "unknown" => task.artifact_chunk(piece("u", "x"), true, false).await?,
            "closed" => {
                task.artifact_chunk(piece("c", "x"), false, true).await?;
                task.artifact_chunk(piece("c", "y"), true, true).await?;
            }
            "no parts" => task.artifact(Artifact::default()).await?,
            "no content" => {
                let mut hollow = piece("h", "x");
                hollow.parts[0].content = None;
                task.artifact(hollow).await?;
            }
            "ignored" => {
                // Whoever takes no notice of the error still fails.
                let _ = task.artifact_chunk(piece("u", "x"), true, false).await;
            }
            "in the end" => return Ok(Reply::completed().with_artifact(Artifact::default())),
            "replaced" => {
                task.artifact_chunk(piece("r", "x"), false, true).await?;
                task.artifact_chunk(piece("r", "y"), false, false).await?;
                task.artifact_chunk(piece("r", "z"), true, true).await?;
            }
            _ => {}
        }
        Ok(Reply::completed())
    });
    for (text, word) in [
        ("unknown", "never begun"),
        ("closed", "after its last chunk"),
        ("no parts", "has no parts"),
        ("no content", "a part without content"),
        ("ignored", "never begun"),
        ("in the end", "has no parts"),
    ] {
        let task = send(&engine, request(text)).await.unwrap();
        assert_eq!(state(&task), TaskState::Failed, "{text}");
        assert!(
            said(&task).starts_with("the agent broke a rule of the protocol: ")
                && said(&task).contains(word),
            "{text}: {}",
            said(&task)
        );
    }
    let task = send(&engine, request("replaced")).await.unwrap();
    assert_eq!(artifact_texts(&task, 0), ["y", "z"]);
}

#[tokio::test]
async fn what_an_agent_keeps_after_its_turn_can_do_nothing() {
    let kept: Arc<std::sync::Mutex<Vec<TaskContext>>> = Arc::default();
    let shelf = Arc::clone(&kept);
    let engine = engine(move |task: TaskContext| {
        shelf.lock().unwrap().push(task);
        async { Ok(Reply::input_required("?")) }
    });
    let task = send(&engine, request("one")).await.unwrap();
    let first = kept.lock().unwrap()[0].clone();
    assert!(first.working("from the past").await.unwrap_err().is_ended());
    let task = send(&engine, to_task(&task.id, "two")).await.unwrap();
    assert!(first.working("from the past").await.unwrap_err().is_ended());
    assert!(
        first
            .artifact(artifact("a", "x"))
            .await
            .unwrap_err()
            .is_ended()
    );
    assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
    until(async || engine.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_fires_its_own_token_ends_its_task_like_any_other() {
    let engine = engine(|task: TaskContext| async move {
        task.cancellation().cancel();
        if task.text() == "fail" {
            return Err(AgentError::new("gave up"));
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(Reply::completed())
    });
    assert_eq!(
        state(&send(&engine, request("go")).await.unwrap()),
        TaskState::Completed
    );
    let failed = send(&engine, request("fail")).await.unwrap();
    assert_eq!(
        (state(&failed), said(&failed).as_str()),
        (TaskState::Failed, "gave up")
    );
}
