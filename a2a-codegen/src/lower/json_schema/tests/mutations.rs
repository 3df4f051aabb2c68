//! Schemas that nobody would write: whatever they are, they lower or they are refused.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{faults_of, lower};

const SEED: &str = r##"{ "$schema": "http://json-schema.org/draft-07/schema#", "definitions": {
  "A": { "type": "object", "required": ["kind", "b"], "properties": { "kind": { "const": "a" },
    "b": { "$ref": "#/definitions/B" }, "list": { "type": "array", "items": { "$ref": "#/definitions/U" } },
    "map": { "additionalProperties": { "type": "array", "items": { "type": "string" } }, "type": "object" } } },
  "B": { "allOf": [{ "$ref": "#/definitions/Base" }, { "properties": { "kind": { "const": "b" }, "free": {} } }] },
  "Base": { "properties": { "kind": { "type": "string" }, "mode": { "enum": ["x", "y"] }, "n": { "type": ["integer", "null"] } } },
  "U": { "anyOf": [{ "$ref": "#/definitions/A" }, { "$ref": "#/definitions/B" }] },
  "Alias": { "$ref": "#/definitions/U" },
  "GetRequest": { "properties": { "jsonrpc": { "const": "2.0" }, "method": { "const": "get" }, "params": { "$ref": "#/definitions/A" } } },
  "GetResponse": { "properties": { "jsonrpc": { "const": "2.0" }, "result": { "$ref": "#/definitions/Alias" } } }
} }"##;

/// Words that mean something in a schema.
const WORDS: &[&str] = &[
    "A",
    "B",
    "Base",
    "U",
    "Alias",
    "GetRequest",
    "GetResponse",
    "kind",
    "type",
    "anyOf",
    "allOf",
    "oneOf",
    "const",
    "enum",
    "items",
    "properties",
    "required",
    "$ref",
    "additionalProperties",
    "object",
    "array",
    "string",
    "null",
    "jsonrpc",
    "method",
    "result",
    "params",
    "definitions",
    "error",
];

#[test]
fn the_seed_is_right() {
    lower(SEED).expect("the seed lowers");
}

#[test]
fn a_text_that_ends_anywhere_is_refused() {
    for (end, _) in SEED.char_indices() {
        let text = SEED.get(..end).expect("a boundary");
        assert!(lower(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn words_in_the_wrong_place_never_panic(swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6)) {
        let mut pieces: Vec<String> = SEED.split_inclusive('"').map(str::to_owned).collect();
        for (at, word) in swaps {
            let at = at.index(pieces.len());
            pieces[at] = format!("{}\"", word.get(WORDS));
        }
        let _ = lower(&pieces.concat());
    }

    #[test]
    fn garbled_texts_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<char>(), 0_usize..12), 1..4)) {
        let mut characters: Vec<char> = SEED.chars().collect();
        for (at, character, cut) in edits {
            let at = at.index(characters.len());
            let end = (at + cut).min(characters.len());
            characters.splice(at..end, [character]);
        }
        let _ = lower(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn any_definitions_lower_or_are_refused(definitions in prop::collection::vec(any_schema(), 1..8)) {
        let mut text = String::new();
        for (index, schema) in definitions.iter().enumerate() {
            write!(text, "{}\"D{index}\":{schema}", if index > 0 { "," } else { "" }).expect("a text takes all");
        }
        if let Ok(api) = lower(&format!("{{\"definitions\":{{{text}}}}}")) {
            for union in api.unions.values() {
                for variant in &union.variants {
                    prop_assert!(api.messages.contains_key(&variant.message), "{}", variant.message);
                    prop_assert_eq!(variant.tag_value.is_some(), union.tag.is_some());
                }
            }
            for field in api.messages.values().flat_map(|message| &message.fields) {
                use crate::model::Type;
                prop_assert!(match &field.ty {
                    Type::Message(name) => api.messages.contains_key(name),
                    Type::Enum(name) => api.enums.contains_key(name),
                    Type::Union(name) => api.unions.contains_key(name),
                    Type::Scalar(_) | Type::WellKnown(_) => true,
                }, "{:?}", field.ty);
            }
        }
    }
}

/// The text of some schema that refers to `D0` to `D8`.
fn any_schema() -> impl Strategy<Value = String> {
    let reference = (0..9).prop_map(|n| format!(r##"{{"$ref":"#/definitions/D{n}"}}"##));
    let leaf = prop_oneof![
        4 => reference,
        1 => Just("{}".to_owned()),
        1 => Just(r#"{"type":"string"}"#.to_owned()),
        1 => Just(r#"{"type":["integer","null"]}"#.to_owned()),
        1 => Just(r#"{"const":"c"}"#.to_owned()),
        1 => Just(r#"{"enum":["a","b"]}"#.to_owned()),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4).prop_map(|list| list.join(","));
        prop_oneof![
            several
                .clone()
                .prop_map(|list| format!(r#"{{"anyOf":[{list}]}}"#)),
            several.prop_map(|list| format!(r#"{{"allOf":[{list}]}}"#)),
            inner
                .clone()
                .prop_map(|one| format!(r#"{{"items":{one}}}"#)),
            inner
                .clone()
                .prop_map(|one| format!(r#"{{"additionalProperties":{one}}}"#)),
            (inner.clone(), inner).prop_map(|(one, two)| {
                format!(r#"{{"properties":{{"jsonrpc":{one},"kind":{two}}},"required":["kind"]}}"#)
            }),
        ]
    })
}

/// References that double at each step end in a fault, not in the end of the memory.
#[test]
fn references_that_multiply_are_bounded() {
    let mut text = String::from(r#""D0":{"properties":{"p":{}}}"#);
    for n in 1..60 {
        let below = n - 1;
        write!(
            text,
            r##","D{n}":{{"allOf":[{{"$ref":"#/definitions/D{below}"}},{{"$ref":"#/definitions/D{below}"}},{{"properties":{{"p{n}":{{}}}}}}]}}"##
        )
        .expect("a text takes all");
    }
    let api = lower(&format!("{{\"definitions\":{{{text}}}}}")).expect("it lowers");
    assert_eq!(api.messages["D59"].fields.len(), 60);

    let many: Vec<String> = (0..700).map(|n| format!("\"p{n}\":{{}}")).collect();
    let mut text = format!("\"Base\":{{\"properties\":{{{}}}}}", many.join(","));
    for n in 0..700 {
        write!(text, r##","D{n}":{{"allOf":[{{"$ref":"#/definitions/Base"}},{{"properties":{{"q":{{}}}}}}]}}"##)
            .expect("a text takes all");
    }
    assert!(faults_of(&text).contains("more than 100000 parts"));
}

#[test]
fn long_chains_of_references_are_refused() {
    let mut text = String::from(r#""D0":{"type":"string"}"#);
    for n in 1..1000 {
        write!(text, r##","D{n}":{{"$ref":"#/definitions/D{}"}}"##, n - 1)
            .expect("a text takes all");
    }
    assert!(faults_of(&text).contains("through more than 64 schemas"));
    let mut text = String::from(r#""D0":{"properties":{}},"E":{"properties":{}}"#);
    for n in 1..1000 {
        write!(text, r##","D{n}":{{"anyOf":[{{"$ref":"#/definitions/D{}"}},{{"$ref":"#/definitions/E"}}]}}"##, n - 1)
            .expect("a text takes all");
    }
    assert!(faults_of(&text).contains("too deep"));
}
