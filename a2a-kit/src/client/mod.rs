//! Calls services that live somewhere else.
//!
//! Comes in: a typed request and its context. Goes out: a typed answer or stream, through one of
//! the channels, one for each binding, over any [`Transport`].

mod channel;
mod query;

#[cfg(feature = "client")]
mod address;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod events;
#[cfg(all(feature = "client", feature = "grpc"))]
mod grpc;
#[cfg(feature = "client")]
mod headers;
#[cfg(feature = "client")]
mod jsonrpc;
#[cfg(feature = "client")]
mod line;
#[cfg(feature = "client")]
mod rest;
#[cfg(all(test, feature = "client", feature = "server"))]
mod scripted;
#[cfg(all(feature = "client", not(target_family = "wasm")))]
mod socket;
#[cfg(feature = "client")]
mod sse;
#[cfg(feature = "client")]
mod transport;

pub use channel::{Answer, AnswerStream, Channel, Outgoing, Payload, call_stream, call_unary};
pub use query::QueryWriter;
#[cfg(all(feature = "client", feature = "grpc"))]
pub use grpc::GrpcChannel;
#[cfg(feature = "client")]
pub use jsonrpc::JsonRpcChannel;
#[cfg(all(feature = "client", not(target_family = "wasm")))]
pub use socket::{HttpTransport, HttpTransportBuilder};
#[cfg(feature = "client")]
pub use rest::RestChannel;
#[cfg(feature = "client")]
pub use sse::{SseEvent, SseParser, SseTooLarge};
#[cfg(feature = "client")]
pub use transport::{CallOptions, ChannelOptions, Transport, TransportError, TransportErrorKind};
