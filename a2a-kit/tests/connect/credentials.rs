//! Credentials that a card asks for, from the card to the call, against servers that play what is
//! written here.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use a2a_kit::client::{Client, SchemeCredentials, Token, TokenRequest, Update};
use futures_util::TryStreamExt as _;
use serde_json::{Value, json};

#[cfg(feature = "oauth2")]
use crate::peer::json_text;
use crate::peer::{Act, Peer, answer, card, json_answer, result, rpc_stream, states, status, task};

/// A card with this scheme, called `it`, and a requirement of it.
fn asking(address: SocketAddr, scheme: &Value) -> Act {
    let mut card = card(address, "JSONRPC");
    card["securitySchemes"] = json!({"it": scheme});
    card["securityRequirements"] = json!([{"schemes": {"it": {"list": ["read"]}}}]);
    json_answer(&card)
}

fn key() -> Value {
    json!({"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}})
}

fn bearer() -> Value {
    json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}})
}

fn refused() -> Act {
    answer("401 Unauthorized", "www-authenticate: Bearer\r\n", "")
}

/// Tokens `t1`, `t2` and so on.
fn numbered() -> (SchemeCredentials, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let number = Arc::clone(&count);
    let source = move |_: TokenRequest| {
        let number = number.fetch_add(1, Ordering::Relaxed) + 1;
        async move { Ok(Token::new(format!("t{number}"))) }
    };
    (SchemeCredentials::tokens(source), count)
}

#[tokio::test]
async fn calls_carry_what_the_card_asks_for_and_the_question_for_the_card_does_not() {
    let peer =
        Peer::start(|address| vec![asking(address, &key()), result(&task("COMPLETED"))]).await;
    let builder = Client::builder()
        .scheme("it", SchemeCredentials::api_key("sesame"))
        .scheme("other", SchemeCredentials::bearer("t"));
    let client = peer.connect(builder).await.unwrap();
    client.message("go").send().await.unwrap();
    let requests = peer.requests();
    assert!(!requests[0].head.contains("sesame"));
    assert!(requests[1].has("x-key: sesame"));
    let has_other = |request: &crate::peer::Request| request.head.contains("authorization");
    assert!(!requests.iter().any(has_other));
}

#[tokio::test]
async fn what_a_card_asks_for_in_vain_is_said_before_anything_is_sent() {
    let peer = Peer::start(|address| vec![asking(address, &key())]).await;
    let builder = Client::builder().any_scheme(SchemeCredentials::bearer("t"));
    let client = peer.connect(builder).await.unwrap();
    let error = client.message("go").send().await.unwrap_err();
    assert!(error.is_unauthenticated() && error.is_unsent(), "{error:?}");
    assert!(error.message().contains("\"X-Key\""), "{error}");
    assert_eq!(peer.requests().len(), 1);
}

#[tokio::test]
async fn a_stream_that_is_refused_begins_with_another_token() {
    let peer = Peer::start(|address| {
        let events = rpc_stream(&[task("WORKING"), status("COMPLETED")], true);
        vec![asking(address, &bearer()), refused(), events]
    })
    .await;
    let (credentials, count) = numbered();
    let builder = Client::builder().scheme("it", credentials);
    let client = peer.connect(builder).await.unwrap();
    let updates = client.message("go").stream().await.unwrap();
    let updates: Vec<Update> = updates.try_collect().await.unwrap();
    assert_eq!(states(&updates), ["Working", "Completed"]);
    let requests = peer.requests();
    assert!(requests[1].has("authorization: Bearer t1"));
    assert!(requests[2].has("authorization: Bearer t2"));
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_token_is_renewed_once_and_then_the_refusal_stands() {
    let peer = Peer::start(|address| vec![asking(address, &bearer()), refused(), refused()]).await;
    let (credentials, count) = numbered();
    let builder = Client::builder().scheme("it", credentials);
    let client = peer.connect(builder).await.unwrap();
    let error = client.message("go").send().await.unwrap_err();
    assert_eq!(error.peer_status(), Some(401));
    assert_eq!(
        (peer.requests().len(), count.load(Ordering::Relaxed)),
        (3, 2)
    );
}

#[tokio::test]
async fn a_source_that_says_nothing_ends_with_the_time_of_the_call() {
    let peer = Peer::start(|address| vec![asking(address, &bearer())]).await;
    let silent = SchemeCredentials::tokens(|_: TokenRequest| std::future::pending());
    let builder = Client::builder()
        .timeout(Duration::from_millis(50))
        .scheme("it", silent);
    let client = peer.connect(builder).await.unwrap();
    let error = client.get_task("t1").await.unwrap_err();
    assert!(error.is_timeout() && error.is_unsent(), "{error:?}");
    assert_eq!(peer.requests().len(), 1);
}

#[cfg(feature = "oauth2")]
mod oauth2 {
    use a2a_kit::client::OAuthClient;

    use super::*;

    fn flow(url: &str) -> Value {
        json!({"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": url, "scopes": {}}}}})
    }

    fn known() -> OAuthClient {
        OAuthClient::new("me", "sesame")
    }

    fn token(text: &str) -> Act {
        json_answer(&json!({"access_token": text, "token_type": "Bearer", "expires_in": 3600}))
    }

    fn builder(oauth: OAuthClient) -> a2a_kit::client::ClientBuilder {
        Client::builder().scheme("it", SchemeCredentials::oauth(oauth))
    }

    #[tokio::test]
    async fn a_token_comes_from_where_the_card_says_and_again_after_a_refusal() {
        let peer = Peer::start(|address| {
            vec![
                asking(address, &flow(&format!("http://{address}/token"))),
                token("t1"),
                result(&task("COMPLETED")),
                refused(),
                token("t2"),
                result(&task("COMPLETED")),
            ]
        })
        .await;
        let client = peer.connect(builder(known())).await.unwrap();
        client.message("go").send().await.unwrap();
        client.message("go").send().await.unwrap();
        let shown: Vec<String> = peer
            .requests()
            .iter()
            .map(|request| {
                let path = request.line.split(' ').nth(1).unwrap();
                let header = request.head.lines();
                let header = header.filter_map(|line| line.strip_prefix("authorization: "));
                format!("{path} {}", header.collect::<String>())
            })
            .collect();
        let basic = "/token Basic bWU6c2VzYW1l";
        assert_eq!(
            shown[1..],
            [basic, "/x Bearer t1", "/x Bearer t1", basic, "/x Bearer t2"]
        );
    }

    #[tokio::test]
    async fn a_card_does_not_collect_secrets() {
        let collector = Peer::start(|_| vec![token("t1")]).await;
        let elsewhere = collector.url();
        let peer = Peer::start(|address| {
            let card = asking(address, &flow(&format!("{elsewhere}/token")));
            vec![card, result(&task("COMPLETED"))]
        })
        .await;
        let client = peer.connect(builder(known())).await.unwrap();
        let error = client.message("go").send().await.unwrap_err();
        for text in [&elsewhere, "token_origin"] {
            assert!(error.message().contains(text), "{error}");
        }
        assert!(collector.requests().is_empty());
        assert_eq!(peer.requests().len(), 1);
    }

    #[tokio::test]
    async fn a_server_for_tokens_that_misbehaves_ends_the_call() {
        let huge = format!("{{\"access_token\":\"{}\"}}", "x".repeat(1 << 20));
        for (act, says) in [
            (
                answer("302 Found", "location: http://127.0.0.1:1/\r\n", ""),
                "it redirects (302",
            ),
            (json_text("200 OK", &huge), "larger than 65536 bytes"),
            (json_text("500 Oh", "sesame"), "it answered 500"),
            (
                json_text("400 No", r#"{"error":"invalid_client"}"#),
                "invalid_client",
            ),
            (Act::Close, "/token"),
            (Act::Hang(String::new()), "time for the call"),
            (
                Act::Hang("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_owned()),
                "time for the call",
            ),
        ] {
            let peer = Peer::start(|address| {
                vec![
                    asking(address, &flow(&format!("http://{address}/token"))),
                    act,
                ]
            })
            .await;
            let limit = Duration::from_secs(1);
            let builder = builder(known()).timeout(limit).send_timeout(limit);
            let client = peer.connect(builder).await.unwrap();
            let error = client.message("go").send().await.unwrap_err();
            assert!(error.message().contains(says), "{says}: {error}");
            assert!(error.is_unsent(), "{error:?}");
            assert!(!format!("{error:?}").contains("sesame"), "{error:?}");
            assert_eq!(peer.requests().len(), 2, "{says}");
        }
    }
}
