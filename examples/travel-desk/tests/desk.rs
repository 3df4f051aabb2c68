//! Every skill, over every binding and in both versions, as a client calls it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use a2a_kit::client::{Client, ClientBuilder, Outcome, SchemeCredentials, Update};
use a2a_kit::skills::File;
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::{Part, Task, TaskState};
use a2a_kit::{Binding, Code, Error, ProtocolVersion};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

const EXTENSION: &str = "https://example.com/ext/made-up-offers/v1";

/// The program, on a port of its own.
struct Desk {
    program: Child,
    url: String,
    /// Open as long as the program runs: it says more than is read here.
    _output: BufReader<ChildStdout>,
}

impl Desk {
    fn start() -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_travel-desk"))
            .args(["--addr", "127.0.0.1:0"])
            .env_remove("A2A_PUBLIC_URL")
            .env_remove("A2A_STORE")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let output = program.stdout.take().expect("its output is read");
        let mut output = BufReader::new(output);
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let url = line
            .trim_end()
            .strip_prefix("card  ")
            .and_then(|url| url.strip_suffix("/.well-known/agent-card.json"))
            .unwrap_or_else(|| panic!("{line}"))
            .to_owned();
        Self {
            program,
            url,
            _output: output,
        }
    }

    /// A client for each way in.
    async fn clients(&self) -> Vec<(String, Client)> {
        let mut clients = Vec::new();
        for version in [ProtocolVersion::V1_0, ProtocolVersion::V0_3] {
            for binding in [Binding::JsonRpc, Binding::Rest, Binding::Grpc] {
                let builder = known().bindings([binding]).require_version(version);
                let client = builder.connect(&self.url).await;
                let way = format!("{binding:?} {version}");
                clients.push((
                    way.clone(),
                    client.unwrap_or_else(|error| panic!("{way}: {error}")),
                ));
            }
        }
        clients
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has seen then.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn known() -> ClientBuilder {
    Client::builder()
        .extension(EXTENSION)
        .scheme("key", SchemeCredentials::api_key("demo-key"))
}

fn done(way: &str, outcome: Result<Outcome, Error>) -> Task {
    let task = outcome
        .and_then(Outcome::into_task)
        .unwrap_or_else(|error| panic!("{way}: {error}"));
    assert_eq!(task.state(), TaskState::Completed, "{way}: {task:?}");
    task
}

fn only_part(task: &Task) -> &Part {
    assert_eq!(task.artifacts.len(), 1, "{task:?}");
    let parts = &task.artifacts[0].parts;
    assert_eq!(parts.len(), 1, "{task:?}");
    &parts[0]
}

fn csv(bytes: &[u8]) -> File {
    File::from_bytes("trip.csv", "text/csv", bytes.to_vec())
}

#[tokio::test]
async fn every_skill_answers_by_every_way() {
    let desk = Desk::start();
    for (way, client) in desk.clients().await {
        let trip = json!({"from": "BER", "to": "LIS", "travellers": 2});
        let task = done(&way, client.message(trip).send().await);
        let Some(Content::Data(offers)) = &only_part(&task).content else {
            panic!("{way}: {task:?}");
        };
        let offers = serde_json::to_value(offers).expect("it is JSON");
        assert_eq!(
            offers,
            json!({"offers": [
                {"flight": "XX101 BER-LIS", "price": 160, "currency": "EUR"},
                {"flight": "XX205 BER-LIS", "price": 240, "currency": "EUR"},
            ]}),
            "{way}"
        );

        let expenses = csv(b"item,amount\nhotel,120.50\n");
        let task = done(&way, client.message(expenses).send().await);
        let settled = only_part(&task);
        assert_eq!(settled.filename, "settled.csv", "{way}");
        assert_eq!(settled.media_type, "text/csv", "{way}");
        let Some(Content::Raw(bytes)) = &settled.content else {
            panic!("{way}: {task:?}");
        };
        assert_eq!(&bytes[..], b"item,amount\nhotel,120.50\ntotal,120.50\n");

        let mut updates = client.message("Lisbon").stream().await.expect("a stream");
        let mut pieces = 0;
        while let Some(update) = updates.next().await {
            let update = update.unwrap_or_else(|error| panic!("{way}: {error}"));
            pieces += usize::from(matches!(update, Update::Artifact(_)));
        }
        assert!(pieces > 10, "{way}: {pieces}");
        let task = done(&way, client.message("Lisbon").send().await);
        let [description] = &task.artifacts[..] else {
            panic!("{way}: {task:?}");
        };
        let pieces = description.parts.iter().map(|part| match &part.content {
            Some(Content::Text(text)) => text.as_str(),
            other => panic!("{way}: {other:?}"),
        });
        assert_eq!(
            pieces.collect::<String>(),
            "Lisbon is worth a journey: go there in spring, and stay for a week.",
            "{way}"
        );

        let rates = client.message("Lisbon").skill("corporate-rates");
        let task = done(&way, rates.send().await);
        assert_eq!(
            Outcome::Task(task).text(),
            "demo stays in Lisbon for 90 EUR a night, says the head office.",
            "{way}"
        );
    }
}

#[tokio::test]
async fn what_cannot_be_done_is_told_by_every_way() {
    let desk = Desk::start();
    for (way, client) in desk.clients().await {
        let error = |outcome: Result<Outcome, Error>| match outcome {
            Err(error) => error,
            Ok(outcome) => panic!("{way}: {outcome:?}"),
        };
        let fault = |outcome, field: &str| {
            let error = error(outcome);
            assert_eq!(error.code(), Code::InvalidArgument, "{way}: {error}");
            let fields: Vec<_> = error.violations().iter().map(|one| &*one.field).collect();
            // Version 0.3 says it in words.
            let told = fields == [field] || error.message().contains(field);
            assert!(told, "{way}: {error} {fields:?}");
        };
        let unknown = client.message("Lisbon").skill("sing");
        fault(unknown.send().await, "urn:a2a-kit:skill-schemas:v1/skill");
        let missing = client.message(json!({"from": "BER"})).send().await;
        fault(missing, "message.parts[0].data.to");
        let wrong = client.message(json!({"from": "BER", "to": "Lisbon"}));
        fault(wrong.send().await, "message.parts[0].data.to");
        let trip = || json!({"from": "BER", "to": "LIS"});
        let twice = client.message(trip()).and(trip()).skill("find-flights");
        fault(twice.send().await, "message.parts[1]");
        let twice = client.message(trip()).and(trip());
        fault(twice.send().await, "message.parts[1]");

        let picture = File::from_bytes("me.png", "image/png", b"png".to_vec());
        let picture = client.message(picture).skill("settle-expenses").send();
        let error = error(picture.await);
        assert!(error.is_content_type_not_supported(), "{way}: {error}");

        let round = client.message(json!({"from": "BER", "to": "BER"})).send();
        let round = round.await.expect("a task");
        assert_eq!(round.failure_reason(), Some("SAME_PLACE"), "{way}");
        let torn = client.message(csv(b"item,amount\nhotel\n")).send().await;
        let torn = torn.expect("a task");
        assert!(torn.text().contains("line 2"), "{way}: {torn:?}");
    }
}

#[tokio::test]
async fn a_large_file_arrives_by_every_way() {
    let desk = Desk::start();
    let mut table = "item,amount\n".to_owned();
    while table.len() < 10_000_000 {
        table += "a night in a hotel by the sea,1\n";
    }
    for (way, client) in desk.clients().await {
        let task = done(&way, client.message(csv(table.as_bytes())).send().await);
        let Some(Content::Raw(settled)) = &only_part(&task).content else {
            panic!("{way}");
        };
        assert!(settled.starts_with(table.as_bytes()), "{way}");
        assert!(settled.ends_with(b".00\n"), "{way}");
    }
}

#[tokio::test]
async fn the_extended_card_has_one_more_skill_for_those_who_are_known() {
    let desk = Desk::start();
    let skills = |card: &a2a_kit::v1_0::AgentCard| -> Vec<String> {
        card.skills.iter().map(|skill| skill.id.clone()).collect()
    };
    for (way, client) in desk.clients().await {
        let public = ["find-flights", "settle-expenses", "describe-city"];
        assert_eq!(skills(&client.card()), public, "{way}");
        let extended = client.extended_card().await;
        let extended = extended.unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!(skills(&extended)[3..], ["corporate-rates"], "{way}");
    }
    let stranger = Client::builder()
        .extension(EXTENSION)
        .scheme("key", SchemeCredentials::api_key("a guess"));
    let stranger = stranger
        .connect(&desk.url)
        .await
        .expect("cards are for everybody");
    let error = stranger.extended_card().await.expect_err("it is a guess");
    assert_eq!(error.code(), Code::Unauthenticated, "{error}");
    let error = stranger
        .message("Lisbon")
        .send()
        .await
        .expect_err("it is a guess");
    assert_eq!(error.code(), Code::Unauthenticated, "{error}");
    let unaware = Client::builder().scheme("key", SchemeCredentials::api_key("demo-key"));
    let unaware = unaware.connect(&desk.url).await.expect("a card");
    let error = unaware
        .message("Lisbon")
        .send()
        .await
        .expect_err("it is required");
    assert!(error.is_extension_support_required(), "{error}");
}

#[tokio::test]
async fn tenants_are_kept_apart() {
    let desk = Desk::start();
    for binding in [Binding::JsonRpc, Binding::Rest, Binding::Grpc] {
        let of = |tenant: &str| {
            let builder = known().bindings([binding]).tenant(tenant);
            let url = desk.url.clone();
            async move { builder.connect(&url).await.expect("a card") }
        };
        let north = of("north").await;
        let rates = north.message("Lisbon").skill("corporate-rates");
        let task = done("north", rates.send().await);
        let id = task.id.clone();
        let said = Outcome::Task(task).text();
        assert!(said.ends_with("says the north office."), "{said}");
        assert!(north.get_task(&id).await.is_ok());
        for other in ["south", ""] {
            let error = of(other).await.get_task(&id).await;
            let error = error.expect_err("it is another tenant's");
            assert!(error.is_task_not_found(), "{other}: {error}");
        }
        let error = of("west").await.message("Lisbon").send().await;
        let error = error.expect_err("there is none");
        assert_eq!(error.violations()[0].field, "tenant", "{error}");
    }
}

#[tokio::test]
async fn schemas_of_skills_are_in_the_card() {
    let desk = Desk::start();
    let client = known().connect(&desk.url).await.expect("a card");
    let capabilities = client.card().capabilities.clone().expect("there are some");
    let schemas = capabilities
        .extensions
        .iter()
        .find(|extension| extension.uri == a2a_kit::skills::SKILL_SCHEMAS_URI)
        .and_then(|extension| extension.params.as_ref())
        .expect("they are published");
    let schemas = serde_json::to_value(schemas).expect("it is JSON");
    let flights = &schemas["skills"]["find-flights"];
    let trip = &flights["inputs"][0]["schema"];
    assert_eq!(trip["required"], json!(["from", "to"]), "{schemas}");
    assert_ne!(flights["output"], Value::Null, "{schemas}");
    assert_ne!(flights["failures"], Value::Null, "{schemas}");
}
