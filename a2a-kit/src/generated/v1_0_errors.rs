// Contract for the error emitter; replaced by the generator.

/// `TaskNotFoundError`: the task does not exist.
pub static TASK_NOT_FOUND: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "TaskNotFoundError",
    reason: "TASK_NOT_FOUND",
    domain: "a2a-protocol.org",
    json_rpc_code: -32001,
    code: crate::__codegen::Code::NotFound,
    http_status: 404,
    message: "the task does not exist",
};

/// `TaskNotCancelableError`: the task can no longer be canceled.
pub static TASK_NOT_CANCELABLE: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "TaskNotCancelableError",
    reason: "TASK_NOT_CANCELABLE",
    domain: "a2a-protocol.org",
    json_rpc_code: -32002,
    code: crate::__codegen::Code::FailedPrecondition,
    http_status: 400,
    message: "the task can no longer be canceled",
};

/// `PushNotificationNotSupportedError`: the agent sends no push notifications.
pub static PUSH_NOTIFICATION_NOT_SUPPORTED: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "PushNotificationNotSupportedError",
    reason: "PUSH_NOTIFICATION_NOT_SUPPORTED",
    domain: "a2a-protocol.org",
    json_rpc_code: -32003,
    code: crate::__codegen::Code::FailedPrecondition,
    http_status: 400,
    message: "the agent sends no push notifications",
};

/// `UnsupportedOperationError`: the agent does not support this operation.
pub static UNSUPPORTED_OPERATION: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "UnsupportedOperationError",
    reason: "UNSUPPORTED_OPERATION",
    domain: "a2a-protocol.org",
    json_rpc_code: -32004,
    code: crate::__codegen::Code::FailedPrecondition,
    http_status: 400,
    message: "the agent does not support this operation",
};

/// `ContentTypeNotSupportedError`: the media type is not supported.
pub static CONTENT_TYPE_NOT_SUPPORTED: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "ContentTypeNotSupportedError",
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
    domain: "a2a-protocol.org",
    json_rpc_code: -32005,
    code: crate::__codegen::Code::InvalidArgument,
    http_status: 400,
    message: "the media type is not supported",
};

/// `InvalidAgentResponseError`: the agent gave an invalid answer.
pub static INVALID_AGENT_RESPONSE: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "InvalidAgentResponseError",
    reason: "INVALID_AGENT_RESPONSE",
    domain: "a2a-protocol.org",
    json_rpc_code: -32006,
    code: crate::__codegen::Code::Internal,
    http_status: 500,
    message: "the agent gave an invalid answer",
};

/// `ExtendedAgentCardNotConfiguredError`: no extended agent card is configured.
pub static EXTENDED_AGENT_CARD_NOT_CONFIGURED: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "ExtendedAgentCardNotConfiguredError",
    reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    domain: "a2a-protocol.org",
    json_rpc_code: -32007,
    code: crate::__codegen::Code::FailedPrecondition,
    http_status: 400,
    message: "no extended agent card is configured",
};

/// `ExtensionSupportRequiredError`: the agent requires an extension that the request does not declare.
pub static EXTENSION_SUPPORT_REQUIRED: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "ExtensionSupportRequiredError",
    reason: "EXTENSION_SUPPORT_REQUIRED",
    domain: "a2a-protocol.org",
    json_rpc_code: -32008,
    code: crate::__codegen::Code::FailedPrecondition,
    http_status: 400,
    message: "the agent requires an extension that the request does not declare",
};

/// `VersionNotSupportedError`: the protocol version is not supported.
pub static VERSION_NOT_SUPPORTED: crate::__codegen::ErrorSpec = crate::__codegen::ErrorSpec {
    name: "VersionNotSupportedError",
    reason: "VERSION_NOT_SUPPORTED",
    domain: "a2a-protocol.org",
    json_rpc_code: -32009,
    code: crate::__codegen::Code::FailedPrecondition,
    http_status: 400,
    message: "the protocol version is not supported",
};

impl crate::__codegen::Error {
    /// `TaskNotFoundError` (JSON-RPC -32001, HTTP 404): the task does not exist.
    #[must_use]
    pub fn task_not_found(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&TASK_NOT_FOUND, message)
    }

    /// True for `TaskNotFoundError`.
    #[must_use]
    pub fn is_task_not_found(&self) -> bool {
        self.spec() == Some(&TASK_NOT_FOUND)
    }

    /// `TaskNotCancelableError` (JSON-RPC -32002, HTTP 400): the task can no longer be canceled.
    #[must_use]
    pub fn task_not_cancelable(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&TASK_NOT_CANCELABLE, message)
    }

    /// True for `TaskNotCancelableError`.
    #[must_use]
    pub fn is_task_not_cancelable(&self) -> bool {
        self.spec() == Some(&TASK_NOT_CANCELABLE)
    }

    /// `PushNotificationNotSupportedError` (JSON-RPC -32003, HTTP 400): the agent sends no push notifications.
    #[must_use]
    pub fn push_notification_not_supported(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&PUSH_NOTIFICATION_NOT_SUPPORTED, message)
    }

    /// True for `PushNotificationNotSupportedError`.
    #[must_use]
    pub fn is_push_notification_not_supported(&self) -> bool {
        self.spec() == Some(&PUSH_NOTIFICATION_NOT_SUPPORTED)
    }

    /// `UnsupportedOperationError` (JSON-RPC -32004, HTTP 400): the agent does not support this operation.
    #[must_use]
    pub fn unsupported_operation(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&UNSUPPORTED_OPERATION, message)
    }

    /// True for `UnsupportedOperationError`.
    #[must_use]
    pub fn is_unsupported_operation(&self) -> bool {
        self.spec() == Some(&UNSUPPORTED_OPERATION)
    }

    /// `ContentTypeNotSupportedError` (JSON-RPC -32005, HTTP 400): the media type is not supported.
    #[must_use]
    pub fn content_type_not_supported(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&CONTENT_TYPE_NOT_SUPPORTED, message)
    }

    /// True for `ContentTypeNotSupportedError`.
    #[must_use]
    pub fn is_content_type_not_supported(&self) -> bool {
        self.spec() == Some(&CONTENT_TYPE_NOT_SUPPORTED)
    }

    /// `InvalidAgentResponseError` (JSON-RPC -32006, HTTP 500): the agent gave an invalid answer.
    #[must_use]
    pub fn invalid_agent_response(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&INVALID_AGENT_RESPONSE, message)
    }

    /// True for `InvalidAgentResponseError`.
    #[must_use]
    pub fn is_invalid_agent_response(&self) -> bool {
        self.spec() == Some(&INVALID_AGENT_RESPONSE)
    }

    /// `ExtendedAgentCardNotConfiguredError` (JSON-RPC -32007, HTTP 400): no extended agent card is configured.
    #[must_use]
    pub fn extended_agent_card_not_configured(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&EXTENDED_AGENT_CARD_NOT_CONFIGURED, message)
    }

    /// True for `ExtendedAgentCardNotConfiguredError`.
    #[must_use]
    pub fn is_extended_agent_card_not_configured(&self) -> bool {
        self.spec() == Some(&EXTENDED_AGENT_CARD_NOT_CONFIGURED)
    }

    /// `ExtensionSupportRequiredError` (JSON-RPC -32008, HTTP 400): the agent requires an extension that the request does not declare.
    #[must_use]
    pub fn extension_support_required(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&EXTENSION_SUPPORT_REQUIRED, message)
    }

    /// True for `ExtensionSupportRequiredError`.
    #[must_use]
    pub fn is_extension_support_required(&self) -> bool {
        self.spec() == Some(&EXTENSION_SUPPORT_REQUIRED)
    }

    /// `VersionNotSupportedError` (JSON-RPC -32009, HTTP 400): the protocol version is not supported.
    #[must_use]
    pub fn version_not_supported(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::from_spec(&VERSION_NOT_SUPPORTED, message)
    }

    /// True for `VersionNotSupportedError`.
    #[must_use]
    pub fn is_version_not_supported(&self) -> bool {
        self.spec() == Some(&VERSION_NOT_SUPPORTED)
    }

}
