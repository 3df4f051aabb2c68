//! Canonical codes, and what each binding makes of one.
//!
//! Comes in: a code, its name or its number. Goes out: HTTP status and JSON-RPC code. It knows of no
//! protocol.

/// Canonical codes (`google.rpc.Code`), the common ground of the three bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of google.rpc.Code")]
#[repr(i32)]
pub enum Code {
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

impl Code {
    /// The name on the wire, for example `NOT_FOUND`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::DataLoss => "DATA_LOSS",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The code of a name.
    ///
    /// ```
    /// assert_eq!(a2a_kit::Code::from_name("NOT_FOUND"), Some(a2a_kit::Code::NotFound));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The code of a number, as gRPC statuses have it; `None` for 0, which is no error, and for
    /// numbers that are not known.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|code| *code as i32 == number)
    }

    const ALL: [Self; 16] = [
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// The HTTP status that `google.api.http` gateways use for it.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Cancelled => 499,
            Self::InvalidArgument | Self::FailedPrecondition | Self::OutOfRange => 400,
            Self::DeadlineExceeded => 504,
            Self::NotFound => 404,
            Self::AlreadyExists | Self::Aborted => 409,
            Self::PermissionDenied => 403,
            Self::ResourceExhausted => 429,
            Self::Unimplemented => 501,
            Self::Unavailable => 503,
            Self::Unauthenticated => 401,
            Self::Unknown | Self::Internal | Self::DataLoss => 500,
        }
    }

    /// The JSON-RPC 2.0 code for a fault that has no code of its own.
    #[must_use]
    pub const fn json_rpc_code(self) -> i32 {
        match self {
            Self::InvalidArgument | Self::OutOfRange => -32602,
            Self::Unimplemented => -32601,
            _ => -32603,
        }
    }
}
