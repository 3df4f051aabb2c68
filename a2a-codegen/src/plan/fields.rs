//! The fields of a pair of messages: by name, or as a rule says; none is left over.

use std::collections::BTreeMap;

use super::model::{FieldKind, FieldPlan, Via};
use super::names::{field as field_named, nearest_field};
use super::rules::{FieldRule, OnlyOldKind, fault};
use super::{Planner, outer, suggest};
use crate::diagnostics::Diagnostic;
use crate::model::{Cardinality, Field, Message, Type, WellKnown};

mod kinds;
mod left;

pub(super) use kinds::hook_losses;
use kinds::{place_of, plain};

/// The plans of a pair in the making.
struct Making<'a> {
    new: &'a Message,
    old: &'a Message,
    /// By newer field.
    plans: BTreeMap<usize, FieldPlan>,
    /// Newer fields that are accounted for, with or without a plan of their own.
    new_done: Vec<bool>,
    old_done: Vec<bool>,
    /// Plans that no single newer field has: of older fields.
    rest: BTreeMap<usize, FieldPlan>,
    /// Older messages whose fields stand for fields of this newer message.
    inlined: Vec<&'a Message>,
}

impl Making<'_> {
    fn take(&mut self, new: usize, old: &[usize], plan: FieldPlan) {
        self.plans.insert(new, plan);
        set(&mut self.new_done, new);
        for index in old {
            set(&mut self.old_done, *index);
        }
    }

    fn is_new_done(&self, index: usize) -> bool {
        self.new_done.get(index).copied().unwrap_or(true)
    }

    fn is_old_done(&self, index: usize) -> bool {
        self.old_done.get(index).copied().unwrap_or(true)
    }
}

fn set(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}

impl<'a> Planner<'a> {
    /// The plans of all fields of a pair; without an older message, all newer fields are alone.
    pub(super) fn fields(&mut self, new: &'a Message, old: Option<&'a Message>) -> Vec<FieldPlan> {
        let Some(old) = old else {
            return (0..new.fields.len())
                .filter_map(|index| self.alone(new, index, None))
                .collect();
        };
        let mut making = Making {
            new,
            old,
            plans: BTreeMap::new(),
            new_done: vec![false; new.fields.len()],
            old_done: vec![false; old.fields.len()],
            rest: BTreeMap::new(),
            inlined: Vec::new(),
        };
        self.by_rules(&mut making);
        self.lifts(&mut making);
        self.inlines(&mut making);
        self.by_names(&mut making);
        self.new_left(&mut making);
        self.old_left(&mut making);
        self.check_oneofs(&making);
        making
            .plans
            .into_values()
            .chain(making.rest.into_values())
            .collect()
    }

    /// The row of a newer field, and the keys of the rows that it was put together from.
    pub(super) fn row(&self, message: &Message, field: &Field) -> Option<FieldRule> {
        let short = self.new.short(&message.proto_name);
        self.rules
            .field(short, &field.proto_name)
            .or_else(|| self.rules.field(&message.proto_name, &field.proto_name))
    }

    /// Notes that the row of a newer field did something.
    fn mark_field(&mut self, message: &Message, field: &Field) {
        let short = self.new.short(&message.proto_name).to_owned();
        for ty in [short.as_str(), &message.proto_name, "*"] {
            self.mark("field", &format!("{ty}.{}", field.proto_name));
        }
    }

    /// Newer fields whose rows name fields of this older message.
    fn by_rules(&mut self, making: &mut Making<'a>) {
        let (new, old) = (making.new, making.old);
        for (index, field) in new.fields.iter().enumerate() {
            let Some(row) = self.row(new, field) else {
                continue;
            };
            let Some(olds) = self.named_in(&row, old) else {
                continue;
            };
            self.mark_field(new, field);
            if let Some(twice) = olds.iter().find(|at| making.is_old_done(**at)) {
                let name = old.fields.get(*twice).map_or("", |field| &field.proto_name);
                let message = format!("another row has the older `{}.{name}` too", old.proto_name);
                self.faults
                    .push(fault(&row.rule, message).hint("one older field has one row"));
            }
            let plan = if let Some(hook) = &row.hook {
                self.gather(making, index, &olds, hook, &row)
            } else if let Some(text) = row.template.get(self.encoding).cloned() {
                self.template(making, index, &olds, &text, &row)
            } else if let [only] = olds[..] {
                self.carry(new, index, old, only, Some(&row))
            } else {
                let message = "several older fields for one newer field need a hook";
                self.faults.push(
                    fault(&row.rule, message).hint("add `hook = \"name\"`, or name one field"),
                );
                continue;
            };
            making.take(index, &olds, plan);
        }
    }

    /// The older fields that a row names in this spelling, if they are of this older message.
    fn named_in(&mut self, row: &FieldRule, old: &Message) -> Option<Vec<usize>> {
        let names = row.old.get(self.encoding)?;
        let key = row.rule.key.clone();
        let mut found = Vec::new();
        for name in names {
            let (ty, field) = name.rsplit_once('.').unwrap_or(("", name));
            if !self.old.knows(ty) {
                let hint = match self.old.nearest(ty) {
                    Some(meant) => format!("did you mean `{meant}.{field}`?"),
                    None => "write an older field with its type: `Type.field`".to_owned(),
                };
                let message = format!("`{name}` is no field of the older version");
                self.mark("field", &key);
                self.faults.push(fault(&row.rule, message).hint(hint));
                continue;
            }
            if !self.old.means(ty, &old.proto_name) {
                continue;
            }
            if let Some(index) = field_named(old, field) {
                found.push(index);
                continue;
            }
            let hint = match nearest_field(old, field) {
                Some(meant) => format!("did you mean `{ty}.{meant}`?"),
                None => "write the name of an older field".to_owned(),
            };
            let message = format!("the older `{}` has no field `{field}`", old.proto_name);
            self.mark("field", &key);
            self.faults.push(fault(&row.rule, message).hint(hint));
        }
        (!found.is_empty()).then_some(found)
    }

    /// Older messages whose own fields stand for fields of the newer message around them.
    fn inlines(&mut self, making: &mut Making<'a>) {
        let old = making.old;
        for (index, field) in old.fields.iter().enumerate() {
            let Some(row) = self.only_old_row(old, index) else {
                continue;
            };
            if row.kind != OnlyOldKind::Inline || making.is_old_done(index) {
                continue;
            }
            self.mark("only_old", &row.rule.key);
            let single = !matches!(
                field.cardinality,
                Cardinality::Repeated | Cardinality::Map { .. }
            );
            let inner = match &field.ty {
                Type::Message(name) if single => self.old.api.messages.get(name),
                _ => None,
            };
            let Some(inner) = inner else {
                let message = format!("`{}` holds no message to inline", row.rule.key);
                self.faults.push(
                    fault(&row.rule, message).hint("`inline` is for a single field of a message"),
                );
                continue;
            };
            let place = place_of(old, Some(field));
            self.stand(&making.new.proto_name, &inner.proto_name, &place);
            making.inlined.push(inner);
            set(&mut making.old_done, index);
            making.rest.insert(
                index,
                plain(
                    FieldKind::Inline {
                        old: index,
                        inner: inner.proto_name.clone(),
                    },
                    Some(row.rule.clone()),
                ),
            );
        }
    }

    /// Fields of equal names, in the schema or in JSON.
    fn by_names(&mut self, making: &mut Making<'a>) {
        let (new, old) = (making.new, making.old);
        for (index, field) in new.fields.iter().enumerate() {
            if making.is_new_done(index) {
                continue;
            }
            let row = self.row(new, field);
            let same = |at: &usize| {
                old.fields.get(*at).is_some_and(|older| {
                    older.proto_name == field.proto_name || older.json_name == field.json_name
                })
            };
            let mut found = (0..old.fields.len()).filter(|at| !making.is_old_done(*at) && same(at));
            let Some(at) = found.next() else {
                continue;
            };
            if let Some(second) = found.next().and_then(|at| old.fields.get(at)) {
                let message = format!(
                    "two older fields are called as `{}.{}`, one of them in JSON only",
                    new.proto_name, field.proto_name
                );
                let hint = suggest::rename(self, new, field, old, second);
                self.faults
                    .push(Diagnostic::new(field.origin.clone(), message).hint(hint));
            }
            // A row may say that the two have nothing in common, or that the newer one is made of
            // something else; then the older one is left to a row of its own.
            if let Some(row) = &row
                && let Some(loss) = row.drop_up.get(self.encoding)
            {
                self.mark_field(new, field);
                set(&mut making.old_done, at);
                let kind = FieldKind::OnlyOld {
                    old: at,
                    hook: None,
                };
                let mut dropped = plain(kind, Some(row.rule.clone()));
                dropped.up_loss = Some(loss.clone());
                making.rest.insert(at, dropped);
                continue;
            }
            let speaks = row.filter(|row| self.speaks(field, row));
            if speaks.is_some() {
                self.mark_field(new, field);
            }
            let plan = self.carry(new, index, old, at, speaks.as_ref());
            making.take(index, &[at], plan);
        }
    }

    /// True when a row changes something about a field that was found by its name.
    fn speaks(&self, field: &Field, row: &FieldRule) -> bool {
        let encoding = self.encoding;
        // Free data is carried as it is, but for numbers that protobuf cannot hold.
        let is_free = matches!(
            field.ty,
            Type::WellKnown(WellKnown::Struct | WellKnown::Value | WellKnown::ListValue)
        );
        let tells =
            is_free && !self.is_json() && !hook_losses(&row.losses, encoding).down.is_empty();
        row.via.get(encoding).is_some()
            || row.absent.get(encoding).is_some()
            || row.always_down.get(encoding).is_some()
            || !row.read_also.is_empty()
            || tells
    }

    /// Members of one oneof stand for members of one oneof.
    fn check_oneofs(&mut self, making: &Making<'a>) {
        let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
        for plan in making.plans.values() {
            let FieldKind::Carry { new, old, .. } = plan.kind else {
                continue;
            };
            let newer = making.new.fields.get(new);
            let of = |field: Option<&Field>| match field.map(|field| &field.cardinality) {
                Some(Cardinality::Oneof(index)) => Some(*index),
                _ => None,
            };
            let (Some(a), Some(b)) = (of(newer), of(making.old.fields.get(old))) else {
                continue;
            };
            if *pairs.entry(a).or_insert(b) != b {
                let message = format!(
                    "the oneof `{}` is made of members of several older ones",
                    making.new.proto_name
                );
                let hint = suggest::hook(self, making.new, &making.old.proto_name);
                self.faults
                    .push(Diagnostic::new(making.new.origin.clone(), message).hint(hint));
            }
        }
    }

    /// Rows that put an older field of this message deeper into the newer one.
    fn lifts(&mut self, making: &mut Making<'a>) {
        for row in &self.rules.fields {
            let Some((ty, name)) = row.rule.key.rsplit_once('.') else {
                continue;
            };
            if ty == "*" || self.new.means(ty, &making.new.proto_name) {
                continue;
            }
            let names = row.old.get(self.encoding);
            let Some([only]) = names.map(Vec::as_slice) else {
                continue;
            };
            let (older, field) = only.rsplit_once('.').unwrap_or_default();
            if !self.old.means(older, &making.old.proto_name) {
                continue;
            }
            let (Some(target), Some(old)) = (self.new.message(ty), field_named(making.old, field))
            else {
                continue;
            };
            let Some(leaf) = field_named(target, name) else {
                continue;
            };
            let mut paths = outer::paths(self.new, making.new, target);
            let (Some(mut path), None) = (paths.pop(), paths.pop()) else {
                continue;
            };
            path.push(leaf);
            if let (Some(newer), Some(older)) =
                (target.fields.get(leaf), making.old.fields.get(old))
            {
                self.relate_fields(
                    target,
                    newer,
                    making.old,
                    older,
                    &Via::Same,
                    Some(&row.rule),
                );
            }
            self.mark("field", &row.rule.key);
            self.lifted.insert(row.rule.key.clone());
            set(&mut making.old_done, old);
            let kind = FieldKind::Lift { new: path, old };
            making.rest.insert(old, plain(kind, Some(row.rule.clone())));
        }
    }
}
