use std::collections::VecDeque;
use std::time::Duration;

use a2a_wire::v1_0::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetTaskRequest, ListTasksRequest,
    SendMessageRequest, StreamResponse, SubscribeToTaskRequest, Task,
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

const SUBSCRIBE: usize = 5;

fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

/// Answers one after the other, and notes what was asked.
#[derive(Debug, Clone, Default)]
struct Script(Arc<Mutex<(VecDeque<Response<&'static str>>, Vec<String>)>>);

impl Script {
    fn answer(self, status: u16, media_type: &'static str, body: &'static str) -> Self {
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        if !media_type.is_empty() {
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        self.0.lock().unwrap().0.push_back(response);
        self
    }

    /// Method, path and query of each request since the last look.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().1)
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
        script.1.push(line);
        let response = script.0.pop_front().expect("an answer in the script");
        Box::pin(std::future::ready(Ok(response.map(Body::full))))
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

const SSE: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/a2a+json";
const TASK_EVENT: &str = "data: {\"task\":{\"id\":\"t1\"}}\n\n";
const NO_TASK: &str = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no task t1","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
const NO_TASK_SUBSCRIBE: &str = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no task 't1:subscribe'","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;

async fn subscribe(client: &A2aServiceClient) -> Result<Vec<String>, Error> {
    let request = SubscribeToTaskRequest::new().with_id("t1");
    let mut events: EventStream<StreamResponse> =
        client.subscribe_to_task(context(), request).await?;
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(String::from_utf8(event?.json()?.to_vec()).unwrap());
    }
    Ok(seen)
}

#[tokio::test]
async fn subscribe_is_tried_by_post_when_get_is_not_served_and_remembered() {
    for (status, media_type, body) in [
        (405, "", ""),
        (404, "text/html", "<h1>not here</h1>"),
        (404, JSON, r#"{"detail":"Not Found"}"#),
        (404, JSON, NO_TASK_SUBSCRIBE),
        (
            200,
            JSON,
            r#"{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}"#,
        ),
        (200, "text/html", "<h1>welcome</h1>"),
        (200, "", ""),
    ] {
        let script = Script::default()
            .answer(status, media_type, body)
            .answer(200, SSE, TASK_EVENT)
            .answer(200, SSE, TASK_EVENT)
            .answer(404, JSON, NO_TASK);
        let client = script.client();
        assert_eq!(
            subscribe(&client).await.unwrap().len(),
            1,
            "{status} {body}"
        );
        assert_eq!(
            script.asked(),
            ["GET /tasks/t1:subscribe", "POST /tasks/t1:subscribe"],
            "{status} {body}"
        );
        assert_eq!(
            subscribe(&client).await.unwrap().len(),
            1,
            "{status} {body}"
        );
        assert_eq!(
            script.asked(),
            ["POST /tasks/t1:subscribe"],
            "{status} {body}"
        );
        // The same for tenants.
        let request = SubscribeToTaskRequest::new()
            .with_id("t1")
            .with_tenant("acme");
        let error = client
            .subscribe_to_task(context(), request)
            .await
            .err()
            .unwrap();
        assert!(error.is_task_not_found());
        assert_eq!(
            script.asked(),
            ["POST /acme/tasks/t1:subscribe"],
            "{status} {body}"
        );
    }
}

#[tokio::test]
async fn an_answer_of_the_protocol_is_no_missing_route() {
    for (status, media_type, body, code) in [
        (404, JSON, NO_TASK, Code::NotFound),
        (401, "", "", Code::Unauthenticated),
        (500, "text/plain", "oops", Code::Internal),
        (503, "", "", Code::Unavailable),
        (200, JSON, NO_TASK, Code::NotFound),
    ] {
        let script = Script::default().answer(status, media_type, body);
        let error = subscribe(&script.client()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.peer_status(), Some(status));
        assert_eq!(script.asked(), ["GET /tasks/t1:subscribe"]);
    }
}

#[tokio::test]
async fn the_second_way_is_remembered_only_when_it_works() {
    // Neither is served: the first one's error counts.
    let script = Script::default()
        .answer(405, "", "")
        .answer(404, "text/plain", "no");
    let client = script.client();
    let error = subscribe(&client).await.unwrap_err();
    assert_eq!(error.peer_status(), Some(405));
    assert_eq!(script.asked().len(), 2);
    // A task that is not there is an answer: the route is.
    let script = script
        .answer(405, "", "")
        .answer(404, JSON, NO_TASK)
        .answer(404, JSON, NO_TASK);
    assert!(subscribe(&client).await.unwrap_err().is_task_not_found());
    assert_eq!(script.asked().len(), 2);
    assert!(subscribe(&client).await.unwrap_err().is_task_not_found());
    assert_eq!(script.asked(), ["POST /tasks/t1:subscribe"]);
}

#[tokio::test]
async fn clones_share_what_they_have_learned() {
    let script = Script::default()
        .answer(405, "", "")
        .answer(200, SSE, TASK_EVENT)
        .answer(200, SSE, TASK_EVENT);
    let channel = script.channel();
    subscribe(&A2aServiceClient::new(channel.clone()))
        .await
        .unwrap();
    subscribe(&A2aServiceClient::new(channel.clone()))
        .await
        .unwrap();
    assert_eq!(script.asked().len(), 3);
    let request = SubscribeToTaskRequest::new().with_id("t1");
    let request = channel
        .request(&A2A_SERVICE, SUBSCRIBE, &context(), &request)
        .unwrap();
    assert_eq!(request.method(), "POST");
}

#[tokio::test]
async fn operations_with_one_way_have_one_way() {
    let script = Script::default().answer(404, "", "").answer(405, "", "");
    let client = script.client();
    let get = client
        .get_task(context(), GetTaskRequest::new().with_id("t1"))
        .await
        .unwrap_err();
    assert_eq!(
        (get.code(), get.spec(), get.peer_status()),
        (Code::NotFound, None, Some(404))
    );
    // What may have changed something is not asked for a second time.
    let send = client
        .send_message(context(), SendMessageRequest::new())
        .await
        .unwrap_err();
    assert_eq!(send.peer_status(), Some(405));
    assert_eq!(script.asked(), ["GET /tasks/t1", "POST /message:send"]);
}

#[tokio::test]
async fn answers_that_say_nothing_are_right_where_nothing_is_expected() {
    for (status, body) in [
        (204, ""),
        (200, ""),
        (200, "{}"),
        (200, " null\n"),
        (202, "\r\n"),
        (200, "{\"more\":1}"),
    ] {
        let client = Script::default().answer(status, "", body).client();
        let request = DeleteTaskPushNotificationConfigRequest::new()
            .with_task_id("t1")
            .with_id("c1");
        client
            .delete_task_push_notification_config(context(), request)
            .await
            .unwrap();
    }
    for (status, media_type, body, text) in [
        (204, "", "", "without a body"),
        (200, JSON, "", "without a body"),
        (200, JSON, "null", "no lf.a2a.v1.Task"),
        (200, "text/html", "<h1>welcome</h1>", "no lf.a2a.v1.Task"),
        (200, JSON, "{\"id\":7}", "id: expected a string"),
        (200, SSE, TASK_EVENT, "event stream"),
    ] {
        let client = Script::default().answer(status, media_type, body).client();
        let error = client
            .get_task(context(), GetTaskRequest::new().with_id("t1"))
            .await
            .unwrap_err();
        assert!(error.message().contains(text), "{error}");
        assert!(error.is_invalid_agent_response(), "{error}");
    }
}

#[tokio::test]
async fn any_success_is_one() {
    for status in [200, 201, 202, 203, 206] {
        let client = Script::default()
            .answer(status, "", r#"{"id":"t1"}"#)
            .client();
        let task = client
            .get_task(context(), GetTaskRequest::new().with_id("t1"))
            .await
            .unwrap();
        assert_eq!(task.id, "t1");
    }
}

#[tokio::test]
async fn an_error_under_a_success_is_an_error() {
    let client = Script::default()
        .answer(200, JSON, NO_TASK)
        .answer(200, JSON, r#" { "error" : "broken" } "#)
        .client();
    let get = || client.get_task(context(), GetTaskRequest::new().with_id("t1"));
    assert!(get().await.unwrap_err().is_task_not_found());
    assert_eq!(get().await.unwrap_err().message(), "broken");
}

#[tokio::test]
async fn errors_end_streams() {
    for (body, text) in [
        (
            r#"{"error":{"code":500,"status":"INTERNAL","message":"late"}}"#,
            "late",
        ),
        (r#"{"error":"late"}"#, "late"),
    ] {
        for kind in ["", "event: error\n"] {
            let text_of_stream = format!("{TASK_EVENT}{kind}data: {body}\n\n{TASK_EVENT}").leak();
            let client = Script::default().answer(200, SSE, text_of_stream).client();
            let mut events = client
                .send_streaming_message(context(), SendMessageRequest::new())
                .await
                .unwrap();
            assert!(events.next().await.unwrap().is_ok());
            assert_eq!(events.next().await.unwrap().unwrap_err().message(), text);
            assert!(events.next().await.is_none());
        }
    }
    let client = Script::default()
        .answer(200, SSE, "event: error\ndata: what?\n\n")
        .client();
    let mut events = client
        .send_streaming_message(context(), SendMessageRequest::new())
        .await
        .unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.message().contains("what?"), "{error}");
}

#[tokio::test]
async fn what_is_no_stream_is_never_an_empty_one() {
    for (status, media_type, body, text) in [
        (
            200,
            JSON,
            r#"{"error":{"code":400,"message":"no such skill"}}"#,
            "no such skill",
        ),
        (200, "", TASK_EVENT, "without a content type"),
        (200, JSON, r#"{"task":{"id":"t1"}}"#, "application/a2a+json"),
        (204, "", "", "without a content type"),
        (307, "", "", "redirects"),
        (400, "text/plain", "no", "400"),
    ] {
        let script = Script::default().answer(status, media_type, body);
        let error = script
            .client()
            .send_streaming_message(context(), SendMessageRequest::new())
            .await
            .err()
            .unwrap();
        assert!(error.message().contains(text), "{error}");
        assert_eq!(error.peer_status(), Some(status));
        assert_eq!(script.asked(), ["POST /message:stream"]);
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
        (
            "GetTask",
            get(&"x".repeat(70_000)),
            None,
            "URL that cannot be sent",
        ),
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
