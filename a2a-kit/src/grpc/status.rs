//! gRPC statuses.
//!
//! Comes in: an error. Goes out: the status of the call, with `google.rpc.Status` in
//! `grpc-status-details-bin`. Statuses travel as headers, which clients limit (to 8 KiB by
//! default, some of them), so long ones are cut where they stay readable.

use a2a_wire::rpc;
use bytes::Bytes;
use prost::Message as _;
use tonic::{Code, Status};

use crate::error::{Error, ErrorStyle, cut};
use crate::service::ServiceSpec;

/// How much of a message is sent.
const LONGEST_MESSAGE: usize = 1024;
/// How large the details may be; base64 makes a third more of it.
const MOST_DETAILS: usize = 4096;

/// The status of an error, as the version of a service has it.
pub(super) fn of(service: &ServiceSpec, error: &Error) -> Status {
    let error = error.clone().in_terms_of(service);
    match (service.error_style, error.spec()) {
        (ErrorStyle::CodeAndMessage, Some(spec)) => {
            with_message(&error, &format!("{}: {}", spec.name, error.message()))
        }
        _ => plain(&error),
    }
}

/// The status of an error that all versions say alike: one of the call, not of the protocol.
pub(super) fn plain(error: &Error) -> Status {
    with_message(error, error.message())
}

fn with_message(error: &Error, message: &str) -> Status {
    let code = Code::from_i32(error.code() as i32);
    let message = cut(message, LONGEST_MESSAGE);
    if !error.has_details() {
        return Status::new(code, message);
    }
    let mut details = rpc::Status {
        code: error.code() as i32,
        message: String::new(),
        details: error.details(),
    };
    if details.encoded_len() > MOST_DETAILS {
        let short = shortened(error);
        let short = match error.retry_after() {
            Some(delay) => short.with_retry_after(delay),
            None => short,
        };
        details.details = short.details();
    }
    message.clone_into(&mut details.message);
    Status::with_details(code, message, Bytes::from(details.encode_to_vec()))
}

/// The error with as many of its violations as fit, and its facts only when all of them fit.
fn shortened(error: &Error) -> Error {
    if let Some(spec) = error.spec() {
        let facts: usize = error
            .metadata()
            .iter()
            .map(|(key, value)| key.len() + value.len() + 8)
            .sum();
        let short = Error::from_spec(spec, "");
        return match facts <= MOST_DETAILS {
            true => error
                .metadata()
                .iter()
                .fold(short, |short, (key, value)| short.with_metadata(key, value)),
            false => short,
        };
    }
    let mut left = MOST_DETAILS;
    let fitting = error.violations().iter().take_while(|violation| {
        let size = violation.field.len() + violation.description.len() + 16;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    Error::invalid(fitting.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::PROBE;

    fn details(status: &Status) -> rpc::Status {
        rpc::Status::decode(status.details()).unwrap()
    }

    #[test]
    fn an_error_of_the_protocol_is_named_in_the_details() {
        let status = of(
            &PROBE,
            &Error::task_not_found("no task t1").with_metadata("taskId", "t1"),
        );
        assert_eq!(
            (status.code(), status.message()),
            (Code::NotFound, "no task t1")
        );
        let found = details(&status);
        assert_eq!((found.code, found.message.as_str()), (5, "no task t1"));
        let info = rpc::ErrorInfo::decode(found.details[0].value.clone()).unwrap();
        assert_eq!(
            (info.reason.as_str(), info.domain.as_str()),
            ("TASK_NOT_FOUND", "a2a-protocol.org")
        );
    }

    #[test]
    fn an_error_without_details_has_none() {
        let status = of(
            &PROBE,
            &Error::new(crate::Code::Unimplemented, "no such method"),
        );
        assert_eq!(status.code(), Code::Unimplemented);
        assert!(status.details().is_empty());
    }

    #[test]
    fn a_status_stays_small_enough_for_headers() {
        let violations = (0..10_000)
            .map(|index| a2a_wire::__codegen::Violation {
                field: format!("parts[{index}]"),
                description: "é".repeat(40),
            })
            .collect();
        let status = of(&PROBE, &Error::invalid(violations));
        assert!(
            status.details().len() <= MOST_DETAILS + LONGEST_MESSAGE,
            "{}",
            status.details().len()
        );
        let bad = rpc::BadRequest::decode(details(&status).details[0].value.clone()).unwrap();
        assert!(bad.field_violations.len() > 10);
        assert_eq!(bad.field_violations[0].field, "parts[0]");

        let status = of(
            &PROBE,
            &Error::task_not_found("é".repeat(5000)).with_metadata("k", "v".repeat(9000)),
        );
        assert!(status.message().len() <= LONGEST_MESSAGE);
        let info = rpc::ErrorInfo::decode(details(&status).details[0].value.clone()).unwrap();
        assert_eq!(
            (info.reason.as_str(), info.metadata.len()),
            ("TASK_NOT_FOUND", 0)
        );
    }
}
