//! The extended card: what callers who are known may see of the agent.
//!
//! Comes in: a call and its tenant. Goes out: a card that has no faults, or why there is none.
//!
//! Specification 3.1.11 and 13.3 say that the caller must be authenticated by one of the schemes of
//! the public card. So a caller who is not known is refused where that card has schemes, also when it
//! lets such callers do everything else. Where it has none, nobody can be known by the rules of the
//! protocol: then everybody gets the extended card, and the log says so when the engine is built.

use std::sync::Arc;

use a2a_wire::__codegen::Violation;
use a2a_wire::v1_0::{AgentCard, GetExtendedAgentCardRequest};

use super::access::{AccessRequest, Action, Deed, refused};
use super::core::Core;
use crate::card::{card_faults, speaks_v0_3};
use crate::{BoxFuture, CallContext, Code, Error, Shared};

type Maker = dyn Fn(CallContext, String) -> BoxFuture<'static, Result<Option<AgentCard>, Error>>
    + Send
    + Sync;

/// JSON-RPC's code for callers who are not known; see `auth`.
const JSON_RPC_CODE: i32 = -32000;

/// Where extended cards come from.
#[derive(Clone)]
pub(super) enum Extended {
    /// It is the same for all.
    Fixed(Shared<AgentCard>),
    /// It depends on the call and the tenant.
    Made(Arc<Maker>),
}

impl Extended {
    pub(super) fn made<Fut>(
        make: impl Fn(CallContext, String) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<Option<AgentCard>, Error>> + Send + 'static,
    {
        Self::Made(Arc::new(move |call, tenant| Box::pin(make(call, tenant))))
    }

    /// What is wrong with it, as far as that can be said beforehand.
    pub(super) fn faults(&self, public: &AgentCard) -> Vec<Violation> {
        let faults = match self {
            Self::Fixed(card) => faults(card, public),
            Self::Made(_) => Vec::new(),
        };
        let within = |fault: Violation| Violation {
            field: format!("extendedCard.{}", fault.field),
            description: fault.description,
        };
        faults.into_iter().map(within).collect()
    }
}

/// True when callers can be known by what the card says.
pub(super) fn knows_callers(card: &AgentCard) -> bool {
    !card.security_schemes.is_empty() || !card.security_requirements.is_empty()
}

impl Core {
    pub(super) async fn extended_card(
        &self,
        call: CallContext,
        request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        let operation = "GetExtendedAgentCard";
        self.require(operation)?;
        let tenant = self.tenant(&call, request.tenant).await?;
        self.require_of(&tenant, operation)?;
        if call.caller().id().is_none() && knows_callers(&self.card) {
            let request = AccessRequest {
                operation,
                action: Action::Read,
                call: &call,
                tenant: Some(&*tenant).filter(|tenant| !tenant.is_empty()),
                task: None,
            };
            refused(
                &request,
                &Code::Unauthenticated.name(),
                "the caller is not known",
            );
            return Err(Error::new(
                Code::Unauthenticated,
                "the extended agent card is for callers who are known: send credentials as the agent card says",
            )
            .with_json_rpc_code(JSON_RPC_CODE));
        }
        let deed = Deed {
            operation,
            action: Action::Read,
            task: None,
        };
        let reach = self.reach_in(&call, Arc::clone(&tenant), deed).await?;
        if reach.scopes().is_empty() {
            return Err(not_configured());
        }
        let own = self.tenant_facts.get(&*tenant);
        if let Some(card) = own.and_then(|own| own.extended_card.as_ref()) {
            return Ok(card.clone());
        }
        match &self.extended {
            Some(Extended::Made(make)) => {
                let card = make(call, tenant.to_string()).await?;
                self.checked(card.ok_or_else(not_configured)?)
            }
            // It leads to interfaces of the agent, which are not the tenant's.
            Some(Extended::Fixed(card)) if own.is_none_or(|own| own.card.is_none()) => {
                Ok(card.clone())
            }
            Some(Extended::Fixed(_)) | None => Err(not_configured()),
        }
    }

    /// A card that was made for a call, if it is one.
    fn checked(&self, card: AgentCard) -> Result<Shared<AgentCard>, Error> {
        let faults = faults(&card, &self.card);
        if faults.is_empty() {
            return Ok(Shared::new(card));
        }
        let faults = Error::invalid(faults);
        tracing::error!(
            card = card.name,
            "the extended agent card is faulty: {faults}"
        );
        Err(Error::internal("the extended agent card is faulty").with_source(faults))
    }
}

/// What is wrong with an extended card, beside the public one.
fn faults(card: &AgentCard, public: &AgentCard) -> Vec<Violation> {
    let mut faults = card_faults(card);
    if speaks_v0_3(public) && !speaks_v0_3(card) {
        faults.push(Violation {
            field: "supportedInterfaces".into(),
            description: "must have an interface of version 0.3, as the public card has: its callers could not read this one".into(),
        });
    }
    faults
}

fn not_configured() -> Error {
    Error::extended_agent_card_not_configured(
        "the card declares an extended agent card, but none is configured",
    )
}
