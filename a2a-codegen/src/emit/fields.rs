//! What all emitters of messages ask about fields and types.
//!
//! Comes in: the model of one package's messages. Goes out: paths of types, codecs of fields, and
//! which messages need what.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use super::{Paths, ident};
use crate::model::{Api, Body, Cardinality, Enum, Field, Message, Oneof, Scalar, Type, WellKnown};
use crate::profile::{Profile, UnknownFields};

/// The messages of a package, and how generated code names things.
pub(super) struct Schema<'a> {
    pub(super) api: &'a Api,
    pub(super) profile: &'a Profile,
    package: &'a str,
    paths: Paths,
    /// The hidden door into `a2a-wire`.
    pub(super) door: TokenStream,
    /// Messages in which, or below which, something is required.
    checked: BTreeSet<&'a str>,
    /// Fields that are the body of a route, by message.
    body_fields: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Schema<'a> {
    pub(super) fn new(api: &'a Api, profile: &'a Profile, package: &'a str, paths: &Paths) -> Self {
        // Seen from the module that is written, its own types are beside it.
        let paths = Paths {
            types: "self".to_owned(),
            ..paths.clone()
        };
        Self {
            api,
            profile,
            package,
            door: paths.wire_door(),
            paths,
            checked: checked_messages(api, profile),
            body_fields: body_fields(api),
        }
    }

    pub(super) fn message(&self, message: &Message) -> TokenStream {
        self.paths
            .item(self.package, &message.package, &message.rust_path)
    }

    pub(super) fn enumeration(&self, each: &Enum) -> TokenStream {
        self.paths
            .item(self.package, &each.package, &each.rust_path)
    }

    pub(super) fn oneof(&self, message: &Message, oneof: &Oneof) -> TokenStream {
        self.paths
            .item(self.package, &message.package, &oneof.rust_path)
    }

    /// The path of a oneof's variant.
    pub(super) fn variant(&self, message: &Message, oneof: &Oneof, field: &Field) -> TokenStream {
        let (oneof, variant) = (self.oneof(message, oneof), ident(&field.rust_name));
        quote!(#oneof::#variant)
    }

    /// True when something is required in a message or below it.
    pub(super) fn is_checked(&self, message: &str) -> bool {
        self.checked.contains(message)
    }

    /// Fields of a message that are the body of a route.
    pub(super) fn body_fields(&self, message: &str) -> impl Iterator<Item = usize> + '_ {
        self.body_fields.get(message).into_iter().flatten().copied()
    }

    pub(super) fn rejects_unknown(&self) -> bool {
        self.profile.json.unknown_fields == UnknownFields::Reject
    }

    /// True when a default value is written all the same.
    pub(super) fn always_written(&self, field: &Field) -> bool {
        field.required && self.profile.json.always_write_required
    }

    /// For code that touches what the schema deprecates.
    pub(super) fn allow(&self, message: &Message) -> TokenStream {
        let touches = message.deprecated
            || message.fields.iter().any(|field| {
                field.deprecated
                    || matches!(&field.ty, Type::Message(name) if self.find(name).is_some_and(|message| message.deprecated))
            });
        if touches {
            self.allow_deprecated()
        } else {
            TokenStream::new()
        }
    }

    pub(super) fn allow_deprecated(&self) -> TokenStream {
        quote!(#[allow(deprecated, reason = "what the schema deprecates is still read and written")])
    }

    pub(super) fn find(&self, message: &str) -> Option<&'a Message> {
        self.api.messages.get(message)
    }

    /// The type of one value in Rust, without a box.
    pub(super) fn rust_type(&self, ty: &Type) -> TokenStream {
        let door = &self.door;
        match ty {
            Type::Scalar(scalar) | Type::WellKnown(WellKnown::Wrapper(scalar)) => {
                self.scalar_type(*scalar)
            }
            Type::Enum(_) => quote!(i32),
            Type::Message(name) => self
                .find(name)
                .map(|message| self.message(message))
                .unwrap_or_default(),
            Type::WellKnown(known) => match known {
                WellKnown::Timestamp => quote!(#door::types::Timestamp),
                WellKnown::Duration => quote!(#door::types::Duration),
                WellKnown::FieldMask => quote!(#door::types::FieldMask),
                WellKnown::Struct => quote!(#door::types::Struct),
                WellKnown::Value => quote!(#door::types::Value),
                WellKnown::ListValue => quote!(#door::types::ListValue),
                WellKnown::Any => quote!(#door::types::Any),
                WellKnown::Empty | WellKnown::Wrapper(_) => quote!(()),
            },
            // Only a JSON schema has unions, and no messages are made of that.
            Type::Union(_) => TokenStream::new(),
        }
    }

    pub(super) fn scalar_type(&self, scalar: Scalar) -> TokenStream {
        let door = &self.door;
        match scalar {
            Scalar::Double => quote!(f64),
            Scalar::Float => quote!(f32),
            Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => quote!(i32),
            Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => quote!(i64),
            Scalar::Uint32 | Scalar::Fixed32 => quote!(u32),
            Scalar::Uint64 | Scalar::Fixed64 => quote!(u64),
            Scalar::Bool => quote!(bool),
            Scalar::String => quote!(::std::string::String),
            Scalar::Bytes => quote!(#door::bytes::Bytes),
        }
    }

    /// The codec of a whole field: of its list or map where it is one.
    pub(super) fn codec(&self, field: &Field) -> TokenStream {
        let door = &self.door;
        let value = self.value_codec(field);
        match &field.cardinality {
            Cardinality::Repeated => quote!(#door::json::List<#value>),
            Cardinality::Map { key } => {
                let key = map_key(*key);
                quote!(#door::json::Map<#door::json::#key, #value>)
            }
            Cardinality::Implicit | Cardinality::Explicit | Cardinality::Oneof(_) => value,
        }
    }

    /// The codec of one value of a field.
    pub(super) fn value_codec(&self, field: &Field) -> TokenStream {
        let door = &self.door;
        match &field.ty {
            Type::Scalar(scalar) | Type::WellKnown(WellKnown::Wrapper(scalar)) => {
                let name = match scalar {
                    Scalar::Double => quote!(Double),
                    Scalar::Float => quote!(Float),
                    Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => quote!(Int32),
                    Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => quote!(Int64),
                    Scalar::Uint32 | Scalar::Fixed32 => quote!(Uint32),
                    Scalar::Uint64 | Scalar::Fixed64 => quote!(Uint64),
                    Scalar::Bool => quote!(Bool),
                    Scalar::String => quote!(Str),
                    Scalar::Bytes => quote!(Bytes),
                };
                quote!(#door::json::#name)
            }
            Type::Enum(name) => {
                let ty = self.enum_path(name);
                quote!(#door::json::Enumeration<#ty>)
            }
            Type::Message(_) => {
                let ty = self.rust_type(&field.ty);
                if field.boxed {
                    quote!(#door::json::Boxed<#ty>)
                } else {
                    quote!(#door::json::Message<#ty>)
                }
            }
            Type::WellKnown(known) => match known {
                WellKnown::Timestamp => {
                    let digits = self.profile.json.timestamp_digits;
                    let digits = proc_macro2::Literal::u8_unsuffixed(digits);
                    quote!(#door::json::Timestamp<#digits>)
                }
                WellKnown::Duration => quote!(#door::json::Duration),
                WellKnown::FieldMask => quote!(#door::json::FieldMask),
                WellKnown::Struct => quote!(#door::json::Struct),
                WellKnown::Value => quote!(#door::json::Value),
                WellKnown::ListValue => quote!(#door::json::ListValue),
                WellKnown::Any => quote!(#door::json::Any),
                WellKnown::Empty | WellKnown::Wrapper(_) => {
                    let rejects = self.rejects_unknown();
                    quote!(#door::json::Empty<#rejects>)
                }
            },
            Type::Union(_) => TokenStream::new(),
        }
    }

    pub(super) fn enum_path(&self, name: &str) -> TokenStream {
        self.api
            .enums
            .get(name)
            .map(|each| self.enumeration(each))
            .unwrap_or_default()
    }
}

/// The codec of a map's keys.
pub(super) fn map_key(key: Scalar) -> TokenStream {
    match key {
        Scalar::Bool => quote!(BoolKey),
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => quote!(Int32Key),
        Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => quote!(Int64Key),
        Scalar::Uint32 | Scalar::Fixed32 => quote!(Uint32Key),
        Scalar::Uint64 | Scalar::Fixed64 => quote!(Uint64Key),
        Scalar::String | Scalar::Bytes | Scalar::Double | Scalar::Float => quote!(StrKey),
    }
}

/// The members of a oneof.
pub(super) fn members<'m>(
    message: &'m Message,
    oneof: &'m Oneof,
) -> impl Iterator<Item = (usize, &'m Field)> {
    oneof
        .fields
        .iter()
        .filter_map(|index| message.fields.get(*index).map(|field| (*index, field)))
}

/// The JSON names of a oneof's members, for people: `text, raw, url, data`.
pub(super) fn member_names(message: &Message, oneof: &Oneof) -> String {
    members(message, oneof)
        .map(|(_, field)| field.json_name.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Messages in which, or below which, something is required: what reaches such a message does so
/// too, until nothing is added.
fn checked_messages<'a>(api: &'a Api, profile: &Profile) -> BTreeSet<&'a str> {
    let has_own = |message: &Message| {
        message.fields.iter().any(|field| field.required)
            || message
                .oneofs
                .iter()
                .any(|oneof| is_required(profile, message, oneof))
    };
    let mut checked: BTreeSet<&str> = api
        .messages
        .iter()
        .filter(|(_, message)| has_own(message))
        .map(|(name, _)| name.as_str())
        .collect();
    loop {
        let before = checked.len();
        for (name, message) in &api.messages {
            let reaches = |field: &Field| matches!(&field.ty, Type::Message(inner) if checked.contains(inner.as_str()));
            if message.fields.iter().any(reaches) {
                checked.insert(name);
            }
        }
        if checked.len() == before {
            return checked;
        }
    }
}

/// True when the profile wants a member of the oneof to be set.
pub(super) fn is_required(profile: &Profile, message: &Message, oneof: &Oneof) -> bool {
    let name = message.full_name(&oneof.proto_name);
    profile.check.required_oneofs.contains(&name)
}

/// True when the profile says that the field holds a secret.
pub(super) fn is_secret(profile: &Profile, message: &Message, field: &Field) -> bool {
    let name = message.full_name(&field.proto_name);
    profile.secret_fields.contains(&name)
}

/// Fields that are the body of a route: of requests, and of responses.
fn body_fields(api: &Api) -> BTreeMap<&str, BTreeSet<usize>> {
    let mut fields: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for method in api.services.iter().flat_map(|service| &service.methods) {
        for binding in &method.bindings {
            if let Body::Field(index) = binding.body {
                fields.entry(&method.request).or_default().insert(index);
            }
            if let Some(index) = binding.response_body {
                fields.entry(&method.response).or_default().insert(index);
            }
        }
    }
    fields
}
