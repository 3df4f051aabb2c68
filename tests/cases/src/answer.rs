//! What the generated code did with a case, and whether it is right.
//!
//! Comes in: an [`Answer`] and the [`Expected`] ones. Goes out: nothing, or a sentence with both
//! sides.

use std::fmt;

use prost_reflect::{FieldDescriptor, MessageDescriptor};
use serde_json::Value;

use crate::case::Expected;
use crate::compare::{self, Absence};

/// What the generated code did.
#[derive(Debug)]
pub enum Answer {
    /// A request reached a method.
    Call {
        /// Name of the method.
        rpc: String,
        /// Type of its request.
        kind: MessageDescriptor,
        /// The request, as the generated code writes it in JSON.
        message: Value,
        /// The request, as the generated code writes it in protobuf, read and written in JSON by
        /// somebody else.
        again: Option<Value>,
    },
    /// An answer was sent.
    Response {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Value,
        /// What the body is.
        kind: BodyKind,
    },
    /// A request would be sent.
    Request {
        /// The HTTP method.
        method: String,
        /// The path.
        path: String,
        /// The query, without `?`.
        query: String,
        /// The body; `None` when there is none.
        body: Option<Value>,
        /// What the body is.
        kind: BodyKind,
    },
    /// It was refused.
    Refused {
        /// The HTTP status, 0 when there is none.
        status: u16,
        /// The methods of `Allow`, in capitals.
        allow: Vec<String>,
        /// What it said.
        why: String,
    },
    /// It was accepted.
    Accepted,
}

/// What a body is.
#[derive(Debug)]
pub enum BodyKind {
    /// A whole message.
    Message(MessageDescriptor),
    /// One field of a message.
    Field(FieldDescriptor),
    /// Nobody knows.
    Unknown,
}

impl BodyKind {
    fn compare(&self, expected: &Value, got: &Value) -> Result<(), compare::Difference> {
        match self {
            Self::Message(kind) => compare::bodies(kind, expected, got),
            Self::Field(kind) => compare::body_fields(kind, expected, got),
            Self::Unknown => compare::values(expected, got),
        }
    }
}

/// The parameters of a query, still encoded. In which order different ones come does not matter.
fn parameters(query: &str) -> Vec<(&str, &str)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut pairs: Vec<_> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    pairs.sort_by_key(|(name, _)| *name);
    pairs
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { rpc, message, .. } => write!(f, "{rpc} {message}"),
            Self::Response { status, body, .. } => write!(f, "{status} {body}"),
            Self::Request {
                method,
                path,
                query,
                body,
                ..
            } => crate::case::write_request(f, method, path, query, body.as_ref()),
            Self::Refused { status, allow, why } => {
                match status {
                    0 => f.write_str("refused")?,
                    status => write!(f, "{status}")?,
                }
                if !allow.is_empty() {
                    write!(f, " with Allow: {}", allow.join(", "))?;
                }
                write!(f, " ({why})")
            }
            Self::Accepted => f.write_str("accepted"),
        }
    }
}

/// Judges an answer: it is right when it is one of those expected. What is no answer at all, but a
/// sentence that says why there is none, never is.
///
/// # Errors
/// `expected … got …`, both cut short.
pub fn judge(expected: &[Expected], answer: Result<Answer, String>) -> Result<(), String> {
    let wrong = |got: &str, detail: Option<String>| {
        let sides: Vec<String> = expected.iter().map(|one| short(&one.to_string())).collect();
        let detail = detail
            .map(|detail| format!("; {}", short(&detail)))
            .unwrap_or_default();
        Err(format!(
            "expected {} got {}{detail}",
            sides.join(" or "),
            short(got)
        ))
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => return wrong(&why, None),
    };
    let mut detail = None;
    for one in expected {
        match matches(one, &answer) {
            Ok(()) => return consistent(&answer),
            Err(found) => detail = detail.or(found),
        }
    }
    wrong(&answer.to_string(), detail)
}

/// Compares with one expected answer. The error is where the two differ, when that is more than
/// their kinds.
fn matches(expected: &Expected, answer: &Answer) -> Result<(), Option<String>> {
    let differ = |difference: compare::Difference| Some(difference.to_string());
    match (expected, answer) {
        (
            Expected::Call { rpc, message },
            Answer::Call {
                rpc: got,
                kind,
                message: text,
                ..
            },
        ) if rpc == got => {
            compare::messages(kind, message, text, Absence::Required).map_err(differ)
        }
        (
            Expected::Response { status, body },
            Answer::Response {
                status: got,
                body: text,
                kind,
            },
        ) if status == got => kind.compare(body, text).map_err(differ),
        (
            Expected::Request {
                method,
                path,
                query,
                body,
            },
            Answer::Request {
                method: got_method,
                path: got_path,
                query: got_query,
                body: got_body,
                kind,
            },
        ) if method == got_method
            && path == got_path
            && parameters(query) == parameters(got_query) =>
        {
            match (body, got_body) {
                (Some(body), Some(got)) => kind.compare(body, got).map_err(differ),
                (None, None) => Ok(()),
                _ => Err(None),
            }
        }
        (
            Expected::Refused { status, allow },
            Answer::Refused {
                status: got,
                allow: methods,
                ..
            },
        ) if *status == 0 || status == got => {
            match allow.iter().find(|method| !methods.contains(method)) {
                Some(method) => Err(Some(format!("{method} is not in Allow"))),
                None => Ok(()),
            }
        }
        (Expected::Accepted, Answer::Accepted) => Ok(()),
        _ => Err(None),
    }
}

/// What was read must be the same in protobuf as in JSON: a reader and a writer that are wrong in
/// the same way would otherwise pass.
fn consistent(answer: &Answer) -> Result<(), String> {
    let Answer::Call {
        kind,
        message,
        again: Some(again),
        ..
    } = answer
    else {
        return Ok(());
    };
    compare::messages(kind, message, again, Absence::Default).map_err(|difference| {
        short(&format!(
            "expected the same message in protobuf as in JSON got another; {difference}"
        ))
    })
}

/// The text in one line of at most 300 characters.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 300;
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::Schemas;

    fn refused(status: u16, allow: &[&str]) -> Expected {
        Expected::Refused {
            status,
            allow: allow.iter().map(|&method| method.to_owned()).collect(),
        }
    }

    fn was_refused(status: u16, allow: &[&str]) -> Answer {
        Answer::Refused {
            status,
            allow: allow.iter().map(|&method| method.to_owned()).collect(),
            why: "so".to_owned(),
        }
    }

    fn call(rpc: &str, message: Value, again: Option<Value>) -> Answer {
        let kind = Schemas::compiled_in()
            .unwrap()
            .get("scalars")
            .unwrap()
            .message("sc.T")
            .unwrap();
        Answer::Call {
            rpc: rpc.to_owned(),
            kind,
            message,
            again,
        }
    }

    #[test]
    fn one_of_the_expected_answers_is_enough() {
        let put = Expected::Call {
            rpc: "Put".to_owned(),
            message: json!({"i32": 1}),
        };
        assert_eq!(
            judge(
                &[refused(400, &[]), put.clone()],
                Ok(call("Put", json!({"i32": 1}), None))
            ),
            Ok(())
        );
        assert_eq!(
            judge(
                &[refused(405, &["GET"])],
                Ok(was_refused(405, &["GET", "HEAD", "OPTIONS"]))
            ),
            Ok(())
        );
        assert_eq!(
            judge(
                &[refused(404, &[]), refused(0, &[])],
                Ok(was_refused(0, &[]))
            ),
            Ok(())
        );
        // 0 says only that it is refused.
        assert_eq!(judge(&[refused(0, &[])], Ok(was_refused(500, &[]))), Ok(()));
        assert_eq!(judge(&[Expected::Accepted], Ok(Answer::Accepted)), Ok(()));
        let response = Answer::Response {
            status: 200,
            body: json!([1.0]),
            kind: BodyKind::Unknown,
        };
        assert_eq!(
            judge(
                &[Expected::Response {
                    status: 200,
                    body: json!([1])
                }],
                Ok(response)
            ),
            Ok(())
        );
    }

    #[test]
    fn a_wrong_answer_is_told_with_both_sides() {
        let put = || Expected::Call {
            rpc: "Put".to_owned(),
            message: json!({"i32": 1}),
        };
        let response = |status| Expected::Response {
            status,
            body: json!({}),
        };
        let table = [
            (
                put(),
                call("Put", json!({"i32": 2}), None),
                "expected Put {\"i32\":1} got Put {\"i32\":2}; at i32: expected 1 got 2",
            ),
            (
                put(),
                call("Get", json!({"i32": 1}), None),
                "expected Put {\"i32\":1} got Get {\"i32\":1}",
            ),
            (
                put(),
                was_refused(400, &[]),
                "expected Put {\"i32\":1} got 400 (so)",
            ),
            (
                refused(400, &[]),
                was_refused(415, &[]),
                "expected 400 got 415 (so)",
            ),
            (
                refused(400, &[]),
                call("Put", json!({}), None),
                "expected 400 got Put {}",
            ),
            (
                refused(405, &["GET", "PUT"]),
                was_refused(405, &["GET"]),
                "expected 405 with Allow: GET, PUT got 405 with Allow: GET (so); PUT is not in Allow",
            ),
            (
                refused(405, &["GET"]),
                was_refused(405, &[]),
                "expected 405 with Allow: GET got 405 (so); GET is not in Allow",
            ),
            (
                refused(0, &[]),
                Answer::Accepted,
                "expected refused got accepted",
            ),
            (
                Expected::Accepted,
                was_refused(0, &[]),
                "expected accepted got refused (so)",
            ),
            (
                response(200),
                Answer::Response {
                    status: 204,
                    body: json!({}),
                    kind: BodyKind::Unknown,
                },
                "expected 200 {} got 204 {}",
            ),
            (
                response(200),
                Answer::Response {
                    status: 200,
                    body: json!([]),
                    kind: BodyKind::Unknown,
                },
                "expected 200 {} got 200 []; at the top: expected {} got []",
            ),
        ];
        for (expected, answer, sentence) in table {
            assert_eq!(judge(&[expected], Ok(answer)), Err(sentence.to_owned()));
        }
        let both = judge(
            &[refused(404, &[]), refused(400, &[])],
            Ok(Answer::Accepted),
        );
        assert_eq!(both, Err("expected 404 or 400 got accepted".to_owned()));
        let none = judge(&[refused(400, &[])], Err("a panic".to_owned()));
        assert_eq!(none, Err("expected 400 got a panic".to_owned()));
    }

    #[test]
    fn protobuf_has_a_say() {
        let put = [Expected::Call {
            rpc: "Put".to_owned(),
            message: json!({"i32": 1}),
        }];
        assert_eq!(
            judge(
                &put,
                Ok(call(
                    "Put",
                    json!({"i32": 1}),
                    Some(json!({"i32": 1, "ri": []}))
                ))
            ),
            Ok(())
        );
        let wrong = judge(
            &put,
            Ok(call("Put", json!({"i32": 1}), Some(json!({"u32": 1})))),
        )
        .unwrap_err();
        assert_eq!(
            wrong,
            "expected the same message in protobuf as in JSON got another; at i32: expected 1 got nothing"
        );
    }

    #[test]
    fn long_answers_are_cut() {
        let long = "x".repeat(5000);
        let put = [Expected::Call {
            rpc: "Put".to_owned(),
            message: json!({"s": long}),
        }];
        let why = judge(&put, Ok(call("Put", json!({"s": "a\nb"}), None))).unwrap_err();
        assert!(
            why.len() < 1200 && why.contains('…') && !why.contains('\n'),
            "{why}"
        );
    }
}
