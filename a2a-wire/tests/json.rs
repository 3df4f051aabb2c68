//! ProtoJSON of the generated v1.0 types: what is read, what is refused and where, what is written.

use a2a_wire::WireMessage;
use a2a_wire::json::Error;
use a2a_wire::types::{Struct, Timestamp};
use a2a_wire::v1_0::{
    AgentCard, AgentSkill, AuthorizationCodeOAuthFlow, GetTaskRequest, ListTasksRequest,
    ListTasksResponse, Message, OAuthFlows, Part, Role, SecurityRequirement, SecurityScheme,
    SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig, TaskState, TaskStatus,
    part, stream_response,
};
use serde_json::{Value as Json, json};

fn written(message: &impl WireMessage) -> Json {
    let mut out = Vec::new();
    message.write_json(&mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn read<M: WireMessage>(text: &str) -> M {
    M::read_json(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused<M: WireMessage>(text: &str) -> Error {
    M::read_json(text.as_bytes())
        .err()
        .unwrap_or_else(|| panic!("{text} was read"))
}

#[test]
fn both_names_are_read_and_the_json_name_is_written() {
    for text in [
        r#"{"messageId":"m","contextId":"c"}"#,
        r#"{"message_id":"m","context_id":"c"}"#,
        r#"{"message\u0049d":"m","context_id":"c"}"#,
    ] {
        let message: Message = read(text);
        assert_eq!(
            (message.message_id.as_str(), message.context_id.as_str()),
            ("m", "c"),
            "{text}"
        );
    }
    assert_eq!(
        written(&GetTaskRequest::new().with_id("t").with_history_length(0)),
        json!({"id": "t", "historyLength": 0})
    );
}

#[test]
fn null_is_absence_everywhere_but_in_free_json() {
    let task: Task = read(
        r#"{"id":null,"contextId":null,"status":null,"artifacts":null,"history":null,"metadata":null}"#,
    );
    assert_eq!(task, Task::new());
    let message: Message = read(r#"{"role":null,"parts":null,"extensions":null}"#);
    assert_eq!(message, Message::new());
    let skill: AgentSkill = read(r#"{"tags":null}"#);
    assert!(skill.tags.is_empty());
    let part: Part = read(r#"{"data":null}"#);
    assert_eq!(part, Part::data(Json::Null));
    assert_eq!(written(&part), json!({"data": null}));
    let metadata: Task = read(r#"{"metadata":{"a":null}}"#);
    assert_eq!(metadata.metadata, Some(Struct::from([("a", Json::Null)])));
}

#[test]
fn of_a_oneof_one_member_may_be_set() {
    assert_eq!(read::<Part>(r#"{"text":"a","url":null}"#), Part::text("a"));
    assert_eq!(read::<Part>(r#"{"url":null,"text":"a"}"#), Part::text("a"));
    assert_eq!(read::<Part>(r#"{"text":null}"#), Part::new());
    // The same member twice: the last one counts.
    assert_eq!(read::<Part>(r#"{"text":"a","text":"b"}"#), Part::text("b"));
    assert_eq!(read::<Part>(r#"{"text":"a","text":null}"#), Part::new());
    for (text, path) in [
        (r#"{"text":"a","url":"b"}"#, "url"),
        (r#"{"data":{},"text":""}"#, "text"),
        (r#"{"text":"a","data":null}"#, "data"),
        (r#"{"raw":"","text":"a"}"#, "text"),
    ] {
        let error = refused::<Part>(text);
        assert_eq!(error.path(), path, "{text}");
        assert_eq!(
            error.message(),
            "only one of text, raw, url, data may be set, and another one is already",
            "{text}"
        );
    }
    assert_eq!(
        refused::<StreamResponse>(r#"{"task":{},"message":{}}"#).path(),
        "message"
    );
}

#[test]
fn empty_members_of_a_oneof_are_written() {
    assert_eq!(written(&Part::text("")), json!({"text": ""}));
    assert_eq!(written(&Part::raw("")), json!({"raw": ""}));
    assert_eq!(
        written(&OAuthFlows::authorization_code(
            AuthorizationCodeOAuthFlow::new()
        ))
        .as_object()
        .unwrap()
        .len(),
        1
    );
}

#[test]
fn the_last_of_two_equal_members_replaces_the_first() {
    let request: SendMessageRequest =
        read(r#"{"message":{"messageId":"a","parts":[{"text":"x"}]},"message":{"contextId":"c"}}"#);
    assert_eq!(request.message, Some(Message::new().with_context_id("c")));
    let message: Message = read(
        r#"{"parts":[{"text":"x"},{"text":"y"}],"parts":[{"text":"z"}],"message_id":"a","messageId":"b"}"#,
    );
    assert_eq!(
        message,
        Message::new()
            .with_parts([Part::text("z")])
            .with_message_id("b")
    );
    assert_eq!(read::<Task>(r#"{"id":"a","id":null}"#), Task::new());
}

#[test]
fn enums_are_open() {
    let state = |text: &str| read::<TaskStatus>(text).state;
    assert_eq!(
        state(r#"{"state":"TASK_STATE_WORKING"}"#),
        TaskState::Working as i32
    );
    assert_eq!(state(r#"{"state":3}"#), TaskState::Completed as i32);
    assert_eq!(state(r#"{"state":99}"#), 99);
    assert_eq!(
        written(&TaskStatus::new().with_state(99)),
        json!({"state": 99})
    );
    assert_eq!(
        written(&TaskStatus::new().with_state(TaskState::AuthRequired)),
        json!({"state": "TASK_STATE_AUTH_REQUIRED"})
    );
    for text in [
        r#"{"state":"working"}"#,
        r#"{"state":"3"}"#,
        r#"{"state":true}"#,
        r#"{"state":1.5}"#,
        r#"{"state":{}}"#,
    ] {
        let error = refused::<TaskStatus>(text);
        assert_eq!(error.path(), "state", "{text}");
        assert!(!error.is_syntax());
    }
    let error = refused::<TaskStatus>(r#"{"state":"TASK_STATE_RUNNING"}"#);
    assert!(
        error
            .message()
            .starts_with("expected one of TASK_STATE_UNSPECIFIED, TASK_STATE_SUBMITTED,"),
        "{error}"
    );
    assert!(
        error
            .message()
            .ends_with("found the string \"TASK_STATE_RUNNING\""),
        "{error}"
    );
}

#[test]
fn unknown_members_are_ignored_but_must_be_json() {
    let task: Task = read(r#"{"futureField":{"a":[1,{"b":"\ud83d\ude00"}]},"id":"t","": 1}"#);
    assert_eq!(task, Task::new().with_id("t"));
    for text in [
        r#"{"x":{"a":}}"#,
        r#"{"x":[1,]}"#,
        r#"{"x":tru}"#,
        r#"{"x":"\x"}"#,
        r#"{"x":01}"#,
    ] {
        assert!(refused::<Task>(text).is_syntax(), "{text}");
    }
    assert!(
        Task::read_json(b"{\"x\":\"\xff\"}")
            .unwrap_err()
            .message()
            .contains("UTF-8")
    );
}

#[test]
fn required_fields_are_written_when_they_are_default() {
    assert_eq!(
        written(&ListTasksResponse::new()),
        json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0})
    );
    assert_eq!(
        written(&Message::new()),
        json!({"messageId": "", "role": "ROLE_UNSPECIFIED", "parts": []})
    );
    // An unset message is never made up.
    assert_eq!(written(&Task::new()), json!({"id": ""}));
    assert_eq!(
        written(&AuthorizationCodeOAuthFlow::new()),
        json!({"authorizationUrl": "", "tokenUrl": "", "scopes": {}})
    );
    assert_eq!(
        written(&Task::new().with_status(TaskStatus::new())),
        json!({"id": "", "status": {"state": "TASK_STATE_UNSPECIFIED"}})
    );
}

#[test]
fn presence_is_kept() {
    assert_eq!(written(&ListTasksRequest::new()), json!({}));
    let request = ListTasksRequest::new()
        .with_include_artifacts(false)
        .with_page_size(0)
        .with_history_length(0);
    assert_eq!(
        written(&request),
        json!({"includeArtifacts": false, "pageSize": 0, "historyLength": 0})
    );
    assert_eq!(
        read::<ListTasksRequest>(r#"{"includeArtifacts":false,"page_size":0,"historyLength":"0"}"#),
        request
    );
}

#[test]
fn timestamps_have_milliseconds_and_are_never_cut() {
    for (nanos, text) in [
        (0, "00.000Z"),
        (120_000_000, "00.120Z"),
        (1_000, "00.000001Z"),
        (1, "00.000000001Z"),
    ] {
        let status = TaskStatus::new().with_timestamp(Timestamp::new(1_735_689_600, nanos));
        assert_eq!(
            written(&status)["timestamp"],
            format!("2025-01-01T00:00:{text}")
        );
    }
    let status: TaskStatus = read(r#"{"timestamp":"2025-01-01T05:30:00+05:30"}"#);
    assert_eq!(status.timestamp, Some(Timestamp::new(1_735_689_600, 0)));
    for text in [
        r#"{"status":{"timestamp":"not-a-time"}}"#,
        r#"{"status":{"timestamp":12345}}"#,
        r#"{"status":{"timestamp":""}}"#,
    ] {
        assert_eq!(refused::<Task>(text).path(), "status.timestamp", "{text}");
    }
}

#[test]
fn what_has_no_json_is_not_written_and_leaves_no_trace() {
    let task =
        Task::new().with_status(TaskStatus::new().with_timestamp(Timestamp::new(i64::MAX, 0)));
    let mut out = b"before".to_vec();
    let error = task.write_json(&mut out).unwrap_err();
    assert_eq!(out, b"before");
    assert_eq!(error.path(), "status.timestamp");
    assert!(error.message().contains("years 0001 to 9999"), "{error}");
    assert_eq!(
        serde_json::to_string(&task).unwrap_err().to_string(),
        error.to_string(),
        "the same through serde"
    );
}

#[test]
fn numbers_of_free_json_keep_their_form() {
    let text = r#"{"a":9007199254740993,"b":1.5,"c":-3,"d":18446744073709551615,"e":[0.1,1e300]}"#;
    let task: Task = read(&format!(r#"{{"metadata":{text}}}"#));
    let expected: Json = serde_json::from_str(text).unwrap();
    assert_eq!(written(&task)["metadata"], expected);
}

#[test]
fn faults_name_their_place() {
    for (text, path, message) in [
        (
            r#"{"message":{"parts":[{"url":5}]}}"#,
            "message.parts[0].url",
            "expected a string, found the number 5",
        ),
        (
            r#"{"message":{"parts":[{},{"raw":"%"}]}}"#,
            "message.parts[1].raw",
            "expected base64, found the string \"%\"",
        ),
        (
            r#"{"message":{"parts":{}}}"#,
            "message.parts",
            "expected an array, found an object",
        ),
        (
            r#"{"message":{"parts":[null]}}"#,
            "message.parts[0]",
            "expected an object, found null",
        ),
        (
            r#"{"message":{"extensions":["a",null]}}"#,
            "message.extensions[1]",
            "expected a string, found null",
        ),
        (
            r#"{"message":[]}"#,
            "message",
            "expected an object, found an array",
        ),
        (
            r#"{"message":"hi"}"#,
            "message",
            "expected an object, found the string \"hi\"",
        ),
        (r#"{"message":5}"#, "message", "expected an object, found "),
        (
            r#"{"metadata":5}"#,
            "metadata",
            "expected an object, found the number 5",
        ),
        (
            r#"{"metadata":[]}"#,
            "metadata",
            "expected an object, found an array",
        ),
        (
            r#"{"configuration":{"history_length":1.5}}"#,
            "configuration.historyLength",
            "expected a whole number from -2147483648 to 2147483647, found the number 1.5",
        ),
        (
            r#"{"configuration":{"returnImmediately":"true"}}"#,
            "configuration.returnImmediately",
            "expected true or false, found the string \"true\"",
        ),
        ("[]", "", "expected an object, found an array"),
        ("null", "", "expected an object, found null"),
        ("5", "", "expected an object, found "),
        ("\"{}\"", "", "expected an object, found the string \"{}\""),
    ] {
        let error = refused::<SendMessageRequest>(text);
        assert_eq!(error.path(), path, "{text}");
        assert!(error.message().starts_with(message), "{text}: {error}");
        assert!(!error.is_syntax(), "{text}");
    }
    let card = r#"{"securitySchemes":{"a b":{"oauth2SecurityScheme":{"flows":{"implicit":{"scopes":{"s":1}}}}}}}"#;
    assert_eq!(
        refused::<AgentCard>(card).path(),
        "securitySchemes[\"a b\"].oauth2SecurityScheme.flows.implicit.scopes.s"
    );
}

#[test]
fn faults_through_serde_name_their_place_too() {
    let error = serde_json::from_str::<SendMessageRequest>(r#"{"message":{"parts":[{"url":5}]}}"#)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("message.parts[0].url: expected a string, found the number 5 at line 1"),
        "{error}"
    );
    assert!(
        serde_json::from_str::<Task>("{\"id\":")
            .unwrap_err()
            .is_eof()
    );
    let tree = json!({"message": {"role": "ROLE_USER", "parts": [{"raw": "-_8"}]}});
    let request: SendMessageRequest = serde_json::from_value(tree).unwrap();
    assert_eq!(
        request.message.unwrap().parts,
        [Part::raw(vec![0xfb, 0xff])]
    );
}

#[test]
fn messages_can_stand_in_data_of_others() {
    #[derive(serde::Deserialize, serde::Serialize, Debug, PartialEq)]
    #[serde(untagged)]
    enum Either {
        Request(GetTaskRequest),
        Number(u8),
    }
    let one = Either::Request(GetTaskRequest::new().with_id("t").with_history_length(3));
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(text, r#"{"id":"t","historyLength":3}"#);
    assert_eq!(
        serde_json::from_str::<Either>(r#"{"id":"t","history_length":"3"}"#).unwrap(),
        one
    );
    assert_eq!(
        serde_json::from_str::<Either>("7").unwrap(),
        Either::Number(7)
    );
    assert_eq!(
        serde_json::from_str::<Option<GetTaskRequest>>("null").unwrap(),
        None
    );
    assert!(serde_json::from_str::<GetTaskRequest>("null").is_err());
}

#[test]
fn faults_of_syntax_are_told_apart() {
    for text in [
        "",
        " ",
        "{",
        "{\"id\"",
        "{\"id\":",
        "{\"id\":\"t\"",
        "{\"id\":\"t\",}",
        "{\"id\":\"t\"} {}",
        "{\"id\":\"t\"}x",
        "{id:\"t\"}",
        "{'id':'t'}",
        "{\"id\":\"t\"/*c*/}",
        "{\"id\":\"\\ud800\"}",
        "{\"id\":\"\n\"}",
        "{\"id\":NaN}",
        "\u{feff}{}",
    ] {
        let error = refused::<Task>(text);
        assert!(error.is_syntax(), "{text:?}: {error}");
        assert_eq!(error.path(), "", "{text:?}");
    }
    let error = Task::read_json(b"{\"id\":\"\xff\"}").unwrap_err();
    assert!(
        error.is_syntax() && error.message().contains("invalid bytes at position 7"),
        "{error}"
    );
    assert!(
        refused::<Task>("\u{feff}{}")
            .message()
            .contains("byte order mark")
    );
}

#[test]
fn a_text_cut_anywhere_is_an_error() {
    let text = r#"{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"h\u00e9\n"},{"data":{"a":[1,-2.5e3,null,true]}}],"metadata":{"k":"v"}},"configuration":{"historyLength":10,"returnImmediately":false}}"#;
    read::<SendMessageRequest>(text);
    for end in 0..text.len() {
        let error = SendMessageRequest::read_json(&text.as_bytes()[..end]).unwrap_err();
        assert!(error.is_syntax(), "cut at {end}: {error}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| {
        format!(
            r#"{{"metadata":{}1{}}}"#,
            "{\"a\":".repeat(depth),
            "}".repeat(depth)
        )
    };
    read::<Task>(&nested(100));
    for depth in [130, 200, 100_000] {
        let error = refused::<Task>(&nested(depth));
        assert!(error.message().starts_with("nested too deeply"), "{error}");
        assert!(!error.is_syntax());
        assert!(
            error.path().starts_with("metadata.a.a.") && error.path().len() < 500,
            "{error}"
        );
    }
    let error = refused::<Task>(&format!(r#"{{"metadata":{{"a":{}"#, "[".repeat(1_000_000)));
    assert!(error.message().starts_with("nested too deeply"), "{error}");
    // What is skipped is no danger, but must end.
    assert!(refused::<Task>(&format!(r#"{{"x":{}"#, "[".repeat(1_000_000))).is_syntax());
}

#[test]
fn numbers_beyond_a_double_are_refused() {
    let error = refused::<Task>(r#"{"metadata":{"a":1e999}}"#);
    assert_eq!(
        (error.path(), error.message()),
        ("metadata.a", "the number is beyond the range of a double")
    );
}

#[test]
fn maps_of_messages() {
    let requirement: SecurityRequirement = read(r#"{"schemes":{"b":{"list":["x"]},"a":{}}}"#);
    assert_eq!(
        written(&requirement),
        json!({"schemes": {"a": {}, "b": {"list": ["x"]}}})
    );
    assert_eq!(
        refused::<SecurityRequirement>(r#"{"schemes":{"b":null}}"#).path(),
        "schemes.b"
    );
    let scheme: SecurityScheme =
        read(r#"{"apiKeySecurityScheme":{"location":"header","name":"k"}}"#);
    assert_eq!(
        scheme.as_api_key_security_scheme().unwrap().location,
        "header"
    );
}

#[test]
fn empty_struct_inside_data_survives() {
    let part: Part = read(r#"{"data":{"a":{}}}"#);
    assert_eq!(written(&part), json!({"data": {"a": {}}}));
    let bytes = prost::Message::encode_to_vec(&part);
    assert_eq!(
        <Part as prost::Message>::decode(bytes.as_slice()).unwrap(),
        part
    );
}

#[test]
fn nested_calls_do_not_mix() {
    // A reader that starts while another one unwinds: each has its own path.
    struct Nested;
    impl<'de> serde::de::Visitor<'de> for Nested {
        type Value = String;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("anything")
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
            map.next_key::<String>()?;
            let inner = refused::<Task>(r#"{"status":{"state":"x"}}"#);
            let outer = map.next_value::<Message>().unwrap_err().to_string();
            Ok(format!("{} | {outer}", inner.path()))
        }
    }
    let mut input = serde_json::Deserializer::from_str(r#"{"m":{"parts":[{"text":1}]}}"#);
    let both = serde::Deserializer::deserialize_map(&mut input, Nested).unwrap();
    assert!(both.starts_with("status.state | parts[0].text: "), "{both}");
}

#[test]
fn writing_appends() {
    let mut out = b"data: ".to_vec();
    GetTaskRequest::new()
        .with_id("t")
        .write_json(&mut out)
        .unwrap();
    assert_eq!(out, b"data: {\"id\":\"t\"}");
}

#[test]
fn bodies_of_empty() {
    assert_eq!(<()>::read_json(b"{}"), Ok(()));
    assert_eq!(<()>::read_json(b"{\"future\":[1]}"), Ok(()));
    for text in [&b""[..], b"null", b"[]", b"5", b"{", b"{} {}"] {
        assert!(<()>::read_json(text).is_err(), "{text:?}");
    }
}

#[test]
fn constructors_say_what_is_meant() {
    let message = Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts([
            Part::text("hi").with_media_type("text/plain"),
            Part::data(json!({"a": 1})),
        ])
        .with_metadata([("k", "v")])
        .with_extensions(["https://example.com/x"]);
    assert_eq!(
        written(&message),
        json!({
            "messageId": "m", "role": "ROLE_USER",
            "parts": [{"text": "hi", "mediaType": "text/plain"}, {"data": {"a": 1}}],
            "metadata": {"k": "v"}, "extensions": ["https://example.com/x"],
        })
    );
    assert_eq!(message.parts[0].as_text(), Some("hi"));
    assert_eq!(message.parts[0].as_url(), None);
    assert!(matches!(
        message.parts[1].content,
        Some(part::Content::Data(_))
    ));
    let event = StreamResponse::task(Task::new().with_id("t"));
    assert!(matches!(&event.payload, Some(stream_response::Payload::Task(task)) if task.id == "t"));
    let config = TaskPushNotificationConfig::new().with_url("https://h/x");
    assert_eq!(written(&config), json!({"url": "https://h/x"}));
}
