//! Names that collide, in JSON or in Rust.

use super::{faults_of, file, lower_text};

#[test]
fn json_keys() {
    for (fields, expected) in [
        // The JSON name of one is the name of the other.
        (
            "string f = 1 [json_name = \"g\"]; string g = 2 [json_name = \"h\"];",
            "t.proto:2:45: the JSON key `g` of `p.M` stands for both `f` and `g`\n  \
             = also here: t.proto:2:13: `f`\n  \
             = help: readers take a field by its JSON name and by its name in the schema; rename one, or change its `json_name`",
        ),
        (
            "string g = 1 [json_name = \"f\"]; oneof o { string f = 2 [json_name = \"z\"]; }",
            "t.proto:2:55: the JSON key `f` of `p.M` stands for both `g` and `f`\n  \
             = also here: t.proto:2:13: `g`\n  \
             = help: readers take a field by its JSON name and by its name in the schema; rename one, or change its `json_name`",
        ),
    ] {
        assert_eq!(
            faults_of(&file(&format!("message M {{ {fields} }}"))),
            expected
        );
    }
    // The same key in two messages is no collision.
    lower_text(&file(
        "message M { string f = 1 [json_name = \"g\"]; } message N { string g = 1; }",
    ));
}

#[test]
fn rust_names() {
    let both = |places: [u32; 2], one: &str, other: &str, rust: &str| {
        format!(
            "t.proto:2:{}: {one} and {other} are both `{rust}` in Rust\n  = also here: t.proto:2:{}: the first of them\n  = help: rename one of them",
            places[0], places[1]
        )
    };
    for (declarations, expected) in [
        (
            "message FooBar {} message foo_bar {}",
            both([19, 1], "the message `p.foo_bar`", "the message `p.FooBar`", "FooBar"),
        ),
        ("message A {} enum a { Z = 0; }", both([14, 1], "the enum `p.a`", "the message `p.A`", "A")),
        (
            "message M { message ABc {} enum a_bc { Z = 0; } }",
            both([28, 13], "the enum `p.M.a_bc`", "the message `p.M.ABc`", "ABc"),
        ),
        (
            "message M { string fooBar = 1; oneof foo_bar { int32 x = 2; } }",
            both([32, 13], "the oneof `foo_bar` of `p.M`", "the field `fooBar` of `p.M`", "foo_bar"),
        ),
        (
            "message M { oneof a_b { int32 x = 1; } oneof aB { int32 y = 2; } }",
            both([40, 13], "the type of the oneof `p.M.aB`", "the type of the oneof `p.M.a_b`", "AB")
                + "\n"
                + &both([40, 13], "the oneof `aB` of `p.M`", "the oneof `a_b` of `p.M`", "a_b"),
        ),
        (
            "message M { E choice = 1; optional string set_choice = 2; } enum E { Z = 0; }",
            both(
                [27, 13],
                "a function for the field `set_choice` of `p.M`",
                "a function for the field `choice` of `p.M`",
                "set_choice",
            ),
        ),
        (
            "enum Foo { FOO_BAR = 0; BAR = 1; }",
            "t.proto:2:25: `BAR` and `FOO_BAR` of the enum `p.Foo` are both `Bar` in Rust\n  = also here: t.proto:2:12: the first of them\n  = help: rename one of them".to_owned(),
        ),
        (
            "message M {} service S { rpc GetIt(M) returns (M); rpc getIt(M) returns (M); }",
            "t.proto:2:52: `getIt` and `GetIt` of the service `p.S` are both `get_it` in Rust\n  = also here: t.proto:2:26: the first of them\n  = help: rename one of them".to_owned(),
        ),
        ("service Foo {} service foo {}", both([16, 1], "the service `p.foo`", "the service `p.Foo`", "Foo")),
    ] {
        let found = faults_of(&file(declarations));
        assert_eq!(found, expected, "{declarations}");
    }
}

#[test]
fn names_without_letters() {
    for (declarations, expected) in [
        (
            "message M { string _ = 1; }",
            "t.proto:2:13: the field `_` of `p.M` has no name in Rust",
        ),
        (
            "message M { oneof __ { string a = 1; } }",
            "t.proto:2:13: the oneof `__` of `p.M` has no name in Rust",
        ),
        (
            "message _ {}",
            "t.proto:2:1: the message `p._` has no name in Rust",
        ),
        (
            "enum __ { A = 0; }",
            "t.proto:2:1: the enum `p.__` has no name in Rust",
        ),
        (
            "enum E { _ = 0; }",
            "t.proto:2:10: the value `_` of the enum `p.E` has no name in Rust",
        ),
        (
            "service _ {}",
            "t.proto:2:1: the service `p._` has no name in Rust",
        ),
        (
            "message M {} service S { rpc _(M) returns (M); }",
            "t.proto:2:26: the method `_` of `p.S` has no name in Rust",
        ),
    ] {
        let expected = format!("{expected}\n  = help: give it a name with letters");
        assert_eq!(faults_of(&file(declarations)), expected, "{declarations}");
    }
}

#[test]
fn names_of_functions_that_no_field_has_are_free() {
    // Only enums have setters, and fields of their own need none.
    lower_text(&file(
        "message M { E choice = 1; string set_choice = 2; string flag = 3; optional bool set_flag = 4; \
         map<string, E> all = 5; repeated E some = 6; } enum E { Z = 0; }",
    ));
}
