//! Calls of agents: what the commands that make them have in common.
//!
//! Comes in: an address, a task, a message. Goes out: what the agent answers, rendered; and an exit
//! code that says how the task stands.

mod content;
mod ending;
mod push;
mod render;
mod save;
mod send;
mod tasks;

pub(crate) use push::Push;
pub(crate) use send::{Send, Stream};
pub(crate) use tasks::{Cancel, ExtendedCard, Get, List, Subscribe};

use std::io;
use std::pin::Pin;

use futures_util::FutureExt as _;
use futures_util::future::Fuse;

use crate::agent::Connection;

/// An agent, and how to reach it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Target {
    /// The agent's address, or that of its card
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Print JSON of A2A 1.0, whatever the agent speaks; a line for each event of a stream
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Ready when the user wants to leave. Where that cannot be known, never.
pub(crate) async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Notes that the user wants to leave, also while something else is being done.
///
/// As long as it is there, Ctrl-C does not end the process: whoever waits for anything waits for this
/// too.
struct Leaving(Fuse<Pin<Box<dyn Future<Output = ()>>>>);

impl Leaving {
    fn new() -> Self {
        let mut leaving = (Box::pin(interrupted()) as Pin<Box<dyn Future<Output = ()>>>).fuse();
        // It listens from its first poll on, which cannot be ready: nothing has been heard yet.
        let _ = (&mut leaving).now_or_never();
        Self(leaving)
    }

    /// Ready once, when the user wants to leave.
    async fn wait(&mut self) {
        (&mut self.0).await;
    }
}

/// Reads a line from standard input, without its end; `None` when there is no more.
async fn read_line() -> io::Result<Option<String>> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let length = io::stdin().read_line(&mut line)?;
        Ok((length > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
    });
    read.await.map_err(io::Error::other)?
}
