//! Operations of an older version, in the terms of a newer one.
//!
//! Comes in: for each operation its types in both versions ([`AdaptedOperation`], generated). Goes
//! out: what the two generated adapters do. A service of the newer version is served to callers of
//! the older one (`serve`): routers stay what they are, since they know no types. And a peer of the
//! older version is called as if it were of the newer one (`call`): so do channels.
//!
//! Losses are told to the log: of what a caller asks for as warnings, since it does not happen; of
//! answers for those who look closer.
//!
//! Who has two versions of a protocol of their own gets both adapters from `a2a-codegen`
//! (`AdapterEmit::Services`), and [`Adapting`] is what it takes to make them. A router of the older
//! version and one of the newer version then serve the same service:
//!
//! ```
//! use std::sync::Arc;
//! use a2a_kit::adapted::Adapting;
//! use a2a_kit::{A2aService, BoxA2aService, Error, Open, jsonrpc::JsonRpc};
//! # use a2a_kit::{A2A_SERVICE as SERVICE, v0_3::OldA2aService};
//! # struct Agent;
//! # impl A2aService for Agent {}
//!
//! let service = BoxA2aService::new(Agent);
//! let adapting = Adapting::new(&SERVICE, |operation| {
//!     Error::unsupported_operation(format!("the version of the peer has no {operation}"))
//! });
//! let older = OldA2aService::new(service.clone(), adapting);
//! let older = JsonRpc::new(Arc::new(older), Arc::new(Open));
//! let newer = JsonRpc::new(Arc::new(service), Arc::new(Open));
//! # let _ = (older, newer);
//! ```

pub(crate) mod call;
pub(crate) mod serve;

use std::any::Any;
use std::sync::Arc;

use a2a_wire::__codegen::WireMessage;
use a2a_wire::adapt::{Adapter, Down, JsonForm, Loss, Options, Refused, Up};
use a2a_wire::json;
use bytes::Bytes;

use crate::error::Error;
use crate::service::ServiceSpec;

/// What path and query of an HTTP request say, beside its body.
#[cfg(feature = "server")]
pub type HttpRequest<'a> = crate::service::HttpInput<'a>;
/// Stands for requests where there is no server.
#[cfg(not(feature = "server"))]
pub type HttpRequest<'a> = &'a std::convert::Infallible;

/// One operation with its types in both versions. Generated.
pub trait AdaptedOperation: Send + Sync + 'static {
    /// The request of the newer version.
    type NewRequest: WireMessage + Down<Self::OldRequest>;
    /// The response of the newer version; one event, for a stream.
    type NewResponse: WireMessage + Down<Self::OldResponse>;
    /// The request of the older version's proto.
    type OldRequest: WireMessage + Up<Self::NewRequest>;
    /// The response of the older version's proto.
    type OldResponse: WireMessage + Up<Self::NewResponse>;
    /// The request as the older version's JSON-RPC has it.
    type RequestJson: JsonForm<Self::NewRequest> + 'static;
    /// The response as the older version's JSON-RPC has it.
    type ResponseJson: JsonForm<Self::NewResponse> + 'static;
    /// The request as the body of an HTTP request.
    type HttpBody: JsonForm<Self::NewRequest> + 'static;
    /// The response as the body of an HTTP answer.
    type HttpAnswer: JsonForm<Self::NewResponse> + 'static;

    /// Reads an HTTP request: by default through the older proto, as its routes say.
    ///
    /// # Errors
    /// Invalid argument, naming the field.
    fn read_http(input: &HttpRequest<'_>, adapter: &Adapter) -> Result<Self::NewRequest, Error> {
        serve::read_transcoded::<Self>(input, adapter)
    }

    /// Changes the JSON body of a request over HTTP, where peers read it in several shapes.
    ///
    /// # Errors
    /// As [`Outgoing::write_json`](crate::client::Outgoing::write_json).
    fn http_body(request: &Self::OldRequest, body: Bytes) -> Result<Bytes, Error> {
        let _ = request;
        Ok(body)
    }
}

/// A request of the older proto whose body comes in several shapes over HTTP.
pub trait Shapes<New> {
    /// Puts what path and query say into the request that was read from the body.
    ///
    /// # Errors
    /// When the body says something else.
    fn place(self, new: &mut New, adapter: &Adapter) -> Result<(), Refused>;

    /// The JSON body, in a shape that all peers find what they look for in.
    ///
    /// # Errors
    /// As [`Outgoing::write_json`](crate::client::Outgoing::write_json).
    fn widen(&self, body: Bytes) -> Result<Bytes, Error>;
}

/// How two versions are brought together, beyond what is generated. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Adapting(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    new: &'static ServiceSpec,
    options: Options,
    optional: &'static [(&'static str, &'static str)],
    missing: fn(&str) -> Error,
    ends: fn(&dyn Any, &[Loss]) -> bool,
}

impl Adapting {
    /// Nothing beyond what is generated. `new` are the tables of the newer version, and `missing` is
    /// the error of an operation that the older one does not have.
    #[must_use]
    pub fn new(new: &'static ServiceSpec, missing: fn(&str) -> Error) -> Self {
        Self(Arc::new(Inner {
            new,
            options: Options::default(),
            optional: &[],
            missing,
            ends: |_, _| false,
        }))
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Arc::try_unwrap(self.0).unwrap_or_else(|shared| Inner {
            options: shared.options.clone(),
            ..*shared
        });
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// Sets what differs from peer to peer.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        self.with(|inner| inner.options = options)
    }

    /// Names required fields that callers of the older version may leave out: the full name of the
    /// newer request, and the field in JSON.
    #[must_use]
    pub fn optional(self, fields: &'static [(&'static str, &'static str)]) -> Self {
        self.with(|inner| inner.optional = fields)
    }

    /// Sets what tells that an event is the last one of its stream: the newer value, and what it lost
    /// coming up.
    #[must_use]
    pub fn ends(self, ends: fn(&dyn Any, &[Loss]) -> bool) -> Self {
        self.with(|inner| inner.ends = ends)
    }

    /// The error of an operation that the older version does not have.
    #[must_use]
    pub fn missing(&self, operation: &str) -> Error {
        (self.0.missing)(operation)
    }

    fn adapter(&self, change: impl FnOnce(&mut Options)) -> Adapter {
        let mut options = self.0.options.clone();
        change(&mut options);
        Adapter::new(options)
    }
}

/// A value without a form in the other version, as a fault of the request.
fn refused(refused: Refused) -> Error {
    Error::invalid_field(refused.path.as_str(), refused.message.as_str()).with_source(refused)
}

/// A text that cannot be read or written, as a fault of the request.
fn unreadable(error: &json::Error) -> Error {
    Error::invalid_field(error.path(), error.message())
}
