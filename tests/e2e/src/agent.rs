//! The agent under test: what it does is what the text of a message says.
//!
//! | text | what happens |
//! |---|---|
//! | `report WORDS` | an artifact `report` with the words, then COMPLETED |
//! | `ask WORDS` | INPUT_REQUIRED with the words; the answer is the next text |
//! | `ask-inside WORDS` | the same, but the execution waits; then COMPLETED with the answer |
//! | `auth` | AUTH_REQUIRED, and the execution ends |
//! | `auth-inside GATE` | AUTH_REQUIRED, then the gate, then COMPLETED |
//! | `auth-wait NAME` | AUTH_REQUIRED until the handle with this name grants it, or a message comes; then COMPLETED with what came |
//! | `work GATE` | WORKING, then the gate, then COMPLETED |
//! | `deaf GATE` | the same, whatever is canceled meanwhile |
//! | `chunks A B C` | one artifact in pieces, then COMPLETED |
//! | `steps GATE COUNT` | WORKING with a number, so often, each behind the gate; then COMPLETED |
//! | `flood COUNT SIZE` | as many artifacts of this size as it can; then COMPLETED |
//! | `reject`, `fail`, `error`, `panic` | each in its way |
//! | `bad-append`, `no-parts` | an artifact that no client could make sense of |
//! | `context` | COMPLETED with all that was said in other tasks of the conversation |
//! | `extensions`, `tenant`, `caller`, `call`, `history` | COMPLETED with what the agent knows of it |
//! | `hello WORDS` | a message instead of a task |
//! | `hello-work GATE`, `hello-hollow`, `hello-panic`, `hello-error` | no task either |
//! | anything else | COMPLETED with the same words |
//!
//! A task whose first message begins with `steadfast` cannot be canceled. One whose first message begins
//! with `lasting` is gone through again when its process is gone; others fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use a2a_kit::agent::{
    Agent, AgentError, AgentMessage, AuthHandle, CancelContext, Granted, Handling, Incoming,
    MessageContext, OnRestart, Parts, Reply, TaskContext, artifact,
};
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{Artifact, Message, Role, Task};
use a2a_kit::{CallContext, Error};

use crate::Gates;

/// The agent.
#[derive(Debug, Clone, Default)]
pub struct Scripted {
    /// Where it waits.
    pub gates: Gates,
    /// What it has asked to be granted.
    pub handles: Handles,
}

/// Handles of tasks that wait for an authorization, by name. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Handles(Arc<Mutex<HashMap<String, AuthHandle>>>);

impl Handles {
    fn keep(&self, name: &str, handle: AuthHandle) {
        let mut handles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handles.insert(name.to_owned(), handle);
    }

    /// Grants what a task asks for. False when it does not wait.
    #[must_use]
    pub fn grant(&self, name: &str, value: &str) -> bool {
        let handles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handles.get(name).is_some_and(|handle| handle.grant(value))
    }
}

impl Agent for Scripted {
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        let text = text(incoming.message);
        if text == "refuse" {
            return Err(Error::invalid_field(
                "message.parts[0].text",
                "is not to my liking",
            ));
        }
        Ok(if text.starts_with("hello") {
            Handling::message()
        } else {
            Handling::task()
        })
    }

    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        let text = task.text();
        let text = text
            .strip_prefix("steadfast ")
            .or(text.strip_prefix("lasting "))
            .unwrap_or(&text);
        let (command, rest) = text.split_once(' ').unwrap_or((text, ""));
        let gate = || self.gates.gate(rest.split(' ').next().unwrap_or_default());
        match command {
            "report" => return Ok(Reply::completed().with_artifact(artifact("report", rest))),
            "ask" => return Ok(Reply::input_required(rest)),
            "ask-inside" => {
                let answer = task.ask(rest).await?;
                return Ok(Reply::completed().with_message(self::text(&answer)));
            }
            "auth" => return Ok(Reply::auth_required("grant it")),
            "auth-inside" => {
                task.auth_required("grant it").await?;
                gate().pass().await;
            }
            "auth-wait" => {
                self.handles.keep(rest, task.auth_handle());
                return said(match task.require_auth("grant it").await? {
                    Granted::OutOfBand(value) => format!("granted {value}"),
                    Granted::Message(message) => format!("told {}", self::text(&message)),
                    other => format!("{other:?}"),
                });
            }
            "work" => {
                task.begin().await?;
                gate().pass().await;
            }
            "deaf" => {
                task.begin().await?;
                gate().pass().await;
                // Too late, when it has been canceled; the reply is then no matter either.
                let _ = task.working("still here").await;
            }
            "chunks" => {
                let mut writer = task.write_artifact("chunks");
                let mut pieces = rest.split(' ').peekable();
                while let Some(piece) = pieces.next() {
                    if pieces.peek().is_none() {
                        writer.finish(piece).await?;
                        break;
                    }
                    writer.push(piece).await?;
                }
            }
            "steps" => {
                for step in 0..number(rest, 1) {
                    gate().pass().await;
                    task.working(step.to_string()).await?;
                }
            }
            "flood" => {
                let filler = "x".repeat(number(rest, 1));
                for index in 0..number(rest, 0) {
                    task.artifact(artifact(index.to_string(), filler.as_str()))
                        .await?;
                }
            }
            "reject" => return Ok(Reply::rejected("not my trade")),
            "fail" => return Ok(Reply::failed("it did not work")),
            "error" => return Err(AgentError::new("the register is closed")),
            "panic" => panic!("the scripted agent was told to"),
            "bad-append" => {
                task.artifact_chunk(artifact("unknown", "piece"), true, false)
                    .await?;
            }
            "no-parts" => task.artifact(Artifact::default()).await?,
            "extensions" => return said(task.call().activated_extensions().join(" ")),
            "tenant" => return said(task.tenant().unwrap_or("none").to_owned()),
            "context" => {
                let others = task.context_tasks(100).await?;
                let said_there = others.iter().flat_map(|other| &other.history).map(line);
                return said(said_there.collect::<Vec<_>>().join("\n"));
            }
            "caller" => return said(task.call().caller().id().unwrap_or("nobody").to_owned()),
            "call" => return said(call(task.call())),
            "history" => {
                return said(
                    task.history()
                        .iter()
                        .map(line)
                        .collect::<Vec<_>>()
                        .join("\n"),
                );
            }
            _ => return Ok(Reply::completed().with_message(text)),
        }
        Ok(Reply::completed())
    }

    async fn answer(&self, message: MessageContext) -> Result<AgentMessage, AgentError> {
        let text = message.text();
        let (command, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match command {
            "hello-work" => self.gates.gate(rest).pass().await,
            "hello-hollow" => return Ok(AgentMessage::from(Parts::default())),
            "hello-panic" => panic!("the scripted agent was told to"),
            "hello-error" => return Err(AgentError::new("the register is closed")),
            _ => {}
        }
        Ok(format!("{text} to you").into())
    }

    fn on_restart(&self, task: &Task) -> OnRestart {
        match task.history.first() {
            Some(first) if self::text(first).starts_with("lasting") => OnRestart::Replay,
            _ => OnRestart::Fail,
        }
    }

    async fn cancel(&self, task: CancelContext) -> Result<(), AgentError> {
        match task.task().history.first() {
            Some(first) if self::text(first).starts_with("steadfast") => {
                Err(AgentError::new("this must be finished"))
            }
            _ => Ok(()),
        }
    }
}

#[allow(clippy::unnecessary_wraps, reason = "it is returned as it is")]
fn said(text: String) -> Result<Reply, AgentError> {
    Ok(Reply::completed().with_message(text))
}

fn number(words: &str, at: usize) -> usize {
    words
        .split(' ')
        .nth(at)
        .and_then(|word| word.parse().ok())
        .unwrap_or(1)
}

fn call(call: &CallContext) -> String {
    let extensions = call.extensions().join(" ");
    format!("{:?} {} [{extensions}]", call.binding(), call.version())
}

fn line(message: &Message) -> String {
    let who = if message.role() == Role::User {
        "user"
    } else {
        "agent"
    };
    format!("{who}: {}", text(message))
}

fn text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
