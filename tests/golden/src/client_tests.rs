//! Generated clients: a request for each method of each service, on each binding, and what comes
//! back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a_kit::client::{
    Answer, CallOptions, Channel, GrpcChannel, JsonRpcChannel, Outgoing, RestChannel, Transport,
    TransportError,
};
use a2a_kit::v1_0::{GetTaskRequest, Task};
use a2a_kit::wire::WireMessage;
use a2a_kit::{Body, BoxFuture, CallContext, Code, Error, EventStream, ServiceSpec, Shared};
use futures_util::TryStreamExt as _;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use prost::bytes::Bytes;
use serde_json::{Value, json};

use crate::hostile::{self, Greeter, GreeterService};
use crate::packages::acme::books::v1::{self as books, Library};
use crate::packages::acme::shop::{self, Shop};

const BASE: &str = "http://h/base";

/// A server in place of the network: it answers every call with the same message, in the way of
/// the binding that it is asked by.
#[derive(Debug, Clone)]
struct Peer {
    json: Value,
    /// The field that is the whole answer over HTTP+JSON.
    field: Option<&'static str>,
    proto: Vec<u8>,
    seen: Arc<Mutex<Vec<Request<Bytes>>>>,
}

impl Peer {
    fn new(message: &impl WireMessage, field: Option<&'static str>) -> Self {
        Self {
            json: json_of(message),
            field,
            proto: message.encode_to_vec(),
            seen: Arc::default(),
        }
    }

    /// The one request that came, or none.
    fn request(&self) -> Option<Request<Bytes>> {
        let mut seen = self.seen.lock().expect("the requests");
        assert!(seen.len() < 2, "{seen:?}");
        seen.pop()
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Body> {
        let kind = |name| {
            let value = request.headers().get(name);
            value.map_or("", |value| value.to_str().expect("a media type"))
        };
        if kind(CONTENT_TYPE) == "application/grpc" {
            let length = u32::try_from(self.proto.len()).expect("a short message");
            let frame = [&[0], &length.to_be_bytes()[..], &self.proto].concat();
            let trailers = HeaderMap::from_iter([(
                http::HeaderName::from_static("grpc-status"),
                http::HeaderValue::from_static("0"),
            )]);
            let body = Full::new(Bytes::from(frame)).with_trailers(async { Some(Ok(trailers)) });
            return typed("application/grpc", Body::new(body));
        }
        let text = if request.uri().path() == "/rpc" {
            let call: Value = serde_json::from_slice(request.body()).expect("JSON");
            json!({"jsonrpc": "2.0", "id": call["id"], "result": self.json})
        } else {
            self.field
                .map_or_else(|| self.json.clone(), |field| self.json[field].clone())
        };
        match kind(ACCEPT) {
            "text/event-stream" => typed("text/event-stream", format!("data: {text}\n\n").into()),
            _ => typed("application/json", text.to_string().into()),
        }
    }
}

fn typed(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let kind = http::HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

impl Transport for Peer {
    fn send(
        &self,
        request: Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let answer = self.answer(&request);
        self.seen.lock().expect("the requests").push(request);
        Box::pin(async { Ok(answer) })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

fn json_of(message: &impl WireMessage) -> Value {
    let mut out = Vec::new();
    message.write_json(&mut out).expect("JSON");
    serde_json::from_slice(&out).expect("JSON")
}

/// The one answer of a call.
async fn one<T: Clone>(
    call: impl Future<Output = Result<Shared<T>, Error>>,
) -> Result<Vec<T>, Error> {
    Ok(vec![call.await?.into_inner()])
}

/// The answers of a stream.
async fn all<T: Clone>(
    call: impl Future<Output = Result<EventStream<T>, Error>>,
) -> Result<Vec<T>, Error> {
    call.await?.map_ok(Shared::into_inner).try_collect().await
}

/// What a method is over HTTP+JSON: method and target, body, and the field that is the answer.
type Rest = (&'static str, &'static str, Option<&'static str>);

fn check_rest(peer: &Peer, expected: Option<Rest>, outcome: Result<(), Error>) {
    let Some((line, body, _)) = expected else {
        let error = outcome.expect_err("no route");
        assert_eq!(error.code(), Code::Unimplemented, "{error:?}");
        assert!(peer.request().is_none());
        return;
    };
    outcome.unwrap_or_else(|error| panic!("{line}: {error:?}"));
    let request = peer.request().expect("a request");
    let sent = format!("{} {}", request.method(), request.uri());
    let (method, target) = line.split_once(' ').expect("a method and a target");
    assert_eq!(sent, format!("{method} {BASE}{target}"));
    let sent = std::str::from_utf8(request.body()).expect("UTF-8");
    assert_eq!(sent, body, "{line}");
}

fn check_json_rpc(
    peer: &Peer,
    method: Option<&str>,
    params: &impl WireMessage,
    outcome: Result<(), Error>,
) {
    let Some(method) = method else {
        let error = outcome.expect_err("no method");
        assert_eq!(error.code(), Code::Unimplemented, "{error:?}");
        assert!(peer.request().is_none());
        return;
    };
    outcome.unwrap_or_else(|error| panic!("{method}: {error:?}"));
    let request = peer.request().expect("a request");
    let body: Value = serde_json::from_slice(request.body()).expect("JSON");
    let expected =
        json!({"jsonrpc": "2.0", "id": body["id"], "method": method, "params": json_of(params)});
    assert_eq!(body, expected);
}

fn check_grpc(peer: &Peer, path: &str, message: &impl WireMessage, outcome: Result<(), Error>) {
    outcome.unwrap_or_else(|error| panic!("{path}: {error:?}"));
    let request = peer.request().expect("a request");
    assert_eq!(request.uri().path(), format!("/base{path}"));
    assert_eq!(request.body()[5..], message.encode_to_vec(), "{path}");
}

/// Calls a method of a generated client on each binding, and holds request and answer against what
/// is expected.
macro_rules! called {
    (
        $client:path, $method:path, $reads:ident, $request:expr => $answer:expr,
        rest: $rest:expr, json_rpc: $json_rpc:expr, grpc: $grpc:expr $(,)?
    ) => {{
        let (request, answer) = ($request, $answer);
        let rest: Option<Rest> = $rest;
        let peer = Peer::new(&answer, rest.and_then(|(_, _, field)| field));
        let call = async |client: $client| {
            let context = CallContext::default();
            let found = $reads($method(&client, context, request.clone())).await?;
            assert_eq!(found, std::slice::from_ref(&answer));
            Ok(())
        };
        let client = <$client>::new(RestChannel::new(BASE, peer.clone()).expect("an address"));
        check_rest(&peer, rest, call(client).await);
        let channel = JsonRpcChannel::new("http://h/rpc", peer.clone()).expect("an address");
        let outcome = call(<$client>::new(channel)).await;
        check_json_rpc(&peer, $json_rpc, &request, outcome);
        let channel = GrpcChannel::new(BASE, peer.clone()).expect("an address");
        check_grpc(&peer, $grpc, &request, call(<$client>::new(channel)).await);
    }};
}

#[tokio::test]
async fn methods_with_names_of_generated_code() {
    called!(
        hostile::GreeterClient, Greeter::call, one,
        hostile::Result::new().with_type("a b/c").with_self(hostile::Option::new().with_id("é"))
            => hostile::Option::new().with_id("x"),
        rest: Some(("GET /call/a%20b%2Fc?self.id=%C3%A9", "", None)),
        json_rpc: Some("Call"),
        grpc: "/hostile.v1.Greeter/Call",
    );
    called!(
        hostile::GreeterClient, Greeter::service, one,
        hostile::Box::new().with_id("b") => hostile::Send::new().with_id("s"),
        rest: None,
        json_rpc: Some("Service"),
        grpc: "/hostile.v1.Greeter/Service",
    );
    called!(
        hostile::GreeterClient, Greeter::new, all,
        hostile::Error::new().with_id("e") => hostile::S::new().with_id("s"),
        rest: Some(("POST /new", r#"{"id":"e"}"#, None)),
        json_rpc: Some("New"),
        grpc: "/hostile.v1.Greeter/New",
    );
    called!(
        hostile::GreeterClient, Greeter::clone, one,
        () => (),
        rest: Some(("GET /clone", "", None)),
        json_rpc: Some("Clone"),
        grpc: "/hostile.v1.Greeter/Clone",
    );
    called!(
        hostile::GreeterClient, Greeter::r#type, one,
        hostile::BoxGreeter::new().with_id("a/b:c/d") => hostile::Result::new().with_type("t"),
        rest: Some(("GET /type/a/b%3Ac/d:of", "", None)),
        json_rpc: Some("Type"),
        grpc: "/hostile.v1.Greeter/Type",
    );
    called!(
        hostile::GreeterServiceClient, GreeterService::send, one,
        hostile::Send::new().with_id("s") => hostile::Send::new().with_id("t"),
        rest: None,
        json_rpc: Some("Send"),
        grpc: "/hostile.v1.GreeterService/Send",
    );
}

#[tokio::test]
#[allow(deprecated, reason = "it is called as long as the schema has it")]
async fn a_deprecated_method_with_a_deprecated_message() {
    called!(
        hostile::GreeterClient, Greeter::was, one,
        hostile::Old::new().with_id("o") => hostile::Option::new().with_id("x"),
        rest: None,
        json_rpc: Some("Was"),
        grpc: "/hostile.v1.Greeter/Was",
    );
}

#[tokio::test]
async fn messages_of_other_packages() {
    let title = || books::book::Title::new().with_text("T");
    let book = || books::Book::new().with_id("b 1").with_title(title());
    called!(
        shop::ShopClient, Shop::buy, one,
        shop::BuyRequest::new().with_shelf("s1").with_book(book()) => book(),
        rest: Some(("POST /shelves/s1/books/b%201:buy", r#"{"id":"b 1","title":{"text":"T"}}"#, None)),
        json_rpc: None,
        grpc: "/acme.shop.Shop/Buy",
    );
    called!(
        shop::ShopClient, Shop::ask, all,
        GetTaskRequest::new().with_id("t1").with_tenant("a").with_history_length(0)
            => Task::new().with_id("t1"),
        rest: Some(("GET /ask/t1?tenant=a&historyLength=0", "", None)),
        json_rpc: None,
        grpc: "/acme.shop.Shop/Ask",
    );
    called!(
        shop::ShopClient, Shop::restock, one,
        title() => book(),
        rest: None,
        json_rpc: None,
        grpc: "/acme.shop.Shop/Restock",
    );
    called!(
        books::LibraryClient, Library::list, one,
        books::ListRequest::new().with_page_size(3).with_tags(["a", "b,c&d"])
            => books::ListResponse::new().with_books([book()]),
        rest: Some(("GET /books?pageSize=3&tags=a&tags=b%2Cc%26d", "", Some("books"))),
        json_rpc: None,
        grpc: "/acme.books.v1.Library/List",
    );
}

/// A channel that says what it was asked for, and answers nothing.
#[derive(Debug)]
struct Says;

impl Channel for Says {
    fn call<'a>(
        &'a self,
        service: &'static ServiceSpec,
        operation: usize,
        _context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        let asked = format!(
            "{} {operation} {:?}",
            service.name,
            request.json().expect("JSON")
        );
        Box::pin(async { Err(Error::internal(asked)) })
    }
}

#[tokio::test]
async fn a_client_needs_no_more_than_a_channel() {
    let request = hostile::Result::new().with_type("t");
    let client = hostile::GreeterClient::new(Says);
    let error = Greeter::call(&client, CallContext::default(), request)
        .await
        .expect_err("no answer");
    assert_eq!(
        error.message(),
        r#"hostile.v1.Greeter 0 b"{\"type\":\"t\"}""#
    );
    // A service without operations has a client too.
    let client = hostile::EmptyClient::new(Says);
    assert_eq!(format!("{client:?}"), "EmptyClient(Says)");
}
