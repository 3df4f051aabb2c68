//! What peers answer in place of a result.
//!
//! Comes in: a JSON-RPC error, an HTTP answer that is no success, details as JSON or protobuf. Goes
//! out: an [`Error`]. Which of the protocol's errors it is, the JSON-RPC code or the reason of its
//! `ErrorInfo` says; HTTP and gRPC statuses are shared by many, so they only give a canonical code.
//! Peers are read leniently: whatever shape the rest has, code and message get through.

use std::borrow::Cow;
use std::time::Duration;

use http::header::{ALLOW, HeaderMap, LOCATION, RETRY_AFTER};
use http::{HeaderName, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::address;
use super::challenge::with_challenge;
use crate::error::{Code, Error, ErrorStyle};
use crate::service::ServiceSpec;

mod details;
mod older;

pub(crate) use details::Details;
#[cfg(feature = "grpc")]
pub(crate) use older::by_code;
pub(crate) use older::by_status;
use older::{Named, named};

/// How much of a message is kept.
const LONGEST_MESSAGE: usize = 8 << 10;

/// A JSON value that may be of any type.
type Raw<'a> = Option<&'a RawValue>;

/// Makes the error of what is known of it.
///
/// `json_rpc_code` names the error where no reason does; `code` is what it is when it is none of the
/// protocol's own.
pub(crate) fn make(
    service: &ServiceSpec,
    json_rpc_code: Option<i32>,
    code: Code,
    message: &str,
    details: Details,
) -> Error {
    let by_code = || {
        service
            .errors
            .iter()
            .copied()
            .find(|spec| Some(spec.json_rpc_code) == json_rpc_code)
    };
    let (named, message) = match service.error_style {
        ErrorStyle::Status => (None, message),
        ErrorStyle::CodeAndMessage => named(service, message),
    };
    let by_name = || match named {
        Some(Named::Own(spec)) => Some(spec),
        _ => None,
    };
    let spec = match service.error_style {
        ErrorStyle::Status => details.spec(service).or_else(by_code),
        // The code is what this version fixes.
        ErrorStyle::CodeAndMessage => by_code().or_else(|| details.spec(service)).or_else(by_name),
    };
    let code = match named {
        Some(Named::Usual(usual)) if spec.is_none() => usual,
        _ => code,
    };
    let message = match (cut(message.trim(), LONGEST_MESSAGE), spec) {
        ("", Some(spec)) => spec.message.to_owned(),
        ("", None) => format!("the server says no more than {}", code.name()),
        (message, _) => message.to_owned(),
    };
    let mut error = match spec {
        Some(spec) => Error::from_spec(spec, message),
        None => Error::new(code, message),
    };
    if spec.is_none()
        && let Some(json_rpc_code) = json_rpc_code
        && json_rpc_code != code.json_rpc_code()
    {
        error = error.with_json_rpc_code(json_rpc_code);
    }
    if let Some(reason) = details.reason {
        error = error.with_peer_reason(reason);
    }
    if let Some(delay) = details.retry_after {
        error = error.with_retry_after(delay);
    }
    let has_facts = !details.metadata.is_empty();
    for (key, value) in details.metadata {
        error = error.with_metadata(key, value);
    }
    // Facts stand beside the name of an error; where there is none, they are data like others.
    if let Some(data) = details.data.filter(|_| spec.is_none() || !has_facts) {
        error = error.with_peer_data(data);
    }
    if details.violations.is_empty() {
        error
    } else {
        error.with_violations(details.violations)
    }
}

#[derive(Deserialize)]
struct RpcError<'a> {
    #[serde(borrow, default)]
    code: Raw<'a>,
    #[serde(borrow, default)]
    message: Raw<'a>,
    #[serde(borrow, default)]
    data: Raw<'a>,
}

/// The error of a JSON-RPC reply: the value of its member `error`.
pub(crate) fn from_json_rpc(service: &ServiceSpec, error: &RawValue) -> Error {
    let Ok(RpcError {
        code,
        message,
        data,
    }) = object::<RpcError<'_>>(error.get().as_bytes())
    else {
        // No object: whatever it says is the message.
        return make(
            service,
            None,
            Code::Unknown,
            &shown(error),
            Details::default(),
        );
    };
    let json_rpc_code = code.and_then(number);
    let details = data
        .map(|data| Details::of(service, data))
        .unwrap_or_default();
    let code = match json_rpc_code {
        Some(-32700 | -32600 | -32602) => Code::InvalidArgument,
        Some(-32601) => Code::Unimplemented,
        Some(-32603) => Code::Internal,
        _ => Code::Unknown,
    };
    make(
        service,
        json_rpc_code,
        code,
        &message.map(shown).unwrap_or_default(),
        details,
    )
}

/// The canonical code that a bare HTTP status stands for.
pub(crate) fn code_of(status: StatusCode) -> Code {
    match status.as_u16() {
        400 | 411 | 414 | 415 | 422 => Code::InvalidArgument,
        401 | 407 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 | 410 => Code::NotFound,
        405 | 501 => Code::Unimplemented,
        408 | 504 => Code::DeadlineExceeded,
        409 => Code::Aborted,
        412 | 428 => Code::FailedPrecondition,
        413 | 429 | 431 => Code::ResourceExhausted,
        416 => Code::OutOfRange,
        499 => Code::Cancelled,
        500 => Code::Internal,
        502 | 503 => Code::Unavailable,
        _ => Code::Unknown,
    }
}

#[derive(Deserialize)]
struct HttpError<'a> {
    /// An object, or a word (OAuth has it so).
    #[serde(borrow, default)]
    error: Raw<'a>,
    #[serde(borrow, default)]
    error_description: Raw<'a>,
    // The error itself, of a bare `google.rpc.Status` and of v0.3.
    #[serde(borrow, default)]
    code: Raw<'a>,
    #[serde(borrow, default)]
    status: Raw<'a>,
    #[serde(borrow, default)]
    message: Raw<'a>,
    #[serde(borrow, default, alias = "data")]
    details: Raw<'a>,
    // RFC 9457.
    #[serde(borrow, default)]
    title: Raw<'a>,
    #[serde(borrow, default)]
    detail: Raw<'a>,
}

/// The error that the body of an answer says, if it says one: `{"error": {code, status, message,
/// details}}`, or one of the shapes that stand for it elsewhere. `code` is what it is when neither
/// reason nor status name say.
pub(crate) fn from_body(service: &ServiceSpec, code: Code, body: &[u8]) -> Option<Error> {
    let outer: HttpError<'_> = object(body).ok()?;
    let inner = outer
        .error
        .and_then(|error| object::<HttpError<'_>>(error.get().as_bytes()).ok());
    let found = inner.as_ref().unwrap_or(&outer);
    let message = [
        found.message,
        found.detail,
        outer.error_description,
        found.title,
        outer.error,
    ]
    .into_iter()
    .flatten()
    .find_map(|text| text_of(text).filter(|text| !text.is_empty()));
    let details = found
        .details
        .map(|details| Details::of(service, details))
        .unwrap_or_default();
    // v0.3 puts the JSON-RPC code there; an HTTP status or a gRPC status is no negative number.
    let json_rpc_code = found.code.and_then(number).filter(|code| *code < 0);
    if message.is_none() && details.reason.is_none() && json_rpc_code.is_none() {
        return None;
    }
    let code = found
        .status
        .and_then(text_of)
        .and_then(|name| Code::from_name(&name))
        .unwrap_or(code);
    Some(make(
        service,
        json_rpc_code,
        code,
        &message.unwrap_or_default(),
        details,
    ))
}

/// The error of an answer that is no success.
pub(crate) fn from_http(
    service: &ServiceSpec,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Error {
    let error = if status.is_redirection() {
        // It may repeat a key of the request's query.
        let to = header(headers, &LOCATION).map_or_else(|| "nowhere".to_owned(), address::shown);
        Error::new(
            Code::FailedPrecondition,
            format!(
                "the server redirects ({status}) to {to}; redirects are not followed, since they would take credentials along: call that address itself"
            ),
        )
    } else {
        let code = code_of(status);
        from_body(service, code, body).unwrap_or_else(|| {
            Error::new(
                code,
                format!("the server answered {status}{}", preview(body)),
            )
        })
    };
    with_head(error, status, headers, body)
}

/// Adds what the head of an answer says about its error, and the body when the error is none of the
/// protocol's own.
pub(crate) fn with_head(
    mut error: Error,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Error {
    error = error.with_peer_status(status.as_u16());
    if error.spec().is_none() && !body.is_empty() {
        error = error.with_peer_body(body);
    }
    // Details say it more exactly than whole seconds do.
    if error.retry_after().is_none()
        && let Some(delay) = retry_after(headers)
    {
        error = error.with_retry_after(delay);
    }
    if status == StatusCode::METHOD_NOT_ALLOWED
        && let Some(allow) = header(headers, &ALLOW)
    {
        error = error.with_allow(allow);
    }
    if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        error = with_challenge(error, headers);
    }
    error
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// When to try again: seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = header(headers, &RETRY_AFTER)?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    #[cfg(not(target_family = "wasm"))]
    if let Ok(date) = httpdate::parse_http_date(text) {
        return Some(
            date.duration_since(std::time::SystemTime::now())
                .unwrap_or_default(),
        );
    }
    None
}

/// The start of a body, to stand at the end of a message.
pub(crate) fn preview(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(400)]);
    // On one line, and without anything that a terminal would obey.
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    match cut(&line, 160) {
        "" => ", without a body".to_owned(),
        start if start.len() == line.len() && body.len() <= 400 => format!(": {start}"),
        start => format!(": {start}…"),
    }
}

/// The start of a text, never half a letter.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    &text[..end]
}

/// JSON that fits, or nothing.
fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// An object that fits. (A list would be read as the values of its members.)
pub(super) fn object<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, serde_json::Error> {
    match text.trim_ascii_start().first() {
        Some(b'{') | None => serde_json::from_slice(text),
        Some(_) => serde_json::from_slice::<serde::de::IgnoredAny>(text)
            .and_then(|_| Err(serde::de::Error::custom("it is JSON, but no object"))),
    }
}

/// The text of a JSON string.
fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text = raw.get();
    // Without escapes it need not be copied.
    match text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    {
        Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
        Some(_) => read(text).map(Cow::Owned),
        None => None,
    }
}

/// A JSON value as a text for people.
fn shown(raw: &RawValue) -> Cow<'_, str> {
    text_of(raw).unwrap_or(Cow::Borrowed(raw.get()))
}

/// A whole number, also when it stands in quotes or has a fraction of zero.
fn number(raw: &RawValue) -> Option<i32> {
    let text = shown(raw);
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        #[allow(
            clippy::cast_possible_truncation,
            reason = "checked to be whole and in range"
        )]
        (number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX)).then_some(number as i32)
    })
}

#[cfg(test)]
mod tests;
