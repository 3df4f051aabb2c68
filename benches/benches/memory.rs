//! What a finished echo task keeps in memory, in the engine and the memory store together. Fails
//! above 1.5 KB.
//!
//! Counted is what has been allocated and not been freed, as it was asked for. The tables of the
//! store grow in steps, so it is counted at many sizes, and the largest share of a task counts.

use std::process::ExitCode;

use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{
    AgentCard, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest,
    TaskState, send_message_response::Payload,
};
use a2a_kit::{A2aService as _, Binding, CallContext, ProtocolVersion};
use allocation_counter::measure;
use tokio::runtime::Runtime;

const LIMIT: i64 = 1536;
const STEPS: usize = 20;
const STEP: usize = 500;

#[derive(Clone, Copy)]
enum Echo {
    AsMessage,
    AsArtifact,
}

impl Agent for Echo {
    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        Ok(match self {
            Self::AsMessage => Reply::completed().with_message(task.text()),
            Self::AsArtifact => {
                Reply::completed().with_artifact(a2a_kit::agent::artifact("echo", task.text()))
            }
        })
    }
}

fn main() -> ExitCode {
    let message = largest_share(Echo::AsMessage, false);
    let artifact = largest_share(Echo::AsArtifact, false);
    let read = largest_share(Echo::AsMessage, true);
    println!("finished echo task whose answer is an artifact: {artifact} bytes");
    println!(
        "finished echo task that was just read: {read} bytes (until the bounded cache forgets it)"
    );
    println!("finished echo task: {message} bytes (limit {LIMIT})");
    if message > LIMIT || artifact > LIMIT {
        eprintln!("a finished task keeps more memory than it may: see benches/README.md");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The most that a task's share of all tasks comes to while 10 000 of them are made.
fn largest_share(agent: Echo, read: bool) -> i64 {
    // One thread: the counter counts one.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime starts");
    let mut card = AgentCard::default();
    card.default_input_modes = vec!["text/plain".to_owned()];
    let engine = Engine::builder(agent, card)
        .build()
        .expect("the engine is built");
    // What is made once is made now.
    make(&runtime, &engine, 0..10, read);
    let mut kept = 0;
    let mut largest = 0;
    for step in 0..STEPS {
        let numbers = step * STEP..(step + 1) * STEP;
        kept += measure(|| make(&runtime, &engine, numbers, read)).bytes_current;
        largest = largest.max(kept / ((step + 1) * STEP) as i64);
    }
    // Otherwise something else than tasks has been measured.
    let mut request = ListTasksRequest::default();
    request.status = TaskState::Completed as i32;
    let listed = runtime
        .block_on(engine.list_tasks(call(), request))
        .expect("tasks are listed");
    assert_eq!(listed.total_size as usize, STEPS * STEP + 10);
    largest
}

/// Makes tasks and waits until nobody works on them.
fn make(runtime: &Runtime, engine: &Engine, numbers: std::ops::Range<usize>, read: bool) {
    runtime.block_on(async {
        for number in numbers {
            let message = Message::new()
                // As long as the ids that clients make.
                .with_message_id(format!("{number:036}"))
                .with_role(Role::User)
                .with_parts([Part::text(format!(
                    "Is anybody there? I have asked {number} times."
                ))]);
            let mut request = SendMessageRequest::default();
            request.message = Some(message);
            let sent = engine
                .send_message(call(), request)
                .await
                .expect("the message is answered");
            let Some(Payload::Task(task)) = &sent.payload else {
                unreachable!("echo makes tasks")
            };
            if read {
                let mut request = GetTaskRequest::default();
                request.id.clone_from(&task.id);
                let task = engine
                    .get_task(call(), request)
                    .await
                    .expect("the task is there");
                task.json().expect("the task has a JSON form");
            }
        }
        while engine.live_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    });
}

fn call() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}
