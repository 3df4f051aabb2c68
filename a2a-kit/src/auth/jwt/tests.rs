use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::request::Parts;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use ring::{hmac, signature};
use serde_json::json;

use super::super::tests::{ask, head};
use super::*;

mod fetching;

/// Base64 of a PKCS #8 key that was made for these tests: ring makes no RSA keys.
const RSA_KEY: &str = include_str!("rsa_key_of_tests.txt");

const ISSUER: &str = "https://login.example.com/";
const AUDIENCE: &str = "https://agent.example.com";

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Signs as issuers do.
enum Signer {
    Rs256(RsaKeyPair),
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
}

impl Signer {
    fn rs256() -> Self {
        let text: String = RSA_KEY.split_whitespace().collect();
        let key = STANDARD.decode(text).unwrap();
        Self::Rs256(RsaKeyPair::from_pkcs8(&key).unwrap())
    }

    fn es256() -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let key = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Es256(EcdsaKeyPair::from_pkcs8(kind, key.as_ref(), &random).unwrap())
    }

    fn ed_dsa() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::EdDsa(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rs256(_) => "RS256",
            Self::Es256(_) => "ES256",
            Self::EdDsa(_) => "EdDSA",
        }
    }

    fn jwk(&self, id: &str) -> Value {
        match self {
            Self::Rs256(key) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({"kty": "RSA", "kid": id, "use": "sig", "alg": "RS256",
                       "n": encoded(public.n), "e": encoded(public.e)})
            }
            Self::Es256(key) => {
                let (x, y) = key.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "kid": id, "x": encoded(x), "y": encoded(y)})
            }
            Self::EdDsa(key) => {
                let x = encoded(key.public_key());
                json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": x})
            }
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rs256(key) => {
                let mut out = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut out)
                    .unwrap();
                out
            }
            Self::Es256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::EdDsa(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let message = unsigned(header, claims);
        let signature = self.sign(message.as_bytes());
        format!("{message}.{}", encoded(signature))
    }

    /// A token that is right.
    fn right(&self, id: &str) -> String {
        self.token(&self.header(id), &claims())
    }

    fn header(&self, id: &str) -> Value {
        json!({"alg": self.algorithm(), "kid": id, "typ": "at+jwt"})
    }
}

fn unsigned(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        encoded(header.to_string()),
        encoded(claims.to_string())
    )
}

fn now() -> u64 {
    jsonwebtoken::get_current_timestamp()
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": now() + 300, "iat": now(),
           "scope": "tasks.read tasks.write", "tenant": "acme"})
}

/// The claims of a right token, changed.
fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

fn set(keys: &[Value]) -> String {
    json!({"keys": keys}).to_string()
}

fn ready(tokens: JwtBearer) -> JwtBearer {
    let tokens = tokens
        .issuer(ISSUER)
        .audience(AUDIENCE)
        .leeway(Duration::ZERO);
    assert_eq!(Authenticator::check(&tokens, None), Ok(()));
    tokens
}

fn bearer(token: &str) -> Parts {
    head("/", &[("authorization", &format!("Bearer {token}"))])
}

/// Why a token is not taken.
async fn refused(tokens: &JwtBearer, token: &str) -> String {
    match ask(tokens, &bearer(token)).await {
        Err(rejection) => {
            assert!(!rejection.is_unavailable(), "{rejection:?}");
            rejection.reason().to_owned()
        }
        Ok(caller) => panic!("{caller:?} was let in by {token}"),
    }
}

#[tokio::test]
async fn tokens_of_each_algorithm_say_who_calls() {
    for signer in [Signer::rs256(), Signer::es256(), Signer::ed_dsa()] {
        let tokens = ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")])));
        let mut anonymous_key = signer.header("k1");
        anonymous_key.as_object_mut().unwrap().remove("kid");
        for header in [signer.header("k1"), anonymous_key] {
            let token = signer.token(&header, &claims());
            let caller = ask(&tokens, &bearer(&token)).await.unwrap().unwrap();
            assert_eq!(caller.id(), Some("alice"), "{}", signer.algorithm());
            assert!(caller.has_scope("tasks.read") && caller.has_scope("tasks.write"));
            assert_eq!(caller.claim("tenant"), Some(&json!("acme")));
        }
    }
    let tokens = ready(JwtBearer::fixed_keys(set(&[Signer::ed_dsa().jwk("k1")])));
    assert_eq!(ask(&tokens, &head("/", &[])).await, Ok(None));
    let basic = head("/", &[("authorization", "Basic YTpi")]);
    assert_eq!(ask(&tokens, &basic).await, Ok(None));
}

#[tokio::test]
async fn claims_that_do_not_hold_are_refused() {
    let signer = Signer::ed_dsa();
    let tokens = ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")])));
    let later = now() + 60;
    for (claims, why) in [
        (with("exp", json!(now() - 1)), "the token has expired"),
        (without("exp"), "the token has no claim exp"),
        (with("exp", json!("never")), "the token has no claim exp"),
        (with("exp", json!(null)), "the token has no claim exp"),
        (with("nbf", json!(later)), "the token does not hold yet"),
        (with("nbf", json!("soon")), "the token is malformed"),
        (
            with("iat", json!(later)),
            "the token was issued in the future",
        ),
        (
            with("iat", json!("soon")),
            "the token's claim iat is no number",
        ),
        (
            with("iss", json!("https://login.example.com")),
            "the token is of another issuer",
        ),
        (without("iss"), "the token has no claim iss"),
        (
            with("aud", json!("https://other.example.com")),
            "the token is for another audience",
        ),
        (with("aud", json!([])), "the token is for another audience"),
        (without("aud"), "the token has no claim aud"),
        (without("sub"), "the token has no claim sub"),
        (with("sub", json!("")), "the token has no claim sub"),
        (with("sub", json!(7)), "the token has no claim sub"),
        (json!([]), "the token is malformed"),
    ] {
        let token = signer.token(&signer.header("k1"), &claims);
        assert_eq!(refused(&tokens, &token).await, why, "{claims}");
    }
    let several = with("aud", json!(["https://other.example.com", AUDIENCE]));
    let token = signer.token(&signer.header("k1"), &several);
    assert!(ask(&tokens, &bearer(&token)).await.is_ok());
}

#[tokio::test]
async fn clocks_may_differ_by_the_leeway() {
    let signer = Signer::ed_dsa();
    let keys = set(&[signer.jwk("k1")]);
    let tokens = ready(JwtBearer::fixed_keys(keys)).leeway(Duration::from_secs(30));
    for (name, seconds, is_taken) in [
        ("exp", -20, true),
        ("exp", -31, false),
        ("nbf", 20, true),
        ("nbf", 60, false),
        ("iat", 20, true),
        ("iat", 60, false),
    ] {
        let claims = with(name, json!(now().saturating_add_signed(seconds)));
        let token = signer.token(&signer.header("k1"), &claims);
        assert_eq!(
            ask(&tokens, &bearer(&token)).await.is_ok(),
            is_taken,
            "{name} {seconds}"
        );
    }
}

#[tokio::test]
async fn a_signature_of_anybody_else_is_none() {
    for (signer, other) in [
        (Signer::es256(), Signer::es256()),
        (Signer::ed_dsa(), Signer::ed_dsa()),
        (Signer::rs256(), Signer::es256()),
    ] {
        let tokens = ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")])));
        let right = signer.right("k1");
        let (message, signature) = right.rsplit_once('.').unwrap();
        let (header, _) = message.split_once('.').unwrap();
        let forged = encoded(with("sub", json!("mallory")).to_string());
        let mut flipped = URL_SAFE_NO_PAD.decode(signature).unwrap();
        flipped[7] ^= 1;
        for token in [
            format!("{message}.{}", encoded(other.sign(message.as_bytes()))),
            format!("{header}.{forged}.{signature}"),
            format!("{message}.{}", encoded(flipped)),
            format!("{message}."),
        ] {
            let why = refused(&tokens, &token).await;
            assert_eq!(why, "the token's signature is wrong", "{token}");
        }
    }
}

#[tokio::test]
async fn a_token_cannot_choose_its_own_algorithm() {
    let signer = Signer::rs256();
    let Signer::Rs256(key) = &signer else {
        unreachable!()
    };
    let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
    let tokens = ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")])));
    let none = json!({"alg": "none", "kid": "k1"});
    let message = unsigned(&none, &claims());
    for token in [format!("{message}."), format!("{message}.AAAA"), message] {
        refused(&tokens, &token).await;
    }
    // The public key as the secret of an HMAC.
    let message = unsigned(&json!({"alg": "HS256", "kid": "k1"}), &claims());
    for secret in [
        key.public().as_ref().to_vec(),
        public.n.clone(),
        encoded(&public.n).into_bytes(),
        set(&[signer.jwk("k1")]).into_bytes(),
    ] {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, &secret);
        let signature = encoded(hmac::sign(&secret, message.as_bytes()));
        let why = refused(&tokens, &format!("{message}.{signature}")).await;
        assert_eq!(why, "only tokens of RS256, ES256, EdDSA are taken");
    }
    // The right key with another algorithm of its family, or of another one.
    for algorithm in ["RS384", "PS256", "ES256", "EdDSA", "NONE", ""] {
        let token = signer.token(&json!({"alg": algorithm, "kid": "k1"}), &claims());
        refused(&tokens, &token).await;
    }
    let only =
        ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")]))).algorithms([JwtAlgorithm::EdDsa]);
    assert_eq!(
        refused(&only, &signer.right("k1")).await,
        "only tokens of EdDSA are taken"
    );
}

#[tokio::test]
async fn keys_that_a_token_brings_are_not_looked_at() {
    let (signer, mallory) = (Signer::ed_dsa(), Signer::ed_dsa());
    let tokens = ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")])));
    for (name, value) in [
        ("jwk", mallory.jwk("k1")),
        ("jku", json!("http://127.0.0.1:1/keys")),
        ("x5u", json!("http://127.0.0.1:1/keys")),
    ] {
        let mut header = mallory.header("k1");
        header[name] = value;
        refused(&tokens, &mallory.token(&header, &claims())).await;
    }
    // What must be understood and is not.
    let mut header = signer.header("k1");
    header["crit"] = json!(["exp"]);
    refused(&tokens, &signer.token(&header, &claims())).await;
}

#[tokio::test]
async fn what_is_no_token_is_refused() {
    let signer = Signer::ed_dsa();
    let tokens = ready(JwtBearer::fixed_keys(set(&[signer.jwk("k1")])));
    let right = signer.right("k1");
    for token in [
        "",
        ".",
        "..",
        "a.b.c",
        "opaque",
        &format!("{right}.x"),
        &right[1..],
    ] {
        refused(&tokens, token).await;
    }
    let long = "a".repeat(LONGEST_TOKEN + 1);
    assert_eq!(refused(&tokens, &long).await, "the token is too long");
}

#[tokio::test]
async fn the_id_and_the_scopes_may_stand_in_other_claims() {
    let signer = Signer::ed_dsa();
    let keys = set(&[signer.jwk("k1")]);
    let tokens = ready(JwtBearer::fixed_keys(keys)).id_claim("client_id");
    let mut claims = with("client_id", json!("build-server"));
    claims.as_object_mut().unwrap().remove("scope");
    claims["scp"] = json!(["a", 1, "b"]);
    let token = signer.token(&signer.header("k1"), &claims);
    let caller = ask(&tokens, &bearer(&token)).await.unwrap().unwrap();
    assert_eq!(caller.id(), Some("build-server"));
    assert_eq!(caller.scopes().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn what_cannot_work_is_said_before_anything_is_served() {
    use crate::v1_0::{HttpAuthSecurityScheme, OAuth2SecurityScheme};
    let tokens = || {
        JwtBearer::keys_at("https://a/keys")
            .issuer("i")
            .audience("a")
    };
    let check = |tokens: JwtBearer, scheme: Option<SecurityScheme>| {
        Authenticator::check(&tokens, scheme.as_ref())
    };
    let http = |name: &str| {
        let http = HttpAuthSecurityScheme::new().with_scheme(name);
        SecurityScheme::new().with_http_auth_security_scheme(http)
    };
    let oauth = SecurityScheme::new().with_oauth2_security_scheme(OAuth2SecurityScheme::new());
    for scheme in [None, Some(http("Bearer")), Some(oauth)] {
        assert_eq!(check(tokens(), scheme), Ok(()));
    }
    assert!(check(tokens(), Some(http("basic"))).is_err());
    assert!(check(tokens(), Some(SecurityScheme::new())).is_err());
    assert!(check(JwtBearer::keys_at("https://a/keys").issuer("i"), None).is_err());
    assert!(check(JwtBearer::keys_at("https://a/keys").audience("a"), None).is_err());
    assert!(check(tokens().algorithms([]), None).is_err());
    assert!(check(JwtBearer::fixed_keys("{}").issuer("i").audience("a"), None).is_err());
    for (url, is_taken) in [
        ("http://127.0.0.1:8080/keys", true),
        ("http://[::1]/keys", true),
        ("http://localhost/keys", true),
        ("http://example.com/keys", false),
        ("http://localhost.example.com/keys", false),
        ("ftp://a/keys", false),
        ("/keys", false),
        ("", false),
    ] {
        let tokens = JwtBearer::keys_at(url).issuer("i").audience("a");
        assert_eq!(check(tokens, None).is_ok(), is_taken, "{url}");
    }
}

#[test]
fn the_key_of_the_tests_verifies_by_ring_alone() {
    // So that the tests above do not hold a wrong key against a wrong signature.
    let signer = Signer::rs256();
    let Signer::Rs256(key) = &signer else {
        unreachable!()
    };
    let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
    let signature = signer.sign(b"text");
    let verified = public.verify(&signature::RSA_PKCS1_2048_8192_SHA256, b"text", &signature);
    assert!(verified.is_ok());
}
