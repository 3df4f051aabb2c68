use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn written(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    value.serialize(&mut Writer::new(&mut out)).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_byte_is_written_as_serde_json_writes_it() {
    // Each character at each place of a word.
    for character in (0..=0x7f_u8)
        .map(char::from)
        .chain(['é', '€', '😀', '\u{2028}', '\u{80}'])
    {
        for before in 0..17 {
            let text = format!("{}{character}{}", "x".repeat(before), "yé".repeat(before));
            assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
        }
    }
}

#[test]
fn strings_of_every_length_with_an_escape_anywhere() {
    for length in 0..50 {
        let plain: String = ('0'..).take(length).collect();
        for text in [&plain, &plain.replace('\\', "/")] {
            assert_eq!(written(text), serde_json::to_string(text).unwrap());
        }
        for at in 0..length {
            for character in ['"', '\\', '\n', '\u{1f}', ' ', '!', '#', '\u{7f}'] {
                let mut text = "a".repeat(length);
                text.replace_range(at..=at, character.encode_utf8(&mut [0; 4]));
                assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            }
        }
    }
}

#[test]
fn names_are_copied_whatever_their_length() {
    const NAMES: &str = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
    for length in 0..NAMES.len() {
        let name = &NAMES[..length];
        assert_eq!(written(&PlainName(name)), format!("{name:?}"));
    }
}

#[test]
fn plain_names_are_strings_to_others() {
    struct Entries;
    impl Serialize for Entries {
        fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
            output.collect_map([(PlainName("a"), "\"")])
        }
    }
    assert_eq!(written(&Entries), r#"{"a":"\""}"#);
    assert_eq!(serde_json::to_string(&Entries).unwrap(), r#"{"a":"\""}"#);
    assert_eq!(serde_json::to_value(Entries).unwrap(), json!({"a": "\""}));
}

#[test]
fn maps_have_string_keys() {
    let map = std::collections::BTreeMap::from([(-5, true), (7, false)]);
    assert_eq!(written(&map), r#"{"-5":true,"7":false}"#);
    assert_eq!(
        written(&std::collections::BTreeMap::from([(true, 1)])),
        r#"{"true":1}"#
    );
}

#[test]
fn displayed_values_are_escaped() {
    struct Shown;
    impl Serialize for Shown {
        fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
            output.collect_str("a\"\n")
        }
    }
    assert_eq!(written(&Shown), r#""a\"\n""#);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\\x00-\\x7f]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_written_as_serde_json_writes_it(value in any_json()) {
        prop_assert_eq!(written(&value), serde_json::to_string(&value).unwrap());
    }
}

#[test]
fn numbers_of_all_sizes() {
    let value = json!([0, -1, 1.5, -0.0, 1e300, u64::MAX, i64::MIN, 0.1]);
    assert_eq!(written(&value), serde_json::to_string(&value).unwrap());
}
