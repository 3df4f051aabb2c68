//! What an agent card knows by name, as the attributes write it. The only place of these words; a test
//! holds them against the protocol's proto and the runtime.

/// Bindings: the word, and the variant of `Binding`.
pub(crate) const BINDINGS: [(&str, &str); 3] =
    [("jsonrpc", "JsonRpc"), ("rest", "Rest"), ("grpc", "Grpc")];

/// Versions of the protocol, and the constant of `ProtocolVersion`.
pub(crate) const VERSIONS: [(&str, &str); 2] = [("1.0", "V1_0"), ("0.3", "V0_3")];

/// Where an API key goes.
pub(crate) const KEY_PLACES: [&str; 3] = ["header", "query", "cookie"];

/// Optional parts of the protocol: the word is the member of `AgentCapabilities`.
pub(crate) const CAPABILITIES: [&str; 3] =
    ["streaming", "push_notifications", "extended_agent_card"];

/// A text in a message of the card.
pub(crate) struct Text {
    /// The word in the attribute.
    pub(crate) key: &'static str,
    /// The member of the message.
    pub(crate) member: &'static str,
    pub(crate) needed: bool,
}

/// A variant of a union in the card.
pub(crate) struct Variant {
    /// The word in the attribute.
    pub(crate) word: &'static str,
    /// The member of the union.
    pub(crate) member: &'static str,
    /// The type of the variant.
    pub(crate) message: &'static str,
    pub(crate) texts: &'static [Text],
}

const fn needed(key: &'static str, member: &'static str) -> Text {
    Text {
        key,
        member,
        needed: true,
    }
}

const fn optional(key: &'static str, member: &'static str) -> Text {
    Text {
        key,
        member,
        needed: false,
    }
}

const DESCRIPTION: Text = optional("description", "description");
const REFRESH_URL: Text = optional("refresh_url", "refresh_url");
const TOKEN_URL: Text = needed("token_url", "token_url");
const AUTHORIZATION_URL: Text = needed("authorization_url", "authorization_url");

/// The word of the scheme that has a flow.
pub(crate) const OAUTH2: &str = "oauth2";

/// Security schemes.
pub(crate) const SCHEMES: [Variant; 5] = [
    Variant {
        word: "api_key",
        member: "api_key_security_scheme",
        message: "ApiKeySecurityScheme",
        texts: &[
            needed("in", "location"),
            needed("name", "name"),
            DESCRIPTION,
        ],
    },
    Variant {
        word: "http",
        member: "http_auth_security_scheme",
        message: "HttpAuthSecurityScheme",
        texts: &[
            needed("scheme", "scheme"),
            optional("bearer_format", "bearer_format"),
            DESCRIPTION,
        ],
    },
    Variant {
        word: OAUTH2,
        member: "oauth2_security_scheme",
        message: "OAuth2SecurityScheme",
        texts: &[optional("metadata_url", "oauth2_metadata_url"), DESCRIPTION],
    },
    Variant {
        word: "open_id_connect",
        member: "open_id_connect_security_scheme",
        message: "OpenIdConnectSecurityScheme",
        texts: &[needed("url", "open_id_connect_url"), DESCRIPTION],
    },
    Variant {
        word: "mtls",
        member: "mtls_security_scheme",
        message: "MutualTlsSecurityScheme",
        texts: &[DESCRIPTION],
    },
];

/// Flows of OAuth 2.0. Each has scopes too.
pub(crate) const FLOWS: [Variant; 5] = [
    Variant {
        word: AUTHORIZATION_CODE,
        member: "authorization_code",
        message: "AuthorizationCodeOAuthFlow",
        texts: &[AUTHORIZATION_URL, TOKEN_URL, REFRESH_URL],
    },
    Variant {
        word: "client_credentials",
        member: "client_credentials",
        message: "ClientCredentialsOAuthFlow",
        texts: &[TOKEN_URL, REFRESH_URL],
    },
    Variant {
        word: "implicit",
        member: "implicit",
        message: "ImplicitOAuthFlow",
        texts: &[AUTHORIZATION_URL, REFRESH_URL],
    },
    Variant {
        word: "password",
        member: "password",
        message: "PasswordOAuthFlow",
        texts: &[TOKEN_URL, REFRESH_URL],
    },
    Variant {
        word: "device_code",
        member: "device_code",
        message: "DeviceCodeOAuthFlow",
        texts: &[
            needed("device_authorization_url", "device_authorization_url"),
            TOKEN_URL,
            REFRESH_URL,
        ],
    },
];

/// The flow that may insist on PKCE.
pub(crate) const AUTHORIZATION_CODE: &str = "authorization_code";
