//! Cards from what skills say.

use a2a_kit::skills::{AgentApp, Description, SKILL_SCHEMAS_URI, card, extended_card};
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentExtension};
use a2a_kit::{A2aService, Binding, CallContext, Caller, ProtocolVersion, card_faults};
use serde_json::{Value, json};

use crate::desk::{agent, book, count, greet, scan, score, sing};

fn published(card: &AgentCard) -> Value {
    let extensions = &card.capabilities.as_ref().unwrap().extensions;
    let own: Vec<_> = extensions
        .iter()
        .filter(|extension| extension.uri == SKILL_SCHEMAS_URI)
        .collect();
    assert!(own.len() < 2);
    own.first().map_or(Value::Null, |extension| {
        assert!(!extension.required);
        extension.params.clone().unwrap()["skills"].clone()
    })
}

fn modes(card: &AgentCard) -> Vec<(&str, Vec<&str>, Vec<&str>)> {
    let texts = |modes: &'_ [String]| -> Vec<&'static str> {
        modes
            .iter()
            .map(|mode| -> &'static str { Box::leak(mode.clone().into_boxed_str()) })
            .collect()
    };
    let skills = card.skills.iter().map(|skill| {
        (
            &*skill.id,
            texts(&skill.input_modes),
            texts(&skill.output_modes),
        )
    });
    std::iter::once((
        "",
        texts(&card.default_input_modes),
        texts(&card.default_output_modes),
    ))
    .chain(skills)
    .collect()
}

#[test]
fn media_types_follow_from_types() {
    agent!(Desk: greet(), score(), scan());
    let (text, data, any) = ("text/plain", "application/json", "*/*");
    assert_eq!(
        modes(&card::<Desk>()),
        [
            ("", vec![text, data, any], vec![text, data, any]),
            ("greet", vec![text], vec![text]),
            ("score", vec![data], vec![data]),
            ("scan", vec![any], vec![any]),
        ]
    );
    agent!(Texts: greet(), sing());
    assert_eq!(
        modes(&card::<Texts>()),
        [
            ("", vec![text], vec![text]),
            ("greet", vec![], vec![]),
            ("sing", vec![], vec![])
        ]
    );
}

#[test]
fn media_types_that_are_said_for_all_hold_where_they_fit() {
    agent!(Said, Description::new(AgentCard::new().with_default_input_modes(["text/markdown", "image/png"]).with_default_output_modes(["text/markdown"])) => greet(), score(), scan(), count());
    assert_eq!(
        modes(&card::<Said>()),
        [
            (
                "",
                vec!["text/markdown", "image/png"],
                vec!["text/markdown"]
            ),
            ("greet", vec![], vec![]),
            ("score", vec!["application/json"], vec!["application/json"]),
            ("scan", vec![], vec![]),
            ("count", vec![], vec![]),
        ]
    );
}

#[test]
fn schemas_and_reasons_are_published_by_skill() {
    agent!(Desk: greet(), score(), book());
    let published = published(&card::<Desk>());
    assert_eq!(
        published.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["book", "score"]
    );
    let score = &published["score"];
    assert_eq!(
        score["inputs"][0]["schema"]["required"],
        json!(["region", "employees"])
    );
    assert_eq!(
        score["inputs"][0]["schema"]["properties"]["region"],
        json!({"type": "string"})
    );
    assert_eq!(score["inputs"][0].get("optional"), None);
    assert_eq!(score["output"]["properties"]["risk"]["type"], "integer");
    assert_eq!(
        score["failures"],
        json!([
            {"reason": "UNKNOWN", "description": "No supplier has this name."},
            {"reason": "CLOSED", "description": "The register is closed."},
        ])
    );
    for schema in [&score["inputs"][0]["schema"], &score["output"]] {
        jsonschema::validator_for(schema).unwrap();
    }
    agent!(Texts: greet());
    assert_eq!(
        self::published(&card::<Texts>()),
        Value::Null,
        "there is nothing to publish"
    );
}

#[test]
fn an_extension_that_the_author_declares_is_completed() {
    let declared = || {
        AgentExtension::new()
            .with_uri(SKILL_SCHEMAS_URI)
            .with_description("Mine")
    };
    let capabilities = AgentCapabilities::new().with_extensions([declared()]);
    agent!(Own, Description::new(AgentCard::new().with_capabilities(AgentCapabilities::new()
        .with_extensions([AgentExtension::new().with_uri(SKILL_SCHEMAS_URI).with_description("Mine")]))) => score());
    let card = card::<Own>();
    let extensions = &card.capabilities.as_ref().unwrap().extensions;
    assert_eq!(extensions.len(), capabilities.extensions.len());
    assert_eq!(extensions[0].description, "Mine");
    assert!(published(&card)["score"].is_object());
}

agent!(Club, crate::desk::placed() => greet(), score().extended());

#[tokio::test]
async fn extended_skills_are_in_the_extended_card_only() {
    let public = card::<Club>();
    assert_eq!(public.skills.len(), 1);
    assert_eq!(published(&public), Value::Null);
    assert_eq!(
        public.capabilities.as_ref().unwrap().extended_agent_card,
        Some(true)
    );
    assert_eq!(public.default_input_modes, ["text/plain"]);
    let extended = extended_card::<Club>().unwrap();
    assert_eq!(extended.skills.len(), 2);
    assert!(published(&extended)["score"].is_object());
    agent!(Open: greet());
    assert_eq!(extended_card::<Open>(), None);
    assert_eq!(
        card::<Open>().capabilities.unwrap().extended_agent_card,
        None
    );

    let service = AgentApp::new(Club).into_service().unwrap();
    let member = CallContext::default().with_caller(Caller::known("m"));
    let answer = service
        .get_extended_agent_card(member, Default::default())
        .await
        .unwrap();
    assert_eq!(*answer, extended);
}

#[test]
fn with_interfaces_the_card_has_no_faults() {
    agent!(Placed, Description::new(AgentCard::new().with_name("Desk").with_description("Tests.").with_version("1"))
        .interface(Binding::JsonRpc, ProtocolVersion::V1_0, "https://a.test/rpc", "")
        .interface(Binding::Grpc, ProtocolVersion::V0_3, "a.test:443", "north") => greet(), score(), scan());
    let card = card::<Placed>();
    assert_eq!(card_faults(&card), []);
    let interfaces: Vec<_> = card
        .supported_interfaces
        .iter()
        .map(|it| {
            (
                &*it.protocol_binding,
                &*it.protocol_version,
                &*it.url,
                &*it.tenant,
            )
        })
        .collect();
    assert_eq!(
        interfaces,
        [
            ("JSONRPC", "1.0", "https://a.test/rpc", ""),
            ("GRPC", "0.3", "a.test:443", "north")
        ]
    );
}
