//! Words for what the model and the plan hold.

use super::Version;
use super::model::{Route, Spelling, VersionInfo};
use crate::model::{Api, Body, Cardinality, Field, HttpBinding, Message, Scalar, Segment, Type};
use crate::plan::model::{Absent, Encoding, Via};

impl From<&Version<'_>> for VersionInfo {
    fn from(version: &Version<'_>) -> Self {
        let schema = version.schema.iter().flat_map(|schema| &schema.sources);
        let services = &version.api.services;
        Self {
            name: version.name.to_owned(),
            sources: version.api.sources.iter().chain(schema).cloned().collect(),
            service: services.first().map(|service| service.proto_name.clone()),
        }
    }
}

impl From<Encoding> for Spelling {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Proto => Self::Proto,
            Encoding::Json => Self::Json,
        }
    }
}

/// A full name without its package.
pub(super) fn short<'n>(api: &Api, full: &'n str) -> &'n str {
    let package = match (api.messages.get(full), api.enums.get(full)) {
        (Some(message), _) => message.package.as_str(),
        (None, Some(each)) => each.package.as_str(),
        (None, None) => full.strip_suffix(".Empty").unwrap_or_default(),
    };
    let rest = full.strip_prefix(package);
    match rest.and_then(|rest| rest.strip_prefix('.')) {
        Some(rest) if !package.is_empty() => rest,
        _ => full,
    }
}

/// The name of a field as its spelling writes it.
pub(super) fn written(field: &Field, encoding: Encoding) -> &str {
    match encoding {
        Encoding::Proto => &field.proto_name,
        Encoding::Json => &field.json_name,
    }
}

/// `list of string`, `optional bool`.
pub(super) fn type_of(api: &Api, field: &Field) -> String {
    let ty = match &field.ty {
        Type::Scalar(scalar) => scalar_name(*scalar).to_owned(),
        Type::WellKnown(known) => format!("{known:?}"),
        Type::Message(name) | Type::Enum(name) | Type::Union(name) => short(api, name).to_owned(),
    };
    let is_scalar = matches!(field.ty, Type::Scalar(_) | Type::Enum(_));
    match &field.cardinality {
        Cardinality::Repeated => format!("list of {ty}"),
        Cardinality::Map { .. } => format!("map of {ty}"),
        Cardinality::Explicit if is_scalar => format!("optional {ty}"),
        _ => ty,
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Double => "double",
        Scalar::Float => "float",
        Scalar::Int32 => "int32",
        Scalar::Int64 => "int64",
        Scalar::Uint32 => "uint32",
        Scalar::Uint64 => "uint64",
        Scalar::Sint32 => "sint32",
        Scalar::Sint64 => "sint64",
        Scalar::Fixed32 => "fixed32",
        Scalar::Fixed64 => "fixed64",
        Scalar::Sfixed32 => "sfixed32",
        Scalar::Sfixed64 => "sfixed64",
        Scalar::Bool => "bool",
        Scalar::String => "string",
        Scalar::Bytes => "bytes",
    }
}

/// What happens to a value; nothing for [`Via::Same`].
pub(super) fn via(via: &Via) -> Option<String> {
    Some(match via {
        Via::Same => return None,
        Via::Not => "the opposite".to_owned(),
        Via::ZeroIsUnset => "0 counts as unset in the older version".to_owned(),
        Via::First => "the first of the list".to_owned(),
        Via::LenientTime => "times in other forms are read too".to_owned(),
        Via::EmptyIsUnset => "`{}` counts as unset".to_owned(),
        Via::OneOf(id) => format!("other texts are refused ({id})"),
        Via::Hook(name) => format!("hook `{name}`"),
    })
}

/// What the absence of an older value means; nothing when the newer one is unset then as well.
pub(super) fn absent(absent: &Absent) -> Option<String> {
    Some(match absent {
        Absent::Unset => return None,
        Absent::Bool { value, .. } => format!("absent counts as `{value}`"),
        Absent::Lost(id) => format!("absent is noted ({id})"),
        Absent::Refused(id) => format!("absent is refused ({id})"),
    })
}

/// The id in it, if there is one.
pub(super) fn absent_loss(absent: &Absent) -> Option<&String> {
    match absent {
        Absent::Unset => None,
        Absent::Bool { loss, .. } => loss.as_ref(),
        Absent::Lost(id) | Absent::Refused(id) => Some(id),
    }
}

/// The routes of a method.
pub(super) fn routes(
    bindings: &[HttpBinding],
    request: Option<&Message>,
    extra: &[crate::profile::ExtraRoute],
) -> Vec<Route> {
    let route = |binding: &HttpBinding| Route {
        method: binding.method.clone(),
        path: binding.template.text.clone(),
        body: match binding.body {
            Body::None => String::new(),
            Body::All => "*".to_owned(),
            Body::Field(index) => request
                .and_then(|request| request.fields.get(index))
                .map_or_else(String::new, |field| field.proto_name.clone()),
        },
        declared: !extra
            .iter()
            .any(|extra| extra.method == binding.method && extra.path == binding.template.text),
        prefixed: bindings.iter().any(|shorter| is_prefixed(binding, shorter)),
    };
    bindings.iter().map(route).collect()
}

/// True when a route is another one with a variable in front.
fn is_prefixed(long: &HttpBinding, short: &HttpBinding) -> bool {
    let (longer, shorter) = (&long.template, &short.template);
    long.method == short.method
        && longer.verb == shorter.verb
        && longer.segments.first() == Some(&Segment::Single)
        && longer.segments.get(1..) == Some(&shorter.segments)
}

/// Words in a row: `a, b and c`.
pub(super) fn enumerate(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
