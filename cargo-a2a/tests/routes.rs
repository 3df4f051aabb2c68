//! `cargo a2a routes`: the versions of A2A, and services of one's own.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;

fn routes(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let command = ["cargo-a2a", "routes"].iter().chain(arguments);
    let code = cargo_a2a::run(command.map(OsString::from), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err))
}

fn printed(arguments: &[&str]) -> String {
    let (code, out, err) = routes(arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    out
}

#[test]
fn the_tables_of_both_versions_are_as_they_were_read_last() {
    for (version, form, file) in [
        ("1.0", "--markdown", "routes-1.0.md"),
        ("1.0", "--json", "routes-1.0.json"),
        ("0.3", "--markdown", "routes-0.3.md"),
    ] {
        let out = printed(&[version, form]);
        let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(file);
        let expected = std::fs::read_to_string(golden).unwrap_or_default();
        assert!(
            out == expected.replace("\r\n", "\n"),
            "write it again with\ncargo run -q -p cargo-a2a -- routes {version} {form} > cargo-a2a/tests/golden/{file}"
        );
    }
}

/// The rows of the specification (5.3), each with the first of its routes.
#[test]
fn version_1_0_has_its_eleven_operations() {
    let json: Value = serde_json::from_str(&printed(&["1.0", "--json"])).unwrap();
    let operations = json["services"][0]["operations"].as_array().unwrap();
    let row = |operation: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let route = &operation["http"][0];
        (
            text(&operation["jsonRpc"]),
            format!("{} {}", text(&route["method"]), text(&route["path"])),
            text(&operation["response"]),
            operation["stream"].as_bool().unwrap(),
        )
    };
    let rows: Vec<_> = operations.iter().map(row).collect();
    let config = "TaskPushNotificationConfig";
    let mut expected = [
        (
            "SendMessage",
            "POST /message:send",
            "SendMessageResponse",
            false,
        ),
        (
            "SendStreamingMessage",
            "POST /message:stream",
            "StreamResponse",
            true,
        ),
        ("GetTask", "GET /tasks/{id}", "Task", false),
        ("ListTasks", "GET /tasks", "ListTasksResponse", false),
        ("CancelTask", "POST /tasks/{id}:cancel", "Task", false),
        (
            "SubscribeToTask",
            "GET /tasks/{id}:subscribe",
            "StreamResponse",
            true,
        ),
        (
            "CreateTaskPushNotificationConfig",
            "POST /tasks/{task_id}/pushNotificationConfigs",
            config,
            false,
        ),
        (
            "GetTaskPushNotificationConfig",
            "GET /tasks/{task_id}/pushNotificationConfigs/{id}",
            config,
            false,
        ),
        (
            "ListTaskPushNotificationConfigs",
            "GET /tasks/{task_id}/pushNotificationConfigs",
            "ListTaskPushNotificationConfigsResponse",
            false,
        ),
        (
            "DeleteTaskPushNotificationConfig",
            "DELETE /tasks/{task_id}/pushNotificationConfigs/{id}",
            "Empty",
            false,
        ),
        (
            "GetExtendedAgentCard",
            "GET /extendedAgentCard",
            "AgentCard",
            false,
        ),
    ]
    .map(|(name, route, answer, stream)| {
        (name.to_owned(), route.to_owned(), answer.to_owned(), stream)
    });
    let mut rows = rows;
    rows.sort();
    expected.sort();
    assert_eq!(rows, expected);
    for operation in operations {
        let name = operation["name"].as_str().unwrap();
        assert_eq!(operation["grpc"], format!("/lf.a2a.v1.A2AService/{name}"));
        let routes = operation["http"].as_array().unwrap();
        let with_tenant = routes
            .iter()
            .any(|route| route["path"].as_str().unwrap().starts_with("/{tenant}/"));
        assert!(with_tenant, "{name}");
    }
}

#[test]
fn the_operations_of_0_3_have_the_method_names_of_its_schema() {
    let text = printed(&["0.3"]);
    for line in [
        "  JSON-RPC  message/send",
        "  gRPC      /a2a.v1.A2AService/TaskSubscription",
        "  HTTP      GET /v1/card",
        "  returns   stream of StreamResponse",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn services_of_ones_own_have_tables_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.proto");
    let write = |text: &str| std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    write(
        "syntax = \"proto3\"; package shop; message Order { string id = 1; } service Shop { rpc Buy(Order) returns (stream Order); }",
    );
    assert_eq!(
        printed(&[path]),
        "shop.Shop (shop)\n\nBuy\n  gRPC      /shop.Shop/Buy\n  takes     Order\n  returns   stream of Order\n"
    );
    write("syntax = \"proto3\"; package shop; message Order { string id = 1; }");
    let (code, _, err) = routes(&[path]);
    assert_eq!(code, 1);
    assert!(err.contains("declares no service"), "{err}");
}
