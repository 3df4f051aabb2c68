//! `#[derive(Failure)]`: an enum whose variants are the reasons for which a skill fails.
//!
//! Comes in: a documented enum. Goes out: the implementation of `Failure`; names of reasons and their
//! descriptions are published with the card.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Fields as Shape, Ident, ItemEnum, LitStr, Meta, Token, Variant};

use crate::ast::{description, runtime};
use crate::attr::{Faults, Fields};

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let read = match Parser::parse2(enumeration, item) {
        Ok(read) => read,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let code = code(&read, &mut faults);
    match faults.or(code) {
        Ok(code) => code,
        Err(error) => {
            let error = error.to_compile_error();
            let dummy = dummy(&read);
            quote!(#error #dummy)
        }
    }
}

fn enumeration(input: ParseStream<'_>) -> syn::Result<ItemEnum> {
    let fork = input.fork();
    fork.call(Attribute::parse_outer)?;
    fork.parse::<syn::Visibility>()?;
    if !fork.peek(Token![enum]) {
        return Err(fork.error("#[derive(Failure)] stands on an enum: each variant is a reason for which a skill fails"));
    }
    input.parse()
}

struct Reason<'a> {
    variant: &'a Variant,
    name: LitStr,
    description: String,
}

fn code(item: &ItemEnum, faults: &mut Faults) -> TokenStream {
    let mut fields = attribute("#[failure]", &item.attrs, &["crate", "display"], faults);
    let runtime = runtime(&mut fields, faults);
    let display = fields
        .flag("display", faults)
        .is_some_and(|flag| flag.value);
    if !item.generics.params.is_empty() {
        faults.on(
            &item.generics,
            "reasons have no generic parameters: they are published in the card",
        );
    }
    if item.variants.is_empty() {
        faults.on(
            &item.ident,
            "an enum without variants has no reasons: add one",
        );
    }
    let mut reasons: Vec<Reason<'_>> = Vec::new();
    for variant in &item.variants {
        let Some(reason) = reason(variant, faults) else {
            continue;
        };
        let is_conditional = |variant: &Variant| !conditions(variant).is_empty();
        let other = reasons.iter().find(|other| {
            other.name.value() == reason.name.value() && !is_conditional(other.variant)
        });
        if other.is_some() && !is_conditional(variant) {
            let name = reason.name.value();
            faults.on(
                &reason.name,
                format!("a second reason {name:?}: give this one another name with #[failure(reason = \"…\")]"),
            );
        }
        reasons.push(reason);
    }
    let ident = &item.ident;
    let published = reasons.iter().map(|reason| {
        let (conditions, name, description) = (
            conditions(reason.variant),
            &reason.name,
            &reason.description,
        );
        quote!(#(#conditions)* #runtime::skills::FailureReason::new(#name, #description))
    });
    let names = reasons.iter().map(|reason| {
        arm(
            reason,
            &quote!(::core::option::Option::Some),
            &reason.name.value(),
        )
    });
    let words = if display {
        quote!(#runtime::skills::SkillError::new(::std::string::ToString::to_string(&self)))
    } else {
        let arms = reasons.iter().map(|reason| {
            arm(
                reason,
                &quote!(#runtime::skills::SkillError::new),
                &reason.description,
            )
        });
        quote!(match self { #(#arms)* })
    };
    quote! {
        #[automatically_derived]
        impl #runtime::skills::Failure for #ident {
            const REASONS: &'static [#runtime::skills::FailureReason] = &[#(#published),*];

            fn reason(&self) -> ::core::option::Option<&'static ::core::primitive::str> {
                match self { #(#names)* }
            }

            fn into_error(self) -> #runtime::skills::SkillError {
                #words
            }
        }
    }
}

fn arm(reason: &Reason<'_>, wrap: &TokenStream, text: &str) -> TokenStream {
    let conditions = conditions(reason.variant);
    let ident = &reason.variant.ident;
    let shape = match &reason.variant.fields {
        Shape::Named(_) => quote!({ .. }),
        Shape::Unnamed(_) => quote!((..)),
        Shape::Unit => TokenStream::new(),
    };
    quote!(#(#conditions)* Self::#ident #shape => #wrap(#text),)
}

fn conditions(variant: &Variant) -> Vec<&Attribute> {
    let attributes = variant.attrs.iter();
    attributes
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect()
}

fn reason<'a>(variant: &'a Variant, faults: &mut Faults) -> Option<Reason<'a>> {
    let mut fields = attribute(
        "#[failure]",
        &variant.attrs,
        &["reason", "description"],
        faults,
    );
    let name = fields
        .text("reason", faults)
        .unwrap_or_else(|| LitStr::new(&default_name(&variant.ident), variant.ident.span()));
    let said = fields.text("description", faults).map(|text| text.value());
    let Some(description) = said.or_else(|| description(&variant.attrs)) else {
        faults.on(
            &variant.ident,
            "a reason needs a description: write a doc comment (`/// …`) above the variant",
        );
        return None;
    };
    Some(Reason {
        variant,
        name,
        description,
    })
}

/// `UnknownSupplier` is `UNKNOWN_SUPPLIER`.
fn default_name(variant: &Ident) -> String {
    let letters: Vec<char> = variant.unraw().to_string().chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let next = letters.get(at + 1);
        // A word begins at a capital behind a small letter, or in front of one: `HTTPError`.
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() && *before != '_'
                    || next.is_some_and(|next| next.is_lowercase())
            });
        if begins && !name.ends_with('_') {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}

/// All `#[failure(…)]` of an item, as one list.
fn attribute(
    owner: &str,
    attributes: &[Attribute],
    keys: &[&'static str],
    faults: &mut Faults,
) -> Fields {
    let mut tokens = TokenStream::new();
    let mut span = Span::call_site();
    for attribute in attributes {
        if !attribute.path().is_ident("failure") {
            continue;
        }
        match &attribute.meta {
            Meta::List(list) => {
                if let Some(ident) = list.path.get_ident() {
                    span = ident.span();
                }
                let more = &list.tokens;
                let comma = (!tokens.is_empty()).then(|| quote!(,));
                tokens.extend(quote!(#comma #more));
            }
            other => faults.on(other, "write it as a list: #[failure(reason = \"…\")]"),
        }
    }
    Fields::read(owner, span, tokens, keys, &[], faults)
}

/// So that skills with this error are not told that it is none.
fn dummy(item: &ItemEnum) -> TokenStream {
    let ident = &item.ident;
    let mut fields = attribute(
        "#[failure]",
        &item.attrs,
        &["crate", "display"],
        &mut Faults::default(),
    );
    let runtime = runtime(&mut fields, &mut Faults::default());
    let (generics, parameters, bounds) = item.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #runtime::skills::Failure for #ident #parameters #bounds {
            const REASONS: &'static [#runtime::skills::FailureReason] = &[];

            fn reason(&self) -> ::core::option::Option<&'static ::core::primitive::str> {
                ::core::option::Option::None
            }

            fn into_error(self) -> #runtime::skills::SkillError {
                #runtime::skills::SkillError::new("")
            }
        }
    }
}
