//! What an agent has handed over against what its card promises, with the feature `contracts`.
//!
//! Comes in: a card, and a task or a message. Goes out: whether the result of the skill fits the
//! schema that the card has for it.

use a2a_wire::types::Value;
use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{AgentCard, Message, Part, Task, TaskState};

use super::checker::Checker;
use super::{SKILL_KEY, SKILL_SCHEMAS_URI};
use crate::Error;

/// Checks the result of a task against the schema that the card publishes for the skill of the task
/// (`docs/skill-schemas.md`). Tasks that are not completed have no result yet, and where the card
/// has no schema there is nothing to check.
///
/// # Errors
/// `InvalidAgentResponseError` when the result does not fit, or is missing.
pub fn check_task(card: &AgentCard, task: &Task) -> Result<(), Error> {
    let is_completed = task
        .status
        .as_ref()
        .is_some_and(|status| status.state() == TaskState::Completed);
    let skill = task
        .metadata
        .as_ref()
        .and_then(|facts| facts.get(SKILL_KEY)?.as_str());
    let Some(checker) = skill
        .filter(|_| is_completed)
        .map(|skill| checker(card, skill))
    else {
        return Ok(());
    };
    let Some(checker) = checker? else {
        return Ok(());
    };
    let artifacts = task.artifacts.iter().enumerate();
    let mut results = artifacts
        .filter(|(_, artifact)| names_us(&artifact.extensions))
        .peekable();
    if results.peek().is_none() {
        return Err(Error::invalid_agent_response(format!(
            "the card promises a result with a schema, but no artifact names the extension {SKILL_SCHEMAS_URI}"
        )));
    }
    for (at, artifact) in results {
        check_parts(&checker, &format!("artifacts[{at}].parts"), &artifact.parts)?;
    }
    Ok(())
}

/// Checks the message that a skill has answered with, as [`check_task`] does.
///
/// # Errors
/// As [`check_task`].
pub fn check_message(card: &AgentCard, skill: &str, message: &Message) -> Result<(), Error> {
    match checker(card, skill)? {
        Some(checker) => check_parts(&checker, "parts", &message.parts),
        None => Ok(()),
    }
}

fn names_us(extensions: &[String]) -> bool {
    extensions.iter().any(|uri| uri == SKILL_SCHEMAS_URI)
}

/// The schema that a card has for the output of a skill.
fn checker(card: &AgentCard, skill: &str) -> Result<Option<Checker>, Error> {
    let extensions = card
        .capabilities
        .iter()
        .flat_map(|capabilities| &capabilities.extensions);
    let mut ours = extensions.filter(|extension| extension.uri == SKILL_SCHEMAS_URI);
    let schema = ours.next().and_then(|extension| {
        let skills = extension.params.as_ref()?.get("skills")?;
        skills.get(skill)?.get("output")
    });
    let checker = schema.map(Checker::new).transpose();
    checker.map_err(|fault| {
        Error::invalid_agent_response(format!(
            "the schema that the card has for the output of the skill {skill:?} cannot be used: {fault}"
        ))
    })
}

pub(crate) fn check_parts(checker: &Checker, at: &str, parts: &[Part]) -> Result<(), Error> {
    let mut found = false;
    for (index, part) in parts.iter().enumerate() {
        let Some(Content::Data(Value(data))) = &part.content else {
            continue;
        };
        found = true;
        checker
            .check(&format!("{at}[{index}].data"), data)
            .map_err(|fault| {
                Error::invalid_agent_response(format!(
                    "the agent's result does not fit the schema in its card: {}: {}",
                    fault.field, fault.description
                ))
            })?;
    }
    match found {
        true => Ok(()),
        false => Err(Error::invalid_agent_response(format!(
            "the card promises data as a result, but {at} has none"
        ))),
    }
}
