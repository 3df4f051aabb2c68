//! What else differs: packages, routes as a whole, media types, headers, fields that many messages
//! get, and what profiles say for people.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Change, ErrorChange, ErrorSide, Fact, FieldChange, MessageChange, Spelling};
use super::operations::{in_all_requests, members};
use super::words::{enumerate, short};
use super::{Input, Version, routes};
use crate::model::{Api, Method, Type};
use crate::plan::model::{ConversionPlan, FieldKind, How, MessagePlan};
use crate::profile::{ErrorRow, ErrorStyle, JsonRpcMethods, UnknownFields};

/// From how many messages on a field that is new in all of them is worth a line.
const MANY: usize = 3;

/// Everything that differs.
pub(super) fn facts(input: &Input<'_>, messages: &[MessageChange]) -> Vec<Fact> {
    let mut facts = Facts {
        list: Vec::new(),
        topics: BTreeSet::new(),
    };
    let each = |what: &dyn Fn(&Version<'_>) -> Option<String>| (what(&input.old), what(&input.new));
    facts.add("version", each(&|version| version.profile.version.clone()));
    facts.add("gRPC service, in every path", each(&service));
    facts.add("first part of the routes", each(&prefix));
    facts.add("JSON-RPC methods", each(&json_rpc));
    facts.add(
        "media type over HTTP",
        each(&|version| {
            version
                .profile
                .media_type
                .as_ref()
                .map(|name| format!("`{name}`"))
        }),
    );
    facts.add("header of extensions", each(&extensions));
    facts.add("details of an error", each(&error_details));
    facts.add("body of an error over HTTP", each(&error_body));
    facts.add("unknown members of JSON", each(&unknown));
    facts.add("required members of ProtoJSON", each(&required));
    facts.list.extend(choices(input));
    facts.list.extend(gathered(input));
    facts.list.extend(everywhere(input, messages));
    let topics: BTreeSet<&String> = input
        .old
        .profile
        .about
        .keys()
        .chain(input.new.profile.about.keys())
        .collect();
    for topic in topics {
        facts.add(
            topic,
            each(&|version| version.profile.about.get(topic).cloned()),
        );
    }
    facts.list
}

struct Facts {
    list: Vec<Fact>,
    topics: BTreeSet<String>,
}

impl Facts {
    /// Adds what differs; a topic once.
    fn add(&mut self, topic: &str, (old, new): (Option<String>, Option<String>)) {
        if old != new && self.topics.insert(topic.to_owned()) {
            self.list.push(Fact {
                topic: topic.to_owned(),
                old,
                new,
            });
        }
    }
}

/// Its paths stand in front of every call, so it is the first thing that differs.
fn service(version: &Version<'_>) -> Option<String> {
    let service = version.api.services.first()?;
    Some(format!("`{}`", service.proto_name))
}

fn methods(version: &Version<'_>) -> Vec<Method> {
    let services = version.api.services.iter();
    services
        .flat_map(|service| service.methods.clone())
        .collect()
}

fn prefix(version: &Version<'_>) -> Option<String> {
    routes::prefix(&methods(version)).map(|prefix| format!("`{prefix}`"))
}

fn json_rpc(version: &Version<'_>) -> Option<String> {
    let operations = &version.profile.operations;
    let named = operations
        .values()
        .find_map(|each| each.json_rpc_method.clone());
    match (version.profile.json_rpc.methods, named) {
        (_, Some(name)) => Some(format!("by names of their own, such as `{name}`")),
        (JsonRpcMethods::RpcName, None) => Some("by the names of the operations".to_owned()),
        (JsonRpcMethods::None, None) => None,
    }
}

/// That of the profile, or what it says for people where the runtime has it.
fn extensions(version: &Version<'_>) -> Option<String> {
    let profile = version.profile;
    let header = profile
        .extensions_header
        .as_ref()
        .map(|name| format!("`{name}`"));
    header.or_else(|| profile.about.get("header of extensions").cloned())
}

/// Versions without errors of their own have nothing to say here.
fn error_details(version: &Version<'_>) -> Option<String> {
    version.profile.errors.first()?;
    Some(match version.profile.error_style {
        ErrorStyle::CodeAndMessage => "none whose form is fixed".to_owned(),
        ErrorStyle::Status => {
            let domain = version.profile.error_domain.as_ref();
            let domain =
                domain.map_or_else(String::new, |domain| format!(" and `domain` `{domain}`"));
            format!(
                "a list of typed objects, `data` over JSON-RPC and `details` over HTTP and gRPC; the \
                 protocol's own errors have an `ErrorInfo` with `reason`{domain}"
            )
        }
    })
}

fn error_body(version: &Version<'_>) -> Option<String> {
    version.profile.errors.first()?;
    let words = match version.profile.error_style {
        ErrorStyle::CodeAndMessage => "`{code, message}`",
        ErrorStyle::Status => "`{error: {code, status, message, details}}`",
    };
    Some(words.to_owned())
}

fn unknown(version: &Version<'_>) -> Option<String> {
    let word = match version.profile.json.unknown_fields {
        UnknownFields::Ignore => "skipped",
        UnknownFields::Reject => "refused",
    };
    Some(word.to_owned())
}

fn required(version: &Version<'_>) -> Option<String> {
    let always = version.profile.json.always_write_required;
    let words = if always {
        "always written"
    } else {
        "left out when they are empty"
    };
    Some(words.to_owned())
}

/// Answers and events that are one of several objects.
fn choices(input: &Input<'_>) -> Vec<Fact> {
    let Some(json) = &input.plans.json else {
        return Vec::new();
    };
    let is_choice = |plan: &&MessagePlan| matches!(plan.how, How::Tagged { .. });
    json.messages
        .iter()
        .filter(is_choice)
        .filter_map(|plan| choice(input, plan))
        .collect()
}

fn choice(input: &Input<'_>, plan: &MessagePlan) -> Option<Fact> {
    let How::Tagged { tag, variants, .. } = &plan.how else {
        return None;
    };
    let names: Vec<String> = variants
        .iter()
        .map(|each| format!("`{}`", each.old))
        .collect();
    let mut old = format!(
        "JSON-RPC: bare {}, told apart by `{tag}`",
        names.join(" | ")
    );
    // The proto's own form, for gRPC and where HTTP follows the proto.
    let proto = input
        .plans
        .proto
        .messages
        .iter()
        .find(|each| each.new == plan.new);
    if let Some(form) = proto.and_then(|proto| members(input.old.api, &proto.old)) {
        old.push_str(&format!("; HTTP and gRPC: {form}"));
    }
    let service = input.new.api.services.first();
    let stream = service.is_some_and(|service| {
        let mut methods = service.methods.iter();
        methods.any(|method| method.response == plan.new && method.server_streaming)
    });
    let topic = if stream {
        "events of a stream"
    } else {
        "answer to a message"
    };
    let form = members(input.new.api, &plan.new)?;
    Some(Fact {
        topic: format!("{topic} (`{}`)", short(input.new.api, &plan.new)),
        old: Some(old),
        new: Some(format!("on every binding: {form}")),
    })
}

/// Fields that are made from several.
fn gathered(input: &Input<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let (api, plan) = match (input.old.schema, &input.plans.json) {
        (Some(schema), Some(json)) => (schema, json),
        _ => (input.old.api, &input.plans.proto),
    };
    for message in &plan.messages {
        let How::Fields(fields) = &message.how else {
            continue;
        };
        for field in fields {
            if let FieldKind::Gather { new, old, .. } = &field.kind {
                facts.extend(gather(input, (api, plan), message, *new, old));
            }
        }
    }
    facts
}

fn gather(
    input: &Input<'_>,
    (api, plan): (&Api, &ConversionPlan),
    message: &MessagePlan,
    new: usize,
    old: &[usize],
) -> Option<Fact> {
    let newer = input.new.api.messages.get(&message.new)?;
    let older = api.messages.get(&message.old)?;
    let field = newer.fields.get(new)?;
    let names: Vec<String> = old
        .iter()
        .filter_map(|index| older.fields.get(*index))
        .map(|field| format!("`{}`", super::words::written(field, plan.encoding)))
        .collect();
    let inside = match &field.ty {
        Type::Message(name) => members(input.new.api, name),
        _ => None,
    };
    let each = inside.map_or_else(String::new, |inside| format!(", each {inside}"));
    Some(Fact {
        topic: format!(
            "`{}.{}`",
            short(input.new.api, &message.new),
            field.proto_name
        ),
        old: Some(enumerate(&names)),
        new: Some(format!("`{}`{each}", field.json_name)),
    })
}

/// Fields that many messages get, or lose.
fn everywhere(input: &Input<'_>, messages: &[MessageChange]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for change in [Change::Added, Change::Removed] {
        let sides = |row: &FieldChange| match change {
            Change::Added => row.new.first().map(|side| side.name.clone()),
            _ => row.old.first().map(|side| side.name.clone()),
        };
        let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for message in messages.iter().filter(|each| each.change != change) {
            // A field that both spellings lack is new in the protos, too.
            let spelling = if change == Change::Added {
                Spelling::Proto
            } else {
                message.spelling
            };
            let name = message.new.as_ref().filter(|_| change == Change::Added);
            let Some(place) = name
                .or(message.old.as_ref())
                .filter(|_| message.spelling == spelling)
            else {
                continue;
            };
            for row in message.fields.iter().filter(|row| row.changes == [change]) {
                let Some(name) = sides(row) else { continue };
                places.entry(name).or_default().insert(place.clone());
            }
        }
        for (name, places) in places
            .into_iter()
            .filter(|(_, places)| places.len() >= MANY)
        {
            let mut words = enumerate(
                &places
                    .iter()
                    .map(|place| format!("`{place}`"))
                    .collect::<Vec<_>>(),
            );
            let new_field = |message: &crate::model::Message| {
                message
                    .fields
                    .iter()
                    .find(|field| field.proto_name == name)
                    .cloned()
            };
            let field = input.new.api.messages.values().find_map(new_field);
            if let Some(field) = field.filter(|_| change == Change::Added)
                && in_all_requests(&input.new, &name, &field.ty)
            {
                words = format!("in the request of every operation; new in {words}");
            }
            let (old, new) = match change {
                Change::Added => ("is not there".to_owned(), words),
                _ => (words, "is not there".to_owned()),
            };
            facts.push(Fact {
                topic: format!("field `{name}`"),
                old: Some(old),
                new: Some(new),
            });
        }
    }
    facts
}

/// The protocol's own errors, by code.
pub(super) fn errors(input: &Input<'_>) -> Vec<ErrorChange> {
    let side = |row: &ErrorRow| ErrorSide {
        name: row.name.clone(),
        grpc: row.grpc.clone(),
        http: row.http,
    };
    let (old, new) = (&input.old.profile.errors, &input.new.profile.errors);
    // From -32001 on downwards.
    let mut codes: Vec<i32> = old.iter().chain(new).map(|row| row.json_rpc).collect();
    codes.sort_by_key(|code| std::cmp::Reverse(*code));
    codes.dedup();
    let find = |rows: &[ErrorRow], code| rows.iter().find(|row| row.json_rpc == code).map(side);
    let change = |code| ErrorChange {
        code,
        old: find(old, code),
        new: find(new, code),
    };
    codes.into_iter().map(change).collect()
}
