//! Messages as queries: what is written, that it is read back, and what no query can hold.

use a2a_kit::client::{Outgoing as _, QueryWriter};
use a2a_kit::wire::__codegen::Rule;
use a2a_kit::wire::WireMessage;
use a2a_kit::wire::types::{Duration, FieldMask, Struct, Timestamp, Value};
use prost::bytes::Bytes;
use serde_json::json;

use crate::names::{Keywords, Locals, Members, OddJson, Outer, outer};
use crate::required::{All, all};
use crate::types::{
    Color, Keys, Known, KnownLists, Node, Optional, Pick, Repeated, Single, Span, Values, pick,
};

/// Names and texts of a message, before they are percent-encoded.
fn pairs(message: &impl WireMessage, without: &[&str]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    message
        .write_query(without, &mut |name, text| {
            pairs.push((name.to_owned(), text.into_owned()));
        })
        .unwrap_or_else(|error| panic!("{error:?}"));
    pairs
}

fn shown(message: &impl WireMessage, without: &[&str]) -> String {
    let pairs = pairs(message, without);
    let each = pairs.iter().map(|(name, text)| format!("{name}={text}"));
    each.collect::<Vec<_>>().join("&")
}

/// Holds the query against what is expected, and reads it back.
#[track_caller]
fn through<M: WireMessage + PartialEq + std::fmt::Debug>(message: &M, expected: &str) {
    assert_eq!(shown(message, &[]), expected);
    let mut again = M::default();
    for (name, text) in pairs(message, &[]) {
        again
            .bind_text(&name, text.into(), Rule::Agree)
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
    assert_eq!(&again, message, "{expected}");
}

#[track_caller]
fn refused(message: &impl WireMessage) -> String {
    let error = message
        .write_query(&[], &mut |_, _| {})
        .expect_err("no query can hold it");
    format!("{}: {}", error.field, error.reason)
}

#[test]
fn scalars_and_their_defaults() {
    let mut single = Single::new()
        .with_f_double(-1.5)
        .with_f_float(0.1)
        .with_f_int32(i32::MIN)
        .with_f_int64(i64::MIN)
        .with_f_uint32(u32::MAX)
        .with_f_uint64(u64::MAX)
        .with_f_bool(true)
        .with_f_string("a b&c=d")
        .with_f_bytes(Bytes::from_static(&[0xfb, 0xff]))
        .with_f_color(Color::Red);
    through(
        &single,
        "fDouble=-1.5&fFloat=0.1&fInt32=-2147483648&fInt64=-9223372036854775808&fUint32=4294967295\
         &fUint64=18446744073709551615&fBool=true&fString=a b&c=d&fBytes=-_8=&fColor=COLOR_RED",
    );
    single = Single::new()
        .with_f_sint32(-1)
        .with_f_sint64(-2)
        .with_f_fixed32(3)
        .with_f_fixed64(4)
        .with_f_sfixed32(-5)
        .with_f_sfixed64(-6)
        .with_f_double(f64::INFINITY);
    through(
        &single,
        "fDouble=Infinity&fSint32=-1&fSint64=-2&fFixed32=3&fFixed64=4&fSfixed32=-5&fSfixed64=-6",
    );
    through(&Single::new(), "");
    // What is set to its default is said, where that is another thing than absence.
    let zeros = Optional::new()
        .with_f_double(0.0)
        .with_f_int64(0)
        .with_f_bool(false)
        .with_f_string("")
        .with_f_bytes(Bytes::new())
        .with_f_color(Color::None);
    through(
        &zeros,
        "fDouble=0&fInt64=0&fBool=false&fString=&fBytes=&fColor=COLOR_NONE",
    );
}

#[test]
fn enums_by_name_or_by_number() {
    through(
        &Single::new().with_f_color(Color::Blue),
        "fColor=COLOR_BLUE",
    );
    let mut unknown = Single::new();
    unknown.f_color = 77;
    through(&unknown, "fColor=77");
}

#[test]
fn lists_are_a_name_for_each_item() {
    let lists = Repeated::new()
        .with_f_int32([1, 0, -1])
        .with_f_string(["", "a,b", "é"])
        .with_f_bytes([Bytes::new(), Bytes::from_static(&[0])])
        .with_f_color([Color::None, Color::Red])
        .with_unpacked([7]);
    through(
        &lists,
        "fInt32=1&fInt32=0&fInt32=-1&fString=&fString=a,b&fString=é&fBytes=&fBytes=AA==\
         &fColor=COLOR_NONE&fColor=COLOR_RED&unpacked=7",
    );
    assert_eq!(
        refused(&Repeated::new().with_f_node([Node::new().with_id(1)])),
        "fNode: a list of messages cannot be written in a query"
    );
}

#[test]
fn messages_within_messages_are_dotted_names() {
    let node = Node::new()
        .with_id(1)
        .with_child(Node::new().with_child(Node::new().with_id(3).with_end("x.y")));
    through(&node, "id=1&child.child.id=3&child.child.end=x.y");
    assert_eq!(shown(&node, &["child"]), "id=1");
    assert_eq!(
        shown(&node, &["child.child.id", "id"]),
        "child.child.end=x.y"
    );
    // A name is no prefix: only the field itself, and what is below it, is left out.
    assert_eq!(
        shown(&node, &["child.chi"]),
        "id=1&child.child.id=3&child.child.end=x.y"
    );
    let mut deep = Node::new().with_id(1);
    for _ in 0..100 {
        deep = Node::new().with_child(deep);
    }
    assert!(refused(&deep).contains("too deep"));
}

#[test]
fn one_of_several_fields() {
    let picks = [
        (pick::Pick::FInt32(0), "fInt32=0"),
        (pick::Pick::FString(String::new()), "fString="),
        (
            pick::Pick::FBytes(Bytes::from_static(b"\xff")),
            "fBytes=_w==",
        ),
        (pick::Pick::FColor(1), "fColor=COLOR_RED"),
        (
            pick::Pick::FTimestamp(Timestamp::new(0, 0)),
            "fTimestamp=1970-01-01T00:00:00Z",
        ),
        (
            pick::Pick::FDuration(Duration::new(1, 500_000_000)),
            "fDuration=1.500s",
        ),
    ];
    for (pick, query) in picks {
        let mut message = Pick::new();
        message.pick = Some(pick);
        through(&message, query);
    }
    let mut inner = Pick::new();
    inner.pick = Some(pick::Pick::FBool(false));
    let mut outer = Pick::new();
    outer.pick = Some(pick::Pick::FPick(Box::new(inner)));
    through(&outer, "fPick.fBool=false");
}

#[test]
fn well_known_types_that_have_a_text() {
    let known = Known::new()
        .with_timestamp(Timestamp::new(1, 0))
        .with_duration(Duration::new(-1, 0))
        .with_mask(FieldMask {
            paths: vec!["a_b".into(), "c.d".into()],
        })
        .with_w_int64(0)
        .with_w_bool(false)
        .with_w_string("s");
    through(
        &known,
        "timestamp=1970-01-01T00:00:01Z&duration=-1s&mask=aB,c.d&wInt64=0&wBool=false&wString=s",
    );
    through(
        &KnownLists::new().with_duration([Duration::new(1, 0), Duration::new(2, 0)]),
        "duration=1s&duration=2s",
    );
    let span = Span::new().with_from(Timestamp::new(0, 0));
    through(&span, "from=1970-01-01T00:00:00Z");
    // Beyond what a text can say.
    let beyond = Known::new().with_timestamp(Timestamp::new(i64::MAX, 0));
    assert!(refused(&beyond).starts_with("timestamp: "));
}

#[test]
fn what_no_query_can_hold_is_named() {
    let free: Value = json!({"a": 1}).into();
    let mut map = Keys::new();
    map.k_int32.insert(1, "x".into());
    let mut values = Values::new();
    values.v_node.insert("k".into(), Node::new());
    for (refusal, field) in [
        (refused(&map), "kInt32"),
        (refused(&values), "vNode"),
        (refused(&Known::new().with_value(free)), "value"),
        (
            refused(&Known::new().with_struct(Struct::default())),
            "struct",
        ),
        (refused(&Known::new().with_empty()), "empty"),
        (refused(&Single::new().with_f_node(Node::new())), "fNode"),
        (
            refused(&Node::new().with_child(Node::new().with_children([Node::new()]))),
            "child.children",
        ),
    ] {
        assert!(refusal.starts_with(&format!("{field}: ")), "{refusal}");
    }
    // Empty maps and lists are not there.
    through(&Keys::new(), "");
    through(&KnownLists::new(), "");
}

#[test]
fn names_of_any_letters() {
    let keywords = Keywords::new()
        .with_type("t")
        .with_self("s")
        .with_crate("c")
        .with_fn("f");
    through(&keywords, "type=t&self=s&crate=c&fn=f");
    let locals = Locals::default().with_text("x").with_values(["a", "b"]);
    through(&locals, "text=x&values=a&values=b");
    let mut members = Members::new();
    members
        .bind_text("withNew", "m".into(), Rule::Agree)
        .expect("a member");
    through(&members, "withNew=m");
    let kind = outer::Kind::A;
    let mut outer = Outer::new();
    outer
        .bind_text("ofKind", kind.as_str_name().into(), Rule::Agree)
        .expect("a member");
    through(&outer, "ofKind=KIND_A");
    let odd = OddJson::new()
        .with_quote("1")
        .with_dollar("2")
        .with_number_2_go("5");
    through(&odd, "a\"b\\c=1&@type=2&number2Go=5");
    // In a URL they are encoded, names like values.
    let mut query = QueryWriter::new();
    odd.query(&["number2Go"], &mut query).expect("a query");
    assert_eq!(query.as_str(), "a%22b%5Cc=1&%40type=2");
}

#[test]
fn required_fields_are_written_as_they_are() {
    let mut all = All::new().with_text("t").with_list(["x"]);
    all.pick = Some(all::Pick::ByName(String::new()));
    assert_eq!(shown(&all, &[]), "text=t&list=x&byName=");
    assert_eq!(shown(&all, &["list", "byName"]), "text=t");
}
