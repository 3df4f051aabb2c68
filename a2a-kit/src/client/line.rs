//! What all channels have: a transport and limits.
//!
//! Comes in: an HTTP request of a binding. Goes out: the head of the answer, and its body whole
//! where it is wanted so.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures_util::future::select;
use http::{Request, Response};
use http_body::Body as _;
use http_body_util::BodyExt as _;

use super::headers;
use super::transport::{
    CallOptions, ChannelOptions, OfCall, Transport, TransportError, TransportErrorKind,
};
use crate::body::{Body, BoxError};
use crate::context::CallContext;
use crate::error::{Code, Error};
use crate::service::{OperationSpec, ServiceSpec};

/// How much of an answer that is no success is read.
const ERROR_BODY: usize = 1 << 20;

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    transport: Arc<dyn Transport>,
    options: ChannelOptions,
}

impl Line {
    pub(crate) fn new(transport: impl Transport, options: ChannelOptions) -> Self {
        Self {
            transport: Arc::new(transport),
            options,
        }
    }

    pub(crate) fn set_options(&mut self, options: ChannelOptions) {
        self.options = options;
    }

    pub(crate) fn options(&self) -> &ChannelOptions {
        &self.options
    }

    /// Adds the headers that every call has, sends the request and waits for the head of the answer.
    pub(crate) async fn send(
        &self,
        service: &ServiceSpec,
        operation: &OperationSpec,
        context: &CallContext,
        mut request: Request<Bytes>,
    ) -> Result<Response<Body>, Error> {
        let own = std::mem::replace(request.headers_mut(), headers::outgoing(service, context)?);
        request.headers_mut().extend(own);
        let skill = context.skill().cloned();
        request.extensions_mut().insert(OfCall { skill });
        let options = self.call_options(operation, context)?;
        let response = self.transport.send(request, options).await?;
        headers::note_extensions(service, context, response.headers());
        Ok(response)
    }

    fn call_options(
        &self,
        operation: &OperationSpec,
        context: &CallContext,
    ) -> Result<CallOptions, Error> {
        let left = time_left(context)?;
        let limit = left.or(self.options.call_timeout);
        Ok(if operation.server_streaming {
            CallOptions {
                head: limit,
                total: left,
                idle: self.options.idle_timeout,
            }
        } else {
            CallOptions {
                head: None,
                total: limit,
                idle: None,
            }
        })
    }

    /// The whole body of an answer.
    pub(crate) async fn read(&self, body: Body) -> Result<Bytes, Error> {
        let limit = self.options.answer_limit;
        match collect(body, limit).await? {
            (_, true) => Err(Error::new(
                Code::ResourceExhausted,
                format!(
                    "the answer is larger than the {limit} bytes that this client takes; see ChannelOptions::answer_limit"
                ),
            )),
            (body, false) => Ok(body),
        }
    }

    /// The body of an answer that is no success, or the start of it: as much as came before it broke
    /// off, since the head says enough.
    ///
    /// It does not take longer than a call may, also where the call is a stream, which has no limit
    /// of its own.
    pub(crate) async fn read_start(&self, mut body: Body) -> Bytes {
        let mut read = BytesMut::new();
        let start = async {
            while let Some(Ok(frame)) = body.frame().await {
                let Ok(data) = frame.into_data() else {
                    continue;
                };
                read.extend_from_slice(&data[..data.len().min(ERROR_BODY - read.len())]);
                if read.len() >= ERROR_BODY {
                    break;
                }
            }
        };
        match self.options.call_timeout {
            None => start.await,
            Some(limit) => {
                select(std::pin::pin!(start), self.transport.sleep(limit)).await;
            }
        }
        read.freeze()
    }
}

/// The operation at an index.
///
/// # Errors
/// When there is none: the caller has mixed up services.
pub(crate) fn operation_of(
    service: &'static ServiceSpec,
    index: usize,
) -> Result<&'static OperationSpec, Error> {
    service
        .operations
        .get(index)
        .ok_or_else(|| Error::internal(format!("{} has no operation number {index}", service.name)))
}

/// How long the caller still waits.
///
/// # Errors
/// When the time is over.
pub(crate) fn time_left(context: &CallContext) -> Result<Option<Duration>, Error> {
    let Some(deadline) = context.deadline() else {
        return Ok(None);
    };
    match deadline.checked_duration_since(Instant::now()) {
        Some(left) if !left.is_zero() => Ok(Some(left)),
        _ => Err(TransportError::new(
            TransportErrorKind::Timeout,
            "the deadline of the call has passed before it was sent",
        )
        .unsent()
        .into()),
    }
}

/// At most `limit` bytes of a body, and whether there were more.
async fn collect(mut body: Body, limit: usize) -> Result<(Bytes, bool), Error> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(broken)?.into_data() else {
            continue;
        };
        if first.is_empty() && all.is_empty() {
            // Most answers are one piece, which is not copied.
            first = data;
        } else {
            if all.is_empty() {
                let hint = usize::try_from(body.size_hint().lower()).unwrap_or(limit);
                all.reserve(
                    (first.len() + data.len())
                        .saturating_add(hint)
                        .min(limit.saturating_add(1))
                        .min(1 << 20),
                );
                all.extend_from_slice(&first);
                first = Bytes::new();
            }
            all.extend_from_slice(&data);
        }
        if first.len().max(all.len()) > limit {
            let mut read = if all.is_empty() { first } else { all.freeze() };
            read.truncate(limit);
            return Ok((read, true));
        }
    }
    Ok((if all.is_empty() { first } else { all.freeze() }, false))
}

/// The error of a body that broke off: the transport's own, where it is one.
pub(crate) fn broken(error: BoxError) -> Error {
    match error.downcast::<TransportError>() {
        Ok(error) => (*error).into(),
        Err(error) => TransportError::new(TransportErrorKind::Broken, "the answer broke off")
            .with_source(error)
            .into(),
    }
}
