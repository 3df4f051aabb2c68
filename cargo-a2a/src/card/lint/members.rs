//! The members of a card, against the schemas.
//!
//! Comes in: a card as JSON. Goes out: members that must be there and are not, and members that no
//! version knows.

use std::collections::BTreeSet;

use a2a_codegen::model::{Api, Cardinality, Field, Message, Type};
use serde_json::{Map, Value};

use super::{Findings, Rule};
use crate::exit::Failure;
use crate::version::Loaded;

const REQUIRED: Rule = Rule::fault("required", "4.4, 5.7");
const REQUIRED_OLD: Rule = Rule::fault("required", "0.3: 5.5");
const UNKNOWN: Rule = Rule::warning("unknown-member", "5.5, 5.7");

/// How deep a card is looked into; deeper than any schema goes, but for free data.
const DEEPEST: usize = 12;

pub(super) fn check(
    card: &Map<String, Value>,
    old: bool,
    new: bool,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let new_version = Loaded::read("1.0", &[])?;
    let old_version = Loaded::read("0.3", &[])?;
    let schema = old_version.schema.as_ref();
    let both = old && new;
    if new || !old {
        let api = &new_version.api;
        let package = api.services.first().map_or("", |service| &service.package);
        let walk = Walk {
            api,
            required: REQUIRED,
            // What one version does not know may be the other's.
            unknown: !both,
        };
        walk.object(&format!("{package}.AgentCard"), card, "", 0, findings);
    }
    if let (true, Some(api)) = (old, schema) {
        let walk = Walk {
            api,
            required: REQUIRED_OLD,
            unknown: !both,
        };
        walk.object("AgentCard", card, "", 0, findings);
    }
    if both {
        let names: BTreeSet<&str> = [(Some(&new_version.api), true), (schema, false)]
            .into_iter()
            .filter_map(|(api, new)| {
                let api = api?;
                let package = api.services.first().map_or("", |service| &service.package);
                let name = if new {
                    format!("{package}.AgentCard")
                } else {
                    "AgentCard".to_owned()
                };
                api.messages.get(&name)
            })
            .flat_map(|message| message.fields.iter().flat_map(names_of))
            .collect();
        for name in card.keys().filter(|name| !names.contains(name.as_str())) {
            unknown(name, "", "AgentCard", &names, findings);
        }
    }
    Ok(())
}

fn names_of(field: &Field) -> [&str; 2] {
    [&field.json_name, &field.proto_name]
}

struct Walk<'a> {
    api: &'a Api,
    required: Rule,
    unknown: bool,
}

impl Walk<'_> {
    fn object(
        &self,
        name: &str,
        object: &Map<String, Value>,
        path: &str,
        depth: usize,
        findings: &mut Findings,
    ) {
        let Some(message) = self.api.messages.get(name).filter(|_| depth < DEEPEST) else {
            return;
        };
        self.members(message, object, path, findings);
        for field in &message.fields {
            let Some((name, value)) = member(field, object) else {
                continue;
            };
            let path = below(path, name);
            match (&field.cardinality, value) {
                (Cardinality::Repeated, Value::Array(values)) => {
                    for (index, value) in values.iter().enumerate() {
                        let path = format!("{path}[{index}]");
                        self.value(&field.ty, value, &path, depth + 1, findings);
                    }
                }
                (Cardinality::Map { .. }, Value::Object(values)) => {
                    for (key, value) in values {
                        let path = below(&path, key);
                        self.value(&field.ty, value, &path, depth + 1, findings);
                    }
                }
                (_, value) => self.value(&field.ty, value, &path, depth + 1, findings),
            }
        }
    }

    fn value(&self, ty: &Type, value: &Value, path: &str, depth: usize, findings: &mut Findings) {
        let Value::Object(object) = value else {
            return;
        };
        match ty {
            Type::Message(name) => {
                // A list or map that stands bare.
                let bare = self
                    .api
                    .messages
                    .get(name)
                    .is_some_and(|message| message.bare);
                if !bare {
                    self.object(name, object, path, depth, findings);
                }
            }
            Type::Union(name) => {
                let union = self.api.unions.get(name);
                let tag = union.and_then(|union| union.tag.as_ref());
                let is = tag.and_then(|tag| object.get(tag)).and_then(Value::as_str);
                let variant = union.and_then(|union| {
                    let mut variants = union.variants.iter();
                    variants.find(|variant| variant.tag_value.as_deref() == is)
                });
                if let Some(variant) = variant {
                    self.object(&variant.message, object, path, depth, findings);
                }
            }
            _ => {}
        }
    }

    fn members(
        &self,
        message: &Message,
        object: &Map<String, Value>,
        path: &str,
        findings: &mut Findings,
    ) {
        let what = message.rust_path.last().unwrap_or(&message.proto_name);
        for field in message.fields.iter().filter(|field| field.required) {
            if member(field, object).is_none() {
                findings.add(
                    self.required,
                    below(path, &field.json_name),
                    format!("{what} has no {}", field.json_name),
                    format!("add {}; it is required", field.json_name),
                );
            }
        }
        if !self.unknown {
            return;
        }
        let constants = message.constants.iter().map(|each| each.json_name.as_str());
        let names: BTreeSet<&str> = message
            .fields
            .iter()
            .flat_map(names_of)
            .chain(constants)
            .collect();
        for name in object.keys().filter(|name| !names.contains(name.as_str())) {
            unknown(name, path, what, &names, findings);
        }
    }
}

fn unknown(name: &str, path: &str, what: &str, names: &BTreeSet<&str>, findings: &mut Findings) {
    let near = names.iter().find(|known| is_near(known, name)).map_or_else(
        || "remove it, or put it into an extension; readers skip it".to_owned(),
        |known| format!("did you mean {known}?"),
    );
    findings.add(
        UNKNOWN,
        below(path, name),
        format!("{what} has no such member"),
        near,
    );
}

/// A value that is there: not `null`, which is absence.
fn member<'a>(field: &Field, object: &'a Map<String, Value>) -> Option<(&'a str, &'a Value)> {
    names_of(field).into_iter().find_map(|name| {
        let (name, value) = object.get_key_value(name)?;
        (!value.is_null()).then_some((name.as_str(), value))
    })
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// True for names that differ in case and separators, in one letter, or in an ending.
fn is_near(known: &str, name: &str) -> bool {
    let plain = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|letter| letter.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .take(64)
            .collect()
    };
    let (known, name) = (plain(known), plain(name));
    let length = known.len().abs_diff(name.len());
    let same = known.iter().zip(&name).take_while(|(a, b)| a == b).count();
    let behind = known
        .iter()
        .rev()
        .zip(name.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    known.len() > 2 && length <= 1 && same + behind + 1 >= known.len().min(name.len())
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn near_names_are_those_of_slips() {
        for (name, near) in [
            ("skill", true),
            ("Skills", true),
            ("skils", true),
            ("skills2", true),
            ("tools", false),
            ("", false),
        ] {
            assert_eq!(is_near("skills", name), near, "{name}");
        }
        assert!(is_near("defaultInputModes", "default_input_modes"));
    }
}
