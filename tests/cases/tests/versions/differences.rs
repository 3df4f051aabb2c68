//! What of a value is not in another one.
//!
//! Comes in: two values as JSON, and the places that were told to be lost. Goes out: the places that
//! were not told.

use cases::time::timestamp;
use serde_json::{Value, json};

/// What stands at a place, written as losses write it: `parts[1].filename`, `schemes["é"]`.
pub(crate) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    steps(path)
        .iter()
        .try_fold(value, |value, step| match step {
            Step::Member(name) => value.get(name),
            Step::Element(index) => value.get(index),
        })
}

/// Takes out what stands at a place.
pub(crate) fn take_out(value: &mut Value, path: &str) {
    let steps = steps(path);
    let Some((last, before)) = steps.split_last() else {
        *value = Value::Null;
        return;
    };
    let inner = before.iter().try_fold(value, |value, step| match step {
        Step::Member(name) => value.get_mut(name),
        Step::Element(index) => value.get_mut(index),
    });
    match (inner, last) {
        (Some(Value::Object(members)), Step::Member(name)) => {
            members.remove(name);
        }
        // Others keep their places.
        (Some(Value::Array(items)), Step::Element(index)) if *index < items.len() => {
            items[*index] = Value::Null;
        }
        _ => {}
    }
}

enum Step {
    Member(String),
    Element(usize),
}

fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if let Some(quoted) = rest.strip_prefix('[') {
            let end = quoted.find(']').expect("a path with its brackets closed");
            let inside = &quoted[..end];
            steps.push(match inside.parse() {
                Ok(index) => Step::Element(index),
                Err(_) => Step::Member(serde_json::from_str(inside).expect("a quoted key")),
            });
            rest = &quoted[end + 1..];
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(Step::Member(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
    steps
}

/// True for what says no more than nothing.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty() || text.ends_with("_UNSPECIFIED"),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(members) => members.values().all(is_empty),
    }
}

/// Members that hold what their author wants, compared as a whole.
const FREE: &[&str] = &["metadata", "data", "params"];

/// Places of `from` that say something that `to` does not say.
pub(crate) fn missing(from: &Value, to: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk("", from, Some(to), &mut found);
    found
}

fn walk(path: &str, from: &Value, to: Option<&Value>, found: &mut Vec<String>) {
    match (from, to) {
        (Value::Object(members), Some(Value::Object(others))) => {
            for (name, member) in members {
                let inner = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                let other = others.get(name);
                if FREE.contains(&name.as_str()) {
                    // Of the proto's message for data, the data may be left out.
                    let is_part = *member == json!({}) && other == Some(&json!({"data": {}}));
                    let is_left_out = other.is_none() && is_empty(member);
                    if other != Some(member) && !is_left_out && !is_part {
                        found.push(inner);
                    }
                } else {
                    walk(&inner, member, other, found);
                }
            }
        }
        (Value::Array(items), Some(Value::Array(others))) => {
            for (index, item) in items.iter().enumerate() {
                walk(&format!("{path}[{index}]"), item, others.get(index), found);
            }
        }
        (from, Some(to)) if from == to => {}
        // A resource name without its last id, which another field tells.
        (Value::String(from), Some(Value::String(to)))
            if from.ends_with("/pushNotificationConfigs/") && to.starts_with(from.as_str()) => {}
        (Value::String(from), Some(Value::String(to)))
            if path.ends_with("timestamp") && is_same_time(from, to) => {}
        (from, _) if is_empty(from) => {}
        _ => found.push(path.to_owned()),
    }
}

fn is_same_time(a: &str, b: &str) -> bool {
    timestamp(a).is_some() && timestamp(a) == timestamp(b)
}

#[test]
fn places_are_found_and_taken_out() {
    let mut value = serde_json::json!({"a": [{"b": 1}, {"c": {"é": 2}}], "d": false});
    assert_eq!(at(&value, "a[1].c[\"é\"]"), Some(&serde_json::json!(2)));
    assert_eq!(at(&value, "a[2]"), None);
    take_out(&mut value, "a[1].c[\"é\"]");
    take_out(&mut value, "a[0]");
    assert_eq!(
        value,
        serde_json::json!({"a": [null, {"c": {}}], "d": false})
    );
    let other = serde_json::json!({"a": [{"b": 2}], "e": 1});
    assert_eq!(missing(&value, &other), Vec::<String>::new());
    let more = serde_json::json!({"a": [{"b": 1}, {"b": 3}], "e": 1});
    assert_eq!(missing(&more, &other), ["a[0].b", "a[1]"]);
}
