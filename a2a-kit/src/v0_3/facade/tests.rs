//! What a v1.0 service answers, as callers of v0.3 get it.

use std::sync::Mutex;

use a2a_wire::v1_0::{TaskState, TaskStatus, TaskStatusUpdateEvent};
use bytes::Bytes;

use super::*;
use crate::context::{Binding, ProtocolVersion};
use crate::service::{Input, Reply};

fn call() -> CallContext {
    CallContext::new(Binding::JsonRpc, ProtocolVersion::V0_3)
}

fn task(state: TaskState) -> Task {
    Task::new()
        .with_id("t")
        .with_context_id("c")
        .with_status(TaskStatus::new().with_state(state))
}

fn update(state: TaskState) -> Shared<StreamResponse> {
    let update = TaskStatusUpdateEvent::new()
        .with_task_id("t")
        .with_context_id("c")
        .with_status(TaskStatus::new().with_state(state));
    Shared::new(StreamResponse::status_update(update))
}

/// A service that has one task, and as many webhooks as it is told to.
struct One {
    state: TaskState,
    /// The events of its streams, which then stay open, unless told otherwise.
    events: Vec<Shared<StreamResponse>>,
    ends: bool,
    webhooks: usize,
    endless: bool,
    token_bytes: usize,
    pages: Mutex<usize>,
}

impl Default for One {
    fn default() -> Self {
        Self {
            state: TaskState::Completed,
            events: Vec::new(),
            ends: false,
            webhooks: 0,
            endless: false,
            token_bytes: 0,
            pages: Mutex::default(),
        }
    }
}

impl A2aService for One {
    async fn get_task(&self, _: CallContext, _: GetTaskRequest) -> Result<Shared<Task>, Error> {
        Ok(Shared::new(task(self.state)))
    }

    async fn subscribe_to_task(
        &self,
        _: CallContext,
        _: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        if self.events.is_empty() {
            return Err(Error::unsupported_operation("nobody can"));
        }
        let events = stream::iter(self.events.clone().into_iter().map(Ok));
        Ok(if self.ends {
            Box::pin(events)
        } else {
            Box::pin(events.chain(stream::pending()))
        })
    }

    async fn list_task_push_notification_configs(
        &self,
        _: CallContext,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<Shared<ListTaskPushNotificationConfigsResponse>, Error> {
        *self.pages.lock().unwrap() += 1;
        let from: usize = request.page_token.parse().unwrap_or(0);
        let size = match request.page_size {
            0 => 2,
            size => usize::try_from(size).unwrap(),
        };
        let to = self.webhooks.min(from + size);
        let configs = (from..to).map(|index| {
            let token = "t".repeat(self.token_bytes);
            TaskPushNotificationConfig::new()
                .with_id(index.to_string())
                .with_token(token)
        });
        let page = ListTaskPushNotificationConfigsResponse::new().with_configs(configs);
        let more = self.endless || to < self.webhooks;
        Ok(Shared::new(if more {
            page.with_next_page_token(to.to_string())
        } else {
            page
        }))
    }
}

fn facade(one: One) -> Facade {
    Facade::new(BoxA2aService::new(one))
}

async fn states(events: EventStream<StreamResponse>) -> Vec<TaskState> {
    let events: Vec<_> = events.collect().await;
    let state = |event: Result<Shared<StreamResponse>, Error>| match &event.unwrap().payload {
        Some(a2a_wire::v1_0::stream_response::Payload::Task(task)) => task.state(),
        Some(a2a_wire::v1_0::stream_response::Payload::StatusUpdate(update)) => {
            update.status.as_ref().unwrap().state()
        }
        other => panic!("{other:?}"),
    };
    events.into_iter().map(state).collect()
}

#[tokio::test]
async fn a_stream_ends_with_the_final_event_though_the_service_goes_on() {
    use TaskState::{AuthRequired, Canceled, InputRequired, Working};
    for last in [InputRequired, Canceled] {
        let events = [Working, AuthRequired, last, Working].map(update).to_vec();
        let facade = facade(One {
            events,
            ..One::default()
        });
        let events = facade
            .subscribe_to_task(call(), SubscribeToTaskRequest::new())
            .await;
        assert_eq!(states(events.unwrap()).await, [Working, AuthRequired, last]);
    }
}

#[tokio::test]
async fn a_finished_task_is_subscribed_to_and_one_that_cannot_be_followed_is_not() {
    let subscribe = async |state| {
        let facade = facade(One {
            state,
            ..One::default()
        });
        facade
            .subscribe_to_task(call(), SubscribeToTaskRequest::new())
            .await
    };
    let events = subscribe(TaskState::Failed).await.unwrap();
    assert_eq!(states(events).await, [TaskState::Failed]);
    let error = subscribe(TaskState::Working).await.err().unwrap();
    assert!(error.is_unsupported_operation(), "{error:?}");
}

#[tokio::test]
async fn webhooks_are_one_list_unless_pages_are_asked_for() {
    let list = ListTaskPushNotificationConfigsRequest::new;
    let seven = facade(One {
        webhooks: 7,
        ..One::default()
    });
    let all = seven
        .list_task_push_notification_configs(call(), list())
        .await
        .unwrap();
    assert_eq!((all.configs.len(), all.next_page_token.as_str()), (7, ""));
    let page = seven
        .list_task_push_notification_configs(call(), list().with_page_size(3))
        .await;
    let page = page.unwrap();
    assert_eq!(
        (page.configs.len(), page.next_page_token.as_str()),
        (3, "3")
    );
    let endless = facade(One {
        endless: true,
        ..One::default()
    });
    let error = endless
        .list_task_push_notification_configs(call(), list())
        .await;
    assert!(error.unwrap_err().message().contains("no end"));
}

#[tokio::test]
async fn a_list_of_webhooks_has_as_many_bytes_as_can_be_held() {
    let of = |token_bytes| {
        facade(One {
            webhooks: 16,
            token_bytes,
            ..One::default()
        })
    };
    let list = ListTaskPushNotificationConfigsRequest::new;
    let mebibyte = 1 << 20;
    let all = of(mebibyte - 100)
        .list_task_push_notification_configs(call(), list())
        .await;
    assert_eq!(all.unwrap().configs.len(), 16);
    let large = of(mebibyte);
    let error = large
        .list_task_push_notification_configs(call(), list())
        .await
        .unwrap_err();
    assert!(error.is_resource_exhausted(), "{error:?}");
    assert!(error.message().contains("page size"), "{error:?}");
    // It ended with the page that was one too many, and pages are there all the same.
    assert_eq!(error.http_status(), 500);
    let page = large
        .list_task_push_notification_configs(call(), list().with_page_size(3))
        .await;
    assert_eq!(page.unwrap().configs.len(), 3);
}

#[tokio::test]
async fn without_an_id_the_first_webhook_is_meant() {
    let get = GetTaskPushNotificationConfigRequest::new;
    let one = facade(One {
        webhooks: 7,
        ..One::default()
    });
    let first = one.get_task_push_notification_config(call(), get()).await;
    assert_eq!(first.unwrap().id, "0");
    let none = facade(One::default());
    let error = none.get_task_push_notification_config(call(), get()).await;
    assert!(error.unwrap_err().is_task_not_found());
}

/// The events of a stream as routers write them: JSON of JSON-RPC, and protobuf.
async fn written(service: &dyn Dispatch) -> Vec<(Bytes, Bytes)> {
    let input = Input::Json(Bytes::from_static(br#"{"id":"t"}"#));
    let index = crate::v0_3::A2A_SERVICE
        .operations
        .iter()
        .position(|operation| operation.name == "TaskSubscription")
        .unwrap();
    let Ok(Reply::Stream(events)) = service.call(index, call(), input).await else {
        panic!("no stream");
    };
    let events: Vec<_> = events.collect().await;
    events
        .into_iter()
        .map(|event| event.unwrap())
        .map(|event| (event.json().unwrap(), event.proto().unwrap()))
        .collect()
}

#[tokio::test]
async fn an_event_is_written_once_for_all_who_read_it() {
    let events = [
        TaskState::Working,
        TaskState::AuthRequired,
        TaskState::Completed,
    ];
    let one = One {
        events: events.map(update).to_vec(),
        ..One::default()
    };
    let service = Facade::dispatch(BoxA2aService::new(one));
    let (first, second) = (written(&*service).await, written(&*service).await);
    assert_eq!(first.len(), 3);
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first.0.as_ptr(), second.0.as_ptr());
        assert_eq!(first.1.as_ptr(), second.1.as_ptr());
    }
    let text = |index: usize| String::from_utf8(first[index].0.to_vec()).unwrap();
    assert!(text(1).contains(r#""final":false"#), "{}", text(1));
    assert!(text(2).contains(r#""final":true"#), "{}", text(2));
}

#[tokio::test]
async fn who_waits_for_credentials_when_the_stream_ends_is_told_so() {
    let events = vec![update(TaskState::Working), update(TaskState::AuthRequired)];
    let one = One {
        events,
        ends: true,
        ..One::default()
    };
    let service = Facade::dispatch(BoxA2aService::new(one));
    let events = written(&*service).await;
    let text = |index: usize| String::from_utf8(events[index].0.to_vec()).unwrap();
    assert!(text(0).contains(r#""final":false"#), "{}", text(0));
    assert!(text(1).contains(r#""final":true"#), "{}", text(1));
}

#[tokio::test]
async fn what_v1_0_requires_is_asked_of_callers_of_v0_3_too() {
    let service = Facade::dispatch(BoxA2aService::new(One {
        webhooks: 1,
        ..One::default()
    }));
    let index = |name: &str| {
        let mut operations = crate::v0_3::A2A_SERVICE.operations.iter();
        operations
            .position(|operation| operation.name == name)
            .unwrap()
    };
    let ask = async |name: &str, params: &'static [u8]| {
        service
            .call(index(name), call(), Input::Json(Bytes::from_static(params)))
            .await
    };
    let error = ask("GetTask", b"").await.err().unwrap();
    assert_eq!(error.violations()[0].field, "id", "{error:?}");
    let error = ask(
        "SendMessage",
        br#"{"message":{"messageId":"m","role":"user","parts":[]}}"#,
    )
    .await;
    assert_eq!(error.err().unwrap().violations()[0].field, "message.parts");
    // The id of a webhook is the only exception.
    assert!(
        ask("GetTaskPushNotificationConfig", br#"{"id":"t"}"#)
            .await
            .is_ok()
    );
    let error = ask("GetTaskPushNotificationConfig", b"{}")
        .await
        .err()
        .unwrap();
    // Its task is called so in v0.3.
    assert_eq!(error.violations()[0].field, "id", "{error:?}");
}
