use std::sync::Mutex;

use a2a_wire::types::Timestamp;
use a2a_wire::v1_0::{
    GetTaskRequest, ListTasksRequest, Message, SendMessageRequest, StreamResponse, Task,
};
use futures_util::stream;

use super::*;
use crate::context::{Binding, ProtocolVersion};
use crate::{A2aService as _, A2aServiceClient, Code};

/// Answers once.
struct Once(Mutex<Option<Answer>>);

impl Once {
    fn new(answer: Answer) -> Self {
        Self(Mutex::new(Some(answer)))
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl Channel for Once {
    fn call<'a>(
        &'a self,
        _service: &'static ServiceSpec,
        _operation: usize,
        _context: CallContext,
        _request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let answer = self.0.lock().unwrap().take();
        Box::pin(async move { answer.ok_or_else(|| Error::internal("asked twice")) })
    }
}

fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

async fn get(answer: Answer) -> Result<Shared<Task>, Error> {
    A2aServiceClient::new(Once::new(answer))
        .get_task(context(), GetTaskRequest::new())
        .await
}

async fn events(answer: Answer) -> Result<EventStream<StreamResponse>, Error> {
    let client = A2aServiceClient::new(Arc::new(Once::new(answer)) as Arc<dyn Channel>);
    client
        .send_streaming_message(context(), SendMessageRequest::new())
        .await
}

fn json(text: &'static str) -> Payload {
    Payload::Json(Bytes::from_static(text.as_bytes()))
}

fn many(payloads: Vec<Result<Payload, Error>>) -> Answer {
    Answer::Stream(Box::pin(stream::iter(payloads)))
}

#[tokio::test]
async fn answers_are_read_in_both_encodings() {
    let task = Task::new().with_id("t1");
    for payload in [
        json(r#"{"id":"t1","unknown":7}"#),
        Payload::Proto(Outgoing::proto(&task).unwrap()),
    ] {
        assert_eq!(*get(Answer::Unary(payload)).await.unwrap(), task);
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_the_agent_s_fault() {
    for (payload, says) in [
        (
            json(r#"{"status":{"state":"NO_SUCH_STATE"}}"#),
            "status.state",
        ),
        (json("{"), "lf.a2a.v1.Task"),
        (
            Payload::Proto(Bytes::from_static(b"\xff")),
            "lf.a2a.v1.Task",
        ),
    ] {
        let kept = matches!(payload, Payload::Json(_));
        let error = get(Answer::Unary(payload)).await.unwrap_err();
        assert!(error.is_invalid_agent_response(), "{error:?}");
        assert!(error.message().contains(says), "{error}");
        assert_eq!(error.peer_body().is_some(), kept);
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test]
async fn a_channel_that_mixes_up_answers_and_streams_is_told_so() {
    let error = get(many(vec![])).await.unwrap_err();
    assert!(error.message().contains("with a stream"), "{error}");
    let error = events(Answer::Unary(json("{}"))).await.err().unwrap();
    assert!(error.message().contains("with one message"), "{error}");
}

#[tokio::test]
async fn a_stream_ends_with_its_first_error_and_lets_the_channel_go() {
    let failed = Err(Error::internal("broken"));
    for bad in [Ok(json("[]")), failed] {
        let alive = Arc::new(());
        let held = Arc::clone(&alive);
        let payloads = stream::iter([Ok(json("{}")), bad, Ok(json("{}"))]).map(move |payload| {
            let _held = &held;
            payload
        });
        let mut events = events(Answer::Stream(Box::pin(payloads))).await.unwrap();
        assert!(events.next().await.unwrap().is_ok());
        assert!(events.next().await.unwrap().is_err());
        assert_eq!(Arc::strong_count(&alive), 1);
        assert!(events.next().await.is_none());
    }
}

#[test]
fn requests_know_their_encodings() {
    let mut request = ListTasksRequest::new()
        .with_context_id("a b")
        .with_page_size(7)
        .with_tenant("acme");
    request.status_timestamp_after = Some(Timestamp {
        seconds: 1,
        nanos: 5,
    });
    let outgoing: &dyn Outgoing = &request;
    let whole = r#"{"tenant":"acme","contextId":"a b","pageSize":7,"statusTimestampAfter":"1970-01-01T00:00:01.000000005Z"}"#;
    assert_eq!(outgoing.json().unwrap(), whole);
    let rest = outgoing.json_without(&["tenant", "pageSize"]).unwrap();
    assert_eq!(
        rest,
        r#"{"contextId":"a b","statusTimestampAfter":"1970-01-01T00:00:01.000000005Z"}"#
    );
    assert_eq!(
        <ListTasksRequest as prost::Message>::decode(outgoing.proto().unwrap()).unwrap(),
        request
    );
    assert_eq!(outgoing.text("tenant").as_deref(), Some("acme"));
    assert_eq!(outgoing.text("page_token"), None);
    let mut query = QueryWriter::new();
    outgoing.query(&["tenant"], &mut query).unwrap();
    assert_eq!(
        query.as_str(),
        "contextId=a%20b&pageSize=7&statusTimestampAfter=1970-01-01T00%3A00%3A01.000000005Z"
    );
}

#[test]
fn requests_that_cannot_be_encoded_name_the_field() {
    let mut request = ListTasksRequest::new();
    request.status_timestamp_after = Some(Timestamp {
        seconds: i64::MAX,
        nanos: 0,
    });
    let error = Outgoing::json(&request).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(error.violations()[0].field, "statusTimestampAfter");
    let request =
        SendMessageRequest::new().with_message(Message::new().with_reference_task_ids(["a"]));
    let request = request.with_metadata(a2a_wire::types::Struct::default());
    let error = Outgoing::query(&request, &[], &mut QueryWriter::new()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
}
