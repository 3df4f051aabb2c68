//! Whether a caller has what a skill asks for beyond what the agent does.
//!
//! Comes in: the security requirements of a skill, and the caller as the authentication of the
//! agent has found them out. Goes out: leave to go on, or why not. Credentials are no longer there
//! to be looked at; what they have proven is: who it is, and the scopes.

use a2a_wire::v1_0::AgentSkill;

use crate::{Caller, Code, Error};

/// JSON-RPC's code for callers who may not, as the authentication has it.
const JSON_RPC_CODE: i32 = -32000;

/// One requirement that is met is enough; a skill without any asks for nothing.
pub(super) fn check(skill: &AgentSkill, caller: &Caller) -> Result<(), Error> {
    let requirements = &skill.security_requirements;
    if requirements.is_empty() || requirements.iter().any(|wanted| wanted.schemes.is_empty()) {
        return Ok(());
    }
    if caller.id().is_none() {
        return Err(Error::new(
            Code::Unauthenticated,
            format!(
                "the skill {:?} is for callers with credentials; the agent's card says which",
                skill.id
            ),
        )
        .with_json_rpc_code(JSON_RPC_CODE));
    }
    let lacks = requirements.iter().map(|wanted| {
        let scopes = wanted.schemes.values().flat_map(|scopes| &scopes.list);
        let lacks = scopes.filter(|scope| !caller.has_scope(scope));
        lacks.map(String::as_str).collect::<Vec<_>>()
    });
    match lacks.min_by_key(Vec::len) {
        Some(lacks) if !lacks.is_empty() => Err(Error::new(
            Code::PermissionDenied,
            format!(
                "for the skill {:?} the credentials lack the scopes {}",
                skill.id,
                lacks.join(" ")
            ),
        )
        .with_json_rpc_code(JSON_RPC_CODE)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use a2a_wire::v1_0::{SecurityRequirement, StringList};

    use super::*;

    fn skill(requirements: &[&[(&str, &[&str])]]) -> AgentSkill {
        let requirements = requirements.iter().map(|schemes| {
            let schemes = schemes.iter().map(|(name, scopes)| {
                (
                    (*name).to_owned(),
                    StringList::new().with_list(scopes.iter().copied()),
                )
            });
            SecurityRequirement::new().with_schemes(schemes)
        });
        AgentSkill::new()
            .with_id("s")
            .with_security_requirements(requirements)
    }

    fn code(skill: &AgentSkill, caller: &Caller) -> Option<Code> {
        check(skill, caller).err().map(|error| error.code())
    }

    #[test]
    fn one_requirement_that_is_met_is_enough() {
        let nobody = Caller::anonymous();
        let reader = Caller::known("a").with_scopes(["read"]);
        let writer = Caller::known("b").with_scopes(["read", "write"]);
        let free = skill(&[]);
        let optional = skill(&[&[("oauth", &["write"])], &[]]);
        for caller in [&nobody, &reader, &writer] {
            assert_eq!(code(&free, caller), None);
            assert_eq!(code(&optional, caller), None);
        }
        let write = skill(&[&[("oauth", &["read", "write"])]]);
        assert_eq!(code(&write, &nobody), Some(Code::Unauthenticated));
        assert_eq!(code(&write, &reader), Some(Code::PermissionDenied));
        assert_eq!(code(&write, &writer), None);
        let either = skill(&[&[("oauth", &["write"])], &[("key", &[])]]);
        assert_eq!(code(&either, &reader), None);
        let error = check(&write, &reader).unwrap_err();
        assert!(
            error.message().ends_with("lack the scopes write"),
            "{error}"
        );
    }
}
