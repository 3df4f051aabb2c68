//! Reads a rules file and checks what can be checked without the schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::de::DeTable;

use super::table::{Members, Reader, Value};
use super::{
    AbsentRule, Direction, Each, FieldRule, HookRule, HookSide, MethodRule, OneValueRule,
    OnlyOldKind, OnlyOldRule, RuleRef, Rules, StandInRule, TypeRule, ValueRule, ViaRule,
};
use crate::diagnostics::{Diagnostic, Diagnostics, Texts, did_you_mean};
use crate::model::Origin;

/// What a file may consist of.
const SECTIONS: [&str; 9] = [
    "type",
    "hook",
    "field",
    "only_old",
    "value",
    "method",
    "only_old_method",
    "loss",
    "elsewhere",
];

/// Reads a rules file; `file` is the name that errors show.
///
/// # Errors
/// When the text is not TOML, when an entry is unknown or has a value that it cannot have, when a
/// row names a loss that the file does not declare, or when it declares one that nothing names.
pub fn read_rules(text: &str, file: &str) -> Result<Rules, Diagnostics> {
    let texts = Texts::from([(file.to_owned(), Arc::from(text))]);
    read(text, file)
        .map(|rules| Rules {
            texts: texts.clone(),
            ..rules
        })
        .map_err(|faults| faults.with_texts(&texts))
}

fn read(text: &str, file: &str) -> Result<Rules, Diagnostics> {
    let mut reader = RowReader {
        toml: Reader {
            text,
            file,
            faults: Diagnostics::new(),
        },
        named: Vec::new(),
    };
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        Diagnostic::new(reader.toml.origin(offset, ""), error.message())
    })?;
    let rules = reader.rules(document.get_ref());
    reader.check_losses(&rules);
    reader.toml.faults.into_result(rules)
}

pub(super) struct RowReader<'a> {
    pub(super) toml: Reader<'a>,
    /// Ids that rows name, on which way, and where.
    pub(super) named: Vec<(String, Option<Direction>, Origin)>,
}

impl<'a> RowReader<'a> {
    fn rules(&mut self, document: &DeTable<'a>) -> Rules {
        let mut rules = Rules::default();
        for (key, value) in document {
            let section: &str = key.get_ref();
            if section == "elsewhere" {
                rules.elsewhere = self.elsewhere(value);
                continue;
            }
            if !SECTIONS.contains(&section) {
                let hint = match did_you_mean(section, SECTIONS) {
                    Some(meant) => format!("did you mean `[{meant}]`?"),
                    None => format!("sections are {}", SECTIONS.join(", ")),
                };
                let message = format!("unknown section `{}`", section.escape_debug());
                self.toml.fault(key.span().start, message, &hint);
                continue;
            }
            for (rule, row) in self.toml.rows(value, section) {
                match section {
                    "type" => rules.types.extend(self.type_rule(rule, row)),
                    "hook" => rules.hooks.extend(self.hook_rule(rule, row)),
                    "field" => rules.fields.extend(self.field_rule(rule, row)),
                    "only_old" => rules.only_old.extend(self.only_old_rule(rule, row)),
                    "value" => rules.values.push(self.value_rule(rule, row)),
                    "method" => rules.methods.extend(self.method_rule(rule, row, true)),
                    "only_old_method" => {
                        rules
                            .only_old_methods
                            .extend(self.method_rule(rule, row, false));
                    }
                    _ => self.losses(&rule, row, &mut rules.losses),
                }
            }
        }
        rules
    }

    fn type_rule(&mut self, rule: RuleRef, row: &Value<'a>) -> Option<TypeRule> {
        let example = format!("{} = {{ proto = \"OldName\" }}", rule.key);
        let members = self.toml.members(row, &["proto", "json"], &example);
        let old = Each {
            proto: members
                .get("proto")
                .and_then(|value| self.toml.texts(value)),
            json: members.get("json").and_then(|value| self.toml.texts(value)),
        };
        self.says_something(!old.is_empty(), &rule, &example)?;
        Some(TypeRule { rule, old })
    }

    fn hook_rule(&mut self, rule: RuleRef, row: &Value<'a>) -> Option<HookRule> {
        let example = format!(
            "[hook.{}]\nnew = \"Type\"\nfields = [\"field\"]\nproto = {{ type = \"Type\", fields = [\"Type.field\"] }}",
            rule.key
        );
        let known = ["new", "fields", "proto", "json", "pairs", "loss"];
        let members = self.toml.members(row, &known, &example);
        let new = members.get("new").and_then(|value| self.toml.text(value));
        let old = Each {
            proto: members.get("proto").and_then(|value| self.hook_side(value)),
            json: members.get("json").and_then(|value| self.hook_side(value)),
        };
        self.says_something(!old.is_empty() && new.is_some(), &rule, &example)?;
        Some(HookRule {
            rule,
            new: new?,
            fields: self.list(members, "fields"),
            old,
            pairs: self.list(members, "pairs"),
            losses: self.hook_losses(members.get("loss")),
        })
    }

    fn hook_side(&mut self, value: &Value<'a>) -> Option<HookSide> {
        let example = "proto = { type = \"Type\", fields = [\"Type.field\"] }";
        let members = self.toml.members(value, &["type", "fields"], example);
        let Some(ty) = members.get("type") else {
            self.toml.fault(
                value.span().start,
                "the older type is missing".to_owned(),
                &format!("write it as in `{example}`"),
            );
            return None;
        };
        Some(HookSide {
            ty: self.toml.text(ty)?,
            fields: self.list(members, "fields"),
        })
    }

    fn list(&mut self, members: Members<'_, 'a>, key: &str) -> Vec<String> {
        let value = members.get(key);
        value
            .and_then(|value| self.toml.texts(value))
            .unwrap_or_default()
    }

    fn field_rule(&mut self, rule: RuleRef, row: &Value<'a>) -> Option<FieldRule> {
        let example = format!("\"{}\" = {{ proto = \"Type.old_name\" }}", rule.key);
        self.is_field(&rule, true);
        let known = [
            "proto",
            "json",
            "template",
            "via",
            "absent",
            "down",
            "read_also",
            "hook",
            "by",
            "loss",
            "drop",
        ];
        let members = self.toml.members(row, &known, &example);
        let drop = members.get("drop").map(|value| {
            self.toml
                .members(value, &["up", "down"], "drop = { down = \"D1\" }")
        });
        let dropped = |key| drop.and_then(|drop| drop.get(key));
        let parsed = FieldRule {
            old: Each {
                proto: members
                    .get("proto")
                    .and_then(|value| self.toml.texts(value)),
                json: members.get("json").and_then(|value| self.toml.texts(value)),
            },
            template: self.toml.each(members.get("template"), Reader::text),
            via: self.via(members.get("via")),
            absent: self.absent(members.get("absent")),
            always_down: self.always_down(members.get("down")),
            read_also: self.list(members, "read_also"),
            hook: members.get("hook").and_then(|value| self.toml.text(value)),
            by: members.get("by").and_then(|value| self.toml.text(value)),
            losses: self.hook_losses(members.get("loss")),
            drop_up: self.loss_id(dropped("up"), Direction::Up),
            drop_down: self.loss_id(dropped("down"), Direction::Down),
            rule,
        };
        let is_empty = parsed.old.is_empty()
            && parsed.template.is_empty()
            && parsed.via.is_empty()
            && parsed.absent.is_empty()
            && parsed.always_down.is_empty()
            && parsed.read_also.is_empty()
            && parsed.by.is_none()
            && parsed.drop_up.is_empty()
            && parsed.drop_down.is_empty();
        self.says_something(!is_empty, &parsed.rule, &example)?;
        Some(parsed)
    }

    fn via(&mut self, value: Option<&Value<'a>>) -> Each<ViaRule> {
        const WORDS: &str = "`not`, `zero_is_unset`, `first`, `lenient_time`, `empty_is_unset`, \
                             `{ one_of = \"D1\" }` or `{ hook = \"name\" }`";
        let via = self.toml.each(value, |toml, value| {
            if let Some(word) = value.get_ref().as_str() {
                let via = match word {
                    "not" => ViaRule::Not,
                    "zero_is_unset" => ViaRule::ZeroIsUnset,
                    "first" => ViaRule::First,
                    "lenient_time" => ViaRule::LenientTime,
                    "empty_is_unset" => ViaRule::EmptyIsUnset,
                    _ => {
                        let message = format!("no conversion is called `{}`", word.escape_debug());
                        toml.fault(value.span().start, message, &format!("write {WORDS}"));
                        return None;
                    }
                };
                return Some(via);
            }
            let members = toml.members(value, &["one_of", "hook"], "via = \"not\"");
            match (members.get("one_of"), members.get("hook")) {
                (Some(id), None) => toml.text(id).map(ViaRule::OneOf),
                (None, Some(name)) => toml.text(name).map(ViaRule::Hook),
                _ => {
                    toml.wrong(value, WORDS);
                    None
                }
            }
        });
        for rule in [&via.proto, &via.json].into_iter().flatten() {
            if let (ViaRule::OneOf(id), Some(value)) = (rule, value) {
                self.name(id.clone(), Direction::Down, value);
            }
        }
        via
    }

    fn absent(&mut self, value: Option<&Value<'a>>) -> Each<AbsentRule> {
        const EXAMPLE: &str =
            "absent = { value = true, loss = \"U1\" }` or `absent = { refused = \"U2\" }";
        let absent = self.toml.each(value, |toml, value| {
            if let Some(value) = value.get_ref().as_bool() {
                return Some(AbsentRule::Bool { value, loss: None });
            }
            let members = toml.members(value, &["value", "loss", "refused"], EXAMPLE);
            let truth = members.get("value").and_then(|value| toml.truth(value));
            let loss = members.get("loss").and_then(|value| toml.text(value));
            let refused = members.get("refused").and_then(|value| toml.text(value));
            match (truth, loss, refused) {
                (Some(value), loss, None) => Some(AbsentRule::Bool { value, loss }),
                (None, Some(loss), None) => Some(AbsentRule::Lost(loss)),
                (None, None, Some(id)) => Some(AbsentRule::Refused(id)),
                _ => {
                    let message = "what the absence means is not said".to_owned();
                    let hint = format!("write it as in `{EXAMPLE}`");
                    toml.fault(value.span().start, message, &hint);
                    None
                }
            }
        });
        for rule in [&absent.proto, &absent.json].into_iter().flatten() {
            let id = match rule {
                AbsentRule::Bool { loss, .. } => loss.as_ref(),
                AbsentRule::Lost(id) | AbsentRule::Refused(id) => Some(id),
            };
            if let (Some(id), Some(value)) = (id, value) {
                self.name(id.clone(), Direction::Up, value);
            }
        }
        absent
    }

    fn always_down(&mut self, value: Option<&Value<'a>>) -> Each<bool> {
        self.toml.each(value, |toml, value| {
            let word = value.get_ref().as_str();
            if word != Some("always") {
                toml.wrong(value, "`down = \"always\"`");
            }
            (word == Some("always")).then_some(true)
        })
    }

    fn only_old_rule(&mut self, rule: RuleRef, row: &Value<'a>) -> Option<OnlyOldRule> {
        let example = format!("\"{}\" = {{ drop = \"U1\" }}", rule.key);
        self.is_field(&rule, false);
        let known = ["proto", "json", "drop", "hook", "loss", "inline"];
        let members = self.toml.members(row, &known, &example);
        let old = Each {
            proto: members.get("proto").and_then(|value| self.toml.text(value)),
            json: members.get("json").and_then(|value| self.toml.text(value)),
        };
        let drop = self.loss_id(members.get("drop"), Direction::Up);
        let hook = members.get("hook").and_then(|value| self.toml.text(value));
        let losses = self.hook_losses(members.get("loss"));
        let inline = members
            .get("inline")
            .and_then(|value| self.toml.truth(value));
        let kind = match (hook, inline) {
            (Some(hook), None) if drop.is_empty() => OnlyOldKind::Hook { hook, losses },
            (None, Some(true)) if drop.is_empty() => OnlyOldKind::Inline,
            (None, None) if !drop.is_empty() => OnlyOldKind::Drop(drop),
            _ => {
                self.says_something(false, &rule, &example)?;
                return None;
            }
        };
        Some(OnlyOldRule { rule, old, kind })
    }

    fn value_rule(&mut self, rule: RuleRef, row: &Value<'a>) -> ValueRule {
        let example = format!(
            "[value.{}]\nvalues.NEW_NAME = {{ proto = \"OLD_NAME\" }}",
            rule.key
        );
        let members = self
            .toml
            .members(row, &["values", "only_old", "unknown"], &example);
        let mut values = BTreeMap::new();
        for (value, row) in members
            .get("values")
            .map(|rows| self.toml.rows(rows, "values"))
            .unwrap_or_default()
        {
            values.insert(value.key.clone(), self.one_value_rule(value, row));
        }
        let mut only_old = BTreeMap::new();
        for (value, row) in members
            .get("only_old")
            .map(|rows| self.toml.rows(rows, "only_old"))
            .unwrap_or_default()
        {
            let example = format!("{} = {{ new = \"NEW_NAME\", loss = \"U1\" }}", value.key);
            let members = self.toml.members(row, &["new", "loss"], &example);
            let new = members.get("new").and_then(|value| self.toml.text(value));
            let loss = members
                .get("loss")
                .and_then(|loss| self.toml.text(loss).map(|id| (id, loss)));
            let (Some(new), Some((loss, place))) = (new, loss) else {
                let _ = self.says_something(false, &value, &example);
                continue;
            };
            self.name(loss.clone(), Direction::Up, place);
            only_old.insert(
                value.key.clone(),
                StandInRule {
                    rule: value,
                    new,
                    loss,
                },
            );
        }
        ValueRule {
            rule,
            values,
            only_old,
            unknown: self.loss_id(members.get("unknown"), Direction::Up),
        }
    }

    fn one_value_rule(&mut self, rule: RuleRef, row: &Value<'a>) -> OneValueRule {
        let example = format!("{} = {{ proto = \"OLD_NAME\" }}", rule.key);
        let known = ["proto", "json", "loss", "refused"];
        let members = self.toml.members(row, &known, &example);
        let loss = members.get("loss").map(|value| {
            self.toml
                .members(value, &["up", "down"], "loss = { down = \"D1\" }")
        });
        let lost = |key| loss.and_then(|loss| loss.get(key));
        OneValueRule {
            rule,
            old: Each {
                proto: members.get("proto").and_then(|value| self.toml.text(value)),
                json: members.get("json").and_then(|value| self.toml.text(value)),
            },
            up: self.loss_id(lost("up"), Direction::Up),
            down: self.loss_id(lost("down"), Direction::Down),
            refused: self.loss_id(members.get("refused"), Direction::Down),
        }
    }

    fn method_rule(&mut self, rule: RuleRef, row: &Value<'a>, newer: bool) -> Option<MethodRule> {
        let id = if newer { "D1" } else { "U1" };
        let example = format!("{} = {{ refused = \"{id}\" }}", rule.key);
        let known: &[&str] = if newer {
            &["proto", "json", "response", "refused"]
        } else {
            &["refused"]
        };
        let members = self.toml.members(row, known, &example);
        let old = Each {
            proto: members.get("proto").and_then(|value| self.toml.text(value)),
            json: members.get("json").and_then(|value| self.toml.text(value)),
        };
        let response = self.toml.each(members.get("response"), Reader::text);
        let refused = members.get("refused");
        if let Some(value) = refused
            && let Some(id) = self.toml.text(value)
        {
            let direction = if newer {
                Direction::Down
            } else {
                Direction::Up
            };
            self.name(id, direction, value);
        }
        let refused = refused.and_then(|value| value.get_ref().as_str().map(str::to_owned));
        let does = !old.is_empty() || !response.is_empty() || refused.is_some();
        self.says_something(does, &rule, &example)?;
        Some(MethodRule {
            rule,
            old,
            response,
            refused,
        })
    }

    /// Keys of fields are `Type.field`.
    fn is_field(&mut self, rule: &RuleRef, wildcard: bool) {
        let (ty, field) = rule.key.rsplit_once('.').unwrap_or_default();
        if ty.is_empty() || field.is_empty() || (ty == "*" && !wildcard) {
            let message = format!("`{}` is no field", rule.key.escape_debug());
            let fault = Diagnostic::new(rule.origin.clone(), message);
            self.toml
                .faults
                .push(fault.hint("write its type too, in quotes: `\"Type.field\"`"));
        }
    }

    /// A row that says nothing, or not enough, is a fault.
    fn says_something(&mut self, does: bool, rule: &RuleRef, example: &str) -> Option<()> {
        if !does {
            let message = format!("the row `{}` does not say what to do", rule.key);
            let fault = Diagnostic::new(rule.origin.clone(), message);
            self.toml
                .faults
                .push(fault.hint(format!("write it as in `{example}`")));
        }
        does.then_some(())
    }
}
