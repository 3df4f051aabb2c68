//! The code of an agent.
//!
//! Comes in: what the attributes say, checked. Goes out: the item as it was, and implementations of
//! `AgentSpec` and `Skills`. Every path begins at the root; what lints look at keeps the spans of the
//! user's tokens only where the user can mend it.

mod card;
mod skills;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parse;
use syn::{Attribute, Ident, Visibility};

use crate::ast::{Agent, Block, Impl, Struct};
use crate::attr::{Faults, Head};
use crate::{fallback, valid};

/// `#[a2a_agent]`
pub(crate) fn agent(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let read = match Struct::read(item.clone()) {
        Ok(read) => read,
        Err(error) => return fallback::item(item, &error),
    };
    if !read.generics.params.is_empty() {
        let error = syn::Error::new_spanned(
            &read.generics,
            "an agent has no generic parameters: its card has to be known without them. Write the types out, or keep a Box<dyn …>",
        );
        return fallback::item(item, &error);
    }
    let mut faults = Faults::default();
    let conditions = conditions(&read.attributes);
    let agent = Agent::read(arguments, read, &mut faults);
    valid::check_agent(&agent, &mut faults);
    let code = under(&conditions, agent_code(&agent));
    // What could be read is there even if something else is wrong.
    let errors = faults.or(()).err().map(|error| error.to_compile_error());
    quote!(#item #errors #code)
}

fn agent_code(agent: &Agent) -> TokenStream {
    let Agent {
        runtime,
        ident,
        visibility,
        ..
    } = agent;
    let visibility = unlinted(visibility);
    let streaming = agent.has("streaming");
    let marks = scheme_marks(agent);
    let description = card::description(agent);
    quote! {
        #[automatically_derived]
        impl #runtime::skills::AgentSpec for #ident {
            const STREAMING: ::core::primitive::bool = #streaming;

            #[allow(deprecated)]
            fn description() -> #runtime::skills::Description {
                #description
            }
        }

        #[allow(dead_code)]
        impl #ident {
            /// The agent with its skills, ready to be served.
            #[must_use]
            #visibility fn into_agent(self) -> #runtime::skills::AgentApp<Self> {
                #runtime::skills::AgentApp::new(self)
            }

            /// The public card of the agent, as far as it is known before the agent is served.
            #[must_use]
            #visibility fn card() -> #runtime::v1_0::AgentCard {
                #runtime::skills::card::<Self>()
            }
        }

        #marks
    }
}

/// A constant for each security scheme, under which skills find it. A scheme that no requirement
/// names is thus an unused constant, which rustc tells at the scheme's name.
fn scheme_marks(agent: &Agent) -> Option<TokenStream> {
    let ident = &agent.ident;
    let mut seen: Vec<String> = Vec::new();
    let mut marks = Vec::new();
    for scheme in &agent.schemes {
        let name = scheme.name.text();
        let mark = scheme_mark(&scheme.name);
        if !seen.contains(&name) {
            let span = scheme.name.span();
            marks.push(quote_spanned! {span=>
                pub(crate) const #mark: &'static ::core::primitive::str = #name;
            });
            seen.push(name);
        }
    }
    let span = agent.ident.span();
    (!marks.is_empty()).then(|| {
        quote_spanned! {span=>
            #[allow(non_upper_case_globals)]
            #[doc(hidden)]
            impl #ident {
                #(#marks)*
            }
        }
    })
}

/// `security_scheme_key`, at the place where the name was written.
fn scheme_mark(name: &Head) -> Ident {
    let text = name.text();
    let letters = text.chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '_' => letter.to_string(),
        other => format!("_{:x}_", u32::from(other)),
    });
    let letters: String = letters.collect();
    Ident::new(&format!("security_scheme_{letters}"), name.span())
}

/// `#[a2a_skills]`
pub(crate) fn skills(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let read = match syn::parse::Parser::parse2(Impl::parse, item.clone()) {
        Ok(read) => read,
        Err(error) => return fallback::item(item, &error),
    };
    let mut faults = Faults::default();
    let block = Block::read(arguments, &read, &mut faults);
    valid::check_block(&block, &mut faults);
    let read = read.without_taken_names();
    let item = read.to_token_stream();
    match faults.or(()) {
        Ok(()) => {
            let code = under(&conditions(read.attributes()), skills::code(&block));
            quote!(#item #code)
        }
        // Without a type that could be an agent there is nothing more to say.
        Err(error) if read.is_of_trait() || read.is_generic() => fallback::item(&item, &error),
        Err(error) => fallback::block(&item, &block.runtime, read.agent(), &error),
    }
}

/// The `#[cfg]`s that stand below the attribute: those above it have been decided.
fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    let is_condition = |attribute: &&Attribute| attribute.path().is_ident("cfg");
    attributes.iter().filter(is_condition).cloned().collect()
}

/// Code that is there when its item is.
fn under(conditions: &[Attribute], code: TokenStream) -> TokenStream {
    if conditions.is_empty() {
        return code;
    }
    quote! {
        #(#conditions)*
        const _: () = { #code };
    }
}

/// The same visibility, at the place of the attribute: what is public only in name is not for the user
/// to be told twice.
fn unlinted(visibility: &Visibility) -> TokenStream {
    let tokens = visibility.to_token_stream().into_iter();
    let spanned = tokens.map(|mut token| {
        token.set_span(token.span().resolved_at(Span::call_site()));
        token
    });
    spanned.collect()
}
