//! What goes over the wire, for people who look for a fault.
//!
//! Comes in: requests of the client and what is answered. Goes out: the same, untouched; on the way
//! they are shown on standard error without their secrets, or kept for a command that looks at them.

use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use a2a_kit::client::{CallOptions, HttpTransport, Transport, TransportError};
use a2a_kit::{A2A_SERVICE, Body, BoxError, BoxFuture, Error, Input, OperationSpec, v0_3};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::text;

/// How much of a line of a body is shown.
const LONGEST_LINE: usize = 4 << 10;
/// How much of an answer is kept by a [`Recorder`], and held to be shown.
const KEPT: usize = 9 << 20;
/// What stands in the place of a secret.
const MASK: &str = "***";

/// An answer as it came.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// It has come to its end, and all of it was kept.
    pub(crate) whole: bool,
}

/// Keeps the last answer.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Option<Recorded>>);

impl Recorder {
    /// The last answer, as far as it has come.
    pub(crate) fn last(&self) -> Option<Recorded> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Recorded>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, status: StatusCode, headers: HeaderMap) {
        *self.lock() = Some(Recorded {
            status,
            headers,
            body: Vec::new(),
            whole: false,
        });
    }

    fn add(&self, bytes: &[u8]) {
        if let Some(recorded) = &mut *self.lock() {
            let room = KEPT.saturating_sub(recorded.body.len());
            let kept = bytes.get(..room).unwrap_or(bytes);
            recorded.body.extend_from_slice(kept);
        }
    }

    fn end(&self) {
        if let Some(recorded) = &mut *self.lock() {
            recorded.whole = recorded.body.len() < KEPT;
        }
    }
}

/// A transport that is looked at.
#[derive(Debug)]
pub(crate) struct Wire {
    inner: HttpTransport,
    show: bool,
    secrets: Arc<[String]>,
    recorder: Option<Arc<Recorder>>,
}

impl Wire {
    pub(crate) fn new(
        show: bool,
        secrets: Vec<String>,
        recorder: Option<Arc<Recorder>>,
    ) -> Result<Self, Error> {
        Ok(Self {
            inner: HttpTransport::builder().build()?,
            show,
            secrets: secrets.into(),
            recorder,
        })
    }

    async fn observed(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> Result<Response<Body>, TransportError> {
        let uri = request.uri().clone();
        let operation = operation(uri.path());
        if self.show {
            let head = format!("{} {uri} {:?}", request.method(), request.version());
            let mut shown = lines('>', &head, request.headers(), &self.secrets);
            let mut body = Shown::new('>', operation.map(|found| found.decode_request));
            body.add(request.body());
            body.end();
            shown.push_str(&body.take(&self.secrets));
            show(&shown);
        }
        let response = self.inner.send(request, options).await;
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                if self.show {
                    show(&format!("< {}\n", text::safe(&error.to_string())));
                }
                return Err(error);
            }
        };
        let (head, body) = response.into_parts();
        if self.show {
            let status = format!("{} {:?}", head.status, head.version);
            show(&lines('<', &status, &head.headers, &self.secrets));
        }
        if let Some(recorder) = &self.recorder {
            recorder.begin(head.status, head.headers.clone());
        }
        let body = Observed {
            body,
            recorder: self.recorder.clone(),
            shown: self
                .show
                .then(|| Shown::new('<', operation.map(|found| found.decode_response))),
            secrets: Arc::clone(&self.secrets),
        };
        Ok(Response::from_parts(head, Body::new(body)))
    }
}

impl Transport for Wire {
    fn send(
        &self,
        request: Request<Bytes>,
        options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(self.observed(request, options))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.inner.sleep(duration)
    }
}

/// Standard error may be closed; that ends nothing.
fn show(lines: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), lines.as_bytes());
}

/// The operation of a gRPC path.
fn operation(path: &str) -> Option<&'static OperationSpec> {
    [&A2A_SERVICE, &v0_3::A2A_SERVICE]
        .into_iter()
        .flat_map(|service| service.operations)
        .find(|operation| operation.grpc_path == path)
}

type Decode = fn(Input<'_>) -> Result<Box<dyn a2a_kit::Encoded>, Error>;

/// A body that is looked at.
struct Observed {
    body: Body,
    recorder: Option<Arc<Recorder>>,
    shown: Option<Shown>,
    secrets: Arc<[String]>,
}

impl HttpBody for Observed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            if let Some(recorder) = &this.recorder {
                recorder.add(data);
            }
            if let Some(shown) = &mut this.shown {
                shown.add(data);
            }
        }
        if let (None, Some(recorder)) = (&frame, &this.recorder) {
            recorder.end();
        }
        if let Some(shown) = &mut this.shown {
            if frame.is_none() {
                shown.end();
            }
            let mut lines = shown.take(&this.secrets);
            if let Some(Ok(frame)) = &frame
                && let Some(trailers) = frame.trailers_ref()
            {
                lines.push_str(&headers('<', trailers, &this.secrets));
            }
            if !lines.is_empty() {
                show(&lines);
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        // The end is seen by asking for it.
        self.shown.is_none() && self.recorder.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body on its way to standard error: text line by line, messages of gRPC as the JSON that they are.
struct Shown {
    mark: char,
    decode: Option<Decode>,
    held: Vec<u8>,
    ready: String,
}

impl Shown {
    fn new(mark: char, decode: Option<Decode>) -> Self {
        Self {
            mark,
            decode,
            held: Vec::new(),
            ready: String::new(),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        match self.decode {
            Some(decode) => {
                self.hold(bytes);
                self.messages(decode);
            }
            None => {
                for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                    self.hold(piece);
                    if piece.ends_with(b"\n") {
                        self.line();
                    }
                }
            }
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.held.len());
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.held.extend_from_slice(kept);
    }

    fn line(&mut self) {
        let held = std::mem::take(&mut self.held);
        let line = String::from_utf8_lossy(&held);
        let line = masked_json(line.trim_end_matches(['\n', '\r']));
        let line = text::bounded(&line, LONGEST_LINE);
        let _ = writeln!(self.ready, "{} {line}", self.mark);
    }

    /// Messages that are whole: a flag, four bytes of length, the message.
    fn messages(&mut self, decode: Decode) {
        while let Some((head, rest)) = self.held.split_first_chunk::<5>() {
            let [flag, length @ ..] = *head;
            let length = u32::from_be_bytes(length) as usize;
            let Some(message) = rest.get(..length) else {
                return;
            };
            let message = Bytes::copy_from_slice(message);
            let json = match flag {
                0 => decode(Input::Proto(message)).and_then(|message| message.json()),
                _ => Err(Error::internal("it is compressed")),
            };
            let line = match json {
                Ok(json) => {
                    text::bounded(&masked_json(&String::from_utf8_lossy(&json)), LONGEST_LINE)
                }
                Err(error) => format!("a message that cannot be shown: {error}"),
            };
            let _ = writeln!(self.ready, "{} ({length} bytes) {line}", self.mark);
            self.held.drain(..5 + length);
        }
    }

    fn end(&mut self) {
        if self.decode.is_none() && !self.held.is_empty() {
            self.line();
        }
    }

    /// What can be shown now.
    fn take(&mut self, secrets: &[String]) -> String {
        without(std::mem::take(&mut self.ready), secrets)
    }
}

fn lines(mark: char, first: &str, all: &HeaderMap, secrets: &[String]) -> String {
    let first = without(format!("{mark} {}\n", text::safe(first)), secrets);
    format!("{first}{}{mark}\n", headers(mark, all, secrets))
}

fn headers(mark: char, headers: &HeaderMap, secrets: &[String]) -> String {
    let mut out = String::new();
    for (name, value) in headers {
        let shown = String::from_utf8_lossy(value.as_bytes());
        let shown = if value.is_sensitive() || is_secret_name(name.as_str()) {
            masked(&shown)
        } else {
            text::bounded_line(&shown, LONGEST_LINE)
        };
        let _ = writeln!(out, "{mark} {name}: {shown}");
    }
    without(out, secrets)
}

/// The scheme stays, what proves something does not.
fn masked(value: &str) -> String {
    match value.split_once(' ') {
        Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            format!("{scheme} {MASK}")
        }
        _ => MASK.to_owned(),
    }
}

/// Secrets that stand somewhere else, as they are or as a URL has them.
fn without(mut text: String, secrets: &[String]) -> String {
    for secret in secrets {
        text = text.replace(secret, MASK);
        let mut escaped = a2a_kit::client::QueryWriter::new();
        escaped.push("k", secret);
        if let Some(escaped) = escaped.as_str().strip_prefix("k=")
            && !escaped.is_empty()
        {
            text = text.replace(escaped, MASK);
        }
    }
    text
}

/// True for names of headers whose values are secrets.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "cookie", "token", "key", "secret", "password"]
        .iter()
        .any(|part| name.contains(part))
}

/// Members of JSON whose texts are secrets: of push notification configs, and what answers of token
/// endpoints have.
const SECRET_MEMBERS: [&str; 8] = [
    "token",
    "credentials",
    "password",
    "access_token",
    "refresh_token",
    "accessToken",
    "refreshToken",
    "clientSecret",
];

/// A JSON text, or a part of one, without the texts of such members.
fn masked_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('"') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (literal, after) = literal(from);
        out.push_str(literal);
        rest = after;
        let name = literal.trim_matches('"');
        let value = after.trim_start();
        let Some(value) = value.strip_prefix(':').map(str::trim_start) else {
            continue;
        };
        if SECRET_MEMBERS.contains(&name) && value.starts_with('"') {
            let (secret, behind) = self::literal(value);
            if secret != "\"\"" {
                out.push_str(&after[..after.len() - value.len()]);
                out.push('"');
                out.push_str(MASK);
                out.push('"');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The string at the start of a text, with its quotes, and what follows. One without an end goes to
/// the end of the text.
fn literal(text: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return text.split_at(at + 1),
            _ => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_json_are_masked_wherever_they_stand() {
        for (json, shown) in [
            (r#"{"token":"s","url":"u"}"#, r#"{"token":"***","url":"u"}"#),
            (
                r#"data: {"a":{"credentials" : "s\"s", "x":1}}"#,
                r#"data: {"a":{"credentials" : "***", "x":1}}"#,
            ),
            (
                r#"{"token":"","text":"token"}"#,
                r#"{"token":"","text":"token"}"#,
            ),
            (
                r#"{"text":"\"token\":\"x\""}"#,
                r#"{"text":"\"token\":\"x\""}"#,
            ),
            (r#"{"token":"never ends"#, r#"{"token":"***""#),
            ("no json \" at all", "no json \" at all"),
        ] {
            assert_eq!(masked_json(json), shown);
        }
    }

    #[test]
    fn headers_keep_their_scheme_only() {
        let mut map = HeaderMap::new();
        map.insert("authorization", "Bearer s3cret".parse().unwrap());
        map.insert("x-api-key", "s3cret".parse().unwrap());
        map.insert("x-other", "before s3cret after".parse().unwrap());
        assert_eq!(
            headers('>', &map, &["s3cret".to_owned()]),
            "> authorization: Bearer ***\n> x-api-key: ***\n> x-other: before *** after\n"
        );
        let url = without("GET /?key=a%2Fb".to_owned(), &["a/b".to_owned()]);
        assert_eq!(url, "GET /?key=***");
    }

    #[test]
    fn bodies_are_shown_line_by_line_and_no_line_is_endless() {
        let mut shown = Shown::new('<', None);
        shown.add(b"data: {\"tok");
        assert_eq!(shown.take(&[]), "");
        shown.add(b"en\":\"s\"}\r\n\x1b[2J");
        assert_eq!(shown.take(&[]), "< data: {\"token\":\"***\"}\n");
        shown.end();
        assert_eq!(shown.take(&[]), "< \\u{1b}[2J\n");
        shown.add(&vec![b'x'; 2 * KEPT]);
        shown.end();
        assert!(shown.take(&[]).len() < LONGEST_LINE + 100);
    }

    #[test]
    fn messages_of_grpc_are_shown_as_json() {
        let path = "/lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig";
        let decode = operation(path).map(|found| found.decode_request);
        let config = a2a_kit::v1_0::TaskPushNotificationConfig::new()
            .with_task_id("t1")
            .with_token("s3cret");
        let message = a2a_kit::Shared::new(config).proto();
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        let framed = [&[0], &length[..], &message[..]].concat();
        let mut shown = Shown::new('>', decode);
        let (start, end) = framed.split_at(7);
        shown.add(start);
        assert_eq!(shown.take(&[]), "");
        shown.add(end);
        let line = shown.take(&[]);
        assert!(line.contains(r#""taskId":"t1""#), "{line}");
        assert!(line.contains(r#""token":"***""#), "{line}");
    }
}
