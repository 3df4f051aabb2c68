use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{TaskArtifactUpdateEvent, TaskStatus};

use super::*;

fn words(text: &str) -> Vec<Part> {
    let mut part = Part::default();
    part.content = Some(Content::Text(text.into()));
    vec![part]
}

fn message(text: &str) -> Message {
    let mut message = Message::default();
    message.message_id = text.into();
    message.parts = words(text);
    message
}

fn status(state: TaskState, text: &str, author: Author, rests: bool) -> Change {
    let mut status = TaskStatus::default();
    status.state = state as i32;
    status.message = (!text.is_empty()).then(|| message(text));
    Change::Status(StatusChange {
        status,
        metadata: None,
        news: false,
        rests,
        author,
    })
}

fn piece(id: &str, name: &str, append: bool) -> Change {
    let mut event = TaskArtifactUpdateEvent::default();
    event.append = append;
    event.artifact = Some(named(id, name));
    Change::Artifact(event)
}

fn named(id: &str, name: &str) -> Artifact {
    let mut artifact = Artifact::default();
    artifact.artifact_id = id.into();
    artifact.name = name.into();
    artifact.parts = words("x");
    artifact
}

fn read(changes: impl IntoIterator<Item = Change>) -> Option<Interrupted> {
    let mut reader = Reader {
        folded: Folded::new("t", "c"),
        turn: None,
    };
    for change in changes {
        reader.read(change);
    }
    reader.turn
}

use Author::{Engine, Granted as ByGrant, News, Question as Asks, Turn};
use TaskState::{AuthRequired, InputRequired, Submitted, Working};

#[test]
fn a_turn_begins_with_the_first_message_after_a_rest() {
    let turn = read([
        Change::Message(message("1")),
        status(Submitted, "", Engine, false),
        status(Working, "news", News, false),
        status(InputRequired, "more?", Engine, true),
        Change::Message(message("2")),
        status(Working, "", Engine, false),
        piece("a", "report", false),
        Change::TakenOver,
        Change::Message(message("3")),
    ])
    .unwrap();
    assert_eq!((turn.first.0, &*turn.first.1.message_id), (5, "2"));
    assert_eq!(turn.later.len(), 1);
    assert_eq!((turn.later[0].0, turn.takeovers), (9, 1));
    // As it began: with its own message, in the state that the engine gave it, without what it wrote.
    let said: Vec<_> = turn
        .task
        .history
        .iter()
        .map(|said| &*said.message_id)
        .collect();
    assert_eq!(said, ["1", "news", "more?", "2"]);
    assert_eq!(turn.task.state(), Working);
    assert!(turn.task.artifacts.is_empty());
}

#[test]
fn a_task_at_rest_or_at_its_end_is_in_no_turn() {
    let begun = [
        Change::Message(message("1")),
        status(Submitted, "", Engine, false),
    ];
    for state in [InputRequired, AuthRequired, TaskState::Completed] {
        let log = begun
            .iter()
            .cloned()
            .chain([status(state, "", Engine, true)]);
        assert!(read(log).is_none(), "{state:?}");
    }
    assert!(read(begun).is_some());
}

#[test]
fn messages_that_a_turn_left_begin_the_next_one() {
    let turn = read([
        Change::Message(message("1")),
        status(Submitted, "", Engine, false),
        Change::Message(message("taken")),
        Change::Message(message("left")),
        Change::Message(message("left too")),
        status(Working, "more?", Turn(2), false),
        status(Working, "second turn", News, false),
    ])
    .unwrap();
    assert_eq!((turn.first.0, &*turn.first.1.message_id), (4, "left"));
    assert_eq!(turn.later[0].1.message_id, "left too");
    let mut past = turn.past;
    assert!(past.news(Working));
    assert!(!past.news(Working));
}

#[test]
fn questions_are_known_by_place_and_words() {
    let turn = read([
        Change::Message(message("1")),
        status(Submitted, "", Engine, false),
        status(AuthRequired, "sign in", Asks, false),
        status(Working, "", ByGrant, false),
        status(InputRequired, "name?", Asks, false),
        Change::Message(message("Ada")),
        status(Working, "", Engine, false),
        status(InputRequired, "age?", Asks, false),
    ])
    .unwrap();
    let mut past = turn.past;
    assert_eq!(past.question(&words("sign in")), Ok(Asked::Granted));
    assert_eq!(past.question(&words("name?")), Ok(Asked::Before));
    assert_eq!(past.question(&words("height?")), Err(()));
    assert_eq!(past.question(&words("height?")), Ok(Asked::Never));
    // What the engine said as messages came in is no news of the agent.
    assert!(!past.news(Working));
}

#[test]
fn artifacts_keep_the_ids_that_they_got_first() {
    let turn = read([
        Change::Message(message("1")),
        status(Submitted, "", Engine, false),
        piece("old", "poem", false),
        piece("fixed", "other name", false),
        piece("old", "", true),
    ])
    .unwrap();
    let mut past = turn.past;
    let mut write = |id: &str, name: &str, append| {
        let mut artifact = named(id, name);
        let known = past.artifact(&mut artifact, append);
        (known, artifact.artifact_id)
    };
    assert_eq!(write("fixed", "a new name", false), (true, "fixed".into()));
    assert_eq!(write("new", "poem", false), (true, "old".into()));
    assert_eq!(write("new", "", true), (true, "old".into()));
    // What comes now is written, to the same artifact.
    assert_eq!(write("new", "", true), (false, "old".into()));
    assert_eq!(write("another", "poem", false), (false, "another".into()));
}

#[test]
fn artifacts_without_an_id_are_not_taken_for_each_other() {
    let turn = read([
        Change::Message(message("1")),
        status(Submitted, "", Engine, false),
        piece("first", "poem", false),
    ])
    .unwrap();
    let mut past = turn.past;
    let mut write = |name: &str| {
        let mut artifact = named("", name);
        let known = past.artifact(&mut artifact, false);
        (known, artifact.artifact_id)
    };
    assert_eq!(write("poem"), (true, "first".into()));
    // It gets an id of its own later.
    assert_eq!(write("summary"), (false, String::new()));
}
