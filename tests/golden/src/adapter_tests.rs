//! Between two versions of a protocol of one's own: every kind of field, both ways.

use a2a_kit::wire::WireMessage;
use a2a_kit::wire::adapt::{self, Options};
use serde_json::{Value, json};

use crate::shelf::{new, old};

fn read<M: WireMessage>(json: &Value) -> M {
    M::read_json(json.to_string().as_bytes()).unwrap()
}

fn write(message: &impl WireMessage) -> Value {
    let mut text = Vec::new();
    message.write_json(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn told(losses: &[adapt::Loss]) -> Vec<String> {
    losses
        .iter()
        .map(|loss| format!("{} {}", loss.id, loss.path))
        .collect()
}

fn up<Old: WireMessage + adapt::Up<New>, New: WireMessage>(
    json: &Value,
) -> Result<(Value, Vec<String>), String> {
    let (new, losses) = adapt::up::<Old, New>(read(json), &Options::default())
        .map_err(|refused| refused.to_string())?;
    Ok((write(&new), told(&losses)))
}

fn down<New: WireMessage + adapt::Down<Old>, Old: WireMessage>(
    json: &Value,
) -> Result<(Value, Vec<String>), String> {
    let (old, losses) = adapt::down::<New, Old>(read(json), &Options::default())
        .map_err(|refused| refused.to_string())?;
    Ok((write(&old), told(&losses)))
}

/// Both ways, without a loss.
#[track_caller]
fn same_request(older: &Value, newer: &Value) {
    assert_eq!(
        up::<old::MoveRequest, new::MoveRequest>(older),
        Ok((newer.clone(), vec![]))
    );
    assert_eq!(
        down::<new::MoveRequest, old::MoveRequest>(newer),
        Ok((older.clone(), vec![]))
    );
}

#[test]
fn names_lists_opposites_and_places() {
    same_request(
        &json!({
            "tag": {"place": "shelves/s/boxes/b", "lid": {"id": "b", "weight": "7"}}, "loose": true,
            "limit": 3, "owners": ["o"], "stripes": ["COLOR_BLUE", "COLOR_RED"],
            "painted": {"k": "COLOR_RED"}, "maybe": "COLOR_BLUE", "box": {"label": "l"},
            "type": true, "gone": "o", "extra": {"count": "-2"},
        }),
        &json!({
            "tag": {"shelf": "s", "id": "b", "weight": "7"}, "limit": 3, "owner": "o",
            "stripes": ["COLOR_BLUE", "COLOR_RED"], "painted": {"k": "COLOR_RED"},
            "maybe": "COLOR_BLUE", "box": {"label": "l"}, "extra": {"type": true, "count": "-2"},
        }),
    );
    same_request(
        &json!({"tag": {"place": "shelves/s/boxes/b", "lid": {"id": "b"}}, "box": {}}),
        &json!({"tag": {"shelf": "s", "id": "b"}, "fixed": true, "box": {}}),
    );
}

#[test]
fn everything_that_is_lost_is_told() {
    let older = json!({
        "tag": {"place": "shelves/s/boxes/b"}, "owners": ["o", "p"], "stripes": ["COLOR_INFRARED", 99],
        "box": {"inner": {"oldNote": "x"}, "beside": [{}, {"oldNote": ""}]}, "gone": "p",
    });
    let (newer, losses) = up::<old::MoveRequest, new::MoveRequest>(&older).unwrap();
    assert_eq!(newer["stripes"], json!(["COLOR_RED", "COLOR_NONE"]));
    assert_eq!(newer["tag"]["id"], "b");
    assert_eq!(
        losses,
        [
            "U1 owners",
            "U3 stripes",
            "U3 stripes",
            "U2 box.inner.oldNote",
            "U2 box.beside[1].oldNote",
            "U2 gone",
        ]
    );
    let newer = json!({
        "limit": 0, "fresh": "f",
        "box": {"numbered": {"5": {"newNote": "n"}}},
    });
    let (older, losses) = down::<new::MoveRequest, old::MoveRequest>(&newer).unwrap();
    assert_eq!(older["box"], json!({"numbered": {"5": {}}}));
    assert_eq!(
        losses,
        ["D2 fresh", "D1 limit", "D2 box.numbered.5.newNote"]
    );
    assert_eq!(
        down::<new::ClearRequest, old::ClearRequest>(&json!({"reason": "r"})),
        Ok((json!({}), vec!["D2 reason".to_owned()]))
    );
}

#[test]
fn what_has_no_form_is_refused_with_its_place() {
    let deep = json!({"box": {"beside": [{}, {"color": "COLOR_GREEN"}]}});
    let refused = down::<new::MoveRequest, old::MoveRequest>(&deep).unwrap_err();
    assert!(refused.starts_with("box.beside[1].color: "), "{refused}");
    assert!(refused.contains("D3"), "{refused}");
    let refused =
        up::<old::MoveRequest, new::MoveRequest>(&json!({"tag": {"place": "s/b"}})).unwrap_err();
    assert!(
        refused.starts_with("tag.place: expected shelves/{shelf}/boxes/{id}"),
        "{refused}"
    );
    let two = json!({"tag": {"place": "shelves/s/boxes/b", "lid": {"id": "c"}}});
    let refused = up::<old::MoveRequest, new::MoveRequest>(&two).unwrap_err();
    assert!(refused.starts_with("tag.lid.id: "), "{refused}");
    let refused =
        down::<new::MoveRequest, old::MoveRequest>(&json!({"tag": {"id": "b"}})).unwrap_err();
    assert!(refused.starts_with("tag.shelf: "), "{refused}");
}

#[test]
fn what_is_written_always_is_written() {
    let (older, losses) = down::<new::MoveRequest, old::MoveRequest>(&json!({})).unwrap();
    assert_eq!(older["box"], json!({}));
    assert_eq!(older["loose"], json!(true));
    assert!(losses.is_empty());
}

#[test]
fn messages_that_hold_themselves() {
    for content in [
        json!({"only": {"self": "s"}}),
        json!({"self": ""}),
        json!({"data": {"a": 1}}),
        json!({"made": "2026-01-02T03:04:05Z"}),
        json!({"color": "COLOR_BLUE"}),
        json!({"color": "COLOR_NONE"}),
        json!({"label": "l", "size": 1.5, "raw": "AAEC"}),
        json!({"numbered": {"-1": {"self": "m"}}}),
    ] {
        let boxed = json!({"inner": content, "beside": [content, {}]});
        assert_eq!(
            up::<old::Box, new::Box>(&boxed),
            Ok((boxed.clone(), vec![]))
        );
        assert_eq!(
            down::<new::Box, old::Box>(&boxed),
            Ok((boxed.clone(), vec![]))
        );
    }
}
