//! Model to tokens: one emitter per thing that is generated.
//!
//! Comes in: the checked [`model`](crate::model), the profile and the [`Paths`] of the crates that
//! the generated code stands in. Goes out: token streams, one per module to be written. Emitters
//! cannot fail on what a user wrote: all checks were made when the model was filled.
//!
//! Generated code names everything by rooted paths and has no `use` at the level of its module, so
//! that a message called `String` or a field called `type` cannot change its meaning.

pub mod adapter;
mod check;
mod client;
mod debug;
mod docs;
pub mod errors;
mod fields;
mod json;
pub mod json_schema;
pub mod markdown;
pub mod messages;
pub mod openapi;
mod ordered;
mod query;
mod routes;
pub mod service;
mod setters;
mod shape;
mod text;

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Where generated code finds what it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The crate `a2a-wire`: `::a2a_wire`, `crate`, or `::a2a_kit::wire`.
    pub wire: String,
    /// The crate `a2a-kit`: `::a2a_kit`, or `crate`.
    pub kit: String,
    /// The module that holds the messages of the package that is written: `self` when they stand
    /// beside what is written, else for example `::a2a_wire::v1_0`.
    pub types: String,
    /// Modules of packages that are written elsewhere, by proto package: `lf.a2a.v1` is in
    /// `::a2a_wire::v1_0`. All other packages are modules around this one, nested as the parts of
    /// their names.
    pub packages: BTreeMap<String, String>,
}

impl Default for Paths {
    /// For a crate that depends on `a2a-kit` alone and has everything in one module.
    fn default() -> Self {
        Self {
            wire: "::a2a_kit::wire".to_owned(),
            kit: "::a2a_kit".to_owned(),
            types: "self".to_owned(),
            packages: BTreeMap::new(),
        }
    }
}

impl Paths {
    /// Tokens of the hidden door into `a2a-wire`: `::a2a_wire::__codegen`.
    #[must_use]
    pub fn wire_door(&self) -> TokenStream {
        let wire = path(&self.wire);
        quote!(#wire::__codegen)
    }

    /// Tokens of the hidden door into `a2a-kit`: `::a2a_kit::__codegen`.
    #[must_use]
    pub fn kit_door(&self) -> TokenStream {
        let kit = path(&self.kit);
        quote!(#kit::__codegen)
    }

    /// Tokens of a message or enum as it is named in the module of the package `from`. `rust_path`
    /// is its path below the module of `package`.
    #[must_use]
    pub fn item(&self, from: &str, package: &str, rust_path: &[String]) -> TokenStream {
        let mut tokens = if package == from {
            path(&self.types)
        } else if let Some(module) = self.packages.get(package) {
            path(module)
        } else {
            around(from, package)
        };
        for segment in rust_path {
            let segment = ident(segment);
            tokens.extend(quote!(::#segment));
        }
        tokens
    }
}

/// The module of the package `to`, seen from the module of the package `from`, as prost-build has
/// it: up to the root of the tree of modules, and down again.
fn around(from: &str, to: &str) -> TokenStream {
    let parts = |package: &'_ str| {
        package
            .split('.')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (from, to) = (parts(from), parts(to));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut tokens = quote!(self);
    for _ in common..from.len() {
        tokens.extend(quote!(::super));
    }
    for part in &to[common..] {
        let part = ident(&heck::ToSnakeCase::to_snake_case(part.as_str()));
        tokens.extend(quote!(::#part));
    }
    tokens
}

/// An identifier for a raw name: `type` becomes `r#type`, `self` becomes `self_`.
///
/// Agrees with the names that prost-build gives to fields and modules.
#[must_use]
pub fn ident(name: &str) -> Ident {
    match name {
        // No raw identifiers exist for these.
        "_" | "super" | "self" | "Self" | "extern" | "crate" => {
            Ident::new(&format!("{name}_"), Span::call_site())
        }
        name if name.starts_with(|first: char| first.is_ascii_digit()) => {
            Ident::new(&format!("_{name}"), Span::call_site())
        }
        name if is_keyword(name) => Ident::new_raw(name, Span::call_site()),
        name => Ident::new(name, Span::call_site()),
    }
}

/// Tokens of a path that is written as text: `::a2a_wire::v1_0`, `crate`, `super::types`.
#[must_use]
pub fn path(text: &str) -> TokenStream {
    let rooted = text.starts_with("::");
    let mut tokens = if rooted {
        quote!(::)
    } else {
        TokenStream::new()
    };
    for (index, segment) in text.trim_start_matches("::").split("::").enumerate() {
        if index > 0 {
            tokens.extend(quote!(::));
        }
        let segment = match segment {
            "crate" | "super" | "self" => Ident::new(segment, Span::call_site()),
            other => ident(other.trim_start_matches("r#")),
        };
        tokens.extend(quote!(#segment));
    }
    tokens
}

/// Words that are no plain identifiers in any edition up to 2024.
fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "abstract"
            | "as"
            | "async"
            | "await"
            | "become"
            | "box"
            | "break"
            | "const"
            | "continue"
            | "do"
            | "dyn"
            | "else"
            | "enum"
            | "false"
            | "final"
            | "fn"
            | "for"
            | "gen"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "macro"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "override"
            | "priv"
            | "pub"
            | "ref"
            | "return"
            | "static"
            | "struct"
            | "trait"
            | "true"
            | "try"
            | "type"
            | "typeof"
            | "unsafe"
            | "unsized"
            | "use"
            | "virtual"
            | "where"
            | "while"
            | "yield"
    )
}
