//! `cargo a2a send` and `stream`: says something to an agent, and shows what it answers.
//!
//! Comes in: a message. Goes out: the answer when there is one, or what happens as it happens; and
//! where the agent asks something, the question and how to answer it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use a2a_kit::client::{Call, Client, Outcome, Update, Updates};
use a2a_kit::v1_0::{SendMessageRequest, SendMessageResponse, Task, TaskState, TaskStatus};
use a2a_kit::{Error, Parts};
use futures_util::StreamExt as _;
use serde_json::Value;

use super::content::Content;
use super::render::Renderer;
use super::{Leaving, Target, ending, read_line};
use crate::agent::json_of;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::text;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo a2a send http://127.0.0.1:8080 hello
  cargo a2a send https://agent.example.com 'Check this' --file licence.pdf --save answers

Results go to standard output, everything else to standard error. With --json the answer is one \
document of A2A 1.0: {\"task\": …} or {\"message\": …}; an error is {\"error\": …}.")]
pub(crate) struct Send {
    #[command(flatten)]
    message: Message,
    /// Return as soon as there is a task, while the agent works on it
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo a2a stream http://127.0.0.1:8080 'Write a poem'

Ctrl-C leaves the task running and prints how to come back. With --json each line is an event of \
A2A 1.0: {\"task\": …}, {\"message\": …}, {\"statusUpdate\": …} or {\"artifactUpdate\": …}; an error \
is {\"error\": …}.")]
pub(crate) struct Stream {
    #[command(flatten)]
    message: Message,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
}

/// What is sent, and what is done with the answer.
#[derive(Debug, Clone, clap::Args)]
struct Message {
    /// The agent's address, or that of its card
    #[arg(value_name = "URL")]
    url: String,
    #[command(flatten)]
    content: Content,
    /// Go on with a task
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Say it in this conversation
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    /// Point the agent to another task
    #[arg(long, value_name = "ID")]
    reference: Vec<String>,
    /// A media type that the answer may have
    #[arg(long, value_name = "MEDIA TYPE")]
    accept: Vec<String>,
    /// An entry of the message's metadata; a value that is no JSON is a text
    #[arg(long, value_name = "KEY=JSON")]
    metadata: Vec<String>,
    /// How many messages of its history the task has at most
    #[arg(long, value_name = "NUMBER")]
    history: Option<u32>,
    /// Save files that the agent hands over to this folder
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

/// As [`Target`], where the address is an argument in front of others.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TargetFlags {
    /// Print JSON of A2A 1.0, whatever the agent speaks; a line for each event of a stream
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    connection: crate::agent::Connection,
}

impl TargetFlags {
    fn at(&self, url: &str) -> Target {
        Target {
            url: url.to_owned(),
            json: self.json,
            connection: self.connection.clone(),
        }
    }
}

impl Message {
    fn call(&self, client: &Client, parts: Parts) -> Result<Call<SendMessageRequest>, Failure> {
        let mut call = client.message(parts);
        if let Some(task) = &self.task {
            call = call.in_task(task);
        }
        if let Some(context) = &self.context {
            call = call.in_context(context);
        }
        for task in &self.reference {
            call = call.referring_to(task);
        }
        for media_type in &self.accept {
            call = call.accept(media_type);
        }
        for entry in &self.metadata {
            let (key, value) = entry
                .split_once('=')
                .ok_or_else(|| Failure::usage("--metadata is written as KEY=JSON"))?;
            let value =
                serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            call = call.message_metadata(key, value);
        }
        if let Some(messages) = self.history {
            call = call.history_length(messages);
        }
        Ok(call)
    }
}

/// How a conversation goes on after an answer.
enum Next {
    /// Not at all, for this command.
    End(Exit),
    /// The user has answered.
    Say(Box<Message>, Parts),
}

impl Send {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let mut parts = self.message.content.parts()?;
        let target = self.target.at(&self.message.url);
        let client = target.connection.connect(&target.url).await?;
        let mut leaving = Leaving::new();
        let mut render = Renderer::new(console, target.json, self.message.save.as_deref())?;
        let mut message = self.message.clone();
        // As often as the user answers.
        loop {
            let call = message.call(&client, parts)?;
            let Some(outcome) = self.one(&client, call, &mut render, &mut leaving).await? else {
                let list = target.connection.command("list", &target.url, &[]);
                render.console.note(&format!(
                    "no longer waiting; the agent may go on, and if it has made a task of it, `{list}` shows it"
                ))?;
                return Ok(Exit::Done);
            };
            match show(&outcome, &target, &message, &mut render, &mut leaving).await? {
                Next::End(exit) => return Ok(exit),
                Next::Say(next, said) => (message, parts) = (*next, said),
            }
        }
    }

    /// Sends one message; the answer, or nothing when the user did not wait for it.
    async fn one(
        &self,
        client: &Client,
        call: Call<SendMessageRequest>,
        render: &mut Renderer<'_, '_>,
        leaving: &mut Leaving,
    ) -> Result<Option<Outcome>, Failure> {
        let call = if self.no_wait {
            call.return_immediately()
        } else {
            call
        };
        let answer = tokio::select! {
            answer = waiting(call.send(), render) => answer?,
            () = leaving.wait() => return Ok(None),
        };
        let busy = match &answer {
            Outcome::Task(task) => ending::is_busy(state_of(task.status.as_ref())),
            Outcome::Message(_) => false,
        };
        let Outcome::Task(task) = &answer else {
            return Ok(Some(answer));
        };
        if !busy || self.no_wait {
            return Ok(Some(answer));
        }
        // Some agents answer while they work although nobody said that they may.
        let id = task.id.clone();
        let rest = async {
            let updates = client.follow(&id).await?;
            updates.outcome().await
        };
        tokio::select! {
            outcome = waiting(rest, render) => Ok(Some(outcome?)),
            () = leaving.wait() => Ok(Some(answer)),
        }
    }
}

/// Waits, and says how long it takes.
async fn waiting<T>(
    work: impl Future<Output = Result<T, Error>>,
    render: &mut Renderer<'_, '_>,
) -> Result<T, Failure> {
    let mut work = std::pin::pin!(work);
    let began = Instant::now();
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    tick.tick().await;
    loop {
        tokio::select! {
            done = &mut work => return Ok(done?),
            _ = tick.tick() => {
                let waited = began.elapsed().as_secs();
                render.console.tick(&format!("waiting for the agent, {waited} s"))?;
            }
        }
    }
}

fn state_of(status: Option<&TaskStatus>) -> TaskState {
    status.map_or(TaskState::Unspecified, TaskStatus::state)
}

async fn show(
    outcome: &Outcome,
    target: &Target,
    message: &Message,
    render: &mut Renderer<'_, '_>,
    leaving: &mut Leaving,
) -> Result<Next, Failure> {
    if target.json {
        let response = match outcome {
            Outcome::Task(task) => SendMessageResponse::task(task.clone()),
            Outcome::Message(message) => SendMessageResponse::message(message.clone()),
        };
        render.console.json(&json_of(response)?)?;
    }
    match outcome {
        Outcome::Message(said) => {
            render.message(said)?;
            Ok(Next::End(Exit::Done))
        }
        Outcome::Task(task) => {
            render.task(task)?;
            end(task, "send", target, message, render, leaving).await
        }
    }
}

/// Says how the task stands and how to go on; on a terminal, asks.
async fn end(
    task: &Task,
    verb: &str,
    target: &Target,
    message: &Message,
    render: &mut Renderer<'_, '_>,
    leaving: &mut Leaving,
) -> Result<Next, Failure> {
    render.standing(&task.id, task.status.as_ref())?;
    let state = state_of(task.status.as_ref());
    let exit = ending::exit(state);
    if target.json {
        return Ok(Next::End(exit));
    }
    let command = |verb: &str, rest: &[&str]| target.connection.command(verb, &target.url, rest);
    match state {
        TaskState::InputRequired => {
            if render.console.can_ask() {
                render.console.prompt()?;
                let answer = tokio::select! {
                    line = read_line() => line?,
                    () = leaving.wait() => None,
                };
                if let Some(answer) = answer.filter(|answer| !answer.trim().is_empty()) {
                    let mut next = message.clone();
                    next.task = Some(task.id.clone());
                    next.context = None;
                    return Ok(Next::Say(Box::new(next), answer.into()));
                }
            }
            let line = command(verb, &["--task", &task.id, "YOUR ANSWER"]);
            render.console.note(&format!("answer it with\n  {line}"))?;
        }
        TaskState::AuthRequired => {
            let line = command("subscribe", &[&task.id]);
            render.console.note(&format!(
                "grant what the agent asks for, where it says; then see how the task goes on with\n  {line}"
            ))?;
        }
        TaskState::Submitted | TaskState::Working => {
            let line = command("subscribe", &[&task.id]);
            render.console.note(&format!(
                "the agent works on it; see how it goes on with\n  {line}"
            ))?;
        }
        _ => {}
    }
    Ok(Next::End(exit))
}

impl Stream {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let mut parts = self.message.content.parts()?;
        let target = self.target.at(&self.message.url);
        let client = target.connection.connect(&target.url).await?;
        let mut leaving = Leaving::new();
        let mut render = Renderer::new(console, target.json, self.message.save.as_deref())?;
        let mut message = self.message.clone();
        loop {
            let updates = tokio::select! {
                updates = message.call(&client, parts)?.stream() => updates?,
                () = leaving.wait() => return left(None, &target, &mut render),
            };
            let Some(task) = follow(updates, &target, &mut render, &mut leaving).await? else {
                return Ok(Exit::Done);
            };
            match end(
                &task,
                "stream",
                &target,
                &message,
                &mut render,
                &mut leaving,
            )
            .await?
            {
                Next::End(exit) => return Ok(exit),
                Next::Say(next, said) => (message, parts) = (*next, said),
            }
        }
    }
}

/// Shows updates until the task rests, and returns the task as far as its end is concerned; nothing
/// when there is no task, or the user has left it.
pub(super) async fn follow(
    mut updates: Updates,
    target: &Target,
    render: &mut Renderer<'_, '_>,
    leaving: &mut Leaving,
) -> Result<Option<Task>, Failure> {
    let mut last = Task::new();
    let mut said = false;
    loop {
        let update = tokio::select! {
            update = updates.next() => update,
            () = leaving.wait() => {
                left(updates.task_id(), target, render)?;
                return Ok(None);
            }
        };
        let Some(update) = update else { break };
        let update = match update {
            Ok(update) => update,
            Err(error) => {
                render.end()?;
                return Err(error.into());
            }
        };
        render.update(&update)?;
        said |= matches!(update, Update::Message(_));
        if let Some(status) = update.status() {
            last.status = Some(status.clone());
        }
    }
    match updates.task_id() {
        Some(id) if !said => id.clone_into(&mut last.id),
        _ => {
            render.end()?;
            return Ok(None);
        }
    }
    Ok(Some(last))
}

/// Says what becomes of the task of a user who leaves.
fn left(
    task: Option<&str>,
    target: &Target,
    render: &mut Renderer<'_, '_>,
) -> Result<Exit, Failure> {
    render.end()?;
    let note = match task {
        Some(id) => {
            let back = target.connection.command("subscribe", &target.url, &[id]);
            let stop = target.connection.command("cancel", &target.url, &[id]);
            format!(
                "task {} goes on without you; come back with\n  {back}\nor stop it with\n  {stop}",
                text::bounded_line(id, 200)
            )
        }
        None => {
            let list = target.connection.command("list", &target.url, &[]);
            format!("the agent may go on; `{list}` shows its tasks")
        }
    };
    render.console.note(&note)?;
    Ok(Exit::Done)
}

pub(super) fn finish(
    task: &Task,
    target: &Target,
    render: &mut Renderer<'_, '_>,
) -> Result<Exit, Failure> {
    render.standing(&task.id, task.status.as_ref())?;
    let state = state_of(task.status.as_ref());
    if state == TaskState::InputRequired && !target.json {
        let line =
            target
                .connection
                .command("send", &target.url, &["--task", &task.id, "YOUR ANSWER"]);
        render.console.note(&format!("answer it with\n  {line}"))?;
    }
    Ok(ending::exit(state))
}
