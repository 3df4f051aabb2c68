//! Cases that go through the HTTP+JSON router.
//!
//! Comes in: the generated tables of a service and a request, or a message to answer with. Goes
//! out: what came of it. The router is the real one; only the service behind it is ours, and it
//! works on the tables alone: it reads any request without checking its required fields, and
//! answers with any message.

use std::sync::{Arc, Mutex, PoisonError};

use a2a_kit::__codegen::{Route, Segment};
use a2a_kit::rest::Rest;
use a2a_kit::{
    Body, BoxFuture, CallContext, Code, Dispatch, DispatchReply, Encoded, Error, Input, Open,
    OperationSpec, ServiceSpec,
};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use prost_reflect::DynamicMessage;
use serde_json::Value;

use crate::answer::{Answer, BodyKind};
use crate::case::{self, Request};
use crate::schema::Schema;

/// Sends a request and says which method it reached, with what.
///
/// # Errors
/// A sentence, when the generated code does not do what no case may ask for.
pub async fn decode(
    service: &'static ServiceSpec,
    schema: &Schema,
    request: &Request,
) -> Result<Answer, String> {
    let recorder = Arc::new(Recorder {
        service,
        reached: Mutex::new(None),
    });
    let response = match send(Arc::clone(&recorder) as Arc<dyn Dispatch>, request).await {
        Ok(response) => response,
        Err(refusal) => return Ok(refusal),
    };
    let reached = recorder
        .reached
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let Some((operation, message)) = reached else {
        return answered(&response, BodyKind::Unknown);
    };
    let kind = schema.message(operation.request)?;
    let json = message
        .json()
        .map_err(|error| format!("a request that has no JSON form: {error}"))?;
    let message_json = case::json(&json)
        .map_err(|error| format!("a request that was written as no JSON: {error}"))?;
    let bytes = message
        .proto()
        .map_err(|error| format!("a request that has no protobuf form: {error}"))?;
    let again = match DynamicMessage::decode(kind.clone(), bytes) {
        Ok(dynamic) => Some(
            serde_json::to_value(&dynamic)
                .map_err(|error| format!("a request whose protobuf has no JSON form: {error}"))?,
        ),
        // Readers of protobuf may refuse what is deeper than this; JSON has its own limit.
        Err(error) if error.to_string().contains("recursion limit") => None,
        Err(error) => {
            return Err(format!(
                "a request that was written as no protobuf: {error}"
            ));
        }
    };
    Ok(Answer::Call {
        rpc: operation.name.to_owned(),
        kind,
        message: message_json,
        again,
    })
}

/// Answers a call of a method with a message in text format.
///
/// # Errors
/// A sentence, when there is no such method, when the text is not its answer, or when what was
/// sent is no answer.
pub async fn encode(
    service: &'static ServiceSpec,
    schema: &Schema,
    rpc: &str,
    text: &str,
) -> Result<Answer, String> {
    let index = service
        .operations
        .iter()
        .position(|operation| operation.name == rpc)
        .ok_or_else(|| format!("{}, which has no method {rpc}", service.name))?;
    let operation = &service.operations[index];
    let route = service
        .routes
        .iter()
        .find(|route| route.operation == index)
        .ok_or_else(|| format!("{rpc}, which has no route"))?;
    let kind = schema.message(operation.response)?;
    let message = crate::text_format::parse(&kind, text)?;
    let bytes = Bytes::from(prost::Message::encode_to_vec(&message));
    let kind = match route.response_body {
        None => BodyKind::Message(kind),
        Some(name) => BodyKind::Field(
            kind.get_field_by_name(name)
                .ok_or_else(|| format!("{} has no field {name}", kind.full_name()))?,
        ),
    };
    let request = Request {
        method: method(route).to_owned(),
        path: path(route),
        ..Request::default()
    };
    match send(
        Arc::new(Answering {
            service,
            index,
            bytes,
        }),
        &request,
    )
    .await
    {
        Ok(response) => answered(&response, kind),
        Err(refusal) => Ok(refusal),
    }
}

/// A method that a route takes.
fn method(route: &Route) -> &'static str {
    if route.method == "*" {
        "GET"
    } else {
        route.method
    }
}

/// A path that a route takes.
fn path(route: &Route) -> String {
    let mut path = String::new();
    for segment in route.segments {
        path.push('/');
        match segment {
            Segment::Literal(literal) => literal.bytes().for_each(|byte| {
                if byte.is_ascii_alphanumeric() {
                    path.push(char::from(byte));
                } else {
                    path.push_str(&format!("%{byte:02X}"));
                }
            }),
            Segment::Single | Segment::Multi => path.push('1'),
        }
    }
    if let Some(verb) = route.verb {
        path.push(':');
        path.push_str(verb);
    }
    path
}

/// Sends a request to the router of a service.
async fn send(
    dispatch: Arc<dyn Dispatch>,
    request: &Request,
) -> Result<http::Response<Bytes>, Answer> {
    // What is no request at all is refused before any router sees it, by every HTTP server.
    let unreadable = |error: http::Error| Answer::Refused {
        status: 400,
        allow: Vec::new(),
        why: format!("no HTTP request: {error}"),
    };
    let target = if request.query.is_empty() {
        request.path.clone()
    } else {
        format!("{}?{}", request.path, request.query)
    };
    let mut builder = http::Request::builder()
        .method(request.method.as_str())
        .uri(target);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let request = builder
        .body(Body::full(request.body.clone()))
        .map_err(unreadable)?;
    let response = Rest::new(dispatch, Arc::new(Open)).handle(request).await;
    let (head, body) = response.into_parts();
    let body = body.collect().await.map_err(|error| Answer::Refused {
        status: 0,
        allow: Vec::new(),
        why: format!("the answer broke off: {error}"),
    })?;
    Ok(http::Response::from_parts(head, body.to_bytes()))
}

/// Reads what the router sent.
fn answered(response: &http::Response<Bytes>, kind: BodyKind) -> Result<Answer, String> {
    let status = response.status().as_u16();
    let header = |name| {
        response
            .headers()
            .get(name)
            .and_then(|value: &http::HeaderValue| value.to_str().ok())
    };
    let text = String::from_utf8_lossy(response.body());
    if status >= 400 {
        let allow = header(http::header::ALLOW).unwrap_or_default();
        let allow = allow
            .split(',')
            .map(|method| method.trim().to_ascii_uppercase())
            .filter(|method| !method.is_empty())
            .collect();
        let body = case::json(text.as_bytes())
            .map_err(|error| format!("status {status} with a body that is no JSON: {error}"))?;
        let message = body.pointer("/error/message").and_then(Value::as_str);
        return Ok(Answer::Refused {
            status,
            allow,
            why: message.unwrap_or("without a message").to_owned(),
        });
    }
    let media = header(http::header::CONTENT_TYPE).unwrap_or_default();
    let json = match media {
        "text/event-stream" => {
            let events: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .collect();
            let [event] = events[..] else {
                return Err(format!(
                    "status {status} with {} events instead of one",
                    events.len()
                ));
            };
            event
        }
        "application/json" => &*text,
        media if media.starts_with("application/") && media.ends_with("+json") => &*text,
        media => {
            return Err(format!(
                "status {status} with a body of type {media:?}, which is no JSON"
            ));
        }
    };
    let body = case::json(json.as_bytes())
        .map_err(|error| format!("status {status} with a body that is no JSON: {error}"))?;
    Ok(Answer::Response { status, body, kind })
}

/// A message that was read, and the operation that it is a request of.
type Reached = (&'static OperationSpec, Box<dyn Encoded>);

/// A service that notes which operation is called.
struct Recorder {
    service: &'static ServiceSpec,
    reached: Mutex<Option<Reached>>,
}

impl Dispatch for Recorder {
    fn service(&self) -> &'static ServiceSpec {
        self.service
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        _context: CallContext,
        input: Input<'a>,
    ) -> BoxFuture<'a, Result<DispatchReply, Error>> {
        let operation = &self.service.operations[operation];
        let result = (operation.decode_request)(input).and_then(|message| {
            *self.reached.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((operation, message));
            Err(Error::new(Code::Aborted, "the call was noted"))
        });
        Box::pin(std::future::ready(result))
    }
}

/// A service that has one answer.
struct Answering {
    service: &'static ServiceSpec,
    index: usize,
    bytes: Bytes,
}

impl Dispatch for Answering {
    fn service(&self) -> &'static ServiceSpec {
        self.service
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        _context: CallContext,
        _input: Input<'a>,
    ) -> BoxFuture<'a, Result<DispatchReply, Error>> {
        let spec = &self.service.operations[operation];
        let result = if operation == self.index {
            match (spec.decode_response)(Input::Proto(self.bytes.clone())) {
                Ok(message) if spec.server_streaming => Ok(DispatchReply::Stream(Box::pin(
                    futures_util::stream::once(std::future::ready(Ok(message))),
                ))),
                Ok(message) => Ok(DispatchReply::Unary(message)),
                // A service that has no answer is at fault, not its caller.
                Err(error) => Err(Error::internal(format!(
                    "the answer cannot be made: {error}"
                ))),
            }
        } else {
            Err(Error::internal(format!(
                "the request meant for another method reached {}",
                spec.name
            )))
        };
        Box::pin(std::future::ready(result))
    }
}
