//! The client of an agent, and the way of one call.
//!
//! Comes in: an operation and its request. Goes out: the answer of the first interface that can be
//! reached. On the way: the card is asked for again when it is old, the capability that the
//! operation needs is checked, the interface's tenant is put into the request, and what is safe to
//! be called again is.

mod hints;
mod operation;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use a2a_wire::__codegen::WireMessage;
use a2a_wire::v1_0::{AgentCard, AgentInterface};
use http::{HeaderName, HeaderValue};

use super::builder::{ClientBuilder, Options};
use super::card::{self, Found, Moment, News, Validators};
use super::channel::{Answer, Outgoing};
use super::credentials::Dressed;
use super::location::Origin;
use super::retry::{Retry, Safety};
use super::session::{Peer, Session};
use super::transport::{Transport as _, TransportErrorKind};
use crate::context::{Binding, CallContext, ProtocolVersion};
use crate::error::{Code, Error};
use crate::generated::v1_0::A2A_SERVICE;
use crate::service::ServiceSpec;
use crate::shared::{EventStream, Shared};
pub(super) use hints::with_credentials_hint;
use hints::{unreached, with_scheme_hint};
pub(super) use operation::{Addressed, Operation};

/// Calls an agent: finds its card, chooses an interface, and speaks its binding.
///
/// Cheap to clone; clones share everything. A client is an [`A2aService`](crate::A2aService) too, so
/// that a gateway is `Server::builder(client, card)`.
///
/// ```no_run
/// use a2a_kit::client::{Client, Outcome};
///
/// # async fn example() -> Result<(), a2a_kit::Error> {
/// let client = Client::connect("https://agent.example.com").await?;
/// match client.message("Check Star River Tech").send().await? {
///     Outcome::Task(task) => println!("{}: {:?}", task.id, task.state()),
///     Outcome::Message(message) => println!("{} parts", message.parts.len()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    options: Options,
    transport: Dressed,
    session: RwLock<Arc<Session>>,
    /// What is known of the card at its place; `None` for a card that was given.
    known: Option<Mutex<Known>>,
    asking: AtomicBool,
}

/// How to ask for the card again, and when.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) validators: Validators,
    pub(super) until: Moment,
}

impl Client {
    /// Connects to the agent at an address, with the usual options; see [`ClientBuilder::connect`].
    ///
    /// # Errors
    /// When there is no card, it cannot be read, or it names no interface that can be called.
    pub async fn connect(url: impl AsRef<str>) -> Result<Self, Error> {
        Self::builder().connect(url).await
    }

    /// Options, to begin with.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(super) fn new(
        options: Options,
        transport: Dressed,
        session: Session,
        known: Option<Known>,
    ) -> Self {
        if let Some(schemes) = transport.schemes() {
            schemes.go_by(&session.card);
        }
        Self(Arc::new(Inner {
            options,
            transport,
            session: RwLock::new(Arc::new(session)),
            known: known.map(Mutex::new),
            asking: AtomicBool::new(false),
        }))
    }

    /// The agent's card, with absolute addresses; the extended one, once it was asked for.
    #[must_use]
    pub fn card(&self) -> Arc<AgentCard> {
        Arc::clone(&self.session().card)
    }

    /// The interface that the next call goes to first.
    #[must_use]
    pub fn interface(&self) -> AgentInterface {
        self.session()
            .current()
            .map(|peer| peer.interface.clone())
            .unwrap_or_default()
    }

    /// The interfaces that can be called, best first.
    #[must_use]
    pub fn interfaces(&self) -> Vec<AgentInterface> {
        self.session()
            .peers
            .iter()
            .map(|peer| peer.interface.clone())
            .collect()
    }

    /// Asks whether the agent's card is still the same, and goes by the new one if not.
    ///
    /// The client asks by itself when a call begins and the card has become too old by the headers
    /// that it came with. A card that was given is not asked for.
    ///
    /// # Errors
    /// When the card cannot be read, or names no interface that can be called. The client goes on
    /// with the one that it has.
    pub async fn refresh_card(&self) -> Result<Arc<AgentCard>, Error> {
        if let Some(known) = &self.0.known {
            self.ask(known).await?;
        }
        Ok(self.card())
    }

    /// The tables of the service that clients call.
    pub(super) fn service() -> &'static ServiceSpec {
        &A2A_SERVICE
    }

    /// Refuses an operation that needs what the card does not declare.
    pub(super) fn admit(&self, operation: Operation) -> Result<(), Error> {
        self.session().capabilities.admit(operation.spec()?)
    }

    pub(super) fn options(&self) -> &Options {
        &self.0.options
    }

    pub(super) fn session(&self) -> Arc<Session> {
        Arc::clone(
            &self
                .0
                .session
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    fn set_session(&self, session: Session) {
        if let Some(schemes) = self.0.transport.schemes() {
            schemes.go_by(&session.card);
        }
        *self
            .0
            .session
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(session);
    }

    pub(super) async fn sleep(&self, wait: Duration) {
        self.0.transport.sleep(wait).await;
    }

    async fn ask(&self, known: &Mutex<Known>) -> Result<(), Error> {
        let before = self.session();
        let Some(place) = before.place.clone() else {
            return Ok(());
        };
        let validators = lock(known).validators.clone();
        let news = card::fetch(
            &self.0.transport,
            &place,
            Some(&validators),
            self.0.options.timeout,
        )
        .await;
        let asked_again = |wait| lock(known).until = Moment::after(wait);
        let found = match news {
            Ok(News::Card(found)) => *found,
            Ok(News::Same(lifetime)) => {
                asked_again(lifetime);
                return Ok(());
            }
            Err(error) => {
                // The one at hand stays; its server is not asked with every call.
                asked_again(Duration::from_secs(30));
                return Err(with_credentials_hint(
                    error,
                    &self.0.transport,
                    Origin::of(&place).as_ref(),
                ));
            }
        };
        asked_again(found.lifetime);
        let Found {
            card,
            place,
            validators,
            ..
        } = found;
        // The extended card stays until the agent's version is another one.
        let stays = before
            .extends
            .as_ref()
            .is_some_and(|version| *version == card.version);
        if !stays && (before.extends.is_some() || card != *before.card) {
            let session = Session::open(
                card,
                Some(place),
                &self.0.options,
                &self.0.transport,
                Some(&before),
            )?;
            self.set_session(session);
        }
        lock(known).validators = validators;
        Ok(())
    }

    /// The session for a call: after a question for the card when that is due, for which only one
    /// call at a time waits.
    async fn current_session(&self) -> Arc<Session> {
        if let Some(known) = &self.0.known
            && lock(known).until.has_passed()
            && !self.0.asking.swap(true, Ordering::AcqRel)
        {
            let _done = Asking(&self.0.asking);
            // A card that cannot be had again is no reason not to call.
            let _ = self.ask(known).await;
        }
        self.session()
    }

    /// Goes by the extended card from now on.
    pub(super) fn adopt(&self, mut extended: AgentCard) -> Result<Arc<AgentCard>, Error> {
        let before = self.session();
        card::normalise(&mut extended, before.place.as_ref());
        let public = before
            .extends
            .clone()
            .unwrap_or_else(|| before.card.version.clone());
        let mut session = Session::open(
            extended,
            before.place.clone(),
            &self.0.options,
            &self.0.transport,
            Some(&before),
        )?;
        session.extends = Some(public);
        let card = Arc::clone(&session.card);
        self.set_session(session);
        Ok(card)
    }

    /// Makes a call and reads its answer.
    pub(super) async fn unary<Res: WireMessage>(
        &self,
        operation: Operation,
        context: &CallContext,
        request: &mut dyn Addressed,
    ) -> Result<Shared<Res>, Error> {
        self.exchange(operation, context, request, self.0.options.retry)
            .await?
            .unary(&A2A_SERVICE)
    }

    /// Makes a call that is answered by a stream. `retry` is for what is before the stream.
    pub(super) async fn streaming<Res: WireMessage>(
        &self,
        operation: Operation,
        context: &CallContext,
        request: &mut dyn Addressed,
        retry: Retry,
    ) -> Result<EventStream<Res>, Error> {
        self.exchange(operation, context, request, retry)
            .await?
            .stream(&A2A_SERVICE)
    }

    /// The way of a call.
    pub(super) async fn exchange(
        &self,
        operation: Operation,
        given: &CallContext,
        request: &mut dyn Addressed,
        retry: Retry,
    ) -> Result<Answer, Error> {
        let spec = operation.spec()?;
        let context = self.context(given);
        let mut done = 0;
        loop {
            let session = self.current_session().await;
            session.capabilities.admit(spec)?;
            let error = match self.once(&session, operation, &context, request).await {
                Ok(answer) => {
                    for extension in context.activated_extensions() {
                        given.activate_extension(extension);
                    }
                    return Ok(answer);
                }
                Err(error) => error,
            };
            match retry
                .wait(operation.safety, &error, done)
                .filter(|wait| has_time(&context, *wait))
            {
                Some(wait) => self.sleep(wait).await,
                None => return Err(error),
            }
            done += 1;
        }
    }

    /// The context that goes out: with the extensions that are asked for with every call.
    fn context(&self, given: &CallContext) -> CallContext {
        let usual = &self.0.options.extensions;
        if usual.is_empty() {
            return given.clone();
        }
        let mut extensions = given.extensions().to_vec();
        extensions.extend(
            usual
                .iter()
                .filter(|uri| !given.extensions().contains(uri))
                .cloned(),
        );
        given.clone().with_extensions(extensions)
    }

    /// Tries the interfaces, one after the other, as long as they cannot be reached.
    async fn once(
        &self,
        session: &Session,
        operation: Operation,
        context: &CallContext,
        request: &mut dyn Addressed,
    ) -> Result<Answer, Error> {
        let mut failed: Vec<(&Peer, Error)> = Vec::new();
        for (index, peer) in session.in_order() {
            let chosen = self.0.options.tenant.as_deref();
            request.set_tenant(chosen.unwrap_or(&peer.interface.tenant));
            let channel = peer.channel(operation.lane);
            let outgoing: &dyn Outgoing = &*request;
            match channel
                .call(&A2A_SERVICE, operation.index, context.clone(), outgoing)
                .await
            {
                Ok(answer) => {
                    session.reached(index);
                    return Ok(answer);
                }
                Err(error)
                    if is_unreached(operation, &error) && has_time(context, Duration::ZERO) =>
                {
                    failed.push((peer, error))
                }
                Err(error) => {
                    let error =
                        with_credentials_hint(error, &self.0.transport, peer.origin.as_ref());
                    return Err(with_scheme_hint(error, &self.0.transport, session));
                }
            }
        }
        Err(unreached(failed))
    }
}

/// Ends the question for the card, also when the call that asked is dropped.
struct Asking<'a>(&'a AtomicBool);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True when another interface may be tried: the request has not left, or doing it twice does no
/// harm and there was no answer.
fn is_unreached(operation: Operation, error: &Error) -> bool {
    let Some(fault) = error.transport() else {
        return false;
    };
    if fault.kind() == TransportErrorKind::Credentials {
        // There may be some for an interface elsewhere. But what could not be had would not be had
        // again.
        return std::error::Error::source(fault).is_none();
    }
    let no_answer = matches!(
        fault.kind(),
        TransportErrorKind::Connect | TransportErrorKind::Tls | TransportErrorKind::Broken
    );
    fault.is_unsent() || (operation.safety == Safety::Safe && no_answer)
}

pub(super) fn has_time(context: &CallContext, wait: Duration) -> bool {
    let Some(deadline) = context.deadline() else {
        return true;
    };
    Instant::now()
        .checked_add(wait)
        .is_some_and(|then| then < deadline)
}

/// A header from texts.
pub(super) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Error> {
    let wrong = |what: &str| {
        Error::new(
            Code::InvalidArgument,
            format!("{what} of the header {name:?} cannot be sent"),
        )
    };
    let header =
        HeaderName::try_from(name).map_err(|error| wrong("the name").with_source(error))?;
    // The value may be a secret, and is not repeated.
    let mut value = HeaderValue::try_from(value).map_err(|_| wrong("the value"))?;
    value.set_sensitive(true);
    Ok((header, value))
}

/// The moment after a while; one that no clock reaches is far away.
///
/// # Errors
/// Where there is no clock, and asking it for the time would be a panic.
pub(super) fn deadline(timeout: Duration) -> Result<Instant, Error> {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return Err(Error::new(
            Code::InvalidArgument,
            "a call can have no limit of its own here, where there is no clock; set ClientBuilder::timeout or ClientBuilder::send_timeout",
        ));
    }
    let now = Instant::now();
    Ok(now
        .checked_add(timeout)
        .unwrap_or(now + Duration::from_secs(86_400 * 365)))
}

/// A context for a call that starts here.
pub(super) fn local() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = self.session();
        f.debug_struct("Client")
            .field("agent", &session.card.name)
            .field("interface", &session.current().map(|peer| peer.name()))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
