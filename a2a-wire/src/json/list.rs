//! Lists and maps.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

use super::codec::{As, Codec, Found, Implicit, Seed, wrong};
use super::context::{Context, SHORT_TEXT, map_entry};
use super::value::is_number_token;
use crate::path::{Segment, shortened};

/// A repeated field: an array.
#[derive(Debug)]
pub struct List<C>(PhantomData<C>);

impl<C: Codec> Codec for List<C> {
    type Value = Vec<C::Value>;

    const NOTES: bool = C::NOTES;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn list<'de, A: SeqAccess<'de>>(cx: &Context, mut input: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let mark = if C::NOTES { cx.mark() } else { 0 };
            match input.next_element_seed(Seed::<C>::new(cx)) {
                Ok(Some(Some(value))) => {
                    if C::NOTES {
                        cx.below(mark, || Segment::Index(list.len()));
                    }
                    cx.room(&mut list)?;
                    list.push(value);
                }
                Ok(Some(None)) => {
                    let error = wrong::<C, A::Error>(cx, &Found::Null);
                    return Err(cx.inside(Segment::Index(list.len()), error));
                }
                Ok(None) => return Ok(list),
                Err(error) => return Err(cx.inside(Segment::Index(list.len()), error)),
            }
        }
    }

    fn write<S: Serializer>(
        cx: &Context,
        values: &Self::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_seq(Some(values.len()))?;
        for (index, value) in values.iter().enumerate() {
            let mark = if C::NOTES { cx.mark() } else { 0 };
            output
                .serialize_element(&As::<C>::new(cx, value))
                .map_err(|error| cx.inside(Segment::Index(index), error))?;
            if C::NOTES {
                cx.below(mark, || Segment::Index(index));
            }
        }
        output.end()
    }
}

impl<C: Codec> Implicit for List<C> {
    fn is_default(values: &Self::Value) -> bool {
        values.is_empty()
    }
}

/// The type of a map's keys. JSON has them as strings.
pub trait MapKey: 'static {
    /// The Rust type.
    type Key: Ord + Serialize + fmt::Display;

    /// Reads a key.
    ///
    /// # Errors
    /// What is expected instead.
    fn read(text: &str) -> Result<Self::Key, &'static str>;
}

/// Keys that are strings.
#[derive(Debug)]
pub struct StrKey;

impl MapKey for StrKey {
    type Key = String;

    fn read(text: &str) -> Result<String, &'static str> {
        Ok(text.to_owned())
    }
}

/// Keys that are truth values.
#[derive(Debug)]
pub struct BoolKey;

impl MapKey for BoolKey {
    type Key = bool;

    fn read(text: &str) -> Result<bool, &'static str> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("\"true\" or \"false\""),
        }
    }
}

macro_rules! number_keys {
    ($($(#[$docs:meta])* $codec:ident, $rust:ty, $expected:literal;)*) => {$(
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $codec;

        impl MapKey for $codec {
            type Key = $rust;

            fn read(text: &str) -> Result<$rust, &'static str> {
                crate::text::decimal(text).ok_or($expected)
            }
        }
    )*};
}

number_keys! {
    /// Keys of 32 bits with a sign.
    Int32Key, i32, "a whole number from -2147483648 to 2147483647 in quotes";
    /// Keys of 64 bits with a sign.
    Int64Key, i64, "a whole number from -9223372036854775808 to 9223372036854775807 in quotes";
    /// Keys of 32 bits without a sign.
    Uint32Key, u32, "a whole number from 0 to 4294967295 in quotes";
    /// Keys of 64 bits without a sign.
    Uint64Key, u64, "a whole number from 0 to 18446744073709551615 in quotes";
}

/// A map field: an object.
#[derive(Debug)]
pub struct Map<K, C>(PhantomData<(K, C)>);

impl<K: MapKey, C: Codec> Codec for Map<K, C> {
    type Value = BTreeMap<K::Key, C::Value>;

    const NOTES: bool = C::NOTES;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context, mut input: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(key) = input.next_key_seed(KeySeed::<K> {
            cx,
            key: PhantomData,
        })? {
            let entry = size_of::<K::Key>() + size_of::<C::Value>();
            cx.spend(map_entry(entry, map.is_empty()) + SHORT_TEXT)?;
            let mark = if C::NOTES { cx.mark() } else { 0 };
            match input.next_value_seed(Seed::<C>::new(cx)) {
                Ok(Some(value)) => {
                    if C::NOTES {
                        cx.below(mark, || Segment::key(&key.to_string()));
                    }
                    map.insert(key, value);
                }
                Ok(None) => {
                    let error = wrong::<C, A::Error>(cx, &Found::Null);
                    return Err(cx.inside(Segment::Key(key.to_string()), error));
                }
                Err(error) => return Err(cx.inside(Segment::Key(key.to_string()), error)),
            }
        }
        Ok(map)
    }

    fn write<S: Serializer>(cx: &Context, map: &Self::Value, output: S) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(Some(map.len()))?;
        for (key, value) in map {
            let mark = if C::NOTES { cx.mark() } else { 0 };
            output
                .serialize_entry(key, &As::<C>::new(cx, value))
                .map_err(|error| cx.inside(Segment::Key(key.to_string()), error))?;
            if C::NOTES {
                cx.below(mark, || Segment::key(&key.to_string()));
            }
        }
        output.end()
    }
}

impl<K: MapKey, C: Codec> Implicit for Map<K, C> {
    fn is_default(map: &Self::Value) -> bool {
        map.is_empty()
    }
}

struct KeySeed<'c, K> {
    cx: &'c Context<'c>,
    key: PhantomData<K>,
}

impl<'de, K: MapKey> DeserializeSeed<'de> for KeySeed<'_, K> {
    type Value = K::Key;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<K::Key, D::Error> {
        input.deserialize_str(self)
    }
}

impl<K: MapKey> Visitor<'_> for KeySeed<'_, K> {
    type Value = K::Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<K::Key, E> {
        if is_number_token(text) {
            return Err(self.cx.fault("expected an object, found a number"));
        }
        K::read(text).map_err(|expected| {
            let error = self.cx.fault(format_args!(
                "expected {expected} as key, found {:?}",
                shortened(text, 40)
            ));
            self.cx.inside(Segment::Key(text.to_owned()), error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::Int32;
    use super::super::scalar::Str;
    use super::*;

    fn json<C: Codec>(text: &str) -> Result<Option<C::Value>, String> {
        let cx = Context::unbounded();
        C::read(&cx, &mut serde_json::Deserializer::from_str(text))
            .map_err(|error: serde_json::Error| format!("{}: {error}", cx.path()))
    }

    #[test]
    fn lists_are_arrays_without_null() {
        assert_eq!(
            json::<List<Int32>>("[1,\"2\",3e0]"),
            Ok(Some(vec![1, 2, 3]))
        );
        assert_eq!(json::<List<Int32>>("[]"), Ok(Some(vec![])));
        assert_eq!(json::<List<Int32>>("null"), Ok(None));
        for (text, path) in [
            ("[1,null]", "[1]: "),
            ("[1,2,true]", "[2]: "),
            ("5", ": "),
            ("\"a\"", ": "),
            ("{}", ": "),
        ] {
            let error = json::<List<Int32>>(text).unwrap_err();
            assert!(error.starts_with(path), "{text}: {error}");
        }
    }

    #[test]
    fn maps_have_keys_of_their_type() {
        assert_eq!(
            json::<Map<Int32Key, Str>>(r#"{"-2":"b","7":"c","\u0037":"d"}"#),
            Ok(Some(BTreeMap::from([
                (-2, "b".to_owned()),
                (7, "d".to_owned())
            ])))
        );
        assert_eq!(
            json::<Map<BoolKey, Int32>>(r#"{"true":1,"false":0}"#),
            Ok(Some(BTreeMap::from([(true, 1), (false, 0)])))
        );
        assert_eq!(
            json::<Map<Uint64Key, Int32>>(r#"{"18446744073709551615":1}"#)
                .unwrap()
                .unwrap()
                .len(),
            1
        );
        for (text, path) in [
            (r#"{"x":"a"}"#, "x: "),
            (r#"{"2147483648":"a"}"#, "2147483648: "),
            (r#"{"1.0":"a"}"#, "[\"1.0\"]: "),
            (r#"{"":"a"}"#, "[\"\"]: "),
            (r#"{"+1":"a"}"#, "[\"+1\"]: "),
            (r#"{" 1":"a"}"#, "[\" 1\"]: "),
            (r#"{"1":null}"#, "1: "),
            (r#"{"1":2}"#, "1: "),
            ("[]", ": "),
            ("5", ": "),
        ] {
            let error = json::<Map<Int32Key, Str>>(text).unwrap_err();
            assert!(error.starts_with(path), "{text}: {error}");
        }
        assert!(json::<Map<BoolKey, Int32>>(r#"{"True":1}"#).is_err());
        assert!(json::<Map<Uint32Key, Int32>>(r#"{"-1":1}"#).is_err());
    }

    #[test]
    fn maps_are_written_with_keys_in_quotes() {
        let mut out = Vec::new();
        Map::<Int32Key, Int32>::write(
            &Context::unbounded(),
            &BTreeMap::from([(1, 2), (-3, 4)]),
            &mut serde_json::Serializer::new(&mut out),
        )
        .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"-3":4,"1":2}"#);
    }
}
