//! What goes into a file: the chosen parts of each package, in a tree of modules.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::quote;

use super::Error;
use crate::emit::errors::emit_errors;
use crate::emit::messages::emit_messages;
use crate::emit::service::emit_services;
use crate::emit::{Paths, ident};
use crate::load::Loaded;
use crate::model::Api;
use crate::profile::Profile;

/// A part of the code of an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emit {
    /// Message types and enums, with protobuf and JSON.
    Messages,
    /// Service traits, their boxed forms, their clients and their tables.
    Services,
    /// The errors of the profile.
    Errors,
}

/// A document about an API, in place of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Document {
    /// OpenAPI 3.1 of the HTTP binding.
    OpenApi,
    /// JSON schema 2020-12 of the messages.
    JsonSchema,
    /// A reference page in Markdown.
    Markdown,
}

impl Emit {
    pub(super) const ALL: [Self; 3] = [Self::Messages, Self::Services, Self::Errors];
}

/// Everything that a file is made from.
pub(super) struct Output<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) api: &'a Api,
    pub(super) profile: &'a Profile,
    pub(super) paths: &'a Paths,
    pub(super) errors: Option<&'a str>,
    pub(super) parts: &'a [Emit],
    pub(super) clients: bool,
}

impl Output<'_> {
    pub(super) fn tokens(&self) -> Result<TokenStream, Error> {
        let packages = self.packages();
        let errors = self
            .has(Emit::Errors)
            .then(|| emit_errors(self.profile, self.paths));
        // The only package needs no module of its own.
        if let [package] = packages.iter().collect::<Vec<_>>()[..] {
            let code = self.package(package, self.errors.unwrap_or("self"))?;
            return Ok(quote!(#code #errors));
        }
        let mut tree = Modules::default();
        for package in packages {
            let depth = package.split('.').filter(|part| !part.is_empty()).count();
            let root = self
                .errors
                .map_or_else(|| format!("self{}", "::super".repeat(depth)), str::to_owned);
            tree.insert(package, self.package(package, &root)?);
        }
        let code = tree.tokens();
        Ok(quote!(#code #errors))
    }

    fn has(&self, part: Emit) -> bool {
        self.parts.contains(&part)
    }

    /// The packages that have something to write.
    fn packages(&self) -> BTreeSet<&str> {
        let mut packages = BTreeSet::new();
        if self.has(Emit::Messages) {
            packages.extend(
                self.api
                    .messages
                    .values()
                    .map(|message| message.package.as_str()),
            );
            packages.extend(self.api.enums.values().map(|each| each.package.as_str()));
        }
        if self.has(Emit::Services) {
            packages.extend(
                self.api
                    .services
                    .iter()
                    .map(|service| service.package.as_str()),
            );
        }
        packages.retain(|package| !self.paths.packages.contains_key(*package));
        packages
    }

    fn package(&self, package: &str, errors: &str) -> Result<TokenStream, Error> {
        let messages = self
            .has(Emit::Messages)
            .then(|| emit_messages(self.loaded, self.api, self.profile, package, self.paths))
            .transpose()?;
        let services = self.has(Emit::Services).then(|| {
            let (api, profile, paths) = (self.api, self.profile, self.paths);
            emit_services(api, profile, package, paths, errors, self.clients)
        });
        Ok(quote!(#messages #services))
    }
}

/// Modules by their names.
#[derive(Default)]
struct Modules {
    code: TokenStream,
    inner: BTreeMap<String, Modules>,
}

impl Modules {
    fn insert(&mut self, package: &str, code: TokenStream) {
        let mut module = self;
        for part in package.split('.').filter(|part| !part.is_empty()) {
            module = module.inner.entry(part.to_snake_case()).or_default();
        }
        module.code = code;
    }

    fn tokens(&self) -> TokenStream {
        let code = &self.code;
        let inner = self.inner.iter().map(|(name, module)| {
            let docs = format!(" Code of the proto package part `{name}`.");
            let (name, tokens) = (ident(name), module.tokens());
            quote! {
                #[doc = #docs]
                pub mod #name {
                    #tokens
                }
            }
        });
        quote!(#code #(#inner)*)
    }
}
