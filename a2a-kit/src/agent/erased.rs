//! The agent behind a pointer, so that the engine is compiled once for all agents.

use a2a_wire::v1_0::Task;

use super::{
    Agent, AgentError, AgentMessage, CancelContext, Handling, Incoming, MessageContext, OnRestart,
    Reply, TaskContext,
};
use crate::Error;
use crate::service::BoxFuture;

/// [`Agent`] with boxed futures. They call the author's method when first polled, so that a panic
/// at its very start is caught where all others are.
pub(crate) trait DynAgent: Send + Sync + 'static {
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error>;
    fn on_restart(&self, task: &Task) -> OnRestart;
    fn execute(&self, task: TaskContext) -> BoxFuture<'_, Result<Reply, AgentError>>;
    fn answer(&self, message: MessageContext) -> BoxFuture<'_, Result<AgentMessage, AgentError>>;
    fn cancel(&self, task: CancelContext) -> BoxFuture<'_, Result<(), AgentError>>;
}

impl<A: Agent> DynAgent for A {
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        Agent::accept(self, incoming)
    }

    fn on_restart(&self, task: &Task) -> OnRestart {
        Agent::on_restart(self, task)
    }

    fn execute(&self, task: TaskContext) -> BoxFuture<'_, Result<Reply, AgentError>> {
        Box::pin(async move { Agent::execute(self, task).await })
    }

    fn answer(&self, message: MessageContext) -> BoxFuture<'_, Result<AgentMessage, AgentError>> {
        Box::pin(async move { Agent::answer(self, message).await })
    }

    fn cancel(&self, task: CancelContext) -> BoxFuture<'_, Result<(), AgentError>> {
        Box::pin(async move { Agent::cancel(self, task).await })
    }
}
