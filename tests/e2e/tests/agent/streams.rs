//! Streams (specification 3.1.2, 3.1.6, 3.5.2, 9.4.2, 11.7): events, their order, their framing.

use std::time::Duration;

use e2e::{Binding, Setup, brief, request, state, string, text, to_task};
use serde_json::json;

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
