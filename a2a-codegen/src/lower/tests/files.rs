//! Which declarations of which files are lowered.

use crate::load::{Loaded, Sources, load_protos};
use crate::lower::lower;
use crate::profile::Profile;

fn load(files: &[(&str, &str)], asked_for: &[&str]) -> Loaded {
    let sources = files.iter().fold(Sources::new(), |sources, (name, text)| {
        sources.virtual_file(*name, *text)
    });
    let sources = asked_for
        .iter()
        .fold(sources, |sources, name| sources.file(*name));
    load_protos(&sources).expect("the schema loads")
}

const BOOKS: &str = "syntax = \"proto3\"; package books; import \"common.proto\"; import \"options.proto\"; import \"unused.proto\"; \
    import public \"more/third.proto\"; message Book { common.Money price = 1; string title = 2 [(opts.note) = \"x\"]; } \
    service Books { rpc Get(Book) returns (third.Reply); }";
const COMMON: &str = "syntax = \"proto3\"; package common; import \"deep.proto\"; message Money { deep.Unit unit = 1; } \
    message AlsoHere {} service Elsewhere { rpc Do(Money) returns (Money); }";
const DEEP: &str = "syntax = \"proto3\"; package deep; enum Unit { UNIT_NONE = 0; }";
// What an import may be when nothing but its options is used.
const OPTIONS: &str = "syntax = \"proto2\"; package opts; import \"google/protobuf/descriptor.proto\"; \
    extend google.protobuf.FieldOptions { optional string note = 50002; } message Old { optional group G = 1 {} }";
const UNUSED: &str = "syntax = \"proto3\"; package unused; message Nothing {}";
const THIRD: &str = "syntax = \"proto3\"; package third; message Reply { map<string, deep.Unit> units = 1; } import \"deep.proto\";";

const ALL: [(&str, &str); 6] = [
    ("books.proto", BOOKS),
    ("common.proto", COMMON),
    ("deep.proto", DEEP),
    ("options.proto", OPTIONS),
    ("unused.proto", UNUSED),
    ("more/third.proto", THIRD),
];

#[test]
fn types_come_with_the_files_that_use_them() {
    let loaded = load(&ALL, &["books.proto"]);
    let api = lower(&loaded, &Profile::default()).expect("the schema lowers");
    assert_eq!(api.sources, ["books.proto"]);
    // Each after its imports; those that are there for their options alone are not.
    assert_eq!(
        api.files,
        [
            "deep.proto",
            "common.proto",
            "more/third.proto",
            "books.proto"
        ]
    );
    assert_eq!(
        api.messages.keys().collect::<Vec<_>>(),
        [
            "books.Book",
            "common.AlsoHere",
            "common.Money",
            "third.Reply"
        ]
    );
    assert_eq!(api.enums.keys().collect::<Vec<_>>(), ["deep.Unit"]);
    // The services of imports belong to those who wrote them.
    assert_eq!(
        api.services
            .iter()
            .map(|service| &service.proto_name)
            .collect::<Vec<_>>(),
        ["books.Books"]
    );
}

#[test]
fn services_come_in_the_order_asked_for() {
    let loaded = load(&ALL, &["common.proto", "books.proto", "common.proto"]);
    assert_eq!(loaded.files, ["common.proto", "books.proto"]);
    let api = lower(&loaded, &Profile::default()).expect("the schema lowers");
    assert_eq!(
        api.services
            .iter()
            .map(|service| &service.proto_name)
            .collect::<Vec<_>>(),
        ["common.Elsewhere", "books.Books"]
    );
    assert_eq!(api.sources, ["common.proto", "books.proto"]);
}

#[test]
fn faults_of_imported_types_are_told_where_they_are() {
    let files = [
        (
            "a.proto",
            "syntax = \"proto3\"; import \"old.proto\"; message A { Old old = 1; }",
        ),
        (
            "old.proto",
            "\nsyntax = \"proto2\"; message Old { optional string a = 1; }",
        ),
    ];
    let faults = lower(&load(&files, &["a.proto"]), &Profile::default())
        .expect_err("proto2 is not supported");
    assert!(
        faults
            .to_string()
            .starts_with("old.proto:2:1: the file is written in proto2"),
        "{faults}"
    );
    assert!(
        faults.render().contains("2 | syntax = \"proto2\";"),
        "{}",
        faults.render()
    );
}

#[test]
fn the_well_known_types_are_not_generated() {
    let loaded = load(&[], &["google/protobuf/struct.proto"]);
    let faults = lower(&loaded, &Profile::default()).expect_err("they are built in");
    assert_eq!(
        faults.to_string(),
        "google/protobuf/struct.proto: the types of `google.protobuf` are built in and not generated\n  = help: ask for your own files; they can import this one"
    );
}

#[test]
fn a_file_without_a_package() {
    let text = "syntax = \"proto3\"; import \"google/api/annotations.proto\"; message M { N n = 1; message N { string a = 1; } } \
        service S { rpc R(M) returns (M) { option (google.api.http) = { get: \"/{n.a}\" }; } }";
    let api = lower(
        &load(&[("a.proto", text)], &["a.proto"]),
        &Profile::default(),
    )
    .expect("the schema lowers");
    assert_eq!(api.messages.keys().collect::<Vec<_>>(), ["M", "M.N"]);
    assert_eq!(
        (
            api.services[0].proto_name.as_str(),
            api.services[0].package.as_str()
        ),
        ("S", "")
    );
    assert_eq!(api.messages["M.N"].rust_path, ["m", "N"]);
}

#[test]
fn modules_of_packages_and_messages_collide() {
    let files = [
        (
            "a.proto",
            "syntax = \"proto3\"; package a; import \"b.proto\"; message Inner { oneof o { b.B x = 1; } } message M { inner.X x = 1; } import \"c.proto\";",
        ),
        ("b.proto", "syntax = \"proto3\"; package b; message B {}"),
        (
            "c.proto",
            "syntax = \"proto3\"; package a.inner; message X {}",
        ),
    ];
    let faults = lower(&load(&files, &["a.proto"]), &Profile::default())
        .expect_err("`a::inner` is two modules");
    assert_eq!(
        faults.to_string(),
        "a.proto:1:49: the module of `a.Inner` and the package `a.inner` are both `inner` in Rust\n  = also here: c.proto: the first of them\n  = help: rename one of them"
    );
}
