//! JSON, protobuf, checks and texts of the compiled schemas.

use std::borrow::Cow;

use a2a_kit::wire::__codegen::{BindErrorKind, Rule};
use a2a_kit::wire::types::{Duration, FieldMask, Struct, Timestamp, Value};
use a2a_kit::wire::{Violations, WireMessage};
use prost::Message as _;
use serde_json::{Value as Json, json};

use crate::names::{self, Keywords, Locals, Members, OddJson, Outer};
use crate::required::{All, Free, Kind, Leaf, all};
use crate::types::{
    Color, Keys, Known, KnownLists, Node, Optional, Pick, Repeated, Single, Span, Values,
};

fn read<M: WireMessage>(text: &str) -> M {
    M::read_json(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused<M: WireMessage>(text: &str) -> String {
    match M::read_json(text.as_bytes()) {
        Ok(_) => panic!("{text} was read"),
        Err(error) => error.to_string(),
    }
}

fn written(message: &impl WireMessage) -> Json {
    let mut out = Vec::new();
    message.write_json(&mut out).expect("JSON");
    serde_json::from_slice(&out).expect("JSON")
}

/// Reads a text, and holds what is written against what is expected, also after protobuf.
fn through<M: WireMessage>(text: &str, expected: &Json) {
    let message: M = read(text);
    assert_eq!(&written(&message), expected, "{text}");
    let bytes = message.encode_to_vec();
    assert_eq!(bytes.len(), message.encoded_len(), "{text}");
    let again = M::decode(bytes.as_slice()).expect("protobuf");
    assert_eq!(&written(&again), expected, "{text} through protobuf");
    assert_eq!(read::<M>(&expected.to_string()), again, "{text} read again");
}

#[test]
fn scalars_in_every_position() {
    let values = json!({
        "fDouble": 1.5, "fFloat": -0.25, "fInt32": -7, "fInt64": "-9223372036854775808", "fUint32": 4_294_967_295_u32,
        "fUint64": "18446744073709551615", "fSint32": -1, "fSint64": "-1", "fFixed32": 1, "fFixed64": "1",
        "fSfixed32": -1, "fSfixed64": "-1", "fBool": true, "fString": "é", "fBytes": "+/8=", "fColor": "COLOR_RED",
        "fNode": {"id": 1, "child": {"id": 2}},
    });
    through::<Single>(&values.to_string(), &values);
    through::<Optional>(&values.to_string(), &values);
    let lists: Json = values
        .as_object()
        .expect("an object")
        .iter()
        .map(|(name, value)| (name.clone(), json!([value, value])))
        .collect();
    through::<Repeated>(&lists.to_string(), &lists);
    for (name, value) in values.as_object().expect("an object") {
        let one = json!({ name: value });
        through::<Pick>(&one.to_string(), &one);
    }
}

#[test]
fn defaults_are_left_out_where_they_stand_for_absence() {
    let zeros = r#"{"fDouble":0,"fFloat":0.0,"fInt32":0,"fInt64":"0","fUint32":0,"fUint64":0,"fSint32":0,"fSint64":0,
        "fFixed32":0,"fFixed64":0,"fSfixed32":0,"fSfixed64":0,"fBool":false,"fString":"","fBytes":"","fColor":0}"#;
    let kept = json!({
        "fDouble": 0.0, "fFloat": 0.0, "fInt32": 0, "fInt64": "0", "fUint32": 0, "fUint64": "0", "fSint32": 0,
        "fSint64": "0", "fFixed32": 0, "fFixed64": "0", "fSfixed32": 0, "fSfixed64": "0", "fBool": false, "fString": "",
        "fBytes": "", "fColor": "COLOR_NONE",
    });
    through::<Single>(zeros, &json!({}));
    through::<Optional>(zeros, &kept);
    for (name, value) in kept.as_object().expect("an object") {
        let one = json!({ name: value });
        through::<Pick>(&one.to_string(), &one);
    }
    // Minus zero is no default.
    assert_eq!(
        String::from_utf8(bytes_of(&read::<Single>(r#"{"fDouble":-0.0}"#))).expect("text"),
        r#"{"fDouble":-0.0}"#
    );
}

fn bytes_of(message: &impl WireMessage) -> Vec<u8> {
    let mut out = Vec::new();
    message.write_json(&mut out).expect("JSON");
    out
}

#[test]
fn null_is_absence_in_every_position() {
    let all_null = |names: &[&str]| -> String {
        names
            .iter()
            .map(|name| ((*name).to_owned(), Json::Null))
            .collect::<Json>()
            .to_string()
    };
    let scalars = [
        "fDouble",
        "fFloat",
        "fInt32",
        "fInt64",
        "fUint32",
        "fUint64",
        "fSint32",
        "fSint64",
        "fFixed32",
        "fFixed64",
        "fSfixed32",
        "fSfixed64",
        "fBool",
        "fString",
        "fBytes",
        "fColor",
        "fNode",
    ];
    assert_eq!(read::<Single>(&all_null(&scalars)), Single::new());
    assert_eq!(read::<Optional>(&all_null(&scalars)), Optional::new());
    assert_eq!(read::<Repeated>(&all_null(&scalars)), Repeated::new());
    assert_eq!(read::<Pick>(&all_null(&scalars)), Pick::new());
    let known = [
        "timestamp",
        "duration",
        "mask",
        "struct",
        "list",
        "empty",
        "any",
        "wDouble",
        "wFloat",
        "wInt64",
        "wUint64",
        "wInt32",
        "wUint32",
        "wBool",
        "wString",
        "wBytes",
    ];
    assert_eq!(read::<Known>(&all_null(&known)), Known::new());
    assert_eq!(
        read::<Known>(r#"{"value":null}"#).value,
        Some(Value::default())
    );
    assert_eq!(
        read::<Pick>(r#"{"fValue":null,"fTimestamp":null}"#),
        Pick::f_value(Json::Null)
    );
    for name in scalars {
        assert!(
            refused::<Repeated>(&json!({ name: [null] }).to_string())
                .starts_with(&format!("{name}[0]: expected "))
        );
    }
    for name in [
        "timestamp",
        "duration",
        "mask",
        "struct",
        "list",
        "empty",
        "any",
        "wInt64",
        "wString",
    ] {
        assert!(
            refused::<KnownLists>(&json!({ name: [null] }).to_string()).contains(", found null"),
            "{name}"
        );
    }
    through::<KnownLists>(r#"{"value":[null,1]}"#, &json!({"value": [null, 1]}));
}

#[test]
fn a_single_value_is_no_list() {
    for text in [
        r#"{"fInt32":1}"#,
        r#"{"fString":"a"}"#,
        r#"{"fNode":{}}"#,
        r#"{"fBool":true}"#,
        r#"{"fColor":{}}"#,
    ] {
        assert!(
            refused::<Repeated>(text).contains("expected an array, found "),
            "{text}"
        );
    }
}

#[test]
fn well_known_types_have_their_own_json() {
    let known = json!({
        "timestamp": "2024-02-29T12:00:00.123456789Z", "duration": "-0.500s", "mask": "a,fooBar.baz",
        "struct": {"a": null, "b": [1, "x", true]}, "value": {"n": 1}, "list": [1, null, {}], "empty": {},
        "any": {"@type": "type.googleapis.com/google.protobuf.Duration", "value": "1s"},
        "wDouble": 0.0, "wFloat": "NaN", "wInt64": "0", "wUint64": "5", "wInt32": 0, "wUint32": 0, "wBool": false,
        "wString": "", "wBytes": "",
    });
    let text = known.to_string();
    let message: Known = read(&text);
    assert_eq!(written(&message), known);
    let again = Known::decode(message.encode_to_vec().as_slice()).expect("protobuf");
    assert_eq!(written(&again), known);
    assert_eq!(message.w_int64, Some(0));
    assert_eq!(message.mask, Some(FieldMask::new(["a", "foo_bar.baz"])));
    // As list, member of a oneof and value of a map.
    let lists = json!({
        "timestamp": ["1970-01-01T00:00:00Z"], "duration": ["1s"], "mask": ["", "a"], "struct": [{}], "value": [null, 1],
        "list": [[]], "empty": [{}, {}], "any": [{}], "wInt64": ["0"], "wString": [""],
    });
    through::<KnownLists>(&lists.to_string(), &lists);
    for one in [
        json!({"fTimestamp": "1970-01-01T00:00:00Z"}),
        json!({"fDuration": "0s"}),
        json!({"fMask": ""}),
        json!({"fStruct": {}}),
        json!({"fValue": null}),
        json!({"fList": []}),
        json!({"fEmpty": {}}),
        json!({"fAny": {}}),
        json!({"fWInt64": "0"}),
        json!({"fWString": ""}),
        json!({"fWBytes": ""}),
        json!({"fPick": {"fPick": {"fBool": false}}}),
    ] {
        through::<Pick>(&one.to_string(), &one);
    }
    let values = json!({
        "vDouble": {"a": "Infinity"}, "vInt64": {"a": "0"}, "vBool": {"a": false}, "vBytes": {"a": ""},
        "vColor": {"a": "COLOR_BLUE", "b": 77}, "vNode": {"a": {}}, "vTimestamp": {"a": "1970-01-01T00:00:00Z"},
        "vValue": {"a": null}, "vStruct": {"a": {}}, "vWInt32": {"a": 0}, "vEmpty": {"a": {}}, "vAny": {"a": {}},
    });
    through::<Values>(&values.to_string(), &values);
    through::<Span>(
        r#"{"from":"1970-01-01T01:00:00+01:00","length":"1.5s","nothing":{}}"#,
        &json!({"from": "1970-01-01T00:00:00Z", "length": "1.500s", "nothing": {}}),
    );
    assert!(refused::<Known>(r#"{"empty":{"a":1}}"#).starts_with("empty.a: "));
}

#[test]
fn map_keys_of_every_type() {
    let keys = json!({
        "kInt32": {"-2147483648": "a"}, "kInt64": {"-9223372036854775808": "a"}, "kUint32": {"4294967295": "a"},
        "kUint64": {"18446744073709551615": "a"}, "kSint32": {"-1": "a"}, "kSint64": {"-1": "a"}, "kFixed32": {"0": ""},
        "kFixed64": {"1": "a"}, "kSfixed32": {"-1": "a"}, "kSfixed64": {"-1": "a"}, "kBool": {"false": "a", "true": "b"},
        "kString": {"": "a", "a\"\u{0}": "b"},
    });
    through::<Keys>(&keys.to_string(), &keys);
    for (name, key) in [
        ("kInt32", "2147483648"),
        ("kInt64", "9223372036854775808"),
        ("kUint32", "-1"),
        ("kUint64", "18446744073709551616"),
        ("kBool", "1"),
        ("kInt32", "1e1"),
        ("kInt32", "01"),
        ("kInt32", ""),
        ("kFixed64", "x"),
    ] {
        let error = refused::<Keys>(&json!({name: {key: "a"}}).to_string());
        assert!(error.contains(" as key, found "), "{name} {key}: {error}");
    }
}

#[test]
fn recursive_messages() {
    let text = r#"{"id":1,"child":{"child":{"id":3}},"children":[{},{"next":{"end":"e"}}],"named":{"a":{"id":4}},"end":"x"}"#;
    through::<Node>(text, &serde_json::from_str(text).expect("JSON"));
    let deep = |depth: usize| {
        format!(
            "{}{}",
            r#"{"child":"#.repeat(depth) + "{}",
            "}".repeat(depth)
        )
    };
    read::<Node>(&deep(100));
    assert!(refused::<Node>(&deep(200)).contains("nested too deeply"));
    let mut node = Node::new();
    node.bind_text("child.child.next.id", Cow::Borrowed("5"), Rule::Overwrite)
        .expect("a path");
    assert_eq!(
        written(&node),
        json!({"child": {"child": {"next": {"id": 5}}}})
    );
    let endless = format!("{}id", "child.".repeat(1000));
    let error = Node::new()
        .bind_text(&endless, Cow::Borrowed("5"), Rule::Overwrite)
        .expect_err("too deep");
    assert!(
        matches!(error.kind, BindErrorKind::NotAddressable(_)),
        "{error:?}"
    );
}

#[test]
fn texts_of_every_type() {
    for (path, text, json) in [
        ("f_double", "1e3", json!({"fDouble": 1000.0})),
        ("fFloat", "-Infinity", json!({"fFloat": "-Infinity"})),
        ("f_int64", "-5", json!({"fInt64": "-5"})),
        ("f_fixed64", "5", json!({"fFixed64": "5"})),
        ("f_bytes", "-_8", json!({"fBytes": "+/8="})),
        (
            "f_color",
            "COLOR_CRIMSON_ALIAS",
            json!({"fColor": "COLOR_RED"}),
        ),
        (
            "f_timestamp",
            "1970-01-01T00:00:00Z",
            json!({"fTimestamp": "1970-01-01T00:00:00Z"}),
        ),
        ("f_duration", "1.5s", json!({"fDuration": "1.500s"})),
        ("f_mask", "a,bC", json!({"fMask": "a,bC"})),
        ("f_w_int64", "0", json!({"fWInt64": "0"})),
        ("f_w_string", "", json!({"fWString": ""})),
        ("f_pick.f_bool", "false", json!({"fPick": {"fBool": false}})),
        (
            "fNode.child.id",
            "3",
            json!({"fNode": {"child": {"id": 3}}}),
        ),
    ] {
        let mut pick = Pick::new();
        pick.bind_text(path, Cow::Borrowed(text), Rule::Agree)
            .unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert_eq!(written(&pick), json, "{path}={text}");
    }
    for path in [
        "f_struct", "f_value", "f_list", "f_empty", "f_any", "f_node", "f_pick",
    ] {
        let error = Pick::new()
            .bind_text(path, Cow::Borrowed("{}"), Rule::Overwrite)
            .expect_err("no text");
        assert!(
            matches!(error.kind, BindErrorKind::NotAddressable(_)),
            "{path}: {error:?}"
        );
    }
    let mut lists = KnownLists::new();
    for text in ["1s", "2s"] {
        lists
            .bind_text("duration", Cow::Borrowed(text), Rule::Overwrite)
            .expect("a duration");
    }
    assert_eq!(lists.duration, [Duration::new(1, 0), Duration::new(2, 0)]);
}

#[test]
fn unknown_members_are_refused_by_default() {
    assert_eq!(
        refused::<Node>(r#"{"zzz":1}"#),
        "zzz: types.Node has no field named \"zzz\""
    );
    assert_eq!(
        refused::<Node>(r#"{"child":{"x y":null}}"#),
        "child[\"x y\"]: types.Node has no field named \"x y\""
    );
    // A json_name takes the place of the usual one.
    assert_eq!(read::<OddJson>(r#"{"@type":"t"}"#).dollar, "t");
    assert!(refused::<names::WireMessage>(r#"{"Name":"x"}"#).contains("has no field"));
}

#[test]
fn odd_json_names_are_written_as_json() {
    let odd = json!({"a\"b\\c": "1", "@type": "2", "emptyNames": "3", "LeadingDouble": "4", "number2Go": "5"});
    through::<OddJson>(&odd.to_string(), &odd);
}

#[test]
fn enums_with_aliases_and_negative_numbers() {
    through::<Single>(
        r#"{"fColor":"COLOR_CRIMSON_ALIAS"}"#,
        &json!({"fColor": "COLOR_RED"}),
    );
    through::<Single>(r#"{"fColor":-5}"#, &json!({"fColor": "COLOR_BLUE"}));
    through::<Single>(r#"{"fColor":-6}"#, &json!({"fColor": -6}));
    assert_eq!(
        Color::from_str_name("COLOR_CRIMSON_ALIAS"),
        Some(Color::Red)
    );
    assert_eq!(Color::Red.as_str_name(), "COLOR_RED");
    assert_eq!(Color::from_str_name("RED"), None);
    assert_eq!(
        names::Choice::from_str_name("SOME"),
        Some(names::Choice::Some)
    );
}

#[test]
fn hostile_names_work() {
    let keywords = Keywords::new()
        .with_type("t")
        .with_self("s")
        .with_fn("f")
        .with_struct("x");
    assert_eq!(
        written(&keywords),
        json!({"type": "t", "self": "s", "fn": "f", "struct": "x"})
    );
    assert_eq!(Keywords::extern_(), Keywords::new().with_extern());
    let locals = Locals::default()
        .with_text("a")
        .with_new("b")
        .with_values(["c"])
        .with_key([("k", "v")])
        .with_choice(names::E::One);
    assert_eq!(
        written(&locals),
        json!({"text": "a", "values": ["c"], "key": {"k": "v"}, "new": "b", "choice": "E_ONE"})
    );
    assert_eq!(locals.new(), "b");
    assert_eq!(written(&Members::decode_("x")), json!({"decode": "x"}));
    assert_eq!(Members::decode_("x").as_decode(), Some("x"));
    let outer: Outer = read(r#"{"deep":{"outer":{"inner":{}}}}"#);
    assert_eq!(
        Outer::decode(outer.encode_to_vec().as_slice()).expect("protobuf"),
        outer
    );
    let message = names::Message::new().with_message(names::Message::new());
    assert_eq!(written(&message), json!({"message": {}}));
    assert_eq!(written(&names::Nothing::new()), json!({}));
    through::<names::Result>(
        r#"{"ok":{"ok":{"err":{}}}}"#,
        &json!({"ok": {"ok": {"err": {}}}}),
    );
    assert_eq!(
        format!(
            "{:?}",
            names::Box::new().with_boxes([("a", names::Box::new())])
        )
        .matches("boxes")
        .count(),
        2
    );
}

#[test]
fn required_fields_are_checked_and_always_written() {
    let mut found = Violations::default();
    All::new().check(&mut found);
    let paths: Vec<&str> = found
        .found
        .iter()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "text", "data", "kind", "maybe", "leaf", "list", "time", "wrapped", "free", "pick"
        ]
    );
    assert_eq!(
        written(&All::new()),
        json!({"text": "", "data": "", "number": 0, "flag": false, "kind": "KIND_UNSPECIFIED", "list": [], "map": {}})
    );

    let leaf = || Leaf::new().with_id("l").with_next(Leaf::new());
    let deep = all::Deep::leaf(leaf());
    let complete = All::new()
        .with_text("t")
        .with_data("d")
        .with_kind(Kind::A)
        .with_maybe("")
        .with_leaf(Leaf::new().with_id("l"))
        .with_list([""])
        .with_time(Timestamp::new(0, 0))
        .with_wrapped(0)
        .with_free(Value::default())
        .with_by_name("");
    let mut found = Violations::default();
    complete.check(&mut found);
    assert_eq!(found.found, []);
    assert_eq!(written(&complete)["time"], "1970-01-01T00:00:00.000000Z");

    let mut found = Violations::default();
    complete
        .with_by_leaf(leaf())
        .with_deeps([all::Deep::new(), all::Deep::all(All::new())])
        .with_deep_by_number([(7, deep)])
        .check(&mut found);
    let paths: Vec<&str> = found
        .found
        .iter()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(
        paths[..3],
        ["byLeaf.next.id", "deeps[0]", "deeps[1].all.text"]
    );
    assert_eq!(paths.last(), Some(&"deepByNumber.7.leaf.next.id"));

    let mut found = Violations::default();
    Free::new().with_free([Free::new()]).check(&mut found);
    assert_eq!(found.found, []);
}

#[test]
fn setters_take_what_is_at_hand() {
    let known = Known::new()
        .with_struct([("a", 1)])
        .with_value("x")
        .with_list(vec![Json::Null])
        .with_empty()
        .with_timestamp(std::time::UNIX_EPOCH)
        .with_w_bytes(vec![1_u8, 2]);
    assert_eq!(
        written(&known),
        json!({"timestamp": "1970-01-01T00:00:00Z", "struct": {"a": 1}, "value": "x", "list": [null], "empty": {}, "wBytes": "AQI="})
    );
    assert_eq!(known.r#struct, Some(Struct::from([("a", 1)])));
    let keys = Keys::new()
        .with_k_bool([(true, "a")])
        .with_k_int64([(-1, "b".to_owned())]);
    assert_eq!(
        written(&keys),
        json!({"kInt64": {"-1": "b"}, "kBool": {"true": "a"}})
    );
}
