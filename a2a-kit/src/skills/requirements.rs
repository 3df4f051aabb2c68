//! Whether a caller has what a skill asks for beyond what the agent does.
//!
//! Comes in: the security requirements of a skill, and the caller as the authentication of the
//! agent has found them out. Goes out: leave to go on, or why not. Credentials are no longer there
//! to be looked at; what they have proven is: who it is, which schemes were shown, and the scopes.

use a2a_wire::v1_0::{AgentSkill, SecurityRequirement};

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
    let shown = requirements
        .iter()
        .filter(|wanted| wanted.schemes.keys().all(|scheme| caller.has_shown(scheme)));
    let lacks = shown.map(|wanted| {
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
        Some(_) => Ok(()),
        None => Err(Error::new(
            Code::Unauthenticated,
            format!(
                "the skill {:?} asks for other credentials: {}; the agent's card says how",
                skill.id,
                schemes(requirements)
            ),
        )
        .with_json_rpc_code(JSON_RPC_CODE)),
    }
}

/// Requirements in words.
fn schemes(requirements: &[SecurityRequirement]) -> String {
    let alternatives = requirements.iter().map(|wanted| {
        let schemes = wanted.schemes.keys().map(String::as_str);
        schemes.collect::<Vec<_>>().join(" and ")
    });
    alternatives.collect::<Vec<_>>().join(", or ")
}

#[cfg(test)]
mod tests {
    use a2a_wire::v1_0::StringList;

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
        // By whom it was made is not known: there are only the scopes to go by.
        let either = skill(&[&[("oauth", &["write"])], &[("key", &[])]]);
        assert_eq!(code(&either, &reader), None);
        // Of those that were shown.
        assert_eq!(code(&either, &reader.clone().shown("key")), None);
        assert_eq!(
            code(&either, &reader.clone().shown("oauth")),
            Some(Code::PermissionDenied)
        );
        assert_eq!(code(&either, &writer.clone().shown("oauth")), None);
        assert_eq!(
            code(&either, &writer.clone().shown("badge")),
            Some(Code::Unauthenticated)
        );
        let error = check(&write, &reader).unwrap_err();
        assert!(
            error.message().ends_with("lack the scopes write"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_skill_asks_for_its_own_schemes_beside_those_of_the_agent() {
        use crate::auth::{ApiKeys, Authentication};
        use crate::v1_0::{AgentCard, ApiKeySecurityScheme, SecurityScheme};

        let mut card = AgentCard::new()
            .with_security_requirements(skill(&[&[("user", &[])]]).security_requirements);
        for name in ["user", "admin"] {
            let key = ApiKeySecurityScheme::new()
                .with_location("header")
                .with_name(name);
            let key = SecurityScheme::new().with_api_key_security_scheme(key);
            card.security_schemes.insert(name.to_owned(), key);
        }
        let authentication = Authentication::for_card(&card)
            .scheme("user", ApiKeys::header("user").key("u", Caller::known("a")))
            .scheme(
                "admin",
                ApiKeys::header("admin").key("s", Caller::known("root").with_scopes(["write"])),
            )
            .build()
            .unwrap();
        let caller = async |headers: &[(&str, &str)]| {
            let mut request = http::Request::new(());
            for (name, value) in headers {
                let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
                request.headers_mut().insert(name, value.parse().unwrap());
            }
            let (mut head, ()) = request.into_parts();
            authentication.authenticate(&mut head).await.unwrap()
        };
        let for_admins = skill(&[&[("admin", &[])]]);
        let for_writers = skill(&[&[("admin", &["write"])]]);
        let user = caller(&[("user", "u")]).await;
        let wrong = caller(&[("user", "u"), ("admin", "guess")]).await;
        let both = caller(&[("user", "u"), ("admin", "s")]).await;
        for skill in [&for_admins, &for_writers] {
            assert_eq!(code(skill, &user), Some(Code::Unauthenticated));
            assert_eq!(code(skill, &wrong), Some(Code::Unauthenticated));
            assert_eq!(code(skill, &both), None);
        }
        assert_eq!(both.id(), Some("a"), "the agent's scheme says who it is");
        let error = check(&for_admins, &user).unwrap_err();
        assert!(
            error.message().contains("other credentials: admin;"),
            "{error}"
        );
    }
}
