//! Numbers: exact from the text to the type, never through a double unless they are one.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::Serializer;

use super::codec::{Codec, Found, Implicit, Reader, wrong};
use super::context::Context;

/// A number as the tokenizer hands it over.
#[derive(Debug, Clone, Copy)]
pub enum Num {
    /// Whole and negative.
    Signed(i64),
    /// Whole.
    Unsigned(u64),
    /// With a fraction or an exponent, or beyond 64 bits.
    Double(f64),
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signed(number) => number.fmt(f),
            Self::Unsigned(number) => number.fmt(f),
            Self::Double(number) => number.fmt(f),
        }
    }
}

/// The name under which serde_json hands over the raw text of a value. If a later serde_json knew
/// it no more, `visit_newtype_struct` would be called and only exotic spellings of large
/// numbers would lose digits; a test below would fail.
const RAW: &str = "$serde_json::private::RawValue";

/// A number that is read from its text.
pub(crate) trait NumberCodec: Codec {
    /// From the text of a JSON number.
    fn from_number(text: &str) -> Option<Self::Value>;

    /// From the content of a JSON string.
    fn from_quoted(text: &str) -> Option<Self::Value> {
        Self::from_number(text)
    }
}

/// Reads a number with its text at hand.
fn read_number<'de, C: NumberCodec, D: Deserializer<'de>>(
    cx: &Context,
    input: D,
) -> Result<Option<C::Value>, D::Error> {
    input.deserialize_newtype_struct(
        RAW,
        Raw::<C> {
            cx,
            codec: PhantomData,
        },
    )
}

struct Raw<'c, C> {
    cx: &'c Context,
    codec: PhantomData<C>,
}

impl<'de, C: NumberCodec> Visitor<'de> for Raw<'_, C> {
    type Value = Option<C::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        C::expected(f)
    }

    /// The raw text: an object of one entry, whose key says so.
    fn visit_map<A: MapAccess<'de>>(self, mut raw: A) -> Result<Self::Value, A::Error> {
        raw.next_key::<IgnoredAny>()?;
        raw.next_value_seed(Token::<C> {
            cx: self.cx,
            codec: PhantomData,
        })
    }

    // Formats that do not know the name: their own values.

    fn visit_newtype_struct<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_any(Reader::<C>::new(self.cx))
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_any(Reader::<C>::new(self.cx))
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        C::text(self.cx, text).map(Some)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        C::number(self.cx, Num::Signed(number)).map(Some)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        C::number(self.cx, Num::Unsigned(number)).map(Some)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        C::number(self.cx, Num::Double(number)).map(Some)
    }
}

/// The raw text of one JSON value.
struct Token<'c, C> {
    cx: &'c Context,
    codec: PhantomData<C>,
}

impl<'de, C: NumberCodec> de::DeserializeSeed<'de> for Token<'_, C> {
    type Value = Option<C::Value>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_str(self)
    }
}

impl<C: NumberCodec> Visitor<'_> for Token<'_, C> {
    type Value = Option<C::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        C::expected(f)
    }

    fn visit_str<E: de::Error>(self, token: &str) -> Result<Self::Value, E> {
        let found = match token.as_bytes().first() {
            Some(b'n') => return Ok(None),
            Some(b'"') => {
                let inner = token
                    .get(1..token.len().saturating_sub(1))
                    .unwrap_or_default();
                let text = if inner.contains('\\') {
                    // Escapes in a number are legal, and nobody writes them.
                    serde_json::from_str::<String>(token)
                        .map(Cow::Owned)
                        .map_err(|error| self.cx.fault::<E>(error))?
                } else {
                    Cow::Borrowed(inner)
                };
                return C::text(self.cx, &text).map(Some);
            }
            Some(b'-' | b'0'..=b'9') => return C::long_number(self.cx, token).map(Some),
            Some(b't') => Found::Truth(true),
            Some(b'f') => Found::Truth(false),
            Some(b'[') => Found::List,
            _ => Found::Object,
        };
        Err(wrong::<C, E>(self.cx, &found))
    }
}

/// The parts of a number in JSON's grammar.
struct Parts<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    /// Clamped to what can matter.
    exponent: i64,
}

/// Splits a text that is exactly one JSON number: no spaces, no `+`, no leading zeros.
fn split(text: &str) -> Option<Parts<'_>> {
    let text = text.as_bytes();
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, text) = digits(text);
    if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
        return None;
    }
    let (fraction, text) = match text.strip_prefix(b".") {
        Some(rest) => match digits(rest) {
            ([], _) => return None,
            split => split,
        },
        None => (&[][..], text),
    };
    let exponent = match text {
        [] => 0,
        [b'e' | b'E', rest @ ..] => {
            let (negative, rest) = match rest {
                [b'-', rest @ ..] => (true, rest),
                [b'+', rest @ ..] => (false, rest),
                rest => (false, rest),
            };
            let (digits, []) = digits(rest) else {
                return None;
            };
            if digits.is_empty() {
                return None;
            }
            let size = digits.iter().fold(0_i64, |size, digit| {
                size.saturating_mul(10)
                    .saturating_add(i64::from(digit - b'0'))
            });
            if negative { -size } else { size }
        }
        _ => return None,
    };
    Some(Parts {
        negative,
        whole,
        fraction,
        exponent,
    })
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// The whole number that a JSON number stands for, if it is whole and has at most 64 bits:
/// `100.000` and `1e5` are, `1.5` is not.
fn whole(text: &str) -> Option<i128> {
    let Parts {
        negative,
        whole,
        fraction,
        exponent,
    } = split(text)?;
    let mut digits = whole.iter().chain(fraction);
    let count = whole.len() + fraction.len();
    let trailing = whole
        .iter()
        .chain(fraction)
        .rev()
        .take_while(|digit| **digit == b'0')
        .count();
    if trailing == count {
        return Some(0);
    }
    // The value is the digits without the trailing zeros, times ten to the power of `shift`.
    let shift = exponent
        .checked_sub(i64::try_from(fraction.len()).ok()?)?
        .checked_add(i64::try_from(trailing).ok()?)?;
    let mut value = 0_i128;
    for digit in digits.by_ref().take(count - trailing) {
        value = value
            .checked_mul(10)?
            .checked_add(i128::from(digit - b'0'))?;
    }
    for _ in 0..u32::try_from(shift).ok()?.min(40) {
        value = value.checked_mul(10)?;
    }
    Some(if negative { -value } else { value })
}

macro_rules! integers {
    ($($(#[$docs:meta])* $codec:ident, $rust:ty, $quoted:tt, $expected:literal;)*) => {$(
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $codec;

        impl Codec for $codec {
            type Value = $rust;

            fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expected)
            }

            fn read<'de, D: Deserializer<'de>>(cx: &Context, input: D) -> Result<Option<$rust>, D::Error> {
                read_number::<Self, D>(cx, input)
            }

            fn text<E: de::Error>(cx: &Context, text: &str) -> Result<$rust, E> {
                Self::from_quoted(text).ok_or_else(|| wrong::<Self, E>(cx, &Found::Text(text)))
            }

            fn number<E: de::Error>(cx: &Context, number: Num) -> Result<$rust, E> {
                let value = match number {
                    Num::Signed(number) => number.try_into().ok(),
                    Num::Unsigned(number) => number.try_into().ok(),
                    // Whole doubles print all of their digits.
                    Num::Double(number) => whole(&number.to_string()).and_then(|number| number.try_into().ok()),
                };
                value.ok_or_else(|| wrong::<Self, E>(cx, &Found::Number(number)))
            }

            fn long_number<E: de::Error>(cx: &Context, text: &str) -> Result<$rust, E> {
                Self::from_number(text).ok_or_else(|| wrong::<Self, E>(cx, &Found::LongNumber(text)))
            }

            fn write<S: Serializer>(_cx: &Context, value: &$rust, output: S) -> Result<S::Ok, S::Error> {
                integers!(@write $quoted, value, output)
            }
        }

        impl Implicit for $codec {
            fn is_default(value: &$rust) -> bool {
                *value == 0
            }
        }

        impl NumberCodec for $codec {
            fn from_number(text: &str) -> Option<$rust> {
                whole(text)?.try_into().ok()
            }
        }
    )*};
    (@write true, $value:ident, $output:ident) => { $output.collect_str($value) };
    (@write false, $value:ident, $output:ident) => { serde::Serialize::serialize($value, $output) };
}

integers! {
    /// `int32`, `sint32`, `sfixed32`.
    Int32, i32, false, "a whole number from -2147483648 to 2147483647";
    /// `int64`, `sint64`, `sfixed64`: a string in JSON.
    Int64, i64, true, "a whole number from -9223372036854775808 to 9223372036854775807";
    /// `uint32`, `fixed32`.
    Uint32, u32, false, "a whole number from 0 to 4294967295";
    /// `uint64`, `fixed64`: a string in JSON.
    Uint64, u64, true, "a whole number from 0 to 18446744073709551615";
}

macro_rules! floats {
    ($($(#[$docs:meta])* $codec:ident, $rust:ty, $expected:literal;)*) => {$(
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $codec;

        impl Codec for $codec {
            type Value = $rust;

            fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expected)
            }

            fn read<'de, D: Deserializer<'de>>(cx: &Context, input: D) -> Result<Option<$rust>, D::Error> {
                read_number::<Self, D>(cx, input)
            }

            fn text<E: de::Error>(cx: &Context, text: &str) -> Result<$rust, E> {
                Self::from_quoted(text).ok_or_else(|| wrong::<Self, E>(cx, &Found::Text(text)))
            }

            fn number<E: de::Error>(cx: &Context, number: Num) -> Result<$rust, E> {
                #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "nearest value is meant")]
                let value = match number {
                    Num::Signed(number) => number as $rust,
                    Num::Unsigned(number) => number as $rust,
                    Num::Double(number) => number as $rust,
                };
                if value.is_finite() { Ok(value) } else { Err(wrong::<Self, E>(cx, &Found::Number(number))) }
            }

            fn long_number<E: de::Error>(cx: &Context, text: &str) -> Result<$rust, E> {
                Self::from_number(text).ok_or_else(|| wrong::<Self, E>(cx, &Found::LongNumber(text)))
            }

            fn write<S: Serializer>(_cx: &Context, value: &$rust, output: S) -> Result<S::Ok, S::Error> {
                if value.is_finite() {
                    serde::Serialize::serialize(value, output)
                } else if value.is_nan() {
                    output.serialize_str("NaN")
                } else {
                    output.serialize_str(if *value > 0.0 { "Infinity" } else { "-Infinity" })
                }
            }
        }

        impl Implicit for $codec {
            /// By its bits: minus zero is not the default.
            fn is_default(value: &$rust) -> bool {
                value.to_bits() == 0
            }
        }

        impl NumberCodec for $codec {
            fn from_number(text: &str) -> Option<$rust> {
                split(text)?;
                text.parse().ok().filter(|number: &$rust| number.is_finite())
            }

            fn from_quoted(text: &str) -> Option<$rust> {
                match text {
                    "NaN" => Some(<$rust>::NAN),
                    "Infinity" => Some(<$rust>::INFINITY),
                    "-Infinity" => Some(<$rust>::NEG_INFINITY),
                    _ => Self::from_number(text),
                }
            }
        }
    )*};
}

floats! {
    /// `float`.
    Float, f32, "a number in the range of a 32-bit float, or \"NaN\", \"Infinity\", \"-Infinity\"";
    /// `double`.
    Double, f64, "a number in the range of a double, or \"NaN\", \"Infinity\", \"-Infinity\"";
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn json<C: Codec>(text: &str) -> Result<Option<C::Value>, String> {
        let cx = Context::unbounded();
        let mut input = serde_json::Deserializer::from_str(text);
        C::read(&cx, &mut input)
            .and_then(|value| input.end().map(|()| value))
            .map_err(|error| error.to_string())
    }

    fn tree<C: Codec>(text: &str) -> Result<Option<C::Value>, String> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        C::read(&Context::unbounded(), value).map_err(|error| error.to_string())
    }

    fn written<C: Codec>(value: &C::Value) -> String {
        let mut out = Vec::new();
        C::write(
            &Context::unbounded(),
            value,
            &mut serde_json::Serializer::new(&mut out),
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The name is private to serde_json; this asks for it the public way.
    #[test]
    fn raw_texts_are_handed_over_under_the_name_we_use() {
        struct Name;
        #[derive(Debug)]
        struct Said(String);
        impl fmt::Display for Said {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::error::Error for Said {}
        impl de::Error for Said {
            fn custom<T: fmt::Display>(message: T) -> Self {
                Self(message.to_string())
            }
        }
        impl<'de> Deserializer<'de> for Name {
            type Error = Said;
            fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Said> {
                Err(Said("another way".to_owned()))
            }
            fn deserialize_newtype_struct<V: Visitor<'de>>(
                self,
                name: &'static str,
                _: V,
            ) -> Result<V::Value, Said> {
                Err(Said(name.to_owned()))
            }
            serde::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct seq
                tuple tuple_struct map struct enum identifier ignored_any
            }
        }
        let said = <Box<RawValue> as de::Deserialize>::deserialize(Name).unwrap_err();
        assert_eq!(said.0, RAW);
    }

    #[test]
    fn whole_numbers_in_every_spelling() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("0.0", 0),
            ("0e999999999999999999999", 0),
            ("7", 7),
            ("-7", -7),
            ("2e3", 2000),
            ("2E+3", 2000),
            ("1e5", 100_000),
            ("100.000", 100),
            ("1.5e1", 15),
            ("1200e-2", 12),
            ("0.012e3", 12),
            ("2147483647", i32::MAX),
            ("-2147483648", i32::MIN),
            ("2147483647.0", i32::MAX),
            ("0.2147483647e10", i32::MAX),
        ] {
            assert_eq!(json::<Int32>(text), Ok(Some(value)), "{text}");
            assert_eq!(
                json::<Int32>(&format!("\"{text}\"")),
                Ok(Some(value)),
                "quoted {text}"
            );
        }
        assert_eq!(json::<Int32>(r#""\u0031\u0032""#), Ok(Some(12)));
        assert_eq!(json::<Int32>("null"), Ok(None));
    }

    #[test]
    fn what_is_no_whole_number_in_range() {
        for text in [
            "2147483648",
            "-2147483649",
            "1.5",
            "1e-1",
            "1e10",
            "1e99999999999999999999",
            "2147483647.0000000000000000000001",
            "true",
            "false",
            "[]",
            "[1]",
            "{}",
            r#"{"$serde_json::private::RawValue":"1"}"#,
            r#""""#,
            r#"" 7""#,
            r#""7 ""#,
            r#""+1""#,
            r#""01""#,
            r#""-01""#,
            r#""1_000""#,
            r#""0x10""#,
            r#""1.""#,
            r#"".5""#,
            r#""1e""#,
            r#""1e+""#,
            r#""-""#,
            r#""NaN""#,
            r#""\u00201""#,
            r#""null""#,
        ] {
            let error = json::<Int32>(text).unwrap_err();
            assert!(
                error.contains("expected a whole number from -2147483648 to 2147483647"),
                "{text}: {error}"
            );
            // In trees of values an object of that one key is raw JSON, and digits beyond a double
            // are gone before they come here.
            assert!(
                text.contains("RawValue") || text.len() > 30 || tree::<Int32>(text).is_err(),
                "{text}"
            );
        }
        for text in ["01", "+1", "1.", "NaN", "Infinity", "0x1", ""] {
            assert!(json::<Int32>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sixty_four_bits_are_exact() {
        for (text, value) in [
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("9223372036854775807.0", i64::MAX),
            ("922337203685477580.7e1", i64::MAX),
            ("9007199254740993", 9_007_199_254_740_993),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("90071992547409930e-1", 9_007_199_254_740_993),
            ("1e18", 1_000_000_000_000_000_000),
        ] {
            assert_eq!(json::<Int64>(text), Ok(Some(value)), "{text}");
            assert_eq!(
                json::<Int64>(&format!("\"{text}\"")),
                Ok(Some(value)),
                "quoted {text}"
            );
        }
        assert_eq!(json::<Uint64>("18446744073709551615"), Ok(Some(u64::MAX)));
        assert_eq!(
            json::<Uint64>("\"1844674407370955161.5e1\""),
            Ok(Some(u64::MAX))
        );
        for text in [
            "9223372036854775808",
            "\"9223372036854775808\"",
            "1e19",
            "9223372036854775807.5",
        ] {
            assert!(json::<Int64>(text).is_err(), "{text}");
        }
        for text in ["-1", "\"-1\"", "18446744073709551616", "1e20"] {
            assert!(json::<Uint64>(text).is_err(), "{text}");
        }
        assert_eq!(json::<Uint32>("4294967295"), Ok(Some(u32::MAX)));
        assert!(json::<Uint32>("-1").is_err());
        assert_eq!(json::<Uint32>("-0"), Ok(Some(0)));
    }

    #[test]
    fn trees_of_values_are_read_too() {
        assert_eq!(tree::<Int64>("9223372036854775807"), Ok(Some(i64::MAX)));
        assert_eq!(tree::<Int32>("2e3"), Ok(Some(2000)));
        assert_eq!(tree::<Double>("2.5"), Ok(Some(2.5)));
        assert_eq!(tree::<Double>("\"-Infinity\""), Ok(Some(f64::NEG_INFINITY)));
        assert_eq!(tree::<Int32>("null"), Ok(None));
    }

    #[test]
    fn other_formats_are_read_by_their_own_numbers() {
        use serde::de::IntoDeserializer;
        type Fault = serde::de::value::Error;
        let cx = Context::unbounded();
        let signed: Result<_, Fault> = Int32::read(&cx, (-3_i64).into_deserializer());
        assert_eq!(signed, Ok(Some(-3)));
        let double: Result<_, Fault> = Int64::read(&cx, 1e18_f64.into_deserializer());
        assert_eq!(double, Ok(Some(1_000_000_000_000_000_000)));
        let fraction: Result<_, Fault> = Int64::read(&cx, 1.5_f64.into_deserializer());
        assert!(fraction.is_err());
        let text: Result<_, Fault> = Double::read(&cx, "NaN".into_deserializer());
        assert!(text.unwrap().unwrap().is_nan());
        let none: Result<_, Fault> = Int64::read(&cx, ().into_deserializer());
        assert_eq!(none, Ok(None));
    }

    #[test]
    fn floats_and_their_specials() {
        for (text, value) in [
            ("0", 0.0),
            ("2.5", 2.5),
            ("\"2.5\"", 2.5),
            ("1e300", 1e300),
            ("\"Infinity\"", f64::INFINITY),
            ("\"-Infinity\"", f64::NEG_INFINITY),
            ("0.1", 0.1),
            ("1e-400", 0.0),
            ("123456789012345678901234567890", 1.234_567_890_123_456_8e29),
        ] {
            assert_eq!(json::<Double>(text), Ok(Some(value)), "{text}");
        }
        assert!(json::<Double>("\"NaN\"").unwrap().unwrap().is_nan());
        assert!(json::<Double>("-0.0").unwrap().unwrap().is_sign_negative());
        for text in [
            "1e309",
            "\"1e309\"",
            "\"inf\"",
            "\"nan\"",
            "\"+1\"",
            "\"\"",
            "\" 1\"",
            "\"infinity\"",
            "true",
            "{}",
            "\"1.\"",
        ] {
            assert!(json::<Double>(text).is_err(), "{text}");
        }
        assert_eq!(json::<Float>("3.4028235e38"), Ok(Some(f32::MAX)));
        for text in ["3.5e38", "\"3.5e38\"", "-3.5e38"] {
            assert!(json::<Float>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_written_as_protojson_has_them() {
        assert_eq!(written::<Int32>(&-5), "-5");
        assert_eq!(written::<Uint32>(&5), "5");
        assert_eq!(written::<Int64>(&i64::MIN), "\"-9223372036854775808\"");
        assert_eq!(written::<Uint64>(&u64::MAX), "\"18446744073709551615\"");
        assert_eq!(written::<Float>(&0.1), "0.1");
        assert_eq!(written::<Double>(&f64::NAN), "\"NaN\"");
        assert_eq!(written::<Float>(&f32::INFINITY), "\"Infinity\"");
        assert_eq!(written::<Double>(&f64::NEG_INFINITY), "\"-Infinity\"");
        assert_eq!(written::<Double>(&-0.0), "-0.0");
    }
}
