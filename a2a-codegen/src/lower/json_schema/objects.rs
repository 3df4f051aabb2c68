//! Objects: what `allOf` gives them, and the messages that they become.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase as _;

use super::super::names;
use super::shapes::{Many, Resolved};
use super::{Lowering, MAX_CHAIN};
use crate::diagnostics::Diagnostic;
use crate::load::schema::{Form, Property, Schema};
use crate::model::{Cardinality, Constant, Field, Message, Origin, Scalar, Type};

/// The members of an object, those of `allOf` included.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a> {
    /// A name may be there several times, once for each part that declares it.
    pub(super) properties: Vec<&'a Property>,
    pub(super) required: BTreeSet<&'a str>,
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Property> {
        self.properties
            .iter()
            .copied()
            .find(|property| property.name == name)
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn flatten_definitions(&mut self) {
        for definition in self.order {
            let schema = &definition.schema;
            if matches!(schema.form, Form::Object { .. } | Form::All(_)) {
                let object = self.flatten(schema, Some(&definition.name));
                self.objects.insert(&definition.name, object);
            }
        }
    }

    /// The members of an object; `name` is that of its definition.
    fn flatten(&mut self, schema: &'a Schema, name: Option<&'a str>) -> Object<'a> {
        let mut object = Object::default();
        let mut open = name.into_iter().collect();
        self.add_members(schema, &mut object, &mut open, &mut BTreeSet::new());
        // Beside `properties` alone, the reader of the file has looked at it.
        if matches!(schema.form, Form::All(_)) {
            for name in &object.required {
                if object.get(name).is_none() {
                    let message = format!("`required` names `{name}`, which is no property");
                    let hint = "declare it in one of the parts of `allOf`, or remove the name";
                    self.fault(&schema.origin, &message, hint);
                }
            }
        }
        object
    }

    /// Adds the members that a part of an object declares. `open` are the definitions around it,
    /// `seen` those that were added.
    fn add_members(
        &mut self,
        schema: &'a Schema,
        object: &mut Object<'a>,
        open: &mut Vec<&'a str>,
        seen: &mut BTreeSet<&'a str>,
    ) {
        match &schema.form {
            Form::Object {
                properties,
                required,
            } => {
                if self.has_room(properties.len() + required.len() + 1, &schema.origin) {
                    object.properties.extend(properties);
                    object.required.extend(required.iter().map(String::as_str));
                }
            }
            Form::All(parts) => {
                for part in parts {
                    self.add_members(part, object, open, seen);
                }
            }
            Form::Reference(name) => {
                let Some(definition) = self.definitions.get(name.as_str()).copied() else {
                    return;
                };
                if open.contains(&name.as_str()) || open.len() > MAX_CHAIN {
                    let message =
                        format!("`allOf` leads through `{name}` in a circle, or too deep");
                    self.fault(&schema.origin, &message, "remove this reference");
                    return;
                }
                if seen.insert(name) && self.has_room(1, &schema.origin) {
                    open.push(name);
                    self.add_members(&definition.schema, object, open, seen);
                    open.pop();
                }
            }
            Form::Any | Form::FreeObject => {}
            _ => {
                let message = "`allOf` puts objects together, and this is no object";
                let hint = "refer to definitions of objects only";
                self.fault(&schema.origin, message, hint);
            }
        }
    }

    /// An object that stands in a property.
    pub(super) fn lower_inline_message(&mut self, name: &str, schema: &'a Schema, chain: usize) {
        let object = self.flatten(schema, None);
        self.lower_message(name, &object, schema, &schema.origin, chain);
    }

    pub(super) fn lower_message(
        &mut self,
        name: &str,
        object: &Object<'a>,
        schema: &'a Schema,
        origin: &Origin,
        chain: usize,
    ) {
        let constants = self.constants(object);
        let mut fields: Vec<Field> = Vec::new();
        let mut indices: BTreeMap<&str, usize> = BTreeMap::new();
        for property in &object.properties {
            if matches!(property.schema.form, Form::Constant(_))
                || self.is_constant(property, &constants)
            {
                continue;
            }
            let required = object.required.contains(property.name.as_str());
            let Some(field) = self.field(property, required, chain) else {
                continue;
            };
            match indices.get(property.name.as_str()) {
                None => {
                    indices.insert(&property.name, fields.len());
                    fields.push(field);
                }
                Some(index) => {
                    if let Some(first) = fields.get(*index) {
                        self.check_same(name, first, &field);
                    }
                }
            }
        }
        let message = Message {
            proto_name: name.to_owned(),
            package: String::new(),
            rust_path: vec![names::upper_camel(name)],
            fields,
            oneofs: Vec::new(),
            constants,
            bare: false,
            docs: schema.docs.clone(),
            deprecated: schema.deprecated,
            origin: origin.clone(),
        };
        self.api.messages.insert(name.to_owned(), message);
    }

    /// The members with a `const`.
    fn constants(&mut self, object: &Object<'a>) -> Vec<Constant> {
        let mut constants: Vec<Constant> = Vec::new();
        for property in &object.properties {
            let Form::Constant(value) = &property.schema.form else {
                continue;
            };
            let value = match value {
                Ok(value) => value,
                Err(other) => {
                    let message = format!("the constant {other} is no text");
                    let hint = "give the property a type instead: only texts can be constants of a message";
                    self.fault(&property.origin, &message, hint);
                    continue;
                }
            };
            match constants.iter().find(|c| c.json_name == property.name) {
                None => constants.push(Constant {
                    json_name: property.name.clone(),
                    value: value.clone(),
                    origin: property.origin.clone(),
                }),
                Some(first) if first.value == *value => {}
                Some(first) => {
                    let message = format!(
                        "`{}`: another part of `allOf` has another constant",
                        property.origin.proto_path
                    );
                    let fault = Diagnostic::new(property.origin.clone(), message)
                        .also(first.origin.clone(), "the other one")
                        .hint("remove one of them");
                    self.push(fault);
                }
            }
        }
        constants
    }

    /// True for a property whose value another part fixes.
    fn is_constant(&mut self, property: &Property, constants: &[Constant]) -> bool {
        let Some(constant) = constants.iter().find(|c| c.json_name == property.name) else {
            return false;
        };
        let fits = match &property.schema.form {
            Form::Text | Form::Any => true,
            Form::Enumeration(values) => values.contains(&constant.value),
            _ => false,
        };
        if !fits {
            let message = format!(
                "`{}`: the constant `{}` of another part of `allOf` is not of this type",
                property.origin.proto_path, constant.value
            );
            let fault = Diagnostic::new(property.origin.clone(), message)
                .also(constant.origin.clone(), "the constant")
                .hint("make it a text, or remove one of them");
            self.push(fault);
        }
        true
    }

    fn field(&mut self, property: &'a Property, required: bool, chain: usize) -> Option<Field> {
        let resolved = self.resolve(&property.schema, chain + 1)?;
        let Resolved { ty, many, nullable } = resolved;
        let cardinality = match many {
            Many::List => Cardinality::Repeated,
            Many::Map => Cardinality::Map {
                key: Scalar::String,
            },
            Many::One if matches!(ty, Type::Scalar(_)) && required && !nullable => {
                Cardinality::Implicit
            }
            Many::One => Cardinality::Explicit,
        };
        Some(Field {
            proto_name: property.name.to_snake_case(),
            json_name: property.name.clone(),
            rust_name: names::snake(&property.name),
            number: 0,
            ty,
            cardinality,
            required,
            boxed: false,
            deprecated: property.schema.deprecated,
            docs: property.schema.docs.clone(),
            origin: property.origin.clone(),
        })
    }

    /// A property that several parts of `allOf` declare has one type.
    fn check_same(&mut self, message: &str, first: &Field, other: &Field) {
        if first.ty == other.ty && first.cardinality == other.cardinality {
            return;
        }
        let text = format!(
            "the parts of `{message}` give `{}` different types",
            other.json_name
        );
        let fault = Diagnostic::new(other.origin.clone(), text)
            .also(first.origin.clone(), "the first of them")
            .hint("declare it in one part only, or give it the same type in both");
        self.push(fault);
    }
}
