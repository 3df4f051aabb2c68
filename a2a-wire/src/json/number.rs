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
    cx: &'c Context<'c>,
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
    cx: &'c Context<'c>,
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
mod tests;
