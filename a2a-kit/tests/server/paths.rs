//! Where each binding is served, and what it takes there.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn json_rpc_is_served_at_its_paths_with_and_without_a_slash() {
    let running = Running::start(builder()).await;
    for path in ["/", "/jsonrpc", "/jsonrpc/"] {
        let got = fetch(
            &http1(),
            json_rpc(&running.url(path), "GetTask", "{\"id\":\"t1\"}"),
        )
        .await;
        assert_eq!(got.json()["result"]["id"], "t1", "{path}");
        let wrong = fetch(&http1(), get(&running.url(path))).await;
        assert_eq!(
            (wrong.status.as_u16(), wrong.header("allow")),
            (405, "POST"),
            "{path}"
        );
    }
    let elsewhere = fetch(
        &http1(),
        json_rpc(&running.url("/rpc"), "GetTask", "{\"id\":\"t1\"}"),
    )
    .await;
    assert_eq!(elsewhere.status, 404);
    let moved = Running::start(builder().json_rpc_paths(["/rpc"])).await;
    for (path, status) in [("/rpc", 200), ("/rpc/", 200), ("/", 404), ("/jsonrpc", 404)] {
        assert_eq!(
            fetch(
                &http1(),
                json_rpc(&moved.url(path), "GetTask", "{\"id\":\"t1\"}")
            )
            .await
            .status
            .as_u16(),
            status,
            "{path}"
        );
    }
}

#[tokio::test]
async fn everything_can_stand_below_a_base_path() {
    let running = Running::start(builder().base_path("/agents/desk/")).await;
    let rest = fetch(
        &http1(),
        get(&running.url("/agents/desk/tasks/t%2F1?historyLength=1")),
    )
    .await;
    assert_eq!(
        (rest.status.as_u16(), &rest.json()["id"]),
        (200, &json!("t/1"))
    );
    for path in ["/agents/desk", "/agents/desk/", "/agents/desk/jsonrpc"] {
        let got = fetch(
            &http1(),
            json_rpc(&running.url(path), "GetTask", "{\"id\":\"t1\"}"),
        )
        .await;
        assert_eq!(got.json()["result"]["id"], "t1", "{path}");
    }
    assert_eq!(
        fetch(
            &http1(),
            get(&running.url("/agents/desk/.well-known/agent-card.json"))
        )
        .await
        .status,
        200
    );
    for path in [
        "/tasks/t1",
        "/.well-known/agent-card.json",
        "/agents/desktop/tasks/t1",
        "/agents",
    ] {
        assert_eq!(
            fetch(&http1(), get(&running.url(path))).await.status,
            404,
            "{path}"
        );
    }
    assert_eq!(
        fetch(&http2(), grpc(&running, "GetTask", b"\x12\x02t1"))
            .await
            .grpc_status(),
        0
    );
    let mut below = grpc(&running, "GetTask", b"\x12\x02t1");
    *below.uri_mut() = running
        .url("/agents/desk/lf.a2a.v1.A2AService/GetTask")
        .parse()
        .unwrap();
    assert_eq!(fetch(&http2(), below).await.grpc_status(), 0);
}

#[tokio::test]
async fn wrong_content_types_are_told_apart_by_binding() {
    let running = Running::start(builder()).await;
    let rpc = fetch(&http1(), post(&running.url("/"), "text/plain", "{not json")).await;
    assert_eq!(
        (rpc.status.as_u16(), &rpc.json()["error"]["code"]),
        (415, &json!(-32005))
    );
    let rest = fetch(
        &http1(),
        post(&running.url("/message:send"), "text/plain", "{not json"),
    )
    .await;
    assert_eq!(
        (
            rest.status.as_u16(),
            &rest.json()["error"]["details"][0]["reason"]
        ),
        (415, &json!("CONTENT_TYPE_NOT_SUPPORTED"))
    );
    // Another protocol of a similar name.
    let mut web = grpc(&running, "GetTask", b"");
    web.headers_mut()
        .insert("content-type", "application/grpc-web".parse().unwrap());
    assert!(fetch(&http2(), web).await.status.is_client_error());
    for content_type in ["application/grpc+proto", "Application/gRPC; a=b"] {
        let mut proto = grpc(&running, "GetTask", b"\x12\x02t1");
        proto
            .headers_mut()
            .insert("content-type", content_type.parse().unwrap());
        assert_eq!(
            fetch(&http2(), proto).await.grpc_status(),
            0,
            "{content_type}"
        );
    }
}
