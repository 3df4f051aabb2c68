//! Properties of the generated v1.0 types: what goes out comes back, and no bytes make a reader
//! panic.

use a2a_wire::WireMessage;
use a2a_wire::types::{Struct, Timestamp, Value};
use a2a_wire::v1_0::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface, AgentSkill,
    ApiKeySecurityScheme, Artifact, AuthorizationCodeOAuthFlow, ListTasksRequest, Message,
    OAuth2SecurityScheme, OAuthFlows, Part, SecurityRequirement, SecurityScheme,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, StringList, Task,
    TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskStatus, TaskStatusUpdateEvent,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use prost::Message as _;
use serde_json::{Map, Number, Value as Json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9-]{0,12}", any::<String>()]
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        (-1000_i32..1000).prop_map(|number| Json::from(f64::from(number) / 4.0)),
        text().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Json::from),
            btree_map(text(), inner, 0..6).prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn metadata() -> impl Strategy<Value = Option<Struct>> {
    option::of(btree_map(text(), json(), 0..4).prop_map(|map| Struct(map.into_iter().collect())))
}

fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        text().prop_map(Part::text),
        vec(any::<u8>(), 0..40).prop_map(Part::raw),
        text().prop_map(Part::url),
        json().prop_map(Part::data),
        Just(Part::new()),
    ];
    (content, metadata(), text(), text()).prop_map(|(mut part, metadata, filename, media_type)| {
        part.metadata = metadata;
        part.with_filename(filename).with_media_type(media_type)
    })
}

fn message() -> impl Strategy<Value = Message> {
    (
        text(),
        text(),
        -1..5_i32,
        vec(part(), 0..4),
        metadata(),
        vec(text(), 0..3),
    )
        .prop_map(|(id, context, role, parts, metadata, extensions)| {
            let mut message = Message::new()
                .with_message_id(id)
                .with_context_id(context)
                .with_role(role)
                .with_parts(parts)
                .with_reference_task_ids(extensions.clone())
                .with_extensions(extensions);
            message.metadata = metadata;
            message
        })
}

fn timestamp() -> impl Strategy<Value = Timestamp> {
    (-62_135_596_800_i64..=253_402_300_799, 0..1_000_000_000)
        .prop_map(|(seconds, nanos)| Timestamp::new(seconds, nanos))
}

fn status() -> impl Strategy<Value = TaskStatus> {
    (any::<i32>(), option::of(message()), option::of(timestamp())).prop_map(
        |(state, message, timestamp)| {
            let mut status = TaskStatus::new().with_state(state);
            status.message = message;
            status.timestamp = timestamp;
            status
        },
    )
}

fn artifact() -> impl Strategy<Value = Artifact> {
    (text(), text(), vec(part(), 0..4), metadata()).prop_map(|(id, name, parts, metadata)| {
        let mut artifact = Artifact::new()
            .with_artifact_id(id)
            .with_name(name)
            .with_parts(parts);
        artifact.metadata = metadata;
        artifact
    })
}

fn task() -> impl Strategy<Value = Task> {
    (
        text(),
        option::of(status()),
        vec(artifact(), 0..3),
        vec(message(), 0..3),
        metadata(),
    )
        .prop_map(|(id, status, artifacts, history, metadata)| {
            let mut task = Task::new()
                .with_id(id)
                .with_artifacts(artifacts)
                .with_history(history);
            task.status = status;
            task.metadata = metadata;
            task
        })
}

fn event() -> impl Strategy<Value = StreamResponse> {
    prop_oneof![
        task().prop_map(StreamResponse::task),
        message().prop_map(StreamResponse::message),
        (text(), option::of(status()), metadata()).prop_map(|(id, status, metadata)| {
            let mut event = TaskStatusUpdateEvent::new().with_task_id(id);
            event.status = status;
            event.metadata = metadata;
            StreamResponse::status_update(event)
        }),
        (option::of(artifact()), any::<bool>(), any::<bool>()).prop_map(
            |(artifact, append, last)| {
                let mut event = TaskArtifactUpdateEvent::new()
                    .with_append(append)
                    .with_last_chunk(last);
                event.artifact = artifact;
                StreamResponse::artifact_update(event)
            }
        ),
    ]
}

fn request() -> impl Strategy<Value = SendMessageRequest> {
    (
        option::of(message()),
        option::of(any::<i32>()),
        any::<bool>(),
        vec(text(), 0..3),
        metadata(),
    )
        .prop_map(|(message, history, returns, modes, metadata)| {
            let mut configuration = SendMessageConfiguration::new()
                .with_return_immediately(returns)
                .with_accepted_output_modes(modes);
            configuration.history_length = history;
            let mut request = SendMessageRequest::new().with_configuration(
                configuration.with_task_push_notification_config(
                    TaskPushNotificationConfig::new().with_url("u"),
                ),
            );
            request.message = message;
            request.metadata = metadata;
            request
        })
}

fn card() -> impl Strategy<Value = AgentCard> {
    let scheme = prop_oneof![
        text().prop_map(|name| SecurityScheme::api_key_security_scheme(
            ApiKeySecurityScheme::new().with_name(name)
        )),
        btree_map(text(), text(), 0..3).prop_map(|scopes| {
            let flow = AuthorizationCodeOAuthFlow::new().with_scopes(scopes);
            let flows = OAuthFlows::authorization_code(flow);
            SecurityScheme::oauth2_security_scheme(OAuth2SecurityScheme::new().with_flows(flows))
        }),
        Just(SecurityScheme::new()),
    ];
    let requirement = btree_map(text(), vec(text(), 0..3), 0..3).prop_map(|schemes| {
        SecurityRequirement::new().with_schemes(
            schemes
                .into_iter()
                .map(|(name, list)| (name, StringList::new().with_list(list))),
        )
    });
    let skill = (text(), vec(text(), 0..3))
        .prop_map(|(id, tags)| AgentSkill::new().with_id(id).with_tags(tags));
    (
        text(),
        btree_map(text(), scheme, 0..3),
        vec(requirement, 0..3),
        vec(skill, 0..3),
        option::of(any::<bool>()),
        metadata(),
    )
        .prop_map(|(name, schemes, requirements, skills, streaming, params)| {
            let mut extension = AgentExtension::new().with_uri("u").with_required(true);
            extension.params = params.clone();
            let mut capabilities = AgentCapabilities::new().with_extensions([extension]);
            capabilities.streaming = streaming;
            let mut signature = AgentCardSignature::new()
                .with_protected("p")
                .with_signature("s");
            signature.header = params;
            AgentCard::new()
                .with_name(name)
                .with_security_schemes(schemes)
                .with_security_requirements(requirements)
                .with_skills(skills)
                .with_capabilities(capabilities)
                .with_supported_interfaces([AgentInterface::new().with_url("https://example.com")])
                .with_signatures([signature])
        })
}

fn to_json(message: &impl WireMessage) -> Vec<u8> {
    let mut out = Vec::new();
    message.write_json(&mut out).unwrap();
    out
}

/// Through JSON the very same message comes back, by all doors.
fn json_round_trip<M: WireMessage + serde::Serialize + serde::de::DeserializeOwned>(message: &M) {
    let text = to_json(message);
    assert_eq!(&M::read_json(&text).unwrap(), message);
    let text = String::from_utf8(text).unwrap();
    assert_eq!(serde_json::to_string(message).unwrap(), text);
    assert_eq!(&serde_json::from_str::<M>(&text).unwrap(), message);
    assert_eq!(
        &M::read_json(serde_json::to_string_pretty(message).unwrap().as_bytes()).unwrap(),
        message
    );
}

/// Through protobuf the same message comes back, but for numbers of free JSON, which are doubles
/// there. After the first time, nothing changes any more.
fn protobuf_round_trip<M: WireMessage>(message: &M) {
    let bytes = message.encode_to_vec();
    assert_eq!(bytes.len(), message.encoded_len());
    let once = M::decode(bytes.as_slice()).unwrap();
    assert_eq!(M::read_protobuf(bytes.clone().into()).as_ref(), Ok(&once));
    assert_eq!(once.encode_to_vec(), bytes);
    let twice = M::decode(once.encode_to_vec().as_slice()).unwrap();
    assert_eq!(twice, once);
    let expected = doubles(serde_json::from_slice(&to_json(message)).unwrap());
    let found = doubles(serde_json::from_slice(&to_json(&once)).unwrap());
    assert_eq!(found, expected);
}

/// All numbers as doubles.
fn doubles(value: Json) -> Json {
    match value {
        Json::Number(number) => number
            .as_f64()
            .and_then(Number::from_f64)
            .map_or(Json::Null, Json::Number),
        Json::Array(list) => list.into_iter().map(doubles).collect(),
        Json::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, doubles(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn events_round_trip(event in event()) {
        json_round_trip(&event);
        protobuf_round_trip(&event);
    }

    #[test]
    fn requests_round_trip(request in request()) {
        json_round_trip(&request);
        protobuf_round_trip(&request);
    }

    #[test]
    fn cards_round_trip(card in card()) {
        json_round_trip(&card);
        protobuf_round_trip(&card);
    }

    #[test]
    fn free_json_round_trips(value in json()) {
        let value = Value(value);
        assert_eq!(&serde_json::from_str::<Value>(&serde_json::to_string(&value).unwrap()).unwrap(), &value);
        let bytes = value.encode_to_vec();
        assert_eq!(bytes.len(), value.encoded_len());
        let back = Value::decode(bytes.as_slice()).unwrap();
        assert_eq!(doubles(back.0), doubles(value.0));
    }

    #[test]
    fn timestamps_round_trip(timestamp in timestamp()) {
        assert_eq!(timestamp.to_string().parse::<Timestamp>().unwrap(), timestamp);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = StreamResponse::read_json(&bytes);
        let _ = StreamResponse::read_protobuf(bytes.clone().into());
        let _ = Value::decode(bytes.as_slice());
    }

    #[test]
    fn no_json_makes_a_reader_panic(value in json()) {
        let text = serde_json::to_vec(&value).unwrap();
        let _ = SendMessageRequest::read_json(&text);
        let _ = AgentCard::read_json(&text);
    }

    #[test]
    fn a_changed_byte_makes_no_reader_panic(
        event in event(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut text = to_json(&event);
        let index = at.index(text.len());
        text[index] = byte;
        let _ = StreamResponse::read_json(&text);
        let mut bytes = event.encode_to_vec();
        if !bytes.is_empty() {
            let index = at.index(bytes.len());
            bytes[index] = byte;
            let _ = StreamResponse::decode(bytes.as_slice());
        }
    }

    #[test]
    fn a_cut_text_is_an_error(event in event(), at in any::<prop::sample::Index>()) {
        let text = to_json(&event);
        prop_assert!(StreamResponse::read_json(&text[..at.index(text.len())]).is_err());
    }

    #[test]
    fn no_path_or_text_makes_a_binder_panic(path in any::<String>(), text in any::<String>()) {
        let names = ["status", "status_timestamp_after", "page_size", "tenant", &path];
        for name in names {
            let _ = ListTasksRequest::new().bind_text(name, text.as_str().into(), a2a_wire::__codegen::Rule::Agree);
        }
    }
}
