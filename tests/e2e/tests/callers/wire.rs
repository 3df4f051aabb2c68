//! One way to call an operation, and what is seen of the answer.
//!
//! Comes in: a request as JSON, and what the tables say of its operation. Goes out: bytes on a socket,
//! and status, headers and everything that comes back, in a form in which answers can be compared.

use std::collections::BTreeMap;

use a2a_kit::{
    A2A_SERVICE, OperationSpec, ProtocolVersion, Route, RouteBody, Segment, ServiceSpec, v0_3,
};
use bytes::{Buf as _, Bytes, BytesMut};
use e2e::client::http::Connection;
use e2e::client::{decode, encode, grpc_status};
use e2e::within;
use http::{HeaderMap, HeaderName, Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::net::SocketAddr;

use super::sample::{self, About, Language};

/// A binding, and for HTTP+JSON a route of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    Rest(&'static Route),
    JsonRpc,
    Grpc,
}

/// A way to call an operation in a version of the protocol.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) service: &'static ServiceSpec,
    pub(crate) operation: &'static OperationSpec,
    pub(crate) binding: Binding,
}

impl std::fmt::Debug for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = match self.binding {
            Binding::Rest(route) => format!("{} {}", route.method, route.template),
            Binding::JsonRpc => "JSON-RPC".into(),
            Binding::Grpc => "gRPC".into(),
        };
        write!(f, "{} {} {way}", self.version(), self.operation.name)
    }
}

impl Way {
    /// Every operation of every version in every way.
    pub(crate) fn all() -> Vec<Self> {
        let services = [&A2A_SERVICE, &v0_3::A2A_SERVICE].into_iter();
        let operations = services.flat_map(|service| {
            let all = service.operations.iter();
            all.map(move |operation| (service, operation))
        });
        operations
            .flat_map(|(service, operation)| {
                let routes = operation.routes.iter().map(|index| &service.routes[*index]);
                let bindings = routes.map(Binding::Rest);
                bindings
                    .chain([Binding::JsonRpc, Binding::Grpc])
                    .map(move |binding| Self {
                        service,
                        operation,
                        binding,
                    })
            })
            .collect()
    }

    pub(crate) fn version(&self) -> ProtocolVersion {
        self.service.version.expect("a version")
    }

    pub(crate) fn is_old(&self) -> bool {
        self.version() == ProtocolVersion::V0_3
    }

    /// In which tenant it is called: version 0.3 has none.
    pub(crate) fn tenant(&self, tenant: &'static str) -> &'static str {
        if self.is_old() { "" } else { tenant }
    }

    /// The request that the schema gives for it.
    pub(crate) fn request(&self, about: &About) -> Value {
        let language = match self.binding {
            Binding::JsonRpc if self.is_old() => Language::Schema,
            _ => Language::Proto,
        };
        sample::request(self.service, self.operation, language, about)
    }

    /// Calls it and reads the answer; of a stream that goes on, the first event.
    pub(crate) async fn call(
        &self,
        addr: SocketAddr,
        credentials: &[(&str, &str)],
        about: &About,
        request: Value,
    ) -> Seen {
        let mut http = match self.binding {
            Binding::Rest(route) => rest(route, request, about),
            Binding::JsonRpc => {
                let method = self
                    .operation
                    .json_rpc_method
                    .expect("a method of JSON-RPC");
                let call = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": request});
                post("/", "application/json", call.to_string())
            }
            Binding::Grpc => {
                let message = encode(self.operation.request, &request);
                let mut framed = BytesMut::from(&[0][..]);
                framed.extend(
                    u32::try_from(message.len())
                        .expect("a short one")
                        .to_be_bytes(),
                );
                framed.extend(message);
                post(self.operation.grpc_path, "application/grpc", framed)
            }
        };
        if !self.is_old() {
            http.headers_mut()
                .insert("a2a-version", "1.0".parse().expect("a header"));
        }
        for (name, value) in credentials {
            let name: HeaderName = name.parse().expect("a name of a header");
            http.headers_mut()
                .append(name, value.parse().expect("a value of a header"));
        }
        let mut connection = match self.binding {
            Binding::Grpc => Connection::http2(addr).await,
            _ => Connection::http1(addr).await,
        };
        let response = connection.send(http).await;
        within(self.seen(response)).await
    }

    async fn seen(&self, response: Response<Incoming>) -> Seen {
        let (parts, mut body) = response.into_parts();
        let content_type = parts.headers.get("content-type");
        let is_sse = content_type.is_some_and(|of| of == "text/event-stream");
        let goes_on = is_sse
            || self.binding == Binding::Grpc
                && self.operation.server_streaming
                && !parts.headers.contains_key("grpc-status");
        let (mut bytes, mut trailers) = (BytesMut::new(), HeaderMap::new());
        while let Some(frame) = body.frame().await {
            match frame.expect("the body is whole").into_data() {
                Ok(data) => bytes.extend(data),
                Err(frame) => trailers = frame.into_trailers().expect("trailers"),
            }
            if goes_on && self.holds_an_event(&bytes) {
                break;
            }
        }
        let status = grpc_status(&parts.headers).or_else(|| grpc_status(&trailers));
        let kept = |name: &HeaderName| {
            !matches!(name.as_str(), "date" | "content-length")
                && !name.as_str().starts_with("grpc-")
        };
        let headers = parts.headers.iter().filter(|(name, _)| kept(name));
        let mut body = match self.binding {
            Binding::Grpc => self.messages(bytes.freeze()),
            _ if is_sse => {
                let text = String::from_utf8_lossy(&bytes);
                let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
                data.map(|data| serde_json::from_str::<Value>(data).expect("JSON"))
                    .collect()
            }
            _ if bytes.is_empty() => Value::Null,
            _ => serde_json::from_slice(&bytes).expect("JSON"),
        };
        // How many more have come already is a matter of chance.
        if let (true, Some(events)) = (goes_on, body.as_array_mut()) {
            events.truncate(1);
        }
        Seen {
            http: parts.status.as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), format!("{value:?}")))
                .collect(),
            status: status.map(|fault| (fault.code, fault.message, fault.details)),
            body,
        }
    }

    fn holds_an_event(&self, bytes: &[u8]) -> bool {
        match self.binding {
            Binding::Grpc => bytes.len() > 5,
            _ => {
                bytes.windows(2).any(|end| end == b"\n\n")
                    && bytes.windows(5).any(|at| at == b"data:")
            }
        }
    }

    fn messages(&self, mut bytes: Bytes) -> Value {
        let mut messages = Vec::new();
        while bytes.len() >= 5 {
            bytes.advance(1);
            let length = usize::try_from(bytes.get_u32()).expect("a length");
            messages.push(decode(self.operation.response, bytes.split_to(length)));
        }
        messages.into()
    }

    /// True when the operation was done.
    pub(crate) fn is_done(&self, seen: &Seen) -> bool {
        match self.binding {
            Binding::Rest(_) => seen.http == 200,
            Binding::JsonRpc => {
                let mut answers = match &seen.body {
                    Value::Array(events) => events.iter().collect::<Vec<_>>(),
                    answer => vec![answer],
                };
                answers.retain(|answer| answer.get("result").is_none());
                seen.http == 200 && answers.is_empty()
            }
            Binding::Grpc => seen.http == 200 && seen.status.is_none(),
        }
    }

    /// The code of a refusal, as the binding has it: HTTP status, JSON-RPC's code, gRPC's status.
    pub(crate) fn code(&self, seen: &Seen) -> i64 {
        match (self.binding, &seen.status) {
            (Binding::Rest(_), _) => seen.http.into(),
            (Binding::JsonRpc, _) => {
                // A stream of version 0.3 has begun before its task is looked for.
                let answer = seen.body.get(0).unwrap_or(&seen.body);
                answer["error"]["code"].as_i64().unwrap_or_default()
            }
            (Binding::Grpc, Some((code, _, _))) => *code,
            (Binding::Grpc, None) => 0,
        }
    }
}

/// An answer, in which only what changes with every call is left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) http: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) status: Option<(i64, String, Vec<Value>)>,
    pub(crate) body: Value,
}

impl Seen {
    /// Everything in it, in one text.
    pub(crate) fn text(&self) -> String {
        format!("{self:?}")
    }
}

fn post(path: &str, content_type: &str, body: impl Into<Bytes>) -> Request<Bytes> {
    Request::post(path)
        .header("content-type", content_type)
        .header("te", "trailers")
        .body(body.into())
        .expect("a request")
}

/// The request of a route: what stands in the path, in the body and in the query.
fn rest(route: &Route, mut request: Value, about: &About) -> Request<Bytes> {
    let members = request.as_object_mut().expect("an object");
    let mut segments = vec![String::new(); route.segments.len()];
    for (segment, text) in route.segments.iter().zip(&mut segments) {
        if let Segment::Literal(literal) = segment {
            (*literal).clone_into(text);
        }
    }
    for capture in route.captures {
        let named = members.remove(capture.json_name);
        let value = match capture.multi {
            true => sample::pattern(route, capture.start..capture.end, about),
            false => named.unwrap_or_else(|| json!(about.tenant)),
        };
        let value = value.as_str().expect("a text");
        let pieces: Vec<&str> = match capture.multi {
            true => value.split('/').collect(),
            false => vec![value],
        };
        for (place, piece) in segments[capture.start..capture.end].iter_mut().zip(pieces) {
            *place = utf8_percent_encode(piece, NON_ALPHANUMERIC).to_string();
        }
    }
    let mut path = format!("/{}", segments.join("/"));
    if let Some(verb) = route.verb {
        path += &format!(":{verb}");
    }
    let body = match route.body {
        RouteBody::None => None,
        RouteBody::All => Some(std::mem::take(members).into()),
        RouteBody::Field { json_name, .. } => members.remove(json_name),
    };
    let query = members.iter().map(|(name, value)| {
        let text = value.as_str().expect("what is in a query is a text");
        format!("{name}={}", utf8_percent_encode(text, NON_ALPHANUMERIC))
    });
    let query: Vec<String> = query.collect();
    if !query.is_empty() {
        path += &format!("?{}", query.join("&"));
    }
    let request = Request::builder().method(route.method).uri(path);
    match body {
        Some(body) => request
            .header("content-type", "application/json")
            .body(Value::to_string(&body).into()),
        None => request.body(Bytes::new()),
    }
    .expect("a request")
}
