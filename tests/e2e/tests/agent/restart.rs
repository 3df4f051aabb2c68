//! What becomes of tasks whose process is gone, as their clients see it on every binding.

use std::sync::Arc;
use std::time::Duration;

use a2a_kit::store::MemoryStore;
use e2e::{Binding, Served, Setup, request, state, string, text, to_task};
use tokio::runtime::{Builder, Runtime};

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all();
    builder.build().expect("a runtime")
}

fn agent(store: &Arc<MemoryStore>) -> Setup {
    let store = Arc::clone(store);
    // Short, since time is not stopped here: who takes over waits until it has run out.
    Setup::new().engine(|engine| engine.store(store).lease(Duration::from_millis(100)))
}

/// An agent for as long as `call` takes; then nothing of it is executed any more, and nobody has
/// cleaned up.
fn crashing<T>(store: &Arc<MemoryStore>, call: impl AsyncFnOnce(&Served) -> T) -> T {
    let runtime = runtime();
    let outcome = runtime.block_on(async { call(&agent(store).start().await).await });
    runtime.shutdown_background();
    outcome
}

#[test]
fn a_parked_task_fails_with_a_message_or_goes_on_as_its_agent_says() {
    for binding in Binding::ALL {
        let store = Arc::new(MemoryStore::new());
        let [brittle, lasting] = crashing(&store, async |served| {
            let client = served.client(binding);
            let brittle = client.send(request("ask-inside which region?")).await;
            let lasting = client
                .send(request("lasting ask-inside which region?"))
                .await;
            [brittle, lasting].map(|task| {
                assert_eq!(state(&task), "INPUT_REQUIRED");
                string(&task, "/id")
            })
        });
        runtime().block_on(async {
            let served = agent(&store).start().await;
            let client = served.client(binding);
            let failed = client.send(to_task(&brittle, "China")).await;
            assert_eq!(state(&failed), "FAILED");
            assert!(
                text(&failed).contains("send your message in a new task"),
                "{failed}"
            );
            let briefs = client
                .events("SendStreamingMessage", to_task(&lasting, "China"))
                .await
                .briefs()
                .await;
            assert_eq!(briefs, ["task WORKING", "COMPLETED China"], "{binding:?}");
            let done = client.get(&lasting).await;
            let said: Vec<String> = done["history"]
                .as_array()
                .expect("a history")
                .iter()
                .map(text)
                .collect();
            assert_eq!(
                said,
                ["lasting ask-inside which region?", "which region?", "China"]
            );
            // Nothing of how that is kept is shown.
            assert!(
                done.get("metadata")
                    .is_none_or(|metadata| metadata == &serde_json::json!({})),
                "{done}"
            );
        });
    }
}

#[test]
fn who_subscribes_to_a_task_of_a_process_that_is_gone_sees_it_end() {
    let store = Arc::new(MemoryStore::new());
    let tasks = crashing(&store, async |served| {
        let client = served.client(Binding::Rest);
        let mut tasks = Vec::new();
        for number in 1..=Binding::ALL.len() {
            tasks.push(client.start("work gate").await);
            served.gates.gate("gate").arrived(number).await;
        }
        tasks
    });
    runtime().block_on(async {
        let served = agent(&store).start().await;
        for (binding, task) in Binding::ALL.into_iter().zip(tasks) {
            let client = served.client(binding);
            let subscription = serde_json::json!({"id": task});
            let briefs = client
                .events("SubscribeToTask", subscription)
                .await
                .briefs()
                .await;
            assert_eq!(briefs.len(), 2, "{briefs:?}");
            assert_eq!(briefs[0], "task WORKING");
            assert!(briefs[1].starts_with("FAILED the process"), "{briefs:?}");
        }
    });
}
