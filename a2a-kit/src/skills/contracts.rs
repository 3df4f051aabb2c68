//! Inputs and outputs of skills against their schemas, with the feature `contracts`.
//!
//! Comes in: a message for a skill, or what came of it. Goes out: the fault that the types could not
//! see, such as a number that is out of the range that its schema says.

use a2a_wire::types::Value;
use a2a_wire::v1_0::Message;
use a2a_wire::v1_0::part::Content;

use super::reply::invalid;
use super::skill::Skill;
use crate::Error;
use crate::agent::{AgentMessage, Reply};
use crate::contract::checker::Checker;
use crate::contract::result::check_parts;

/// What one skill promises.
#[derive(Debug)]
pub(super) struct Contract {
    inputs: Vec<Checker>,
    output: Option<Checker>,
}

impl Contract {
    pub(super) fn of<A>(skill: &Skill<A>) -> Result<Self, Error> {
        let usable = |what: &str, schema: schemars::Schema| {
            Checker::new(schema.as_value()).map_err(|fault| {
                let id = skill.id();
                Error::internal(format!(
                    "the schema of the {what} of the skill {id:?} cannot be used: {fault}"
                ))
            })
        };
        let inputs = skill.wants.data_schemas.iter();
        let inputs = inputs.map(|data| usable("input", (data.schema)()));
        Ok(Self {
            inputs: inputs.collect::<Result<_, _>>()?,
            output: skill
                .gives
                .schema
                .map(|schema| usable("output", schema()))
                .transpose()?,
        })
    }

    /// Data parts go to parameters in their order.
    pub(super) fn check(&self, message: &Message) -> Result<(), Error> {
        let parts = message.parts.iter().enumerate();
        let data = parts.filter_map(|(at, part)| match &part.content {
            Some(Content::Data(Value(data))) => Some((at, data)),
            _ => None,
        });
        for (checker, (at, data)) in self.inputs.iter().zip(data) {
            let checked = checker.check(&format!("message.parts[{at}].data"), data);
            checked.map_err(|fault| Error::invalid(vec![fault]))?;
        }
        Ok(())
    }

    /// A completed task with a result that does not fit has failed.
    pub(super) fn hold(&self, reply: Reply) -> Reply {
        let (Some(checker), [result]) = (&self.output, &reply.0.artifacts[..]) else {
            return reply;
        };
        match check_parts(checker, "parts", &result.parts) {
            Ok(()) => reply,
            Err(error) => invalid(&error),
        }
    }

    pub(super) fn hold_answer(&self, answer: AgentMessage) -> Result<AgentMessage, Error> {
        if let Some(checker) = &self.output {
            check_parts(checker, "parts", &answer.0.parts)?;
        }
        Ok(answer)
    }
}
