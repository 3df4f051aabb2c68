//! The committed case files, and the runner as it is called.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cases::Sums;
use serde_json::{Value, json};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(name)
}

fn run(name: &str) -> (Sums, String) {
    let mut out = Vec::new();
    let sums = cases::run(&[data(name)], false, &mut out).unwrap();
    (sums, String::from_utf8(out).unwrap())
}

#[test]
fn the_sample_passes() {
    let (sums, out) = run("transcoding.json");
    let expected = Sums {
        passed: 169,
        failed: 0,
    };
    assert_eq!(sums, expected, "{out}");
}

#[test]
fn every_committed_file_passes() {
    let files = std::fs::read_dir(data(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut passed = 0;
    for name in files {
        let (sums, out) = run(&name);
        assert_eq!(sums.failed, 0, "{name}: {out}");
        passed += sums.passed;
    }
    assert!(passed > 1700, "{passed} cases");
}

/// The cases that this repository's `versions.json` was made from, where they are at hand.
#[test]
fn the_cases_of_two_versions_pass_as_they_were_given() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/version_mapping.json");
    if !path.exists() {
        eprintln!("not run: ../shared/cases/version_mapping.json is not there");
        return;
    }
    let mut out = Vec::new();
    let sums = cases::run(&[&path], false, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    // Three other cases say of the same version, 0.3.0, that cutting its patch digit loses nothing.
    let known = "FAIL card-sth-up: expected the losses {\"U5\", \"U6\"} got {\"U5\"}";
    let failed: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("FAIL"))
        .collect();
    assert_eq!(failed, [known]);
    assert_eq!(sums.passed, 156);
}

fn call(arguments: &[&Path]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_cases"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// The sample's protos with other cases.
fn file(folder: &Path, name: &str, cases: &Value) -> PathBuf {
    let mut sample: Value =
        serde_json::from_slice(&std::fs::read(data("transcoding.json")).unwrap()).unwrap();
    sample["cases"] = cases.clone();
    let path = folder.join(name);
    std::fs::write(&path, sample.to_string()).unwrap();
    path
}

fn get(id: &str, proto: &str, path: &str, expect: &Value) -> Value {
    json!({"id": id, "proto": proto, "direction": "server-decode", "request": {"method": "GET", "path": path, "query": "", "headers": {}, "body": null}, "expect": expect})
}

#[test]
fn a_failing_case_has_a_line_and_status_1() {
    let folder = tempfile::tempdir().unwrap();
    let right = json!({"rpc": "GetTask", "message_json": {"id": "t1"}});
    let cases = json!([
        get("right", "a2a-v1", "/tasks/t1", &right),
        get("value", "a2a-v1", "/tasks/t2", &right),
        get("method", "a2a-v1", "/tasks/t1:subscribe", &right),
        get("status", "a2a-v1", "/nope", &json!({"error": {"http_status": 400}})),
        get("allow", "a2a-v1", "/message:send", &json!({"error": {"http_status": 405, "allow": ["POST", "PUT"]}})),
        get("proto", "a2a-v7", "/tasks/t1", &right),
        get("old", "a2a-v0.3", "/v1/tasks/t1", &json!({"rpc": "GetTask", "message_json": {"name": "tasks/t2"}})),
        {"id": "sideways", "proto": "lib", "direction": "sideways", "expect": {}},
        {"id": "encode", "proto": "lib", "direction": "server-encode", "input": {"rpc": "GetBook", "response_text": "title:'x'"}, "expect": {"http_status": 200, "body_json": {"title": "y"}}},
        {"id": "no-method", "proto": "lib", "direction": "server-encode", "input": {"rpc": "Nope", "response_text": "{}"}, "expect": {"http_status": 200, "body_json": {}}},
        {"id": "taken", "proto": "rpc R(Req) returns (Res) { option (google.api.http) = { get:\"/x\" }; }", "direction": "codegen", "expect": {"error": {"http_status": 0}}},
        {"id": "method", "proto": "lib", "direction": "client-encode", "input": {"rpc": "GetNum", "message_json": {"num": "7"}}, "expect": {"request": {"method": "POST", "path": "/nums/7", "query": "", "body": null}}},
        {"id": "path", "proto": "lib", "direction": "client-encode", "input": {"rpc": "GetNum", "message_json": {"num": "7"}}, "expect": {"request": {"method": "GET", "path": "/nums/8", "query": "", "body": null}}},
        {"id": "query", "proto": "lib", "direction": "client-encode", "input": {"rpc": "Search", "message_json": {"tag": ["a", "b"]}}, "expect": {"request": {"method": "GET", "path": "/search", "query": "tag=b&tag=a", "body": null}}},
        {"id": "body", "proto": "lib", "direction": "client-encode", "input": {"rpc": "PutTags", "message_json": {"id": "x", "tags": ["a"]}}, "expect": {"request": {"method": "PUT", "path": "/tags/x", "query": "", "body": ["b"]}}},
        {"id": "no-body", "proto": "lib", "direction": "client-encode", "input": {"rpc": "GetNum", "message_json": {"num": "7"}}, "expect": {"request": {"method": "GET", "path": "/nums/7", "query": "", "body": {}}}},
        {"id": "sent", "proto": "lib", "direction": "client-encode", "input": {"rpc": "GetNum", "message_json": {"num": "7"}}, "expect": {"error": {"http_status": 0}}},
        {"id": "no-message", "proto": "lib", "direction": "client-encode", "input": {"rpc": "GetNum", "message_json": {"num": "x"}}, "expect": {"error": {"http_status": 0}}},
        {"id": "old-sent", "proto": "a2a-v0.3", "direction": "client-encode", "input": {"rpc": "GetTask", "message_json": {"name": "tasks/a"}}, "expect": {"error": {"http_status": 0}}},
        {"id": "up", "direction": "0.3->1.0", "encoding": "json-schema", "type": "Part", "input": {"kind": "text", "text": "a"}, "expected": {"text": "b"}, "loss": []},
        {"id": "loss", "direction": "1.0->0.3", "encoding": "json-schema", "type": "Part", "input": {"text": "a", "filename": "f"}, "expected": {"kind": "text", "text": "a"}, "loss": []},
        {"id": "bytes", "direction": "0.3->1.0", "encoding": "protobuf", "type": "GetTaskRequest", "input": {"name": "tasks/t"}, "input_b64": "Cgd0YXNrcy90", "expected": {"id": "t"}, "expected_b64": "EgF1", "loss": []},
        {"id": "valid", "direction": "0.3->1.0", "encoding": "json-schema", "type": "Part", "input": {"text": "a"}, "input_schema_valid": true, "expected": {"text": "a"}, "loss": []},
        {"id": "refused", "direction": "0.3->1.0", "encoding": "json-schema", "type": "Part", "input": {"kind": "text", "text": "a"}, "expected_error": {}, "loss": []},
        {"id": "kind", "direction": "0.3->1.0", "encoding": "json-schema", "type": "Purt", "input": {}, "expected": {}, "loss": []},
        {"id": "option", "direction": "0.3->1.0", "encoding": "json-schema", "type": "Part", "input": {}, "options": {"colour": true}, "expected": {}, "loss": []},
        {"id": "called", "direction": "0.3->1.0", "encoding": "jsonrpc", "type": "method", "input": "tasks/get", "expected": "GetTusk", "loss": []},
        {"id": "code", "direction": "1.0->0.3", "encoding": "http", "type": "route", "input": {"method": "GET", "path": "/tasks"}, "expected_error": {"jsonrpc": -32001}, "loss": []},
    ]);
    let (status, out, _) = call(&[&file(folder.path(), "cases.json", &cases)]);
    let lines: Vec<&str> = out.lines().collect();
    let starts = [
        "FAIL value: expected GetTask {\"id\":\"t1\"} got GetTask {\"id\":\"t2\"}",
        "FAIL method: expected GetTask {\"id\":\"t1\"} got SubscribeToTask {\"id\":\"t1\"}",
        "FAIL status: expected 400 got 404 (",
        "FAIL allow: expected 405 with Allow: POST, PUT got 405 with Allow: POST (",
        "FAIL proto: expected a known proto got \"a2a-v7\"",
        "FAIL old: expected GetTask {\"name\":\"tasks/t2\"} got GetTask {\"name\":\"tasks/t1\"}",
        "FAIL sideways: expected a case that can be run got another: unknown direction",
        "FAIL encode: expected 200 {\"title\":\"y\"} got 200 {\"title\":\"x\"}",
        "FAIL no-method: ",
        "FAIL taken: expected refused got accepted",
        "FAIL method: expected POST /nums/7 without a body got GET /nums/7 without a body",
        "FAIL path: expected GET /nums/8 without a body got GET /nums/7 without a body",
        "FAIL query: expected GET /search?tag=b&tag=a without a body got GET /search?tag=a&tag=b without a body",
        "FAIL body: expected PUT /tags/x [\"b\"] got PUT /tags/x [\"a\"]; at [0]: expected \"b\" got \"a\"",
        "FAIL no-body: expected GET /nums/7 {} got GET /nums/7 without a body",
        "FAIL sent: expected refused got GET /nums/7 without a body",
        "FAIL no-message: expected refused got {\"num\":\"x\"}, which is no ex.NumReq: num: expected a whole number",
        "FAIL old-sent: expected refused got GET /v1/tasks/a without a body",
        "FAIL up: expected {\"text\":\"b\"} got {\"text\":\"a\"}; at text: expected \"b\" got \"a\"",
        "FAIL loss: expected the losses {} got {\"D2\"}",
        "FAIL bytes: expected the bytes [12, 01, 75] got [12, 01, 74]",
        "FAIL valid: expected {\"text\":\"a\"} got an input whose validity is false",
        "FAIL refused: expected refused got {\"text\":\"a\"}",
        "FAIL kind: expected {} got a type \"Purt\", which this runner does not know in JSON",
        "FAIL option: expected a case that can be run got another: an option `colour` of true",
        "FAIL called: expected \"GetTusk\" got \"GetTask\"",
        "FAIL code: expected Some(-32001) got Some(-32004) (",
    ];
    assert_eq!(lines.len(), starts.len() + 1, "{out}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}\n{start}");
    }
    assert_eq!(lines.last(), Some(&"1 passed, 27 failed"));
    assert_eq!(status, 1);
}

#[test]
fn what_passes_is_told_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let cases = json!([
        get(
            "right",
            "a2a-v1",
            "/tasks/t1",
            &json!({"rpc": "GetTask", "message_json": {"id": "t1"}})
        ),
        {"id": "up", "direction": "0.3->1.0", "encoding": "jsonrpc", "type": "method", "input": "tasks/get", "expected": "GetTask", "loss": []},
    ]);
    let path = file(folder.path(), "cases.json", &cases);
    let (status, out, _) = call(&[&path]);
    assert_eq!((status, out.as_str()), (0, "2 passed, 0 failed\n"));
    let (status, out, _) = call(&[Path::new("--verbose"), &path, &path]);
    let lines = "pass right\npass up\n";
    assert_eq!(
        (status, out),
        (0, format!("{lines}{lines}4 passed, 0 failed\n"))
    );
}

#[test]
fn a_file_that_cannot_be_run_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{").unwrap();
    for path in [
        folder.path().join("missing.json"),
        broken,
        folder.path().to_owned(),
    ] {
        let (status, out, error) = call(&[&data("transcoding.json"), &path]);
        assert_eq!((status, out.as_str()), (2, ""), "{}", path.display());
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }
    for arguments in [&[][..], &[Path::new("--nope")]] {
        let (status, out, error) = call(arguments);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(error.contains("usage: "), "{error}");
    }
}

#[test]
fn cases_for_another_proto_fail_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let case = get(
        "a",
        "lib",
        "/v1/shelves/new",
        &json!({"rpc": "NewShelfForm", "message_json": {}}),
    );
    let path = file(folder.path(), "cases.json", &json!([case]));
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("int32 rev = 2", "int64 rev = 2");
    std::fs::write(&path, text).unwrap();
    let (status, out, _) = call(&[&path]);
    assert_eq!(status, 1);
    assert!(
        out.contains("proto `lib` differs from the one that was compiled in")
            && out.contains("int64 rev"),
        "{out}"
    );
}
