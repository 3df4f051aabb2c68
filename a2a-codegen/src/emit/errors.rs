//! The errors of a protocol, from its profile.
//!
//! Comes in: the rows of the profile's error table. Goes out: one `ErrorSpec` each, and, in the
//! crate that `Error` belongs to, a constructor and a predicate.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::docs::docs;
use super::{Paths, ident};
use crate::profile::{ErrorRow, Profile};

/// The statics, and the inherent methods of `Error` when the code is for the crate that has it
/// ([`Paths::kit`] is `crate`): other crates cannot give it methods, and use
/// `Error::from_spec(&TASK_NOT_FOUND, "…")` and `error.spec()`.
#[must_use]
pub fn emit_errors(profile: &Profile, paths: &Paths) -> TokenStream {
    let kit = paths.kit_door();
    let statics = emit_statics(profile, paths);
    let methods = (paths.kit == "crate" && !profile.errors.is_empty()).then(|| {
        let methods = profile.errors.iter().map(error_methods);
        quote! {
            impl #kit::Error {
                #(#methods)*
            }
        }
    });
    quote! {
        #statics
        #methods
    }
}

/// The statics alone: for a version of a protocol whose newer version has the methods.
pub(crate) fn emit_statics(profile: &Profile, paths: &Paths) -> TokenStream {
    let kit = paths.kit_door();
    let statics = profile
        .errors
        .iter()
        .map(|row| error_static(profile, row, &kit));
    quote!(#(#statics)*)
}

/// The name of the static of an error: `TASK_NOT_FOUND`.
pub(crate) fn static_ident(row: &ErrorRow) -> Ident {
    ident(&row.reason.to_shouty_snake_case())
}

fn error_static(profile: &Profile, row: &ErrorRow, kit: &TokenStream) -> TokenStream {
    let ErrorRow {
        name,
        reason,
        json_rpc,
        grpc,
        http,
        message,
    } = row;
    let docs = docs("", &format!("`{name}`: {message}."));
    let (static_name, code) = (static_ident(row), ident(&grpc.to_upper_camel_case()));
    let (json_rpc, http) = (
        Literal::i32_unsuffixed(*json_rpc),
        Literal::u16_unsuffixed(*http),
    );
    let domain = profile.error_domain.as_deref().unwrap_or_default();
    quote! {
        #docs
        pub static #static_name: #kit::ErrorSpec = #kit::ErrorSpec {
            name: #name,
            reason: #reason,
            domain: #domain,
            json_rpc_code: #json_rpc,
            code: #kit::Code::#code,
            http_status: #http,
            message: #message,
        };
    }
}

fn error_methods(row: &ErrorRow) -> TokenStream {
    let ErrorRow {
        name,
        json_rpc,
        http,
        message,
        ..
    } = row;
    let static_name = static_ident(row);
    let snake = row.reason.to_snake_case();
    let (constructor, predicate) = (ident(&snake), ident(&format!("is_{snake}")));
    let constructor_docs = docs(
        "",
        &format!("`{name}` (JSON-RPC {json_rpc}, HTTP {http}): {message}."),
    );
    let predicate_docs = docs("", &format!("True for `{name}`."));
    quote! {
        #constructor_docs
        #[must_use]
        pub fn #constructor(message: impl ::core::convert::Into<::std::borrow::Cow<'static, str>>) -> Self {
            Self::from_spec(&self::#static_name, message)
        }
        #predicate_docs
        #[must_use]
        pub fn #predicate(&self) -> bool {
            self.spec() == ::core::option::Option::Some(&self::#static_name)
        }
    }
}
