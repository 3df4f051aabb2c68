//! What can be named, and what is said about that which cannot.

use std::path::Path;

use super::{diff, folder, printed};

const OLD: &str = "syntax = \"proto3\"; package shop.v1; import \"common.proto\";
message Order { string id = 1; string note = 2; common.Place place = 3; }
service Shop { rpc Buy(Order) returns (Order); }";

const NEW: &str = "syntax = \"proto3\"; package shop.v2; import \"common.proto\";
message Order { string id = 1; string remark = 2; common.Place place = 3; }
service Shop { rpc Buy(Order) returns (Order); }";

const COMMON: &str = "syntax = \"proto3\"; package common; message Place { string city = 1; }";

struct Project(tempfile::TempDir);

impl Project {
    /// Two versions in folders of their own, and what they both import.
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.write("old/shop.proto", OLD);
        project.write("new/shop.proto", NEW);
        project.write("common/common.proto", COMMON);
        project
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// `diff` of the two versions in Markdown, with further arguments.
    fn diff(&self, more: &[&str]) -> (u8, String, String) {
        let (old, new) = (self.path("old/shop.proto"), self.path("new/shop.proto"));
        let common = self.path("common");
        let arguments = [old.as_str(), &new, "--include", &common, "--format", "md"];
        diff(&[&arguments, more].concat())
    }
}

#[test]
fn versions_on_disk_are_compared_with_and_without_rules() {
    let project = Project::new();
    let (code, out, err) = project.diff(&[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with("# From shop (older) to shop (newer)\n"),
        "{out}"
    );
    assert!(
        out.contains("There are no rules; 2 are needed to begin with."),
        "{out}"
    );
    assert!(
        out.contains("\"Order.remark\" = { proto = \"Order.note\" }"),
        "{out}"
    );
    // Until then the number is all that speaks for it.
    assert!(out.contains("| `Order` | `note` | `remark` |"), "{out}");

    let rules = project.write(
        "rules.toml",
        "field.\"Order.remark\" = { proto = \"Order.note\" }",
    );
    let (code, out, err) = project.diff(&["--rules", &rules]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("say everything that names do not"), "{out}");
    assert!(
        out.contains("| `Order` | `note` | `remark` | renamed | – |"),
        "{out}"
    );
}

#[test]
fn what_lies_beside_a_proto_belongs_to_it() {
    let project = Project::new();
    project.write(
        "old/profile.toml",
        "version = \"1.4\"\nmedia_type = \"text/shop\"",
    );
    project.write(
        "old/shop.schema.json",
        r##"{ "definitions": {
            "Order": { "type": "object", "properties": { "id": { "type": "string" }, "note": { "type": "string" } } },
            "BuyRequest": { "type": "object", "required": ["jsonrpc", "method", "params"], "properties": {
                "jsonrpc": { "const": "2.0" }, "method": { "const": "shop/buy" },
                "params": { "$ref": "#/definitions/Order" } } }
        } }"##,
    );
    let (code, out, err) = project.diff(&[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("# From 1.4 to shop\n"), "{out}");
    assert!(out.contains("shop.schema.json`"), "{out}");
    assert!(
        out.contains("| media type over HTTP | `text/shop` | – |"),
        "{out}"
    );
    assert!(out.contains("`shop/buy`"), "{out}");
}

#[test]
fn the_protos_of_the_repository_say_what_the_built_in_ones_say() {
    let (old, new) = (
        folder("../proto/a2a/v0.3/a2a.proto"),
        folder("../proto/a2a/v1.0/a2a.proto"),
    );
    let (include, rules) = (folder("../proto"), folder("../proto/a2a/v0.3-to-v1.0.toml"));
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let (old, new, include, rules) = (path(&old), path(&new), path(&include), path(&rules));
    let on_disk = printed(&[
        &old,
        &new,
        "--include",
        &include,
        "--rules",
        &rules,
        "--format",
        "md",
    ]);
    let built_in = printed(&["0.3", "1.0", "--format", "md"]);
    // All but the names of the files.
    let body = |text: &str| text.split_once("## Silent traps").unwrap().1.to_owned();
    assert_eq!(body(&on_disk), body(&built_in));
}

#[test]
fn what_cannot_be_compared_is_answered_with_what_to_type() {
    let project = Project::new();
    let shop = project.path("old/shop.proto");
    let empty = project.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let bare = project.write("bare.txt", "x");
    let broken = project.write(
        "broken.proto",
        "syntax = \"proto3\"; message A { strin a = 1; }",
    );
    let wrong = project.write(
        "wrong.toml",
        "field.\"Order.remark\" = { protos = \"Order.note\" }",
    );
    let folder = project.path("old");
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["0.4", "1.0"],
            &[
                "no version and no file `0.4`",
                "built in are 0.3 and 1.0",
                "path of a .proto",
            ],
        ),
        (
            &["1.0", "nowhere.proto"],
            &["no version and no file `nowhere.proto`"],
        ),
        (
            &[&folder, "1.0"],
            &["is a folder; name the proto in it", "shop.proto"],
        ),
        (&[&empty, "1.0"], &["a folder without a .proto"]),
        (&[&bare, "1.0"], &["is no .proto", "profile.toml beside it"]),
        (&[&broken, "1.0"], &["broken.proto:1:", "strin"]),
        // Its import is in a folder that nobody named.
        (&[&shop, "1.0"], &["common.proto"]),
        (
            &["0.3", "1.0", "--rules", "nowhere.toml"],
            &["nowhere.toml cannot be read", "leave --rules out"],
        ),
        (
            &["0.3", "1.0", "--rules", &wrong],
            &["wrong.toml:1:", "protos"],
        ),
    ];
    for (arguments, expected) in cases {
        let (code, out, err) = diff(arguments);
        assert_eq!((code, out.as_str()), (1, ""), "{arguments:?}: {err}");
        for text in *expected {
            assert!(
                err.contains(text),
                "{arguments:?} does not say {text:?}: {err}"
            );
        }
    }
    for usage in [&["0.3"][..], &["0.3", "1.0", "--format", "pdf"], &[]] {
        let (code, out, err) = diff(usage);
        assert_eq!((code, out.as_str()), (2, ""), "{usage:?}");
        assert!(
            err.contains("Usage:") || err.contains("possible values: text, md, json, html"),
            "{err}"
        );
    }
}

#[test]
fn rules_that_do_not_fit_are_told_in_the_report() {
    let project = Project::new();
    let rules = project.write(
        "rules.toml",
        "field.\"Order.remark\" = { proto = \"Order.nte\" }",
    );
    let (code, out, err) = project.diff(&["--rules", &rules]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("are missing or wrong"), "{out}");
    assert!(out.contains("has no field `nte`"), "{out}");
    assert!(out.contains("did you mean `Order.note`?"), "{out}");
}

#[test]
fn none_leaves_the_built_in_rules_out() {
    let without = printed(&["0.3", "1.0", "--rules", "none", "--format", "md"]);
    assert!(without.contains("There are no rules"), "{without}");
    assert!(
        without.contains("\"Message.parts\" = { proto = \"Message.content\" }"),
        "{without}"
    );
    // The other way round there are none.
    let back = printed(&["1.0", "0.3", "--format", "md"]);
    assert!(back.starts_with("# From 1.0 to 0.3\n"), "{back}");
    assert!(back.contains("There are no rules"), "{back}");
}
