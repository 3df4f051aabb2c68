//! Agents that fail, time that runs out, clients that leave: no task hangs, and none is disturbed.

use std::time::Duration;

use e2e::{Binding, Setup, errors, request, state, string, text, to_task, within};
use serde_json::json;

#[tokio::test]
async fn an_agent_that_panics_or_fails_leaves_no_task_hanging() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (words, said) in [
            ("panic", "failed"),
            ("error", "the register is closed"),
            ("bad-append", "append"),
            ("no-parts", "parts"),
        ] {
            // Blocking: the caller gets the task.
            let task = client.send(request(words)).await;
            assert_eq!(state(&task), "FAILED", "{words}: {task}");
            assert!(text(&task).contains(said), "{words}: {task}");
            assert!(
                !text(&task).contains("scripted agent was told to"),
                "a panic's words are for the log: {task}"
            );
            // Not blocking, and streaming.
            let id = client.start(words).await;
            assert_eq!(state(&client.finished(&id).await), "FAILED", "{words}");
            let events = client
                .events("SendStreamingMessage", request(words))
                .await
                .briefs()
                .await;
            assert!(
                events
                    .last()
                    .is_some_and(|last| last.starts_with("FAILED ")),
                "{words}: {events:?}"
            );
            // The next message works: a new task, and the answer to a task that failed is clean.
            assert_eq!(
                state(&client.send(request("hi")).await),
                "COMPLETED",
                "{words}"
            );
            client
                .fault("SendMessage", to_task(&id, "again"))
                .await
                .assert_is(errors::UNSUPPORTED_OPERATION);
        }
        for words in ["hello-panic", "hello-error"] {
            let fault = client.fault("SendMessage", request(words)).await;
            fault.assert_plain();
            assert!(
                !fault.message.contains("scripted agent was told to"),
                "{fault:?}"
            );
            assert_eq!(
                text(&client.ok("SendMessage", request("hello")).await["message"]),
                "hello to you"
            );
        }
    }
    assert_eq!(
        served
            .client(Binding::Rest)
            .ok("ListTasks", json!({"status": "TASK_STATE_WORKING"}))
            .await["totalSize"],
        0
    );
}

#[tokio::test]
async fn an_answer_to_a_task_that_failed_while_it_was_asked_is_no_hang() {
    // The second turn fails: the blocking caller of that turn gets the task.
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for words in ["panic", "error"] {
            let id = string(&client.send(request("ask which?")).await, "/id");
            let task = client.send(to_task(&id, words)).await;
            assert_eq!(
                (state(&task), &task["id"]),
                ("FAILED", &json!(id)),
                "{task}"
            );
        }
    }
}

#[tokio::test]
async fn a_task_that_takes_longer_than_its_deadline_fails() {
    let limit = Duration::from_millis(200);
    let served = Setup::new()
        .engine(move |engine| engine.task_timeout(limit))
        .start()
        .await;
    for binding in Binding::ALL {
        let task = served.client(binding).send(request("work never")).await;
        assert_eq!(state(&task), "FAILED", "{task}");
        assert!(text(&task).contains("200ms"), "{task}");
    }
    served.gates.gate("never").left(3).await;
}

#[tokio::test]
async fn a_blocking_call_ends_when_its_client_leaves_and_the_task_goes_on() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        // An answer without a task lives as long as its call: that it ends can be seen at the gate.
        let name = format!("{binding:?}");
        let gate = served.gates.gate(&name);
        let client = served.client(binding);
        let call = |words: String| {
            let client = served.client(binding);
            tokio::spawn(async move { client.call("SendMessage", request(&words)).await })
        };
        let direct = call(format!("hello-work {name}"));
        gate.arrived(1).await;
        direct.abort();
        gate.left(1).await;

        let blocking = call(format!("work {name}"));
        gate.arrived(2).await;
        blocking.abort();
        assert!(blocking.await.is_err_and(|error| error.is_cancelled()));
        let working = client
            .ok("ListTasks", json!({"status": "TASK_STATE_WORKING"}))
            .await;
        let id = string(&working, "/tasks/0/id");
        gate.open();
        assert_eq!(state(&client.finished(&id).await), "COMPLETED");
    }
}

#[tokio::test]
async fn a_call_whose_grpc_deadline_has_passed_ends_and_the_task_goes_on() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    let fault = client
        .clone()
        .header("grpc-timeout", "500m")
        .fault("SendMessage", request("work gate"))
        .await;
    assert_eq!(fault.code, 4, "DEADLINE_EXCEEDED: {fault:?}");
    let listed = client.ok("ListTasks", json!({})).await;
    let id = string(&listed, "/tasks/0/id");
    served.gates.gate("gate").open();
    assert_eq!(state(&client.finished(&id).await), "COMPLETED");
}

#[tokio::test]
async fn a_client_that_drops_its_stream_changes_nothing_for_the_task() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let name = format!("{binding:?}");
        let gate = served.gates.gate(&name);
        let mut stream = client
            .events("SendStreamingMessage", request(&format!("steps {name} 3")))
            .await;
        let first = stream.next().await.expect("the task");
        let id = string(&first, "/task/id");
        let mut other = client.events("SubscribeToTask", json!({"id": id})).await;
        assert!(other.brief().await.starts_with("task "));
        gate.let_pass(1);
        assert_eq!(stream.brief().await, "WORKING 0");
        drop(stream);
        gate.open();
        assert_eq!(
            other.briefs().await,
            ["WORKING 0", "WORKING 1", "WORKING 2", "COMPLETED"],
            "{binding:?}"
        );
        let task = client.get(&id).await;
        assert_eq!(state(&task), "COMPLETED", "{task}");
    }
}

#[tokio::test]
async fn a_task_that_nobody_waits_for_is_finished_all_the_same() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let name = format!("{binding:?}");
        let mut stream = client
            .events("SendStreamingMessage", request(&format!("steps {name} 2")))
            .await;
        let id = string(&stream.next().await.expect("the task"), "/task/id");
        drop(stream);
        let gate = served.gates.gate(&name);
        gate.open();
        gate.left(2).await;
        assert_eq!(state(&client.finished(&id).await), "COMPLETED");
    }
}

#[tokio::test]
async fn nothing_is_kept_at_hand_of_tasks_that_have_ended() {
    // An agent that takes no notice of a cancellation is waited for no longer than that.
    let grace = Duration::from_millis(10);
    let served = Setup::new()
        .engine(move |engine| engine.cancel_grace(grace))
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for words in ["report done", "ask what?", "panic", "hello"] {
            client.ok("SendMessage", request(words)).await;
            client
                .events("SendStreamingMessage", request(words))
                .await
                .all()
                .await;
        }
        drop(
            client
                .events("SendStreamingMessage", request("flood 300 100"))
                .await,
        );
        let canceled = client.start("work gate").await;
        client.ok("CancelTask", json!({"id": canceled})).await;
    }
    // The last readers are about to go.
    within(async {
        while served.live_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
