//! Turns: blocking and not, messages to running tasks, questions (specification 3.2.2, 3.4.3).

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::A2aService;
use a2a_kit::agent::{Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{TaskState, send_message_response};
use support::*;
use tokio::sync::{Notify, Semaphore};

/// An agent that waits at a gate, and how many are in front of it.
fn gated(gate: Arc<Semaphore>) -> Engine {
    engine(move |task: TaskContext| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await?.forget();
            match task.text().as_str() {
                "ask" => Ok(Reply::input_required("What?")),
                "grant" => Ok(Reply::auth_required("Allow it")),
                other => Ok(Reply::completed().with_message(other)),
            }
        }
    })
}

#[tokio::test(start_paused = true)]
async fn return_immediately_answers_before_the_gate_opens() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = gated(Arc::clone(&gate));
    let task = start(&engine, "go").await;
    assert_eq!(state(&task), TaskState::Submitted);
    assert_eq!(history(&task), ["user: go"]);
    gate.add_permits(1);
    until(async || state(&get(&engine, &task.id).await.unwrap()) == TaskState::Completed).await;
}

#[tokio::test(start_paused = true)]
async fn a_blocking_call_waits_until_the_task_rests() {
    for (text, expected) in [
        ("go", TaskState::Completed),
        ("ask", TaskState::InputRequired),
        ("grant", TaskState::AuthRequired),
    ] {
        let gate = Arc::new(Semaphore::new(0));
        let engine = gated(Arc::clone(&gate));
        let mut waiting = Box::pin(send(&engine, request(text)));
        assert!(
            tokio::time::timeout(Duration::from_secs(3600), &mut waiting)
                .await
                .is_err(),
            "{text} did not wait"
        );
        gate.add_permits(1);
        let task = tokio::time::timeout(Duration::from_secs(1), waiting)
            .await
            .expect("ends when the task rests")
            .unwrap();
        assert_eq!(state(&task), expected, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_leaves_the_task_running() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = gated(Arc::clone(&gate));
    let left = tokio::time::timeout(Duration::from_millis(5), send(&engine, request("go"))).await;
    assert!(left.is_err());
    let list = engine.list_tasks(call(), list_request()).await.unwrap();
    let id = list.tasks[0].id.clone();
    assert_eq!(state(&list.tasks[0]), TaskState::Submitted);
    gate.add_permits(1);
    until(async || state(&get(&engine, &id).await.unwrap()) == TaskState::Completed).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_at_its_first_breath_leaves_a_whole_task_or_none() {
    let engine = engine(echo);
    for polls in 0..6 {
        let mut sending = Box::pin(send(&engine, request("go")));
        for _ in 0..polls {
            if poll_once(&mut sending).await {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(sending);
        until(async || engine.live_tasks() == 0).await;
    }
    let list = engine.list_tasks(call(), list_request()).await.unwrap();
    assert!(list.total_size >= 1);
    assert!(
        list.tasks
            .iter()
            .all(|task| state(task) == TaskState::Completed),
        "{:?}",
        list.tasks
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_running_task_is_kept_and_delivered() {
    let begun = Arc::new(Notify::new());
    let seen = Arc::clone(&begun);
    let engine = engine(move |task: TaskContext| {
        let begun = Arc::clone(&seen);
        async move {
            task.working("listening").await?;
            begun.notify_one();
            let more = task.next_message().await?;
            Ok(Reply::completed().with_message(format!("{} and {}", task.text(), text(&more))))
        }
    });
    let task = start(&engine, "one").await;
    begun.notified().await;
    let answer = send(&engine, to_task(&task.id, "two")).await.unwrap();
    assert_eq!(
        (state(&answer), said(&answer).as_str()),
        (TaskState::Completed, "one and two")
    );
    assert_eq!(
        history(&answer),
        ["user: one", "agent: listening", "user: two"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_that_nobody_took_starts_the_next_turn_when_the_agent_asks() {
    let (begun, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (in_begun, in_gate) = (Arc::clone(&begun), Arc::clone(&gate));
    let turns = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&turns);
    let engine = engine(move |task: TaskContext| {
        let (begun, gate, turns) = (
            Arc::clone(&in_begun),
            Arc::clone(&in_gate),
            Arc::clone(&count),
        );
        async move {
            if turns.fetch_add(1, Ordering::SeqCst) == 0 {
                begun.notify_one();
                gate.notified().await;
                return Ok(Reply::input_required("Which region?"));
            }
            Ok(Reply::completed().with_message(task.text()))
        }
    });
    let task = start(&engine, "check").await;
    begun.notified().await;
    let early = engine.clone();
    let id = task.id.clone();
    let answer = tokio::spawn(async move { send(&early, to_task(&id, "region: China")).await });
    until(async || get(&engine, &task.id).await.unwrap().history.len() == 2).await;
    gate.notify_one();
    let answer = answer.await.unwrap().unwrap();
    assert_eq!(
        (state(&answer), said(&answer).as_str()),
        (TaskState::Completed, "region: China")
    );
    assert_eq!(turns.load(Ordering::SeqCst), 2);
    // The question is not lost, although nobody had to answer it any more.
    assert_eq!(
        history(&answer),
        ["user: check", "user: region: China", "agent: Which region?"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_awaited_goes_on_with_the_answer() {
    let engine = engine(|task: TaskContext| async move {
        let region = task.ask("Which region?").await?;
        let name = task.ask("Which name?").await?;
        Ok(Reply::completed().with_message(format!(
            "{} {} {}",
            task.text(),
            text(&region),
            text(&name)
        )))
    });
    let first = send(&engine, request("check")).await.unwrap();
    assert_eq!(
        (state(&first), said(&first).as_str()),
        (TaskState::InputRequired, "Which region?")
    );
    let second = send(&engine, to_task(&first.id, "China")).await.unwrap();
    assert_eq!(
        (state(&second), said(&second).as_str()),
        (TaskState::InputRequired, "Which name?")
    );
    let third = send(&engine, to_task(&first.id, "Star")).await.unwrap();
    assert_eq!(
        (state(&third), said(&third).as_str()),
        (TaskState::Completed, "check China Star")
    );
    assert_eq!(
        history(&third),
        [
            "user: check",
            "agent: Which region?",
            "user: China",
            "agent: Which name?",
            "user: Star"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn too_many_messages_for_a_deaf_agent_are_refused() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = gated(Arc::clone(&gate));
    let task = start(&engine, "go").await;
    for _ in 0..64 {
        send(&engine, at_once(to_task(&task.id, "more")))
            .await
            .unwrap();
    }
    let error = send(&engine, at_once(to_task(&task.id, "more")))
        .await
        .unwrap_err();
    assert_eq!(error.code(), a2a_kit::Code::ResourceExhausted);
    assert_eq!(get(&engine, &task.id).await.unwrap().history.len(), 65);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn follow_ups_at_the_same_time_are_all_kept_and_none_runs_beside_another() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (in_running, in_most) = (Arc::clone(&running), Arc::clone(&most));
    let engine = engine(move |task: TaskContext| {
        let (running, most) = (Arc::clone(&in_running), Arc::clone(&in_most));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            let seen = task.task().history.len();
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(Reply::input_required(format!("seen {seen}")))
        }
    });
    let task = send(&engine, request("first")).await.unwrap();
    let senders: Vec<_> = (0..40)
        .map(|number| {
            let (engine, id) = (engine.clone(), task.id.clone());
            tokio::spawn(async move {
                send(&engine, to_task(&id, &format!("n{number}")))
                    .await
                    .unwrap()
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    until(async || state(&get(&engine, &task.id).await.unwrap()) == TaskState::InputRequired).await;
    let task = get(&engine, &task.id).await.unwrap();
    let mut users: Vec<String> = history(&task)
        .into_iter()
        .filter(|line| line.starts_with("user: n"))
        .collect();
    users.sort();
    users.dedup();
    assert_eq!(users.len(), 40);
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_agent_learns_what_came_with_the_message() {
    let engine = engine(|task: TaskContext| async move {
        let seen = format!(
            "{:?} {:?} {:?} {}",
            task.caller().id(),
            task.metadata().and_then(|metadata| metadata.0.get("k")),
            task.accepted_output_modes(),
            task.tenant().is_none()
        );
        Ok(Reply::completed()
            .with_message(seen)
            .with_metadata("skill", "x"))
    });
    let mut rich = request("hi");
    config(&mut rich).accepted_output_modes = vec!["text/plain".into()];
    rich.metadata
        .get_or_insert_default()
        .0
        .insert("k".into(), 7.into());
    let response = engine.send_message(call_of("alice"), rich).await.unwrap();
    let Some(send_message_response::Payload::Task(task)) = &response.payload else {
        panic!("{response:?}")
    };
    assert_eq!(
        said(task),
        r#"Some("alice") Some(Number(7)) ["text/plain"] true"#
    );
    assert_eq!(task.metadata.as_ref().unwrap().0["skill"], "x");
}
