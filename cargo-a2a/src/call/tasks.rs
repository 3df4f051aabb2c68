//! `cargo a2a get`, `list`, `cancel`, `subscribe` and `extended-card`.
//!
//! Comes in: an agent and the id of a task. Goes out: the task, a table of tasks, what happens to a
//! task, or the card that the agent shows to those it knows.

use std::path::PathBuf;

use a2a_kit::types::Timestamp;
use a2a_kit::v1_0::{ListTasksResponse, Task, TaskState, TaskStatus};
use futures_util::StreamExt as _;

use super::render::{Renderer, words};
use super::send::{finish, follow};
use super::{Leaving, Target, ending};
use crate::agent::json_of;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{card, text};

#[derive(Debug, clap::Args)]
#[command(after_help = "With --json the task is one document of A2A 1.0.")]
pub(crate) struct Get {
    #[command(flatten)]
    pub(crate) target: Target,
    /// The task
    #[arg(value_name = "ID")]
    task: String,
    /// How many messages of its history the task has at most
    #[arg(long, value_name = "NUMBER")]
    history: Option<u32>,
    /// Save files that the agent has handed over to this folder
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

impl Get {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let Target {
            url,
            json,
            connection,
        } = &self.target;
        let mut call = connection.connect(url).await?.get_task(&self.task);
        if let Some(messages) = self.history {
            call = call.history_length(messages);
        }
        let task = call.await?;
        let mut render = Renderer::new(console, *json, self.save.as_deref())?;
        if *json {
            render.console.json(&json_of(task.clone())?)?;
        }
        render.task(&task)?;
        finish(&task, &self.target, &mut render)?;
        // It was to be read, and was.
        Ok(Exit::Done)
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "With --json the task is one document of A2A 1.0.")]
pub(crate) struct Cancel {
    #[command(flatten)]
    pub(crate) target: Target,
    /// The task
    #[arg(value_name = "ID")]
    task: String,
}

impl Cancel {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let Target {
            url,
            json,
            connection,
        } = &self.target;
        let task = connection.connect(url).await?.cancel(&self.task).await?;
        let mut render = Renderer::new(console, *json, None)?;
        if *json {
            render.console.json(&json_of(task)?)?;
        } else {
            render.standing(&task.id, task.status.as_ref())?;
        }
        Ok(Exit::Done)
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
From an agent that cannot be subscribed to, the task is asked for from time to time. With --json each \
line is an event of A2A 1.0, as in `stream`. The exit code says how the task has ended.")]
pub(crate) struct Subscribe {
    #[command(flatten)]
    pub(crate) target: Target,
    /// The task
    #[arg(value_name = "ID")]
    task: String,
    /// Save files that the agent hands over to this folder
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

impl Subscribe {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let Target {
            url,
            json,
            connection,
        } = &self.target;
        let client = connection.connect(url).await?;
        let mut leaving = Leaving::new();
        let updates = tokio::select! {
            updates = client.follow(&self.task) => updates?,
            // The task is where it was.
            () = leaving.wait() => return Ok(Exit::Done),
        };
        let mut render = Renderer::new(console, *json, self.save.as_deref())?;
        match follow(updates, &self.target, &mut render, &mut leaving).await? {
            Some(task) => finish(&task, &self.target, &mut render),
            None => Ok(Exit::Done),
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --json the page is one document of A2A 1.0; with --all, its tasks are those of all pages.")]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Those of a conversation
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    /// Those in a state: working, completed, input-required …
    #[arg(long, value_name = "STATE", value_parser = ending::of_name)]
    status: Option<TaskState>,
    /// Those whose status is newer: 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    after: Option<Timestamp>,
    /// How many are on a page
    #[arg(long, value_name = "NUMBER")]
    page_size: Option<u32>,
    /// The page that the one before named
    #[arg(long, value_name = "TOKEN")]
    page_token: Option<String>,
    /// All pages
    #[arg(long, conflicts_with = "page_token")]
    all: bool,
    /// With their artifacts
    #[arg(long)]
    artifacts: bool,
    /// How many messages of its history each task has at most
    #[arg(long, value_name = "NUMBER")]
    history: Option<u32>,
}

/// How many tasks `--all` reads at most: they are held until the table is printed.
const MOST_TASKS: usize = 10_000;

impl List {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let Target {
            url,
            json,
            connection,
        } = &self.target;
        let mut call = connection.connect(url).await?.list_tasks();
        if let Some(context) = &self.context {
            call = call.in_context(context);
        }
        if let Some(state) = self.status {
            call = call.status(state);
        }
        if let Some(time) = self.after {
            call = call.updated_after(time);
        }
        if let Some(tasks) = self.page_size {
            call = call.page_size(tasks);
        }
        if let Some(token) = &self.page_token {
            call = call.page_token(token);
        }
        if self.artifacts {
            call = call.with_artifacts();
        }
        if let Some(messages) = self.history {
            call = call.history_length(messages);
        }
        let page = if self.all {
            let mut tasks = Vec::new();
            let mut pages = call.all();
            while let Some(task) = pages.next().await {
                tasks.push(task?);
                if tasks.len() == MOST_TASKS {
                    console.note(&format!(
                        "there are more than {MOST_TASKS} tasks; the rest is left out"
                    ))?;
                    break;
                }
            }
            let count = i32::try_from(tasks.len()).unwrap_or(i32::MAX);
            ListTasksResponse::new()
                .with_page_size(count)
                .with_total_size(count)
                .with_tasks(tasks)
        } else {
            call.await?
        };
        if *json {
            console.json(&json_of(page)?)?;
            return Ok(Exit::Done);
        }
        for task in &page.tasks {
            console.line(&row(task))?;
        }
        if page.tasks.is_empty() {
            console.note("no tasks")?;
        }
        if !page.next_page_token.is_empty() {
            let mut rest = vec!["--page-token", page.next_page_token.as_str()];
            let state = self.status.map(ending::name);
            if let Some(state) = &state {
                rest.extend(["--status", state]);
            }
            if let Some(context) = &self.context {
                rest.extend(["--context", context]);
            }
            let command = connection.command("list", url, &rest);
            console.note(&format!(
                "{} tasks in all; the next page:\n  {command}",
                page.total_size
            ))?;
        }
        Ok(Exit::Done)
    }
}

/// A task in a line: id, state, when, and what the agent said last.
fn row(task: &Task) -> String {
    let status = task.status.as_ref();
    let state = status.map_or(TaskState::Unspecified, TaskStatus::state);
    let when = status
        .and_then(|status| status.timestamp)
        .map(|time| time.to_string())
        .unwrap_or_default();
    let said = status
        .and_then(|status| status.message.as_ref())
        .map(|message| words(&message.parts))
        .unwrap_or_default();
    let id = text::bounded_line(&task.id, 100);
    let row = format!("{id:<36}  {:<14}  {when:<24}  {said}", ending::name(state));
    row.trim_end().to_owned()
}

#[derive(Debug, clap::Args)]
#[command(after_help = "With --json the card is one document of A2A 1.0.")]
pub(crate) struct ExtendedCard {
    #[command(flatten)]
    pub(crate) target: Target,
}

impl ExtendedCard {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let Target {
            url,
            json,
            connection,
        } = &self.target;
        let extended = connection.connect(url).await?.extended_card().await?;
        if *json {
            console.json(&json_of((*extended).clone())?)?;
        } else {
            console.print(&card::show(&extended, console))?;
        }
        Ok(Exit::Done)
    }
}
