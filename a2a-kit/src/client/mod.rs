//! Calls services that live somewhere else.
//!
//! Comes in: a typed request and its context. Goes out: a typed answer or stream, through one of
//! the channels, one for each binding, over any [`Transport`].

mod channel;
mod query;

#[cfg(feature = "client")]
mod address;
#[cfg(feature = "client")]
mod builder;
#[cfg(feature = "client")]
mod call;
#[cfg(feature = "client")]
mod card;
#[cfg(feature = "client")]
mod credentials;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod events;
#[cfg(feature = "client")]
mod gateway;
#[cfg(all(feature = "client", feature = "grpc"))]
mod grpc;
#[cfg(feature = "client")]
mod headers;
#[cfg(feature = "client")]
mod jsonrpc;
#[cfg(feature = "client")]
mod line;
#[cfg(feature = "client")]
mod location;
#[cfg(feature = "client")]
mod messages;
#[cfg(feature = "client")]
mod operations;
#[cfg(feature = "client")]
mod rest;
#[cfg(feature = "client")]
mod retry;
#[cfg(all(test, feature = "client"))]
mod script;
#[cfg(all(test, feature = "client", feature = "server"))]
mod scripted;
#[cfg(feature = "client")]
mod select;
#[cfg(feature = "client")]
mod session;
#[cfg(all(feature = "client", not(target_family = "wasm")))]
mod socket;
#[cfg(feature = "client")]
mod sse;
#[cfg(feature = "client")]
mod stream;
#[cfg(feature = "client")]
mod transport;

#[cfg(feature = "client")]
pub use builder::ClientBuilder;
#[cfg(feature = "client")]
pub use call::Client;
pub use channel::{Answer, AnswerStream, Channel, Outgoing, Payload, call_stream, call_unary};
#[cfg(feature = "client")]
pub use credentials::{Credentials, Interceptor};
#[cfg(all(feature = "client", feature = "grpc"))]
pub use grpc::GrpcChannel;
#[cfg(feature = "client")]
pub use jsonrpc::JsonRpcChannel;
#[cfg(feature = "client")]
pub use messages::Outcome;
#[cfg(feature = "client")]
pub use operations::{Call, Items};
pub use query::QueryWriter;
#[cfg(feature = "client")]
pub use rest::RestChannel;
#[cfg(feature = "client")]
pub use retry::Retry;
#[cfg(all(feature = "client", not(target_family = "wasm")))]
pub use socket::{HttpTransport, HttpTransportBuilder};
#[cfg(feature = "client")]
pub use sse::{SseEvent, SseParser, SseTooLarge};
#[cfg(feature = "client")]
pub use stream::{Reconnect, Update, Updates};
#[cfg(feature = "client")]
pub use transport::{CallOptions, ChannelOptions, Transport, TransportError, TransportErrorKind};
