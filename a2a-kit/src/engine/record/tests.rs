use a2a_wire::types::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn message_with(data: Json) -> Message {
    let mut part = Part::default();
    part.content = Some(Content::Data(Value(data)));
    let mut message = Message::default();
    message.message_id = "m".into();
    message.parts = vec![part];
    message
}

fn kept(change: &Change) -> (u8, Change) {
    let record = change.encode().unwrap();
    (
        record.data[0],
        Change::decode(record.kind, &record.data).unwrap(),
    )
}

fn nested(depth: usize) -> Json {
    (0..depth).fold(json!(1), |inner, _| Json::Array(vec![inner]))
}

#[test]
fn free_values_come_back_as_they_were() {
    for (data, format) in [
        (json!(null), PROTO),
        (json!({}), PROTO),
        (json!([]), PROTO),
        (json!({"a": {}, "b": [], "c": null}), PROTO),
        (json!([1, -1, 0, 9_007_199_254_740_992_u64]), PROTO),
        (json!(1.5), PROTO),
        (json!("é😀\u{2028}\u{0}"), PROTO),
        (json!(9_007_199_254_740_993_u64), JSON),
        (json!(-9_007_199_254_740_993_i64), JSON),
        (json!({"deep": [{"in": [u64::MAX, i64::MIN]}]}), JSON),
        (nested(20), PROTO),
        (nested(21), JSON),
        (nested(100), JSON),
    ] {
        let change = Change::Message(message_with(data.clone()));
        let (used, read) = kept(&change);
        assert_eq!(read, change, "{data}");
        assert_eq!(used, format, "{data}");
    }
}

#[test]
fn an_integer_in_any_metadata_is_kept() {
    let big = || Some(Struct::from([("n", Json::from(u64::MAX))]));
    let mut message = message_with(json!(1));
    message.metadata = big();
    let mut status = TaskStatus::default();
    status.message = Some(message.clone());
    let mut in_part = message_with(json!(1));
    in_part.parts[0].metadata = big();
    let artifact = |metadata: Option<Struct>, part: Part| {
        let mut artifact = Artifact::default();
        artifact.metadata = metadata;
        artifact.parts = vec![part];
        let mut event = TaskArtifactUpdateEvent::default();
        event.artifact = Some(artifact);
        event
    };
    let mut event = artifact(None, Part::default());
    event.metadata = big();
    let metadata_only = StatusChange {
        status: TaskStatus::default(),
        metadata: big(),
        news: true,
        rests: false,
        author: Author::Engine,
    };
    for change in [
        Change::Message(message),
        Change::Message(in_part.clone()),
        Change::Status(StatusChange {
            status,
            metadata: None,
            news: false,
            rests: true,
            author: Author::Turn(3),
        }),
        Change::Status(metadata_only),
        Change::Artifact(artifact(big(), Part::default())),
        Change::Artifact(artifact(None, in_part.parts[0].clone())),
        Change::Artifact(event),
    ] {
        let (format, read) = kept(&change);
        assert_eq!((format, read), (JSON, change));
    }
}

#[test]
fn a_value_that_could_not_be_read_again_is_refused_at_once() {
    for depth in [126, 128, 129, 2000] {
        let error = Change::Message(message_with(nested(depth)))
            .encode()
            .unwrap_err();
        assert!(
            error.message().contains("cannot be kept"),
            "{depth}: {error}"
        );
    }
}

#[test]
fn kinds_tell_what_a_store_must_know() {
    let status = |message: Option<Message>| {
        let mut status = TaskStatus::default();
        status.message = message;
        Change::Status(StatusChange {
            status,
            metadata: None,
            news: false,
            rests: false,
            author: Author::Engine,
        })
    };
    let kind = |change: &Change| change.encode().unwrap().kind;
    assert_eq!(kind(&status(None)), Kind::Status);
    assert_eq!(kind(&status(Some(message_with(json!(1))))), Kind::Said);
    assert_eq!(
        kind(&Change::Message(message_with(json!(1)))),
        Kind::Message
    );
    assert_eq!(
        kind(&Change::Artifact(TaskArtifactUpdateEvent::default())),
        Kind::Artifact
    );
    assert_eq!(kind(&Change::TakenOver), Kind::Mark);
    assert_eq!(kept(&Change::TakenOver).1, Change::TakenOver);
    assert_eq!(Change::TakenOver.event("t", "c"), None);
}

#[test]
fn clients_see_nothing_of_who_has_written_a_status() {
    let mut status = TaskStatus::default();
    status.state = TaskState::Working as i32;
    let by = |author| {
        let status = status.clone();
        Change::Status(StatusChange {
            status,
            metadata: None,
            news: false,
            rests: false,
            author,
        })
    };
    let seen = by(Author::Engine).event("t", "c");
    for author in [
        Author::News,
        Author::Question,
        Author::Granted,
        Author::Turn(2),
    ] {
        assert_eq!(kept(&by(author)).1.event("t", "c"), seen, "{author:?}");
    }
}

#[test]
fn broken_records_are_errors() {
    let good = Change::Message(message_with(json!({"a": 1})))
        .encode()
        .unwrap()
        .data;
    for kind in [Kind::Message, Kind::Status, Kind::Said, Kind::Artifact] {
        for bytes in [
            &b""[..],
            b"\x01",
            b"\x00\x00",
            b"\x03\x00",
            b"\x02\x00{",
            b"\x02\x00[]",
            b"\x01\x00\xff",
        ] {
            assert!(
                Change::decode(kind, &Bytes::copy_from_slice(bytes)).is_err(),
                "{bytes:?}"
            );
        }
        for end in 0..good.len() {
            // Cut anywhere, it is an error or something shorter, never a panic.
            let _ = Change::decode(kind, &good.slice(..end));
        }
    }
}

proptest! {
    #[test]
    fn whatever_a_status_says_comes_back(
        state in 0..12_i32,
        text in ".{0,40}",
        (seconds, nanos) in (-62_135_596_800..=253_402_300_799_i64, 0..=999_999_999_i32),
        (news, rests, says) in any::<(bool, bool, bool)>(),
        number in any::<i64>(),
        author in prop_oneof![
            Just(Author::Engine),
            Just(Author::News),
            Just(Author::Question),
            Just(Author::Granted),
            any::<u32>().prop_map(Author::Turn),
        ],
    ) {
        let mut status = TaskStatus::default();
        status.state = state;
        status.timestamp = Some(Timestamp::new(seconds, nanos));
        if says {
            let mut part = Part::default();
            part.content = Some(Content::Text(text));
            let mut message = message_with(Json::from(number));
            message.parts.push(part);
            status.message = Some(message);
        }
        let metadata = news.then(|| Struct::from([("n", Json::from(number))]));
        let change = Change::Status(StatusChange { status, metadata, news, rests, author });
        prop_assert_eq!(kept(&change).1, change);
    }
}
