//! Refuses schemas whose Rust names collide: rustc would say so, but in terms of generated code.

use std::collections::BTreeMap;

use super::names;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, Cardinality, Message, Origin, Type};

/// What is named in one scope, by its Rust name.
#[derive(Default)]
pub(super) struct Scope {
    seen: BTreeMap<String, (String, Origin)>,
}

impl Scope {
    /// Adds an item; `what` says what it is in the schema.
    pub(super) fn add(
        &mut self,
        rust_name: &str,
        what: String,
        origin: &Origin,
        diagnostics: &mut Diagnostics,
    ) {
        if rust_name.is_empty() {
            diagnostics.push(names::unnameable(origin.clone(), &what));
            return;
        }
        match self.seen.get(rust_name) {
            Some((first, place)) => diagnostics.push(
                Diagnostic::new(
                    origin.clone(),
                    format!("{what} and {first} are both `{rust_name}` in Rust"),
                )
                .also(place.clone(), "the first of them")
                .hint("rename one of them"),
            ),
            None => {
                self.seen
                    .insert(rust_name.to_owned(), (what, origin.clone()));
            }
        }
    }
}

pub(super) fn check_rust_names(api: &Api, diagnostics: &mut Diagnostics) {
    check_types(api, diagnostics);
    check_traits(api, diagnostics);
    for message in api.messages.values() {
        check_members(message, diagnostics);
        check_accessors(message, diagnostics);
    }
}

/// Fields of a struct, and variants of its oneofs.
fn check_members(message: &Message, diagnostics: &mut Diagnostics) {
    let mut fields = Scope::default();
    let mut variants: BTreeMap<usize, Scope> = BTreeMap::new();
    for field in &message.fields {
        let what = format!(
            "the field `{}` of `{}`",
            field.proto_name, message.proto_name
        );
        let scope = match field.cardinality {
            Cardinality::Oneof(oneof) => variants.entry(oneof).or_default(),
            _ => &mut fields,
        };
        scope.add(&field.rust_name, what, &field.origin, diagnostics);
    }
    for oneof in &message.oneofs {
        let what = format!(
            "the oneof `{}` of `{}`",
            oneof.proto_name, message.proto_name
        );
        fields.add(&oneof.rust_name, what, &oneof.origin, diagnostics);
    }
}

/// The functions that prost derives for the fields of a message: `choice` and `set_choice` for an
/// enum, for example, so that a second enum cannot be called `set_choice`.
fn check_accessors(message: &Message, diagnostics: &mut Diagnostics) {
    let mut functions = Scope::default();
    for field in &message.fields {
        let is_enum = matches!(field.ty, Type::Enum(_));
        let is_scalar = matches!(field.ty, Type::Scalar(_));
        let prefixes: &[&str] = match field.cardinality {
            Cardinality::Implicit | Cardinality::Explicit if is_enum => &["", "set_"],
            Cardinality::Explicit if is_scalar => &[""],
            Cardinality::Repeated if is_enum => &["", "push_"],
            Cardinality::Map { .. } if is_enum => &["get_", "insert_"],
            _ => &[],
        };
        for prefix in prefixes {
            let what = format!(
                "a function for the field `{}` of `{}`",
                field.proto_name, message.proto_name
            );
            let name = format!("{prefix}{}", field.rust_name);
            functions.add(&name, what, &field.origin, diagnostics);
        }
    }
}

/// Types and modules, which share one namespace: messages, enums, oneofs, the modules of messages
/// and those of packages.
fn check_types(api: &Api, diagnostics: &mut Diagnostics) {
    let mut scopes: BTreeMap<Vec<String>, Scope> = BTreeMap::new();
    let mut add =
        |path: Vec<String>, what: String, origin: &Origin, diagnostics: &mut Diagnostics| {
            if let Some((name, scope)) = path.split_last() {
                scopes
                    .entry(scope.to_vec())
                    .or_default()
                    .add(name, what, origin, diagnostics);
            }
        };
    for (path, package, origin) in package_modules(api) {
        add(
            path,
            format!("the package `{package}`"),
            &origin,
            diagnostics,
        );
    }
    for message in api.messages.values() {
        let what = format!("the message `{}`", message.proto_name);
        add(
            absolute(&message.package, &message.rust_path),
            what,
            &message.origin,
            diagnostics,
        );
    }
    for enumeration in api.enums.values() {
        let what = format!("the enum `{}`", enumeration.proto_name);
        add(
            absolute(&enumeration.package, &enumeration.rust_path),
            what,
            &enumeration.origin,
            diagnostics,
        );
    }
    // A oneof or module without a name is told of where the oneof or message is.
    let is_named = |path: &[String]| path.last().is_some_and(|name| !name.is_empty());
    for (message, oneof) in api
        .messages
        .values()
        .flat_map(|m| m.oneofs.iter().map(move |oneof| (m, oneof)))
    {
        let what = format!(
            "the type of the oneof `{}.{}`",
            message.proto_name, oneof.proto_name
        );
        let path = absolute(&message.package, &oneof.rust_path);
        if is_named(&path) {
            add(path, what, &oneof.origin, diagnostics);
        }
    }
    for (path, message) in message_modules(api) {
        let what = format!("the module of `{}`", message.proto_name);
        if is_named(&path) {
            add(path, what, &message.origin, diagnostics);
        }
    }
}

/// A path below the root of all packages.
fn absolute(package: &str, rust_path: &[String]) -> Vec<String> {
    let mut path = modules_of(package);
    path.extend(rust_path.iter().cloned());
    path
}

fn modules_of(package: &str) -> Vec<String> {
    package
        .split('.')
        .filter(|part| !part.is_empty())
        .map(names::snake)
        .collect()
}

/// The module of each package and of those around it, with a declaration as its place.
fn package_modules(api: &Api) -> Vec<(Vec<String>, String, Origin)> {
    let messages = api
        .messages
        .values()
        .map(|message| (&message.package, &message.origin));
    let enums = api
        .enums
        .values()
        .map(|enumeration| (&enumeration.package, &enumeration.origin));
    let mut modules = BTreeMap::new();
    for (package, origin) in messages.chain(enums) {
        let path = modules_of(package);
        for length in 1..=path.len() {
            let part = path.iter().take(length).cloned().collect::<Vec<_>>();
            let name = package
                .split('.')
                .take(length)
                .collect::<Vec<_>>()
                .join(".");
            modules.entry(part).or_insert_with(|| {
                (
                    name,
                    Origin {
                        line: 0,
                        column: 0,
                        ..origin.clone()
                    },
                )
            });
        }
    }
    modules
        .into_iter()
        .map(|(path, (name, origin))| (path, name, origin))
        .collect()
}

/// The modules of messages that have types inside.
fn message_modules(api: &Api) -> BTreeMap<Vec<String>, &Message> {
    let mut modules = BTreeMap::new();
    for message in api.messages.values() {
        let inside = format!("{}.", message.proto_name);
        let is_inside = |name: &String| name.starts_with(&inside);
        if message.oneofs.is_empty()
            && !api.messages.keys().any(is_inside)
            && !api.enums.keys().any(is_inside)
        {
            continue;
        }
        let mut path = absolute(&message.package, &message.rust_path);
        path.pop();
        let short = message.proto_name.rsplit('.').next().unwrap_or_default();
        path.push(names::snake(short));
        modules.entry(path).or_insert(message);
    }
    modules
}

/// Traits of services, per package.
fn check_traits(api: &Api, diagnostics: &mut Diagnostics) {
    let mut scopes: BTreeMap<Vec<String>, Scope> = BTreeMap::new();
    for service in &api.services {
        let what = format!("the service `{}`", service.proto_name);
        let scope = scopes.entry(modules_of(&service.package)).or_default();
        scope.add(&service.rust_name, what, &service.origin, diagnostics);
    }
}
