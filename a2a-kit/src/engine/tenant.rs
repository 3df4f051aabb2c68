//! Which tenants there are, and whose tasks a call is about.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use a2a_wire::v1_0::AgentCard;

use super::core::Core;
use crate::store::Scope;
use crate::{BoxFuture, CallContext, Code, Error};

type Resolver =
    dyn Fn(CallContext, String) -> BoxFuture<'static, Result<String, Error>> + Send + Sync;

/// Which tenants an agent has. A tenant keeps tasks apart; it is no proof of who calls.
///
/// A call without a tenant is always about the tasks of no tenant, except with a resolver, which
/// decides about it, too.
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
    /// let tenants = Tenants::resolved_by(async |_call: CallContext, named: String| {
    ///     if named.is_empty() { return Err(Error::invalid_field("tenant", "is required")); }
    ///     Ok(named.to_lowercase())
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

impl Core {
    /// Whose tasks a call is about: its tenant's and its caller's.
    pub(super) async fn scope(&self, call: &CallContext, tenant: String) -> Result<Scope, Error> {
        let owner = match call.caller().id() {
            // The same as anonymous, in a store.
            Some("") => {
                return Err(Error::new(
                    Code::Unauthenticated,
                    "the caller is known by an empty id, which is none",
                ));
            }
            Some(id) => id,
            None => "",
        };
        let tenant = self.tenants.resolve(call, tenant).await?;
        if let Some(limits) = call.limits() {
            limits.enter_tenant(&tenant)?;
        }
        Ok(Scope::new(tenant, owner))
    }
}
