//! The JSON-RPC 2.0 response object.
//!
//! Comes in: the id of a request and the encoded result, or an error. Goes out: the answer, in
//! which the shared bytes of the result stand as they are.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

use crate::auth;
use crate::body::Body;
use crate::details::write_text;
use crate::error::{Error, ErrorStyle};
use crate::service::ServiceSpec;

/// Results up to this size are copied between the parts of the envelope: one small buffer is
/// cheaper to send than three.
const SMALL: usize = 4 << 10;

/// What stands before a result.
pub(super) fn before(id: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(34 + id.len());
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
    out
}

/// What stands after a result.
pub(super) const AFTER: &[u8] = b"}";

/// An answer with a result.
pub(super) fn result(id: &str, result: Bytes) -> Response<Body> {
    let mut before = before(id);
    let body = if result.len() <= SMALL {
        before.reserve_exact(result.len() + AFTER.len());
        before.extend_from_slice(&result);
        before.extend_from_slice(AFTER);
        Body::full(before)
    } else {
        Body::chained([Bytes::from(before), result, Bytes::from_static(AFTER)])
    };
    json(body)
}

/// The response object of an error, on one line.
pub(super) fn error_object(service: &ServiceSpec, id: &str, error: &Error) -> Vec<u8> {
    let error = error.clone().in_terms_of(service);
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"error\":{\"code\":");
    out.extend_from_slice(error.json_rpc_code().to_string().as_bytes());
    out.extend_from_slice(b",\"message\":");
    write_text(&mut out, error.message());
    if error.has_details() && service.error_style == ErrorStyle::Status {
        out.extend_from_slice(b",\"data\":");
        error.write_details_json(&mut out);
    }
    out.extend_from_slice(b"}}");
    out
}

/// The HTTP status of an error: 200, since HTTP did its part; but what proxies and HTTP clients act
/// on keeps its own.
pub(super) fn status(error: &Error) -> StatusCode {
    match error.http_status() {
        status @ (401 | 403 | 405 | 413 | 415 | 429) => {
            StatusCode::from_u16(status).unwrap_or_default()
        }
        _ => StatusCode::OK,
    }
}

/// An answer with an error.
pub(super) fn error(service: &ServiceSpec, id: &str, error: &Error) -> Response<Body> {
    let mut response = json(Body::full(error_object(service, id, error)));
    *response.status_mut() = status(error);
    if let Some(Ok(allow)) = error.allow().map(HeaderValue::try_from) {
        response.headers_mut().insert(ALLOW, allow);
    }
    auth::add_challenges(error, response.headers_mut());
    if let Some(delay) = error.retry_after() {
        // Whole seconds, never early.
        let seconds = delay
            .as_secs()
            .saturating_add(u64::from(delay.subsec_nanos() > 0));
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn json(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
