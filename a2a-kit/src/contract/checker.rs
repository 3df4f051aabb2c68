//! Values against JSON Schemas, with the feature `contracts`.
//!
//! Comes in: a schema, which may be a peer's, and a value. Goes out: the first fault, with its path.
//! Nothing is fetched for a schema, its patterns take linear time, and of a value that is wrong
//! nothing is repeated.

use a2a_wire::__codegen::Violation;
use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use serde_json::Value;

use crate::error::{SHOWN, cut};

/// How big a pattern may be, compiled.
const PATTERN_BYTES: usize = 1 << 20;

/// A schema that values are held against.
#[derive(Debug)]
pub(crate) struct Checker(Validator);

impl Checker {
    /// # Errors
    /// What is wrong with the schema.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES);
        let validator = jsonschema::options()
            .with_retriever(Nowhere)
            .with_pattern_options(patterns)
            .build(schema);
        validator.map(Self).map_err(|error| error.to_string())
    }

    /// Holds a value against the schema; `at` is the path of the value.
    pub(crate) fn check(&self, at: &str, value: &Value) -> Result<(), Violation> {
        self.0.validate(value).map_err(|error| {
            let mut field = at.to_owned();
            for step in error.instance_path() {
                match step {
                    LocationSegment::Property(name) => {
                        field.push('.');
                        field.push_str(&name);
                    }
                    LocationSegment::Index(index) => field.push_str(&format!("[{index}]")),
                }
            }
            // Names of members are the peer's, too.
            Violation {
                field: cut(&field, SHOWN).to_owned(),
                description: cut(&error.masked().to_string(), SHOWN).to_owned(),
            }
        })
    }
}

/// A schema is all there is to it.
struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} is elsewhere; a schema has to be complete in itself").into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(schema: &Value, value: &Value) -> Option<(String, String)> {
        let checker = Checker::new(schema).unwrap();
        let violation = checker.check("data", value).err()?;
        Some((violation.field, violation.description))
    }

    #[test]
    fn a_fault_has_its_path_and_does_not_repeat_the_value() {
        let schema =
            json!({"properties": {"items": {"items": {"properties": {"risk": {"maximum": 10}}}}}});
        let fits = json!({"items": [{"risk": 1}, {"risk": 10}]});
        assert_eq!(fault(&schema, &fits), None);
        let (field, words) = fault(&schema, &json!({"items": [{}, {"risk": 4711}]})).unwrap();
        assert_eq!(field, "data.items[1].risk");
        assert!(words.contains("10") && !words.contains("4711"), "{words}");
    }

    #[test]
    fn names_of_members_are_not_repeated_at_any_length() {
        let name = "x".repeat(1 << 20);
        for schema in [
            json!({"additionalProperties": {"type": "null"}}),
            json!({"additionalProperties": false}),
        ] {
            let (field, words) = fault(&schema, &json!({ name.as_str(): 1 })).unwrap();
            assert!(field.len() <= SHOWN && words.len() <= SHOWN, "{schema}");
        }
    }

    #[test]
    fn nothing_is_fetched_for_a_schema() {
        for address in ["http://127.0.0.1:1/schema", "file:///etc/passwd"] {
            let error = Checker::new(&json!({"$ref": address})).unwrap_err();
            assert!(error.contains(address), "{error}");
        }
    }

    #[test]
    fn patterns_take_linear_time_or_are_refused() {
        let slow = json!({"pattern": "^(a+)+$"});
        assert!(fault(&slow, &json!("a".repeat(100_000) + "!")).is_some());
        assert!(Checker::new(&json!({"pattern": r"(a)\1"})).is_err());
        assert!(Checker::new(&json!({"pattern": "((a{1000}){1000}){1000}"})).is_err());
    }
}
