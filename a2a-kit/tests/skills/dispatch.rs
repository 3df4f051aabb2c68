//! Which skill a message goes to.

use a2a_kit::skills::{Json, SKILL_KEY, Skill, Text};
use a2a_kit::types::Struct;
use a2a_kit::v1_0::{SecurityRequirement, SendMessageRequest, StringList, Task, TaskState};
use a2a_kit::{Caller, Code, Parts, Reply};
use serde_json::json;

use crate::desk::{
    Out, agent, book, count, entry, greet, hello, named, refused, request, scan, score, send,
    send_as, service, sing, task, tasks,
};
use crate::support::{said, state};

agent!(Desk: greet(), score(), book(), sing());

fn skill_of(task: &Task) -> Option<&str> {
    task.metadata.as_ref()?.get(SKILL_KEY)?.as_str()
}

#[tokio::test]
async fn the_skill_that_the_message_names_is_taken() {
    let desk = service(Desk);
    let task = send(&desk, named("sing", "a b")).await.unwrap();
    assert_eq!(skill_of(&task), Some("sing"));
    let of_request = request("a b").with_metadata(Struct::from([(SKILL_KEY, "greet")]));
    let task = send(&desk, of_request).await.unwrap();
    assert_eq!(skill_of(&task), Some("greet"));
    let both = named("sing", "a").with_metadata(Struct::from([(SKILL_KEY, "greet")]));
    let task = send(&desk, both).await.unwrap();
    assert_eq!(
        skill_of(&task),
        Some("sing"),
        "the message's own word counts first"
    );
}

#[tokio::test]
async fn an_unknown_skill_is_refused_with_the_key_and_the_known_ones() {
    let desk = service(Desk);
    let (field, words) = refused(&desk, named("dance", "a")).await;
    assert_eq!(field, format!("message.metadata[{SKILL_KEY:?}]"));
    assert_eq!(
        words,
        "\"dance\" is no skill of this agent; it has: greet, score, book, sing"
    );
    let of_request = request("a").with_metadata(Struct::from([(SKILL_KEY, "dance")]));
    let (field, _) = refused(&desk, of_request).await;
    assert_eq!(field, format!("metadata[{SKILL_KEY:?}]"));
    let no_text = request("a").with_metadata(Struct::from([(SKILL_KEY, 7)]));
    let (_, words) = refused(&desk, no_text).await;
    assert_eq!(words, "must be the id of a skill, as text");
}

#[tokio::test]
async fn an_id_of_any_length_is_not_repeated() {
    let long = "€".repeat(1 << 20);
    let (_, words) = refused(&service(Desk), named(&long, "a")).await;
    assert!(words.len() < 400, "{}", words.len());
    assert!(words.contains("is no skill of this agent"), "{words}");
}

#[tokio::test]
async fn the_only_skill_that_fits_is_taken() {
    let desk = service(Desk);
    let facts = json!({"region": "x", "employees": 1});
    assert_eq!(
        skill_of(&send(&desk, request(facts)).await.unwrap()),
        Some("score")
    );
    let trip = json!({"destination": "Rome"});
    assert_eq!(
        skill_of(&send(&desk, request(trip)).await.unwrap()),
        Some("book")
    );
}

#[tokio::test]
async fn what_fits_in_kind_alone_is_told_what_is_wrong() {
    agent!(Two: greet(), score());
    let (field, _) = refused(&service(Two), request(json!({"region": "x"}))).await;
    assert_eq!(field, "message.parts[0].data.employees");
}

#[tokio::test]
async fn without_a_skill_the_task_is_rejected_with_the_list() {
    let desk = service(Desk);
    for parts in [
        Parts::from("either of two"),
        Parts::from(json!({})),
        Parts::from("a").and(json!(1)),
    ] {
        let task = send(&desk, request(parts)).await.unwrap();
        assert_eq!(state(&task), TaskState::Rejected);
        assert_eq!(skill_of(&task), None);
        let said = said(&task);
        assert!(said.contains(SKILL_KEY), "{said}");
        assert!(
            said.contains("\n- greet: GREET, takes text\n- score: SCORE, takes one data part"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn the_default_skill_takes_what_is_for_no_other() {
    agent!(Defaulted: greet(), sing().default_skill(), score());
    let defaulted = service(Defaulted);
    assert_eq!(
        skill_of(&send(&defaulted, request("a")).await.unwrap()),
        Some("sing")
    );
    let facts = json!({"region": "x", "employees": 1});
    assert_eq!(
        skill_of(&send(&defaulted, request(facts)).await.unwrap()),
        Some("score")
    );
    let neither = Parts::from("a").and(json!(1));
    let error = send(&defaulted, request(neither)).await.unwrap_err();
    assert!(
        error.is_content_type_not_supported(),
        "the default one says what it takes: {error}"
    );
}

#[tokio::test]
async fn a_message_of_media_types_that_a_skill_does_not_take_is_refused() {
    let desk = service(Desk);
    for (skill, parts) in [
        ("score", Parts::from("text")),
        ("greet", Parts::from(json!(1))),
    ] {
        let error = send(&desk, named(skill, parts)).await.unwrap_err();
        assert!(error.is_content_type_not_supported(), "{error}");
        assert_eq!(error.json_rpc_code(), -32005);
    }
    assert_eq!(tasks(&desk).await, 0);
    agent!(Files: scan(), count());
    let files = service(Files);
    let task = send(
        &files,
        named("scan", Parts::file("a", "image/png", vec![1])),
    )
    .await
    .unwrap();
    assert_eq!(state(&task), TaskState::Completed);
}

agent!(Asking: ask(), greet());

fn ask<A: Sync + 'static>() -> Skill<A> {
    Skill::task::<(Option<Text>, Option<Json<u8>>), Out>(entry("ask"), |_, turn| {
        Box::pin(async move {
            let (text, number) = turn.inputs()?;
            let answer: Out = match (turn.task().history().len(), text, number) {
                (0, ..) => Ok(Reply::input_required("How many?")),
                (_, _, Some(number)) => Ok(Reply::completed().with_message(number.to_string())),
                (_, Some(text), _) => Ok(Reply::input_required(format!("{text}?"))),
                _ => Ok(Reply::rejected("nothing")),
            };
            turn.reply(answer).await
        })
    })
}

fn to(task: &Task, mut request: SendMessageRequest) -> SendMessageRequest {
    request
        .message
        .get_or_insert_default()
        .task_id
        .clone_from(&task.id);
    request
}

#[tokio::test]
async fn a_message_to_a_task_goes_to_its_skill() {
    let asking = service(Asking);
    let task = send(&asking, named("ask", "go")).await.unwrap();
    assert_eq!(state(&task), TaskState::InputRequired);
    let task = send(&asking, to(&task, request("some"))).await.unwrap();
    assert_eq!(said(&task), "some?");
    let error = send(&asking, to(&task, named("greet", "a")))
        .await
        .unwrap_err();
    assert_eq!(
        error.violations()[0].field,
        format!("message.metadata[{SKILL_KEY:?}]")
    );
    assert!(error.message().contains("is one of \"ask\""), "{error}");
    let task = send(&asking, to(&task, named("ask", json!(7))))
        .await
        .unwrap();
    assert_eq!(
        (state(&task), said(&task)),
        (TaskState::Completed, "7".to_owned())
    );
    let error = send(&asking, to(&task, request("more"))).await.unwrap_err();
    assert!(
        error.is_unsupported_operation(),
        "a finished task takes no messages: {error}"
    );
}

#[tokio::test]
async fn extended_skills_exist_for_known_callers_only() {
    agent!(Club, crate::desk::placed() => greet(), score().extended());
    let club = service(Club);
    let facts = || named("score", json!({"region": "x", "employees": 1}));
    let (_, words) = refused(&club, facts()).await;
    assert_eq!(words, "\"score\" is no skill of this agent; it has: greet");
    let member = || Caller::known("m");
    let task = send_as(&club, member(), facts()).await.unwrap();
    assert_eq!(skill_of(&task), Some("score"));
    // For who does not know of it, the other one is the only one.
    let task = send(&club, request("Ada")).await.unwrap();
    assert_eq!(skill_of(&task), Some("greet"));
    let task = send_as(&club, member(), named("nothing", "a"))
        .await
        .unwrap_err();
    assert!(task.message().contains("it has: greet, score"));
}

#[tokio::test]
async fn requirements_of_a_skill_are_asked_for() {
    agent!(Guarded: greet(), guarded());
    fn guarded<A: Sync + 'static>() -> Skill<A> {
        let scopes = StringList::new().with_list(["write"]);
        let wanted = SecurityRequirement::new().with_schemes([("oauth".to_owned(), scopes)]);
        let entry = entry("guarded").with_security_requirements([wanted]);
        Skill::task::<(Text,), String>(entry, |_, turn| {
            Box::pin(async move {
                let (text,) = turn.inputs()?;
                turn.reply(text.0).await
            })
        })
    }
    let service = service(Guarded);
    let code = async |caller: Caller| {
        let sent = send_as(&service, caller, named("guarded", "a")).await;
        sent.map(|task| state(&task)).map_err(|error| error.code())
    };
    assert_eq!(code(Caller::anonymous()).await, Err(Code::Unauthenticated));
    assert_eq!(code(Caller::known("a")).await, Err(Code::PermissionDenied));
    let writer = Caller::known("a").with_scopes(["write"]);
    assert_eq!(code(writer).await, Ok(TaskState::Completed));
    assert_eq!(tasks(&service).await, 0, "a caller who may not has no task");
}

#[tokio::test]
async fn a_skill_may_answer_without_a_task() {
    use a2a_kit::v1_0::send_message_response::Payload;
    use a2a_kit::{A2aService as _, CallContext};

    agent!(Mixed: hello(), score());
    let mixed = service(Mixed);
    let answer = mixed
        .send_message(CallContext::default(), request("Ada"))
        .await
        .unwrap();
    let Some(Payload::Message(message)) = &answer.payload else {
        panic!("{answer:?}");
    };
    assert_eq!(crate::support::text(message), "Hello, Ada, in 36");
    let error = mixed
        .send_message(CallContext::default(), request("?"))
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (Code::Internal, "no supplier has this name")
    );
    assert_eq!(tasks(&mixed).await, 0);
}

#[tokio::test]
async fn a_table_with_two_skills_of_an_id_or_two_defaults_is_none() {
    use a2a_kit::skills::AgentApp;

    agent!(Same: greet(), greet());
    let error = AgentApp::new(Same).into_service().unwrap_err();
    assert_eq!(error.violations()[0].field, "skills[1].id");
    agent!(TwoDefaults: greet().default_skill(), score().default_skill());
    let error = AgentApp::new(TwoDefaults).into_service().unwrap_err();
    assert_eq!(error.violations()[0].field, "skills");
    let _ = task!("unused", (Text) => String, |text| text.0) as Skill<Same>;
}
