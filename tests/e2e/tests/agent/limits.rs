//! Limits: what one caller asks for beyond them is refused in the way of its binding, and what
//! others ask for is served.

use std::time::Duration;

use a2a_kit::A2A_SERVICE;
use a2a_kit::auth::{ApiKeys, Authentication};
use a2a_kit::engine::Tenants;
use a2a_kit::limits::{Limits, Quota};
use a2a_kit::v1_0::{
    AgentCard, ApiKeySecurityScheme, SecurityRequirement, SecurityScheme, StringList,
};
use a2a_kit::{Caller, ProtocolVersion};
use e2e::client::http;
use e2e::{
    Binding, Client, Fault, Served, Setup, at_once, card, request, state, string, to_task, within,
};
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::versions::sample;

/// So long that nothing comes back while a test runs.
const AGES: Duration = Duration::from_secs(1_000_000);

/// Wants a key.
fn declare(card: &mut AgentCard) {
    let scheme = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let scheme = SecurityScheme::new().with_api_key_security_scheme(scheme);
    card.security_schemes.insert("key".into(), scheme);
    let mut requirement = SecurityRequirement::new();
    requirement.schemes.insert("key".into(), StringList::new());
    card.security_requirements.push(requirement);
}

/// An agent whose callers are whoever their key says.
fn known_callers(limits: Limits) -> Setup {
    let mut card = card::full();
    declare(&mut card);
    let keys = ["alice", "bob", "carol", "dave"]
        .into_iter()
        .fold(ApiKeys::header("X-Key"), |keys, name| {
            keys.key(name, Caller::known(name))
        });
    let authentication = Authentication::for_card(&card)
        .scheme("key", keys)
        .build()
        .unwrap();
    Setup::new()
        .card(declare)
        .server(|server| server.authentication(authentication).limits(limits))
}

/// A client of a caller. JSON-RPC does not know the id of a call that was refused before its body was
/// read, so it is `null` in both.
fn client(served: &Served, binding: Binding, caller: &str) -> Client {
    served
        .client(binding)
        .header("x-key", caller)
        .id(Value::Null)
}

/// What a refusal must have on every binding. Returns when to try again.
fn refused(fault: &Fault) -> Option<f64> {
    match fault.binding {
        Binding::Rest => {
            assert_eq!((fault.http, fault.code), (429, 429), "{fault:?}");
            assert_eq!(
                fault.status.as_deref(),
                Some("RESOURCE_EXHAUSTED"),
                "{fault:?}"
            );
        }
        Binding::JsonRpc => assert_eq!((fault.http, fault.code), (429, -32000), "{fault:?}"),
        Binding::Grpc => assert_eq!(fault.code, 8, "{fault:?}"),
    }
    assert!(fault.error_info().is_none(), "{fault:?}");
    let delay = fault.details.first().map(|detail| {
        assert_eq!(
            detail["@type"], "type.googleapis.com/google.rpc.RetryInfo",
            "{fault:?}"
        );
        let text = detail["retryDelay"].as_str().expect("a delay");
        let seconds = text.strip_suffix('s').expect("seconds");
        seconds.parse::<f64>().expect("a number")
    });
    if fault.binding != Binding::Grpc {
        let header = fault.headers.get("retry-after");
        let header = header.map(|value| value.to_str().unwrap().parse::<f64>().unwrap());
        assert_eq!(header, delay.map(f64::ceil), "{fault:?}");
    }
    delay
}

#[tokio::test]
async fn a_flood_from_one_caller_leaves_the_calls_of_another_served() {
    for binding in Binding::ALL {
        let quota = Quota::new().calls(50, AGES);
        let served = known_callers(Limits::per_caller(quota)).start().await;
        let (mallory, alice) = (
            client(&served, binding, "bob"),
            client(&served, binding, "alice"),
        );
        // Each call has a connection of its own; some systems do not take many more at once.
        let flood = stream::iter(0..300).map(|_| mallory.call("ListTasks", json!({})));
        let flood = flood.buffer_unordered(100).collect::<Vec<_>>();
        let others = async {
            for _ in 0..25 {
                alice.ok("ListTasks", json!({})).await;
                alice.ok("SendMessage", request("hi")).await;
            }
        };
        let (outcomes, ()) = tokio::join!(flood, others);
        let faults: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
        assert_eq!(faults.len(), 250, "{binding:?}");
        for fault in &faults {
            assert!(refused(fault).is_some_and(|delay| delay > 1000.0));
            assert!(
                fault
                    .message
                    .starts_with("too many calls: one caller may make 50"),
                "{fault:?}"
            );
        }
        // Both have had theirs now, on all bindings.
        for binding in Binding::ALL {
            for caller in ["alice", "bob"] {
                let client = client(&served, binding, caller);
                refused(&client.fault("ListTasks", json!({})).await);
            }
        }
    }
}

#[tokio::test]
async fn every_operation_of_every_binding_counts_and_is_refused_before_anything_happens() {
    let operations = A2A_SERVICE.operations.len();
    let quota = Quota::new().calls(u32::try_from(operations).unwrap(), AGES);
    for binding in Binding::ALL {
        let served = known_callers(Limits::per_caller(quota)).start().await;
        let alice = client(&served, binding, "alice");
        for operation in A2A_SERVICE.operations {
            if let Err(fault) = alice
                .call(operation.name, sample(operation.name, "t"))
                .await
            {
                assert_ne!(fault.http, 429, "{fault:?}");
                assert_ne!((fault.binding, fault.code), (Binding::Grpc, 8), "{fault:?}");
            }
        }
        for operation in A2A_SERVICE.operations {
            let outcome = alice.fault(operation.name, sample(operation.name, "t"));
            refused(&outcome.await);
        }
        // Bodies are not read, so it does not matter what they are.
        if binding == Binding::JsonRpc {
            let connection = http::Connection::http1(served.addr);
            let request = ::http::Request::post("/")
                .header("x-key", "alice")
                .body("no JSON at all")
                .unwrap();
            let answer = http::Whole::read(connection.await.send(request).await).await;
            assert_eq!(answer.status, 429);
            assert_eq!(answer.json()["id"], Value::Null);
        }
    }
}

#[tokio::test]
async fn callers_of_version_0_3_count_together_with_those_of_1_0_and_are_told_in_their_way() {
    let quota = Quota::new().calls(1, AGES);
    let limits = Limits::per_caller(quota);
    let setup = known_callers(limits).card(|card| {
        for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
            let mut interface = card::interface(binding, "");
            interface.protocol_version = ProtocolVersion::V0_3.to_string();
            card.supported_interfaces.push(interface);
        }
    });
    let served = setup.start().await;
    client(&served, Binding::Grpc, "alice")
        .ok("ListTasks", json!({}))
        .await;
    let call = async |method: &str, path: &str, body: &'static str| {
        let request = ::http::Request::builder()
            .method(method)
            .uri(path)
            .header("x-key", "alice")
            .header("content-type", "application/json")
            .body(body)
            .unwrap();
        let answer = http::Connection::http1(served.addr)
            .await
            .send(request)
            .await;
        http::Whole::read(answer).await
    };
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}"#;
    let answer = call("POST", "/", body).await;
    assert_eq!(answer.status, 429, "{answer:?}");
    let error = &answer.json()["error"];
    assert_eq!(error["code"], -32000, "{answer:?}");
    assert!(error.get("data").is_none(), "{answer:?}");
    assert_ne!(answer.header("retry-after"), "");
    let answer = call("GET", "/v1/tasks/t", "").await;
    assert_eq!(answer.status, 429, "{answer:?}");
    assert_eq!(answer.json()["code"], -32000, "{answer:?}");
    assert_ne!(answer.header("retry-after"), "");
    let grpc = served.client(Binding::Grpc).version(None);
    let grpc = grpc.header("x-key", "alice");
    let answer = grpc.grpc_raw("/a2a.v1.A2AService/GetTask", vec![0; 5]);
    assert!(refused(&answer.await.unwrap_err()).is_some());
}

#[tokio::test]
async fn wrong_credentials_count_for_their_address_and_right_ones_are_served_all_the_same() {
    for binding in Binding::ALL {
        let quota = Quota::new().calls(10, AGES);
        let served = known_callers(Limits::per_caller(quota)).start().await;
        let guess = client(&served, binding, "a guess");
        let guesses = (0..100).map(|_| guess.call("ListTasks", json!({})));
        let faults = join_all(guesses).await;
        let faults = faults.into_iter().map(Result::unwrap_err);
        let (wrong, beyond): (Vec<_>, Vec<_>) =
            faults.partition(|fault| fault.headers.contains_key("www-authenticate"));
        assert_eq!((wrong.len(), beyond.len()), (10, 90), "{binding:?}");
        for fault in &beyond {
            refused(fault);
        }
        let alice = client(&served, binding, "alice");
        alice.ok("ListTasks", json!({})).await;
        // The card, and paths where nothing is, are for everybody.
        let card = http::call(served.addr, "GET", "/.well-known/agent-card.json").await;
        assert_eq!(card.status, 200);
        let nothing = http::call(served.addr, "GET", "/nothing/here").await;
        assert_eq!(nothing.status, 404);
    }
}

#[tokio::test]
async fn callers_without_credentials_count_by_their_address() {
    let quota = Quota::new().calls(10, AGES);
    let served = Setup::new()
        .server(move |server| server.limits(Limits::per_caller(quota)))
        .start()
        .await;
    for index in 0..20 {
        let binding = Binding::ALL[index % 3];
        let client = served.client(binding).id(Value::Null);
        let outcome = client.call("ListTasks", json!({})).await;
        match outcome {
            Ok(_) => assert!(index < 10, "{index}"),
            Err(fault) => {
                assert!(index >= 10, "{index}");
                refused(&fault);
                assert!(fault.message.contains("from one address"), "{fault:?}");
            }
        }
    }
}

/// How many tasks a caller sees.
async fn total(client: &Client) -> Value {
    client.ok("ListTasks", json!({})).await["totalSize"].clone()
}

#[tokio::test]
async fn a_message_that_would_run_one_task_too_many_is_refused_and_nothing_is_written() {
    for binding in Binding::ALL {
        let quota = Quota::new().running_tasks(2);
        let served = known_callers(Limits::per_caller(quota)).start().await;
        // The body has been read, and the id is known.
        let alice = served.client(binding).header("x-key", "alice");
        let gate = served.gates.gate("g");
        let first = alice.start("work g").await;
        alice.start("work g").await;
        gate.arrived(2).await;
        for operation in ["SendMessage", "SendStreamingMessage"] {
            let fault = alice.fault(operation, request("work g")).await;
            assert_eq!(refused(&fault), Some(1.0));
            assert!(
                fault.message.starts_with("too many running tasks"),
                "{fault:?}"
            );
        }
        assert_eq!(total(&alice).await, json!(2));
        // A task that runs takes further messages, and others have theirs.
        alice.send(at_once(to_task(&first, "more"))).await;
        let bob = client(&served, binding, "bob");
        bob.ok("SendMessage", request("hi")).await;
        // No task is none that runs.
        alice.ok("SendMessage", request("hello there")).await;

        // One of them ends, and at once there is room for another.
        let waiting = alice.events("SubscribeToTask", json!({"id": first})).await;
        gate.let_pass(1);
        gate.let_pass(1);
        waiting.all().await;
        let third = alice.start("work h").await;
        assert_eq!(total(&alice).await, json!(3));
        served.gates.gate("h").arrived(1).await;
        assert_eq!(state(&alice.get(&third).await), "WORKING");
    }
}

#[tokio::test]
async fn a_task_no_longer_counts_when_it_ends_however_it_ends() {
    for binding in Binding::ALL {
        let quota = Quota::new().running_tasks(1);
        let served = known_callers(Limits::per_caller(quota)).start().await;
        let alice = client(&served, binding, "alice");
        for ends in [
            "hi",
            "panic",
            "error",
            "fail",
            "reject",
            "bad-append",
            "ask what",
            "auth",
        ] {
            for _ in 0..3 {
                alice.ok("SendMessage", request(ends)).await;
            }
        }
        for canceled in ["work g", "deaf g"] {
            let task = alice.start(canceled).await;
            let fault = alice.fault("SendMessage", request("hi")).await;
            assert_eq!(refused(&fault), Some(1.0), "{binding:?} {canceled}");
            alice.ok("CancelTask", json!({"id": task})).await;
            alice.ok("SendMessage", request("hi")).await;
        }
        // Whether somebody waits for it makes no difference.
        let left = alice
            .events("SendStreamingMessage", request("work left"))
            .await;
        served.gates.gate("left").arrived(1).await;
        drop(left);
        refused(&alice.fault("SendMessage", request("hi")).await);
        let task = string(
            &alice
                .ok("ListTasks", json!({"status": "TASK_STATE_WORKING"}))
                .await,
            "/tasks/0/id",
        );
        let waiting = alice.events("SubscribeToTask", json!({"id": task})).await;
        served.gates.gate("left").open();
        waiting.all().await;
        alice.ok("SendMessage", request("hi")).await;
    }
}

#[tokio::test]
async fn a_task_that_waits_does_not_count_until_it_is_answered() {
    // The execution may have ended with the question, or wait for the answer itself.
    for ask in ["ask how", "ask-inside how"] {
        let quota = Quota::new().running_tasks(1);
        let served = known_callers(Limits::per_caller(quota)).start().await;
        let alice = client(&served, Binding::Rest, "alice");
        let first = string(&alice.send(request(ask)).await, "/id");
        let second = string(&alice.send(request(ask)).await, "/id");
        alice.start("work g").await;
        let fault = alice.fault("SendMessage", to_task(&first, "so")).await;
        assert_eq!(refused(&fault), Some(1.0));
        let task = alice.get(&first).await;
        assert_eq!(state(&task), "INPUT_REQUIRED", "{ask}");
        assert_eq!(task["history"].as_array().unwrap().len(), 1, "{task}");
        let listed = alice.ok("ListTasks", json!({"status": "TASK_STATE_WORKING"}));
        let working = string(&listed.await, "/tasks/0/id");
        alice.ok("CancelTask", json!({"id": working})).await;
        for task in [first, second] {
            let answered = alice.send(to_task(&task, "so")).await;
            assert_eq!(state(&answered), "COMPLETED", "{ask}");
        }
    }
}

#[tokio::test]
async fn streams_count_until_they_end_or_their_client_leaves() {
    for binding in Binding::ALL {
        let quota = Quota::new().open_streams(2);
        let served = known_callers(Limits::per_caller(quota)).start().await;
        let alice = served.client(binding).header("x-key", "alice");
        // Over JSON-RPC the operation is known when the body has been read, and the id with it.
        let task = alice.start("work g").await;
        served.gates.gate("g").arrived(1).await;
        let subscribe = || alice.open("SubscribeToTask", json!({"id": task}));
        let mut open = vec![subscribe().await.unwrap(), subscribe().await.unwrap()];
        for stream in &mut open {
            stream.next().await.unwrap();
        }
        let fault = subscribe().await.unwrap_err();
        assert_eq!(refused(&fault), Some(1.0));
        assert!(
            fault.message.starts_with("too many open streams"),
            "{fault:?}"
        );
        let before = total(&alice).await;
        let fault = alice.open("SendStreamingMessage", request("hi")).await;
        refused(&fault.unwrap_err());
        assert_eq!(total(&alice).await, before, "and nothing has been started");
        alice.get(&task).await;
        let bob = client(&served, binding, "bob");
        bob.events("SendStreamingMessage", request("hi"))
            .await
            .all()
            .await;

        // A client that leaves makes room, as soon as the server has heard of it.
        open.pop();
        let again = within(async {
            loop {
                match subscribe().await {
                    Ok(stream) => return stream,
                    Err(fault) => refused(&fault),
                };
            }
        });
        open.push(again.await);
        refused(&subscribe().await.unwrap_err());
        served.gates.gate("g").open();
        for stream in open {
            stream.all().await;
        }
        // Streams that have ended have made room; so have those that never began.
        for _ in 0..5 {
            let fault = alice.open("SubscribeToTask", json!({"id": "none"})).await;
            assert!(fault.unwrap_err().reason().contains("TASK_NOT_FOUND"));
        }
        within(async {
            while let Err(fault) = alice.open("SendStreamingMessage", request("hi")).await {
                refused(&fault);
            }
        })
        .await;
    }
}

#[tokio::test]
async fn the_callers_of_a_tenant_count_together_beside_each_on_its_own() {
    let quota = Quota::new().calls(4, AGES).running_tasks(1);
    let limits = Limits::per_caller(Quota::new()).per_tenant(quota);
    let served = known_callers(limits)
        .engine(|engine| engine.tenants(Tenants::declared(["north", "south"])))
        .start()
        .await;
    let of = |tenant: &str, mut request: Value| {
        request["tenant"] = tenant.into();
        request
    };
    let [alice, bob, carol] = ["alice", "bob", "carol"];
    let call = |caller: &str, binding| served.client(binding).header("x-key", caller);
    let work = at_once(of("north", request("work g")));
    call(alice, Binding::Rest)
        .ok("SendMessage", work.clone())
        .await;
    let fault = call(bob, Binding::Grpc)
        .fault("SendMessage", work.clone())
        .await;
    assert_eq!(refused(&fault), Some(1.0));
    assert!(
        fault.message.contains("all callers of this tenant"),
        "{fault:?}"
    );
    for (caller, binding) in [(bob, Binding::JsonRpc), (carol, Binding::Rest)] {
        let client = call(caller, binding);
        let listed = client.ok("ListTasks", of("north", json!({}))).await;
        assert_eq!(listed["totalSize"], json!(0));
    }
    for binding in Binding::ALL {
        let client = call(carol, binding);
        let fault = client.fault("ListTasks", of("north", json!({}))).await;
        assert!(
            refused(&fault).is_some_and(|delay| delay > 1000.0),
            "{fault:?}"
        );
    }
    let prefixed = call(alice, Binding::Rest).tenant_prefix("north");
    refused(&prefixed.fault("ListTasks", json!({})).await);
    // Another tenant, no tenant, and a tenant that is none.
    let elsewhere = at_once(of("south", request("work g")));
    call(bob, Binding::Grpc).ok("SendMessage", elsewhere).await;
    for _ in 0..9 {
        call(carol, Binding::Rest).ok("ListTasks", json!({})).await;
        let client = call(carol, Binding::Rest);
        let fault = client.fault("ListTasks", of("west", json!({}))).await;
        fault.assert_invalid(&["tenant"]);
    }
}

#[tokio::test]
async fn a_client_waits_as_long_as_it_is_told_and_calls_again() {
    use a2a_kit::client::{Client, Retry};

    // One call in a fifth of a second.
    let quota = Quota::new().calls(5, Duration::from_secs(1)).burst(1);
    for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
        let served = Setup::new()
            .server(move |server| server.limits(Limits::per_caller(quota)))
            .start()
            .await;
        let mut card = card::full();
        card.supported_interfaces
            .retain(|interface| interface.protocol_binding == binding);
        for interface in &mut card.supported_interfaces {
            interface.url = format!("http://{}", served.addr);
        }
        let hasty = Client::builder()
            .retry(Retry::never())
            .with_card(card.clone())
            .unwrap();
        hasty.list_tasks().await.unwrap();
        let error = hasty.list_tasks().await.unwrap_err();
        assert!(error.is_resource_exhausted(), "{binding}: {error:?}");
        let delay = error.retry_after().expect("it says when");
        assert!(delay <= Duration::from_millis(200), "{binding}: {delay:?}");
        let patient = Client::builder()
            .retry(Retry::default().times(50))
            .with_card(card)
            .unwrap();
        for _ in 0..3 {
            patient.list_tasks().await.unwrap();
        }
    }
}
