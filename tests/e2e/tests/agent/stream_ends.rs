//! How streams end, by themselves and otherwise.

use a2a_kit::v1_0::{SendMessageRequest, StreamResponse, Task, TaskStatus, stream_response};
use a2a_kit::{A2aService, CallContext, Error, EventStream, Shared};
use e2e::{Binding, Setup, brief, errors, request, string, text, to_task, within};
use serde_json::{Value, json};

#[tokio::test]
async fn a_message_stream_closes_when_the_task_ends_or_asks() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (words, last) in [
            ("report done", "COMPLETED"),
            ("fail", "FAILED it did not work"),
            ("reject", "REJECTED not my trade"),
            ("error", "FAILED the register is closed"),
            ("ask what?", "INPUT_REQUIRED what?"),
            ("ask-inside what?", "INPUT_REQUIRED what?"),
            ("auth", "AUTH_REQUIRED grant it"),
        ] {
            let events = client
                .events("SendStreamingMessage", request(words))
                .await
                .briefs()
                .await;
            assert_eq!(
                events.last().map(String::as_str),
                Some(last),
                "{words} over {binding:?}: {events:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_message_stream_stays_open_at_auth_required_while_the_skill_runs() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let name = format!("{binding:?}");
        let mut events = served
            .client(binding)
            .events(
                "SendStreamingMessage",
                request(&format!("auth-inside {name}")),
            )
            .await;
        assert_eq!(events.brief().await, "task SUBMITTED");
        assert_eq!(events.brief().await, "AUTH_REQUIRED grant it");
        served.gates.gate(&name).open();
        assert_eq!(events.briefs().await, ["COMPLETED"]);
    }
}

#[tokio::test]
async fn a_subscription_stays_open_until_the_task_ends() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(&client.send(request("ask one?")).await, "/id");
        let mut events = client.events("SubscribeToTask", json!({"id": id})).await;
        assert_eq!(events.brief().await, "task INPUT_REQUIRED");
        client.send(to_task(&id, "ask two?")).await;
        assert_eq!(events.brief().await, "WORKING");
        assert_eq!(events.brief().await, "INPUT_REQUIRED two?");
        client.send(to_task(&id, "report fine")).await;
        assert_eq!(
            events.briefs().await,
            ["WORKING", "artifact fine !", "COMPLETED"],
            "{binding:?}"
        );
    }
}

#[tokio::test]
async fn a_subscription_to_a_task_that_has_ended_is_refused_without_a_stream() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for words in ["report done", "fail", "reject"] {
            let id = string(&client.send(request(words)).await, "/id");
            let fault = client
                .open("SubscribeToTask", json!({"id": id}))
                .await
                .expect_err("refused");
            fault.assert_is(errors::UNSUPPORTED_OPERATION);
        }
        let fault = client
            .open("SubscribeToTask", json!({"id": "unknown"}))
            .await
            .expect_err("refused");
        fault.assert_is(errors::TASK_NOT_FOUND);
    }
}

#[tokio::test]
async fn who_subscribes_again_sees_the_task_as_it_is_then() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let name = format!("{binding:?}");
        let gate = served.gates.gate(&name);
        let client = served.client(binding);
        let mut cut = client
            .events("SendStreamingMessage", request(&format!("steps {name} 4")))
            .await;
        let id = string(&cut.next().await.expect("the task"), "/task/id");
        gate.let_pass(1);
        cut.next().await;
        drop(cut);
        gate.let_pass(1);
        gate.arrived(3).await;
        let mut again = client.events("SubscribeToTask", json!({"id": id})).await;
        let opening = again.next().await.expect("the task");
        assert_eq!(
            (brief(&opening).as_str(), text(&opening["task"]).as_str()),
            ("task WORKING", "1"),
            "{opening}"
        );
        gate.open();
        assert_eq!(
            again.briefs().await,
            ["WORKING 2", "WORKING 3", "COMPLETED"]
        );
    }
}

/// Streams that break off with an error.
struct Broken;

impl A2aService for Broken {
    async fn send_streaming_message(
        &self,
        _context: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let panics = format!("{request:?}").contains("panic");
        let mut task = Task::default();
        task.id = "t1".into();
        task.status = Some(TaskStatus::default());
        let mut first = StreamResponse::default();
        first.payload = Some(stream_response::Payload::Task(task));
        let mut events = vec![Some(Ok(Shared::new(first)))];
        events.push(if panics {
            None
        } else {
            Some(Err(Error::task_not_found("it is gone")))
        });
        Ok(Box::pin(futures_util::stream::iter(
            events
                .into_iter()
                .map(|event| event.expect("the service was told to panic")),
        )))
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_is_told_in_the_way_of_its_binding() {
    let served = Setup::new().start_service(Broken).await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (words, panics) in [("break", false), ("panic", true)] {
            let mut events = client.events("SendStreamingMessage", request(words)).await;
            assert!(events.brief().await.starts_with("task"));
            let fault = events
                .try_next()
                .await
                .expect("an event")
                .expect_err("an error");
            if panics {
                fault.assert_plain();
                assert!(!fault.message.contains("told to panic"), "{fault:?}");
            } else {
                match binding {
                    Binding::Rest => assert_eq!(
                        (fault.code, fault.status.as_deref()),
                        (404, Some("NOT_FOUND"))
                    ),
                    Binding::JsonRpc => assert_eq!(fault.code, -32001),
                    Binding::Grpc => assert_eq!(fault.code, 5),
                }
                assert_eq!(fault.reason(), errors::TASK_NOT_FOUND.reason);
            }
            assert!(
                events.try_next().await.is_none(),
                "and then the stream ends"
            );
        }
    }
    // HTTP+JSON: an event of a type of its own, since a lenient reader would see an empty event.
    let mut events = served
        .client(Binding::Rest)
        .events("SendStreamingMessage", request("break"))
        .await;
    events.frame().await;
    let frame = events.frame().await.expect("the error");
    assert_eq!(
        (frame.event.as_str(), frame.data.len()),
        ("error", 1),
        "{frame:?}"
    );
    let value: Value = serde_json::from_str(&frame.data[0]).expect("JSON");
    assert_eq!(value["error"]["code"], 404);
    // JSON-RPC: a response like any other.
    let mut events = served
        .client(Binding::JsonRpc)
        .events("SendStreamingMessage", request("break"))
        .await;
    events.frame().await;
    let frame = events.frame().await.expect("the error");
    assert_eq!(
        (frame.event.as_str(), frame.data.len()),
        ("", 1),
        "{frame:?}"
    );
}

#[tokio::test]
async fn streams_end_with_their_server() {
    let served = Setup::new().start().await;
    let mut events = served
        .client(Binding::Rest)
        .events("SendStreamingMessage", request("work gate"))
        .await;
    assert_eq!(events.brief().await, "task SUBMITTED");
    served.gates.gate("gate").arrived(1).await;
    drop(served);
    let reading = tokio::spawn(async move { while events.frame().await.is_some() {} });
    // Cut or ended, it does not hang.
    let _ = within(reading).await;
}
