//! Whether two messages in JSON are the same message.
//!
//! Comes in: the message type, the JSON that a case expects and the JSON that the generated code
//! wrote. Goes out: nothing, or the first difference with its path.
//!
//! Both are canonical `ProtoJSON` without default values, so fields, names and spellings must be
//! the same. These may differ: numbers in how they are written (`1`, `1.0`), timestamps and
//! durations in their digits, and a `REQUIRED` field that was written although it has its default
//! value, as A2A wants it. What the generated code wrote must moreover be canonical: a 64-bit
//! number is a text, a timestamp ends in `Z`, a known enum value is a name.

use std::fmt;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::Value;

use crate::schema::required;
use crate::time;

/// A place where two messages are not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// JSON path of the place; empty for the whole.
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What there is.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() {
            "the top"
        } else {
            &self.path
        };
        write!(f, "at {path}: expected {} got {}", self.expected, self.got)
    }
}

/// Which fields may be missing on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// `REQUIRED` ones with their default value, in what is expected.
    Required,
    /// All that do not know absence from their default value, on both sides.
    Default,
}

/// Compares two whole messages.
///
/// # Errors
/// The first difference.
pub fn messages(
    message: &MessageDescriptor,
    expected: &Value,
    got: &Value,
    absence: Absence,
) -> Result<(), Difference> {
    Place {
        path: String::new(),
        absence,
        from_protobuf: false,
    }
    .message(message, expected, got)
}

/// Compares two whole messages, of which the second was protobuf before it was JSON.
///
/// There every number of a `Struct` is a double; a whole one must be written without `.0`.
///
/// # Errors
/// The first difference.
pub fn bodies(
    message: &MessageDescriptor,
    expected: &Value,
    got: &Value,
) -> Result<(), Difference> {
    Place {
        path: String::new(),
        absence: Absence::Required,
        from_protobuf: true,
    }
    .message(message, expected, got)
}

/// As [`bodies`], for two values of a field.
///
/// # Errors
/// The first difference.
pub fn body_fields(
    field: &FieldDescriptor,
    expected: &Value,
    got: &Value,
) -> Result<(), Difference> {
    Place {
        path: String::new(),
        absence: Absence::Required,
        from_protobuf: true,
    }
    .field(field, expected, got)
}

/// Compares two JSON values of no particular type: the same structure, numbers by value.
///
/// # Errors
/// The first difference.
pub fn values(expected: &Value, got: &Value) -> Result<(), Difference> {
    Place {
        path: String::new(),
        absence: Absence::Required,
        from_protobuf: false,
    }
    .free(expected, got)
}

struct Place {
    path: String,
    absence: Absence,
    from_protobuf: bool,
}

type Outcome = Result<(), Difference>;

impl Place {
    fn inside(&mut self, step: &str, compare: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let length = self.path.len();
        if length > 0 && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
        let outcome = compare(self);
        self.path.truncate(length);
        outcome
    }

    fn differ(&self, expected: impl fmt::Display, got: impl fmt::Display) -> Outcome {
        Err(Difference {
            path: self.path.clone(),
            expected: expected.to_string(),
            got: got.to_string(),
        })
    }

    fn equal(&self, same: bool, expected: &Value, got: &Value) -> Outcome {
        if same {
            Ok(())
        } else {
            self.differ(expected, got)
        }
    }

    fn message(&mut self, message: &MessageDescriptor, expected: &Value, got: &Value) -> Outcome {
        match message.full_name() {
            "google.protobuf.Timestamp" => {
                return self.by_value(expected, got, time::timestamp, time::canonical_timestamp);
            }
            "google.protobuf.Duration" => {
                return self.by_value(expected, got, time::duration, time::canonical_duration);
            }
            "google.protobuf.Struct" | "google.protobuf.Value" | "google.protobuf.ListValue" => {
                return self.content(expected, got);
            }
            "google.protobuf.Any" => return self.free(expected, got),
            "google.protobuf.FieldMask" => {
                return self.equal(expected.is_string() && expected == got, expected, got);
            }
            _ => {}
        }
        if let Some(value) = wrapped(message) {
            return self.one(&value, expected, got);
        }
        let (Value::Object(expected), Value::Object(got)) = (expected, got) else {
            return if matches!(
                (expected, got),
                (Value::Object(_), _) | (_, Value::Object(_))
            ) || expected != got
            {
                self.differ(expected, got)
            } else {
                self.differ(format_args!("an object for {}", message.full_name()), got)
            };
        };
        for (name, value) in expected {
            let Some(field) = message.get_field_by_json_name(name) else {
                return self.inside(name, |place| {
                    place.differ(
                        format_args!("{value}, but there is no such field"),
                        "nothing",
                    )
                });
            };
            self.inside(name, |place| match got.get(name) {
                Some(got) => place.field(&field, value, got),
                None if place.absence == Absence::Default
                    && implicit(&field)
                    && default(&field, value) =>
                {
                    Ok(())
                }
                None => place.differ(value, "nothing"),
            })?;
        }
        for (name, value) in got {
            if expected.contains_key(name) {
                continue;
            }
            let field = message.get_field_by_json_name(name);
            let may_be_there = field.is_some_and(|field| {
                default(&field, value)
                    && match self.absence {
                        Absence::Required => required(&field),
                        Absence::Default => implicit(&field),
                    }
            });
            if !may_be_there {
                return self.inside(name, |place| place.differ("nothing", value));
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &FieldDescriptor, expected: &Value, got: &Value) -> Outcome {
        if let Kind::Message(entry) = field.kind()
            && field.is_map()
        {
            let (Value::Object(expected_map), Value::Object(got_map)) = (expected, got) else {
                return self.differ(expected, got);
            };
            if let Some(name) = got_map
                .keys()
                .find(|name| !expected_map.contains_key(*name))
            {
                return self.inside(name, |place| place.differ("nothing", &got_map[name]));
            }
            for (name, value) in expected_map {
                self.inside(name, |place| match got_map.get(name) {
                    Some(got) => place.one(&entry.map_entry_value_field(), value, got),
                    None => place.differ(value, "nothing"),
                })?;
            }
            return Ok(());
        }
        if !field.is_list() {
            return self.one(field, expected, got);
        }
        match (expected, got) {
            (Value::Array(expected_list), Value::Array(got_list))
                if expected_list.len() == got_list.len() =>
            {
                for (index, (expected, got)) in expected_list.iter().zip(got_list).enumerate() {
                    self.inside(&format!("[{index}]"), |place| {
                        place.one(field, expected, got)
                    })?;
                }
                Ok(())
            }
            _ => self.differ(expected, got),
        }
    }

    /// One value, also an element of a list.
    fn one(&mut self, field: &FieldDescriptor, expected: &Value, got: &Value) -> Outcome {
        match field.kind() {
            Kind::Message(message) => self.message(&message, expected, got),
            Kind::Enum(kind) if kind.full_name() == "google.protobuf.NullValue" => {
                self.equal(expected == got, expected, got)
            }
            Kind::Enum(kind) => {
                let number = canonical_enum(&kind, got);
                self.equal(
                    number.is_some() && number == known(&kind, expected),
                    expected,
                    got,
                )
            }
            Kind::Float => self.equal(
                floats(expected, got, |value| f64::from(value as f32)),
                expected,
                got,
            ),
            Kind::Double => self.equal(floats(expected, got, |value| value), expected, got),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 => self
                .equal(
                    got.is_string() && integer(got).is_some() && integer(expected) == integer(got),
                    expected,
                    got,
                ),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Uint32 | Kind::Fixed32 => {
                self.equal(got.is_number() && same_number(expected, got), expected, got)
            }
            Kind::Bool => self.equal(got.is_boolean() && expected == got, expected, got),
            Kind::String | Kind::Bytes => {
                self.equal(got.is_string() && expected == got, expected, got)
            }
        }
    }

    fn by_value<T: PartialEq>(
        &self,
        expected: &Value,
        got: &Value,
        read: fn(&str) -> Option<T>,
        canonical: fn(&str) -> bool,
    ) -> Outcome {
        let value = |json: &Value| json.as_str().and_then(read);
        let same = value(expected).is_some()
            && value(expected) == value(got)
            && got.as_str().is_some_and(canonical);
        self.equal(same, expected, got)
    }

    /// What a `Struct`, `Value` or `ListValue` holds.
    fn content(&mut self, expected: &Value, got: &Value) -> Outcome {
        match pointed_integer(got) {
            Some(number) if self.from_protobuf => self.differ(
                expected,
                format_args!("{number:?}, a whole number with a point"),
            ),
            _ => self.free(expected, got),
        }
    }

    fn free(&mut self, expected: &Value, got: &Value) -> Outcome {
        match (expected, got) {
            (Value::Object(expected_members), Value::Object(got_members)) => {
                if let Some(name) = got_members
                    .keys()
                    .find(|name| !expected_members.contains_key(*name))
                {
                    return self.inside(name, |place| place.differ("nothing", &got_members[name]));
                }
                for (name, value) in expected_members {
                    self.inside(name, |place| match got_members.get(name) {
                        Some(got) => place.free(value, got),
                        None => place.differ(value, "nothing"),
                    })?;
                }
                Ok(())
            }
            (Value::Array(expected_items), Value::Array(got_items))
                if expected_items.len() == got_items.len() =>
            {
                for (index, (expected, got)) in expected_items.iter().zip(got_items).enumerate() {
                    self.inside(&format!("[{index}]"), |place| place.free(expected, got))?;
                }
                Ok(())
            }
            // Whatever is not typed is a double, in protobuf.
            (Value::Number(_), Value::Number(_)) => {
                let same = match (integer(expected), integer(got)) {
                    (Some(expected), Some(got)) if !self.from_protobuf => expected == got,
                    _ => expected.as_f64() == got.as_f64(),
                };
                self.equal(same, expected, got)
            }
            _ => self.equal(expected == got, expected, got),
        }
    }
}

/// The field of a wrapper message (`Int32Value`), whose JSON is that of the field.
fn wrapped(message: &MessageDescriptor) -> Option<FieldDescriptor> {
    let name = message.full_name().strip_prefix("google.protobuf.")?;
    let wrapper = matches!(
        name,
        "DoubleValue"
            | "FloatValue"
            | "Int64Value"
            | "UInt64Value"
            | "Int32Value"
            | "UInt32Value"
            | "BoolValue"
            | "StringValue"
            | "BytesValue"
    );
    if wrapper {
        message.get_field_by_name("value")
    } else {
        None
    }
}

/// Whether absence of a field is the same as its default value.
fn implicit(field: &FieldDescriptor) -> bool {
    field.is_list() || field.is_map() || !field.supports_presence()
}

/// Whether a JSON value is what an unset field would have.
fn default(field: &FieldDescriptor, value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() && field.is_list(),
        Value::Object(members) => members.is_empty() && field.is_map(),
        _ if field.is_list() || field.is_map() => false,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => match field.kind() {
            Kind::Enum(kind) => kind
                .get_value_by_name(text)
                .is_some_and(|value| value.number() == 0),
            Kind::String | Kind::Bytes => text.is_empty(),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 => {
                text == "0"
            }
            _ => false,
        },
        Value::Null => false,
    }
}

/// The number of an enum value in any spelling.
fn known(kind: &EnumDescriptor, value: &Value) -> Option<i32> {
    match value {
        Value::String(name) => kind.get_value_by_name(name).map(|value| value.number()),
        _ => value
            .as_f64()
            .filter(|number| number.fract() == 0.0)
            .map(|number| number as i32),
    }
}

/// The number of an enum value that is a name wherever there is one, the first of its aliases.
fn canonical_enum(kind: &EnumDescriptor, value: &Value) -> Option<i32> {
    let number = known(kind, value)?;
    let first = kind.values().find(|value| value.number() == number);
    match (first, value) {
        (Some(first), Value::String(name)) if first.name() == name => Some(number),
        (None, Value::Number(_)) => Some(number),
        _ => None,
    }
}

fn floats(expected: &Value, got: &Value, round: fn(f64) -> f64) -> bool {
    match (expected.as_f64(), got.as_f64()) {
        (Some(expected), Some(got)) => round(expected) == round(got),
        (None, None) => {
            expected == got && matches!(got.as_str(), Some("NaN" | "Infinity" | "-Infinity"))
        }
        _ => false,
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_i128(),
        _ => None,
    }
}

fn same_number(expected: &Value, got: &Value) -> bool {
    match (integer(expected), integer(got)) {
        (Some(expected), Some(got)) => expected == got,
        _ => expected.is_number() && got.is_number() && expected.as_f64() == got.as_f64(),
    }
}

/// A whole number that was written with a point, anywhere in a value.
fn pointed_integer(value: &Value) -> Option<f64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => number
            .as_f64()
            .filter(|number| *number != 0.0 && number.fract() == 0.0 && number.abs() < EXACT),
        Value::Array(items) => items.iter().find_map(pointed_integer),
        Value::Object(members) => members.values().find_map(pointed_integer),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
