//! The security schemes of a card, by name.
//!
//! Comes in: the map of one version. Goes out: that of the other one, without the schemes that the
//! other version cannot say; [`security_requirements`](super::security_requirements) then leave out
//! what refers to them. A scheme without content would ask for no credentials at all.

use std::collections::BTreeMap;

use crate::adapt::{Adapter, Down, Refused, Up};
use crate::{v0_3, v1_0};

use v1_0::o_auth_flows::Flow;
use v1_0::security_scheme::Scheme;

/// Schemes that say nothing; OAuth flows that v0.3 does not have.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &["U9", "D5", "D10"];

/// Schemes of v1.0.
///
/// # Errors
/// In a strict conversion, when a scheme has no form in v1.0.
pub(crate) fn up(
    schemes: BTreeMap<String, v0_3::SecurityScheme>,
    adapter: &Adapter,
) -> Result<BTreeMap<String, v1_0::SecurityScheme>, Refused> {
    kept(schemes, "U9", adapter, Up::up)
}

/// Schemes of v0.3.
///
/// # Errors
/// In a strict conversion, when a scheme has no form in v0.3.
pub(crate) fn down(
    schemes: &BTreeMap<String, v1_0::SecurityScheme>,
    adapter: &Adapter,
) -> Result<BTreeMap<String, v0_3::SecurityScheme>, Refused> {
    let schemes = without_device_codes(schemes, adapter)?;
    kept(schemes, "D10", adapter, Down::down)
}

fn kept<A, B>(
    schemes: BTreeMap<String, A>,
    id: &'static str,
    adapter: &Adapter,
    convert: impl Fn(A, &Adapter) -> Result<B, Refused>,
) -> Result<BTreeMap<String, B>, Refused> {
    let mut converted = BTreeMap::new();
    for (name, scheme) in schemes {
        let result = adapter.entry(&name, |adapter| match convert(scheme, adapter) {
            Ok(scheme) => Ok(Some(scheme)),
            Err(_) if adapter.options().tolerant => {
                adapter.loss(id, "a scheme that the other version cannot say is left out");
                Ok(None)
            }
            Err(refused) => Err(refused),
        })?;
        match result {
            Some(scheme) => {
                converted.insert(name, scheme);
            }
            None => adapter.leave_out(name),
        }
    }
    Ok(converted)
}

/// The schemes without those whose only flow v0.3 does not have: without it they would be a way in
/// that nobody can go.
fn without_device_codes(
    schemes: &BTreeMap<String, v1_0::SecurityScheme>,
    adapter: &Adapter,
) -> Result<BTreeMap<String, v1_0::SecurityScheme>, Refused> {
    let mut kept = BTreeMap::new();
    for (name, scheme) in schemes {
        if has_device_code(scheme) {
            adapter.entry(name, |adapter| {
                adapter.loss("D5", "v0.3 does not know the device code flow of OAuth");
                Ok(())
            })?;
            adapter.leave_out(name.clone());
        } else {
            kept.insert(name.clone(), scheme.clone());
        }
    }
    Ok(kept)
}

/// True for OAuth with the flow that v0.3 does not have.
pub(crate) fn has_device_code(scheme: &v1_0::SecurityScheme) -> bool {
    let Some(Scheme::Oauth2SecurityScheme(scheme)) = &scheme.scheme else {
        return false;
    };
    let flow = scheme.flows.as_ref().and_then(|flows| flows.flow.as_ref());
    matches!(flow, Some(Flow::DeviceCode(_)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::WireMessage;
    use crate::adapt::{self, Options};

    fn read<M: WireMessage>(json: &Value) -> M {
        M::read_json(json.to_string().as_bytes()).unwrap()
    }

    fn told(losses: &[adapt::Loss]) -> Vec<String> {
        losses
            .iter()
            .map(|loss| format!("{} {}", loss.id, loss.path))
            .collect()
    }

    fn strict() -> Options {
        Options {
            tolerant: false,
            ..Options::default()
        }
    }

    fn newer(schemes: &Value) -> v1_0::AgentCard {
        read(&json!({
            "name": "n",
            "supportedInterfaces": [{"url": "u", "protocolBinding": "GRPC", "protocolVersion": "0.3"}],
            "securitySchemes": schemes,
            "securityRequirements": [
                {"schemes": {"device": {"list": ["s"]}}},
                {"schemes": {"device": {}, "key": {}}},
                {"schemes": {"key": {}}},
                {"schemes": {}},
            ],
            "skills": [{"id": "s", "securityRequirements": [
                {"schemes": {"key": {}}}, {"schemes": {"device": {}}},
            ]}],
        }))
    }

    #[test]
    fn what_v0_3_cannot_say_goes_with_all_that_names_it() {
        let device = json!({"oauth2SecurityScheme": {"flows": {"deviceCode": {"tokenUrl": "t"}}}});
        let key = json!({"apiKeySecurityScheme": {"location": "header", "name": "X"}});
        for (scheme, loss) in [(device, "D5"), (json!({}), "D10")] {
            let card = newer(&json!({"device": scheme, "key": key}));
            let (card, losses) =
                adapt::down::<_, v0_3::AgentCard>(card, &Options::default()).unwrap();
            assert_eq!(told(&losses), [format!("{loss} securitySchemes.device")]);
            assert_eq!(card.security_schemes.keys().collect::<Vec<_>>(), ["key"]);
            let expected: Vec<v0_3::Security> = vec![
                read(&json!({"schemes": {"key": {}}})),
                read(&json!({"schemes": {}})),
            ];
            assert_eq!(card.security, expected);
            assert_eq!(card.skills[0].security, expected[..1]);
        }
    }

    #[test]
    fn a_scheme_without_content_is_never_written() {
        let card = newer(&json!({"device": {}}));
        let refused = adapt::down::<_, v0_3::AgentCard>(card, &strict()).unwrap_err();
        assert_eq!(refused.path, "securitySchemes.device");

        let card: v0_3::AgentCard = read(&json!({
            "url": "u",
            "securitySchemes": {"empty": {}},
            "security": [{"schemes": {"empty": {}}}],
        }));
        let refused = adapt::up::<_, v1_0::AgentCard>(card.clone(), &strict()).unwrap_err();
        assert_eq!(refused.path, "securitySchemes.empty");
        let (card, losses) = adapt::up::<_, v1_0::AgentCard>(card, &Options::default()).unwrap();
        assert_eq!(told(&losses), ["U9 securitySchemes.empty"]);
        assert!(card.security_schemes.is_empty());

        let alone = v1_0::SecurityScheme::default();
        assert!(adapt::down::<_, v0_3::SecurityScheme>(alone, &Options::default()).is_err());
    }

    #[test]
    fn a_card_that_asks_for_something_never_comes_to_ask_for_nothing() {
        let requirements =
            json!([{"schemes": {"empty": {}}}, {"schemes": {"empty": {}, "key": {}}}]);
        let key = json!({"apiKeySecurityScheme": {"location": "header", "name": "X"}});
        let schemes = json!({"empty": {}, "key": key});

        let card: v0_3::AgentCard = read(&json!({
            "url": "u", "securitySchemes": schemes, "security": requirements,
            "skills": [{"id": "s", "security": requirements}],
        }));
        let (card, losses) = adapt::up::<_, v1_0::AgentCard>(card, &Options::default()).unwrap();
        assert_eq!(told(&losses), ["U9 securitySchemes.empty"]);
        let expected: Vec<v1_0::SecurityRequirement> =
            requirements.as_array().unwrap().iter().map(read).collect();
        assert_eq!(card.security_requirements, expected);
        assert_eq!(card.skills[0].security_requirements, expected);

        let mut card = newer(&schemes);
        card.security_requirements = expected.clone();
        card.skills[0].security_requirements = expected;
        let (card, _) = adapt::down::<_, v0_3::AgentCard>(card, &Options::default()).unwrap();
        let expected: Vec<v0_3::Security> =
            requirements.as_array().unwrap().iter().map(read).collect();
        assert_eq!(card.security, expected);
        assert_eq!(card.skills[0].security, expected);
    }

    #[test]
    fn requirements_that_name_unknown_schemes_stay() {
        let card = newer(&json!({}));
        let (card, losses) = adapt::down::<_, v0_3::AgentCard>(card, &Options::default()).unwrap();
        assert_eq!(card.security.len(), 4);
        assert!(losses.is_empty());
    }
}
