//! The cases of `../shared/cases/version_mapping.json` that are about the proto of v0.3, where the
//! file is there: what goes up or down, and the ids of what is lost.

use std::collections::BTreeSet;
use std::path::Path;

use a2a_wire::adapt::{self, Down, FileBytes, Loss, Options, Refused, Up};
use a2a_wire::{WireMessage, v0_3, v1_0};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// What a conversion gave.
type Outcome = Result<(Converted, BTreeSet<&'static str>), Refused>;

struct Converted {
    json: Value,
    protobuf: Vec<u8>,
}

fn run<From: WireMessage, To: WireMessage>(
    case: &Value,
    convert: impl FnOnce(From, &Options) -> Result<(To, Vec<Loss>), Refused>,
) -> Outcome {
    let mut options = Options::default();
    options.file_bytes = match &case["options"]["file_bytes"] {
        Value::Null => FileBytes::Raw,
        Value::String(name) if name == "raw" => FileBytes::Raw,
        Value::String(name) if name == "base64-text" => FileBytes::Base64Text,
        other => panic!("unknown file_bytes: {other}"),
    };
    options.tolerant = case["options"]["tolerant"].as_bool().unwrap_or(true);
    options.last_event = case["options"]["last_event_of_stream"]
        .as_bool()
        .unwrap_or(false);
    let from = match case["input_b64"].as_str() {
        Some(bytes) => From::read_protobuf(STANDARD.decode(bytes).unwrap().into()).unwrap(),
        None => From::read_json(case["input"].to_string().as_bytes()).unwrap(),
    };
    let (to, losses) = convert(from, &options)?;
    let mut json = Vec::new();
    to.write_json(&mut json).unwrap();
    let converted = Converted {
        json: serde_json::from_slice(&json).unwrap(),
        protobuf: to.encode_to_vec(),
    };
    Ok((converted, losses.iter().map(|loss| loss.id).collect()))
}

fn pair<Old: WireMessage + Up<New>, New: WireMessage + Down<Old>>(
    case: &Value,
    is_up: bool,
) -> (Outcome, Normal) {
    if is_up {
        (run(case, adapt::up::<Old, New>), normal::<New>)
    } else {
        (run(case, adapt::down::<New, Old>), normal::<Old>)
    }
}

/// What is expected, as our own reader and writer put it: defaults left out or written alike.
type Normal = fn(&Value) -> Value;

fn normal<M: WireMessage>(value: &Value) -> Value {
    let mut text = Vec::new();
    let message = M::read_json(value.to_string().as_bytes()).unwrap();
    message.write_json(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn convert(case: &Value, is_up: bool) -> Option<(Outcome, Normal)> {
    macro_rules! pairs {
        ($($name:literal: $old:ident, $new:ident;)*) => {
            match case["type"].as_str()? {
                $($name => Some(pair::<v0_3::$old, v1_0::$new>(case, is_up)),)*
                _ => None,
            }
        };
    }
    pairs! {
        "AgentCard": AgentCard, AgentCard;
        "Artifact": Artifact, Artifact;
        "CancelTaskRequest": CancelTaskRequest, CancelTaskRequest;
        "CreateTaskPushNotificationConfigRequest":
            CreateTaskPushNotificationConfigRequest, TaskPushNotificationConfig;
        "DeleteTaskPushNotificationConfigRequest":
            DeleteTaskPushNotificationConfigRequest, DeleteTaskPushNotificationConfigRequest;
        "GetTaskPushNotificationConfigRequest":
            GetTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest;
        "GetTaskRequest": GetTaskRequest, GetTaskRequest;
        "Message": Message, Message;
        "Part": Part, Part;
        "SecurityScheme": SecurityScheme, SecurityScheme;
        "SendMessageRequest": SendMessageRequest, SendMessageRequest;
        "SendMessageResponse": SendMessageResponse, SendMessageResponse;
        "StreamResponse": StreamResponse, StreamResponse;
        "Task": Task, Task;
        "TaskPushNotificationConfig": TaskPushNotificationConfig, TaskPushNotificationConfig;
        "TaskStatus": TaskStatus, TaskStatus;
    }
}

/// Why a case is not as it says, or nothing.
fn verdict(case: &Value) -> Result<(), String> {
    let is_up = case["direction"] == "0.3->1.0";
    let (outcome, normal) = convert(case, is_up).ok_or("an unknown type")?;
    let (found, losses) = match (outcome, case.get("expected_error")) {
        (Err(_), Some(_)) => return Ok(()),
        (Ok(_), Some(_)) => return Err("was not refused".to_owned()),
        (Err(refused), None) => return Err(refused.to_string()),
        (Ok(found), None) => found,
    };
    let alternatives = case["also_acceptable"].as_array().into_iter().flatten();
    let mut acceptable = alternatives.chain([&case["expected"]]);
    if !acceptable.any(|expected| normal(expected) == found.json) {
        return Err(format!("became {}", found.json));
    }
    if let Some(bytes) = case["expected_b64"].as_str() {
        let expected = STANDARD.decode(bytes).unwrap();
        if found.protobuf != expected {
            return Err(format!("became {:?}, not {expected:?}", found.protobuf));
        }
    }
    let expected: BTreeSet<&str> = case["loss"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|loss| loss["id"].as_str())
        .collect();
    if losses != expected {
        return Err(format!("lost {losses:?}, not {expected:?}"));
    }
    Ok(())
}

#[test]
fn cases_of_the_proto() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/version_mapping.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("not run: ../shared/cases has no version_mapping.json");
        return;
    };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let cases: Vec<&Value> = cases["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["encoding"] == "protobuf" || case["encoding"] == "protojson-0.3")
        .collect();
    assert!(!cases.is_empty());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| Some(format!("{}: {}", case["id"], verdict(case).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
