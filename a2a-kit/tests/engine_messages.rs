//! Messages: direct answers, tasks, turns, blocking and not (specification 3.1.1, 3.2.2, 3.4).

mod support;

use a2a_kit::agent::{Reply, TaskContext, artifact};
use a2a_kit::v1_0::{Role, SendMessageRequest, TaskState, send_message_response};
use a2a_kit::{A2aService, Error};
use support::*;

/// Asks for the region once, then reports.
async fn diligence(task: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    if task.history().is_empty() {
        return Ok(Reply::input_required("Which region?"));
    }
    task.working("Looking it up").await?;
    let said: Vec<String> = task.history().iter().map(text).collect();
    let report = artifact("report", format!("{} / {}", said.join(" / "), task.text()));
    Ok(Reply::completed()
        .with_artifact(report)
        .with_message("Done"))
}

fn no_task(result: &Result<a2a_kit::v1_0::Task, Error>) -> &Error {
    result.as_ref().unwrap_err()
}

#[tokio::test]
async fn a_task_is_answered_with_its_result() {
    let engine = engine(echo);
    let task = send(&engine, request("ping")).await.unwrap();
    assert_eq!(
        (state(&task), said(&task).as_str()),
        (TaskState::Completed, "ping")
    );
    assert_eq!(history(&task), ["user: ping"]);
    assert!(!task.id.is_empty() && !task.context_id.is_empty());
    let user = &task.history[0];
    assert_eq!(
        (&user.task_id, &user.context_id),
        (&task.id, &task.context_id)
    );
    let message = task.status.as_ref().unwrap().message.as_ref().unwrap();
    assert_eq!(
        (message.role(), &message.task_id, &message.context_id),
        (Role::Agent, &task.id, &task.context_id)
    );
    assert!(!message.message_id.is_empty());
    assert!(task.status.as_ref().unwrap().timestamp.is_some());
}

#[tokio::test]
async fn a_direct_answer_makes_no_task_and_its_stream_has_one_event() {
    let engine = engine(echo);
    let mut hello = request("hello");
    hello.message.as_mut().unwrap().context_id = "c-9".into();
    let response = engine.send_message(call(), hello.clone()).await.unwrap();
    let Some(send_message_response::Payload::Message(answer)) = &response.payload else {
        panic!("{response:?}")
    };
    assert_eq!(
        (
            text(answer).as_str(),
            answer.role(),
            answer.context_id.as_str()
        ),
        ("hello to you", Role::Agent, "c-9")
    );
    assert!(answer.task_id.is_empty() && !answer.message_id.is_empty());
    // The context is the agent's, when the client names none.
    let response = engine.send_message(call(), request("hello")).await.unwrap();
    let Some(send_message_response::Payload::Message(answer)) = &response.payload else {
        panic!("{response:?}")
    };
    assert!(!answer.context_id.is_empty());
    assert_eq!(
        read_all(open_stream(&engine, hello).await.unwrap()).await,
        ["message hello to you"]
    );
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn a_refused_message_makes_no_task() {
    let engine = engine(echo);
    let error = send(&engine, request("nonsense")).await.unwrap_err();
    assert_eq!(error.violations()[0].field, "message.parts[0].text");
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn what_a_message_must_have_is_checked_with_its_path() {
    let engine = engine(echo);
    let broken = |change: &dyn Fn(&mut SendMessageRequest)| {
        let mut request = request("x");
        change(&mut request);
        request
    };
    for (request, field) in [
        (broken(&|request| request.message = None), "message"),
        (
            broken(&|request| request.message.as_mut().unwrap().message_id.clear()),
            "message.messageId",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().parts.clear()),
            "message.parts",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().parts[0].content = None),
            "message.parts[0]",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().role = 0),
            "message.role",
        ),
        (
            broken(&|request| request.message.as_mut().unwrap().role = Role::Agent as i32),
            "message.role",
        ),
        (
            broken(&|request| config(request).history_length = Some(-1)),
            "configuration.historyLength",
        ),
        (
            broken(&|request| {
                request.message.as_mut().unwrap().reference_task_ids = vec!["t".into(); 65];
            }),
            "message.referenceTaskIds",
        ),
    ] {
        let error = send(&engine, request).await.unwrap_err();
        assert_eq!(
            (error.json_rpc_code(), error.violations()[0].field.as_str()),
            (-32602, field)
        );
    }
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn two_turns_end_in_a_report() {
    let engine = engine(diligence);
    let first = send(&engine, request("Check Star River Tech"))
        .await
        .unwrap();
    assert_eq!(
        (state(&first), said(&first).as_str()),
        (TaskState::InputRequired, "Which region?")
    );
    let second = send(&engine, to_task(&first.id, "region: China"))
        .await
        .unwrap();
    assert_eq!(
        (&second.id, &second.context_id),
        (&first.id, &first.context_id)
    );
    assert_eq!(state(&second), TaskState::Completed);
    assert_eq!(
        history(&second),
        [
            "user: Check Star River Tech",
            "agent: Which region?",
            "user: region: China",
            "agent: Looking it up"
        ]
    );
    assert_eq!(
        artifact_texts(&second, 0),
        ["Check Star River Tech / Which region? / region: China"]
    );
    assert_eq!(*get(&engine, &first.id).await.unwrap(), second);
}

#[tokio::test]
async fn a_context_is_made_kept_or_inferred() {
    let engine = engine(diligence);
    // Kept, as the client chose it, and not replaced.
    let mut own = request("Check A");
    own.message.as_mut().unwrap().context_id = "c-9".into();
    let kept = send(&engine, own.clone()).await.unwrap();
    assert_eq!(kept.context_id, "c-9");
    // A new task in an old context.
    let other = send(&engine, own).await.unwrap();
    assert_eq!(other.context_id, "c-9");
    assert_ne!(other.id, kept.id);
    // Inferred from the task.
    let answered = send(&engine, to_task(&kept.id, "region: China"))
        .await
        .unwrap();
    assert_eq!(answered.context_id, "c-9");
    // Made, and another one each time.
    let made = [
        send(&engine, request("Check B")).await.unwrap(),
        send(&engine, request("Check B")).await.unwrap(),
    ];
    assert_ne!(made[0].context_id, made[1].context_id);
}

#[tokio::test]
async fn a_wrong_pair_of_task_and_context_is_refused_before_anything_is_written() {
    let engine = engine(diligence);
    let task = send(&engine, request("Check A")).await.unwrap();
    let mut wrong = to_task(&task.id, "region: China");
    wrong.message.as_mut().unwrap().context_id = "another".into();
    for _ in 0..2 {
        let error = send(&engine, wrong.clone()).await.unwrap_err();
        assert_eq!(
            (error.json_rpc_code(), error.violations()[0].field.as_str()),
            (-32602, "message.contextId")
        );
    }
    assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
    // The right pair goes on.
    wrong.message.as_mut().unwrap().context_id = task.context_id.clone();
    assert_eq!(
        state(&send(&engine, wrong).await.unwrap()),
        TaskState::Completed
    );
}

#[tokio::test]
async fn an_unknown_task_id_never_makes_a_task() {
    let engine = engine(echo);
    let long = "x".repeat(10_000);
    for id in ["nope", "urn:x:7", "\u{0}\n", &long] {
        let result = send(&engine, to_task(id, "hi")).await;
        assert!(no_task(&result).is_task_not_found());
        assert!(no_task(&result).message().len() < 600);
        assert!(
            open_stream(&engine, to_task(id, "hi"))
                .await
                .err()
                .unwrap()
                .is_task_not_found()
        );
    }
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
    assert_eq!(engine.live_tasks(), 0);
}

#[tokio::test]
async fn a_message_to_a_finished_task_is_unsupported() {
    let engine = engine(echo);
    let task = send(&engine, request("ping")).await.unwrap();
    let error = send(&engine, to_task(&task.id, "more")).await.unwrap_err();
    assert!(error.is_unsupported_operation());
    assert_eq!(error.json_rpc_code(), -32004);
    assert!(
        open_stream(&engine, to_task(&task.id, "more"))
            .await
            .err()
            .unwrap()
            .is_unsupported_operation()
    );
    assert_eq!(*get(&engine, &task.id).await.unwrap(), task);
}

#[tokio::test]
async fn referenced_tasks_must_be_visible_and_reach_the_agent() {
    let engine = engine(|task: TaskContext| async move {
        let referenced = task.referenced_tasks().await?;
        let said: Vec<String> = referenced.iter().map(|task| said(task)).collect();
        Ok(Reply::completed().with_message(format!("{} {said:?}", task.text())))
    });
    let first = send(&engine, request("one")).await.unwrap();
    let mut refers = request("two");
    refers.message.as_mut().unwrap().reference_task_ids = vec![first.id.clone()];
    let second = send(&engine, refers.clone()).await.unwrap();
    assert_eq!(said(&second), r#"two ["one []"]"#);
    // To another caller, the task does not exist.
    let foreign = engine
        .send_message(call_of("mallory"), refers.clone())
        .await
        .unwrap_err();
    refers
        .message
        .as_mut()
        .unwrap()
        .reference_task_ids
        .push("nope".into());
    let missing = send(&engine, refers).await.unwrap_err();
    assert!(foreign.is_task_not_found() && missing.is_task_not_found());
    assert_eq!(
        foreign.message().replace(&first.id, "ID"),
        missing.message().replace("nope", "ID")
    );
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        2
    );
}

#[tokio::test]
async fn a_task_keeps_the_bytes_of_a_file_and_not_the_request_that_they_came_in() {
    let engine = engine(|task: TaskContext| async move {
        let answer = task.ask("Which?").await?;
        Ok(Reply::completed().with_message(text(&answer)))
    });
    let arrived = bytes::Bytes::from(vec![7; 1000]);
    let mut request = request("go");
    let mut file = a2a_kit::v1_0::Part::default();
    file.content = Some(a2a_kit::v1_0::part::Content::Raw(arrived.slice(100..110)));
    request.message.as_mut().unwrap().parts.push(file);
    let parked = send(&engine, request).await.unwrap();
    assert_eq!(state(&parked), TaskState::InputRequired);
    assert!(arrived.is_unique(), "the task holds the whole request");
}
