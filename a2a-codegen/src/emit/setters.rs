//! Constructors and setters: messages are `#[non_exhaustive]`, so this is how they are made.
//!
//! Comes in: a message of the model. Goes out: `new`, a `with_…` for every field, and, where a
//! message is mainly one oneof, a constructor and an `as_…` for each of its members.

use std::collections::BTreeSet;

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

use super::fields::{Schema, members};
use super::ident;
use crate::model::{Cardinality, Field, Message, Scalar, Type, WellKnown};

pub(super) fn emit_message(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let ty = schema.message(message);
    let allow = schema.allow(message);
    let mut names = Names::new(message);
    let new = names.free("new").then(|| {
        names.take("new");
        let docs = format!(" An empty `{}`.", rust_name(message));
        quote! {
            #[doc = #docs]
            #[must_use]
            pub fn new() -> Self {
                ::core::default::Default::default()
            }
        }
    });
    let setters: Vec<TokenStream> = message
        .fields
        .iter()
        .map(|field| setter(schema, message, field, &mut names))
        .collect();
    let members: Vec<TokenStream> = match &message.oneofs[..] {
        [oneof] => members(message, oneof)
            .map(|(_, field)| member(schema, message, field, &mut names))
            .collect(),
        _ => Vec::new(),
    };
    quote! {
        #allow
        impl #ty {
            #new
            #(#members)*
            #(#setters)*
        }
    }
}

fn rust_name(message: &Message) -> &str {
    message.rust_path.last().map_or("", String::as_str)
}

/// The names of functions that a type has already: those of prost's accessors and of its traits.
struct Names {
    taken: BTreeSet<String>,
}

/// Functions of the traits that messages have: an inherent function of the same name would hide
/// them.
const TRAITS: &[&str] = &[
    "bind_field",
    "bind_text",
    "check",
    "clear",
    "clone",
    "clone_from",
    "cmp",
    "decode",
    "decode_length_delimited",
    "default",
    "deserialize",
    "encode",
    "encode_length_delimited",
    "encode_length_delimited_to_vec",
    "encode_raw",
    "encode_to_vec",
    "encoded_len",
    "eq",
    "field_index",
    "fmt",
    "from",
    "hash",
    "into",
    "merge",
    "merge_field",
    "merge_length_delimited",
    "ne",
    "read_body_field",
    "read_field",
    "read_json",
    "serialize",
    "to_owned",
    "try_from",
    "try_into",
    "type_id",
    "write_body_field",
    "write_fields",
    "write_json",
];

impl Names {
    fn new(message: &Message) -> Self {
        let mut taken: BTreeSet<String> = TRAITS.iter().map(|name| (*name).to_owned()).collect();
        for field in &message.fields {
            if !matches!(field.cardinality, Cardinality::Oneof(_)) {
                let name = &field.rust_name;
                for accessor in ["", "set_", "push_", "get_", "insert_"] {
                    taken.insert(format!("{accessor}{name}"));
                }
            }
        }
        Self { taken }
    }

    fn free(&self, name: &str) -> bool {
        !self.taken.contains(name)
    }

    fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// The name, or the name with as many underscores as it needs to be new.
    fn unique(&mut self, name: &str) -> proc_macro2::Ident {
        let mut name = name.to_owned();
        while !self.free(&name) {
            name.push('_');
        }
        self.take(&name);
        ident(&name)
    }
}

/// The plain snake-case name of a field.
fn snake(field: &Field) -> String {
    field.proto_name.to_snake_case()
}

/// How a value comes in: the type of the parameter, and the value made of it.
struct Taken {
    ty: TokenStream,
    value: TokenStream,
}

/// One value of a field from `value`.
fn taken(schema: &Schema<'_>, ty: &Type) -> Taken {
    let rust = schema.rust_type(ty);
    let exact = match ty {
        Type::Scalar(scalar) | Type::WellKnown(WellKnown::Wrapper(scalar)) => {
            !matches!(scalar, Scalar::String | Scalar::Bytes)
        }
        Type::Enum(_) | Type::Message(_) | Type::WellKnown(_) | Type::Union(_) => false,
    };
    if exact {
        Taken {
            ty: rust,
            value: quote!(value),
        }
    } else {
        // An enum comes in as its Rust type, or as a number that the schema may not know.
        Taken {
            ty: quote!(impl ::core::convert::Into<#rust>),
            value: quote!(::core::convert::Into::<#rust>::into(value)),
        }
    }
}

fn setter(schema: &Schema<'_>, message: &Message, field: &Field, names: &mut Names) -> TokenStream {
    let name = names.unique(&format!("with_{}", snake(field)));
    let deprecated = field.deprecated.then(|| quote!(#[deprecated]));
    let Taken { ty, value } = taken(schema, &field.ty);
    let boxed = if field.boxed {
        quote!(::std::boxed::Box::new(#value))
    } else {
        value.clone()
    };
    let is_empty = matches!(field.ty, Type::WellKnown(WellKnown::Empty));
    let slot = ident(&field.rust_name);
    let some = quote!(::core::option::Option::Some);
    let (parameter, target, value) = match &field.cardinality {
        Cardinality::Implicit => (quote!(value: #ty), quote!(#slot), boxed),
        Cardinality::Explicit if is_empty => (TokenStream::new(), quote!(#slot), quote!(#some(()))),
        Cardinality::Explicit => (quote!(value: #ty), quote!(#slot), quote!(#some(#boxed))),
        Cardinality::Oneof(index) => {
            let Some(oneof) = message.oneofs.get(*index) else {
                return TokenStream::new();
            };
            let (slot, variant) = (
                ident(&oneof.rust_name),
                schema.variant(message, oneof, field),
            );
            if is_empty {
                (
                    TokenStream::new(),
                    quote!(#slot),
                    quote!(#some(#variant(()))),
                )
            } else {
                (
                    quote!(value: #ty),
                    quote!(#slot),
                    quote!(#some(#variant(#boxed))),
                )
            }
        }
        Cardinality::Repeated => (
            quote!(values: impl ::core::iter::IntoIterator<Item = #ty>),
            quote!(#slot),
            {
                let map = is_changed(&value, "value").then(|| quote!(.map(|value| #value)));
                quote!(::core::iter::IntoIterator::into_iter(values) #map .collect())
            },
        ),
        Cardinality::Map { key } => {
            let (key_ty, key) = match key {
                Scalar::String => (
                    quote!(impl ::core::convert::Into<::std::string::String>),
                    quote!(::core::convert::Into::<::std::string::String>::into(key)),
                ),
                other => (schema.scalar_type(*other), quote!(key)),
            };
            (
                quote!(values: impl ::core::iter::IntoIterator<Item = (#key_ty, #ty)>),
                quote!(#slot),
                {
                    let changed = is_changed(&key, "key") || is_changed(&value, "value");
                    let map = changed.then(|| quote!(.map(|(key, value)| (#key, #value))));
                    quote!(::core::iter::IntoIterator::into_iter(values) #map .collect())
                },
            )
        }
    };
    let comma = (!parameter.is_empty()).then(|| quote!(,));
    // rustdoc wants the plain name of a field that is a raw identifier.
    let shown = &field.rust_name;
    let docs = match &field.cardinality {
        Cardinality::Oneof(_) => format!(
            " Sets `{}`, in the place of what was set before.",
            field.proto_name
        ),
        Cardinality::Repeated | Cardinality::Map { .. } => {
            format!(" Sets [`{shown}`](Self::{shown}), in the place of what was there before.")
        }
        Cardinality::Implicit | Cardinality::Explicit => {
            format!(" Sets [`{shown}`](Self::{shown}).")
        }
    };
    quote! {
        #[doc = #docs]
        #deprecated
        #[must_use]
        pub fn #name(mut self #comma #parameter) -> Self {
            self.#target = #value;
            self
        }
    }
}

/// The constructor and the reader of a oneof's member.
fn member(schema: &Schema<'_>, message: &Message, field: &Field, names: &mut Names) -> TokenStream {
    let Cardinality::Oneof(index) = field.cardinality else {
        return TokenStream::new();
    };
    let Some(oneof) = message.oneofs.get(index) else {
        return TokenStream::new();
    };
    let (slot, variant) = (
        ident(&oneof.rust_name),
        schema.variant(message, oneof, field),
    );
    let constructor = names.unique(&snake(field));
    let reader = names.unique(&format!("as_{}", snake(field)));
    let deprecated = field.deprecated.then(|| quote!(#[deprecated]));
    let Taken { ty, value } = taken(schema, &field.ty);
    let is_empty = matches!(field.ty, Type::WellKnown(WellKnown::Empty));
    let (parameter, value) = if is_empty {
        (TokenStream::new(), quote!(()))
    } else if field.boxed {
        (quote!(value: #ty), quote!(::std::boxed::Box::new(#value)))
    } else {
        (quote!(value: #ty), value)
    };
    let rust = schema.rust_type(&field.ty);
    let (read, got) = match &field.ty {
        Type::Scalar(Scalar::String) | Type::WellKnown(WellKnown::Wrapper(Scalar::String)) => {
            (quote!(&str), quote!(value.as_str()))
        }
        Type::Scalar(Scalar::Bytes) | Type::WellKnown(WellKnown::Wrapper(Scalar::Bytes)) => {
            (quote!(&#rust), quote!(value))
        }
        Type::Scalar(_)
        | Type::Enum(_)
        | Type::WellKnown(WellKnown::Wrapper(_) | WellKnown::Empty) => (rust, quote!(*value)),
        Type::Message(_) | Type::WellKnown(_) if field.boxed => {
            (quote!(&#rust), quote!(value.as_ref()))
        }
        Type::Message(_) | Type::WellKnown(_) | Type::Union(_) => (quote!(&#rust), quote!(value)),
    };
    let made = format!(" A `{}` with `{}`.", rust_name(message), field.proto_name);
    let there = format!(" What `{}` holds, if it is set.", field.proto_name);
    let some = quote!(::core::option::Option::Some);
    let is_alone = message.fields.len() == oneof.fields.len();
    let rest = (!is_alone).then(|| quote!(..::core::default::Default::default()));
    let unit = is_empty
        .then(|| quote!(#[allow(clippy::unit_arg, reason = "an empty message is the unit type")]));
    quote! {
        #[doc = #made]
        #deprecated
        #[must_use]
        pub fn #constructor(#parameter) -> Self {
            Self {
                #slot: #some(#variant(#value)),
                #rest
            }
        }

        #unit
        #[doc = #there]
        #deprecated
        #[must_use]
        pub fn #reader(&self) -> ::core::option::Option<#read> {
            match &self.#slot {
                #some(#variant(value)) => #some(#got),
                _ => ::core::option::Option::None,
            }
        }
    }
}

/// True when an expression is more than the name that it takes.
fn is_changed(expression: &TokenStream, name: &str) -> bool {
    expression.to_string() != name
}
