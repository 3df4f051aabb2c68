//! What a v0.3 peer answers, as a caller of v1.0 gets it. The peer is a channel that answers as it is
//! told to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use a2a_wire::v1_0::{Message, Part, Role, SendMessageConfiguration, TaskState};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};

use super::*;
use crate::client::{Answer, Outgoing, Payload};
use crate::service::{BoxFuture, ServiceSpec};
use crate::v0_3::errors;

/// Events or one answer; or an error.
type Said = Result<Vec<&'static str>, Error>;

#[derive(Debug, Default)]
struct Far {
    answers: Mutex<VecDeque<Said>>,
    seen: Mutex<Vec<String>>,
}

impl Far {
    fn new(answers: impl IntoIterator<Item = Said>) -> (Arc<Self>, Peer) {
        let far = Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            seen: Mutex::default(),
        });
        (Arc::clone(&far), Peer::new(far))
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

impl Channel for Far {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        _context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let operation = &service.operations[operation];
        let mut line = operation.json_rpc_method.unwrap().as_bytes().to_vec();
        line.push(b' ');
        request.write_params(&mut line).unwrap();
        self.seen
            .lock()
            .unwrap()
            .push(String::from_utf8(line).unwrap());
        let said = self.answers.lock().unwrap().pop_front().expect("an answer");
        let payload = |text: &'static str| Payload::Json(Bytes::from_static(text.as_bytes()));
        let answer = said.map(|said| match operation.server_streaming {
            false => Answer::Unary(payload(said[0])),
            // A peer that does not end its stream.
            true => Answer::Stream(Box::pin(
                stream::iter(said.into_iter().map(move |text| Ok(payload(text))))
                    .chain(stream::pending()),
            )),
        });
        Box::pin(async move { answer })
    }
}

fn request() -> SendMessageRequest {
    let message = Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts([Part::new().with_text("hi")]);
    SendMessageRequest::new().with_message(message)
}

fn call() -> CallContext {
    CallContext::default()
}

async fn briefs(events: Result<EventStream<StreamResponse>, Error>) -> Vec<String> {
    let events: Vec<_> = events.unwrap().collect().await;
    let brief = |event: Result<Shared<StreamResponse>, Error>| match &event.unwrap().payload {
        Some(Payload_::Task(task)) => format!("task {} {:?}", task.id, task.state()),
        Some(Payload_::StatusUpdate(update)) => {
            format!("{:?}", update.status.as_ref().unwrap().state())
        }
        Some(Payload_::ArtifactUpdate(update)) => {
            format!("artifact {}", update.artifact.as_ref().unwrap().artifact_id)
        }
        other => panic!("{other:?}"),
    };
    events.into_iter().map(brief).collect()
}

use a2a_wire::v1_0::stream_response::Payload as Payload_;

const TASK: &str = r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"working"},
    "history":[{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}]}"#;
const OVER: &str = r#"{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"}}"#;
const ARTIFACT: &str = r#"{"kind":"artifact-update","taskId":"t","contextId":"c",
    "artifact":{"artifactId":"a","parts":[{"kind":"text","text":"x"}]}}"#;
const WORKING: &str = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}"#;
const LAST: &str = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":true}"#;
const DONE: &str = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed"},"final":true}"#;

fn asks_for_the_task(line: &str) -> bool {
    let params = line.strip_prefix("tasks/get ").unwrap();
    serde_json::from_str::<serde_json::Value>(params).unwrap()["id"] == "t"
}

#[tokio::test]
async fn a_stream_that_begins_with_an_update_gets_its_task_first() {
    let (far, peer) = Far::new([Ok(vec![ARTIFACT, DONE, WORKING]), Ok(vec![TASK])]);
    let events = peer.send_streaming_message(call(), request()).await;
    assert_eq!(
        briefs(events).await,
        ["task t Working", "artifact a", "Completed"]
    );
    let seen = far.seen();
    assert!(seen[0].starts_with("message/stream "), "{seen:?}");
    assert!(asks_for_the_task(&seen[1]), "{seen:?}");

    let (far, peer) = Far::new([Ok(vec![WORKING, DONE]), Ok(vec![TASK])]);
    let subscribe = SubscribeToTaskRequest::new().with_id("t");
    let events = peer.subscribe_to_task(call(), subscribe).await;
    assert_eq!(
        briefs(events).await,
        ["task t Working", "Working", "Completed"]
    );
    assert_eq!(far.seen()[0], r#"tasks/resubscribe {"id":"t"}"#);

    // One that begins with the task is left as it is.
    let (far, peer) = Far::new([Ok(vec![TASK, DONE])]);
    let events = peer.send_streaming_message(call(), request()).await;
    assert_eq!(briefs(events).await, ["task t Working", "Completed"]);
    assert_eq!(far.seen().len(), 1);
}

#[tokio::test]
async fn a_subscription_begins_with_the_task_though_its_peer_is_silent() {
    let subscribe = || SubscribeToTaskRequest::new().with_id("t");
    let (_, peer) = Far::new([Ok(vec![]), Ok(vec![TASK])]);
    let mut events = peer.subscribe_to_task(call(), subscribe()).await.unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert!(
        matches!(first.payload, Some(Payload_::Task(_))),
        "{first:?}"
    );

    // A peer that tells it too says it once for both.
    let (_, peer) = Far::new([Ok(vec![TASK, WORKING, DONE]), Ok(vec![TASK])]);
    let events = peer.subscribe_to_task(call(), subscribe()).await;
    assert_eq!(
        briefs(events).await,
        ["task t Working", "Working", "Completed"]
    );

    let (_, peer) = Far::new([Ok(vec![OVER]), Ok(vec![OVER])]);
    let over = peer.subscribe_to_task(call(), subscribe()).await;
    assert!(over.err().unwrap().is_unsupported_operation());
}

/// A peer whose streams do not open before something happens, which it does not.
#[derive(Debug)]
struct Silent;

impl Channel for Silent {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        _context: CallContext,
        _request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let task = Payload::Json(Bytes::from_static(TASK.as_bytes()));
        match service.operations[operation].server_streaming {
            true => Box::pin(std::future::pending()),
            false => Box::pin(async { Ok(Answer::Unary(task)) }),
        }
    }
}

#[tokio::test]
async fn a_subscription_begins_with_the_task_though_its_stream_does_not_open() {
    let subscribe = SubscribeToTaskRequest::new().with_id("t");
    let peer = Peer::new(Arc::new(Silent));
    let mut events = peer.subscribe_to_task(call(), subscribe).await.unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert!(
        matches!(first.payload, Some(Payload_::Task(_))),
        "{first:?}"
    );
}

#[tokio::test]
async fn a_task_is_never_further_than_the_update_that_it_stands_before() {
    for (update, brief) in [(WORKING, "Working"), (ARTIFACT, "artifact a")] {
        let (_, peer) = Far::new([Ok(vec![update, DONE]), Ok(vec![OVER])]);
        let events = peer.send_streaming_message(call(), request()).await;
        assert_eq!(briefs(events).await, ["task t Working", brief, "Completed"]);
    }
}

#[tokio::test]
async fn a_peer_that_does_not_tell_its_task_is_taken_at_the_word_of_its_update() {
    let missing = Error::from_spec(&errors::TASK_NOT_FOUND, "no such task");
    let (_, peer) = Far::new([Ok(vec![DONE]), Err(missing)]);
    let events = peer.send_streaming_message(call(), request()).await;
    assert_eq!(briefs(events).await, ["task t Completed", "Completed"]);
}

#[tokio::test]
async fn a_stream_ends_with_the_event_that_is_marked_as_final() {
    let asked = r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"auth-required"},"final":true}"#;
    for (last, expected) in [
        (LAST, "Working"),
        (DONE, "Completed"),
        (asked, "AuthRequired"),
    ] {
        let (_, peer) = Far::new([Ok(vec![TASK, WORKING, last, WORKING])]);
        let events = peer.send_streaming_message(call(), request()).await;
        assert_eq!(
            briefs(events).await,
            ["task t Working", "Working", expected]
        );
    }
}

#[tokio::test]
async fn who_wants_no_history_gets_none() {
    let without = || {
        let configuration = SendMessageConfiguration::new().with_history_length(0);
        request().with_configuration(configuration)
    };
    let (far, peer) = Far::new([
        Ok(vec![TASK]),
        Ok(vec![TASK]),
        Ok(vec![TASK, DONE]),
        Ok(vec![TASK]),
    ]);
    let get = |length| {
        let request = GetTaskRequest::new().with_id("t");
        match length {
            Some(length) => request.with_history_length(length),
            None => request,
        }
    };
    assert!(
        peer.get_task(call(), get(Some(0)))
            .await
            .unwrap()
            .history
            .is_empty()
    );
    let sent = peer.send_message(call(), without()).await.unwrap();
    let Some(Sent::Task(task)) = &sent.payload else {
        panic!("{sent:?}");
    };
    assert!(task.history.is_empty());
    let events = peer
        .send_streaming_message(call(), without())
        .await
        .unwrap();
    let events: Vec<_> = events.collect().await;
    let Some(Payload_::Task(task)) = &events[0].as_ref().unwrap().payload else {
        panic!("{events:?}");
    };
    assert!(task.history.is_empty());
    assert_eq!(
        peer.get_task(call(), get(None))
            .await
            .unwrap()
            .history
            .len(),
        1
    );
    // Whether to wait is always said: peers are not of one mind about what nothing means.
    assert!(far.seen()[1].contains(r#""blocking":true"#));
}

#[tokio::test]
async fn what_v0_3_has_no_name_for_is_not_called() {
    let (far, peer) = Far::new([]);
    let error = peer
        .list_tasks(call(), ListTasksRequest::new())
        .await
        .unwrap_err();
    assert!(error.is_unsupported_operation(), "{error:?}");
    assert!(far.seen().is_empty());
}

#[tokio::test]
async fn errors_are_those_of_v1_0() {
    let refused = Error::from_spec(&errors::TASK_NOT_CANCELABLE, "it is over");
    assert_eq!(refused.http_status(), 409);
    let broken = r#"{"kind":"task","id":7}"#;
    let (_, peer) = Far::new([Err(refused), Ok(vec![broken]), Ok(vec!["{}"])]);
    let cancel = || CancelTaskRequest::new().with_id("t");
    let error = peer.cancel_task(call(), cancel()).await.unwrap_err();
    assert!(error.is_task_not_cancelable(), "{error:?}");
    assert_eq!((error.http_status(), error.message()), (400, "it is over"));
    let error = peer.cancel_task(call(), cancel()).await.unwrap_err();
    assert!(error.is_invalid_agent_response(), "{error:?}");
    assert!(error.message().contains("id"), "{error}");
    assert_eq!(error.peer_body(), Some(broken));
    let error = peer.send_message(call(), request()).await.unwrap_err();
    assert!(error.is_invalid_agent_response(), "{error:?}");
}

#[tokio::test]
async fn a_name_that_cannot_be_written_is_told_as_such() {
    let (_, peer) = Far::new([Ok(vec![TASK])]);
    // Over JSON-RPC an id is an id.
    let get = GetTaskRequest::new().with_id("a/b");
    assert_eq!(
        peer.get_task(call(), get).await.unwrap().state(),
        TaskState::Working
    );
}
