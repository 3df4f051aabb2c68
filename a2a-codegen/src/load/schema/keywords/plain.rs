//! Values that are told by their type: scalars, lists, and objects with what they hold.

use std::collections::BTreeSet;

use super::super::json::Value;
use super::super::{Form, Property, Schema};
use super::{Keywords, MAX_FAULTS, Reader, shown};
use crate::diagnostics::did_you_mean;

impl Reader<'_> {
    /// Values that are told by their type.
    pub(super) fn plain(&mut self, keywords: &Keywords<'_>, types: Option<&[&str]>) -> Form {
        const OF_OBJECTS: &[&str] = &["properties", "required", "additionalProperties"];
        let about_objects = keywords.among(OF_OBJECTS);
        let about_lists = keywords.among(&["items"]);
        let ty = match types {
            Some([ty]) => *ty,
            Some(_) => "",
            // A type that is not said is what the other keywords are about.
            None if !about_objects.is_empty() => "object",
            None if !about_lists.is_empty() => "array",
            None => "",
        };
        let stray = match ty {
            "object" => about_lists,
            "array" => about_objects,
            _ => about_objects.into_iter().chain(about_lists).collect(),
        };
        for member in stray {
            let message = format!("`{}` does not go with the type of the value", member.key);
            let hint = match member.key.as_str() {
                "items" => "write `\"type\": \"array\"`, or remove it",
                _ => "write `\"type\": \"object\"`, or remove it",
            };
            self.fault(member.at, &keywords.path, &message, hint);
        }
        match ty {
            "string" => Form::Text,
            "integer" => Form::Integer,
            "number" => Form::Number,
            "boolean" => Form::Boolean,
            "null" => Form::Null,
            "array" => Form::List(Box::new(self.items(keywords))),
            "object" => self.object(keywords),
            _ => Form::Any,
        }
    }

    fn items(&mut self, keywords: &Keywords<'_>) -> Schema {
        match keywords.get("items") {
            Some(member) => self.schema(&member.node, &keywords.path),
            None => Schema {
                form: Form::Any,
                nullable: false,
                deprecated: false,
                docs: String::new(),
                origin: self.origin(keywords.at, &keywords.path),
            },
        }
    }

    fn object(&mut self, keywords: &Keywords<'_>) -> Form {
        let path = &keywords.path;
        let properties = keywords
            .get("properties")
            .map(|member| self.properties(member, path));
        let required = self.required(keywords, properties.as_deref());
        let rest = keywords
            .get("additionalProperties")
            .map(|member| (member, &member.node.value));
        match (properties, rest) {
            (Some(properties), rest) => {
                if let Some((member, Value::Object(inner))) = rest
                    && !inner.is_empty()
                {
                    let message = "`additionalProperties` with a schema beside `properties` is not understood";
                    let hint = "give the map a property of its own, or write `\"additionalProperties\": false`";
                    self.fault(member.at, path, message, hint);
                }
                Form::Object {
                    properties,
                    required,
                }
            }
            (None, Some((_, Value::Bool(false)))) => Form::Object {
                properties: Vec::new(),
                required,
            },
            (None, Some((member, _))) => {
                let schema = self.schema(&member.node, path);
                match schema.form {
                    Form::Any => Form::FreeObject,
                    _ => Form::Map(Box::new(schema)),
                }
            }
            // A part of `allOf` may require what another one declares.
            (None, None) if !required.is_empty() => Form::Object {
                properties: Vec::new(),
                required,
            },
            (None, None) => Form::FreeObject,
        }
    }

    fn required(
        &mut self,
        keywords: &Keywords<'_>,
        properties: Option<&[Property]>,
    ) -> Vec<String> {
        let Some(member) = keywords.get("required") else {
            return Vec::new();
        };
        let Value::List(nodes) = &member.node.value else {
            let hint = "write a list of names of properties";
            self.fault(
                member.node.at,
                &keywords.path,
                "`required` is no list",
                hint,
            );
            return Vec::new();
        };
        // Beside `allOf`, the properties may be those of another part.
        let elsewhere = keywords.get("allOf").is_some();
        let known: BTreeSet<&str> = properties
            .unwrap_or_default()
            .iter()
            .map(|property| property.name.as_str())
            .collect();
        let mut required = Vec::new();
        for node in nodes {
            let Value::Text(name) = &node.value else {
                let message = format!("{} in `required` is no text", shown(&node.value));
                self.fault(
                    node.at,
                    &keywords.path,
                    &message,
                    "write names of properties",
                );
                continue;
            };
            if !elsewhere && !known.contains(name.as_str()) && self.diagnostics.len() < MAX_FAULTS {
                let message = format!("`required` names `{name}`, which is no property");
                let hint = match did_you_mean(name, known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "declare it in `properties`, or remove the name".to_owned(),
                };
                self.fault(node.at, &keywords.path, &message, hint);
            }
            required.push(name.clone());
        }
        required
    }
}
