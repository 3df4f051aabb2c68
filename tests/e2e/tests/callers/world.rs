//! An agent that asks for credentials, and who calls it.
//!
//! All bindings, versions 1.0 and 0.3, two tenants. Callers have an API key or a token; both must
//! have the scope `call`.

use std::time::{SystemTime, UNIX_EPOCH};

use a2a_kit::auth::{ApiKeys, Authentication, JwtBearer};
use a2a_kit::engine::Tenants;
use a2a_kit::store::Scope;
use a2a_kit::v1_0::{
    AgentCard, ApiKeySecurityScheme, HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme,
    StringList,
};
use a2a_kit::{Caller, ServerBuilder};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use e2e::{Binding, Served, Setup, card, request, string};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::sample::About;
use super::store::Noting;

/// What only Alice has said.
pub(crate) const SECRET: &str = "what-alice-alone-knows";
/// Her webhook.
pub(crate) const CONFIG: &str = "alices-config";

/// Signs tokens.
pub(crate) struct Issuer(Ed25519KeyPair);

impl Issuer {
    pub(crate) fn new() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
    }

    fn keys(&self) -> String {
        let x = URL_SAFE_NO_PAD.encode(self.0.public_key());
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": x}]}).to_string()
    }

    /// A token that is good for so many seconds, as it stands in a header.
    pub(crate) fn token(&self, subject: &str, scope: &str, seconds: i64) -> String {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let claims = json!({"iss": "issuer", "aud": "agent", "sub": subject, "scope": scope,
                            "exp": now.saturating_add_signed(seconds)});
        let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({"alg": "EdDSA", "kid": "k"});
        let message = format!("{}.{}", encoded(&header), encoded(&claims));
        let signature = URL_SAFE_NO_PAD.encode(self.0.sign(message.as_bytes()));
        format!("Bearer {message}.{signature}")
    }
}

/// Wants a key or a token, with the scope `call`.
pub(crate) fn declare(card: &mut AgentCard) {
    let key = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let key = SecurityScheme::new().with_api_key_security_scheme(key);
    let token = HttpAuthSecurityScheme::new().with_scheme("Bearer");
    let token = SecurityScheme::new().with_http_auth_security_scheme(token);
    for (name, scheme) in [("key", key), ("token", token)] {
        let mut requirement = SecurityRequirement::new();
        let scopes = StringList::new().with_list(["call".to_owned()]);
        requirement.schemes.insert(name.into(), scopes);
        card.security_schemes.insert(name.into(), scheme);
        card.security_requirements.push(requirement);
    }
    let mut old = card.supported_interfaces.clone();
    for interface in &mut old {
        interface.protocol_version = "0.3".into();
    }
    card.supported_interfaces.extend(old);
}

pub(crate) fn authentication(card: &AgentCard, issuer: &Issuer) -> Authentication {
    let known = |id: &str| Caller::known(id).with_scopes(["call"]);
    let keys = ApiKeys::header("X-Key")
        .key("key-of-alice", known("alice"))
        .key("key-of-bob", known("bob"))
        .key("weak", Caller::known("carol"));
    let tokens = JwtBearer::fixed_keys(issuer.keys())
        .issuer("issuer")
        .audience("agent");
    Authentication::for_card(card)
        .scheme("key", keys)
        .scheme("token", tokens)
        .build()
        .unwrap()
}

/// The agent, and its store.
pub(crate) struct World {
    pub(crate) served: Served,
    pub(crate) store: Noting,
}

impl World {
    pub(crate) async fn new(issuer: &Issuer) -> Self {
        Self::with(issuer, |server| server).await
    }

    /// With other options of the server.
    pub(crate) async fn with(
        issuer: &Issuer,
        options: impl FnOnce(ServerBuilder) -> ServerBuilder + Send + 'static,
    ) -> Self {
        let mut card = card::full();
        declare(&mut card);
        let authentication = authentication(&card, issuer);
        let store = Noting::default();
        let kept = store.clone();
        let served = Setup::new()
            .card(declare)
            .engine(|engine| {
                engine
                    .store(kept)
                    .tenants(Tenants::declared(["north", "south"]))
            })
            .server(|server| options(server.authentication(authentication)))
            .start()
            .await;
        Self { served, store }
    }

    /// Alice begins a conversation in a tenant, and waits to be asked on; a webhook is told of it.
    pub(crate) async fn alices_task(&self, tenant: &'static str) -> About {
        // Which is at the same place in every agent.
        let client = self.served.client(Binding::Grpc);
        let client = client.header("x-key", "key-of-alice");
        let mut first = request(&format!("ask {SECRET}"));
        first["tenant"] = tenant.into();
        first["configuration"] = json!({"taskPushNotificationConfig": {
            "id": CONFIG, "url": format!("https://{SECRET}.test/"), "token": SECRET}});
        let task = client.send(first).await;
        About {
            tenant,
            task: string(&task, "/id"),
            config: CONFIG,
            context: string(&task, "/contextId"),
        }
    }
}

/// Where the store has what a caller of this id made in a tenant.
pub(crate) fn scope(tenant: &str, caller: &str) -> Scope {
    Scope::new(tenant, caller)
}
