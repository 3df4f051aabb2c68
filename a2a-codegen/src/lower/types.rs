//! Types of fields.

use prost_reflect::prost_types::FieldDescriptorProto;
use prost_reflect::prost_types::field_descriptor_proto::Type as ProtoType;

use super::schema::{Kind, Schema};
use crate::model::{Scalar, Type, WellKnown};

/// Why a field's type cannot be used.
pub(super) struct Unsupported {
    pub(super) message: String,
    pub(super) hint: String,
}

impl Unsupported {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
        }
    }

    pub(super) fn bad_map_entry(name: &str) -> Self {
        Self::new(
            format!("`{name}` is no entry of a map"),
            "remove the option `map_entry` and declare a field of type `map<…, …>`",
        )
    }
}

/// The type of the keys of a map.
pub(super) fn map_key(key: &FieldDescriptorProto) -> Result<Scalar, Unsupported> {
    match key.r#type() {
        ProtoType::Double
        | ProtoType::Float
        | ProtoType::Bytes
        | ProtoType::Message
        | ProtoType::Group
        | ProtoType::Enum => Err(Unsupported::new(
            "a map cannot have keys of this type",
            "keys are integers, `bool` or `string`",
        )),
        scalar => Ok(scalar_of(scalar)),
    }
}

/// The type of one value of a field.
pub(super) fn of_field(
    schema: &Schema<'_>,
    field: &FieldDescriptorProto,
) -> Result<Type, Unsupported> {
    match field.r#type() {
        ProtoType::Message | ProtoType::Enum => of_name(schema, field.type_name()),
        ProtoType::Group => Err(Unsupported::new(
            "groups are not supported",
            "declare a message and a field of that type",
        )),
        scalar => Ok(Type::Scalar(scalar_of(scalar))),
    }
}

/// The message or enum of a name.
pub(super) fn of_name(schema: &Schema<'_>, type_name: &str) -> Result<Type, Unsupported> {
    let Some((name, declaration)) = schema.find(type_name) else {
        return Err(Unsupported::new(
            format!("the type `{type_name}` is not declared"),
            "import the file that declares it",
        ));
    };
    if let Some(well_known) = well_known(name) {
        return Ok(Type::WellKnown(well_known));
    }
    if name == "google.api.HttpBody" {
        return Err(Unsupported::new(
            "`google.api.HttpBody` is not supported yet",
            "use a message with a `bytes` field and one for the media type",
        ));
    }
    if declaration.package == "google.protobuf" {
        let hint = if name == "google.protobuf.NullValue" {
            "use `google.protobuf.Value`, which has a null"
        } else {
            "the well-known types are Timestamp, Duration, FieldMask, Struct, Value, ListValue, Empty, Any and the wrappers"
        };
        return Err(Unsupported::new(format!("`{name}` is not supported"), hint));
    }
    Ok(match declaration.kind {
        Kind::Message(_) => Type::Message(name.to_owned()),
        Kind::Enum(_) => Type::Enum(name.to_owned()),
    })
}

/// Scalars of the language; what is none stands for bytes, which no caller asks for.
fn scalar_of(ty: ProtoType) -> Scalar {
    match ty {
        ProtoType::Double => Scalar::Double,
        ProtoType::Float => Scalar::Float,
        ProtoType::Int32 => Scalar::Int32,
        ProtoType::Int64 => Scalar::Int64,
        ProtoType::Uint32 => Scalar::Uint32,
        ProtoType::Uint64 => Scalar::Uint64,
        ProtoType::Sint32 => Scalar::Sint32,
        ProtoType::Sint64 => Scalar::Sint64,
        ProtoType::Fixed32 => Scalar::Fixed32,
        ProtoType::Fixed64 => Scalar::Fixed64,
        ProtoType::Sfixed32 => Scalar::Sfixed32,
        ProtoType::Sfixed64 => Scalar::Sfixed64,
        ProtoType::Bool => Scalar::Bool,
        ProtoType::String => Scalar::String,
        ProtoType::Bytes | ProtoType::Message | ProtoType::Group | ProtoType::Enum => Scalar::Bytes,
    }
}

fn well_known(name: &str) -> Option<WellKnown> {
    Some(match name.strip_prefix("google.protobuf.")? {
        "Timestamp" => WellKnown::Timestamp,
        "Duration" => WellKnown::Duration,
        "FieldMask" => WellKnown::FieldMask,
        "Struct" => WellKnown::Struct,
        "Value" => WellKnown::Value,
        "ListValue" => WellKnown::ListValue,
        "Empty" => WellKnown::Empty,
        "Any" => WellKnown::Any,
        "DoubleValue" => WellKnown::Wrapper(Scalar::Double),
        "FloatValue" => WellKnown::Wrapper(Scalar::Float),
        "Int64Value" => WellKnown::Wrapper(Scalar::Int64),
        "UInt64Value" => WellKnown::Wrapper(Scalar::Uint64),
        "Int32Value" => WellKnown::Wrapper(Scalar::Int32),
        "UInt32Value" => WellKnown::Wrapper(Scalar::Uint32),
        "BoolValue" => WellKnown::Wrapper(Scalar::Bool),
        "StringValue" => WellKnown::Wrapper(Scalar::String),
        "BytesValue" => WellKnown::Wrapper(Scalar::Bytes),
        _ => return None,
    })
}
