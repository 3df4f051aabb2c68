//! Resource names: one older text for several newer ids.
//!
//! Comes in: a template of the plan. Goes out: statements that take a name apart, or put one
//! together.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::access::{Held, name_of};
use super::fields::Fields;
use super::{Side, mentions, text};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Message};
use crate::plan::model::{FieldKind, How, Piece};

impl Fields<'_, '_> {
    fn pattern(&self, new: &Message, pieces: &[Piece]) -> (TokenStream, Vec<usize>) {
        let mut before = Vec::new();
        let mut indices = Vec::new();
        let mut literal = String::new();
        for piece in pieces {
            match piece {
                Piece::Literal(text) => literal.push_str(text),
                Piece::Field(index) => {
                    before.push(std::mem::take(&mut literal));
                    indices.push(*index);
                }
            }
        }
        let names = indices.iter().map(|index| {
            let field = new.fields.get(*index);
            field.map_or("", |field| field.json_name.as_str())
        });
        // A name may say that its last id is not known, unless the newer version wants to know it;
        // then it is up to the caller.
        let last = indices.last().and_then(|index| new.fields.get(*index));
        let last_may_be_missing = match last {
            Some(field) if indices.len() > 1 && field.required => {
                quote!(adapter.options().config_id_optional)
            }
            Some(_) if indices.len() > 1 => quote!(true),
            _ => quote!(false),
        };
        let adapt = &self.emitter.adapt;
        let pattern = quote! {
            #adapt::Name {
                before: [#(#before),*],
                after: #literal,
                fields: [#(#names),*],
                last_may_be_missing: #last_may_be_missing,
            }
        };
        (pattern, indices)
    }

    /// Fills newer fields from a name.
    pub(super) fn template_up(&self, old: usize, pieces: &[Piece]) -> Option<TokenStream> {
        let (way, target) = (self.way, self.way.target());
        let field = way.from.fields.get(old)?;
        let (pattern, indices) = self.pattern(way.to, pieces);
        let (name, value) = (text(name_of(field)), self.borrowed(field));
        let param = closure_param(&pattern);
        let ids: Vec<Ident> = (0..indices.len())
            .map(|index| format_ident!("id_{}", index))
            .collect();
        let puts = indices.iter().zip(&ids).filter_map(|(index, id)| {
            let field = way.to.fields.get(*index)?;
            let Some(path) = self.path_of_inlined(*index) else {
                return Some(self.emitter.put(way, field, Held::Plain(quote!(#id))));
            };
            let place = ident(&field.rust_name);
            let place = match field.cardinality {
                Cardinality::Explicit => quote!(#target.#place.get_or_insert_default()),
                _ => quote!(&mut #target.#place),
            };
            Some(quote!(adapter.settle(#place, #id, #path)?;))
        });
        Some(quote! {
            let [#(#ids),*] = adapter.field(#name, |#param| #pattern.read(#value))?;
            #(#puts)*
        })
    }

    /// The older path of a newer field that the inlined message fills too.
    fn path_of_inlined(&self, new: usize) -> Option<String> {
        let (old, inner) = self.inlined()?;
        let outer = self.way.from.fields.get(old)?;
        let plan = self.emitter.plan.message(&self.way.to.proto_name, inner)?;
        let How::Fields(fields) = &plan.how else {
            return None;
        };
        let old = fields.iter().find_map(|plan| match &plan.kind {
            FieldKind::Carry {
                new: index, old, ..
            } if *index == new => Some(*old),
            _ => None,
        })?;
        let inner = self.emitter.api(Side::Old).messages.get(inner)?;
        let field = inner.fields.get(old)?;
        Some(format!("{}.{}", outer.json_name, field.json_name))
    }

    /// Makes a name of newer fields: a statement to come first, and one that fills it in.
    pub(super) fn template_down(
        &self,
        old: usize,
        pieces: &[Piece],
    ) -> Option<(TokenStream, TokenStream)> {
        let field = self.way.to.fields.get(old)?;
        let (pattern, indices) = self.pattern(self.way.from, pieces);
        let ids = indices
            .iter()
            .filter_map(|index| self.way.from.fields.get(*index))
            .map(|field| self.borrowed(field));
        let name = format_ident!("given_{}", old);
        Some((
            quote!(let #name = #pattern.write([#(#ids),*])?;),
            self.emitter.put(self.way, field, Held::Set(quote!(#name))),
        ))
    }

    /// A text of `self`, as `&str`.
    fn borrowed(&self, field: &Field) -> TokenStream {
        let name = ident(&field.rust_name);
        match field.cardinality {
            Cardinality::Explicit => quote!(self.#name.as_deref().unwrap_or_default()),
            Cardinality::Oneof(_) => {
                let value = self.emitter.peek(self.way, field);
                quote!((#value).as_deref().unwrap_or_default())
            }
            _ => quote!(&self.#name),
        }
    }
}

fn closure_param(body: &TokenStream) -> TokenStream {
    if mentions(body, "adapter") {
        quote!(adapter)
    } else {
        quote!(_)
    }
}
