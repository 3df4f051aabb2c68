//! The snippets do what the guide says: they run against an agent, on each binding.

use std::time::Duration;

use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext, artifact};
use a2a_kit::client::Client;
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState};
use a2a_kit::{Binding, Server};
use docs::SNIPPETS;
use tokio::net::TcpListener;

/// Ends what hangs.
const LIMIT: Duration = Duration::from_secs(30);

/// Asks for the region when it is missing.
struct Checks;

impl Agent for Checks {
    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        if !task.text().contains("region: China") {
            return Ok(Reply::input_required("Which region is it in?"));
        }
        task.working("Checking").await?;
        Ok(Reply::completed().with_artifact(artifact("report", "no risks")))
    }
}

fn card(url: &str) -> AgentCard {
    let skill = AgentSkill::new()
        .with_id("check")
        .with_name("Check")
        .with_description("Checks a supplier.")
        .with_tags(["risk"]);
    AgentCard::new()
        .with_name("Checks")
        .with_description("An agent for the guide.")
        .with_version("0.1.0")
        .with_supported_interfaces(["JSONRPC", "HTTP+JSON", "GRPC"].map(|binding| {
            AgentInterface::new()
                .with_url(url)
                .with_protocol_binding(binding)
                .with_protocol_version("1.0")
        }))
        .with_capabilities(
            AgentCapabilities::new()
                .with_streaming(true)
                .with_push_notifications(true)
                .with_extended_agent_card(true),
        )
        .with_default_input_modes(["text/plain", "application/json", "application/pdf"])
        .with_default_output_modes(["text/plain"])
        .with_skills([skill])
}

#[tokio::test]
async fn every_snippet_runs_on_every_binding() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let card = card(&url);
    let engine = Engine::builder(Checks, card.clone())
        .extended_card(card.clone())
        .build()
        .unwrap();
    let server = Server::builder(engine, card).build().unwrap();
    tokio::spawn(async move { server.serve(listener).await });

    let mut faults = Vec::new();
    for binding in [Binding::JsonRpc, Binding::Rest, Binding::Grpc] {
        for snippet in SNIPPETS {
            let client = Client::builder()
                .bindings([binding])
                .connect(&url)
                .await
                .unwrap();
            let asked = client.message("Check Star River Tech").send().await;
            let task = asked.unwrap().into_task().unwrap();
            assert_eq!(task.state(), TaskState::InputRequired);
            match tokio::time::timeout(LIMIT, (snippet.run)(client, task)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    faults.push(format!("{} over {binding:?}: {error}", snippet.place))
                }
                Err(_) => faults.push(format!("{} over {binding:?}: not done", snippet.place)),
            }
        }
    }
    assert!(SNIPPETS.len() > 12, "{} snippets", SNIPPETS.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
