//! The skills of an agent: each a card entry, and a call of its method.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;

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
    let mut named = names.iter();
    let (kind, context) = match said.answers {
        true => (quote!(message), quote!(turn.message())),
        false => (quote!(task), quote!(turn.task())),
    };
    let arguments: Vec<TokenStream> = said
        .parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Context => context.clone(),
            Parameter::Input(_) => named
                .next()
                .map(ToTokens::to_token_stream)
                .unwrap_or_default(),
        })
        .collect();
    let taken = (!inputs.is_empty()).then(|| quote!(let (#(#names,)*) = turn.inputs()?;));
    // What is wrong with the method's future is told at the method.
    let span = method.span().resolved_at(Span::call_site());
    let call = quote_spanned! {span=>
        ::std::boxed::Box::pin(async move {
            #taken
            turn.reply(Self::#method(agent, #(#arguments),*).await).await
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
        skills.push(
            #runtime::skills::Skill::#kind::<(#(#inputs,)*), #output>(#entry, |agent, turn| #call)
                #(#marks)*
                #on_restart,
        );
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
        Parameter::Context => None,
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
                #[allow(non_upper_case_globals)]
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
            const _: () = ::core::assert!(
                !<#output as #runtime::skills::IntoReply>::STREAMS
                    || <#agent as #runtime::skills::AgentSpec>::STREAMING,
                "this skill streams its reply, so the agent has to say that it can: add capabilities(streaming) to #[a2a_agent]"
            );
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
