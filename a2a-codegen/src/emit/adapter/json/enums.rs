//! Words of enums.

use std::collections::BTreeMap;

use heck::{ToKebabCase, ToShoutySnakeCase, ToSnakeCase};
use proc_macro2::TokenStream;
use quote::quote;

use super::members::olds;
use super::{Json, fields_of, loss, short};
use crate::emit::ident;
use crate::model::{Enum, Type};
use crate::plan::model::{EnumPlan, FieldKind, Via};

/// The codecs of enums, and the module of their tables.
pub(super) fn emit(json: &Json<'_>) -> TokenStream {
    let door = &json.door;
    let codecs = json.plan.enums.values().map(|plan| {
        let name = ident(short(&plan.old));
        let docs = format!("The codec of `{}` in the older version's JSON.", plan.old);
        quote! {
            #[doc = #docs]
            pub type #name = #door::json::OldEnumeration<self::words::#name>;
        }
    });
    let tables = json.plan.enums.values().map(|plan| table(json, plan));
    let words = words(json);
    quote! {
        #(#codecs)*

        #[doc(hidden)]
        #[allow(missing_docs, reason = "tables of the codecs")]
        pub mod words {
            #(#tables)*
            #words
        }
    }
}

fn table(json: &Json<'_>, plan: &EnumPlan) -> TokenStream {
    let door = &json.door;
    let name = ident(short(&plan.old));
    let texts = plan.values.iter().map(|value| {
        let (text, number) = (&value.old_name, value.new);
        let loss = loss(value.down_loss.as_ref());
        quote!((#text, #number, #loss))
    });
    let unknown = loss(plan.unknown_loss.as_ref());
    let arms = spellings(json, plan)
        .into_iter()
        .map(|(text, (number, loss))| {
            let loss = super::loss(loss.as_ref());
            quote!(#text => ::core::option::Option::Some((#number, #loss)))
        });
    quote! {
        #[derive(Debug)]
        pub struct #name;

        impl #door::json::OldEnum for #name {
            const TEXTS: &'static [(&'static str, i32, ::core::option::Option<&'static str>)] =
                &[#(#texts),*];
            const UNKNOWN: ::core::option::Option<&'static str> = #unknown;

            fn number(
                text: &str,
            ) -> ::core::option::Option<(i32, ::core::option::Option<&'static str>)> {
                match text {
                    #(#arms,)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    }
}

/// All texts that are read, with the newer number and what is lost.
fn spellings(json: &Json<'_>, plan: &EnumPlan) -> BTreeMap<String, (i32, Option<String>)> {
    let mut found: BTreeMap<String, (i32, Option<String>)> = BTreeMap::new();
    for value in &plan.values {
        found.insert(value.old_name.clone(), (value.new, value.up_loss.clone()));
    }
    for (text, (number, loss)) in &plan.only_old {
        found.insert(text.clone(), (*number, Some(loss.clone())));
    }
    // Other spellings of the same words, and the names that the protos of both versions have.
    let mut further: Vec<(String, i32)> = Vec::new();
    for value in &plan.values {
        further.push((value.old_name.clone(), value.new));
    }
    let names = |api: Option<&Enum>| -> Vec<(String, i32)> {
        let prefix = api.map(|each| format!("{}_", short(&each.proto_name).to_shouty_snake_case()));
        let values = api.into_iter().flat_map(|each| &each.values);
        values
            .flat_map(|value| {
                let bare = prefix
                    .as_deref()
                    .and_then(|prefix| value.proto_name.strip_prefix(prefix));
                let names = [Some(value.proto_name.as_str()), bare];
                names.map(|name| (name.unwrap_or_default().to_owned(), value.number))
            })
            .filter(|(name, _)| !name.is_empty())
            .collect()
    };
    further.extend(names(json.input.new.enums.get(&plan.new)));
    if let Some(proto) = json.input.proto.enums.get(&plan.new) {
        let by_number: BTreeMap<i32, i32> = proto
            .values
            .iter()
            .map(|value| (value.old, value.new))
            .collect();
        let old = names(json.input.old.enums.get(&proto.old));
        further.extend(
            old.into_iter()
                .filter_map(|(name, old)| Some((name, *by_number.get(&old)?))),
        );
    }
    for (name, number) in further {
        let whole = name.contains("UNSPECIFIED") || name.to_shouty_snake_case() == name;
        let mut spellings = vec![name.clone(), name.to_kebab_case(), name.to_snake_case()];
        if whole {
            spellings.push(name.to_shouty_snake_case());
        }
        for text in spellings {
            found.entry(text).or_insert((number, None));
        }
    }
    found
}

/// Words of texts that are free in the newer version.
fn words(json: &Json<'_>) -> TokenStream {
    let door = &json.door;
    let mut enums: BTreeMap<&str, &Enum> = BTreeMap::new();
    for pair in &json.plan.messages {
        let Some(old) = json.old_message(&pair.old) else {
            continue;
        };
        for plan in fields_of(pair) {
            if !matches!(
                plan.kind,
                FieldKind::Carry {
                    via: Via::OneOf(_),
                    ..
                }
            ) {
                continue;
            }
            let fields = olds(&plan.kind);
            for field in fields.iter().filter_map(|index| old.fields.get(*index)) {
                if let Type::Enum(name) = &field.ty
                    && let Some(each) = json.old.enums.get(name)
                {
                    enums.insert(name, each);
                }
            }
        }
    }
    let words = enums.values().map(|each| {
        let name = ident(short(&each.proto_name));
        let words = each.values.iter().map(|value| &value.proto_name);
        quote! {
            #[derive(Debug)]
            pub struct #name;

            impl #door::json::OldWords for #name {
                const WORDS: &'static [&'static str] = &[#(#words),*];
            }
        }
    });
    quote!(#(#words)*)
}
