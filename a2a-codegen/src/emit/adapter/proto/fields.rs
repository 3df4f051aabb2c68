//! The statements that convert one message, field by field.
//!
//! Comes in: the plans of its fields and the way. Goes out: statements that fill the target. What
//! looks at the message as a whole comes first going down and last coming up; between, values are
//! moved in the order of the newer message's fields.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::access::{Held, is_required_oneof, member_names, name_of, oneof_of};
use super::carry::Carry;
use super::{Emitter, Side, Way, mentions, text};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Message, Oneof, Scalar, Type};
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

struct Fields<'e, 'a> {
    emitter: &'e Emitter<'a>,
    way: &'e Way<'e>,
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

    fn inlined(&self) -> Option<(usize, &str)> {
        self.plans.iter().find_map(|plan| match &plan.kind {
            FieldKind::Inline { old, inner } => Some((*old, inner.as_str())),
            _ => None,
        })
    }

    fn target_type(&self) -> TokenStream {
        self.emitter
            .item(self.way.to_side(), &self.way.to.rust_path)
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
                let variant = emitter.variant(way.from_side(), oneof, carry.source);
                let statement = emitter.carry(way, carry);
                quote!(::core::option::Option::Some(#variant(value)) => { #statement })
            })
            .collect();
        let is_required = is_required_oneof(emitter, way.from_side(), way.from, oneof)
            || carried.iter().any(|carry| {
                oneof_of(way.to, carry.dest)
                    .is_some_and(|dest| is_required_oneof(emitter, way.to_side(), way.to, dest))
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
            let variant = emitter.variant(way.from_side(), oneof, carry.source);
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

    // Resource names

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

    fn template_up(&self, old: usize, pieces: &[Piece]) -> Option<TokenStream> {
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

    fn template_down(&self, old: usize, pieces: &[Piece]) -> Option<(TokenStream, TokenStream)> {
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

    // Hooks over several fields

    fn gather_up(&self, new: usize, old: &[usize], hook: &str) -> Option<TokenStream> {
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

    fn gather_down(
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

    // What only the older side has

    fn judged(&self, old: usize, hook: &str) -> Option<TokenStream> {
        let (hooks, hook, target) = (&self.emitter.hooks, ident(hook), self.way.target());
        let field = self.way.from.fields.get(old)?;
        let (name, value) = (text(name_of(field)), self.optional_or_whole(field));
        Some(quote! {
            adapter.field(#name, |adapter| #hooks::#hook::up(#value, &#target, adapter))?;
        })
    }

    fn made(&self, old: usize, hook: &str) -> Option<(TokenStream, TokenStream)> {
        let (hooks, hook) = (&self.emitter.hooks, ident(hook));
        let field = self.way.to.fields.get(old)?;
        let name = format_ident!("given_{}", old);
        Some((
            quote!(let #name = #hooks::#hook::down(&self, adapter);),
            self.emitter
                .put(self.way, field, whole(field, quote!(#name))),
        ))
    }

    // Fields deeper in the newer message

    fn lift_up(&self, new: &[usize], old: usize) -> Option<TokenStream> {
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

    fn lift_down(&self, new: &[usize], old: usize) -> Option<(TokenStream, TokenStream)> {
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

/// What a hook gives for a field: a value of exactly its Rust type.
fn whole(field: &Field, value: TokenStream) -> Held {
    match field.cardinality {
        Cardinality::Implicit => Held::Plain(value),
        Cardinality::Explicit | Cardinality::Oneof(_) => Held::Maybe(value),
        Cardinality::Repeated => Held::Many(value),
        Cardinality::Map { .. } => Held::Entries(value),
    }
}

fn closure_param(body: &TokenStream) -> TokenStream {
    if mentions(body, "adapter") {
        quote!(adapter)
    } else {
        quote!(_)
    }
}

fn mutability(rest: &TokenStream, target: &Ident) -> TokenStream {
    if mentions(rest, &target.to_string()) {
        quote!(mut)
    } else {
        TokenStream::new()
    }
}
