//! Build and call Agent2Agent (A2A) agents.

pub use a2a_wire as wire;
pub use a2a_wire::{rpc, types, v1_0};

#[cfg(feature = "_core")]
pub mod adapted;
#[cfg(feature = "server")]
mod admission;
#[cfg(feature = "server")]
pub mod agent;
#[cfg(feature = "server")]
pub mod auth;
#[cfg(feature = "_core")]
mod body;
#[cfg(feature = "server")]
mod call;
#[cfg(any(feature = "server", feature = "client"))]
mod capability;
#[cfg(feature = "server")]
mod card;
#[cfg(feature = "_core")]
pub mod client;
#[cfg(feature = "_core")]
mod content;
#[cfg(feature = "_core")]
mod context;
#[cfg(any(feature = "client", feature = "macros"))]
mod contract;
#[cfg(feature = "server")]
mod details;
#[cfg(feature = "server")]
pub mod engine;
#[cfg(feature = "_core")]
mod error;
#[cfg(all(feature = "server", feature = "grpc"))]
pub mod grpc;
#[cfg(feature = "server")]
mod intake;
#[cfg(feature = "server")]
pub mod jsonrpc;
#[cfg(feature = "server")]
pub mod limits;
#[cfg(feature = "macros")]
mod macros;
#[cfg(feature = "macros")]
pub mod prelude;
#[cfg(all(test, feature = "server"))]
mod probe;
#[cfg(feature = "server")]
pub mod rest;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "_core")]
mod service;
#[cfg(feature = "_core")]
mod shared;
#[cfg(feature = "macros")]
pub mod skills;
#[cfg(feature = "server")]
mod sse;
#[cfg(feature = "server")]
pub mod store;
#[cfg(all(test, feature = "server"))]
mod test_log;
#[cfg(feature = "server")]
pub mod testing;
#[cfg(feature = "_core")]
pub mod v0_3;

#[cfg(feature = "_core")]
pub use a2a_wire::__codegen::Violation;
#[cfg(feature = "server")]
pub use admission::{Admission, CardAdmission, Open};
#[cfg(feature = "server")]
pub use agent::Reply;
#[cfg(feature = "_core")]
pub use body::{Body, BoxError};
#[cfg(feature = "server")]
pub use card::card_faults;
#[cfg(feature = "client")]
pub use client::Client;
#[cfg(feature = "_core")]
pub use content::Parts;
#[cfg(feature = "_core")]
pub use context::{Binding, CallContext, Caller, ProtocolVersion};
#[cfg(feature = "_core")]
pub use error::{Code, Error, ErrorSpec, ErrorStyle};
#[cfg(feature = "macros")]
pub use macros::{Failure, a2a_agent, a2a_skills, skill};
#[cfg(feature = "server")]
pub use server::{Server, ServerBuilder};
#[cfg(feature = "server")]
pub use service::HttpInput;
#[cfg(feature = "_core")]
pub use service::{
    BoxFuture, Capture, Dispatch, Input, OperationSpec, Reply as DispatchReply, ReplyStream, Route,
    RouteBody, Segment, ServiceSpec,
};
#[cfg(feature = "_core")]
pub use shared::{Encoded, EventStream, Shared};
#[cfg(feature = "macros")]
pub use skills::Failure;

#[cfg(feature = "_core")]
#[allow(unreachable_pub, reason = "what users need of it is exported by name")]
mod generated {
    //! What the generator writes for A2A itself.
    #[rustfmt::skip]
    pub mod v1_0;
    #[rustfmt::skip]
    pub mod v1_0_errors;
    #[rustfmt::skip]
    pub mod v0_3;
}
#[cfg(feature = "_core")]
pub use generated::v1_0::{A2A_SERVICE, A2aService, A2aServiceClient, BoxA2aService};

/// What generated code may use of this crate. Not covered by semantic versioning.
#[doc(hidden)]
pub mod __codegen {
    #[cfg(feature = "_core")]
    pub use crate::{
        adapted::call::{call_old_stream, call_old_unary},
        adapted::serve::{
            old_stream, old_unary, read_placed_body, read_transcoded, read_whole_body,
        },
        adapted::{AdaptedOperation, Adapting, HttpRequest, Shapes},
        client::{Channel, call_stream, call_unary},
        context::{CallContext, ProtocolVersion},
        error::{Code, Error, ErrorSpec, ErrorStyle},
        service::{
            BoxFuture, Capture, Dispatch, Input, OperationSpec, Reply, Route, RouteBody, Segment,
            ServiceSpec, decode, outgoing, stream, unary,
        },
        shared::{Encoded, EventStream, Shared},
    };
    pub use a2a_wire::__codegen::*;
    pub use a2a_wire::adapt;
}
