//! The words of the attributes are those of the protocol: everything that a card can hold can be said,
//! and what can be said exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use a2a_kit::{Binding, ProtocolVersion};
use macros::full;
use serde_json::Value;

#[path = "../../../a2a-macros/src/names.rs"]
#[allow(dead_code, unreachable_pub, reason = "a test needs some of it")]
mod names;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Members of messages of the proto, by message: name and type.
fn messages() -> BTreeMap<String, Vec<(String, String)>> {
    let text = fs::read_to_string(root().join("proto/a2a/v1.0/a2a.proto")).unwrap();
    let mut messages: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap().trim();
        if let Some(rest) = line.strip_prefix("message ") {
            rest.split(' ').next().unwrap().clone_into(&mut current);
        }
        // `repeated string tags = 4 [(…)];`, `map<string, StringList> schemes = 1;`
        let Some((declared, number)) = line.split_once(" = ") else {
            continue;
        };
        let words: Vec<&str> = declared.split([' ', ',', '<', '>']).collect();
        let is_member = number.starts_with(|digit: char| digit.is_ascii_digit()) && words.len() > 1;
        if let (true, [.., kind, name]) = (is_member, &words[..]) {
            // Behind a map's type stands a blank.
            let kind = match *kind {
                "" => words[words.len() - 3],
                kind => kind,
            };
            let members = messages.entry(current.clone()).or_default();
            members.push(((*name).to_owned(), kind.to_owned()));
        }
    }
    messages
}

fn json_name(proto_name: &str) -> String {
    let mut words = proto_name.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        name.push_str(&word[..1].to_uppercase());
        name.push_str(&word[1..]);
    }
    name
}

/// Collects the members of a message, and of those in it, that a value lacks.
fn lacking(
    message: &str,
    values: &[&Value],
    messages: &BTreeMap<String, Vec<(String, String)>>,
    missing: &mut BTreeSet<String>,
) {
    for (name, kind) in messages.get(message).into_iter().flatten() {
        let name = json_name(name);
        let mut found: Vec<&Value> = Vec::new();
        for value in values.iter().filter_map(|value| value.get(&name)) {
            match value {
                Value::Array(items) => found.extend(items),
                // A map of messages, by names of the user's.
                Value::Object(members) if name == "securitySchemes" || name == "schemes" => {
                    found.extend(members.values());
                }
                other => found.push(other),
            }
        }
        if found.is_empty() {
            missing.insert(format!("{message}.{name}"));
        }
        if messages.contains_key(kind) {
            lacking(kind, &found, messages, missing);
        }
    }
}

#[test]
fn everything_that_a_card_can_hold_can_be_said() {
    let messages = messages();
    assert!(messages["AgentCard"].len() >= 14, "{messages:?}");
    let card = serde_json::to_value(full::Everything::card()).unwrap();
    let mut missing = BTreeSet::new();
    lacking("AgentCard", &[&card], &messages, &mut missing);
    let signed: Vec<&String> = missing
        .iter()
        .filter(|name| !name.contains("AgentCardSignature") && *name != "AgentCard.signatures")
        .collect();
    // A card is signed when it is complete, by who has the key.
    assert!(signed.is_empty(), "the attribute cannot say {signed:?}");
}

#[test]
fn words_of_unions_and_capabilities_are_members_of_the_proto() {
    let messages = messages();
    let members = |message: &str| -> BTreeSet<&str> {
        messages[message]
            .iter()
            .map(|(name, _)| name.as_str())
            .collect()
    };
    let said = |variants: &[names::Variant]| -> BTreeSet<&'static str> {
        variants.iter().map(|variant| variant.member).collect()
    };
    assert_eq!(said(&names::SCHEMES), members("SecurityScheme"));
    assert_eq!(said(&names::FLOWS), members("OAuthFlows"));
    let capabilities: BTreeSet<&str> = names::CAPABILITIES
        .into_iter()
        .chain(["extensions"])
        .collect();
    assert_eq!(capabilities, members("AgentCapabilities"));
}

#[test]
fn bindings_and_versions_are_those_of_the_kit() {
    let word = |binding| match binding {
        Binding::JsonRpc => Some("jsonrpc"),
        Binding::Rest => Some("rest"),
        Binding::Grpc => Some("grpc"),
        _ => None,
    };
    let card = full::Everything::card();
    let served: BTreeSet<&str> = card
        .supported_interfaces
        .iter()
        .filter_map(|interface| word(Binding::from_card_name(&interface.protocol_binding)?))
        .collect();
    assert_eq!(served, names::BINDINGS.map(|(word, _)| word).into());

    let folders = fs::read_dir(root().join("proto/a2a")).unwrap();
    let versions: BTreeSet<String> = folders
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .map(|name| name.trim_start_matches('v').to_owned())
        .collect();
    let said = names::VERSIONS.map(|(version, _)| version.to_owned());
    assert_eq!(versions, said.into());
    for (version, _) in names::VERSIONS {
        let parsed: ProtocolVersion = version.parse().unwrap();
        assert_eq!(parsed.to_string(), version);
    }
}
