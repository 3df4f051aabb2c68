//! Which changes break somebody: a peer that goes on as it was is refused or misunderstood.
//!
//! Comes in: the report. Goes out: a sentence for each such change. What was added, and what may now be
//! left out or told apart, breaks nobody.

use a2a_codegen::report::model::{
    Change, EnumChange, FieldChange, FieldSide, MessageChange, Operation, Report, Route,
};

/// Every change that breaks.
pub(super) fn breaking(report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    for trap in &report.traps {
        found.push(format!(
            "{} is taken for {}: {}",
            trap.old, trap.new, trap.why
        ));
    }
    for each in &report.operations {
        operation(each, &mut found);
    }
    for error in &report.errors {
        if let (Some(old), None) = (&error.old, &error.new) {
            found.push(format!("the error {} ({}) is gone", old.name, error.code));
        }
    }
    for each in &report.messages {
        message(each, &mut found);
    }
    for each in &report.enums {
        values(each, &mut found);
    }
    found
}

fn operation(operation: &Operation, found: &mut Vec<String>) {
    let Some(old) = &operation.old else { return };
    let name = &old.name;
    let Some(new) = &operation.new else {
        found.push(format!("the operation {name} is gone"));
        return;
    };
    if old.grpc != new.grpc {
        found.push(format!(
            "{name} is {} over gRPC, and was {}",
            new.grpc, old.grpc
        ));
    }
    if old.json_rpc.is_some() && old.json_rpc != new.json_rpc {
        let method = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        let (old, new) = (method(&old.json_rpc), method(&new.json_rpc));
        found.push(format!("{name} is {new} over JSON-RPC, and was {old}"));
    }
    for route in &old.routes {
        let same = |other: &Route| other.method == route.method && other.path == route.path;
        if !new.routes.iter().any(same) {
            found.push(format!(
                "{name} is no longer at {} {}",
                route.method, route.path
            ));
        }
    }
    if old.stream != new.stream {
        let now = if new.stream { "now" } else { "no longer" };
        found.push(format!("{name} {now} answers with a stream"));
    }
}

fn message(message: &MessageChange, found: &mut Vec<String>) {
    let Some(old) = &message.old else { return };
    if message.new.is_none() {
        found.push(format!("the message {old} is gone"));
        return;
    }
    for each in &message.fields {
        field(old, each, found);
    }
}

fn field(message: &str, field: &FieldChange, found: &mut Vec<String>) {
    let breaks: Vec<&str> = field
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::Renamed => Some("has another name"),
            Change::Renumbered => Some("has another number"),
            Change::Moved => Some("is elsewhere"),
            Change::Reshaped => Some("has another shape"),
            Change::Type => Some("has another type"),
            Change::Required => Some("has to be there now"),
            Change::Meaning => Some("means something else"),
            Change::Removed => Some("is gone"),
            Change::Kept | Change::Presence | Change::Optional | Change::Added => None,
        })
        .collect();
    if breaks.is_empty() {
        return;
    }
    let names = |sides: &[FieldSide]| {
        let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
        names.join(", ")
    };
    let mut told = match names(&field.old).as_str() {
        // Only what is required of the newer version.
        "" => format!("{message}.{}", names(&field.new)),
        old => format!("{message}.{old}"),
    };
    told.push(' ');
    told.push_str(&breaks.join(" and "));
    let (old, new) = (names(&field.old), names(&field.new));
    if !old.is_empty() && !new.is_empty() && old != new {
        told.push_str(&format!(": {new}"));
    }
    found.push(told);
}

fn values(each: &EnumChange, found: &mut Vec<String>) {
    for value in &each.values {
        match (&value.old, &value.new) {
            (Some(old), None) => found.push(format!("{}.{old} is gone", each.old)),
            (Some(old), Some(new)) if old != new => {
                found.push(format!("{}.{old} is {new} now", each.old));
            }
            _ => {}
        }
    }
}
