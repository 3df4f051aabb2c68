//! Every command against the echo agent, over every binding, in both versions.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Served, card, command, json as answer, peer, run, text};

const WAYS: [[&str; 4]; 6] = [
    ["--binding", "jsonrpc", "--protocol-version", "1.0"],
    ["--binding", "rest", "--protocol-version", "1.0"],
    ["--binding", "grpc", "--protocol-version", "1.0"],
    ["--binding", "jsonrpc", "--protocol-version", "0.3"],
    ["--binding", "rest", "--protocol-version", "0.3"],
    ["--binding", "grpc", "--protocol-version", "0.3"],
];

fn document(out: &str) -> Value {
    assert_eq!(out.lines().count(), 1, "{out}");
    serde_json::from_str(out).expect("one document")
}

fn task_id(document: &Value) -> String {
    document["task"]["id"].as_str().expect("a task").to_owned()
}

#[test]
fn a_message_is_answered_over_every_binding_in_both_versions() {
    let agent = Served::echo(&[]);
    for way in WAYS {
        let (code, out, err) = run(&[&["send", &agent.url, "hello", "there"][..], &way].concat());
        assert_eq!((code, out.as_str()), (0, "hello there\n"), "{way:?} {err}");
        assert!(err.contains("completed"), "{way:?} {err}");
        assert!(!err.contains('\u{1b}') && !out.contains('\u{1b}'), "{err}");
        let (code, out, err) = run(&[&["send", &agent.url, "hello", "--json"][..], &way].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{way:?}");
        let json = document(&out);
        assert_eq!(json["task"]["artifacts"][0]["parts"][0]["text"], "hello");
        assert_eq!(json["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    }
}

#[test]
fn exit_codes_say_how_the_task_stands() {
    let agent = Served::echo(&[]);
    for (said, code) in [
        ("hello", 0),
        ("message hello", 0),
        ("fail", 3),
        ("reject", 3),
        ("input", 4),
        ("auth", 4),
    ] {
        for verb in ["send", "stream"] {
            let (found, _, err) = run(&[verb, &agent.url, said]);
            assert_eq!(found, code, "{verb} {said}: {err}");
            let (found, out, err) = run(&[verb, &agent.url, said, "--json"]);
            assert_eq!((found, err.as_str()), (code, ""), "{verb} {said} as JSON");
            for line in out.lines() {
                let _: Value = serde_json::from_str(line).expect("JSON");
            }
        }
    }
    let (code, out, err) = run(&["get", &agent.url, "nothing"]);
    assert_eq!((code, out.as_str()), (5, ""));
    assert!(err.contains("TaskNotFoundError, -32001"), "{err}");
    let (code, out, _) = run(&["get", &agent.url, "nothing", "--json"]);
    assert_eq!(code, 5);
    assert_eq!(document(&out)["error"]["reason"], "TASK_NOT_FOUND");
}

#[test]
fn nobody_there_is_a_fault_and_not_the_agents_error() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", port.local_addr().expect("an address"));
    drop(port);
    let (code, _, err) = run(&["send", &url, "hello"]);
    assert_eq!(code, 1, "{err}");
    let (code, _, err) = run(&["send", &url]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("nothing to send"), "{err}");
}

#[test]
fn the_command_that_is_printed_answers_the_question() {
    let agent = Served::echo(&[]);
    for way in WAYS {
        let (code, _, err) =
            run(&[&["send", &agent.url, "input For which region?"][..], &way].concat());
        assert_eq!(code, 4, "{err}");
        assert!(err.contains("input required: For which region?"), "{err}");
        let line = err
            .lines()
            .find_map(|line| line.strip_prefix("  cargo a2a "))
            .expect("a command");
        let words: Vec<&str> = line
            .strip_suffix(" 'YOUR ANSWER'")
            .expect("a place for the answer")
            .split(' ')
            .collect();
        let (code, out, err) = run(&[&words[..], &["South China"]].concat());
        assert_eq!((code, out.as_str()), (0, "South China\n"), "{err}");
    }
}

#[test]
fn a_stream_is_shown_piece_by_piece() {
    let agent = Served::echo(&[]);
    for way in WAYS {
        let (code, out, err) = run(&[&["stream", &agent.url, "stream 5"][..], &way].concat());
        assert_eq!((code, out.as_str()), (0, "1 2 3 4 5\n"), "{way:?}");
        assert!(err.contains("working: Writing 5 pieces"), "{err}");
        let (code, out, _) =
            run(&[&["stream", &agent.url, "stream 5", "--json"][..], &way].concat());
        assert_eq!(code, 0);
        let pieces = out
            .lines()
            .filter(|line| line.starts_with("{\"artifactUpdate\""));
        assert_eq!(pieces.count(), 5, "{way:?} {out}");
    }
}

#[test]
fn files_and_data_go_both_ways() {
    let agent = Served::echo(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let sent = folder.path().join("report.pdf");
    std::fs::write(&sent, b"%PDF \x00\xff").expect("a file");
    let saved = folder.path().join("saved");
    let (sent, saved_in) = (sent.to_str().expect("text"), saved.to_str().expect("text"));
    for way in WAYS {
        let arguments = ["send", &agent.url, "--file", sent, "--save", saved_in];
        let (code, out, err) = run(&[&arguments[..], &way].concat());
        assert_eq!((code, out.as_str()), (0, ""), "{err}");
        assert!(err.contains("saved "), "{err}");
    }
    let mut names: Vec<String> = std::fs::read_dir(&saved)
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), WAYS.len());
    assert_eq!(names[0], "report-2.pdf");
    for name in names {
        let bytes = std::fs::read(saved.join(name)).expect("a file");
        assert_eq!(bytes, b"%PDF \x00\xff");
    }
    let (code, out, err) = run(&["send", &agent.url, "--data", r#"{"b":[1,2.5],"a":null}"#]);
    assert_eq!(code, 0, "{err}");
    let data: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(data, json!({ "a": null, "b": [1, 2.5] }));
    let (code, _, err) = run(&["send", &agent.url, "--data", "{"]);
    assert_eq!(code, 2);
    assert!(err.contains("--data is no JSON"), "{err}");
    // Without a folder, a file is named.
    let (_, out, err) = run(&["send", &agent.url, "file"]);
    assert_eq!(out, "");
    assert!(
        err.contains("file echo.txt (text/plain), 25 bytes; --save"),
        "{err}"
    );
}

#[test]
fn standard_input_is_sent() {
    let agent = Served::echo(&[]);
    let mut child = command(&["send", &agent.url, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("piped");
    stdin
        .write_all("from a pipe\n".as_bytes())
        .expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stdout), "from a pipe\n");
}

#[test]
fn tasks_are_read_listed_watched_and_canceled() {
    let agent = Served::echo(&[]);
    let url = agent.url.as_str();
    let (code, out, _) = run(&["send", url, "slow 60", "--no-wait", "--json"]);
    assert_eq!(code, 0);
    let slow = task_id(&document(&out));
    let (_, out, _) = run(&["send", url, "done", "--json"]);
    let done = task_id(&document(&out));

    let (code, out, err) = run(&["get", url, &done]);
    assert_eq!((code, out.as_str()), (0, "done\n"), "{err}");
    let (code, out, _) = run(&["get", url, &done, "--json", "--history", "0"]);
    assert_eq!((code, document(&out)["history"].is_null()), (0, true));

    let (code, out, _) = run(&["list", url, "--status", "completed"]);
    assert_eq!(code, 0);
    assert!(out.contains(&done) && !out.contains(&slow), "{out}");
    let (_, out, err) = run(&["list", url, "--page-size", "1"]);
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(
        err.contains("2 tasks in all") && err.contains("--page-token"),
        "{err}"
    );
    let (_, out, _) = run(&["list", url, "--page-size", "1", "--all", "--json"]);
    assert_eq!(document(&out)["tasks"].as_array().map(Vec::len), Some(2));
    // There is no such operation in 0.3.
    let (code, _, err) = run(&["list", url, "--protocol-version", "0.3"]);
    assert_eq!(code, 5, "{err}");

    let (code, _, err) = run(&["cancel", url, &slow]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("canceled"), "{err}");
    let (code, _, err) = run(&["subscribe", url, &slow]);
    assert_eq!(code, 3, "{err}");
    let (code, _, err) = run(&["cancel", url, &done]);
    assert_eq!(code, 5);
    assert!(err.contains("TaskNotCancelableError"), "{err}");
}

#[test]
fn webhooks_are_registered_read_and_removed() {
    let agent = Served::echo(&[]);
    let url = agent.url.as_str();
    let (_, out, _) = run(&["send", url, "input", "--json"]);
    let task = task_id(&document(&out));
    let hook = "https://hooks.example.com/a2a";
    let (code, out, err) = run(&[
        "push",
        "set",
        url,
        &task,
        hook,
        "--id",
        "c1",
        "--token",
        "s3cret",
        "--authentication",
        "Bearer s3cret",
    ]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        out,
        format!("c1  {hook}  with a token  with Bearer credentials\n")
    );
    let (_, out, _) = run(&["push", "get", url, &task, "c1", "--json"]);
    assert_eq!(document(&out)["token"], "s3cret");
    let (_, out, _) = run(&["push", "list", url, &task]);
    assert!(out.starts_with("c1  ") && !out.contains("s3cret"), "{out}");
    let (code, _, _) = run(&["push", "delete", url, &task, "c1"]);
    assert_eq!(code, 0);
    let (_, out, _) = run(&["push", "list", url, &task, "--json"]);
    assert!(
        document(&out)["configs"]
            .as_array()
            .is_none_or(Vec::is_empty),
        "{out}"
    );
}

#[test]
fn the_wire_is_shown_without_its_secrets() {
    let agent = Served::echo(&[]);
    let url = agent.url.as_str();
    for way in WAYS {
        let arguments = [
            "send",
            url,
            "hello",
            "-v",
            "--bearer",
            "s3cret",
            "--header",
            "X-Trace: t1",
            "--api-key",
            "query:key=s3cret",
        ];
        let (code, out, err) = run(&[&arguments[..], &way].concat());
        assert_eq!((code, out.as_str()), (0, "hello\n"), "{err}");
        assert!(!err.contains("s3cret"), "{err}");
        for part in [
            "> authorization: Bearer ***",
            "> x-trace: ***",
            "key=***",
            "< 200",
        ] {
            assert!(err.contains(part), "{part} {err}");
        }
        assert!(err.contains("hello"), "{err}");
    }
}

#[test]
fn a_proxy_serves_an_agent_of_the_other_version_and_logs_each_call() {
    let agent = Served::echo(&["--versions", "0.3", "--bindings", "jsonrpc"]);
    let mut proxy = Served::start(&["proxy", "--upstream", &agent.url, "--listen", "127.0.0.1:0"]);
    let url = proxy.url.clone();
    for way in WAYS {
        let (code, out, err) = run(&[&["send", &url, "hello"][..], &way].concat());
        assert_eq!((code, out.as_str()), (0, "hello\n"), "{way:?} {err}");
        let line = proxy.line();
        let binding = match way[1] {
            "rest" => "HTTP+JSON",
            "grpc" => "GRPC",
            _ => "JSONRPC",
        };
        assert!(
            line.starts_with(&format!("SendMessage {binding} {} ", way[3])),
            "{line}"
        );
        assert!(line.trim_end().ends_with(" ms ok"), "{line}");
    }
    let (code, _, _) = run(&["get", &url, "nothing"]);
    assert_eq!(code, 5);
    assert!(proxy.line().contains("TASK_NOT_FOUND"));
}

#[test]
fn tenants_and_extensions_are_sent() {
    let agent = Served::echo(&[]);
    for way in &WAYS[..3] {
        let arguments = ["send", &agent.url, "hello", "--tenant", "acme"];
        let (code, _, err) = run(&[&arguments[..], way].concat());
        // The echo agent has none, and says so.
        assert_eq!(code, 5, "{way:?} {err}");
        assert!(err.contains("tenant"), "{way:?} {err}");
        let arguments = ["send", &agent.url, "hello", "-v", "--extension", "urn:x"];
        let (code, _, err) = run(&[&arguments[..], way].concat());
        assert_eq!(code, 0, "{err}");
        assert!(err.contains("> a2a-extensions: urn:x"), "{way:?} {err}");
    }
}

/// An agent whose card says where a key belongs, and that answers who has it there.
#[test]
fn a_key_goes_where_the_card_says() {
    let url = peer(|request, out| {
        if request.starts_with("GET") {
            let mut card: Value = serde_json::from_str(&card(request)).expect("a card");
            card["securitySchemes"] = json!({ "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Own-Key" } } });
            card["securityRequirements"] = json!([{ "schemes": { "key": { "list": [] } } }]);
            return answer(out, &card.to_string());
        }
        let (head, body) = request.split_once("\r\n\r\n").expect("a body");
        let call: Value = serde_json::from_str(body).expect("a call");
        let has = head.to_ascii_lowercase().contains("x-own-key: s3cret");
        let said = if has { "with the key" } else { "without a key" };
        let message =
            json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": said }] });
        let result =
            json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "message": message } });
        answer(out, &result.to_string());
    });
    let (code, out, err) = run(&["send", &url, "hello", "--api-key", "s3cret", "-v"]);
    assert_eq!((code, out.as_str()), (0, "with the key\n"), "{err}");
    assert!(
        !err.contains("s3cret") && err.contains("> x-own-key: ***"),
        "{err}"
    );
    let (_, out, _) = run(&["send", &url, "hello"]);
    assert_eq!(out, "without a key\n");
}

/// Some agents answer at once although nobody said that they may.
#[test]
fn an_agent_that_still_works_is_waited_for() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let url = peer(move |request, out| {
        if request.starts_with("GET") {
            let mut card: Value = serde_json::from_str(&card(request)).expect("a card");
            card["capabilities"] = json!({});
            return answer(out, &card.to_string());
        }
        let body = request.split_once("\r\n\r\n").expect("a body").1;
        let call: Value = serde_json::from_str(body).expect("a call");
        let before = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let task = |state: &str| json!({ "id": "t1", "contextId": "c1", "status": { "state": state }, "artifacts": [{ "artifactId": "a", "parts": [{ "text": "the result" }] }] });
        let result = match call["method"].as_str() {
            Some("SendMessage") => json!({ "task": task("TASK_STATE_WORKING") }),
            _ if before < 3 => task("TASK_STATE_WORKING"),
            _ => task("TASK_STATE_FAILED"),
        };
        answer(
            out,
            &json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }).to_string(),
        );
    });
    let (code, out, err) = run(&["send", &url, "hello"]);
    assert_eq!((code, out.as_str()), (3, "the result\n"), "{err}");
    let (code, out, err) = run(&["send", &url, "hello", "--no-wait"]);
    assert_eq!((code, out.as_str()), (0, "the result\n"), "{err}");
    assert!(err.contains("cargo a2a subscribe"), "{err}");
}

#[test]
fn a_proxy_serves_an_agent_of_one_binding_over_all() {
    let agent = Served::echo(&["--versions", "1.0", "--bindings", "grpc"]);
    let proxy = Served::start(&["proxy", "--upstream", &agent.url, "--listen", "127.0.0.1:0"]);
    for way in WAYS {
        let (code, out, err) = run(&[&["stream", &proxy.url, "stream 3"][..], &way].concat());
        assert_eq!((code, out.as_str()), (0, "1 2 3\n"), "{way:?} {err}");
    }
    // The card that is asked for by name names the proxy, too.
    let (code, out, err) = run(&["extended-card", &proxy.url, "--json"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains(&proxy.url) && !out.contains(agent.url.trim_start_matches("http://")),
        "{out}"
    );
}
