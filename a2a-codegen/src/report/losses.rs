//! Losses: every declared one, and where the plans name it.

use std::collections::{BTreeMap, BTreeSet};

use super::Input;
use super::model::{Loss, Way};
use super::words::{absent_loss, short, written};
use crate::model::{Api, Message};
use crate::plan::model::{ConversionPlan, FieldKind, FieldPlan, How, MessagePlan, Via};
use crate::plan::rules::Direction;

/// All losses; those coming up first, in the order of their numbers.
pub(super) fn losses(input: &Input<'_>) -> Vec<Loss> {
    let mut places = Places::default();
    for (api, plan) in input.spellings() {
        for message in &plan.messages {
            places.message(input, api, plan, message);
        }
        places.values(input, api, plan);
        places.operations(input, plan);
    }
    for rule in &input.rules.elsewhere {
        places.add(&rule.key, "around the messages".to_owned());
    }
    let mut losses = Vec::new();
    for (id, rule) in &input.rules.losses {
        let ways = match rule.direction {
            Some(Direction::Up) => &[Way::Up][..],
            Some(Direction::Down) => &[Way::Down],
            None => &[Way::Up, Way::Down],
        };
        losses.extend(ways.iter().map(|way| Loss {
            way: *way,
            text: rule.text.clone(),
            at: places.of(id),
            id: id.clone(),
        }));
    }
    losses.sort_by_cached_key(|loss| (loss.way == Way::Down, number(&loss.id), loss.id.clone()));
    losses
}

/// The number at the end of an id, for an order that people expect.
pub(super) fn number(id: &str) -> u32 {
    let letters = id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    id.get(letters..)
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

/// Where each id is named.
#[derive(Default)]
struct Places(BTreeMap<String, BTreeSet<String>>);

impl Places {
    fn of(&self, id: &str) -> Vec<String> {
        self.0.get(id).into_iter().flatten().cloned().collect()
    }

    fn add(&mut self, id: &str, place: String) {
        self.0.entry(id.to_owned()).or_default().insert(place);
    }

    fn message(
        &mut self,
        input: &Input<'_>,
        api: &Api,
        plan: &ConversionPlan,
        message: &MessagePlan,
    ) {
        let name = short(input.new.api, &message.new);
        let hook = &message.hook_losses;
        for id in hook.up.iter().chain(&hook.down) {
            self.add(id, format!("`{name}`"));
        }
        let (How::Fields(fields)
        | How::Bare {
            dropped: fields, ..
        }) = &message.how
        else {
            return;
        };
        let older = api.messages.get(&message.old);
        let newer = input.new.api.messages.get(&message.new);
        for field in fields {
            let old = |index: usize| {
                let field = older?.fields.get(index)?;
                let name = short(api, &message.old);
                Some(format!("`{name}.{}`", written(field, plan.encoding)))
            };
            let new = |index: usize| {
                let field = newer?.fields.get(index)?;
                Some(format!("`{name}.{}`", field.proto_name))
            };
            let Some(place) = place(field, newer, old, new) else {
                continue;
            };
            for id in ids(field) {
                self.add(id, place.clone());
            }
        }
    }

    fn values(&mut self, input: &Input<'_>, api: &Api, plan: &ConversionPlan) {
        for each in plan.enums.values() {
            let name = short(input.new.api, &each.new);
            let newer = input.new.api.enums.get(&each.new);
            let value = |number: i32| {
                let found = newer?.values.iter().find(|value| value.number == number)?;
                Some(format!("`{name}.{}`", found.proto_name))
            };
            for stands in &each.values {
                for id in stands.up_loss.iter().chain(&stands.down_loss) {
                    if let Some(place) = value(stands.new) {
                        self.add(id, place);
                    }
                }
            }
            for (number, id) in &each.refused {
                if let Some(place) = value(*number) {
                    self.add(id, place);
                }
            }
            for (old, (_, id)) in &each.only_old {
                self.add(id, format!("`{}.{old}`", short(api, &each.old)));
            }
            if let Some(id) = &each.unknown_loss {
                self.add(id, format!("other values of `{name}`"));
            }
        }
    }

    fn operations(&mut self, input: &Input<'_>, plan: &ConversionPlan) {
        let (new, old) = (
            input.new.api.services.first(),
            input.old.api.services.first(),
        );
        for each in &plan.methods {
            let newer = each.new.and_then(|index| new?.methods.get(index));
            let older = each.old.and_then(|index| old?.methods.get(index));
            if let (Some(id), Some(method)) = (&each.refused, newer.or(older)) {
                self.add(id, format!("`{}`", method.proto_name));
            }
        }
    }
}

/// What a plan of a field is about: the newer field, or the older one where there is no newer one.
fn place(
    field: &FieldPlan,
    newer: Option<&Message>,
    old: impl Fn(usize) -> Option<String>,
    new: impl Fn(usize) -> Option<String>,
) -> Option<String> {
    match &field.kind {
        FieldKind::Carry { new: index, .. }
        | FieldKind::Gather { new: index, .. }
        | FieldKind::OnlyNew { new: index } => new(*index),
        FieldKind::Lift { new: path, .. } => new(*path.first().filter(|_| newer.is_some())?),
        FieldKind::Inline { old: index, .. }
        | FieldKind::Template { old: index, .. }
        | FieldKind::OnlyOld { old: index, .. } => old(*index),
    }
}

/// All ids that a plan of a field names.
fn ids(field: &FieldPlan) -> Vec<&String> {
    let hook = &field.hook_losses;
    let mut ids: Vec<&String> = field.up_loss.iter().chain(&field.down_loss).collect();
    ids.extend(hook.up.iter().chain(&hook.down));
    if let FieldKind::Carry { via, absent, .. } = &field.kind {
        ids.extend(absent_loss(absent));
        if let Via::OneOf(id) = via {
            ids.push(id);
        }
    }
    ids
}
