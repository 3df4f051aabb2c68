//! Whether what the attributes promise is there.
//!
//! Comes in: the card as it would be served, and what the builder was given. Goes out: all that is
//! missing, each with the line that mends it.

use a2a_wire::__codegen::Violation;
use a2a_wire::v1_0::security_scheme::Scheme;
use a2a_wire::v1_0::{AgentCard, SecurityScheme};

use crate::Binding;
use crate::skills::Description;

/// What the builder was given.
pub(super) struct Given<'a> {
    /// Names of the schemes that have an authenticator; `None` for one that is for all others.
    pub(super) schemes: Vec<Option<&'a str>>,
    /// There is an extended card, or a skill for it.
    pub(super) extended: bool,
}

/// What is missing. `card` has all skills.
pub(super) fn faults(
    description: &Description,
    card: &AgentCard,
    given: &Given<'_>,
) -> Vec<Violation> {
    let mut faults = Vec::new();
    let mut fault = |field: String, description: String| {
        faults.push(Violation { field, description });
    };
    let bindings = description.bindings.unwrap_or_default();
    if bindings.is_empty() && description.bindings.is_some() {
        fault(
            "bindings".into(),
            "are none; name one, or leave bindings(…) out for all".into(),
        );
    }
    if cfg!(not(feature = "grpc")) && bindings.contains(&Binding::Grpc) {
        fault(
            "bindings".into(),
            "name gRPC, which this build does not have: add \"grpc\" to the features of a2a-kit in Cargo.toml, or take grpc out of bindings(…)".into(),
        );
    }
    let said = description.card.capabilities.clone().unwrap_or_default();
    if said.push_notifications == Some(true) {
        fault(
            "capabilities.pushNotifications".into(),
            "is promised, and nothing delivers to webhooks: take push_notifications out of capabilities(…)".into(),
        );
    }
    if said.extended_agent_card == Some(true) && !given.extended {
        fault(
            "capabilities.extendedAgentCard".into(),
            "is promised, and there is no extended card: write #[skill(extended)] on a skill that only known callers have, or .extended_card(…), or take extended_agent_card out of capabilities(…)".into(),
        );
    }
    let checks_all = given.schemes.contains(&None);
    for (name, scheme) in &description.card.security_schemes {
        let is_checked = checks_all || given.schemes.contains(&Some(name));
        if needs(card, name) && !is_checked {
            fault(
                format!("securitySchemes.{name}"),
                format!(
                    "is asked for, and nobody checks it: write .authenticate({name:?}, {})",
                    example(scheme)
                ),
            );
        }
    }
    faults
}

/// True when a requirement, of the agent or of a skill, names this scheme.
fn needs(card: &AgentCard, scheme: &str) -> bool {
    let of_skills = card.skills.iter().map(|skill| &skill.security_requirements);
    std::iter::once(&card.security_requirements)
        .chain(of_skills)
        .flatten()
        .any(|requirement| requirement.schemes.contains_key(scheme))
}

/// What could check a scheme.
fn example(scheme: &SecurityScheme) -> String {
    match &scheme.scheme {
        Some(Scheme::ApiKeySecurityScheme(key)) => {
            let place = match &*key.location {
                place @ ("query" | "cookie") => place,
                _ => "header",
            };
            format!("ApiKeys::{place}({:?}).key(…, Caller::known(…))", key.name)
        }
        Some(Scheme::HttpAuthSecurityScheme(http)) if http.scheme.eq_ignore_ascii_case("basic") => {
            "BasicUsers::new()…".to_owned()
        }
        Some(Scheme::MtlsSecurityScheme(_)) => "ClientCertificates::new()…".to_owned(),
        _ => "JwtBearer::…".to_owned(),
    }
}
