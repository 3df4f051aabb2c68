use std::collections::BTreeSet;

use a2a_wire::v1_0::{AgentCapabilities, GetTaskRequest};
use futures_util::TryStreamExt as _;
use serde_json::{Value, json};

use super::super::credentials::Credentials;
use super::super::script::{
    self, Script, Then, body, broken, card, error, events, json_rpc_card, refused, result, status,
    task, with_header,
};
use super::super::session::Lane;
use super::super::transport::TransportError;
use super::*;
use crate::generated::v1_0::A2aService;

mod cards;

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
async fn the_tenant_of_the_builder_is_the_one() {
    let script = Script::new(|_, request| result(request, &task("COMPLETED")));
    let mut card = json_rpc_card();
    for named in ["", "first"] {
        card.supported_interfaces[0].tenant = named.into();
        let client = script.with(no_retry().tenant("second"), card.clone());
        client.get_task("t1").await.unwrap();
    }
    for request in script.requests() {
        let params = json!({"tenant": "second", "id": "t1"});
        assert_eq!(body(&request)["params"], params);
    }
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
