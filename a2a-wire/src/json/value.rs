//! Free JSON: `Struct`, `Value` and `ListValue`.

use std::fmt;
use std::sync::LazyLock;

use serde::Serialize as _;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde::ser::Serializer;
use serde_json::{Map, Number, Value as Json};

use super::codec::{Codec, Found, wrong};
use super::context::{Context, SHORT_TEXT, map_entry};
use crate::path::Segment;
use crate::types;

/// `google.protobuf.Value`: any JSON; `null` is a value.
#[derive(Debug)]
pub struct Value;

/// `google.protobuf.Struct`: an object.
#[derive(Debug)]
pub struct Struct;

/// `google.protobuf.ListValue`: an array.
#[derive(Debug)]
pub struct ListValue;

const ANY: &str = "any JSON value";

/// Reads any JSON. Not a codec: with `null` as a value there is no absence to tell, and to move a
/// value into an `Option` and out again takes longer than to read a number.
#[derive(Clone, Copy)]
struct Free<'c>(&'c Context<'c>);

impl Free<'_> {
    /// Pays for a number. With serde_json's `arbitrary_precision` it is a text, and leaves another
    /// one behind while it is read.
    #[inline]
    fn spend_number<E: de::Error>(self) -> Result<(), E> {
        const IS_TEXT: bool = size_of::<Number>() >= size_of::<String>();
        if IS_TEXT {
            self.0.spend(2 * SHORT_TEXT)
        } else {
            Ok(())
        }
    }
}

impl<'de> DeserializeSeed<'de> for Free<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Json, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Free<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ANY)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Json, D::Error> {
        input.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, input: D) -> Result<Json, D::Error> {
        input.deserialize_any(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Json, E> {
        self.0.spend_text(text)?;
        Ok(Json::String(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Json, E> {
        self.0.spend_text(&text)?;
        Ok(Json::String(text))
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Json, E> {
        self.spend_number()?;
        Ok(Json::from(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Json, E> {
        self.spend_number()?;
        Ok(Json::from(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Json, E> {
        self.spend_number()?;
        match Number::from_f64(number) {
            Some(number) => Ok(Json::Number(number)),
            None => Err(self.0.fault("NaN and infinities are no JSON values")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, input: A) -> Result<Json, A::Error> {
        read_list(self.0, input).map(Json::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Json, A::Error> {
        let Some(key) = input.next_key::<String>()? else {
            return Ok(Json::Object(Map::new()));
        };
        if !is_number_token(&key) {
            return read_object(self.0, key, input).map(Json::Object);
        }
        self.spend_number()?;
        match input.next_value::<String>()?.parse::<Number>() {
            Ok(number) if number.as_f64().is_some_and(f64::is_finite) => Ok(Json::Number(number)),
            _ => Err(self.0.fault("the number is beyond the range of a double")),
        }
    }
}

fn read_list<'de, A: SeqAccess<'de>>(cx: &Context, mut input: A) -> Result<Vec<Json>, A::Error> {
    let mut list = Vec::new();
    loop {
        match input.next_element_seed(Free(cx)) {
            Ok(Some(value)) => {
                cx.room(&mut list)?;
                list.push(value);
            }
            Ok(None) => return Ok(list),
            Err(error) => return Err(cx.inside(Segment::Index(list.len()), error)),
        }
    }
}

fn read_object<'de, A: MapAccess<'de>>(
    cx: &Context,
    first: String,
    mut input: A,
) -> Result<Map<String, Json>, A::Error> {
    const ENTRY: usize = size_of::<String>() + size_of::<Json>();
    let mut object = Map::new();
    let mut next = Some(first);
    while let Some(key) = next {
        cx.spend(map_entry(ENTRY, object.is_empty()))?;
        cx.spend_text(&key)?;
        match input.next_value_seed(Free(cx)) {
            Ok(value) => {
                object.insert(key, value);
            }
            Err(error) => return Err(cx.inside(Segment::Key(key), error)),
        }
        next = input.next_key()?;
    }
    Ok(object)
}

/// The key under which serde_json hands over numbers, when its `arbitrary_precision` is on
/// somewhere in the graph; asked for once, by reading a number.
static NUMBER_TOKEN: LazyLock<Option<String>> = LazyLock::new(|| {
    struct Probe(Option<String>);

    impl<'de> Deserialize<'de> for Probe {
        fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
            input.deserialize_any(ProbeVisitor).map(Probe)
        }
    }

    struct ProbeVisitor;

    impl<'de> Visitor<'de> for ProbeVisitor {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number")
        }

        fn visit_f64<E: de::Error>(self, _number: f64) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
            let key = input.next_key()?;
            input.next_value::<IgnoredAny>()?;
            Ok(key)
        }
    }

    serde_json::from_str::<Probe>("1.5")
        .ok()
        .and_then(|probe| probe.0)
});

/// True when an object's first key says that the object is a number.
#[inline]
pub(crate) fn is_number_token(key: &str) -> bool {
    key.starts_with('$') && NUMBER_TOKEN.as_deref() == Some(key)
}

impl Codec for Value {
    type Value = types::Value;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ANY)
    }

    fn read<'de, D: Deserializer<'de>>(
        cx: &Context,
        input: D,
    ) -> Result<Option<types::Value>, D::Error> {
        let value = input.deserialize_any(Free(cx))?;
        Ok(Some(types::Value(value)))
    }

    fn null() -> Option<types::Value> {
        Some(types::Value::default())
    }

    fn write<S: Serializer>(
        _cx: &Context,
        value: &types::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        value.0.serialize(output)
    }
}

impl Codec for Struct {
    type Value = types::Struct;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn object<'de, A: MapAccess<'de>>(
        cx: &Context,
        mut input: A,
    ) -> Result<types::Struct, A::Error> {
        match input.next_key::<String>()? {
            None => Ok(types::Struct::default()),
            Some(key) if is_number_token(&key) => {
                let text = input.next_value::<String>()?;
                Err(wrong::<Self, A::Error>(cx, &Found::LongNumber(&text)))
            }
            Some(key) => read_object(cx, key, input).map(types::Struct),
        }
    }

    fn write<S: Serializer>(
        _cx: &Context,
        value: &types::Struct,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        value.0.serialize(output)
    }
}

impl Codec for ListValue {
    type Value = types::ListValue;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn list<'de, A: SeqAccess<'de>>(cx: &Context, input: A) -> Result<types::ListValue, A::Error> {
        read_list(cx, input).map(types::ListValue)
    }

    fn write<S: Serializer>(
        _cx: &Context,
        value: &types::ListValue,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        value.0.serialize(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json<C: Codec>(text: &str) -> Result<Option<C::Value>, String> {
        let cx = Context::unbounded();
        C::read(&cx, &mut serde_json::Deserializer::from_str(text))
            .map_err(|error: serde_json::Error| format!("{}: {error}", cx.path()))
    }

    #[test]
    fn values_are_any_json_and_null_is_one() {
        for text in [
            "null",
            "true",
            "0",
            "-7",
            "18446744073709551615",
            "-9223372036854775808",
            "2.5",
            "1e300",
            "\"\"",
            "\"é\"",
            "[]",
            "[null,[1,[\"x\"]]]",
            "{}",
            "{\"a\":{\"b\":[1.5,null]},\"c\":true}",
        ] {
            let expected: Json = serde_json::from_str(text).unwrap();
            assert_eq!(
                json::<Value>(text),
                Ok(Some(types::Value(expected))),
                "{text}"
            );
        }
    }

    #[test]
    fn structs_and_lists_are_strict() {
        assert_eq!(json::<Struct>("null"), Ok(None));
        assert_eq!(json::<ListValue>("null"), Ok(None));
        assert_eq!(
            json::<Struct>("{\"a\":null}").unwrap().unwrap()["a"],
            Json::Null
        );
        for text in ["[]", "5", "2.5", "\"a\"", "true"] {
            let error = json::<Struct>(text).unwrap_err();
            assert!(
                error.contains("expected an object, found "),
                "{text}: {error}"
            );
        }
        for text in ["{}", "5", "2.5", "\"a\"", "true", "{\"a\":1}"] {
            let error = json::<ListValue>(text).unwrap_err();
            assert!(
                error.contains("expected an array, found "),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        assert_eq!(
            json::<Struct>("{\"a\":{\"x\":1},\"a\":{\"y\":2}}")
                .unwrap()
                .unwrap()["a"],
            serde_json::json!({"y": 2})
        );
    }

    #[test]
    fn numbers_beyond_a_double_are_refused() {
        for text in ["[1,1e999]", "{\"a\":{\"b\":-1e400}}"] {
            assert!(json::<Value>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn faults_name_their_place() {
        let error = json::<Value>("{\"a\":[0,{\"b\":tru}]}").unwrap_err();
        assert!(error.starts_with("a[1].b: "), "{error}");
    }
}
