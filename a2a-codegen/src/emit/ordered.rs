//! JSON whose members stay in the order in which they were put.
//!
//! Comes in: values. Goes out: text that is the same for the same input, with what people look for
//! first at the top.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Object),
}

/// A JSON object.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Object(Vec<(String, Json)>);

impl Object {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub(super) fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.put(name, value);
        self
    }

    /// Adds a member with a text, unless that is empty.
    pub(super) fn with_text(self, name: &str, text: &str) -> Self {
        if text.trim().is_empty() {
            self
        } else {
            self.with(name, text.trim())
        }
    }

    /// Adds a member with a list, unless that is empty.
    pub(super) fn with_list(self, name: &str, list: Vec<Json>) -> Self {
        if list.is_empty() {
            self
        } else {
            self.with(name, list)
        }
    }

    pub(super) fn put(&mut self, name: &str, value: impl Into<Json>) {
        self.0.push((name.to_owned(), value.into()));
    }

    pub(super) fn into_members(self) -> Vec<(String, Json)> {
        self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, indented.
    pub(super) fn text(self) -> String {
        // Texts, numbers and lists of them always have a form.
        let json = serde_json::to_string_pretty(&Json::Object(self)).unwrap_or_default();
        format!("{json}\n")
    }
}

macro_rules! from {
    ($($source:ty, $value:ident => $json:expr;)*) => {$(
        impl From<$source> for Json {
            fn from($value: $source) -> Self {
                $json
            }
        }
    )*};
}

from! {
    bool, value => Self::Bool(value);
    i64, value => Self::Number(value);
    &str, value => Self::Text(value.to_owned());
    String, value => Self::Text(value);
    Vec<Json>, value => Self::List(value);
    Object, value => Self::Object(value);
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => out.serialize_bool(*value),
            Self::Number(value) => out.serialize_i64(*value),
            Self::Text(value) => out.serialize_str(value),
            Self::List(values) => out.collect_seq(values),
            Self::Object(Object(members)) => {
                let mut map = out.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}
