//! Where the keys of an issuer come from.
//!
//! Comes in: the address of a key set, and wishes for keys. Goes out: keys, from memory as long as
//! they are fresh; else fetched, by one call at a time and never more often than is decent, whatever
//! tokens say. A slow, huge or redirecting address costs a bounded time and amount of memory.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Limited};
use tokio::sync::Mutex as Gate;
use tokio::time::Instant;

use super::keys::Keys;
use crate::client::{CallOptions, Transport, lifetime};

/// What a key set may weigh.
const MOST_BYTES: usize = 256 << 10;

/// When keys are fetched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// How long a fetch may take.
    pub(super) timeout: Duration,
    /// The least time between two fetches.
    pub(super) interval: Duration,
    /// How long keys that are no longer fresh are used when no others can be had.
    pub(super) grace: Duration,
}

/// Keys that never change, or an address.
pub(super) enum Source {
    Fixed(Arc<Keys>),
    Remote(Arc<Remote>),
}

pub(super) struct Remote {
    url: Uri,
    transport: Arc<dyn Transport>,
    timing: Timing,
    state: Mutex<State>,
    /// Held by who fetches.
    gate: Arc<Gate<()>>,
}

#[derive(Default)]
struct State {
    keys: Option<Kept>,
    /// When a fetch was last begun.
    tried: Option<Instant>,
}

#[derive(Clone)]
struct Kept {
    keys: Arc<Keys>,
    fresh_until: Instant,
}

/// There are no keys: why is in the log.
#[derive(Debug)]
pub(super) struct NoKeys;

impl Remote {
    pub(super) fn new(url: Uri, transport: Arc<dyn Transport>, timing: Timing) -> Self {
        Self {
            url,
            transport,
            timing,
            state: Mutex::default(),
            gate: Arc::default(),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keys that are fresh, or else may still be used.
    fn kept(&self, fresh: bool) -> Option<Arc<Keys>> {
        let grace = if fresh {
            Duration::ZERO
        } else {
            self.timing.grace
        };
        let state = self.state();
        let kept = state.keys.as_ref()?;
        (Instant::now() < kept.fresh_until + grace).then(|| Arc::clone(&kept.keys))
    }

    fn may_try(&self) -> bool {
        let tried = self.state().tried;
        tried.is_none_or(|tried| tried.elapsed() >= self.timing.interval)
    }

    /// Keys among which `is_there` finds the one that is looked for, if that can be; else the keys
    /// that there are.
    async fn keys(self: &Arc<Self>, is_there: impl Fn(&Keys) -> bool) -> Result<Arc<Keys>, NoKeys> {
        let satisfied = |keys: &Arc<Keys>| is_there(keys);
        if let Some(keys) = self.kept(true).filter(satisfied) {
            return Ok(keys);
        }
        let gate = match Arc::clone(&self.gate).try_lock_owned() {
            Ok(gate) => gate,
            // Somebody fetches. Who has what he needs does not wait.
            Err(_) => match self.kept(false).filter(satisfied) {
                Some(keys) => return Ok(keys),
                None => Arc::clone(&self.gate).lock_owned().await,
            },
        };
        let is_done = self.kept(true).is_some_and(|keys| satisfied(&keys));
        if !is_done && self.may_try() {
            self.state().tried = Some(Instant::now());
            // In a task of its own: a client that hangs up must not end it, or one that does so
            // again and again would keep the keys from everybody.
            let remote = Arc::clone(self);
            let fetching = tokio::spawn(async move {
                remote.refresh().await;
                drop(gate);
            });
            // It fails only when it panics or when the runtime ends.
            let _ = fetching.await;
        } else {
            drop(gate);
        }
        self.kept(false).ok_or(NoKeys)
    }

    async fn refresh(&self) {
        let fetched = tokio::time::timeout(self.timing.timeout, self.fetch()).await;
        let took_too_long = || Err(format!("it took longer than {:?}", self.timing.timeout));
        match fetched.unwrap_or_else(|_| took_too_long()) {
            Ok((keys, lifetime)) => {
                self.state().keys = Some(Kept {
                    keys: Arc::new(keys),
                    fresh_until: Instant::now() + lifetime,
                });
            }
            Err(why) => {
                let url = self.url.to_string();
                let url = url.split('?').next().unwrap_or_default();
                tracing::warn!(target: "a2a_kit::auth", url, why, "keys could not be fetched");
            }
        }
    }

    async fn fetch(&self) -> Result<(Keys, Duration), String> {
        let request = Request::get(self.url.clone())
            .header(ACCEPT, "application/jwk-set+json, application/json")
            .body(Bytes::new())
            .map_err(|error| error.to_string())?;
        let options = CallOptions {
            head: Some(self.timing.timeout),
            total: Some(self.timing.timeout),
            ..CallOptions::default()
        };
        let answer = self.transport.send(request, options).await;
        let (head, body) = answer.map_err(|error| error.to_string())?.into_parts();
        if head.status != StatusCode::OK {
            // A redirect as well: whoever follows it trusts another host.
            return Err(format!("the answer is {}, not 200 OK", head.status));
        }
        let body = Limited::new(body, MOST_BYTES).collect().await;
        let body = body.map_err(
            |error| match error.is::<http_body_util::LengthLimitError>() {
                true => format!("it is larger than {MOST_BYTES} bytes"),
                false => error.to_string(),
            },
        )?;
        let keys = Keys::read(&body.to_bytes())?;
        Ok((keys, self.lifetime(&head.headers)))
    }

    fn lifetime(&self, headers: &HeaderMap) -> Duration {
        lifetime(headers).max(self.timing.interval)
    }
}

impl Source {
    /// Keys among which `is_there` finds the one that is looked for, if that can be; else the keys
    /// that there are.
    ///
    /// # Errors
    /// When there are none.
    pub(super) async fn keys(&self, is_there: impl Fn(&Keys) -> bool) -> Result<Arc<Keys>, NoKeys> {
        match self {
            Self::Fixed(keys) => Ok(Arc::clone(keys)),
            Self::Remote(remote) => remote.keys(is_there).await,
        }
    }
}
