//! Small protos that show one thing each.

use super::super::model::{Change, OperationSide, Report, TrapKind};
use super::{Rules, Version, lowered, read_rules, report};
use crate::profile::Profile;

/// A message on both sides, in a service of one operation.
fn proto(package: &str, message: &str) -> String {
    format!(
        "syntax = \"proto3\"; package {package};
         import \"google/api/annotations.proto\";
         {message}
         service Shop {{ rpc Buy(Order) returns (Order); }}"
    )
}

fn compare(old: &str, new: &str, rules: &str) -> Report {
    compare_protos(&proto("v1", old), &proto("v2", new), rules)
}

fn compare_protos(old: &str, new: &str, rules: &str) -> Report {
    let profile = Profile::default();
    let (old, new) = (
        lowered("v1.proto", old, &profile),
        lowered("v2.proto", new, &profile),
    );
    let version = |name, api| Version {
        name,
        api,
        schema: None,
        profile: &profile,
    };
    let rules: Option<Rules> =
        (!rules.is_empty()).then(|| read_rules(rules, "rules.toml").expect("the rules read"));
    report(
        &version("1", &old),
        &version("2", &new),
        rules.as_ref().map(|rules| ("rules.toml", rules)),
    )
}

/// What changes about each field, by its newer name, else by its older one.
fn changes(report: &Report) -> Vec<(String, Vec<Change>)> {
    let rows = report.messages.iter().flat_map(|message| &message.fields);
    rows.map(|row| {
        let side = row.new.first().or(row.old.first()).expect("a side");
        (side.name.clone(), row.changes.clone())
    })
    .collect()
}

/// Older fields, newer fields, rules, and what changes about each newer field.
type Case<'c> = (&'c str, &'c str, &'c str, &'c [(&'c str, &'c [Change])]);

#[test]
fn fields_are_classified() {
    use Change::{Added, Moved, Presence, Removed, Renamed, Renumbered, Required, Type};
    let cases: &[Case<'_>] = &[
        ("string a = 1;", "string a = 1;", "", &[("a", &[])]),
        (
            "string a = 1;",
            "string a = 2;",
            "",
            &[("a", &[Renumbered])],
        ),
        (
            "string a = 1;",
            "optional string a = 1;",
            "",
            &[("a", &[Presence])],
        ),
        ("string a = 1;", "int32 a = 1;", "", &[("a", &[Type])]),
        (
            "string a = 1;",
            "repeated string a = 1;",
            "",
            &[("a", &[Type])],
        ),
        (
            "string a = 1;",
            "string a = 1; string b = 2;",
            "",
            &[("a", &[]), ("b", &[Added])],
        ),
        (
            "string a = 1; string b = 2;",
            "string a = 1;",
            "",
            &[("a", &[]), ("b", &[Removed])],
        ),
        (
            "string b = 1 [json_name = \"a\"];",
            "string a = 1;",
            "",
            &[("a", &[Renamed])],
        ),
        (
            "string b = 1;",
            "string a = 1;",
            "field.\"Order.a\" = { proto = \"Order.b\" }",
            &[("a", &[Renamed])],
        ),
        (
            "string city = 1;",
            "Place place = 1; } message Place { string city = 1;",
            "field.\"Place.city\" = { proto = \"Order.city\" }",
            &[("place.city", &[Moved])],
        ),
        (
            "string a = 1;",
            "string a = 1 [(google.api.field_behavior) = REQUIRED];",
            "",
            &[("a", &[Required])],
        ),
    ];
    for (old, new, rules, expected) in cases {
        let message = |fields: &str| format!("message Order {{ {fields} }}");
        let new = proto("v2", &message(new)).replace(
            "import \"google/api/annotations.proto\";",
            "import \"google/api/annotations.proto\"; import \"google/api/field_behavior.proto\";",
        );
        let report = compare_protos(&proto("v1", &message(old)), &new, rules);
        let changes = changes(&report);
        for (name, expected) in *expected {
            let found = changes.iter().find(|(field, _)| field == name);
            let found = found.map(|(_, changes)| changes.as_slice());
            assert_eq!(
                found,
                Some(*expected),
                "{old} → {new}: {name} in {changes:?}"
            );
        }
    }
}

#[test]
fn one_number_for_two_names_is_a_trap_if_the_bytes_can_be_read() {
    let both = |old: &str, new: &str| {
        let (old, new) = (format!("{old} a = 1;"), format!("{new} b = 1;"));
        let message = |fields: &str| {
            format!("message Order {{ {fields} }} message Inner {{}} enum E {{ ZERO = 0; }}")
        };
        let report = compare(&message(&old), &message(&new), "");
        let trap = report
            .traps
            .iter()
            .find(|trap| trap.kind == TrapKind::Number);
        trap.map(|trap| trap.always)
    };
    for (old, new, expected) in [
        ("string", "string", Some(true)),
        ("string", "bytes", Some(true)),
        ("Inner", "bytes", Some(true)),
        ("bytes", "string", Some(false)),
        ("string", "Inner", Some(false)),
        ("Inner", "string", Some(false)),
        ("bool", "bool", Some(true)),
        ("bool", "int64", Some(true)),
        ("E", "int32", Some(true)),
        ("repeated string", "string", Some(true)),
        ("repeated int32", "repeated bool", Some(true)),
        ("int32", "repeated int32", Some(true)),
        ("map<string, string>", "string", Some(false)),
        // The wire types differ: the reader skips an unknown field.
        ("string", "int32", None),
        ("repeated int32", "int32", None),
        ("fixed32", "fixed64", None),
        ("double", "int64", None),
    ] {
        assert_eq!(both(old, new), expected, "{old} read as {new}");
    }
}

#[test]
fn a_rule_that_carries_a_pair_as_it_is_disarms_the_trap_and_no_other_does() {
    let (old, new) = (
        "message Order { bool a = 1; }",
        "message Order { bool b = 1; }",
    );
    let traps = |rules: &str| compare(old, new, rules).traps.len();
    assert_eq!(traps(""), 1);
    assert_eq!(traps("field.\"Order.b\" = { proto = \"Order.a\" }"), 0);
    assert_eq!(
        traps("field.\"Order.b\" = { proto = \"Order.a\", via = \"not\" }"),
        1
    );
}

#[test]
fn a_name_that_goes_elsewhere_while_another_field_has_it_is_a_trap() {
    let old = "message Order { string id = 1; string number = 2; }";
    let new = "message Order { string number = 1; string id = 2; }";
    let swapped = "field.\"Order.number\" = { proto = \"Order.id\" }\n\
                   field.\"Order.id\" = { proto = \"Order.number\" }";
    let names = |rules: &str| -> Vec<String> {
        let report = compare(old, new, rules);
        let names = report
            .traps
            .iter()
            .filter(|trap| trap.kind == TrapKind::Name);
        names
            .map(|trap| format!("{} {}", trap.old, trap.instead))
            .collect()
    };
    assert_eq!(names(""), [""; 0]);
    assert_eq!(
        names(swapped),
        ["Order.id becomes `number`", "Order.number becomes `id`"]
    );
}

#[test]
fn values_of_one_number_are_compared_by_name() {
    let order =
        |values: &str| format!("message Order {{ State state = 1; }} enum State {{ {values} }}");
    let old = order("NONE = 0; OPEN = 1; SHUT = 2;");
    let swapped = order("NONE = 0; SHUT = 1; OPEN = 2;");
    let report = compare(&old, &swapped, "");
    let traps: Vec<(&str, &str)> = report
        .traps
        .iter()
        .map(|trap| (trap.old.as_str(), trap.instead.as_str()))
        .collect();
    assert_eq!(
        traps,
        [
            ("State.OPEN", "becomes `OPEN`"),
            ("State.SHUT", "becomes `SHUT`")
        ]
    );

    // Another spelling of the same value is none, once a rule says so.
    let renamed = order("NONE = 0; OPENED = 1; SHUT = 2;");
    let rules = "value.State.values.OPENED = { proto = \"OPEN\" }";
    assert_eq!(compare(&old, &renamed, "").traps.len(), 1);
    assert!(compare(&old, &renamed, rules).traps.is_empty());
}

#[test]
fn operations_are_told_apart_by_name_and_rule() {
    let service = |package: &str, methods: &str| {
        format!(
            "syntax = \"proto3\"; package {package}; message Order {{ string id = 1; }}
             service Shop {{ {methods} }}"
        )
    };
    let rpc = |name: &str| format!("rpc {name}(Order) returns (Order);");
    let old = service("v1", &[rpc("Buy"), rpc("Look"), rpc("Burn")].concat());
    let new = service("v2", &[rpc("Buy"), rpc("Browse"), rpc("Sell")].concat());
    let report = compare_protos(&old, &new, "method.Browse = { proto = \"Look\" }");
    let name =
        |side: &Option<OperationSide>| side.as_ref().map_or("-", |side| &side.name).to_owned();
    let changes: Vec<(Change, String, String)> = report
        .operations
        .iter()
        .map(|operation| (operation.change, name(&operation.old), name(&operation.new)))
        .collect();
    let expected = [
        (Change::Kept, "Buy", "Buy"),
        (Change::Renamed, "Look", "Browse"),
        (Change::Added, "-", "Sell"),
        (Change::Removed, "Burn", "-"),
    ];
    assert_eq!(
        changes,
        expected.map(|(change, old, new)| (change, old.to_owned(), new.to_owned()))
    );
}

#[test]
fn an_older_path_that_a_variable_swallows_is_a_trap() {
    let service = |package: &str, path: &str| {
        format!(
            "syntax = \"proto3\"; package {package}; import \"google/api/annotations.proto\";
             message Order {{ string id = 1; string shop = 2; }}
             service Shop {{ rpc Buy(Order) returns (Order) {{
               option (google.api.http) = {{ get: \"{path}\" }}; }} }}"
        )
    };
    let traps = |old: &str, new: &str| {
        let report = compare_protos(&service("v1", old), &service("v2", new), "");
        report
            .traps
            .iter()
            .filter(|trap| trap.kind == TrapKind::Route)
            .count()
    };
    assert_eq!(traps("/v1/orders/{id}", "/{shop}/orders/{id}"), 1);
    assert_eq!(traps("/v1/orders/{id}", "/orders/{id}"), 0);
    assert_eq!(traps("/v1/orders/{id}:buy", "/{shop}/orders/{id}"), 0);
    assert_eq!(traps("/v1/orders/{id}", "/v1/orders/{id}"), 0);
    assert_eq!(traps("/{shop}/orders/{id}", "/{shop}/orders/{id}"), 0);
}

#[test]
fn two_protos_that_have_nothing_in_common_are_compared_all_the_same() {
    let old = "syntax = \"proto3\"; package v1; message A { string a = 1; A next = 2; }";
    let new = "syntax = \"proto3\"; package v2; message B { string b = 1; }";
    let report = compare_protos(old, new, "");
    assert!(report.operations.is_empty());
    assert!(!report.missing.is_empty());
    let changes: Vec<Change> = report
        .messages
        .iter()
        .map(|message| message.change)
        .collect();
    assert_eq!(changes, [Change::Added, Change::Removed]);
}
