//! The agent card, for clients of either version.

use a2a_kit::auth::{ApiKeys, Authentication};
use a2a_kit::client::{Client, Credentials};
use a2a_kit::v1_0::{
    AgentCard, ApiKeySecurityScheme, SecurityRequirement, SecurityScheme, StringList,
    security_scheme::Scheme,
};
use a2a_kit::{Caller, Error, ProtocolVersion, Server};
use bytes::Bytes;
use e2e::client::http::{self, Whole};
use e2e::{Served, Setup, agent::Scripted, card};
use serde_json::{Value, json};

use super::{V0_3, V1_0, serving};

fn secured(setup: Setup) -> Setup {
    let key = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let scheme = SecurityScheme::new().with_api_key_security_scheme(key);
    let mut requirement = SecurityRequirement::new();
    requirement.schemes.insert("key".into(), StringList::new());
    let secure = move |card: &mut AgentCard| {
        card.security_schemes.insert("key".into(), scheme);
        card.security_requirements.push(requirement.clone());
        card.skills[0].security_requirements.push(requirement);
    };
    let mut card = card::full();
    secure.clone()(&mut card);
    let keys = ApiKeys::header("X-Key").key("secret", Caller::known("alice"));
    let authentication = Authentication::for_card(&card).scheme("key", keys).build();
    let authentication = authentication.expect("the key is checked");
    setup
        .card(secure)
        .server(|server| server.authentication(authentication))
}

async fn get(served: &Served, path: &str, headers: &[(&str, &str)]) -> Whole {
    let mut request = ::http::Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    http::exchange(served.addr, request.body(Bytes::new()).unwrap()).await
}

const PATH: &str = "/.well-known/agent-card.json";
const OLD_PATH: &str = "/.well-known/agent.json";

fn is_new(card: &Value) -> bool {
    card.get("supportedInterfaces").is_some()
        && card["securitySchemes"]["key"]
            .get("apiKeySecurityScheme")
            .is_some()
        && card["skills"][0].get("securityRequirements").is_some()
}

fn is_old(card: &Value) -> bool {
    card.get("url").is_some()
        && card["preferredTransport"] == "JSONRPC"
        && card["protocolVersion"] == "0.3.0"
        && card["securitySchemes"]["key"]["type"] == "apiKey"
        && card["security"] == json!([{"key": []}])
        && card["skills"][0]["security"] == json!([{"key": []}])
        && card["supportsAuthenticatedExtendedCard"] == true
}

#[tokio::test]
async fn the_card_comes_in_the_form_that_is_asked_for() {
    let served = serving(secured(Setup::new()), &[V1_0, V0_3]).start().await;
    let version = |version: &'static str| ("a2a-version", version);
    let accept = |types: &'static str| ("accept", types);
    for (path, headers, new, old) in [
        (PATH, &[][..], true, true),
        (PATH, &[version("0.3")], false, true),
        (
            PATH,
            &[version("0.3.0"), accept("application/a2a+json")],
            false,
            true,
        ),
        (PATH, &[version("1.0")], true, false),
        (PATH, &[version("1.0.1")], true, false),
        (PATH, &[version("9.9")], true, true),
        (PATH, &[version("")], true, true),
        (PATH, &[accept("application/a2a+json")], true, false),
        (PATH, &[accept("application/json")], true, true),
        (OLD_PATH, &[], false, true),
        (OLD_PATH, &[version("1.0")], true, false),
    ] {
        let answer = get(&served, path, headers).await;
        assert_eq!(answer.status, 200, "{headers:?}");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("vary"), "A2A-Version, Accept");
        let card = answer.json();
        assert_eq!(
            (is_new(&card), is_old(&card)),
            (new, old),
            "{path} {headers:?}: {card}"
        );
        // Each form has a tag of its own.
        let tag = answer.header("etag").to_owned();
        let mut known = headers.to_vec();
        known.push(("if-none-match", &tag));
        assert_eq!(get(&served, path, &known).await.status, 304);
        let other = get(&served, PATH, &[version("2.0")])
            .await
            .header("etag")
            .to_owned();
        assert_eq!(other == tag, new && old, "{headers:?}");
    }
}

#[tokio::test]
async fn an_agent_of_one_version_has_the_card_of_that_version() {
    let served = serving(secured(Setup::new()), &[V1_0]).start().await;
    let answer = get(&served, PATH, &[("a2a-version", "0.3")]).await;
    assert!(
        is_new(&answer.json()) && !is_old(&answer.json()),
        "{answer:?}"
    );
    assert_eq!(answer.header("vary"), "");
    assert_eq!(
        get(&served, OLD_PATH, &[("a2a-version", "1.0")])
            .await
            .status,
        404
    );

    let served = serving(secured(Setup::new()), &[V0_3]).start().await;
    let card = get(&served, PATH, &[]).await.json();
    assert!(is_new(&card) && is_old(&card), "{card}");
    let versions: Vec<_> = card["supportedInterfaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["protocolVersion"].clone())
        .collect();
    assert_eq!(versions, ["0.3", "0.3", "0.3"]);
}

#[tokio::test]
async fn only_what_is_marked_as_0_3_is_advertised_as_0_3() {
    let served = Setup::new().card(|card| {
        let mut grpc = card::interface("GRPC", "");
        grpc.protocol_version = "0.3".into();
        grpc.url = "https://agent.example.com".into();
        card.supported_interfaces.push(grpc);
    });
    let served = served.start().await;
    let card = get(&served, PATH, &[("a2a-version", "0.3")]).await.json();
    assert_eq!(card["preferredTransport"], "GRPC", "{card}");
    // gRPC clients of that version take an address without a scheme.
    assert_eq!(card["url"], "agent.example.com:443", "{card}");
    let more = card["additionalInterfaces"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    assert!(
        more.iter().all(|each| each["transport"] == "GRPC"),
        "{card}"
    );
}

/// Starts an agent whose card has its own address.
async fn at_its_address(
    versions: &[(&str, ProtocolVersion)],
) -> (String, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut card: AgentCard = card::full();
    card.supported_interfaces = versions
        .iter()
        .map(|(binding, version)| {
            let mut interface = card::interface(binding, "");
            interface.url.clone_from(&url);
            interface.protocol_version = version.to_string();
            interface
        })
        .collect();
    let engine = a2a_kit::engine::Engine::builder(Scripted::default(), card.clone())
        .build()
        .unwrap();
    let server = Server::builder(engine, card).build().unwrap();
    let serving = tokio::spawn(async move { server.serve(listener).await.unwrap() });
    (url, serving)
}

#[tokio::test]
async fn a_client_finds_its_way_from_the_card_to_the_version() {
    for binding in super::BINDINGS {
        for (versions, expected) in [
            (&[V0_3][..], "0.3"),
            (&[V0_3, V1_0], "1.0"),
            (&[V1_0, V0_3], "1.0"),
        ] {
            let interfaces: Vec<_> = versions.iter().map(|version| (binding, *version)).collect();
            let (url, serving) = at_its_address(&interfaces).await;
            let client = Client::connect(&url).await.unwrap();
            assert_eq!(client.interface().protocol_version, expected, "{binding}");
            let old = Client::builder()
                .require_version(V0_3)
                .connect(&url)
                .await
                .unwrap();
            for client in [client, old] {
                let done = client.message("report x").send().await.unwrap();
                assert_eq!(done.text(), "x", "{binding} {versions:?}");
                let mut updates = client.message("chunks A B").stream().await.unwrap();
                let mut seen = 0;
                while let Some(update) = futures_util::StreamExt::next(&mut updates).await {
                    update.unwrap();
                    seen += 1;
                }
                assert!(seen >= 3, "{binding} {versions:?}: {seen}");
                let error: Error = client.get_task("none").await.unwrap_err();
                assert!(error.is_task_not_found(), "{error:?}");
            }
            serving.abort();
        }
    }
}

#[tokio::test]
async fn a_client_reads_the_card_of_v0_3_and_the_one_of_both() {
    let served = serving(secured(Setup::new()), &[V1_0, V0_3]).start().await;
    for (headers, versions) in [
        (&[("a2a-version", "0.3")][..], &["0.3"][..]),
        (&[], &["1.0", "0.3"]),
    ] {
        let json = get(&served, PATH, headers).await.text();
        let client = Client::builder()
            .credentials(Credentials::api_key_header("X-Key", "k"))
            .base_url("http://127.0.0.1:8080/")
            .with_card_json(json)
            .unwrap();
        let card = client.card();
        let mut found: Vec<_> = card
            .supported_interfaces
            .iter()
            .map(|each| each.protocol_version.clone())
            .collect();
        found.dedup();
        assert_eq!(found, versions);
        assert_eq!(card.security_requirements.len(), 1);
        assert!(card.security_requirements[0].schemes.contains_key("key"));
        assert!(matches!(
            card.security_schemes["key"].scheme,
            Some(Scheme::ApiKeySecurityScheme(_))
        ));
    }
}
