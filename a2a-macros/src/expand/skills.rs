//! The skills of an agent: each a card entry, and a call of its method.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::{card, scheme_mark};
use crate::ast::{Block, Parameter, Skill};

pub(super) fn code(block: &Block) -> TokenStream {
    let (runtime, agent) = (&block.runtime, &block.agent);
    let skills = block.skills.iter().map(|said| skill(runtime, said));
    let checks = block.skills.iter().map(|said| checks(block, said));
    quote! {
        #[automatically_derived]
        impl #runtime::skills::Skills for #agent {
            fn skills() -> ::std::vec::Vec<#runtime::skills::Skill<Self>> {
                #[allow(unused_imports)]
                use #runtime::skills::typed::Refused as _;
                let mut skills = ::std::vec::Vec::new();
                #(#skills)*
                skills
            }
        }
        #(#checks)*
    }
}

fn skill(runtime: &TokenStream, said: &Skill) -> TokenStream {
    let Skill {
        conditions,
        method,
        output,
        ..
    } = said;
    let entry = entry(runtime, said);
    let inputs: Vec<&Type> = said.parameters.iter().filter_map(input).collect();
    let names: Vec<Ident> = (0..inputs.len())
        .map(|at| format_ident!("input_{at}"))
        .collect();
    let names_of_kind = if said.answers {
        ["message", "message", "answer", "answers"]
    } else {
        ["task", "task", "reply", "gives"]
    };
    let [kind, context, reply, gives] =
        names_of_kind.map(|name| Ident::new(name, Span::call_site()));
    let mut taken = names.iter();
    let arguments = said.parameters.iter().map(|parameter| match parameter {
        Parameter::Context(span) => {
            let span = span.resolved_at(Span::call_site());
            quote_spanned!(span=> turn.#context())
        }
        Parameter::Input(_) => taken.next().to_token_stream(),
    });
    let take = (!inputs.is_empty()).then(|| quote!(let (#(#names,)*) = turn.inputs()?;));
    // A wrong type is told once, at its place.
    let takes = inputs.iter().map(|ty| {
        let span = ty.span().resolved_at(Span::call_site());
        quote_spanned!(span=> #runtime::skills::typed::takes::<#ty>();)
    });
    let output_span = said.output_span().resolved_at(Span::call_site());
    let gives = quote_spanned!(output_span=> #runtime::skills::typed::#gives::<#output>(););
    // So is what is wrong with the method's future.
    let span = method.span().resolved_at(Span::call_site());
    let call = quote_spanned! {span=>
        ::std::boxed::Box::pin(async move {
            #take
            #runtime::skills::typed::Typed::<(#(#inputs,)*), #output>::#reply(turn, Self::#method(agent, #(#arguments),*).await).await
        })
    };
    let marks = [("default_skill", said.default), ("extended", said.extended)];
    let marks = marks.into_iter().filter_map(|(mark, flag)| {
        let mark = Ident::new(mark, Span::call_site());
        flag.filter(|flag| flag.value).map(|_| quote!(.#mark()))
    });
    let on_restart = said.on_restart.as_ref().map(|policy| {
        let variant = Ident::new(policy.variant, Span::call_site());
        quote!(.on_restart(#runtime::agent::OnRestart::#variant))
    });
    quote! {
        #(#conditions)*
        {
            #(#takes)*
            #gives
            skills.push(
                #runtime::skills::typed::Typed::<(#(#inputs,)*), #output>::#kind(#entry, |agent, turn| #call)
                    #(#marks)*
                    #on_restart,
            );
        }
    }
}

fn entry(runtime: &TokenStream, said: &Skill) -> TokenStream {
    let Skill {
        id,
        name,
        description,
        tags,
        ..
    } = said;
    let tags = card::list("with_tags", Some(tags));
    let examples = card::list("with_examples", said.examples.as_ref());
    let input_modes = card::list("with_input_modes", said.input_modes.as_ref());
    let output_modes = card::list("with_output_modes", said.output_modes.as_ref());
    let security = card::requirements(runtime, &said.security, |scheme| {
        scheme.text().to_token_stream()
    });
    quote! {
        #runtime::v1_0::AgentSkill::new()
            .with_id(#id)
            .with_name(#name)
            .with_description(#description)
            #tags #examples #input_modes #output_modes #security
    }
}

fn input(parameter: &Parameter) -> Option<&Type> {
    match parameter {
        Parameter::Input(ty) => Some(ty),
        Parameter::Context(_) => None,
    }
}

/// What the agent's attribute has to say for this skill.
fn checks(block: &Block, said: &Skill) -> TokenStream {
    let (runtime, agent) = (&block.runtime, &block.agent);
    let conditions = &said.conditions;
    let schemes = said
        .security
        .iter()
        .flat_map(|requirement| &requirement.schemes);
    let schemes = schemes.map(|(name, _)| {
        let mark = scheme_mark(name);
        let text = name.text();
        let message = format!(
            "no security scheme is called `{text}`: declare it with scheme({text}, …) in #[a2a_agent]"
        );
        let span = name.span().resolved_at(Span::call_site());
        // The constant of the struct hides that of the trait, if there is one.
        quote_spanned! {span=>
            #(#conditions)*
            const _: () = {
                #[allow(dead_code, non_upper_case_globals)]
                trait Undeclared {
                    const #mark: &'static ::core::primitive::str = "";
                }
                impl<T: ?::core::marker::Sized> Undeclared for T {}
                ::core::assert!(!<#agent>::#mark.is_empty(), #message);
            };
        }
    });
    let streaming = (!said.answers).then(|| {
        let output = without_self(said.output.to_token_stream(), agent);
        let span = said.output_span().resolved_at(Span::call_site());
        quote_spanned! {span=>
            #(#conditions)*
            const _: () = {
                #[allow(unused_imports)]
                use #runtime::skills::typed::Refused as _;
                ::core::assert!(
                    !#runtime::skills::typed::Typed::<(), #output>::STREAMS
                        || #runtime::skills::typed::Typed::<#agent, ()>::STREAMING,
                    "this skill streams its reply, so the agent has to say that it can: add capabilities(streaming) to #[a2a_agent]"
                );
            };
        }
    });
    quote!(#(#schemes)* #streaming)
}

/// `Self` has no meaning outside of the block.
fn without_self(tokens: TokenStream, agent: &Type) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) if word == "Self" => quote!(#agent),
        TokenTree::Group(group) => {
            let inner = without_self(group.stream(), agent);
            let mut copy = proc_macro2::Group::new(group.delimiter(), inner);
            copy.set_span(group.span());
            TokenTree::from(copy).into()
        }
        other => other.into(),
    });
    replaced.collect()
}
