//! Which skill a message is for, and whether it fits.
//!
//! Comes in: a message. Goes out: the skill in the metadata of its task, or why the message is
//! refused; then the skill's method is called. Everything is decided before there is a task, so
//! that a wrong message leaves none behind.

use a2a_wire::types::Struct;
use a2a_wire::v1_0::{AgentCard, Task};
use serde_json::Value;

#[cfg(feature = "contracts")]
use super::contracts::Contract;
use super::extract::Misfit;
use super::requirements;
use super::skill::{Method, Skill};
use crate::agent::{
    Agent, AgentError, AgentMessage, Handling, Incoming, MessageContext, OnRestart, Reply,
    TaskContext,
};
use crate::contract::SKILL_KEY;
use crate::engine::Modes;
use crate::error::{SHOWN, cut};
use crate::{CallContext, Error};

/// An [`Agent`] that hands messages to the skills of `A`.
pub(super) struct SkillAgent<A> {
    agent: A,
    skills: Vec<Skill<A>>,
    /// The media types that each skill takes.
    modes: Vec<Modes>,
    /// What each skill promises.
    #[cfg(feature = "contracts")]
    contracts: Vec<Contract>,
}

impl<A> SkillAgent<A> {
    /// `card` has all skills.
    pub(super) fn new(agent: A, skills: Vec<Skill<A>>, card: &AgentCard) -> Result<Self, Error> {
        for (at, skill) in skills.iter().enumerate() {
            if skills[..at].iter().any(|other| other.id() == skill.id()) {
                return Err(Error::invalid_field(
                    format!("skills[{at}].id"),
                    format!("{:?} is the id of another skill, too", skill.id()),
                ));
            }
        }
        if skills.iter().filter(|skill| skill.is_default).count() > 1 {
            return Err(Error::invalid_field(
                "skills",
                "only one skill can be the default one",
            ));
        }
        let modes = card
            .skills
            .iter()
            .map(|entry| match &entry.input_modes[..] {
                [] => Modes::new(&card.default_input_modes),
                own => Modes::new(own),
            })
            .collect();
        Ok(Self {
            agent,
            #[cfg(feature = "contracts")]
            contracts: skills.iter().map(Contract::of).collect::<Result<_, _>>()?,
            skills,
            modes,
        })
    }

    /// The skills that a caller may use. For others they do not exist.
    fn open_to<'a>(
        &'a self,
        call: &CallContext,
    ) -> impl Iterator<Item = (&'a Skill<A>, &'a Modes)> {
        let is_known = call.caller().id().is_some();
        let skills = self.skills.iter().zip(&self.modes);
        skills.filter(move |(skill, _)| is_known || !skill.is_extended)
    }

    #[cfg(feature = "contracts")]
    fn contract(&self, of: &Skill<A>) -> Option<&Contract> {
        let mut all = self.skills.iter().zip(&self.contracts);
        all.find_map(|(skill, contract)| std::ptr::eq(skill, of).then_some(contract))
    }

    fn by_id(&self, id: &str) -> Option<&Skill<A>> {
        self.skills.iter().find(|skill| skill.id() == id)
    }

    /// The skill that a message is for; `None` when that cannot be known.
    fn choose<'a>(
        &'a self,
        incoming: &Incoming<'_>,
    ) -> Result<Option<(&'a Skill<A>, &'a Modes)>, Error> {
        let open: Vec<_> = self.open_to(incoming.call).collect();
        let named = |id: &str| open.iter().find(|(skill, _)| skill.id() == id).copied();
        let ids = || {
            open.iter()
                .map(|(skill, _)| skill.id())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let wish = wish(incoming)?;
        let of_task = incoming.task.and_then(skill_of);
        if let (Some((field, wish)), Some(of_task)) = (&wish, of_task)
            && *wish != of_task
        {
            return Err(Error::invalid_field(
                field,
                format!(
                    "names the skill {:?}, but the task in message.taskId is one of {of_task:?}; leave it out, or start a new task",
                    cut(wish, SHOWN)
                ),
            ));
        }
        if let Some(id) = of_task {
            return named(id).map(Some).ok_or_else(|| {
                Error::unsupported_operation(format!(
                    "the task is one of the skill {id:?}, which this agent does not have any more"
                ))
            });
        }
        if let Some((field, id)) = wish {
            return named(id).map(Some).ok_or_else(|| {
                Error::invalid_field(
                    field,
                    format!(
                        "{:?} is no skill of this agent; it has: {}",
                        cut(id, SHOWN),
                        ids()
                    ),
                )
            });
        }
        if let [only] = &open[..] {
            return Ok(Some(*only));
        }
        Ok(the_one_that_fits(&open, incoming).or_else(|| {
            let default = open.iter().find(|(skill, _)| skill.is_default);
            default.copied()
        }))
    }
}

/// The only skill that takes the parts of a message; if none does, the only one for whose kinds of
/// parts it is, so that its sender is told what is wrong inside; if there is none, the only one for
/// whose media types it is, so that its sender is told which parts are too many.
fn the_one_that_fits<'a, A>(
    open: &[(&'a Skill<A>, &'a Modes)],
    incoming: &Incoming<'_>,
) -> Option<(&'a Skill<A>, &'a Modes)> {
    let mut fits = Vec::new();
    let mut nearly = Vec::new();
    let mut by_type = Vec::new();
    for (skill, modes) in open {
        if modes.check(incoming.message).is_err() {
            continue;
        }
        by_type.push((*skill, *modes));
        match (skill.check)(incoming.message) {
            Ok(()) => fits.push((*skill, *modes)),
            Err(misfit) if !misfit.in_shape => nearly.push((*skill, *modes)),
            Err(_) => {}
        }
    }
    match (&fits[..], &nearly[..], &by_type[..]) {
        ([only], _, _) | ([], [only], _) | ([], [], [only]) => Some(*only),
        _ => None,
    }
}

/// The skill that a message asks for, and where it does.
fn wish<'a>(incoming: &Incoming<'a>) -> Result<Option<(String, &'a str)>, Error> {
    let places = [
        ("message.metadata", incoming.message.metadata.as_ref()),
        ("metadata", incoming.metadata),
    ];
    for (place, metadata) in places {
        let Some(value) = metadata.and_then(|metadata: &Struct| metadata.get(SKILL_KEY)) else {
            continue;
        };
        let field = format!("{place}[{SKILL_KEY:?}]");
        return match value {
            Value::String(id) => Ok(Some((field, id))),
            _ => Err(Error::invalid_field(
                field,
                "must be the id of a skill, as text",
            )),
        };
    }
    Ok(None)
}

/// The skill that works on a task.
fn skill_of(task: &Task) -> Option<&str> {
    task.metadata.as_ref()?.get(SKILL_KEY)?.as_str()
}

/// A message goes where it was said that it would.
const NOT_AGAIN: &str = "the skill for this message was not found again";

impl<A: Send + Sync + 'static> Agent for SkillAgent<A> {
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        let Some((skill, modes)) = self.choose(incoming)? else {
            // A task that is rejected, with the list of skills.
            return Ok(Handling::task());
        };
        requirements::check(&skill.entry, incoming.call.caller())?;
        // What is said to a skill at work is an answer to its question, whatever it usually takes.
        if incoming.begins_turn {
            modes.check(incoming.message)?;
            (skill.check)(incoming.message).map_err(Misfit::into_error)?;
            #[cfg(feature = "contracts")]
            if let Some(contract) = self.contract(skill) {
                contract.check(incoming.message)?;
            }
        }
        Ok(match &skill.method {
            Method::Message(_) => Handling::message(),
            Method::Task(_) => Handling::task().with_metadata(SKILL_KEY, skill.id()),
        })
    }

    fn on_restart(&self, task: &Task) -> OnRestart {
        let skill = skill_of(task).and_then(|id| self.by_id(id));
        skill.map_or_else(OnRestart::default, |skill| skill.on_restart)
    }

    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        let skill = skill_of(task.task()).and_then(|id| self.by_id(id));
        match skill.map(|skill| &skill.method) {
            Some(Method::Task(run)) => {
                let reply = run(&self.agent, task).await?;
                #[cfg(feature = "contracts")]
                let reply = match skill.and_then(|skill| self.contract(skill)) {
                    Some(contract) => contract.hold(reply),
                    None => reply,
                };
                Ok(reply)
            }
            _ => Ok(Reply::rejected(self.directions(task.call()))),
        }
    }

    async fn answer(&self, message: MessageContext) -> Result<AgentMessage, AgentError> {
        let incoming = Incoming {
            message: message.message(),
            metadata: message.metadata(),
            call: message.call(),
            tenant: message.tenant(),
            task: None,
            begins_turn: true,
        };
        let Some((skill, _)) = self.choose(&incoming)? else {
            return Err(AgentError::new(NOT_AGAIN));
        };
        match &skill.method {
            Method::Message(run) => {
                let answer = run(&self.agent, message).await?;
                #[cfg(feature = "contracts")]
                let answer = match self.contract(skill) {
                    Some(contract) => contract.hold_answer(answer)?,
                    None => answer,
                };
                Ok(answer)
            }
            Method::Task(_) => Err(AgentError::new(NOT_AGAIN)),
        }
    }
}

impl<A> SkillAgent<A> {
    /// What a client is told whose message is for no skill in particular.
    fn directions(&self, call: &CallContext) -> String {
        use std::fmt::Write as _;

        let mut text = format!(
            "It is not clear for which skill this message is. Name one in message.metadata[{SKILL_KEY:?}]:"
        );
        for (skill, _) in self.open_to(call) {
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\n- {}: {}, takes {}",
                skill.id(),
                skill.entry.name,
                skill.wants.sentence()
            );
        }
        text
    }
}
