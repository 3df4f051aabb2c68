//! One field for one field.
//!
//! Comes in: two fields and what happens to the value between them. Goes out: the statement that
//! moves it.

use proc_macro2::TokenStream;
use quote::quote;

use super::access::{Held, is_free_data, name_of};
use super::{Emitter, Side, Way, text, values};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Type};
use crate::plan::model::{Absent, FieldPlan, Via};

/// What a plan says about a field that is carried.
pub(super) struct Carry<'a> {
    /// The field that the value comes from.
    pub(super) source: &'a Field,
    /// The field that it goes to.
    pub(super) dest: &'a Field,
    pub(super) via: &'a Via,
    pub(super) absent: &'a Absent,
    pub(super) always_down: bool,
    /// The loss of this way.
    pub(super) loss: Option<&'a str>,
}

impl<'a> Carry<'a> {
    pub(super) fn new(
        way: &Way<'a>,
        plan: &'a FieldPlan,
        (new, old): (usize, usize),
        (via, absent, always_down): (&'a Via, &'a Absent, bool),
    ) -> Option<Self> {
        let (source, dest, loss) = if way.is_up {
            (old, new, &plan.up_loss)
        } else {
            (new, old, &plan.down_loss)
        };
        Some(Self {
            source: way.from.fields.get(source)?,
            dest: way.to.fields.get(dest)?,
            via,
            absent,
            always_down,
            loss: loss.as_deref(),
        })
    }

    fn name(&self) -> &'a str {
        name_of(self.source)
    }
}

impl Emitter<'_> {
    /// Moves a value.
    pub(super) fn carry(&self, way: &Way<'_>, carry: &Carry<'_>) -> TokenStream {
        let held = self.take(way, carry.source);
        if let Via::Hook(hook) = carry.via {
            return self.carry_by_hook(way, carry, hook);
        }
        let mut before = TokenStream::new();
        let held = if way.is_up {
            self.absent(way, carry, held, &mut before)
        } else {
            self.always(way, carry, held, &mut before)
        };
        let held = self.changed(way, carry, held, &mut before);
        let held = unboxed(carry, held);
        let held = self.converted(way, carry, held);
        let put = self.put(way, carry.dest, boxed(carry, held));
        quote!(#before #put)
    }

    /// The value as a whole goes through a hook: a list as a list.
    fn carry_by_hook(&self, way: &Way<'_>, carry: &Carry<'_>, hook: &str) -> TokenStream {
        let (hooks, hook, name) = (&self.hooks, ident(hook), text(carry.name()));
        let (_, method) = way.names();
        let by_reference = if way.is_up { quote!() } else { quote!(&) };
        let held = self.take(way, carry.source);
        let held = held.map(|value| {
            quote!(adapter.field(#name, |adapter| #hooks::#hook::#method(#by_reference #value, adapter))?)
        });
        // What a hook gives is of the other field's kind already.
        let held = match (&carry.dest.cardinality, held) {
            (Cardinality::Oneof(_), Held::Set(value) | Held::Plain(value)) => Held::Set(value),
            (Cardinality::Oneof(_), other) => other,
            (
                _,
                Held::Set(value)
                | Held::Plain(value)
                | Held::Maybe(value)
                | Held::Many(value)
                | Held::Entries(value),
            ) => match &carry.dest.cardinality {
                Cardinality::Implicit => Held::Plain(value),
                Cardinality::Repeated => Held::Many(value),
                Cardinality::Map { .. } => Held::Entries(value),
                Cardinality::Explicit | Cardinality::Oneof(_) => Held::Maybe(value),
            },
        };
        self.put(way, carry.dest, held)
    }

    /// What the absence of an older value means.
    fn absent(
        &self,
        way: &Way<'_>,
        carry: &Carry<'_>,
        held: Held,
        before: &mut TokenStream,
    ) -> Held {
        let name = text(carry.name());
        match (carry.absent, held) {
            (Absent::Unset, held) => held,
            (Absent::Bool { value, loss }, Held::Maybe(held)) => {
                if let Some(loss) = loss {
                    self.note_unset(way, carry, loss, before);
                }
                Held::Set(quote!(#held.unwrap_or(#value)))
            }
            // Absent is what the proto's default says.
            (Absent::Bool { .. }, held) => held,
            // For a list of which the first counts, told where it is taken.
            (Absent::Lost(_), held @ Held::Many(_)) if *carry.via == Via::First => held,
            (Absent::Lost(loss), held) => {
                self.note_unset(way, carry, loss, before);
                held
            }
            (Absent::Refused(rule), Held::Maybe(held)) => {
                Held::Set(quote!(adapter.required(#held, #name, #rule)?))
            }
            (
                Absent::Refused(rule),
                held @ (Held::Set(_) | Held::Plain(_) | Held::Many(_) | Held::Entries(_)),
            ) => {
                let is_set = self.is_set(way, carry.source);
                before.extend(quote! {
                    adapter.required(#is_set.then_some(()), #name, #rule)?;
                });
                held
            }
        }
    }

    /// What is written going down although it is unset.
    fn always(
        &self,
        way: &Way<'_>,
        carry: &Carry<'_>,
        held: Held,
        before: &mut TokenStream,
    ) -> Held {
        if !carry.always_down {
            return held;
        }
        if let (Some(loss), Via::Same) = (carry.loss, carry.via) {
            self.note_unset(way, carry, loss, before);
        }
        match held {
            Held::Maybe(value) => Held::Set(quote!(#value.unwrap_or_default())),
            Held::Plain(value) => Held::Set(value),
            held @ (Held::Set(_) | Held::Many(_) | Held::Entries(_)) => held,
        }
    }

    fn note_unset(&self, way: &Way<'_>, carry: &Carry<'_>, loss: &str, before: &mut TokenStream) {
        // A member of a oneof is at hand only when it is set.
        if matches!(carry.source.cardinality, Cardinality::Oneof(_)) {
            return;
        }
        let (is_set, name, told) = (
            self.is_set(way, carry.source),
            text(carry.name()),
            self.told(loss),
        );
        before.extend(quote!(adapter.lost_if(!(#is_set), #name, #told);));
    }

    /// What happens to the value itself.
    fn changed(
        &self,
        way: &Way<'_>,
        carry: &Carry<'_>,
        held: Held,
        before: &mut TokenStream,
    ) -> Held {
        let (name, adapt) = (text(carry.name()), &self.adapt);
        match carry.via {
            Via::Same => {
                if let (false, true, Some(loss)) = (
                    way.is_up || carry.always_down,
                    is_free_data(carry.source),
                    carry.loss,
                ) {
                    let (data, told) = (peeked(carry.source), self.told(loss));
                    before.extend(quote!(adapter.doubles(#name, &#data, #told);));
                }
                held
            }
            Via::Not => match held {
                // False is a value of its own, of the opposite meaning.
                Held::Plain(value) | Held::Set(value) => Held::Set(quote!(!#value)),
                Held::Maybe(value) => Held::Maybe(quote!(#value.map(|value| !value))),
                held @ (Held::Many(_) | Held::Entries(_)) => held,
            },
            Via::ZeroIsUnset => self.zero_is_unset(way, carry, held, before),
            Via::First => match held {
                Held::Many(values) => {
                    let others = self.maybe_told(carry.loss);
                    let none = match carry.absent {
                        Absent::Lost(loss) => self.maybe_told(Some(loss)),
                        _ => self.maybe_told(None),
                    };
                    Held::Maybe(quote!(adapter.first(#name, #values, #others, #none)))
                }
                held => held,
            },
            Via::EmptyIsUnset if way.is_up => match held {
                Held::Maybe(value) => {
                    let value = quote!(#value.filter(|value| !value.is_empty()));
                    if let Some(loss) = carry.loss {
                        let (data, told) = (peeked(carry.source), self.told(loss));
                        before.extend(quote! {
                            adapter.lost_if(
                                #data.as_ref().is_some_and(|value| value.is_empty()),
                                #name,
                                #told,
                            );
                        });
                    }
                    Held::Maybe(value)
                }
                held => held,
            },
            Via::OneOf(rule) => {
                let old = if way.is_up { carry.source } else { carry.dest };
                let Some(each) = values::enum_of(self, Side::Old, old) else {
                    return held;
                };
                let ty = self.enum_type(Side::Old, each);
                let read = if way.is_up {
                    quote!(#adapt::name_of_number(value, |number| <#ty>::try_from(number).ok().map(|value| value.as_str_name())))
                } else {
                    quote!(#adapt::number_of_name(&value, #rule, |name| <#ty>::from_str_name(name).map(i32::from)))
                };
                match held {
                    Held::Set(value) | Held::Plain(value) => Held::Plain(quote! {{
                        let value = #value;
                        adapter.field(#name, |_| #read)?
                    }}),
                    Held::Maybe(value) => Held::Maybe(quote! {
                        match #value {
                            ::core::option::Option::Some(value) => {
                                ::core::option::Option::Some(adapter.field(#name, |_| #read)?)
                            }
                            ::core::option::Option::None => ::core::option::Option::None,
                        }
                    }),
                    held @ (Held::Many(_) | Held::Entries(_)) => held,
                }
            }
            // Times of protobuf have one form.
            Via::LenientTime | Via::EmptyIsUnset | Via::Hook(_) => held,
        }
    }

    fn zero_is_unset(
        &self,
        way: &Way<'_>,
        carry: &Carry<'_>,
        held: Held,
        before: &mut TokenStream,
    ) -> Held {
        let name = text(carry.name());
        let note = |data: TokenStream| {
            carry.loss.map(|loss| {
                let told = self.told(loss);
                quote!(adapter.lost_if(#data == ::core::option::Option::Some(0), #name, #told);)
            })
        };
        match held {
            Held::Maybe(value) => {
                before.extend(note(peeked(carry.source)));
                if way.is_up {
                    Held::Maybe(quote!(#value.filter(|number| *number != 0)))
                } else {
                    Held::Maybe(value)
                }
            }
            held => held,
        }
    }

    /// The conversion of messages and enums.
    fn converted(&self, way: &Way<'_>, carry: &Carry<'_>, held: Held) -> Held {
        let name = text(carry.name());
        let (_, method) = way.names();
        match &carry.source.ty {
            Type::Message(_) => held.map(|value| quote!(adapter.#method(#name, #value)?)),
            Type::Enum(_) => match values::table_of(self, way, carry) {
                Some(table) => {
                    let method = ident(if way.is_up {
                        "numbers_up"
                    } else {
                        "numbers_down"
                    });
                    held.map(|value| quote!(adapter.#method(#name, &self::#table, #value)?))
                }
                None => held,
            },
            _ => held,
        }
    }
}

/// A field of `self` that is no member of a oneof; in the arm of one, its value.
fn peeked(field: &Field) -> TokenStream {
    if matches!(field.cardinality, Cardinality::Oneof(_)) {
        quote!(value)
    } else {
        let name = ident(&field.rust_name);
        quote!(self.#name)
    }
}

/// Without the box that one side alone has.
fn unboxed(carry: &Carry<'_>, held: Held) -> Held {
    if !carry.source.boxed || carry.dest.boxed {
        return held;
    }
    match held {
        Held::Set(value) => Held::Set(quote!(*#value)),
        Held::Maybe(value) => Held::Maybe(quote!(#value.map(|value| *value))),
        other => other,
    }
}

/// With the box that the other side alone has.
fn boxed(carry: &Carry<'_>, held: Held) -> Held {
    if carry.source.boxed || !carry.dest.boxed {
        return held;
    }
    match held {
        Held::Set(value) => Held::Set(quote!(::std::boxed::Box::new(#value))),
        Held::Maybe(value) => Held::Maybe(quote!(#value.map(::std::boxed::Box::new))),
        other => other,
    }
}
