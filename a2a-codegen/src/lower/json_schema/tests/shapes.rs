//! Definitions and what they are in the model.

use super::{lowered, printed};

/// Lowers definitions and compares what is printed, line by line.
fn check(definitions: &str, expected: &[&str]) {
    let api = lowered(definitions);
    assert_eq!(printed(&api), expected.join("\n"), "{definitions}");
}

#[test]
fn scalars_and_free_values() {
    check(
        r#""D":{"type":"object","required":["a","b","n"],"properties":{
            "a":{"type":"string"},"b":{"type":"boolean"},"c":{"type":"integer"},"d":{"type":"number"},
            "e":{"type":"object","additionalProperties":{}},"f":{},"g":{"type":["string","null"]},
            "n":{"type":["string","null"]}}}"#,
        &[
            "D { a!: String, b!: Bool, c: Int32?, d: Double?, e: Struct?, f: Value?, g: String?, n!: String? }",
        ],
    );
}

#[test]
fn lists_maps_and_their_nesting() {
    check(
        r##""D":{"properties":{
            "strings":{"type":"array","items":{"type":"string"}},
            "map":{"type":"object","additionalProperties":{"type":"string"}},
            "security":{"type":"array","items":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}},
            "again":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}},
            "things":{"type":"object","additionalProperties":{"$ref":"#/definitions/D"}}}}"##,
        &[
            "D { strings: [String], map: <String>, security: [StringListMap], again: <StringList>, things: <D> }",
            "bare StringList { value!: [String] }",
            "bare StringListMap { value!: <StringList> }",
        ],
    );
}

#[test]
fn enums_with_and_without_a_definition() {
    check(
        r##""State":{"enum":["input-required","HTTP+JSON"]},
            "D":{"required":["state"],"properties":{"state":{"$ref":"#/definitions/State"},"in":{"enum":["a","b"]}}}"##,
        &[
            "D { state!: enum State?, in: enum DIn? }",
            "enum DIn { a, b }",
            "enum State { input-required, HTTP+JSON }",
        ],
    );
}

#[test]
fn unions_and_what_tells_them_apart() {
    let objects = r#""A":{"properties":{"kind":{"const":"a"},"x":{"type":"string"}}},
        "B":{"properties":{"kind":{"const":"b"},"x":{"type":"integer"}}},
        "C":{"properties":{"kind":{"const":"a"},"y":{}}},
        "E":{"properties":{"y":{}}}"#;
    let union = |definitions: &str| {
        let api = lowered(&format!("{objects},{definitions}"));
        let printed = printed(&api);
        let unions = printed.lines().filter(|line| line.starts_with("union"));
        unions.collect::<Vec<_>>().join("\n")
    };
    for (definitions, expected) in [
        (
            r##""U":{"anyOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/B"}]}"##,
            "union U by kind { a=A, b=B }",
        ),
        // Two of one kind, or one without: no constant tells all apart.
        (
            r##""U":{"oneOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/C"}]}"##,
            "union U by - { A, C }",
        ),
        (
            r##""U":{"oneOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/E"}]}"##,
            "union U by - { A, E }",
        ),
        // A union in a union, also by another name, is replaced by its variants.
        (
            r##""V":{"$ref":"#/definitions/U"},"W":{"anyOf":[{"$ref":"#/definitions/V"},{"$ref":"#/definitions/B"}]},
               "U":{"anyOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/B"}]}"##,
            "union U by kind { a=A, b=B }\nunion W by kind { a=A, b=B }",
        ),
    ] {
        assert_eq!(union(definitions), expected, "{definitions}");
    }
}

#[test]
fn what_has_no_definition_is_named_after_its_property() {
    check(
        r##""A":{"properties":{"kind":{"const":"a"}}},"B":{"properties":{"kind":{"const":"b"}}},
            "FilePart":{"required":["file"],"properties":{
              "file":{"anyOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/B"}]},
              "more":{"type":"array","items":{"oneOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/B"}]}},
              "maybe":{"anyOf":[{"$ref":"#/definitions/A"},{"type":"null"}]},
              "innerThing":{"type":"object","properties":{"mode":{"enum":["x"]}}}}}"##,
        &[
            "A { kind=a }",
            "B { kind=b }",
            "FilePart { file!: union FilePartFile?, more: [union FilePartMore], maybe: A?, innerThing: FilePartInnerThing? }",
            "FilePartInnerThing { mode: enum FilePartInnerThingMode? }",
            "enum FilePartInnerThingMode { x }",
            "union FilePartFile by kind { a=A, b=B }",
            "union FilePartMore by kind { a=A, b=B }",
        ],
    );
}

#[test]
fn definitions_without_a_type_of_their_own_are_what_they_say() {
    check(
        r##""Id":{"type":"string"},"Ids":{"type":"array","items":{"$ref":"#/definitions/Id"}},
            "Alias":{"$ref":"#/definitions/D"},"Meta":{"type":"object"},
            "D":{"required":["id"],"properties":{"id":{"$ref":"#/definitions/Id"},"ids":{"$ref":"#/definitions/Ids"},
              "next":{"$ref":"#/definitions/Alias"},"meta":{"$ref":"#/definitions/Meta"},
              "lists":{"type":"array","items":{"$ref":"#/definitions/Ids"}}}}"##,
        &[
            "D { id!: String, ids: [String], next: D?, meta: Struct?, lists: [StringList] }",
            "bare StringList { value!: [String] }",
        ],
    );
}

#[test]
fn all_of_puts_objects_together() {
    check(
        r##""Base":{"properties":{"kind":{"type":"string"},"mode":{"enum":["x","y"]},"m":{}}},
            "Mid":{"allOf":[{"$ref":"#/definitions/Base"},{"properties":{"n":{}}}]},
            "D":{"allOf":[{"$ref":"#/definitions/Mid"},{"$ref":"#/definitions/Base"}],
              "required":["kind","m","z"],"properties":{"kind":{"const":"d"},"z":{"type":"string"}}}"##,
        &[
            "Base { kind: String?, mode: enum BaseMode?, m: Value? }",
            "D { kind=d, mode: enum BaseMode?, m!: Value?, n: Value?, z!: String }",
            "Mid { kind: String?, mode: enum BaseMode?, m: Value?, n: Value? }",
            "enum BaseMode { x, y }",
        ],
    );
}

const ENVELOPE: &str = r##""Error":{"properties":{"code":{"const":-32001},"data":{}}},
    "AnyError":{"anyOf":[{"$ref":"#/definitions/Error"},{"$ref":"#/definitions/Error"}]},
    "ErrorResponse":{"properties":{"jsonrpc":{"const":"2.0"},"error":{"anyOf":[{"$ref":"#/definitions/Error"},{"type":"null"}]}}},
    "AnyRequest":{"anyOf":[{"$ref":"#/definitions/GetRequest"},{"$ref":"#/definitions/GetRequest"}]},
    "Plain":{"properties":{"jsonrpc":{"const":"2.0"},"method":{"type":"string"},"id":{"type":["string","integer"]}}},
    "Thing":{"properties":{"kind":{"const":"thing"}}},"Other":{"properties":{"kind":{"const":"other"}}},"##;

/// A request and a response; `%` is what stands in the request, `^` the response's result.
fn method(request: &str, result: &str) -> String {
    let text = r##""GetRequest":{"required":["method"],"properties":{"jsonrpc":{"const":"2.0"},"method":{"const":"things/get"}%}},
        "GetSuccessResponse":{"properties":{"jsonrpc":{"const":"2.0"},"result":^}},
        "GetResponse":{"anyOf":[{"$ref":"#/definitions/ErrorResponse"},{"$ref":"#/definitions/GetSuccessResponse"}]}"##;
    format!(
        "{ENVELOPE}{}",
        text.replace('%', request).replace('^', result)
    )
}

#[test]
fn methods_of_json_rpc() {
    for (request, result, expected) in [
        (
            r##","params":{"$ref":"#/definitions/Thing"}"##,
            r##"{"$ref":"#/definitions/Other"}"##,
            "rpc Get things/get (Thing) (Other)",
        ),
        (
            "",
            r#"{"type":"null"}"#,
            "rpc Get things/get (google.protobuf.Empty) (google.protobuf.Empty)",
        ),
        (
            r##","params":{"anyOf":[{"$ref":"#/definitions/Thing"},{"$ref":"#/definitions/Other"}]}"##,
            r##"{"type":"array","items":{"$ref":"#/definitions/Thing"}}"##,
            "rpc Get things/get (GetRequestParams) (ThingList)",
        ),
    ] {
        let api = lowered(&method(request, result));
        let printed = printed(&api);
        assert!(printed.ends_with(expected), "{printed}");
        // Nothing of the envelope is a message.
        for name in [
            "Error",
            "AnyError",
            "ErrorResponse",
            "AnyRequest",
            "Plain",
            "GetRequest",
            "GetResponse",
        ] {
            assert!(
                !api.messages.contains_key(name) && !api.unions.contains_key(name),
                "{name}"
            );
        }
        assert!(!api.services[0].methods[0].server_streaming);
    }
}

#[test]
fn a_method_without_a_response_says_so() {
    let api = lowered(
        r#""GetRequest":{"properties":{"jsonrpc":{"const":"2.0"},"method":{"const":"get"}}}"#,
    );
    assert_eq!(printed(&api), "rpc Get get (google.protobuf.Empty) ()");
}
