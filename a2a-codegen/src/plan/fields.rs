//! The fields of a pair of messages: by name, or as a rule says; none is left over.

use std::collections::BTreeMap;

use super::model::{Absent, FieldKind, FieldPlan, HookLosses, RuleRef, Via};
use super::names::{field as field_named, nearest_field};
use super::outer::Owed;
use super::rules::{AbsentRule, FieldRule, HookLossRule, OnlyOldKind, OnlyOldRule, ViaRule, fault};
use super::types::{Inside, needs_default, relate};
use super::{Planner, Use, suggest};
use crate::diagnostics::Diagnostic;
use crate::model::{Cardinality, Field, Message, Type};

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
        let mut found = Vec::new();
        for name in names {
            let (ty, field) = name.rsplit_once('.').unwrap_or(("", name));
            if !self.old.knows(ty) {
                let hint = match self.old.nearest(ty) {
                    Some(meant) => format!("did you mean `{meant}.{field}`?"),
                    None => "write an older field with its type: `Type.field`".to_owned(),
                };
                let message = format!("`{name}` is no field of the older version");
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
            self.faults.push(fault(&row.rule, message).hint(hint));
        }
        (!found.is_empty()).then_some(found)
    }

    fn gather(
        &mut self,
        making: &Making<'a>,
        new: usize,
        old: &[usize],
        hook: &str,
        row: &FieldRule,
    ) -> FieldPlan {
        let newer = making.new.fields.get(new);
        for index in old {
            let Some(field) = making.old.fields.get(*index) else {
                continue;
            };
            let Type::Message(older) = &field.ty else {
                continue;
            };
            let pair = newer.and_then(|newer| match &newer.ty {
                Type::Message(name) if self.is_pair(name, older) => Some(name.clone()),
                _ => None,
            });
            match pair {
                Some(name) => {
                    let place = place_of(making.new, newer);
                    self.stand(&name, older, &place);
                }
                None => {
                    let message = format!(
                        "the hook `{hook}` gets `{}` as its newer type, and there is none: no \
                         newer type that `{}` is made of stands for `{older}`",
                        field.proto_name, row.rule.key
                    );
                    self.faults.push(
                        fault(&row.rule, message)
                            .hint("let a hook for the whole message do it, under `[hook]`"),
                    );
                }
            }
        }
        self.field_hooks.insert(hook.to_owned());
        let losses = hook_losses(&row.losses, self.encoding);
        FieldPlan {
            kind: FieldKind::Gather {
                new,
                old: old.to_vec(),
                hook: hook.to_owned(),
            },
            up_loss: losses.up.first().cloned(),
            down_loss: losses.down.first().cloned(),
            hook_losses: losses,
            rule: Some(row.rule.clone()),
        }
    }

    /// A field for a field, their types compared.
    fn carry(
        &mut self,
        new: &'a Message,
        new_index: usize,
        old: &'a Message,
        old_index: usize,
        row: Option<&FieldRule>,
    ) -> FieldPlan {
        let encoding = self.encoding;
        let via = row
            .and_then(|row| row.via.get(encoding))
            .map_or(Via::Same, via);
        let absent = row
            .and_then(|row| row.absent.get(encoding))
            .map_or(Absent::Unset, absent);
        let always_down = row
            .and_then(|row| row.always_down.get(encoding))
            .is_some_and(|always| *always);
        let losses = row
            .map(|row| hook_losses(&row.losses, encoding))
            .unwrap_or_default();
        let mut read_also = row.map(|row| row.read_also.clone()).unwrap_or_default();
        if let (Some(newer), Some(older)) = (new.fields.get(new_index), old.fields.get(old_index)) {
            let rule = row.map(|row| &row.rule);
            self.relate_fields(new, newer, old, older, &via, rule);
            if self.is_json() && needs_default(newer, older) && !always_down {
                let message = format!(
                    "the older schema requires `{}.{}`, which `{}.{}` may leave out",
                    old.proto_name, older.json_name, new.proto_name, newer.proto_name
                );
                let hint = suggest::always(self, new, newer);
                self.faults.push(
                    Diagnostic::new(newer.origin.clone(), message)
                        .also(older.origin.clone(), "the older field")
                        .hint(hint),
                );
            }
            read_also.retain(|name| *name != older.json_name && *name != older.proto_name);
        }
        let hook_losses = if matches!(via, Via::Hook(_) | Via::LenientTime) {
            losses.clone()
        } else {
            HookLosses::default()
        };
        FieldPlan {
            kind: FieldKind::Carry {
                new: new_index,
                old: old_index,
                via,
                absent,
                always_down,
                read_also,
            },
            up_loss: losses.up.first().cloned(),
            down_loss: losses.down.first().cloned(),
            hook_losses,
            rule: row.map(|row| row.rule.clone()),
        }
    }

    /// Compares the types of two fields that stand for each other, and plans what is in them.
    pub(super) fn relate_fields(
        &mut self,
        new: &Message,
        newer: &Field,
        old: &Message,
        older: &Field,
        via: &Via,
        rule: Option<&RuleRef>,
    ) {
        let place = place_of(new, Some(newer));
        match relate(newer, older, via, self.encoding) {
            Ok(Inside::Nothing) => {}
            Ok(Inside::Messages(new, old)) => {
                self.stand(&new, &old, &place);
            }
            Ok(Inside::Enums(new, old)) => self.enums_stand(&new, &old, &place),
            Err(why) => {
                let message = format!(
                    "`{}.{}` cannot stand for the older `{}.{}`: {why}",
                    new.proto_name, newer.proto_name, old.proto_name, older.proto_name
                );
                let mut fault = Diagnostic::new(newer.origin.clone(), message)
                    .also(older.origin.clone(), "the older field")
                    .hint(suggest::differ(self, new, newer));
                if let Some(rule) = rule {
                    fault = fault.also(rule.origin.clone(), "the rule");
                }
                self.faults.push(fault);
            }
        }
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
            let speaks = row.filter(|row| self.speaks(row));
            if speaks.is_some() {
                self.mark_field(new, field);
            }
            let plan = self.carry(new, index, old, at, speaks.as_ref());
            making.take(index, &[at], plan);
        }
    }

    /// True when a row changes something about a field that was found by its name.
    fn speaks(&self, row: &FieldRule) -> bool {
        let encoding = self.encoding;
        row.via.get(encoding).is_some()
            || row.absent.get(encoding).is_some()
            || row.always_down.get(encoding).is_some()
            || !row.read_also.is_empty()
    }

    /// Newer fields that nothing of this older message stands for.
    fn new_left(&mut self, making: &mut Making<'a>) {
        for index in 0..making.new.fields.len() {
            if making.is_new_done(index) {
                continue;
            }
            let Some(field) = making.new.fields.get(index) else {
                continue;
            };
            let inner = making
                .inlined
                .iter()
                .find(|inner| self.has_counterpart(making.new, field, inner));
            if let Some(inner) = inner {
                self.owed.push(Owed::Inlined {
                    new: making.new.proto_name.clone(),
                    field: index,
                    inner: inner.proto_name.clone(),
                });
                continue;
            }
            if let Some(plan) = self.alone(making.new, index, Some(making.old)) {
                making.plans.insert(index, plan);
            }
        }
    }

    /// True when a field of an inlined message stands for a newer field.
    fn has_counterpart(&self, new: &Message, field: &Field, inner: &Message) -> bool {
        let named = self.row(new, field).and_then(|row| {
            let names = row.old.get(self.encoding)?.clone();
            Some(names.iter().any(|name| {
                let (ty, _) = name.rsplit_once('.').unwrap_or_default();
                self.old.means(ty, &inner.proto_name)
            }))
        });
        named == Some(true)
            || inner.fields.iter().any(|older| {
                older.proto_name == field.proto_name || older.json_name == field.json_name
            })
    }

    /// A newer field without an older one, as its row says; none when an outer plan has it.
    pub(super) fn alone(
        &mut self,
        new: &'a Message,
        index: usize,
        old: Option<&'a Message>,
    ) -> Option<FieldPlan> {
        let field = new.fields.get(index)?;
        let row = self.row(new, field);
        if let Some(row) = &row {
            let dropped = row.drop_down.get(self.encoding);
            if dropped.is_some() || row.by.is_some() {
                self.mark_field(new, field);
                if let (None, Some(hook)) = (dropped, &row.by) {
                    self.owed.push(Owed::Hook {
                        name: hook.clone(),
                        rule: row.rule.clone(),
                    });
                }
                let mut plan = plain(FieldKind::OnlyNew { new: index }, Some(row.rule.clone()));
                plan.down_loss = dropped.cloned();
                return Some(plan);
            }
        }
        let fault = suggest::no_older(self, new, field, old);
        match row {
            // A field of another older message stands for it: the plan of that one lifts it here.
            Some(row) if row.old.get(self.encoding).is_some() => {
                self.owed.push(Owed::Lifted {
                    key: row.rule.key,
                    fault: Box::new(fault),
                });
            }
            _ => self.faults.push(fault),
        }
        None
    }

    /// Older fields that nothing newer stands for.
    fn old_left(&mut self, making: &mut Making<'a>) {
        let old = making.old;
        for (index, field) in old.fields.iter().enumerate() {
            if making.is_old_done(index) {
                continue;
            }
            let plan = match self.only_old_row(old, index) {
                Some(row) => self.only_old_plan(index, row),
                None => None,
            };
            match plan {
                Some(plan) => {
                    making.rest.insert(index, plan);
                }
                None => {
                    let fault = suggest::no_newer(self, making.new, old, field);
                    self.faults.push(fault);
                }
            }
        }
    }

    fn only_old_plan(&mut self, index: usize, row: &OnlyOldRule) -> Option<FieldPlan> {
        let rule = Some(row.rule.clone());
        let plan = match &row.kind {
            OnlyOldKind::Drop(losses) => {
                let loss = losses.get(self.encoding)?;
                let kind = FieldKind::OnlyOld {
                    old: index,
                    hook: None,
                };
                FieldPlan {
                    up_loss: Some(loss.clone()),
                    ..plain(kind, rule)
                }
            }
            OnlyOldKind::Hook { hook, losses } => {
                let losses = hook_losses(losses, self.encoding);
                let kind = FieldKind::OnlyOld {
                    old: index,
                    hook: Some(hook.clone()),
                };
                FieldPlan {
                    up_loss: losses.up.first().cloned(),
                    down_loss: losses.down.first().cloned(),
                    hook_losses: losses,
                    ..plain(kind, rule)
                }
            }
            OnlyOldKind::Inline => return None,
        };
        self.mark("only_old", &row.rule.key);
        Some(plan)
    }

    /// The row about an older field.
    fn only_old_row(&self, old: &Message, index: usize) -> Option<&'a OnlyOldRule> {
        self.rules.only_old.iter().find(|row| {
            let name = row.old.get(self.encoding).unwrap_or(&row.rule.key);
            let (ty, field) = name.rsplit_once('.').unwrap_or_default();
            self.old.means(ty, &old.proto_name) && field_named(old, field) == Some(index)
        })
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

    /// A text with newer fields in it.
    fn template(
        &mut self,
        making: &mut Making<'a>,
        index: usize,
        olds: &[usize],
        text: &str,
        row: &FieldRule,
    ) -> FieldPlan {
        let new = making.new;
        let pieces = super::template::pieces(text, new);
        let (old, pieces) = match (olds, pieces) {
            ([old], Ok(pieces)) => (*old, pieces),
            (_, Err(why)) => {
                self.faults.push(fault(&row.rule, why).hint(
                    "write it as in `template = \"tasks/{id}\"`, with names of newer text fields",
                ));
                (olds.first().copied().unwrap_or_default(), Vec::new())
            }
            (_, Ok(pieces)) => {
                self.faults.push(
                    fault(&row.rule, "a template is about one older field").hint("name one field"),
                );
                (olds.first().copied().unwrap_or_default(), pieces)
            }
        };
        let fields = super::template::fields(&pieces);
        if !fields.contains(&index) {
            let message = format!("the template does not hold `{}`", row.rule.key);
            self.faults
                .push(fault(&row.rule, message).hint("put the field's name in braces into it"));
        }
        for field in fields {
            set(&mut making.new_done, field);
        }
        plain(FieldKind::Template { old, pieces }, Some(row.rule.clone()))
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
            let mut paths = super::outer::paths(self.new, making.new, target);
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

/// A plan without losses.
fn plain(kind: FieldKind, rule: Option<RuleRef>) -> FieldPlan {
    FieldPlan {
        kind,
        up_loss: None,
        down_loss: None,
        hook_losses: HookLosses::default(),
        rule,
    }
}

/// Losses as they are in one spelling.
pub(super) fn hook_losses(losses: &HookLossRule, encoding: super::model::Encoding) -> HookLosses {
    let of = |each: &super::rules::Each<Vec<String>>| each.get(encoding).cloned();
    HookLosses {
        up: of(&losses.up).unwrap_or_default(),
        down: of(&losses.down).unwrap_or_default(),
    }
}

fn via(rule: &ViaRule) -> Via {
    match rule {
        ViaRule::Not => Via::Not,
        ViaRule::ZeroIsUnset => Via::ZeroIsUnset,
        ViaRule::First => Via::First,
        ViaRule::LenientTime => Via::LenientTime,
        ViaRule::EmptyIsUnset => Via::EmptyIsUnset,
        ViaRule::OneOf(id) => Via::OneOf(id.clone()),
        ViaRule::Hook(name) => Via::Hook(name.clone()),
    }
}

fn absent(rule: &AbsentRule) -> Absent {
    match rule {
        AbsentRule::Bool { value, loss } => Absent::Bool {
            value: *value,
            loss: loss.clone(),
        },
        AbsentRule::Lost(id) => Absent::Lost(id.clone()),
        AbsentRule::Refused(id) => Absent::Refused(id.clone()),
    }
}

fn place_of(message: &Message, field: Option<&Field>) -> Use {
    match field {
        Some(field) => Use {
            what: format!("`{}.{}`", message.proto_name, field.proto_name),
            origin: field.origin.clone(),
        },
        None => Use {
            what: format!("`{}`", message.proto_name),
            origin: message.origin.clone(),
        },
    }
}
