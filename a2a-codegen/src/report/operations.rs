//! Operations: which stand for each other, and how each is called on every binding.

use super::Input;
use super::Version;
use super::model::{Answer, Change, MessageChange, Operation, OperationSide, Parameters};
use super::parameters;
use super::words::{routes, short};
use crate::model::{Api, Method, Service, Type};
use crate::plan::model::{Encoding, How, MethodPlan};
use crate::profile::JsonRpcMethods;

/// All operations.
pub(super) fn operations(input: &Input<'_>, messages: &[MessageChange]) -> Vec<Operation> {
    let (Some(old), Some(new)) = (
        input.old.api.services.first(),
        input.new.api.services.first(),
    ) else {
        return Vec::new();
    };
    let plans = &input.plans.proto.methods;
    let operation = |plan: &MethodPlan| {
        let older = plan.old.and_then(|index| old.methods.get(index));
        let newer = plan.new.and_then(|index| new.methods.get(index));
        let json = json_plan(input, plan);
        let schema = json.and_then(|(_, index)| schema_method(input, index));
        let change = match (older, newer) {
            (Some(_), None) => Change::Removed,
            (None, _) => Change::Added,
            (Some(old), Some(new)) if old.proto_name == new.proto_name => Change::Kept,
            (Some(_), Some(_)) => Change::Renamed,
        };
        Operation {
            change,
            old: older.map(|method| side(&input.old, old, method, schema)),
            new: newer.map(|method| side(&input.new, new, method, None)),
            refused: plan.refused.clone(),
            parameters: all_parameters(input, plan, json.map(|(plan, _)| plan), messages),
            answers: answers(input, plan, json.map(|(plan, _)| plan)),
        }
    };
    plans.iter().map(operation).collect()
}

/// The plan of the same operation in the older schema, with its index there.
fn json_plan<'a>(input: &Input<'a>, plan: &MethodPlan) -> Option<(&'a MethodPlan, usize)> {
    let newer = plan.new?;
    let json = input.plans.json.as_ref()?;
    let found = json
        .methods
        .iter()
        .find(|method| method.new == Some(newer))?;
    Some((found, found.old?))
}

fn schema_method<'a>(input: &Input<'a>, index: usize) -> Option<&'a Method> {
    input.old.schema?.services.first()?.methods.get(index)
}

fn side(
    version: &Version<'_>,
    service: &Service,
    method: &Method,
    schema: Option<&Method>,
) -> OperationSide {
    let profile = version.profile.operation(service, &method.proto_name);
    let named = profile.and_then(|profile| profile.json_rpc_method.clone());
    let by_name = (version.profile.json_rpc.methods == JsonRpcMethods::RpcName)
        .then(|| method.proto_name.clone());
    let json_rpc = named
        .or_else(|| schema.and_then(|method| method.json_rpc_name.clone()))
        .or(by_name);
    let extra = profile.map_or(&[][..], |profile| &profile.extra_routes);
    let request = version.api.messages.get(&method.request);
    OperationSide {
        name: method.proto_name.clone(),
        grpc: format!("/{}/{}", service.proto_name, method.proto_name),
        json_rpc,
        routes: routes(&method.bindings, request, extra),
        request: short(version.api, &method.request).to_owned(),
        response: short(version.api, &method.response).to_owned(),
        stream: method.server_streaming,
        capability: profile.and_then(|profile| profile.capability.clone()),
    }
}

fn all_parameters(
    input: &Input<'_>,
    proto: &MethodPlan,
    json: Option<&MethodPlan>,
    messages: &[MessageChange],
) -> Vec<Parameters> {
    let mut all = Vec::new();
    let spellings = [(Encoding::Json, json), (Encoding::Proto, Some(proto))];
    for (encoding, plan) in spellings {
        let Some((new, old)) = plan.and_then(|plan| plan.request.as_ref()) else {
            continue;
        };
        let fields = parameters::fields(input, messages, encoding, new, old);
        if !fields.is_empty() {
            all.push(Parameters {
                spelling: encoding.into(),
                fields,
            });
        }
    }
    all
}

/// Answers of another form: an object that becomes a member, a bare list that gets a wrapper.
fn answers(input: &Input<'_>, proto: &MethodPlan, json: Option<&MethodPlan>) -> Vec<Answer> {
    let spellings = [(Encoding::Json, json), (Encoding::Proto, Some(proto))];
    let mut answers = Vec::new();
    for (encoding, plan) in spellings {
        let Some((new, old)) = plan.and_then(|plan| plan.response.as_ref()) else {
            continue;
        };
        let answer = answer(input, encoding, new, old);
        answers.extend(answer.map(|(old, new)| Answer {
            spelling: encoding.into(),
            old,
            new,
        }));
    }
    answers
}

fn answer(input: &Input<'_>, encoding: Encoding, new: &str, old: &str) -> Option<(String, String)> {
    let (api, plan) = input
        .spellings()
        .find(|(_, plan)| plan.encoding == encoding)?;
    let newer = members(input.new.api, new)?;
    let (old_short, new_short) = (short(api, old), short(input.new.api, new));
    match &plan.message(new, old)?.how {
        How::Tagged { tag, variants, .. } => {
            let names: Vec<String> = variants
                .iter()
                .map(|each| format!("`{}`", each.old))
                .collect();
            Some((
                format!("bare {}, told apart by `{tag}`", names.join(" | ")),
                newer,
            ))
        }
        How::Bare { .. } => {
            let field = api.messages.get(old)?.fields.first()?;
            let what = super::words::type_of(api, field);
            Some((format!("bare {what}"), newer))
        }
        _ => {
            let older = members(api, old)?;
            (older != newer)
                .then_some((older, newer))
                .filter(|_| old_short != new_short)
        }
    }
}

/// `{task | message}` for a choice, `{configs, nextPageToken}` for other objects.
pub(super) fn members(api: &Api, name: &str) -> Option<String> {
    let message = api.messages.get(name)?;
    let name = |field: &crate::model::Field| field.json_name.clone();
    let names: Vec<String> = message.fields.iter().map(name).collect();
    let is_choice = message
        .oneofs
        .first()
        .is_some_and(|oneof| oneof.fields.len() == names.len());
    let between = if is_choice { " | " } else { ", " };
    Some(format!("`{{{}}}`", names.join(between)))
}

/// True when a field of every request has this name and type.
pub(super) fn in_all_requests(version: &Version<'_>, name: &str, ty: &Type) -> bool {
    let mut methods = version
        .api
        .services
        .iter()
        .flat_map(|service| &service.methods);
    methods.all(|method| {
        let request = version.api.messages.get(&method.request);
        request.is_some_and(|request| {
            let mut fields = request.fields.iter();
            fields.any(|field| field.proto_name == name && field.ty == *ty)
        })
    })
}
