//! Each kind of rule, on two small versions.

use a2a_codegen::model::Api;
use a2a_codegen::plan::model::{Absent, ConversionPlan, FieldKind, FieldPlan, How, Piece, Via};
use a2a_codegen::plan::plan_all;
use a2a_codegen::plan::rules::read_rules;

use super::versions::proto;

/// A version whose operation `Do` takes and answers an `M`, with more declarations.
pub(super) fn version(package: &str, declarations: &str) -> Api {
    let text = format!(
        "syntax = \"proto3\"; package {package};
         import \"google/protobuf/struct.proto\"; import \"google/protobuf/timestamp.proto\";
         import \"google/api/field_behavior.proto\";
         service S {{ rpc Do(M) returns (M); }}
         {declarations}"
    );
    proto(&format!("{package}.proto"), &text)
}

/// The plan of the protos, or the faults.
fn plan(old: &str, new: &str, rules: &str) -> Result<ConversionPlan, String> {
    let (old, new) = (version("old", old), version("new", new));
    let rules = read_rules(rules, "rules.toml").map_err(|faults| faults.to_string())?;
    plan_all(&old, None, &new, &rules)
        .map(|plans| plans.proto)
        .map_err(|faults| faults.to_string())
}

/// The fields of the plan of `M`.
fn fields(old: &str, new: &str, rules: &str) -> Vec<FieldPlan> {
    let plan = plan(old, new, rules).unwrap_or_else(|faults| panic!("{faults}"));
    match &plan.message("new.M", "old.M").expect("M is planned").how {
        How::Fields(fields) => fields.clone(),
        other => panic!("{other:?}"),
    }
}

fn kinds(old: &str, new: &str, rules: &str) -> Vec<FieldKind> {
    let fields = fields(old, new, rules);
    fields.into_iter().map(|plan| plan.kind).collect()
}

fn carry(new: usize, old: usize) -> FieldKind {
    via(new, old, Via::Same, Absent::Unset)
}

fn via(new: usize, old: usize, via: Via, absent: Absent) -> FieldKind {
    FieldKind::Carry {
        new,
        old,
        via,
        absent,
        always_down: false,
        read_also: Vec::new(),
    }
}

#[test]
fn names_match_in_the_schema_or_in_json_and_numbers_never_do() {
    // `a` is renumbered, `b` keeps its name in JSON, and 3 means another thing.
    let old = "message M { string a = 1; string bee = 2 [json_name = \"b\"]; string c = 3; }";
    let new = "message M { string c = 1; string a = 2; string b = 3; }";
    assert_eq!(kinds(old, new, ""), [carry(0, 2), carry(1, 0), carry(2, 1)]);

    let faults = plan(
        "message M { string name = 1; }",
        "message M { string tenant = 1; }",
        "",
    )
    .unwrap_err();
    assert!(
        faults.contains("`new.M.tenant` has no older field in `old.M`"),
        "{faults}"
    );
    assert!(
        faults.contains("the older `old.M.name` has no newer field in `new.M`"),
        "{faults}"
    );
    assert!(
        faults.contains("under `[field]`: \"M.tenant\" = { proto = \"M.name\" }"),
        "{faults}"
    );
}

#[test]
fn rename() {
    let old = "message M { string transport = 1; }";
    let new = "message M { string protocol_binding = 1; }";
    let rules =
        "[field]\n\"M.protocol_binding\" = { proto = \"M.transport\", read_also = [\"binding\"] }";
    let plans = fields(old, new, rules);
    let FieldKind::Carry { read_also, .. } = &plans[0].kind else {
        panic!("{plans:?}");
    };
    assert_eq!(read_also, &["binding"]);
    let rule = plans[0].rule.as_ref().unwrap();
    assert_eq!(
        (rule.key.as_str(), rule.origin.line, rule.origin.column),
        ("M.protocol_binding", 2, 1)
    );
}

#[test]
fn values_that_change() {
    let old = "message M { bool blocking = 1; int32 length = 2; repeated string schemes = 3;
        google.protobuf.Struct meta = 4; google.protobuf.Timestamp at = 5; E place = 6; string odd = 7; }
        enum E { A = 0; B = 1; }";
    let new = "message M { bool returning = 1; optional int32 length = 2; string scheme = 3;
        google.protobuf.Struct meta = 4; google.protobuf.Timestamp at = 5; string place = 6; int32 odd = 7; }";
    let rules = r#"
        loss.up = { U1 = "a", U2 = "b" }
        loss.down = { D1 = "c", D2 = "d" }
        [field]
        "M.returning" = { proto = "M.blocking", via = "not", absent = true, down = "always" }
        "M.length" = { via = "zero_is_unset", loss = { down = "D1" } }
        "M.scheme" = { proto = "M.schemes", via = "first", absent = { loss = "U2" }, loss = { up = "U1" } }
        "M.meta" = { via = "empty_is_unset", loss = { up = "U1" } }
        "M.at" = { via = "lenient_time", loss = { up = "U1" } }
        "M.place" = { via = { one_of = "D2" } }
        "M.odd" = { via = { hook = "odd_value" } }
    "#;
    let plans = fields(old, new, rules);
    let kinds: Vec<_> = plans.iter().map(|plan| plan.kind.clone()).collect();
    let returning = FieldKind::Carry {
        new: 0,
        old: 0,
        via: Via::Not,
        absent: Absent::Bool {
            value: true,
            loss: None,
        },
        always_down: true,
        read_also: Vec::new(),
    };
    assert_eq!(
        kinds,
        [
            returning,
            via(1, 1, Via::ZeroIsUnset, Absent::Unset),
            via(2, 2, Via::First, Absent::Lost("U2".to_owned())),
            via(3, 3, Via::EmptyIsUnset, Absent::Unset),
            via(4, 4, Via::LenientTime, Absent::Unset),
            via(5, 5, Via::OneOf("D2".to_owned()), Absent::Unset),
            via(6, 6, Via::Hook("odd_value".to_owned()), Absent::Unset),
        ]
    );
    assert_eq!(plans[1].down_loss.as_deref(), Some("D1"));
    assert_eq!(plans[2].up_loss.as_deref(), Some("U1"));
}

#[test]
fn types_that_cannot_stand_for_each_other() {
    for (old, new, rule, why) in [
        (
            "string a = 1;",
            "int32 a = 1;",
            "",
            "the newer one is int32, the older one string",
        ),
        (
            "string a = 1;",
            "repeated string a = 1;",
            "",
            "the newer one is a list of string",
        ),
        (
            "map<string, string> a = 1;",
            "map<int32, string> a = 1;",
            "",
            "other keys",
        ),
        (
            "oneof o { string a = 1; }",
            "string a = 1;",
            "",
            "the older one is in a oneof",
        ),
        (
            "string a = 1;",
            "oneof o { string a = 1; }",
            "",
            "the newer one is in a oneof",
        ),
        (
            "string a = 1;",
            "string a = 1;",
            "field.\"M.a\" = { via = \"not\" }",
            "cannot stand for",
        ),
        (
            "string a = 1;",
            "string a = 1;",
            "field.\"M.a\" = { via = \"first\" }",
            "the older one is no list",
        ),
        (
            "repeated string a = 1;",
            "repeated string a = 1;",
            "field.\"M.a\" = { via = \"first\" }",
            "no single value",
        ),
        (
            "int32 a = 1;",
            "string a = 1;",
            "field.\"M.a\" = { via = \"zero_is_unset\" }",
            "the newer one is string",
        ),
    ] {
        let message = |fields: &str| format!("message M {{ {fields} }}");
        let faults = plan(&message(old), &message(new), rule).unwrap_err();
        assert!(
            faults.contains("`new.M.a` cannot stand for the older `old.M.a`: "),
            "{faults}"
        );
        assert!(faults.contains(why), "{why}: {faults}");
        assert!(faults.contains("\"M.a\" = { via = { hook ="), "{faults}");
    }
}

#[test]
fn a_field_that_moved_deeper() {
    let old = "message M { bool extended = 1; Caps caps = 2; } message Caps { bool push = 1; }";
    let new = "message M { Caps caps = 1; } message Caps { bool push = 1; optional bool extended_card = 2; }";
    let rules = "[field]\n\"Caps.extended_card\" = { proto = \"M.extended\" }";
    let lift = FieldKind::Lift {
        new: vec![0, 1],
        old: 0,
    };
    assert_eq!(kinds(old, new, rules), [carry(0, 1), lift]);
    // Where no pair can lift it, the row does nothing, and the field is missed.
    let beside = "message M { bool extended = 1; Caps caps = 2; } message Caps { bool push = 1; }";
    let apart = "message M { Caps caps = 1; bool extended = 3; repeated Other all = 2; }
        message Caps { bool push = 1; } message Other { bool extended_card = 1; }";
    let rules = "[field]\n\"Other.extended_card\" = { proto = \"M.extended\" }";
    let faults = plan(beside, apart, rules).unwrap_err();
    assert!(
        faults.contains("the row `Other.extended_card` of `[field]` changes nothing"),
        "{faults}"
    );
}

#[test]
fn fields_of_an_inner_message_stand_for_fields_around_it() {
    let old = "message M { string name = 1; Inner inner = 2; } message Inner { string id = 1; string url = 2; }";
    let new = "message M { string id = 1; string url = 2; string task = 3; }";
    let rules = r#"
        loss.down = { D1 = "the task" }
        type.M = { proto = "Inner" }
        only_old."M.inner" = { inline = true }
        field."M.task" = { proto = "M.name", template = "tasks/{task}/hooks/{id}", drop = { down = "D1" } }
    "#;
    let plan = plan(old, new, rules).unwrap();
    let How::Fields(outer) = &plan.message("new.M", "old.M").unwrap().how else {
        panic!("fields");
    };
    let outer: Vec<_> = outer.iter().map(|plan| plan.kind.clone()).collect();
    let literal = |text: &str| Piece::Literal(text.to_owned());
    assert_eq!(
        outer,
        [
            FieldKind::Template {
                old: 0,
                pieces: vec![
                    literal("tasks/"),
                    Piece::Field(2),
                    literal("/hooks/"),
                    Piece::Field(0)
                ],
            },
            FieldKind::Inline {
                old: 1,
                inner: "old.Inner".to_owned()
            },
        ]
    );
    let How::Fields(inner) = &plan.message("new.M", "old.Inner").unwrap().how else {
        panic!("fields");
    };
    let inner: Vec<_> = inner.iter().map(|plan| plan.kind.clone()).collect();
    assert_eq!(
        inner,
        [carry(0, 0), carry(1, 1), FieldKind::OnlyNew { new: 2 }]
    );
}

#[test]
fn templates_that_cannot_be_taken_apart() {
    let old = "message M { string name = 1; }";
    let new = "message M { string id = 1; string key = 2; int32 n = 3; }";
    for (template, why) in [
        ("tasks/{id}{key}", "nothing stands between two fields"),
        (
            "tasks/{id",
            "a brace of the template `tasks/{id` is not closed",
        ),
        ("tasks/{nope}", "`new.M` has no field `nope`"),
        ("tasks/{n}", "`new.M.n` is no text"),
        ("{id}/{id}", "`id` is twice"),
        ("tasks/{key}", "the template does not hold `M.id`"),
    ] {
        let rules = format!("field.\"M.id\" = {{ proto = \"M.name\", template = \"{template}\" }}");
        let faults = plan(old, new, &rules).unwrap_err();
        assert!(faults.contains(why), "{template}: {faults}");
    }
}

#[test]
fn hooks_for_fields() {
    let old = "message M { string url = 1; repeated Face more = 2; bool final = 3; } message Face { string url = 1; }";
    let new = "message M { repeated Face faces = 1; } message Face { string url = 1; string version = 2; }";
    let rules = r#"
        loss.up = { U1 = "a", U2 = "b" }
        loss.down = { D1 = "c" }
        [field]
        "M.faces" = { hook = "faces", proto = ["M.url", "M.more"], loss = { up = ["U1", "U2"], down = "D1" } }
        "Face.version" = { by = "faces" }
        [only_old]
        "M.final" = { hook = "is_final", loss = { up = "U2" } }
    "#;
    let plans = fields(old, new, rules);
    let gather = FieldKind::Gather {
        new: 0,
        old: vec![0, 1],
        hook: "faces".to_owned(),
    };
    assert_eq!(plans[0].kind, gather);
    assert_eq!(plans[0].hook_losses.up, ["U1", "U2"]);
    assert_eq!(plans[0].up_loss.as_deref(), Some("U1"));
    let only = FieldKind::OnlyOld {
        old: 2,
        hook: Some("is_final".to_owned()),
    };
    assert_eq!(plans[1].kind, only);
    // A hook that no row has takes care of nothing.
    let faults = plan(old, new, &rules.replace("by = \"faces\"", "by = \"fcaes\"")).unwrap_err();
    assert!(faults.contains("no plan has the hook `fcaes`"), "{faults}");
}

#[test]
fn hooks_for_messages_name_all_fields() {
    let old = "message M { oneof part { string text = 1; File file = 2; } Meta meta = 3; }
        message File { string uri = 1; } message Meta { string a = 1; }";
    let new = "message M { string text = 1; string url = 2; Meta meta = 3; } message Meta { string a = 1; }";
    let rules = |fields: &str, olds: &str| {
        format!(
            "[hook.part]\nnew = \"M\"\nfields = [{fields}]\npairs = [\"Meta\"]\nproto = {{ type = \"M\", fields = [{olds}] }}"
        )
    };
    let (all, olds) = (
        "\"text\", \"url\", \"meta\"",
        "\"M.text\", \"M.file\", \"M.meta\", \"File.uri\"",
    );
    let made = plan(old, new, &rules(all, olds)).unwrap();
    assert!(
        matches!(&made.message("new.M", "old.M").unwrap().how, How::Hook(name) if name == "part")
    );
    assert!(made.message("new.Meta", "old.Meta").is_some());
    for (fields, olds, what) in [
        (
            "\"text\", \"meta\"",
            olds,
            "the hook `part` says nothing about `new.M.url`",
        ),
        (
            all,
            "\"M.text\", \"M.file\", \"M.meta\"",
            "the hook `part` says nothing about `old.File.uri`",
        ),
        (
            all,
            "\"M.text\", \"M.file\", \"M.meta\", \"File.uri\", \"File.nope\"",
            "`File.nope` is no field of what the hook converts",
        ),
        (
            "\"text\", \"url\", \"meta\", \"nope\"",
            olds,
            "`new.M` has no field `nope`",
        ),
    ] {
        let faults = plan(old, new, &rules(fields, olds)).unwrap_err();
        assert!(faults.contains(what), "{what}: {faults}");
    }
}

#[test]
fn what_one_side_has_alone_is_lost_by_name() {
    let old = "message M { string a = 1; string history = 2; string sign = 3; }";
    let new = "message M { string a = 1; string tenant = 2; string sign = 3; }";
    let rules = r#"
        loss.up = { U1 = "a" }
        loss.down = { D1 = "b" }
        [field]
        "*.tenant" = { drop = { down = "D1" } }
        "M.sign" = { drop = { up = "U1", down = "D1" } }
        [only_old]
        "M.history" = { drop = "U1" }
    "#;
    let plans = fields(old, new, rules);
    let told: Vec<_> = plans
        .iter()
        .map(|plan| {
            (
                plan.kind.clone(),
                plan.up_loss.as_deref(),
                plan.down_loss.as_deref(),
            )
        })
        .collect();
    let gone = |old| FieldKind::OnlyOld { old, hook: None };
    assert_eq!(
        told,
        [
            (carry(0, 0), None, None),
            (FieldKind::OnlyNew { new: 1 }, None, Some("D1")),
            (FieldKind::OnlyNew { new: 2 }, None, Some("D1")),
            (gone(1), Some("U1"), None),
            (gone(2), Some("U1"), None),
        ]
    );
}

#[test]
fn enums_and_their_values() {
    let old = "message M { State state = 1; } enum State { STATE_NONE = 0; STATE_CANCELLED = 5; STATE_OLD = 6; }";
    let new = "message M { State state = 1; } enum State { STATE_NONE = 0; STATE_CANCELED = 5; STATE_PAUSED = 6; }";
    let rules = r#"
        loss.up = { U1 = "a", U2 = "b" }
        loss.down = { D1 = "c" }
        [value.State]
        unknown = "U2"
        only_old.STATE_OLD = { new = "STATE_NONE", loss = "U1" }
        [value.State.values]
        STATE_CANCELED = { proto = "STATE_CANCELLED" }
        STATE_PAUSED = { refused = "D1" }
    "#;
    let made = plan(old, new, rules).unwrap();
    let states = &made.enums["new.State"];
    let names: Vec<_> = states
        .values
        .iter()
        .map(|v| (v.new, v.old, v.old_name.as_str()))
        .collect();
    assert_eq!(names, [(0, 0, "STATE_NONE"), (5, 5, "STATE_CANCELLED")]);
    assert_eq!(states.refused[&6], "D1");
    assert_eq!(states.only_old["STATE_OLD"], (0, "U1".to_owned()));
    assert_eq!(states.unknown_loss.as_deref(), Some("U2"));

    // Equal numbers say nothing.
    let faults = plan(old, new, "").unwrap_err();
    for what in [
        "`STATE_CANCELED` of `new.State` has no older value",
        "`STATE_PAUSED` of `new.State` has no older value",
        "the value `STATE_CANCELLED` of the older `old.State` has no newer one",
        "the value `STATE_OLD` of the older `old.State` has no newer one",
        "under `[value.State.values]`: STATE_PAUSED = ",
    ] {
        assert!(faults.contains(what), "{what}: {faults}");
    }
}

#[test]
fn names_in_rules_must_exist() {
    let same = "message M { string alpha = 1; State state = 2; } enum State { STATE_NONE = 0; }";
    for (rules, what, hint) in [
        (
            "field.\"M.alhpa\" = { proto = \"M.alpha\" }",
            "the row `M.alhpa` of `[field]` changes nothing",
            "remove it",
        ),
        (
            "field.\"M.alpha\" = { proto = \"M.alpa\" }",
            "the older `old.M` has no field `alpa`",
            "did you mean `M.alpha`?",
        ),
        (
            "field.\"M.alpha\" = { proto = \"N.alpha\" }",
            "`N.alpha` is no field of the older version",
            "Type.field",
        ),
        (
            "type.M = { proto = \"M\" }",
            "the row `M` of `[type]` changes nothing",
            "remove it",
        ),
        (
            "method.Doo = { proto = \"Do\" }",
            "the row `Doo` of `[method]` changes nothing",
            "remove it",
        ),
        (
            "method.Do = { proto = \"Doo\" }",
            "the older version has no operation `Doo`",
            "did you mean `Do`?",
        ),
        (
            "value.State.values.STATE_NON = { proto = \"STATE_NONE\" }",
            "`new.State` has no value `STATE_NON`",
            "did you mean `STATE_NONE`?",
        ),
        (
            "value.State.values.STATE_NONE = { proto = \"NONE\" }",
            "the older `old.State` has no value `NONE`",
            "write the name",
        ),
    ] {
        let faults = plan(same, same, rules).unwrap_err();
        assert!(faults.contains("rules.toml:1:"), "{rules}: {faults}");
        assert!(faults.contains(what), "{rules}: {faults}");
        assert!(faults.contains(hint), "{rules}: {faults}");
    }
}

#[test]
fn types_of_other_names_are_paired_by_rules_alone() {
    let old = "message M { Security s = 1; } message Security { string a = 1; }";
    let new = "message M { Requirement s = 1; } message Requirement { string a = 1; }";
    let faults = plan(old, new, "").unwrap_err();
    assert!(
        faults.contains(
            "`new.Requirement` and the older `old.Security` stand for each other in `new.M.s`"
        ),
        "{faults}"
    );
    assert!(
        faults.contains("under `[type]`: Requirement = { proto = \"Security\" }"),
        "{faults}"
    );
    let made = plan(old, new, "type.Requirement = { proto = \"Security\" }").unwrap();
    assert!(
        made.message("new.Requirement", "old.Security")
            .unwrap()
            .rule
            .is_some()
    );
}
