//! How values are taken out of the fields of one version and put into those of the other.
//!
//! Comes in: fields of the model. Goes out: expressions and statements. A value that is held knows
//! how its absence is told, so that any kind of field fits any other.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Emitter, Side, Way};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Message, Oneof, Scalar, Type, WellKnown};

/// An expression for what a field holds.
pub(super) enum Held {
    /// One value that is there.
    Set(TokenStream),
    /// One value whose default stands for absence.
    Plain(TokenStream),
    /// An `Option`.
    Maybe(TokenStream),
    /// A list.
    Many(TokenStream),
    /// A map.
    Entries(TokenStream),
}

impl Held {
    /// The same with another expression.
    pub(super) fn map(self, change: impl FnOnce(TokenStream) -> TokenStream) -> Self {
        match self {
            Self::Set(value) => Self::Set(change(value)),
            Self::Plain(value) => Self::Plain(change(value)),
            Self::Maybe(value) => Self::Maybe(change(value)),
            Self::Many(values) => Self::Many(change(values)),
            Self::Entries(entries) => Self::Entries(change(entries)),
        }
    }
}

/// The oneof that a field is a member of.
pub(super) fn oneof_of<'m>(message: &'m Message, field: &Field) -> Option<&'m Oneof> {
    match field.cardinality {
        Cardinality::Oneof(index) => message.oneofs.get(index),
        _ => None,
    }
}

/// The names of a oneof's members in JSON, for people.
pub(super) fn member_names(message: &Message, oneof: &Oneof) -> String {
    let names: Vec<&str> = oneof
        .fields
        .iter()
        .filter_map(|index| message.fields.get(*index))
        .map(|field| field.json_name.as_str())
        .collect();
    names.join(", ")
}

impl Emitter<'_> {
    /// What a field holds, moved out of `self`; for a member of a oneof the variable `value`, which
    /// the arm of its match has bound.
    pub(super) fn take(&self, way: &Way<'_>, field: &Field) -> Held {
        let name = ident(&field.rust_name);
        let place = if way.keeps_self {
            quote!(::core::mem::take(&mut self.#name))
        } else {
            quote!(self.#name)
        };
        match &field.cardinality {
            Cardinality::Implicit => Held::Plain(place),
            Cardinality::Explicit => Held::Maybe(place),
            Cardinality::Oneof(_) => Held::Set(quote!(value)),
            Cardinality::Repeated => Held::Many(place),
            Cardinality::Map { .. } => Held::Entries(place),
        }
    }

    /// A field of `self`, not moved.
    pub(super) fn peek(&self, way: &Way<'_>, field: &Field) -> TokenStream {
        match oneof_of(way.from, field) {
            Some(oneof) => {
                let place = ident(&oneof.rust_name);
                let variant = self.variant(way.source_side(), oneof, field);
                quote! {
                    match &self.#place {
                        ::core::option::Option::Some(#variant(value)) => {
                            ::core::option::Option::Some(::core::clone::Clone::clone(value))
                        }
                        _ => ::core::option::Option::None,
                    }
                }
            }
            None => {
                let name = ident(&field.rust_name);
                quote!(self.#name)
            }
        }
    }

    /// Whether a field of `self` is set.
    pub(super) fn is_set(&self, way: &Way<'_>, field: &Field) -> TokenStream {
        if let Some(oneof) = oneof_of(way.from, field) {
            let place = ident(&oneof.rust_name);
            let variant = self.variant(way.source_side(), oneof, field);
            return quote!(
                ::core::matches!(&self.#place, ::core::option::Option::Some(#variant(_)))
            );
        }
        let name = ident(&field.rust_name);
        match &field.cardinality {
            Cardinality::Repeated | Cardinality::Map { .. } => quote!(!self.#name.is_empty()),
            Cardinality::Explicit | Cardinality::Oneof(_) => quote!(self.#name.is_some()),
            Cardinality::Implicit => match &field.ty {
                Type::Scalar(Scalar::String | Scalar::Bytes) => quote!(!self.#name.is_empty()),
                Type::Scalar(Scalar::Bool) => quote!(self.#name),
                Type::Scalar(Scalar::Double | Scalar::Float) => quote!(self.#name != 0.0),
                _ => quote!(self.#name != 0),
            },
        }
    }

    /// Puts what is held into a field of the target.
    pub(super) fn put(&self, way: &Way<'_>, field: &Field, held: Held) -> TokenStream {
        let (target, name, adapt) = (way.target(), ident(&field.rust_name), &self.adapt);
        if let Some(oneof) = oneof_of(way.to, field) {
            let place = ident(&oneof.rust_name);
            let variant = self.variant(way.target_side(), oneof, field);
            return match held {
                Held::Set(value) => {
                    quote!(#target.#place = ::core::option::Option::Some(#variant(#value));)
                }
                Held::Plain(value) => quote! {
                    if let ::core::option::Option::Some(value) = #adapt::set(#value) {
                        #target.#place = ::core::option::Option::Some(#variant(value));
                    }
                },
                Held::Maybe(value) | Held::Many(value) | Held::Entries(value) => quote! {
                    if let ::core::option::Option::Some(value) = #value {
                        #target.#place = ::core::option::Option::Some(#variant(value));
                    }
                },
            };
        }
        let value = match (&field.cardinality, held) {
            (Cardinality::Implicit, Held::Maybe(value)) => quote!(#value.unwrap_or_default()),
            (Cardinality::Explicit, Held::Set(value)) => {
                quote!(::core::option::Option::Some(#value))
            }
            (Cardinality::Explicit, Held::Plain(value)) => quote!(#adapt::set(#value)),
            (Cardinality::Repeated, Held::Set(value)) => quote!(::std::vec![#value]),
            (Cardinality::Repeated, Held::Plain(value)) => {
                quote!(#adapt::set(#value).into_iter().collect())
            }
            (Cardinality::Repeated, Held::Maybe(value)) => quote!(#value.into_iter().collect()),
            (
                _,
                Held::Set(value)
                | Held::Plain(value)
                | Held::Maybe(value)
                | Held::Many(value)
                | Held::Entries(value),
            ) => value,
        };
        quote!(#target.#name = #value;)
    }
}

/// True for free JSON, whose numbers protobuf holds as doubles.
pub(super) fn is_free_data(field: &Field) -> bool {
    matches!(
        field.ty,
        Type::WellKnown(WellKnown::Struct | WellKnown::Value | WellKnown::ListValue)
    )
}

/// The name in JSON of a message's member, as losses and refusals call it.
pub(super) fn name_of(field: &Field) -> &str {
    &field.json_name
}

/// Whether a side's profile wants a oneof to be set.
pub(super) fn is_required_oneof(
    emitter: &Emitter<'_>,
    side: Side,
    message: &Message,
    oneof: &Oneof,
) -> bool {
    let profile = match side {
        Side::Old => emitter.input.old_profile,
        Side::New => emitter.input.new_profile,
    };
    crate::emit::fields::is_required(profile, message, oneof)
}
