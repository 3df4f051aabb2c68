use futures_util::stream;

use super::*;

fn head(version: http::Version) -> http::request::Parts {
    let mut parts = http::Request::post("/").body(()).unwrap().into_parts().0;
    parts.version = version;
    parts
}

fn chunked(chunks: Vec<Bytes>) -> Body {
    Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, BoxError>)))
}

async fn read(body: Body, limit: usize) -> Result<Bytes, Error> {
    read_limited(&head(http::Version::HTTP_11), body, limit).await
}

#[tokio::test]
async fn the_limit_holds_at_the_exact_byte_however_the_body_comes() {
    for limit in [0_usize, 1, 10, 100_000] {
        for size in [limit.saturating_sub(1), limit, limit + 1] {
            let bytes = Bytes::from(vec![b'x'; size]);
            let ways: [Body; 4] = [
                Body::full(bytes.clone()),
                Body::chained([bytes.slice(..size / 2), Bytes::new(), bytes.slice(size / 2..)]),
                chunked(bytes.chunks(7).map(Bytes::copy_from_slice).collect()),
                chunked(vec![Bytes::new(), bytes.clone(), Bytes::new()]),
            ];
            for (index, way) in ways.into_iter().enumerate() {
                let result = read(way, limit).await;
                if size <= limit {
                    assert_eq!(result.unwrap(), bytes, "limit {limit}, size {size}, way {index}");
                } else {
                    let error = result.unwrap_err();
                    assert_eq!((error.http_status(), error.json_rpc_code(), error.code()), (413, -32600, Code::ResourceExhausted));
                    assert!(!error.has_details(), "an error of routing");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_body_in_one_piece_is_not_copied() {
    let bytes = Bytes::from(vec![b'x'; 1000]);
    let read = read(chunked(vec![bytes.clone()]), 2000).await.unwrap();
    assert_eq!(read.as_ptr(), bytes.as_ptr());
}

#[tokio::test]
async fn a_body_that_claims_to_be_too_large_is_not_read() {
    let never = http_body_util::StreamBody::new(stream::pending::<Result<Frame<Bytes>, BoxError>>());
    struct Claims<B>(B);
    impl<B: HttpBody<Data = Bytes, Error = BoxError> + Unpin> HttpBody for Claims<B> {
        type Data = Bytes;
        type Error = BoxError;
        fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            Pin::new(&mut self.0).poll_frame(cx)
        }
        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(1 << 40)
        }
    }
    // It would wait for ever if it were read before it is refused.
    assert_eq!(read(Body::new(Claims(never)), 1 << 20).await.unwrap_err().http_status(), 413);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error_of_the_client() {
    let body = Body::from_stream(stream::iter([Ok(Bytes::from_static(b"{\"a\"")), Err(BoxError::from("reset"))]));
    let error = read(body, 100).await.unwrap_err();
    assert_eq!((error.code(), error.json_rpc_code()), (Code::InvalidArgument, -32700));
    assert_eq!(error.message(), "the request body broke off: reset");
}

#[tokio::test]
async fn the_rest_of_a_refused_request_is_read_only_where_it_helps() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let read_chunks = |parts: http::request::Parts| async move {
        let read = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&read);
        let (done, ended) = tokio::sync::oneshot::channel::<()>();
        let chunks = stream::iter((0..10).map(move |_| {
            let _ = &done;
            count.fetch_add(1, Ordering::SeqCst);
            Ok::<_, BoxError>(Bytes::from_static(b"x"))
        }));
        drain(&parts, Body::from_stream(chunks));
        // Ends when the body is dropped, read or not.
        ended.await.unwrap_err();
        read.load(Ordering::SeqCst)
    };
    assert_eq!(read_chunks(head(http::Version::HTTP_11)).await, 10);
    assert_eq!(read_chunks(head(http::Version::HTTP_2)).await, 0);
    let mut waiting = head(http::Version::HTTP_11);
    waiting.headers.insert("expect", "100-continue".parse().unwrap());
    assert_eq!(read_chunks(waiting).await, 0);
}

#[test]
fn bodies_say_their_size() {
    assert_eq!(Body::empty().size_hint().exact(), Some(0));
    assert!(Body::empty().is_end_stream());
    let chained = Body::chained([Bytes::from_static(b"ab"), Bytes::new(), Bytes::from_static(b"c")]);
    assert_eq!(chained.size_hint().exact(), Some(3));
    assert!(!chained.is_end_stream());
}
