//! From an HTTP request that matched a route to a message (`google.api.http`).
//!
//! Comes in: the route, the raw path and query, the body. Goes out: a message, or an error that
//! names the field. The order is body, then path, then query, and what the path says stands: a
//! query that says something else about the same field is refused or dropped, as the service has
//! it for bodies ([`ServiceSpec::conflicts`](crate::ServiceSpec)).

use std::borrow::Cow;

use a2a_wire::__codegen::{BindError, BindErrorKind, Bound, Rule, WireMessage};
use a2a_wire::json;

use crate::error::{Code, Error};
use crate::service::percent::{self, Part};
use crate::service::{Capture, HttpInput, RouteBody, routing};

/// Queries with more parameters than this are refused.
const MAX_PARAMETERS: usize = 1000;

/// Parameters that speak to the binding, never to the message.
const SERVICE_PARAMETERS: [&str; 2] = ["A2A-Version", "A2A-Extensions"];

/// Reads the message of a request.
///
/// # Errors
/// Invalid argument, naming the field.
pub(crate) fn read<T: WireMessage>(input: &HttpInput<'_>) -> Result<T, Error> {
    let mut message = T::default();
    read_into(&mut message, input)?;
    Ok(message)
}

/// A message whose type has been forgotten, so that what follows is compiled once.
trait Target {
    fn read_body(&mut self, text: &[u8]) -> Result<(), json::Error>;
    fn read_field(&mut self, field: &str, text: &[u8]) -> Result<(), json::Error>;
    fn bind(&mut self, path: &str, text: Cow<'_, str>, rule: Rule) -> Result<Bound, BindError>;
}

impl<T: WireMessage> Target for T {
    fn read_body(&mut self, text: &[u8]) -> Result<(), json::Error> {
        *self = T::read_json(text)?;
        Ok(())
    }

    fn read_field(&mut self, field: &str, text: &[u8]) -> Result<(), json::Error> {
        self.read_body_field(field, text)
    }

    fn bind(&mut self, path: &str, text: Cow<'_, str>, rule: Rule) -> Result<Bound, BindError> {
        self.bind_text(path, text, rule)
    }
}

fn read_into(message: &mut dyn Target, input: &HttpInput<'_>) -> Result<(), Error> {
    read_body(message, input)
        .map_err(|error| Error::invalid_field(error.path(), error.message()))?;
    let captures = read_path(message, input)?;
    // With `body: "*"` every field that is not in the path is in the body.
    if input.route.body == RouteBody::All {
        Ok(())
    } else {
        read_query(message, input, &captures)
    }
}

fn read_body(message: &mut dyn Target, input: &HttpInput<'_>) -> Result<(), json::Error> {
    let body = &input.body[..];
    if body.is_empty() || (input.route.null_body && body.trim_ascii() == b"null") {
        return Ok(());
    }
    match input.route.body {
        RouteBody::None => Ok(()),
        RouteBody::All => message.read_body(body),
        RouteBody::Field { proto_name, .. } => message.read_field(proto_name, body),
    }
}

/// A field that the path has set, and the text that it was set from.
struct Bind<'a> {
    capture: &'static Capture,
    text: Cow<'a, str>,
}

fn read_path<'a>(message: &mut dyn Target, input: &HttpInput<'a>) -> Result<Vec<Bind<'a>>, Error> {
    let mut bound = Vec::with_capacity(input.route.captures.len());
    for capture in input.route.captures {
        let raw = routing::captured(input.route, capture, input.path).ok_or_else(|| {
            Error::internal(format!(
                "{} does not match {}",
                input.path, input.route.template
            ))
        })?;
        let part = if capture.multi {
            Part::Segments
        } else {
            Part::Segment
        };
        let text = percent::decode(raw, part).map_err(|fault| {
            Error::invalid_field(capture.json_name, format!("in the path: {fault}"))
        })?;
        message
            .bind(capture.field, Cow::Borrowed(&text), input.service.conflicts)
            .map_err(|error| refused(capture.json_name, "the path", error.kind))?;
        bound.push(Bind { capture, text });
    }
    Ok(bound)
}

fn read_query(
    message: &mut dyn Target,
    input: &HttpInput<'_>,
    path: &[Bind<'_>],
) -> Result<(), Error> {
    let mut seen: Vec<Vec<&'static str>> = Vec::new();
    let pairs = input.query.split('&').filter(|pair| !pair.is_empty());
    for (index, pair) in pairs.enumerate() {
        if index == MAX_PARAMETERS {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("the query has more than {MAX_PARAMETERS} parameters"),
            ));
        }
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = percent::decode(name, Part::Query).map_err(|fault| {
            Error::new(
                Code::InvalidArgument,
                format!("a name in the query: {fault}"),
            )
        })?;
        if SERVICE_PARAMETERS
            .iter()
            .any(|own| own.eq_ignore_ascii_case(&name))
            || is_in_body(&input.route.body, &name)
        {
            continue;
        }
        let value = percent::decode(value, Part::Query).map_err(|fault| {
            Error::invalid_field(name.as_ref(), format!("in the query: {fault}"))
        })?;
        if let Some(bind) = path
            .iter()
            .find(|bind| is_named(bind.capture.field, bind.capture.json_name, &name))
        {
            if input.service.conflicts == Rule::Agree {
                agree(message, bind, &name, &value)?;
            }
            continue;
        }
        match message.bind(&name, value, Rule::Agree) {
            Ok(bound) if bound.repeated => {}
            Ok(bound) if seen.contains(&bound.path) => return Err(twice(&name)),
            Ok(bound) => seen.push(bound.path),
            // Peers put parameters of their own into queries (`key`, `alt`, tracing ids).
            Err(BindError {
                kind: BindErrorKind::UnknownField,
                ..
            }) => {}
            // The fault of a second value is that it is there, not that it differs.
            Err(error) => return Err(refused(&name, "the query", error.kind)),
        }
    }
    Ok(())
}

/// A query may repeat what the path says of a field, in any spelling of the same value.
fn agree(message: &mut dyn Target, bind: &Bind<'_>, name: &str, value: &str) -> Result<(), Error> {
    if value == bind.text {
        return Ok(());
    }
    // First the query's text, then the path's again: a default value counts as absent, so either
    // order alone would let one of the two pass.
    for text in [value, &bind.text] {
        message
            .bind(name, Cow::Borrowed(text), Rule::Agree)
            .map_err(|error| refused(name, "the query", error.kind))?;
    }
    Ok(())
}

/// True when `given` names the field at the dotted path, each part by its proto or its JSON name.
fn is_named(proto: &str, json: &str, given: &str) -> bool {
    let mut given = given.split('.');
    proto.split('.').zip(json.split('.')).all(|(proto, json)| {
        given
            .next()
            .is_some_and(|part| part == proto || part == json)
    }) && given.next().is_none()
}

/// True when `given` names the field that is the body, or something in it.
fn is_in_body(body: &RouteBody, given: &str) -> bool {
    match body {
        RouteBody::Field {
            proto_name,
            json_name,
        } => {
            let first = given.split_once('.').map_or(given, |(first, _)| first);
            first == *proto_name || first == *json_name
        }
        RouteBody::None | RouteBody::All => false,
    }
}

fn twice(name: &str) -> Error {
    Error::invalid_field(name, "is given twice in the query, but takes one value")
}

fn refused(field: &str, place: &str, kind: BindErrorKind) -> Error {
    let description = match kind {
        BindErrorKind::UnknownField => {
            format!("{place} names a field that the request does not have")
        }
        BindErrorKind::NotAddressable(what) => format!("cannot be set from {place}: {what}"),
        BindErrorKind::Invalid { expected } => format!("the value in {place} is not {expected}"),
        BindErrorKind::Conflict => format!(
            "{place} and another part of the request give it different values; give it once"
        ),
    };
    Error::invalid_field(field, description)
}

#[cfg(test)]
mod tests;
