//! Between routers and services: tables that the generator writes, and the one call that every
//! binding makes.
//!
//! Comes in: an operation's index, a context and an encoded request ([`Input`]).
//! Goes out: an encoded answer ([`Reply`]). Generated code implements [`Dispatch`] for the boxed
//! form of each service; the three routers know nothing but this trait.

#[cfg(any(feature = "client", feature = "server"))]
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "clients decode no paths")
)]
pub(crate) mod percent;
#[cfg(any(feature = "client", feature = "server"))]
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "clients take nothing out of paths")
)]
pub(crate) mod routing;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use a2a_wire::__codegen::{Rule, WireMessage};
use bytes::Bytes;
use futures_core::Stream;

use crate::client::Outgoing;
use crate::context::{CallContext, ProtocolVersion};
use crate::error::{Error, ErrorSpec, ErrorStyle};
use crate::shared::{Encoded, EventStream, Shared};

/// A boxed future, as object-safe traits return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A service as its routers see it. Generated.
#[derive(Debug)]
pub struct ServiceSpec {
    /// Full proto name, `lf.a2a.v1.A2AService`.
    pub name: &'static str,
    /// The operations, in declaration order.
    pub operations: &'static [OperationSpec],
    /// Routes of the HTTP+JSON binding, in the order in which they are tried.
    pub routes: &'static [Route],
    /// The protocol version that the service speaks, when its profile names one.
    pub version: Option<ProtocolVersion>,
    /// Media type of HTTP+JSON answers when the request does not say.
    pub media_type: &'static str,
    /// What happens when path and body disagree on a field.
    pub conflicts: Rule,
    /// The protocol's own errors.
    pub errors: &'static [&'static ErrorSpec],
    /// How errors stand in answers.
    pub error_style: ErrorStyle,
    /// The header, or metadata, that lists extensions, in lower case; `None` for `a2a-extensions`.
    pub extensions_header: Option<&'static str>,
}

/// One operation of a service. Generated.
#[derive(Debug)]
pub struct OperationSpec {
    /// Name in the schema, `SendMessage`.
    pub name: &'static str,
    /// Path of the gRPC call, `/lf.a2a.v1.A2AService/SendMessage`.
    pub grpc_path: &'static str,
    /// JSON-RPC method, when the profile gives the service JSON-RPC.
    pub json_rpc_method: Option<&'static str>,
    /// The answer is a stream.
    pub server_streaming: bool,
    /// The agent card's capability that the operation needs (`streaming`, `push_notifications`,
    /// `extended_agent_card`).
    pub capability: Option<&'static str>,
    /// Full proto name of the request.
    pub request: &'static str,
    /// Full proto name of the response (of one event, for a stream).
    pub response: &'static str,
    /// Its routes as indices into [`ServiceSpec::routes`], as declared: the preferred one first.
    pub routes: &'static [usize],
    /// Reads a request for a channel, without checking its required fields: for tools and tests.
    pub decode_outgoing: fn(Input<'_>) -> Result<Box<dyn Outgoing>, Error>,
    /// Reads a request without checking its required fields: for tools and tests.
    pub decode_request: fn(Input<'_>) -> Result<Box<dyn Encoded>, Error>,
    /// Reads an answer from protobuf: for tools and tests.
    pub decode_response: fn(Input<'_>) -> Result<Box<dyn Encoded>, Error>,
}

/// One route of the HTTP+JSON binding. Generated from `google.api.http`.
#[derive(Debug, PartialEq, Eq)]
pub struct Route {
    /// `GET`, …, or `*` for any.
    pub method: &'static str,
    /// Segments of the path.
    pub segments: &'static [Segment],
    /// What must stand behind a `:` at the end of the path.
    pub verb: Option<&'static str>,
    /// Parts of the path that are fields of the request.
    pub captures: &'static [Capture],
    /// What of the request stands in the body.
    pub body: RouteBody,
    /// A body of `null` stands for an empty message: every required field is in the path.
    pub null_body: bool,
    /// The field of the response that is the whole body, by its proto name.
    pub response_body: Option<&'static str>,
    /// Index into [`ServiceSpec::operations`].
    pub operation: usize,
    /// The template as written, for logs and metrics.
    pub template: &'static str,
}

/// A segment of a [`Route`].
#[derive(Debug, PartialEq, Eq)]
pub enum Segment {
    /// Must be equal after decoding.
    Literal(&'static str),
    /// One, not empty.
    Single,
    /// Zero or more, none of them empty.
    Multi,
}

/// A part of a path that is a field of the request.
#[derive(Debug, PartialEq, Eq)]
pub struct Capture {
    /// Dotted proto names, `book.full_name`.
    pub field: &'static str,
    /// The same in JSON names, `book.fullName`, for errors.
    pub json_name: &'static str,
    /// First segment of the template.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Its pattern is more than one `*`: `%2F` stays encoded.
    pub multi: bool,
}

/// What of a request stands in an HTTP body.
#[derive(Debug, PartialEq, Eq)]
pub enum RouteBody {
    /// Nothing.
    None,
    /// Everything that is not in the path.
    All,
    /// One field; everything that is in neither path nor body is in the query.
    Field {
        /// Name in the schema.
        proto_name: &'static str,
        /// Name in JSON.
        json_name: &'static str,
    },
}

/// An encoded request. `Debug` shows its size alone: it may hold credentials.
pub enum Input<'a> {
    /// A JSON object (JSON-RPC `params`); empty bytes stand for an empty message.
    Json(Bytes),
    /// A protobuf message.
    Proto(Bytes),
    /// An HTTP request that matched a route.
    #[cfg(feature = "server")]
    Http(HttpInput<'a>),
    /// Stands for the other forms where there is no server.
    #[cfg(not(feature = "server"))]
    #[doc(hidden)]
    Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
}

/// An HTTP request that matched a route, still encoded. `Debug` shows neither body nor query, which may
/// hold credentials.
#[cfg(feature = "server")]
pub struct HttpInput<'a> {
    /// The service that the route belongs to.
    pub service: &'static ServiceSpec,
    /// The route.
    pub route: &'static Route,
    /// The raw path, as it came.
    pub path: &'a str,
    /// The raw query, without `?`.
    pub query: &'a str,
    /// The body; empty when there is none. Owned, so that a call that takes its time does not keep
    /// it in memory once it has been read.
    pub body: Bytes,
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (form, bytes) = match self {
            Self::Json(text) => ("Json", text),
            Self::Proto(message) => ("Proto", message),
            #[cfg(feature = "server")]
            Self::Http(input) => return f.debug_tuple("Http").field(input).finish(),
            #[cfg(not(feature = "server"))]
            Self::Never(never, _) => match *never {},
        };
        write!(f, "{form}({} bytes)", bytes.len())
    }
}

#[cfg(feature = "server")]
impl fmt::Debug for HttpInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpInput")
            .field("service", &self.service.name)
            .field("route", &self.route.template)
            .field("path", &self.path)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl Input<'_> {
    /// Reads the request and checks its required fields.
    ///
    /// # Errors
    /// Invalid argument, naming the fields.
    pub fn read<T: WireMessage>(self) -> Result<T, Error> {
        let message = self.decode::<T>()?;
        let mut found = a2a_wire::__codegen::Violations::default();
        message.check(&mut found);
        if found.found.is_empty() {
            Ok(message)
        } else {
            Err(Error::invalid(found.found))
        }
    }

    /// Reads the request as it is.
    ///
    /// # Errors
    /// Invalid argument, naming the field.
    pub fn decode<T: WireMessage>(self) -> Result<T, Error> {
        match self {
            Self::Json(text) if text.is_empty() => Ok(T::default()),
            Self::Json(text) => T::read_json(&text)
                .map_err(|error| Error::invalid_field(error.path(), error.message())),
            Self::Proto(bytes) => T::read_protobuf(bytes).map_err(|error| {
                Error::new(
                    crate::Code::InvalidArgument,
                    format!("cannot be read as {}: {error}", T::NAME),
                )
            }),
            #[cfg(feature = "server")]
            Self::Http(input) => crate::rest::read(&input),
            #[cfg(not(feature = "server"))]
            Self::Never(never, _) => match never {},
        }
    }
}

/// An encoded answer.
pub enum Reply {
    /// One message.
    Unary(Box<dyn Encoded>),
    /// A stream of messages.
    Stream(ReplyStream),
}

/// The stream of a [`Reply`].
pub type ReplyStream = Pin<Box<dyn Stream<Item = Result<Box<dyn Encoded>, Error>> + Send>>;

/// What every router calls. Generated for the boxed form of each service.
pub trait Dispatch: Send + Sync + 'static {
    /// The tables of the service.
    fn service(&self) -> &'static ServiceSpec;

    /// Reads the request, calls the operation and hands back its answer.
    fn call<'a>(
        &'a self,
        operation: usize,
        context: CallContext,
        input: Input<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>>;
}

/// Calls a unary operation.
///
/// # Errors
/// Those of reading the request and of the operation.
pub async fn unary<Req, Res, Fut>(
    input: Input<'_>,
    call: impl FnOnce(Req) -> Fut,
) -> Result<Reply, Error>
where
    Req: WireMessage,
    Res: WireMessage,
    Fut: Future<Output = Result<Shared<Res>, Error>>,
{
    Ok(Reply::Unary(Box::new(call(input.read()?).await?)))
}

/// Calls a streaming operation.
///
/// # Errors
/// Those of reading the request and of the operation before its first event.
pub async fn stream<Req, Res, Fut>(
    input: Input<'_>,
    call: impl FnOnce(Req) -> Fut,
) -> Result<Reply, Error>
where
    Req: WireMessage,
    Res: WireMessage,
    Fut: Future<Output = Result<EventStream<Res>, Error>>,
{
    use futures_util::StreamExt as _;
    let events = call(input.read()?).await?;
    Ok(Reply::Stream(Box::pin(events.map(|event| {
        event.map(|event| Box::new(event) as Box<dyn Encoded>)
    }))))
}

/// Reads a message of a known type and forgets it: the body of the `decode_*` functions.
///
/// # Errors
/// As [`Input::decode`].
pub fn decode<T: WireMessage>(input: Input<'_>) -> Result<Box<dyn Encoded>, Error> {
    Ok(Box::new(Shared::new(input.decode::<T>()?)))
}

/// As [`decode`], for a channel: the body of the `decode_outgoing` functions.
///
/// # Errors
/// As [`Input::decode`].
pub fn outgoing<T: WireMessage>(input: Input<'_>) -> Result<Box<dyn Outgoing>, Error> {
    Ok(Box::new(input.decode::<T>()?))
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use super::*;
    use crate::A2A_SERVICE;

    #[test]
    fn encoded_requests_show_no_credentials() {
        let secret = || Bytes::from_static(b"s3cret");
        let input = HttpInput {
            service: &A2A_SERVICE,
            route: &A2A_SERVICE.routes[0],
            path: "/shown",
            query: "key=s3cret",
            body: secret(),
        };
        for (input, expected) in [
            (Input::Json(secret()), "Json(6 bytes)"),
            (Input::Proto(secret()), "Proto(6 bytes)"),
            (Input::Http(input), "/shown"),
        ] {
            let shown = format!("{input:?}");
            assert!(
                shown.contains(expected) && !shown.contains("s3cret"),
                "{shown}"
            );
        }
    }
}
