use std::collections::BTreeSet;

use a2a_wire::v1_0::{AgentCapabilities, GetTaskRequest};
use futures_util::TryStreamExt as _;
use serde_json::{Value, json};

use super::super::credentials::Credentials;
use super::super::script::{
    self, Script, Then, body, broken, card, error, events, json_rpc_card, refused, result, status,
    task, with_header,
};
use super::super::transport::TransportError;
use super::*;
use crate::generated::v1_0::A2aService;

const TWO: [(&str, &str); 2] = [
    ("JSONRPC", "http://one.example/"),
    ("HTTP+JSON", "http://two.example/"),
];

fn no_retry() -> ClientBuilder {
    Client::builder().retry(Retry::never())
}

#[test]
fn operations_are_those_of_the_table() {
    let named = [
        (Operation::SEND, "SendMessage"),
        (Operation::STREAM, "SendStreamingMessage"),
        (Operation::GET, "GetTask"),
        (Operation::LIST, "ListTasks"),
        (Operation::CANCEL, "CancelTask"),
        (Operation::SUBSCRIBE, "SubscribeToTask"),
        (Operation::CREATE_PUSH, "CreateTaskPushNotificationConfig"),
        (Operation::GET_PUSH, "GetTaskPushNotificationConfig"),
        (Operation::LIST_PUSH, "ListTaskPushNotificationConfigs"),
        (Operation::EXTENDED_CARD, "GetExtendedAgentCard"),
        (Operation::DELETE_PUSH, "DeleteTaskPushNotificationConfig"),
    ];
    for (operation, name) in named {
        assert_eq!(operation.spec().unwrap().name, name);
        assert_eq!(
            operation.lane == Lane::Stream,
            operation.spec().unwrap().server_streaming,
            "{name}"
        );
    }
    assert_eq!(named.len(), A2A_SERVICE.operations.len());
}

#[tokio::test]
async fn the_tenant_of_the_interface_is_in_every_request() {
    let script = Script::new(|_, request| match request.uri().host() {
        Some("one.example") => Err(refused()),
        _ => script::json_answer(&task("COMPLETED")),
    });
    let mut card = card(&TWO);
    card.supported_interfaces[0].tenant = "first".into();
    card.supported_interfaces[1].tenant = "a b".into();
    let client = script.with(no_retry(), card);
    client.get_task("t1").await.unwrap();
    assert_eq!(
        body(&script.requests()[0])["params"],
        json!({"tenant": "first", "id": "t1"})
    );
    assert_eq!(script.lines()[1], "GET http://two.example/a%20b/tasks/t1");
    // A gateway's caller cannot choose another one.
    let own = GetTaskRequest::new().with_id("t2").with_tenant("other");
    A2aService::get_task(&client, local(), own).await.unwrap();
    assert_eq!(script.lines()[2], "GET http://two.example/a%20b/tasks/t2");
}

#[tokio::test]
async fn without_a_tenant_there_is_none() {
    let script = Script::new(|_, request| result(request, &task("COMPLETED")));
    let own = GetTaskRequest::new().with_id("t2").with_tenant("other");
    A2aService::get_task(&script.client(json_rpc_card()), local(), own)
        .await
        .unwrap();
    assert_eq!(body(&script.requests()[0])["params"], json!({"id": "t2"}));
}

#[tokio::test]
async fn an_interface_that_cannot_be_reached_is_followed_by_the_next_one() {
    let script = Script::new(|number, request| match (request.uri().host(), number) {
        (Some("one.example"), _) => Err(refused()),
        (_, 1) => script::json_answer(
            &json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "hello"}]}}),
        ),
        _ => script::json_answer(&task("COMPLETED")),
    });
    let client = script.with(no_retry(), card(&TWO));
    assert_eq!(client.message("hi").send().await.unwrap().text(), "hello");
    // The one that was reached is the first one from now on.
    client.get_task("t1").await.unwrap();
    assert_eq!(
        script.lines(),
        [
            "POST http://one.example/",
            "POST http://two.example/message:send",
            "GET http://two.example/tasks/t1"
        ]
    );
    assert_eq!(client.interface().url, "http://two.example/");
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_not_sent_elsewhere() {
    let script = Script::of(vec![Err(broken())]);
    let client = script.with(no_retry(), card(&TWO));
    let error = client.message("hi").send().await.unwrap_err();
    assert!(
        !error.is_unsent() && error.transport().is_some(),
        "{error:?}"
    );
    assert_eq!(script.lines().len(), 1);
}

#[tokio::test]
async fn a_read_is_made_elsewhere_whatever_broke() {
    let script = Script::of(vec![Err(broken()), script::json_answer(&task("COMPLETED"))]);
    script
        .with(no_retry(), card(&TWO))
        .get_task("t1")
        .await
        .unwrap();
}

#[tokio::test]
async fn an_answer_is_an_answer_even_if_it_is_an_error() {
    let script = Script::new(|_, request| error(request, -32001, "no such task"));
    let error = script.client(card(&TWO)).get_task("t1").await.unwrap_err();
    assert!(error.is_task_not_found());
    assert_eq!(script.lines().len(), 1);
}

#[tokio::test]
async fn when_none_can_be_reached_the_error_tells_of_each() {
    let script = Script::new(|number, _| {
        Err(if number == 0 {
            refused()
        } else {
            TransportError::new(TransportErrorKind::Tls, "bad certificate").unsent()
        })
    });
    let error = script
        .with(no_retry(), card(&TWO))
        .message("hi")
        .send()
        .await
        .unwrap_err();
    for part in [
        "JSONRPC at http://one.example/: connection refused",
        "HTTP+JSON at http://two.example/: bad certificate",
    ] {
        assert!(error.message().contains(part), "{error}");
    }
    assert!(error.is_unsent());
    assert_eq!(error.code(), Code::Unavailable);

    // Of a read it is only certain that nobody has seen it if no interface can have.
    let script = Script::new(|number, _| Err(if number == 0 { broken() } else { refused() }));
    let error = script
        .with(no_retry(), card(&TWO))
        .get_task("t1")
        .await
        .unwrap_err();
    assert!(!error.is_unsent());
}

#[tokio::test(start_paused = true)]
async fn calls_are_made_again_where_that_is_safe() {
    let busy = || with_header(status(503, ""), "retry-after", "7");
    let ok = |request: &http::Request<bytes::Bytes>| result(request, &task("COMPLETED"));
    let script = Script::new(move |number, request| match number {
        0 => busy(),
        1 => Err(broken()),
        _ => ok(request),
    });
    let before = tokio::time::Instant::now();
    script.client(json_rpc_card()).get_task("t1").await.unwrap();
    assert_eq!(script.lines().len(), 3);
    assert!(
        before.elapsed() >= Duration::from_secs(7) && before.elapsed() < Duration::from_secs(8)
    );

    // A message is not, unless its sender says that it may be.
    let script = Script::new(move |number, request| {
        if number == 0 {
            busy()
        } else {
            result(request, &json!({"task": task("COMPLETED")}))
        }
    });
    let client = script.client(json_rpc_card());
    let error = client.message("hi").send().await.unwrap_err();
    assert_eq!(
        (error.peer_status(), error.retry_after()),
        (Some(503), Some(Duration::from_secs(7)))
    );
    assert_eq!(script.lines().len(), 1);

    let script = Script::new(move |number, request| {
        if number == 0 {
            busy()
        } else {
            result(request, &json!({"task": task("COMPLETED")}))
        }
    });
    script
        .client(json_rpc_card())
        .message("hi")
        .idempotent()
        .send()
        .await
        .unwrap();
    let ids: BTreeSet<String> = script
        .requests()
        .iter()
        .map(|request| body(request)["params"]["message"]["messageId"].to_string())
        .collect();
    assert_eq!((script.lines().len(), ids.len()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn no_wait_is_begun_that_the_deadline_ends() {
    let script = Script::new(|_, _| with_header(status(503, ""), "retry-after", "7"));
    let before = tokio::time::Instant::now();
    let error = script
        .client(json_rpc_card())
        .get_task("t1")
        .timeout(Duration::from_secs(5))
        .await
        .unwrap_err();
    assert_eq!(error.peer_status(), Some(503));
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn what_the_card_does_not_declare_is_not_asked_for() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let mut card = json_rpc_card();
    card.capabilities = Some(AgentCapabilities::new());
    let client = script.client(card);
    let errors = [
        client.message("x").stream().await.unwrap_err(),
        client.subscribe("t1").await.unwrap_err(),
        client.extended_card().await.unwrap_err(),
    ];
    for error in errors {
        assert!(error.is_unsupported_operation(), "{error:?}");
    }
    let errors = [
        client
            .create_push_config("t1", "https://hook.example")
            .await
            .unwrap_err(),
        client.get_push_config("t1", "p1").await.unwrap_err(),
        client.list_push_configs("t1").await.unwrap_err(),
        client.delete_push_config("t1", "p1").await.unwrap_err(),
        client
            .message("x")
            .notify(
                a2a_wire::v1_0::TaskPushNotificationConfig::new().with_url("https://hook.example"),
            )
            .send()
            .await
            .unwrap_err(),
    ];
    for error in errors {
        assert!(error.is_push_notification_not_supported(), "{error:?}");
    }
}

#[tokio::test]
async fn version_extensions_and_headers_go_with_every_call() {
    let script = Script::new(|_, request| {
        let answer = match body(request)["method"].as_str() {
            Some("SubscribeToTask") => {
                events(request, &[json!({"task": task("COMPLETED")})], Then::End)
            }
            _ => result(request, &task("COMPLETED")),
        };
        with_header(answer, "a2a-extensions", "urn:one")
    });
    let client = script.with(
        Client::builder()
            .extension("urn:one")
            .header("x-usual", "1"),
        json_rpc_card(),
    );
    client
        .get_task("t1")
        .extension("urn:two")
        .extension("urn:one")
        .header("x-own", "2")
        .header("x-usual", "3")
        .await
        .unwrap();
    let updates: Vec<_> = client
        .subscribe("t1")
        .await
        .unwrap()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(updates.len(), 1);
    let header = |number: usize, name: &str| -> Vec<String> {
        script.requests()[number]
            .headers()
            .get_all(name)
            .iter()
            .map(|value| value.to_str().unwrap().to_owned())
            .collect()
    };
    for number in [0, 1] {
        assert_eq!(header(number, "a2a-version"), ["1.0"]);
    }
    assert_eq!(header(0, "a2a-extensions"), ["urn:two, urn:one"]);
    assert_eq!(header(1, "a2a-extensions"), ["urn:one"]);
    assert_eq!(
        (header(0, "x-own"), header(0, "x-usual")),
        (vec!["2".to_owned()], vec!["3".to_owned()])
    );
    assert_eq!(header(1, "x-usual"), ["1"]);

    // What the peer says is in use reaches the context of a gateway's caller.
    let context = local().with_extensions(vec!["urn:two".into()]);
    A2aService::get_task(
        &client,
        context.clone(),
        GetTaskRequest::new().with_id("t1"),
    )
    .await
    .unwrap();
    assert_eq!(context.activated_extensions(), ["urn:one"]);
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_refused_without_its_value() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let error = script
        .client(json_rpc_card())
        .get_task("t1")
        .header("x", "secret\n")
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(!format!("{error:?}").contains("secret"));
    let error = Client::builder()
        .header("a b", "c")
        .transport(script)
        .with_card(json_rpc_card())
        .unwrap_err();
    assert!(error.message().contains("\"a b\""), "{error}");
}

#[tokio::test]
async fn a_strange_result_is_shown() {
    let script = Script::new(|_, request| result(request, &json!({"Task": {"id": "t1"}})));
    let error = script
        .client(json_rpc_card())
        .message("hi")
        .send()
        .await
        .unwrap_err();
    assert!(error.is_invalid_agent_response());
    assert_eq!(error.peer_body(), Some(r#"{"Task":{"id":"t1"}}"#));
}

#[tokio::test]
async fn pages_are_asked_for_as_they_are_read() {
    let page = |request: &http::Request<bytes::Bytes>| {
        let params = body(request)["params"].clone();
        let number: usize = params["pageToken"].as_str().unwrap_or("0").parse().unwrap();
        let tasks: Vec<Value> = (0..number % 3)
            .map(|index| json!({"id": format!("t{number}{index}")}))
            .collect();
        let next = if number < 4 {
            (number + 1).to_string()
        } else {
            String::new()
        };
        result(
            request,
            &json!({"tasks": tasks, "nextPageToken": next, "pageSize": 3, "totalSize": 0}),
        )
    };
    let script = Script::new(move |_, request| page(request));
    let client = script.client(json_rpc_card());
    let mut tasks = client.list_tasks().page_size(3).in_context("c1").all();
    let first = tasks.try_next().await.unwrap().unwrap();
    assert_eq!((first.id.as_str(), script.lines().len()), ("t10", 2));
    let rest: Vec<String> = tasks.map_ok(|task| task.id).try_collect().await.unwrap();
    assert_eq!(rest, ["t20", "t21", "t40"]);
    for request in script.requests() {
        assert_eq!(
            (
                &body(&request)["params"]["pageSize"],
                &body(&request)["params"]["contextId"]
            ),
            (&json!(3), &json!("c1"))
        );
    }

    let script = Script::new(|_, request| {
        result(
            request,
            &json!({"tasks": [{"id": "t"}], "nextPageToken": "again"}),
        )
    });
    let tasks: Result<Vec<_>, Error> = script
        .client(json_rpc_card())
        .list_tasks()
        .all()
        .try_collect()
        .await;
    assert!(tasks.unwrap_err().is_invalid_agent_response());
    assert_eq!(script.lines().len(), 2);

    // Pages without end that hold nothing.
    let script = Script::new(|number, request| {
        let page = json!({"tasks": [], "nextPageToken": number.to_string()});
        result(request, &page)
    });
    let tasks = script.client(json_rpc_card()).list_tasks().all();
    let tasks: Result<Vec<_>, Error> = tasks.try_collect().await;
    assert!(tasks.unwrap_err().is_invalid_agent_response());
}

#[tokio::test]
async fn credentials_that_are_for_someone_else_are_named_in_the_refusal() {
    let script = Script::new(|_, _| status(401, "who are you"));
    let builder = Client::builder()
        .credentials(Credentials::bearer("secret").for_origin("https://cards.example"));
    let error = script
        .with(builder, json_rpc_card())
        .get_task("t1")
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.peer_status()),
        (Code::Unauthenticated, Some(401))
    );
    assert!(
        error.message().contains("https://cards.example:443")
            && error.message().contains("http://agent.example:80"),
        "{error}"
    );
    assert!(
        script.requests()[0]
            .headers()
            .get("authorization")
            .is_none()
    );
}

fn served(version: &str, name: &str) -> Value {
    let mut card = serde_json::to_value(card(&[("JSONRPC", "/rpc")])).unwrap();
    card["version"] = version.into();
    card["name"] = name.into();
    card
}

/// An agent with a card, which is asked for under conditions.
struct Agent {
    card: Value,
    etag: &'static str,
    extended: Option<Value>,
    down: bool,
}

fn agent(state: &Arc<Mutex<Agent>>) -> Script {
    let state = Arc::clone(state);
    Script::new(move |_, request| {
        let agent = state.lock().unwrap();
        if request.method() == http::Method::POST {
            return match (body(request)["method"].as_str(), &agent.extended) {
                (Some("GetExtendedAgentCard"), Some(extended)) => result(request, extended),
                _ => result(request, &task("COMPLETED")),
            };
        }
        if agent.down {
            return Err(broken());
        }
        let known = request
            .headers()
            .get("if-none-match")
            .is_some_and(|known| known == agent.etag);
        let answer = if known {
            status(304, "")
        } else {
            script::json_answer(&agent.card)
        };
        with_header(
            with_header(answer, "etag", agent.etag),
            "cache-control",
            "max-age=60",
        )
    })
}

#[tokio::test(start_paused = true)]
async fn the_card_is_asked_for_again_when_it_is_old() {
    let state = Arc::new(Mutex::new(Agent {
        card: served("1", "old"),
        etag: "\"a\"",
        extended: None,
        down: false,
    }));
    let script = agent(&state);
    let client = Client::builder()
        .transport(script.clone())
        .connect("http://agent.example")
        .await
        .unwrap();
    let cards = || {
        script
            .lines()
            .iter()
            .filter(|line| line.starts_with("GET"))
            .count()
    };
    client.get_task("t1").await.unwrap();
    assert_eq!(cards(), 1);
    assert_eq!(client.interface().url, "http://agent.example/rpc");

    // Old, and still the same.
    tokio::time::advance(Duration::from_secs(61)).await;
    client.get_task("t1").await.unwrap();
    client.get_task("t1").await.unwrap();
    assert_eq!(cards(), 2);
    assert_eq!(script.requests()[2].headers()["if-none-match"], "\"a\"");

    // Not to be had: calls go on with the one at hand, and it is not asked for with each of them.
    state.lock().unwrap().down = true;
    tokio::time::advance(Duration::from_secs(61)).await;
    client.get_task("t1").await.unwrap();
    client.get_task("t1").await.unwrap();
    assert_eq!(cards(), 3);
    assert!(client.refresh_card().await.is_err());

    // Another one.
    {
        let mut state = state.lock().unwrap();
        (state.down, state.etag, state.card) = (false, "\"b\"", served("2", "new"));
        state.card["supportedInterfaces"][0]["url"] = "/rpc2".into();
    }
    tokio::time::advance(Duration::from_secs(31)).await;
    client.get_task("t1").await.unwrap();
    assert_eq!(client.card().name, "new");
    assert_eq!(
        script.lines().last().unwrap(),
        "POST http://agent.example/rpc2"
    );
}

#[tokio::test(start_paused = true)]
async fn the_extended_card_stays_until_the_agent_has_another_version() {
    let extended = served("1", "extended");
    let state = Arc::new(Mutex::new(Agent {
        card: served("1", "public"),
        etag: "\"a\"",
        extended: Some(extended),
        down: false,
    }));
    let client = Client::builder()
        .transport(agent(&state))
        .connect("http://agent.example")
        .await
        .unwrap();
    assert_eq!(client.card().name, "public");
    assert_eq!(client.extended_card().await.unwrap().name, "extended");
    assert_eq!(client.card().name, "extended");
    // Another text of the same version, then another version.
    state.lock().unwrap().etag = "\"b\"";
    client.refresh_card().await.unwrap();
    assert_eq!(client.card().name, "extended");
    {
        let mut state = state.lock().unwrap();
        (state.etag, state.card) = ("\"c\"", served("2", "public 2"));
    }
    client.refresh_card().await.unwrap();
    assert_eq!(client.card().name, "public 2");
}

#[tokio::test]
async fn a_card_that_was_given_is_not_asked_for() {
    let script = Script::new(|_, request| result(request, &task("COMPLETED")));
    let client = script.client(json_rpc_card());
    assert_eq!(client.refresh_card().await.unwrap().name, "Scripted");
    assert!(script.lines().is_empty());
}

#[test]
fn a_card_without_an_interface_for_us_says_why() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let mut card = card(&[
        ("JSONRPC", "http://a.example"),
        ("carrier-pigeon", "coop 7"),
        ("HTTP+JSON", "/v1"),
        ("GRPC", "ftp://a.example"),
    ]);
    card.supported_interfaces[0].protocol_version = "0.3".into();
    let builder = || Client::builder().transport(script.clone());
    let error = builder().with_card(card.clone()).unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    for part in [
        "\"Scripted\"",
        "\"JSONRPC\" at \"http://a.example\" is of A2A 0.3",
        "\"coop 7\"",
        "ClientBuilder::base_url",
        "ftp",
    ] {
        assert!(error.message().contains(part), "{part}: {error}");
    }
    card.supported_interfaces.truncate(1);
    assert!(
        builder()
            .with_card(card.clone())
            .unwrap_err()
            .is_version_not_supported()
    );
    card.supported_interfaces.clear();
    assert!(
        builder()
            .with_card(card)
            .unwrap_err()
            .message()
            .contains("supportedInterfaces are empty")
    );
}

#[test]
fn the_address_of_an_operation_is_no_interface() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let card = card(&[
        ("HTTP+JSON", "http://a.example/v1/message:stream"),
        ("JSONRPC", "http://a.example/v1/message:stream?key=secret"),
    ]);
    // JSON-RPC has one address, whatever it is called.
    let client = script.with(Client::builder(), card.clone());
    assert_eq!(client.interfaces().len(), 1);
    assert_eq!(client.interface().protocol_binding, "JSONRPC");
    let error = Client::builder()
        .transport(script.clone())
        .bindings([Binding::Rest])
        .with_card(card)
        .unwrap_err();
    assert!(
        error.message().contains("SendStreamingMessage") && !error.message().contains("secret"),
        "{error}"
    );
    // Keys in addresses are not printed.
    assert!(!format!("{client:?}").contains("secret"), "{client:?}");
}

#[test]
fn cards_from_outside_do_not_point_inside() {
    let script = Script::new(|_, request| panic!("{request:?}"));
    let card = card(&[
        ("JSONRPC", "http://169.254.169.254/latest"),
        ("GRPC", "localhost:50051"),
    ]);
    let from = |base: &str| Client::builder().transport(script.clone()).base_url(base);
    let error = from("https://agent.example")
        .with_card(card.clone())
        .unwrap_err();
    assert!(
        error.message().contains("169.254.169.254")
            && error.message().contains("allow_any_address"),
        "{error}"
    );
    assert!(
        from("http://127.0.0.1:8080")
            .with_card(card.clone())
            .is_ok()
    );
    assert!(
        from("https://agent.example")
            .allow_any_address()
            .with_card(card.clone())
            .is_ok()
    );
    assert!(
        Client::builder()
            .transport(script.clone())
            .with_card(card)
            .is_ok()
    );
}
