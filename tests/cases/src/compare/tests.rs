use serde_json::json;

use super::*;
use crate::schema::Schemas;

fn outcome(message: &str, expected: &Value, got: &Value, absence: Absence) -> Outcome {
    let schemas = Schemas::compiled_in().unwrap();
    let schema = schemas
        .get(if message.starts_with("lf.") {
            "a2a-v1"
        } else {
            "scalars"
        })
        .unwrap();
    messages(&schema.message(message).unwrap(), expected, got, absence)
}

#[test]
fn what_is_the_same() {
    let table = [
        (json!({}), json!({})),
        (json!({"i32": 1}), json!({"i32": 1.0})),
        (
            json!({"d": 1000.0, "f": 0.1}),
            json!({"d": 1e3, "f": 0.100_000_001_490_116_12}),
        ),
        (
            json!({"i64": "-5", "u64": 7}),
            json!({"i64": "-5", "u64": "7"}),
        ),
        (
            json!({"f": "NaN", "d": "-Infinity"}),
            json!({"f": "NaN", "d": "-Infinity"}),
        ),
        (
            json!({"e": "EN_ONE", "re": [9]}),
            json!({"e": "EN_ONE", "re": [9]}),
        ),
        (json!({"e": 1}), json!({"e": "EN_ONE"})),
        (
            json!({"ts": "2024-02-29T12:00:00Z"}),
            json!({"ts": "2024-02-29T12:00:00.000Z"}),
        ),
        (
            json!({"ts": "2024-02-29T13:00:00+01:00"}),
            json!({"ts": "2024-02-29T12:00:00Z"}),
        ),
        (json!({"du": "-0.5s"}), json!({"du": "-0.500s"})),
        (
            json!({"st": {"a": [1.0, null]}, "va": null}),
            json!({"st": {"a": [1, null]}, "va": null}),
        ),
        (json!({"w64": "5", "ws": ""}), json!({"w64": "5", "ws": ""})),
        (
            json!({"byNum": {"1": "a"}, "custName": "x"}),
            json!({"byNum": {"1": "a"}, "custName": "x"}),
        ),
    ];
    for (expected, got) in table {
        assert_eq!(
            outcome("sc.T", &expected, &got, Absence::Required),
            Ok(()),
            "{expected} {got}"
        );
    }
}

#[test]
fn what_is_not_the_same() {
    let table = [
        (json!({}), json!({"i32": 0}), "i32"),
        (json!({"i32": 0}), json!({}), "i32"),
        (json!({"i32": 1}), json!({"i32": 2}), "i32"),
        (json!({"i32": 1}), json!({"i32": "1"}), "i32"),
        (json!({"optI": 0}), json!({}), "optI"),
        (json!({"i64": "5"}), json!({"i64": 5}), "i64"),
        (
            json!({"i64": "9007199254740993"}),
            json!({"i64": "9007199254740992"}),
            "i64",
        ),
        (json!({"d": 1}), json!({"d": "1"}), "d"),
        (json!({"d": 1}), json!({"d": 1.000_000_000_1}), "d"),
        (json!({"f": "NaN"}), json!({"f": null}), "f"),
        (json!({"flag": true}), json!({"flag": 1}), "flag"),
        (json!({"s": "a"}), json!({"s": "A"}), "s"),
        (json!({"by": "+/8="}), json!({"by": "-_8="}), "by"),
        (json!({"e": "EN_ONE"}), json!({"e": 1}), "e"),
        (json!({"e": "EN_ONE"}), json!({"e": "EN_TWO"}), "e"),
        (json!({"e": "EN_NOPE"}), json!({"e": "EN_NOPE"}), "e"),
        (
            json!({"ts": "2024-02-29T12:00:00Z"}),
            json!({"ts": "2024-02-29T12:00:01Z"}),
            "ts",
        ),
        (
            json!({"ts": "2024-02-29T12:00:00Z"}),
            json!({"ts": "2024-02-29T12:00:00+00:00"}),
            "ts",
        ),
        (json!({"du": "1.500s"}), json!({"du": "1.5s"}), "du"),
        (json!({"du": "1s"}), json!({"du": "-1s"}), "du"),
        (json!({"fm": "a,b"}), json!({"fm": "b,a"}), "fm"),
        (json!({"ri": [1, 2]}), json!({"ri": [2, 1]}), "ri[0]"),
        (json!({"ri": [1]}), json!({"ri": [1, 1]}), "ri"),
        (json!({"ri": [1]}), json!({"ri": 1}), "ri"),
        (
            json!({"nestedMsg": {"a": 1}}),
            json!({"nestedMsg": {"a": 2}}),
            "nestedMsg.a",
        ),
        (json!({"nestedMsg": {}}), json!({}), "nestedMsg"),
        (json!({}), json!({"nestedMsg": {}}), "nestedMsg"),
        (
            json!({"byNum": {"1": "a"}}),
            json!({"byNum": {"1": "a", "2": "b"}}),
            "byNum.2",
        ),
        (
            json!({"byNum": {"1": "a"}}),
            json!({"byNum": {}}),
            "byNum.1",
        ),
        (json!({"va": null}), json!({}), "va"),
        (json!({"va": {"a": 1}}), json!({"va": {"a": "1"}}), "va.a"),
        (json!({"w64": "5"}), json!({"w64": 5}), "w64"),
        (json!({"custName": "x"}), json!({"custom": "x"}), "custName"),
        (json!({"zzz": 1}), json!({"zzz": 1}), "zzz"),
        (json!({"i32": 1}), json!([]), ""),
    ];
    for (expected, got, path) in table {
        let difference = outcome("sc.T", &expected, &got, Absence::Required)
            .expect_err(&format!("{expected} {got}"));
        assert_eq!(difference.path, path, "{difference}");
    }
}

#[test]
fn doubles_of_protobuf_are_written_as_whole_numbers_when_they_are() {
    let schemas = Schemas::compiled_in().unwrap();
    let kind = schemas.get("scalars").unwrap().message("sc.T").unwrap();
    let expected = json!({"st": {"a": [3]}, "d": 3});
    assert_eq!(
        bodies(&kind, &expected, &json!({"st": {"a": [3]}, "d": 3.0})),
        Ok(())
    );
    let difference = bodies(&kind, &expected, &json!({"st": {"a": [3.0]}, "d": 3.0})).unwrap_err();
    assert_eq!(
        (difference.path.as_str(), difference.got.as_str()),
        ("st", "3.0, a whole number with a point")
    );
    let field = kind.get_field_by_name("rv").unwrap();
    assert_eq!(body_fields(&field, &json!([1]), &json!([1])), Ok(()));
    assert!(body_fields(&field, &json!([1]), &json!([1.0])).is_err());
    assert!(body_fields(&field, &json!([1]), &json!(1)).is_err());
}

#[test]
fn a_required_field_may_be_written_with_its_default() {
    let message = "lf.a2a.v1.Message";
    let extra = json!({"messageId": "", "role": "ROLE_UNSPECIFIED", "parts": [], "contextId": "c"});
    assert_eq!(
        outcome(
            message,
            &json!({"contextId": "c"}),
            &extra,
            Absence::Required
        ),
        Ok(())
    );
    // Not the other way round, not with another value, and not for a field that is not required.
    for (expected, got, path) in [
        (json!({"messageId": ""}), json!({}), "messageId"),
        (json!({}), json!({"messageId": "m"}), "messageId"),
        (json!({}), json!({"role": "ROLE_USER"}), "role"),
        (json!({}), json!({"parts": [{}]}), "parts"),
        (json!({}), json!({"contextId": ""}), "contextId"),
    ] {
        let difference = outcome(message, &expected, &got, Absence::Required).expect_err(path);
        assert_eq!(difference.path, path, "{difference}");
    }
    let difference = outcome(
        "lf.a2a.v1.Task",
        &json!({}),
        &json!({"status": {}}),
        Absence::Required,
    );
    assert!(difference.is_err(), "an unset message is never written");
}

#[test]
fn default_values_may_be_left_out_where_they_say_nothing() {
    for (one, other) in [
        (
            json!({"i32": 0, "ri": [], "byNum": {}, "e": "EN_ZERO"}),
            json!({}),
        ),
        (json!({"d": -0.0}), json!({})),
    ] {
        assert_eq!(outcome("sc.T", &one, &other, Absence::Default), Ok(()));
        assert_eq!(outcome("sc.T", &other, &one, Absence::Default), Ok(()));
    }
    for (one, other) in [
        (json!({"optI": 0}), json!({})),
        (json!({"oS": ""}), json!({})),
        (json!({"i32": 1}), json!({})),
        (json!({"nestedMsg": {}}), json!({})),
    ] {
        assert!(
            outcome("sc.T", &one, &other, Absence::Default).is_err(),
            "{one}"
        );
        assert!(
            outcome("sc.T", &other, &one, Absence::Default).is_err(),
            "{one}"
        );
    }
}
