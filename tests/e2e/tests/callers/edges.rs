//! Around the operations: what is reached without credentials, however it is asked for, and agents
//! that would let callers in whom their cards do not.

use a2a_kit::A2aService;
use a2a_kit::auth::Authentication;
use bytes::Bytes;
use e2e::card;
use e2e::client::http::{self, Connection, Whole};
use e2e::guarded::{self, Issuer};
use serde_json::json;

use super::sample::About;
use super::wire::{Binding, Way};
use super::world::{SECRET, World};

const CARDS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/// The name on the card for those who are known.
const EXTENDED: &str = "Scripted, extended";

/// Nobody has been let in: nothing was looked up, nothing of Alice's is in the answer, and it is a
/// success only where the card is.
fn check(world: &World, answer: &str, is_success: bool, what: &str) {
    assert!(!is_success, "{what}: {answer}");
    for secret in [SECRET, EXTENDED] {
        assert!(!answer.contains(secret), "{what}: {answer}");
    }
    let asked = world.store.take();
    let asked = asked
        .iter()
        .filter(|asked| !asked.method.ends_with("_lease"));
    assert_eq!(asked.count(), 0, "{what}: {answer}");
}

/// An agent with a task of Alice's, and its id.
async fn world(
    setup: impl FnOnce(a2a_kit::ServerBuilder) -> a2a_kit::ServerBuilder + Send + 'static,
) -> (World, About) {
    let world = World::with(&Issuer::new(), setup).await;
    let about = world.alices_task("").await;
    world.store.take();
    (world, about)
}

/// What peers may say about the version of a call.
const VERSIONS: [&[(&str, &str)]; 9] = [
    &[],
    &[("a2a-version", "")],
    &[("a2a-version", "0.3")],
    &[("a2a-version", "1.0")],
    &[("a2a-version", "9.9")],
    &[("a2a-version", "1.0, 0.3")],
    &[("a2a-version", "0.3"), ("a2a-version", "1.0")],
    &[("a2a-version", "\u{fe}")],
    &[
        ("a2a-version", "1.0"),
        ("a2a-extensions", "https://a.test/"),
    ],
];

/// Paths under which somebody may look for a way around.
fn paths(task: &str, base: &str) -> Vec<String> {
    let below = [
        format!("/tasks/{task}"),
        format!("/tasks/{task}/"),
        format!("/tasks/{task}:subscribe"),
        format!("/tasks/{task}%3Asubscribe"),
        format!("/%74asks/{task}"),
        format!("//tasks/{task}"),
        format!("/./tasks/{task}"),
        format!("/TASKS/{task}"),
        format!("/tasks/{task}/pushNotificationConfigs"),
        format!("/tasks/{task}/pushNotificationConfigs/"),
        format!("/tasks/{task}?A2A-Version=0.3"),
        format!("/tasks/{task}?A2A-Version=1.0"),
        format!("/tasks/{task}?X-Key=key-of-alice&key=key-of-alice&access_token=key-of-alice"),
        format!("/tasks/{task};x=/.well-known/agent-card.json"),
        format!("/v1/tasks/{task}"),
        format!("/v1/tasks/{task}/pushNotificationConfigs/"),
        format!("/v1/tasks/{task}?a2a-version=0.3"),
        format!("/north/tasks/{task}"),
        format!("/.well-known/agent-card.json/../../tasks/{task}"),
        format!("/.well-known/..%2f..%2ftasks/{task}"),
        format!("/.well-known%2fagent-card.json/tasks/{task}"),
        "/".into(),
        "//".into(),
        "/tasks".into(),
        "/tasks/".into(),
        "/message:send".into(),
        "/message:stream".into(),
        "/v1/message:send".into(),
        "/v1/card".into(),
        "/v1/card/".into(),
        "/card".into(),
        "/extendedAgentCard".into(),
        "/north/extendedAgentCard".into(),
        "/jsonrpc".into(),
        "/jsonrpc/".into(),
        "/JSONRPC".into(),
        "/agent/authenticatedExtendedCard".into(),
        "/.well-known/agent-card.json/".into(),
        "/.well-known/".into(),
        "/lf.a2a.v1.A2AService/ListTasks".into(),
        "/lf.a2a.v1.A2AService/ListTasks/".into(),
        "/a2a.v1.A2AService/GetTask".into(),
        "/a2a.v1.A2AService/GetAgentCard".into(),
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo".into(),
        "/grpc.health.v1.Health/Check".into(),
    ];
    let mut paths: Vec<String> = below.iter().map(|path| format!("{base}{path}")).collect();
    if !base.is_empty() {
        paths.extend(below.clone());
        paths.extend(below.map(|path| format!("{base}/..{path}")));
        paths.push(format!("{base}x"));
    }
    paths
}

/// Bodies that are a request in one binding or another.
fn bodies(task: &str) -> Vec<(&'static str, Bytes)> {
    let call = |method: &str| {
        let params = json!({"id": task, "name": format!("tasks/{task}")});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Bytes::from(call.to_string())
    };
    vec![
        ("", Bytes::new()),
        ("application/json", call("GetTask")),
        ("application/json", call("tasks/get")),
        (
            "application/json",
            call("agent/getAuthenticatedExtendedCard"),
        ),
        ("application/a2a+json", call("ListTasks")),
        ("text/plain", call("ListTasks")),
        ("application/grpc", Bytes::from_static(&[0, 0, 0, 0, 0])),
        (
            "application/grpc+proto",
            Bytes::from_static(&[0, 0, 0, 0, 0]),
        ),
        ("application/grpc-web", Bytes::from_static(&[0, 0, 0, 0, 0])),
    ]
}

async fn nothing_is_reached(world: &World, about: &About, base: &str, methods: &[&str]) {
    let bodies = bodies(&about.task);
    for (p, path) in paths(&about.task, base).iter().enumerate() {
        for (m, &method) in methods.iter().enumerate() {
            for (b, (content_type, body)) in bodies.iter().enumerate() {
                // Over all paths, each body comes with each method in each version.
                let version = VERSIONS[(p + m + b) % VERSIONS.len()];
                let what = format!("{method} {path} {content_type} {version:?}");
                let mut request = ::http::Request::builder().method(method).uri(path);
                if !content_type.is_empty() {
                    request = request.header("content-type", *content_type);
                }
                for (name, value) in version {
                    let value = ::http::HeaderValue::from_bytes(value.as_bytes()).unwrap();
                    request = request.header(*name, value);
                }
                let request = request.body(body.clone()).unwrap();
                let mut connection = match content_type.starts_with("application/grpc") {
                    true => Connection::http2(world.served.addr).await,
                    false => Connection::http1(world.served.addr).await,
                };
                let whole = Whole::read(connection.send(request).await).await;
                let is_grpc = whole.header("content-type") == "application/grpc";
                let is_success = match is_grpc {
                    true => whole.header("grpc-status") == "0" || !whole.body.is_empty(),
                    false => whole.status.is_success(),
                };
                check(world, &format!("{whole:?}"), is_success, &what);
            }
        }
    }
}

#[tokio::test]
async fn nothing_but_the_card_is_reached_without_credentials() {
    let (world, about) = world(|server| server).await;
    let methods = [
        "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "CARD",
    ];
    nothing_is_reached(&world, &about, "", &methods).await;
    for path in CARDS {
        let card = http::call(world.served.addr, "GET", path).await;
        assert_eq!(card.status, 200, "{path}");
        assert!(!card.text().contains(EXTENDED), "{}", card.text());
    }
}

#[tokio::test]
async fn nor_is_it_where_versions_are_inferred_and_everything_is_below_a_path() {
    let below = |server: a2a_kit::ServerBuilder| {
        server
            .infer_version(true)
            .base_path("/agents/one")
            .json_rpc_paths(["/", "/rpc"])
    };
    let (world, about) = world(below).await;
    nothing_is_reached(&world, &about, "/agents/one", &["GET", "POST"]).await;
    let card = http::call(
        world.served.addr,
        "GET",
        "/agents/one/.well-known/agent-card.json",
    )
    .await;
    assert_eq!(card.status, 200);
}

/// Heads that other programs would read in another way.
#[tokio::test]
async fn heads_in_bytes_reach_nothing() {
    let (world, about) = world(|server| server).await;
    let task = &about.task;
    let get = |target: &str, headers: &str| {
        format!(
            "GET {target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nA2A-Version: 1.0\r\n{headers}\r\n"
        )
    };
    let path = format!("/tasks/{task}");
    let card = "/.well-known/agent-card.json";
    for request in [
        get(&format!("http://a.test{path}"), ""),
        get(&format!("http://key-of-alice@a.test{path}"), ""),
        get(&format!("{path}#{card}"), ""),
        get(&format!("{path}?{card}"), ""),
        get(&format!("{path}\\..\\.well-known"), ""),
        get("*", ""),
        get(
            &path,
            &format!("X-Original-URL: {card}\r\nX-Rewrite-URL: {card}\r\n"),
        ),
        get(
            card,
            &format!("X-Original-URL: {path}\r\nX-HTTP-Method-Override: GET\r\n"),
        ),
        get(
            &path,
            "X-User: alice\r\nX-Forwarded-User: alice\r\nX-Forwarded-For: 127.0.0.1\r\n",
        ),
        get(
            &path,
            "Proxy-Authorization: Bearer key-of-alice\r\nCookie: X-Key=key-of-alice\r\n",
        ),
        get(&path, "X_Key: key-of-alice\r\n"),
        get(&path, "X-Key : key-of-alice\r\n"),
        get(&path, "X-Key: \r\n key-of-alice\r\n"),
        get(&path, "X-Key: key-of-alice, key-of-alice\r\n"),
        get(&path, "X-Key: wrong\r\nX-Key: key-of-alice\r\n"),
        get(&path, "X-Key: key-of-alice\r\nx-key: wrong\r\n"),
        get(&path, "Authorization: key-of-alice\r\n"),
        get(&path, "Authorization: ApiKey key-of-alice\r\n"),
        // A second request in the body of the first.
        format!(
            "POST {card} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\
             Content-Length: 5\r\n\r\n0\r\n\r\n{}",
            get(&path, "")
        ),
        format!("GET {path}\r\n\r\n"),
        format!("GET {path} HTTP/1.0\r\n\r\n"),
    ] {
        let answer = http::raw(world.served.addr, request.as_bytes()).await;
        let is_card = request.starts_with(&format!("GET {card} "));
        let is_success = answer.contains(" 200 OK\r\n") && !is_card;
        check(&world, &answer, is_success, &request);
    }
}

/// Credentials are where the card says, and there alone: on every binding.
#[tokio::test]
async fn credentials_in_another_place_are_none() {
    let issuer = Issuer::new();
    let world = World::new(&issuer).await;
    let (in_tenant, in_none) = (
        world.alices_task("north").await,
        world.alices_task("").await,
    );
    world.store.take();
    let token = issuer.token("alice", "call", 600);
    let bare = token.trim_start_matches("Bearer ");
    let twice = [("authorization", &*token), ("authorization", &*token)];
    let joined = format!("{token}, {token}");
    let elsewhere: [&[(&str, &str)]; 8] = [
        &twice,
        &[("authorization", &*joined)],
        &[("authorization", bare)],
        &[("x-key", bare)],
        &[("proxy-authorization", &*token)],
        &[("authorization", "Bearer key-of-alice")],
        &[("cookie", "x-key=key-of-alice; X-Key=key-of-alice")],
        &[("x-key", "Key-Of-Alice")],
    ];
    for way in Way::all() {
        let about = if way.is_old() { &in_none } else { &in_tenant };
        for credentials in elsewhere {
            let seen = way
                .call(world.served.addr, credentials, about, way.request(about))
                .await;
            let what = format!("{way:?} {credentials:?}");
            check(&world, &seen.text(), way.is_done(&seen), &what);
            let code = match way.binding {
                Binding::Rest(_) => 401,
                Binding::JsonRpc => -32000,
                Binding::Grpc => 16,
            };
            assert_eq!(way.code(&seen), code, "{what}: {seen:#?}");
        }
    }
}

#[tokio::test]
async fn a_card_that_asks_for_credentials_is_not_served_where_nobody_checks_them() {
    let mut card = card::full();
    guarded::declare(&mut card);
    struct Silent;
    impl A2aService for Silent {}
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
