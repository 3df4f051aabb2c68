use std::time::Instant;

use a2a_wire::v1_0::{GetTaskRequest, SendMessageRequest, StreamResponse, Task};
use futures_util::StreamExt as _;
use http_body::Frame;
use prost::Message as _;

use super::*;
use crate::A2A_SERVICE;
use crate::body::BoxError;
use crate::client::scripted::{Scripted, answer, answer_of, header_map};
use crate::client::{call_stream, call_unary};
use crate::context::{Binding, ProtocolVersion};
use crate::error::Code;
use crate::shared::{EventStream, Shared};

const GRPC: &[(&str, &str)] = &[("content-type", "application/grpc")];

fn index(name: &str) -> usize {
    A2A_SERVICE
        .operations
        .iter()
        .position(|operation| operation.name == name)
        .unwrap()
}

fn context() -> CallContext {
    CallContext::new(Binding::Local, ProtocolVersion::V1_0)
}

fn channel(transport: &Scripted) -> GrpcChannel {
    GrpcChannel::new("h:1/prefix", transport.clone()).unwrap()
}

async fn get_task(transport: &Scripted) -> Result<Shared<Task>, Error> {
    call_unary(
        &channel(transport),
        &A2A_SERVICE,
        index("GetTask"),
        context(),
        GetTaskRequest::new().with_id("t1"),
    )
    .await
}

async fn stream(transport: &Scripted) -> Result<EventStream<StreamResponse>, Error> {
    let request = SendMessageRequest::new();
    call_stream(
        &channel(transport),
        &A2A_SERVICE,
        index("SendStreamingMessage"),
        context(),
        request,
    )
    .await
}

type Frames = Vec<Result<Frame<Bytes>, BoxError>>;

fn framed(message: &[u8]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    out.extend_from_slice(message);
    out
}

fn task(id: &str) -> Vec<u8> {
    framed(&Task::new().with_id(id).encode_to_vec())
}

fn data(bytes: impl Into<Bytes>) -> Result<Frame<Bytes>, BoxError> {
    Ok(Frame::data(bytes.into()))
}

fn trailers(pairs: &[(&'static str, &str)]) -> Result<Frame<Bytes>, BoxError> {
    Ok(Frame::trailers(header_map(pairs)))
}

async fn answered(frames: Frames) -> Result<Shared<Task>, Error> {
    get_task(&Scripted::new([answer_of(200, GRPC, frames)])).await
}

#[tokio::test]
async fn a_request_is_one_frame() {
    let transport = Scripted::new([answer_of(
        200,
        GRPC,
        vec![data(task("t1")), trailers(&[("grpc-status", "0")])],
    )]);
    let context = context()
        .with_extensions(vec!["urn:a".into()])
        .with_headers(header_map(&[
            ("authorization", "Bearer x"),
            ("grpc-status", "7"),
            ("content-type", "text/plain"),
        ]))
        .with_deadline(Instant::now() + Duration::from_secs(60));
    let request = GetTaskRequest::new().with_id("t1");
    let message = request.encode_to_vec();
    let found: Shared<Task> = call_unary(
        &channel(&transport),
        &A2A_SERVICE,
        index("GetTask"),
        context,
        request,
    )
    .await
    .unwrap();
    assert_eq!(found.id, "t1");
    let (request, _) = transport.seen().remove(0);
    assert_eq!(
        (request.method(), request.version()),
        (&Method::POST, Version::HTTP_2)
    );
    assert_eq!(
        request.uri(),
        "http://h:1/prefix/lf.a2a.v1.A2AService/GetTask"
    );
    assert_eq!(request.body()[..], framed(&message)[..]);
    let headers = request.headers();
    let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "a2a-extensions",
            "a2a-version",
            "authorization",
            "content-type",
            "grpc-timeout",
            "te"
        ]
    );
    assert_eq!(
        (
            &headers["a2a-version"],
            &headers["te"],
            &headers["content-type"]
        ),
        (
            &"1.0".parse().unwrap(),
            &"trailers".parse().unwrap(),
            &"application/grpc".parse().unwrap()
        )
    );
    let timeout = headers["grpc-timeout"].to_str().unwrap();
    let micros: u64 = timeout.strip_suffix('u').unwrap().parse().unwrap();
    assert!((50_000_000..=60_000_000).contains(&micros), "{timeout}");
}

#[test]
fn timeouts_have_eight_digits_at_most_and_are_never_early() {
    let cases = [
        (Duration::from_nanos(1), "1n"),
        (Duration::from_nanos(99_999_999), "99999999n"),
        (Duration::from_nanos(100_000_001), "100001u"),
        (Duration::from_secs(60), "60000000u"),
        (Duration::from_secs(100), "100000m"),
        (Duration::from_secs(99_999_999), "99999999S"),
        (Duration::from_secs(100_000_000), "1666667M"),
        (Duration::MAX, "99999999H"),
    ];
    for (left, text) in cases {
        assert_eq!(timeout(left).unwrap(), text);
    }
}

#[tokio::test]
async fn an_answer_may_be_cut_into_chunks_at_every_byte() {
    let bytes = task("a task with a name");
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let frames = vec![
                data(bytes[..first].to_vec()),
                data(bytes[first..second].to_vec()),
                data(bytes[second..].to_vec()),
                trailers(&[("grpc-status", "0")]),
            ];
            assert_eq!(
                answered(frames).await.unwrap().id,
                "a task with a name",
                "cut at {first} and {second}"
            );
        }
    }
}

#[tokio::test]
async fn answers_that_break_the_protocol() {
    let ok = || trailers(&[("grpc-status", "0")]);
    let cases: Vec<(Frames, Code, &str)> = vec![
        (vec![ok()], Code::Internal, "sent no answer"),
        (
            vec![data(task("a")), data(task("b")), ok()],
            Code::Internal,
            "more than one answer",
        ),
        (
            vec![data([task("a"), task("b")].concat()), ok()],
            Code::Internal,
            "more than one answer",
        ),
        (vec![data(task("a"))], Code::Unavailable, "without a status"),
        (
            vec![data(task("a")), trailers(&[("x", "y")])],
            Code::Unavailable,
            "without a status",
        ),
        (vec![], Code::Unavailable, "without a status"),
        (
            vec![data(task("a")[..4].to_vec()), ok()],
            Code::Unavailable,
            "middle of a message",
        ),
        (
            vec![data(task("a")[..7].to_vec()), ok()],
            Code::Unavailable,
            "middle of a message",
        ),
        (
            vec![data(task("a")[..7].to_vec())],
            Code::Unavailable,
            "middle of a message",
        ),
        (
            vec![data(task("a")), Err("reset".into())],
            Code::Unavailable,
            "reset",
        ),
        (
            vec![data(vec![1, 0, 0, 0, 0]), ok()],
            Code::Internal,
            "compressed",
        ),
        (
            vec![data("<html></html>"), ok()],
            Code::Internal,
            "no gRPC message",
        ),
        (
            vec![data(framed(&[0xff; 3])), ok()],
            Code::Internal,
            "lf.a2a.v1.Task",
        ),
        (
            vec![data(vec![0, 0xff, 0xff, 0xff, 0xff, 1]), ok()],
            Code::ResourceExhausted,
            "4294967295",
        ),
    ];
    for (number, (frames, code, says)) in cases.into_iter().enumerate() {
        let error = answered(frames).await.unwrap_err();
        assert_eq!(error.code(), code, "{number}: {error:?}");
        assert!(error.message().contains(says), "{number}: {error}");
        assert_eq!(
            error.is_invalid_agent_response(),
            code == Code::Internal,
            "{number}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_small_message_that_asks_for_a_lot_of_memory_is_refused() {
    // A million empty artifacts.
    let message = [0x22, 0].repeat(1 << 20);
    let frames = vec![data(framed(&message)), trailers(&[("grpc-status", "0")])];
    let error = answered(frames).await.unwrap_err();
    assert!(error.is_invalid_agent_response(), "{error:?}");
    assert!(error.message().contains("too many elements"), "{error}");
}

#[tokio::test]
async fn statuses_come_in_trailers_or_at_once() {
    let status = [("grpc-status", "5"), ("grpc-message", "no task %22t1%22")];
    let late = answered(vec![trailers(&status)]).await.unwrap_err();
    let after_half_a_message = answered(vec![data(task("a")[..6].to_vec()), trailers(&status)])
        .await
        .unwrap_err();
    let after_a_message = answered(vec![data(task("a")), trailers(&status)])
        .await
        .unwrap_err();
    let at_once = [GRPC, &status[..]].concat();
    let early = get_task(&Scripted::new([answer(200, &at_once, [""; 0])]))
        .await
        .unwrap_err();
    let of_a_stream = stream(&Scripted::new([answer(200, &at_once, [""; 0])]))
        .await
        .err()
        .unwrap();
    for error in [
        late,
        after_half_a_message,
        after_a_message,
        early,
        of_a_stream,
    ] {
        assert_eq!(
            (error.code(), error.message(), error.spec()),
            (Code::NotFound, "no task \"t1\"", None)
        );
    }
    let ok = [GRPC, &[("grpc-status", "0")][..]].concat();
    let error = get_task(&Scripted::new([answer(200, &ok, [""; 0])]))
        .await
        .unwrap_err();
    assert!(error.message().contains("sent no answer"), "{error}");
    assert_eq!(
        stream(&Scripted::new([answer(200, &ok, [""; 0])]))
            .await
            .unwrap()
            .count()
            .await,
        0
    );
}

#[tokio::test]
async fn what_is_no_grpc_is_told_from_a_missing_task() {
    let html = &[("content-type", "text/html")][..];
    let cases = [
        (
            200,
            html,
            "<h1>hello</h1>",
            Code::Internal,
            "does not speak gRPC here",
        ),
        (200, &[], "", Code::Internal, "no Content-Type"),
        (
            200,
            &[("content-type", "application/grpc-web")],
            "",
            Code::Internal,
            "application/grpc-web",
        ),
        (
            404,
            html,
            "<h1>not here</h1>",
            Code::Unimplemented,
            "not here",
        ),
        (404, GRPC, "", Code::Unimplemented, "404"),
        (
            401,
            &[("www-authenticate", "Bearer")],
            "",
            Code::Unauthenticated,
            "Bearer",
        ),
        (502, html, "", Code::Unavailable, "502"),
        (418, html, "", Code::Unknown, "418"),
        (
            302,
            &[("location", "https://login.example/")],
            "",
            Code::FailedPrecondition,
            "https://login.example/",
        ),
    ];
    for (status, headers, body, code, says) in cases {
        for error in [
            get_task(&Scripted::new([answer(status, headers, [body])]))
                .await
                .unwrap_err(),
            stream(&Scripted::new([answer(status, headers, [body])]))
                .await
                .err()
                .unwrap(),
        ] {
            assert_eq!(
                (error.code(), error.peer_status()),
                (code, Some(status)),
                "{status} {body}: {error:?}"
            );
            assert!(error.message().contains(says), "{error}");
            assert!(!error.is_task_not_found());
        }
    }
}

#[tokio::test]
async fn streams_of_messages() {
    let event = |id: &str| {
        framed(
            &StreamResponse::new()
                .with_task(Task::new().with_id(id))
                .encode_to_vec(),
        )
    };
    let run = |frames: Frames| async {
        let mut events = stream(&Scripted::new([answer_of(200, GRPC, frames)]))
            .await
            .unwrap();
        let mut seen = 0;
        while let Some(event) = events.next().await {
            match event {
                Ok(_) => seen += 1,
                Err(error) => {
                    assert!(events.next().await.is_none());
                    return (seen, Some(error));
                }
            }
        }
        (seen, None)
    };
    let three = [event("a"), event("b"), framed(&[])].concat();
    for size in [1, 5, 11, three.len()] {
        let mut frames: Frames = three
            .chunks(size)
            .map(|chunk| data(chunk.to_vec()))
            .collect();
        frames.push(trailers(&[("grpc-status", "0")]));
        let (seen, error) = run(frames).await;
        assert_eq!((seen, error.is_none()), (3, true), "in chunks of {size}");
    }
    let (seen, error) = run(vec![data(event("a"))]).await;
    assert!(seen == 1 && error.unwrap().transport().is_some());
    let (seen, error) = run(vec![
        data(event("a")),
        trailers(&[("grpc-status", "14"), ("grpc-message", "going down")]),
    ])
    .await;
    assert_eq!((seen, error.unwrap().message()), (1, "going down"));
    let (seen, error) = run(vec![data(event("a")), Err("reset".into())]).await;
    assert!(seen == 1 && error.unwrap().transport().is_some());

    let transport = Scripted::new([answer_of(
        200,
        GRPC,
        vec![
            data(event(&"x".repeat(2000))),
            trailers(&[("grpc-status", "0")]),
        ],
    )]);
    let small = channel(&transport).options(ChannelOptions::default().event_limit(1000));
    let mut events: EventStream<StreamResponse> = call_stream(
        &small,
        &A2A_SERVICE,
        index("SendStreamingMessage"),
        context(),
        SendMessageRequest::new(),
    )
    .await
    .unwrap();
    assert_eq!(
        events.next().await.unwrap().unwrap_err().code(),
        Code::ResourceExhausted
    );
}
