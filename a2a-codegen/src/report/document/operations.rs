//! Operations: names, routes, answers; and what requests are made of.

use super::super::model::{Change, Operation, OperationSide, Parameters, Report, Route, Spelling};
use super::super::routes::canonical;
use super::{Section, Table, ids, or_dash, sides, what};

pub(super) fn section(report: &Report) -> Section {
    let prefixed = |operation: &Operation| {
        let sides = operation.old.iter().chain(&operation.new);
        sides
            .flat_map(|side| &side.routes)
            .any(|route| route.prefixed)
    };
    let section = Section::new("operations", "Operations")
        .table(names(report))
        .table(routes(report))
        .table(answers(report));
    if report.operations.iter().any(prefixed) {
        return section.say(
            "Routes that only have a variable in front of another one are left out. What a profile \
             adds to the declared routes has a plus.",
        );
    }
    section
}

fn names(report: &Report) -> Table {
    let mut table = Table::new("Names", &["operation", "name", "JSON-RPC", "gRPC"]);
    for operation in &report.operations {
        let json_rpc = |side: &OperationSide| side.json_rpc.clone();
        table.row([
            name(operation),
            change(operation),
            both(operation, json_rpc),
            both(operation, |side| Some(side.name.clone())),
        ]);
    }
    table
}

/// `old → new`, or what both are.
fn both(operation: &Operation, of: impl Fn(&OperationSide) -> Option<String>) -> String {
    let of = |side: &Option<OperationSide>| {
        let name = side.as_ref().and_then(&of);
        or_dash(name.map(|name| format!("`{name}`")))
    };
    let (old, new) = (of(&operation.old), of(&operation.new));
    if old == new {
        return new;
    }
    format!("{old} → {new}")
}

fn name(operation: &Operation) -> String {
    let side = operation.new.as_ref().or(operation.old.as_ref());
    or_dash(side.map(|side| format!("`{}`", side.name)))
}

fn change(operation: &Operation) -> String {
    let word = match operation.change {
        Change::Renamed => "renamed",
        Change::Added => "new",
        Change::Removed => "went away",
        _ => "kept",
    };
    match &operation.refused {
        Some(id) => format!("{word}: refused with {id}"),
        None => word.to_owned(),
    }
}

fn routes(report: &Report) -> Table {
    let (old, new) = (&report.old.name, &report.new.name);
    let columns = [
        "operation".to_owned(),
        format!("HTTP {old}"),
        format!("HTTP {new}"),
    ];
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new("Routes", &columns);
    let all = |side: &Option<OperationSide>| {
        let routes = side.iter().flat_map(|side| &side.routes);
        let routes: Vec<String> = routes
            .filter(|route| !route.prefixed)
            .map(route_text)
            .collect();
        or_dash((!routes.is_empty()).then(|| routes.join(", ")))
    };
    for operation in &report.operations {
        table.row([name(operation), all(&operation.old), all(&operation.new)]);
    }
    table
        .rows
        .retain(|row| row.iter().skip(1).any(|cell| cell != "–"));
    table
}

fn route_text(route: &Route) -> String {
    let plus = if route.declared { "" } else { " +" };
    format!("`{} {}`{plus}", route.method, canonical(&route.path))
}

fn answers(report: &Report) -> Table {
    let columns = ["operation", "answer", &report.old.name, &report.new.name];
    let mut table = Table::new("Answers", &columns);
    for operation in &report.operations {
        let stream = |side: &OperationSide| {
            let many = if side.stream { "stream of " } else { "" };
            format!("{many}`{}`", side.response)
        };
        let (old, new) = (
            operation.old.as_ref().map(stream),
            operation.new.as_ref().map(stream),
        );
        table.row([
            name(operation),
            "type".to_owned(),
            or_dash(old),
            or_dash(new),
        ]);
        for answer in &operation.answers {
            let what = match answer.spelling {
                Spelling::Json => "form over JSON-RPC",
                Spelling::Proto | Spelling::Http => "form over HTTP and gRPC",
            };
            table.row([
                name(operation),
                what.to_owned(),
                answer.old.clone(),
                answer.new.clone(),
            ]);
        }
    }
    table
}

/// What requests are made of: a table for each operation and spelling.
pub(super) fn parameters(report: &Report) -> Section {
    let mut section = Section::new("parameters", "Parameters").say(
        "All fields of a request; of what is further inside, only what changes. Fields of the JSON \
         schema have their JSON names.",
    );
    let mut told: Vec<(&Parameters, String)> = Vec::new();
    for operation in &report.operations {
        for parameters in &operation.parameters {
            let title = format!(
                "{}: {}",
                plain(operation),
                super::spelling(parameters.spelling)
            );
            let same = told.iter().find(|(other, _)| *other == parameters);
            if let Some((_, as_in)) = same {
                section = section.say(format!("{title}: as {as_in}"));
                continue;
            }
            told.push((parameters, title.clone()));
            let columns = [&report.old.name, &report.new.name, "what changes", "losses"];
            let mut table = Table::new(title, &columns);
            for field in &parameters.fields {
                table.row([
                    sides(&field.old),
                    sides(&field.new),
                    what(field),
                    ids(&field.up, &field.down),
                ]);
            }
            section = section.table(table);
        }
    }
    section.or_say("No request has a field.")
}

fn plain(operation: &Operation) -> String {
    let side = operation.new.as_ref().or(operation.old.as_ref());
    side.map_or_else(String::new, |side| side.name.clone())
}
