//! Errors of calls, from one version to the other.
//!
//! Comes in: an error as a peer of the one version sends it. Goes out: the error that a caller of
//! the other gets.

use a2a_kit::{Binding, Code};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use bytes::Bytes;
use http::Request;
use prost::Message as _;
use serde_json::{Value, json};

use super::calls::{json_answer, json_post, read};
use super::case::{Case, Direction, Encoding};
use super::gateway::{self, Answer, Exchange};
use super::requests;
use super::{Became, Form, Outcome};

/// The loss of what an error says beyond code and text.
const DETAILS: &str = "D7";

/// Converts an error.
///
/// # Errors
/// When the case is not one that can be converted at all.
pub async fn convert(case: &Case) -> Result<Outcome, String> {
    let (found, losses) = match (case.encoding, case.kind.as_str()) {
        (Encoding::JsonRpc, _) => {
            let error = case.input.to_string();
            let answer: Answer = Box::new(move |request| {
                let id = read(request.body()).map_or(Value::Null, |request| request["id"].clone());
                json_answer(
                    200,
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
                )
            });
            let found = read(
                call(case, Binding::JsonRpc, Binding::JsonRpc, answer)
                    .await?
                    .answer
                    .body(),
            )?;
            let found = found["error"].clone();
            let losses = lost(case, &found);
            (found, losses)
        }
        (Encoding::Http, "error-status") => (statuses(case).await?, Vec::new()),
        (Encoding::Http, _) => {
            let exchange = call(case, Binding::Rest, Binding::Rest, http_answer(case)?).await?;
            let status = exchange.answer.status().as_u16();
            let found = json!({"status": status, "body": read(exchange.answer.body())?});
            (found, Vec::new())
        }
        _ => {
            let exchange = call(case, Binding::Grpc, Binding::Grpc, grpc_answer(case)?).await?;
            (grpc_status(&exchange)?, Vec::new())
        }
    };
    Ok(Outcome::Became(Became {
        value: found,
        form: Form::Plain,
        bytes: None,
        losses,
    }))
}

/// Errors are converted where they are written, so nobody is told what is lost: it is what the code
/// of the error does not say anyway.
fn lost(case: &Case, found: &Value) -> Vec<(String, String)> {
    let details = case.input["data"].as_array();
    let says_more = details.into_iter().flatten().any(|detail| {
        let is_reason = detail.get("reason").is_some();
        !is_reason
            || detail
                .get("metadata")
                .is_some_and(|facts| facts != &json!({}))
    });
    let is_gone = says_more && found.get("data").is_none();
    let is_another = found["code"] != case.input["code"];
    let losses = (case.direction == Direction::Down && (is_gone || is_another)).then_some(DETAILS);
    losses
        .into_iter()
        .map(|id| (id.to_owned(), String::new()))
        .collect()
}

/// A status and a body over HTTP, in the terms of both JSON-RPC and HTTP+JSON of v1.0.
async fn statuses(case: &Case) -> Result<Value, String> {
    let over_http = call(case, Binding::Rest, Binding::Rest, http_answer(case)?).await?;
    let body = read(over_http.answer.body())?;
    let reason = |details: &Value| {
        let details = details.as_array().into_iter().flatten();
        details
            .filter_map(|detail| detail.get("reason"))
            .next()
            .cloned()
            .unwrap_or(Value::Null)
    };
    let over_rpc = call(case, Binding::JsonRpc, Binding::Rest, http_answer(case)?).await?;
    let error = read(over_rpc.answer.body())?["error"].clone();
    let (a, b) = (reason(&body["error"]["details"]), reason(&error["data"]));
    if a != b {
        return Err(format!(
            "the reason {a} over HTTP+JSON and {b} over JSON-RPC"
        ));
    }
    Ok(json!({
        "jsonrpc_equivalent": error["code"],
        "reason": a,
        "http": over_http.answer.status().as_u16(),
    }))
}

/// Makes a call that the peer answers with the error.
async fn call(
    case: &Case,
    caller: Binding,
    peer: Binding,
    answer: Answer,
) -> Result<Exchange, String> {
    // The error goes the other way than the call.
    let callers = match case.direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
    };
    let (from, _) = gateway::versions(callers);
    let operation = case
        .input
        .get("operation")
        .and_then(Value::as_str)
        .unwrap_or("GetTask");
    let operation = from
        .operations
        .iter()
        .find(|spec| spec.name == operation)
        .ok_or_else(|| format!("{} has no operation {operation}", from.name))?;
    let request: Request<Bytes> = match caller {
        Binding::Rest => {
            let path = if from.name.starts_with("lf.") {
                "/tasks/t-9"
            } else {
                "/v1/tasks/t-9"
            };
            requests::http(callers, &json!({"method": "GET", "path": path}))?
        }
        Binding::Grpc => requests::grpc(operation.grpc_path, &requests::protobuf(operation)?)?,
        _ => json_post(
            "/",
            &json!({
                "jsonrpc": "2.0", "id": 1, "method": operation.json_rpc_method,
                "params": requests::params(callers, operation.request, operation.name),
            }),
        )?,
    };
    let exchange = if case.settings.error_data {
        gateway::exchange_with_details(callers, (caller, peer), request, answer).await?
    } else {
        gateway::exchange(callers, (caller, peer), request, answer).await?
    };
    if exchange.sent.is_none() {
        return Err(format!("no call of the peer, but {:?}", exchange.answer));
    }
    Ok(exchange)
}

fn http_answer(case: &Case) -> Result<Answer, String> {
    let status = case.input["status"]
        .as_u64()
        .and_then(|status| u16::try_from(status).ok());
    let status = status.ok_or("an input without a status")?;
    let body = match &case.input["body"] {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    Ok(Box::new(move |_| json_answer(status, body.clone())))
}

fn grpc_answer(case: &Case) -> Result<Answer, String> {
    let name = case.input["status"]
        .as_str()
        .ok_or("an input without a status")?;
    let code = CODES
        .iter()
        .position(|known| *known == name)
        .and_then(|code| i32::try_from(code).ok())
        .and_then(Code::from_number)
        .ok_or_else(|| format!("no gRPC status {name}"))?;
    let message = case.input["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let details = match case.input.get("details") {
        None => Vec::new(),
        Some(details) => {
            let status = json!({"code": code as i32, "message": message, "details": details});
            let status: a2a_kit::rpc::Status =
                serde_json::from_value(status).map_err(|error| error.to_string())?;
            status.encode_to_vec()
        }
    };
    Ok(Box::new(move |_| {
        requests::grpc_answer(code, &message, &details)
    }))
}

/// The status of an answer of gRPC.
///
/// # Errors
/// When there is none, or its details cannot be read.
pub fn grpc_status(exchange: &Exchange) -> Result<Value, String> {
    let header = |name: &str| {
        let value = exchange
            .trailers
            .get(name)
            .or_else(|| exchange.answer.headers().get(name));
        value.and_then(|value| value.to_str().ok())
    };
    let code = header("grpc-status").and_then(|code| code.parse::<usize>().ok());
    let name = code
        .and_then(|code| CODES.get(code))
        .ok_or("an answer without a gRPC status")?;
    let message = requests::unescaped_message(header("grpc-message").unwrap_or_default())?;
    let mut found = json!({"status": name, "message": message});
    if let Some(details) = header("grpc-status-details-bin") {
        let bytes = STANDARD_NO_PAD
            .decode(details)
            .or_else(|_| STANDARD.decode(details))
            .map_err(|error| format!("details that are no base64: {error}"))?;
        let status = a2a_kit::rpc::Status::decode(&bytes[..]).map_err(|error| error.to_string())?;
        let status = serde_json::to_value(&status).map_err(|error| error.to_string())?;
        if let Some(details) = status.get("details") {
            found["details"] = details.clone();
        }
    }
    Ok(found)
}

/// Names of the statuses, by number.
const CODES: &[&str] = &[
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
