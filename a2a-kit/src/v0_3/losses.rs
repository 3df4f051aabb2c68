//! What is lost between the versions is told to the log: once for each call, with id and place, and
//! louder where a program asked for what does not happen.

use std::sync::Arc;

use a2a_wire::v1_0::{
    Artifact, GetTaskRequest, Message, Part, Role, SendMessageRequest, Task, TaskState, TaskStatus,
};
use bytes::Bytes;

use super::{Facade, Peer};
use crate::client::{Answer, Channel, Outgoing, Payload};
use crate::context::{Binding, CallContext, ProtocolVersion};
use crate::error::Error;
use crate::service::{BoxFuture, Input, Reply, ServiceSpec};
use crate::shared::Shared;
use crate::test_log::{heard, listen};
use crate::{A2aService, BoxA2aService};

/// What a module has told, with its level.
fn told(module: &str) -> Vec<String> {
    let told = heard(&format!("a2a_kit::adapted::{module}")).into_iter();
    told.map(|told| format!("{} {}", told.level, told.text.trim_end()))
        .collect()
}

fn typed_text() -> Part {
    Part::new().with_text("hi").with_media_type("text/markdown")
}

/// Has one task, with a part whose media type v0.3 cannot hold.
struct One;

impl A2aService for One {
    async fn get_task(&self, _: CallContext, _: GetTaskRequest) -> Result<Shared<Task>, Error> {
        let artifact = Artifact::new()
            .with_artifact_id("a")
            .with_parts([Part::new().with_text("plain"), typed_text()]);
        let task = Task::new()
            .with_id("t")
            .with_context_id("c")
            .with_status(TaskStatus::new().with_state(TaskState::Completed))
            .with_artifacts([artifact]);
        Ok(Shared::new(task))
    }
}

#[tokio::test]
async fn a_server_tells_what_it_reads_and_writes_in_little() {
    listen();
    let service = Facade::dispatch(BoxA2aService::new(One));
    let mut operations = service.service().operations.iter();
    let get = operations.position(|operation| operation.name == "GetTask");
    let input = Input::Json(Bytes::from_static(br#"{"id":"t","metadata":{"k":1}}"#));
    let context = CallContext::new(Binding::JsonRpc, ProtocolVersion::V0_3);
    let Ok(Reply::Unary(task)) = service.call(get.unwrap(), context, input).await else {
        panic!("no task");
    };
    assert_eq!(
        told("serve"),
        [r#"DEBUG message=metadata of a request that has none in v1.0 id="U1" path="metadata""#]
    );
    let lost = [
        r#"DEBUG message=only files have it in v0.3 id="D2" path="artifacts[0].parts[1].mediaType""#,
    ];
    task.json().unwrap();
    assert_eq!(told("serve"), lost);
    // The encoding is kept, so nothing is lost a second time.
    task.json().unwrap();
    assert!(told("serve").is_empty());
    task.proto().unwrap();
    assert_eq!(told("serve"), lost);
}

/// A peer with one answer.
#[derive(Debug)]
struct Far;

impl Channel for Far {
    fn call<'a>(
        &'a self,
        _: &'static ServiceSpec,
        _: usize,
        _: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        request.write_params(&mut Vec::new()).unwrap();
        let task = br#"{"kind":"task","id":"t","contextId":"c","status":{"state":"working","timestamp":"2030-01-02T03:04:05+02:00"}}"#;
        Box::pin(async { Ok(Answer::Unary(Payload::Json(Bytes::from_static(task)))) })
    }
}

#[tokio::test]
async fn a_client_warns_of_what_it_cannot_ask_for_and_tells_the_rest_in_little() {
    listen();
    let message = Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts([typed_text()]);
    let request = SendMessageRequest::new().with_message(message);
    let peer = Peer::new(Arc::new(Far));
    peer.send_message(CallContext::default(), request)
        .await
        .unwrap();
    assert_eq!(
        told("call"),
        [
            r#"WARN message=the peer's version of the protocol cannot hold all of the request: only files have it in v0.3 id="D2" path="message.parts[0].mediaType""#,
            r#"DEBUG message=the offset from UTC is not kept id="U7" path="status.timestamp""#,
        ]
    );
}
