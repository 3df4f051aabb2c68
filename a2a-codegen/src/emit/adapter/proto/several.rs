//! Fields that stand for no single field beside them: hooks over several fields, fields of the older
//! side alone, and fields deeper in the newer message.
//!
//! Comes in: plans of such fields. Goes out: statements.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::access::{Held, name_of};
use super::fields::Fields;
use super::text;
use crate::emit::ident;
use crate::model::{Cardinality, Field, Message, Scalar, Type};

impl Fields<'_, '_> {
    /// Makes a newer field of several older ones, by a hook.
    pub(super) fn gather_up(&self, new: usize, old: &[usize], hook: &str) -> Option<TokenStream> {
        let (hooks, hook) = (&self.emitter.hooks, ident(hook));
        let field = self.way.to.fields.get(new)?;
        let arguments = old
            .iter()
            .filter_map(|index| self.way.from.fields.get(*index))
            .map(|field| {
                let value = self.optional_or_whole(field);
                match &field.ty {
                    Type::Message(_) => {
                        let name = text(name_of(field));
                        quote!(adapter.up(#name, #value)?)
                    }
                    _ => value,
                }
            });
        let value = quote!(#hooks::#hook::up(#(#arguments,)* adapter)?);
        Some(self.emitter.put(self.way, field, whole(field, value)))
    }

    fn optional_or_whole(&self, field: &Field) -> TokenStream {
        let name = ident(&field.rust_name);
        match field.cardinality {
            Cardinality::Oneof(_) => self.emitter.peek(self.way, field),
            _ => quote!(self.#name),
        }
    }

    /// Makes several older fields of a newer one, by a hook: a statement to come first, and one that
    /// fills them in.
    pub(super) fn gather_down(
        &self,
        new: usize,
        old: &[usize],
        hook: &str,
    ) -> Option<(TokenStream, TokenStream)> {
        let (hooks, hook) = (&self.emitter.hooks, ident(hook));
        let field = self.way.from.fields.get(new)?;
        let (name, value) = (text(name_of(field)), self.optional_or_whole(field));
        let given: Vec<Ident> = old
            .iter()
            .map(|index| format_ident!("given_{}", index))
            .collect();
        let puts = old.iter().zip(&given).filter_map(|(index, given)| {
            let field = self.way.to.fields.get(*index)?;
            let value = match &field.ty {
                Type::Message(_) => quote!(adapter.down(#name, #given)?),
                _ => quote!(#given),
            };
            Some(self.emitter.put(self.way, field, whole(field, value)))
        });
        Some((
            quote! {
                let (#(#given,)*) = adapter.field(#name, |adapter| #hooks::#hook::down(&#value, adapter))?;
            },
            quote!(#(#puts)*),
        ))
    }

    /// Hands a field that only the older side has to a hook.
    pub(super) fn judged(&self, old: usize, hook: &str) -> Option<TokenStream> {
        let (hooks, hook, target) = (&self.emitter.hooks, ident(hook), self.way.target());
        let field = self.way.from.fields.get(old)?;
        let (name, value) = (text(name_of(field)), self.optional_or_whole(field));
        Some(quote! {
            adapter.field(#name, |adapter| #hooks::#hook::up(#value, &#target, adapter))?;
        })
    }

    /// Lets a hook make a field that only the older side has.
    pub(super) fn made(&self, old: usize, hook: &str) -> Option<(TokenStream, TokenStream)> {
        let (hooks, hook) = (&self.emitter.hooks, ident(hook));
        let field = self.way.to.fields.get(old)?;
        let name = format_ident!("given_{}", old);
        Some((
            quote!(let #name = #hooks::#hook::down(&self, adapter);),
            self.emitter
                .put(self.way, field, whole(field, quote!(#name))),
        ))
    }

    /// Moves an older field deeper into the newer message.
    pub(super) fn lift_up(&self, new: &[usize], old: usize) -> Option<TokenStream> {
        let (adapt, target) = (&self.emitter.adapt, self.way.target());
        let source = self.way.from.fields.get(old)?;
        let (path, leaf) = self.path(self.way.to, new)?;
        let outer = path.iter().map(|field| {
            let name = ident(&field.rust_name);
            quote!(.#name.get_or_insert_default())
        });
        let name = ident(&leaf.rust_name);
        let value = self.optional_or_whole(source);
        let value = match source.cardinality {
            Cardinality::Implicit => quote!(#adapt::set(#value)),
            _ => value,
        };
        let found = match leaf.cardinality {
            Cardinality::Explicit => quote!(::core::option::Option::Some(value)),
            _ => quote!(value),
        };
        Some(quote! {
            if let ::core::option::Option::Some(value) = #value {
                #target #(#outer)* .#name = #found;
            }
        })
    }

    /// Fetches an older field from deeper in the newer message.
    pub(super) fn lift_down(
        &self,
        new: &[usize],
        old: usize,
    ) -> Option<(TokenStream, TokenStream)> {
        let dest = self.way.to.fields.get(old)?;
        let (path, leaf) = self.path(self.way.from, new)?;
        let mut value = quote!(::core::option::Option::Some(&self));
        for field in path {
            let name = ident(&field.rust_name);
            value = quote!(#value.and_then(|inner| inner.#name.as_ref()));
        }
        let name = ident(&leaf.rust_name);
        let is_copy = matches!(
            &leaf.ty,
            Type::Scalar(scalar) if !matches!(scalar, Scalar::String | Scalar::Bytes)
        );
        let leaf_value = if is_copy {
            quote!(inner.#name)
        } else {
            quote!(inner.#name.clone())
        };
        let value = match leaf.cardinality {
            Cardinality::Explicit => quote!(#value.and_then(|inner| #leaf_value)),
            _ => quote!(#value.map(|inner| #leaf_value)),
        };
        let given = format_ident!("given_{}", old);
        Some((
            quote!(let #given = #value;),
            self.emitter
                .put(self.way, dest, Held::Maybe(quote!(#given))),
        ))
    }

    /// The fields on the way to a leaf, and the leaf.
    fn path<'m>(&self, outer: &'m Message, indices: &[usize]) -> Option<(Vec<&'m Field>, &'m Field)>
    where
        Self: 'm,
    {
        let (last, path) = indices.split_last()?;
        let mut message = outer;
        let mut fields = Vec::new();
        for index in path {
            let field = message.fields.get(*index)?;
            fields.push(field);
            let Type::Message(name) = &field.ty else {
                return None;
            };
            message = self.emitter.input.new.messages.get(name)?;
        }
        Some((fields, message.fields.get(*last)?))
    }
}

/// What a hook gives for a field: a value of exactly its Rust type.
fn whole(field: &Field, value: TokenStream) -> Held {
    match field.cardinality {
        Cardinality::Implicit => Held::Plain(value),
        Cardinality::Explicit | Cardinality::Oneof(_) => Held::Maybe(value),
        Cardinality::Repeated => Held::Many(value),
        Cardinality::Map { .. } => Held::Entries(value),
    }
}
