//! Streams: their first event, their order, their end; slow, late and vanishing readers
//! (specification 3.1.2, 3.1.6, 3.5.2).

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::agent::{Reply, TaskContext, artifact};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{StreamResponse, TaskState, stream_response};
use a2a_kit::{A2aService, EventStream};
use futures_util::StreamExt as _;
use support::*;
use tokio::sync::{Notify, Semaphore};

/// Works, asks, reports in pieces.
async fn storyteller(task: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    if task.text() == "ask" {
        return Ok(Reply::input_required("Which one?"));
    }
    task.working("thinking").await?;
    let mut story = task.write_artifact("story");
    story.push("He").await?;
    story.push("l").await?;
    story.finish("lo é😀\u{2028}").await?;
    task.artifact(artifact("note", "n")).await?;
    Ok(Reply::completed()
        .with_message("told")
        .with_artifact(artifact("end", "e")))
}

const STORY: [&str; 8] = [
    "task SUBMITTED",
    "WORKING thinking",
    "artifact He",
    "artifact +l",
    "artifact +lo é😀\u{2028} !",
    "artifact n !",
    "artifact e !",
    "COMPLETED told",
];

#[tokio::test]
async fn a_stream_opens_with_the_task_and_ends_with_its_end() {
    let engine = engine(storyteller);
    let events: Vec<StreamResponse> = open_stream(&engine, request("tell"))
        .await
        .unwrap()
        .map(|event| (*event.unwrap()).clone())
        .collect()
        .await;
    assert_eq!(events.iter().map(brief).collect::<Vec<_>>(), STORY);
    // Every event names its task and its context.
    let task = task_of(&events[0]);
    for event in &events[1..] {
        let (task_id, context_id) = match event.payload.as_ref().unwrap() {
            stream_response::Payload::StatusUpdate(event) => (&event.task_id, &event.context_id),
            stream_response::Payload::ArtifactUpdate(event) => (&event.task_id, &event.context_id),
            other => panic!("{other:?}"),
        };
        assert_eq!((task_id, context_id), (&task.id, &task.context_id));
    }
    // What was streamed is what is read.
    let task = get(&engine, &task.id).await.unwrap();
    assert_eq!(artifact_texts(&task, 0), ["He", "l", "lo é😀\u{2028}"]);
    assert_eq!(
        task.artifacts
            .iter()
            .map(|artifact| artifact.name.as_str())
            .collect::<Vec<_>>(),
        ["story", "note", "end"]
    );
}

#[tokio::test]
async fn a_message_stream_closes_at_a_question_and_the_next_one_goes_on() {
    let engine = engine(storyteller);
    let mut stream = open_stream(&engine, request("ask")).await.unwrap();
    let first = task_of(&stream.next().await.unwrap().unwrap());
    assert_eq!(read_all(stream).await, ["INPUT_REQUIRED Which one?"]);
    let mut stream = open_stream(&engine, to_task(&first.id, "that one"))
        .await
        .unwrap();
    let second = task_of(&stream.next().await.unwrap().unwrap());
    assert_eq!(
        (state(&second), history(&second)),
        (
            TaskState::Working,
            vec![
                "user: ask".into(),
                "agent: Which one?".into(),
                "user: that one".into()
            ]
        )
    );
    assert_eq!(read_all(stream).await, STORY[1..]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_stays_open_at_auth_required_while_the_skill_runs() {
    let granted = Arc::new(Notify::new());
    let grant = Arc::clone(&granted);
    let engine = engine(move |task: TaskContext| {
        let granted = Arc::clone(&grant);
        async move {
            if task.text() == "rest" {
                return Ok(Reply::auth_required("Allow it, then tell me"));
            }
            task.auth_required("Allow it").await?;
            granted.notified().await;
            task.working("Thanks").await?;
            Ok(Reply::completed())
        }
    });
    let mut stream = open_stream(&engine, request("run")).await.unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("task SUBMITTED"));
    assert_eq!(
        next(&mut stream).await.as_deref(),
        Some("AUTH_REQUIRED Allow it")
    );
    assert!(
        tokio::time::timeout(Duration::from_secs(60), stream.next())
            .await
            .is_err(),
        "the stream did not stay open"
    );
    granted.notify_one();
    assert_eq!(read_all(stream).await, ["WORKING Thanks", "COMPLETED"]);
    // When nobody executes the task any more, there is nothing to stay open for.
    let stream = open_stream(&engine, request("rest")).await.unwrap();
    assert_eq!(
        read_all(stream).await,
        ["task SUBMITTED", "AUTH_REQUIRED Allow it, then tell me"]
    );
}

#[tokio::test]
async fn a_subscription_stays_open_over_questions_until_the_end() {
    let engine = engine(storyteller);
    let task = send(&engine, request("ask")).await.unwrap();
    let mut stream = subscribe(&engine, &task.id).await.unwrap();
    assert_eq!(
        next(&mut stream).await.as_deref(),
        Some("task INPUT_REQUIRED")
    );
    send(&engine, to_task(&task.id, "ask")).await.unwrap();
    send(&engine, to_task(&task.id, "that one")).await.unwrap();
    let mut expected = vec!["WORKING", "INPUT_REQUIRED Which one?", "WORKING"];
    expected.extend(&STORY[1..]);
    assert_eq!(read_all(stream).await, expected);
}

#[tokio::test]
async fn subscribing_to_a_finished_task_is_unsupported_before_the_stream() {
    let engine = engine(storyteller);
    let task = send(&engine, request("tell")).await.unwrap();
    let error = subscribe(&engine, &task.id).await.err().unwrap();
    assert!(error.is_unsupported_operation());
    assert!(
        subscribe(&engine, "nope")
            .await
            .err()
            .unwrap()
            .is_task_not_found()
    );
    until(async || engine.live_tasks() == 0).await;
}

/// An agent that reports `steps` pieces, one for each permit.
fn stepper(gate: Arc<Semaphore>, steps: usize) -> Engine {
    engine(move |task: TaskContext| {
        let gate = Arc::clone(&gate);
        async move {
            for step in 0..steps {
                gate.acquire().await?.forget();
                task.working(format!("step {step}")).await?;
            }
            Ok(Reply::completed())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_late_subscriber_gets_the_task_and_then_what_follows_once() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = stepper(Arc::clone(&gate), 7);
    let task = start(&engine, "go").await;
    for joined in 0..6 {
        gate.add_permits(1);
        let step = format!("step {joined}");
        until(async || said(&get(&engine, &task.id).await.unwrap()) == step).await;
        let mut stream = subscribe(&engine, &task.id).await.unwrap();
        let first = task_of(&stream.next().await.unwrap().unwrap());
        assert_eq!(said(&first), step);
        drop(stream);
    }
    let task = get(&engine, &task.id).await.unwrap();
    assert_eq!(task.history.len(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_subscribers_see_the_same_events_in_the_same_order_while_some_vanish() {
    const STEPS: usize = 600;
    let gate = Arc::new(Semaphore::new(0));
    let engine = stepper(Arc::clone(&gate), STEPS);
    let task = start(&engine, "go").await;
    let opened = Arc::new(AtomicUsize::new(0));
    let readers: Vec<_> = (0..100)
        .map(|number| {
            let (engine, id, opened) = (engine.clone(), task.id.clone(), Arc::clone(&opened));
            tokio::spawn(async move {
                let mut stream = subscribe(&engine, &id).await.unwrap();
                let first = task_of(&stream.next().await.unwrap().unwrap());
                assert_eq!(state(&first), TaskState::Submitted);
                opened.fetch_add(1, Ordering::SeqCst);
                if number % 3 == 0 {
                    // Leaves after a few events.
                    for _ in 0..number {
                        stream.next().await.unwrap().unwrap();
                    }
                    return None;
                }
                let mut seen = Vec::new();
                while let Some(event) = stream.next().await {
                    let event = event.unwrap();
                    if number % 3 == 1 && seen.len() % 50 == 0 {
                        // Falls behind all that is kept at hand.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    seen.push(brief(&event));
                }
                Some(seen)
            })
        })
        .collect();
    until(async || opened.load(Ordering::SeqCst) == 100).await;
    gate.add_permits(STEPS);
    let mut expected: Vec<String> = (0..STEPS)
        .map(|step| format!("WORKING step {step}"))
        .collect();
    expected.push("COMPLETED".into());
    let mut stayed = 0;
    for reader in readers {
        if let Some(seen) = reader.await.unwrap() {
            assert_eq!(seen, expected);
            stayed += 1;
        }
    }
    assert_eq!(stayed, 66);
    until(async || engine.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_reader_who_sleeps_through_a_long_task_misses_nothing() {
    // More events than are kept at hand, and more bytes.
    let engine = engine(|task: TaskContext| async move {
        let mut big = task.write_artifact("big");
        for piece in 0..400 {
            big.push(format!("{piece:04}{}", "x".repeat(20_000)))
                .await?;
        }
        big.finish("end").await?;
        Ok(Reply::completed())
    });
    let mut stream = open_stream(&engine, request("go")).await.unwrap();
    let id = task_of(&stream.next().await.unwrap().unwrap()).id;
    until(async || state(&get(&engine, &id).await.unwrap()) == TaskState::Completed).await;
    // The log is kept as long as someone reads it.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    let events: Vec<String> = read_all(stream).await;
    assert_eq!(events.len(), 402);
    for (number, event) in events[..400].iter().enumerate() {
        let append = if number == 0 { "" } else { "+" };
        assert!(
            event.starts_with(&format!("artifact {append}{number:04}x")),
            "{}",
            &event[..20]
        );
    }
    assert_eq!(events[400..], ["artifact +end !", "COMPLETED"]);
    until(async || engine.live_tasks() == 0).await;
    assert_eq!(
        get(&engine, &id).await.unwrap().artifacts[0].parts.len(),
        401
    );
}

#[tokio::test(start_paused = true)]
async fn an_event_is_made_once_for_all_who_read_it() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = stepper(Arc::clone(&gate), 3);
    let task = start(&engine, "go").await;
    let mut streams: Vec<EventStream<StreamResponse>> = Vec::new();
    for _ in 0..10 {
        streams.push(subscribe(&engine, &task.id).await.unwrap());
    }
    gate.add_permits(3);
    // The task, three steps, the end.
    for _ in 0..5 {
        let mut encodings = Vec::new();
        for stream in &mut streams {
            encodings.push(stream.next().await.unwrap().unwrap().proto());
        }
        assert!(
            encodings
                .iter()
                .all(|encoding| encoding.as_ptr() == encodings[0].as_ptr()),
            "encoded more than once"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_dropped_changes_nothing_for_the_task() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = stepper(Arc::clone(&gate), 2);
    let mut stream = open_stream(&engine, request("go")).await.unwrap();
    let id = task_of(&stream.next().await.unwrap().unwrap()).id;
    drop(stream);
    gate.add_permits(2);
    until(async || state(&get(&engine, &id).await.unwrap()) == TaskState::Completed).await;
    until(async || engine.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_a_message_to_a_running_task_joins_it() {
    let gate = Arc::new(Semaphore::new(0));
    let engine = stepper(Arc::clone(&gate), 2);
    let task = start(&engine, "go").await;
    gate.add_permits(1);
    until(async || said(&get(&engine, &task.id).await.unwrap()) == "step 0").await;
    let mut stream = open_stream(&engine, to_task(&task.id, "and?"))
        .await
        .unwrap();
    let joined = task_of(&stream.next().await.unwrap().unwrap());
    assert_eq!(history(&joined), ["user: go", "user: and?"]);
    gate.add_permits(1);
    assert_eq!(read_all(stream).await, ["WORKING step 1", "COMPLETED"]);
    // In the end, what was said is in the order in which it was said.
    assert_eq!(
        history(&get(&engine, &task.id).await.unwrap()),
        ["user: go", "agent: step 0", "user: and?", "agent: step 1"]
    );
}

#[tokio::test]
async fn history_length_holds_for_the_first_event_of_a_stream() {
    let engine = engine(storyteller);
    let task = send(&engine, request("ask")).await.unwrap();
    for (length, expected) in [
        (Some(0), 0),
        (Some(1), 1),
        (Some(2), 2),
        (Some(99), 7),
        (None, 9),
    ] {
        let mut asked = to_task(&task.id, "ask");
        config(&mut asked).history_length = length;
        let mut stream = open_stream(&engine, asked).await.unwrap();
        let first = task_of(&stream.next().await.unwrap().unwrap());
        if let Some(length @ 0..=2) = length {
            assert_eq!(first.history.len(), length as usize);
        } else {
            assert!(
                first.history.len() > 2 && first.history.len() <= expected + 2,
                "{}",
                first.history.len()
            );
        }
        assert_eq!(read_all(stream).await, ["INPUT_REQUIRED Which one?"]);
    }
    let mut negative = to_task(&task.id, "ask");
    config(&mut negative).history_length = Some(-5);
    let error = open_stream(&engine, negative).await.err().unwrap();
    assert_eq!(error.violations()[0].field, "configuration.historyLength");
}

#[tokio::test]
async fn pieces_of_a_stream_are_closed_by_the_last_one() {
    let engine = engine(|task: TaskContext| async move {
        let pieces =
            |list: &'static [&'static str]| futures_util::stream::iter(list.iter().copied());
        task.write_artifact("none").write_all(pieces(&[])).await?;
        task.write_artifact("one").write_all(pieces(&["a"])).await?;
        task.write_artifact("three")
            .write_all(pieces(&["b", "c", "d"]))
            .await?;
        Ok(Reply::completed())
    });
    let events = read_all(open_stream(&engine, request("go")).await.unwrap()).await;
    assert_eq!(
        events[1..],
        [
            "artifact a !",
            "artifact b",
            "artifact +c",
            "artifact +d !",
            "COMPLETED"
        ]
    );
}

#[tokio::test]
async fn without_the_capability_nothing_is_streamed_and_nothing_written() {
    let mut card = card();
    card.capabilities.as_mut().unwrap().streaming = None;
    let engine = Engine::builder(Script(storyteller), card).build().unwrap();
    let task = send(&engine, request("ask")).await.unwrap();
    assert!(
        open_stream(&engine, request("tell"))
            .await
            .err()
            .unwrap()
            .is_unsupported_operation()
    );
    assert!(
        subscribe(&engine, &task.id)
            .await
            .err()
            .unwrap()
            .is_unsupported_operation()
    );
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        1
    );
}
