//! Error details of `google.rpc`, as they travel in gRPC statuses and JSON errors.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::types::Any;

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

/// Packs a message into an [`Any`] under its type URL.
#[must_use]
pub fn pack(type_name: &str, message: &impl prost::Message) -> Any {
    Any { type_url: format!("type.googleapis.com/{type_name}"), value: Bytes::from(message.encode_to_vec()) }
}
