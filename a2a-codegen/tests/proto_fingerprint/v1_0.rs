//! What `proto/a2a/v1.0/a2a.proto` must declare. After a wanted change, the failing test prints
//! these constants anew.

/// SHA-256 of the canonical descriptor of the whole file.
pub(crate) const FINGERPRINT: &str =
    "1b9a0b5ba4c519a845b411dc88777aa7bdebe836cddaa6048632983076c5edb8";

/// Each declaration in the order of the descriptor, with the first 16 digits of its SHA-256, so
/// that a failure can name the declaration where the official file is not at hand.
pub(crate) const DECLARATIONS: &[(&str, &str)] = &[
    ("file", "08e990ca2316c620"),
    ("message SendMessageConfiguration", "97b81789aceb9e95"),
    ("message Task", "865c3afa86828674"),
    ("message TaskStatus", "0844d309c6117263"),
    ("message Part", "66b9b723aaf71b06"),
    ("message Message", "ffc545c39d71e624"),
    ("message Artifact", "054f69891e4872d6"),
    ("message TaskStatusUpdateEvent", "a8d342747ea25ecb"),
    ("message TaskArtifactUpdateEvent", "30b8f7fce12f44d3"),
    ("message AuthenticationInfo", "6f13277dc5c36bb7"),
    ("message AgentInterface", "b8d25258df9a421e"),
    ("message AgentCard", "d7293fdfa861a471"),
    ("message AgentProvider", "8c52c20a95b7caa7"),
    ("message AgentCapabilities", "776105b98272f4e3"),
    ("message AgentExtension", "229631f10b1a6de1"),
    ("message AgentSkill", "1317bd517f09b144"),
    ("message AgentCardSignature", "9675f0f3249bf82a"),
    ("message TaskPushNotificationConfig", "9dbc1eef40d654a0"),
    ("message StringList", "17003888559a323a"),
    ("message SecurityRequirement", "5c81a76e5ad14bbe"),
    ("message SecurityScheme", "05da21aaf873a312"),
    ("message APIKeySecurityScheme", "1dca3e5943b10f69"),
    ("message HTTPAuthSecurityScheme", "ac1c065d91cde748"),
    ("message OAuth2SecurityScheme", "53380771e5823507"),
    ("message OpenIdConnectSecurityScheme", "7d1188bf70d48402"),
    ("message MutualTlsSecurityScheme", "1eadd0b73682ae42"),
    ("message OAuthFlows", "081bd8b513162c5d"),
    ("message AuthorizationCodeOAuthFlow", "930ae494765d4eb8"),
    ("message ClientCredentialsOAuthFlow", "d15aee8fb2c13f2e"),
    ("message ImplicitOAuthFlow", "5a145477021ddf22"),
    ("message PasswordOAuthFlow", "6f5f48a55d610fea"),
    ("message DeviceCodeOAuthFlow", "f94c8d3561929a6a"),
    ("message SendMessageRequest", "5e1e7abd120d6d60"),
    ("message GetTaskRequest", "f9590732ae9a9f92"),
    ("message ListTasksRequest", "522ec9ec19d481ba"),
    ("message ListTasksResponse", "12e10b459ab618dc"),
    ("message CancelTaskRequest", "3a53c40df8ef4882"),
    (
        "message GetTaskPushNotificationConfigRequest",
        "e4173a230e8aee2a",
    ),
    (
        "message DeleteTaskPushNotificationConfigRequest",
        "1c3cd115af063e08",
    ),
    ("message SubscribeToTaskRequest", "29249e227e7c7dcb"),
    (
        "message ListTaskPushNotificationConfigsRequest",
        "8a4edd2ac7db6e0b",
    ),
    ("message GetExtendedAgentCardRequest", "8602dd9e189993e1"),
    ("message SendMessageResponse", "a9dd413276e15a9f"),
    ("message StreamResponse", "a205d832684b3226"),
    (
        "message ListTaskPushNotificationConfigsResponse",
        "92c388dcc63338ee",
    ),
    ("enum TaskState", "db9559c1c6a25ca5"),
    ("enum Role", "d9569addc6ab4514"),
    ("service A2AService", "779250634513eaea"),
    ("rpc A2AService.SendMessage", "46834d8e4326b633"),
    ("rpc A2AService.SendStreamingMessage", "52c6715d19086a69"),
    ("rpc A2AService.GetTask", "ceb5334e56b7c659"),
    ("rpc A2AService.ListTasks", "8d676cf61663f0dc"),
    ("rpc A2AService.CancelTask", "35a50b11da1067bc"),
    ("rpc A2AService.SubscribeToTask", "38bd10f48a8af73f"),
    (
        "rpc A2AService.CreateTaskPushNotificationConfig",
        "5f003878c3b72484",
    ),
    (
        "rpc A2AService.GetTaskPushNotificationConfig",
        "513029f773694953",
    ),
    (
        "rpc A2AService.ListTaskPushNotificationConfigs",
        "17c3f4ef24248e0a",
    ),
    ("rpc A2AService.GetExtendedAgentCard", "c5fc3a69b71b6b29"),
    (
        "rpc A2AService.DeleteTaskPushNotificationConfig",
        "38024a3ef96d43d2",
    ),
];
