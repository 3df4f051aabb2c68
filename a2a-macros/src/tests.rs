//! The code that is written, and what is said about wrong attributes, without a compiler.

mod faults;
mod golden;

use proc_macro2::TokenStream;

/// The texts of all `compile_error!`s in some code.
fn errors(code: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(code).unwrap();
    let macros = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(item) => Some(item.mac),
        _ => None,
    });
    let errors = macros.filter(|call| {
        let last = call.path.segments.last();
        last.is_some_and(|last| last.ident == "compile_error")
    });
    errors
        .map(|call| call.parse_body::<syn::LitStr>().unwrap().value())
        .collect()
}

/// Faults of `#[a2a_agent(…)]` on a documented struct.
fn agent_errors(arguments: &str) -> Vec<String> {
    let item = quote::quote! {
        /// Does things.
        struct Agent;
    };
    errors(crate::expand::agent(arguments.parse().unwrap(), &item))
}

/// Faults of a block.
fn block_errors(block: &str) -> Vec<String> {
    errors(crate::expand::skills(
        TokenStream::new(),
        &block.parse().unwrap(),
    ))
}

/// Faults of `#[skill(…)]` on a documented method.
fn skill_errors(arguments: &str) -> Vec<String> {
    block_errors(&format!(
        "impl Agent {{ /** Does it. */ #[skill({arguments})] async fn run(&self, text: Text) -> Text {{ text }} }}"
    ))
}
