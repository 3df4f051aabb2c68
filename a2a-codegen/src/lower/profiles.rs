//! Lays a profile over the model: extra routes, and a check of all names.

use std::collections::BTreeMap;

use super::http::{Call, Place, Written, lower_binding};
use crate::diagnostics::{Diagnostic, Diagnostics, did_you_mean};
use crate::model::{Api, Method, Service};
use crate::profile::{JsonRpcMethods, OperationProfile, Profile, operation_keys};

pub(super) fn apply(profile: &Profile, api: &mut Api, diagnostics: &mut Diagnostics) {
    check_names(profile, api, diagnostics);
    for (key, operation) in &profile.operations {
        if let Some((service, method)) = find(key, profile, api, diagnostics) {
            add_routes(key, operation, profile, (service, method), api, diagnostics);
        }
    }
    check_json_rpc(profile, api, diagnostics);
}

/// Every required oneof must exist, and every field that is secret.
fn check_names(profile: &Profile, api: &Api, diagnostics: &mut Diagnostics) {
    let mut check = |key: &str, names: &[String], what: &str, known: &[String]| {
        for (index, name) in names.iter().enumerate() {
            if !known.contains(name) {
                let origin = profile.origin(&format!("{key}[{index}]"));
                let fault = Diagnostic::new(origin, format!("the schema has no {what} `{name}`"));
                let otherwise = format!("write its full name, `package.Message.{what}`");
                let known = known.iter().map(String::as_str);
                diagnostics.push(suggest(fault, name, known, &otherwise));
            }
        }
    };
    let messages = || api.messages.values();
    let fields: Vec<String> = messages()
        .flat_map(|message| {
            message
                .fields
                .iter()
                .map(|field| message.full_name(&field.proto_name))
        })
        .collect();
    let oneofs: Vec<String> = messages()
        .flat_map(|message| {
            message
                .oneofs
                .iter()
                .map(|oneof| message.full_name(&oneof.proto_name))
        })
        .collect();
    check("secret_fields", &profile.secret_fields, "field", &fields);
    let required = &profile.check.required_oneofs;
    check("check.required_oneofs", required, "oneof", &oneofs);
}

fn suggest<'a>(
    fault: Diagnostic,
    name: &str,
    known: impl Iterator<Item = &'a str>,
    otherwise: &str,
) -> Diagnostic {
    match did_you_mean(name, known) {
        Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
        None => fault.hint(otherwise),
    }
}

/// The one method that an entry is for, as indices of service and method.
fn find(
    key: &str,
    profile: &Profile,
    api: &Api,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, usize)> {
    let origin = || profile.origin(&format!("operations.{key}"));
    let all = || {
        let services = api.services.iter().enumerate();
        services.flat_map(|(s, service)| {
            service
                .methods
                .iter()
                .enumerate()
                .map(move |(m, method)| (s, m, service, method))
        })
    };
    let is_named = |service: &Service, method: &Method| {
        operation_keys(&service.proto_name, &method.proto_name).any(|name| name == key)
    };
    let found: Vec<_> = all()
        .filter(|(_, _, service, method)| is_named(service, method))
        .collect();
    match found.as_slice() {
        [] => {
            let fault = Diagnostic::new(origin(), format!("the schema has no rpc `{key}`"));
            let names = all().map(|(_, _, _, method)| method.proto_name.as_str());
            diagnostics.push(suggest(
                fault,
                key,
                names,
                "write the name of an rpc as the schema has it",
            ));
            None
        }
        [(service_index, method_index, service, method)] => {
            let mut keys = operation_keys(&service.proto_name, &method.proto_name);
            if let Some(other) =
                keys.find(|name| name != key && profile.operations.contains_key(name))
            {
                // Said once, at the longer of the two.
                if other.len() < key.len() {
                    diagnostics.push(
                        Diagnostic::new(
                            origin(),
                            format!("`{key}` and `{other}` are the same rpc"),
                        )
                        .also(
                            profile.origin(&format!("operations.{other}")),
                            format!("`{other}`"),
                        )
                        .hint("put everything about an rpc into one entry"),
                    );
                }
            }
            Some((*service_index, *method_index))
        }
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|(_, _, service, method)| {
                    format!("`{}.{}`", service.proto_name, method.proto_name)
                })
                .collect();
            diagnostics.push(
                Diagnostic::new(origin(), format!("`{key}` is the name of several rpcs"))
                    .hint(format!("write one of {}", names.join(", "))),
            );
            None
        }
    }
}

/// The extra routes of an entry become bindings after the annotated ones.
fn add_routes(
    key: &str,
    operation: &OperationProfile,
    profile: &Profile,
    (service, method): (usize, usize),
    api: &mut Api,
    diagnostics: &mut Diagnostics,
) {
    let mut bindings = Vec::new();
    if let Some(service) = api.services.get(service)
        && let Some(method) = service.methods.get(method)
    {
        let call = Call::new(api, &service.proto_name, method);
        for (index, route) in operation.extra_routes.iter().enumerate() {
            let place =
                Place::Entry(profile.origin(&format!("operations.{key}.extra_routes[{index}]")));
            let written = Written {
                method: &route.method,
                path: &route.path,
                body: &route.body,
                response_body: "",
            };
            bindings.extend(lower_binding(&written, &place, 0, &call, diagnostics));
        }
    }
    let method = api
        .services
        .get_mut(service)
        .and_then(|service| service.methods.get_mut(method));
    if let Some(method) = method {
        method.bindings.append(&mut bindings);
    }
}

/// No JSON-RPC method may mean two operations.
fn check_json_rpc(profile: &Profile, api: &Api, diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<&str, (&Service, &Method)> = BTreeMap::new();
    for service in &api.services {
        for method in &service.methods {
            let added = profile.operation(service, &method.proto_name);
            let name = match (
                added.and_then(|added| added.json_rpc_method.as_deref()),
                profile.json_rpc.methods,
            ) {
                (Some(name), _) => name,
                (None, JsonRpcMethods::RpcName) => &method.proto_name,
                (None, JsonRpcMethods::None) => continue,
            };
            match seen.get(name) {
                Some((other_service, other)) => diagnostics.push(
                    Diagnostic::new(
                        method.origin.clone(),
                        format!(
                            "`{}.{}` and `{}.{}` are both the JSON-RPC method `{name}`",
                            service.proto_name,
                            method.proto_name,
                            other_service.proto_name,
                            other.proto_name
                        ),
                    )
                    .also(other.origin.clone(), "the first of them")
                    .hint("give one of them a `json_rpc_method` of its own in the profile"),
                ),
                None => {
                    seen.insert(name, (service, method));
                }
            }
        }
    }
}
