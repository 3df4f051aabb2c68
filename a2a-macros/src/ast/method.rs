//! The members of an `impl` block, as far as a skill needs them.
//!
//! Comes in: what stands between the braces. Goes out: functions with their signatures, and whatever
//! else, both to be written again as they were. Bodies are never looked into.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Meta, Signature, Token, Visibility, token};

pub(crate) enum Member {
    Function(Box<Method>),
    Other(TokenStream),
}

pub(crate) struct Method {
    /// Without what says that it is a skill.
    pub(crate) attributes: Vec<Attribute>,
    before: TokenStream,
    pub(crate) signature: Signature,
    body: TokenTree,
    /// One for each `#[skill]`; several have conditions that exclude each other.
    pub(crate) marks: Vec<Mark>,
    /// Whatever decides whether the method is there at all.
    pub(crate) conditions: Vec<TokenStream>,
}

/// A `#[skill(…)]`.
pub(crate) struct Mark {
    pub(crate) span: Span,
    pub(crate) arguments: syn::Result<TokenStream>,
    /// `cfg`s under which it holds.
    pub(crate) conditions: Vec<TokenStream>,
}

impl Parse for Member {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let fork = input.fork();
        if let Ok(method) = Method::parse(&fork) {
            input.advance_to(&fork);
            return Ok(Self::Function(Box::new(method)));
        }
        let item: syn::ImplItem = input.parse()?;
        Ok(Self::Other(item.into_token_stream()))
    }
}

impl Parse for Method {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        let signature: Signature = input.parse()?;
        if !input.peek(token::Brace) {
            return Err(input.error("expected a body"));
        }
        let mut method = Self {
            attributes: Vec::new(),
            before: quote!(#visibility),
            signature,
            body: input.parse()?,
            marks: Vec::new(),
            conditions: Vec::new(),
        };
        for attribute in attributes {
            method.sort(attribute);
        }
        Ok(method)
    }
}

impl Method {
    /// Takes what the block's macro is to know out of an attribute, and keeps the rest.
    fn sort(&mut self, attribute: Attribute) {
        if is_skill(&attribute.meta) {
            self.marks.push(Mark::read(&attribute.meta, Vec::new()));
        } else if attribute.path().is_ident("cfg") {
            self.conditions.push(attribute.to_token_stream());
            self.attributes.push(attribute);
        } else if attribute.path().is_ident("cfg_attr") {
            self.sort_conditional(attribute);
        } else {
            self.attributes.push(attribute);
        }
    }

    /// `#[cfg_attr(predicate, skill(…), …)]`
    fn sort_conditional(&mut self, attribute: Attribute) {
        let read = |input: ParseStream<'_>| {
            let predicate: Meta = input.parse()?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
            let metas = input.parse_terminated(Meta::parse, Token![,])?;
            Ok((predicate, metas))
        };
        // What is not read here is rustc's to complain about.
        let Ok((predicate, metas)) = attribute.parse_args_with(read) else {
            self.attributes.push(attribute);
            return;
        };
        let mut rest = Vec::new();
        for meta in metas {
            if is_skill(&meta) {
                let condition = quote!(#[cfg(#predicate)]);
                self.marks.push(Mark::read(&meta, vec![condition]));
                continue;
            }
            if meta.path().is_ident("cfg") {
                self.conditions.push(quote!(#[cfg_attr(#predicate, #meta)]));
            }
            rest.push(meta);
        }
        if !rest.is_empty() {
            let kept: Attribute = syn::parse_quote!(#[cfg_attr(#predicate, #(#rest),*)]);
            self.attributes.push(kept);
        }
    }
}

fn is_skill(meta: &Meta) -> bool {
    let last = meta.path().segments.last();
    last.is_some_and(|last| last.ident == "skill")
}

impl Mark {
    fn read(meta: &Meta, conditions: Vec<TokenStream>) -> Self {
        let last = meta.path().segments.last();
        let arguments = match meta {
            Meta::Path(_) => Ok(TokenStream::new()),
            Meta::List(list) => Ok(list.tokens.clone()),
            Meta::NameValue(pair) => Err(syn::Error::new_spanned(
                &pair.value,
                "write it as a list: #[skill(tags(\"…\"))]",
            )),
        };
        Self {
            span: last.map_or_else(Span::call_site, |last| last.ident.span()),
            arguments,
            conditions,
        }
    }
}

impl ToTokens for Method {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attributes);
        if !self.marks.is_empty() {
            // What these ask for, a skill cannot do.
            tokens.extend(quote!(#[allow(
                clippy::needless_pass_by_value,
                clippy::unused_async,
                clippy::unused_self
            )]));
        }
        self.before.to_tokens(tokens);
        self.signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

impl ToTokens for Member {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Function(method) => method.to_tokens(tokens),
            Self::Other(other) => other.to_tokens(tokens),
        }
    }
}
