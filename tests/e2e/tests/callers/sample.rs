//! Requests that are made from the schemas alone.
//!
//! Comes in: an operation of the table, and what is to be called by it. Goes out: its request, in
//! which stands what is required and what names a task; and the places where it may name further
//! ones. A field that is required and means nothing to this module fails the test: then it has to be
//! said here what the field is about, and no operation is left out.

use a2a_kit::{OperationSpec, Route, Segment, ServiceSpec};
use e2e::client::descriptor;
use prost_reflect::{Cardinality, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

/// The JSON schema of version 0.3: what JSON-RPC speaks there.
const OLD_SCHEMA: &str = include_str!("../../../../proto/a2a/v0.3/a2a.schema.json");

/// What is said: the agent then tells all that it knows of the conversation.
const TEXT: &str = "context";

/// What a request is about.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// Empty for none; only version 1.0 has tenants.
    pub(crate) tenant: &'static str,
    /// A task.
    pub(crate) task: String,
    /// A webhook of it.
    pub(crate) config: &'static str,
    /// The conversation of the task.
    pub(crate) context: String,
}

/// In which language a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// JSON of the proto.
    Proto,
    /// That of the JSON schema of version 0.3.
    Schema,
}

/// A request with everything that is required.
pub(crate) fn request(
    service: &ServiceSpec,
    operation: &OperationSpec,
    language: Language,
    about: &About,
) -> Value {
    let is_for_task = |name: &str| {
        let known = descriptor(operation.request);
        known.get_field_by_name(name).is_some()
    };
    match language {
        Language::Proto => {
            let mut request = of_proto(&descriptor(operation.request), operation, about);
            if is_for_task("tenant") && !about.tenant.is_empty() {
                request.insert("tenant".into(), about.tenant.into());
            }
            for route in operation.routes.iter().map(|index| &service.routes[*index]) {
                for capture in route
                    .captures
                    .iter()
                    .filter(|capture| capture.field != "tenant")
                {
                    let name = capture.json_name;
                    let value = match capture.multi {
                        true => pattern(route, capture.start..capture.end, about),
                        false => known(capture.field, is_for_task("task_id"), about)
                            .unwrap_or_else(|| unknown(operation, capture.field)),
                    };
                    request.insert(name.to_owned(), value);
                }
            }
            request.into()
        }
        Language::Schema => of_schema_method(operation, about),
    }
}

/// The resource name that a route takes: `tasks/*/pushNotificationConfigs/*` with ids for the stars.
pub(crate) fn pattern(route: &Route, segments: std::ops::Range<usize>, about: &About) -> Value {
    let mut ids = [about.task.as_str(), about.config].into_iter();
    let parts = route.segments[segments]
        .iter()
        .map(|segment| match segment {
            Segment::Literal(text) => text,
            Segment::Single => ids.next().expect("a task and a webhook have two ids"),
            Segment::Multi => panic!("{} takes any number of segments", route.template),
        });
    parts.collect::<Vec<_>>().join("/").into()
}

/// What a field of this name is, in whatever request.
fn known(name: &str, beside_task_id: bool, about: &About) -> Option<Value> {
    Some(match name {
        "task_id" | "taskId" => json!(about.task),
        "id" if beside_task_id => json!(about.config),
        "id" => json!(about.task),
        "config_id" | "pushNotificationConfigId" => json!(about.config),
        // A resource name; the routes say of which form.
        "name" | "parent" => json!(""),
        "url" => json!("https://a.test/hook"),
        "messageId" | "message_id" => json!("m"),
        "text" => json!(TEXT),
        _ => return None,
    })
}

fn unknown(operation: &OperationSpec, field: &str) -> ! {
    panic!(
        "{} requires {field}, and nobody knows what that is; say it in `sample::known`",
        operation.name
    )
}

fn of_proto(
    message: &MessageDescriptor,
    operation: &OperationSpec,
    about: &About,
) -> Map<String, Value> {
    if message.name() == "Message" {
        return said(message);
    }
    let beside_task_id = message.get_field_by_name("task_id").is_some();
    let mut found = Map::new();
    for field in message.fields() {
        // The schema of version 0.3 does not mark what webhooks need.
        let is_needed = is_required(&field)
            || matches!(field.name(), "url" | "push_notification_config")
                && message.name().ends_with("PushNotificationConfig");
        if !is_needed {
            continue;
        }
        let value = match field.kind() {
            Kind::Message(inner) if !field.is_list() => of_proto(&inner, operation, about).into(),
            _ => known(field.name(), beside_task_id, about)
                .unwrap_or_else(|| unknown(operation, field.full_name())),
        };
        found.insert(field.json_name().to_owned(), value);
    }
    found
}

/// A message of a user.
fn said(message: &MessageDescriptor) -> Map<String, Value> {
    let is_parts = |field: &FieldDescriptor| matches!(field.kind(), Kind::Message(part) if part.name() == "Part");
    let parts = message
        .fields()
        .find(is_parts)
        .expect("a message has parts");
    let mut said = Map::new();
    said.insert("messageId".into(), "m".into());
    said.insert("role".into(), "ROLE_USER".into());
    said.insert(parts.json_name().into(), json!([{"text": TEXT}]));
    said
}

/// True when `google.api.field_behavior` says so.
fn is_required(field: &FieldDescriptor) -> bool {
    const REQUIRED: i32 = 2;
    let options = field.options();
    options.extensions().any(|(extension, value)| {
        extension.full_name() == "google.api.field_behavior"
            && value.as_list().is_some_and(|behaviors| {
                behaviors
                    .iter()
                    .any(|behavior| behavior.as_enum_number() == Some(REQUIRED))
            })
    })
}

fn of_schema_method(operation: &OperationSpec, about: &About) -> Value {
    let schema: Value = serde_json::from_str(OLD_SCHEMA).expect("the schema is JSON");
    let definitions = schema["definitions"].as_object().expect("definitions");
    let method = operation.json_rpc_method.expect("a method of JSON-RPC");
    let call = definitions
        .values()
        .find(|each| each["properties"]["method"]["const"] == method)
        .unwrap_or_else(|| panic!("the schema has no method {method}"));
    match call["properties"].get("params") {
        Some(params) => of_schema(params, definitions, operation, about),
        None => json!({}),
    }
}

fn of_schema(
    schema: &Value,
    definitions: &Map<String, Value>,
    operation: &OperationSpec,
    about: &About,
) -> Value {
    let mut schema = schema;
    while let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/definitions/");
        schema = &definitions[name];
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        // The last of several requests is the one with most to say, the first of parts the text.
        let is_part = alternatives.len() > 2;
        let chosen = if is_part {
            alternatives.first()
        } else {
            alternatives.last()
        };
        return of_schema(
            chosen.expect("an alternative"),
            definitions,
            operation,
            about,
        );
    }
    let properties = schema["properties"].as_object().expect("an object");
    let is_required = |name: &str| {
        name == "pushNotificationConfigId"
            || schema["required"]
                .as_array()
                .is_some_and(|all| all.iter().any(|each| each == name))
    };
    let mut found = Map::new();
    for (name, property) in properties.iter().filter(|(name, _)| is_required(name)) {
        let value = if let Some(value) = property.get("const") {
            value.clone()
        } else if property["enum"].is_array() {
            assert_eq!(name, "role", "{operation:?}");
            json!("user")
        } else if property["type"] == "array" {
            json!([of_schema(&property["items"], definitions, operation, about)])
        } else if property.get("$ref").is_some() {
            of_schema(property, definitions, operation, about)
        } else {
            known(name, false, about).unwrap_or_else(|| unknown(operation, name))
        };
        found.insert(name.clone(), value);
    }
    found.into()
}

/// A place where a request may name something else than it must.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// JSON pointer.
    pub(crate) pointer: String,
    /// What it stands in, with what is required there.
    around: Vec<(String, Value)>,
    is_list: bool,
    is_context: bool,
}

impl Place {
    /// Writes there what belongs there.
    pub(crate) fn fill(&self, request: &mut Value, about: &About) {
        let id = json!(if self.is_context {
            &about.context
        } else {
            &about.task
        });
        let id = if self.is_list { json!([id]) } else { id };
        for (pointer, value) in self.around.iter().chain([&(self.pointer.clone(), id)]) {
            if request.pointer(pointer).is_none() {
                let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
                request.pointer_mut(parent).expect("its parent")[name] = value.clone();
            }
        }
    }

    /// What comes of it when the task or conversation is another's.
    pub(crate) fn expected(&self) -> Expected {
        match self.is_context {
            true => Expected::Done,
            // The task of a webhook that comes with a message is that of the message.
            false if self.pointer.starts_with("/configuration/") => Expected::Refused,
            false => Expected::NotFound,
        }
    }
}

/// What comes of a request that names what is another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The task does not exist.
    NotFound,
    /// It is refused, whatever exists.
    Refused,
    /// It is done for the caller, whose conversation of this name is another one.
    Done,
}

/// All places in a request where tasks or conversations can be named, apart from those that are in
/// [`request`] anyway. They are called the same in both languages of version 0.3.
pub(crate) fn places(operation: &OperationSpec, about: &About) -> Vec<Place> {
    let mut search = Search {
        operation,
        about,
        seen: Vec::new(),
        around: Vec::new(),
        places: Vec::new(),
    };
    search.below(&descriptor(operation.request), "");
    search.places
}

struct Search<'a> {
    operation: &'a OperationSpec,
    about: &'a About,
    seen: Vec<String>,
    around: Vec<(String, MessageDescriptor)>,
    places: Vec<Place>,
}

impl Search<'_> {
    fn needed_around(&self) -> Vec<(String, Value)> {
        let around = self.around.iter();
        around
            .map(|(pointer, message)| {
                let needed = of_proto(message, self.operation, self.about);
                (pointer.clone(), needed.into())
            })
            .collect()
    }

    fn below(&mut self, message: &MessageDescriptor, pointer: &str) {
        if self.seen.iter().any(|name| name == message.full_name()) {
            return;
        }
        self.seen.push(message.full_name().to_owned());
        for field in message.fields() {
            let pointer = format!("{pointer}/{}", field.json_name());
            let is_context = field.name().ends_with("context_id");
            let is_task = field.name().contains("task_id");
            match field.kind() {
                Kind::String if is_context || is_task => self.places.push(Place {
                    pointer,
                    around: self.needed_around(),
                    is_list: field.cardinality() == Cardinality::Repeated,
                    is_context,
                }),
                Kind::Message(inner) if inner.package_name() == message.package_name() => {
                    self.around.push((pointer.clone(), inner.clone()));
                    self.below(&inner, &pointer);
                    self.around.pop();
                }
                _ => {}
            }
        }
    }
}
