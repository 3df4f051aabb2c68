//! Error details of `google.rpc`, as they travel in gRPC statuses and JSON errors.
//!
//! Comes in: codes, reasons, violations. Goes out: protobuf and JSON. No proto file stands behind
//! these five types, so their JSON is written here by hand, on the same runtime as generated code.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::MapAccess;
use serde::ser::SerializeMap;

use crate::json::generated::{self as json, Entry, Fields, JsonMessage};
use crate::types::{Any, Duration};

/// `google.rpc.Status`: code, message and typed details of an error.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Status {
    /// A code of `google.rpc.Code`.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// A message for developers.
    #[prost(string, tag = "2")]
    pub message: String,
    /// Typed details.
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

/// `google.rpc.ErrorInfo`: which error of which domain it is.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ErrorInfo {
    /// The error in upper snake case, for example `TASK_NOT_FOUND`.
    #[prost(string, tag = "1")]
    pub reason: String,
    /// Who defined the reason, for example `a2a-protocol.org`.
    #[prost(string, tag = "2")]
    pub domain: String,
    /// More about this occurrence.
    #[prost(btree_map = "string, string", tag = "3")]
    pub metadata: BTreeMap<String, String>,
}

/// `google.rpc.BadRequest`: which fields of a request are wrong.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BadRequest {
    /// The faults.
    #[prost(message, repeated, tag = "1")]
    pub field_violations: Vec<FieldViolation>,
}

/// One fault of a request.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FieldViolation {
    /// Path of the field, in JSON names.
    #[prost(string, tag = "1")]
    pub field: String,
    /// What is wrong.
    #[prost(string, tag = "2")]
    pub description: String,
}

/// `google.rpc.RetryInfo`: when a call that failed may be made again.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RetryInfo {
    /// How long to wait at least.
    #[prost(message, optional, tag = "1")]
    pub retry_delay: Option<Duration>,
}

/// Packs a message into an [`Any`] under its type URL.
#[must_use]
pub fn pack(type_name: &str, message: &impl prost::Message) -> Any {
    Any {
        type_url: format!("type.googleapis.com/{type_name}"),
        value: Bytes::from(message.encode_to_vec()),
    }
}

/// JSON of a message whose fields are all implicit.
macro_rules! json {
    ($message:ident, $proto:literal, $($index:literal $field:ident $name:literal $codec:ty;)*) => {
        impl JsonMessage for $message {
            const PROTO_NAME: &'static str = $proto;
            const JSON_NAMES: &'static [&'static str] = &[$($name),*];
            // Errors come from peers of any version.
            const REJECT_UNKNOWN: bool = false;

            fn field_index(name: &str) -> Option<usize> {
                match name {
                    $($name | stringify!($field) => Some($index),)*
                    _ => None,
                }
            }

            fn read_field<'de, A: MapAccess<'de>>(&mut self, index: usize, input: Entry<'_, '_, A>) -> Result<(), A::Error> {
                match index {
                    $($index => input.implicit::<$codec>(&mut self.$field),)*
                    _ => input.skip(),
                }
            }

            fn write_fields<S: SerializeMap>(&self, output: &mut Fields<'_, '_, S>) -> Result<(), S::Error> {
                $(output.implicit::<$codec>($name, &self.$field)?;)*
                Ok(())
            }
        }
    };
}

#[allow(
    unreachable_patterns,
    reason = "most fields have one name in both languages"
)]
mod by_hand {
    use super::*;

    json!(Status, "google.rpc.Status", 0 code "code" json::Int32; 1 message "message" json::Str; 2 details "details" json::List<json::Any>;);
    json!(ErrorInfo, "google.rpc.ErrorInfo", 0 reason "reason" json::Str; 1 domain "domain" json::Str; 2 metadata "metadata" json::Map<json::StrKey, json::Str>;);
    json!(BadRequest, "google.rpc.BadRequest", 0 field_violations "fieldViolations" json::List<json::Message<FieldViolation>>;);
    json!(FieldViolation, "google.rpc.BadRequest.FieldViolation", 0 field "field" json::Str; 1 description "description" json::Str;);
}

impl JsonMessage for RetryInfo {
    const PROTO_NAME: &'static str = "google.rpc.RetryInfo";
    const JSON_NAMES: &'static [&'static str] = &["retryDelay"];
    const REJECT_UNKNOWN: bool = false;

    fn field_index(name: &str) -> Option<usize> {
        matches!(name, "retryDelay" | "retry_delay").then_some(0)
    }

    fn read_field<'de, A: MapAccess<'de>>(
        &mut self,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<(), A::Error> {
        match index {
            0 => input.explicit::<json::Duration>(&mut self.retry_delay),
            _ => input.skip(),
        }
    }

    fn write_fields<S: SerializeMap>(
        &self,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        output.optional::<json::Duration>("retryDelay", &self.retry_delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_json_and_protobuf() {
        let info = ErrorInfo {
            reason: "TASK_NOT_FOUND".to_owned(),
            domain: "a2a-protocol.org".to_owned(),
            metadata: BTreeMap::from([("taskId".to_owned(), "t1".to_owned())]),
        };
        let text =
            r#"{"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1"}}"#;
        assert_eq!(serde_json::to_string(&info).unwrap(), text);
        assert_eq!(serde_json::from_str::<ErrorInfo>(text).unwrap(), info);

        let status = Status {
            code: 5,
            message: "gone".to_owned(),
            details: vec![pack("google.rpc.ErrorInfo", &info)],
        };
        let text = serde_json::to_string(&status).unwrap();
        assert!(text.starts_with(r#"{"code":5,"message":"gone","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo""#));
        assert_eq!(serde_json::from_str::<Status>(&text).unwrap(), status);

        let bad: BadRequest = serde_json::from_str(
            r#"{"field_violations":[{"field":"a","description":"b"}],"localized":1}"#,
        )
        .unwrap();
        assert_eq!(
            serde_json::to_string(&bad).unwrap(),
            r#"{"fieldViolations":[{"field":"a","description":"b"}]}"#
        );

        let text = r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}"#;
        let retry = RetryInfo {
            retry_delay: Some(Duration::new(1, 500_000_000)),
        };
        let any = pack("google.rpc.RetryInfo", &retry);
        assert_eq!(serde_json::to_string(&any).unwrap(), text);
        assert_eq!(serde_json::from_str::<Any>(text).unwrap(), any);
    }
}
