//! Adapters between the protos of two versions: implementations of `Up` and `Down`.
//!
//! Comes in: both models and the plan between them ([`AdapterInput`]). Goes out: for each pair of
//! messages an `impl Up<New> for Old` and an `impl Down<Old> for New`, and a table for each pair of
//! enums that stands in one. Values are moved; bodies are one call for each field, into `adapt` of
//! `a2a-wire`. Pairs that a hook converts are left to it.

mod access;
mod carry;
mod fields;
mod names;
mod several;
mod values;

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::quote;

use super::AdapterInput;
use crate::emit::{ident, path};
use crate::model::{Api, Enum, Field, Message, Oneof};
use crate::plan::model::{ConversionPlan, How, MessagePlan};

/// Where `google.protobuf.Empty` stands for a message that says nothing.
const EMPTY: &str = "google.protobuf.Empty";

/// Emits all adapters of the plan between the protos.
pub(crate) fn emit(input: &AdapterInput<'_>) -> TokenStream {
    let emitter = Emitter::new(input);
    let pairs: TokenStream = input
        .proto
        .messages
        .iter()
        .map(|plan| emitter.pair(plan))
        .collect();
    let values = values::emit(&emitter, &pairs);
    quote!(#values #pairs)
}

/// What all parts of this emitter ask.
struct Emitter<'a> {
    input: &'a AdapterInput<'a>,
    plan: &'a ConversionPlan,
    /// The module of what adapters share: `::a2a_wire::adapt`.
    adapt: TokenStream,
    hooks: TokenStream,
}

/// One of the two versions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// One of the two ways between a pair of messages.
struct Way<'a> {
    /// Where values come from.
    from: &'a Message,
    /// Where they go.
    to: &'a Message,
    is_up: bool,
    /// Fields are taken out of `self`, which is used as a whole afterwards.
    keeps_self: bool,
}

impl<'a> Emitter<'a> {
    fn new(input: &'a AdapterInput<'a>) -> Self {
        let wire = path(&input.paths.wire);
        Self {
            input,
            plan: input.proto,
            adapt: quote!(#wire::adapt),
            hooks: path(&input.paths.hooks),
        }
    }

    fn api(&self, side: Side) -> &'a Api {
        match side {
            Side::Old => self.input.old,
            Side::New => self.input.new,
        }
    }

    fn root(&self, side: Side) -> TokenStream {
        match side {
            Side::Old => path(&self.input.paths.old),
            Side::New => path(&self.input.paths.new),
        }
    }

    fn item(&self, side: Side, rust_path: &[String]) -> TokenStream {
        let mut tokens = self.root(side);
        for segment in rust_path {
            let segment = ident(segment);
            tokens.extend(quote!(::#segment));
        }
        tokens
    }

    /// The Rust type of a message by its full name.
    fn message_type(&self, side: Side, name: &str) -> TokenStream {
        match self.api(side).messages.get(name) {
            Some(message) => self.item(side, &message.rust_path),
            None => quote!(()),
        }
    }

    fn enum_type(&self, side: Side, each: &Enum) -> TokenStream {
        self.item(side, &each.rust_path)
    }

    fn variant(&self, side: Side, oneof: &Oneof, field: &Field) -> TokenStream {
        let (oneof, variant) = (self.item(side, &oneof.rust_path), ident(&field.rust_name));
        quote!(#oneof::#variant)
    }

    /// A loss as generated code hands it on: its id, and what people are told.
    fn told(&self, id: &str) -> TokenStream {
        let detail = self.plan.losses.get(id).map_or("", String::as_str);
        quote!((#id, #detail))
    }

    fn maybe_told(&self, id: Option<&str>) -> TokenStream {
        match id {
            Some(id) => {
                let told = self.told(id);
                quote!(::core::option::Option::Some(#told))
            }
            None => quote!(::core::option::Option::None),
        }
    }

    /// Both implementations of a pair.
    fn pair(&self, plan: &MessagePlan) -> TokenStream {
        let How::Fields(fields) = &plan.how else {
            return TokenStream::new();
        };
        let nothing = nothing();
        let find = |side: Side, name: &str| self.api(side).messages.get(name);
        let (old, new) = (find(Side::Old, &plan.old), find(Side::New, &plan.new));
        let is_known = |found: Option<&Message>, name: &str| found.is_some() || name == EMPTY;
        if !is_known(old, &plan.old) || !is_known(new, &plan.new) || old.is_none() && new.is_none()
        {
            return TokenStream::new();
        }
        let (old, new) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
        let old_type = self.message_type(Side::Old, &plan.old);
        let new_type = self.message_type(Side::New, &plan.new);
        let adapt = &self.adapt;
        let mut impls = TokenStream::new();
        for is_up in [true, false] {
            let (from, to) = if is_up { (old, new) } else { (new, old) };
            let (from_type, to_type) = if is_up {
                (&old_type, &new_type)
            } else {
                (&new_type, &old_type)
            };
            let way = Way {
                from,
                to,
                is_up,
                keeps_self: !is_up && fields::inlines(fields).next().is_some(),
            };
            let (direction, method) = way.names();
            let statements = fields::statements(self, &way, fields);
            let target = way.target();
            let body = if mentions(&statements, &target.to_string()) {
                quote!(#statements ::core::result::Result::Ok(#target))
            } else {
                quote!(#statements ::core::result::Result::Ok(::core::default::Default::default()))
            };
            let adapter = if mentions(&body, "adapter") {
                quote!(adapter)
            } else {
                quote!(_)
            };
            let receiver = if way.keeps_self {
                quote!(mut self)
            } else {
                quote!(self)
            };
            let deprecated = allow_deprecated(from, to);
            impls.extend(quote! {
                #deprecated
                #[allow(
                    clippy::field_reassign_with_default,
                    reason = "messages grow: no other crate can write them down whole"
                )]
                impl #adapt::#direction<#to_type> for #from_type {
                    fn #method(
                        #receiver,
                        #adapter: &#adapt::Adapter,
                    ) -> ::core::result::Result<#to_type, #adapt::Refused> {
                        #body
                    }
                }
            });
        }
        impls
    }
}

impl Way<'_> {
    fn source_side(&self) -> Side {
        if self.is_up { Side::Old } else { Side::New }
    }

    fn target_side(&self) -> Side {
        if self.is_up { Side::New } else { Side::Old }
    }

    /// Names of the trait and its method.
    fn names(&self) -> (proc_macro2::Ident, proc_macro2::Ident) {
        if self.is_up {
            (ident("Up"), ident("up"))
        } else {
            (ident("Down"), ident("down"))
        }
    }

    /// The variable that is filled.
    fn target(&self) -> proc_macro2::Ident {
        ident(if self.is_up { "new" } else { "old" })
    }
}

/// `google.protobuf.Empty`, as a message.
fn nothing() -> Message {
    Message {
        proto_name: EMPTY.to_owned(),
        package: "google.protobuf".to_owned(),
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

/// True when an identifier stands anywhere in tokens.
fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// For code that touches what a schema deprecates.
fn allow_deprecated(from: &Message, to: &Message) -> TokenStream {
    let touches = [from, to]
        .iter()
        .any(|message| message.deprecated || message.fields.iter().any(|field| field.deprecated));
    if touches {
        quote!(#[allow(deprecated, reason = "what a schema deprecates is still converted")])
    } else {
        TokenStream::new()
    }
}

/// A text as a literal, for `quote`.
fn text(text: &str) -> Literal {
    Literal::string(text)
}

#[cfg(test)]
mod tests;
