//! Reads what a rules file declares to be lost, and the ids that its rows name.

use std::collections::BTreeMap;

use super::read::RowReader;
use super::table::{Reader, Value};
use super::{Direction, Each, HookLossRule, LossRule, RuleRef, Rules};
use crate::diagnostics::Diagnostic;

impl<'a> RowReader<'a> {
    pub(super) fn elsewhere(&mut self, value: &Value<'a>) -> Vec<RuleRef> {
        let Some(list) = value.get_ref().as_array() else {
            self.toml.wrong(value, "a list of ids");
            return Vec::new();
        };
        let mut ids = Vec::new();
        for each in list {
            if let Some(id) = self.toml.text(each) {
                let origin = self.toml.origin(each.span().start, &id);
                self.named.push((id.clone(), None, origin.clone()));
                ids.push(RuleRef { key: id, origin });
            }
        }
        ids
    }

    pub(super) fn losses(
        &mut self,
        rule: &RuleRef,
        row: &Value<'a>,
        losses: &mut BTreeMap<String, LossRule>,
    ) {
        let direction = match rule.key.as_str() {
            "up" => Some(Direction::Up),
            "down" => Some(Direction::Down),
            "both" => None,
            _ => {
                let message = format!("`loss.{}` is no direction", rule.key.escape_debug());
                let fault = Diagnostic::new(rule.origin.clone(), message);
                self.toml.faults.push(fault.hint(
                    "write `[loss.up]`, `[loss.down]` or `[loss.both]`: up is from the older version to the newer",
                ));
                return;
            }
        };
        for (id, text) in self.toml.rows(row, &format!("loss.{}", rule.key)) {
            let Some(text) = self.toml.text(text) else {
                continue;
            };
            let declared = LossRule {
                text,
                direction,
                origin: id.origin.clone(),
            };
            if let Some(first) = losses.insert(id.key.clone(), declared) {
                let message = format!("the loss `{}` is declared twice", id.key.escape_debug());
                let fault = Diagnostic::new(id.origin, message)
                    .also(first.origin, "the first time")
                    .hint("every id has one meaning; what is lost on both ways stands in `[loss.both]`");
                self.toml.faults.push(fault);
            }
        }
    }

    /// Rows name declared losses of their own direction, and every declared loss is named.
    pub(super) fn check_losses(&mut self, rules: &Rules) {
        for (id, direction, origin) in std::mem::take(&mut self.named) {
            let fault = match (rules.losses.get(&id), direction) {
                (None, _) => {
                    let section = match direction {
                        Some(Direction::Up) => "loss.up",
                        Some(Direction::Down) => "loss.down",
                        None => "loss.up` or `loss.down",
                    };
                    let message = format!("the loss `{}` is not declared", id.escape_debug());
                    Diagnostic::new(origin, message).hint(format!(
                        "write under `[{section}]`: `{id} = \"what is lost\"`"
                    ))
                }
                (Some(loss), Some(wanted)) if loss.direction.is_some_and(|only| only != wanted) => {
                    let message = format!(
                        "the loss `{}` is declared for the other direction",
                        id.escape_debug()
                    );
                    Diagnostic::new(origin, message)
                        .also(loss.origin.clone(), "declared here")
                        .hint("up is from the older version to the newer one")
                }
                _ => {
                    self.named.push((id, direction, origin));
                    continue;
                }
            };
            self.toml.faults.push(fault);
        }
        for (id, loss) in &rules.losses {
            if !self.named.iter().any(|(named, ..)| named == id) {
                let message = format!("no row names the loss `{}`", id.escape_debug());
                let fault = Diagnostic::new(loss.origin.clone(), message);
                self.toml.faults.push(fault.hint(format!(
                    "remove it, or write `elsewhere = [\"{id}\"]` when it is noted outside of messages"
                )));
            }
        }
    }

    /// `loss = { up = …, down = … }`, each one id or several, or different ones for each spelling.
    pub(super) fn hook_losses(&mut self, value: Option<&Value<'a>>) -> HookLossRule {
        let Some(value) = value else {
            return HookLossRule::default();
        };
        let members = self
            .toml
            .members(value, &["up", "down"], "loss = { up = \"U1\" }");
        HookLossRule {
            up: self.loss_ids(members.get("up"), Direction::Up),
            down: self.loss_ids(members.get("down"), Direction::Down),
        }
    }

    pub(super) fn loss_ids(
        &mut self,
        value: Option<&Value<'a>>,
        direction: Direction,
    ) -> Each<Vec<String>> {
        let ids = self.toml.each(value, Reader::texts);
        for id in [&ids.proto, &ids.json].into_iter().flatten().flatten() {
            if let Some(value) = value {
                self.name(id.clone(), direction, value);
            }
        }
        ids
    }

    pub(super) fn loss_id(
        &mut self,
        value: Option<&Value<'a>>,
        direction: Direction,
    ) -> Each<String> {
        let ids = self.toml.each(value, Reader::text);
        for id in [&ids.proto, &ids.json].into_iter().flatten() {
            if let Some(value) = value {
                self.name(id.clone(), direction, value);
            }
        }
        ids
    }

    pub(super) fn name(&mut self, id: String, direction: Direction, value: &Value<'a>) {
        let origin = self.toml.origin(value.span().start, &id);
        self.named.push((id, Some(direction), origin));
    }
}
