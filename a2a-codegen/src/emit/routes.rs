//! The route table of a service.
//!
//! Comes in: the bindings of its methods. Goes out: `Route` values in the order in which the
//! router tries them, so that the first that fits is the best.

use std::cmp::Reverse;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Paths;
use crate::model::{
    Api, Body, Field, HttpBinding, Message, Method, PathVariable, Segment, Service, Type,
};

/// The bindings of a service in the order of its table.
pub(super) struct Table<'a>(Vec<(usize, &'a Method, &'a HttpBinding)>);

impl<'a> Table<'a> {
    pub(super) fn new(service: &'a Service) -> Self {
        let mut routes = Vec::new();
        for (operation, method) in service.methods.iter().enumerate() {
            let bindings = method.bindings.iter();
            routes.extend(bindings.map(|binding| (operation, method, binding)));
        }
        // A stable sort; what is equal here was refused as a duplicate before.
        routes.sort_by(|(_, _, a), (_, _, b)| order(a).cmp(&order(b)));
        Self(routes)
    }

    /// The elements of the table.
    pub(super) fn routes(&self, api: &Api, paths: &Paths) -> Vec<TokenStream> {
        self.0
            .iter()
            .map(|(operation, method, binding)| route(api, *operation, method, binding, paths))
            .collect()
    }

    /// Where the bindings of a method are in the table, as they were declared.
    pub(super) fn of(&self, method: &Method) -> impl Iterator<Item = Literal> {
        method.bindings.iter().filter_map(|binding| {
            let found =
                |(_, _, other): &(usize, &Method, &HttpBinding)| std::ptr::eq(*other, binding);
            self.0.iter().position(found).map(Literal::usize_unsuffixed)
        })
    }
}

/// Routes with a verb come first: a verb is a suffix that was declared, and wins over a variable
/// that would swallow it. Then the shape of the path from left to right, then the longest verb
/// (`:a:b` before `:b`), then the method.
fn order(binding: &HttpBinding) -> impl Ord {
    let template = &binding.template;
    let shape: Vec<(u8, String)> = template
        .segments
        .iter()
        .map(|segment| match segment {
            Segment::Literal(literal) => (0, literal.clone()),
            Segment::Single => (1, String::new()),
            Segment::Multi => (2, String::new()),
        })
        .collect();
    let verb = template.verb.clone().unwrap_or_default();
    let method = binding.method.clone();
    (
        template.verb.is_none(),
        shape,
        Reverse(verb.len()),
        verb,
        method == "*",
        method != "HEAD",
        method,
    )
}

fn route(
    api: &Api,
    operation: usize,
    method: &Method,
    binding: &HttpBinding,
    paths: &Paths,
) -> TokenStream {
    let kit = paths.kit_door();
    let request = api.messages.get(&method.request);
    let segments = binding
        .template
        .segments
        .iter()
        .map(|segment| match segment {
            Segment::Literal(literal) => quote!(#kit::Segment::Literal(#literal)),
            Segment::Single => quote!(#kit::Segment::Single),
            Segment::Multi => quote!(#kit::Segment::Multi),
        });
    let captures = binding
        .template
        .variables
        .iter()
        .map(|variable| capture(api, request, variable, paths));
    let body = match binding.body {
        Body::None => quote!(#kit::RouteBody::None),
        Body::All => quote!(#kit::RouteBody::All),
        Body::Field(index) => match request.and_then(|request| request.fields.get(index)) {
            Some(Field {
                proto_name,
                json_name,
                ..
            }) => {
                quote!(#kit::RouteBody::Field { proto_name: #proto_name, json_name: #json_name })
            }
            None => quote!(#kit::RouteBody::None),
        },
    };
    let response = api.messages.get(&method.response);
    let response_body = binding
        .response_body
        .and_then(|index| response?.fields.get(index))
        .map(|field| &field.proto_name);
    let response_body = optional(response_body);
    let verb = optional(binding.template.verb.as_ref());
    let null_body = null_body(request, binding);
    let operation = Literal::usize_unsuffixed(operation);
    let (http_method, template) = (&binding.method, &binding.template.text);
    quote! {
        #kit::Route {
            method: #http_method,
            segments: &[#(#segments),*],
            verb: #verb,
            captures: &[#(#captures),*],
            body: #body,
            null_body: #null_body,
            response_body: #response_body,
            operation: #operation,
            template: #template,
        }
    }
}

fn capture(
    api: &Api,
    request: Option<&Message>,
    variable: &PathVariable,
    paths: &Paths,
) -> TokenStream {
    let kit = paths.kit_door();
    let PathVariable {
        field_path,
        start,
        end,
        multi,
    } = variable;
    let (start, end) = (
        Literal::usize_unsuffixed(*start),
        Literal::usize_unsuffixed(*end),
    );
    let field = field_path.join(".");
    let json_name = json_names(api, request, field_path).join(".");
    quote! {
        #kit::Capture { field: #field, json_name: #json_name, start: #start, end: #end, multi: #multi }
    }
}

/// The JSON names of a path of fields; the proto name of what the model does not know.
fn json_names(api: &Api, request: Option<&Message>, field_path: &[String]) -> Vec<String> {
    let mut message = request;
    let mut names = Vec::new();
    for part in field_path {
        let field = message.and_then(|message| {
            message
                .fields
                .iter()
                .find(|field| field.proto_name == *part)
        });
        names.push(field.map_or(part, |field| &field.json_name).clone());
        message = match field.map(|field| &field.ty) {
            Some(Type::Message(name)) => api.messages.get(name),
            _ => None,
        };
    }
    names
}

/// A body of `null` says nothing wrong where nothing is left to say: all required fields are in
/// the path.
fn null_body(request: Option<&Message>, binding: &HttpBinding) -> bool {
    let Some(request) = request else { return false };
    let in_path = |field: &Field| {
        binding
            .template
            .variables
            .iter()
            .any(|variable| variable.field_path == [field.proto_name.as_str()])
    };
    let mut required = request
        .fields
        .iter()
        .filter(|field| field.required)
        .peekable();
    binding.body == Body::All && required.peek().is_some() && required.all(in_path)
}

pub(crate) fn optional(text: Option<&String>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}
