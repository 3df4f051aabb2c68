//! https, and gRPC over TLS, with a root certificate of our own making.

use a2a_kit::client::{
    Client, Credentials, GrpcChannel, HttpTransport, JsonRpcChannel, TransportErrorKind,
};
use a2a_kit::v1_0::AgentInterface;
use a2a_kit::{A2aService as _, A2aServiceClient, Binding, Code, Error};
use futures_util::StreamExt as _;

use crate::support::{Running, card, context, said, say};

fn kind(error: &Error) -> Option<TransportErrorKind> {
    error.transport().map(a2a_kit::client::TransportError::kind)
}

#[tokio::test]
async fn calls_and_streams_over_tls() {
    for protocols in [&[&b"h2"[..], b"http/1.1"][..], &[b"h2"]] {
        let server = Running::tls(protocols).await;
        for (binding, client) in server.clients() {
            let answer = client.send_message(context(), say("hello")).await.unwrap();
            assert_eq!(said(&answer), "hello", "{binding:?}");
            let error = client
                .send_message(context(), say("missing"))
                .await
                .unwrap_err();
            assert!(error.is_task_not_found(), "{binding:?}");
            let events = client
                .send_streaming_message(context(), say("events 100"))
                .await
                .unwrap();
            assert_eq!(events.count().await, 100, "{binding:?}");
        }
    }
}

#[tokio::test]
async fn http1_over_tls_is_enough_for_all_but_grpc() {
    for protocols in [&[&b"http/1.1"[..]][..], &[]] {
        let server = Running::tls(protocols).await;
        for (binding, client) in server.clients() {
            let answer = client.send_message(context(), say("hello")).await;
            match (binding, protocols.is_empty()) {
                (Binding::Grpc, false) => {
                    let error = answer.unwrap_err();
                    assert_eq!(kind(&error), Some(TransportErrorKind::Tls), "{error:?}");
                }
                // A server that negotiates nothing may know HTTP/2 all the same.
                _ => assert_eq!(said(&answer.unwrap()), "hello", "{binding:?}"),
            }
        }
    }
}

#[tokio::test]
async fn certificates_are_verified() {
    let server = Running::tls(&[b"h2", b"http/1.1"]).await;
    let port = server.address.port();
    let strange = HttpTransport::new();
    let trusted = server.transport();
    let cases = [
        (format!("https://localhost:{port}"), &strange, "issuer"),
        (format!("https://127.0.0.1:{port}"), &trusted, "name"),
    ];
    for (url, transport, says) in cases {
        let json_rpc = JsonRpcChannel::new(&url, transport.clone()).unwrap();
        let grpc = GrpcChannel::new(&url, transport.clone()).unwrap();
        for client in [A2aServiceClient::new(json_rpc), A2aServiceClient::new(grpc)] {
            let error = client
                .send_message(context(), say("hello"))
                .await
                .unwrap_err();
            assert_eq!(kind(&error), Some(TransportErrorKind::Tls), "{error:?}");
            assert!(error.is_unsent());
            assert_eq!(error.code(), Code::Unavailable);
            let message = error.message().to_lowercase();
            assert!(
                message.contains(&url) && message.contains(says),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_is_no_https_server() {
    let server = Running::plain().await;
    let url = format!("https://{}", server.address);
    let client = A2aServiceClient::new(JsonRpcChannel::new(&url, HttpTransport::new()).unwrap());
    let error = client
        .send_message(context(), say("hello"))
        .await
        .unwrap_err();
    assert_eq!(kind(&error), Some(TransportErrorKind::Tls), "{error:?}");
    assert!(error.is_unsent());
}

#[test]
fn root_certificates_are_checked_when_they_are_given() {
    let begin = "-----BEGIN CERTIFICATE-----\n";
    let end = "\n-----END CERTIFICATE-----\n";
    for (pem, says) in [
        (String::new(), "it holds no certificate"),
        ("hello".to_owned(), "it holds no certificate"),
        (format!("{begin}AAAA{end}"), "no certificate of an issuer"),
        (format!("{begin}!!!!{end}"), "not valid PEM"),
    ] {
        let error = HttpTransport::builder()
            .root_certificates(&pem)
            .build()
            .unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(says), "{pem:?}: {error}");
    }
}

#[tokio::test]
async fn a_client_finds_its_way_over_tls() {
    let server = Running::tls(&[b"h2", b"http/1.1"]).await;
    let connect = || Client::builder().transport(server.transport());
    // The card itself.
    let found = connect().connect(server.url()).await.unwrap();
    assert_eq!(found.card().name, "Desk");
    // And every interface.
    for binding in [Binding::JsonRpc, Binding::Rest, Binding::Grpc] {
        let card = card().with_supported_interfaces([AgentInterface::new()
            .with_url(server.url())
            .with_protocol_binding(binding.card_name())
            .with_protocol_version("1.0")]);
        let client = connect()
            .credentials(Credentials::bearer("x").for_origin(server.url()))
            .with_card(card.clone())
            .unwrap();
        let answer = client.message("context").send().await.unwrap();
        let expected = format!("{binding:?} 1.0 [] Bearer x - ");
        assert!(answer.text().starts_with(&expected), "{}", answer.text());
        let events = client.message("events 10").stream().await.unwrap();
        assert!(events.count().await > 0, "{binding:?}");
        // Who does not know the root does not call.
        let strange = Client::builder().with_card(card).unwrap();
        let error = strange.message("hello").send().await.unwrap_err();
        assert_eq!(kind(&error), Some(TransportErrorKind::Tls), "{error:?}");
        assert!(error.is_unsent() && error.is_unavailable());
    }
}
