//! Reads a profile and checks what can be checked without the schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use super::{Profile, check};
use crate::diagnostics::{Diagnostic, Diagnostics, Texts, line_and_column};
use crate::model::Origin;

/// Reads a profile; `file` is the name that errors show.
///
/// # Errors
/// When the text is not TOML, when an entry is unknown or has a value that it cannot have.
pub fn read_profile(text: &str, file: &str) -> Result<Profile, Diagnostics> {
    let texts = Texts::from([(file.to_owned(), Arc::from(text))]);
    read(text, file).map_err(|faults| faults.with_texts(&texts))
}

fn read(text: &str, file: &str) -> Result<Profile, Diagnostics> {
    let mut profile: Profile =
        toml::from_str(text).map_err(|error| syntax_fault(&error, text, file))?;
    profile.origins = origins(text, file);
    let mut faults = Diagnostics::new();
    check::check(&profile, &mut faults);
    faults.into_result(profile)
}

/// A fault that the TOML reader found.
fn syntax_fault(error: &toml::de::Error, text: &str, file: &str) -> Diagnostics {
    let origin = error
        .span()
        .map_or_else(|| whole(file), |span| place(text, file, span.start));
    Diagnostic::new(origin, error.message()).into()
}

fn whole(file: &str) -> Origin {
    Origin {
        file: file.into(),
        ..Origin::default()
    }
}

fn place(text: &str, file: &str, offset: usize) -> Origin {
    let (line, column) = line_and_column(text, offset);
    Origin {
        line,
        column,
        ..whole(file)
    }
}

/// The same file once more, for its places alone. What the first reading accepted fits here too;
/// everything is optional all the same, since places only adorn errors.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Places {
    version: Option<Spanned<toml::Value>>,
    media_type: Option<Spanned<toml::Value>>,
    error_domain: Option<Spanned<toml::Value>>,
    extensions_header: Option<Spanned<toml::Value>>,
    secret_fields: Vec<Spanned<String>>,
    json: JsonPlaces,
    check: CheckPlaces,
    errors: Vec<Spanned<toml::Value>>,
    operations: BTreeMap<Spanned<String>, OperationPlaces>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonPlaces {
    timestamp_digits: Option<Spanned<toml::Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CheckPlaces {
    required_oneofs: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OperationPlaces {
    extra_routes: Vec<Spanned<toml::Value>>,
}

fn origins(text: &str, file: &str) -> BTreeMap<String, Origin> {
    let places: Places = toml::from_str(text).unwrap_or_default();
    let mut origins = BTreeMap::new();
    let mut add = |key: String, offset: usize| {
        origins.insert(key, place(text, file, offset));
    };
    let singles = [
        ("version", &places.version),
        ("media_type", &places.media_type),
        ("error_domain", &places.error_domain),
        ("extensions_header", &places.extensions_header),
        ("json.timestamp_digits", &places.json.timestamp_digits),
    ];
    for (key, value) in singles {
        if let Some(value) = value {
            add(key.to_owned(), value.span().start);
        }
    }
    let lists = [
        ("secret_fields", &places.secret_fields),
        ("check.required_oneofs", &places.check.required_oneofs),
    ];
    for (key, values) in lists {
        for (index, value) in values.iter().enumerate() {
            add(format!("{key}[{index}]"), value.span().start);
        }
    }
    for (index, value) in places.errors.iter().enumerate() {
        add(format!("errors[{index}]"), value.span().start);
    }
    for (name, operation) in &places.operations {
        add(format!("operations.{}", name.get_ref()), name.span().start);
        for (index, route) in operation.extra_routes.iter().enumerate() {
            add(
                format!("operations.{}.extra_routes[{index}]", name.get_ref()),
                route.span().start,
            );
        }
    }
    origins
}
