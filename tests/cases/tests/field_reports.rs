//! Faults that agents and clients had in the field where two versions met, each with a test of its
//! kind: every value, every member, both ways, in both languages of v0.3.

use a2a_kit::wire::adapt::{self, Loss, Options};
use a2a_kit::wire::{WireMessage, json, v0_3, v0_3_json as old, v1_0};
use serde_json::{Value, json};

fn written(message: &impl WireMessage) -> Value {
    let mut text = Vec::new();
    message.write_json(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

type Read<New> = fn(&[u8], &Options) -> Result<(New, Vec<Loss>), json::Error>;
type Write<New> = fn(&New, &Options, &mut Vec<u8>) -> Result<Vec<Loss>, json::Error>;

/// JSON of v0.3 as v1.0 has it, and the ids of what was lost.
fn up<New: WireMessage>(
    read: Read<New>,
    text: &Value,
) -> Result<(Value, Vec<&'static str>), String> {
    let (value, losses) = read(text.to_string().as_bytes(), &Options::default())
        .map_err(|error| error.to_string())?;
    Ok((written(&value), losses.iter().map(|loss| loss.id).collect()))
}

/// JSON of v1.0 as v0.3 has it, and the ids of what was lost.
fn down<New: WireMessage>(
    write: Write<New>,
    text: &Value,
) -> Result<(Value, Vec<&'static str>), String> {
    let value = New::read_json(text.to_string().as_bytes()).unwrap();
    let mut out = Vec::new();
    let losses = write(&value, &Options::default(), &mut out).map_err(|error| error.to_string())?;
    let losses = losses.iter().map(|loss| loss.id).collect();
    Ok((serde_json::from_slice(&out).unwrap(), losses))
}

/// Neither a peer's spelling nor a number ends as a state that nobody waits for the end of.
#[test]
fn states_and_roles_in_every_spelling_are_the_same_values() {
    let states = [
        ("submitted", "SUBMITTED", "SUBMITTED", 1),
        ("working", "WORKING", "WORKING", 2),
        ("completed", "COMPLETED", "COMPLETED", 3),
        ("failed", "FAILED", "FAILED", 4),
        ("canceled", "CANCELLED", "CANCELED", 5),
        ("input-required", "INPUT_REQUIRED", "INPUT_REQUIRED", 6),
        ("rejected", "REJECTED", "REJECTED", 7),
        ("auth-required", "AUTH_REQUIRED", "AUTH_REQUIRED", 8),
    ];
    for (schema, proto, new, number) in states {
        let new = format!("TASK_STATE_{new}");
        for spelling in [
            json!(schema),
            json!(format!("TASK_STATE_{proto}")),
            json!(new),
            json!(number),
        ] {
            let status = up(old::read::<old::TaskStatus>, &json!({ "state": spelling })).unwrap();
            assert_eq!(status, (json!({ "state": new }), vec![]), "{spelling}");
        }
        let status = down(old::write::<old::TaskStatus>, &json!({ "state": new })).unwrap();
        assert_eq!(status, (json!({ "state": schema }), vec![]));
    }
    for text in ["unknown", "paused", "TASK_STATE_PAUSED"] {
        let status = up(old::read::<old::TaskStatus>, &json!({ "state": text })).unwrap();
        assert_eq!(
            status.0,
            json!({"state": "TASK_STATE_UNSPECIFIED"}),
            "{text}"
        );
        assert_eq!(status.1, ["U7"], "{text}");
    }
    for (role, new) in [("user", "ROLE_USER"), ("agent", "ROLE_AGENT")] {
        for spelling in [
            json!(role),
            json!(new),
            json!(1 + i32::from(role == "agent")),
        ] {
            let text = json!({"kind": "message", "messageId": "m", "role": spelling, "parts": []});
            let message = up(old::read::<old::Message>, &text).unwrap();
            assert_eq!(message.0["role"], new, "{spelling}");
        }
    }
}

/// Media types, names and metadata of files come over, and so does data of every type.
#[test]
fn parts_keep_what_they_hold() {
    let metadata = json!({"k": "v"});
    for (old_part, new_part) in [
        (
            json!({"kind": "file", "file": {"bytes": "AAEC/w==", "mimeType": "a/b", "name": "n"}, "metadata": metadata}),
            json!({"raw": "AAEC/w==", "mediaType": "a/b", "filename": "n", "metadata": metadata}),
        ),
        (
            json!({"kind": "file", "file": {"uri": "https://f.example", "mimeType": "a/b", "name": "n"}, "metadata": metadata}),
            json!({"url": "https://f.example", "mediaType": "a/b", "filename": "n", "metadata": metadata}),
        ),
        (
            json!({"kind": "text", "text": "", "metadata": metadata}),
            json!({"text": "", "metadata": metadata}),
        ),
        (
            json!({"kind": "data", "data": {"a": {}}, "metadata": metadata}),
            json!({"data": {"a": {}}, "metadata": metadata}),
        ),
    ] {
        assert_eq!(
            up(old::read::<old::Part>, &old_part).unwrap(),
            (new_part.clone(), vec![])
        );
        assert_eq!(
            down(old::write::<old::Part>, &new_part).unwrap(),
            (old_part, vec![])
        );
    }
    for value in [
        json!(null),
        json!(true),
        json!(0),
        json!(9_007_199_254_740_993_u64),
        json!("x"),
        json!([]),
        json!([null, {"value": 1}]),
    ] {
        let new_part = json!({ "data": value });
        let (old_part, losses) = down(old::write::<old::Part>, &new_part).unwrap();
        assert_eq!(losses, Vec::<&str>::new());
        assert_eq!(old_part["data"], json!({ "value": value }));
        assert_eq!(
            up(old::read::<old::Part>, &old_part).unwrap(),
            (new_part, vec![])
        );
    }
}

/// Results and events stand bare with a `kind`, and wrapped in v1.0.
#[test]
fn results_and_events_are_unwrapped_and_wrapped() {
    let task = (
        json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "working"}}),
        json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}),
    );
    let message = (
        json!({"kind": "message", "messageId": "m", "role": "agent", "parts": []}),
        json!({"messageId": "m", "role": "ROLE_AGENT", "parts": []}),
    );
    let status = (
        json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "working"}, "final": false}),
        json!({"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}),
    );
    let artifact = (
        json!({"kind": "artifact-update", "taskId": "t", "contextId": "c", "artifact": {"artifactId": "a", "parts": []}, "append": true, "lastChunk": true}),
        json!({"taskId": "t", "contextId": "c", "artifact": {"artifactId": "a", "parts": []}, "append": true, "lastChunk": true}),
    );
    for (name, (bare, inner)) in [("task", &task), ("message", &message)] {
        let wrapped = json!({ name: inner });
        assert_eq!(
            up(old::read::<old::SendMessageResponse>, bare).unwrap(),
            (wrapped.clone(), vec![])
        );
        assert_eq!(
            down(old::write::<old::SendMessageResponse>, &wrapped).unwrap(),
            (bare.clone(), vec![])
        );
    }
    for (name, (bare, inner)) in [
        ("task", &task),
        ("message", &message),
        ("statusUpdate", &status),
        ("artifactUpdate", &artifact),
    ] {
        let wrapped = json!({ name: inner });
        assert_eq!(
            up(old::read::<old::StreamResponse>, bare).unwrap(),
            (wrapped.clone(), vec![])
        );
        assert_eq!(
            down(old::write::<old::StreamResponse>, &wrapped).unwrap(),
            (bare.clone(), vec![])
        );
    }
}

/// `final` follows from the state; for `auth-required` whoever knows that nothing follows says so.
#[test]
fn the_end_of_a_stream_is_marked_in_v0_3_and_derived_in_v1_0() {
    for (state, is_final) in [
        ("SUBMITTED", false),
        ("WORKING", false),
        ("AUTH_REQUIRED", false),
        ("COMPLETED", true),
        ("FAILED", true),
        ("CANCELED", true),
        ("REJECTED", true),
        ("INPUT_REQUIRED", true),
    ] {
        let event = json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": format!("TASK_STATE_{state}")}}});
        let (bare, losses) = down(old::write::<old::StreamResponse>, &event).unwrap();
        assert_eq!(
            (&bare["final"], losses),
            (&json!(is_final), vec![]),
            "{state}"
        );
        assert_eq!(
            up(old::read::<old::StreamResponse>, &bare).unwrap(),
            (event.clone(), vec![])
        );
        // The same over gRPC.
        let new = v1_0::StreamResponse::read_json(event.to_string().as_bytes()).unwrap();
        for last_event in [false, true] {
            let mut options = Options::default();
            options.last_event = last_event;
            let (old, _) = adapt::down::<_, v0_3::StreamResponse>(new.clone(), &options).unwrap();
            let Some(v0_3::stream_response::Payload::StatusUpdate(update)) = old.payload else {
                panic!("{event}")
            };
            let is_marked = is_final || last_event && state == "AUTH_REQUIRED";
            assert_eq!(update.r#final, is_marked, "{state}");
        }
    }
}

/// Nested with `schemes` in v0.3, flat with one `scheme` in v1.0; `id` is the task in what asks.
#[test]
fn registrations_of_webhooks_are_nested_and_flat() {
    let nested = json!({"taskId": "t", "pushNotificationConfig": {"url": "https://h.example", "id": "p", "token": "k", "authentication": {"schemes": ["Bearer"], "credentials": "c"}}});
    let flat = json!({"taskId": "t", "id": "p", "url": "https://h.example", "token": "k", "authentication": {"scheme": "Bearer", "credentials": "c"}});
    assert_eq!(
        up(old::read::<old::TaskPushNotificationConfig>, &nested).unwrap(),
        (flat.clone(), vec![])
    );
    assert_eq!(
        down(old::write::<old::TaskPushNotificationConfig>, &flat).unwrap(),
        (nested, vec![])
    );
    let asked = json!({"id": "t", "pushNotificationConfigId": "p"});
    let asks = json!({"taskId": "t", "id": "p"});
    assert_eq!(
        up(
            old::read::<old::GetTaskPushNotificationConfigParams>,
            &asked
        )
        .unwrap(),
        (asks.clone(), vec![])
    );
    assert_eq!(
        up(
            old::read::<old::DeleteTaskPushNotificationConfigParams>,
            &asked
        )
        .unwrap(),
        (asks.clone(), vec![])
    );
    assert_eq!(
        down(
            old::write::<old::GetTaskPushNotificationConfigParams>,
            &asks
        )
        .unwrap(),
        (asked.clone(), vec![])
    );
    assert_eq!(
        down(
            old::write::<old::DeleteTaskPushNotificationConfigParams>,
            &asks
        )
        .unwrap(),
        (asked, vec![])
    );
}

fn card_of(more: &Value) -> Value {
    let mut card = json!({
        "name": "N", "description": "D", "version": "1", "url": "https://n.example",
        "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0", "capabilities": {},
        "defaultInputModes": [], "defaultOutputModes": [], "skills": [],
    });
    for (name, value) in more.as_object().unwrap() {
        card[name] = value.clone();
    }
    card
}

/// Who may call is never read as less than was asked for.
#[test]
fn security_of_cards_comes_over_or_is_refused_and_is_never_less() {
    let text = card_of(&json!({
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X"}, "bearer": {"type": "http", "scheme": "Bearer"}},
        "security": [{"key": [], "bearer": ["a"]}, {"bearer": []}, {"key": []}],
    }));
    let (card, losses) = up(old::read::<old::AgentCard>, &text).unwrap();
    assert_eq!(losses, Vec::<&str>::new());
    assert_eq!(
        card["securitySchemes"]["key"],
        json!({"apiKeySecurityScheme": {"location": "header", "name": "X"}})
    );
    assert_eq!(
        card["securityRequirements"],
        json!([{"schemes": {"key": {}, "bearer": {"list": ["a"]}}}, {"schemes": {"bearer": {}}}, {"schemes": {"key": {}}}])
    );
    assert_eq!(
        down(old::write::<old::AgentCard>, &card).unwrap(),
        (text.clone(), vec![])
    );
    // Not even where a reader of another language would find nothing in it.
    let mut unknown = text;
    unknown["securitySchemes"]["bearer"] =
        json!({"type": "http", "scheme": "Bearer", "audience": "x"});
    let (card, losses) = up(old::read::<old::AgentCard>, &unknown).unwrap();
    assert_eq!(losses, ["U9"]);
    for requirement in card["securityRequirements"]
        .as_array()
        .into_iter()
        .flatten()
    {
        assert_ne!(requirement["schemes"], json!({}), "{card}");
        assert!(requirement["schemes"].get("bearer").is_none(), "{card}");
    }
    // An empty list of v1.0 beside it asks for no less.
    let hybrid = card_of(&json!({
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X"}},
        "security": [{"key": []}], "securityRequirements": [],
    }));
    let (card, _) = up(old::read::<old::AgentCard>, &hybrid).unwrap();
    assert_eq!(
        card["securityRequirements"],
        json!([{"schemes": {"key": {}}}])
    );
    // Of several flows the first one of a fixed order is kept, and the others are told.
    let flows = json!({"password": {"tokenUrl": "https://t.example", "scopes": {}}, "authorizationCode": {"authorizationUrl": "https://a.example", "tokenUrl": "https://t.example", "scopes": {}}});
    let (scheme, losses) = up(
        old::read::<old::SecurityScheme>,
        &json!({"type": "oauth2", "flows": flows}),
    )
    .unwrap();
    assert_eq!(losses, ["U4"]);
    let kept = scheme["oauth2SecurityScheme"]["flows"].as_object().unwrap();
    assert_eq!(kept.keys().collect::<Vec<_>>(), ["authorizationCode"]);
}

/// Flags of the card are where each version has them, and false is not the same as unset.
#[test]
fn the_extended_card_is_declared_where_each_version_looks_for_it() {
    for (flag, inside) in [
        (Some(true), Some(true)),
        (Some(false), Some(false)),
        (None, None),
    ] {
        let mut text = card_of(&json!({}));
        if let Some(flag) = flag {
            text["supportsAuthenticatedExtendedCard"] = json!(flag);
        }
        let (card, losses) = up(old::read::<old::AgentCard>, &text).unwrap();
        assert_eq!(
            card["capabilities"].get("extendedAgentCard"),
            inside.map(Value::from).as_ref()
        );
        assert_eq!(losses, Vec::<&str>::new());
        assert_eq!(down(old::write::<old::AgentCard>, &card).unwrap().0, text);
    }
}

/// A card with interfaces of v1.0 is not taken for one of v0.3, whatever else it has.
#[test]
fn interfaces_win_over_the_address_of_v0_3() {
    let interfaces =
        json!([{"url": "/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]);
    let text = card_of(&json!({ "supportedInterfaces": interfaces }));
    let (card, _) = up(old::read::<old::AgentCard>, &text).unwrap();
    assert_eq!(card["supportedInterfaces"], interfaces);
    let (card, _) = up(
        old::read::<old::AgentCard>,
        &card_of(&json!({"supportedInterfaces": []})),
    )
    .unwrap();
    assert_eq!(
        card["supportedInterfaces"],
        json!([{"url": "https://n.example", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}])
    );
}

/// Lists that a card must have are there when they are empty; `null` is read as empty.
#[test]
fn required_lists_of_cards_are_written_and_nulls_are_read() {
    let text = card_of(&json!({
        "skills": [{"id": "s", "name": "S", "description": "d", "tags": null}],
        "defaultInputModes": null, "defaultOutputModes": null, "additionalInterfaces": null, "security": null,
        "securitySchemes": null,
    }));
    let (card, _) = up(old::read::<old::AgentCard>, &text).unwrap();
    for place in [
        "/defaultInputModes",
        "/defaultOutputModes",
        "/skills/0/tags",
    ] {
        assert_eq!(card.pointer(place), Some(&json!([])), "{place}");
    }
    let (again, _) = down(old::write::<old::AgentCard>, &card).unwrap();
    for place in [
        "/defaultInputModes",
        "/defaultOutputModes",
        "/skills/0/tags",
    ] {
        assert_eq!(again.pointer(place), Some(&json!([])), "{place}");
    }
    assert!(!again.to_string().contains("null"), "{again}");
}

/// The main address and the further ones of a written card never contradict each other.
#[test]
fn further_interfaces_do_not_repeat_or_contradict_the_main_one() {
    let interface = |url: &str, binding: &str| json!({"url": url, "protocolBinding": binding, "protocolVersion": "0.3"});
    let card = json!({
        "name": "N", "description": "D", "version": "1", "capabilities": {}, "skills": [],
        "defaultInputModes": [], "defaultOutputModes": [],
        "supportedInterfaces": [
            interface("https://a.example", "JSONRPC"), interface("https://a.example", "JSONRPC"),
            interface("https://a.example", "HTTP+JSON"), interface("https://b.example", "GRPC"),
        ],
    });
    let (text, _) = down(old::write::<old::AgentCard>, &card).unwrap();
    assert_eq!(
        (&text["url"], &text["preferredTransport"]),
        (&json!("https://a.example"), &json!("JSONRPC"))
    );
    let mut seen = vec![json!({"url": "https://a.example", "transport": "JSONRPC"})];
    for further in text["additionalInterfaces"].as_array().unwrap() {
        let is_main = *further == seen[0];
        assert!(is_main || !seen.contains(further), "{text}");
        seen.push(further.clone());
    }
    let (again, _) = up(old::read::<old::AgentCard>, &text).unwrap();
    assert_eq!(again["supportedInterfaces"].as_array().unwrap().len(), 3);
}
