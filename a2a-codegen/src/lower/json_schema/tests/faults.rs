//! What is said about wrong schemas.

use super::{faults_of, lower};

const AB: &str = r#""A":{"properties":{"x":{"type":"string"}}},"B":{"properties":{"x":{"type":"integer"}}},"S":{"type":"string"}"#;

#[test]
fn wrong_definitions_are_told() {
    for (definitions, expected) in [
        (
            r##""D":{"properties":{"a":{"$ref":"#/definitions/a"}}}"##,
            "`D.a`: there is no definition `a`\n  = help: did you mean `#/definitions/A`?",
        ),
        (
            r##""D":{"properties":{"a":{"$ref":"#/definitions/Nothing"}}}"##,
            "there is no definition `Nothing`\n  = help: declare it in `definitions`",
        ),
        (
            r##""D":{"$ref":"#/definitions/D"}"##,
            "`D`: references lead in a circle, or through more than 64 schemas",
        ),
        (
            r##""D":{"type":"array","items":{"$ref":"#/definitions/D"}}"##,
            "`D`: references lead in a circle",
        ),
        (
            r##""U":{"anyOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/V"}]},"V":{"anyOf":[{"$ref":"#/definitions/U"},{"$ref":"#/definitions/A"}]}"##,
            "`V`: the union leads through `U` in a circle",
        ),
        (
            r##""D":{"allOf":[{"$ref":"#/definitions/D"},{"$ref":"#/definitions/A"}]}"##,
            "`D`: `allOf` leads through `D` in a circle",
        ),
        (
            r##""U":{"anyOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/B"}]}"##,
            "the variants of `U` give `x` different types, and no constant tells them apart",
        ),
        (
            r##""D":{"allOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/B"}]}"##,
            "the parts of `D` give `x` different types",
        ),
        (
            r##""D":{"allOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/S"}]}"##,
            "`S`: `allOf` puts objects together, and this is no object",
        ),
        (
            r##""D":{"allOf":[{"$ref":"#/definitions/A"},{"required":["zz"]}]}"##,
            "`D`: `required` names `zz`, which is no property",
        ),
        (
            r##""D":{"allOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"const":"b"}}}]}"##,
            "`D.k`: another part of `allOf` has another constant",
        ),
        (
            r##""D":{"allOf":[{"properties":{"k":{"const":"a"}}},{"properties":{"k":{"type":"integer"}}}]}"##,
            "`D.k`: the constant `a` of another part of `allOf` is not of this type",
        ),
        (
            r##""U":{"anyOf":[{"$ref":"#/definitions/A"},{"$ref":"#/definitions/S"}]}"##,
            "`U`: the alternative `S` of a union is no object",
        ),
        (
            r##""U":{"anyOf":[{"$ref":"#/definitions/A"},{"type":"string"}]}"##,
            "`U`: an alternative of a union is no reference",
        ),
        (
            r#""D":{"properties":{"k":{"const":3}}}"#,
            "`D.k`: the constant 3 is no text",
        ),
        (
            r#""D":{"properties":{"k":{"type":"null"}}}"#,
            "`D.k`: a value that is always the same",
        ),
        (
            r#""D":{"properties":{"k":{"type":"array","items":{"type":["string","null"]}}}}"#,
            "`D.k`: a list or map cannot hold null here",
        ),
        (
            r#""D":{"properties":{"k":{"enum":["a"]}}},"DK":{"enum":["b"]}"#,
            "`D.k`: what stands here would be called `DK`, a name that is taken\n  = also here",
        ),
        (
            r#""StringList":{"properties":{}},"D":{"properties":{"k":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}"#,
            "would be called `StringList`, a name that is taken",
        ),
        (
            r#""D":{"properties":{"taskId":{},"task_id":{}}}"#,
            "the property `task_id` of `D` and the property `taskId` of `D` are both `task_id` in Rust",
        ),
        (
            r#""D":{"properties":{"+":{}}}"#,
            "the property `+` of `D` has no name in Rust",
        ),
        (r#""D":{"enum":["a-b","a_b"]}"#, "are both `AB` in Rust"),
        (
            r#""APIKey":{"properties":{}},"ApiKey":{"properties":{}}"#,
            "the message `ApiKey` and the message `APIKey` are both `ApiKey` in Rust",
        ),
    ] {
        let faults = faults_of(&format!("{AB},{definitions}"));
        assert!(faults.contains(expected), "{definitions}: {faults}");
    }
}

#[test]
fn places_are_those_of_the_text() {
    let text = "{\"definitions\": {\n  \"D\": {\n    \"properties\": {\n      \"a\": { \"$ref\": \"#/definitions/E\" }\n    }\n  }\n}}";
    let faults = lower(text).expect_err("no such definition");
    assert!(
        faults.to_string().starts_with("t.json:4:12: `D.a`:"),
        "{faults}"
    );
    assert!(
        faults.render().contains("4 |       \"a\": {"),
        "{}",
        faults.render()
    );
}

#[test]
fn wrong_methods_are_told() {
    let frame = |rest: &str| format!(r#"{{"properties":{{"jsonrpc":{{"const":"2.0"}}{rest}}}}}"#);
    let get = |params: &str| {
        format!(
            "\"GetRequest\":{}",
            frame(&format!(r#","method":{{"const":"get"}}{params}"#))
        )
    };
    for (definitions, expected) in [
        (
            format!("\"Get\":{}", frame(r#","method":{"const":"get"}"#)),
            "`Get`: the name of a request does not end in `Request`",
        ),
        (
            format!("\"GetRequest\":{}", frame(r#","method":{"const":3}"#)),
            "the method name 3 is no text",
        ),
        (
            get(r#","params":{"type":"string"}"#),
            "parameters and results are objects",
        ),
        (
            get(r##","params":{"$ref":"#/definitions/GetRequest"}"##),
            "`GetRequest` belongs to JSON-RPC's envelope and is no message",
        ),
        (
            format!(
                "{},\"PutRequest\":{}",
                get(""),
                frame(r#","method":{"const":"get"}"#)
            ),
            "`Get` and `Put` are both called `get`",
        ),
        (
            format!("{},\"GetResponse\":{}", get(""), frame("")),
            "`GetResponse` leads to 0 definitions with a `result` where there is one",
        ),
        (
            format!(
                "{},\"GetResponse\":{}",
                get(""),
                frame(r#","result":{"type":"boolean"}"#)
            ),
            "parameters and results are objects",
        ),
        (
            format!(
                r##"{},"M":{{"properties":{{}}}},"U":{{"anyOf":[{{"$ref":"#/definitions/M"}},{{"$ref":"#/definitions/GetRequest"}}]}}"##,
                get("")
            ),
            "`U`: `GetRequest` belongs to JSON-RPC's envelope",
        ),
    ] {
        let faults = faults_of(&definitions);
        assert!(faults.contains(expected), "{definitions}: {faults}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let faults = lower(
        "{\"definitions\":{\n\"A\":{\"properties\":{\"a\":{\"const\":1}}},\n\"B\":{\"enum\":[\"x-\",\"x\"]},\n\"C\":{\"properties\":{\"c\":{\"$ref\":\"#/definitions/Missing\"}}}}}",
    )
    .expect_err("three faults");
    let lines: Vec<u32> = faults.iter().map(|fault| fault.origin.line).collect();
    assert_eq!(lines, [2, 3, 4], "{faults}");
}
