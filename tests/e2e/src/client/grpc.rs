//! gRPC, framed by hand.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::{BufMut as _, Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::events::Messages;
use super::http::Connection;
use super::reflect::{decode, encode, messages_of};
use super::{Answer, Binding, Client, Events, Fault, Outcome};

/// A message with its prefix.
#[must_use]
pub(crate) fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(5 + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).expect("a message of 32 bits"));
    framed.put_slice(message);
    framed.freeze()
}

impl Client {
    /// Calls an operation with a body as it is, frames and all; returns the one message of the
    /// answer.
    ///
    /// # Errors
    /// The status of the call.
    ///
    /// # Panics
    /// When the answer breaks the rules of gRPC.
    pub async fn grpc_raw(
        &self,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<(Bytes, HeaderMap), Fault> {
        let mut messages = self.grpc_send(path, body.into()).await?;
        let headers = messages.headers.clone();
        let message = messages.next().await.expect("an answer has a message")?;
        match messages.next().await {
            None => Ok((message, headers)),
            Some(Ok(_)) => panic!("an answer has one message"),
            Some(Err(fault)) => panic!("a message and then an error: {fault:?}"),
        }
    }

    /// Calls an operation with an encoded message.
    ///
    /// # Errors
    /// The status of the call.
    ///
    /// # Panics
    /// When the answer breaks the rules of gRPC.
    pub async fn grpc_message(&self, operation: &str, message: &[u8]) -> Outcome {
        let (message, headers) = self.grpc_raw(&path(operation), frame(message)).await?;
        Ok(Answer {
            value: decode(&messages_of(operation).1, message),
            headers,
        })
    }

    async fn grpc_send(&self, path: &str, body: Bytes) -> Result<Messages, Fault> {
        let path = if self.query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", self.query)
        };
        let mut request = Request::post(path).header("te", "trailers");
        if let Some(content_type) = &self.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let mut request = request.body(body).expect("a request");
        request.headers_mut().extend(self.headers.clone());
        let response = Connection::http2(self.addr).await.send(request).await;
        begin(response)
    }

    pub(super) async fn grpc_call(&self, operation: &str, request: Value) -> Outcome {
        self.grpc_message(operation, &encode(&messages_of(operation).0, &request))
            .await
    }

    pub(super) async fn grpc_open(&self, operation: &str, request: Value) -> Result<Events, Fault> {
        let (request_name, event_name) = messages_of(operation);
        let body = frame(&encode(&request_name, &request));
        Ok(Events::grpc(
            self.grpc_send(&path(operation), body).await?,
            event_name,
        ))
    }
}

fn path(operation: &str) -> String {
    format!("/lf.a2a.v1.A2AService/{operation}")
}

fn begin(response: Response<Incoming>) -> Result<Messages, Fault> {
    let (parts, body) = response.into_parts();
    assert_eq!(parts.status, 200, "gRPC answers with 200: {parts:?}");
    assert_eq!(parts.headers[CONTENT_TYPE], "application/grpc", "{parts:?}");
    match status(&parts.headers) {
        Some(fault) => Err(fault),
        None => Ok(Messages::new(parts.headers, body)),
    }
}

/// The status in headers or trailers; `None` when it is OK or there is none.
///
/// # Panics
/// When it is none of gRPC.
#[must_use]
pub fn status(headers: &HeaderMap) -> Option<Fault> {
    let text = |name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().expect("a status is plain text"))
    };
    let code: i64 = text("grpc-status")?.parse().expect("a status is a number");
    if code == 0 {
        return None;
    }
    let message = text("grpc-message")
        .map(|message| percent_decode_str(message).decode_utf8().expect("UTF-8"));
    let message = message.unwrap_or_default().into_owned();
    let details = text("grpc-status-details-bin").map(|packed| {
        // Servers may leave the padding out, and clients must not mind.
        let lenient =
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let packed = GeneralPurpose::new(&STANDARD, lenient)
            .decode(packed)
            .expect("details are base64");
        let status = decode("google.rpc.Status", packed.as_slice());
        assert_eq!(
            status["code"].as_i64(),
            Some(code),
            "both codes are the same: {status}"
        );
        assert_eq!(
            status["message"].as_str().unwrap_or_default(),
            message,
            "both messages are the same"
        );
        status["details"].as_array().cloned().unwrap_or_default()
    });
    Some(Fault {
        binding: Binding::Grpc,
        http: 200,
        code,
        status: None,
        message,
        details: details.unwrap_or_default(),
        headers: headers.clone(),
    })
}
