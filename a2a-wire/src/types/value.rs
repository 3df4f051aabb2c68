//! Free JSON inside messages: `Struct`, `Value` and `ListValue` over `serde_json`.

use std::ops::{Deref, DerefMut};

use serde_json::{Map, Value as Json};

/// `google.protobuf.Struct`: a JSON object.
///
/// Derefs to the map of `serde_json`:
///
/// ```
/// use a2a_wire::types::Struct;
///
/// let mut metadata = Struct::default();
/// metadata.insert("priority".into(), 3.into());
/// assert_eq!(metadata["priority"], 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Struct(pub Map<String, Json>);

/// `google.protobuf.Value`: any JSON value; the default is `null`.
///
/// ```
/// use a2a_wire::types::Value;
///
/// let value = Value::from(serde_json::json!({"answer": 42}));
/// assert_eq!(value["answer"], 42);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value(pub Json);

/// `google.protobuf.ListValue`: a JSON array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListValue(pub Vec<Json>);

impl Struct {
    /// An empty object.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

macro_rules! over {
    ($($own:ident => $inner:ty),* $(,)?) => {$(
        impl Deref for $own {
            type Target = $inner;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl DerefMut for $own {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.0
            }
        }

        impl From<$inner> for $own {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }

        impl From<$own> for $inner {
            fn from(value: $own) -> Self {
                value.0
            }
        }
    )*};
}

over!(Struct => Map<String, Json>, Value => Json, ListValue => Vec<Json>);

impl From<Struct> for Json {
    fn from(value: Struct) -> Self {
        Self::Object(value.0)
    }
}

impl From<ListValue> for Json {
    fn from(value: ListValue) -> Self {
        Self::Array(value.0)
    }
}

impl From<Struct> for Value {
    fn from(value: Struct) -> Self {
        Self(Json::Object(value.0))
    }
}

impl From<ListValue> for Value {
    fn from(value: ListValue) -> Self {
        Self(Json::Array(value.0))
    }
}

macro_rules! value_from {
    ($($source:ty),* $(,)?) => {$(
        impl From<$source> for Value {
            fn from(value: $source) -> Self {
                Self(value.into())
            }
        }
    )*};
}

value_from!(bool, i32, i64, u32, u64, f64, &str, String, Map<String, Json>, Vec<Json>);

impl<K: Into<String>, V: Into<Json>> FromIterator<(K, V)> for Struct {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        Self(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

impl<K: Into<String>, V: Into<Json>, const N: usize> From<[(K, V); N]> for Struct {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V: Into<Json>> FromIterator<V> for ListValue {
    fn from_iter<T: IntoIterator<Item = V>>(values: T) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }
}

impl IntoIterator for Struct {
    type Item = (String, Json);
    type IntoIter = serde_json::map::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl IntoIterator for ListValue {
    type Item = Json;
    type IntoIter = std::vec::IntoIter<Json>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
