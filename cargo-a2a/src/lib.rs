//! The `cargo a2a` command.
//!
//! Comes in: command-line arguments. Goes out: text and an exit code: 0 done, 1 something did not
//! work, 2 wrong usage, 6 a check failed.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};

use clap::{Parser, Subcommand};

mod config;
mod diff;
mod generate;

/// What the command is told.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-a2a",
    bin_name = "cargo a2a",
    version,
    about = "Tools for Agent2Agent (A2A) agents",
    propagate_version = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the code that a2a.toml asks for
    Generate(generate::Arguments),
    /// Say what changes between two versions of a protocol
    Diff(diff::Arguments),
}

/// Why a command did not do what it was told.
#[derive(Debug)]
enum Failure {
    /// It could not: exit code 1. What went wrong, for people.
    Tool(String),
    /// It found what it was to look for: exit code 6. Everything has been said.
    Check,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Tool(error.to_string())
    }
}

impl Failure {
    fn tool(error: impl fmt::Display) -> Self {
        Self::Tool(error.to_string())
    }
}

/// Runs the command; returns its exit code.
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
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "a2a") {
        arguments.remove(1);
    }
    let result = match Arguments::try_parse_from(arguments) {
        Ok(Arguments {
            command: Command::Generate(arguments),
        }) => generate::run(&arguments, out),
        Ok(Arguments {
            command: Command::Diff(arguments),
        }) => diff::run(&arguments, out),
        Err(usage) => return explain(&usage, out, err),
    };
    match result {
        Ok(()) => 0,
        Err(Failure::Check) => 6,
        Err(Failure::Tool(message)) => {
            // Nobody is left to be told when standard error is closed.
            let _ = writeln!(err, "error: {message}");
            1
        }
    }
}

/// Help and version go to `out`, wrong usage to `err`.
fn explain(usage: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let to: &mut dyn Write = if usage.use_stderr() { err } else { out };
    let _ = write!(to, "{}", usage.render());
    u8::try_from(usage.exit_code()).unwrap_or(2)
}
