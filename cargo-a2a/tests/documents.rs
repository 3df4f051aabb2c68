//! `cargo a2a generate --from … --emit openapi|json-schema|markdown`: documents made from a schema.

use std::ffi::OsString;
use std::path::PathBuf;

use a2a_kit::Shared;
use a2a_kit::v1_0::{
    AgentCard, AgentInterface, Artifact, Message, Part, Role, StreamResponse, Task, TaskState,
    TaskStatus,
};
use a2a_kit::wire::WireMessage;
use jsonschema::Validator;
use serde_json::{Value, json};

fn generate(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let command = ["cargo-a2a", "generate"].iter().chain(arguments);
    let code = cargo_a2a::run(command.map(OsString::from), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err))
}

fn printed(arguments: &[&str]) -> String {
    let (code, out, err) = generate(arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    out
}

fn document(from: &str, emit: &str) -> Value {
    let text = printed(&["--from", from, "--emit", emit]);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_documents_of_a2a_are_as_they_were_read_last() {
    for (from, emit, file) in [
        ("1.0", "openapi", "a2a-1.0.openapi.json"),
        ("1.0", "json-schema", "a2a-1.0.schema.json"),
        ("1.0", "markdown", "a2a-1.0.md"),
        ("0.3", "openapi", "a2a-0.3.openapi.json"),
    ] {
        let out = printed(&["--from", from, "--emit", emit]);
        let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden")
            .join(file);
        let expected = std::fs::read_to_string(golden).unwrap_or_default();
        assert!(
            out == expected.replace("\r\n", "\n"),
            "write it again with\ncargo run -q -p cargo-a2a -- generate --from {from} --emit {emit} > cargo-a2a/tests/golden/{file}"
        );
    }
}

/// A validator for one message of the schema.
fn validator(schema: &Value, message: &str) -> Validator {
    assert!(schema["$defs"][message].is_object(), "{message}");
    let mut schema = schema.clone();
    schema["$ref"] = json!(format!("#/$defs/{message}"));
    jsonschema::draft202012::new(&schema).expect("a schema")
}

fn written<T: WireMessage>(message: T) -> Value {
    let json = Shared::new(message).json().expect("it has a form");
    serde_json::from_slice(&json).expect("JSON")
}

fn message() -> Message {
    let mut data = Part::default();
    data.content = Some(a2a_kit::v1_0::part::Content::Data(json!([1, null]).into()));
    let mut raw = Part::default();
    raw.content = Some(a2a_kit::v1_0::part::Content::Raw(vec![0, 255].into()));
    Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts([Part::text("hello"), data, raw])
}

#[test]
fn real_messages_are_valid() {
    let schema = document("1.0", "json-schema");
    let task = Task::new()
        .with_id("t")
        .with_context_id("c")
        .with_status(
            TaskStatus::new()
                .with_state(TaskState::Working)
                .with_timestamp(
                    "2026-01-31T12:00:00.123Z"
                        .parse::<a2a_kit::types::Timestamp>()
                        .expect("a time"),
                )
                .with_message(message()),
        )
        .with_artifacts([Artifact::new()
            .with_artifact_id("a")
            .with_parts(message().parts)])
        .with_history([message()]);
    let card = AgentCard::new()
        .with_name("n")
        .with_supported_interfaces([AgentInterface::new()
            .with_url("https://agent.example.com")
            .with_protocol_binding("JSONRPC")
            .with_protocol_version("1.0")]);
    for (name, json) in [
        ("Message", written(message())),
        ("Task", written(task.clone())),
        ("StreamResponse", written(StreamResponse::task(task))),
        // What a newer version adds is ignored.
        ("Part", json!({ "text": "x", "newer": true })),
        ("Part", json!({ "data": null })),
    ] {
        let validator = validator(&schema, name);
        let faults: Vec<String> = validator
            .iter_errors(&json)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{name} {json} {faults:?}");
    }
    let mut card = written(card);
    card["capabilities"] = json!({});
    card["description"] = json!("d");
    assert!(validator(&schema, "AgentCard").is_valid(&card), "{card}");
}

#[test]
fn broken_messages_are_not() {
    let schema = document("1.0", "json-schema");
    let part = json!({ "text": "x" });
    let whole = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [part] });
    assert!(validator(&schema, "Message").is_valid(&whole));
    for (name, broken) in [
        ("Message", json!({ "role": "ROLE_USER", "parts": [part] })),
        (
            "Message",
            json!({ "messageId": "m", "role": "user", "parts": [part] }),
        ),
        (
            "Message",
            json!({ "messageId": 1, "role": "ROLE_USER", "parts": [part] }),
        ),
        (
            "Message",
            json!({ "messageId": "m", "role": "ROLE_USER", "parts": part }),
        ),
        (
            "Message",
            json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": 1 }] }),
        ),
        ("Part", json!({ "text": "x", "url": "u" })),
        ("Part", json!({ "filename": "x" })),
        ("Part", json!({ "raw": "no base64!" })),
        ("StreamResponse", json!({ "task": [], "message": whole })),
        (
            "TaskStatus",
            json!({ "state": "TASK_STATE_WORKING", "timestamp": "yesterday" }),
        ),
        (
            "ListTasksResponse",
            json!({ "tasks": [], "nextPageToken": "", "pageSize": 1.5, "totalSize": 0 }),
        ),
        ("Task", json!([])),
    ] {
        assert!(
            !validator(&schema, name).is_valid(&broken),
            "{name} {broken}"
        );
    }
}

#[test]
fn openapi_has_every_route_with_what_it_takes_and_answers() {
    let document = document("1.0", "openapi");
    let paths = document["paths"].as_object().expect("paths");
    let mut ids = Vec::new();
    for (path, item) in paths {
        for (verb, operation) in item.as_object().expect("operations") {
            ids.push(operation["operationId"].as_str().expect("an id").to_owned());
            assert!(operation["responses"]["200"].is_object(), "{verb} {path}");
            // Every part of the path is a parameter.
            let inside: Vec<&str> = path
                .split('{')
                .skip(1)
                .filter_map(|part| part.split('}').next())
                .collect();
            let parameters = operation["parameters"].as_array().expect("parameters");
            let named: Vec<&str> = parameters
                .iter()
                .filter(|parameter| parameter["in"] == "path")
                .filter_map(|parameter| parameter["name"].as_str())
                .collect();
            assert_eq!(inside, named, "{verb} {path}");
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    let send = &paths["/message:send"]["post"];
    let body = &send["requestBody"]["content"];
    assert_eq!(
        body["application/a2a+json"]["schema"]["$ref"],
        "#/components/schemas/SendMessageRequest"
    );
    assert_eq!(body["application/json"], body["application/a2a+json"]);
    let stream = &paths["/message:stream"]["post"]["responses"]["200"]["content"];
    assert!(stream["text/event-stream"].is_object());
    // What stands in the path is asked for nowhere else.
    let cancel = &paths["/{tenant}/tasks/{id}:cancel"]["post"]["requestBody"]["content"];
    let properties = &cancel["application/json"]["schema"]["properties"];
    assert!(
        properties["metadata"].is_object() && properties["id"].is_null(),
        "{properties}"
    );
    let query: Vec<&str> = paths["/tasks"]["get"]["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .filter(|parameter| parameter["in"] == "query")
        .filter_map(|parameter| parameter["name"].as_str())
        .collect();
    assert!(
        query.contains(&"pageSize") && query.contains(&"contextId"),
        "{query:?}"
    );
}

#[test]
fn services_of_ones_own_have_documents_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let proto = folder.path().join("shop.proto");
    std::fs::write(
        &proto,
        "syntax = \"proto3\"; package shop; message Order { int64 id = 1; bytes seal = 2; map<int32, double> prices = 3; oneof way { string post = 4; bool pickup = 5; } }",
    )
    .expect("a file");
    let schema = document(proto.to_str().expect("text"), "json-schema");
    let order = validator(&schema, "Order");
    for (json, valid) in [
        (
            json!({ "id": "12", "prices": { "1": 2.5, "-2": "NaN" }, "post": "x" }),
            true,
        ),
        (json!({}), true),
        (json!({ "id": 12 }), false),
        (json!({ "prices": { "a": 1 } }), false),
        (json!({ "post": "x", "pickup": true }), false),
        // Without a profile that says otherwise, unknown members are refused.
        (json!({ "other": 1 }), false),
    ] {
        assert_eq!(order.is_valid(&json), valid, "{json}");
    }
}

#[test]
fn what_is_asked_for_must_make_sense() {
    for (arguments, says) in [
        (
            &["--from", "1.0", "--emit", "openapi,markdown"][..],
            "one at a time",
        ),
        (&["--from", "1.0", "--emit", "adapter"], "[[adapter]]"),
        (
            &["--from", "1.0", "--emit", "markdown", "--check"],
            "--check needs --out",
        ),
        (&["--emit", "markdown"], "--from"),
    ] {
        let (code, _, err) = generate(arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(err.contains(says), "{err}");
    }
}

#[test]
fn a_file_is_written_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("api.json");
    let path = path.to_str().expect("text");
    let arguments = ["--from", "1.0", "--emit", "openapi", "--out", path];
    let check = [&arguments[..], &["--check"]].concat();
    let (code, out, _) = generate(&check);
    assert_eq!(code, 6, "{out}");
    assert_eq!(printed(&arguments), format!("wrote {path}\n"));
    assert_eq!(printed(&check), format!("{path} is current\n"));
}

#[test]
fn documents_are_outputs_of_a2a_toml_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write(
        "shop.proto",
        "syntax = \"proto3\"; package shop; message Order { string id = 1; }",
    );
    let config = folder.path().join("a2a.toml");
    let config = config.to_str().expect("text");
    let api = "[[api]]\nprotos = [\"shop.proto\"]\nincludes = [\".\"]\n";
    write(
        "a2a.toml",
        &format!(
            "{api}[[api.output]]\npath = \"shop.md\"\nemit = [\"markdown\"]\n[[api.output]]\npath = \"shop.rs\"\nemit = [\"messages\"]\n"
        ),
    );
    assert_eq!(
        printed(&["--config", config]),
        "wrote shop.md\nwrote shop.rs\n"
    );
    let page = std::fs::read_to_string(folder.path().join("shop.md")).expect("a page");
    assert!(
        page.contains("### Order") && page.contains("| `id` | string |"),
        "{page}"
    );
    write(
        "a2a.toml",
        &format!("{api}[[api.output]]\npath = \"x\"\nemit = [\"markdown\", \"messages\"]\n"),
    );
    let (code, _, err) = generate(&["--config", config]);
    assert_eq!(code, 1);
    assert!(err.contains("mixes a document"), "{err}");
}

#[test]
fn code_is_generated_without_an_a2a_toml() {
    let messages = printed(&["--from", "1.0", "--emit", "messages"]);
    assert!(messages.contains("pub struct Task ") && !messages.contains("trait A2aService"));
    let server = printed(&["--from", "1.0", "--emit", "server"]);
    assert!(server.contains("pub trait A2aService") && !server.contains("struct A2aServiceClient"));
    let client = printed(&["--from", "1.0", "--emit", "client"]);
    assert!(client.contains("struct A2aServiceClient"));
}
