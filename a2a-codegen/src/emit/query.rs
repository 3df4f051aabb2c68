//! Fields as path and query texts: one call per field.
//!
//! Comes in: a message of the model. Goes out: its `TextFields`.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::Schema;
use super::ident;
use super::text::{Text, text_of};
use crate::model::{Cardinality, Field, Message};

pub(super) fn emit_message(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let ty = schema.message(message);
    let allow = schema.allow(message);
    let writers = message.fields.iter().enumerate().map(|(index, field)| {
        let writer = writer(schema, message, field);
        quote!(#index => #writer)
    });
    let nothing = quote!(::core::result::Result::Ok(()));
    let body = if message.fields.is_empty() {
        quote! {
            let _ = (index, texts);
            #nothing
        }
    } else {
        quote! {
            match index {
                #(#writers,)*
                _ => #nothing,
            }
        }
    };
    let names = names(message);
    quote! {
        #allow
        impl #door::TextFields for #ty {
            #names

            fn text_field<'m>(
                &'m self,
                index: usize,
                texts: &mut #door::Texts<'m, '_>,
            ) -> ::core::result::Result<(), #door::TextWriteError> {
                #body
            }
        }
    }
}

/// A JSON name with a dot in it would be taken for a path: such a field is called by its proto
/// name.
fn names(message: &Message) -> Option<TokenStream> {
    let has_dot = |field: &Field| field.json_name.contains('.');
    message.fields.iter().any(has_dot).then(|| {
        let names = message.fields.iter().map(|field| {
            if has_dot(field) {
                &field.proto_name
            } else {
                &field.json_name
            }
        });
        quote!(const TEXT_NAMES: &'static [&'static str] = &[#(#names),*];)
    })
}

fn writer(schema: &Schema<'_>, message: &Message, field: &Field) -> TokenStream {
    let codec = schema.value_codec(field);
    let slot = ident(&field.rust_name);
    let some = quote!(::core::option::Option::Some);
    match (&field.cardinality, text_of(&field.ty)) {
        (Cardinality::Map { .. }, _) => {
            quote!(texts.not_addressable("a map", !self.#slot.is_empty()))
        }
        (Cardinality::Repeated, Text::Value) => quote!(texts.list::<#codec>(&self.#slot)),
        (Cardinality::Repeated, _) => {
            quote!(texts.not_addressable("a list of messages", !self.#slot.is_empty()))
        }
        (Cardinality::Oneof(index), text) => {
            let Some(oneof) = message.oneofs.get(*index) else {
                return quote!(::core::result::Result::Ok(()));
            };
            let (slot, variant) = (
                ident(&oneof.rust_name),
                schema.variant(message, oneof, field),
            );
            if let Text::No(what) = text {
                return quote!(texts.not_addressable(#what, ::core::matches!(&self.#slot, #some(#variant(_)))));
            }
            let write = match text {
                Text::Message if field.boxed => quote!(texts.message(#some(&**value))),
                Text::Message => quote!(texts.message(#some(value))),
                _ => quote!(texts.set::<#codec>(value)),
            };
            quote! {
                match &self.#slot {
                    #some(#variant(value)) => #write,
                    _ => ::core::result::Result::Ok(()),
                }
            }
        }
        (_, Text::No(what)) => quote!(texts.not_addressable(#what, self.#slot.is_some())),
        (Cardinality::Implicit, _) => quote!(texts.implicit::<#codec>(&self.#slot)),
        (Cardinality::Explicit, Text::Value) => quote!(texts.explicit::<#codec>(&self.#slot)),
        (Cardinality::Explicit, Text::Message) if field.boxed => {
            quote!(texts.message(self.#slot.as_deref()))
        }
        (Cardinality::Explicit, Text::Message) => quote!(texts.message(self.#slot.as_ref())),
    }
}
