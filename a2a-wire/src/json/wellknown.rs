//! Well-known types whose JSON is a text, and `Empty`.

use std::fmt;

use serde::de::{self, IgnoredAny, MapAccess};
use serde::ser::{SerializeMap as _, Serializer};

use super::codec::{Codec, Found, wrong};
use super::context::Context;
use super::value::is_number_token;
use crate::path::{Segment, shortened};
use crate::types;

/// `google.protobuf.Timestamp`, written with at least so many digits of fraction.
#[derive(Debug)]
pub struct Timestamp<const DIGITS: u8>;

impl<const DIGITS: u8> Codec for Timestamp<DIGITS> {
    type Value = types::Timestamp;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time as in RFC 3339, for example \"2026-01-02T03:04:05.678Z\"")
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<types::Timestamp, E> {
        text.parse()
            .map_err(|_| wrong::<Self, E>(cx, &Found::Text(text)))
    }

    fn write<S: Serializer>(
        cx: &Context,
        value: &types::Timestamp,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match value.text(DIGITS) {
            Ok(text) => output.serialize_str(text.as_str()),
            Err(error) => Err(cx.unwritable(error)),
        }
    }
}

/// `google.protobuf.Duration`.
#[derive(Debug)]
pub struct Duration;

impl Codec for Duration {
    type Value = types::Duration;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration in seconds with an s, for example \"1.5s\"")
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<types::Duration, E> {
        text.parse()
            .map_err(|_| wrong::<Self, E>(cx, &Found::Text(text)))
    }

    fn write<S: Serializer>(
        cx: &Context,
        value: &types::Duration,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match value.text() {
            Ok(text) => output.serialize_str(text.as_str()),
            Err(error) => Err(cx.unwritable(error)),
        }
    }
}

/// `google.protobuf.FieldMask`.
#[derive(Debug)]
pub struct FieldMask;

impl Codec for FieldMask {
    type Value = types::FieldMask;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("field paths in lowerCamelCase with commas between them, for example \"displayName,address.zipCode\"")
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<types::FieldMask, E> {
        text.parse()
            .map_err(|_| wrong::<Self, E>(cx, &Found::Text(text)))
    }

    fn write<S: Serializer>(
        cx: &Context,
        value: &types::FieldMask,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match value.to_text() {
            Ok(text) => output.serialize_str(&text),
            Err(error) => Err(cx.unwritable(error)),
        }
    }
}

/// `google.protobuf.Empty`: an object without members.
#[derive(Debug)]
pub struct Empty<const REJECT_UNKNOWN: bool>;

impl<const REJECT_UNKNOWN: bool> Codec for Empty<REJECT_UNKNOWN> {
    type Value = ();

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an empty object")
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context, mut input: A) -> Result<(), A::Error> {
        while let Some(name) = input.next_key::<String>()? {
            if is_number_token(&name) {
                return Err(cx.fault("expected an empty object, found a number"));
            }
            if REJECT_UNKNOWN {
                let error = cx.fault(format_args!(
                    "google.protobuf.Empty has no field named {:?}",
                    shortened(&name, 60)
                ));
                return Err(cx.inside(Segment::Key(name), error));
            }
            input.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn write<S: Serializer>(_cx: &Context, _value: &(), output: S) -> Result<S::Ok, S::Error> {
        output.serialize_map(Some(0))?.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json<C: Codec>(text: &str) -> Result<Option<C::Value>, String> {
        C::read(
            &Context::unbounded(),
            &mut serde_json::Deserializer::from_str(text),
        )
        .map_err(|error| error.to_string())
    }

    fn written<C: Codec>(value: &C::Value) -> Result<String, String> {
        let mut out = Vec::new();
        C::write(
            &Context::unbounded(),
            value,
            &mut serde_json::Serializer::new(&mut out),
        )
        .map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn times_are_texts() {
        let moment = types::Timestamp::new(1_767_310_445, 0);
        assert_eq!(
            json::<Timestamp<0>>("\"2026-01-02T05:04:05+05:30\""),
            Ok(Some(moment))
        );
        assert_eq!(
            written::<Timestamp<0>>(&moment).unwrap(),
            "\"2026-01-01T23:34:05Z\""
        );
        assert_eq!(
            written::<Timestamp<3>>(&moment).unwrap(),
            "\"2026-01-01T23:34:05.000Z\""
        );
        assert_eq!(json::<Timestamp<3>>("null"), Ok(None));
        for text in [
            "12345",
            "\"not-a-time\"",
            "\"\"",
            "{}",
            "{\"seconds\":1}",
            "[]",
            "true",
        ] {
            let error = json::<Timestamp<3>>(text).unwrap_err();
            assert!(
                error.contains("expected a time as in RFC 3339"),
                "{text}: {error}"
            );
        }
        assert!(
            written::<Timestamp<3>>(&types::Timestamp::new(i64::MAX, 0))
                .unwrap_err()
                .contains("years 0001 to 9999")
        );
    }

    #[test]
    fn spans_and_masks_are_texts() {
        assert_eq!(
            json::<Duration>("\"-0.5s\""),
            Ok(Some(types::Duration::new(0, -500_000_000)))
        );
        assert_eq!(
            written::<Duration>(&types::Duration::new(0, -500_000_000)).unwrap(),
            "\"-0.500s\""
        );
        assert!(json::<Duration>("\"1\"").is_err());
        assert!(written::<Duration>(&types::Duration::new(1, -1)).is_err());
        assert_eq!(
            json::<FieldMask>("\"a,fooBar\""),
            Ok(Some(types::FieldMask::new(["a", "foo_bar"])))
        );
        assert_eq!(
            written::<FieldMask>(&types::FieldMask::new(["a", "foo_bar"])).unwrap(),
            "\"a,fooBar\""
        );
        assert!(json::<FieldMask>("\"foo_bar\"").is_err());
        assert!(json::<FieldMask>("{\"paths\":[]}").is_err());
        assert!(written::<FieldMask>(&types::FieldMask::new(["fooBar"])).is_err());
    }

    #[test]
    fn empty_is_an_empty_object() {
        assert_eq!(json::<Empty<true>>("{}"), Ok(Some(())));
        assert_eq!(written::<Empty<true>>(&()).unwrap(), "{}");
        assert_eq!(json::<Empty<false>>("{\"a\":[1]}"), Ok(Some(())));
        for text in ["{\"a\":1}", "[]", "5", "2.5", "\"\""] {
            assert!(json::<Empty<true>>(text).is_err(), "{text}");
        }
        assert!(json::<Empty<false>>("5").is_err());
    }
}
