//! The one error type of services, engine and clients.
//!
//! Comes in: what went wrong, as an entry of a protocol's error table or as a canonical code.
//! Goes out: the same fault for every binding: JSON-RPC code, gRPC status, HTTP status, details.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use a2a_wire::__codegen::Violation;

use crate::service::ServiceSpec;

mod code;
#[cfg(any(feature = "server", all(feature = "client", feature = "contracts")))]
mod cut;

pub use code::Code;
#[cfg(any(feature = "server", all(feature = "client", feature = "contracts")))]
pub(crate) use cut::{SHOWN, cut};

/// A row of a protocol's error table (its profile): one named error and how each binding says it.
#[derive(Debug, PartialEq, Eq)]
pub struct ErrorSpec {
    /// Name in the specification, for example `TaskNotFoundError`.
    pub name: &'static str,
    /// `ErrorInfo.reason`, for example `TASK_NOT_FOUND`.
    pub reason: &'static str,
    /// `ErrorInfo.domain`, for example `a2a-protocol.org`.
    pub domain: &'static str,
    /// JSON-RPC code.
    pub json_rpc_code: i32,
    /// gRPC status.
    pub code: Code,
    /// HTTP status.
    pub http_status: u16,
    /// Message when the place where it happened gives none.
    pub message: &'static str,
}

/// How the errors of a version stand in answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorStyle {
    /// With typed details: `{"error": {code, status, message, details}}` over HTTP+JSON, `data` over
    /// JSON-RPC.
    #[default]
    Status,
    /// By code and text alone: `{code, message}` with the code of JSON-RPC over HTTP+JSON, no `data`
    /// over JSON-RPC; over gRPC the text begins with the error's name.
    CodeAndMessage,
}

/// Why a call failed.
///
/// Cheap to clone. What kind of fault it is, is asked with predicates: `Error::is_task_not_found`
/// and its like for the errors of the protocol, [`Error::is_timeout`] and its like for the others;
/// bindings ask for [`Error::code`], [`Error::http_status`] and
/// [`Error::json_rpc_code`].
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    spec: Option<&'static ErrorSpec>,
    code: Code,
    http_status: Option<u16>,
    json_rpc_code: Option<i32>,
    message: Cow<'static, str>,
    metadata: BTreeMap<String, String>,
    violations: Vec<Violation>,
    allow: Option<String>,
    challenges: Vec<String>,
    retry_after: Option<Duration>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    peer_status: Option<u16>,
    peer_body: Option<Arc<str>>,
    peer_reason: Option<Arc<str>>,
    peer_data: Option<Arc<serde_json::Value>>,
}

/// How much of an answer is kept in an error.
const KEPT_BODY: usize = 1024;

impl Error {
    /// An error with a canonical code, for services of any protocol.
    ///
    /// ```
    /// use a2a_kit::{Code, Error};
    /// let error = Error::new(Code::NotFound, "no shelf named s1");
    /// assert_eq!(error.http_status(), 404);
    /// ```
    #[must_use]
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Inner {
            spec: None,
            code,
            http_status: None,
            json_rpc_code: None,
            message: message.into(),
            metadata: BTreeMap::new(),
            violations: Vec::new(),
            allow: None,
            challenges: Vec::new(),
            retry_after: None,
            source: None,
            peer_status: None,
            peer_body: None,
            peer_reason: None,
            peer_data: None,
        }))
    }

    /// An error of a protocol's table.
    #[must_use]
    pub fn from_spec(spec: &'static ErrorSpec, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(spec.code, message).with(|inner| inner.spec = Some(spec))
    }

    /// A request that is wrong in the fields that are named.
    #[must_use]
    pub fn invalid(violations: Vec<Violation>) -> Self {
        let message = match violations.first() {
            Some(first) if violations.len() == 1 && first.field.is_empty() => {
                first.description.clone()
            }
            Some(first) if violations.len() == 1 => {
                format!("{}: {}", first.field, first.description)
            }
            Some(first) => format!(
                "{}: {} (and {} more)",
                first.field,
                first.description,
                violations.len() - 1
            ),
            None => "the request is not valid".to_owned(),
        };
        Self::new(Code::InvalidArgument, message).with(|inner| inner.violations = violations)
    }

    /// A request that is wrong in one field.
    ///
    /// ```
    /// let error = a2a_kit::Error::invalid_field("pageSize", "must be from 1 to 100");
    /// assert_eq!(error.violations()[0].field, "pageSize");
    /// ```
    #[must_use]
    pub fn invalid_field(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self::invalid(vec![Violation {
            field: field.into(),
            description: description.into(),
        }])
    }

    /// An operation that the service does not have.
    #[must_use]
    pub fn unimplemented(operation: &str) -> Self {
        Self::new(
            Code::Unimplemented,
            format!("{operation} is not implemented by this service"),
        )
    }

    /// A fault of the server. The cause is kept for logs; peers see only the message.
    #[must_use]
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// Sets a fact about this occurrence that travels in `ErrorInfo.metadata`.
    #[must_use]
    pub fn with_metadata(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.with(|inner| {
            inner.metadata.insert(key.into(), value.into());
        })
    }

    /// Keeps the cause, for [`std::error::Error::source`] and logs.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.with(|inner| inner.source = Some(Arc::from(source.into())))
    }

    /// Overrides the HTTP status (routing errors: 405, 413, 415).
    #[must_use]
    pub fn with_http_status(self, status: u16) -> Self {
        self.with(|inner| inner.http_status = Some(status))
    }

    /// Overrides the JSON-RPC code (`-32700`, `-32600`).
    #[must_use]
    pub fn with_json_rpc_code(self, code: i32) -> Self {
        self.with(|inner| inner.json_rpc_code = Some(code))
    }

    /// The methods that the resource does take, for the `Allow` header of a 405.
    #[must_use]
    pub fn with_allow(self, methods: impl Into<String>) -> Self {
        self.with(|inner| inner.allow = Some(methods.into()))
    }

    /// How to authenticate: values of `WWW-Authenticate`, which a 401 has to have.
    #[must_use]
    pub fn with_challenges<C: Into<String>>(self, challenges: impl IntoIterator<Item = C>) -> Self {
        let challenges = challenges.into_iter().map(Into::into);
        self.with(|inner| inner.challenges.extend(challenges))
    }

    /// When to try again.
    #[must_use]
    pub fn with_retry_after(self, delay: Duration) -> Self {
        self.with(|inner| inner.retry_after = Some(delay))
    }

    /// Keeps the HTTP status that the peer answered with.
    #[must_use]
    pub fn with_peer_status(self, status: u16) -> Self {
        self.with(|inner| inner.peer_status = Some(status))
    }

    /// Keeps the start of what the peer answered with, for people: at most 1024 bytes, never half a
    /// letter.
    #[must_use]
    pub fn with_peer_body(self, body: &[u8]) -> Self {
        // Four bytes more than are kept, so that a cut letter is beyond the cut.
        let text = String::from_utf8_lossy(&body[..body.len().min(KEPT_BODY + 4)]);
        let end = (0..=KEPT_BODY.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        self.with(|inner| inner.peer_body = Some(Arc::from(&text[..end])))
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_peer_reason(self, reason: String) -> Self {
        self.with(|inner| inner.peer_reason = Some(reason.into()))
    }

    /// Keeps what the peer said beside code and text, in a version where that can be anything.
    #[cfg(feature = "client")]
    pub(crate) fn with_peer_data(self, data: serde_json::Value) -> Self {
        self.with(|inner| inner.peer_data = Some(Arc::new(data)))
    }

    /// What the peer said beside code and text, when nothing here has a place for it.
    #[cfg(feature = "server")]
    pub(crate) fn peer_data(&self) -> Option<&serde_json::Value> {
        self.0.peer_data.as_deref()
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_code(self, code: Code) -> Self {
        self.with(|inner| inner.code = code)
    }

    /// The same, now known as a row of a protocol's table.
    #[cfg(feature = "client")]
    pub(crate) fn with_spec(self, spec: &'static ErrorSpec) -> Self {
        self.with(|inner| {
            inner.spec = Some(spec);
            inner.code = spec.code;
        })
    }

    /// True when a code of JSON-RPC was given, not only derived.
    #[cfg(feature = "client")]
    pub(crate) fn has_json_rpc_code(&self) -> bool {
        self.0.json_rpc_code.is_some()
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_violations(self, violations: Vec<Violation>) -> Self {
        self.with(|inner| inner.violations = violations)
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_message(self, change: impl FnOnce(&str) -> String) -> Self {
        self.with(|inner| inner.message = change(&inner.message).into())
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The same fault as a version of the protocol has it: what its own table says about an error of
    /// that reason. What it has no name for is an invalid request there.
    #[must_use]
    pub(crate) fn in_terms_of(self, service: &ServiceSpec) -> Self {
        let Some(spec) = self.0.spec else {
            return self;
        };
        let own =
            |own: &&&'static ErrorSpec| own.reason == spec.reason && own.domain == spec.domain;
        match service.errors.iter().find(own) {
            Some(own) if std::ptr::eq(*own, spec) => self,
            Some(own) => self.with(|inner| {
                inner.spec = Some(own);
                inner.code = own.code;
            }),
            None if service.error_style == ErrorStyle::CodeAndMessage
                && self.0.json_rpc_code.is_none() =>
            {
                self.with_json_rpc_code(-32600)
            }
            None => self,
        }
    }

    /// The row of the protocol's error table, when it is one of its errors.
    #[must_use]
    pub fn spec(&self) -> Option<&'static ErrorSpec> {
        self.0.spec
    }

    /// The reason that names the error within its domain, for example `TASK_NOT_FOUND`. It may be
    /// one that only the peer knows; then [`Error::spec`] is `None`.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.0
            .spec
            .map(|spec| spec.reason)
            .or(self.0.peer_reason.as_deref())
    }

    /// The canonical code, which is also the gRPC status.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// True when it took too long: a limit of the client, a deadline, or the peer's own.
    ///
    /// ```
    /// use a2a_kit::{Code, Error};
    /// assert!(Error::new(Code::DeadlineExceeded, "no answer within 30s").is_timeout());
    /// assert!(!Error::new(Code::Unavailable, "connection refused").is_timeout());
    /// ```
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.code() == Code::DeadlineExceeded
    }

    /// True when the peer could not be reached, the connection broke, or the peer says that it cannot
    /// answer now. Later it may. Whether it can have seen the request, `Error::is_unsent` says.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        self.code() == Code::Unavailable
    }

    /// True when the peer does not know who calls: there were no credentials, or wrong ones.
    #[must_use]
    pub fn is_unauthenticated(&self) -> bool {
        self.code() == Code::Unauthenticated
    }

    /// True when the peer knows who calls, and does not allow it.
    #[must_use]
    pub fn is_permission_denied(&self) -> bool {
        self.code() == Code::PermissionDenied
    }

    /// True when there is too much of something: calls, for the peer; or bytes, for either side.
    /// [`Error::retry_after`] may say when to try again.
    #[must_use]
    pub fn is_resource_exhausted(&self) -> bool {
        self.code() == Code::ResourceExhausted
    }

    /// True when the request is at fault; [`Error::violations`] may say in which fields.
    #[must_use]
    pub fn is_invalid_argument(&self) -> bool {
        self.code() == Code::InvalidArgument
    }

    /// The HTTP status of the REST binding.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        self.0
            .http_status
            .or(self.0.spec.map(|spec| spec.http_status))
            .unwrap_or(self.0.code.http_status())
    }

    /// The JSON-RPC error code.
    #[must_use]
    pub fn json_rpc_code(&self) -> i32 {
        self.0
            .json_rpc_code
            .or(self.0.spec.map(|spec| spec.json_rpc_code))
            .unwrap_or(self.0.code.json_rpc_code())
    }

    /// What went wrong, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Facts about this occurrence.
    #[must_use]
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// The fields that are wrong, when it is a fault of the request.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.0.violations
    }

    /// The methods for an `Allow` header.
    #[must_use]
    pub fn allow(&self) -> Option<&str> {
        self.0.allow.as_deref()
    }

    /// The values of `WWW-Authenticate` headers.
    #[must_use]
    pub fn challenges(&self) -> &[String] {
        &self.0.challenges
    }

    /// When to try again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The HTTP status that the peer answered with, when the error came out of an answer. What kind
    /// of error it is, it does not say: ask for [`Error::spec`] and [`Error::code`].
    #[must_use]
    pub fn peer_status(&self) -> Option<u16> {
        self.0.peer_status
    }

    /// The start of what the peer answered with, when that was no error of the protocol or could not
    /// be read.
    #[must_use]
    pub fn peer_body(&self) -> Option<&str> {
        self.0.peer_body.as_deref()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        match self.0.spec {
            Some(spec) => out.field("name", &spec.name),
            None => out.field("code", &self.0.code),
        };
        out.field("message", &self.0.message);
        if !self.0.metadata.is_empty() {
            out.field("metadata", &self.0.metadata);
        }
        if !self.0.violations.is_empty() {
            out.field("violations", &self.0.violations);
        }
        if let Some(status) = self.0.peer_status {
            out.field("peer_status", &status);
        }
        if let Some(body) = &self.0.peer_body {
            out.field("peer_body", body);
        }
        if let Some(data) = &self.0.peer_data {
            out.field("peer_data", data);
        }
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish_non_exhaustive()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn std::error::Error + 'static))
    }
}
