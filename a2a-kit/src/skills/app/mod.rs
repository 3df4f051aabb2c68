//! An agent made of skills, ready to be served.
//!
//! Comes in: an agent, what its attributes say, the options of a builder, and the environment. Goes
//! out: a [`Server`](crate::Server), a router, or a port that is served; or all that does not fit
//! together, each with what to write.

mod checks;
mod environment;
mod interfaces;
mod serve;

use std::fmt;
use std::future::Future;

use a2a_wire::v1_0::AgentCard;

use self::environment::{Backend, Environment};
use super::card::assemble;
use super::dispatch::SkillAgent;
use super::{AgentSpec, Skills};
use crate::auth::{AuthenticationBuilder, Authenticator};
use crate::engine::{Authorizer, Engine, EngineBuilder, Tenant, Tenants};
use crate::limits::Limits;
use crate::store::{Store, StoreBackend};
use crate::{CallContext, Error, ServerBuilder};

type Change<T> = Box<dyn FnOnce(T) -> T + Send>;

/// An agent made of skills, ready to be served: what `into_agent()` gives.
///
/// ```no_run
/// use a2a_kit::prelude::*;
///
/// /// Says hello.
/// #[a2a_agent(name = "Greeter")]
/// struct Greeter;
///
/// #[a2a_skills]
/// impl Greeter {
///     /// Greets by name.
///     #[skill(tags("greeting"))]
///     async fn greet(&self, name: Text) -> String {
///         format!("Hello, {name}!")
///     }
/// }
///
/// # async fn run() -> Result<(), a2a_kit::Error> {
/// Greeter.into_agent().serve("127.0.0.1:8080").await
/// # }
/// ```
///
/// Its interfaces are the bindings and versions of its attributes at the public URL.
///
/// # What has to fit together
///
/// What the attributes promise must be there, or the agent does not start: an authenticator for each
/// security scheme that a requirement names ([`AgentApp::authenticate`]); an extended card, or a
/// skill that is only in it, for `extended_agent_card`; the feature `grpc` for `bindings(grpc)`.
/// Webhooks are not delivered yet, so `push_notifications` is refused. Every refusal says what to
/// write.
///
/// # Environment
///
#[doc = include_str!("environment.md")]
pub struct AgentApp<A> {
    agent: A,
    public_url: Option<String>,
    store: Option<Change<EngineBuilder>>,
    backends: Vec<Box<dyn Backend>>,
    environment: Environment,
    authenticators: Vec<(Option<String>, Change<AuthenticationBuilder>)>,
    extended: Option<Extended>,
    engine: Vec<Change<EngineBuilder>>,
    server: Vec<Change<ServerBuilder>>,
}

/// The extended card, where the builder has one.
enum Extended {
    Card(Box<AgentCard>),
    Made(Change<EngineBuilder>),
}

impl<A: AgentSpec> AgentApp<A> {
    /// An agent with the options that its attributes say.
    #[must_use]
    pub fn new(agent: A) -> Self {
        Self {
            agent,
            public_url: None,
            store: None,
            backends: Vec::new(),
            environment: Environment::default(),
            authenticators: Vec::new(),
            extended: None,
            engine: Vec::new(),
            server: Vec::new(),
        }
    }

    /// The URL at which clients reach the agent, when it is not the address that it listens at: for
    /// its card. It wins over `A2A_PUBLIC_URL`.
    #[must_use]
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// Where tasks are kept. It wins over `A2A_STORE`.
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Box::new(|engine| engine.store(store)));
        self
    }

    /// Makes another kind of store known to `A2A_STORE`.
    #[must_use]
    pub fn store_backend(mut self, backend: impl StoreBackend) -> Self {
        self.backends.push(Box::new(backend));
        self
    }

    /// Where the variables of the environment come from, when it is not the process's environment.
    #[must_use]
    pub fn environment(
        mut self,
        lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.environment = Environment::of(lookup);
        self
    }

    /// Checks the credentials of a security scheme, by the name that the attributes give it.
    ///
    /// ```
    /// use a2a_kit::Caller;
    /// use a2a_kit::auth::ApiKeys;
    /// # use a2a_kit::skills::{AgentApp, AgentSpec};
    ///
    /// # fn with_keys<A: AgentSpec>(agent: AgentApp<A>) -> AgentApp<A> {
    /// let keys = ApiKeys::header("X-API-Key").key("a long random text", Caller::known("alice"));
    /// agent.authenticate("key", keys)
    /// # }
    /// ```
    #[must_use]
    pub fn authenticate(
        mut self,
        scheme: impl Into<String>,
        authenticator: impl Authenticator,
    ) -> Self {
        let scheme = scheme.into();
        let name = scheme.clone();
        let add: Change<AuthenticationBuilder> =
            Box::new(|builder| builder.scheme(scheme, authenticator));
        self.authenticators.push((Some(name), add));
        self
    }

    /// Checks the credentials of all schemes that have no authenticator of their own: for what
    /// serves any scheme, such as a proxy that is trusted.
    #[must_use]
    pub fn authenticate_others(mut self, authenticator: impl Authenticator) -> Self {
        let add: Change<AuthenticationBuilder> =
            Box::new(|builder| builder.other_schemes(authenticator));
        self.authenticators.push((None, add));
        self
    }

    /// Says whose tasks a call may see. Without it, callers see their own.
    #[must_use]
    pub fn authorizer(self, authorizer: impl Authorizer) -> Self {
        self.engine(|engine| engine.authorizer(authorizer))
    }

    /// Which tenants there are, in place of those that the attributes say.
    #[must_use]
    pub fn tenants(self, tenants: Tenants) -> Self {
        self.engine(|engine| engine.tenants(tenants))
    }

    /// A tenant that is not like the agent as a whole.
    #[must_use]
    pub fn tenant(self, tenant: Tenant) -> Self {
        self.engine(|engine| engine.tenant(tenant))
    }

    /// The card for callers who are known, in place of the one that follows from the attributes. One
    /// without interfaces gets those of the public card.
    #[must_use]
    pub fn extended_card(mut self, card: AgentCard) -> Self {
        self.extended = Some(Extended::Card(Box::new(card)));
        self
    }

    /// As [`AgentApp::extended_card`], made for each call:
    /// see [`EngineBuilder::extended_card_with`].
    #[must_use]
    pub fn extended_card_with<Fut>(
        mut self,
        make: impl Fn(CallContext, String) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<Option<AgentCard>, Error>> + Send + 'static,
    {
        let add: Change<EngineBuilder> = Box::new(|engine| engine.extended_card_with(make));
        self.extended = Some(Extended::Made(add));
        self
    }

    /// Limits what one caller may ask for.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self.server(|server| server.limits(limits))
    }

    /// Sets further options of the engine.
    ///
    /// ```
    /// # use a2a_kit::skills::{AgentApp, AgentSpec};
    /// # use std::time::Duration;
    /// # fn patient<A: AgentSpec>(agent: AgentApp<A>) -> AgentApp<A> {
    /// agent.engine(|engine| engine.task_timeout(Duration::from_secs(600)))
    /// # }
    /// ```
    #[must_use]
    pub fn engine(
        mut self,
        change: impl FnOnce(EngineBuilder) -> EngineBuilder + Send + 'static,
    ) -> Self {
        self.engine.push(Box::new(change));
        self
    }

    /// Sets further options of the server.
    #[must_use]
    pub fn server(
        mut self,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder + Send + 'static,
    ) -> Self {
        self.server.push(Box::new(change));
        self
    }
}

impl<A: Skills> AgentApp<A> {
    /// An engine for the agent, to be completed and built: for those who serve it themselves.
    /// `finish` completes the public card and the extended one, by interfaces for example.
    ///
    /// # Errors
    /// When two skills have the same id, or several are the default one.
    pub fn into_engine(
        self,
        finish: impl Fn(AgentCard) -> AgentCard,
    ) -> Result<EngineBuilder, Error> {
        let description = A::description();
        let tenants = description.tenants;
        let skills = A::skills();
        let has_more = skills.iter().any(|skill| skill.is_extended);
        let with_all = has_more.then(|| assemble(description.clone(), &skills, true));
        let mut public = assemble(description, &skills, false);
        if self.extended.is_some() {
            let capabilities = public.capabilities.get_or_insert_default();
            capabilities.extended_agent_card = Some(true);
        }
        let public = finish(public);
        let agent = SkillAgent::new(self.agent, skills, with_all.as_ref().unwrap_or(&public))?;
        let mut builder = Engine::builder(agent, public);
        if let Some(all) = &with_all {
            builder = builder.media_types_of(all);
        }
        if !tenants.is_empty() {
            builder = builder.tenants(Tenants::declared(tenants.iter().copied()));
        }
        if let Some(store) = self.store {
            builder = store(builder);
        }
        builder = match (self.extended, with_all) {
            (Some(Extended::Card(card)), _) => builder.extended_card(finish(*card)),
            (Some(Extended::Made(add)), _) => add(builder),
            (None, Some(card)) => builder.extended_card(finish(card)),
            (None, None) => builder,
        };
        let changes = self.engine.into_iter();
        Ok(changes.fold(builder, |builder, change| change(builder)))
    }

    /// The agent as a service, with its tasks in memory unless it was given a store: for tests, and
    /// for calls from inside the process.
    ///
    /// # Errors
    /// As [`AgentApp::into_engine`].
    pub fn into_service(self) -> Result<Engine, Error> {
        self.into_engine(|card| card)?.build()
    }
}

impl<A> fmt::Debug for AgentApp<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentApp")
            .field("public_url", &self.public_url)
            .field("has_store", &self.store.is_some())
            .finish_non_exhaustive()
    }
}
