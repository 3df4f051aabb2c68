//! What a method's signature says of a skill.
//!
//! Comes in: a signature. Goes out: which parameters are parts of a message and which is the context,
//! and what is returned.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{FnArg, ReturnType, Type};

use crate::attr::Faults;

pub(crate) enum Parameter {
    /// By reference: the task, or the message. Where its type stands.
    Context(Span),
    Input(Box<Type>),
}

/// How many parts a method may take apart from the context.
const MOST_INPUTS: usize = 8;

pub(super) fn check_signature(signature: &syn::Signature, faults: &mut Faults) {
    let name = &signature.ident;
    if signature.asyncness.is_none() {
        faults.on(
            signature.fn_token,
            format!("a skill is asynchronous: write `async fn {name}`"),
        );
    }
    if !signature.generics.params.is_empty() {
        faults.on(
            &signature.generics,
            "a skill has no generic parameters: what it takes and gives is published in the card, so write the types out",
        );
    }
    if let Some(unsafety) = &signature.unsafety {
        faults.on(
            unsafety,
            "a skill is called for whoever asks: it cannot be `unsafe`",
        );
    }
    match signature.receiver() {
        None => faults.on(
            name,
            format!("a skill is a method: write `async fn {name}(&self, …)`"),
        ),
        Some(receiver) if !is_shared(receiver) => faults.on(
            receiver,
            "a skill takes `&self`: an agent works on many tasks at once, so what changes lives in a Mutex, a channel or a database",
        ),
        Some(_) => {}
    }
}

fn is_shared(receiver: &syn::Receiver) -> bool {
    match (&receiver.reference, &receiver.colon_token, &*receiver.ty) {
        (Some(_), None, _) => receiver.mutability.is_none(),
        (None, Some(_), Type::Reference(reference)) => {
            reference.mutability.is_none() && reference.elem.to_token_stream().to_string() == "Self"
        }
        _ => false,
    }
}

pub(super) fn parameters(signature: &syn::Signature, faults: &mut Faults) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let mut inputs = 0;
    for argument in &signature.inputs {
        let FnArg::Typed(argument) = argument else {
            continue;
        };
        let ty = bare(&argument.ty);
        match ty {
            Type::Reference(reference) => {
                if let Some(mutability) = &reference.mutability {
                    faults.on(
                        mutability,
                        "the context is taken as `&TaskContext`, without `mut`; everything else by value",
                    );
                } else if is_text_or_slice(bare(&reference.elem)) {
                    faults.on(
                        ty,
                        "only the context is taken by reference, `&TaskContext`: text comes as `Text`, data as `Json<T>`, a file as `File`, everything as `Parts`",
                    );
                }
                parameters.push(Parameter::Context(reference.and_token.span));
            }
            Type::ImplTrait(_) => faults.on(
                ty,
                "what a skill takes is published in the card: write the type itself, such as `Text` or `Json<T>`",
            ),
            _ => {
                inputs += 1;
                if inputs == MOST_INPUTS + 1 {
                    faults.on(
                        ty,
                        format!("a skill takes at most {MOST_INPUTS} parameters besides the context: put them into one type and take `Json` of it"),
                    );
                }
                parameters.push(Parameter::Input(Box::new(ty.clone())));
            }
        }
    }
    parameters
}

/// Without the groups and parentheses around it.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(group) => bare(&group.elem),
        other => other,
    }
}

fn is_text_or_slice(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::Array(_) => true,
        Type::Path(path) => ["str", "String"]
            .iter()
            .any(|name| path.path.is_ident(name)),
        _ => false,
    }
}

pub(super) fn output(signature: &syn::Signature, faults: &mut Faults) -> Type {
    let ReturnType::Type(_, ty) = &signature.output else {
        return Type::Verbatim(quote!(()));
    };
    let ty = bare(ty);
    match ty {
        Type::ImplTrait(_) => faults.on(
            ty,
            "what a skill returns is published in the card: write the type itself; a stream is `Chunks`",
        ),
        Type::Never(_) => faults.on(ty, "a skill returns, at least `()`"),
        _ => {
            if let Some(span) = borrowed(ty.to_token_stream()) {
                faults.at(span, "a reply outlives the call: return what it owns, such as `String` for `&str`");
            }
        }
    }
    ty.clone()
}

/// A reference that is not `'static`.
fn borrowed(tokens: TokenStream) -> Option<Span> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '&' => {
                let lifetime = |input: ParseStream<'_>| input.parse::<syn::Lifetime>();
                let ahead: TokenStream = tokens.clone().take(2).collect();
                let is_static = lifetime
                    .parse2(ahead)
                    .is_ok_and(|name| name.ident == "static");
                if !is_static {
                    return Some(sign.span());
                }
            }
            TokenTree::Group(group) => {
                if let Some(span) = borrowed(group.stream()) {
                    return Some(span);
                }
            }
            _ => {}
        }
    }
    None
}
