//! Tokens that end, and where the next one comes from.
//!
//! Comes in: which scopes are wanted, and whether the token at hand was refused. Goes out: a token:
//! from memory as long as it is good, else from its source, which is asked once for all calls that
//! wait for it. It knows no HTTP.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Either, Shared, select};

use super::card::Moment;
use super::credentials::{Place, Secret};
use super::transport::Transport;
use crate::body::BoxError;
use crate::error::{Code, Error};
use crate::service::BoxFuture;

/// A token is renewed so long before its end: a tenth of its life, but not more than this.
const AHEAD: Duration = Duration::from_secs(60);
/// How soon the source is asked again when it had no new token, and the old one is still good.
const AGAIN: Duration = Duration::from_secs(5);
/// How long a source may take.
const LIMIT: Duration = Duration::from_secs(60);
/// How often a call waits for a token that was asked for with other scopes.
const MOST_WAITS: usize = 32;

/// A bearer token. It has no `Debug`, and is overwritten when it is dropped.
#[derive(Clone)]
pub struct Token {
    text: Secret,
    lifetime: Option<Duration>,
}

impl Token {
    /// A token that is good until it is refused.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: Secret::new(text),
            lifetime: None,
        }
    }

    /// How long it is good from now on. It is renewed a little earlier.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}

/// What a token is wanted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRequest {
    scheme: String,
    scopes: Vec<String>,
    was_refused: bool,
}

impl TokenRequest {
    /// The security scheme of the card that asks for it.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The scopes that it should have: those that the card asks for, and those that the agent has
    /// missed. There may be none. The agent says them, so that who does not trust it should not ask
    /// for all of them.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// True when the agent has refused the token that was handed out last, however long it should
    /// have been good.
    #[must_use]
    pub fn was_refused(&self) -> bool {
        self.was_refused
    }
}

/// Has tokens. A closure is one:
///
/// ```
/// use std::time::Duration;
/// use a2a_kit::client::{Client, SchemeCredentials, Token, TokenRequest};
///
/// async fn log_in(scopes: &[String]) -> Result<String, std::io::Error> {
///     Ok(format!("a token for {scopes:?}"))
/// }
///
/// let tokens = SchemeCredentials::tokens(|wanted: TokenRequest| async move {
///     let text = log_in(wanted.scopes()).await?;
///     Ok(Token::new(text).expires_in(Duration::from_secs(300)))
/// });
/// let builder = Client::builder().scheme("oauth", tokens);
/// ```
///
/// A source is asked when there is no token yet, a little before the token at hand ends, and once
/// after a call was refused with it; and only once at a time, however many calls wait.
pub trait TokenSource: Send + Sync + 'static {
    /// A new token.
    ///
    /// # Errors
    /// Why there is none. The call ends with that; its text must not quote a secret.
    fn token(&self, wanted: TokenRequest) -> impl Future<Output = Result<Token, BoxError>> + Send;
}

impl<F, Asked> TokenSource for F
where
    F: Fn(TokenRequest) -> Asked + Send + Sync + 'static,
    Asked: Future<Output = Result<Token, BoxError>> + Send,
{
    fn token(&self, wanted: TokenRequest) -> impl Future<Output = Result<Token, BoxError>> + Send {
        self(wanted)
    }
}

/// A [`TokenSource`] whose type is forgotten.
pub(super) trait AnySource: Send + Sync {
    fn ask(&self, wanted: TokenRequest) -> BoxFuture<'_, Result<Token, BoxError>>;
}

impl<S: TokenSource> AnySource for S {
    fn ask(&self, wanted: TokenRequest) -> BoxFuture<'_, Result<Token, BoxError>> {
        Box::pin(self.token(wanted))
    }
}

/// The tokens for one security scheme.
pub(super) struct Tokens {
    scheme: String,
    source: Arc<dyn AnySource>,
    /// The clock.
    transport: Arc<dyn Transport>,
    slot: Arc<Mutex<Slot>>,
}

#[derive(Default)]
struct Slot {
    held: Option<Arc<Held>>,
    /// When the next one is asked for.
    due: Option<Moment>,
    /// What all wait for who need a new one.
    pending: Option<Pending>,
    /// How many there were.
    count: u64,
}

/// A token that was handed out.
pub(super) struct Held {
    pub(super) place: Place,
    pub(super) number: u64,
    scopes: BTreeSet<String>,
    end: Option<Moment>,
}

impl Held {
    fn is_good(&self) -> bool {
        !self.end.is_some_and(Moment::has_passed)
    }
}

#[derive(Clone)]
struct Pending {
    scopes: BTreeSet<String>,
    asked: Shared<BoxFuture<'static, Result<Arc<Held>, Error>>>,
}

impl Tokens {
    pub(super) fn new(
        scheme: impl Into<String>,
        source: Arc<dyn AnySource>,
        transport: Arc<dyn Transport>,
    ) -> Arc<Self> {
        Arc::new(Self {
            scheme: scheme.into(),
            source,
            transport,
            slot: Arc::default(),
        })
    }

    /// A token with these scopes, and another one than the one with this number, which was refused.
    ///
    /// # Errors
    /// When the source has none.
    pub(super) async fn get(
        &self,
        scopes: &BTreeSet<String>,
        refused: Option<u64>,
    ) -> Result<Arc<Held>, Error> {
        for _ in 0..MOST_WAITS {
            let pending = {
                let mut slot = lock(&self.slot);
                let is_refused = |held: &Held| Some(held.number) == refused;
                let was_refused = slot.held.as_deref().is_some_and(is_refused);
                if was_refused {
                    // Nobody is to try it again.
                    slot.held = None;
                }
                let is_due = slot.due.is_some_and(Moment::has_passed);
                if let Some(held) = &slot.held
                    && !is_due
                    && held.scopes.is_superset(scopes)
                {
                    return Ok(Arc::clone(held));
                }
                let start = || self.start(&slot, scopes, was_refused);
                let pending = slot.pending.clone().unwrap_or_else(start);
                slot.pending = Some(pending.clone());
                pending
            };
            let got = pending.asked.await;
            if pending.scopes.is_superset(scopes) {
                return got;
            }
            // It was for a call that wants less.
        }
        Err(Error::new(
            Code::Unavailable,
            format!("too many calls want tokens for {:?} at once", self.scheme),
        ))
    }

    /// Begins to ask. Whoever waits for the answer drives it, so that a call that is given up takes
    /// it from nobody.
    fn start(&self, slot: &Slot, scopes: &BTreeSet<String>, was_refused: bool) -> Pending {
        // With what the token at hand has, so that the calls that need that can go on with it.
        let held = slot.held.iter().flat_map(|held| &held.scopes);
        let scopes: BTreeSet<String> = scopes.iter().chain(held).cloned().collect();
        let wanted = TokenRequest {
            scheme: self.scheme.clone(),
            scopes: scopes.iter().cloned().collect(),
            was_refused,
        };
        let (source, asked_for) = (Arc::clone(&self.source), scopes.clone());
        let limit = self.transport.sleep(LIMIT);
        // It lies in the slot itself.
        let slot = Arc::downgrade(&self.slot);
        let asked: BoxFuture<'static, _> = Box::pin(async move {
            // One that panics, or never answers, must not be in the way of those to come.
            let asked = AssertUnwindSafe(source.ask(wanted)).catch_unwind();
            let answer = match select(std::pin::pin!(asked), limit).await {
                Either::Left((Ok(answer), _)) => answer,
                Either::Left((Err(_panic), _)) => Err("the source of tokens has panicked".into()),
                Either::Right(_) => Err(format!("there was no token within {LIMIT:?}").into()),
            };
            store(&slot, asked_for, answer)
        });
        Pending {
            scopes,
            asked: asked.shared(),
        }
    }
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes what the source has answered.
fn store(
    slot: &Weak<Mutex<Slot>>,
    scopes: BTreeSet<String>,
    answer: Result<Token, BoxError>,
) -> Result<Arc<Held>, Error> {
    let Some(slot) = slot.upgrade() else {
        return Err(Error::internal("the client is gone"));
    };
    let mut slot = lock(&slot);
    slot.pending = None;
    let placed = answer.and_then(|token| {
        let place = Place::authorization("Bearer", token.text.text(), "the token")?;
        Ok((place, token.lifetime))
    });
    match placed {
        Ok((place, lifetime)) => {
            slot.count += 1;
            let held = Arc::new(Held {
                place,
                number: slot.count,
                scopes,
                end: lifetime.map(Moment::after),
            });
            let ahead = |lifetime: Duration| lifetime - (lifetime / 10).min(AHEAD);
            slot.due = lifetime.map(|lifetime| Moment::after(ahead(lifetime)));
            slot.held = Some(Arc::clone(&held));
            Ok(held)
        }
        Err(fault) => match &slot.held {
            Some(held) if held.is_good() && held.scopes == scopes => {
                tracing::warn!(fault = %fault, "a token could not be renewed, and is used as long as it is good");
                let held = Arc::clone(held);
                slot.due = Some(Moment::after(AGAIN));
                Ok(held)
            }
            _ => Err(of_source(fault)),
        },
    }
}

/// The error of a source: our own as it is, any other as a cause.
fn of_source(fault: BoxError) -> Error {
    match fault.downcast::<Error>() {
        Ok(error) => *error,
        Err(fault) => Error::new(Code::Unauthenticated, fault.to_string()).with_source(fault),
    }
}

#[cfg(test)]
mod tests;
