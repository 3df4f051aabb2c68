//! Callers without the right credentials: every operation, on every binding, says so in the same
//! way, and nothing happens.

use std::time::{SystemTime, UNIX_EPOCH};

use a2a_kit::auth::{ApiKeys, Authentication, JwtBearer};
use a2a_kit::v1_0::{
    AgentCard, ApiKeySecurityScheme, HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme,
    StringList,
};
use a2a_kit::{A2A_SERVICE, Caller};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use e2e::client::http;
use e2e::{Binding, Client, Served, Setup, card, request};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

/// Signs tokens.
struct Issuer(Ed25519KeyPair);

impl Issuer {
    fn new() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
    }

    fn keys(&self) -> String {
        let x = URL_SAFE_NO_PAD.encode(self.0.public_key());
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": x}]}).to_string()
    }

    /// A token that is good for so many seconds.
    fn token(&self, scope: &str, seconds: i64) -> String {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs();
        let claims = json!({"iss": "issuer", "aud": "agent", "sub": "alice", "scope": scope,
                            "exp": now.saturating_add_signed(seconds)});
        let encoded = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({"alg": "EdDSA", "kid": "k"});
        let message = format!("{}.{}", encoded(&header), encoded(&claims));
        let signature = URL_SAFE_NO_PAD.encode(self.0.sign(message.as_bytes()));
        format!("Bearer {message}.{signature}")
    }
}

/// Wants a key or a token, with the scope `call`.
fn declare(card: &mut AgentCard) {
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
}

async fn guarded(issuer: &Issuer) -> Served {
    let mut card = card::full();
    declare(&mut card);
    let keys = ApiKeys::header("X-Key")
        .key("right", Caller::known("alice").with_scopes(["call"]))
        .key("weak", Caller::known("bob"));
    let tokens = JwtBearer::fixed_keys(issuer.keys())
        .issuer("issuer")
        .audience("agent");
    let authentication = Authentication::for_card(&card)
        .scheme("key", keys)
        .scheme("token", tokens)
        .build()
        .unwrap();
    Setup::new()
        .card(declare)
        .server(|server| server.authentication(authentication))
        .start()
        .await
}

/// Headers, the status over HTTP, that over gRPC, and a part of the message.
type Refused<'a> = (&'a [(&'a str, &'a str)], u16, i64, &'a str);

/// A request that could be answered.
fn request_of(operation: &str) -> Value {
    match operation {
        "SendMessage" | "SendStreamingMessage" => request("hi"),
        "ListTasks" | "GetExtendedAgentCard" => json!({}),
        "CreateTaskPushNotificationConfig" => json!({"taskId": "t", "url": "https://a.test/"}),
        "ListTaskPushNotificationConfigs" => json!({"taskId": "t"}),
        other if other.ends_with("PushNotificationConfig") => json!({"taskId": "t", "id": "c"}),
        _ => json!({"id": "t"}),
    }
}

fn with_credentials(client: Client, credentials: &[(&str, &str)]) -> Client {
    credentials
        .iter()
        .fold(client, |client, (name, value)| client.header(name, value))
}

#[tokio::test]
async fn without_the_right_credentials_nothing_is_answered_and_nothing_happens() {
    let issuer = Issuer::new();
    let served = guarded(&issuer).await;
    let (expired, weak) = (issuer.token("call", -60), issuer.token("read", 60));
    let foreign = Issuer::new().token("call", 60);
    let refused: [Refused<'_>; 8] = [
        (&[], 401, 16, "asks for credentials: key, or token"),
        (&[("x-key", "wrong")], 401, 16, "the API key is not known"),
        (
            &[("authorization", "Bearer x")],
            401,
            16,
            "no JSON Web Token",
        ),
        (
            &[("authorization", &expired)],
            401,
            16,
            "the token has expired",
        ),
        (
            &[("authorization", &foreign)],
            401,
            16,
            "the token's signature is wrong",
        ),
        (
            &[("authorization", "Basic YTpi")],
            401,
            16,
            "asks for credentials",
        ),
        (&[("x-key", "weak")], 403, 7, "lack the scopes call"),
        (&[("authorization", &weak)], 403, 7, "lack the scopes call"),
    ];
    for operation in A2A_SERVICE.operations {
        for binding in Binding::ALL {
            for (credentials, http, grpc, message) in refused {
                // The body is not read, so JSON-RPC does not know the id.
                let client = served.client(binding).id(Value::Null);
                let client = with_credentials(client, credentials);
                let fault = client
                    .fault(operation.name, request_of(operation.name))
                    .await;
                let what = format!("{} {binding:?} {credentials:?}: {fault:?}", operation.name);
                match binding {
                    Binding::Rest => assert_eq!(fault.http, http, "{what}"),
                    Binding::JsonRpc => {
                        assert_eq!((fault.http, fault.code), (http, -32000), "{what}")
                    }
                    Binding::Grpc => assert_eq!(fault.code, grpc, "{what}"),
                }
                assert!(fault.message.contains(message), "{what}");
                assert!(fault.details.is_empty(), "{what}");
                let challenges = fault.headers.get_all("www-authenticate").iter();
                let challenges: Vec<_> = challenges.map(|value| value.to_str().unwrap()).collect();
                assert!(!challenges.is_empty(), "{what}");
            }
        }
    }
    let right = issuer.token("call more", 60);
    for credentials in [("x-key", "right"), ("authorization", &*right)] {
        for binding in Binding::ALL {
            let client = with_credentials(served.client(binding), &[credentials]);
            let listed = client.ok("ListTasks", json!({})).await;
            assert_eq!(
                listed["tasks"].as_array().map_or(0, Vec::len),
                0,
                "{listed}"
            );
            for operation in A2A_SERVICE
                .operations
                .iter()
                .filter(|one| !one.name.starts_with("Send"))
            {
                let outcome = client
                    .call(operation.name, request_of(operation.name))
                    .await;
                let is_let_in = match &outcome {
                    Ok(_) => true,
                    Err(fault) => !fault.headers.contains_key("www-authenticate"),
                };
                assert!(is_let_in, "{} {binding:?}: {outcome:?}", operation.name);
            }
        }
    }
    let client = with_credentials(served.client(Binding::Rest), &[("x-key", "right")]);
    let task = client.start("hi").await;
    assert_eq!(client.get(&task).await["id"], json!(task));
}

#[tokio::test]
async fn the_card_is_for_everybody_and_what_is_served_is_not() {
    let served = guarded(&Issuer::new()).await;
    let card = http::call(served.addr, "GET", "/.well-known/agent-card.json").await;
    assert_eq!(card.status, 200);
    for (path, status) in [
        ("/tasks/t1", 401),
        ("/nothing/here", 404),
        ("/message:send", 405),
    ] {
        let answer = http::call(served.addr, "GET", path).await;
        assert_eq!(answer.status, status, "{path}");
    }
    // Version 0.3 asks for the same.
    let old = http::post(
        served.addr,
        "/",
        r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}"#,
    );
    assert_eq!(old.await.status, 401);
}

#[tokio::test]
async fn a_card_that_asks_for_credentials_is_not_served_where_nobody_checks_them() {
    let mut card = card::full();
    declare(&mut card);
    struct Silent;
    impl a2a_kit::A2aService for Silent {}
    let error = a2a_kit::Server::builder(Silent, card.clone())
        .build()
        .unwrap_err();
    assert_eq!(error.violations()[0].field, "securityRequirements");
    let other = Authentication::for_card(&card::full()).build().unwrap();
    let server = a2a_kit::Server::builder(Silent, card).authentication(other);
    assert_eq!(
        server.build().unwrap_err().violations()[0].field,
        "securityRequirements"
    );
}
