//! Which definitions are JSON-RPC's envelope: they say how a call is framed, not what is called.

use super::{Lowering, MAX_CHAIN, Object};
use crate::load::schema::{Form, Property, Schema};

/// True for the frame of a request or response.
pub(super) fn is_frame(object: &Object<'_>) -> bool {
    object
        .get("jsonrpc")
        .is_some_and(|property| matches!(property.schema.form, Form::Constant(_)))
}

impl<'a> Lowering<'a> {
    /// Frames, the errors in them, and what consists of these alone.
    pub(super) fn find_envelope(&mut self) {
        let frames = self.objects.iter().filter(|(_, object)| is_frame(object));
        for (name, frame) in frames {
            self.envelope.insert(name);
            if let Some(error) = frame.get("error") {
                self.envelope.extend(references(&error.schema));
            }
        }
        // Unions and further names can be of each other; the circle is found elsewhere.
        for _ in 0..MAX_CHAIN {
            let is_new = |definition: &&'a Property| {
                !self.envelope.contains(definition.name.as_str())
                    && self.is_of_envelope(&definition.schema)
            };
            let more: Vec<&'a Property> = self.order.iter().filter(is_new).collect();
            if more.is_empty() {
                break;
            }
            self.envelope.extend(more.iter().map(|d| d.name.as_str()));
        }
    }

    fn is_of_envelope(&self, schema: &Schema) -> bool {
        match &schema.form {
            Form::Reference(name) => self.envelope.contains(name.as_str()),
            Form::Choice(schemas) => schemas.iter().all(|schema| self.is_of_envelope(schema)),
            _ => false,
        }
    }
}

/// The definitions that a schema names.
fn references(schema: &Schema) -> Vec<&str> {
    match &schema.form {
        Form::Reference(name) => vec![name],
        Form::Choice(schemas) => schemas.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
