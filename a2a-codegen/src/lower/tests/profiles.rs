//! What a profile adds, and which of its names are refused.

use super::{PRELUDE, load, profile, with_rule};
use crate::lower::lower;
use crate::model::{Api, Body};
use crate::profile::Profile;

/// `gen.S.R` with `GET /x`, and a second service with an rpc of the same name and one of its own.
fn schema() -> String {
    with_rule("get: \"/x\"")
        + "service T { rpc R(Req) returns (Res); rpc Only(Req) returns (Res); }"
}

fn apply(text: &str) -> Result<Api, String> {
    lower(&load(&schema()), &profile(text)).map_err(|faults| faults.to_string())
}

#[test]
fn extra_routes_come_after_the_annotated_ones() {
    let api = apply(
        "[operations.\"S.R\"]\nextra_routes = [\n  { method = \"POST\", path = \"/x/{id}:go\", body = \"*\" },\n  { method = \"*\", path = \"/y\", body = \"tags\" },\n]\n[operations.Only]\nextra_routes = [{ method = \"GET\", path = \"/only\" }]",
    )
    .expect("the profile fits");
    let bindings = &api.services[0].methods[0].bindings;
    let outline: Vec<_> = bindings
        .iter()
        .map(|b| (b.method.as_str(), b.template.text.as_str(), b.body))
        .collect();
    assert_eq!(
        outline,
        [
            ("GET", "/x", Body::None),
            ("POST", "/x/{id}:go", Body::All),
            ("*", "/y", Body::Field(5))
        ]
    );
    let origin = &bindings[1].origin;
    assert_eq!(
        (
            &*origin.file,
            origin.line,
            origin.column,
            &*origin.proto_path
        ),
        ("profile.toml", 3, 3, "gen.S.R")
    );
    assert_eq!(api.services[1].methods[1].bindings.len(), 1);
    assert!(api.services[1].methods[0].bindings.is_empty());
}

#[test]
fn refusals() {
    for (text, expected) in [
        (
            "[operations.Onyl]\ncapability = \"x\"",
            "profile.toml:1:13: the schema has no rpc `Onyl`\n  = help: write the name of an rpc as the schema has it",
        ),
        (
            "[operations.Onli]",
            "profile.toml:1:13: the schema has no rpc `Onli`\n  = help: did you mean `Only`?",
        ),
        (
            "[operations.R]",
            "profile.toml:1:13: `R` is the name of several rpcs\n  = help: write one of `gen.S.R`, `gen.T.R`",
        ),
        (
            "[operations.Only]\n[operations.\"gen.T.Only\"]",
            "profile.toml:2:13: `gen.T.Only` and `Only` are the same rpc\n  = also here: profile.toml:1:13: `Only`\n  = help: put everything about an rpc into one entry",
        ),
        (
            "[check]\nrequired_oneofs = [\"gen.Req.pick\", \"gen.Req.pikc\", \"pick\"]",
            "profile.toml:2:36: the schema has no oneof `gen.Req.pikc`\n  = help: did you mean `gen.Req.pick`?\n\
             profile.toml:2:52: the schema has no oneof `pick`\n  = help: write its full name, `package.Message.oneof`",
        ),
        (
            "secret_fields = [\"gen.Req.id\", \"token\", \"gen.Req.nmae\"]",
            "profile.toml:1:32: the schema has no field `token`\n  = help: write its full name, `package.Message.field`\n\
             profile.toml:1:41: the schema has no field `gen.Req.nmae`\n  = help: did you mean `gen.Req.name`?",
        ),
        (
            "[operations.Only]\nextra_routes = [{ method = \"get\", path = \"/{nope}\" }]",
            "profile.toml:2:17: `get` of `gen.T.Only` is no HTTP method\n  = help: write `GET`\n\
             profile.toml:2:17: `{nope}` in the path template `/{nope}` of `gen.T.Only`: `gen.Req` has no field `nope`\n  = help: its fields are `id`, `name`, `a`, `raw`, `kind`, `tags`, `sub_message`, `labels`, `at`, `any`, `maybe`, `by_name`, …",
        ),
        (
            "[operations.Only]\nextra_routes = [{ method = \"GET\", path = \"/a b\" }]",
            "profile.toml:2:17: the path template `/a b` of `gen.T.Only` is wrong at character 3: ` ` may not stand in a path\n  = help: write it as `%20`, or remove it",
        ),
        (
            "[operations.Only]\nextra_routes = [{ method = \"GET\", path = \"/x\" }]",
            "profile.toml:2:17: `GET /x` of `gen.T.Only` is the same route as `GET /x` of `gen.S.R`\n  = also here: t.proto:16:37: `GET /x` of `gen.S.R`\n  = help: requests cannot tell them apart, whatever the variables are called; change the path or the HTTP method of one",
        ),
        (
            "[operations.Only]\njson_rpc_method = \"R\"\n[operations.\"T.R\"]\njson_rpc_method = \"T.R\"\n[json_rpc]\nmethods = \"rpc-name\"",
            "t.proto:18:39: `gen.T.Only` and `gen.S.R` are both the JSON-RPC method `R`\n  = also here: t.proto:15:13: the first of them\n  = help: give one of them a `json_rpc_method` of its own in the profile",
        ),
    ] {
        assert_eq!(apply(text).expect_err(text), expected, "{text}");
    }
}

#[test]
fn json_rpc_methods_may_be_named_one_by_one() {
    apply("[operations.Only]\njson_rpc_method = \"only\"").expect("no other method has a name");
    let faults = apply("[operations.Only]\njson_rpc_method = \"go\"\n[operations.\"T.R\"]\njson_rpc_method = \"go\"")
        .expect_err("two methods have one name");
    assert!(
        faults.contains("are both the JSON-RPC method `go`"),
        "{faults}"
    );
}

#[test]
fn entries_are_found_by_short_and_full_names() {
    let api = apply("").expect("an empty profile fits");
    for key in ["Only", "T.Only", "gen.T.Only"] {
        let profile = profile(&format!("[operations.\"{key}\"]\ncapability = \"c\""));
        let found = profile.operation(&api.services[1], "Only").expect(key);
        assert_eq!(found.capability.as_deref(), Some("c"));
        assert!(profile.operation(&api.services[1], "R").is_none());
    }
}

/// An A2A schema of this repository under its own profile.
fn a2a(version: &str) -> Api {
    let read = |name: &str| {
        std::fs::read_to_string(format!(
            "{}/../proto/a2a/{version}/{name}",
            env!("CARGO_MANIFEST_DIR")
        ))
        .expect("schema and profile of A2A are part of the repository")
    };
    lower(&load(&read("a2a.proto")), &profile(&read("profile.toml"))).expect("the profile fits")
}

/// Its routes for an rpc, as `METHOD template`.
fn routes(api: &Api, rpc: &str) -> Vec<String> {
    let methods = api.services[0].methods.iter();
    methods
        .filter(|method| method.proto_name == rpc)
        .flat_map(|method| &method.bindings)
        .map(|binding| format!("{} {}", binding.method, binding.template.text))
        .collect()
}

#[test]
fn the_profile_of_a2a_1_0_fits_its_schema() {
    assert_eq!(
        routes(&a2a("v1.0"), "SubscribeToTask"),
        [
            "GET /tasks/{id=*}:subscribe",
            "GET /{tenant}/tasks/{id=*}:subscribe",
            "POST /tasks/{id=*}:subscribe",
            "POST /{tenant}/tasks/{id=*}:subscribe",
        ]
    );
}

/// What peers call comes after what the proto says, and captures what the fields are for.
#[test]
fn the_profile_of_a2a_0_3_fits_its_schema() {
    let api = a2a("v0.3");
    assert_eq!(
        routes(&api, "TaskSubscription"),
        [
            "GET /v1/{name=tasks/*}:subscribe",
            "POST /v1/{name=tasks/*}:subscribe"
        ]
    );
    assert_eq!(
        routes(&api, "CreateTaskPushNotificationConfig"),
        [
            "POST /v1/{parent=task/*/pushNotificationConfigs}",
            "POST /v1/{parent=tasks/*}/pushNotificationConfigs"
        ]
    );
}

#[test]
fn a_profile_made_by_hand_needs_no_places() {
    let mut profile = Profile::default();
    profile.check.required_oneofs.push("nope".to_owned());
    let faults = lower(&load(&PRELUDE.replace("%RULE%", "get: \"/\"")), &profile)
        .expect_err("there is no such oneof");
    assert!(
        faults
            .to_string()
            .starts_with("the schema has no oneof `nope`"),
        "{faults}"
    );
}
