//! The card, and a server's start.

use a2a_kit::Server;
use http_body_util::BodyExt as _;

use crate::support::*;

#[tokio::test]
async fn the_card_is_served_to_any_client_and_cached_by_its_tag() {
    let running = Running::start(builder().card_max_age(std::time::Duration::from_secs(60))).await;
    let url = running.url("/.well-known/agent-card.json");
    let client = http1();
    // No version is needed to read the card.
    let mut request = get(&url);
    request.headers_mut().clear();
    let got = fetch(&client, request).await;
    assert_eq!(
        (
            got.status.as_u16(),
            got.header("content-type"),
            got.header("cache-control")
        ),
        (200, "application/json", "max-age=60")
    );
    assert_eq!(
        got.json()["supportedInterfaces"][2]["protocolBinding"],
        "HTTP+JSON"
    );
    let mut again = get(&url);
    again
        .headers_mut()
        .insert("if-none-match", got.headers["etag"].clone());
    let known = fetch(&client, again).await;
    assert_eq!(
        (
            known.status.as_u16(),
            known.body.len(),
            known.header("etag")
        ),
        (304, 0, got.header("etag"))
    );
    let mut since = get(&url);
    since
        .headers_mut()
        .insert("if-modified-since", got.headers["last-modified"].clone());
    assert_eq!(fetch(&client, since).await.status, 304);
    let wrong = fetch(&client, post(&url, "application/json", "{}")).await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.header("allow")),
        (405, "GET, HEAD")
    );
    // The body of a HEAD would confuse the next answer on the connection.
    let head = http::Request::head(&url)
        .body(http_body_util::Full::default())
        .unwrap();
    let head = client.request(head).await.unwrap();
    assert_eq!(
        head.headers()["content-length"].to_str().unwrap(),
        got.body.len().to_string()
    );
    assert!(
        head.into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .is_empty()
    );
    assert_eq!(fetch(&client, get(&url)).await.body, got.body);
    assert_eq!(fetch(&http2(), get(&url)).await.body, got.body);
}

#[test]
fn a_card_with_faults_is_refused_with_all_of_them() {
    let mut bad = card();
    bad.name.clear();
    bad.supported_interfaces[1].protocol_version.clear();
    let error = Server::builder(Desk::default(), bad).build().unwrap_err();
    let fields: Vec<_> = error
        .violations()
        .iter()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(fields, ["name", "supportedInterfaces[1].protocolVersion"]);

    let mut elsewhere = card();
    for interface in &mut elsewhere.supported_interfaces {
        interface.protocol_version = "0.2".into();
    }
    let error = Server::builder(Desk::default(), elsewhere)
        .build()
        .unwrap_err();
    assert_eq!(error.violations()[0].field, "supportedInterfaces");
    assert!(error.message().contains("protocolVersion 1.0"), "{error}");
}

#[test]
fn options_that_are_no_paths_are_refused() {
    for path in ["agents", "/a//b", "/a?b", "/a b", "http://h/a"] {
        assert_eq!(
            builder().base_path(path).build().unwrap_err().violations()[0].field,
            "base_path",
            "{path}"
        );
        assert_eq!(
            builder()
                .json_rpc_paths([path])
                .build()
                .unwrap_err()
                .violations()[0]
                .field,
            "json_rpc_paths",
            "{path}"
        );
    }
    for path in ["", "/", "/a", "/a/", "/a/b"] {
        assert!(
            builder()
                .base_path(path)
                .json_rpc_paths([path])
                .build()
                .is_ok(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_binding_that_the_card_does_not_declare_is_not_served() {
    for left in ["JSONRPC", "GRPC", "HTTP+JSON"] {
        let mut only = card();
        only.supported_interfaces
            .retain(|interface| interface.protocol_binding == left);
        let running = Running::start(Server::builder(Desk::default(), only)).await;
        let rpc = fetch(
            &http1(),
            json_rpc(&running.url("/"), "GetTask", "{\"id\":\"t1\"}"),
        )
        .await;
        assert_eq!(rpc.status == 200, left == "JSONRPC", "{left}");
        let rest = fetch(&http1(), get(&running.url("/tasks/t1"))).await;
        assert_eq!(rest.status == 200, left == "HTTP+JSON", "{left}");
        if left != "HTTP+JSON" {
            assert_eq!(rest.status, 404);
            assert_eq!(rest.json()["error"]["details"], serde_json::json!([]));
        }
        let call = fetch(&http2(), grpc(&running, "GetTask", b"\x12\x02t1")).await;
        assert_eq!(
            call.status == 200 && call.grpc_status() == 0,
            left == "GRPC",
            "{left}"
        );
        assert_eq!(
            fetch(&http1(), get(&running.url("/.well-known/agent-card.json")))
                .await
                .status,
            200
        );
    }
}
