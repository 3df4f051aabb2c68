//! Reading an object: one arm per member.

use proc_macro2::TokenStream;
use quote::quote;

use super::object::{Object, What, up_loss};
use super::{hook_of, loss};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Type};
use crate::plan::model::{Absent, FieldKind, FieldPlan, Via};

impl Object<'_, '_> {
    pub(super) fn read(&self) -> TokenStream {
        let door = &self.json.door;
        let own = (0..self.old.fields.len()).map(|index| self.read_own(index));
        let beyond = self.beyond.iter().map(|member| member.read.clone());
        let arms = own.chain(beyond).enumerate();
        let arms: Vec<_> = arms.map(|(index, read)| quote!(#index => #read)).collect();
        let body = if arms.is_empty() {
            quote! {
                let _ = (state, index);
                input.passed()
            }
        } else {
            quote! {
                match index {
                    #(#arms,)*
                    _ => input.passed(),
                }
            }
        };
        quote! {
            fn read_member<'de, I: #door::serde::de::MapAccess<'de>>(
                state: &mut Self::State,
                index: usize,
                input: #door::json::Entry<'_, '_, I>,
            ) -> ::core::result::Result<bool, I::Error> {
                #body
            }
        }
    }

    fn read_own(&self, index: usize) -> TokenStream {
        let (Some(plan), Some(old)) = (self.plan_of(index), self.old_field(index)) else {
            return quote!(input.passed());
        };
        if let Some(kept) = self.kept_as(|what| matches!(what, What::Old(old) if *old == index)) {
            let codec = self.kept_codec(plan, old);
            return quote!(input.kept::<#codec>(&mut state.#kept));
        }
        match &plan.kind {
            FieldKind::Carry { new, via, .. } => self.read_carried(*new, old, via, plan),
            FieldKind::Inline { inner, .. } => {
                let codec = self
                    .json
                    .codec(&self.pair.new, &Type::Message(inner.clone()));
                let value = self.value();
                let own = self.own_fields();
                quote!(input.read::<#codec>().map(|inner| {
                    let there = inner.is_some();
                    if let ::core::option::Option::Some(inner) = inner {
                        let own = ::core::mem::replace(&mut #value, inner);
                        #(#value.#own = own.#own;)*
                    }
                    there
                }))
            }
            FieldKind::OnlyOld { hook: None, .. } => {
                let (loss, told) = (
                    up_loss(plan),
                    plan.up_loss.as_ref().map_or("", |id| self.json.told(id)),
                );
                quote!(input.forgotten(#loss, #told))
            }
            _ => quote!(input.passed()),
        }
    }

    /// The codec of what is kept beside the value.
    fn kept_codec(&self, plan: &FieldPlan, old: &Field) -> TokenStream {
        let door = &self.json.door;
        match &plan.kind {
            FieldKind::Lift { new, .. } => match self.leaf(new) {
                Some(leaf) => self.json.member_codec(leaf, old),
                None => TokenStream::new(),
            },
            FieldKind::Template { .. } => quote!(#door::json::Str),
            _ => self.json.hooked_codec(old),
        }
    }

    /// Newer fields that this object sets itself, beside an inlined one.
    fn own_fields(&self) -> Vec<proc_macro2::Ident> {
        let carried = self.fields.iter().filter_map(|field| match &field.kind {
            FieldKind::Carry { new, .. } => Some(*new),
            _ => None,
        });
        let fields = carried.filter_map(|new| self.new_field(new));
        let fields = fields.filter(|field| !matches!(field.cardinality, Cardinality::Oneof(_)));
        fields.map(|field| ident(&field.rust_name)).collect()
    }

    fn read_carried(&self, new: usize, old: &Field, via: &Via, plan: &FieldPlan) -> TokenStream {
        let Some(field) = self.new_field(new) else {
            return quote!(input.passed());
        };
        let codec = self.json.codec_via(field, old, via);
        let value = self.value();
        if let Cardinality::Oneof(index) = field.cardinality
            && let Some(oneof) = self.new.oneofs.get(index)
        {
            let slot = ident(&oneof.rust_name);
            let variant = self.json.types.variant(self.new, oneof, field);
            return quote!(input.chosen::<#codec, _>(&mut #value.#slot, #variant));
        }
        let slot = ident(&field.rust_name);
        let slot = quote!(&mut #value.#slot);
        let is_explicit = field.cardinality == Cardinality::Explicit;
        match via {
            Via::Not => quote!(input.negated(#slot)),
            Via::ZeroIsUnset if is_explicit => {
                let loss = up_loss(plan);
                quote!(input.unless_zero::<#codec>(#slot, #loss))
            }
            Via::First => {
                let rest = up_loss(plan);
                let none = loss(absent_loss(plan));
                quote!(input.first::<#codec>(#slot, #rest, #none))
            }
            Via::EmptyIsUnset if is_explicit => {
                let loss = up_loss(plan);
                quote!(input.unless_empty(#slot, #loss))
            }
            Via::Same | Via::OneOf(_) | Via::ZeroIsUnset | Via::EmptyIsUnset if is_explicit => {
                quote!(input.maybe::<#codec>(#slot))
            }
            // These codecs know themselves what an absent value is.
            _ => quote!(input.value::<#codec>(#slot)),
        }
    }

    /// Codecs of members that are hooks.
    pub(super) fn hook_codecs(&self) -> impl Iterator<Item = TokenStream> + '_ {
        self.fields.iter().filter_map(|plan| match &plan.kind {
            FieldKind::Carry { new, old, via, .. } if hook_of(via).is_some() => {
                let (new, old) = (self.new_field(*new)?, self.old_field(*old)?);
                Some(self.json.codec_via(new, old, via))
            }
            _ => None,
        })
    }
}

/// The loss of an absent value.
fn absent_loss(plan: &FieldPlan) -> Option<&String> {
    match &plan.kind {
        FieldKind::Carry {
            absent: Absent::Lost(id),
            ..
        } => Some(id),
        _ => None,
    }
}
