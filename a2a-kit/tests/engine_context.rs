//! What an agent knows of its task and of what is around it.

mod support;

use std::sync::{Arc, Mutex};

use a2a_kit::A2aService as _;
use a2a_kit::agent::{Reply, TaskContext, artifact};
use a2a_kit::v1_0::TaskState;
use support::*;

#[tokio::test]
async fn each_turn_has_an_operation_id_of_its_own() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = Arc::clone(&seen);
    let engine = engine(move |task: TaskContext| {
        note.lock().unwrap().push(task.operation_id().to_owned());
        async { Ok(Reply::input_required("more?")) }
    });
    for _ in 0..2 {
        let task = send(&engine, request("one")).await.unwrap();
        // The same message twice is two turns.
        let again = to_task(&task.id, "two");
        send(&engine, again.clone()).await.unwrap();
        send(&engine, again).await.unwrap();
    }
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    assert!(seen.iter().all(|id| id.len() > 36), "{seen:?}");
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 6);
}

#[tokio::test]
async fn earlier_turns_are_messages_with_what_was_said_to_them() {
    let engine = engine(|task: TaskContext| async move {
        task.working("thinking").await?;
        let turns: Vec<String> = task
            .turns()
            .map(|turn| {
                let question = turn.question().map(text).unwrap_or_default();
                format!("{} -> {} {question}", turn.text(), turn.replies().len())
            })
            .collect();
        Ok(Reply::input_required(format!("{turns:?}")))
    });
    let task = send(&engine, request("one")).await.unwrap();
    assert_eq!(said(&task), "[]");
    let task = send(&engine, to_task(&task.id, "two")).await.unwrap();
    assert_eq!(said(&task), r#"["one -> 2 []"]"#);
    let task = send(&engine, to_task(&task.id, "three")).await.unwrap();
    assert_eq!(
        said(&task),
        r#"["one -> 2 []", "two -> 2 [\"one -> 2 []\"]"]"#
    );
}

#[tokio::test]
async fn other_tasks_of_the_context_are_seen_by_their_owner() {
    let engine = engine(|task: TaskContext| async move {
        if task.text() == "make" {
            return Ok(Reply::completed().with_artifact(artifact("made", "it")));
        }
        let limit = task.text().parse()?;
        let others = task.context_tasks(limit).await?;
        assert!(others.iter().all(|other| other.id != task.task_id()));
        assert!(
            others
                .iter()
                .all(|other| other.artifacts.len() == 1 && other.history.len() == 1)
        );
        Ok(Reply::completed().with_message(others.len().to_string()))
    });
    let ask = async |owner: &str, words: &str, context: &str| {
        let mut asked = request(words);
        asked.message.as_mut().unwrap().context_id = context.into();
        let answer = engine.send_message(call_of(owner), asked).await.unwrap();
        match answer.payload.clone() {
            Some(a2a_kit::v1_0::send_message_response::Payload::Task(task)) => {
                assert_eq!(state(&task), TaskState::Completed);
                said(&task)
            }
            other => panic!("{other:?}"),
        }
    };
    for (owner, context) in [("ada", "c"), ("ada", "c"), ("ada", "d"), ("bob", "c")] {
        ask(owner, "make", context).await;
    }
    assert_eq!(ask("ada", "9", "c").await, "2");
    assert_eq!(ask("bob", "9", "c").await, "1");
    assert_eq!(ask("bob", "9", "d").await, "0");
    assert_eq!(ask("ada", "1", "d").await, "1");
    assert_eq!(ask("ada", "0", "d").await, "0");
}

#[tokio::test]
async fn what_the_client_can_take_is_compared_as_media_types_are() {
    let engine = engine(|task: TaskContext| async move {
        let accepts: Vec<&str> = ["text/plain", "application/json", "image/png"]
            .into_iter()
            .filter(|media_type| task.accepts(media_type))
            .collect();
        Ok(Reply::completed().with_message(accepts.join(" ")))
    });
    for (modes, expected) in [
        (&[][..], "text/plain application/json image/png"),
        (&["Application/JSON; charset=utf-8"], "application/json"),
        (&["image/*", "text/plain"], "text/plain image/png"),
        (&["*/*"], "text/plain application/json image/png"),
        (&["audio/ogg"], ""),
    ] {
        let mut asked = request("go");
        config(&mut asked).accepted_output_modes = modes.iter().map(ToString::to_string).collect();
        assert_eq!(
            said(&send(&engine, asked).await.unwrap()),
            expected,
            "{modes:?}"
        );
    }
}

#[tokio::test]
async fn extensions_are_those_of_the_call() {
    let engine = engine(|task: TaskContext| async move {
        task.call().activate_extension("urn:two");
        let seen = format!("{:?} {:?}", task.extensions(), task.activated_extensions());
        Ok(Reply::completed().with_message(seen))
    });
    let call = call().with_extensions(vec!["urn:one".into(), "urn:two".into()]);
    let answer = engine.send_message(call, request("go")).await.unwrap();
    let Some(a2a_kit::v1_0::send_message_response::Payload::Task(task)) = &answer.payload else {
        panic!("{answer:?}")
    };
    assert_eq!(said(task), r#"["urn:one", "urn:two"] ["urn:two"]"#);
}
