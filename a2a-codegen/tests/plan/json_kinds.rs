//! What only plans of a JSON schema have: members that are required, bare lists.

use a2a_codegen::diagnostics::Diagnostics;
use a2a_codegen::model::Api;
use a2a_codegen::plan::model::{ConversionPlan, Encoding, How};
use a2a_codegen::plan::{plan, rules::read_rules};

use super::kinds::version;
use super::versions::{proto, schema};

/// The plan of a schema with an `M`, whose method `do` takes one and answers `result`.
fn json_plan(m: &str, result: &str, new: &Api, rules: &str) -> Result<ConversionPlan, Diagnostics> {
    let text = format!(
        r##"{{ "definitions": {{ "M": {m},
        "DoRequest": {{ "type": "object", "required": ["id", "jsonrpc", "method", "params"], "properties": {{
            "id": {{ "type": "string" }}, "jsonrpc": {{ "const": "2.0", "type": "string" }},
            "method": {{ "const": "do", "type": "string" }}, "params": {REF} }} }},
        "DoResponse": {{ "anyOf": [{{ "$ref": "#/definitions/DoSuccessResponse" }}] }},
        "DoSuccessResponse": {{ "type": "object", "required": ["id", "jsonrpc", "result"], "properties": {{
            "id": {{ "type": "string" }}, "jsonrpc": {{ "const": "2.0", "type": "string" }}, "result": {result} }} }} }} }}"##
    );
    plan(
        &schema(&text),
        new,
        &read_rules(rules, "rules.toml")?,
        Encoding::Json,
    )
}

const M: &str =
    r#"{ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } }"#;
const REF: &str = r##"{ "$ref": "#/definitions/M" }"##;

#[test]
fn what_a_schema_requires_and_the_newer_version_may_leave_out() {
    let plain = version("new", "message M { string a = 1; }");
    let faults = json_plan(M, REF, &plain, "").unwrap_err().to_string();
    let what = "the older schema requires `M.a`, which `new.M.a` may leave out";
    assert!(faults.contains(what), "{faults}");
    assert!(
        faults.contains("\"M.a\" = { down = { json = \"always\" }"),
        "{faults}"
    );
    let required = "message M { string a = 1 [(google.api.field_behavior) = REQUIRED]; }";
    assert!(json_plan(M, REF, &version("new", required), "").is_ok());
    let rules = "field.\"M.a\" = { down = { json = \"always\" } }";
    assert!(json_plan(M, REF, &plain, rules).is_ok());
}

#[test]
fn a_bare_list_is_the_only_list_of_the_newer_message() {
    let new = |page: &str| {
        let text = format!(
            "syntax = \"proto3\"; package new;
             message M {{ optional string a = 1; }} message Page {{ {page} }}
             service S {{ rpc Do(M) returns (Page); }}"
        );
        proto("new.proto", &text)
    };
    let m = M.replace("\"required\": [\"a\"], ", "");
    let list = format!(r#"{{ "type": "array", "items": {REF} }}"#);
    let rules =
        "loss.down = { D1 = \"pages\" }\nfield.\"Page.next\" = { drop = { down = \"D1\" } }";
    let page = "repeated M all = 1; string next = 2;";
    let made = json_plan(&m, &list, &new(page), rules).unwrap();
    let found = made.messages.iter().find(|plan| plan.new == "new.Page");
    let How::Bare {
        new: field,
        dropped,
    } = &found.unwrap().how
    else {
        panic!("{found:?}");
    };
    assert_eq!((*field, dropped.len()), (0, 1));
    assert_eq!(dropped[0].down_loss.as_deref(), Some("D1"));

    let two = "repeated M all = 1; repeated M more = 2;";
    let faults = json_plan(&m, &list, &new(two), "").unwrap_err().to_string();
    assert!(
        faults.contains("it has not exactly one such field"),
        "{faults}"
    );
}
