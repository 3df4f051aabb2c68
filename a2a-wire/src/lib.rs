//! Types of the Agent2Agent protocol and their JSON, without any I/O.
//!
//! Comes in: generated message types ([`v1_0`]). Goes out: those types with protobuf ([`protobuf`],
//! [`prost::Message`]) and JSON ([`json`], `serde`) encodings, the well-known types they are made
//! of ([`types`]) and the error details of `google.rpc` ([`rpc`]).

pub mod adapt;
pub mod json;
pub mod protobuf;
pub mod rpc;
pub mod types;
pub mod v0_3_json;

mod check;
mod hooks;
mod message;
mod path;
mod query;
mod secret;
mod states;
mod text;

pub use check::{Violation, Violations};
pub use message::WireMessage;
pub use query::TextWriteError;

/// Messages of A2A v0.3, as its proto has them and with what its peers add.
pub mod v0_3 {
    include!("generated/a2a_v0_3.rs");
}

/// Messages of A2A v1.0.
pub mod v1_0 {
    include!("generated/a2a_v1_0.rs");
}

/// Between messages of v0.3 and v1.0.
mod v0_3_to_v1_0 {
    include!("generated/v0_3_to_v1_0.rs");
}

/// What generated code may use of this crate. Not covered by semantic versioning.
#[doc(hidden)]
pub mod __codegen {
    pub use crate::check::{Violation, Violations};
    pub use crate::json::generated as json;
    pub use crate::message::WireMessage;
    pub use crate::query::{TextFields, TextWriteError, Texts, text_of, write_query};
    pub use crate::secret::Secret;
    pub use crate::text::{BindError, BindErrorKind, BindFields, Binder, Bound, Rule, bind};
    pub use crate::{adapt, protobuf, rpc, types};
    pub use ::bytes;
    pub use ::prost;
    pub use ::serde;
}
