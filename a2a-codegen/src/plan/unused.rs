//! Rules that do nothing: a fault, since they say something about a schema that is not so.

use std::collections::BTreeSet;

use super::model::RuleRef;
use super::rules::{Rules, fault};
use crate::diagnostics::Diagnostics;

/// Notes every rule that no plan used.
pub(super) fn check(rules: &Rules, used: &BTreeSet<String>, faults: &mut Diagnostics) {
    let mut row = |section: &str, rule: &RuleRef| {
        if used.contains(&format!("{section}.{}", rule.key)) {
            return;
        }
        let message = format!("the row `{}` of `[{section}]` changes nothing", rule.key);
        faults.push(fault(rule, message).hint(format!(
            "remove it, or correct a name in it: {}",
            what(section)
        )));
    };
    for rule in &rules.types {
        row("type", &rule.rule);
    }
    for rule in &rules.hooks {
        row("hook", &rule.rule);
    }
    for rule in &rules.fields {
        row("field", &rule.rule);
    }
    for rule in &rules.only_old {
        row("only_old", &rule.rule);
    }
    for rule in &rules.methods {
        row("method", &rule.rule);
    }
    for rule in &rules.only_old_methods {
        row("only_old_method", &rule.rule);
    }
    for rule in &rules.values {
        if rule.values.is_empty() && rule.only_old.is_empty() {
            row("value", &rule.rule);
        }
        for one in rule.values.values() {
            row(&format!("value.{}", rule.rule.key), &one.rule);
        }
        for one in rule.only_old.values() {
            row(&format!("value.{}.only_old", rule.rule.key), &one.rule);
        }
    }
}

/// What a section is about.
fn what(section: &str) -> &'static str {
    match section {
        "type" => "a newer type and older ones of another name that stand in the same place",
        "hook" => "a newer type, and the older type that stands in its place",
        "field" => "a newer field that has no older one of its name, or a change of its value",
        "only_old" => "an older field that no newer one stands for",
        "method" => "a newer operation that has no older one of its name",
        "only_old_method" => "an older operation that no newer one stands for",
        _ => "a newer value that has no older one of its name",
    }
}
