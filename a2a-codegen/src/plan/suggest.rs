//! The rule to write: a line of TOML for everything that is not accounted for.

use super::Planner;
use super::names::written;
use super::rules::{Direction, HookRule};
use super::types::{describe, relate};
use crate::diagnostics::{Diagnostic, did_you_mean};
use crate::model::{Enum, EnumValue, Field, Message, Method};

/// A newer field that nothing stands for.
pub(super) fn no_older(
    planner: &Planner<'_>,
    new: &Message,
    field: &Field,
    old: Option<&Message>,
) -> Diagnostic {
    let name = format!(
        "{}.{}",
        planner.new.short(&new.proto_name),
        field.proto_name
    );
    let of = old.map_or_else(String::new, |old| format!(" in `{}`", old.proto_name));
    let message = format!(
        "`{}.{}` has no older field{of}",
        new.proto_name, field.proto_name
    );
    let mut lines = Vec::new();
    if let Some(like) = old.and_then(|old| likely(planner, new, field, old)) {
        lines.push(format!(
            "under `[field]`: {}",
            rename_line(planner, &name, like)
        ));
    }
    let id = planner.rules.free_id(Direction::Down);
    lines.push(format!(
        "under `[field]`: \"{name}\" = {{ drop = {{ down = \"{id}\" }} }}, and under `[loss.down]`: {id} = \"what is lost\""
    ));
    let fault = Diagnostic::new(field.origin.clone(), message);
    let fault = match old {
        Some(old) => fault.also(old.origin.clone(), "the older message"),
        None => fault,
    };
    fault.hint(lines.join("; or "))
}

/// An older field that nothing stands for.
pub(super) fn no_newer(
    planner: &Planner<'_>,
    new: &Message,
    old: &Message,
    field: &Field,
) -> Diagnostic {
    let id = planner.rules.free_id(Direction::Up);
    let name = format!(
        "{}.{}",
        planner.old.short(&old.proto_name),
        written(field, planner.is_json())
    );
    let message = format!(
        "the older `{}.{}` has no newer field in `{}`",
        old.proto_name,
        written(field, planner.is_json()),
        new.proto_name
    );
    let hint = format!(
        "under `[only_old]`: \"{name}\" = {{ drop = \"{id}\" }}, and under `[loss.up]`: {id} = \"what is lost\"; or under `[field]`: \"{}.<newer field>\" = {{ {} = \"{name}\" }}",
        planner.new.short(&new.proto_name),
        planner.spelling(),
    );
    Diagnostic::new(field.origin.clone(), message)
        .also(new.origin.clone(), "the newer message")
        .hint(hint)
}

/// The older field that a newer one was probably called: of the same type, and alone with that or
/// of a similar name, and not called as any newer field is.
fn likely<'m>(
    planner: &Planner<'_>,
    new: &Message,
    field: &Field,
    old: &'m Message,
) -> Option<(&'m Message, &'m Field)> {
    let has_newer = |older: &Field| {
        let by_name = new.fields.iter().any(|newer| {
            newer.proto_name == older.proto_name || newer.json_name == older.json_name
        });
        let rows = planner.rules.fields.iter();
        let mut named = rows
            .filter_map(|row| row.old.get(planner.encoding))
            .flatten();
        by_name
            || named.any(|name| {
                let (ty, field) = name.rsplit_once('.').unwrap_or_default();
                planner.old.means(ty, &old.proto_name)
                    && (field == older.proto_name || field == older.json_name)
            })
    };
    let fits = |older: &&Field| {
        !has_newer(older)
            && relate(field, older, &super::model::Via::Same, planner.encoding).is_ok()
    };
    let left: Vec<&Field> = old.fields.iter().filter(fits).collect();
    let similar = did_you_mean(
        &field.proto_name,
        left.iter().map(|older| older.proto_name.as_str()),
    );
    let found = match similar {
        Some(name) => left.into_iter().find(|older| older.proto_name == name),
        None => left.first().copied().filter(|_| left.len() == 1),
    };
    found.map(|found| (old, found))
}

fn rename_line(planner: &Planner<'_>, name: &str, (message, field): (&Message, &Field)) -> String {
    format!(
        "\"{name}\" = {{ {} = \"{}.{}\" }}",
        planner.spelling(),
        planner.old.short(&message.proto_name),
        written(field, planner.is_json())
    )
}

/// The rule that names an older field for a newer one.
pub(super) fn rename(
    planner: &Planner<'_>,
    new: &Message,
    field: &Field,
    old: &Message,
    older: &Field,
) -> String {
    let name = format!(
        "{}.{}",
        planner.new.short(&new.proto_name),
        field.proto_name
    );
    let line = rename_line(planner, &name, (old, older));
    format!("name the one that is meant, under `[field]`: {line}")
}

/// The rule that writes a field that may be left out.
pub(super) fn always(planner: &Planner<'_>, new: &Message, field: &Field) -> String {
    let name = format!(
        "{}.{}",
        planner.new.short(&new.proto_name),
        field.proto_name
    );
    let id = planner.rules.free_id(Direction::Down);
    format!(
        "under `[field]`: \"{name}\" = {{ down = {{ json = \"always\" }}, loss = {{ down = {{ json = \"{id}\" }} }} }}, and under `[loss.down]`: {id} = \"what is made up\""
    )
}

/// What to do about two fields of different types.
pub(super) fn differ(planner: &Planner<'_>, new: &Message, field: &Field) -> String {
    let name = format!(
        "{}.{}",
        planner.new.short(&new.proto_name),
        field.proto_name
    );
    format!(
        "if they mean the same, say how one becomes the other, under `[field]`: \"{name}\" = {{ via = {{ hook = \"{}_value\" }} }}; if not, drop both: \"{name}\" = {{ drop = {{ up = \"{}\", down = \"{}\" }} }}",
        field.proto_name,
        planner.rules.free_id(Direction::Up),
        planner.rules.free_id(Direction::Down),
    )
}

/// The rule that pairs two types.
pub(super) fn type_pair(planner: &Planner<'_>, new: &str, old: &str) -> String {
    format!(
        "under `[type]`: {} = {{ {} = \"{}\" }}",
        planner.new.short(new),
        planner.spelling(),
        planner.old.short(old)
    )
}

/// The rule that names a hook for a whole message.
pub(super) fn hook(planner: &Planner<'_>, new: &Message, old: &str) -> String {
    let fields: Vec<String> = new
        .fields
        .iter()
        .map(|field| format!("\"{}\"", field.proto_name))
        .collect();
    format!(
        "name a hook in Rust: `[hook.name]` with new = \"{}\", fields = [{}] and {} = {{ type = \"{}\", fields = [the older fields] }}",
        planner.new.short(&new.proto_name),
        fields.join(", "),
        planner.spelling(),
        planner.old.short(old)
    )
}

/// A field that a hook does not name.
pub(super) fn hook_misses(
    hook: &HookRule,
    message: &Message,
    field: &Field,
    list: &str,
    line: &str,
) -> Diagnostic {
    let text = format!(
        "the hook `{}` says nothing about `{}.{}`",
        hook.rule.key, message.proto_name, field.proto_name
    );
    Diagnostic::new(field.origin.clone(), text)
        .also(hook.rule.origin.clone(), "the hook")
        .hint(format!(
            "let the hook take care of it, which is {}, and add \"{line}\" to its `{list}`",
            describe(field)
        ))
}

/// The rule for an operation that is new.
pub(super) fn method(planner: &Planner<'_>, method: &Method) -> String {
    let id = planner.rules.free_id(Direction::Down);
    format!(
        "under `[method]`: {0} = {{ refused = \"{id}\" }}, and under `[loss.down]`: {id} = \"the operation {0}\"; or the name that it had: {0} = {{ {1} = \"OldName\" }}",
        method.proto_name,
        planner.spelling()
    )
}

/// The rule that says what an older operation answers.
pub(super) fn response(planner: &Planner<'_>, method: &Method) -> String {
    let olds = planner.old.api.services.first();
    let alike = olds.into_iter().flat_map(|service| &service.methods);
    let first = alike
        .map(|method| method.response.as_str())
        .find(|name| !name.is_empty())
        .unwrap_or("OldType");
    format!(
        "under `[method]`: {} = {{ response = {{ {} = \"{first}\" }} }}, or the name of another older type",
        method.proto_name,
        planner.spelling()
    )
}

/// The rule for an operation that went away.
pub(super) fn method_gone(planner: &Planner<'_>, method: &Method) -> String {
    let id = planner.rules.free_id(Direction::Up);
    format!(
        "under `[only_old_method]`: {0} = {{ refused = \"{id}\" }}, and under `[loss.up]`: {id} = \"the operation {0}\"; or under `[method]` the name that it has now: NewName = {{ {1} = \"{0}\" }}",
        method.proto_name,
        planner.spelling()
    )
}

/// The rule for a value that is new.
pub(super) fn value(planner: &Planner<'_>, new: &Enum, value: &EnumValue, old: &Enum) -> String {
    let id = planner.rules.free_id(Direction::Down);
    let stand_in = old
        .values
        .first()
        .map_or("OLD_VALUE", |value| &value.proto_name);
    format!(
        "under `[value.{}.values]`: {} = {{ {} = \"{stand_in}\", loss = {{ down = \"{id}\" }} }}, and under `[loss.down]`: {id} = \"what is lost\"; without the loss if they are the same value",
        planner.new.short(&new.proto_name),
        value.proto_name,
        planner.spelling(),
    )
}

/// The rule for a value that went away.
pub(super) fn value_gone(planner: &Planner<'_>, new: &Enum, older: &EnumValue) -> String {
    let id = planner.rules.free_id(Direction::Up);
    let stand_in = new
        .values
        .first()
        .map_or("NEW_VALUE", |value| &value.proto_name);
    format!(
        "under `[value.{0}.only_old]`: {1} = {{ new = \"{stand_in}\", loss = \"{id}\" }}, and under `[loss.up]`: {id} = \"what is lost\"; or under `[value.{0}.values]` the value that it is now: NEW_VALUE = {{ {2} = \"{1}\" }}",
        planner.new.short(&new.proto_name),
        older.proto_name,
        planner.spelling(),
    )
}
