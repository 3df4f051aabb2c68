//! The agent that is called, and its server.

use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::types::Timestamp;
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface};
use a2a_kit::{Error, Server};

use crate::sample;

/// Says what it was told; asked for `large`, with the ten artifacts of [`sample::task`].
struct Echo;

impl Agent for Echo {
    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        let mut reply = Reply::completed().with_message(task.text());
        if task.text() == "large" {
            for artifact in sample::task().artifacts {
                reply = reply.with_artifact(artifact);
            }
        }
        Ok(reply)
    }
}

/// A server of the agent. Its clock stands still: times of one length make answers of one length.
///
/// # Errors
/// When the card has faults.
pub fn server(url: &str) -> Result<Server, Error> {
    let engine = Engine::builder(Echo, card(url))
        .clock(|| Timestamp::new(1_767_310_445, 678_000_000))
        .build()?;
    Server::builder(engine, card(url)).build()
}

/// The agent's card, with its two HTTP interfaces at one address.
#[must_use]
pub fn card(url: &str) -> AgentCard {
    let mut card = AgentCard::default();
    card.name = "Echo".to_owned();
    card.description = "Says what it was told.".to_owned();
    card.version = "1".to_owned();
    card.capabilities = Some(AgentCapabilities::default());
    card.default_input_modes = vec!["text/plain".to_owned()];
    for binding in ["JSONRPC", "HTTP+JSON"] {
        let mut interface = AgentInterface::default();
        interface.url = url.to_owned();
        interface.protocol_binding = binding.to_owned();
        interface.protocol_version = "1.0".to_owned();
        card.supported_interfaces.push(interface);
    }
    card
}
