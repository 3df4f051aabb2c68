//! Requests of callers of either version.
//!
//! Comes in: what a case says of a request, or only which operation it is for. Goes out: the HTTP
//! request, filled up with a message, a task or a registration where the operation needs one.

use a2a_kit::client::Outgoing;
use a2a_kit::{Code, Input, OperationSpec};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{BufMut as _, Bytes, BytesMut};
use http::{HeaderName, HeaderValue, Request, Response};
use serde_json::{Map, Value, json};

use super::case::Direction;

/// A body that cases name by what it is.
#[derive(Debug)]
pub struct KnownBody {
    /// As cases name it.
    pub kind: &'static str,
    /// Of a request, else of an answer.
    pub is_request: bool,
    /// Its message in v0.3.
    pub old: &'static str,
    /// Its message in v1.0.
    pub new: &'static str,
    /// Where it goes to or comes from in v0.3.
    pub old_path: &'static str,
    /// Where it goes to or comes from in v1.0.
    pub new_path: &'static str,
}

const fn of_request(
    kind: &'static str,
    old: &'static str,
    new: &'static str,
    paths: (&'static str, &'static str),
) -> KnownBody {
    KnownBody {
        kind,
        is_request: true,
        old,
        new,
        old_path: paths.0,
        new_path: paths.1,
    }
}

const fn of_answer(
    kind: &'static str,
    old: &'static str,
    new: &'static str,
    paths: (&'static str, &'static str),
) -> KnownBody {
    KnownBody {
        is_request: false,
        ..of_request(kind, old, new, paths)
    }
}

const SEND: (&str, &str) = ("/v1/message:send", "/message:send");
const TASK: (&str, &str) = ("/v1/tasks/t-9", "/tasks/t-9");
const CONFIGS: (&str, &str) = (
    "/v1/tasks/t-9/pushNotificationConfigs",
    "/tasks/t-9/pushNotificationConfigs",
);
const CONFIG: (&str, &str) = (
    "/v1/tasks/t-9/pushNotificationConfigs/p1",
    "/tasks/t-9/pushNotificationConfigs/p1",
);

/// The bodies that cases name.
pub const BODIES: &[KnownBody] = &[
    of_request(
        "rest-send-body",
        "SendMessageRequest",
        "SendMessageRequest",
        SEND,
    ),
    of_request(
        "rest-push-create-body",
        "CreateTaskPushNotificationConfigRequest",
        "TaskPushNotificationConfig",
        CONFIGS,
    ),
    of_answer(
        "rest-send-result",
        "SendMessageResponse",
        "SendMessageResponse",
        SEND,
    ),
    of_answer("rest-get-result", "Task", "Task", TASK),
    of_answer(
        "rest-push-list-body",
        "ListTaskPushNotificationConfigResponse",
        "ListTaskPushNotificationConfigsResponse",
        CONFIGS,
    ),
    of_answer(
        "rest-push-get-result",
        "TaskPushNotificationConfig",
        "TaskPushNotificationConfig",
        CONFIG,
    ),
    of_answer(
        "rest-card-body",
        "AgentCard",
        "AgentCard",
        ("/v1/card", "/extendedAgentCard"),
    ),
];

/// The params of an operation: for callers of v0.3 as the JSON schema has them, else `ProtoJSON`.
#[must_use]
pub fn params(direction: Direction, request: &str, operation: &str) -> Value {
    let hook = "https://hook.example/n";
    match (direction, operation) {
        (_, "SendMessage" | "SendStreamingMessage") => match direction {
            Direction::Up => json!({"message": {
                "kind": "message", "messageId": "m", "role": "user",
                "parts": [{"kind": "text", "text": "x"}],
            }}),
            Direction::Down => message(),
        },
        (_, "GetTask" | "CancelTask" | "TaskSubscription" | "SubscribeToTask") => {
            json!({"id": "t-9"})
        }
        (Direction::Up, "CreateTaskPushNotificationConfig") => {
            json!({"taskId": "t-9", "pushNotificationConfig": {"url": hook}})
        }
        (Direction::Down, "CreateTaskPushNotificationConfig") => {
            json!({"taskId": "t-9", "url": hook})
        }
        (Direction::Up, "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig") => {
            json!({"id": "t-9", "pushNotificationConfigId": "p1"})
        }
        (Direction::Down, "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig") => {
            json!({"taskId": "t-9", "id": "p1"})
        }
        (Direction::Up, _) if request.contains("ListTaskPush") => json!({"id": "t-9"}),
        (Direction::Down, _) if request.contains("ListTaskPush") => json!({"taskId": "t-9"}),
        _ => json!({}),
    }
}

/// A request of v1.0 that sends a message; readers of v0.3 take it too.
#[must_use]
pub fn message() -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]}})
}

/// The request of an operation as protobuf.
///
/// # Errors
/// When the tables do not fit it.
pub fn protobuf(operation: &OperationSpec) -> Result<Bytes, String> {
    let json = match operation.request.strip_prefix("a2a.v1.") {
        None => params(Direction::Down, operation.request, operation.name),
        Some("SendMessageRequest") => json!({"message": {
            "messageId": "m", "role": "ROLE_USER", "content": [{"text": "x"}],
        }}),
        Some("GetAgentCardRequest") => json!({}),
        Some("ListTaskPushNotificationConfigRequest") => json!({"parent": "tasks/t-9"}),
        Some("CreateTaskPushNotificationConfigRequest") => json!({
            "parent": "tasks/t-9",
            "config": {"pushNotificationConfig": {"url": "https://hook.example/n"}},
        }),
        Some(name) if name.contains("PushNotificationConfig") => {
            json!({"name": "tasks/t-9/pushNotificationConfigs/p1"})
        }
        Some(_) => json!({"name": "tasks/t-9"}),
    };
    let mut bytes = Vec::new();
    (operation.decode_outgoing)(Input::Json(json.to_string().into()))
        .and_then(|request: Box<dyn Outgoing>| request.write_proto(&mut bytes))
        .map_err(|error| format!("{}: {error}", operation.request))?;
    Ok(bytes.into())
}

/// A gRPC request.
///
/// # Errors
/// When the path cannot stand in a request.
pub fn grpc(path: &str, message: &[u8]) -> Result<Request<Bytes>, String> {
    Request::post(path)
        .version(http::Version::HTTP_2)
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(framed(message))
        .map_err(|error| format!("{path}: {error}"))
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::new();
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.put_slice(message);
    frame.freeze()
}

/// An answer of gRPC that is a status alone.
#[must_use]
pub fn grpc_answer(code: Code, message: &str, details: &[u8]) -> Response<Bytes> {
    let mut answer = Response::new(Bytes::new());
    let mut put = |name: &'static str, value: String| {
        if let Ok(value) = HeaderValue::try_from(value) {
            answer.headers_mut().insert(name, value);
        }
    };
    put("content-type", "application/grpc".to_owned());
    put("grpc-status", (code as i32).to_string());
    put("grpc-message", escaped(message));
    if !details.is_empty() {
        put("grpc-status-details-bin", STANDARD.encode(details));
    }
    answer
}

fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if matches!(byte, b'%' | 0..=31 | 127..) {
            escaped.push_str(&format!("%{byte:02X}"));
        } else {
            escaped.push(char::from(byte));
        }
        escaped
    })
}

/// An HTTP request as a case writes it: method, path, query, headers and body. A message is sent
/// where the case leaves out which, and a webhook is registered.
///
/// # Errors
/// When it is no HTTP request.
pub fn http(caller: Direction, given: &Value) -> Result<Request<Bytes>, String> {
    let text = |key: &str| given.get(key).and_then(Value::as_str);
    let method = text("method").ok_or("a request without a method")?;
    let path = text("path").ok_or("a request without a path")?;
    let mut target = path.to_owned();
    let pairs = given.get("query").and_then(Value::as_object);
    for (index, (name, value)) in pairs.into_iter().flatten().enumerate() {
        target.push(if index == 0 { '?' } else { '&' });
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        target.push_str(&format!("{}={}", part(name), part(&value)));
    }
    let body = match given.get("body") {
        None | Some(Value::Null) => default_body(caller, method, path),
        Some(Value::String(text)) => text.clone(),
        Some(body) => body.to_string(),
    };
    let mut request = Request::builder()
        .method(method)
        .uri(&target)
        .body(Bytes::from(body))
        .map_err(|error| format!("{target}: {error}"))?;
    if !request.body().is_empty() {
        let json = HeaderValue::from_static("application/json");
        request
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, json);
    }
    if let Some(headers) = given.get("headers").and_then(Value::as_object) {
        add_headers(&mut request, headers)?;
    }
    Ok(request)
}

/// Puts headers into a request.
///
/// # Errors
/// When they are none.
pub fn add_headers(
    request: &mut Request<Bytes>,
    headers: &Map<String, Value>,
) -> Result<(), String> {
    for (name, value) in headers {
        let value = value
            .as_str()
            .ok_or_else(|| format!("the header {name} is no text"))?;
        let wrong = |error: &dyn std::fmt::Display| format!("the header {name}: {error}");
        let key = HeaderName::try_from(name.as_str()).map_err(|error| wrong(&error))?;
        let value = HeaderValue::try_from(value).map_err(|error| wrong(&error))?;
        request.headers_mut().append(key, value);
    }
    Ok(())
}

fn default_body(caller: Direction, method: &str, path: &str) -> String {
    if method != "POST" {
        return String::new();
    }
    let hook = "https://hook.example/n";
    if path.ends_with(":send") || path.ends_with(":stream") {
        message().to_string()
    } else if path.ends_with("/pushNotificationConfigs") {
        match caller {
            Direction::Up => json!({"pushNotificationConfig": {"url": hook}}).to_string(),
            Direction::Down => json!({"url": hook}).to_string(),
        }
    } else {
        String::new()
    }
}

/// A text as it stands in a query.
fn part(text: &str) -> String {
    text.bytes().fold(String::new(), |mut part, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            part.push(char::from(byte));
        } else {
            part.push_str(&format!("%{byte:02X}"));
        }
        part
    })
}

/// What a query says.
///
/// # Errors
/// When a name stands twice in it, or an escape is none.
pub fn query(query: &str) -> Result<Map<String, Value>, String> {
    let mut found = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (unescaped(name)?, unescaped(value)?);
        if found.insert(name.clone(), Value::from(value)).is_some() {
            return Err(format!("a query that says {name} twice"));
        }
    }
    Ok(found)
}

/// The message of a gRPC status.
///
/// # Errors
/// When an escape is none.
pub fn unescaped_message(text: &str) -> Result<String, String> {
    unescaped(&text.replace('+', "%2B"))
}

fn unescaped(text: &str) -> Result<String, String> {
    let wrong = || format!("{text}, which is no part of a query");
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next(), rest.next()].map(|digit| digit.unwrap_or(b'%'));
                let digits = std::str::from_utf8(&digits).map_err(|_| wrong())?;
                u8::from_str_radix(digits, 16).map_err(|_| wrong())?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}
