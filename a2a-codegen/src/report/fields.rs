//! Fields: what becomes of each of a pair of messages.

use std::collections::BTreeSet;

use super::Input;
use super::losses::number;
use super::messages::{Pair, Pairs};
use super::model::{Change, FieldChange, FieldSide};
use super::words::{absent, absent_loss, short, type_of, via, written};
use crate::model::{Api, Cardinality, Field, Message, Scalar, Type, WellKnown};
use crate::plan::model::{Encoding, FieldKind, FieldPlan, Piece, Via};

impl FieldChange {
    pub(super) fn new(changes: Vec<Change>) -> Self {
        Self {
            old: Vec::new(),
            new: Vec::new(),
            changes,
            how: Vec::new(),
            up: Vec::new(),
            down: Vec::new(),
            rule: None,
        }
    }

    pub(super) fn from(mut self, side: FieldSide) -> Self {
        self.old.push(side);
        self
    }

    pub(super) fn to(mut self, side: FieldSide) -> Self {
        self.new.push(side);
        self
    }

    fn how(mut self, words: impl Into<String>) -> Self {
        self.how.push(words.into());
        self
    }
}

/// A field, as its spelling has it.
pub(super) fn side(api: &Api, field: &Field, encoding: Encoding) -> FieldSide {
    FieldSide {
        name: written(field, encoding).to_owned(),
        number: field.number,
        ty: type_of(api, field),
    }
}

/// The messages and fields on a path of indices; as far as it leads.
pub(super) fn path<'a>(
    api: &'a Api,
    from: &'a Message,
    indices: &[usize],
) -> Vec<(&'a Message, usize)> {
    let mut path = Vec::new();
    let mut at = Some(from);
    for index in indices {
        let Some(message) = at else { break };
        path.push((message, *index));
        at = match message.fields.get(*index).map(|field| &field.ty) {
            Some(Type::Message(name)) => api.messages.get(name),
            _ => None,
        };
    }
    path
}

/// What becomes of all fields of a pair.
pub(super) fn rows<'a>(input: &Input<'a>, pairs: &Pairs<'a>, pair: &Pair<'a>) -> Vec<FieldChange> {
    let mut rows = Rows {
        input,
        pair,
        newer: BTreeSet::new(),
        older: BTreeSet::new(),
        list: Vec::new(),
    };
    match pair.fields() {
        Some(plans) => {
            for plan in plans {
                rows.planned(plan);
            }
        }
        None => rows.alike(),
    }
    rows.left(pairs);
    dropped_both_ways(rows.list)
}

/// One row where a field of one name goes away and comes again: neither side's value is wanted on
/// the other side.
fn dropped_both_ways(rows: Vec<FieldChange>) -> Vec<FieldChange> {
    let mut kept: Vec<FieldChange> = Vec::new();
    for row in rows {
        let names = |sides: &[FieldSide]| {
            sides
                .iter()
                .map(|side| side.name.clone())
                .collect::<Vec<_>>()
        };
        let other = kept.iter_mut().find(|other| {
            let added_again = row.changes == [Change::Removed] && other.changes == [Change::Added];
            let gone_before = row.changes == [Change::Added] && other.changes == [Change::Removed];
            (added_again && names(&row.old) == names(&other.new))
                || (gone_before && names(&row.new) == names(&other.old))
        });
        match other {
            Some(other) => {
                other.old.extend(row.old);
                other.new.extend(row.new);
                other.up.extend(row.up);
                other.down.extend(row.down);
                other.changes = vec![Change::Removed, Change::Added];
                other.how = vec!["dropped both ways".to_owned()];
            }
            None => kept.push(row),
        }
    }
    kept
}

/// The rows of a pair in the making.
struct Rows<'r, 'a> {
    input: &'r Input<'a>,
    pair: &'r Pair<'a>,
    /// Newer fields that have a row.
    newer: BTreeSet<usize>,
    /// Older fields that have one.
    older: BTreeSet<usize>,
    list: Vec<FieldChange>,
}

impl<'a> Rows<'_, 'a> {
    fn new_field(&self, index: usize) -> Option<&'a Field> {
        self.pair.new.fields.get(index)
    }

    fn old_field(&self, index: usize) -> Option<&'a Field> {
        self.pair.old.and_then(|old| old.fields.get(index))
    }

    /// The newer side of a row, in JSON names where the older side is JSON.
    fn new_side(&self, field: &Field) -> FieldSide {
        side(self.input.new.api, field, self.pair.encoding)
    }

    fn old_side(&self, field: &Field) -> FieldSide {
        side(self.pair.api, field, self.pair.encoding)
    }

    fn planned(&mut self, plan: &FieldPlan) {
        let row = match &plan.kind {
            FieldKind::Carry {
                new,
                old,
                via: what,
                absent: missing,
                always_down,
                read_also,
            } => {
                self.newer.insert(*new);
                self.older.insert(*old);
                let (Some(newer), Some(older)) = (self.new_field(*new), self.old_field(*old))
                else {
                    return;
                };
                let mut changes = self.compare(newer, older);
                if matches!(
                    what,
                    Via::Not | Via::First | Via::ZeroIsUnset | Via::Hook(_)
                ) {
                    changes.push(Change::Meaning);
                }
                let mut row = FieldChange::new(changes)
                    .from(self.old_side(older))
                    .to(self.new_side(newer));
                row.how.extend(via(what));
                row.how.extend(absent(missing));
                if *always_down {
                    row.how.push("always written going down".to_owned());
                }
                row.how.extend(
                    read_also
                        .iter()
                        .map(|name| format!("also read as `{name}`")),
                );
                let refused = match what {
                    Via::OneOf(id) => Some(id.clone()),
                    _ => None,
                };
                row.down.extend(refused);
                row.up.extend(absent_loss(missing).cloned());
                row
            }
            FieldKind::Lift { new, old } => {
                self.older.insert(*old);
                let Some(older) = self.old_field(*old) else {
                    return;
                };
                let path = path(self.input.new.api, self.pair.new, new);
                let fields: Vec<&Field> = path
                    .iter()
                    .filter_map(|(message, index)| message.fields.get(*index))
                    .collect();
                let names: Vec<&str> = fields
                    .iter()
                    .map(|field| written(field, self.pair.encoding))
                    .collect();
                let Some(leaf) = fields.last() else { return };
                FieldChange::new(vec![Change::Moved])
                    .from(self.old_side(older))
                    .to(FieldSide {
                        name: names.join("."),
                        ..self.new_side(leaf)
                    })
            }
            FieldKind::Inline { old, inner } => {
                self.older.insert(*old);
                let Some(older) = self.old_field(*old) else {
                    return;
                };
                let what = format!(
                    "what is in it stands in the newer message itself: see `{}`",
                    short(self.pair.api, inner)
                );
                FieldChange::new(vec![Change::Reshaped])
                    .from(self.old_side(older))
                    .how(what)
            }
            FieldKind::Template { old, pieces } => self.template(*old, pieces),
            FieldKind::Gather { new, old, hook } => {
                self.newer.insert(*new);
                self.older.extend(old);
                let Some(newer) = self.new_field(*new) else {
                    return;
                };
                let mut row = FieldChange::new(vec![Change::Reshaped])
                    .to(self.new_side(newer))
                    .how(format!("hook `{hook}`"));
                let older = old.iter().filter_map(|old| self.old_field(*old));
                row.old = older.map(|field| self.old_side(field)).collect();
                row
            }
            FieldKind::OnlyNew { new } => {
                self.newer.insert(*new);
                let Some(newer) = self.new_field(*new) else {
                    return;
                };
                let mut row = FieldChange::new(vec![Change::Added]).to(self.new_side(newer));
                row.how.extend(self.by(newer));
                row
            }
            FieldKind::OnlyOld { old, hook } => {
                self.older.insert(*old);
                let Some(older) = self.old_field(*old) else {
                    return;
                };
                let row = FieldChange::new(vec![Change::Removed]).from(self.old_side(older));
                match hook {
                    Some(hook) => row.how(format!("hook `{hook}`")),
                    None => row,
                }
            }
        };
        self.list.push(with_losses(row, plan));
    }

    fn template(&mut self, old: usize, pieces: &[Piece]) -> FieldChange {
        self.older.insert(old);
        let mut text = String::new();
        let mut row = FieldChange::new(vec![Change::Reshaped]);
        for piece in pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Field(new) => {
                    self.newer.insert(*new);
                    if let Some(field) = self.new_field(*new) {
                        text.push_str(&format!("{{{}}}", field.proto_name));
                        row = row.to(self.new_side(field));
                    }
                }
            }
        }
        if let Some(older) = self.old_field(old) {
            row = row.from(self.old_side(older));
        }
        row.how(format!("taken from `{text}`"))
    }

    /// Rows by name, where no plan says anything about single fields.
    fn alike(&mut self) {
        let Some(old) = self.pair.old else { return };
        let hook = self.pair.hook().map(|name| format!("hook `{name}`"));
        for (new, newer) in self.pair.new.fields.iter().enumerate() {
            let found = old.fields.iter().position(|older| {
                older.proto_name == newer.proto_name || older.json_name == newer.json_name
            });
            let Some((at, older)) = found.and_then(|at| Some((at, old.fields.get(at)?))) else {
                continue;
            };
            self.newer.insert(new);
            self.older.insert(at);
            let changes = self.compare(newer, older);
            let mut row = FieldChange::new(changes)
                .from(self.old_side(older))
                .to(self.new_side(newer));
            row.how.extend(hook.clone());
            self.list.push(row);
        }
    }

    /// Rows of what no plan of this pair has.
    fn left(&mut self, pairs: &Pairs<'a>) {
        if let Some(hook) = self.pair.hook() {
            self.in_hook(hook);
            return;
        }
        // What stands in an inlined type has its row there; a union's variants have theirs, too.
        let elsewhere = self.pair.old.is_none_or(|old| old.bare)
            || self.pair.fields().is_some_and(|plans| {
                let inline = |plan: &FieldPlan| matches!(plan.kind, FieldKind::Inline { .. });
                plans.iter().any(inline)
            });
        for (new, newer) in self.pair.new.fields.iter().enumerate() {
            if self.newer.contains(&new) || elsewhere {
                continue;
            }
            let row = FieldChange::new(vec![Change::Added]).to(self.new_side(newer));
            let row = match pairs.lifted(self.pair, new) {
                Some(from) => FieldChange {
                    changes: vec![Change::Moved],
                    ..row.how(format!("from `{from}`"))
                },
                None => {
                    let how = self.by(newer);
                    row.how(how.unwrap_or_else(|| "no rule yet".to_owned()))
                }
            };
            self.list.push(row);
        }
        let olds = self.pair.old.filter(|old| !old.bare);
        for (at, older) in olds.iter().flat_map(|old| old.fields.iter().enumerate()) {
            if !self.older.contains(&at) {
                let row = FieldChange::new(vec![Change::Removed]).from(self.old_side(older));
                self.list.push(row.how("no rule yet"));
            }
        }
    }

    /// One row for all that only a hook knows how to tell apart. Where the older side is a union,
    /// its rule names the fields.
    fn in_hook(&mut self, hook: &str) {
        let mut row = FieldChange::new(vec![Change::Reshaped]).how(format!("hook `{hook}`"));
        for (new, newer) in self.pair.new.fields.iter().enumerate() {
            if !self.newer.contains(&new) {
                row = row.to(self.new_side(newer));
            }
        }
        match self.pair.old {
            Some(old) => {
                for (at, older) in old.fields.iter().enumerate() {
                    if !self.older.contains(&at) {
                        row = row.from(self.old_side(older));
                    }
                }
            }
            None => {
                let mut hooks = self.input.rules.hooks.iter();
                let rule = hooks.find(|rule| rule.rule.key == hook);
                let side = rule.and_then(|rule| rule.old.get(self.pair.encoding));
                for name in side.iter().flat_map(|side| &side.fields) {
                    row = row.from(self.named(name));
                }
            }
        }
        if !(row.old.is_empty() && row.new.is_empty()) {
            self.list.push(row);
        }
    }

    /// A field that a rule names with its type.
    fn named(&self, name: &str) -> FieldSide {
        let api = self.pair.api;
        let found = name.rsplit_once('.').and_then(|(ty, field)| {
            let mut messages = api.messages.values();
            let message = messages.find(|message| short(api, &message.proto_name) == ty)?;
            let mut fields = message.fields.iter();
            fields.find(|each| written(each, self.pair.encoding) == field)
        });
        FieldSide {
            name: name.to_owned(),
            number: found.map_or(0, |field| field.number),
            ty: found.map_or_else(String::new, |field| type_of(api, field)),
        }
    }

    /// What fills a newer field where a hook around this message does it.
    fn by(&self, field: &Field) -> Option<String> {
        let ty = short(self.input.new.api, &self.pair.new.proto_name);
        let hook = self.input.rules.field(ty, &field.proto_name)?.by?;
        Some(format!("hook `{hook}` of the message around"))
    }

    /// What is different about two fields that stand for each other.
    fn compare(&self, new: &Field, old: &Field) -> Vec<Change> {
        let encoding = self.pair.encoding;
        let mut changes = Vec::new();
        if written(new, encoding) != written(old, encoding) {
            changes.push(Change::Renamed);
        }
        if encoding == Encoding::Proto && new.number != old.number {
            changes.push(Change::Renumbered);
        }
        if !same_shape(new, old) || !same_type(new, old, encoding) {
            changes.push(Change::Type);
        } else if encoding == Encoding::Proto && new.cardinality != old.cardinality {
            let in_oneof = |field: &Field| matches!(field.cardinality, Cardinality::Oneof(_));
            if !(in_oneof(new) && in_oneof(old)) {
                changes.push(Change::Presence);
            }
        }
        match (old.required, new.required) {
            (false, true) => changes.push(Change::Required),
            (true, false) => changes.push(Change::Optional),
            _ => {}
        }
        changes
    }
}

/// Adds the losses that the plan of a field names.
fn with_losses(mut row: FieldChange, plan: &FieldPlan) -> FieldChange {
    let hooks = &plan.hook_losses;
    let add = |ids: &mut Vec<String>, more: &mut dyn Iterator<Item = &String>| {
        for id in more {
            if !ids.contains(id) {
                ids.push(id.clone());
            }
        }
    };
    add(&mut row.up, &mut plan.up_loss.iter().chain(&hooks.up));
    add(&mut row.down, &mut plan.down_loss.iter().chain(&hooks.down));
    row.up.sort_by_key(|id| number(id));
    row.down.sort_by_key(|id| number(id));
    row.rule = plan.rule.as_ref().map(|rule| rule.key.clone());
    row
}

/// Lists stand for lists, maps for maps, single values for single values.
fn same_shape(new: &Field, old: &Field) -> bool {
    let shape = |field: &Field| match field.cardinality {
        Cardinality::Repeated => 1,
        Cardinality::Map { .. } => 2,
        _ => 0,
    };
    shape(new) == shape(old)
}

/// True when one value is of the same kind. Messages have rows of their own.
fn same_type(new: &Field, old: &Field, encoding: Encoding) -> bool {
    use Type::{Enum, Message, Scalar as One, Union, WellKnown as Known};
    let number = |ty: &Type| {
        !matches!(
            ty,
            One(Scalar::Bool | Scalar::String | Scalar::Bytes)
                | Enum(_)
                | Message(_)
                | Union(_)
                | Known(_)
        )
    };
    match (&new.ty, &old.ty) {
        (Message(_), Message(_) | Union(_)) | (Enum(_), Enum(_)) => true,
        (new, old) if new == old => true,
        // In JSON, times and bytes are texts, and numbers are numbers.
        (Known(WellKnown::Timestamp) | One(Scalar::Bytes), One(Scalar::String)) => {
            encoding == Encoding::Json
        }
        (new, old) => encoding == Encoding::Json && number(new) && number(old),
    }
}
