//! The form of a case file.
//!
//! Comes in: the text of a file. Goes out: [`CaseFile`], with every expectation understood, or a
//! sentence that says what is not. What stands beside a case for people (`group`, `level`, `note`,
//! `source`, an error's `kind`) is not kept.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::versions;

/// A file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// Texts of the protos by the keys that cases name them with.
    pub protos: BTreeMap<String, String>,
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// What it is a case of; a sentence when it was not understood.
    pub work: Result<Work, String>,
}

/// What a case asks for.
#[derive(Debug)]
pub enum Work {
    /// An HTTP request is read as a call of a method.
    ServerDecode {
        /// Key of the proto.
        proto: String,
        /// The request.
        request: Request,
        /// Right answers, the recommended one first.
        expected: Vec<Expected>,
    },
    /// A message is written as an HTTP response.
    ServerEncode {
        /// Key of the proto.
        proto: String,
        /// Name of the method.
        rpc: String,
        /// The message, in protobuf's text format.
        response_text: String,
        /// Right answers, the recommended one first.
        expected: Vec<Expected>,
    },
    /// A call is written as an HTTP request.
    ClientEncode {
        /// Key of the proto.
        proto: String,
        /// Name of the method.
        rpc: String,
        /// The message as `ProtoJSON`.
        message: Value,
        /// Right answers, the recommended one first.
        expected: Vec<Expected>,
    },
    /// Something is converted from one version of A2A to the other.
    Convert(Box<versions::case::Case>),
    /// A method is read by the generator.
    Codegen {
        /// The method's declaration.
        snippet: String,
        /// Right answers, the recommended one first.
        expected: Vec<Expected>,
    },
}

/// An HTTP request as a case writes it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, as it stands on the wire.
    pub path: String,
    /// The query, as it stands on the wire, without `?`.
    pub query: String,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

/// A right answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// The request reaches a method with this message.
    Call {
        /// Name of the method.
        rpc: String,
        /// The message as `ProtoJSON`.
        message: Value,
    },
    /// The response has this status and this body.
    Response {
        /// The HTTP status.
        status: u16,
        /// The body as JSON.
        body: Value,
    },
    /// This is sent.
    Request {
        /// The HTTP method.
        method: String,
        /// The path, as it stands on the wire.
        path: String,
        /// The query, as it stands on the wire, without `?`.
        query: String,
        /// The body; `None` when there is none.
        body: Option<Value>,
    },
    /// It is refused.
    Refused {
        /// The HTTP status, 0 for any or none.
        status: u16,
        /// Methods that `Allow` must hold, in capitals.
        allow: Vec<String>,
    },
    /// It is accepted.
    Accepted,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { rpc, message } => write!(f, "{rpc} {message}"),
            Self::Response { status, body } => write!(f, "{status} {body}"),
            Self::Request {
                method,
                path,
                query,
                body,
            } => write_request(f, method, path, query, body.as_ref()),
            Self::Refused { status: 0, .. } => f.write_str("refused"),
            Self::Refused { status, allow } if allow.is_empty() => write!(f, "{status}"),
            Self::Refused { status, allow } => {
                write!(f, "{status} with Allow: {}", allow.join(", "))
            }
            Self::Accepted => f.write_str("accepted"),
        }
    }
}

/// Writes a request in one line.
pub(crate) fn write_request(
    f: &mut fmt::Formatter<'_>,
    method: &str,
    path: &str,
    query: &str,
    body: Option<&Value>,
) -> fmt::Result {
    let mark = if query.is_empty() { "" } else { "?" };
    write!(f, "{method} {path}{mark}{query}")?;
    match body {
        Some(body) => write!(f, " {body}"),
        None => f.write_str(" without a body"),
    }
}

impl CaseFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// A sentence, when the text is no case file. A single case that is not understood is not an
    /// error of the file: it is kept as such, and fails.
    pub fn read(text: &str) -> Result<Self, String> {
        let file = json(text.as_bytes()).map_err(|error| format!("it is not JSON: {error}"))?;
        let cases = file
            .get("cases")
            .and_then(Value::as_array)
            .ok_or("it has no list `cases`; a case file is an object {meta, protos, cases}")?;
        let mut protos = BTreeMap::new();
        match file.get("protos") {
            None => {}
            Some(Value::Object(texts)) => {
                for (key, text) in texts {
                    let text = text
                        .as_str()
                        .ok_or_else(|| format!("protos.{key} is not a text"))?;
                    protos.insert(key.clone(), text.to_owned());
                }
            }
            Some(_) => return Err("`protos` is not an object of texts".to_owned()),
        }
        let cases = cases
            .iter()
            .enumerate()
            .map(|(index, case)| Case {
                id: case
                    .get("id")
                    .and_then(Value::as_str)
                    .map_or_else(|| format!("cases[{index}]"), str::to_owned),
                work: work(case),
            })
            .collect();
        Ok(Self { protos, cases })
    }
}

/// Reads a JSON text of any depth: how deep a message may be is for cases to say.
///
/// # Errors
/// When it is no JSON.
pub fn json(text: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

fn work(case: &Value) -> Result<Work, String> {
    let case = case.as_object().ok_or("the case is not an object")?;
    text(case, "id")?;
    let direction = text(case, "direction")?;
    if matches!(
        direction.as_str(),
        versions::case::UP | versions::case::DOWN
    ) {
        return versions::case::Case::read(case).map(|case| Work::Convert(Box::new(case)));
    }
    let proto = text(case, "proto")?;
    match direction.as_str() {
        "server-decode" => {
            let request = request(case.get("request").ok_or("there is no `request`")?)?;
            Ok(Work::ServerDecode {
                proto,
                request,
                expected: answers(case, decode_answer)?,
            })
        }
        "server-encode" => {
            let input = input(case)?;
            only(input, "input", &["rpc", "response_text"])?;
            let (rpc, response_text) = (text(input, "rpc")?, text(input, "response_text")?);
            Ok(Work::ServerEncode {
                proto,
                rpc,
                response_text,
                expected: answers(case, encode_answer)?,
            })
        }
        "client-encode" => {
            let input = input(case)?;
            only(input, "input", &["rpc", "message_json"])?;
            let message = input
                .get("message_json")
                .ok_or("`input` has no `message_json`")?;
            Ok(Work::ClientEncode {
                proto,
                rpc: text(input, "rpc")?,
                message: message.clone(),
                expected: answers(case, request_answer)?,
            })
        }
        "codegen" => Ok(Work::Codegen {
            snippet: proto,
            expected: answers(case, codegen_answer)?,
        }),
        other => Err(format!(
            "unknown direction {other:?}; known are server-decode, server-encode, client-encode, codegen, 0.3->1.0 and 1.0->0.3"
        )),
    }
}

fn input(case: &Map<String, Value>) -> Result<&Map<String, Value>, String> {
    case.get("input")
        .and_then(Value::as_object)
        .ok_or_else(|| "there is no object `input`".to_owned())
}

fn text(object: &Map<String, Value>, key: &str) -> Result<String, String> {
    object
        .get(key)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| format!("there is no text `{key}`"))
}

/// Refuses keys that nobody would look at: what is written there would seem to be checked.
fn only(object: &Map<String, Value>, name: &str, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!(
            "`{name}` has a key `{key}` that this runner does not know"
        )),
        None => Ok(()),
    }
}

fn request(value: &Value) -> Result<Request, String> {
    let object = value.as_object().ok_or("`request` is not an object")?;
    only(
        object,
        "request",
        &["method", "path", "query", "headers", "body"],
    )?;
    let mut headers = Vec::new();
    match object.get("headers") {
        None | Some(Value::Null) => {}
        Some(Value::Object(pairs)) => {
            for (name, value) in pairs {
                let value = value
                    .as_str()
                    .ok_or_else(|| format!("the header {name} is not a text"))?;
                headers.push((name.clone(), value.to_owned()));
            }
        }
        Some(_) => return Err("`headers` is not an object".to_owned()),
    }
    Ok(Request {
        method: text(object, "method")?,
        path: text(object, "path")?,
        query: object
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        headers,
        body: match object.get("body") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(raw)) => raw.clone().into_bytes(),
            Some(json) => json.to_string().into_bytes(),
        },
    })
}

/// `expect` and `alternatives`.
fn answers(
    case: &Map<String, Value>,
    read: fn(&Map<String, Value>) -> Result<Expected, String>,
) -> Result<Vec<Expected>, String> {
    let alternatives = match case.get("alternatives") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(list)) => list,
        Some(_) => return Err("`alternatives` is not a list".to_owned()),
    };
    let expect = case.get("expect").ok_or("there is no `expect`")?;
    std::iter::once(expect)
        .chain(alternatives)
        .map(|answer| {
            read(
                answer
                    .as_object()
                    .ok_or("an expected answer is not an object")?,
            )
        })
        .collect()
}

fn decode_answer(answer: &Map<String, Value>) -> Result<Expected, String> {
    if answer.contains_key("error") {
        return refusal(answer);
    }
    only(answer, "expect", &["rpc", "message_json"])?;
    let message = answer
        .get("message_json")
        .ok_or("`expect` has no `message_json`")?;
    Ok(Expected::Call {
        rpc: text(answer, "rpc")?,
        message: message.clone(),
    })
}

fn encode_answer(answer: &Map<String, Value>) -> Result<Expected, String> {
    if answer.contains_key("error") {
        return refusal(answer);
    }
    only(answer, "expect", &["http_status", "body_json"])?;
    let body = answer
        .get("body_json")
        .ok_or("`expect` has no `body_json`")?;
    Ok(Expected::Response {
        status: status(answer)?,
        body: body.clone(),
    })
}

fn request_answer(answer: &Map<String, Value>) -> Result<Expected, String> {
    if answer.contains_key("error") {
        return refusal(answer);
    }
    only(answer, "expect", &["request"])?;
    let request = answer
        .get("request")
        .and_then(Value::as_object)
        .ok_or("`expect` has no object `request`")?;
    only(request, "request", &["method", "path", "query", "body"])?;
    Ok(Expected::Request {
        method: text(request, "method")?,
        path: text(request, "path")?,
        query: request
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        body: request.get("body").filter(|body| !body.is_null()).cloned(),
    })
}

/// Only whether it is refused counts.
fn codegen_answer(answer: &Map<String, Value>) -> Result<Expected, String> {
    match answer.get("error") {
        None | Some(Value::Null) => Ok(Expected::Accepted),
        Some(_) => Ok(Expected::Refused {
            status: 0,
            allow: Vec::new(),
        }),
    }
}

fn refusal(answer: &Map<String, Value>) -> Result<Expected, String> {
    only(answer, "expect", &["error"])?;
    let error = answer
        .get("error")
        .and_then(Value::as_object)
        .ok_or("`error` is not an object")?;
    only(error, "error", &["http_status", "kind", "allow"])?;
    let mut allow = Vec::new();
    match error.get("allow") {
        None | Some(Value::Null) => {}
        Some(Value::Array(methods)) => {
            for method in methods {
                allow.push(
                    method
                        .as_str()
                        .ok_or("`allow` is not a list of methods")?
                        .to_ascii_uppercase(),
                );
            }
        }
        Some(_) => return Err("`allow` is not a list of methods".to_owned()),
    }
    Ok(Expected::Refused {
        status: status(error)?,
        allow,
    })
}

fn status(object: &Map<String, Value>) -> Result<u16, String> {
    object
        .get("http_status")
        .and_then(Value::as_u64)
        .and_then(|status| u16::try_from(status).ok())
        .ok_or_else(|| "there is no `http_status`".to_owned())
}

#[cfg(test)]
mod tests;
