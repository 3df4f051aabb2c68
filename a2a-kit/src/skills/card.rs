//! The card of an agent, from what the macros say of it.
//!
//! Comes in: a [`Description`] and the [skills](super::Skills). Goes out: the public card and the
//! extended one. Interfaces are there when their addresses were said; else who serves the agent
//! adds them.

use a2a_wire::v1_0::{AgentCard, AgentInterface, AgentSkill};

use super::{Skill, Skills, schema};
use crate::{Binding, ProtocolVersion};

/// What `#[a2a_agent]` says of an agent.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Description {
    pub(super) card: AgentCard,
    pub(super) bindings: Option<&'static [Binding]>,
    pub(super) versions: Option<&'static [ProtocolVersion]>,
    pub(super) interfaces: Vec<AgentInterface>,
    pub(super) tenants: &'static [&'static str],
}

impl Description {
    /// An agent with this card, which has neither skills nor interfaces.
    pub fn new(card: AgentCard) -> Self {
        Self {
            card,
            bindings: None,
            versions: None,
            interfaces: Vec::new(),
            tenants: &[],
        }
    }

    /// The bindings by which it is served; all, if none are said.
    pub fn bindings(mut self, bindings: &'static [Binding]) -> Self {
        self.bindings = Some(bindings);
        self
    }

    /// The versions in which it is served; all, if none are said.
    pub fn versions(mut self, versions: &'static [ProtocolVersion]) -> Self {
        self.versions = Some(versions);
        self
    }

    /// An interface whose address is known beforehand. A tenant of `""` is none.
    pub fn interface(
        mut self,
        binding: Binding,
        version: ProtocolVersion,
        url: &str,
        tenant: &str,
    ) -> Self {
        self.interfaces.push(
            AgentInterface::new()
                .with_protocol_binding(binding.card_name())
                .with_protocol_version(version.to_string())
                .with_url(url)
                .with_tenant(tenant),
        );
        self
    }

    /// The tenants that there are; none, if none are said.
    pub fn tenants(mut self, tenants: &'static [&'static str]) -> Self {
        self.tenants = tenants;
        self
    }
}

/// The public card of an agent: what the macros say, completed by what follows from its types.
#[must_use]
pub fn card<A: Skills>() -> AgentCard {
    assemble(A::description(), &A::skills(), false)
}

/// The extended card: the public one, and the skills for callers who are known. `None` when there
/// are no such skills.
#[must_use]
pub fn extended_card<A: Skills>() -> Option<AgentCard> {
    let skills = A::skills();
    let has_more = skills.iter().any(|skill| skill.is_extended);
    has_more.then(|| assemble(A::description(), &skills, true))
}

/// A card with the public skills, or with all.
pub(super) fn assemble<A>(
    description: Description,
    skills: &[Skill<A>],
    with_extended: bool,
) -> AgentCard {
    let mut card = description.card;
    card.supported_interfaces = description.interfaces;
    let shown = || {
        skills
            .iter()
            .filter(|skill| with_extended || !skill.is_extended)
    };
    let said_inputs = std::mem::take(&mut card.default_input_modes);
    let said_outputs = std::mem::take(&mut card.default_output_modes);
    card.skills = shown()
        .map(|skill| {
            let mut entry: AgentSkill = skill.entry.clone();
            if entry.input_modes.is_empty() {
                entry.input_modes = input_modes(skill, &said_inputs);
            }
            if entry.output_modes.is_empty() {
                entry.output_modes = output_modes(skill, &said_outputs);
            }
            entry
        })
        .collect();
    card.default_input_modes = defaults(
        said_inputs,
        card.skills.iter().map(|skill| &skill.input_modes),
    );
    card.default_output_modes = defaults(
        said_outputs,
        card.skills.iter().map(|skill| &skill.output_modes),
    );
    for skill in &mut card.skills {
        leave_out_defaults(&mut skill.input_modes, &card.default_input_modes);
        leave_out_defaults(&mut skill.output_modes, &card.default_output_modes);
    }
    let capabilities = card.capabilities.get_or_insert_default();
    if skills.iter().any(|skill| skill.is_extended) {
        capabilities.extended_agent_card = Some(true);
    }
    schema::publish(capabilities, shown());
    card
}

const TEXT: &str = "text/plain";
const DATA: &str = "application/json";
const ANY: &str = "*/*";

/// The media types that a skill takes by its types. What the agent says for all skills holds for
/// one that takes anything, and for one whose kinds are all among it.
fn input_modes<A>(skill: &Skill<A>, said: &[String]) -> Vec<String> {
    let wants = &skill.wants;
    of_kinds(wants.text, wants.data, wants.files || wants.anything, said)
}

fn output_modes<A>(skill: &Skill<A>, said: &[String]) -> Vec<String> {
    let gives = &skill.gives;
    if gives.anything && !gives.data && !gives.text && !gives.files {
        // It may be anything, and most likely it is text.
        return match said {
            [] => vec![TEXT.to_owned()],
            said => said.to_vec(),
        };
    }
    of_kinds(gives.text, gives.data, gives.files, said)
}

fn of_kinds(text: bool, data: bool, anything: bool, said: &[String]) -> Vec<String> {
    let has = |kind: &str| {
        said.iter()
            .any(|mode| mode.starts_with(kind) || mode.starts_with('*'))
    };
    let covered = (!text || has("text")) && (!data || has("application/json"));
    if covered && !said.is_empty() {
        return said.to_vec();
    }
    let kinds = [(text, TEXT), (data, DATA), (anything, ANY)];
    let modes = kinds.iter().filter(|(wanted, _)| *wanted);
    modes.map(|(_, mode)| (*mode).to_owned()).collect()
}

/// What was said for the whole agent, else all that skills have. An agent without any has text.
fn defaults<'a>(
    said: Vec<String>,
    of_skills: impl Iterator<Item = &'a Vec<String>>,
) -> Vec<String> {
    if !said.is_empty() {
        return said;
    }
    let mut all: Vec<String> = Vec::new();
    for mode in of_skills.flatten() {
        if !all.contains(mode) {
            all.push(mode.clone());
        }
    }
    if all.is_empty() {
        all.push(TEXT.to_owned());
    }
    all
}

/// A skill without modes has those of the agent.
fn leave_out_defaults(modes: &mut Vec<String>, defaults: &[String]) {
    if modes == defaults {
        modes.clear();
    }
}
