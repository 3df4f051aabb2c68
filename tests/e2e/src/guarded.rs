//! An agent that asks for credentials: what its card says of them, and who has which.
//!
//! All bindings, versions 1.0 and 0.3. Callers have an API key or a token; both must have the scope
//! `call`.

use std::time::{SystemTime, UNIX_EPOCH};

use a2a_kit::Caller;
use a2a_kit::auth::{ApiKeys, Authentication, JwtBearer};
use a2a_kit::v1_0::{
    AgentCard, ApiKeySecurityScheme, HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme,
    StringList,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

/// Signs tokens, with a key of its own.
#[derive(Debug)]
pub struct Issuer(Ed25519KeyPair);

impl Default for Issuer {
    fn default() -> Self {
        Self::new()
    }
}

impl Issuer {
    /// Makes a key.
    ///
    /// # Panics
    /// When the system has no random numbers.
    #[must_use]
    pub fn new() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("random numbers");
        Self(Ed25519KeyPair::from_pkcs8(key.as_ref()).expect("the key that was made"))
    }

    fn keys(&self) -> String {
        let x = URL_SAFE_NO_PAD.encode(self.0.public_key());
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": x}]}).to_string()
    }

    /// A token that is good for so many seconds, as it stands in a header.
    ///
    /// # Panics
    /// When the clock stands before 1970.
    #[must_use]
    pub fn token(&self, subject: &str, scope: &str, seconds: i64) -> String {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a time after 1970")
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
pub fn declare(card: &mut AgentCard) {
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

/// Checks what a card with [`declare`] asks for: keys of `alice` and `bob`, one that is too weak, and
/// tokens of the issuer.
///
/// # Panics
/// When the card asks for something else.
#[must_use]
pub fn authentication(card: &AgentCard, issuer: &Issuer) -> Authentication {
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
        .expect("the card was declared here")
}
