use std::collections::VecDeque;
use std::time::Duration;

use a2a_wire::v1_0::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, SendMessageRequest, StreamResponse,
    SubscribeToTaskRequest, Task,
};
use futures_util::{StreamExt as _, stream};
use http::{Response, StatusCode};

use super::*;
use crate::body::Body;
use crate::client::{CallOptions, TransportError};
use crate::context::{Binding, ProtocolVersion};
use crate::error::Code;
use crate::rest::Rest;
use crate::shared::{EventStream, Shared};
use crate::{A2A_SERVICE, A2aService, A2aServiceClient, BoxA2aService, Open};

mod answers;

fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

/// Answers one after the other, and notes what was asked.
#[derive(Debug, Clone, Default)]
struct Script(Arc<Mutex<Play>>);

#[derive(Debug, Default)]
struct Play {
    answers: VecDeque<Response<&'static str>>,
    asked: Vec<String>,
}

impl Script {
    fn answer(self, status: u16, media_type: &'static str, body: &'static str) -> Self {
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        if !media_type.is_empty() {
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        self.0.lock().unwrap().answers.push_back(response);
        self
    }

    /// Method, path and query of each request since the last look.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().asked)
    }

    fn client(&self) -> A2aServiceClient {
        A2aServiceClient::new(self.channel())
    }

    fn channel(&self) -> RestChannel {
        RestChannel::new("http://agent.example/base/", self.clone()).unwrap()
    }
}

impl Transport for Script {
    fn send(
        &self,
        request: Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let mut script = self.0.lock().unwrap();
        let target = request
            .uri()
            .path_and_query()
            .unwrap()
            .as_str()
            .strip_prefix("/base")
            .unwrap();
        let line = format!("{} {target}", request.method());
        script.asked.push(line);
        let response = script.answers.pop_front().expect("an answer in the script");
        Box::pin(std::future::ready(Ok(response.map(Body::full))))
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

fn headers(channel: &RestChannel, operation: usize, request: &dyn Outgoing) -> Vec<String> {
    let request = channel
        .request(&A2A_SERVICE, operation, &context(), request)
        .unwrap();
    let mut headers: Vec<String> = request
        .headers()
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    headers
}

#[test]
fn headers_say_what_is_sent_and_what_is_wanted() {
    let channel = Script::default().channel();
    let of = |name: &str| {
        A2A_SERVICE
            .operations
            .iter()
            .position(|operation| operation.name == name)
            .unwrap()
    };
    let send = SendMessageRequest::new();
    assert_eq!(
        headers(&channel, of("SendMessage"), &send),
        [
            "a2a-version: 1.0",
            "accept: application/a2a+json",
            "content-type: application/a2a+json"
        ]
    );
    assert_eq!(
        headers(&channel, of("SendStreamingMessage"), &send),
        [
            "a2a-version: 1.0",
            "accept: text/event-stream",
            "cache-control: no-store",
            "content-type: application/a2a+json"
        ]
    );
    let get = GetTaskRequest::new().with_id("t1");
    assert_eq!(
        headers(&channel, of("GetTask"), &get),
        ["a2a-version: 1.0", "accept: application/a2a+json"]
    );
    let plain = channel.media_type(HeaderValue::from_static("application/json"));
    assert_eq!(
        headers(&plain, of("SendMessage"), &send),
        [
            "a2a-version: 1.0",
            "accept: application/json",
            "content-type: application/json"
        ]
    );
}

#[test]
fn refusals_name_the_field() {
    let channel = Script::default().channel();
    let of = |name: &str| {
        A2A_SERVICE
            .operations
            .iter()
            .position(|operation| operation.name == name)
            .unwrap()
    };
    let get = |id: &str| -> Box<dyn Outgoing> { Box::new(GetTaskRequest::new().with_id(id)) };
    let list = |tenant: &str| -> Box<dyn Outgoing> {
        Box::new(ListTasksRequest::new().with_tenant(tenant))
    };
    for (operation, request, field, text) in [
        (
            "GetTask",
            get(""),
            Some("id"),
            "is empty, but the path /tasks/{id=*} needs it",
        ),
        (
            "GetTask",
            get(".."),
            Some("id"),
            "cannot stand where /tasks/{id=*} has it",
        ),
        (
            "ListTasks",
            list("."),
            Some("tenant"),
            "cannot stand where /{tenant}/tasks has it",
        ),
        (
            "ListTasks",
            list("tasks"),
            None,
            "leads to GetTask (/tasks/{id=*}), not to /{tenant}/tasks",
        ),
        ("GetTask", get(&"x".repeat(70_000)), None, "it is too long"),
    ] {
        let error = channel
            .request(&A2A_SERVICE, of(operation), &context(), &*request)
            .unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.peer_status(), None);
        assert_eq!(
            error
                .violations()
                .first()
                .map(|violation| violation.field.as_str()),
            field,
            "{error}"
        );
        assert!(error.message().contains(text), "{error}");
    }
    let error = channel
        .request(&A2A_SERVICE, 99, &context(), &())
        .unwrap_err();
    assert!(
        error.message().contains("no operation number 99"),
        "{error}"
    );
}

/// The router of a service, without a network between.
#[derive(Debug, Clone)]
struct Served(Rest);

impl Transport for Served {
    fn send(
        &self,
        request: Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let request = request.map(Body::full);
        Box::pin(async move { Ok(self.0.handle(request).await) })
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Answers with what it was asked.
struct Echo;

impl A2aService for Echo {
    async fn get_task(
        &self,
        _context: CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        Ok(Task::new()
            .with_id(request.id)
            .with_context_id(request.tenant)
            .into())
    }

    async fn cancel_task(
        &self,
        _context: CallContext,
        request: CancelTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        Err(
            Error::task_not_cancelable(format!("{} is done", request.id))
                .with_metadata("taskId", request.id),
        )
    }

    async fn subscribe_to_task(
        &self,
        _context: CallContext,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let event = StreamResponse::task(Task::new().with_id(request.id));
        Ok(stream::iter([
            Ok(Shared::new(event.clone())),
            Ok(Shared::new(event)),
            Err(Error::internal("the end")),
        ])
        .boxed())
    }
}

#[tokio::test]
async fn what_the_client_sends_the_router_reads() {
    let rest = Rest::new(Arc::new(BoxA2aService::new(Echo)), Arc::new(Open));
    let client =
        A2aServiceClient::new(RestChannel::new("http://agent.example", Served(rest)).unwrap());
    for id in [
        "t1",
        "a/b",
        "a:b",
        "t1:cancel",
        "100%",
        "%2F",
        "a b",
        "a+b",
        "任务",
        "\\",
        "\t",
        "?#",
        "...",
        "a/../b",
        "tasks",
    ] {
        for tenant in ["", "acme", "a/b", "任务", "tasks"] {
            let request = GetTaskRequest::new().with_id(id).with_tenant(tenant);
            let task = client.get_task(context(), request).await.unwrap();
            assert_eq!((&*task.id, &*task.context_id), (id, tenant));
        }
    }
    let error = client
        .cancel_task(context(), CancelTaskRequest::new().with_id(".."))
        .await
        .unwrap_err();
    assert!(error.is_task_not_cancelable());
    assert_eq!(
        (error.message(), error.metadata()["taskId"].as_str()),
        (".. is done", "..")
    );
    let mut events = client
        .subscribe_to_task(context(), SubscribeToTaskRequest::new().with_id("a:b"))
        .await
        .unwrap();
    for _ in 0..2 {
        let event = events.next().await.unwrap().unwrap();
        assert_eq!(&event.json().unwrap()[..], br#"{"task":{"id":"a:b"}}"#);
    }
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.message()), (Code::Internal, "the end"));
    assert!(events.next().await.is_none());
    let error = client
        .list_tasks(context(), ListTasksRequest::new())
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::Unimplemented);
}
