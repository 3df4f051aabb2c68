//! The agent card (specification 8): how it is served, and when an agent does not start with it.

use a2a_kit::v1_0::{AgentCapabilities, AgentCard};
use a2a_kit::{A2aService, Server};
use bytes::Bytes;
use e2e::client::http::{self, Connection, Whole};
use e2e::{Binding, Served, Setup, card, errors, request, state};
use serde_json::{Value, json};

const PATH: &str = "/.well-known/agent-card.json";

async fn ask(served: &Served, method: &str, headers: &[(&str, &str)]) -> Whole {
    // Clients read the card before they know a version.
    let mut request = ::http::Request::builder().method(method).uri(PATH);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    http::exchange(served.addr, request.body(Bytes::new()).expect("a request")).await
}

#[tokio::test]
async fn it_is_served_with_everything_that_caches_need() {
    let served = Setup::new().start().await;
    let answer = ask(&served, "GET", &[]).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(answer.header("cache-control"), "max-age=300");
    let etag = answer.header("etag");
    assert!(
        etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10,
        "{etag}"
    );
    assert!(
        answer.header("last-modified").ends_with(" GMT"),
        "{answer:?}"
    );
    let again = ask(&served, "GET", &[]).await;
    assert_eq!((again.header("etag"), &again.body), (etag, &answer.body));

    let card = answer.json();
    assert_eq!(card["name"], "Scripted");
    let interface = &card["supportedInterfaces"][0];
    assert_eq!(
        (&interface["protocolBinding"], &interface["protocolVersion"]),
        (&json!("JSONRPC"), &json!("1.0"))
    );
    // Of version 0.3, by which clients would take it for an older agent.
    for old in [
        "url",
        "protocolVersion",
        "preferredTransport",
        "additionalInterfaces",
        "security",
        "supportsAuthenticatedExtendedCard",
    ] {
        assert_eq!(card.get(old), None, "{old}: {card}");
    }
    assert!(!answer.text().contains("null"), "{card}");
    // HTTP/2 as well.
    let request = ::http::Request::get(PATH)
        .body(Bytes::new())
        .expect("a request");
    let answer = Whole::read(Connection::http2(served.addr).await.send(request).await).await;
    assert_eq!(answer.json(), card);
}

#[tokio::test]
async fn required_lists_are_there_when_they_are_empty() {
    let setup = Setup::bare().card(|card| {
        card.skills.clear();
        card.default_output_modes.clear();
    });
    let answer = ask(&setup.start().await, "GET", &[]).await.json();
    assert_eq!(
        (&answer["skills"], &answer["defaultOutputModes"]),
        (&json!([]), &json!([])),
        "{answer}"
    );
    assert_eq!(answer["capabilities"], json!({}), "{answer}");
    let tagless = Setup::bare()
        .card(|card| card.skills[0].tags.clear())
        .start()
        .await;
    assert_eq!(
        ask(&tagless, "GET", &[]).await.json()["skills"][0]["tags"],
        json!([])
    );
}

#[tokio::test]
async fn who_has_it_already_is_told_so() {
    let served = Setup::new().start().await;
    let first = ask(&served, "GET", &[]).await;
    let (etag, modified) = (first.header("etag"), first.header("last-modified"));
    let (weak, listed) = (format!("W/{etag}"), format!("\"x,y\", W/\"z\" , {etag}"));
    let (old, late) = (
        "Wed, 01 Jan 2020 00:00:00 GMT",
        "Fri, 01 Jan 2100 00:00:00 GMT",
    );
    for (headers, status) in [
        (vec![("if-none-match", etag)], 304),
        (vec![("if-none-match", weak.as_str())], 304),
        (vec![("if-none-match", listed.as_str())], 304),
        (
            vec![("if-none-match", "\"other\""), ("if-none-match", etag)],
            304,
        ),
        (vec![("if-none-match", "*")], 304),
        (vec![("if-none-match", "\"other\"")], 200),
        (vec![("if-none-match", etag.trim_matches('"'))], 200),
        (vec![("if-modified-since", modified)], 304),
        (vec![("if-modified-since", late)], 304),
        (vec![("if-modified-since", old)], 200),
        (vec![("if-modified-since", "yesterday")], 200),
        // The tag counts when both are there.
        (
            vec![("if-none-match", "\"other\""), ("if-modified-since", late)],
            200,
        ),
        (
            vec![("if-none-match", etag), ("if-modified-since", old)],
            304,
        ),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = ask(&served, method, &headers).await;
            assert_eq!(answer.status, status, "{method} {headers:?}: {answer:?}");
            assert_eq!(answer.header("etag"), etag, "{headers:?}");
            assert_eq!(answer.header("cache-control"), "max-age=300", "{headers:?}");
            assert_eq!(
                answer.body.is_empty(),
                status == 304 || method == "HEAD",
                "{method} {headers:?}"
            );
        }
    }
}

#[tokio::test]
async fn another_card_has_another_tag_and_its_age_is_configurable() {
    let setup =
        Setup::new().server(|server| server.card_max_age(std::time::Duration::from_secs(7)));
    let changed = setup
        .card(|card| card.version = "0.1.1".into())
        .start()
        .await;
    let (one, same) = (Setup::new().start().await, Setup::new().start().await);
    let changed = ask(&changed, "GET", &[]).await;
    assert_eq!(changed.header("cache-control"), "max-age=7");
    let (one, same) = (ask(&one, "GET", &[]).await, ask(&same, "GET", &[]).await);
    assert_ne!(one.header("etag"), changed.header("etag"));
    assert_eq!(one.header("etag"), same.header("etag"), "replicas agree");
}

#[tokio::test]
async fn head_has_the_length_and_no_body_and_other_methods_are_refused() {
    let served = Setup::new().start().await;
    let (get, head) = (
        ask(&served, "GET", &[]).await,
        ask(&served, "HEAD", &[]).await,
    );
    assert_eq!((head.status, head.body.len()), (get.status, 0));
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    for method in ["POST", "PUT", "DELETE"] {
        let answer = ask(&served, method, &[]).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("allow")),
            (405, "GET, HEAD"),
            "{method}"
        );
    }
    let old = http::call(served.addr, "GET", "/.well-known/agent.json").await;
    assert_eq!(
        (old.status.as_u16(), &old.json()["error"]["details"]),
        (404, &json!([]))
    );
}

#[tokio::test]
async fn what_a_client_says_about_hosts_does_not_change_it() {
    let served = Setup::new().start().await;
    let plain = ask(&served, "GET", &[]).await;
    let evil = [
        ("host", "evil.test"),
        ("x-forwarded-host", "evil.test"),
        ("forwarded", "host=evil.test"),
        ("x-forwarded-prefix", "/evil"),
    ];
    let answer = ask(&served, "GET", &evil).await;
    assert_eq!(answer.body, plain.body);
    assert!(!answer.text().contains("evil"));
}

#[tokio::test]
async fn bindings_are_compared_without_regard_to_case_and_unknown_ones_are_passed_over() {
    let setup = Setup::new().card(|card| {
        card.supported_interfaces = vec![
            card::interface("https://a.test/bindings/mqtt", ""),
            card::interface("jsonrpc", ""),
            card::interface("Http+Json", ""),
            card::interface("grpc", ""),
        ];
    });
    let served = setup.start().await;
    for binding in Binding::ALL {
        assert_eq!(
            state(&served.client(binding).send(request("hi")).await),
            "COMPLETED",
            "{binding:?}"
        );
    }
    assert_eq!(
        ask(&served, "GET", &[]).await.json()["supportedInterfaces"]
            .as_array()
            .map(Vec::len),
        Some(4)
    );
}

#[tokio::test]
async fn bindings_that_it_does_not_declare_are_not_served() {
    let only = |binding: &'static str| {
        Setup::new()
            .card(move |card| card.supported_interfaces = vec![card::interface(binding, "")])
    };
    let rest = only("HTTP+JSON").start().await;
    assert_eq!(http::post(rest.addr, "/jsonrpc", "{}").await.status, 404);
    assert_eq!(
        rest.client(Binding::Rest).ok("ListTasks", json!({})).await["totalSize"],
        0
    );
    let json_rpc = only("JSONRPC").start().await;
    let answer = http::call(json_rpc.addr, "GET", "/tasks").await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json()["error"]["details"]),
        (404, &json!([]))
    );
    assert_eq!(
        json_rpc
            .client(Binding::JsonRpc)
            .ok("ListTasks", json!({}))
            .await["totalSize"],
        0
    );
}

#[tokio::test]
async fn only_the_versions_that_it_names_are_served() {
    // A card with 1.0 alone is a card of 1.0 alone.
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let fault = served
            .client(binding)
            .version(Some("0.3"))
            .fault("ListTasks", json!({}))
            .await;
        fault.assert_is(errors::VERSION_NOT_SUPPORTED);
    }
    let card = ask(&served, "GET", &[]).await.json();
    let versions: Vec<&Value> = card["supportedInterfaces"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|interface| &interface["protocolVersion"])
        .collect();
    assert_eq!(versions, ["1.0", "1.0", "1.0"]);
}

struct Silent;
impl A2aService for Silent {}

/// The fields that a server names when it refuses the card.
fn refused(change: impl FnOnce(&mut AgentCard)) -> Vec<String> {
    let mut card = card::full();
    change(&mut card);
    let error = Server::builder(Silent, card)
        .build()
        .expect_err("the card is refused");
    error
        .violations()
        .iter()
        .map(|violation| violation.field.clone())
        .collect()
}

#[test]
fn an_agent_does_not_start_with_a_card_that_lacks_something() {
    let mut all = refused(|card| *card = AgentCard::default());
    all.sort_unstable();
    assert_eq!(
        all,
        [
            "capabilities",
            "description",
            "name",
            "supportedInterfaces",
            "version"
        ]
    );
    assert_eq!(
        refused(|card| card.supported_interfaces[1].protocol_version.clear()),
        ["supportedInterfaces[1].protocolVersion"]
    );
    assert_eq!(
        refused(|card| card.supported_interfaces[0].url.clear()),
        ["supportedInterfaces[0].url"]
    );
    assert_eq!(
        refused(|card| card.skills[0].name.clear()),
        ["skills[0].name"]
    );
    assert_eq!(refused(|card| card.capabilities = None), ["capabilities"]);
}

#[test]
fn an_agent_does_not_start_with_a_card_that_misleads() {
    for url in [
        "http://a.test/a2a/message:send",
        "http://a.test/v1/message:stream",
        "/relative",
        "a.test",
    ] {
        assert_eq!(
            refused(|card| card.supported_interfaces[0].url = url.into()),
            ["supportedInterfaces[0].url"],
            "{url}"
        );
    }
    for version in ["1", "v1.0", "1.0.x", "one"] {
        let fields = refused(|card| card.supported_interfaces[2].protocol_version = version.into());
        assert_eq!(
            fields,
            ["supportedInterfaces[2].protocolVersion"],
            "{version}"
        );
    }
    assert_eq!(
        refused(|card| card.skills.push(card.skills[0].clone())),
        ["skills[1].id"]
    );
    let twice = |card: &mut AgentCard| {
        card::extension(card, "https://a.test/ext", false);
        card::extension(card, "https://a.test/ext", true);
        card::extension(card, "two words, and a comma", true);
    };
    assert_eq!(
        refused(twice),
        [
            "capabilities.extensions[1].uri",
            "capabilities.extensions[2].uri"
        ]
    );
}

#[test]
fn an_agent_does_not_start_when_nothing_of_its_card_could_be_called() {
    let only_old = |card: &mut AgentCard| {
        for interface in &mut card.supported_interfaces {
            interface.protocol_version = "0.2".into();
        }
    };
    assert_eq!(refused(only_old), ["supportedInterfaces"]);
    assert_eq!(
        refused(|card| card.supported_interfaces = vec![card::interface("MQTT", "")]),
        ["supportedInterfaces"]
    );
}

#[test]
fn addresses_of_grpc_may_be_without_a_scheme() {
    for url in [
        "127.0.0.1:50051",
        "localhost:50051",
        "dns:///a.test:443",
        "https://a.test",
        "http://a.test:1/",
    ] {
        let mut card = card::full();
        card.supported_interfaces[2].url = url.into();
        card.capabilities = Some(AgentCapabilities::default());
        assert!(Server::builder(Silent, card).build().is_ok(), "{url}");
    }
}
