use a2a_wire::v1_0::{
    AgentCard, AgentSkill, ApiKeySecurityScheme, HttpAuthSecurityScheme, MutualTlsSecurityScheme,
    OAuth2SecurityScheme, OpenIdConnectSecurityScheme, SecurityRequirement, SecurityScheme,
    StringList,
};
use bytes::Bytes;
use http::Request;

use super::super::script::{self, Script, json_rpc_card, result, task};
use super::super::transport::TransportErrorKind;
use super::super::{Client, ClientBuilder, Credentials};
use super::SchemeCredentials;
use crate::error::{Code, Error};

fn key(location: &str, name: &str) -> SecurityScheme {
    SecurityScheme::new().with_api_key_security_scheme(
        ApiKeySecurityScheme::new()
            .with_location(location)
            .with_name(name),
    )
}

fn http(scheme: &str) -> SecurityScheme {
    SecurityScheme::new()
        .with_http_auth_security_scheme(HttpAuthSecurityScheme::new().with_scheme(scheme))
}

fn requirement(schemes: &[&str]) -> SecurityRequirement {
    let mut requirement = SecurityRequirement::new();
    for scheme in schemes {
        let (name, scopes) = scheme.split_once(' ').unwrap_or((scheme, ""));
        let scopes = scopes.split_whitespace().map(str::to_owned);
        let scopes = StringList::new().with_list(scopes.collect::<Vec<_>>());
        requirement.schemes.insert(name.to_owned(), scopes);
    }
    requirement
}

/// A card with a scheme of each kind and these requirements.
fn card(requirements: &[&[&str]]) -> AgentCard {
    let mut card = json_rpc_card();
    for (name, scheme) in [
        ("header", key("header", "X-Key")),
        ("query", key("query", "key")),
        ("cookie", key("cookie", "session")),
        ("basic", http("Basic")),
        ("bearer", http("bearer")),
        ("digest", http("Digest")),
        (
            "oauth",
            SecurityScheme::new().with_oauth2_security_scheme(OAuth2SecurityScheme::new()),
        ),
        (
            "oidc",
            SecurityScheme::new()
                .with_open_id_connect_security_scheme(OpenIdConnectSecurityScheme::new()),
        ),
        (
            "mtls",
            SecurityScheme::new().with_mtls_security_scheme(MutualTlsSecurityScheme::new()),
        ),
        ("elsewhere", key("body", "key")),
        ("host", key("header", "Host")),
        ("nothing", SecurityScheme::new()),
    ] {
        card.security_schemes.insert(name.to_owned(), scheme);
    }
    let requirements = requirements.iter().map(|schemes| requirement(schemes));
    card.with_security_requirements(requirements.collect::<Vec<_>>())
}

/// A client whose home is where the card's interface is.
fn at_home() -> ClientBuilder {
    Client::builder().base_url("http://agent.example")
}

/// Everything, under the name of its scheme.
fn all() -> ClientBuilder {
    at_home()
        .scheme("header", SchemeCredentials::api_key("k1"))
        .scheme("query", SchemeCredentials::api_key("k2&"))
        .scheme("cookie", SchemeCredentials::api_key("k3"))
        .scheme("basic", SchemeCredentials::basic("me", "pass"))
        .scheme("bearer", SchemeCredentials::bearer("b1"))
        .scheme("digest", SchemeCredentials::http("username=\"me\""))
        .scheme("oauth", SchemeCredentials::bearer("o1"))
        .scheme("oidc", SchemeCredentials::bearer("c1"))
        .scheme("mtls", SchemeCredentials::client_certificate())
}

fn answering() -> Script {
    Script::new(|_, request| result(request, &task("COMPLETED")))
}

/// What a request carries, in words.
fn carried(request: &Request<Bytes>) -> String {
    let mut found = Vec::new();
    for name in ["authorization", "cookie", "x-key", "host"] {
        for value in request.headers().get_all(name) {
            assert!(value.is_sensitive(), "{name}");
            found.push(format!("{name}: {}", value.to_str().unwrap()));
        }
    }
    found.extend(request.uri().query().map(|query| format!("?{query}")));
    found.join(", ")
}

async fn call(builder: ClientBuilder, card: AgentCard) -> Result<String, Error> {
    let script = answering();
    let called = script.with(builder, card).get_task("t1").await;
    assert_eq!(script.requests().len(), usize::from(called.is_ok()));
    called.map(|_| carried(&script.requests()[0]))
}

#[tokio::test]
async fn each_secret_goes_where_the_card_says_and_no_other_goes_along() {
    for (requirements, expected) in [
        (&[][..], ""),
        (&[&["header"][..]][..], "x-key: k1"),
        (&[&["query"]], "?key=k2%26"),
        (&[&["cookie"]], "cookie: session=k3"),
        (&[&["basic"]], "authorization: Basic bWU6cGFzcw=="),
        (&[&["bearer"]], "authorization: Bearer b1"),
        (&[&["digest"]], "authorization: Digest username=\"me\""),
        (&[&["oauth read write"]], "authorization: Bearer o1"),
        (&[&["oidc"]], "authorization: Bearer c1"),
        (&[&["mtls"]], ""),
        // The first that there is everything for.
        (&[&["header"], &["query"]], "x-key: k1"),
        (&[&["unknown"], &["query"], &["header"]], "?key=k2%26"),
        (&[&["query", "unknown"], &["cookie"]], "cookie: session=k3"),
        (
            &[&["elsewhere"], &["nothing"], &["host"], &["oidc"]],
            "authorization: Bearer c1",
        ),
        // All of it.
        (
            &[&["header", "oauth", "mtls"]],
            "authorization: Bearer o1, x-key: k1",
        ),
        (
            &[&["header", "query", "cookie"]],
            "cookie: session=k3, x-key: k1, ?key=k2%26",
        ),
        // One header holds one.
        (&[&["basic", "oauth"], &["query"]], "?key=k2%26"),
        // Nothing is enough, from there on.
        (&[&[], &["header"]], ""),
        (&[&["header"], &[]], "x-key: k1"),
        (&[&["unknown"], &[]], ""),
    ] {
        let carried = call(all(), card(requirements)).await.unwrap();
        assert_eq!(carried, expected, "{requirements:?}");
    }
}

#[tokio::test]
async fn what_fits_is_used_for_any_scheme_but_those_with_their_own_come_first() {
    let any = || {
        at_home()
            .any_scheme(SchemeCredentials::bearer("any"))
            .any_scheme(SchemeCredentials::api_key("any-key"))
            .any_scheme(SchemeCredentials::api_key("never"))
            .scheme("oidc", SchemeCredentials::bearer("own"))
    };
    for (requirements, expected) in [
        (&[&["bearer"][..]][..], "authorization: Bearer any"),
        (&[&["oauth"]], "authorization: Bearer any"),
        (&[&["oidc"]], "authorization: Bearer own"),
        (&[&["header"]], "x-key: any-key"),
        (&[&["query"]], "?key=any-key"),
        (
            &[&["basic"], &["digest"], &["mtls"], &["cookie"]],
            "cookie: session=any-key",
        ),
    ] {
        assert_eq!(call(any(), card(requirements)).await.unwrap(), expected);
    }
    let error = call(any(), card(&[&["basic"]])).await.unwrap_err();
    assert!(error.is_unauthenticated() && error.is_unsent());
}

#[tokio::test]
async fn a_call_that_can_meet_no_requirement_is_not_made_and_says_what_is_missing() {
    let some = || {
        at_home()
            .scheme("header", SchemeCredentials::bearer("sesame"))
            .scheme("oauth", SchemeCredentials::api_key("sesame"))
            .scheme("basic", SchemeCredentials::basic("me:you", "sesame"))
            .scheme("bearer", SchemeCredentials::bearer("sesame\n"))
            .scheme("tpyo", SchemeCredentials::bearer("sesame"))
            .any_scheme(SchemeCredentials::api_key("sesame"))
    };
    for (requirements, says) in [
        (
            &[&["digest"][..], &["query", "mtls"]][..],
            &[
                "\"digest\" (HTTP Digest): there is none; or \"mtls\" (a client certificate): there is none",
                "ClientBuilder::scheme",
                "for tpyo, of which the card does not know",
            ][..],
        ),
        (
            &[&["header"]],
            &[
                "\"header\" (an API key in the header \"X-Key\"): there is a bearer token, and it asks for an API key",
            ],
        ),
        (
            &[&["oauth"]],
            &["there is an API key, and it asks for a token of OAuth 2"],
        ),
        (&[&["basic"]], &["has a colon in it"]),
        (
            &[&["bearer"]],
            &["the bearer token has letters that headers cannot hold"],
        ),
        (&[&["elsewhere"]], &["\"body\""]),
        (&[&["host"]], &["header host"]),
        (
            &[&["unknown"]],
            &["\"unknown\", which the card does not declare"],
        ),
        (&[&["nothing"]], &["of a kind that is not known here"]),
        (
            &[
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
                &["digest"],
            ],
            &["; or 2 more"],
        ),
    ] {
        let error = call(some(), card(requirements)).await.unwrap_err();
        assert!(error.is_unauthenticated() && error.is_unsent(), "{error:?}");
        let kind = error.transport().map(super::super::TransportError::kind);
        assert_eq!(kind, Some(TransportErrorKind::Credentials));
        for text in says {
            assert!(error.message().contains(text), "{text}: {error}");
        }
        assert!(!format!("{error:?}").contains("sesame"), "{error:?}");
    }
    let two = at_home()
        .scheme("basic", SchemeCredentials::basic("me", "p"))
        .scheme("oauth", SchemeCredentials::bearer("t"));
    let error = call(two, card(&[&["basic", "oauth"]])).await.unwrap_err();
    assert!(error.message().contains("two secrets"), "{error}");
}

#[tokio::test]
async fn a_skill_may_ask_for_more() {
    let skill = |id: &str, requirements: &[&[&str]]| {
        let requirements = requirements.iter().map(|schemes| requirement(schemes));
        AgentSkill::new()
            .with_id(id)
            .with_security_requirements(requirements.collect::<Vec<_>>())
    };
    let card = card(&[&["header"], &["oauth"]]).with_skills([
        skill("plain", &[]),
        skill("query", &[&["query"]]),
        skill("oauth", &[&["digest", "unknown"], &["oauth write"]]),
        skill("never", &[&["unknown"]]),
    ]);
    for (skill, expected) in [
        (None, "x-key: k1"),
        (Some("plain"), "x-key: k1"),
        (Some("unheard-of"), "x-key: k1"),
        (Some("query"), "x-key: k1, ?key=k2%26"),
        // What the skill asks for is enough for the card, so the key stays here.
        (Some("oauth"), "authorization: Bearer o1"),
    ] {
        let script = answering();
        let client = script.with(all(), card.clone());
        let mut call = client.get_task("t1");
        if let Some(skill) = skill {
            call = call.for_skill(skill);
        }
        call.await.unwrap();
        assert_eq!(carried(&script.requests()[0]), expected, "{skill:?}");
    }
    let script = answering();
    let client = script.with(all(), card);
    let error = client.get_task("t1").for_skill("never").await.unwrap_err();
    assert!(error.message().contains("\"unknown\""), "{error}");
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn secrets_stay_at_the_origin_of_the_card_unless_said_otherwise() {
    let declared = |url: &str| {
        let mut declared = card(&[&["header"]]);
        declared.supported_interfaces[0].url = url.to_owned();
        declared
    };
    let near = || at_home().scheme("header", SchemeCredentials::api_key("k1"));
    for elsewhere in [
        "https://agent.example/rpc",
        "http://agent.example:8080/rpc",
        "http://evil.example/rpc",
        "http://agent.example.evil.example/rpc",
    ] {
        let error = call(near(), declared(elsewhere)).await.unwrap_err();
        for text in ["http://agent.example:80", "SchemeCredentials::for_origin"] {
            assert!(error.message().contains(text), "{error}");
        }
        let far = SchemeCredentials::api_key("k1")
            .for_origin("http://other.example")
            .for_origin(elsewhere);
        let carried = call(at_home().scheme("header", far), declared(elsewhere)).await;
        assert_eq!(carried.unwrap(), "x-key: k1", "{elsewhere}");
    }
    // Home is not meant any more, then.
    let far = SchemeCredentials::api_key("k1").for_origin("http://other.example");
    let error = call(
        at_home().scheme("header", far),
        declared("http://agent.example/rpc"),
    )
    .await;
    assert!(error.unwrap_err().is_unauthenticated());
    // The next interface may be where they belong.
    let script = answering();
    let mut two = script::card(&[
        ("JSONRPC", "http://evil.example/rpc"),
        ("JSONRPC", "http://agent.example/rpc"),
    ]);
    two.security_schemes = card(&[]).security_schemes;
    two.security_requirements = vec![requirement(&["header"])];
    script.with(near(), two).get_task("t1").await.unwrap();
    assert_eq!(script.lines(), ["POST http://agent.example/rpc"]);
    assert_eq!(carried(&script.requests()[0]), "x-key: k1");
}

#[test]
fn whom_they_are_for_is_known_before_anything_is_called() {
    for (credentials, says) in [
        (
            SchemeCredentials::api_key("k"),
            "SchemeCredentials::for_origin",
        ),
        (
            SchemeCredentials::api_key("k").for_origin("agent.example"),
            "http://",
        ),
    ] {
        for builder in [
            Client::builder().scheme("header", credentials.clone()),
            Client::builder().any_scheme(credentials.clone()),
        ] {
            let builder = builder.transport(Script::of(Vec::new()));
            let error = builder.with_card(card(&[])).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains(says), "{error}");
        }
    }
}

#[test]
fn they_are_never_printed() {
    let builder = at_home()
        .scheme("a", SchemeCredentials::api_key("sesame"))
        .scheme("b", SchemeCredentials::basic("sesame", "sesame"))
        .scheme("c", SchemeCredentials::bearer("sesame"))
        .scheme(
            "d",
            SchemeCredentials::http("sesame").for_origin("https://h.example"),
        )
        .any_scheme(SchemeCredentials::bearer("sesame"));
    let text = format!("{builder:?}");
    for secret in ["sesame", "c2VzYW1l"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(text.contains("a bearer token") && text.contains("https://h.example:443"));
    let client = answering().with(builder, card(&[]));
    assert!(!format!("{client:?}").contains("sesame"));
}

#[tokio::test]
async fn what_is_set_for_a_call_or_always_goes_with_what_the_card_asks_for() {
    let script = answering();
    let builder = all().credentials(Credentials::api_key_header("X-Own", "own"));
    let client = script.with(builder, card(&[&["bearer"]]));
    client.get_task("t1").await.unwrap();
    let call = client.get_task("t1").header("authorization", "Bearer one");
    call.await.unwrap();
    let requests = script.requests();
    assert_eq!(carried(&requests[0]), "authorization: Bearer b1");
    assert_eq!(carried(&requests[1]), "authorization: Bearer one");
    for request in requests {
        assert_eq!(request.headers()["x-own"], "own");
    }
}

#[tokio::test]
async fn what_is_there_in_another_way_is_not_missed() {
    let some = || {
        at_home()
            .any_scheme(SchemeCredentials::api_key("k"))
            .credentials(Credentials::bearer("always"))
    };
    for (requirements, expected) in [
        (&[&["bearer"][..]][..], "authorization: Bearer always"),
        (&[&["oauth"], &["header"]], "authorization: Bearer always"),
        (
            &[&["oidc", "header"]],
            "authorization: Bearer always, x-key: k",
        ),
        (
            &[&["unknown"], &["query"]],
            "authorization: Bearer always, ?key=k",
        ),
    ] {
        let carried = call(some(), card(requirements)).await.unwrap();
        assert_eq!(carried, expected, "{requirements:?}");
    }
    // Who is not at home gets none of it.
    let far = at_home()
        .any_scheme(SchemeCredentials::api_key("k"))
        .credentials(Credentials::bearer("always").for_origin("http://other.example"));
    let error = call(far, card(&[&["bearer"]])).await.unwrap_err();
    assert!(error.is_unsent(), "{error:?}");
    // A header of the call counts too.
    let script = answering();
    let builder = at_home().any_scheme(SchemeCredentials::api_key("k"));
    let client = script.with(builder, card(&[&["bearer"]]));
    let call = client.get_task("t1").header("authorization", "Bearer own");
    call.await.unwrap();
    assert_eq!(carried(&script.requests()[0]), "authorization: Bearer own");
    client.get_task("t1").await.unwrap_err();
}

#[tokio::test]
async fn the_card_that_holds_decides() {
    // The extended card asks for something else.
    let extended = card(&[&["query"]]).with_name("extended");
    let script = Script::new(move |_, request| {
        let mut text = Vec::new();
        a2a_wire::__codegen::WireMessage::write_json(&extended, &mut text).unwrap();
        match script::body(request)["method"].as_str() {
            Some("GetExtendedAgentCard") => {
                result(request, &serde_json::from_slice(&text).unwrap())
            }
            _ => result(request, &task("COMPLETED")),
        }
    });
    let client = script.with(all(), card(&[&["header"]]));
    client.get_task("t1").await.unwrap();
    client.extended_card().await.unwrap();
    client.get_task("t1").await.unwrap();
    let carried: Vec<String> = script.requests().iter().map(carried).collect();
    assert_eq!(carried, ["x-key: k1", "x-key: k1", "?key=k2%26"]);
}

#[tokio::test]
async fn a_refused_call_says_what_became_of_the_credentials() {
    let refusing = || Script::new(|_, _| script::status(401, "who are you?"));
    for (builder, requirements, says) in [
        (all(), &[][..], "those for its schemes were not sent"),
        (at_home(), &[&["header"][..]][..], "ClientBuilder::scheme"),
    ] {
        let script = refusing();
        let client = script.with(builder, card(requirements));
        let error = client.get_task("t1").await.unwrap_err();
        assert!(error.is_unauthenticated());
        assert!(error.message().contains(says), "{error}");
        // A key that is refused is not tried again.
        assert_eq!(script.requests().len(), 1);
    }
    let script = refusing();
    let client = script.with(all(), card(&[&["header"]]));
    let error = client.get_task("t1").await.unwrap_err();
    assert_eq!(
        (script.requests().len(), error.peer_status()),
        (1, Some(401))
    );
}

#[tokio::test]
async fn cards_of_v0_3_are_met_in_the_same_way() {
    let card = serde_json::json!({
        "name": "Old", "version": "1", "protocolVersion": "0.3.0", "description": "Old.",
        "url": "http://agent.example/rpc", "preferredTransport": "JSONRPC",
        "capabilities": {}, "skills": [], "defaultInputModes": [], "defaultOutputModes": [],
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "cookie", "name": "session"},
            "basic": {"type": "http", "scheme": "basic"},
        },
        "security": [{"unknown": []}, {"key": []}, {"basic": []}],
    });
    let script = Script::new(|_, request| {
        let task = serde_json::json!({"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "completed"}});
        result(request, &task)
    });
    let client = at_home()
        .transport(script.clone())
        .scheme("key", SchemeCredentials::api_key("k"))
        .scheme("basic", SchemeCredentials::basic("me", "p"))
        .with_card_json(card.to_string())
        .unwrap();
    client.get_task("t1").await.unwrap();
    assert_eq!(script.methods(), ["tasks/get"]);
    assert_eq!(carried(&script.requests()[0]), "cookie: session=k");
}
