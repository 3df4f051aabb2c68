//! The card of an agent, as calls of setters.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::LitStr;

use super::scheme_mark;
use crate::ast::{Agent, Extension, Flow, Interface, Requirement, Scheme, SchemeKind};
use crate::attr::{Json, Texts};

/// The body of `AgentSpec::description`.
pub(super) fn description(agent: &Agent) -> TokenStream {
    let runtime = &agent.runtime;
    let card = card(agent);
    let bindings = on_list("bindings", &agent.bindings, |binding| {
        let binding = word(binding);
        quote!(#runtime::Binding::#binding)
    });
    let versions = on_list("versions", &agent.versions, |version| {
        let version = word(version);
        quote!(#runtime::ProtocolVersion::#version)
    });
    let interfaces = agent
        .interfaces
        .iter()
        .filter_map(|said| interface(runtime, said));
    let tenants = agent.tenants.as_ref().map(|tenants| {
        let texts = &tenants.texts;
        quote!(.tenants(&[#(#texts),*]))
    });
    quote! {
        #runtime::skills::Description::new(#card) #bindings #versions #(#interfaces)* #tenants
    }
}

fn card(agent: &Agent) -> TokenStream {
    let runtime = &agent.runtime;
    let texts = setters(&agent.texts);
    // The user's crate, not this one.
    let version = agent
        .texts
        .iter()
        .all(|(member, _)| *member != "version")
        .then(|| quote!(.with_version(::core::env!("CARGO_PKG_VERSION"))));
    let provider = agent.provider.as_ref().map(|said| {
        let texts = setters(said);
        quote!(.with_provider(#runtime::v1_0::AgentProvider::new() #texts))
    });
    let capabilities = capabilities(agent);
    let schemes = &agent.schemes;
    let schemes = (!schemes.is_empty()).then(|| {
        let schemes = schemes.iter().filter_map(|said| scheme(runtime, said));
        quote!(.with_security_schemes([#(#schemes),*]))
    });
    let requirements = requirements(runtime, &agent.security, |name| {
        let text = name.text();
        if !agent
            .schemes
            .iter()
            .any(|scheme| scheme.name.text() == text)
        {
            return quote!(#text);
        }
        let mark = scheme_mark(name);
        quote!(Self::#mark)
    });
    let input_modes = list("with_default_input_modes", agent.input_modes.as_ref());
    let output_modes = list("with_default_output_modes", agent.output_modes.as_ref());
    quote! {
        #runtime::v1_0::AgentCard::new()
            #texts #version #provider #capabilities #schemes #requirements #input_modes #output_modes
    }
}

fn capabilities(agent: &Agent) -> TokenStream {
    let runtime = &agent.runtime;
    let flags = agent.capabilities.iter().map(|(name, flag)| {
        let (setter, value) = (setter(name), flag.value);
        quote!(.#setter(#value))
    });
    let extensions = (!agent.extensions.is_empty()).then(|| {
        let extensions = agent.extensions.iter().map(|said| extension(runtime, said));
        quote!(.with_extensions([#(#extensions),*]))
    });
    quote! {
        .with_capabilities(#runtime::v1_0::AgentCapabilities::new() #(#flags)* #extensions)
    }
}

fn extension(runtime: &TokenStream, said: &Extension) -> TokenStream {
    let uri = text("with_uri", said.uri.as_ref());
    let description = text("with_description", said.description.as_ref());
    let required = said.required.map(|flag| {
        let value = flag.value;
        quote!(.with_required(#value))
    });
    let params = said.params.as_ref().map(|params| {
        let params = json(runtime, params);
        quote!(.with_params(#params))
    });
    quote!(#runtime::v1_0::AgentExtension::new() #uri #description #required #params)
}

/// An expression of the type that the kind of JSON has: `Struct` for an object, else `Value`.
fn json(runtime: &TokenStream, value: &Json) -> TokenStream {
    let value_of = |value: TokenStream| from(&quote!(#runtime::types::Value), &value);
    match value {
        Json::Null => quote!(<#runtime::types::Value as ::core::default::Default>::default()),
        Json::Bool(value) => value_of(quote!(#value)),
        Json::Text(text) => value_of(quote!(#text)),
        Json::Integer(minus, number) => {
            let number = integer(minus.is_some(), number.base10_digits(), number.span());
            value_of(number)
        }
        Json::Float(minus, number) => value_of(quote!(#minus #number)),
        Json::Array(values) => {
            let values = values.iter().map(|value| member(runtime, value));
            let from = quote!(::core::iter::FromIterator<#runtime::types::Value>);
            value_of(quote!(<#runtime::types::ListValue as #from>::from_iter([#(#values),*])))
        }
        Json::Object(members) if members.is_empty() => {
            quote!(<#runtime::types::Struct as ::core::default::Default>::default())
        }
        Json::Object(members) => {
            let members = members.iter().map(|(key, value)| {
                let value = member(runtime, value);
                quote!((#key, #value))
            });
            from(&quote!(#runtime::types::Struct), &quote!([#(#members),*]))
        }
    }
}

/// With its type, since more than one would do.
fn integer(negative: bool, digits: &str, span: Span) -> TokenStream {
    let number = format!("{}{digits}", if negative { "-" } else { "" });
    let fits = number.parse().map(Literal::i64_suffixed).ok();
    let literal = fits.or_else(|| number.parse().map(Literal::u64_suffixed).ok());
    literal
        .map(|mut literal| {
            literal.set_span(span);
            literal.to_token_stream()
        })
        .unwrap_or_default()
}

/// Where no prelude is, traits have to be named.
fn from(target: &TokenStream, value: &TokenStream) -> TokenStream {
    quote!(<#target as ::core::convert::From<_>>::from(#value))
}

fn member(runtime: &TokenStream, value: &Json) -> TokenStream {
    let inner = json(runtime, value);
    match value {
        Json::Object(_) => from(&quote!(#runtime::types::Value), &inner),
        _ => inner,
    }
}

fn scheme(runtime: &TokenStream, said: &Scheme) -> Option<TokenStream> {
    let name = said.name.text();
    let SchemeKind {
        variant,
        texts,
        flow: said_flow,
    } = said.kind.as_ref()?;
    let (setter, message) = (setter(variant.member), word(variant.message));
    let texts = setters(texts);
    let flows = said_flow.as_ref().map(|said| flow(runtime, said));
    Some(quote! {
        (
            #name,
            #runtime::v1_0::SecurityScheme::new()
                .#setter(#runtime::v1_0::#message::new() #texts #flows),
        )
    })
}

fn flow(runtime: &TokenStream, said: &Flow) -> TokenStream {
    let (setter, message) = (setter(said.variant.member), word(said.variant.message));
    let texts = setters(&said.texts);
    let scopes = (!said.scopes.is_empty()).then(|| {
        let scopes = said
            .scopes
            .iter()
            .map(|(scope, meaning)| quote!((#scope, #meaning)));
        quote!(.with_scopes([#(#scopes),*]))
    });
    let pkce_required = said.pkce_required.map(|flag| {
        let value = flag.value;
        quote!(.with_pkce_required(#value))
    });
    quote! {
        .with_flows(
            #runtime::v1_0::OAuthFlows::new()
                .#setter(#runtime::v1_0::#message::new() #texts #scopes #pkce_required),
        )
    }
}

fn interface(runtime: &TokenStream, said: &Interface) -> Option<TokenStream> {
    let (binding, version) = (word(said.binding?), word(said.version?));
    let url = said.url.as_ref()?;
    let tenant = said
        .tenant
        .as_ref()
        .map_or_else(|| quote!(""), |tenant| quote!(#tenant));
    Some(quote! {
        .interface(#runtime::Binding::#binding, #runtime::ProtocolVersion::#version, #url, #tenant)
    })
}

/// `.with_security_requirements(…)`; `name` writes the name of a scheme.
pub(super) fn requirements(
    runtime: &TokenStream,
    said: &[Requirement],
    name: impl Fn(&crate::attr::Head) -> TokenStream,
) -> Option<TokenStream> {
    let requirements = said.iter().map(|requirement| {
        let schemes = requirement.schemes.iter().map(|(scheme, scopes)| {
            let name = name(scheme);
            let scopes = (!scopes.is_empty()).then(|| quote!(.with_list([#(#scopes),*])));
            quote!((#name, #runtime::v1_0::StringList::new() #scopes))
        });
        let schemes =
            (!requirement.schemes.is_empty()).then(|| quote!(.with_schemes([#(#schemes),*])));
        quote!(#runtime::v1_0::SecurityRequirement::new() #schemes)
    });
    (!said.is_empty()).then(|| quote!(.with_security_requirements([#(#requirements),*])))
}

/// `.with_tags(["…", "…"])`
pub(super) fn list(setter: &str, said: Option<&Texts>) -> Option<TokenStream> {
    let texts = &said?.texts;
    let setter = word(setter);
    (!texts.is_empty()).then(|| quote!(.#setter([#(#texts),*])))
}

fn text(setter: &str, said: Option<&LitStr>) -> Option<TokenStream> {
    let text = said?;
    let setter = word(setter);
    Some(quote!(.#setter(#text)))
}

fn setters(texts: &[(&'static str, LitStr)]) -> TokenStream {
    let setters = texts.iter().map(|(member, text)| {
        let setter = setter(member);
        quote!(.#setter(#text))
    });
    setters.collect()
}

fn on_list<T>(
    method: &str,
    values: &[T],
    value: impl Fn(&T) -> TokenStream,
) -> Option<TokenStream> {
    let method = word(method);
    let values: Vec<TokenStream> = values.iter().map(value).collect();
    (!values.is_empty()).then(|| quote!(.#method(&[#(#values),*])))
}

fn setter(member: &str) -> Ident {
    word(&format!("with_{member}"))
}

fn word(word: &str) -> Ident {
    Ident::new(word, Span::call_site())
}
