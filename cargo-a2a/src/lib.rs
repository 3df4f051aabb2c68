//! The `cargo a2a` command.
//!
//! Comes in: command-line arguments. Goes out: text, or JSON for programs, and an exit code
//! ([`Exit`]).

use std::ffi::OsString;
use std::io::Write;

use clap::{CommandFactory as _, Parser, Subcommand};

mod agent;
mod call;
mod card;
mod config;
mod console;
mod diff;
mod exit;
mod generate;
mod layout;
mod proxy;
mod routes;
mod serve;
mod text;
mod version;

use agent::block_on;
pub use console::Console;
pub use exit::Exit;
use exit::Failure;

/// What the command is told.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-a2a",
    bin_name = "cargo a2a",
    version,
    about = "Tools for Agent2Agent (A2A) agents",
    propagate_version = true,
    after_help = "\
Exit codes: 0 done; 1 something did not work; 2 wrong usage; 3 the task failed, was rejected or \
canceled; 4 it waits for input or authentication; 5 the agent answered with an error of A2A; 6 a \
check found something."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the code that a2a.toml asks for
    Generate(generate::Arguments),
    /// Show how each operation is called, over each binding
    Routes(routes::Arguments),
    /// Say what changes between two versions of a protocol
    Diff(diff::Arguments),
    /// Show the card of an agent, or look for what is wrong with it
    Card(card::Card),
    /// Send a message and wait for the answer
    Send(call::Send),
    /// Send a message and show what happens as it happens
    Stream(call::Stream),
    /// Read a task as it is now
    Get(call::Get),
    /// List tasks, newest first
    List(call::List),
    /// Ask the agent to stop working on a task
    Cancel(call::Cancel),
    /// Show what happens to a task, from now on
    Subscribe(call::Subscribe),
    /// Register, read and remove webhooks of a task
    Push(call::Push),
    /// Read the card that the agent shows to those it knows
    ExtendedCard(call::ExtendedCard),
    /// Serve an agent to try things with
    Serve(serve::Serve),
    /// Serve another agent over every binding, in both versions
    Proxy(proxy::Proxy),
    /// Write a script that completes the command in a shell
    Completions(Completions),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo a2a completions bash > ~/.local/share/bash-completion/completions/cargo-a2a

Shells complete `cargo-a2a`; `cargo a2a` is completed by cargo's own script or not at all.")]
struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl Command {
    /// True when a program reads the result.
    fn json(&self) -> bool {
        match self {
            Self::Routes(arguments) => arguments.json,
            Self::Card(card) => card.json(),
            Self::Send(send) => send.target.json,
            Self::Stream(stream) => stream.target.json,
            Self::Get(get) => get.target.json,
            Self::List(list) => list.target.json,
            Self::Cancel(cancel) => cancel.target.json,
            Self::Subscribe(subscribe) => subscribe.target.json,
            Self::Push(push) => push.json(),
            Self::ExtendedCard(card) => card.target.json,
            Self::Generate(_)
            | Self::Diff(_)
            | Self::Completions(_)
            | Self::Serve(_)
            | Self::Proxy(_) => false,
        }
    }

    fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        match self {
            Self::Generate(arguments) => generate::run(arguments, console),
            Self::Routes(arguments) => routes::run(arguments, console),
            Self::Diff(arguments) => diff::run(arguments, console),
            Self::Card(card) => block_on(card.run(console)),
            Self::Send(send) => block_on(send.run(console)),
            Self::Stream(stream) => block_on(stream.run(console)),
            Self::Get(get) => block_on(get.run(console)),
            Self::List(list) => block_on(list.run(console)),
            Self::Cancel(cancel) => block_on(cancel.run(console)),
            Self::Subscribe(subscribe) => block_on(subscribe.run(console)),
            Self::Push(push) => block_on(push.run(console)),
            Self::ExtendedCard(card) => block_on(card.run(console)),
            Self::Serve(serve) => block_on(serve.run(console)),
            Self::Proxy(proxy) => block_on(proxy.run(console)),
            Self::Completions(arguments) => {
                let mut script = Vec::new();
                let mut command = Arguments::command();
                clap_complete::generate(arguments.shell, &mut command, "cargo-a2a", &mut script);
                console.print(&String::from_utf8_lossy(&script))?;
                Ok(Exit::Done)
            }
        }
    }
}

/// Runs the command, printing to `out` and `err` as to a pipe; returns its exit code.
///
/// `arguments` begin with the name of the program. As `cargo a2a …` calls it, the next one is
/// `a2a`; without it the command works alike.
///
/// ```
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let code = cargo_a2a::run(["cargo-a2a", "a2a", "--version"].map(Into::into), &mut out, &mut err);
/// assert_eq!(code, 0);
/// assert!(String::from_utf8_lossy(&out).starts_with("cargo-a2a "));
/// ```
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    run_on(arguments, &mut Console::plain(out, err)).code()
}

/// Runs the command on a console; see [`run`].
pub fn run_on(arguments: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> Exit {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "a2a") {
        arguments.remove(1);
    }
    let command = match Arguments::try_parse_from(arguments) {
        Ok(Arguments { command }) => command,
        Err(usage) => return explain(&usage, console),
    };
    let failure = match command.run(console) {
        Ok(exit) => return exit,
        Err(failure) => failure,
    };
    match failure.json() {
        // Nobody is left to be told when standard output is closed.
        Some(json) if command.json() => drop(console.json(&json.to_string())),
        _ => {
            if let Some(message) = failure.message() {
                console.error(&message);
            }
        }
    }
    failure.exit()
}

/// Help and version go to standard output, wrong usage to standard error.
fn explain(usage: &clap::Error, console: &mut Console<'_>) -> Exit {
    let text = usage.render();
    if usage.use_stderr() {
        let _ = console.note(text.to_string().trim_end());
        return Exit::Usage;
    }
    let _ = console.print(&text.to_string());
    Exit::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_arguments_fit_together() {
        Arguments::command().debug_assert();
    }
}
