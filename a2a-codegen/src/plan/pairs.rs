//! Pairs of types: which older type stands for which newer one, and how.

use std::collections::BTreeSet;

use super::model::{FieldPlan, HookLosses, How, MessagePlan, RuleRef, VariantPlan};
use super::names::{EMPTY, Node};
use super::rules::TypeRule;
use super::types::describe;
use super::{Pair, Planner, Use, fields, suggest};
use crate::diagnostics::Diagnostic;
use crate::model::{Message, Type, Union};

impl<'a> Planner<'a> {
    /// Notes that two types stand for each other somewhere; gives the names of the pair that the
    /// plan has for them.
    pub(super) fn stand(&mut self, new: &str, old: &str, at: &Use) -> Option<(String, String)> {
        let new_node = self.new.node(new);
        let Node::Message(message) = new_node else {
            return self.nothing_new(old, at);
        };
        let old_node = self.old.node(old);
        let old_name = match old_node {
            Node::Message(older) => older.proto_name.clone(),
            Node::Union(union) => match self.chosen(message, union) {
                Some((variant, rule)) => {
                    let name = variant.proto_name.clone();
                    self.enqueue(message, Node::Message(variant), &name, Some(rule));
                    return Some((message.proto_name.clone(), name));
                }
                None => union.name.clone(),
            },
            Node::Empty => EMPTY.to_owned(),
        };
        let rule = self.type_rule(message, old_node, &old_name, at)?;
        self.enqueue(message, old_node, &old_name, rule);
        Some((message.proto_name.clone(), old_name))
    }

    fn enqueue(&mut self, new: &'a Message, old: Node<'a>, old_name: &str, rule: Option<RuleRef>) {
        if self
            .seen
            .insert((new.proto_name.clone(), old_name.to_owned()))
        {
            self.queue.push_back(Pair { new, old, rule });
        }
    }

    /// The newer side says nothing: the older one must not say anything either.
    fn nothing_new(&mut self, old: &str, at: &Use) -> Option<(String, String)> {
        if let Node::Message(message) = self.old.node(old)
            && !message.fields.is_empty()
        {
            let message = format!("`{old}` stands for nothing in {}", at.what);
            self.faults.push(
                Diagnostic::new(at.origin.clone(), message)
                    .hint("there is no rule for this; let the newer side have a message here"),
            );
        }
        None
    }

    /// The rule that pairs two types; `Some(None)` when none is needed.
    #[allow(
        clippy::option_option,
        reason = "the outer one says that they are no pair"
    )]
    fn type_rule(
        &mut self,
        new: &Message,
        old: Node<'a>,
        old_name: &str,
        at: &Use,
    ) -> Option<Option<RuleRef>> {
        let is_shapeless = match old {
            Node::Message(message) => message.bare,
            Node::Union(_) => false,
            Node::Empty => true,
        };
        let equal = self.new.short(&new.proto_name) == self.old.short(old_name);
        if is_shapeless || equal || self.hook(new, old_name).is_some() {
            return Some(None);
        }
        if let Some(rule) = self.rule_of(new, old_name) {
            let rule = rule.rule.clone();
            self.mark("type", &rule.key);
            return Some(Some(rule));
        }
        let message = format!(
            "`{}` and the older `{old_name}` stand for each other in {}, but have other names",
            new.proto_name, at.what
        );
        let hint = suggest::type_pair(self, &new.proto_name, old_name);
        self.faults
            .push(Diagnostic::new(at.origin.clone(), message).hint(hint));
        None
    }

    fn rule_of(&self, new: &Message, old_name: &str) -> Option<&'a TypeRule> {
        self.rules.types.iter().find(|row| {
            let mut names = row.old.get(self.encoding).into_iter().flatten();
            self.new.means(&row.rule.key, &new.proto_name)
                && names.any(|name| self.old.means(name, old_name))
        })
    }

    /// The variant of a union that a rule picks because it has all fields of the others.
    fn chosen(&mut self, new: &Message, union: &Union) -> Option<(&'a Message, RuleRef)> {
        let variants: Vec<&'a Message> = union
            .variants
            .iter()
            .filter_map(|variant| self.old.api.messages.get(&variant.message))
            .collect();
        let (variant, rule) = variants
            .iter()
            .find_map(|each| Some((*each, self.rule_of(new, &each.proto_name)?)))?;
        // A rule may also name the variants one by one, for members of a oneof.
        if !new.oneofs.is_empty() {
            return None;
        }
        self.mark("type", &rule.rule.key);
        for other in variants {
            for field in &other.fields {
                let same = variant.fields.iter().any(|has| {
                    has.json_name == field.json_name
                        && has.ty == field.ty
                        && has.cardinality == field.cardinality
                });
                if !same {
                    let message = format!(
                        "`{}` may also be `{}`, whose field `{}` is not in `{}`",
                        union.name, other.proto_name, field.json_name, variant.proto_name
                    );
                    let fault = super::rules::fault(&rule.rule, message)
                        .also(field.origin.clone(), "the field")
                        .hint("name a hook for the whole type, under `[hook]`");
                    self.faults.push(fault);
                }
            }
        }
        Some((variant, rule.rule.clone()))
    }

    /// Plans a pair.
    pub(super) fn pair(&mut self, pair: &Pair<'a>) {
        let new = pair.new;
        let old_name = match pair.old {
            Node::Message(message) => message.proto_name.as_str(),
            Node::Union(union) => &union.name,
            Node::Empty => EMPTY,
        };
        let mut rule = pair.rule.clone();
        let mut hook_losses = HookLosses::default();
        let how = if let Some(hook) = self.hook(new, old_name) {
            self.mark("hook", &hook.rule.key);
            rule = Some(hook.rule.clone());
            hook_losses = fields::hook_losses(&hook.losses, self.encoding);
            self.check_hook(hook, new, pair.old);
            How::Hook(hook.rule.key.clone())
        } else {
            match pair.old {
                Node::Union(union) => self.tagged(new, union),
                Node::Message(old) if old.bare => self.bare(new, old),
                Node::Message(old) => How::Fields(self.fields(new, Some(old))),
                Node::Empty => How::Fields(self.fields(new, None)),
            }
        };
        self.messages.push(MessagePlan {
            new: new.proto_name.clone(),
            old: old_name.to_owned(),
            how,
            hook_losses,
            rule,
        });
    }

    /// One of several objects, for a oneof.
    fn tagged(&mut self, new: &'a Message, union: &'a Union) -> How {
        let fail = |planner: &mut Self, why: &str| {
            let message = format!(
                "`{}` cannot stand for the older union `{}`: {why}",
                new.proto_name, union.name
            );
            let hint = suggest::hook(planner, new, &union.name);
            planner.faults.push(
                Diagnostic::new(new.origin.clone(), message)
                    .also(union.origin.clone(), "the union")
                    .hint(hint),
            );
        };
        let mut variants = Vec::new();
        let tag = union.tag.clone().unwrap_or_default();
        let (Some(oneof), None) = (new.oneofs.first(), new.oneofs.get(1)) else {
            fail(self, "it has not exactly one oneof");
            return no_variants(tag);
        };
        if union.tag.is_none() {
            fail(self, "its objects have no member that tells them apart");
        }
        let mut taken = BTreeSet::new();
        for variant in &union.variants {
            let member = oneof.fields.iter().copied().find(|index| {
                let ty = new.fields.get(*index).map(|field| &field.ty);
                let Some(Type::Message(name)) = ty else {
                    return false;
                };
                !taken.contains(index) && self.is_pair(name, &variant.message)
            });
            let (Some(member), Some(value)) = (member, &variant.tag_value) else {
                fail(
                    self,
                    &format!("no member of its oneof stands for `{}`", variant.message),
                );
                continue;
            };
            taken.insert(member);
            if let Some(Type::Message(name)) = new.fields.get(member).map(|field| &field.ty) {
                let place = Use {
                    what: format!("`{}`", new.proto_name),
                    origin: new.origin.clone(),
                };
                self.stand(name, &variant.message, &place);
            }
            variants.push(VariantPlan {
                value: value.clone(),
                old: variant.message.clone(),
                new: member,
            });
        }
        let dropped = (0..new.fields.len())
            .filter(|index| !taken.contains(index))
            .filter_map(|index| self.alone(new, index, None))
            .collect();
        How::Tagged {
            oneof: 0,
            tag,
            variants,
            dropped,
        }
    }

    /// True when two types have the same name, or a rule or a hook pairs them.
    pub(super) fn is_pair(&self, new: &str, old: &str) -> bool {
        let Some(message) = self.new.api.messages.get(new) else {
            return false;
        };
        self.new.short(new) == self.old.short(old)
            || self.rule_of(message, old).is_some()
            || self.hook(message, old).is_some()
    }

    /// A list or map that stands where the newer side has a message around it.
    fn bare(&mut self, new: &'a Message, old: &'a Message) -> How {
        let value = old.fields.first();
        let fits = |index: &usize| {
            let (Some(new), Some(old)) = (new.fields.get(*index), value) else {
                return false;
            };
            new.cardinality == old.cardinality
        };
        let mut found = (0..new.fields.len()).filter(fits);
        let (Some(field), None) = (found.next(), found.next()) else {
            let what = value.map_or_else(String::new, describe);
            let message = format!(
                "`{}` cannot stand for {what}, which is what the older side has: it has not exactly \
                 one such field",
                new.proto_name
            );
            let hint = suggest::hook(self, new, &old.proto_name);
            self.faults
                .push(Diagnostic::new(new.origin.clone(), message).hint(hint));
            return How::Bare {
                new: 0,
                dropped: Vec::new(),
            };
        };
        if let (Some(newer), Some(older)) = (new.fields.get(field), value) {
            self.relate_fields(new, newer, old, older, &super::model::Via::Same, None);
        }
        let dropped: Vec<FieldPlan> = (0..new.fields.len())
            .filter(|index| *index != field)
            .filter_map(|index| self.alone(new, index, None))
            .collect();
        How::Bare {
            new: field,
            dropped,
        }
    }
}

/// What stands in for a plan that could not be made.
fn no_variants(tag: String) -> How {
    How::Tagged {
        oneof: 0,
        tag,
        variants: Vec::new(),
        dropped: Vec::new(),
    }
}
