//! Hooks for whole messages: every field of both sides must be in what they say they take care of.

use std::collections::BTreeSet;

use super::names::{Node, field as field_named};
use super::rules::{HookRule, fault};
use super::{Planner, Use, suggest};
use crate::model::{Message, Type};

impl<'a> Planner<'a> {
    /// The hook of a pair.
    pub(super) fn hook(&self, new: &Message, old_name: &str) -> Option<&'a HookRule> {
        self.rules.hooks.iter().find(|row| {
            let side = row.old.get(self.encoding);
            side.is_some_and(|side| self.old.means(&side.ty, old_name))
                && self.new.means(&row.new, &new.proto_name)
        })
    }

    /// Checks that a hook names all fields, and plans the pairs that it leaves to their own plans.
    pub(super) fn check_hook(&mut self, hook: &'a HookRule, new: &'a Message, old: Node<'a>) {
        for field in &new.fields {
            if !hook.fields.contains(&field.proto_name) {
                let fault = suggest::hook_misses(hook, new, field, "fields", &field.proto_name);
                self.faults.push(fault);
            }
        }
        for name in &hook.fields {
            if field_named(new, name).is_none() {
                let message = format!("`{}` has no field `{name}`", new.proto_name);
                self.faults
                    .push(fault(&hook.rule, message).hint("remove it from the fields of the hook"));
            }
        }
        let mut named: BTreeSet<&str> = hook
            .old
            .get(self.encoding)
            .map(|side| side.fields.iter().map(String::as_str).collect())
            .unwrap_or_default();
        let mut open = vec![old];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            match node {
                Node::Empty => {}
                Node::Union(union) => {
                    let variants = union.variants.iter().map(|each| each.message.as_str());
                    self.inside_hook(hook, variants.collect(), &mut open);
                }
                Node::Message(message) => {
                    if seen.insert(&message.proto_name) {
                        let inside = self.old_fields(hook, message, &mut named);
                        self.inside_hook(hook, inside, &mut open);
                    }
                }
            }
        }
        for name in named {
            let message = format!("`{name}` is no field of what the hook converts");
            self.faults
                .push(fault(&hook.rule, message).hint("remove it from the fields of the hook"));
        }
    }

    /// Checks the fields of an older message that a hook converts; gives the types in them.
    fn old_fields(
        &mut self,
        hook: &HookRule,
        message: &'a Message,
        named: &mut BTreeSet<&str>,
    ) -> Vec<&'a str> {
        let mut inside = Vec::new();
        for field in &message.fields {
            let name = named.iter().copied().find(|name| {
                let (ty, name) = name.rsplit_once('.').unwrap_or_default();
                self.old.means(ty, &message.proto_name)
                    && (field.proto_name == name || field.json_name == name)
            });
            match name {
                Some(name) => {
                    named.remove(name);
                }
                None => {
                    let name = super::names::written(field, self.is_json());
                    let line = format!("{}.{name}", self.old.short(&message.proto_name));
                    let list = format!("{}.fields", self.spelling());
                    self.faults
                        .push(suggest::hook_misses(hook, message, field, &list, &line));
                }
            }
            if let Type::Message(name) | Type::Union(name) = &field.ty {
                inside.push(name.as_str());
            }
        }
        inside
    }

    /// Types inside what a hook converts: pairs of their own, or the hook's.
    fn inside_hook(&mut self, hook: &HookRule, types: Vec<&str>, open: &mut Vec<Node<'a>>) {
        for old in types {
            let pair = hook.pairs.iter().find_map(|name| {
                let message = self.new.message(name)?;
                self.is_pair(&message.proto_name, old)
                    .then(|| message.proto_name.clone())
            });
            match pair {
                Some(new) => {
                    let place = Use {
                        what: format!("the hook `{}`", hook.rule.key),
                        origin: hook.rule.origin.clone(),
                    };
                    self.stand(&new, old, &place);
                }
                None => open.push(self.old.node(old)),
            }
        }
    }
}
