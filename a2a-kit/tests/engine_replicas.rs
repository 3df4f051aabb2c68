//! Two engines over one store: what one does, the other sees (field report 123).

#[path = "support/faulty.rs"]
mod faulty;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::agent::{Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::store::{Limit, MemoryStore, Scope, Store as _};
use a2a_kit::v1_0::TaskState;
use faulty::{Fault, Faulty};
use support::*;
use tokio::sync::Semaphore;

/// An agent that asks, listens or works, and counts its executions.
fn replica(
    store: &Arc<MemoryStore>,
    gate: &Arc<Semaphore>,
    executions: &Arc<AtomicUsize>,
) -> Engine {
    let (gate, executions) = (Arc::clone(gate), Arc::clone(executions));
    builder(move |task: TaskContext| {
        let (gate, executions) = (Arc::clone(&gate), Arc::clone(&executions));
        async move {
            executions.fetch_add(1, Ordering::SeqCst);
            match task.text().as_str() {
                "ask" => return Ok(Reply::input_required("What?")),
                "listen" => {
                    let answer = task.ask("Yes?").await?;
                    return Ok(Reply::completed().with_message(text(&answer)));
                }
                _ => {}
            }
            for step in 0..3 {
                gate.acquire().await?.forget();
                task.working(format!("step {step}")).await?;
            }
            Ok(Reply::completed().with_message("done"))
        }
    })
    .store(Arc::clone(store))
    .build()
    .unwrap()
}

struct Pair {
    one: Engine,
    two: Engine,
    gate: Arc<Semaphore>,
    executions: Arc<AtomicUsize>,
    store: Arc<MemoryStore>,
}

fn pair() -> Pair {
    let (store, gate, executions) = (Arc::default(), Arc::new(Semaphore::new(0)), Arc::default());
    Pair {
        one: replica(&store, &gate, &executions),
        two: replica(&store, &gate, &executions),
        gate,
        executions,
        store,
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_can_be_read_and_followed_at_another_replica() {
    let Pair { one, two, gate, .. } = pair();
    let task = start(&one, "go").await;
    assert_eq!(get(&two, &task.id).await.unwrap().id, task.id);
    let mut stream = subscribe(&two, &task.id).await.unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("task SUBMITTED"));
    for step in 0..3 {
        gate.add_permits(1);
        assert_eq!(
            next(&mut stream).await.unwrap(),
            format!("WORKING step {step}")
        );
        if step < 2 {
            let read = get(&two, &task.id).await.unwrap();
            assert_eq!(said(&read), format!("step {step}"));
        }
    }
    assert_eq!(read_all(stream).await, ["COMPLETED done"]);
    until(async || one.live_tasks() + two.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_come_in_at_another_replica() {
    let Pair {
        one,
        two,
        gate,
        executions,
        ..
    } = pair();
    let task = send(&one, request("ask")).await.unwrap();
    gate.add_permits(3);
    let answered = send(&two, to_task(&task.id, "go")).await.unwrap();
    assert_eq!(
        (state(&answered), said(&answered).as_str()),
        (TaskState::Completed, "done")
    );
    assert_eq!(*get(&one, &task.id).await.unwrap(), answered);
    assert_eq!(executions.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_at_another_replica_reaches_the_execution_that_waits_for_it() {
    let Pair {
        one,
        two,
        executions,
        ..
    } = pair();
    let task = send(&one, request("listen")).await.unwrap();
    assert_eq!(state(&task), TaskState::InputRequired);
    let answered = send(&two, to_task(&task.id, "here")).await.unwrap();
    assert_eq!(
        (state(&answered), said(&answered).as_str()),
        (TaskState::Completed, "here")
    );
    // It was not executed a second time.
    assert_eq!(executions.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_canceled_at_another_replica() {
    let Pair { one, two, gate, .. } = pair();
    let task = start(&one, "go").await;
    let stream = subscribe(&one, &task.id).await.unwrap();
    assert_eq!(
        state(&cancel(&two, &task.id).await.unwrap()),
        TaskState::Canceled
    );
    gate.add_permits(3);
    assert_eq!(read_all(stream).await, ["task SUBMITTED", "CANCELED"]);
    until(async || one.live_tasks() == 0).await;
    assert_eq!(
        state(&get(&one, &task.id).await.unwrap()),
        TaskState::Canceled
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_at_another_replica_misses_nothing_either() {
    let Pair {
        one,
        two,
        gate,
        store,
        ..
    } = pair();
    let task = start(&one, "go").await;
    let mut stream = subscribe(&two, &task.id).await.unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("task SUBMITTED"));
    gate.add_permits(3);
    until(async || state(&get(&one, &task.id).await.unwrap()) == TaskState::Completed).await;
    // The replica that executed it knows of no reader, but the store does.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(
        read_all(stream).await,
        [
            "WORKING step 0",
            "WORKING step 1",
            "WORKING step 2",
            "COMPLETED done"
        ]
    );
    let scope = Scope::new("", "");
    until(async || {
        tokio::time::sleep(Duration::from_secs(1)).await;
        store
            .read_log(
                &scope,
                &task.id,
                0,
                Limit {
                    records: 1,
                    bytes: 1,
                },
            )
            .await
            .unwrap()
            .base
            > 0
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_reader_whose_log_is_gone_goes_on_with_the_task_itself() {
    let store = Arc::new(Faulty::new(Fault::CompactsAtOnce));
    let gate = Arc::new(Semaphore::new(0));
    let make = || {
        let gate = Arc::clone(&gate);
        let execute = move |task: TaskContext| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await?.forget();
                task.working("on it").await?;
                Ok(Reply::completed())
            }
        };
        builder(execute).store(Arc::clone(&store)).build().unwrap()
    };
    let (one, two) = (make(), make());
    let task = start(&one, "go").await;
    let mut stream = subscribe(&two, &task.id).await.unwrap();
    assert_eq!(next(&mut stream).await.as_deref(), Some("task SUBMITTED"));
    gate.add_permits(1);
    let scope = Scope::new("", "");
    until(async || {
        store
            .read_log(
                &scope,
                &task.id,
                0,
                Limit {
                    records: 1,
                    bytes: 1,
                },
            )
            .await
            .unwrap()
            .base
            > 0
    })
    .await;
    assert_eq!(read_all(stream).await, ["task COMPLETED"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn messages_at_both_replicas_are_all_answered_and_never_in_parallel() {
    let store = Arc::new(MemoryStore::new());
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let make = || {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        builder(move |_: TaskContext| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(Reply::input_required("more?"))
            }
        })
        .store(Arc::clone(&store))
        .build()
        .unwrap()
    };
    let replicas = [make(), make()];
    let task = send(&replicas[0], request("first")).await.unwrap();
    let senders: Vec<_> = (0..60)
        .map(|number| {
            let (engine, id) = (replicas[number % 2].clone(), task.id.clone());
            tokio::spawn(async move {
                send(&engine, to_task(&id, &format!("n{number}")))
                    .await
                    .unwrap()
            })
        })
        .collect();
    for sender in senders {
        let sent = tokio::time::timeout(Duration::from_secs(30), sender)
            .await
            .expect("a sender was left waiting");
        sent.unwrap();
    }
    until(async || state(&get(&replicas[0], &task.id).await.unwrap()) == TaskState::InputRequired)
        .await;
    let task = get(&replicas[1], &task.id).await.unwrap();
    assert_eq!(
        history(&task)
            .iter()
            .filter(|line| line.starts_with("user: n"))
            .count(),
        60
    );
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[test]
fn a_task_whose_process_is_gone_is_seen_to_with_the_next_message() {
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap()
    };
    let store = Arc::new(MemoryStore::new());
    let make = |answer: &'static str| {
        let execute = move |task: TaskContext| async move {
            if answer.is_empty() {
                task.working("about to crash").await?;
                return std::future::pending().await;
            }
            Ok(Reply::completed().with_message(format!("{answer}: {}", task.text())))
        };
        builder(execute)
            .store(Arc::clone(&store))
            .lease(Duration::from_millis(60))
            .build()
            .unwrap()
    };
    let (dying, living) = (make(""), make("taken over"));
    let crashing = runtime();
    let task = crashing.block_on(async {
        let task = start(&dying, "go").await;
        until(async || said(&get(&dying, &task.id).await.unwrap()) == "about to crash").await;
        task
    });
    // Nothing of it is executed any more, and nobody has cleaned up.
    crashing.shutdown_background();
    runtime().block_on(async {
        let taken = send(&living, to_task(&task.id, "are you there?"))
            .await
            .unwrap();
        assert_eq!(state(&taken), TaskState::Failed);
        assert!(said(&taken).contains("has ended"), "{}", said(&taken));
        assert_eq!(
            history(&taken),
            ["user: go", "agent: about to crash", "user: are you there?"]
        );
    });
}

#[tokio::test(start_paused = true)]
async fn a_process_that_has_lost_its_lease_stops_and_writes_nothing() {
    let store = Arc::new(Faulty::new(Fault::LosesLeases));
    let stopped = Arc::new(Semaphore::new(0));
    let told = Arc::clone(&stopped);
    let execute = move |task: TaskContext| {
        let told = Arc::clone(&told);
        async move {
            let token = task.cancellation().clone();
            tokio::spawn(async move {
                token.cancelled().await;
                told.add_permits(1);
            });
            task.working("on it").await?;
            std::future::pending().await
        }
    };
    let engine = builder(execute).store(Arc::clone(&store)).build().unwrap();
    let task = start(&engine, "go").await;
    until(async || said(&get(&engine, &task.id).await.unwrap()) == "on it").await;
    store.trouble.store(true, Ordering::SeqCst);
    // What the agent has spawned hears of it.
    stopped.acquire().await.unwrap().forget();
    until(async || engine.live_tasks() == 0).await;
    assert_eq!(
        state(&get(&engine, &task.id).await.unwrap()),
        TaskState::Working
    );
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_turn_is_written_when_the_store_is_back() {
    let store = Arc::new(Faulty::new(Fault::IsDown));
    let gate = Arc::new(Semaphore::new(0));
    let opened = Arc::clone(&gate);
    let execute = move |_: TaskContext| {
        let gate = Arc::clone(&opened);
        async move {
            gate.acquire().await?.forget();
            Ok(Reply::completed())
        }
    };
    let engine = builder(execute).store(Arc::clone(&store)).build().unwrap();
    let task = start(&engine, "go").await;
    store.trouble.store(true, Ordering::SeqCst);
    let error = send(&engine, request("another")).await.unwrap_err();
    assert_eq!(error.code(), a2a_kit::Code::Unavailable);
    assert!(!error.message().contains("disk"), "{error}");
    gate.add_permits(1);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(
        state(&get(&engine, &task.id).await.unwrap()),
        TaskState::Submitted
    );
    store.trouble.store(false, Ordering::SeqCst);
    until(async || {
        tokio::time::sleep(Duration::from_millis(100)).await;
        state(&get(&engine, &task.id).await.unwrap()) == TaskState::Completed
    })
    .await;
}

#[tokio::test]
async fn a_task_that_cannot_be_set_out_on_is_failed_and_not_left() {
    let store = Arc::new(Faulty::new(Fault::KeepsNoWebhooks));
    let engine = builder(echo).store(Arc::clone(&store)).build().unwrap();
    let mut inline = request("go");
    let mut hook = a2a_kit::v1_0::TaskPushNotificationConfig::default();
    hook.url = "https://c.test/".into();
    config(&mut inline).task_push_notification_config = Some(hook);
    let error = send(&engine, inline).await.unwrap_err();
    assert_eq!(error.code(), a2a_kit::Code::Unavailable);
    let list = a2a_kit::A2aService::list_tasks(&engine, call(), list_request())
        .await
        .unwrap();
    assert_eq!(
        list.tasks.iter().map(state).collect::<Vec<_>>(),
        [TaskState::Failed]
    );
}

#[tokio::test(start_paused = true)]
async fn a_task_that_could_not_be_failed_at_once_is_failed_later_and_not_executed_again() {
    let store = Arc::new(Faulty::new(Fault::IsDown));
    let gate = Arc::new(Semaphore::new(0));
    let executions = Arc::new(AtomicUsize::new(0));
    let (opened, count) = (Arc::clone(&gate), Arc::clone(&executions));
    let execute = move |task: TaskContext| {
        let gate = Arc::clone(&opened);
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            task.working("on it").await?;
            gate.acquire().await?.forget();
            Ok(Reply::completed())
        }
    };
    let engine = builder(execute).store(Arc::clone(&store)).build().unwrap();
    let task = start(&engine, "go").await;
    until(async || said(&get(&engine, &task.id).await.unwrap()) == "on it").await;
    // The end of its turn is not written: it was cut short.
    store.trouble.store(true, Ordering::SeqCst);
    gate.add_permits(2);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(engine.live_tasks(), 0);
    assert_eq!(engine.recover().await.unwrap(), 0);
    store.trouble.store(false, Ordering::SeqCst);
    assert_eq!(engine.recover().await.unwrap(), 1);
    until(async || state(&get(&engine, &task.id).await.unwrap()).is_terminal()).await;
    let ended = get(&engine, &task.id).await.unwrap();
    assert_eq!(state(&ended), TaskState::Failed);
    assert!(said(&ended).contains("has ended"), "{}", said(&ended));
    assert_eq!(executions.load(Ordering::SeqCst), 1);
}

/// Asks, and ends with the answer.
async fn asks_once(task: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    if task.history().is_empty() {
        return Ok(Reply::input_required("Which?"));
    }
    Ok(Reply::completed().with_message(task.text()))
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_webhook_cannot_be_kept_is_refused_and_changes_nothing() {
    let store = Arc::new(Faulty::new(Fault::KeepsNoWebhooks));
    let engine = builder(asks_once)
        .store(Arc::clone(&store))
        .build()
        .unwrap();
    let task = send(&engine, request("go")).await.unwrap();
    let mut inline = to_task(&task.id, "this");
    let mut hook = a2a_kit::v1_0::TaskPushNotificationConfig::default();
    hook.url = "https://c.test/".into();
    config(&mut inline).task_push_notification_config = Some(hook);
    let error = send(&engine, inline).await.unwrap_err();
    assert_eq!(error.code(), a2a_kit::Code::Unavailable);
    assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
    let done = send(&engine, to_task(&task.id, "that")).await.unwrap();
    assert_eq!(
        (state(&done), said(&done).as_str()),
        (TaskState::Completed, "that")
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_set_out_on_is_seen_to_later() {
    let store = Arc::new(Faulty::new(Fault::LeasesNothing));
    let engine = builder(asks_once)
        .store(Arc::clone(&store))
        .build()
        .unwrap();
    let task = send(&engine, request("go")).await.unwrap();
    until(async || engine.live_tasks() == 0).await;
    store.trouble.store(true, Ordering::SeqCst);
    let error = send(&engine, to_task(&task.id, "this")).await.unwrap_err();
    assert_eq!(error.code(), a2a_kit::Code::Unavailable);
    store.trouble.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(60)).await;
    let done = get(&engine, &task.id).await.unwrap();
    assert_eq!(
        (state(&done), said(&done).as_str()),
        (TaskState::Completed, "this")
    );
}

#[tokio::test(start_paused = true)]
async fn who_follows_a_task_whose_lease_was_lost_does_not_wait_for_ever() {
    let store = Arc::new(Faulty::new(Fault::LosesLeases));
    let execute = |task: TaskContext| async move {
        task.working("on it").await?;
        std::future::pending().await
    };
    let engine = builder(execute).store(Arc::clone(&store)).build().unwrap();
    let task = start(&engine, "go").await;
    until(async || said(&get(&engine, &task.id).await.unwrap()) == "on it").await;
    let stream = subscribe(&engine, &task.id).await.unwrap();
    store.trouble.store(true, Ordering::SeqCst);
    let events = tokio::time::timeout(Duration::from_secs(3600), read_all(stream))
        .await
        .expect("the stream never ended");
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events[1].starts_with("FAILED the process"), "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn news_that_could_not_be_read_are_read_later() {
    let store = Arc::new(Faulty::new(Fault::ReadsNoLog));
    let execute = |task: TaskContext| async move {
        task.begin().await?;
        std::future::pending().await
    };
    let one = builder(execute).store(Arc::clone(&store)).build().unwrap();
    let two = builder(execute)
        .store(Arc::clone(&store.inner))
        .build()
        .unwrap();
    let task = start(&one, "go").await;
    until(async || state(&get(&one, &task.id).await.unwrap()) == TaskState::Working).await;
    store.trouble.store(true, Ordering::SeqCst);
    cancel(&two, &task.id).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(one.live_tasks(), 1);
    store.trouble.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(one.live_tasks(), 0);
}
