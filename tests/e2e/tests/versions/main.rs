//! Two versions of the protocol on one port: which call is in which, what a v0.3 client of ours gets,
//! what stands on the wire, the cards, and gateways between all bindings and versions.

mod cards;
mod gateway;
mod hostile;
mod matrix;
mod surface;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

use a2a_kit::client::{Channel, GrpcChannel, HttpTransport, JsonRpcChannel, RestChannel};
use a2a_kit::v0_3::Peer;
use a2a_kit::v1_0::{
    Message, Part, Role, SendMessageRequest, StreamResponse, Task, part, send_message_response,
    stream_response,
};
use a2a_kit::{
    A2aService as _, A2aServiceClient, BoxA2aService, CallContext, Error, EventStream,
    ProtocolVersion,
};
use e2e::{Binding, Setup, card, within};
use futures_util::StreamExt as _;

const V0_3: ProtocolVersion = ProtocolVersion::V0_3;
const V1_0: ProtocolVersion = ProtocolVersion::V1_0;
const BINDINGS: [&str; 3] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/// An agent whose card has all bindings in these versions.
fn serving(setup: Setup, versions: &[ProtocolVersion]) -> Setup {
    let versions = versions.to_vec();
    setup.card(move |card| {
        let all = versions.iter().flat_map(|version| {
            BINDINGS.into_iter().map(|binding| {
                let mut interface = card::interface(binding, "");
                interface.protocol_version = version.to_string();
                interface
            })
        });
        card.supported_interfaces = all.collect();
    })
}

/// A client of ours that speaks a version over a binding.
fn client(addr: SocketAddr, binding: Binding, version: ProtocolVersion) -> BoxA2aService {
    let url = format!("http://{addr}");
    let transport = HttpTransport::new();
    let channel: Arc<dyn Channel> = match binding {
        Binding::Rest => Arc::new(RestChannel::new(&url, transport).unwrap()),
        Binding::JsonRpc => Arc::new(JsonRpcChannel::new(&url, transport).unwrap()),
        Binding::Grpc => Arc::new(GrpcChannel::new(&url, transport).unwrap()),
    };
    if version == V0_3 {
        BoxA2aService::new(Peer::new(channel))
    } else {
        BoxA2aService::new(A2aServiceClient::new(channel))
    }
}

fn call() -> CallContext {
    CallContext::default()
}

/// A request with a message of this text.
fn request(text: &str) -> SendMessageRequest {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let id = format!("v-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let part = Part::new().with_text(text);
    let message = Message::new()
        .with_message_id(id)
        .with_role(Role::User)
        .with_parts([part]);
    SendMessageRequest::new().with_message(message)
}

/// The same to a task.
fn to_task(task: &str, text: &str) -> SendMessageRequest {
    let mut request = request(text);
    if let Some(message) = &mut request.message {
        message.task_id = task.into();
    }
    request
}

/// A gate that no other test of the same agent has.
fn gate_name() -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    format!("gate-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Answered before the agent has done its work.
fn at_once(mut request: SendMessageRequest) -> SendMessageRequest {
    request
        .configuration
        .get_or_insert_default()
        .return_immediately = true;
    request
}

/// Sends a message that makes or continues a task.
async fn send(client: &BoxA2aService, request: SendMessageRequest) -> Task {
    let answer = within(client.send_message(call(), request)).await.unwrap();
    match answer.into_inner().payload {
        Some(send_message_response::Payload::Task(task)) => task,
        other => panic!("a task was expected: {other:?}"),
    }
}

/// An event in short.
fn brief(event: &StreamResponse) -> String {
    let text = |parts: &[Part]| -> String {
        let texts = parts.iter().filter_map(|part| match &part.content {
            Some(part::Content::Text(text)) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    };
    match event.payload.as_ref().expect("an event says something") {
        stream_response::Payload::Task(task) => format!("task {:?}", task.state()),
        stream_response::Payload::Message(message) => format!("message {}", text(&message.parts)),
        stream_response::Payload::StatusUpdate(update) => {
            format!("{:?}", update.status.as_ref().unwrap().state())
        }
        stream_response::Payload::ArtifactUpdate(update) => {
            let append = if update.append { "+" } else { "" };
            let last = if update.last_chunk { " !" } else { "" };
            let parts = update.artifact.as_ref().map(|artifact| &artifact.parts[..]);
            format!("artifact {append}{}{last}", text(parts.unwrap_or_default()))
        }
    }
}

/// All events of a stream, up to its end.
async fn briefs(events: EventStream<StreamResponse>) -> Vec<String> {
    let events: Vec<_> = within(events.collect()).await;
    events
        .into_iter()
        .map(|event: Result<_, Error>| brief(&event.unwrap()))
        .collect()
}
