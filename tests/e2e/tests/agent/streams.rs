//! Streams (specification 3.1.2, 3.1.6, 3.5.2, 9.4.2, 11.7): events, their order, their framing,
//! and when they end.

use std::time::Duration;

use a2a_kit::v1_0::{SendMessageRequest, StreamResponse, Task, TaskStatus, stream_response};
use a2a_kit::{A2aService, CallContext, Error, EventStream, Shared};
use e2e::{Binding, Setup, brief, errors, request, state, string, text, to_task, within};
use serde_json::{Value, json};

#[tokio::test]
async fn a_stream_opens_with_the_task_and_goes_on_in_order() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let events = client
            .events("SendStreamingMessage", request("chunks a b c"))
            .await
            .all()
            .await;
        let briefs: Vec<String> = events.iter().map(brief).collect();
        assert_eq!(
            briefs,
            [
                "task SUBMITTED",
                "artifact a",
                "artifact +b",
                "artifact +c !",
                "COMPLETED"
            ],
            "{binding:?}"
        );
        let (id, context) = (
            string(&events[0], "/task/id"),
            string(&events[0], "/task/contextId"),
        );
        let artifact = string(&events[1], "/artifactUpdate/artifact/artifactId");
        for event in &events[1..] {
            let inner = event
                .as_object()
                .and_then(|event| event.values().next())
                .expect("an event");
            assert_eq!(
                (&inner["taskId"], &inner["contextId"]),
                (&json!(id), &json!(context)),
                "{event}"
            );
            if let Some(update) = event.get("artifactUpdate") {
                assert_eq!(
                    update["artifact"]["artifactId"],
                    artifact.as_str(),
                    "{event}"
                );
            }
        }
        let task = client.get(&id).await;
        assert_eq!(text(&task["artifacts"][0]), "abc");
        assert_eq!(task["artifacts"].as_array().map(Vec::len), Some(1));
    }
}

#[tokio::test]
async fn a_follow_up_stream_opens_with_the_task_too() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(&client.send(request("ask what?")).await, "/id");
        let events = client
            .events("SendStreamingMessage", to_task(&id, "report this"))
            .await
            .briefs()
            .await;
        assert_eq!(
            events,
            ["task WORKING", "artifact this !", "COMPLETED"],
            "{binding:?}"
        );
    }
}

#[tokio::test]
async fn awkward_text_survives_on_one_line() {
    let served = Setup::new().start().await;
    let awkward =
        "é😀\u{2028}\u{2029}\u{85}\u{b}\u{c}\u{1c}\u{1e}\n\r\r\n\"\\ data: x\n\n: \u{feff}\u{0}end";
    for binding in Binding::ALL {
        let client = served.client(binding).id(json!(awkward));
        let request = request(&format!("ask {awkward}"));
        // The client fails when an event is more than one line, in whatever sense.
        let events = client
            .events("SendStreamingMessage", request.clone())
            .await
            .all()
            .await;
        let last = events.last().expect("an event");
        assert_eq!(
            (state(last), text(&last["statusUpdate"])),
            ("INPUT_REQUIRED", awkward.to_owned()),
            "{binding:?}"
        );
        assert_eq!(
            text(&events[0]["task"]["history"][0]),
            format!("ask {awkward}"),
            "{binding:?}"
        );
        assert_eq!(text(&client.send(request).await), awkward, "{binding:?}");
    }
}

#[tokio::test]
async fn large_events_are_one_line_as_well() {
    let served = Setup::new().start().await;
    let large = "x\u{2028}é".repeat(100_000);
    for binding in Binding::ALL {
        let client = served.client(binding);
        let events = client
            .events("SendStreamingMessage", request(&format!("report {large}")))
            .await
            .all()
            .await;
        assert_eq!(
            text(&events[1]["artifactUpdate"]["artifact"]),
            large,
            "{binding:?}"
        );
    }
}

#[tokio::test]
async fn an_event_is_one_data_line_and_nothing_else() {
    let served = Setup::new().start().await;
    for binding in Binding::JSON {
        let mut events = served
            .client(binding)
            .events("SendStreamingMessage", request("chunks a b"))
            .await;
        let mut count = 0;
        while let Some(frame) = events.frame().await {
            assert_eq!(
                (frame.data.len(), frame.event.as_str(), frame.comments.len()),
                (1, "", 0),
                "{frame:?}"
            );
            count += 1;
        }
        assert_eq!(count, 4);
    }
}

#[tokio::test]
async fn a_silent_stream_carries_comments_in_the_configured_interval() {
    let setup = Setup::new().server(|server| server.keep_alive(Some(Duration::from_millis(20))));
    let served = setup.start().await;
    for binding in Binding::JSON {
        let name = format!("{binding:?}");
        let gate = served.gates.gate(&name);
        let client = served.client(binding);
        let mut events = client
            .events("SendStreamingMessage", request(&format!("work {name}")))
            .await;
        let mut comments = 0;
        let mut data = 0;
        while let Some(frame) = events.frame().await {
            comments += frame.comments.len();
            data += frame.data.len();
            if comments == 3 {
                gate.open();
            }
        }
        // The task, WORKING, COMPLETED.
        assert!(
            comments >= 3 && data == 3,
            "{comments} comments, {data} events"
        );
    }
    let silent = Setup::new()
        .server(|server| server.keep_alive(None))
        .start()
        .await;
    let mut events = silent
        .client(Binding::Rest)
        .events("SendStreamingMessage", request("work gate"))
        .await;
    silent.gates.gate("gate").arrived(1).await;
    silent.gates.gate("gate").open();
    while let Some(frame) = events.frame().await {
        assert!(frame.comments.is_empty(), "{frame:?}");
    }
}

#[tokio::test]
async fn a_stream_is_not_to_be_kept_back_or_kept() {
    let served = Setup::new().start().await;
    for binding in Binding::JSON {
        let events = served
            .client(binding)
            .events("SendStreamingMessage", request("hello"))
            .await;
        assert_eq!(events.headers["cache-control"], "no-cache");
        assert_eq!(events.headers["x-accel-buffering"], "no");
    }
}

#[tokio::test]
async fn each_event_is_sent_when_it_happens() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let name = format!("{binding:?}");
        let gate = served.gates.gate(&name);
        let mut events = served
            .client(binding)
            .events("SendStreamingMessage", request(&format!("steps {name} 3")))
            .await;
        assert_eq!(events.brief().await, "task SUBMITTED");
        for step in 0..3 {
            gate.let_pass(1);
            assert_eq!(events.brief().await, format!("WORKING {step}"));
        }
        assert_eq!(events.briefs().await, ["COMPLETED"]);
    }
}

#[tokio::test]
async fn several_readers_see_the_same_events_in_the_same_order() {
    let served = Setup::new().start().await;
    let gate = served.gates.gate("gate");
    let client = served.client(Binding::Rest);
    let mut first = client
        .events("SendStreamingMessage", request("steps gate 20"))
        .await;
    let id = string(&first.next().await.expect("the task"), "/task/id");
    let mut readers = Vec::new();
    for binding in Binding::ALL {
        for _ in 0..2 {
            let mut reader = served
                .client(binding)
                .events("SubscribeToTask", json!({"id": id}))
                .await;
            let opening = reader.next().await.expect("the task");
            assert_eq!(
                (string(&opening, "/task/id"), brief(&opening).as_str()),
                (id.clone(), "task SUBMITTED")
            );
            readers.push(reader);
        }
    }
    gate.let_pass(10);
    // One comes later, and begins with the task as it is then.
    gate.arrived(11).await;
    let mut late = served
        .client(Binding::JsonRpc)
        .events("SubscribeToTask", json!({"id": id}))
        .await;
    let opening = late.next().await.expect("the task");
    assert_eq!(
        (brief(&opening).as_str(), text(&opening["task"]).as_str()),
        ("task WORKING", "9")
    );
    // One leaves, which no other notices.
    drop(readers.pop());
    gate.open();

    let mut expected: Vec<String> = (0..20).map(|step| format!("WORKING {step}")).collect();
    expected.push("COMPLETED".into());
    assert_eq!(first.briefs().await, expected);
    for reader in readers {
        assert_eq!(reader.briefs().await, expected);
    }
    assert_eq!(late.briefs().await, expected[10..]);
}

#[tokio::test]
async fn a_slow_reader_loses_nothing() {
    const COUNT: usize = 600;
    let served = Setup::new().start().await;
    let mut slow = Vec::new();
    for binding in Binding::ALL {
        let client = served.client(binding);
        let mut events = client
            .events(
                "SendStreamingMessage",
                request(&format!("flood {COUNT} 10000")),
            )
            .await;
        let id = string(&events.next().await.expect("the task"), "/task/id");
        slow.push((client, id, events));
    }
    for (client, id, events) in slow {
        // It does not read before the task has ended, and then all of it.
        assert_eq!(state(&client.finished(&id).await), "COMPLETED");
        let events = events.all().await;
        assert_eq!(events.len(), COUNT + 1);
        for (index, event) in events[..COUNT].iter().enumerate() {
            assert_eq!(
                event["artifactUpdate"]["artifact"]["name"],
                index.to_string(),
                "{}",
                client_name(&client)
            );
        }
        assert_eq!(brief(&events[COUNT]), "COMPLETED");
    }
}

fn client_name(client: &e2e::Client) -> String {
    format!("{:?}", client.binding())
}

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
