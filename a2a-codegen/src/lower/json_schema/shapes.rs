//! What the value of a property is in the model.

use super::super::names;
use super::{Lowering, MAX_CHAIN, whole_file};
use crate::load::schema::{Form, Schema};
use crate::model::{Cardinality, Enum, EnumValue, Field, Message, Origin, Scalar, Type, WellKnown};

/// The values of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Type of one value.
    pub(super) ty: Type,
    pub(super) many: Many,
    pub(super) nullable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Many {
    One,
    List,
    Map,
}

impl Resolved {
    fn one(ty: Type) -> Option<Self> {
        Some(Self {
            ty,
            many: Many::One,
            nullable: false,
        })
    }
}

impl<'a> Lowering<'a> {
    /// What a schema says, references followed; none when it was told that something is wrong.
    /// `chain` counts the steps that led here.
    pub(super) fn resolve(&mut self, schema: &'a Schema, chain: usize) -> Option<Resolved> {
        if chain > MAX_CHAIN {
            let message =
                format!("references lead in a circle, or through more than {MAX_CHAIN} schemas");
            let hint = "let the circle pass through a definition of an object";
            self.fault(&schema.origin, &message, hint);
            return None;
        }
        let resolved = match &schema.form {
            Form::Any => Resolved::one(Type::WellKnown(WellKnown::Value)),
            Form::FreeObject => Resolved::one(Type::WellKnown(WellKnown::Struct)),
            Form::Text => Resolved::one(Type::Scalar(Scalar::String)),
            Form::Integer => Resolved::one(Type::Scalar(Scalar::Int32)),
            Form::Number => Resolved::one(Type::Scalar(Scalar::Double)),
            Form::Boolean => Resolved::one(Type::Scalar(Scalar::Bool)),
            Form::Null | Form::Constant(_) => {
                let message =
                    "a value that is always the same stands where only a property can have one";
                let hint = "give it a type, or put the `const` into `properties` of an object";
                self.fault(&schema.origin, message, hint);
                None
            }
            Form::Reference(name) => self.referred(name, schema, chain),
            Form::List(inner) => self.many(inner, Many::List, chain),
            Form::Map(inner) => self.many(inner, Many::Map, chain),
            Form::Enumeration(values) => {
                let name = generated_name(&schema.origin);
                if self.claim(&name, &schema.origin) {
                    self.lower_enum(&name, values, schema, &schema.origin);
                }
                Resolved::one(Type::Enum(name))
            }
            Form::Choice(schemas) => {
                let name = generated_name(&schema.origin);
                if self.claim(&name, &schema.origin) {
                    self.lower_union(&name, schemas, schema, &schema.origin);
                }
                Resolved::one(Type::Union(name))
            }
            Form::Object { .. } | Form::All(_) => {
                let name = generated_name(&schema.origin);
                if self.claim(&name, &schema.origin) {
                    self.lower_inline_message(&name, schema, chain);
                }
                Resolved::one(Type::Message(name))
            }
        };
        resolved.map(|resolved| Resolved {
            nullable: resolved.nullable || schema.nullable,
            ..resolved
        })
    }

    fn referred(&mut self, name: &str, schema: &Schema, chain: usize) -> Option<Resolved> {
        // A reference that leads nowhere was told before.
        let definition = self.definitions.get(name).copied()?;
        if self.envelope.contains(name) {
            let message = format!("`{name}` belongs to JSON-RPC's envelope and is no message");
            let hint = "refer to a definition without `jsonrpc`";
            self.fault(&schema.origin, &message, hint);
            return None;
        }
        let resolved = match &definition.schema.form {
            Form::Object { .. } | Form::All(_) => Resolved::one(Type::Message(name.to_owned())),
            Form::Choice(_) => Resolved::one(Type::Union(name.to_owned())),
            Form::Enumeration(_) => Resolved::one(Type::Enum(name.to_owned())),
            _ => return self.resolve(&definition.schema, chain + 1),
        };
        resolved.map(|resolved| Resolved {
            nullable: definition.schema.nullable,
            ..resolved
        })
    }

    fn many(&mut self, inner: &'a Schema, many: Many, chain: usize) -> Option<Resolved> {
        let resolved = self.resolve(inner, chain + 1)?;
        if resolved.nullable {
            let message = "a list or map cannot hold null here";
            let hint = "take null away from the type of its values";
            self.fault(&inner.origin, message, hint);
        }
        let ty = self.single(resolved, &inner.origin)?;
        Some(Resolved {
            ty,
            many,
            nullable: false,
        })
    }

    /// One value: a list or map becomes a bare message.
    pub(super) fn single(&mut self, resolved: Resolved, origin: &Origin) -> Option<Type> {
        let Resolved { ty, many, .. } = resolved;
        let (ending, cardinality) = match many {
            Many::One => return Some(ty),
            Many::List => ("List", Cardinality::Repeated),
            Many::Map => {
                let key = Scalar::String;
                ("Map", Cardinality::Map { key })
            }
        };
        let name = format!("{}{ending}", shape_name(&ty));
        // All of one shape are one, so none of their places is its own.
        if self.claim(&name, &whole_file(&origin.file)) {
            let field = Field {
                proto_name: "value".to_owned(),
                json_name: "value".to_owned(),
                rust_name: "value".to_owned(),
                number: 0,
                ty,
                cardinality,
                required: true,
                boxed: false,
                deprecated: false,
                docs: String::new(),
                origin: origin.clone(),
            };
            let message = Message {
                proto_name: name.clone(),
                package: String::new(),
                rust_path: vec![names::upper_camel(&name)],
                fields: vec![field],
                oneofs: Vec::new(),
                constants: Vec::new(),
                bare: true,
                docs: String::new(),
                deprecated: false,
                origin: origin.clone(),
            };
            self.api.messages.insert(name.clone(), message);
        }
        Some(Type::Message(name))
    }

    pub(super) fn lower_enum(
        &mut self,
        name: &str,
        values: &[String],
        schema: &Schema,
        origin: &Origin,
    ) {
        let values = (0..).zip(values).map(|(number, value)| EnumValue {
            proto_name: value.clone(),
            rust_name: names::upper_camel(value),
            number,
            docs: String::new(),
        });
        let enumeration = Enum {
            proto_name: name.to_owned(),
            package: String::new(),
            rust_path: vec![names::upper_camel(name)],
            values: values.collect(),
            docs: schema.docs.clone(),
            origin: origin.clone(),
        };
        self.api.enums.insert(name.to_owned(), enumeration);
    }
}

/// The name of what stands in a property: that of the definition, then that of the property.
fn generated_name(origin: &Origin) -> String {
    let mut steps = origin.proto_path.split('.');
    let mut name = steps.next().unwrap_or_default().to_owned();
    name.extend(steps.map(names::upper_camel));
    name
}

fn shape_name(ty: &Type) -> String {
    match ty {
        Type::Scalar(Scalar::Int32) => "Integer".to_owned(),
        Type::Scalar(Scalar::Double) => "Number".to_owned(),
        Type::Scalar(Scalar::Bool) => "Boolean".to_owned(),
        Type::Scalar(_) => "String".to_owned(),
        Type::WellKnown(WellKnown::Struct) => "Object".to_owned(),
        Type::WellKnown(_) => "Value".to_owned(),
        Type::Message(name) | Type::Enum(name) | Type::Union(name) => name.clone(),
    }
}
