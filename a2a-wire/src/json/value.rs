//! Free JSON: `Struct`, `Value` and `ListValue`.

use std::fmt;
use std::sync::LazyLock;

use serde::Serialize as _;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde_json::{Map, Number, Value as Json};

use super::codec::{Codec, Found, Seed, wrong};
use super::context::{Context, SHORT_TEXT, map_entry};
use super::number::Num;
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

/// As [`Value`], over the type of `serde_json`.
struct Free;

impl Codec for Free {
    type Value = Json;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn null() -> Option<Json> {
        Some(Json::Null)
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<Json, E> {
        cx.spend_text(text)?;
        Ok(Json::String(text.to_owned()))
    }

    fn owned_text<E: de::Error>(cx: &Context, text: String) -> Result<Json, E> {
        cx.spend_text(&text)?;
        Ok(Json::String(text))
    }

    fn truth<E: de::Error>(_cx: &Context, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn number<E: de::Error>(cx: &Context, number: Num) -> Result<Json, E> {
        match number {
            Num::Signed(number) => Ok(Json::from(number)),
            Num::Unsigned(number) => Ok(Json::from(number)),
            Num::Double(number) => Number::from_f64(number)
                .map(Json::Number)
                .ok_or_else(|| cx.fault("NaN and infinities are no JSON values")),
        }
    }

    fn list<'de, A: SeqAccess<'de>>(cx: &Context, input: A) -> Result<Json, A::Error> {
        read_list(cx, input).map(Json::Array)
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context, mut input: A) -> Result<Json, A::Error> {
        let Some(key) = input.next_key::<String>()? else {
            return Ok(Json::Object(Map::new()));
        };
        if is_number_token(&key) {
            return input
                .next_value::<String>()
                .and_then(|text| Self::long_number(cx, &text));
        }
        read_object(cx, key, input).map(Json::Object)
    }

    fn long_number<E: de::Error>(cx: &Context, text: &str) -> Result<Json, E> {
        // Such a number is a text, and leaves another one behind while it is read.
        cx.spend(2 * SHORT_TEXT)?;
        match text.parse::<Number>() {
            Ok(number) if number.as_f64().is_some_and(f64::is_finite) => Ok(Json::Number(number)),
            _ => Err(cx.fault("the number is beyond the range of a double")),
        }
    }

    fn write<S: Serializer>(_cx: &Context, value: &Json, output: S) -> Result<S::Ok, S::Error> {
        value.serialize(output)
    }
}

fn read_list<'de, A: SeqAccess<'de>>(cx: &Context, mut input: A) -> Result<Vec<Json>, A::Error> {
    let mut list = Vec::new();
    loop {
        match input.next_element_seed(Seed::<Free>::new(cx)) {
            Ok(Some(value)) => {
                cx.room(&mut list)?;
                list.push(value.unwrap_or_default());
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
        match input.next_value_seed(Seed::<Free>::new(cx)) {
            Ok(value) => {
                object.insert(key, value.unwrap_or_default());
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
        Free::expected(f)
    }

    fn read<'de, D: Deserializer<'de>>(
        cx: &Context,
        input: D,
    ) -> Result<Option<types::Value>, D::Error> {
        Ok(Free::read(cx, input)?.map(types::Value))
    }

    fn null() -> Option<types::Value> {
        Some(types::Value::default())
    }

    fn write<S: Serializer>(
        cx: &Context,
        value: &types::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        Free::write(cx, &value.0, output)
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
