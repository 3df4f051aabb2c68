//! Conversations of several turns (specification 3.4).

use e2e::{Binding, Client, Setup, errors, request, state, string, text, to_task};
use serde_json::{Value, json};

async fn total(client: &Client) -> Value {
    // Over JSON-RPC, since protobuf leaves zero out.
    client.ok("ListTasks", json!({})).await["totalSize"].clone()
}

fn in_context(context: &str, words: &str) -> Value {
    let mut request = request(words);
    request["message"]["contextId"] = context.into();
    request
}

#[tokio::test]
async fn a_context_id_is_made_when_there_is_none() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let (one, two) = (
            client.send(request("hi")).await,
            client.send(request("hi")).await,
        );
        let (one, two) = (string(&one, "/contextId"), string(&two, "/contextId"));
        assert!(!one.is_empty() && one != two, "{one} {two}");
        // The id can stand in a path as it is: there are clients that do not escape it.
        let id = string(&client.send(request("hi")).await, "/id");
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
            "{id}"
        );
    }
}

#[tokio::test]
async fn a_context_id_of_the_client_is_kept() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for context in ["c-9", "é / 😀", "not a uuid"] {
            let task = client.send(in_context(context, "ask what?")).await;
            assert_eq!(task["contextId"], context);
            assert_eq!(task["status"]["message"]["contextId"], context);
            assert_eq!(task["history"][0]["contextId"], context);
            let answer = client.ok("SendMessage", in_context(context, "hello")).await;
            assert_eq!(answer["message"]["contextId"], context);
            for event in client
                .events("SendStreamingMessage", in_context(context, "chunks a b"))
                .await
                .all()
                .await
            {
                let inner = event
                    .as_object()
                    .and_then(|event| event.values().next())
                    .expect("an event");
                assert_eq!(inner["contextId"], context, "{event}");
            }
        }
    }
}

#[tokio::test]
async fn a_follow_up_by_task_id_alone_has_the_context_of_its_task() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let first = client.send(request("ask which region?")).await;
        let (id, context) = (string(&first, "/id"), string(&first, "/contextId"));
        let second = client.send(to_task(&id, "report China")).await;
        assert_eq!(
            (string(&second, "/id"), string(&second, "/contextId")),
            (id, context.clone())
        );
        assert_eq!(
            (state(&second), text(&second["artifacts"][0]).as_str()),
            ("COMPLETED", "China")
        );
        for message in second["history"].as_array().expect("a history") {
            assert_eq!(message["contextId"], context.as_str(), "{message}");
        }
        // The same in a stream.
        let first = client.send(request("ask which region?")).await;
        let (id, context) = (string(&first, "/id"), string(&first, "/contextId"));
        for event in client
            .events("SendStreamingMessage", to_task(&id, "report China"))
            .await
            .all()
            .await
        {
            let inner = event
                .as_object()
                .and_then(|event| event.values().next())
                .expect("an event");
            assert_eq!(inner["contextId"], context.as_str(), "{event}");
        }
    }
}

#[tokio::test]
async fn a_follow_up_with_both_ids_goes_on_too() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let first = client.send(request("ask which region?")).await;
        let mut second = to_task(&string(&first, "/id"), "report China");
        second["message"]["contextId"] = first["contextId"].clone();
        assert_eq!(state(&client.send(second).await), "COMPLETED");
    }
}

#[tokio::test]
async fn a_task_and_a_context_that_do_not_belong_together_are_refused_before_anything_is_written() {
    let served = Setup::new().start().await;
    let counting = served.client(Binding::JsonRpc);
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(&client.send(request("ask which region?")).await, "/id");
        let other = client.send(request("ask something else?")).await;
        let (before, tasks) = (client.get(&id).await, total(&counting).await);
        for context in ["unknown", other["contextId"].as_str().expect("a context")] {
            for operation in ["SendMessage", "SendStreamingMessage"] {
                let mut wrong = to_task(&id, "report China");
                wrong["message"]["contextId"] = context.into();
                client
                    .fault(operation, wrong)
                    .await
                    .assert_invalid(&["message.contextId"]);
            }
        }
        assert_eq!(client.get(&id).await, before, "the task is as it was");
        assert_eq!(total(&counting).await, tasks, "no task has been made");
        assert_eq!(
            state(&client.send(to_task(&id, "report China")).await),
            "COMPLETED",
            "and it goes on"
        );
    }
}

#[tokio::test]
async fn an_unknown_task_id_never_makes_a_task() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (operation, id) in [
            ("SendMessage", "mine"),
            ("SendStreamingMessage", "mine"),
            ("SendMessage", "urn:uuid:7"),
        ] {
            client
                .fault(operation, to_task(id, "hi"))
                .await
                .assert_is(errors::TASK_NOT_FOUND);
            client
                .fault("GetTask", json!({"id": id}))
                .await
                .assert_is(errors::TASK_NOT_FOUND);
        }
    }
    assert_eq!(total(&served.client(Binding::JsonRpc)).await, 0);
}

#[tokio::test]
async fn a_context_without_a_task_id_starts_a_new_task_in_it() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let first = client.send(request("report one")).await;
        let context = string(&first, "/contextId");
        let second = client.send(in_context(&context, "report two")).await;
        assert_eq!(second["contextId"], context.as_str());
        assert_ne!(second["id"], first["id"]);
        let listed = client.ok("ListTasks", json!({"contextId": context})).await;
        assert_eq!(listed["totalSize"], 2, "{listed}");
    }
}

#[tokio::test]
async fn tasks_that_a_message_refers_to_must_be_there() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let known = string(&client.send(request("report one")).await, "/id");
        let mut refers = request("report two");
        refers["message"]["referenceTaskIds"] = json!([known]);
        let task = client.send(refers.clone()).await;
        assert_eq!(
            task["history"][0]["referenceTaskIds"],
            json!([known]),
            "{task}"
        );
        refers["message"]["referenceTaskIds"] = json!([known, "unknown"]);
        client
            .fault("SendMessage", refers)
            .await
            .assert_is(errors::TASK_NOT_FOUND);
    }
}

#[tokio::test]
async fn each_turn_sees_what_was_said_before() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(&client.send(request("ask one?")).await, "/id");
        client.send(to_task(&id, "ask two?")).await;
        let task = client.send(to_task(&id, "history")).await;
        assert_eq!(
            text(&task),
            "user: ask one?\nagent: one?\nuser: ask two?\nagent: two?"
        );
    }
}

#[tokio::test]
async fn the_bindings_can_change_in_the_middle_of_a_conversation() {
    let served = Setup::new().start().await;
    for (first, second) in [
        (Binding::Rest, Binding::Grpc),
        (Binding::Grpc, Binding::JsonRpc),
        (Binding::JsonRpc, Binding::Rest),
    ] {
        let id = string(
            &served
                .client(first)
                .send(request("ask which region?"))
                .await,
            "/id",
        );
        let task = served
            .client(second)
            .send(to_task(&id, "report China"))
            .await;
        assert_eq!(state(&task), "COMPLETED", "{first:?} {second:?}");
    }
}

#[tokio::test]
async fn an_authorization_that_was_asked_for_is_followed_by_the_next_message() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client.send(request("auth")).await;
        assert_eq!(state(&task), "AUTH_REQUIRED");
        let task = client
            .send(to_task(&string(&task, "/id"), "report granted"))
            .await;
        assert_eq!(state(&task), "COMPLETED");
    }
}

#[tokio::test]
async fn messages_that_come_at_once_are_all_kept_and_once_each() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let task = client.start("work gate").await;
    served.gates.gate("gate").arrived(1).await;
    let sends = (0..30).map(|index| {
        let client = served.client(Binding::ALL[index % 3]);
        let message = e2e::at_once(to_task(&task, &format!("more {index}")));
        tokio::spawn(async move { client.send(message).await })
    });
    let sends: Vec<_> = sends.collect();
    for send in sends {
        e2e::within(send).await.expect("the message is taken");
    }
    let kept = client.get(&task).await;
    let mut texts: Vec<String> = kept["history"]
        .as_array()
        .expect("a history")
        .iter()
        .map(text)
        .collect();
    assert_eq!(texts.remove(0), "work gate");
    texts.sort_unstable();
    let mut expected: Vec<String> = (0..30).map(|index| format!("more {index}")).collect();
    expected.sort_unstable();
    assert_eq!(texts, expected);
    served.gates.gate("gate").open();
}
