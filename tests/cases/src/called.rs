//! Cases that go through the HTTP+JSON client.
//!
//! Comes in: the generated tables of a service, a method and a message. Goes out: the request that
//! the client would send. The client is the real one; only the network is missing. What it writes
//! is moreover given to the router, which must read the same message of the same method from it.

use a2a_kit::client::{CallOptions, RestChannel, Transport, TransportError, TransportErrorKind};
use a2a_kit::{
    Binding, Body, BoxFuture, CallContext, Input, ProtocolVersion, RouteBody, ServiceSpec,
};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

use crate::answer::{Answer, BodyKind};
use crate::case::{self, Request};
use crate::compare::{self, Absence};
use crate::schema::Schema;
use crate::served;

/// Below which the requests of the cases are.
const BASE: &str = "http://agent.example/base";

/// Writes a call as a request.
///
/// # Errors
/// A sentence, when there is no such method, when the JSON is no message of it, or when the router
/// does not read from the request what the client has written.
pub async fn encode(
    service: &'static ServiceSpec,
    schema: &Schema,
    rpc: &str,
    message: &Value,
) -> Result<Answer, String> {
    let index = service
        .operations
        .iter()
        .position(|operation| operation.name == rpc)
        .ok_or_else(|| format!("{}, which has no method {rpc}", service.name))?;
    let operation = &service.operations[index];
    let outgoing = (operation.decode_outgoing)(Input::Json(Bytes::from(message.to_string())))
        .map_err(|error| format!("{message}, which is no {}: {error}", operation.request))?;
    let channel = RestChannel::new(BASE, Nowhere).map_err(|error| error.to_string())?;
    let version = service.version.unwrap_or(ProtocolVersion::V1_0);
    let context = CallContext::new(Binding::Local, version);
    let request = match channel.request(service, index, &context, &*outgoing) {
        Ok(request) => request,
        Err(error) => {
            return Ok(Answer::Refused {
                status: 0,
                allow: Vec::new(),
                why: error.message().to_owned(),
            });
        }
    };
    let request = written(&request)?;
    let sent = outgoing.json().map_err(|error| error.to_string())?;
    let sent = case::json(&sent).map_err(|error| error.to_string())?;
    arrives(service, schema, rpc, &sent, &request).await?;
    let kind = body_kind(service, schema, index, &request)?;
    let body = match &request.body[..] {
        [] => None,
        text => Some(
            case::json(text)
                .map_err(|error| format!("a request with a body that is no JSON: {error}"))?,
        ),
    };
    Ok(Answer::Request {
        method: request.method,
        path: request.path,
        query: request.query,
        body,
        kind,
    })
}

/// The request in the form of the cases, without the address.
fn written(request: &http::Request<Bytes>) -> Result<Request, String> {
    let url = request.uri().to_string();
    let target = url
        .strip_prefix(BASE)
        .ok_or_else(|| format!("a request to {url}, which is not below {BASE}"))?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = Vec::new();
    for (name, value) in request.headers() {
        let value = value
            .to_str()
            .map_err(|error| format!("a header {name}: {error}"))?;
        headers.push((name.as_str().to_owned(), value.to_owned()));
    }
    if request.headers().get(ACCEPT).is_none() {
        return Err("a request that does not say what it accepts".to_owned());
    }
    if request.headers().contains_key(CONTENT_TYPE) == request.body().is_empty() {
        return Err("a request with a body and no media type, or the other way round".to_owned());
    }
    Ok(Request {
        method: request.method().as_str().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: request.body().to_vec(),
    })
}

/// Sends the request to the router.
async fn arrives(
    service: &'static ServiceSpec,
    schema: &Schema,
    rpc: &str,
    message: &Value,
    request: &Request,
) -> Result<(), String> {
    let Request {
        method,
        path,
        query,
        ..
    } = request;
    let target = format!("{method} {path} with the query {query:?}");
    match served::decode(service, schema, request).await? {
        Answer::Call {
            rpc: reached,
            kind,
            message: got,
            ..
        } if reached == rpc => {
            compare::messages(&kind, message, &got, Absence::Required).map_err(|difference| {
                format!("{target}, from which another message is read; {difference}")
            })
        }
        other => Err(format!("{target}, which the router answers with {other}")),
    }
}

/// What the body of the request is.
fn body_kind(
    service: &'static ServiceSpec,
    schema: &Schema,
    index: usize,
    request: &Request,
) -> Result<BodyKind, String> {
    let operation = &service.operations[index];
    let routes = operation.routes.iter().map(|index| &service.routes[*index]);
    let body = routes
        .filter(|route| route.method == request.method || route.method == "*")
        .map(|route| &route.body)
        .next();
    let kind = schema.message(operation.request)?;
    match body {
        Some(RouteBody::Field { proto_name, .. }) => kind
            .get_field_by_name(proto_name)
            .map(BodyKind::Field)
            .ok_or_else(|| format!("{} has no field {proto_name}", kind.full_name())),
        _ => Ok(BodyKind::Message(kind)),
    }
}

/// Where nothing is ever sent.
#[derive(Debug)]
struct Nowhere;

impl Transport for Nowhere {
    fn send(
        &self,
        _request: http::Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let error = TransportError::new(TransportErrorKind::Connect, "there is no network here");
        Box::pin(std::future::ready(Err(error.unsent())))
    }

    fn sleep(&self, _duration: std::time::Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}
