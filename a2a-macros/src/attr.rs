//! The grammar of the attributes: what stands between their parentheses.
//!
//! Comes in: tokens. Goes out: values by their keys, and every fault at its own token. Knows how
//! things are written (`key`, `key = value`, `key(…)`), not what they mean.

mod fields;
mod json;
mod words;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Token, parenthesized, token};

pub(crate) use fields::{Fields, Flag, Texts, listed_in, texts_of};
pub(crate) use json::Json;
pub(crate) use words::nearest;

/// All that is wrong, in the order in which it was found.
#[derive(Default)]
pub(crate) struct Faults(Option<syn::Error>);

impl Faults {
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Points at all of `tokens`.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn or<T>(self, value: T) -> Result<T, syn::Error> {
        self.0.map_or(Ok(value), Err)
    }
}

/// What an entry begins with.
pub(crate) enum Head {
    /// `name`; keywords too.
    Word(Ident),
    /// `"my-name"`, where a name may be something else than an identifier.
    Text(LitStr),
}

impl Head {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Word(word) => word.unraw().to_string(),
            Self::Text(text) => text.value(),
        }
    }

    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Word(word) => word.span(),
            Self::Text(text) => text.span(),
        }
    }
}

/// What follows the head.
pub(crate) enum Form {
    Bare,
    /// `= value`
    Value(TokenStream),
    /// `(…)`
    List(TokenStream),
}

/// `head`, `head = value` or `head(…)`.
pub(crate) struct Entry {
    pub(crate) head: Head,
    pub(crate) form: Form,
}

/// The entries between commas. A broken one is a fault, and does not keep the others from being read.
pub(crate) fn entries(tokens: TokenStream, faults: &mut Faults) -> Vec<Entry> {
    let mut found = Vec::new();
    for mut piece in split(tokens, faults) {
        // More than one where a comma is missing.
        while !piece.is_empty() {
            match entry.parse2(std::mem::take(&mut piece)) {
                Ok((entry, rest)) => {
                    found.push(entry);
                    if let Some(next) = rest.clone().into_iter().next() {
                        faults.at(next.span(), "expected a comma before this");
                    }
                    piece = rest;
                }
                Err(error) => faults.add(error),
            }
        }
    }
    found
}

/// The pieces between commas.
pub(crate) fn split(tokens: TokenStream, faults: &mut Faults) -> Vec<TokenStream> {
    let mut pieces = Vec::new();
    let mut piece = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if piece.is_empty() {
                    faults.at(comma.span(), "nothing stands before this comma");
                } else {
                    pieces.push(std::mem::take(&mut piece));
                }
            }
            other => piece.extend([other]),
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// An entry, and what follows it.
fn entry(input: ParseStream<'_>) -> syn::Result<(Entry, TokenStream)> {
    let head = if input.peek(LitStr) {
        Head::Text(input.parse()?)
    } else if input.peek(Ident::peek_any) {
        Head::Word(input.call(Ident::parse_any)?)
    } else {
        return Err(input.error("expected a word, or a text in quotes"));
    };
    let form = if input.is_empty() {
        Form::Bare
    } else if input.peek(token::Paren) {
        let list;
        parenthesized!(list in input);
        Form::List(list.parse()?)
    } else if input.peek(Token![=]) {
        let equals: Token![=] = input.parse()?;
        let value: TokenStream = if has_brackets(input) {
            TokenStream::from(input.parse::<TokenTree>()?)
        } else {
            value(input)?
        };
        if value.is_empty() {
            let text = head.text();
            return Err(syn::Error::new_spanned(
                equals,
                format!("a value is missing: {text} = …"),
            ));
        }
        Form::Value(value)
    } else {
        Form::Bare
    };
    Ok((Entry { head, form }, input.parse()?))
}

fn has_brackets(input: ParseStream<'_>) -> bool {
    input.peek(token::Brace) || input.peek(token::Bracket)
}

/// One value, with the sign in front of it. What is no literal and no word is taken as a whole, for a
/// better message about it.
fn value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let minus: Option<Token![-]> = input.parse()?;
    if input.peek(syn::Lit) {
        let literal: syn::Lit = input.parse()?;
        return Ok(quote::quote!(#minus #literal));
    }
    let rest: TokenStream = input.parse()?;
    Ok(quote::quote!(#minus #rest))
}
