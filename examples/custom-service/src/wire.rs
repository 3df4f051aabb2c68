//! A transport that shows what goes over it.
//!
//! Comes in: requests, on their way to another transport. Goes out: the same, and lines on standard
//! output: `>` for what is sent, `<` for what comes back.

use std::time::Duration;

use a2a_kit::client::{CallOptions, Transport, TransportError, TransportErrorKind};
use a2a_kit::{Body, BoxFuture};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response};
use http_body_util::BodyExt as _;

/// Prints and passes on.
#[derive(Debug, Clone)]
pub struct Printed<T>(pub T);

impl<T: Transport> Transport for Printed<T> {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let target = request
            .uri()
            .path_and_query()
            .map_or("/", |target| target.as_str());
        println!("> {} {target}", request.method());
        show(">", request.body());
        Box::pin(async move {
            let response = self.0.send(request, options).await?;
            println!("< {}", response.status());
            let (head, body) = response.into_parts();
            let is_stream = head
                .headers
                .get(CONTENT_TYPE)
                .map(HeaderValue::as_bytes)
                .is_some_and(|media_type| media_type.starts_with(b"text/event-stream"));
            let body = if is_stream {
                let mut line = Vec::new();
                Body::new(body.map_frame(move |frame| {
                    let data = frame.data_ref().map_or(&[][..], |data| data);
                    // A line may come in pieces.
                    for piece in data.split_inclusive(|byte| *byte == b'\n') {
                        line.extend_from_slice(piece);
                        if piece.ends_with(b"\n") {
                            show("<", &line);
                            line.clear();
                        }
                    }
                    frame
                }))
            } else {
                let broken = |error| {
                    TransportError::new(TransportErrorKind::Broken, "the answer broke off")
                        .with_source(error)
                };
                let body = body.collect().await.map_err(broken)?.to_bytes();
                show("<", &body);
                Body::full(body)
            };
            Ok(Response::from_parts(head, body))
        })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

fn show(mark: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines().filter(|line| !line.is_empty()) {
        println!("{mark} {line}");
    }
}
