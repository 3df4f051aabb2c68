//! The body of an answer, on the clock.
//!
//! Comes in: a body as it arrives. Goes out: the same frames; or, in place of the next one, the
//! error that it did not come in time or that the connection broke.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::connect::causes;
use crate::client::transport::{TransportError, TransportErrorKind};

/// See the module.
pub(super) struct Timed<B> {
    body: B,
    place: String,
    idle: Option<Duration>,
    end: Option<Instant>,
    /// When the last frame came.
    last: Instant,
    /// Not made before something has to be waited for.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B> Timed<B> {
    pub(super) fn new(
        body: B,
        place: String,
        idle: Option<Duration>,
        end: Option<Instant>,
    ) -> Self {
        Self {
            body,
            place,
            idle,
            end,
            last: Instant::now(),
            timer: None,
        }
    }

    /// When the wait is over, and what is said then.
    fn due(&self) -> Option<(Instant, String)> {
        let idle = self
            .idle
            .and_then(|idle| Some((self.last.checked_add(idle)?, idle)));
        match (idle, self.end) {
            (Some((due, idle)), end) if end.is_none_or(|end| due < end) => Some((
                due,
                format!("nothing came from {} for {idle:?}", self.place),
            )),
            (_, Some(end)) => Some((
                end,
                format!("{} did not end its answer in time", self.place),
            )),
            (_, None) => None,
        }
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<TransportError> {
        loop {
            let Some((due, message)) = self.due() else {
                return Poll::Pending;
            };
            let timer = self
                .timer
                .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            // It is not moved with every frame, so it may be early.
            if timer.deadline() > due {
                timer.as_mut().reset(due);
            }
            std::task::ready!(timer.as_mut().poll(cx));
            if due <= timer.deadline() {
                return Poll::Ready(TransportError::new(TransportErrorKind::Timeout, message));
            }
            timer.as_mut().reset(due);
        }
    }
}

impl<B> HttpBody for Timed<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                if this.idle.is_some() {
                    this.last = Instant::now();
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => {
                let message = format!("the answer of {} broke off: {}", this.place, causes(&error));
                Poll::Ready(Some(Err(TransportError::new(
                    TransportErrorKind::Broken,
                    message,
                )
                .with_source(error))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => this.poll_timer(cx).map(|error| Some(Err(error))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
