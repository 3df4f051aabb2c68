//! HTTP rules: what they become, and which are refused.

use super::{PRELUDE, faults_of, lower_text, rule_faults, with_rule};
use crate::model::{Body, HttpBinding};

/// `METHOD template body response_body`, one line per binding.
fn outline(bindings: &[HttpBinding]) -> Vec<String> {
    let line = |binding: &HttpBinding| {
        let body = match binding.body {
            Body::None => "-".to_owned(),
            Body::All => "*".to_owned(),
            Body::Field(index) => index.to_string(),
        };
        let response = binding
            .response_body
            .map_or("-".to_owned(), |index| index.to_string());
        format!(
            "{} {} {body} {response}",
            binding.method,
            binding.template.canonical()
        )
    };
    bindings.iter().map(line).collect()
}

fn accepted(rule: &str) -> Vec<String> {
    outline(&lower_text(&with_rule(rule)).services[0].methods[0].bindings)
}

#[test]
fn rules_become_bindings() {
    for (rule, expected) in [
        (r#"get: "/x""#, vec!["GET /x - -"]),
        (r#"put: "/x" body: "*""#, vec!["PUT /x * -"]),
        (r#"post: "/x/{id}" body: "name""#, vec!["POST /x/{id} 1 -"]),
        (
            r#"delete: "/x" response_body: "subs""#,
            vec!["DELETE /x - 1"],
        ),
        (
            r#"patch: "/{sub_message.b}" body: "sub_message""#,
            vec!["PATCH /{sub_message.b} 6 -"],
        ),
        (r#"custom { kind: "HEAD" path: "/x" }"#, vec!["HEAD /x - -"]),
        (r#"custom { kind: "*" path: "/x" }"#, vec!["* /x - -"]),
        (
            r#"custom { kind: "X-ODD" path: "/x" }"#,
            vec!["X-ODD /x - -"],
        ),
        (
            r#"get: "/x" additional_bindings { post: "/x" body: "*" } additional_bindings { put: "/y" body: "tags" }"#,
            vec!["GET /x - -", "POST /x * -", "PUT /y 5 -"],
        ),
        // An exact method and any method are two routes.
        (
            r#"get: "/x" additional_bindings { custom { kind: "*" path: "/x" } }"#,
            vec!["GET /x - -", "* /x - -"],
        ),
        // Single fields whose values have a form as text.
        (
            r#"get: "/{kind}/{raw}/{maybe}/{at}/{by_name}""#,
            vec!["GET /{kind}/{raw}/{maybe}/{at}/{by_name} - -"],
        ),
        (
            r#"get: "/{sub_message.next.next.b}""#,
            vec!["GET /{sub_message.next.next.b} - -"],
        ),
        (
            r#"get: "/{sub_message.one}/{sub_message.next.two}""#,
            vec!["GET /{sub_message.one}/{sub_message.next.two} - -"],
        ),
    ] {
        assert_eq!(accepted(rule), expected, "{rule}");
    }
}

#[test]
fn a_method_without_a_rule_has_no_binding() {
    let text = PRELUDE.replace("option (google.api.http) = { %RULE% };", "");
    assert!(lower_text(&text).services[0].methods[0].bindings.is_empty());
}

#[test]
fn a_rule_may_be_set_piece_by_piece() {
    let text = PRELUDE.replace(
        "option (google.api.http) = { %RULE% };",
        "option (google.api.http).put = '/x';\n  option (google.api.http).body = '*';",
    );
    let api = lower_text(&text);
    assert_eq!(
        outline(&api.services[0].methods[0].bindings),
        ["PUT /x * -"]
    );
}

#[test]
fn a_binding_knows_where_its_template_stands() {
    let api = lower_text(&with_rule("get: '/x' additional_bindings { get: \"/y\" }"));
    let bindings = &api.services[0].methods[0].bindings;
    let places: Vec<_> = bindings
        .iter()
        .map(|b| (b.origin.line, b.origin.column))
        .collect();
    assert_eq!(places, [(16, 37), (16, 69)]);
    assert_eq!(&*bindings[0].origin.proto_path, "gen.S.R");
}

#[test]
fn refusals() {
    let template = |column: u32, text: &str, rest: &str| {
        format!("t.proto:16:{column}: the path template `{text}` of `gen.S.R` is wrong at {rest}")
    };
    let variable = |text: &str, name: &str, rest: &str| {
        format!("t.proto:16:37: `{{{name}}}` in the path template `{text}` of `gen.S.R`: {rest}")
    };
    for (rule, expected) in [
        // Templates.
        (r#"get: "/a/**/*""#, template(44, "/a/**/*", "character 7: a wildcard or variable follows `**`\n  = help: only literals may follow `**`, which matches any number of segments")),
        (r#"get: "/v1/{name""#, template(42, "/v1/{name", "character 5: the variable is not closed\n  = help: add the missing `}`")),
        (r#"get: "v1""#, template(38, "v1", "character 1: it does not start with `/`\n  = help: write `/v1`")),
        (r#"get: """#, template(38, "", "character 1: it does not start with `/`\n  = help: write `/`")),
        (r#"get: "/{a={id}}""#, template(42, "/{a={id}}", "character 5: a variable stands inside of another\n  = help: bind the two fields to separate segments")),
        // Fields of variables.
        (r#"get: "/v1/{nope}""#, variable("/v1/{nope}", "nope", "`gen.Req` has no field `nope`\n  = help: its fields are `id`, `name`, `a`, `raw`, `kind`, `tags`, `sub_message`, `labels`, `at`, `any`, `maybe`, `by_name`, …")),
        (r#"get: "/{nane}""#, variable("/{nane}", "nane", "`gen.Req` has no field `nane`\n  = help: did you mean `name`?")),
        (r#"get: "/{subMessage.b}""#, variable("/{subMessage.b}", "subMessage.b", "`gen.Req` has no field `subMessage`\n  = help: did you mean `sub_message`?")),
        (r#"get: "/{tags}""#, variable("/{tags}", "tags", "the field `tags` of `gen.Req` is repeated\n  = help: only single fields can stand in a path; leave it to the query or the body")),
        (r#"get: "/{labels}""#, variable("/{labels}", "labels", "the field `labels` of `gen.Req` is a map\n  = help: only single fields can stand in a path; leave it to the query or the body")),
        (r#"get: "/{sub_message}""#, variable("/{sub_message}", "sub_message", "the field `sub_message` of `gen.Req` is a message\n  = help: name a field inside of it: `{sub_message.…}`")),
        (r#"get: "/{any}""#, variable("/{any}", "any", "the field `any` of `gen.Req` is a message\n  = help: leave it to the body")),
        (r#"get: "/{id.b}""#, variable("/{id.b}", "id.b", "the field `id` of `gen.Req` has no fields of its own\n  = help: end the variable with `id`")),
        (r#"get: "/{at.seconds}""#, variable("/{at.seconds}", "at.seconds", "the field `at` of `gen.Req` has no fields of its own\n  = help: end the variable with `at`")),
        (r#"get: "/{sub_message.subs.b}""#, variable("/{sub_message.subs.b}", "sub_message.subs.b", "the field `subs` of `gen.Sub` is repeated\n  = help: only single fields can stand in a path; leave it to the query or the body")),
        (r#"get: "/{by_name}/{by_number}""#, variable("/{by_name}/{by_number}", "by_number", "`by_number` and `by_name` are members of the oneof `pick`, of which only one can be set\n  = help: bind one of them, and write `*` for the other segment")),
        (r#"get: "/{sub_message.one}/{sub_message.two}""#, variable("/{sub_message.one}/{sub_message.two}", "sub_message.two", "`sub_message.two` and `sub_message.one` are members of the oneof `sub_message.which`, of which only one can be set\n  = help: bind one of them, and write `*` for the other segment")),
        (r#"put: "/{id}" body: "id""#, variable("/{id}", "id", "the field `id` is the `body` as well\n  = help: take the field out of the path, or choose another body")),
        // Bodies.
        (r#"post: "/x" body: "sub_message.b""#, "t.proto:16:49: the `body` of `gen.S.R`: `sub_message.b` is not a field of `gen.Req` itself\n  = help: name a field of the message itself; `*` is all of them".to_owned()),
        (r#"post: "/x" body: "nam""#, "t.proto:16:49: the `body` of `gen.S.R`: `gen.Req` has no field `nam`\n  = help: did you mean `name`?".to_owned()),
        (r#"get: "/x" response_body: "ids""#, "t.proto:16:57: the `response_body` of `gen.S.R`: `gen.Res` has no field `ids`\n  = help: did you mean `id`?".to_owned()),
        (r#"get: "/x" response_body: "*""#, "t.proto:16:57: the `response_body` of `gen.S.R`: `*` is no field\n  = help: leave `response_body` out: the whole response is the default".to_owned()),
        // Patterns.
        (r#"body: "*""#, "t.proto:16:3: the HTTP rule of `gen.S.R` has no path\n  = help: add `get: \"/…\"`, or `put`, `post`, `delete`, `patch`, `custom`".to_owned()),
        ("", "t.proto:16:3: the HTTP rule of `gen.S.R` has no path\n  = help: add `get: \"/…\"`, or `put`, `post`, `delete`, `patch`, `custom`".to_owned()),
        (r#"get: "/x" additional_bindings { body: "*" }"#, "t.proto:16:3: the HTTP rule of `gen.S.R` has no path\n  = help: add `get: \"/…\"`, or `put`, `post`, `delete`, `patch`, `custom`".to_owned()),
        (r#"custom { path: "/x" }"#, "t.proto:16:47: a route of `gen.S.R` has no HTTP method\n  = help: name one, such as `HEAD`; `*` is any".to_owned()),
        (r#"custom { kind: "post" path: "/x" }"#, "t.proto:16:47: `post` of `gen.S.R` is no HTTP method\n  = help: write `POST`".to_owned()),
        (r#"custom { kind: "A B" path: "/x" }"#, "t.proto:16:47: `A B` of `gen.S.R` is no HTTP method\n  = help: name one, such as `HEAD`; `*` is any".to_owned()),
        (r#"get: "/x" additional_bindings { get: "/y" additional_bindings { get: "/z" } }"#, "t.proto:16:3: the HTTP rule of `gen.S.R` has `additional_bindings` inside of `additional_bindings`\n  = help: list all of them in the outer rule, one after the other".to_owned()),
    ] {
        let found = rule_faults(rule);
        assert_eq!(found, expected, "{rule}");
    }
}

#[test]
fn routes_that_cannot_be_told_apart() {
    for (rule, route, other, column) in [
        (
            r#"get: "/x" additional_bindings { get: "/x" }"#,
            "GET /x",
            "GET /x",
            69,
        ),
        (
            r#"get: "/x/{id}" additional_bindings { get: "/x/{name}" }"#,
            "GET /x/{name}",
            "GET /x/{id}",
            74,
        ),
        (
            r#"get: "/{id=x/*}:v" additional_bindings { get: "/x/*:v" }"#,
            "GET /x/*:v",
            "GET /{id=x/*}:v",
            78,
        ),
        (
            r#"custom { kind: "*" path: "/x" } additional_bindings { custom { kind: "*" path: "/%78" } }"#,
            "* /%78",
            "* /x",
            111,
        ),
        (
            r#"get: "/x" additional_bindings { custom { kind: "GET" path: "/x" } }"#,
            "GET /x",
            "GET /x",
            91,
        ),
    ] {
        let found = rule_faults(rule);
        let expected = format!(
            "t.proto:16:{column}: `{route}` of `gen.S.R` is the same route as `{other}` of `gen.S.R`\n  = also here: t.proto:16:"
        );
        assert!(found.starts_with(&expected), "{rule}\n{found}\n{expected}");
    }
}

#[test]
fn routes_collide_across_services_and_name_both_rpcs() {
    let text = with_rule(r#"get: "/x/{id}""#)
        + r#"service Other { rpc Read(Req) returns (Res) { option (google.api.http) = { get: "/x/{name}" }; } }"#;
    assert_eq!(
        faults_of(&text),
        "t.proto:18:81: `GET /x/{name}` of `gen.Other.Read` is the same route as `GET /x/{id}` of `gen.S.R`\n  \
         = also here: t.proto:16:37: `GET /x/{id}` of `gen.S.R`\n  \
         = help: requests cannot tell them apart, whatever the variables are called; change the path or the HTTP method of one"
    );
}

#[test]
fn all_faults_are_told_in_the_order_of_their_places() {
    let found = rule_faults(
        "get: '/{nope}'\n body: 'what'\n additional_bindings { post: 'x' }\n additional_bindings { custom { kind: 'get' path: '/y' } response_body: 'no' }",
    );
    let lines: Vec<&str> = found
        .lines()
        .filter(|line| line.starts_with("t.proto"))
        .collect();
    assert_eq!(
        lines,
        [
            "t.proto:16:37: `{nope}` in the path template `/{nope}` of `gen.S.R`: `gen.Req` has no field `nope`",
            "t.proto:17:8: the `body` of `gen.S.R`: `gen.Req` has no field `what`",
            "t.proto:18:31: the path template `x` of `gen.S.R` is wrong at character 1: it does not start with `/`",
            "t.proto:19:39: `get` of `gen.S.R` is no HTTP method",
            "t.proto:19:73: the `response_body` of `gen.S.R`: `gen.Res` has no field `no`",
        ]
    );
}

#[test]
fn a_request_without_fields_has_none_to_bind() {
    let text = with_rule(r#"get: "/{id}""#)
        .replace("rpc R(Req)", "rpc R(google.protobuf.Empty)")
        .replace(
            "package gen;",
            "package gen; import \"google/protobuf/empty.proto\";",
        );
    assert_eq!(
        faults_of(&text),
        "t.proto:16:37: `{id}` in the path template `/{id}` of `gen.S.R`: `google.protobuf.Empty` has no field `id`\n  = help: the message has no fields"
    );
}
