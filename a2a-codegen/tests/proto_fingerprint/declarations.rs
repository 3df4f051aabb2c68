//! In: a canonical descriptor. Out: its declarations, line by line, and where two first differ.

use std::fmt::Write as _;

use prost_reflect::{DynamicMessage, Kind, Value};

use crate::canonical::{sha256, text_of};

/// One declaration: what it is called, and all that it says.
struct Declaration {
    name: String,
    message: DynamicMessage,
}

/// Takes a field of a top-level message out of a file, and says what it declares.
pub(crate) fn take_field(
    file: &mut DynamicMessage,
    message: &str,
    field: &str,
) -> Option<Vec<String>> {
    let messages = file.get_field_by_name_mut("message_type")?.as_list_mut()?;
    let message = messages
        .iter_mut()
        .filter_map(Value::as_message_mut)
        .find(|one| text_of(one, "name") == message)?;
    let fields = message.get_field_by_name_mut("field")?.as_list_mut()?;
    let named = |one: &Value| {
        one.as_message()
            .is_some_and(|one| text_of(one, "name") == field)
    };
    let index = fields.iter().position(named)?;
    fields.remove(index).as_message().map(lines)
}

/// Splits a file into its head (package, imports, options), messages, enums, services and rpcs.
fn declarations(file: &DynamicMessage) -> Vec<Declaration> {
    let mut head = file.clone();
    let mut out = Vec::new();
    for (field, word) in [
        ("message_type", "message"),
        ("enum_type", "enum"),
        ("service", "service"),
    ] {
        for mut message in take_messages(&mut head, field) {
            let name = text_of(&message, "name");
            let rpcs = if field == "service" {
                take_messages(&mut message, "method")
            } else {
                Vec::new()
            };
            out.push(Declaration {
                name: format!("{word} {name}"),
                message,
            });
            out.extend(rpcs.into_iter().map(|rpc| Declaration {
                name: format!("rpc {name}.{}", text_of(&rpc, "name")),
                message: rpc,
            }));
        }
    }
    out.insert(
        0,
        Declaration {
            name: "file".to_owned(),
            message: head,
        },
    );
    out
}

fn take_messages(message: &mut DynamicMessage, field: &str) -> Vec<DynamicMessage> {
    match message.take_field_by_name(field) {
        Some(Value::List(items)) => items
            .iter()
            .filter_map(Value::as_message)
            .cloned()
            .collect(),
        _ => Vec::new(),
    }
}

/// Every value below `message` as a line `path = value`, in descriptor order.
fn lines(message: &DynamicMessage) -> Vec<String> {
    let mut out = Vec::new();
    push_message("", message, &mut out);
    out
}

fn push_message(path: &str, message: &DynamicMessage, out: &mut Vec<String>) {
    let dot = if path.is_empty() { "" } else { "." };
    for (field, value) in message.fields() {
        push_value(
            &format!("{path}{dot}{}", field.name()),
            &field.kind(),
            value,
            out,
        );
    }
    for (extension, value) in message.extensions() {
        push_value(
            &format!("{path}{dot}({})", extension.full_name()),
            &extension.kind(),
            value,
            out,
        );
    }
}

fn push_value(path: &str, kind: &Kind, value: &Value, out: &mut Vec<String>) {
    match (value, kind) {
        (Value::Message(inner), _) => push_message(path, inner, out),
        (Value::List(items), _) => {
            for (index, item) in items.iter().enumerate() {
                let name = item
                    .as_message()
                    .map(|inner| text_of(inner, "name"))
                    .filter(|name| !name.is_empty());
                push_value(
                    &format!("{path}[{}]", name.unwrap_or_else(|| index.to_string())),
                    kind,
                    item,
                    out,
                );
            }
        }
        (Value::EnumNumber(number), Kind::Enum(of)) => {
            let name = of
                .get_value(*number)
                .map_or_else(|| number.to_string(), |value| value.name().to_owned());
            out.push(format!("{path} = {name}"));
        }
        (Value::String(text), _) => out.push(format!("{path} = {text:?}")),
        (Value::Bool(flag), _) => out.push(format!("{path} = {flag}")),
        (Value::I32(number), _) => out.push(format!("{path} = {number}")),
        (other, _) => out.push(format!("{path} = {other:?}")),
    }
}

/// Says where `ours` first departs from `theirs`; `None` if it does not.
pub(crate) fn first_difference(ours: &DynamicMessage, theirs: &DynamicMessage) -> Option<String> {
    let (ours, theirs) = (declarations(ours), declarations(theirs));
    for (index, (our, their)) in ours.iter().zip(&theirs).enumerate() {
        if our.name != their.name {
            return Some(format!(
                "declaration {index}: expected `{}`, found `{}`",
                their.name, our.name
            ));
        }
        let (our_lines, their_lines) = (lines(&our.message), lines(&their.message));
        let line = (0..our_lines.len().max(their_lines.len()))
            .find(|&i| our_lines.get(i) != their_lines.get(i));
        if let Some(i) = line {
            let show = |lines: &[String]| {
                lines
                    .get(i)
                    .map_or_else(|| "nothing".to_owned(), |line| format!("`{line}`"))
            };
            return Some(format!(
                "{}: expected {}, found {}",
                our.name,
                show(&their_lines),
                show(&our_lines)
            ));
        }
    }
    let count = ours.len().min(theirs.len());
    match (ours.get(count), theirs.get(count)) {
        (Some(extra), _) => Some(format!(
            "declaration {count}: expected none, found `{}`",
            extra.name
        )),
        (_, Some(missing)) => Some(format!(
            "declaration {count}: expected `{}`, found none",
            missing.name
        )),
        (None, None) => None,
    }
}

/// `(name, hash)` of each declaration, as the committed tables have them.
fn hashes(file: &DynamicMessage) -> Vec<(String, String)> {
    declarations(file)
        .iter()
        .map(|one| (one.name.clone(), sha256(&one.message)[..16].to_owned()))
        .collect()
}

/// The first declaration that departs from a committed table, with all that it says now; `None` if
/// none departs.
pub(crate) fn first_departure(file: &DynamicMessage, table: &[(&str, &str)]) -> Option<String> {
    let (found, all) = (hashes(file), declarations(file));
    let index = (0..found.len().max(table.len())).find(|&i| {
        found
            .get(i)
            .map(|(name, hash)| (name.as_str(), hash.as_str()))
            != table.get(i).copied()
    })?;
    let expected = table.get(index).map_or("none", |(name, _)| *name);
    Some(match all.get(index) {
        Some(one) if one.name == expected => {
            format!(
                "`{expected}` is not what it was; it now says:\n  {}",
                lines(&one.message).join("\n  ")
            )
        }
        Some(one) => format!(
            "declaration {index}: expected `{expected}`, found `{}`",
            one.name
        ),
        None => format!("declaration {index}: expected `{expected}`, found none"),
    })
}

/// The constants of this file as they would have to be for `file`.
pub(crate) fn constants(file: &DynamicMessage) -> String {
    let mut out = format!(
        "pub(crate) const FINGERPRINT: &str = \"{}\";\npub(crate) const DECLARATIONS: &[(&str, &str)] = &[\n",
        sha256(file)
    );
    for (name, hash) in hashes(file) {
        let _ = writeln!(out, "    ({name:?}, {hash:?}),");
    }
    out + "];"
}
