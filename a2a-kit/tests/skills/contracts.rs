//! Schemas that say more than types do.

use a2a_kit::client::{check_message, check_task};
use a2a_kit::skills::{Json, Skill, Text, card, failure_reason};
use a2a_kit::types::{Struct, Value};
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::send_message_response::Payload;
use a2a_kit::v1_0::{AgentCard, Message, Task, TaskState};
use a2a_kit::{A2aService as _, CallContext, Parts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::desk::{agent, entry, greet, named, refused, request, send, service, task};
use crate::support::{said, state};

#[derive(Deserialize, Serialize, JsonSchema)]
struct Order {
    #[schemars(range(min = 1, max = 10))]
    amount: u32,
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    code: Option<String>,
}

/// Doubles the amount.
fn double<A: Sync + 'static>() -> Skill<A> {
    task!("double", (Json<Order>, Option<Json<Order>>) => Json<Order>, |order, _second| {
        Json(Order { amount: order.amount * 2, code: None })
    })
}

fn answer<A: Sync + 'static>() -> Skill<A> {
    Skill::message::<(Text,), Json<Order>>(entry("answer"), |_, turn| {
        Box::pin(async move {
            let (text,) = turn.inputs()?;
            let amount = text.parse()?;
            turn.reply(Json(Order { amount, code: None })).await
        })
    })
}

agent!(Shop: double(), answer(), greet());

#[tokio::test]
async fn an_input_has_to_fit_its_schema() {
    let shop = service(Shop);
    let order = |amount: u32, code: &str| json!({"amount": amount, "code": code});
    let (field, words) = refused(&shop, named("double", order(11, "ABC"))).await;
    assert_eq!(field, "message.parts[0].data.amount");
    assert!(words.contains("10"), "{words}");
    let (field, _) = refused(&shop, named("double", order(1, "abc"))).await;
    assert_eq!(field, "message.parts[0].data.code");
    let second = Parts::from(order(1, "ABC")).and(order(0, "ABC"));
    let (field, _) = refused(&shop, named("double", second)).await;
    assert_eq!(field, "message.parts[1].data.amount");
}

#[tokio::test]
async fn an_output_that_does_not_fit_is_an_invalid_response() {
    let shop = service(Shop);
    let task = send(&shop, named("double", json!({"amount": 5})))
        .await
        .unwrap();
    assert_eq!(state(&task), TaskState::Completed);
    let task = send(&shop, named("double", json!({"amount": 6})))
        .await
        .unwrap();
    assert_eq!(state(&task), TaskState::Failed);
    assert_eq!(failure_reason(&task), Some("INVALID_AGENT_RESPONSE"));
    assert!(
        said(&task).contains("parts[0].data.amount"),
        "{}",
        said(&task)
    );
    assert_eq!(task.artifacts, []);

    let error = shop
        .send_message(CallContext::default(), named("answer", "11"))
        .await
        .unwrap_err();
    assert!(error.is_invalid_agent_response(), "{error}");
    assert_eq!(error.json_rpc_code(), -32006);
}

#[tokio::test]
async fn what_others_hand_over_is_held_against_their_card() {
    let (card, shop) = (card::<Shop>(), service(Shop));
    let fine = send(&shop, named("double", json!({"amount": 5})))
        .await
        .unwrap();
    check_task(&card, &fine).unwrap();
    let fault = |change: fn(&mut Task)| {
        let mut task = fine.clone();
        change(&mut task);
        check_task(&card, &task).map_err(|error| {
            assert!(error.is_invalid_agent_response());
            error.message().to_owned()
        })
    };
    let wrong = fault(|task| {
        task.artifacts[0].parts[0].content =
            Some(Content::Data(Value(json!({"amount": 99, "code": null}))));
    });
    assert!(
        wrong
            .unwrap_err()
            .contains("artifacts[0].parts[0].data.amount")
    );
    let text = fault(|task| task.artifacts[0].parts = Parts::from("ten").0);
    assert!(text.unwrap_err().contains("has none"));
    let unmarked = fault(|task| task.artifacts[0].extensions.clear());
    assert!(
        unmarked
            .unwrap_err()
            .contains("no artifact names the extension")
    );
    fault(|task| task.status.as_mut().unwrap().set_state(TaskState::Failed)).unwrap();
    fault(|task| task.metadata = None).unwrap();
    fault(|task| task.metadata = Some(Struct::from([(a2a_kit::skills::SKILL_KEY, "greet")])))
        .unwrap();
    check_task(&AgentCard::default(), &fine).unwrap();

    let answer = shop
        .send_message(CallContext::default(), named("answer", "7"))
        .await
        .unwrap();
    let Some(Payload::Message(message)) = &answer.payload else {
        panic!("{answer:?}");
    };
    check_message(&card, "answer", message).unwrap();
    let error = check_message(
        &card,
        "answer",
        &Message::new().with_parts(Parts::from(json!({})).0),
    );
    assert!(error.unwrap_err().message().contains("parts[0].data"));
    check_message(&card, "greet", &Message::new()).unwrap();
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_is_a_fault_of_the_card() {
    let (mut card, shop) = (card::<Shop>(), service(Shop));
    let task = send(&shop, named("double", json!({"amount": 5})))
        .await
        .unwrap();
    let extension = &mut card.capabilities.as_mut().unwrap().extensions[0];
    extension.params = Some(Struct::from([(
        "skills",
        json!({"double": {"output": {"$ref": "https://a.test/s"}}}),
    )]));
    let error = check_task(&card, &task).unwrap_err();
    assert!(error.message().contains("https://a.test/s"), "{error}");
    let _ = request("unused");
}
