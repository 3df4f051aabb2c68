//! How much is the same: what a comparison of the schemas finds without rules for fields.
//!
//! Only which message of the one side is which of the other one comes from the plan, and only where
//! a message got another name. Numbers count here as they do nowhere else, to show how far they
//! would lead.

use std::collections::BTreeMap;

use super::Input;
use super::messages::{Pair, Pairs};
use super::model::{Counts, JsonClasses, ProtoClasses, Statistics};
use super::words::short;
use crate::model::{Api, Cardinality, Field, Message, Type};
use crate::plan::model::{Encoding, How};

/// Counts everything.
pub(super) fn statistics(input: &Input<'_>, pairs: &Pairs<'_>) -> Statistics {
    Statistics {
        old: counts(input.old.api),
        new: counts(input.new.api),
        proto: proto(input, pairs),
        json: input.old.schema.map(|schema| json(input, schema, pairs)),
    }
}

fn counts(api: &Api) -> Counts {
    Counts {
        operations: api
            .services
            .iter()
            .map(|service| service.methods.len())
            .sum(),
        messages: api.messages.len(),
        fields: api
            .messages
            .values()
            .map(|message| message.fields.len())
            .sum(),
        enums: api.enums.len(),
    }
}

/// The newer message of each older one: that of its name, else that of which the plan says that it
/// got another name.
fn counterparts<'a>(input: &Input<'a>, pairs: &Pairs<'a>) -> BTreeMap<&'a str, &'a Message> {
    let newer = &input.new.api.messages;
    let named: BTreeMap<&str, &Message> = newer
        .values()
        .map(|message| (short(input.new.api, &message.proto_name), message))
        .collect();
    let older: Vec<&str> = input
        .old
        .api
        .messages
        .keys()
        .map(|name| short(input.old.api, name))
        .collect();
    let renamed = |pair: &&Pair<'a>| {
        let new = short(input.new.api, &pair.new.proto_name);
        pair.encoding == Encoding::Proto && pair.fields().is_some() && !older.contains(&new)
    };
    let renamed: BTreeMap<&str, &Message> = pairs
        .list
        .iter()
        .filter(renamed)
        .map(|pair| (pair.old_name, pair.new))
        .collect();
    let mut found = BTreeMap::new();
    for full in input.old.api.messages.keys() {
        let same = named.get(short(input.old.api, full));
        if let Some(new) = same.or_else(|| renamed.get(full.as_str())) {
            found.insert(full.as_str(), *new);
        }
    }
    found
}

fn proto(input: &Input<'_>, pairs: &Pairs<'_>) -> ProtoClasses {
    let found = counterparts(input, pairs);
    let mut classes = ProtoClasses::default();
    for (name, message) in &input.old.api.messages {
        let Some(new) = found.get(name.as_str()) else {
            classes.message_gone += message.fields.len();
            continue;
        };
        for old in &message.fields {
            let class = class(input, &mut classes, new, old);
            *class += 1;
        }
    }
    classes
}

/// The count of the class of an older field.
fn class<'c>(
    input: &Input<'_>,
    classes: &'c mut ProtoClasses,
    new: &Message,
    old: &Field,
) -> &'c mut usize {
    let same_type = |newer: &Field| kind(input.new.api, newer) == kind(input.old.api, old);
    let by_name = new
        .fields
        .iter()
        .find(|newer| newer.proto_name == old.proto_name);
    if let Some(newer) = by_name {
        return match (same_type(newer), newer.number == old.number) {
            (false, _) => &mut classes.type_changed,
            (true, _) if presence(newer) != presence(old) => &mut classes.presence,
            (true, false) => &mut classes.renumbered,
            (true, true) => &mut classes.same,
        };
    }
    let mut fields = new.fields.iter();
    if fields.any(|newer| newer.json_name == old.json_name && same_type(newer)) {
        return &mut classes.same_json_name;
    }
    let mut fields = new.fields.iter();
    if fields.any(|newer| newer.number == old.number && guess(input, newer, old)) {
        return &mut classes.same_number;
    }
    &mut classes.no_counterpart
}

/// A type for comparison, without its package and without presence.
fn kind(api: &Api, field: &Field) -> (String, u8) {
    let ty = match &field.ty {
        Type::Message(name) | Type::Enum(name) | Type::Union(name) => short(api, name).to_owned(),
        other => format!("{other:?}"),
    };
    let shape = match field.cardinality {
        Cardinality::Repeated => 1,
        Cardinality::Map { .. } => 2,
        _ => 0,
    };
    (ty, shape)
}

/// What a comparison by numbers would take for the same: of one type, lists of it included.
fn guess(input: &Input<'_>, new: &Field, old: &Field) -> bool {
    kind(input.new.api, new).0 == kind(input.old.api, old).0
}

fn presence(field: &Field) -> bool {
    let scalar = matches!(field.ty, Type::Scalar(_) | Type::Enum(_));
    scalar && field.cardinality == Cardinality::Explicit
}

fn json(input: &Input<'_>, schema: &Api, pairs: &Pairs<'_>) -> JsonClasses {
    let mut classes = JsonClasses::default();
    let news: BTreeMap<&str, Vec<&Pair<'_>>> = {
        let mut news: BTreeMap<&str, Vec<&Pair<'_>>> = BTreeMap::new();
        for pair in pairs
            .list
            .iter()
            .filter(|pair| pair.encoding == Encoding::Json)
        {
            news.entry(pair.old_name).or_default().push(pair);
        }
        news
    };
    let variants = variants(input);
    for (name, message) in schema.messages.iter().filter(|(_, message)| !message.bare) {
        let pairs = news.get(name.as_str());
        let hook = variants.get(name.as_str());
        if pairs.is_none() && hook.is_none() {
            continue;
        }
        classes.messages += 1;
        classes.constants += message.constants.len();
        classes.properties += message.constants.len() + message.fields.len();
        for (at, old) in message.fields.iter().enumerate() {
            let has = |new: &Message| {
                new.fields
                    .iter()
                    .position(|newer| newer.json_name == old.json_name)
            };
            let same = pairs
                .into_iter()
                .flatten()
                .find_map(|pair| Some((*pair, has(pair.new)?)));
            let in_hook = hook.is_some_and(|new| has(new).is_some());
            match same {
                Some((pair, new)) => {
                    classes.same_key += 1;
                    let other = pair.fields().is_some() && !pair.joins(new, at);
                    if other && is_filled(pair, new) {
                        classes.false_friends += 1;
                    }
                }
                None if in_hook => classes.same_key += 1,
                None => classes.rest += 1,
            }
        }
    }
    classes
}

fn is_filled(pair: &Pair<'_>, new: usize) -> bool {
    let olds = pair.old.map_or(0, |old| old.fields.len());
    (0..olds).any(|old| pair.joins(new, old))
}

/// Older messages that only stand in a union, or in a type that a hook takes apart, and the newer
/// message that they become.
fn variants<'a>(input: &Input<'a>) -> BTreeMap<&'a str, &'a Message> {
    let mut found = BTreeMap::new();
    let (Some(schema), Some(plan)) = (input.old.schema, &input.plans.json) else {
        return found;
    };
    for each in plan
        .messages
        .iter()
        .filter(|plan| matches!(plan.how, How::Hook(_)))
    {
        let Some(new) = input.new.api.messages.get(&each.new) else {
            continue;
        };
        let union = schema.unions.get(&each.old);
        for variant in union.iter().flat_map(|union| &union.variants) {
            if let Some((name, _)) = schema.messages.get_key_value(&variant.message) {
                found.insert(name.as_str(), new);
            }
        }
        let hook = input
            .rules
            .hooks
            .iter()
            .find(|hook| matches!(&each.how, How::Hook(name) if *name == hook.rule.key));
        let side = hook.and_then(|hook| hook.old.get(Encoding::Json));
        for field in side.iter().flat_map(|side| &side.fields) {
            let ty = field.rsplit_once('.').map_or("", |(ty, _)| ty);
            if let Some((name, message)) = schema.messages.get_key_value(ty)
                && !message.bare
            {
                found.insert(name.as_str(), new);
            }
        }
    }
    found
}
