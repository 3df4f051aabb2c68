//! What a schema cannot say about its protocol, from `profile.toml`.
//!
//! Comes in: TOML text. Goes out: a [`Profile`]. Whether its names exist in the schema is checked
//! by [`crate::lower`], which knows both. Without a profile ([`Profile::default`]) the generator
//! treats a schema as a plain annotated proto.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::{Origin, Service};

mod check;
mod read;

pub use read::read_profile;

/// What a protocol adds to its schema.
///
/// ```
/// let text = r#"
/// version = "1.0"
/// [operations.SubscribeToTask]
/// capability = "streaming"
/// extra_routes = [{ method = "POST", path = "/tasks/{id=*}:subscribe", body = "*" }]
/// "#;
/// let profile = a2a_codegen::profile::read_profile(text, "profile.toml")?;
/// assert_eq!(profile.operations["SubscribeToTask"].extra_routes.len(), 1);
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Profile {
    /// Protocol version that the schema describes, `1.0`.
    pub version: Option<String>,
    /// Media type of HTTP+JSON answers; `application/json` when unset.
    pub media_type: Option<String>,
    /// Domain of the protocol's own errors.
    pub error_domain: Option<String>,
    /// Header, or gRPC metadata, that lists extensions, where the runtime's own name for it is not
    /// that of this version.
    pub extensions_header: Option<String>,
    /// How errors stand in answers.
    #[serde(default)]
    pub error_style: ErrorStyle,
    /// Fields that hold secrets, by full name: `lf.a2a.v1.AuthenticationInfo.credentials`. `Debug`
    /// does not show their values, so that they come into no log.
    #[serde(default)]
    pub secret_fields: Vec<String>,
    /// JSON beyond ProtoJSON.
    #[serde(default)]
    pub json: JsonProfile,
    /// HTTP transcoding.
    #[serde(default)]
    pub http: HttpProfile,
    /// JSON-RPC.
    #[serde(default)]
    pub json_rpc: JsonRpcProfile,
    /// Checks of requests beyond `REQUIRED`.
    #[serde(default)]
    pub check: CheckProfile,
    /// The protocol's own errors.
    #[serde(default)]
    pub errors: Vec<ErrorRow>,
    /// What single operations add, by rpc name: `GetTask`, or `Service.GetTask` or its full name
    /// where several services have an rpc of that name.
    #[serde(default)]
    pub operations: BTreeMap<String, OperationProfile>,
    /// What no code is made from and people want to know who go from one version to another: a
    /// text for each topic. Reports compare them.
    #[serde(default)]
    pub about: BTreeMap<String, String>,
    /// Where each entry stands, by its dotted key (`operations.GetTask`).
    #[serde(skip)]
    #[doc(hidden)]
    pub origins: BTreeMap<String, Origin>,
}

impl Profile {
    /// What the profile says about a method of a service.
    pub fn operation(&self, service: &Service, method: &str) -> Option<&OperationProfile> {
        operation_keys(&service.proto_name, method).find_map(|key| self.operations.get(&key))
    }

    /// Where the entry at a dotted key stands; unknown for a profile that was not read from a file.
    pub(crate) fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).cloned().unwrap_or_default()
    }
}

/// The keys under which an operation may stand in a profile, the most exact first.
pub(crate) fn operation_keys(service: &str, method: &str) -> impl Iterator<Item = String> {
    let short = service.rsplit('.').next().unwrap_or(service);
    [
        format!("{service}.{method}"),
        format!("{short}.{method}"),
        method.to_owned(),
    ]
    .into_iter()
}

/// How errors stand in answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorStyle {
    /// With typed details: as `{"error": {code, status, message, details}}` over HTTP+JSON, and in
    /// `data` over JSON-RPC.
    #[default]
    Status,
    /// By code and text alone: `{code, message}` with the code of JSON-RPC over HTTP+JSON; over gRPC
    /// the text begins with the error's name.
    CodeAndMessage,
}

/// JSON beyond ProtoJSON.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct JsonProfile {
    /// What to do with fields that the schema does not have.
    pub unknown_fields: UnknownFields,
    /// A `REQUIRED` field is written even when it has its default value.
    pub always_write_required: bool,
    /// The fewest fraction digits of a timestamp: 0, 3, 6 or 9.
    pub timestamp_digits: u8,
}

/// What to do with JSON fields that the schema does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownFields {
    /// The message is wrong.
    #[default]
    Reject,
    /// They are skipped.
    Ignore,
}

/// HTTP transcoding.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct HttpProfile {
    /// What to do when path and body disagree on a field.
    pub path_conflicts: PathConflicts,
}

/// What to do when path and body disagree on a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathConflicts {
    /// The path's value is taken.
    #[default]
    PathWins,
    /// The request is wrong.
    Reject,
}

/// JSON-RPC.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct JsonRpcProfile {
    /// How methods are called.
    pub methods: JsonRpcMethods,
}

/// How JSON-RPC methods are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JsonRpcMethods {
    /// There is no JSON-RPC.
    #[default]
    None,
    /// By the name of the rpc: `SendMessage`.
    RpcName,
}

/// Checks of requests beyond `REQUIRED`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct CheckProfile {
    /// Oneofs of which a member must be set, by full name: `lf.a2a.v1.Part.content`.
    pub required_oneofs: Vec<String>,
}

/// One of the protocol's own errors.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRow {
    /// Name in the specification, `TaskNotFoundError`.
    pub name: String,
    /// `reason` of the error's `ErrorInfo`, `TASK_NOT_FOUND`.
    pub reason: String,
    /// JSON-RPC code.
    pub json_rpc: i32,
    /// gRPC status by name, `NOT_FOUND`.
    pub grpc: String,
    /// HTTP status.
    pub http: u16,
    /// What it says when nothing more exact is known.
    pub message: String,
}

/// What a single operation adds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct OperationProfile {
    /// Capability that the server must have.
    pub capability: Option<String>,
    /// Routes beside the annotated ones.
    pub extra_routes: Vec<ExtraRoute>,
    /// JSON-RPC method, where it is not named as [`JsonRpcProfile::methods`] says.
    pub json_rpc_method: Option<String>,
    /// In which JSON the answer is written over HTTP+JSON, where the protocol has two.
    pub http_answer: HttpAnswer,
}

/// In which JSON an answer is written over HTTP+JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HttpAnswer {
    /// As the proto has it.
    #[default]
    Proto,
    /// As the JSON schema has it, which is what JSON-RPC speaks.
    Schema,
}

/// A route beside the annotated ones; as `google.api.http` has it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraRoute {
    /// HTTP method; `*` for any.
    pub method: String,
    /// Path template.
    pub path: String,
    /// Body: empty, `*` or a field.
    #[serde(default)]
    pub body: String,
}

#[cfg(test)]
mod tests;
