use a2a_wire::v1_0::{
    AgentCard, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow, OAuth2SecurityScheme,
    OAuthFlows, OpenIdConnectSecurityScheme, SecurityRequirement, SecurityScheme, StringList,
};
use base64::Engine as _;
use serde_json::json;

use super::*;
use crate::body::Body;
use crate::client::script::{
    self, Answer, Script, json_answer, refused, result, status, task, with_header,
};
use crate::client::{Client, Retry, SchemeCredentials};

const SECRET: &str = "open sesame+&";

/// A card with one scheme, and a requirement of it with these scopes.
fn asking(scheme: SecurityScheme, scopes: &[&str]) -> AgentCard {
    let mut requirement = SecurityRequirement::new();
    let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let scopes = StringList::new().with_list(scopes);
    requirement.schemes.insert("oauth".to_owned(), scopes);
    let mut card = script::card(&[("JSONRPC", "https://agent.example/rpc")]);
    card.security_requirements = vec![requirement];
    card.security_schemes.insert("oauth".to_owned(), scheme);
    card
}

fn flow(token_url: &str) -> SecurityScheme {
    let flow = ClientCredentialsOAuthFlow::new().with_token_url(token_url);
    let flows = OAuthFlows::new().with_client_credentials(flow);
    SecurityScheme::new().with_oauth2_security_scheme(OAuth2SecurityScheme::new().with_flows(flows))
}

fn known() -> OAuthClient {
    OAuthClient::new("me", SECRET)
}

fn client(script: &Script, oauth: OAuthClient, card: AgentCard) -> Client {
    let builder = Client::builder()
        .base_url("https://agent.example")
        .retry(Retry::never())
        .scheme("oauth", SchemeCredentials::oauth(oauth));
    script.with(builder, card)
}

/// An authorization server and an agent that takes what comes from it.
fn answering(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Script {
    Script::new(move |number, request| match request.uri().path() {
        "/rpc" => result(request, &task("COMPLETED")),
        _ => answer(number),
    })
}

fn token(number: usize) -> Answer {
    json_answer(
        &json!({"access_token": format!("t{number}"), "token_type": "bearer", "expires_in": 300}),
    )
}

/// What became of a call, with an authorization server that answers so.
async fn failed(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Error {
    let script = answering(answer);
    let card = asking(flow("https://agent.example/token"), &["a", "b"]);
    let error = client(&script, known(), card)
        .get_task("t1")
        .await
        .unwrap_err();
    let all = format!("{error:?} {error}");
    assert!(!all.contains("sesame") && !all.contains("open%20"), "{all}");
    assert_eq!(
        script.lines(),
        ["POST https://agent.example/token"],
        "{error}"
    );
    assert!(error.is_unsent(), "{error:?}");
    error
}

fn form(request: &Request<Bytes>) -> BTreeSet<String> {
    assert_eq!(
        request.headers()["content-type"],
        "application/x-www-form-urlencoded"
    );
    let text = std::str::from_utf8(request.body()).unwrap();
    text.split('&').map(str::to_owned).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_token_is_fetched_by_the_card_s_flow_and_kept() {
    let script = answering(token);
    let card = asking(
        flow("https://agent.example/token"),
        &["tasks.read", "tasks.write"],
    );
    let client = client(&script, known(), card);
    client.get_task("t1").await.unwrap();
    client.get_task("t1").await.unwrap();
    let requests = script.requests();
    let lines = script.lines();
    assert_eq!(lines[0], "POST https://agent.example/token");
    assert_eq!(lines[1..], ["POST https://agent.example/rpc"; 2]);
    let expected = [
        "grant_type=client_credentials",
        "scope=tasks.read+tasks.write",
    ];
    assert_eq!(form(&requests[0]), set(&expected));
    // Both are percent-encoded before they are put together (RFC 6749, 2.3.1).
    let basic = base64::engine::general_purpose::STANDARD.encode("me:open+sesame%2B%26");
    assert_eq!(
        requests[0].headers()["authorization"],
        format!("Basic {basic}")
    );
    for request in &requests {
        assert!(request.headers()["authorization"].is_sensitive());
    }
    assert_eq!(requests[2].headers()["authorization"], "Bearer t0");
    // It is renewed before it ends.
    tokio::time::advance(Duration::from_secs(271)).await;
    client.get_task("t1").await.unwrap();
    assert_eq!(script.requests()[4].headers()["authorization"], "Bearer t3");
}

#[tokio::test]
async fn what_servers_want_besides_can_be_said() {
    let script = answering(token);
    let oauth = known()
        .secret_in_body()
        .parameter("audience", "https://agent.example")
        .scopes(["extra"]);
    let card = asking(flow("https://agent.example/token"), &["a"]);
    client(&script, oauth, card).get_task("t1").await.unwrap();
    let request = &script.requests()[0];
    assert!(!request.headers().contains_key("authorization"));
    let expected = [
        "grant_type=client_credentials",
        "client_id=me",
        "client_secret=open+sesame%2B%26",
        "audience=https%3A%2F%2Fagent.example",
        "scope=a+extra",
    ];
    assert_eq!(form(request), set(&expected));
}

#[tokio::test]
async fn the_secret_goes_where_the_agent_is_or_where_the_user_says_and_nowhere_else() {
    let idp = || known().token_origin("https://login.example/any/path");
    let named = || known().token_url("https://login.example/oauth");
    let oidc = SecurityScheme::new()
        .with_open_id_connect_security_scheme(OpenIdConnectSecurityScheme::new());
    let by_person = OAuthFlows::new().with_authorization_code(AuthorizationCodeOAuthFlow::new());
    let by_person = SecurityScheme::new()
        .with_oauth2_security_scheme(OAuth2SecurityScheme::new().with_flows(by_person));
    let at = |url: &str| flow(url);
    for (oauth, scheme, expected) in [
        (
            known(),
            at("https://agent.example/token"),
            Ok("https://agent.example/token"),
        ),
        (
            known(),
            at("https://AGENT.example:443/t?x=1"),
            Ok("https://agent.example/t?x=1"),
        ),
        (
            idp(),
            at("https://login.example/token"),
            Ok("https://login.example/token"),
        ),
        (
            idp(),
            at("https://agent.example/token"),
            Ok("https://agent.example/token"),
        ),
        (
            named(),
            at("https://evil.example/token"),
            Ok("https://login.example/oauth"),
        ),
        (named(), oidc.clone(), Ok("https://login.example/oauth")),
        (
            named(),
            by_person.clone(),
            Ok("https://login.example/oauth"),
        ),
        // A card that collects secrets.
        (
            known(),
            at("https://evil.example/token"),
            Err("OAuthClient::token_origin(\"https://evil.example:443\")"),
        ),
        (idp(), at("https://evil.example/token"), Err("evil.example")),
        (
            idp(),
            at("https://login.example:8443/token"),
            Err("token_origin"),
        ),
        (
            idp(),
            at("https://login.example.evil.example/token"),
            Err("token_origin"),
        ),
        (
            idp(),
            at("https://login.example@evil.example/token"),
            Err("user's name or password"),
        ),
        (
            idp(),
            at("https://login.example\\@evil.example/token"),
            Err("address"),
        ),
        (
            idp(),
            at("https://evil.example#@login.example/token"),
            Err("fragment"),
        ),
        (
            known(),
            at("http://agent.example/token"),
            Err("token_origin"),
        ),
        // A line that anybody can read.
        (
            known().token_origin("http://agent.example"),
            at("http://agent.example/token"),
            Err("is not https"),
        ),
        (
            known().token_url("http://login.example/token"),
            at("https://x.example"),
            Err("is not https"),
        ),
        (
            known().token_origin("http://localhost.evil.example"),
            at("http://localhost.evil.example/t"),
            Err("is not https"),
        ),
        (
            known().token_url("http://127.0.0.1:9/token"),
            at("https://x.example"),
            Ok("http://127.0.0.1:9/token"),
        ),
        (
            known().token_url("http://[::1]:9/token"),
            at("https://x.example"),
            Ok("http://[::1]:9/token"),
        ),
        (
            known().token_url("http://localhost:9/token"),
            at("https://x.example"),
            Ok("http://localhost:9/token"),
        ),
        // What the card does not say.
        (known(), at(""), Err("OAuthClient::token_url")),
        (known(), oidc.clone(), Err("OAuthClient::token_url")),
        (
            known(),
            by_person.clone(),
            Err("no flow of client credentials"),
        ),
        (
            known().token_url("login.example"),
            oidc.clone(),
            Err("http://"),
        ),
        (
            known().token_origin("login.example"),
            at("https://login.example/t"),
            Err("http://"),
        ),
    ] {
        let script = answering(token);
        let called = client(&script, oauth, asking(scheme.clone(), &[]))
            .get_task("t1")
            .await;
        match (called, expected) {
            (Ok(_), Ok(url)) => assert_eq!(script.lines()[0], format!("POST {url}"), "{scheme:?}"),
            (Err(error), Err(says)) => {
                assert!(error.message().contains(says), "{says}: {error}");
                assert!(script.requests().is_empty() && error.is_unauthenticated());
            }
            (called, _) => panic!("{scheme:?}: {called:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_that_misbehaves_costs_little_and_learns_nothing_more() {
    let error = failed(|_| {
        with_header(
            status(307, ""),
            "location",
            "https://evil.example/?secret=open%20sesame",
        )
    })
    .await;
    for text in [
        "https://agent.example/token",
        "it redirects (307",
        "token_url",
    ] {
        assert!(error.message().contains(text), "{error}");
    }
    // Without end.
    let error = failed(|_| {
        let chunk = Bytes::from(vec![b' '; 1 << 14]);
        let endless = futures_util::stream::repeat_with(move || Ok::<_, BoxError>(chunk.clone()));
        let answer = status(200, Body::from_stream(endless));
        with_header(answer, "content-type", "application/json")
    })
    .await;
    assert_eq!(error.code(), Code::ResourceExhausted);
    assert!(
        error.message().contains("larger than 65536 bytes"),
        "{error}"
    );
    let error = failed(|_| Err(refused())).await;
    assert!(
        error.is_unavailable() && error.message().contains("connection refused"),
        "{error}"
    );
    let error = failed(|_| status(503, "down")).await;
    assert!(
        error.is_unavailable() && error.message().contains("503"),
        "{error}"
    );
    for (body, kind) in [
        ("<html>open sesame</html>", "text/html"),
        ("", "application/json"),
        ("[]", "application/json"),
        (
            r#"{"access_token":5,"token_type":"bearer"}"#,
            "application/json",
        ),
        (r#"{"access_token":"open sesame"}"#, "application/json"),
        (
            r#"{"access_token":"open sesame","token_type":"bearer"#,
            "application/json",
        ),
    ] {
        let error = failed(move |_| with_header(status(200, body), "content-type", kind)).await;
        assert_eq!(error.code(), Code::FailedPrecondition, "{error}");
        assert!(
            error.message().contains("is it the address for tokens?"),
            "{error}"
        );
    }
    let error = failed(|_| json_answer(&json!({"access_token": "t", "token_type": "mac"}))).await;
    assert!(error.message().contains("no bearer token"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up() {
    let script = answering(|_| {
        let nothing = futures_util::stream::pending::<Result<Bytes, BoxError>>();
        with_header(
            status(200, Body::from_stream(nothing)),
            "content-type",
            "application/json",
        )
    });
    let builder = Client::builder()
        .base_url("https://agent.example")
        .timeout(Duration::from_secs(120))
        .scheme("oauth", SchemeCredentials::oauth(known()));
    let card = asking(flow("https://agent.example/token"), &[]);
    let error = script.with(builder, card).get_task("t1").await.unwrap_err();
    assert!(error.message().contains("no answer within 30s"), "{error}");
    assert!(error.is_unavailable() && error.is_unsent());
}

#[tokio::test]
async fn refusals_of_the_server_say_what_to_do() {
    let says = |error: &str, description: &str| {
        let body = json!({"error": error, "error_description": description}).to_string();
        move |_| {
            let answer = status(400, body.clone());
            with_header(answer, "content-type", "application/json")
        }
    };
    for (name, code, text) in [
        ("invalid_client", Code::Unauthenticated, "secret_in_body"),
        (
            "unauthorized_client",
            Code::Unauthenticated,
            "its settings there",
        ),
        (
            "unsupported_grant_type",
            Code::Unauthenticated,
            "its settings there",
        ),
        ("invalid_scope", Code::PermissionDenied, "the scopes a b"),
        ("out_of_tea", Code::Unauthenticated, "out_of_tea"),
    ] {
        let error = failed(says(name, "come back\n later")).await;
        assert_eq!(error.code(), code, "{error}");
        for text in [text, name, "come back later", "\"oauth\""] {
            assert!(error.message().contains(text), "{text}: {error}");
        }
    }
    // It has the secret, and may repeat it.
    let error = failed(says("invalid_client", &format!("wrong: {SECRET}"))).await;
    assert!(error.message().contains('…'), "{error}");
    let error = failed(says(SECRET, "no")).await;
    assert!(error.message().contains('…'), "{error}");
}

#[tokio::test]
async fn scopes_can_be_limited_whatever_the_agent_wants() {
    let script = answering(token);
    let oauth = known().only_scopes(["a", "b"]);
    let card = asking(flow("https://agent.example/token"), &["a", "admin"]);
    let error = client(&script, oauth, card)
        .get_task("t1")
        .await
        .unwrap_err();
    assert!(error.is_permission_denied() && error.is_unsent());
    assert!(error.message().contains("the scopes admin"), "{error}");
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn a_token_that_the_agent_refuses_is_fetched_again_once() {
    let script = Script::new(|number, request| match request.uri().path() {
        "/rpc" if request.headers()["authorization"] == "Bearer t2" => {
            result(request, &task("COMPLETED"))
        }
        "/rpc" => status(401, "no"),
        _ => token(number),
    });
    let card = asking(flow("https://agent.example/token"), &[]);
    client(&script, known(), card).get_task("t1").await.unwrap();
    let paths: Vec<String> = script
        .requests()
        .iter()
        .map(|request| request.uri().path().to_owned())
        .collect();
    assert_eq!(paths, ["/token", "/rpc", "/token", "/rpc"]);
}

#[tokio::test]
async fn neither_interceptors_nor_other_credentials_see_the_request_for_a_token() {
    let script = answering(token);
    let builder = Client::builder()
        .base_url("https://agent.example")
        .credentials(crate::client::Credentials::api_key_header("x-key", "k"))
        .header("x-own", "1")
        .scheme("oauth", SchemeCredentials::oauth(known()));
    let card = asking(flow("https://agent.example/token"), &[]);
    script.with(builder, card).get_task("t1").await.unwrap();
    for (request, there) in script.requests().iter().zip([false, true]) {
        for name in ["x-key", "x-own"] {
            assert_eq!(
                request.headers().contains_key(name),
                there,
                "{}",
                request.uri()
            );
        }
    }
}
