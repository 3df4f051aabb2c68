//! Agents made of skills, from their attributes to a port.

#[path = "support/frozen.rs"]
mod frozen;
mod support;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use a2a_kit::auth::ApiKeys;
use a2a_kit::client::{Client, Credentials};
use a2a_kit::engine::Engine;
use a2a_kit::prelude::*;
use a2a_kit::skills::{AgentApp, Skills};
use a2a_kit::store::{MemoryStore, Scope, StoreBackend};
use a2a_kit::v1_0::{AgentCard, TaskState};
use a2a_kit::{Binding, Caller, Error};
use frozen::Frozen;
use support::{get, request, said, send, state, to_task, until};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Says hello.
#[a2a_agent(name = "Greeter", capabilities(streaming))]
struct Greeter;

#[a2a_skills]
impl Greeter {
    /// Greets by name.
    #[skill(tags("greeting"))]
    async fn greet(&self, name: Text) -> String {
        format!("Hello, {name}!")
    }
}

/// Without a variable.
fn plain<A: Skills>(agent: AgentApp<A>) -> AgentApp<A> {
    agent.environment(|_| None)
}

/// With this variable.
fn with<A: Skills>(agent: AgentApp<A>, name: &'static str, value: &str) -> AgentApp<A> {
    let value = value.to_owned();
    agent.environment(move |asked| (asked == name).then(|| value.clone()))
}

async fn refused<A: Skills>(agent: AgentApp<A>) -> Error {
    let agent = agent.public_url("http://a.example");
    agent.build().await.map(drop).expect_err("it is refused")
}

/// Serves an agent at a free port for as long as `call` takes.
async fn served<A: Skills, T>(agent: AgentApp<A>, call: impl AsyncFnOnce(SocketAddr) -> T) -> T {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(agent.serve_until(listener, async {
        let _ = stopped.await;
    }));
    let answer = call(addr).await;
    drop(stop);
    serving.await.unwrap().unwrap();
    answer
}

fn urls(card: &AgentCard) -> Vec<String> {
    let each = |interface: &a2a_kit::v1_0::AgentInterface| {
        format!(
            "{} {} {}",
            interface.protocol_binding, interface.protocol_version, interface.url
        )
    };
    card.supported_interfaces.iter().map(each).collect()
}

#[tokio::test]
async fn an_agent_is_served_where_it_listens_and_its_card_says_so() {
    let (addr, card, answer) = served(plain(Greeter.into_agent()), async |addr| {
        let client = Client::connect(&format!("http://{addr}")).await.unwrap();
        let answer = client.message("Ada").send().await.unwrap();
        (addr, (*client.card()).clone(), answer.text())
    })
    .await;
    assert_eq!(answer, "Hello, Ada!");
    let mut expected = Vec::new();
    for version in ["1.0", "0.3"] {
        expected.push(format!("JSONRPC {version} http://{addr}"));
        expected.push(format!("HTTP+JSON {version} http://{addr}"));
        if cfg!(feature = "grpc") {
            expected.push(format!("GRPC {version} {addr}"));
        }
    }
    assert_eq!(urls(&card), expected);
    assert_eq!(card.name, "Greeter");
}

#[tokio::test]
async fn the_public_url_comes_from_the_builder_then_from_the_environment_then_from_the_listener() {
    let first = |card: AgentCard| card.supported_interfaces[0].url.clone();
    let seen = async |agent: AgentApp<Greeter>| {
        let known = agent.card().unwrap().supported_interfaces;
        let served = served(agent, async |addr| {
            let url = format!("http://{addr}");
            let client = Client::builder().allow_any_address().connect(&url).await;
            first((*client.unwrap().card()).clone())
        })
        .await;
        (known.first().map(|interface| interface.url.clone()), served)
    };
    let both = with(
        Greeter.into_agent(),
        "A2A_PUBLIC_URL",
        "https://env.example/",
    )
    .public_url("https://said.example");
    let said = "https://said.example".to_owned();
    assert_eq!(seen(both).await, (Some(said.clone()), said));
    let env = with(
        Greeter.into_agent(),
        "A2A_PUBLIC_URL",
        "https://env.example/",
    );
    let said = "https://env.example".to_owned();
    assert_eq!(seen(env).await, (Some(said.clone()), said));
    let (known, served) = seen(plain(Greeter.into_agent())).await;
    assert_eq!(known, None);
    assert!(served.starts_with("http://127.0.0.1:"), "{served}");
}

#[tokio::test]
async fn a_url_that_clients_cannot_call_is_refused_with_where_it_came_from() {
    let said = plain(Greeter.into_agent())
        .public_url("agent.example")
        .build()
        .await;
    let said = said.map(drop).unwrap_err();
    assert!(
        said.message().starts_with("public_url: \"agent.example\""),
        "{said}"
    );
    let env = with(Greeter.into_agent(), "A2A_PUBLIC_URL", "ftp://a.example")
        .build()
        .await;
    let said = env.map(drop).unwrap_err();
    assert!(said.message().starts_with("A2A_PUBLIC_URL: "), "{said}");
    let none = plain(Greeter.into_agent())
        .router()
        .await
        .map(drop)
        .unwrap_err();
    assert!(
        none.message()
            .contains(".public_url(\"https://agent.example.com\")"),
        "{none}"
    );
    let router = plain(Greeter.into_agent())
        .public_url("http://a.example")
        .router()
        .await;
    assert!(router.is_ok());
    // All addresses are no address for a card.
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let all = plain(Greeter.into_agent())
        .serve_on(listener)
        .await
        .unwrap_err();
    assert!(all.message().contains("A2A_PUBLIC_URL=http://"), "{all}");
}

#[tokio::test]
async fn the_address_comes_from_the_environment_and_a_taken_one_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let error = with(Greeter.into_agent(), "A2A_ADDR", &addr)
        .serve_from_env()
        .await
        .unwrap_err();
    assert!(
        error
            .message()
            .contains(&format!("cannot listen at {addr}")),
        "{error}"
    );
    // An address in the program wins.
    let own = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = own.local_addr().unwrap();
    let error = with(Greeter.into_agent(), "A2A_ADDR", &addr)
        .serve(other)
        .await
        .unwrap_err();
    assert!(error.message().contains(&other.to_string()), "{error}");
}

struct Shared(Arc<MemoryStore>);

impl StoreBackend for Shared {
    type Store = Arc<MemoryStore>;

    fn scheme(&self) -> &str {
        "shared"
    }

    async fn open(&self, url: &str) -> Result<Arc<MemoryStore>, Error> {
        assert_eq!(url, "shared:tasks");
        Ok(Arc::clone(&self.0))
    }
}

async fn tasks_in(store: &MemoryStore) -> usize {
    let list = a2a_kit::store::ListQuery {
        context_id: None,
        state: None,
        since: None,
        after: None,
        limit: 10,
        select: a2a_kit::store::Select::HEAD,
    };
    let page = a2a_kit::store::Store::list(store, &Scope::new("", ""), list).await;
    page.unwrap().tasks.len()
}

#[tokio::test]
async fn the_store_comes_from_the_builder_then_from_the_environment() {
    let greet = async |agent: AgentApp<Greeter>| {
        served(agent, async |addr| {
            let client = Client::connect(&format!("http://{addr}")).await.unwrap();
            client.message("Ada").send().await.unwrap();
        })
        .await;
    };
    let (named, given) = (Arc::new(MemoryStore::new()), Arc::new(MemoryStore::new()));
    let agent = || {
        with(Greeter.into_agent(), "A2A_STORE", "shared:tasks")
            .store_backend(Shared(Arc::clone(&named)))
    };
    greet(agent()).await;
    assert_eq!((tasks_in(&named).await, tasks_in(&given).await), (1, 0));
    greet(agent().store(Arc::clone(&given))).await;
    assert_eq!((tasks_in(&named).await, tasks_in(&given).await), (1, 1));
    let error = refused(with(Greeter.into_agent(), "A2A_STORE", "shared:tasks")).await;
    assert!(error.message().contains("A2A_STORE=memory"), "{error}");
}

/// Promises much.
#[a2a_agent(
    name = "Promises",
    capabilities(push_notifications, extended_agent_card),
    scheme(key, api_key(in = "header", name = "X-API-Key")),
    scheme(token, http(scheme = "bearer")),
    scheme(spare, mtls),
    security(key)
)]
struct Promises;

#[a2a_skills]
impl Promises {
    /// Says little.
    #[skill(tags("test"), security(token("read")), security(spare))]
    async fn say(&self, _word: Text) {}
}

#[tokio::test]
async fn what_is_promised_and_not_there_is_refused_all_at_once_with_what_to_write() {
    let error = refused(plain(Promises.into_agent())).await;
    let said: Vec<String> = error
        .violations()
        .iter()
        .map(|violation| format!("{}: {}", violation.field, violation.description))
        .collect();
    let all = said.join("\n");
    for part in [
        "capabilities.pushNotifications: is promised, and nothing delivers to webhooks: take push_notifications out",
        "capabilities.extendedAgentCard: is promised, and there is no extended card: write #[skill(extended)]",
        r#"securitySchemes.key: is asked for, and nobody checks it: write .authenticate("key", ApiKeys::header("X-API-Key")"#,
        r#"securitySchemes.token: is asked for, and nobody checks it: write .authenticate("token", JwtBearer"#,
        r#"securitySchemes.spare: is asked for, and nobody checks it: write .authenticate("spare", ClientCertificates"#,
    ] {
        assert!(all.contains(part), "{part}\n{all}");
    }
    assert_eq!(said.len(), 5, "{all}");
    // One at a time, until the rest is there.
    let keys = || ApiKeys::header("X-API-Key").key("demo-key", Caller::known("demo"));
    let error = refused(plain(Promises.into_agent()).authenticate("key", keys())).await;
    assert_eq!(error.violations().len(), 4);
    // One that the card does not tell of is none either.
    let error = refused(plain(Greeter.into_agent()).authenticate("badge", keys())).await;
    assert!(error.message().contains("securitySchemes.badge"), "{error}");
}

/// Keeps a club.
#[a2a_agent(
    name = "Club",
    scheme(key, api_key(in = "header", name = "X-API-Key")),
    security(key),
    security(),
    tenants("north", "south")
)]
struct Club;

#[a2a_skills]
impl Club {
    /// Greets guests.
    #[skill(tags("club"))]
    async fn greet(&self, task: &TaskContext, _name: Text) -> String {
        format!("Welcome to {}", task.tenant().unwrap_or("the club"))
    }

    /// For members.
    #[skill(tags("club"), extended)]
    async fn secret(&self, _word: Text) -> String {
        "psst".to_owned()
    }
}

#[tokio::test]
async fn members_get_the_extended_card_and_tenants_their_interfaces() {
    let keys = ApiKeys::header("X-API-Key").key("demo-key", Caller::known("demo"));
    served(
        plain(Club.into_agent()).authenticate("key", keys),
        async |addr| {
            let url = format!("http://{addr}");
            let guest = Client::connect(&url).await.unwrap();
            let card = guest.card();
            assert_eq!(card.skills.len(), 1);
            assert_eq!(
                card.capabilities.as_ref().unwrap().extended_agent_card,
                Some(true)
            );
            let tenants: Vec<&str> = card
                .supported_interfaces
                .iter()
                .filter(|interface| interface.protocol_binding == Binding::Rest.card_name())
                .map(|interface| interface.tenant.as_str())
                .collect();
            assert_eq!(tenants, ["", "", "north", "south"]);
            assert!(guest.extended_card().await.is_err());
            assert_eq!(
                guest.message("Ada").send().await.unwrap().text(),
                "Welcome to the club"
            );
            let keys = Credentials::api_key_header("X-API-Key", "demo-key");
            let member = Client::builder()
                .credentials(keys)
                .connect(&url)
                .await
                .unwrap();
            let extended = member.extended_card().await.unwrap();
            assert_eq!(extended.skills.len(), 2);
            assert_eq!(extended.supported_interfaces, card.supported_interfaces);
        },
    )
    .await;
}

/// Asks much.
#[a2a_agent(name = "Interview")]
struct Interview;

#[a2a_skills]
impl Interview {
    /// Goes on after a restart.
    #[skill(tags("test"), on_restart = "replay", default)]
    async fn lasting(&self, task: &TaskContext, name: Text) -> Result<String, SkillError> {
        let age = task.ask("Your age?").await?;
        let age = support::text(&age);
        Ok(format!("{name} is {age}"))
    }

    /// Does not.
    #[skill(tags("test"))]
    async fn brittle(&self, task: &TaskContext, _name: Text) -> Result<(), SkillError> {
        task.ask("Your age?").await?;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn what_becomes_of_a_task_after_a_restart_is_said_by_its_skill() {
    let store = Arc::new(MemoryStore::new());
    let process = || -> (Engine, Frozen) {
        let frozen = Frozen::new(&store);
        let engine = Interview
            .into_agent()
            .store(frozen.clone())
            .into_service()
            .unwrap();
        (engine, frozen)
    };
    let named = |skill: &str| {
        let mut asked = request("Ada");
        let message = asked.message.as_mut().unwrap();
        let key = a2a_kit::skills::SKILL_KEY.to_owned();
        message
            .metadata
            .get_or_insert_default()
            .0
            .insert(key, skill.into());
        asked
    };
    let (one, life) = process();
    let lasting = send(&one, named("lasting")).await.unwrap();
    let brittle = send(&one, named("brittle")).await.unwrap();
    assert_eq!(state(&brittle), TaskState::InputRequired);
    life.freeze();
    tokio::time::sleep(Duration::from_secs(31)).await;
    let (two, _) = process();
    let done = send(&two, to_task(&lasting.id, "36")).await.unwrap();
    assert_eq!(state(&done), TaskState::Completed);
    assert_eq!(support::artifact_texts(&done, 0), ["Ada is 36"]);
    let failed = send(&two, to_task(&brittle.id, "36")).await.unwrap();
    assert_eq!(state(&failed), TaskState::Failed);
    assert!(said(&failed).contains("has ended"), "{}", said(&failed));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_starts_looks_after_what_others_have_left() {
    let store = Arc::new(MemoryStore::new());
    let life = Frozen::new(&store);
    let work = |task: TaskContext| async move {
        task.begin().await?;
        std::future::pending().await
    };
    let gone = support::builder(work).store(life.clone()).build().unwrap();
    let task = support::start(&gone, "Ada").await;
    until(async || state(&get(&gone, &task.id).await.unwrap()) == TaskState::Working).await;
    life.freeze();
    let agent = plain(Greeter.into_agent()).store(Arc::clone(&store));
    let server = agent.public_url("http://a.example").build().await.unwrap();
    // Its lease runs out meanwhile.
    tokio::time::sleep(Duration::from_secs(120)).await;
    let reader = support::builder(support::echo)
        .store(Arc::clone(&store))
        .build()
        .unwrap();
    assert_eq!(
        state(&get(&reader, &task.id).await.unwrap()),
        TaskState::Failed
    );
    drop(server);
}
