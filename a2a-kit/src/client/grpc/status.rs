//! The status of a gRPC call.
//!
//! Comes in: the headers or trailers that hold it. Goes out: nothing when it is OK, else the error,
//! which the details name.

use a2a_wire::__codegen::Violation;
use a2a_wire::rpc::{BadRequest, ErrorInfo, RetryInfo, Status};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName};
use http::response::Parts;
use http::{HeaderValue, StatusCode};
use prost::Message as _;

use crate::client::challenge::with_challenge;
use crate::client::channel::invalid_answer;
use crate::client::errors::{self, Details};
use crate::error::{Code, Error};
use crate::service::ServiceSpec;

pub(super) const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");

/// Some peers pad, some do not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What the head of an answer says, when it is not the beginning of a success.
pub(super) enum Head {
    /// The call failed.
    Status(Error),
    /// It is no gRPC: see [`not_grpc`].
    NoGrpc,
}

/// Looks at the head of an answer.
pub(super) fn in_head(service: &'static ServiceSpec, head: &Parts) -> Option<Head> {
    if head.headers.contains_key(STATUS) {
        // All there is: the status came at once.
        return check(service, &head.headers)
            .err()
            .map(|error| with_challenge(error, &head.headers))
            .map(|error| Head::Status(error.with_peer_status(head.status.as_u16())));
    }
    let content_type = head
        .headers
        .get(CONTENT_TYPE)
        .map_or(&b""[..], HeaderValue::as_bytes);
    let is_grpc = content_type
        .strip_prefix(b"application/grpc")
        .is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(b"+proto") || rest.starts_with(b";")
        });
    (head.status != StatusCode::OK || !is_grpc).then_some(Head::NoGrpc)
}

/// The error of an answer that is no gRPC: it came from something on the way, or from a server of
/// another kind.
pub(super) fn not_grpc(service: &'static ServiceSpec, head: &Parts, body: &[u8]) -> Error {
    let status = head.status;
    if status.is_success() {
        let found = head
            .headers
            .get(CONTENT_TYPE)
            .map_or("no Content-Type".into(), |value| {
                String::from_utf8_lossy(value.as_bytes())
            });
        let message = format!(
            "the server does not speak gRPC here: it answered {status} with {found}{}",
            errors::preview(body)
        );
        return invalid_answer(service, message)
            .with_peer_status(status.as_u16())
            .with_peer_body(body);
    }
    if status.is_redirection() {
        return errors::from_http(service, status, &head.headers, body);
    }
    // The table of the gRPC specification: here 404 is a missing method, never a missing resource.
    let code = match status.as_u16() {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502 | 503 | 504 => Code::Unavailable,
        _ => Code::Unknown,
    };
    let message = format!(
        "the server does not speak gRPC here: it answered {status}{}",
        errors::preview(body)
    );
    errors::with_head(Error::new(code, message), status, &head.headers, body)
}

/// Reads the status of a call that has one.
///
/// # Errors
/// What the status says, unless it is OK.
pub(super) fn check(service: &'static ServiceSpec, headers: &HeaderMap) -> Result<(), Error> {
    let number = headers
        .get(STATUS)
        .and_then(|status| status.to_str().ok())
        .and_then(|status| status.trim().parse().ok());
    if number == Some(0) {
        return Ok(());
    }
    let code = number.and_then(Code::from_number).unwrap_or(Code::Unknown);
    let message = headers.get(MESSAGE).map_or(&b""[..], HeaderValue::as_bytes);
    let mut message = percent_encoding::percent_decode(message)
        .decode_utf8_lossy()
        .into_owned();
    let mut details = Details::default();
    if let Some(status) = headers.get(DETAILS).and_then(status) {
        for any in &status.details {
            match any.type_url.rsplit('/').next() {
                Some("google.rpc.ErrorInfo") => {
                    let ErrorInfo {
                        reason,
                        domain,
                        metadata,
                    } = ErrorInfo::decode(any.value.clone()).unwrap_or_default();
                    details.info(reason, domain, metadata);
                }
                Some("google.rpc.BadRequest") => {
                    let faults = BadRequest::decode(any.value.clone())
                        .unwrap_or_default()
                        .field_violations;
                    details.faults(faults.into_iter().map(|fault| Violation {
                        field: fault.field,
                        description: fault.description,
                    }));
                }
                Some("google.rpc.RetryInfo") => {
                    let retry = RetryInfo::decode(any.value.clone()).unwrap_or_default();
                    details.retry(retry.retry_delay);
                }
                _ => {}
            }
        }
        if message.is_empty() {
            message = status.message;
        }
    }
    Err(errors::make(service, None, code, &message, details))
}

fn status(header: &HeaderValue) -> Option<Status> {
    let bytes = BASE64.decode(header.as_bytes().trim_ascii()).ok()?;
    Status::decode(&bytes[..]).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use a2a_wire::rpc::{FieldViolation, pack};

    use super::*;
    use crate::A2A_SERVICE;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    fn details(details: Vec<a2a_wire::types::Any>, message: &str) -> String {
        let status = Status {
            code: 5,
            message: message.to_owned(),
            details,
        };
        base64::engine::general_purpose::STANDARD.encode(status.encode_to_vec())
    }

    fn info(reason: &str, domain: &str) -> a2a_wire::types::Any {
        let metadata = BTreeMap::from([("taskId".to_owned(), "t1".to_owned())]);
        pack(
            "google.rpc.ErrorInfo",
            &ErrorInfo {
                reason: reason.to_owned(),
                domain: domain.to_owned(),
                metadata,
            },
        )
    }

    #[test]
    fn ok_is_no_error() {
        assert!(check(&A2A_SERVICE, &headers(&[(STATUS, "0"), (MESSAGE, "fine")])).is_ok());
    }

    #[test]
    fn the_reason_names_the_error_whatever_the_status() {
        for padded in [true, false] {
            let mut text = details(vec![info("TASK_NOT_FOUND", "a2a-protocol.org")], "");
            if !padded {
                text = text.trim_end_matches('=').to_owned();
            }
            let error = check(
                &A2A_SERVICE,
                &headers(&[
                    (STATUS, "12"),
                    (MESSAGE, "no%20task%20%E2%82%ac"),
                    (DETAILS, &text),
                ]),
            )
            .unwrap_err();
            assert!(error.is_task_not_found());
            assert_eq!(error.message(), "no task €");
            assert_eq!(error.metadata()["taskId"], "t1");
        }
    }

    #[test]
    fn a_status_alone_names_no_error_of_the_protocol() {
        let foreign = details(vec![info("TASK_NOT_FOUND", "elsewhere.example")], "");
        for headers in [
            headers(&[(STATUS, "5"), (MESSAGE, "gone")]),
            headers(&[(STATUS, "5"), (MESSAGE, "gone"), (DETAILS, &foreign)]),
        ] {
            let error = check(&A2A_SERVICE, &headers).unwrap_err();
            assert_eq!(
                (error.code(), error.spec(), error.message()),
                (Code::NotFound, None, "gone")
            );
        }
    }

    #[test]
    fn wrong_fields_are_listed() {
        let faults = BadRequest {
            field_violations: vec![FieldViolation {
                field: "message.parts".to_owned(),
                description: "must not be empty".to_owned(),
            }],
        };
        let text = details(
            vec![pack("google.rpc.BadRequest", &faults)],
            "from the details",
        );
        let error = check(&A2A_SERVICE, &headers(&[(STATUS, "3"), (DETAILS, &text)])).unwrap_err();
        assert_eq!(
            (error.code(), error.message()),
            (Code::InvalidArgument, "from the details")
        );
        assert_eq!(error.violations()[0].field, "message.parts");
    }

    #[test]
    fn when_to_try_again_is_said_by_the_details() {
        let retry = |retry_delay| pack("google.rpc.RetryInfo", &RetryInfo { retry_delay });
        let half = Some(a2a_wire::types::Duration::new(0, 500_000_000));
        for (given, expected) in [
            (half, Some(Duration::from_millis(500))),
            (Some(a2a_wire::types::Duration::new(-1, 0)), None),
            (None, None),
        ] {
            let text = details(vec![retry(given)], "");
            let error =
                check(&A2A_SERVICE, &headers(&[(STATUS, "8"), (DETAILS, &text)])).unwrap_err();
            assert_eq!(error.retry_after(), expected);
            assert!(error.is_resource_exhausted());
        }
    }

    #[test]
    fn broken_statuses_are_errors_all_the_same() {
        let cases = [
            headers(&[(STATUS, "x")]),
            headers(&[(STATUS, "99")]),
            headers(&[(STATUS, "-1"), (DETAILS, "!!!")]),
            headers(&[(STATUS, ""), (DETAILS, "AAAA")]),
            headers(&[(STATUS, "2"), (MESSAGE, "%ff%zz")]),
        ];
        for case in cases {
            let error = check(&A2A_SERVICE, &case).unwrap_err();
            assert_eq!(error.code(), Code::Unknown);
            assert!(!error.message().is_empty());
        }
    }
}
