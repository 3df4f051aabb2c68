//! Methods of JSON-RPC: a request whose `method` is a constant, its `params`, and the `result` of
//! the response with the same stem.

use std::collections::{BTreeMap, BTreeSet};

use super::super::names;
use super::envelope::is_frame;
use super::{Lowering, MAX_CHAIN, whole_file};
use crate::diagnostics::Diagnostic;
use crate::load::schema::{Form, Property, Schema};
use crate::model::{Method, Service, Type};

/// What the model calls a request or response that holds nothing.
const EMPTY: &str = "google.protobuf.Empty";

impl<'a> Lowering<'a> {
    pub(super) fn lower_methods(&mut self) {
        let mut methods: Vec<Method> = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for definition in self.order {
            let Some(method) = self.method(definition) else {
                continue;
            };
            let name = method.json_rpc_name.clone().unwrap_or_default();
            match seen.get(&name).and_then(|index| methods.get(*index)) {
                None => {
                    seen.insert(name, methods.len());
                    methods.push(method);
                }
                Some(first) => {
                    let message = format!(
                        "`{}` and `{}` are both called `{name}`",
                        first.proto_name, method.proto_name
                    );
                    let fault = Diagnostic::new(method.origin, message)
                        .also(first.origin.clone(), "the first of them")
                        .hint("change the `const` of `method` in one of them");
                    self.push(fault);
                }
            }
        }
        let Some(file) = self.api.files.first().filter(|_| !methods.is_empty()) else {
            return;
        };
        let service = Service {
            proto_name: "JsonRpc".to_owned(),
            package: String::new(),
            rust_name: "JsonRpc".to_owned(),
            methods,
            docs: String::new(),
            origin: whole_file(file),
        };
        self.api.services.push(service);
    }

    fn method(&mut self, definition: &'a Property) -> Option<Method> {
        let frame = self
            .objects
            .get(definition.name.as_str())
            .filter(|o| is_frame(o))?;
        let (method, params) = (frame.get("method")?, frame.get("params"));
        let origin = &definition.origin;
        let json_rpc_name = match &method.schema.form {
            Form::Constant(Ok(name)) => name.clone(),
            Form::Constant(Err(other)) => {
                let message = format!("the method name {other} is no text");
                self.fault(
                    &method.origin,
                    &message,
                    "write a text such as `\"tasks/get\"`",
                );
                return None;
            }
            // The general form of a request.
            _ => return None,
        };
        let Some(stem) = definition
            .name
            .strip_suffix("Request")
            .filter(|s| !s.is_empty())
        else {
            let message = "the name of a request does not end in `Request`";
            let hint = format!(
                "call it `{}Request`, and its response `{}Response`",
                definition.name, definition.name
            );
            self.fault(origin, message, hint);
            return None;
        };
        let request = match params {
            Some(params) => self.object_name(&params.schema),
            None => Some(EMPTY.to_owned()),
        };
        let response = self.response(stem);
        let rust_name = names::snake(stem);
        if rust_name.is_empty() {
            let what = format!("the method `{stem}`");
            self.push(names::unnameable(origin.clone(), &what));
        }
        Some(Method {
            proto_name: stem.to_owned(),
            rust_name,
            json_rpc_name: Some(json_rpc_name),
            request: request?,
            response: response?,
            server_streaming: false,
            bindings: Vec::new(),
            deprecated: definition.schema.deprecated,
            docs: definition.schema.docs.clone(),
            origin: origin.clone(),
        })
    }

    /// The name of what a method answers; empty when no definition says so, none when what it says
    /// was told to be wrong.
    fn response(&mut self, stem: &str) -> Option<String> {
        let name = format!("{stem}Response");
        let Some(definition) = self.definitions.get(name.as_str()).copied() else {
            return Some(String::new());
        };
        let mut found = Vec::new();
        let own = (definition.name.as_str(), &definition.schema);
        self.results(own, &mut found, &mut BTreeSet::new(), 0);
        match found.as_slice() {
            [result] if matches!(result.schema.form, Form::Null) => Some(EMPTY.to_owned()),
            [result] => self.object_name(&result.schema),
            _ => {
                let message = format!(
                    "`{name}` leads to {} definitions with a `result` where there is one",
                    found.len()
                );
                let hint = format!(
                    "write `anyOf` of an error response and `{stem}SuccessResponse`, which has `jsonrpc` and `result`"
                );
                self.push(Diagnostic::new(definition.origin.clone(), message).hint(hint));
                None
            }
        }
    }

    /// The `result` of each frame that a response can be.
    fn results(
        &self,
        (name, schema): (&'a str, &'a Schema),
        found: &mut Vec<&'a Property>,
        seen: &mut BTreeSet<&'a str>,
        chain: usize,
    ) {
        if chain > MAX_CHAIN {
            return;
        }
        match &schema.form {
            Form::Choice(schemas) => {
                for schema in schemas {
                    self.results((name, schema), found, seen, chain + 1);
                }
            }
            Form::Reference(name) => {
                if let Some(definition) = self.definitions.get(name.as_str()).copied()
                    && seen.insert(name)
                {
                    self.results((name, &definition.schema), found, seen, chain + 1);
                }
            }
            _ => {
                let frame = self.objects.get(name).filter(|object| is_frame(object));
                found.extend(frame.and_then(|object| object.get("result")));
            }
        }
    }

    /// The name of the message or union that parameters or a result are.
    fn object_name(&mut self, schema: &'a Schema) -> Option<String> {
        let resolved = self.resolve(schema, 0)?;
        match self.single(resolved, &schema.origin)? {
            Type::Message(name) | Type::Union(name) => Some(name),
            Type::Scalar(_) | Type::Enum(_) | Type::WellKnown(_) => {
                let message =
                    "parameters and results are objects, unions of objects, lists or maps";
                let hint = "refer to a definition of an object";
                self.fault(&schema.origin, message, hint);
                None
            }
        }
    }
}
