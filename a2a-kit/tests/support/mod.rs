//! What tests of the engine have in common: agents made of closures, cards, requests.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::agent::{
    Agent, AgentError, AgentMessage, Handling, Incoming, MessageContext, Reply, TaskContext,
};
use a2a_kit::engine::{Engine, EngineBuilder};
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{
    AgentCapabilities, AgentCard, AgentInterface, CancelTaskRequest, GetTaskRequest,
    HttpAuthSecurityScheme, ListTasksRequest, Message, Part, Role, SecurityScheme,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, SubscribeToTaskRequest, Task,
    TaskState, send_message_response, stream_response,
};
use a2a_kit::{
    A2aService, Binding, CallContext, Caller, Error, EventStream, ProtocolVersion, Shared,
};
use futures_util::StreamExt as _;

/// An agent that does what a closure does.
pub struct Script<F>(pub F);

impl<F, Fut> Agent for Script<F>
where
    F: Fn(TaskContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply, AgentError>> + Send,
{
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        match text(incoming.message).as_str() {
            "hello" => Ok(Handling::message()),
            "nonsense" => Err(Error::invalid_field(
                "message.parts[0].text",
                "makes no sense",
            )),
            _ => Ok(Handling::task()),
        }
    }

    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        (self.0)(task).await
    }

    async fn answer(&self, message: MessageContext) -> Result<AgentMessage, AgentError> {
        Ok(format!("{} to you", message.text()).into())
    }
}

pub fn builder<F, Fut>(execute: F) -> EngineBuilder
where
    F: Fn(TaskContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply, AgentError>> + Send + 'static,
{
    Engine::builder(Script(execute), card())
}

pub fn engine<F, Fut>(execute: F) -> Engine
where
    F: Fn(TaskContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply, AgentError>> + Send + 'static,
{
    builder(execute).build().unwrap()
}

pub async fn echo(task: TaskContext) -> Result<Reply, AgentError> {
    Ok(Reply::completed().with_message(task.text()))
}

/// A card without faults, with all capabilities.
pub fn card() -> AgentCard {
    let mut capabilities = AgentCapabilities::default();
    capabilities.streaming = Some(true);
    capabilities.push_notifications = Some(true);
    capabilities.extended_agent_card = Some(true);
    let mut card = AgentCard::default();
    card.name = "Test".into();
    card.description = "An agent for tests.".into();
    card.version = "0.1.0".into();
    card.supported_interfaces = vec![interface("")];
    card.capabilities = Some(capabilities);
    card.default_input_modes = vec!["text/plain".into()];
    card
}

/// An interface for a tenant.
pub fn interface(tenant: &str) -> AgentInterface {
    AgentInterface::new()
        .with_url("http://127.0.0.1:8080/")
        .with_protocol_binding("JSONRPC")
        .with_protocol_version("1.0")
        .with_tenant(tenant)
}

/// A scheme by which callers can be known.
pub fn with_scheme(mut card: AgentCard) -> AgentCard {
    let scheme = HttpAuthSecurityScheme::new().with_scheme("Bearer");
    let scheme = SecurityScheme::new().with_http_auth_security_scheme(scheme);
    card.security_schemes.insert("token".into(), scheme);
    card
}

pub fn call() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

pub fn call_of(owner: &str) -> CallContext {
    call().with_caller(Caller::known(owner))
}

/// A message with an id of its own.
pub fn message(text: &str) -> Message {
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let mut part = Part::default();
    part.content = Some(Content::Text(text.into()));
    let mut message = Message::default();
    message.message_id = format!("m{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    message.role = Role::User as i32;
    message.parts = vec![part];
    message
}

pub fn request(text: &str) -> SendMessageRequest {
    let mut request = SendMessageRequest::default();
    request.message = Some(message(text));
    request
}

pub fn to_task(task: &str, text: &str) -> SendMessageRequest {
    let mut request = request(text);
    request.message.as_mut().unwrap().task_id = task.into();
    request
}

pub fn at_once(mut request: SendMessageRequest) -> SendMessageRequest {
    config(&mut request).return_immediately = true;
    request
}

pub fn config(request: &mut SendMessageRequest) -> &mut SendMessageConfiguration {
    request.configuration.get_or_insert_default()
}

pub async fn send(engine: &Engine, request: SendMessageRequest) -> Result<Task, Error> {
    send_as(engine, call(), request).await
}

pub async fn send_as(
    engine: &Engine,
    call: CallContext,
    request: SendMessageRequest,
) -> Result<Task, Error> {
    match engine.send_message(call, request).await?.payload.clone() {
        Some(send_message_response::Payload::Task(task)) => Ok(task),
        other => panic!("a task was expected, not {other:?}"),
    }
}

pub async fn start(engine: &Engine, text: &str) -> Task {
    send(engine, at_once(request(text))).await.unwrap()
}

pub async fn get(engine: &Engine, id: &str) -> Result<Shared<Task>, Error> {
    engine.get_task(call(), get_request(id)).await
}

pub fn get_request(id: &str) -> GetTaskRequest {
    let mut request = GetTaskRequest::default();
    request.id = id.into();
    request
}

pub async fn cancel(engine: &Engine, id: &str) -> Result<Shared<Task>, Error> {
    let mut request = CancelTaskRequest::default();
    request.id = id.into();
    engine.cancel_task(call(), request).await
}

pub async fn subscribe(engine: &Engine, id: &str) -> Result<EventStream<StreamResponse>, Error> {
    let mut request = SubscribeToTaskRequest::default();
    request.id = id.into();
    engine.subscribe_to_task(call(), request).await
}

pub async fn open_stream(
    engine: &Engine,
    request: SendMessageRequest,
) -> Result<EventStream<StreamResponse>, Error> {
    engine.send_streaming_message(call(), request).await
}

pub fn list_request() -> ListTasksRequest {
    ListTasksRequest::default()
}

pub fn text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        Some(Content::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

pub fn state(task: &Task) -> TaskState {
    task.status.as_ref().unwrap().state()
}

/// What the status says.
pub fn said(task: &Task) -> String {
    task.status
        .as_ref()
        .and_then(|status| status.message.as_ref())
        .map(text)
        .unwrap_or_default()
}

/// The history as `role: text`.
pub fn history(task: &Task) -> Vec<String> {
    let who = |message: &Message| {
        if message.role() == Role::User {
            "user"
        } else {
            "agent"
        }
    };
    task.history
        .iter()
        .map(|message| format!("{}: {}", who(message), text(message)))
        .collect()
}

/// The texts of an artifact, one item per part.
pub fn artifact_texts(task: &Task, at: usize) -> Vec<String> {
    let texts = task.artifacts[at]
        .parts
        .iter()
        .map(|part| match &part.content {
            Some(Content::Text(text)) => text.clone(),
            other => panic!("a text was expected, not {other:?}"),
        });
    texts.collect()
}

/// An event in short: `task SUBMITTED`, `WORKING text`, `artifact name +text !`.
pub fn brief(event: &StreamResponse) -> String {
    let short = |state: TaskState| {
        state
            .as_str_name()
            .trim_start_matches("TASK_STATE_")
            .to_owned()
    };
    match event.payload.as_ref().unwrap() {
        stream_response::Payload::Task(task) => format!("task {}", short(state(task))),
        stream_response::Payload::Message(message) => format!("message {}", text(message)),
        stream_response::Payload::StatusUpdate(event) => {
            let status = event.status.as_ref().unwrap();
            let said = status.message.as_ref().map(text).unwrap_or_default();
            format!("{} {said}", short(status.state()))
                .trim_end()
                .to_owned()
        }
        stream_response::Payload::ArtifactUpdate(event) => {
            let artifact = event.artifact.as_ref().unwrap();
            let texts: Vec<String> = artifact
                .parts
                .iter()
                .map(|part| match &part.content {
                    Some(Content::Text(text)) => text.clone(),
                    other => format!("{other:?}"),
                })
                .collect();
            let (append, last) = (
                if event.append { "+" } else { "" },
                if event.last_chunk { " !" } else { "" },
            );
            format!("artifact {append}{}{last}", texts.concat())
        }
    }
}

/// Reads a stream to its end.
pub async fn read_all(stream: EventStream<StreamResponse>) -> Vec<String> {
    stream.map(|event| brief(&event.unwrap())).collect().await
}

pub async fn next(stream: &mut EventStream<StreamResponse>) -> Option<String> {
    stream.next().await.map(|event| brief(&event.unwrap()))
}

pub fn task_of(event: &StreamResponse) -> Task {
    match event.payload.clone() {
        Some(stream_response::Payload::Task(task)) => task,
        other => panic!("a task was expected, not {other:?}"),
    }
}

/// Waits until `condition` holds, on whatever clock there is: others run, and now and then time
/// goes on.
pub async fn until(mut condition: impl AsyncFnMut() -> bool) {
    for round in 0..20_000 {
        if condition().await {
            return;
        }
        if round % 50 == 49 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        } else {
            tokio::task::yield_now().await;
        }
    }
    panic!("what was waited for did not come");
}

/// Polls a future once. True when it is ready.
pub async fn poll_once<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_ready())
    })
    .await
}
