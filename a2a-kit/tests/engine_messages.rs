//! Messages: direct answers, tasks, turns, blocking and not (specification 3.1.1, 3.2.2, 3.4).

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::agent::{Reply, TaskContext, artifact};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{Role, SendMessageRequest, TaskState, send_message_response};
use a2a_kit::{A2aService, Error};
use support::*;
use tokio::sync::{Notify, Semaphore};

/// Asks for the region once, then reports.
async fn diligence(task: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    if task.history().is_empty() {
        return Ok(Reply::input_required("Which region?"));
    }
    task.working("Looking it up").await?;
    let said: Vec<String> = task.history().iter().map(text).collect();
    let report = artifact("report", format!("{} / {}", said.join(" / "), task.text()));
    Ok(Reply::completed()
        .with_artifact(report)
        .with_message("Done"))
}

fn no_task(result: &Result<a2a_kit::v1_0::Task, Error>) -> &Error {
    result.as_ref().unwrap_err()
}

#[tokio::test]
async fn a_task_is_answered_with_its_result() {
    let engine = engine(echo);
    let task = send(&engine, request("ping")).await.unwrap();
    assert_eq!(
        (state(&task), said(&task).as_str()),
        (TaskState::Completed, "ping")
    );
    assert_eq!(history(&task), ["user: ping"]);
    assert!(!task.id.is_empty() && !task.context_id.is_empty());
    let user = &task.history[0];
    assert_eq!(
        (&user.task_id, &user.context_id),
        (&task.id, &task.context_id)
    );
    let message = task.status.as_ref().unwrap().message.as_ref().unwrap();
    assert_eq!(
        (message.role(), &message.task_id, &message.context_id),
        (Role::Agent, &task.id, &task.context_id)
    );
    assert!(!message.message_id.is_empty());
    assert!(task.status.as_ref().unwrap().timestamp.is_some());
}

#[tokio::test]
async fn a_direct_answer_makes_no_task_and_its_stream_has_one_event() {
    let engine = engine(echo);
    let mut hello = request("hello");
    hello.message.as_mut().unwrap().context_id = "c-9".into();
    let response = engine.send_message(call(), hello.clone()).await.unwrap();
    let Some(send_message_response::Payload::Message(answer)) = &response.payload else {
        panic!("{response:?}")
    };
    assert_eq!(
        (
            text(answer).as_str(),
            answer.role(),
            answer.context_id.as_str()
        ),
        ("hello to you", Role::Agent, "c-9")
    );
    assert!(answer.task_id.is_empty() && !answer.message_id.is_empty());
    // The context is the agent's, when the client names none.
    let response = engine.send_message(call(), request("hello")).await.unwrap();
    let Some(send_message_response::Payload::Message(answer)) = &response.payload else {
        panic!("{response:?}")
    };
    assert!(!answer.context_id.is_empty());
    assert_eq!(
        read_all(open_stream(&engine, hello).await.unwrap()).await,
        ["message hello to you"]
    );
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn a_refused_message_makes_no_task() {
    let engine = engine(echo);
    let error = send(&engine, request("nonsense")).await.unwrap_err();
    assert_eq!(error.violations()[0].field, "message.parts[0].text");
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn what_a_message_must_have_is_checked_with_its_path() {
    let engine = engine(echo);
    let broken = |change: &dyn Fn(&mut SendMessageRequest)| {
        let mut request = request("x");
        change(&mut request);
        request
    };
    for (request, field) in [
        (broken(&|request| request.message = None), "message"),
        (
            broken(&|request| request.message.as_mut().unwrap().message_id.clear()),
            "message.messageId",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().parts.clear()),
            "message.parts",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().parts[0].content = None),
            "message.parts[0]",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().role = 0),
            "message.role",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().role = Role::Agent as i32),
            "message.role",
        ),
        (
            broken(&|request| config(request).history_length = Some(-1)),
            "configuration.historyLength",
        ),
        (
            broken(&|request| {
                request.message.as_mut().unwrap().reference_task_ids = vec!["t".into(); 65]
            }),
            "message.referenceTaskIds",
        ),
    ] {
        let error = send(&engine, request).await.unwrap_err();
        assert_eq!(
            (error.json_rpc_code(), error.violations()[0].field.as_str()),
            (-32602, field)
        );
    }
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn two_turns_end_in_a_report() {
    let engine = engine(diligence);
    let first = send(&engine, request("Check Star River Tech"))
        .await
        .unwrap();
    assert_eq!(
        (state(&first), said(&first).as_str()),
        (TaskState::InputRequired, "Which region?")
    );
    let second = send(&engine, to_task(&first.id, "region: China"))
        .await
        .unwrap();
    assert_eq!(
        (&second.id, &second.context_id),
        (&first.id, &first.context_id)
    );
    assert_eq!(state(&second), TaskState::Completed);
    assert_eq!(
        history(&second),
        [
            "user: Check Star River Tech",
            "agent: Which region?",
            "user: region: China",
            "agent: Looking it up"
        ]
    );
    assert_eq!(
        artifact_texts(&second, 0),
        ["Check Star River Tech / Which region? / region: China"]
    );
    assert_eq!(*get(&engine, &first.id).await.unwrap(), second);
}

#[tokio::test]
async fn a_context_is_made_kept_or_inferred() {
    let engine = engine(diligence);
    // Kept, as the client chose it, and not replaced.
    let mut own = request("Check A");
    own.message.as_mut().unwrap().context_id = "c-9".into();
    let kept = send(&engine, own.clone()).await.unwrap();
    assert_eq!(kept.context_id, "c-9");
    // A new task in an old context.
    let other = send(&engine, own).await.unwrap();
    assert_eq!(other.context_id, "c-9");
    assert_ne!(other.id, kept.id);
    // Inferred from the task.
    let answered = send(&engine, to_task(&kept.id, "region: China"))
        .await
        .unwrap();
    assert_eq!(answered.context_id, "c-9");
    // Made, and another one each time.
    let made = [
        send(&engine, request("Check B")).await.unwrap(),
        send(&engine, request("Check B")).await.unwrap(),
    ];
    assert_ne!(made[0].context_id, made[1].context_id);
}

#[tokio::test]
async fn a_wrong_pair_of_task_and_context_is_refused_before_anything_is_written() {
    let engine = engine(diligence);
    let task = send(&engine, request("Check A")).await.unwrap();
    let mut wrong = to_task(&task.id, "region: China");
    wrong.message.as_mut().unwrap().context_id = "another".into();
    for _ in 0..2 {
        let error = send(&engine, wrong.clone()).await.unwrap_err();
        assert_eq!(
            (error.json_rpc_code(), error.violations()[0].field.as_str()),
            (-32602, "message.contextId")
        );
    }
    assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
    // The right pair goes on.
    wrong.message.as_mut().unwrap().context_id = task.context_id.clone();
    assert_eq!(
        state(&send(&engine, wrong).await.unwrap()),
        TaskState::Completed
    );
}

#[tokio::test]
async fn an_unknown_task_id_never_makes_a_task() {
    let engine = engine(echo);
    let long = "x".repeat(10_000);
    for id in ["nope", "urn:x:7", "\u{0}\n", &long] {
        let result = send(&engine, to_task(id, "hi")).await;
        assert!(no_task(&result).is_task_not_found());
        assert!(no_task(&result).message().len() < 600);
        assert!(
            open_stream(&engine, to_task(id, "hi"))
                .await
                .err()
                .unwrap()
                .is_task_not_found()
        );
    }
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
    assert_eq!(engine.live_tasks(), 0);
}

#[tokio::test]
async fn a_message_to_a_finished_task_is_unsupported() {
    let engine = engine(echo);
    let task = send(&engine, request("ping")).await.unwrap();
    let error = send(&engine, to_task(&task.id, "more")).await.unwrap_err();
    assert!(error.is_unsupported_operation());
    assert_eq!(error.json_rpc_code(), -32004);
    assert!(
        open_stream(&engine, to_task(&task.id, "more"))
            .await
            .err()
            .unwrap()
            .is_unsupported_operation()
    );
    assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
}

#[tokio::test]
async fn referenced_tasks_must_be_visible_and_reach_the_agent() {
    let engine = engine(|task: TaskContext| async move {
        let referenced = task.referenced_tasks().await?;
        let said: Vec<String> = referenced.iter().map(|task| said(task)).collect();
        Ok(Reply::completed().with_message(format!("{} {said:?}", task.text())))
    });
    let first = send(&engine, request("one")).await.unwrap();
    let mut refers = request("two");
    refers.message.as_mut().unwrap().reference_task_ids = vec![first.id.clone()];
    let second = send(&engine, refers.clone()).await.unwrap();
    assert_eq!(said(&second), r#"two ["one []"]"#);
    // To another caller, the task does not exist.
    let foreign = engine
        .send_message(call_of("mallory"), refers.clone())
        .await
        .unwrap_err();
    refers
        .message
        .as_mut()
        .unwrap()
        .reference_task_ids
        .push("nope".into());
    let missing = send(&engine, refers).await.unwrap_err();
    assert!(foreign.is_task_not_found() && missing.is_task_not_found());
    assert_eq!(
        foreign.message().replace(&first.id, "ID"),
        missing.message().replace("nope", "ID")
    );
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        2
    );
}

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
