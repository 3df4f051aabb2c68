//! The agent's card, and the longer one.

use a2a_kit::Binding;
use a2a_kit::client::Client;
use a2a_kit::v1_0::AgentCard;

use crate::peer::Peer;
use crate::report::{Played, Steps, ensure, equal};
use crate::script::SKILL;
use crate::session::{Session, refused};

/// Looks at the card of a peer; hands out the bindings to drive.
pub(crate) async fn card(steps: &Steps, peer: &Peer) -> Played<Vec<Binding>> {
    let client = steps
        .step("the card is found", async {
            Ok(Client::connect(&peer.card_url).await?)
        })
        .await?;
    let card = client.card();
    steps
        .step("names, skill and capabilities", async {
            let named = [&card.name, &card.description, &card.version];
            ensure(named.iter().all(|name| !name.is_empty()), || {
                format!("{named:?}")
            })?;
            equal("skills", skills(&card), [SKILL])?;
            let capabilities = card.capabilities.clone().unwrap_or_default();
            equal("streaming", capabilities.streaming, Some(true))?;
            equal(
                "input modes",
                card.default_input_modes.as_slice(),
                ["text/plain"],
            )?;
            equal(
                "output modes",
                card.default_output_modes.as_slice(),
                ["text/plain"],
            )
        })
        .await?;
    steps
        .step("the three bindings in version 1.0", async {
            let interfaces = card.supported_interfaces.iter();
            let offered: Vec<_> = interfaces
                .map(|one| (one.protocol_binding.as_str(), one.protocol_version.as_str()))
                .collect();
            equal(
                "interfaces",
                offered,
                [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("GRPC", "1.0")],
            )?;
            equal(
                "the one that is called",
                client.interface().protocol_binding.as_str(),
                "JSONRPC",
            )
        })
        .await?;
    Ok(vec![Binding::JsonRpc, Binding::Rest, Binding::Grpc])
}

pub(super) async fn extended(session: &Session) -> Played {
    let steps = &session.steps;
    let client = &session.client;
    if session.declared().extended_agent_card == Some(true) {
        return steps
            .step("the extended card has one skill more", async {
                let name = client.card().name.clone();
                let extended = client.extended_card().await?;
                equal("name", &extended.name, &name)?;
                equal("skills", skills(&extended), [SKILL, "supplier-history"])?;
                equal(
                    "skills from now on",
                    skills(&client.card()),
                    skills(&extended),
                )?;
                // It still knows where to call.
                refused(client.get_task("no-such-task").await, "TASK_NOT_FOUND")
            })
            .await;
    }
    steps
        .step("the extended card is refused", async {
            refused(client.extended_card().await, "UNSUPPORTED_OPERATION")
        })
        .await
}

fn skills(card: &AgentCard) -> Vec<&str> {
    card.skills.iter().map(|skill| skill.id.as_str()).collect()
}
