//! What a rules file may say, and what is said about a wrong one.

use a2a_codegen::plan::rules::{AbsentRule, Direction, ViaRule, read_rules};

/// The faults of a file.
fn faults(text: &str) -> String {
    match read_rules(text, "rules.toml") {
        Ok(rules) => panic!("{text}: {rules:?}"),
        Err(faults) => faults.to_string(),
    }
}

#[test]
fn both_ways_to_write_a_row_mean_the_same() {
    let short = r#"
        loss.down = { D1 = "what is lost" }
        field."Task.title" = { drop = { down = "D1" } }
    "#;
    let long = r#"
        [loss.down]
        D1 = "what is lost"
        [field."Task.title".drop]
        down = "D1"
    "#;
    for text in [short, long] {
        let rules = read_rules(text, "rules.toml").unwrap();
        let row = &rules.fields[0];
        assert_eq!(row.rule.key, "Task.title");
        assert_eq!(row.drop_down.proto.as_deref(), Some("D1"));
        assert_eq!(row.drop_down.json.as_deref(), Some("D1"));
        assert_eq!(rules.losses["D1"].direction, Some(Direction::Down));
    }
}

#[test]
fn a_row_may_say_another_thing_for_each_spelling() {
    let text = r#"
        loss.up = { U1 = "a", U2 = "b" }
        [field]
        "Send.now" = { proto = "Send.wait", json = "Params.wait", via = { proto = "not", json = { hook = "opposite" } }, absent = { json = { value = true, loss = "U1" } }, loss = { up = { json = ["U2"] } } }
    "#;
    let rules = read_rules(text, "rules.toml").unwrap();
    let row = &rules.fields[0];
    assert_eq!(
        row.old.proto.as_deref(),
        Some(&["Send.wait".to_owned()][..])
    );
    assert_eq!(
        row.old.json.as_deref(),
        Some(&["Params.wait".to_owned()][..])
    );
    assert_eq!(row.via.proto, Some(ViaRule::Not));
    assert_eq!(row.via.json, Some(ViaRule::Hook("opposite".to_owned())));
    assert_eq!(row.absent.proto, None);
    let absent = AbsentRule::Bool {
        value: true,
        loss: Some("U1".to_owned()),
    };
    assert_eq!(row.absent.json, Some(absent));
    assert_eq!(row.losses.up.json.as_deref(), Some(&["U2".to_owned()][..]));
}

#[test]
fn a_place_a_fault_and_the_line_that_mends_it() {
    for (text, place, message, hint) in [
        ("[field", "1:7", "unclosed table", ""),
        (
            "[fields]\n\"A.b\" = { proto = \"A.c\" }",
            "1:2",
            "unknown section `fields`",
            "did you mean `[field]`?",
        ),
        (
            "elsewhere = 3",
            "1:13",
            "a list of ids is expected",
            "write a list of ids",
        ),
        (
            "[field]\n\"A.b\" = 3",
            "2:9",
            "a table is expected here",
            "proto = \"Type.old_name\"",
        ),
        (
            "[field]\n\"A.b\" = { prto = \"A.c\" }",
            "2:11",
            "unknown entry `prto`",
            "did you mean `proto`?",
        ),
        (
            "[field]\nb = { proto = \"A.c\" }",
            "2:1",
            "`b` is no field",
            "`\"Type.field\"`",
        ),
        (
            "[field]\n\"A.b\" = {}",
            "2:1",
            "the row `A.b` does not say what to do",
            "\"A.b\" = { proto = ",
        ),
        (
            "[field]\n\"A.b\" = { proto = 3 }",
            "2:19",
            "a text is expected",
            "write a text",
        ),
        (
            "[field]\n\"A.b\" = { via = \"nott\" }",
            "2:17",
            "no conversion is called `nott`",
            "`zero_is_unset`",
        ),
        (
            "[field]\n\"A.b\" = { via = { one = \"D1\" } }",
            "2:17",
            "is expected here",
            "`not`",
        ),
        (
            "[field]\n\"A.b\" = { absent = { proto = {} } }",
            "2:30",
            "what the absence means is not said",
            "refused",
        ),
        (
            "[field]\n\"A.b\" = { down = \"never\" }",
            "2:18",
            "`down = \"always\"` is expected",
            "always",
        ),
        (
            "[field]\n\"A.b\" = { drop = { down = \"D1\" } }",
            "2:27",
            "the loss `D1` is not declared",
            "under `[loss.down]`: `D1 = \"what is lost\"`",
        ),
        (
            "[loss.down]\nD1 = \"x\"",
            "2:1",
            "no row names the loss `D1`",
            "elsewhere",
        ),
        (
            "[loss.sideways]\nD1 = \"x\"",
            "1:7",
            "`loss.sideways` is no direction",
            "`[loss.up]`",
        ),
        (
            "elsewhere = [\"X\"]\n[loss.up]\nX = \"x\"\n[loss.down]\nX = \"y\"",
            "3:1",
            "declared twice",
            "one meaning",
        ),
        (
            "[loss.up]\nU1 = \"x\"\n[field]\n\"A.b\" = { drop = { down = \"U1\" } }",
            "4:27",
            "declared for the other direction",
            "up is from the older version",
        ),
        (
            "[only_old]\n\"*.b\" = { inline = true }",
            "2:1",
            "`*.b` is no field",
            "Type.field",
        ),
        (
            "[only_old]\n\"A.b\" = { inline = false }",
            "2:1",
            "does not say what to do",
            "drop = \"U1\"",
        ),
        (
            "[method]\nGet = { }",
            "2:1",
            "the row `Get` does not say what to do",
            "refused = \"D1\"",
        ),
        (
            "[only_old_method]\nGet = { proto = \"Old\" }",
            "2:9",
            "unknown entry `proto`",
            "known here: refused",
        ),
        (
            "[type]\nA = { }",
            "2:1",
            "the row `A` does not say what to do",
            "A = { proto = \"OldName\" }",
        ),
        (
            "[hook.h]\nfields = [\"a\"]",
            "1:7",
            "the row `h` does not say what to do",
            "new = \"Type\"",
        ),
        (
            "[hook.h]\nnew = \"A\"\nproto = { fields = [\"A.a\"] }",
            "3:9",
            "the older type is missing",
            "type = \"Type\"",
        ),
        (
            "[value.E.only_old]\nOLD = { new = \"NEW\" }",
            "2:1",
            "does not say what to do",
            "loss = \"U1\"",
        ),
    ] {
        let faults = faults(text);
        assert!(
            faults.contains(&format!("rules.toml:{place}: ")),
            "{text}\n{faults}"
        );
        assert!(faults.contains(message), "{text}\n{faults}");
        assert!(faults.contains(hint), "{text}\n{faults}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let text = "[field]\n\"A.b\" = { prto = \"A.c\" }\n\"A.d\" = { via = \"nott\" }\n[tpye]\n";
    let faults = read_rules(text, "rules.toml").unwrap_err();
    assert!(faults.len() >= 3, "{faults}");
}

/// Whatever stands in a rules file, it is read, planned with, or refused.
#[test]
fn no_text_makes_it_panic() {
    let versions = super::versions::Versions::real();
    let lines: Vec<&str> = versions.rules.lines().collect();
    let mut runner = proptest::test_runner::TestRunner::new(proptest::test_runner::Config {
        cases: 200,
        ..Default::default()
    });
    let slips =
        proptest::collection::vec((0..lines.len(), 0..6usize, "[a-z\"{}=.\\[\\]é]{0,3}"), 1..4);
    runner
        .run(&slips, |slips| {
            let mut text: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            for (at, kind, noise) in slips {
                let line = text[at].clone();
                let middle = line.char_indices().nth(line.chars().count() / 2);
                let middle = middle.map_or(0, |(index, _)| index);
                text[at] = match kind {
                    0 => String::new(),
                    1 => format!("{line}\n{line}"),
                    2 => line[..middle].to_owned(),
                    3 => format!("{}{noise}{}", &line[..middle], &line[middle..]),
                    4 => line.replace('"', &noise),
                    _ => line.replacen("proto", "json", 1),
                };
            }
            if let Err(faults) = versions.plan_with(&text.join("\n")) {
                assert!(!faults.render().is_empty());
            }
            Ok(())
        })
        .unwrap();
}
