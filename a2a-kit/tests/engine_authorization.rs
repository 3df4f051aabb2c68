//! Authorization in the middle of a task (specification 7.6).

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::agent::{AgentError, AuthHandle, Granted, Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::store::{Limit, MemoryStore, Scope, Store as _};
use a2a_kit::v1_0::TaskState;
use serde_json::json;
use support::*;

type Handles = Arc<Mutex<Vec<AuthHandle>>>;

/// An agent that needs a permission, and keeps the handles for it where others find them.
fn needy(store: Arc<MemoryStore>) -> (Engine, Handles) {
    let handles = Handles::default();
    let kept = Arc::clone(&handles);
    let execute = move |task: TaskContext| {
        let kept = Arc::clone(&kept);
        async move {
            kept.lock().unwrap().push(task.auth_handle());
            match task.require_auth("Sign in at https://c.test/").await? {
                Granted::OutOfBand(token) => {
                    task.working("signed in").await?;
                    let length = token.as_str().map_or(0, str::len);
                    Ok(Reply::completed().with_message(format!("a token of {length} letters")))
                }
                Granted::Message(message) => Ok(Reply::rejected(format!(
                    "not without it: {}",
                    text(&message)
                ))),
                other => Err(AgentError::new(format!("{other:?}"))),
            }
        }
    };
    (builder(execute).store(store).build().unwrap(), handles)
}

fn last(handles: &Handles) -> AuthHandle {
    handles.lock().unwrap().last().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_grant_by_another_way_goes_on_while_streams_stay_open() {
    let store = Arc::new(MemoryStore::new());
    let (engine, handles) = needy(Arc::clone(&store));
    let mut stream = open_stream(&engine, request("go")).await.unwrap();
    let first = futures_util::StreamExt::next(&mut stream)
        .await
        .unwrap()
        .unwrap();
    let id = task_of(&first).id;
    assert_eq!(
        next(&mut stream).await.as_deref(),
        Some("AUTH_REQUIRED Sign in at https://c.test/")
    );
    // However long that takes.
    let waited = tokio::time::timeout(Duration::from_secs(3600), next(&mut stream)).await;
    assert!(waited.is_err());
    let handle = last(&handles);
    assert_eq!(handle.task_id(), id);
    assert!(handle.grant(json!("s3cret-token")));
    assert!(!handle.grant(json!("again")), "it has been granted");
    assert_eq!(
        read_all(stream).await,
        [
            "WORKING",
            "WORKING signed in",
            "COMPLETED a token of 12 letters"
        ]
    );
    assert!(!handle.grant(json!("again")), "the task has ended");
    // What was granted is in no record and shown by nothing.
    let scope = Scope::new("", "");
    let all = Limit {
        records: 1000,
        bytes: 1 << 20,
    };
    let log = store.read_log(&scope, &id, 0, all).await.unwrap();
    let kept = store
        .snapshot(&scope, &id, a2a_kit::store::Select::ALL)
        .await
        .unwrap()
        .unwrap();
    assert!(log.records.len() + kept.records.len() >= 4);
    for record in log.records.iter().chain(&kept.records) {
        let is_in = record.data.windows(6).any(|bytes| bytes == b"s3cret");
        assert!(!is_in, "{record:?}");
    }
    assert!(!format!("{handle:?} {:?}", Granted::OutOfBand(json!("s3cret"))).contains("s3cret"));
}

#[tokio::test(start_paused = true)]
async fn a_message_is_told_apart_and_authorizes_nothing_by_itself() {
    let (engine, handles) = needy(Arc::default());
    let task = send(&engine, request("go")).await.unwrap();
    assert_eq!(state(&task), TaskState::AuthRequired);
    let answered = send(&engine, to_task(&task.id, "just do it"))
        .await
        .unwrap();
    assert_eq!(
        (state(&answered), said(&answered).as_str()),
        (TaskState::Rejected, "not without it: just do it")
    );
    assert!(!last(&handles).grant(json!("late")));
}

#[tokio::test(start_paused = true)]
async fn a_canceled_task_waits_for_no_grant() {
    let (engine, handles) = needy(Arc::default());
    let task = send(&engine, request("go")).await.unwrap();
    cancel(&engine, &task.id).await.unwrap();
    assert!(!last(&handles).grant(json!("late")));
    until(async || engine.live_tasks() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_grant_counts_for_its_own_request_only() {
    let handles = Handles::default();
    let kept = Arc::clone(&handles);
    let engine = engine(move |task: TaskContext| {
        let kept = Arc::clone(&kept);
        async move {
            let early = task.auth_handle();
            assert!(early.grant(json!("early")));
            let first = task.require_auth("Sign in").await?;
            // The page of the first request is loaded again.
            assert!(!early.grant(json!("again")));
            kept.lock().unwrap().push(task.auth_handle());
            let second = task.require_auth("Pay").await?;
            let granted = [first, second].map(|granted| match granted {
                Granted::OutOfBand(value) => value,
                other => json!(format!("{other:?}")),
            });
            Ok(Reply::completed().with_message(json!(granted).to_string()))
        }
    });
    let task = send(&engine, request("go")).await.unwrap();
    assert_eq!(
        (state(&task), said(&task).as_str()),
        (TaskState::AuthRequired, "Pay")
    );
    // The first one was never open; that it was there can be read.
    assert_eq!(history(&task), ["user: go", "agent: Sign in"]);
    assert!(last(&handles).grant(json!("cash")));
    until(async || state(&get(&engine, &task.id).await.unwrap()) == TaskState::Completed).await;
    assert_eq!(
        said(&get(&engine, &task.id).await.unwrap()),
        r#"["early","cash"]"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_handle_of_an_earlier_turn_grants_nothing() {
    let handles = Handles::default();
    let kept = Arc::clone(&handles);
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let opened = Arc::clone(&gate);
    let engine = engine(move |task: TaskContext| {
        let (kept, gate) = (Arc::clone(&kept), Arc::clone(&opened));
        async move {
            if task.text() == "one" {
                kept.lock().unwrap().push(task.auth_handle());
                gate.acquire().await?.forget();
                return Ok(Reply::input_required("more?"));
            }
            let granted = task.require_auth("Sign in").await?;
            Ok(Reply::completed().with_message(format!("{granted:?}")))
        }
    });
    let task = start(&engine, "one").await;
    // It waits already when the first turn ends, so the same execution goes on with it.
    send(&engine, at_once(to_task(&task.id, "two")))
        .await
        .unwrap();
    gate.add_permits(1);
    until(async || state(&get(&engine, &task.id).await.unwrap()) == TaskState::AuthRequired).await;
    assert!(!last(&handles).grant(json!("for the first turn")));
    let done = send(&engine, to_task(&task.id, "no")).await.unwrap();
    assert!(said(&done).starts_with("Message("), "{}", said(&done));
}
