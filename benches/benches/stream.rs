//! What the client allocates while it reads a stream of 10 000 pieces of an artifact: what the
//! events hold, and nothing else. Fails when it is more.
//!
//! The stream comes from memory: once with a chunk for each event, as servers send it, and once in
//! chunks of 8 KB that cut events anywhere, as networks deliver it. How many pieces of memory an
//! event holds is counted by copying it, and how many bytes by keeping it.

use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use a2a_kit::client::{
    CallOptions, Client, JsonRpcChannel, SseParser, Transport, TransportError, Update,
};
use a2a_kit::v1_0::{
    AgentCapabilities, AgentCard, AgentInterface, Artifact, Message, Part, Role,
    SendMessageRequest, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use a2a_kit::{
    A2aService as _, A2aServiceClient, Binding, Body, BoxFuture, CallContext, EventStream,
    ProtocolVersion, Shared,
};
use a2a_wire::WireMessage as _;
use allocation_counter::{AllocationInfo, measure};
use bytes::Bytes;
use futures_util::StreamExt as _;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response};

const PIECES: usize = 10_000;
/// As much as hyper reads at a time, to begin with.
const CHUNK: usize = 8 << 10;
/// What a call may allocate besides its events, however long its stream is: how often, and how many
/// bytes. All events together are some megabytes.
const CALL: (u64, u64) = (100, 64 << 10);
/// What an event may take that a chunk's end cuts, for which it is put together again: a buffer that
/// grows, and one to share it.
const CUT: (u64, u64) = (4, 1024);

fn main() -> ExitCode {
    let events = events();
    let (whole, cut) = chunks(&events);
    let copied = measure(|| {
        for event in &events {
            // As they are handed out, which is shared.
            drop(Shared::new(event.clone()));
        }
    });
    row("copied", &copied);
    let mut kept = true;
    for (name, chunks, cuts) in [
        ("whole events", &whole, 0),
        ("chunks of 8 KB", &cut, cut.len() as u64),
    ] {
        let mut row = |step: &str, found: &AllocationInfo, pieces: u64, bytes: u64| {
            row(&format!("{step}, {name}"), found);
            kept &= found.count_total <= pieces + cuts * CUT.0 + CALL.0
                && found.bytes_total <= bytes + cuts * CUT.1 + CALL.1
                && found.bytes_max <= CALL.1;
        };
        let held = held(chunks, events.len());
        // Events hold nothing that a copy does not, but room: lists grow in steps.
        let (pieces, bytes) = (copied.count_total, held.bytes_current as u64);
        row("parsed", &parsed(chunks, events.len()), 0, 0);
        row("read", &read(chunks, events.len()), pieces, bytes);
        row("followed", &followed(chunks, events.len()), pieces, bytes);
    }
    if !kept {
        eprintln!("a stream is read with more memory than its events hold: see benches/README.md");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn row(name: &str, found: &AllocationInfo) {
    let each = |total: u64| total as f64 / PIECES as f64;
    println!(
        "{name:<26} {:>5.2} allocations, {:>4.0} bytes an event; {:>6} bytes at most at a time",
        each(found.count_total),
        each(found.bytes_total),
        found.bytes_max
    );
}

/// The stream of one task: itself, an artifact in pieces, and its end.
fn events() -> Vec<StreamResponse> {
    let task = Task::new()
        .with_id("task-5b0c4d1e-9a51-4c1b-a8f5-0d5b2f4e7a10")
        .with_context_id("context-7d3f6a2b")
        .with_status(TaskStatus::new().with_state(TaskState::Working));
    let piece = |number: usize| {
        let artifact = Artifact::new()
            .with_artifact_id("artifact-0001")
            .with_parts([Part::text(format!(
                "What the register says about no. {number}. "
            ))]);
        let update = TaskArtifactUpdateEvent::new()
            .with_task_id(task.id.as_str())
            .with_context_id(task.context_id.as_str())
            .with_artifact(artifact)
            .with_append(number > 0)
            .with_last_chunk(number + 1 == PIECES);
        StreamResponse::artifact_update(update)
    };
    let end = TaskStatusUpdateEvent::new()
        .with_task_id(task.id.as_str())
        .with_context_id(task.context_id.as_str())
        .with_status(TaskStatus::new().with_state(TaskState::Completed));
    std::iter::once(StreamResponse::task(task.clone()))
        .chain((0..PIECES).map(piece))
        .chain([StreamResponse::status_update(end)])
        .collect()
}

/// The text of a stream, with a chunk for each event and in chunks of one size.
fn chunks(events: &[StreamResponse]) -> (Arc<[Bytes]>, Arc<[Bytes]>) {
    let mut text = Vec::new();
    let mut ends = Vec::new();
    for event in events {
        text.extend_from_slice(br#"data: {"jsonrpc":"2.0","id":1,"result":"#);
        event.write_json(&mut text).expect("it has a JSON form");
        text.extend_from_slice(b"}\n\n");
        ends.push(text.len());
    }
    let text = Bytes::from(text);
    let mut start = 0;
    let whole = ends
        .iter()
        .map(|end| text.slice(std::mem::replace(&mut start, *end)..*end));
    let cut = (0..text.len())
        .step_by(CHUNK)
        .map(|start| text.slice(start..text.len().min(start + CHUNK)));
    (whole.collect(), cut.collect())
}

/// The events as the parser alone reads them.
fn parsed(chunks: &[Bytes], events: usize) -> AllocationInfo {
    measure(|| {
        let mut parser = SseParser::new(1 << 20);
        let mut found = 0;
        for chunk in chunks {
            parser.feed(chunk.clone());
            while let Some(event) = parser.next_event().expect("no event is too large") {
                assert!(event.data.starts_with(b"{"));
                found += 1;
            }
        }
        assert_eq!(found, events);
    })
}

/// The events as a generated client hands them out, and one after the other is done with.
fn read(chunks: &Arc<[Bytes]>, events: usize) -> AllocationInfo {
    on_the_spot(async move {
        let mut found = stream(chunks).await;
        for _ in 0..events {
            assert!(next(&mut found).await.payload.is_some());
        }
        assert!(found.next().await.is_none());
    })
}

/// The same events, all of them kept.
fn held(chunks: &Arc<[Bytes]>, events: usize) -> AllocationInfo {
    let mut all = Vec::with_capacity(events);
    on_the_spot(async {
        let mut found = stream(chunks).await;
        for _ in 0..events {
            all.push(next(&mut found).await);
        }
    })
}

async fn stream(chunks: &Arc<[Bytes]>) -> EventStream<StreamResponse> {
    let channel = JsonRpcChannel::new(URL, Canned(Arc::clone(chunks))).expect("it is a URL");
    let context = CallContext::new(Binding::Local, ProtocolVersion::V1_0);
    let message = Message::new()
        .with_message_id("m1")
        .with_role(Role::User)
        .with_parts([Part::text("check")]);
    let mut request = SendMessageRequest::default();
    request.message = Some(message);
    A2aServiceClient::new(channel)
        .send_streaming_message(context, request)
        .await
        .expect("there is a stream")
}

async fn next(found: &mut EventStream<StreamResponse>) -> Shared<StreamResponse> {
    let event = found.next().await.expect("the stream goes on");
    event.expect("the event can be read")
}

/// The events as a client hands them out that would take the stream up again after a cut, for which
/// it notes what it has seen.
fn followed(chunks: &Arc<[Bytes]>, events: usize) -> AllocationInfo {
    let mut interface = AgentInterface::default();
    interface.url = URL.to_owned();
    interface.protocol_binding = "JSONRPC".to_owned();
    interface.protocol_version = "1.0".to_owned();
    let mut capabilities = AgentCapabilities::default();
    capabilities.streaming = Some(true);
    let mut card = AgentCard::default();
    card.capabilities = Some(capabilities);
    card.supported_interfaces.push(interface);
    let client = Client::builder()
        .transport(Canned(Arc::clone(chunks)))
        .with_card(card)
        .expect("the interface can be called");
    on_the_spot(async move {
        let updates = client.message("check").stream().await;
        let mut updates = updates.expect("there is a stream");
        let mut pieces = 0;
        for _ in 0..events {
            let update = updates.next().await.expect("the stream goes on");
            pieces += usize::from(matches!(update, Ok(Update::Artifact(_))));
        }
        assert!(updates.next().await.is_none());
        assert_eq!(pieces, PIECES);
    })
}

const URL: &str = "http://agent.example/a2a";

/// Measures work that never waits.
fn on_the_spot(work: impl Future<Output = ()>) -> AllocationInfo {
    measure(|| {
        let done = futures_util::FutureExt::now_or_never(work);
        done.expect("everything is there at once");
    })
}

/// Answers every call with the same stream.
struct Canned(Arc<[Bytes]>);

impl Transport for Canned {
    fn send(
        &self,
        _request: Request<Bytes>,
        _options: CallOptions,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let chunks = Arc::clone(&self.0);
        let chunks =
            (0..chunks.len()).map(move |index| Ok::<_, TransportError>(chunks[index].clone()));
        let mut response = Response::new(Body::from_stream(futures_util::stream::iter(chunks)));
        let events = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(CONTENT_TYPE, events);
        Box::pin(std::future::ready(Ok(response)))
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        unreachable!("nothing is waited for")
    }
}

impl fmt::Debug for Canned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Canned")
    }
}
