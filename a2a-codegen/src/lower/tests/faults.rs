//! What is refused of types, files and methods, word for word.

use super::{faults_of, file, lower_text};

#[test]
fn types_that_are_not_supported() {
    let imports = "import \"google/protobuf/struct.proto\"; import \"google/protobuf/descriptor.proto\"; import \"google/api/httpbody.proto\";";
    for (ty, problem, hint) in [
        (
            "google.protobuf.NullValue",
            "`google.protobuf.NullValue` is not supported",
            "use `google.protobuf.Value`, which has a null",
        ),
        (
            "google.protobuf.FileDescriptorProto",
            "`google.protobuf.FileDescriptorProto` is not supported",
            "the well-known types are Timestamp, Duration, FieldMask, Struct, Value, ListValue, Empty, Any and the wrappers",
        ),
        (
            "google.api.HttpBody",
            "`google.api.HttpBody` is not supported yet",
            "use a message with a `bytes` field and one for the media type",
        ),
        (
            "map<string, google.api.HttpBody>",
            "`google.api.HttpBody` is not supported yet",
            "use a message with a `bytes` field and one for the media type",
        ),
    ] {
        let text = file(&format!("message M {{ {ty} f = 1; }} {imports}"));
        assert_eq!(
            faults_of(&text),
            format!("t.proto:2:13: field `f` of `p.M`: {problem}\n  = help: {hint}"),
            "{ty}"
        );
    }
}

#[test]
fn methods_that_are_not_supported() {
    let imports =
        "import \"google/protobuf/timestamp.proto\"; import \"google/api/httpbody.proto\";";
    for (rpc, problem, hint) in [
        (
            "rpc R(stream M) returns (M)",
            "`p.S.R` takes a stream of requests, which is not supported",
            "remove `stream` before the request type; a stream of responses is supported",
        ),
        (
            "rpc R(M) returns (google.protobuf.Timestamp)",
            "`p.S.R` uses `google.protobuf.Timestamp` as a whole request or response",
            "declare a message with a field of that type",
        ),
        (
            "rpc R(google.api.HttpBody) returns (M)",
            "`p.S.R`: `google.api.HttpBody` is not supported yet",
            "use a message with a `bytes` field and one for the media type",
        ),
    ] {
        let text = file(&format!("message M {{}} service S {{ {rpc}; }} {imports}"));
        assert_eq!(
            faults_of(&text),
            format!("t.proto:2:26: {problem}\n  = help: {hint}"),
            "{rpc}"
        );
    }
}

#[test]
fn both_sides_of_a_method_are_judged() {
    let text = file(
        "import \"google/protobuf/any.proto\"; import \"google/protobuf/wrappers.proto\"; service S { rpc R(stream google.protobuf.Any) returns (google.protobuf.Int32Value); }",
    );
    let found = faults_of(&text);
    assert_eq!(
        found
            .lines()
            .filter(|line| line.starts_with("t.proto:2:90: "))
            .count(),
        3,
        "{found}"
    );
}

#[test]
fn files_that_are_not_proto3() {
    let hint = "\n  = help: write it in proto3: start it with `syntax = \"proto3\";`";
    assert_eq!(
        faults_of(
            "// Old.\nsyntax = \"proto2\";\npackage p;\nmessage M { optional string a = 1; }"
        ),
        format!("t.proto:2:1: the file is written in proto2, which is not supported{hint}")
    );
    assert_eq!(
        faults_of("message M { optional string a = 1; }"),
        format!("t.proto: the file is written in proto2, which is not supported{hint}")
    );
}

#[test]
fn groups_and_extensions() {
    let found = faults_of(
        "syntax = \"proto2\"; package p;\nmessage M { optional group Part = 1 {} extensions 5 to 9; }\nextend M { optional string more = 5; }\nmessage N { extend M { optional string inner = 6; } }",
    );
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(
        lines,
        [
            "t.proto:1:1: the file is written in proto2, which is not supported",
            "  = help: write it in proto3: start it with `syntax = \"proto3\";`",
            "t.proto:2:13: field `part` of `p.M`: groups are not supported",
            "  = help: declare a message and a field of that type",
            "t.proto:3:12: `more` extends the message `p.M`, which is not supported",
            "  = help: declare the field in the message itself",
            "t.proto:4:24: `inner` extends the message `p.M`, which is not supported",
            "  = help: declare the field in the message itself",
        ]
    );
}

#[test]
fn new_options_are_no_extensions_of_messages() {
    lower_text(&file(
        "import \"google/protobuf/descriptor.proto\"; extend google.protobuf.MethodOptions { string mine = 50000; } \
         message M { extend google.protobuf.FieldOptions { int32 weight = 50001; } string a = 1 [(M.weight) = 3]; } \
         service S { rpc R(M) returns (M) { option (mine) = \"x\"; } }",
    ));
}

#[test]
fn entries_of_maps_are_not_made_by_hand() {
    let entry = "{ option map_entry = true; string key = 1; string value = 2; }";
    assert_eq!(
        faults_of(&file(&format!("message Entry {entry}"))),
        "t.proto:2:1: the message `p.Entry` is marked as the entry of a map\n  = help: remove the option `map_entry` and declare a field of type `map<…, …>`"
    );
    let found = faults_of(&file(&format!(
        "message N {{ message E {entry} }} message M {{ repeated N.E e = 1; }}"
    )));
    assert!(
        found.contains("field `e` of `p.M`: `p.N.E` is no entry of a map"),
        "{found}"
    );
}
