//! Numbers in every spelling.

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
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
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
