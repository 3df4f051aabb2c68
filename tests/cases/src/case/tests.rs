use super::*;

fn read(case: &str) -> Result<Work, String> {
    let mut file = CaseFile::read(&format!(r#"{{"cases":[{case}]}}"#)).unwrap();
    file.cases.remove(0).work
}

#[test]
fn what_is_not_understood_is_said() {
    let table = [
        (r#"{"id":"a","proto":"lib"}"#, "no text `direction`"),
        (
            r#"{"id":"a","proto":"lib","direction":"sideways"}"#,
            "unknown direction \"sideways\"",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-decode"}"#,
            "no `request`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-decode","request":{"method":"GET","path":"/x","trailers":{}}}"#,
            "`trailers`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-decode","request":{"method":"GET","path":"/x"}}"#,
            "no `expect`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-decode","request":{"method":"GET","path":"/x"},"expect":{"rpc":"R"}}"#,
            "no `message_json`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-decode","request":{"method":"GET","path":"/x"},"expect":{"rpc":"R","message_json":{},"order":1}}"#,
            "`order`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-decode","request":{"method":"GET","path":"/x"},"expect":{"error":{"kind":"x"}}}"#,
            "no `http_status`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"server-encode","input":{"rpc":"R"},"expect":{}}"#,
            "no text `response_text`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"client-encode","input":{"rpc":"R"},"expect":{}}"#,
            "no `message_json`",
        ),
        (
            r#"{"id":"a","proto":"lib","direction":"client-encode","input":{"rpc":"R","message_json":{}},"expect":{}}"#,
            "no object `request`",
        ),
    ];
    for (case, sentence) in table {
        let got = read(case).expect_err(case);
        assert!(got.contains(sentence), "{case}\n  {got}");
    }
    for (file, sentence) in [
        ("{", "not JSON"),
        ("{}", "no list `cases`"),
        (r#"{"cases":[],"protos":3}"#, "`protos`"),
    ] {
        let got = CaseFile::read(file).expect_err(file);
        assert!(got.contains(sentence), "{file}: {got}");
    }
}

#[test]
fn a_body_is_bytes_json_or_nothing() {
    for (body, bytes) in [
        ("null", ""),
        (r#""{\"a\":""#, r#"{"a":"#),
        (r#"{"a":1}"#, r#"{"a":1}"#),
        ("[]", "[]"),
    ] {
        let case = format!(
            r#"{{"id":"a","proto":"lib","direction":"server-decode","request":{{"method":"PUT","path":"/x","query":"","headers":{{}},"body":{body}}},"expect":{{"error":{{"http_status":400}}}}}}"#
        );
        let Ok(Work::ServerDecode {
            request, expected, ..
        }) = read(&case)
        else {
            panic!("{case}")
        };
        assert_eq!(request.body, bytes.as_bytes());
        assert_eq!(
            expected,
            [Expected::Refused {
                status: 400,
                allow: vec![]
            }]
        );
    }
}
