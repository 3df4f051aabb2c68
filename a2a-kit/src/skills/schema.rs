//! JSON Schemas of what skills take and give, and how they stand in the card.
//!
//! Comes in: types, by way of schemars. Goes out: schemas, and the extension of the card that
//! publishes them (`docs/skill-schemas.md`).

use a2a_wire::v1_0::{AgentCapabilities, AgentExtension};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::Skill;
use super::failure::FailureReason;
use crate::contract::SKILL_SCHEMAS_URI;

const DESCRIPTION: &str =
    "JSON Schemas of what each skill takes and gives, and the reasons for which it fails";

/// The schema of what is read as `T`.
pub(super) fn of_input<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<T>()
}

/// The schema of what is written as `T`.
pub(super) fn of_output<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}

/// Publishes what skills take and give in the card's capabilities. An extension of this URI that the
/// author has declared is completed.
pub(super) fn publish<'a, A: 'a>(
    capabilities: &mut AgentCapabilities,
    skills: impl Iterator<Item = &'a Skill<A>>,
) {
    let published: Map<String, Value> = skills
        .filter_map(|skill| Some((skill.id().to_owned(), contract(skill)?)))
        .collect();
    if published.is_empty() {
        return;
    }
    let extensions = &mut capabilities.extensions;
    let declared = extensions
        .iter()
        .position(|extension| extension.uri == SKILL_SCHEMAS_URI);
    let mut extension = match declared {
        Some(at) => extensions.remove(at),
        None => AgentExtension::new().with_uri(SKILL_SCHEMAS_URI),
    };
    if extension.description.is_empty() {
        extension.description = DESCRIPTION.to_owned();
    }
    let params = extension.params.get_or_insert_default();
    params.insert("skills".to_owned(), published.into());
    extensions.push(extension);
}

fn contract<A>(skill: &Skill<A>) -> Option<Value> {
    let inputs: Vec<Value> = skill
        .wants
        .data_schemas
        .iter()
        .map(|data| {
            let mut input = json!({ "schema": (data.schema)() });
            if data.is_optional {
                input["optional"] = true.into();
            }
            input
        })
        .collect();
    let reasons: Vec<Value> = skill
        .gives
        .reasons
        .iter()
        .map(|FailureReason { name, description }| json!({"reason": name, "description": description}))
        .collect();
    let mut contract = Map::new();
    if !inputs.is_empty() {
        contract.insert("inputs".into(), inputs.into());
    }
    if let Some(output) = skill.gives.schema {
        contract.insert("output".into(), output().into());
    }
    if !reasons.is_empty() {
        contract.insert("failures".into(), reasons.into());
    }
    (!contract.is_empty()).then(|| contract.into())
}
