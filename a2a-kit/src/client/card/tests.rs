use std::sync::Arc;

use serde_json::{Value, json};

use super::super::Client;
use super::super::script::{Answer, Script, json_answer, status, with_header};
use super::*;

fn interfaces(card: &Value, place: Option<&str>) -> Vec<String> {
    let place = place.map(|place| place.parse().unwrap());
    let card = read_card(card.to_string().as_bytes(), place.as_ref()).unwrap();
    card.supported_interfaces
        .iter()
        .map(|interface| {
            format!(
                "{} {} {}",
                interface.protocol_binding, interface.protocol_version, interface.url
            )
        })
        .collect()
}

#[test]
fn cards_of_both_versions_name_their_interfaces() {
    let old = json!({
        "name": "Old", "url": "/a2a", "protocolVersion": "0.3.0", "preferredTransport": "HTTP+JSON",
        "additionalInterfaces": [
            {"url": "/a2a", "transport": "HTTP+JSON"}, {"url": "/rpc", "transport": "JSONRPC"}, {"url": "h:50051", "transport": "GRPC"},
        ],
        "security": [{"bearer": []}], "capabilities": {"streaming": true}, "supportsAuthenticatedExtendedCard": true,
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}, "skills": [{"id": "s", "tags": null}],
    });
    let place = Some("http://h/x/.well-known/agent-card.json");
    assert_eq!(
        interfaces(&old, place),
        [
            "HTTP+JSON 0.3 http://h/a2a",
            "JSONRPC 0.3 http://h/rpc",
            "GRPC 0.3 h:50051"
        ]
    );
    assert_eq!(
        interfaces(&old, None),
        ["HTTP+JSON 0.3 /a2a", "JSONRPC 0.3 /rpc", "GRPC 0.3 h:50051"]
    );
    let card = read_card(old.to_string().as_bytes(), None).unwrap();
    assert_eq!(card.capabilities.unwrap().extended_agent_card, Some(true));

    // With both, the new ones count.
    let mut hybrid = old.clone();
    hybrid["supportedInterfaces"] =
        json!([{"url": "v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]);
    assert_eq!(interfaces(&hybrid, place), ["JSONRPC 1.0 http://h/x/v1"]);

    for (card, expected) in [
        (json!({"url": "http://h/"}), vec!["JSONRPC 0.3 http://h/"]),
        (
            json!({"url": "http://h/", "protocolVersion": "1.0"}),
            vec!["JSONRPC 1.0 http://h/"],
        ),
        (
            json!({"supportedInterfaces": null, "url": "http://h/"}),
            vec!["JSONRPC 0.3 http://h/"],
        ),
        (
            json!({"supportedInterfaces": [], "additionalInterfaces": [{"url": "http://h/"}]}),
            vec!["JSONRPC 0.3 http://h/"],
        ),
        (json!({}), vec![]),
    ] {
        assert_eq!(interfaces(&card, None), expected, "{card}");
    }
    for (card, path) in [
        (json!({"url": ["http://h/"]}), "url"),
        (
            json!({"url": "http://h/", "additionalInterfaces": [7]}),
            "additionalInterfaces[0]",
        ),
    ] {
        let error = read_card(card.to_string().as_bytes(), None).unwrap_err();
        assert_eq!(error.path(), path, "{card}");
    }
}

#[test]
fn cards_are_believed_as_long_as_their_headers_say() {
    let (day, usual) = (86_400, 300);
    let cases: &[(&[(&str, &str)], u64)] = &[
        (&[], usual),
        (&[("cache-control", "public, Max-Age=120")], 120),
        (&[("cache-control", "max-age=\"120\"")], 120),
        (&[("cache-control", "max-age=120"), ("age", "50")], 70),
        (&[("cache-control", "max-age=120"), ("age", "500")], 30),
        (&[("cache-control", "max-age=99999999999")], day),
        (&[("cache-control", "max-age=0, must-revalidate")], 30),
        (&[("cache-control", "max-age=120, no-cache")], 30),
        (&[("cache-control", "no-store")], 30),
        (&[("cache-control", "private")], usual),
        (&[("cache-control", "max-age=soon")], usual),
        (
            &[
                ("date", "Thu, 01 Jan 2026 00:00:00 GMT"),
                ("expires", "Thu, 01 Jan 2026 00:02:00 GMT"),
            ],
            120,
        ),
        (
            &[("date", "Thu, 01 Jan 2026 00:00:00 GMT"), ("expires", "0")],
            30,
        ),
        (
            &[
                ("expires", "Thu, 01 Jan 2026 00:02:00 GMT"),
                ("cache-control", "max-age=60"),
            ],
            60,
        ),
    ];
    for (headers, seconds) in cases {
        let mut map = HeaderMap::new();
        for (name, value) in *headers {
            map.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                value.parse().unwrap(),
            );
        }
        assert_eq!(lifetime(&map), Duration::from_secs(*seconds), "{headers:?}");
    }
}

fn some_card() -> Answer {
    json_answer(
        &json!({"name": "A", "supportedInterfaces": [{"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}),
    )
}

async fn connect(answers: Vec<Answer>) -> (Result<Client, Error>, Vec<String>) {
    let script = Script::of(answers);
    let client = Client::builder()
        .transport(script.clone())
        .connect("http://h/a/")
        .await;
    (client, script.lines())
}

const FIRST: &str = "GET http://h/a/.well-known/agent-card.json";
const SECOND: &str = "GET http://h/a/.well-known/agent.json";

#[tokio::test]
async fn the_old_place_is_tried_when_there_is_nothing_at_the_new_one() {
    let (client, lines) = connect(vec![some_card()]).await;
    assert_eq!(client.unwrap().interface().url, "http://h/rpc");
    assert_eq!(lines, [FIRST]);
    for missing in [404, 405] {
        let (client, lines) = connect(vec![status(missing, "nothing"), some_card()]).await;
        assert_eq!(client.unwrap().card().name, "A");
        assert_eq!(lines, [FIRST, SECOND]);
    }
}

#[tokio::test]
async fn nothing_else_is_a_reason_to_look_elsewhere() {
    let html = || {
        with_header(
            status(200, "<!doctype html><title>Welcome</title>"),
            "content-type",
            "text/html",
        )
    };
    let cases: Vec<(Answer, &str)> = vec![
        (status(400, "no"), "400"),
        (status(401, ""), "401"),
        (status(403, ""), "403"),
        (status(410, ""), "410"),
        (status(500, "oops"), "500"),
        (
            with_header(
                status(302, ""),
                "location",
                "https://elsewhere.example/card",
            ),
            "https://elsewhere.example/card",
        ),
        (status(304, ""), "304"),
        (status(204, ""), "204"),
        (html(), "text/html"),
        (status(200, "{\"name\": \"half"), "without a Content-Type"),
        (json_answer(&json!([])), "no agent card"),
        (
            json_answer(&json!({"supportedInterfaces": [{"url": 7}]})),
            "supportedInterfaces[0].url",
        ),
        (json_answer(&json!({"name": "Empty"})), "\"Empty\""),
        (Err(super::super::script::refused()), "connection refused"),
        (
            Ok(http::Response::new(Body::from_stream(
                futures_util::stream::iter([
                    Ok(Bytes::from("{")),
                    Err(super::super::script::broken()),
                ]),
            ))),
            "broke",
        ),
    ];
    for (answer, why) in cases {
        let (client, lines) = connect(vec![answer]).await;
        let error = client.unwrap_err();
        assert_eq!(lines, [FIRST], "{why}");
        assert!(
            error.message().contains(why)
                && error
                    .message()
                    .contains("http://h/a/.well-known/agent-card.json"),
            "{why}: {error}"
        );
    }
}

#[tokio::test]
async fn when_there_is_no_card_both_places_are_named() {
    let (client, lines) = connect(vec![status(404, ""), status(405, "")]).await;
    let error = client.unwrap_err();
    assert_eq!(lines.len(), 2);
    assert_eq!(error.code(), Code::NotFound);
    for part in ["agent-card.json (HTTP 404)", "agent.json (HTTP 405)"] {
        assert!(error.message().contains(part), "{error}");
    }
    // Another fault at the second place is told as it is.
    let (client, _) = connect(vec![status(404, ""), status(500, "oops")]).await;
    assert!(client.unwrap_err().message().contains("500"));
}

#[tokio::test]
async fn a_card_has_places_of_its_own() {
    let script = Script::new(|_, _| status(404, ""));
    let builder = || Client::builder().transport(script.clone());
    for error in [
        builder()
            .connect("http://h/cards/one.json")
            .await
            .unwrap_err(),
        builder()
            .connect_to_card("http://h/card?key=secret")
            .await
            .unwrap_err(),
        builder()
            .card_path("/card")
            .connect("http://h/a")
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.peer_status(), Some(404));
        assert!(!error.message().contains("secret"), "{error}");
    }
    assert_eq!(
        script.lines(),
        [
            "GET http://h/cards/one.json",
            "GET http://h/card?key=secret",
            "GET http://h/a/card"
        ]
    );
    let request = &script.requests()[0];
    assert_eq!(
        (
            &request.headers()["accept"],
            &request.headers()["a2a-version"]
        ),
        (
            &"application/json".parse().unwrap(),
            &"1.0".parse().unwrap()
        )
    );
}

#[tokio::test]
async fn a_question_about_a_known_card_is_conditional() {
    let known = Validators {
        etag: Some("\"1\"".parse().unwrap()),
        modified: Some("Thu, 01 Jan 2026 00:00:00 GMT".parse().unwrap()),
    };
    let same = with_header(status(304, ""), "cache-control", "max-age=40");
    let script = Script::of(vec![same, with_header(some_card(), "etag", "W/\"2\"")]);
    let place = "http://h/card.json".parse().unwrap();
    let news = fetch(&script, &place, Some(&known), None).await.unwrap();
    assert!(matches!(news, News::Same(lifetime) if lifetime == Duration::from_secs(40)));
    let News::Card(found) = fetch(&script, &place, Some(&known), None).await.unwrap() else {
        panic!("the same")
    };
    assert_eq!(
        found.validators,
        Validators {
            etag: Some("W/\"2\"".parse().unwrap()),
            modified: None
        }
    );
    for request in script.requests() {
        assert_eq!(request.headers()["if-none-match"], "\"1\"");
        assert_eq!(
            request.headers()["if-modified-since"],
            "Thu, 01 Jan 2026 00:00:00 GMT"
        );
    }
}

#[tokio::test]
async fn cards_that_are_given_are_read_in_the_same_way() {
    let card = json!({"name": "A", "url": "/v03", "supportedInterfaces": [{"url": "v1", "protocolBinding": "jsonrpc", "protocolVersion": "1.0.2"}]});
    let builder = || {
        Client::builder()
            .transport(Script::of(Vec::new()))
            .base_url("http://h/a/")
    };
    let found = read_card(card.to_string().as_bytes(), None).unwrap();
    let connected = {
        let card = card.clone();
        let script = Script::new(move |_, _| json_answer(&card));
        Client::builder()
            .transport(script)
            .connect("http://h/a")
            .await
            .unwrap()
    };
    for client in [
        builder().with_card_json(card.to_string()).unwrap(),
        builder().with_card(found).unwrap(),
        connected,
    ] {
        assert_eq!(client.interface().url, "http://h/a/v1");
        assert_eq!(client.interfaces().len(), 1);
    }
    let old = json!({"name": "Old", "url": "http://h/rpc", "protocolVersion": "0.3.0"});
    let client = builder().with_card_json(old.to_string()).unwrap();
    assert_eq!(client.interface().protocol_version, "0.3");
    let older = json!({"name": "Older", "url": "http://h/rpc", "protocolVersion": "0.2.6"});
    let error = builder().with_card_json(older.to_string()).unwrap_err();
    assert!(
        error.is_version_not_supported() && error.message().contains("0.2"),
        "{error}"
    );
    let error = builder().with_card_json("{\"name\": 7}").unwrap_err();
    assert!(
        error.code() == Code::InvalidArgument && error.message().contains("name"),
        "{error}"
    );
}

#[tokio::test]
async fn a_card_that_is_too_large_is_not_read() {
    let piece = Bytes::from(vec![b' '; 1 << 20]);
    let endless =
        futures_util::stream::repeat_with(move || Ok::<_, std::convert::Infallible>(piece.clone()));
    let script = Script::of(vec![Ok(http::Response::new(Body::from_stream(endless)))]);
    let error = Client::builder()
        .transport(Arc::new(script))
        .connect("http://h")
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
}
