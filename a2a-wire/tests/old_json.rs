//! The JSON of v0.3 as peers write it: each of its odd shapes is read, and what cannot be understood
//! is refused or left out, never read by half.

use a2a_wire::adapt::{JsonForm, Language, Loss, Options, Sender};
use a2a_wire::{WireMessage, json, v0_3_json as old, v1_0};
use serde_json::{Value, json};

fn read<C>(text: &Value) -> Result<(Value, Vec<String>), json::Error>
where
    C: a2a_wire::__codegen::json::Codec<Value: WireMessage> + JsonForm<C::Value>,
{
    read_with::<C>(text, &Options::default())
}

fn read_with<C>(text: &Value, options: &Options) -> Result<(Value, Vec<String>), json::Error>
where
    C: a2a_wire::__codegen::json::Codec<Value: WireMessage> + JsonForm<C::Value>,
{
    let (value, losses) = old::read::<C>(text.to_string().as_bytes(), options)?;
    let mut written = Vec::new();
    value.write_json(&mut written).unwrap();
    Ok((serde_json::from_slice(&written).unwrap(), told(&losses)))
}

fn told(losses: &[Loss]) -> Vec<String> {
    losses
        .iter()
        .map(|loss| format!("{} {}", loss.id, loss.path))
        .collect()
}

fn strict() -> Options {
    let mut options = Options::default();
    options.tolerant = false;
    options
}

fn card(more: &Value) -> Value {
    let mut card = json!({
        "name": "N", "description": "D", "version": "1", "url": "https://n.example",
        "protocolVersion": "0.3.0", "capabilities": {}, "defaultInputModes": [],
        "defaultOutputModes": [], "skills": [],
    });
    for (key, value) in more.as_object().unwrap() {
        card[key] = value.clone();
    }
    card
}

#[test]
fn a_scheme_that_is_not_understood_goes_with_all_that_requires_it() {
    let good = json!({"type": "http", "scheme": "Bearer"});
    for bad in [
        json!({"type": "hmac"}),
        json!({"scheme": "Bearer"}),
        json!({"type": "http", "scheme": "Bearer", "audience": "x"}),
        json!({"type": "apiKey", "in": "body", "name": "k"}),
        json!({"type": "oauth2", "flows": {"implicit": {"authorizationUrl": "a", "scopes": {}, "nonce": 1}}}),
        json!({"type": "oauth2", "flows": {"magic": {}}}),
        json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}, "color": 1}),
        json!({"type": "apiKey", "in": "header", "name": "k", "httpAuthSecurityScheme": {"scheme": "Bearer"}}),
        json!({"apiKeySecurityScheme": {"location": "header", "name": "k"}, "mtlsSecurityScheme": {}}),
        json!({"type": 7}),
        json!([]),
    ] {
        let text = card(&json!({
            "securitySchemes": {"good": good, "bad": bad},
            "security": [{"bad": []}, {"good": [], "bad": ["x"]}, {"good": ["y"]}],
            "skills": [{"id": "s", "name": "S", "description": "d", "tags": [], "security": [{"bad": []}]}],
        }));
        let (card, losses) = read::<old::AgentCard>(&text).unwrap();
        let schemes = json!({"good": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}});
        assert_eq!(card["securitySchemes"], schemes, "{bad}");
        let requirements = json!([{"schemes": {"good": {"list": ["y"]}}}]);
        assert_eq!(card["securityRequirements"], requirements, "{bad}");
        // The skill asks for that scheme alone, and must not come to ask for nothing.
        let of_skill = &card["skills"][0]["securityRequirements"];
        assert_eq!(*of_skill, json!([{"schemes": {"bad": {}}}]), "{bad}");
        assert_eq!(losses, ["U9 securitySchemes.bad"], "{bad}");
        let error = read_with::<old::AgentCard>(&text, &strict()).unwrap_err();
        assert!(
            error.path().starts_with("securitySchemes.bad"),
            "{bad}: {error}"
        );
    }
}

#[test]
fn requirements_are_read_in_both_forms_and_never_by_half() {
    let expected = json!([
        {"schemes": {"a": {"list": ["x"]}, "b": {"list": []}}},
        {"schemes": {"schemes": {"list": ["x"]}}},
        {"schemes": {}},
    ]);
    let schemes = json!([
        {"a": ["x"], "b": []},
        {"schemes": ["x"]},
        {},
    ]);
    let wrapped = json!([
        {"schemes": {"a": {"list": ["x"]}, "b": {}}},
        {"schemes": {"schemes": ["x"]}},
        {"schemes": {}},
    ]);
    let lists = |value: &Value| {
        let mut value = value.clone();
        for scheme in value.as_array_mut().unwrap().iter_mut() {
            for list in scheme["schemes"].as_object_mut().unwrap().values_mut() {
                if list.get("list").is_none() {
                    list["list"] = json!([]);
                }
            }
        }
        value
    };
    for security in [&schemes, &wrapped] {
        for name in ["security", "securityRequirements", "security_requirements"] {
            let (card, losses) = read::<old::AgentCard>(&card(&json!({ name: security }))).unwrap();
            let mut found = card["securityRequirements"].clone();
            for each in found.as_array_mut().unwrap() {
                if each.get("schemes").is_none() {
                    each["schemes"] = json!({});
                }
            }
            assert_eq!(lists(&found), expected, "{security}");
            assert!(losses.is_empty());
        }
    }
    for bad in [
        json!([{"a": "x"}]),
        json!([{"a": {"list": ["x"]}}]),
        json!([{"a": null}]),
        json!([{"schemes": {"a": {"list": [], "all": true}}}]),
        json!([{"schemes": {"a": 5}}]),
        json!([{"a": [7]}]),
        json!([null]),
        json!({"a": []}),
    ] {
        let error = read::<old::AgentCard>(&card(&json!({ "security": bad }))).unwrap_err();
        assert!(error.path().starts_with("security"), "{bad}: {error}");
    }
}

#[test]
fn cards_of_both_versions_are_read_member_by_member() {
    let text = card(&json!({
        "supportedInterfaces": [
            {"url": "https://new.example", "protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "t"},
        ],
        "capabilities": {"extendedAgentCard": true, "streaming": true},
        "supportsAuthenticatedExtendedCard": false,
        "securityRequirements": [{"schemes": {"k": {"list": []}}}],
        "security": [{"old": []}],
        "securitySchemes": {
            "k": {"type": "apiKey", "in": "header", "name": "X", "apiKeySecurityScheme": {"location": "query", "name": "Y"}},
            "o": {"oauth2SecurityScheme": {"flows": {"deviceCode": {"deviceAuthorizationUrl": "d", "tokenUrl": "t", "scopes": {}}}}},
            "p": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "a", "tokenUrl": "t", "scopes": {}, "pkceRequired": true}}},
        },
    }));
    let (card, losses) = read::<old::AgentCard>(&text).unwrap();
    assert_eq!(card["supportedInterfaces"], text["supportedInterfaces"]);
    assert_eq!(card["capabilities"], text["capabilities"]);
    assert_eq!(
        card["securityRequirements"][0]["schemes"]["k"].get("old"),
        None
    );
    assert_eq!(card["securityRequirements"].as_array().unwrap().len(), 1);
    let schemes = &card["securitySchemes"];
    assert_eq!(
        schemes["k"],
        json!({"apiKeySecurityScheme": {"location": "query", "name": "Y"}})
    );
    assert!(
        schemes["o"]["oauth2SecurityScheme"]["flows"]
            .get("deviceCode")
            .is_some()
    );
    let flow = &schemes["p"]["oauth2SecurityScheme"]["flows"]["authorizationCode"];
    assert_eq!(flow["pkceRequired"], true);
    assert_eq!(losses, Vec::<String>::new());
}

#[test]
fn of_several_flows_one_is_kept() {
    let flow = json!({"tokenUrl": "t", "scopes": {"s": "S"}});
    let text = json!({"type": "oauth2", "flows": {"password": flow, "clientCredentials": flow}});
    let (scheme, losses) = read::<old::SecurityScheme>(&text).unwrap();
    let expected = json!({"oauth2SecurityScheme": {"flows": {"clientCredentials": flow}}});
    assert_eq!(scheme, expected);
    assert_eq!(losses, ["U4 flows.password"]);
}

#[test]
fn schemes_that_v0_3_cannot_say_are_left_out_with_what_requires_them() {
    let device = json!({"oauth2SecurityScheme": {"flows": {"deviceCode": {"deviceAuthorizationUrl": "d", "tokenUrl": "t", "scopes": {}}}}});
    let value = json!({
        "name": "N", "description": "D", "version": "1", "capabilities": {},
        "supportedInterfaces": [{"url": "u", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}],
        "defaultInputModes": [], "defaultOutputModes": [], "skills": [],
        "securitySchemes": {
            "device": device,
            "odd": {"apiKeySecurityScheme": {"location": "body", "name": "k"}},
            "empty": {},
            "good": {"mtlsSecurityScheme": {}},
        },
        "securityRequirements": [
            {"schemes": {"device": {}}}, {"schemes": {"odd": {}, "good": {}}}, {"schemes": {"good": {}}},
        ],
    });
    let card = v1_0::AgentCard::read_json(value.to_string().as_bytes()).unwrap();
    let mut text = Vec::new();
    let losses = old::write::<old::AgentCard>(&card, &Options::default(), &mut text).unwrap();
    let text: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(
        text["securitySchemes"],
        json!({"good": {"type": "mutualTLS"}})
    );
    assert_eq!(text["security"], json!([{"good": []}]));
    assert_eq!(
        told(&losses),
        [
            "D5 securitySchemes.device",
            "D10 securitySchemes.empty",
            "D10 securitySchemes.odd"
        ]
    );
    let error = old::write::<old::AgentCard>(&card, &strict(), &mut Vec::new()).unwrap_err();
    assert!(error.path().starts_with("securitySchemes."), "{error}");
}

#[test]
fn where_no_requirement_would_be_left_all_stay() {
    let bad = json!({"type": "hmac"});
    let text =
        card(&json!({"securitySchemes": {"bad": bad}, "security": [{"bad": ["x"]}, {"bad": []}]}));
    let (card, losses) = read::<old::AgentCard>(&text).unwrap();
    assert_eq!(losses, ["U9 securitySchemes.bad"]);
    assert_eq!(card.get("securitySchemes"), None);
    assert_eq!(card["securityRequirements"].as_array().unwrap().len(), 2);

    let device = json!({"oauth2SecurityScheme": {"flows": {"deviceCode": {"deviceAuthorizationUrl": "d", "tokenUrl": "t", "scopes": {}}}}});
    let value = json!({
        "name": "N", "description": "D", "version": "1", "capabilities": {},
        "supportedInterfaces": [{"url": "u", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}],
        "defaultInputModes": [], "defaultOutputModes": [],
        "securitySchemes": {"device": device},
        "securityRequirements": [{"schemes": {"device": {"list": ["s"]}}}],
        "skills": [{"id": "s", "name": "S", "description": "d", "tags": [],
            "securityRequirements": [{"schemes": {"device": {}}}]}],
    });
    let card = v1_0::AgentCard::read_json(value.to_string().as_bytes()).unwrap();
    let mut text = Vec::new();
    let losses = old::write::<old::AgentCard>(&card, &Options::default(), &mut text).unwrap();
    let text: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(told(&losses), ["D5 securitySchemes.device"]);
    assert_eq!(text["security"], json!([{"device": ["s"]}]));
    assert_eq!(text["skills"][0]["security"], json!([{"device": []}]));
}

#[test]
fn requests_that_register_a_webhook_have_four_shapes() {
    type Codec = old::CreateTaskPushNotificationConfigRequest;
    let inner = json!({"id": "p1", "url": "u"});
    let expected = json!({"taskId": "t", "id": "p1", "url": "u"});
    let name = "tasks/t/pushNotificationConfigs/p1";
    for text in [
        json!({"parent": "tasks/t", "configId": "p1", "config": {"pushNotificationConfig": {"url": "u"}}}),
        json!({"parent": "task/t/pushNotificationConfigs", "config": {"name": name, "push_notification_config": inner}}),
        json!({"config": {"name": name, "pushNotificationConfig": inner}}),
        json!({"name": name, "pushNotificationConfig": {"url": "u"}}),
        json!({"taskId": "t", "pushNotificationConfig": inner}),
        json!({"parent": "tasks/t", "config_id": "p1", "config": {"name": name, "pushNotificationConfig": inner}, "name": name, "pushNotificationConfig": inner}),
    ] {
        let (found, losses) =
            read::<Codec>(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found, expected, "{text}");
        assert!(losses.is_empty());
    }
    for (text, path) in [
        (json!({"parent": "tasks/t"}), "config"),
        (
            json!({"parent": "tasks/a/b", "config": {"pushNotificationConfig": inner}}),
            "parent",
        ),
        (
            json!({"parent": "tasks/t", "taskId": "other", "config": {"pushNotificationConfig": inner}}),
            "",
        ),
        (
            json!({"config": {"name": name}}),
            "config.pushNotificationConfig",
        ),
        (
            json!({"config": {"name": "t/p1", "pushNotificationConfig": inner}}),
            "config.name",
        ),
    ] {
        let error = read::<Codec>(&text).unwrap_err();
        assert!(error.path().starts_with(path), "{text}: {error}");
    }
}

#[test]
fn a_webhook_may_be_asked_for_without_its_id_by_option_only() {
    type Codec = old::GetTaskPushNotificationConfigParams;
    let mut lenient = Options::default();
    lenient.config_id_optional = true;
    for text in [
        json!({"id": "t"}),
        json!({"id": "t", "pushNotificationConfigId": ""}),
        json!({"name": "tasks/t/pushNotificationConfigs/"}),
        json!({"name": "tasks/t/pushNotificationConfigs/None"}),
    ] {
        assert_eq!(
            read::<Codec>(&text).unwrap_err().path(),
            "pushNotificationConfigId",
            "{text}"
        );
        let (request, _) = read_with::<Codec>(&text, &lenient).unwrap();
        assert_eq!(request["taskId"], "t", "{text}");
        assert_eq!(request["id"], "", "{text}");
    }
    // The older `id` is the task, whatever the newer one calls `id`.
    let text = json!({"id": "t", "pushNotificationConfigId": "c"});
    assert_eq!(
        read::<Codec>(&text).unwrap().0,
        json!({"taskId": "t", "id": "c"})
    );
}

#[test]
fn lists_of_webhooks_are_bare_or_wrapped() {
    type Codec = old::ListTaskPushNotificationConfigsResponse;
    let config = json!({"taskId": "t", "pushNotificationConfig": {"url": "u"}});
    for text in [
        json!([config]),
        json!({"configs": [config]}),
        json!({"configs": [{"name": "tasks/t/pushNotificationConfigs/", "pushNotificationConfig": {"url": "u"}}]}),
    ] {
        let (found, _) = read::<Codec>(&text).unwrap();
        assert_eq!(found["configs"][0]["taskId"], "t", "{text}");
    }
    let (found, _) = read::<Codec>(&json!({"configs": [], "next_page_token": "n"})).unwrap();
    assert_eq!(found["nextPageToken"], "n");
    assert_eq!(read::<Codec>(&json!(null)).unwrap().0, json!({}));
    let error = read::<Codec>(&json!([{"taskId": 7}])).unwrap_err();
    assert_eq!(error.path(), "[0].taskId");
}

#[test]
fn the_language_decides_where_the_shape_does_not() {
    let mut proto = Options::default();
    proto.language = Language::Proto;
    let message =
        json!({"messageId": "m", "role": "user", "parts": [{"data": {"data": {"a": 1}}}]});
    let request = json!({"message": message, "configuration": {}});
    let (found, losses) = read::<old::MessageSendParams>(&request).unwrap();
    assert_eq!(
        found["message"]["parts"][0]["data"],
        json!({"data": {"a": 1}})
    );
    assert_eq!(found["configuration"], json!({}));
    assert_eq!(losses, ["U8 configuration.blocking"]);
    let (found, losses) = read_with::<old::MessageSendParams>(&request, &proto).unwrap();
    assert_eq!(found["message"]["parts"][0]["data"], json!({"a": 1}));
    assert_eq!(found["configuration"], json!({"returnImmediately": true}));
    assert_eq!(losses, Vec::<String>::new());
    // A kind says which language it is.
    let kind = json!({"kind": "data", "data": {"data": {"a": 1}}});
    let (found, _) = read_with::<old::Part>(&kind, &proto).unwrap();
    assert_eq!(found["data"], json!({"data": {"a": 1}}));
}

#[test]
fn null_stands_for_absence() {
    let text = json!({
        "message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "x", "metadata": null}], "contextId": null, "metadata": null},
        "configuration": {"blocking": null, "historyLength": null, "acceptedOutputModes": null, "pushNotificationConfig": null},
        "metadata": null,
    });
    let (found, losses) = read::<old::MessageSendParams>(&text).unwrap();
    assert_eq!(found["configuration"], json!({}));
    assert_eq!(losses, ["U8 configuration.blocking"]);
    let text = json!({"message": null});
    assert_eq!(
        read::<old::MessageSendParams>(&text).unwrap_err().path(),
        "message"
    );
}

#[test]
fn hostile_texts_stay_small() {
    let read = |text: &str| old::read::<old::Task>(text.as_bytes(), &Options::default());
    let deep = format!(r#"{{"metadata":{}"#, r#"{"a":"#.repeat(200));
    let error = read(&deep).unwrap_err();
    assert!(error.message().contains("nested too deeply"), "{error}");
    let wide = format!(r#"{{"history":[{}{{}}]}}"#, "{},".repeat(400_000));
    assert!(read(&wide).is_err());
    let wide = format!(
        r#"{{"id":"t","status":{{}},"artifacts":[{}{{"artifactId":"a"}}]}}"#,
        r#"{"artifactId":"a"},"#.repeat(1_000_000)
    );
    let error = read(&wide).unwrap_err();
    assert!(error.message().contains("too many elements"), "{error}");
    // However many losses there are, those that are kept are few.
    let lossy = r#"{"messageId":"m","parts":[],"metadata":{}},"#.repeat(5_000);
    let lossy = format!(
        r#"{{"id":"t","status":{{"state":"working"}},"history":[{}]}}"#,
        lossy.trim_end_matches(',')
    );
    let (_, losses) = read(&lossy).unwrap();
    assert!(losses.len() < 200, "{}", losses.len());
    // Schemes are kept as free JSON for a while; that is paid for as well.
    let schemes = r#""a":{"type":"mutualTLS"},"#.repeat(300_000);
    let schemes = format!(
        r#"{{"securitySchemes":{{{}}}}}"#,
        schemes.trim_end_matches(',')
    );
    let error = old::read::<old::AgentCard>(schemes.as_bytes(), &Options::default()).unwrap_err();
    assert!(error.message().contains("too many elements"), "{error}");
}

#[test]
fn who_says_no_role_speaks_as_the_sender() {
    for (sender, role) in [
        (Some(Sender::Client), json!("ROLE_USER")),
        (Some(Sender::Agent), json!("ROLE_AGENT")),
        (None, json!("ROLE_UNSPECIFIED")),
    ] {
        let mut options = Options::default();
        options.sender = sender;
        for message in [
            json!({"messageId": "m", "parts": []}),
            json!({"messageId": "m", "parts": [], "role": ""}),
            json!({"messageId": "m", "content": [], "role": null}),
            json!({"messageId": "m", "content": [], "role": "ROLE_UNSPECIFIED"}),
        ] {
            let request = json!({ "message": message });
            let (found, losses) = read_with::<old::MessageSendParams>(&request, &options).unwrap();
            assert_eq!(found["message"]["role"], role, "{message}");
            assert_eq!(losses, ["U8 message.role"], "{message}");
        }
        let said = json!({"kind": "message", "messageId": "m", "role": "agent", "parts": []});
        let (found, losses) = read_with::<old::StreamResponse>(&said, &options).unwrap();
        assert_eq!(found["message"]["role"], "ROLE_AGENT");
        assert!(losses.is_empty());
    }
}

#[test]
fn parts_with_members_of_v1_0_are_read() {
    for (text, expected) in [
        (
            json!({"url": "u", "mediaType": "a/b", "filename": "n"}),
            json!({"url": "u", "mediaType": "a/b", "filename": "n"}),
        ),
        (
            json!({"kind": "file", "raw": "aGk=", "media_type": "a/b"}),
            json!({"raw": "aGk=", "mediaType": "a/b"}),
        ),
        (
            json!({"text": "x", "mediaType": "text/markdown"}),
            json!({"text": "x", "mediaType": "text/markdown"}),
        ),
        (
            json!({"data": [1], "filename": "n"}),
            json!({"data": [1], "filename": "n"}),
        ),
        (
            json!({"kind": "text", "text": "x", "file": null, "data": null, "url": null}),
            json!({"text": "x"}),
        ),
        (json!({"text": "x", "data": null}), json!({"text": "x"})),
        (json!({"kind": "data", "data": null}), json!({"data": null})),
        (
            json!({"kind": "file", "file": {"uri": "u", "mimeType": "a/b"}, "mediaType": "c/d"}),
            json!({"url": "u", "mediaType": "a/b"}),
        ),
    ] {
        let (found, losses) =
            read::<old::Part>(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found, expected, "{text}");
        assert!(losses.is_empty(), "{text}: {losses:?}");
    }
}

#[test]
fn what_another_kind_of_part_holds_is_not_overlooked() {
    for (text, member) in [
        (
            json!({"kind": "text", "text": "x", "file": {"uri": "u"}}),
            "file",
        ),
        (
            json!({"kind": "text", "text": "x", "data": {"a": 1}}),
            "data",
        ),
        (
            json!({"kind": "file", "file": {"uri": "u"}, "text": "x"}),
            "text",
        ),
        (json!({"kind": "data", "data": {}, "url": "u"}), "url"),
        (json!({"kind": "data", "data": {}, "raw": "aGk="}), "raw"),
    ] {
        let (_, losses) = read::<old::Part>(&text).unwrap();
        assert_eq!(losses, [format!("U9 {member}")], "{text}");
        let error = read_with::<old::Part>(&text, &strict()).unwrap_err();
        assert_eq!(error.path(), member, "{text}");
    }
    for text in [
        json!({"text": "x", "file": {"uri": "u"}}),
        json!({"text": "x", "url": "u"}),
        json!({"kind": "file"}),
        json!({"kind": "text", "url": "u"}),
        json!({"kind": "file", "url": "u", "kind ": 1, "file": {}, "raw": null, "text": "x", "x": {"kind": "text"}, "data": 7, "metadata": []}),
    ] {
        assert!(read::<old::Part>(&text).is_err(), "{text}");
    }
}

#[test]
fn two_registrations_in_one_request_are_refused() {
    type Codec = old::CreateTaskPushNotificationConfigRequest;
    let inner = |url: &str, id: &str| json!({"id": id, "url": url});
    let both = |a: Value, b: Value| json!({"parent": "tasks/t", "config": {"pushNotificationConfig": a}, "pushNotificationConfig": b});
    let same = both(inner("u", "c"), inner("u", "c"));
    assert_eq!(read::<Codec>(&same).unwrap().0["id"], "c");
    for text in [
        both(inner("u", "c"), inner("v", "c")),
        both(inner("u", "c"), inner("u", "d")),
    ] {
        let error = read::<Codec>(&text).unwrap_err();
        assert!(
            error.path().starts_with("pushNotificationConfig"),
            "{error}"
        );
    }
}
