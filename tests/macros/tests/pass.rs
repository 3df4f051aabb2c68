//! What comes out of the attributes: cards, and methods that are called.

use a2a_kit::skills::Skills;
use a2a_kit::v1_0::AgentCard;
use macros::{full, places, signatures};

fn ids(card: &AgentCard) -> Vec<&str> {
    card.skills.iter().map(|skill| skill.id.as_str()).collect()
}

#[test]
fn descriptions_come_from_doc_comments() {
    let card = places::Documented::card();
    assert_eq!(
        card.description,
        "Two paragraphs follow. This line belongs to the first.\n\nThis is the second."
    );
    let described = &card.skills[0];
    assert_eq!(described.description, "The first line. The second line.");
    assert_eq!(card.skills[1].description, "Documented by an attribute.");
    assert_eq!(card.version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn what_is_said_goes_before_what_follows() {
    let card = full::Everything::card();
    assert_eq!(card.description, "Says all that can be said.");
    assert_eq!(card.version, "1.2.3");
    let said = &card.skills[0];
    assert_eq!(
        (
            said.id.as_str(),
            said.name.as_str(),
            said.description.as_str()
        ),
        ("say", "Say it", "Says it.")
    );
    assert_eq!(said.input_modes, ["text/plain"]);
    assert_eq!(said.output_modes, ["text/markdown"]);
}

#[test]
fn ids_and_names_follow_from_methods() {
    let card = signatures::Shapes::card();
    assert_eq!(
        ids(&card),
        [
            "nothing",
            "context-last",
            "context-between",
            "patterns",
            "eight",
            "named",
            "fails",
            "name",
            "skills",
            "description",
            "type",
            "skill",
            "turn",
            "answers",
        ]
    );
    assert_eq!(card.skills[1].name, "Context last");
}

#[test]
fn a_skill_that_is_not_compiled_is_not_in_the_card() {
    assert_eq!(
        ids(&places::Conditional::card()),
        ["always", "here", "is-not-never"]
    );
}

#[test]
fn a_skill_for_known_callers_is_not_in_the_public_card() {
    assert_eq!(ids(&full::Everything::card()), ["say", "ping"]);
    assert_eq!(full::Everything::skills().len(), 3);
}

#[test]
fn agents_work_in_every_place() {
    assert_eq!(ids(&places::in_a_function()), ["act"]);
    assert_eq!(places::private_skills(), 1);
    assert_eq!(ids(&places::hidden_card()), ["act"]);
    assert_eq!(ids(&places::bare::Bare::card()), ["act"]);
    assert_eq!(ids(&places::Present::card()), ["act"]);
    let made = places::Made::card();
    assert_eq!(made.description, "Made by a macro.");
    assert_eq!(
        (made.name.as_str(), made.version.as_str()),
        ("Made", "Made")
    );
    assert_eq!(made.skills[0].tags, ["macro", "made"]);
}

#[test]
fn requirements_are_alternatives_of_schemes_that_belong_together() {
    let card = full::Everything::card();
    let names = |requirement: &a2a_kit::v1_0::SecurityRequirement| -> Vec<String> {
        let schemes = requirement.schemes.iter();
        schemes
            .map(|(name, scopes)| format!("{name}: {}", scopes.list.join(" ")))
            .collect()
    };
    let all: Vec<Vec<String>> = card.security_requirements.iter().map(names).collect();
    assert_eq!(
        all,
        [
            vec!["key: "],
            vec!["basic-auth: ", "certificate: "],
            vec!["bearer: ", "code: read write"],
            vec!["device: read", "machine: read"],
            vec!["old_browser: read", "old_password: read"],
        ]
    );
    let said: Vec<Vec<String>> = card.skills[0]
        .security_requirements
        .iter()
        .map(names)
        .collect();
    assert_eq!(said, [vec!["oidc: "], vec!["code: write", "key: "]]);
}

#[test]
fn parameters_of_extensions_are_the_json_that_was_written() {
    let card = full::Everything::card();
    let extensions = card.capabilities.unwrap().extensions;
    let limits = extensions.iter().find(|said| said.uri.ends_with("/limits"));
    let params = limits.unwrap().params.clone().unwrap();
    assert_eq!(
        serde_json::Value::Object(params.0),
        serde_json::json!({
            "pages": 40,
            "debt": -5,
            "least": i64::MIN,
            "most": u64::MAX,
            "ratio": 0.5,
            "cold": -1.5,
            "strict": true,
            "until": null,
            "languages": ["en", ["zh", {}], []],
            "nested": { "a": { "b": "c" } },
        })
    );
}

#[test]
fn reasons_have_names_descriptions_and_words() {
    use a2a_kit::Failure;
    use signatures::CheckError;

    let reasons: Vec<(&str, &str)> = CheckError::REASONS
        .iter()
        .map(|reason| (reason.name, reason.description))
        .collect();
    assert_eq!(
        reasons,
        [
            ("UNKNOWN_SUPPLIER", "No supplier has this name."),
            ("CLOSED", "The register is closed."),
            ("HTTP_GONE", "The HTTP server is gone."),
        ]
    );
    let unknown = CheckError::UnknownSupplier("Star".to_owned());
    assert_eq!(unknown.reason(), Some("UNKNOWN_SUPPLIER"));
    assert_eq!(unknown.into_error().message(), "no supplier is called Star");
    assert_eq!(
        places::bare::Wrong::Some { much: 1 }.into_error().message(),
        "Some, in a struct."
    );
}
