//! A small agent of version 1.1.
//!
//! Comes in: messages. Goes out: a task for each that repeats it, and uses everything that version
//! 1.1 added.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use a2a_kit::{CallContext, Error, EventStream, Shared};
use futures_util::{StreamExt as _, stream};
use next_version::v1_1::{
    A2aService, AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Artifact,
    GetExtendedAgentCardRequest, GetTaskRequest, Message, PauseTaskRequest, SendMessageRequest,
    SendMessageResponse, StreamResponse, TASK_NOT_FOUND, Task, TaskArtifactUpdateEvent, TaskState,
    TaskStatus, TaskStatusUpdateEvent,
};

pub(crate) const PRIORITY: i32 = 7;

#[derive(Debug, Default)]
pub(crate) struct Echo {
    tasks: Mutex<BTreeMap<String, Task>>,
}

/// Describes it: all bindings in both versions, streams, an extended card.
pub(crate) fn card() -> AgentCard {
    let interfaces = ["1.1", "1.0"].into_iter().flat_map(|version| {
        ["JSONRPC", "HTTP+JSON", "GRPC"].map(|binding| {
            AgentInterface::new()
                .with_url("http://127.0.0.1/")
                .with_protocol_binding(binding)
                .with_protocol_version(version)
        })
    });
    AgentCard::new()
        .with_name("Echo")
        .with_description("Repeats what it is told.")
        .with_version("0.1.0")
        .with_supported_interfaces(interfaces)
        .with_capabilities(
            AgentCapabilities::new()
                .with_streaming(true)
                .with_extended_agent_card(true),
        )
        .with_default_input_modes(["text/plain"])
        .with_default_output_modes(["text/plain"])
        .with_skills([AgentSkill::new()
            .with_id("echo")
            .with_name("Echo")
            .with_description("Repeats.")
            .with_tags(["echo"])])
}

fn status(state: TaskState) -> TaskStatus {
    TaskStatus::new().with_state(state)
}

fn artifact(message: &Message) -> Artifact {
    Artifact::new()
        .with_artifact_id("echo")
        .with_summary("what was said")
        .with_parts(message.parts.clone())
}

impl Echo {
    fn begin(&self, message: Message) -> Task {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let task = Task::new()
            .with_id(format!("t{}", tasks.len() + 1))
            .with_context_id("c1")
            .with_status(status(TaskState::Completed))
            .with_priority(PRIORITY)
            .with_artifacts([artifact(&message)])
            .with_history([message]);
        tasks.insert(task.id.clone(), task.clone());
        task
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Task)) -> Result<Shared<Task>, Error> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let task = tasks
            .get_mut(id)
            .ok_or_else(|| Error::from_spec(&TASK_NOT_FOUND, format!("there is no task {id}")))?;
        change(task);
        Ok(task.clone().into())
    }
}

fn message_of(request: SendMessageRequest) -> Result<Message, Error> {
    request
        .message
        .ok_or_else(|| Error::invalid_field("message", "is required"))
}

impl A2aService for Echo {
    async fn send_message(
        &self,
        _context: CallContext,
        request: SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        let task = self.begin(message_of(request)?);
        Ok(SendMessageResponse::task(task).into())
    }

    async fn send_streaming_message(
        &self,
        _context: CallContext,
        request: SendMessageRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        let message = message_of(request)?;
        let artifact = TaskArtifactUpdateEvent::new()
            .with_task_id("t1")
            .with_context_id("c1")
            .with_artifact(artifact(&message));
        let update = |state| {
            StreamResponse::status_update(
                TaskStatusUpdateEvent::new()
                    .with_task_id("t1")
                    .with_context_id("c1")
                    .with_status(status(state)),
            )
        };
        let events = [
            StreamResponse::task(self.begin(message)),
            StreamResponse::artifact_update(artifact),
            update(TaskState::Paused),
            update(TaskState::Completed),
        ];
        Ok(stream::iter(events)
            .map(|event| Ok(Shared::new(event)))
            .boxed())
    }

    async fn get_task(
        &self,
        _context: CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.change(&request.id, |_| {})
    }

    async fn pause_task(
        &self,
        _context: CallContext,
        request: PauseTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        self.change(&request.id, |task| {
            task.status = Some(status(TaskState::Paused));
        })
    }

    async fn get_extended_agent_card(
        &self,
        _context: CallContext,
        _request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        Ok(card().into())
    }
}
