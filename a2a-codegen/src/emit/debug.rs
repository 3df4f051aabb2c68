//! `Debug` of messages with maps.
//!
//! Comes in: a message. Goes out: an implementation where prost's own cannot be used: for ordered
//! maps it names the crate `prost` whatever path it was given, which a user need not have.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::Schema;
use super::ident;
use crate::model::{Cardinality, Message};

/// True for the messages that [`emit_message`] is for.
pub(super) fn is_ours(message: &Message) -> bool {
    message
        .fields
        .iter()
        .any(|field| matches!(field.cardinality, Cardinality::Map { .. }))
}

pub(super) fn emit_message(schema: &Schema<'_>, message: &Message) -> Option<TokenStream> {
    if !is_ours(message) {
        return None;
    }
    let (ty, allow) = (schema.message(message), schema.allow(message));
    let name = message.rust_path.last()?;
    let plain = message
        .fields
        .iter()
        .filter(|field| !matches!(field.cardinality, Cardinality::Oneof(_)))
        .map(|field| &field.rust_name);
    let oneofs = message.oneofs.iter().map(|oneof| &oneof.rust_name);
    let fields = plain.chain(oneofs).map(|name| {
        let field = ident(name);
        quote!(.field(#name, &self.#field))
    });
    Some(quote! {
        #allow
        impl ::core::fmt::Debug for #ty {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#name)#(#fields)*.finish()
            }
        }
    })
}
