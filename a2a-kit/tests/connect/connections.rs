//! Whom a client calls, and what it tells them: gateways, cards, interfaces, credentials.

use std::sync::{Arc, Mutex};

use a2a_kit::client::{Client, Credentials, Interceptor, TransportError};
use a2a_kit::{Binding, BoxFuture, ProtocolVersion};

use crate::agent::{ALL, Served};
use crate::surface::rest;

#[tokio::test]
async fn a_gateway_is_a_client_that_is_served() {
    let agent = Served::start().await;
    for far in ALL {
        let gateway = Served::gateway(agent.by(far).await).await;
        for near in ALL {
            let client = gateway.by(near).await;
            assert_eq!(
                client.message("hello").send().await.unwrap().text(),
                "hello to you",
                "{near:?} to {far:?}"
            );
            let asked = client
                .message("ask who?")
                .send()
                .await
                .unwrap()
                .into_task()
                .unwrap();
            let answered = client
                .message("me")
                .in_task(&asked.id)
                .stream()
                .await
                .unwrap()
                .outcome()
                .await
                .unwrap();
            assert_eq!(answered.text(), "me", "{near:?} to {far:?}");
            assert!(
                client
                    .get_task("missing")
                    .await
                    .unwrap_err()
                    .is_task_not_found()
            );
            assert_eq!(
                client.list_tasks().page_size(1).await.unwrap().tasks.len(),
                1
            );
        }
    }
}

/// Remembers statuses of answers by the path of the request before them.
#[derive(Debug, Default, Clone)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Interceptor for Log {
    fn before<'a>(
        &'a self,
        head: &'a mut http::request::Parts,
    ) -> BoxFuture<'a, Result<(), TransportError>> {
        self.0.lock().unwrap().push(head.uri.path().to_owned());
        Box::pin(async { Ok(()) })
    }

    fn after(&self, head: &http::response::Parts) {
        self.0
            .lock()
            .unwrap()
            .push(head.status.as_u16().to_string());
    }
}

#[tokio::test]
async fn the_card_is_asked_for_again_under_a_condition() {
    let agent = Served::start().await;
    let log = Log::default();
    let client = agent
        .connect(Client::builder().interceptor(log.clone()))
        .await;
    client.refresh_card().await.unwrap();
    let card = "/.well-known/agent-card.json";
    assert_eq!(*log.0.lock().unwrap(), [card, "200", card, "304"]);
}

#[tokio::test]
async fn an_agent_is_found_by_its_card_s_own_address_too() {
    let agent = Served::start().await;
    let url = format!("{}/.well-known/agent-card.json", agent.url());
    for client in [
        Client::connect(&url).await.unwrap(),
        Client::builder().connect_to_card(&url).await.unwrap(),
    ] {
        assert_eq!(
            client.message("hello").send().await.unwrap().text(),
            "hello to you"
        );
    }
    let card = serde_json::to_string(&crate::agent::card(agent.address)).unwrap();
    let client = Client::builder()
        .prefer([Binding::Grpc])
        .require_version(ProtocolVersion::V1_0)
        .with_card_json(card)
        .unwrap();
    assert_eq!(client.interface().protocol_binding, "GRPC");
    assert_eq!(client.interfaces().len(), 3);
    assert_eq!(
        client.message("hello").send().await.unwrap().text(),
        "hello to you"
    );
}

#[tokio::test]
async fn the_next_interface_is_called_when_one_is_not_there() {
    let gone = Served::start().await.stop().await;
    for (first, second) in [
        (Binding::JsonRpc, Binding::Grpc),
        (Binding::Grpc, Binding::Rest),
        (Binding::Rest, Binding::JsonRpc),
    ] {
        let agent = Served::with_card(|card| {
            let place = |binding: Binding| {
                let position = card
                    .supported_interfaces
                    .iter()
                    .position(|interface| interface.protocol_binding == binding.card_name());
                card.supported_interfaces[position.unwrap()].clone()
            };
            let mut unreachable = place(first);
            unreachable.url = unreachable.url.replace(
                &format!(":{}", card_port(&unreachable.url)),
                &format!(":{}", gone.port()),
            );
            card.supported_interfaces = vec![unreachable, place(second)];
        })
        .await;
        let client = agent.client().await;
        assert_eq!(client.interface().protocol_binding, first.card_name());
        assert_eq!(
            client.message("hello").send().await.unwrap().text(),
            "hello to you",
            "{first:?}"
        );
        assert_eq!(client.interface().protocol_binding, second.card_name());
        let stream = rest(client.message("hello").stream().await.unwrap())
            .await
            .unwrap();
        assert_eq!(stream, ["message hello to you"]);
    }
}

fn card_port(url: &str) -> &str {
    url.trim_end_matches('/').rsplit_once(':').unwrap().1
}

#[tokio::test]
async fn credentials_reach_the_agent_and_nobody_else() {
    let agent = Served::start().await;
    let seen = Log::default();
    #[derive(Debug)]
    struct Spy(Log);
    impl Interceptor for Spy {
        fn before<'a>(
            &'a self,
            head: &'a mut http::request::Parts,
        ) -> BoxFuture<'a, Result<(), TransportError>> {
            self.0
                .0
                .lock()
                .unwrap()
                .push(format!("{}", head.headers.contains_key("authorization")));
            Box::pin(async { Ok(()) })
        }
    }
    let builder = Client::builder()
        .credentials(Credentials::bearer("secret"))
        .interceptor(Spy(seen.clone()));
    let client = agent.connect(builder).await;
    client.message("hello").send().await.unwrap();
    // Interceptors do not see them.
    assert_eq!(*seen.0.lock().unwrap(), ["false", "false"]);
    assert!(!format!("{client:?}").contains("secret"));
}
