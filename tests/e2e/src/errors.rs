//! The errors of the protocol, as specification 5.4 has them; written out, so that the agent's own
//! table is held against it.

use crate::{Binding, Fault};

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// `ErrorInfo.reason`.
    pub reason: &'static str,
    /// JSON-RPC code.
    pub json_rpc: i64,
    /// gRPC status and its name.
    pub grpc: (i64, &'static str),
    /// HTTP status.
    pub http: u16,
}

const fn row(
    reason: &'static str,
    json_rpc: i64,
    grpc: (i64, &'static str),
    http: u16,
) -> Expected {
    Expected {
        reason,
        json_rpc,
        grpc,
        http,
    }
}

const INVALID_ARGUMENT: (i64, &str) = (3, "INVALID_ARGUMENT");
const NOT_FOUND: (i64, &str) = (5, "NOT_FOUND");
const FAILED_PRECONDITION: (i64, &str) = (9, "FAILED_PRECONDITION");
const INTERNAL: (i64, &str) = (13, "INTERNAL");

/// `TaskNotFoundError`.
pub const TASK_NOT_FOUND: Expected = row("TASK_NOT_FOUND", -32001, NOT_FOUND, 404);
/// `TaskNotCancelableError`.
pub const TASK_NOT_CANCELABLE: Expected =
    row("TASK_NOT_CANCELABLE", -32002, FAILED_PRECONDITION, 400);
/// `PushNotificationNotSupportedError`.
pub const PUSH_NOT_SUPPORTED: Expected = row(
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    -32003,
    FAILED_PRECONDITION,
    400,
);
/// `UnsupportedOperationError`.
pub const UNSUPPORTED_OPERATION: Expected =
    row("UNSUPPORTED_OPERATION", -32004, FAILED_PRECONDITION, 400);
/// `ContentTypeNotSupportedError`.
pub const CONTENT_TYPE_NOT_SUPPORTED: Expected =
    row("CONTENT_TYPE_NOT_SUPPORTED", -32005, INVALID_ARGUMENT, 400);
/// `InvalidAgentResponseError`.
pub const INVALID_AGENT_RESPONSE: Expected = row("INVALID_AGENT_RESPONSE", -32006, INTERNAL, 500);
/// `ExtendedAgentCardNotConfiguredError`.
pub const EXTENDED_CARD_NOT_CONFIGURED: Expected = row(
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    -32007,
    FAILED_PRECONDITION,
    400,
);
/// `ExtensionSupportRequiredError`.
pub const EXTENSION_SUPPORT_REQUIRED: Expected = row(
    "EXTENSION_SUPPORT_REQUIRED",
    -32008,
    FAILED_PRECONDITION,
    400,
);
/// `VersionNotSupportedError`.
pub const VERSION_NOT_SUPPORTED: Expected =
    row("VERSION_NOT_SUPPORTED", -32009, FAILED_PRECONDITION, 400);

impl Fault {
    /// Checks that it is this error of the protocol, in every particular of its binding.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn assert_is(&self, expected: Expected) {
        match self.binding {
            Binding::Rest => {
                assert_eq!(
                    (self.http, self.code),
                    (expected.http, i64::from(expected.http)),
                    "{self:?}"
                );
                assert_eq!(self.status.as_deref(), Some(expected.grpc.1), "{self:?}");
            }
            Binding::JsonRpc => {
                assert_eq!((self.http, self.code), (200, expected.json_rpc), "{self:?}");
            }
            Binding::Grpc => assert_eq!(self.code, expected.grpc.0, "{self:?}"),
        }
        let info = self
            .error_info()
            .unwrap_or_else(|| panic!("no ErrorInfo: {self:?}"));
        assert_eq!(info["reason"], expected.reason, "{self:?}");
        assert_eq!(info["domain"], "a2a-protocol.org", "{self:?}");
        assert!(!self.message.is_empty(), "{self:?}");
    }

    /// Checks that it says that these fields of the request are wrong, and is no error of the
    /// protocol's own.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn assert_invalid(&self, fields: &[&str]) {
        match self.binding {
            Binding::Rest => {
                assert_eq!(
                    (self.http, self.status.as_deref()),
                    (400, Some("INVALID_ARGUMENT")),
                    "{self:?}"
                );
            }
            Binding::JsonRpc => {
                assert_eq!((self.http, self.code), (200, -32602), "{self:?}");
            }
            Binding::Grpc => assert_eq!(self.code, 3, "{self:?}"),
        }
        assert_eq!(self.error_info(), None, "{self:?}");
        assert_eq!(self.fields(), fields, "{self:?}");
    }

    /// Checks that it is a plain error, which nobody can take for one of the protocol's.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn assert_plain(&self) {
        assert_eq!(self.details, Vec::<serde_json::Value>::new(), "{self:?}");
        assert!(!self.message.is_empty(), "{self:?}");
    }
}
