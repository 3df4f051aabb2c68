use a2a_wire::v1_0::{AgentCapabilities, AgentExtension, AgentSkill};
use http::Request;
use http_body_util::BodyExt as _;

use super::*;

fn card() -> AgentCard {
    let mut card = AgentCard::default();
    card.name = "Due diligence".into();
    card.description = "Checks suppliers.".into();
    card.version = "0.1.0".into();
    card.capabilities = Some(AgentCapabilities::default());
    card.default_input_modes.push("text/plain".into());
    card.default_output_modes.push("text/plain".into());
    for (binding, url) in [
        ("JSONRPC", "http://127.0.0.1:8080/"),
        ("GRPC", "127.0.0.1:8080"),
        ("HTTP+JSON", "https://example.com/a2a"),
    ] {
        let mut interface = AgentInterface::default();
        interface.url = url.into();
        interface.protocol_binding = binding.into();
        interface.protocol_version = "1.0".into();
        card.supported_interfaces.push(interface);
    }
    let mut skill = AgentSkill::default();
    skill.id = "check".into();
    skill.name = "Check".into();
    skill.description = "Checks one supplier.".into();
    skill.tags.push("risk".into());
    card.skills.push(skill);
    card
}

fn extension(uri: &str) -> AgentExtension {
    let mut extension = AgentExtension::default();
    extension.uri = uri.into();
    extension
}

#[test]
fn a_whole_card_has_no_faults_and_neither_has_one_with_empty_lists() {
    assert_eq!(card_faults(&card()), []);
    let mut bare = card();
    bare.default_input_modes.clear();
    bare.default_output_modes.clear();
    bare.skills[0].tags.clear();
    assert_eq!(card_faults(&bare), []);
    bare.skills.clear();
    assert_eq!(card_faults(&bare), []);
    let mut patch = card();
    patch.supported_interfaces[0].protocol_version = "1.0.1".into();
    assert_eq!(card_faults(&patch), []);
}

#[test]
fn an_empty_card_is_told_every_field_that_it_lacks() {
    let fields: Vec<String> = card_faults(&AgentCard::default())
        .into_iter()
        .map(|fault| fault.field)
        .collect();
    for field in [
        "name",
        "description",
        "version",
        "capabilities",
        "supportedInterfaces",
    ] {
        assert_eq!(
            fields.iter().filter(|found| *found == field).count(),
            1,
            "{field} in {fields:?}"
        );
    }
    assert_eq!(fields.len(), 5, "{fields:?}");
}

#[test]
fn each_fault_names_its_place() {
    type Change = fn(&mut AgentCard);
    let cases: &[(&str, Change)] = &[
        ("supportedInterfaces[0].protocolVersion", |card| {
            card.supported_interfaces[0].protocol_version.clear();
        }),
        ("supportedInterfaces[1].protocolVersion", |card| {
            card.supported_interfaces[1].protocol_version = "v1.0".into();
        }),
        ("supportedInterfaces[1].protocolVersion", |card| {
            card.supported_interfaces[1].protocol_version = "1".into();
        }),
        ("supportedInterfaces[2].protocolBinding", |card| {
            card.supported_interfaces[2].protocol_binding.clear();
        }),
        ("supportedInterfaces[0].url", |card| {
            card.supported_interfaces[0].url.clear();
        }),
        ("supportedInterfaces[0].url", |card| {
            card.supported_interfaces[0].url = "/a2a".into();
        }),
        ("supportedInterfaces[0].url", |card| {
            card.supported_interfaces[0].url = "127.0.0.1:8080".into();
        }),
        ("supportedInterfaces[0].url", |card| {
            card.supported_interfaces[0].url = "not a url".into();
        }),
        ("supportedInterfaces[0].url", |card| {
            card.supported_interfaces[0].url = "http://h/a/v1/message:stream".into();
        }),
        ("supportedInterfaces[2].url", |card| {
            card.supported_interfaces[2].url = "http://h/message:send".into();
        }),
        ("supportedInterfaces[1].url", |card| {
            card.supported_interfaces[1].url = "no host".into();
        }),
        ("skills[0].id", |card| card.skills[0].id.clear()),
        ("skills[0].name", |card| card.skills[0].name.clear()),
        ("skills[1].id", |card| {
            let twin = card.skills[0].clone();
            card.skills.push(twin);
        }),
        ("capabilities.extensions[0].uri", |card| {
            card.capabilities
                .as_mut()
                .unwrap()
                .extensions
                .push(extension(""));
        }),
        ("capabilities.extensions[0].uri", |card| {
            card.capabilities
                .as_mut()
                .unwrap()
                .extensions
                .push(extension("https://a/1,2"));
        }),
        ("capabilities.extensions[1].uri", |card| {
            card.capabilities
                .as_mut()
                .unwrap()
                .extensions
                .extend([extension("https://a/1"), extension("https://a/1")]);
        }),
    ];
    for (field, change) in cases {
        let mut card = card();
        change(&mut card);
        let faults = card_faults(&card);
        assert_eq!(
            faults
                .iter()
                .map(|fault| fault.field.as_str())
                .collect::<Vec<_>>(),
            [*field]
        );
    }
    // gRPC clients take more forms of an address; custom bindings anything.
    for (index, url) in [
        (1, "dns:///agent.example.com:443"),
        (1, "grpc://h:1"),
        (1, "https://h/prefix"),
        (1, "[::1]:50051"),
    ] {
        let mut card = card();
        card.supported_interfaces[index].url = url.into();
        assert_eq!(card_faults(&card), [], "{url}");
    }
    let mut custom = card();
    (
        custom.supported_interfaces[0].protocol_binding,
        custom.supported_interfaces[0].url,
    ) = ("urn:pigeon".into(), "loft 7".into());
    assert_eq!(card_faults(&custom), []);
}

fn endpoint() -> CardEndpoint {
    CardEndpoint::new(
        &card(),
        Duration::from_secs(300),
        UNIX_EPOCH + Duration::from_millis(1_700_000_000_999),
    )
    .unwrap()
}

async fn ask(method: &str, headers: &[(&str, &str)]) -> (u16, HeaderMap, Bytes) {
    let mut request = Request::builder().method(method).uri(PATH);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = endpoint().handle(&request.body(()).unwrap().into_parts().0);
    let (parts, body) = response.into_parts();
    (
        parts.status.as_u16(),
        parts.headers,
        body.collect().await.unwrap().to_bytes(),
    )
}

#[tokio::test]
async fn the_card_is_json_and_may_be_cached() {
    let (status, headers, body) = ask("GET", &[]).await;
    assert_eq!(status, 200);
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(headers["cache-control"], "max-age=300");
    assert_eq!(headers["last-modified"], "Tue, 14 Nov 2023 22:13:20 GMT");
    let etag = headers["etag"].to_str().unwrap();
    assert!(
        etag.starts_with('"') && etag.ends_with('"') && etag.len() > 30,
        "{etag}"
    );
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(json["supportedInterfaces"][0]["protocolVersion"], "1.0");
    assert_eq!(json["name"], "Due diligence");
    let (head_status, head_headers, head_body) = ask("HEAD", &[]).await;
    assert_eq!((head_status, head_body.len()), (200, 0));
    assert_eq!(
        head_headers["content-length"].to_str().unwrap(),
        body.len().to_string()
    );
    assert_eq!(head_headers["etag"], headers["etag"]);
    assert_eq!(
        endpoint().usual.etag,
        endpoint().usual.etag,
        "the same in every process"
    );
}

#[tokio::test]
async fn a_known_card_is_not_sent_again() {
    let tag = endpoint().usual.etag;
    let modified = "Tue, 14 Nov 2023 22:13:20 GMT";
    let (earlier, later) = (
        "Tue, 14 Nov 2023 22:13:19 GMT",
        "Tue, 14 Nov 2023 22:13:21 GMT",
    );
    let cases: &[(&[(&str, &str)], u16)] = &[
        (&[("if-none-match", &tag)], 304),
        (&[("if-none-match", &format!("W/{tag}"))], 304),
        (&[("if-none-match", "*")], 304),
        (
            &[("if-none-match", &format!("\"a,b\" , W/\"c\",{tag}"))],
            304,
        ),
        (
            &[("if-none-match", "\"other\""), ("if-none-match", &tag)],
            304,
        ),
        (&[("if-none-match", "\"other\"")], 200),
        (&[("if-none-match", "")], 200),
        (&[("if-none-match", tag.trim_matches('"'))], 200),
        (&[("if-none-match", &format!("\"x{}", &tag[1..]))], 200),
        (&[("if-modified-since", modified)], 304),
        (&[("if-modified-since", later)], 304),
        (&[("if-modified-since", earlier)], 200),
        (&[("if-modified-since", "yesterday")], 200),
        // The tag decides when both are there.
        (
            &[("if-none-match", "\"other\""), ("if-modified-since", later)],
            200,
        ),
        (
            &[("if-none-match", &tag), ("if-modified-since", earlier)],
            304,
        ),
    ];
    for (headers, expected) in cases {
        for method in ["GET", "HEAD"] {
            let (status, answer, body) = ask(method, headers).await;
            assert_eq!(status, *expected, "{method} {headers:?}");
            assert_eq!(answer["etag"].to_str().unwrap(), tag);
            assert!(answer.contains_key("cache-control"));
            assert_eq!(body.is_empty(), method == "HEAD" || *expected == 304);
        }
    }
}

#[tokio::test]
async fn the_card_is_only_read() {
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let (status, headers, body) = ask(method, &[]).await;
        assert_eq!(
            (status, headers["allow"].to_str().unwrap()),
            (405, "GET, HEAD"),
            "{method}"
        );
        let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(json["error"]["details"], serde_json::json!([]));
    }
}
