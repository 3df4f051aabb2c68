//! Messages and enums: which stand for each other, and every field that changes.

use super::super::model::{Change, FieldChange, MessageChange, Report, Spelling};
use super::{Section, Table, code_list, ids, or_dash, sides, what};

pub(super) fn section(report: &Report) -> Section {
    let mut section = Section::new("messages", "Messages and fields");
    for spelling in [Spelling::Proto, Spelling::Json] {
        let of: Vec<&MessageChange> = report
            .messages
            .iter()
            .filter(|message| message.spelling == spelling)
            .collect();
        if of.is_empty() {
            continue;
        }
        let title = |what: &str| format!("{what}: {}", super::spelling(spelling));
        section = section
            .table(types(report, &of, title("Messages")))
            .table(fields(report, &of, title("Fields that change")))
            .table(required(&of, title("Fields that are required now")));
    }
    section.or_say("Neither version has messages.")
}

fn types(report: &Report, messages: &[&MessageChange], title: String) -> Table {
    let columns = [
        &report.old.name,
        &report.new.name,
        "what changes",
        "fields that do",
        "losses",
    ];
    let mut table = Table::new(title, &columns);
    for message in messages {
        let name = |name: &Option<String>| or_dash(name.as_ref().map(|name| format!("`{name}`")));
        table.row([
            name(&message.old),
            name(&message.new),
            in_words(message),
            format!(
                "{} of {}",
                message.fields.iter().filter(|field| changes(field)).count(),
                message.fields.len()
            ),
            ids(&message.up, &message.down),
        ]);
    }
    table
}

fn in_words(message: &MessageChange) -> String {
    let word = match message.change {
        Change::Renamed => "renamed",
        Change::Added => "new",
        Change::Removed => "went away",
        Change::Reshaped => "reshaped",
        _ => "",
    };
    match (&message.how, word) {
        (Some(how), "") => how.clone(),
        (Some(how), word) => format!("{word}, {how}"),
        (None, "") => "the same name".to_owned(),
        (None, word) => word.to_owned(),
    }
}

/// True when something about a field changes, but for that it has to be there now.
fn changes(field: &FieldChange) -> bool {
    let more = |change: &Change| *change != Change::Required;
    field.changes.iter().any(more)
        || !field.how.is_empty()
        || !field.up.is_empty()
        || !field.down.is_empty()
}

fn fields(report: &Report, messages: &[&MessageChange], title: String) -> Table {
    let (old, new) = (&report.old.name, &report.new.name);
    let columns = ["message", old, new, "what changes", "losses"];
    let mut table = Table::new(title, &columns);
    for message in messages {
        if matches!(message.change, Change::Added | Change::Removed) {
            continue;
        }
        for field in message.fields.iter().filter(|field| changes(field)) {
            table.row([
                name(message),
                sides(&field.old),
                sides(&field.new),
                what(field),
                ids(&field.up, &field.down),
            ]);
        }
    }
    table
}

fn required(messages: &[&MessageChange], title: String) -> Table {
    let mut table = Table::new(title, &["message", "fields"]);
    for message in messages {
        let names: Vec<&str> = message
            .fields
            .iter()
            .filter(|field| field.changes.contains(&Change::Required))
            .flat_map(|field| &field.new)
            .map(|side| side.name.as_str())
            .collect();
        if !names.is_empty() {
            table.row([name(message), code_list(names)]);
        }
    }
    table
}

/// The newer name, and the older one where it is another.
fn name(message: &MessageChange) -> String {
    match (&message.old, &message.new) {
        (Some(old), Some(new)) if old == new => format!("`{new}`"),
        (Some(old), Some(new)) => format!("`{old}` → `{new}`"),
        (old, new) => or_dash(
            old.as_ref()
                .or(new.as_ref())
                .map(|name| format!("`{name}`")),
        ),
    }
}

pub(super) fn enums(report: &Report) -> Section {
    let mut section = Section::new("enums", "Enums");
    for each in &report.enums {
        let columns = [&report.old.name, &report.new.name, "losses"];
        let title = format!("{}: {}", each.new, super::spelling(each.spelling));
        let mut table = Table::new(title, &columns);
        for value in &each.values {
            if value.old == value.new && value.up.is_empty() && value.down.is_empty() {
                continue;
            }
            let code =
                |name: &Option<String>| or_dash(name.as_ref().map(|name| format!("`{name}`")));
            table.row([
                code(&value.old),
                code(&value.new),
                ids(&value.up, &value.down),
            ]);
        }
        section = section.table(table);
    }
    if section.tables.is_empty() {
        return section.say("No value of an enum changes.");
    }
    section.say("Values of one name and without a loss are left out.")
}
