//! Writing an object: its constants, then its members in the order of the schema.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::loss;
use super::object::Object;
use crate::emit::ident;
use crate::model::{Cardinality, Field, Type};
use crate::plan::model::{FieldKind, FieldPlan, Piece, Via};

impl Object<'_, '_> {
    pub(super) fn write(&self) -> TokenStream {
        let door = &self.json.door;
        let ty = self.json.new_type(&self.pair.new);
        let constants = self.old.constants.iter().map(|constant| {
            let (name, text) = (&constant.json_name, &constant.value);
            quote!(output.constant(#name, #text)?;)
        });
        let settle: Vec<_> = self
            .hook_codecs()
            .map(|codec| quote!(<#codec as #door::json::Settle<#ty>>::before_writing(value, adapter);))
            .collect();
        let settle = (!settle.is_empty()).then(|| {
            quote! {
                if let ::core::option::Option::Some(adapter) = output.context().adapter() {
                    #(#settle)*
                }
            }
        });
        let hooked = self.fields.iter().map(|plan| self.hook_first(plan));
        let members = (0..self.old.fields.len()).map(|index| self.write_own(index));
        quote! {
            #[allow(unused_variables, reason = "one pattern for all objects")]
            fn write_members<O: #door::serde::ser::SerializeMap>(
                value: &Self::Value,
                output: &mut #door::json::Fields<'_, '_, O>,
            ) -> ::core::result::Result<(), O::Error> {
                #settle
                #(#hooked)*
                #(#constants)*
                #(#members)*
                ::core::result::Result::Ok(())
            }
        }
    }

    /// What hooks make before anything is written.
    fn hook_first(&self, plan: &FieldPlan) -> TokenStream {
        let (door, hooks) = (&self.json.door, &self.json.hooks);
        match &plan.kind {
            FieldKind::Gather { new, old, hook } => {
                let Some(field) = self.new_field(*new) else {
                    return TokenStream::new();
                };
                let (slot, hook) = (ident(&field.rust_name), ident(hook));
                let given = &field.json_name;
                let made = old.iter().map(|index| format_ident!("old_{index}"));
                quote! {
                    let (#(#made,)*) = #door::json::hooked_down(output.context(), |adapter| {
                        adapter.field(#given, |adapter| #hooks::#hook::down(&value.#slot, adapter))
                    })?;
                }
            }
            FieldKind::OnlyOld {
                old,
                hook: Some(hook),
            } => {
                let (hook, made) = (ident(hook), format_ident!("old_{old}"));
                quote! {
                    let #made = #door::json::hooked_down(output.context(), |adapter| {
                        ::core::result::Result::Ok(#hooks::#hook::down(value, adapter))
                    })?;
                }
            }
            _ => TokenStream::new(),
        }
    }

    fn write_own(&self, index: usize) -> TokenStream {
        let (Some(plan), Some(old)) = (self.plan_of(index), self.old_field(index)) else {
            return TokenStream::new();
        };
        let (door, name) = (&self.json.door, &old.json_name);
        match &plan.kind {
            FieldKind::Carry {
                new,
                via,
                always_down,
                ..
            } => self.write_carried(*new, old, via, *always_down, plan),
            FieldKind::Lift { new, .. } => self.write_lifted(new, old),
            FieldKind::Inline { inner, .. } => {
                let codec = self
                    .json
                    .codec(&self.pair.new, &Type::Message(inner.clone()));
                quote!(output.inline::<#codec>(#name, value)?;)
            }
            FieldKind::Template { pieces, .. } => {
                let pattern = self.pattern(pieces);
                let ids = pieces.iter().filter_map(|piece| match piece {
                    Piece::Field(index) => {
                        let slot = ident(&self.new_field(*index)?.rust_name);
                        Some(quote!(&value.#slot))
                    }
                    Piece::Literal(_) => None,
                });
                quote! {
                    let text = #door::json::hooked_down(output.context(), |_| #pattern.write([#(#ids),*]))?;
                    output.old::<#door::json::Str>(#name, #name, &text)?;
                }
            }
            FieldKind::Gather { new, .. } => {
                let given = self.new_field(*new).map_or("", |field| &field.json_name);
                self.write_made(index, old, given)
            }
            FieldKind::OnlyOld { hook: Some(_), .. } => self.write_made(index, old, name),
            FieldKind::OnlyOld { hook: None, .. } | FieldKind::OnlyNew { .. } => TokenStream::new(),
        }
    }

    /// What a hook has made.
    fn write_made(&self, index: usize, old: &Field, given: &str) -> TokenStream {
        let (made, codec) = (format_ident!("old_{index}"), self.json.hooked_codec(old));
        let name = &old.json_name;
        if old.required {
            quote!(output.old::<#codec>(#name, #given, &#made)?;)
        } else {
            quote!(output.old_implicit::<#codec>(#name, #given, &#made)?;)
        }
    }

    fn write_carried(
        &self,
        new: usize,
        old: &Field,
        via: &Via,
        always: bool,
        plan: &FieldPlan,
    ) -> TokenStream {
        let Some(field) = self.new_field(new) else {
            return TokenStream::new();
        };
        let codec = self.json.codec_via(field, old, via);
        let (door, name, given) = (&self.json.door, &old.json_name, &field.json_name);
        if let Cardinality::Oneof(index) = field.cardinality
            && let Some(oneof) = self.new.oneofs.get(index)
        {
            let slot = ident(&oneof.rust_name);
            let variant = self.json.types.variant(self.new, oneof, field);
            return quote! {
                if let ::core::option::Option::Some(#variant(inner)) = &value.#slot {
                    output.old::<#codec>(#name, #given, inner)?;
                }
            };
        }
        let slot = ident(&field.rust_name);
        let wanted = always || old.required;
        // A default that nobody has written is made up where the newer version may do without.
        let made_up = loss(plan.down_loss.as_ref().filter(|_| always));
        if field.cardinality == Cardinality::Explicit && *via != Via::LenientTime {
            if let (Via::ZeroIsUnset, Some(id)) = (via, &plan.down_loss) {
                let told = self.json.told(id);
                return quote! {
                    if value.#slot == ::core::option::Option::Some(0) {
                        output.note(#id, #given, #told);
                    }
                    output.old_optional::<#codec>(#name, #given, &value.#slot)?;
                };
            }
            return match (always, old.required) {
                (true, _) => {
                    quote!(output.old_required::<#codec>(#name, #given, &value.#slot, #made_up)?;)
                }
                (false, true) => quote!(output.old_wanted::<#codec>(#name, #given, &value.#slot)?;),
                (false, false) => {
                    quote!(output.old_optional::<#codec>(#name, #given, &value.#slot)?;)
                }
            };
        }
        match (via, wanted) {
            (Via::Not, true) => {
                quote!(output.old::<#door::json::Bool>(#name, #given, &!value.#slot)?;)
            }
            (Via::Not, false) => {
                quote!(output.old_implicit::<#door::json::Bool>(#name, #given, &!value.#slot)?;)
            }
            (Via::First, _) => quote!(output.old_list_of::<#codec>(#name, #given, &value.#slot)?;),
            (_, true) if plan.down_loss.is_some() && always => {
                quote!(output.old_made_up::<#codec>(#name, #given, &value.#slot, #made_up)?;)
            }
            (_, true) => quote!(output.old::<#codec>(#name, #given, &value.#slot)?;),
            (_, false) => quote!(output.old_implicit::<#codec>(#name, #given, &value.#slot)?;),
        }
    }

    fn write_lifted(&self, path: &[usize], old: &Field) -> TokenStream {
        let (Some(leaf), Some((_, before))) = (self.leaf(path), path.split_last()) else {
            return TokenStream::new();
        };
        let (codec, name) = (self.json.member_codec(leaf, old), &old.json_name);
        let mut message = self.new;
        let mut place = quote!(::core::option::Option::Some(value));
        let mut given = String::new();
        for step in before {
            let Some(field) = message.fields.get(*step) else {
                return TokenStream::new();
            };
            let slot = ident(&field.rust_name);
            place = quote!(#place.and_then(|inner| inner.#slot.as_ref()));
            given.push_str(&field.json_name);
            given.push('.');
            if let Type::Message(name) = &field.ty
                && let Some(inner) = self.json.new_message(name)
            {
                message = inner;
            }
        }
        given.push_str(&leaf.json_name);
        let slot = ident(&leaf.rust_name);
        let found = match leaf.cardinality {
            Cardinality::Explicit => quote!(#place.and_then(|inner| inner.#slot.as_ref())),
            _ => quote!(#place.map(|inner| &inner.#slot)),
        };
        quote! {
            if let ::core::option::Option::Some(found) = #found {
                output.old::<#codec>(#name, #given, found)?;
            }
        }
    }
}
