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
            let client = Client::builder().require_version(peer.version);
            Ok(client.connect(&peer.card_url).await?)
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
            for modes in [&card.default_input_modes, &card.default_output_modes] {
                ensure(modes.iter().any(|mode| mode == "text/plain"), || {
                    format!("text/plain is not among {modes:?}")
                })?;
            }
            Ok(())
        })
        .await?;
    let version = peer.version.to_string();
    steps
        .step(&format!("the three bindings in version {version}"), async {
            let interfaces = card.supported_interfaces.iter();
            let offered: Vec<_> = interfaces
                .filter(|one| one.protocol_version == version)
                .map(|one| one.protocol_binding.as_str())
                .collect();
            equal("bindings", offered, ["JSONRPC", "HTTP+JSON", "GRPC"])?;
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
