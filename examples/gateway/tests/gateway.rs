//! An agent of either version, over whichever binding, is there in both versions over all bindings.

use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext, artifact};
use a2a_kit::client::{Client, Update};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentInterface, AgentSkill,
    HttpAuthSecurityScheme, SecurityRequirement, SecurityScheme, TaskState,
};
use a2a_kit::{Binding, ProtocolVersion, Server};
use futures_util::StreamExt as _;
use tokio::net::TcpListener;

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
const BINDINGS: [Binding; 3] = [Binding::JsonRpc, Binding::Rest, Binding::Grpc];

/// Asks for a name and greets, or works until it is canceled.
struct Greeter;

impl Agent for Greeter {
    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        match task.text().as_str() {
            "hello" => Ok(Reply::input_required("Who are you?")),
            "wait" => {
                task.working("Waiting").await?;
                task.cancellation().cancelled().await;
                Err(AgentError::new("canceled"))
            }
            name => {
                task.working("Thinking of a greeting").await?;
                let greeting = artifact("greeting", format!("Hello, {name}!"));
                Ok(Reply::completed().with_artifact(greeting))
            }
        }
    }
}

/// Serves on a free port for as long as the test runs; hands out the address.
async fn serve(server: impl FnOnce(&str) -> Server) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let server = server(&authority);
    tokio::spawn(async move { server.serve(listener).await });
    authority
}

/// An agent that has one interface, and an extended card.
async fn agent(binding: Binding, version: ProtocolVersion) -> String {
    serve(|authority| {
        let url = format!("http://{authority}");
        let interface = AgentInterface::new()
            .with_url(url)
            .with_protocol_binding(binding.card_name())
            .with_protocol_version(version.to_string());
        let capabilities = AgentCapabilities::new()
            .with_streaming(true)
            .with_extended_agent_card(true);
        let card = AgentCard::new()
            .with_name("Greeter")
            .with_description("Greets.")
            .with_version("1")
            .with_supported_interfaces([interface])
            .with_capabilities(capabilities)
            .with_default_input_modes(["text/plain"])
            .with_default_output_modes(["text/plain"])
            .with_skills([skill("greet")]);
        let extended = card.clone().with_skills([skill("greet"), skill("insult")]);
        let engine = Engine::builder(Greeter, card.clone())
            .extended_card(extended)
            .build()
            .unwrap();
        Server::builder(engine, card).build().unwrap()
    })
    .await
}

fn skill(id: &str) -> AgentSkill {
    AgentSkill::new()
        .with_id(id)
        .with_name(id)
        .with_description(id)
        .with_tags(["words"])
}

/// An agent, a gateway to it, and clients of the gateway: one for each binding and version.
async fn through(binding: Binding, version: ProtocolVersion) -> (Client, Vec<Client>) {
    let agent = agent(binding, version).await;
    let upstream = Client::connect(format!("http://{agent}")).await.unwrap();
    let served = upstream.clone();
    let gateway = serve(move |authority| gateway::gateway(served, authority).unwrap()).await;
    let mut near = Vec::new();
    for binding in BINDINGS {
        for version in VERSIONS {
            let client = Client::builder()
                .bindings([binding])
                .require_version(version)
                .connect(format!("http://{gateway}"))
                .await
                .unwrap();
            let interface = client.interface();
            assert_eq!(interface.protocol_binding, binding.card_name());
            assert_eq!(interface.protocol_version, version.to_string());
            assert!(interface.url.ends_with(&gateway), "{interface:?}");
            near.push(client);
        }
    }
    (upstream, near)
}

/// Runs a test with an agent of each binding and version, and each client of a gateway to it.
async fn each(test: impl AsyncFn(&Client, Client)) {
    for binding in BINDINGS {
        for version in VERSIONS {
            let (upstream, near) = through(binding, version).await;
            for client in near {
                println!("{:?} to {binding:?} {version}", client.interface());
                test(&upstream, client).await;
            }
        }
    }
}

#[tokio::test]
async fn a_conversation_and_a_stream() {
    each(async |upstream, client| {
        let asked = client.message("hello").send().await.unwrap();
        let asked = asked.into_task().unwrap();
        assert_eq!(asked.state(), TaskState::InputRequired);
        let mut updates = client
            .message("星河")
            .in_task(&asked.id)
            .stream()
            .await
            .unwrap();
        let mut seen = Vec::new();
        while let Some(update) = updates.next().await {
            seen.push(match update.unwrap() {
                Update::Task(_) => "task".to_owned(),
                Update::Status(update) => update.status.unwrap().state().as_str_name().to_owned(),
                Update::Artifact(update) => update.artifact.unwrap().name,
                Update::Message(_) => "message".to_owned(),
            });
        }
        let wanted = [
            "task",
            "TASK_STATE_WORKING",
            "greeting",
            "TASK_STATE_COMPLETED",
        ];
        assert_eq!(seen, wanted);
        // It is the same task on both sides.
        let near = client.get_task(&asked.id).await.unwrap();
        assert_eq!(near, upstream.get_task(&asked.id).await.unwrap());
        assert_eq!(near.state(), TaskState::Completed);
    })
    .await;
}

#[tokio::test]
async fn a_cancel_reaches_the_agent_and_its_followers() {
    each(async |upstream, client| {
        let started = client.message("wait").return_immediately().send().await;
        let task = started.unwrap().into_task().unwrap();
        let mut updates = client.subscribe(&task.id).await.unwrap();
        let first = updates.next().await.unwrap().unwrap();
        assert!(matches!(first, Update::Task(_)), "{first:?}");
        let canceled = client.cancel(&task.id).await.unwrap();
        assert_eq!(canceled.state(), TaskState::Canceled);
        let mut last = None;
        while let Some(update) = updates.next().await {
            last = Some(update.unwrap());
        }
        let Some(Update::Status(last)) = last else {
            panic!("the last update is {last:?}");
        };
        assert_eq!(last.status.unwrap().state(), TaskState::Canceled);
        let seen = upstream.get_task(&task.id).await.unwrap();
        assert_eq!(seen.state(), TaskState::Canceled);
    })
    .await;
}

#[tokio::test]
async fn the_extended_card_leads_to_the_gateway() {
    each(async |_, client| {
        let before = client.interface();
        let extended = client.extended_card().await.unwrap();
        let skills: Vec<_> = extended.skills.iter().map(|skill| &*skill.id).collect();
        assert_eq!(skills, ["greet", "insult"]);
        assert_eq!(client.interface(), before);
    })
    .await;
}

#[tokio::test]
async fn errors_of_the_agent_are_those_of_the_gateway() {
    each(async |_, client| {
        let error = client.get_task("unknown").await.unwrap_err();
        assert!(error.is_task_not_found(), "{error}");
        let done = client.message("you").send().await.unwrap();
        let done = done.into_task().unwrap();
        let error = client.cancel(&done.id).await.unwrap_err();
        assert!(error.is_task_not_cancelable(), "{error}");
    })
    .await;
}

#[test]
fn the_card_promises_nothing_that_is_the_agents_alone() {
    let scheme = SecurityScheme::new()
        .with_http_auth_security_scheme(HttpAuthSecurityScheme::new().with_scheme("Bearer"));
    let upstream = AgentCard::new()
        .with_name("Greeter")
        .with_supported_interfaces([AgentInterface::new().with_url("http://agent.test")])
        .with_signatures([AgentCardSignature::new().with_signature("c2ln")])
        .with_security_schemes([("bearer".to_owned(), scheme)])
        .with_security_requirements([SecurityRequirement::new()])
        .with_skills([skill("greet").with_security_requirements([SecurityRequirement::new()])]);
    let card = gateway::own_card(&upstream, "127.0.0.1:1");
    assert_eq!(card.name, "Greeter");
    assert!(card.signatures.is_empty());
    assert!(card.security_schemes.is_empty());
    assert!(card.security_requirements.is_empty());
    assert!(card.skills[0].security_requirements.is_empty());
    let interfaces: Vec<_> = card
        .supported_interfaces
        .iter()
        .map(|one| (&*one.protocol_binding, &*one.protocol_version, &*one.url))
        .collect();
    let url = "http://127.0.0.1:1";
    assert_eq!(
        interfaces,
        [
            ("JSONRPC", "1.0", url),
            ("HTTP+JSON", "1.0", url),
            ("GRPC", "1.0", "127.0.0.1:1"),
            ("JSONRPC", "0.3", url),
            ("HTTP+JSON", "0.3", url),
            ("GRPC", "0.3", "127.0.0.1:1"),
        ]
    );
}
