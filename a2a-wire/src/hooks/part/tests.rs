use serde_json::json;

use super::*;
use crate::WireMessage as _;
use crate::adapt::{FileBytes, Options, down, up};

fn old(json: &serde_json::Value) -> v0_3::Part {
    v0_3::Part::read_json(json.to_string().as_bytes()).unwrap()
}

fn new(json: &serde_json::Value) -> v1_0::Part {
    v1_0::Part::read_json(json.to_string().as_bytes()).unwrap()
}

fn options(file_bytes: FileBytes) -> Options {
    Options {
        file_bytes,
        ..Options::default()
    }
}

/// Both ways, without a loss.
#[track_caller]
fn same(older: &serde_json::Value, newer: &serde_json::Value) {
    let options = options(FileBytes::Raw);
    assert_eq!(up(old(older), &options), Ok((new(newer), vec![])));
    assert_eq!(down(new(newer), &options), Ok((old(older), vec![])));
}

#[test]
fn what_both_versions_hold() {
    same(
        &json!({"text": "x", "metadata": {"m": 1}}),
        &json!({"text": "x", "metadata": {"m": 1}}),
    );
    same(&json!({"text": ""}), &json!({"text": ""}));
    same(
        &json!({"file": {"fileWithUri": "https://f", "mimeType": "text/csv", "name": "x.csv"}}),
        &json!({"url": "https://f", "mediaType": "text/csv", "filename": "x.csv"}),
    );
    same(
        &json!({"file": {"fileWithBytes": "AAEC/w=="}}),
        &json!({"raw": "AAEC/w=="}),
    );
    same(&json!({"file": {"fileWithBytes": ""}}), &json!({"raw": ""}));
    same(
        &json!({"data": {"data": {"a": [1, null]}}}),
        &json!({"data": {"a": [1, null]}}),
    );
}

#[test]
fn data_that_is_no_object_is_wrapped() {
    for value in [
        json!([1, 2]),
        json!(null),
        json!("x"),
        json!(1.5),
        json!(false),
    ] {
        same(
            &json!({"data": {"data": {"value": value}}, "metadata": {"data_part_compat": true}}),
            &json!({"data": value}),
        );
        same(
            &json!({"data": {"data": {"value": value}}, "metadata": {"data_part_compat": true, "m": 1}}),
            &json!({"data": value, "metadata": {"m": 1}}),
        );
    }
    // What only looks like a wrapper stays what it is.
    for metadata in [
        json!({"data_part_compat": false}),
        json!({"data_part_compat": "true"}),
    ] {
        same(
            &json!({"data": {"data": {"value": 1}}, "metadata": metadata}),
            &json!({"data": {"value": 1}, "metadata": metadata}),
        );
    }
    same(
        &json!({"data": {"data": {"value": 1, "more": 2}}, "metadata": {"data_part_compat": true}}),
        &json!({"data": {"value": 1, "more": 2}, "metadata": {"data_part_compat": true}}),
    );
}

#[track_caller]
fn lost(newer: &serde_json::Value) -> Vec<String> {
    let (_, losses) = down(new(newer), &Options::default()).unwrap();
    losses
        .iter()
        .map(|loss| format!("{} {}", loss.id, loss.path))
        .collect()
}

#[test]
fn what_v0_3_has_no_place_for_is_told() {
    let newer = json!({"text": "x", "mediaType": "text/plain", "filename": "n"});
    assert_eq!(lost(&newer), ["D2 mediaType", "D2 filename"]);
    assert_eq!(lost(&json!({"data": {}, "filename": "n"})), ["D2 filename"]);
    let newer = json!({"data": [1], "metadata": {"data_part_compat": true}});
    assert_eq!(lost(&newer), ["D3 metadata"]);
    let newer = json!({"data": {"value": 1}, "metadata": {"data_part_compat": true}});
    assert_eq!(lost(&newer), ["D3 "]);
    let newer = json!({"data": {"a": u64::MAX}, "metadata": {"m": u64::MAX}});
    assert_eq!(lost(&newer), ["U7 data", "U7 metadata"]);
}

#[test]
fn a_part_without_content_is_refused() {
    let options = Options::default();
    assert!(down::<_, v0_3::Part>(new(&json!({"metadata": {"only": "meta"}})), &options).is_err());
    assert!(up::<_, v1_0::Part>(old(&json!({})), &options).is_err());
    let refused = up::<_, v1_0::Part>(old(&json!({"file": {"name": "x"}})), &options).unwrap_err();
    assert_eq!(refused.path, "file");
    // In protobuf, nothing tells an empty object from none.
    let (part, _) = up::<_, v1_0::Part>(old(&json!({"data": {}})), &options).unwrap();
    assert_eq!(part, new(&json!({"data": {}})));
}

#[test]
fn bytes_stand_as_the_peer_writes_them() {
    let text = json!({"file": {"fileWithBytes": "QUFFQy93PT0=", "mimeType": "image/x"}});
    let raw = json!({"raw": "AAEC/w==", "mediaType": "image/x"});
    let as_text = options(FileBytes::Base64Text);
    assert_eq!(up(old(&text), &as_text), Ok((new(&raw), vec![])));
    assert_eq!(down(new(&raw), &as_text), Ok((old(&text), vec![])));
    assert_eq!(up(old(&text), &Options::default()), Ok((new(&raw), vec![])));
    let wrong = old(&json!({"file": {"fileWithBytes": "AAEC/w=="}}));
    let refused = up::<_, v1_0::Part>(wrong, &as_text).unwrap_err();
    assert_eq!(refused.path, "file.fileWithBytes");
}
