//! What is said about wrong attributes: each message says what to write. Where it points is what the
//! compile-fail tests in `tests/macros` show.

use super::{agent_errors, block_errors, skill_errors};

/// Exactly one fault, with these words in it.
#[track_caller]
fn one(found: &[String], words: &str) {
    assert!(
        matches!(found, [fault] if fault.contains(words)),
        "wanted one fault with {words:?}, found {found:#?}"
    );
}

#[test]
fn what_is_right_has_no_faults() {
    let fine = [
        r#"name = "A""#,
        r#"name = "A","#,
        r#"name = "A", scheme("my-key", mtls), security("my-key")"#,
        r#"name = "A", scheme(key, mtls), security(), security(key)"#,
        r#"name = "A", capabilities(streaming = false)"#,
        r#"name = "A", extension(uri = "u", required, params = { "a": [1, -2, 0.5, null, true, {}, "x"] })"#,
    ];
    for arguments in fine {
        assert_eq!(agent_errors(arguments), Vec::<String>::new(), "{arguments}");
    }
    let fine = [
        r#"tags("a")"#,
        r#"tags("a"), default = false, extended, reply = "task", on_restart = "replay""#,
        r#"tags("a"), security(key("read", "write"), other), security("x-y")"#,
    ];
    for arguments in fine {
        assert_eq!(skill_errors(arguments), Vec::<String>::new(), "{arguments}");
    }
}

#[test]
fn each_fault_of_an_agent_is_told_once() {
    for (arguments, words) in [
        ("", "#[a2a_agent] needs a `name`: add name = \"…\""),
        (r#"name = """#, "`name` is empty"),
        ("name = 3", "`name` takes a text in quotes"),
        ("name", "`name` takes a text: name = \"…\""),
        (r#"name("A")"#, "`name` takes a text: name = \"…\""),
        (r#"name = "A", name = "B""#, "`name` is said twice"),
        (r#"name = "A" version = "1""#, "expected a comma"),
        (
            r#"name = "A", , version = "1""#,
            "nothing stands before this comma",
        ),
        (
            r#"name = "A", version ="#,
            "a value is missing: version = …",
        ),
        (
            r#"nmae = "A""#,
            "unknown key `nmae` in #[a2a_agent]: did you mean `name`?",
        ),
        (
            r#"name = "A", colour = "red""#,
            "unknown key `colour` in #[a2a_agent]: it takes `name`",
        ),
        (r#"name = "A", description = """#, "`description` is empty"),
        (
            r#"name = "A", provider(organization = "O")"#,
            "provider(…) needs a `url`",
        ),
        (
            r#"name = "A", provider = "O""#,
            "`provider` takes a list: provider(…)",
        ),
        (
            r#"name = "A", provider(org = "O", url = "u")"#,
            "did you mean `organization`?",
        ),
        (
            r#"name = "A", capabilities(steaming)"#,
            "did you mean `streaming`?",
        ),
        (
            r#"name = "A", capabilities(streaming = "yes")"#,
            "`streaming` takes no value",
        ),
        (
            r#"name = "A", capabilities(streaming("yes"))"#,
            "`streaming` takes no list",
        ),
        (
            r#"name = "A", input_modes("text")"#,
            "\"text\" is no media type",
        ),
        (
            r#"name = "A", output_modes(text)"#,
            "`output_modes` takes texts in quotes",
        ),
        (
            r#"name = "A", output_modes("a/b", "a/b")"#,
            "\"a/b\" is in `output_modes` twice",
        ),
        (
            r#"name = "A", bindings(soap)"#,
            "unknown binding `soap`: there are `jsonrpc`, `rest` and `grpc`",
        ),
        (
            r#"name = "A", bindings(json_rpc)"#,
            "did you mean `jsonrpc`?",
        ),
        (
            r#"name = "A", bindings(rest, rest)"#,
            "`rest` is said twice",
        ),
        (
            r#"name = "A", bindings()"#,
            "without bindings cannot be called",
        ),
        (
            r#"name = "A", versions("2.0")"#,
            "unknown version of A2A \"2.0\": there are \"1.0\" and \"0.3\"",
        ),
        (
            r#"name = "A", versions()"#,
            "without versions cannot be called",
        ),
        (
            r#"name = "A", interface(version = "1.0", url = "u")"#,
            "interface(…) needs a `binding`",
        ),
        (
            r#"name = "A", interface(binding = soap, version = "1.0", url = "u")"#,
            "unknown binding `soap`",
        ),
        (
            r#"name = "A", interface(binding = rest, version = "1.0")"#,
            "interface(…) needs a `url`",
        ),
        (
            r#"name = "A", tenants("north"), interface(binding = rest, version = "1.0", url = "u", tenant = "south")"#,
            "\"south\" is none of the agent's tenants",
        ),
        (
            r#"name = "A", extension(description = "d")"#,
            "extension(…) needs a `uri`",
        ),
        (
            r#"name = "A", extension(uri = "u"), extension(uri = "u")"#,
            "the extension \"u\" is said twice",
        ),
        (
            r#"name = "A", extension(uri = "u", params = "x")"#,
            "`params` takes a JSON object",
        ),
        (
            r#"name = "A", extension(uri = "u", params = { "a": x })"#,
            "expected JSON",
        ),
        (
            r#"name = "A", extension(uri = "u", params = { a: 1 })"#,
            "expected a member of a JSON object",
        ),
        (
            r#"name = "A", extension(uri = "u", params = { "a": 1, "a": 2 })"#,
            "\"a\" is said twice",
        ),
        (
            r#"name = "A", extension(uri = "u", params = { "a": 99999999999999999999 })"#,
            "does not fit 64 bits",
        ),
        (
            r#"name = "A", crate = "not a path""#,
            "is no path to a2a-kit",
        ),
    ] {
        let found = agent_errors(arguments);
        assert!(
            matches!(&found[..], [fault] if fault.contains(words)),
            "{arguments}: wanted one fault with {words:?}, found {found:#?}"
        );
    }
}

#[test]
fn each_fault_of_a_scheme_is_told_once() {
    for (arguments, words) in [
        ("scheme()", "the name of the scheme is missing"),
        ("scheme(key)", "what `key` is is missing"),
        (
            r#"scheme(key = "x", mtls)"#,
            "the name of a scheme comes first, alone",
        ),
        (
            "scheme(key, pgp)",
            "unknown kind of scheme `pgp`: there are `api_key`",
        ),
        ("scheme(key, mtls, mtls)", "a scheme is of one kind"),
        (
            "scheme(key, mtls), scheme(key, mtls)",
            "a second security scheme `key`",
        ),
        (
            r#"scheme(key, api_key(in = "header"))"#,
            "api_key(…) needs a `name`: add name = \"…\"",
        ),
        (
            r#"scheme(key, api_key(location = "header", name = "k"))"#,
            "did you mean `in`?",
        ),
        (
            r#"scheme(key, api_key(in = "body", name = "k"))"#,
            "unknown place of a key `body`",
        ),
        ("scheme(key, api_key)", "`api_key` takes a list"),
        ("scheme(key, http())", "http(…) needs a `scheme`"),
        ("scheme(key, oauth2())", "oauth2(…) needs a flow"),
        ("scheme(key, oauth2)", "`oauth2` takes a list"),
        (
            r#"scheme(key, oauth2(client_credentials(token_url = "t")))"#,
            "client_credentials(…) needs its scopes",
        ),
        (
            r#"scheme(key, oauth2(client_credentials(token_url = "t", scopes("read"))))"#,
            "a scope comes with its explanation",
        ),
        (
            r#"scheme(key, oauth2(client_credentials(token_url = "t", scopes("r" = "a", "r" = "b"))))"#,
            "the scope \"r\" is said twice",
        ),
        (
            r#"scheme(key, oauth2(client_credentials(scopes())))"#,
            "client_credentials(…) needs a `token_url`",
        ),
        (
            r#"scheme(key, oauth2(client_credentials(token_url = "t", scopes()), password(token_url = "t", scopes())))"#,
            "has one flow",
        ),
        (
            r#"scheme(key, oauth2(client_credentials(token_url = "t", scopes(), pkce_required)))"#,
            "unknown key `pkce_required`",
        ),
        ("scheme(key, open_id())", "did you mean `open_id_connect`?"),
        (
            "security(key)",
            "no security scheme is called `key`: declare it with scheme(key, …)",
        ),
        (
            "scheme(key, mtls), security(kez)",
            "no security scheme is called `kez`: did you mean `key`?",
        ),
        (
            "scheme(key, mtls), security(key, key)",
            "`key` is said twice in one security(…)",
        ),
        (
            "scheme(key, mtls), security(key = \"read\")",
            "scopes stand in a list: key(\"read\")",
        ),
        (
            "scheme(key, mtls), security(key(read))",
            "`key` takes texts in quotes",
        ),
    ] {
        let found = agent_errors(&format!("name = \"A\", {arguments}"));
        // What is read as what it was to be may lack something else, too.
        let first = found.first().map(String::as_str).unwrap_or_default();
        assert!(
            first.contains(words),
            "{arguments}: wanted {words:?}, found {found:#?}"
        );
        assert!(
            found.len() == 1 || words.contains("open_id_connect"),
            "{arguments}: {found:#?}"
        );
    }
}

#[test]
fn each_fault_of_a_skill_is_told_once() {
    for (arguments, words) in [
        ("", "#[skill] needs tags"),
        ("tags()", "no tags: name at least one"),
        (r#"tags("")"#, "a text in `tags` is empty"),
        (
            r#"tag("a")"#,
            "unknown key `tag` in #[skill]: did you mean `tags`?",
        ),
        (r#"tags = "a""#, "`tags` takes a list: tags(\"…\", \"…\")"),
        (r#"tags("a"), id = """#, "`id` is empty"),
        (r#"tags("a"), name = 'x'"#, "`name` takes a text in quotes"),
        (
            r#"tags("a"), reply = "stream""#,
            "unknown kind of reply `stream`: there are `task` and `message`",
        ),
        (
            r#"tags("a"), on_restart = "retry""#,
            "unknown policy `retry`",
        ),
        (
            r#"tags("a"), reply = "message", on_restart = "fail""#,
            "has no task that could go on after a restart",
        ),
        (
            r#"tags("a"), input_modes("text/")"#,
            "\"text/\" is no media type",
        ),
    ] {
        let found = skill_errors(arguments);
        let expected = if arguments.starts_with("tags(\"\")") {
            2
        } else {
            1
        };
        let first = found.first().map(String::as_str).unwrap_or_default();
        assert!(
            first.contains(words),
            "{arguments}: wanted {words:?}, found {found:#?}"
        );
        assert_eq!(found.len(), expected, "{arguments}: {found:#?}");
    }
}

#[test]
fn each_fault_of_a_method_is_told_once() {
    for (method, words) in [
        (
            "fn run(&self) {}",
            "a skill is asynchronous: write `async fn run`",
        ),
        ("async fn run(self) {}", "a skill takes `&self`"),
        ("async fn run(&mut self) {}", "a skill takes `&self`"),
        ("async fn run(self: Arc<Self>) {}", "a skill takes `&self`"),
        (
            "async fn run() {}",
            "a skill is a method: write `async fn run(&self, …)`",
        ),
        (
            "async fn run<T>(&self, t: T) {}",
            "a skill has no generic parameters",
        ),
        ("async unsafe fn run(&self) {}", "cannot be `unsafe`"),
        (
            "async fn run(&self, t: &str) {}",
            "only the context is taken by reference",
        ),
        (
            "async fn run(&self, t: &mut TaskContext) {}",
            "without `mut`",
        ),
        (
            "async fn run(&self, t: impl Into<Text>) {}",
            "write the type itself",
        ),
        (
            "async fn run(&self) -> impl Stream {}",
            "a stream is `Chunks`",
        ),
        (
            "async fn run(&self) -> &str {}",
            "a reply outlives the call",
        ),
        (
            "async fn run(&self) -> Result<Option<&'a str>, E> {}",
            "a reply outlives the call",
        ),
        (
            "async fn run(&self, a: T, b: T, c: T, d: T, e: T, f: T, g: T, h: T, i: T) {}",
            "at most 8 parameters",
        ),
        (
            "async fn card(&self) {}",
            "every agent has a function `card`",
        ),
    ] {
        one(
            &block_errors(&format!(
                "impl A {{ /** D. */ #[skill(tags(\"a\"))] {method} }}"
            )),
            words,
        );
    }
    for fine in [
        "async fn run(self: &Self) {}",
        "async fn run(&self, task: &TaskContext, _: Text) -> &'static str {}",
        "pub(crate) async fn r#type(&self, Text(text): Text) -> Result<&'static str, E> {}",
    ] {
        let block = format!("impl A {{ /** D. */ #[skill(tags(\"a\"))] {fine} }}");
        assert_eq!(block_errors(&block), Vec::<String>::new(), "{fine}");
    }
}

#[test]
fn each_fault_of_a_block_is_told_once() {
    let skill = |attribute: &str, name: &str| {
        format!("/** D. */ #[skill(tags(\"a\") {attribute})] async fn {name}(&self) {{}} ")
    };
    let block = |body: String| block_errors(&format!("impl A {{ {body} }}"));
    one(&block(String::new()), "an agent without skills");
    one(
        &block(skill("", "run") + &skill(", id = \"run\"", "walk")),
        "a second skill with the id \"run\"",
    );
    one(
        &block(skill(", default", "run") + &skill(", default", "walk")),
        "a second default skill",
    );
    one(
        &block("#[skill(tags(\"a\"))] async fn run(&self) {}".into()),
        "a skill needs a description",
    );
    one(
        &block("/** D. */ #[skill = \"a\"] async fn run(&self) {}".into()),
        "write it as a list",
    );
    one(
        &block_errors(&format!("impl Agent for A {{ {} }}", skill("", "run"))),
        "without a trait",
    );
    one(
        &block_errors(&format!("impl<T> A<T> {{ {} }}", skill("", "run"))),
        "no generic parameters",
    );
    one(
        &block_errors("struct A;"),
        "#[a2a_skills] stands on an `impl` block",
    );
}

#[test]
fn skills_under_conditions_may_have_one_id() {
    let block = r#"impl A {
        /// On this system.
        #[cfg(unix)] #[skill(tags("a"), id = "run", default)] async fn run(&self) {}
        /// On that one.
        #[cfg(not(unix))] #[skill(tags("a"), id = "run", default)] async fn walk(&self) {}
    }"#;
    assert_eq!(block_errors(block), Vec::<String>::new());
}

#[test]
fn faults_are_told_together() {
    let found = agent_errors(r#"nmae = "A", bindings(soap), versions("2.0"), input_modes("x")"#);
    assert_eq!(found.len(), 4, "{found:#?}");
}

#[test]
fn an_agent_is_a_struct_without_parameters() {
    let arguments = || quote::quote!(name = "A");
    for (item, words) in [
        (
            quote::quote!(
                enum A {}
            ),
            "#[a2a_agent] stands on a struct",
        ),
        (
            quote::quote!(
                struct A<T>(T);
            ),
            "an agent has no generic parameters",
        ),
        (
            quote::quote!(
                struct A;
            ),
            "an agent needs a description",
        ),
    ] {
        one(
            &super::errors(crate::expand::agent(arguments(), &item)),
            words,
        );
    }
}
