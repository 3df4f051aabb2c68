//! Services of an older version in the terms of a newer one.
//!
//! Comes in: both models, the profile of the older version, the plans. Goes out, for a service
//! `Lib`:
//!
//! - the older version's tables and errors;
//! - `operations`: one type for each operation that both versions have, with its types in both;
//! - `OldLib`: a newer `Lib` as routers of the older version see it (`Dispatch`);
//! - `OldLibClient`: a newer `Lib` whose calls go to a peer that speaks the older version.
//!
//! All of them are tables and one call: what is read, converted and written, the runtime does.

use heck::ToUpperCamelCase as _;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::AdapterInput;
use super::json;
use crate::emit::docs::docs;
use crate::emit::errors::emit_statics;
use crate::emit::service::{emit_tables, table_name};
use crate::emit::{Paths, ident, path};
use crate::model::{Api, Body, Method, Service};
use crate::plan::model::{How, MethodPlan};
use crate::profile::HttpAnswer;

/// Emits tables and adapters of the first service of each side.
pub(crate) fn emit(input: &AdapterInput<'_>) -> TokenStream {
    let (Some(old), Some(new)) = (input.old.services.first(), input.new.services.first()) else {
        return TokenStream::new();
    };
    let paths = Paths {
        wire: input.paths.wire.clone(),
        kit: input.paths.kit.clone(),
        types: input.paths.old.clone(),
        ..Paths::default()
    };
    let emitter = Emitter {
        input,
        old,
        new,
        kit: paths.kit_door(),
        table: ident(&table_name(old)),
    };
    let errors = emit_statics(input.old_profile, &paths);
    let tables = emit_tables(
        input.old,
        input.old_profile,
        &old.package,
        &paths,
        "self::errors",
    );
    let operations = emitter.pairs().map(|pair| emitter.operation(&pair));
    let (dispatch, client) = (emitter.dispatch(), emitter.client());
    quote! {
        #tables

        /// The errors of this version.
        pub mod errors {
            #errors
        }

        /// The operations, each with its types in both versions.
        pub mod operations {
            #(#operations)*
        }

        #dispatch
        #client
    }
}

struct Emitter<'a> {
    input: &'a AdapterInput<'a>,
    old: &'a Service,
    new: &'a Service,
    kit: TokenStream,
    table: Ident,
}

/// An operation that both versions have.
struct Pair<'a> {
    plan: &'a MethodPlan,
    old_index: usize,
    old: &'a Method,
    new: &'a Method,
}

impl<'a> Emitter<'a> {
    /// In the order of the older version.
    fn pairs(&self) -> impl Iterator<Item = Pair<'a>> {
        let (old, new, plans) = (self.old, self.new, &self.input.proto.methods);
        old.methods
            .iter()
            .enumerate()
            .filter_map(move |(old_index, method)| {
                let plan = plans.iter().find(|plan| plan.old == Some(old_index))?;
                Some(Pair {
                    plan,
                    old_index,
                    old: method,
                    new: new.methods.get(plan.new?)?,
                })
            })
    }

    fn operation(&self, pair: &Pair<'_>) -> TokenStream {
        let kit = &self.kit;
        let name = operation_name(pair.old);
        let docs = docs(
            "",
            &format!(
                "`{}`, in this version `{}`.",
                pair.new.proto_name, pair.old.proto_name
            ),
        );
        let (old, new) = (self.input.old, self.input.new);
        let old_root = one_deeper(&self.input.paths.old);
        let new_root = one_deeper(&self.input.paths.new);
        let new_request = message(new, &new_root, &pair.new.request);
        let new_response = message(new, &new_root, &pair.new.response);
        let old_request = message(old, &old_root, &pair.old.request);
        let old_response = message(old, &old_root, &pair.old.response);
        let json = self.json_plan(pair);
        let request_json = self.codec(json.map(|plan| &plan.request), &old_request);
        let response_json = self.codec(json.map(|plan| &plan.response), &old_response);
        let (body_json, read_http) = self.body(pair, &request_json, &old_request);
        let answer = self
            .input
            .old_profile
            .operation(self.old, &pair.old.proto_name)
            .map_or(HttpAnswer::Proto, |operation| operation.http_answer);
        let http_answer = match answer {
            HttpAnswer::Schema => response_json.clone(),
            HttpAnswer::Proto => quote!(#kit::adapt::ProtoJson<#old_response>),
        };
        quote! {
            #docs
            #[derive(::core::fmt::Debug)]
            pub struct #name;

            impl #kit::AdaptedOperation for #name {
                type NewRequest = #new_request;
                type NewResponse = #new_response;
                type OldRequest = #old_request;
                type OldResponse = #old_response;
                type RequestJson = #request_json;
                type ResponseJson = #response_json;
                type HttpBody = #body_json;
                type HttpAnswer = #http_answer;
                #read_http
            }
        }
    }

    /// The plan of the operation in the JSON schema, where there is one.
    fn json_plan(&self, pair: &Pair<'_>) -> Option<&'a MethodPlan> {
        let plan = self.input.json?;
        self.input.old_schema?;
        plan.methods
            .iter()
            .find(|other| other.new == pair.plan.new && other.old.is_some())
    }

    /// The JSON form of one side of an operation.
    fn codec(&self, pair: Option<&Option<(String, String)>>, old: &TokenStream) -> TokenStream {
        let kit = &self.kit;
        match pair {
            Some(Some((new, old))) => {
                let (root, name) = (
                    path(&one_deeper(&self.input.paths.json)),
                    json::name_of(self.input, new, old),
                );
                quote!(#root::#name)
            }
            // In the schema both sides say nothing.
            Some(None) => quote!(#kit::json::Nothing),
            None => quote!(#kit::adapt::ProtoJson<#old>),
        }
    }

    /// How the body of an HTTP request is read: a whole request by its codec, which takes either
    /// JSON of a peer; what stands in path and query too, through the older proto.
    fn body(
        &self,
        pair: &Pair<'_>,
        request_json: &TokenStream,
        old_request: &TokenStream,
    ) -> (TokenStream, Option<TokenStream>) {
        let kit = &self.kit;
        let by_proto = (quote!(#kit::adapt::ProtoJson<#old_request>), None);
        if self.input.old_schema.is_none() {
            return by_proto;
        }
        let hooked = pair.plan.request.as_ref().is_some_and(|(new, old)| {
            self.input
                .proto
                .message(new, old)
                .is_some_and(|plan| matches!(plan.how, How::Hook(_)))
        });
        let whole = pair
            .old
            .bindings
            .iter()
            .all(|binding| binding.template.variables.is_empty() && binding.body == Body::All)
            && !pair.old.bindings.is_empty();
        let read = |function: TokenStream| {
            Some(quote! {
                fn read_http(
                    input: &#kit::HttpRequest<'_>,
                    adapter: &#kit::adapt::Adapter,
                ) -> ::core::result::Result<Self::NewRequest, #kit::Error> {
                    #kit::#function::<Self>(input, adapter)
                }
            })
        };
        if hooked {
            let name = ident(pair.old.request.rsplit('.').next().unwrap_or_default());
            let root = path(&one_deeper(&self.input.paths.json));
            let read = read(quote!(read_placed_body));
            let write = quote! {
                fn http_body(
                    request: &Self::OldRequest,
                    body: #kit::bytes::Bytes,
                ) -> ::core::result::Result<#kit::bytes::Bytes, #kit::Error> {
                    #kit::Shapes::<Self::NewRequest>::widen(request, body)
                }
            };
            (quote!(#root::#name), Some(quote!(#read #write)))
        } else if whole {
            (request_json.clone(), read(quote!(read_whole_body)))
        } else {
            by_proto
        }
    }

    fn dispatch(&self) -> TokenStream {
        let Self { kit, table, .. } = self;
        let services = path(&self.input.paths.new_services);
        let (name, boxed) = (
            ident(&format!("Old{}", self.new.rust_name)),
            ident(&format!("Box{}", self.new.rust_name)),
        );
        let service_trait = ident(&self.new.rust_name);
        let docs = docs(
            "",
            &format!(
                "Any `{}`, as callers of the older version see it.",
                self.new.rust_name
            ),
        );
        let arms = self.pairs().map(|pair| {
            let index = Literal::usize_unsuffixed(pair.old_index);
            let (operation, method) = (
                operation_name(pair.old),
                ident(&pair.new.rust_name),
            );
            let call = ident(if pair.new.server_streaming {
                "old_stream"
            } else {
                "old_unary"
            });
            quote! {
                #index => ::std::boxed::Box::pin(#kit::#call::<self::operations::#operation, _>(
                    input,
                    &self.adapting,
                    move |request| <#services::#boxed as #services::#service_trait>::#method(&self.service, context, request),
                )),
            }
        });
        quote! {
            #docs
            #[derive(::core::clone::Clone)]
            pub struct #name {
                service: #services::#boxed,
                adapting: #kit::Adapting,
            }

            impl self::#name {
                /// Serves a service to callers of the older version.
                #[must_use]
                pub fn new(service: #services::#boxed, adapting: #kit::Adapting) -> Self {
                    Self { service, adapting }
                }
            }

            impl #kit::Dispatch for self::#name {
                fn service(&self) -> &'static #kit::ServiceSpec {
                    &self::#table
                }

                fn call<'a>(
                    &'a self,
                    operation: usize,
                    context: #kit::CallContext,
                    input: #kit::Input<'a>,
                ) -> #kit::BoxFuture<'a, ::core::result::Result<#kit::Reply, #kit::Error>> {
                    match operation {
                        #(#arms)*
                        _ => {
                            let _ = (context, input);
                            ::std::boxed::Box::pin(async {
                                ::core::result::Result::Err(#kit::Error::unimplemented("this operation"))
                            })
                        }
                    }
                }
            }
        }
    }

    fn client(&self) -> TokenStream {
        let Self { kit, table, .. } = self;
        let services = path(&self.input.paths.new_services);
        let name = ident(&format!("Old{}Client", self.new.rust_name));
        let service_trait = ident(&self.new.rust_name);
        let methods = self.new.methods.iter().enumerate().map(|(index, method)| {
            let call = self.call(index, method);
            let request = message(self.input.new, &self.input.paths.new, &method.request);
            let response = message(self.input.new, &self.input.paths.new, &method.response);
            let method_name = ident(&method.rust_name);
            let answer = if method.server_streaming {
                quote!(EventStream)
            } else {
                quote!(Shared)
            };
            quote! {
                fn #method_name(
                    &self,
                    context: #kit::CallContext,
                    request: #request,
                ) -> impl ::core::future::Future<
                    Output = ::core::result::Result<#kit::#answer<#response>, #kit::Error>,
                > + ::core::marker::Send {
                    #call
                }
            }
        });
        let docs = docs(
            "",
            &format!(
                "A `{}` that is called in the older version.",
                self.new.rust_name
            ),
        );
        quote! {
            #docs
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            pub struct #name {
                channel: ::std::sync::Arc<dyn #kit::Channel>,
                adapting: #kit::Adapting,
            }

            impl self::#name {
                /// Calls a peer of the older version through a channel.
                #[must_use]
                pub fn new(channel: ::std::sync::Arc<dyn #kit::Channel>, adapting: #kit::Adapting) -> Self {
                    Self { channel, adapting }
                }

                /// The older version's tables.
                #[must_use]
                pub fn service(&self) -> &'static #kit::ServiceSpec {
                    &self::#table
                }
            }

            impl #services::#service_trait for self::#name {
                #(#methods)*
            }
        }
    }

    /// The body of a method of the client.
    fn call(&self, index: usize, method: &Method) -> TokenStream {
        let (kit, table) = (&self.kit, &self.table);
        let Some(pair) = self.pairs().find(|pair| pair.plan.new == Some(index)) else {
            let name = &method.proto_name;
            return quote! {
                let _ = (context, request);
                async { ::core::result::Result::Err(self.adapting.missing(#name)) }
            };
        };
        let operation = operation_name(pair.old);
        let index = Literal::usize_unsuffixed(pair.old_index);
        let call = ident(if method.server_streaming {
            "call_old_stream"
        } else {
            "call_old_unary"
        });
        quote! {
            #kit::#call::<self::operations::#operation>(
                &*self.channel, &self::#table, #index, &self.adapting, context, request,
            )
        }
    }
}

/// A path as it is in the module of the operations, which is below the one that paths begin in.
fn one_deeper(path: &str) -> String {
    match path.strip_prefix("self::") {
        Some(rest) => format!("super::{rest}"),
        None if path.starts_with("super::") => format!("super::{path}"),
        None => path.to_owned(),
    }
}

/// The Rust type of a message.
fn message(api: &Api, root: &str, name: &str) -> TokenStream {
    let Some(message) = api.messages.get(name) else {
        return quote!(());
    };
    let mut tokens = path(root);
    for segment in &message.rust_path {
        let segment = ident(segment);
        tokens.extend(quote!(::#segment));
    }
    tokens
}

/// The type of an operation.
fn operation_name(method: &Method) -> Ident {
    ident(&method.proto_name.to_upper_camel_case())
}
