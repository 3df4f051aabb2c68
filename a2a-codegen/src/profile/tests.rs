use super::*;

fn faults_of(text: &str) -> String {
    read_profile(text, "p.toml")
        .expect_err("the profile is wrong")
        .to_string()
}

const ERROR: &str = "[[errors]]\nname = \"NotThere\"\nreason = \"NOT_THERE\"\njson_rpc = -32001\ngrpc = \"NOT_FOUND\"\nhttp = 404\nmessage = \"it is not there\"\n";

#[test]
fn an_empty_profile_is_the_default() {
    let profile = read_profile("", "p.toml").expect("nothing is wrong");
    assert_eq!(format!("{profile:?}"), format!("{:?}", Profile::default()));
    assert_eq!(profile.json.unknown_fields, UnknownFields::Reject);
    assert_eq!(profile.http.path_conflicts, PathConflicts::PathWins);
    assert_eq!(profile.json_rpc.methods, JsonRpcMethods::None);
}

#[test]
fn everything_is_read() {
    let text = format!(
        "version = \"1.0\"\nmedia_type = \"application/a2a+json\"\nerror_domain = \"example.com\"\nextensions_header = \"X-Ext\"\nsecret_fields = [\"p.M.f\"]\n\
         [json]\nunknown_fields = \"ignore\"\nalways_write_required = true\ntimestamp_digits = 3\n\
         [http]\npath_conflicts = \"reject\"\n[json_rpc]\nmethods = \"rpc-name\"\n[check]\nrequired_oneofs = [\"p.M.o\"]\n\
         {ERROR}[operations.R]\ncapability = \"c\"\njson_rpc_method = \"r\"\nextra_routes = [{{ method = \"POST\", path = \"/x\" }}]\n"
    );
    let profile = read_profile(&text, "p.toml").expect("nothing is wrong");
    assert_eq!(profile.version.as_deref(), Some("1.0"));
    assert_eq!(profile.media_type.as_deref(), Some("application/a2a+json"));
    assert_eq!(profile.error_domain.as_deref(), Some("example.com"));
    assert_eq!(profile.extensions_header.as_deref(), Some("X-Ext"));
    assert_eq!(profile.secret_fields, ["p.M.f"]);
    assert_eq!(profile.json.unknown_fields, UnknownFields::Ignore);
    assert!(profile.json.always_write_required);
    assert_eq!(profile.json.timestamp_digits, 3);
    assert_eq!(profile.http.path_conflicts, PathConflicts::Reject);
    assert_eq!(profile.json_rpc.methods, JsonRpcMethods::RpcName);
    assert_eq!(profile.check.required_oneofs, ["p.M.o"]);
    assert_eq!(
        (
            profile.errors[0].name.as_str(),
            profile.errors[0].json_rpc,
            profile.errors[0].http
        ),
        ("NotThere", -32001, 404)
    );
    let operation = &profile.operations["R"];
    assert_eq!(
        (
            operation.capability.as_deref(),
            operation.json_rpc_method.as_deref()
        ),
        (Some("c"), Some("r"))
    );
    assert_eq!(
        (
            operation.extra_routes[0].path.as_str(),
            operation.extra_routes[0].body.as_str()
        ),
        ("/x", "")
    );
}

#[test]
fn mistakes_have_places() {
    for (text, expected) in [
        (
            "versoin = \"1.0\"",
            "p.toml:1:1: unknown field `versoin`, expected one of `version`",
        ),
        (
            "[json]\nunknown = 1",
            "p.toml:2:1: unknown field `unknown`, expected one of `unknown_fields`",
        ),
        (
            "[json]\nunknown_fields = \"keep\"",
            "p.toml:2:18: unknown variant `keep`, expected `reject` or `ignore`",
        ),
        (
            "[operations.R]\nroutes = []",
            "p.toml:2:1: unknown field `routes`, expected one of `capability`",
        ),
        (
            "[operations.R]\nextra_routes = [{ method = \"GET\" }]",
            "p.toml:2:17: missing field `path`",
        ),
        (
            "[operations.R]\nextra_routes = [{ method = \"GET\", path = \"/\", to = 1 }]",
            "p.toml:2:47: unknown field `to`",
        ),
        (
            "[[errors]]\nname = \"X\"",
            "p.toml:1:1: missing field `reason`",
        ),
        (
            "version = 1.0",
            "p.toml:1:11: invalid type: floating point `1.0`, expected a string",
        ),
        ("version = ", "p.toml:1:11: "),
        ("a = 1\na = 2", "p.toml:2:1: duplicate key"),
    ] {
        let found = faults_of(text);
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
}

#[test]
fn values_are_checked() {
    for (text, expected) in [
        (
            "version = \"1\"",
            "p.toml:1:11: `1` is no version\n  = help: write major and minor number, such as `1.0`",
        ),
        (
            "version = \"v1.0\"",
            "p.toml:1:11: `v1.0` is no version\n  = help: write major and minor number, such as `1.0`",
        ),
        (
            "media_type = \"json\"",
            "p.toml:1:14: `json` is no media type\n  = help: write type and subtype without parameters, such as `application/json`",
        ),
        (
            "media_type = \"application/json; charset=utf-8\"",
            "p.toml:1:14: `application/json; charset=utf-8` is no media type\n  = help: write type and subtype without parameters, such as `application/json`",
        ),
        (
            "extensions_header = \"X-Ext: \"",
            "p.toml:1:21: `X-Ext: ` is no name of a header\n  = help: write the name alone, such as `X-A2A-Extensions`",
        ),
        (
            "extensions_header = \"\"",
            "p.toml:1:21: `` is no name of a header\n  = help: write the name alone, such as `X-A2A-Extensions`",
        ),
        (
            "[json]\ntimestamp_digits = 4",
            "p.toml:2:20: timestamps cannot have 4 fraction digits\n  = help: write 0, 3, 6 or 9",
        ),
        (
            "error_domain = \" \"",
            "p.toml:1:16: the domain of the errors is empty\n  = help: name it, or leave it out",
        ),
        (
            ERROR,
            "p.toml:1:1: the errors have no domain\n  = help: add `error_domain = \"…\"` at the top: it tells these errors from those of others",
        ),
    ] {
        assert_eq!(faults_of(text), expected, "{text}");
    }
}

#[test]
fn error_rows_are_checked() {
    let with = |row: &str| format!("error_domain = \"d\"\n{row}");
    assert!(read_profile(&with(ERROR), "p.toml").is_ok());
    for (from, to, expected) in [
        (
            "\"NotThere\"",
            "\"not_there\"",
            "p.toml:2:1: `not_there` is no name for an error\n  = help: write it like a Rust type: `TaskNotFound`",
        ),
        (
            "\"NOT_THERE\"",
            "\"NotThere\"",
            "p.toml:2:1: `NotThere` is no reason of the error `NotThere`\n  = help: write capitals, digits and underscores: `TASK_NOT_FOUND`",
        ),
        (
            "404",
            "200",
            "p.toml:2:1: 200 is no HTTP status of the error `NotThere`\n  = help: write a status from 400 to 599",
        ),
    ] {
        assert_eq!(faults_of(&with(&ERROR.replace(from, to))), expected, "{to}");
    }
    let found = faults_of(&with(&ERROR.replace("\"NOT_FOUND\"", "\"OK\"")));
    assert!(found.starts_with("p.toml:2:1: `OK` is no gRPC status of the error `NotThere`\n  = help: write one of CANCELLED, "), "{found}");
}

#[test]
fn errors_can_be_told_apart() {
    let found = faults_of(&format!("error_domain = \"d\"\n{ERROR}{ERROR}"));
    let note = "\n  = also here: p.toml:2:1: the first of them\n  = help: every error has its own";
    let expected = [
        "name `NotThere`",
        "reason `NOT_THERE`",
        "JSON-RPC code `-32001`",
    ]
    .map(|what| format!("p.toml:9:1: two errors have the {what}{note}"));
    assert_eq!(found, expected.join("\n"));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 200, failure_persistence: None, ..proptest::test_runner::Config::default() })]

    #[test]
    fn any_text_is_a_profile_or_refused(text in "([a-z_]{1,12}|\\[|\\]|\"|=|\\.|\n|operations|errors|json|[0-9]|\\PC){0,30}") {
        if let Err(faults) = read_profile(&text, "p.toml") {
            proptest::prop_assert!(!faults.render().is_empty());
        }
    }
}
