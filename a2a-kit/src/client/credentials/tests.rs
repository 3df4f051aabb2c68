use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request};

use super::super::script::{Script, json_answer, json_rpc_card, task};
use super::super::transport::{CallOptions, Transport as _, TransportError, TransportErrorKind};
use super::*;
use crate::service::BoxFuture;

async fn sent(credentials: Credentials, url: &str) -> Request<Bytes> {
    let script = Script::new(|_, _| json_answer(&task("COMPLETED")));
    let home = Origin::of(&"https://agent.example/a2a".parse().unwrap());
    let dressed = Dressed::new(
        Arc::new(script.clone()),
        Vec::new(),
        vec![credentials],
        home.as_ref(),
    )
    .unwrap();
    let request = Request::get(url)
        .header("cookie", "other=1")
        .body(Bytes::new())
        .unwrap();
    dressed.send(request, CallOptions::default()).await.unwrap();
    script.requests().remove(0)
}

#[tokio::test]
async fn each_kind_stands_where_it_belongs() {
    let url = "https://agent.example/tasks/t1?x=1";
    let header =
        |request: &Request<Bytes>, name: &str| request.headers()[name].to_str().unwrap().to_owned();
    let request = sent(Credentials::bearer("t0k"), url).await;
    assert_eq!(header(&request, "authorization"), "Bearer t0k");
    assert!(request.headers()["authorization"].is_sensitive());
    let request = sent(Credentials::basic("me", "pass:word"), url).await;
    assert_eq!(header(&request, "authorization"), "Basic bWU6cGFzczp3b3Jk");
    let request = sent(Credentials::api_key_header("X-Api-Key", "k"), url).await;
    assert_eq!(header(&request, "x-api-key"), "k");
    let request = sent(Credentials::api_key_query("key", "a b&c"), url).await;
    assert_eq!(
        request.uri(),
        "https://agent.example/tasks/t1?x=1&key=a%20b%26c"
    );
    let request = sent(
        Credentials::api_key_query("key", "k"),
        "https://agent.example",
    )
    .await;
    assert_eq!(request.uri(), "https://agent.example/?key=k");
    let request = sent(Credentials::api_key_cookie("session", "k=1"), url).await;
    assert_eq!(header(&request, "cookie"), "other=1; session=k=1");
    assert!(request.headers()["cookie"].is_sensitive());
}

#[tokio::test]
async fn they_go_to_their_origin_alone() {
    for (url, told) in [
        ("https://agent.example/", true),
        ("https://AGENT.example:443/elsewhere", true),
        ("http://agent.example/", false),
        ("https://agent.example:8443/", false),
        ("https://evil.example/", false),
        ("https://agent.example.evil.example/", false),
    ] {
        for credentials in [
            Credentials::bearer("k"),
            Credentials::api_key_query("key", "k"),
            Credentials::api_key_cookie("c", "k"),
        ] {
            let request = sent(credentials, url).await;
            let cookie = request.headers()["cookie"] != "other=1";
            let found = request.headers().contains_key("authorization")
                || request.uri().query().is_some()
                || cookie;
            assert_eq!(found, told, "{url}");
        }
    }
    let elsewhere = Credentials::bearer("k").for_origin("https://other.example/some/path");
    assert!(
        sent(elsewhere.clone(), "https://other.example/")
            .await
            .headers()
            .contains_key("authorization")
    );
    assert!(
        !sent(elsewhere, "https://agent.example/")
            .await
            .headers()
            .contains_key("authorization")
    );
}

#[test]
fn they_are_never_printed() {
    let all = [
        Credentials::bearer("sesame"),
        Credentials::basic("sesame", "sesame"),
        Credentials::api_key_header("x-key", "sesame"),
        Credentials::api_key_query("key", "sesame"),
        Credentials::api_key_cookie("key", "sesame"),
        Credentials::bearer("sesame\n").for_origin("https://h"),
    ];
    let home = Origin::of(&"https://agent.example".parse().unwrap());
    let secret = |text: &str| text.contains("sesame") || text.contains("c2VzYW1l");
    for credentials in all {
        assert!(!secret(&format!("{credentials:?}")), "{credentials:?}");
        let builder = super::super::Client::builder().credentials(credentials.clone());
        assert!(!secret(&format!("{builder:?}")), "{builder:?}");
        match Dressed::new(
            Arc::new(Script::of(Vec::new())),
            Vec::new(),
            vec![credentials],
            home.as_ref(),
        ) {
            Ok(dressed) => assert!(!secret(&format!("{dressed:?}"))),
            Err(error) => assert!(!secret(&format!("{error:?}"))),
        }
    }
}

#[test]
fn what_cannot_be_sent_is_refused_before_anything_is() {
    let cases = [
        (Credentials::bearer("a\nb"), "the bearer token"),
        (Credentials::basic("a:b", "c"), "colon"),
        (Credentials::api_key_header("a b", "c"), "\"a b\""),
        (Credentials::api_key_header("a", "\u{0}"), "the API key"),
        (Credentials::api_key_cookie("a", "b;c"), "\"a\""),
        (Credentials::api_key_cookie("", "b"), "\"\""),
        (Credentials::bearer("a").for_origin("h.example"), "http://"),
        (Credentials::bearer("a"), "Credentials::for_origin"),
    ];
    for (credentials, why) in cases {
        let builder = super::super::Client::builder()
            .transport(Script::of(Vec::new()))
            .credentials(credentials);
        let error = builder.with_card(json_rpc_card()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(why), "{why}: {error}");
    }
}

#[derive(Debug)]
struct Tag(&'static str, Arc<std::sync::Mutex<Vec<String>>>);

impl Interceptor for Tag {
    fn before<'a>(
        &'a self,
        head: &'a mut http::request::Parts,
    ) -> BoxFuture<'a, Result<(), TransportError>> {
        Box::pin(async move {
            assert!(
                !head.headers.contains_key("authorization"),
                "interceptors see no credentials"
            );
            if self.0 == "refuse" {
                return Err(TransportError::new(
                    TransportErrorKind::Request,
                    "not this one",
                ));
            }
            head.headers
                .append("x-tag", HeaderValue::from_static(self.0));
            Ok(())
        })
    }

    fn after(&self, head: &http::response::Parts) {
        self.1
            .lock()
            .unwrap()
            .push(format!("{} {}", self.0, head.status));
    }
}

#[tokio::test]
async fn interceptors_see_every_request_in_order() {
    let log = Arc::default();
    let script =
        Script::new(|_, request| super::super::script::result(request, &task("COMPLETED")));
    let builder = super::super::Client::builder()
        .interceptor(Tag("one", Arc::clone(&log)))
        .interceptor(Tag("two", Arc::clone(&log)))
        .credentials(Credentials::bearer("k").for_origin("http://agent.example"));
    script
        .with(builder, json_rpc_card())
        .get_task("t1")
        .await
        .unwrap();
    let tags: Vec<_> = script.requests()[0]
        .headers()
        .get_all("x-tag")
        .iter()
        .cloned()
        .collect();
    assert_eq!(tags, ["one", "two"]);
    assert_eq!(script.requests()[0].headers()["authorization"], "Bearer k");
    assert_eq!(*log.lock().unwrap(), ["one 200 OK", "two 200 OK"]);

    let script = Script::of(Vec::new());
    let builder = super::super::Client::builder().interceptor(Tag("refuse", log));
    let error = script
        .with(builder, json_rpc_card())
        .get_task("t1")
        .await
        .unwrap_err();
    assert_eq!(error.message(), "not this one");
    assert!(error.is_unsent());
}

#[tokio::test]
async fn a_header_for_one_call_stands_before_the_usual_one() {
    let script =
        Script::new(|_, request| super::super::script::result(request, &task("COMPLETED")));
    let builder = super::super::Client::builder()
        .credentials(Credentials::bearer("usual").for_origin("http://agent.example"));
    script
        .with(builder, json_rpc_card())
        .get_task("t1")
        .header("authorization", "Bearer other")
        .await
        .unwrap();
    assert_eq!(
        script.requests()[0].headers()["authorization"],
        "Bearer other"
    );
}

/// A client of a gRPC agent whose tokens are `t1`, `t2` and so on.
#[cfg(feature = "grpc")]
fn by_grpc(script: &Script) -> super::super::Client {
    use super::super::{SchemeCredentials, Token, TokenRequest};
    use a2a_wire::v1_0::{HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme, StringList};

    let mut card = super::super::script::card(&[("GRPC", "http://agent.example")]);
    let scheme = HttpAuthSecurityScheme::new().with_scheme("bearer");
    let scheme = SecurityScheme::new().with_http_auth_security_scheme(scheme);
    card.security_schemes.insert("token".to_owned(), scheme);
    let mut requirement = SecurityRequirement::new();
    let schemes = &mut requirement.schemes;
    schemes.insert("token".to_owned(), StringList::new());
    card.security_requirements = vec![requirement];
    let count = std::sync::atomic::AtomicUsize::new(1);
    let tokens = move |_: TokenRequest| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        async move { Ok(Token::new(format!("t{number}"))) }
    };
    let builder = super::super::Client::builder()
        .base_url("http://agent.example")
        .reconnect(super::super::Reconnect::never())
        .scheme("token", SchemeCredentials::tokens(tokens));
    script.with(builder, card)
}

/// An answer over gRPC: messages, then a status.
#[cfg(feature = "grpc")]
fn grpc(messages: &[Vec<u8>], status: &'static str) -> super::super::script::Answer {
    use super::super::script;
    use http_body::Frame;

    let frames = messages.iter().map(|message| {
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        let bytes = [&[0][..], &length, message].concat();
        Ok::<_, TransportError>(Frame::data(Bytes::from(bytes)))
    });
    let trailers = http::HeaderMap::from_iter([(
        http::HeaderName::from_static("grpc-status"),
        HeaderValue::from_static(status),
    )]);
    let frames: Vec<_> = frames.chain([Ok(Frame::trailers(trailers))]).collect();
    let body = http_body_util::StreamBody::new(futures_util::stream::iter(frames));
    let answer = script::status(200, crate::body::Body::new(body));
    script::with_header(answer, "content-type", "application/grpc")
}

#[cfg(feature = "grpc")]
#[tokio::test]
async fn a_refusal_over_grpc_may_come_after_the_head_of_the_answer() {
    use a2a_wire::v1_0::{StreamResponse, Task, TaskState, TaskStatus};
    use futures_util::TryStreamExt as _;
    use prost::Message as _;

    let done = TaskStatus::new().with_state(TaskState::Completed);
    let done = Task::new().with_id("t1").with_status(done);
    let event = StreamResponse::task(done.clone()).encode_to_vec();
    let is_new = |request: &Request<Bytes>| request.headers()["authorization"] == "Bearer t2";

    let task = done.encode_to_vec();
    let script = Script::new(move |_, request| match is_new(request) {
        true => grpc(std::slice::from_ref(&task), "0"),
        false => grpc(&[], "16"),
    });
    let answer = by_grpc(&script).get_task("t1").await.unwrap();
    assert_eq!((answer.id.as_str(), script.requests().len()), ("t1", 2));

    let script = Script::new(move |_, request| match is_new(request) {
        true => grpc(std::slice::from_ref(&event), "0"),
        false => grpc(&[], "16"),
    });
    let updates = by_grpc(&script).message("hi").stream().await.unwrap();
    let updates: Vec<_> = updates.try_collect().await.unwrap();
    assert_eq!((updates.len(), script.requests().len()), (1, 2));

    // Refused again, in whatever form: that is the answer.
    for second in ["trailers", "head", "none"] {
        let script = Script::new(move |number, _| match (number, second) {
            (0, _) | (_, "trailers") => grpc(&[], "16"),
            (_, "head") => super::super::script::with_header(grpc(&[], "0"), "grpc-status", "16"),
            _ => super::super::script::status(502, "proxy"),
        });
        let client = by_grpc(&script);
        let error = client.get_task("t1").await.unwrap_err();
        assert!(error.is_unauthenticated(), "{second}: {error:?}");
        assert_eq!(script.requests().len(), 2, "{second}");
    }

    // After a part of the answer, it stands.
    let working = StreamResponse::task(Task::new().with_id("t1")).encode_to_vec();
    let script = Script::new(move |_, _| grpc(std::slice::from_ref(&working), "16"));
    let updates = by_grpc(&script).message("hi").stream().await.unwrap();
    let error = updates.try_collect::<Vec<_>>().await.unwrap_err();
    assert!(error.is_unauthenticated(), "{error:?}");
    assert_eq!(script.requests().len(), 1);
}
