//! HTTP bodies of routers and clients.
//!
//! Comes in: shared buffers, which are not copied, or any other body. Goes out: one type of body.
//! What only servers do with the body of a request is in `read`.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use futures_core::Stream;
use http_body::{Body as HttpBody, Frame, SizeHint};

#[cfg(feature = "server")]
mod read;
#[cfg(feature = "server")]
pub(crate) use read::{Stalled, drain, patient, without_body};

/// Any error of a body.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// The body of a request or an answer: nothing, a few buffers, or a stream.
///
/// ```
/// use a2a_kit::Body;
/// let body = Body::full("hello");
/// assert_eq!(http_body::Body::size_hint(&body).exact(), Some(5));
/// ```
pub struct Body(Kind);

enum Kind {
    Chunks([Bytes; 3]),
    Stream(Pin<Box<dyn HttpBody<Data = Bytes, Error = BoxError> + Send>>),
}

impl Body {
    /// A body without a byte.
    #[must_use]
    pub fn empty() -> Self {
        Self::chained([Bytes::new(), Bytes::new(), Bytes::new()])
    }

    /// A body of one buffer.
    #[must_use]
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self::chained([bytes.into(), Bytes::new(), Bytes::new()])
    }

    /// A body of several buffers, one after the other; none of them is copied.
    pub(crate) fn chained(chunks: [Bytes; 3]) -> Self {
        Self(Kind::Chunks(chunks))
    }

    /// Any other body, its type forgotten.
    #[must_use]
    pub fn new<B>(body: B) -> Self
    where
        B: HttpBody + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(Kind::Stream(Box::pin(Erased { body })))
    }

    /// A body whose buffers come one by one.
    #[must_use]
    pub fn from_stream<S, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<Bytes, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        use futures_util::TryStreamExt as _;
        Self::new(http_body_util::StreamBody::new(stream.map_ok(Frame::data)))
    }
}

pin_project_lite::pin_project! {
    /// Another body, with our data and error. (`map_frame` would forget the size.)
    struct Erased<B> {
        #[pin]
        body: B,
    }
}

impl<B> HttpBody for Erased<B>
where
    B: HttpBody,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(self.project().body.poll_frame(cx));
        Poll::Ready(frame.map(|frame| match frame {
            Ok(frame) => Ok(frame.map_data(|mut data| data.copy_to_bytes(data.remaining()))),
            Err(error) => Err(error.into()),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.get_mut().0 {
            Kind::Chunks(chunks) => {
                let next = chunks.iter_mut().find(|chunk| !chunk.is_empty());
                Poll::Ready(next.map(|chunk| Ok(Frame::data(std::mem::take(chunk)))))
            }
            Kind::Stream(body) => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Chunks(chunks) => chunks.iter().all(Bytes::is_empty),
            Kind::Stream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Chunks(chunks) => {
                SizeHint::with_exact(chunks.iter().map(|chunk| chunk.len() as u64).sum())
            }
            Kind::Stream(body) => body.size_hint(),
        }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        Self::full(bytes)
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = self.size_hint();
        f.debug_struct("Body")
            .field("least", &hint.lower())
            .field("most", &hint.upper())
            .finish()
    }
}

#[cfg(all(test, feature = "server"))]
mod tests;
