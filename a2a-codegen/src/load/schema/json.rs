//! JSON with the place of everything in it.
//!
//! Comes in: a text. Goes out: a tree whose nodes know their byte offset, or the first fault. The
//! grammar is serde_json's; the offsets are those of its raw values in the text.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::diagnostics::line_and_column;

/// Far more than schemas have. Each level is read once more than the one around it, so this bounds
/// the time too.
const MAX_DEPTH: usize = 48;

/// A value.
#[derive(Debug)]
pub(super) struct Node {
    /// Byte offset.
    pub(super) at: usize,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object; the same key may come twice.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    /// Byte offset of the key.
    pub(super) at: usize,
    pub(super) node: Node,
}

/// Why a text is no JSON.
#[derive(Debug)]
pub(super) struct Fault {
    /// 1-based line and column.
    pub(super) place: (u32, u32),
    pub(super) message: String,
    pub(super) hint: &'static str,
}

pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).max(1);
        Fault {
            place: (number(error.line()), number(error.column())),
            message: format!("the file is no JSON: {}", without_place(&error)),
            hint: "mend the syntax there",
        }
    })?;
    node(raw, text, 0)
}

fn node(raw: &RawValue, text: &str, depth: usize) -> Result<Node, Fault> {
    let own = raw.get();
    let at = offset(own, text);
    if depth > MAX_DEPTH {
        return Err(Fault {
            place: line_and_column(text, at),
            message: format!("the value is nested more than {MAX_DEPTH} levels deep"),
            hint: "move inner objects to `definitions` and refer to them",
        });
    }
    let value = match own.as_bytes().first() {
        Some(b'{') => Value::Object(object(own, text, depth)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = again(own, text, at)?;
            let items = items.into_iter().map(|item| node(item, text, depth + 1));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Some(b'"') => Value::Text(again(own, text, at)?),
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'n') => Value::Null,
        _ => Value::Number(own.to_owned()),
    };
    Ok(Node { at, value })
}

fn object(own: &str, text: &str, depth: usize) -> Result<Vec<Member>, Fault> {
    let Entries(entries) = again(own, text, offset(own, text))?;
    let members = entries.into_iter().map(|(key, value)| {
        let at = offset(key.get(), text);
        Ok(Member {
            key: again(key.get(), text, at)?,
            at,
            node: node(value, text, depth + 1)?,
        })
    });
    members.collect()
}

/// Reads a part of the text that is JSON already; what can still be wrong is an escape.
fn again<'t, T: Deserialize<'t>>(own: &'t str, text: &str, at: usize) -> Result<T, Fault> {
    serde_json::from_str(own).map_err(|error| Fault {
        place: line_and_column(text, at),
        message: format!("the value cannot be read: {}", without_place(&error)),
        hint: "write the characters themselves instead of escapes",
    })
}

/// Where a part of a text begins.
fn offset(part: &str, text: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// What serde_json says, without the place that it appends.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// The members of an object, in order, repeated keys included.
struct Entries<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Entries<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Object).map(Entries)
    }
}
