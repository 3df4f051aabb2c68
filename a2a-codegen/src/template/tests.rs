use super::*;
use proptest::prelude::*;

/// Segments as text (`=x` a literal), then `@fields=start..end` per variable (`!` when it is
/// multi), then `:verb`.
fn outline(text: &str) -> String {
    let template = parse_template(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(template.text, text);
    let mut parts: Vec<String> = Vec::new();
    for segment in &template.segments {
        parts.push(match segment {
            Segment::Literal(literal) => format!("={literal}"),
            Segment::Single => "*".to_owned(),
            Segment::Multi => "**".to_owned(),
        });
    }
    for variable in &template.variables {
        let multi = if variable.multi { "!" } else { "" };
        let fields = variable.field_path.join(".");
        parts.push(format!(
            "@{fields}={}..{}{multi}",
            variable.start, variable.end
        ));
    }
    parts.extend(template.verb.map(|verb| format!(":{verb}")));
    parts.join(" ")
}

#[test]
fn templates() {
    for (text, expected) in [
        ("/", ""),
        ("/v1", "=v1"),
        ("/v1/messages", "=v1 =messages"),
        ("/*", "*"),
        ("/**", "**"),
        ("/v1/{name}", "=v1 * @name=1..2"),
        ("/v1/{name=*}", "=v1 * @name=1..2"),
        (
            "/v1/{name=shelves/*/books/*}",
            "=v1 =shelves * =books * @name=1..5!",
        ),
        ("/{name=shelves/*}/books", "=shelves * =books @name=0..2!"),
        ("/{a.b_1._c}/x/{d}", "* =x * @a.b_1._c=0..1 @d=2..3"),
        ("/{x=fixed}", "=fixed @x=0..1"),
        ("/files/{path=**}", "=files ** @path=1..2!"),
        ("/files/{path=**}/tail", "=files ** =tail @path=1..2!"),
        ("/{path=a/**/b}/c", "=a ** =b =c @path=0..3!"),
        ("/a/**/b/c", "=a ** =b =c"),
        ("/any/*/tail/{path}", "=any * =tail * @path=3..4"),
        // Verbs.
        ("/message:send", "=message :send"),
        ("/a/b:c:d", "=a =b:c :d"),
        ("/v1/{name}:cancel", "=v1 * @name=1..2 :cancel"),
        ("/v1/{name}:bla:baa", "=v1 * @name=1..2 :bla:baa"),
        ("/{path=**}:stat", "** @path=0..1! :stat"),
        ("/*:read", "* :read"),
        ("/**:a:b", "** :a:b"),
        ("/x:a%3Ab", "=x :a:b"),
        // Colons that are no verbs.
        ("/wi:th/x", "=wi:th =x"),
        ("/a:b/{c}", "=a:b * @c=1..2"),
        (
            "/v1/{name=segment/wi:th}",
            "=v1 =segment =wi:th @name=1..3!",
        ),
        ("/a%3Ab", "=a:b"),
        // Literals are decoded; what they may have.
        ("/b%6F%6fks", "=books"),
        ("/a%2Fb", "=a/b"),
        ("/caf%C3%A9", "=café"),
        ("/%2A", "=*"),
        ("/-._~!$&'()+,;=@", "=-._~!$&'()+,;=@"),
        ("/...", "=..."),
    ] {
        assert_eq!(outline(text), expected, "{text}");
    }
}

#[test]
fn refusals_say_where_and_why() {
    for (text, offset, message) in [
        ("", 0, "it does not start with `/`"),
        ("v1/x", 0, "it does not start with `/`"),
        ("{name}", 0, "it does not start with `/`"),
        ("//", 1, "the segment is empty"),
        ("/a//b", 3, "the segment is empty"),
        ("/a/", 3, "the segment is empty"),
        ("/{x}/", 5, "the segment is empty"),
        ("/:verb", 1, "the segment is empty"),
        ("/a/:verb", 3, "the segment is empty"),
        ("/{x=}", 4, "the segment is empty"),
        ("/{x=/a}", 4, "the segment is empty"),
        ("/{x=a/}", 6, "the segment is empty"),
        ("/{}", 2, "the variable has no field"),
        ("/{=*}", 2, "the variable has no field"),
        ("/{a b}", 2, "`a b` is no field path"),
        ("/{ a}", 2, "` a` is no field path"),
        ("/{a..b}", 4, "`a..b` is no field path"),
        ("/{.a}", 2, "`.a` is no field path"),
        ("/{a.}", 4, "`a.` is no field path"),
        ("/{1a}", 2, "`1a` is no field path"),
        ("/{a.b-c}", 4, "`a.b-c` is no field path"),
        ("/{*}", 2, "`*` is no field path"),
        ("/{ä}", 2, "`ä` is no field path"),
        ("/v1/{name", 4, "the variable is not closed"),
        ("/v1/{name=a", 4, "the variable is not closed"),
        ("/v1/{name=a/", 4, "the variable is not closed"),
        ("/v1/{name/x}", 4, "the variable is not closed"),
        ("/{", 2, "the variable has no field"),
        ("/{a={b}}", 4, "a variable stands inside of another"),
        ("/{a=x/{b}}", 6, "a variable stands inside of another"),
        ("/{a{b}}", 3, "a variable stands inside of another"),
        ("/{a}/{a}", 5, "the field `a` is bound twice"),
        ("/{a.b}/x/{a.b=*}", 9, "the field `a.b` is bound twice"),
        ("/v{x}", 2, "a variable must be a whole segment"),
        ("/{x}y", 4, "a variable must be a whole segment"),
        ("/{x}{y}", 4, "a variable must be a whole segment"),
        ("/a}", 2, "there is no `{` for this `}`"),
        ("/{a}}", 4, "a variable must be a whole segment"),
        ("/a*", 2, "a wildcard must be a whole segment"),
        ("/*a", 1, "a wildcard must be a whole segment"),
        ("/***", 1, "a wildcard must be a whole segment"),
        ("/{x=a*}", 5, "a wildcard must be a whole segment"),
        ("/**/*", 4, "a wildcard or variable follows `**`"),
        ("/**/**", 4, "a wildcard or variable follows `**`"),
        ("/a/**/{x}", 6, "a wildcard or variable follows `**`"),
        ("/{x=**}/{y=lit}", 8, "a wildcard or variable follows `**`"),
        ("/{x=**/*}", 7, "a wildcard or variable follows `**`"),
        ("/a:", 3, "the verb is empty"),
        ("/{x}:", 5, "the verb is empty"),
        ("/*:", 3, "the verb is empty"),
        (
            "/{x}:v/y",
            4,
            "a verb stands before the end of the template",
        ),
        ("/{x}:{y}", 5, "a variable stands in the verb"),
        ("/x:{y}", 3, "a variable must be a whole segment"),
        ("/{x}:a*", 6, "a wildcard must be a whole segment"),
        ("/a b", 2, "` ` may not stand in a path"),
        ("/a?b", 2, "`?` may not stand in a path"),
        ("/a#b", 2, "`#` may not stand in a path"),
        ("/a\\b", 2, "`\\\\` may not stand in a path"),
        ("/a\u{7}b", 2, "`\\u{7}` may not stand in a path"),
        ("/a\nb", 2, "`\\n` may not stand in a path"),
        ("/a\0", 2, "`\\0` may not stand in a path"),
        ("/café", 4, "`é` may not stand in a path"),
        ("/%", 1, "`%` is not followed by two hexadecimal digits"),
        ("/%4", 1, "`%` is not followed by two hexadecimal digits"),
        ("/%zz", 1, "`%` is not followed by two hexadecimal digits"),
        ("/%+1", 1, "`%` is not followed by two hexadecimal digits"),
        ("/%é0", 1, "`%` is not followed by two hexadecimal digits"),
        ("/%FF", 1, "its percent-escapes are not UTF-8"),
        ("/a/..", 3, "the segment is `..`"),
        ("/%2E/a", 1, "the segment is `.`"),
    ] {
        let error = parse_template(text).expect_err(text);
        assert_eq!(
            (error.offset, error.message.as_str()),
            (offset, message),
            "{text}"
        );
        assert!(!error.hint.is_empty(), "{text}");
    }
}

#[test]
fn hints_give_the_escape() {
    let error = parse_template("/café").expect_err("é is no pchar");
    assert_eq!(error.hint, "write it as `%C3%A9`, or remove it");
    assert_eq!(
        error.to_string(),
        "`é` may not stand in a path (at offset 4)"
    );
}

#[test]
fn canonical_text() {
    for (text, canonical) in [
        ("/", "/"),
        ("/b%6Foks/{name=*}:read", "/books/{name}:read"),
        (
            "/v1/{name=shelves/*/books/*}",
            "/v1/{name=shelves/*/books/*}",
        ),
        ("/{path=a/**/b}/c", "/{path=a/**/b}/c"),
        ("/a/b:c:d", "/a/b%3Ac:d"),
        ("/{x}:a:b", "/{x}:a%3Ab"),
        ("/{x=wi:th}", "/{x=wi%3Ath}"),
        ("/%2a%2F%c3%a9", "/%2A%2F%C3%A9"),
    ] {
        assert_eq!(
            parse_template(text).expect(text).canonical(),
            canonical,
            "{text}"
        );
    }
}

#[test]
fn shapes_are_equal_when_no_request_can_tell_them_apart() {
    for (one, other, equal) in [
        ("/x/{a}", "/x/{b}", true),
        ("/x/{a}", "/x/*", true),
        ("/{a=x/*}", "/x/{b}", true),
        ("/%78/y", "/x/y", true),
        ("/x/{a}:v", "/x/{a}", false),
        ("/x/{a}:v", "/x/{a}:w", false),
        ("/x/{a=**}", "/x/{a}", false),
        ("/%2A", "/*", false),
        ("/a%2Fb", "/a/b", false),
        ("/a:b", "/a%3Ab", false),
    ] {
        let shape = |text| parse_template(text).expect(text).shape();
        assert_eq!(shape(one) == shape(other), equal, "{one} {other}");
    }
}

/// Characters that mean something to the parser, and a few that do not.
fn template_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z]{1,3}",
        Just("/".to_owned()),
        Just("/".to_owned()),
        Just("*".to_owned()),
        Just("**".to_owned()),
        "\\{[a-z.]{0,3}\\}",
        "\\{[a-z]{1,2}=",
        Just("}".to_owned()),
        Just("{".to_owned()),
        Just("=".to_owned()),
        Just(":".to_owned()),
        Just(".".to_owned()),
        "%[0-9A-Fa-f]{0,2}",
        "\\PC",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// What must hold of every template.
fn check_template(template: &PathTemplate) {
    let canonical = template.canonical();
    let again = parse_template(&canonical).unwrap_or_else(|error| panic!("{canonical}: {error}"));
    let same = PathTemplate {
        text: template.text.clone(),
        ..again
    };
    assert_eq!(&same, template, "{canonical}");
    assert_eq!(same.canonical(), canonical);

    let multi = template
        .segments
        .iter()
        .filter(|segment| **segment == Segment::Multi)
        .count();
    assert!(multi <= 1);
    assert!(
        !template
            .segments
            .iter()
            .any(|segment| *segment == Segment::Literal(String::new()))
    );
    assert_ne!(template.verb.as_deref(), Some(""));
    let mut end = 0;
    for variable in &template.variables {
        assert!(end <= variable.start && variable.start < variable.end);
        end = variable.end;
    }
    assert!(end <= template.segments.len());
}

fn check_any(text: &str) {
    match parse_template(text) {
        Ok(template) => {
            assert_eq!(template.text, text);
            check_template(&template);
        }
        Err(error) => assert!(text.is_char_boundary(error.offset), "{text:?}: {error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_template_or_a_fault(text in any::<String>()) {
        check_any(&text);
    }

    #[test]
    fn texts_like_templates_are_templates_or_faults(text in template_like()) {
        check_any(&text);
        check_any(&format!("/{text}"));
    }

    #[test]
    fn what_is_printed_is_parsed_again(
        literals in proptest::collection::vec(prop_oneof!["[a-z:.%/*é]{1,4}", Just("*".to_owned())], 1..5),
        verb in proptest::option::of("[a-z:/%]{1,4}"),
    ) {
        let segments: Vec<Segment> = literals
            .into_iter()
            .filter(|literal| literal != "." && literal != "..")
            .map(|literal| if literal == "*" { Segment::Single } else { Segment::Literal(literal) })
            .collect();
        // The root has no verb.
        prop_assume!(!segments.is_empty());
        let written = PathTemplate { segments, verb, variables: Vec::new(), text: String::new() };
        check_template(&written);
    }
}
