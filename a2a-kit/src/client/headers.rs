//! Headers of calls, the same for all bindings.
//!
//! Comes in: the context of a call. Goes out: the headers that the peer gets. And back: the
//! extensions that the peer says are in use.

use std::fmt::Write as _;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::context::{Binding, CallContext, ProtocolVersion};
use crate::error::{Code, Error};
use crate::service::ServiceSpec;

const VERSION: HeaderName = HeaderName::from_static("a2a-version");
const EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");
/// What a call that came in over the network hands on: where it belongs in a trace.
const HANDED_ON: [HeaderName; 2] = [
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
];

/// What the channels write themselves, or what belongs to one connection.
pub(super) fn is_ours(name: &HeaderName) -> bool {
    const OURS: [HeaderName; 12] = [
        header::ACCEPT,
        header::ACCEPT_ENCODING,
        header::CONNECTION,
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::CONTENT_TYPE,
        header::EXPECT,
        header::HOST,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ];
    OURS.contains(name)
        || *name == VERSION
        || name.as_str().starts_with("grpc-")
        || name.as_str() == "keep-alive"
}

/// The headers that a call has on every binding: protocol version, extensions, and what the caller
/// has set.
///
/// The headers of a call that came in over the network (so in a gateway) are not those of its
/// caller to us: they hold credentials that were given to us alone. Of them only the trace context
/// goes on. What else should go on is added by a transport that wraps another.
///
/// # Errors
/// When an extension's URI is no header value.
pub(crate) fn outgoing(service: &ServiceSpec, context: &CallContext) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::with_capacity(8);
    let given = context.headers();
    if context.binding() == Binding::Local {
        for (name, value) in given {
            if !is_ours(name) && *name != EXTENSIONS {
                headers.append(name, value.clone());
            }
        }
    } else {
        for name in HANDED_ON {
            for value in given.get_all(&name) {
                headers.append(&name, value.clone());
            }
        }
    }
    if let Some(spoken) = service.version {
        headers.insert(VERSION, version(spoken)?);
    }
    if let Some(extensions) = extensions(context)? {
        // Peers of an older version may know the name of today as well.
        if let Some(name) = service.extensions_header {
            headers.insert(HeaderName::from_static(name), extensions.clone());
        }
        headers.insert(EXTENSIONS, extensions);
    }
    Ok(headers)
}

/// The version that the messages are of, whatever the context says: it may be that of a call that was
/// translated.
fn version(spoken: ProtocolVersion) -> Result<HeaderValue, Error> {
    if spoken == ProtocolVersion::V1_0 {
        return Ok(HeaderValue::from_static("1.0"));
    }
    HeaderValue::try_from(spoken.to_string())
        .map_err(|error| Error::internal("the version is no header value").with_source(error))
}

/// The extensions of the context, and those that the caller has set as a header, each once.
fn extensions(context: &CallContext) -> Result<Option<HeaderValue>, Error> {
    let mut list = String::new();
    let mut seen: Vec<&str> = Vec::new();
    let by_header = context
        .headers()
        .get_all(EXTENSIONS)
        .iter()
        .filter(|_| context.binding() == Binding::Local)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(str::trim));
    for uri in context
        .extensions()
        .iter()
        .map(String::as_str)
        .chain(by_header)
    {
        if uri.is_empty() || seen.contains(&uri) {
            continue;
        }
        seen.push(uri);
        let separator = if list.is_empty() { "" } else { ", " };
        let _ = write!(list, "{separator}{uri}");
    }
    if list.is_empty() {
        return Ok(None);
    }
    HeaderValue::try_from(&list).map(Some).map_err(|error| {
        Error::new(
            Code::InvalidArgument,
            format!("an extension's URI cannot be sent as a header: {list:?}"),
        )
        .with_source(error)
    })
}

/// Notes the extensions that an answer says are in use.
pub(crate) fn note_extensions(service: &ServiceSpec, context: &CallContext, headers: &HeaderMap) {
    let older = service.extensions_header.map(HeaderName::from_static);
    let older = older.iter().flat_map(|name| headers.get_all(name));
    for value in headers.get_all(EXTENSIONS).iter().chain(older) {
        let uris = value.to_str().unwrap_or_default().split(',').map(str::trim);
        for uri in uris.filter(|uri| !uri.is_empty()) {
            context.activate_extension(uri);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SERVICE: ServiceSpec = ServiceSpec {
        name: "test.Service",
        operations: &[],
        routes: &[],
        version: Some(ProtocolVersion::V1_0),
        media_type: "application/json",
        conflicts: a2a_wire::__codegen::Rule::Agree,
        errors: &[],
        error_style: crate::error::ErrorStyle::Status,
        extensions_header: None,
    };

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    fn shown(context: &CallContext) -> Vec<String> {
        let mut shown: Vec<String> = outgoing(&SERVICE, context)
            .unwrap()
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        shown.sort();
        shown
    }

    #[test]
    fn the_caller_s_headers_go_out_but_not_those_that_describe_the_message() {
        let context = CallContext::new(Binding::Local, ProtocolVersion::V1_0)
            .with_extensions(vec!["urn:a".into(), "urn:b".into(), "urn:a".into()])
            .with_headers(headers(&[
                ("authorization", "Bearer x"),
                ("host", "elsewhere"),
                ("content-length", "7"),
                ("grpc-timeout", "1S"),
                ("te", "gzip"),
                ("a2a-version", "7.7"),
                ("a2a-extensions", "urn:b, urn:c"),
                ("x-own", "1"),
            ]));
        assert_eq!(
            shown(&context),
            [
                "a2a-extensions: urn:a, urn:b, urn:c",
                "a2a-version: 1.0",
                "authorization: Bearer x",
                "x-own: 1"
            ]
        );
    }

    #[test]
    fn a_gateway_hands_no_credentials_on() {
        let context =
            CallContext::new(Binding::Rest, ProtocolVersion::V0_3).with_headers(headers(&[
                ("authorization", "Bearer x"),
                ("cookie", "a=b"),
                ("traceparent", "00-1-2-01"),
                ("a2a-extensions", "urn:unchecked"),
            ]));
        assert_eq!(
            shown(&context),
            ["a2a-version: 1.0", "traceparent: 00-1-2-01"]
        );
    }

    #[test]
    fn a_call_is_in_the_version_of_its_messages() {
        for asked in ["0.3", "1.0", "1.1", "2.0"] {
            let context = CallContext::new(Binding::Rest, asked.parse().unwrap());
            assert_eq!(shown(&context), ["a2a-version: 1.0"], "{asked}");
        }
        let sent = |spoken: &str| version(spoken.parse().unwrap()).unwrap();
        assert_eq!(sent("1.1"), "1.1");
        assert_eq!(sent("0.3"), "0.3");
    }

    #[test]
    fn an_extension_that_is_no_header_value_is_refused() {
        let context = CallContext::new(Binding::Local, ProtocolVersion::V1_0)
            .with_extensions(vec!["urn:a\nb".into()]);
        assert_eq!(
            outgoing(&SERVICE, &context).unwrap_err().code(),
            Code::InvalidArgument
        );
    }

    #[test]
    fn extensions_in_use_are_noted() {
        let context = CallContext::new(Binding::Local, ProtocolVersion::V1_0);
        let mut answer = headers(&[("a2a-extensions", "urn:a,urn:b ,, ")]);
        answer.append(EXTENSIONS, HeaderValue::from_static("urn:a"));
        note_extensions(&SERVICE, &context, &answer);
        assert_eq!(context.activated_extensions(), ["urn:a", "urn:b"]);
    }
}
