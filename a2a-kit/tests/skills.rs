//! Skills of agents, written as `#[a2a_agent]` and `#[a2a_skills]` write them.

use a2a_kit::agent::AgentError;
use a2a_kit::skills::{
    AgentApp, AgentSpec, Description, Json, Skill, SkillError, Skills, Text, card,
};
use a2a_kit::v1_0::{AgentCard, AgentSkill, Message, Role, SendMessageRequest, TaskState};
use a2a_kit::{A2aService, CallContext, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Facts {
    region: String,
}

#[derive(Serialize, JsonSchema)]
struct Score {
    risk: u8,
}

struct Desk;

impl Desk {
    async fn greet(&self, name: Text) -> Result<Reply, SkillError> {
        Ok(Reply::completed().with_message(format!("Hello, {name}")))
    }

    async fn score(&self, facts: Json<Facts>) -> Result<Json<Score>, AgentError> {
        Ok(Json(Score {
            risk: u8::try_from(facts.region.len())?,
        }))
    }
}

impl AgentSpec for Desk {
    const STREAMING: bool = true;
    const SCHEMES: &'static [&'static str] = &[];

    fn description() -> Description {
        Description::new(AgentCard::new().with_name("Desk").with_version("1"))
    }
}

impl Skills for Desk {
    fn skills() -> Vec<Skill<Self>> {
        vec![
            Skill::task::<(Text,), Result<Reply, SkillError>>(
                AgentSkill::new()
                    .with_id("greet")
                    .with_name("Greet")
                    .with_tags(["t"]),
                |agent, turn| {
                    Box::pin(async move {
                        let (a,) = turn.inputs()?;
                        turn.reply(agent.greet(a).await).await
                    })
                },
            ),
            Skill::task::<(Json<Facts>,), Result<Json<Score>, AgentError>>(
                AgentSkill::new()
                    .with_id("score")
                    .with_name("Score")
                    .with_tags(["t"]),
                |agent, turn| {
                    Box::pin(async move {
                        let (a,) = turn.inputs()?;
                        turn.reply(agent.score(a).await).await
                    })
                },
            ),
        ]
    }
}

#[tokio::test]
async fn a_text_goes_to_the_skill_that_takes_text() {
    let service = AgentApp::new(Desk).into_service().unwrap();
    let message = Message::new()
        .with_message_id("m")
        .with_role(Role::User)
        .with_parts(a2a_kit::Parts::from("Ada").0);
    let request = SendMessageRequest::new().with_message(message);
    let answer = service
        .send_message(CallContext::default(), request)
        .await
        .unwrap();
    let Some(a2a_kit::v1_0::send_message_response::Payload::Task(task)) = &answer.payload else {
        panic!("{answer:?}");
    };
    assert_eq!(task.status.as_ref().unwrap().state(), TaskState::Completed);
    println!("{}", serde_json::to_string_pretty(&card::<Desk>()).unwrap());
}
