use futures_util::TryStreamExt as _;
use http::Request;
use serde_json::{Value, json};

use super::super::script::{
    self, Answer, Script, Then, body, events, json_rpc_card, piece, refused, result, status,
    status_update, task, task_with, with_header,
};
use super::*;
use crate::A2aService as _;
use crate::error::Code;

mod others;

fn whole(state: &str) -> Value {
    json!({"task": task(state)})
}

/// What a test sees of an update.
fn shown(update: &Update) -> String {
    match update {
        Update::Task(task) => format!("task {:?} {}", task.state(), task.artifacts.len()),
        Update::Message(message) => format!("message {}", message.message_id),
        Update::Status(update) => format!("{:?}", update.status.as_ref().unwrap().state()),
        Update::Artifact(update) => {
            let artifact = update.artifact.as_ref().unwrap();
            let text: String = artifact
                .parts
                .iter()
                .filter_map(|part| part.as_text())
                .collect();
            format!(
                "{}{}{text}",
                artifact.artifact_id,
                if update.append { "+" } else { "=" }
            )
        }
    }
}

/// Reads a stream to its end: what came, and the error at the end if there was one.
async fn read(mut updates: Updates) -> (Vec<String>, Option<Error>) {
    let mut seen = Vec::new();
    loop {
        match updates.try_next().await {
            Ok(Some(update)) => seen.push(shown(&update)),
            Ok(None) => return (seen, None),
            Err(error) => {
                assert!(
                    updates.try_next().await.unwrap().is_none(),
                    "a stream ends after its error"
                );
                return (seen, Some(error));
            }
        }
    }
}

async fn streamed(script: &Script) -> (Vec<String>, Option<Error>) {
    read(
        script
            .client(json_rpc_card())
            .message("hi")
            .stream()
            .await
            .unwrap(),
    )
    .await
}

type Step = Box<dyn Fn(&Request<bytes::Bytes>) -> Answer + Send + Sync>;

fn stream(list: Vec<Value>, then: Then) -> Step {
    Box::new(move |request| events(request, &list, then))
}

fn answer(value: Value) -> Step {
    Box::new(move |request| result(request, &value))
}

fn fault(code: i32) -> Step {
    Box::new(move |request| script::error(request, code, "no"))
}

/// An error as the first event of a stream.
fn fault_in_stream(code: i32) -> Step {
    Box::new(move |request| {
        let error = json!({"jsonrpc": "2.0", "id": body(request)["id"], "error": {"code": code, "message": "no"}});
        with_header(
            status(200, format!("data: {error}\n\n")),
            "content-type",
            "text/event-stream",
        )
    })
}

fn gone() -> Step {
    Box::new(|_| Err(refused()))
}

/// Plays a list of steps; the last one again and again.
fn plays(steps: Vec<Step>) -> Script {
    Script::new(move |number, request| steps[number.min(steps.len() - 1)](request))
}

const SEND: &str = "SendStreamingMessage";
const AGAIN: &str = "SubscribeToTask";
const GET: &str = "GetTask";

#[tokio::test]
async fn a_stream_ends_where_the_task_rests() {
    let message =
        json!({"message": {"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}});
    let cases: Vec<(Vec<Value>, Then, Vec<&str>)> = vec![
        (
            vec![
                whole("SUBMITTED"),
                status_update("WORKING"),
                status_update("COMPLETED"),
            ],
            Then::End,
            vec!["task Submitted 0", "Working", "Completed"],
        ),
        // The server does not close; or what comes after the end is not looked at.
        (
            vec![whole("SUBMITTED"), status_update("FAILED")],
            Then::Hang,
            vec!["task Submitted 0", "Failed"],
        ),
        (
            vec![whole("REJECTED"), status_update("WORKING")],
            Then::Break,
            vec!["task Rejected 0"],
        ),
        (
            vec![message.clone(), status_update("WORKING")],
            Then::Hang,
            vec!["message m1"],
        ),
        // The agent waits for somebody.
        (
            vec![whole("WORKING"), status_update("INPUT_REQUIRED")],
            Then::End,
            vec!["task Working 0", "InputRequired"],
        ),
        (
            vec![whole("WORKING"), status_update("INPUT_REQUIRED")],
            Then::Break,
            vec!["task Working 0", "InputRequired"],
        ),
        (
            vec![whole("AUTH_REQUIRED")],
            Then::End,
            vec!["task AuthRequired 0"],
        ),
        (
            vec![
                whole("AUTH_REQUIRED"),
                status_update("WORKING"),
                status_update("CANCELED"),
            ],
            Then::End,
            vec!["task AuthRequired 0", "Working", "Canceled"],
        ),
        // A server that does not begin with the task.
        (
            vec![status_update("WORKING"), status_update("COMPLETED")],
            Then::End,
            vec!["Working", "Completed"],
        ),
    ];
    for (list, then, expected) in cases {
        let script = plays(vec![stream(list.clone(), then)]);
        let (seen, error) = streamed(&script).await;
        assert_eq!(
            (
                seen.iter().map(String::as_str).collect::<Vec<_>>(),
                error.map(|error| error.to_string())
            ),
            (expected, None),
            "{list:?} {then:?}"
        );
        assert_eq!(script.methods(), [SEND]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_is_healed_by_a_subscription() {
    for then in [Then::End, Then::Break] {
        let script = plays(vec![
            stream(vec![whole("WORKING"), piece("a", "He", false)], then),
            stream(
                vec![
                    json!({"task": task_with("WORKING", &[("a", &["He", "ll"])])}),
                    piece("a", "o", true),
                    status_update("COMPLETED"),
                ],
                Then::Hang,
            ),
        ]);
        let (seen, error) = streamed(&script).await;
        assert_eq!(
            seen,
            ["task Working 0", "a=He", "a+ll", "a+o", "Completed"],
            "{then:?}"
        );
        assert!(error.is_none());
        assert_eq!(script.methods(), [SEND, AGAIN]);
        assert_eq!(body(&script.requests()[1])["params"], json!({"id": "t1"}));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_counts_as_cut() {
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::Break),
        gone(),
        gone(),
        stream(vec![whole("COMPLETED")], Then::End),
    ]);
    let before = tokio::time::Instant::now();
    let (seen, error) = streamed(&script).await;
    assert_eq!(seen, ["task Working 0", "Completed"]);
    assert!(error.is_none());
    assert_eq!(script.methods(), [SEND, AGAIN, AGAIN, AGAIN]);
    // Between half and all of 200, 400 and 800 milliseconds.
    assert!(
        before.elapsed() >= Duration::from_millis(700)
            && before.elapsed() <= Duration::from_millis(1500),
        "{:?}",
        before.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn attempts_are_counted_only_without_news() {
    let one = |state: &'static str| stream(vec![whole(state)], Then::Break);
    // Each subscription brings something, so that nine of them are not too many.
    let script = Script::new(move |number, request| {
        if number == 0 {
            return events(request, &[whole("WORKING")], Then::Break);
        }
        let texts: Vec<String> = (0..number - 1).map(|text| text.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let artifacts: &[(&str, &[&str])] = if texts.is_empty() {
            &[]
        } else {
            &[("a", &texts)]
        };
        let task = json!({"task": task_with(if number == 9 { "COMPLETED" } else { "WORKING" }, artifacts)});
        events(
            request,
            &[task, piece("a", &(number - 1).to_string(), number > 1)],
            Then::End,
        )
    });
    let (seen, error) = streamed(&script).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(seen.last().unwrap(), "Completed");
    assert_eq!(script.methods().len(), 10);
    let text: String = seen
        .iter()
        .filter_map(|seen| seen.strip_prefix("a+").or_else(|| seen.strip_prefix("a=")))
        .collect();
    assert_eq!(text, "01234567");

    // A server that cuts each stream after the task is given up.
    let script = plays(vec![one("WORKING")]);
    let (seen, error) = streamed(&script).await;
    assert_eq!(seen, ["task Working 0"]);
    let error = error.unwrap();
    assert_eq!(error.code(), Code::Unavailable);
    assert!(
        error.message().contains("\"t1\"")
            && error.message().contains("6 attempts")
            && error.message().contains("the connection broke"),
        "{error}"
    );
    assert_eq!(script.methods().len(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ended_meanwhile_is_asked_for() {
    // -32004: a subscription to a task that has ended; -32601: no subscriptions.
    for code in [-32004, -32601] {
        let script = plays(vec![
            stream(vec![whole("WORKING"), piece("a", "x", false)], Then::Break),
            fault(code),
            answer(task_with("COMPLETED", &[("a", &["x"]), ("b", &["y"])])),
        ]);
        let (seen, error) = streamed(&script).await;
        assert_eq!(seen, ["task Working 0", "a=x", "b=y", "Completed"]);
        assert!(error.is_none());
        assert_eq!(script.methods(), [SEND, AGAIN, GET]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_cannot_be_subscribed_to_is_asked_for_until_it_rests() {
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::End),
        fault(-32601),
        answer(task("WORKING")),
        gone(),
        answer(task_with("WORKING", &[("a", &["x"])])),
        answer(task_with("INPUT_REQUIRED", &[("a", &["x"])])),
    ]);
    let (seen, error) = streamed(&script).await;
    assert_eq!(seen, ["task Working 0", "a=x", "InputRequired"]);
    assert!(error.is_none());
    assert_eq!(script.methods(), [SEND, AGAIN, GET, GET, GET, GET]);

    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::End),
        fault(-32601),
        answer(task("WORKING")),
        gone(),
    ]);
    let (_, error) = streamed(&script).await;
    assert!(error.unwrap().message().contains("connection refused"));
}

#[tokio::test(start_paused = true)]
async fn what_will_not_heal_ends_the_stream_with_its_error() {
    // The task is gone.
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::Break),
        fault(-32001),
    ]);
    let (seen, error) = streamed(&script).await;
    assert_eq!(seen, ["task Working 0"]);
    let error = error.unwrap();
    assert!(
        error.is_task_not_found() && error.message().contains("cut"),
        "{error}"
    );
    // Who we are is not enough.
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::Break),
        Box::new(|_| status(401, "")),
    ]);
    assert_eq!(
        streamed(&script).await.1.unwrap().code(),
        Code::Unauthenticated
    );
    // The agent's own error in the stream is not a cut.
    let script = plays(vec![fault_in_stream(-32006)]);
    let (seen, error) = streamed(&script).await;
    assert!(seen.is_empty() && error.unwrap().is_invalid_agent_response());
    assert_eq!(script.methods(), [SEND]);
    // Another task than the one that was followed.
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::Break),
        stream(
            vec![json!({"task": {"id": "t2", "status": {"state": "TASK_STATE_COMPLETED"}}})],
            Then::End,
        ),
    ]);
    let (seen, error) = streamed(&script).await;
    assert_eq!(seen, ["task Working 0"]);
    let error = error.unwrap();
    assert!(
        error.is_invalid_agent_response() && error.message().contains("\"t2\""),
        "{error}"
    );
    // An event that is none.
    let script = plays(vec![stream(
        vec![whole("WORKING"), json!({"somethingElse": {}})],
        Then::Hang,
    )]);
    assert!(
        streamed(&script)
            .await
            .1
            .unwrap()
            .is_invalid_agent_response()
    );
}

#[tokio::test(start_paused = true)]
async fn a_cut_before_the_task_is_named_cannot_be_healed() {
    let script = plays(vec![stream(vec![], Then::Break)]);
    let (_, error) = streamed(&script).await;
    let error = error.unwrap();
    assert!(
        error.message().contains("not known") && error.transport().is_some(),
        "{error}"
    );
    let script = plays(vec![stream(vec![], Then::End)]);
    assert!(
        streamed(&script)
            .await
            .1
            .unwrap()
            .is_invalid_agent_response()
    );
    // Of a subscription the task is known.
    let script = plays(vec![
        stream(vec![], Then::Break),
        stream(
            vec![whole("WORKING"), status_update("COMPLETED")],
            Then::End,
        ),
    ]);
    let (seen, error) = read(
        script
            .client(json_rpc_card())
            .subscribe("t1")
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(seen, ["task Working 0", "Completed"]);
    assert!(error.is_none());
}

#[tokio::test(start_paused = true)]
async fn reconnecting_can_be_turned_off() {
    let script = plays(vec![stream(vec![whole("WORKING")], Then::End)]);
    let client = script.with(
        Client::builder().reconnect(Reconnect::never()),
        json_rpc_card(),
    );
    let (seen, error) = read(client.message("hi").stream().await.unwrap()).await;
    assert_eq!((seen.len(), script.methods().len()), (1, 1));
    assert!(error.unwrap().message().contains("TASK_STATE_WORKING"));
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_message_ends_at_a_question_also_after_a_cut() {
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::Break),
        stream(vec![whole("INPUT_REQUIRED")], Then::Hang),
    ]);
    assert_eq!(
        streamed(&script).await.0,
        ["task Working 0", "InputRequired"]
    );
    // A subscription does not.
    let script = plays(vec![
        stream(vec![whole("WORKING")], Then::Break),
        stream(
            vec![
                whole("INPUT_REQUIRED"),
                status_update("WORKING"),
                status_update("COMPLETED"),
            ],
            Then::Hang,
        ),
    ]);
    let (seen, _) = read(
        script
            .client(json_rpc_card())
            .subscribe("t1")
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(
        seen,
        ["task Working 0", "InputRequired", "Working", "Completed"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_does_not_begin_with_the_task_is_completed_by_it() {
    let script = plays(vec![
        stream(vec![whole("WORKING"), piece("a", "1", false)], Then::Break),
        stream(
            vec![piece("a", "3", true), status_update("COMPLETED")],
            Then::End,
        ),
        answer(task_with("WORKING", &[("a", &["1", "2", "3"])])),
    ]);
    assert_eq!(
        streamed(&script).await.0,
        ["task Working 0", "a=1", "a+23", "Completed"]
    );
    assert_eq!(script.methods(), [SEND, AGAIN, GET]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_again_after_a_cut_is_left_out() {
    let timed = |state: &str, second: u32| {
        let mut update = status_update(state);
        update["statusUpdate"]["status"]["timestamp"] =
            format!("2026-01-01T00:00:{second:02}Z").into();
        update
    };
    let mut now = task_with("WORKING", &[("a", &["x"])]);
    now["status"]["timestamp"] = "2026-01-01T00:00:01Z".into();
    let script = plays(vec![
        stream(
            vec![
                whole("SUBMITTED"),
                timed("WORKING", 1),
                piece("a", "x", false),
            ],
            Then::Break,
        ),
        stream(
            vec![
                json!({"task": now}),
                timed("WORKING", 1),
                piece("a", "x", false),
                timed("COMPLETED", 2),
            ],
            Then::End,
        ),
    ]);
    assert_eq!(
        streamed(&script).await.0,
        ["task Submitted 0", "Working", "a=x", "Completed"]
    );
}
