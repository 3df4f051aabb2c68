//! `Debug` of messages with maps, and of those that hold secrets.
//!
//! Comes in: a message, and which of its fields are secret. Goes out: implementations where prost's
//! own cannot be used: they show everything, and for ordered maps they name the crate `prost`
//! whatever path it was given, which a user need not have.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::{Schema, is_secret, members};
use super::ident;
use crate::model::{Cardinality, Message, Oneof};
use crate::profile::Profile;

/// True for the messages that get an implementation here.
pub(super) fn is_ours(profile: &Profile, message: &Message) -> bool {
    message.fields.iter().any(|field| match field.cardinality {
        Cardinality::Map { .. } => true,
        Cardinality::Oneof(_) => false,
        _ => is_secret(profile, message, field),
    })
}

/// The same for a oneof: one of its members is secret.
pub(super) fn is_our_oneof(profile: &Profile, message: &Message, oneof: &Oneof) -> bool {
    members(message, oneof).any(|(_, field)| is_secret(profile, message, field))
}

pub(super) fn emit_message(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let own = is_ours(schema.profile, message).then(|| emit_own(schema, message));
    let oneofs = message
        .oneofs
        .iter()
        .filter(|oneof| is_our_oneof(schema.profile, message, oneof))
        .map(|oneof| emit_oneof(schema, message, oneof));
    quote!(#own #(#oneofs)*)
}

fn emit_own(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let plain = message
        .fields
        .iter()
        .filter(|field| !matches!(field.cardinality, Cardinality::Oneof(_)))
        .map(|field| (&field.rust_name, is_secret(schema.profile, message, field)));
    let oneofs = message.oneofs.iter().map(|oneof| (&oneof.rust_name, false));
    let fields = plain.chain(oneofs).map(|(name, secret)| {
        let field = ident(name);
        if secret {
            quote!(.field(#name, &#door::Secret(&self.#field)))
        } else {
            quote!(.field(#name, &self.#field))
        }
    });
    let name = message.rust_path.last();
    let body = quote!(f.debug_struct(#name)#(#fields)*.finish());
    emit_impl(schema, message, &schema.message(message), &body)
}

fn emit_oneof(schema: &Schema<'_>, message: &Message, oneof: &Oneof) -> TokenStream {
    let door = &schema.door;
    let arms = members(message, oneof).map(|(_, field)| {
        let (variant, name) = (ident(&field.rust_name), &field.rust_name);
        if is_secret(schema.profile, message, field) {
            quote!(Self::#variant(value) => f.debug_tuple(#name).field(&#door::Secret(value)).finish())
        } else {
            quote!(Self::#variant(value) => f.debug_tuple(#name).field(value).finish())
        }
    });
    let body = quote!(match self { #(#arms,)* });
    emit_impl(schema, message, &schema.oneof(message, oneof), &body)
}

fn emit_impl(
    schema: &Schema<'_>,
    message: &Message,
    ty: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let allow = schema.allow(message);
    quote! {
        #allow
        impl ::core::fmt::Debug for #ty {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #body
            }
        }
    }
}
