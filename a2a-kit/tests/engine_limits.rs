//! Running tasks of a caller, where things go wrong: what does not run does not count.

#[path = "support/faulty.rs"]
mod faulty;
mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use a2a_kit::agent::{Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::limits::{Limits, Quota};
use a2a_kit::v1_0::TaskState;
use a2a_kit::{Body, Server};
use faulty::{Fault, Faulty};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use support::*;
use tokio::sync::Semaphore;

/// A server for an engine, whose callers may have one task that runs.
fn limited(engine: &Engine) -> Server {
    let limits = Limits::per_caller(Quota::new().running_tasks(1));
    let server = Server::builder(engine.clone(), card()).limits(limits);
    server.build().unwrap()
}

/// Sends a message that is answered at once. Its task, or the error's message.
async fn send_to(server: &Server, message: Value) -> Result<String, String> {
    let mut message = message;
    message["messageId"] = "m".into();
    message["role"] = "ROLE_USER".into();
    let params = json!({"message": message, "configuration": {"returnImmediately": true}});
    call_to(server, params).await
}

async fn call_to(server: &Server, params: Value) -> Result<String, String> {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params});
    let request = http::Request::post("/")
        .header("a2a-version", "1.0")
        .body(Body::full(call.to_string()))
        .unwrap();
    let answer = server.handle(request).await;
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let answer: Value = serde_json::from_slice(&body).unwrap();
    match answer["error"]["message"].as_str() {
        Some(message) => Err(message.to_owned()),
        None => Ok(answer["result"]["task"]["id"].as_str().unwrap().to_owned()),
    }
}

fn text_of(text: &str) -> Value {
    json!({"parts": [{"text": text}]})
}

/// Works until it is stopped, if it is told to; it has ended when a permit is there.
fn worker(store: &Arc<Faulty>, gate: &Arc<Semaphore>) -> Engine {
    let gate = Arc::clone(gate);
    let execute = move |task: TaskContext| {
        let gate = Arc::clone(&gate);
        async move {
            if task.text() == "work" {
                task.working("on it").await?;
                gate.acquire().await?.forget();
            }
            Ok(Reply::completed())
        }
    };
    builder(execute).store(Arc::clone(store)).build().unwrap()
}

fn closed() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(0))
}

const TOO_MANY: &str = "too many running tasks";

#[tokio::test(start_paused = true)]
async fn a_task_whose_lease_is_lost_no_longer_counts_here() {
    let store = Arc::new(Faulty::new(Fault::LosesLeases));
    let engine = worker(&store, &closed());
    let server = limited(&engine);
    let task = send_to(&server, text_of("work")).await.unwrap();
    until(async || said(&get(&engine, &task).await.unwrap()) == "on it").await;
    let refused = send_to(&server, text_of("work")).await.unwrap_err();
    assert!(refused.starts_with(TOO_MANY), "{refused}");
    store.trouble.store(true, Ordering::SeqCst);
    // On a clock that stands still, this is no wait: leases are renewed every ten seconds.
    tokio::time::sleep(Duration::from_secs(60)).await;
    until(async || engine.live_tasks() == 0).await;
    assert_eq!(
        state(&get(&engine, &task).await.unwrap()),
        TaskState::Working
    );
    store.trouble.store(false, Ordering::SeqCst);
    send_to(&server, text_of("work")).await.unwrap();
    let refused = send_to(&server, text_of("work")).await.unwrap_err();
    assert!(refused.starts_with(TOO_MANY), "{refused}");
}

#[tokio::test]
async fn a_task_that_was_not_written_does_not_count() {
    let store = Arc::new(Faulty::new(Fault::IsDown));
    let engine = worker(&store, &closed());
    let server = limited(&engine);
    store.trouble.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        let refused = send_to(&server, text_of("hi")).await.unwrap_err();
        assert!(refused.contains("cannot be read or written"), "{refused}");
    }
    store.trouble.store(false, Ordering::SeqCst);
    send_to(&server, text_of("work")).await.unwrap();
    let refused = send_to(&server, text_of("hi")).await.unwrap_err();
    assert!(refused.starts_with(TOO_MANY), "{refused}");
}

#[tokio::test]
async fn a_task_that_could_not_be_set_out_on_does_not_count() {
    let store = Arc::new(Faulty::new(Fault::KeepsNoWebhooks));
    let server = limited(&worker(&store, &closed()));
    for _ in 0..3 {
        let params = json!({
            "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "work"}]},
            "configuration": {"taskPushNotificationConfig": {"url": "https://c.test/"}}
        });
        let refused = call_to(&server, params).await.unwrap_err();
        assert!(refused.contains("cannot be read or written"), "{refused}");
    }
    send_to(&server, text_of("work")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ends_while_the_store_is_down_no_longer_counts() {
    let store = Arc::new(Faulty::new(Fault::IsDown));
    let gate = closed();
    let engine = worker(&store, &gate);
    let server = limited(&engine);
    let task = send_to(&server, text_of("work")).await.unwrap();
    until(async || said(&get(&engine, &task).await.unwrap()) == "on it").await;
    store.trouble.store(true, Ordering::SeqCst);
    gate.add_permits(1);
    // It is refused for another reason, as soon as the execution has ended.
    until(async || {
        let refused = send_to(&server, text_of("work")).await.unwrap_err();
        !refused.starts_with(TOO_MANY)
    })
    .await;
    store.trouble.store(false, Ordering::SeqCst);
    send_to(&server, text_of("work")).await.unwrap();
}
