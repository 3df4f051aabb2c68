//! Errors of versions that fix neither statuses nor details: what names them then.
//!
//! Comes in: the text of an error, or a status and the operation that was called. Goes out: the error
//! of the protocol that it is.

use http::StatusCode;

use crate::error::{Code, Error, ErrorSpec, ErrorStyle};
use crate::service::{OperationSpec, ServiceSpec};

/// An error that the text of a status begins with: where a version fixes no statuses, its peers
/// write the name of the error's class there.
pub(super) enum Named {
    /// One of the protocol.
    Own(&'static ErrorSpec),
    /// One of JSON-RPC.
    Usual(Code),
}

/// The error that a text names, and the text without its name.
pub(super) fn named<'a>(service: &ServiceSpec, message: &'a str) -> (Option<Named>, &'a str) {
    let Some((name, text)) = message.split_once(':') else {
        return (None, message);
    };
    let own = service.errors.iter().find(|spec| spec.name == name.trim());
    let named = match (own, name.trim()) {
        (Some(own), _) => Named::Own(own),
        (None, "InvalidParamsError" | "InvalidRequestError" | "JSONParseError") => {
            Named::Usual(Code::InvalidArgument)
        }
        (None, "MethodNotFoundError") => Named::Usual(Code::Unimplemented),
        (None, "InternalError") => Named::Usual(Code::Internal),
        _ => return (None, message),
    };
    (Some(named), text.trim_start())
}

/// The error that the status of an answer stands for, when nothing in the answer says more: where a
/// version fixes neither statuses nor bodies, the status is all that some peers give. It means
/// something only together with the operation, and only when the answer is the agent's own.
pub(crate) fn by_status(
    service: &ServiceSpec,
    operation: &OperationSpec,
    error: Error,
    status: StatusCode,
) -> Error {
    if service.error_style != ErrorStyle::CodeAndMessage
        || error.spec().is_some()
        || error.has_json_rpc_code()
        || error
            .peer_body()
            .is_none_or(|body| !body.trim_start().starts_with('{'))
    {
        return error;
    }
    let (about_push, about_a_task) = about(operation);
    let reason = match status.as_u16() {
        404 if about_a_task => "TASK_NOT_FOUND",
        409 if about_a_task => "TASK_NOT_CANCELABLE",
        415 => "CONTENT_TYPE_NOT_SUPPORTED",
        501 if about_push => "PUSH_NOTIFICATION_NOT_SUPPORTED",
        501 => "UNSUPPORTED_OPERATION",
        502 => "INVALID_AGENT_RESPONSE",
        _ => return error,
    };
    named_by(service, error, reason)
}

/// The same of the status of a gRPC call, which is the agent's own.
#[cfg(feature = "grpc")]
pub(crate) fn by_code(service: &ServiceSpec, operation: &OperationSpec, error: Error) -> Error {
    if service.error_style != ErrorStyle::CodeAndMessage || error.spec().is_some() {
        return error;
    }
    let (about_push, about_a_task) = about(operation);
    let reason = match error.code() {
        // A message may name a task too, and nothing else can be missing: a method that is has another
        // status.
        Code::NotFound if about_a_task || operation.request.contains("SendMessage") => {
            "TASK_NOT_FOUND"
        }
        Code::FailedPrecondition if about_a_task && !about_push => "TASK_NOT_CANCELABLE",
        Code::Unimplemented if about_push => "PUSH_NOTIFICATION_NOT_SUPPORTED",
        _ => return error,
    };
    named_by(service, error, reason)
}

/// Whether an operation is about webhooks, and whether it is about a task that exists.
fn about(operation: &OperationSpec) -> (bool, bool) {
    let about_push = operation.capability == Some("push_notifications");
    (about_push, about_push || operation.request.contains("Task"))
}

fn named_by(service: &ServiceSpec, error: Error, reason: &str) -> Error {
    match service.errors.iter().find(|spec| spec.reason == reason) {
        Some(spec) => error.with_spec(spec),
        None => error,
    }
}
