//! Refuses messages in which one JSON key means two fields.

use std::collections::BTreeMap;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, Field, Message};

/// A reader takes a field by its JSON name and by its proto name, so all of these must differ.
pub(super) fn check_json_keys(api: &Api, diagnostics: &mut Diagnostics) {
    for message in api.messages.values() {
        let mut seen: BTreeMap<&str, &Field> = BTreeMap::new();
        for field in &message.fields {
            for key in [&field.json_name, &field.proto_name] {
                match seen.get(key.as_str()) {
                    Some(other) if other.proto_name != field.proto_name => {
                        diagnostics.push(collision(message, key, field, other));
                    }
                    _ => {
                        seen.insert(key, field);
                    }
                }
            }
        }
    }
}

fn collision(message: &Message, key: &str, field: &Field, other: &Field) -> Diagnostic {
    let text = format!(
        "the JSON key `{key}` of `{}` stands for both `{}` and `{}`",
        message.proto_name, other.proto_name, field.proto_name
    );
    Diagnostic::new(field.origin.clone(), text)
        .also(other.origin.clone(), format!("`{}`", other.proto_name))
        .hint("readers take a field by its JSON name and by its name in the schema; rename one, or change its `json_name`")
}
