//! Checks the fields that a path template binds.

use super::http::Call;
use crate::diagnostics::{Diagnostic, did_you_mean};
use crate::model::{Cardinality, Field, Origin, PathTemplate, PathVariable, Type, WellKnown};

/// Checks every variable of a template against the request, and against the body.
pub(super) fn check(
    template: &PathTemplate,
    body: &str,
    origin: &Origin,
    call: &Call<'_>,
    report: &mut impl FnMut(Diagnostic),
) {
    let mut oneofs: Vec<(String, String)> = Vec::new();
    for variable in &template.variables {
        let name = variable.field_path.join(".");
        let mut fault = |problem: String, hint: String| {
            let message = format!(
                "`{{{name}}}` in the path template `{}` of `{}`: {problem}",
                template.text.escape_debug(),
                call.name()
            );
            report(Diagnostic::new(origin.clone(), message).hint(hint));
        };
        match resolve(variable, call) {
            Err((problem, hint)) => fault(problem, hint),
            Ok(members) => {
                for (oneof, member) in members {
                    match oneofs
                        .iter()
                        .find(|(known, other)| *known == oneof && *other != member)
                    {
                        Some((_, other)) => fault(
                            format!(
                                "`{member}` and `{other}` are members of the oneof `{oneof}`, of which only one can be set"
                            ),
                            "bind one of them, and write `*` for the other segment".to_owned(),
                        ),
                        None => oneofs.push((oneof, member)),
                    }
                }
            }
        }
        if name == body {
            fault(
                format!("the field `{name}` is the `body` as well"),
                "take the field out of the path, or choose another body".to_owned(),
            );
        }
    }
}

/// Follows a field path; returns the oneof members on its way, each as `(oneof, member)` with
/// their paths from the request.
fn resolve(
    variable: &PathVariable,
    call: &Call<'_>,
) -> Result<Vec<(String, String)>, (String, String)> {
    let mut members = Vec::new();
    let mut message_name = call.request.to_owned();
    let mut above = String::new();
    let last = variable.field_path.len().saturating_sub(1);
    for (index, name) in variable.field_path.iter().enumerate() {
        let message = call.api.messages.get(&message_name);
        let fields = message.map_or(&[] as &[Field], |message| message.fields.as_slice());
        let Some((_, field)) = find(fields, name) else {
            return Err(unknown(fields, &message_name, name));
        };
        if matches!(
            field.cardinality,
            Cardinality::Repeated | Cardinality::Map { .. }
        ) {
            return Err((
                format!("the field `{name}` of `{message_name}` is {}", kind(field)),
                "only single fields can stand in a path; leave it to the query or the body"
                    .to_owned(),
            ));
        }
        if let (Cardinality::Oneof(oneof), Some(message)) = (&field.cardinality, message)
            && let Some(oneof) = message.oneofs.get(*oneof)
        {
            members.push((
                format!("{above}{}", oneof.proto_name),
                format!("{above}{name}"),
            ));
        }
        if index == last {
            return if is_text(&field.ty) {
                Ok(members)
            } else {
                Err(no_text(field, &message_name))
            };
        }
        match &field.ty {
            Type::Message(inner) => message_name = inner.clone(),
            _ => {
                return Err((
                    format!("the field `{name}` of `{message_name}` has no fields of its own"),
                    format!("end the variable with `{name}`"),
                ));
            }
        }
        above = format!("{above}{name}.");
    }
    Ok(members)
}

/// A value that has a form as plain text.
fn is_text(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Enum(_) => true,
        Type::WellKnown(known) => matches!(
            known,
            WellKnown::Timestamp
                | WellKnown::Duration
                | WellKnown::FieldMask
                | WellKnown::Wrapper(_)
        ),
        Type::Message(_) | Type::Union(_) => false,
    }
}

fn no_text(field: &Field, message_name: &str) -> (String, String) {
    let hint = match field.ty {
        Type::Message(_) => format!("name a field inside of it: `{{{}.…}}`", field.proto_name),
        _ => "leave it to the body".to_owned(),
    };
    (
        format!(
            "the field `{}` of `{message_name}` is a message",
            field.proto_name
        ),
        hint,
    )
}

fn kind(field: &Field) -> &'static str {
    match field.cardinality {
        Cardinality::Map { .. } => "a map",
        _ => "repeated",
    }
}

/// A field by its proto name.
pub(super) fn find<'a>(fields: &'a [Field], name: &str) -> Option<(usize, &'a Field)> {
    fields
        .iter()
        .enumerate()
        .find(|(_, field)| field.proto_name == name)
}

/// How many fields an error lists.
const MAX_SHOWN: usize = 12;

/// Problem and hint for a name that a message does not have.
pub(super) fn unknown(fields: &[Field], message_name: &str, name: &str) -> (String, String) {
    let problem = format!("`{message_name}` has no field `{name}`");
    let names = || fields.iter().map(|field| field.proto_name.as_str());
    let hint = match did_you_mean(name, names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if fields.is_empty() => "the message has no fields".to_owned(),
        None => {
            let shown: Vec<String> = names()
                .take(MAX_SHOWN)
                .map(|name| format!("`{name}`"))
                .collect();
            let more = if fields.len() > MAX_SHOWN {
                ", …"
            } else {
                ""
            };
            format!("its fields are {}{more}", shown.join(", "))
        }
    };
    (problem, hint)
}
