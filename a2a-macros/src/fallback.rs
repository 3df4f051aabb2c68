//! What stands there when there are faults: the item, what others may use of it, and the faults.
//!
//! Comes in: an item that an attribute is wrong on. Goes out: the item without the attribute, so that
//! the rest of the program is not told that it does not exist.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

/// The item is not what the attribute is for.
pub(crate) fn item(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#item #error)
}

/// A block whose skills are not in order: the agent has none.
pub(crate) fn block(
    item: &TokenStream,
    runtime: &TokenStream,
    agent: &Type,
    error: &syn::Error,
) -> TokenStream {
    let error = error.to_compile_error();
    quote! {
        #[allow(dead_code)]
        #item
        #error
        #[automatically_derived]
        impl #runtime::skills::Skills for #agent {
            fn skills() -> ::std::vec::Vec<#runtime::skills::Skill<Self>> {
                ::std::vec::Vec::new()
            }
        }
    }
}

/// `#[skill]` where no `#[a2a_skills]` has taken it away.
pub(crate) fn lone_skill(item: &TokenStream) -> TokenStream {
    let error = syn::Error::new(
        proc_macro2::Span::call_site(),
        "#[skill] stands on a method in an `impl` block with #[a2a_skills]: write #[a2a_skills] above the block",
    );
    self::item(item, &error)
}
