//! The tables of a service: its operations and its routes.
//!
//! Comes in: a service of the model and the profile. Goes out: `LIB_SERVICE`, for a service `Lib`.

use heck::ToShoutySnakeCase;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Emitter, Taken};
use crate::emit::docs::docs;
use crate::emit::{Paths, errors, path, routes};
use crate::model::{Api, Method, Service};
use crate::profile::{ErrorStyle, JsonRpcMethods, PathConflicts, Profile};

/// The tables alone, of a package whose services are served and called in the terms of another
/// version.
pub(crate) fn emit_tables(
    api: &Api,
    profile: &Profile,
    package: &str,
    paths: &Paths,
    errors: &str,
) -> TokenStream {
    let mut taken = Taken::of(api, package);
    let services = api
        .services
        .iter()
        .filter(|service| service.package == package);
    let tables = services.map(|service| {
        let emitter = Emitter::new(api, profile, service, paths, errors, &mut taken);
        let (table, extensions_header) = (emitter.table(), emitter.extensions_header());
        quote!(#table #extensions_header)
    });
    quote!(#(#tables)*)
}

/// The name of the tables of a service, where nothing else has it.
pub(crate) fn table_name(service: &Service) -> String {
    format!("{}_SERVICE", shouty(service))
}

pub(super) fn shouty(service: &Service) -> String {
    let name = &service.rust_name;
    name.strip_suffix("Service")
        .filter(|short| !short.is_empty())
        .unwrap_or(name)
        .to_shouty_snake_case()
}

impl Emitter<'_> {
    pub(super) fn table(&self) -> TokenStream {
        let Self {
            kit,
            table,
            service,
            profile,
            allow,
            ..
        } = self;
        let table_docs = docs(
            "",
            &format!("Operations and routes of `{}`.", service.proto_name),
        );
        let name = &service.proto_name;
        let routes = routes::Table::new(service);
        let operations = service
            .methods
            .iter()
            .map(|method| self.operation(method, &routes));
        let routes = routes.routes(self.api, self.paths);
        let version = version(profile, kit);
        let media_type = profile.media_type.as_deref().unwrap_or("application/json");
        let conflicts = match profile.http.path_conflicts {
            PathConflicts::PathWins => quote!(Overwrite),
            PathConflicts::Reject => quote!(Agree),
        };
        let error_style = match profile.error_style {
            ErrorStyle::Status => quote!(Status),
            ErrorStyle::CodeAndMessage => quote!(CodeAndMessage),
        };
        let extensions_header = profile
            .extensions_header
            .as_ref()
            .map(|name| name.to_ascii_lowercase());
        let extensions_header = routes::optional(extensions_header.as_ref());
        let module = path(self.errors);
        let errors = profile.errors.iter().map(errors::static_ident);
        quote! {
            #table_docs
            #allow
            pub static #table: #kit::ServiceSpec = #kit::ServiceSpec {
                name: #name,
                operations: &[#(#operations),*],
                routes: &[#(#routes),*],
                version: #version,
                media_type: #media_type,
                conflicts: #kit::Rule::#conflicts,
                errors: &[#(&#module::#errors),*],
                error_style: #kit::ErrorStyle::#error_style,
                extensions_header: #extensions_header,
            };
        }
    }

    fn operation(&self, method: &Method, routes: &routes::Table<'_>) -> TokenStream {
        let kit = &self.kit;
        let Method {
            proto_name,
            request,
            response,
            server_streaming,
            ..
        } = method;
        let grpc_path = format!("/{}/{proto_name}", self.service.proto_name);
        let added = self.profile.operation(self.service, proto_name);
        let json_rpc = added.and_then(|added| added.json_rpc_method.as_ref()).or(
            match self.profile.json_rpc.methods {
                JsonRpcMethods::None => None,
                JsonRpcMethods::RpcName => Some(proto_name),
            },
        );
        let json_rpc = routes::optional(json_rpc);
        let capability = routes::optional(added.and_then(|added| added.capability.as_ref()));
        let (request_type, response_type) = (self.message(request), self.message(response));
        let routes = routes.of(method);
        quote! {
            #kit::OperationSpec {
                name: #proto_name,
                grpc_path: #grpc_path,
                json_rpc_method: #json_rpc,
                server_streaming: #server_streaming,
                capability: #capability,
                request: #request,
                response: #response,
                routes: &[#(#routes),*],
                decode_outgoing: #kit::outgoing::<#request_type>,
                decode_request: #kit::decode::<#request_type>,
                decode_response: #kit::decode::<#response_type>,
            }
        }
    }
}

fn version(profile: &Profile, kit: &TokenStream) -> TokenStream {
    let numbers = profile.version.as_deref().and_then(|version| {
        let mut parts = version.split('.').map(str::parse::<u32>);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    match numbers {
        Some((major, minor)) => {
            let (major, minor) = (
                Literal::u32_unsuffixed(major),
                Literal::u32_unsuffixed(minor),
            );
            quote!(::core::option::Option::Some(#kit::ProtocolVersion { major: #major, minor: #minor }))
        }
        None => quote!(::core::option::Option::None),
    }
}
