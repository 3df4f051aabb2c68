//! The engine: from an [`Agent`] and its card to a whole A2A service.
//!
//! Comes in: calls of the eleven operations. Goes out: answers and streams. Between them: a task
//! is a log in the [store](crate::store), and everything is done by appending to it and reading it.
//!
//! - `send` checks messages, `submit` takes them in, `run` executes the agent, `execution` and `turn` are what reaches it and what it holds meanwhile;
//! - `restart` takes over what processes that are gone have left, `replay` reads how far they had come;
//! - `read` reads, lists, subscribes and cancels; `follow` are the readers of streams;
//! - `record` and `fold` make bytes of what happens to a task, and the task of them;
//! - `live` is what is kept of a task while someone works on it or follows it;
//! - `access` says whose tasks a call may see, `tenant` which tenants there are, `extended` which card
//!   callers get who are known;
//! - `core` is the one way to change a task: compare and set, decide again when others were faster.
//!
//! # Bounds
//!
//! | what | bound |
//! |---|---|
//! | events at hand for the streams of one task | 256, and 1 MiB |
//! | records that a slow stream has loaded | 64, and 64 KiB (one, if it is bigger) |
//! | messages that wait for an agent that does not look at them | 64; then RESOURCE_EXHAUSTED |
//! | tasks that a message may refer to | 64 |
//! | webhooks of one task | 1000 |
//! | encoded tasks at hand for readers | [`EngineBuilder::read_cache`] |
//!
//! The log of a running task grows with what its agent reports, and shrinks to the task itself
//! when it has ended and its streams have been read.

mod access;
mod cache;
mod check;
mod clock;
mod core;
mod execution;
mod extended;
mod fold;
mod follow;
mod live;
mod media;
mod page;
mod push;
mod read;
mod record;
mod replay;
mod restart;
mod run;
mod send;
mod service;
mod submit;
mod tenant;
mod turn;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use a2a_wire::__codegen::Violation;
use a2a_wire::v1_0::AgentCard;
use uuid::Uuid;

pub use access::{Access, AccessRequest, Action, Authorizer};
pub use clock::Clock;
pub(crate) use media::accepts;
pub use tenant::{Tenant, Tenants};
pub(crate) use turn::{Grants, TaskReader, TurnHandle};

use self::access::DynAuthorizer;
use self::cache::Cache;
use self::core::Core;
use self::extended::Extended;
pub(crate) use self::media::Modes;
use self::tenant::TenantFacts;
use crate::agent::{Agent, DynAgent};
use crate::store::{DynStore, MemoryStore, Store};
use crate::{CallContext, CardAdmission, Error, Shared};

/// An agent as an [`A2aService`](crate::A2aService): hand it to a server, or call it. Cheap to
/// clone; all clones are one engine.
///
/// ```
/// use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext};
/// use a2a_kit::engine::Engine;
/// use a2a_kit::v1_0::AgentCard;
///
/// struct Echo;
///
/// impl Agent for Echo {
///     async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
///         Ok(Reply::completed().with_message(task.text()))
///     }
/// }
///
/// let engine = Engine::builder(Echo, AgentCard::default()).build()?;
/// # Ok::<(), a2a_kit::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Core>);

impl Engine {
    /// Begins to build an engine for an agent with this card.
    pub fn builder(agent: impl Agent, card: AgentCard) -> EngineBuilder {
        EngineBuilder {
            agent: Arc::new(agent),
            tenants: Tenants::of(&card),
            modes: Modes::of(&card),
            card,
            store: None,
            own_tenants: Vec::new(),
            authorizer: None,
            extended: None,
            check_media_types: true,
            task_timeout: None,
            cancel_grace: Duration::from_secs(10),
            lease: Duration::from_secs(30),
            read_cache: 16 << 20,
            clock: None,
        }
    }

    /// The card that the engine was built with.
    #[must_use]
    pub fn card(&self) -> &AgentCard {
        &self.0.card
    }

    /// The tenants that have a card of their own, and these cards: for
    /// [`ServerBuilder::tenant_cards`](crate::ServerBuilder::tenant_cards).
    pub fn tenant_cards(&self) -> impl Iterator<Item = (String, AgentCard)> {
        let own = self.0.tenant_facts.iter();
        own.filter_map(|(name, facts)| Some((name.clone(), facts.card.clone()?)))
    }

    /// How many tasks someone works on or follows in this process.
    #[must_use]
    pub fn live_tasks(&self) -> usize {
        self.0.lives.len()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("agent", &self.0.card.name)
            .field("live_tasks", &self.live_tasks())
            .finish_non_exhaustive()
    }
}

/// Options of an [`Engine`].
#[must_use = "a builder does nothing until it builds"]
pub struct EngineBuilder {
    agent: Arc<dyn DynAgent>,
    card: AgentCard,
    modes: Modes,
    store: Option<Arc<dyn DynStore>>,
    extended: Option<Extended>,
    tenants: Tenants,
    own_tenants: Vec<Tenant>,
    authorizer: Option<Box<dyn DynAuthorizer>>,
    check_media_types: bool,
    task_timeout: Option<Duration>,
    cancel_grace: Duration,
    lease: Duration,
    read_cache: usize,
    clock: Option<Box<dyn Clock>>,
}

impl EngineBuilder {
    /// Where tasks are kept. Without it, they are kept in memory and forgotten with the process.
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// How long one execution of a task may take before the task fails. Without it, as long as it
    /// wants. Time in which nothing is executed, because a client is to answer, does not count.
    pub fn task_timeout(mut self, limit: Duration) -> Self {
        self.task_timeout = Some(limit);
        self
    }

    /// How long an execution may go on after its task has been canceled, to clean up. 10 seconds
    /// without it.
    pub fn cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace;
        self
    }

    /// For how long this process may be silent before another one on the same store may execute
    /// its tasks. 30 seconds without it.
    pub fn lease(mut self, ttl: Duration) -> Self {
        self.lease = ttl;
        self
    }

    /// Which tenants there are. Without it, those that interfaces of the card name.
    pub fn tenants(mut self, tenants: Tenants) -> Self {
        self.tenants = tenants;
        self
    }

    /// A tenant that is not like the agent as a whole. It is one of the agent's tenants with this; where
    /// [`Tenants::resolved_by`] decides about those, it is one that the function returns.
    pub fn tenant(mut self, tenant: Tenant) -> Self {
        self.own_tenants.push(tenant);
        self
    }

    /// Says whose tasks a call may see. Without it, callers see their own.
    pub fn authorizer(mut self, authorizer: impl Authorizer) -> Self {
        self.authorizer = Some(Box::new(authorizer));
        self
    }

    /// The card for `GetExtendedAgentCard`; the public card must declare the capability.
    ///
    /// It is for callers who are known, as soon as the public card has a security scheme by which they
    /// can be. A card without schemes shows it to everybody.
    pub fn extended_card(mut self, card: AgentCard) -> Self {
        self.extended = Some(Extended::Fixed(Shared::new(card)));
        self
    }

    /// As [`Self::extended_card`], made for each call. The function gets the call and its tenant (empty
    /// for none), and may say that there is none for this caller. What is made is checked, as all cards
    /// are: one with [faults](crate::card_faults) is not sent, and the log says why.
    ///
    /// ```
    /// use a2a_kit::agent::Agent;
    /// use a2a_kit::engine::{Engine, EngineBuilder};
    /// use a2a_kit::v1_0::{AgentCard, AgentSkill};
    ///
    /// fn with_more_for_members(agent: impl Agent, card: AgentCard, more: AgentSkill) -> EngineBuilder {
    ///     let public = card.clone();
    ///     Engine::builder(agent, card).extended_card_with(move |call, _tenant| {
    ///         let mut card = public.clone();
    ///         card.skills.push(more.clone());
    ///         async move { Ok(call.caller().has_scope("member").then_some(card)) }
    ///     })
    /// }
    /// ```
    pub fn extended_card_with<Fut>(
        mut self,
        make: impl Fn(CallContext, String) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Result<Option<AgentCard>, Error>> + Send + 'static,
    {
        self.extended = Some(Extended::made(make));
        self
    }

    /// Whether a message is refused when the card does not name the media type of one of its
    /// parts, as input mode of the agent or of a skill. It is, without this.
    pub fn check_media_types(mut self, check: bool) -> Self {
        self.check_media_types = check;
        self
    }

    /// Goes by the media types of another card: one with more skills, of which the agent itself says
    /// who may use them.
    #[cfg(feature = "macros")]
    pub(crate) fn media_types_of(mut self, card: &AgentCard) -> Self {
        self.modes = Modes::of(card);
        self
    }

    /// About how many bytes of tasks are kept at hand for those who read them again. 16 MiB
    /// without it.
    pub fn read_cache(mut self, bytes: usize) -> Self {
        self.read_cache = bytes;
        self
    }

    /// Another clock for the status of tasks.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// When options and card contradict each other.
    pub fn build(self) -> Result<Engine, Error> {
        let Self {
            agent,
            card,
            modes,
            store,
            extended,
            tenants,
            own_tenants,
            authorizer,
            check_media_types,
            task_timeout,
            cancel_grace,
            lease,
            read_cache,
            clock,
        } = self;
        let mut faults = match &extended {
            Some(extended) => extended.faults(&card),
            None => Vec::new(),
        };
        let tenants = tenants.and(own_tenants.iter().map(|tenant| tenant.name.clone()));
        let has_extended = extended.is_some()
            || own_tenants
                .iter()
                .any(|tenant| tenant.extended_card.is_some());
        let mut tenant_facts = HashMap::new();
        for tenant in own_tenants {
            let name = tenant.name.clone();
            let facts = TenantFacts::of(tenant, &card, &tenants, &mut faults);
            tenant_facts.insert(name, facts);
        }
        let promised = card
            .capabilities
            .as_ref()
            .is_some_and(|capabilities| capabilities.extended_agent_card == Some(true));
        if has_extended && !promised {
            faults.push(Violation {
                field: "capabilities.extendedAgentCard".into(),
                description: "must be true in the public card when there is an extended card"
                    .into(),
            });
        }
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        if has_extended && !extended::knows_callers(&card) {
            tracing::warn!(
                agent = card.name,
                "the card has no security scheme, so its extended card is shown to everybody"
            );
        }
        if lease < Duration::from_millis(3) {
            return Err(Error::invalid_field(
                "lease",
                "must be at least 3 ms, since it is renewed in thirds",
            ));
        }
        Ok(Engine(Arc::new(Core {
            agent,
            store: store.unwrap_or_else(|| Arc::new(MemoryStore::new())),
            lives: Arc::default(),
            cache: Cache::new(read_cache),
            clock: clock.unwrap_or_else(|| Box::new(clock::system)),
            admission: CardAdmission::new(&card),
            modes: check_media_types.then_some(modes),
            card,
            extended,
            tenants,
            tenant_facts,
            authorizer,
            task_timeout,
            cancel_grace,
            lease,
            holder: Uuid::new_v4().to_string(),
        })))
    }
}

impl Core {
    /// Refuses an operation whose capability the card does not declare. Routers have asked before;
    /// whoever calls the engine itself has not.
    pub(super) fn require(&self, operation: &str) -> Result<(), Error> {
        tenant::require(&self.admission, operation)
    }
}
