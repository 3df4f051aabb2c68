//! Gateways between all bindings and versions: every call has the answer that it has without one.

use a2a_kit::v1_0::{CancelTaskRequest, GetTaskRequest, SubscribeToTaskRequest, TaskState};
use a2a_kit::{A2aService as _, BoxA2aService};
use e2e::{Binding, Served, Setup, within};
use futures_util::StreamExt as _;

use super::{
    V0_3, V1_0, at_once, brief, briefs, call, client, gate_name, request, send, serving, to_task,
};

/// Runs a test through all of them; it gets the agent, a client of it, and one of the gateway.
async fn through_all(test: impl AsyncFn(&Served, BoxA2aService, BoxA2aService)) {
    let agent = serving(Setup::new(), &[V1_0, V0_3]).start().await;
    let direct = || client(agent.addr, Binding::JsonRpc, V1_0);
    let mut ways = 0;
    for far in Binding::ALL {
        for far_version in [V1_0, V0_3] {
            let upstream = client(agent.addr, far, far_version);
            let gateway = serving(Setup::new(), &[V1_0, V0_3])
                .start_service(upstream)
                .await;
            for near in Binding::ALL {
                for near_version in [V1_0, V0_3] {
                    println!("{near:?} {near_version} to {far:?} {far_version}");
                    let near = client(gateway.addr, near, near_version);
                    test(&agent, direct(), near).await;
                    ways += 1;
                }
            }
        }
    }
    assert_eq!(ways, 3 * 2 * 3 * 2);
}

#[tokio::test]
async fn messages_have_the_same_answers() {
    through_all(async |_, direct, gateway| {
        for words in [
            "report all is well, é😀\u{2028}",
            "ask which region?",
            "auth",
            "fail",
        ] {
            let expected = send(&direct, request(words)).await;
            let found = send(&gateway, request(words)).await;
            assert_eq!(found.state(), expected.state(), "{words}");
            let parts = |task: &a2a_kit::v1_0::Task| {
                let artifacts = task.artifacts.iter();
                artifacts
                    .map(|each| (each.name.clone(), each.parts.clone()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(parts(&found), parts(&expected), "{words}");
            // It is the same task on both sides.
            let get = || GetTaskRequest::new().with_id(&found.id);
            let far = direct.get_task(call(), get()).await.unwrap();
            let near = gateway.get_task(call(), get()).await.unwrap();
            assert_eq!(*near, *far, "{words}");
        }
        let asked = send(&gateway, request("ask which region?")).await;
        let answered = send(&gateway, to_task(&asked.id, "report north")).await;
        assert_eq!(
            (answered.state(), answered.id),
            (TaskState::Completed, asked.id)
        );
        let missing = gateway
            .get_task(call(), GetTaskRequest::new().with_id("none"))
            .await;
        assert!(missing.unwrap_err().is_task_not_found());
    })
    .await;
}

#[tokio::test]
async fn streams_have_the_same_events() {
    through_all(async |agent, direct, gateway| {
        for words in [
            "chunks A B C",
            "report x",
            "fail",
            "ask whom?",
            "hello there",
        ] {
            let expected = direct.send_streaming_message(call(), request(words)).await;
            let found = gateway.send_streaming_message(call(), request(words)).await;
            assert_eq!(
                briefs(found.unwrap()).await,
                briefs(expected.unwrap()).await,
                "{words}"
            );
        }
        let name = gate_name();
        let task = send(&gateway, at_once(request(&format!("work {name}")))).await;
        let subscribe = SubscribeToTaskRequest::new().with_id(&task.id);
        let mut events = gateway.subscribe_to_task(call(), subscribe).await.unwrap();
        let first = within(events.next()).await.unwrap().unwrap();
        assert!(brief(&first).starts_with("task "), "{first:?}");
        let cancel = CancelTaskRequest::new().with_id(&task.id);
        let canceled = gateway.cancel_task(call(), cancel).await.unwrap();
        assert_eq!(canceled.state(), TaskState::Canceled);
        assert_eq!(briefs(events).await.last().unwrap(), "Canceled");
        agent.gates.gate(&name).open();
    })
    .await;
}
