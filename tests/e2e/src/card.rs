//! Agent cards for tests.

use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};

/// A card with all three bindings in version 1.0, all capabilities, and text as its only mode.
#[must_use]
pub fn full() -> AgentCard {
    let mut card = bare();
    let capabilities = capabilities(&mut card);
    capabilities.streaming = Some(true);
    capabilities.push_notifications = Some(true);
    capabilities.extended_agent_card = Some(true);
    card
}

/// The same without a capability.
#[must_use]
pub fn bare() -> AgentCard {
    let mut skill = AgentSkill::default();
    skill.id = "script".into();
    skill.name = "Script".into();
    skill.description = "Does what the text of the message says.".into();
    skill.tags = vec!["test".into()];
    let mut card = AgentCard::default();
    card.name = "Scripted".into();
    card.description = "An agent for tests.".into();
    card.version = "0.1.0".into();
    card.capabilities = Some(AgentCapabilities::default());
    card.default_input_modes = vec!["text/plain".into()];
    card.default_output_modes = vec!["text/plain".into()];
    card.skills = vec![skill];
    card.supported_interfaces = ["JSONRPC", "HTTP+JSON", "GRPC"]
        .into_iter()
        .map(|binding| interface(binding, ""))
        .collect();
    card
}

/// An interface in version 1.0. Its address is no matter: tests call the address that they got.
#[must_use]
pub fn interface(binding: &str, tenant: &str) -> AgentInterface {
    let mut interface = AgentInterface::default();
    interface.url = "http://127.0.0.1:8080/".into();
    interface.protocol_binding = binding.into();
    interface.protocol_version = "1.0".into();
    interface.tenant = tenant.into();
    interface
}

/// The capabilities, to be changed.
pub fn capabilities(card: &mut AgentCard) -> &mut AgentCapabilities {
    card.capabilities.get_or_insert_default()
}

/// Declares an extension.
pub fn extension(card: &mut AgentCard, uri: &str, required: bool) {
    let mut extension = AgentExtension::default();
    extension.uri = uri.into();
    extension.required = required;
    capabilities(card).extensions.push(extension);
}
