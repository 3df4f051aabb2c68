//! Agents that say everything that can be said. Kinds of schemes and flows exclude each other in one
//! object of the card, so there is a scheme for each.

use a2a_kit::prelude::*;

/// Not the description.
#[a2a_agent(
    name = "Everything",
    description = "Says all that can be said.",
    version = "1.2.3",
    documentation_url = "https://example.com/manual",
    icon_url = "https://example.com/icon.png",
    provider(organization = "Example", url = "https://example.com"),
    capabilities(streaming, push_notifications = true, extended_agent_card),
    extension(
        uri = "https://example.com/ext/limits",
        description = "How much it takes",
        required,
        params = {
            "pages": 40,
            "debt": -5,
            "least": -9_223_372_036_854_775_808,
            "most": 18_446_744_073_709_551_615,
            "ratio": 0.5,
            "cold": -1.5,
            "strict": true,
            "until": null,
            "languages": ["en", ["zh", {}], []],
            "nested": { "a": { "b": "c" } },
        },
    ),
    extension(uri = "urn:example:plain"),
    scheme(key, api_key(in = "header", name = "X-API-Key", description = "Ask for one")),
    scheme("basic-auth", http(scheme = "basic", description = "A password")),
    scheme(bearer, http(scheme = "bearer", bearer_format = "JWT")),
    scheme(code, oauth2(
        description = "In the browser",
        metadata_url = "https://id.example.com/.well-known/oauth-authorization-server",
        authorization_code(
            authorization_url = "https://id.example.com/authorize",
            token_url = "https://id.example.com/token",
            refresh_url = "https://id.example.com/refresh",
            scopes("read" = "Reads", "write" = "Writes"),
            pkce_required,
        ),
    )),
    scheme(machine, oauth2(client_credentials(
        token_url = "https://id.example.com/token",
        refresh_url = "https://id.example.com/refresh",
        scopes("read" = "Reads"),
    ))),
    scheme(device, oauth2(device_code(
        device_authorization_url = "https://id.example.com/device",
        token_url = "https://id.example.com/token",
        refresh_url = "https://id.example.com/refresh",
        scopes("read" = "Reads"),
    ))),
    scheme(old_browser, oauth2(implicit(
        authorization_url = "https://id.example.com/authorize",
        refresh_url = "https://id.example.com/refresh",
        scopes("read" = "Reads"),
    ))),
    scheme(old_password, oauth2(password(
        token_url = "https://id.example.com/token",
        refresh_url = "https://id.example.com/refresh",
        scopes("read" = "Reads"),
    ))),
    scheme(oidc, open_id_connect(
        url = "https://id.example.com/.well-known/openid-configuration",
        description = "Sign in",
    )),
    scheme(certificate, mtls(description = "Ours")),
    security(key),
    security("basic-auth", certificate),
    security(bearer, code("read", "write")),
    security(machine("read"), device("read")),
    security(old_browser("read"), old_password("read")),
    input_modes("text/plain", "application/json"),
    output_modes("text/plain", "application/vnd.example+json; profile=\"short\""),
    bindings(jsonrpc, rest, grpc),
    versions("1.0", "0.3"),
    interface(binding = jsonrpc, version = "1.0", url = "https://a.example.com/"),
    interface(binding = rest, version = "0.3", url = "https://a.example.com/", tenant = "north"),
    interface(binding = grpc, version = "1.0", url = "a.example.com:443", tenant = "south"),
    tenants("north", "south"),
)]
pub struct Everything;

#[a2a_skills]
impl Everything {
    /// Not the description.
    #[skill(
        id = "say",
        name = "Say it",
        description = "Says it.",
        tags("speech", "text"),
        examples("Say it", "说"),
        input_modes("text/plain"),
        output_modes("text/markdown"),
        security(oidc),
        security(key, code("write")),
        default,
        reply = "task"
    )]
    async fn say(&self, text: Text) -> Text {
        text
    }

    /// What only some may hear.
    #[skill(tags("speech"), security("basic-auth"), extended)]
    async fn whisper_it(&self, text: Text) -> Text {
        text
    }

    /// Answers at once.
    #[skill(tags("speech"), reply = "message", default = false)]
    async fn ping(&self) -> &'static str {
        "pong"
    }
}
