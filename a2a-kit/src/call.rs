//! The call itself, as every router makes it.
//!
//! Comes in: an admitted call. Goes out: its answer, or an error also when the service panicked or
//! the caller's deadline has passed. One bad handler takes neither its connection nor the calls
//! beside it down.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::{Instant, Sleep};

use crate::context::CallContext;
use crate::error::{Code, Error};
use crate::limits::OpenStream;
use crate::service::{Dispatch, Input, Reply, ReplyStream};
use crate::shared::Encoded;

/// Calls an operation. `counted` ends with the stream that it is answered by.
///
/// # Errors
/// Those of the operation, a deadline that has passed, a panic.
pub(crate) async fn call(
    dispatch: &dyn Dispatch,
    operation: usize,
    context: CallContext,
    counted: Option<OpenStream>,
    input: Input<'_>,
) -> Result<Reply, Error> {
    let deadline = context.deadline().map(Instant::from_std);
    // `call` itself runs code of the service too, before there is a future.
    let answer =
        AssertUnwindSafe(async { dispatch.call(operation, context, input).await }).catch_unwind();
    let answer = match deadline {
        None => answer.await,
        Some(deadline) => match tokio::time::timeout_at(deadline, answer).await {
            Ok(answer) => answer,
            Err(_elapsed) => return Err(too_late()),
        },
    };
    match answer.unwrap_or_else(|panic| Err(panicked(&*panic)))? {
        Reply::Unary(message) => Ok(Reply::Unary(message)),
        Reply::Stream(events) => Ok(Reply::Stream(Box::pin(Guarded {
            events: Some(events),
            deadline: deadline.map(|deadline| Box::pin(tokio::time::sleep_until(deadline))),
            _counted: counted,
        }))),
    }
}

fn too_late() -> Error {
    Error::new(
        Code::DeadlineExceeded,
        "the deadline of the call has passed",
    )
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text");
    tracing::error!(panic = text, "a call panicked");
    // What a panic says is for the log: it may quote what no client should see.
    Error::internal("the agent failed while it handled the call")
}

/// A stream that ends with an error when it panics or when the deadline passes.
struct Guarded {
    events: Option<ReplyStream>,
    deadline: Option<Pin<Box<Sleep>>>,
    _counted: Option<OpenStream>,
}

impl Stream for Guarded {
    type Item = Result<Box<dyn Encoded>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let Some(events) = &mut this.events else {
            return Poll::Ready(None);
        };
        let next = match std::panic::catch_unwind(AssertUnwindSafe(|| events.poll_next_unpin(cx))) {
            Ok(next) => next,
            Err(panic) => {
                this.events = None;
                return Poll::Ready(Some(Err(panicked(&*panic))));
            }
        };
        match next {
            Poll::Ready(None) => this.events = None,
            Poll::Ready(Some(Err(error))) => {
                this.events = None;
                return Poll::Ready(Some(Err(error)));
            }
            Poll::Ready(_) => {}
            Poll::Pending => {
                if let Some(deadline) = &mut this.deadline
                    && deadline.as_mut().poll(cx).is_ready()
                {
                    this.events = None;
                    return Poll::Ready(Some(Err(too_late())));
                }
            }
        }
        next
    }
}

#[cfg(test)]
mod tests;
