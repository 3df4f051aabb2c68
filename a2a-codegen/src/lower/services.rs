//! Services and their methods.

use std::collections::BTreeMap;

use prost_reflect::prost_types::{MethodDescriptorProto, MethodOptions, ServiceDescriptorProto};

use super::schema::{
    FILE_SERVICES, File, METHOD_OPTIONS, SERVICE_METHODS, Schema, join_name, join_path, step,
};
use super::{http, names, options, types};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{Api, Method, Service, Type, WellKnown};

/// Lowers the services of the files that were asked for; those of imports belong to others.
pub(super) fn lower_services(
    schema: &Schema<'_>,
    asked_for: &[String],
    api: &mut Api,
    diagnostics: &mut Diagnostics,
) {
    let files = asked_for
        .iter()
        .filter_map(|name| schema.files.iter().find(|file| *file.name == **name));
    for file in files {
        for (index, proto) in file.proto.service.iter().enumerate() {
            let lowering = Lowering {
                schema,
                file,
                index,
            };
            let service = lowering.service(proto, api, diagnostics);
            api.services.push(service);
        }
    }
}

/// The lowering of one service.
struct Lowering<'s, 'a> {
    schema: &'s Schema<'a>,
    file: &'s File<'a>,
    /// Index of the service in its file.
    index: usize,
}

impl Lowering<'_, '_> {
    fn service(
        &self,
        proto: &ServiceDescriptorProto,
        api: &Api,
        diagnostics: &mut Diagnostics,
    ) -> Service {
        let package = self.file.proto.package();
        let name = join_name(package, proto.name());
        let path = [FILE_SERVICES, step(self.index)];
        let origin = self.file.origin(&path, &name);
        let rust_name = names::upper_camel(proto.name());
        let numbered = proto.method.iter().enumerate();
        let methods: Vec<Method> = numbered
            .filter_map(|(index, method)| self.method(&name, index, method, api, diagnostics))
            .collect();
        check_method_names(&name, &methods, diagnostics);
        Service {
            proto_name: name,
            package: package.to_owned(),
            rust_name,
            methods,
            docs: self.file.docs(&path),
            origin,
        }
    }

    fn method(
        &self,
        service: &str,
        index: usize,
        proto: &MethodDescriptorProto,
        api: &Api,
        diagnostics: &mut Diagnostics,
    ) -> Option<Method> {
        let full_name = join_name(service, proto.name());
        let path = [
            FILE_SERVICES,
            step(self.index),
            SERVICE_METHODS,
            step(index),
        ];
        let origin = self.file.origin(&path, &full_name);
        if proto.client_streaming() {
            diagnostics.push(
                Diagnostic::new(
                    origin.clone(),
                    format!("`{full_name}` takes a stream of requests, which is not supported"),
                )
                .hint(
                    "remove `stream` before the request type; a stream of responses is supported",
                ),
            );
        }
        let mut side = |type_name: &str| {
            side(self.schema, &full_name, type_name)
                .map_err(|fault| {
                    diagnostics.push(Diagnostic {
                        origin: origin.clone(),
                        ..fault
                    });
                })
                .ok()
        };
        let (request, response) = (side(proto.input_type()), side(proto.output_type()));
        let (request, response) = (request?, response?);
        let mut method = Method {
            proto_name: proto.name().to_owned(),
            rust_name: names::snake(proto.name()),
            json_rpc_name: None,
            request,
            response,
            server_streaming: proto.server_streaming(),
            bindings: Vec::new(),
            deprecated: proto
                .options
                .as_ref()
                .is_some_and(MethodOptions::deprecated),
            docs: self.file.docs(&path),
            origin,
        };
        if method.rust_name.is_empty() {
            let what = format!("the method `{}` of `{service}`", proto.name());
            diagnostics.push(names::unnameable(method.origin.clone(), &what));
        }
        if let Some(rule) = self.file.options.http(self.index, index) {
            let annotation = join_path(&path, &[METHOD_OPTIONS, options::HTTP]);
            let place = http::Place::Annotation {
                file: self.file,
                path: &annotation,
            };
            method.bindings = http::lower_rule(
                rule,
                &place,
                &http::Call::new(api, service, &method),
                diagnostics,
            );
        }
        Some(method)
    }
}

/// The message of one side of a method.
fn side(schema: &Schema<'_>, method: &str, type_name: &str) -> Result<String, Diagnostic> {
    let fault =
        |message: String, hint: &str| Err(Diagnostic::new(Default::default(), message).hint(hint));
    match types::of_name(schema, type_name) {
        Ok(Type::Message(name)) => Ok(name),
        Ok(Type::WellKnown(WellKnown::Empty)) => Ok("google.protobuf.Empty".to_owned()),
        Ok(_) => fault(
            format!(
                "`{method}` uses `{}` as a whole request or response",
                type_name.trim_start_matches('.')
            ),
            "declare a message with a field of that type",
        ),
        Err(unsupported) => fault(
            format!("`{method}`: {}", unsupported.message),
            &unsupported.hint,
        ),
    }
}

/// Two methods of a trait cannot have one name.
fn check_method_names(service: &str, methods: &[Method], diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<&str, &Method> = BTreeMap::new();
    for method in methods {
        if let Some(first) = seen.get(method.rust_name.as_str()) {
            diagnostics.push(
                Diagnostic::new(
                    method.origin.clone(),
                    format!(
                        "`{}` and `{}` of the service `{service}` are both `{}` in Rust",
                        method.proto_name, first.proto_name, method.rust_name
                    ),
                )
                .also(first.origin.clone(), "the first of them")
                .hint("rename one of them"),
            );
        } else {
            seen.insert(&method.rust_name, method);
        }
    }
}
