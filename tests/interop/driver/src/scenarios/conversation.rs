//! The conversation in two turns.

use a2a_kit::types::Struct;
use a2a_kit::v1_0::{Part, Task, TaskState};
use a2a_kit::{Binding, Parts};
use serde_json::json;

use crate::report::{Checked, Played, ensure, equal, in_order};
use crate::script::{ARTIFACT, AWKWARD, CHINESE, ENGLISH, Script, said};
use crate::session::Session;

pub(super) async fn chinese(session: &Session) -> Played {
    converse(session, &CHINESE, true).await.map(drop)
}

pub(super) async fn english(session: &Session) -> Played {
    // The answer names the task alone: its context is for the agent to know.
    converse(session, &ENGLISH, false).await.map(drop)
}

/// Plays both turns; hands out the task as `GetTask` sees it after them.
pub(super) async fn converse(
    session: &Session,
    script: &Script,
    with_context: bool,
) -> Played<Task> {
    let steps = &session.steps;
    let asked = steps
        .step(
            &format!("{:?} asks for the region", script.request),
            async {
                let turn = session.send(session.say(script.request)).await?;
                ensure(!turn.task.id.is_empty(), || "the task has no id".to_owned())?;
                ensure(!turn.task.context_id.is_empty(), || {
                    "the task has no context".to_owned()
                })?;
                equal("state", turn.state(), TaskState::InputRequired)?;
                equal("artifacts before the report", turn.task.artifacts.len(), 0)?;
                script.check_question(&turn.task)?;
                Ok(turn.task)
            },
        )
        .await?;

    steps
        .step(&format!("{:?} leads to the report", script.answer), async {
            let mut answer = session.say(script.answer);
            if with_context {
                answer = answer.in_context(&asked.context_id);
            }
            let turn = session.go_on(&asked, answer).await?;
            equal("task id", &turn.task.id, &asked.id)?;
            equal("context id", &turn.task.context_id, &asked.context_id)?;
            equal("state", turn.state(), TaskState::Completed)?;
            if session.streaming {
                in_order(
                    &turn.trail,
                    &["WORKING", &format!("artifact {ARTIFACT}"), "COMPLETED"],
                )?;
                equal(
                    "the stream's last word",
                    turn.last_word(),
                    Some("COMPLETED"),
                )?;
            }
            script.check_report(&turn.task)
        })
        .await?;

    steps
        .step("GetTask shows the same", async {
            let task = session.client.get_task(&asked.id).await?;
            equal("task id", &task.id, &asked.id)?;
            equal("context id", &task.context_id, &asked.context_id)?;
            equal("state", task.state(), TaskState::Completed)?;
            let timestamp = task
                .status
                .as_ref()
                .and_then(|status| status.timestamp.as_ref());
            equal(
                "whether there is a timestamp",
                timestamp.is_some(),
                !session.tells_little(),
            )?;
            equal(
                "what the user said",
                said(&task),
                [script.request, script.answer],
            )?;
            script.check_report(&task)?;
            Ok(task)
        })
        .await
}

pub(super) async fn awkward(session: &Session) -> Played {
    let steps = &session.steps;
    steps
        .step("awkward characters come back as they were sent", async {
            let mut metadata = json!({ "note": AWKWARD, "list": [0.5, null, true, {"k": -1.5}] });
            let mut wanted = metadata.clone();
            if session.drops_details() && session.binding == Binding::Grpc {
                wanted["list"][1] = 0.into();
            }
            let wanted: Struct = serde_json::from_value(wanted)?;
            let metadata: Struct = serde_json::from_value(metadata.take())?;
            let id = format!("m 1/{AWKWARD}");
            let mut message = session.say(CHINESE.request).id(&id);
            for (key, value) in &metadata.0 {
                message = message.message_metadata(key, value.clone());
            }
            let turn = session.send(message).await?;
            let stored = session.client.get_task(&turn.task.id).await?;
            for (place, task) in [("the answer", &turn.task), ("GetTask", &stored)] {
                check_first(task, &id, &wanted).map_err(|fault| fault.within(place))?;
            }
            Ok(())
        })
        .await
}

fn check_first(task: &Task, message_id: &str, metadata: &Struct) -> Checked {
    ensure(!task.history.is_empty(), || {
        "there is no history".to_owned()
    })?;
    let first = &task.history[0];
    equal("message id", first.message_id.as_str(), message_id)?;
    equal("metadata", first.metadata.as_ref(), Some(metadata))
}

pub(super) async fn content(session: &Session) -> Played {
    session
        .steps
        .step("content of every kind comes back as it was sent", async {
            let card = session.client.card();
            let mut file = Parts::file(
                "营业执照.txt",
                "text/plain",
                vec![0, 0xff, 0xfe, b'\n', 0x80],
            );
            let mut link = Part::new()
                .with_url("https://client.example/星河?a=b&c")
                .with_media_type("text/plain");
            if !session.drops_details() {
                file.0[0].metadata = Some(serde_json::from_value(json!({ "pages": 2.5 }))?);
                link.filename = "a.html".to_owned();
            }
            let mut data = Part::new()
                .with_data(json!({ "score": 0.25, "tags": ["a", { "b": false }], "名": "" }));
            let mut parts = vec![link];
            if !session.tells_little() {
                parts.extend(file.0);
            }
            if !session.peer.is_old() {
                // Called text, because that is all that some cards take.
                data.media_type = "text/plain".to_owned();
            }
            if !session.peer.is_old()
                || card
                    .default_input_modes
                    .iter()
                    .any(|mode| mode == "application/json")
            {
                parts.push(data);
            }
            let message = session.say(CHINESE.request).and(Parts(parts.clone()));
            let turn = session.send(message).await?;
            let mut wanted = Parts::from(CHINESE.request).and(Parts(parts)).0;
            if session.drops_details() {
                wanted.iter_mut().for_each(|part| part.filename.clear());
            }
            let stored = session.client.get_task(&turn.task.id).await?;
            for (place, task) in [("the answer", &turn.task), ("GetTask", &stored)] {
                let parts = task.history.first().map(|message| &message.parts);
                equal("the parts", parts, Some(&wanted)).map_err(|fault| fault.within(place))?;
            }
            Ok(())
        })
        .await
}
