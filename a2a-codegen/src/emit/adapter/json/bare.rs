//! A newer message whose older form is the bare value of one of its fields.

use proc_macro2::TokenStream;
use quote::quote;

use super::members::spellings;
use super::{Json, short};
use crate::emit::ident;
use crate::model::{Cardinality, Message};
use crate::plan::model::{FieldKind, FieldPlan, MessagePlan};

/// An older message that says nothing.
pub(super) fn nothing() -> Message {
    Message {
        proto_name: String::new(),
        package: String::new(),
        rust_path: Vec::new(),
        fields: Vec::new(),
        oneofs: Vec::new(),
        constants: Vec::new(),
        bare: false,
        docs: String::new(),
        deprecated: false,
        origin: crate::model::Origin::default(),
    }
}

pub(super) fn emit(
    json: &Json<'_>,
    pair: &MessagePlan,
    new: &Message,
    index: usize,
    dropped: &[FieldPlan],
) -> TokenStream {
    let old = json.old_message(&pair.old);
    let old = old.and_then(|old| old.fields.first());
    let (Some(field), Some(old)) = (new.fields.get(index), old) else {
        return TokenStream::new();
    };
    let door = &json.door;
    let (name, ty, allow) = (
        json.name(pair),
        json.new_type(&pair.new),
        json.types.allow(new),
    );
    let wrapped = quote::format_ident!("{name}Wrapped");
    let wrapped_name = short(&pair.new);
    let codec = json.member_codec(field, old);
    let (slot, given) = (ident(&field.rust_name), &field.json_name);
    let (reader, access) = match field.cardinality {
        Cardinality::Repeated => (quote!(list), quote!(SeqAccess)),
        _ => (quote!(object), quote!(MapAccess)),
    };
    // A list may also come with the wrapper that the protos have.
    let from_wrapped = (field.cardinality == Cardinality::Repeated).then(|| {
        quote! {
            fn object<'de, I: #door::serde::de::MapAccess<'de>>(
                cx: &#door::json::Context<'_>,
                input: I,
            ) -> ::core::result::Result<#ty, I::Error> {
                <self::#wrapped as #door::json::Codec>::object(cx, input)
            }
        }
    });
    let others = new.fields.iter().enumerate().filter(|(other, field)| {
        *other == index || !matches!(field.cardinality, Cardinality::Oneof(_))
    });
    let others: Vec<_> = others.map(|(_, field)| field).collect();
    let shown = others.iter().map(|field| &field.json_name);
    let find = others.iter().enumerate().map(|(place, field)| {
        let names = spellings(field);
        let names = if names[0] == names[1] {
            &names[..1]
        } else {
            &names[..]
        };
        quote!(#(#names)|* => ::core::option::Option::Some(#place))
    });
    let read = others.iter().enumerate().map(|(place, other)| {
        let own = ident(&other.rust_name);
        let codec = if other.rust_name == field.rust_name {
            codec.clone()
        } else {
            json.types.codec(other)
        };
        match other.cardinality {
            Cardinality::Explicit => quote!(#place => input.maybe::<#codec>(&mut state.#own)),
            _ => quote!(#place => input.value::<#codec>(&mut state.#own)),
        }
    });
    let notes = dropped.iter().filter_map(|plan| match plan.kind {
        FieldKind::OnlyNew { new: index } => json.dropped(new.fields.get(index)?, plan),
        _ => None,
    });
    let form = json.form(&name, &ty);
    let docs = format!(
        "The codec of what stands for [`{}`]({}) in the older version's JSON: the bare value of its `{given}`.",
        short(&pair.new),
        json.link(new)
    );
    quote! {
        #[doc = #docs]
        #[derive(Debug)]
        pub struct #name;

        #allow
        impl #door::json::Codec for self::#name {
            type Value = #ty;

            const NOTES: bool = true;

            fn expected(f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                <#codec as #door::json::Codec>::expected(f)
            }

            fn null() -> ::core::option::Option<#ty> {
                ::core::option::Option::Some(<#ty as ::core::default::Default>::default())
            }

            #[allow(clippy::field_reassign_with_default, reason = "elsewhere the type may not be built at once")]
            fn #reader<'de, I: #door::serde::de::#access<'de>>(
                cx: &#door::json::Context<'_>,
                input: I,
            ) -> ::core::result::Result<#ty, I::Error> {
                let mut value = <#ty as ::core::default::Default>::default();
                value.#slot = <#codec as #door::json::Codec>::#reader(cx, input)?;
                ::core::result::Result::Ok(value)
            }

            #from_wrapped

            fn write<O: #door::serde::Serializer>(
                cx: &#door::json::Context<'_>,
                value: &#ty,
                output: O,
            ) -> ::core::result::Result<O::Ok, O::Error> {
                if let ::core::option::Option::Some(adapter) = cx.adapter() {
                    #(#notes)*
                    let _ = adapter;
                }
                #door::json::write_variant::<#codec, O>(cx, #given, &value.#slot, output)
            }
        }

        #form

        #[derive(Debug)]
        struct #wrapped;

        #allow
        impl #door::json::OldObject for self::#wrapped {
            type Value = #ty;
            type State = #ty;

            const NAME: &'static str = #wrapped_name;
            const JSON_NAMES: &'static [&'static str] = &[#(#shown),*];

            fn member(name: &str) -> ::core::option::Option<usize> {
                match name {
                    #(#find,)*
                    _ => ::core::option::Option::None,
                }
            }

            fn read_member<'de, I: #door::serde::de::MapAccess<'de>>(
                state: &mut #ty,
                index: usize,
                input: #door::json::Entry<'_, '_, I>,
            ) -> ::core::result::Result<bool, I::Error> {
                match index {
                    #(#read,)*
                    _ => input.passed(),
                }
            }

            fn finish<E: #door::serde::de::Error>(
                state: #ty,
                _seen: #door::json::Seen,
                _cx: &#door::json::Context<'_>,
            ) -> ::core::result::Result<#ty, E> {
                ::core::result::Result::Ok(state)
            }

            fn write_members<O: #door::serde::ser::SerializeMap>(
                value: &#ty,
                output: &mut #door::json::Fields<'_, '_, O>,
            ) -> ::core::result::Result<(), O::Error> {
                output.old::<#codec>(#given, #given, &value.#slot)
            }
        }
    }
}
