//! JSON as it is written in an attribute: `{ "limit": 10, "regions": ["eu", null], "strict": true }`.
//!
//! Comes in: tokens. Goes out: the value, or the token that is none of JSON.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Lit, LitBool, LitFloat, LitInt, LitStr, Token};

use super::{Faults, split};

pub(crate) enum Json {
    Null,
    Bool(LitBool),
    Text(LitStr),
    /// The sign, and an integer.
    Integer(Option<Token![-]>, LitInt),
    Float(Option<Token![-]>, LitFloat),
    Array(Vec<Json>),
    Object(Vec<(LitStr, Json)>),
}

const EXPECTED: &str =
    "expected JSON: a text in quotes, a number, true, false, null, [ … ] or { \"key\": … }";

impl Json {
    pub(crate) fn read(tokens: TokenStream, faults: &mut Faults) -> Option<Self> {
        let mut trees = tokens.clone().into_iter();
        if let (Some(TokenTree::Group(group)), None) = (trees.next(), trees.next()) {
            return match group.delimiter() {
                Delimiter::Brace => Some(Self::Object(object(&group, faults))),
                Delimiter::Bracket => Some(Self::Array(array(&group, faults))),
                Delimiter::None => Self::read(group.stream(), faults),
                Delimiter::Parenthesis => {
                    faults.on(tokens, EXPECTED);
                    None
                }
            };
        }
        match scalar.parse2(tokens) {
            Ok(value) => Some(value),
            Err(error) => {
                faults.add(error);
                None
            }
        }
    }
}

fn array(group: &Group, faults: &mut Faults) -> Vec<Json> {
    let pieces = split(group.stream(), faults);
    let values = pieces.into_iter();
    values
        .filter_map(|piece| Json::read(piece, faults))
        .collect()
}

fn object(group: &Group, faults: &mut Faults) -> Vec<(LitStr, Json)> {
    let mut members: Vec<(LitStr, Json)> = Vec::new();
    for piece in split(group.stream(), faults) {
        let read = |input: ParseStream<'_>| -> syn::Result<(LitStr, TokenStream)> {
            let expected = |error| {
                syn::Error::new(
                    syn::Error::span(&error),
                    "expected a member of a JSON object: \"key\": value",
                )
            };
            let key: LitStr = input.parse().map_err(expected)?;
            let _: Token![:] = input.parse().map_err(expected)?;
            Ok((key, input.parse()?))
        };
        match read.parse2(piece) {
            Ok((key, value)) if value.is_empty() => {
                faults.on(&key, format!("the value of {:?} is missing", key.value()));
            }
            Ok((key, value)) => {
                if members
                    .iter()
                    .any(|(other, _)| other.value() == key.value())
                {
                    faults.on(&key, format!("{:?} is said twice", key.value()));
                }
                if let Some(value) = Json::read(value, faults) {
                    members.push((key, value));
                }
            }
            Err(error) => faults.add(error),
        }
    }
    members
}

fn scalar(input: ParseStream<'_>) -> syn::Result<Json> {
    let minus: Option<Token![-]> = input.parse()?;
    let value = if input.peek(Lit) {
        match (minus, input.parse()?) {
            (None, Lit::Str(text)) => Json::Text(text),
            (None, Lit::Bool(value)) => Json::Bool(value),
            (minus, Lit::Int(number)) => integer(minus, number)?,
            (minus, Lit::Float(number)) if number.suffix().is_empty() => Json::Float(minus, number),
            (_, other) => return Err(syn::Error::new_spanned(other, EXPECTED)),
        }
    } else if minus.is_none() && input.peek(syn::Ident) {
        let word: syn::Ident = input.parse()?;
        if word != "null" {
            return Err(syn::Error::new_spanned(word, EXPECTED));
        }
        Json::Null
    } else {
        return Err(input.error(EXPECTED));
    };
    if input.is_empty() {
        Ok(value)
    } else {
        Err(input.error("expected a comma before this"))
    }
}

fn integer(minus: Option<Token![-]>, number: LitInt) -> syn::Result<Json> {
    let sign = if minus.is_some() { "-" } else { "" };
    let digits = format!("{sign}{}", number.base10_digits());
    let fits = digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
    if !number.suffix().is_empty() {
        return Err(syn::Error::new_spanned(number, EXPECTED));
    }
    if !fits {
        let message = "this number does not fit 64 bits: write it as a text";
        return Err(syn::Error::new_spanned(number, message));
    }
    Ok(Json::Integer(minus, number))
}
