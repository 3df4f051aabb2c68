//! Which fields prost-build puts into a `Box`: those through which a message holds itself.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};

use super::schema::{Kind, Schema};

/// Messages that hold others directly: in fields that are single.
pub(super) struct Recursion<'s> {
    held: BTreeMap<&'s str, BTreeSet<&'s str>>,
}

impl<'s> Recursion<'s> {
    pub(super) fn new(schema: &'s Schema<'_>) -> Self {
        let mut held: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, declaration) in &schema.declarations {
            let Kind::Message(message) = &declaration.kind else {
                continue;
            };
            let single = message
                .field
                .iter()
                .filter(|f| f.r#type() == Type::Message && f.label() != Label::Repeated);
            let inner = single
                .filter_map(|field| schema.find(field.type_name()))
                .map(|(inner, _)| inner);
            held.insert(name, inner.collect());
        }
        Self { held }
    }

    /// True when a message is the other one or holds it, however deep.
    pub(super) fn holds(&self, outer: &str, inner: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![outer];
        while let Some(name) = open.pop() {
            if name == inner {
                return true;
            }
            if let Some((name, held)) = self.held.get_key_value(name)
                && seen.insert(*name)
            {
                open.extend(held.iter().copied());
            }
        }
        false
    }
}
