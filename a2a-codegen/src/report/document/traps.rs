//! Silent traps, those first that always pass.

use super::super::model::{Report, Trap, TrapKind};
use super::{Section, Table};

pub(super) fn section(report: &Report) -> Section {
    let fields = |title: &str, is: &dyn Fn(&Trap) -> bool| {
        let means = format!("{} means", report.old.name);
        let reads = format!("{} reads", report.new.name);
        let columns = [
            "message",
            &means,
            &reads,
            "what is the same",
            "the older one",
        ];
        let mut table = Table::new(title, &columns);
        table.warning = true;
        for trap in report.traps.iter().filter(|trap| is(trap)) {
            let (old, meant) = split(&trap.old);
            let (new, read) = split(&trap.new);
            let message = if old == new {
                format!("`{new}`")
            } else {
                format!("`{old}` → `{new}`")
            };
            let fields = [meant, read].map(|field| format!("`{field}`"));
            let cells = std::iter::once(message).chain(fields);
            table.row(cells.chain([trap.why.clone(), trap.instead.clone()]));
        }
        table
    };
    let number = |trap: &Trap| trap.kind == TrapKind::Number;
    let section = Section::new("traps", "Silent traps")
        .say(
            "What a receiver of the other version reads without an error, as something else; the \
             other way round it is the same. A pair of fields with one number is missing here only \
             where it is carried as it is.",
        )
        .table(fields("The same name, another thing", &|trap| {
            trap.kind == TrapKind::Name
        }))
        .table(fields(
            "The same field, one value of it another thing",
            &|trap| trap.kind == TrapKind::Value,
        ))
        .table(fields(
            "The same number, another thing: always read",
            &|trap| number(trap) && trap.always,
        ))
        .table(fields(
            "The same number, another thing: read where the bytes happen to fit",
            &|trap| number(trap) && !trap.always,
        ))
        .table(routes(report))
        .or_say("None were found.");
    if report.rules.file.is_none() {
        return section.say("Without rules, fields of equal names are taken to mean the same.");
    }
    section
}

fn routes(report: &Report) -> Table {
    let columns = [
        report.old.name.as_str(),
        report.new.name.as_str(),
        "what happens",
    ];
    let mut table = Table::new("The same path, another thing", &columns);
    table.warning = true;
    let traps = report.traps.iter();
    for trap in traps.filter(|trap| trap.kind == TrapKind::Route) {
        let [old, new] = [&trap.old, &trap.new].map(|name| format!("`{name}`"));
        table.row([old, new, format!("{}; {}", trap.why, trap.instead)]);
    }
    table
}

/// A type and a field of it.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}
