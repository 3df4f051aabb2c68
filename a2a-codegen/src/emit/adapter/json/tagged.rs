//! One of several objects, for a oneof.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::must_be_there;
use super::{Json, short};
use crate::emit::fields::member_names;
use crate::emit::ident;
use crate::model::{Message, Scalar, Type};
use crate::plan::model::{FieldKind, FieldPlan, MessagePlan, VariantPlan};

pub(super) fn emit(
    json: &Json<'_>,
    pair: &MessagePlan,
    new: &Message,
    (oneof, tag): (usize, &str),
    variants: &[VariantPlan],
    dropped: &[FieldPlan],
) -> TokenStream {
    let Some(oneof) = new.oneofs.get(oneof) else {
        return TokenStream::new();
    };
    let door = &json.door;
    let (name, ty, allow) = (
        json.name(pair),
        json.new_type(&pair.new),
        json.types.allow(new),
    );
    let slot = ident(&oneof.rust_name);
    let variants: Vec<_> = variants
        .iter()
        .filter_map(|variant| {
            let field = new.fields.get(variant.new)?;
            let Type::Message(message) = &field.ty else {
                return None;
            };
            let codec = json.codec(message, &Type::Message(variant.old.clone()));
            Some((variant, field, codec))
        })
        .collect();
    let tables = variants.iter().map(|(variant, field, _)| {
        let (value, wrappers) = (&variant.value, json.wrappers(pair, field, variant.new));
        let required = required(json, variant, field);
        quote! {
            #door::json::Variant {
                tag: #value,
                wrappers: &[#(#wrappers),*],
                required: &[#(&[#(#required),*]),*],
            }
        }
    });
    let readers = variants
        .iter()
        .enumerate()
        .map(|(index, (_, field, codec))| {
            let variant = json.types.variant(new, oneof, field);
            quote!(#index => <#codec as #door::json::Codec>::read(cx, input)?.map(#variant))
        });
    let writers = variants.iter().map(|(_, field, codec)| {
        let (variant, given) = (json.types.variant(new, oneof, field), &field.json_name);
        quote! {
            ::core::option::Option::Some(#variant(inner)) => {
                #door::json::write_variant::<#codec, O>(cx, #given, inner, output)
            }
        }
    });
    let notes = dropped.iter().filter_map(|plan| match plan.kind {
        FieldKind::OnlyNew { new: index } => json.dropped(new.fields.get(index)?, plan),
        _ => None,
    });
    let notes: Vec<_> = notes.collect();
    let notes = (!notes.is_empty()).then(|| {
        quote! {
            if let ::core::option::Option::Some(adapter) = cx.adapter() {
                #(#notes)*
            }
        }
    });
    let nothing = format!(
        "holds nothing; exactly one of {} must be set",
        member_names(new, oneof)
    );
    let form = json.form(&name, &ty);
    let docs = format!(
        "The codec of what stands for [`{}`]({}) in the older version's JSON: one of several objects, which `{tag}` tells apart.",
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
                f.write_str("an object")
            }

            fn read_text(
                cx: &#door::json::Context<'_>,
                text: &str,
            ) -> ::core::result::Result<::core::option::Option<#ty>, #door::json::TextError> {
                #door::json::union_text::<Self>(cx, text)
            }

            fn object<'de, I: #door::serde::de::MapAccess<'de>>(
                cx: &#door::json::Context<'_>,
                input: I,
            ) -> ::core::result::Result<#ty, I::Error> {
                #door::json::union_object::<Self, I>(cx, input)
            }

            fn write<O: #door::serde::Serializer>(
                cx: &#door::json::Context<'_>,
                value: &#ty,
                output: O,
            ) -> ::core::result::Result<O::Ok, O::Error> {
                #notes
                match &value.#slot {
                    #(#writers)*
                    _ => ::core::result::Result::Err(#door::json::unwritable(cx, #nothing)),
                }
            }
        }

        #form

        #allow
        impl #door::json::OldUnion for self::#name {
            const TAG: &'static str = #tag;
            const VARIANTS: &'static [#door::json::Variant] = &[#(#tables),*];

            #[allow(clippy::field_reassign_with_default, reason = "elsewhere the type may not be built at once")]
            fn read_variant<'de, I: #door::serde::Deserializer<'de>>(
                index: usize,
                cx: &#door::json::Context<'_>,
                input: I,
            ) -> ::core::result::Result<::core::option::Option<#ty>, I::Error> {
                let member = match index {
                    #(#readers,)*
                    _ => ::core::option::Option::None,
                };
                ::core::result::Result::Ok(member.map(|member| {
                    let mut value = <#ty as ::core::default::Default>::default();
                    value.#slot = ::core::option::Option::Some(member);
                    value
                }))
            }
        }
    }
}

/// Members that tell the object by its shape, each under all its names. A truth value does not:
/// ProtoJSON leaves it out when it is false.
fn required(
    json: &Json<'_>,
    variant: &VariantPlan,
    field: &crate::model::Field,
) -> Vec<Vec<String>> {
    let Type::Message(new) = &field.ty else {
        return Vec::new();
    };
    let (Some(old), Some(pair)) = (
        json.old_message(&variant.old),
        json.plan.message(new, &variant.old),
    ) else {
        return Vec::new();
    };
    let names = json.members(pair, old).names;
    let fields = old.fields.iter().zip(names);
    let required = fields.filter(|(field, _)| {
        let is_truth = field.ty == Type::Scalar(Scalar::Bool);
        field.required && (must_be_there(field) || !is_truth)
    });
    required.map(|(_, names)| names).collect()
}
