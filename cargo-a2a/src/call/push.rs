//! `cargo a2a push`: the webhooks of a task.
//!
//! Comes in: a task, and a webhook or its id. Goes out: the registrations.

use a2a_kit::v1_0::{ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig};
use clap::Subcommand;
use futures_util::StreamExt as _;

use super::Target;
use crate::agent::json_of;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::text;

#[derive(Debug, clap::Args)]
pub(crate) struct Push {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Register a webhook for the updates of a task
    Set(Set),
    /// Read a registration
    Get(One),
    /// List the webhooks of a task
    List(All),
    /// Remove a webhook; one that is not there is no error
    Delete(One),
}

#[derive(Debug, clap::Args)]
struct All {
    #[command(flatten)]
    target: Target,
    /// The task
    #[arg(value_name = "TASK")]
    task: String,
}

#[derive(Debug, clap::Args)]
struct One {
    #[command(flatten)]
    target: Target,
    /// The task
    #[arg(value_name = "TASK")]
    task: String,
    /// The registration
    #[arg(value_name = "ID")]
    id: String,
}

#[derive(Debug, clap::Args)]
struct Set {
    #[command(flatten)]
    target: Target,
    /// The task
    #[arg(value_name = "TASK")]
    task: String,
    /// Where the agent is to call
    #[arg(value_name = "WEBHOOK")]
    webhook: String,
    /// The registration's id; otherwise the agent chooses one
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// What the agent repeats with each notification
    #[arg(
        long,
        value_name = "TOKEN",
        env = "A2A_PUSH_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
    /// How the agent shows the webhook who it is: the scheme and what follows it, `Bearer abc`
    #[arg(
        long,
        value_name = "SCHEME CREDENTIALS",
        env = "A2A_PUSH_AUTHENTICATION",
        hide_env_values = true
    )]
    authentication: Option<String>,
}

/// How many registrations are listed at most.
const MOST: usize = 1000;

impl Push {
    pub(crate) fn json(&self) -> bool {
        self.target().json
    }

    fn target(&self) -> &Target {
        match &self.command {
            Command::Set(set) => &set.target,
            Command::Get(one) | Command::Delete(one) => &one.target,
            Command::List(all) => &all.target,
        }
    }

    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let Target {
            url,
            json,
            connection,
        } = self.target();
        let client = connection.connect(url).await?;
        match &self.command {
            Command::Set(set) => {
                let mut call = client.create_push_config(&set.task, &set.webhook);
                if let Some(id) = &set.id {
                    call = call.id(id);
                }
                if let Some(token) = &set.token {
                    call = call.token(token);
                }
                if let Some(authentication) = &set.authentication {
                    let (scheme, credentials) = authentication
                        .split_once(' ')
                        .unwrap_or((authentication, ""));
                    call = call.authentication(scheme, credentials.trim());
                }
                one(call.await?, *json, console)?;
            }
            Command::Get(get) => {
                one(
                    client.get_push_config(&get.task, &get.id).await?,
                    *json,
                    console,
                )?;
            }
            Command::List(list) => {
                let mut configs = Vec::new();
                let mut pages = client.list_push_configs(&list.task).all();
                while let Some(config) = pages.next().await {
                    configs.push(config?);
                    if configs.len() == MOST {
                        console
                            .note(&format!("there are more than {MOST}; the rest is left out"))?;
                        break;
                    }
                }
                if *json {
                    let page = ListTaskPushNotificationConfigsResponse::new().with_configs(configs);
                    console.json(&json_of(page)?)?;
                } else if configs.is_empty() {
                    console.note("no webhooks")?;
                } else {
                    for config in configs {
                        one(config, false, console)?;
                    }
                }
            }
            Command::Delete(delete) => {
                client.delete_push_config(&delete.task, &delete.id).await?;
                if *json {
                    console.json("{}")?;
                } else {
                    console.note("removed")?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

/// Shows a registration; not its secrets, unless a program reads it.
fn one(
    config: TaskPushNotificationConfig,
    json: bool,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if json {
        return Ok(console.json(&json_of(config)?)?);
    }
    let mut line = format!(
        "{}  {}",
        text::bounded_line(&config.id, 200),
        text::bounded_line(&config.url, 2000)
    );
    if !config.token.is_empty() {
        line.push_str("  with a token");
    }
    if let Some(authentication) = &config.authentication {
        line.push_str(&format!(
            "  with {} credentials",
            text::bounded_line(&authentication.scheme, 100)
        ));
    }
    Ok(console.line(&line)?)
}
