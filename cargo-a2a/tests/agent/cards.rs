//! `cargo a2a card`, from the network and from files.

use serde_json::{Value, json};

use super::{Served, json as answer, peer, run};

/// A card without a fault, as a file.
fn whole() -> Value {
    json!({
        "name": "Checker", "description": "Checks.", "version": "1.0.0",
        "supportedInterfaces": [
            { "url": "https://agent.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "agent.example.com:443", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": true },
        "securitySchemes": { "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Key" } } },
        "securityRequirements": [{ "schemes": { "key": { "list": [] } } }],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain; charset=utf-8"],
        "skills": [{ "id": "check", "name": "Check", "description": "Checks.", "tags": ["risk"] }],
    })
}

/// A card of 0.3 without a fault.
fn old() -> Value {
    json!({
        "protocolVersion": "0.3.0", "name": "Checker", "description": "Checks.", "version": "1.0.0",
        "url": "https://agent.example.com/a2a", "preferredTransport": "JSONRPC",
        "additionalInterfaces": [
            { "url": "https://agent.example.com/a2a", "transport": "JSONRPC" },
            { "url": "https://agent.example.com/rest", "transport": "HTTP+JSON" },
        ],
        "capabilities": {},
        "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-Key" } },
        "security": [{ "key": [] }],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "check", "name": "Check", "description": "Checks.", "tags": ["risk"] }],
    })
}

/// A file, for as long as the test runs.
struct File(
    #[allow(dead_code, reason = "held, not read")] tempfile::TempDir,
    String,
);

impl File {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("card.json");
        std::fs::write(&path, text).expect("a file");
        let path = path.to_str().expect("text").to_owned();
        Self(folder, path)
    }
}

/// The findings in a card: rule, severity and place.
fn lint(card: &Value) -> (i32, Vec<(String, String, String)>) {
    let file = File::new(&card.to_string());
    let (code, out, err) = run(&["card", "lint", &file.1, "--json"]);
    assert_eq!(err, "");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let findings = json["findings"].as_array().expect("findings").iter();
    let text = |finding: &Value, name: &str| finding[name].as_str().expect("text").to_owned();
    let findings: Vec<_> = findings
        .map(|finding| {
            for name in ["message", "section", "hint"] {
                assert!(!text(finding, name).is_empty(), "{finding}");
            }
            (
                text(finding, "rule"),
                text(finding, "severity"),
                text(finding, "path"),
            )
        })
        .collect();
    (code, findings)
}

#[test]
fn cards_without_a_fault_have_none() {
    assert_eq!(lint(&whole()), (0, vec![]));
    assert_eq!(lint(&old()), (0, vec![]));
    let agent = Served::echo(&[]);
    let (code, out, err) = run(&["card", "lint", &agent.url]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (0, "", "0 faults, 0 warnings\n")
    );
}

/// Each rule finds what it is for, and nothing else is found.
#[test]
fn every_rule_finds_what_it_is_for() {
    type Change = fn(&mut Value);
    let new: [(Change, &str, &str, &str); 21] = [
        (
            |card| drop(card.as_object_mut().unwrap().remove("name")),
            "required",
            "fault",
            "name",
        ),
        (
            |card| {
                drop(
                    card["skills"][0]
                        .as_object_mut()
                        .unwrap()
                        .remove("description"),
                )
            },
            "required",
            "fault",
            "skills[0].description",
        ),
        (
            |card| card["skils"] = json!([]),
            "unknown-member",
            "warning",
            "skils",
        ),
        (
            |card| card["capabilities"]["flying"] = json!(true),
            "unknown-member",
            "warning",
            "capabilities.flying",
        ),
        (
            |card| card["version"] = json!([1]),
            "unreadable",
            "fault",
            "version",
        ),
        (
            |card| card["supportedInterfaces"] = json!([]),
            "no-interface",
            "fault",
            "supportedInterfaces",
        ),
        (
            |card| card["supportedInterfaces"][0]["url"] = json!("/a2a"),
            "absolute-url",
            "fault",
            "supportedInterfaces[0].url",
        ),
        (
            |card| card["supportedInterfaces"][0]["url"] = json!("http://agent.example.com"),
            "https",
            "fault",
            "supportedInterfaces[0].url",
        ),
        (
            |card| {
                card["supportedInterfaces"][0]["url"] =
                    json!("https://agent.example.com/message:send")
            },
            "operation-url",
            "fault",
            "supportedInterfaces[0].url",
        ),
        (
            |card| card["supportedInterfaces"][0]["protocolVersion"] = json!("1.0.1"),
            "version-format",
            "fault",
            "supportedInterfaces[0].protocolVersion",
        ),
        (
            |card| card["supportedInterfaces"][0]["protocolVersion"] = json!("v1"),
            "version-format",
            "fault",
            "supportedInterfaces[0].protocolVersion",
        ),
        (
            |card| card["supportedInterfaces"][0]["protocolBinding"] = json!("json-rpc"),
            "binding",
            "warning",
            "supportedInterfaces[0].protocolBinding",
        ),
        (
            |card| card["supportedInterfaces"][1] = card["supportedInterfaces"][0].clone(),
            "duplicate-interface",
            "warning",
            "supportedInterfaces[1]",
        ),
        (
            |card| card["supportedInterfaces"][1]["url"] = json!("https://agent.example.com/grpc"),
            "grpc-url",
            "warning",
            "supportedInterfaces[1].url",
        ),
        (
            |card| card["supportedInterfaces"][1]["url"] = json!("agent.example.com"),
            "grpc-url",
            "warning",
            "supportedInterfaces[1].url",
        ),
        (
            |card| card["skills"][0]["tags"] = json!([]),
            "tags",
            "warning",
            "skills[0].tags",
        ),
        (
            |card| card["skills"] = json!([]),
            "skills",
            "warning",
            "skills",
        ),
        (
            |card| {
                let skill = card["skills"][0].clone();
                card["skills"].as_array_mut().unwrap().push(skill);
            },
            "skill-id",
            "fault",
            "skills[1].id",
        ),
        (
            |card| card["defaultInputModes"] = json!(["text"]),
            "media-type",
            "fault",
            "defaultInputModes[0]",
        ),
        (
            |card| card["securitySchemes"]["other"] = card["securitySchemes"]["key"].clone(),
            "unused-scheme",
            "warning",
            "securitySchemes.other",
        ),
        (
            |card| card["capabilities"]["extensions"] = json!([{ "uri": "urn:a,b" }]),
            "extension-uri",
            "fault",
            "capabilities.extensions[0].uri",
        ),
    ];
    for (change, rule, severity, path) in new {
        let mut card = whole();
        change(&mut card);
        let (code, findings) = lint(&card);
        let expected = vec![(rule.to_owned(), severity.to_owned(), path.to_owned())];
        assert_eq!(findings, expected, "{card}");
        assert_eq!(code, if severity == "fault" { 6 } else { 0 }, "{rule}");
    }
    let mut card = whole();
    card["securityRequirements"][0]["schemes"]["keys"] = json!({ "list": [] });
    let (code, findings) = lint(&card);
    assert_eq!((code, findings[0].0.as_str()), (6, "unknown-scheme"));
    let of_old: [(Change, &str, &str, &str); 7] = [
        (
            |card| drop(card.as_object_mut().unwrap().remove("protocolVersion")),
            "required",
            "fault",
            "protocolVersion",
        ),
        (
            |card| drop(card.as_object_mut().unwrap().remove("preferredTransport")),
            "preferred-transport",
            "fault",
            "preferredTransport",
        ),
        (
            |card| card["additionalInterfaces"][1]["url"] = card["url"].clone(),
            "main-url",
            "fault",
            "additionalInterfaces[1]",
        ),
        (
            |card| {
                drop(
                    card["additionalInterfaces"]
                        .as_array_mut()
                        .unwrap()
                        .remove(0),
                )
            },
            "main-url-listed",
            "warning",
            "additionalInterfaces",
        ),
        (
            |card| card["additionalInterfaces"][1]["url"] = json!("http://agent.example.com"),
            "https",
            "fault",
            "additionalInterfaces[1].url",
        ),
        (
            |card| card["additionalInterfaces"][1]["transport"] = json!("REST"),
            "binding",
            "warning",
            "additionalInterfaces[1].transport",
        ),
        (
            |card| card["security"] = json!([{ "key": [] }, { "keys": [] }]),
            "unknown-scheme",
            "fault",
            "security[1]",
        ),
    ];
    for (change, rule, severity, path) in of_old {
        let mut card = old();
        change(&mut card);
        let (code, findings) = lint(&card);
        let expected = vec![(rule.to_owned(), severity.to_owned(), path.to_owned())];
        assert_eq!(findings, expected, "{card}");
        assert_eq!(code, if severity == "fault" { 6 } else { 0 }, "{rule}");
    }
}

#[test]
fn loopback_and_bare_grpc_addresses_need_no_https() {
    for (binding, url) in [
        ("JSONRPC", "http://127.0.0.1:8080"),
        ("JSONRPC", "http://localhost/a2a"),
        ("JSONRPC", "http://[::1]:1/"),
        ("GRPC", "agent.example.com:50051"),
        ("GRPC", "dns:///agent.example.com:50051"),
        (
            "https://bindings.example.com/mine",
            "https://agent.example.com",
        ),
    ] {
        let mut card = whole();
        card["supportedInterfaces"] =
            json!([{ "url": url, "protocolBinding": binding, "protocolVersion": "1.0" }]);
        assert_eq!(lint(&card), (0, vec![]), "{url}");
    }
}

#[test]
fn what_is_no_card_is_told() {
    for text in ["[]", "{", "\u{feff}", ""] {
        let file = File::new(text);
        let (code, out, _) = run(&["card", "lint", &file.1]);
        assert_eq!(code, 6, "{text}");
        assert!(out.starts_with("fault[no-card] "), "{out}");
        let (code, out, err) = run(&["card", &file.1]);
        assert_eq!((code, out.as_str()), (1, ""), "{text}");
        assert!(err.contains("no agent card"), "{err}");
    }
    let (code, _, err) = run(&["card", "agent.example.com"]);
    assert_eq!(code, 2);
    assert!(err.contains("begins with http:// or https://"), "{err}");
}

#[test]
fn the_answer_that_brings_a_card_is_looked_at_too() {
    let url = peer(|_, out| {
        let card = whole().to_string();
        let _ = write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{card}",
            card.len()
        );
    });
    let (code, out, _) = run(&["card", "lint", &url]);
    assert_eq!(code, 0, "{out}");
    for rule in [
        "warning[content-type]",
        "warning[caching]",
        "(section 8.6.1)",
    ] {
        assert!(out.contains(rule), "{rule} {out}");
    }
    // One that no client could use is shown as it came.
    let url = peer(|_, out| answer(out, "{\"name\": \"x\u{9b}\"}"));
    let (code, out, err) = run(&["card", &url, "--raw"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "{\"name\": \"x\\u009b\"}\n"),
        "{err}"
    );
    let (code, _, _) = run(&["card", "lint", &url]);
    assert_eq!(code, 6);
}

#[test]
fn cards_are_shown_in_either_version_with_what_is_lost() {
    let mut card = whole();
    card["supportedInterfaces"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "url": "https://agent.example.com/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3" }));
    let file = File::new(&card.to_string());
    let (code, out, err) = run(&["card", &file.1]);
    assert_eq!((code, err.as_str()), (0, ""));
    for line in [
        "Checker 1.0.0",
        "interfaces    JSONRPC 1.0 https://agent.example.com/a2a",
        "asks for      key",
        "skill check: Check",
    ] {
        assert!(out.lines().any(|found| found == line), "{line}\n{out}");
    }
    let (code, out, err) = run(&["card", &file.1, "--as", "0.3"]);
    assert_eq!(code, 0, "{err}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["url"], "https://agent.example.com/old");
    assert_eq!(json["securitySchemes"]["key"]["type"], "apiKey");
    assert!(err.contains("lost: ") && err.contains("(D6)"), "{err}");

    let mut card = old();
    card["capabilities"]["stateTransitionHistory"] = json!(true);
    let file = File::new(&card.to_string());
    let (code, out, err) = run(&["card", &file.1, "--as", "1.0"]);
    assert_eq!(code, 0, "{err}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        json["supportedInterfaces"][1]["protocolBinding"],
        "HTTP+JSON"
    );
    assert!(err.contains("lost: "), "{err}");
    let (_, same, _) = run(&["card", &file.1, "--json"]);
    assert_eq!(same, out);

    let agent = Served::echo(&[]);
    let (code, out, err) = run(&["extended-card", &agent.url, "--json"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("who ask for more"), "{out}");
}
