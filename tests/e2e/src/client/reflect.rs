//! Messages by their descriptors: between JSON and protobuf without generated types.

use std::sync::LazyLock;

use bytes::Bytes;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::Value;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let descriptors = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
    DescriptorPool::decode(descriptors.as_slice()).expect("the descriptors were compiled by protox")
});

/// A message of the protocol, by its full name, or by its name in version 1.0.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn descriptor(name: &str) -> MessageDescriptor {
    let full = if name.contains('.') {
        name.to_owned()
    } else {
        format!("lf.a2a.v1.{name}")
    };
    POOL.get_message_by_name(&full)
        .unwrap_or_else(|| panic!("there is no message {full}"))
}

/// The names of an operation's request and answer.
pub(super) fn messages_of(operation: &str) -> (String, String) {
    let service = POOL
        .get_service_by_name("lf.a2a.v1.A2AService")
        .expect("the service");
    let method = service.methods().find(|method| method.name() == operation);
    let method = method.unwrap_or_else(|| panic!("there is no operation {operation}"));
    (
        method.input().full_name().to_owned(),
        method.output().full_name().to_owned(),
    )
}

/// Encodes a message of the protocol as protobuf.
///
/// # Panics
/// When it is no such message.
#[must_use]
pub fn encode(name: &str, value: &Value) -> Bytes {
    let message = DynamicMessage::deserialize(descriptor(name), value);
    message
        .unwrap_or_else(|error| panic!("no {name}: {error}: {value}"))
        .encode_to_vec()
        .into()
}

/// Decodes a message of the protocol.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn decode(name: &str, bytes: impl bytes::Buf) -> Value {
    let message = DynamicMessage::decode(descriptor(name), bytes);
    let message = message.unwrap_or_else(|error| panic!("no {name}: {error}"));
    serde_json::to_value(&message).unwrap_or_else(|error| panic!("no JSON of {name}: {error}"))
}
