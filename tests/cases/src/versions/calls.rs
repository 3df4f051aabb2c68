//! Methods, paths, headers and bodies of calls.
//!
//! Comes in: a case of one of them. Goes out: what a peer of the other version gets, or what a
//! caller of it does.

use a2a_kit::{Binding, Code, ServiceSpec};
use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Map, Value, json};

use super::case::{Case, Direction};
use super::gateway::{self, Exchange, PEER};
use super::requests;
use super::{Became, Form, Outcome, Tools, values};
use crate::answer::Answer;
use crate::case as json_text;
use crate::served;

/// Converts; what can be looked at from two sides gives two outcomes.
///
/// # Errors
/// When the case is not one that can be converted at all.
pub async fn convert(case: &Case, tools: &Tools<'_>) -> Result<Vec<Outcome>, String> {
    use super::case::Encoding::{Grpc, Http, JsonRpc};
    let one = |outcome: Result<Outcome, String>| outcome.map(|outcome| vec![outcome]);
    match (case.encoding, case.kind.as_str()) {
        (JsonRpc, "method") => one(json_rpc_method(case).await),
        (Grpc, "method") => one(grpc_path(case).await),
        (Http, "route") => one(route(case).await),
        (Http, "dispatch") => one(dispatch(case).await),
        (Http, "headers") => one(headers(case).await),
        (Http, "webhook") => one(webhook(case, tools)),
        (Http, "card-body") => one(values::schema(&of_kind(case, "AgentCard"), tools)),
        (Http, "sse-data" | "rest-stream-data" | "rest-stream-event") => {
            one(either(&of_kind(case, "StreamResponse"), tools))
        }
        (Http, kind) => body(case, tools, kind).await,
        (encoding, kind) => Err(format!(
            "a {encoding:?} case of {kind:?}, which this runner does not know"
        )),
    }
}

/// A whole JSON-RPC request of the schema.
///
/// # Errors
/// As [`convert`].
pub async fn whole(case: &Case) -> Result<Outcome, String> {
    let request = json_post("/", &case.input)?;
    let exchange = call(case, Binding::JsonRpc, request).await?;
    if let Some(refused) = json_rpc_refusal(&exchange)? {
        return Ok(refused);
    }
    let sent = exchange.sent.ok_or("an answer without a call")?;
    Ok(Outcome::plain(read(sent.body())?["method"].clone()))
}

async fn json_rpc_method(case: &Case) -> Result<Outcome, String> {
    let (from, _) = gateway::versions(case.direction);
    let name = case.input.as_str().ok_or("an input that is no text")?;
    let params = from
        .operations
        .iter()
        .find(|operation| operation.json_rpc_method == Some(name))
        .map_or_else(
            || json!({}),
            |operation| requests::params(case.direction, operation.request, operation.name),
        );
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": name, "params": params});
    whole(&case.clone_for(request)).await
}

async fn grpc_path(case: &Case) -> Result<Outcome, String> {
    let path = case.input.as_str().ok_or("an input that is no text")?;
    let (from, _) = gateway::versions(case.direction);
    let body = from
        .operations
        .iter()
        .find(|operation| operation.grpc_path == path)
        .map_or_else(|| Ok(Bytes::new()), requests::protobuf)?;
    let request = requests::grpc(path, &body)?;
    let exchange = call(case, Binding::Grpc, request).await?;
    match exchange.sent {
        Some(sent) => Ok(Outcome::plain(Value::from(below_peer(&sent)?))),
        None => {
            let status = super::errors::grpc_status(&exchange)?;
            let name = status["status"].as_str().map(str::to_owned);
            Ok(Outcome::Refused {
                why: status.to_string(),
                json_rpc: None,
                grpc: name,
            })
        }
    }
}

async fn route(case: &Case) -> Result<Outcome, String> {
    let request = requests::http(case.direction, &case.input)?;
    let exchange = call(case, Binding::Rest, request).await?;
    let Some(sent) = exchange.sent else {
        return rest_refusal(case, &exchange);
    };
    let expected = expected_members(case);
    let path = below_peer(&sent)?;
    let path = path.split('?').next().unwrap_or_default();
    let mut found = json!({"method": sent.method().as_str(), "path": path});
    // Clients may ask for more than they were told to, such as for all of the history.
    if expected.contains_key("query") {
        let query = requests::query(sent.uri().query().unwrap_or_default())?;
        found["query"] = Value::Object(query);
    }
    if expected.contains_key("body") {
        found["body"] = match &sent.body()[..] {
            [] => Value::Null,
            text => read(text)?,
        };
    }
    Ok(Outcome::plain(found))
}

/// Which version takes a request, and what path a peer of v1.0 then gets.
async fn dispatch(case: &Case) -> Result<Outcome, String> {
    let request = requests::http(Direction::Down, &case.input)?;
    let exchange =
        gateway::of_both_versions(request, succeeds(Direction::Up, Binding::Rest)).await?;
    let Some(sent) = &exchange.sent else {
        return rest_refusal(case, &exchange);
    };
    let text = String::from_utf8_lossy(exchange.answer.body()).into_owned();
    // Of the two versions, each has its own spelling of the state.
    let version = match (text.contains("CANCELLED"), text.contains("CANCELED")) {
        (true, false) => "0.3",
        (false, true) => "1.0",
        _ => return Err(format!("an answer of neither version: {text}")),
    };
    Ok(Outcome::plain(
        json!({"version": version, "path": below_peer(sent)?}),
    ))
}

async fn headers(case: &Case) -> Result<Outcome, String> {
    let given = case.input.as_object().ok_or("headers that are no object")?;
    let expected = expected_members(case);
    if expected.contains_key("effective_version") {
        return effective_version(given).await;
    }
    let (from, _) = gateway::versions(case.direction);
    let path = if from.version == Some(a2a_kit::ProtocolVersion::V0_3) {
        "/v1/message:send"
    } else {
        "/message:send"
    };
    let request = requests::http(
        case.direction,
        &json!({"method": "POST", "path": path, "headers": given}),
    )?;
    let exchange = call(case, Binding::Rest, request).await?;
    let Some(sent) = exchange.sent else {
        return rest_refusal(case, &exchange);
    };
    let mut found = Map::new();
    for (name, value) in &expected {
        let texts: Vec<&str> = sent
            .headers()
            .get_all(name.as_str())
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let got = texts.join(",");
        // A list is the same list with other spaces.
        let items = |text: &str| -> Vec<String> {
            text.split(',').map(|item| item.trim().to_owned()).collect()
        };
        let is_same = value
            .as_str()
            .is_some_and(|value| items(value) == items(&got));
        found.insert(
            name.clone(),
            if is_same {
                value.clone()
            } else {
                Value::from(got)
            },
        );
    }
    Ok(Outcome::plain(Value::Object(found)))
}

/// The version whose method a server of both takes under some headers.
async fn effective_version(given: &Map<String, Value>) -> Result<Outcome, String> {
    let mut found = Vec::new();
    for (direction, method) in [
        (Direction::Up, "message/send"),
        (Direction::Down, "SendMessage"),
    ] {
        let (from, _) = gateway::versions(direction);
        let operation = from
            .operations
            .iter()
            .find(|operation| operation.json_rpc_method == Some(method))
            .ok_or("no such method")?;
        let params = requests::params(direction, operation.request, operation.name);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = json_post("/", &body)?;
        requests::add_headers(&mut request, given)?;
        let answer = succeeds(Direction::Up, Binding::Rest);
        let exchange = gateway::of_both_versions(request, answer).await?;
        if json_rpc_refusal(&exchange)?.is_none() {
            found.push(from.version.map(|version| version.to_string()));
        }
    }
    match &found[..] {
        [Some(version)] => Ok(Outcome::plain(json!({ "effective_version": version }))),
        _ => Ok(Outcome::refused(format!("taken as {found:?}"))),
    }
}

/// What a webhook gets.
fn webhook(case: &Case, tools: &Tools<'_>) -> Result<Outcome, String> {
    let kind = match case.direction {
        Direction::Up => "StreamEvent",
        Direction::Down => "StreamResponse",
    };
    let mut only_body = of_kind(case, kind).clone_for(case.input["body"].clone());
    only_body.settings.options.language = a2a_kit::wire::adapt::Language::Schema;
    let Outcome::Became(mut became) = values::schema(&only_body, tools)? else {
        return Ok(Outcome::refused("the body is refused"));
    };
    let (_, to) = gateway::versions(case.direction);
    let mut headers = case.input["headers"].clone();
    headers["Content-Type"] = Value::from(to.media_type);
    became.value = json!({"headers": headers, "body": became.value});
    became.form = Form::Plain;
    Ok(Outcome::Became(became))
}

/// Bodies of requests and answers over HTTP+JSON.
async fn body(case: &Case, tools: &Tools<'_>, kind: &str) -> Result<Vec<Outcome>, String> {
    let Some(known) = requests::BODIES.iter().find(|known| known.kind == kind) else {
        return Err(format!(
            "an HTTP case of {kind:?}, which this runner does not know"
        ));
    };
    let value = match case.input.get("body") {
        Some(body) if case.input.get("path").is_some() => body.clone(),
        _ => case.input.clone(),
    };
    let alone = of_kind(case, known.old).clone_for(value.clone());
    let alone = match case.direction {
        Direction::Up => either(&alone, tools)?,
        Direction::Down => values::proto(&alone, tools)?,
    };
    let (losses, refused) = match &alone {
        Outcome::Became(became) => (became.losses.clone(), false),
        Outcome::Refused { .. } => (Default::default(), true),
    };
    let form = match case.direction {
        Direction::Up => Form::Message(tools.schemas.message(&format!("lf.a2a.v1.{}", known.new))?),
        Direction::Down if known.old == "AgentCard" => Form::Definition("AgentCard"),
        Direction::Down => Form::Message(tools.schemas.message(&format!("a2a.v1.{}", known.old))?),
    };
    let called = if known.is_request {
        let path = case.input.get("path").and_then(Value::as_str);
        let path = path.unwrap_or(match case.direction {
            Direction::Up => known.old_path,
            Direction::Down => known.new_path,
        });
        let request = requests::http(
            case.direction,
            &json!({"method": "POST", "path": path, "body": value}),
        )?;
        let exchange = call(case, Binding::Rest, request).await?;
        match exchange.sent {
            None => return Ok(vec![alone, rest_refusal(case, &exchange)?]),
            // What v1.0 has in the path is no less a part of the message.
            Some(sent) if case.direction == Direction::Up => whole_request(tools, &sent).await?,
            Some(sent) => read(sent.body())?,
        }
    } else {
        // The answer of a peer of the one version, for a caller of the other.
        let (callers, path) = match case.direction {
            Direction::Up => (Direction::Down, known.new_path),
            Direction::Down => (Direction::Up, known.old_path),
        };
        let method = if path.contains(":send") {
            "POST"
        } else {
            "GET"
        };
        let request = requests::http(callers, &json!({"method": method, "path": path}))?;
        let text = value.to_string();
        let answer = Box::new(move |_: &Request<Bytes>| json_answer(200, text.clone()));
        let both = (Binding::Rest, Binding::Rest);
        let exchange = gateway::exchange(callers, both, request, answer).await?;
        if exchange.answer.status() != 200 {
            return Ok(vec![alone, rest_refusal(case, &exchange)?]);
        }
        read(exchange.answer.body())?
    };
    // A path says the task as well, so what stands alone is not all of it.
    let whole = (known.is_request && case.input.get("path").is_some() && !refused).then_some(());
    let called = Outcome::Became(Became {
        value: called,
        form,
        bytes: None,
        losses,
    });
    Ok(match whole {
        Some(()) => vec![called],
        None => vec![alone, called],
    })
}

/// The message that a server of v1.0 reads from a request.
async fn whole_request(tools: &Tools<'_>, sent: &Request<Bytes>) -> Result<Value, String> {
    let schema = tools.schemas.get("a2a-v1").ok_or("no schema of v1.0")?;
    let target = below_peer(sent)?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let request = json_text::Request {
        method: sent.method().as_str().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: sent
            .headers()
            .iter()
            .filter_map(|(name, value)| {
                Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
            })
            .collect(),
        body: sent.body().to_vec(),
    };
    match served::decode(&a2a_kit::A2A_SERVICE, schema, &request).await? {
        Answer::Call { message, .. } => Ok(message),
        other => Err(format!(
            "{target}, which a server of v1.0 answers with {other}"
        )),
    }
}

fn either(case: &Case, tools: &Tools<'_>) -> Result<Outcome, String> {
    values::either(case, tools).unwrap_or_else(|| Err(format!("a body of type {}", case.kind)))
}

fn of_kind(case: &Case, kind: &str) -> Case {
    Case {
        kind: kind.to_owned(),
        ..case.clone()
    }
}

fn expected_members(case: &Case) -> Map<String, Value> {
    match &case.expected {
        super::case::Expected::Values(values) => values[0].as_object().cloned().unwrap_or_default(),
        super::case::Expected::Refused { .. } => Map::new(),
    }
}

async fn call(case: &Case, binding: Binding, request: Request<Bytes>) -> Result<Exchange, String> {
    let answer = succeeds(case.direction, binding);
    gateway::exchange(case.direction, (binding, binding), request, answer).await
}

/// A peer that answers every call over HTTP+JSON with a task that is canceled, and others with an
/// error of its own.
fn succeeds(direction: Direction, binding: Binding) -> gateway::Answer {
    let (_, peer) = gateway::versions(direction);
    let state = if std::ptr::eq(peer, &a2a_kit::A2A_SERVICE) {
        "TASK_STATE_CANCELED"
    } else {
        "TASK_STATE_CANCELLED"
    };
    let task = json!({"task": {"id": "t-9", "contextId": "c", "status": {"state": state}}});
    Box::new(move |_| {
        match binding {
        Binding::Rest => json_answer(200, task.to_string()),
        Binding::Grpc => requests::grpc_answer(Code::Internal, "the peer fails", &[]),
        _ => json_answer(
            200,
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "the peer fails"}}).to_string(),
        ),
    }
    })
}

pub(crate) fn json_answer(status: u16, text: String) -> Response<Bytes> {
    let mut answer = Response::new(Bytes::from(text));
    *answer.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    let json = http::HeaderValue::from_static("application/json");
    answer
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, json);
    answer
}

pub(crate) fn json_post(path: &str, body: &Value) -> Result<Request<Bytes>, String> {
    requests::http(
        Direction::Up,
        &json!({"method": "POST", "path": path, "body": body}),
    )
}

pub(crate) fn read(text: &[u8]) -> Result<Value, String> {
    json_text::json(text).map_err(|error| format!("{}: {error}", String::from_utf8_lossy(text)))
}

/// The error of a JSON-RPC answer, when no call was made.
fn json_rpc_refusal(exchange: &Exchange) -> Result<Option<Outcome>, String> {
    if exchange.sent.is_some() {
        return Ok(None);
    }
    let answer = read(exchange.answer.body())?;
    Ok(Some(Outcome::Refused {
        why: answer["error"]["message"].to_string(),
        json_rpc: answer["error"]["code"].as_i64(),
        grpc: None,
    }))
}

/// The error of an answer over HTTP+JSON, in the terms of JSON-RPC.
fn rest_refusal(case: &Case, exchange: &Exchange) -> Result<Outcome, String> {
    let body = read(exchange.answer.body())?;
    let (from, _) = gateway::versions(case.direction);
    let code = body["code"].as_i64().or_else(|| {
        let reason = body["error"]["details"][0]["reason"].as_str()?;
        code_of(from, reason)
    });
    Ok(Outcome::Refused {
        why: body.to_string(),
        json_rpc: code,
        grpc: None,
    })
}

fn code_of(service: &ServiceSpec, reason: &str) -> Option<i64> {
    let spec = service.errors.iter().find(|spec| spec.reason == reason)?;
    Some(i64::from(spec.json_rpc_code))
}

/// The target of a request below the address of the peer.
fn below_peer(sent: &Request<Bytes>) -> Result<String, String> {
    let target = sent.uri().to_string();
    // gRPC has paths of its own, whatever is before them.
    let base = PEER.rsplit_once('/').map_or(PEER, |(base, _)| base);
    target
        .strip_prefix(PEER)
        .or_else(|| target.strip_prefix(base))
        .map(str::to_owned)
        .ok_or_else(|| format!("a request to {target}, which is not below {PEER}"))
}
