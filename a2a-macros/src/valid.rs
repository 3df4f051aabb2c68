//! What the parts of an agent have to do with each other.
//!
//! Comes in: what the attributes say. Goes out: nothing, but faults at their tokens. What the two
//! macros have to do with each other is written into their code as constant assertions, by `expand`.

use syn::LitStr;

use crate::ast::{Agent, Block, Requirement, Skill};
use crate::attr::{Faults, Texts, nearest};

pub(crate) fn check_agent(agent: &Agent, faults: &mut Faults) {
    check_media_types(&agent.input_modes, faults);
    check_media_types(&agent.output_modes, faults);
    check_schemes(agent, faults);
    for requirement in &agent.security {
        check_requirement(agent, requirement, faults);
    }
    let uris = agent.extensions.iter().filter_map(|said| said.uri.as_ref());
    each_once(uris, faults, |uri| {
        format!("the extension {uri:?} is said twice")
    });
    for tenant in agent
        .interfaces
        .iter()
        .filter_map(|said| said.tenant.as_ref())
    {
        check_tenant(agent, tenant, faults);
    }
}

pub(crate) fn check_block(block: &Block, faults: &mut Faults) {
    // Skills under a condition may exclude each other; the agent looks at them when it starts.
    let always = || {
        block
            .skills
            .iter()
            .filter(|skill| skill.conditions.is_empty())
    };
    each_once(always().map(|skill| &skill.id), faults, |id| {
        format!(
            "a second skill with the id {id:?}: ids are unique in an agent, so write another id = \"…\""
        )
    });
    let mut defaults = always().filter_map(|skill| skill.default.filter(|flag| flag.value));
    defaults.next();
    for second in defaults {
        faults.at(
            second.span,
            "a second default skill: one skill takes the messages that name none, so take `default` out here or there",
        );
    }
    for skill in &block.skills {
        check_skill(skill, faults);
    }
}

fn check_skill(skill: &Skill, faults: &mut Faults) {
    check_media_types(&skill.input_modes, faults);
    check_media_types(&skill.output_modes, faults);
    if let (true, Some(policy)) = (skill.answers, &skill.on_restart) {
        faults.at(
            policy.span,
            "a skill with reply = \"message\" has no task that could go on after a restart: take `on_restart` out",
        );
    }
}

fn check_schemes(agent: &Agent, faults: &mut Faults) {
    for (index, scheme) in agent.schemes.iter().enumerate() {
        let name = scheme.name.text();
        let (earlier, _) = agent.schemes.split_at(index);
        if earlier.iter().any(|other| other.name.text() == name) {
            faults.at(
                scheme.name.span(),
                format!("a second security scheme `{name}`: names are unique in an agent"),
            );
        }
    }
}

fn check_requirement(agent: &Agent, requirement: &Requirement, faults: &mut Faults) {
    let names: Vec<String> = agent
        .schemes
        .iter()
        .map(|scheme| scheme.name.text())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (scheme, _) in &requirement.schemes {
        let name = scheme.text();
        if names.contains(&name.as_str()) {
            continue;
        }
        let help = match nearest(&name, &names) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare it with scheme({name}, …) in #[a2a_agent]"),
        };
        faults.at(
            scheme.span(),
            format!("no security scheme is called `{name}`: {help}"),
        );
    }
}

fn check_tenant(agent: &Agent, tenant: &LitStr, faults: &mut Faults) {
    let Some(tenants) = &agent.tenants else {
        return;
    };
    let value = tenant.value();
    if tenants.texts.iter().all(|known| known.value() != value) {
        faults.on(
            tenant,
            format!("{value:?} is none of the agent's tenants: add it to tenants(…)"),
        );
    }
}

/// `type/subtype`, with or without parameters.
fn check_media_types(modes: &Option<Texts>, faults: &mut Faults) {
    for text in modes.iter().flat_map(|modes| &modes.texts) {
        let value = text.value();
        let essence = value.split(';').next().unwrap_or_default().trim();
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "!#$&-^_.+*".contains(c))
        };
        let fits = essence
            .split_once('/')
            .is_some_and(|(kind, subtype)| is_word(kind) && is_word(subtype));
        if !fits {
            faults.on(
                text,
                format!(
                    "{value:?} is no media type: write it as type/subtype, such as \"text/plain\""
                ),
            );
        }
    }
}

fn each_once<'a>(
    texts: impl Iterator<Item = &'a LitStr>,
    faults: &mut Faults,
    message: impl Fn(&str) -> String,
) {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        let value = text.value();
        if seen.contains(&value) {
            faults.on(text, message(&value));
        }
        seen.push(value);
    }
}
