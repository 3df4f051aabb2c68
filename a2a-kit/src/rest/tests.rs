use std::convert::Infallible;

use futures_util::stream::{self, StreamExt as _};
use http_body_util::BodyExt as _;

use super::*;
use crate::admission::Open;
use crate::service::{OperationSpec, ReplyStream, ServiceSpec};
use crate::shared::Encoded;
use crate::{BoxFuture, ErrorSpec};

/// A message that is its JSON.
struct Text(&'static str);

impl Encoded for Text {
    fn json(&self) -> Result<Bytes, Error> {
        Ok(Bytes::from_static(self.0.as_bytes()))
    }

    fn json_field(&self, field: &str) -> Result<Bytes, Error> {
        Ok(Bytes::from(format!("[\"{field} of\",{}]", self.0)))
    }

    fn proto(&self) -> Result<Bytes, Error> {
        Ok(Bytes::new())
    }
}

/// What the service answers, by the name of the operation.
fn answer(
    operation: &OperationSpec,
    context: &CallContext,
    input: Input<'_>,
) -> Result<Reply, Error> {
    let Input::Http(input) = input else {
        return Err(Error::internal("not from this router"));
    };
    let unary = |text| Ok(Reply::Unary(Box::new(Text(text)) as Box<dyn Encoded>));
    match operation.name {
        "SendMessage" if input.body.is_empty() => unary("{}"),
        "SendMessage" => unary("{\"with\":\"body\"}"),
        "GetTask" => unary("{\"id\":\"t1\"}"),
        "ListTasks" => {
            context.activate_extension("https://example.org/a");
            context.activate_extension("https://example.org/b");
            unary("[]")
        }
        "CancelTask" => Err(Error::task_not_cancelable("it is over").with_metadata("taskId", "t1")),
        "GetExtendedAgentCard" => {
            Err(Error::new(Code::Unavailable, "busy").with_retry_after(Duration::from_millis(1500)))
        }
        "SubscribeToTask" if input.path == "/tasks/gone:subscribe" => Ok(Reply::Stream(Box::pin(
            stream::once(std::future::ready(Err(Error::task_not_found("no task")))),
        ))),
        "SubscribeToTask" => Ok(Reply::Stream(events())),
        other => Err(Error::unimplemented(other)),
    }
}

fn events() -> ReplyStream {
    let good = |text| Ok(Box::new(Text(text)) as Box<dyn Encoded>);
    let events = [
        good("{\"n\":1}"),
        good("{\"n\":2}"),
        Err(Error::internal("lost")),
        good("{\"n\":4}"),
    ];
    Box::pin(stream::iter(events))
}

struct Stub(&'static ServiceSpec);

impl Dispatch for Stub {
    fn service(&self) -> &'static ServiceSpec {
        self.0
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        context: CallContext,
        input: Input<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        let result = answer(&self.0.operations[operation], &context, input);
        Box::pin(std::future::ready(result))
    }
}

fn rest() -> Rest {
    Rest::new(Arc::new(Stub(&crate::A2A_SERVICE)), Arc::new(Open))
}

fn request(method: &str, path: &str) -> http::request::Builder {
    Request::builder().method(method).uri(path)
}

async fn send(rest: &Rest, request: Request<Body>) -> (http::response::Parts, String) {
    let (parts, body) = rest.handle(request).await.into_parts();
    let body = body.collect().await.expect("a whole body").to_bytes();
    (parts, String::from_utf8(body.to_vec()).expect("UTF-8"))
}

fn header<'a>(parts: &'a http::response::Parts, name: &str) -> Option<&'a str> {
    parts
        .headers
        .get(name)
        .map(|value| value.to_str().expect("text"))
}

/// A body that never ends.
fn endless() -> Body {
    Body::from_stream(stream::pending::<Result<Bytes, Infallible>>())
}

#[tokio::test]
async fn routing_errors_are_json_without_details() {
    // Request, status, `Allow`, body.
    let cases = [
        (
            "GET /nope/nope/nope",
            404,
            None,
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"nothing is served at /nope/nope/nope","details":[]}}"#,
        ),
        (
            "GET /tasks/t1/",
            404,
            None,
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"nothing is served at /tasks/t1/; without the `/` at the end there is a route","details":[]}}"#,
        ),
        (
            "GET /tasks/t1:cancel",
            405,
            Some("POST"),
            r#"{"error":{"code":405,"status":"UNIMPLEMENTED","message":"/tasks/t1:cancel does not take GET, only POST","details":[]}}"#,
        ),
        (
            "DELETE /tasks",
            405,
            Some("GET, HEAD"),
            r#"{"error":{"code":405,"status":"UNIMPLEMENTED","message":"/tasks does not take DELETE, only GET, HEAD","details":[]}}"#,
        ),
    ];
    for (line, status, allow, body) in cases {
        let (method, path) = line.split_once(' ').expect("a method");
        let (parts, text) = send(
            &rest(),
            request(method, path).body(endless()).expect("a request"),
        )
        .await;
        assert_eq!(
            (
                parts.status.as_u16(),
                header(&parts, "allow"),
                text.as_str()
            ),
            (status, allow, body),
            "{line}"
        );
        assert_eq!(
            header(&parts, "content-type"),
            Some("application/a2a+json"),
            "{line}"
        );
    }
}

#[tokio::test]
async fn the_answer_has_the_media_type_of_the_request() {
    let cases = [
        (None, "application/a2a+json"),
        (Some("application/json; charset=utf-8"), "application/json"),
        (Some("application/x+json"), "application/a2a+json"),
    ];
    for (content_type, expected) in cases {
        let mut builder = request("POST", "/message:send");
        if let Some(content_type) = content_type {
            builder = builder.header("content-type", content_type);
        }
        let (parts, text) = send(&rest(), builder.body(Body::full("{}")).expect("a request")).await;
        assert_eq!(
            (parts.status.as_u16(), text.as_str()),
            (200, "{\"with\":\"body\"}"),
            "{content_type:?}"
        );
        assert_eq!(
            header(&parts, "content-type"),
            Some(expected),
            "{content_type:?}"
        );
    }
}

#[tokio::test]
async fn a_wrong_media_type_is_refused_before_the_body_is_read() {
    let wrong = |path| {
        request("POST", path)
            .header("content-type", "text/plain")
            .body(endless())
            .expect("a request")
    };
    let (parts, text) = send(&rest(), wrong("/message:send")).await;
    assert_eq!(parts.status, 415);
    assert!(
        text.contains("\"reason\":\"CONTENT_TYPE_NOT_SUPPORTED\""),
        "{text}"
    );
    // Where nothing is read from the body, its type says nothing.
    let get = request("GET", "/tasks/t1")
        .header("content-type", "text/plain")
        .body(endless())
        .expect("a request");
    assert_eq!(send(&rest(), get).await.0.status, 200);
}

#[tokio::test]
async fn the_limit_holds_at_its_byte_with_and_without_a_length() {
    let rest = rest().body_limit(10);
    let chunks = |size: usize| {
        Body::from_stream(stream::iter(vec![
            Ok::<_, Infallible>(Bytes::from_static(
                b"x"
            ));
            size
        ]))
    };
    for (size, status) in [(10, 200), (11, 413)] {
        for body in [Body::full(vec![b'x'; size]), chunks(size)] {
            let (parts, text) = send(
                &rest,
                request("POST", "/message:send")
                    .body(body)
                    .expect("a request"),
            )
            .await;
            assert_eq!(parts.status.as_u16(), status, "{size} bytes: {text}");
            assert!(!text.contains("ErrorInfo"), "{text}");
        }
    }
}

#[tokio::test]
async fn an_error_of_the_protocol_says_so() {
    let (parts, text) = send(
        &rest(),
        request("POST", "/tasks/t1:cancel")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!(parts.status, 400);
    assert_eq!(
        text,
        "{\"error\":{\"code\":400,\"status\":\"FAILED_PRECONDITION\",\"message\":\"it is over\",\"details\":[\
         {\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_CANCELABLE\",\
         \"domain\":\"a2a-protocol.org\",\"metadata\":{\"taskId\":\"t1\"}}]}}"
    );
    let (parts, _) = send(
        &rest(),
        request("GET", "/extendedAgentCard")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!(
        (parts.status.as_u16(), header(&parts, "retry-after")),
        (503, Some("2"))
    );
}

#[tokio::test]
async fn extensions_in_use_are_named() {
    let (parts, text) = send(
        &rest(),
        request("GET", "/tasks")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!((parts.status.as_u16(), text.as_str()), (200, "[]"));
    assert_eq!(
        header(&parts, "a2a-extensions"),
        Some("https://example.org/a, https://example.org/b")
    );
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let (parts, text) = send(
        &rest(),
        request("HEAD", "/tasks/t1")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!(
        (
            parts.status.as_u16(),
            text.as_str(),
            header(&parts, "content-length")
        ),
        (200, "", Some("11"))
    );
    let (parts, text) = send(
        &rest(),
        request("HEAD", "/nope")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!((parts.status.as_u16(), text.as_str()), (404, ""));
    let (parts, text) = send(
        &rest(),
        request("HEAD", "/tasks/t1:subscribe")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!(
        (
            parts.status.as_u16(),
            text.as_str(),
            header(&parts, "content-type")
        ),
        (200, "", Some("text/event-stream"))
    );
}

#[tokio::test]
async fn a_stream_is_events_and_ends_with_its_error() {
    for method in ["GET", "POST"] {
        let (parts, text) = send(
            &rest(),
            request(method, "/tasks/t1:subscribe")
                .body(Body::empty())
                .expect("a request"),
        )
        .await;
        assert_eq!(
            (parts.status.as_u16(), header(&parts, "content-type")),
            (200, Some("text/event-stream")),
            "{method}"
        );
        let expected = "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n\
             event: error\ndata: {\"error\":{\"code\":500,\"status\":\"INTERNAL\",\"message\":\"lost\",\"details\":[]}}\n\n";
        assert_eq!(text, expected, "{method}");
    }
}

#[tokio::test]
async fn an_error_before_the_first_event_has_a_status() {
    let (parts, text) = send(
        &rest(),
        request("GET", "/tasks/gone:subscribe")
            .body(Body::empty())
            .expect("a request"),
    )
    .await;
    assert_eq!(
        (parts.status.as_u16(), header(&parts, "content-type")),
        (404, Some("application/a2a+json"))
    );
    assert!(text.contains("TASK_NOT_FOUND"), "{text}");
}

#[tokio::test]
async fn a_field_of_the_answer_can_be_the_whole_body() {
    static SERVICE: ServiceSpec = ServiceSpec {
        name: "test.Library",
        operations: crate::A2A_SERVICE.operations,
        routes: &[
            Route {
                method: "GET",
                segments: &[],
                verb: None,
                captures: &[],
                body: RouteBody::None,
                null_body: false,
                response_body: Some("books"),
                operation: 2,
                template: "/",
            },
            Route {
                method: "PUT",
                segments: &[],
                verb: None,
                captures: &[],
                body: RouteBody::None,
                null_body: false,
                response_body: Some("books"),
                operation: 5,
                template: "/",
            },
        ],
        version: None,
        media_type: "application/json",
        conflicts: a2a_wire::__codegen::Rule::Overwrite,
        errors: &[] as &[&ErrorSpec],
        error_style: crate::error::ErrorStyle::Status,
        extensions_header: None,
    };
    let rest = Rest::new(Arc::new(Stub(&SERVICE)), Arc::new(Open));
    let (parts, text) = send(
        &rest,
        request("GET", "/").body(Body::empty()).expect("a request"),
    )
    .await;
    assert_eq!(
        (parts.status.as_u16(), text.as_str()),
        (200, "[\"books of\",{\"id\":\"t1\"}]")
    );
    assert_eq!(header(&parts, "content-type"), Some("application/json"));
    let (_, text) = send(
        &rest,
        request("PUT", "/").body(Body::empty()).expect("a request"),
    )
    .await;
    assert!(
        text.starts_with("data: [\"books of\",{\"n\":1}]\n\n"),
        "{text}"
    );
}

#[tokio::test]
async fn a_stream_whose_reader_left_is_dropped() {
    struct Gone(Option<tokio::sync::oneshot::Sender<()>>);
    impl Drop for Gone {
        fn drop(&mut self) {
            if let Some(gone) = self.0.take() {
                let _ = gone.send(());
            }
        }
    }
    let (sender, gone) = tokio::sync::oneshot::channel();
    let guard = Gone(Some(sender));
    let events: ReplyStream =
        Box::pin(events().take(2).chain(stream::pending()).map(move |event| {
            let _ = &guard;
            event
        }));
    let response = sse::response(
        sse::begin(events).await.expect("events"),
        rest().format(&crate::A2A_SERVICE.routes[0]),
    );
    drop(response);
    gone.await.expect("the stream is dropped");
}
