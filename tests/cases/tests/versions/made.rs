//! Values made up from descriptors and from the JSON schema.
//!
//! Comes in: a tape of numbers, which decide. Goes out: JSON of any message, or of any definition.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

/// Numbers that decide what is made; behind its end everything is as simple as it can be.
pub(crate) struct Tape<'a> {
    numbers: std::slice::Iter<'a, u32>,
    has_large_numbers: bool,
}

impl<'a> Tape<'a> {
    pub(crate) fn new(numbers: &'a [u32]) -> Self {
        Self {
            numbers: numbers.iter(),
            has_large_numbers: true,
        }
    }

    /// The same without integers that a double does not hold.
    pub(crate) fn without_large_numbers(mut self) -> Self {
        self.has_large_numbers = false;
        self
    }

    /// One of the numbers below `most`.
    fn below(&mut self, most: usize) -> usize {
        self.numbers
            .next()
            .map_or(0, |number| *number as usize % most)
    }

    fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn is_rare(&mut self) -> bool {
        self.below(6) == 5
    }

    fn text(&mut self) -> String {
        const TEXTS: &[&str] = &[
            "",
            "a",
            "b",
            "c-1",
            "é😀\u{2028}",
            "a/b",
            "tasks/x",
            "{}",
            "\0\"\\",
            "data_part_compat",
        ];
        self.one_of(TEXTS).to_owned()
    }

    fn free(&mut self, depth: usize) -> Value {
        match self.below(if depth > 2 { 7 } else { 9 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => Value::from(self.text()),
            3 => json!(1),
            4 => json!(1.5),
            5 if self.has_large_numbers => json!(9_007_199_254_740_993_i64),
            5 => json!(9_007_199_254_740_992_i64),
            6 => json!({"value": self.below(3)}),
            7 => (0..self.below(3)).map(|_| self.free(depth + 1)).collect(),
            _ => Value::Object(self.members(depth + 1)),
        }
    }

    fn members(&mut self, depth: usize) -> Map<String, Value> {
        const KEYS: &[&str] = &["k", "value", "data_part_compat", "kind", "é"];
        (0..self.below(3))
            .map(|_| (self.one_of(KEYS).to_owned(), self.free(depth)))
            .collect()
    }
}

/// A message of a type, as `ProtoJSON`.
pub(crate) fn message(kind: &MessageDescriptor, tape: &mut Tape<'_>, depth: usize) -> Value {
    match kind.full_name() {
        "google.protobuf.Struct" => return Value::Object(tape.members(0)),
        "google.protobuf.Value" => return tape.free(0),
        "google.protobuf.Timestamp" => {
            let times = ["2030-01-02T03:04:05.000Z", "1969-12-31T23:59:59.000000001Z"];
            return Value::from(tape.one_of(&times));
        }
        _ => {}
    }
    let mut found = Map::new();
    for group in kind.oneofs().filter(|group| !group.is_synthetic()) {
        let fields: Vec<FieldDescriptor> = group.fields().collect();
        // Without anything in it, it seldom has a form in the other version.
        if !tape.is_rare() {
            let field = tape.one_of(&fields);
            found.insert(field.json_name().to_owned(), one(&field, tape, depth));
        }
    }
    for field in kind.fields() {
        let in_group = field
            .containing_oneof()
            .is_some_and(|group| !group.is_synthetic());
        if in_group || (depth > 4 && field.kind().as_message().is_some()) || tape.below(3) == 0 {
            continue;
        }
        let value = if field.is_map() {
            let entry = field.kind();
            let value = entry
                .as_message()
                .map(MessageDescriptor::map_entry_value_field);
            let entries = (0..tape.below(3)).filter_map(|_| {
                let key = tape.one_of(&["a", "b", "é"]).to_owned();
                Some((key, one(value.as_ref()?, tape, depth)))
            });
            Value::Object(entries.collect())
        } else if field.is_list() {
            (0..tape.below(3))
                .map(|_| one(&field, tape, depth))
                .collect()
        } else {
            one(&field, tape, depth)
        };
        found.insert(field.json_name().to_owned(), value);
    }
    Value::Object(found)
}

fn one(field: &FieldDescriptor, tape: &mut Tape<'_>, depth: usize) -> Value {
    match field.kind() {
        Kind::Message(kind) => message(&kind, tape, depth + 1),
        Kind::Enum(kind) => {
            let mut values: Vec<Value> = kind.values().map(|value| value.name().into()).collect();
            values.push(99.into());
            tape.one_of(&values)
        }
        Kind::Bool => Value::from(tape.below(2) == 1),
        Kind::Bytes => Value::from(tape.one_of(&["", "AAEC/w==", "YQ=="])),
        Kind::String => Value::from(match (field.name(), field.parent_message().name()) {
            ("location", _) => tape
                .one_of(&["header", "query", "cookie", "body"])
                .to_owned(),
            ("protocol_version", "AgentInterface") => tape
                .one_of(&["0.3", "0.3", "0.3", "1.0", "0.3.1", "x"])
                .to_owned(),
            ("protocol_version", _) => tape.one_of(&["0.3.0", "0.3", "0.3.2", ""]).to_owned(),
            (
                "name" | "parent",
                "TaskSubscriptionRequest"
                | "GetTaskRequest"
                | "CancelTaskRequest"
                | "ListTaskPushNotificationConfigRequest",
            ) => tape.one_of(&["tasks/a", "tasks/é", "a", ""]).to_owned(),
            ("name", parent) if parent.contains("PushNotificationConfig") => tape
                .one_of(&[
                    "tasks/a/pushNotificationConfigs/b",
                    "tasks/a/pushNotificationConfigs/",
                    "tasks/a",
                ])
                .to_owned(),
            ("parent", _) => tape.one_of(&["tasks/a", "tasks/b"]).to_owned(),
            _ => tape.text(),
        }),
        Kind::Int32 => Value::from(tape.one_of(&[0, 1, 7, -1])),
        other => panic!("a field of {other:?}, which no version of A2A has so far"),
    }
}

/// A value that a schema allows.
pub(crate) fn of_schema(
    schema: &Value,
    definitions: &Value,
    tape: &mut Tape<'_>,
    depth: usize,
) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return of_schema(&definitions[name], definitions, tape, depth);
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    for choices in ["enum", "anyOf", "oneOf"] {
        let Some(choices) = schema[choices].as_array() else {
            continue;
        };
        let choice = tape.one_of(choices);
        return match choice {
            Value::Object(_) => of_schema(&choice, definitions, tape, depth),
            value => value,
        };
    }
    match schema["type"].as_str() {
        Some("object") => {
            let mut found = Map::new();
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                let is_required = schema["required"]
                    .as_array()
                    .is_some_and(|names| names.iter().any(|known| known == name));
                if !is_required && (depth > 6 || tape.below(3) == 0) {
                    continue;
                }
                found.insert(
                    name.clone(),
                    named(name, member, definitions, tape, depth + 1),
                );
            }
            match schema.get("additionalProperties") {
                Some(Value::Object(member)) if !member.is_empty() => {
                    let member = Value::Object(member.clone());
                    for _ in 0..tape.below(3) {
                        let key = tape.one_of(&["a", "b", "é"]).to_owned();
                        found.insert(key, of_schema(&member, definitions, tape, depth + 1));
                    }
                }
                _ if schema.get("properties").is_none() => found = tape.members(0),
                _ => {}
            }
            Value::Object(found)
        }
        Some("array") => (0..tape.below(3))
            .map(|_| of_schema(&schema["items"], definitions, tape, depth + 1))
            .collect(),
        Some("string") => Value::from(tape.text()),
        Some("boolean") => Value::from(tape.below(2) == 1),
        Some("integer" | "number") => Value::from(tape.one_of(&[0, 1, 7])),
        _ => tape.free(0),
    }
}

/// Members whose schema says less than readers want.
fn named(
    name: &str,
    schema: &Value,
    definitions: &Value,
    tape: &mut Tape<'_>,
    depth: usize,
) -> Value {
    let texts: &[&str] = match name {
        "bytes" => &["", "AAEC/w=="],
        "timestamp" => &[
            "2030-01-02T03:04:05Z",
            "2030-01-02T03:04:05.123456",
            "2030-01-02T03:04:05+02:00",
            "soon",
        ],
        "protocolVersion" => &["0.3.0", "0.3", "0.3.2"],
        "messageId" | "taskId" | "id" => &["a", "b-1"],
        _ => return of_schema(schema, definitions, tape, depth),
    };
    Value::from(tape.one_of(texts))
}
