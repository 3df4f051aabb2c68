//! Which files are generated, and what a file may not contain.

use prost_reflect::prost_types::FieldDescriptorProto;
use prost_reflect::prost_types::field_descriptor_proto::Type;

use super::schema::{
    Declaration, FILE_EXTENSIONS, FILE_SYNTAX, File, Kind, MESSAGE_EXTENSIONS, Schema, join_path,
    step,
};
use crate::diagnostics::{Diagnostic, Diagnostics};

/// Files whose types the API needs: those asked for, and those that declare a type which they
/// use, directly or not. An import that is there for its options alone is none of them. In the
/// order of the pool: each after its imports.
pub(super) fn wanted(schema: &Schema<'_>, asked_for: &[String]) -> Vec<usize> {
    let mut wanted = vec![false; schema.files.len()];
    let is_asked_for = |file: &File<'_>| asked_for.iter().any(|name| **name == *file.name);
    let mut open: Vec<usize> = (0..)
        .zip(&schema.files)
        .filter(|(_, file)| is_asked_for(file))
        .map(|(index, _)| index)
        .collect();
    while let Some(index) = open.pop() {
        let Some(flag) = wanted.get_mut(index) else {
            continue;
        };
        if std::mem::replace(flag, true) {
            continue;
        }
        // Well-known types have Rust types of their own.
        open.extend(used_by(schema, index).filter(|file| {
            schema
                .files
                .get(*file)
                .is_some_and(|file| file.proto.package() != "google.protobuf")
        }));
    }
    (0..)
        .zip(wanted)
        .filter(|(_, wanted)| *wanted)
        .map(|(index, _)| index)
        .collect()
}

/// Files that declare what a file uses.
fn used_by<'s>(schema: &'s Schema<'_>, file: usize) -> impl Iterator<Item = usize> + 's {
    let declared = schema
        .declarations
        .values()
        .filter(move |declaration| declaration.file == file);
    let fields = declared.flat_map(|declaration| match &declaration.kind {
        Kind::Message(message) => message.field.as_slice(),
        Kind::Enum(_) => &[],
    });
    let services = schema
        .files
        .get(file)
        .into_iter()
        .flat_map(|file| &file.proto.service);
    let methods = services.flat_map(|service| &service.method);
    let names = fields
        .map(FieldDescriptorProto::type_name)
        .chain(methods.flat_map(|method| [method.input_type(), method.output_type()]));
    names
        .filter_map(|name| schema.find(name))
        .map(|(_, declaration): (_, &Declaration<'_>)| declaration.file)
}

/// Refuses what the generator cannot serve, once per file; false when its declarations need not
/// be looked at.
pub(super) fn check(file: &File<'_>, diagnostics: &mut Diagnostics) -> bool {
    if file.proto.package() == "google.protobuf" {
        let origin = file.origin(&[], file.proto.package());
        diagnostics.push(
            Diagnostic::new(
                origin,
                "the types of `google.protobuf` are built in and not generated",
            )
            .hint("ask for your own files; they can import this one"),
        );
        return false;
    }
    let syntax = file.proto.syntax();
    if syntax != "proto3" {
        let origin = file.origin(&[FILE_SYNTAX], file.proto.package());
        let written = if syntax.is_empty() { "proto2" } else { syntax };
        diagnostics.push(
            Diagnostic::new(
                origin,
                format!("the file is written in {written}, which is not supported"),
            )
            .hint("write it in proto3: start it with `syntax = \"proto3\";`"),
        );
    }
    for (index, extension) in file.proto.extension.iter().enumerate() {
        check_extension(
            file,
            &[FILE_EXTENSIONS, step(index)],
            extension,
            diagnostics,
        );
    }
    true
}

/// Extensions of a message, declared inside of another.
pub(super) fn check_nested_extensions(
    file: &File<'_>,
    declaration: &Declaration<'_>,
    extensions: &[FieldDescriptorProto],
    diagnostics: &mut Diagnostics,
) {
    for (index, extension) in extensions.iter().enumerate() {
        let path = join_path(&declaration.path, &[MESSAGE_EXTENSIONS, step(index)]);
        check_extension(file, &path, extension, diagnostics);
    }
}

/// Declarations of new options are harmless; anything else would be data that gets lost.
fn check_extension(
    file: &File<'_>,
    path: &[i32],
    extension: &FieldDescriptorProto,
    diagnostics: &mut Diagnostics,
) {
    let extendee = extension.extendee().trim_start_matches('.');
    let is_option = extendee.starts_with("google.protobuf.") && extendee.ends_with("Options");
    if is_option && extension.r#type() != Type::Group {
        return;
    }
    let origin = file.origin(path, extension.name());
    diagnostics.push(
        Diagnostic::new(
            origin,
            format!(
                "`{}` extends the message `{extendee}`, which is not supported",
                extension.name()
            ),
        )
        .hint("declare the field in the message itself"),
    );
}
