//! CancelTask (specification 3.1.5, 3.3.1).

use e2e::{Binding, Setup, errors, request, state, string, text, to_task};
use serde_json::{Value, json};

fn id(task: &str) -> Value {
    json!({"id": task})
}

#[tokio::test]
async fn a_task_that_is_worked_on_is_canceled_and_its_agent_stops() {
    let served = Setup::new().start().await;
    for (round, binding) in Binding::ALL.into_iter().enumerate() {
        let client = served.client(binding);
        let gate = served.gates.gate("gate");
        let task = client.start("work gate").await;
        gate.arrived(round + 1).await;
        let canceled = client.ok("CancelTask", id(&task)).await;
        assert_eq!(
            (state(&canceled), string(&canceled, "/id")),
            ("CANCELED", task.clone())
        );
        assert_eq!(client.get(&task).await, canceled);
    }
}

#[tokio::test]
async fn what_an_agent_does_afterwards_changes_nothing() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let name = format!("{binding:?}");
        let gate = served.gates.gate(&name);
        let task = client.start(&format!("deaf {name}")).await;
        gate.arrived(1).await;
        let canceled = client.ok("CancelTask", id(&task)).await;
        assert_eq!(state(&canceled), "CANCELED");
        gate.open();
        gate.left(1).await;
        // Its reply comes too late. Another task of the agent shows that it has come.
        client.send(request("hi")).await;
        assert_eq!(client.get(&task).await, canceled);
    }
}

#[tokio::test]
async fn canceled_is_canceled_however_often_it_is_asked_for() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = string(&client.send(request("ask what?")).await, "/id");
        let first = client.ok("CancelTask", id(&task)).await;
        let second = client.ok("CancelTask", id(&task)).await;
        assert_eq!((state(&first), &second), ("CANCELED", &first));
    }
}

#[tokio::test]
async fn tasks_that_ended_otherwise_cannot_be_canceled_and_stay_as_they_are() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for words in ["report done", "fail", "reject", "panic"] {
            let task = client.send(request(words)).await;
            let fault = client.fault("CancelTask", id(&string(&task, "/id"))).await;
            fault.assert_is(errors::TASK_NOT_CANCELABLE);
            assert!(
                fault.message.contains(state(&task)),
                "it names the state: {fault:?}"
            );
            assert_eq!(client.get(&string(&task, "/id")).await, task);
        }
    }
}

#[tokio::test]
async fn tasks_that_wait_for_their_client_can_be_canceled() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for words in ["ask what?", "ask-inside what?", "auth", "auth-inside gate"] {
            let task = string(&client.send(request(words)).await, "/id");
            assert_eq!(
                state(&client.ok("CancelTask", id(&task)).await),
                "CANCELED",
                "{words}"
            );
            client
                .fault("SendMessage", to_task(&task, "more"))
                .await
                .assert_is(errors::UNSUPPORTED_OPERATION);
        }
    }
}

#[tokio::test]
async fn an_agent_may_refuse_and_its_task_goes_on() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let name = format!("{binding:?}");
        let task = client.start(&format!("steadfast work {name}")).await;
        let fault = client.fault("CancelTask", id(&task)).await;
        fault.assert_is(errors::TASK_NOT_CANCELABLE);
        assert!(fault.message.contains("this must be finished"), "{fault:?}");
        served.gates.gate(&name).open();
        assert_eq!(state(&client.finished(&task).await), "COMPLETED");
    }
}

#[tokio::test]
async fn a_canceled_task_ends_its_streams_and_the_calls_that_wait_for_it() {
    let served = Setup::new().start().await;
    for (round, binding) in Binding::ALL.into_iter().enumerate() {
        let client = served.client(binding);
        let mut stream = client
            .events("SendStreamingMessage", request("work gate"))
            .await;
        let task = string(&stream.next().await.expect("the task"), "/task/id");
        served.gates.gate("gate").arrived(round + 1).await;
        let subscription = client.events("SubscribeToTask", id(&task)).await;
        let waiter = client.clone();
        let words = to_task(&task, "more");
        let waiting = tokio::spawn(async move { waiter.send(words).await });
        client.ok("CancelTask", id(&task)).await;
        assert_eq!(
            stream.briefs().await.last().map(String::as_str),
            Some("CANCELED")
        );
        assert_eq!(
            subscription.briefs().await.last().map(String::as_str),
            Some("CANCELED")
        );
        // The message either came in time, and its call ends with the task, or was too late.
        match e2e::within(waiting).await {
            Ok(task) => assert_eq!(state(&task), "CANCELED"),
            Err(error) => assert!(error.is_panic(), "refused: {error}"),
        }
    }
}

#[tokio::test]
async fn of_a_cancellation_and_an_end_that_race_one_wins_and_everybody_sees_which() {
    let served = Setup::new().start().await;
    let (mut canceled, mut completed) = (0, 0);
    for round in 0..30 {
        let client = served.client(Binding::ALL[round % 3]);
        let name = format!("race-{round}");
        let gate = served.gates.gate(&name);
        let task = client.start(&format!("work {name}")).await;
        gate.arrived(1).await;
        let stream = client.events("SubscribeToTask", id(&task)).await;
        // Who is first is left to the scheduler; both ends are seen over the rounds or not.
        let cancel = client.call("CancelTask", id(&task));
        let (outcome, ()) = if round % 2 == 0 {
            gate.open();
            (cancel.await, ())
        } else {
            tokio::join!(cancel, async { gate.open() })
        };
        let seen = client.finished(&task).await;
        match outcome {
            Ok(answer) => {
                assert_eq!(
                    (state(&answer.value), state(&seen)),
                    ("CANCELED", "CANCELED")
                );
                canceled += 1;
            }
            Err(fault) => {
                fault.assert_is(errors::TASK_NOT_CANCELABLE);
                assert_eq!(state(&seen), "COMPLETED");
                completed += 1;
            }
        }
        let briefs = stream.briefs().await;
        assert_eq!(
            briefs.last().map(String::as_str),
            Some(state(&seen)),
            "{briefs:?}"
        );
        assert_eq!(client.get(&task).await, seen, "an end is an end");
    }
    assert_eq!(canceled + completed, 30);
}

#[tokio::test]
async fn many_cancellations_at_once_have_one_result() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    let task = client.start("work gate").await;
    served.gates.gate("gate").arrived(1).await;
    let calls = (0..12).map(|index| {
        let (client, request) = (served.client(Binding::ALL[index % 3]), id(&task));
        tokio::spawn(async move { client.ok("CancelTask", request).await })
    });
    let calls: Vec<_> = calls.collect();
    for call in calls {
        assert_eq!(
            state(&e2e::within(call).await.expect("an answer")),
            "CANCELED"
        );
    }
    let task = client.get(&task).await;
    assert_eq!((state(&task), text(&task).as_str()), ("CANCELED", ""));
}
