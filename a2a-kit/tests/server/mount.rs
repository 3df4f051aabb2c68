//! The server inside a user's axum router.

use a2a_kit::auth::{ApiKeys, Authentication};
use a2a_kit::v1_0::{ApiKeySecurityScheme, SecurityRequirement, SecurityScheme, StringList};
use a2a_kit::{Caller, Server};
use axum::Router;
use axum::routing::get as route;
use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tower_service::Service as _;

use crate::support::*;

fn server() -> Server {
    builder().build().unwrap()
}

async fn ask(
    router: &Router,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> (u16, Bytes) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("a2a-version", "1.0");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Full::new(Bytes::copy_from_slice(body)))
        .unwrap();
    let response = router
        .clone()
        .call(request.map(axum::body::Body::new))
        .await
        .unwrap();
    (
        response.status().as_u16(),
        response.into_body().collect().await.unwrap().to_bytes(),
    )
}

/// Method, path, body, and the status of what the agent answers.
fn cases() -> Vec<(Method, String, Vec<u8>, u16)> {
    let rpc = br#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}"#;
    let send = send_params("hello").into_bytes();
    let cases: Vec<(Method, String, &[u8], u16)> = vec![
        (Method::GET, "/.well-known/agent-card.json".into(), b"", 200),
        (Method::POST, "/jsonrpc".into(), rpc, 200),
        (Method::POST, "/message:send".into(), &send, 200),
        (Method::POST, "/message:stream".into(), &send, 200),
        (Method::GET, "/tasks".into(), b"", 200),
        (Method::GET, "/tasks/t1".into(), b"", 200),
        (Method::GET, "/tasks/urn:x:7".into(), b"", 200),
        (Method::GET, "/tasks/a%2Fb".into(), b"", 200),
        (Method::GET, "/tasks/tasks".into(), b"", 200),
        (Method::POST, "/tasks/urn:x:7:cancel".into(), b"{}", 200),
        (Method::GET, "/tasks/t1:subscribe".into(), b"", 200),
        (
            Method::GET,
            "/tasks/t1/pushNotificationConfigs".into(),
            b"",
            200,
        ),
        (
            Method::DELETE,
            "/tasks/t1/pushNotificationConfigs/p1".into(),
            b"",
            200,
        ),
        (Method::GET, "/extendedAgentCard".into(), b"", 200),
        (Method::GET, "/desk/tasks/t1".into(), b"", 200),
        (Method::POST, "/desk/message:send".into(), &send, 200),
        (Method::GET, "/desk/extendedAgentCard".into(), b"", 200),
        // Below its own first segments the agent's errors are its own, too.
        (Method::PUT, "/tasks/t1".into(), b"", 405),
        (Method::GET, "/tasks/t1/nothing".into(), b"", 404),
        (Method::GET, "/tasks/".into(), b"", 404),
        (Method::GET, "/message:send".into(), b"", 405),
    ];
    let cases = cases.into_iter();
    cases
        .map(|(method, path, body, status)| (method, path, body.to_vec(), status))
        .collect()
}

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

async fn agent_answers(router: &Router, base: &str) {
    for (method, path, body, status) in cases() {
        let (found, answer) = ask(
            router,
            method.clone(),
            &format!("{base}{path}"),
            &JSON,
            &body,
        )
        .await;
        assert_eq!(
            found,
            status,
            "{method} {base}{path}: {}",
            String::from_utf8_lossy(&answer)
        );
        if status >= 400 {
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(answer["error"]["code"], status, "{path}");
        }
    }
}

#[tokio::test]
async fn the_router_is_merged_with_routes_and_a_fallback_of_the_user() {
    let own = Router::new()
        .route("/health", route(|| async { "well" }))
        .route("/tasks-of-mine/{id}", route(|| async { "mine" }))
        .fallback(|| async { (http::StatusCode::IM_A_TEAPOT, "own fallback") });
    let router = own.merge(server().router());
    agent_answers(&router, "").await;
    let (status, body) = ask(
        &router,
        Method::POST,
        "/",
        &[],
        br#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}"#,
    )
    .await;
    assert_eq!(
        (status, String::from_utf8_lossy(&body).contains("\"t1\"")),
        (200, true)
    );
    let grpc = [("content-type", "application/grpc"), ("te", "trailers")];
    let (status, body) = ask(
        &router,
        Method::POST,
        "/lf.a2a.v1.A2AService/GetTask",
        &grpc,
        &framed(b"\x12\x02t1"),
    )
    .await;
    assert_eq!((status, body.len() > 5), (200, true));
    assert_eq!(
        ask(&router, Method::GET, "/health", &[], b"").await,
        (200, Bytes::from("well"))
    );
    assert_eq!(
        ask(&router, Method::GET, "/tasks-of-mine/7", &[], b"").await,
        (200, Bytes::from("mine"))
    );
    assert_eq!(
        ask(&router, Method::GET, "/nowhere", &[], b"").await,
        (418, Bytes::from("own fallback"))
    );
}

#[tokio::test]
async fn the_router_is_nested_below_a_path_of_the_user() {
    let router = Router::new().nest("/agents/desk", server().router());
    agent_answers(&router, "/agents/desk").await;
    let rpc = br#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}"#;
    assert_eq!(
        ask(&router, Method::POST, "/agents/desk", &[], rpc).await.0,
        200
    );
    assert_eq!(
        ask(&router, Method::GET, "/tasks/t1", &[], b"").await.0,
        404
    );
}

#[tokio::test]
async fn a_base_path_moves_the_mounts() {
    let router = builder()
        .base_path("/agents/desk")
        .build()
        .unwrap()
        .router();
    agent_answers(&router, "/agents/desk").await;
    assert_eq!(
        ask(&router, Method::GET, "/tasks/t1", &[], b"").await.0,
        404
    );
    let grpc = [("content-type", "application/grpc"), ("te", "trailers")];
    for path in [
        "/lf.a2a.v1.A2AService/GetTask",
        "/agents/desk/lf.a2a.v1.A2AService/GetTask",
    ] {
        assert_eq!(
            ask(&router, Method::POST, path, &grpc, &framed(b"\x12\x02t1"))
                .await
                .0,
            200,
            "{path}"
        );
    }
}

#[tokio::test]
async fn two_agents_live_in_one_router() {
    let router = ["/one", "/two"]
        .into_iter()
        .fold(Router::new(), |router, path| {
            router.nest(path, server().router())
        });
    for base in ["/one", "/two"] {
        agent_answers(&router, base).await;
    }
}

#[tokio::test]
async fn layers_of_the_user_see_the_calls() {
    let router = server()
        .router()
        .layer(axum::Extension(Caller::known("alice")));
    agent_answers(&router, "").await;
}

/// A server that asks for a key.
fn guarded(base: &str) -> Server {
    let mut card = card();
    let key = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let key = SecurityScheme::new().with_api_key_security_scheme(key);
    card.security_schemes.insert("key".into(), key);
    let mut requirement = SecurityRequirement::new();
    let scopes = StringList::new();
    requirement.schemes.insert("key".into(), scopes);
    card.security_requirements.push(requirement);
    let keys = ApiKeys::header("X-Key").key("right", Caller::known("alice"));
    let authentication = Authentication::for_card(&card).scheme("key", keys);
    Server::builder(Desk::default(), card)
        .authentication(authentication.build().unwrap())
        .base_path(base)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_mounted_agent_asks_for_credentials_whatever_is_around_it() {
    let own = Router::new().fallback(|| async { "own fallback" });
    let nested = Router::new().nest("/agents/desk", guarded("").router());
    // What a layer says of callers is not asked for.
    let layer = axum::Extension(Caller::known("alice"));
    for (router, base) in [
        (own.merge(guarded("").router()), ""),
        (nested, "/agents/desk"),
        (guarded("/agents/desk").router(), "/agents/desk"),
        (guarded("").router().layer(layer), ""),
        (Router::new().fallback_service(guarded("")), ""),
    ] {
        for (method, path, body, status) in cases() {
            let target = format!("{base}{path}");
            let expected = if status == 200 && path != "/.well-known/agent-card.json" {
                401
            } else {
                status
            };
            let (found, answer) = ask(&router, method.clone(), &target, &JSON, &body).await;
            let answer = String::from_utf8_lossy(&answer);
            assert_eq!(found, expected, "{method} {target}: {answer}");
            let with_key = [JSON[0], ("x-key", "right")];
            let (found, answer) = ask(&router, method.clone(), &target, &with_key, &body).await;
            let answer = String::from_utf8_lossy(&answer);
            assert_eq!(found, status, "{method} {target}: {answer}");
        }
        let grpc = [("content-type", "application/grpc"), ("te", "trailers")];
        let path = "/lf.a2a.v1.A2AService/GetTask";
        for target in [path.to_owned(), format!("{base}{path}")] {
            let (_, answer) = ask(
                &router,
                Method::POST,
                &target,
                &grpc,
                &framed(b"\x12\x02t1"),
            )
            .await;
            assert_eq!(answer, Bytes::new(), "{target}");
        }
    }
}
