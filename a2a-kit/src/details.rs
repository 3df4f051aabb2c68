//! The typed details of an error, for all three bindings.
//!
//! Comes in: an [`Error`]. Goes out: `google.rpc.ErrorInfo` when it is one of a protocol's own
//! errors, `google.rpc.BadRequest` when fields of the request are wrong, and `google.rpc.RetryInfo`
//! when it is known when to try again, as protobuf or as JSON objects with `@type`. What an older peer
//! said freely is a `google.protobuf.Value`. Errors of routing have none, so that nobody takes a
//! missing route for a missing resource.

use a2a_wire::rpc::{BadRequest, ErrorInfo, FieldViolation, RetryInfo, pack};
use a2a_wire::types::{Any, Duration, Value};

use crate::error::{Error, ErrorStyle};
use crate::service::ServiceSpec;

const ERROR_INFO: &str = "google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "google.rpc.BadRequest";
const RETRY_INFO: &str = "google.rpc.RetryInfo";
const VALUE: &str = "google.protobuf.Value";

impl Error {
    /// True when there is anything to say beyond code and message.
    pub(crate) fn has_details(&self) -> bool {
        self.spec().is_some()
            || !self.violations().is_empty()
            || self.retry_delay().is_some()
            || self.peer_data().is_some()
    }

    /// When to try again, as the wire has it.
    fn retry_delay(&self) -> Option<Duration> {
        Duration::try_from(self.retry_after()?).ok()
    }

    /// The details as protobuf.
    #[cfg_attr(
        not(feature = "grpc"),
        allow(dead_code, reason = "only gRPC sends them packed")
    )]
    pub(crate) fn details(&self) -> Vec<Any> {
        let mut details = Vec::new();
        if let Some(spec) = self.spec() {
            let info = ErrorInfo {
                reason: spec.reason.to_owned(),
                domain: spec.domain.to_owned(),
                metadata: self.metadata().clone(),
            };
            details.push(pack(ERROR_INFO, &info));
        }
        if !self.violations().is_empty() {
            let field_violations = self
                .violations()
                .iter()
                .map(|violation| FieldViolation {
                    field: violation.field.clone(),
                    description: violation.description.clone(),
                })
                .collect();
            details.push(pack(BAD_REQUEST, &BadRequest { field_violations }));
        }
        if let Some(delay) = self.retry_delay() {
            let retry_delay = Some(delay);
            details.push(pack(RETRY_INFO, &RetryInfo { retry_delay }));
        }
        if let Some(data) = self.peer_data() {
            details.push(pack(VALUE, &Value(data.clone())));
        }
        details
    }

    /// Appends the details as a JSON array of objects with `@type`.
    pub(crate) fn write_details_json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        if let Some(spec) = self.spec() {
            begin(out, ERROR_INFO);
            out.extend_from_slice(b",\"reason\":");
            write_text(out, spec.reason);
            out.extend_from_slice(b",\"domain\":");
            write_text(out, spec.domain);
            if !self.metadata().is_empty() {
                out.extend_from_slice(b",\"metadata\":{");
                for (index, (key, value)) in self.metadata().iter().enumerate() {
                    separate(out, index);
                    write_text(out, key);
                    out.push(b':');
                    write_text(out, value);
                }
                out.push(b'}');
            }
            out.push(b'}');
        }
        if !self.violations().is_empty() {
            begin(out, BAD_REQUEST);
            out.extend_from_slice(b",\"fieldViolations\":[");
            for (index, violation) in self.violations().iter().enumerate() {
                separate(out, index);
                out.extend_from_slice(b"{\"field\":");
                write_text(out, &violation.field);
                out.extend_from_slice(b",\"description\":");
                write_text(out, &violation.description);
                out.push(b'}');
            }
            out.extend_from_slice(b"]}");
        }
        if let Some(delay) = self.retry_delay() {
            begin(out, RETRY_INFO);
            out.extend_from_slice(b",\"retryDelay\":");
            write_text(out, &delay.to_string());
            out.push(b'}');
        }
        if let Some(data) = self.peer_data() {
            begin(out, VALUE);
            out.extend_from_slice(b",\"value\":");
            // The text of a JSON value is JSON.
            out.extend_from_slice(data.to_string().as_bytes());
            out.push(b'}');
        }
        out.push(b']');
    }

    /// Appends the error as HTTP+JSON has it in the version of a service. The error must be in the
    /// service's terms.
    pub(crate) fn write_http_json(&self, service: &ServiceSpec, out: &mut Vec<u8>) {
        match service.error_style {
            ErrorStyle::Status => self.write_status_json(out),
            ErrorStyle::CodeAndMessage => {
                out.extend_from_slice(b"{\"code\":");
                out.extend_from_slice(self.json_rpc_code().to_string().as_bytes());
                out.extend_from_slice(b",\"message\":");
                write_text(out, self.message());
                out.push(b'}');
            }
        }
    }

    /// Appends the error as `{"error":{code,status,message,details}}` (HTTP+JSON, specification
    /// 11.6).
    pub(crate) fn write_status_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"error\":{\"code\":");
        out.extend_from_slice(self.http_status().to_string().as_bytes());
        out.extend_from_slice(b",\"status\":");
        write_text(out, self.code().name());
        out.extend_from_slice(b",\"message\":");
        write_text(out, self.message());
        out.extend_from_slice(b",\"details\":");
        self.write_details_json(out);
        out.extend_from_slice(b"}}");
    }
}

/// Begins an object in the list of details.
fn begin(out: &mut Vec<u8>, type_name: &str) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"@type\":\"type.googleapis.com/");
    out.extend_from_slice(type_name.as_bytes());
    out.push(b'"');
}

fn separate(out: &mut Vec<u8>, index: usize) {
    if index > 0 {
        out.push(b',');
    }
}

/// Appends a JSON string.
pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, text).is_err() {
        // Neither a string nor a `Vec` can fail here; an empty string keeps the JSON whole.
        out.truncate(start);
        out.extend_from_slice(b"\"\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use a2a_wire::__codegen::Violation;
    use prost::Message as _;

    fn json(error: &Error) -> String {
        let mut out = Vec::new();
        error.write_details_json(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn protocol_errors_carry_error_info_and_nothing_else_does() {
        let error = Error::task_not_found("no task \"t1\"").with_metadata("taskId", "t1");
        assert_eq!(
            json(&error),
            r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1"}}]"#
        );
        let details = error.details();
        assert_eq!(details.len(), 1);
        assert_eq!(
            details[0].type_url,
            "type.googleapis.com/google.rpc.ErrorInfo"
        );
        let info = ErrorInfo::decode(details[0].value.clone()).unwrap();
        assert_eq!(
            (info.reason.as_str(), info.metadata["taskId"].as_str()),
            ("TASK_NOT_FOUND", "t1")
        );

        let later = error.with_retry_after(std::time::Duration::from_millis(1500));
        let text = json(&later);
        assert!(
            text.ends_with(
                r#",{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]"#
            ),
            "{text}"
        );
        let retry = RetryInfo::decode(later.details()[1].value.clone()).unwrap();
        assert_eq!(retry.retry_delay, Some(Duration::new(1, 500_000_000)));

        let routing = Error::new(crate::Code::NotFound, "no such route");
        assert_eq!(json(&routing), "[]");
        assert!(routing.details().is_empty());
        assert!(!routing.has_details());
    }

    #[test]
    fn wrong_fields_are_listed_and_escaped() {
        let error = Error::invalid(vec![
            Violation {
                field: "message.parts".into(),
                description: "must not be empty".into(),
            },
            Violation {
                field: "a\"b".into(),
                description: "line\nbreak é😀\u{2028}".into(),
            },
        ]);
        assert_eq!(
            json(&error),
            "[{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\",\"fieldViolations\":[\
             {\"field\":\"message.parts\",\"description\":\"must not be empty\"},\
             {\"field\":\"a\\\"b\",\"description\":\"line\\nbreak é😀\u{2028}\"}]}]"
        );
        let bad = BadRequest::decode(error.details()[0].value.clone()).unwrap();
        assert_eq!(bad.field_violations[1].field, "a\"b");
    }

    #[test]
    fn the_http_form_has_code_status_message_and_details() {
        let mut out = Vec::new();
        Error::new(crate::Code::NotFound, "no such route").write_status_json(&mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no such route","details":[]}}"#
        );
    }
}
