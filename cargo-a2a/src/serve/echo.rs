//! The agent of `cargo a2a serve`.
//!
//! Comes in: a message whose first word may name a state. Goes out: what it was told, by way of that
//! state.

use std::time::Duration;

use a2a_kit::agent::{
    Agent, AgentError, AgentMessage, Handling, Incoming, MessageContext, Reply, TaskContext,
    artifact,
};
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{Message, Part};
use a2a_kit::{Error, Parts};
use serde_json::json;

/// How long `slow` works, and how many pieces `stream` writes, at most.
const MOST: u64 = 100_000;

pub(super) struct Echo;

impl Agent for Echo {
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        let direct = incoming.task.is_none() && word(&first_text(incoming.message)).0 == "message";
        Ok(if direct {
            Handling::message()
        } else {
            Handling::task()
        })
    }

    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        // A task that has asked something gets its answer, whatever that begins with.
        if !task.history().is_empty() {
            return Ok(said(task.message()));
        }
        let text = task.text();
        let (word, rest) = word(&text);
        match word.as_str() {
            "input" if rest.is_empty() => Ok(Reply::input_required("What shall I say?")),
            "input" => Ok(Reply::input_required(rest)),
            "auth" => Ok(Reply::auth_required(
                "Show who you are, then send any message",
            )),
            "fail" => Ok(Reply::failed("It failed, as it was told to")),
            "reject" => Ok(Reply::rejected("It was rejected, as it was told to be")),
            "slow" => slow(&task, number(rest, 5)).await,
            "stream" => stream(&task, number(rest, 20)).await,
            "file" => {
                let bytes = "It was made to be saved.\n".as_bytes().to_vec();
                let file = Parts::file("echo.txt", "text/plain", bytes);
                Ok(Reply::completed().with_artifact(artifact("file", file)))
            }
            "data" => {
                let data = json!({ "said": rest, "list": [1, 2.5, null, true] });
                Ok(Reply::completed().with_artifact(artifact("data", data)))
            }
            _ => Ok(said(task.message())),
        }
    }

    async fn answer(&self, message: MessageContext) -> Result<AgentMessage, AgentError> {
        let text = message.text();
        let (_, rest) = word(&text);
        Ok(rest.to_owned().into())
    }
}

/// What was said, as an artifact.
fn said(message: &Message) -> Reply {
    Reply::completed().with_artifact(artifact("echo", Parts(message.parts.clone())))
}

async fn slow(task: &TaskContext, seconds: u64) -> Result<Reply, AgentError> {
    for second in 0..seconds {
        task.working(format!("{second} of {seconds} seconds"))
            .await?;
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            () = task.cancellation().cancelled() => {
                return Err(AgentError::new("it was canceled"));
            }
        }
    }
    Ok(Reply::completed().with_artifact(artifact("slow", format!("{seconds} seconds"))))
}

async fn stream(task: &TaskContext, pieces: u64) -> Result<Reply, AgentError> {
    task.working(format!("Writing {pieces} pieces")).await?;
    let mut writer = task.write_artifact("stream");
    for piece in 1..pieces {
        writer.push(format!("{piece} ")).await?;
        // Readers see pieces, not one.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    writer.finish(format!("{pieces}\n")).await?;
    Ok(Reply::completed())
}

/// The first word in lower case, and what follows it.
fn word(text: &str) -> (String, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word.to_ascii_lowercase(), rest.trim())
}

fn number(text: &str, otherwise: u64) -> u64 {
    text.parse().unwrap_or(otherwise).clamp(1, MOST)
}

fn first_text(message: &Message) -> String {
    let text = |part: &Part| match &part.content {
        Some(Content::Text(text)) => Some(text.clone()),
        _ => None,
    };
    message.parts.iter().find_map(text).unwrap_or_default()
}
