//! A transport for tests that has no network: a closure answers.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_wire::v1_0::{AgentCapabilities, AgentCard, AgentInterface};
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::{Request, Response};
use serde_json::{Value, json};

use super::builder::ClientBuilder;
use super::call::Client;
use super::transport::{CallOptions, Transport, TransportError, TransportErrorKind};
use crate::body::Body;
use crate::service::BoxFuture;

pub(super) type Answer = Result<Response<Body>, TransportError>;
type Play = dyn Fn(usize, &Request<Bytes>) -> Answer + Send + Sync;

/// Answers the requests that it gets, by their number, and remembers them.
#[derive(Clone)]
pub(super) struct Script {
    play: Arc<Play>,
    seen: Arc<Mutex<Vec<Request<Bytes>>>>,
}

impl Script {
    pub(super) fn new(
        play: impl Fn(usize, &Request<Bytes>) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            play: Arc::new(play),
            seen: Arc::default(),
        }
    }

    /// Answers request after request from a list.
    pub(super) fn of(answers: Vec<Answer>) -> Self {
        let answers = Mutex::new(answers.into_iter().map(Some).collect::<Vec<_>>());
        Self::new(move |number, request| {
            let mut answers = answers.lock().unwrap();
            let answer = answers.get_mut(number).and_then(Option::take);
            answer.unwrap_or_else(|| panic!("request {number} was not expected: {request:?}"))
        })
    }

    pub(super) fn requests(&self) -> Vec<Request<Bytes>> {
        self.seen.lock().unwrap().clone()
    }

    /// Method and URL of each request.
    pub(super) fn lines(&self) -> Vec<String> {
        self.requests()
            .iter()
            .map(|request| format!("{} {}", request.method(), request.uri()))
            .collect()
    }

    /// The method of each JSON-RPC request.
    pub(super) fn methods(&self) -> Vec<String> {
        self.requests()
            .iter()
            .map(|request| {
                body(request)["method"]
                    .as_str()
                    .unwrap_or("none")
                    .to_owned()
            })
            .collect()
    }

    /// A client for a card, by this transport.
    pub(super) fn client(&self, card: AgentCard) -> Client {
        self.with(Client::builder(), card)
    }

    pub(super) fn with(&self, builder: ClientBuilder, card: AgentCard) -> Client {
        builder.transport(self.clone()).with_card(card).unwrap()
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

impl Transport for Script {
    fn send(&self, request: Request<Bytes>, _options: CallOptions) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let number = {
                let mut seen = self.seen.lock().unwrap();
                seen.push(request.clone());
                seen.len() - 1
            };
            (self.play)(number, &request)
        })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// A card with all capabilities and these interfaces of v1.0: binding and URL.
pub(super) fn card(interfaces: &[(&str, &str)]) -> AgentCard {
    let interface = |(binding, url): &(&str, &str)| {
        AgentInterface::new()
            .with_protocol_binding(*binding)
            .with_url(*url)
            .with_protocol_version("1.0")
    };
    AgentCard::new()
        .with_name("Scripted")
        .with_version("1")
        .with_capabilities(
            AgentCapabilities::new()
                .with_streaming(true)
                .with_push_notifications(true)
                .with_extended_agent_card(true),
        )
        .with_supported_interfaces(interfaces.iter().map(interface).collect::<Vec<_>>())
}

/// A card with JSON-RPC at one address.
pub(super) fn json_rpc_card() -> AgentCard {
    card(&[("JSONRPC", "http://agent.example/rpc")])
}

/// The JSON of a request.
pub(super) fn body(request: &Request<Bytes>) -> Value {
    serde_json::from_slice(request.body()).unwrap_or_default()
}

pub(super) fn status(status: u16, body: impl Into<Body>) -> Answer {
    let mut response = Response::new(body.into());
    *response.status_mut() = status.try_into().unwrap();
    Ok(response)
}

pub(super) fn with_header(answer: Answer, name: &'static str, value: &str) -> Answer {
    answer.map(|mut response| {
        response.headers_mut().insert(name, value.parse().unwrap());
        response
    })
}

fn typed(kind: &str, body: impl Into<Body>) -> Answer {
    with_header(status(200, body), "content-type", kind)
}

pub(super) fn json_answer(value: &Value) -> Answer {
    typed("application/json", value.to_string())
}

/// A JSON-RPC response to a request.
pub(super) fn result(request: &Request<Bytes>, result: &Value) -> Answer {
    json_answer(&json!({"jsonrpc": "2.0", "id": body(request)["id"], "result": result}))
}

/// A JSON-RPC error in response to a request.
pub(super) fn error(request: &Request<Bytes>, code: i32, message: &str) -> Answer {
    json_answer(
        &json!({"jsonrpc": "2.0", "id": body(request)["id"], "error": {"code": code, "message": message}}),
    )
}

/// How a scripted stream goes on after its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// It ends as streams do.
    End,
    /// The connection breaks.
    Break,
    /// Nothing comes any more.
    Hang,
}

/// A stream of JSON-RPC responses to a request.
pub(super) fn events(request: &Request<Bytes>, events: &[Value], then: Then) -> Answer {
    let id = body(request)["id"].clone();
    let mut chunks: Vec<Result<Bytes, TransportError>> = events
        .iter()
        .map(|event| {
            let text = json!({"jsonrpc": "2.0", "id": id, "result": event});
            Ok(Bytes::from(format!("data: {text}\n\n")))
        })
        .collect();
    if then == Then::Break {
        chunks.push(Err(broken()));
    }
    let chunks = futures_util::stream::iter(chunks);
    let body = if then == Then::Hang {
        Body::from_stream(chunks.chain(futures_util::stream::pending()))
    } else {
        Body::from_stream(chunks)
    };
    typed("text/event-stream", body)
}

pub(super) fn broken() -> TransportError {
    TransportError::new(TransportErrorKind::Broken, "the connection broke")
}

pub(super) fn refused() -> TransportError {
    TransportError::new(TransportErrorKind::Connect, "connection refused").unsent()
}

pub(super) fn task(state: &str) -> Value {
    json!({"id": "t1", "contextId": "c1", "status": {"state": format!("TASK_STATE_{state}")}})
}

/// A task with an artifact for each list of texts, one part each.
pub(super) fn task_with(state: &str, artifacts: &[(&str, &[&str])]) -> Value {
    let mut task = task(state);
    let artifacts = artifacts
        .iter()
        .map(|(id, texts)| json!({"artifactId": id, "parts": parts(texts)}));
    task["artifacts"] = artifacts.collect();
    task
}

fn parts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"text": text})).collect()
}

pub(super) fn status_update(state: &str) -> Value {
    let status = json!({"state": format!("TASK_STATE_{state}")});
    json!({"statusUpdate": {"taskId": "t1", "contextId": "c1", "status": status}})
}

pub(super) fn piece(id: &str, text: &str, append: bool) -> Value {
    let artifact = json!({"artifactId": id, "parts": parts(&[text])});
    json!({"artifactUpdate": {"taskId": "t1", "contextId": "c1", "artifact": artifact, "append": append}})
}
