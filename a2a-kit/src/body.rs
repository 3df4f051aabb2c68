//! HTTP bodies of the routers.
//!
//! Comes in: the body of a request, from any server. Goes out: its bytes, never more than the
//! limit; and the body of an answer, made of shared buffers that are not copied.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt as _;

use crate::error::{Code, Error};
use crate::weight;

/// Any error of a body.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// What is read and thrown away of a refused request, at most.
const DRAIN_BYTES: u64 = 64 << 20;
/// How long that may take.
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// What is reserved at once for a request, whatever length it claims.
const FIRST_RESERVE: usize = 64 << 10;

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

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
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
        f.debug_struct("Body").field("least", &hint.lower()).field("most", &hint.upper()).finish()
    }
}

/// Reads the whole body of a JSON request, at most `limit` bytes of it.
///
/// When it is refused, the rest is read and thrown away beside (see [`drain`]).
///
/// # Errors
/// A body that is too large (HTTP 413, resource exhausted), one that would become too large when
/// it is read, or one that broke off.
pub(crate) async fn read_limited(
    request: &http::request::Parts,
    mut body: Body,
    limit: usize,
) -> Result<Bytes, Error> {
    match collect(&mut body, limit).await {
        Ok(text) => weight::check_json(&text, limit).map(|()| text),
        Err(error) => {
            drain(request, body);
            Err(error)
        }
    }
}

async fn collect(body: &mut Body, limit: usize) -> Result<Bytes, Error> {
    let hint = body.size_hint();
    if hint.lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let Some(first) = next_data(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(too_large(limit));
    }
    if hint.exact() == Some(first.len() as u64) {
        return Ok(first);
    }
    let Some(second) = next_data(body).await? else { return Ok(first) };
    // No more than the bytes that came are believed: the claimed length only caps the growth.
    let most = hint.exact().map_or(limit, |exact| usize::try_from(exact).unwrap_or(limit));
    let mut all = Vec::with_capacity(most.min(FIRST_RESERVE.max(first.len() + second.len())));
    all.extend_from_slice(&first);
    let mut next = second;
    loop {
        let needed = all.len() + next.len();
        if needed > limit {
            return Err(too_large(limit));
        }
        if needed > all.capacity() {
            let target = needed.max(most.min(all.capacity() * 2));
            all.reserve_exact(target - all.len());
        }
        all.extend_from_slice(&next);
        match next_data(body).await? {
            Some(data) => next = data,
            None => return Ok(Bytes::from(all)),
        }
    }
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
    Error::new(Code::InvalidArgument, format!("the request body broke off: {error}"))
        .with_json_rpc_code(-32700)
        .with_source(error)
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
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    runtime.spawn(tokio::time::timeout(DRAIN_TIME, async move {
        let mut left = DRAIN_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let read = frame.data_ref().map_or(0, |data| data.len() as u64);
            let Some(rest) = left.checked_sub(read) else { return };
            left = rest;
        }
    }));
}

#[cfg(test)]
mod tests;
