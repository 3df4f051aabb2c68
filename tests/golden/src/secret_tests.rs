//! What `Debug` shows of messages with secrets.

use std::collections::BTreeMap;

use a2a_kit::wire::types::{Any, Timestamp, Value};

use crate::secrets::inner::{Other, Pick};
use crate::secrets::{All, Inner, Kind};

/// The two ways in which `Debug` is used.
fn shown(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}\n{value:#?}")
}

#[test]
fn what_is_set_is_hidden_and_what_is_not_shows_as_it_is() {
    let empty = format!("{:?}", All::new());
    assert!(empty.contains(r#"name: "", s_text: """#), "{empty}");
    assert!(empty.contains("s_maybe: None"), "{empty}");
    assert!(!empty.contains("hidden"), "{empty}");

    let inner = Inner::new().with_s_text("s3cret");
    let all = All::new()
        .with_name("open")
        .with_s_text("s3cret")
        .with_s_data("s3cret".as_bytes())
        .with_s_number(73_737)
        .with_s_double(73_737.0)
        .with_s_flag(true)
        .with_s_kind(Kind::A)
        .with_s_maybe("s3cret")
        .with_s_all(All::new().with_name("s3cret"))
        .with_s_list(["s3cret".to_owned()])
        .with_s_map(BTreeMap::from([("s3cret".to_owned(), inner.clone())]))
        .with_s_value(Value::from(serde_json::json!("s3cret")))
        .with_s_time("1973-07-03T00:00:00Z".parse::<Timestamp>().unwrap())
        .with_s_wrapped("s3cret".to_owned())
        .with_s_any(Any {
            type_url: "s3cret".into(),
            value: "s3cret".into(),
        })
        .with_s_empty()
        .with_type("shown")
        .with_inner(inner);
    let shown = shown(&all);
    for secret in ["s3cret", "73737", "true", "1973"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert_eq!(shown.matches("<hidden>").count(), 2 * 16, "{shown}");
    assert!(shown.contains(r#"name: "open""#), "{shown}");
    assert!(shown.contains(r#"type: "shown""#), "{shown}");
}

#[test]
fn secret_members_of_a_oneof_are_hidden_and_the_others_are_not() {
    for hidden in [
        Pick::SText("s3cret".into()),
        Pick::SData("s3cret".into()),
        Pick::SInner(Box::new(Inner::new().with_open("s3cret"))),
        Pick::SValue(Value::from(serde_json::json!("s3cret"))),
        Pick::SNumber(73_737),
    ] {
        let mut inner = Inner::new().with_a("beside");
        inner.pick = Some(hidden);
        let shown = shown(&inner) + &shown(&inner.pick);
        assert_eq!(shown.matches("<hidden>").count(), 4, "{shown}");
        assert!(
            !shown.contains("s3cret") && !shown.contains("73737"),
            "{shown}"
        );
        assert!(shown.contains("beside"), "{shown}");
    }
    assert_eq!(format!("{:?}", Pick::Open("x".into())), r#"Open("x")"#);
    assert_eq!(format!("{:?}", Other::B("x".into())), r#"B("x")"#);
}
