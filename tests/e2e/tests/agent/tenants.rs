//! Tenants, as the design decides about them: declared, any, or none; kept apart.

use a2a_kit::engine::{Engine, Tenant, Tenants};
use a2a_kit::v1_0::{AgentCard, AgentInterface};
use a2a_kit::{A2A_SERVICE, CallContext, Error};
use bytes::Bytes;
use e2e::client::http::{self, Whole};
use e2e::{Binding, Served, Setup, card, errors, request, string, text};
use serde_json::{Value, json};

use crate::versions::sample;

fn for_tenant(tenant: &str, mut request: Value) -> Value {
    request["tenant"] = tenant.into();
    request
}

#[tokio::test]
async fn a_tenant_that_is_not_declared_is_refused_on_every_operation_of_every_binding() {
    let none = Setup::new().start().await;
    let other = Setup::new()
        .card(|card| {
            card.supported_interfaces
                .push(card::interface("GRPC", "acme"));
        })
        .start()
        .await;
    for served in [none, other] {
        for binding in Binding::ALL {
            for operation in A2A_SERVICE.operations {
                let request = for_tenant("north", sample(operation.name, "t"));
                let fault = served.client(binding).fault(operation.name, request).await;
                fault.assert_invalid(&["tenant"]);
            }
        }
        let prefixed = served.client(Binding::Rest).tenant_prefix("north");
        for operation in A2A_SERVICE.operations {
            let fault = prefixed
                .fault(operation.name, sample(operation.name, "t"))
                .await;
            fault.assert_invalid(&["tenant"]);
        }
        let listed = served
            .client(Binding::JsonRpc)
            .ok("ListTasks", json!({}))
            .await;
        assert_eq!(listed["totalSize"], 0, "nothing has been written");
    }
}

#[tokio::test]
async fn a_path_of_version_0_3_is_refused_with_a_hint() {
    let served = Setup::new().start().await;
    let answer = http::post(served.addr, "/v1/message:send", request("hi").to_string()).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(
        answer.text().contains("/v1/") && answer.text().contains("0.3"),
        "{answer:?}"
    );
    // The same path with a method that it has in neither version.
    let answer = http::call(served.addr, "GET", "/v1/message:send").await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("allow")),
        (405, "POST"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_declared_tenant_is_reached_by_field_and_by_prefix_on_each_binding() {
    let setup = Setup::new().card(|card| {
        for binding in ["JSONRPC", "HTTP+JSON", "GRPC"] {
            card.supported_interfaces
                .push(card::interface(binding, "acme"));
        }
    });
    let served = setup.start().await;
    let prefixed = served.client(Binding::Rest).tenant_prefix("acme");
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client.send(for_tenant("acme", request("tenant"))).await;
        assert_eq!(text(&task), "acme");
        let id = string(&task, "/id");
        assert_eq!(string(&prefixed.get(&id).await, "/id"), id);
        for other in Binding::ALL {
            let found = served
                .client(other)
                .ok("GetTask", for_tenant("acme", json!({"id": id})))
                .await;
            assert_eq!(string(&found, "/id"), id);
        }
        assert_eq!(
            text(&client.send(request("tenant")).await),
            "none",
            "no tenant is none"
        );
    }
    // Both at once, when they agree.
    let task = prefixed.send(for_tenant("acme", request("tenant"))).await;
    assert_eq!(text(&task), "acme");
}

#[tokio::test]
async fn tenants_do_not_see_each_others_tasks() {
    let served = Setup::new()
        .engine(|engine| engine.tenants(Tenants::declared(["north", "south"])))
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(
            &client.send(for_tenant("north", request("ask what?"))).await,
            "/id",
        );
        for tenant in ["south", ""] {
            for operation in ["GetTask", "CancelTask", "SubscribeToTask"] {
                let fault = client
                    .fault(operation, for_tenant(tenant, json!({"id": id})))
                    .await;
                fault.assert_is(errors::TASK_NOT_FOUND);
            }
            let message = for_tenant(tenant, e2e::to_task(&id, "hi"));
            client
                .fault("SendMessage", message)
                .await
                .assert_is(errors::TASK_NOT_FOUND);
            let mut refers = for_tenant(tenant, request("hi"));
            refers["message"]["referenceTaskIds"] = json!([id]);
            client
                .fault("SendMessage", refers)
                .await
                .assert_is(errors::TASK_NOT_FOUND);
            let hook = for_tenant(
                tenant,
                json!({"taskId": id, "id": "w", "url": "https://a.test/"}),
            );
            client
                .fault("CreateTaskPushNotificationConfig", hook)
                .await
                .assert_is(errors::TASK_NOT_FOUND);
        }
        client
            .ok("GetTask", for_tenant("north", json!({"id": id})))
            .await;
    }
    for (tenant, total) in [("north", 3), ("south", 0), ("", 0)] {
        let listed = served
            .client(Binding::JsonRpc)
            .ok("ListTasks", for_tenant(tenant, json!({})))
            .await;
        assert_eq!(listed["totalSize"], total, "{tenant}");
    }
}

#[tokio::test]
async fn a_resolver_decides_about_tenants() {
    let resolve = Tenants::resolved_by(async |_call, named: String| match named.as_str() {
        "" => Ok("default".to_owned()),
        "closed" => Err(a2a_kit::Error::new(
            a2a_kit::Code::PermissionDenied,
            "this tenant is closed",
        )),
        named => Ok(named.to_lowercase()),
    });
    let served = Setup::new()
        .engine(|engine| engine.tenants(resolve))
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        assert_eq!(text(&client.send(request("tenant")).await), "default");
        assert_eq!(
            text(&client.send(for_tenant("ACME", request("tenant"))).await),
            "acme"
        );
        let fault = client
            .fault("SendMessage", for_tenant("closed", request("hi")))
            .await;
        match binding {
            Binding::Rest => assert_eq!(
                (fault.http, fault.status.as_deref()),
                (403, Some("PERMISSION_DENIED"))
            ),
            Binding::JsonRpc => assert_eq!(fault.http, 403),
            Binding::Grpc => assert_eq!(fault.code, 7),
        }
        fault.assert_plain();
    }
}

/// The card of a tenant: all bindings, named after it.
fn card_of(tenant: &str) -> AgentCard {
    let mut card = card::full();
    card.name = format!("Scripted for {tenant}");
    for interface in &mut card.supported_interfaces {
        interface.tenant = tenant.into();
    }
    card
}

/// An agent whose tenants have cards of their own.
fn with_cards(tenants: impl IntoIterator<Item = (&'static str, AgentCard)>) -> Setup {
    let tenants: Vec<_> = tenants.into_iter().collect();
    let cards = tenants.clone();
    Setup::new()
        .engine(move |engine| {
            tenants.into_iter().fold(engine, |engine, (name, card)| {
                engine.tenant(Tenant::new(name).card(card))
            })
        })
        .server(move |server| server.tenant_cards(cards))
}

async fn read(served: &Served, method: &str, path: &str, headers: &[(&str, &str)]) -> Whole {
    let mut request = ::http::Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    http::exchange(served.addr, request.body(Bytes::new()).unwrap()).await
}

#[tokio::test]
async fn a_tenant_s_card_is_served_below_its_name_and_the_agent_s_stays_where_it_is() {
    let tenants = ["north", "a b/ü"].map(|name| (name, card_of(name)));
    let served = with_cards(tenants).start().await;
    for (path, name) in [
        ("/.well-known/agent-card.json", "Scripted"),
        ("/north/.well-known/agent-card.json", "Scripted for north"),
        ("/n%6Frth/.well-known/agent-card.json", "Scripted for north"),
        (
            "/a%20b%2F%C3%BC/.well-known/agent-card.json",
            "Scripted for a b/ü",
        ),
    ] {
        let answer = read(&served, "GET", path, &[]).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert_eq!(answer.json()["name"], name, "{path}");
        let tag = answer.header("etag");
        let known = read(&served, "GET", path, &[("if-none-match", tag)]).await;
        assert_eq!(known.status, 304, "{path}");
        assert_eq!(read(&served, "HEAD", path, &[]).await.status, 200, "{path}");
        assert_eq!(read(&served, "POST", path, &[]).await.status, 405, "{path}");
    }
    for path in [
        "/south/.well-known/agent-card.json",
        "/north/.well-known/agent-card.json/",
        "/north//.well-known/agent-card.json",
        "//.well-known/agent-card.json",
        "/a%20b/%C3%BC/.well-known/agent-card.json",
        "/north/north/.well-known/agent-card.json",
        "/%ff/.well-known/agent-card.json",
        "/north/.well-known/agent.json",
    ] {
        let answer = read(&served, "GET", path, &[]).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    // Below a base path, too.
    let served = with_cards([("north", card_of("north"))])
        .server(|server| {
            let cards = [("north", card_of("north"))];
            server.base_path("/agents/one").tenant_cards(cards)
        })
        .start()
        .await;
    let path = "/agents/one/north/.well-known/agent-card.json";
    assert_eq!(read(&served, "GET", path, &[]).await.status, 200);
    let path = "/north/.well-known/agent-card.json";
    assert_eq!(read(&served, "GET", path, &[]).await.status, 404);
}

#[tokio::test]
async fn what_a_tenant_takes_and_can_do_is_what_its_card_says() {
    let mut north = card_of("north");
    north.default_input_modes = vec!["application/json".into()];
    let capabilities = card::capabilities(&mut north);
    capabilities.push_notifications = None;
    capabilities.streaming = Some(false);
    let served = with_cards([("north", north), ("south", card_of("south"))])
        .start()
        .await;
    let data = || {
        let mut request = request("");
        request["message"]["parts"] = json!([{"data": {"a": 1}}]);
        request
    };
    let hook = |tenant: &str, task: &str| {
        for_tenant(
            tenant,
            json!({"taskId": task, "id": "w", "url": "https://a.test/"}),
        )
    };
    for binding in Binding::ALL {
        let client = served.client(binding);
        let fault = client
            .fault("SendMessage", for_tenant("north", request("hi")))
            .await;
        fault.assert_is(errors::CONTENT_TYPE_NOT_SUPPORTED);
        assert_eq!(fault.metadata("supportedMediaTypes"), "application/json");
        let task = client.send(for_tenant("north", data())).await;
        let id = string(&task, "/id");
        for tenant in ["south", ""] {
            let fault = client
                .fault("SendMessage", for_tenant(tenant, data()))
                .await;
            assert_eq!(fault.metadata("supportedMediaTypes"), "text/plain");
            client.send(for_tenant(tenant, request("hi"))).await;
        }
        let create = "CreateTaskPushNotificationConfig";
        let fault = client.fault(create, hook("north", &id)).await;
        fault.assert_is(errors::PUSH_NOT_SUPPORTED);
        let mut inline = for_tenant("north", data());
        inline["configuration"]["taskPushNotificationConfig"] = json!({"url": "https://a.test/"});
        let fault = client.fault("SendMessage", inline).await;
        fault.assert_is(errors::PUSH_NOT_SUPPORTED);
        let fault = client
            .fault("SendStreamingMessage", for_tenant("north", data()))
            .await;
        fault.assert_is(errors::UNSUPPORTED_OPERATION);
        let other = client.send(for_tenant("south", request("ask what?"))).await;
        client
            .ok(create, hook("south", &string(&other, "/id")))
            .await;
    }
}

#[tokio::test]
async fn an_extended_card_of_a_tenant_is_the_tenant_s() {
    let mut more = card_of("north");
    more.name = "More for north".into();
    let served = Setup::new()
        .engine(move |engine| {
            let north = Tenant::new("north").extended_card(more);
            let south = Tenant::new("south").card(card_of("south"));
            engine
                .tenant(north)
                .tenant(south)
                .tenant(Tenant::new("east"))
        })
        .start()
        .await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let operation = "GetExtendedAgentCard";
        for (tenant, name) in [
            ("", "Scripted, extended"),
            ("north", "More for north"),
            // It is like the agent in everything.
            ("east", "Scripted, extended"),
        ] {
            let card = client.ok(operation, json!({"tenant": tenant})).await;
            assert_eq!(card["name"], name, "{binding:?} {tenant}");
        }
        // The agent's own would lead away from the tenant.
        let fault = client.fault(operation, json!({"tenant": "south"})).await;
        fault.assert_is(errors::EXTENDED_CARD_NOT_CONFIGURED);
    }
}

#[tokio::test]
async fn cards_of_tenants_that_lead_elsewhere_or_promise_more_are_refused_on_both_sides() {
    type Change = fn(&mut AgentCard);
    let cases: [(Change, &str); 6] = [
        (|card| card.name.clear(), "name"),
        (
            |card| card.supported_interfaces[1].tenant.clear(),
            "supportedInterfaces[1].tenant",
        ),
        (
            |card| card.supported_interfaces[0].tenant = "south".into(),
            "supportedInterfaces[0].tenant",
        ),
        (
            |card| card::capabilities(card).streaming = Some(true),
            "capabilities.streaming",
        ),
        (
            |card| e2e::callers::declare(card, false),
            "securityRequirements",
        ),
        (
            |card| card.supported_interfaces.push(AgentInterface::default()),
            "supportedInterfaces[3].url",
        ),
    ];
    let mut agent = card::full();
    card::capabilities(&mut agent).streaming = None;
    for (change, field) in cases {
        let mut north = card_of("north");
        card::capabilities(&mut north).streaming = None;
        change(&mut north);
        let engine = Engine::builder(e2e::agent::Scripted::default(), agent.clone())
            .tenant(Tenant::new("north").card(north.clone()))
            .build();
        struct Silent;
        impl a2a_kit::A2aService for Silent {}
        let server = a2a_kit::Server::builder(Silent, agent.clone())
            .tenant_cards([("north", north)])
            .build();
        for error in [engine.err(), server.err()] {
            let error = error.unwrap_or_else(|| panic!("{field} is refused"));
            let fields: Vec<_> = error.violations().iter().map(|one| &*one.field).collect();
            let expected = format!("tenants[\"north\"].card.{field}");
            assert!(fields.contains(&expected.as_str()), "{fields:?}");
        }
    }
    // Version 0.3 has no tenants, unless somebody knows them by their callers.
    let mut old = card_of("north");
    old.supported_interfaces[0].protocol_version = "0.3".into();
    let engine = |tenants: Option<Tenants>| {
        let engine = Engine::builder(e2e::agent::Scripted::default(), card::full())
            .tenant(Tenant::new("north").card(old.clone()));
        match tenants {
            Some(tenants) => engine.tenants(tenants).build(),
            None => engine.build(),
        }
    };
    assert!(engine(None).is_err() && engine(Some(Tenants::Any)).is_err());
    let resolve = async |_: CallContext, named: String| Ok(named);
    assert!(engine(Some(Tenants::resolved_by(resolve))).is_ok());
}

#[tokio::test]
async fn an_unknown_tenant_is_told_in_the_same_words_by_every_operation_also_of_tasks_that_exist() {
    let served = with_cards([("north", card_of("north"))]).start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let task = client.send(for_tenant("north", request("ask what?"))).await;
        let mut told = std::collections::BTreeSet::new();
        for operation in A2A_SERVICE.operations {
            for id in ["never-was", &string(&task, "/id")] {
                let request = for_tenant("south", sample(operation.name, id));
                let fault = client.fault(operation.name, request).await;
                fault.assert_invalid(&["tenant"]);
                told.insert(fault.message);
            }
        }
        assert_eq!(told.len(), 1, "{binding:?}: {told:?}");
    }
}

#[tokio::test]
async fn a_resolver_may_bind_callers_to_tenants_in_both_versions() {
    // Callers are called after their tenants.
    let own = async |call: CallContext, named: String| {
        let id = call.caller().id().unwrap_or_default();
        let own = id.split('-').next().unwrap_or_default().to_owned();
        match named.is_empty() || named == own {
            true => Ok(own),
            false => Err(Error::invalid_field("tenant", "is none of yours")),
        }
    };
    let served = Setup::new()
        .callers(&[("north-1", &[]), ("south-1", &[])])
        .card(|card| {
            let mut old = card::interface("JSONRPC", "");
            old.protocol_version = "0.3".into();
            card.supported_interfaces.push(old);
        })
        .engine(move |engine| engine.tenants(Tenants::resolved_by(own)))
        .start()
        .await;
    for binding in Binding::ALL {
        let north = served.client(binding).caller("north-1");
        assert_eq!(text(&north.send(request("tenant")).await), "north");
        let named = for_tenant("north", request("tenant"));
        assert_eq!(text(&north.send(named).await), "north");
        let other = for_tenant("south", request("tenant"));
        let fault = north.fault("SendMessage", other).await;
        fault.assert_invalid(&["tenant"]);
    }
    let said = json!({"kind": "message", "messageId": "m", "role": "user",
                      "parts": [{"kind": "text", "text": "tenant"}]});
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": said}});
    let request = ::http::Request::post("/")
        .header("content-type", "application/json")
        .header("x-key", "key-of-south-1");
    let request = request.body(Bytes::from(call.to_string())).unwrap();
    let answer = http::exchange(served.addr, request).await.json();
    let said = &answer["result"]["status"]["message"]["parts"][0]["text"];
    assert_eq!(said, "south", "{answer}");
}
