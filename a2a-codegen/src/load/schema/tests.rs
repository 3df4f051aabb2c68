//! What the reader of JSON schemas makes of files, and what it says about wrong ones.

use super::{Form, SchemaSource, load_schema};
use crate::diagnostics::Diagnostics;
use crate::load::LoadedSchema;

fn load(text: &str) -> Result<LoadedSchema, Diagnostics> {
    load_schema(&SchemaSource::text("t.json", text))
}

/// The form of a definition, as `Debug` prints it.
fn form(schema: &str) -> String {
    let text = format!("{{\"definitions\":{{\"D\":{schema}}}}}");
    let loaded = load(&text).unwrap_or_else(|faults| panic!("{schema}: {faults}"));
    let definition = loaded.definitions.first().expect("one definition");
    let null = if definition.schema.nullable { "?" } else { "" };
    format!("{}{null}", short(&definition.schema.form))
}

fn short(form: &Form) -> String {
    match form {
        Form::Map(inner) => format!("Map<{}>", short(&inner.form)),
        Form::List(inner) => format!("List<{}>", short(&inner.form)),
        Form::Object {
            properties,
            required,
        } => {
            let names = properties.iter().map(|property| {
                let mark = if required.contains(&property.name) {
                    "!"
                } else {
                    ""
                };
                format!("{}{mark}: {}", property.name, short(&property.schema.form))
            });
            format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
        }
        Form::Choice(schemas) => listed("Choice", schemas.iter().map(|s| short(&s.form))),
        Form::All(schemas) => listed("All", schemas.iter().map(|s| short(&s.form))),
        other => format!("{other:?}").replace('"', "'"),
    }
}

fn listed(name: &str, parts: impl Iterator<Item = String>) -> String {
    format!("{name}[{}]", parts.collect::<Vec<_>>().join(", "))
}

#[test]
fn keywords_say_what_a_value_is() {
    for (schema, expected) in [
        ("{}", "Any"),
        ("true", "Any"),
        (
            r#"{"type":"string","format":"uri","title":"t","examples":[{"odd":1}]}"#,
            "Text",
        ),
        (r#"{"type":"integer","default":3}"#, "Integer"),
        (r#"{"type":"number"}"#, "Number"),
        (r#"{"type":"boolean"}"#, "Boolean"),
        (r#"{"type":"null"}"#, "Null"),
        (r#"{"type":["string","null"]}"#, "Text?"),
        (r#"{"type":["string","integer"]}"#, "Any"),
        (r#"{"type":["string","integer","null"]}"#, "Any?"),
        (
            r##"{"$ref":"#/definitions/X","description":"d"}"##,
            "Reference('X')",
        ),
        (
            r##"{"$ref":"#/definitions/a~1b~0c"}"##,
            "Reference('a/b~c')",
        ),
        (
            r#"{"const":"task","type":"string"}"#,
            "Constant(Ok('task'))",
        ),
        (r#"{"const":-32001}"#, "Constant(Err('-32001'))"),
        (r#"{"const":null}"#, "Null"),
        (
            r#"{"enum":["a","b"],"type":"string"}"#,
            "Enumeration(['a', 'b'])",
        ),
        (r#"{"enum":["a",null]}"#, "Enumeration(['a'])?"),
        (
            r#"{"type":"array","items":{"type":"string"}}"#,
            "List<Text>",
        ),
        (r#"{"items":{"type":"string"}}"#, "List<Text>"),
        (r#"{"type":"array"}"#, "List<Any>"),
        (r#"{"type":"object"}"#, "FreeObject"),
        (
            r#"{"type":"object","additionalProperties":{}}"#,
            "FreeObject",
        ),
        (
            r#"{"type":"object","additionalProperties":true}"#,
            "FreeObject",
        ),
        (r#"{"type":"object","additionalProperties":false}"#, "{}"),
        (r#"{"additionalProperties":{"type":"string"}}"#, "Map<Text>"),
        (
            r#"{"additionalProperties":{"items":{"type":"string"},"type":"array"},"type":"object"}"#,
            "Map<List<Text>>",
        ),
        (
            r#"{"properties":{"b":{"type":"string"},"a":{}},"required":["a"],"additionalProperties":false}"#,
            "{b: Text, a!: Any}",
        ),
        (r#"{"type":["object","null"],"properties":{}}"#, "{}?"),
        (
            r##"{"anyOf":[{"$ref":"#/definitions/X"},{"$ref":"#/definitions/Y"}]}"##,
            "Choice[Reference('X'), Reference('Y')]",
        ),
        (
            r##"{"oneOf":[{"$ref":"#/definitions/X"},{"type":"null"}]}"##,
            "Reference('X')?",
        ),
        (
            r##"{"allOf":[{"$ref":"#/definitions/X"}],"description":"d"}"##,
            "Reference('X')",
        ),
        (
            r##"{"allOf":[{"$ref":"#/definitions/X"}],"type":"object","properties":{"a":{}},"required":["a","of_x"]}"##,
            "All[Reference('X'), {a!: Any}]",
        ),
        (
            r##"{"allOf":[{"$ref":"#/definitions/X"}],"required":["of_x"]}"##,
            "All[Reference('X'), {}]",
        ),
    ] {
        assert_eq!(form(schema), expected, "{schema}");
    }
}

#[test]
fn descriptions_become_docs_and_places_are_kept() {
    let text = "{\n  \"definitions\": {\n    \"D\": {\n      \"description\": \" One.  \\n\\nTwo. \",\n      \"deprecated\": true,\n      \"properties\": {\n        \"aB\": { \"type\": \"string\" }\n      }\n    }\n  }\n}";
    let loaded = load(text).expect("it loads");
    let definition = &loaded.definitions[0];
    assert_eq!(definition.schema.docs, "One.\n\nTwo.");
    assert!(definition.schema.deprecated);
    assert_eq!((definition.origin.line, definition.origin.column), (3, 5));
    let Form::Object { properties, .. } = &definition.schema.form else {
        panic!("an object");
    };
    let origin = &properties[0].origin;
    assert_eq!((origin.line, origin.column), (7, 9));
    assert_eq!(&*origin.proto_path, "D.aB");
    assert_eq!(properties[0].schema.origin.column, 15);
}

#[test]
fn wrong_schemas_are_told() {
    for (schema, expected) in [
        ("3", "t.json:1:21: `D`: a schema is an object"),
        (
            r#"{"minLength":3}"#,
            "t.json:1:22: `D`: the keyword `minLength` is not understood\n  = help: remove it",
        ),
        (
            r#"{"propertis":{}}"#,
            "the keyword `propertis` is not understood\n  = help: did you mean `properties`?",
        ),
        (
            r#"{"type":"text"}"#,
            "t.json:1:29: `D`: `text` is no type\n  = help: write one of array, boolean",
        ),
        (r#"{"type":3}"#, "3 is no type"),
        (r#"{"description":3}"#, "`description` is no text"),
        (
            r##"{"$ref":"other.json#/definitions/X"}"##,
            "the reference `other.json#/definitions/X` does not lead to a definition",
        ),
        (
            r##"{"$ref":"#/definitions/X/properties/a"}"##,
            "does not lead to a definition",
        ),
        (
            r##"{"$ref":"#/definitions/X","type":"object"}"##,
            "`type` beside `$ref` is not understood",
        ),
        (
            r##"{"anyOf":[{"$ref":"#/definitions/X"}],"properties":{}}"##,
            "`properties` beside `anyOf` is not understood",
        ),
        (r#"{"anyOf":[]}"#, "`anyOf` is no list of schemas"),
        (r#"{"enum":["a","a"]}"#, "the value `a` is in `enum` twice"),
        (r#"{"enum":[1]}"#, "1 in `enum` is no text"),
        (r#"{"enum":[]}"#, "`enum` has no value"),
        (r#"{"enum":"a"}"#, "`enum` is no list"),
        (
            r#"{"type":"string","items":{}}"#,
            "`items` does not go with the type of the value",
        ),
        (
            r#"{"type":"array","properties":{}}"#,
            "`properties` does not go with the type",
        ),
        (r#"{"properties":[]}"#, "`properties` is no object"),
        (
            r#"{"properties":{"a":{},"a":{}}}"#,
            "t.json:1:43: `D`: the key `a` is there twice",
        ),
        (
            r#"{"properties":{},"required":"a"}"#,
            "`required` is no list",
        ),
        (
            r#"{"properties":{"taskId":{}},"required":["task_id"]}"#,
            "`required` names `task_id`, which is no property\n  = help: did you mean `taskId`?",
        ),
        (
            r#"{"properties":{},"additionalProperties":{"type":"string"}}"#,
            "`additionalProperties` with a schema beside `properties`",
        ),
        (r#"{"type":"array","items":[{}]}"#, "a schema is an object"),
    ] {
        let text = format!("{{\"definitions\":{{\"D\":{schema}}}}}");
        let faults = load(&text).expect_err(schema).to_string();
        assert!(faults.contains(expected), "{schema}: {faults}");
    }
}

#[test]
fn files_that_are_no_schema_are_told() {
    for (text, expected) in [
        (
            "",
            "t.json:1:1: the file is no JSON: EOF while parsing a value",
        ),
        ("[]", "t.json:1:1: a JSON schema is an object"),
        ("{}", "the schema has no `definitions`"),
        (
            "{\"definitions\":{}}x",
            "t.json:1:19: the file is no JSON: trailing characters",
        ),
        (
            "{\n \"definitions\": {,} }",
            "t.json:2:18: the file is no JSON: key must be a string",
        ),
        (
            "{\"definitions\":{\"A\":{\"title\":\"\\ud800\"}}}",
            "the value cannot be read",
        ),
        (
            "{\"$defs\":{},\"definitions\":{}}",
            "the keyword `$defs` is not understood beside `definitions`",
        ),
    ] {
        let faults = load(text).expect_err(text).to_string();
        assert!(faults.contains(expected), "{text}: {faults}");
    }
}

#[test]
fn all_faults_are_told_at_once_with_their_lines() {
    let text = "{\"definitions\":{\n\"A\":{\"typ\":1},\n\"B\":{\"enum\":[]}}}";
    let faults = load(text).expect_err("two faults");
    assert_eq!(faults.len(), 2);
    assert!(
        faults.render().contains("2 | \"A\":{\"typ\":1},\n"),
        "{}",
        faults.render()
    );
}

#[test]
fn depth_size_and_names_are_bounded() {
    let deep = format!("{}1{}", "{\"definitions\":".repeat(2000), "}".repeat(2000));
    let faults = load(&deep).expect_err("too deep").to_string();
    assert!(
        faults.contains("nested more than 48 levels deep"),
        "{faults}"
    );

    let large = format!("{{\"definitions\":{{}}}}{}", " ".repeat(3 << 20));
    let faults = load(&large).expect_err("too large").to_string();
    assert!(faults.contains("larger than 2 MiB"), "{faults}");

    let name = "n".repeat(200);
    let faults = load(&format!("{{\"definitions\":{{\"{name}\":{{}}}}}}")).expect_err("too long");
    assert!(
        faults.to_string().contains("longer than 128 bytes"),
        "{faults}"
    );

    let many = "{\"x\":1},".repeat(10_000);
    let text = format!("{{\"definitions\":{{\"A\":{{\"anyOf\":[{many}{{}}]}}}}}}");
    assert_eq!(load(&text).expect_err("many").len(), 200);
}

#[test]
fn files_on_disk_are_read_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.json");
    std::fs::write(&path, "{\"definitions\":{\"A\":{}}}").expect("written");
    let loaded = load_schema(&SchemaSource::file(&path).named("a/s.json")).expect("it loads");
    assert_eq!(loaded.name, "a/s.json");
    assert_eq!(loaded.path.as_deref(), Some(path.as_path()));

    std::fs::write(&path, b"{\n \"definitions\xff").expect("written");
    let faults = load_schema(&SchemaSource::file(&path).named("s.json")).expect_err("no text");
    assert!(
        faults
            .to_string()
            .starts_with("s.json:2:14: the file is no UTF-8 text"),
        "{faults}"
    );

    let faults =
        load_schema(&SchemaSource::file(folder.path().join("none.json")).named("none.json"));
    let faults = faults.expect_err("no file").to_string();
    assert!(
        faults.starts_with("none.json: the file cannot be read"),
        "{faults}"
    );
}
