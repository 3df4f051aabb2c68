//! Enums.

use std::collections::BTreeMap;

use prost_reflect::prost_types::EnumDescriptorProto;

use super::names;
use super::schema::{Declaration, ENUM_VALUES, File, Kind, Schema, join_path, step};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, Enum, EnumValue};

pub(super) fn lower_enums(
    schema: &Schema<'_>,
    files: &[usize],
    api: &mut Api,
    diagnostics: &mut Diagnostics,
) {
    for (name, declaration, file) in schema.of_files(files) {
        if let Kind::Enum(proto) = &declaration.kind {
            let lowered = lower_enum(name, declaration, file, proto, diagnostics);
            api.enums.insert(name.to_owned(), lowered);
        }
    }
}

fn lower_enum(
    name: &str,
    declaration: &Declaration<'_>,
    file: &File<'_>,
    proto: &EnumDescriptorProto,
    diagnostics: &mut Diagnostics,
) -> Enum {
    let rust_name = names::upper_camel(proto.name());
    // Variant and declared name of each number: an alias is the variant of the first.
    let mut by_number: BTreeMap<i32, String> = BTreeMap::new();
    let mut by_variant: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    let mut values = Vec::with_capacity(proto.value.len());
    for (index, value) in proto.value.iter().enumerate() {
        let path = join_path(&declaration.path, &[ENUM_VALUES, step(index)]);
        let variant = by_number
            .entry(value.number())
            .or_insert_with(|| {
                let variant = names::variant(&rust_name, value.name());
                let origin = || file.origin(&path, &format!("{name}.{}", value.name()));
                if variant.is_empty() {
                    let what = format!("the value `{}` of the enum `{name}`", value.name());
                    diagnostics.push(names::unnameable(origin(), &what));
                }
                if let Some((other, at)) = by_variant.insert(variant.clone(), (value.name(), index)) {
                    let first = join_path(&declaration.path, &[ENUM_VALUES, step(at)]);
                    diagnostics.push(
                        Diagnostic::new(
                            origin(),
                            format!("`{}` and `{other}` of the enum `{name}` are both `{variant}` in Rust", value.name()),
                        )
                        .also(file.origin(&first, name), "the first of them")
                        .hint("rename one of them"),
                    );
                }
                variant
            })
            .clone();
        values.push(EnumValue {
            proto_name: value.name().to_owned(),
            rust_name: variant,
            number: value.number(),
            docs: file.docs(&path),
        });
    }
    Enum {
        proto_name: name.to_owned(),
        package: declaration.package.to_owned(),
        rust_path: declaration.rust_path.clone(),
        values,
        docs: file.docs(&declaration.path),
        origin: file.origin(&declaration.path, name),
    }
}
