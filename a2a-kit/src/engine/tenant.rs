//! Which tenants there are, and what is particular to each of them.
//!
//! Comes in: the tenant that a call names. Goes out: the one that it is about, or why there is none; and
//! what the tenant's own card says, where it has one.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use a2a_wire::__codegen::Violation;
use a2a_wire::v1_0::{AgentCard, Message};

use super::core::Core;
use super::media::Modes;
use crate::card::{card_faults, interface_faults, speaks_v0_3, tenant_card_faults};
use crate::{A2A_SERVICE, BoxFuture, CallContext, CardAdmission, Error, Shared};

type Resolver =
    dyn Fn(CallContext, String) -> BoxFuture<'static, Result<String, Error>> + Send + Sync;

/// Which tenants an agent has. A tenant keeps tasks apart; it is no proof of who calls: whoever may
/// call the agent may name any tenant that it has. Where a caller belongs to a tenant, a resolver
/// says so: see [`Tenants::resolved_by`].
///
/// A call without a tenant is always about the tasks of no tenant, except with a resolver, which
/// decides about it, too. Version 0.3 has no tenants, so its calls name none.
#[derive(Clone)]
#[non_exhaustive]
pub enum Tenants {
    /// None: a call that names one is refused.
    None,
    /// These.
    Declared(BTreeSet<String>),
    /// Any that a call names.
    Any,
    /// What a function makes of what a call names; see [`Tenants::resolved_by`].
    #[doc(hidden)]
    Resolved(Arc<Resolver>),
}

impl Tenants {
    /// These tenants.
    ///
    /// ```
    /// # use a2a_kit::engine::Tenants;
    /// let tenants = Tenants::declared(["north", "south"]);
    /// ```
    #[must_use]
    pub fn declared<T: Into<String>>(tenants: impl IntoIterator<Item = T>) -> Self {
        Self::Declared(tenants.into_iter().map(Into::into).collect())
    }

    /// Tenants that a function decides about. It gets the call and the tenant that it names (empty
    /// for none), and returns the tenant whose tasks it is about, or refuses it.
    ///
    /// ```
    /// use a2a_kit::{CallContext, Error, engine::Tenants};
    ///
    /// // Everybody has the tenant that their token names, and no other.
    /// let tenants = Tenants::resolved_by(async |call: CallContext, named: String| {
    ///     let own = call.caller().claim("tenant").and_then(|tenant| tenant.as_str());
    ///     match own {
    ///         Some(own) if named.is_empty() || named == own => Ok(own.to_owned()),
    ///         _ => Err(Error::invalid_field("tenant", "is none of yours")),
    ///     }
    /// });
    /// ```
    #[must_use]
    pub fn resolved_by<Fut>(
        resolve: impl Fn(CallContext, String) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<String, Error>> + Send + 'static,
    {
        Self::Resolved(Arc::new(move |call, tenant| {
            Box::pin(resolve(call, tenant))
        }))
    }

    /// The tenants that a card's interfaces name.
    pub(super) fn of(card: &AgentCard) -> Self {
        let named: BTreeSet<String> = card
            .supported_interfaces
            .iter()
            .map(|interface| interface.tenant.clone())
            .filter(|tenant| !tenant.is_empty())
            .collect();
        if named.is_empty() {
            Self::None
        } else {
            Self::Declared(named)
        }
    }

    /// The same, with these besides.
    pub(super) fn and(self, names: impl Iterator<Item = String>) -> Self {
        let mut names = names.peekable();
        match self {
            Self::None if names.peek().is_some() => Self::Declared(names.collect()),
            Self::Declared(mut tenants) => {
                tenants.extend(names);
                Self::Declared(tenants)
            }
            others => others,
        }
    }

    /// What is wrong with the versions of a tenant's card.
    fn version_faults(&self, card: &AgentCard) -> Vec<Violation> {
        // A resolver may know the tenant by the caller.
        if matches!(self, Self::Resolved(_)) || !speaks_v0_3(card) {
            return Vec::new();
        }
        vec![Violation {
            field: "supportedInterfaces".into(),
            description: "must have no interface of version 0.3, which has no tenants: its calls would arrive at none; see Tenants::resolved_by".into(),
        }]
    }

    async fn resolve(&self, call: &CallContext, tenant: String) -> Result<String, Error> {
        match self {
            Self::Resolved(resolve) => resolve(call.clone(), tenant).await,
            Self::Any => Ok(tenant),
            Self::None | Self::Declared(_) if tenant.is_empty() => Ok(tenant),
            Self::Declared(tenants) if tenants.contains(&tenant) => Ok(tenant),
            Self::Declared(_) => Err(unknown(
                &tenant,
                "is no tenant of this agent; send the tenant of the interface in the agent card that you call",
            )),
            Self::None => Err(unknown(&tenant, "must be empty: this agent has no tenants")),
        }
    }
}

fn unknown(tenant: &str, description: &str) -> Error {
    // What a client of v0.3 gets when its path is read as one of v1.0.
    let hint = "; paths that begin with /v1/ belong to protocol version 0.3, version 1.0 has no such prefix";
    let hint = if tenant == "v1" { hint } else { "" };
    Error::invalid_field("tenant", format!("{description}{hint}"))
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Declared(tenants) => f.debug_tuple("Declared").field(tenants).finish(),
            Self::Any => f.write_str("Any"),
            Self::Resolved(_) => f.write_str("Resolved(..)"),
        }
    }
}

/// A tenant that is not like the agent as a whole: it has a card of its own.
///
/// ```
/// use a2a_kit::engine::Tenant;
/// use a2a_kit::v1_0::AgentCard;
///
/// fn north(card: &AgentCard) -> Tenant {
///     let mut own = card.clone();
///     own.name = "Checks for the north".into();
///     for interface in &mut own.supported_interfaces {
///         interface.tenant = "north".into();
///     }
///     Tenant::new("north").card(own)
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Tenant {
    pub(super) name: String,
    pub(super) card: Option<AgentCard>,
    pub(super) extended_card: Option<AgentCard>,
}

impl Tenant {
    /// A tenant by the name that calls have in their field `tenant`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            card: None,
            extended_card: None,
        }
    }

    /// Its card. Which media types it takes and what can be asked of it follows from this card, and no
    /// longer from the agent's. A server shows it when it is given
    /// [`Engine::tenant_cards`](super::Engine::tenant_cards).
    ///
    /// All of its interfaces name the tenant. It may not promise what the agent's card does not, and
    /// asks for the same credentials: both are decided about before the tenant is known.
    #[must_use]
    pub fn card(mut self, card: AgentCard) -> Self {
        self.card = Some(card);
        self
    }

    /// The card for `GetExtendedAgentCard`.
    #[must_use]
    pub fn extended_card(mut self, card: AgentCard) -> Self {
        self.extended_card = Some(card);
        self
    }
}

/// What the engine keeps of a [`Tenant`].
pub(super) struct TenantFacts {
    pub(super) card: Option<AgentCard>,
    pub(super) extended_card: Option<Shared<AgentCard>>,
    admission: Option<CardAdmission>,
    /// `None` when the agent's hold.
    modes: Option<Modes>,
}

impl TenantFacts {
    /// Checks a tenant against the agent's card. `faults` gets what is wrong with it.
    pub(super) fn of(
        tenant: Tenant,
        agent: &AgentCard,
        tenants: &Tenants,
        faults: &mut Vec<Violation>,
    ) -> Self {
        let Tenant {
            name,
            card,
            extended_card,
        } = tenant;
        let mut add = |of: &str, found: Vec<Violation>| {
            faults.extend(found.into_iter().map(|fault| Violation {
                field: format!("tenants[{name:?}].{of}.{}", fault.field),
                description: fault.description,
            }));
        };
        if let Some(card) = &card {
            add("card", tenant_card_faults(&name, card, agent));
            add("card", tenants.version_faults(card));
        }
        if let Some(card) = &extended_card {
            add("extendedCard", card_faults(card));
            add("extendedCard", interface_faults(&name, card));
            add("extendedCard", tenants.version_faults(card));
        }
        Self {
            admission: card.as_ref().map(CardAdmission::new),
            modes: card.as_ref().map(Modes::of),
            card,
            extended_card: extended_card.map(Shared::new),
        }
    }
}

impl Core {
    /// The tenant that a call is about; empty for none.
    pub(super) async fn tenant(
        &self,
        call: &CallContext,
        named: String,
    ) -> Result<Arc<str>, Error> {
        let tenant = self.tenants.resolve(call, named).await?;
        if let Some(limits) = call.limits() {
            limits.enter_tenant(&tenant)?;
        }
        Ok(Arc::from(tenant))
    }

    /// Refuses an operation whose capability the tenant's card does not declare.
    pub(super) fn require_of(&self, tenant: &str, operation: &str) -> Result<(), Error> {
        let own = self.tenant_facts.get(tenant);
        let admission = own.and_then(|own| own.admission.as_ref());
        require(admission.unwrap_or(&self.admission), operation)
    }

    /// Refuses parts of media types that the tenant does not take.
    pub(super) fn check_modes(&self, tenant: &str, message: &Message) -> Result<(), Error> {
        let own = self.tenant_facts.get(tenant);
        let own = own.and_then(|own| own.modes.as_ref());
        match &self.modes {
            Some(modes) => own.unwrap_or(modes).check(message),
            None => Ok(()),
        }
    }
}

pub(super) fn require(admission: &CardAdmission, operation: &str) -> Result<(), Error> {
    let mut known = A2A_SERVICE.operations.iter();
    match known.find(|known| known.name == operation) {
        Some(operation) => admission.admit_capability(operation),
        None => Err(Error::unimplemented(operation)),
    }
}
