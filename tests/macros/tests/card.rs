//! The card of an agent that says everything, member by member, in the JSON of both versions.

use std::path::Path;

use a2a_kit::v1_0::AgentCard;
use a2a_kit::wire::adapt::Options;
use a2a_kit::wire::v0_3_json;
use macros::full::Everything;
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compares with the golden file of this name, or writes it when `A2A_BLESS` is set.
fn is_golden(name: &str, card: &Value) {
    let path = root().join("golden").join(name);
    let text = serde_json::to_string_pretty(card).expect("it is JSON") + "\n";
    if std::env::var_os("A2A_BLESS").is_some() {
        std::fs::write(&path, text).expect("it is written");
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == golden,
        "{name} differs; with A2A_BLESS=1 it becomes\n{text}"
    );
}

#[test]
fn the_card_of_1_0_is_the_golden_one_and_is_read_back_whole() {
    let card = Everything::card();
    let json = serde_json::to_value(&card).expect("it is JSON");
    is_golden("everything-1.0.json", &json);
    let read: AgentCard = serde_json::from_value(json).expect("it is a card");
    assert_eq!(read, card);
}

#[test]
fn the_card_of_0_3_is_the_golden_one_and_fits_the_schema() {
    let mut text = Vec::new();
    let losses = v0_3_json::write::<v0_3_json::AgentCard>(
        &Everything::card(),
        &Options::default(),
        &mut text,
    );
    let losses = losses.expect("it has a form in 0.3");
    let card: Value = serde_json::from_slice(&text).expect("it is JSON");
    is_golden("everything-0.3.json", &card);
    let lost: Vec<_> = losses.iter().map(|loss| loss.path.as_str()).collect();
    is_golden("everything-0.3-losses.json", &json!(lost));

    let schema = root().join("../../proto/a2a/v0.3/a2a.schema.json");
    let schema = std::fs::read(schema).expect("the schema is there");
    let mut schema: Value = serde_json::from_slice(&schema).expect("it is JSON");
    schema["$ref"] = json!("#/definitions/AgentCard");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let faults: Vec<_> = validator
        .iter_errors(&card)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    // So it does hold something against it.
    assert!(!validator.is_valid(&json!({"name": "Nothing"})));
}
