use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::tests::head;
use super::super::{ApiKeys, Authenticator, BasicUsers, CallerFromLayer, TrustedProxy};
use super::*;
use crate::test_log::{heard, listen};
use crate::v1_0::{ApiKeySecurityScheme, HttpAuthSecurityScheme, StringList};

/// Knows `X-<letter>: <id>[ <scope>...]`; `X-<letter>: !` is wrong, `?` cannot be said.
struct Letter(HeaderName, Arc<AtomicUsize>);

impl Letter {
    fn new(letter: &str) -> Self {
        Self(format!("x-{letter}").parse().unwrap(), Arc::default())
    }
}

impl Authenticator for Letter {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        self.1.fetch_add(1, Ordering::Relaxed);
        match head.header(&self.0)? {
            None => Ok(None),
            Some("!") => Err(Rejection::invalid("it is wrong")),
            Some("?") => Err(Rejection::unavailable("nobody knows")),
            Some(text) => {
                let mut words = text.split(' ');
                let id = words.next().unwrap_or_default();
                Ok(Some(Caller::known(id).with_scopes(words)))
            }
        }
    }
}

fn bearer() -> SecurityScheme {
    let http = HttpAuthSecurityScheme::new().with_scheme("bearer");
    SecurityScheme::new().with_http_auth_security_scheme(http)
}

/// A card with the schemes `a`, `b` and `c`, and these requirements: `a+b:scope,scope`.
fn card(requirements: &[&str]) -> AgentCard {
    let mut card = AgentCard::new().with_name("Desk");
    for name in ["a", "b", "c"] {
        card.security_schemes.insert(name.into(), bearer());
    }
    for text in requirements {
        let mut requirement = SecurityRequirement::new();
        for need in text.split('+').filter(|need| !need.is_empty()) {
            let (name, scopes) = need.split_once(':').unwrap_or((need, ""));
            let scopes = scopes.split(',').filter(|scope| !scope.is_empty());
            let list = StringList::new().with_list(scopes.map(str::to_owned));
            requirement.schemes.insert(name.into(), list);
        }
        card.security_requirements.push(requirement);
    }
    card
}

fn all_of(card: &AgentCard) -> Authentication {
    Authentication::for_card(card)
        .scheme("a", Letter::new("a"))
        .scheme("b", Letter::new("b"))
        .scheme("c", Letter::new("c"))
        .build()
        .unwrap()
}

/// Who it is and which scopes, or the gRPC code of the refusal.
async fn outcome(authentication: &Authentication, headers: &[(&str, &str)]) -> String {
    let mut request = head("/tasks", headers);
    match authentication.authenticate(&mut request).await {
        Ok(caller) => {
            assert_eq!(request.extensions.get::<Caller>(), Some(&caller));
            let scopes: String = caller.scopes().map(|scope| format!(" {scope}")).collect();
            caller.id().unwrap_or("nobody").to_owned() + &scopes
        }
        Err(error) => {
            assert!(request.extensions.get::<Caller>().is_none());
            error.code().name().to_owned()
        }
    }
}

#[tokio::test]
async fn requirements_are_alternatives_of_schemes_that_belong_together() {
    let authentication = all_of(&card(&["a:read", "b+c:write"]));
    for (headers, expected) in [
        (&[("x-a", "alice read")][..], "alice read"),
        (&[("x-b", "bob"), ("x-c", "carol write x")], "bob write x"),
        (&[("x-a", "alice read"), ("x-b", "!")], "alice read"),
        (
            &[("x-a", "!"), ("x-b", "bob"), ("x-c", "carol write")],
            "bob write",
        ),
        (
            &[("x-a", "alice"), ("x-b", "bob"), ("x-c", "carol write")],
            "bob write",
        ),
        (&[], "UNAUTHENTICATED"),
        (&[("x-b", "bob")], "UNAUTHENTICATED"),
        (&[("x-c", "carol write")], "UNAUTHENTICATED"),
        (&[("x-a", "!")], "UNAUTHENTICATED"),
        (&[("x-b", "bob"), ("x-c", "!")], "UNAUTHENTICATED"),
        (&[("x-a", "alice write")], "PERMISSION_DENIED"),
        // A scope of one scheme is none of the other one.
        (
            &[("x-b", "bob write"), ("x-c", "carol")],
            "PERMISSION_DENIED",
        ),
        (&[("x-a", "alice"), ("x-b", "!")], "PERMISSION_DENIED"),
        (&[("x-a", "?")], "UNAVAILABLE"),
        (
            &[("x-a", "?"), ("x-b", "bob"), ("x-c", "carol write")],
            "bob write",
        ),
        (&[("x-a", "!"), ("x-b", "?")], "UNAVAILABLE"),
    ] {
        assert_eq!(
            outcome(&authentication, headers).await,
            expected,
            "{headers:?}"
        );
    }
}

#[tokio::test]
async fn without_requirements_callers_may_be_anonymous_but_not_liars() {
    for requirements in [&[][..], &[""], &["a:read", ""]] {
        let authentication = all_of(&card(requirements));
        for (headers, expected) in [
            (&[][..], "nobody"),
            (&[("x-b", "bob")], "bob"),
            (&[("x-a", "alice read")], "alice read"),
            (&[("x-a", "!")], "UNAUTHENTICATED"),
            // What one scheme refuses may be meant for another one.
            (&[("x-b", "bob"), ("x-c", "!")], "bob"),
            (&[("x-b", "bob"), ("x-c", "?")], "bob"),
            (&[("x-b", "!"), ("x-c", "!")], "UNAUTHENTICATED"),
            (&[("x-c", "?")], "UNAVAILABLE"),
        ] {
            let outcome = outcome(&authentication, headers).await;
            assert_eq!(outcome, expected, "{requirements:?} {headers:?}");
        }
    }
}

#[tokio::test]
async fn the_id_is_that_of_the_scheme_that_was_added_first() {
    let card = card(&["a+b"]);
    let authentication = Authentication::for_card(&card)
        .scheme("b", Letter::new("b"))
        .scheme("a", Letter::new("a"))
        .build()
        .unwrap();
    let headers = [("x-a", "alice x"), ("x-b", "bob y")];
    assert_eq!(outcome(&authentication, &headers).await, "bob x y");
}

#[tokio::test]
async fn an_authenticator_is_asked_once_a_call() {
    let card = card(&["a:x", "a:y", "a:z"]);
    let letter = Letter::new("a");
    let asked = Arc::clone(&letter.1);
    let authentication = Authentication::for_card(&card)
        .scheme("a", letter)
        .build()
        .unwrap();
    assert_eq!(
        outcome(&authentication, &[("x-a", "alice z")]).await,
        "alice z"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_caller_that_a_client_cannot_have_set_is_replaced() {
    let authentication = all_of(&card(&[]));
    let mut request = head("/", &[]);
    request.extensions.insert(Caller::known("mallory"));
    let caller = authentication.authenticate(&mut request).await.unwrap();
    assert_eq!(caller, Caller::anonymous());
    assert_eq!(request.extensions.get(), Some(&Caller::anonymous()));
}

#[tokio::test]
async fn refusals_say_how_to_authenticate() {
    let mut card = card(&["a:read", "b+key"]);
    let key = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let key = SecurityScheme::new().with_api_key_security_scheme(key);
    card.security_schemes.insert("key".into(), key);
    let authentication = Authentication::for_card(&card)
        .scheme("a", Letter::new("a"))
        .scheme("b", Letter::new("b"))
        .scheme("key", ApiKeys::header("X-Key").key("k", Caller::known("k")))
        .build()
        .unwrap();
    let refused = async |headers: &[(&str, &str)]| {
        authentication
            .authenticate(&mut head("/", headers))
            .await
            .unwrap_err()
    };
    let missing = refused(&[]).await;
    assert_eq!(
        missing.message(),
        "this agent asks for credentials: a, or b and key; its card says how"
    );
    assert_eq!(
        missing.challenges(),
        [
            r#"Bearer realm="Desk", scope="read""#,
            r#"Bearer realm="Desk""#,
            r#"ApiKey realm="Desk", in="header", name="X-Key""#,
        ]
    );
    let wrong = refused(&[("x-a", "!")]).await;
    assert_eq!(
        wrong.message(),
        "the credentials do not hold: a: it is wrong"
    );
    assert_eq!(
        wrong.challenges()[0],
        r#"Bearer realm="Desk", scope="read", error="invalid_token""#
    );
    let weak = refused(&[("x-a", "alice")]).await;
    assert_eq!(weak.message(), "the credentials lack the scopes read");
    assert_eq!(
        weak.challenges(),
        [r#"Bearer realm="Desk", scope="read", error="insufficient_scope""#]
    );
    let unknown = refused(&[("x-a", "?")]).await;
    assert_eq!(unknown.retry_after(), Some(RETRY_AFTER));
    assert!(unknown.challenges().is_empty());
}

#[tokio::test]
async fn headers_with_credentials_are_marked_whatever_comes_out() {
    let card = card(&["a"]);
    let proxy = TrustedProxy::with_secret("x-proof", "s", "x-user");
    let authentication = Authentication::for_card(&card)
        .other_schemes(proxy)
        .build()
        .unwrap();
    for proof in ["s", "wrong"] {
        let headers = [
            ("authorization", "Bearer t"),
            ("cookie", "a=b"),
            ("cookie", "c=d"),
            ("x-proof", proof),
            ("x-user", "alice"),
        ];
        let mut request = head("/", &headers);
        let _ = authentication.authenticate(&mut request).await;
        for (name, value) in &request.headers {
            assert_eq!(value.is_sensitive(), name != "x-user", "{name}");
        }
    }
}

fn faults(builder: AuthenticationBuilder) -> Vec<String> {
    let error = builder.build().unwrap_err();
    let faults = error.violations().iter();
    faults
        .map(|fault| format!("{}: {}", fault.field, fault.description))
        .collect()
}

#[test]
fn a_requirement_that_nobody_can_meet_is_refused_at_the_start() {
    let card = card(&["a", "b+nowhere"]);
    let found = faults(Authentication::for_card(&card).scheme("a", Letter::new("a")));
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("securityRequirements[1].b: no authenticator"));
    assert!(found[1].starts_with("securityRequirements[1].nowhere: the card has no such"));
    assert!(found[2].starts_with("securityRequirements[1].nowhere: no authenticator"));
}

#[test]
fn an_authenticator_that_does_not_fit_is_refused_at_the_start() {
    let card = card(&["a"]);
    let users = BasicUsers::new().user("a", "b", Caller::known("a"));
    let found = faults(Authentication::for_card(&card).scheme("a", users));
    assert!(
        found[0].contains("the card's scheme is another one"),
        "{found:?}"
    );
    let twice = Authentication::for_card(&card)
        .scheme("a", Letter::new("a"))
        .scheme("a", Letter::new("b"));
    assert_eq!(faults(twice), ["securitySchemes.a: has two authenticators"]);
}

#[tokio::test]
async fn an_authenticator_that_the_card_does_not_tell_of_must_be_meant() {
    let card = card(&["a"]);
    let both = || {
        Authentication::for_card(&card)
            .scheme("a", Letter::new("a"))
            .scheme("z", Letter::new("z"))
    };
    let found = faults(both());
    assert!(
        found[0].starts_with("securitySchemes.z: an authenticator checks it"),
        "{found:?}"
    );
    let authentication = both().allow_undeclared().build().unwrap();
    assert_eq!(outcome(&authentication, &[("x-z", "zoe")]).await, "zoe");
    assert_eq!(
        outcome(&authentication, &[("x-z", "!")]).await,
        "UNAUTHENTICATED"
    );
    let error = authentication
        .authenticate(&mut head("/", &[]))
        .await
        .unwrap_err();
    assert!(!format!("{error:?}").contains("z\""), "{error:?}");
    assert_eq!(error.challenges(), [r#"Bearer realm="Desk""#]);
}

#[tokio::test]
async fn one_authenticator_may_stand_for_all_schemes() {
    let card = card(&["a:read", "b"]);
    let authentication = Authentication::for_card(&card)
        .other_schemes(CallerFromLayer)
        .build()
        .unwrap();
    let mut request = head("/", &[]);
    assert!(authentication.authenticate(&mut request).await.is_err());
    request.extensions.insert(Caller::known("a"));
    let caller = authentication.authenticate(&mut request).await.unwrap();
    assert_eq!(caller.id(), Some("a"));
}

#[test]
fn it_is_for_the_card_that_it_was_made_for() {
    let authentication = all_of(&card(&["a"]));
    assert!(authentication.is_for(&card(&["a"])));
    assert!(!authentication.is_for(&card(&["a:read"])));
    assert!(!authentication.is_for(&card(&[])));
    assert!(format!("{authentication:?}").contains(r#"["a", "b", "c"]"#));
}

#[tokio::test]
async fn refusals_are_logged_with_who_what_and_why_and_without_credentials() {
    let mut card = card(&["key:read"]);
    let key = ApiKeySecurityScheme::new()
        .with_location("query")
        .with_name("key");
    let key = SecurityScheme::new().with_api_key_security_scheme(key);
    card.security_schemes.insert("key".into(), key);
    let keys = ApiKeys::query("key").key("hidden-key", Caller::known("alice"));
    let authentication = Authentication::for_card(&card)
        .scheme("key", keys)
        .build()
        .unwrap();
    listen();
    for target in ["/t", "/t?key=hidden-but-wrong", "/t?key=hidden-key"] {
        let mut request = head(target, &[("authorization", "Bearer hidden")]);
        let address = super::super::PeerAddress("10.0.0.7:1".parse().unwrap());
        request.extensions.insert(address);
        assert!(authentication.authenticate(&mut request).await.is_err());
    }
    let log = heard("a2a_kit::auth");
    for (line, expected) in log.iter().zip([
        r#"code="UNAUTHENTICATED" caller="" peer=Some(10.0.0.7) method=GET path="/t" why="there are no credentials""#,
        r#"code="UNAUTHENTICATED" caller="" peer=Some(10.0.0.7) method=GET path="/t" why="key: the API key is not known""#,
        r#"code="PERMISSION_DENIED" caller="alice" peer=Some(10.0.0.7) method=GET path="/t" why="scopes are missing: key: read""#,
    ]) {
        assert!(line.text.contains(expected), "{line:?}");
        assert!(!line.text.contains("hidden"), "{line:?}");
    }
    assert_eq!(log.len(), 3);
}
