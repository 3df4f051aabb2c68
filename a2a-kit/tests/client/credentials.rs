//! Credentials that the card asks for, with the server of this library as the one who asks: on every
//! binding.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use a2a_kit::auth::{ApiKeys, Authentication, Authenticator, Rejection, RequestHead};
use a2a_kit::client::{Client, ClientBuilder, SchemeCredentials, Token, TokenRequest};
use a2a_kit::v1_0::{
    AgentCard, AgentInterface, ApiKeySecurityScheme, HttpAuthSecurityScheme, SecurityRequirement,
    SecurityScheme, StringList,
};
use a2a_kit::{Binding, Caller, Error, Server};
use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::support::{Desk, card};

const ALL: [Binding; 3] = [Binding::JsonRpc, Binding::Rest, Binding::Grpc];

/// Knows tokens, and the scopes of each. Keeps what it was shown.
#[derive(Clone, Default)]
struct Gate {
    known: Arc<Mutex<BTreeMap<String, Vec<String>>>>,
    shown: Arc<Mutex<Vec<String>>>,
}

impl Gate {
    fn open_for(&self, token: &str, scopes: &[&str]) {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        self.known.lock().unwrap().insert(token.to_owned(), scopes);
    }

    /// What it was shown since the last question.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.shown.lock().unwrap())
    }
}

impl Authenticator for Gate {
    async fn authenticate(&self, head: RequestHead<'_>) -> Result<Option<Caller>, Rejection> {
        let Some(token) = head.authorization("bearer")? else {
            return Ok(None);
        };
        self.shown.lock().unwrap().push(token.to_owned());
        match self.known.lock().unwrap().get(token) {
            Some(scopes) => Ok(Some(Caller::known("alice").with_scopes(scopes.clone()))),
            None => Err(Rejection::invalid("nobody has this token any more")),
        }
    }
}

fn requirement(scheme: &str, scopes: &[&str]) -> SecurityRequirement {
    let mut requirement = SecurityRequirement::new();
    let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let scopes = StringList::new().with_list(scopes);
    requirement.schemes.insert(scheme.to_owned(), scopes);
    requirement
}

/// Wants a key or a token.
fn asking(scopes: &[&str]) -> AgentCard {
    let mut card =
        card().with_security_requirements([requirement("key", &[]), requirement("token", scopes)]);
    let key = ApiKeySecurityScheme::new()
        .with_location("query")
        .with_name("key");
    let token = HttpAuthSecurityScheme::new().with_scheme("Bearer");
    for (name, scheme) in [
        (
            "key",
            SecurityScheme::new().with_api_key_security_scheme(key),
        ),
        (
            "token",
            SecurityScheme::new().with_http_auth_security_scheme(token),
        ),
    ] {
        card.security_schemes.insert(name.to_owned(), scheme);
    }
    card
}

/// An agent behind a gate.
struct Guarded {
    address: SocketAddr,
    gate: Gate,
    _tasks: JoinSet<()>,
}

impl Guarded {
    async fn start(scopes: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let gate = Gate::default();
        let card = asking(scopes);
        let authentication = Authentication::for_card(&card)
            .scheme("token", gate.clone())
            .scheme(
                "key",
                ApiKeys::query("key").key("sesame", Caller::known("bob")),
            )
            .build()
            .unwrap();
        let server = Server::builder(Desk::default(), card)
            .authentication(authentication)
            .build()
            .unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { server.serve(listener).await.unwrap() });
        Self {
            address,
            gate,
            _tasks: tasks,
        }
    }

    /// A client that goes by a card whose tokens need these scopes.
    fn client(&self, binding: Binding, scopes: &[&str], builder: ClientBuilder) -> Client {
        let url = format!("http://{}", self.address);
        let interface = AgentInterface::new()
            .with_url(&url)
            .with_protocol_binding(binding.card_name())
            .with_protocol_version("1.0");
        let card = asking(scopes).with_supported_interfaces([interface]);
        builder.base_url(url).with_card(card).unwrap()
    }
}

/// Hands out `t1`, `t2` and so on, and tells the gate of those from the second one on.
fn tokens(gate: &Gate) -> (SchemeCredentials, Arc<Mutex<Vec<TokenRequest>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (gate, log) = (gate.clone(), Arc::clone(&asked));
    let source = move |wanted: TokenRequest| {
        let mut log = log.lock().unwrap();
        let token = format!("t{}", log.len() + 1);
        if !log.is_empty() {
            let scopes: Vec<&str> = wanted.scopes().iter().map(String::as_str).collect();
            gate.open_for(&token, &scopes);
        }
        log.push(wanted);
        async move { Ok(Token::new(token)) }
    };
    (SchemeCredentials::tokens(source), asked)
}

#[tokio::test]
async fn a_key_reaches_the_agent_alone_where_the_card_wants_it() {
    let agent = Guarded::start(&[]).await;
    for binding in ALL {
        let builder = Client::builder()
            .scheme("key", SchemeCredentials::api_key("sesame"))
            .scheme("token", SchemeCredentials::bearer("t"));
        let client = agent.client(binding, &[], builder);
        let answer = client.message("context").send().await.unwrap();
        let expected = format!("{binding:?} 1.0 [] - - ");
        assert!(answer.text().starts_with(&expected), "{}", answer.text());
        let updates = client.message("events 3").stream().await.unwrap();
        let updates: Vec<_> = updates.try_collect().await.unwrap();
        assert!(!updates.is_empty(), "{binding:?}");
        assert!(agent.gate.take().is_empty(), "{binding:?}");
    }
}

#[tokio::test]
async fn a_refused_token_is_renewed_and_the_call_made_once_more_on_every_binding() {
    for binding in ALL {
        let agent = Guarded::start(&[]).await;
        let (credentials, asked) = tokens(&agent.gate);
        let builder = Client::builder().scheme("token", credentials);
        let client = agent.client(binding, &[], builder);
        let answer = client.message("context").send().await.unwrap();
        assert!(answer.text().contains("Bearer t2"), "{binding:?}");
        assert_eq!(agent.gate.take(), ["t1", "t2"], "{binding:?}");
        let refused = |asked: &[TokenRequest]| -> Vec<bool> {
            asked.iter().map(TokenRequest::was_refused).collect()
        };
        assert_eq!(refused(&asked.lock().unwrap()), [false, true]);

        // A stream too, and all that begin at once have one new token.
        agent.gate.known.lock().unwrap().clear();
        let streams = (0..8).map(|_| async {
            let updates = client.message("events 2").stream().await?;
            updates.try_collect::<Vec<_>>().await
        });
        for updates in join_all(streams).await {
            let updates: Result<_, Error> = updates;
            assert!(!updates.unwrap().is_empty(), "{binding:?}");
        }
        assert_eq!(refused(&asked.lock().unwrap()), [false, true, true]);
        let shown = agent.gate.take();
        let count = shown.iter().filter(|token| *token == "t3").count();
        assert_eq!(count, 8, "{binding:?}: {shown:?}");
    }
}

#[tokio::test]
async fn a_token_that_is_refused_twice_ends_the_call_on_every_binding() {
    for binding in ALL {
        let agent = Guarded::start(&[]).await;
        let tokens = SchemeCredentials::tokens(|_: TokenRequest| async { Ok(Token::new("x")) });
        let builder = Client::builder().scheme("token", tokens);
        let client = agent.client(binding, &[], builder);
        let error = client.message("hi").send().await.unwrap_err();
        assert!(error.is_unauthenticated(), "{binding:?}: {error:?}");
        assert!(
            error.message().contains("Bearer realm="),
            "{binding:?}: {error}"
        );
        let error = client.message("hi").stream().await.unwrap_err();
        assert!(error.is_unauthenticated(), "{binding:?}: {error:?}");
        assert_eq!(agent.gate.take(), ["x"; 4], "{binding:?}");
    }
}

#[tokio::test]
async fn missing_scopes_are_asked_for_once_on_every_binding() {
    for binding in ALL {
        let agent = Guarded::start(&["call"]).await;
        agent.gate.open_for("t1", &["read"]);
        let (credentials, asked) = tokens(&agent.gate);
        let builder = Client::builder().scheme("token", credentials);
        // Its card does not tell of the scope.
        let client = agent.client(binding, &["read"], builder);
        client.message("hi").send().await.unwrap();
        assert_eq!(agent.gate.take(), ["t1", "t2"], "{binding:?}");
        let asked: Vec<String> = asked
            .lock()
            .unwrap()
            .iter()
            .map(|wanted| wanted.scopes().join(" "))
            .collect();
        assert_eq!(asked, ["read", "call read"], "{binding:?}");

        // A token that stays the same cannot have more, and the error says what is missing.
        let builder = Client::builder().scheme("token", SchemeCredentials::bearer("t1"));
        let client = agent.client(binding, &["read"], builder);
        let error = client.message("hi").send().await.unwrap_err();
        assert!(error.is_permission_denied(), "{binding:?}: {error:?}");
        assert!(error.message().contains("call"), "{binding:?}: {error}");
        assert_eq!(agent.gate.take(), ["t1"], "{binding:?}");
    }
}

#[tokio::test]
async fn a_command_line_need_not_know_the_names_of_schemes() {
    let agent = Guarded::start(&[]).await;
    agent.gate.open_for("t1", &[]);
    for binding in ALL {
        for (credentials, expected) in [
            (SchemeCredentials::api_key("sesame"), "- "),
            (SchemeCredentials::bearer("t1"), "Bearer t1"),
        ] {
            let builder = Client::builder().any_scheme(credentials);
            let client = agent.client(binding, &[], builder);
            let answer = client.message("context").send().await.unwrap();
            assert!(answer.text().contains(expected), "{}", answer.text());
        }
        let builder = Client::builder().any_scheme(SchemeCredentials::basic("me", "p"));
        let client = agent.client(binding, &[], builder);
        agent.gate.take();
        let error = client.message("context").send().await.unwrap_err();
        assert!(error.is_unauthenticated() && error.is_unsent(), "{error:?}");
        assert!(agent.gate.take().is_empty());
    }
}
