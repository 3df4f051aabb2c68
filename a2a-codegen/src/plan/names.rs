//! Names of one side: what a rule, a field or a method means by a name.

use crate::diagnostics::did_you_mean;
use crate::model::{Api, Enum, Field, Message, Union};

/// The request or response that says nothing.
pub(super) const EMPTY: &str = "google.protobuf.Empty";

/// One of the two schemas.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) api: &'a Api,
}

/// What a name of a type stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Node<'a> {
    Message(&'a Message),
    Union(&'a Union),
    /// Nothing, or nothing that the schema knows.
    Empty,
}

impl<'a> Side<'a> {
    /// What a full name, as the model has it, stands for.
    pub(super) fn node(&self, full: &str) -> Node<'a> {
        if let Some(message) = self.api.messages.get(full) {
            return Node::Message(message);
        }
        match self.api.unions.get(full) {
            Some(union) => Node::Union(union),
            None => Node::Empty,
        }
    }

    /// The message that a rule names; none when there is no such message, or more than one.
    pub(super) fn message(&self, name: &str) -> Option<&'a Message> {
        if let Some(message) = self.api.messages.get(name) {
            return Some(message);
        }
        only(self.api.messages.values(), |each| {
            short(&each.proto_name, &each.package) == name
        })
    }

    /// The enum that a rule names.
    pub(super) fn an_enum(&self, name: &str) -> Option<&'a Enum> {
        if let Some(each) = self.api.enums.get(name) {
            return Some(each);
        }
        only(self.api.enums.values(), |each| {
            short(&each.proto_name, &each.package) == name
        })
    }

    /// True when a type of this name, short or full, exists.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.message(name).is_some()
            || self.an_enum(name).is_some()
            || self.api.unions.contains_key(name)
    }

    /// A full name without its package.
    pub(super) fn short<'n>(&self, full: &'n str) -> &'n str {
        let package = match (self.api.messages.get(full), self.api.enums.get(full)) {
            (Some(message), _) => &message.package,
            (None, Some(each)) => &each.package,
            (None, None) => return full,
        };
        short(full, package)
    }

    /// True when a rule's name means the type of this full name.
    pub(super) fn means(&self, name: &str, full: &str) -> bool {
        name == full || self.short(full) == name
    }

    /// The names of all types, for suggestions.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let messages = self.api.messages.keys();
        let all = messages
            .chain(self.api.enums.keys())
            .chain(self.api.unions.keys());
        let names: Vec<&str> = all.map(|full| self.short(full)).collect();
        did_you_mean(name, names).map(str::to_owned)
    }
}

/// The only element for which something holds.
fn only<'a, T>(all: impl Iterator<Item = &'a T>, mut is: impl FnMut(&T) -> bool) -> Option<&'a T> {
    let mut found = all.filter(|each| is(each));
    let first = found.next();
    if found.next().is_some() { None } else { first }
}

fn short<'n>(full: &'n str, package: &str) -> &'n str {
    if package.is_empty() {
        return full;
    }
    let rest = full.strip_prefix(package);
    rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(full)
}

/// The field of a message that a rule names, by either of its names.
pub(super) fn field(message: &Message, name: &str) -> Option<usize> {
    let fields = &message.fields;
    let by_proto = fields.iter().position(|field| field.proto_name == name);
    by_proto.or_else(|| fields.iter().position(|field| field.json_name == name))
}

/// The name of a field that was probably meant.
pub(super) fn nearest_field<'a>(message: &'a Message, name: &str) -> Option<&'a str> {
    let names = message.fields.iter().map(|field| field.proto_name.as_str());
    did_you_mean(name, names)
}

/// The name of a field as a rule for this spelling writes it.
pub(super) fn written(field: &Field, is_json: bool) -> &str {
    if is_json {
        &field.json_name
    } else {
        &field.proto_name
    }
}
