//! `cargo a2a card`: the card of an agent, for people, as it came, in either version, and its faults.
//!
//! Comes in: an address or a file. Goes out: the card, or what is wrong with it.

mod convert;
mod lint;
mod show;
mod source;

use clap::Subcommand;

use crate::agent::{Connection, json_of};
use crate::console::{Console, Style};
use crate::exit::{Exit, Failure};
use crate::text;
use convert::Version;
pub(crate) use show::show;

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  cargo a2a card https://agent.example.com
  cargo a2a card card.json --as 0.3
  cargo a2a card lint https://agent.example.com

What a version cannot hold is told on standard error, with the id of the rule that says so."
)]
pub(crate) struct Card {
    #[command(subcommand)]
    command: Option<Command>,
    /// The agent's address, that of its card, or a file; `-` for standard input
    #[arg(value_name = "URL|FILE", required = true)]
    source: Option<String>,
    /// Print it as it came
    #[arg(long, conflicts_with_all = ["wanted", "json"])]
    raw: bool,
    /// Print it as this version has it: 1.0 or 0.3
    #[arg(long = "as", value_name = "VERSION")]
    wanted: Option<Version>,
    /// Print it as 1.0 has it: one JSON document
    #[arg(long, conflicts_with = "wanted")]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look for what is wrong with a card
    Lint(Lint),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Faults end the command with exit code 6, warnings do not. With --json: {\"findings\": [{\"rule\", \
\"severity\", \"path\", \"message\", \"section\", \"hint\"}]}.")]
struct Lint {
    /// The agent's address, that of its card, or a file; `-` for standard input
    #[arg(value_name = "URL|FILE")]
    source: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Card {
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            Some(Command::Lint(lint)) => lint.json,
            None => self.json,
        }
    }

    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        if let Some(Command::Lint(lint)) = &self.command {
            return lint.run(console).await;
        }
        // The parser of arguments wants one.
        let source = self.source.as_deref().unwrap_or_default();
        let found = source::read(source, &self.connection).await?;
        if self.raw {
            let raw = String::from_utf8_lossy(&found.body);
            // As it came means to the byte, but not what a terminal would obey.
            console.print(&text::json(&raw))?;
            console.end_line()?;
            return Ok(Exit::Done);
        }
        let read = convert::read(&found.body)?;
        let version = match self.wanted {
            None if self.json => Some(Version::New),
            version => version,
        };
        let mut losses = read.losses;
        match version {
            None => console.print(&show(&read.card, console))?,
            Some(Version::New) => console.json(&json_of(read.card)?)?,
            Some(Version::Old) => {
                let (json, lost) = convert::old(&read.card)?;
                losses.extend(lost);
                console.json(&json)?;
            }
        }
        if version.is_some() {
            for loss in &losses {
                let label = console.paint_note(Style::Warn, "lost:");
                console.note(&format!(
                    "{label} {}",
                    text::bounded_line(&loss.to_string(), 400)
                ))?;
            }
        }
        Ok(Exit::Done)
    }
}

impl Lint {
    async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let found = source::read(&self.source, &self.connection).await?;
        let findings = lint::lint(&found)?;
        let faults = findings.iter().filter(|each| each.is_fault()).count();
        if self.json {
            let document = serde_json::json!({ "findings": findings });
            console.json(&document.to_string())?;
        } else {
            for finding in &findings {
                let style = if finding.is_fault() {
                    Style::Bad
                } else {
                    Style::Warn
                };
                let label = console.paint(style, finding.severity.name());
                let place = match finding.path.as_str() {
                    "" => String::new(),
                    path => format!("{}: ", text::bounded_line(path, 300)),
                };
                console.line(&format!(
                    "{label}[{}] {place}{}",
                    finding.rule,
                    text::bounded_line(&finding.message, 600)
                ))?;
                console.line(&format!(
                    "  {} (section {})",
                    text::bounded_line(&finding.hint, 600),
                    finding.section
                ))?;
            }
            let warnings = findings.len() - faults;
            console.note(&format!("{faults} faults, {warnings} warnings"))?;
        }
        Ok(if faults > 0 { Exit::Found } else { Exit::Done })
    }
}
