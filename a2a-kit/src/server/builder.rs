//! Options of a [`Server`].
//!
//! Comes in: a service, its card, what the user wants to be different. Goes out: a server whose
//! card has been checked, or what is wrong with it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::admission::{Admission, CardAdmission};
use crate::auth::Authentication;
use crate::card::{CardEndpoint, card_faults, tenant_card_faults};
use crate::context::{Binding, ProtocolVersion};
use crate::error::Error;
#[cfg(feature = "grpc")]
use crate::grpc::Grpc;
use crate::intake::{self, Intake};
use crate::jsonrpc::JsonRpc;
use crate::limits::Limits;
use crate::rest::Rest;
use crate::service::Dispatch;
use crate::sse;
use crate::v0_3::Facade;
use crate::v1_0::AgentCard;
use crate::wire::adapt::FileBytes;
use crate::{A2aService, BoxA2aService};

use super::serve::Transport;
use super::{Infers, Inner, Routers, Server};

/// Makes a [`Server`].
pub struct ServerBuilder {
    service: BoxA2aService,
    card: AgentCard,
    tenant_cards: Vec<(String, AgentCard)>,
    authentication: Option<Authentication>,
    limits: Option<Arc<Limits>>,
    base: String,
    json_rpc_paths: Vec<String>,
    request_limit: usize,
    request_memory: Option<usize>,
    keep_alive: Option<Duration>,
    card_max_age: Duration,
    infer_version: bool,
    file_bytes: FileBytes,
    transport: Transport,
}

impl ServerBuilder {
    pub(super) fn new(service: impl A2aService, card: AgentCard) -> Self {
        Self {
            service: BoxA2aService::new(service),
            card,
            tenant_cards: Vec::new(),
            authentication: None,
            limits: None,
            base: String::new(),
            json_rpc_paths: vec!["/".to_owned(), "/jsonrpc".to_owned()],
            request_limit: intake::LIMIT,
            request_memory: None,
            keep_alive: Some(sse::KEEP_ALIVE),
            card_max_age: Duration::from_secs(300),
            infer_version: false,
            file_bytes: FileBytes::default(),
            transport: Transport::default(),
        }
    }

    /// Asks callers who they are, on every binding and in every version; the card is for everybody.
    /// It must have been made for this card.
    ///
    /// A card with requirements is not served without it. Where a layer in front of the server
    /// authenticates, say so: see [`CallerFromLayer`](crate::auth::CallerFromLayer).
    ///
    /// ```
    /// use a2a_kit::auth::{ApiKeys, Authentication};
    /// use a2a_kit::{A2aService, Caller, Error, Server, v1_0::AgentCard};
    ///
    /// fn serve(agent: impl A2aService, card: AgentCard) -> Result<Server, Error> {
    ///     let keys = ApiKeys::header("X-API-Key").key("a long random text", Caller::known("alice"));
    ///     let authentication = Authentication::for_card(&card).scheme("key", keys).build()?;
    ///     Server::builder(agent, card).authentication(authentication).build()
    /// }
    /// ```
    #[must_use]
    pub fn authentication(mut self, authentication: Authentication) -> Self {
        self.authentication = Some(authentication);
        self
    }

    /// Limits what one caller may ask for, on all bindings and in all versions together; see
    /// [`limits`](crate::limits). Without it, nothing is limited but what all callers together may
    /// take.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(Arc::new(limits));
        self
    }

    /// Cards of tenants, each served at `/{tenant}/.well-known/agent-card.json`; the agent's own stays
    /// where it is. See [`Tenant::card`](crate::engine::Tenant::card) for what stands in them.
    ///
    /// ```
    /// use a2a_kit::engine::Engine;
    /// use a2a_kit::{Error, Server};
    ///
    /// fn serve(engine: Engine) -> Result<Server, Error> {
    ///     let card = engine.card().clone();
    ///     let tenants: Vec<_> = engine.tenant_cards().collect();
    ///     Server::builder(engine, card).tenant_cards(tenants).build()
    /// }
    /// ```
    #[must_use]
    pub fn tenant_cards<T: Into<String>>(
        mut self,
        cards: impl IntoIterator<Item = (T, AgentCard)>,
    ) -> Self {
        let cards = cards.into_iter();
        self.tenant_cards
            .extend(cards.map(|(tenant, card)| (tenant.into(), card)));
        self
    }

    /// Serves everything, the card too, below this path: `/agents/one`. gRPC is served at its own
    /// paths as well, since most of its clients cannot be told a path.
    #[must_use]
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base = path.into();
        self
    }

    /// Where JSON-RPC is served, in place of `/` and `/jsonrpc`; each also with a `/` at its end.
    #[must_use]
    pub fn json_rpc_paths<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.json_rpc_paths = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Refuses requests that are larger, on every binding: 32 MiB by default.
    ///
    /// What is made of a request while it is read takes at most 24 MiB and twice its size, beside the
    /// request itself. The 24 MiB are there for small texts that ask for a lot, such as tables of
    /// data, and do not become less with the limit.
    #[must_use]
    pub fn request_limit(mut self, bytes: usize) -> Self {
        self.request_limit = bytes;
        self
    }

    /// What all requests together may take while they come in and are read; large ones beyond it are
    /// refused for the moment, with HTTP 503. Sixteen times the limit of one request by default.
    #[must_use]
    pub fn request_memory(mut self, bytes: usize) -> Self {
        self.request_memory = Some(bytes);
        self
    }

    /// Takes calls that name no version for calls of 1.0 where they can be nothing else: by the method
    /// of JSON-RPC (`SendMessage`), by a path of HTTP+JSON that is not below `/v1`, by the package of
    /// gRPC. For clients of 1.0 that forget `A2A-Version`, and proxies that take it away.
    ///
    /// Off by default: the specification says that such a call is in version 0.3. A call that names a
    /// version is in that one either way.
    #[must_use]
    pub fn infer_version(mut self, infer: bool) -> Self {
        self.infer_version = infer;
        self
    }

    /// How long an event stream is silent before a comment keeps it open: 4 seconds by default;
    /// `None` for never.
    #[must_use]
    pub fn keep_alive(mut self, interval: Option<Duration>) -> Self {
        self.keep_alive = interval;
        self
    }

    /// How long clients may use the card without asking again: five minutes by default.
    #[must_use]
    pub fn card_max_age(mut self, age: Duration) -> Self {
        self.card_max_age = age;
        self
    }

    /// How many connections are open at a time; others wait: 16384 by default.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.transport.max_connections = connections;
        self
    }

    /// How long a client may take for the head of a request, its first one included: 30 seconds by
    /// default.
    #[must_use]
    pub fn header_timeout(mut self, timeout: Duration) -> Self {
        self.transport.header_timeout = timeout;
        self
    }

    /// How long a client may be silent while it sends the body of a request: 30 seconds by default.
    #[must_use]
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.transport.body_timeout = timeout;
        self
    }

    /// How long open calls and streams may go on when the server is asked to stop: 10 seconds by
    /// default.
    #[must_use]
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.transport.shutdown_grace = grace;
        self
    }

    /// How callers of version 0.3 have the bytes of files over gRPC and HTTP+JSON. The schema says
    /// as they are, and some SDKs put base64 text there, Python's among them, and take nothing else.
    /// By default both are read and bytes are written; over JSON-RPC there is one form only.
    #[must_use]
    pub fn v0_3_file_bytes(mut self, file_bytes: FileBytes) -> Self {
        self.file_bytes = file_bytes;
        self
    }

    /// Checks card and options.
    ///
    /// # Errors
    /// Invalid argument, naming all faults of the card (see [`card_faults`]) or the option.
    pub fn build(self) -> Result<Server, Error> {
        let faults = card_faults(&self.card);
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        let versions = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
        check_interfaces(&self.card, &versions)?;
        check_authentication(&self.card, self.authentication.as_ref())?;
        let admission = CardAdmission::new(&self.card);
        let base = clean_path("base_path", &self.base)?;
        let json_rpc_paths = self
            .json_rpc_paths
            .iter()
            .map(|path| clean_path("json_rpc_paths", path))
            .collect::<Result<Vec<_>, Error>>()?;
        let endpoint =
            |card: &AgentCard| CardEndpoint::new(card, self.card_max_age, SystemTime::now());
        let card = endpoint(&self.card)?;
        let mut tenant_cards = HashMap::new();
        for (tenant, own) in &self.tenant_cards {
            let mut faults = tenant_card_faults(tenant, own, &self.card);
            for fault in &mut faults {
                fault.field = format!("tenants[{tenant:?}].card.{}", fault.field);
            }
            if !faults.is_empty() {
                return Err(Error::invalid(faults));
            }
            tenant_cards.insert(tenant.clone(), endpoint(own)?);
        }
        let intake = Intake::new(self.request_limit, self.request_memory);
        let routers = |dispatch: Arc<dyn Dispatch>, declares: &dyn Fn(Binding) -> bool| {
            let admission: Arc<dyn Admission> = Arc::new(admission.clone());
            let both = || (Arc::clone(&dispatch), Arc::clone(&admission));
            let known = || self.authentication.clone();
            Routers {
                service: dispatch.service(),
                json_rpc: declares(Binding::JsonRpc).then(|| {
                    let (dispatch, admission) = both();
                    JsonRpc::new(dispatch, admission)
                        .authenticated(known())
                        .limited(self.limits.clone())
                        .intake(intake.clone())
                        .keep_alive(self.keep_alive)
                }),
                rest: declares(Binding::Rest).then(|| {
                    let (dispatch, admission) = both();
                    Rest::new(dispatch, admission)
                        .authenticated(known())
                        .limited(self.limits.clone())
                        .intake(intake.clone())
                        .keep_alive(self.keep_alive)
                }),
                #[cfg(feature = "grpc")]
                grpc: declares(Binding::Grpc).then(|| {
                    let (dispatch, admission) = both();
                    Grpc::new(dispatch, admission)
                        .authenticated(known())
                        .limited(self.limits.clone())
                        .intake(intake.clone())
                }),
            }
        };
        let old = Facade::dispatch_with(self.service.clone(), self.file_bytes);
        let old = routers(old, &|binding| {
            admission.declares_in(binding, ProtocolVersion::V0_3)
        });
        let new = routers(Arc::new(self.service), &|binding| {
            admission.declares(binding)
        });
        let infers =
            |binding| self.infer_version && admission.declares_in(binding, ProtocolVersion::V1_0);
        let infers = Infers {
            json_rpc: infers(Binding::JsonRpc),
            rest: infers(Binding::Rest),
            #[cfg(feature = "grpc")]
            grpc: infers(Binding::Grpc),
        };
        Ok(Server(Arc::new(Inner {
            card,
            tenant_cards,
            infers,
            new,
            old,
            json_rpc_paths,
            base,
            transport: self.transport,
        })))
    }
}

/// Refuses a card that promises to ask for credentials where nobody asks.
fn check_authentication(
    card: &AgentCard,
    authentication: Option<&Authentication>,
) -> Result<(), Error> {
    let fault = match authentication {
        Some(authentication) if authentication.is_for(card) => return Ok(()),
        Some(_) => {
            "are not those that the authentication was made for; make it with Authentication::for_card, from the card that is served"
        }
        None if card.security_requirements.is_empty() => return Ok(()),
        None => "ask for credentials, and nobody checks them; see ServerBuilder::authentication",
    };
    Err(Error::invalid_field("securityRequirements", fault))
}

/// Refuses a card of which nothing can be called here. Single interfaces that are served elsewhere,
/// in another version or by another program, are the card's own affair.
fn check_interfaces(card: &AgentCard, versions: &[ProtocolVersion]) -> Result<(), Error> {
    let mut offered = card.supported_interfaces.iter().filter(|interface| {
        let served = match Binding::from_card_name(&interface.protocol_binding) {
            Some(Binding::Grpc) => cfg!(feature = "grpc"),
            Some(_) => true,
            None => false,
        };
        let version = interface.protocol_version.parse();
        served && version.is_ok_and(|version| versions.contains(&version))
    });
    if offered.next().is_some() {
        return Ok(());
    }
    let grpc = if cfg!(feature = "grpc") { ", GRPC" } else { "" };
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    let versions = versions.join(" or ");
    Err(Error::invalid_field(
        "supportedInterfaces",
        format!(
            "names nothing that this server serves: JSONRPC, HTTP+JSON{grpc} in protocolVersion {versions}"
        ),
    ))
}

/// A path without the slash at its end; empty for `/`.
fn clean_path(option: &str, path: &str) -> Result<String, Error> {
    let clean = path.trim_end_matches('/');
    let valid = clean.is_empty()
        || (clean.starts_with('/')
            && !clean.contains("//")
            && clean
                .parse::<http::uri::PathAndQuery>()
                .is_ok_and(|parsed| parsed.query().is_none()));
    if valid {
        Ok(clean.to_owned())
    } else {
        Err(Error::invalid_field(
            option,
            format!("{path:?} is no path; write one such as /agents/one"),
        ))
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("card", &self.card.name)
            .field("authentication", &self.authentication)
            .field("limits", &self.limits)
            .field("base", &self.base)
            .field("json_rpc_paths", &self.json_rpc_paths)
            .field("request_limit", &self.request_limit)
            .field("request_memory", &self.request_memory)
            .field("keep_alive", &self.keep_alive)
            .field("card_max_age", &self.card_max_age)
            .field("infer_version", &self.infer_version)
            .field("file_bytes", &self.file_bytes)
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}
