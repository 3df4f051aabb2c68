use serde_json::{Value, json};

use super::super::super::script::{piece, status_update, task, task_with};
use super::*;

fn event(value: &Value) -> StreamResponse {
    StreamResponse::read_json(value.to_string().as_bytes()).unwrap()
}

fn seen(events: &[Value]) -> Seen {
    let mut seen = Seen::default();
    for value in events {
        seen.note(&event(value));
    }
    seen
}

fn steps(before: &[Value], now: &Value) -> Vec<Value> {
    let mut seen = seen(before);
    let task = Task::read_json(now.to_string().as_bytes()).unwrap();
    let steps = seen.catch_up(task.clone());
    // Then there is no news in it any more.
    assert_eq!(seen.catch_up(task), Vec::new());
    steps
        .iter()
        .map(|step| serde_json::from_slice(&encode(step)).unwrap())
        .collect()
}

fn encode(event: &StreamResponse) -> Vec<u8> {
    let mut out = Vec::new();
    event.write_json(&mut out).unwrap();
    out
}

fn working() -> Value {
    json!({"task": task("WORKING")})
}

#[test]
fn what_of_a_task_is_news_becomes_events() {
    let with = |mut event: Value, field: &str, value: Value| {
        event["artifactUpdate"][field] = value;
        event
    };
    let last = |event| with(event, "lastChunk", true.into());
    let first = |id, text| {
        let mut event = piece(id, text, false);
        event["artifactUpdate"]
            .as_object_mut()
            .unwrap()
            .remove("append");
        event
    };
    let picture = json!({"raw": "AAEC", "mediaType": "image/png"});
    let cases: Vec<(&str, Vec<Value>, Value, Vec<Value>)> = vec![
        ("nothing was seen", vec![], task("WORKING"), vec![working()]),
        ("nothing is new", vec![working()], task("WORKING"), vec![]),
        (
            "another status",
            vec![working()],
            task("COMPLETED"),
            vec![status_update("COMPLETED")],
        ),
        (
            "back again",
            vec![working(), status_update("INPUT_REQUIRED")],
            task("WORKING"),
            vec![status_update("WORKING")],
        ),
        (
            "a new artifact",
            vec![working()],
            task_with("WORKING", &[("a", &["x", "y"])]),
            {
                let mut event = first("a", "x");
                event["artifactUpdate"]["artifact"]["parts"] =
                    json!([{"text": "x"}, {"text": "y"}]);
                vec![event]
            },
        ),
        (
            "a new artifact of a task that has ended",
            vec![working()],
            task_with("COMPLETED", &[("a", &["x"])]),
            vec![last(first("a", "x")), status_update("COMPLETED")],
        ),
        (
            "an artifact that was seen",
            vec![working(), piece("a", "x", false)],
            task_with("WORKING", &[("a", &["x"])]),
            vec![],
        ),
        (
            "more of an artifact",
            vec![working(), piece("a", "He", false), piece("a", "l", true)],
            task_with("WORKING", &[("a", &["He", "l", "lo"])]),
            vec![piece("a", "lo", true)],
        ),
        (
            "more of an artifact whose texts were joined",
            vec![working(), piece("a", "He", false), piece("a", "l", true)],
            task_with("WORKING", &[("a", &["Hello"])]),
            vec![piece("a", "lo", true)],
        ),
        (
            "texts that were joined",
            vec![working(), piece("a", "He", false), piece("a", "llo", true)],
            task_with("WORKING", &[("a", &["Hello"])]),
            vec![],
        ),
        (
            "an artifact of the first task",
            vec![json!({"task": task_with("WORKING", &[("a", &["He"])])})],
            task_with("WORKING", &[("a", &["He", "llo"])]),
            vec![piece("a", "llo", true)],
        ),
        (
            "an artifact that was replaced",
            vec![working(), piece("a", "one", false)],
            task_with("WORKING", &[("a", &["two, longer"])]),
            vec![first("a", "two, longer")],
        ),
        (
            "an artifact that became shorter",
            vec![working(), piece("a", "longer", false)],
            task_with("WORKING", &[("a", &["long"])]),
            vec![first("a", "long")],
        ),
        (
            "a letter that is cut",
            vec![working(), piece("a", "é", false)],
            task_with("WORKING", &[("a", &["🎉"])]),
            vec![first("a", "🎉")],
        ),
        (
            "an artifact that is gone",
            vec![working(), piece("a", "x", false)],
            task("WORKING"),
            vec![working()],
        ),
        (
            "two artifacts",
            vec![working(), piece("a", "x", false), piece("b", "y", false)],
            task_with("WORKING", &[("b", &["y", "z"]), ("a", &["x"])]),
            vec![piece("b", "z", true)],
        ),
        (
            "files",
            vec![working(), {
                let mut event = piece("a", "", false);
                event["artifactUpdate"]["artifact"]["parts"] = json!([picture]);
                event
            }],
            {
                let mut task = task_with("WORKING", &[("a", &[])]);
                task["artifacts"][0]["parts"] = json!([picture, {"text": "below"}]);
                task
            },
            vec![piece("a", "below", true)],
        ),
    ];
    for (name, before, now, expected) in cases {
        assert_eq!(steps(&before, &now), expected, "{name}");
    }
}

#[test]
fn parts_that_differ_in_anything_are_others() {
    let part = |extra: Value| {
        let mut part = json!({"text": "x"});
        part.as_object_mut()
            .unwrap()
            .append(&mut extra.as_object().unwrap().clone());
        part
    };
    let all = [
        json!({"text": "x"}),
        part(json!({"filename": "x"})),
        part(json!({"mediaType": "x"})),
        part(json!({"metadata": {"x": 1}})),
        part(json!({"metadata": {"x": 2}})),
        json!({"url": "x"}),
        json!({"raw": "eA=="}),
        json!({"data": "x"}),
        json!({"data": null}),
        json!({"data": {"a": [1, 2]}}),
        json!({"data": {"a": [1, 3]}}),
    ];
    for (index, one) in all.iter().enumerate() {
        for (other_index, other) in all.iter().enumerate() {
            let read = |part: &Value| Part::read_json(part.to_string().as_bytes()).unwrap();
            let mark = ArtifactMark::of(&[read(one)]);
            let rest = mark.rest_of(&[read(other), read(one)]);
            assert_eq!(rest.is_some(), index == other_index, "{one} {other}");
        }
    }
}

#[test]
fn what_comes_again_is_known() {
    let timed = |state: &str, second: u32| {
        let mut update = status_update(state);
        update["statusUpdate"]["status"]["timestamp"] =
            format!("2026-01-01T00:00:{second:02}Z").into();
        update
    };
    let closing = |mut event: Value| {
        event["artifactUpdate"]["lastChunk"] = true.into();
        event
    };
    let before = [
        working(),
        piece("a", "He", false),
        piece("a", "llo", true),
        timed("WORKING", 1),
    ];
    let seen = seen(&before);
    for (event_value, repeated) in [
        (timed("WORKING", 1), true),
        (timed("WORKING", 2), false),
        (timed("COMPLETED", 1), false),
        (status_update("WORKING"), false),
        (piece("a", "Hello", false), true),
        (closing(piece("a", "Hello", false)), false),
        (piece("a", "Hell", false), false),
        (piece("a", "llo", true), false),
        (piece("b", "Hello", false), false),
        (working(), false),
    ] {
        assert_eq!(
            seen.is_repeated(&event(&event_value)),
            repeated,
            "{event_value}"
        );
    }
}

#[test]
fn more_artifacts_than_are_remembered_are_handed_out_with_the_task() {
    let long = "x".repeat(MOST_IDS / 8);
    for (count, prefix) in [(MOST_ARTIFACTS + 1, ""), (9, long.as_str())] {
        let mut seen = seen(&[working()]);
        for number in 0..count {
            seen.note(&event(&piece(&format!("{prefix}{number}"), "x", false)));
            assert!(seen.artifacts.len() <= MOST_ARTIFACTS && seen.ids <= 2 * MOST_IDS);
        }
        assert!(seen.artifacts.is_empty());
        // Nothing is taken for a repetition, and nothing is lost.
        assert!(!seen.is_repeated(&event(&piece(&format!("{prefix}0"), "x", false))));
        let now = Task::read_json(task("WORKING").to_string().as_bytes()).unwrap();
        assert_eq!(
            seen.catch_up(now.clone()),
            [StreamResponse::task(now.clone())]
        );
        // From here on it is remembered again.
        assert_eq!(seen.catch_up(now), Vec::new());
    }
}
