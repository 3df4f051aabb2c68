use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{Part, TaskStatus};
use proptest::prelude::*;

use super::*;
use crate::store::{History, Limit, MemoryStore, Scope, Select, Store};

fn part(text: &str) -> Part {
    let mut part = Part::default();
    part.content = Some(Content::Text(text.into()));
    part
}

fn message(text: &str) -> Message {
    let mut message = Message::default();
    message.message_id = text.into();
    message.parts = vec![part(text)];
    message
}

fn said(text: &str) -> Change {
    Change::Message(message(text))
}

fn status(state: TaskState, text: Option<&str>) -> Change {
    let mut status = TaskStatus::default();
    status.state = state as i32;
    status.message = text.map(message);
    Change::Status(StatusChange {
        status,
        metadata: None,
        news: false,
        rests: false,
        author: Author::Engine,
    })
}

fn piece(id: &str, text: &str, append: bool, last_chunk: bool) -> Change {
    let mut artifact = Artifact::default();
    artifact.artifact_id = id.into();
    artifact.parts = vec![part(text)];
    let mut event = TaskArtifactUpdateEvent::default();
    event.artifact = Some(artifact);
    event.append = append;
    event.last_chunk = last_chunk;
    Change::Artifact(event)
}

fn folded(changes: impl IntoIterator<Item = Change>) -> Folded {
    let mut folded = Folded::new("t", "c");
    for change in changes {
        folded.apply(change);
    }
    folded
}

fn history(task: &Task) -> Vec<&str> {
    task.history
        .iter()
        .map(|message| message.message_id.as_str())
        .collect()
}

#[test]
fn history_is_in_the_order_in_which_things_were_said() {
    let task = folded([
        said("u1"),
        status(TaskState::Submitted, None),
        status(TaskState::Working, Some("a1")),
        said("u2"),
        status(TaskState::Working, Some("a2")),
        status(TaskState::InputRequired, Some("a3")),
        said("u3"),
        status(TaskState::Working, None),
        status(TaskState::Completed, Some("a4")),
    ])
    .task;
    assert_eq!(history(&task), ["u1", "a1", "u2", "a2", "a3", "u3"]);
    let last = task.status.as_ref().unwrap().message.as_ref().unwrap();
    assert_eq!(
        (
            last.message_id.as_str(),
            last.task_id.as_str(),
            last.context_id.as_str()
        ),
        ("a4", "t", "c")
    );
    assert!(
        task.history
            .iter()
            .all(|message| message.task_id == "t" && message.context_id == "c")
    );
}

#[test]
fn pieces_are_appended_and_artifacts_replaced() {
    let folded = folded([
        piece("a", "1", false, false),
        piece("b", "x", false, true),
        piece("a", "2", true, false),
        piece("a", "3", true, true),
        piece("b", "y", false, true),
    ]);
    let texts = |at: usize| folded.task.artifacts[at].parts.clone();
    assert_eq!(texts(0), [part("1"), part("2"), part("3")]);
    assert_eq!(texts(1), [part("y")]);
    let fault = |id: &str, append| {
        let mut artifact = Artifact::default();
        artifact.artifact_id = id.into();
        artifact.parts = vec![part("x")];
        folded.artifact_fault(&artifact, append)
    };
    assert!(fault("a", true).unwrap().contains("after its last chunk"));
    assert!(fault("c", true).unwrap().contains("never begun"));
    assert_eq!((fault("a", false), fault("c", false)), (None, None));
}

fn change() -> impl Strategy<Value = Change> {
    let state = prop_oneof![
        Just(TaskState::Working),
        Just(TaskState::InputRequired),
        Just(TaskState::AuthRequired),
        Just(TaskState::Submitted),
    ];
    prop_oneof![
        "[a-z]{1,3}".prop_map(|text| said(&text)),
        (state, proptest::option::of("[a-z]{1,3}"))
            .prop_map(|(state, text)| status(state, text.as_deref())),
        ("[ab]", "[a-z]{0,3}", any::<(bool, bool)>())
            .prop_map(|(id, text, (append, last))| piece(&id, &text, append, last)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A task is the same whether it is folded as things happen, from the log, from a snapshot, or
    /// from what compaction has left; and limited history is the end of the whole one.
    #[test]
    fn every_way_to_a_task_leads_to_the_same_task(changes in proptest::collection::vec(change(), 0..30), limit in 0..8_u32) {
        let changes = [vec![said("first"), status(TaskState::Submitted, None)], changes].concat();
        let whole = folded(changes.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (from_log, all, some, compacted, some_compacted) = runtime.block_on(async {
            let (store, scope) = (MemoryStore::new(), Scope::new("", ""));
            let batch = changes.iter().map(|change| change.encode().unwrap()).collect();
            store.append(&scope, "t", 0, batch, whole.index_after(&[])).await.unwrap();
            let log = store.read_log(&scope, "t", 0, Limit { records: 1000, bytes: usize::MAX }).await.unwrap();
            let from_log = folded(log.records.iter().map(|record| Change::decode(record.kind, &record.data).unwrap()));
            let read = async |select| Folded::load("t", &store.snapshot(&scope, "t", select).await.unwrap().unwrap()).unwrap();
            let some = Select { history: History::Last(limit), artifacts: false };
            let (all_before, some_before) = (read(Select::ALL).await, read(some).await);
            prop_assert!(store.compact(&scope, "t", whole.sequence, whole.compacted().unwrap()).await.unwrap());
            Ok((from_log, all_before, some_before, read(Select::ALL).await, read(some).await))
        })?;
        prop_assert_eq!(&from_log.task, &whole.task);
        prop_assert_eq!(&all.task, &whole.task);
        prop_assert_eq!(&compacted.task, &whole.task);
        prop_assert_eq!((all.sequence, compacted.sequence), (whole.sequence, whole.sequence));
        let expected = newest(&whole.task.history, Some(limit));
        for some in [some, some_compacted] {
            prop_assert_eq!(&some.task.history[..], expected);
            prop_assert_eq!(&some.task.status, &whole.task.status);
            prop_assert!(some.task.artifacts.is_empty());
        }
        prop_assert_eq!(whole.view(Some(limit)).history, expected);
    }
}
