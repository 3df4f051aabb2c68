//! The schemas whose generated code is driven.
//!
//! Comes in: descriptor sets and proto texts from the build script. Goes out: message types by
//! name, for the comparison, and the texts, to notice a case file that was written for others.

use std::collections::BTreeMap;

use prost_reflect::{DescriptorPool, FieldDescriptor, MessageDescriptor, Value};

/// The schemas by the keys that case files name them with.
#[derive(Debug)]
pub struct Schemas(BTreeMap<&'static str, Schema>);

/// One schema.
#[derive(Debug)]
pub struct Schema {
    pool: DescriptorPool,
    text: Option<&'static str>,
}

impl Schemas {
    /// The schemas that were compiled in.
    ///
    /// # Errors
    /// When the build script left no descriptor set.
    pub fn compiled_in() -> Result<Self, String> {
        let mut schemas = BTreeMap::new();
        let sets: [(&str, &[u8], Option<&str>); 4] = [
            (
                "a2a-v1",
                include_bytes!(concat!(env!("OUT_DIR"), "/a2a-v1.bin")),
                None,
            ),
            (
                "a2a-v0.3",
                include_bytes!(concat!(env!("OUT_DIR"), "/a2a-v0.3.bin")),
                None,
            ),
            (
                "lib",
                include_bytes!(concat!(env!("OUT_DIR"), "/lib.bin")),
                Some(include_str!(concat!(env!("OUT_DIR"), "/lib.proto"))),
            ),
            (
                "scalars",
                include_bytes!(concat!(env!("OUT_DIR"), "/scalars.bin")),
                Some(include_str!(concat!(env!("OUT_DIR"), "/scalars.proto"))),
            ),
        ];
        for (key, set, text) in sets {
            let pool = DescriptorPool::decode(set)
                .map_err(|error| format!("descriptor set of {key}: {error}"))?;
            schemas.insert(key, Schema { pool, text });
        }
        Ok(Self(schemas))
    }

    /// The schema of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Schema> {
        self.0.get(key)
    }

    /// A message type of any schema by its full name.
    ///
    /// # Errors
    /// When there is none.
    pub fn message(&self, name: &str) -> Result<MessageDescriptor, String> {
        self.0
            .values()
            .find_map(|schema| schema.pool.get_message_by_name(name))
            .ok_or_else(|| format!("no schema has a message {name}"))
    }

    /// What is wrong with the proto texts of a case file, by key: only code of the texts that were
    /// compiled in can be driven. Spaces and line breaks do not count.
    #[must_use]
    pub fn departures(&self, protos: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut found = BTreeMap::new();
        for (key, text) in protos {
            let Some(compiled) = self.get(key).and_then(|schema| schema.text) else {
                continue;
            };
            let (file, compiled) = (words(text), words(compiled));
            if file != compiled {
                let at = file
                    .iter()
                    .zip(&compiled)
                    .take_while(|(a, b)| a == b)
                    .count();
                let near = |words: &[String]| {
                    words[at.saturating_sub(3).min(words.len())..words.len().min(at + 5)].join(" ")
                };
                found.insert(
                    key.clone(),
                    format!(
                        "the file's proto `{key}` differs from the one that was compiled in from tests/cases/data/transcoding.json, \
                         first here: … {} … instead of … {} …; put the text there and build again",
                        near(&file),
                        near(&compiled)
                    ),
                );
            }
        }
        found
    }
}

impl Schema {
    /// A message type by its full name.
    ///
    /// # Errors
    /// When there is none.
    pub fn message(&self, name: &str) -> Result<MessageDescriptor, String> {
        self.pool
            .get_message_by_name(name)
            .ok_or_else(|| format!("the schema has no message {name}"))
    }
}

/// Whether a field is marked `REQUIRED` by `google.api.field_behavior`.
#[must_use]
pub fn required(field: &FieldDescriptor) -> bool {
    const REQUIRED: i32 = 2;
    let Some(behavior) = field
        .parent_pool()
        .get_extension_by_name("google.api.field_behavior")
    else {
        return false;
    };
    match field.options().get_extension(&behavior).as_ref() {
        Value::List(values) => values
            .iter()
            .any(|value| value.as_enum_number() == Some(REQUIRED)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_marks_are_seen() {
        let schemas = Schemas::compiled_in().unwrap();
        let message = schemas
            .get("a2a-v1")
            .unwrap()
            .message("lf.a2a.v1.Message")
            .unwrap();
        let marked: Vec<_> = message
            .fields()
            .filter(required)
            .map(|field| field.name().to_owned())
            .collect();
        assert_eq!(marked, ["message_id", "role", "parts"]);
    }

    #[test]
    fn another_proto_is_noticed_and_another_layout_is_not() {
        let schemas = Schemas::compiled_in().unwrap();
        let text = schemas.get("lib").unwrap().text.unwrap();
        let protos = |text: String| {
            BTreeMap::from([
                ("lib".to_owned(), text),
                ("a2a-v1".to_owned(), "a sentence".to_owned()),
            ])
        };
        assert!(
            schemas
                .departures(&protos(text.replace('\n', "\n  ")))
                .is_empty()
        );
        let found = schemas.departures(&protos(text.replace("int32 rev = 2", "int64 rev = 2")));
        assert!(found["lib"].contains("int64 rev = 2"), "{found:?}");
        let shorter = schemas.departures(&protos("syntax".to_owned()));
        assert!(shorter["lib"].contains("differs"), "{shorter:?}");
    }
}
