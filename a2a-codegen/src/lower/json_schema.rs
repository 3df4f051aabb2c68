//! Lowers a JSON schema to the model, and checks everything on the way.
//!
//! Comes in: a [`LoadedSchema`]. Goes out: an [`Api`] with its messages, enums, unions and JSON-RPC
//! methods, or [`Diagnostics`] with everything that is wrong.
//!
//! | in the schema | in the model |
//! |---|---|
//! | definition of an object, also put together by `allOf` | [`Message`](crate::model::Message) |
//! | member with `const` | [`Constant`](crate::model::Constant) of its message |
//! | `enum` of texts | [`Enum`](crate::model::Enum) |
//! | `anyOf` or `oneOf` of objects | [`Union`](crate::model::Union) |
//! | any other definition | what it says, wherever it is referred to |
//! | object, `enum` or union without a definition | as with one, named after its property |
//! | `string`, `integer`, `number`, `boolean` | `String`, `Int32`, `Double`, `Bool` |
//! | object with free members; anything | `Struct`; `Value` |
//! | list; map | `Repeated`; `Map`; deeper ones are bare messages |
//! | request with `jsonrpc` and a constant `method` | [`Method`](crate::model::Method) |
//!
//! A scalar that is required is `Implicit`; one that may be missing or null is `Explicit`. The
//! definitions that make up JSON-RPC's envelope, and the errors in it, are no messages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::collisions::Scope;
use crate::diagnostics::{Diagnostic, Diagnostics, did_you_mean};
use crate::load::LoadedSchema;
use crate::load::schema::{Form, Property, Schema};
use crate::model::{Api, Origin};

mod envelope;
mod methods;
mod objects;
mod shapes;
mod unions;

use objects::Object;

/// How many references are followed one after the other. More can only be a circle.
const MAX_CHAIN: usize = 64;

/// How many properties and variants there may be once all references are followed.
const MAX_PARTS: usize = 100_000;

/// Nobody reads more at once.
const MAX_FAULTS: usize = 200;

/// Lowers a JSON schema to the model.
///
/// ```
/// use a2a_codegen::load::{SchemaSource, load_schema};
/// use a2a_codegen::lower::lower_schema;
/// use a2a_codegen::model::{Cardinality, Type};
///
/// let text = r##"{ "definitions": {
///   "Circle": { "type": "object", "properties": { "kind": { "const": "circle" }, "r": { "type": "number" } }, "required": ["kind", "r"] },
///   "Square": { "type": "object", "properties": { "kind": { "const": "square" } }, "required": ["kind"] },
///   "Shape": { "anyOf": [{ "$ref": "#/definitions/Circle" }, { "$ref": "#/definitions/Square" }] },
///   "Drawing": { "type": "object", "properties": { "shapes": { "type": "array", "items": { "$ref": "#/definitions/Shape" } } } }
/// } }"##;
/// let api = lower_schema(&load_schema(&SchemaSource::text("draw.json", text))?)?;
/// assert_eq!(api.unions["Shape"].tag.as_deref(), Some("kind"));
/// let shapes = &api.messages["Drawing"].fields[0];
/// assert_eq!(shapes.ty, Type::Union("Shape".to_owned()));
/// assert_eq!(shapes.cardinality, Cardinality::Repeated);
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
///
/// # Errors
/// When a reference leads nowhere or around in a circle, or when something has no form in the
/// model; with all places.
pub fn lower_schema(loaded: &LoadedSchema) -> Result<Api, Diagnostics> {
    let mut lowering = Lowering::new(loaded);
    lowering.check_references();
    lowering.flatten_definitions();
    lowering.find_envelope();
    lowering.lower_definitions();
    lowering.lower_methods();
    lowering.finish_unions();
    let Lowering {
        api,
        mut diagnostics,
        ..
    } = lowering;
    check_rust_names(&api, &mut diagnostics);
    diagnostics
        .into_result(api)
        .map_err(|faults| faults.with_texts(&loaded.texts))
}

/// What is known so far.
struct Lowering<'a> {
    /// In the order of the text.
    order: &'a [Property],
    definitions: BTreeMap<&'a str, &'a Property>,
    /// Definitions of objects, with what `allOf` gives them.
    objects: BTreeMap<&'a str, Object<'a>>,
    /// Definitions that are JSON-RPC's envelope, or errors in it.
    envelope: BTreeSet<&'a str>,
    /// Who has the names of messages, enums and unions.
    names: BTreeMap<String, Origin>,
    api: Api,
    /// How many more properties and variants there may be.
    parts_left: usize,
    diagnostics: Diagnostics,
}

impl<'a> Lowering<'a> {
    fn new(loaded: &'a LoadedSchema) -> Self {
        let order = loaded.definitions.as_slice();
        let api = Api {
            sources: vec![loaded.name.clone()],
            files: vec![loaded.name.clone()],
            ..Api::default()
        };
        let named = order.iter().filter(|definition| has_own_type(definition));
        Self {
            order,
            definitions: order.iter().map(|d| (d.name.as_str(), d)).collect(),
            objects: BTreeMap::new(),
            envelope: BTreeSet::new(),
            names: named.map(|d| (d.name.clone(), d.origin.clone())).collect(),
            api,
            parts_left: MAX_PARTS,
            diagnostics: Diagnostics::new(),
        }
    }

    /// A fault; the message is preceded by the path of what it is about.
    fn fault(&mut self, origin: &Origin, message: &str, hint: impl Into<String>) {
        let message = format!("`{}`: {message}", origin.proto_path);
        self.push(Diagnostic::new(origin.clone(), message).hint(hint));
    }

    fn push(&mut self, fault: Diagnostic) {
        if self.diagnostics.len() < MAX_FAULTS {
            self.diagnostics.push(fault);
        }
    }

    /// True while there is room for more properties and variants.
    fn has_room(&mut self, more: usize, origin: &Origin) -> bool {
        match self.parts_left.checked_sub(more) {
            Some(left) => {
                self.parts_left = left;
                true
            }
            None => {
                if self.parts_left > 0 {
                    self.parts_left = 0;
                    let message = format!(
                        "the schema has more than {MAX_PARTS} parts once its references are followed"
                    );
                    self.fault(origin, &message, "use fewer `allOf`, or smaller unions");
                }
                false
            }
        }
    }

    /// Takes a name for what stands at a place. False when it is there already, because its
    /// property belongs to several objects, or when something else has the name.
    fn claim(&mut self, name: &str, origin: &Origin) -> bool {
        match self.names.get(name) {
            Some(holder) if holder == origin => false,
            Some(holder) => {
                let holder = holder.clone();
                let message = format!(
                    "`{}`: what stands here would be called `{name}`, a name that is taken",
                    origin.proto_path
                );
                self.push(
                    Diagnostic::new(origin.clone(), message)
                        .also(holder, "the other one")
                        .hint("move it to a definition with a name of its own"),
                );
                false
            }
            None => {
                self.names.insert(name.to_owned(), origin.clone());
                true
            }
        }
    }

    /// References that lead nowhere, each told once.
    fn check_references(&mut self) {
        for definition in self.order {
            self.check_references_of(&definition.schema);
        }
    }

    fn check_references_of(&mut self, schema: &Schema) {
        match &schema.form {
            Form::Reference(name) if !self.definitions.contains_key(name.as_str()) => {
                let known = self.definitions.keys().copied();
                let hint = match did_you_mean(name, known) {
                    _ if self.diagnostics.len() >= MAX_FAULTS => return,
                    Some(meant) => format!("did you mean `#/definitions/{meant}`?"),
                    None => "declare it in `definitions`".to_owned(),
                };
                let message = format!("there is no definition `{name}`");
                self.fault(&schema.origin, &message, hint);
            }
            Form::Object { properties, .. } => {
                for property in properties {
                    self.check_references_of(&property.schema);
                }
            }
            Form::Map(inner) | Form::List(inner) => self.check_references_of(inner),
            Form::Choice(schemas) | Form::All(schemas) => {
                for schema in schemas {
                    self.check_references_of(schema);
                }
            }
            _ => {}
        }
    }

    /// Messages, enums and unions; of other definitions, whether they can be referred to.
    fn lower_definitions(&mut self) {
        for definition in self.order {
            let name = definition.name.as_str();
            if self.envelope.contains(name) {
                continue;
            }
            let (schema, origin) = (&definition.schema, &definition.origin);
            match &schema.form {
                Form::Object { .. } | Form::All(_) => {
                    let object = self.objects.get(name).cloned().unwrap_or_default();
                    self.lower_message(name, &object, schema, origin, 0);
                }
                Form::Choice(schemas) => self.lower_union(name, schemas, schema, origin),
                Form::Enumeration(values) => self.lower_enum(name, values, schema, origin),
                // What no property can be, such as a constant, is told where it is used.
                Form::Constant(_) | Form::Null => {}
                _ => {
                    self.resolve(schema, 0);
                }
            }
        }
    }
}

/// True for definitions that are a type of their own; others are what they refer to.
fn has_own_type(definition: &Property) -> bool {
    matches!(
        definition.schema.form,
        Form::Object { .. } | Form::All(_) | Form::Choice(_) | Form::Enumeration(_)
    )
}

/// What the generator names must have a name in Rust, and none twice.
fn check_rust_names(api: &Api, diagnostics: &mut Diagnostics) {
    let mut types = Scope::default();
    for message in api.messages.values() {
        let what = format!("the message `{}`", message.proto_name);
        let name = message.rust_path.concat();
        types.add(&name, what, &message.origin, diagnostics);
        let mut fields = Scope::default();
        for field in &message.fields {
            let what = format!(
                "the property `{}` of `{}`",
                field.json_name, message.proto_name
            );
            fields.add(&field.rust_name, what, &field.origin, diagnostics);
        }
    }
    for enumeration in api.enums.values() {
        let what = format!("the enum `{}`", enumeration.proto_name);
        let name = enumeration.rust_path.concat();
        types.add(&name, what, &enumeration.origin, diagnostics);
        let mut values = Scope::default();
        for value in &enumeration.values {
            let what = format!(
                "the value `{}` of `{}`",
                value.proto_name, enumeration.proto_name
            );
            values.add(&value.rust_name, what, &enumeration.origin, diagnostics);
        }
    }
    for union in api.unions.values() {
        let what = format!("the union `{}`", union.name);
        types.add(
            &super::names::upper_camel(&union.name),
            what,
            &union.origin,
            diagnostics,
        );
    }
}

/// The origin of the whole file.
fn whole_file(name: &str) -> Origin {
    Origin {
        file: Arc::from(name),
        ..Origin::default()
    }
}

#[cfg(test)]
mod tests;
