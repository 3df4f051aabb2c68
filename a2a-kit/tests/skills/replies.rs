//! What results become.

use std::collections::HashMap;

use a2a_kit::agent::artifact;
use a2a_kit::skills::{
    Json, Parts, REASON_KEY, SKILL_SCHEMAS_URI, Skill, SkillError, Skills, Text, failure_reason,
};
use a2a_kit::v1_0::{Artifact, Task, TaskState};
use serde_json::json;

use crate::desk::{agent, entry, request, score, send, service, task};
use crate::support::{artifact_texts, said, state};

async fn result<A: Skills>(agent: A) -> Task {
    send(&service(agent), request("go")).await.unwrap()
}

#[tokio::test]
async fn contents_become_artifacts_with_the_name_of_the_skill() {
    agent!(Static: task!("static", (Text) => &'static str, |_t| "a"));
    agent!(Owned: task!("owned", (Text) => Text, |_t| Text::from("a")));
    agent!(Many: task!("many", (Text) => Parts, |_t| Parts::from("a").and("b")));
    for (task, name, texts) in [
        (result(Static).await, "static", &["a"][..]),
        (result(Owned).await, "owned", &["a"]),
        (result(Many).await, "many", &["a", "b"]),
    ] {
        assert_eq!(state(&task), TaskState::Completed);
        assert_eq!(task.artifacts.len(), 1);
        assert_eq!(task.artifacts[0].name, name);
        assert!(!task.artifacts[0].artifact_id.is_empty());
        assert_eq!(artifact_texts(&task, 0), texts);
    }
}

#[tokio::test]
async fn nothing_is_a_completed_task_without_artifacts() {
    agent!(Quiet: task!("quiet", (Text) => (), |_t| ()));
    agent!(Empty: task!("empty", (Text) => Parts, |_t| Parts::default()));
    agent!(None: task!("none", (Text) => Vec<Artifact>, |_t| Vec::new()));
    for task in [result(Quiet).await, result(Empty).await, result(None).await] {
        assert_eq!(state(&task), TaskState::Completed);
        assert_eq!(task.artifacts, []);
    }
}

#[tokio::test]
async fn artifacts_stay_as_they_are() {
    agent!(Two: task!("two", (Text) => Vec<Artifact>, |_t| vec![artifact("a", "1"), artifact("b", "2")]));
    let task = result(Two).await;
    let names: Vec<_> = task
        .artifacts
        .iter()
        .map(|artifact| &*artifact.name)
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test]
async fn a_failure_has_its_reason_in_the_status() {
    agent!(Scorer: score());
    let facts = json!({"region": "nowhere", "employees": 1});
    let task = send(&service(Scorer), request(facts)).await.unwrap();
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::Failed, "no supplier has this name".into())
    );
    assert_eq!(failure_reason(&task), Some("UNKNOWN"));
    let message = task.status.unwrap().message.unwrap();
    assert_eq!(message.extensions, [SKILL_SCHEMAS_URI]);
    assert_eq!(message.metadata.unwrap()[REASON_KEY], "UNKNOWN");
}

#[tokio::test]
async fn an_error_without_reason_fails_with_its_words() {
    agent!(Failing: task!("failing", (Text) => Result<String, SkillError>, |_t| Err(SkillError::new("no luck"))));
    let task = result(Failing).await;
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::Failed, "no luck".into())
    );
    assert_eq!(failure_reason(&task), None);
}

#[tokio::test]
async fn a_result_without_json_is_an_invalid_response() {
    agent!(Odd: task!("odd", (Text) => Json<HashMap<String, f64>>, |_t| Json(HashMap::from([("a".into(), 1.5)]))));
    assert_eq!(crate::desk::data(&result(Odd).await), json!({"a": 1.5}));
    agent!(Broken: task!("broken", (Text) => Json<Unwritable>, |_t| Json(Unwritable)));
    let task = result(Broken).await;
    assert_eq!(state(&task), TaskState::Failed);
    assert_eq!(failure_reason(&task), Some("INVALID_AGENT_RESPONSE"));
    assert_eq!(
        said(&task),
        "the agent's result has no form in JSON: cannot be written"
    );
}

#[derive(schemars::JsonSchema)]
struct Unwritable;

impl serde::Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("cannot be written"))
    }
}

#[tokio::test]
async fn a_panic_fails_its_task_and_no_other() {
    agent!(Shaky: task!("shaky", (Text) => String, |text| {
        assert!(&*text != "boom", "secret words");
        text.0
    }));
    let shaky = service(Shaky);
    let (boom, fine) = tokio::join!(send(&shaky, request("boom")), send(&shaky, request("fine")));
    let boom = boom.unwrap();
    assert_eq!(state(&boom), TaskState::Failed);
    assert!(!said(&boom).contains("secret"));
    assert_eq!(state(&fine.unwrap()), TaskState::Completed);
    let _: Skill<Shaky> = Skill::task::<(), ()>(entry("x"), |_, turn| {
        Box::pin(async move { turn.reply(()).await })
    });
}
