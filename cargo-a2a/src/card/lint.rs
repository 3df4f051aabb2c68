//! What is wrong with a card.
//!
//! Comes in: the bytes of a card, and the answer that they came in. Goes out: findings, each with the
//! id of its rule, its place, the section of the specification and what to do. Which members there are
//! and which must be there, the schemas of the two versions say.

mod members;
mod rules;

use a2a_kit::v1_0::AgentCard;
use a2a_kit::wire::WireMessage as _;
use a2a_kit::wire::adapt::Options;
use a2a_kit::wire::v0_3_json;
use serde::Serialize;
use serde_json::{Map, Value};

use super::convert::{has_new_form, has_old_form, place};
use super::source::Found;
use crate::exit::Failure;

/// How many findings are told; a card that is not one could have any number.
const MOST: usize = 200;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    /// The specification forbids it, or clients cannot do with it.
    Fault,
    /// The specification advises against it, or it is likely not meant.
    Warning,
}

impl Severity {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Warning => "warning",
        }
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) rule: &'static str,
    pub(super) severity: Severity,
    /// Where in the card: `skills[0].tags`; empty for the card as a whole.
    pub(super) path: String,
    pub(super) message: String,
    /// Of specification 1.0, unless it says another version.
    pub(super) section: &'static str,
    pub(super) hint: String,
}

impl Finding {
    pub(super) fn is_fault(&self) -> bool {
        self.severity == Severity::Fault
    }
}

/// A rule: its id, and what it says wherever it is broken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    id: &'static str,
    severity: Severity,
    section: &'static str,
}

impl Rule {
    const fn fault(id: &'static str, section: &'static str) -> Self {
        Self {
            id,
            severity: Severity::Fault,
            section,
        }
    }

    const fn warning(id: &'static str, section: &'static str) -> Self {
        Self {
            id,
            severity: Severity::Warning,
            section,
        }
    }
}

/// Findings, as they are made.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    fn add(
        &mut self,
        rule: Rule,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let path = path.into();
        let known = |each: &Finding| each.rule == rule.id && each.path == path;
        if self.0.len() < MOST && !self.0.iter().any(known) {
            self.0.push(Finding {
                rule: rule.id,
                severity: rule.severity,
                path,
                message: message.into(),
                section: rule.section,
                hint: hint.into(),
            });
        }
    }
}

const NO_CARD: Rule = Rule::fault("no-card", "4.4.1");
const UNREADABLE: Rule = Rule::fault("unreadable", "5.5");

/// Looks at a card.
pub(super) fn lint(found: &Found) -> Result<Vec<Finding>, Failure> {
    let mut findings = Findings::default();
    if let Some(headers) = &found.headers {
        rules::answer(headers, &mut findings);
    }
    let card: Map<String, Value> = match serde_json::from_slice(&found.body) {
        Ok(Value::Object(card)) => card,
        other => {
            let message = match other {
                Ok(_) => "it is JSON, but no object".to_owned(),
                Err(error) => format!("it is no JSON: {error}"),
            };
            findings.add(NO_CARD, "", message, "serve the card as one JSON object");
            return Ok(findings.0);
        }
    };
    let (old, new) = (has_old_form(&card), has_new_form(&card));
    members::check(&card, old, new, &mut findings)?;
    if new || !old {
        match AgentCard::read_json(&found.body) {
            Ok(card) => rules::new(&card, &mut findings),
            Err(error) => unreadable("1.0", &error, &mut findings),
        }
    }
    if old {
        let read = v0_3_json::read::<v0_3_json::AgentCard>(&found.body, &Options::default());
        if let Err(error) = read {
            unreadable("0.3", &error, &mut findings);
        }
        rules::old(&card, &mut findings);
    }
    rules::both(&card, &mut findings);
    findings
        .0
        .sort_by_key(|finding| finding.severity != Severity::Fault);
    Ok(findings.0)
}

fn unreadable(version: &str, error: &a2a_kit::wire::json::Error, findings: &mut Findings) {
    findings.add(
        UNREADABLE,
        error.path(),
        format!("it cannot be read as a card of {version}: {}", place(error)),
        "give the member the type that the specification says",
    );
}
