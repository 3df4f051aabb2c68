//! The extended card: for callers who are known, for each their own, and for no cache (specification
//! 3.1.11 and 13.3), in both versions.

use a2a_kit::client::{Channel, GrpcChannel, HttpTransport};
use a2a_kit::v0_3::Peer;
use a2a_kit::v1_0::{AgentCard, GetExtendedAgentCardRequest};
use a2a_kit::{A2aService as _, CallContext, Error};
use bytes::Bytes;
use e2e::client::http::{self, Whole};
use e2e::{Binding, Client, Fault, Served, Setup, card, errors, string};
use serde_json::{Value, json};
use std::sync::Arc;

const GET: &str = "GetExtendedAgentCard";
const KNOWN: [(&str, &[&str]); 2] = [("alice", &["member"]), ("bob", &[])];

/// Serves version 0.3 as well.
fn both_versions(card: &mut AgentCard) {
    let mut old = card.supported_interfaces.clone();
    for interface in &mut old {
        interface.protocol_version = "0.3".into();
    }
    card.supported_interfaces.extend(old);
}

/// For members, with their names in it.
async fn for_members(call: CallContext, tenant: String) -> Result<Option<AgentCard>, Error> {
    let caller = call.caller();
    let name = caller.id().unwrap_or("nobody");
    let mut card = card::full();
    both_versions(&mut card);
    card.name = format!("For {name} in {tenant:?}");
    Ok(caller.has_scope("member").then_some(card))
}

fn as_caller(served: &Served, binding: Binding, name: &str) -> Client {
    served.client(binding).caller(name)
}

/// Checks that credentials are asked for, in the way of the binding.
#[track_caller]
fn assert_asked(fault: &Fault) {
    match fault.binding {
        Binding::Grpc => assert_eq!(fault.code, 16, "{fault:?}"),
        Binding::JsonRpc => assert_eq!((fault.http, fault.code), (401, -32000), "{fault:?}"),
        Binding::Rest => assert_eq!(fault.http, 401, "{fault:?}"),
    }
    let challenges = fault.headers.get_all("www-authenticate");
    let challenges: Vec<_> = challenges.iter().map(|one| one.to_str().unwrap()).collect();
    assert_eq!(
        challenges,
        [r#"ApiKey realm="Scripted", in="header", name="X-Key""#],
        "{fault:?}"
    );
    fault.assert_plain();
}

/// A call of version 0.3.
async fn old(served: &Served, binding: Binding, caller: &str) -> Whole {
    let (method, path, body) = match binding {
        Binding::JsonRpc => {
            let call =
                json!({"jsonrpc": "2.0", "id": 1, "method": "agent/getAuthenticatedExtendedCard"});
            ("POST", "/", Bytes::from(call.to_string()))
        }
        _ => ("GET", "/v1/card", Bytes::new()),
    };
    let mut request = ::http::Request::builder().method(method).uri(path);
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    if !caller.is_empty() {
        request = request.header("x-key", e2e::callers::key(caller));
    }
    http::exchange(served.addr, request.body(body).unwrap()).await
}

#[tokio::test]
async fn who_is_not_known_is_asked_for_credentials_also_where_all_else_is_open() {
    for (setup, is_open) in [
        (Setup::new().callers(&KNOWN), false),
        (Setup::new().callers_and_others(&KNOWN), true),
    ] {
        let served = setup.card(both_versions).start().await;
        for binding in Binding::ALL {
            let nobody = as_caller(&served, binding, "");
            let nobody = match is_open {
                true => nobody,
                // The body is not read.
                false => nobody.id(Value::Null),
            };
            let listed = nobody.call("ListTasks", json!({})).await;
            assert_eq!(listed.is_ok(), is_open, "{binding:?}");
            assert_asked(&nobody.fault(GET, json!({})).await);
            for name in ["alice", "bob"] {
                let read = as_caller(&served, binding, name).ok(GET, json!({})).await;
                assert_eq!(read["name"], "Scripted, extended");
            }
        }
        for binding in Binding::JSON {
            let answer = old(&served, binding, "").await;
            assert_eq!(answer.status, 401, "{answer:?}");
            assert!(answer.header("www-authenticate").starts_with("ApiKey"));
            assert!(!answer.text().contains("extended\""), "{answer:?}");
            let answer = old(&served, binding, "bob").await;
            assert!(answer.text().contains("Scripted, extended"), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn it_depends_on_the_caller_and_on_the_tenant_and_some_have_none() {
    let served = Setup::new()
        .without_extended_card()
        .callers(&KNOWN)
        .card(both_versions)
        .engine(|engine| {
            let tenants = a2a_kit::engine::Tenants::declared(["north"]);
            engine.tenants(tenants).extended_card_with(for_members)
        })
        .start()
        .await;
    for binding in Binding::ALL {
        let alice = as_caller(&served, binding, "alice");
        for (tenant, name) in [
            ("", r#"For alice in """#),
            ("north", r#"For alice in "north""#),
        ] {
            let read = alice.ok(GET, json!({"tenant": tenant})).await;
            assert_eq!(read["name"], name, "{binding:?}");
        }
        let fault = alice.fault(GET, json!({"tenant": "south"})).await;
        fault.assert_invalid(&["tenant"]);
        let fault = as_caller(&served, binding, "bob")
            .fault(GET, json!({}))
            .await;
        fault.assert_is(errors::EXTENDED_CARD_NOT_CONFIGURED);
    }
    for binding in Binding::JSON {
        let answer = old(&served, binding, "alice").await;
        assert!(answer.text().contains("For alice"), "{answer:?}");
        assert_eq!(old_code(&old(&served, binding, "bob").await), -32007);
    }
}

/// The code of an error of version 0.3.
fn old_code(answer: &Whole) -> i64 {
    let body = answer.json();
    let error = body.get("error").unwrap_or(&body);
    error["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("{answer:?}"))
}

#[tokio::test]
async fn what_is_not_promised_is_unsupported_and_what_is_not_there_is_not_configured() {
    for (promised, expected) in [
        (None, errors::UNSUPPORTED_OPERATION),
        (Some(false), errors::UNSUPPORTED_OPERATION),
        (Some(true), errors::EXTENDED_CARD_NOT_CONFIGURED),
    ] {
        let served = Setup::new()
            .without_extended_card()
            .callers(&KNOWN)
            .card(both_versions)
            .card(|card| card::capabilities(card).extended_agent_card = promised)
            .start()
            .await;
        for binding in Binding::ALL {
            let fault = as_caller(&served, binding, "alice")
                .fault(GET, json!({}))
                .await;
            fault.assert_is(expected);
        }
        for binding in Binding::JSON {
            let answer = old(&served, binding, "alice").await;
            assert_eq!(old_code(&answer), -32007, "{promised:?} {answer:?}");
        }
    }
}

#[tokio::test]
async fn no_shared_cache_may_keep_it() {
    let served = Setup::new()
        .callers_and_others(&KNOWN)
        .card(both_versions)
        .start()
        .await;
    for (path, version) in [("/extendedAgentCard", "1.0"), ("/v1/card", "0.3")] {
        for (caller, status) in [("alice", 200), ("", 401)] {
            let mut request = ::http::Request::get(path).header("a2a-version", version);
            if !caller.is_empty() {
                request = request.header("x-key", e2e::callers::key(caller));
            }
            let answer = http::exchange(served.addr, request.body(Bytes::new()).unwrap()).await;
            assert_eq!(answer.status, status, "{path}");
            let cache = answer.header("cache-control");
            assert_eq!(cache, "private, no-store", "{path} {status}");
            let vary: Vec<_> = answer.headers.get_all("vary").iter().collect();
            for name in ["authorization", "cookie", "x-key"] {
                assert!(vary.iter().any(|vary| *vary == name), "{path}: {vary:?}");
            }
        }
    }
    // The public card is for caches.
    let public = http::call(served.addr, "GET", "/.well-known/agent-card.json").await;
    assert!(public.header("cache-control").starts_with("max-age"));
}

#[tokio::test]
async fn a_faulty_card_is_not_shown_and_one_that_is_known_beforehand_is_not_served() {
    let faulty = || {
        let mut card = card::full();
        card.name = "Nobody should see this".into();
        card.supported_interfaces.clear();
        card
    };
    let served = Setup::new()
        .without_extended_card()
        .callers(&KNOWN)
        .engine(move |engine| {
            engine.extended_card_with(move |_, _| {
                let card = faulty();
                async move { Ok(Some(card)) }
            })
        })
        .start()
        .await;
    for binding in Binding::ALL {
        let fault = as_caller(&served, binding, "alice")
            .fault(GET, json!({}))
            .await;
        match binding {
            Binding::Grpc => assert_eq!(fault.code, 13),
            Binding::Rest => assert_eq!(fault.http, 500),
            Binding::JsonRpc => assert_eq!(fault.code, -32603),
        }
        assert!(!fault.message.contains("Nobody"), "{fault:?}");
    }
    let refused = a2a_kit::engine::Engine::builder(e2e::agent::Scripted::default(), card::full())
        .extended_card(faulty())
        .build()
        .expect_err("it is refused");
    let field = "extendedCard.supportedInterfaces";
    assert_eq!(refused.violations()[0].field, field);
    // So is one that callers of version 0.3 could not read.
    let mut public = card::full();
    both_versions(&mut public);
    let refused = a2a_kit::engine::Engine::builder(e2e::agent::Scripted::default(), public)
        .extended_card(card::full())
        .build()
        .expect_err("it is refused");
    assert_eq!(refused.violations()[0].field, field);
}

#[tokio::test]
async fn an_agent_that_knows_nobody_shows_it_to_everybody() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let read = served.client(binding).ok(GET, json!({})).await;
        assert_eq!(string(&read, "/name"), "Scripted, extended");
    }
}

#[tokio::test]
async fn over_grpc_of_version_0_3_it_has_addresses_that_its_clients_take() {
    let served = Setup::new().card(both_versions).start().await;
    let transport = HttpTransport::new();
    let channel = GrpcChannel::new(&format!("http://{}", served.addr), transport).unwrap();
    let channel: Arc<dyn Channel> = Arc::new(channel);
    let read = Peer::new(channel)
        .get_extended_agent_card(CallContext::default(), GetExtendedAgentCardRequest::new())
        .await
        .unwrap();
    let grpc = read.supported_interfaces.iter();
    let grpc: Vec<_> = grpc
        .filter(|interface| interface.protocol_binding == "GRPC")
        .map(|interface| interface.url.as_str())
        .collect();
    assert_eq!(grpc, ["127.0.0.1:8080"]);
}
