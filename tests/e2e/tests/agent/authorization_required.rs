//! Authorization in the middle of a task (specification 7.6): the client is told, streams stay open, and
//! the task goes on when it has been granted by another way, or told by a message.

use e2e::{Binding, Setup, request, state, string, text, to_task};

#[tokio::test]
async fn a_grant_by_another_way_goes_on_with_the_task_and_its_open_streams() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let mut events = client
            .events("SendStreamingMessage", request("auth-wait it"))
            .await;
        let opening = events.next().await.expect("a task");
        let id = string(&opening, "/task/id");
        assert_eq!(events.brief().await, "AUTH_REQUIRED grant it");
        // Who reads and subscribes now sees it waiting.
        assert_eq!(state(&client.get(&id).await), "AUTH_REQUIRED");
        let mut second = client
            .events("SubscribeToTask", serde_json::json!({"id": id}))
            .await;
        assert_eq!(second.brief().await, "task AUTH_REQUIRED");
        assert!(served.handles.grant("it", "s3cret"));
        assert!(!served.handles.grant("it", "again"));
        for events in [events, second] {
            let briefs = events.briefs().await;
            assert_eq!(
                briefs,
                ["WORKING", r#"COMPLETED granted "s3cret""#],
                "{binding:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_call_that_waits_is_answered_when_it_is_asked_for() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client.send(request("auth-wait it")).await;
        assert_eq!(
            (state(&task), text(&task).as_str()),
            ("AUTH_REQUIRED", "grant it")
        );
        let id = string(&task, "/id");
        assert!(served.handles.grant("it", "s3cret"));
        // Without a further call of its client.
        let done = client.finished(&id).await;
        assert_eq!(
            (state(&done), text(&done).as_str()),
            ("COMPLETED", r#"granted "s3cret""#)
        );
    }
}

#[tokio::test]
async fn a_message_is_told_to_the_agent_and_grants_nothing() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client.send(request("auth-wait it")).await;
        let told = client
            .send(to_task(&string(&task, "/id"), "I will not"))
            .await;
        assert_eq!(
            (state(&told), text(&told).as_str()),
            ("COMPLETED", "told I will not")
        );
        assert!(!served.handles.grant("it", "late"));
    }
}
