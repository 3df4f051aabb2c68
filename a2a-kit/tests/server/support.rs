//! A small service by hand, a running server, and clients.

use std::net::SocketAddr;
use std::sync::Arc;

use a2a_kit::v1_0::{
    self, AgentCapabilities, AgentCard, AgentExtension, AgentInterface, Message, Part,
    SendMessageRequest, Task, TaskState, TaskStatus, TaskStatusUpdateEvent, part,
    send_message_response, stream_response,
};
use a2a_kit::{
    A2aService, CallContext, Error, EventStream, Server, ServerBuilder, Shared, Violation,
};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// Answers each message with its own text; some texts mean something.
#[derive(Clone)]
pub(crate) struct Desk {
    /// Calls that wait now, or streams that are open.
    pub(crate) open: Arc<watch::Sender<usize>>,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            open: Arc::new(watch::Sender::new(0)),
        }
    }
}

impl Desk {
    fn enter(&self) -> Guard {
        self.open.send_modify(|open| *open += 1);
        Guard(Arc::clone(&self.open))
    }

    /// Waits until so many calls and streams are open.
    pub(crate) async fn until_open(&self, expected: usize) {
        self.open
            .subscribe()
            .wait_for(|open| *open == expected)
            .await
            .unwrap();
    }
}

/// Counts a call or a stream until it is dropped.
struct Guard(Arc<watch::Sender<usize>>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

fn text_of(request: &SendMessageRequest) -> String {
    let parts = request
        .message
        .as_ref()
        .map(|message| &message.parts[..])
        .unwrap_or_default();
    match parts.first().and_then(|part| part.content.as_ref()) {
        Some(part::Content::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

pub(crate) fn message(text: &str) -> Message {
    let mut part = Part::default();
    part.content = Some(part::Content::Text(text.to_owned()));
    let mut message = Message::default();
    message.message_id = "m1".into();
    message.role = v1_0::Role::User as i32;
    message.parts.push(part);
    message
}

pub(crate) fn task(id: &str, state: TaskState) -> Task {
    let mut status = TaskStatus::default();
    status.state = state as i32;
    let mut task = Task::default();
    task.id = id.into();
    task.context_id = "c1".into();
    task.status = Some(status);
    task
}

fn snapshot(id: &str) -> v1_0::StreamResponse {
    let mut event = v1_0::StreamResponse::default();
    event.payload = Some(stream_response::Payload::Task(task(id, TaskState::Working)));
    event
}

fn update(id: &str, text: &str) -> v1_0::StreamResponse {
    let mut update = TaskStatusUpdateEvent::default();
    update.task_id = id.into();
    update.context_id = "c1".into();
    let mut status = task(id, TaskState::Completed).status.unwrap();
    status.message = Some(message(text));
    update.status = Some(status);
    let mut event = v1_0::StreamResponse::default();
    event.payload = Some(stream_response::Payload::StatusUpdate(update));
    event
}

fn events(events: Vec<v1_0::StreamResponse>) -> EventStream<v1_0::StreamResponse> {
    Box::pin(stream::iter(
        events.into_iter().map(|event| Ok(Shared::new(event))),
    ))
}

impl A2aService for Desk {
    async fn send_message(
        &self,
        _: CallContext,
        request: SendMessageRequest,
    ) -> Result<Shared<v1_0::SendMessageResponse>, Error> {
        let text = text_of(&request);
        match text.as_str() {
            "panic" => panic!("secret"),
            "wait" => {
                let _open = self.enter();
                std::future::pending::<()>().await;
            }
            _ => {}
        }
        let mut response = v1_0::SendMessageResponse::default();
        let mut answer = message(&text);
        answer.role = v1_0::Role::Agent as i32;
        response.payload = Some(send_message_response::Payload::Message(answer));
        Ok(response.into())
    }

    async fn send_streaming_message(
        &self,
        _: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<v1_0::StreamResponse>, Error> {
        let guard = self.enter();
        let text = text_of(&request);
        let open: EventStream<_> = match text.as_str() {
            "open" => Box::pin(events(vec![snapshot("t1")]).chain(stream::pending())),
            "panic" => Box::pin(
                events(vec![snapshot("t1")]).chain(stream::once(async { panic!("secret") })),
            ),
            "refuse" => return Err(Error::unsupported_operation("not this one")),
            _ => events(vec![snapshot("t1"), update("t1", &text)]),
        };
        Ok(Box::pin(open.map(move |event| {
            let _ = &guard;
            event
        })))
    }

    async fn get_task(
        &self,
        _: CallContext,
        request: v1_0::GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        match request.id.as_str() {
            "missing" => {
                Err(Error::task_not_found("there is no such task")
                    .with_metadata("taskId", "missing"))
            }
            "invalid" => Err(Error::invalid(vec![Violation {
                field: "id".into(),
                description: "not this one".into(),
            }])),
            "large" => {
                let mut large = task("large", TaskState::Completed);
                large.history.push(message(&"é".repeat(1 << 20)));
                Ok(large.into())
            }
            id => Ok(task(id, TaskState::Working).into()),
        }
    }

    async fn list_tasks(
        &self,
        _: CallContext,
        _: v1_0::ListTasksRequest,
    ) -> Result<Shared<v1_0::ListTasksResponse>, Error> {
        Ok(v1_0::ListTasksResponse::default().into())
    }

    async fn cancel_task(
        &self,
        _: CallContext,
        request: v1_0::CancelTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        Ok(task(&request.id, TaskState::Canceled).into())
    }

    async fn subscribe_to_task(
        &self,
        _: CallContext,
        request: v1_0::SubscribeToTaskRequest,
    ) -> Result<EventStream<v1_0::StreamResponse>, Error> {
        Ok(events(vec![snapshot(&request.id)]))
    }

    async fn create_task_push_notification_config(
        &self,
        _: CallContext,
        request: v1_0::TaskPushNotificationConfig,
    ) -> Result<Shared<v1_0::TaskPushNotificationConfig>, Error> {
        Ok(request.into())
    }

    async fn get_task_push_notification_config(
        &self,
        _: CallContext,
        _: v1_0::GetTaskPushNotificationConfigRequest,
    ) -> Result<Shared<v1_0::TaskPushNotificationConfig>, Error> {
        Ok(v1_0::TaskPushNotificationConfig::default().into())
    }

    async fn list_task_push_notification_configs(
        &self,
        _: CallContext,
        _: v1_0::ListTaskPushNotificationConfigsRequest,
    ) -> Result<Shared<v1_0::ListTaskPushNotificationConfigsResponse>, Error> {
        Ok(v1_0::ListTaskPushNotificationConfigsResponse::default().into())
    }

    async fn get_extended_agent_card(
        &self,
        _: CallContext,
        _: v1_0::GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        Ok(card().into())
    }

    async fn delete_task_push_notification_config(
        &self,
        _: CallContext,
        _: v1_0::DeleteTaskPushNotificationConfigRequest,
    ) -> Result<Shared<()>, Error> {
        Ok(().into())
    }
}

/// A card with all bindings and capabilities.
pub(crate) fn card() -> AgentCard {
    let mut card = AgentCard::default();
    card.name = "Desk".into();
    card.description = "Repeats what it is told.".into();
    card.version = "0.1.0".into();
    let mut capabilities = AgentCapabilities::default();
    (
        capabilities.streaming,
        capabilities.push_notifications,
        capabilities.extended_agent_card,
    ) = (Some(true), Some(true), Some(true));
    card.capabilities = Some(capabilities);
    for binding in ["JSONRPC", "GRPC", "HTTP+JSON"] {
        let mut interface = AgentInterface::default();
        interface.url = "http://127.0.0.1:1/".into();
        interface.protocol_binding = binding.into();
        interface.protocol_version = "1.0".into();
        card.supported_interfaces.push(interface);
    }
    card
}

pub(crate) fn extension(uri: &str, required: bool) -> AgentExtension {
    let mut extension = AgentExtension::default();
    (extension.uri, extension.required) = (uri.into(), required);
    extension
}

pub(crate) fn builder() -> ServerBuilder {
    Server::builder(Desk::default(), card())
}

/// A server on a port of its own; it ends with the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub(crate) async fn start(builder: ServerBuilder) -> Self {
        let server = builder.build().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let until = async {
                let _ = stopped.await;
            };
            server.serve_with_shutdown(listener, until).await
        });
        Self {
            address,
            stop: Some(stop),
            task,
        }
    }

    /// Asks the server to stop.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until the server has stopped.
    pub(crate) async fn stopped(&mut self) {
        (&mut self.task).await.unwrap().unwrap();
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a client got.
pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: Option<HeaderMap>,
}

impl Got {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// gRPC status, from trailers or head.
    pub(crate) fn grpc_status(&self) -> i32 {
        let headers = self.trailers.as_ref().unwrap_or(&self.headers);
        headers
            .get("grpc-status")
            .expect("a gRPC status")
            .to_str()
            .unwrap()
            .parse()
            .unwrap()
    }
}

pub(crate) type Http = Client<HttpConnector, Full<Bytes>>;

pub(crate) fn http1() -> Http {
    Client::builder(TokioExecutor::new()).build_http()
}

/// HTTP/2 with prior knowledge.
pub(crate) fn http2() -> Http {
    Client::builder(TokioExecutor::new())
        .http2_only(true)
        .build_http()
}

pub(crate) async fn fetch(client: &Http, request: Request<Full<Bytes>>) -> Got {
    let (parts, body) = client.request(request).await.unwrap().into_parts();
    let collected = body.collect().await.unwrap();
    let trailers = collected.trailers().cloned();
    Got {
        status: parts.status,
        headers: parts.headers,
        body: collected.to_bytes(),
        trailers,
    }
}

/// A request in version 1.0.
pub(crate) fn post(url: &str, content_type: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::post(url)
        .header("content-type", content_type)
        .header("a2a-version", "1.0")
        .body(Full::new(body.into()))
        .unwrap()
}

pub(crate) fn get(url: &str) -> Request<Full<Bytes>> {
    Request::get(url)
        .header("a2a-version", "1.0")
        .body(Full::default())
        .unwrap()
}

pub(crate) fn json_rpc(url: &str, method: &str, params: &str) -> Request<Full<Bytes>> {
    post(
        url,
        "application/json",
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}"),
    )
}

pub(crate) fn send_params(text: &str) -> String {
    format!(
        "{{\"message\":{{\"messageId\":\"m1\",\"role\":\"ROLE_USER\",\"parts\":[{{\"text\":\"{text}\"}}]}}}}"
    )
}

pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0][..], &length, message].concat()
}

pub(crate) fn grpc(running: &Running, method: &str, message: &[u8]) -> Request<Full<Bytes>> {
    let url = running.url(&format!("/lf.a2a.v1.A2AService/{method}"));
    let mut request = post(&url, "application/grpc", framed(message));
    request
        .headers_mut()
        .insert("te", "trailers".parse().unwrap());
    request
}

pub(crate) fn send_message(text: &str) -> Vec<u8> {
    let mut request = SendMessageRequest::default();
    request.message = Some(message(text));
    request.encode_to_vec()
}

/// Writes bytes to a new connection and reads what comes until the server closes it.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}
