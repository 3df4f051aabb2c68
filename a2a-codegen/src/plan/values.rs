//! Values of enums: by name, or as a rule says.
//!
//! A JSON schema spells values as texts; there, `TASK_STATE_INPUT_REQUIRED` of an enum `TaskState`
//! has the name `input-required`.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToShoutySnakeCase;

use super::model::{EnumPlan, ValuePlan};
use super::rules::{OneValueRule, ValueRule, fault};
use super::{Planner, Use, suggest};
use crate::diagnostics::{Diagnostic, did_you_mean};
use crate::model::{Enum, EnumValue};

impl Planner<'_> {
    /// Notes that two enums stand for each other somewhere.
    pub(super) fn enums_stand(&mut self, new: &str, old: &str, at: &Use) {
        if let Some(plan) = self.enums.get(new) {
            if plan.old != old {
                let message = format!(
                    "`{new}` stands for the older `{old}` in {}, and for `{}` elsewhere",
                    at.what, plan.old
                );
                self.faults.push(
                    Diagnostic::new(at.origin.clone(), message)
                        .hint("there is no rule for this; declare two newer enums"),
                );
            }
            return;
        }
        let (Some(newer), Some(older)) = (self.new.api.enums.get(new), self.old.api.enums.get(old))
        else {
            return;
        };
        let mut rule = None;
        if self.new.short(new) != self.old.short(old) {
            let found = self.rules.types.iter().find(|row| {
                let mut names = row.old.get(self.encoding).into_iter().flatten();
                self.new.means(&row.rule.key, new) && names.any(|name| self.old.means(name, old))
            });
            let Some(found) = found else {
                let message = format!(
                    "`{new}` and the older `{old}` stand for each other in {}, but have other names",
                    at.what
                );
                let hint = suggest::type_pair(self, new, old);
                self.faults
                    .push(Diagnostic::new(at.origin.clone(), message).hint(hint));
                return;
            };
            self.mark("type", &found.rule.key);
            rule = Some(found.rule.clone());
        }
        let row = self
            .rules
            .values
            .iter()
            .find(|row| self.new.means(&row.rule.key, new));
        let mut plan = EnumPlan {
            new: new.to_owned(),
            old: old.to_owned(),
            values: Vec::new(),
            refused: BTreeMap::new(),
            only_old: BTreeMap::new(),
            unknown_loss: row.and_then(|row| row.unknown.get(self.encoding).cloned()),
            rule: row.map(|row| row.rule.clone()).or(rule),
        };
        if let Some(row) = row
            && row.unknown.get(self.encoding).is_some()
        {
            self.mark("value", &row.rule.key);
        }
        self.values(newer, older, row, &mut plan);
        self.enums.insert(new.to_owned(), plan);
    }

    fn values(&mut self, new: &Enum, old: &Enum, row: Option<&ValueRule>, plan: &mut EnumPlan) {
        let mut taken = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        for value in &new.values {
            // A second name of a number is the same value.
            if !numbers.insert(value.number) {
                continue;
            }
            let one = row.and_then(|row| row.values.get(&value.proto_name));
            if let (Some(row), Some(one)) = (row, one) {
                self.one_value(new, value, old, (row, one), plan, &mut taken);
                continue;
            }
            match self.same_value(new, value, old) {
                Some(older) => {
                    taken.insert(older.proto_name.clone());
                    plan.values.push(value_plan(value, older));
                }
                None => {
                    let message = format!(
                        "`{}` of `{}` has no older value",
                        value.proto_name, new.proto_name
                    );
                    let hint = suggest::value(self, new, value, old);
                    self.faults
                        .push(Diagnostic::new(new.origin.clone(), message).hint(hint));
                }
            }
        }
        self.unknown_names(new, row);
        for older in &old.values {
            if !taken.contains(&older.proto_name) {
                self.old_value(new, old, older, row, plan);
            }
        }
    }

    /// A value that a row is about.
    fn one_value(
        &mut self,
        new: &Enum,
        value: &EnumValue,
        old: &Enum,
        (row, one): (&ValueRule, &OneValueRule),
        plan: &mut EnumPlan,
        taken: &mut BTreeSet<String>,
    ) {
        let encoding = self.encoding;
        let section = format!("value.{}", row.rule.key);
        let named = one.old.get(encoding);
        let older = match named {
            Some(name) => old.values.iter().find(|each| each.proto_name == *name),
            None => self.same_value(new, value, old),
        };
        if let Some(older) = older {
            let (up, down) = (one.up.get(encoding), one.down.get(encoding));
            if named.is_some() || up.is_some() || down.is_some() {
                self.mark(&section, &one.rule.key);
            }
            // A stand-in takes the place of an older value going down alone.
            if down.is_none() {
                taken.insert(older.proto_name.clone());
            }
            plan.values.push(ValuePlan {
                up_loss: up.cloned(),
                down_loss: down.cloned(),
                ..value_plan(value, older)
            });
            return;
        }
        if let (None, Some(id)) = (named, one.refused.get(encoding)) {
            self.mark(&section, &one.rule.key);
            plan.refused.insert(value.number, id.clone());
            return;
        }
        let (message, hint) = match named {
            Some(name) => {
                let names = old.values.iter().map(|each| each.proto_name.as_str());
                let hint = match did_you_mean(name, names) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "write the name of an older value".to_owned(),
                };
                (
                    format!("the older `{}` has no value `{name}`", old.proto_name),
                    hint,
                )
            }
            None => (
                format!(
                    "`{}` of `{}` has no older value",
                    value.proto_name, new.proto_name
                ),
                suggest::value(self, new, value, old),
            ),
        };
        self.faults.push(fault(&one.rule, message).hint(hint));
    }

    /// The older value with the same name.
    fn same_value<'e>(
        &self,
        new: &Enum,
        value: &EnumValue,
        old: &'e Enum,
    ) -> Option<&'e EnumValue> {
        let name = if self.is_json() {
            json_text(self.new.short(&new.proto_name), &value.proto_name)
        } else {
            value.proto_name.clone()
        };
        let is = |each: &&EnumValue| each.proto_name == name || each.proto_name == value.proto_name;
        old.values.iter().find(is)
    }

    /// Rows about values that the newer enum does not have.
    fn unknown_names(&mut self, new: &Enum, row: Option<&ValueRule>) {
        for one in row.into_iter().flat_map(|row| row.values.values()) {
            let names = new.values.iter().map(|each| each.proto_name.as_str());
            let names: Vec<&str> = names.collect();
            if names.contains(&one.rule.key.as_str()) {
                continue;
            }
            let hint = match did_you_mean(&one.rule.key, names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "write the name of a newer value".to_owned(),
            };
            let message = format!("`{}` has no value `{}`", new.proto_name, one.rule.key);
            self.faults.push(fault(&one.rule, message).hint(hint));
        }
    }

    /// An older value that no newer one has the name of.
    fn old_value(
        &mut self,
        new: &Enum,
        old: &Enum,
        older: &EnumValue,
        row: Option<&ValueRule>,
        plan: &mut EnumPlan,
    ) {
        let rule = row.and_then(|row| Some((row, row.only_old.get(&older.proto_name)?)));
        let Some((row, stand_in)) = rule else {
            let message = format!(
                "the value `{}` of the older `{}` has no newer one",
                older.proto_name, old.proto_name
            );
            let hint = suggest::value_gone(self, new, older);
            self.faults
                .push(Diagnostic::new(old.origin.clone(), message).hint(hint));
            return;
        };
        self.mark(
            &format!("value.{}.only_old", row.rule.key),
            &stand_in.rule.key,
        );
        match new
            .values
            .iter()
            .find(|each| each.proto_name == stand_in.new)
        {
            Some(value) => {
                let becomes = (value.number, stand_in.loss.clone());
                plan.only_old.insert(older.proto_name.clone(), becomes);
            }
            None => {
                let message = format!("`{}` has no value `{}`", new.proto_name, stand_in.new);
                self.faults
                    .push(fault(&stand_in.rule, message).hint("write the name of a newer value"));
            }
        }
    }
}

fn value_plan(new: &EnumValue, old: &EnumValue) -> ValuePlan {
    ValuePlan {
        new: new.number,
        old: old.number,
        old_name: old.proto_name.clone(),
        up_loss: None,
        down_loss: None,
    }
}

/// How a JSON schema spells a value: without the enum's name, in small letters, with hyphens.
fn json_text(name: &str, value: &str) -> String {
    let prefix = format!("{}_", name.to_shouty_snake_case());
    let bare = value.strip_prefix(&prefix).unwrap_or(value);
    bare.to_lowercase().replace('_', "-")
}
