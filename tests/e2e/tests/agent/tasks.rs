//! Messages and what comes of them: answers, waiting and not, history, agents that fail.

use e2e::{Binding, Setup, at_once, brief, errors, request, state, string, text, to_task, within};
use serde_json::{Value, json};

/// The history as `user: text` and `agent: text`.
fn history(task: &Value) -> Vec<String> {
    let history = task["history"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let line = |message: &Value| {
        let who = if message["role"] == "ROLE_USER" {
            "user"
        } else {
            "agent"
        };
        format!("{who}: {}", text(message))
    };
    history.iter().map(line).collect()
}

#[tokio::test]
async fn return_immediately_answers_before_the_gate_opens() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        // The gate is closed: an answer that waited for it would never come.
        let gate = format!("{binding:?}");
        let task = client.send(at_once(request(&format!("work {gate}")))).await;
        assert!(["SUBMITTED", "WORKING"].contains(&state(&task)), "{task}");
        let id = string(&task, "/id");
        served.gates.gate(&gate).arrived(1).await;
        assert_eq!(state(&client.get(&id).await), "WORKING");
        served.gates.gate(&gate).open();
        assert_eq!(state(&client.finished(&id).await), "COMPLETED");
    }
}

#[tokio::test]
async fn a_call_waits_for_the_end_unless_told_otherwise() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        for explicit in [false, true] {
            let client = served.client(binding);
            let gate = served.gates.gate(&format!("{binding:?}-{explicit}"));
            let mut request = request(&format!("work {binding:?}-{explicit}"));
            if explicit {
                request["configuration"] = json!({"returnImmediately": false});
            }
            let waiting = tokio::spawn(async move { client.send(request).await });
            gate.arrived(1).await;
            // As good as a proof gets: another whole call is served meanwhile.
            served.client(binding).send(e2e::request("hi")).await;
            assert!(!waiting.is_finished());
            gate.open();
            let task = within(waiting).await.expect("the call");
            assert_eq!(state(&task), "COMPLETED", "{task}");
        }
    }
}

#[tokio::test]
async fn a_call_waits_only_until_the_task_waits_for_its_client() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (words, expected) in [
            ("ask which region?", "INPUT_REQUIRED"),
            ("ask-inside which region?", "INPUT_REQUIRED"),
            ("auth", "AUTH_REQUIRED"),
            ("auth-inside gate", "AUTH_REQUIRED"),
            ("reject", "REJECTED"),
            ("fail", "FAILED"),
        ] {
            let task = client.send(request(words)).await;
            assert_eq!(state(&task), expected, "{words} over {binding:?}: {task}");
            assert!(!text(&task).is_empty(), "it says why: {task}");
        }
    }
}

#[tokio::test]
async fn the_answer_has_the_latest_state_with_all_artifacts() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client.send(request("chunks a b c")).await;
        assert_eq!(text(&task["artifacts"][0]), "abc", "{task}");
        assert_eq!(task["artifacts"].as_array().map(Vec::len), Some(1));
        let time = string(&task, "/status/timestamp");
        assert!(time.ends_with('Z'), "{time}");
        assert_eq!(client.get(&string(&task, "/id")).await, task);
    }
    // ISO 8601 with at least milliseconds, over JSON.
    let task = served.client(Binding::Rest).send(request("hi")).await;
    let time = string(&task, "/status/timestamp");
    let (_, fraction) = time
        .split_once('.')
        .unwrap_or_else(|| panic!("{time} has milliseconds"));
    assert!([4, 7, 10].contains(&fraction.len()), "{time}");
}

#[tokio::test]
async fn a_message_reply_makes_no_task_and_its_stream_has_exactly_one_event() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for request in [request("hello"), at_once(request("hello"))] {
            let answer = client.ok("SendMessage", request).await;
            let message = &answer["message"];
            assert_eq!(
                (text(message).as_str(), &message["role"]),
                ("hello to you", &json!("ROLE_AGENT")),
                "{answer}"
            );
            assert!(
                !string(message, "/messageId").is_empty()
                    && !string(message, "/contextId").is_empty(),
                "{answer}"
            );
        }
        let events = client
            .events("SendStreamingMessage", request("hello"))
            .await
            .all()
            .await;
        assert_eq!(
            events.iter().map(brief).collect::<Vec<_>>(),
            ["message hello to you"],
            "{binding:?}"
        );
        assert_eq!(
            client
                .ok("ListTasks", json!({}))
                .await
                .get("tasks")
                .and_then(Value::as_array)
                .map(Vec::len)
                .unwrap_or(0),
            0
        );
    }
    assert_eq!(
        served
            .client(Binding::Rest)
            .ok("ListTasks", json!({}))
            .await["totalSize"],
        0
    );
}

#[tokio::test]
async fn history_length_holds_on_every_operation_that_has_it() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(&client.send(request("ask one?")).await, "/id");
        client.send(to_task(&id, "ask two?")).await;
        let all = ["user: ask one?", "agent: one?", "user: ask two?"];
        let newest = |length: Option<i64>| match length {
            None => all.to_vec(),
            Some(length) => all[3 - usize::try_from(length).expect("small").min(3)..].to_vec(),
        };
        for length in [None, Some(0), Some(1), Some(2), Some(3), Some(100)] {
            let mut get = json!({"id": id});
            let mut list = json!({});
            if let Some(length) = length {
                get["historyLength"] = length.into();
                list["historyLength"] = length.into();
            }
            let task = client.ok("GetTask", get).await;
            assert_eq!(history(&task), newest(length), "{binding:?} {length:?}");
            let listed = client.ok("ListTasks", list).await;
            let listed = listed["tasks"]
                .as_array()
                .expect("tasks")
                .iter()
                .find(|task| task["id"] == id.as_str())
                .cloned();
            let listed = listed.expect("the task is listed");
            assert_eq!(history(&listed), newest(length), "{binding:?} {length:?}");
            if length == Some(0) {
                assert_eq!(
                    (task.get("history"), listed.get("history")),
                    (None, None),
                    "the field is left out"
                );
            }
        }
        // The message is there, too, and counts.
        for (length, expected) in [
            (0, vec![]),
            (1, vec!["user: report fine"]),
            (2, vec!["agent: two?", "user: report fine"]),
        ] {
            let id = string(&client.send(request("ask one?")).await, "/id");
            client.send(to_task(&id, "ask two?")).await;
            let mut last = to_task(&id, "report fine");
            last["configuration"] = json!({"historyLength": length});
            assert_eq!(
                history(&client.send(last).await),
                expected,
                "{binding:?} {length}"
            );
        }
    }
}

#[tokio::test]
async fn tasks_that_have_ended_take_no_message() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for words in ["report done", "fail", "reject", "ask what?"] {
            let id = string(&client.send(request(words)).await, "/id");
            if words.starts_with("ask") {
                client.ok("CancelTask", json!({"id": id})).await;
            }
            let before = client.get(&id).await;
            for operation in ["SendMessage", "SendStreamingMessage"] {
                let fault = client.fault(operation, to_task(&id, "more")).await;
                fault.assert_is(errors::UNSUPPORTED_OPERATION);
                assert!(
                    fault.message.contains(state(&before)),
                    "it names the state: {fault:?}"
                );
            }
            assert_eq!(client.get(&id).await, before, "nothing was written");
        }
    }
}

#[tokio::test]
async fn a_message_to_a_task_that_is_worked_on_reaches_its_agent() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let asked = client.send(request("ask-inside which?")).await;
        assert_eq!(state(&asked), "INPUT_REQUIRED");
        let task = client
            .send(to_task(&string(&asked, "/id"), "this one"))
            .await;
        assert_eq!(
            (state(&task), text(&task).as_str()),
            ("COMPLETED", "this one"),
            "{task}"
        );
        assert_eq!(
            history(&task),
            ["user: ask-inside which?", "agent: which?", "user: this one"]
        );
    }
}

#[tokio::test]
async fn what_was_read_stays_as_it_was() {
    // A task that has been handed out does not change with later turns.
    let served = Setup::new().start().await;
    let client = served.client(Binding::JsonRpc);
    let id = string(&client.send(request("ask one?")).await, "/id");
    let mut stream = client.events("SubscribeToTask", json!({"id": id})).await;
    let opening = stream.next().await.expect("the task");
    let read = client.get(&id).await;
    assert_eq!(opening["task"], read);
    client.send(to_task(&id, "report fine")).await;
    assert_eq!(state(&read), "INPUT_REQUIRED");
    assert_eq!(
        history(&client.get(&id).await).len(),
        3,
        "and the history is added to"
    );
}
