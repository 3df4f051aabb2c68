//! Every field of every message, alone, down and up again and up and down again: it comes back, or
//! its loss is told, or it is refused. Fields are read off the protos and the schema, so a new one
//! cannot be overlooked here.

use std::collections::BTreeMap;

use a2a_wire::__codegen::json::Codec;
use a2a_wire::adapt::{self, Down, JsonForm, Loss, Options, Up};
use a2a_wire::{WireMessage, v0_3, v0_3_json as old, v1_0};
use serde_json::{Map, Value, json};

const NEW: &str = include_str!("../../proto/a2a/v1.0/a2a.proto");
const OLD: &str = include_str!("../../proto/a2a/v0.3/a2a.proto");
const SCHEMA: &str = include_str!("../../proto/a2a/v0.3/a2a.schema.json");

/// A field of a proto.
#[derive(Debug, Clone)]
struct Field {
    name: String,
    ty: String,
    label: Label,
    oneof: Option<String>,
    required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Label {
    Single,
    Optional,
    Repeated,
    Map,
}

/// What a proto declares.
#[derive(Debug, Default)]
struct Proto {
    messages: BTreeMap<String, Vec<Field>>,
    enums: BTreeMap<String, Vec<String>>,
}

fn json_name(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |name, word| {
        name + &word[..1].to_uppercase() + &word[1..]
    })
}

impl Proto {
    /// Reads as much of a proto as says which fields there are.
    fn read(text: &str) -> Self {
        let lines = text.lines().map(|line| line.split("//").next().unwrap());
        let text = lines.collect::<Vec<_>>().join(" ");
        let mut proto = Self::default();
        let mut blocks: Vec<(String, String)> = Vec::new();
        let mut said = String::new();
        for letter in text.chars() {
            match letter {
                '{' => {
                    let mut words = said.split_whitespace();
                    let mut word = || words.next().unwrap_or_default().to_owned();
                    let block = (word(), word());
                    if block.0 == "message" {
                        proto.messages.entry(block.1.clone()).or_default();
                    }
                    blocks.push(block);
                    said.clear();
                }
                '}' => {
                    blocks.pop();
                    said.clear();
                }
                ';' => {
                    proto.declare(&blocks, said.trim());
                    said.clear();
                }
                _ => said.push(letter),
            }
        }
        proto
    }

    fn declare(&mut self, blocks: &[(String, String)], said: &str) {
        let Some((declared, rest)) = said.split_once('=') else {
            return;
        };
        let names: Vec<&str> = blocks.iter().map(|(kind, _)| kind.as_str()).collect();
        let oneof = match names[..] {
            ["message"] => None,
            ["message", "oneof"] => Some(blocks[1].1.clone()),
            ["enum"] => {
                let values = self.enums.entry(blocks[0].1.clone()).or_default();
                return values.push(declared.trim().to_owned());
            }
            _ => return,
        };
        if declared.trim_start().starts_with("option ") {
            return;
        }
        let (ty, name) = declared.trim().rsplit_once(' ').unwrap();
        let (label, ty) = match ty.split_once(' ') {
            Some(("repeated", ty)) => (Label::Repeated, ty),
            Some(("optional", ty)) => (Label::Optional, ty),
            _ => match ty.strip_prefix("map<") {
                Some(ty) => (
                    Label::Map,
                    ty.trim_end_matches('>').split_once(',').unwrap().1,
                ),
                None => (Label::Single, ty),
            },
        };
        let options = rest.split_once('[').map_or("", |(_, options)| options);
        let json = match options.split_once("json_name") {
            Some((_, name)) => name.split('"').nth(1).unwrap().to_owned(),
            None => json_name(name),
        };
        self.messages.get_mut(&blocks[0].1).unwrap().push(Field {
            name: json,
            ty: ty.trim().to_owned(),
            label,
            oneof,
            required: rest.contains("REQUIRED"),
        });
    }

    /// A message in which as little as possible is set.
    fn least(&self, message: &str) -> Value {
        let mut value = Map::new();
        let mut oneofs: Vec<&String> = Vec::new();
        for field in &self.messages[message] {
            let is_first = field.oneof.as_ref().is_some_and(|oneof| {
                let is_first = !oneofs.contains(&oneof);
                oneofs.push(oneof);
                is_first
            });
            if is_first || field.required || is_needed(message, &field.name) {
                let inner = match self.messages.get(&field.ty) {
                    Some(_) => self.least(&field.ty),
                    None => self.samples(message, field).swap_remove(0),
                };
                value.insert(field.name.clone(), within(field, inner).1);
            }
        }
        value.into()
    }

    fn samples(&self, message: &str, field: &Field) -> Vec<Value> {
        if let Some(values) = self.enums.get(&field.ty) {
            let values = values.iter().skip(1);
            return values.map(|value| json!(value)).collect();
        }
        let zero = field.label == Label::Optional;
        match field.ty.as_str() {
            "string" => vec![json!(text(message, &field.name))],
            "bool" if zero => vec![json!(true), json!(false)],
            "bool" => vec![json!(true)],
            "int32" if zero => vec![json!(7), json!(0)],
            "int32" => vec![json!(7)],
            "bytes" => vec![json!("AAEC/w==")],
            "google.protobuf.Struct" => vec![json!({"k": 1}), json!({})],
            "google.protobuf.Value" => vec![json!({"k": 1}), json!([1]), json!("x"), json!(null)],
            "google.protobuf.Timestamp" => vec![json!("2026-01-02T03:04:05Z")],
            other => panic!("no sample of {other}"),
        }
    }

    /// Each field set alone, also those of what is inside: where it is, and the whole.
    fn each(&self, message: &str) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        for field in &self.messages[message] {
            let inner = match self.messages.get(&field.ty) {
                Some(_) => self.each(&field.ty),
                None => {
                    let samples = self.samples(message, field).into_iter();
                    samples.map(|value| (String::new(), value)).collect()
                }
            };
            for (below, inner) in inner {
                let mut whole = self.least(message);
                let members = whole.as_object_mut().unwrap();
                let others = self.messages[message].iter();
                for other in others.filter(|other| other.oneof.is_some()) {
                    if other.oneof == field.oneof {
                        members.remove(&other.name);
                    }
                }
                let (path, value) = within(field, inner);
                members.insert(field.name.clone(), value);
                all.push((joined(&path, &below), whole));
            }
        }
        all
    }
}

/// Fields without which a message has no form in the other version, though no mark says so.
fn is_needed(message: &str, field: &str) -> bool {
    match field {
        "name" => message.ends_with("Request") || message == "TaskPushNotificationConfig",
        "parent" | "pushNotificationConfig" | "config" | "taskId" => {
            message.contains("PushNotificationConfig")
        }
        "id" => message.contains("PushNotificationConfigRequest"),
        "url" => message == "AgentCard",
        "request" | "message" => message == "SendMessageRequest",
        "messageId" | "role" => message == "Message",
        _ => false,
    }
}

/// A text that has a meaning where it is.
fn text(message: &str, field: &str) -> &'static str {
    match (message, field) {
        ("AgentCard", "protocolVersion") => "0.3.0",
        (_, "protocolVersion") => "0.3",
        // Another one than the card's own.
        ("AgentInterface", "url") => "y",
        (_, "protocolBinding" | "preferredTransport" | "transport") => "GRPC",
        (_, "location" | "in") => "header",
        (
            "ListTaskPushNotificationConfigRequest" | "CreateTaskPushNotificationConfigRequest",
            "parent",
        ) => "tasks/x",
        ("GetTaskRequest" | "CancelTaskRequest" | "TaskSubscriptionRequest", "name") => "tasks/x",
        (
            "GetTaskPushNotificationConfigRequest"
            | "DeleteTaskPushNotificationConfigRequest"
            | "TaskPushNotificationConfig",
            "name",
        ) => "tasks/x/pushNotificationConfigs/x",
        _ => "x",
    }
}

fn within(field: &Field, value: Value) -> (String, Value) {
    let name = &field.name;
    match field.label {
        Label::Repeated => (format!("{name}[0]"), json!([value])),
        Label::Map => (format!("{name}.k"), json!({ "k": value })),
        Label::Single | Label::Optional => (name.clone(), value),
    }
}

fn joined(path: &str, below: &str) -> String {
    match below {
        "" => path.to_owned(),
        _ if path.is_empty() || below.starts_with('[') => format!("{path}{below}"),
        _ => format!("{path}.{below}"),
    }
}

/// What stands at a path; what is left out is null.
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    let path = path.replace('[', ".").replace(']', "");
    path.split('.')
        .filter(|step| !step.is_empty())
        .fold(value, |value, step| match step.parse::<usize>() {
            Ok(index) if value.is_array() => &value[index],
            _ => &value[step],
        })
}

/// False and `{}` say no more than what is not there: the protos cannot tell them apart.
fn said(value: &Value) -> Option<&Value> {
    let says_nothing = match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    (!says_nothing).then_some(value)
}

fn are_related(a: &str, b: &str) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Why a field is not accounted for, or nothing.
fn verdict(
    path: &str,
    whole: &Value,
    came: Result<(Value, Vec<Loss>), (String, String)>,
) -> Option<String> {
    match came {
        Err((at, message)) if are_related(&at, path) => {
            assert!(!message.is_empty());
            None
        }
        Err((at, message)) => Some(format!("{path}: {whole} is refused at {at}: {message}")),
        Ok((back, losses)) => {
            let is_back = said(at(whole, path)) == said(at(&back, path));
            let is_told = losses.iter().any(|loss| are_related(&loss.path, path));
            (!is_back && !is_told)
                .then(|| format!("{path}: {whole} came back as {back}, {losses:?}"))
        }
    }
}

fn to_json(value: &impl WireMessage) -> Value {
    let mut text = Vec::new();
    value.write_json(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn read<M: WireMessage>(value: &Value) -> M {
    M::read_json(value.to_string().as_bytes()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Through the protos: what of the newer message, and of the older one, is not accounted for.
fn proto<Old, New>(names: [&str; 2], protos: &[Proto; 2]) -> (usize, Vec<String>)
where
    Old: WireMessage + Up<New>,
    New: WireMessage + Down<Old>,
{
    let options = Options::default();
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, whole) in protos[1].each(names[1]) {
        let came = adapt::down::<New, Old>(read(&whole), &options)
            .and_then(|(old, losses)| {
                Ok((to_json(&adapt::up::<Old, New>(old, &options)?.0), losses))
            })
            .map_err(|refused| (refused.path, refused.message));
        count += 1;
        wrong.extend(verdict(&path, &to_json(&read::<New>(&whole)), came));
    }
    for (path, whole) in protos[0].each(names[0]) {
        let came = adapt::up::<Old, New>(read(&whole), &options)
            .and_then(|(new, losses)| {
                Ok((to_json(&adapt::down::<New, Old>(new, &options)?.0), losses))
            })
            .map_err(|refused| (refused.path, refused.message));
        count += 1;
        wrong.extend(verdict(&path, &to_json(&read::<Old>(&whole)), came));
    }
    (count, wrong)
}

#[test]
fn fields_of_the_protos_come_back_or_are_told() {
    let protos = [Proto::read(OLD), Proto::read(NEW)];
    assert_eq!(protos[1].messages["Part"].len(), 7);
    assert_eq!(protos[0].messages["Task"].len(), 6);
    let (mut count, mut wrong) = (0, Vec::new());
    macro_rules! pairs {
        ($($old:ident, $new:ident;)*) => {$(
            let (fields, faults) = proto::<v0_3::$old, v1_0::$new>(
                [stringify!($old), stringify!($new)], &protos,
            );
            count += fields;
            wrong.extend(faults.into_iter().map(|fault| format!("{}: {fault}", stringify!($new))));
        )*};
    }
    pairs! {
        SendMessageRequest, SendMessageRequest;
        SendMessageResponse, SendMessageResponse;
        StreamResponse, StreamResponse;
        GetTaskRequest, GetTaskRequest;
        Task, Task;
        CancelTaskRequest, CancelTaskRequest;
        TaskSubscriptionRequest, SubscribeToTaskRequest;
        CreateTaskPushNotificationConfigRequest, TaskPushNotificationConfig;
        TaskPushNotificationConfig, TaskPushNotificationConfig;
        GetTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest;
        DeleteTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest;
        ListTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest;
        ListTaskPushNotificationConfigResponse, ListTaskPushNotificationConfigsResponse;
        AgentCard, AgentCard;
    }
    assert!(wrong.is_empty(), "of {count}:\n{}", wrong.join("\n"));
    assert!(count > 500, "only {count}");
}

/// The definitions of the schema.
struct Schema(Value);

impl Schema {
    fn of<'s>(&'s self, part: &'s Value) -> &'s Value {
        match part["$ref"].as_str() {
            Some(name) => &self.0["definitions"][name.rsplit('/').next().unwrap()],
            None => part,
        }
    }

    fn least(&self, part: &Value, name: &str) -> Value {
        let part = self.of(part);
        if let Some(first) = part["anyOf"].get(0) {
            return self.least(first, name);
        }
        match part["properties"].as_object() {
            Some(members) => {
                let required = part["required"].as_array().into_iter().flatten();
                let required = required.filter_map(Value::as_str);
                let set = required.map(|name| (name.to_owned(), self.least(&members[name], name)));
                Value::Object(set.collect())
            }
            None => match part["type"].as_str() {
                Some("array") => json!([]),
                _ => self.each(part, name).swap_remove(0).1,
            },
        }
    }

    /// As [`Proto::each`].
    fn each(&self, part: &Value, name: &str) -> Vec<(String, Value)> {
        let part = self.of(part);
        let one = |value: Value| vec![(String::new(), value)];
        if let Some(variants) = part["anyOf"].as_array() {
            return variants
                .iter()
                .flat_map(|variant| self.each(variant, name))
                .collect();
        }
        if let Some(constant) = part.get("const") {
            return one(constant.clone());
        }
        if let Some(values) = part["enum"].as_array() {
            return values
                .iter()
                .map(|value| (String::new(), value.clone()))
                .collect();
        }
        if let Some(members) = part["properties"].as_object() {
            let least = self.least(part, name);
            let mut all = Vec::new();
            for (name, member) in members {
                for (below, value) in self.each(member, name) {
                    let mut whole = least.clone();
                    whole[name] = value;
                    all.push((joined(name, &below), whole));
                }
            }
            return all;
        }
        match part["type"].as_str() {
            Some("string") => one(json!(match name {
                "timestamp" => "2026-01-02T03:04:05.000Z",
                "bytes" => "AAEC/w==",
                "protocolVersion" => "0.3.0",
                _ => text("", name),
            })),
            Some("boolean") => vec![(String::new(), json!(true)), (String::new(), json!(false))],
            Some("integer" | "number") => {
                vec![(String::new(), json!(7)), (String::new(), json!(0))]
            }
            Some("array") => {
                let inner = self.each(&part["items"], "").into_iter();
                inner
                    .map(|(below, value)| (joined("[0]", &below), json!([value])))
                    .collect()
            }
            Some("object")
                if part["additionalProperties"]["type"].is_string()
                    || part["additionalProperties"]["$ref"].is_string() =>
            {
                let inner = self.each(&part["additionalProperties"], "").into_iter();
                inner
                    .map(|(below, value)| (joined("k", &below), json!({ "k": value })))
                    .collect()
            }
            Some("object") => vec![(String::new(), json!({"k": 1})), (String::new(), json!({}))],
            other => panic!("{name}: no sample of {other:?}: {part}"),
        }
    }
}

/// Through the JSON of the schema.
fn schema<C>(
    definition: &Value,
    message: &str,
    schema: &Schema,
    new: &Proto,
) -> (usize, Vec<String>)
where
    C: Codec<Value: WireMessage> + JsonForm<C::Value>,
{
    let mut options = Options::default();
    options.config_id_optional = true;
    let fault =
        |error: a2a_wire::json::Error| (error.path().to_owned(), error.message().to_owned());
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, whole) in new.each(message) {
        let mut text = Vec::new();
        let came = old::write::<C>(&read(&whole), &options, &mut text)
            .and_then(|losses| Ok((to_json(&old::read::<C>(&text, &options)?.0), losses)))
            .map_err(fault);
        count += 1;
        wrong.extend(verdict(&path, &to_json(&read::<C::Value>(&whole)), came));
    }
    for (path, whole) in schema.each(definition, "") {
        let mut text = Vec::new();
        let came = old::read::<C>(whole.to_string().as_bytes(), &options)
            .and_then(|(value, losses)| {
                old::write::<C>(&value, &options, &mut text)?;
                Ok((serde_json::from_slice(&text).unwrap(), losses))
            })
            .map_err(fault);
        count += 1;
        wrong.extend(verdict(&path, &whole, came));
    }
    (count, wrong)
}

#[test]
fn fields_of_the_schema_come_back_or_are_told() {
    let known = Schema(serde_json::from_str(SCHEMA).unwrap());
    let new = Proto::read(NEW);
    let (mut count, mut wrong) = (0, Vec::new());
    macro_rules! pairs {
        ($($codec:ident: $definition:expr, $new:literal;)*) => {$(
            let definition = $definition;
            let (fields, faults) = schema::<old::$codec>(&definition, $new, &known, &new);
            count += fields;
            wrong.extend(faults.into_iter().map(|fault| format!("{}: {fault}", stringify!($codec))));
        )*};
    }
    let definition = |name: &str| json!({ "$ref": format!("#/definitions/{name}") });
    let result = |name: &str| known.0["definitions"][name]["properties"]["result"].clone();
    pairs! {
        MessageSendParams: definition("MessageSendParams"), "SendMessageRequest";
        SendMessageResponse: result("SendMessageSuccessResponse"), "SendMessageResponse";
        StreamResponse: result("SendStreamingMessageSuccessResponse"), "StreamResponse";
        TaskQueryParams: definition("TaskQueryParams"), "GetTaskRequest";
        Task: definition("Task"), "Task";
        CancelTaskRequest: definition("TaskIdParams"), "CancelTaskRequest";
        SubscribeToTaskRequest: definition("TaskIdParams"), "SubscribeToTaskRequest";
        TaskPushNotificationConfig: definition("TaskPushNotificationConfig"), "TaskPushNotificationConfig";
        GetTaskPushNotificationConfigParams: definition("GetTaskPushNotificationConfigParams"), "GetTaskPushNotificationConfigRequest";
        DeleteTaskPushNotificationConfigParams: definition("DeleteTaskPushNotificationConfigParams"), "DeleteTaskPushNotificationConfigRequest";
        ListTaskPushNotificationConfigParams: definition("ListTaskPushNotificationConfigParams"), "ListTaskPushNotificationConfigsRequest";
        ListTaskPushNotificationConfigsResponse: result("ListTaskPushNotificationConfigSuccessResponse"), "ListTaskPushNotificationConfigsResponse";
        AgentCard: definition("AgentCard"), "AgentCard";
    }
    assert!(wrong.is_empty(), "of {count}:\n{}", wrong.join("\n"));
    assert!(count > 500, "only {count}");
}
