//! A service: its trait, the forms in which routers hold it, and its tables.
//!
//! Comes in: a service of the model and the profile. Goes out, for a service `Lib`:
//!
//! - `trait Lib`: one method per operation, each with a body that says "not implemented";
//! - `DynLib`, its object-safe twin, hidden;
//! - `BoxLib`, any `Lib` with its type forgotten, which is a `Lib` too and has the one call that
//!   all routers make (`Dispatch`);
//! - `LibClient`, if it is wanted: a `Lib` that lives somewhere else;
//! - `LIB_SERVICE`, operations and routes;
//! - `LIB_EXTENSIONS_HEADER`, if the profile names one.
//!
//! Bodies are one call each. Everything is named in full, so that a method called `clone`, `new` or
//! `call` and a message called `Result` change nothing.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::docs::docs;
use super::{Paths, client, ident};
use crate::model::{Api, Method, Service};
use crate::profile::Profile;
use tables::shouty;

mod tables;

pub(crate) use tables::{emit_tables, table_name};

const EMPTY: &str = "google.protobuf.Empty";

/// Code of all services of a package. `errors` is the module of the statics that
/// [`emit_errors`](super::errors::emit_errors) writes: `self`, or for example `super::v1_0_errors`.
/// With `clients`, each service has a typed client too.
#[must_use]
pub fn emit_services(
    api: &Api,
    profile: &Profile,
    package: &str,
    paths: &Paths,
    errors: &str,
    clients: bool,
) -> TokenStream {
    let mut taken = Taken::of(api, package);
    let services = api
        .services
        .iter()
        .filter(|service| service.package == package);
    let services = services.map(|service| {
        Emitter::new(api, profile, service, paths, errors, &mut taken).service(clients)
    });
    quote!(#(#services)*)
}

/// Names of the module that are given away.
struct Taken(BTreeSet<String>);

impl Taken {
    fn of(api: &Api, package: &str) -> Self {
        let messages = api
            .messages
            .values()
            .filter(|message| message.package == package)
            .map(|message| &message.rust_path);
        let enums = api
            .enums
            .values()
            .filter(|each| each.package == package)
            .map(|each| &each.rust_path);
        Self(
            messages
                .chain(enums)
                .filter_map(|path| path.first())
                .cloned()
                .collect(),
        )
    }

    /// The name, with underscores behind it if something else in the module is called so.
    fn take(&mut self, name: &str) -> Ident {
        let mut name = name.to_owned();
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        ident(&name)
    }
}

/// What is said of one service.
pub(super) struct Emitter<'a> {
    api: &'a Api,
    profile: &'a Profile,
    pub(super) service: &'a Service,
    paths: &'a Paths,
    errors: &'a str,
    /// The hidden door into `a2a-kit`.
    pub(super) kit: TokenStream,
    pub(super) service_trait: Ident,
    dyn_trait: Ident,
    boxed: Ident,
    pub(super) client: Ident,
    pub(super) table: Ident,
    extensions_header: Ident,
    /// Lints that have nothing to say about this service.
    pub(super) allow: Option<TokenStream>,
}

impl<'a> Emitter<'a> {
    fn new(
        api: &'a Api,
        profile: &'a Profile,
        service: &'a Service,
        paths: &'a Paths,
        errors: &'a str,
        taken: &mut Taken,
    ) -> Self {
        let name = &service.rust_name;
        let shouty = shouty(service);
        Self {
            api,
            profile,
            service,
            paths,
            errors,
            kit: paths.kit_door(),
            service_trait: taken.take(name),
            dyn_trait: taken.take(&format!("Dyn{name}")),
            boxed: taken.take(&format!("Box{name}")),
            client: taken.take(&format!("{name}Client")),
            table: taken.take(&table_name(service)),
            extensions_header: taken.take(&format!("{shouty}_EXTENSIONS_HEADER")),
            allow: allow(service),
        }
    }

    fn service(&self, with_client: bool) -> TokenStream {
        let client = with_client.then(|| client::emit(self));
        let parts = [
            self.service_trait(),
            self.dyn_trait(),
            self.boxed(),
            self.dispatch(),
        ];
        let (table, extensions_header) = (self.table(), self.extensions_header());
        quote!(#(#parts)* #client #table #extensions_header)
    }

    /// In lower case, as HTTP/2 and gRPC have it.
    fn extensions_header(&self) -> Option<TokenStream> {
        let value = self.profile.extensions_header.as_ref()?;
        let (name, value) = (&self.extensions_header, value.to_ascii_lowercase());
        let docs = docs(
            "",
            &format!(
                "Header or gRPC metadata of `{}` that lists extensions.",
                self.service.proto_name
            ),
        );
        Some(quote!(#docs pub const #name: &str = #value;))
    }

    fn service_trait(&self) -> TokenStream {
        let Self {
            kit,
            service_trait,
            service,
            allow,
            ..
        } = self;
        let service_docs = docs(
            &service.docs,
            &format!("The service `{}`.", service.proto_name),
        );
        let methods = service.methods.iter().map(|method| {
            let docs = docs(&method.docs, &format!("`{}`.", method.proto_name));
            let deprecated = method.deprecated.then(|| quote!(#[deprecated]));
            let (head, proto_name) = (self.async_head(method), &method.proto_name);
            quote! {
                #docs
                #deprecated
                #head {
                    let _ = (context, request);
                    async { ::core::result::Result::Err(#kit::Error::unimplemented(#proto_name)) }
                }
            }
        });
        quote! {
            #service_docs
            #allow
            pub trait #service_trait: ::core::marker::Send + ::core::marker::Sync + 'static {
                #(#methods)*
            }
        }
    }

    fn dyn_trait(&self) -> TokenStream {
        let Self {
            service_trait,
            dyn_trait,
            service,
            allow,
            ..
        } = self;
        let declarations = service.methods.iter().map(|method| {
            let head = self.boxed_head(method);
            quote!(#head;)
        });
        let bodies = service.methods.iter().map(|method| {
            let (head, name) = (self.boxed_head(method), ident(&method.rust_name));
            quote! {
                #head {
                    ::std::boxed::Box::pin(<S as self::#service_trait>::#name(self, context, request))
                }
            }
        });
        quote! {
            #[doc(hidden)]
            #allow
            pub trait #dyn_trait: ::core::marker::Send + ::core::marker::Sync + 'static {
                #(#declarations)*
            }

            #allow
            impl<S: self::#service_trait> self::#dyn_trait for S {
                #(#bodies)*
            }
        }
    }

    fn boxed(&self) -> TokenStream {
        let Self {
            service_trait,
            dyn_trait,
            boxed,
            service,
            allow,
            ..
        } = self;
        let unread = self.unread();
        let boxed_docs = docs(
            "",
            &format!("Any [`{service_trait}`], its type forgotten; cheap to clone."),
        );
        let methods = service.methods.iter().map(|method| {
            let (head, name) = (self.async_head(method), ident(&method.rust_name));
            quote! {
                #head {
                    self::#dyn_trait::#name(&*self.0, context, request)
                }
            }
        });
        quote! {
            #boxed_docs
            #[derive(::core::clone::Clone)]
            #unread
            pub struct #boxed(::std::sync::Arc<dyn self::#dyn_trait>);

            impl self::#boxed {
                /// Forgets the type of a service.
                #[must_use]
                pub fn new(service: impl self::#service_trait) -> Self {
                    Self(::std::sync::Arc::new(service))
                }
            }

            #allow
            impl self::#service_trait for self::#boxed {
                #(#methods)*
            }
        }
    }

    /// For the only field of a type that hands calls on.
    pub(super) fn unread(&self) -> Option<TokenStream> {
        self.service
            .methods
            .is_empty()
            .then(|| quote!(#[allow(dead_code, reason = "a service without methods calls none")]))
    }

    fn dispatch(&self) -> TokenStream {
        let Self {
            kit,
            service_trait,
            boxed,
            table,
            service,
            allow,
            ..
        } = self;
        let arms = service.methods.iter().enumerate().map(|(index, method)| {
            let (index, name) = (Literal::usize_unsuffixed(index), ident(&method.rust_name));
            let call = if method.server_streaming {
                quote!(#kit::stream)
            } else {
                quote!(#kit::unary)
            };
            quote! {
                #index => ::std::boxed::Box::pin(#call(input, move |request| {
                    <Self as self::#service_trait>::#name(self, context, request)
                })),
            }
        });
        let unknown = quote! {
            let _ = (context, input);
            ::std::boxed::Box::pin(async {
                ::core::result::Result::Err(#kit::Error::unimplemented("this operation"))
            })
        };
        let body = if service.methods.is_empty() {
            quote!(let _ = operation; #unknown)
        } else {
            quote!(match operation { #(#arms)* _ => { #unknown } })
        };
        quote! {
            #allow
            impl #kit::Dispatch for self::#boxed {
                fn service(&self) -> &'static #kit::ServiceSpec {
                    &self::#table
                }

                fn call<'a>(
                    &'a self,
                    operation: usize,
                    context: #kit::CallContext,
                    input: #kit::Input<'a>,
                ) -> #kit::BoxFuture<'a, ::core::result::Result<#kit::Reply, #kit::Error>> {
                    #body
                }
            }
        }
    }

    /// `fn get(&self, context, request) -> impl Future`, without a body.
    pub(super) fn async_head(&self, method: &Method) -> TokenStream {
        let (arguments, result) = (self.arguments(method), self.result(method));
        quote!(#arguments -> impl ::core::future::Future<Output = #result> + ::core::marker::Send)
    }

    /// `fn get(&self, context, request) -> BoxFuture`, without a body.
    fn boxed_head(&self, method: &Method) -> TokenStream {
        let (kit, arguments, result) = (&self.kit, self.arguments(method), self.result(method));
        quote!(#arguments -> #kit::BoxFuture<'_, #result>)
    }

    fn arguments(&self, method: &Method) -> TokenStream {
        let (kit, name, request) = (
            &self.kit,
            ident(&method.rust_name),
            self.message(&method.request),
        );
        quote!(fn #name(&self, context: #kit::CallContext, request: #request))
    }

    fn result(&self, method: &Method) -> TokenStream {
        let (kit, response) = (&self.kit, self.message(&method.response));
        let answer = if method.server_streaming {
            quote!(EventStream)
        } else {
            quote!(Shared)
        };
        quote!(::core::result::Result<#kit::#answer<#response>, #kit::Error>)
    }

    /// The Rust type of a message.
    fn message(&self, name: &str) -> TokenStream {
        if name == EMPTY {
            return quote!(());
        }
        match self.api.messages.get(name) {
            Some(message) => {
                self.paths
                    .item(&self.service.package, &message.package, &message.rust_path)
            }
            None => self.elsewhere(name),
        }
    }

    /// A message of a file that nothing is written from: its module must be named, or it is in the
    /// tree of modules around this one. Only top-level messages can be told from their packages.
    fn elsewhere(&self, name: &str) -> TokenStream {
        let (package, message) = name.rsplit_once('.').unwrap_or(("", name));
        let rust_name = heck::ToUpperCamelCase::to_upper_camel_case(message);
        self.paths
            .item(&self.service.package, package, &[rust_name])
    }
}

/// What the names and options of the schema would be warned of.
fn allow(service: &Service) -> Option<TokenStream> {
    const CONVENTIONS: [&str; 5] = ["as_", "from_", "into_", "is_", "to_"];
    let unusual = |name: &str| {
        name == "new"
            || CONVENTIONS
                .iter()
                .any(|convention| name.starts_with(convention))
    };
    let names = service
        .methods
        .iter()
        .any(|method| unusual(&method.rust_name))
        .then(|| {
            quote! {
                #[allow(
                    clippy::new_ret_no_self,
                    clippy::wrong_self_convention,
                    reason = "the names are those of the schema"
                )]
            }
        });
    let deprecated = service.methods.iter().any(|method| method.deprecated).then(
        || quote!(#[allow(deprecated, reason = "it is served as long as the schema has it")]),
    );
    (names.is_some() || deprecated.is_some()).then(|| quote!(#names #deprecated))
}
