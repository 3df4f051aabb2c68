//! The agent: its card, and what it does with a message.

use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext, artifact};
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Message, Role};

use crate::check::{Ending, Step, next_step};

/// The one skill of the agent.
pub(crate) const SKILL: &str = "supplier-due-diligence";

/// Checks suppliers. It keeps nothing between the turns of a task: what was said before is in the
/// task's history.
#[derive(Debug, Default)]
pub(crate) struct DueDiligence;

impl Agent for DueDiligence {
    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        let mut turns = user_texts(task.history());
        turns.push(task.text());
        match next_step(turns.iter().map(String::as_str)) {
            Step::Ask(question) => Ok(Reply::input_required(question)),
            Step::Report(report) => {
                task.working(report.progress()).await?;
                let report_file = artifact("due-diligence-report", report.text());
                Ok(Reply::completed()
                    .with_artifact(report_file)
                    .with_message(report.done()))
            }
            Step::Ending(Ending::Reject) => Ok(Reply::rejected(
                "This agent checks suppliers and nothing else",
            )),
            Step::Ending(Ending::Fail) => Err(AgentError::new(
                "The register of suppliers cannot be reached",
            )),
            Step::Ending(Ending::Slow) => {
                task.working("This takes until you cancel it").await?;
                task.cancellation().cancelled().await;
                Err(AgentError::new("The check was canceled"))
            }
        }
    }
}

/// What the user wrote in earlier turns.
fn user_texts(history: &[Message]) -> Vec<String> {
    let messages = history
        .iter()
        .filter(|message| message.role() == Role::User);
    let parts = messages.flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match &part.content {
            Some(Content::Text(text)) => Some(text.clone()),
            _ => None,
        })
        .collect()
}

/// The card of an agent whose port clients reach at `authority`, such as `127.0.0.1:8080`.
pub(crate) fn card(authority: &str) -> AgentCard {
    let base = format!("http://{authority}");
    let skill = AgentSkill::new()
        .with_id(SKILL)
        .with_name("Supplier check")
        .with_description("Checks one supplier and writes a report of three lines; asks for the region when it is missing.")
        .with_tags(["procurement", "risk"])
        .with_examples(["请尽调星河科技", "Check Star River Tech, region: China"]);
    AgentCard::new()
        .with_name("供应商尽调 Agent")
        .with_description("Checks suppliers, in Chinese and English. An example of a2a-kit: its answers are made up.")
        .with_version(env!("CARGO_PKG_VERSION"))
        // The newest version comes first: clients take the first interface that they can speak.
        .with_supported_interfaces(["1.0", "0.3"].into_iter().flat_map(|version| {
            [
                interface(&base, "JSONRPC", version),
                interface(&base, "HTTP+JSON", version),
                // Clients of gRPC take an authority; with a scheme in front, many cannot connect.
                interface(authority, "GRPC", version),
            ]
        }))
        .with_capabilities(AgentCapabilities::new().with_streaming(true).with_push_notifications(false))
        .with_default_input_modes(["text/plain"])
        .with_default_output_modes(["text/plain"])
        .with_skills([skill])
}

fn interface(url: &str, binding: &str, version: &str) -> AgentInterface {
    AgentInterface::new()
        .with_url(url)
        .with_protocol_binding(binding)
        .with_protocol_version(version)
}
