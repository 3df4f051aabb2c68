//! The attributes of `a2a-kit`, where they are documented: `#[a2a_agent]`, `#[a2a_skills]`, `#[skill]`
//! and `#[derive(Failure)]`.
//!
//! Comes in: an attribute and the item under it. Goes out: the item as it was, and the code that makes
//! an agent of it; or the item, and all that is wrong with it at once. `attr` is the grammar, `ast`
//! what is said, `valid` what parts have to do with each other, `expand` the code, and `fallback`
//! what stands there when there are faults. Knows the names of `a2a_kit::skills`, and nothing of how it
//! works.

mod ast;
mod attr;
mod expand;
mod failure;
mod fallback;
mod names;
#[cfg(test)]
mod tests;
mod valid;

use proc_macro::TokenStream;

/// Makes an agent of a struct; documented in `a2a_kit`.
#[proc_macro_attribute]
pub fn a2a_agent(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::agent(arguments.into(), &item.into()).into()
}

/// Makes the methods of an `impl` block the skills of an agent; documented in `a2a_kit`.
#[proc_macro_attribute]
pub fn a2a_skills(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::skills(arguments.into(), &item.into()).into()
}

/// Says that a method is a skill, in a block with `#[a2a_skills]`; documented in `a2a_kit`.
#[proc_macro_attribute]
pub fn skill(_: TokenStream, item: TokenStream) -> TokenStream {
    fallback::lone_skill(&item.into()).into()
}

/// Makes the variants of an enum reasons for which a skill fails; documented in `a2a_kit`.
#[proc_macro_derive(Failure, attributes(failure))]
pub fn failure(item: TokenStream) -> TokenStream {
    failure::derive(item.into()).into()
}
