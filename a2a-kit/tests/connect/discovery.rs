//! How the client comes by a card: places, conditions, and cards that are given.

use a2a_kit::Binding;
use a2a_kit::client::Client;
use serde_json::{Value, json};

use crate::peer::{
    Act, Peer, answer, card, card_of, interface, json_answer, json_text, quick, result, task,
};

const NEW: &str = "GET /.well-known/agent-card.json HTTP/1.1";
const OLD: &str = "GET /.well-known/agent.json HTTP/1.1";

#[tokio::test]
async fn the_old_place_is_asked_when_there_is_nothing_at_the_new_one_and_only_then() {
    for missing in ["404 Not Found", "405 Method Not Allowed"] {
        let peer = Peer::start(|address| {
            vec![
                answer(missing, "", ""),
                json_answer(&card(address, "JSONRPC")),
            ]
        })
        .await;
        peer.connect(quick()).await.unwrap();
        assert_eq!(peer.lines(), [NEW, OLD], "{missing}");
    }
    let peer = Peer::with_card("JSONRPC", Vec::new()).await;
    peer.connect(quick()).await.unwrap();
    assert_eq!(peer.lines(), [NEW]);
    // Anything else is an answer.
    for other in [
        json_text("200 OK", "{\"name\":"),
        json_text("200 OK", "{\"name\":7}"),
        json_text("200 OK", "[]"),
        answer("200 OK", "content-type: text/html\r\n", "<h1>Welcome"),
        answer("204 No Content", "", ""),
        answer("301 Moved Permanently", "location: /elsewhere\r\n", ""),
        answer("401 Unauthorized", "", ""),
        answer("403 Forbidden", "", ""),
        answer("410 Gone", "", ""),
        answer("500 Internal Server Error", "", ""),
        Act::Close,
    ] {
        let peer = Peer::start(|_| vec![other]).await;
        let error = peer.connect(quick()).await.unwrap_err();
        assert!(error.message().contains("agent-card.json"), "{error}");
        assert_eq!(peer.lines(), [NEW], "{error}");
    }
}

#[tokio::test]
async fn a_path_is_joined_with_one_slash() {
    // (below the server's address, the card's path, what is asked for)
    let well_known = "/a/.well-known/agent-card.json";
    for (base, path, asked) in [
        ("/a", None, well_known),
        ("/a/", None, well_known),
        ("/a/", Some(""), well_known),
        ("/a/", Some("/"), well_known),
        ("/a/", Some("card"), "/a/card"),
        ("/a", Some("/cards/1.json"), "/a/cards/1.json"),
        ("/a/cards/1.json", None, "/a/cards/1.json"),
        ("", None, "/.well-known/agent-card.json"),
    ] {
        let peer = Peer::with_card("JSONRPC", Vec::new()).await;
        let mut builder = quick();
        if let Some(path) = path {
            builder = builder.card_path(path);
        }
        builder
            .connect(format!("{}{base}", peer.url()))
            .await
            .unwrap();
        assert_eq!(
            peer.lines(),
            [format!("GET {asked} HTTP/1.1")],
            "{base} {path:?}"
        );
    }
}

/// A card that has everything that cards of 0.3 have, and interfaces of 1.0, as servers write it
/// that are called by both.
fn hybrid() -> Value {
    let mut card = card_of(&[interface("v1", "jsonrpc", "1.0")]);
    card["url"] = "/old".into();
    card["preferredTransport"] = "JSONRPC".into();
    card["protocolVersion"] = "0.3.0".into();
    card["security"] = json!([{"bearer": []}]);
    card["securitySchemes"] = json!({"bearer": {"type": "http", "scheme": "bearer"}});
    card["skills"] = json!([{"id": "s", "name": "S", "description": "d", "tags": null}]);
    card
}

#[tokio::test]
async fn a_card_is_read_in_the_same_way_however_it_comes() {
    let acts = || {
        vec![
            json_answer(&hybrid()),
            result(&task("COMPLETED")["task"]),
            result(&task("COMPLETED")["task"]),
            result(&task("COMPLETED")["task"]),
        ]
    };
    let peer = Peer::start(|_| acts()).await;
    let url = format!("{}/a/", peer.url());
    let found = Client::connect(&url).await.unwrap();
    let read = quick()
        .base_url(&url)
        .with_card_json(hybrid().to_string())
        .unwrap();
    let given = quick().base_url(&url).with_card((*found.card()).clone());
    for client in [found, read, given.unwrap()] {
        assert_eq!(client.interfaces().len(), 1);
        client.get_task("t1").await.unwrap();
    }
    let called = "POST /a/v1 HTTP/1.1";
    assert_eq!(peer.lines()[1..], [called, called, called]);
}

#[tokio::test]
async fn a_card_is_asked_for_again_under_the_conditions_that_it_came_with() {
    let peer = Peer::start(|address| {
        let tagged = |tag: &str, card: &Value| {
            let headers = format!(
                "content-type: application/json\r\netag: {tag}\r\ncache-control: max-age=60\r\nlast-modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
            );
            answer("200 OK", &headers, &card.to_string())
        };
        let first = card_of(&[interface(format!("http://{address}/one"), "JSONRPC", "1.0")]);
        let second = card_of(&[interface(format!("http://{address}/two"), "JSONRPC", "1.0")]);
        vec![
            tagged("\"1\"", &first),
            answer("304 Not Modified", "", ""),
            tagged("\"2\"", &second),
            answer("500 Internal Server Error", "", ""),
            result(&task("COMPLETED")["task"]),
        ]
    })
    .await;
    let client = peer.client().await;
    let first = client.card();
    assert_eq!(client.refresh_card().await.unwrap(), first);
    client.refresh_card().await.unwrap();
    assert!(client.interface().url.ends_with("/two"));
    // One that cannot be had is no reason to give the other one up.
    let error = client.refresh_card().await.unwrap_err();
    assert_eq!(error.peer_status(), Some(500));
    client.get_task("t1").await.unwrap();
    let requests = peer.requests();
    assert!(!requests[0].head.contains("if-"));
    for (request, tag) in requests[1..4].iter().zip(["\"1\"", "\"1\"", "\"2\""]) {
        assert!(
            request.has(&format!("if-none-match: {tag}"))
                && request.has("if-modified-since: Thu, 01 Jan 2026 00:00:00 GMT"),
            "{request:?}"
        );
    }
    assert_eq!(requests[4].line, "POST /two HTTP/1.1");
}

#[tokio::test]
async fn the_url_of_an_interface_is_what_its_paths_are_added_to() {
    let rest = |url: String| card_of(&[interface(url, "HTTP+JSON", "1.0")]);
    let peer = Peer::start(|address| {
        vec![
            json_answer(&rest(format!("http://{address}/base/"))),
            json_answer(&task("COMPLETED")),
            json_answer(&task("COMPLETED")["task"]),
        ]
    })
    .await;
    let client = peer.client().await;
    client.message("go").send().await.unwrap();
    client.cancel("t 1").await.unwrap();
    assert_eq!(
        peer.lines()[1..],
        [
            "POST /base/message:send HTTP/1.1",
            "POST /base/tasks/t%201:cancel HTTP/1.1"
        ]
    );
    // An empty object, never `null`.
    assert_eq!(peer.requests()[2].body, json!({}));

    let operation = |address| format!("http://{address}/a/v1/message:stream");
    let peer = Peer::start(|address| vec![json_answer(&rest(operation(address)))]).await;
    let error = peer.connect(quick()).await.unwrap_err();
    assert!(error.message().contains("SendStreamingMessage"), "{error}");
    // JSON-RPC has one address, whatever it is called.
    let peer = Peer::start(|address| {
        vec![
            json_answer(&card_of(&[interface(operation(address), "JSONRPC", "1.0")])),
            result(&task("COMPLETED")),
        ]
    })
    .await;
    peer.client().await.message("go").send().await.unwrap();
    assert_eq!(peer.lines()[1], "POST /a/v1/message:stream HTTP/1.1");
}

#[tokio::test]
async fn addresses_that_are_none_are_refused_with_the_reason() {
    for (url, why) in [
        ("http://münchen.test", "xn--"),
        ("localhost:80", "http://"),
        ("ftp://127.0.0.1/", "\"ftp\""),
        ("http://127.0.0.1:99999/", "port"),
        ("http://me:s3cret@127.0.0.1/", "credentials"),
        ("", "http://"),
    ] {
        let error = Client::connect(url).await.unwrap_err();
        assert!(error.is_invalid_argument(), "{url}: {error:?}");
        let message = error.message();
        assert!(
            message.contains(why) && !message.contains("s3cret"),
            "{message}"
        );
    }
    // Of an interface, too: the others are called.
    let peer = Peer::start(|address| {
        let bad = interface("unix:///run/agent.sock", "GRPC", "1.0");
        let good = interface(format!("http://{address}/x"), "JSONRPC", "1.0");
        vec![
            json_answer(&card_of(&[bad.clone(), good])),
            json_answer(&card_of(&[bad])),
        ]
    })
    .await;
    assert_eq!(peer.client().await.interfaces().len(), 1);
    let error = peer
        .connect(quick().bindings([Binding::Grpc]))
        .await
        .unwrap_err();
    assert!(error.message().contains("\"unix\""), "{error}");
}
