//! The statements that convert one message, field by field.
//!
//! Comes in: the plans of its fields and the way. Goes out: statements that fill the target. What
//! looks at the message as a whole comes first going down and last coming up; between, values are
//! moved in the order of the newer message's fields.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::access::{Held, is_required_oneof, member_names, name_of, oneof_of};
use super::carry::Carry;
use super::{Emitter, Way, mentions, text};
use crate::emit::ident;
use crate::model::{Field, Oneof};
use crate::plan::model::{FieldKind, FieldPlan, How, Piece};

/// Older fields that are inlined, with the name of their type.
pub(super) fn inlines(plans: &[FieldPlan]) -> impl Iterator<Item = (usize, &str)> {
    plans.iter().filter_map(|plan| match &plan.kind {
        FieldKind::Inline { old, inner } => Some((*old, inner.as_str())),
        _ => None,
    })
}

/// All statements of one conversion; they fill a variable, if there is anything to fill in.
pub(super) fn statements(emitter: &Emitter<'_>, way: &Way<'_>, plans: &[FieldPlan]) -> TokenStream {
    let mut plans: Vec<&FieldPlan> = plans.iter().collect();
    plans.sort_by_key(|plan| place(&plan.kind));
    let one = Fields {
        emitter,
        way,
        plans,
    };
    if way.is_up { one.up() } else { one.down() }
}

/// In the order of the newer fields; what has none comes last, in the order of the older ones.
fn place(kind: &FieldKind) -> (usize, usize) {
    const LAST: usize = usize::MAX;
    match kind {
        FieldKind::Carry { new, .. }
        | FieldKind::Gather { new, .. }
        | FieldKind::OnlyNew { new } => (*new, 0),
        FieldKind::Lift { new, old } => (new.first().copied().unwrap_or(LAST), *old),
        FieldKind::Template { pieces, old } => {
            let first = pieces.iter().find_map(|piece| match piece {
                Piece::Field(index) => Some(*index),
                Piece::Literal(_) => None,
            });
            (first.unwrap_or(LAST), *old)
        }
        FieldKind::Inline { old, .. } | FieldKind::OnlyOld { old, .. } => (LAST, *old),
    }
}

/// The fields of one conversion.
pub(super) struct Fields<'e, 'a> {
    pub(super) emitter: &'e Emitter<'a>,
    pub(super) way: &'e Way<'e>,
    plans: Vec<&'e FieldPlan>,
}

impl Fields<'_, '_> {
    fn up(&self) -> TokenStream {
        let mut rest = self.lost();
        rest.extend(self.moved());
        for plan in &self.plans {
            rest.extend(match &plan.kind {
                FieldKind::Template { old, pieces } => self.template_up(*old, pieces),
                FieldKind::Gather { new, old, hook } => self.gather_up(*new, old, hook),
                _ => None,
            });
        }
        for plan in &self.plans {
            rest.extend(match &plan.kind {
                FieldKind::Lift { new, old } => self.lift_up(new, *old),
                FieldKind::OnlyOld {
                    old,
                    hook: Some(hook),
                } => self.judged(*old, hook),
                _ => None,
            });
        }
        let inlined = self.plans.iter().find_map(|plan| match &plan.kind {
            FieldKind::Inline { old, .. } => self.way.from.fields.get(*old),
            _ => None,
        });
        let start = match inlined {
            Some(field) => {
                let (target, ty) = (self.way.target(), self.target_type());
                let (name, value) = (text(name_of(field)), self.optional(field));
                let mutable = mutability(&rest, &target);
                quote! {
                    let #mutable #target: #ty = adapter
                        .up::<_, ::core::option::Option<#ty>>(#name, #value)?
                        .unwrap_or_default();
                }
            }
            None => self.start(&rest),
        };
        quote!(#start #rest)
    }

    fn down(&self) -> TokenStream {
        let mut first = self.lost();
        let mut rest = TokenStream::new();
        let mut given = Vec::new();
        for plan in &self.plans {
            match &plan.kind {
                FieldKind::OnlyOld {
                    old,
                    hook: Some(hook),
                } => given.extend(self.made(*old, hook)),
                FieldKind::Lift { new, old } => given.extend(self.lift_down(new, *old)),
                FieldKind::Template { old, pieces } => {
                    given.extend(self.template_down(*old, pieces));
                }
                FieldKind::Gather { new, old, hook } => {
                    given.extend(self.gather_down(*new, old, hook));
                }
                _ => {}
            }
        }
        for (let_given, put) in given {
            first.extend(let_given);
            rest.extend(put);
        }
        let forgotten = self.forgotten();
        rest.extend(self.moved());
        if let Some((old, _)) = self.inlined() {
            // What is left of the newer message is the inlined one.
            let (adapt, down) = (&self.emitter.adapt, ident("down"));
            rest.extend(self.way.to.fields.get(old).map(|field| {
                let value = quote!(#adapt::Down::#down(self, adapter)?);
                let value = if field.boxed {
                    quote!(::std::boxed::Box::new(#value))
                } else {
                    value
                };
                self.emitter.put(self.way, field, Held::Set(value))
            }));
        }
        let start = self.start(&rest);
        quote!(#first #forgotten #start #rest)
    }

    /// The older field that is inlined, with the name of its type.
    pub(super) fn inlined(&self) -> Option<(usize, &str)> {
        self.plans.iter().find_map(|plan| match &plan.kind {
            FieldKind::Inline { old, inner } => Some((*old, inner.as_str())),
            _ => None,
        })
    }

    fn target_type(&self) -> TokenStream {
        self.emitter
            .item(self.way.target_side(), &self.way.to.rust_path)
    }

    fn start(&self, rest: &TokenStream) -> TokenStream {
        let target = self.way.target();
        if !mentions(rest, &target.to_string()) {
            return TokenStream::new();
        }
        let ty = self.target_type();
        quote!(let mut #target = <#ty as ::core::default::Default>::default();)
    }

    /// Notes what the other side has no place for.
    fn lost(&self) -> TokenStream {
        let lost = self.plans.iter().filter_map(|plan| {
            let (index, loss) = match (&plan.kind, self.way.is_up) {
                (FieldKind::OnlyNew { new }, false) => (*new, plan.down_loss.as_deref()?),
                (FieldKind::OnlyOld { old, hook: None }, true) => (*old, plan.up_loss.as_deref()?),
                _ => return None,
            };
            let field = self.way.from.fields.get(index)?;
            let is_set = self.emitter.is_set(self.way, field);
            let (name, told) = (text(name_of(field)), self.emitter.told(loss));
            Some(quote!(adapter.lost_if(#is_set, #name, #told);))
        });
        lost.collect()
    }

    /// Moves one field to one field, members of a oneof together.
    fn moved(&self) -> TokenStream {
        let mut statements = TokenStream::new();
        let mut done: Vec<&str> = Vec::new();
        for plan in &self.plans {
            let Some(carry) = self.carry(plan) else {
                continue;
            };
            match oneof_of(self.way.from, carry.source) {
                None => statements.extend(self.emitter.carry(self.way, &carry)),
                Some(oneof) if done.contains(&oneof.proto_name.as_str()) => {}
                Some(oneof) => {
                    done.push(&oneof.proto_name);
                    statements.extend(self.oneof(oneof));
                }
            }
        }
        statements
    }

    fn carry<'p>(&'p self, plan: &'p FieldPlan) -> Option<Carry<'p>> {
        let FieldKind::Carry {
            new,
            old,
            via,
            absent,
            always_down,
            ..
        } = &plan.kind
        else {
            return None;
        };
        Carry::new(self.way, plan, (*new, *old), (via, absent, *always_down))
    }

    /// All members of a oneof that are carried.
    fn oneof(&self, oneof: &Oneof) -> TokenStream {
        let (emitter, way) = (self.emitter, self.way);
        let carried: Vec<Carry<'_>> = self
            .plans
            .iter()
            .filter_map(|plan| self.carry(plan))
            .filter(|carry| {
                oneof_of(way.from, carry.source)
                    .is_some_and(|other| other.proto_name == oneof.proto_name)
            })
            .collect();
        let arms: Vec<TokenStream> = carried
            .iter()
            .map(|carry| {
                let variant = emitter.variant(way.source_side(), oneof, carry.source);
                let statement = emitter.carry(way, carry);
                quote!(::core::option::Option::Some(#variant(value)) => { #statement })
            })
            .collect();
        let is_required = is_required_oneof(emitter, way.source_side(), way.from, oneof)
            || carried.iter().any(|carry| {
                oneof_of(way.to, carry.dest)
                    .is_some_and(|dest| is_required_oneof(emitter, way.target_side(), way.to, dest))
            });
        let none = if is_required {
            let names = member_names(way.from, oneof);
            quote!(return adapter.empty(#names))
        } else {
            quote!({})
        };
        // Members that have no counterpart are lost, which was noted.
        let others = if arms.len() < oneof.fields.len() {
            quote!(::core::option::Option::Some(_) => {})
        } else {
            TokenStream::new()
        };
        let place = ident(&oneof.rust_name);
        let value = if way.keeps_self {
            quote!(::core::mem::take(&mut self.#place))
        } else {
            quote!(self.#place)
        };
        if let ([carry], true, false) = (carried.as_slice(), others.is_empty(), is_required) {
            let variant = emitter.variant(way.source_side(), oneof, carry.source);
            let statement = emitter.carry(way, carry);
            return quote! {
                if let ::core::option::Option::Some(#variant(value)) = #value { #statement }
            };
        }
        quote! {
            match #value {
                #(#arms)*
                #others
                ::core::option::Option::None => #none,
            }
        }
    }

    /// A field of `self` as an option.
    fn optional(&self, field: &Field) -> TokenStream {
        if oneof_of(self.way.from, field).is_some() {
            return self.emitter.peek(self.way, field);
        }
        let name = ident(&field.rust_name);
        if field.boxed {
            quote!(self.#name.map(|value| *value))
        } else {
            quote!(self.#name)
        }
    }

    /// Empties newer fields that this plan has used and that the inlined message would count as
    /// lost.
    fn forgotten(&self) -> TokenStream {
        let Some((_, inner)) = self.inlined() else {
            return TokenStream::new();
        };
        let inner = self
            .emitter
            .plan
            .message(&self.way.from.proto_name, inner)
            .map(|plan| &plan.how);
        let Some(How::Fields(inner)) = inner else {
            return TokenStream::new();
        };
        let is_lost = |index: usize| {
            inner
                .iter()
                .any(|plan| matches!(plan.kind, FieldKind::OnlyNew { new } if new == index))
        };
        let used = self.plans.iter().flat_map(|plan| match &plan.kind {
            FieldKind::OnlyNew { new } | FieldKind::Gather { new, .. } => vec![*new],
            FieldKind::Lift { new, .. } => new.first().copied().into_iter().collect(),
            FieldKind::Template { pieces, .. } => pieces
                .iter()
                .filter_map(|piece| match piece {
                    Piece::Field(index) => Some(*index),
                    Piece::Literal(_) => None,
                })
                .collect(),
            _ => Vec::new(),
        });
        used.filter(|index| is_lost(*index))
            .filter_map(|index| self.way.from.fields.get(index))
            .map(|field| {
                let name = match oneof_of(self.way.from, field) {
                    Some(oneof) => ident(&oneof.rust_name),
                    None => ident(&field.rust_name),
                };
                quote!(self.#name = ::core::default::Default::default();)
            })
            .collect()
    }
}

fn mutability(rest: &TokenStream, target: &Ident) -> TokenStream {
    if mentions(rest, &target.to_string()) {
        quote!(mut)
    } else {
        TokenStream::new()
    }
}
