//! Which operations an agent's card promises.
//!
//! Comes in: a card, and an operation. Goes out: nothing, or the error of specification 3.3.4, the
//! same from a server that is asked and from a client that does not ask.

use a2a_wire::v1_0::AgentCard;

use crate::error::Error;
use crate::service::OperationSpec;

/// The optional parts of the protocol that a card declares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    pub(crate) streaming: bool,
    pub(crate) push_notifications: bool,
    pub(crate) extended_agent_card: bool,
}

impl Capabilities {
    pub(crate) fn of(card: &AgentCard) -> Self {
        let declared = card.capabilities.as_ref();
        Self {
            streaming: declared.is_some_and(|declared| declared.streaming == Some(true)),
            push_notifications: declared
                .is_some_and(|declared| declared.push_notifications == Some(true)),
            extended_agent_card: declared
                .is_some_and(|declared| declared.extended_agent_card == Some(true)),
        }
    }

    /// Refuses an operation that needs what is not declared.
    pub(crate) fn admit(self, operation: &OperationSpec) -> Result<(), Error> {
        let name = operation.name;
        match operation.capability {
            None => Ok(()),
            Some("streaming") if self.streaming => Ok(()),
            Some("push_notifications") if self.push_notifications => Ok(()),
            Some("extended_agent_card") if self.extended_agent_card => Ok(()),
            Some("push_notifications") => Err(Error::push_notification_not_supported(format!(
                "{name} needs the capability pushNotifications, which this agent's card does not declare"
            ))),
            Some("streaming") => Err(Error::unsupported_operation(format!(
                "{name} needs the capability streaming, which this agent's card does not declare"
            ))),
            Some("extended_agent_card") => Err(Error::unsupported_operation(format!(
                "{name} needs the capability extendedAgentCard, which this agent's card does not declare"
            ))),
            Some(other) => Err(Error::unsupported_operation(format!(
                "{name} needs the capability {other}, which agent cards do not have"
            ))),
        }
    }
}
