use super::*;

/// What loading one file, `t.proto`, says.
fn faults_of(text: &str) -> String {
    load_protos(&Sources::new().virtual_file("t.proto", text).file("t.proto"))
        .expect_err("the schema is wrong")
        .to_string()
}

#[test]
fn reads_from_folders_and_from_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let second = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("sub")).expect("a folder in it");
    let write = |path: PathBuf, text: &str| std::fs::write(path, text).expect("a file");
    write(
        folder.path().join("sub/a.proto"),
        "syntax = \"proto3\"; import \"b.proto\"; import \"c.proto\"; message A { B b = 1; C c = 2; }",
    );
    write(
        second.path().join("b.proto"),
        "syntax = \"proto3\"; message B {}",
    );
    let sources = Sources::new()
        .include(folder.path())
        .include(second.path())
        .virtual_file("c.proto", "syntax = \"proto3\"; message C {}");

    // By name and by path, which are the same file.
    let loaded = load_protos(
        &sources
            .clone()
            .file("sub/a.proto")
            .file(folder.path().join("sub/a.proto")),
    )
    .expect("it loads");
    assert_eq!(loaded.files, ["sub/a.proto"]);
    assert_eq!(
        loaded.paths,
        [
            second.path().join("b.proto"),
            folder.path().join("sub/a.proto")
        ]
    );
    assert!(loaded.pool.get_message_by_name("C").is_some());

    // A file in memory comes before those in folders.
    let loaded = load_protos(
        &sources
            .virtual_file("b.proto", "syntax = \"proto3\"; message B { int32 n = 1; }")
            .file("b.proto"),
    )
    .expect("it loads");
    assert_eq!(loaded.files, ["b.proto"]);
    assert!(loaded.paths.is_empty());
    let message = loaded.pool.get_message_by_name("B").expect("it is there");
    assert_eq!(message.fields().len(), 1);
}

#[test]
fn annotations_are_built_in_and_survive() {
    let text = "syntax = \"proto3\"; import \"google/api/annotations.proto\"; import \"google/api/client.proto\"; \
        import \"google/api/field_behavior.proto\"; import \"google/api/httpbody.proto\"; import \"google/protobuf/any.proto\"; \
        message M { string marker = 1 [(google.api.field_behavior) = REQUIRED]; } \
        service S { rpc R(M) returns (M) { option (google.api.http) = { get: \"/marked\" }; } }";
    let loaded = load_protos(&Sources::new().virtual_file("t.proto", text).file("t.proto"))
        .expect("it loads");
    let contains = |needle: &[u8]| {
        loaded
            .descriptor_set
            .windows(needle.len())
            .any(|window| window == needle)
    };
    assert!(contains(b"/marked"), "the encoded set has the annotation");
    assert!(contains(b"google/api/http.proto"), "and the imports");
    assert!(
        loaded
            .pool
            .get_extension_by_name("google.api.http")
            .is_some()
    );
}

#[test]
fn a_copy_of_the_users_comes_before_what_is_built_in() {
    let sources = Sources::new()
        .virtual_file("google/api/annotations.proto", "syntax = \"proto3\"; package mine; message Mine {}")
        .virtual_file("t.proto", "syntax = \"proto3\"; import \"google/api/annotations.proto\"; message M { mine.Mine m = 1; }")
        .file("t.proto");
    load_protos(&sources).expect("it loads");
}

#[test]
fn faults_have_places_and_hints() {
    for (text, expected) in [
        (
            "syntax = \"proto3\";\nmessage M {\n  string a = 1\n}",
            "t.proto:4:1: expected ';' or '[', but found '}'",
        ),
        (
            "syntax = \"proto3\";\nmessage M { string = 1; }\nmessage N { int32 f = ; }",
            "t.proto:2:20: expected an identifier, but found '='\nt.proto:3:23: expected an integer, but found ';'",
        ),
        (
            "syntax = \"proto3\";\nmessage M {\n  string a = 1;",
            "t.proto:3:16: expected a message field, oneof, reserved range, enum, message, option or '}', but reached end of file",
        ),
        (
            "syntax = \"proto3\";\n  message M { Foo f = 1; }",
            "t.proto:2:15: name 'Foo' is not defined",
        ),
        (
            "syntax = \"proto3\";\nmessage M { string a = 1; string a = 2; }",
            "t.proto:2:34: camel-case name of field 'a' conflicts with field 'a'\n  = also here: t.proto:2:20: first defined here\n  = help: both would be one key in JSON; rename one of them\n\
             t.proto:2:34: name 'M.a' is defined twice\n  = also here: t.proto:2:20: first defined here",
        ),
        (
            "syntax = \"proto3\";\nmessage M { string a_b = 1; string aB = 2; }",
            "t.proto:2:36: camel-case name of field 'a_b' conflicts with field 'aB'\n  = also here: t.proto:2:20: first defined here\n  = help: both would be one key in JSON; rename one of them",
        ),
        (
            "syntax = \"proto3\";\nimport \"nope/x.proto\";",
            "t.proto:2:1: import 'nope/x.proto' not found\n  = help: no include folder is given; add the folder that its name starts from",
        ),
        (
            "syntax = \"proto3\"; message M {} service S {\n  rpc R(M) returns (M) {\n    option (google.api.http) = { get: \"/x\" };\n  } }",
            "t.proto:3:5: name 'google.api.http' is not defined\n  = help: add `import \"google/api/annotations.proto\";`",
        ),
        (
            "syntax = \"proto3\"; message M {\n  string a = 1 [(google.api.field_behavior) = REQUIRED]; }",
            "t.proto:2:17: name 'google.api.field_behavior' is not defined\n  = help: add `import \"google/api/field_behavior.proto\";`",
        ),
        (
            "// New.\nedition = \"2023\";\nmessage M {}",
            "t.proto:2:1: expected 'enum', 'extend', 'import', 'message', 'option', 'service', 'package' or ';', but found 'edition'\n  = help: protobuf editions are not supported; start the file with `syntax = \"proto3\";`",
        ),
        (
            "syntax = \"proto4\";",
            "t.proto:1:10: unknown syntax 'proto4'\n  = help: possible values are 'proto2' and 'proto3'",
        ),
        (
            "syntax = \"proto3\";\nimport \"t.proto\";",
            "t.proto: import cycle detected: t.proto -> t.proto",
        ),
    ] {
        assert_eq!(faults_of(text), expected, "{text}");
    }
}

#[test]
fn a_wrong_option_value_says_what_is_wrong_with_it() {
    let rule = |rule: &str| {
        faults_of(&format!(
            "syntax = \"proto3\"; import \"google/api/annotations.proto\"; message M {{}} service S {{ rpc R(M) returns (M) {{\n  option (google.api.http) = {{ {rule} }};\n}} }}"
        ))
    };
    for (value, what) in [
        (
            "gett: \"/x\"",
            "field 'gett' not found for message 'google.api.HttpRule'",
        ),
        ("get: 7", "expected a string, but found '7'"),
        (
            "get: \"/x\" post: \"/y\"",
            "a value is already set for oneof 'pattern'",
        ),
    ] {
        let found = rule(value);
        assert!(found.starts_with("t.proto:2:3: invalid value of type 'google.api.HttpRule' for option '(google.api.http)': "), "{found}");
        assert!(found.contains(what), "{found}");
    }
}

#[test]
fn missing_files_are_told_all_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = folder.path().join("outside.proto");
    std::fs::write(&outside, "syntax = \"proto3\";").expect("a file");
    let include = folder.path().join("protos");
    let sources = Sources::new()
        .include(&include)
        .file("nope.proto")
        .file(&outside);
    let found = load_protos(&sources)
        .expect_err("they are missing")
        .to_string();
    let include = include.display();
    assert_eq!(
        found,
        format!(
            "file 'nope.proto' is not in any include path\n  = help: there is no such file; the include folders are `{include}`\n\
             file '{}' is not in any include path\n  = help: the include folders are `{include}`; add the folder that its name starts from",
            outside.display()
        )
    );
    let nothing = load_protos(&Sources::new())
        .expect_err("nothing was asked for")
        .to_string();
    assert_eq!(
        nothing,
        "no proto file was asked for\n  = help: name at least one file to generate from"
    );
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("latin.proto"),
        b"// caf\xe9\nsyntax = \"proto3\";",
    )
    .expect("a file");
    std::fs::create_dir(folder.path().join("folder.proto")).expect("a folder");
    let found = |name: &str| {
        load_protos(&Sources::new().include(folder.path()).file(name))
            .expect_err("it cannot be read")
            .to_string()
    };
    assert_eq!(
        found("latin.proto"),
        "latin.proto: file 'latin.proto' is not valid utf-8"
    );
    assert!(
        found("folder.proto").starts_with("folder.proto: error opening file "),
        "{}",
        found("folder.proto")
    );
}

#[test]
fn a_file_that_another_shadows_is_refused() {
    let (first, second) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    for folder in [&first, &second] {
        std::fs::write(folder.path().join("t.proto"), "syntax = \"proto3\";").expect("a file");
    }
    let sources = Sources::new()
        .include(first.path())
        .include(second.path())
        .file(second.path().join("t.proto"));
    let found = load_protos(&sources)
        .expect_err("it is not the one that would be read")
        .to_string();
    assert!(found.contains("is shadowed by"), "{found}");
}

#[test]
fn errors_show_the_line() {
    let faults = load_protos(
        &Sources::new()
            .virtual_file("t.proto", "syntax = \"proto3\";\nmessage M { Foo f = 1; }")
            .file("t.proto"),
    )
    .expect_err("there is no Foo");
    assert_eq!(
        faults.render(),
        "t.proto:2:13: name 'Foo' is not defined\n  |\n2 | message M { Foo f = 1; }\n  |             ^\n"
    );
}

#[test]
fn deep_nesting_is_refused_before_it_overflows_a_stack() {
    let options = "additional_bindings { get: \"/y\" ".repeat(5000);
    let found = faults_of(&format!(
        "syntax = \"proto3\"; import \"google/api/annotations.proto\"; message M {{}}\nservice S {{ rpc R(M) returns (M) {{ option (google.api.http) = {{ {options}"
    ));
    assert!(
        found.starts_with("t.proto:2:") && found.contains("brackets are nested more than 48 deep"),
        "{found}"
    );
    let messages = format!("syntax = \"proto3\"; {}", "message M { ".repeat(5000));
    assert!(faults_of(&messages).contains("nested more than 48 deep"));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 200, failure_persistence: None, ..proptest::test_runner::Config::default() })]

    /// Whatever the text is, it loads or it is refused with a place in it.
    #[test]
    fn any_text_loads_or_is_refused(
        start in proptest::prop_oneof![proptest::strategy::Just(""), proptest::strategy::Just("syntax = \"proto3\";")],
        pieces in proptest::collection::vec(proptest::prop_oneof![
            "message [A-C] \\{", "enum [A-C] \\{", "service S \\{", "rpc R\\([A-C]\\) returns \\([A-C]\\) \\{",
            "option \\([a-z.]{1,9}\\)(\\.[a-z]{1,4})? =", "[a-z]{1,4} [a-z_]{0,3} = [0-9]{0,2};", "[A-C] [a-z] = [1-5];", "[{}();=\"'\\[\\]<>]",
            "import \"google/api/annotations.proto\";", "oneof o \\{", "map<string, [A-C]>", "// [a-z{]*\n", "\\PC{0,6}",
        ], 0..14),
    ) {
        let text = format!("{start}{}", pieces.join(" "));
        let sources = Sources::new().virtual_file("t.proto", text.as_str()).file("t.proto");
        match load_protos(&sources) {
            Ok(loaded) => drop(crate::lower::lower(&loaded, &crate::profile::Profile::default())),
            Err(faults) => {
                proptest::prop_assert!(!faults.is_empty());
                proptest::prop_assert!(!faults.render().is_empty());
            }
        }
    }
}
