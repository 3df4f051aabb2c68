//! Enums: which values stand for each other.

use super::Input;
use super::model::{EnumChange, ValueChange};
use super::words::short;
use crate::model::{Api, Enum};
use crate::plan::model::EnumPlan;

/// All enums that stand for each other.
pub(super) fn enums(input: &Input<'_>) -> Vec<EnumChange> {
    let mut enums = Vec::new();
    for (api, plan) in input.spellings() {
        for each in plan.enums.values() {
            let Some(new) = input.new.api.enums.get(&each.new) else {
                continue;
            };
            enums.push(EnumChange {
                spelling: plan.encoding.into(),
                old: short(api, &each.old).to_owned(),
                new: short(input.new.api, &each.new).to_owned(),
                values: values(api, new, each),
            });
        }
    }
    enums
}

fn values(api: &Api, new: &Enum, plan: &EnumPlan) -> Vec<ValueChange> {
    let mut values = Vec::new();
    for value in &new.values {
        let stands = plan.values.iter().find(|stands| stands.new == value.number);
        let refused = plan.refused.get(&value.number);
        values.push(ValueChange {
            old: stands.map(|stands| stands.old_name.clone()),
            new: Some(value.proto_name.clone()),
            up: stands
                .and_then(|stands| stands.up_loss.clone())
                .into_iter()
                .collect(),
            down: stands
                .and_then(|stands| stands.down_loss.clone())
                .or_else(|| refused.cloned())
                .into_iter()
                .collect(),
        });
    }
    for (old, (number, loss)) in &plan.only_old {
        let became = new.values.iter().find(|value| value.number == *number);
        values.push(ValueChange {
            old: Some(old.clone()),
            new: became.map(|value| value.proto_name.clone()),
            up: vec![loss.clone()],
            down: Vec::new(),
        });
    }
    // Values that nobody has paired yet.
    let known: Vec<String> = values
        .iter()
        .filter_map(|value| value.old.clone())
        .collect();
    let olds = api
        .enums
        .get(&plan.old)
        .into_iter()
        .flat_map(|old| &old.values);
    for value in olds.filter(|value| !known.contains(&value.proto_name)) {
        values.push(ValueChange {
            old: Some(value.proto_name.clone()),
            new: None,
            up: Vec::new(),
            down: Vec::new(),
        });
    }
    values
}
