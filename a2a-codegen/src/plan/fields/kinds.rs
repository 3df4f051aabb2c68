//! What is done with a field of its own: carried, gathered from several, or cut out of a text.

use super::{Making, set};
use crate::diagnostics::Diagnostic;
use crate::model::{Field, Message, Type};
use crate::plan::model::{Absent, Encoding, FieldKind, FieldPlan, HookLosses, RuleRef, Via};
use crate::plan::rules::{AbsentRule, Each, FieldRule, HookLossRule, ViaRule, fault};
use crate::plan::types::{Inside, needs_default, relate};
use crate::plan::{Planner, Use, suggest, template};

impl<'a> Planner<'a> {
    pub(super) fn gather(
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
    pub(super) fn carry(
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
    pub(in crate::plan) fn relate_fields(
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

    /// A text with newer fields in it.
    pub(super) fn template(
        &mut self,
        making: &mut Making<'a>,
        index: usize,
        olds: &[usize],
        text: &str,
        row: &FieldRule,
    ) -> FieldPlan {
        let new = making.new;
        let pieces = template::pieces(text, new);
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
        let fields = template::fields(&pieces);
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
}

/// A plan without losses.
pub(super) fn plain(kind: FieldKind, rule: Option<RuleRef>) -> FieldPlan {
    FieldPlan {
        kind,
        up_loss: None,
        down_loss: None,
        hook_losses: HookLosses::default(),
        rule,
    }
}

/// Losses as they are in one spelling.
pub(in crate::plan) fn hook_losses(losses: &HookLossRule, encoding: Encoding) -> HookLosses {
    let of = |each: &Each<Vec<String>>| each.get(encoding).cloned();
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

pub(super) fn place_of(message: &Message, field: Option<&Field>) -> Use {
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
