//! Refuses routes that no request can tell apart.

use std::collections::BTreeMap;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, HttpBinding};

/// Two routes of one method, shape and verb: the names of variables do not tell them apart.
/// A route for any method (`*`) and one for a certain method do not collide: the certain one wins.
pub(super) fn check_routes(api: &Api, diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<(&str, String), (String, &HttpBinding)> = BTreeMap::new();
    for service in &api.services {
        for method in &service.methods {
            for binding in &method.bindings {
                let name = format!("{}.{}", service.proto_name, method.proto_name);
                let key = (binding.method.as_str(), binding.template.shape());
                match seen.get(&key) {
                    Some((other, first)) => {
                        diagnostics.push(conflict(&name, binding, other, first));
                    }
                    None => {
                        seen.insert(key, (name, binding));
                    }
                }
            }
        }
    }
}

fn conflict(name: &str, binding: &HttpBinding, other: &str, first: &HttpBinding) -> Diagnostic {
    let route = |binding: &HttpBinding| format!("`{} {}`", binding.method, binding.template.text);
    let message = format!(
        "{} of `{name}` is the same route as {} of `{other}`",
        route(binding),
        route(first)
    );
    Diagnostic::new(binding.origin.clone(), message)
        .also(first.origin.clone(), format!("{} of `{other}`", route(first)))
        .hint("requests cannot tell them apart, whatever the variables are called; change the path or the HTTP method of one")
}
