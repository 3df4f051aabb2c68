//! A service for the tests of the routers: it needs no generated code, and it shows what reached
//! it.

use std::sync::{Arc, Mutex};

use a2a_wire::__codegen::Rule;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};

use crate::context::{CallContext, ProtocolVersion};
use crate::error::Error;
use crate::generated::v1_0_errors::{CONTENT_TYPE_NOT_SUPPORTED, TASK_NOT_FOUND};
use crate::service::{
    BoxFuture, Dispatch, Input, OperationSpec, Reply, ReplyStream, ServiceSpec, decode, outgoing,
};
use crate::shared::Encoded;

/// An encoded message that is what a test says.
pub(crate) struct Text(pub(crate) Bytes);

impl Encoded for Text {
    fn json(&self) -> Result<Bytes, Error> {
        Ok(self.0.clone())
    }

    fn json_field(&self, field: &str) -> Result<Bytes, Error> {
        Ok(Bytes::from(format!(
            "{{\"{field}\":{}}}",
            String::from_utf8_lossy(&self.0)
        )))
    }

    fn proto(&self) -> Result<Bytes, Error> {
        Ok(self.0.clone())
    }
}

pub(crate) fn event(text: impl Into<Bytes>) -> Result<Box<dyn Encoded>, Error> {
    Ok(Box::new(Text(text.into())))
}

const fn operation(
    name: &'static str,
    grpc_path: &'static str,
    server_streaming: bool,
    capability: Option<&'static str>,
) -> OperationSpec {
    OperationSpec {
        name,
        grpc_path,
        json_rpc_method: Some(name),
        server_streaming,
        capability,
        request: "google.protobuf.Empty",
        response: "google.protobuf.Empty",
        routes: &[],
        decode_outgoing: outgoing::<()>,
        decode_request: decode::<()>,
        decode_response: decode::<()>,
    }
}

pub(crate) static PROBE: ServiceSpec = ServiceSpec {
    name: "test.Probe",
    operations: &[
        operation("Echo", "/test.Probe/Echo", false, None),
        operation("Fail", "/test.Probe/Fail", false, None),
        operation("Panic", "/test.Probe/Panic", false, None),
        operation("Wait", "/test.Probe/Wait", false, None),
        operation("Events", "/test.Probe/Events", true, Some("streaming")),
        operation(
            "FailEvents",
            "/test.Probe/FailEvents",
            true,
            Some("streaming"),
        ),
        operation(
            "PanicEvents",
            "/test.Probe/PanicEvents",
            true,
            Some("streaming"),
        ),
    ],
    routes: &[],
    version: Some(ProtocolVersion::V1_0),
    media_type: "application/a2a+json",
    conflicts: Rule::Agree,
    errors: &[&CONTENT_TYPE_NOT_SUPPORTED, &TASK_NOT_FOUND],
    error_style: crate::error::ErrorStyle::Status,
    extensions_header: None,
};

/// Notes each call; `Events` streams what it was given, or three numbers.
#[derive(Default)]
pub(crate) struct Probe {
    pub(crate) seen: Mutex<Vec<(&'static str, CallContext, Bytes)>>,
    pub(crate) events: Mutex<Option<ReplyStream>>,
}

impl Probe {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn streaming(events: ReplyStream) -> Arc<Self> {
        Arc::new(Self {
            events: Mutex::new(Some(events)),
            ..Self::default()
        })
    }

    /// The operations that were called.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.seen
            .lock()
            .unwrap()
            .iter()
            .map(|(name, ..)| *name)
            .collect()
    }

    /// The context of the last call.
    pub(crate) fn context(&self) -> CallContext {
        self.seen.lock().unwrap().last().expect("a call").1.clone()
    }
}

impl Dispatch for Probe {
    fn service(&self) -> &'static ServiceSpec {
        &PROBE
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        context: CallContext,
        input: Input<'a>,
    ) -> BoxFuture<'a, Result<Reply, Error>> {
        let request = match input {
            Input::Json(text) => text,
            Input::Proto(bytes) => bytes,
            Input::Http(input) => input.body,
        };
        let name = PROBE.operations[operation].name;
        self.seen
            .lock()
            .unwrap()
            .push((name, context, request.clone()));
        Box::pin(async move {
            match name {
                "Echo" => Ok(Reply::Unary(Box::new(Text(if request.is_empty() {
                    Bytes::from_static(b"{}")
                } else {
                    request
                })))),
                "Panic" => panic!("secret"),
                "Wait" => std::future::pending().await,
                "Events" => {
                    let given = self.events.lock().unwrap().take();
                    Ok(Reply::Stream(given.unwrap_or_else(|| {
                        Box::pin(stream::iter(["1", "2", "3"].map(event)))
                    })))
                }
                "FailEvents" => Ok(Reply::Stream(Box::pin(stream::iter([
                    event("1"),
                    Err(Error::task_not_found("it is gone")),
                    event("2"),
                ])))),
                "PanicEvents" => Ok(Reply::Stream(Box::pin(stream::iter(["1", "2"]).map(
                    |text| {
                        if text == "1" {
                            event(text)
                        } else {
                            panic!("secret")
                        }
                    },
                )))),
                _ => {
                    Err(Error::task_not_found("there is no such task")
                        .with_metadata("taskId", "t1"))
                }
            }
        })
    }
}
