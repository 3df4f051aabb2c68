use futures_util::stream;

use super::*;

fn head(version: http::Version) -> http::request::Parts {
    let mut parts = http::Request::post("/").body(()).unwrap().into_parts().0;
    parts.version = version;
    parts
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
    waiting
        .headers
        .insert("expect", "100-continue".parse().unwrap());
    assert_eq!(read_chunks(waiting).await, 0);
}

#[test]
fn bodies_say_their_size() {
    assert_eq!(Body::empty().size_hint().exact(), Some(0));
    assert!(Body::empty().is_end_stream());
    let chained = Body::chained([
        Bytes::from_static(b"ab"),
        Bytes::new(),
        Bytes::from_static(b"c"),
    ]);
    assert_eq!(chained.size_hint().exact(), Some(3));
    assert!(!chained.is_end_stream());
}
