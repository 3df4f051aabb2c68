//! `cargo a2a diff`: what changes between two versions of a protocol.
//!
//! Comes in: two versions, by path or by name, and the rules between them. Goes out: the
//! generator's report, as text, Markdown, JSON or one HTML page.

use std::path::PathBuf;

use a2a_codegen::plan::rules::read_rules;
use a2a_codegen::report::{Version, report};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::version::{self, Loaded};

mod breaking;
mod print;

/// What changes between two versions of a protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A version is a .proto file. What lies beside it belongs to it: profile.toml, and the JSON schema of \
the same name, a2a.schema.json for a2a.proto. The names 0.3 and 1.0 stand for the versions of A2A, \
which are built in.

  cargo a2a diff 0.3 1.0 --format html > report.html
  cargo a2a diff 1.0 next/a2a.proto --include next --rules next/rules.toml")]
pub(crate) struct Arguments {
    /// The older version: a .proto, or 0.3 or 1.0
    old: String,
    /// The newer version
    new: String,
    /// A folder in which protos and their imports are looked up; that of a proto itself is one
    #[arg(long, value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// What names do not say; between 0.3 and 1.0 that is built in, `none` leaves it out
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// End with exit code 6 when there is such a change, and name them on standard error
    #[arg(long, value_enum, value_name = "CHANGE")]
    fail_on: Option<FailOn>,
}

/// What a change has to be to end the command with exit code 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A peer that goes on as it was is refused or misunderstood
    Breaking,
}

/// How many changes are named.
const MOST: usize = 20;

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For a terminal
    Text,
    /// Markdown
    Md,
    /// For programs
    Json,
    /// One page without anything around it
    Html,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let (old, new) = (&arguments.old, &arguments.new);
    let rules = match &arguments.rules {
        Some(none) if none.as_os_str() == "none" => None,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::tool(format!(
                    "the rules in {} cannot be read: {error}; leave --rules out to be told which \
                     ones are needed",
                    path.display()
                ))
            })?;
            Some((path.display().to_string(), text))
        }
        None => version::rules(old, new),
    };
    let rules = match &rules {
        Some((name, text)) => {
            let rules = read_rules(text, name).map_err(|faults| version::failure(&faults))?;
            Some((name.as_str(), rules))
        }
        None => None,
    };
    let mut old = Loaded::read(old, &arguments.include)?;
    let mut new = Loaded::read(new, &arguments.include)?;
    if old.name == new.name {
        old.name.push_str(" (older)");
        new.name.push_str(" (newer)");
    }
    let rules = rules.as_ref().map(|(name, rules)| (*name, rules));
    // The newer version's JSON is that of its proto.
    let newer = Version {
        schema: None,
        ..new.version()
    };
    let report = report(&old.version(), &newer, rules);
    console.print(&print::print(&report, arguments.format)?)?;
    if arguments.fail_on != Some(FailOn::Breaking) {
        return Ok(Exit::Done);
    }
    let found = breaking::breaking(&report);
    for change in found.iter().take(MOST) {
        console.note(&format!("breaking: {}", change.replace('`', "")))?;
    }
    match found.len() {
        0 => return Ok(Exit::Done),
        count if count > MOST => console.note(&format!("{count} breaking changes in all"))?,
        _ => {}
    }
    Err(Failure::Check)
}
