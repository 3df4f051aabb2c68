//! The JSON schema of v0.3.
//!
//! Comes in: a name and a JSON value. Goes out: what of the value the schema does not allow.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

/// What [`Definitions`] are made of.
const SCHEMA: &str = include_str!("../../../../proto/a2a/v0.3/a2a.schema.json");

/// Names that are no definitions of the schema, but what answers of several kinds may be.
const UNIONS: &[(&str, &[&str])] = &[
    ("SendMessageResult", &["Task", "Message"]),
    (
        "StreamEvent",
        &[
            "Task",
            "Message",
            "TaskStatusUpdateEvent",
            "TaskArtifactUpdateEvent",
        ],
    ),
];

/// A bare list.
const LIST: &str = "TaskPushNotificationConfig[]";

/// The definitions, each as a validator of its own.
#[derive(Debug)]
pub struct Definitions(BTreeMap<String, Validator>);

impl Definitions {
    /// The definitions of this repository.
    ///
    /// # Errors
    /// A sentence, when they are no JSON schema.
    pub fn new() -> Result<Self, String> {
        let schema: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
        let definitions = &schema["definitions"];
        let reference = |name: &str| json!({"$ref": format!("#/definitions/{name}")});
        let names = definitions
            .as_object()
            .ok_or("the schema has no definitions")?;
        let mut roots: BTreeMap<String, Value> = names
            .keys()
            .map(|name| (name.clone(), reference(name)))
            .collect();
        for (name, members) in UNIONS {
            let members: Vec<Value> = members.iter().map(|name| reference(name)).collect();
            roots.insert((*name).to_owned(), json!({ "anyOf": members }));
        }
        let item = reference("TaskPushNotificationConfig");
        roots.insert(LIST.to_owned(), json!({"type": "array", "items": item}));
        let mut found = BTreeMap::new();
        for (name, mut root) in roots {
            root["definitions"] = definitions.clone();
            root["$schema"] = schema["$schema"].clone();
            let validator = jsonschema::draft7::new(&root)
                .map_err(|error| format!("{name} is no JSON schema: {error}"))?;
            found.insert(name, validator);
        }
        Ok(Self(found))
    }

    /// What a value has that its definition does not allow, or lacks. A name that is empty allows
    /// everything.
    ///
    /// # Errors
    /// When there is no such definition.
    pub fn faults(&self, name: &str, value: &Value) -> Result<Vec<String>, String> {
        if name.is_empty() {
            return Ok(Vec::new());
        }
        let validator = self
            .0
            .get(name)
            .ok_or_else(|| format!("the JSON schema of v0.3 has no definition {name}"))?;
        Ok(validator
            .iter_errors(value)
            .map(|error| format!("{} {error}", error.instance_path()))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_valid_passes_and_what_is_not_is_told() {
        let definitions = Definitions::new().unwrap();
        let faults = |name: &str, value: Value| definitions.faults(name, &value).unwrap();
        let task =
            json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "working"}});
        assert_eq!(faults("Task", task.clone()), Vec::<String>::new());
        assert_eq!(faults("StreamEvent", task.clone()), Vec::<String>::new());
        assert!(!faults("Message", task.clone()).is_empty());
        let mut wrong = task;
        wrong["status"]["state"] = json!("TASK_STATE_WORKING");
        let faults = faults("Task", wrong);
        assert!(faults[0].contains("/status/state"), "{faults:?}");
        assert!(definitions.faults("Tusk", &json!({})).is_err());
    }
}
