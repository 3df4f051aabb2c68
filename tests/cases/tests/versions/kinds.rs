//! What there is to convert.

/// A type: as the JSON schema's codecs know it, as the protos do, its message in v1.0, and whether
/// the schema has a definition of its own for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfType {
    pub(crate) schema: Option<&'static str>,
    pub(crate) definition: Option<&'static str>,
    pub(crate) proto: Option<&'static str>,
    pub(crate) new: &'static str,
}

const fn of(
    new: &'static str,
    proto: Option<&'static str>,
    schema: Option<&'static str>,
    definition: Option<&'static str>,
) -> OfType {
    OfType {
        schema,
        definition,
        proto,
        new,
    }
}

/// A type that is called the same everywhere.
const fn same(name: &'static str) -> OfType {
    of(name, Some(name), Some(name), Some(name))
}

/// Every type that is converted.
pub(crate) const TYPES: &[OfType] = &[
    of(
        "SendMessageRequest",
        Some("SendMessageRequest"),
        Some("MessageSendParams"),
        Some("MessageSendParams"),
    ),
    of(
        "SendMessageConfiguration",
        Some("SendMessageConfiguration"),
        Some("MessageSendConfiguration"),
        Some("MessageSendConfiguration"),
    ),
    of(
        "SendMessageResponse",
        Some("SendMessageResponse"),
        Some("SendMessageResult"),
        None,
    ),
    of(
        "StreamResponse",
        Some("StreamResponse"),
        Some("StreamEvent"),
        None,
    ),
    of(
        "GetTaskRequest",
        Some("GetTaskRequest"),
        Some("TaskQueryParams"),
        Some("TaskQueryParams"),
    ),
    of(
        "CancelTaskRequest",
        Some("CancelTaskRequest"),
        Some("TaskIdParams(cancel)"),
        Some("TaskIdParams"),
    ),
    of(
        "SubscribeToTaskRequest",
        Some("TaskSubscriptionRequest"),
        Some("TaskIdParams(resubscribe)"),
        Some("TaskIdParams"),
    ),
    same("TaskPushNotificationConfig"),
    of(
        "TaskPushNotificationConfig",
        Some("PushNotificationConfig"),
        Some("PushNotificationConfig"),
        Some("PushNotificationConfig"),
    ),
    of(
        "TaskPushNotificationConfig",
        Some("CreateTaskPushNotificationConfigRequest"),
        None,
        None,
    ),
    of(
        "GetTaskPushNotificationConfigRequest",
        Some("GetTaskPushNotificationConfigRequest"),
        Some("GetTaskPushNotificationConfigParams"),
        Some("GetTaskPushNotificationConfigParams"),
    ),
    of(
        "DeleteTaskPushNotificationConfigRequest",
        Some("DeleteTaskPushNotificationConfigRequest"),
        Some("DeleteTaskPushNotificationConfigParams"),
        Some("DeleteTaskPushNotificationConfigParams"),
    ),
    of(
        "ListTaskPushNotificationConfigsRequest",
        Some("ListTaskPushNotificationConfigRequest"),
        Some("ListTaskPushNotificationConfigParams"),
        Some("ListTaskPushNotificationConfigParams"),
    ),
    of(
        "ListTaskPushNotificationConfigsResponse",
        Some("ListTaskPushNotificationConfigResponse"),
        Some("TaskPushNotificationConfig[]"),
        None,
    ),
    of(
        "AuthenticationInfo",
        Some("AuthenticationInfo"),
        Some("PushNotificationAuthenticationInfo"),
        Some("PushNotificationAuthenticationInfo"),
    ),
    same("Task"),
    same("TaskStatus"),
    same("Message"),
    same("Part"),
    same("Artifact"),
    same("TaskStatusUpdateEvent"),
    same("TaskArtifactUpdateEvent"),
    same("AgentCard"),
    same("AgentProvider"),
    // Not alone: what of the capabilities v0.3 has elsewhere in the card comes with the card.
    same("AgentExtension"),
    same("AgentSkill"),
    of(
        "SecurityRequirement",
        Some("Security"),
        Some("SecurityRequirement"),
        None,
    ),
    same("SecurityScheme"),
    same("OAuthFlows"),
    same("APIKeySecurityScheme"),
    same("HTTPAuthSecurityScheme"),
    same("OAuth2SecurityScheme"),
    same("OpenIdConnectSecurityScheme"),
    of(
        "MutualTlsSecurityScheme",
        Some("MutualTlsSecurityScheme"),
        Some("MutualTLSSecurityScheme"),
        Some("MutualTLSSecurityScheme"),
    ),
    same("AuthorizationCodeOAuthFlow"),
    same("ClientCredentialsOAuthFlow"),
    same("ImplicitOAuthFlow"),
    same("PasswordOAuthFlow"),
];
