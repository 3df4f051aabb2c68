//! One client for each binding, behind one type.
//!
//! Comes in: an operation by its name and its request as JSON of version 1.0. Goes out: its answer
//! in the same form, or the error as its binding said it.

mod events;
mod grpc;
pub mod http;
mod json_rpc;
mod reflect;
mod rest;

use std::net::SocketAddr;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

pub use events::{Events, Frame};
pub use grpc::status as grpc_status;
pub use reflect::{decode, descriptor, encode};
pub use rest::route;

/// How a client calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binding {
    /// HTTP+JSON.
    Rest,
    /// JSON-RPC.
    JsonRpc,
    /// gRPC.
    Grpc,
}

impl Binding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rest, Self::JsonRpc, Self::Grpc];
    /// Those that speak JSON.
    pub const JSON: [Self; 2] = [Self::Rest, Self::JsonRpc];
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What the operation returned, as JSON.
    pub value: Value,
    /// Headers; for gRPC, the metadata at its beginning.
    pub headers: HeaderMap,
}

/// An error, as a client of its binding sees it.
#[derive(Debug, Clone)]
pub struct Fault {
    /// How it came.
    pub binding: Binding,
    /// The HTTP status.
    pub http: u16,
    /// The code that the binding's error has: HTTP status, JSON-RPC code, or gRPC status.
    pub code: i64,
    /// The name of the code, where the binding has one.
    pub status: Option<String>,
    /// The text.
    pub message: String,
    /// Typed details, as JSON objects with `@type`.
    pub details: Vec<Value>,
    /// Headers; for gRPC, those with the status.
    pub headers: HeaderMap,
}

/// What comes of a call.
pub type Outcome = Result<Answer, Fault>;

impl Fault {
    fn detail(&self, name: &str) -> Option<&Value> {
        let url = format!("type.googleapis.com/google.rpc.{name}");
        self.details
            .iter()
            .find(|detail| detail["@type"] == url.as_str())
    }

    /// The `ErrorInfo`, when there is one.
    #[must_use]
    pub fn error_info(&self) -> Option<&Value> {
        self.detail("ErrorInfo")
    }

    /// `ErrorInfo.reason`; empty when there is none.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.error_info()
            .and_then(|info| info["reason"].as_str())
            .unwrap_or_default()
    }

    /// An entry of `ErrorInfo.metadata`; empty when there is none.
    #[must_use]
    pub fn metadata(&self, key: &str) -> &str {
        self.error_info()
            .and_then(|info| info["metadata"][key].as_str())
            .unwrap_or_default()
    }

    /// The fields that `BadRequest` names.
    #[must_use]
    pub fn fields(&self) -> Vec<&str> {
        let violations = self
            .detail("BadRequest")
            .and_then(|bad| bad["fieldViolations"].as_array());
        let violations = violations.map(Vec::as_slice).unwrap_or_default();
        violations
            .iter()
            .filter_map(|violation| violation["field"].as_str())
            .collect()
    }
}

/// A client of one binding. Each call has a connection of its own.
#[derive(Debug, Clone)]
pub struct Client {
    addr: SocketAddr,
    binding: Binding,
    headers: HeaderMap,
    content_type: Option<HeaderValue>,
    tenant_prefix: String,
    path: String,
    query: String,
    id: Value,
}

impl Client {
    /// A client that speaks version 1.0.
    #[must_use]
    pub fn new(addr: SocketAddr, binding: Binding) -> Self {
        let content_type = match binding {
            Binding::Rest => "application/a2a+json",
            Binding::JsonRpc => "application/json",
            Binding::Grpc => "application/grpc",
        };
        let client = Self {
            addr,
            binding,
            headers: HeaderMap::new(),
            content_type: Some(HeaderValue::from_static(content_type)),
            tenant_prefix: String::new(),
            path: "/".to_owned(),
            query: String::new(),
            id: json!("é 1"),
        };
        client.header("a2a-version", "1.0")
    }

    /// How it calls.
    #[must_use]
    pub fn binding(&self) -> Binding {
        self.binding
    }

    /// Adds a header, beside those of the same name.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::try_from(name).expect("a header name");
        self.headers
            .append(name, HeaderValue::from_str(value).expect("a header value"));
        self
    }

    /// Removes a header.
    #[must_use]
    pub fn without_header(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// Speaks another version, or says none.
    #[must_use]
    pub fn version(self, version: Option<&str>) -> Self {
        let client = self.without_header("a2a-version");
        match version {
            Some(version) => client.header("a2a-version", version),
            None => client,
        }
    }

    /// Sends another content type, or none.
    ///
    /// # Panics
    /// When it is no header value.
    #[must_use]
    pub fn content_type(mut self, content_type: Option<&str>) -> Self {
        self.content_type =
            content_type.map(|text| HeaderValue::from_str(text).expect("a header value"));
        self
    }

    /// REST: calls the routes of a tenant.
    #[must_use]
    pub fn tenant_prefix(mut self, tenant: &str) -> Self {
        self.tenant_prefix = format!("/{tenant}");
        self
    }

    /// JSON-RPC: calls another path.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Adds a query to each path: `name=value`.
    #[must_use]
    pub fn query(mut self, query: &str) -> Self {
        query.clone_into(&mut self.query);
        self
    }

    /// JSON-RPC: sends this id.
    #[must_use]
    pub fn id(mut self, id: Value) -> Self {
        self.id = id;
        self
    }

    /// Calls an operation. Of a stream, the first event is the answer, and the rest is not read.
    ///
    /// # Errors
    /// That of the agent.
    ///
    /// # Panics
    /// When the answer breaks the rules of its binding.
    pub async fn call(&self, operation: &str, request: Value) -> Outcome {
        if is_streaming(operation) {
            let mut events = self.open(operation, request).await?;
            let value = events.try_next().await.expect("a stream has an event")?;
            return Ok(Answer {
                value,
                headers: events.headers.clone(),
            });
        }
        match self.binding {
            Binding::Rest => self.rest_call(operation, request).await,
            Binding::JsonRpc => self.json_rpc_call(operation, request).await,
            Binding::Grpc => self.grpc_call(operation, request).await,
        }
    }

    /// Opens a stream.
    ///
    /// # Errors
    /// That of the agent, in place of a stream.
    ///
    /// # Panics
    /// When the answer breaks the rules of its binding.
    pub async fn open(&self, operation: &str, request: Value) -> Result<Events, Fault> {
        match self.binding {
            Binding::Rest => self.rest_open(operation, request).await,
            Binding::JsonRpc => self.json_rpc_open(operation, request).await,
            Binding::Grpc => self.grpc_open(operation, request).await,
        }
    }

    /// Calls an operation that is to succeed.
    ///
    /// # Panics
    /// When it does not.
    pub async fn ok(&self, operation: &str, request: Value) -> Value {
        match self.call(operation, request).await {
            Ok(answer) => answer.value,
            Err(fault) => panic!("{operation} failed: {fault:?}"),
        }
    }

    /// Calls an operation that is to fail.
    ///
    /// # Panics
    /// When it does not.
    pub async fn fault(&self, operation: &str, request: Value) -> Fault {
        match self.call(operation, request).await {
            Ok(answer) => panic!(
                "{operation} over {:?} answered {}",
                self.binding, answer.value
            ),
            Err(fault) => fault,
        }
    }

    /// Opens a stream that is to begin.
    ///
    /// # Panics
    /// When it does not.
    pub async fn events(&self, operation: &str, request: Value) -> Events {
        match self.open(operation, request).await {
            Ok(events) => events,
            Err(fault) => panic!("{operation} failed: {fault:?}"),
        }
    }

    /// Sends a message that is to make or continue a task, and returns the task.
    ///
    /// # Panics
    /// When another answer comes.
    pub async fn send(&self, request: Value) -> Value {
        let mut answer = self.ok("SendMessage", request).await;
        assert!(
            answer.get("task").is_some(),
            "a task was expected, not {answer}"
        );
        answer["task"].take()
    }

    /// Starts a task and does not wait for it. Returns its id.
    pub async fn start(&self, text: &str) -> String {
        let task = self.send(crate::at_once(crate::request(text))).await;
        crate::string(&task, "/id")
    }

    /// Reads a task.
    pub async fn get(&self, task: &str) -> Value {
        self.ok("GetTask", json!({"id": task})).await
    }

    /// Waits until an agent has taken a task up, and it has ended or waits for someone.
    pub async fn finished_or_waiting(&self, task: &str) -> Value {
        if let Ok(mut events) = self.open("SubscribeToTask", json!({"id": task})).await {
            while let Some(event) = events.next().await {
                if !matches!(crate::state(&event), "SUBMITTED" | "no state") {
                    break;
                }
            }
        }
        self.get(task).await
    }

    /// Waits until a task has ended, by following it.
    pub async fn finished(&self, task: &str) -> Value {
        if let Ok(mut events) = self.open("SubscribeToTask", json!({"id": task})).await {
            while events.next().await.is_some() {}
        }
        self.get(task).await
    }
}

/// True for the operations that answer with a stream.
#[must_use]
pub fn is_streaming(operation: &str) -> bool {
    matches!(operation, "SendStreamingMessage" | "SubscribeToTask")
}
