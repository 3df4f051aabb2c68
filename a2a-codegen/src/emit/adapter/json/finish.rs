//! What is made of the members of an object once all have been read: names, lifts, what is missing, and
//! what an absent one stands for.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::must_be_there;
use super::object::{Object, What};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Type};
use crate::plan::model::{Absent, FieldKind, Piece, Via};

impl Object<'_, '_> {
    pub(super) fn finish(&self, ty: &TokenStream) -> TokenStream {
        let door = &self.json.door;
        let value = if self.kept.is_empty() {
            quote!(state)
        } else {
            quote!(state.value)
        };
        let steps = [
            self.missing(),
            self.templates(),
            self.lifts(),
            self.gathered(),
            self.newer_forms(),
            self.absences(),
            self.judged(),
            self.settled(),
        ];
        quote! {
            #[allow(unused_mut, unused_variables, clippy::let_and_return, reason = "one pattern for all objects")]
            fn finish<E: #door::serde::de::Error>(
                state: Self::State,
                seen: #door::json::Seen,
                cx: &#door::json::Context<'_>,
            ) -> ::core::result::Result<#ty, E> {
                let mut value = #value;
                #(#steps)*
                ::core::result::Result::Ok(value)
            }
        }
    }

    /// Members that both versions want.
    fn missing(&self) -> TokenStream {
        if self.lenient {
            return TokenStream::new();
        }
        let door = &self.json.door;
        let checks = self
            .old
            .fields
            .iter()
            .enumerate()
            .filter_map(|(index, old)| {
                let plan = self.plan_of(index)?;
                let wanted = match &plan.kind {
                    FieldKind::Carry { new, absent, .. } => {
                        let new = self.new_field(*new)?;
                        *absent == Absent::Unset && new.required && must_be_there(new)
                    }
                    FieldKind::Inline { .. } => true,
                    _ => false,
                };
                if !(wanted && old.required) {
                    return None;
                }
                let (named, name) = (self.named(&plan.kind), &old.json_name);
                Some(quote! {
                    if !seen.has(#index) #(&& !seen.has(#named))* {
                        return ::core::result::Result::Err(#door::json::missing(cx, #name));
                    }
                })
            });
        quote!(#(#checks)*)
    }

    /// Members that hold resource names, where these may say what a member says.
    fn named(&self, kind: &FieldKind) -> Vec<usize> {
        let FieldKind::Carry { new, .. } = kind else {
            return Vec::new();
        };
        let templates = self.members.templates.iter().enumerate();
        let named = templates.filter(|(_, template)| template.pieces.contains(&Piece::Field(*new)));
        named
            .map(|(index, _)| self.old.fields.len() + index)
            .collect()
    }

    /// Takes resource names apart.
    fn templates(&self) -> TokenStream {
        let door = &self.json.door;
        let own = self.fields.iter().filter_map(|field| match &field.kind {
            FieldKind::Template { old, pieces } => {
                let kept = self.kept_as(|what| matches!(what, What::Old(index) if index == old))?;
                Some((kept, self.old_field(*old)?.json_name.as_str(), pieces))
            }
            _ => None,
        });
        let beyond = self.members.templates.iter().enumerate();
        let beyond = beyond.filter_map(|(index, template)| {
            let kept = self.kept_as(|what| matches!(what, What::Template(at) if *at == index))?;
            Some((kept, template.names.first()?.as_str(), &template.pieces))
        });
        let names = own.chain(beyond).map(|(kept, name, pieces)| {
            let pattern = self.pattern(pieces);
            let fields = pieces.iter().filter_map(|piece| match piece {
                Piece::Field(index) => self.new_field(*index),
                Piece::Literal(_) => None,
            });
            let settled = fields.zip(0_usize..).map(|(field, place)| {
                let slot = ident(&field.rust_name);
                quote! {
                    adapter.settle(&mut value.#slot, ::core::mem::take(&mut ids[#place]), #name)?;
                }
            });
            quote! {
                if !state.#kept.is_empty() {
                    #door::json::hooked(cx, |adapter| {
                        let mut ids = adapter.field(#name, |_| #pattern.read(&state.#kept))?;
                        #(#settled)*
                        ::core::result::Result::Ok(())
                    })?;
                }
            }
        });
        quote!(#(#names)*)
    }

    /// The pattern of a resource name.
    pub(super) fn pattern(&self, pieces: &[Piece]) -> TokenStream {
        let door = &self.json.door;
        let (mut before, mut fields, mut text) = (Vec::new(), Vec::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Field(index) => {
                    before.push(std::mem::take(&mut text));
                    let name = self.new_field(*index).map(|field| field.json_name.clone());
                    fields.push(name.unwrap_or_default());
                }
            }
        }
        // Whether the last one may be missing, the member itself says.
        let may_be_missing = fields.len() > 1;
        quote! {
            #door::adapt::Name {
                before: [#(#before),*],
                after: #text,
                fields: [#(#fields),*],
                last_may_be_missing: #may_be_missing,
            }
        }
    }

    /// Puts values where they are deeper in the newer message, unless something is there.
    fn lifts(&self) -> TokenStream {
        let lifts = self.fields.iter().filter_map(|field| {
            let FieldKind::Lift { new, old } = &field.kind else {
                return None;
            };
            let kept = self.kept_as(|what| matches!(what, What::Old(index) if index == old))?;
            let (leaf, index) = (self.leaf(new)?, *old);
            let (_, before) = new.split_last()?;
            let mut place = quote!(value);
            let mut message = self.new;
            for step in before {
                let field = message.fields.get(*step)?;
                let slot = ident(&field.rust_name);
                place = quote!(#place.#slot.get_or_insert_default());
                let Type::Message(name) = &field.ty else {
                    return None;
                };
                message = self.json.new_message(name)?;
            }
            let slot = ident(&leaf.rust_name);
            Some(match leaf.cardinality {
                Cardinality::Explicit => quote! {
                    if seen.has(#index) {
                        #place.#slot.get_or_insert(state.#kept);
                    }
                },
                _ => quote! {
                    if seen.has(#index) {
                        #place.#slot = state.#kept;
                    }
                },
            })
        });
        quote!(#(#lifts)*)
    }

    fn gathered(&self) -> TokenStream {
        let (door, hooks) = (&self.json.door, &self.json.hooks);
        let gathered = self.fields.iter().filter_map(|field| {
            let FieldKind::Gather { new, old, hook } = &field.kind else {
                return None;
            };
            let (slot, hook) = (ident(&self.new_field(*new)?.rust_name), ident(hook));
            let arguments = old.iter().filter_map(|old| {
                let kept = self.kept_as(|what| matches!(what, What::Old(index) if index == old))?;
                Some(quote!(state.#kept))
            });
            let newer = self.kept_as(|what| matches!(what, What::New(index) if index == new));
            let call = quote! {
                #door::json::hooked(cx, |adapter| #hooks::#hook::up(#(#arguments,)* adapter))?
            };
            // The newer form says all, and better; unless it says nothing.
            Some(match newer {
                Some(newer) => quote! {
                    value.#slot = match state.#newer.and_then(#door::adapt::set) {
                        ::core::option::Option::Some(newer) => newer,
                        ::core::option::Option::None => #call,
                    };
                },
                None => quote!(value.#slot = #call;),
            })
        });
        quote!(#(#gathered)*)
    }

    /// Newer members win over their older forms, unless they say nothing.
    fn newer_forms(&self) -> TokenStream {
        let door = &self.json.door;
        let forms = self.kept.iter().filter_map(|kept| {
            let What::New(index) = kept.what else {
                return None;
            };
            let is_gathered = self
                .fields
                .iter()
                .any(|plan| matches!(plan.kind, FieldKind::Gather { new, .. } if new == index));
            let field = self.new_field(index).filter(|_| !is_gathered)?;
            let (slot, name) = (ident(&field.rust_name), &kept.name);
            Some(match field.cardinality {
                Cardinality::Explicit => quote! {
                    if state.#name.is_some() {
                        value.#slot = state.#name;
                    }
                },
                _ => quote! {
                    if let ::core::option::Option::Some(newer) = state.#name.and_then(#door::adapt::set) {
                        value.#slot = newer;
                    }
                },
            })
        });
        quote!(#(#forms)*)
    }

    /// What the absence of members means.
    fn absences(&self) -> TokenStream {
        let door = &self.json.door;
        let absences = self.fields.iter().filter_map(|plan| {
            let FieldKind::Carry {
                new,
                old,
                via,
                absent,
                ..
            } = &plan.kind
            else {
                return None;
            };
            let (index, name) = (*old, &self.old_field(*old)?.json_name);
            let slot = ident(&self.new_field(*new)?.rust_name);
            let note = |id: &String| {
                let told = self.json.told(id);
                quote!(cx.note_of(#id, #name, #told);)
            };
            let then = match absent {
                Absent::Unset => return None,
                Absent::Lost(id) => note(id),
                Absent::Bool { value, loss } => {
                    let is_not = *via == Via::Not;
                    let (meant, in_proto) = (value ^ is_not, is_not);
                    let note = loss.as_ref().map(note);
                    quote! {
                        if cx.is_proto() {
                            value.#slot = #in_proto;
                        } else {
                            value.#slot = #meant;
                            #note
                        }
                    }
                }
                // A resource name may be there and leave it open.
                Absent::Refused(_) if is_text(self.new_field(*new)?) => {
                    return Some(quote! {
                        if value.#slot.is_empty() && !cx.may_lack_config_id() {
                            return ::core::result::Result::Err(#door::json::missing(cx, #name));
                        }
                    });
                }
                Absent::Refused(_) => quote! {
                    return ::core::result::Result::Err(#door::json::missing(cx, #name));
                },
            };
            let named = self.named(&plan.kind);
            Some(quote! {
                if !seen.has(#index) #(&& !seen.has(#named))* {
                    #then
                }
            })
        });
        quote!(#(#absences)*)
    }

    /// Older members that hooks judge.
    fn judged(&self) -> TokenStream {
        let (door, hooks) = (&self.json.door, &self.json.hooks);
        let judged = self.fields.iter().filter_map(|plan| {
            let FieldKind::OnlyOld {
                old,
                hook: Some(hook),
            } = &plan.kind
            else {
                return None;
            };
            let kept = self.kept_as(|what| matches!(what, What::Old(index) if index == old))?;
            let (hook, name) = (ident(hook), &self.old_field(*old)?.json_name);
            Some(quote! {
                if seen.has(#old) {
                    #door::json::hooked(cx, |adapter| {
                        adapter.field(#name, |adapter| #hooks::#hook::up(state.#kept, &value, adapter))
                    })?;
                }
            })
        });
        quote!(#(#judged)*)
    }

    /// Hooks of members see the whole.
    fn settled(&self) -> TokenStream {
        let door = &self.json.door;
        let ty = self.json.new_type(&self.pair.new);
        let settled = self.hook_codecs().map(|codec| {
            quote! {
                if let ::core::option::Option::Some(adapter) = cx.adapter() {
                    <#codec as #door::json::Settle<#ty>>::after_reading(&mut value, adapter);
                }
            }
        });
        quote!(#(#settled)*)
    }
}

/// True for a text whose absence is the empty one.
fn is_text(field: &Field) -> bool {
    field.cardinality == Cardinality::Implicit
        && field.ty == Type::Scalar(crate::model::Scalar::String)
}
