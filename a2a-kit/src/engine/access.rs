//! Whose tasks a call may see: those of its caller, unless an [`Authorizer`] says otherwise.
//!
//! Comes in: a call, its operation and its tenant. Goes out: the scopes in which the store is asked,
//! best first, or a refusal. Of tasks it knows ids only; the store has not been asked yet.
//!
//! Every task belongs to one owner: whoever was the caller when it was made, or whom the authorizer
//! named then. Callers who have not been authenticated are all one owner, so where nobody says who
//! they are, everybody sees everything. A task of another owner does not exist: it is not found, not
//! listed and not counted, whatever the operation, and the answer is that for a task that never was.
//!
//! A context is a label on tasks and belongs to nobody: whoever knows the id of another's context can
//! label tasks of their own with it, and sees no others in it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::core::{Core, not_found};
use super::live::LiveRef;
use crate::store::{Scope, Select, Snapshot};
use crate::{BoxFuture, CallContext, Caller, Code, Error};

/// Says whose tasks a call may see, for roles and for sharing. It is asked before the store is, once
/// for each operation, and once more for each task that a message refers to.
///
/// ```
/// use a2a_kit::engine::{Access, AccessRequest, Action, Authorizer};
/// use a2a_kit::{Code, Error};
///
/// /// Everybody in a team works on the team's tasks; guests only look.
/// struct Teams;
///
/// impl Authorizer for Teams {
///     async fn authorize(&self, request: AccessRequest<'_>) -> Result<Access, Error> {
///         let caller = request.caller();
///         let is_look = matches!(request.action, Action::Read | Action::List);
///         if caller.has_scope("guest") && !is_look {
///             return Err(Error::new(Code::PermissionDenied, "guests only look"));
///         }
///         Ok(match caller.claim("team").and_then(|team| team.as_str()) {
///             Some(team) => Access::of(format!("team:{team}")).and_own(),
///             None => Access::own(),
///         })
///     }
/// }
/// ```
pub trait Authorizer: Send + Sync + 'static {
    /// Whose tasks a call may see.
    ///
    /// # Errors
    /// Why it is refused, for example with [`Code::PermissionDenied`]. Who is to learn nothing at all
    /// gets [`Access::none`] instead.
    fn authorize(
        &self,
        request: AccessRequest<'_>,
    ) -> impl Future<Output = Result<Access, Error>> + Send;
}

/// What an [`Authorizer`] is asked about.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AccessRequest<'a> {
    /// The operation by its name in the schema, such as `SendMessage`. For a task that a message
    /// refers to it is `GetTask`, since the agent can read it.
    pub operation: &'static str,
    /// What is to be done.
    pub action: Action,
    /// The call, with its caller.
    pub call: &'a CallContext,
    /// The tenant that the call is for.
    pub tenant: Option<&'a str>,
    /// The task that the call names. Whether there is one is not known yet.
    pub task: Option<&'a str>,
}

impl<'a> AccessRequest<'a> {
    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &'a Caller {
        self.call.caller()
    }
}

/// What a call is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// To start a task, or to have a message answered without one.
    Create,
    /// To read a task, what happens to it, or its webhooks; or the extended card.
    Read,
    /// To go on with a task, to cancel it, to change its webhooks.
    Write,
    /// To list tasks.
    List,
}

/// Whose tasks a call may see.
///
/// With several owners, a task is looked for in their order, a new one belongs to the first of them,
/// and a list has the tasks of all, sorted together and with one total. Each owner costs a question
/// to the store.
///
/// Callers and other owners are one space of names: an owner called `alice` is the caller `alice`.
/// Give teams and the like names that no caller has, for example with a prefix.
///
/// The agent sees who really calls. A message that another process has taken in, and one that is
/// worked on again after a restart, has the owner of its task as its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access(Vec<Owner>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    Caller,
    Named(Arc<str>),
}

impl Access {
    /// The caller's own tasks: what holds without an authorizer.
    #[must_use]
    pub fn own() -> Self {
        Self(vec![Owner::Caller])
    }

    /// The tasks of this owner.
    #[must_use]
    pub fn of(owner: impl Into<Arc<str>>) -> Self {
        Self(vec![Owner::Named(owner.into())])
    }

    /// No tasks: what is asked for does not exist, lists are empty. To start a task is refused.
    #[must_use]
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Also the tasks of this owner.
    #[must_use]
    pub fn and(mut self, owner: impl Into<Arc<str>>) -> Self {
        self.0.push(Owner::Named(owner.into()));
        self
    }

    /// Also the caller's own tasks.
    #[must_use]
    pub fn and_own(mut self) -> Self {
        self.0.push(Owner::Caller);
        self
    }
}

/// An [`Authorizer`] whose type is forgotten.
pub(super) trait DynAuthorizer: Send + Sync {
    fn authorize<'a>(&'a self, request: AccessRequest<'a>) -> BoxFuture<'a, Result<Access, Error>>;
}

impl<A: Authorizer> DynAuthorizer for A {
    fn authorize<'a>(&'a self, request: AccessRequest<'a>) -> BoxFuture<'a, Result<Access, Error>> {
        Box::pin(Authorizer::authorize(self, request))
    }
}

/// What a call does, in the words of an authorizer.
#[derive(Clone, Copy)]
pub(super) struct Deed<'a> {
    pub(super) operation: &'static str,
    pub(super) action: Action,
    pub(super) task: Option<&'a str>,
}

/// The scopes that a call may see, best first; all of one tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reach {
    tenant: Arc<str>,
    scopes: Vec<Scope>,
}

impl Reach {
    pub(super) fn tenant(&self) -> &Arc<str> {
        &self.tenant
    }

    pub(super) fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// Where a new task belongs.
    pub(super) fn for_new(&self) -> Result<&Scope, Error> {
        self.scopes
            .first()
            .ok_or_else(|| Error::new(Code::PermissionDenied, "this caller may not start tasks"))
    }
}

/// Who owns what a caller makes; empty for callers who have not been authenticated.
fn own(call: &CallContext) -> Result<&str, Error> {
    match call.caller().id() {
        // The same as anonymous, in a store.
        Some("") => Err(Error::new(
            Code::Unauthenticated,
            "the caller is known by an empty id, which is none",
        )),
        Some(id) => Ok(id),
        None => Ok(""),
    }
}

impl Core {
    /// What a call may see in the tenant that it names.
    pub(super) async fn reach(
        &self,
        call: &CallContext,
        tenant: String,
        deed: Deed<'_>,
    ) -> Result<Reach, Error> {
        let tenant = self.tenant(call, tenant).await?;
        self.require_of(&tenant, deed.operation)?;
        self.reach_in(call, tenant, deed).await
    }

    /// What a call may see in a tenant that has been made out.
    pub(super) async fn reach_in(
        &self,
        call: &CallContext,
        tenant: Arc<str>,
        deed: Deed<'_>,
    ) -> Result<Reach, Error> {
        let own = own(call)?;
        let scope = |owner: Arc<str>| Scope::new(Arc::clone(&tenant), owner);
        let Some(authorizer) = &self.authorizer else {
            let scopes = vec![scope(own.into())];
            return Ok(Reach { tenant, scopes });
        };
        let Deed {
            operation,
            action,
            task,
        } = deed;
        let request = AccessRequest {
            operation,
            action,
            call,
            tenant: Some(&*tenant).filter(|tenant| !tenant.is_empty()),
            task,
        };
        let decision = authorizer.authorize(request).await;
        let owners = match decision {
            Ok(Access(owners)) => owners,
            Err(error) => {
                refused(&request, &error.code().name(), error.message());
                return Err(error);
            }
        };
        if owners.is_empty() {
            refused(&request, &"none", "the authorizer shows it nothing");
        }
        let mut scopes: Vec<Scope> = Vec::with_capacity(owners.len());
        for owner in owners {
            let scope = match owner {
                Owner::Caller => scope(own.into()),
                // It would be all who have not been authenticated.
                Owner::Named(owner) if owner.is_empty() => {
                    tracing::error!(operation, "the authorizer named an owner with an empty id");
                    return Err(Error::internal("the caller's rights could not be made out"));
                }
                Owner::Named(owner) => scope(owner),
            };
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        Ok(Reach { tenant, scopes })
    }

    /// The task with this id that a call may see: where it is, and its head.
    pub(super) async fn locate(
        &self,
        reach: &Reach,
        task: &str,
    ) -> Result<(Scope, Snapshot), Error> {
        for scope in reach.scopes() {
            if let Some(head) = self.store.snapshot(scope, task, Select::HEAD).await? {
                return Ok((scope.clone(), head));
            }
        }
        Err(not_found(task))
    }

    /// Makes the task with this id live that a call may see.
    pub(super) async fn open_in(&self, reach: &Reach, task: &str) -> Result<LiveRef, Error> {
        for scope in reach.scopes() {
            if let Some(live) = self.open(scope, task).await? {
                return Ok(live);
            }
        }
        Err(not_found(task))
    }
}

/// Tells the log who was refused what, and why.
pub(super) fn refused(request: &AccessRequest<'_>, code: &dyn fmt::Display, why: &str) {
    let task: String = request.task.unwrap_or_default().chars().take(80).collect();
    tracing::warn!(
        target: "a2a_kit::auth",
        %code,
        caller = request.caller().id().unwrap_or_default(),
        operation = request.operation,
        tenant = request.tenant.unwrap_or_default(),
        task,
        why,
        "a call was refused"
    );
}

#[cfg(test)]
mod tests {
    use a2a_wire::v1_0::{
        AgentCapabilities, AgentCard, GetExtendedAgentCardRequest, GetTaskRequest, SecurityScheme,
    };

    use super::*;
    use crate::agent::{Agent, AgentError, Reply, TaskContext};
    use crate::engine::Engine;
    use crate::{A2aService as _, test_log};

    struct Silent;

    impl Agent for Silent {
        async fn execute(&self, _: TaskContext) -> Result<Reply, AgentError> {
            Ok(Reply::completed())
        }
    }

    struct Closed;

    impl Authorizer for Closed {
        async fn authorize(&self, request: AccessRequest<'_>) -> Result<Access, Error> {
            match request.caller().id() {
                Some("stranger") => Ok(Access::none()),
                _ => Err(Error::new(Code::PermissionDenied, "closed today")),
            }
        }
    }

    #[tokio::test]
    async fn a_refusal_is_told_to_the_log_with_who_what_and_why() {
        let capabilities = AgentCapabilities::new().with_extended_agent_card(true);
        let mut card = AgentCard::new().with_capabilities(capabilities);
        let scheme = SecurityScheme::default();
        card.security_schemes.insert("key".into(), scheme);
        let engine = Engine::builder(Silent, card)
            .authorizer(Closed)
            .build()
            .unwrap();
        let as_caller = |id: &str| CallContext::default().with_caller(Caller::known(id));
        let get = || GetTaskRequest::new().with_id("t1");
        test_log::listen();
        engine
            .get_task(as_caller("alice"), get())
            .await
            .unwrap_err();
        engine
            .get_task(as_caller("stranger"), get())
            .await
            .unwrap_err();
        let ask = GetExtendedAgentCardRequest::new();
        let nobody = engine.get_extended_agent_card(CallContext::default(), ask);
        nobody.await.unwrap_err();
        let told = test_log::heard("a2a_kit::auth");
        let all = [
            ["PERMISSION_DENIED", "alice", "GetTask", "closed today"],
            ["none", "stranger", "GetTask", "shows it nothing"],
            [
                "UNAUTHENTICATED",
                "",
                "GetExtendedAgentCard",
                "is not known",
            ],
        ];
        assert_eq!(told.len(), all.len(), "{told:?}");
        for (told, words) in told.iter().zip(all) {
            assert_eq!(told.level, tracing::Level::WARN);
            for word in words {
                assert!(told.text.contains(word), "{word}: {}", told.text);
            }
        }
    }
}
