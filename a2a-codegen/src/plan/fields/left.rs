//! Fields that only one side has: as their rows say, or a fault.

use super::Making;
use super::kinds::{hook_losses, plain};
use crate::model::{Field, Message};
use crate::plan::model::{FieldKind, FieldPlan};
use crate::plan::names::field as field_named;
use crate::plan::outer::Owed;
use crate::plan::rules::{OnlyOldKind, OnlyOldRule};
use crate::plan::{Planner, suggest};

impl<'a> Planner<'a> {
    /// Newer fields that nothing of this older message stands for.
    pub(super) fn new_left(&mut self, making: &mut Making<'a>) {
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
    pub(super) fn has_counterpart(&self, new: &Message, field: &Field, inner: &Message) -> bool {
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
    pub(in crate::plan) fn alone(
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
    pub(super) fn old_left(&mut self, making: &mut Making<'a>) {
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

    pub(super) fn only_old_plan(&mut self, index: usize, row: &OnlyOldRule) -> Option<FieldPlan> {
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
    pub(super) fn only_old_row(&self, old: &Message, index: usize) -> Option<&'a OnlyOldRule> {
        self.rules.only_old.iter().find(|row| {
            let name = row.old.get(self.encoding).unwrap_or(&row.rule.key);
            let (ty, field) = name.rsplit_once('.').unwrap_or_default();
            self.old.means(ty, &old.proto_name) && field_named(old, field) == Some(index)
        })
    }
}
