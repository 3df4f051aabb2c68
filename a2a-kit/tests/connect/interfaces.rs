//! Which interface of a card is called, and what goes along with every call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use a2a_kit::client::{Client, ClientBuilder, Interceptor, TransportError};
use a2a_kit::{Binding, BoxFuture, Error, ProtocolVersion};
use futures_util::TryStreamExt as _;
use serde_json::Value;

use crate::agent::{ALL, Served};
use crate::peer::{Act, Peer, card_of, interface, json_answer, nobody, quick, result, task};

/// A peer whose card names paths of its own: `(binding, version, path)`.
async fn peer(interfaces: &'static [(&'static str, &'static str, &'static str)]) -> Peer {
    Peer::start(|address| {
        let interfaces: Vec<Value> = interfaces
            .iter()
            .map(|(binding, version, path)| {
                interface(format!("http://{address}{path}"), binding, version)
            })
            .collect();
        vec![
            json_answer(&card_of(&interfaces)),
            result(&task("COMPLETED")["task"]),
        ]
    })
    .await
}

async fn called(peer: &Peer, builder: ClientBuilder) -> Result<String, Error> {
    peer.connect(builder).await?.get_task("t1").await?;
    let request = peer.requests().remove(1);
    assert!(request.has("a2a-version: 1.0"), "{request:?}");
    Ok(request.line)
}

#[tokio::test]
async fn i9_a_client_of_grpc_calls_the_second_interface() {
    let agent = Served::start().await;
    let other = Peer::start(|_| Vec::new()).await;
    let card = card_of(&[
        interface(format!("http://{}/", other.address), "JSONRPC", "1.0"),
        interface(agent.address.to_string(), "GRPC", "1.0"),
    ]);
    let place = Peer::start(|_| vec![json_answer(&card)]).await;
    let client = place
        .connect(quick().bindings([Binding::Grpc]))
        .await
        .unwrap();
    let answer = client.message("hello").send().await.unwrap();
    assert_eq!(answer.text(), "hello to you");
    assert_eq!(client.interface().url, agent.address.to_string());
    assert!(other.lines().is_empty());
}

#[tokio::test]
async fn i10_a_binding_that_is_there_twice_is_called_by_version() {
    for interfaces in [
        &[("JSONRPC", "0.3", "/old"), ("JSONRPC", "1.0", "/new")],
        &[("JSONRPC", "1.0", "/new"), ("JSONRPC", "0.3", "/old")],
    ] {
        let peer = peer(interfaces).await;
        assert_eq!(
            called(&peer, quick().require_version(ProtocolVersion::V1_0))
                .await
                .unwrap(),
            "POST /new HTTP/1.1"
        );
    }
}

#[tokio::test]
async fn an_interface_of_1_0_is_called_behind_one_of_0_3() {
    let agent = Served::start().await;
    let other = Peer::start(|_| Vec::new()).await;
    let card = card_of(&[
        interface(format!("http://{}/", other.address), "JSONRPC", "0.3"),
        interface(agent.address.to_string(), "GRPC", "1.0"),
    ]);
    let place = Peer::start(|_| vec![json_answer(&card)]).await;
    let builder = quick().at_least_version(ProtocolVersion::V1_0);
    let client = place.connect(builder).await.unwrap();
    let answer = client.message("hello").send().await.unwrap();
    assert_eq!(answer.text(), "hello to you");
    assert_eq!(client.interfaces().len(), 1);
    assert!(other.lines().is_empty());
}

#[tokio::test]
async fn the_card_s_order_and_the_caller_s() {
    const THREE: &[(&str, &str, &str)] = &[
        ("GRPC", "1.0", "/grpc"),
        ("JSONRPC", "1.0", "/rpc"),
        ("HTTP+JSON", "1.0", "/rest"),
    ];
    let client = peer(THREE).await.client().await;
    assert_eq!(client.interface().protocol_binding, "GRPC");
    let json = [Binding::Rest, Binding::JsonRpc];
    let line = called(&peer(THREE).await, quick().bindings(json)).await;
    assert_eq!(line.unwrap(), "POST /rpc HTTP/1.1");
    let preferred = quick().prefer([Binding::JsonRpc]);
    let line = called(&peer(THREE).await, preferred).await;
    assert_eq!(line.unwrap(), "POST /rpc HTTP/1.1");
    // Case does not count, and the version only to its minor digit.
    let line = called(&peer(&[("jsonRpc", "1.0.7", "/rpc")]).await, quick()).await;
    assert_eq!(line.unwrap(), "POST /rpc HTTP/1.1");
}

#[tokio::test]
async fn versions_that_are_not_wanted_or_not_spoken_are_refused() {
    let only_1_0 = || quick().at_least_version(ProtocolVersion::V1_0);
    for (version, builder) in [
        ("0.3", only_1_0()),
        // Specification 3.6.2: none means 0.3.
        ("", only_1_0()),
        ("0.30", only_1_0()),
        ("1", only_1_0()),
        ("v1.0", only_1_0()),
        ("2.0", quick()),
        ("1.0", quick().require_version(ProtocolVersion::V0_3)),
        ("1.0", quick().at_least_version("1.1".parse().unwrap())),
    ] {
        let peer = Peer::start(|address| {
            let url = format!("http://{address}/x");
            vec![json_answer(&card_of(&[interface(url, "JSONRPC", version)]))]
        })
        .await;
        let error = peer.connect(builder).await.unwrap_err();
        let message = error.message();
        assert!(message.contains("\"JSONRPC\" at "), "{version}: {message}");
        assert_eq!(peer.lines().len(), 1);
    }
}

#[tokio::test]
async fn a_send_goes_to_the_next_interface_only_if_not_a_byte_went_out() {
    let good = Peer::start(|_| vec![result(&task("COMPLETED"))]).await;
    let card = |first: &str, second: &str| {
        let each = |url: &str| interface(format!("http://{url}/"), "JSONRPC", "1.0");
        card_of(&[each(first), each(second)]).to_string()
    };
    // Nobody is there: the next one.
    let gone = nobody().to_string();
    let good_address = good.address.to_string();
    let client = quick().with_card_json(card(&gone, &good_address)).unwrap();
    client.message("go").send().await.unwrap();
    assert_eq!(good.methods(), ["SendMessage"]);
    assert!(client.interface().url.contains(&good_address));
    // Somebody has seen it: no other one.
    let cut = Peer::start(|_| vec![Act::Close]).await;
    let other = Peer::start(|_| vec![result(&task("COMPLETED"))]).await;
    let client = quick()
        .with_card_json(card(&cut.address.to_string(), &other.address.to_string()))
        .unwrap();
    let error = client.message("go").send().await.unwrap_err();
    assert!(error.is_unavailable() && !error.is_unsent(), "{error:?}");
    assert_eq!((cut.lines().len(), other.lines().len()), (1, 0));
}

#[tokio::test]
async fn when_nobody_can_be_reached_the_error_tells_of_each() {
    let addresses = [nobody(), nobody(), nobody()];
    let interfaces: Vec<Value> = addresses
        .iter()
        .zip(["JSONRPC", "GRPC", "HTTP+JSON"])
        .map(|(address, binding)| interface(format!("http://{address}"), binding, "1.0"))
        .collect();
    let card = card_of(&interfaces).to_string();
    let builder = quick().retry(a2a_kit::client::Retry::never());
    let client = builder.with_card_json(card).unwrap();
    let error = client.message("go").send().await.unwrap_err();
    assert!(error.is_unavailable() && error.is_unsent(), "{error:?}");
    for (address, binding) in addresses.iter().zip(["JSONRPC", "GRPC", "HTTP+JSON"]) {
        let told = format!("{binding} at http://{address}: cannot connect to http://{address}");
        assert!(error.message().contains(&told), "{told}: {error}");
    }
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn what_the_card_does_not_declare_is_refused_before_anything_is_sent() {
    let peer = Peer::start(|address| {
        let mut card = card_of(&[interface(format!("http://{address}/x"), "JSONRPC", "1.0")]);
        card["capabilities"] = serde_json::json!({});
        vec![json_answer(&card)]
    })
    .await;
    let client = peer.client().await;
    let streamed = client.message("go").stream().await.unwrap_err();
    let subscribed = client.subscribe("t1").await.unwrap_err();
    for error in [&streamed, &subscribed] {
        assert!(error.is_unsupported_operation(), "{error:?}");
    }
    let webhook = a2a_kit::v1_0::TaskPushNotificationConfig::new().with_url("https://h.test/");
    for error in [
        client
            .create_push_config("t1", "https://h.test/")
            .await
            .unwrap_err(),
        client.get_push_config("t1", "c1").await.unwrap_err(),
        client.list_push_configs("t1").await.unwrap_err(),
        client.delete_push_config("t1", "c1").await.unwrap_err(),
        client
            .message("go")
            .notify(webhook)
            .send()
            .await
            .unwrap_err(),
    ] {
        assert!(error.is_push_notification_not_supported(), "{error:?}");
    }
    let extended = client.extended_card().await.unwrap_err();
    assert!(extended.is_unsupported_operation(), "{extended:?}");
    assert_eq!(peer.lines().len(), 1);
}

/// Counts requests by what they say about version and extensions.
#[derive(Debug, Default, Clone)]
struct Said(Arc<Mutex<BTreeMap<String, usize>>>);

impl Interceptor for Said {
    fn before<'a>(
        &'a self,
        head: &'a mut http::request::Parts,
    ) -> BoxFuture<'a, Result<(), TransportError>> {
        let said = |name| {
            let values = head.headers.get_all(name).iter();
            let values: Vec<_> = values.map(|value| value.to_str().unwrap()).collect();
            values.join(" | ")
        };
        let said = format!("{}; {}", said("a2a-version"), said("a2a-extensions"));
        *self.0.lock().unwrap().entry(said).or_default() += 1;
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn version_and_extensions_go_with_every_operation_of_every_binding() {
    let agent = Served::start().await;
    for binding in ALL {
        let said = Said::default();
        let builder = Client::builder()
            .bindings([binding])
            .extension("urn:one")
            .extension("urn:two")
            .interceptor(said.clone());
        let client = agent.connect(builder).await;
        said.0.lock().unwrap().clear();
        let asked = client.message("ask what?").send().await.unwrap();
        let id = asked.into_task().unwrap().id;
        let updates = client.message("hello").stream().await.unwrap();
        updates.try_collect::<Vec<_>>().await.unwrap();
        client.get_task(&id).await.unwrap();
        client.list_tasks().await.unwrap();
        let first = client.subscribe(&id).await.unwrap().try_next().await;
        assert!(first.unwrap().is_some());
        let config = client
            .create_push_config(&id, "https://h.example.com/")
            .await;
        let config = config.unwrap().id;
        client.get_push_config(&id, &config).await.unwrap();
        client.list_push_configs(&id).await.unwrap();
        client.delete_push_config(&id, &config).await.unwrap();
        client.extended_card().await.unwrap();
        client.cancel(&id).await.unwrap();
        let said = said.0.lock().unwrap().clone();
        let expected = BTreeMap::from([("1.0; urn:one, urn:two".to_owned(), 11)]);
        assert_eq!(said, expected, "{binding:?}");
    }
}

#[tokio::test]
async fn the_tenant_of_the_interface_is_in_every_request() {
    let peer = Peer::start(|address| {
        let place = |path| format!("http://{address}{path}");
        let with_tenant = |mut interface: Value, tenant: &str| {
            interface["tenant"] = tenant.into();
            interface
        };
        let rest = with_tenant(interface(place("/rest"), "HTTP+JSON", "1.0"), "a b");
        let rpc = with_tenant(interface(place("/rpc"), "JSONRPC", "1.0"), "other");
        let card = card_of(&[rest, rpc]);
        vec![
            json_answer(&card),
            json_answer(&task("COMPLETED")["task"]),
            json_answer(&task("COMPLETED")),
            result(&task("COMPLETED")["task"]),
        ]
    })
    .await;
    let client = peer.client().await;
    client.get_task("t1").await.unwrap();
    client.message("go").send().await.unwrap();
    let rpc = quick().bindings([Binding::JsonRpc]);
    let client = rpc.with_card((*client.card()).clone()).unwrap();
    client.get_task("t1").await.unwrap();
    assert_eq!(
        peer.lines()[1..],
        [
            "GET /rest/a%20b/tasks/t1 HTTP/1.1",
            "POST /rest/a%20b/message:send HTTP/1.1",
            "POST /rpc HTTP/1.1"
        ]
    );
    assert_eq!(peer.requests()[3].body["params"]["tenant"], "other");
}
