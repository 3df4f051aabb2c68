//! Checks the values of a profile that are more than their types.

use std::collections::BTreeMap;

use super::{ErrorRow, Profile};
use crate::diagnostics::{Diagnostic, Diagnostics};

/// The names of gRPC statuses that an error can have.
const GRPC: [&str; 16] = [
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

pub(super) fn check(profile: &Profile, faults: &mut Diagnostics) {
    let mut fault = |key: &str, message: String, hint: &str| {
        faults.push(Diagnostic::new(profile.origin(key), message).hint(hint));
    };
    if let Some(version) = &profile.version
        && !is_version(version)
    {
        let message = format!("`{}` is no version", version.escape_debug());
        fault(
            "version",
            message,
            "write major and minor number, such as `1.0`",
        );
    }
    if let Some(media_type) = &profile.media_type
        && !is_media_type(media_type)
    {
        let message = format!("`{}` is no media type", media_type.escape_debug());
        fault(
            "media_type",
            message,
            "write type and subtype without parameters, such as `application/json`",
        );
    }
    if let Some(header) = &profile.extensions_header
        && !is_token(header)
    {
        let message = format!("`{}` is no name of a header", header.escape_debug());
        fault(
            "extensions_header",
            message,
            "write the name alone, such as `X-A2A-Extensions`",
        );
    }
    let digits = profile.json.timestamp_digits;
    if !matches!(digits, 0 | 3 | 6 | 9) {
        let message = format!("timestamps cannot have {digits} fraction digits");
        fault("json.timestamp_digits", message, "write 0, 3, 6 or 9");
    }
    if profile
        .error_domain
        .as_ref()
        .is_some_and(|domain| domain.trim().is_empty())
    {
        fault(
            "error_domain",
            "the domain of the errors is empty".to_owned(),
            "name it, or leave it out",
        );
    }
    if profile.error_domain.is_none() && !profile.errors.is_empty() {
        let message = "the errors have no domain".to_owned();
        fault(
            "errors[0]",
            message,
            "add `error_domain = \"…\"` at the top: it tells these errors from those of others",
        );
    }
    for (index, row) in profile.errors.iter().enumerate() {
        check_error(row, |message, hint| {
            fault(&format!("errors[{index}]"), message, hint);
        });
    }
    check_unique(profile, faults);
}

fn check_error(row: &ErrorRow, mut fault: impl FnMut(String, &str)) {
    if !is_type_name(&row.name) {
        fault(
            format!("`{}` is no name for an error", row.name.escape_debug()),
            "write it like a Rust type: `TaskNotFound`",
        );
    }
    let is_reason = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if !row.reason.starts_with(|c: char| c.is_ascii_uppercase())
        || !row.reason.bytes().all(is_reason)
    {
        let message = format!(
            "`{}` is no reason of the error `{}`",
            row.reason.escape_debug(),
            row.name.escape_debug()
        );
        fault(
            message,
            "write capitals, digits and underscores: `TASK_NOT_FOUND`",
        );
    }
    if !GRPC.contains(&row.grpc.as_str()) {
        let message = format!(
            "`{}` is no gRPC status of the error `{}`",
            row.grpc.escape_debug(),
            row.name.escape_debug()
        );
        fault(message, &format!("write one of {}", GRPC.join(", ")));
    }
    if !(400..=599).contains(&row.http) {
        let message = format!(
            "{} is no HTTP status of the error `{}`",
            row.http,
            row.name.escape_debug()
        );
        fault(message, "write a status from 400 to 599");
    }
}

/// Names and reasons are how programs tell errors apart.
fn check_unique(profile: &Profile, faults: &mut Diagnostics) {
    let mut seen: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for (index, row) in profile.errors.iter().enumerate() {
        let keys = [
            ("name", row.name.clone()),
            ("reason", row.reason.clone()),
            ("JSON-RPC code", row.json_rpc.to_string()),
        ];
        for (what, value) in keys {
            let Some(first) = seen.insert((what, value.clone()), index) else {
                continue;
            };
            let message = format!("two errors have the {what} `{}`", value.escape_debug());
            faults.push(
                Diagnostic::new(profile.origin(&format!("errors[{index}]")), message)
                    .also(
                        profile.origin(&format!("errors[{first}]")),
                        "the first of them",
                    )
                    .hint("every error has its own"),
            );
        }
    }
}

fn is_version(text: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split_once('.')
        .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

/// What media types and names of headers are made of, as far as gRPC metadata have it too.
fn is_token(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

fn is_media_type(text: &str) -> bool {
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn is_type_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
