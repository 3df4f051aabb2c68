//! The model's Rust names, against what prost-build writes for the same schema.

use std::collections::BTreeMap;
use std::path::Path;

use a2a_codegen::load::{Loaded, Sources, load_protos};
use a2a_codegen::lower::lower;
use a2a_codegen::model::{Api, Cardinality};
use a2a_codegen::profile::Profile;
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
        let mut file = file.clone();
        // prost-build expects a position for everything or no positions at all.
        file.source_code_info = None;
        (Module::from_protobuf_package_name(file.package()), file)
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
