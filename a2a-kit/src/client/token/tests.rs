use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_wire::v1_0::{
    AgentCard, AgentSkill, OAuth2SecurityScheme, SecurityRequirement, SecurityScheme, StringList,
};
use bytes::Bytes;
use futures_util::future::join_all;
use http::Request;
use tokio::sync::Notify;

use super::*;
use crate::client::script::{self, Answer, Script, result, status, task, with_header};
use crate::client::{Client, Retry, SchemeCredentials};

/// A card whose only requirement is a token with the scope `read`; its skill `write` wants `write`.
fn card() -> AgentCard {
    let wants = |scope: &str| {
        let mut requirement = SecurityRequirement::new();
        let scopes = StringList::new().with_list([scope.to_owned()]);
        requirement.schemes.insert("oauth".to_owned(), scopes);
        requirement
    };
    let skill = AgentSkill::new()
        .with_id("write")
        .with_security_requirements([wants("write")]);
    let mut card = script::json_rpc_card()
        .with_security_requirements([wants("read")])
        .with_skills([skill]);
    let scheme = SecurityScheme::new().with_oauth2_security_scheme(OAuth2SecurityScheme::new());
    card.security_schemes.insert("oauth".to_owned(), scheme);
    card
}

/// A source that counts: its tokens are `t1`, `t2` and so on.
#[derive(Clone, Default)]
struct Counting(Arc<Counted>);

#[derive(Default)]
struct Counted {
    asked: Mutex<Vec<TokenRequest>>,
    lifetime: Option<Duration>,
    /// Where it waits, and who is told that it does.
    gate: Option<(Notify, Notify)>,
    /// So many are handed out before there are no more.
    most: Option<usize>,
}

impl Counting {
    fn living(lifetime: Duration) -> Self {
        Self(Arc::new(Counted {
            lifetime: Some(lifetime),
            ..Counted::default()
        }))
    }

    fn asked(&self) -> Vec<String> {
        let asked = self.0.asked.lock().unwrap();
        let told = |wanted: &TokenRequest| {
            assert_eq!(wanted.scheme(), "oauth");
            let refused = if wanted.was_refused() { " refused" } else { "" };
            format!("{}{refused}", wanted.scopes().join(" "))
        };
        asked.iter().map(told).collect()
    }
}

impl TokenSource for Counting {
    async fn token(&self, wanted: TokenRequest) -> Result<Token, BoxError> {
        let number = {
            let mut asked = self.0.asked.lock().unwrap();
            asked.push(wanted);
            asked.len()
        };
        if let Some((gate, waits)) = &self.0.gate {
            waits.notify_one();
            gate.notified().await;
        }
        if self.0.most.is_some_and(|most| number > most) {
            return Err("the login page is closed".into());
        }
        let token = Token::new(format!("t{number}"));
        Ok(match self.0.lifetime {
            Some(lifetime) => token.expires_in(lifetime),
            None => token,
        })
    }
}

fn client(script: &Script, source: impl TokenSource) -> Client {
    let builder = Client::builder()
        .base_url("http://agent.example")
        .retry(Retry::never())
        .scheme("oauth", SchemeCredentials::tokens(source));
    script.with(builder, card())
}

fn shown(request: &Request<Bytes>) -> String {
    let header = request.headers().get("authorization");
    let header = header.map_or("", |value| value.to_str().unwrap());
    header.strip_prefix("Bearer ").unwrap_or(header).to_owned()
}

fn all_shown(script: &Script) -> Vec<String> {
    script.requests().iter().map(shown).collect()
}

fn fine(request: &Request<Bytes>) -> Answer {
    result(request, &task("COMPLETED"))
}

/// Takes these tokens.
fn taking(tokens: &'static [&'static str]) -> Script {
    Script::new(
        move |_, request| match tokens.contains(&&shown(request)[..]) {
            true => fine(request),
            false => status(401, "no"),
        },
    )
}

#[tokio::test(start_paused = true)]
async fn a_token_is_kept_and_renewed_a_little_before_its_end() {
    let source = Counting::living(Duration::from_secs(300));
    let script = Script::new(|_, request| fine(request));
    let client = client(&script, source.clone());
    for (wait, expected) in [
        (0, "t1"),
        (200, "t1"),
        (69, "t1"),
        (2, "t2"),
        (200, "t2"),
        (900, "t3"),
    ] {
        tokio::time::advance(Duration::from_secs(wait)).await;
        client.get_task("t1").await.unwrap();
        assert_eq!(all_shown(&script).last().unwrap(), expected, "after {wait}");
    }
    assert_eq!(source.asked(), ["read", "read", "read"]);
    // Long ones a minute before, and those without an end never.
    for (lifetime, wait, tokens) in [
        (Some(3600), 3530, 1),
        (Some(3600), 3545, 2),
        (None, 1_000_000, 1),
        (Some(0), 0, 2),
    ] {
        let source = Counting(Arc::new(Counted {
            lifetime: lifetime.map(Duration::from_secs),
            ..Counted::default()
        }));
        let client = super::tests::client(&script, source.clone());
        client.get_task("t1").await.unwrap();
        tokio::time::advance(Duration::from_secs(wait)).await;
        client.get_task("t1").await.unwrap();
        assert_eq!(source.asked().len(), tokens, "{lifetime:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_that_cannot_be_renewed_is_used_as_long_as_it_is_good() {
    let source = Counting(Arc::new(Counted {
        lifetime: Some(Duration::from_secs(100)),
        most: Some(1),
        ..Counted::default()
    }));
    let script = Script::new(|_, request| fine(request));
    let client = client(&script, source.clone());
    client.get_task("t1").await.unwrap();
    tokio::time::advance(Duration::from_secs(92)).await;
    client.get_task("t1").await.unwrap();
    // The source is not asked with every call.
    client.get_task("t1").await.unwrap();
    assert_eq!(source.asked().len(), 2);
    tokio::time::advance(Duration::from_secs(6)).await;
    client.get_task("t1").await.unwrap();
    assert_eq!((source.asked().len(), all_shown(&script).len()), (3, 4));
    tokio::time::advance(Duration::from_secs(6)).await;
    let error = client.get_task("t1").await.unwrap_err();
    assert!(error.is_unauthenticated() && error.is_unsent());
    for text in ["\"oauth\"", "the login page is closed"] {
        assert!(error.message().contains(text), "{error}");
    }
    assert_eq!(script.requests().len(), 4);
}

#[tokio::test]
async fn all_calls_wait_for_one_token_also_when_the_first_one_is_given_up() {
    let source = Counting(Arc::new(Counted {
        gate: Some(Default::default()),
        ..Counted::default()
    }));
    let script = Script::new(|_, request| fine(request));
    let client = client(&script, source.clone());
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.get_task("t1").await.map(drop) }
    });
    let (gate, waits) = source.0.gate.as_ref().unwrap();
    waits.notified().await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let calls = join_all((0..50).map(|_| client.get_task("t1").into_future()));
    let (answers, ()) = futures_util::future::join(calls, async { gate.notify_one() }).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(source.asked(), ["read"]);
    assert_eq!(all_shown(&script), ["t1"; 50]);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_for_all_and_each_call_is_made_once_more() {
    let source = Counting::default();
    let script = taking(&["t2"]);
    let client = client(&script, source.clone());
    let calls = join_all((0..50).map(|_| client.get_task("t1").into_future()));
    assert!(calls.await.iter().all(Result::is_ok));
    assert_eq!(source.asked(), ["read", "read refused"]);
    let shown = all_shown(&script);
    let count = |token: &str| shown.iter().filter(|shown| *shown == token).count();
    assert!(count("t1") >= 1 && count("t2") == 50, "{shown:?}");
    // Messages, too: nothing had happened.
    let source = Counting::default();
    let script = taking(&["t2"]);
    let client = super::tests::client(&script, source.clone());
    client.message("hi").send().await.unwrap_err(); // No task and no message is in the answer.
    assert_eq!(all_shown(&script), ["t1", "t2"]);
    let requests = script.requests();
    assert_eq!(requests[0].body(), requests[1].body());
}

#[tokio::test]
async fn a_token_that_is_refused_twice_is_refused() {
    let source = Counting::default();
    let script = taking(&[]);
    let client = client(&script, source.clone());
    for calls in 1..=3 {
        let error = client.get_task("t1").await.unwrap_err();
        assert_eq!(
            (error.is_unauthenticated(), error.peer_status()),
            (true, Some(401))
        );
        assert!(!error.is_unsent());
        assert_eq!(script.requests().len(), 2 * calls);
    }
    // The last one of a call is refused by the first try of the next.
    assert_eq!(source.asked()[..2], ["read", "read refused"]);
    assert_eq!(source.asked().len(), 4);

    let source = Counting(Arc::new(Counted {
        most: Some(1),
        ..Counted::default()
    }));
    let script = taking(&[]);
    let error = super::tests::client(&script, source)
        .get_task("t1")
        .await
        .unwrap_err();
    for text in [
        "the agent refused the token at hand",
        "the login page is closed",
    ] {
        assert!(error.message().contains(text), "{error}");
    }
    assert!(error.is_unauthenticated() && !error.is_unsent());
}

/// Answers by 403 until there is a token with number 2 or above.
fn wanting_more(scope: &'static str) -> Script {
    Script::new(move |_, request| match shown(request).as_str() {
        "t1" => {
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
            with_header(status(403, "no"), "www-authenticate", &challenge)
        }
        _ => fine(request),
    })
}

#[tokio::test]
async fn scopes_that_an_agent_misses_are_asked_for_once() {
    let source = Counting::default();
    let script = wanting_more("write admin");
    let client = client(&script, source.clone());
    client.get_task("t1").await.unwrap();
    assert_eq!(source.asked(), ["read", "admin read write"]);
    assert_eq!(all_shown(&script), ["t1", "t2"]);
    // That token is kept.
    client.get_task("t1").await.unwrap();
    assert_eq!(source.asked().len(), 2);

    // What it has already is not asked for again.
    let source = Counting::default();
    let script = wanting_more("read");
    let error = super::tests::client(&script, source.clone())
        .get_task("t1")
        .await
        .unwrap_err();
    assert!(error.is_permission_denied());
    assert!(error.message().contains("the scopes read"), "{error}");
    assert_eq!((source.asked().len(), script.requests().len()), (1, 1));

    // Who does not give them away has the agent's answer.
    let source = Counting(Arc::new(Counted {
        most: Some(1),
        ..Counted::default()
    }));
    let script = wanting_more("admin");
    let client = super::tests::client(&script, source.clone());
    for calls in 1..=2 {
        let error = client.get_task("t1").await.unwrap_err();
        assert!(
            error.is_permission_denied() && error.message().contains("admin"),
            "{error}"
        );
        assert_eq!(script.requests().len(), calls);
    }

    // It never goes on, whatever the agent says.
    let script = Script::new(|number, _| {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"s{number}\"");
        let status = if number % 2 == 0 { 403 } else { 401 };
        with_header(script::status(status, "no"), "www-authenticate", &challenge)
    });
    let client = super::tests::client(&script, Counting::default());
    client.get_task("t1").await.unwrap_err();
    assert_eq!(script.requests().len(), 3);
    // A token that stays the same cannot have more.
    let script = wanting_more("admin");
    let builder = Client::builder()
        .base_url("http://agent.example")
        .scheme("oauth", SchemeCredentials::bearer("t1"));
    let error = script
        .with(builder, card())
        .get_task("t1")
        .await
        .unwrap_err();
    assert!(
        error.is_permission_denied() && error.message().contains("admin"),
        "{error}"
    );
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn a_skill_s_scopes_are_in_the_token_and_stay_in_it() {
    let source = Counting::default();
    let script = Script::new(|_, request| fine(request));
    let client = client(&script, source.clone());
    for (skill, token) in [
        (None, "t1"),
        (Some("write"), "t2"),
        (None, "t2"),
        (Some("write"), "t2"),
    ] {
        let mut call = client.get_task("t1");
        if let Some(skill) = skill {
            call = call.for_skill(skill);
        }
        call.await.unwrap();
        assert_eq!(all_shown(&script).last().unwrap(), token);
    }
    assert_eq!(source.asked(), ["read", "read write"]);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_or_panics_is_in_nobody_s_way() {
    let number = Arc::new(AtomicUsize::new(0));
    let script = Script::new(|_, request| fine(request));
    let source = {
        let number = Arc::clone(&number);
        move |_: TokenRequest| {
            let number = number.fetch_add(1, Ordering::Relaxed);
            async move {
                match number {
                    0 => panic!("oh"),
                    1 => std::future::pending().await,
                    _ => Ok(Token::new("t")),
                }
            }
        }
    };
    let client = client(&script, source);
    let error = client.get_task("t1").await.unwrap_err();
    assert!(error.message().contains("panicked"), "{error}");
    // The call has its own limit, and the source one that is longer.
    let error = client.get_task("t1").await.unwrap_err();
    assert!(error.is_timeout() && error.is_unsent(), "{error:?}");
    // Who comes meanwhile waits with it, until then.
    client.get_task("t1").await.unwrap_err();
    assert_eq!(number.load(Ordering::Relaxed), 2);
    client.get_task("t1").await.unwrap();
    assert_eq!(all_shown(&script), ["t"]);
}

#[tokio::test]
async fn a_token_that_no_header_can_hold_is_refused_without_its_text() {
    let script = Script::of(Vec::new());
    let source = |_: TokenRequest| async { Ok(Token::new("sesame\r\nx: y")) };
    let error = client(&script, source).get_task("t1").await.unwrap_err();
    assert!(
        error.message().contains("letters that headers cannot hold"),
        "{error}"
    );
    assert!(!format!("{error:?}").contains("sesame"));
}

#[tokio::test]
async fn a_header_of_the_call_takes_the_place_of_a_token() {
    let source = Counting::default();
    let script = taking(&[]);
    let client = client(&script, source.clone());
    let call = client.get_task("t1").header("authorization", "Bearer own");
    call.await.unwrap_err();
    assert_eq!(all_shown(&script), ["own"]);
    assert!(source.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn no_other_interface_waits_for_the_same_token() {
    let script = Script::of(Vec::new());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let source = move |_: TokenRequest| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        async move {
            match number {
                0 => std::future::pending().await,
                _ => Err("the login page is closed".into()),
            }
        }
    };
    let mut card = card();
    for url in ["http://agent.example/two", "http://agent.example/three"] {
        let mut other = card.supported_interfaces[0].clone();
        url.clone_into(&mut other.url);
        card.supported_interfaces.push(other);
    }
    let builder = Client::builder()
        .base_url("http://agent.example")
        .timeout(Duration::from_secs(40))
        .scheme("oauth", SchemeCredentials::tokens(source));
    let client = script.with(builder, card);
    let start = tokio::time::Instant::now();
    let error = client.get_task("t1").await.unwrap_err();
    assert!(error.is_timeout() && error.is_unsent(), "{error:?}");
    assert_eq!(start.elapsed(), Duration::from_secs(40));
    // That question has ended by then.
    tokio::time::advance(Duration::from_secs(21)).await;
    client.get_task("t1").await.unwrap_err();
    let error = client.get_task("t1").await.unwrap_err();
    assert!(
        error
            .message()
            .contains("\"oauth\": the login page is closed"),
        "{error}"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}
