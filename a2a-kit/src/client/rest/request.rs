//! From a message to an HTTP request (`google.api.http`, the client's side).
//!
//! Comes in: the routes of an operation and a message. Goes out: method, path, query and body, or
//! which field does not fit. Of the routes that the message fits, the one that takes most fields
//! into its path is chosen; of equal ones the first that the schema has. What stands in the path is
//! not said again in the body or the query, and what fits nowhere is refused.
//!
//! The path is written letter by letter. Libraries that join URLs take `..` for a folder, `a:b` for
//! a scheme and `\` for a separator; ids of tasks may contain all of them.

use std::fmt::Write as _;

use bytes::Bytes;
use http::Method;

use crate::client::{Outgoing, QueryWriter};
use crate::error::{Code, Error};
use crate::service::routing::{self, Outcome};
use crate::service::{Capture, OperationSpec, Route, RouteBody, Segment, ServiceSpec};

/// A request without address and headers.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) route: &'static Route,
    pub(super) method: Method,
    /// Path and query.
    pub(super) target: String,
    /// `None` where there is nothing to send, not even an empty message.
    pub(super) body: Option<Bytes>,
}

/// Writes a call as a request.
///
/// # Errors
/// When the message fits no route of the operation, naming the field that does not.
pub(super) fn build(
    service: &ServiceSpec,
    operation: &OperationSpec,
    request: &dyn Outgoing,
) -> Result<Built, Error> {
    let mut fitting: Vec<(&'static Route, String)> = Vec::new();
    let mut refusal = None;
    for route in operation
        .routes
        .iter()
        .filter_map(|index| service.routes.get(*index))
    {
        match path(route, request) {
            Ok(path) => fitting.push((route, path)),
            Err(fault) => {
                refusal.get_or_insert_with(|| fault.explain(route));
            }
        }
    }
    // A stable sort: equal ones stay as declared.
    fitting.sort_by_key(|(route, _)| std::cmp::Reverse(route.captures.len()));
    for (index, (route, path)) in fitting.into_iter().enumerate() {
        // A name that leads elsewhere is not smuggled in by another route.
        check_way(service, route, &path)?;
        match finish(route, path, request) {
            Ok(built) => return Ok(built),
            // The fault of the best route counts, whatever was wrong with those before.
            Err(error) if index == 0 => refusal = Some(error),
            Err(_) => {}
        }
    }
    Err(refusal.unwrap_or_else(|| {
        let message = format!(
            "{} of {} has no route over HTTP+JSON",
            operation.name, service.name
        );
        Error::new(Code::Unimplemented, message)
    }))
}

/// The same call on another route of the same shape.
pub(super) fn build_on(
    service: &ServiceSpec,
    route: &'static Route,
    request: &dyn Outgoing,
) -> Result<Built, Error> {
    let path = path(route, request).map_err(|fault| fault.explain(route))?;
    check_way(service, route, &path)?;
    finish(route, path, request)
}

/// What a part of the path was to be made of, and is not.
struct Fault {
    capture: &'static Capture,
    /// `None` when the field is not set.
    value: Option<String>,
}

impl Fault {
    fn explain(self, route: &Route) -> Error {
        let Self { capture, value } = self;
        let description = match value {
            None => format!("is empty, but the path {} needs it", route.template),
            Some(value) => format!(
                "{value:?} does not fit into the path {}: it must have the form {:?}, without empty parts",
                route.template,
                pattern(
                    route
                        .segments
                        .get(capture.start..capture.end)
                        .unwrap_or_default()
                )
            ),
        };
        Error::invalid_field(capture.json_name, description)
    }
}

/// Segments as a template has them.
fn pattern(segments: &[Segment]) -> String {
    let mut out = String::new();
    for (index, segment) in segments.iter().enumerate() {
        out.push_str(if index > 0 { "/" } else { "" });
        out.push_str(match segment {
            Segment::Literal(literal) => literal,
            Segment::Single => "*",
            Segment::Multi => "**",
        });
    }
    out
}

/// The path of a route, percent-encoded.
fn path(route: &'static Route, request: &dyn Outgoing) -> Result<String, Fault> {
    let mut out = String::new();
    let mut index = 0;
    while let Some(segment) = route.segments.get(index) {
        if let Some(capture) = route.captures.iter().find(|capture| capture.start == index) {
            let covered = route.segments.get(index..capture.end).unwrap_or_default();
            let value = request.text(capture.field);
            if !value
                .as_deref()
                .is_some_and(|value| write_value(covered, value, &mut out))
            {
                return Err(Fault { capture, value });
            }
            index = capture.end.max(index + 1);
            continue;
        }
        match segment {
            Segment::Literal(literal) => {
                out.push('/');
                encode(literal, is_literal, &mut out);
            }
            // No field has a say in it: any segment will do.
            Segment::Single => out.push_str("/-"),
            Segment::Multi => {}
        }
        index += 1;
    }
    if out.is_empty() {
        out.push('/');
    }
    if let Some(verb) = route.verb {
        out.push(':');
        encode(verb, is_literal, &mut out);
    }
    Ok(out)
}

/// Writes the value of a variable; false when it does not match the segments that it covers.
fn write_value(covered: &[Segment], value: &str, out: &mut String) -> bool {
    if let [Segment::Single] = covered {
        out.push('/');
        encode(value, is_unreserved, out);
        return true;
    }
    let parts: Vec<&str> = value.split('/').collect();
    let multi = covered
        .iter()
        .position(|segment| *segment == Segment::Multi);
    let many = match multi {
        Some(_) => (parts.len() + 1).checked_sub(covered.len()),
        None if parts.len() == covered.len() => Some(0),
        None => None,
    };
    let Some(many) = many else { return false };
    let pattern = covered.iter().flat_map(|segment| {
        let times = if *segment == Segment::Multi { many } else { 1 };
        std::iter::repeat_n(segment, times)
    });
    for (segment, part) in pattern.zip(parts) {
        let fits = match segment {
            Segment::Literal(literal) => part == *literal,
            Segment::Single | Segment::Multi => !part.is_empty(),
        };
        if !fits {
            return false;
        }
        out.push('/');
        encode(
            part,
            if matches!(segment, Segment::Literal(_)) {
                is_literal
            } else {
                is_unreserved
            },
            out,
        );
    }
    true
}

/// Refuses paths that would not lead to their route.
fn check_way(service: &ServiceSpec, route: &'static Route, path: &str) -> Result<(), Error> {
    if let Some(index) = path
        .split('/')
        .skip(1)
        .position(|segment| matches!(segment, "." | ".."))
    {
        // Behind a `**` the segments of path and template do not correspond; then it is the last
        // variable that begins before.
        let capture = route
            .captures
            .iter()
            .rfind(|capture| capture.start <= index)
            .or(route.captures.first());
        let description = format!(
            "`.` and `..` cannot stand where {} has it: they would lead elsewhere on the way",
            route.template
        );
        return Err(Error::invalid_field(
            capture.map_or("", |capture| capture.json_name),
            description,
        ));
    }
    let method = method(route);
    match routing::find(service.routes, method, path) {
        Outcome::Found(found) if std::ptr::eq(found, route) => Ok(()),
        // A value that is also a word of another route, as the tenant `tasks` in `/tasks/tasks`.
        Outcome::Found(found) => {
            let other = service
                .operations
                .get(found.operation)
                .map_or("another operation", |operation| operation.name);
            let message = format!(
                "{method} {} leads to {other} ({}), not to {}",
                shown(path),
                found.template,
                route.template
            );
            Err(Error::new(Code::InvalidArgument, message))
        }
        Outcome::WrongMethod(_) | Outcome::NotFound => {
            let message = format!(
                "{method} {} does not lead to {}: it is too long",
                shown(path),
                route.template
            );
            Err(Error::new(Code::InvalidArgument, message))
        }
    }
}

/// As much of a path as an error message should repeat. It is ASCII.
fn shown(path: &str) -> &str {
    path.get(..200).unwrap_or(path)
}

/// Adds what is not in the path.
fn finish(route: &'static Route, path: String, request: &dyn Outgoing) -> Result<Built, Error> {
    let mut in_path: Vec<&str> = route
        .captures
        .iter()
        .map(|capture| capture.json_name)
        .collect();
    let body = match &route.body {
        RouteBody::None => None,
        RouteBody::All if in_path.is_empty() => Some(request.json()?),
        RouteBody::All => Some(request.json_without(&in_path)?),
        RouteBody::Field {
            proto_name,
            json_name,
        } => {
            in_path.push(json_name);
            let field = request.json_field(proto_name)?;
            // `null` is how a field that is not set is written; no body at all says it to everyone.
            let is_unset =
                &field[..] == b"null" && request.json()? == request.json_without(&[json_name])?;
            (!is_unset).then_some(field)
        }
    };
    let mut target = path;
    if route.body != RouteBody::All {
        let mut query = QueryWriter::new();
        request.query(&in_path, &mut query)?;
        if !query.is_empty() {
            target.push('?');
            target.push_str(query.as_str());
        }
    }
    let method = Method::from_bytes(method(route).as_bytes()).map_err(|error| {
        Error::internal(format!("{:?} is no HTTP method", route.method)).with_source(error)
    })?;
    Ok(Built {
        route,
        method,
        target,
        body,
    })
}

/// The method to call a route by, where it takes any.
fn method(route: &Route) -> &'static str {
    match (route.method, &route.body) {
        ("*", RouteBody::None) => "GET",
        ("*", _) => "POST",
        (name, _) => name,
    }
}

/// Encodes every byte but those that may stay.
fn encode(text: &str, stays: fn(u8) -> bool, out: &mut String) {
    for byte in text.bytes() {
        if stays(byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// What a value may contain as it is.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// What a template may contain as it is: everything that needs no escape in a segment (`pchar`).
fn is_literal(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=:@".contains(&byte)
}
