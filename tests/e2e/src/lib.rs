//! A harness that calls a whole agent over real sockets.
//!
//! Comes in: what the agent under test is to be like ([`Setup`]). Goes out: the agent behind a
//! server on a free port ([`Served`]), and a [`Client`] for each [`Binding`]. The clients share
//! nothing with the server but the schema: JSON is `serde_json`'s, protobuf and its JSON are those
//! of `prost-reflect`, and the framing of each binding is written out here. Each call checks what
//! its binding promises for every answer (media types, ids, envelopes, trailers), so that a test
//! only says what is particular to it.
//!
//! What the agent does with a message is chosen by the message's text; see [`agent`]. Tests say by
//! [`Gate`]s when it goes on, and never by time.

#![allow(clippy::result_large_err, reason = "tests do not mind")]

pub mod agent;
pub mod callers;
pub mod card;
pub mod client;
pub mod errors;
mod gate;
pub mod guarded;
mod served;

pub use client::{Answer, Binding, Client, Events, Fault, Outcome};
pub use gate::{Gate, Gates};
pub use served::{Served, Setup};

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

/// Waits for something that is to come soon. A test that waits in vain fails.
///
/// # Panics
/// When it did not come.
#[track_caller]
pub fn within<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        match tokio::time::timeout(Duration::from_secs(20), future).await {
            Ok(output) => output,
            Err(_) => panic!("what {caller} waits for did not come"),
        }
    }
}

/// A message with this text, under an id of its own.
#[must_use]
pub fn message(text: &str) -> Value {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let id = format!("m-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]})
}

/// A request with a message of this text.
#[must_use]
pub fn request(text: &str) -> Value {
    json!({"message": message(text)})
}

/// A request with a message of this text to a task.
#[must_use]
pub fn to_task(task: &str, text: &str) -> Value {
    let mut request = request(text);
    request["message"]["taskId"] = task.into();
    request
}

/// The request, to be answered before the agent has done its work.
#[must_use]
pub fn at_once(mut request: Value) -> Value {
    request["configuration"]["returnImmediately"] = true.into();
    request
}

/// The state of a task or of an event about one, without `TASK_STATE_`.
#[must_use]
pub fn state(value: &Value) -> &str {
    let inner = ["task", "statusUpdate"]
        .iter()
        .find_map(|key| value.get(key))
        .unwrap_or(value);
    let state = inner["status"]["state"].as_str().unwrap_or("no state");
    state.strip_prefix("TASK_STATE_").unwrap_or(state)
}

/// The texts of a message, an artifact, or a status, put together.
#[must_use]
pub fn text(value: &Value) -> String {
    let parts = value
        .get("parts")
        .unwrap_or(&value["status"]["message"]["parts"]);
    let parts = parts.as_array().map(Vec::as_slice).unwrap_or_default();
    parts
        .iter()
        .filter_map(|part| part["text"].as_str())
        .collect()
}

/// An event in short: `task SUBMITTED`, `WORKING text`, `artifact text`, `artifact +text !`
/// (appended, the last piece), `message text`.
#[must_use]
pub fn brief(event: &Value) -> String {
    if event.get("task").is_some() {
        return format!("task {}", state(event));
    }
    if let Some(message) = event.get("message") {
        return format!("message {}", text(message));
    }
    if let Some(update) = event.get("statusUpdate") {
        return format!("{} {}", state(event), text(update))
            .trim_end()
            .to_owned();
    }
    let update = &event["artifactUpdate"];
    let append = if update["append"] == true { "+" } else { "" };
    let last = if update["lastChunk"] == true {
        " !"
    } else {
        ""
    };
    format!("artifact {append}{}{last}", text(&update["artifact"]))
}

/// A string member, as it is.
///
/// # Panics
/// When it is none.
#[must_use]
#[track_caller]
pub fn string(value: &Value, pointer: &str) -> String {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found
        .unwrap_or_else(|| panic!("there is no text at {pointer} of {value}"))
        .to_owned()
}
