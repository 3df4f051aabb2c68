//! What hostile texts may cost: a request of the usual limit of 32 MiB must not take more than four
//! times as much, the text itself included. Each case has a process of its own, which it measures.

#![cfg(target_os = "linux")]

use std::process::Command;

use a2a_wire::WireMessage;
use a2a_wire::v1_0::{AgentCard, Message, Part, SendMessageRequest, Task};
use bytes::Bytes;

const LIMIT: usize = 32 << 20;

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    let kilobytes: usize = line
        .trim_matches([':', ' ', '\t', 'k', 'B'])
        .trim()
        .parse()
        .unwrap();
    kilobytes * 1024
}

/// A text of the limit's length: as many items as fit between the two ends.
fn filled(before: &str, item: &str, after: &str) -> String {
    let count = (LIMIT - before.len() - after.len()) / item.len();
    let mut text = String::with_capacity(LIMIT);
    text.push_str(before);
    text.push_str(&item.repeat(count));
    text.push_str(after);
    text
}

/// As [`filled`], with a key of its own for each item.
fn keyed(before: &str, item: impl Fn(usize) -> String, after: &str) -> String {
    let mut text = String::with_capacity(LIMIT);
    text.push_str(before);
    let mut number = 0;
    while text.len() + 30 + after.len() < LIMIT {
        text.push_str(&item(number));
        number += 1;
    }
    text.push_str(after);
    text
}

/// Takes what it reads, as a server's request is its own.
type Reads = fn(Vec<u8>) -> Result<(), String>;

fn reads<M: WireMessage>(text: Vec<u8>) -> Result<(), String> {
    let text = Bytes::from(text);
    M::read_json(&text)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Protobuf; its bytes are all below 0x80 here, so that it can be written as a text.
fn decodes<M: WireMessage>(bytes: Vec<u8>) -> Result<(), String> {
    M::read_protobuf(bytes.into())
        .map(drop)
        .map_err(|error| error.to_string())
}

/// As [`decodes`], for the values of a list in the data of a part, behind twelve bytes for its head.
fn decodes_list(mut bytes: Vec<u8>) -> Result<(), String> {
    fn head(field: u8, length: usize) -> [u8; 6] {
        let mut head = [field << 3 | 2; 6];
        for (index, byte) in head.iter_mut().skip(1).enumerate() {
            let more = if index < 4 { 0x80 } else { 0 };
            *byte = (length >> (7 * index)) as u8 & 0x7f | more;
        }
        head
    }
    let length = bytes.len();
    bytes[..6].copy_from_slice(&head(4, length - 6));
    bytes[6..12].copy_from_slice(&head(6, length - 12));
    Part::read_protobuf(bytes.into())
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Name, reader, text, and what the reader says; nothing when it takes the text.
type Case = (&'static str, Reads, fn() -> String, Option<&'static str>);

const MANY: Option<&str> = Some("too many elements");

const CASES: &[Case] = &[
    (
        "parts",
        reads::<Message>,
        || filled("{\"parts\":[{}", ",{}", "]}"),
        MANY,
    ),
    (
        "artifacts",
        reads::<Task>,
        || filled("{\"artifacts\":[{}", ",{}", "]}"),
        MANY,
    ),
    (
        "parts of artifacts",
        reads::<Task>,
        || {
            filled(
                "{\"artifacts\":[{\"parts\":[{}]}",
                ",{\"parts\":[{}]}",
                "]}",
            )
        },
        MANY,
    ),
    (
        "short parts",
        reads::<Message>,
        || filled("{\"parts\":[{\"text\":\"a\"}", ",{\"text\":\"a\"}", "]}"),
        MANY,
    ),
    (
        "empty texts",
        reads::<Message>,
        || filled("{\"extensions\":[\"\"", ",\"\"", "]}"),
        MANY,
    ),
    (
        "short texts",
        reads::<Message>,
        || filled("{\"extensions\":[\"a\"", ",\"a\"", "]}"),
        MANY,
    ),
    (
        "numbers",
        reads::<Task>,
        || filled("{\"metadata\":{\"a\":[0", ",0", "]}}"),
        MANY,
    ),
    (
        "short texts in data",
        reads::<Task>,
        || filled("{\"metadata\":{\"a\":[\"a\"", ",\"a\"", "]}}"),
        MANY,
    ),
    (
        "empty objects",
        reads::<Task>,
        || filled("{\"metadata\":{\"a\":[{}", ",{}", "]}}"),
        MANY,
    ),
    (
        "small objects",
        reads::<Task>,
        || filled("{\"metadata\":{\"a\":[{\"a\":0}", ",{\"a\":0}", "]}}"),
        MANY,
    ),
    (
        "objects with long names",
        reads::<Task>,
        || {
            let item = format!(",{{\"{}\":0}}", "n".repeat(250));
            filled("{\"metadata\":{\"a\":[0", &item, "]}}")
        },
        MANY,
    ),
    (
        "objects with names as long as is taken",
        reads::<Task>,
        || {
            // With `preserve_order` an object weighs more, so less of it is taken.
            let is_heavy = size_of::<serde_json::Value>() > 32;
            let name = "n".repeat(if is_heavy { 900 } else { 450 });
            let item = format!(",{{\"{name}\":0}}");
            filled("{\"metadata\":{\"a\":[0", &item, "]}}")
        },
        None,
    ),
    (
        "lists of lists",
        reads::<Task>,
        || filled("{\"metadata\":{\"a\":[[0]", ",[0]", "]}}"),
        MANY,
    ),
    (
        "keys",
        reads::<Task>,
        || {
            keyed(
                "{\"metadata\":{\"\":0",
                |number| format!(",\"{number}\":0"),
                "}}",
            )
        },
        MANY,
    ),
    (
        "schemes",
        reads::<AgentCard>,
        || {
            keyed(
                "{\"securitySchemes\":{\"\":{}",
                |number| format!(",\"{number}\":{{}}"),
                "}}",
            )
        },
        MANY,
    ),
    (
        "nested schemes",
        reads::<AgentCard>,
        || {
            let item = "{\"schemes\":{\"a\":{\"list\":[\"\"]}}}";
            filled(
                &format!("{{\"securityRequirements\":[{item}"),
                &format!(",{item}"),
                "]}",
            )
        },
        MANY,
    ),
    (
        "open brackets",
        reads::<Task>,
        || "[".repeat(LIMIT),
        Some("expected an object"),
    ),
    (
        "open brackets in data",
        reads::<Task>,
        || filled("{\"metadata\":{\"a\":", "[", ""),
        Some("nested too deeply"),
    ),
    (
        "open brackets in what is skipped",
        reads::<Task>,
        || filled("{\"x\":", "[", ""),
        Some("EOF"),
    ),
    (
        "a long text of a wrong type",
        reads::<Task>,
        || filled("{\"status\":\"", "a", "\"}"),
        Some("status: expected an object"),
    ),
    // Protobuf: parts in a message, artifacts in a task, extensions, lists and objects in metadata.
    (
        "protobuf: parts",
        decodes::<Message>,
        || filled("", "\x2a\x00", ""),
        MANY,
    ),
    (
        "protobuf: artifacts",
        decodes::<Task>,
        || filled("", "\x22\x00", ""),
        MANY,
    ),
    (
        "protobuf: parts of artifacts",
        decodes::<Task>,
        || filled("", "\x22\x02\x22\x00", ""),
        MANY,
    ),
    (
        "protobuf: short parts",
        decodes::<Message>,
        || filled("", "\x2a\x03\x0a\x01a", ""),
        MANY,
    ),
    (
        "protobuf: empty texts",
        decodes::<Message>,
        || filled("", "\x3a\x00", ""),
        MANY,
    ),
    (
        "protobuf: numbers",
        decodes_list,
        || filled("............", "\x0a\x00", ""),
        MANY,
    ),
    (
        "protobuf: lists of lists",
        decodes_list,
        || filled("............", "\x0a\x04\x32\x02\x0a\x00", ""),
        MANY,
    ),
    (
        "protobuf: small objects",
        decodes_list,
        || filled("............", "\x0a\x07\x2a\x05\x0a\x03\x0a\x01a", ""),
        MANY,
    ),
    (
        "protobuf: ordinary texts",
        decodes::<Message>,
        || filled("", &format!("\x3a\x7f{}", "a".repeat(0x7f)), ""),
        None,
    ),
    // Large and honest: much that is skipped, one long text, plain and with escapes, one large file.
    (
        "unknown members",
        reads::<Task>,
        || filled("{\"x\":[[]", ",[]", "]}"),
        None,
    ),
    (
        "a long text",
        reads::<SendMessageRequest>,
        || filled("{\"message\":{\"parts\":[{\"text\":\"", "a", "\"}]}}"),
        None,
    ),
    (
        "many escapes",
        reads::<SendMessageRequest>,
        || filled("{\"message\":{\"parts\":[{\"text\":\"", "\\n", "\"}]}}"),
        None,
    ),
    (
        "a file",
        reads::<SendMessageRequest>,
        || filled("{\"message\":{\"parts\":[{\"raw\":\"", "aGkh", "\"}]}}"),
        None,
    ),
    (
        "a file with escapes",
        reads::<SendMessageRequest>,
        || filled("{\"message\":{\"parts\":[{\"raw\":\"", "\\/\\/aa", "\"}]}}"),
        None,
    ),
    (
        "ordinary parts",
        reads::<SendMessageRequest>,
        || {
            let item = format!(
                "{{\"text\":\"{}\",\"mediaType\":\"text/plain\"}}",
                "word ".repeat(60)
            );
            filled(
                &format!("{{\"message\":{{\"parts\":[{item}"),
                &format!(",{item}"),
                "]}}",
            )
        },
        None,
    ),
];

/// Names the case that a process of its own is to run.
const CASE: &str = "A2A_WIRE_MEMORY_CASE";

#[test]
fn no_text_of_the_limit_takes_more_than_four_times_the_limit() {
    let program = std::env::current_exe().unwrap();
    for (name, ..) in CASES {
        let output = Command::new(&program)
            .args(["--exact", "one_case", "--ignored", "--nocapture"])
            .env(CASE, name)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{name}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn one_case() {
    let name = std::env::var(CASE).unwrap();
    let (_, reads, text, expected) = CASES.iter().find(|(known, ..)| *known == name).unwrap();
    let start = status("VmRSS");
    let text = text();
    assert!(
        text.len() <= LIMIT && text.len() + 1000 > LIMIT,
        "{}",
        text.len()
    );
    match (reads(text.into_bytes()), expected) {
        (Ok(()), None) => {}
        (Err(error), Some(expected)) => {
            assert!(error.contains(expected), "{error}");
            assert!(
                error.len() < 1000,
                "the error carries {} bytes",
                error.len()
            );
        }
        (result, expected) => panic!("{result:?} instead of {expected:?}"),
    }
    let grown = status("VmHWM").saturating_sub(start);
    println!("{name}: {} MiB", grown >> 20);
    assert!(grown <= 4 * LIMIT, "grew by {} MiB", grown >> 20);
}
