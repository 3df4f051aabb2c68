//! How a command ends.
//!
//! Comes in: what happened. Goes out: an exit code, and what is said about it, for people or for
//! programs.

use std::fmt;
use std::io;

use a2a_kit::Error;
use serde_json::{Value, json};

use crate::text;

/// What an exit code says. A script can go by them: they do not change.
///
/// ```
/// use cargo_a2a::Exit;
/// assert_eq!(Exit::NeedsAnswer.code(), 4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// It was done.
    Done = 0,
    /// Something did not work: a file, the network, a peer that speaks no A2A.
    Fault = 1,
    /// The command was not understood.
    Usage = 2,
    /// The task failed, was rejected or canceled.
    Unsuccessful = 3,
    /// The task waits for input or authentication. How to go on has been printed.
    NeedsAnswer = 4,
    /// The agent answered with an error of A2A.
    Refused = 5,
    /// What was checked has faults.
    Found = 6,
}

impl Exit {
    /// The number that the process ends with.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Why a command did not do what it was told.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not. What went wrong, for people.
    Tool(String),
    /// What it was told makes no sense, in a way that the parser of arguments does not see.
    Usage(String),
    /// It found what it was to look for. Everything has been said.
    Check,
    /// A call of an agent failed.
    Call(Error),
    /// Nobody reads what it prints.
    Closed,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Tool(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

/// How many wrong fields of a request are listed.
const MOST_VIOLATIONS: usize = 20;
/// How much of what a peer says is shown in an error.
const LONGEST: usize = 2 << 10;

impl Failure {
    pub(crate) fn tool(error: impl fmt::Display) -> Self {
        Self::Tool(error.to_string())
    }

    pub(crate) fn usage(error: impl fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Tool(_) => Exit::Fault,
            Self::Usage(_) => Exit::Usage,
            Self::Check => Exit::Found,
            Self::Call(error) if is_of_agent(error) => Exit::Refused,
            Self::Call(_) => Exit::Fault,
            Self::Closed => Exit::Done,
        }
    }

    /// What is to be said, if anything is left to say. Safe for a terminal.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Tool(message) | Self::Usage(message) => Some(text::safe(message)),
            Self::Call(error) => Some(told(error)),
            Self::Check | Self::Closed => None,
        }
    }

    /// The same for programs: `{"error": {…}}`.
    pub(crate) fn json(&self) -> Option<Value> {
        match self {
            Self::Tool(message) | Self::Usage(message) => Some(json!({
                "error": { "kind": self.kind(), "message": message }
            })),
            Self::Call(error) => Some(error_json(error, self.kind())),
            Self::Check | Self::Closed => None,
        }
    }

    fn kind(&self) -> &'static str {
        match self.exit() {
            Exit::Refused => "agent",
            Exit::Usage => "usage",
            _ => "fault",
        }
    }
}

/// True for what the agent itself answered, in terms of the protocol; or would have, as its card
/// says. Not for broken answers, nor for those of something on the way.
fn is_of_agent(error: &Error) -> bool {
    let body = error.peer_body();
    if error.transport().is_some() || (error.is_invalid_agent_response() && body.is_some()) {
        return false;
    }
    if error.spec().is_some() || error.reason().is_some() {
        return true;
    }
    match body {
        // Agents answer in JSON; proxies and web servers send pages.
        Some(body) => body.trim_start().starts_with('{'),
        None => error.peer_status().is_some() || !error.violations().is_empty(),
    }
}

/// The error, its name in the protocol, and what is wrong with the request.
fn told(error: &Error) -> String {
    let mut told = text::bounded(error.message(), LONGEST);
    if let Some(spec) = error.spec() {
        told.push_str(&format!(" ({}, {})", spec.name, spec.json_rpc_code));
    } else if let Some(reason) = error.reason() {
        told.push_str(&format!(" ({})", text::bounded(reason, 100)));
    }
    let violations = error.violations();
    if violations.len() > 1 {
        for fault in violations.iter().take(MOST_VIOLATIONS) {
            told.push_str(&format!(
                "\n  {}: {}",
                text::bounded(&fault.field, 200),
                text::bounded(&fault.description, 400)
            ));
        }
        if let Some(more) = violations
            .len()
            .checked_sub(MOST_VIOLATIONS)
            .filter(|more| *more > 0)
        {
            told.push_str(&format!("\n  and {more} more"));
        }
    }
    for challenge in error.challenges().iter().take(3) {
        told.push_str(&format!(
            "\n  it asks for: {}",
            text::bounded(challenge, 200)
        ));
    }
    if let Some(wait) = error.retry_after() {
        told.push_str(&format!("\n  try again in {} s", wait.as_secs()));
    }
    told
}

fn error_json(error: &Error, kind: &str) -> Value {
    let mut members = serde_json::Map::new();
    members.insert("kind".to_owned(), json!(kind));
    members.insert("message".to_owned(), json!(error.message()));
    if kind == "agent" {
        members.insert("code".to_owned(), json!(error.json_rpc_code()));
        members.insert("status".to_owned(), json!(error.code().name()));
    }
    if let Some(spec) = error.spec() {
        members.insert("name".to_owned(), json!(spec.name));
    }
    if let Some(reason) = error.reason() {
        members.insert("reason".to_owned(), json!(reason));
    }
    if let Some(status) = error.peer_status() {
        members.insert("httpStatus".to_owned(), json!(status));
    }
    if !error.metadata().is_empty() {
        members.insert("metadata".to_owned(), json!(error.metadata()));
    }
    if !error.violations().is_empty() {
        let fields = error.violations().iter().take(MOST_VIOLATIONS);
        let fields: Vec<Value> = fields
            .map(|fault| json!({ "field": fault.field, "description": fault.description }))
            .collect();
        members.insert("violations".to_owned(), json!(fields));
    }
    json!({ "error": members })
}

#[cfg(test)]
mod tests {
    use a2a_kit::Code;

    use super::*;

    #[test]
    fn every_ending_has_its_code() {
        let codes = [
            (Exit::Done, 0),
            (Exit::Fault, 1),
            (Exit::Usage, 2),
            (Exit::Unsuccessful, 3),
            (Exit::NeedsAnswer, 4),
            (Exit::Refused, 5),
            (Exit::Found, 6),
        ];
        for (exit, code) in codes {
            assert_eq!(exit.code(), code);
        }
    }

    #[test]
    fn failures_end_as_what_they_are() {
        let exits = [
            (Failure::tool("x"), Exit::Fault),
            (Failure::usage("x"), Exit::Usage),
            (Failure::Check, Exit::Found),
            (Failure::Closed, Exit::Done),
            (
                Failure::Call(Error::new(Code::Unavailable, "x")),
                Exit::Fault,
            ),
            (
                Failure::Call(Error::task_not_found("no task t1")),
                Exit::Refused,
            ),
            (
                Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)),
                Exit::Done,
            ),
            (
                Failure::from(io::Error::from(io::ErrorKind::NotFound)),
                Exit::Fault,
            ),
        ];
        for (failure, exit) in exits {
            assert_eq!(failure.exit(), exit, "{failure:?}");
        }
    }

    #[test]
    fn errors_of_the_protocol_have_their_names_for_people_and_for_programs() {
        let failure = Failure::Call(Error::task_not_found("no task t1\u{1b}[2J"));
        assert_eq!(
            failure.message().as_deref(),
            Some("no task t1\\u{1b}[2J (TaskNotFoundError, -32001)")
        );
        let json = failure.json().unwrap();
        assert_eq!(json["error"]["kind"], "agent");
        assert_eq!(json["error"]["reason"], "TASK_NOT_FOUND");
        assert_eq!(json["error"]["code"], -32001);
        assert_eq!(json["error"]["status"], "NOT_FOUND");
    }

    #[test]
    fn an_error_of_a_megabyte_is_a_line() {
        let failure = Failure::Call(Error::task_not_found("x".repeat(1 << 20)));
        assert!(failure.message().unwrap().len() < 3000);
    }
}
