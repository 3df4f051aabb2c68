//! The pass that finds required fields which are not set.
//!
//! Comes in: a message of the model. Goes out: the body of its `check`. It goes down only where
//! something below can be required.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::{Schema, is_required, member_names, members};
use super::ident;
use crate::model::{Cardinality, Field, Message, Scalar, Type};

pub(super) fn emit_body(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let mut checks = Vec::new();
    for (index, field) in message.fields.iter().enumerate() {
        if let Cardinality::Oneof(oneof) = field.cardinality {
            if let Some(oneof) = message
                .oneofs
                .get(oneof)
                .filter(|oneof| oneof.fields.first() == Some(&index))
            {
                checks.push(emit_oneof(schema, message, oneof));
            }
            continue;
        }
        if field.required {
            checks.push(own(schema, field));
        }
        checks.push(below(schema, field));
    }
    if checks.iter().all(TokenStream::is_empty) {
        return quote!(let _ = found;);
    }
    quote!(#(#checks)*)
}

/// The field itself. A number or truth value is always there.
fn own(schema: &Schema<'_>, field: &Field) -> TokenStream {
    let (name, slot) = (&field.json_name, ident(&field.rust_name));
    match (&field.cardinality, &field.ty) {
        (Cardinality::Explicit, _) => quote!(found.presence(#name, self.#slot.is_some());),
        (Cardinality::Repeated, _) => quote!(found.elements(#name, self.#slot.is_empty());),
        (Cardinality::Implicit, Type::Scalar(Scalar::String | Scalar::Bytes)) => {
            quote!(found.content(#name, self.#slot.is_empty());)
        }
        (Cardinality::Implicit, Type::Enum(each)) => {
            let ty = schema.enum_path(each);
            quote!(found.choice::<#ty>(#name, self.#slot);)
        }
        _ => TokenStream::new(),
    }
}

/// What is below the field.
fn below(schema: &Schema<'_>, field: &Field) -> TokenStream {
    let Type::Message(inner) = &field.ty else {
        return TokenStream::new();
    };
    if !schema.is_checked(inner) {
        return TokenStream::new();
    }
    let (name, slot) = (&field.json_name, ident(&field.rust_name));
    match field.cardinality {
        Cardinality::Repeated => quote!(found.each(#name, &self.#slot);),
        Cardinality::Map { .. } => quote!(found.entries(#name, &self.#slot);),
        _ if field.boxed => quote!(found.below(#name, self.#slot.as_deref());),
        _ => quote!(found.below(#name, self.#slot.as_ref());),
    }
}

fn emit_oneof(schema: &Schema<'_>, message: &Message, oneof: &crate::model::Oneof) -> TokenStream {
    let slot = ident(&oneof.rust_name);
    let required = is_required(schema.profile, message, oneof).then(|| {
        let (name, names) = (&oneof.proto_name, member_names(message, oneof));
        quote!(found.one_of(#name, #names, self.#slot.is_some());)
    });
    let arms: Vec<TokenStream> = members(message, oneof)
        .filter(
            |(_, member)| matches!(&member.ty, Type::Message(inner) if schema.is_checked(inner)),
        )
        .map(|(_, member)| {
            let (name, variant) = (&member.json_name, schema.variant(message, oneof, member));
            let inner = if member.boxed {
                quote!(inner.as_ref())
            } else {
                quote!(inner)
            };
            quote! {
                ::core::option::Option::Some(#variant(inner)) => {
                    found.below(#name, ::core::option::Option::Some(#inner));
                }
            }
        })
        .collect();
    let below = match arms.len() {
        0 => None,
        count if count == oneof.fields.len() => Some(quote! {
            match &self.#slot {
                #(#arms)*
                ::core::option::Option::None => {}
            }
        }),
        count => {
            let allow = (count == 1)
                .then(|| quote!(#[allow(clippy::single_match, reason = "one arm for each member that is checked")]));
            Some(quote! {
            #allow
            match &self.#slot {
                #(#arms)*
                _ => {}
            }
            })
        }
    };
    quote!(#required #below)
}
