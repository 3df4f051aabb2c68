//! A service in the place of a channel.
//!
//! Comes in: an operation of v1.0 and its request, whose type is forgotten. Goes out: what a service
//! answers: one that calls a peer in the terms of another version, where a client of v1.0 expects a
//! channel. Between the two everything is JSON, which holds all that the types hold.

use std::fmt;

use futures_util::StreamExt as _;

use super::channel::{Answer, Channel, Outgoing, Payload};
use crate::context::CallContext;
use crate::error::Error;
use crate::service::{BoxFuture, Dispatch as _, Input, Reply, ServiceSpec};
use crate::{A2aService, BoxA2aService};

/// See the module.
pub(super) struct ServiceChannel(BoxA2aService);

impl ServiceChannel {
    pub(super) fn new(service: impl A2aService) -> Self {
        Self(BoxA2aService::new(service))
    }

    async fn exchange(
        &self,
        operation: usize,
        context: CallContext,
        request: &dyn Outgoing,
    ) -> Result<Answer, Error> {
        let input = Input::Json(request.json()?);
        Ok(match self.0.call(operation, context, input).await? {
            Reply::Unary(message) => Answer::Unary(Payload::Json(message.json()?)),
            Reply::Stream(events) => Answer::Stream(Box::pin(
                events.map(|event| event.and_then(|event| event.json().map(Payload::Json))),
            )),
        })
    }
}

impl Channel for ServiceChannel {
    fn call<'a>(
        &'a self,
        _service: &'static ServiceSpec,
        operation: usize,
        context: CallContext,
        request: &'a dyn Outgoing,
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(self.exchange(operation, context, request))
    }
}

impl fmt::Debug for ServiceChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceChannel")
    }
}
