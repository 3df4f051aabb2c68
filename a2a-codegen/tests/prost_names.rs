//! The model's Rust names, against what prost-build writes for the same schema.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use a2a_codegen::load::{Loaded, Sources, load_protos};
use a2a_codegen::lower::lower;
use a2a_codegen::model::{Api, Cardinality};
use a2a_codegen::profile::Profile;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use prost_build::Module;
use quote::ToTokens;
use syn::ext::IdentExt;

/// `module::Type` to its members, each with whether it is boxed.
type Items = BTreeMap<String, BTreeMap<String, bool>>;

fn from_model(api: &Api, package: &str) -> Items {
    let mut items = Items::new();
    for message in api
        .messages
        .values()
        .filter(|message| message.package == package)
    {
        let mut members = BTreeMap::new();
        for field in &message.fields {
            let owner = match field.cardinality {
                Cardinality::Oneof(oneof) => items
                    .entry(message.oneofs[oneof].rust_path.join("::"))
                    .or_default(),
                _ => &mut members,
            };
            owner.insert(field.rust_name.clone(), field.boxed);
        }
        for oneof in &message.oneofs {
            members.insert(oneof.rust_name.clone(), false);
        }
        items.insert(message.rust_path.join("::"), members);
    }
    for enumeration in api
        .enums
        .values()
        .filter(|enumeration| enumeration.package == package)
    {
        let variants = enumeration
            .values
            .iter()
            .map(|value| (value.rust_name.clone(), false));
        items.insert(enumeration.rust_path.join("::"), variants.collect());
    }
    items
}

fn from_prost(loaded: &Loaded, package: &str) -> Items {
    let files = loaded.pool.file_descriptor_protos();
    let requests = files.map(|file| {
        (
            Module::from_protobuf_package_name(file.package()),
            file.clone(),
        )
    });
    let mut config = prost_build::Config::new();
    config.btree_map(["."]);
    let written = config
        .generate(requests.collect())
        .expect("prost-build takes the schema");
    let text = &written[&Module::from_protobuf_package_name(package)];
    let mut items = Items::new();
    collect(
        &syn::parse_file(text)
            .expect("prost-build writes Rust")
            .items,
        "",
        &mut items,
    );
    items
}

fn collect(from: &[syn::Item], module: &str, items: &mut Items) {
    let path = |ident: &syn::Ident| format!("{module}{}", ident.unraw());
    let is_boxed = |ty: &syn::Type| ty.to_token_stream().to_string().contains("boxed :: Box");
    for item in from {
        match item {
            syn::Item::Struct(item) => {
                let fields = item
                    .fields
                    .iter()
                    .filter_map(|field| Some((field.ident.as_ref()?, &field.ty)));
                let fields = fields.map(|(ident, ty)| (ident.unraw().to_string(), is_boxed(ty)));
                items.insert(path(&item.ident), fields.collect());
            }
            syn::Item::Enum(item) => {
                let boxed =
                    |variant: &syn::Variant| variant.fields.iter().any(|field| is_boxed(&field.ty));
                let variants = item
                    .variants
                    .iter()
                    .map(|v| (v.ident.unraw().to_string(), boxed(v)));
                items.insert(path(&item.ident), variants.collect());
            }
            syn::Item::Mod(item) => {
                let (_, inner) = item.content.as_ref().expect("modules are written in place");
                collect(inner, &format!("{}::", path(&item.ident)), items);
            }
            _ => {}
        }
    }
}

fn assert_same_names(sources: &Sources, package: &str) {
    let loaded = load_protos(sources).expect("the schema loads");
    let api = lower(&loaded, &Profile::default()).expect("the schema lowers");
    assert_eq!(from_model(&api, package), from_prost(&loaded, package));
}

const NAMES: [&str; 28] = [
    "A",
    "B",
    "AB",
    "aB",
    "a_b",
    "foo",
    "Foo",
    "FOO_BAR",
    "fooBar",
    "FooBar",
    "type",
    "self",
    "Self",
    "crate",
    "super",
    "match",
    "async",
    "gen",
    "_x",
    "x_",
    "x__y",
    "_",
    "v1",
    "HTTPServer",
    "Option",
    "name",
    "kind",
    "K1nd",
];

/// A message with fields, a oneof and nested types, of which some will not be legal.
fn message(depth: u32) -> BoxedStrategy<String> {
    let name = || select(NAMES.to_vec());
    let ty = prop_oneof![
        select(NAMES.to_vec()),
        select(vec!["string", "int32", "bytes", "double"])
    ];
    let label = select(vec!["", "", "", "optional ", "repeated ", "map<string, "]);
    let field = (label, ty.clone(), name()).prop_map(|(label, ty, name)| {
        let close = if label.starts_with("map") { ">" } else { "" };
        format!("{label}{ty}{close} {name} = NUMBER;")
    });
    let member = (ty, name()).prop_map(|(ty, name)| format!("{ty} {name} = NUMBER;"));
    let oneof = (name(), vec(member, 1..3))
        .prop_map(|(name, members)| format!("oneof {name} {{ {} }}", members.concat()));
    let value = name().prop_map(|name| format!("{name} = NUMBER;"));
    let enumeration = (name(), name(), vec(value, 0..3)).prop_map(|(name, zero, values)| {
        format!("enum {name} {{ {zero} = 0; {} }}", values.concat())
    });
    let nested = if depth == 0 {
        Just(Vec::new()).boxed()
    } else {
        vec(message(depth - 1), 0..2).boxed()
    };
    (
        name(),
        vec(field, 0..4),
        vec(oneof, 0..2),
        vec(enumeration, 0..2),
        nested,
    )
        .prop_map(|(name, fields, oneofs, enums, nested)| {
            format!(
                "message {name} {{ {} {} {} {} }}\n",
                fields.concat(),
                oneofs.concat(),
                enums.concat(),
                nested.concat()
            )
        })
        .boxed()
}

/// Numbers are of no interest here, they only must differ.
fn numbered(text: &str) -> String {
    let parts = text.split("NUMBER").enumerate();
    parts
        .map(|(n, part)| {
            if n == 0 {
                part.to_owned()
            } else {
                format!("{n}{part}")
            }
        })
        .collect()
}

/// Whatever lowers, prost-build takes without a panic and with the same names; what it could not
/// take was refused. And whatever lowers can be written.
#[test]
fn names_of_random_schemas() {
    let compared = Cell::new(0);
    let mut runner = TestRunner::new(Config {
        cases: 2000,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&vec(message(2), 1..4), |messages| {
        let text = format!(
            "syntax = \"proto3\";\npackage p;\n{}",
            numbered(&messages.concat())
        );
        let Ok(loaded) = load_protos(
            &Sources::new()
                .virtual_file("t.proto", text.as_str())
                .file("t.proto"),
        ) else {
            return Ok(());
        };
        if let Ok(api) = lower(&loaded, &Profile::default()) {
            compared.set(compared.get() + 1);
            prop_assert_eq!(from_model(&api, "p"), from_prost(&loaded, "p"));
            let written = a2a_codegen::Builder::new()
                .virtual_file("t.proto", text.as_str())
                .file("t.proto")
                .generate();
            prop_assert!(written.is_ok(), "{:?}", written.err());
        }
        Ok(())
    });
    outcome.unwrap_or_else(|fault| panic!("{fault}"));
    assert!(
        compared.get() > 30,
        "only {} of the schemas were legal",
        compared.get()
    );
}

fn manifest(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn names_of_a2a() {
    let sources = Sources::new()
        .include(manifest("../proto"))
        .file("a2a/v1.0/a2a.proto");
    assert_same_names(&sources, "lf.a2a.v1");
}

#[test]
fn names_that_are_odd() {
    let sources = Sources::new()
        .include(manifest("tests/data"))
        .file("names.proto");
    assert_same_names(&sources, "odd.Names_1.v1");
}
