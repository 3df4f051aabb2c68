use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream;
use http_body::{Frame, SizeHint};

use super::*;

fn head() -> http::request::Parts {
    http::Request::post("/").body(()).unwrap().into_parts().0
}

fn chunked(chunks: Vec<Bytes>) -> Body {
    Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, BoxError>)))
}

async fn read(body: Body, limit: usize) -> Result<Bytes, Error> {
    Intake::new(limit, None).read(&head(), body).await
}

#[tokio::test]
async fn the_limit_holds_at_the_exact_byte_however_the_body_comes() {
    for limit in [0_usize, 1, 10, 100_000] {
        for size in [limit.saturating_sub(1), limit, limit + 1] {
            let bytes = Bytes::from(vec![b'x'; size]);
            let ways: [Body; 4] = [
                Body::full(bytes.clone()),
                Body::chained([
                    bytes.slice(..size / 2),
                    Bytes::new(),
                    bytes.slice(size / 2..),
                ]),
                chunked(bytes.chunks(7).map(Bytes::copy_from_slice).collect()),
                chunked(vec![Bytes::new(), bytes.clone(), Bytes::new()]),
            ];
            for (index, way) in ways.into_iter().enumerate() {
                let result = read(way, limit).await;
                if size <= limit {
                    assert_eq!(
                        result.unwrap(),
                        bytes,
                        "limit {limit}, size {size}, way {index}"
                    );
                } else {
                    let error = result.unwrap_err();
                    assert_eq!(
                        (error.http_status(), error.json_rpc_code(), error.code()),
                        (413, -32600, Code::ResourceExhausted)
                    );
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
    let never =
        http_body_util::StreamBody::new(stream::pending::<Result<Frame<Bytes>, BoxError>>());
    struct Claims<B>(B);
    impl<B: http_body::Body<Data = Bytes, Error = BoxError> + Unpin> http_body::Body for Claims<B> {
        type Data = Bytes;
        type Error = BoxError;
        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            Pin::new(&mut self.0).poll_frame(cx)
        }
        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(1 << 40)
        }
    }
    // It would wait for ever if it were read before it is refused.
    assert_eq!(
        read(Body::new(Claims(never)), 1 << 20)
            .await
            .unwrap_err()
            .http_status(),
        413
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error_of_the_client() {
    let body = Body::from_stream(stream::iter([
        Ok(Bytes::from_static(b"{\"a\"")),
        Err(BoxError::from("reset")),
    ]));
    let error = read(body, 100).await.unwrap_err();
    assert_eq!(
        (error.code(), error.json_rpc_code()),
        (Code::InvalidArgument, -32700)
    );
    assert_eq!(error.message(), "the request body broke off: reset");
}

#[tokio::test]
async fn all_requests_together_have_a_limit_too() {
    let intake = Intake::new(1 << 20, Some(2 << 20));
    let large = || chunked(vec![Bytes::from(vec![b'x'; 500_000]); 2]);
    let mut kept = Vec::new();
    kept.push(intake.read(&head(), large()).await.unwrap());
    kept.push(intake.read(&head(), large()).await.unwrap());
    let error = intake.read(&head(), large()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.http_status(), error.retry_after()),
        (Code::Unavailable, 503, Some(Duration::from_secs(1)))
    );
    // Small requests are served still.
    assert_eq!(
        intake
            .read(&head(), chunked(vec![Bytes::from(vec![b'x'; 30_000]); 2]))
            .await
            .unwrap()
            .len(),
        60_000
    );
    // The room comes back with the last part of a request.
    let part = kept.pop().unwrap().slice(5..10);
    assert!(intake.read(&head(), large()).await.is_err());
    drop(part);
    assert_eq!(
        intake.read(&head(), large()).await.unwrap().len(),
        1_000_000
    );
    // Also when a request broke off.
    let pieces = [
        Ok(Bytes::from(vec![b'x'; 500_000])),
        Ok(Bytes::from(vec![b'x'; 500_000])),
        Err(BoxError::from("reset")),
    ];
    assert_eq!(
        intake
            .read(&head(), Body::from_stream(stream::iter(pieces)))
            .await
            .unwrap_err()
            .code(),
        Code::InvalidArgument
    );
    drop(kept);
    assert_eq!(intake.room.available_permits(), 2 << 10);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_is_given_up() {
    let start = tokio::time::Instant::now();
    let slow = stream::unfold(0, |count| async move {
        tokio::time::sleep(if count < 5 {
            Duration::from_secs(29)
        } else {
            Duration::from_secs(31)
        })
        .await;
        Some((
            Ok::<_, BoxError>(Frame::data(Bytes::from_static(b"x"))),
            count + 1,
        ))
    });
    let body = body::patient(
        http_body_util::StreamBody::new(Box::pin(slow)),
        Duration::from_secs(30),
    );
    let error = Intake::default().read(&head(), body).await.unwrap_err();
    assert_eq!(
        (error.http_status(), start.elapsed().as_secs()),
        (408, 5 * 29 + 30)
    );
    assert_eq!(
        error.message(),
        "the request stalled: nothing came for 30 seconds"
    );
}
