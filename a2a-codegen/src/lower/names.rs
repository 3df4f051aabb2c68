//! Names of Rust items, exactly as prost-build makes them, but raw: `type`, not `r#type`.

use heck::{ToSnakeCase, ToUpperCamelCase};

use crate::diagnostics::Diagnostic;
use crate::model::Origin;

/// A field, module or method.
pub(crate) fn snake(name: &str) -> String {
    sanitized(name.to_snake_case())
}

/// A type or variant.
pub(crate) fn upper_camel(name: &str) -> String {
    sanitized(name.to_upper_camel_case())
}

/// The variant of an enum's value: without the name of the enum before it.
pub(crate) fn variant(enum_rust_name: &str, value: &str) -> String {
    let name = upper_camel(value);
    match name.strip_prefix(enum_rust_name) {
        // `Foo` is no prefix of `Foobar` in this sense.
        Some(rest) if rest.starts_with(char::is_uppercase) => sanitized(rest.to_owned()),
        _ => name,
    }
}

/// Names that cannot even be raw identifiers get an underscore.
fn sanitized(name: String) -> String {
    match name.as_str() {
        "_" | "super" | "self" | "Self" | "extern" | "crate" => name + "_",
        numeric if numeric.starts_with(char::is_numeric) => format!("_{name}"),
        _ => name,
    }
}

/// `lowerCamelCase` as ProtoJSON makes it: drops underscores, raises the letter after each.
pub(crate) fn json_name(proto_name: &str) -> String {
    let mut out = String::with_capacity(proto_name.len());
    let mut raise = false;
    for character in proto_name.chars() {
        match character {
            '_' => raise = true,
            c if raise => {
                out.push(c.to_ascii_uppercase());
                raise = false;
            }
            c => out.push(c),
        }
    }
    out
}

/// The fault of a name that has no letter or digit.
pub(crate) fn unnameable(origin: Origin, what: &str) -> Diagnostic {
    Diagnostic::new(origin, format!("{what} has no name in Rust"))
        .hint("give it a name with letters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snake_case() {
        for (name, rust) in [
            ("FooBar", "foo_bar"),
            ("XMLHttpRequest", "xml_http_request"),
            ("_field_name3", "field_name3"),
            ("field__name4_", "field_name4"),
            ("field_0_name6", "field_0_name6"),
            ("While", "while"),
            ("type", "type"),
            ("self", "self_"),
            ("crate", "crate_"),
            ("_", "_"),
        ] {
            let expected = if name == "_" { "" } else { rust };
            assert_eq!(snake(name), expected, "{name}");
        }
    }

    #[test]
    fn upper_camel_case() {
        for (name, rust) in [
            ("A2AService", "A2aService"),
            ("FOO_BAR", "FooBar"),
            ("fuzzBuster", "FuzzBuster"),
            ("self", "Self_"),
            ("HTTPAuthSecurityScheme", "HttpAuthSecurityScheme"),
        ] {
            assert_eq!(upper_camel(name), rust, "{name}");
        }
    }

    #[test]
    fn variants() {
        for (enumeration, value, rust) in [
            ("TaskState", "TASK_STATE_WORKING", "Working"),
            ("Foo", "FOOBAR", "Foobar"),
            ("Foo", "FOO", "Foo"),
            ("Foo", "FOO_1", "Foo1"),
            ("Foo", "FOO_SELF", "Self_"),
            ("Foo", "OTHER", "Other"),
        ] {
            assert_eq!(variant(enumeration, value), rust, "{value}");
        }
    }

    #[test]
    fn json_names() {
        for (name, json) in [
            ("context_id", "contextId"),
            ("_field_name3", "FieldName3"),
            ("field__name4_", "fieldName4"),
            ("a_1b", "a1b"),
        ] {
            assert_eq!(json_name(name), json, "{name}");
        }
    }
}
