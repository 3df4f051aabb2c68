//! Silent traps: what a receiver of the other version reads as something else, without an error.
//!
//! A pair of fields is no trap when the plan carries exactly this pair, unchanged.

use super::Input;
use super::messages::{Pair, Pairs};
use super::model::{Change, MessageChange, Spelling, Trap, TrapKind};
use super::routes;
use super::words::{enumerate, short, type_of, written};
use crate::model::{Cardinality, Enum, Field, Scalar, Type};
use crate::plan::model::{Encoding, EnumPlan, FieldKind, Via};

/// All traps, the names first.
pub(super) fn traps(input: &Input<'_>, pairs: &Pairs<'_>, messages: &[MessageChange]) -> Vec<Trap> {
    let finder = Finder { input, messages };
    let mut traps = Vec::new();
    for pair in &pairs.list {
        finder.names(pair, &mut traps);
        finder.values(pair, &mut traps);
        if pair.encoding == Encoding::Proto {
            finder.numbers(pair, &mut traps);
        }
    }
    for (api, plan) in input.spellings().take(1) {
        for plan in plan.enums.values() {
            let (new, old) = (input.new.api.enums.get(&plan.new), api.enums.get(&plan.old));
            if let (Some(new), Some(old)) = (new, old) {
                finder.enum_numbers(plan, new, old, &mut traps);
            }
        }
    }
    traps.extend(routes::traps(input));
    traps.sort_by_key(|trap| (trap.kind, trap.spelling, !trap.always));
    traps
}

struct Finder<'f, 'a> {
    input: &'f Input<'a>,
    messages: &'f [MessageChange],
}

impl Finder<'_, '_> {
    /// Fields of one name of which the plan makes something else.
    fn names(&self, pair: &Pair<'_>, traps: &mut Vec<Trap>) {
        let (Some(old), Some(_)) = (pair.old, pair.fields()) else {
            return;
        };
        for (at, older) in old.fields.iter().enumerate() {
            for (new, newer) in pair.new.fields.iter().enumerate() {
                let name = written(older, pair.encoding);
                if written(newer, pair.encoding) != name || pair.joins(new, at) {
                    continue;
                }
                // Dropped both ways, it is no trap: nobody reads it.
                let goes = self.goes(pair, name);
                if goes.is_none() && !is_filled(pair, new) {
                    continue;
                }
                traps.push(Trap {
                    kind: TrapKind::Name,
                    spelling: pair.encoding.into(),
                    old: self.older(pair, older),
                    new: self.newer(pair, newer),
                    why: format!("the name `{name}`"),
                    instead: goes.unwrap_or_else(|| "is dropped".to_owned()),
                    always: older.ty == newer.ty,
                });
            }
        }
    }

    /// Fields of one name of which one value means something else.
    fn values(&self, pair: &Pair<'_>, traps: &mut Vec<Trap>) {
        for plan in pair.fields().unwrap_or_default() {
            let FieldKind::Carry {
                new,
                old,
                via: Via::ZeroIsUnset,
                ..
            } = plan.kind
            else {
                continue;
            };
            let older = pair.old.and_then(|message| message.fields.get(old));
            let (Some(older), Some(newer)) = (older, pair.new.fields.get(new)) else {
                continue;
            };
            let losses = plan.up_loss.iter().chain(&plan.down_loss).cloned();
            let losses: Vec<String> = losses.collect();
            traps.push(Trap {
                kind: TrapKind::Value,
                spelling: pair.encoding.into(),
                old: self.older(pair, older),
                new: self.newer(pair, newer),
                why: "0 is unset in the older version only".to_owned(),
                instead: match losses.as_slice() {
                    [] => "becomes unset where it is 0".to_owned(),
                    ids => format!("becomes unset where it is 0 ({})", ids.join(", ")),
                },
                always: true,
            });
        }
    }

    /// Fields of one number and compatible wire type that have different names.
    fn numbers(&self, pair: &Pair<'_>, traps: &mut Vec<Trap>) {
        let Some(old) = pair.old else { return };
        for (at, older) in old.fields.iter().enumerate() {
            let found = pair.new.fields.iter().enumerate();
            let mut same = found.filter(|(_, newer)| newer.number == older.number);
            let Some((new, newer)) = same.next() else {
                continue;
            };
            if newer.proto_name == older.proto_name || is_carried(pair, new, at) {
                continue;
            }
            let Some(always) = reads(newer, older) else {
                continue;
            };
            if pair.fields().is_none() && newer.json_name == older.json_name {
                continue;
            }
            traps.push(Trap {
                kind: TrapKind::Number,
                spelling: Spelling::Proto,
                old: self.older(pair, older),
                new: self.newer(pair, newer),
                why: format!(
                    "number {}, {} as {}",
                    older.number,
                    type_of(pair.api, older),
                    type_of(self.input.new.api, newer)
                ),
                instead: self
                    .goes(pair, &older.proto_name)
                    .unwrap_or_else(|| "no rule yet".to_owned()),
                always,
            });
        }
    }

    /// Values of one number that have different names.
    fn enum_numbers(&self, plan: &EnumPlan, new: &Enum, old: &Enum, traps: &mut Vec<Trap>) {
        let types = (
            short(self.input.old.api, &plan.old),
            short(self.input.new.api, &plan.new),
        );
        for older in &old.values {
            let same = |number: i32| new.values.iter().find(|value| value.number == number);
            let Some(newer) = same(older.number) else {
                continue;
            };
            let stands = plan.values.iter().find(|value| value.old == older.number);
            if newer.proto_name == older.proto_name
                || stands.is_some_and(|stands| stands.new == older.number)
            {
                continue;
            }
            traps.push(Trap {
                kind: TrapKind::Number,
                spelling: Spelling::Proto,
                old: format!("{}.{}", types.0, older.proto_name),
                new: format!("{}.{}", types.1, newer.proto_name),
                why: format!("number {}", older.number),
                instead: match stands.and_then(|stands| same(stands.new)) {
                    Some(right) => format!("becomes `{}`", right.proto_name),
                    None => "no rule yet".to_owned(),
                },
                always: true,
            });
        }
    }

    fn older(&self, pair: &Pair<'_>, field: &Field) -> String {
        let ty = short(pair.api, pair.old_name);
        format!("{ty}.{}", written(field, pair.encoding))
    }

    fn newer(&self, pair: &Pair<'_>, field: &Field) -> String {
        let ty = short(self.input.new.api, &pair.new.proto_name);
        format!("{ty}.{}", written(field, pair.encoding))
    }

    /// What really becomes of an older field: `becomes …`; nothing when it only goes away.
    fn goes(&self, pair: &Pair<'_>, name: &str) -> Option<String> {
        let types = (
            short(self.input.new.api, &pair.new.proto_name),
            short(pair.api, pair.old_name),
        );
        let message = self.messages.iter().find(|message| {
            message.spelling == pair.encoding.into()
                && message.new.as_deref() == Some(types.0)
                && message.old.as_deref() == Some(types.1)
        })?;
        let row = message
            .fields
            .iter()
            .find(|row| row.old.iter().any(|side| side.name == name))?;
        if row.changes == [Change::Removed, Change::Added] {
            // It is dropped both ways.
            return None;
        }
        let names: Vec<String> = row
            .new
            .iter()
            .map(|side| format!("`{}`", side.name))
            .collect();
        let how = match row.how.as_slice() {
            [] => String::new(),
            words => format!(", {}", words.join(", ")),
        };
        if !names.is_empty() {
            return Some(format!("becomes {}{how}", enumerate(&names)));
        }
        if row.changes.contains(&Change::Reshaped) {
            return Some("is taken apart".to_owned());
        }
        if !row.up.is_empty() {
            return Some(format!("is dropped ({})", row.up.join(", ")));
        }
        let hook = row.how.first().filter(|how| how.starts_with("hook"))?;
        Some(format!("is converted by {hook}"))
    }
}

/// True when the plan makes a newer field of an older one.
fn is_filled(pair: &Pair<'_>, new: usize) -> bool {
    let olds = pair.old.map_or(0, |old| old.fields.len());
    (0..olds).any(|old| pair.joins(new, old))
}

/// True when the plan carries exactly this pair, unchanged.
fn is_carried(pair: &Pair<'_>, new: usize, old: usize) -> bool {
    pair.fields().unwrap_or_default().iter().any(|plan| {
        matches!(&plan.kind, FieldKind::Carry { new: n, old: o, via: Via::Same, .. }
            if (*n, *o) == (new, old))
    })
}

/// Forms of a value in protobuf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wire {
    Varint,
    Fixed64,
    Length,
    Fixed32,
}

/// Whether a reader of the newer field takes the bytes of the older one: always, or where they
/// happen to fit; `None` when the wire types differ, so that it is skipped as unknown.
fn reads(newer: &Field, older: &Field) -> Option<bool> {
    let packed = |field: &Field| {
        field.cardinality == Cardinality::Repeated && single(&field.ty) != Wire::Length
    };
    let wire = |field: &Field| match field.cardinality {
        Cardinality::Map { .. } => Wire::Length,
        _ => single(&field.ty),
    };
    // A list of numbers is written packed, and read packed or not.
    let fits = match (packed(newer), packed(older)) {
        (false, false) | (true, true) => wire(newer) == wire(older),
        (true, false) => wire(older) == Wire::Length || wire(older) == wire(newer),
        (false, true) => wire(newer) == Wire::Length,
    };
    if !fits {
        return None;
    }
    let text = |field: &Field| {
        let is_text = matches!(field.ty, Type::Scalar(Scalar::String));
        is_text && !matches!(field.cardinality, Cardinality::Map { .. })
    };
    let is_bytes = newer.ty == Type::Scalar(Scalar::Bytes);
    Some(wire(newer) != Wire::Length || is_bytes || (text(newer) && text(older)))
}

/// The form of one value.
fn single(ty: &Type) -> Wire {
    let Type::Scalar(scalar) = ty else {
        return match ty {
            Type::Enum(_) => Wire::Varint,
            _ => Wire::Length,
        };
    };
    match scalar {
        Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64 => Wire::Fixed64,
        Scalar::Float | Scalar::Fixed32 | Scalar::Sfixed32 => Wire::Fixed32,
        Scalar::String | Scalar::Bytes => Wire::Length,
        _ => Wire::Varint,
    }
}
