use super::*;

/// An older thing: doubled by the newer version, if it is not too large.
#[derive(Debug, Clone, PartialEq)]
struct Old(i32);

#[derive(Debug, Clone, PartialEq)]
struct New(i32);

impl Up<New> for Old {
    fn up(self, adapter: &Adapter) -> Result<New, Refused> {
        if self.0 < 0 {
            adapter.loss_of("U1", "sign", "the sign is lost");
        }
        self.0
            .unsigned_abs()
            .checked_mul(2)
            .and_then(|doubled| i32::try_from(doubled).ok())
            .map(New)
            .ok_or_else(|| Refused::at("number", "is too large"))
    }
}

impl Down<Old> for New {
    fn down(self, _: &Adapter) -> Result<Old, Refused> {
        Ok(Old(self.0 / 2))
    }
}

#[test]
fn lists_maps_and_options_convert_as_their_elements_and_say_where() {
    let adapter = Adapter::new(Options::default());
    let old: BTreeMap<String, Option<Vec<Box<Old>>>> = BTreeMap::from([
        ("a".to_owned(), None),
        (
            "b c".to_owned(),
            Some(vec![Box::new(Old(1)), Box::new(Old(-2))]),
        ),
    ]);
    let new: BTreeMap<String, Option<Vec<Box<New>>>> = adapter.up("things", old.clone()).unwrap();
    assert_eq!(new["a"], None);
    assert_eq!(new["b c"], Some(vec![Box::new(New(2)), Box::new(New(4))]));
    let back: BTreeMap<String, Option<Vec<Box<Old>>>> = adapter.down("things", new).unwrap();
    assert_eq!(back["b c"], Some(vec![Box::new(Old(1)), Box::new(Old(2))]));
    let losses = adapter.into_losses();
    assert_eq!(losses.len(), 1);
    assert_eq!(losses[0].path, r#"things["b c"][1].sign"#);
    assert_eq!(
        losses[0].to_string(),
        r#"things["b c"][1].sign: the sign is lost (U1)"#
    );
}

#[test]
fn refusals_name_the_whole_path() {
    let adapter = Adapter::new(Options::default());
    let old = BTreeMap::from([("k".to_owned(), vec![Old(1), Old(i32::MAX)])]);
    let refused = adapter
        .up::<_, BTreeMap<String, Vec<New>>>("things", old)
        .unwrap_err();
    assert_eq!(refused.to_string(), "things.k[1].number: is too large");
}

#[test]
fn many_losses_stay_few_and_no_id_is_left_out() {
    let adapter = Adapter::new(Options::default());
    let many: Vec<Old> = (0..5000).map(|_| Old(-1)).collect();
    let _: Vec<New> = adapter.up("things", many).unwrap();
    adapter.loss_of("U9", "last", "noted late");
    adapter.loss_of("U9", "last", "noted later");
    assert_eq!(adapter.unkept(), 4901);
    let losses = adapter.into_losses();
    assert_eq!(losses.len(), 101);
    assert_eq!(losses[99].path, "things[99].sign");
    assert_eq!(losses[100].id, "U9");
}

const STATES: Values = Values {
    pairs: &[(0, 0, None, None), (5, 5, None, Some(("D3", "five")))],
    only_old: &[(6, 5, ("U2", "six is five"))],
    refused: &[(9, "D10")],
    unknown: Some(("U7", "unknown")),
};

#[test]
fn unknown_numbers_of_enums_are_losses_or_faults() {
    let adapter = Adapter::new(Options::default());
    assert_eq!(STATES.up(5, &adapter), Ok(5));
    assert_eq!(STATES.up(6, &adapter), Ok(5));
    assert_eq!(STATES.up(77, &adapter), Ok(0));
    assert_eq!(STATES.down(-3, &adapter), Ok(0));
    assert_eq!(STATES.down(5, &adapter), Ok(5));
    let refused = STATES.down(9, &adapter).unwrap_err();
    assert!(refused.message.contains("D10"), "{refused}");
    let ids: Vec<_> = adapter.into_losses().iter().map(|loss| loss.id).collect();
    assert_eq!(ids, ["U2", "U7", "U7", "D3"]);

    let strict = Adapter::new(Options {
        tolerant: false,
        ..Options::default()
    });
    assert!(STATES.up(77, &strict).is_err());
    let closed = Values {
        unknown: None,
        ..STATES
    };
    assert!(closed.up(77, &adapter_again()).is_err());
}

fn adapter_again() -> Adapter {
    Adapter::new(Options::default())
}

#[test]
fn the_first_counts_and_the_others_are_told() {
    let adapter = adapter_again();
    let (others, none) = (Some(("U3", "others")), Some(("U10", "none")));
    assert_eq!(adapter.first("s", vec![1], others, none), Some(1));
    assert_eq!(adapter.first("s", vec![1, 2], others, none), Some(1));
    assert_eq!(adapter.first::<i32>("s", vec![], others, none), None);
    assert_eq!(adapter.first::<i32>("s", vec![], others, None), None);
    let ids: Vec<_> = adapter.into_losses().iter().map(|loss| loss.id).collect();
    assert_eq!(ids, ["U3", "U10"]);
}

const TASK: Name<1> = Name {
    before: ["tasks/"],
    after: "",
    fields: ["id"],
    last_may_be_missing: false,
};
const CONFIG: Name<2> = Name {
    before: ["tasks/", "/pushNotificationConfigs/"],
    after: "",
    fields: ["taskId", "id"],
    last_may_be_missing: true,
};

#[test]
fn names_are_read_whole() {
    assert_eq!(TASK.read("tasks/t-9").unwrap(), ["t-9"]);
    assert_eq!(TASK.read("tasks/None").unwrap(), ["None"]);
    for wrong in [
        "",
        "tasks",
        "tasks/",
        "t-9",
        "tasks/a/b",
        "x/tasks/a",
        "tasks/a/",
        "Tasks/a",
    ] {
        let refused = TASK.read(wrong).unwrap_err();
        assert!(
            refused.message.starts_with("expected tasks/{id}"),
            "{refused}"
        );
    }
    let long = "x".repeat(100_000);
    assert!(TASK.read(&long).unwrap_err().message.len() < 300);
}

#[test]
fn a_name_may_lack_its_last_id() {
    for name in [
        "tasks/t/pushNotificationConfigs/",
        "tasks/t/pushNotificationConfigs/None",
    ] {
        assert_eq!(CONFIG.read(name).unwrap(), ["t", ""]);
    }
    for wrong in [
        "tasks/t/pushNotificationConfigs",
        "tasks//pushNotificationConfigs/c",
        "tasks/t/pushNotificationConfigs/c/d",
        "tasks/a/b/pushNotificationConfigs/c",
        "tasks/t",
    ] {
        assert!(CONFIG.read(wrong).is_err(), "{wrong}");
    }
    let strict = Name {
        last_may_be_missing: false,
        ..CONFIG
    };
    assert!(strict.read("tasks/t/pushNotificationConfigs/").is_err());
    assert!(strict.write(["t", ""]).is_err());
}

#[test]
fn names_are_written_only_of_ids_that_come_back() {
    assert_eq!(
        CONFIG.write(["t", "c"]).unwrap(),
        "tasks/t/pushNotificationConfigs/c"
    );
    assert_eq!(
        CONFIG.write(["t", ""]).unwrap(),
        "tasks/t/pushNotificationConfigs/"
    );
    assert_eq!(CONFIG.write(["", "c"]).unwrap_err().path, "taskId");
    assert_eq!(CONFIG.write(["t", "a/b"]).unwrap_err().path, "id");
}

#[test]
fn one_id_in_two_places_must_be_one() {
    let adapter = adapter_again();
    let settle = |field: &str, id: &str| {
        let mut field = field.to_owned();
        adapter
            .settle(&mut field, id.to_owned(), "id")
            .map(|()| field)
    };
    assert_eq!(settle("", "c").unwrap(), "c");
    assert_eq!(settle("c", "").unwrap(), "c");
    assert_eq!(settle("c", "c").unwrap(), "c");
    assert_eq!(settle("c", "d").unwrap_err().path, "id");
}

#[test]
fn integers_that_doubles_hold_are_no_loss() {
    let lost = |data: serde_json::Value| {
        let adapter = adapter_again();
        adapter.doubles("data", &crate::types::Value(data), ("U7", "integers"));
        !adapter.into_losses().is_empty()
    };
    assert!(!lost(serde_json::json!([
        1,
        -1,
        9_007_199_254_740_992_u64,
        1e300,
        "x",
        null
    ])));
    assert!(!lost(
        serde_json::json!({"a": u64::from(u32::MAX) << 32, "b": i64::MIN})
    ));
    assert!(lost(serde_json::json!({"a": [9_007_199_254_740_993_u64]})));
    assert!(lost(serde_json::json!(-9_007_199_254_740_993_i64)));
    assert!(lost(serde_json::json!(u64::MAX)));
}

#[test]
fn what_is_left_out_is_remembered() {
    let adapter = adapter_again();
    adapter.leave_out("key".to_owned());
    assert!(adapter.is_left_out("key"));
    assert!(!adapter.is_left_out("other"));
}
