//! JSON Schemas of what skills take and give, and how they stand in the card.
//!
//! Comes in: types, by way of schemars. Goes out: schemas, and the extension of the card that
//! publishes them (`docs/skill-schemas.md`).

use a2a_wire::types::Struct;
use a2a_wire::v1_0::AgentExtension;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::Skill;
use super::failure::FailureReason;
use crate::contract::SKILL_SCHEMAS_URI;

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

/// The extension for the card of an agent with these skills; `None` when none of them has anything
/// to publish.
pub(super) fn extension<'a, A: 'a>(
    skills: impl Iterator<Item = &'a Skill<A>>,
) -> Option<AgentExtension> {
    let published: Map<String, Value> = skills
        .filter_map(|skill| Some((skill.id().to_owned(), contract(skill)?)))
        .collect();
    if published.is_empty() {
        return None;
    }
    Some(
        AgentExtension::new()
            .with_uri(SKILL_SCHEMAS_URI)
            .with_description("JSON Schemas of what each skill takes and gives, and the reasons for which it fails")
            .with_params(Struct::from([("skills", published)])),
    )
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
