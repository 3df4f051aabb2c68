//! What extractors take, and what they say about what does not fit.

use a2a_kit::skills::{Description, File, Json, Message, Parts, Skill, Text};
use a2a_kit::v1_0::{AgentCard, TaskState};
use serde_json::json;

use crate::desk::{
    Facts, agent, data, entry, greet, refused, request, scan, score, send, service, task,
};
use crate::support::{artifact_texts, state};

agent!(Scorer: score());
agent!(Greeter: greet());
agent!(Scanner: scan());

fn facts() -> serde_json::Value {
    json!({"region": "China", "employees": 7, "addresses": [{"city": "a"}, {"city": "b"}]})
}

#[tokio::test]
async fn data_is_read_into_its_type() {
    let task = send(&service(Scorer), request(facts())).await.unwrap();
    assert_eq!(state(&task), TaskState::Completed);
    assert_eq!(data(&task), json!({"risk": 9}));
    assert_eq!(task.artifacts[0].name, "score");
}

#[tokio::test]
async fn doubles_that_are_whole_are_integers() {
    let service = service(Scorer);
    let whole = json!({"region": "x", "employees": 12.0});
    let task = send(&service, request(whole)).await.unwrap();
    assert_eq!(task.state(), TaskState::Completed, "{task:?}");
    for employees in [12.5, -1.0, 1e300] {
        let data = json!({"region": "x", "employees": employees});
        let (field, _) = refused(&service, request(data)).await;
        assert_eq!(field, "message.parts[0].data.employees", "{employees}");
    }
}

#[tokio::test]
async fn data_that_does_not_fit_is_refused_with_its_path() {
    let service = service(Scorer);
    let cases = [
        (
            json!({"employees": 1}),
            "message.parts[0].data.region",
            "is missing",
        ),
        (
            json!({"region": 1, "employees": 1}),
            "message.parts[0].data.region",
            "invalid type: integer `1`, expected a string",
        ),
        (
            json!({"region": "x", "employees": -1}),
            "message.parts[0].data.employees",
            "invalid value: integer `-1`, expected u32",
        ),
        (
            json!({"region": "x", "employees": 1, "addresses": [{"city": "a"}, {}]}),
            "message.parts[0].data.addresses[1].city",
            "is missing",
        ),
        (
            json!({"region": "x", "employees": 1, "addresses": [7]}),
            "message.parts[0].data.addresses[0]",
            "invalid type: integer `7`, expected struct Address",
        ),
        (
            json!("text"),
            "message.parts[0].data",
            "invalid type: string \"text\", expected struct Facts",
        ),
        (
            json!(null),
            "message.parts[0].data",
            "invalid type: null, expected struct Facts",
        ),
    ];
    for (data, field, description) in cases {
        assert_eq!(
            refused(&service, request(data.clone())).await,
            (field.to_owned(), description.to_owned()),
            "{data}"
        );
    }
}

#[tokio::test]
async fn what_came_is_not_repeated_at_any_length() {
    let long = "€".repeat(1 << 20);
    let facts = json!({"region": "x", "employees": long});
    let (_, words) = refused(&service(Scorer), request(facts)).await;
    assert!(words.len() < 300, "{}", words.len());
    assert!(words.starts_with("invalid type: string"), "{words}");
    assert!(words.ends_with("expected u32"), "{words}");

    agent!(Counts: task!(
        "count", (Json<std::collections::BTreeMap<String, u32>>) => String, |counts| counts.0.len().to_string()
    ));
    let counts = json!({ long.as_str(): "many" });
    let (field, _) = refused(&service(Counts), request(counts)).await;
    assert!(field.len() < 300, "{}", field.len());

    agent!(Both: task!("both", (Text, Json<Facts>) => String, |text, _facts| text.0));
    let texts = vec![Parts::from("a").0.remove(0); 1000];
    let (_, words) = refused(&service(Both), request(Parts(texts))).await;
    assert!(words.ends_with("text, text, and 992 more"), "{words}");
}

#[tokio::test]
async fn what_was_expected_and_what_came_is_said() {
    agent!(Both, describe() => task!("both", (Text, Json<Facts>) => String, |text, _facts| text.0));
    let both = service(Both);
    let (field, words) = refused(&both, request("hello")).await;
    assert_eq!(field, "message.parts");
    assert_eq!(words, "expected one data part, but the message has: text");
    let (field, words) = refused(&both, request(facts())).await;
    assert_eq!(field, "message.parts");
    assert_eq!(words, "expected text, but the message has: data");
    let two = Parts::from("a").and(facts()).and(facts());
    let (field, words) = refused(&both, request(two)).await;
    assert_eq!(field, "message.parts[2]");
    assert_eq!(
        words,
        "this part (data) is not taken; expected: text and one data part"
    );
    let fits = Parts::from("a").and(facts()).and("b");
    let task = send(&both, request(fits)).await.unwrap();
    assert_eq!(artifact_texts(&task, 0), ["a\nb"]);
}

fn describe() -> Description {
    Description::new(AgentCard::new().with_default_input_modes(["*/*"]))
}

#[tokio::test]
async fn two_data_parts_where_one_is_wanted_are_refused() {
    let two = Parts::from(facts()).and(facts());
    let (field, words) = refused(&service(Scorer), request(two)).await;
    assert_eq!(field, "message.parts[1]");
    assert_eq!(
        words,
        "this part (data) is not taken; expected: one data part"
    );
}

#[tokio::test]
async fn a_part_that_no_parameter_takes_is_refused() {
    agent!(Open, describe() => greet());
    let with_file = Parts::from("Ada").and(Parts::file("a.png", "image/png", vec![1]));
    let (field, words) = refused(&service(Open), request(with_file)).await;
    assert_eq!(field, "message.parts[1]");
    assert_eq!(words, "this part (file (raw)) is not taken; expected: text");
}

#[tokio::test]
async fn texts_are_one_text_also_an_empty_one() {
    let greeter = service(Greeter);
    let task = send(&greeter, request(Parts::from("Ada").and("Bob")))
        .await
        .unwrap();
    assert_eq!(artifact_texts(&task, 0), ["Hello, Ada\nBob"]);
    let task = send(&greeter, request("")).await.unwrap();
    assert_eq!(artifact_texts(&task, 0), ["Hello, "]);
}

#[tokio::test]
async fn files_come_as_bytes_or_by_address() {
    let scanner = service(Scanner);
    let big = vec![42; 10 << 20];
    let file = File::from_bytes("a.bin", "application/x-own", big.clone());
    let task = send(&scanner, request(file)).await.unwrap();
    let part = &task.artifacts[0].parts[0];
    assert_eq!(
        (&*part.filename, &*part.media_type),
        ("scan of a.bin", "application/x-own")
    );
    assert!(part.content == Some(a2a_kit::v1_0::part::Content::Raw(big.into())));
    assert_eq!(task.artifacts[0].name, "scan of a.bin");
    let task = send(
        &scanner,
        request(File::from_url("b", "", "https://a.test/b")),
    )
    .await
    .unwrap();
    assert_eq!(task.artifacts[0].parts[0].filename, "scan of b");
}

#[tokio::test]
async fn what_may_be_missing_is_none() {
    agent!(Maybe, describe() => task!("maybe", (Option<Text>, Option<Json<Facts>>, Option<File>) => String, |text, facts, file| {
        format!("{text:?} {:?} {:?}", facts.map(|facts| facts.0.region), file.map(|file| file.name))
    }));
    let maybe = service(Maybe);
    let all = Parts::from(facts())
        .and("a")
        .and(File::from_url("f", "", "https://a.test"));
    for (parts, said) in [
        (Parts::from("a"), "Some(Text(\"a\")) None None"),
        (Parts::from(facts()), "None Some(\"China\") None"),
        (all, "Some(Text(\"a\")) Some(\"China\") Some(\"f\")"),
    ] {
        let task = send(&maybe, request(parts)).await.unwrap();
        assert_eq!(artifact_texts(&task, 0), [said]);
    }
    let (field, _) = refused(&maybe, request(json!({"region": 1}))).await;
    assert_eq!(
        field, "message.parts[0].data.region",
        "what is there has to fit"
    );
}

#[tokio::test]
async fn parts_take_the_rest_wherever_they_stand() {
    agent!(Rest, describe() => task!("rest", (Parts, Json<Facts>, Message) => String, |rest, facts, whole| {
        format!("{} {} {}", rest.len(), facts.region, whole.parts.len())
    }));
    let parts = Parts::from("a").and(facts()).and("b");
    let task = send(&service(Rest), request(parts)).await.unwrap();
    assert_eq!(artifact_texts(&task, 0), ["2 China 3"]);
}

#[tokio::test]
async fn several_of_a_kind_come_in_their_order() {
    agent!(Pair, describe() => task!("pair", (File, File, Json<u8>, Json<String>) => String, |a, b, c, d| {
        format!("{} {} {} {}", a.name, b.name, *c, *d)
    }));
    let file = |name: &str| File::from_bytes(name, "", vec![0]);
    let parts = Parts::from(json!(7))
        .and(file("x"))
        .and(file("y"))
        .and(json!("z"));
    let task = send(&service(Pair), request(parts)).await.unwrap();
    assert_eq!(artifact_texts(&task, 0), ["x y 7 z"]);
}

#[tokio::test]
async fn a_skill_of_the_context_alone_takes_all() {
    agent!(All, describe() => Skill::task::<(), String>(entry("all"), |_, turn| Box::pin(async move {
        let parts = turn.task().message().parts.len();
        turn.reply(parts.to_string()).await
    })));
    let task = send(&service(All), request(Parts::from("a").and(facts())))
        .await
        .unwrap();
    assert_eq!(artifact_texts(&task, 0), ["2"]);
}
