//! What `proto/a2a/v0.3/a2a.proto` must declare. After a wanted change, the failing test prints
//! these constants anew.

/// SHA-256 of the canonical descriptor of the whole file.
pub(crate) const FINGERPRINT: &str =
    "2f5bbfe63b45cb6a8d28066924a919e5eb6864f374910870aa10ad65584dee99";

/// Each declaration in the order of the descriptor, with the first 16 digits of its SHA-256, so
/// that a failure can name the declaration where the official file is not at hand.
pub(crate) const DECLARATIONS: &[(&str, &str)] = &[
    ("file", "4cc1437ff7458d77"),
    ("message SendMessageConfiguration", "6d1a0b99d03a3b8b"),
    ("message Task", "677aab2521a53814"),
    ("message TaskStatus", "3c6455d90fcbce73"),
    ("message Part", "b9b9b4dd8e69f99a"),
    ("message FilePart", "718dbb5120e923d1"),
    ("message DataPart", "de2453eaa3773e00"),
    ("message Message", "a8ee1f5dc31485f2"),
    ("message Artifact", "f7294c3271aacf2f"),
    ("message TaskStatusUpdateEvent", "6f843a8ad8d3a23e"),
    ("message TaskArtifactUpdateEvent", "7e9445c0bfe599be"),
    ("message PushNotificationConfig", "d1d278fbcbaacb2b"),
    ("message AuthenticationInfo", "0c40aacb304f0a22"),
    ("message AgentInterface", "e61c812bf5896fcb"),
    ("message AgentCard", "6698aee9e2ef3e1a"),
    ("message AgentProvider", "15e85347aac1d77a"),
    ("message AgentCapabilities", "c0a9691982722873"),
    ("message AgentExtension", "229631f10b1a6de1"),
    ("message AgentSkill", "c9960d2ef3183a86"),
    ("message AgentCardSignature", "9675f0f3249bf82a"),
    ("message TaskPushNotificationConfig", "d909265fd97c21b8"),
    ("message StringList", "17003888559a323a"),
    ("message Security", "953e42182a6b6e24"),
    ("message SecurityScheme", "159410391822ce05"),
    ("message APIKeySecurityScheme", "5d8e6110c8c288b4"),
    ("message HTTPAuthSecurityScheme", "fc02465da498cbd4"),
    ("message OAuth2SecurityScheme", "843d5c589bdd29bd"),
    ("message OpenIdConnectSecurityScheme", "02795e6c5628309f"),
    ("message MutualTlsSecurityScheme", "1eadd0b73682ae42"),
    ("message OAuthFlows", "c43879383e300d86"),
    ("message AuthorizationCodeOAuthFlow", "5d9fb84c2d357647"),
    ("message ClientCredentialsOAuthFlow", "cbb002d5005157b2"),
    ("message ImplicitOAuthFlow", "7639d80cfdf9147f"),
    ("message PasswordOAuthFlow", "3f708caf15631b0f"),
    ("message SendMessageRequest", "7eb8ea2d006d0ea7"),
    ("message GetTaskRequest", "b7d38ec17afc610c"),
    ("message CancelTaskRequest", "0b21c46bbf57e2ee"),
    (
        "message GetTaskPushNotificationConfigRequest",
        "add46f2e35ab87cc",
    ),
    (
        "message DeleteTaskPushNotificationConfigRequest",
        "53eb64229d4ffced",
    ),
    (
        "message CreateTaskPushNotificationConfigRequest",
        "1df873fe3eea03ae",
    ),
    ("message TaskSubscriptionRequest", "59d1ab84f886675c"),
    (
        "message ListTaskPushNotificationConfigRequest",
        "cb1112747215f666",
    ),
    ("message GetAgentCardRequest", "bd1b2b9ea05ace36"),
    ("message SendMessageResponse", "ea1ce8429e2eaed9"),
    ("message StreamResponse", "95b5ef11979c5d2d"),
    (
        "message ListTaskPushNotificationConfigResponse",
        "f5d37204676202a9",
    ),
    ("enum TaskState", "cc0feaa7e5cfbb93"),
    ("enum Role", "d9569addc6ab4514"),
    ("service A2AService", "779250634513eaea"),
    ("rpc A2AService.SendMessage", "e5560d35b8d4d5af"),
    ("rpc A2AService.SendStreamingMessage", "abdfd171b9653237"),
    ("rpc A2AService.GetTask", "48ec8f7076f8ae69"),
    ("rpc A2AService.CancelTask", "ce235019969dfd49"),
    ("rpc A2AService.TaskSubscription", "826c824a69303838"),
    (
        "rpc A2AService.CreateTaskPushNotificationConfig",
        "2eac902456af5abb",
    ),
    (
        "rpc A2AService.GetTaskPushNotificationConfig",
        "d9c0b2a6566329f6",
    ),
    (
        "rpc A2AService.ListTaskPushNotificationConfig",
        "d6e34ca32c4bc07a",
    ),
    ("rpc A2AService.GetAgentCard", "cba067a8c90311fa"),
    (
        "rpc A2AService.DeleteTaskPushNotificationConfig",
        "6e9ecc063e5e6b83",
    ),
];
