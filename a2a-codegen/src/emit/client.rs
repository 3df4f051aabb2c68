//! The typed client of a service.
//!
//! Comes in: a service of the model. Goes out, for a service `Lib`: `LibClient`, which is a `Lib`
//! too and hands each call to a channel. Which binding and which peer that is, it does not know.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::docs::docs;
use super::ident;
use super::service::Emitter;

pub(super) fn emit(emitter: &Emitter<'_>) -> TokenStream {
    let Emitter {
        kit,
        service_trait,
        client,
        table,
        service,
        allow,
        ..
    } = emitter;
    let client_docs = docs(
        "",
        &format!(
            "Calls a [`{service_trait}`] that lives somewhere else; cheap to clone. It is a \
             [`{service_trait}`] itself, so that it can be served again."
        ),
    );
    let unread = emitter.unread();
    let methods = service.methods.iter().enumerate().map(|(index, method)| {
        let head = emitter.async_head(method);
        let index = Literal::usize_unsuffixed(index);
        let call = ident(if method.server_streaming {
            "call_stream"
        } else {
            "call_unary"
        });
        quote! {
            #head {
                #kit::#call(&*self.0, &self::#table, #index, context, request)
            }
        }
    });
    quote! {
        #client_docs
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #unread
        pub struct #client(::std::sync::Arc<dyn #kit::Channel>);

        impl self::#client {
            /// A client that calls through a channel: one binding of one peer.
            #[must_use]
            pub fn new(channel: impl #kit::Channel) -> Self {
                Self(::std::sync::Arc::new(channel))
            }
        }

        #allow
        impl self::#service_trait for self::#client {
            #(#methods)*
        }
    }
}
