use std::time::Duration;

use a2a_wire::rpc;
use base64::Engine as _;
use futures_util::stream;
use http_body_util::BodyExt as _;
use prost::Message as _;

use super::*;
use crate::admission::{CardAdmission, Open};
use crate::body::BoxError;
use crate::probe::{PROBE, Probe, event};
use crate::v1_0::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface};

fn router(probe: &Arc<Probe>) -> Grpc {
    Grpc::new(Arc::clone(probe) as Arc<dyn Dispatch>, Arc::new(Open))
}

fn framed(message: &[u8]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    out.extend_from_slice(message);
    out
}

fn request(method: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(format!("http://localhost/test.Probe/{method}"))
        .version(http::Version::HTTP_2)
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("a2a-version", "1.0")
        .body(body.into())
        .unwrap()
}

/// What a client sees of a call.
struct Answer {
    headers: http::HeaderMap,
    messages: Vec<Bytes>,
    code: i32,
    message: String,
    details: Option<rpc::Status>,
}

async fn call(router: &Grpc, request: Request<Body>) -> Answer {
    let response = router.handle(request).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/grpc");
    let (parts, body) = response.into_parts();
    let collected = body.collect().await.unwrap();
    let trailers = collected
        .trailers()
        .cloned()
        .unwrap_or_else(|| parts.headers.clone());
    let mut bytes = collected.to_bytes();
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(bytes[0], 0, "not compressed");
        let length = u32::from_be_bytes(bytes[1..5].try_into().unwrap()) as usize;
        messages.push(bytes.slice(5..5 + length));
        bytes = bytes.slice(5 + length..);
    }
    let text = |name: &str| {
        trailers
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    let details = text("grpc-status-details-bin").map(|text| {
        let bytes = base64::engine::general_purpose::STANDARD_NO_PAD
            .decode(text.trim_end_matches('='))
            .unwrap();
        rpc::Status::decode(&*bytes).unwrap()
    });
    let message = text("grpc-message").unwrap_or_default();
    Answer {
        headers: parts.headers,
        messages,
        code: text("grpc-status").expect("a status").parse().unwrap(),
        message: percent_encoding::percent_decode_str(&message)
            .decode_utf8()
            .unwrap()
            .into_owned(),
        details,
    }
}

async fn echo(body: impl Into<Body>, limit: usize) -> Answer {
    call(
        &router(&Probe::new()).body_limit(limit),
        request("Echo", body),
    )
    .await
}

const OK: i32 = 0;
const INVALID_ARGUMENT: i32 = 3;
const RESOURCE_EXHAUSTED: i32 = 8;
const UNIMPLEMENTED: i32 = 12;
const INTERNAL: i32 = 13;

#[tokio::test]
async fn a_unary_call_gets_one_message() {
    let probe = Probe::new();
    let answer = call(&router(&probe), request("Echo", framed(b"\x0a\x03abc"))).await;
    assert_eq!((answer.code, answer.messages.len()), (OK, 1));
    assert_eq!(answer.messages[0], &b"\x0a\x03abc"[..]);
    let context = probe.context();
    assert_eq!(
        (context.binding(), context.headers()["te"].to_str().unwrap()),
        (Binding::Grpc, "trailers")
    );
    assert_eq!(context.deadline(), None);
    // A message without a byte is a message.
    assert_eq!(echo(framed(b""), 10).await.code, OK);
}

#[tokio::test]
async fn a_stream_has_one_message_for_each_event() {
    let answer = call(&router(&Probe::new()), request("Events", framed(b""))).await;
    assert_eq!(
        (answer.code, answer.messages),
        (
            OK,
            vec![Bytes::from("1"), Bytes::from("2"), Bytes::from("3")]
        )
    );
    let answer = call(&router(&Probe::new()), request("FailEvents", framed(b""))).await;
    assert_eq!((answer.code, answer.messages), (5, vec![Bytes::from("1")]));
    assert_eq!(answer.details.unwrap().details.len(), 1);
    let answer = call(&router(&Probe::new()), request("PanicEvents", framed(b""))).await;
    assert_eq!(
        (answer.code, answer.messages),
        (INTERNAL, vec![Bytes::from("1")])
    );
}

#[tokio::test]
async fn an_error_carries_its_details() {
    let answer = call(&router(&Probe::new()), request("Fail", framed(b""))).await;
    assert_eq!(
        (answer.code, answer.message.as_str()),
        (5, "there is no such task")
    );
    assert!(answer.messages.is_empty());
    let status = answer.details.unwrap();
    assert_eq!(
        (status.code, status.message.as_str(), status.details.len()),
        (5, "there is no such task", 1)
    );
    assert_eq!(
        status.details[0].type_url,
        "type.googleapis.com/google.rpc.ErrorInfo"
    );
    let info = rpc::ErrorInfo::decode(status.details[0].value.clone()).unwrap();
    assert_eq!(
        (
            info.reason.as_str(),
            info.domain.as_str(),
            info.metadata["taskId"].as_str()
        ),
        ("TASK_NOT_FOUND", "a2a-protocol.org", "t1")
    );
    let answer = call(&router(&Probe::new()), request("Panic", framed(b""))).await;
    assert_eq!(
        (answer.code, answer.message.contains("secret")),
        (INTERNAL, false)
    );
}

#[tokio::test]
async fn unknown_methods_are_unimplemented_and_other_http_methods_refused() {
    for path in [
        "/test.Probe/Nothing",
        "/test.Probe/echo",
        "/other.Service/Echo",
        "/test.Probe/Echo/",
        "/",
    ] {
        let mut wrong = request("Echo", framed(b""));
        *wrong.uri_mut() = format!("http://localhost{path}").parse().unwrap();
        let answer = call(&router(&Probe::new()), wrong).await;
        assert_eq!(
            (answer.code, answer.details.is_none()),
            (UNIMPLEMENTED, true),
            "{path}"
        );
        assert!(answer.message.contains("test.Probe"), "{}", answer.message);
    }
    let mut get = request("Echo", framed(b""));
    *get.method_mut() = Method::GET;
    assert_eq!(
        call(&router(&Probe::new()), get).await.code,
        INVALID_ARGUMENT
    );
}

#[tokio::test]
async fn the_size_limit_holds_at_the_exact_byte_however_the_message_comes() {
    for limit in [0_usize, 1, 10, 100_000] {
        for size in [limit.saturating_sub(1), limit, limit + 1] {
            let bytes = Bytes::from(framed(&vec![b'x'; size]));
            for step in [1, 3, 5, 7, bytes.len()] {
                if bytes.len() / step > 50_000 {
                    continue;
                }
                let chunks: Vec<_> = bytes
                    .chunks(step)
                    .map(|chunk| Ok::<_, BoxError>(Bytes::copy_from_slice(chunk)))
                    .collect();
                let answer = echo(Body::from_stream(stream::iter(chunks)), limit).await;
                let expected = if size <= limit {
                    OK
                } else {
                    RESOURCE_EXHAUSTED
                };
                assert_eq!(
                    answer.code, expected,
                    "limit {limit}, size {size}, step {step}: {}",
                    answer.message
                );
                assert!(answer.details.is_none());
            }
        }
    }
}

#[tokio::test]
async fn a_message_that_claims_to_be_too_large_is_not_waited_for() {
    for claimed in [1001, u32::MAX] {
        let head = [&[0][..], &claimed.to_be_bytes()].concat();
        let body = Body::from_stream(
            stream::iter([Ok::<_, BoxError>(Bytes::from(head))]).chain(stream::pending()),
        );
        assert_eq!(echo(body, 1000).await.code, RESOURCE_EXHAUSTED);
    }
}

#[tokio::test]
async fn messages_that_are_missing_cut_or_too_many_are_invalid() {
    let whole = framed(b"abcdef");
    for cut in 0..whole.len() {
        let answer = echo(whole[..cut].to_vec(), 1000).await;
        assert_eq!(
            answer.code, INVALID_ARGUMENT,
            "cut at {cut}: {}",
            answer.message
        );
    }
    assert_eq!(
        echo([&whole[..], &whole[..]].concat(), 1000).await.code,
        INVALID_ARGUMENT
    );
    assert_eq!(
        echo([&whole[..], b"x"].concat(), 1000).await.code,
        INVALID_ARGUMENT
    );
    let mut flagged = whole.clone();
    flagged[0] = 7;
    assert_eq!(echo(flagged, 1000).await.code, INVALID_ARGUMENT);
    // By the gRPC protocol: compressed, but without the name of an encoding.
    let mut compressed = whole.clone();
    compressed[0] = 1;
    assert_eq!(echo(compressed, 1000).await.code, INTERNAL);
    let mut zipped = request("Echo", whole);
    zipped
        .headers_mut()
        .insert("grpc-encoding", "gzip".parse().unwrap());
    assert_eq!(
        call(&router(&Probe::new()), zipped).await.code,
        UNIMPLEMENTED
    );
    let broken = stream::iter([
        Ok(Bytes::from_static(b"\0\0")),
        Err(BoxError::from("reset")),
    ]);
    assert_eq!(
        echo(Body::from_stream(broken), 1000).await.code,
        INVALID_ARGUMENT
    );
}

#[tokio::test]
async fn trailers_of_a_request_do_no_harm() {
    let frames = [
        http_body::Frame::data(Bytes::from(framed(b"a"))),
        http_body::Frame::trailers(http::HeaderMap::new()),
    ];
    let body = http_body_util::StreamBody::new(stream::iter(frames.map(Ok::<_, BoxError>)));
    assert_eq!(echo(Body::new(body), 10).await.code, OK);
}

#[tokio::test(start_paused = true)]
async fn the_timeout_of_the_client_ends_the_call() {
    let mut waiting = request("Wait", framed(b""));
    waiting
        .headers_mut()
        .insert("grpc-timeout", "1500m".parse().unwrap());
    let start = tokio::time::Instant::now();
    let answer = call(&router(&Probe::new()), waiting).await;
    assert_eq!(
        (answer.code, start.elapsed()),
        (4, Duration::from_millis(1500))
    );

    let events: crate::service::ReplyStream =
        Box::pin(stream::iter([event("1")]).chain(stream::pending()));
    let probe = Probe::streaming(events);
    let mut streaming = request("Events", framed(b""));
    streaming
        .headers_mut()
        .insert("grpc-timeout", "2S".parse().unwrap());
    let answer = call(&router(&probe), streaming).await;
    assert_eq!((answer.code, answer.messages), (4, vec![Bytes::from("1")]));

    let mut wrong = request("Echo", framed(b""));
    wrong
        .headers_mut()
        .insert("grpc-timeout", "soon".parse().unwrap());
    assert_eq!(
        call(&router(&Probe::new()), wrong).await.code,
        INVALID_ARGUMENT
    );
}

fn card() -> AgentCard {
    let mut interface = AgentInterface::default();
    (interface.protocol_binding, interface.protocol_version) = ("GRPC".into(), "1.0".into());
    let mut card = AgentCard::default();
    card.supported_interfaces.push(interface);
    let mut capabilities = AgentCapabilities::default();
    for (uri, required) in [("https://a/1", true), ("https://b/1", false)] {
        let mut extension = AgentExtension::default();
        (extension.uri, extension.required) = (uri.into(), required);
        capabilities.extensions.push(extension);
    }
    card.capabilities = Some(capabilities);
    card
}

#[tokio::test]
async fn version_extensions_and_capabilities_are_read_from_metadata() {
    let probe = Probe::new();
    let router = Grpc::new(
        Arc::clone(&probe) as Arc<dyn Dispatch>,
        Arc::new(CardAdmission::new(&card())),
    );
    let reason = |answer: &Answer| {
        let details = answer.details.as_ref().expect("details");
        rpc::ErrorInfo::decode(details.details[0].value.clone())
            .unwrap()
            .reason
    };
    for version in [
        None,
        Some(""),
        Some("0.3"),
        Some("9.9"),
        Some("1"),
        Some("v1.0"),
        Some("0.30"),
    ] {
        for operation in PROBE.operations {
            let mut request = request(operation.name, framed(b""));
            request.headers_mut().remove("a2a-version");
            request
                .headers_mut()
                .insert("a2a-extensions", "https://a/1".parse().unwrap());
            if let Some(version) = version {
                request
                    .headers_mut()
                    .insert("a2a-version", version.parse().unwrap());
            }
            let answer = call(&router, request).await;
            assert_eq!(
                (answer.code, reason(&answer).as_str()),
                (9, "VERSION_NOT_SUPPORTED"),
                "{version:?} {}",
                operation.name
            );
        }
    }
    let answer = call(&router, request("Echo", framed(b""))).await;
    assert_eq!(
        (answer.code, reason(&answer).as_str()),
        (9, "EXTENSION_SUPPORT_REQUIRED")
    );
    assert!(probe.calls().is_empty());

    let mut right = request("Echo", framed(b""));
    right
        .headers_mut()
        .insert("a2a-version", "1.0.1".parse().unwrap());
    right.headers_mut().insert(
        "a2a-extensions",
        "https://c/1, https://b/1,https://a/1".parse().unwrap(),
    );
    let answer = call(&router, right).await;
    assert_eq!(
        (
            answer.code,
            answer.headers["a2a-extensions"].to_str().unwrap()
        ),
        (OK, "https://b/1, https://a/1")
    );

    let mut streaming = request("Events", framed(b""));
    streaming
        .headers_mut()
        .insert("a2a-extensions", "https://a/1".parse().unwrap());
    let answer = call(&router, streaming).await;
    assert_eq!(
        (answer.code, reason(&answer).as_str()),
        (9, "UNSUPPORTED_OPERATION")
    );
}

#[tokio::test]
async fn messages_share_the_room_of_all_requests() {
    let intake = Intake::new(1 << 20, Some(1 << 20));
    let probe = Probe::new();
    let router = router(&probe).intake(intake.clone());
    let large = framed(&vec![b'x'; 600_000]);
    let room = intake.room(600_000).unwrap();
    let answer = call(&router, request("Echo", large.clone())).await;
    assert_eq!(answer.code, 14, "{}", answer.message);
    assert_eq!(
        call(&router, request("Echo", framed(b"small"))).await.code,
        OK
    );
    drop(room);
    assert_eq!(call(&router, request("Echo", large.clone())).await.code, OK);
    // The probe keeps what it was sent, and so the room.
    assert_eq!(call(&router, request("Echo", large.clone())).await.code, 14);
    probe.seen.lock().unwrap().clear();
    assert_eq!(call(&router, request("Echo", large)).await.code, OK);
}

#[tokio::test]
async fn a_message_that_is_kept_does_not_keep_its_request() {
    use crate::v1_0::{Message, Part, SendMessageRequest, SendMessageResponse, part};
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Keeper(Arc<Mutex<Vec<SendMessageRequest>>>);

    impl crate::A2aService for Keeper {
        async fn send_message(
            &self,
            _: CallContext,
            request: SendMessageRequest,
        ) -> Result<crate::Shared<SendMessageResponse>, Error> {
            self.0.lock().unwrap().push(request);
            Ok(SendMessageResponse::default().into())
        }
    }

    let keeper = Keeper::default();
    let intake = Intake::new(1 << 20, Some(1 << 20));
    let grpc = Grpc::new(
        Arc::new(crate::BoxA2aService::new(keeper.clone())),
        Arc::new(Open),
    )
    .intake(intake.clone());
    let mut part = Part::default();
    part.content = Some(part::Content::Raw(Bytes::from(vec![7; 700_000])));
    let mut message = Message::default();
    (message.message_id, message.role) = ("m1".into(), 1);
    message.parts.push(part);
    let mut send = SendMessageRequest::default();
    send.message = Some(message);
    let mut wire = request("Echo", framed(&send.encode_to_vec()));
    *wire.uri_mut() = "http://localhost/lf.a2a.v1.A2AService/SendMessage"
        .parse()
        .unwrap();
    let answer = call(&grpc, wire).await;
    assert_eq!(answer.code, OK, "{}", answer.message);
    assert_eq!(keeper.0.lock().unwrap()[0], send);
    assert!(intake.room(1 << 20).is_ok(), "the room is free again");
}
