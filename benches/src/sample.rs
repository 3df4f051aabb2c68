//! The task that is read and written: 50 messages and 10 artifacts of a few hundred bytes each,
//! with all kinds of parts.

use a2a_wire::WireMessage as _;
use a2a_wire::types::{Struct, Timestamp};
use a2a_wire::v1_0::{Artifact, Message, Part, Role, Task, TaskState, TaskStatus};
use serde_json::json;

use crate::derived;

/// The task.
#[must_use]
pub fn task() -> Task {
    let status = TaskStatus::new()
        .with_state(TaskState::Completed)
        .with_message(message(50))
        .with_timestamp(Timestamp::new(1_767_310_445, 678_000_000));
    Task::new()
        .with_id("task-5b0c4d1e-9a51-4c1b-a8f5-0d5b2f4e7a10")
        .with_context_id("context-7d3f6a2b")
        .with_status(status)
        .with_history((0..50).map(message))
        .with_artifacts((0..10).map(artifact))
        .with_metadata(object(
            json!({"priority": 3, "labels": ["supplier", "due diligence"]}),
        ))
}

/// The task with but one kind of part, for each kind: what is slow in one of them would hardly show
/// in the mixture.
pub fn kinds() -> impl Iterator<Item = (&'static str, Task)> {
    KINDS.iter().map(|(name, part)| {
        let mut task = task();
        for (index, message) in task.history.iter_mut().enumerate() {
            message.parts = vec![part(index)];
            message.metadata = None;
            message.extensions.clear();
        }
        for (index, artifact) in task.artifacts.iter_mut().enumerate() {
            artifact.parts = vec![part(index)];
            artifact.metadata = None;
        }
        (*name, task)
    })
}

type Kind = (&'static str, fn(usize) -> Part);

const KINDS: &[Kind] = &[
    ("short text", |index| {
        Part::text(format!("{index}: received"))
    }),
    ("long text", |index| {
        Part::text(format!("{index}: {}", "It has two owners. ".repeat(20)))
    }),
    ("Chinese text", |index| {
        Part::text(format!("{index}：{}", "请尽调星河科技。".repeat(20)))
    }),
    ("text with escapes", |index| {
        Part::text(format!("{index}: {}", "a \"b\",\n\tc; ".repeat(30)))
    }),
    ("short bytes", |index| Part::raw(vec![index as u8; 200])),
    ("long bytes", |index| Part::raw(vec![index as u8; 20_000])),
    ("flat data", |index| {
        Part::data(json!({"a": index, "b": "text", "c": 1.5, "d": true, "e": null}))
    }),
    ("nested data", |index| {
        let rows: Vec<_> = (0..20)
            .map(|row| json!({"row": row, "of": index, "name": "x"}))
            .collect();
        Part::data(json!({"rows": rows}))
    }),
    ("whole numbers", |index| {
        Part::data(
            (0..60)
                .map(|row| row * 1_234_567 + index)
                .collect::<serde_json::Value>(),
        )
    }),
    ("numbers", |index| {
        Part::data(
            (0..60)
                .map(|row| row as f64 * 0.37 + index as f64)
                .collect::<serde_json::Value>(),
        )
    }),
];

/// The task as JSON.
///
/// # Panics
/// When it cannot be written: then there is nothing to measure.
#[must_use]
pub fn json(task: &Task) -> Vec<u8> {
    let mut out = Vec::new();
    task.write_json(&mut out).expect("the task has a JSON form");
    out
}

/// The task as `serde` derives it, from its JSON.
///
/// # Panics
/// When it is not the same task. Then the two do different work, and a ratio would mean nothing.
#[must_use]
pub fn derived(json: &[u8]) -> derived::Task {
    let task: derived::Task =
        serde_json::from_slice(json).expect("the derived shape reads our JSON");
    let ours: serde_json::Value = serde_json::from_slice(json).expect("our JSON is JSON");
    let theirs = serde_json::to_value(&task).expect("the derived shape has a JSON form");
    assert_eq!(
        ours, theirs,
        "the derived shape reads and writes what we do"
    );
    task
}

fn object(value: serde_json::Value) -> Struct {
    match value {
        serde_json::Value::Object(map) => Struct(map),
        other => unreachable!("{other} is no object"),
    }
}

fn message(index: usize) -> Message {
    let role = if index.is_multiple_of(2) {
        Role::User
    } else {
        Role::Agent
    };
    let message = Message::new()
        .with_message_id(format!("message-{index:04}-4c1b-a8f5"))
        .with_context_id("context-7d3f6a2b")
        .with_task_id("task-5b0c4d1e-9a51-4c1b-a8f5-0d5b2f4e7a10")
        .with_role(role)
        .with_parts(parts(index));
    match index % 5 {
        0 => message.with_metadata(object(
            json!({"trace": format!("00-{index:032x}-01"), "attempt": index}),
        )),
        1 => message.with_extensions(["https://example.com/extensions/citations/v1"]),
        _ => message,
    }
}

fn artifact(index: usize) -> Artifact {
    Artifact::new()
        .with_artifact_id(format!("artifact-{index:04}"))
        .with_name(format!("Report {index}"))
        .with_description("What was found out about the supplier, with its sources")
        .with_parts(parts(index))
        .with_metadata(object(json!({"pages": index + 1, "draft": false})))
}

fn parts(index: usize) -> Vec<Part> {
    match index % 4 {
        0 => vec![Part::text(format!(
            "Please check the supplier no. {index}.\nIt is called \"Star River Tech\" (星河科技) and has its seat \
             in Shenzhen. We need the register entry, the names of those who own more than a quarter of it, \
             and whether any of them is on a list of sanctions."
        ))],
        1 => vec![
            Part::text(format!("Here is what the register says about no. {index}.")),
            Part::data(json!({
                "supplier": "Star River Tech",
                "region": "China",
                "registered": 2009 + index,
                "score": 0.125 * index as f64,
                "listed": false,
                "owners": [{"name": "Li Na", "share": 0.41}, {"name": "Zhang Wei", "share": 0.27}],
            })),
        ],
        2 => {
            let mut excerpt = Part::raw(
                (0..180_u8)
                    .map(|byte| byte.wrapping_mul(37))
                    .collect::<Vec<_>>(),
            )
            .with_metadata(object(json!({"sha256": format!("{index:064x}")})));
            excerpt.filename = format!("excerpt-{index}.pdf");
            excerpt.media_type = "application/pdf".to_owned();
            vec![excerpt]
        }
        _ => {
            let mut link = Part::url(format!(
                "https://example.com/files/{index}/report.pdf?version=3"
            ));
            link.media_type = "application/pdf".to_owned();
            vec![
                link,
                Part::text(
                    "The report is too large to be sent here; the link above is good for one day.\n\
                     Its conclusion: no entry on any list, two owners, accounts filed in time.",
                ),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_task_has_the_promised_size() {
        let task = task();
        assert_eq!((task.history.len(), task.artifacts.len()), (50, 10));
        let json = json(&task);
        assert!((200..700).contains(&(json.len() / 60)), "{}", json.len());
        assert_eq!(Task::read_json(&json), Ok(task));
        let _ = derived(&json);
    }
}
