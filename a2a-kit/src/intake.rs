//! How much of their requests clients may make the server hold.
//!
//! Comes in: the body of a request. Goes out: its bytes, never more than the limit of one request,
//! and never more for all requests together than the server has for them. A request that finds no
//! room is refused for the moment, not queued: queued ones would hold what they have got so far.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body as _;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::body::{self, Body, BoxError};
use crate::error::{Code, Error};

/// What a request may weigh, unless the server says otherwise.
pub(crate) const LIMIT: usize = 32 << 20;
/// How many requests of the largest size may be held at a time, unless the server says otherwise.
const SHARES: usize = 16;
/// Requests up to this size are not counted: connections are limited already.
const FREE: usize = 64 << 10;
/// Room is counted in these, so that the sum fits into a semaphore.
const UNIT: usize = 1 << 10;

/// Takes in requests. Clones share their room.
#[derive(Clone, Debug)]
pub(crate) struct Intake {
    limit: usize,
    room: Arc<Semaphore>,
}

impl Default for Intake {
    fn default() -> Self {
        Self::new(LIMIT, None)
    }
}

impl Intake {
    /// `limit` is for one request, `total` for all of them: sixteen times the limit when not given,
    /// and never less than one request.
    pub(crate) fn new(limit: usize, total: Option<usize>) -> Self {
        let total = total.unwrap_or(limit.saturating_mul(SHARES)).max(limit);
        Self {
            limit,
            room: Arc::new(Semaphore::new(units(total).min(Semaphore::MAX_PERMITS))),
        }
    }

    /// What one request may weigh.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Reads the whole body of a request.
    ///
    /// When it is refused, the rest is read and thrown away beside (see [`body::drain`]).
    ///
    /// # Errors
    /// A body that is too large (HTTP 413, resource exhausted), one that broke off or stalled, and
    /// any larger one when there is no room (HTTP 503).
    pub(crate) async fn read(
        &self,
        request: &http::request::Parts,
        mut body: Body,
    ) -> Result<Bytes, Error> {
        let result = self.collect(&mut body).await;
        if result.is_err() {
            body::drain(request, body);
        }
        result
    }

    async fn collect(&self, body: &mut Body) -> Result<Bytes, Error> {
        let hint = body.size_hint();
        if hint.lower() > self.limit as u64 {
            return Err(too_large(self.limit));
        }
        let Some(first) = next_data(body).await? else {
            return Ok(Bytes::new());
        };
        if first.len() > self.limit {
            return Err(too_large(self.limit));
        }
        if hint.exact() == Some(first.len() as u64) {
            return Ok(first);
        }
        let Some(mut next) = next_data(body).await? else {
            return Ok(first);
        };
        // No more than the bytes that came are believed: the claimed length only caps the growth.
        let most = hint
            .exact()
            .and_then(|exact| usize::try_from(exact).ok())
            .unwrap_or(self.limit);
        let mut all = Vec::with_capacity(most.min(FREE).max(first.len()));
        let mut room = None;
        self.grow(&mut room, all.capacity())?;
        all.extend_from_slice(&first);
        drop(first);
        loop {
            let needed = all.len() + next.len();
            if needed > self.limit {
                return Err(too_large(self.limit));
            }
            if needed > all.capacity() {
                let target = needed.max(most.min(all.capacity().saturating_mul(2)));
                self.grow(&mut room, target)?;
                all.reserve_exact(target - all.len());
            }
            all.extend_from_slice(&next);
            match next_data(body).await? {
                Some(data) => next = data,
                None => return Ok(held(Bytes::from(all), room)),
            }
        }
    }

    /// Room for so many bytes, until it is dropped.
    ///
    /// # Errors
    /// Unavailable (HTTP 503), with a time to try again.
    #[cfg(feature = "grpc")]
    pub(crate) fn room(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let mut room = None;
        self.grow(&mut room, bytes).map(|()| room)
    }

    fn grow(&self, room: &mut Option<OwnedSemaphorePermit>, bytes: usize) -> Result<(), Error> {
        let held = room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = units(bytes).saturating_sub(held);
        if bytes <= FREE || wanted == 0 {
            return Ok(());
        }
        match Arc::clone(&self.room)
            .try_acquire_many_owned(u32::try_from(wanted).unwrap_or(u32::MAX))
        {
            Ok(more) => match room {
                Some(room) => room.merge(more),
                None => *room = Some(more),
            },
            Err(_) => {
                return Err(Error::new(
                    Code::Unavailable,
                    "the server holds as many large requests as it can; try again",
                )
                .with_retry_after(Duration::from_secs(1)));
            }
        }
        Ok(())
    }
}

/// Bytes that give their room back when the last of them are dropped.
pub(crate) fn held(bytes: Bytes, room: Option<OwnedSemaphorePermit>) -> Bytes {
    struct Held(
        Bytes,
        #[allow(dead_code, reason = "held, not read")] OwnedSemaphorePermit,
    );

    impl AsRef<[u8]> for Held {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    match room {
        Some(room) => Bytes::from_owner(Held(bytes, room)),
        None => bytes,
    }
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT)
}

/// The next buffer that holds a byte.
async fn next_data(body: &mut Body) -> Result<Option<Bytes>, Error> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(broken)?;
        if let Ok(data) = frame.into_data()
            && !data.is_empty()
        {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The error of a request that is larger than the server takes.
pub(crate) fn too_large(limit: usize) -> Error {
    Error::new(
        Code::ResourceExhausted,
        format!("the request is larger than the {limit} bytes that this server takes"),
    )
    .with_http_status(413)
    .with_json_rpc_code(-32600)
}

fn broken(error: BoxError) -> Error {
    if error.is::<body::Stalled>() {
        return Error::new(Code::DeadlineExceeded, error.to_string())
            .with_http_status(408)
            .with_source(error);
    }
    Error::new(
        Code::InvalidArgument,
        format!("the request body broke off: {error}"),
    )
    .with_json_rpc_code(-32700)
    .with_source(error)
}

#[cfg(test)]
mod tests;
