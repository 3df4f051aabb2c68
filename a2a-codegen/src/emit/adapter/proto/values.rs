//! Tables of enums.
//!
//! Comes in: plans of enums. Goes out: one constant for each enum that the adapters use.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::carry::Carry;
use super::{Emitter, Side, Way, mentions};
use crate::emit::ident;
use crate::model::{Enum, Field, Type};
use crate::plan::model::EnumPlan;

/// The tables that tokens name.
pub(super) fn emit(emitter: &Emitter<'_>, used_in: &TokenStream) -> TokenStream {
    emitter
        .plan
        .enums
        .values()
        .filter_map(|plan| {
            let table = table(emitter, plan)?;
            mentions(used_in, &table.to_string()).then(|| emit_table(emitter, &table, plan))
        })
        .collect()
}

fn emit_table(emitter: &Emitter<'_>, table: &Ident, plan: &EnumPlan) -> TokenStream {
    let adapt = &emitter.adapt;
    let number = Literal::i32_unsuffixed;
    let pairs = plan.values.iter().map(|value| {
        let (old, new) = (number(value.old), number(value.new));
        let up = emitter.maybe_told(value.up_loss.as_deref());
        let down = emitter.maybe_told(value.down_loss.as_deref());
        quote!((#old, #new, #up, #down))
    });
    let old = emitter.input.old.enums.get(&plan.old);
    let only_old = plan.only_old.iter().filter_map(|(name, (new, loss))| {
        let value = old?.values.iter().find(|value| value.proto_name == *name)?;
        let (old, new, told) = (number(value.number), number(*new), emitter.told(loss));
        Some(quote!((#old, #new, #told)))
    });
    let refused = plan.refused.iter().map(|(new, id)| {
        let new = number(*new);
        quote!((#new, #id))
    });
    let unknown = emitter.maybe_told(plan.unknown_loss.as_deref());
    quote! {
        const #table: #adapt::Values = #adapt::Values {
            pairs: &[#(#pairs),*],
            only_old: &[#(#only_old),*],
            refused: &[#(#refused),*],
            unknown: #unknown,
        };
    }
}

/// The name of an enum's table: that of the newer enum, with a number where a nested enum and
/// another one would have the same.
fn table(emitter: &Emitter<'_>, plan: &EnumPlan) -> Option<Ident> {
    let name = |plan: &EnumPlan| {
        let new = emitter.input.new.enums.get(&plan.new)?;
        let name = new.rust_path.join("_");
        Some(heck::ToShoutySnakeCase::to_shouty_snake_case(name.as_str()))
    };
    let own = name(plan)?;
    let before = emitter
        .plan
        .enums
        .values()
        .take_while(|other| other.new != plan.new)
        .filter(|other| name(other).as_deref() == Some(&own))
        .count();
    Some(if before == 0 {
        ident(&own)
    } else {
        quote::format_ident!("{own}_{before}")
    })
}

/// The table for a field, when it holds an enum on both sides.
pub(super) fn table_of(emitter: &Emitter<'_>, way: &Way<'_>, carry: &Carry<'_>) -> Option<Ident> {
    let new = if way.is_up { carry.dest } else { carry.source };
    let Type::Enum(name) = &new.ty else {
        return None;
    };
    table(emitter, emitter.plan.enums.get(name)?)
}

/// The enum of a field.
pub(super) fn enum_of<'a>(emitter: &Emitter<'a>, side: Side, field: &Field) -> Option<&'a Enum> {
    match &field.ty {
        Type::Enum(name) => emitter.api(side).enums.get(name),
        _ => None,
    }
}
