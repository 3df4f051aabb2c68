//! Skills to make agents of, and ways to call them.

use a2a_kit::engine::Engine;
use a2a_kit::skills::{
    AgentApp, Chunks, Description, Failure, FailureReason, File, Json, Message, Parts, Skill,
    SkillError, Skills, Text,
};
use a2a_kit::types::Struct;
use a2a_kit::v1_0::send_message_response::Payload;
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentSkill, Role, SendMessageRequest, Task};
use a2a_kit::{A2aService, Binding, CallContext, Caller, Error, ProtocolVersion, Reply};
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a supplier.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Facts {
    pub(crate) region: String,
    pub(crate) employees: u32,
    #[serde(default)]
    pub(crate) addresses: Vec<Address>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Address {
    pub(crate) city: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Score {
    pub(crate) risk: u32,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Trip {
    pub(crate) destination: String,
}

pub(crate) enum CheckError {
    Unknown,
    Closed,
}

impl Failure for CheckError {
    const REASONS: &'static [FailureReason] = &[
        FailureReason::new("UNKNOWN", "No supplier has this name."),
        FailureReason::new("CLOSED", "The register is closed."),
    ];

    fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unknown => "UNKNOWN",
            Self::Closed => "CLOSED",
        })
    }

    fn into_error(self) -> SkillError {
        SkillError::new(match self {
            Self::Unknown => "no supplier has this name",
            Self::Closed => "the register is closed",
        })
    }
}

pub(crate) fn entry(id: &str) -> AgentSkill {
    AgentSkill::new()
        .with_id(id)
        .with_name(id.to_uppercase())
        .with_description("A skill of tests.")
        .with_tags(["test"])
}

pub(crate) fn described() -> Description {
    let card = AgentCard::new()
        .with_name("Desk")
        .with_description("Tests.")
        .with_version("1");
    Description::new(card.with_capabilities(AgentCapabilities::new().with_streaming(true)))
}

/// The same, at an address.
pub(crate) fn placed() -> Description {
    described().interface(
        Binding::JsonRpc,
        ProtocolVersion::V1_0,
        "https://a.test/",
        "",
    )
}

/// An agent of these skills: `agent!(Desk: greet(), score().default_skill());`
macro_rules! agent {
    ($name:ident: $($skill:expr),* $(,)?) => {
        agent!($name, crate::desk::described() => $($skill),*);
    };
    ($name:ident, $description:expr => $($skill:expr),* $(,)?) => {
        struct $name;

        impl a2a_kit::skills::AgentSpec for $name {
            const STREAMING: bool = true;

            fn description() -> a2a_kit::skills::Description {
                $description
            }
        }

        impl a2a_kit::skills::Skills for $name {
            fn skills() -> Vec<a2a_kit::skills::Skill<Self>> {
                vec![$($skill),*]
            }
        }
    };
}
pub(crate) use agent;

/// A skill of tasks: `task!("greet", (Text,) => String, |name| async { format!("Hello, {name}") })`
macro_rules! task {
    ($id:expr, ($($input:ty),*) => $output:ty, |$($name:ident),*| $body:expr) => {
        a2a_kit::skills::Skill::task::<($($input,)*), $output>(crate::desk::entry($id), |_, turn| {
            Box::pin(async move {
                let ($($name,)*) = turn.inputs()?;
                let output: $output = $body;
                turn.reply(output).await
            })
        })
    };
}
pub(crate) use task;

pub(crate) fn greet<A: Sync + 'static>() -> Skill<A> {
    task!("greet", (Text) => String, |name| format!("Hello, {name}"))
}

pub(crate) fn score<A: Sync + 'static>() -> Skill<A> {
    task!("score", (Json<Facts>) => Result<Json<Score>, CheckError>, |facts| {
        match (&*facts.region, facts.employees) {
            ("nowhere", _) => Err(CheckError::Unknown),
            ("asleep", _) => Err(CheckError::Closed),
            (_, employees) => {
                let letters = facts.addresses.iter().map(|address| address.city.len()).sum::<usize>();
                Ok(Json(Score { risk: employees + u32::try_from(letters).unwrap() }))
            }
        }
    })
}

pub(crate) fn book<A: Sync + 'static>() -> Skill<A> {
    task!("book", (Json<Trip>) => String, |trip| format!("To {}", trip.destination))
}

pub(crate) fn scan<A: Sync + 'static>() -> Skill<A> {
    task!("scan", (File) => File, |file| {
        let bytes = file.bytes().cloned().unwrap_or_default();
        File::from_bytes(format!("scan of {}", file.name), file.media_type, bytes)
    })
}

pub(crate) fn sing<A: Sync + 'static>() -> Skill<A> {
    task!("sing", (Text) => Chunks, |words| {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Chunks::new(stream::iter(words))
    })
}

pub(crate) fn hello<A: Sync + 'static>() -> Skill<A> {
    Skill::message::<(Text,), Result<String, CheckError>>(entry("hello"), |_, turn| {
        Box::pin(async move {
            let (name,) = turn.inputs()?;
            let answer = match &*name {
                "?" => Err(CheckError::Unknown),
                name => Ok(format!(
                    "Hello, {name}, in {}",
                    turn.message().context_id().len()
                )),
            };
            turn.reply(answer).await
        })
    })
}

pub(crate) fn count<A: Sync + 'static>() -> Skill<A> {
    task!("count", (Parts) => String, |parts| parts.len().to_string())
}

pub(crate) fn service<A: Skills>(agent: A) -> Engine {
    AgentApp::new(agent).into_service().unwrap()
}

pub(crate) fn message(parts: impl Into<Parts>) -> Message {
    let message = crate::support::message("");
    message.with_role(Role::User).with_parts(parts.into().0)
}

/// A request that names its skill.
pub(crate) fn named(skill: &str, parts: impl Into<Parts>) -> SendMessageRequest {
    let metadata = Struct::from([(a2a_kit::skills::SKILL_KEY, skill)]);
    SendMessageRequest::new().with_message(message(parts).with_metadata(metadata))
}

pub(crate) fn request(parts: impl Into<Parts>) -> SendMessageRequest {
    SendMessageRequest::new().with_message(message(parts))
}

pub(crate) async fn send(
    service: &Engine,
    request: impl Into<SendMessageRequest>,
) -> Result<Task, Error> {
    send_as(service, Caller::anonymous(), request).await
}

pub(crate) async fn send_as(
    service: &Engine,
    caller: Caller,
    request: impl Into<SendMessageRequest>,
) -> Result<Task, Error> {
    let call = CallContext::default().with_caller(caller);
    match service
        .send_message(call, request.into())
        .await?
        .payload
        .clone()
    {
        Some(Payload::Task(task)) => Ok(task),
        other => panic!("a task was expected, not {other:?}"),
    }
}

/// The field and the words of a refusal, and that no task has been made.
pub(crate) async fn refused(
    service: &Engine,
    request: impl Into<SendMessageRequest>,
) -> (String, String) {
    let before = tasks(service).await;
    let error = send(service, request).await.unwrap_err();
    assert_eq!(error.json_rpc_code(), -32602, "{error}");
    assert_eq!(tasks(service).await, before, "a task was made");
    let violation = error.violations()[0].clone();
    (violation.field, violation.description)
}

pub(crate) async fn tasks(service: &Engine) -> usize {
    let list = service
        .list_tasks(CallContext::default(), crate::support::list_request())
        .await;
    list.unwrap().tasks.len()
}

/// The data in the only part of the only artifact.
pub(crate) fn data(task: &Task) -> serde_json::Value {
    match &task.artifacts[0].parts[0].content {
        Some(a2a_kit::v1_0::part::Content::Data(value)) => value.0.clone(),
        other => panic!("data was expected, not {other:?}"),
    }
}

pub(crate) type Out = Result<Reply, SkillError>;
