//! Tenants, as the design decides about them: declared, any, or none; kept apart.

use a2a_kit::A2A_SERVICE;
use a2a_kit::engine::Tenants;
use e2e::client::http;
use e2e::{Binding, Setup, card, errors, request, string, text};
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
