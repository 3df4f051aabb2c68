//! Messages, their fields and oneofs.

use prost_reflect::prost_types::field_descriptor_proto::{Label, Type as ProtoType};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FieldOptions, MessageOptions,
};

use super::files::check_nested_extensions;
use super::names;
use super::options::REQUIRED;
use super::recursion::Recursion;
use super::schema::{
    Declaration, File, Kind, MESSAGE_FIELDS, MESSAGE_ONEOFS, Schema, join_path, step,
};
use super::types;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, Cardinality, Field, Message, Oneof, Scalar, Type};

pub(super) fn lower_messages(
    schema: &Schema<'_>,
    files: &[usize],
    api: &mut Api,
    diagnostics: &mut Diagnostics,
) {
    let recursion = Recursion::new(schema);
    for (name, declaration, file) in schema.of_files(files) {
        let Kind::Message(proto) = &declaration.kind else {
            continue;
        };
        if is_map_entry(proto) {
            check_map_entry(name, declaration, file, diagnostics);
            continue;
        }
        let mut lowering = Lowering {
            schema,
            recursion: &recursion,
            name,
            declaration,
            file,
            proto,
            diagnostics,
        };
        let lowered = lowering.message();
        api.messages.insert(name.to_owned(), lowered);
    }
}

fn is_map_entry(proto: &DescriptorProto) -> bool {
    proto
        .options
        .as_ref()
        .is_some_and(MessageOptions::map_entry)
}

/// The compiler makes entries inside of messages; one that stands alone was marked by hand.
fn check_map_entry(
    name: &str,
    declaration: &Declaration<'_>,
    file: &File<'_>,
    diagnostics: &mut Diagnostics,
) {
    if declaration.path.len() == 2 {
        diagnostics.push(
            Diagnostic::new(
                file.origin(&declaration.path, name),
                format!("the message `{name}` is marked as the entry of a map"),
            )
            .hint("remove the option `map_entry` and declare a field of type `map<…, …>`"),
        );
    }
}

/// The lowering of one message.
struct Lowering<'s, 'a, 'd> {
    schema: &'s Schema<'a>,
    recursion: &'s Recursion<'s>,
    name: &'s str,
    declaration: &'s Declaration<'a>,
    file: &'s File<'a>,
    proto: &'s DescriptorProto,
    diagnostics: &'d mut Diagnostics,
}

impl Lowering<'_, '_, '_> {
    fn message(&mut self) -> Message {
        check_nested_extensions(
            self.file,
            self.declaration,
            &self.proto.extension,
            self.diagnostics,
        );
        let (mut oneofs, oneof_indices) = self.oneofs();
        let mut fields = Vec::with_capacity(self.proto.field.len());
        for (index, proto) in self.proto.field.iter().enumerate() {
            let Some(field) = self.field(index, proto, &oneof_indices) else {
                continue;
            };
            if let Cardinality::Oneof(oneof) = field.cardinality
                && let Some(oneof) = oneofs.get_mut(oneof)
            {
                oneof.fields.push(fields.len());
            }
            fields.push(field);
        }
        Message {
            proto_name: self.name.to_owned(),
            package: self.declaration.package.to_owned(),
            rust_path: self.declaration.rust_path.clone(),
            fields,
            oneofs,
            constants: Vec::new(),
            bare: false,
            docs: self.file.docs(&self.declaration.path),
            deprecated: self
                .proto
                .options
                .as_ref()
                .is_some_and(MessageOptions::deprecated),
            origin: self.file.origin(&self.declaration.path, self.name),
        }
    }

    /// The real oneofs, and for each declared one its index among them.
    fn oneofs(&self) -> (Vec<Oneof>, Vec<Option<usize>>) {
        let mut oneofs = Vec::new();
        let mut indices = Vec::with_capacity(self.proto.oneof_decl.len());
        for (index, proto) in self.proto.oneof_decl.iter().enumerate() {
            let is_member = |field: &FieldDescriptorProto| {
                field.oneof_index == Some(step(index)) && !field.proto3_optional()
            };
            if !self.proto.field.iter().any(is_member) {
                indices.push(None);
                continue;
            }
            indices.push(Some(oneofs.len()));
            let path = join_path(&self.declaration.path, &[MESSAGE_ONEOFS, step(index)]);
            oneofs.push(Oneof {
                proto_name: proto.name().to_owned(),
                rust_name: names::snake(proto.name()),
                rust_path: self.oneof_rust_path(proto.name()),
                fields: Vec::new(),
                docs: self.file.docs(&path),
                origin: self
                    .file
                    .origin(&path, &format!("{}.{}", self.name, proto.name())),
            });
        }
        (oneofs, indices)
    }

    /// The enum of a oneof lives in the message's module, beside the nested types; when one of
    /// them (map entries count) has its name, prost-build appends `OneOf`.
    fn oneof_rust_path(&self, oneof: &str) -> Vec<String> {
        let mut rust_name = names::upper_camel(oneof);
        let messages = self.proto.nested_type.iter().map(DescriptorProto::name);
        let enums = self.proto.enum_type.iter().map(EnumDescriptorProto::name);
        if messages
            .chain(enums)
            .any(|nested| names::upper_camel(nested) == rust_name)
        {
            rust_name.push_str("OneOf");
        }
        let mut path = self.declaration.rust_path.clone();
        path.pop();
        path.push(names::snake(self.proto.name()));
        path.push(rust_name);
        path
    }

    fn field(
        &mut self,
        index: usize,
        proto: &FieldDescriptorProto,
        oneofs: &[Option<usize>],
    ) -> Option<Field> {
        let path = join_path(&self.declaration.path, &[MESSAGE_FIELDS, step(index)]);
        let origin = self
            .file
            .origin(&path, &format!("{}.{}", self.name, proto.name()));
        let fault = |unsupported: types::Unsupported| {
            let message = format!(
                "field `{}` of `{}`: {}",
                proto.name(),
                self.name,
                unsupported.message
            );
            Diagnostic::new(origin.clone(), message).hint(unsupported.hint)
        };
        let typed = match self.map_types(proto) {
            Some(entry) => entry.map(|(key, ty)| (Cardinality::Map { key }, ty)),
            None => {
                types::of_field(self.schema, proto).map(|ty| (cardinality(proto, &ty, oneofs), ty))
            }
        };
        let (cardinality, ty) = match typed.map_err(fault) {
            Ok(typed) => typed,
            Err(fault) => {
                self.diagnostics.push(fault);
                return None;
            }
        };
        let single = !matches!(cardinality, Cardinality::Repeated | Cardinality::Map { .. });
        let rust_name = match cardinality {
            Cardinality::Oneof(_) => names::upper_camel(proto.name()),
            _ => names::snake(proto.name()),
        };
        let options = self.file.options.field(&path);
        Some(Field {
            proto_name: proto.name().to_owned(),
            json_name: proto
                .json_name
                .clone()
                .unwrap_or_else(|| names::json_name(proto.name())),
            rust_name,
            number: u32::try_from(proto.number()).unwrap_or(0),
            boxed: single && self.holds_this(proto),
            ty,
            cardinality,
            required: options.is_some_and(|options| options.behaviors.contains(&REQUIRED)),
            deprecated: proto.options.as_ref().is_some_and(FieldOptions::deprecated),
            docs: self.file.docs(&path),
            origin,
        })
    }

    /// True when the type of a field holds this message.
    fn holds_this(&self, proto: &FieldDescriptorProto) -> bool {
        proto.r#type() == ProtoType::Message
            && self
                .schema
                .find(proto.type_name())
                .is_some_and(|(inner, _)| self.recursion.holds(inner, self.name))
    }

    /// Key and value types of a map; `None` for other fields.
    fn map_types(
        &self,
        proto: &FieldDescriptorProto,
    ) -> Option<Result<(Scalar, Type), types::Unsupported>> {
        if proto.label() != Label::Repeated || proto.r#type() != ProtoType::Message {
            return None;
        }
        let (name, declaration) = self.schema.find(proto.type_name())?;
        let entry = match &declaration.kind {
            Kind::Message(entry) if is_map_entry(entry) => entry,
            _ => return None,
        };
        let own = name
            .strip_prefix(self.name)
            .and_then(|rest| rest.strip_prefix('.'))
            == Some(entry.name());
        let [key, value] = entry.field.as_slice() else {
            return Some(Err(types::Unsupported::bad_map_entry(name)));
        };
        if !own || key.name() != "key" || value.name() != "value" {
            return Some(Err(types::Unsupported::bad_map_entry(name)));
        }
        Some(types::of_field(self.schema, value).and_then(|ty| Ok((types::map_key(key)?, ty))))
    }
}

fn cardinality(proto: &FieldDescriptorProto, ty: &Type, oneofs: &[Option<usize>]) -> Cardinality {
    if proto.label() == Label::Repeated {
        return Cardinality::Repeated;
    }
    if proto.proto3_optional() {
        return Cardinality::Explicit;
    }
    let declared = proto
        .oneof_index
        .and_then(|index| usize::try_from(index).ok());
    if let Some(oneof) = declared.and_then(|index| oneofs.get(index).copied().flatten()) {
        return Cardinality::Oneof(oneof);
    }
    match ty {
        Type::Message(_) | Type::WellKnown(_) | Type::Union(_) => Cardinality::Explicit,
        Type::Scalar(_) | Type::Enum(_) => Cardinality::Implicit,
    }
}
