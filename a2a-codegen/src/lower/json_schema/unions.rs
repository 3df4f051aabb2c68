//! Unions: which objects they take, and what tells these apart.

use std::collections::{BTreeMap, BTreeSet};

use super::{Lowering, MAX_CHAIN};
use crate::diagnostics::Diagnostic;
use crate::load::schema::{Form, Schema};
use crate::model::{Api, Cardinality, Field, Message, Origin, Union, UnionVariant};

impl<'a> Lowering<'a> {
    /// A union; what tells its variants apart is known when there are all messages.
    pub(super) fn lower_union(
        &mut self,
        name: &str,
        schemas: &'a [Schema],
        schema: &Schema,
        origin: &Origin,
    ) {
        let mut names = Vec::new();
        let mut open = match self.definitions.get_key_value(name) {
            Some((own, _)) => vec![*own],
            None => Vec::new(),
        };
        self.add_variants(schemas, &mut names, &mut open, &mut BTreeSet::new());
        let variants = names.into_iter().map(|message| UnionVariant {
            message: message.to_owned(),
            tag_value: None,
        });
        let union = Union {
            name: name.to_owned(),
            tag: None,
            variants: variants.collect(),
            docs: schema.docs.clone(),
            origin: origin.clone(),
        };
        self.api.unions.insert(name.to_owned(), union);
    }

    /// Adds the objects that alternatives lead to. `open` are the definitions around them, `seen`
    /// those that were added.
    fn add_variants(
        &mut self,
        schemas: &'a [Schema],
        names: &mut Vec<&'a str>,
        open: &mut Vec<&'a str>,
        seen: &mut BTreeSet<&'a str>,
    ) {
        for schema in schemas {
            let name = match &schema.form {
                Form::Choice(inner) => {
                    self.add_variants(inner, names, open, seen);
                    continue;
                }
                Form::Reference(name) => name.as_str(),
                _ => {
                    let message = "an alternative of a union is no reference";
                    let hint = "move it to a definition of an object, and refer to that";
                    self.fault(&schema.origin, message, hint);
                    continue;
                }
            };
            let Some(definition) = self.definitions.get(name).copied() else {
                continue;
            };
            if open.contains(&name) || open.len() > MAX_CHAIN {
                let message = format!("the union leads through `{name}` in a circle, or too deep");
                self.fault(&schema.origin, &message, "remove this alternative");
                continue;
            }
            if !seen.insert(name) || !self.has_room(1, &schema.origin) {
                continue;
            }
            if self.envelope.contains(name) {
                let message = format!("`{name}` belongs to JSON-RPC's envelope and is no message");
                let hint = "a union is of messages only, or of the envelope only";
                self.fault(&schema.origin, &message, hint);
                continue;
            }
            let inner = match &definition.schema.form {
                Form::Object { .. } | Form::All(_) => {
                    names.push(name);
                    continue;
                }
                Form::Choice(inner) => inner.as_slice(),
                Form::Reference(_) => std::slice::from_ref(&definition.schema),
                _ => {
                    let message = format!("the alternative `{name}` of a union is no object");
                    let hint = "a union takes definitions of objects";
                    self.fault(&schema.origin, &message, hint);
                    continue;
                }
            };
            open.push(name);
            self.add_variants(inner, names, open, seen);
            open.pop();
        }
    }

    /// Finds the tag of each union, now that all messages are there.
    pub(super) fn finish_unions(&mut self) {
        let mut unions = std::mem::take(&mut self.api.unions);
        for union in unions.values_mut() {
            let messages: Vec<&Message> = messages_of(&self.api, union);
            let fields = messages.iter().map(|m| m.fields.len() + m.constants.len());
            let weight = fields.sum();
            // Names of definitions are unique, so all variants are there unless one was wrong.
            if messages.len() != union.variants.len() {
                continue;
            }
            match tag(&messages) {
                Some((name, values)) => {
                    union.tag = Some(name);
                    for (variant, value) in union.variants.iter_mut().zip(values) {
                        variant.tag_value = Some(value);
                    }
                }
                None => {
                    let faults = different_types(union, &messages);
                    for fault in faults {
                        self.push(fault);
                    }
                }
            }
            let origin = union.origin.clone();
            if !self.has_room(weight, &origin) {
                break;
            }
        }
        self.api.unions = unions;
    }
}

fn messages_of<'m>(api: &'m Api, union: &Union) -> Vec<&'m Message> {
    let names = union.variants.iter().map(|variant| &variant.message);
    names.filter_map(|name| api.messages.get(name)).collect()
}

/// The constant that all messages have, with a value of its own for each, and these values.
fn tag(messages: &[&Message]) -> Option<(String, Vec<String>)> {
    let (first, _) = messages.split_first()?;
    first.constants.iter().find_map(|constant| {
        let name = &constant.json_name;
        let values = messages.iter().map(|message| {
            let mut constants = message.constants.iter();
            let found = constants.find(|constant| constant.json_name == *name);
            found.map(|constant| constant.value.clone())
        });
        let values = values.collect::<Option<Vec<_>>>()?;
        let different: BTreeSet<&String> = values.iter().collect();
        (different.len() == values.len()).then(|| (name.clone(), values))
    })
}

/// Without a tag, a reader knows the object by its members only after it has read them; so one
/// name has one type in all of them.
fn different_types(union: &Union, messages: &[&Message]) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let mut seen: BTreeMap<&str, &Field> = BTreeMap::new();
    for field in messages.iter().flat_map(|message| &message.fields) {
        let first = *seen.entry(&field.json_name).or_insert(field);
        if first.ty != field.ty || is_many(first) != is_many(field) {
            let message = format!(
                "the variants of `{}` give `{}` different types, and no constant tells them apart",
                union.name, field.json_name
            );
            faults.push(
                Diagnostic::new(field.origin.clone(), message)
                    .also(first.origin.clone(), "the first of them")
                    .also(union.origin.clone(), "the union")
                    .hint("give each variant a property such as `\"kind\": { \"const\": \"…\" }`, or both the same type"),
            );
        }
    }
    faults
}

/// 0 for one value, 1 for a list, 2 for a map.
fn is_many(field: &Field) -> u8 {
    match field.cardinality {
        Cardinality::Repeated => 1,
        Cardinality::Map { .. } => 2,
        Cardinality::Implicit | Cardinality::Explicit | Cardinality::Oneof(_) => 0,
    }
}
