//! The body of a request, as a server has it.
//!
//! Comes in: a body from the network. Goes out: one that does not wait for ever; or nothing, when
//! the request has been refused. And the body of an answer, which is taken away where none is wanted.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::Response;
use http::header::{CONTENT_LENGTH, HeaderValue};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::time::Sleep;

use super::{Body, BoxError};

/// What is read and thrown away of a refused request, at most.
const DRAIN_BYTES: u64 = 64 << 20;
/// How long that may take.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// The answer to `HEAD`: the head of the answer to `GET`.
pub(crate) fn without_body(response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    if let Some(length) = body.size_hint().exact() {
        let length = HeaderValue::from(length);
        parts.headers.entry(CONTENT_LENGTH).or_insert(length);
    }
    Response::from_parts(parts, Body::empty())
}

/// Reads and throws away what is left of a request that is refused, for a moment.
///
/// An HTTP/1.1 client that is still writing its body would otherwise see a reset connection in
/// place of the answer. HTTP/2 ends the one stream instead, and a client that waits for
/// `100 Continue` must not be asked to go on.
pub(crate) fn drain(request: &http::request::Parts, mut body: Body) {
    if request.version >= http::Version::HTTP_2
        || request.headers.contains_key(http::header::EXPECT)
        || body.is_end_stream()
    {
        return;
    }
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    runtime.spawn(tokio::time::timeout(DRAIN_TIME, async move {
        let mut left = DRAIN_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let read = frame.data_ref().map_or(0, |data| data.len() as u64);
            let Some(rest) = left.checked_sub(read) else {
                return;
            };
            left = rest;
        }
    }));
}

/// A body that ends with the error [`Stalled`] when nothing comes for so long.
pub(crate) fn patient<B>(body: B, patience: Duration) -> Body
where
    B: HttpBody + Send + 'static,
    B::Error: Into<BoxError>,
{
    if body.is_end_stream() {
        Body::empty()
    } else {
        Body::new(Patient {
            body,
            patience,
            timer: None,
        })
    }
}

/// Why a body ended: its client sent nothing for too long.
#[derive(Debug, thiserror::Error)]
#[error("the request stalled: nothing came for {} seconds", .0.as_secs_f32())]
pub(crate) struct Stalled(Duration);

pin_project_lite::pin_project! {
    struct Patient<B> {
        #[pin]
        body: B,
        patience: Duration,
        timer: Option<Pin<Box<Sleep>>>,
    }
}

impl<B> HttpBody for Patient<B>
where
    B: HttpBody,
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        let this = self.project();
        if let Poll::Ready(frame) = this.body.poll_frame(cx) {
            *this.timer = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let patience = *this.patience;
        let timer = this
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Some(Err(Stalled(patience).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
