//! Texts, bytes, truth values and enums.

use std::fmt;
use std::marker::PhantomData;

use base64::Engine as _;
use base64::alphabet;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de;
use serde::ser::Serializer;

use super::codec::{Codec, Found, Implicit, wrong};
use super::context::Context;
use super::number::Num;

/// `string`.
#[derive(Debug)]
pub struct Str;

impl Codec for Str {
    type Value = String;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<String, E> {
        cx.spend_text(text)?;
        Ok(text.to_owned())
    }

    fn owned_text<E: de::Error>(cx: &Context, text: String) -> Result<String, E> {
        cx.spend_text(&text)?;
        Ok(text)
    }

    fn write<S: Serializer>(_cx: &Context, value: &String, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(value)
    }
}

impl Implicit for Str {
    fn is_default(value: &String) -> bool {
        value.is_empty()
    }
}

/// `bool`.
#[derive(Debug)]
pub struct Bool;

impl Codec for Bool {
    type Value = bool;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or false")
    }

    fn truth<E: de::Error>(_cx: &Context, truth: bool) -> Result<bool, E> {
        Ok(truth)
    }

    fn write<S: Serializer>(_cx: &Context, value: &bool, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_bool(*value)
    }
}

impl Implicit for Bool {
    fn is_default(value: &bool) -> bool {
        !value
    }
}

/// `bytes`: base64.
#[derive(Debug)]
pub struct Bytes;

impl Codec for Bytes {
    type Value = bytes::Bytes;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("base64")
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<bytes::Bytes, E> {
        cx.spend_text(text)?;
        from_base64(text).ok_or_else(|| wrong::<Self, E>(cx, &Found::Text(text)))
    }

    fn write<S: Serializer>(
        _cx: &Context,
        value: &bytes::Bytes,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        output.collect_str(&Base64Display::new(value, &STANDARD))
    }
}

impl Implicit for Bytes {
    fn is_default(value: &bytes::Bytes) -> bool {
        value.is_empty()
    }
}

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const ANY_STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const ANY_URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Bytes from base64 of either alphabet, but not of both mixed; padding is optional.
pub(crate) fn from_base64(text: &str) -> Option<bytes::Bytes> {
    // Most senders use the standard alphabet. A text of the other one is given up at its first `-`
    // or `_`, so trying costs less than looking for these first.
    ANY_STANDARD
        .decode(text)
        .or_else(|_| ANY_URL_SAFE.decode(text))
        .ok()
        .map(bytes::Bytes::from)
}

/// The names of an enum's values. Implementations are generated.
pub trait EnumNames: 'static {
    /// Names and numbers in declaration order, aliases included.
    const NAMES: &'static [(&'static str, i32)];

    /// The number of a name.
    #[must_use]
    fn number(name: &str) -> Option<i32> {
        Self::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, number)| *number)
    }

    /// The first declared name of a number.
    #[must_use]
    fn name(number: i32) -> Option<&'static str> {
        Self::NAMES
            .iter()
            .find(|(_, known)| *known == number)
            .map(|(name, _)| *name)
    }

    /// Writes `one of A, B, C`; long lists are cut.
    ///
    /// # Errors
    /// Those of the formatter.
    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of ")?;
        for (index, (name, _)) in Self::NAMES.iter().take(20).enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(name)?;
        }
        if Self::NAMES.len() > 20 {
            f.write_str(", …")
        } else {
            Ok(())
        }
    }
}

/// An enum: its name, or a number; numbers that the schema does not know are kept.
#[derive(Debug)]
pub struct Enumeration<E>(PhantomData<E>);

impl<N: EnumNames> Codec for Enumeration<N> {
    type Value = i32;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        N::expected(f)
    }

    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<i32, E> {
        N::number(text).ok_or_else(|| wrong::<Self, E>(cx, &Found::Text(text)))
    }

    fn number<E: de::Error>(cx: &Context, number: Num) -> Result<i32, E> {
        super::number::Int32::number(cx, number)
    }

    fn long_number<E: de::Error>(cx: &Context, text: &str) -> Result<i32, E> {
        super::number::Int32::long_number(cx, text)
    }

    fn write<S: Serializer>(_cx: &Context, value: &i32, output: S) -> Result<S::Ok, S::Error> {
        match N::name(*value) {
            Some(name) => output.serialize_str(name),
            None => output.serialize_i32(*value),
        }
    }
}

impl<N: EnumNames> Implicit for Enumeration<N> {
    fn is_default(value: &i32) -> bool {
        *value == 0
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

    #[test]
    fn texts() {
        for (text, value) in [
            (r#""""#, ""),
            (r#""a\u0000b""#, "a\0b"),
            (r#""\uD83D\uDE01""#, "😁"),
            (r#""é😀\u2028""#, "é😀\u{2028}"),
        ] {
            assert_eq!(json::<Str>(text), Ok(Some(value.to_owned())), "{text}");
        }
        for (text, found) in [
            ("5", "the number 5"),
            ("5.5", "the number 5.5"),
            ("-5", "the number -5"),
            ("true", "true"),
            ("[\"a\"]", "an array"),
            ("{\"a\":1}", "an object"),
        ] {
            let error = json::<Str>(text).unwrap_err();
            assert!(
                error.starts_with(&format!("expected a string, found {found}")),
                "{text}: {error}"
            );
        }
        for text in [
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800\u0041""#,
            r#""\x""#,
            "'a'",
            "\"\n\"",
        ] {
            assert!(json::<Str>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn truth_values_are_strict() {
        assert_eq!(json::<Bool>("true"), Ok(Some(true)));
        assert_eq!(json::<Bool>("null"), Ok(None));
        for text in ["\"true\"", "1", "0", "[]", "\"\"", "True", "{}"] {
            assert!(json::<Bool>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn base64_of_both_alphabets() {
        for (text, value) in [
            ("\"\"", &[][..]),
            ("\"+/8=\"", &[0xfb, 0xff]),
            ("\"-_8=\"", &[0xfb, 0xff]),
            ("\"-_8\"", &[0xfb, 0xff]),
            ("\"+/8\"", &[0xfb, 0xff]),
            ("\"-_\"", &[0xfb]),
            ("\"+\\/8=\"", &[0xfb, 0xff]),
            ("\"aGk=\"", b"hi"),
        ] {
            assert_eq!(
                json::<Bytes>(text),
                Ok(Some(bytes::Bytes::copy_from_slice(value))),
                "{text}"
            );
        }
        for text in [
            "\"%%\"",
            "\"+_8=\"",
            "\"aG k=\"",
            "\"aGk=\\n\"",
            "\"a\"",
            "\"a===\"",
            "\"=\"",
            "\"aGk=aGk=\"",
            "5",
        ] {
            let error = json::<Bytes>(text).unwrap_err();
            assert!(
                error.starts_with("expected base64, found "),
                "{text}: {error}"
            );
        }
        assert_eq!(
            written::<Bytes>(&bytes::Bytes::from_static(&[0xfb, 0xff])),
            "\"+/8=\""
        );
    }

    #[derive(Debug)]
    struct Color;
    impl EnumNames for Color {
        const NAMES: &'static [(&'static str, i32)] = &[
            ("COLOR_UNSPECIFIED", 0),
            ("COLOR_RED", 1),
            ("COLOR_CRIMSON", 1),
            ("COLOR_BLUE", -2),
        ];
    }

    #[test]
    fn enums_by_name_and_by_number() {
        for (text, value) in [
            ("\"COLOR_RED\"", 1),
            ("\"COLOR_CRIMSON\"", 1),
            ("\"COLOR\\u005fRED\"", 1),
            ("1", 1),
            ("1.0", 1),
            ("-2", -2),
            ("99", 99),
            ("2147483647", i32::MAX),
        ] {
            assert_eq!(json::<Enumeration<Color>>(text), Ok(Some(value)), "{text}");
        }
        for text in [
            "\"1\"",
            "\"color_red\"",
            "\"\"",
            "true",
            "1.5",
            "2147483648",
            "[]",
            "{}",
        ] {
            assert!(json::<Enumeration<Color>>(text).is_err(), "{text}");
        }
        let error = json::<Enumeration<Color>>("\"RED\"").unwrap_err();
        assert!(
            error.contains("expected one of COLOR_UNSPECIFIED, COLOR_RED, COLOR_CRIMSON, COLOR_BLUE, found the string \"RED\""),
            "{error}"
        );
        assert_eq!(written::<Enumeration<Color>>(&1), "\"COLOR_RED\"");
        assert_eq!(written::<Enumeration<Color>>(&99), "99");
    }

    #[test]
    fn long_texts_are_cut_in_errors() {
        let error = json::<Bool>(&format!("\"{}\"", "x".repeat(100_000))).unwrap_err();
        assert!(error.len() < 200, "{}", error.len());
    }
}
