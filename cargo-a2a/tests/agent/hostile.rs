//! Agents that mean harm: to the terminal, to the disk, to memory.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::json;

use super::{a2a, answering, card, command, json, peer, run};

/// Characters that a terminal would obey.
const EVIL: &str = "a\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\r\u{202e}b";

fn is_tame(text: &str) -> bool {
    text.chars().all(|letter| {
        letter == '\n' || letter == '\t' || !(letter.is_control() || letter == '\u{202e}')
    })
}

fn completed(parts: &serde_json::Value) -> serde_json::Value {
    json!({ "result": { "task": {
        "id": EVIL, "contextId": EVIL,
        "status": { "state": "TASK_STATE_COMPLETED", "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": EVIL }] } },
        "artifacts": [{ "artifactId": "a", "name": EVIL, "parts": parts }],
    }}})
}

#[test]
fn nothing_that_an_agent_writes_is_obeyed_by_a_terminal() {
    let url = answering(|| {
        completed(&json!([
            { "text": EVIL },
            { "data": { EVIL: EVIL } },
            { "url": EVIL, "filename": EVIL, "mediaType": EVIL },
            { "raw": "AAAA", "filename": EVIL, "mediaType": EVIL },
        ]))
    });
    for more in [&[][..], &["--json"], &["-v"]] {
        let (code, out, err) = run(&[&["send", &url, "hello"][..], more].concat());
        assert_eq!(code, 0, "{err}");
        assert!(is_tame(&out), "{more:?} {out:?}");
        assert!(is_tame(&err), "{more:?} {err:?}");
        assert!(out.contains("owned"), "{out}");
    }
    let url = answering(|| json!({ "error": { "code": -32001, "message": EVIL } }));
    for more in [&[][..], &["--json"]] {
        let (code, out, err) = run(&[&["get", &url, "t1"][..], more].concat());
        assert_eq!(code, 5, "{err}");
        assert!(is_tame(&out) && is_tame(&err), "{out:?} {err:?}");
    }
    // The command that is printed is made of the agent's words, too.
    let url = answering(|| {
        json!({ "result": { "task": {
            "id": "t'; touch owned; '", "contextId": "c", "status": { "state": "TASK_STATE_INPUT_REQUIRED" },
        }}})
    });
    let (code, _, err) = run(&["send", &url, "hello"]);
    assert_eq!(code, 4);
    assert!(
        err.contains(r"--task 't'\''; touch owned; '\''' 'YOUR ANSWER'"),
        "{err}"
    );
}

#[test]
fn files_stay_in_their_folder_whatever_they_are_called() {
    let names = [
        "../../x",
        "/etc/x",
        "..\\..\\x",
        "..",
        ".bashrc",
        "a\u{0}b",
        "-rf",
    ];
    let parts: Vec<_> = names
        .iter()
        .map(|name| json!({ "raw": "AAAA", "filename": name }))
        .collect();
    let url = answering(move || completed(&json!(parts)));
    let above = tempfile::tempdir().expect("a folder");
    let folder = above.path().join("a/b");
    let (code, _, err) = run(&[
        "send",
        &url,
        "hello",
        "--save",
        folder.to_str().expect("text"),
    ]);
    assert_eq!(code, 0, "{err}");
    let count = |path: &std::path::Path| std::fs::read_dir(path).expect("a folder").count();
    assert_eq!(count(&folder), names.len());
    assert_eq!(count(above.path()), 1);
    assert_eq!(count(&above.path().join("a")), 1);
}

#[test]
fn megabytes_in_an_error_are_a_few_lines() {
    let url = answering(|| json!({ "error": { "code": -32603, "message": "x".repeat(5 << 20) } }));
    let output = a2a(&["get", &url, "t1"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(output.stderr.len() < 10_000, "{}", output.stderr.len());
    let url = peer(|request, out| {
        if request.starts_with("GET") {
            return json(out, &card(request));
        }
        let body = "<p>".repeat(1 << 20);
        let _ = write!(
            out,
            "HTTP/1.1 502 Bad Gateway\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
    });
    let output = a2a(&["get", &url, "t1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.len() < 10_000, "{}", output.stderr.len());
}

#[test]
fn a_huge_card_is_refused() {
    let url = peer(|_, out| {
        let _ = write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{{\"name\":\""
        );
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..50 {
            if out.write_all(&piece).is_err() {
                return;
            }
        }
    });
    for arguments in [
        &["card", &url][..],
        &["card", &url, "--raw"],
        &["card", "lint", &url],
        &["send", &url, "x"],
    ] {
        let output = a2a(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            output.stdout.is_empty() && output.stderr.len() < 2000,
            "{arguments:?}"
        );
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("larger than"), "{err}");
    }
}

/// The command reads it in little memory and until the user has enough: here, until the pipe is
/// closed.
#[test]
fn an_endless_stream_ends_when_the_reader_does() {
    let url = peer(|request, out| {
        if request.starts_with("GET") {
            return json(out, &card(request));
        }
        let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let call: serde_json::Value = serde_json::from_str(body).expect("a call");
        let _ = write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        );
        let event = |result: serde_json::Value| {
            let event = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result });
            format!("data: {event}\n\n")
        };
        let task = json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } });
        let piece = event(json!({ "artifactUpdate": {
            "taskId": "t", "contextId": "c", "append": true,
            "artifact": { "artifactId": "a", "parts": [{ "text": "x".repeat(1000) }] },
        }}));
        let mut next = event(task);
        while out.write_all(next.as_bytes()).is_ok() {
            next.clone_from(&piece);
        }
    });
    let mut child = command(&["stream", &url, "hello"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut read = 0;
    while read < 20 << 20 {
        let piece = out.fill_buf().expect("more").len();
        assert_ne!(piece, 0, "it has ended");
        out.consume(piece);
        read += piece;
    }
    #[cfg(target_os = "linux")]
    {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok())
            .expect("its memory");
        assert!(peak < 120_000, "{peak} kB");
    }
    drop(out);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.len() < 2000,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
