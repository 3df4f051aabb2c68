//! Messages: which stand for each other, and what becomes of their fields.

use std::collections::{BTreeMap, BTreeSet};

use super::Input;
use super::fields::{self, side};
use super::model::{Change, FieldChange, MessageChange};
use super::words::short;
use crate::model::{Api, Message, Type};
use crate::plan::model::{
    ConversionPlan, Encoding, FieldKind, FieldPlan, How, MessagePlan, Piece, VariantPlan,
};

/// A newer message and what stands for it on the older side.
pub(super) struct Pair<'a> {
    pub(super) encoding: Encoding,
    /// The older model.
    pub(super) api: &'a Api,
    pub(super) new: &'a Message,
    /// None for a union, or for nothing at all.
    pub(super) old: Option<&'a Message>,
    /// Full name of the older type.
    pub(super) old_name: &'a str,
    /// None where only the names say that they belong together.
    pub(super) plan: Option<&'a MessagePlan>,
}

impl<'a> Pair<'a> {
    /// The plans of the fields, where there are any.
    pub(super) fn fields(&self) -> Option<&'a [FieldPlan]> {
        match &self.plan?.how {
            How::Fields(fields) => Some(fields),
            How::Bare { dropped, .. } => Some(dropped),
            How::Hook(_) | How::Tagged { .. } => None,
        }
    }

    pub(super) fn hook(&self) -> Option<&'a str> {
        match &self.plan?.how {
            How::Hook(name) => Some(name),
            _ => None,
        }
    }

    /// True when the plan makes one of the other, whatever happens on the way.
    pub(super) fn joins(&self, new: usize, old: usize) -> bool {
        let Some(plans) = self.fields() else {
            return false;
        };
        plans.iter().any(|plan| match &plan.kind {
            FieldKind::Carry { new: n, old: o, .. } => (*n, *o) == (new, old),
            FieldKind::Gather { new: n, old: o, .. } => *n == new && o.contains(&old),
            FieldKind::Template { old: o, pieces } => {
                *o == old && pieces.contains(&Piece::Field(new))
            }
            _ => false,
        })
    }
}

/// All pairs of both spellings.
pub(super) struct Pairs<'a> {
    input: &'a Input<'a>,
    pub(super) list: Vec<Pair<'a>>,
    /// Newer fields that a field of a message further out fills, by spelling, type and index: what
    /// fills them.
    lifted: BTreeMap<(Encoding, &'a str, usize), String>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        let mut pairs = Self {
            input,
            list: Vec::new(),
            lifted: BTreeMap::new(),
        };
        for (api, plan) in input.spellings() {
            pairs.add(api, plan);
        }
        let key = |pair: &Pair<'_>| {
            let new = short(input.new.api, &pair.new.proto_name).to_owned();
            (pair.encoding, new, pair.old_name.to_owned())
        };
        pairs.list.sort_by_cached_key(key);
        pairs
    }

    fn add(&mut self, api: &'a Api, plan: &'a ConversionPlan) {
        let encoding = plan.encoding;
        for each in &plan.messages {
            let Some(new) = self.input.new.api.messages.get(&each.new) else {
                continue;
            };
            let pair = Pair {
                encoding,
                api,
                new,
                old: api.messages.get(&each.old),
                old_name: &each.old,
                plan: Some(each),
            };
            self.note_lifted(&pair);
            self.list.push(pair);
        }
        // Types that no operation leads to, and those whose operations nobody has paired yet.
        let planned: BTreeSet<&str> = plan
            .messages
            .iter()
            .flat_map(|plan| [plan.new.as_str(), plan.old.as_str()])
            .collect();
        for new in self.input.new.api.messages.values() {
            let name = short(self.input.new.api, &new.proto_name);
            let old = api
                .messages
                .values()
                .find(|old| short(api, &old.proto_name) == name && !old.bare);
            let Some(old) = old else { continue };
            let taken = [new.proto_name.as_str(), old.proto_name.as_str()]
                .iter()
                .any(|name| planned.contains(name));
            if !taken {
                self.list.push(Pair {
                    encoding,
                    api,
                    new,
                    old: Some(old),
                    old_name: &old.proto_name,
                    plan: None,
                });
            }
        }
    }

    fn note_lifted(&mut self, pair: &Pair<'a>) {
        for plan in pair.fields().unwrap_or_default() {
            let FieldKind::Lift { new, old } = &plan.kind else {
                continue;
            };
            let path = fields::path(self.input.new.api, pair.new, new);
            let older = pair.old.and_then(|message| message.fields.get(*old));
            let (Some((message, index)), Some(older)) = (path.last(), older) else {
                continue;
            };
            let from = format!(
                "{}.{}",
                short(pair.api, pair.old_name),
                super::words::written(older, pair.encoding)
            );
            self.lifted
                .insert((pair.encoding, &message.proto_name, *index), from);
        }
    }

    /// What fills a newer field from further out.
    pub(super) fn lifted(&self, pair: &Pair<'a>, new: usize) -> Option<&String> {
        self.lifted
            .get(&(pair.encoding, pair.new.proto_name.as_str(), new))
    }

    /// What becomes of all messages.
    pub(super) fn rows(&self) -> Vec<MessageChange> {
        let mut rows = Vec::new();
        for (api, plan) in self.input.spellings() {
            let pairs = self
                .list
                .iter()
                .filter(|pair| pair.encoding == plan.encoding);
            rows.extend(pairs.map(|pair| self.row(pair)));
            rows.extend(self.alone(api, plan.encoding));
        }
        rows
    }

    fn row(&self, pair: &Pair<'a>) -> MessageChange {
        let plan = pair.plan;
        let losses = plan
            .map(|plan| plan.hook_losses.clone())
            .unwrap_or_default();
        MessageChange {
            spelling: pair.encoding.into(),
            change: self.change(pair),
            old: Some(short(pair.api, pair.old_name).to_owned()),
            new: Some(short(self.input.new.api, &pair.new.proto_name).to_owned()),
            how: plan.and_then(|plan| self.how(pair, plan)),
            fields: fields::rows(self.input, self, pair),
            up: losses.up,
            down: losses.down,
        }
    }

    fn change(&self, pair: &Pair<'_>) -> Change {
        let new = short(self.input.new.api, &pair.new.proto_name);
        let old = short(pair.api, pair.old_name);
        if new == old {
            return Change::Kept;
        }
        let has = |api: &Api, name: &str| {
            let mut messages = api.messages.values();
            messages.any(|message| short(api, &message.proto_name) == name)
        };
        let plain = pair.old.is_some_and(|old| !old.bare) && pair.hook().is_none();
        if plain && !has(pair.api, new) && !has(self.input.new.api, old) {
            Change::Renamed
        } else {
            Change::Reshaped
        }
    }

    fn how(&self, pair: &Pair<'_>, plan: &MessagePlan) -> Option<String> {
        match &plan.how {
            How::Fields(_) => None,
            How::Hook(name) => Some(format!("hook `{name}`")),
            How::Tagged { tag, variants, .. } => {
                let variant = |variant: &VariantPlan| {
                    let field = pair.new.fields.get(variant.new);
                    let new = field.map_or("", |field| &field.json_name);
                    format!("`{}` to `{new}`", variant.value)
                };
                let variants: Vec<String> = variants.iter().map(variant).collect();
                Some(format!("told apart by `{tag}`: {}", variants.join(", ")))
            }
            How::Bare { new, .. } => {
                let field = pair.new.fields.get(*new)?;
                Some(format!("the bare value of `{}`", field.json_name))
            }
        }
    }

    /// Messages that only one side has.
    fn alone(&self, api: &Api, encoding: Encoding) -> Vec<MessageChange> {
        let pairs = || self.list.iter().filter(|pair| pair.encoding == encoding);
        let newer: BTreeSet<&str> = pairs().map(|pair| pair.new.proto_name.as_str()).collect();
        let mut older: BTreeSet<&str> = pairs().map(|pair| pair.old_name).collect();
        for pair in pairs() {
            if let Some(How::Tagged { variants, .. }) = pair.plan.map(|plan| &plan.how) {
                older.extend(variants.iter().map(|variant| variant.old.as_str()));
            }
        }
        let mut rows = Vec::new();
        let row = |change, how| MessageChange {
            spelling: encoding.into(),
            change,
            old: None,
            new: None,
            how,
            fields: Vec::new(),
            up: Vec::new(),
            down: Vec::new(),
        };
        let new_messages = self.input.new.api.messages.values();
        // They are the same in both spellings of the older version.
        for message in new_messages.filter(|_| encoding == Encoding::Proto) {
            if !newer.contains(message.proto_name.as_str()) {
                let new_api = self.input.new.api;
                let field = |field| {
                    FieldChange::new(vec![Change::Added]).to(side(new_api, field, Encoding::Proto))
                };
                rows.push(MessageChange {
                    new: Some(short(new_api, &message.proto_name).to_owned()),
                    fields: message.fields.iter().map(field).collect(),
                    ..row(Change::Added, None)
                });
            }
        }
        let used = referred(api);
        for message in api.messages.values().filter(|message| !message.bare) {
            let full = message.proto_name.as_str();
            if older.contains(full) || (encoding == Encoding::Json && !used.contains(full)) {
                continue;
            }
            let name = short(api, &message.proto_name);
            let field =
                |field| FieldChange::new(vec![Change::Removed]).from(side(api, field, encoding));
            rows.push(MessageChange {
                old: Some(name.to_owned()),
                fields: message.fields.iter().map(field).collect(),
                ..row(Change::Removed, self.hook_of(name, encoding))
            });
        }
        rows
    }

    /// The hook that takes care of the fields of an older message.
    fn hook_of(&self, name: &str, encoding: Encoding) -> Option<String> {
        let is_of = |field: &String| field.rsplit_once('.').is_some_and(|(ty, _)| ty == name);
        let mut hooks = self.input.rules.hooks.iter();
        let hook = hooks.find(|hook| {
            let side = hook.old.get(encoding);
            side.is_some_and(|side| side.fields.iter().any(is_of))
        })?;
        Some(format!("hook `{}`", hook.rule.key))
    }
}

/// Names that fields, unions and operations refer to. What a schema declares besides is there to be
/// put into others, and never stands alone.
fn referred(api: &Api) -> BTreeSet<&str> {
    let fields = api.messages.values().flat_map(|message| &message.fields);
    let types = fields.filter_map(|field| match &field.ty {
        Type::Message(name) => Some(name.as_str()),
        _ => None,
    });
    let unions = api.unions.values().flat_map(|union| &union.variants);
    let methods = api.services.iter().flat_map(|service| &service.methods);
    types
        .chain(unions.map(|variant| variant.message.as_str()))
        .chain(methods.flat_map(|method| [method.request.as_str(), method.response.as_str()]))
        .collect()
}
