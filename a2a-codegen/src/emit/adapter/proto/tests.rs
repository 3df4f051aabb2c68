//! What is written for small pairs of versions. Whether it compiles and converts is tested where it
//! is used.

use super::super::AdapterPaths;
use super::*;
use crate::load::{Sources, load_protos};
use crate::lower::lower;
use crate::plan::model::Encoding;
use crate::plan::rules::read_rules;
use crate::profile::{Profile, read_profile};
use crate::write::format_code;

fn read(text: &str, profile: &str) -> (Api, Profile) {
    let profile = read_profile(profile, "profile.toml").unwrap();
    let sources = Sources::new().virtual_file("x.proto", text).file("x.proto");
    let api = lower(&load_protos(&sources).unwrap(), &profile).unwrap();
    (api, profile)
}

/// The adapters between two messages `M`, by the rules.
fn generate(old: &str, new: &str, rules: &str, profile: &str) -> String {
    let proto = |package: &str, body: &str| {
        format!(
            "syntax = \"proto3\"; package {package}; import \"google/protobuf/struct.proto\";
             {body} service S {{ rpc Do(M) returns (M); }}"
        )
    };
    let (old, old_profile) = read(&proto("v1", old), "");
    let (new, new_profile) = read(&proto("v2", new), profile);
    let rules = read_rules(rules, "rules.toml").unwrap();
    let plan = match crate::plan::plan(&old, &new, &rules, Encoding::Proto) {
        Ok(plan) => plan,
        Err(faults) => panic!("{}", faults.render()),
    };
    let paths = AdapterPaths {
        wire: "::wire".to_owned(),
        old: "crate::old".to_owned(),
        new: "crate::new".to_owned(),
        hooks: "crate::hooks".to_owned(),
        kit: "::kit".to_owned(),
        json: "crate::json".to_owned(),
        new_services: "crate::new".to_owned(),
    };
    let tokens = emit(&AdapterInput {
        old: &old,
        old_profile: &old_profile,
        old_schema: None,
        new: &new,
        new_profile: &new_profile,
        proto: &plan,
        json: None,
        paths: &paths,
    });
    format_code(&["test".to_owned()], &tokens).unwrap()
}

/// Both texts without white space and without roots, so that a test says what matters.
fn plain(text: &str) -> String {
    text.split_whitespace()
        .collect::<String>()
        .replace("::core::option::Option::", "")
        .replace("::core::result::Result::", "")
        .replace("::wire::adapt::", "")
        .replace("crate::old::", "old::")
        .replace("crate::new::", "new::")
        .replace(",)", ")")
}

#[track_caller]
fn holds(code: &str, part: &str) {
    let (code, part) = (plain(code), plain(part));
    assert!(code.contains(&part), "{part}\nis not in\n{code}");
}

#[test]
fn equal_fields_move_and_presence_may_differ() {
    let code = generate(
        "message M { string a = 1; optional int32 b = 2; string c = 3; }",
        "message M { string c = 1; string a = 2; optional string d = 3; int32 b = 4; }",
        r#"
        loss.down = { D1 = "the text" }
        field."M.d" = { drop = { down = "D1" } }
        "#,
        "",
    );
    holds(&code, "new.a = self.a; new.b = self.b.unwrap_or_default();");
    holds(&code, "old.c = self.c;");
    holds(&code, "old.b = set(self.b);");
    holds(
        &code,
        r#"adapter.lost_if(self.d.is_some(), "d", ("D1", "the text"))"#,
    );
    assert!(!code.contains("use "), "{code}");
}

#[test]
fn members_of_a_oneof_are_matched_together() {
    let old = "message M { oneof kind { string a = 1; A b = 2; } } message A { }";
    let new = "message M { oneof of { A bee = 1; string a = 2; string c = 3; } } message A { }";
    let rules = r#"
        loss.down = { D1 = "the new one" }
        field."M.bee" = { proto = "M.b" }
        field."M.c" = { drop = { down = "D1" } }
        "#;
    let code = generate(old, new, rules, "");
    holds(
        &code,
        r#"match self.kind {
            Some(old::m::Kind::B(value)) => {
                new.of = Some(new::m::Of::Bee(adapter.up("b", value)?));
            }
            Some(old::m::Kind::A(value)) => { new.of = Some(new::m::Of::A(value)); }
            None => {}
        }"#,
    );
    holds(&code, "Some(_) => {} None => {}");
    let code = generate(old, new, rules, "[check]\nrequired_oneofs = [\"v2.M.of\"]");
    holds(&code, r#"None => return adapter.empty("a, b"),"#);
    holds(&code, r#"None => return adapter.empty("bee, a, c"),"#);
}

#[test]
fn recursive_messages_may_lose_or_win_a_box() {
    let code = generate(
        "message M { M again = 1; map<string, M> named = 2; }",
        "message M { M again = 1; map<string, M> named = 2; }",
        "",
        "",
    );
    holds(&code, r#"new.again = adapter.up("again", self.again)?;"#);
    holds(&code, r#"old.named = adapter.down("named", self.named)?;"#);
}

#[test]
fn values_of_enums_go_through_one_table() {
    let code = generate(
        "message M { C one = 1; repeated C more = 2; optional C maybe = 3; }
         enum C { C_NONE = 0; C_RED = 1; C_BLUE = 2; }",
        "message M { C one = 1; repeated C more = 2; optional C maybe = 3; }
         enum C { C_NONE = 0; C_BLUE = 1; C_RED = 2; }",
        "",
        "",
    );
    holds(
        &code,
        "pairs: &[(0, 0, None, None), (2, 1, None, None), (1, 2, None, None),]",
    );
    holds(
        &code,
        r#"new.more = adapter.numbers_up("more", &self::C, self.more)?;"#,
    );
    holds(
        &code,
        r#"old.maybe = adapter.numbers_down("maybe", &self::C, self.maybe)?;"#,
    );
    assert_eq!(code.matches("const C:").count(), 1, "{code}");
}

#[test]
fn what_says_nothing_asks_for_nothing() {
    let code = generate(
        "message M { }",
        "message M { string a = 1; }",
        "loss.down = { D1 = \"a\" }\nfield.\"M.a\" = { drop = { down = \"D1\" } }",
        "",
    );
    holds(&code, "fn up(self, _: &Adapter) -> Result<new::M, Refused> { Ok(::core::default::Default::default()) }".replace("Result<", "::core::result::Result<").as_str());
    holds(
        &code,
        r#"adapter.lost_if(!self.a.is_empty(), "a", ("D1", "a")); Ok("#,
    );
}

#[test]
fn two_runs_give_the_same() {
    let run = || {
        generate(
            "message M { google.protobuf.Struct a = 1; }",
            "message M { google.protobuf.Struct a = 1; }",
            "",
            "",
        )
    };
    assert_eq!(run(), run());
}
