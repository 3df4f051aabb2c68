//! Rules that no schema says.
//!
//! Comes in: a card. Goes out: findings about addresses, versions, bindings, media types, security,
//! and about the answer that brought the card.

use std::collections::BTreeSet;

use a2a_kit::v1_0::{AgentCard, AgentInterface};
use a2a_kit::{Binding, ProtocolVersion};
use http::{HeaderMap, Uri, header};
use serde_json::{Map, Value};

use super::{Findings, Rule};

const NO_INTERFACE: Rule = Rule::fault("no-interface", "8.3.1");
const ABSOLUTE: Rule = Rule::fault("absolute-url", "4.4.6");
const HTTPS: Rule = Rule::fault("https", "7.1");
const OPERATION: Rule = Rule::fault("operation-url", "5.3, 11.3");
const VERSION: Rule = Rule::fault("version-format", "3.6, 14.2.1");
const BINDING: Rule = Rule::warning("binding", "4.4.6, 5.8");
const DUPLICATE: Rule = Rule::warning("duplicate-interface", "8.3.2");
const GRPC: Rule = Rule::warning("grpc-url", "4.4.6, 10.1");
const TAGS: Rule = Rule::warning("tags", "4.4.5");
const SKILLS: Rule = Rule::warning("skills", "4.4.1");
const SKILL_ID: Rule = Rule::fault("skill-id", "4.4.5");
const MEDIA: Rule = Rule::fault("media-type", "4.4.1, 4.4.5");
const SCHEME: Rule = Rule::fault("unknown-scheme", "4.4.1, 4.5");
const UNUSED: Rule = Rule::warning("unused-scheme", "4.4.1, 7.3");
const EXTENSION: Rule = Rule::fault("extension-uri", "4.4.4, 14.2.2");
const MAIN: Rule = Rule::fault("main-url", "0.3: 5.6.4");
const MAIN_LISTED: Rule = Rule::warning("main-url-listed", "0.3: 5.6.4");
const TRANSPORT: Rule = Rule::fault("preferred-transport", "0.3: 5.6.4");
const CONTENT_TYPE: Rule = Rule::warning("content-type", "8.2");
const CACHING: Rule = Rule::warning("caching", "8.6.1");

/// The head of the answer.
pub(super) fn answer(headers: &HeaderMap, findings: &mut Findings) {
    let text = |name| {
        headers
            .get(name)
            .map(|value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let kind = text(header::CONTENT_TYPE).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if essence != "application/json" && !essence.ends_with("+json") {
        findings.add(
            CONTENT_TYPE,
            "",
            format!("it is served with Content-Type {kind:?}"),
            "serve it as application/json",
        );
    }
    let ages = text(header::CACHE_CONTROL).is_some_and(|value| value.contains("max-age"));
    if !ages {
        findings.add(
            CACHING,
            "",
            "it is served without Cache-Control: max-age",
            "say how long clients may use it without asking again",
        );
    }
    if !headers.contains_key(header::ETAG) {
        findings.add(
            CACHING,
            "ETag",
            "it is served without an ETag",
            "send one, so that asking again costs nothing while the card is the same",
        );
    }
}

/// A card that can be read as v1.0.
pub(super) fn new(card: &AgentCard, findings: &mut Findings) {
    if card.supported_interfaces.is_empty() {
        findings.add(
            NO_INTERFACE,
            "supportedInterfaces",
            "no interface is named, so no client knows where to call",
            "name at least one, with url, protocolBinding and protocolVersion",
        );
    }
    let mut seen = BTreeSet::new();
    for (index, interface) in card.supported_interfaces.iter().enumerate() {
        let path = format!("supportedInterfaces[{index}]");
        self::interface(interface, &path, findings);
        let AgentInterface {
            url,
            protocol_binding,
            tenant,
            protocol_version,
            ..
        } = interface;
        if !seen.insert((
            url,
            protocol_binding.to_uppercase(),
            tenant,
            protocol_version,
        )) {
            findings.add(
                DUPLICATE,
                path,
                "it is the same as an earlier one",
                "remove it; the first one is taken",
            );
        }
    }
    let extensions = card.capabilities.iter().flat_map(|all| &all.extensions);
    for (index, extension) in extensions.enumerate() {
        let uri = &extension.uri;
        if !uri.is_empty()
            && (uri.contains(',') || !uri.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            findings.add(
                EXTENSION,
                format!("capabilities.extensions[{index}].uri"),
                "it cannot stand in a header, in a list with commas",
                "name the extension by a URI without commas and spaces",
            );
        }
    }
}

fn interface(interface: &AgentInterface, path: &str, findings: &mut Findings) {
    let version = interface.protocol_version.trim();
    let well_formed = version.parse::<ProtocolVersion>();
    match &well_formed {
        Ok(parsed) if parsed.to_string() != version => findings.add(
            VERSION,
            format!("{path}.protocolVersion"),
            format!("{version:?} has a patch number, which takes no part in negotiation"),
            format!("write \"{parsed}\""),
        ),
        Err(error) if !version.is_empty() => findings.add(
            VERSION,
            format!("{path}.protocolVersion"),
            error.to_string(),
            "write Major.Minor, such as \"1.0\"",
        ),
        _ => {}
    }
    let name = interface.protocol_binding.as_str();
    let binding = self::binding(name, &format!("{path}.protocolBinding"), findings);
    if !interface.url.is_empty() {
        url(&interface.url, binding, &format!("{path}.url"), findings);
    }
}

/// The binding of a name; names that are none of the three should be URIs.
fn binding(name: &str, path: &str, findings: &mut Findings) -> Option<Binding> {
    let known = Binding::from_card_name(name);
    let written = known.is_some_and(|known| known.card_name() == name);
    if written || name.is_empty() || name.contains("://") || name.starts_with("urn:") {
        return known;
    }
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_uppercase();
    let meant = match plain.as_str() {
        "JSONRPC" | "JSONRPC20" | "JSONRPC2" => Some(Binding::JsonRpc),
        "REST" | "HTTP" | "HTTPJSON" | "HTTPREST" => Some(Binding::Rest),
        "GRPC" => Some(Binding::Grpc),
        _ => None,
    };
    let hint = match meant {
        Some(meant) => format!("write \"{}\"", meant.card_name()),
        None => "name a binding of your own by a URI; those of the specification are JSONRPC, HTTP+JSON and GRPC".to_owned(),
    };
    findings.add(
        BINDING,
        path,
        format!("{name:?} is no binding of the specification, and no URI"),
        hint,
    );
    known.or(meant)
}

/// Paths of operations, without what stands before them.
const OPERATIONS: [&str; 9] = [
    ":send",
    ":stream",
    ":cancel",
    ":subscribe",
    "/message/send",
    "/message/stream",
    "/agent-card.json",
    "/agent.json",
    "/extendedAgentCard",
];

fn url(text: &str, binding: Option<Binding>, path: &str, findings: &mut Findings) {
    let uri: Option<Uri> = text.parse().ok();
    let absolute = uri
        .as_ref()
        .filter(|uri| uri.scheme().is_some() && uri.host().is_some());
    let grpc = binding == Some(Binding::Grpc);
    let Some(uri) = absolute else {
        let target = text.strip_prefix("dns:///").unwrap_or(text);
        let authority = target.parse::<http::uri::Authority>();
        if grpc && authority.is_ok_and(|authority| authority.port().is_some()) {
            return;
        }
        if grpc {
            findings.add(
                GRPC,
                path,
                format!("{text:?} is neither host:port nor a URL"),
                "write host:port, or https://host:port",
            );
        } else {
            findings.add(
                ABSOLUTE,
                path,
                format!("{text:?} is no absolute URL"),
                "write one such as https://agent.example.com/a2a",
            );
        }
        return;
    };
    if uri.scheme_str() != Some("https") && !is_loopback(uri.host().unwrap_or_default()) {
        findings.add(
            HTTPS,
            path,
            format!("{text:?} is not encrypted"),
            "serve it over https; only an agent on this machine can do without",
        );
    }
    if grpc && !matches!(uri.path(), "" | "/") {
        findings.add(
            GRPC,
            path,
            format!("{text:?} has a path, which clients of gRPC leave out"),
            "write host:port, or https://host:port",
        );
    }
    let called = uri.path().trim_end_matches('/');
    if let Some(operation) = OPERATIONS.iter().find(|end| called.ends_with(**end)) {
        findings.add(
            OPERATION,
            path,
            format!("{text:?} ends in {operation}"),
            "write the base of the interface; clients add the paths of operations",
        );
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']).trim_end_matches('.');
    host.eq_ignore_ascii_case("localhost")
        || host.to_ascii_lowercase().ends_with(".localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

fn list<'a>(object: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    let list = object.get(name).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// A card that names its interfaces as v0.3 has them.
pub(super) fn old(card: &Map<String, Value>, findings: &mut Findings) {
    let main = text(card, "url").unwrap_or_default();
    let preferred = text(card, "preferredTransport");
    if preferred.is_none() {
        findings.add(
            TRANSPORT,
            "preferredTransport",
            "it is missing; clients take the main url for JSONRPC",
            "say which transport the main url speaks",
        );
    }
    let preferred = preferred.unwrap_or("JSONRPC");
    let kind = binding(preferred, "preferredTransport", findings);
    if !main.is_empty() {
        url(main, kind, "url", findings);
    }
    let others: Vec<&Value> = list(card, "additionalInterfaces").collect();
    let mut listed = others.is_empty();
    let mut seen: Vec<(String, String)> = Vec::new();
    for (index, other) in others.into_iter().enumerate() {
        let Some(other) = other.as_object() else {
            continue;
        };
        let path = format!("additionalInterfaces[{index}]");
        let address = text(other, "url").unwrap_or_default();
        let transport = text(other, "transport").unwrap_or_default();
        let kind = binding(transport, &format!("{path}.transport"), findings);
        if !address.is_empty() {
            url(address, kind, &format!("{path}.url"), findings);
        }
        if address == main && transport.eq_ignore_ascii_case(preferred) {
            listed = true;
        } else if address == main && !main.is_empty() {
            findings.add(
                MAIN,
                path.clone(),
                format!("the main url speaks {preferred}, and here {transport}"),
                "give each transport a url of its own, or say in preferredTransport what the main url speaks",
            );
        }
        let both = (address.to_owned(), transport.to_ascii_uppercase());
        if seen.contains(&both) {
            findings.add(
                DUPLICATE,
                path,
                "it is the same as an earlier one",
                "remove it",
            );
        } else {
            seen.push(both);
        }
    }
    if !listed {
        findings.add(
            MAIN_LISTED,
            "additionalInterfaces",
            "the main url is not among them",
            "list it too, so that clients which read only the list find it",
        );
    }
}

/// What both versions have alike.
pub(super) fn both(card: &Map<String, Value>, findings: &mut Findings) {
    media(
        card,
        "",
        &["defaultInputModes", "defaultOutputModes"],
        findings,
    );
    skills(card, findings);
    security(card, findings);
}

fn skills(card: &Map<String, Value>, findings: &mut Findings) {
    if card
        .get("skills")
        .and_then(Value::as_array)
        .is_some_and(Vec::is_empty)
    {
        findings.add(
            SKILLS,
            "skills",
            "no skill is named",
            "say what the agent can do; others choose it by that",
        );
    }
    let mut ids = BTreeSet::new();
    for (index, skill) in list(card, "skills").enumerate() {
        let Some(skill) = skill.as_object() else {
            continue;
        };
        let path = format!("skills[{index}]");
        if skill
            .get("tags")
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty)
        {
            findings.add(
                TAGS,
                format!("{path}.tags"),
                "the skill has no tags",
                "add some; the member is required, and skills are searched by it",
            );
        }
        if let Some(id) = text(skill, "id")
            && !ids.insert(id)
        {
            findings.add(
                SKILL_ID,
                format!("{path}.id"),
                format!("{id:?} is the id of an earlier skill"),
                "give each skill an id of its own",
            );
        }
        media(
            skill,
            &format!("{path}."),
            &["inputModes", "outputModes"],
            findings,
        );
    }
}

fn media(object: &Map<String, Value>, path: &str, names: &[&str], findings: &mut Findings) {
    for name in names {
        for (index, mode) in list(object, name).enumerate() {
            let Some(mode) = mode.as_str().filter(|mode| !is_media_type(mode)) else {
                continue;
            };
            findings.add(
                MEDIA,
                format!("{path}{name}[{index}]"),
                format!("{mode:?} is no media type"),
                "write type/subtype, such as text/plain or application/json",
            );
        }
    }
}

/// `type/subtype`, each a token of HTTP (RFC 9110, 5.6.2), perhaps with parameters.
fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let token = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

/// Names of schemes in a requirement: a map in v0.3, below `schemes` in v1.0.
fn names(requirement: &Value) -> impl Iterator<Item = &String> {
    let object = requirement.as_object();
    let inner = object
        .and_then(|object| object.get("schemes"))
        .and_then(Value::as_object);
    inner.or(object).into_iter().flat_map(Map::keys)
}

fn security(card: &Map<String, Value>, findings: &mut Findings) {
    let declared: BTreeSet<&String> = ["securitySchemes", "security_schemes"]
        .iter()
        .filter_map(|name| card.get(*name)?.as_object())
        .flat_map(Map::keys)
        .collect();
    let mut used = BTreeSet::new();
    let mut check = |object: &Map<String, Value>, path: &str| {
        for member in ["securityRequirements", "security"] {
            for (index, requirement) in list(object, member).enumerate() {
                for name in names(requirement) {
                    used.insert(name.clone());
                    if !declared.contains(name) {
                        findings.add(
                            SCHEME,
                            format!("{path}{member}[{index}]"),
                            format!("it names the scheme {name:?}, which is not declared"),
                            "declare it in securitySchemes, or correct its name",
                        );
                    }
                }
            }
        }
    };
    check(card, "");
    for (index, skill) in list(card, "skills").enumerate() {
        if let Some(skill) = skill.as_object() {
            check(skill, &format!("skills[{index}]."));
        }
    }
    for name in declared {
        if !used.contains(name) {
            findings.add(
                UNUSED,
                format!("securitySchemes.{name}"),
                "no requirement names it, so nothing asks for it",
                "name it in securityRequirements (security, in 0.3), or remove it",
            );
        }
    }
}
