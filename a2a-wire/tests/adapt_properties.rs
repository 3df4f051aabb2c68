//! Properties of the adapters between the protos of v0.3 and v1.0: what goes down and up again (or
//! up and down) is the same but for the losses that were told, and nothing makes them panic.

use a2a_wire::adapt::{self, Down, FileBytes, Loss, Options, Up};
use a2a_wire::types::{Struct, Timestamp};
use a2a_wire::v1_0::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, ApiKeySecurityScheme, Artifact,
    AuthenticationInfo, AuthorizationCodeOAuthFlow, DeviceCodeOAuthFlow, GetTaskRequest, Message,
    OAuth2SecurityScheme, OAuthFlows, Part, SecurityRequirement, SecurityScheme,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, StringList, Task,
    TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskStatus, TaskStatusUpdateEvent,
};
use a2a_wire::{WireMessage, v0_3};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use prost::Message as _;
use serde_json::{Value as Json, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9-]{0,6}", any::<String>()]
}

/// Free data; also such as is taken for wrapped data, or for the mark of it.
fn free() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        text().prop_map(Json::from),
        Just(json!({"value": 1})),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Json::from),
            btree_map("[a-z]{1,3}|value", inner, 0..3)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn metadata() -> impl Strategy<Value = Option<Struct>> {
    let entries = btree_map("[a-z]{1,3}|data_part_compat", free(), 0..3);
    option::of(entries.prop_map(|map| Struct(map.into_iter().collect())))
}

fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        text().prop_map(Part::text),
        vec(any::<u8>(), 0..9).prop_map(Part::raw),
        text().prop_map(Part::url),
        free().prop_map(Part::data),
        free().prop_map(Part::data),
    ];
    let more = prop_oneof![Just(String::new()), text()];
    (content, metadata(), more.clone(), more).prop_map(|(mut part, metadata, name, kind)| {
        part.metadata = metadata;
        part.with_filename(name).with_media_type(kind)
    })
}

fn message() -> impl Strategy<Value = Message> {
    let parts = vec(part(), 0..4);
    (
        text(),
        text(),
        0..3_i32,
        parts,
        metadata(),
        vec(text(), 0..3),
    )
        .prop_map(|(id, context, role, parts, metadata, ids)| {
            let mut message = Message::new()
                .with_message_id(id)
                .with_context_id(context)
                .with_role(role)
                .with_parts(parts)
                .with_reference_task_ids(ids.clone())
                .with_extensions(ids);
            message.metadata = metadata;
            message
        })
}

fn status() -> impl Strategy<Value = TaskStatus> {
    let time = option::of((0..1_000_000_i64).prop_map(|seconds| Timestamp::new(seconds, 1)));
    (-1..12_i32, option::of(message()), time).prop_map(|(state, message, timestamp)| {
        let mut status = TaskStatus::new().with_state(state);
        status.message = message;
        status.timestamp = timestamp;
        status
    })
}

fn artifact() -> impl Strategy<Value = Artifact> {
    (text(), text(), vec(part(), 0..3), metadata()).prop_map(|(id, name, parts, metadata)| {
        let mut artifact = Artifact::new()
            .with_artifact_id(id)
            .with_name(name.clone())
            .with_description(name)
            .with_parts(parts);
        artifact.metadata = metadata;
        artifact
    })
}

fn event() -> impl Strategy<Value = StreamResponse> {
    let status = || option::of(status());
    prop_oneof![
        (
            text(),
            status(),
            vec(artifact(), 0..3),
            vec(message(), 0..3),
            metadata()
        )
            .prop_map(|(id, status, artifacts, history, metadata)| {
                let mut task = Task::new()
                    .with_id(id)
                    .with_artifacts(artifacts)
                    .with_history(history);
                task.status = status;
                task.metadata = metadata;
                StreamResponse::task(task)
            }),
        message().prop_map(StreamResponse::message),
        (text(), status(), metadata()).prop_map(|(id, status, metadata)| {
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
        Just(StreamResponse::new()),
    ]
}

fn push_config() -> impl Strategy<Value = TaskPushNotificationConfig> {
    let sign_in = (text(), text()).prop_map(|(scheme, credentials)| {
        AuthenticationInfo::new()
            .with_scheme(scheme)
            .with_credentials(credentials)
    });
    (text(), text(), text(), text(), option::of(sign_in)).prop_map(
        |(tenant, task, id, url, sign_in)| {
            let mut config = TaskPushNotificationConfig::new()
                .with_tenant(tenant)
                .with_task_id(task)
                .with_id(id)
                .with_url(url);
            config.authentication = sign_in;
            config
        },
    )
}

fn request() -> impl Strategy<Value = SendMessageRequest> {
    let configuration = (
        option::of(push_config()),
        option::of(-1..3_i32),
        any::<bool>(),
        vec(text(), 0..3),
    )
        .prop_map(|(push, history, returns, modes)| {
            let mut configuration = SendMessageConfiguration::new()
                .with_return_immediately(returns)
                .with_accepted_output_modes(modes);
            configuration.history_length = history;
            configuration.task_push_notification_config = push;
            configuration
        });
    (
        option::of(message()),
        option::of(configuration),
        text(),
        metadata(),
    )
        .prop_map(|(message, configuration, tenant, metadata)| {
            let mut request = SendMessageRequest::new().with_tenant(tenant);
            request.message = message;
            request.configuration = configuration;
            request.metadata = metadata;
            request
        })
}

fn scheme() -> impl Strategy<Value = SecurityScheme> {
    let oauth = |flows: OAuthFlows| {
        SecurityScheme::oauth2_security_scheme(OAuth2SecurityScheme::new().with_flows(flows))
    };
    prop_oneof![
        text().prop_map(|name| {
            SecurityScheme::api_key_security_scheme(ApiKeySecurityScheme::new().with_name(name))
        }),
        any::<bool>().prop_map(move |pkce| {
            let flow = AuthorizationCodeOAuthFlow::new().with_pkce_required(pkce);
            oauth(OAuthFlows::authorization_code(flow))
        }),
        Just(oauth(OAuthFlows::new())),
        Just(oauth(OAuthFlows::device_code(DeviceCodeOAuthFlow::new()))),
        Just(SecurityScheme::new()),
    ]
}

fn requirement() -> impl Strategy<Value = SecurityRequirement> {
    btree_map("[a-c]", vec(text(), 0..2), 0..3).prop_map(|schemes| {
        let schemes = schemes.into_iter();
        SecurityRequirement::new()
            .with_schemes(schemes.map(|(name, list)| (name, StringList::new().with_list(list))))
    })
}

fn card() -> impl Strategy<Value = AgentCard> {
    let requirements = || vec(requirement(), 0..4);
    let version = prop_oneof!["0\\.3", "0\\.3", "0\\.3", "1\\.0", text()];
    let interface =
        (text(), "[A-C]", text(), version).prop_map(|(url, binding, tenant, version)| {
            AgentInterface::new()
                .with_url(url)
                .with_protocol_binding(binding)
                .with_tenant(tenant)
                .with_protocol_version(version)
        });
    let flags = (option::of(any::<bool>()), option::of(any::<bool>()));
    (
        btree_map("[a-c]", scheme(), 0..3),
        requirements(),
        requirements(),
        vec(interface, 0..4),
        flags,
        option::of(text()),
    )
        .prop_map(|(schemes, required, of_skill, interfaces, flags, link)| {
            let mut capabilities = AgentCapabilities::new();
            (capabilities.streaming, capabilities.extended_agent_card) = flags;
            let skill = AgentSkill::new().with_security_requirements(of_skill);
            let mut card = AgentCard::new()
                .with_security_schemes(schemes)
                .with_security_requirements(required)
                .with_supported_interfaces(interfaces)
                .with_capabilities(capabilities)
                .with_skills([skill]);
            card.icon_url.clone_from(&link);
            card.documentation_url = link;
            card
        })
}

/// Messages of v0.3 that v1.0 knows nothing of: made from any event, and changed.
fn old_event() -> impl Strategy<Value = v0_3::StreamResponse> {
    (event(), any::<bool>(), -1..12_i32).prop_filter_map("has a form", |(event, mark, state)| {
        let (mut old, _) = adapt::down::<_, v0_3::StreamResponse>(event, &raw()).ok()?;
        if let Some(v0_3::stream_response::Payload::StatusUpdate(event)) = &mut old.payload {
            event.r#final = mark;
            event.status.get_or_insert_default().state = state;
        }
        Some(old)
    })
}

fn old_request() -> impl Strategy<Value = v0_3::SendMessageRequest> {
    let schemes = vec("[a-z]{1,4}", 0..4);
    (request(), any::<bool>(), -1..3_i32, schemes, any::<bool>()).prop_filter_map(
        "has a form",
        |(request, blocking, history, schemes, has_configuration)| {
            let (mut old, _) = adapt::down::<_, v0_3::SendMessageRequest>(request, &raw()).ok()?;
            let configuration = old.configuration.get_or_insert_default();
            configuration.blocking = blocking;
            configuration.history_length = history;
            if let Some(push) = &mut configuration.push_notification {
                push.authentication.get_or_insert_default().schemes = schemes;
            }
            if !has_configuration {
                old.configuration = None;
            }
            Some(old)
        },
    )
}

/// Bytes as they are: guessing has a test of its own.
fn raw() -> Options {
    let mut options = Options::default();
    options.file_bytes = FileBytes::Raw;
    options
}

fn to_json(message: &impl WireMessage) -> Json {
    let mut out = Vec::new();
    message.write_json(&mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// Where two messages differ, but for empty values that are the same as none.
fn differences(path: &str, a: &Json, b: &Json, found: &mut Vec<String>) {
    let is_free = ["metadata", "data", "params", "header"]
        .iter()
        .any(|name| path == *name || path.ends_with(&format!(".{name}")));
    let is_empty = |value: &Json| match value {
        Json::Null | Json::Bool(false) => true,
        Json::String(text) => text.is_empty(),
        Json::Array(list) => list.is_empty(),
        Json::Object(map) => map.is_empty(),
        Json::Bool(true) | Json::Number(_) => false,
    };
    match (a, b) {
        (Json::Object(a), Json::Object(b)) if !is_free => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{key}");
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => differences(&path, a, b, found),
                    (Some(one), None) | (None, Some(one)) if key != "data" && is_empty(one) => {}
                    _ => found.push(path),
                }
            }
        }
        (Json::Array(a), Json::Array(b)) if !is_free && a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path}[{index}]"), a, b, found);
            }
        }
        (a, b) if a == b => {}
        _ => found.push(path.to_owned()),
    }
}

/// Differences that no loss tells.
fn untold(before: &Json, after: &Json, losses: &[Loss]) -> Vec<String> {
    let mut found = Vec::new();
    differences("", before, after, &mut found);
    found.retain(|path| {
        !losses.iter().any(|loss| {
            path.strip_prefix(loss.path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    });
    found
}

/// Down and up again; `None` when the older version has no form for it.
fn there_and_back<New, Old>(new: &New) -> Option<(Old, Vec<String>, Vec<Loss>)>
where
    New: WireMessage + Down<Old>,
    Old: WireMessage + Up<New>,
{
    let (old, losses) = adapt::down::<_, Old>(new.clone(), &raw()).ok()?;
    let (back, more) = adapt::up::<_, New>(old.clone(), &raw()).unwrap();
    // An empty scheme goes down as none, which is told once more coming up.
    assert!(more.iter().all(|loss| loss.id == "U10"), "{more:?}");
    let untold = untold(&to_json(new), &to_json(&back), &losses);
    Some((old, untold, losses))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn events_go_down_and_up(event in event()) {
        let is_empty = event.payload.is_none();
        match there_and_back::<_, v0_3::StreamResponse>(&event) {
            Some((_, untold, _)) => prop_assert_eq!(untold, Vec::<String>::new()),
            None => prop_assert!(is_empty),
        }
    }

    #[test]
    fn requests_go_down_and_up(request in request()) {
        let (old, untold, losses) =
            there_and_back::<_, v0_3::SendMessageRequest>(&request).unwrap();
        prop_assert_eq!(untold, Vec::<String>::new());
        let configuration = request.configuration.unwrap_or_default();
        prop_assert_eq!(old.configuration.unwrap().blocking, !configuration.return_immediately);
        prop_assert_eq!(losses.iter().any(|loss| loss.id == "D1" && loss.path == "tenant"), !request.tenant.is_empty());
    }

    #[test]
    fn push_configurations_go_down_and_up(config in push_config()) {
        let can_be_named = !config.task_id.is_empty() && !config.task_id.contains('/') && !config.id.contains('/');
        let named = there_and_back::<_, v0_3::TaskPushNotificationConfig>(&config);
        prop_assert_eq!(named.is_some(), can_be_named);
        let created = there_and_back::<_, v0_3::CreateTaskPushNotificationConfigRequest>(&config);
        prop_assert_eq!(created.is_some(), can_be_named);
        for untold in named.map(|(_, untold, _)| untold).into_iter().chain(created.map(|(_, untold, _)| untold)) {
            prop_assert_eq!(untold, Vec::<String>::new());
        }
    }

    #[test]
    fn ids_stand_in_names(id in text(), history in option::of(-1..3_i32)) {
        let mut request = GetTaskRequest::new().with_id(id.clone());
        request.history_length = history;
        match there_and_back::<_, v0_3::GetTaskRequest>(&request) {
            Some((_, untold, _)) => prop_assert_eq!(untold, Vec::<String>::new()),
            None => prop_assert!(id.is_empty() || id.contains('/')),
        }
    }

    /// What a card says of security is never less than before.
    #[test]
    fn cards_go_down_and_up(card in card()) {
        let Ok((old, losses)) = adapt::down::<_, v0_3::AgentCard>(card.clone(), &raw()) else {
            prop_assert!(card.supported_interfaces.iter().all(|each| !each.protocol_version.starts_with("0.")));
            return Ok(());
        };
        let (back, more) = adapt::up::<_, AgentCard>(old, &raw()).unwrap();
        let gone: Vec<&str> = card
            .security_schemes
            .keys()
            .filter(|name| !back.security_schemes.contains_key(*name))
            .map(String::as_str)
            .collect();
        for name in &gone {
            let path = format!("securitySchemes.{name}");
            prop_assert!(losses.iter().any(|loss| loss.path == path && matches!(loss.id, "D5" | "D10")));
        }
        prop_assert!(back.security_schemes.values().all(|scheme| scheme.scheme.is_some()));
        let expected = |requirements: &[SecurityRequirement]| -> Vec<SecurityRequirement> {
            let kept: Vec<_> = requirements
                .iter()
                .filter(|each| !each.schemes.keys().any(|name| gone.contains(&name.as_str())))
                .cloned()
                .collect();
            // None at all would say that anybody may call.
            if kept.is_empty() { requirements.to_vec() } else { kept }
        };
        prop_assert_eq!(&back.security_requirements, &expected(&card.security_requirements));
        prop_assert_eq!(&back.skills[0].security_requirements, &expected(&card.skills[0].security_requirements));
        // The rest is the same, once what has shrunk is left out.
        let rest = |card: &AgentCard| {
            let mut card = card.clone();
            card.security_schemes.retain(|name, _| !gone.contains(&name.as_str()));
            card.security_requirements.clear();
            card.skills.clear();
            card.supported_interfaces.clear();
            to_json(&card)
        };
        prop_assert_eq!(untold(&rest(&card), &rest(&back), &losses), Vec::<String>::new());
        let served = card.supported_interfaces.iter().filter(|each| each.protocol_version == "0.3");
        for interface in served {
            let is_same = |each: &AgentInterface| {
                each.url == interface.url && each.protocol_binding == interface.protocol_binding
            };
            prop_assert!(back.supported_interfaces.iter().any(is_same));
        }
        prop_assert!(more.iter().all(|loss| loss.id == "U6"));
    }

    #[test]
    fn old_events_go_up_and_down(event in old_event()) {
        let (new, losses) = adapt::up::<_, StreamResponse>(event.clone(), &raw()).unwrap();
        let (back, _) = adapt::down::<_, v0_3::StreamResponse>(new, &raw()).unwrap();
        let mut untold = untold(&to_json(&event), &to_json(&back), &losses);
        // That an event is not marked says less than its state.
        untold.retain(|path| path != "statusUpdate.final");
        prop_assert_eq!(untold, Vec::<String>::new());
    }

    #[test]
    fn old_requests_go_up_and_down(request in old_request()) {
        let (new, losses) = adapt::up::<_, SendMessageRequest>(request.clone(), &raw()).unwrap();
        let waits = request.configuration.as_ref().is_none_or(|each| each.blocking);
        let returns = new.configuration.as_ref().is_some_and(|each| each.return_immediately);
        prop_assert_eq!(waits, !returns);
        let (back, _) = adapt::down::<_, v0_3::SendMessageRequest>(new, &raw()).unwrap();
        let mut untold = untold(&to_json(&request), &to_json(&back), &losses);
        // Written also where there was none: what is absent means another thing to other agents.
        if request.configuration.is_none() {
            prop_assert!(back.configuration.is_some());
            untold.retain(|path| path != "configuration");
        }
        prop_assert_eq!(untold, Vec::<String>::new());
    }

    #[test]
    fn no_bytes_make_an_adapter_panic(bytes in vec(any::<u8>(), 0..200), event in event(), at in any::<prop::sample::Index>(), card in card()) {
        up_whatever_it_is(&bytes);
        // Of the wrong version, and damaged.
        for mut bytes in [event.encode_to_vec(), card.encode_to_vec()] {
            up_whatever_it_is(&bytes);
            if !bytes.is_empty() {
                let index = at.index(bytes.len());
                bytes[index] = bytes[index].wrapping_add(1);
                up_whatever_it_is(&bytes);
            }
        }
    }
}

fn up_whatever_it_is(bytes: &[u8]) {
    fn one<Old: WireMessage + Up<New>, New: WireMessage + Down<Old>>(bytes: &[u8]) {
        let options = Options::default();
        if let Ok(old) = Old::read_protobuf(bytes.to_vec().into())
            && let Ok((new, _)) = adapt::up::<Old, New>(old, &options)
        {
            let _ = adapt::down::<New, Old>(new, &options);
        }
    }
    one::<v0_3::StreamResponse, StreamResponse>(bytes);
    one::<v0_3::SendMessageRequest, SendMessageRequest>(bytes);
    one::<v0_3::AgentCard, AgentCard>(bytes);
    one::<v0_3::GetTaskRequest, GetTaskRequest>(bytes);
    one::<v0_3::CreateTaskPushNotificationConfigRequest, TaskPushNotificationConfig>(bytes);
    one::<v0_3::TaskPushNotificationConfig, TaskPushNotificationConfig>(bytes);
}
