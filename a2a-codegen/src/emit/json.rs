//! ProtoJSON of messages: tables of names, and one call per field.
//!
//! Comes in: a message of the model. Goes out: its `JsonMessage`, `Serialize` and `Deserialize`,
//! and the fields that are whole bodies of routes.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::{Schema, member_names, members};
use super::ident;
use crate::model::{Cardinality, Field, Message, Oneof};

pub(super) fn emit_message(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let ty = schema.message(message);
    let allow = schema.allow(message);
    let proto_name = &message.proto_name;
    let json_names = message.fields.iter().map(|field| &field.json_name);
    let rejects = schema.rejects_unknown();
    let is_plain = |field: &Field| {
        field
            .json_name
            .chars()
            .all(|c| c >= ' ' && c != '"' && c != '\\')
    };
    let odd_names = (!message.fields.iter().all(is_plain)).then(|| {
        quote!(
            const PLAIN_NAMES: bool = false;
        )
    });
    let indices = message.fields.iter().enumerate().map(|(index, field)| {
        let (json, proto) = (&field.json_name, &field.proto_name);
        let names = if json == proto {
            quote!(#json)
        } else {
            quote!(#json | #proto)
        };
        quote!(#names => ::core::option::Option::Some(#index))
    });
    let readers = message.fields.iter().enumerate().map(|(index, field)| {
        let reader = reader(schema, message, field);
        quote!(#index => #reader)
    });
    let writers = message
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| writer(schema, message, index, field));
    let unused = message.fields.is_empty().then(|| quote!(let _ = output;));
    let find = if message.fields.is_empty() {
        quote! {
            let _ = name;
            ::core::option::Option::None
        }
    } else {
        quote! {
            match name {
                #(#indices,)*
                _ => ::core::option::Option::None,
            }
        }
    };
    let read = if message.fields.is_empty() {
        quote! {
            let _ = index;
            input.skip()
        }
    } else {
        quote! {
            match index {
                #(#readers,)*
                _ => input.skip(),
            }
        }
    };
    quote! {
        #allow
        impl #door::json::JsonMessage for #ty {
            const PROTO_NAME: &'static str = #proto_name;
            const JSON_NAMES: &'static [&'static str] = &[#(#json_names),*];
            #odd_names
            const REJECT_UNKNOWN: bool = #rejects;

            fn field_index(name: &str) -> ::core::option::Option<usize> {
                #find
            }

            fn read_field<'de, I: #door::serde::de::MapAccess<'de>>(
                &mut self,
                index: usize,
                input: #door::json::Entry<'_, '_, I>,
            ) -> ::core::result::Result<(), I::Error> {
                #read
            }

            fn write_fields<O: #door::serde::ser::SerializeMap>(
                &self,
                output: &mut #door::json::Fields<'_, '_, O>,
            ) -> ::core::result::Result<(), O::Error> {
                #unused
                #(#writers)*
                ::core::result::Result::Ok(())
            }
        }

        #allow
        impl #door::serde::Serialize for #ty {
            fn serialize<O: #door::serde::Serializer>(&self, output: O) -> ::core::result::Result<O::Ok, O::Error> {
                #door::json::serialize::<#door::json::Message<Self>, O>(self, output)
            }
        }

        #allow
        impl<'de> #door::serde::Deserialize<'de> for #ty {
            fn deserialize<I: #door::serde::Deserializer<'de>>(input: I) -> ::core::result::Result<Self, I::Error> {
                #door::json::deserialize::<#door::json::Message<Self>, I>(input)
            }
        }
    }
}

fn oneof_of<'m>(message: &'m Message, field: &Field) -> Option<&'m Oneof> {
    match field.cardinality {
        Cardinality::Oneof(index) => message.oneofs.get(index),
        _ => None,
    }
}

/// Reads a field.
fn reader(schema: &Schema<'_>, message: &Message, field: &Field) -> TokenStream {
    let codec = schema.codec(field);
    if let Some(oneof) = oneof_of(message, field) {
        let slot = ident(&oneof.rust_name);
        let variant = schema.variant(message, oneof, field);
        let names = member_names(message, oneof);
        return quote! {
            input.member::<#codec, _>(&mut self.#slot, #names, |set| ::core::matches!(set, #variant(_)), #variant)
        };
    }
    let slot = ident(&field.rust_name);
    match field.cardinality {
        Cardinality::Explicit => quote!(input.explicit::<#codec>(&mut self.#slot)),
        _ => quote!(input.implicit::<#codec>(&mut self.#slot)),
    }
}

/// Writes a field; all members of a oneof at the place of its first one.
fn writer(schema: &Schema<'_>, message: &Message, index: usize, field: &Field) -> TokenStream {
    let codec = schema.codec(field);
    let name = &field.json_name;
    if let Some(oneof) = oneof_of(message, field) {
        if oneof.fields.first() != Some(&index) {
            return TokenStream::new();
        }
        let slot = ident(&oneof.rust_name);
        let arms = members(message, oneof).map(|(_, member)| {
            let (codec, name) = (schema.codec(member), &member.json_name);
            let variant = schema.variant(message, oneof, member);
            quote!(::core::option::Option::Some(#variant(value)) => { output.field::<#codec>(#name, value)?; })
        });
        return quote! {
            match &self.#slot {
                #(#arms)*
                ::core::option::Option::None => {}
            }
        };
    }
    let slot = ident(&field.rust_name);
    match field.cardinality {
        // A message, or another value whose absence is known, is never made up.
        Cardinality::Explicit => quote!(output.optional::<#codec>(#name, &self.#slot)?;),
        _ if schema.always_written(field) => quote!(output.field::<#codec>(#name, &self.#slot)?;),
        _ => quote!(output.implicit::<#codec>(#name, &self.#slot)?;),
    }
}

/// The fields that are whole bodies of routes; nothing when there are none.
pub(super) fn emit_body_fields(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let fields: Vec<&Field> = schema
        .body_fields(&message.proto_name)
        .filter_map(|index| message.fields.get(index))
        .collect();
    if fields.is_empty() {
        return TokenStream::new();
    }
    let readers = fields.iter().map(|field| {
        let (codec, proto, json) = (schema.codec(field), &field.proto_name, &field.json_name);
        let read = quote!(#door::json::read_field::<#codec>(#json, text)?);
        if let Some(oneof) = oneof_of(message, field) {
            let (slot, variant) = (
                ident(&oneof.rust_name),
                schema.variant(message, oneof, field),
            );
            return quote!(#proto => self.#slot = #read.map(#variant));
        }
        let slot = ident(&field.rust_name);
        match field.cardinality {
            Cardinality::Explicit => quote!(#proto => self.#slot = #read),
            _ => quote!(#proto => self.#slot = #read.unwrap_or_default()),
        }
    });
    let writers = fields.iter().map(|field| {
        let (codec, proto, json) = (schema.codec(field), &field.proto_name, &field.json_name);
        let write = quote!(#door::json::write_field::<#codec>(#json, value, out));
        let null = quote!({
            out.extend_from_slice(b"null");
            ::core::result::Result::Ok(())
        });
        if let Some(oneof) = oneof_of(message, field) {
            let (slot, variant) = (ident(&oneof.rust_name), schema.variant(message, oneof, field));
            return quote!(#proto => if let ::core::option::Option::Some(#variant(value)) = &self.#slot { #write } else #null);
        }
        let slot = ident(&field.rust_name);
        match field.cardinality {
            Cardinality::Explicit => {
                quote!(#proto => if let ::core::option::Option::Some(value) = &self.#slot { #write } else #null)
            }
            _ => quote!(#proto => #door::json::write_field::<#codec>(#json, &self.#slot, out)),
        }
    });
    quote! {
        fn read_body_field(&mut self, field: &str, text: &[u8]) -> ::core::result::Result<(), #door::json::Error> {
            match field {
                #(#readers,)*
                _ => return ::core::result::Result::Err(#door::json::no_body_field(Self::NAME, field)),
            }
            ::core::result::Result::Ok(())
        }

        fn write_body_field(
            &self,
            field: &str,
            out: &mut ::std::vec::Vec<u8>,
        ) -> ::core::result::Result<(), #door::json::Error> {
            match field {
                #(#writers,)*
                _ => ::core::result::Result::Err(#door::json::no_body_field(Self::NAME, field)),
            }
        }
    }
}
