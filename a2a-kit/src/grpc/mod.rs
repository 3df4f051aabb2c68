//! The gRPC router (specification section 10).
//!
//! Comes in: an HTTP/2 request whose path names an operation. Goes out: its answer as protobuf,
//! with a status that carries typed details. Messages pass through as bytes: reading and encoding
//! them is the operation's, so that every reader of a task shares one encoding.

mod codec;
mod framing;
mod status;
#[cfg(test)]
mod tests;
mod timeout;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;
use http::request::Parts;
use http::{HeaderName, Method, Request, Response};
use tonic::server::{ServerStreamingService, UnaryService};

use crate::admission::{self, Admission};
use crate::auth::{self, Authentication};
use crate::body::Body;
use crate::call;
use crate::context::{Binding, CallContext};
use crate::error::{Code, Error};
use crate::intake::{self, Intake};
use crate::limits::{self, Limits, OpenStream};
use crate::service::{BoxFuture, Dispatch, Input, Reply, ServiceSpec};
use crate::v0_3;

use codec::PassThrough;
use framing::OneMessage;

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// Serves any service over gRPC. Cheap to clone.
#[derive(Clone)]
pub struct Grpc {
    dispatch: Arc<dyn Dispatch>,
    admission: Arc<dyn Admission>,
    authentication: Option<Authentication>,
    limits: Option<Arc<Limits>>,
    intake: Intake,
}

impl Grpc {
    /// Serves a service to those whom `admission` lets in.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use a2a_kit::{A2aService, BoxA2aService, Body, Open, grpc::Grpc};
    /// # struct Silent;
    /// # impl A2aService for Silent {}
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    /// # runtime.block_on(async {
    /// let grpc = Grpc::new(Arc::new(BoxA2aService::new(Silent)), Arc::new(Open));
    /// let request = http::Request::post("/nothing.Here/Either").body(Body::empty()).unwrap();
    /// let response = grpc.handle(request).await;
    /// assert_eq!(response.headers()["grpc-status"], "12"); // UNIMPLEMENTED
    /// # });
    /// ```
    #[must_use]
    pub fn new(dispatch: Arc<dyn Dispatch>, admission: Arc<dyn Admission>) -> Self {
        Self {
            dispatch,
            admission,
            authentication: None,
            limits: None,
            intake: Intake::default(),
        }
    }

    /// Refuses messages that are larger, 32 MiB by default.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.intake = Intake::new(bytes, None);
        self
    }

    /// Asks callers who they are, before anything else of a request is looked at. Without it, the
    /// [`Caller`](crate::Caller) is the one that a layer in front has put into the request's
    /// extensions.
    #[must_use]
    pub fn authentication(mut self, authentication: Authentication) -> Self {
        self.authentication = Some(authentication);
        self
    }

    /// As [`Self::authentication`], if there is one.
    #[must_use]
    pub(crate) fn authenticated(mut self, authentication: Option<Authentication>) -> Self {
        self.authentication = authentication;
        self
    }

    /// Limits what one caller may ask for; see [`crate::limits`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(Arc::new(limits));
        self
    }

    /// As [`Self::limits`], if there are any.
    #[must_use]
    pub(crate) fn limited(mut self, limits: Option<Arc<Limits>>) -> Self {
        self.limits = limits;
        self
    }

    /// Takes requests in together with other routers.
    #[must_use]
    pub(crate) fn intake(mut self, intake: Intake) -> Self {
        self.intake = intake;
        self
    }

    /// Answers a request; a refusal is an answer too.
    pub async fn handle(&self, request: Request<Body>) -> Response<Body> {
        let (mut parts, body) = request.into_parts();
        let known = limits::admit(
            self.authentication.as_ref(),
            self.limits.as_ref(),
            &mut parts,
        )
        .await;
        let (operation, context, counted) = match known.and_then(|()| self.admit(&parts)) {
            Ok(admitted) => admitted,
            Err(error) => return refusal(self.dispatch.service(), &error),
        };
        let room = Arc::default();
        let call = Call {
            dispatch: Arc::clone(&self.dispatch),
            operation,
            context: context.clone(),
            counted,
            room: Arc::clone(&room),
        };
        let streaming = self.dispatch.service().operations[operation].server_streaming;
        let request = Request::from_parts(parts, OneMessage::new(body, self.intake.clone(), room));
        // The size is checked in front of tonic, which would answer OUT_OF_RANGE.
        let mut grpc = tonic::server::Grpc::new(PassThrough).max_decoding_message_size(usize::MAX);
        let response = if streaming {
            grpc.server_streaming(call, request).await
        } else {
            grpc.unary(call, request).await
        };
        let mut response = response.map(Body::new);
        if !response.headers().contains_key(GRPC_STATUS) {
            admission::echo_extensions(self.dispatch.service(), &context, response.headers_mut());
        }
        auth::ask_for_credentials(self.authentication.as_ref(), &mut response);
        response
    }

    /// Everything that can be said about a call before its message is read.
    fn admit(&self, parts: &Parts) -> Result<(usize, CallContext, Option<OpenStream>), Error> {
        let service = self.dispatch.service();
        if parts.method != Method::POST {
            return Err(Error::new(
                Code::InvalidArgument,
                "gRPC takes POST requests only",
            ));
        }
        let path = parts.uri.path();
        let found = service
            .operations
            .iter()
            .position(|operation| operation.grpc_path == path);
        let Some(operation) = found else {
            let shown: String = path.chars().take(128).collect();
            let mut others = v0_3::other_versions(service).iter();
            let other = others.find(|other| {
                let mut operations = other.operations.iter();
                operations.any(|operation| operation.grpc_path == path)
            });
            if let Some(version) = other.and_then(|other| other.version) {
                return Err(Error::version_not_supported(format!(
                    "{shown} is of A2A {version}, which this agent does not serve over gRPC"
                ))
                .with_metadata("requestedVersion", version.to_string()));
            }
            return Err(Error::new(
                Code::Unimplemented,
                format!(
                    "there is no method {shown:?}; this is the service {}",
                    service.name
                ),
            ));
        };
        let mut context = admission::call_context(service, Binding::Grpc, parts)?;
        if let Some(deadline) = timeout::deadline(&parts.headers)? {
            context = context.with_deadline(deadline);
        }
        let context = self
            .admission
            .admit(service, &service.operations[operation], context)?;
        let counted = OpenStream::begin(&service.operations[operation], &context)?;
        Ok((operation, context, counted))
    }
}

impl fmt::Debug for Grpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grpc")
            .field("service", &self.dispatch.service().name)
            .field("body_limit", &self.intake.limit())
            .finish_non_exhaustive()
    }
}

fn refusal(service: &ServiceSpec, error: &Error) -> Response<Body> {
    let mut response = status::of(service, error).into_http();
    auth::add_challenges(error, response.headers_mut());
    response
}

/// One call, on its way through tonic.
struct Call {
    dispatch: Arc<dyn Dispatch>,
    operation: usize,
    context: CallContext,
    counted: Option<OpenStream>,
    room: Arc<framing::Room>,
}

impl Call {
    /// Owned by the future, as tonic asks for; made anew for each request anyway.
    fn start(
        &mut self,
        message: Bytes,
    ) -> impl Future<Output = Result<Reply, Error>> + Send + use<> {
        let (dispatch, operation, context) = (
            Arc::clone(&self.dispatch),
            self.operation,
            self.context.clone(),
        );
        let message = intake::held(message, self.room.take());
        let counted = self.counted.take();
        async move {
            let input = Input::Proto(message);
            call::call(&*dispatch, operation, context, counted, input).await
        }
    }
}

impl UnaryService<Bytes> for Call {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let answer = self.start(request.into_inner());
        let service = self.dispatch.service();
        Box::pin(async move {
            match answer.await {
                Ok(Reply::Unary(message)) => match message.proto() {
                    Ok(message) => Ok(tonic::Response::new(message)),
                    Err(error) => Err(status::of(service, &error)),
                },
                Ok(Reply::Stream(_)) => Err(status::of(
                    service,
                    &Error::internal("the operation answered with a stream"),
                )),
                Err(error) => Err(status::of(service, &error)),
            }
        })
    }
}

impl ServerStreamingService<Bytes> for Call {
    type Response = Bytes;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Bytes, tonic::Status>> + Send>>;
    type Future = BoxFuture<'static, Result<tonic::Response<Self::ResponseStream>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let answer = self.start(request.into_inner());
        let service = self.dispatch.service();
        Box::pin(async move {
            match answer.await {
                Ok(Reply::Stream(events)) => {
                    let events = events.map(move |event| match event {
                        Ok(event) => event.proto().map_err(|error| status::of(service, &error)),
                        Err(error) => Err(status::of(service, &error)),
                    });
                    Ok(tonic::Response::new(
                        Box::pin(events) as Self::ResponseStream
                    ))
                }
                Ok(Reply::Unary(_)) => Err(status::of(
                    service,
                    &Error::internal("the operation answered with one message"),
                )),
                Err(error) => Err(status::of(service, &error)),
            }
        })
    }
}
