//! `--fail-on breaking`: what breaks somebody, and what does not.

use super::diff;

const OLD: &str = "message Order { string id = 1; repeated string notes = 2; Way way = 3; }
enum Way { WAY_UNSPECIFIED = 0; POST = 1; }
message Gone { string id = 1; }
service Shop { rpc Buy(Order) returns (Order) { option (google.api.http) = { post: \"/orders\" body: \"*\" }; } rpc Sell(Order) returns (Order); }";

/// `diff` of two versions, the newer one with something else in the place of a part.
fn changed(from: &str, to: &str) -> (u8, String) {
    assert!(OLD.contains(from), "{from}");
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name).join("shop.proto");
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let head = "syntax = \"proto3\"; package shop; import \"google/api/annotations.proto\";";
        std::fs::write(&path, format!("{head}\n{text}")).expect("a file");
        path.to_str().expect("text").to_owned()
    };
    let old = write("old", OLD);
    let new = write("new", &OLD.replace(from, to));
    let (code, out, err) = diff(&[&old, &new, "--fail-on", "breaking"]);
    assert!(!out.is_empty(), "{err}");
    (code, err)
}

#[test]
fn what_breaks_somebody_ends_with_6_and_is_named() {
    for (from, to, told) in [
        ("repeated string notes = 2;", "", "Order.notes is gone"),
        (
            "string notes = 2",
            "string notes = 4",
            "Order.notes has another number",
        ),
        (
            "string notes = 2",
            "int32 notes = 2",
            "Order.notes has another type",
        ),
        ("POST = 1", "FAX = 2; SHIP = 1", "Way.POST is gone"),
        (
            "rpc Sell(Order) returns (Order);",
            "",
            "the operation Sell is gone",
        ),
        (
            "\"/orders\"",
            "\"/buy\"",
            "Buy is no longer at POST /orders",
        ),
        (
            "rpc Sell(Order) returns (Order)",
            "rpc Sell(Order) returns (stream Order)",
            "Sell now answers with a stream",
        ),
    ] {
        let (code, err) = changed(from, to);
        assert_eq!(code, 6, "{from} → {to}: {err}");
        assert!(err.contains(&format!("breaking: {told}")), "{told}\n{err}");
    }
}

#[test]
fn what_is_new_breaks_nobody() {
    for (from, to) in [
        ("Way way = 3;", "Way way = 3;"),
        ("Way way = 3;", "Way way = 3; string more = 4;"),
        ("POST = 1;", "POST = 1; SHIP = 2;"),
        ("rpc Sell", "rpc Lend(Order) returns (Order); rpc Sell"),
        (
            "body: \"*\" }",
            "body: \"*\" additional_bindings { post: \"/buy\" body: \"*\" } }",
        ),
    ] {
        let (code, err) = changed(from, to);
        assert_eq!((code, err.as_str()), (0, ""), "{from} → {to}");
    }
}

#[test]
fn version_1_0_breaks_0_3() {
    let (code, _, err) = diff(&["0.3", "1.0", "--fail-on", "breaking"]);
    assert_eq!(code, 6);
    assert!(err.contains("breaking changes in all"), "{err}");
    let (code, _, _) = diff(&["1.0", "1.0", "--fail-on", "breaking"]);
    assert_eq!(code, 0);
}
