//! Holds the declarations of `proto/a2a/*/a2a.proto` fast.
//!
//! In: the text of a proto. Out: its canonical descriptor (no comments, no positions, no file name),
//! which must have the SHA-256 of `proto_fingerprint/v*.rs`, and must equal the canonical
//! descriptor of the official file wherever that file is at hand, but for the additions that are
//! listed. The descriptor is read through a pool that knows the `google.api` extensions, so routes
//! and `REQUIRED` marks are declarations too.
//!
//! After a wanted change: the failing test prints the new constants.

#[path = "proto_fingerprint/canonical.rs"]
mod canonical;
#[path = "proto_fingerprint/committed.rs"]
mod committed;
#[path = "proto_fingerprint/declarations.rs"]
mod declarations;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use canonical::{canonical, compile, our_text, sha256};
use committed::{SCHEMAS, Schema, V0_3, V1_0};
use declarations::{constants, first_departure, first_difference, take_field};
use prost_reflect::DynamicMessage;

/// The canonical descriptor of a text that stands in for the file of a schema.
fn declared(schema: &Schema, text: &str) -> DynamicMessage {
    canonical(schema.name, text)
}

/// The same without the fields that are ours alone; each must say what is listed.
fn without_additions(schema: &Schema, text: &str) -> DynamicMessage {
    let mut file = declared(schema, text);
    for one in schema.additions {
        let says = take_field(&mut file, one.message, one.field).unwrap_or_default();
        assert_eq!(says, one.says, "{}.{}", one.message, one.field);
    }
    file
}

#[test]
fn the_declarations_have_the_committed_fingerprint() {
    for schema in SCHEMAS {
        let file = declared(schema, &our_text(schema.name));
        let departure = first_departure(&file, schema.declarations);
        assert!(
            departure.is_none() && sha256(&file) == schema.fingerprint,
            "proto/{} does not declare what it did.\nFirst difference: {}\n\
             If the change is wanted, put this into a2a-codegen/tests/proto_fingerprint/{}:\n\n{}\n",
            schema.name,
            departure
                .as_deref()
                .unwrap_or("none; only the hash of the whole is another"),
            schema.constants,
            constants(&file),
        );
    }
}

#[test]
fn the_declarations_are_those_of_the_official_files() {
    for schema in SCHEMAS {
        compare_with_official(schema);
    }
}

fn compare_with_official(schema: &Schema) {
    const REQUIRE: &str = "A2A_REQUIRE_OFFICIAL_PROTO";
    let Schema { name, official, .. } = *schema;
    // The harness swallows what `println!` writes in a test that passes, and whether the
    // comparison took place is for the reader of a passing run; hence the handle itself.
    let say = |line: &str| {
        writeln!(std::io::stderr(), "{line}").expect("standard error takes a line");
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spec");
    let text = match std::fs::read_to_string(path.join(official)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            assert!(
                std::env::var_os(REQUIRE).is_none_or(|value| value != "1"),
                "{REQUIRE}=1 asks for a comparison, but ../shared/spec/{official} is not there",
            );
            return say(&format!(
                "not compared with the official {official}: ../shared/spec has no such file"
            ));
        }
        Err(error) => panic!("../shared/spec/{official} is there but cannot be read: {error}"),
    };
    let ours = without_additions(schema, &our_text(name));
    let theirs = declared(schema, &text);
    if let Some(difference) = first_difference(&ours, &theirs) {
        panic!(
            "proto/{name} differs from the official {official}.\nFirst difference: {difference}"
        );
    }
    assert_eq!(
        sha256(&ours),
        sha256(&theirs),
        "equal declarations, unequal bytes: the walk misses something"
    );
    say(&format!(
        "compared with the official {official}: same declarations, {} fields of our own aside",
        schema.additions.len()
    ));
}

/// Taking the additions out hides nothing else: another field is a difference, and so is an
/// addition that the official file has after all.
#[test]
fn only_the_listed_additions_are_set_aside() {
    let text = our_text(V0_3.name);
    let plain = without_additions(&V0_3, &text);
    assert!(
        first_difference(&declared(&V0_3, &text), &plain)
            .is_some_and(|report| report.starts_with("message Part:")
                && report.contains("found `field[metadata].name")),
        "ours has more than the plain file"
    );
    let more = text.replacen(
        "string context_id = 2;",
        "string context_id = 2; string extra = 99;",
        1,
    );
    assert_ne!(more, text);
    let report = first_difference(&without_additions(&V0_3, &more), &plain).unwrap_or_default();
    assert!(report.contains("field[extra].name"), "{report}");
    assert!(first_departure(&declared(&V0_3, &more), V0_3.declarations).is_some());
}

#[test]
fn a_changed_declaration_changes_the_fingerprint_and_is_named() {
    let text = our_text(V1_0.name);
    let before = declared(&V1_0, &text);
    // What is replaced (once), by what, and what the report must contain.
    let cases = [
        (
            "get: \"/tasks/{id=*}\"",
            "get: \"/task/{id=*}\"",
            "rpc A2AService.GetTask: expected `options.(google.api.http).get",
        ),
        (
            "post: \"/{tenant}/tasks/{id=*}:cancel\"",
            "put: \"/{tenant}/tasks/{id=*}:cancel\"",
            "additional_bindings[0].post",
        ),
        (
            "body: \"*\"",
            "body: \"message\"",
            "rpc A2AService.SendMessage: expected `options.(google.api.http).body",
        ),
        (
            "= \"task_id,config\"",
            "= \"task_id\"",
            "(google.api.method_signature)[0] = \"task_id,config\"`",
        ),
        (
            "returns (stream StreamResponse)",
            "returns (StreamResponse)",
            "server_streaming = true`, found",
        ),
        (
            "string context_id = 2;",
            "string context_id = 9;",
            "message Task: expected `field[context_id].number = 2`",
        ),
        (
            "string context_id = 2;",
            "string contextId = 2;",
            "message Task: expected `field[context_id].name",
        ),
        (
            "string context_id = 2;",
            "bytes context_id = 2;",
            "`field[context_id].type = TYPE_STRING`",
        ),
        (
            "string context_id = 2;",
            "string context_id = 2 [json_name = \"ctx\"];",
            "found `field[context_id].json_name = \"ctx\"`",
        ),
        (
            "optional int32 history_length = 3;",
            "int32 history_length = 3;",
            "message SendMessageConfiguration: expected",
        ),
        (
            "TaskStatus status = 3 [(google.api.field_behavior) = REQUIRED];",
            "TaskStatus status = 3;",
            "(google.api.field_behavior)[0] = REQUIRED`",
        ),
        (
            "implicit = 3 [deprecated = true]",
            "implicit = 3",
            "field[implicit].options.deprecated = true`",
        ),
        (
            "TASK_STATE_AUTH_REQUIRED = 8;",
            "TASK_STATE_AUTH_REQUIRED = 9;",
            "enum TaskState: expected `value[TASK_STATE_AUTH_REQUIRED].number = 8`",
        ),
        (
            "TASK_STATE_AUTH_REQUIRED = 8;",
            "TASK_STATE_AUTH_REQUIRED = 8; NEW = 9;",
            "enum TaskState: expected nothing, found `value[NEW].name",
        ),
        (
            "message StringList {",
            "message StringBag {} message StringList {",
            "expected `message StringList`, found `message StringBag`",
        ),
        (
            "option java_outer_classname = \"A2A\";",
            "",
            "file: expected `options.java_outer_classname = \"A2A\"`",
        ),
        (
            "import \"google/protobuf/empty.proto\";",
            "import \"google/protobuf/any.proto\"; import \"google/protobuf/empty.proto\";",
            "file: expected `dependency[3]",
        ),
    ];
    for (from, to, named) in cases {
        assert!(
            text.contains(from),
            "the case's text is in the proto: {from}"
        );
        let after = declared(&V1_0, &text.replacen(from, to, 1));
        assert_ne!(sha256(&after), sha256(&before), "{from} -> {to}");
        let report = first_difference(&after, &before).unwrap_or_default();
        assert!(report.contains(named), "{from} -> {to}: {report}");
        assert!(
            first_departure(&after, V1_0.declarations).is_some(),
            "{from} -> {to}: the table notices"
        );
    }
}

#[test]
fn what_declares_nothing_leaves_the_fingerprint_alone() {
    let text = our_text(V1_0.name);
    let before = sha256(&declared(&V1_0, &text));
    let bare: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_ne!(bare, text);
    let spelled = text.replacen(
        "string context_id = 2;",
        "string context_id = 2 [json_name = \"contextId\"];",
        1,
    );
    assert_ne!(spelled, text);
    for (what, after) in [
        ("no comments", declared(&V1_0, &bare)),
        (
            "other spacing",
            declared(&V1_0, &text.replace('\n', "\n\n\t")),
        ),
        ("another file name", canonical("elsewhere.proto", &text)),
        ("a json_name that is the default", declared(&V1_0, &spelled)),
    ] {
        assert_eq!(sha256(&after), before, "{what}");
    }
}

/// The two files would agree on a wrong `google/api` just as well, so its numbers stand here.
#[test]
fn the_google_api_options_have_their_numbers() {
    let user = "syntax = \"proto3\"; import \"google/api/annotations.proto\"; import \"google/api/client.proto\"; \
                import \"google/api/field_behavior.proto\"; import \"google/api/httpbody.proto\";";
    let pool = compile("user.proto", user);
    let extensions: BTreeMap<_, _> = pool
        .all_extensions()
        .map(|one| (one.full_name().to_owned(), one.number()))
        .collect();
    let expected = [
        ("google.api.api_version", 525_000_001),
        ("google.api.default_host", 1049),
        ("google.api.field_behavior", 1052),
        ("google.api.http", 72_295_728),
        ("google.api.method_signature", 1051),
        ("google.api.oauth_scopes", 1050),
    ];
    assert_eq!(
        extensions,
        expected
            .map(|(name, number)| (name.to_owned(), number))
            .into()
    );

    let messages: [(&str, &[(&str, u32)]); 4] = [
        (
            "google.api.Http",
            &[("rules", 1), ("fully_decode_reserved_expansion", 2)],
        ),
        (
            "google.api.HttpRule",
            &[
                ("selector", 1),
                ("get", 2),
                ("put", 3),
                ("post", 4),
                ("delete", 5),
                ("patch", 6),
                ("body", 7),
                ("custom", 8),
                ("additional_bindings", 11),
                ("response_body", 12),
            ],
        ),
        ("google.api.CustomHttpPattern", &[("kind", 1), ("path", 2)]),
        (
            "google.api.HttpBody",
            &[("content_type", 1), ("data", 2), ("extensions", 3)],
        ),
    ];
    for (name, fields) in messages {
        let message = pool
            .get_message_by_name(name)
            .unwrap_or_else(|| panic!("{name} is declared"));
        let found: Vec<_> = message
            .fields()
            .map(|field| (field.name().to_owned(), field.number()))
            .collect();
        assert_eq!(
            found,
            fields
                .iter()
                .map(|(field, number)| ((*field).to_owned(), *number))
                .collect::<Vec<_>>(),
            "{name}"
        );
    }

    let behaviors = pool
        .get_enum_by_name("google.api.FieldBehavior")
        .expect("FieldBehavior is declared");
    let names: Vec<_> = (0..=8)
        .map(|number| {
            behaviors
                .get_value(number)
                .expect("0 to 8 are declared")
                .name()
                .to_owned()
        })
        .collect();
    assert_eq!(
        names.join(" "),
        "FIELD_BEHAVIOR_UNSPECIFIED OPTIONAL REQUIRED OUTPUT_ONLY INPUT_ONLY IMMUTABLE UNORDERED_LIST NON_EMPTY_DEFAULT IDENTIFIER",
    );
}

/// The comments become rustdoc: each declaration has one, and none holds what rustdoc would misread.
#[test]
fn every_declaration_has_a_comment_fit_for_rustdoc() {
    for schema in SCHEMAS {
        check_comments(schema.name);
    }
}

fn check_comments(name: &str) {
    let pool = compile(name, &our_text(name));
    let file = pool.get_file_by_name(name).expect("the file was compiled");
    let source = file
        .file_descriptor_proto()
        .source_code_info
        .clone()
        .expect("source info was asked for");
    let comments: BTreeMap<Vec<i32>, String> = source
        .location
        .into_iter()
        .filter_map(|at| Some((at.path, at.leading_comments?)))
        .collect();

    let mut paths: Vec<(String, Vec<i32>)> = Vec::new();
    let mut add = |name: &str, path: &[i32]| paths.push((name.to_owned(), path.to_vec()));
    for message in file.messages() {
        add(message.full_name(), message.path());
        message
            .fields()
            .for_each(|field| add(field.full_name(), field.path()));
        message
            .oneofs()
            .filter(|one| !one.is_synthetic())
            .for_each(|one| add(one.full_name(), one.path()));
    }
    for one in file.enums() {
        add(one.full_name(), one.path());
        one.values()
            .for_each(|value| add(value.full_name(), value.path()));
    }
    for service in file.services() {
        add(service.full_name(), service.path());
        service
            .methods()
            .for_each(|method| add(method.full_name(), method.path()));
    }
    assert!(
        paths.len() > 200,
        "the walk reaches the fields: {}",
        paths.len()
    );

    for (name, path) in paths {
        let comment = comments
            .get(&path)
            .map(|text| text.trim_end())
            .unwrap_or_default();
        assert!(!comment.is_empty(), "{name} has no comment");
        assert!(
            !comment.contains(['[', ']', '<', '>']) && !comment.contains("://"),
            "{name}: rustdoc would read a link or a tag in: {comment}"
        );
        assert!(
            comment.lines().all(|line| !line.starts_with("     ")),
            "{name}: rustdoc would read code in: {comment}"
        );
        assert!(
            comment.matches('`').count().is_multiple_of(2),
            "{name}: a backtick is left open in: {comment}"
        );
    }
}
