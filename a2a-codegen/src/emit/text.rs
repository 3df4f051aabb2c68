//! Fields from path and query texts: one call per field.
//!
//! Comes in: a message of the model. Goes out: its `BindFields`.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::{Schema, members};
use super::ident;
use crate::model::{Cardinality, Field, Message, Oneof, Type, WellKnown};

pub(super) fn emit_message(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let ty = schema.message(message);
    let allow = schema.allow(message);
    let binders = message.fields.iter().enumerate().map(|(index, field)| {
        let binder = binder(schema, message, field);
        quote!(#index => #binder)
    });
    let unknown = quote!(::core::result::Result::Err(#door::BindErrorKind::UnknownField));
    let body = if message.fields.is_empty() {
        quote! {
            let _ = (index, binder);
            #unknown
        }
    } else {
        quote! {
            match index {
                #(#binders,)*
                _ => #unknown,
            }
        }
    };
    quote! {
        #allow
        impl #door::BindFields for #ty {
            fn bind_field(
                &mut self,
                index: usize,
                binder: &mut #door::Binder<'_>,
            ) -> ::core::result::Result<(), #door::BindErrorKind> {
                #body
            }
        }
    }
}

/// How a type stands in a text.
pub(super) enum Text {
    /// As one text.
    Value,
    /// As the texts of its fields.
    Message,
    /// Not at all; the word is for people.
    No(&'static str),
}

pub(super) fn text_of(ty: &Type) -> Text {
    match ty {
        Type::Scalar(_) | Type::Enum(_) => Text::Value,
        Type::Message(_) => Text::Message,
        Type::WellKnown(known) => match known {
            WellKnown::Timestamp
            | WellKnown::Duration
            | WellKnown::FieldMask
            | WellKnown::Wrapper(_) => Text::Value,
            WellKnown::Struct | WellKnown::Value | WellKnown::ListValue => Text::No("free JSON"),
            WellKnown::Any => Text::No("a message of any type"),
            WellKnown::Empty => Text::No("an empty message"),
        },
        Type::Union(_) => Text::No("a union"),
    }
}

fn binder(schema: &Schema<'_>, message: &Message, field: &Field) -> TokenStream {
    let (name, slot) = (&field.proto_name, ident(&field.rust_name));
    let codec = schema.value_codec(field);
    let no = |what: &str| quote!(binder.not_addressable(#what));
    match (&field.cardinality, text_of(&field.ty)) {
        (Cardinality::Map { .. }, _) => no("a map"),
        (Cardinality::Repeated, Text::Value) => {
            quote!(binder.append::<#codec>(#name, &mut self.#slot))
        }
        (Cardinality::Repeated, _) => no("a list of messages"),
        (_, Text::No(what)) => no(what),
        (Cardinality::Oneof(index), text) => match message.oneofs.get(*index) {
            Some(oneof) => member(schema, message, oneof, field, &text),
            None => no("a member of no oneof"),
        },
        (Cardinality::Implicit, _) => quote!(binder.implicit::<#codec>(#name, &mut self.#slot)),
        (Cardinality::Explicit, Text::Value) => {
            quote!(binder.explicit::<#codec>(#name, &mut self.#slot))
        }
        (Cardinality::Explicit, Text::Message) if field.boxed => {
            quote!(binder.boxed(#name, &mut self.#slot))
        }
        (Cardinality::Explicit, Text::Message) => quote!(binder.message(#name, &mut self.#slot)),
    }
}

fn member(
    schema: &Schema<'_>,
    message: &Message,
    oneof: &Oneof,
    field: &Field,
    text: &Text,
) -> TokenStream {
    let (name, slot) = (&field.proto_name, ident(&oneof.rust_name));
    let variant = schema.variant(message, oneof, field);
    if matches!(text, Text::Value) {
        let codec = schema.value_codec(field);
        return quote! {
            binder.member::<#codec, _>(#name, &mut self.#slot, |set| ::core::matches!(set, #variant(_)), #variant)
        };
    }
    let inner = if field.boxed {
        quote!(inner.as_mut())
    } else {
        quote!(inner)
    };
    let others: Vec<&Field> = members(message, oneof)
        .map(|(_, other)| other)
        .filter(|other| other.number != field.number)
        .collect();
    let otherwise = match others[..] {
        [] => TokenStream::new(),
        [other] => {
            let other = schema.variant(message, oneof, other);
            quote!(#other(_) => ::core::option::Option::None,)
        }
        _ => quote!(_ => ::core::option::Option::None,),
    };
    quote! {
        binder.message_member(
            #name,
            &mut self.#slot,
            |set| match set {
                #variant(inner) => ::core::option::Option::Some(#inner),
                #otherwise
            },
            || #variant(::core::default::Default::default()),
        )
    }
}
